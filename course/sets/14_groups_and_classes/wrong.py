# Wrong answers, each with the question that it must lose and the mistake.

# %% set-up
import numpy as np
from scipy.optimize import brentq
from scipy.special import betaln


def sums_of(labels, predictions, groups, n_levels):
    level = np.minimum((predictions * n_levels).astype(int), n_levels - 1)
    inside = level[:, None] == np.arange(n_levels)
    return groups.T @ (inside * (labels - predictions)[:, None]), groups.T.astype(int) @ inside


def shifted(predictions, inside, goal):
    logits = np.log(predictions[inside] / (1 - predictions[inside]))
    c = brentq(lambda c: np.mean(1 / (1 + np.exp(-logits - c))) - goal, -60, 60, xtol=1e-12)
    new = predictions.astype(float)
    new[inside] = 1 / (1 + np.exp(-logits - c))
    return new


def divergence(q, p):
    return q * np.log(q / p) + (1 - q) * np.log((1 - q) / (1 - p))


def errors_of(vectors, counts, absolute_first=False, mean=True):
    sizes, n = counts.sum(axis=1), counts.sum()
    top, rows = vectors.argmax(axis=1), np.arange(len(vectors))

    def error(keys, excess):
        _, place = np.unique(np.round(keys, 9), axis=0, return_inverse=True)
        excess = np.abs(excess) if absolute_first else excess
        return np.abs(np.bincount(place.ravel(), excess)).sum() / n

    excess = counts - sizes[:, None] * vectors
    canonical = np.abs(excess).sum() / 2 / n
    K = vectors.shape[1]
    by_class = np.mean([error(vectors[:, [k]], excess[:, k]) for k in range(K)])
    p, own = vectors[rows, top], excess[rows, top]
    label = error(np.column_stack([top, p]), own)
    return canonical, by_class * (1 if mean else K), label, error(p[:, None], own)


def bins_of(vectors, labels, new, size, rest=None, side="left", last=True):
    top, confidence = vectors.argmax(axis=1), vectors.max(axis=1)
    right = top == labels
    found = np.full(len(new), right.mean() if rest is None else rest)
    for c in np.unique(top):
        rows = np.flatnonzero(top == c)
        rows = rows[np.argsort(confidence[rows])]
        parts = np.array_split(rows, max(1, len(rows) // size))
        ends = np.array([confidence[part[-1]] for part in parts])
        fractions = np.array([right[part].mean() for part in parts])
        ours = new.argmax(axis=1) == c
        place = np.searchsorted(ends, new[ours].max(axis=1), side=side)
        above = place >= len(parts)
        place = np.minimum(place, len(parts) - 1)
        found[ours] = np.where(above & (not last), 1.0, fractions[place])
    return found


# %% audit: the set with the largest bias, of however few cases
def audit(labels, predictions, groups, n_levels):
    sums, sizes = sums_of(labels, predictions, groups, n_levels)
    worst = np.abs(sums / np.maximum(sizes, 1)).argmax()
    return sums / len(labels), np.unravel_index(worst, sums.shape)


# %% audit: biases are divided by the size of the set
def audit(labels, predictions, groups, n_levels):
    sums, sizes = sums_of(labels, predictions, groups, n_levels)
    evidence = 2 * sizes * (sums / (sizes + 1)) ** 2
    return sums / np.maximum(sizes, 1), np.unravel_index(evidence.argmax(), sums.shape)


# %% audit: only biases upwards
def audit(labels, predictions, groups, n_levels):
    sums, sizes = sums_of(labels, predictions, groups, n_levels)
    evidence = 2 * sizes * (np.maximum(sums, 0) / (sizes + 1)) ** 2
    return sums / len(labels), np.unravel_index(evidence.argmax(), sums.shape)


# %% audit: a prediction of one has a level of its own, which is dropped
def audit(labels, predictions, groups, n_levels):
    level = (predictions * n_levels).astype(int)
    inside = level[:, None] == np.arange(n_levels)
    sums = groups.T @ (inside * (labels - predictions)[:, None])
    sizes = groups.T.astype(int) @ inside
    evidence = 2 * sizes * (sums / (sizes + 1)) ** 2
    return sums / len(labels), np.unravel_index(evidence.argmax(), sums.shape)


# %% patch: the bias is not shrunk
def patch(labels, predictions, inside):
    n, mean = inside.sum(), predictions[inside].mean()
    goal = np.clip(labels[inside].mean(), 1e-9, 1 - 1e-9)
    return shifted(predictions, inside, goal), n * divergence(goal, mean)


# %% patch: the shift is on the scale of probabilities
def patch(labels, predictions, inside):
    n, mean = inside.sum(), predictions[inside].mean()
    goal = mean + (labels[inside].sum() - n * mean) / (n + 1)
    new = predictions.astype(float)
    new[inside] = np.clip(new[inside] + goal - mean, 1e-6, 1 - 1e-6)
    return new, n * divergence(goal, mean)


# %% patch: the shift of the mean's log odds is given to all
def patch(labels, predictions, inside):
    n, mean = inside.sum(), predictions[inside].mean()
    goal = mean + (labels[inside].sum() - n * mean) / (n + 1)
    c = np.log(goal / (1 - goal)) - np.log(mean / (1 - mean))
    new = predictions.astype(float)
    new[inside] = 1 / (1 + np.exp(-np.log(new[inside] / (1 - new[inside])) - c))
    return new, n * divergence(goal, mean)


# %% patch: all cases are moved
def patch(labels, predictions, inside):
    n, mean = inside.sum(), predictions[inside].mean()
    goal = mean + (labels[inside].sum() - n * mean) / (n + 1)
    return shifted(predictions, np.full(len(inside), True), goal), n * divergence(goal, mean)


# %% patch: the divergence the wrong way round
def patch(labels, predictions, inside):
    n, mean = inside.sum(), predictions[inside].mean()
    goal = mean + (labels[inside].sum() - n * mean) / (n + 1)
    return shifted(predictions, inside, goal), n * divergence(mean, goal)


# %% rates: cases are counted, whatever their probability
def expected_rates(predictions, groups, thresholds):
    yes = predictions >= thresholds[groups]
    share = np.array([yes[groups == g].mean() for g in range(len(thresholds))])
    means = [predictions[(groups == g) & yes] for g in range(len(thresholds))]
    return share, share, np.array([m.mean() if len(m) else 0 for m in means])


# %% rates: one threshold for all
def expected_rates(predictions, groups, thresholds):
    k, yes, p = len(thresholds), predictions >= np.mean(thresholds), predictions
    true, false = np.bincount(groups, p * yes, k), np.bincount(groups, (1 - p) * yes, k)
    tpr, fpr = true / np.bincount(groups, p, k), false / np.bincount(groups, 1 - p, k)
    return tpr, fpr + 1e-6, true / np.maximum(true + false, 1e-300)


# %% rates: a prediction at the threshold gets no positive decision
def expected_rates(predictions, groups, thresholds):
    k, yes, p = len(thresholds), predictions > thresholds[groups], predictions
    true, false = np.bincount(groups, p * yes, k), np.bincount(groups, (1 - p) * yes, k)
    chosen = np.maximum(true + false, 1e-300)
    return true / np.bincount(groups, p, k), false / np.bincount(groups, 1 - p, k), true / chosen


# %% rates: the false positives among the positive decisions
def expected_rates(predictions, groups, thresholds):
    k, yes, p = len(thresholds), predictions >= thresholds[groups], predictions
    true, false = np.bincount(groups, p * yes, k), np.bincount(groups, (1 - p) * yes, k)
    chosen = np.maximum(true + false, 1e-300)
    return true / np.bincount(groups, p, k), false / chosen, true / chosen


# %% pool: the binomial likelihood of the pooled fractions, which never pools
def pooled(positives, cases, candidates):
    theta = positives.sum() / cases.sum()

    def fit(k):
        p = (positives + k * theta) / (cases + k)
        return np.sum(positives * np.log(p) + (cases - positives) * np.log(1 - p))

    k = max(candidates, key=fit)
    return k, (positives + k * theta) / (cases + k)


# %% pool: the mean of the groups' fractions is the centre
def pooled(positives, cases, candidates):
    theta = np.mean(positives / cases)

    def evidence(k):
        a, b = k * theta, k * (1 - theta)
        return np.sum(betaln(positives + a, cases - positives + b) - betaln(a, b))

    k = max(candidates, key=evidence)
    return k, (positives + k * theta) / (cases + k)


# %% pool: the largest k, complete pooling
def pooled(positives, cases, candidates):
    k, theta = max(candidates), positives.sum() / cases.sum()
    return k, (positives + k * theta) / (cases + k)


# %% pool: a centre of one half
def pooled(positives, cases, candidates):
    def evidence(k):
        return np.sum(betaln(positives + k / 2, cases - positives + k / 2) - betaln(k / 2, k / 2))

    k = max(candidates, key=evidence)
    return k, (positives + k / 2) / (cases + k)


# %% meanings: absolute values before the sum, so that every error is that of the vectors
def four_errors(vectors, counts):
    return errors_of(vectors, counts, absolute_first=True)


# %% meanings: classes are added, not averaged
def four_errors(vectors, counts):
    return errors_of(vectors, counts, mean=False)


# %% meanings: the top label is taken for the confidence
def four_errors(vectors, counts):
    canonical, by_class, _, confidence = errors_of(vectors, counts)
    return canonical, by_class, confidence, confidence


# %% meanings: each vector counts once
def four_errors(vectors, counts):
    return errors_of(vectors, 100 * counts / counts.sum(axis=1, keepdims=True))


# %% meanings: the top class is the most frequent one
def four_errors(vectors, counts):
    canonical, by_class, _, _ = errors_of(vectors, counts)
    right, p = counts.max(axis=1), vectors.max(axis=1)
    sizes = counts.sum(axis=1)
    both = []
    for keys in [np.column_stack([vectors.argmax(axis=1), p]), p[:, None]]:
        _, place = np.unique(np.round(keys, 9), axis=0, return_inverse=True)
        both.append(np.abs(np.bincount(place.ravel(), right - sizes * p)).sum() / counts.sum())
    return canonical, by_class, *both


# %% rest: fractions of each vector, which need no division
def one_against_rest(vectors, counts):
    return counts / counts.sum(axis=1, keepdims=True), 0.0


# %% rest: vectors are averaged without their numbers of cases
def one_against_rest(vectors, counts):
    share = counts / counts.sum(axis=1, keepdims=True)
    f = np.empty(vectors.shape)
    for k in range(vectors.shape[1]):
        for r, v in enumerate(vectors[:, k]):
            f[r, k] = share[np.abs(vectors[:, k] - v) < 1e-9, k].mean()
    q = f / f.sum(axis=1, keepdims=True)
    return f, errors_of(q, counts)[1]


# %% rest: the error before the division, which is zero
def one_against_rest(vectors, counts):
    f, sizes = np.empty(vectors.shape), counts.sum(axis=1)
    for k in range(vectors.shape[1]):
        for r, v in enumerate(vectors[:, k]):
            rows = np.abs(vectors[:, k] - v) < 1e-9
            f[r, k] = counts[rows, k].sum() / sizes[rows].sum()
    return f, 0.0


# %% rest: the vectors after the division are returned
def one_against_rest(vectors, counts):
    f, sizes = np.empty(vectors.shape), counts.sum(axis=1)
    for k in range(vectors.shape[1]):
        for r, v in enumerate(vectors[:, k]):
            rows = np.abs(vectors[:, k] - v) < 1e-9
            f[r, k] = counts[rows, k].sum() / sizes[rows].sum()
    q = f / f.sum(axis=1, keepdims=True)
    return q, errors_of(q, counts)[1]


# %% top_label: confidence bins for all classes together
def top_label_bins(vectors, labels, new, size=50):
    confidence = vectors.max(axis=1)
    rows = np.argsort(confidence)
    parts = np.array_split(rows, max(1, len(rows) // size))
    right = vectors.argmax(axis=1) == labels
    ends = np.array([confidence[part[-1]] for part in parts])
    fractions = np.array([right[part].mean() for part in parts])
    place = np.searchsorted(ends, new.max(axis=1))
    return fractions[np.minimum(place, len(parts) - 1)]


# %% top_label: unseen classes get one over the number of classes
def top_label_bins(vectors, labels, new, size=50):
    return bins_of(vectors, labels, new, size, rest=1 / vectors.shape[1])


# %% top_label: above the last bin everything is certain
def top_label_bins(vectors, labels, new, size=50):
    return bins_of(vectors, labels, new, size, last=False)


# %% top_label: the frequency of the class, not of being right
def top_label_bins(vectors, labels, new, size=50):
    return np.array([np.mean(labels == c) for c in new.argmax(axis=1)])


# %% top_label: one bin for each class
def top_label_bins(vectors, labels, new, size=50):
    return bins_of(vectors, labels, new, len(labels))


# %% break_it: right in every sense
def hidden_from_three():
    return np.array([[0.5, 0.3, 0.2]]), np.array([[50, 30, 20]])


# %% break_it: the top label is right, but not the classes
def hidden_from_three():
    return np.array([[0.5, 0.3, 0.2], [0.5, 0.2, 0.3]]), np.array([[50, 20, 30], [50, 30, 20]])


# %% break_it: the classes are right, but not the top label
def hidden_from_three():
    vectors = np.array([[0.6, 0.3, 0.1], [0.6, 0.1, 0.3], [0.1, 0.6, 0.3], [0.3, 0.6, 0.1]])
    vectors = np.vstack([vectors, [[0.1, 0.3, 0.6], [0.3, 0.1, 0.6]]])
    shift = np.array([[1, -1, 0], [-1, 0, 1], [0, 1, -1], [1, -1, 0], [-1, 1, 0], [0, 0, 0]])
    return vectors, np.round(100 * vectors).astype(int) + 8 * shift
