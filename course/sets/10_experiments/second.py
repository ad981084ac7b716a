# A second solution, written without a look at the first.

# %% set-up
from itertools import product

import numpy as np
from scipy import stats


# %% interval
def paired_interval(first, second):
    d = [a - b for a, b in zip(first, second)]
    middle = sum(d) / len(d)
    square = sum((x - middle) ** 2 for x in d) / (len(d) - 1)
    return stats.t.interval(0.95, len(d) - 1, loc=middle, scale=(square / len(d)) ** 0.5)


# %% resampled
def corrected_t(differences, n_train, n_test):
    k = len(differences)
    naive = stats.ttest_1samp(differences, 0).statistic
    t = naive / np.sqrt(1 + k * n_test / n_train)
    return float(t), 2 * min(stats.t.cdf(t, k - 1), stats.t.sf(t, k - 1))


# %% inside
def one_fold(training, z, new):
    gaps = []
    for x in training.T:
        gaps.append(abs(np.average(x, weights=z) - np.average(x, weights=1 - z)))
    best = gaps.index(max(gaps))
    x, cut = training[:, best], np.quantile(training[:, best], 0.5)
    fraction = {side: z[(x > cut) == side].mean() for side in [False, True]}
    return [fraction[bool(row[best] > cut)] for row in new]


def cross_validated(X, labels, folds):
    predictions = np.zeros(len(X))
    for fold in set(folds.tolist()):
        inside = np.flatnonzero(folds == fold)
        outside = np.flatnonzero(folds != fold)
        predictions[inside] = one_fold(X[outside], labels[outside], X[inside])
    return predictions.tolist()


# %% persons
def person_folds(persons, k):
    count = {}
    for person in persons:
        count[person] = count.get(person, 0) + 1
    sizes, fold = [0] * k, {}
    for person in count:  # in any order, but first one person for each fold
        fold[person] = len(fold) if len(fold) < k else sizes.index(min(sizes))
        sizes[fold[person]] += count[person]
    return [fold[person] for person in persons]


# %% friedman
def friedman(values):
    ranks = []
    for row in values:
        places = sorted(row, reverse=True)
        mean_place = {v: 1 + places.index(v) + (places.count(v) - 1) / 2 for v in row}
        ranks.append([mean_place[v] for v in row])
    k = len(values[0])
    total = sum((r - (k + 1) / 2) ** 2 for row in ranks for r in row)
    sums = [sum(row[j] for row in ranks) - len(ranks) * (k + 1) / 2 for j in range(k)]
    return [s / len(ranks) + (k + 1) / 2 for s in sums], (k - 1) * sum(s * s for s in sums) / total


# %% holm
def holm(p_values, alpha):
    left, rejected = dict(enumerate(p_values)), set()
    while left:
        smallest = min(left, key=left.get)
        if left[smallest] * len(left) > alpha:
            break
        rejected.add(smallest)
        del left[smallest]
    return [i in rejected for i in range(len(p_values))]


# %% rate
def rate(sizes, brier, floor):
    y = np.log(np.sum(brier, axis=0) / len(brier) - floor)
    A = np.column_stack([np.ones(len(sizes)), np.log(sizes)])
    return np.linalg.lstsq(A, y, rcond=None)[0][1]


# %% best
def best_p_value(gains):
    observed = max(np.mean(column) for column in gains.T)
    reached = [
        max(np.mean(gains * np.array(signs)[:, None], axis=0)) > observed - 1e-9
        for signs in product([1, -1], repeat=len(gains))
    ]
    return sum(reached) / len(reached)


# %% break_it
def turned_round():
    close = [[0.30, 0.31, 0.32]] * 11 + [[0.40, 0.38, 0.39]] * 8
    return close + [[0.1, 0.9, 0.95]]
