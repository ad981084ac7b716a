"""The rows of a sample in partitions: checked by the workers, surveyed, and ordered by ranges."""

from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Any, NamedTuple

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from calib.contract.validation import check_labels, check_not_negative, check_scores, check_total
from calib.kernels.grouping import group_ties

Column = da.Array | dd.Series  # of one dimension
MOST_RANGES = 1000
POINTS_PER_RANGE = 4  # quantiles that each partition tells the client, for each range


COLUMNS = pd.DataFrame(
    {"score": np.empty(0, "f8"), "label": np.empty(0, "u1"), "weight": np.empty(0, "f8")}
)


class Rows(NamedTuple):
    """Clean rows, as the kernels take them; arrays of shape (n,), n may be 0."""

    scores: NDArray[np.float64]
    labels: NDArray[np.uint8]
    weights: NDArray[np.float64] | None


class Survey(NamedTuple):
    """What is known of all rows after one pass.

    Attributes
    ----------
    weights : ndarray of shape (2,)
        Weight of the negative and of the positive rows.
    classes : list of int
        The labels that are there.
    lowest, highest : float
        Extreme scores.
    median : float
        Of the scores, as nearly as the points that the partitions told allow.
    edges : ndarray of shape (n_ranges + 1,)
        Increasing; range r holds the scores from ``edges[r]`` to below ``edges[r + 1]``.
    """

    weights: NDArray[np.float64]
    classes: list[int]
    lowest: float
    highest: float
    median: float
    edges: NDArray[np.float64]

    @property
    def total(self) -> float:
        """Weight of all rows."""
        return float(self.weights.sum())


class Sample:
    """Scores, labels and weights as a dataframe whose partitions are `Rows`.

    Parameters
    ----------
    scores, labels, sample_weight : dask array of one dimension or dask series
        The last may be None.
    unit : bool
        Whether scores must lie in [0, 1].
    name : str
        What the caller calls the scores.
    counts : bool
        Whether the result depends on the sum of the weights, and not only on their ratios.
    """

    def __init__(self, scores, labels, sample_weight=None, *, unit, name="scores", counts=False):
        columns = {name: scores, "labels": labels}
        if sample_weight is not None:
            columns["sample_weight"] = sample_weight
        self.name, self.counts, self.weighted = name, counts, sample_weight is not None
        frame = dd.map_partitions(
            _checked,
            *_aligned(columns),
            unit=unit,
            name=name,
            align_dataframes=False,
            meta=COLUMNS if self.weighted else COLUMNS[["score", "label"]],
        )
        self.frame = frame.optimize()  # once: it may read several small files as one partition

    def each(self, function: Callable, *arguments: Any) -> tuple:
        """``function(rows, *arguments)`` of every partition, on the client: keep it small."""
        return dask.compute(*self.delayed(function, *arguments))

    def delayed(self, function: Callable, *arguments: Any) -> list:
        """The same, not yet computed."""
        return _delayed(function, self.frame, [arguments] * self.frame.npartitions)

    def total(self, function: Callable, *arguments: Any) -> NDArray[np.float64]:
        """Sum of what `each` returns: numbers, or arrays of one shape."""
        return _added(self.each(function, *arguments))

    @cached_property
    def survey(self) -> Survey:
        """One pass over the rows: O(n log n) for each partition.

        Raises
        ------
        ValueError
            If there are no rows, or if their weights cannot be meant.
        """
        n_ranges = min(self.frame.npartitions, MOST_RANGES)
        parts = self.each(_survey, POINTS_PER_RANGE * n_ranges)
        sums = _added([part["sums"] for part in parts])
        self.check_total(float(sums.sum()), sum(part["n_rows"] for part in parts))
        points = np.concatenate([part["points"] for part in parts])
        shares = np.concatenate([part["shares"] for part in parts])
        order = np.argsort(points)
        points, ranks = points[order], np.cumsum(shares[order])
        quantiles = np.arange(1, 2 * n_ranges) / (2 * n_ranges)
        cuts = points[np.searchsorted(ranks, ranks[-1] * quantiles)]
        with np.errstate(over="ignore"):  # beyond the largest float
            end = np.nextafter(points[-1], np.inf)
        return Survey(
            weights=sums,
            classes=sorted(set().union(*(part["classes"] for part in parts))),
            lowest=float(points[0]),
            highest=float(points[-1]),
            median=float(cuts[n_ranges - 1]),
            edges=np.unique([points[0], *cuts[1::2], end]),
        )

    def check_total(self, total: float, n_rows: int) -> None:
        """Raise if there are no rows, or if the `total` of their weights cannot be meant."""
        if self.weighted:
            check_total(total, n_rows, self.counts and n_rows > 1)
        elif n_rows == 0:
            raise ValueError(f"{self.name} is empty: at least one row is needed")

    @property
    def n_ranges(self) -> int:
        """Number of ranges of scores."""
        return self.survey.edges.size - 1

    def each_range(self, function: Callable, *arguments: Iterable) -> tuple:
        """``function(rows, a[r], ...)`` of every range r of scores, from left to right.

        The rows of a partition are pooled, at most two for each distinct score, and sent to their
        ranges. Of N rows in P partitions, each of R ranges gets about N / R and never more than
        1.5 N / R + 3 P: a partition has told its quantiles in steps of 1 / (4 R), and of a tie,
        which no cut divides, it sends two rows at most.
        """
        edges = self.survey.edges
        distinct = self.frame.map_partitions(_pooled_frame, meta=COLUMNS)
        ordered = distinct.set_index("score", divisions=edges.tolist())
        arguments = zip(*arguments, strict=True) if arguments else [()] * self.n_ranges
        return dask.compute(*_delayed(function, ordered, arguments))

    def weights_before(self) -> NDArray[np.float64]:
        """Weight of all rows to the left of each range: one pass, O(n log R)."""
        return np.cumsum(np.append(0.0, self.total(_range_weights, self.survey.edges[1:-1])[:-1]))


def _aligned(columns):
    """Series of equally many partitions, or an error that says what to do."""
    for name, values in columns.items():
        if not isinstance(values, Column):
            raise ValueError(
                f"{name} must be a dask array or a column of a dask dataframe; found "
                f"{type(values).__name__}: take the same name from calib for data in memory, or "
                "dask.array.from_array"
            )
        if values.ndim != 1:
            raise ValueError(
                f"{name} must be one-dimensional; found shape {values.shape}: pass one column, for "
                f"example {name}[:, 1] of predict_proba"
            )
    first, *others = columns
    like = columns[first]
    for name in others:
        values = columns[name]
        if (
            isinstance(values, da.Array)
            and isinstance(like, da.Array)
            and values.shape == like.shape
        ):
            columns[name] = values.rechunk(like.chunks)  # where sizes are known they are matched
        elif values.npartitions != like.npartitions:
            raise ValueError(
                f"{name} has {values.npartitions} partitions but {first} has {like.npartitions}: "
                "take both from one dataframe, or rechunk them alike"
            )
    return [dd.from_dask_array(v) if isinstance(v, da.Array) else v for v in columns.values()]


def _checked(*series, unit, name, partition_info=None):
    """One partition as a data frame of clean rows."""
    try:
        rows = _check(*series, unit=unit, name=name)
    except ValueError as error:
        number = partition_info["number"] if partition_info else 0
        raise ValueError(f"{error} (in partition {number}, rows counted from 0)") from None
    return _frame(rows)


def _check(scores, labels, weights=None, *, unit, name):
    """Clean columns, without the rows of weight zero."""
    scores = check_scores(scores, name=name, unit=unit, allow_empty=True)
    if scores.size == len(labels) == 0:
        labels = np.empty(0, np.uint8)
    else:
        labels = check_labels(labels, size=scores.size, other=name)
    if weights is None:
        return scores, labels
    weights = check_scores(weights, name="sample_weight", allow_empty=True)
    if weights.size != scores.size:
        raise ValueError(
            f"sample_weight has {weights.size} rows but {name} has {scores.size}: they must match"
        )
    check_not_negative(weights)
    kept = weights > 0
    return scores[kept], labels[kept], weights[kept]


def _survey(rows, n_points):
    """What a partition tells of itself; `n_points` quantiles stand for equally many rows each."""
    scores = np.sort(rows.scores)
    n_points = min(n_points, scores.size)
    points = scores[np.arange(n_points) * scores.size // max(n_points, 1)]
    sums = np.bincount(rows.labels, rows.weights, minlength=2).astype(np.float64)
    return {
        "n_rows": scores.size,
        "sums": sums,
        "classes": set(np.unique(rows.labels).tolist()),
        "points": np.append(points, scores[-1:]),  # the extremes are among them
        "shares": np.append(np.full(n_points, scores.size / max(n_points, 1)), scores[-1:] * 0),
    }


def _range_weights(rows, cuts):
    """Weight of the rows of each range between the `cuts`."""
    ranges = np.searchsorted(cuts, rows.scores, side="right")
    return np.bincount(ranges, rows.weights, minlength=cuts.size + 1)


def pooled(rows: Rows) -> Rows:
    """The distinct scores of each class, increasing, with their weights: O(n log n)."""
    classes = []
    for label in (0, 1):
        own = rows.labels == label
        weights = None if rows.weights is None else rows.weights[own]
        groups = group_ties(rows.scores[own], rows.labels[own], weights)
        labels = np.full(groups.scores.size, label, np.uint8)
        classes.append((groups.scores, labels, groups.weights))
    return Rows(*map(np.concatenate, zip(*classes, strict=True)))


def _pooled_frame(frame):
    return _frame(pooled(_rows(frame)))


def _frame(rows):
    """Rows as a data frame; without weights it has no such column."""
    return pd.DataFrame(dict(zip(COLUMNS, rows, strict=False)))


def _rows(frame):
    """The arrays of a data frame, whose index are the scores once it has been ordered."""
    scores = frame["score"] if "score" in frame else frame.index
    weights = None
    if "weight" in frame and not (frame["weight"] == 1).all():
        weights = frame["weight"].to_numpy()
    return Rows(scores.to_numpy(), frame["label"].to_numpy(), weights)


def _delayed(function, frame, arguments):
    """``function(rows, *own)`` of each partition, with its own arguments."""
    task = dask.delayed(_on_rows)
    parts = zip(frame.to_delayed(), arguments, strict=True)
    return [task(function, part, *own) for part, own in parts]


def _on_rows(function, frame, *arguments):
    return function(_rows(frame), *arguments)


def _added(parts):
    """Sum of numbers or arrays: the axis of the parts is the last, which NumPy adds in pairs."""
    return np.ascontiguousarray(np.stack(parts, axis=-1)).sum(axis=-1)
