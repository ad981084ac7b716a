# Wrong answers, each with the question that it must lose and the mistake.

# %% set-up
import numpy as np


# %% pav: ties are not put together
def isotonic_fit(scores, labels):
    order = np.argsort(scores, kind="stable")
    blocks = []
    for z in labels[order]:
        blocks.append([z])
        while len(blocks) > 1 and np.mean(blocks[-2]) >= np.mean(blocks[-1]):
            last = blocks.pop()
            blocks[-1] = blocks[-1] + last
    fitted = np.empty(len(scores))
    fitted[order] = np.concatenate([np.full(len(b), np.mean(b)) for b in blocks])
    return fitted


# %% pav: ties sorted by label
def isotonic_fit(scores, labels):
    order = np.lexsort([labels, scores])
    blocks = []
    for z in labels[order]:
        blocks.append([z])
        while len(blocks) > 1 and np.mean(blocks[-2]) >= np.mean(blocks[-1]):
            last = blocks.pop()
            blocks[-1] = blocks[-1] + last
    fitted = np.empty(len(scores))
    fitted[order] = np.concatenate([np.full(len(b), np.mean(b)) for b in blocks])
    return fitted


# %% pav: one pass, without going back
def isotonic_fit(scores, labels):
    _, place, counts = np.unique(scores, return_inverse=True, return_counts=True)
    blocks = []
    for n, t in zip(counts, np.bincount(place, labels), strict=True):
        if blocks and blocks[-1][1] / blocks[-1][0] >= t / n:
            blocks[-1] = [blocks[-1][0] + n, blocks[-1][1] + t, blocks[-1][2] + 1]
        else:
            blocks.append([n, t, 1])
    return np.repeat([t / n for n, t, _ in blocks], [k for _, _, k in blocks])[place]


# %% pav: the plain mean of two blocks
def isotonic_fit(scores, labels):
    _, place, counts = np.unique(scores, return_inverse=True, return_counts=True)
    blocks = []
    for mean in np.bincount(place, labels) / counts:
        blocks.append([mean, 1])
        while len(blocks) > 1 and blocks[-2][0] >= blocks[-1][0]:
            mean, k = blocks.pop()
            blocks[-1] = [(blocks[-1][0] + mean) / 2, blocks[-1][1] + k]
    return np.repeat([mean for mean, _ in blocks], [k for _, k in blocks])[place]


# %% pav: the running maximum
def isotonic_fit(scores, labels):
    _, place, counts = np.unique(scores, return_inverse=True, return_counts=True)
    return np.maximum.accumulate(np.bincount(place, labels) / counts)[place]


# %% weights: blocks are weighted by their number of cases
def weighted_isotonic_fit(scores, labels, weights):
    _, place, counts = np.unique(scores, return_inverse=True, return_counts=True)
    means = np.bincount(place, weights * labels) / np.bincount(place, weights)
    blocks = []
    for n, mean in zip(counts, means, strict=True):
        blocks.append([n, n * mean, 1])
        while len(blocks) > 1 and blocks[-2][1] / blocks[-2][0] >= blocks[-1][1] / blocks[-1][0]:
            last = blocks.pop()
            blocks[-1] = [a + b for a, b in zip(blocks[-1], last, strict=True)]
    return np.repeat([t / n for n, t, _ in blocks], [k for _, _, k in blocks])[place]


# %% weights: not used
def weighted_isotonic_fit(scores, labels, weights):
    _, place, counts = np.unique(scores, return_inverse=True, return_counts=True)
    blocks = []
    for n, t in zip(counts, np.bincount(place, labels), strict=True):
        blocks.append([n, t, 1])
        while len(blocks) > 1 and blocks[-2][1] / blocks[-2][0] >= blocks[-1][1] / blocks[-1][0]:
            last = blocks.pop()
            blocks[-1] = [a + b for a, b in zip(blocks[-1], last, strict=True)]
    return np.repeat([t / n for n, t, _ in blocks], [k for _, _, k in blocks])[place]


# %% max_min: the weights are forgotten
def max_min(means, weights):
    k = len(means)
    return [
        max(min(np.mean(means[a : b + 1]) for b in range(i, k)) for a in range(i + 1))
        for i in range(k)
    ]


# %% max_min: the roles of a and b exchanged
def max_min(means, weights):
    k = len(means)
    return [
        max(
            min(np.average(means[a : b + 1], weights=weights[a : b + 1]) for a in range(i + 1))
            for b in range(i, k)
        )
        for i in range(k)
    ]


# %% predict: straight lines in the place of steps
def step_predictions(knots, values, new):
    return np.interp(new, knots, values)


# %% predict: a score of the sample gets the value before it
def step_predictions(knots, values, new):
    return values[np.maximum(np.searchsorted(knots, new, side="left") - 1, 0)]


# %% predict: zero and one beyond the ends
def step_predictions(knots, values, new):
    inside = values[np.maximum(np.searchsorted(knots, new, side="right") - 1, 0)]
    return np.where(new < knots[0], 0, np.where(new > knots[-1], 1, inside))


# %% tamed: the values are clipped
def tamed_fit(scores, labels):
    _, place, counts = np.unique(scores, return_inverse=True, return_counts=True)
    blocks = []
    for n, t in zip(counts, np.bincount(place, labels), strict=True):
        blocks.append([n, t, 1])
        while len(blocks) > 1 and blocks[-2][1] / blocks[-2][0] >= blocks[-1][1] / blocks[-1][0]:
            last = blocks.pop()
            blocks[-1] = [a + b for a, b in zip(blocks[-1], last, strict=True)]
    fitted = np.repeat([t / n for n, t, _ in blocks], [k for _, _, k in blocks])[place]
    return np.clip(fitted, 1e-6, 1 - 1e-6)


# %% tamed: a negative below and a positive above
def tamed_fit(scores, labels):
    more = np.concatenate([[scores.min() - 1], scores, [scores.max() + 1]])
    _, place, counts = np.unique(more, return_inverse=True, return_counts=True)
    blocks = []
    total = np.bincount(place, np.concatenate([[0], labels, [1]]))
    for n, t in zip(counts, total, strict=True):
        blocks.append([n, t, 1])
        while len(blocks) > 1 and blocks[-2][1] / blocks[-2][0] >= blocks[-1][1] / blocks[-1][0]:
            last = blocks.pop()
            blocks[-1] = [a + b for a, b in zip(blocks[-1], last, strict=True)]
    return np.repeat([t / n for n, t, _ in blocks], [k for _, _, k in blocks])[place][1:-1]


# %% training: scores of the rows that the classifier was trained on
def out_of_fold_scores(X, labels, folds):
    return X @ np.linalg.lstsq(X, labels, rcond=None)[0]


# %% training: fitted on the fold itself
def out_of_fold_scores(X, labels, folds):
    scores = np.empty(len(labels))
    for k in np.unique(folds):
        inside = folds == k
        scores[inside] = X[inside] @ np.linalg.lstsq(X[inside], labels[inside], rcond=None)[0]
    return scores


# %% break_it: on its own sample isotonic regression does not lower the AUC
def worse_after_calibration():
    scores = np.arange(30.0)
    labels = np.concatenate([np.zeros(10), [1] * 5 + [0] * 5, np.ones(10)]).astype(int)
    return scores, labels, scores, labels


# %% break_it: the AUC falls, but nothing was called impossible
def worse_after_calibration():
    scores = np.arange(30.0)
    labels = np.concatenate([np.zeros(10), [1] * 5 + [0] * 5, np.ones(10)]).astype(int)
    return scores, labels, np.linspace(10, 19, 20), np.repeat([0, 1], 10)


# %% max_min: the weights are rounded
def max_min(means, weights):
    weights, k = np.maximum(np.round(weights), 1), len(means)
    return [
        max(
            min(np.average(means[a : b + 1], weights=weights[a : b + 1]) for b in range(i, k))
            for a in range(i + 1)
        )
        for i in range(k)
    ]


# %% max_min: no block begins at the first element
def max_min(means, weights):
    k = len(means)
    return [
        max(
            min(np.average(means[a : b + 1], weights=weights[a : b + 1]) for b in range(i, k))
            for a in range(min(1, i), i + 1)
        )
        for i in range(k)
    ]
