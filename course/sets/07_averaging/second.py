# A second solution, written without a look at the first.

# %% set-up
from math import lgamma, log

import numpy as np
from scipy.optimize import lsq_linear
from scipy.special import logsumexp, softmax, xlog1py, xlogy


# %% evidence
def log_evidence(positives, negatives, a, b):
    total = 0
    for m, n, s, t in zip(positives, negatives, a, b):
        total += lgamma(s + t) - lgamma(m + n + s + t)
        total += lgamma(m + s) - lgamma(s) + lgamma(n + t) - lgamma(t)
    return total


# %% counts
def bin_counts(labels, n_bins):
    positives, cases = [0] * n_bins, [0] * n_bins
    for j, z in enumerate(labels):
        i = (2 * j + 1) * n_bins // (2 * len(labels))
        positives[i] += z
        cases[i] += 1
    return positives, cases


# %% weights
def posterior_weights(log_evidences, prior):
    joint = np.log(prior) + log_evidences
    return np.exp(joint - logsumexp(joint))


# %% bbq
def bbq(scores, labels, sizes, new):
    cases = sorted(zip(scores, labels))
    n = len(cases)
    logs, rows = [], []
    for size in sizes:
        bins = [[] for _ in range(size)]
        for j, case in enumerate(cases):
            bins[(2 * j + 1) * size // (2 * n)].append(case)
        left, log_q, ends, values = 0.0, 0.0, [], []
        for i, inside in enumerate(bins):
            right = 1.0 if i == size - 1 else (inside[-1][0] + bins[i + 1][0][0]) / 2
            a, m, count = left + right, 0, 0
            for _, z in inside:  # predict each label from those before it
                p = (m + a) / (count + 2)
                log_q += log(p if z else 1 - p)
                m, count = m + z, count + 1
            values.append((m + a) / (count + 2))
            ends.append(right)
            left = right
        logs.append(log_q)
        rows.append([values[next(i for i, e in enumerate(ends) if y < e)] for y in new])
    return softmax(logs) @ np.array(rows)


# %% objective
def objective(p, means, weights, lam):
    squares = sum(w * (x - z) ** 2 for w, x, z in zip(weights, p, means))
    return squares / 2 + lam * sum(x - y for x, y in zip(p[:-1], p[1:]) if x > y)


# %% first
def first_breakpoint(means, weights):
    from calib import NearIsotonicPath

    k = len(means)
    both = np.concatenate([weights * means, weights * (1 - means)])
    path = NearIsotonicPath().fit(
        np.tile(np.arange(k), 2), np.repeat([1, 0], k), sample_weight=both
    )
    return path.lambdas_[1] if len(path.lambdas_) > 1 else np.inf


# %% fit
def near_isotonic(means, weights, lam):
    if lam == 0:
        return means
    D, root = -np.diff(np.eye(len(means)), axis=0), np.sqrt(weights)
    u = lsq_linear(D.T / root[:, None], root * means, (0, lam), method="bvls", tol=1e-14).x
    return means - D.T @ u / weights


# %% enir
def ensemble(fits, labels, n_bins):
    n, logs = len(labels), []
    for p, d in zip(fits, n_bins):
        L = np.sum(xlogy(labels, p) + xlog1py(1 - labels, -p))
        logs.append(L - d * np.log(n) / 2)
    return np.average(fits, axis=0, weights=softmax(logs))


# %% break_it
def mislead():
    n = 81
    labels = [i % 2 for i in range(n)]
    first, second = [], []
    behind = 0.0  # loss of model 0 less that of model 1
    for z in labels:
        wrong, right = (0.3, 0.6) if z else (0.7, 0.4)
        leader = 1 if behind > 1e-9 else 0
        first.append(wrong if leader == 0 else right)
        second.append(wrong if leader == 1 else right)
        behind += (1 if leader == 0 else -1) * log(2)
    return labels, [first, second]
