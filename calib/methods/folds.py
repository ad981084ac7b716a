"""Dealing weighted rows, or whole groups of them, to the folds of a cross-validation."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

_MAX_UNITS = 2**22  # units of weight, dealt one by one; a unit of more weight holds several copies


def deal(
    scores: NDArray[np.float64],
    labels: NDArray[np.uint8],
    weights: NDArray[np.float64],
    n_folds: int,
    ties: Sequence[NDArray] = (),
) -> NDArray[np.float64]:
    """Weight of each row in each fold, of shape (n_folds, n): copies are dealt at random.

    The rows of each class are sorted by their scores, and equal scores by the arrays `ties`. They
    are laid end to end along a line, with their weights as lengths. The units of length of the line
    go to the folds at random, equally many to each. The result depends neither on the order of the
    rows nor on whether copies are written out or given as weights, if rows that tie in everything
    are alike. Dealing the units in turn would give all folds the same fraction of positives at each
    score: a candidate that follows the noise of some folds would then predict the noise of the
    others. O(n_folds n), and O(n log n) to sort.
    """
    rng = np.random.default_rng(0)
    folds = np.empty((n_folds, labels.size))
    for label in np.unique(labels):
        (rows,) = np.nonzero(labels == label)
        tie_breakers = [values[rows] for values in ties]
        rows = rows[np.lexsort([*tie_breakers, scores[rows]])]
        ends = np.append(0.0, np.cumsum(weights[rows]))
        length = max(1.0, ends[-1] / _MAX_UNITS)
        whole_units, fraction = np.divmod(ends / length, 1.0)
        units = whole_units.astype(np.int64)
        n_units = units[-1] + 1 - (fraction[-1] == 0)
        fold_of_unit = rng.permutation(np.arange(n_units) % n_folds)
        for fold in range(n_folds):
            owned = np.append(fold_of_unit == fold, False)
            owned_before = np.append(0, np.cumsum(owned))
            folds[fold, rows] = np.diff(owned_before[units] + fraction * owned[units]) * length
    return folds


def deal_groups(
    groups: NDArray, labels: NDArray[np.uint8], weights: NDArray[np.float64], n_folds: int
) -> NDArray[np.float64]:
    """Weight of each row in each fold, of shape (n_folds, n): groups are dealt whole, at random.

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
