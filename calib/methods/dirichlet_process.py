"""Calibration by Bayes' rule with Dirichlet-process mixture densities."""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, logit
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from calib.base.arrays import check_countable
from calib.base.calibrator import Calibrator
from calib.base.failures import warn
from calib.base.options import check_integer, check_positive
from calib.kernels.ties import ties
from calib.methods.dirichlet_mixture import fit_mixture, log_density

MAX_DEVIATION = 1e100  # standard deviations, beyond which the squares of queries overflow


class DirichletProcessCalibrator(Calibrator):
    r"""Bayes' rule with a Dirichlet-process mixture of Gaussians for each class.

    .. math:: P(z = 1 \mid y) = \frac{m f_1(y)}{m f_1(y) + n f_0(y)}

    with m positive and n negative observations. Both densities have the prior

    .. math::
        f &= \sum_{t \ge 1} \omega_t \, \mathrm{N}(\mu_t, 1 / \tau_t), \\
        \omega_t &= v_t \prod_{s<t} (1 - v_s), \quad v_t \sim \mathrm{Beta}(1, \alpha), \\
        \tau_t &\sim \mathrm{Gamma}(\tfrac12, \tfrac{s^2}{2}), \\
        \mu_t \mid \tau_t &\sim \mathrm{N}(c, 1 / \tau_t),

    where c and s are mean and standard deviation of all scores, so that the base measure is worth
    one observation. The posterior is approximated by mean-field variational inference, where no
    observation belongs to a component beyond the first `n_components`.

    Parameters
    ----------
    n_components : int, default=10
        Truncation of the variational posterior, at least 1.
    concentration : float, default=1.0
        The concentration alpha of the Dirichlet process, positive.
    max_iter : int, default=10000
        Largest number of iterations for a class, at least 1.
    tol : float, default=1e-7
        Stop when an iteration raises the bound by at most `tol` nats per observation, positive.

    Attributes
    ----------
    base_rate_ : float
        m / (m + n).
    location_, scale_ : float
        Mean c and standard deviation s of all scores.
    weights_ : ndarray of shape (2, n_components + 1)
        Posterior mean of the weights, by class. Components are in order of size. The last entry is
        the rest of the stick, for a new component that follows the base measure.
    means_, standard_deviations_ : ndarray of shape (2, n_components + 1)
        Posterior mean of the component's mean, and (mean of its precision)^(-1/2).
    degrees_of_freedom_ : ndarray of shape (2, n_components + 1)
        One plus the expected number of observations in the component.
    elbo_ : list of two ndarrays
        By class, the evidence lower bound at the start and after each iteration, a bound of the
        log density of the standardised scores (score - c) / s. It never decreases.
    n_iter_ : ndarray of shape (2,)
        Number of iterations.
    converged_ : ndarray of shape (2,)
        Whether `tol` was reached.

    Raises
    ------
    ValueError
        If a parameter is out of range (when `fit` is called), or the weights add up to more than
        1e30.

    Warns
    -----
    ConvergenceWarning
        If `max_iter` iterations were not enough.

    Notes
    -----
    The density of a new score is the posterior predictive, a mixture of Student distributions with
    `degrees_of_freedom_` nu, locations `means_` and scales `standard_deviations_` times sqrt(1 + 1
    / nu). Components of few observations thus lean to the base measure, which both classes share. A
    class of few observations is not far from uninformative.

    * Tied scores need no further floor, as a component has a variance of s^2 / nu at least. But a
      density is the wrong model of an isolated atom. With a positives and b negatives at one score
      the peak of either density grows like the square root of its count, so that the prediction
      there is near a^(3/2) / (a^(3/2) + b^(3/2)), sharper than a / (a + b): for such scores, say
      many exact zeros, take a calibrator that counts (histogram binning, isotonic regression).
    * Far from all scores the prediction drifts to about one half, not to the base rate. Both
      classes explain such a score by a new component, class 1 with probability near alpha / m
      and class 0 near alpha / n, and the priors m and n cancel. Queries beyond 1e100 standard
      deviations are answered as if they were there.
    * With labels of one class the prediction is that class, 0 or 1, everywhere.
    * All scores equal, or one observation: the densities have no scale and every prediction is
      `base_rate_`.

    Scores are pooled into cells that hold at most 1/1024 of the weight of the class and are at
    most s/256 wide, and a cell shares its responsibilities: Kurihara's cached statistics in one
    dimension. The bound stays a lower bound. Samples of up to 1024 scores per class are not
    pooled. The first assignment is `n_components` blocks of equal weight, so nothing is random.

    Complexity in N: O(N log N) to sort; O(cells `n_components`) per iteration, with fewer cells
    than 1024 + 122 N^(1/3) (Chebyshev's inequality leaves few scores for distant cells); O(N)
    memory; O(`n_components`) per prediction.

    References
    ----------
    Naeini, Cooper & Hauskrecht (2014), section 4. Blei & Jordan (2006), Bayesian Analysis 1.
    Kurihara, Welling & Vlassis (2007), NIPS 19: cached statistics, order of the sticks, and a
    truncation of the posterior only.

    Examples
    --------
    >>> from calib import DirichletProcessCalibrator
    >>> scores, labels = [0.1, 0.2, 0.3, 0.6, 0.7, 0.8], [0, 0, 1, 0, 1, 1]
    >>> calibrator = DirichletProcessCalibrator().fit(scores, labels)
    >>> calibrator.predict([0.0, 0.45, 0.9]).round(2)
    array([0.31, 0.5 , 0.69])
    """

    def __init__(
        self,
        *,
        n_components: int = 10,
        concentration: float = 1.0,
        max_iter: int = 10000,
        tol: float = 1e-7,
    ):
        self.n_components = n_components
        self.concentration = concentration
        self.max_iter = max_iter
        self.tol = tol

    def log_densities(self, scores: ArrayLike) -> NDArray[np.float64]:
        """Log posterior predictive densities of the two classes.

        Parameters
        ----------
        scores : array-like of shape (n,)
            Finite scores on the scale that was used in `fit`.

        Returns
        -------
        log_densities : ndarray of shape (2, n)
            log f_0 and log f_1.

        Raises
        ------
        ValueError
            If the scores are not valid or if all scores in `fit` were equal.
        """
        check_is_fitted(self)
        y = self._check_scores(scores, allow_empty=True)
        if self.scale_ == 0:
            raise ValueError("scores in fit were all equal: the densities have no scale")
        return self._log_densities(y) - np.log(self.scale_)

    def _fit(self, scores, labels, weights):
        check_integer(self.n_components, "n_components")
        check_positive(self.concentration, "concentration")
        check_integer(self.max_iter, "max_iter")
        check_positive(self.tol, "tol")
        tied = ties(scores, labels, weights)
        check_countable(tied.weights.sum(), 1e30)
        self.base_rate_ = np.sum(tied.positives) / np.sum(tied.weights)
        self.location_, self.scale_ = mean_and_deviation(tied.scores, tied.weights)
        standard = self._standardise(tied.scores)
        fits = [
            self._fit_class(standard, tied.weights - tied.positives),
            self._fit_class(standard, tied.positives),
        ]
        self._mixtures = [fit.mixture for fit in fits]
        self.weights_ = np.exp(np.stack([mixture.log_weights for mixture in self._mixtures]))
        means = np.stack([mixture.means for mixture in self._mixtures])
        variances = np.stack([mixture.variances for mixture in self._mixtures])
        with np.errstate(over="ignore"):  # they may lie beyond the largest float
            self.means_ = self.location_ + self.scale_ * means
            self.standard_deviations_ = self.scale_ * np.sqrt(variances)
        self.degrees_of_freedom_ = np.stack([mixture.degrees for mixture in self._mixtures])
        self.elbo_ = [fit.bounds for fit in fits]
        self.n_iter_ = np.array([fit.bounds.size - 1 for fit in fits])
        self.converged_ = np.array([fit.converged for fit in fits])
        if not self.converged_.all():
            warn(
                f"the bound still rises by more than tol={self.tol} nats per observation after "
                f"max_iter={self.max_iter} iterations: raise max_iter or tol",
                ConvergenceWarning,
            )

    def _fit_class(self, scores, weights):
        """Fit the mixture of one class to its distinct scores of positive weight."""
        present = weights > 0
        return fit_mixture(
            scores[present],
            weights[present],
            n_components=self.n_components,
            concentration=self.concentration,
            max_iter=self.max_iter,
            tol=self.tol,
        )

    def _predict(self, scores):
        if self.scale_ == 0:
            return np.full(scores.size, self.base_rate_)
        log_f0, log_f1 = self._log_densities(scores)
        return expit(log_f1 - log_f0 + logit(self.base_rate_))

    def _log_densities(self, scores):
        standard = self._standardise(scores)
        return np.stack([log_density(mixture, standard) for mixture in self._mixtures])

    def _standardise(self, scores):
        if self.scale_ == 0:
            return np.zeros(scores.size)
        with np.errstate(over="ignore"):  # an infinite quotient is also clipped
            deviations = (scores - self.location_) / self.scale_
        return np.clip(deviations, -MAX_DEVIATION, MAX_DEVIATION)


def mean_and_deviation(scores, weights):
    """Weighted mean and standard deviation of increasing `scores`, without overflow."""
    centre = scores[0] / 2 + scores[-1] / 2
    reach = scores[-1] / 2 - scores[0] / 2
    if reach == 0:
        return scores[0], 0.0
    shares = weights / np.sum(weights)
    relative = (scores - centre) / reach
    mean = shares @ relative
    return centre + reach * mean, reach * np.sqrt(shares @ (relative - mean) ** 2)
