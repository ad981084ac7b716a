# A second solution, written without a look at the first.

# %% set-up
from math import comb

import numpy as np


def fit_at_last(scores, labels):
    """Isotonic value of the last case, from blocks of [positives, cases, holds the last case]."""
    blocks = []
    for value in sorted(set(scores.tolist())):
        rows = scores == value
        blocks.append([labels[rows].sum(), rows.sum(), bool(rows[-1])])
        while len(blocks) > 1 and (blocks[-2][0] / blocks[-2][1] >= blocks[-1][0] / blocks[-1][1]):
            positives, cases, last = blocks.pop()
            before = blocks[-1]
            blocks[-1] = [before[0] + positives, before[1] + cases, before[2] or last]
    return next(positives / cases for positives, cases, last in blocks if last)


# %% pair
def venn_abers(scores, labels, new):
    knots, place, counts = np.unique(scores, return_inverse=True, return_counts=True)
    W = np.append(0, np.cumsum(counts))
    S = np.append(0, np.cumsum(np.bincount(place, labels)))
    left, right = np.sum(knots < new), np.sum(knots <= new)

    def equation(u):
        return np.min((S - u * W)[: left + 1]) - np.min((S - u * W)[right:]) + u

    pair = []
    for c in [0, 1]:
        low, high = 0.0, 1.0
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if equation(middle) < c else (low, middle)
        pair.append(high)
    return pair


# %% selected
def selected_predictions(scores, labels):
    order = [*range(len(scores))]
    return [fit_at_last(scores[(o := order[:i] + order[i + 1 :] + [i])], labels[o]) for i in order]


# %% merge
def merge(p0, p1):
    odds = np.divide(p1, np.subtract(1, p0))
    return odds / (1 + odds)


# %% full
def full_pair(train, X, z, x):
    rows = np.concatenate([X, np.reshape(x, (1, -1))])
    pair = []
    for c in (0, 1):
        labels = np.concatenate([z, [c]])
        pair.append(fit_at_last(train(rows, labels)(rows), labels))
    return np.array(pair)


# %% inductive
def inductive_pairs(train, X, z, held, X_new):
    proper, calibration = np.flatnonzero(held == 0), np.flatnonzero(held)
    s = train(X[proper], z[proper])
    known, new = s(X[calibration]), s(X_new)
    ends = [
        [fit_at_last(np.append(known, y), np.append(z[calibration], c)) for y in new]
        for c in (0, 1)
    ]
    return np.array(ends[0]), np.array(ends[1])


# %% over
def overconfidence(p0, p1, labels):
    selected = labels * p1 + (1 - labels) * p0
    excess = np.abs(selected - 0.5) - (labels - 0.5) * np.sign(selected - 0.5)
    by_sample = excess.sum(axis=1) / excess.shape[1]
    return by_sample.mean(), (np.var(by_sample) / (len(by_sample) - 1)) ** 0.5


# %% memoriser
def expected_upper(N, theta):
    return sum(comb(N, n) * (1 - theta) ** n * theta ** (N - n) / (n + 1) for n in range(N + 1))


# %% break_it
def sure_classifier(X, z):
    def score(row):
        same = np.all(X == row, axis=1)
        return float(z[same][0]) if same.any() else 1.0

    return lambda new: [score(row) for row in new]
