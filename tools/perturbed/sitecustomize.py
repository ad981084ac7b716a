"""Move what classifiers are trained on, and all scores that calibrators get, by 1e-13 relative.

Python runs this file when it starts with this folder on PYTHONPATH; PERTURBATION in the environment
is the seed. A number that changes under it hangs on last bits, which processors round differently.
Equal numbers stay equal, in training and later: a calibrator that sees a score again must know it.
"""

import functools
import os

import numpy as np
from sklearn.base import ClassifierMixin

import calib.base.calibrator
import calibkit.prediction_intervals.conformal
from calibkit.multiclass import DirichletCalibration, TemperatureScaling, VectorScaling

SIZE = 1e-13
SEED = int(os.environ["PERTURBATION"])
STEP = 0x9E3779B97F4A7C15


def noise(values):
    """A number in [-1, 1) for each of the values, the same for equal ones (SplitMix64)."""
    mixed = values.view(np.uint64) + np.uint64((1 + SEED) * STEP % 2**64)
    mixed = (mixed ^ mixed >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ mixed >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    return (mixed ^ mixed >> np.uint64(31)).astype(float) / 2.0**63 - 1


def perturbed(values):
    """Floating-point numbers moved, probabilities not beyond 1; anything else as it is."""
    if hasattr(values, "select_dtypes"):  # a data frame
        numbers = values.select_dtypes("float64")
        return values.assign(**{name: perturbed(numbers[name].to_numpy()) for name in numbers})
    array = np.asarray(values)
    if array.dtype != np.float64:
        return values
    with np.errstate(over="ignore"):
        moved = array * (1 + SIZE * noise(np.ascontiguousarray(array)))
    moved = np.where(np.isinf(moved), array, moved)  # the largest numbers stay finite
    return np.where(array <= 1, np.minimum(moved, 1), moved)


def on_perturbed(method):
    """`method` with its first argument perturbed."""

    @functools.wraps(method)
    def call(self, values, *arguments, **keywords):
        return method(self, perturbed(values), *arguments, **keywords)

    call.perturbs = True
    return call


def on_perturbed_scores(check):
    """`check` of perturbed scores, but not of arrays of another name, such as outcomes."""

    def call(values, **keywords):
        return check(values if "name" in keywords else perturbed(values), **keywords)

    return call


def wrap_fit(cls, **keywords):
    """Called for each new class of classifiers, before any is trained."""
    super(ClassifierMixin, cls).__init_subclass__(**keywords)
    fit = getattr(cls, "fit", None)
    if fit is not None and not hasattr(fit, "perturbs"):
        cls.fit = on_perturbed(fit)


ClassifierMixin.__init_subclass__ = classmethod(wrap_fit)
from calib import HeterogeneousCalibrator  # noqa: E402  it loads classifiers

plain = calib.base.calibrator.ScoreModel._check_scores
calib.base.calibrator.ScoreModel._check_scores = on_perturbed(plain)
HeterogeneousCalibrator._check_scores = plain  # its parts get the scores, and move them
calibkit.prediction_intervals.conformal.check_scores = on_perturbed_scores(
    calibkit.prediction_intervals.conformal.check_scores
)
for cls in [TemperatureScaling, VectorScaling, DirichletCalibration]:  # others ask binary ones
    cls._fit, cls._predict_proba = on_perturbed(cls._fit), on_perturbed(cls._predict_proba)
