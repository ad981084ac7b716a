# Wrong answers, each with the question that it must lose and the mistake.

# %% set-up
import numpy as np


def sigmoid(t):
    return 1 / (1 + np.exp(-np.clip(t, -99, 99)))


def newton(logits, labels, B, penalty):
    c = np.zeros(B.shape[1])
    for _ in range(60):
        p = sigmoid(logits + B @ c)
        bend = B.T @ (B * (p * (1 - p))[:, None]) + penalty
        c = c + np.linalg.solve(bend, B.T @ (labels - p) - penalty @ c)
    return c


def losses(labels, p, sets):
    row = -np.log(np.where(labels == 1, p, 1 - p))
    return np.array([row[sets == s].mean() for s in np.unique(sets)])


# %% mixture: products underflow
def bayes_mixture(labels, members):
    q = np.where(np.asarray(labels)[:, None] == 1, members, 1 - members)
    with np.errstate(all="ignore"):
        before = np.vstack([np.ones(q.shape[1]), np.cumprod(q, axis=0)])
        weights = before / before.sum(axis=1, keepdims=True)
        forecasts = np.sum(weights[:-1] * members, axis=1)
        loss = -np.sum(np.log(np.where(np.asarray(labels) == 1, forecasts, 1 - forecasts)))
    return forecasts, weights[-1], loss + np.log(q).sum(axis=0).max()


# %% mixture: the label is used before the forecast
def bayes_mixture(labels, members):
    logs = np.cumsum(np.log(np.where(labels[:, None] == 1, members, 1 - members)), axis=0)
    weights = np.exp(logs - logs.max(axis=1, keepdims=True))
    weights /= weights.sum(axis=1, keepdims=True)
    forecasts = np.sum(weights * members, axis=1)
    loss = -np.sum(np.log(np.where(labels == 1, forecasts, 1 - forecasts)))
    return forecasts, weights[-1], loss + logs[-1].max()


# %% mixture: weights by the probability of label 1, whatever happened
def bayes_mixture(labels, members):
    logs = np.vstack([np.zeros(members.shape[1]), np.cumsum(np.log(members), axis=0)])
    weights = np.exp(logs - logs.max(axis=1, keepdims=True))
    weights /= weights.sum(axis=1, keepdims=True)
    forecasts = np.sum(weights[:-1] * members, axis=1)
    loss = -np.sum(np.log(np.where(labels == 1, forecasts, 1 - forecasts)))
    own = np.log(np.where(labels[:, None] == 1, members, 1 - members)).sum(axis=0)
    return forecasts, weights[-1], loss + own.max()


# %% mixture: the regret against the mean member
def bayes_mixture(labels, members):
    logs = np.log(np.where(labels[:, None] == 1, members, 1 - members))
    before = np.vstack([np.zeros(members.shape[1]), np.cumsum(logs, axis=0)])
    weights = np.exp(before - before.max(axis=1, keepdims=True))
    weights /= weights.sum(axis=1, keepdims=True)
    forecasts = np.sum(weights[:-1] * members, axis=1)
    loss = -np.sum(np.log(np.where(labels == 1, forecasts, 1 - forecasts)))
    return forecasts, weights[-1], loss + before[-1].mean()


# %% progressive: the last weights only
def progressive_mixture(labels, members, new):
    logs = np.log(np.where(labels[:, None] == 1, members, 1 - members)).sum(axis=0)
    weights = np.exp(logs - logs.max())
    return new @ weights / weights.sum()


# %% progressive: the stage before all rows is forgotten
def progressive_mixture(labels, members, new):
    logs = np.cumsum(np.log(np.where(labels[:, None] == 1, members, 1 - members)), axis=0)
    weights = np.exp(logs - logs.max(axis=1, keepdims=True))
    weights /= weights.sum(axis=1, keepdims=True)
    return new @ weights.mean(axis=0)


# %% progressive: the stage after the last row is forgotten
def progressive_mixture(labels, members, new):
    logs = np.log(np.where(labels[:, None] == 1, members, 1 - members))
    logs = np.vstack([np.zeros(members.shape[1]), np.cumsum(logs, axis=0)])[:-1]
    weights = np.exp(logs - logs.max(axis=1, keepdims=True))
    weights /= weights.sum(axis=1, keepdims=True)
    return new @ weights.mean(axis=0)


# %% progressive: equal weights for ever
def progressive_mixture(labels, members, new):
    return new.mean(axis=1)


# %% stack: the best single member
def stacking_weights(labels, members, alpha=1.0):
    q = np.where(labels[:, None] == 1, members, 1 - members)
    with np.errstate(divide="ignore"):
        v = np.full(q.shape[1], 1e-3)
        v[np.log(q).sum(axis=0).argmax()] = 1
    v /= v.sum()
    return v, np.mean(np.log(q @ v)) + alpha / len(q) * np.sum(np.log(v))


# %% stack: one step of the iteration
def stacking_weights(labels, members, alpha=1.0):
    q = np.where(labels[:, None] == 1, members, 1 - members)
    v = ((q / q.sum(axis=1, keepdims=True)).sum(axis=0) + alpha) / (len(q) + alpha * q.shape[1])
    return v, np.mean(np.log(q @ v)) + alpha / len(q) * np.sum(np.log(v))


# %% stack: without the term that keeps members in
def stacking_weights(labels, members, alpha=1.0):
    q = np.where(labels[:, None] == 1, members, 1 - members)
    v = np.full(q.shape[1], 1 / q.shape[1])
    for _ in range(400):
        v = np.maximum(np.mean(v * q / (q @ v)[:, None], axis=0), 1e-12)
    v /= v.sum()
    return v, np.mean(np.log(q @ v)) + alpha / len(q) * np.sum(np.log(v))


# %% stack: weights for the Brier score
def stacking_weights(labels, members, alpha=1.0):
    from scipy.optimize import nnls

    K = members.shape[1]
    v = nnls(np.vstack([members, np.full(K, 1e4)]), np.append(labels, 1e4))[0] + 1e-6
    v /= v.sum()
    q = np.where(labels[:, None] == 1, members, 1 - members)
    return v, np.mean(np.log(q @ v)) + alpha / len(q) * np.sum(np.log(v))


# %% stack: the value without the second term
def stacking_weights(labels, members, alpha=1.0):
    q = np.where(labels[:, None] == 1, members, 1 - members)
    v = np.full(q.shape[1], 1 / q.shape[1])
    for _ in range(400):
        share = v * q / (q @ v)[:, None]
        v = (share.sum(axis=0) + alpha) / (len(q) + alpha * len(v))
    return v, np.mean(np.log(q @ v))


# %% worth: the others keep their weights
def member_worth(labels, members, weights):
    q = np.where(labels[:, None] == 1, members, 1 - members)
    with np.errstate(divide="ignore"):
        average = -np.mean(np.log(q @ weights))
        gain = weights @ -np.mean(np.log(q), axis=0) - average
        rest = [q @ weights - q[:, k] * weights[k] for k in range(len(weights))]
        return gain, np.array([-np.mean(np.log(np.maximum(r, 0))) - average for r in rest])


# %% worth: losses are averaged, not probabilities
def member_worth(labels, members, weights):
    q = np.where(labels[:, None] == 1, members, 1 - members)
    with np.errstate(all="ignore"):
        losses = -np.mean(np.log(q), axis=0)
        average = weights @ losses
        worth = [
            np.delete(losses, k) @ np.delete(weights, k) / np.delete(weights, k).sum() - average
            for k in range(len(weights))
        ]
    return 0.0, np.array(worth)


# %% worth: losses are clipped
def member_worth(labels, members, weights):
    q = np.clip(np.where(labels[:, None] == 1, members, 1 - members), 1e-15, 1)
    average = -np.mean(np.log(q @ weights))
    worth = []
    for k in range(len(weights)):
        v = np.delete(weights, k)
        worth.append(-np.mean(np.log(np.delete(q, k, axis=1) @ v / v.sum())) - average)
    return weights @ -np.mean(np.log(q), axis=0) - average, np.array(worth)


# %% worth: Jensen's gain with equal weights
def member_worth(labels, members, weights):
    q = np.where(labels[:, None] == 1, members, 1 - members)
    worth = []
    with np.errstate(divide="ignore"):
        average = -np.mean(np.log(q @ weights))
        for k in range(len(weights)):
            v = np.delete(weights, k)
            worth.append(-np.mean(np.log(np.delete(q, k, axis=1) @ v / v.sum())) - average)
        return -np.mean(np.log(q)) - average, np.array(worth)


# %% spline: the score itself is left out of the curve
def home_curve(logits, labels, knots, smooth, shrink, new):
    eye = np.eye(len(knots))
    B = np.array([np.interp(logits, knots, e) for e in eye]).T
    D = np.diff(eye, 2, axis=0)
    c = newton(0 * logits, labels, B, smooth * D.T @ D + shrink * eye)
    return c, sigmoid(np.interp(new, knots, c))


# %% spline: slopes are penalised, not their changes
def home_curve(logits, labels, knots, smooth, shrink, new):
    eye = np.eye(len(knots))
    B = np.array([np.interp(logits, knots, e) for e in eye]).T
    D = np.diff(eye, 1, axis=0)
    c = newton(logits, labels, B, smooth * D.T @ D + shrink * eye)
    return c, sigmoid(new + np.interp(new, knots, c))


# %% spline: nothing keeps it at home
def home_curve(logits, labels, knots, smooth, shrink, new):
    eye = np.eye(len(knots))
    B = np.array([np.interp(logits, knots, e) for e in eye]).T
    D = np.diff(eye, 2, axis=0)
    c = newton(logits, labels, B, smooth * D.T @ D + 1e-6 * eye)
    return c, sigmoid(new + np.interp(new, knots, c))


# %% spline: the mean loss against the whole penalty
def home_curve(logits, labels, knots, smooth, shrink, new):
    eye, n = np.eye(len(knots)), max(len(logits), 1)
    B = np.array([np.interp(logits, knots, e) for e in eye]).T
    D = np.diff(eye, 2, axis=0)
    c = newton(logits, labels, B, n * (smooth * D.T @ D + shrink * eye))
    return c, sigmoid(new + np.interp(new, knots, c))


# %% spline: the curve goes on as a line beyond the knots
def home_curve(logits, labels, knots, smooth, shrink, new):
    eye = np.eye(len(knots))
    B = np.array([np.interp(logits, knots, e) for e in eye]).T
    D = np.diff(eye, 2, axis=0)
    c = newton(logits, labels, B, smooth * D.T @ D + shrink * eye)
    if len(knots) == 1:
        return c, sigmoid(new + c[0])
    g = np.interp(new, knots, c)
    low, high = np.diff(c)[[0, -1]] / np.diff(knots)[[0, -1]]
    g = g + low * np.minimum(new - knots[0], 0) + high * np.maximum(new - knots[-1], 0)
    return c, sigmoid(new + g)


# %% price: the count of the parameters, as if the family were right
def price(u, truth, fitted, other_A, other_k):
    k = u.shape[1]
    ratio = np.log(truth / fitted), np.log((1 - truth) / (1 - fitted))
    A = np.mean(truth * ratio[0] + (1 - truth) * ratio[1])
    if A >= other_A:
        return A, k, np.inf if k >= other_k else 0.0
    return A, k, max(0.0, (k - other_k) / (2 * (other_A - A)))


# %% price: the truth's variance without the squared error
def price(u, truth, fitted, other_A, other_k):
    J = (u * (fitted * (1 - fitted))[:, None]).T @ u
    K = (u * (truth * (1 - truth))[:, None]).T @ u
    k = np.trace(np.linalg.solve(J, K))
    ratio = np.log(truth / fitted), np.log((1 - truth) / (1 - fitted))
    A = np.mean(truth * ratio[0] + (1 - truth) * ratio[1])
    if A >= other_A:
        return A, k, np.inf if k >= other_k else 0.0
    return A, k, max(0.0, (k - other_k) / (2 * (other_A - A)))


# %% price: the divergence the wrong way round
def price(u, truth, fitted, other_A, other_k):
    J = (u * (fitted * (1 - fitted))[:, None]).T @ u
    K = (u * (truth * (1 - truth) + (truth - fitted) ** 2)[:, None]).T @ u
    k = np.trace(np.linalg.solve(J, K))
    ratio = np.log(fitted / truth), np.log((1 - fitted) / (1 - truth))
    A = np.mean(fitted * ratio[0] + (1 - fitted) * ratio[1])
    if A >= other_A:
        return A, k, np.inf if k >= other_k else 0.0
    return A, k, max(0.0, (k - other_k) / (2 * (other_A - A)))


# %% price: the crossing without a look at the signs
def price(u, truth, fitted, other_A, other_k):
    J = (u * (fitted * (1 - fitted))[:, None]).T @ u
    K = (u * (truth * (1 - truth) + (truth - fitted) ** 2)[:, None]).T @ u
    k = np.trace(np.linalg.solve(J, K))
    ratio = np.log(truth / fitted), np.log((1 - truth) / (1 - fitted))
    A = np.mean(truth * ratio[0] + (1 - truth) * ratio[1])
    return A, k, (k - other_k) / (2 * (other_A - A))


# %% harm: all rows together, so that large sets count more
def gain_and_harm(labels, raw, calibrated, sets, shares):
    rows = []
    for r in shares:
        p = r * raw + (1 - r) * calibrated
        gains = losses(labels, raw, sets) - losses(labels, p, sets)
        whole = losses(labels, raw, 0 * sets)[0] - losses(labels, p, 0 * sets)[0]
        bad = gains < -1e-12
        rows.append([whole, bad.mean(), -gains[bad].mean() if bad.any() else 0])
    return tuple(np.array(rows).T)


# %% harm: the share of the rows that are harmed
def gain_and_harm(labels, raw, calibrated, sets, shares):
    rows = []
    for r in shares:
        p = r * raw + (1 - r) * calibrated
        gains = losses(labels, raw, sets) - losses(labels, p, sets)
        worse = np.where(labels == 1, p < raw, p > raw).mean()
        bad = gains < -1e-12
        rows.append([gains.mean(), worse, -gains[bad].mean() if bad.any() else 0])
    return tuple(np.array(rows).T)


# %% harm: the shares are exchanged
def gain_and_harm(labels, raw, calibrated, sets, shares):
    rows = []
    for r in shares:
        p = (1 - r) * raw + r * calibrated
        gains = losses(labels, raw, sets) - losses(labels, p, sets)
        bad = gains < -1e-12
        rows.append([gains.mean(), bad.mean(), -gains[bad].mean() if bad.any() else 0])
    return tuple(np.array(rows).T)


# %% harm: the mean harm over all data sets
def gain_and_harm(labels, raw, calibrated, sets, shares):
    rows = []
    for r in shares:
        p = r * raw + (1 - r) * calibrated
        gains = losses(labels, raw, sets) - losses(labels, p, sets)
        rows.append([gains.mean(), np.mean(gains < -1e-12), np.mean(np.maximum(-gains, 0))])
    return tuple(np.array(rows).T)


# %% harm: the losses are mixed, not the probabilities
def gain_and_harm(labels, raw, calibrated, sets, shares):
    rows = []
    for r in shares:
        gains = (1 - r) * (losses(labels, raw, sets) - losses(labels, calibrated, sets))
        bad = gains < -1e-12
        rows.append([gains.mean(), bad.mean(), -gains[bad].mean() if bad.any() else 0])
    return tuple(np.array(rows).T)


# %% break_it: two members that agree
def miscalibrated_average():
    labels = np.concatenate([np.arange(100) < 20, np.arange(100) < 80]).astype(int)
    return labels, np.repeat([0.2, 0.8], 100), np.repeat([0.2, 0.8], 100)


# %% break_it: members that are not calibrated themselves
def miscalibrated_average():
    labels = np.concatenate([np.arange(100) < 50, np.arange(100) < 50]).astype(int)
    return labels, np.repeat([0.2, 0.6], 100), np.repeat([0.4, 0.8], 100)


# %% break_it: one member knows nothing, so the average is off by less than asked
def miscalibrated_average():
    labels = np.concatenate([np.arange(100) < 40, np.arange(100) < 60]).astype(int)
    return labels, np.repeat([0.4, 0.6], 100), np.full(200, 0.5)
