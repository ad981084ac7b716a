"""What decisions gain from the predictions, with limits."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri

from calib.contract.options import check_positive
from calib.contract.validation import check_sample
from calib.metrics.clusters import cluster_codes, cluster_error
from calib.metrics.elementary import decision_curve, shares_at_thresholds


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
    {sample}
    thresholds : array-like of shape (k,), optional
        In [0, 1); by default 0.01, 0.02, ..., 0.99.
    confidence : float, default=0.95
        Coverage at one threshold in large samples, in (0, 1).
    {counts}
    {clusters}

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
    >>> from calib.metrics import decision_gains
    >>> gains = decision_gains([0, 1, 0, 1] * 25, [0.1, 0.3, 0.4, 0.8] * 25, thresholds=[0.2, 0.5])
    >>> gains.gain, gains.lower.round(3)
    (array([0.0625, 0.25  ]), array([0.041, 0.165]))
    """
    check_positive(confidence, "confidence", below=1)
    codes = cluster_codes(clusters, np.size(labels), sample_weight, other="labels")
    labels, probabilities, weights = check_sample(labels, probabilities, sample_weight, counts=True)
    curve = decision_curve(labels, probabilities, thresholds=thresholds, sample_weight=weights)
    thresholds, (false_alarms, hits, base_rate) = shares_at_thresholds(
        labels, probabilities, curve.thresholds, weights
    )
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
    return DecisionGains(thresholds, gain, gain - reach, gain + reach)
