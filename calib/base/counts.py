"""Rows that stand for counts: the numbers of all and of positive rows at each score."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit

from calib.base.arrays import check_scores, check_size, check_weights
from calib.base.options import check_choice, check_positive
from calib.base.probabilities import inside, log_odds

CELL_MULTIPLE = 60  # cells; then 10, 12, 15, 20, 30 or 60 bins are made of whole cells


class Counts(NamedTuple):
    """Grouped rows, as `rows_of_counts` and ``fit_counts`` take them, as arrays of shape (k,)."""

    scores: NDArray[np.float64]
    positives: NDArray[np.float64]
    counts: NDArray[np.float64]


class CountedRows(NamedTuple):
    """Rows that stand for grouped rows, a negative and a positive row for each score.

    The arrays have shape (2 k,) for k scores. All negative rows come first, in the order of the
    scores, and the positive rows follow. The weight of a row is the number of rows that it stands
    for.
    """

    scores: NDArray[np.float64]
    labels: NDArray[np.uint8]
    sample_weight: NDArray[np.float64]


def rows_of_counts(scores: ArrayLike, positives: ArrayLike, counts: ArrayLike) -> CountedRows:
    """Scores, labels and weights of rows that stand for grouped rows.

    Use the result wherever weights are counts. A result that depends on the rows only through sums
    over them is then the same as from the rows one by one. Such a sum holds, for equal rows, one
    term times their number. This holds for the calibrators, measures, intervals and tests of
    `calib` that take `sample_weight` as counts.

    Parameters
    ----------
    scores : array-like of shape (k,)
        Finite scores, one for each group of rows. A score may occur several times.
    positives : array-like of shape (k,)
        Numbers of positives among the rows, from 0 to `counts`.
    counts : array-like of shape (k,)
        Numbers of rows, or 0 for a group that is not there.

    Returns
    -------
    rows : CountedRows
        Arrays of shape (2 k,). If ``groups`` has the group of each score, the groups of `rows` are
        ``np.concatenate([groups, groups])``.

    Raises
    ------
    ValueError
        For input that is not as described. The message names the argument.

    Notes
    -----
    The time is O(k). `CalibratorCV`, `StackedCalibrator` and `calibkit.comparison.compare` split
    the copies that a weight stands for into folds at random, in the same way as rows.

    Examples
    --------
    >>> from calib import rows_of_counts
    >>> from calib.metrics import brier_score_loss
    >>> scores, labels, weights = rows_of_counts([0.2, 0.7], positives=[1, 6], counts=[10, 8])
    >>> labels, weights
    (array([0, 0, 1, 1], dtype=uint8), array([9., 2., 1., 6.]))
    >>> round(brier_score_loss(labels, scores, sample_weight=weights), 4)
    0.14
    """
    values = check_scores(scores)
    totals = check_weights(counts, size=values.size, name="counts")
    hits = check_scores(positives, name="positives")
    check_size(hits.size, values.size, "positives", "scores")
    wrong = (hits < 0) | (hits > totals)
    if wrong.any():
        row = int(np.argmax(wrong))
        raise ValueError(
            f"positives must be from 0 to counts; found {hits[row]:g} of {totals[row]:g} at "
            f"row {row}: counts are numbers of all rows, the positive ones among them"
        )
    return CountedRows(
        scores=np.tile(values, 2),
        labels=np.repeat(np.array([0, 1], np.uint8), values.size),
        sample_weight=np.append(totals - hits, hits),
    )


def rounded_scores(scores: ArrayLike, bound: float, *, scale: str = "score") -> NDArray[np.float64]:
    """Scores moved to the middles of equal cells, by `bound` at most, so that few are distinct.

    Counting equal scores makes a table of rounded scores small, but not one of continuous scores.
    The page *Any size* bounds the changes of measures and of fitted maps, and explains the bounds.

    Parameters
    ----------
    scores : array-like of shape (n,)
        Finite scores.
    bound : float
        Positive. The largest move of a score, or of its log-odds.
    scale : {"score", "logit"}, default="score"
        ``"score"`` rounds the scores, and ``"logit"`` the log-odds of scores in [0, 1]. With the
        latter the log loss of each row also changes by `bound` at most, for scores from 2^-53 to
        1 - 2^-53. Scores nearer to 0 or 1 are moved to these ends first.

    Returns
    -------
    rounded : ndarray of shape (n,)
        Tied or in the order of the scores. Scores in [0, 1] stay there for bounds up to 1/2.

    Notes
    -----
    O(n). A unit of the scale is divided into 1 / (2 bound) cells. For bounds below 1/2, into the
    next multiple of 60, so that with ``scale="score"`` no score leaves its bin of 10, 12, 15, 20,
    30 or 60 bins of equal width. Scores are not moved where they are so large that the gaps between
    floating-point numbers exceed the cells.

    Examples
    --------
    >>> from calib import rounded_scores
    >>> rounded_scores([0.0, 0.301, 0.309, 1.0], 0.005)
    array([0.00416667, 0.30416667, 0.3125    , 0.99583333])
    >>> rounded_scores([0.301, 0.302], 0.005, scale="logit").round(4)
    array([0.3003, 0.3021])
    """
    check_choice(scale, ["score", "logit"], "scale")
    check_positive(bound, "bound")
    values = check_scores(scores, unit=scale == "logit", allow_empty=True)
    values = log_odds(values) if scale == "logit" else values.copy()
    cells = 0.5 / bound
    if cells > 1:
        cells = CELL_MULTIPLE * np.ceil(cells / CELL_MULTIPLE)
    near = np.abs(values) < 2.0**52 / cells
    values[near] = _middles(values[near], cells)
    return inside(expit(values)) if scale == "logit" else values


def _middles(values, n):
    """Middles of the cells of width 1 / n in which the values lie; for 1, of the cell below it."""
    cells = np.floor(values * n)
    cells += values >= (cells + 1) / n  # the product may have been rounded across an edge
    cells -= (values < cells / n) | ((values == 1) & (cells == n))
    return (cells + 0.5) / n
