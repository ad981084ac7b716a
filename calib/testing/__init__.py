"""Checks that any calibrator and any measure can be put through, ours or another package's.

Each check is a promise of a calibrator or of a measure, tried on small samples that are always the
same. A failure names the check, what was expected and found, and the input, ready to be pasted.
Slow exact references, the definitions written out, are in `calib.testing.references`.
"""

from calib.testing import references
from calib.testing.calibrators import calibrator_checks, check_calibrator
from calib.testing.measures import check_measure, measure_checks
from calib.testing.shared import Check, CheckError, Outcome

__all__ = [
    "Check",
    "CheckError",
    "Outcome",
    "calibrator_checks",
    "check_calibrator",
    "check_measure",
    "measure_checks",
    "references",
]
