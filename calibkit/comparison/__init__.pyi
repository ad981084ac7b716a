from .comparing import compare as compare
from .defaults import DEFAULTS as DEFAULTS
from .offset import Offset as Offset
from .result import Comparison as Comparison
from .result import Result as Result
