# Wrong answers, each with the question that it must lose and the mistake.
# ruff: noqa: F821 (the set defines ece)

# %% set-up
import numpy as np


# %% errors: the groups are not weighted by their size
def calibration_errors(labels, predictions, groups):
    gaps = [
        abs(labels[groups == k].mean() - predictions[groups == k].mean()) for k in np.unique(groups)
    ]
    return np.mean(gaps), np.max(gaps)


# %% errors: gaps of different sign cancel
def calibration_errors(labels, predictions, groups):
    gaps = np.array([(labels - predictions)[groups == k].mean() for k in np.unique(groups)])
    shares = np.array([np.mean(groups == k) for k in np.unique(groups)])
    return abs(np.sum(shares * gaps)), np.abs(gaps).max()


# %% errors: the maximum is weighted
def calibration_errors(labels, predictions, groups):
    terms = [
        np.abs((labels - predictions)[groups == k].sum()) / len(labels) for k in np.unique(groups)
    ]
    return np.sum(terms), np.max(terms)


# %% equal_size: ties sorted by label
def ece_of_equal_size(labels, predictions, n_groups=10):
    order = np.lexsort([labels, predictions])
    parts = np.array_split(order, n_groups)
    return sum(abs(np.sum(labels[g] - predictions[g])) for g in parts) / len(labels)


# %% equal_size: ties cut in the order of the file
def ece_of_equal_size(labels, predictions, n_groups=10):
    order = np.argsort(predictions, kind="stable")
    parts = np.array_split(order, n_groups)
    return sum(abs(np.sum(labels[g] - predictions[g])) for g in parts) / len(labels)


# %% equal_size: a tie goes to the group of its first case
def ece_of_equal_size(labels, predictions, n_groups=10):
    rank = np.searchsorted(np.sort(predictions), predictions)
    group = n_groups * rank // len(labels)
    return np.abs(np.bincount(group, labels - predictions)).sum() / len(labels)


# %% noise: the variance in the place of the standard deviation
def ece_if_perfect(predictions, groups):
    total = 0
    for k in np.unique(groups):
        p = predictions[groups == k]
        total += len(p) / len(predictions) * np.mean(p * (1 - p)) / len(p)
    return np.sqrt(2 / np.pi) * total


# %% noise: the variance is taken at the mean prediction
def ece_if_perfect(predictions, groups):
    total = 0
    for k in np.unique(groups):
        p = predictions[groups == k]
        total += len(p) / len(predictions) * np.sqrt(p.mean() * (1 - p.mean()) / len(p))
    return np.sqrt(2 / np.pi) * total


# %% squared: the noise is not subtracted
def squared_error(labels, predictions, groups):
    total = 0
    for k in np.unique(groups):
        z, p = labels[groups == k], predictions[groups == k]
        total += len(z) / len(labels) * (z.mean() - p.mean()) ** 2
    return total


# %% squared: n in the place of n - 1
def squared_error(labels, predictions, groups):
    total = 0
    for k in np.unique(groups):
        z, p = labels[groups == k], predictions[groups == k]
        noise = z.mean() * (1 - z.mean()) / len(z)
        total += len(z) / len(labels) * ((z.mean() - p.mean()) ** 2 - noise)
    return total


# %% p_value: without the one
def p_value(labels, predictions, rng, draws):
    drawn = [ece(rng.random(len(labels)) < predictions, predictions) for _ in range(draws)]
    return np.mean(np.array(drawn) >= ece(labels, predictions))


# %% p_value: labels are shuffled, which tests something else
def p_value(labels, predictions, rng, draws):
    drawn = [ece(rng.permutation(labels), predictions) for _ in range(draws)]
    return (1 + np.sum(np.array(drawn) >= ece(labels, predictions))) / (1 + draws)


# %% p_value: equality does not count
def p_value(labels, predictions, rng, draws):
    drawn = [ece(rng.random(len(labels)) < predictions, predictions) for _ in range(draws)]
    return (1 + np.sum(np.array(drawn) > ece(labels, predictions))) / (1 + draws)


# %% compare: the ECE of forty groups against the ECE of one
def better_calibrated(labels, first, second, rng):
    return int(ece(labels, second) < ece(labels, first))


# %% compare: the Brier score judges, which rewards knowledge as well
def better_calibrated(labels, first, second, rng):
    return int(np.mean((labels - second) ** 2) < np.mean((labels - first) ** 2))


# %% compare: one group for both, where errors cancel
def better_calibrated(labels, first, second, rng):
    return int(abs(np.mean(labels - second)) < abs(np.mean(labels - first)))


# %% break_it: a calibrated forecaster hides nothing
def hide_from(n_groups):
    return np.tile([0, 1], 1000), np.tile([0.25, 0.75], 1000)


# %% break_it: the errors cancel between groups, not within one
def hide_from(n_groups):
    labels = np.concatenate([np.arange(1000) < 500, np.arange(1000) < 500]).astype(int)
    width = 1 / (2 * n_groups)
    return labels, np.repeat([width / 2, 1 - width / 2], 1000)


# %% errors: the absolute residual of each case
def calibration_errors(labels, predictions, groups):
    gaps = [np.abs(labels - predictions)[groups == k].mean() for k in np.unique(groups)]
    return np.mean(np.abs(labels - predictions)), max(gaps)


# %% noise: the factor of the absolute value is forgotten
def ece_if_perfect(predictions, groups):
    _, group = np.unique(groups, return_inverse=True)
    return np.sqrt(np.bincount(group, predictions * (1 - predictions))).sum() / len(predictions)


# %% squared: never negative
def squared_error(labels, predictions, groups):
    _, group, counts = np.unique(groups, return_inverse=True, return_counts=True)
    observed = np.bincount(group, labels) / counts
    gaps = observed - np.bincount(group, predictions) / counts
    terms = gaps**2 - observed * (1 - observed) / (counts - 1)
    return counts @ np.maximum(terms, 0) / counts.sum()
