# A second solution, written without a look at the first.

# %% set-up
import numpy as np
from scipy.optimize import minimize


# %% mixture
def bayes_mixture(labels, members):
    weights = [1 / members.shape[1]] * members.shape[1]
    losses, total, forecasts = np.zeros(members.shape[1]), 0.0, []
    for z, row in zip(labels, members, strict=True):
        p = sum(w * x for w, x in zip(weights, row, strict=True))
        forecasts.append(p)
        happened = row if z == 1 else 1 - row
        total -= np.log(p if z == 1 else 1 - p)
        losses -= np.log(happened)
        weights = [w * q for w, q in zip(weights, happened, strict=True)]
        weights = [w / sum(weights) for w in weights]
    return forecasts, weights, total - min(losses)


# %% progressive
def progressive_mixture(labels, members, new):
    weights = np.full(members.shape[1], 1 / members.shape[1])
    total = new @ weights
    for z, row in zip(labels, members, strict=True):
        weights = weights * np.abs(1 - z - row)
        weights = weights / weights.sum()
        total = total + new @ weights
    return total / (len(labels) + 1)


# %% stack
def stacking_weights(labels, members, alpha=1.0):
    q = np.abs(1 - np.asarray(labels)[:, None] - members)
    n, K = q.shape

    def value(theta):
        v = np.exp(theta - np.logaddexp.reduce(theta))
        return -np.mean(np.log(q @ v)) - alpha / n * np.sum(np.log(v)), v

    found = minimize(lambda t: value(t)[0], np.zeros(K), tol=1e-9)
    best, v = value(found.x)
    return v, -best


# %% worth
def member_worth(labels, members, weights):
    def loss(v):
        total = 0.0
        for z, row in zip(labels, members, strict=True):
            p = sum(a * (x if z == 1 else 1 - x) for a, x in zip(v, row, strict=True)) / sum(v)
            total += -np.log(p) if p > 0 else np.inf
        return total / len(labels)

    K, whole = len(weights), loss(weights)
    single = sum(weights[k] * loss([float(j == k) for j in range(K)]) for k in range(K))
    left = [loss([0.0 if j == k else weights[j] for j in range(K)]) - whole for k in range(K)]
    return single / sum(weights) - whole, left


# %% spline
def home_curve(logits, labels, knots, smooth, shrink, new):
    def curve(c, at):
        return at + np.interp(at, knots, c)

    def value(c):
        s = curve(c, logits)
        bend = np.sum(np.diff(c, 2) ** 2) if len(c) > 2 else 0.0
        return np.sum(np.logaddexp(0, s) - labels * s) + smooth * bend / 2 + shrink * c @ c / 2

    def slope(c):
        r = 1 / (1 + np.exp(-curve(c, logits))) - labels
        out = shrink * c + [r @ np.interp(logits, knots, e) for e in np.eye(len(c))]
        for j in range(1, len(c) - 1):
            out[j - 1 : j + 2] += smooth * (c[j + 1] - 2 * c[j] + c[j - 1]) * np.array([1, -2, 1])
        return out

    found = minimize(value, np.zeros(len(knots)), jac=slope, tol=1e-9).x
    return found, 1 / (1 + np.exp(-curve(found, new)))


# %% price
def price(u, truth, fitted, other_A, other_k):
    n, k = u.shape
    J, K, A = np.zeros((k, k)), np.zeros((k, k)), 0.0
    for x, t, p in zip(u, truth, fitted, strict=True):
        square = np.outer(x, x)
        J = J + p * (1 - p) * square
        K = K + (t * (1 - p) ** 2 + (1 - t) * p**2) * square
        A += (t * np.log(t) + (1 - t) * np.log(1 - t)) / n
        A -= (t * np.log(p) + (1 - t) * np.log(1 - p)) / n
    star = sum(np.diag(np.linalg.inv(J) @ K))
    if star <= other_k:
        return A, star, 0
    return A, star, (star - other_k) / 2 / (other_A - A) if A < other_A else np.inf


# %% harm
def gain_and_harm(labels, raw, calibrated, sets, shares):
    columns = []
    for r in shares:
        gains = []
        for s in sorted(set(sets.tolist())):
            rows = sets == s
            old, mixed = raw[rows], (r * raw + (1 - r) * calibrated)[rows]
            z = labels[rows]
            old_p, new_p = np.abs(1 - z - old), np.abs(1 - z - mixed)
            gains.append(np.mean(np.log(new_p)) - np.mean(np.log(old_p)))
        lost = [-g for g in gains if g < -1e-12]
        columns.append(
            (sum(gains) / len(gains), len(lost) / len(gains), sum(lost) / max(len(lost), 1))
        )
    return tuple(zip(*columns, strict=True))


# %% break_it
def miscalibrated_average():
    labels, one, two = [], [], []
    for a in (0.25, 0.75):
        for b in (0.25, 0.75):
            positives = {0.5: 0, 1.0: 50, 1.5: 100}[a + b]
            labels += [1] * positives + [0] * (100 - positives)
            one += [a] * 100
            two += [b] * 100
    return labels, one, two
