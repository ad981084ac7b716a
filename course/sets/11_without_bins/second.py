# A second solution, written without a look at the first.

# %% set-up
import numpy as np
from scipy.optimize import brentq
from scipy.stats import binom, norm


# %% kuiper
def kuiper(labels, predictions):
    best = (0.0, predictions.min(), predictions.min())
    values = np.unique(predictions)
    for i, low in enumerate(values):
        total = 0.0
        for high in values[i:]:
            total += sum(labels[predictions == high] - high)
            if abs(total) > best[0]:
                best = abs(total), low, high
    return best[0] / len(labels), best[1], best[2]


# %% decompose
def decompose(labels, predictions):
    from sklearn.isotonic import IsotonicRegression

    g = IsotonicRegression().fit(predictions, labels).predict(predictions)

    def brier(q):
        return sum((labels - q) ** 2) / len(labels)

    constant = sum(labels) / len(labels)
    return (
        brier(predictions) - brier(g),
        brier(constant) - brier(g),
        brier(constant),
        sum(g - predictions > 1e-9) / len(g),
    )


# %% drawn
def drawn_test(labels, predictions, uniform):
    def error(z):
        best, total, values = 0.0, 0.0, np.unique(predictions)
        sums = [np.sum(z[predictions == v]) - v * np.sum(predictions == v) for v in values]
        for sign in [1, -1]:  # Kadane's algorithm for the largest sum of a run
            total = 0.0
            for s in sums:
                total = max(total + sign * s, 0.0)
                best = max(best, total)
        return best / len(z)

    found = error(labels)
    draws = [error(row < predictions) for row in uniform]
    return found, (1 + sum(d > found - 1e-9 for d in draws)) / (len(draws) + 1)


# %% witnesses
def witness_tests(labels, predictions):
    zeta, smallest = [], 1.0
    for witness in [lambda p: 1.0, lambda p: 1 - 2 * p, lambda p: float(p > 0.9)]:
        pairs = [(witness(p), p, z) for p, z in zip(predictions, labels, strict=True)]
        variance = sum(w * w * p * (1 - p) for w, p, _ in pairs)
        t = sum(w * (z - p) for w, p, z in pairs) / variance**0.5 if variance > 0 else 0.0
        smallest = min(smallest, 2 * norm.sf(abs(t)))
        zeta.append(t)
    return zeta, min(3 * smallest, 1)


# %% limits
def honest_band(cases, positives, alpha=0.1):
    K = len(cases)
    a = alpha / K / (K + 1)

    def lowest(n, m):
        return brentq(lambda p: binom.sf(m - 1, n, p) - a, 0, 1, xtol=1e-12) if m else 0.0

    def run(j, k):
        return int(np.sum(cases[j : k + 1])), int(np.sum(positives[j : k + 1]))

    runs = {(j, k): run(j, k) for j in range(K) for k in range(j, K)}
    low = {jk: lowest(n, m) for jk, (n, m) in runs.items()}
    high = {jk: 1 - lowest(n, n - m) for jk, (n, m) in runs.items()}
    return (
        [max(v for (j, k), v in low.items() if k <= at) for at in range(K)],
        [min(v for (j, k), v in high.items() if j >= at) for at in range(K)],
    )


# %% basic
def basic_interval(labels, predictions, rows):
    def error(which):
        total = 0.0
        for v in set(predictions[which].tolist()):
            z = [labels[i] for i in which if predictions[i] == v]
            total += len(z) * (sum(z) / len(z) - v) ** 2
        return total / len(which)

    t = error(range(len(labels)))
    errors = [error(r) for r in rows]
    ends = 2 * t - np.quantile(errors, 0.975), 2 * t - np.quantile(errors, 0.025)
    return t, *np.clip(ends, 0, None)


# %% thinned
def judge_thinned(labels, predictions, kept):
    total = bias = squares = 0.0
    rows = [(1.0 if z else 1 / kept, z - p) for z, p in zip(labels, predictions, strict=True)]
    for w, r in rows:
        total, bias = total + w, bias + w * r
    bias /= total
    for w, r in rows:
        squares += (w * (r - bias)) ** 2
    odds = np.log(predictions) - np.log1p(-predictions) - np.log(kept)
    return bias, squares**0.5 / total, 1 / (1 + np.exp(-odds))


# %% break_it
def unseen_errors():
    predictions, labels = [], []
    for k in range(40):
        p = 0.48 + 0.001 * k
        predictions += 20 * [p]
        labels += 20 * [k % 2]
    return labels, predictions
