# A second solution, written without a look at the first.
# ruff: noqa: F821 (the set defines ece)

# %% set-up
from math import floor, pi, sqrt

import numpy as np


# %% errors
def calibration_errors(labels, predictions, groups):
    expected, largest = 0.0, 0.0
    for k in set(groups):
        inside = groups == k
        gap = abs(labels[inside].mean() - predictions[inside].mean())
        expected += inside.mean() * gap
        largest = max(largest, gap)
    return [expected, largest]


# %% equal_size
def ece_of_equal_size(labels, predictions, n_groups=10):
    n = len(labels)
    excess = [0.0] * n_groups
    for z, p in zip(labels, predictions):
        smaller, equal = np.sum(predictions < p), np.sum(predictions == p)
        excess[floor(n_groups * (smaller + equal / 2) / n)] += z - p
    return sum(abs(e) for e in excess) / n


# %% noise
def ece_if_perfect(predictions, groups):
    total = 0
    for k in np.unique(groups):
        p = predictions[groups == k]
        sigma = sqrt(sum(p * (1 - p))) / len(p)
        total += len(p) / len(predictions) * sigma
    return sqrt(2 / pi) * total


# %% squared
def squared_error(labels, predictions, groups):
    total = 0
    for k in np.unique(groups):
        z, p = labels[groups == k], predictions[groups == k]
        total += len(z) * ((z.mean() - p.mean()) ** 2 - np.var(z) / (len(z) - 1))
    return total / len(labels)


# %% p_value
def p_value(labels, predictions, rng, draws):
    observed = ece(labels, predictions)
    at_least = 1
    for _ in range(draws):
        at_least += ece(rng.binomial(1, predictions), predictions) >= observed
    return at_least / (draws + 1)


# %% compare
def better_calibrated(labels, first, second, rng):
    def excess(p):
        # how much larger than for labels that are drawn from the predictions
        drawn = rng.random((200, len(p))) < p
        return ece(labels, p) - np.mean([ece(z, p) for z in drawn])

    return 0 if excess(first) < excess(second) else 1


# %% break_it
def hide_from(n_groups):
    # in the first half of a group nobody is positive, in the second more than predicted
    k = (n_groups - 1) // 2
    a, b = (k + 0.48) / n_groups, (k + 0.52) / n_groups
    positives = round((a + b) * 5000)
    labels = [0] * 5000 + [1] * positives + [0] * (5000 - positives)
    return labels, [a] * 5000 + [b] * 5000
