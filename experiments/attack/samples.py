"""Samples of a law, and verdicts about their errors that are certain up to one in a million."""

import numpy as np
from scipy.stats import binom

from calib import HistogramBinning

CERTAIN = 1e-6


def quantile(ratios, alpha):
    """The 1 - alpha quantile is larger than this, or Clopper and Pearson's limit is wrong.

    So a value above 1 means: more than the share alpha of all samples have a ratio above 1.
    """
    ratios = np.sort(ratios)[::-1]
    enough = int(binom.isf(CERTAIN, ratios.size, alpha)) + 1
    return float(ratios[enough - 1]) if enough <= ratios.size else 0.0


def mean(values, width):
    """The mean is larger than this, by the bound of Maurer and Pontil, for values in `width`."""
    n, log = values.size, np.log(2 / CERTAIN)
    error = np.sqrt(2 * values.var(ddof=1) * log / n) + 7 * width * log / (3 * (n - 1))
    return float(values.mean() - error)


def fits(law, draws=150):
    """Histogram binning of samples: the fit, and mass and true frequency of each of its bins.

    Cell j is an atom at j + 1/2, or uniform on (j, j + 1).
    """
    rng, k = np.random.default_rng(law.seed), law.mass.size
    cells = rng.choice(k, (draws, law.size), p=law.mass)
    places = np.where(law.spread[cells], rng.random(cells.shape), 0.5)
    labels = (rng.random(cells.shape) < law.truth[cells]).astype(int)
    for row in range(draws):
        fitted = _fitted(law, cells[row] + places[row], labels[row])
        edges = np.concatenate([[0], fitted.cuts_, [k]])
        mass = np.diff(_below(law, edges, law.mass))
        positive = np.diff(_below(law, edges, law.mass * law.truth))
        yield fitted, mass, positive / mass


def _fitted(law, scores, labels):
    calibrator = HistogramBinning(n_bins=min(law.n_bins, scores.size))
    if np.ptp(labels) == 0:  # one class warns; the bins do not depend on the labels
        fitted = calibrator.fit(np.append(scores, scores), np.append(labels, 1 - labels))
        fitted.counts_ = fitted.counts_ / 2
        fitted.positives_ = fitted.counts_ * labels[0]
        fitted.probabilities_ = np.full(fitted.counts_.size, float(labels[0]))
        return fitted
    return calibrator.fit(scores, labels)


def _below(law, cuts, masses):
    """Mass of the scores below each cut."""
    cell = np.minimum(cuts.astype(int), masses.size - 1)
    inside = cuts - cell
    share = np.where(law.spread[cell], inside, inside > 0.5)
    return np.concatenate([[0], np.cumsum(masses)])[cell] + share * masses[cell]


def ranks(law, n, draws):
    """Sorted scores as ranks in the population, their labels, and the integral of the truth.

    Ties are told apart at random, so the ranks are uniform whatever the law.
    """
    rng = np.random.default_rng(law.seed)
    edges = np.concatenate([[0], np.cumsum(law.mass)])
    edges[-1] = 1
    below = np.concatenate([[0], np.cumsum(law.mass * law.truth)])
    places = np.sort(rng.random((draws, n)), axis=1)
    cell = np.minimum(np.searchsorted(edges, places, side="right") - 1, law.mass.size - 1)
    labels = rng.random(places.shape) < law.truth[cell]
    return places, labels, lambda places: np.interp(places, edges, below)


def means_of_ranks(labels, start, end):
    """Fraction of positives from rank `start`, counted from 0, to before rank `end`."""
    sums = np.concatenate([np.zeros((labels.shape[0], 1)), np.cumsum(labels, axis=1)], axis=1)
    return (sums[:, end] - sums[:, start]) / (end - start)
