"""Vector scaling and Dirichlet calibration: logits that are linear in the log-probabilities."""

import numbers

import numpy as np
from scipy.special import softmax

from calib.multiclass.base import MulticlassCalibrator
from calib.multiclass.regression import AllFeatures, OwnFeature, least_loss
from calib.multiclass.temperature import likeliest_slope
from calib.validation import log_probabilities, rescaled


class LinearCalibrator(MulticlassCalibrator):
    """Base class: a subclass says with `_design` and `_penalties` what is linear in what."""

    def _fit(self, probabilities, labels, weights):
        logarithms = log_probabilities(probabilities)
        start = self._diagonal(min(likeliest_slope(logarithms, labels, weights).slope, 1.0))
        weights = np.ones(labels.size) if weights is None else rescaled(weights)
        fit = least_loss(self._design(logarithms), labels, weights, self._penalties(), start)
        fit.check()
        self.n_iter_ = fit.n_steps
        self._coefficients = fit.coefficients

    def _predict_proba(self, probabilities):
        return softmax(self._design(log_probabilities(probabilities)).logits(self._coefficients), axis=1)


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
        If the likelihood has no maximum, as where a class is absent from `labels`, or separated
        from the others.

    Notes
    -----
    Probabilities are kept at or above 2**-53 first. Guo et al. scale the logits of a network, which
    are :math:`\log p_j` but for a constant in each row; probabilities do not tell it. The identity
    is w = 1 and b = 0; one w for all and b = 0 is `TemperatureScaling`. With two classes it is
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
    """

    def _design(self, logarithms):
        return OwnFeature(logarithms)

    def _diagonal(self, slope):
        return np.column_stack([np.full(self.classes_.size, slope), np.zeros(self.classes_.size)])

    def _penalties(self):
        return np.zeros((self.classes_.size, 2))

    @property
    def slope_(self):
        """Factors."""
        return self._coefficients[:, 0]

    @property
    def intercept_(self):
        """Offsets, with the sum 0."""
        return self._coefficients[:, 1] - self._coefficients[:, 1].mean()


class DirichletCalibration(LinearCalibrator):
    r"""Bayes' rule for probabilities with a Dirichlet distribution in each class, penalised.

    """

    def __init__(self, *, off_diagonal_penalty: float = 1.0, intercept_penalty: float = 1.0):
        self.off_diagonal_penalty = off_diagonal_penalty
        self.intercept_penalty = intercept_penalty

    def _design(self, logarithms):
        return AllFeatures(np.column_stack([logarithms, np.ones(len(logarithms))]))

    def _diagonal(self, slope):
        k = self.classes_.size
        return np.column_stack([slope * np.eye(k), np.zeros(k)])

    def _penalties(self):
        k = self.classes_.size
        off = np.where(np.eye(k) == 1, 0.0, 2 * self.off_diagonal_penalty / (k * (k - 1)))
        return np.column_stack([off, np.full(k, 2 * self.intercept_penalty / k)])

    @property
    def coef_(self):
        """W."""
        return self._coefficients[:, :-1]

    @property
    def intercept_(self):
        """b."""
        return self._coefficients[:, -1] - self._coefficients[:, -1].mean()
