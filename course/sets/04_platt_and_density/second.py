# A second solution, written without a look at the first.

# %% set-up
from math import exp, sqrt

import numpy as np
from scipy.optimize import minimize
from scipy.stats import norm


# %% targets
def platt_targets(labels):
    positives = sum(labels)
    negatives = len(labels) - positives
    return [1 - 1 / (positives + 2) if z else 1 / (negatives + 2) for z in labels]


# %% fit
def fit_platt(scores, labels):
    n_positive = labels.sum()
    n_negative = len(labels) - n_positive
    up, down = 1 / (n_positive + 2), 1 / (n_negative + 2)
    target = labels * (1 - up) + (1 - labels) * down

    def loss(parameters):
        margin = parameters[0] * scores + parameters[1]
        return np.sum(np.logaddexp(0, -margin) * target + np.logaddexp(0, margin) * (1 - target))

    return minimize(loss, [0.0, 0.0], method="BFGS").x


# %% logits
def calibrate_network(probabilities, labels, new):
    x = np.log(probabilities) - np.log1p(-probabilities)
    n_positive = labels.sum()
    target = np.where(labels, 1 - 1 / (n_positive + 2), 1 / (len(labels) - n_positive + 2))

    def loss(parameters):
        margin = parameters[0] * x + parameters[1]
        return np.mean(np.logaddexp(0, margin) - target * margin)

    slope, intercept = minimize(loss, [1.0, 0.0]).x
    odds = (new / (1 - new)) ** slope * exp(intercept)
    return odds / (1 + odds)


# %% kernel
def kernel_predictions(scores, labels, h0, h1, queries):
    # each case has the weight K / h
    predictions = []
    for y in queries:
        h = np.where(labels, h1, h0)
        weight = norm.pdf(y, loc=scores, scale=h)
        predictions.append(np.average(labels, weights=weight))
    return predictions


# %% shift
def with_new_rate(predictions, old_rate, new_rate):
    up, down = new_rate / old_rate, (1 - new_rate) / (1 - old_rate)
    return predictions * up / (predictions * up + (1 - predictions) * down)


# %% bandwidth
def silverman(scores):
    n = len(scores)
    mean = sum(scores) / n
    return 1.06 * sqrt(sum((y - mean) ** 2 for y in scores) / (n - 1)) / n ** (1 / 5)


# %% far
def boxcar_predictions(scores, labels, h, queries):
    predictions = []
    for y in queries:
        inside = labels[(scores >= y - h) & (scores <= y + h)]
        predictions.append(inside.mean() if inside.size else labels.mean())
    return predictions


# %% break_it
def sure_and_wrong():
    return [0.0] * 6 + [0.1] * 6, [0] * 6 + [1] * 6, 0.5, 0.9, -5.0
