"""Exact confidence limits of a probability, by Clopper and Pearson."""

import numpy as np
from scipy.special import betaincinv


def clopper_pearson(positives, counts, tail):
    """The two limits, each of which misses the probability with probability at most `tail`.

    The lower limit is 0 without positives, and the upper limit is 1 without negatives.
    """
    negatives = np.maximum(counts - positives, 0)
    observed = positives / counts
    no_positive = positives <= 0
    no_negative = negatives <= 0
    lower = betaincinv(np.where(no_positive, 1, positives), negatives + 1, tail)
    upper = betaincinv(positives + 1, np.where(no_negative, 1, negatives), 1 - tail)
    # from about 1e18 points on SciPy returns NaN, and the fraction itself is the limit
    lower = np.fmin(lower, observed)
    upper = np.fmax(upper, observed)
    return np.where(no_positive, 0.0, lower), np.where(no_negative, 1.0, upper)
