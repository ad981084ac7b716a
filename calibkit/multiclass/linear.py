"""Temperature and vector scaling, Dirichlet calibration: linear in the log-probabilities."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from calib.base.failures import warn
from calib.base.options import check_choice, check_not_below_zero
from calib.base.probabilities import log_probabilities, rescaled
from calib.methods.logistic_fit import GUIDE_STRIDE, MIN_SCORE_RADIUS, NEGLIGIBLE_LOSS
from calibkit.multiclass.base import MulticlassCalibrator
from calibkit.multiclass.regression import (
    MIN_LOGITS_WITH_GUIDE,
    AllFeatures,
    OwnFeature,
    least_loss,
)
from calibkit.multiclass.softmax_kernels import gaps_below_largest, slope_derivatives

NEGLIGIBLE_STEP = 1e-8  # fraction of the factor, below which rounding hides the next Newton step
MAX_FACTOR = np.finfo(np.float64).max / 2  # factor of the logits whose double is a float


class TemperatureScaling(MulticlassCalibrator):
    r"""Divide the logits by a temperature, found by maximum likelihood.

    .. math::
        f_j(p) = \frac{p_j^{1/T}}{\sum_m p_m^{1/T}} , \quad T > 0 ,

    which is the softmax of :math:`\log p_j / T`. A constant that is added to a row of logits
    changes nothing, so logits of a network and logarithms of its probabilities have the same T.

    Parameters
    ----------
    scale : {"logit", "score"}, default="logit"
        The numbers to divide: logarithms of probabilities, kept at or above 2**-53 first; or the
        scores themselves, such as the logits of a network, which no rounding to 0 has cut off.

    Attributes
    ----------
    temperature_ : float
        T, in (0, inf], above 1 where the scores are over-confident, below 1 where they are
        under-confident.
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
    The log loss is convex in 1/T, which is 0 or more. Its slope has one zero, or none:

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
    >>> from calibkit.multiclass import TemperatureScaling
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
        """Whether rows must be probabilities, because their logarithms are taken."""
        check_choice(self.scale, ["logit", "score"], "scale")
        return self.scale == "logit"

    def _fit(self, probabilities, labels, weights):
        fit = likeliest_factor(self._values(probabilities), labels, weights)
        self.n_iter_ = fit.n_steps
        if fit.certain:
            warn(
                "the labelled class has the largest score in every row: the likelihood has no "
                "maximum, and the fit ends where it gains nothing more, with probabilities as good "
                "as 0 and 1; collect more calibration data",
                ConvergenceWarning,
            )
        self._slope = fit.factor
        with np.errstate(over="ignore", divide="ignore"):
            self.temperature_ = float(1 / np.float64(fit.factor))

    def _predict_proba(self, probabilities):
        values = self._values(probabilities) / 2
        values -= values.max(axis=1, keepdims=True)
        with np.errstate(over="ignore"):  # a value that overflows gets probability 0
            values *= 2 * self._slope
        np.exp(values, out=values)
        values /= values.sum(axis=1, keepdims=True)
        return values

    def _values(self, scores):
        """Return the logarithms or the scores, whichever are divided."""
        return log_probabilities(scores) if self.unit_scores else scores


class FactorFit(NamedTuple):
    """A factor of largest likelihood, and how it was found."""

    factor: float
    n_steps: int
    certain: bool  # True if a larger factor raises the loss of no row


def likeliest_factor(scores, labels, weights) -> FactorFit:
    """The factor of scores, 0 or more, whose softmax has the largest likelihood."""
    gaps, missed = gaps_below_largest(scores, labels)
    ratios = np.ones(labels.size) if weights is None else rescaled(weights)
    radius = gaps.max()
    if radius < MIN_SCORE_RADIUS:
        return FactorFit(factor=0.0, n_steps=1, certain=False)
    gaps /= radius
    missed /= radius
    # with factor 1, unless nearly all rows are then certain
    scaled, n_steps = _least(gaps, missed, ratios, start=2 * min(radius, 20.0))
    with np.errstate(over="ignore"):
        factor = float(min(scaled / radius / 2, MAX_FACTOR))
    return FactorFit(factor=factor, n_steps=n_steps, certain=factor > 0 and not missed.any())


def _least(gaps, missed, weights, start):
    """Where the loss of `slope_derivatives` is least, and how often all rows were read.

    The search begins at `start`; with many rows, at the optimum of a part of them.
    """
    if weights @ (missed - gaps.sum(axis=1) / (1 + gaps.shape[1])) >= 0:  # slope of the loss at 0
        return 0.0, 1
    if gaps.size >= MIN_LOGITS_WITH_GUIDE and missed.size > GUIDE_STRIDE:
        part = slice(None, None, GUIDE_STRIDE)
        guide, _ = _least(gaps[part].copy(), missed[part].copy(), weights[part].copy(), start)
        start = guide or start
    enough = NEGLIGIBLE_LOSS * weights.sum()
    bracket = _Bracket()
    place = start
    gradient_before = np.inf
    n_steps = 1
    while bracket.low < place < bracket.high:  # else the numbers are at their end
        n_steps += 1
        loss, gradient, curvature = slope_derivatives(gaps, missed, weights, place)
        if gradient == 0 or loss <= enough:
            break
        if gradient < 0:
            bracket.low = place
        else:
            bracket.high = place
        is_slow = abs(gradient) > gradient_before / 4
        gradient_before = abs(gradient)
        with np.errstate(all="ignore"):  # without curvature the step is without bound
            step = float(np.float64(-gradient) / curvature)
        if abs(step) <= NEGLIGIBLE_STEP * place:
            place += step
            break
        if bracket.low < place + step < bracket.high and not is_slow:
            place += step
        else:
            place = bracket.cut()
    return place, n_steps


class _Bracket:
    """Bounds of the optimum, in (0, inf)."""

    def __init__(self):
        self.low = 0.0
        self.high = np.inf
        self.stride = 4.0  # factor by which a bound is passed, as long as the other is unknown

    def cut(self):
        """Halve the logarithmic distance of the bounds, or go beyond the only one there is."""
        if self.low > 0 and self.high < np.inf:
            return float(np.sqrt(self.low) * np.sqrt(self.high))
        self.stride *= self.stride
        return min(self.low * self.stride, MAX_FACTOR) if self.low > 0 else self.high / self.stride


class LinearCalibrator(MulticlassCalibrator):
    """Base class of log-odds that are linear in log-probabilities, by penalised likelihood.

    A subclass has ``_design(logarithms)``, which log-probabilities each class depends on;
    ``_penalties()`` of the coefficients; and ``_start(slope)``, the coefficients that multiply all
    log-probabilities by one factor.
    """

    def _fit(self, probabilities, labels, weights):
        penalties = self._penalties()
        logarithms = log_probabilities(probabilities)
        factor = likeliest_factor(logarithms, labels, weights).factor
        start = self._start(min(factor, 1.0))
        weights = np.ones(labels.size) if weights is None else weights
        fit = least_loss(self._design(logarithms), labels, weights, penalties, start)
        fit.check()
        self.n_iter_ = fit.n_steps
        self._coefficients = fit.coefficients
        self._coefficients[:, -1] -= self._coefficients[:, -1].mean()

    def _predict_proba(self, probabilities):
        logits = self._design(log_probabilities(probabilities)).logits(self._coefficients)
        return softmax(logits, axis=1)

    @property
    def intercept_(self) -> NDArray[np.float64]:
        """Offsets b, with the sum 0."""
        check_is_fitted(self)
        return self._coefficients[:, -1]


class VectorScaling(LinearCalibrator):
    r"""A factor and an offset for the log-probability of each class, by maximum likelihood.

    .. math:: f_j(p) \propto \exp(w_j \log p_j + b_j)

    Attributes
    ----------
    slope_ : ndarray of shape (k,)
        w.
    intercept_ : ndarray of shape (k,)
        b, with the sum 0: only differences count.
    n_iter_ : int
        Newton steps taken over all rows.

    Warns
    -----
    ConvergenceWarning
        If the likelihood has no maximum, because a class is absent from `labels`, or separated from
        the others.

    Notes
    -----
    Probabilities are kept at or above 2**-53 first. Guo et al. scale the logits of a network. These
    logits are :math:`\log p_j` plus a constant for each row. The constant cannot be computed from
    the probabilities, and it does not cancel if the factors of the classes differ. So the maps of
    Guo et al. are another family. The identity is w = 1 and b = 0. One w for all and b = 0 is
    `TemperatureScaling`. With two classes it is `calib.BetaCalibration`, whose a and b may be
    negative here.

    The fit is Newton's method with step halving. Conjugate gradients find each step, and each of
    their products takes O(n k). A fit takes some dozens of products in all. The memory is O(n k).
    Where classes are separated, it ends when the fit gains nothing more.

    References
    ----------
    Guo, Pleiss, Sun and Weinberger (2017).

    Examples
    --------
    >>> from calibkit.multiclass import VectorScaling
    >>> rows = [[0.8, 0.1, 0.1], [0.2, 0.6, 0.2], [0.1, 0.3, 0.6]] * 4
    >>> labels = [0, 1, 2, 0, 1, 1, 1, 2, 2, 2, 0, 1]
    >>> calibrator = VectorScaling().fit(rows, labels)
    >>> calibrator.predict_proba(rows[:1]).round(3)
    array([[0.534, 0.265, 0.201]])
    """

    def _design(self, logarithms):
        return OwnFeature(logarithms)

    def _start(self, slope):
        k = self.classes_.size
        return np.column_stack([np.full(k, slope), np.zeros(k)])

    def _penalties(self):
        return np.zeros((self.classes_.size, 2))

    @property
    def slope_(self) -> NDArray[np.float64]:
        """Factors w."""
        check_is_fitted(self)
        return self._coefficients[:, 0]


class DirichletCalibration(LinearCalibrator):
    r"""Log-probabilities times a matrix, by penalised likelihood.

    .. math:: f_j(p) \propto \exp\Big(\sum_m W_{jm} \log p_m + b_j\Big)

    This is Bayes' rule where p has a Dirichlet distribution in each class. W and b minimise

    .. math::
        \sum_i w_i \log\frac{1}{f_{y_i}(p_i)}
        + \frac{\lambda}{2} \sum_{j \ne m} W_{jm}^2 + \frac{\mu}{2} \sum_j b_j^2 ,

    The two penalties are the off-diagonal and intercept regularisation (ODIR). All coefficients
    except the diagonal of W are shrunk. With few rows, little more than a factor for each class is
    learned.

    Parameters
    ----------
    off_diagonal_penalty : float, default=100.0
        :math:`\lambda`, 0 or more: W off the diagonal is as under a normal prior with standard
        deviation :math:`\lambda^{-1/2}`.
    intercept_penalty : float, default=10.0
        :math:`\mu`, 0 or more, for b.

    Attributes
    ----------
    coef_ : ndarray of shape (k, k)
        W; a row for each calibrated class.
    intercept_ : ndarray of shape (k,)
        b, with the sum 0: only differences count. Without a penalty, only the differences of the
        rows of W matter as well.
    n_iter_ : int
        Newton steps taken over all rows.

    Raises
    ------
    ValueError
        If a penalty is negative or no number (when `fit` is called).

    Warns
    -----
    ConvergenceWarning
        If the likelihood has no maximum. This happens if a class is absent from `labels`, or if the
        probability of a class separates it from the others. The factor of this probability has no
        penalty, because it lies on the diagonal of W.

    Notes
    -----
    Probabilities are kept at or above 2**-53 first. There are k (k + 1) coefficients: take few
    classes or many rows, or choose the penalties by cross-validation, as the authors do. They
    divide the loss by N and the sums by k (k - 1) and k, so that their penalties are
    :math:`\lambda k (k - 1) / (2 N)` and :math:`\mu k / (2 N)`. Probabilities of exactly 0, as
    forests give, are far out in logarithms. `TemperatureScaling` is often better with these.

    Without penalties it is the matrix scaling of Guo et al., on log-probabilities in the place of
    logits. With two classes it is then `calib.BetaCalibration` without its constraint that a and b
    are not negative. The identity is W = 1 and b = 0.

    The fit is Newton's method with step halving. Conjugate gradients find each step, and each of
    their products takes O(n k^2). With many classes a fit takes some hundreds of products in all.
    The memory is O(n k + k^3).

    References
    ----------
    Kull, Perello-Nieto, Kaengsepp, Silva Filho, Song and Flach (2019).

    Examples
    --------
    >>> from calibkit.multiclass import DirichletCalibration
    >>> rows = [[0.8, 0.1, 0.1], [0.2, 0.6, 0.2], [0.1, 0.3, 0.6]] * 4
    >>> labels = [0, 1, 2, 0, 1, 1, 1, 2, 2, 2, 0, 1]
    >>> calibrator = DirichletCalibration().fit(rows, labels)
    >>> calibrator.predict_proba(rows[:1]).round(3)
    array([[0.512, 0.278, 0.211]])
    """

    def __init__(self, *, off_diagonal_penalty: float = 100.0, intercept_penalty: float = 10.0):
        self.off_diagonal_penalty = off_diagonal_penalty
        self.intercept_penalty = intercept_penalty

    def _design(self, logarithms):
        return AllFeatures(np.column_stack([logarithms, np.ones(len(logarithms))]))

    def _start(self, slope):
        k = self.classes_.size
        return np.column_stack([slope * np.eye(k), np.zeros(k)])

    def _penalties(self):
        check_not_below_zero(self.off_diagonal_penalty, "off_diagonal_penalty")
        check_not_below_zero(self.intercept_penalty, "intercept_penalty")
        k = self.classes_.size
        off = self.off_diagonal_penalty * (1 - np.eye(k))
        return np.column_stack([off, np.full(k, self.intercept_penalty)])

    @property
    def coef_(self) -> NDArray[np.float64]:
        """Matrix W, a row for each calibrated class."""
        check_is_fitted(self)
        return self._coefficients[:, :-1]
