# Wrong answers, each with the question that it must lose and the mistake.

# %% set-up
import numpy as np


# %% auc: by thresholds, each case a step, ties not put together
def auc(labels, scores):
    z = labels[np.argsort(-scores, kind="stable")]
    tpr = np.append(0, np.cumsum(z)) / z.sum()
    fpr = np.append(0, np.cumsum(1 - z)) / (1 - z).sum()
    return np.sum(np.diff(fpr) * (tpr[1:] + tpr[:-1]) / 2)


# %% auc: ties count as won
def auc(labels, scores):
    return np.mean(scores[labels == 1][:, None] >= scores[labels == 0])


# %% auc: ties count nothing
def auc(labels, scores):
    return np.mean(scores[labels == 1][:, None] > scores[labels == 0])


# %% auc: turned around where it is below one half
def auc(labels, scores):
    area = np.mean(np.sign(scores[labels == 1][:, None] - scores[labels == 0])) / 2 + 0.5
    return max(area, 1 - area)


# %% roc: a point for each case
def roc_points(labels, scores):
    z = labels[np.argsort(-scores, kind="stable")]
    return (
        np.append(0, np.cumsum(1 - z)) / (1 - z).sum(),
        np.append(0, np.cumsum(z)) / z.sum(),
    )


# %% roc: thresholds on a grid between 0 and 1
def roc_points(labels, scores):
    thresholds = np.linspace(1, 0, 101)
    fpr = [np.mean(scores[labels == 0] >= t) for t in thresholds]
    return fpr, [np.mean(scores[labels == 1] >= t) for t in thresholds]


# %% which_class: the second column is taken for the positive class
def auc_of_class(table, classes, outcomes, positive):
    scores, hit = np.round(table[:, 1], 9), outcomes == positive
    return np.mean(np.sign(scores[hit][:, None] - scores[~hit])) / 2 + 0.5


# %% which_class: an AUC below one half is taken for the wrong class
def auc_of_class(table, classes, outcomes, positive):
    scores, hit = np.round(table[:, list(classes).index(positive)], 9), outcomes == positive
    area = np.mean(np.sign(scores[hit][:, None] - scores[~hit])) / 2 + 0.5
    return max(area, 1 - area)


# %% best_auc: the order of the score, or its reverse
def best_auc(positives, negatives):
    area = np.sum(positives * (np.cumsum(negatives) - negatives / 2))
    area /= positives.sum() * negatives.sum()
    return max(area, 1 - area)


# %% best_auc: ordered by the number of positives, not by their share
def best_auc(positives, negatives):
    order = np.argsort(positives)
    a, b = positives[order], negatives[order]
    return np.sum(a * (np.cumsum(b) - b / 2)) / (a.sum() * b.sum())


# %% losses: every pair in a bin is taken to lose one half
def auc_losses(labels, scores, bins, values):
    one, zero = labels == 1, labels == 0
    p = values[bins]
    before = np.sign(scores[one][:, None] - scores[zero]) / 2
    after = np.sign(p[one][:, None] - p[zero]) / 2
    same = bins[one][:, None] == bins[zero]
    return np.mean(same) / 2, ((before - after) * ~same).mean()


# %% losses: bins with one value are taken for one bin
def auc_losses(labels, scores, bins, values):
    one, zero = labels == 1, labels == 0
    p = values[bins]
    before = np.sign(scores[one][:, None] - scores[zero]) / 2
    after = np.sign(p[one][:, None] - p[zero]) / 2
    same = p[one][:, None] == p[zero]
    return ((before - after) * same).mean(), ((before - after) * ~same).mean()


# %% losses: divided by the pairs of the same kind
def auc_losses(labels, scores, bins, values):
    one, zero = labels == 1, labels == 0
    p = values[bins]
    before = np.sign(scores[one][:, None] - scores[zero]) / 2
    after = np.sign(p[one][:, None] - p[zero]) / 2
    same = bins[one][:, None] == bins[zero]
    return (before - after)[same].mean(), (before - after)[~same].mean()


# %% decide: the threshold is always one half
def decide(predictions, c_fp, c_fn):
    return (predictions > 0.5).astype(int)


# %% decide: the threshold is inverted
def decide(predictions, c_fp, c_fn):
    return (predictions > c_fn / (c_fp + c_fn)).astype(int)


# %% decide: the ratio of the costs is the threshold
def decide(predictions, c_fp, c_fn):
    return (predictions > c_fp / c_fn).astype(int)


# %% profit: a letter only to those who probably answer
def profit(r, a, gifts, cost):
    terms = np.where(r > 0.5, gifts - cost, 0)
    return terms.sum(), np.sqrt(len(terms)) * terms.std(ddof=1)


# %% profit: letters without an answer cost nothing
def profit(r, a, gifts, cost):
    terms = np.where((r * a > cost) & (gifts > 0), gifts - cost, 0)
    return terms.sum(), np.sqrt(len(terms)) * terms.std(ddof=1)


# %% profit: the standard error of the mean, not of the sum
def profit(r, a, gifts, cost):
    terms = np.where(r * a > cost, gifts - cost, 0)
    return terms.sum(), terms.std(ddof=1) / np.sqrt(len(terms))


# %% profit: people without a letter are left out of the standard error
def profit(r, a, gifts, cost):
    terms = (gifts - cost)[r * a > cost]
    return terms.sum(), np.sqrt(len(terms)) * terms.std(ddof=1)


# %% gain: as if the two policies had been tried on different people
def gain(send, gifts, cost):
    by_rule, everybody = send * (gifts - cost), gifts - cost
    n = len(gifts)
    error = np.sqrt(n * (by_rule.var(ddof=1) + everybody.var(ddof=1)))
    return by_rule.sum() - everybody.sum(), error


# %% gain: the profit in the place of the gain
def gain(send, gifts, cost):
    terms = send * (gifts - cost)
    return terms.sum(), np.sqrt(len(terms)) * terms.std(ddof=1)


# %% break_it: the better ranking earns more
def ranked_and_poor():
    labels = np.repeat([0, 1], [95, 5])
    return labels, np.full(100, 0.05), np.repeat([0.0, 1.0], [95, 5])
