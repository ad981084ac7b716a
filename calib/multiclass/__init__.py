"""Calibration of more than two classes.

A calibrator of this package learns a map from the rows of probabilities that a classifier gives,
one for each class, to calibrated rows. Classes are the numbers 0 to k - 1 of the columns.
"""

from calib.multiclass.base import MulticlassCalibrator
from calib.multiclass.linear import DirichletCalibration, VectorScaling
from calib.multiclass.one_vs_rest import OneVsRestCalibrator
from calib.multiclass.temperature import TemperatureScaling
from calib.multiclass.top_label import TopLabelBinning
from calib.multiclass.venn_abers import PairwiseVennAbers

__all__ = [
    "DirichletCalibration",
    "MulticlassCalibrator",
    "OneVsRestCalibrator",
    "PairwiseVennAbers",
    "TemperatureScaling",
    "TopLabelBinning",
    "VectorScaling",
]
