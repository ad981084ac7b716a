# A second solution, written without a look at the first.

# %% set-up
import numpy as np


# %% pav
def isotonic_fit(scores, labels):
    # slopes of the greatest convex minorant of the cumulative sum diagram
    values = sorted(set(scores))
    x, y = [0], [0]
    for v in values:
        here = labels[scores == v]
        x.append(x[-1] + len(here))
        y.append(y[-1] + int(here.sum()))
    fitted, i = {}, 0
    while i < len(values):
        slopes = [(y[j] - y[i]) / (x[j] - x[i]) for j in range(i + 1, len(x))]
        smallest = min(slopes)
        end = i + 1 + max(k for k, slope in enumerate(slopes) if slope <= smallest + 1e-12)
        for j in range(i, end):
            fitted[values[j]] = smallest
        i = end
    return np.array([fitted[s] for s in scores])


# %% weights
def weighted_isotonic_fit(scores, labels, weights):
    # pool any violators until there are none
    blocks = []
    for v in np.unique(scores):
        here = scores == v
        blocks.append([weights[here].sum(), (weights * labels)[here].sum(), [v]])
    again = True
    while again:
        again = False
        for i in range(len(blocks) - 1):
            (w, t, v), (w2, t2, v2) = blocks[i], blocks[i + 1]
            if t / w > t2 / w2:
                blocks[i : i + 2] = [[w + w2, t + t2, v + v2]]
                again = True
                break
    value = {score: t / w for w, t, members in blocks for score in members}
    return [value[score] for score in scores]


# %% max_min
def max_min(means, weights):
    w, t = np.append(0, np.cumsum(weights)), np.append(0, np.cumsum(weights * means))
    k = len(means)
    mean = np.full((k, k), np.inf)
    for a in range(k):
        mean[a, a:] = (t[a + 1 :] - t[a]) / (w[a + 1 :] - w[a])
    return [mean[: i + 1, i:].min(axis=1).max() for i in range(k)]


# %% predict
def step_predictions(knots, values, new):
    predictions = []
    for y in new:
        below = [value for knot, value in zip(knots, values, strict=True) if knot <= y]
        predictions.append(below[-1] if below else values[0])
    return predictions


# %% tamed
def tamed_fit(scores, labels):
    # the formula with a minimum of maxima, over the enlarged sample
    s = np.array([min(scores) - 10, *scores, max(scores) + 10])
    z = np.array([1, *labels, 0])

    def value(y):
        candidates = []
        for upper in np.unique(s[s >= y]):
            means = [z[(s >= lower) & (s <= upper)].mean() for lower in np.unique(s[s <= y])]
            candidates.append(max(means))
        return min(candidates)

    return np.array([value(y) for y in scores])


# %% training
def out_of_fold_scores(X, labels, folds):
    scores = np.zeros(len(labels))
    for i in range(len(labels)):
        others = folds != folds[i]
        scores[i] = X[i] @ (np.linalg.pinv(X[others]) @ labels[others])
    return scores


# %% break_it
def worse_after_calibration():
    # fifteen certain negatives, a block in the middle, fifteen certain positives
    labels = [0] * 15 + [1, 0] + [1] * 10 + [0] * 10 + [1] * 15
    scores = list(range(len(labels)))
    new = list(range(15, 37)) + [40]
    new_labels = [0] * 11 + [1] * 11 + [0]
    return scores, labels, new, new_labels
