"""Rows that stand for counts, split into the folds of a comparison like these rows."""

from dataclasses import replace

import numpy as np

from calib.methods.folds import drawn_counts
from calibkit.comparison.cross_validation import (
    MAX_PREDICTED_ROWS,
    ComparedSample,
    CrossValidation,
    drawn_repeats,
    repeated_folds,
)


def deal_counts(
    sample: ComparedSample, n_folds: int, n_repeats: int | None, seed: int
) -> CrossValidation:
    """Split the rows that are counted into folds at random, stratified by class, again and again.

    Up to 100,000 rows are written out, so that the numbers equal the numbers of these rows.
    More rows are split by their numbers in the folds, which have the distribution of rows that are
    split one by one. The sample of the result then has cells, each the copies of a row that are in
    the same folds in every repeat. There are at most as many cells as counted rows, and in one
    repeat at most `n_folds` times the rows of the sample. O(cells) for each repeat.

    Parameters
    ----------
    sample : ComparedSample
        Its weights are counts.
    n_folds : int
    n_repeats : int or None
        None: three, or fewer where more than 100,000 counted rows would be predicted.
    seed : int

    Raises
    ------
    ValueError
        If there are fewer counted rows of a class than folds.
    """
    if sample.n_counted <= MAX_PREDICTED_ROWS:
        return _written_out(sample, n_folds, n_repeats, seed)
    n_repeats = drawn_repeats(sample, n_folds, n_repeats)
    rng = np.random.default_rng(seed)
    rows = np.flatnonzero(sample.is_counted)
    counts = sample.counts[rows].astype(np.int64)
    folds = np.empty((0, rows.size), np.int64)  # of the cells in the repeats so far
    for _ in range(n_repeats):
        cell, fold, counts = _dealt(counts, sample.labels[rows], n_folds, rng)
        rows = rows[cell]
        folds = np.vstack([folds[:, cell], fold])
    return CrossValidation(
        sample=replace(sample.rows(rows), weights=counts.astype(np.float64)),
        repeats=[
            [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(n_folds)]
            for fold in folds
        ],
        row_of_cell=rows,
    )


def _written_out(sample, n_folds, n_repeats, seed):
    """A row for each that is counted, without weights."""
    rows = np.repeat(np.arange(sample.labels.size), sample.counts.astype(np.int64))
    copies = replace(sample.rows(rows), weights=None)
    return CrossValidation(
        sample=copies,
        repeats=repeated_folds(copies, n_folds, n_repeats, seed),
        row_of_cell=rows,
    )


def _dealt(counts, labels, n_folds, rng):
    """The cell, the fold and the count of each part of a cell; classes are dealt apart."""
    in_folds = np.empty((n_folds, counts.size), np.int64)
    n_dealt = 0  # rows of the class before: folds have equal sizes over both classes
    for label in (0, 1):
        cells = labels == label
        in_folds[:, cells] = drawn_counts(counts[cells], n_folds, rng, first=n_dealt % n_folds)
        n_dealt += int(counts[cells].sum())
    cell, fold = np.nonzero(in_folds.T)
    return cell, fold, in_folds[fold, cell]
