"""Slow exact references: definitions written out in NumPy, for a dozen rows.

Nothing here is fast or shares code with the rest of the package, so that both can be compared.
References of calibrators are functions of (scores, labels, weights, new_scores), those of measures
of (labels, probabilities, weights); weights are None if all are one.
"""

from itertools import combinations, pairwise
from math import ceil, exp, floor, lgamma

import numpy as np
from scipy.optimize import linprog

SMALLEST_PRIOR_MEAN = 0.005  # of a bin of BBQ
GRID = 1000  # midpoints of the quadrature behind `smooth_ece`


def tied(scores, labels, weights):
    """Distinct scores, the weight of each, and the weight of its positives."""
    weights = np.ones(len(scores)) if weights is None else np.asarray(weights, float)
    scores, labels = np.asarray(scores, float), np.asarray(labels, float)
    distinct = np.unique(scores[weights > 0])
    totals = np.array([weights[scores == s].sum() for s in distinct])
    hits = np.array([(weights * labels)[scores == s].sum() for s in distinct])
    return distinct, totals, hits


# Calibrators


def isotonic_values(scores, labels, weights=None):
    """Distinct scores and their isotonic regression, by the max-min formula.

    The value at i is the largest over a <= i of the smallest over b >= i of the mean of a..b:
    Robertson, Wright and Dykstra (1988), Order Restricted Statistical Inference, theorem 1.4.4.
    O(n^3).
    """
    distinct, totals, hits = tied(scores, labels, weights)
    n = distinct.size

    def mean(a, b):
        return hits[a : b + 1].sum() / totals[a : b + 1].sum()

    values = [max(min(mean(a, b) for b in range(i, n)) for a in range(i + 1)) for i in range(n)]
    return distinct, np.array(values)


def isotonic(scores, labels, weights, new_scores):
    """Isotonic regression, read along lines between scores: Zadrozny and Elkan (2002)."""
    return np.interp(new_scores, *isotonic_values(scores, labels, weights))


def venn_abers(scores, labels, weights, new_scores):
    """Inductive Venn-Abers, merged for the log loss: Vovk and Petej (2014), sections 4 and 6.

    Isotonic regression of the sample and the new object, once for each label it might have.
    """
    weights = np.ones(len(scores)) if weights is None else weights

    def extended(new, label):
        rows = np.append(scores, new), np.append(labels, label), np.append(weights, 1)
        distinct, values = isotonic_values(*rows)
        return values[distinct == new][0]

    p0, p1 = (np.array([extended(new, label) for new in new_scores]) for label in (0, 1))
    return p1 / (1 - p0 + p1)


def _average(scores, labels, weights, new_scores, binnings):
    """Average of histograms by the log of the prior and the rows where each has its cuts."""
    distinct, totals, hits = tied(scores, labels, weights)
    edges = np.concatenate([[0], (distinct[1:] + distinct[:-1]) / 2, [1]])
    evidences, predictions = [], []
    for log_prior, cuts in binnings(distinct, totals):
        evidence, values = log_prior, []
        for start, end in pairwise([0, *cuts, distinct.size]):
            m, n = hits[start:end].sum(), (totals - hits)[start:end].sum()
            middle = (edges[start] + edges[end]) / 2
            middle = min(max(middle, SMALLEST_PRIOR_MEAN), 1 - SMALLEST_PRIOR_MEAN)
            a, b = 2 * middle, 2 * (1 - middle)
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
        ranks = (np.cumsum(totals) - totals / 2) / n  # of the middle of each tie
        smallest = max(1, floor(n ** (1 / 3) / 10))
        for size in range(smallest, max(smallest, min(ceil(n / 5), ceil(10 * n ** (1 / 3)))) + 1):
            bins = np.floor(size * ranks)
            yield 0.0, [k for k in range(1, distinct.size) if bins[k] > bins[k - 1]]

    return _average(scores, labels, weights, new_scores, binnings)


def all_binnings(scores, labels, weights, new_scores):
    """ABB with strength 1: the average over all 2^(K-1) histograms of K distinct scores.

    The prior of the cuts is a Poisson process; Naeini, Cooper and Hauskrecht (2015), "Binary
    classifier calibration using a Bayesian non-parametric approach".
    """

    def binnings(distinct, totals):
        gaps = np.diff(distinct) / np.ptp(distinct) if distinct.size > 1 else []
        places = range(1, distinct.size)
        for n_cuts in range(distinct.size):
            for cuts in combinations(places, n_cuts):
                parts = [1 - exp(-gaps[k - 1]) if k in cuts else exp(-gaps[k - 1]) for k in places]
                yield float(np.log(parts).sum()), list(cuts)

    return _average(scores, labels, weights, new_scores, binnings)


# Measures


def brier(labels, probabilities, weights=None):
    """Mean squared difference: Brier (1950)."""
    return np.average((np.asarray(probabilities) - labels) ** 2, weights=weights)


def log_loss(labels, probabilities, weights=None):
    """Mean of minus the logarithm of the probability of what happened: Good (1952)."""
    happened = np.where(labels, probabilities, 1 - np.asarray(probabilities))
    return np.average(-np.log(happened), weights=weights)


def auc(labels, probabilities, weights=None):
    """Share of the pairs of both classes in the right order: Hanley and McNeil (1982)."""
    weights = np.ones(len(labels)) if weights is None else weights
    rows = list(zip(labels, probabilities, weights, strict=True))
    pairs = [(p > q, p == q, v * w) for z, p, v in rows for y, q, w in rows if z and not y]
    won = sum(mass * (above + equal / 2) for above, equal, mass in pairs)
    return won / sum(mass for _, _, mass in pairs)


def kuiper(labels, probabilities, weights=None):
    """Largest bias over an interval, by all of them: Arrieta-Ibarra et al. (2022), ECCE-R."""
    p, totals, hits = tied(probabilities, labels, weights)
    residuals = (hits - totals * p) / totals.sum()
    ends = range(p.size)
    return max(abs(residuals[a : b + 1].sum()) for a in ends for b in ends if a <= b)


def gaps_of_bins(labels, probabilities, weights=None, n_bins=10, strategy="uniform"):
    """Share and ``|observed - predicted|`` of each bin: Naeini, Cooper and Hauskrecht (2015).

    Bins have equal width, or equal weight: a tie then lies where its middle rank falls.
    """
    p, totals, hits = tied(probabilities, labels, weights)
    place = p if strategy == "uniform" else (np.cumsum(totals) - totals / 2) / totals.sum()
    bins = np.minimum(np.floor(n_bins * place), n_bins - 1)
    for k in np.unique(bins):
        inside = bins == k
        bias = (hits - totals * p)[inside].sum() / totals[inside].sum()
        yield totals[inside].sum() / totals.sum(), abs(bias)


def expected_error(labels, probabilities, weights=None, **binning):
    """ECE: mean over the bins of `gaps_of_bins`."""
    bins = gaps_of_bins(labels, probabilities, weights, **binning)
    return sum(share * gap for share, gap in bins)


def maximum_error(labels, probabilities, weights=None, **binning):
    """MCE: largest of the bins of `gaps_of_bins`."""
    return max(gap for _, gap in gaps_of_bins(labels, probabilities, weights, **binning))


def smooth_calibration_error(labels, probabilities, weights=None):
    """Largest correlation with a bounded function of slope 1, as a linear program.

    Blasiok, Gopalan, Hu and Nakkiran (2023). Its dual is the distance of the path of residuals to
    paths of bounded variation; SciPy's HiGHS solves the primal.
    """
    p, totals, hits = tied(probabilities, labels, weights)
    steps = np.diff(np.eye(p.size), axis=0)
    limits = {"A_ub": np.vstack([steps, -steps]), "b_ub": np.tile(np.diff(p), 2)}
    residuals = (hits - totals * p) / totals.sum()
    return -linprog(-residuals, **(limits if p.size > 1 else {}), bounds=(-1, 1)).fun


def smooth_ece(labels, probabilities, weights=None):
    """The width s at which residuals smoothed with width s have the mean size s.

    Blasiok and Nakkiran (2024): a Gaussian kernel reflected at 0 and 1; quadrature and bisection.
    """
    p, totals, hits = tied(probabilities, labels, weights)
    residuals = (hits - totals * p) / totals.sum()
    points = (np.arange(GRID) + 0.5) / GRID
    images = np.concatenate([sign * p + 2 * shift for shift in (-1, 0, 1) for sign in (1, -1)])

    def excess(width):
        kernel = np.exp(-(((points[:, None] - images) / width) ** 2) / 2)
        smoothed = kernel @ np.tile(residuals, 6) / (width * np.sqrt(2 * np.pi))
        return np.abs(smoothed).mean() - width

    low, high = 1 / GRID, 1.0
    while high - low > 1e-5:
        middle = (low + high) / 2
        low, high = (middle, high) if excess(middle) > 0 else (low, middle)
    return low
