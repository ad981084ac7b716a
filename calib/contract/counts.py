"""Rows out of counts: how many there are of each score, and how many of them are positive."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit

from calib.contract.options import check_choice, check_positive
from calib.contract.validation import check_scores, check_size, check_weights, inside, log_odds

BINS = 60  # cells in multiples of it: bins of 10, 12, 15, 20, 30 and 60 are made of whole cells


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
    >>> round(brier_score_loss(labels, scores, sample_weight=weights), 4)
    0.14
    """
    scores = check_scores(scores)
    counts = check_weights(counts, size=scores.size, name="counts")
    positives = check_scores(positives, name="positives")
    check_size(positives.size, scores.size, "positives", "scores")
    wrong = (positives < 0) | (positives > counts)
    if wrong.any():
        row = int(np.argmax(wrong))
        raise ValueError(
            f"positives must be from 0 to counts; found {positives[row]:g} of {counts[row]:g} at "
            f"row {row}: counts are numbers of all rows, the positive ones among them"
        )
    labels = np.repeat(np.array([0, 1], np.uint8), scores.size)
    return CountedRows(np.tile(scores, 2), labels, np.append(counts - positives, positives))


def rounded_scores(scores: ArrayLike, bound: float, *, scale: str = "score") -> NDArray[np.float64]:
    """Scores moved to the middles of equal cells, by `bound` at most, so that few are distinct.

    Continuous scores do not shrink when equal ones are counted; rounded ones do. What that changes
    at most in measures and in fitted maps, and why, stands on the page *Any size*.

    Parameters
    ----------
    scores : array-like of shape (n,)
        Finite scores.
    bound : float
        Positive; by how much a score, or its log-odds, may move.
    scale : {"score", "logit"}, default="score"
        What is rounded: the scores, or the log-odds of scores in [0, 1]. Then the log loss of each
        row changes by `bound` at most, too.

    Returns
    -------
    rounded : ndarray of shape (n,)
        Tied or in the order of the scores. Scores in [0, 1] stay there for bounds up to 1/2.

    Notes
    -----
    O(n). A unit of the scale is divided into 1 / (2 bound) cells; for bounds below 1/2, into the
    next multiple of 60, so that with ``scale="score"`` no score leaves its bin of 10, 12, 15, 20,
    30 or 60 bins of equal width. Numbers so large that floating-point numbers are further apart
    than cells stay as they are.

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
        cells = BINS * np.ceil(cells / BINS)
    near = np.abs(values) < 2.0**52 / cells
    values[near] = _middles(values[near], cells)
    return inside(expit(values)) if scale == "logit" else values


def _middles(values, n):
    """Middles of the cells of width 1 / n in which the values lie; of two at 1, the left one."""
    cells = np.floor(values * n)
    cells += values >= (cells + 1) / n  # the product may round across an edge; the edges decide
    cells -= (values < cells / n) | ((values == 1) & (cells == n))
    return (cells + 0.5) / n
