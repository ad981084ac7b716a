"""Murphy curves, decision curves and their gains: all proper scores, all thresholds at once."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from calib.base.arrays import check_sample, check_scores
from calib.base.options import check_positive
from calib.kernels.binning import prefix_sums
from calib.metrics.samples import ties_of
from calibkit.inference.clusters import cluster_codes
from calibkit.inference.gain_limits import limits_if_clusters, limits_if_rows


class MurphyCurve(NamedTuple):
    """Mean elementary score at each threshold, as arrays of shape (k,).

    The elementary score at a threshold t is the cost of acting where the prediction exceeds t, if a
    false positive costs t and a false negative costs 1 - t.
    """

    thresholds: NDArray[np.float64]
    scores: NDArray[np.float64]


class DecisionCurve(NamedTuple):
    """Net benefit at each threshold, as arrays of shape (k,).

    Attributes
    ----------
    thresholds : ndarray
        Threshold probabilities t. One acts where the prediction exceeds t.
    net_benefit : ndarray
        Net benefit of acting where the prediction exceeds the threshold.
    act_on_all : ndarray
        Net benefit of acting in all cases. Acting in no case has net benefit 0.
    standardised : ndarray
        Standardised net benefit, which is the net benefit divided by the fraction of positives.
        Perfect predictions have 1, and samples without positives NaN.
    """

    thresholds: NDArray[np.float64]
    net_benefit: NDArray[np.float64]
    act_on_all: NDArray[np.float64]
    standardised: NDArray[np.float64]


def murphy_curve(
    labels: ArrayLike,
    probabilities: ArrayLike,
    *,
    thresholds: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> MurphyCurve:
    r"""Murphy curve: mean elementary scores, whose mixtures are the proper scores.

    .. math::
        \begin{aligned}
        &S_t(p, z) \\
        &\quad = t\, 1\{z = 0, p > t\} \\
        &\qquad + (1 - t)\, 1\{z = 1, p \le t\}
        \end{aligned}

    is the cost of acting where the prediction exceeds t, if a false positive costs t and a false
    negative 1 - t. The Brier score is :math:`2 \int S_t\, dt`, and the log loss
    :math:`\int S_t / (t (1 - t))\, dt`.

    Parameters
    ----------
    labels : array-like of shape (n,)
        Outcomes, 0/1 or bool.
    probabilities : array-like of shape (n,)
        Predictions in [0, 1].
    thresholds : array-like of shape (k,), optional
        In [0, 1]. By default 0.01, 0.02, ..., 0.99.
    sample_weight : array-like of shape (n,), optional
        Non-negative counts or sampling weights. Only their ratios matter.

    Returns
    -------
    curve : MurphyCurve

    Raises
    ------
    ValueError
        For input that is not as described. The message names the argument.

    Notes
    -----
    O(n log n + k log n). A forecaster whose curve is nowhere above another's is at least as good
    by every proper score. The curve is linear between predictions and jumps at predictions.

    References
    ----------
    Schervish (1989); Ehm, Gneiting, Jordan and Krueger (2016).

    Examples
    --------
    >>> from calibkit.inference import murphy_curve
    >>> murphy_curve([0, 1, 0, 1], [0.1, 0.3, 0.4, 0.8], thresholds=[0.2, 0.5]).scores
    array([0.05 , 0.125])
    """
    rates = _rates_at_thresholds(labels, probabilities, thresholds, sample_weight)
    t = rates.thresholds
    false_negatives = np.maximum(rates.base_rate - rates.true_positives, 0.0)
    return MurphyCurve(thresholds=t, scores=t * rates.false_positives + (1 - t) * false_negatives)


def decision_curve(
    labels: ArrayLike,
    probabilities: ArrayLike,
    *,
    thresholds: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> DecisionCurve:
    r"""Decision curve: net benefit of acting where the prediction exceeds a threshold.

    .. math:: NB(t) = \frac{TP}{n} - \frac{FP}{n} \frac{t}{1 - t}
                    = \bar z - \frac{\bar S_t}{1 - t}

    with the mean elementary score :math:`\bar S_t` of `murphy_curve`.

    Parameters
    ----------
    labels : array-like of shape (n,)
        Outcomes, 0/1 or bool.
    probabilities : array-like of shape (n,)
        Predictions in [0, 1].
    thresholds : array-like of shape (k,), optional
        In [0, 1). By default 0.01, 0.02, ..., 0.99.
    sample_weight : array-like of shape (n,), optional
        Non-negative counts or sampling weights. Only their ratios matter.

    Returns
    -------
    curve : DecisionCurve

    Raises
    ------
    ValueError
        For input that is not as described. The message names the argument.

    Notes
    -----
    O(n log n + k log n). One acts if the prediction *exceeds* the threshold. Some programs also act
    on predictions equal to the threshold. The results then differ where there are any. Read the
    curve only over thresholds that are reasonable for the costs of the decision.

    References
    ----------
    Vickers and Elkin (2006); Kerr, Brown, Zhu and Janes (2016) for the standardised net benefit.

    Examples
    --------
    >>> from calibkit.inference import decision_curve
    >>> curve = decision_curve([0, 1, 0, 1], [0.1, 0.3, 0.4, 0.8], thresholds=[0.2, 0.5])
    >>> curve.net_benefit, curve.act_on_all
    (array([0.4375, 0.25  ]), array([0.375, 0.   ]))
    """
    rates = _rates_at_thresholds(labels, probabilities, thresholds, sample_weight)
    return _decision_curve_of(rates)


def _decision_curve_of(rates):
    if rates.thresholds.size and rates.thresholds.max() == 1:
        raise ValueError(
            "thresholds must be below 1 for a decision curve; found 1.0: there a false alarm "
            "outweighs any benefit, so leave it out"
        )
    odds = rates.odds()
    net_benefit = rates.true_positives - odds * rates.false_positives
    has_positives = rates.base_rate > 0
    return DecisionCurve(
        thresholds=rates.thresholds,
        net_benefit=net_benefit,
        act_on_all=rates.base_rate - odds * (1 - rates.base_rate),
        standardised=net_benefit / (rates.base_rate if has_positives else np.nan),
    )


class _Rates(NamedTuple):
    """False and true positives at each threshold, as fractions of all rows, and the base rate."""

    thresholds: NDArray[np.float64]
    false_positives: NDArray[np.float64]
    true_positives: NDArray[np.float64]
    base_rate: float

    def odds(self):
        """Cost of a false positive at each threshold, over the benefit of a true positive."""
        return self.thresholds / (1 - self.thresholds)


def _rates_at_thresholds(labels, probabilities, thresholds, sample_weight):
    tied = ties_of(labels, probabilities, sample_weight)
    if thresholds is None:
        thresholds = np.arange(1, 100) / 100
    thresholds = check_scores(thresholds, name="thresholds", unit=True)
    negatives = prefix_sums(tied.weights - tied.positives)
    positives = prefix_sums(tied.positives)
    total = negatives[-1] + positives[-1]
    below = np.searchsorted(tied.scores, thresholds, side="right")
    return _Rates(
        thresholds=thresholds,
        false_positives=(negatives[-1] - negatives[below]) / total,
        true_positives=(positives[-1] - positives[below]) / total,
        base_rate=positives[-1] / total,
    )


class DecisionGains(NamedTuple):
    """Gain in net benefit at each threshold, as arrays of shape (k,).

    Attributes
    ----------
    thresholds : ndarray
        Threshold probabilities. One acts where the prediction exceeds the threshold.
    gain : ndarray
        Net benefit of acting where the prediction exceeds the threshold, minus the net benefit of
        acting in all cases or in none, whichever is better on these rows.
    lower, upper : ndarray
        Confidence limits, pointwise at each threshold.
    """

    thresholds: NDArray[np.float64]
    gain: NDArray[np.float64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]


def decision_gains(
    labels: ArrayLike,
    probabilities: ArrayLike,
    *,
    thresholds: ArrayLike | None = None,
    confidence: float = 0.95,
    sample_weight: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
) -> DecisionGains:
    """Gain in net benefit over acting in all cases or in none, with confidence limits.

    Parameters
    ----------
    labels : array-like of shape (n,)
        Outcomes, 0/1 or bool.
    probabilities : array-like of shape (n,)
        Predictions in [0, 1].
    thresholds : array-like of shape (k,), optional
        In [0, 1). By default 0.01, 0.02, ..., 0.99.
    confidence : float, default=0.95
        Coverage at one threshold, in (0, 1).
    sample_weight : array-like of shape (n,), optional
        Counts. A row of weight w stands for w rows. Not negative.
    clusters : array-like of shape (n,), optional
        Cluster of each row, such as a patient, as numbers or strings. Only rows of different
        clusters are independent.

    Returns
    -------
    gains : DecisionGains

    Raises
    ------
    ValueError
        As `decision_curve`. The message names the argument.

    Notes
    -----
    O(n log n + k log n), and O(k n) with clusters. The gain is a mean over the rows. Where the
    prediction and the better of all and none lead to different decisions, a positive counts 1 and a
    negative minus the odds of the threshold, or the reverse if one acts in all cases. Other rows
    count 0.

    The limits are built from exact limits of two shares, of the positives and of the negatives for
    which the decision differs. So they are wide if few such rows are of one class, where the normal
    limits of a mean are sure and wrong. With many rows of both classes they are those normal
    limits. With clusters each share has the limits of as many independent rows as have its
    variance, and weights from sampling are weights of rows that are clusters by themselves.

    In simulations of 300 samples with 400 to 10,000 rows and thresholds of 0.01 to 0.9, 95 % limits
    held the gain in 95 to 100 % of independent samples, and in 94 to 99 % with clusters or sampling
    weights. Normal limits held it in 3 to 96 % there.

    References
    ----------
    Vickers and Elkin (2006); Vickers, Cronin, Elkin and Gonen (2008), who bootstrap the limits; Zou
    and Donner (2008) for limits of a sum from those of its parts.

    Examples
    --------
    >>> from calibkit.inference import decision_gains
    >>> gains = decision_gains([0, 1, 0, 1] * 25, [0.1, 0.3, 0.4, 0.8] * 25, thresholds=[0.2, 0.5])
    >>> gains.gain, gains.lower.round(3)
    (array([0.0625, 0.25  ]), array([0.021, 0.161]))
    """
    check_positive(confidence, "confidence", below=1)
    codes = cluster_codes(clusters, np.size(labels), sample_weight, other="labels")
    outcomes, predicted, weights = check_sample(labels, probabilities, sample_weight, counts=True)
    rates = _rates_at_thresholds(outcomes, predicted, thresholds, weights)
    curve = _decision_curve_of(rates)
    odds = rates.odds()
    act_on_all = curve.act_on_all > 0  # else acting in no case is the better default
    gain = curve.net_benefit - np.maximum(curve.act_on_all, 0.0)
    if codes is None:
        # fractions of positives and of negatives for which the decision differs from the default
        positives = np.where(
            act_on_all, rates.base_rate - rates.true_positives, rates.true_positives
        )
        negatives = np.where(
            act_on_all, 1 - rates.base_rate - rates.false_positives, rates.false_positives
        )
        total = outcomes.size if weights is None else weights.sum()
        limits = limits_if_rows(positives.clip(0), negatives.clip(0), odds, total, confidence)
    else:
        differs = (predicted > rates.thresholds[:, np.newaxis]) != act_on_all[:, np.newaxis]
        counts = np.ones(outcomes.size) if weights is None else weights
        limits = limits_if_clusters(differs, outcomes, counts, codes, odds, confidence)
    lower, upper = np.where(act_on_all, -limits[::-1], limits)
    return DecisionGains(thresholds=rates.thresholds, gain=gain, lower=lower, upper=upper)
