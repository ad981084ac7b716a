# A second solution, written without a look at the first.

# %% set-up
from itertools import product

import numpy as np
from scipy.stats import rankdata


# %% auc
def auc(labels, scores):
    m = int(np.sum(labels))
    n = len(labels) - m
    return (rankdata(scores)[labels == 1].sum() - m * (m + 1) / 2) / (m * n)


# %% roc
def roc_points(labels, scores):
    false_alarms, hits = [0.0], [0.0]
    for threshold in np.unique(scores)[::-1]:
        called = scores >= threshold
        false_alarms.append(float(called[labels == 0].mean()))
        hits.append(float(called[labels == 1].mean()))
    return false_alarms, hits


# %% which_class
def auc_of_class(table, classes, outcomes, positive):
    column = 0 if classes[0] == positive else 1
    won = pairs = 0
    for (row, one), (other_row, other) in product(zip(table, outcomes), repeat=2):
        if one == positive and other != positive:
            difference = row[column] - other_row[column]
            won += 0.5 if abs(difference) < 1e-6 else float(difference > 0)
            pairs += 1
    return won / pairs


# %% best_auc
def best_auc(positives, negatives):
    # one half, and half of the differences that each two values can make
    gap = np.abs(np.outer(positives, negatives) - np.outer(negatives, positives)).sum() / 2
    return 0.5 + gap / (2 * positives.sum() * negatives.sum())


# %% losses
def auc_losses(labels, scores, bins, values):
    def counts(x, y):
        return (x > y) + 0.5 * (x == y)

    ones, zeros = np.flatnonzero(labels), np.flatnonzero(1 - labels)
    sums = {True: 0.0, False: 0.0}
    for i in ones:
        for j in zeros:
            lost = counts(scores[i], scores[j]) - counts(values[bins[i]], values[bins[j]])
            sums[bool(bins[i] == bins[j])] += lost / (len(ones) * len(zeros))
    return [sums[True], sums[False]]


# %% decide
def decide(predictions, c_fp, c_fn):
    return [int(p * c_fn >= (1 - p) * c_fp) for p in predictions]


# %% profit
def profit(r, a, gifts, cost):
    takings = []
    for probability, amount, gift in zip(r, a, gifts):
        takings.append(gift - cost if probability * amount > cost else 0.0)
    return sum(takings), (len(takings) * np.var(takings, ddof=1)) ** 0.5


# %% gain
def gain(send, gifts, cost):
    everybody = gifts - cost
    by_rule = np.where(np.asarray(send) == 1, everybody, 0)
    terms = by_rule - everybody
    n = len(terms)
    return by_rule.sum() - everybody.sum(), np.sqrt(
        n / (n - 1) * ((terms - terms.mean()) ** 2).sum()
    )


# %% break_it
def ranked_and_poor():
    labels = [1] * 12 + [0] * 188
    p = [0.12] * 100 + [0.0] * 100
    q = [0.08] * 12 + [0.06 - 0.0001 * (i % 2) for i in range(188)]
    return labels, p, q
