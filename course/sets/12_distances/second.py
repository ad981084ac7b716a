# A second solution, written without a look at the first.

# %% set-up
import numpy as np
from scipy.optimize import linprog
from scipy.stats import beta as beta_distribution
from scipy.stats import binom


# %% smooth
def smooth_error(labels, predictions):
    # unknowns: the first value and the steps to the next ones
    values = np.unique(predictions)
    k = len(values)
    residuals = [sum((labels - predictions)[predictions == v]) / len(labels) for v in values]
    build = np.tril(np.ones((k, k)))
    bounds = [(-1, 1)] + [(-d, d) for d in np.diff(values)]
    found = linprog(
        -build.T @ residuals,
        A_ub=np.vstack([build, -build]),
        b_ub=np.ones(2 * k),
        bounds=bounds,
    )
    w = build @ found.x
    return w @ residuals, w


# %% upper
def upper_distance(values, positives, negatives):
    K, best = len(values), np.inf
    mass = positives + negatives

    def extend(names, used):
        nonlocal best
        if len(names) == K:
            names = np.array(names)
            v = np.bincount(names, positives) / np.bincount(names, mass)
            best = min(best, np.sum(mass * np.abs(values - v[names])))
            return
        for name in range(used + 1):
            extend([*names, name], max(used, name + 1))

    extend([], 0)
    return best


# %% dipping
def bins_without_splitting(scores, labels, ties, B, delta=0.1):
    rows = sorted(zip(scores, ties, labels, strict=True))
    N, cuts, fractions, begin = len(rows), [], [], 0
    for i in range(1, B + 1):
        end = i * (N + 1) // B
        part = rows[begin : end - 1]
        fractions.append(sum(z for _, _, z in part) / len(part))
        if i < B:
            cuts.append(rows[end - 1][0])
        begin = end
    return cuts, fractions, (np.log(2 * B / delta) / (2 * (N // B) - 2)) ** 0.5


# %% limits
def upper_limits(m, n, beta):
    q = m / n
    target = np.log(1 / beta) / n
    low, high = q, 1.0
    for _ in range(200):
        t = (low + high) / 2
        kl = (q * np.log(q / t) if q else 0.0) + (
            (1 - q) * np.log((1 - q) / (1 - t)) if q < 1 else 0
        )
        low, high = (t, high) if kl < target and t < 1 else (low, t)
    exact = 1.0 if m == n else beta_distribution.ppf(1 - beta, m + 1, n - m)
    return min(q + (target / 2) ** 0.5, 1), low if m < n else 1.0, exact


# %% holds
def check_guarantee(scores, labels, B, delta):
    N, errors = scores.shape[1], []
    for s, z in zip(scores, labels, strict=True):
        order = np.argsort(s)
        s, z = s[order], z[order]
        worst, low, begin = 0.0, 0.0, 0
        for i in range(1, B + 1):
            end = i * (N + 1) // B
            high = s[end - 1] if i < B else 1.0
            theta = (high**2 + high * low + low**2) / 3
            worst = max(worst, abs(np.mean(z[begin : end - 1]) - theta))
            low, begin = high, end
        errors.append(worst)
    promised = (np.log(2 * B / delta) / 2 / (N // B - 1)) ** 0.5
    return errors, sum(e <= promised for e in errors) / len(errors)


# %% bins
def best_bins(truth, N):
    m = len(truth)
    V = sum(p * (1 - p) for p in truth) / m
    D = sum(((truth[k + 1] - truth[k]) * m) ** 2 for k in range(m - 1)) / (m - 1)
    risks = [V * B / N + D / (12 * B * B) for B in range(1, 5000)]
    best = int(np.argmin(risks))
    return best + 1, risks[best]


# %% two_points
def lower_bounds(B, n, h):
    k = np.arange(n + 1)
    p, q = binom.pmf(k, n, 0.5 + h), binom.pmf(k, n, 0.5 - h)
    T = 1 - np.minimum(p, q).sum()
    both = 1 - np.minimum(p[:, None] * q, q[:, None] * p).sum()
    return 1 - (0.5 + T / 2) ** B, h - h * T, h * (B - 1) / B * (1 - both)


# %% break_it
def close_but_wrong():
    predictions = np.concatenate([np.linspace(0.5, 0.502, 100), np.linspace(0.503, 0.505, 100)])
    return [0] * 100 + [1] * 100, predictions
