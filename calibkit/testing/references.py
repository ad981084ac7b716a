"""Slow exact references: definitions written out in NumPy, for a dozen rows.

Nothing here is fast or shares code with the rest of the package, so that both can be compared.
References of calibrators are functions of (scores, labels, weights, new_scores). References of
measures are functions of (labels, probabilities, weights). Weights are None if all are one.
"""

from itertools import combinations, pairwise
from math import ceil, exp, floor, lgamma

import numpy as np
from scipy.optimize import linprog

SMALLEST_PRIOR_MEAN = 0.005  # probability of class 1 in a bin of BBQ
N_QUADRATURE_POINTS = 1000  # midpoints of the quadrature behind `smooth_ece`


def tied(scores, labels, weights):
    """Return the distinct scores, the weight of each, and the weight of its positives."""
    weights = np.ones(len(scores)) if weights is None else np.asarray(weights, float)
    scores = np.asarray(scores, float)
    labels = np.asarray(labels, float)
    distinct = np.unique(scores[weights > 0])
    totals = np.array([weights[scores == s].sum() for s in distinct])
    hits = np.array([(weights * labels)[scores == s].sum() for s in distinct])
    return distinct, totals, hits


# Calibrators


def isotonic_values(scores, labels, weights=None):
    """Return the distinct scores and their isotonic regression, by the max-min formula.

    The value at i is the largest over a <= i of the smallest over b >= i of the mean of a..b
    (Robertson, Wright and Dykstra, 1988, Order Restricted Statistical Inference, theorem 1.4.4).
    O(n^3).
    """
    distinct, totals, hits = tied(scores, labels, weights)
    n = distinct.size

    def mean(a, b):
        return hits[a : b + 1].sum() / totals[a : b + 1].sum()

    values = [max(min(mean(a, b) for b in range(i, n)) for a in range(i + 1)) for i in range(n)]
    return distinct, np.array(values)


def isotonic(scores, labels, weights, new_scores):
    """Isotonic regression with linear interpolation: Zadrozny and Elkan (2002)."""
    distinct, values = isotonic_values(scores, labels, weights)
    return np.interp(new_scores, distinct, values)


def venn_abers(scores, labels, weights, new_scores):
    """Inductive Venn-Abers, merged for the log loss: Vovk and Petej (2014), sections 4 and 6.

    Isotonic regression of the sample and the new object, once for each possible label of it.
    """
    weights = np.ones(len(scores)) if weights is None else weights

    def extended(new, label):
        distinct, values = isotonic_values(
            np.append(scores, new), np.append(labels, label), np.append(weights, 1)
        )
        return values[distinct == new][0]

    p0 = np.array([extended(new, 0) for new in new_scores])
    p1 = np.array([extended(new, 1) for new in new_scores])
    return p1 / (1 - p0 + p1)


def _average(scores, labels, weights, new_scores, binnings):
    """Average histograms by their evidence.

    `binnings` yields the logarithm of the prior of each histogram, and the indices of the distinct
    scores where its bins begin, except the first one.
    """
    distinct, totals, hits = tied(scores, labels, weights)
    edges = np.concatenate([[0], (distinct[1:] + distinct[:-1]) / 2, [1]])
    evidences = []
    predictions = []
    for log_prior, cuts in binnings(distinct, totals):
        evidence = log_prior
        values = []
        for start, end in pairwise([0, *cuts, distinct.size]):
            m = hits[start:end].sum()
            n = (totals - hits)[start:end].sum()
            middle = (edges[start] + edges[end]) / 2
            middle = min(max(middle, SMALLEST_PRIOR_MEAN), 1 - SMALLEST_PRIOR_MEAN)
            a = 2 * middle
            b = 2 * (1 - middle)
            evidence += lgamma(m + a) - lgamma(a) + lgamma(n + b) - lgamma(b) - lgamma(m + n + 2)
            values.append((m + a) / (m + n + 2))
        evidences.append(evidence)
        bins = np.searchsorted(edges[list(cuts)], new_scores, side="right")
        predictions.append(np.array(values)[bins])
    shares = np.exp(np.array(evidences) - max(evidences))
    return shares @ np.array(predictions) / shares.sum()


def bbq(scores, labels, weights, new_scores):
    """BBQ: the average of equal-frequency histograms of Naeini, Cooper and Hauskrecht (2015)."""

    def binnings(distinct, totals):
        n = totals.sum()
        ranks = (np.cumsum(totals) - totals / 2) / n  # rank of the middle of each tie
        fewest = max(1, floor(n ** (1 / 3) / 10))
        most = max(fewest, min(ceil(n / 5), ceil(10 * n ** (1 / 3))))
        for n_bins in range(fewest, most + 1):
            bins = np.floor(n_bins * ranks)
            yield 0.0, [k for k in range(1, distinct.size) if bins[k] > bins[k - 1]]

    return _average(scores, labels, weights, new_scores, binnings)


def all_binnings(scores, labels, weights, new_scores):
    """ABB with strength 1: the average over all 2^(K-1) histograms of K distinct scores.

    The prior of the cuts is a Poisson process; Naeini, Cooper and Hauskrecht (2015), "Binary
    classifier calibration using a Bayesian non-parametric approach".
    """

    def binnings(distinct, totals):
        gaps = np.diff(distinct) / np.ptp(distinct) if distinct.size > 1 else []
        possible_cuts = range(1, distinct.size)
        for n_cuts in range(distinct.size):
            for cuts in combinations(possible_cuts, n_cuts):
                factors = [
                    1 - exp(-gaps[k - 1]) if k in cuts else exp(-gaps[k - 1]) for k in possible_cuts
                ]
                yield float(np.log(factors).sum()), list(cuts)

    return _average(scores, labels, weights, new_scores, binnings)


# Measures


def brier(labels, probabilities, weights=None):
    """Mean squared difference: Brier (1950)."""
    return np.average((np.asarray(probabilities) - labels) ** 2, weights=weights)


def log_loss(labels, probabilities, weights=None):
    """Mean of minus the logarithm of the probability of the observed label: Good (1952)."""
    of_label = np.where(labels, probabilities, 1 - np.asarray(probabilities))
    return np.average(-np.log(of_label), weights=weights)


def auc(labels, probabilities, weights=None):
    """Fraction of the pairs of both classes in the right order: Hanley and McNeil (1982)."""
    weights = np.ones(len(labels)) if weights is None else weights
    rows = list(zip(labels, probabilities, weights, strict=True))
    pairs = [(p > q, p == q, v * w) for z, p, v in rows for y, q, w in rows if z and not y]
    won = sum(mass * (above + equal / 2) for above, equal, mass in pairs)
    return won / sum(mass for _, _, mass in pairs)


def kuiper(labels, probabilities, weights=None):
    """Largest bias over an interval, among all intervals: Arrieta-Ibarra et al. (2022), ECCE-R."""
    p, totals, hits = tied(probabilities, labels, weights)
    residuals = (hits - totals * p) / totals.sum()
    ends = range(p.size)
    return max(abs(residuals[a : b + 1].sum()) for a in ends for b in ends if a <= b)


def gaps_of_bins(labels, probabilities, weights=None, n_bins=10, strategy="uniform"):
    """Yield weight and ``|observed - predicted|`` of each bin: Naeini, Cooper, Hauskrecht (2015).

    The weight of a bin is a fraction of all weights. Bins have equal width, or equal weight. Then
    a tie lies in the bin of its middle rank.
    """
    p, totals, hits = tied(probabilities, labels, weights)
    positions = p if strategy == "uniform" else (np.cumsum(totals) - totals / 2) / totals.sum()
    bins = np.minimum(np.floor(n_bins * positions), n_bins - 1)
    for k in np.unique(bins):
        inside = bins == k
        bias = (hits - totals * p)[inside].sum() / totals[inside].sum()
        yield totals[inside].sum() / totals.sum(), abs(bias)


def expected_error(labels, probabilities, weights=None, **binning):
    """ECE: the mean of the differences that `gaps_of_bins` yields."""
    bins = gaps_of_bins(labels, probabilities, weights, **binning)
    return sum(weight * gap for weight, gap in bins)


def maximum_error(labels, probabilities, weights=None, **binning):
    """MCE: the largest difference that `gaps_of_bins` yields."""
    return max(gap for _, gap in gaps_of_bins(labels, probabilities, weights, **binning))


def smooth_calibration_error(labels, probabilities, weights=None):
    """Largest correlation with a bounded function of slope 1, as a linear program.

    Blasiok, Gopalan, Hu and Nakkiran (2023). The dual of the program is the distance of the path
    of residuals to paths of bounded variation. SciPy's HiGHS solves the primal.
    """
    p, totals, hits = tied(probabilities, labels, weights)
    residuals = (hits - totals * p) / totals.sum()
    if p.size < 2:  # no slope is limited
        return -linprog(-residuals, bounds=(-1, 1)).fun
    steps = np.diff(np.eye(p.size), axis=0)
    both_signs = np.vstack([steps, -steps])
    largest_steps = np.tile(np.diff(p), 2)
    return -linprog(-residuals, A_ub=both_signs, b_ub=largest_steps, bounds=(-1, 1)).fun


def smooth_ece(labels, probabilities, weights=None):
    """Width s at which residuals smoothed with width s have the mean absolute value s.

    Blasiok and Nakkiran (2024), with a Gaussian kernel reflected at 0 and 1. The integral is
    computed by quadrature, and the width by bisection.
    """
    p, totals, hits = tied(probabilities, labels, weights)
    residuals = (hits - totals * p) / totals.sum()
    points = (np.arange(N_QUADRATURE_POINTS) + 0.5) / N_QUADRATURE_POINTS
    images = np.concatenate([sign * p + 2 * shift for shift in (-1, 0, 1) for sign in (1, -1)])

    def excess(width):
        kernel = np.exp(-(((points[:, None] - images) / width) ** 2) / 2)
        smoothed = kernel @ np.tile(residuals, 6) / (width * np.sqrt(2 * np.pi))
        return np.abs(smoothed).mean() - width

    low = 1 / N_QUADRATURE_POINTS
    high = 1.0
    while high - low > 1e-5:
        middle = (low + high) / 2
        if excess(middle) > 0:
            low = middle
        else:
            high = middle
    return low
