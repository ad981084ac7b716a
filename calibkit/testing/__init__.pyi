from . import references as references
from .calibrators import calibrator_checks as calibrator_checks
from .calibrators import check_calibrator as check_calibrator
from .measures import check_measure as check_measure
from .measures import measure_checks as measure_checks
from .shared import Check as Check
from .shared import CheckError as CheckError
from .shared import Outcome as Outcome
