"""Measures of calibration and discrimination; arguments are (labels, probabilities) throughout.

Every measure takes `sample_weight`. Weights are counts, as in the whole package: a row of weight w
stands for w copies of the row, and a row of weight 0 is not there. What depends on their ratios
only takes sampling weights as well, by which one outcome stands for many rows of a population; what
does not has `sampling_weight` for them, or no form for them at all.

Some measures share their name with one of scikit-learn's, whose value they have on clean binary
input; the docstring of each says where they differ.
"""

from calib.contract.docs import fill_docstrings
from calib.metrics.binned import (
    ReliabilityCurve,
    debiased_squared_error,
    evaluate,
    expected_calibration_error,
    maximum_calibration_error,
    reliability_curve,
    sweep_calibration_error,
)
from calib.metrics.by_group import GroupCalibration, calibration_by_group
from calib.metrics.cluster_tests import ClusterTests, cluster_tests
from calib.metrics.copies import ChangeTest, CopiesTest, change_test, copies_test
from calib.metrics.corp import (
    CalibrationBand,
    CORPCurve,
    ScoreDecomposition,
    confidence_band,
    consistency_band,
    corp_curve,
    score_decomposition,
)
from calib.metrics.discrimination import (
    PartsAUC,
    auc_by_parts,
    auc_difference,
    auc_interval,
    roc_auc_score,
)
from calib.metrics.drawn import Simulated, calibration_test
from calib.metrics.elementary import (
    DecisionCurve,
    DecisionGains,
    MurphyCurve,
    decision_curve,
    decision_gains,
    murphy_curve,
)
from calib.metrics.intervals import (
    Interval,
    bootstrap_by_group,
    bootstrap_difference,
    bootstrap_interval,
)
from calib.metrics.kuiper import (
    BiasedRange,
    detectable_bias,
    kuiper_interval,
    kuiper_range,
    worst_range,
)
from calib.metrics.limits import binomial_limits, mean_interval
from calib.metrics.losses import accuracy, brier_score_loss, log_loss, root_mean_squared_error
from calib.metrics.recalibration import (
    RecalibrationIntervals,
    RecalibrationLine,
    recalibration_intervals,
    recalibration_line,
)
from calib.metrics.scorers import get_scorer
from calib.metrics.sequential import BaseRateTest, SequentialCalibrationTest
from calib.metrics.significance import (
    TestResult,
    hosmer_lemeshow_test,
    kuiper_test,
    spiegelhalter_test,
)
from calib.metrics.unbinned import (
    integrated_calibration_index,
    kuiper_error,
    smooth_calibration_error,
    smooth_ece,
)

__all__ = [
    "BaseRateTest",
    "BiasedRange",
    "CORPCurve",
    "ChangeTest",
    "CalibrationBand",
    "ClusterTests",
    "CopiesTest",
    "DecisionCurve",
    "DecisionGains",
    "GroupCalibration",
    "Interval",
    "MurphyCurve",
    "PartsAUC",
    "RecalibrationIntervals",
    "RecalibrationLine",
    "ReliabilityCurve",
    "ScoreDecomposition",
    "SequentialCalibrationTest",
    "Simulated",
    "TestResult",
    "accuracy",
    "auc_by_parts",
    "auc_difference",
    "auc_interval",
    "binomial_limits",
    "bootstrap_by_group",
    "bootstrap_difference",
    "bootstrap_interval",
    "brier_score_loss",
    "calibration_by_group",
    "calibration_test",
    "change_test",
    "cluster_tests",
    "confidence_band",
    "consistency_band",
    "copies_test",
    "corp_curve",
    "debiased_squared_error",
    "decision_curve",
    "decision_gains",
    "detectable_bias",
    "evaluate",
    "expected_calibration_error",
    "get_scorer",
    "hosmer_lemeshow_test",
    "integrated_calibration_index",
    "kuiper_error",
    "kuiper_interval",
    "kuiper_range",
    "kuiper_test",
    "log_loss",
    "maximum_calibration_error",
    "mean_interval",
    "murphy_curve",
    "recalibration_intervals",
    "recalibration_line",
    "reliability_curve",
    "roc_auc_score",
    "root_mean_squared_error",
    "score_decomposition",
    "smooth_calibration_error",
    "smooth_ece",
    "spiegelhalter_test",
    "sweep_calibration_error",
    "worst_range",
]

fill_docstrings(globals())
