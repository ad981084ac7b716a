# Wrong answers, each with the question that it must lose and the mistake.

# %% set-up
import numpy as np
from scipy.optimize import isotonic_regression


# %% pair: p0 and p1 are swapped
def venn_abers(scores, labels, new):
    _, place, counts = np.unique(np.append(scores, new), return_inverse=True, return_counts=True)
    pair = []
    for c in [1, 0]:
        means = np.bincount(place, np.append(labels, c)) / counts
        pair.append(isotonic_regression(means, weights=counts).x[place[-1]])
    return tuple(pair)


# %% pair: the new case is left out of the fit
def venn_abers(scores, labels, new):
    knots, place, counts = np.unique(scores, return_inverse=True, return_counts=True)
    fit = isotonic_regression(np.bincount(place, labels) / counts, weights=counts).x
    below, above = np.sum(knots <= new) - 1, np.sum(knots < new)
    return fit[max(below, 0)], fit[min(above, len(fit) - 1)]


# %% pair: a new score that is tied with others is not put together with them
def venn_abers(scores, labels, new):
    order = np.argsort(np.append(scores, new), kind="stable")
    pair = []
    for c in [0, 1]:
        fit = isotonic_regression(np.append(labels, c)[order].astype(float)).x
        pair.append(fit[order == len(scores)][0])
    return tuple(pair)


# %% pair: the weights of tied scores are forgotten
def venn_abers(scores, labels, new):
    _, place, counts = np.unique(np.append(scores, new), return_inverse=True, return_counts=True)
    pair = []
    for c in [0, 1]:
        means = np.bincount(place, np.append(labels, c)) / counts
        pair.append(isotonic_regression(means).x[place[-1]])
    return tuple(pair)


# %% selected: the member that belongs to the other label
def selected_predictions(scores, labels):
    selected = []
    for i in range(len(labels)):
        z = labels.copy()
        z[i] = 1 - labels[i]
        _, place, counts = np.unique(scores, return_inverse=True, return_counts=True)
        fit = isotonic_regression(np.bincount(place, z) / counts, weights=counts).x
        selected.append(fit[place[i]])
    return np.array(selected)


# %% selected: the case stays in the calibration sample, so that it counts twice
def selected_predictions(scores, labels):
    selected = []
    for score, label in zip(scores, labels, strict=True):
        s, z = np.append(scores, score), np.append(labels, label)
        _, place, counts = np.unique(s, return_inverse=True, return_counts=True)
        fit = isotonic_regression(np.bincount(place, z) / counts, weights=counts).x
        selected.append(fit[place[-1]])
    return np.array(selected)


# %% merge: the mean of the pair
def merge(p0, p1):
    return (p0 + p1) / 2


# %% merge: normalised by p0 + p1
def merge(p0, p1):
    return p1 / (p0 + p1)


# %% full: the classifier is trained without the new case
def full_pair(train, X, z, x):
    rows = np.vstack([X, x])
    scores = train(X, z)(rows)
    _, place, counts = np.unique(scores, return_inverse=True, return_counts=True)
    pair = []
    for c in [0, 1]:
        means = np.bincount(place, np.append(z, c)) / counts
        pair.append(isotonic_regression(means, weights=counts).x[place[-1]])
    return tuple(pair)


# %% inductive: calibrated on the training rows
def inductive_pairs(train, X, z, held, X_new):
    from calib import VennAbers

    s = train(X[~held], z[~held])
    return VennAbers().fit(s(X[~held]), z[~held]).predict_interval(s(X_new))


# %% inductive: trained on all rows, the calibration rows among them
def inductive_pairs(train, X, z, held, X_new):
    from calib import VennAbers

    s = train(X, z)
    return VennAbers().fit(s(X[held]), z[held]).predict_interval(s(X_new))


# %% over: the merged probability stands for the selected one
def overconfidence(p0, p1, labels):
    p = p1 / (1 - p0 + p1)
    rows = np.mean((p - labels) * np.sign(p - 0.5), axis=1)
    return rows.mean(), rows.std(ddof=1) / np.sqrt(len(rows))


# %% over: cases that share a sample are taken as independent
def overconfidence(p0, p1, labels):
    selected = np.where(labels == 1, p1, p0)
    cases = ((selected - labels) * np.sign(selected - 0.5)).ravel()
    return cases.mean(), cases.std(ddof=1) / np.sqrt(len(cases))


# %% memoriser: the expectation of a fraction is taken as the fraction of expectations
def expected_upper(N, theta):
    return 1 / (N * (1 - theta) + 1)


# %% break_it: the memoriser, which is sure of the other label
def sure_classifier(X, z):
    positives = {tuple(row) for row in X[z == 1]}
    return lambda new: np.array([float(tuple(row) in positives) for row in new])


# %% break_it: a constant score, which misleads nobody
def sure_classifier(X, z):
    return lambda new: np.ones(len(new))


# %% selected: the weights of tied scores are forgotten
def selected_predictions(scores, labels):
    knots, place, counts = np.unique(scores, return_inverse=True, return_counts=True)
    return isotonic_regression(np.bincount(place, labels) / counts).x[place]
