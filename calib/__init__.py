"""Post-hoc calibration of binary classifiers: exact, fast, and explained in an open book.

A calibrator learns a map from the score of a classifier to the probability of class 1:

>>> from calib import HistogramBinning
>>> calibrator = HistogramBinning(n_bins=2).fit([0.1, 0.2, 0.8, 0.9], [0, 0, 1, 0])
>>> calibrator.predict([0.15, 0.85])
array([0. , 0.5])

Names are loaded on first use, so that ``import calib`` itself costs nothing.
"""

import importlib

__version__ = "0.1.0"

_HOMES = {
    "calib.base": ["Calibrator", "OneClassWarning"],
    "calib.maps": ["CalibrationMap", "LinearMap", "SigmoidMap", "StepMap"],
    "calib.histogram": ["HistogramBinning"],
    "calib.platt": ["PlattScaling"],
    "calib.isotonic": ["IsotonicCalibrator"],
    "calib.kernel_density": ["KernelCalibrator"],
    "calib.dirichlet_process": ["DirichletProcessCalibrator"],
    "calib.bayesian_binning": ["ABB", "BBQ"],
    "calib.near_isotonic": ["ENIR", "NearIsotonicPath"],
    "calib.adaptive": ["AdaptiveCalibrator", "logistic_intervals"],
    "calib.venn_abers": ["DirectIsotonic", "TransductiveVennAbers", "VennAbers"],
    "calib.auc_split_tree": ["AUCSplitTree"],
    "calib.heterogeneous": ["HeterogeneousCalibrator"],
    "calib.classifier": ["CalibratedClassifier"],
    "calib.metrics": [
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
    ],
    "calib.discrete": ["DiscreteLaw"],
    "calib.diagrams": ["reliability_diagram"],
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}
_MODULES = ["datasets", "diagrams", "experiments", "metrics", "theory"]

__all__ = sorted([*_HOME_OF, *_MODULES])


def __getattr__(name):
    if name in _HOME_OF:
        return getattr(importlib.import_module(_HOME_OF[name]), name)
    if name in _MODULES:
        return importlib.import_module(f"calib.{name}")
    raise AttributeError(f"module 'calib' has no attribute {name!r}")


def __dir__():
    return sorted([*globals(), *__all__])
