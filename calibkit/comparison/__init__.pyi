from .comparing import compare as compare
from .cross_fitted import CrossFittedError as CrossFittedError
from .cross_fitted import cross_fitted_error as cross_fitted_error
from .defaults import DEFAULTS as DEFAULTS
from .offset import Offset as Offset
from .result import Comparison as Comparison
from .result import Result as Result
