"""Measures and calibrators of very many continuous scores, exact, on one machine.

Functions of `calib` sort all rows at once, and need several times the memory of the rows. Here the
rows are sorted a range of scores after the other. The results are the same, to the last bit as
long as numbers of pairs are exact (below some 10^8 rows), and nearly the same beyond.

`rows_in_memory` holds arrays, and `rows_in_parquet` reads files. Both give `SortedRanges` to:

* `roc_auc_score` and `kuiper_error`;
* `expected_calibration_error`, with bins of equally many rows;
* `isotonic_counts`, a short table for ``fit_counts``;
* `histogram_binning` and `venn_abers`, fitted calibrators.

Notes
-----
*Cost.* Each range is gathered by a pass over all rows, and sorted. N rows in R ranges take O(R N)
time to gather and O(N log N) to sort. `venn_abers` does both twice. Rows in memory need
about 0.7 times their memory once more, and at 10^9 rows 0.3 times. `venn_abers` needs 2 bytes a row
more. The keys of files
are written to a folder, 4 or 8 bytes a row, and memory does not grow with the number of files.

Examples
--------
>>> import numpy as np
>>> from calibkit.deployment import many_rows
>>> scores = np.array([0.1, 0.4, 0.4, 0.8])
>>> rows = many_rows.rows_in_memory(scores, np.array([0, 1, 0, 1]))
>>> many_rows.roc_auc_score(rows)
0.875
"""

import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from calib.base.arrays import check_both_classes, check_labels, check_scores
from calib.base.counts import Counts
from calib.base.options import check_integer, number_of_bins
from calib.kernels.adjacent_violators import pool_adjacent_violators
from calib.kernels.binning import halfway
from calib.kernels.compiling import threads
from calib.kernels.fast.keys import (
    KEY_TYPES,
    Packing,
    count_pairs,
    pack,
    packing_of,
    sort_in_threads,
    unpack,
)
from calib.kernels.ties import Ties
from calib.methods.histogram_binning import HistogramBinning
from calib.methods.venn_abers import VennAbers, steps_of_pairs
from calib.metrics.auc import fraction_of
from calibkit.deployment.many_rows_kernels import add_to_bins, count_from, gather

__all__ = [
    "SortedRanges",
    "expected_calibration_error",
    "histogram_binning",
    "isotonic_counts",
    "kuiper_error",
    "roc_auc_score",
    "rows_in_memory",
    "rows_in_parquet",
    "venn_abers",
]

MOST_ROWS_PER_RANGE = 2**26  # rows of a range, unless a quarter of all rows is less
ROWS_PER_BLOCK = 2**17  # rows of sorted keys that are unpacked together: they fit the cache
SAMPLE_SIZE = 2**14  # keys by which ranges are chosen
LARGEST_SMALL_COUNT = 255  # rows of a tie that a byte counts


class SortedRanges(NamedTuple):
    """Rows that can be read in the order of their scores, as often as they are asked for.

    Attributes
    ----------
    n_rows : int
    packing : Packing
        The meaning of the keys of the rows.
    read : callable
        Without arguments, an iterator over arrays of sorted keys, one for each range of scores.
    """

    n_rows: int
    packing: Packing
    read: Callable[[], Iterator[NDArray]]

    def ties(self) -> Iterator[Ties]:
        """Ties in increasing order, in blocks."""
        counts = np.empty(0)
        positives = np.empty(0)
        for keys in self.read():
            for start, end in _blocks(keys):
                block = keys[start:end]
                if counts.size < block.size:
                    counts = np.empty(block.size)
                    positives = np.empty(block.size)
                n = unpack(block, self.packing.centre, self.packing.offset, counts, positives)
                distinct = block[:n].view(f"f{keys.itemsize}").astype(np.float64)
                yield Ties(scores=distinct, weights=counts[:n], positives=positives[:n])


def _blocks(keys):
    """Where blocks of sorted keys begin and end. No block ends inside a tie.

    The keys before the end of a block may have been replaced when the next one is asked for.
    """
    start = 0
    while start < keys.size:
        end = min(start + ROWS_PER_BLOCK, keys.size)
        with_label = keys[end - 1] | keys.dtype.type(1)
        end += int(np.searchsorted(keys[end:], with_label, side="right"))
        yield start, end
        start = end


# Rows in memory


def rows_in_memory(
    scores: ArrayLike,
    labels: ArrayLike,
    *,
    rows_per_range: int | None = None,
    verbose: int = 0,
) -> SortedRanges:
    """Rows of two arrays, which stay as they are.

    Parameters
    ----------
    scores : array-like of shape (n,)
        Finite scores. Arrays of float32 and float64 are not copied.
    labels : array-like of shape (n,)
        Classes, 0/1 or bool. Arrays of bool are not copied.
    rows_per_range : int, optional
        Rows that are sorted together. By default 2^26, or a quarter of all rows if that is less.
    verbose : int, default=0
        Whether each range is reported to the standard error.

    Returns
    -------
    rows : SortedRanges

    Raises
    ------
    ValueError
        For input that is not as described, or for scores of both signs whose magnitudes span more
        than 1024 powers of 2 (128 in float32).
    """
    clean_scores = check_scores(scores, narrow=True)
    clean_labels = check_labels(labels, size=clean_scores.size)
    n_rows = clean_scores.size
    if rows_per_range is None:
        rows_per_range = min(MOST_ROWS_PER_RANGE, max(n_rows // 4, ROWS_PER_BLOCK))
    check_integer(rows_per_range, "rows_per_range")
    packing = packing_of(clean_scores.dtype, bool(clean_scores.min() < 0))
    bits = clean_scores.view(KEY_TYPES[clean_scores.dtype])
    step = max(1, n_rows // SAMPLE_SIZE)
    sample = _packed(bits[::step], clean_labels[::step], packing)
    cuts = _lowest_keys(sample, -(-n_rows // rows_per_range))
    parts = _halves(bits, clean_labels)
    with ThreadPoolExecutor(len(parts)) as pool:
        reached = np.array(list(pool.map(lambda part: count_from(*part, packing, cuts), parts)))
    sizes = reached - np.append(reached[:, 1:], np.zeros((len(parts), 1), np.int64), axis=1)

    def read():
        for k, lowest in enumerate(cuts):
            highest = cuts[k + 1] - 1 if k + 1 < cuts.size else np.iinfo(np.uint64).max
            _say_which_range(verbose, k, cuts.size, int(sizes[:, k].sum()))
            yield _sorted_range(parts, packing, lowest, np.uint64(highest), sizes[:, k])

    return SortedRanges(n_rows=n_rows, packing=packing, read=read)


def _packed(bits, labels, packing):
    """The keys of rows, or an error if their scores cannot be packed."""
    keys = np.empty(bits.size, bits.dtype)
    if not pack(np.ascontiguousarray(bits), np.ascontiguousarray(labels), *packing, keys):
        raise ValueError(
            "scores of both signs span too many powers of 2 to be sorted in ranges: set tiny "
            "scores to 0, or rescale"
        )
    return keys


def _lowest_keys(sample, n_ranges):
    """The lowest keys of ranges with about equally many rows. The first is 0."""
    keys = np.sort(sample)[np.arange(1, n_ranges) * sample.size // n_ranges].astype(np.uint64)
    return np.unique(np.append(np.uint64(0), keys & ~np.uint64(1)))


def _halves(bits, labels):
    """Views of the rows, one for each of at most two threads."""
    middle = bits.size // 2 if threads > 1 else 0
    halves = [(bits[:middle], labels[:middle]), (bits[middle:], labels[middle:])]
    return [half for half in halves if half[0].size > 0]


def _sorted_range(parts, packing, lowest, highest, sizes):
    """The sorted keys of a range, which `sizes` of the rows of each part are in."""
    keys = np.empty(sizes.sum() + 1, parts[0][0].dtype)  # room for one key that is written over
    starts = np.cumsum(sizes) - sizes
    rooms = [np.empty(size + 1, keys.dtype) for size in sizes[:-1]]
    rooms.append(keys[starts[-1] :])
    with ThreadPoolExecutor(len(parts)) as pool:
        jobs = [
            pool.submit(gather, *part, packing, lowest, highest, room)
            for part, room in zip(parts, rooms, strict=True)
        ]
        for job in jobs:
            job.result()
    for start, size, room in zip(starts[:-1], sizes[:-1], rooms[:-1], strict=True):
        keys[start : start + size] = room[:size]
    keys = keys[:-1]
    sort_in_threads(keys)
    return keys


def _say_which_range(verbose, done, n_ranges, n_rows):
    if verbose:
        print(f"range {done + 1} of {n_ranges}: {n_rows:,} rows", file=sys.stderr)


# Rows in Parquet files


def rows_in_parquet(
    files: Sequence[str | Path],
    folder: str | Path,
    *,
    score: str = "score",
    label: str = "label",
    rows_per_range: int = 2**24,
    verbose: int = 0,
) -> SortedRanges:
    """Rows of Parquet files, whose keys are put on disk by ranges of scores.

    Parameters
    ----------
    files : sequence of str or Path
    folder : str or Path
        An empty folder for the keys, or the folder of an earlier call with the same files that was
        interrupted: row groups that it has finished are not read again. Delete it when the rows are
        not needed any more.
    score, label : str
        Names of the columns.
    rows_per_range : int, default=2**24
        Rows that are sorted together.
    verbose : int, default=0
        Whether each row group and each range is reported to the standard error.

    Returns
    -------
    rows : SortedRanges

    Raises
    ------
    ValueError
        If the folder holds the keys of other files, or for rows that are not as described in
        `rows_in_memory`. The message names the file and the row group.

    Notes
    -----
    Needs pyarrow, of the extra ``data``. One row group is in memory at a time.
    """
    check_integer(rows_per_range, "rows_per_range")
    groups = _row_groups(files, score, label)
    folder = Path(folder)
    plan = _plan_of(groups, folder, rows_per_range)
    cuts = np.array(plan["cuts"], np.uint64)
    packing = Packing(**plan["packing"])
    dtype = np.dtype(plan["dtype"])
    for k, group in enumerate(groups):
        if not _part(folder, k).exists():
            if verbose:
                print(f"row group {k + 1} of {len(groups)}", file=sys.stderr)
            scores, outcomes = group.read(dtype)
            _put(_part(folder, k), scores, outcomes, packing, cuts)
    sizes = np.array([np.load(_sizes(folder, k)) for k in range(len(groups))])
    starts = np.cumsum(sizes, axis=1) - sizes

    def read():
        for r in range(cuts.size):
            _say_which_range(verbose, r, cuts.size, int(sizes[:, r].sum()))
            pieces = [
                np.fromfile(
                    _part(folder, k),
                    KEY_TYPES[dtype],
                    count=sizes[k, r],
                    offset=dtype.itemsize * starts[k, r],
                )
                for k in range(len(groups))
            ]
            keys = np.concatenate(pieces)
            sort_in_threads(keys)
            yield keys

    return SortedRanges(n_rows=int(sizes.sum()), packing=packing, read=read)


class _RowGroup(NamedTuple):
    """A row group of a Parquet file."""

    path: str
    number: int
    score: str
    label: str

    def read(self, dtype=None):
        """Clean scores, of a given type or of their own, and labels."""
        from pyarrow.parquet import ParquetFile

        with ParquetFile(self.path) as file:
            table = file.read_row_group(self.number, columns=[self.score, self.label])
        try:
            scores = check_scores(table[self.score].to_numpy(), narrow=True)
            labels = check_labels(table[self.label].to_numpy(), size=scores.size)
        except ValueError as error:
            raise ValueError(f"{self.path}, row group {self.number}: {error}") from None
        return scores if dtype is None else scores.astype(dtype, copy=False), labels


def _row_groups(files, score, label):
    """All row groups with rows of the files, in order."""
    from pyarrow.parquet import ParquetFile

    groups = []
    for path in map(str, files):
        with ParquetFile(path) as file:
            groups += [
                _RowGroup(path=path, number=number, score=score, label=label)
                for number in range(file.metadata.num_row_groups)
                if file.metadata.row_group(number).num_rows > 0
            ]
    if not groups:
        raise ValueError("files hold no rows: at least one row is needed")
    return groups


def _plan_of(groups, folder, rows_per_range):
    """Cuts, packing and type of the keys: those in the folder, or new ones, which are put there."""
    folder.mkdir(parents=True, exist_ok=True)
    stored = folder / "plan.json"
    names = [[group.path, group.number, group.score, group.label] for group in groups]
    described = {"groups": names, "rows_per_range": rows_per_range}
    if stored.exists():
        plan = json.loads(stored.read_text())
        if {key: plan[key] for key in described} != described:
            raise ValueError(f"{folder} holds the keys of other files: name an empty folder")
        return plan
    plan = described | _survey_of(groups, rows_per_range)
    unfinished = folder / "plan.unfinished"
    unfinished.write_text(json.dumps(plan))
    os.replace(unfinished, stored)
    return plan


def _survey_of(groups, rows_per_range):
    """Type and packing of the keys, and cuts by some scores of every row group."""
    samples = []
    n_rows, lowest = 0, 0.0
    for group in groups:
        scores, _ = group.read()
        n_rows += scores.size
        lowest = min(lowest, float(scores.min()))
        step = max(1, scores.size * len(groups) // (16 * SAMPLE_SIZE))
        samples.append(scores[::step].copy())  # a view would keep all scores in memory
    dtype = np.result_type(*samples)
    packing = packing_of(dtype, lowest < 0)
    sample = np.concatenate(samples).astype(dtype, copy=False).view(KEY_TYPES[dtype])
    keys = _packed(sample, np.zeros(sample.size, np.uint8), packing)
    cuts = _lowest_keys(keys, -(-n_rows // rows_per_range))
    return {"cuts": cuts.tolist(), "packing": packing._asdict(), "dtype": dtype.name}


def _part(folder, k):
    return folder / f"{k:06d}.keys"


def _sizes(folder, k):
    return folder / f"{k:06d}.npy"


def _put(path, scores, labels, packing, cuts):
    """Write the keys of rows, range after range, and the number of keys in each."""
    keys = _packed(scores.view(KEY_TYPES[scores.dtype]), labels, packing)
    keys.sort()
    ends = np.append(np.searchsorted(keys, cuts.astype(keys.dtype))[1:], keys.size)
    np.save(path.with_suffix(".npy"), np.diff(ends, prepend=0))
    unfinished = path.with_suffix(".unfinished")
    keys.tofile(unfinished)
    os.replace(unfinished, path)


# What is found


def roc_auc_score(rows: SortedRanges) -> float:
    """`calib.metrics.roc_auc_score` of the rows, in [0, 1].

    Raises
    ------
    ValueError
        If all labels are equal.
    """
    twice_won = 0
    n_negative, n_positive = 0, 0
    for keys in rows.read():
        inside, negatives, positives = count_pairs(keys)
        twice_won += inside + 2 * positives * n_negative
        n_negative += negatives
        n_positive += positives
    extremes = np.array([n_negative == 0, n_positive > 0], np.uint8)  # least and largest label
    check_both_classes(extremes, "the AUC compares positives with negatives")
    return fraction_of(twice_won / 2, n_negative * n_positive)


def kuiper_error(rows: SortedRanges) -> float:
    """`calibkit.inference.kuiper_error` of the rows, whose scores are probabilities.

    If your scores are margins, map them to probabilities first, for example by a fitted calibrator,
    and make `rows` from these probabilities.

    Raises
    ------
    ValueError
        If a score lies outside [0, 1].
    """
    reached = 0.0
    lowest, highest = 0.0, 0.0
    for block in _probabilities(rows):
        residuals = block.positives - block.weights * block.scores
        residuals[0] += reached
        sums = np.cumsum(residuals, out=residuals)
        reached = sums[-1]
        lowest = min(lowest, sums.min())
        highest = max(highest, sums.max())
    return float((highest - lowest) / rows.n_rows)


def _probabilities(rows):
    """The blocks of ties, which must lie in [0, 1]."""
    for block in rows.ties():
        if block.scores[0] < 0 or block.scores[-1] > 1:
            raise ValueError("scores must lie in [0, 1]: map margins to probabilities first")
        yield block


class _Bins(NamedTuple):
    """Sums of equal-frequency bins, and their first and last scores."""

    counts: NDArray[np.float64]
    totals: NDArray[np.float64]
    positives: NDArray[np.float64]
    firsts: NDArray[np.float64]
    lasts: NDArray[np.float64]


def _binned(blocks, n_bins, n_rows):
    """The equal-frequency bins that are not empty."""
    bins = _Bins(
        counts=np.zeros(n_bins),
        totals=np.zeros(n_bins),
        positives=np.zeros(n_bins),
        firsts=np.zeros(n_bins),
        lasts=np.zeros(n_bins),
    )
    rank = 0.0
    bin_ = -1
    for block in blocks:
        bin_ = add_to_bins(block, rank, float(n_rows), n_bins, bins, bin_)
        rank += block.weights.sum()
    filled = bins.counts > 0
    return _Bins(
        counts=bins.counts[filled],
        totals=bins.totals[filled],
        positives=bins.positives[filled],
        firsts=bins.firsts[filled],
        lasts=bins.lasts[filled],
    )


def expected_calibration_error(rows: SortedRanges, *, n_bins: int | str = 10) -> float:
    """`calib.metrics.expected_calibration_error` of the rows, with ``strategy="quantile"``."""
    n_bins = number_of_bins(n_bins, "quantile", rows.n_rows)
    bins = _binned(_probabilities(rows), n_bins, rows.n_rows)
    return float(np.abs(bins.positives - bins.totals).sum() / bins.counts.sum())


def histogram_binning(rows: SortedRanges, *, n_bins: int | str = "cube_root") -> HistogramBinning:
    """`calib.HistogramBinning` with bins of equally many rows, fitted to the rows."""
    calibrator = HistogramBinning(n_bins=n_bins)
    bins = _binned(rows.ties(), number_of_bins(n_bins, "quantile", rows.n_rows), rows.n_rows)
    calibrator.classes_ = np.array([0, 1])
    calibrator.weighted_ = False
    calibrator.counts_ = bins.counts
    calibrator.positives_ = bins.positives
    calibrator.cuts_ = halfway(bins.lasts[:-1], bins.firsts[1:], np.empty(bins.counts.size - 1))
    calibrator._set_map()
    return calibrator


def isotonic_counts(rows: SortedRanges) -> Counts:
    """Counts in a short table, to which ``IsotonicCalibrator()`` fits the same map as to all rows.

    `calibkit.deployment.dask.isotonic_counts` returns the same table.
    """
    pooled = [_pools_of(block) for block in rows.ties()]
    columns = [np.concatenate(column) for column in zip(*pooled, strict=True)]
    firsts, lasts, totals, hits = columns
    starts, counts, positives = pool_adjacent_violators(totals, hits)
    return in_halves(firsts[starts[:-1]], lasts[starts[1:] - 1], counts, positives)


def in_halves(firsts, lasts, counts, positives) -> Counts:
    """Rows of each block at its first and its last score, half and half, positives first.

    The first half has no smaller mean than the second one.
    """
    first_positives = np.minimum(positives, counts / 2)
    return Counts(
        scores=np.column_stack([firsts, lasts]).ravel(),
        positives=np.column_stack([first_positives, positives - first_positives]).ravel(),
        counts=np.repeat(counts / 2, 2),
    )


def _pools_of(block):
    """First and last score, weight and positive weight of the pools of a block."""
    starts, counts, positives = pool_adjacent_violators(block.weights, block.positives)
    return block.scores[starts[:-1]], block.scores[starts[1:] - 1], counts, positives


def venn_abers(rows: SortedRanges) -> VennAbers:
    """`calib.VennAbers` fitted to the rows.

    Notes
    -----
    The rows are read twice. Between, the labels in the order of the scores are in memory: 2 bytes
    a row, and 8 where more than 255 rows have equal scores.
    """
    weights, positives = _counts_in_order(rows)
    steps, p0, p1 = steps_of_pairs(weights, positives)
    return venn_abers_of_steps(_scores_of_ties(rows, steps), p0, p1)


def venn_abers_of_steps(scores, p0, p1) -> VennAbers:
    """A fitted calibrator, from the scores at its steps and the probabilities between them."""
    calibrator = VennAbers()
    calibrator.classes_ = np.array([0, 1])
    calibrator.scores_ = scores
    calibrator.p0_ = p0
    calibrator.p1_ = p1
    calibrator.shift_ = 0.0
    return calibrator


def _counts_in_order(rows):
    """Rows and positives of all ties, in few bytes."""
    weights = np.empty(rows.n_rows, np.uint8)
    positives = np.empty(rows.n_rows, np.uint8)
    n_ties = 0
    for block in rows.ties():
        if weights.dtype == np.uint8 and block.weights.max() > LARGEST_SMALL_COUNT:
            weights = weights.astype(np.uint32)
            positives = positives.astype(np.uint32)
        end = n_ties + block.weights.size
        weights[n_ties:end] = block.weights
        positives[n_ties:end] = block.positives
        n_ties = end
    return weights[:n_ties], positives[:n_ties]


def _scores_of_ties(rows, numbers):
    """The scores of ties with increasing numbers."""
    scores = []
    n_ties = 0
    for block in rows.ties():
        first, last = np.searchsorted(numbers, [n_ties, n_ties + block.scores.size])
        scores.append(block.scores[numbers[first:last] - n_ties])
        n_ties += block.scores.size
    return np.concatenate(scores)
