"""Dealing weighted rows, or whole groups of them, to the folds of a cross-validation."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

_MOST_UNITS = 2**22  # of weight, that are dealt to folds; more copies are dealt by the bundle


def deal(
    scores: NDArray[np.float64],
    labels: NDArray[np.uint8],
    weights: NDArray[np.float64],
    n_folds: int,
    ties: Sequence[NDArray] = (),
) -> NDArray[np.float64]:
    """Weight of each row in each fold, of shape (n_folds, n): copies are dealt at random.

    The rows of each class in the order of their scores, tied ones by the arrays `ties`, with their
    weights as lengths, are laid end to end along a line. Its units of length go to the folds at
    random, as many to each, so that neither the order of the rows nor writing copies for weights
    matters; rows that still tie should be alike. Dealing them in turn would give all folds the same
    share of positives at each score: a candidate that follows the noise of some folds would foresee
    that of the others. O(n_folds n), and O(n log n) to sort.
    """
    rng = np.random.default_rng(0)
    folds = np.empty((n_folds, labels.size))
    for label in np.unique(labels):
        (rows,) = np.nonzero(labels == label)
        rows = rows[np.lexsort([*(values[rows] for values in ties), scores[rows]])]
        ends = np.append(0.0, np.cumsum(weights[rows]))
        length = max(1.0, ends[-1] / _MOST_UNITS)
        units, part = np.divmod(ends / length, 1.0)
        units = units.astype(np.int64)
        owners = rng.permutation(np.arange(units[-1] + 1 - (part[-1] == 0)) % n_folds)
        for fold in range(n_folds):
            owned = np.append(owners == fold, False)
            before = np.append(0, np.cumsum(owned))
            folds[fold, rows] = np.diff(before[units] + part * owned[units]) * length
    return folds


def deal_groups(
    groups: NDArray, labels: NDArray[np.uint8], weights: NDArray[np.float64], n_folds: int
) -> NDArray[np.float64]:
    """Weight of each row in each fold, of shape (n_folds, n): groups are dealt whole, at random.

    In the order of their weight of the rarer class, then of the other, every `n_folds` groups go to
    one fold each. So the folds' weights of the rarer class differ by that of one group at most.
    O(n_folds n + n log n).
    """
    rng = np.random.default_rng(0)
    _, group_of = np.unique(groups, return_inverse=True)
    held = np.stack([np.bincount(group_of, weights * (labels == label)) for label in (0, 1)])
    if held[0].sum() < held[1].sum():
        held = held[::-1]
    drawn = rng.permutation(held.shape[1])
    drawn = drawn[np.lexsort(held[:, drawn])][::-1]
    rounds = np.tile(np.arange(n_folds), (-(-drawn.size // n_folds), 1))
    fold_of = np.empty(drawn.size, np.int64)
    fold_of[drawn] = rng.permuted(rounds, axis=1).ravel()[: drawn.size]
    return weights * (fold_of[group_of] == np.arange(n_folds)[:, np.newaxis])
