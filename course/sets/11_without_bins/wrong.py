# Wrong answers, each with the question that it must lose and the mistake.

# %% set-up
import numpy as np
from scipy.special import betaincinv, erfc


# %% kuiper: equal predictions are taken one by one
def kuiper(labels, predictions):
    order = np.lexsort([-labels, predictions])
    path = np.append(0, np.cumsum((labels - predictions)[order]))
    first, last = sorted([int(path.argmin()), int(path.argmax())])
    values = predictions[order]
    return np.ptp(path) / len(labels), values[first], values[max(last, first + 1) - 1]


# %% kuiper: the empty sum is forgotten
def kuiper(labels, predictions):
    values, place = np.unique(predictions, return_inverse=True)
    path = np.cumsum(np.bincount(place, labels - predictions))
    first, last = sorted([int(path.argmin()), int(path.argmax())])
    return np.ptp(path) / len(labels), values[first], values[last]


# %% kuiper: the largest cumulative sum, which is Kolmogorov's distance
def kuiper(labels, predictions):
    values, place = np.unique(predictions, return_inverse=True)
    path = np.cumsum(np.bincount(place, labels - predictions))
    return np.abs(path).max() / len(labels), values[0], values[np.abs(path).argmax()]


# %% kuiper: the interval begins one step too early
def kuiper(labels, predictions):
    values, place = np.unique(predictions, return_inverse=True)
    path = np.append(0, np.cumsum(np.bincount(place, labels - predictions)))
    first, last = sorted([int(path.argmin()), int(path.argmax())])
    return np.ptp(path) / len(labels), values[max(first - 1, 0)], values[max(last - 1, 0)]


# %% decompose: equal predictions are not tied
def decompose(labels, predictions):
    from sklearn.isotonic import IsotonicRegression

    order = np.lexsort([labels, predictions])
    g = np.empty(len(labels))
    g[order] = IsotonicRegression().fit_transform(np.arange(len(labels)), labels[order])
    base = np.var(labels)
    best = np.mean((labels - g) ** 2)
    mcb = np.mean((labels - predictions) ** 2) - best
    return mcb, base - best, base, np.mean(g > predictions + 1e-9)


# %% decompose: the fraction of each prediction, not isotonic regression
def decompose(labels, predictions):
    _, place, counts = np.unique(predictions, return_inverse=True, return_counts=True)
    g = (np.bincount(place, labels) / counts)[place]
    base, best = np.var(labels), np.mean((labels - g) ** 2)
    mcb = np.mean((labels - predictions) ** 2) - best
    return mcb, base - best, base, np.mean(g > predictions + 1e-9)


# %% decompose: the uncertainty has the root
def decompose(labels, predictions):
    from sklearn.isotonic import IsotonicRegression

    g = IsotonicRegression().fit_transform(predictions, labels)
    base, best = np.var(labels), np.mean((labels - g) ** 2)
    mcb = np.mean((labels - predictions) ** 2) - best
    return mcb, base - best, np.sqrt(base), np.mean(g > predictions + 1e-9)


# %% decompose: blocks are weighted equally in the share
def decompose(labels, predictions):
    from sklearn.isotonic import IsotonicRegression

    g = IsotonicRegression().fit_transform(predictions, labels)
    base, best = np.var(labels), np.mean((labels - g) ** 2)
    mcb = np.mean((labels - predictions) ** 2) - best
    _, first = np.unique(g, return_index=True)
    return mcb, base - best, base, np.mean(g[first] > predictions[first] + 1e-9)


# %% drawn: draws that tie with the sample are left out
def drawn_test(labels, predictions, uniform):
    def kuiper(z, p):
        _, place = np.unique(p, return_inverse=True)
        return np.ptp(np.append(0, np.cumsum(np.bincount(place, z - p)))) / len(z)

    found = kuiper(labels, predictions)
    larger = sum(kuiper(row < predictions, predictions) > found + 1e-9 for row in uniform)
    return found, (1 + larger) / (len(uniform) + 1)


# %% drawn: the sample itself is not counted
def drawn_test(labels, predictions, uniform):
    def kuiper(z, p):
        _, place = np.unique(p, return_inverse=True)
        return np.ptp(np.append(0, np.cumsum(np.bincount(place, z - p)))) / len(z)

    found = kuiper(labels, predictions)
    return found, np.mean([kuiper(u < predictions, predictions) >= found - 1e-9 for u in uniform])


# %% drawn: labels are drawn from the base rate
def drawn_test(labels, predictions, uniform):
    def kuiper(z, p):
        _, place = np.unique(p, return_inverse=True)
        return np.ptp(np.append(0, np.cumsum(np.bincount(place, z - p)))) / len(z)

    found, base = kuiper(labels, predictions), labels.mean()
    larger = sum(kuiper(row < base, predictions) >= found - 1e-9 for row in uniform)
    return found, (1 + larger) / (len(uniform) + 1)


# %% drawn: the labels are shuffled by the uniform numbers
def drawn_test(labels, predictions, uniform):
    def kuiper(z, p):
        _, place = np.unique(p, return_inverse=True)
        return np.ptp(np.append(0, np.cumsum(np.bincount(place, z - p)))) / len(z)

    found = kuiper(labels, predictions)
    shuffled = [kuiper(labels[np.argsort(u)], predictions) for u in uniform]
    return found, (1 + np.sum(np.array(shuffled) >= found - 1e-9)) / (len(uniform) + 1)


# %% witnesses: the variance has the weight, not its square
def witness_tests(labels, predictions):
    p = predictions
    w = np.array([np.ones(len(p)), 1 - 2 * p, p > 0.9])
    spread = np.sqrt(np.abs(w) @ (p * (1 - p)))
    zeta = w @ (labels - p) / np.where(spread > 0, spread, 1)
    return zeta, min(1.0, 3 * erfc(np.abs(zeta).max() / np.sqrt(2)))


# %% witnesses: the smallest p value as it is
def witness_tests(labels, predictions):
    p = predictions
    w = np.array([np.ones(len(p)), 1 - 2 * p, p > 0.9])
    spread = np.sqrt(w**2 @ (p * (1 - p)))
    zeta = w @ (labels - p) / np.where(spread > 0, spread, 1)
    return zeta, erfc(np.abs(zeta).max() / np.sqrt(2))


# %% witnesses: one side only
def witness_tests(labels, predictions):
    p = predictions
    w = np.array([np.ones(len(p)), 1 - 2 * p, p > 0.9])
    spread = np.sqrt(w**2 @ (p * (1 - p)))
    zeta = w @ (labels - p) / np.where(spread > 0, spread, 1)
    return zeta, min(1.0, 1.5 * erfc(zeta.max() / np.sqrt(2)))


# %% witnesses: nothing divided by nothing where no prediction is high
def witness_tests(labels, predictions):
    p = predictions
    w = np.array([np.ones(len(p)), 1 - 2 * p, p > 0.9])
    with np.errstate(all="ignore"):
        zeta = w @ (labels - p) / np.sqrt(w**2 @ (p * (1 - p)))
    return zeta, min(1.0, 3 * erfc(np.abs(zeta).max() / np.sqrt(2)))


# %% limits: each group by itself
def honest_band(cases, positives, alpha=0.1):
    K = len(cases)
    a = alpha / (K * (K + 1))
    n, m = cases, positives
    lower = np.where(m > 0, betaincinv(np.maximum(m, 1), n - m + 1, a), 0)
    upper = np.where(m < n, betaincinv(m + 1, np.maximum(n - m, 1), 1 - a), 1)
    return np.maximum.accumulate(lower), np.minimum.accumulate(upper[::-1])[::-1]


# %% limits: the level is not shared among the runs
def honest_band(cases, positives, alpha=0.1):
    K, a = len(cases), alpha
    N, M = np.append(0, np.cumsum(cases)), np.append(0, np.cumsum(positives))
    lower, upper = np.zeros(K), np.ones(K)
    for j in range(K):
        for k in range(j, K):
            n, m = N[k + 1] - N[j], M[k + 1] - M[j]
            if m > 0:
                lower[k] = max(lower[k], betaincinv(m, n - m + 1, a))
            if m < n:
                upper[j] = min(upper[j], betaincinv(m + 1, n - m, 1 - a))
    return np.maximum.accumulate(lower), np.minimum.accumulate(upper[::-1])[::-1]


# %% limits: runs that contain the group, not those below it
def honest_band(cases, positives, alpha=0.1):
    K = len(cases)
    a = alpha / (K * (K + 1))
    N, M = np.append(0, np.cumsum(cases)), np.append(0, np.cumsum(positives))
    lower, upper = np.zeros(K), np.ones(K)
    for j in range(K):
        for k in range(j, K):
            n, m = N[k + 1] - N[j], M[k + 1] - M[j]
            for at in range(j, k + 1):
                if m > 0:
                    lower[at] = max(lower[at], betaincinv(m, n - m + 1, a))
                if m < n:
                    upper[at] = min(upper[at], betaincinv(m + 1, n - m, 1 - a))
    return lower, upper


# %% limits: lower limits of runs that end at the group only
def honest_band(cases, positives, alpha=0.1):
    K = len(cases)
    a = alpha / (K * (K + 1))
    N, M = np.append(0, np.cumsum(cases)), np.append(0, np.cumsum(positives))
    lower, upper = np.zeros(K), np.ones(K)
    for j in range(K):
        for k in range(j, K):
            n, m = N[k + 1] - N[j], M[k + 1] - M[j]
            if m > 0:
                lower[k] = max(lower[k], betaincinv(m, n - m + 1, a))
            if m < n:
                upper[j] = min(upper[j], betaincinv(m + 1, n - m, 1 - a))
    return lower, upper


# %% basic: the percentile interval
def basic_interval(labels, predictions, rows):
    def error(z, p):
        _, place, counts = np.unique(p, return_inverse=True, return_counts=True)
        return np.sum(np.bincount(place, z - p) ** 2 / counts) / len(z)

    resampled = [error(labels[r], predictions[r]) for r in rows]
    return error(labels, predictions), *np.quantile(resampled, [0.025, 0.975])


# %% basic: groups are not weighted by their cases
def basic_interval(labels, predictions, rows):
    def error(z, p):
        _, place, counts = np.unique(p, return_inverse=True, return_counts=True)
        return np.mean((np.bincount(place, z - p) / counts) ** 2)

    t = error(labels, predictions)
    low, high = np.quantile([error(labels[r], predictions[r]) for r in rows], [0.025, 0.975])
    return t, max(0.0, 2 * t - high), max(0.0, 2 * t - low)


# %% basic: the ends are exchanged
def basic_interval(labels, predictions, rows):
    def error(z, p):
        _, place, counts = np.unique(p, return_inverse=True, return_counts=True)
        return np.sum(np.bincount(place, z - p) ** 2 / counts) / len(z)

    t = error(labels, predictions)
    low, high = np.quantile([error(labels[r], predictions[r]) for r in rows], [0.025, 0.975])
    return t, max(0.0, 2 * t - low), max(0.0, 2 * t - high)


# %% basic: the lower end may be negative
def basic_interval(labels, predictions, rows):
    def error(z, p):
        _, place, counts = np.unique(p, return_inverse=True, return_counts=True)
        return np.sum(np.bincount(place, z - p) ** 2 / counts) / len(z)

    t = error(labels, predictions)
    low, high = np.quantile([error(labels[r], predictions[r]) for r in rows], [0.025, 0.975])
    return t, 2 * t - high, 2 * t - low


# %% thinned: the weights are those of the file
def judge_thinned(labels, predictions, kept):
    r = labels - predictions
    b = r.mean()
    error = np.sqrt(np.sum((r - b) ** 2)) / len(r)
    return b, error, predictions / (predictions + kept * (1 - predictions))


# %% thinned: negatives weigh less instead of more
def judge_thinned(labels, predictions, kept):
    r, w = labels - predictions, np.where(labels == 1, 1, kept)
    b = np.average(r, weights=w)
    error = np.sqrt(np.sum(w**2 * (r - b) ** 2)) / w.sum()
    return b, error, predictions / (predictions + kept * (1 - predictions))


# %% thinned: a weight is taken for a count
def judge_thinned(labels, predictions, kept):
    r, w = labels - predictions, np.where(labels == 1, 1, 1 / kept)
    b = np.average(r, weights=w)
    error = np.sqrt(np.sum(w * (r - b) ** 2)) / w.sum()
    return b, error, predictions / (predictions + kept * (1 - predictions))


# %% thinned: the probability is divided, not the odds
def judge_thinned(labels, predictions, kept):
    r, w = labels - predictions, np.where(labels == 1, 1, 1 / kept)
    b = np.average(r, weights=w)
    error = np.sqrt(np.sum(w**2 * (r - b) ** 2)) / w.sum()
    return b, error, np.minimum(predictions / kept, 1)


# %% break_it: the forecaster is calibrated
def unseen_errors():
    return np.tile([0, 1], 50), np.full(100, 0.5)


# %% break_it: errors cancel, but the order shows them
def unseen_errors():
    return np.repeat([1, 0], 100), np.repeat([0.4, 0.6], 100)


# %% break_it: all errors have one sign
def unseen_errors():
    return np.ones(100, dtype=int), np.full(100, 0.5)
