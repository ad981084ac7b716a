"""The calibrators that are compared unless others are named."""

from typing import Any, NamedTuple

import numpy as np

from calib.bayesian_binning import BBQ
from calib.dirichlet_process import DirichletProcessCalibrator
from calib.histogram import HistogramBinning
from calib.isotonic import IsotonicCalibrator
from calib.kernel_density import KernelCalibrator
from calib.logistic import BetaCalibration, QuadraticLogit, TemperatureScaling
from calib.near_isotonic import ENIR
from calib.platt import PlattScaling
from calib.venn_abers import VennAbers


class Default(NamedTuple):
    """A calibrator that is compared unless others are named.

    Attributes
    ----------
    name : str
    calibrator : Calibrator
    most : float
        Rows above which it is left out for the time it takes.
    """

    name: str
    calibrator: Any
    most: float = np.inf


# Those that ask for scores in [0, 1] are left out for margins.
DEFAULTS = [
    Default("Platt", PlattScaling()),
    Default("Platt on logits", PlattScaling(scale="logit")),
    Default("Temperature", TemperatureScaling()),
    Default("Beta", BetaCalibration()),
    Default("Quadratic", QuadraticLogit()),
    Default("Histogram", HistogramBinning()),
    Default("Isotonic", IsotonicCalibrator()),
    Default("Venn-Abers", VennAbers()),
    Default("KDE", KernelCalibrator()),
    Default("BBQ", BBQ()),
    Default("ENIR", ENIR()),
    Default("DPM", DirichletProcessCalibrator(), most=5_000),
]


def fitting(defaults: list[Default], is_probability: bool) -> list[Default]:
    """Those that take probabilities, or those that take margins."""
    return [d for d in defaults if is_probability or not d.calibrator.unit_scores]
