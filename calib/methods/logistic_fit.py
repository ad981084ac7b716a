"""Regressions of largest likelihood and base classes that the logistic calibrators share."""

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit
from sklearn.exceptions import ConvergenceWarning

from calib.base.calibrator import Calibrator
from calib.base.failures import warn
from calib.base.maps import LogitPolynomialMap, SigmoidMap
from calib.base.options import check_choice
from calib.base.probabilities import log_odds, rescaled
from calib.kernels.logistic import CrossEntropy, LogisticFit

MIN_SCORE_RADIUS = 1e-290  # half the range of the scores: no finite slope tells closer ones apart
MAX_FLOAT = np.finfo(np.float64).max  # the largest float
NEGLIGIBLE_LOSS = 2.0**-53  # mean log loss that rounding cannot tell from 0
NO_MISSES = (0.0, 0.0)  # misses of targets that are the labels
MIN_ROWS_WITH_GUIDE = 100_000  # rows, of which a part is a good guide to the optimum
GUIDE_STRIDE = 16  # rows, of which one belongs to that part
MAX_BINARY_EXPONENT = 1023  # exponent of the largest power of two that is a float


class LogisticCalibrator(Calibrator):
    """Base class of the calibrators whose log-odds are known: `map_` has them in `logits`."""

    def _predict_logit(self, scores):
        return self.map_.logits(scores)


class ScalingCalibrator(LogisticCalibrator):
    """Base class of calibrators that scale the score or its logit: the parameter `scale`."""

    @property
    def unit_scores(self) -> bool:
        """Whether scores must lie in [0, 1]: where their logits are taken."""
        check_choice(self.scale, ["score", "logit"], "scale")
        return self.scale == "logit"

    def _values(self, scores):
        """Return the logits or the scores, whichever are scaled."""
        return log_odds(scores) if self.unit_scores else scores

    def _set_line(self, slope, level, centre):
        """Set `map_` to the line through (centre, level) on the chosen scale."""
        if self.unit_scores:
            self.map_ = LogitPolynomialMap(np.array([float(level), slope]), float(centre))
        else:
            self.map_ = SigmoidMap(slope, float(level) - slope * float(centre))


def check_fit(fit: LogisticFit, reach: ArrayLike, labels: NDArray[np.uint8]) -> None:
    """Warn unless the fit is a finite maximum of the likelihood.

    `reach` bounds the values that the slopes multiply. If there is one class only, another warning
    has said so.
    """
    if not fit.converged:
        what = "scores and sample_weight for values that are far out, or for classes that are"
        warn_unconverged(fit.n_steps, f"{what} all but separated")
    elif fit.moves(reach) and 0 < labels.mean() < 1:
        warn(
            "scores separate the classes, but for near ties: the likelihood has no maximum "
            "within reach, and the fit ends where it gains nothing more, with probabilities "
            "as good as 0 and 1; PlattScaling stays cautious",
            ConvergenceWarning,
        )


def warn_unconverged(n_steps, what):
    """Warn that Newton's method has not converged, and that `what` should be checked."""
    message = f"Newton's method did not converge in {n_steps} steps: check {what}"
    warn(message, ConvergenceWarning)


def radius_about(centre, lowest, highest):
    """Distance of the extremes from the centre. Infinite where they are as good as equal."""
    radius = max(highest - centre, centre - lowest)
    if radius >= MIN_SCORE_RADIUS:
        return radius
    if lowest < highest:
        warn(f"scores that differ by less than {MIN_SCORE_RADIUS} are taken for equal", UserWarning)
    return np.inf


def fit_from(start, loss: CrossEntropy) -> LogisticFit:
    """Minimise the loss from a level and slopes; with many rows, from the optimum of a part."""
    if loss.labels.size < MIN_ROWS_WITH_GUIDE:
        return loss.fit(start)
    return fit_with_guide(start, loss)


def fit_with_guide(start, loss: CrossEntropy) -> LogisticFit:
    """Minimise the loss from the optimum of every sixteenth row, if that is a good guide.

    It is none if the part has no optimum. Neither is it if all rows have a larger loss there than
    with probabilities of 1/2, as where rows of the part are on a smaller scale than the others.
    """
    part = replace(
        loss,
        columns=loss.columns[:, ::GUIDE_STRIDE].copy(),
        labels=loss.labels[::GUIDE_STRIDE].copy(),
        weights=loss.weights[::GUIDE_STRIDE].copy(),
        enough=loss.enough / GUIDE_STRIDE,
    )
    guide = fit_from(start, part)
    if not guide.converged or guide.moves(np.ptp(part.columns, axis=1)):
        return loss.fit(start)
    guided = replace(loss)
    if loss.free_level:
        guided.centres = _centres_at(guide, part)
    point = np.append(guide.level + guide.slopes @ guided.centres, guide.slopes)
    state = guided.state(point)
    if not state.loss <= np.log(2) * loss.weights.sum():
        return loss.fit(start)
    return guided.fit(point, state)


def _centres_at(fit, loss):
    """Means of the columns, weighted by curvature, about which the level is independent."""
    p = expit(fit.level + fit.slopes @ loss.columns)
    curvature = loss.weights * p * (1 - p)
    return loss.columns @ curvature / curvature.sum()


def likeliest(columns, labels, weights, misses=NO_MISSES) -> LogisticFit:
    """The logistic regression of largest likelihood on `columns`, of shape (k, n).

    It ends where the mean loss is as good as 0. `misses` are what the targets of negatives and
    positives leave to the other class.
    """
    ratios = _weight_ratios(weights, labels)
    positive = float(ratios @ labels)
    total = float(ratios.sum())
    start = np.zeros(len(columns) + 1)
    if 0 < positive < total:
        start[0] = np.log(positive / (total - positive))
    loss = CrossEntropy(
        columns=columns,
        labels=labels,
        weights=ratios,
        misses=misses,
        enough=NEGLIGIBLE_LOSS * total,
    )
    return fit_from(start, loss)


def likeliest_slope(values, labels, weights) -> LogisticFit:
    """The logistic regression of largest likelihood on `values` in [-1, 1], without a level.

    Values far out are certain, and Newton's method may see no others. It then begins anew at a
    slope where others count, and in units of it.
    """
    ratios = _weight_ratios(weights, labels)
    fit = _fit_slope(values, labels, ratios, unit=1.0, start=0.0)
    if fit.slopes[0] <= 0 or not fit.moves([1]):
        return fit
    slope = _steepest_gaining_slope(_slope_loss(values, labels, ratios))
    return _fit_slope(values, labels, ratios, unit=slope, start=1.0)


def _slope_loss(values, labels, weights):
    """The cross entropy without a level, as a function of the slope."""
    return CrossEntropy(
        columns=values[np.newaxis],
        labels=labels,
        weights=weights,
        misses=NO_MISSES,
        free_level=False,
        enough=NEGLIGIBLE_LOSS * weights.sum(),
    )


def _fit_slope(values, labels, weights, unit, start):
    """Minimise the cross entropy in multiples of the slope `unit`, from `start` of them on."""
    loss = _slope_loss(unit * values, labels, weights)
    fit = fit_from(np.array([0.0, start]), loss)
    with np.errstate(over="ignore"):  # a slope may be without bound
        return fit._replace(slopes=unit * fit.slopes, last=unit * fit.last)


def _steepest_gaining_slope(loss: CrossEntropy):
    """Search for the largest power of two, as a slope, from which a steeper one lowers the loss."""
    low = 0
    high = MAX_BINARY_EXPONENT
    while high - low > 1:
        exponent = (low + high) // 2
        state = loss.state(np.array([0.0, 2.0**exponent]))
        if state.gradient[1] < 0 and state.loss > loss.enough:
            low = exponent
        else:
            high = exponent
    return 2.0**low


def middle(values):
    """Median of some ten thousand of `values`: near it, whatever their range, nothing cancels."""
    return float(np.median(values[:: 1 + values.size // 10_000]))


def _weight_ratios(weights, labels):
    """Weights of which only the ratios matter. All 1 if there are none."""
    return np.ones(labels.size) if weights is None else rescaled(weights)
