"""Difference of two areas under the ROC curve on one sample, with its standard error."""

import numpy as np
from scipy.stats import rankdata

from calib.validation import check_labels, check_scores


def auc_difference(labels, scores, others):
    """AUC of `scores` less that of `others` on the same objects, and its standard error.

    Parameters
    ----------
    labels : array-like of shape (n,)
        Classes, 0/1, two objects or more of each.
    scores, others : array-like of shape (n,)

    Returns
    -------
    difference, error : float

    Raises
    ------
    ValueError
        If the arguments are not as described.

    Notes
    -----
    An AUC is the mean over positives of the share of negatives that a positive beats, and the mean
    over negatives of the share of positives that beat it. Differences of these shares between the
    two scores vary from object to object; their two variances give that of the mean. Pairing
    removes what both scores have in common. O(n log n).

    References
    ----------
    DeLong, DeLong and Clarke-Pearson (1988).

    Examples
    --------
    >>> from calib.experiments.delong import auc_difference
    >>> difference, error = auc_difference([0, 0, 1, 1], [1, 2, 3, 4], [1, 3, 2, 4])
    >>> print(round(difference, 3), round(error, 3))
    0.25 0.354
    """
    scores, others = check_scores(scores), check_scores(others, name="others")
    labels = check_labels(labels, size=scores.size)
    n_positive = np.count_nonzero(labels)
    if others.size != scores.size or not 2 <= n_positive <= labels.size - 2:
        raise ValueError(
            "scores and others must be as long as each other, with two labels or more of each "
            f"class; found {scores.size} and {others.size}, {n_positive} positives"
        )
    positive, negative = (
        a - b for a, b in zip(_shares(scores, labels), _shares(others, labels), strict=True)
    )
    variance = positive.var(ddof=1) / positive.size + negative.var(ddof=1) / negative.size
    return float(positive.mean()), float(np.sqrt(variance))


def _shares(scores, labels):
    """For each positive the share of negatives below it, for each negative of positives above."""
    positive, negative = scores[labels == 1], scores[labels == 0]
    ranks = rankdata(np.concatenate([positive, negative]))
    beaten = (ranks[: positive.size] - rankdata(positive)) / negative.size
    beating = 1 - (ranks[positive.size :] - rankdata(negative)) / positive.size
    return beaten, beating
