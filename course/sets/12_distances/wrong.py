# Wrong answers, each with the question that it must lose and the mistake.

# %% set-up
import numpy as np
from scipy.optimize import brentq, linprog
from scipy.special import betaincinv, gammaln, xlogy


def residuals_of(labels, predictions):
    values, place = np.unique(predictions, return_inverse=True)
    return values, np.bincount(place, labels - predictions) / len(labels)


def kl(q, t):
    return xlogy(q, q / t) + xlogy(1 - q, (1 - q) / (1 - t))


def binomial(n, h):
    k = np.arange(n + 1)
    choose = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)
    return np.exp(choose + k * np.log(0.5 + h) + (n - k) * np.log(0.5 - h))


def errors_of(scores, labels, ranks, edges_at, counted):
    worst = []
    for s, z in zip(scores, labels, strict=True):
        order = np.argsort(s)
        s, z = s[order], z[order]
        edges = [0.0, *[s[r - 1] for r in edges_at[1:-1]], 1.0]
        gaps = []
        for i, (a, b) in enumerate(zip(ranks, ranks[1:], strict=False)):
            low, high = edges[i], edges[i + 1]
            theta = (high**2 + high * low + low**2) / 3
            gaps.append(abs(z[a : b - 1 + counted].mean() - theta))
        worst.append(gaps)
    return np.array(worst)


# %% smooth: the witness may be anything between -1 and 1
def smooth_error(labels, predictions):
    _, r = residuals_of(labels, predictions)
    return np.abs(r).sum(), np.sign(r)


# %% smooth: the area between the path and the axis, whatever the bias
def smooth_error(labels, predictions):
    values, r = residuals_of(labels, predictions)
    path = np.cumsum(r)[:-1]
    signs = -np.sign(path) * np.diff(values)
    w = np.append(0, np.cumsum(signs))
    return np.sum(np.abs(path) * np.diff(values)), np.clip(w - w.mean(), -1, 1)


# %% smooth: the witness has a slope but no bounds
def smooth_error(labels, predictions):
    values, r = residuals_of(labels, predictions)
    d = np.diff(np.eye(len(values)), axis=0)
    found = linprog(
        -r,
        A_ub=np.vstack([d, -d]) if len(d) else None,
        b_ub=np.tile(np.diff(values), 2) if len(d) else None,
        bounds=(-3, 3),
    )
    return -found.fun, found.x


# %% smooth: only witnesses that increase
def smooth_error(labels, predictions):
    values, r = residuals_of(labels, predictions)
    d = np.diff(np.eye(len(values)), axis=0)
    found = linprog(
        -r,
        A_ub=np.vstack([d, -d]) if len(d) else None,
        b_ub=np.append(np.diff(values), 0 * np.diff(values)) if len(d) else None,
        bounds=(-1, 1),
    )
    return -found.fun, found.x


# %% upper: the fraction of each value, which is the ECE
def upper_distance(values, positives, negatives):
    return np.sum(np.abs(positives - values * (positives + negatives)))


# %% upper: only the constant function
def upper_distance(values, positives, negatives):
    return np.sum((positives + negatives) * np.abs(values - positives.sum()))


# %% upper: classes of neighbours only
def upper_distance(values, positives, negatives):
    K, mass, best = len(values), positives + negatives, np.inf
    for code in range(2 ** (K - 1)):
        names = np.cumsum([0] + [code >> i & 1 for i in range(K - 1)])
        v = np.bincount(names, positives) / np.bincount(names, mass)
        best = min(best, np.sum(mass * np.abs(values - v[names])))
    return best


# %% upper: isotonic regression
def upper_distance(values, positives, negatives):
    from sklearn.isotonic import IsotonicRegression

    mass = positives + negatives
    v = IsotonicRegression().fit(values, positives / mass, sample_weight=mass).predict(values)
    return np.sum(mass * np.abs(values - v))


# %% dipping: the cuts are counted in the bin before
def bins_without_splitting(scores, labels, ties, B, delta=0.1):
    N, order = len(scores), np.lexsort([ties, scores])
    cuts = np.arange(1, B) * (N + 1) // B
    ends = np.concatenate([[0], cuts, [N]])
    fractions = [labels[order[a:b]].mean() for a, b in zip(ends, ends[1:], strict=False)]
    eps = np.sqrt(np.log(2 * B / delta) / (2 * (N // B - 1)))
    return scores[order[cuts - 1]], np.array(fractions), eps


# %% dipping: ranks from N instead of N + 1
def bins_without_splitting(scores, labels, ties, B, delta=0.1):
    N, order = len(scores), np.lexsort([ties, scores])
    cuts = np.arange(1, B) * N // B
    ends = np.concatenate([[0], cuts, [N + 1]])
    fractions = [labels[order[a : b - 1]].mean() for a, b in zip(ends, ends[1:], strict=False)]
    eps = np.sqrt(np.log(2 * B / delta) / (2 * (N // B - 1)))
    found = scores[order[cuts - 1]] if B > 1 else np.zeros(1)
    return found, np.array(fractions), eps


# %% dipping: equal scores in the order of the labels
def bins_without_splitting(scores, labels, ties, B, delta=0.1):
    N, order = len(scores), np.lexsort([labels, scores])
    cuts = np.arange(1, B) * (N + 1) // B
    ends = np.concatenate([[0], cuts, [N + 1]])
    fractions = [labels[order[a : b - 1]].mean() for a, b in zip(ends, ends[1:], strict=False)]
    eps = np.sqrt(np.log(2 * B / delta) / (2 * (N // B - 1)))
    return scores[order[cuts - 1]], np.array(fractions), eps


# %% dipping: the guarantee for one bin
def bins_without_splitting(scores, labels, ties, B, delta=0.1):
    N, order = len(scores), np.lexsort([ties, scores])
    cuts = np.arange(1, B) * (N + 1) // B
    ends = np.concatenate([[0], cuts, [N + 1]])
    fractions = [labels[order[a : b - 1]].mean() for a, b in zip(ends, ends[1:], strict=False)]
    eps = np.sqrt(np.log(2 / delta) / (2 * (N // B - 1)))
    return scores[order[cuts - 1]], np.array(fractions), eps


# %% limits: two-sided limits
def upper_limits(m, n, beta):
    if m == n:
        return 1.0, 1.0, 1.0
    q, most = m / n, np.log(2 / beta) / n
    chernoff = brentq(lambda t: kl(q, t) - most, max(q, 1e-12), 1 - 1e-15)
    return min(1, q + np.sqrt(most / 2)), chernoff, betaincinv(m + 1, n - m, 1 - beta / 2)


# %% limits: the divergence the wrong way round
def upper_limits(m, n, beta):
    if m == n:
        return 1.0, 1.0, 1.0
    q, most = m / n, np.log(1 / beta) / n
    grid = np.linspace(max(q, 1e-12), 1 - 1e-12, 20001)
    chernoff = grid[kl(grid, max(q, 1e-12)) <= most][-1]
    return min(1, q + np.sqrt(most / 2)), chernoff, betaincinv(m + 1, n - m, 1 - beta)


# %% limits: the parameters of the lower limit
def upper_limits(m, n, beta):
    if m == n:
        return 1.0, 1.0, 1.0
    q, most = m / n, np.log(1 / beta) / n
    chernoff = brentq(lambda t: kl(q, t) - most, max(q, 1e-12), 1 - 1e-15, xtol=1e-13)
    return min(1, q + np.sqrt(most / 2)), chernoff, betaincinv(max(m, 1), n - m + 1, 1 - beta)


# %% limits: the normal approximation
def upper_limits(m, n, beta):
    q = m / n
    half = np.sqrt(2 * np.log(1 / beta) * q * (1 - q) / n)
    return tuple(np.minimum(1, [q + np.sqrt(np.log(1 / beta) / (2 * n)), q + half, q + half]))


# %% holds: the cuts are counted
def check_guarantee(scores, labels, B, delta):
    N = scores.shape[1]
    ranks = np.concatenate([[0], np.arange(1, B) * (N + 1) // B, [N + 1]])
    errors = errors_of(scores, labels, ranks, ranks, 1).max(axis=1)
    return errors, np.mean(errors <= np.sqrt(np.log(2 * B / delta) / (2 * (N // B - 1))))


# %% holds: the mean error instead of the largest
def check_guarantee(scores, labels, B, delta):
    N = scores.shape[1]
    ranks = np.concatenate([[0], np.arange(1, B) * (N + 1) // B, [N + 1]])
    errors = errors_of(scores, labels, ranks, ranks, 0).mean(axis=1)
    return errors, np.mean(errors <= np.sqrt(np.log(2 * B / delta) / (2 * (N // B - 1))))


# %% holds: the truth at the middle of the bin
def check_guarantee(scores, labels, B, delta):
    N, errors = scores.shape[1], []
    ranks = np.concatenate([[0], np.arange(1, B) * (N + 1) // B, [N + 1]])
    for s, z in zip(scores, labels, strict=True):
        order = np.argsort(s)
        edges = np.concatenate([[0], s[order][ranks[1:-1] - 1], [1]])
        middle = (edges[1:] + edges[:-1]) / 2
        found = [z[order][a : b - 1].mean() for a, b in zip(ranks, ranks[1:], strict=False)]
        errors.append(np.abs(found - middle**2).max())
    errors = np.array(errors)
    return errors, np.mean(errors <= np.sqrt(np.log(2 * B / delta) / (2 * (N // B - 1))))


# %% holds: bins of equal width
def check_guarantee(scores, labels, B, delta):
    N, errors = scores.shape[1], []
    for s, z in zip(scores, labels, strict=True):
        bins = np.minimum((s * B).astype(int), B - 1)
        edges = np.arange(B + 1) / B
        theta = np.diff(edges**3) * B / 3
        gaps = [abs(z[bins == i].mean() - theta[i]) for i in range(B) if np.any(bins == i)]
        errors.append(max(gaps))
    errors = np.array(errors)
    return errors, np.mean(errors <= np.sqrt(np.log(2 * B / delta) / (2 * (N // B - 1))))


# %% bins: the cube root of the number of points
def best_bins(truth, N):
    m, B = len(truth), max(1, round(N ** (1 / 3)))
    V, D = np.mean(truth * (1 - truth)), np.mean((np.diff(truth) * m) ** 2)
    return B, V * B / N + D / (12 * B**2)


# %% bins: the number is not whole
def best_bins(truth, N):
    m = len(truth)
    V, D = np.mean(truth * (1 - truth)), np.mean((np.diff(truth) * m) ** 2)
    B = (D * N / (6 * V)) ** (1 / 3)
    return B, V * B / N + D / (12 * B**2) if B else 0.0


# %% bins: the number is rounded down, to zero if need be
def best_bins(truth, N):
    m = len(truth)
    V, D = np.mean(truth * (1 - truth)), np.mean((np.diff(truth) * m) ** 2)
    B = int((D * N / (6 * V)) ** (1 / 3))
    with np.errstate(all="ignore"):
        return B, V * B / N + D / (12 * np.float64(B) ** 2)


# %% bins: the slope is not divided by the distance of the ranks
def best_bins(truth, N):
    V, D = np.mean(truth * (1 - truth)), np.mean(np.diff(truth) ** 2)
    B = max(1, round((D * N / (6 * V)) ** (1 / 3)))
    return B, V * B / N + D / (12 * B**2)


# %% two_points: the distance without one half
def lower_bounds(B, n, h):
    p = binomial(n, h)
    T = np.minimum(np.abs(p - p[::-1]).sum(), 1)
    both = np.minimum(np.abs(np.outer(p, p[::-1]) - np.outer(p[::-1], p)).sum(), 1)
    return 1 - ((1 + T) / 2) ** B, h * (1 - T), (1 - 1 / B) * h * (1 - both)


# %% two_points: pairs as if they were twice as many labels
def lower_bounds(B, n, h):
    p, twice = binomial(n, h), binomial(2 * n + 1, h)
    T, both = np.abs(p - p[::-1]).sum() / 2, np.abs(twice - twice[::-1]).sum() / 2
    return 1 - ((1 + T) / 2) ** B, h * (1 - T), (1 - 1 / B) * h * (1 - both)


# %% two_points: the distance of a pair is twice that of one
def lower_bounds(B, n, h):
    p = binomial(n, h)
    T = np.abs(p - p[::-1]).sum() / 2
    return 1 - ((1 + T) / 2) ** B, h * (1 - T), (1 - 1 / B) * h * max(0, 1 - 2 * T)


# %% two_points: the probability that all errors are small
def lower_bounds(B, n, h):
    p = binomial(n, h)
    T = np.abs(p - p[::-1]).sum() / 2
    both = np.abs(np.outer(p, p[::-1]) - np.outer(p[::-1], p)).sum() / 2
    return ((1 + T) / 2) ** B, h * (1 - T), (1 - 1 / B) * h * (1 - both)


# %% break_it: wrong on average, which both errors see
def close_but_wrong():
    return np.ones(100, dtype=int), np.full(100, 0.5)


# %% break_it: a swap of two values far apart
def close_but_wrong():
    return np.repeat([1, 0], 50), np.repeat([0.4, 0.6], 50)


# %% break_it: equal predictions, which cancel
def close_but_wrong():
    return np.tile([0, 1], 50), np.full(100, 0.5)
