"""The calibrators that are compared unless others are named."""

from typing import Any, NamedTuple

import numpy as np

from calib.methods.bayesian_binning import BBQ
from calib.methods.beta import BetaCalibration
from calib.methods.dirichlet_process import DirichletProcessCalibrator
from calib.methods.histogram_binning import HistogramBinning
from calib.methods.isotonic_regression import IsotonicCalibrator
from calib.methods.kernel_density import KernelCalibrator
from calib.methods.near_isotonic import ENIR
from calib.methods.platt import PlattScaling
from calib.methods.quadratic import QuadraticLogit
from calib.methods.spline import SplineCalibrator
from calib.methods.stacking import StackedCalibrator
from calib.methods.temperature import TemperatureScaling
from calib.methods.venn_abers import VennAbers


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
