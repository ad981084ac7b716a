# A second solution, written without a look at the first.

# %% set-up
from math import exp, log

import numpy as np
from scipy.special import gammaln


# %% audit
def audit(labels, predictions, groups, n_levels):
    n, M = groups.shape
    biases, best, worst = np.zeros((M, n_levels)), -1.0, None
    ends = np.arange(1, n_levels) / n_levels
    level = np.searchsorted(ends, predictions, side="right")
    for g in range(M):
        for j in range(n_levels):
            rows = groups[:, g] & (level == j)
            total = np.sum(labels[rows]) - np.sum(predictions[rows])
            biases[g, j] = total / n
            evidence = 2 * rows.sum() * (total / (rows.sum() + 1)) ** 2
            if evidence > best:
                best, worst = evidence, (g, j)
    return biases, worst


# %% patch
def patch(labels, predictions, inside):
    rows = np.flatnonzero(inside)
    odds = [p / (1 - p) for p in predictions[rows]]
    mean = sum(predictions[rows]) / len(rows)
    goal = mean + (sum(labels[rows]) - len(rows) * mean) / (len(rows) + 1)
    low, high = -60.0, 60.0
    for _ in range(200):
        c = (low + high) / 2
        if sum(o * exp(c) / (1 + o * exp(c)) for o in odds) / len(rows) < goal:
            low = c
        else:
            high = c
    new = list(predictions)
    for i, o in zip(rows, odds, strict=True):
        new[i] = o * exp(c) / (1 + o * exp(c))
    d = goal * log(goal) + (1 - goal) * log(1 - goal) - goal * log(mean)
    return new, len(rows) * (d - (1 - goal) * log(1 - mean))


# %% rates
def expected_rates(predictions, groups, thresholds):
    rows = []
    for g, t in enumerate(thresholds):
        tp = fp = positives = negatives = 0.0
        for p in predictions[groups == g]:
            positives += p
            negatives += 1 - p
            if p >= t:
                tp += p
                fp += 1 - p
        rows.append((tp / positives, fp / negatives, tp / (tp + fp) if tp + fp > 0 else 0.0))
    return tuple(zip(*rows, strict=True))


# %% pool
def pooled(positives, cases, candidates):
    rate = sum(positives) / sum(cases)
    best = None
    for k in candidates:
        a, b = k * rate, k - k * rate
        total = np.sum(gammaln(positives + a) + gammaln(cases - positives + b))
        total -= np.sum(gammaln(cases + k))
        total += len(cases) * (gammaln(k) - gammaln(a) - gammaln(b))
        if best is None or total > best[0]:
            best = total, k
    k = best[1]
    return k, [(m + k * rate) / (n + k) for m, n in zip(positives, cases, strict=True)]


# %% meanings
def four_errors(vectors, counts):
    n, K = counts.sum(), vectors.shape[1]
    tables = [{} for _ in range(K + 2)]
    canonical = 0.0
    for v, c in zip(vectors, counts, strict=True):
        size, top = c.sum(), int(np.argmax(v))
        canonical += sum(abs(c - size * v)) / 2
        keys = [(round(float(v[k]), 6), c[k] - size * v[k]) for k in range(K)]
        excess = c[top] - size * v[top]
        keys += [((top, round(float(v[top]), 6)), excess), (round(float(v[top]), 6), excess)]
        for table, (key, e) in zip(tables, keys, strict=True):
            table[key] = table.get(key, 0.0) + e
    *classes, label, confidence = [sum(map(abs, t.values())) / n for t in tables]
    return canonical / n, sum(classes) / K, label, confidence


# %% rest
def one_against_rest(vectors, counts):
    def fractions(values, k):
        same = np.abs(values[:, None] - values) < 1e-7
        return same @ counts[:, k] / (same @ counts.sum(axis=1))

    K = vectors.shape[1]
    f = np.array([fractions(vectors[:, k], k) for k in range(K)]).T
    q = (f.T / f.sum(axis=1)).T
    share = counts.sum(axis=1) / counts.sum()
    return f, sum(share @ abs(fractions(q[:, k], k) - q[:, k]) for k in range(K)) / K


# %% top_label
def top_label_bins(vectors, labels, new, size=50):
    table, hits = {}, []
    for v, z in zip(vectors, labels, strict=True):
        c = int(np.argmax(v))
        table.setdefault(c, []).append((v[c], c == z))
        hits.append(c == z)
    parts = {}
    for c, rows in table.items():
        rows.sort()
        k = max(1, len(rows) // size)
        small, more = divmod(len(rows), k)
        parts[c] = []
        for j in range(k):
            length = small + (j < more)
            part, rows = rows[:length], rows[length:]
            parts[c].append((part[-1][0], sum(h for _, h in part) / length))
    found = []
    for v in new:
        c = int(np.argmax(v))
        if c not in parts:
            found.append(sum(hits) / len(hits))
            continue
        found.append(next((f for end, f in parts[c] if end >= v[c]), parts[c][-1][1]))
    return found


# %% break_it
def hidden_from_three():
    vectors = [[0.5, 0.3, 0.2], [0.6, 0.2, 0.2], [0.5, 0.2, 0.3], [0.4, 0.3, 0.3]]
    counts = [[50, 20, 30], [60, 30, 10], [50, 10, 40], [40, 40, 20]]
    return vectors, counts
