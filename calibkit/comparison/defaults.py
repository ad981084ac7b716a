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
    Default(name=DEFAULT_NAME, calibrator=StackedCalibrator(), fit="stacked"),
    Default(name="Offset", calibrator=Offset(), fit="offset"),
    Default(name="Platt", calibrator=PlattScaling(), fit="platt"),
    Default(
        name="Platt on logits",
        calibrator=PlattScaling(scale="logit"),
        fit="platt --parameter scale=logit",
    ),
    Default(name="Temperature", calibrator=TemperatureScaling(), fit="temperature"),
    Default(name="Beta", calibrator=BetaCalibration(), fit="beta"),
    Default(name="Quadratic", calibrator=QuadraticLogit(), fit="quadratic"),
    Default(name="Spline", calibrator=SplineCalibrator(), fit="spline"),
    Default(name="Histogram", calibrator=HistogramBinning(), fit="histogram"),
    Default(name="Isotonic", calibrator=IsotonicCalibrator(), fit="isotonic"),
    Default(name="Venn-Abers", calibrator=VennAbers(), fit="venn_abers"),
    Default(name="BBQ", calibrator=BBQ(), fit="bbq"),
    Default(name="ENIR", calibrator=ENIR(), fit="enir"),
]


def fitting(defaults: list[Default], is_probability: bool) -> list[Default]:
    """The defaults that take probabilities, or the defaults that take margins."""
    return [default for default in defaults if is_probability or not default.calibrator.unit_scores]


def is_the_default(calibrator: Any) -> bool:
    """Whether a calibrator is the default of every interface."""
    return isinstance(calibrator, StackedCalibrator) and calibrator.get_params(
        deep=False
    ) == StackedCalibrator().get_params(deep=False)
