"""Samples, and the formulas of calib written out, in which one definition can be exchanged."""

import numpy as np
from scipy.optimize import brentq
from scipy.special import betaln, expit, logit, softmax, xlogy
from scipy.stats import norm

import calib
from calib import metrics
from calibkit import inference
from calibkit.inference.significance import brownian_range_tail


def sample(n, slope, seed):
    """Scores, and labels whose log-odds are `slope` times those of the score, and 0.1 more."""
    rng = np.random.default_rng(seed)
    scores = np.where(rng.random(n) < 0.5, rng.beta(0.5, 2, n), rng.beta(3, 1, n))
    labels = (rng.random(n) < expit(0.1 + slope * logit(scores))).astype(np.int64)
    return scores, labels


def two_columns(p):
    """Probabilities of both classes."""
    return np.column_stack([1 - p, p])


# Calibrators: functions of (scores, labels, queries) that return predictions.


def histogram(cuts, prior):
    """A histogram with these cuts and a pseudo-count of `prior` for each class."""

    def predict(scores, labels, queries):
        edges = cuts(scores, 10)
        n, m = counts(edges, scores, labels)
        return ((m + prior) / (n + 2 * prior))[np.searchsorted(edges, queries, side="right")]

    return predict


def counts(edges, scores, labels):
    """Points and positives of each bin; a cut belongs to the bin above it."""
    bins = np.searchsorted(edges, scores, side="right")
    size = edges.size + 1
    return np.bincount(bins, minlength=size), np.bincount(bins, labels, minlength=size)


def between_neighbours(scores, n_bins):
    """The cuts of calib: halfway between the scores on both sides."""
    labels = np.zeros(scores.size, dtype=int)
    return calib.HistogramBinning(n_bins=n_bins).fit(scores, labels).cuts_


def quantiles(scores, n_bins):
    """Quantiles by linear interpolation, as NumPy has them."""
    return np.unique(np.quantile(scores, np.arange(1, n_bins) / n_bins))


def paper_sizes(n):
    """Numbers of bins that the paper's BBQ averages."""
    root = np.cbrt(n)
    return np.arange(max(1, int(root / 10)), min(int(np.ceil(n / 5)), int(np.ceil(10 * root))) + 1)


def probcal_sizes(n):
    """Numbers of bins that probcal averages."""
    return np.arange(2, min(50, int(np.ceil(np.sqrt(n)))) + 1)


def at_the_midpoint(edges):
    """Two pseudo-observations whose mean is the midpoint of the bin: the paper's prior."""
    ends = np.r_[0.0, edges, 1.0]
    middle = ((ends[1:] + ends[:-1]) / 2).clip(0.005, 0.995)
    return 2 * middle, 2 * (1 - middle)


def jeffreys(edges):
    """Half a pseudo-observation for each class."""
    half = np.full(edges.size + 1, 0.5)
    return half, half


def bbq(sizes, cuts, prior):
    """BBQ written out: an average of histograms, weighted by their marginal likelihood."""

    def predict(scores, labels, queries):
        log_evidence, predictions = [], []
        for size in sizes(scores.size):
            edges = cuts(scores, size)
            n, m = counts(edges, scores, labels)
            a, b = prior(edges)
            log_evidence.append(np.sum(betaln(m + a, n - m + b) - betaln(a, b)))
            frequencies = (m + a) / (n + a + b)
            predictions.append(frequencies[np.searchsorted(edges, queries, side="right")])
        return softmax(log_evidence) @ predictions

    return predict


def enir(first, read):
    """ENIR written out: all models of the path from the one numbered `first` on."""

    def predict(scores, labels, queries):
        path = calib.NearIsotonicPath().fit(scores, labels)
        values = np.array([path.values_at(lam) for lam in path.lambdas_[first:]])
        at = np.searchsorted(path.scores_, scores)
        p = values[:, at]
        log_likelihood = np.sum(xlogy(labels, p) + xlogy(1 - labels, 1 - p), axis=1)
        penalty = path.n_bins_[first:] * np.log(scores.size)
        weights = softmax(log_likelihood - penalty / 2)
        return read(queries, path.scores_, weights @ values)

    return predict


def few_distinct(predict):
    """The same with scores of one digit and reversed labels: no neighbours of equal frequency."""
    return lambda scores, labels, queries: predict(scores.round(1), 1 - labels, queries.round(1))


def as_steps(queries, scores, values):
    """Constant from a score up to the next."""
    return values[(np.searchsorted(scores, queries, side="right") - 1).clip(0)]


def isotonic_steps(scores, labels, queries):
    """Isotonic regression read as steps."""
    order = np.sort(scores)
    return as_steps(queries, order, calib.IsotonicCalibrator().fit(scores, labels).predict(order))


# Measures: functions of (labels, predictions) that return one number or several.


def cumulative_residuals(labels, p):
    """Their sums in the order of the predictions, divided by n."""
    return np.cumsum((labels - p)[np.argsort(p)]) / p.size


def uncorrected_kuiper(labels, p):
    """P(range of Brownian motion > statistic), the statistic as it is."""
    return brownian_range_tail(inference.kuiper_test(labels, p).statistic)


def smooth_ece_of_logits(labels, p):
    """The fixed point of a Gaussian kernel on logits, by the trapezoid rule on a fine grid."""
    t, mass = logit(p), (labels - p) / p.size

    def excess(sigma):
        grid = np.arange(t.min() - 6 * sigma, t.max() + 6 * sigma, sigma / 8)
        total = sum(m * norm.pdf(grid, at, sigma) for at, m in zip(t, mass, strict=True))
        return np.trapezoid(np.abs(total), grid) - sigma

    return brentq(excess, 1e-2, 2, xtol=1e-9)


def binned_parts(labels, p):
    """Reliability and resolution in ten bins of equal frequency, each bin as its mean."""
    curve = metrics.reliability_curve(labels, p)
    share, frequencies = curve.counts / p.size, curve.positives / curve.counts
    reliability = share @ (curve.totals / curve.counts - frequencies) ** 2
    return reliability, share @ (frequencies - labels.mean()) ** 2


def corp_parts(labels, p):
    """Miscalibration and discrimination of the Brier score."""
    parts = metrics.score_decomposition(labels, p)
    return parts.miscalibration, parts.discrimination
