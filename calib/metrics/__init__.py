"""Measures of calibration and discrimination; arguments are (labels, probabilities) throughout.

Every measure takes `sample_weight`. Weights are counts, as in the whole package: a row of weight w
stands for w copies of the row, and a row of weight 0 is not there.

Some measures share their name with one of scikit-learn's, whose value they have on clean binary
input; the docstring of each says where they differ.
"""

from calib.metrics.binned import (
    ReliabilityCurve,
    expected_calibration_error,
    maximum_calibration_error,
    reliability_curve,
)
from calib.metrics.discrimination import PartsAUC, auc_by_parts, roc_auc_score
from calib.metrics.losses import (
    accuracy,
    brier_score_loss,
    log_loss,
    root_mean_squared_error,
)
from calib.metrics.summary import evaluate

__all__ = [
    "PartsAUC",
    "ReliabilityCurve",
    "accuracy",
    "auc_by_parts",
    "brier_score_loss",
    "evaluate",
    "expected_calibration_error",
    "log_loss",
    "maximum_calibration_error",
    "reliability_curve",
    "roc_auc_score",
    "root_mean_squared_error",
]
