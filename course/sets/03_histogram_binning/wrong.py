# Wrong answers, each with the question that it must lose and the mistake.

# %% set-up
import numpy as np


# %% cuts: quantiles, which cut through ties
def equal_frequency_cuts(scores, n_bins):
    return np.quantile(scores, np.arange(1, n_bins) / n_bins)


# %% cuts: sort and cut, so that a tie lies in several bins
def equal_frequency_cuts(scores, n_bins):
    parts = np.array_split(np.sort(scores), n_bins)
    return np.array([(a[-1] + b[0]) / 2 for a, b in zip(parts, parts[1:], strict=False)])


# %% cuts: at a score, not halfway
def equal_frequency_cuts(scores, n_bins):
    values, size = np.unique(scores, return_counts=True)
    bins = np.floor(n_bins * (np.cumsum(size) - size / 2) / len(scores))
    return values[1:][bins[:-1] != bins[1:]]


# %% predict: an empty bin predicts zero
def histogram_predictions(cuts, scores, labels, new):
    bins = np.searchsorted(cuts, scores, side="right")
    counts = np.bincount(bins, minlength=len(cuts) + 1)
    positives = np.bincount(bins, labels, len(cuts) + 1)
    return (positives / np.maximum(counts, 1))[np.searchsorted(cuts, new, side="right")]


# %% predict: a score beyond those of the sample gets the base rate
def histogram_predictions(cuts, scores, labels, new):
    bins = np.searchsorted(cuts, scores, side="right")
    counts = np.bincount(bins, minlength=len(cuts) + 1)
    positives = np.bincount(bins, labels, len(cuts) + 1)
    fractions = np.where(counts > 0, positives / np.maximum(counts, 1), labels.mean())
    outside = (new < scores.min()) | (new > scores.max())
    return np.where(outside, labels.mean(), fractions[np.searchsorted(cuts, new, side="right")])


# %% predict: a score on a cut goes to the left
def histogram_predictions(cuts, scores, labels, new):
    bins = np.searchsorted(cuts, scores, side="left")
    counts = np.bincount(bins, minlength=len(cuts) + 1)
    positives = np.bincount(bins, labels, len(cuts) + 1)
    fractions = np.where(counts > 0, positives / np.maximum(counts, 1), labels.mean())
    return fractions[np.searchsorted(cuts, new, side="left")]


# %% bounds: delta is not split among the bins
def bin_bounds(counts, shares, delta):
    return np.sqrt(np.log(2 / delta) / (2 * np.asarray(counts)))


# %% bounds: the shares are forgotten
def bin_bounds(counts, shares, delta):
    return np.sqrt(np.log(2 * len(counts) / delta) / (2 * np.asarray(counts)))


# %% bounds: one tail only
def bin_bounds(counts, shares, delta):
    return np.sqrt(np.log(1 / (delta * np.asarray(shares))) / (2 * np.asarray(counts)))


# %% bounds: the logarithm to base ten
def bin_bounds(counts, shares, delta):
    return np.sqrt(np.log10(2 / (delta * np.asarray(shares))) / (2 * np.asarray(counts)))


# %% bounds: all cases in the place of those of the bin
def bin_bounds(counts, shares, delta):
    return np.sqrt(np.log(2 / (delta * np.asarray(shares))) / (2 * np.sum(counts)))


# %% bounds: N / B in the place of the real counts
def bin_bounds(counts, shares, delta):
    return np.sqrt(np.log(2 / (delta * np.asarray(shares))) / (2 * np.mean(counts)))


# %% allowed: the published bound, twice as large
def largest_number_of_bins(n, target, delta):
    bins = np.arange(1, n + 1)
    return int(np.sum(np.sqrt(2 * np.log(2 * bins / delta) / (n // bins)) <= target))


# %% allowed: the number of bins under the logarithm is forgotten
def largest_number_of_bins(n, target, delta):
    bins = np.arange(1, n + 1)
    return int(np.sum(np.sqrt(np.log(2 / delta) / (2 * (n // bins))) <= target))


# %% coverage: failures are counted by bin, not for all bins at once
def share_of_failures(samples, theta, delta):
    failures = bins_seen = 0
    for scores, labels in samples:
        bins = (scores * 10).astype(int)
        for i in range(10):
            inside = labels[bins == i]
            if inside.size:
                bound = np.sqrt(np.log(20 / delta) / (2 * inside.size))
                failures += abs(inside.mean() - theta[i]) > bound
                bins_seen += 1
    return failures / bins_seen


# %% coverage: each bin with N / B cases
def share_of_failures(samples, theta, delta):
    failures = 0
    for scores, labels in samples:
        bins = (scores * 10).astype(int)
        bound = np.sqrt(np.log(20 / delta) / (2 * len(scores) / 10))
        failures += any(
            abs(labels[bins == i].mean() - theta[i]) > bound for i in range(10) if np.any(bins == i)
        )
    return failures / len(samples)


# %% coverage: errors to one side only
def share_of_failures(samples, theta, delta):
    failures = 0
    for scores, labels in samples:
        bins = (scores * 10).astype(int)
        counts, positives = np.bincount(bins, minlength=10), np.bincount(bins, labels, 10)
        filled = counts > 0
        error = positives[filled] / counts[filled] - theta[filled]
        failures += np.any(error > np.sqrt(np.log(20 / delta) / (2 * counts[filled])))
    return failures / len(samples)


# %% exact: the bins are not weighted by their mass
def exact_errors(cuts, values, integral):
    edges = np.concatenate([[0], cuts, [1]])
    error = np.abs(values - np.diff(integral(edges)) / np.diff(edges))
    return error.max(), error.mean()


# %% exact: the integral is not divided by the width of the bin
def exact_errors(cuts, values, integral):
    edges = np.concatenate([[0], cuts, [1]])
    error = np.abs(values - np.diff(integral(edges)))
    return error.max(), np.diff(edges) @ error


# %% break_it: continuous scores fill all bins alike
def scores_that_break(rng, n):
    return rng.random(n) ** 9


# %% break_it: ties, but no bin with few cases
def scores_that_break(rng, n):
    return rng.integers(0, 3, n)
