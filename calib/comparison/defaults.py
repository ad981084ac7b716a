"""The calibrators that are compared unless others are named."""

from typing import Any, NamedTuple

import numpy as np

from calib.binning.bayesian_binning import BBQ
from calib.binning.histogram import HistogramBinning
from calib.density.dirichlet_process import DirichletProcessCalibrator
from calib.density.kernel_density import KernelCalibrator
from calib.isotonic.near_isotonic import ENIR
from calib.isotonic.regression import IsotonicCalibrator
from calib.logistic.beta import BetaCalibration
from calib.logistic.platt import PlattScaling
from calib.logistic.quadratic import QuadraticLogit
from calib.logistic.spline import SplineCalibrator
from calib.logistic.temperature import TemperatureScaling
from calib.venn_abers.inductive import VennAbers
from calib.wrappers.stacking import StackedCalibrator


class Default(NamedTuple):
    """A calibrator that is compared unless others are named.

    Attributes
    ----------
    name : str
    calibrator : Calibrator
    most : float
        Number of rows above which it is left out, because it takes long.
    """

    name: str
    calibrator: Any
    most: float = np.inf


# Calibrators that need scores in [0, 1] are left out for margins.
DEFAULTS = [
    Default("Platt", PlattScaling()),
    Default("Platt on logits", PlattScaling(scale="logit")),
    Default("Temperature", TemperatureScaling()),
    Default("Beta", BetaCalibration()),
    Default("Quadratic", QuadraticLogit()),
    Default("Spline", SplineCalibrator()),
    Default("Histogram", HistogramBinning()),
    Default("Isotonic", IsotonicCalibrator()),
    Default("Venn-Abers", VennAbers()),
    Default("KDE", KernelCalibrator()),
    Default("BBQ", BBQ()),
    Default("ENIR", ENIR()),
    Default("DPM", DirichletProcessCalibrator(), most=5_000),
    Default("Average", StackedCalibrator()),
]


def fitting(defaults: list[Default], is_probability: bool) -> list[Default]:
    """The defaults that take probabilities, or the defaults that take margins."""
    return [default for default in defaults if is_probability or not default.calibrator.unit_scores]
