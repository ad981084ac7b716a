"""What the logistic family shares: regressions of largest likelihood, and known log-odds."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit
from sklearn.exceptions import ConvergenceWarning

from calib.contract.calibrator import Calibrator
from calib.contract.options import check_choice
from calib.contract.validation import log_odds, rescaled, warn
from calib.kernels.logistic import derivatives, fit_logistic
from calib.maps.forms import LogitPolynomialMap, SigmoidMap

SMALLEST_RADIUS = 1e-290  # of the scores: no finite slope would tell closer ones apart
LARGEST = np.finfo(np.float64).max
CERTAIN = 2.0**-53  # a mean log loss that rounding cannot tell from 0
NO_MISSES = (0.0, 0.0)  # the targets are the labels
MANY = 100_000  # rows, so that a sixteenth of them is a good guide


class LogisticCalibrator(Calibrator):
    """Base class of the calibrators whose log-odds are known: `map_` has them in `logits`."""

    def _predict_logit(self, scores):
        return self.map_.logits(scores)


class ScalingCalibrator(LogisticCalibrator):
    """Base class of those that scale the score or its logit, as their parameter `scale` says."""

    @property
    def unit_scores(self) -> bool:
        """Whether scores must lie in [0, 1]: where their logits are taken."""
        check_choice(self.scale, ["score", "logit"], "scale")
        return self.scale == "logit"

    def _values(self, scores):
        """What is scaled."""
        return log_odds(scores) if self.unit_scores else scores

    def _set_line(self, slope, level, centre):
        """Set `map_` to the line through (centre, level) on the chosen scale."""
        level, centre = float(level), float(centre)
        if self.unit_scores:
            self.map_ = LogitPolynomialMap(np.array([level, slope]), centre)
        else:
            self.map_ = SigmoidMap(slope, level - slope * centre)


class Fit(NamedTuple):
    """A logistic regression of largest likelihood, and how it was found."""

    level: float
    slopes: NDArray[np.float64]
    loss: float
    last: NDArray[np.float64]  # step of level and slopes
    n_steps: int
    converged: bool

    def moves(self, reach: ArrayLike) -> bool:
        """Whether the last step was no small one: then the fit was not near an optimum."""
        reach = np.append(1, reach)
        change, size = np.abs(self.last) @ reach, np.abs(np.append(self.level, self.slopes)) @ reach
        return change > max(0.5, 1e-4 * size)  # a point that becomes certain moves by 1 a step

    def check(self, reach: ArrayLike, labels: NDArray[np.uint8]) -> None:
        """Warn unless this is a finite maximum of the likelihood.

        `reach` bounds what level and slopes are the factors of. One class has been warned of.
        """
        if not self.converged:
            what = "scores and sample_weight for values that are far out, or for classes that are"
            warn_unconverged(self.n_steps, f"{what} all but separated")
        elif self.moves(reach) and 0 < labels.mean() < 1:
            warn(
                "scores separate the classes, but for near ties: the likelihood has no maximum "
                "within reach, and the fit ends where it gains nothing more, with probabilities "
                "as good as 0 and 1; PlattScaling stays cautious",
                ConvergenceWarning,
            )


def warn_unconverged(n_steps, what):
    """Warn that the last of so many steps was no small one, and say `what` is to be looked at."""
    message = f"Newton's method did not converge in {n_steps} steps: check {what}"
    warn(message, ConvergenceWarning)


def radius_about(centre, lowest, highest):
    """Distance of the extremes from the centre; infinite where they are as good as equal."""
    radius = max(highest - centre, centre - lowest)
    return np.inf if radius < SMALLEST_RADIUS else radius


def fit_columns(columns, labels, weights, misses, start, free_level=True, enough=0.0) -> Fit:
    """`fit_logistic`; with many rows, from the optimum of some of them, if they have one."""
    begin = None
    if labels.size >= MANY:
        some = columns[:, ::16].copy(), labels[::16].copy(), weights[::16].copy()
        fit = fit_columns(*some, misses, start, free_level, enough / 16)
        if fit.converged and not fit.moves(np.ptp(some[0], axis=1)):
            centres = centres_of(fit, *some) if free_level else np.zeros(len(columns))
            place = fit.slopes, fit.level + fit.slopes @ centres, centres
            state = derivatives(columns, labels, weights, misses, *place)
            # some rows may be a bad guide to the others, such as those on a smaller scale
            if state[0] <= np.log(2) * weights.sum():
                begin = (*place, state)
    return Fit(*fit_logistic(columns, labels, weights, misses, start, free_level, enough, begin))


def centres_of(fit, columns, labels, weights):
    """Means of the columns by curvature: about them the level does not interact with the slopes."""
    p = expit(fit.level + fit.slopes @ columns)
    curvature = weights * p * (1 - p)
    return columns @ curvature / curvature.sum()


def likeliest(columns, labels, weights, misses=NO_MISSES) -> Fit:
    """The logistic regression of largest likelihood on `columns`, of shape (k, n).

    It ends where the mean loss is as good as 0. `misses` are what the targets of negatives and
    positives leave to the other class.
    """
    weights = _ratios(weights, labels)
    positive, total = float(weights @ labels), float(weights.sum())
    start = np.zeros(len(columns) + 1)
    if 0 < positive < total:
        start[0] = np.log(positive / (total - positive))
    return fit_columns(columns, labels, weights, misses, start, enough=CERTAIN * total)


def likeliest_slope(values, labels, weights) -> Fit:
    """The logistic regression of largest likelihood on `values` in [-1, 1], without a level."""
    weights = _ratios(weights, labels)
    enough = CERTAIN * weights.sum()

    def fit(unit, slope):
        column, start = unit * values[np.newaxis], np.array([0.0, slope])
        found = fit_columns(column, labels, weights, NO_MISSES, start, False, enough)
        with np.errstate(over="ignore"):  # of a slope without bound
            return found._replace(slopes=unit * found.slopes, last=unit * found.last)

    found = fit(1.0, 0.0)
    if found.slopes[0] <= 0 or not found.moves([1]):
        return found
    # Values far out are certain, and Newton's method has seen no others. It finds the best slope
    # from the largest power of two at which the loss still falls, and in units of it.
    sample = values[np.newaxis], labels, weights, NO_MISSES
    low, high = 0, 1023
    while high - low > 1:
        middle = (low + high) // 2
        loss, gradient, _ = derivatives(*sample, np.array([2.0**middle]), 0.0, np.zeros(1))
        if gradient[1] < 0 and loss > enough:
            low = middle
        else:
            high = middle
    return fit(2.0**low, 1.0)


def middle(values):
    """Median of some ten thousand of `values`: near it, whatever their range, nothing cancels."""
    return float(np.median(values[:: 1 + values.size // 10_000]))


def _ratios(weights, labels):
    """Weights of which only the ratios matter."""
    return np.ones(labels.size) if weights is None else rescaled(weights)
