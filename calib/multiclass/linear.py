"""Vector scaling and Dirichlet calibration: logits that are linear in the log-probabilities."""

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax
from sklearn.utils.validation import check_is_fitted

from calib.contract.options import check_not_below_zero
from calib.contract.validation import log_probabilities
from calib.multiclass.base import MulticlassCalibrator
from calib.multiclass.regression import AllFeatures, OwnFeature, least_loss
from calib.multiclass.temperature import likeliest_slope


class LinearCalibrator(MulticlassCalibrator):
    """Base class: log-odds that are linear in log-probabilities, by penalised likelihood.

    A subclass says which of them with ``_design(logarithms)``, how much coefficients cost with
    ``_penalties()``, and with ``_start(slope)`` which coefficients make one factor of all.
    """

    def _fit(self, probabilities, labels, weights):
        penalties = self._penalties()
        logarithms = log_probabilities(probabilities)
        start = self._start(min(likeliest_slope(logarithms, labels, weights).slope, 1.0))
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
        If the likelihood has no maximum: where a class is absent from `labels`, or separated from
        the others.

    Notes
    -----
    Probabilities are kept at or above 2**-53 first. Guo et al. scale the logits of a network, which
    are :math:`\log p_j` but for a constant in each row. Probabilities do not tell the constant, and
    factors that differ do not cancel it, so theirs is another family. The identity is w = 1 and
    b = 0; one w for all and b = 0 is `TemperatureScaling`. With two classes it is
    `calib.BetaCalibration`, whose a and b may be negative here.

    Newton's method with step halving: O(n k) for each product of conjugate gradients, some dozens
    in all, O(n k) memory. Where classes are separated, it ends when the fit gains nothing more.

    References
    ----------
    Guo, Pleiss, Sun and Weinberger (2017).

    Examples
    --------
    >>> from calib.multiclass import VectorScaling
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

    the off-diagonal and intercept regularisation (ODIR): without data for more, it is a factor for
    each class.

    Parameters
    ----------
    off_diagonal_penalty : float, default=100.0
        :math:`\lambda`, 0 or more: W off the diagonal is as under a normal prior with standard
        deviation :math:`\lambda^{-1/2}`.
    intercept_penalty : float, default=10.0
        :math:`\mu`, 0 or more, likewise for b.

    Attributes
    ----------
    coef_ : ndarray of shape (k, k)
        W; a row for each calibrated class.
    intercept_ : ndarray of shape (k,)
        b, with the sum 0: only differences count. Those of the rows of W are all that counts of
        it, too, if there is no penalty.
    n_iter_ : int
        Newton steps taken over all rows.

    Raises
    ------
    ValueError
        If a penalty is negative or no number (when `fit` is called).

    Warns
    -----
    ConvergenceWarning
        If the likelihood has no maximum: where a class is absent from `labels`, or separated from
        the others by its own probability, whose factor costs nothing.

    Notes
    -----
    Probabilities are kept at or above 2**-53 first. There are k (k + 1) coefficients: take few
    classes or many rows, or choose the penalties by cross-validation, as the authors do; they
    divide the loss by N and the sums by k (k - 1) and k, so that their penalties are
    :math:`\lambda k (k - 1) / (2 N)` and :math:`\mu k / (2 N)`. Probabilities of exactly 0, as
    forests give, are far out in logarithms; `TemperatureScaling` is often better with these.

    Without penalties it is the matrix scaling of Guo et al., on log-probabilities in the place of
    logits; with two classes then `calib.BetaCalibration`, whose a and b may be negative here. The
    identity is W = 1 and b = 0.

    Newton's method with step halving: O(n k^2) for each product of conjugate gradients, some
    hundreds in all where there are many classes; O(n k + k^3) memory.

    References
    ----------
    Kull, Perello-Nieto, Kaengsepp, Silva Filho, Song and Flach (2019).

    Examples
    --------
    >>> from calib.multiclass import DirichletCalibration
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
