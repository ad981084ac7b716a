# Wrong answers, each with the question that it must lose and the mistake.

# %% set-up
import numpy as np


# %% pi: ties are not put together
def calibration_function(scores, labels):
    order = np.argsort(scores)
    return scores[order], labels[order].astype(float)


# %% brier: the root is taken
def brier_score(labels, predictions):
    return np.sqrt(np.mean((labels - predictions) ** 2))


# %% log_loss: predictions are clipped, so that certainty is never punished
def log_loss(labels, predictions):
    p = np.clip(predictions, 1e-15, 1 - 1e-15)
    return -np.mean(labels * np.log(p) + (1 - labels) * np.log(1 - p))


# %% log_loss: zero times infinity
def log_loss(labels, predictions):
    with np.errstate(all="ignore"):
        p = predictions
        return -np.mean(labels * np.log(p) + (1 - labels) * np.log(1 - p))


# %% murphy: the groups are not weighted by their size
def murphy(labels, predictions):
    values = np.unique(predictions)
    observed = np.array([labels[predictions == value].mean() for value in values])
    mean = labels.mean()
    reliability = np.mean((observed - values) ** 2)
    return reliability, np.mean((observed - mean) ** 2), mean * (1 - mean)


# %% diagram: the middle of the interval stands for the mean prediction
def reliability_points(labels, predictions, n_bins=10):
    bins = np.minimum((predictions * n_bins).astype(int), n_bins - 1)
    filled, group, counts = np.unique(bins, return_inverse=True, return_counts=True)
    return (filled + 0.5) / n_bins, np.bincount(group, labels) / counts, counts


# %% diagram: a prediction of one has an interval of its own
def reliability_points(labels, predictions, n_bins=10):
    bins = (predictions * n_bins).astype(int)
    filled, group, counts = np.unique(bins, return_inverse=True, return_counts=True)
    return np.bincount(group, predictions) / counts, np.bincount(group, labels) / counts, counts


# %% interval: the normal approximation
def clopper_pearson(k, n):
    half = 1.96 * np.sqrt(k / n * (1 - k / n) / n)
    return max(0, k / n - half), min(1, k / n + half)


# %% held_out: calibrated on the training rows
def calibrate(train, train_labels, held, held_labels, new):
    bins = (train * 5).astype(int)
    fractions = [
        train_labels[bins == k].mean() if np.any(bins == k) else train_labels.mean()
        for k in range(5)
    ]
    return np.array(fractions)[(new * 5).astype(int)]


# %% held_out: calibrated on all rows together
def calibrate(train, train_labels, held, held_labels, new):
    scores, labels = np.append(train, held), np.append(train_labels, held_labels)
    bins = (scores * 5).astype(int)
    fractions = [labels[bins == k].mean() if np.any(bins == k) else labels.mean() for k in range(5)]
    return np.array(fractions)[(new * 5).astype(int)]


# %% balance: predicted minus observed
def balance(labels, predictions):
    return np.sum(predictions - labels) / np.sqrt(np.sum(predictions * (1 - predictions)))


# %% break_it: the forecaster is calibrated
def perfect_diagram():
    return np.tile([0, 1], 50), np.full(100, 0.5)


# %% pi: the fractions are made to increase
def calibration_function(scores, labels):
    values = np.unique(scores)
    fractions = np.array([labels[scores == value].mean() for value in values])
    return values, np.maximum.accumulate(fractions)


# %% diagram: intervals between the smallest and the largest prediction
def reliability_points(labels, predictions, n_bins=10):
    low, high = predictions.min(), predictions.max()
    bins = np.minimum(((predictions - low) / (high - low + 1e-12) * n_bins).astype(int), n_bins - 1)
    filled, group, counts = np.unique(bins, return_inverse=True, return_counts=True)
    return np.bincount(group, predictions) / counts, np.bincount(group, labels) / counts, counts


# %% brier: the sum, not the mean
def brier_score(labels, predictions):
    return np.sum((labels - predictions) ** 2)


# %% brier: the absolute error
def brier_score(labels, predictions):
    return np.mean(np.abs(labels - predictions))


# %% log_loss: logarithms with the base two
def log_loss(labels, predictions):
    with np.errstate(divide="ignore"):
        return -np.mean(np.log2(np.where(labels == 1, predictions, 1 - predictions)))


# %% murphy: the uncertainty divides by the number of cases less one
def murphy(labels, predictions):
    values, group, counts = np.unique(predictions, return_inverse=True, return_counts=True)
    observed = np.bincount(group, labels) / counts
    share, mean = counts / len(labels), labels.mean()
    resolution = share @ (observed - mean) ** 2
    return share @ (observed - values) ** 2, resolution, np.var(labels, ddof=1)


# %% interval: both tails in one limit
def clopper_pearson(k, n):
    from scipy.stats import beta

    lower = beta.ppf(0.05, k, n - k + 1) if k else 0
    return lower, beta.ppf(0.95, k + 1, n - k) if k < n else 1


# %% balance: the mean residual, without the root of the number of cases
def balance(labels, predictions):
    return np.mean(labels - predictions) / np.sqrt(np.mean(predictions * (1 - predictions)))


# %% balance: the variance at the mean prediction
def balance(labels, predictions):
    p = predictions.mean()
    return np.sum(labels - predictions) / np.sqrt(len(labels) * p * (1 - p))
