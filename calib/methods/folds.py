"""Splitting weighted rows, or whole groups of them, into the folds of a cross-validation."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

MAX_UNITS = 2**22  # units of weight that are split one by one
MAX_WHOLE = 2.0**53  # a float64 holds all whole numbers below
MAX_HYPERGEOMETRIC = 10**9  # rows below which NumPy draws hypergeometric numbers


def deal(
    scores: NDArray[np.float64],
    labels: NDArray[np.uint8],
    weights: NDArray[np.float64],
    n_folds: int,
    ties: Sequence[NDArray] = (),
    n_needed: int | None = None,
) -> NDArray[np.float64]:
    """Weight of each row in each fold, of shape (n_folds, n): copies are split at random.

    If `n_needed` is given, only the first so many folds are returned.

    The rows of each class are sorted by their scores, and equal scores by the arrays `ties`. They
    are laid end to end along a line, with their weights as lengths. The units of length of the line
    go to the folds at random, equally many to each. Beyond 2^22 rows of a class, how many rows of
    each tie go to each fold is drawn at once, with the same distribution. Weights that are no whole
    numbers, or have a sum above 2^53, are then split in longer units.

    The result depends neither on the order of the rows nor on whether copies are written out or
    given as weights, if rows that tie in everything are alike. Assigning the units in turn would
    give all folds the same fraction of positives at each score. A candidate that follows the noise
    of some folds would then predict the noise of the others. O(n_folds n), and O(n log n) to sort.
    """
    rng = np.random.default_rng(0)
    n_needed = n_folds if n_needed is None else n_needed
    folds = np.zeros((n_needed, labels.size))
    for label in np.unique(labels):
        (rows,) = np.nonzero((labels == label) & (weights > 0))
        keys = [*(values[rows] for values in ties), scores[rows]]
        order = np.lexsort(keys)
        rows = rows[order]
        is_whole = not np.any(weights[rows] % 1)
        if is_whole and MAX_UNITS < weights[rows].sum() < MAX_WHOLE:
            is_new = np.any([np.diff(key[order], prepend=np.nan) != 0 for key in keys], axis=0)
            parts = _ties_dealt(weights[rows], is_new, n_folds, n_needed, rng)
        else:
            parts = _units_dealt(weights[rows], n_folds, n_needed, rng)
        for fold, part in enumerate(parts):
            folds[fold, rows] = part
    return folds


def _units_dealt(weights, n_folds, n_needed, rng):
    """Weights of rows in the first folds: the units of a line of the rows are split one by one."""
    ends = np.append(0.0, np.cumsum(weights))
    length = max(1.0, ends[-1] / MAX_UNITS)
    whole_units, fraction = np.divmod(ends / length, 1.0)
    units = whole_units.astype(np.int64)
    n_units = units[-1] + 1 - (fraction[-1] == 0)
    fold_of_unit = rng.permutation(np.arange(n_units) % n_folds)
    for fold in range(n_needed):
        owned = np.append(fold_of_unit == fold, False)
        owned_before = np.append(0, np.cumsum(owned))
        yield np.diff(owned_before[units] + fraction * owned[units]) * length


def _ties_dealt(counts, is_new, n_folds, n_needed, rng):
    """Counts of rows in the first folds, drawn for whole ties, whose rows the folds share out."""
    tie_of_row = np.cumsum(is_new) - 1
    starts = np.flatnonzero(is_new)
    in_tie = np.add.reduceat(counts, starts)
    ends = np.cumsum(counts) - (np.cumsum(in_tie) - in_tie)[tie_of_row]  # within the tie
    upper = np.zeros(starts.size, np.int64)
    for fold, in_fold in enumerate(_counts_by_fold(in_tie.astype(np.int64), n_folds, rng)):
        if fold < n_needed:  # the others are drawn too, because the next class draws after them
            lower = upper
            upper = upper + in_fold
            least = np.maximum(lower[tie_of_row], ends - counts)
            yield np.maximum(0.0, np.minimum(upper[tie_of_row], ends) - least)


def drawn_counts(
    counts: NDArray[np.int64], n_folds: int, rng: np.random.Generator, first: int = 0
) -> NDArray[np.int64]:
    """How many rows of each count come to each fold, if all rows are split at random.

    The numbers are multivariate hypergeometric: folds hold equally many rows, except for the rows
    that are left over, which go to the folds from `first` on. From 10^9 rows on the numbers are
    multinomial, and the folds are equal except for chance. O(n_folds k) for k counts.

    Returns
    -------
    folds : ndarray of shape (n_folds, k)
    """
    return np.stack(list(_counts_by_fold(counts, n_folds, rng, first)))


def _counts_by_fold(counts, n_folds, rng, first=0):
    """The folds of `drawn_counts`, one after the other."""
    total = int(counts.sum())
    if total >= MAX_HYPERGEOMETRIC:
        yield from rng.multinomial(counts, np.full(n_folds, 1 / n_folds)).T
        return
    is_longer = np.bincount((first + np.arange(total % n_folds)) % n_folds, minlength=n_folds)
    left = counts.copy()
    for size in total // n_folds + is_longer:
        fold = rng.multivariate_hypergeometric(left, size, method="marginals")
        left -= fold
        yield fold


def deal_groups(
    groups: NDArray, labels: NDArray[np.uint8], weights: NDArray[np.float64], n_folds: int
) -> NDArray[np.float64]:
    """Weight of each row in each fold, of shape (n_folds, n): whole groups are split at random.

    Groups are sorted by their weight of the rarer class, then by their weight of the other class.
    Each round deals the next `n_folds` groups to one fold each. The weights of the rarer class in
    the folds therefore differ by the weight of one group at most. O(n_folds n + n log n).
    """
    rng = np.random.default_rng(0)
    _, group_of = np.unique(groups, return_inverse=True)
    class_weights = np.stack(
        [np.bincount(group_of, weights * (labels == label)) for label in (0, 1)]
    )
    if class_weights[0].sum() < class_weights[1].sum():
        class_weights = class_weights[::-1]  # lexsort sorts by the last row, the rarer class
    order = rng.permutation(class_weights.shape[1])  # the order of groups of equal weights
    order = order[np.lexsort(class_weights[:, order])][::-1]
    rounds = np.tile(np.arange(n_folds), (-(-order.size // n_folds), 1))
    fold_of = np.empty(order.size, np.int64)
    fold_of[order] = rng.permuted(rounds, axis=1).ravel()[: order.size]
    return weights * (fold_of[group_of] == np.arange(n_folds)[:, np.newaxis])
