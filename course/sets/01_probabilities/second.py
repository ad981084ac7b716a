# A second solution, written without a look at the first.

# %% set-up
from math import comb, inf, log

import numpy as np


# %% pi
def calibration_function(scores, labels):
    tally = {}
    for score, label in zip(scores, labels):
        positives, cases = tally.get(score, (0, 0))
        tally[score] = positives + label, cases + 1
    values = sorted(tally)
    return values, [tally[value][0] / tally[value][1] for value in values]


# %% brier
def brier_score(labels, predictions):
    return sum((z - p) ** 2 for z, p in zip(labels, predictions)) / len(labels)


# %% log_loss
def log_loss(labels, predictions):
    total = 0
    for z, p in zip(labels, predictions):
        happened = p if z else 1 - p
        total += -log(happened) if happened > 0 else inf
    return total / len(labels)


# %% murphy
def murphy(labels, predictions):
    uncertainty = np.var(labels)
    fraction = np.empty(len(labels))
    for value in set(predictions):
        fraction[predictions == value] = labels[predictions == value].mean()
    reliability = np.mean((fraction - predictions) ** 2)
    return reliability, np.var(fraction), uncertainty


# %% diagram
def reliability_points(labels, predictions, n_bins=10):
    points = []
    for k in range(n_bins):
        upper = np.inf if k == n_bins - 1 else (k + 1) / n_bins
        inside = (predictions >= k / n_bins) & (predictions < upper)
        if inside.any():
            points.append((predictions[inside].mean(), labels[inside].mean(), inside.sum()))
    return tuple(zip(*points))


# %% interval
def clopper_pearson(k, n):
    def bisect(tail, target):
        low, high = 0.0, 1.0
        for _ in range(80):
            middle = (low + high) / 2
            low, high = (middle, high) if tail(middle) < target else (low, middle)
        return low

    def term(j, p):
        return comb(n, j) * p**j * (1 - p) ** (n - j)

    lower = bisect(lambda p: sum(term(j, p) for j in range(k, n + 1)), 0.025) if k else 0
    upper = bisect(lambda p: -sum(term(j, p) for j in range(k + 1)), -0.025) if k < n else 1
    return lower, upper


# %% held_out
def calibrate(train, train_labels, held, held_labels, new):
    ends = np.array([0.2, 0.4, 0.6, 0.8])
    interval = np.searchsorted(ends, held, side="right")
    predictions = []
    for k in np.searchsorted(ends, new, side="right"):
        rows = held_labels[interval == k]
        predictions.append(np.mean(rows if len(rows) else held_labels))
    return np.array(predictions)


# %% balance
def balance(labels, predictions):
    variance = sum(p - p * p for p in predictions)
    return (sum(labels) - sum(predictions)) / variance**0.5


# %% break_it
def perfect_diagram():
    predictions = np.array([0.61] * 100 + [0.69] * 100)
    labels = np.array([1] * 69 + [0] * 31 + [1] * 61 + [0] * 39)
    return labels, predictions
