# A second solution, written without a look at the first.

# %% set-up
from math import exp, floor, log, sqrt

import numpy as np


# %% cuts
def equal_frequency_cuts(scores, n_bins):
    in_order = sorted(scores)
    n = len(in_order)
    first = {}
    last = {}
    for rank, y in enumerate(in_order):
        first.setdefault(y, rank)
        last[y] = rank + 1
    cuts, before = [], None
    for y in first:
        bin_of_y = floor((first[y] + last[y]) / 2 / n * n_bins)
        if before is not None and before[1] != bin_of_y:
            cuts.append((before[0] + y) / 2)
        before = y, bin_of_y
    return cuts


# %% predict
def histogram_predictions(cuts, scores, labels, new):
    def prediction(y):
        lower = max((c for c in cuts if c <= y), default=-np.inf)
        upper = min((c for c in cuts if c > y), default=np.inf)
        inside = labels[(scores >= lower) & (scores < upper)]
        return inside.mean() if inside.size else labels.mean()

    return [prediction(y) for y in new]


# %% bounds
def bin_bounds(counts, shares, delta):
    # each of the two tails gets half of what the bin may fail
    tails = [delta * share / 2 for share in shares]
    return [sqrt(-log(tail) / 2 / count) for count, tail in zip(counts, tails, strict=True)]


# %% allowed
def largest_number_of_bins(n, target, delta):
    # a bin may fail with probability delta / B
    for n_bins in range(n, 0, -1):
        if 2 * exp(-2 * (n // n_bins) * target**2) <= delta / n_bins:
            return n_bins
    return 0


# %% coverage
def share_of_failures(samples, theta, delta):
    def fails(scores, labels):
        for i in range(10):
            inside = labels[(10 * scores >= i) & (10 * scores < i + 1)]
            n = len(inside)
            if n and abs(inside.sum() / n - theta[i]) > sqrt(-log(delta / 20) / 2 / n):
                return True
        return False

    return np.mean([fails(scores, labels) for scores, labels in samples])


# %% exact
def exact_errors(cuts, values, integral):
    worst = total = left = 0
    for right, value in zip([*cuts, 1], values, strict=True):
        signed = value * (right - left) - (integral(right) - integral(left))
        total += abs(signed)
        worst = max(worst, abs(signed) / (right - left))
        left = right
    return worst, total


# %% break_it
def scores_that_break(rng, n):
    # one case in a hundred lies beside a tie, on either side
    return rng.choice([1, 2, 3], size=n, p=[0.005, 0.99, 0.005])
