"""Counts of rows that one machine cannot hold, on Dask; the extra ``dask``.

A calibrator of a score, a measure, a test or an interval needs only the numbers of all and of
positive rows at each distinct score. The workers find these numbers, and `fit_counts` and
`calib.rows_of_counts` take them. Everything that works on counts therefore works on Dask, with any
of its schedulers: threads by default, or the cluster of the active `distributed.Client`.

Notes
-----
*How.* Each partition is checked, sorted and pooled to a table of its distinct scores. If all tables
together are small, one worker joins them. Otherwise quantiles of the tables divide the scores into
ranges, and each range is joined by itself.

*Equal.* Numbers of rows, and weights that are whole numbers, are added exactly below 2^53: the
counts are equal to the counts of the rows in memory to the last bit, however the rows are
partitioned and ordered. Other weights are rounded in another order.

*Cost.* Rows are read once. N rows in P partitions take O(N log N). Each distinct score of a
partition takes 10 to 24 bytes on the workers. A cluster puts tables that its memory cannot hold on
disk, which takes several times as long. The client needs 24 bytes for each distinct score, and O(P)
numbers. If there are many scores and nearly all are distinct, `isotonic_counts` and `roc_auc_score`
need little memory, `venn_abers` usually 2 bytes for each distinct score on the client, and
`calib.rounded_scores` reduces the number of distinct scores with a bounded error.

*Predictions* are made where the scores are: ``scores.map_blocks(calibrator.predict)`` of a dask
array.

A lost worker changes nothing. Its partitions are computed again from their source.

Examples
--------
>>> import calib
>>> import dask.array as da
>>> import calibkit.deployment.dask
>>> scores = da.from_array([0.2, 0.8, 0.2, 0.2], chunks=2)
>>> labels = da.from_array([0, 1, 1, 0], chunks=2)
>>> counts = calibkit.deployment.dask.counts(scores, labels)
>>> counts
Counts(scores=array([0.2, 0.8]), positives=array([1., 1.]), counts=array([3., 1.]))
>>> calibrator = calib.VennAbers().fit_counts(*counts)
>>> scores.map_blocks(calibrator.predict).compute().round(3)
array([0.4  , 0.667, 0.4  , 0.4  ])
"""

from typing import Any, NamedTuple

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from calib.base.arrays import check_labels, check_not_negative, check_scores, check_size
from calib.base.counts import Counts
from calib.kernels.adjacent_violators import pool_adjacent_violators
from calib.kernels.fast.sorting import argsort
from calib.kernels.fast.ties import sums_of_runs
from calib.kernels.ties import ties
from calib.methods.venn_abers import VennAbers, steps_of_pairs
from calib.metrics.auc import fraction_of, won_by_ties
from calibkit.deployment.many_rows import in_halves, venn_abers_of_steps

__all__ = ["counts", "isotonic_counts", "roc_auc_score", "venn_abers"]

Column = da.Array | dd.Series  # a column of one dimension
ROWS_PER_RANGE = 2**21  # rows of all tables that are joined at a time
N_QUANTILES = 512  # quantiles of the scores of each partition, by which ranges are chosen


def counts(scores: Column, labels: Column, sample_weight: Column | None = None) -> Counts:
    """Numbers of all and of positive rows at each distinct score, on the client.

    Parameters
    ----------
    scores : dask array of shape (n,) or dask series
        Finite scores. Partitions may be empty.
    labels : dask array of shape (n,) or dask series
        Classes, 0/1 or bool, in the same partitions as `scores`.
    sample_weight : dask array of shape (n,) or dask series, optional
        Non-negative weights. They are counts.

    Returns
    -------
    counts : Counts
        The scores increase. Rows of weight zero are left out. Pass the counts to
        `calib.rows_of_counts` or to ``fit_counts``. Counts without rows are refused there.

    Raises
    ------
    ValueError
        For rows that are not as described. The message names the partition and the row in it.
    """
    return _stacked_tables(_ranges(_pooled, scores, labels, sample_weight))


def isotonic_counts(scores: Column, labels: Column, sample_weight: Column | None = None) -> Counts:
    """A short table to which isotonic regression gives the same fit as to all rows.

    `IsotonicCalibrator`, not centred and with any `smoothing`, has the same fit to this table as to
    all rows, whatever the scores, and `calib.metrics.score_decomposition` finds the same blocks in
    both. The table has no other use. A block of n rows becomes n / 2 rows at its first score and
    n / 2 at its last.

    Parameters
    ----------
    scores, labels, sample_weight : dask array of shape (n,) or dask series
        As in `counts`.

    Returns
    -------
    counts : Counts
        Usually some n^(1/3) scores for n rows.

    Notes
    -----
    Scores that are pooled in a range stay pooled when the other ranges are added, and a pool is the
    sum of its counts. The blocks of all ranges, pooled once more, are therefore the blocks of all
    scores. In each block the positives stand first, as far as its first half has room, so that the
    two halves are pooled again.

    Examples
    --------
    >>> import calib
    >>> import dask.array as da
    >>> from calibkit.deployment.dask import isotonic_counts
    >>> scores = da.from_array([0.1, 0.2, 0.3, 0.4], chunks=2)
    >>> counts = isotonic_counts(scores, da.from_array([0, 1, 0, 1], chunks=2))
    >>> calib.IsotonicCalibrator().fit_counts(*counts).predict([0.1, 0.25, 0.35, 0.9])
    array([0.  , 0.5 , 0.75, 1.  ])
    """
    return _isotonic_blocks(_stacked_tables(_ranges(_pooled_blocks, scores, labels, sample_weight)))


def venn_abers(scores: Column, labels: Column, sample_weight: Column | None = None) -> VennAbers:
    """`calib.VennAbers` fitted to rows on the workers. The client gets no table of scores.

    Parameters
    ----------
    scores, labels, sample_weight : dask array of shape (n,) or dask series
        As in `counts`.

    Returns
    -------
    calibrator : VennAbers
        The map is equal to the last bit to the map of ``VennAbers().fit_counts(*counts)``.

    Raises
    ------
    ValueError
        As in `counts`, and if there are no rows.

    Notes
    -----
    The client gets the labels in the order of the scores, usually 2 bytes for each distinct score,
    and then the scores at which the map has a step.

    Examples
    --------
    >>> import dask.array as da
    >>> from calibkit.deployment.dask import venn_abers
    >>> scores = da.from_array([0.2, 0.8, 0.2, 0.2], chunks=2)
    >>> calibrator = venn_abers(scores, da.from_array([0, 1, 1, 0], chunks=2))
    >>> calibrator.predict([0.2, 0.8]).round(3)
    array([0.4  , 0.667])
    """
    ranges = _delayed_ranges(_pooled, scores, labels, sample_weight)
    tables = dask.persist(*ranges.results)
    delayed_counts = [dask.delayed(_counted)(table) for table in tables]
    counted = dask.compute(*delayed_counts)
    del ranges  # the workers need the tables of the partitions no more
    weights = _bytes_or_floats([counts for counts, _ in counted])
    positives = _bytes_or_floats([hits for _, hits in counted])
    if weights.size == 0:
        raise ValueError("scores hold no rows, and at least one row is needed")
    steps, p0, p1 = steps_of_pairs(weights, positives)
    starts = np.cumsum([0, *(part.size for part, _ in counted)])
    steps_of_ranges = np.split(steps, np.searchsorted(steps, starts[1:-1]))
    scores_of_ranges = [
        dask.delayed(_scores_at)(table, steps_of_range - start)
        for table, steps_of_range, start in zip(tables, steps_of_ranges, starts[:-1], strict=True)
    ]
    return venn_abers_of_steps(np.concatenate(dask.compute(*scores_of_ranges)), p0, p1)


def roc_auc_score(labels: Column, scores: Column, *, sample_weight: Column | None = None) -> float:
    """`calib.metrics.roc_auc_score` of rows on the workers. The client gets no table of scores.

    Parameters
    ----------
    labels, scores, sample_weight : dask array of shape (n,) or dask series
        As in `counts`; labels of both classes.

    Returns
    -------
    area : float
        In [0, 1]. Without weights, and below some 10^8 rows, equal to the last bit to the area of
        the rows in memory: numbers of pairs are exact below 2^52.

    Raises
    ------
    ValueError
        As in `counts`, and for labels of one class.

    Notes
    -----
    Pairs are counted inside each range of scores. A positive of a range wins against all negatives
    of lower ranges.

    Examples
    --------
    >>> import dask.array as da
    >>> from calibkit.deployment.dask import roc_auc_score
    >>> scores = da.from_array([0.1, 0.4, 0.4, 0.8], chunks=2)
    >>> roc_auc_score(da.from_array([0, 1, 0, 1], chunks=2), scores)
    0.875
    """
    won, negatives, positives = np.transpose(_ranges(_won, scores, labels, sample_weight))
    if not negatives.any() or not positives.any():
        raise ValueError("labels must hold both classes: the AUC compares their rows")
    lower = np.cumsum(negatives) - negatives
    pairs = negatives.sum() * positives.sum()
    return fraction_of(won.sum() + np.dot(positives, lower), pairs)


def _ranges(function, scores, labels, sample_weight):
    """``function(tables)`` of all rows between neighbouring cuts, in increasing order."""
    ranges = _delayed_ranges(function, scores, labels, sample_weight)
    return dask.compute(*ranges.results)


class _DelayedRanges(NamedTuple):
    """Results of ranges, still to be computed, and the tables to hold until then."""

    results: list[Any]
    partitions: tuple[Any, ...]


def _delayed_ranges(function, scores, labels, sample_weight):
    """``function(tables)`` of all rows between neighbouring cuts, still to be computed."""
    columns = {"scores": scores, "labels": labels}
    if sample_weight is not None:
        columns["sample_weight"] = sample_weight
    meta = pd.DataFrame(np.empty((0, 3)), columns=Counts._fields)
    frame = dd.map_partitions(
        _table, *_aligned(columns), meta=meta, enforce_metadata=False, align_dataframes=False
    )
    tables = dask.persist(*frame.optimize().to_delayed())
    delayed_surveys = [dask.delayed(_surveyed)(table) for table in tables]
    surveys = dask.compute(*delayed_surveys)
    n_ranges = -(-sum(survey.size for survey in surveys) // ROWS_PER_RANGE)
    reduce = dask.delayed(function)
    if n_ranges <= 1:
        return _DelayedRanges(results=[reduce(tables)], partitions=tables)
    cuts = _cuts_of(surveys, n_ranges)
    pieces = [dask.delayed(_split_at, nout=cuts.size + 1)(table, cuts) for table in tables]
    results = [reduce(list(pieces_of_range)) for pieces_of_range in zip(*pieces, strict=True)]
    return _DelayedRanges(results=results, partitions=tables)


def _cuts_of(surveys, n_ranges):
    """Scores that divide all tables into ranges of about equally many distinct scores."""
    sizes = np.array([survey.size for survey in surveys])
    points = np.concatenate([survey.quantiles for survey in surveys])
    order = np.argsort(points)
    ranks = np.cumsum(np.repeat(sizes / N_QUANTILES, N_QUANTILES)[order])
    goals = ranks[-1] * np.arange(1, n_ranges) / n_ranges
    return np.unique(points[order][np.searchsorted(ranks, goals)])


def _aligned(columns):
    """Series of equally many partitions, or an error that names the remedy."""
    for name, values in columns.items():
        if not isinstance(values, Column):
            raise ValueError(
                f"{name} must be a dask array or a column of a dask dataframe; found "
                f"{type(values).__name__}: take fit for data in memory, or dask.array.from_array"
            )
        if values.ndim != 1:
            raise ValueError(
                f"{name} must be one-dimensional; found shape {values.shape}: pass one column, for "
                f"example {name}[:, 1] of predict_proba"
            )
    scores = columns["scores"]
    aligned = []
    for name, values in columns.items():
        are_arrays = isinstance(values, da.Array) and isinstance(scores, da.Array)
        if are_arrays and values.shape == scores.shape:  # the sizes of the chunks are known
            values = values.rechunk(scores.chunks)
        elif values.npartitions != scores.npartitions:
            raise ValueError(
                f"{name} has {values.npartitions} partitions but scores has {scores.npartitions}: "
                "take both from one dataframe, or rechunk them alike"
            )
        aligned.append(dd.from_dask_array(values) if isinstance(values, da.Array) else values)
    return aligned


def _table(scores, labels, weights=None, partition_info=None):
    """Counts of one partition."""
    try:
        rows = _checked_rows(scores, labels, weights)
    except ValueError as error:
        number = partition_info["number"] if partition_info else 0
        raise ValueError(f"{error} (in partition {number}, rows counted from 0)") from None
    tied = ties(rows.scores, rows.labels, rows.weights)
    return _compact(Counts(scores=tied.scores, positives=tied.positives, counts=tied.weights))


class CheckedRows(NamedTuple):
    """Clean columns of one partition, without the rows of weight zero."""

    scores: NDArray[np.float64]
    labels: NDArray[np.uint8]
    weights: NDArray[np.float64] | None


def _checked_rows(scores, labels, weights):
    """Check the columns of one partition, which may be empty."""
    scores = check_scores(scores, allow_empty=True)
    if scores.size == len(labels) == 0:
        return CheckedRows(scores=scores, labels=np.empty(0, np.uint8), weights=None)
    labels = check_labels(labels, size=scores.size)
    if weights is None:
        return CheckedRows(scores=scores, labels=labels, weights=None)
    weights = check_scores(weights, name="sample_weight")
    check_size(weights.size, scores.size, "sample_weight", "scores")
    check_not_negative(weights)
    present = weights > 0
    return CheckedRows(scores=scores[present], labels=labels[present], weights=weights[present])


def _compact(table):
    """The table with numbers of few bytes, because tables are kept, sent, and put on disk."""
    return Counts(
        scores=table.scores, positives=_small(table.positives), counts=_small(table.counts)
    )


def _small(values):
    """The values as the smallest unsigned integers that hold them, if they are whole."""
    if values.max(initial=0) > 2**53:
        return values
    whole = values.astype(np.min_scalar_type(int(values.max(initial=0))))
    return whole if np.array_equal(whole, values) else values


class Survey(NamedTuple):
    """The number of distinct scores of a partition, and quantiles of these scores."""

    size: int
    quantiles: NDArray[np.float64]


def _surveyed(table):
    """Survey a table: each quantile stands for equally many of its scores."""
    size = table.scores.size
    if size == 0:
        return Survey(size, np.zeros(N_QUANTILES))
    return Survey(size, table.scores[np.arange(N_QUANTILES) * size // N_QUANTILES])


def _split_at(table, cuts):
    """The tables between the cuts: a score that is a cut belongs to the range on its right."""
    positions = np.searchsorted(table.scores, cuts)
    columns = [np.split(column, positions) for column in table]
    return tuple(
        Counts(scores=scores, positives=positives, counts=totals)
        for scores, positives, totals in zip(*columns, strict=True)
    )


def _pooled(tables):
    """One table for many: equal scores are pooled."""
    table = _stacked_tables(tables)
    order = argsort(table.scores)
    firsts, totals, positives = sums_of_runs(order, table.scores, table.counts, table.positives)
    return _compact(Counts(scores=table.scores[firsts], positives=positives, counts=totals))


def _stacked_tables(tables):
    """The tables below one another, as floats."""
    positives = np.concatenate([table.positives for table in tables])
    totals = np.concatenate([table.counts for table in tables])
    return Counts(
        scores=np.concatenate([table.scores for table in tables]),
        positives=positives.astype(np.float64),
        counts=totals.astype(np.float64),
    )


def _won(tables):
    """Pairs that positives win in a range, and the negatives and the positives in it."""
    table = _stacked_tables([_pooled(tables)])
    negatives = table.counts - table.positives
    return won_by_ties(negatives, table.positives), negatives.sum(), table.positives.sum()


def _counted(table):
    """Rows and positives at the distinct scores."""
    return table.counts, table.positives


def _bytes_or_floats(arrays):
    """All numbers in one array of uint8 or float64."""
    together = np.concatenate(arrays)
    return together if together.dtype == np.uint8 else together.astype(np.float64)


def _scores_at(table, numbers):
    return table.scores[numbers]


def _pooled_blocks(tables):
    return _isotonic_blocks(_pooled(tables))


def _isotonic_blocks(table):
    """Each block of isotonic regression in two halves, of which the first has no smaller mean."""
    table = _stacked_tables([table])
    starts, totals, positives = pool_adjacent_violators(table.counts, table.positives)
    return in_halves(table.scores[starts[:-1]], table.scores[starts[1:] - 1], totals, positives)
