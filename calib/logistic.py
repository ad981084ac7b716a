"""The logistic family: log-odds that are a formula in the logit of the score."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from calib.base import Calibrator
from calib.kernels.logistic import derivatives, fit_logistic
from calib.maps import BetaMap, LogitPolynomialMap, SigmoidMap
from calib.validation import check_choice, inside, log_odds, rescaled, warn

SMALLEST_RADIUS = 1e-290  # of the scores: no finite slope would tell closer ones apart
LARGEST = np.finfo(np.float64).max
CERTAIN = 2.0**-53  # a mean log loss that rounding cannot tell from 0
NO_MISSES = (0.0, 0.0)  # the targets are the labels
MANY = 100_000  # rows, so that a sixteenth of them is a good guide


class LogisticCalibrator(Calibrator):
    """Base class of the calibrators whose log-odds are known: `map_` has them in `logits`."""

    def predict_logit(self, scores: ArrayLike) -> NDArray[np.float64]:
        """Log-odds of the calibrated probabilities, of shape (n,); none is cut off."""
        check_is_fitted(self)
        return self.map_.logits(self._check_scores(scores, allow_empty=True))


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


class TemperatureScaling(ScalingCalibrator):
    r"""Divide the logits by a temperature, found by maximum likelihood.

    .. math::
        \begin{aligned}
        f(s) &= \frac{1}{1 + \exp(-\ell / T)} , \quad T > 0 , \\
        \ell &= \log \frac{s}{1 - s} .
        \end{aligned}

    Parameters
    ----------
    scale : {"logit", "score"}, default="logit"
        What is divided: logits of scores that are probabilities, kept within
        [2**-53, 1 - 2**-53] first; or the scores themselves, where they are margins.

    Attributes
    ----------
    temperature_ : float
        T, in (0, inf]: above 1 where the scores are too sure, below 1 where they are too cautious.
    map_ : LogitPolynomialMap or SigmoidMap
        The map, for shipping.
    n_iter_ : int
        Newton steps taken over all rows.

    Raises
    ------
    ValueError
        If `scale` is neither of the two, or if scores leave [0, 1] and their logits are wanted
        (when `fit` is called).

    Warns
    -----
    ConvergenceWarning
        If no score is on the wrong side of 1/2 (margins: of 0), so that the likelihood increases
        for ever as T falls to 0.

    Notes
    -----
    The log loss is convex in 1/T, which is 0 or more:

    * where :math:`\sum_i w_i (2 z_i - 1) \ell_i \le 0`, the scores are on the wrong side at least
      as much as on the right one, the optimum is 1/T = 0, and every probability is 1/2;
    * where no score is on the wrong side, the fit ends when the mean log loss is at most 2**-53:
      every observation is as good as certain, and T is positive, if small;
    * else the optimum is unique.

    Scores of less than 1e-300 of the largest count as 0.

    The map is increasing and leaves 1/2 where it is, so it cannot mend a wrong base rate: with one
    class only, or equal scores, predictions do not cross 1/2 either. `PlattScaling` has an
    intercept. O(N) per step, some ten steps, O(N) memory.

    References
    ----------
    Guo, Pleiss, Sun and Weinberger (2017).

    Examples
    --------
    >>> from calib import TemperatureScaling
    >>> scores = [0.01, 0.01, 0.01, 0.99, 0.99, 0.99]
    >>> calibrator = TemperatureScaling().fit(scores, [0, 0, 1, 0, 1, 1])
    >>> calibrator.predict([0.01, 0.5, 0.99]).round(3)
    array([0.333, 0.5  , 0.667])
    >>> round(calibrator.temperature_, 2)
    6.63
    """

    def __init__(self, *, scale: str = "logit"):
        self.scale = scale

    def _fit(self, scores, labels, weights):
        values = self._values(scores)
        radius = radius_about(0.0, values.min(), values.max())
        fit = likeliest_slope(values / radius, labels, weights)
        self.n_iter_ = fit.n_steps
        if fit.slopes[0] > 0:
            fit.check([1], labels)
        with np.errstate(over="ignore", divide="ignore"):
            slope = float(np.clip(fit.slopes[0] / radius, 0, LARGEST))
            self.temperature_ = float(np.float64(1) / slope)
        self._set_line(slope, 0.0, 0.0)


class BetaCalibration(LogisticCalibrator):
    r"""Bayes' rule for scores with a beta distribution in each class, made increasing.

    .. math::
        \begin{aligned}
        &\log\frac{f(s)}{1 - f(s)} \\
        &\quad = c + a \log s - b \log (1 - s) .
        \end{aligned}

    a and b, neither below 0, and c maximise the likelihood. With a = b = 1 and c = 0 the map is the
    identity, with a = b it is ``PlattScaling(scale="logit")`` without its targets; different a and
    b correct the two ends of the scale by different amounts.

    Attributes
    ----------
    a_, b_, intercept_ : float
        a, b and c.
    map_ : BetaMap
        The map, for shipping.
    n_iter_ : int
        Newton steps taken over all rows, in all fits.

    Warns
    -----
    ConvergenceWarning
        If the map separates the classes, but for ties, so that the likelihood has no maximum.

    Notes
    -----
    Scores are probabilities, kept within [2**-53, 1 - 2**-53] first. The log loss is convex, so if
    the optimum without constraints has a negative a or b, that one is 0 at the constrained one; of
    two negative ones either or both. Where a fit separates the classes, it ends when the mean log
    loss is at most 2**-53: every observation is then as good as certain. So it is with one class
    only. Where all scores are close together, a and b cannot be told apart, and b is 0.

    O(N) per step, some ten steps, O(N) memory.

    References
    ----------
    Kull, Silva Filho and Flach (2017).

    Examples
    --------
    >>> from calib import BetaCalibration
    >>> scores = [0.1, 0.1, 0.1, 0.5, 0.5, 0.9, 0.9]
    >>> calibrator = BetaCalibration().fit(scores, [0, 0, 1, 0, 1, 0, 1])
    >>> calibrator.predict([0.1, 0.5, 0.9]).round(3)
    array([0.339, 0.471, 0.521])
    >>> calibrator.b_  # the scores at the upper end are no better than those in the middle
    0.0
    """

    unit_scores = True

    def _fit(self, scores, labels, weights):
        centre = _middle(inside(scores))
        columns = BetaMap.columns(scores, centre)
        fits = {(0, 1): likeliest(columns, labels, weights)}
        self.n_iter_ = fits[0, 1].n_steps
        negative = np.flatnonzero(fits[0, 1].slopes < 0)
        if negative.size:
            fits = self._fit_edges(columns, labels, weights, negative)
        free = min(fits, key=lambda j: fits[j].loss)
        fits[free].check(np.ptp(columns[list(free)], axis=1), labels)
        slopes = np.zeros(2)
        slopes[list(free)] = fits[free].slopes
        self.a_, self.b_ = slopes.tolist()
        level = float(fits[free].level)
        self.intercept_ = level - self.a_ * np.log(centre) + self.b_ * np.log(1 - centre)
        self.map_ = BetaMap(self.a_, self.b_, level, centre)

    def _fit_edges(self, columns, labels, weights, negative):
        """Fits with one of the `negative` exponents at 0, or with both."""
        fits = {(1 - j,): likeliest(columns[[1 - j]], labels, weights) for j in negative}
        self.n_iter_ += sum(fit.n_steps for fit in fits.values())
        fits = {j: fit for j, fit in fits.items() if fit.slopes[0] >= 0}
        if not fits:
            fits = {(): likeliest(columns[:0], labels, weights)}
            self.n_iter_ += fits[()].n_steps
        return fits


class QuadraticLogit(LogisticCalibrator):
    r"""A parabola in the logits of the scores, by maximum likelihood.

    .. math::
        \begin{aligned}
        \log\frac{f(s)}{1 - f(s)} &= b + w_1 \ell + w_2 \ell^2 , \\
        \ell &= \log\frac{s}{1 - s} .
        \end{aligned}

    Unless :math:`w_2 = 0`, the map is not monotone: beyond the vertex of the parabola, at
    :math:`\ell = -w_1 / (2 w_2)`, it turns back. Where the vertex is among the scores, it changes
    their order.

    Attributes
    ----------
    coefficients_ : ndarray of shape (3,)
        b, w_1 and w_2.
    map_ : LogitPolynomialMap
        The map, for shipping, in powers of l minus a central l, which are more accurate.
    n_iter_ : int
        Newton steps taken over all rows.

    Warns
    -----
    ConvergenceWarning
        If a parabola separates the classes, but for ties, so that the likelihood has no maximum.

    Notes
    -----
    Scores are probabilities, kept within [2**-53, 1 - 2**-53] first. Where a parabola separates the
    classes, such as positives between two groups of negatives, the fit ends when the mean log loss
    is at most 2**-53: every observation is then as good as certain. So it is with one class only.
    Of two distinct scores, which cannot tell a parabola from a line, w_2 is 0. The identity is
    w_1 = 1 and b = w_2 = 0.

    O(N) per step, some ten steps, O(N) memory.

    References
    ----------
    One of the methods compared by CalArena (2026, arXiv 2605.30188). Cox (1958) has the line.

    Examples
    --------
    >>> from calib import QuadraticLogit
    >>> scores = [0.1, 0.1, 0.1, 0.5, 0.5, 0.5, 0.9, 0.9]
    >>> calibrator = QuadraticLogit().fit(scores, [0, 0, 1, 0, 1, 1, 0, 1])
    >>> calibrator.predict([0.1, 0.5, 0.9]).round(3)
    array([0.333, 0.667, 0.5  ])
    """

    unit_scores = True

    def _fit(self, scores, labels, weights):
        logits = log_odds(scores)
        centre = _middle(logits)
        logits -= centre
        columns = np.stack([logits, logits**2])
        fit = likeliest(columns, labels, weights)
        fit.check(np.ptp(columns, axis=1), labels)
        self.n_iter_ = fit.n_steps
        level, linear, quadratic = fit.level, *fit.slopes
        self.coefficients_ = np.array(
            [
                level - centre * linear + centre**2 * quadratic,
                linear - 2 * centre * quadratic,
                quadratic,
            ]
        )
        self.map_ = LogitPolynomialMap(np.array([level, linear, quadratic]), centre)


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
            warn(
                f"Newton's method did not converge in {self.n_steps} steps: check scores and "
                "sample_weight for values that are far out, or for classes that are all but "
                "separated",
                ConvergenceWarning,
            )
        elif self.moves(reach) and 0 < labels.mean() < 1:
            warn(
                "scores separate the classes, but for near ties: the likelihood has no maximum "
                "within reach, and the fit ends where it gains nothing more, with probabilities "
                "as good as 0 and 1; PlattScaling stays cautious",
                ConvergenceWarning,
            )


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


def likeliest(columns, labels, weights) -> Fit:
    """The logistic regression of largest likelihood on `columns`, of shape (k, n).

    It ends where the mean loss is as good as 0.
    """
    weights = _ratios(weights, labels)
    positive, total = float(weights @ labels), float(weights.sum())
    start = np.zeros(len(columns) + 1)
    if 0 < positive < total:
        start[0] = np.log(positive / (total - positive))
    return fit_columns(columns, labels, weights, NO_MISSES, start, enough=CERTAIN * total)


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


def _middle(values):
    """Median of some ten thousand of `values`: near it, whatever their range, nothing cancels."""
    return float(np.median(values[:: 1 + values.size // 10_000]))


def _ratios(weights, labels):
    """Weights of which only the ratios matter."""
    return np.ones(labels.size) if weights is None else rescaled(weights)
