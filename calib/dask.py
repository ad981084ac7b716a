"""Counts of rows that one machine cannot hold, on Dask; the extra ``dask``.

A calibrator of a score, a measure, a test or an interval needs of all rows only how many there are
of each score, and how many of them are positive. The workers find that; `fit_counts` and
`calib.rows_of_counts` take it. So all that works on counts works on Dask, on any of its schedulers:
threads by default, or the cluster of the `distributed.Client` that is there.

Notes
-----
*How.* Each partition is checked, sorted and pooled to a table of its distinct scores, and tells
some quantiles of them. If all tables together are small, one worker joins them; else the scores are
divided at quantiles into ranges, and each range is joined by itself.

*Equal.* Numbers of rows, and weights that are whole numbers, are added exactly below 2^53: the
counts are those of the rows in memory to the last bit, however the rows are partitioned and
ordered. Other weights are rounded in another order.

*Cost.* Rows are read once. N rows in P partitions take O(N log N); each distinct score of a
partition takes 10 to 24 bytes on the workers, of which a cluster puts on disk what its memory does
not hold; that takes several times as long. The client needs 24 bytes for each distinct score, and
O(P) numbers. If nearly all of too many scores are distinct, `isotonic_counts` and `roc_auc_score`
need next to nothing, and `calib.rounded_scores` makes them few at a change that is bounded.

*Predictions* are made where the scores are: ``scores.map_blocks(calibrator.predict)`` of a dask
array.

A lost worker changes nothing: its partitions are computed again from their source.

Examples
--------
>>> import calib
>>> import dask.array as da
>>> scores = da.from_array([0.2, 0.8, 0.2, 0.2], chunks=2)
>>> labels = da.from_array([0, 1, 1, 0], chunks=2)
>>> counts = calib.dask.counts(scores, labels)
>>> counts
Counts(scores=array([0.2, 0.8]), positives=array([1., 1.]), counts=array([3., 1.]))
>>> calibrator = calib.VennAbers().fit_counts(*counts)
>>> scores.map_blocks(calibrator.predict).compute().round(3)
array([0.4  , 0.667, 0.4  , 0.4  ])
"""

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd

from calib.contract.counts import Counts
from calib.contract.validation import check_labels, check_not_negative, check_scores, check_size
from calib.kernels.adjacent_violators import pool_adjacent_violators
from calib.kernels.grouping import sum_runs, ties
from calib.kernels.sorting import argsort
from calib.metrics.discrimination import share, won_by_groups

__all__ = ["counts", "isotonic_counts", "roc_auc_score"]

Column = da.Array | dd.Series  # of one dimension
RANGE = 2**21  # rows of all tables that are joined at a time
POINTS = 512  # quantiles that each partition tells


def counts(scores: Column, labels: Column, sample_weight: Column | None = None) -> Counts:
    """Numbers of all and of positive rows at each distinct score, on the client.

    Parameters
    ----------
    scores : dask array of shape (n,) or dask series
        Finite scores. Partitions may be empty.
    labels : dask array of shape (n,) or dask series
        Classes, 0/1 or bool, in partitions like those of `scores`.
    sample_weight : dask array of shape (n,) or dask series, optional
        Non-negative weights; they are counts.

    Returns
    -------
    counts : Counts
        By increasing scores, without rows of weight zero; for `calib.rows_of_counts` and
        ``fit_counts``, which refuse it if there are no rows.

    Raises
    ------
    ValueError
        For rows that are not as described; the message names the partition and the row in it.
    """
    return _joined(_ranges(_pooled, scores, labels, sample_weight))


def isotonic_counts(scores: Column, labels: Column, sample_weight: Column | None = None) -> Counts:
    """Counts in which isotonic regression sees what it sees in `counts`; few, whatever the scores.

    `IsotonicCalibrator` fitted to them, not centred and with any `smoothing`, and what
    `calib.metrics.score_decomposition` says of its blocks, are equal to those of all rows. They are
    for nothing else: a block of n rows is n / 2 at its first score and n / 2 at its last.

    Parameters
    ----------
    scores, labels, sample_weight : dask array of shape (n,) or dask series
        As in `counts`.

    Returns
    -------
    counts : Counts
        Of n rows usually some n^(1/3).

    Notes
    -----
    The blocks of a range are pools of its scores in any case, because pooling a part never parts
    what it has pooled when the rest is added; and pooling is pooled sums of counts. So the blocks
    of all ranges, pooled once more, are those of all scores. A block whose positives stand first,
    as far as its first half has room, is pooled again.

    Examples
    --------
    >>> import calib
    >>> import dask.array as da
    >>> scores = da.from_array([0.1, 0.2, 0.3, 0.4], chunks=2)
    >>> counts = calib.dask.isotonic_counts(scores, da.from_array([0, 1, 0, 1], chunks=2))
    >>> calib.IsotonicCalibrator().fit_counts(*counts).predict([0.1, 0.25, 0.35, 0.9])
    array([0.  , 0.5 , 0.75, 1.  ])
    """
    return _blocks(_joined(_ranges(_pooled_blocks, scores, labels, sample_weight)))


def roc_auc_score(labels: Column, scores: Column, *, sample_weight: Column | None = None) -> float:
    """`calib.metrics.roc_auc_score` of rows on the workers: no table of scores comes to the client.

    Parameters
    ----------
    labels, scores, sample_weight : dask array of shape (n,) or dask series
        As in `counts`; labels of both classes.

    Returns
    -------
    area : float
        In [0, 1]. Without weights, and below some 10^8 rows, equal to the last bit to that of the
        rows in memory: numbers of pairs are exact below 2^52.

    Raises
    ------
    ValueError
        As `counts`, and for labels of one class.

    Notes
    -----
    Pairs are counted inside each range of scores. A positive of a range wins against all negatives
    of lower ranges.

    Examples
    --------
    >>> import calib
    >>> import dask.array as da
    >>> scores = da.from_array([0.1, 0.4, 0.4, 0.8], chunks=2)
    >>> calib.dask.roc_auc_score(da.from_array([0, 1, 0, 1], chunks=2), scores)
    0.875
    """
    won, negatives, positives = np.transpose(_ranges(_won, scores, labels, sample_weight))
    if not negatives.any() or not positives.any():
        raise ValueError("labels must hold both classes: the AUC compares their rows")
    lower = np.cumsum(negatives) - negatives
    pairs = negatives.sum() * positives.sum()
    return share(won.sum() + np.dot(positives, lower), pairs)


def _ranges(function, scores, labels, sample_weight):
    """``function(tables)`` of all rows between neighbouring cuts, in increasing order."""
    columns = {"scores": scores, "labels": labels}
    if sample_weight is not None:
        columns["sample_weight"] = sample_weight
    meta = pd.DataFrame(np.empty((0, 3)), columns=Counts._fields)
    frame = dd.map_partitions(
        _table, *_aligned(columns), meta=meta, enforce_metadata=False, align_dataframes=False
    )
    tables = dask.persist(*frame.optimize().to_delayed())
    sizes, points = zip(*dask.compute(*map(dask.delayed(_surveyed), tables)), strict=True)
    n_ranges = -(-sum(sizes) // RANGE)
    reduce = dask.delayed(function)
    if n_ranges <= 1:
        return dask.compute(reduce(tables))  # while `tables` holds on to them
    shares = np.repeat(np.array(sizes) / POINTS, POINTS)
    points = np.concatenate(points)
    order = np.argsort(points)
    ranks = np.cumsum(shares[order])
    goals = ranks[-1] * np.arange(1, n_ranges) / n_ranges
    cuts = np.unique(points[order][np.searchsorted(ranks, goals)])
    pieces = [dask.delayed(_split, nout=cuts.size + 1)(table, cuts) for table in tables]
    return dask.compute(*(reduce(list(of_range)) for of_range in zip(*pieces, strict=True)))


def _aligned(columns):
    """Series of equally many partitions, or an error that says what to do."""
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
    like = columns["scores"]
    for name, values in columns.items():
        arrays = isinstance(values, da.Array) and isinstance(like, da.Array)
        if arrays and values.shape == like.shape:
            columns[name] = values.rechunk(like.chunks)  # where sizes are known they are matched
        elif values.npartitions != like.npartitions:
            raise ValueError(
                f"{name} has {values.npartitions} partitions but scores has {like.npartitions}: "
                "take both from one dataframe, or rechunk them alike"
            )
    return [dd.from_dask_array(v) if isinstance(v, da.Array) else v for v in columns.values()]


def _table(*series, partition_info=None):
    """Counts of one partition."""
    try:
        return _compact(*ties(*_checked(*series)))
    except ValueError as error:
        number = partition_info["number"] if partition_info else 0
        raise ValueError(f"{error} (in partition {number}, rows counted from 0)") from None


def _checked(scores, labels, weights=None):
    """Clean columns, without the rows of weight zero."""
    scores = check_scores(scores, allow_empty=True)
    if scores.size == len(labels) == 0:
        return scores, np.empty(0, np.uint8)
    labels = check_labels(labels, size=scores.size)
    if weights is None:
        return scores, labels
    weights = check_scores(weights, name="sample_weight")
    check_size(weights.size, scores.size, "sample_weight", "scores")
    check_not_negative(weights)
    kept = weights > 0
    return scores[kept], labels[kept], weights[kept]


def _compact(scores, totals, positives):
    """Counts with numbers in as few bytes as they need: they are kept, sent, and put on disk."""
    return Counts(scores, *map(_small, (positives, totals)))


def _small(values):
    if values.max(initial=0) > 2**53:
        return values
    whole = values.astype(np.min_scalar_type(int(values.max(initial=0))))
    return whole if np.array_equal(whole, values) else values


def _surveyed(table):
    """Number of distinct scores, and `POINTS` quantiles of them that stand for equally many."""
    size = table.scores.size
    return size, table.scores[np.arange(POINTS) * size // POINTS] if size else np.zeros(POINTS)


def _split(table, cuts):
    """The tables between the cuts: a score that is a cut belongs to the range on its right."""
    places = np.searchsorted(table.scores, cuts)
    return tuple(map(Counts, *(np.split(column, places) for column in table)))


def _pooled(tables):
    """One table for many: equal scores are one."""
    scores, positives, totals = _joined(tables)
    order = argsort(scores)
    scores = scores[order]
    starts, totals, positives = sum_runs(scores, totals[order], positives[order])
    return _compact(scores[starts], totals, positives)


def _joined(tables):
    """The tables below one another."""
    scores, *numbers = map(np.concatenate, zip(*tables, strict=True))
    return Counts(scores, *(values.astype(np.float64) for values in numbers))


def _won(tables):
    """Pairs that positives win in a range, negatives and positives in it."""
    _, positives, totals = _joined([_pooled(tables)])
    negatives = totals - positives
    return won_by_groups(negatives, positives), negatives.sum(), positives.sum()


def _pooled_blocks(tables):
    return _blocks(_pooled(tables))


def _blocks(table):
    """Each block of isotonic regression in two halves, of which the first has no smaller mean."""
    scores, positives, totals = _joined([table])
    starts, totals, positives = pool_adjacent_violators(totals, positives)
    ends = np.column_stack([starts[:-1], starts[1:] - 1])
    halves = np.column_stack([totals, totals]) / 2
    first = np.minimum(positives, totals / 2)
    return Counts(
        scores[ends].ravel(), np.column_stack([first, positives - first]).ravel(), halves.ravel()
    )
