# Wrong answers, each with the question that it must lose and the mistake.

# %% set-up
import numpy as np
from scipy import stats


# %% interval: unpaired
def paired_interval(first, second):
    k, d = len(first), first.mean() - second.mean()
    se = np.sqrt(first.var(ddof=1) / k + second.var(ddof=1) / k)
    half = stats.t.ppf(0.975, 2 * k - 2) * se
    return d - half, d + half


# %% interval: the standard deviation in the place of the standard error
def paired_interval(first, second):
    d = first - second
    half = stats.t.ppf(0.975, len(d) - 1) * d.std(ddof=1)
    return d.mean() - half, d.mean() + half


# %% interval: 1.96 for few samples
def paired_interval(first, second):
    d = first - second
    half = 1.96 * d.std(ddof=1) / np.sqrt(len(d))
    return d.mean() - half, d.mean() + half


# %% resampled: the usual t test, although folds overlap
def corrected_t(differences, n_train, n_test):
    found = stats.ttest_1samp(differences, 0)
    return found.statistic, found.pvalue


# %% resampled: training and test rows exchanged
def corrected_t(differences, n_train, n_test):
    k = len(differences)
    t = differences.mean() / np.sqrt((1 / k + n_train / n_test) * differences.var(ddof=1))
    return t, 2 * stats.t.sf(abs(t), k - 1)


# %% resampled: the share of test rows in the place of the ratio
def corrected_t(differences, n_train, n_test):
    k, share = len(differences), n_test / (n_train + n_test)
    t = differences.mean() / np.sqrt((1 / k + share) * differences.var(ddof=1))
    return t, 2 * stats.t.sf(abs(t), k - 1)


# %% resampled: one tail
def corrected_t(differences, n_train, n_test):
    k = len(differences)
    t = differences.mean() / np.sqrt((1 / k + n_test / n_train) * differences.var(ddof=1))
    return t, stats.t.sf(t, k - 1)


# %% inside: the column is chosen before the cross validation
def cross_validated(X, labels, folds):
    column = np.argmax(np.abs(X[labels == 1].mean(axis=0) - X[labels == 0].mean(axis=0)))
    x, predictions = X[:, column], np.empty(len(labels))
    for fold in np.unique(folds):
        held = folds == fold
        median = np.median(x[~held])
        for side in [x > median, x <= median]:
            predictions[held & side] = labels[~held & side].mean()
    return predictions


# %% inside: the calibrator is fitted before the cross validation
def cross_validated(X, labels, folds):
    predictions = np.empty(len(labels))
    for fold in np.unique(folds):
        held = folds == fold
        A, z = X[~held], labels[~held]
        column = np.argmax(np.abs(A[z == 1].mean(axis=0) - A[z == 0].mean(axis=0)))
        high = X[:, column] > np.median(X[:, column])
        predictions[held] = np.where(high, labels[high].mean(), labels[~high].mean())[held]
    return predictions


# %% inside: calibrated on the rows of the fold
def cross_validated(X, labels, folds):
    predictions = np.empty(len(labels))
    for fold in np.unique(folds):
        held = folds == fold
        A, z = X[~held], labels[~held]
        column = np.argmax(np.abs(A[z == 1].mean(axis=0) - A[z == 0].mean(axis=0)))
        high = X[:, column] > np.median(A[:, column])
        for side in [high, ~high]:
            if np.any(held & side):
                predictions[held & side] = labels[held & side].mean()
    return predictions


# %% persons: folds by rows
def person_folds(persons, k):
    return np.arange(len(persons)) % k


# %% persons: sorted by person, then cut into equal folds, through a person
def person_folds(persons, k):
    folds = np.empty(len(persons), dtype=int)
    for fold, rows in enumerate(np.array_split(np.argsort(persons, kind="stable"), k)):
        folds[rows] = fold
    return folds


# %% persons: the number of the person decides, whatever numbers there are
def person_folds(persons, k):
    return persons % k


# %% friedman: equal values get different ranks
def friedman(values):
    ranks = np.argsort(np.argsort(-values, axis=1, kind="stable"), axis=1) + 1.0
    T, k = ranks.shape
    average = ranks.mean(axis=0)
    return average, 12 * T / (k * (k + 1)) * np.sum((average - (k + 1) / 2) ** 2)


# %% friedman: equal values share the best of their ranks
def friedman(values):
    ranks = stats.rankdata(-values, axis=1, method="min").astype(float)
    T, k = ranks.shape
    average, middle = ranks.mean(axis=0), (k + 1) / 2
    between = np.sum((average - middle) ** 2)
    return average, (k - 1) * T**2 * between / np.sum((ranks - middle) ** 2)


# %% friedman: the statistic without the correction for ties
def friedman(values):
    ranks = stats.rankdata(-values, axis=1)
    T, k = ranks.shape
    average = ranks.mean(axis=0)
    return average, 12 * T / (k * (k + 1)) * np.sum((average - (k + 1) / 2) ** 2)


# %% holm: no correction
def holm(p_values, alpha):
    return p_values <= alpha


# %% holm: the largest factor for all (Bonferroni)
def holm(p_values, alpha):
    return p_values <= alpha / len(p_values)


# %% holm: from the other end (Hochberg)
def holm(p_values, alpha):
    m, order = len(p_values), np.argsort(p_values)
    good = np.flatnonzero(p_values[order] <= alpha / (m - np.arange(m)))
    rejected = np.zeros(m, dtype=bool)
    if len(good):
        rejected[order[: good[-1] + 1]] = True
    return rejected


# %% holm: rejections in sorted order, not in the order given
def holm(p_values, alpha):
    m = len(p_values)
    return np.logical_and.accumulate(np.sort(p_values) <= alpha / (m - np.arange(m)))


# %% rate: the floor is not taken off
def rate(sizes, brier, floor):
    return np.polyfit(np.log(sizes), np.log(brier.mean(axis=0)), 1)[0]


# %% rate: one axis is linear
def rate(sizes, brier, floor):
    return np.polyfit(sizes, np.log(brier.mean(axis=0) - floor), 1)[0]


# %% rate: the mean of logarithms
def rate(sizes, brier, floor):
    with np.errstate(invalid="ignore"):
        y = np.nanmean(np.log(brier - floor), axis=0)
    return np.polyfit(np.log(sizes), y, 1)[0]


# %% best: a test of the best variant as if it were the only one
def best_p_value(gains):
    best, n = gains[:, gains.mean(axis=0).argmax()], len(gains)
    signs = 1 - 2 * ((np.arange(2**n)[:, None] >> np.arange(n)) & 1)
    return np.mean(signs @ best >= best.sum() - 1e-9)


# %% best: times the number of variants, as if they were independent
def best_p_value(gains):
    best, n = gains[:, gains.mean(axis=0).argmax()], len(gains)
    signs = 1 - 2 * ((np.arange(2**n)[:, None] >> np.arange(n)) & 1)
    return min(1, gains.shape[1] * np.mean(signs @ best >= best.sum() - 1e-9))


# %% best: equal values are not counted, so that the p value may be zero
def best_p_value(gains):
    n = len(gains)
    signs = 1 - 2 * ((np.arange(2**n)[:, None] >> np.arange(n)) & 1)
    return np.mean((signs @ gains / n).max(axis=1) > gains.mean(axis=0).max() + 1e-9)


# %% break_it: C is always last, so that it changes nothing
def turned_round():
    return np.array([[0.1, 0.2, 0.3]] * 6 + [[0.2, 0.1, 0.3]] * 4)


# %% break_it: B is better on most data sets
def turned_round():
    return np.array([[0.1, 0.6, 0.3]] * 4 + [[0.3, 0.1, 0.2]] * 6)


# %% resampled: no absolute value
def corrected_t(differences, n_train, n_test):
    k = len(differences)
    t = differences.mean() / np.sqrt((1 / k + n_test / n_train) * differences.var(ddof=1))
    return t, 2 * stats.t.sf(t, k - 1)


# %% persons: dealt out in turn
def person_folds(persons, k):
    _, person = np.unique(persons, return_inverse=True)
    return person % k


# %% holm: less than the limit, not at most
def holm(p_values, alpha):
    m, rejected = len(p_values), np.zeros(len(p_values), dtype=bool)
    for i, one in enumerate(np.argsort(p_values)):
        if p_values[one] >= alpha / (m - i):
            break
        rejected[one] = True
    return rejected


# %% best: without room for rounding
def best_p_value(gains):
    n = len(gains)
    signs = 1 - 2 * ((np.arange(2**n)[:, None] >> np.arange(n)) & 1)
    return np.mean((signs @ gains / n).max(axis=1) >= gains.mean(axis=0).max())
