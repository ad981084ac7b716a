"""The scaled Brier score, with an interval."""

import numpy as np
from numpy.typing import ArrayLike

from calib.base.arrays import check_both_classes
from calib.base.options import check_positive
from calib.metrics.losses import squared
from calib.metrics.samples import counted_sample
from calibkit.inference.bootstrap import Interval
from calibkit.inference.clusters import cluster_codes
from calibkit.inference.mean_intervals import mean_interval


def brier_skill_interval(
    labels: ArrayLike,
    probabilities: ArrayLike,
    *,
    confidence: float = 0.95,
    sample_weight: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
) -> Interval:
    r"""Scaled Brier score, or Brier skill score, with its interval.

    .. math:: 1 - \frac{BS}{\bar z (1 - \bar z)}

    with the fraction of positives :math:`\bar z`. The score is 1 for perfect predictions, 0 for the
    base rate, and negative for worse ones. Other names are index of prediction accuracy (IPA) and
    ``d2_brier_score``.

    Parameters
    ----------
    labels : array-like of shape (n,)
        Outcomes, 0/1 or bool, of both classes.
    probabilities : array-like of shape (n,)
        Predictions in [0, 1].
    confidence : float, default=0.95
        Coverage in large samples, in (0, 1).
    sample_weight : array-like of shape (n,), optional
        Counts. A row of weight w stands for w rows. Not negative.
    clusters : array-like of shape (n,), optional
        Cluster of each row, such as a patient, where only rows of different ones are independent,
        as numbers or strings.

    Returns
    -------
    interval : Interval

    Raises
    ------
    ValueError
        For input that is not as described. The message names the argument.

    Notes
    -----
    O(n). `mean_interval` gives the limits from the influence of each row on the score.

    References
    ----------
    Steyerberg et al. (2010); Kattan and Gerds (2018).

    Examples
    --------
    >>> from calibkit.inference import brier_skill_interval
    >>> interval = brier_skill_interval([0, 0, 1, 1] * 9, [0.1, 0.4, 0.3, 0.8] * 9)
    >>> [round(number, 2) for number in interval]
    [0.3, 0.05, 0.55, 0.13]
    """
    check_positive(confidence, "confidence", below=1)
    codes = cluster_codes(clusters, np.size(labels), sample_weight, other="labels")
    outcomes, predicted, counts = counted_sample(labels, probabilities, sample_weight)
    check_both_classes(outcomes, "no score of the base rate to compare with, so add rows")
    squares = squared(outcomes, predicted)
    rate = np.average(outcomes, weights=counts)
    uncertainty = rate * (1 - rate)
    ratio = np.average(squares, weights=counts) / uncertainty
    # the influence of a row on the ratio, by its score and by its outcome
    influence = squares / uncertainty - ratio
    influence -= ratio * (1 - 2 * rate) / uncertainty * (outcomes - rate)
    return mean_interval(
        1 - ratio - influence,
        confidence=confidence,
        sample_weight=None if sample_weight is None else counts,
        clusters=codes,
    )
