"""Near-isotonic regression: the path in lambda, and the ensemble of its models (ENIR).

The algorithm that finds the path, mPAVA, stands in near_isotonic_kernels.py. Equations, footnotes
and Algorithm 1 are from Naeini and Cooper (2016).
"""

import numbers

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import xlogy
from sklearn.utils.validation import check_is_fitted

from calib.base.calibrator import Calibrator, ScoreModel
from calib.base.maps import LinearMap
from calib.base.options import check_choice, check_flag, check_smoothing
from calib.base.probabilities import inside
from calib.kernels.ties import smoothed, ties
from calib.methods.near_isotonic_kernels import (
    merge_until,
    near_isotonic_path,
    shrunken_positives,
    values_at,
)


class NearIsotonicPath(ScoreModel):
    r"""All near-isotonic regressions, from the observed frequencies to isotonic regression.

    .. math::

        \hat p(\lambda) = \arg\min_p \; & \tfrac12 \sum_i w_i (p_i - \bar z_i)^2 \\
        & + \lambda \sum_i (p_i - p_{i+1})_+

    over the distinct scores in increasing order, w_i their weights, \bar z_i their mean labels. At
    lambda = 0 the fit is \bar z. Neighbours that meet while lambda grows form a bin and never part.
    Between two breakpoints all values are linear in lambda. The end is isotonic regression.

    Attributes
    ----------
    lambdas_ : ndarray of shape (n_breakpoints + 1,)
        0, then the breakpoints in increasing order, the lambdas at which bins merge.
    n_bins_ : ndarray of shape (n_breakpoints + 1,)
        Number of bins, runs of equal values, from each of these lambdas on, decreasing.
    scores_ : ndarray of shape (n_distinct,)
        The distinct scores.

    Notes
    -----
    Fit O(N log N) time, `values_at` and `at` O(N), memory O(N). Values closer than 1e-12 have met.
    A value is 0 or 1 only where all labels of its bin agree. With one class only, all scores tied
    or labels already in order there is no breakpoint.

    References
    ----------
    Tibshirani, Hoefling and Tibshirani (2011); Naeini and Cooper (2016), equations (3)-(9).

    Examples
    --------
    >>> from calib.methods.near_isotonic import NearIsotonicPath
    >>> path = NearIsotonicPath().fit([0.1, 0.2, 0.3, 0.4], [0, 1, 0, 1])
    >>> path.lambdas_, path.n_bins_
    (array([0. , 0.5]), array([4, 3]))
    >>> path.values_at(0.2)
    array([0. , 0.8, 0.2, 1. ])
    """

    _needs_ties_only = True

    def _fit(self, scores, labels, weights):
        tied = ties(scores, labels, weights)
        self._bins, path = near_isotonic_path(tied.weights, tied.positives)
        self.scores_ = tied.scores
        self.lambdas_ = path.lambdas
        self.n_bins_ = path.n_bins

    def at(self, lam: float) -> LinearMap:
        """The fit at one lambda as a map, linear between the distinct scores, constant beyond.

        The parameters and errors are the same as in `values_at`.
        """
        return LinearMap(self.scores_, self.values_at(lam))

    def values_at(self, lam: float) -> NDArray[np.float64]:
        """Fitted values at one lambda.

        Parameters
        ----------
        lam : float
            At least 0. From the last breakpoint on, infinity included, it is isotonic regression.

        Returns
        -------
        values : ndarray of shape (n_distinct,)
            The fit at `scores_`, in [0, 1].

        Raises
        ------
        ValueError
            If `lam` is negative, NaN or not a number.
        """
        check_is_fitted(self)
        if not isinstance(lam, numbers.Real) or isinstance(lam, bool) or not lam >= 0:
            raise ValueError(f"lam must be a number of at least 0; found {lam!r}")
        return values_at(self._bins, min(lam, self.lambdas_[-1]))

    def predict(self, scores: ArrayLike, lam: float) -> NDArray[np.float64]:
        """Probabilities of class 1 by the fit at `lam`: ``path.at(lam)(scores)``.

        Parameters
        ----------
        scores : array-like of shape (n,)
            Finite scores. Beyond the first and the last distinct score the map is constant.
        lam : float
            As in `values_at`.

        Returns
        -------
        probabilities : ndarray of shape (n,)
        """
        return self.at(lam)(scores)


class ENIR(Calibrator):
    r"""Ensemble of near-isotonic regressions, weighted by an information criterion.

    The models are the fits at the breakpoints :math:`\lambda_t`, t >= 1, of `NearIsotonicPath`.
    If there is none, the one model is isotonic regression. With :math:`d_t` bins,

    .. math::

        f(y) &= \sum_t \omega_t \, \hat p(\lambda_t)(y), \\
        \omega_t &\propto \exp(-C_t / 2), \\
        C_t &= -2 \log L(\hat p(\lambda_t)) \\
        &\quad + \text{penalty}(d_t),

    L the Bernoulli likelihood of the labels and N their number (the sum of the weights). The paper
    calls :math:`\exp(-C_t / 2)` the score of a model.

    Parameters
    ----------
    criterion : {"bic", "aic", "aicc"}, default="bic"
        Penalty :math:`d \log N`, :math:`2d`, or :math:`2d + 2d(d+1)/(N-d-1)`. The last is infinite
        for d >= N - 1. If it is for all models, the model of the fewest bins has all the weight.
    centred : bool, default=False
        Whether to place the value of each run of scores that all models with weight join at the
        weighted mean of these scores only, and to interpolate between, so that there are no
        plateaus.
    smoothing : float, default=0.0
        Weight of two pseudo-observations, a positive at the smallest score and a negative at the
        largest. With any positive weight predictions are kept within [2**-53, 1 - 2**-53], so
        that rounding makes none 0 or 1.

    Attributes
    ----------
    lambdas_, n_bins_ : ndarray of shape (n_models_,)
        Breakpoint and number of bins of each model.
    lower_bounds_ : ndarray of shape (n_models_,)
        Lower bounds of the criteria, in which the frequencies of the bins take the place of the
        values.
    criteria_ : ndarray of shape (n_models_,)
        The criteria C_t, or NaN where the bound was enough.
    weights_ : ndarray of shape (n_models_,)
        Model weights, which sum to one, or zero for models out of reach, see the notes.
    n_models_, n_evaluated_ : int
        Number of models, and number of models whose criterion had to be evaluated.
    effective_models_ : float
        exp of the entropy of the weights, k if k models share the weight evenly.
    map_ : LinearMap
        Piecewise linear, with knots at the ends of the runs of scores that all models with weight
        join, or, if `centred`, at their weighted means. The average of linear interpolations is
        one linear interpolation.

    Raises
    ------
    ValueError
        If `criterion` is none of the three, `centred` no bool or `smoothing` negative (when `fit`
        is called).

    Notes
    -----
    The ensemble is exact, though most models are usually not evaluated. Two bounds replace them:

    * no value beats the frequency of its bin, so the likelihood of the binning with its
      frequencies, which a merge changes in O(1), bounds the likelihood of the model;
    * values only move away from the frequencies, so no likelihood exceeds an earlier one.

    A model whose bound exceeds the smallest criterion by more than 2 log(n_models / eps) is out of
    reach and has weight 0. All these together would have less than eps = 2.2e-16.

    Fit O(N log N) for the path plus O(K) for each evaluated model, with K distinct scores. With
    BIC a few dozen are evaluated in ordinary samples, but nothing bounds their number. There are
    samples in which all models are within reach, so that the worst case is O(K^2). Predict O(1)
    expected per score, memory O(N).

    With one class only, every prediction is that class. Without smoothing a prediction at a
    calibration score is exactly 0 if no label up to it is 1, and exactly 1 if no label from it on
    is 0.

    References
    ----------
    Naeini and Cooper (2016), section III. Their published code keeps 100 breakpoints, rounds
    values to 1e-6 and adds log(2 pi) d to the criterion.

    Examples
    --------
    >>> from calib.methods.near_isotonic import ENIR
    >>> calibrator = ENIR().fit([0.1, 0.2, 0.3, 0.4, 0.5, 0.6], [0, 1, 0, 1, 0, 1])
    >>> calibrator.lambdas_, calibrator.n_bins_
    (array([0.5]), array([3]))
    >>> calibrator.predict([0.1, 0.15, 0.3, 0.9])
    array([0.  , 0.25, 0.5 , 1.  ])
    """

    _needs_ties_only = True

    def __init__(self, *, criterion: str = "bic", centred: bool = False, smoothing: float = 0.0):
        self.criterion = criterion
        self.centred = centred
        self.smoothing = smoothing

    def _fit(self, scores, labels, weights):
        check_choice(self.criterion, CRITERION_PENALTIES, "criterion")
        check_flag(self.centred, "centred")
        check_smoothing(self.smoothing)
        tied = smoothed(ties(scores, labels, weights), self.smoothing)
        bins, path = near_isotonic_path(tied.weights, tied.positives)
        first = min(1, path.lambdas.size - 1)  # footnote 3: lambda = 0 only if it is alone
        self.lambdas_ = path.lambdas[first:]
        self.n_bins_ = path.n_bins[first:]  # the number of parameters of a model, footnote 4
        self.n_models_ = self.lambdas_.size
        total = max(tied.weights.sum(), 2.0)  # different scores need two observations at least
        penalties = CRITERION_PENALTIES[self.criterion](self.n_bins_.astype(float), total)
        if np.all(np.isinf(penalties)):
            penalties[-1] = 0.0
        self.lower_bounds_ = penalties - 2 * path.log_likelihoods[first:]
        reach = 2 * np.log(self.n_models_ / np.finfo(float).eps)
        self.criteria_ = evaluate_within_reach(
            bins, self.lambdas_, self.lower_bounds_, penalties, reach
        )
        self.weights_ = model_weights(self.criteria_, reach)
        self.n_evaluated_ = int(np.count_nonzero(~np.isnan(self.criteria_)))
        self.effective_models_ = float(np.exp(-np.sum(xlogy(self.weights_, self.weights_))))
        starts, values = average(bins, self.lambdas_, self.weights_)
        if self.smoothing > 0:
            values = inside(values)  # pseudo-observations exclude 0 and 1, but rounding does not
        if self.centred:
            self.map_ = LinearMap.of_centres(tied.scores, tied.weights, starts, values)
        else:
            self.map_ = LinearMap.of_blocks(tied.scores, starts, values)


def bic(n_bins, total):
    """Penalty of the Bayesian information criterion."""
    return n_bins * np.log(total)


def aic(n_bins, total):
    """Penalty of Akaike's information criterion."""
    return 2 * n_bins


def aicc(n_bins, total):
    """Penalty of Akaike's criterion with the correction for small samples."""
    freedom = total - n_bins - 1
    correction = 2 * n_bins * (n_bins + 1) / np.where(freedom > 0, freedom, 1.0)
    return np.where(freedom > 0, 2 * n_bins + correction, np.inf)


CRITERION_PENALTIES = {"bic": bic, "aic": aic, "aicc": aicc}


def evaluate_within_reach(bins, lambdas, lower_bounds, penalties, reach):
    """Criteria of all models within `reach` of the best, or NaN where the bound was enough.

    The model of the smallest bound is evaluated next. If an earlier model has been evaluated, the
    model halfway between them is, because its likelihood bounds all likelihoods behind it.
    """
    criteria = np.full(lambdas.size, np.nan)
    bounds = lower_bounds.copy()
    best = np.finfo(float).max
    while True:
        candidates = np.flatnonzero(bounds <= best + reach)
        if candidates.size == 0:
            return criteria
        bins, _ = merge_until(bins, lambdas[candidates[0]])  # no earlier model will be evaluated
        t = np.argmin(bounds)
        evaluated = np.flatnonzero(~np.isnan(criteria[:t]))
        if evaluated.size:
            t = (max(evaluated[-1], candidates[0] - 1) + t + 1) // 2
        deviance = minus_twice_log_likelihood(bins, lambdas[t])
        criteria[t] = deviance + penalties[t]
        best = min(best, criteria[t])
        bounds[t] = np.inf
        bounds[t + 1 :] = np.maximum(bounds[t + 1 :], deviance + penalties[t + 1 :])


def minus_twice_log_likelihood(bins, lam):
    """-2 log likelihood of the labels under the fit at `lam`."""
    merged, _ = merge_until(bins, lam)
    hits = shrunken_positives(merged, lam)
    misses = merged.weights - hits
    negatives = merged.weights - merged.positives
    positive_part = xlogy(merged.positives, hits / merged.weights)
    return -2 * np.sum(positive_part + xlogy(negatives, misses / merged.weights))


def model_weights(criteria, reach):
    """Score(M_t) / sum Score(M_j), the score being exp(-criterion / 2), or 0 out of reach.

    If all criteria are infinite, the model of the fewest bins has all the weight.
    """
    best = np.nanmin(criteria)
    if np.isinf(best):  # where weights are 1e149 apart, values are rounded to 0 or 1
        weights = np.zeros(criteria.size)
        weights[-1] = 1.0
        return weights
    excess = criteria - best
    weights = np.where(excess <= reach, np.exp(-excess / 2), 0.0)
    return weights / weights.sum()


def average(bins, lambdas, weights):
    """The ensemble, P(z=1|y) = sum_t weights[t] P(z=1|y, M_t) in section III.

    Returns the starts of the bins of the first model with weight, which no later model divides, and
    the value of the ensemble in each of them.
    """
    models = np.flatnonzero(weights)
    bins, starts = merge_until(bins, lambdas[models[0]])
    heaviest = np.argmax(weights)
    heaviest_values = values_at(bins, lambdas[heaviest])
    # averaged deviations from one model do not round a value on which all models agree, such as 1
    deviations = np.zeros(starts.size)
    for t in models[models != heaviest]:
        deviations += weights[t] * (values_at(bins, lambdas[t]) - heaviest_values)
    return starts, heaviest_values + deviations
