# Wrong answers, each with the question that it must lose and the mistake.

# %% set-up
import kit
import numpy as np


# %% targets: the classes are exchanged
def platt_targets(labels):
    m, n = np.sum(labels == 1), np.sum(labels == 0)
    return np.where(labels == 1, (n + 1) / (n + 2), 1 / (m + 2))


# %% targets: all cases counted in the place of those of the class
def platt_targets(labels):
    n = len(labels)
    return np.where(labels == 1, (n + 1) / (n + 2), 1 / (n + 2))


# %% fit: the labels are the targets
def fit_platt(scores, labels):
    X, theta = np.column_stack([scores, np.ones(len(scores))]), np.zeros(2)
    for _ in range(25):
        p = kit.expit(X @ theta)
        hessian = (X * (p * (1 - p))[:, None]).T @ X + 1e-9 * np.eye(2)
        theta = theta - np.linalg.solve(hessian, X.T @ (p - labels))
    return theta


# %% fit: a ridge penalty, as in a library's logistic regression
def fit_platt(scores, labels):
    m, n = np.sum(labels == 1), np.sum(labels == 0)
    targets = np.where(labels == 1, (m + 1) / (m + 2), 1 / (n + 2))
    X, theta, ridge = np.column_stack([scores, np.ones(len(scores))]), np.zeros(2), np.diag([1, 0])
    for _ in range(50):
        p = kit.expit(X @ theta)
        hessian = (X * (p * (1 - p))[:, None]).T @ X + ridge
        theta = theta - np.linalg.solve(hessian, X.T @ (p - targets) + ridge @ theta)
    return theta


# %% fit: no intercept
def fit_platt(scores, labels):
    m, n = np.sum(labels == 1), np.sum(labels == 0)
    targets = np.where(labels == 1, (m + 1) / (m + 2), 1 / (n + 2))
    a = 0.0
    for _ in range(500):
        p = kit.expit(a * scores)
        a -= (p - targets) @ scores / (np.maximum(p * (1 - p), 0.02) @ scores**2)
    return a, 0.0


# %% fit: least squares of the targets on the sigmoid
def fit_platt(scores, labels):
    from scipy.optimize import least_squares

    m, n = np.sum(labels == 1), np.sum(labels == 0)
    targets = np.where(labels == 1, (m + 1) / (m + 2), 1 / (n + 2))
    return least_squares(lambda t: kit.expit(t[0] * scores + t[1]) - targets, [0.0, 0.0]).x


# %% logits: the probabilities themselves
def calibrate_network(probabilities, labels, new):
    from calib import PlattScaling

    return PlattScaling().fit(probabilities, labels).predict(new)


# %% logits: the new scores stay probabilities
def calibrate_network(probabilities, labels, new):
    from calib import PlattScaling

    return PlattScaling().fit(kit.logit(probabilities), labels).predict(new)


# %% kernel: class frequencies forgotten, equation (5) of the paper
def kernel_predictions(scores, labels, h0, h1, queries):
    u = queries[:, None] - scores
    f1 = np.exp(-0.5 * (u[:, labels == 1] / h1) ** 2).mean(axis=1) / h1
    f0 = np.exp(-0.5 * (u[:, labels == 0] / h0) ** 2).mean(axis=1) / h0
    return f1 / (f1 + f0)


# %% kernel: class frequencies counted twice
def kernel_predictions(scores, labels, h0, h1, queries):
    u, m = queries[:, None] - scores, labels.sum()
    s1 = np.exp(-0.5 * (u[:, labels == 1] / h1) ** 2).sum(axis=1) / h1
    s0 = np.exp(-0.5 * (u[:, labels == 0] / h0) ** 2).sum(axis=1) / h0
    return m * s1 / (m * s1 + (len(labels) - m) * s0)


# %% kernel: the bandwidths in front are forgotten
def kernel_predictions(scores, labels, h0, h1, queries):
    u = queries[:, None] - scores
    s1 = np.exp(-0.5 * (u[:, labels == 1] / h1) ** 2).sum(axis=1)
    s0 = np.exp(-0.5 * (u[:, labels == 0] / h0) ** 2).sum(axis=1)
    return s1 / (s1 + s0)


# %% shift: the prediction itself is multiplied
def with_new_rate(predictions, old_rate, new_rate):
    return np.minimum(predictions * new_rate / old_rate, 1)


# %% shift: old and new exchanged
def with_new_rate(predictions, old_rate, new_rate):
    return kit.expit(kit.logit(predictions) + kit.logit(old_rate) - kit.logit(new_rate))


# %% bandwidth: the variance in the place of the standard deviation
def silverman(scores):
    return 1.06 * np.var(scores) * len(scores) ** -0.2


# %% bandwidth: the rate of the number of bins
def silverman(scores):
    return 1.06 * np.std(scores) * len(scores) ** (-1 / 3)


# %% far: zero divided by zero
def boxcar_predictions(scores, labels, h, queries):
    near = np.abs(queries[:, None] - scores) <= h
    with np.errstate(invalid="ignore"):
        return near @ labels / near.sum(axis=1)


# %% far: no data, no positives
def boxcar_predictions(scores, labels, h, queries):
    near = np.abs(queries[:, None] - scores) <= h
    return near @ labels / np.maximum(near.sum(axis=1), 1)


# %% break_it: a shared bandwidth follows the neighbours
def sure_and_wrong():
    return np.arange(12.0), np.repeat([1, 0], 6), 1.0, 1.0, 13.0


# %% break_it: the wider kernel belongs to the negatives
def sure_and_wrong():
    return np.arange(12.0) / 10, np.repeat([1, 0], 6), 2.0, 1.0, 10.0


# %% targets: one added above, and one below
def platt_targets(labels):
    m = np.sum(labels)
    n = len(labels) - m
    return np.where(labels == 1, (m + 1) / (m + 1.5), 1 / (n + 1))


# %% targets: the labels, moved by a thousandth
def platt_targets(labels):
    return np.clip(labels, 0.001, 0.999)


# %% shift: the ratio of the rates multiplies the odds
def with_new_rate(predictions, old_rate, new_rate):
    odds = predictions / (1 - predictions) * new_rate / old_rate
    return odds / (1 + odds)


# %% bandwidth: without the spread of the scores
def silverman(scores):
    return 1.06 * len(scores) ** -0.2


# %% far: the nearest case where nobody is near
def boxcar_predictions(scores, labels, h, queries):
    distance = np.abs(np.asarray(queries)[:, None] - scores)
    near = distance <= h
    count = near.sum(axis=1)
    alone = labels[distance.argmin(axis=1)]
    return np.where(count > 0, near @ labels / np.maximum(count, 1), alone)
