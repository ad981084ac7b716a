"""Rows out of counts: how many there are of each score, and how many of them are positive."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from calib.contract.validation import check_scores, check_size, check_weights


class Counts(NamedTuple):
    """Grouped rows, as `rows_of_counts` and ``fit_counts`` take them; arrays of shape (k,)."""

    scores: NDArray[np.float64]
    positives: NDArray[np.float64]
    counts: NDArray[np.float64]


class CountedRows(NamedTuple):
    """Two rows for each score, first all negative ones, with the counts as weights."""

    scores: NDArray[np.float64]
    labels: NDArray[np.uint8]
    sample_weight: NDArray[np.float64]


def rows_of_counts(scores: ArrayLike, positives: ArrayLike, counts: ArrayLike) -> CountedRows:
    """Scores, labels and weights that stand for grouped rows, wherever weights are counts.

    What depends on the rows only through sums over them is the same for both: of equal rows, such a
    sum holds one term times their number. So are the calibrators, measures, intervals and tests of
    `calib` that take `sample_weight` as counts.

    Parameters
    ----------
    scores : array-like of shape (k,)
        Finite scores, one for each group of rows; a score may come again.
    positives : array-like of shape (k,)
        Numbers of positives among the rows, from 0 to `counts`.
    counts : array-like of shape (k,)
        Numbers of rows; 0 for a group that is not there.

    Returns
    -------
    rows : CountedRows
        Arrays of shape (2 k,). An array of the groups of rows goes beside them as
        ``np.concatenate([groups, groups])``.

    Raises
    ------
    ValueError
        For input that is not as described; the message names the argument.

    Notes
    -----
    O(k). Folds of `CalibratorCV`, `StackedCalibrator` and the command ``calib compare`` deal the
    copies that a weight stands for; those of `compare` keep them together, so hand it rows, by
    ``np.repeat``.

    Examples
    --------
    >>> from calib import rows_of_counts
    >>> from calib.metrics import brier_score_loss
    >>> scores, labels, weights = rows_of_counts([0.2, 0.7], positives=[1, 6], counts=[10, 8])
    >>> labels, weights
    (array([0, 0, 1, 1], dtype=uint8), array([9., 2., 1., 6.]))
    >>> round(brier_score_loss(labels, scores, sample_weight=weights), 2)
    0.14
    """
    scores = check_scores(scores)
    counts = check_weights(counts, size=scores.size, name="counts")
    positives = check_scores(positives, name="positives")
    check_size(positives, scores.size, "positives", "scores")
    wrong = (positives < 0) | (positives > counts)
    if wrong.any():
        row = int(np.argmax(wrong))
        raise ValueError(
            f"positives must be from 0 to counts; found {positives[row]:g} of {counts[row]:g} at "
            f"row {row}: counts are numbers of all rows, the positive ones among them"
        )
    labels = np.repeat(np.array([0, 1], np.uint8), scores.size)
    return CountedRows(np.tile(scores, 2), labels, np.append(counts - positives, positives))
