"""Statements about bins: errors of fractions, their maximum and mean (chapters 2 to 4, C1, C4)."""

import numpy as np
from scipy.special import bdtr, bdtrc, betaincinv

from calibkit.theory import bin_bounds, clopper_pearson_limits, ece_bound
from experiments.attack.chances import any_of, binomial, divergence, mean_deviation, shares, sum_of
from experiments.attack.samples import fits, mean, means_of_ranks, quantile, ranks
from experiments.attack.statement import states
from experiments.bounds import (
    mean_ece_bound_continuous,
    published_mce_bound,
    ties_constant,
)

MIDPOINTS = (np.arange(300) + 0.5) / 300  # of [0, 1], to integrate over
RESOLVED = 1e-3  # relative error of a mean over them


def errors_by_group(law, said):
    """Mass of each group and the error of its mean prediction in the population."""
    mass = np.bincount(law.group, law.mass)
    gap = np.bincount(law.group, law.mass * (said - law.truth))
    return mass[mass > 0], np.abs(gap[mass > 0]) / mass[mass > 0]


def gaps_in_sample(law, group):
    """Points of each group and the error of its mean prediction in the sample."""
    counts = np.bincount(group, law.counts)
    gap = np.bincount(group, law.positives - law.counts * law.prediction)
    return counts[counts > 0], np.abs(gap[counts > 0]) / counts[counts > 0]


@states("thm-bias", "2")
def bias(law):
    """Mean ECE of a calibrated forecaster <= mean standard deviation."""
    mean_error = deviation = 0.0
    for number in np.unique(law.group):
        inside = (law.group == number) & (law.counts > 0)
        counts, said = law.counts[inside], law.prediction[inside]
        if counts.sum() > 0:
            gap = np.abs(np.arange(counts.sum() + 1) - counts @ said)
            mean_error += sum_of(counts, said) @ gap / law.size
            deviation += np.sqrt(counts @ (said * (1 - said))) / law.size
    return mean_error, deviation


@states("thm-refinement: ECE", "2")
def refinement(law):
    """ECE of merged groups <= ECE of the groups."""
    coarse, fine = (gaps_in_sample(law, g) for g in (law.group, np.arange(law.mass.size)))
    return coarse[0] @ coarse[1], fine[0] @ fine[1]


@states("thm-refinement: MCE", "2")
def refinement_of_the_maximum(law):
    """MCE of merged groups <= MCE of the groups."""
    coarse, fine = (gaps_in_sample(law, g) for g in (law.group, np.arange(law.mass.size)))
    return coarse[1].max(), fine[1].max()


@states("prop-c4-jensen", "4")
def jensen(law):
    """ECE of groups <= ECE of all values, in the population."""
    mass, error = errors_by_group(law, law.prediction)
    return mass @ error, law.mass @ np.abs(law.prediction - law.truth)


@states("prop-c9-ties", "21")
def ties_by_label(law):
    """Error of a group with ties sorted by label <= epsilon + 2 K eta."""
    k = law.n_bins
    said, cell = np.unique(law.prediction, return_inverse=True)
    counts = np.bincount(cell, law.counts).astype(int) * k  # so that K divides n
    positives = np.bincount(cell, law.positives).astype(int) * k
    said, positives, counts = said[counts > 0], positives[counts > 0], counts[counts > 0]
    labels = np.concatenate([np.repeat([0, 1], [n - m, m]) for n, m in zip(counts, positives)])  # noqa: B905
    gaps = np.abs((labels - np.repeat(said, counts)).reshape(k, -1).mean(axis=1))
    return gaps.max(), np.abs(positives / counts - said).max() + 2 * k * counts.max() / labels.size


@states("thm-c3-clean", "3")
def hoeffding_for_fixed_bins(law):
    """P(a bin fixed in advance errs more than Hoeffding's bound) <= delta."""
    used = law.counts > 0
    counts, truths = law.counts[used], law.truth[used]
    bounds = bin_bounds(counts, law.alpha, strategy="uniform")
    missed = [_outside(n, binomial(n, p), p, e) for n, p, e in zip(counts, truths, bounds)]  # noqa: B905
    return any_of(missed), law.alpha


@states("prop-c3-given: Hoeffding", "3")
def hoeffding_given_the_scores(law):
    """The same given the scores, truths unequal within a bin."""
    bins = list(shares(law))
    bounds = bin_bounds([size for size, _, _ in bins], law.alpha, strategy="uniform")
    missed = [_outside(*bin_, e) for bin_, e in zip(bins, bounds, strict=True)]
    return any_of(missed), law.alpha


def _outside(n, chances, target, bound):
    """P(``|k/n - target| > bound``)."""
    return chances[np.abs(np.arange(n + 1) / n - target) > bound + 1e-12].sum()


@states("prop-c3-given: intervals", "3")
def clopper_pearson_given_the_scores(law):
    """P(Clopper and Pearson miss the mean truth of a bin) <= d."""
    if law.alpha > 0.5 or law.size > 150:
        return None
    bins = list(shares(law))
    counts = np.array([size for size, _, _ in bins])
    missed = np.zeros(counts.size)
    for m in range(counts.max() + 1):
        lower, upper = clopper_pearson_limits(counts, np.minimum(m, counts), law.alpha)
        for i, (size, chances, target) in enumerate(bins):
            outside = target < lower[i] - 1e-12 or target > upper[i] + 1e-12
            missed[i] += chances[m] if m <= size and outside else 0
    return any_of(missed), law.alpha


def _of_equal_counts(law, factor):
    """Quantile of the MCE of bins cut from the scores, over a bound for N/B points in each."""
    bound = factor * published_mce_bound(law.size, min(law.n_bins, law.size), law.alpha)
    if bound >= 1:
        return None
    worst = [np.abs(fitted.probabilities_ - truth).max() for fitted, _, truth in fits(law)]
    return quantile(np.array(worst) / bound, law.alpha), 1.0


@states("first edition: ties", "3", holds=False)
def first_edition(law):
    """False: P(MCE of bins cut from the scores > root of B log(2B/delta)/(2N)) <= delta."""
    return _of_equal_counts(law, 0.5)


@states("N14 Theorem 3.1: ties", "3", holds=False)
def first_published(law):
    """False: P(MCE of bins cut from the scores > root of 2 B log(2B/delta)/N) <= delta."""
    return _of_equal_counts(law, 1.0)


def _against_bin_bounds(law, **known):
    """Quantile of the largest ratio of an error of a bin and its bound, if that is below 1."""
    worst = []
    for fitted, _, truth in fits(law):
        bounds = bin_bounds(fitted.counts_, law.alpha, **known)
        ratios = np.abs(fitted.probabilities_ - truth) / bounds
        worst.append(np.where(bounds < 1, ratios, 0).max())
    return quantile(worst, law.alpha), 1.0


@states("thm-c3-any: all pairs of ranks", "3")
def any_distribution(law):
    """P(a bin cut from the scores errs more) <= delta."""
    return _against_bin_bounds(law)


@states("thm-c3-any: planned ranks", "3")
def any_distribution_planned(law):
    """The same, if the number of bins was chosen in advance."""
    return _against_bin_bounds(law, n_bins=law.n_bins) if law.size >= law.n_bins else None


@states("thm-c3-any: known values", "3")
def known_values(law):
    """The same, if the score has at most G values."""
    if law.spread.any():
        return None
    return _against_bin_bounds(law, n_values=law.mass.size)


def _cut_at_ranks(law, cuts):
    """Largest errors of bins between order statistics that are left out, over Hoeffding's bound."""
    places, labels, integral = ranks(law, law.size, 200)
    start, end = np.append(0, cuts), np.append(cuts - 1, law.size)
    edge = np.zeros((places.shape[0], 1))
    edges = np.concatenate([edge, places[:, cuts - 1], edge + 1], axis=1)
    truth = np.diff(integral(edges), axis=1) / np.diff(edges, axis=1)
    gaps = np.abs(means_of_ranks(labels, start, end) - truth)
    return gaps, end - start


@states("cor-c3-double", "3")
def cuts_at_scores(law):
    """P(a bin between left-out calibration scores errs more) <= delta."""
    n_bins, n = law.n_bins, law.size
    if n < 2 * n_bins:
        return None
    # cuts wherever the threshold moves them: the ranks need not be spaced evenly
    spacing = np.arange(1, n_bins) ** (0.5 + law.threshold) / n_bins ** (0.5 + law.threshold)
    cuts = np.round(spacing * (n + 1)).astype(int)
    if np.any(np.diff(np.concatenate([[0], cuts, [n + 1]])) < 2):
        return None
    gaps, counts = _cut_at_ranks(law, cuts)
    bounds = np.sqrt(np.log(2 * n_bins / law.alpha) / (2 * counts))
    ratios = np.where(bounds < 1, gaps / bounds, 0)
    return quantile(ratios.max(axis=1), law.alpha), 1.0


@states("thm-c32-dipping", "C4")
def without_splitting(law):
    """P(a bin that splits ties at random errs more) <= delta."""
    n_bins, n = law.n_bins, law.size
    if n < 2 * n_bins:
        return None
    gaps, _ = _cut_at_ranks(law, np.arange(1, n_bins) * (n + 1) // n_bins)
    bound = np.sqrt(np.log(2 * n_bins / law.alpha) / (2 * (n // n_bins - 1)))
    return (quantile(gaps.max(axis=1) / bound, law.alpha), 1.0) if bound < 1 else None


@states("prop-c32-nested", "C4")
def nested_in_chernoff(law):
    """Clopper and Pearson's lower limit lies inside Chernoff's interval.

    A side may fail with probability alpha/2: above 1/2 the limits would change places.
    """
    n, m = law.counts.max(), law.positives[law.counts.argmax()]
    if m == 0:
        return None
    lower = betaincinv(m, n - m + 1, law.alpha / 2)
    return n * divergence(m / n, lower), -np.log(law.alpha / 2)


@states("thm-c4-clean", "4")
def mean_of_fixed_bins(law):
    """Mean ECE of bins fixed in advance <= root of p (1 - p)/n_0."""
    used = law.counts > 0
    mass = law.mass[used] / law.mass[used].sum()
    truth, counts = law.truth[used], law.counts[used]
    base_rate = mass @ truth
    errors = mean_deviation(counts, truth)
    return mass @ errors, np.sqrt(base_rate * (1 - base_rate) / counts.min())


@states("thm-c4-random", "4")
def mean_of_random_counts(law):
    """The same with random counts <= root of p (1 - p) B/N, and 4B/(3N)."""
    n, p = law.size, law.base_rate
    possible, total = np.arange(1, n + 1), 0.0
    for mass, truth in zip(law.mass, law.truth, strict=True):
        chances = binomial(n, mass)
        empty = max(truth, 1 - truth)  # whatever an empty bin predicts
        total += mass * (chances[0] * empty + chances[1:] @ mean_deviation(possible, truth))
    bins = law.mass.size
    return total, np.sqrt(max(p * (1 - p), 0) * bins / n) + 4 * bins / (3 * n)


@states("thm-c4-halfway", "4")
def mean_of_equal_frequency(law):
    """Mean ECE of bins of equal frequency, continuous scores <= the bound."""
    bins = halfway_bins(law)
    if bins is None:
        return None
    mass, gaps = bins[0], np.abs(bins[1] - bins[2])
    n, n_bins = min(law.size, 100), law.n_bins
    bound = mean_ece_bound_continuous(n, n_bins, base_rate=law.base_rate)
    return mean((mass * gaps).sum(axis=1), 1), float(bound)


def halfway_bins(law, per_bin=1):
    """Masses, true frequencies and estimates of bins of equal frequency, in 1500 samples.

    The cuts lie between two scores, at the law's threshold.
    """
    n, n_bins = min(law.size, 100), law.n_bins
    if n < per_bin * n_bins or not 0 < law.base_rate < 1:
        return None
    places, labels, integral = ranks(law, n, 1500)
    ends = np.ceil(np.arange(n_bins + 1) * n / n_bins - 0.5).astype(int)
    inner = ends[1:-1]
    cuts = places[:, inner - 1] * law.threshold + places[:, inner] * (1 - law.threshold)
    edge = np.zeros((places.shape[0], 1))
    edges = np.concatenate([edge, cuts, edge + 1], axis=1)
    mass = np.diff(edges, axis=1)
    truth = np.diff(integral(edges), axis=1) / mass
    return mass, truth, means_of_ranks(labels, ends[:-1], ends[1:])


@states("prop-c4-given: mean", "4")
def mean_given_the_scores(law):
    """Mean error given the scores <= half the root of B/N."""
    bins = list(shares(law))
    value = sum(c @ np.abs(np.arange(n + 1) - n * t) for n, c, t in bins) / law.size
    return value, 0.5 * np.sqrt(len(bins) / law.size)


@states("prop-c4-given: tail", "4")
def tail_given_the_scores(law):
    """P(that error > its bound and root of log(1/d)/(2N)) <= d."""
    bins = list(shares(law))
    if np.prod([float(n + 1) for n, _, _ in bins]) > 1e5:
        return None
    error, chance = np.zeros(1), np.ones(1)
    for n, chances, target in bins:
        error = np.add.outer(error, np.abs(np.arange(n + 1) - n * target)).ravel()
        chance = np.multiply.outer(chance, chances).ravel()
    bound = 0.5 * np.sqrt(len(bins) / law.size) + np.sqrt(-np.log(law.alpha) / (2 * law.size))
    return chance[error / law.size > bound + 1e-12].sum(), law.alpha


@states("thm-c4-any", "4")
def ece_of_any_distribution(law):
    """P(ECE of bins cut from the scores > its bound) <= delta."""
    ratios = []
    for fitted, mass, truth in fits(law):
        error = mass @ np.abs(fitted.probabilities_ - truth)
        bound = ece_bound(fitted.counts_, law.alpha)
        ratios.append(error / bound if bound < 1 else 0.0)
    return quantile(ratios, law.alpha), 1.0


@states("lem-c4-wedge", "4")
def normal_in_a_wedge(law):
    """E[abs(Y); D1, D2 > 0] <= sin(pi p)/2 E abs(Y), for centred normal variables."""
    p, tilt = law.truth[0] / 2, law.threshold * np.pi / 2
    inside = 2 * np.pi * p * MIDPOINTS - law.prediction[0] * np.pi  # angles of (D1, D2)
    height = 2 * MIDPOINTS[:, None] - 1  # of a point of the sphere, which is uniform
    across = np.sqrt(1 - height**2) * np.cos(inside)
    size = np.abs(np.cos(tilt) * across + np.sin(tilt) * height).mean()
    mean_radius, mean_size = 2 * np.sqrt(2 / np.pi), np.sqrt(2 / np.pi)
    return p * mean_radius * size, np.sin(np.pi * p) / 2 * mean_size * (1 + RESOLVED)


@states("thm-c4-ties", "4")
def limit_with_ties(law):
    """Limit of root of N/B times the mean ECE, a tie in doubt at each cut <= k_B.

    2000 samples of a million points; the mean less five standard errors.
    """
    n, n_bins = 1_000_000, max(law.n_bins, 2)
    atoms = np.resize(law.prediction, n_bins - 1) / n_bins  # masses, each in doubt
    halves = np.concatenate([[0], atoms, [0]]) / 2
    mass = np.empty(2 * n_bins - 1)
    mass[1::2], mass[::2] = atoms, 1 / n_bins - halves[:-1] - halves[1:]
    mass = np.maximum(mass, 0)  # a rounding error below
    truth = np.resize(law.truth, mass.size)
    rng = np.random.default_rng(law.seed)
    counts = rng.multinomial(n, mass / mass.sum(), 2000)
    positives = rng.binomial(counts, truth)
    bins = (n_bins * (np.cumsum(counts, axis=1) - counts / 2) / n).astype(int)
    error = np.zeros(2000)
    for b in range(n_bins):
        inside = bins == b
        held = np.maximum((inside * counts).sum(axis=1), 1)
        said = (inside * positives).sum(axis=1) / held
        error += np.abs((inside * mass).sum(axis=1) * said - inside @ (mass * truth))
    surely = error.mean() - 5 * error.std() / np.sqrt(error.size)
    return np.sqrt(n / n_bins) * surely, 1.005 * ties_constant(n_bins)


@states("thm-c4-lower", "4")
def minimax_mean_error(law):
    """One tenth of the root of B/N <= worst mean error of a method.

    The method: a fraction shrunk towards 1/2, an empty bin 1/2; the truths: a grid.
    """
    n, n_bins = law.size, law.n_bins
    if n < n_bins or n > 300:
        return None
    prior, truths, risk = 3 * law.threshold, np.linspace(0, 1, 41), np.zeros(41)
    for size, chance in enumerate(binomial(n, 1 / n_bins)):
        if chance > 1e-9:
            said = (np.arange(size + 1) + prior) / (size + 2 * prior)
            tables = np.stack([binomial(size, t) for t in truths])
            risk += chance * (tables * np.abs(said - truths[:, None])).sum(axis=1)
    return 0.1 * np.sqrt(n_bins / n), risk.max()


def _two_truths(law):
    """Half the distance of the truths, chances of the counts, and what a method says at each."""
    n = int(min(law.counts.max(), 60))
    h = min(law.threshold / np.sqrt(n), 0.5)
    above, below = binomial(n, 0.5 + h), binomial(n, 0.5 - h)
    knots = np.linspace(0, n, law.prediction.size)
    said = 0.5 + h * (2 * np.interp(np.arange(n + 1), knots, np.sort(law.prediction)) - 1)
    return h, above, below, said


@states("thm-c32-lower: mean", "C4")
def two_points_mean(law):
    """The distance h (1 - TV) <= worst mean error of a method."""
    h, above, below, said = _two_truths(law)
    worst = max(above @ np.abs(said - 0.5 - h), below @ np.abs(said - 0.5 + h))
    return h * (1 - np.abs(above - below).sum() / 2), worst


@states("thm-c32-lower: maximum", "C4")
def two_points_maximum(law):
    """1 - ((1 + TV)/2)^B <= worst P(some bin errs by h)."""
    h, above, below, said = _two_truths(law)
    far = [np.abs(said - 0.5 - t) >= h - 1e-12 for t in (h, -h)]
    worst = max(above @ far[0], below @ far[1])
    distance = np.abs(above - below).sum() / 2
    return 1 - ((1 + distance) / 2) ** law.n_bins, 1 - (1 - worst) ** law.n_bins


@states("thm-honest-band", "C1")
def honest_band(law):
    """P(the band misses an increasing truth somewhere) <= alpha."""
    counts, truth = np.minimum(law.counts[:3], 12), np.sort(law.truth[:3])
    truth, counts = truth[counts > 0], counts[counts > 0]
    k = counts.size
    if k == 0:
        return None
    tail = law.alpha / (k * (k + 1))
    numbers = np.indices(counts + 1).reshape(k, -1)
    missed = np.zeros(numbers.shape[1], bool)
    for j in range(k):
        for i in range(j, k):
            n, m = counts[j : i + 1].sum(), numbers[j : i + 1].sum(axis=0)
            missed |= (m > 0) & (bdtrc(m - 1, n, truth[i]) < tail)  # lower limit above the truth
            missed |= (m < n) & (bdtr(m, n, truth[j]) < tail)
    chances = np.ones(1)
    for n, p in zip(counts, truth, strict=True):
        chances = np.multiply.outer(chances, binomial(n, p)).ravel()
    return chances[missed].sum(), law.alpha
