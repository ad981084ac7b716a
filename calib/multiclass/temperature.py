"""Temperature scaling of more than two classes."""

from typing import NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from calib.contract.options import check_choice
from calib.contract.validation import log_probabilities, rescaled, warn
from calib.kernels.softmax import gaps_below_largest, slope_derivatives
from calib.logistic.fitting import CERTAIN, SMALLEST_RADIUS
from calib.multiclass.base import MulticlassCalibrator

CLOSE = 1e-8  # share of a Newton step at which the next one would be lost by rounding
MANY = 1_000_000  # scores, so that those of a sixteenth of the rows are a good guide
STEEPEST = np.finfo(np.float64).max / 2


class TemperatureScaling(MulticlassCalibrator):
    r"""Divide the logits by a temperature, found by maximum likelihood.

    .. math::
        f_j(p) = \frac{p_j^{1/T}}{\sum_m p_m^{1/T}} , \quad T > 0 ,

    which is the softmax of :math:`\log p_j / T`. A constant that is added to a row of logits
    changes nothing, so logits of a network and logarithms of its probabilities have the same T.

    Parameters
    ----------
    scale : {"logit", "score"}, default="logit"
        What is divided: logarithms of probabilities, kept at or above 2**-53 first; or the scores
        themselves, such as the logits of a network, which no rounding to 0 has cut off.

    Attributes
    ----------
    temperature_ : float
        T, in (0, inf]: above 1 where the scores are too sure, below 1 where they are too cautious.
    n_iter_ : int
        How often all rows were read to find it.

    Raises
    ------
    ValueError
        If `scale` is neither of the two (when `fit` is called).

    Warns
    -----
    ConvergenceWarning
        If every row's class has the largest score, so that the likelihood increases for ever as T
        falls to 0.

    Notes
    -----
    The log loss is convex in 1/T, which is 0 or more; its slope has one zero, or none:

    * where the labelled classes score at most as much as the mean of their rows, summed over all
      rows, the optimum is 1/T = 0, and all classes are equally likely;
    * where every labelled class has the largest score of its row, the fit ends when the loss is as
      good as at its infimum, and T is positive, if small;
    * else the optimum is finite: Newton's method finds it between two bounds, and halves their
      logarithmic distance where it would leave them or is slow. No input makes it diverge.

    With two classes this is `calib.TemperatureScaling`. It keeps the order of the classes, hence
    the accuracy. O(n k) for each reading of the rows, some five readings, O(n k) memory.

    References
    ----------
    Guo, Pleiss, Sun and Weinberger (2017).

    Examples
    --------
    >>> from calib.multiclass import TemperatureScaling
    >>> rows = [[0.9, 0.05, 0.05]] * 4
    >>> calibrator = TemperatureScaling().fit(rows, [0, 0, 1, 2])
    >>> calibrator.predict_proba([[0.9, 0.05, 0.05], [0.4, 0.4, 0.2]]).round(3)
    array([[0.5  , 0.25 , 0.25 ],
           [0.351, 0.351, 0.297]])
    >>> round(calibrator.temperature_, 2)
    4.17
    """

    def __init__(self, *, scale: str = "logit"):
        self.scale = scale

    @property
    def unit_scores(self) -> bool:
        """Whether rows must be probabilities: where their logarithms are taken."""
        check_choice(self.scale, ["logit", "score"], "scale")
        return self.scale == "logit"

    def _fit(self, probabilities, labels, weights):
        fit = likeliest_slope(self._values(probabilities), labels, weights)
        self.n_iter_ = fit.n_steps
        if fit.certain:
            warn(
                "the labelled class has the largest score in every row: the likelihood has no "
                "maximum, and the fit ends where it gains nothing more, with probabilities as good "
                "as 0 and 1; collect more calibration data",
                ConvergenceWarning,
            )
        self._slope = fit.slope
        with np.errstate(over="ignore", divide="ignore"):
            self.temperature_ = float(1 / np.float64(fit.slope))

    def _predict_proba(self, probabilities):
        values = self._values(probabilities) / 2
        values -= values.max(axis=1, keepdims=True)
        with np.errstate(over="ignore"):  # of what gets probability 0
            values *= 2 * self._slope
        np.exp(values, out=values)
        values /= values.sum(axis=1, keepdims=True)
        return values

    def _values(self, scores):
        """What is divided."""
        return log_probabilities(scores) if self.unit_scores else scores


class Slope(NamedTuple):
    """A factor of largest likelihood, and how it was found."""

    slope: float
    n_steps: int
    certain: bool  # no row is against a larger factor


def likeliest_slope(scores, labels, weights) -> Slope:
    """The factor of scores, 0 or more, whose softmax has the largest likelihood."""
    gaps, missed = gaps_below_largest(scores, labels)
    weights = np.ones(labels.size) if weights is None else rescaled(weights)
    radius = gaps.max()
    if radius < SMALLEST_RADIUS:
        return Slope(0.0, 1, False)
    gaps /= radius
    missed /= radius
    # with factor 1, unless nearly all rows are then certain
    slope, n_steps = _least(gaps, missed, weights, start=2 * min(radius, 20.0))
    with np.errstate(over="ignore"):
        slope = float(min(slope / radius / 2, STEEPEST))
    return Slope(slope, n_steps, slope > 0 and not missed.any())


def _least(gaps, missed, weights, start):
    """Where the loss of `slope_derivatives` is least, and how often all rows were read.

    The search is between bounds, from `start` on; with many rows, from the optimum of some.
    """
    if weights @ (missed - gaps.sum(axis=1) / (1 + gaps.shape[1])) >= 0:  # slope of the loss at 0
        return 0.0, 1
    if gaps.size >= MANY and missed.size > 16:
        some = _least(gaps[::16].copy(), missed[::16].copy(), weights[::16].copy(), start)[0]
        start = some or start
    enough = CERTAIN * weights.sum()
    low, high, place, before, stride = 0.0, np.inf, start, np.inf, 4.0
    n_steps = 1
    while low < place < high:  # else the numbers are at their end
        n_steps += 1
        loss, gradient, curvature = slope_derivatives(gaps, missed, weights, place)
        if gradient == 0 or loss <= enough:
            break
        low, high = (place, high) if gradient < 0 else (low, place)
        slow, before = abs(gradient) > before / 4, abs(gradient)
        with np.errstate(all="ignore"):  # without curvature the step is without bound
            step = float(np.float64(-gradient) / curvature)
        if abs(step) <= CLOSE * place:
            place += step
            break
        if low < place + step < high and not slow:
            place += step
        elif low > 0 and high < np.inf:
            place = float(np.sqrt(low) * np.sqrt(high))
        else:
            stride *= stride
            place = min(low * stride, STEEPEST) if low > 0 else high / stride
    return place, n_steps
