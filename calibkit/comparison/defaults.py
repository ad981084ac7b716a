"""The calibrators that are compared unless others are named: ``calib fit`` offers each of them."""

from typing import Any, NamedTuple

from calib.methods.bayesian_binning import BBQ
from calib.methods.beta import BetaCalibration
from calib.methods.histogram_binning import HistogramBinning
from calib.methods.isotonic_regression import IsotonicCalibrator
from calib.methods.near_isotonic import ENIR
from calib.methods.platt import PlattScaling
from calib.methods.quadratic import QuadraticLogit
from calib.methods.spline import SplineCalibrator
from calib.methods.stacking import StackedCalibrator
from calib.methods.temperature import TemperatureScaling
from calib.methods.venn_abers import VennAbers
from calibkit.comparison.guide import DEFAULT_NAME
from calibkit.comparison.offset import Offset


class Default(NamedTuple):
    """A calibrator that is compared unless others are named.

    Attributes
    ----------
    name : str
    calibrator : Calibrator
    fit : str
        The words that choose it on the command line, after ``calib fit --method``.
    """

    name: str
    calibrator: Any
    fit: str


# Calibrators that need scores in [0, 1] are left out for margins.
DEFAULTS = [
    Default(DEFAULT_NAME, StackedCalibrator(), "stacked"),
    Default("Offset", Offset(), "offset"),
    Default("Platt", PlattScaling(), "platt"),
    Default("Platt on logits", PlattScaling(scale="logit"), "platt --parameter scale=logit"),
    Default("Temperature", TemperatureScaling(), "temperature"),
    Default("Beta", BetaCalibration(), "beta"),
    Default("Quadratic", QuadraticLogit(), "quadratic"),
    Default("Spline", SplineCalibrator(), "spline"),
    Default("Histogram", HistogramBinning(), "histogram"),
    Default("Isotonic", IsotonicCalibrator(), "isotonic"),
    Default("Venn-Abers", VennAbers(), "venn_abers"),
    Default("BBQ", BBQ(), "bbq"),
    Default("ENIR", ENIR(), "enir"),
]


def fitting(defaults: list[Default], is_probability: bool) -> list[Default]:
    """The defaults that take probabilities, or the defaults that take margins."""
    return [default for default in defaults if is_probability or not default.calibrator.unit_scores]


def is_the_default(calibrator: Any) -> bool:
    """Whether a calibrator is the one that every interface takes unless another is named."""
    return isinstance(calibrator, StackedCalibrator) and calibrator.get_params(
        deep=False
    ) == StackedCalibrator().get_params(deep=False)
