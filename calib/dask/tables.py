"""All rows as a table of distinct scores: the way to every other method and measure of `calib`."""

import dask
import numpy as np

from calib.contract.options import check_integer, check_positive
from calib.dask.rows import Column, Rows, Sample, pooled

JOINED_AT_ONCE = 8


def distinct_rows(
    scores: Column,
    labels: Column,
    sample_weight: Column | None = None,
    *,
    resolution: float | None = None,
    max_distinct: int = 10**6,
) -> Rows:
    r"""At most two weighted rows for each distinct score, on the client.

    Weights are counts in the whole of `calib`, so these rows stand for all: any calibrator can be
    fitted to them, and any measure evaluated, as if in memory.

    Parameters
    ----------
    scores, labels, sample_weight : dask array of shape (n,) or dask series
        As in `DaskCalibrator.fit`.
    resolution : float, optional
        Positive: round the scores to its multiples first; those of 1 / k, for a whole k, keep
        probabilities in [0, 1]. By default scores stay as they are.
    max_distinct : int, default=10**6
        Largest number of distinct scores accepted, by class: a worker and the client hold a few
        tables of 17 bytes for each.

    Returns
    -------
    scores, labels, weights : ndarray of shape (k,)
        Increasing scores of the negatives, then of the positives.

    Raises
    ------
    ValueError
        As in `DaskCalibrator.fit`, and if there are more distinct scores than `max_distinct`.

    Notes
    -----
    One pass; O(n log n) for each partition of n rows, whose tables are joined by eights. Without
    `resolution` counts are exact. With a resolution r every prediction moves by r / 2 at most. The
    Brier score and the `calib.metrics.smooth_calibration_error` then move by r at most: of a row,

    .. math::
        \begin{aligned}
        &|(z - p)^2 - (z - q)^2| \\
        &\quad = |p - q| \, |2 z - p - q| \\
        &\quad \le 2 |p - q| ,
        \end{aligned}

    .. math::
        \begin{aligned}
        &|w(p) (z - p) - w(q) (z - q)| \\
        &\quad \le |w(p) - w(q)| \, |z - p| \\
        &\qquad + |w(q)| \, |p - q| \\
        &\quad \le 2 |p - q|
        \end{aligned}

    for every :math:`|w| \le 1` of slope at most 1, and so does the largest mean over w. For maps
    and measures that jump when scores move, as all with bins or isotonic regression do, there is
    no such bound.

    Examples
    --------
    >>> import calib
    >>> import dask.array as da
    >>> from calib.dask import distinct_rows
    >>> scores = da.from_array([0.2, 0.8, 0.2, 0.2], chunks=2)
    >>> rows = distinct_rows(scores, da.from_array([0, 1, 1, 0], chunks=2))
    >>> rows
    Rows(scores=array([0.2, 0.2, 0.8]), labels=array([0, 1, 1], dtype=uint8),
         weights=array([2., 1., 1.]))
    >>> calibrator = calib.VennAbers().fit(rows.scores, rows.labels, sample_weight=rows.weights)
    >>> calibrator.predict([0.5]).round(3)
    array([0.571])
    """
    if resolution is not None:
        check_positive(resolution, "resolution")
    check_integer(max_distinct, "max_distinct")
    sample = Sample(scores, labels, sample_weight, unit=False, counts=True)
    tables = sample.delayed(_table, resolution, max_distinct)
    while len(tables) > 1:
        starts = range(0, len(tables), JOINED_AT_ONCE)
        join = dask.delayed(_joined)
        tables = [join(tables[s : s + JOINED_AT_ONCE], max_distinct) for s in starts]
    ((n_rows, rows),) = dask.compute(*tables)
    sample.check_total(float(rows.weights.sum()), n_rows)
    return rows


def _table(rows, resolution, max_distinct):
    """Number of rows of a partition, and its distinct ones."""
    if resolution is not None:
        rows = rows._replace(scores=np.rint(rows.scores / resolution) * resolution)
    return rows.scores.size, _small(pooled(rows), max_distinct)


def _joined(tables, max_distinct):
    sizes, parts = zip(*tables, strict=True)
    rows = Rows(*map(np.concatenate, zip(*parts, strict=True)))
    return sum(sizes), _small(pooled(rows), max_distinct)


def _small(rows, max_distinct):
    """The same rows, unless they are too many."""
    most = int(np.bincount(rows.labels, minlength=2).max())
    if most > max_distinct:
        raise ValueError(
            f"scores has {most} distinct values or more but max_distinct is {max_distinct}: round "
            "them by a resolution, take a method that orders them on the workers, or raise "
            "max_distinct"
        )
    return rows
