"""Every proper score and every decision at once: Murphy diagram, decision curve, gains."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri

from calib.base.arrays import check_sample, check_scores
from calib.base.options import check_positive
from calib.kernels.binning import prefix_sums
from calib.metrics.samples import ties_of
from calibkit.inference.clusters import cluster_codes, cluster_error


class MurphyCurve(NamedTuple):
    """Mean elementary score at each threshold; arrays of shape (k,)."""

    thresholds: NDArray[np.float64]
    scores: NDArray[np.float64]


class DecisionCurve(NamedTuple):
    """Net benefit at each threshold; arrays of shape (k,).

    Attributes
    ----------
    thresholds : ndarray
        Probabilities t beyond which one acts.
    net_benefit : ndarray
        Of acting where the prediction exceeds the threshold.
    act_on_all : ndarray
        Of acting always. Acting never has net benefit 0.
    """

    thresholds: NDArray[np.float64]
    net_benefit: NDArray[np.float64]
    act_on_all: NDArray[np.float64]


def murphy_curve(
    labels: ArrayLike,
    probabilities: ArrayLike,
    *,
    thresholds: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> MurphyCurve:
    r"""Mean elementary scores, of which every proper score is a mixture.

    .. math::
        \begin{aligned}
        &S_t(p, z) \\
        &\quad = t\, 1\{z = 0, p > t\} \\
        &\qquad + (1 - t)\, 1\{z = 1, p \le t\}
        \end{aligned}

    is the cost of acting where the prediction exceeds t, if a false alarm costs t and a miss
    1 - t. The Brier score is :math:`2 \int S_t\, dt`, log loss :math:`\int S_t / (t (1 - t))\, dt`.

    Parameters
    ----------
    labels : array-like of shape (n,)
        Outcomes, 0/1 or bool.
    probabilities : array-like of shape (n,)
        Predictions in [0, 1].
    thresholds : array-like of shape (k,), optional
        In [0, 1]; by default 0.01, 0.02, ..., 0.99.
    sample_weight : array-like of shape (n,), optional
        Not negative: counts or sampling weights, as only their ratios matter.

    Returns
    -------
    curve : MurphyCurve

    Raises
    ------
    ValueError
        For input that is not as described; the message names the argument.

    Notes
    -----
    O(n log n + k log n). A forecaster whose curve is nowhere above another's is at least as good
    by every proper score. Between predictions the curve is linear, and it jumps at them.

    References
    ----------
    Schervish (1989); Ehm, Gneiting, Jordan and Krueger (2016).

    Examples
    --------
    >>> from calibkit.inference import murphy_curve
    >>> murphy_curve([0, 1, 0, 1], [0.1, 0.3, 0.4, 0.8], thresholds=[0.2, 0.5]).scores
    array([0.05 , 0.125])
    """
    thresholds, shares = shares_at_thresholds(labels, probabilities, thresholds, sample_weight)
    false_alarms, hits, base_rate = shares
    misses = np.maximum(base_rate - hits, 0.0)
    return MurphyCurve(thresholds, thresholds * false_alarms + (1 - thresholds) * misses)


def decision_curve(
    labels: ArrayLike,
    probabilities: ArrayLike,
    *,
    thresholds: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> DecisionCurve:
    r"""Net benefit of acting where the prediction exceeds a threshold.

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
        In [0, 1); by default 0.01, 0.02, ..., 0.99.
    sample_weight : array-like of shape (n,), optional
        Not negative: counts or sampling weights, as only their ratios matter.

    Returns
    -------
    curve : DecisionCurve

    Raises
    ------
    ValueError
        For input that is not as described; the message names the argument.

    Notes
    -----
    O(n log n + k log n). One acts if the prediction *exceeds* the threshold; some programs act at
    the threshold as well, which differs where predictions equal it. Read the curve over the
    thresholds that the costs of the decision make reasonable, and nowhere else.

    References
    ----------
    Vickers and Elkin (2006).

    Examples
    --------
    >>> from calibkit.inference import decision_curve
    >>> curve = decision_curve([0, 1, 0, 1], [0.1, 0.3, 0.4, 0.8], thresholds=[0.2, 0.5])
    >>> curve.net_benefit, curve.act_on_all
    (array([0.4375, 0.25  ]), array([0.375, 0.   ]))
    """
    thresholds, shares = shares_at_thresholds(labels, probabilities, thresholds, sample_weight)
    false_alarms, hits, base_rate = shares
    if thresholds.size and thresholds.max() == 1:
        raise ValueError(
            "thresholds must be below 1 for a decision curve; found 1.0: there a false alarm "
            "outweighs any benefit, so leave it out"
        )
    odds = thresholds / (1 - thresholds)
    return DecisionCurve(
        thresholds=thresholds,
        net_benefit=hits - odds * false_alarms,
        act_on_all=base_rate - odds * (1 - base_rate),
    )


def shares_at_thresholds(labels, probabilities, thresholds, sample_weight):
    """Thresholds; shares of false alarms and of hits among all rows, and of positives."""
    groups = ties_of(labels, probabilities, sample_weight)
    if thresholds is None:
        thresholds = np.arange(1, 100) / 100
    thresholds = check_scores(thresholds, name="thresholds", unit=True)
    negatives = prefix_sums(groups.weights - groups.positives)
    positives = prefix_sums(groups.positives)
    total = negatives[-1] + positives[-1]
    up_to = np.searchsorted(groups.scores, thresholds, side="right")
    false_alarms = (negatives[-1] - negatives[up_to]) / total
    hits = (positives[-1] - positives[up_to]) / total
    return thresholds, (false_alarms, hits, positives[-1] / total)


class DecisionGains(NamedTuple):
    """Gain in net benefit at each threshold; arrays of shape (k,).

    Attributes
    ----------
    thresholds : ndarray
        Probabilities beyond which one acts.
    gain : ndarray
        Net benefit of acting where the prediction exceeds the threshold, less that of acting always
        or never, whichever is better on these rows.
    lower, upper : ndarray
        Limits, for each threshold by itself.
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
    """What acting by the predictions gains over acting always or never, with limits.

    Parameters
    ----------
    labels : array-like of shape (n,)
        Outcomes, 0/1 or bool.
    probabilities : array-like of shape (n,)
        Predictions in [0, 1].
    thresholds : array-like of shape (k,), optional
        In [0, 1); by default 0.01, 0.02, ..., 0.99.
    confidence : float, default=0.95
        Coverage at one threshold in large samples, in (0, 1).
    sample_weight : array-like of shape (n,), optional
        Counts: a row of weight w stands for w rows. Not negative.
    clusters : array-like of shape (n,), optional
        Cluster of each row, such as a patient, where only rows of different ones are independent:
        numbers or strings.

    Returns
    -------
    gains : DecisionGains

    Raises
    ------
    ValueError
        As `decision_curve`; the message names the argument.

    Notes
    -----
    O(n log n + k log n), and O(k n) with clusters. The gain is a mean over the rows, each of which
    counts 1 as a positive and minus the odds of the threshold as a negative where the prediction
    and the better of always and never differ; the limits are normal ones of such a mean.

    References
    ----------
    Vickers and Elkin (2006); Vickers, Cronin, Elkin and Gonen (2008), whose limits are those of a
    bootstrap.

    Examples
    --------
    >>> from calibkit.inference import decision_gains
    >>> gains = decision_gains([0, 1, 0, 1] * 25, [0.1, 0.3, 0.4, 0.8] * 25, thresholds=[0.2, 0.5])
    >>> gains.gain, gains.lower.round(3)
    (array([0.0625, 0.25  ]), array([0.041, 0.165]))
    """
    check_positive(confidence, "confidence", below=1)
    codes = cluster_codes(clusters, np.size(labels), sample_weight, other="labels")
    labels, probabilities, weights = check_sample(labels, probabilities, sample_weight, counts=True)
    curve = decision_curve(labels, probabilities, thresholds=thresholds, sample_weight=weights)
    thresholds, shares = shares_at_thresholds(labels, probabilities, curve.thresholds, weights)
    false_alarms, hits, base_rate = shares
    odds = thresholds / (1 - thresholds)
    of_all = curve.act_on_all > 0  # else never acting is the better default
    gain = curve.net_benefit - np.maximum(curve.act_on_all, 0.0)
    # of a row: 1 and minus the odds where it acts, against never; the reverse where it does not
    ones = np.where(of_all, base_rate - hits, hits)
    others = np.where(of_all, 1 - base_rate - false_alarms, false_alarms)
    squares = ones + np.square(odds) * others
    total = labels.size if weights is None else weights.sum()
    variance = np.maximum(squares - np.square(gain), 0.0) / max(total - 1, 1)
    errors = np.sqrt(variance)
    if codes is not None:
        counts = (np.ones(labels.size) if weights is None else weights) / total
        for j, (threshold, act, cost) in enumerate(zip(thresholds, of_all, odds, strict=True)):
            differs = (probabilities > threshold) - 1.0 * act
            values = differs * (labels - (1 - labels) * cost)
            errors[j] = cluster_error(counts * (values - gain[j]), codes)
    reach = ndtri((1 + confidence) / 2) * errors
    return DecisionGains(thresholds=thresholds, gain=gain, lower=gain - reach, upper=gain + reach)
