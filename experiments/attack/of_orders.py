"""Statements about order: AUC, ROC and isotonic regression (chapters 5, 6, 15, 16, C2 and C3)."""

import numpy as np
from scipy.special import xlog1py, xlogy

from calibkit.theory import DiscreteLaw, auc_loss_bound
from experiments.attack.chances import binomial
from experiments.attack.of_bins import halfway_bins
from experiments.attack.samples import fits, mean, quantile
from experiments.attack.statement import states
from experiments.bounds import mean_auc_loss_bound_continuous


def auc(scores, positive, negative):
    """AUC of scores with masses of positives and negatives; ties count one half."""
    order = np.sign(np.subtract.outer(scores, scores)) / 2 + 0.5
    return positive @ order @ negative / (positive.sum() * negative.sum())


def _variance(law):
    """P(z = 1) P(z = 0), if both classes occur often enough to compute with."""
    variance = law.base_rate * (1 - law.base_rate)
    return variance if variance > 1e-7 else None  # below, differences from 1 are rounding


def _bins(law):
    """Masses and true frequencies of the groups, their estimates and the errors of these."""
    mass = np.bincount(law.group, law.mass)
    truth = np.bincount(law.group, law.mass * law.truth)
    said = np.bincount(law.group, law.mass * law.prediction)
    mass, truth, said = (part[mass > 0] for part in (mass, truth, said))
    return mass, truth / mass, said / mass


def _between(mass, truth, said, variance):
    """AUC lost between bins."""
    wrong = np.sign(np.subtract.outer(said, said)) / -2 + 0.5
    pairs = np.multiply.outer(mass, mass) * np.subtract.outer(truth, truth) * wrong
    return np.tril(pairs, -1).sum() / variance


@states("thm-c5-link: mean", "5")
def link_with_the_mean(law):
    """AUC lost between bins <= expected error / Var z."""
    variance = _variance(law)
    if variance is None:
        return None
    mass, truth, said = _bins(law)
    return _between(mass, truth, said, variance), mass @ np.abs(said - truth) / variance


@states("thm-c5-link: maximum", "5")
def link_with_the_maximum(law):
    """AUC lost between bins <= largest error / (2 Var z)."""
    variance = _variance(law)
    if variance is None:
        return None
    mass, truth, said = _bins(law)
    return _between(mass, truth, said, variance), np.abs(said - truth).max() / (2 * variance)


@states("thm-c5-between", "5")
def mean_between(law):
    """Mean AUC lost between bins <= a quarter of the root of 2/(n_0 Var z)."""
    variance, used = _variance(law), law.counts > 0
    if variance is None or not used.all():
        return None
    lost = 0.0
    for i in range(law.mass.size):
        for j in range(i):
            gap = law.truth[i] - law.truth[j]
            lost += law.mass[i] * law.mass[j] * gap * _wrong_order(law, i, j)
    return lost / variance, 0.25 * np.sqrt(2 / (law.counts.min() * variance))


def _wrong_order(law, i, j):
    """P(estimate of cell i < that of cell j) + half of P(equal)."""
    shares = [np.arange(law.counts[k] + 1) / law.counts[k] for k in (i, j)]
    chances = [binomial(law.counts[k], law.truth[k]) for k in (i, j)]
    wrong = 0.5 - np.sign(np.subtract.outer(*shares)) / 2
    return chances[0] @ wrong @ chances[1]


def _within(law):
    """AUC lost inside the bins: that of the score there, less one half, times the pairs."""
    positive, negative = law.mass * law.truth, law.mass * (1 - law.truth)
    same = np.equal.outer(law.group, law.group)
    order = np.sign(np.subtract.outer(law.mass.cumsum(), law.mass.cumsum())) / 2
    return positive @ (order * same) @ negative


@states("thm-c5-within: exact masses", "5")
def within(law):
    """AUC lost within bins <= sum of eta^2 theta(1-theta)/2V."""
    variance = _variance(law)
    if variance is None:
        return None
    mass, truth, _ = _bins(law)
    return _within(law) / variance, (mass**2 * truth * (1 - truth)).sum() / (2 * variance)


@states("thm-c5-within: largest mass", "5")
def within_by_the_largest(law):
    """AUC lost within bins <= half the largest mass."""
    variance = _variance(law)
    return None if variance is None else (_within(law) / variance, _bins(law)[0].max() / 2)


@states("prop-c5-variation", "5")
def within_by_variation(law):
    """AUC lost within bins <= variation of pi, largest mass^2 / (8 Var z)."""
    variance = _variance(law)
    if variance is None:
        return None
    variation = np.abs(np.diff(law.truth)).sum()
    return _within(law) / variance, variation * _bins(law)[0].max() ** 2 / (8 * variance)


@states("thm-c5-mean", "5")
def mean_of_equal_frequency(law):
    """Mean AUC lost by bins of equal frequency, continuous scores <= the bound."""
    bins = halfway_bins(law, per_bin=2)
    if bins is None or _variance(law) is None:
        return None
    mass, truth, said = bins
    order = np.sign(said[:, :, None] - said[:, None, :]) / 2 + 0.5
    kept = np.einsum("di,dij,dj->d", mass * truth, order, mass * (1 - truth))
    positive, negative = law.mass * law.truth, law.mass * (1 - law.truth)
    lost = auc(np.arange(law.mass.size), positive, negative) - kept / _variance(law)
    bound = mean_auc_loss_bound_continuous(min(law.size, 100), law.n_bins, base_rate=law.base_rate)
    return mean(lost, 2), float(bound)


@states("thm-c5-high", "5")
def loss_of_any_distribution(law):
    """P(AUC lost by bins cut from the scores > its bound) <= delta."""
    if _variance(law) is None:
        return None
    positive, negative = law.mass * law.truth, law.mass * (1 - law.truth)
    before, ratios = auc(np.arange(law.mass.size), positive, negative), []
    for fitted, mass, truth in fits(law, draws=100):
        after = auc(fitted.probabilities_, mass * truth, mass * (1 - truth))
        bound = auc_loss_bound(fitted.counts_, law.alpha, base_rate=law.base_rate)
        ratios.append((before - after) / bound)
    return quantile(ratios, law.alpha), 1.0


# Isotonic regression


def isotonic(positives, counts):
    """Isotonic regression of fractions, weighted by counts: largest of the smallest means."""
    sums, sizes = (np.concatenate([[0], np.cumsum(part)]) for part in (positives, counts))
    with np.errstate(invalid="ignore", divide="ignore"):
        means = np.subtract.outer(sums, sums).T / np.subtract.outer(sizes, sizes).T
    k = counts.size  # means[j, i + 1] is that of cells j to i
    return np.array([means[: i + 1, i + 1 :].min(axis=1).max() for i in range(k)])


def _sample(law):
    """Positives and counts of the cells that have points."""
    used = law.counts > 0
    return law.positives[used], law.counts[used], used


@states("thm-c6-auc", "6")
def isotonic_keeps_the_order(law):
    """AUC of the score <= AUC of its isotonic regression, on the sample."""
    positives, counts, _ = _sample(law)
    negatives = counts - positives
    if not positives.any() or not negatives.any():
        return None
    fitted = isotonic(positives, counts).round(12)
    return auc(np.arange(counts.size), positives, negatives), auc(fitted, positives, negatives)


def total_log_loss(positives, counts, said):
    """Log loss, summed over the sample."""
    return float(-(xlogy(positives, said) + xlog1py(counts - positives, -said)).sum())


@states("thm-c6-likelihood", "6")
def isotonic_has_the_largest_likelihood(law):
    """Log loss of isotonic regression <= that of an increasing function."""
    positives, counts, used = _sample(law)
    best = total_log_loss(positives, counts, isotonic(positives, counts))
    return best, total_log_loss(positives, counts, np.sort(law.prediction[used]))


@states("thm-isotonic-wins", "C2")
def isotonic_wins(law):
    """Elementary score of isotonic regression <= that of an increasing map."""
    positives, counts, used = _sample(law)
    scores = [
        elementary_score(positives, counts - positives, said, law.threshold)
        for said in (isotonic(positives, counts), np.sort(law.prediction[used]))
    ]
    return scores[0], scores[1]


def elementary_score(positive, negative, said, threshold):
    """Cost of acting above the threshold, summed over masses of positives and negatives."""
    acts = said > threshold
    return threshold * negative[acts].sum() + (1 - threshold) * positive[~acts].sum()


@states("thm-c6-smoothed: ends", "6")
def smoothed_ends(law):
    """The floor tau <= smallest value with smoothed ends."""
    positives, counts, _ = _sample(law)
    weight = 3 * law.threshold
    return weight / (counts.sum() + 2 * weight), _smoothed(positives, counts, weight).min()


@states("thm-c6-smoothed: cost", "6")
def smoothed_cost(law):
    """Likelihood lost by smoothed ends <= 2 eps (1 + log(1/tau))."""
    positives, counts, _ = _sample(law)
    weight = 3 * law.threshold
    smoothed = total_log_loss(positives, counts, _smoothed(positives, counts, weight))
    lost = smoothed - total_log_loss(positives, counts, isotonic(positives, counts))
    return lost, 2 * weight * (1 + np.log((counts.sum() + 2 * weight) / weight))


def _smoothed(positives, counts, weight):
    """Isotonic regression with a positive at the lowest score and a negative at the highest."""
    ends = weight * np.eye(counts.size)[[0, -1]]
    return isotonic(positives + ends[0], counts + ends.sum(axis=0))


@states("thm-c31-bias", "C3")
def bias_of_miscalibration(law):
    """Mean MCB of a calibrated forecaster <= sum of s (1 - s) / n."""
    said, counts = np.unique(law.prediction[:3]), np.clip(law.counts, 1, 5)
    counts = counts[: said.size]
    numbers, total = np.indices(counts + 1).reshape(said.size, -1).T, 0.0
    chances = [binomial(n, p) for n, p in zip(counts, said, strict=True)]
    for positives in numbers:
        chance = np.prod([c[m] for c, m in zip(chances, positives, strict=True)])
        if chance > 1e-12:
            fitted = isotonic(positives, counts)
            change = (said - fitted) * (counts * (said + fitted) - 2 * positives)
            total += chance * change.sum()
    return total / counts.sum(), (said * (1 - said)).sum() / counts.sum()


@states("prop-c30-knowledge", "C2")
def knowledge(law):
    """Elementary score of a finer calibrated forecast <= of a coarser one."""
    positive, negative = law.mass * law.truth, law.mass * (1 - law.truth)
    mass = np.bincount(law.group, law.mass)
    coarse = (np.bincount(law.group, positive) / np.where(mass > 0, mass, 1))[law.group]
    fine = elementary_score(positive, negative, law.truth, law.threshold)
    return fine, elementary_score(positive, negative, coarse, law.threshold)


# The best order


def _discrete(law):
    """The law with the cells as levels and one part, and the best transformation."""
    positive, negative = law.mass * law.truth, law.mass * (1 - law.truth)
    if not positive.any() or not negative.any():
        return None, None
    exact = DiscreteLaw(positive[:, None], negative[:, None], positive.sum() / law.mass.sum())
    return exact, exact.posterior


def _said_and_best(law, measure):
    """A measure of any transformation, and of the calibrated one."""
    exact, best = _discrete(law)
    if exact is None:
        return None
    return measure(exact, law.prediction[:, None]), measure(exact, best)


@states("thm-c22-auc", "15")
def best_auc(law):
    """AUC of any transformation <= AUC of the calibrated one."""
    return _said_and_best(law, DiscreteLaw.auc)


@states("thm-c23-roc", "16")
def best_roc(law):
    """True positive rate of any rule <= that of the calibrated rule."""
    exact, best = _discrete(law)
    if exact is None:
        return None
    fpr, tpr = exact.roc(best)
    rule = law.prediction  # the chance of saying "positive" in a cell
    return rule @ exact.positive[:, 0], np.interp(rule @ exact.negative[:, 0], *_steps(fpr, tpr))


def _steps(fpr, tpr):
    """The curve as a function: at a jump its upper end."""
    last = np.append(np.diff(fpr) > 0, True)
    return fpr[last], tpr[last]


@states("thm-c23-pr", "16")
def best_precision(law):
    """PR-AUC of any transformation <= PR-AUC of the calibrated one."""
    return _said_and_best(law, DiscreteLaw.pr_auc)


@states("thm-c23-log-loss", "16")
def best_log_loss(law):
    """Log loss of the calibrated probability <= of any transformation."""
    found = _said_and_best(law, DiscreteLaw.log_loss)
    return None if found is None else found[::-1]


@states("cor-c22-finer", "15")
def finer_cells(law):
    """Best AUC of coarser cells <= best AUC of finer ones."""
    exact, best = _discrete(law)
    if exact is None:
        return None
    mass = np.bincount(law.group, law.mass)
    coarse = np.bincount(law.group, law.mass * law.truth) / np.where(mass > 0, mass, 1)
    return exact.auc(coarse[law.group][:, None].round(12)), exact.auc(best.round(12))
