"""Every proper score and every decision at once: Murphy diagram and decision curve."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from calib.contract.validation import check_scores
from calib.kernels.binning import prefix_sums
from calib.metrics.samples import ties_of


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
    {sample}
    thresholds : array-like of shape (k,), optional
        In [0, 1]; by default 0.01, 0.02, ..., 0.99.
    {ratios}

    Returns
    -------
    curve : MurphyCurve

    {raises}

    Notes
    -----
    O(n log n + k log n). A forecaster whose curve is nowhere above another's is at least as good
    by every proper score. Between predictions the curve is linear, and it jumps at them.

    References
    ----------
    Schervish (1989); Ehm, Gneiting, Jordan and Krueger (2016).

    Examples
    --------
    >>> from calib.metrics import murphy_curve
    >>> murphy_curve([0, 1, 0, 1], [0.1, 0.3, 0.4, 0.8], thresholds=[0.2, 0.5]).scores
    array([0.05 , 0.125])
    """
    thresholds, (false_alarms, hits, base_rate) = shares_at_thresholds(
        labels, probabilities, thresholds, sample_weight
    )
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
    {sample}
    thresholds : array-like of shape (k,), optional
        In [0, 1); by default 0.01, 0.02, ..., 0.99.
    {ratios}

    Returns
    -------
    curve : DecisionCurve

    {raises}

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
    >>> from calib.metrics import decision_curve
    >>> curve = decision_curve([0, 1, 0, 1], [0.1, 0.3, 0.4, 0.8], thresholds=[0.2, 0.5])
    >>> curve.net_benefit, curve.act_on_all
    (array([0.4375, 0.25  ]), array([0.375, 0.   ]))
    """
    thresholds, (false_alarms, hits, base_rate) = shares_at_thresholds(
        labels, probabilities, thresholds, sample_weight
    )
    if thresholds.size and thresholds.max() == 1:
        raise ValueError(
            "thresholds must be below 1 for a decision curve; found 1.0: there a false alarm "
            "outweighs any benefit, so leave it out"
        )
    odds = thresholds / (1 - thresholds)
    return DecisionCurve(thresholds, hits - odds * false_alarms, base_rate - odds * (1 - base_rate))


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
