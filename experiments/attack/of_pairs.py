"""Statements about the two probabilities of Venn-Abers (chapters 12 to 14, 24 and C10)."""

from functools import cache
from itertools import combinations_with_replacement
from math import factorial, prod

import numpy as np

from calib import VennAbers
from experiments.attack.chances import divergence
from experiments.attack.of_orders import isotonic
from experiments.attack.statement import states

MOST_POINTS = 4  # of the samples that are enumerated


def venn_abers(positives, counts, place):
    """p0 and p1 at cell `place`: isotonic regression with the new point among the others."""
    pair = []
    for label in (0, 1):
        new = np.arange(counts.size) == place
        used = (counts + new) > 0
        fitted = isotonic((positives + label * new)[used], (counts + new)[used])
        pair.append(fitted[used[:place].sum()])
    return pair


def _pair(law):
    """The pair of calib at the cell that the threshold names, from the rows of the sample."""
    cells = np.repeat(np.arange(law.counts.size), law.counts)
    positives = [np.repeat([1, 0], [m, n - m]) for m, n in zip(law.positives, law.counts)]  # noqa: B905
    labels = np.concatenate(positives)
    if np.ptp(labels) == 0:
        return None
    place = law.threshold * (law.counts.size + 1) - 0.5  # in a cell, or between two
    place = np.round(2 * place) / 2
    low, high = VennAbers().fit(cells, labels).predict_interval([place])
    return float(low[0]), float(high[0])


@states("cor-c19-pair: width", "13")
def width(law):
    """1/(N + 1) <= p1 - p0."""
    pair = _pair(law)
    return pair and (1 / (law.size + 1), pair[1] - pair[0])


@states("cor-c19-pair: isotonic", "13")
def isotonic_in_between(law):
    """The lower probability p0 <= isotonic regression at a calibration score."""
    used = law.counts > 0
    positives, counts = law.positives[used], law.counts[used]
    place = int(law.threshold * counts.size)
    return venn_abers(positives, counts, place)[0], isotonic(positives, counts)[place]


@states("prop-c21-bound", "24")
def largest_loss(law):
    """1/(N + 2) <= probability merged for log loss."""
    pair = _pair(law)
    return pair and (1 / (law.size + 2), pair[1] / (1 - pair[0] + pair[1]))


def _some_pair(law):
    """Any pair with p0 <= p1, p0 < 1 and p1 > 0."""
    low, high = law.truth.min(), law.truth.max()
    return (low, high) if low < 1 and high > 0 else None


@states("prop-c19-merge: log", "13")
def merge_for_log_loss(law):
    """Minimax regret log(1 + width) <= largest regret of another p."""
    pair = _some_pair(law)
    return pair and (np.log1p(pair[1] - pair[0]), _regret(pair, law.threshold, log=True))


@states("prop-c19-merge: square", "13")
def merge_for_square_loss(law):
    """The same for square loss."""
    pair = _some_pair(law)
    if pair is None:
        return None
    width, middle = pair[1] - pair[0], (pair[0] + pair[1]) / 2
    value = width * (2 - width) * middle * (1 - middle)
    return value, _regret(pair, law.threshold, log=False)


def _regret(pair, said, log):
    """The larger regret of `said`, against p0 if the label is 0 and p1 if it is 1."""
    low, high = pair
    if log:
        return max(np.log((1 - low) / (1 - said)), np.log(high / said))
    return max(said**2 - low**2, (1 - said) ** 2 - (1 - high) ** 2)


@states("prop-c20-cvap", "14")
def cross_merge(law):
    """Largest mean regret of the cross merge <= that of another p."""
    low, high = np.minimum(law.truth, law.prediction), np.maximum(law.truth, law.prediction)
    if np.any(low >= 1) or np.any(high <= 0):
        return None
    means = np.exp(np.log(high).mean()), np.exp(np.log1p(-low).mean())
    merged = means[0] / (means[0] + means[1])
    value, bound = (
        max(np.log(means[0] / p), np.log(means[1] / (1 - p))) for p in (merged, law.threshold)
    )
    return value, bound


@states("prop-c21-ratio", "24")
def log_loss_and_brier(law):
    """4 log 2 times Brier score <= log loss, if calibrated."""
    said = law.truth
    brier = law.mass @ (said * (1 - said))
    return 4 * np.log(2) * brier, law.mass @ (np.log(2) - divergence(said, 0.5))


# All samples of a few points


@cache
def _bags(k, n):
    """Bags of n observations of k cells with labels, and how many sequences each has."""
    bags = [np.bincount(b, minlength=2 * k) for b in combinations_with_replacement(range(2 * k), n)]
    ways = [factorial(n) / prod(map(factorial, bag.tolist())) for bag in bags]
    return bags, ways


@cache
def _pairs_of_bags(k, n):
    """p0 and p1 at each cell after each bag."""
    bags, _ = _bags(k, n)
    return np.array([[venn_abers(b[k:], b[:k] + b[k:], i) for i in range(k)] for b in bags])


def joint(law):
    """The joint law of p0, p1 and z in samples of a few points: arrays and chances."""
    k = min(law.mass.size, 3)
    n = int(np.clip(law.size, 1, MOST_POINTS))
    mass, truth = law.mass[:k] / law.mass[:k].sum(), law.truth[:k]
    cells = np.concatenate([mass * (1 - truth), mass * truth])
    bags, ways = _bags(k, n)
    chances = np.array([w * np.prod(cells**bag) for bag, w in zip(bags, ways, strict=True)])
    pairs = _pairs_of_bags(k, n).reshape(-1, 2)
    p0, p1 = pairs.T
    positive = np.multiply.outer(chances, cells[k:]).ravel()
    negative = np.multiply.outer(chances, cells[:k]).ravel()
    return p0, p1, positive, negative


@states("cor-c18-large: below", "12")
def unbiased_below(law):
    """E p0 <= P(z = 1)."""
    p0, _, positive, negative = joint(law)
    return p0 @ (positive + negative), positive.sum()


@states("cor-c18-large: above", "12")
def unbiased_above(law):
    """P(z = 1) <= E p1."""
    _, p1, positive, negative = joint(law)
    return positive.sum(), p1 @ (positive + negative)


@states("thm-c38-unanimous: act", "C10")
def unanimous_for(law):
    """The share t of P(both say act) <= positives there, and (1 - t) of divided."""
    p0, p1, positive, negative = joint(law)
    t = law.threshold
    act, divided = p0 >= t, (p0 < t) & (t <= p1)
    bound = positive[act].sum() + (1 - t) * positive[divided].sum()
    return t * (positive + negative)[act].sum(), bound


@states("thm-c38-unanimous: wait", "C10")
def unanimous_against(law):
    """Positives where neither acts <= share t of P(there), and t of divided."""
    p0, p1, positive, negative = joint(law)
    t = law.threshold
    wait, divided = p1 < t, (p0 < t) & (t <= p1)
    bound = t * (positive + negative)[wait].sum() + t * negative[divided].sum()
    return positive[wait].sum(), bound


@states("thm-c38-ends", "C10")
def regret_of_the_midpoint(law):
    """Smaller of the largest regrets of two actions <= half of w (p1 - p0)."""
    low, high = law.truth.min(), law.truth.max()
    gains = np.array([low, high]) - law.threshold  # of the first action over the second, w = 1
    worst = max(-gains.min(), 0), max(gains.max(), 0)
    return min(worst), (high - low) / 2
