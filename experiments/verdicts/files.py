"""A file of scores with all that is true of it, and how such files are drawn from a known law."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit, logit
from scipy.stats import beta, norm

N_FRESH = 20_000  # equally likely points of the law under which predictions are judged
_EVEN = (np.arange(N_FRESH) + 0.5) / N_FRESH
_LEAST = 1e-9  # probabilities of the laws keep away from 0 and 1 by so much, but for atoms there


class Fresh(NamedTuple):
    """The law of the rows that come after the file: points, and the probability of a positive.

    Attributes
    ----------
    scores, truth : ndarray of shape (n,)
    groups : ndarray of shape (n,) or None
    weights : ndarray of shape (n,) or None
        Shares of the points, up to a factor; None if all are equal.
    """

    scores: np.ndarray
    truth: np.ndarray
    groups: np.ndarray | None = None
    weights: np.ndarray | None = None


class File(NamedTuple):
    """What a user hands in, and below what only we know.

    Attributes
    ----------
    scores, labels : ndarray of shape (n,)
    weights, groups, clusters : ndarray of shape (n,) or None
    features : ndarray of shape (n, k) or None
        Of the rows of a trained model.
    weight_kind : {"", "counts", "sampling"}
    fresh : Fresh
    chance : ndarray of shape (n,)
        Probability that the row is a positive: of its score, or of its score and part.
    parts : ndarray of shape (n,) or None
        In each of which the error may be another one: the groups, or times of a drift.
    repeats : float
        Rows that say no more than one would.
    """

    scores: np.ndarray
    labels: np.ndarray
    fresh: Fresh
    chance: np.ndarray
    weights: np.ndarray | None = None
    groups: np.ndarray | None = None
    clusters: np.ndarray | None = None
    features: np.ndarray | None = None
    weight_kind: str = ""
    parts: np.ndarray | None = None
    repeats: float = 1.0


def _atoms(values, shares):
    """Quantile function of a law on few values."""
    ends = np.cumsum(shares) / np.sum(shares)
    return lambda u: np.asarray(values, float)[np.searchsorted(ends[:-1], u, side="right")]


def _of_trees(u):
    """Sixty votes for a probability that is often near 0 or 1: exact zeros and ones."""
    return np.rint(60 * beta(0.3, 0.4).ppf(u)) / 60


def _beta(a, b):
    return lambda u: np.clip(beta(a, b).ppf(u), _LEAST, 1 - _LEAST)


QUANTILES: dict[str, Callable[[Any], Any]] = {  # of the scores
    "uniform": lambda u: np.asarray(u),
    "U-shaped": _beta(0.5, 0.5),
    "bell": _beta(5, 5),
    "skewed": _beta(1, 4),
    "leaning": _beta(1, 2.5),
    "normal logits": lambda u: expit(1.5 * norm.ppf(u)),
    "5 %": _beta(0.5, 9.5),
    "1 %": _beta(0.5, 49.5),
    "1:1000": lambda u: expit(norm.ppf(u) - 7.41),
    "nearly certain": _beta(0.03, 0.03),
    "20 values": _atoms((np.arange(20) + 0.5) / 20, np.ones(20)),
    "5 classes": _atoms([0.02, 0.08, 0.2, 0.45, 0.8], [30, 30, 20, 15, 5]),
    "2 digits": lambda u: np.round(beta(1, 2).ppf(u), 2),
    "votes": _of_trees,
}


def on_logits(slope=1.0, shift=0.0):
    """True probability by score: a line of the log-odds."""

    def truth(p):
        with np.errstate(divide="ignore"):
            return expit(slope * logit(p) + shift)

    return truth


def calibrated(p):
    """The truth is the score."""
    return p


def outcomes(rng, chance):
    """Independent outcomes."""
    return (rng.random(chance.size) < chance).astype(np.int64)


def simple(law, truth=calibrated):
    """Independent rows: a function from generator and number of rows to a `File`."""
    quantile = QUANTILES[law]

    def draw(rng, n):
        scores = quantile(rng.random(n))
        grid = quantile(_EVEN)
        chance = truth(scores)
        return File(scores, outcomes(rng, chance), Fresh(grid, truth(grid)), chance)

    return draw


def grouped(law, shares, truths):
    """Rows of groups, each with its share and its truth."""
    quantile = QUANTILES[law]
    shares = np.asarray(shares, float) / np.sum(shares)

    def by_group(scores, groups):
        found = np.empty(scores.size)
        for group, truth in enumerate(truths):
            found[groups == group] = truth(scores[groups == group])
        return found

    def draw(rng, n):
        scores, groups = quantile(rng.random(n)), rng.choice(shares.size, n, p=shares)
        size = N_FRESH // 10 if shares.size > 10 else N_FRESH
        points = (np.arange(size) + 0.5) / size
        grid = np.tile(quantile(points), shares.size)
        there = np.repeat(np.arange(shares.size), size)
        fresh = Fresh(grid, by_group(grid, there), _named(there), np.repeat(shares, size))
        chance, names = by_group(scores, groups), _named(groups)
        return File(scores, outcomes(rng, chance), fresh, chance, groups=names, parts=names)

    return draw


def _named(groups):
    return np.char.add("g", groups.astype(str))


def copied(law, copies, truth=calibrated, share=1.0):
    """A part of the rows stands in the file several times."""

    def draw(rng, n):
        once = simple(law, truth)(rng, round(n / (1 + share * (copies - 1))))
        repeats = np.where(rng.random(once.scores.size) < share, copies, 1)
        rows = rng.permutation(np.repeat(np.arange(once.scores.size), repeats))
        return once._replace(
            scores=once.scores[rows],
            labels=once.labels[rows],
            chance=once.chance[rows],
            repeats=float(np.sum(repeats**2) / np.sum(repeats)),
        )

    return draw


def clustered(law, size, truth=calibrated, dependence=0.5):
    """Clusters of rows with scores of one kind and outcomes that go together."""
    quantile = QUANTILES[law]

    def draw(rng, n):
        clusters = np.repeat(np.arange(n // size), size)

        def shared():
            each = np.repeat(rng.standard_normal(n // size), size)
            alone = rng.standard_normal(clusters.size)
            return norm.cdf(np.sqrt(dependence) * each + np.sqrt(1 - dependence) * alone)

        scores, grid = quantile(shared()), quantile(_EVEN)
        chance = truth(scores)
        labels = (shared() < chance).astype(np.int64)
        fresh = Fresh(grid, truth(grid))
        return File(scores, labels, fresh, chance, clusters=clusters, repeats=float(size))

    return draw


def drifting(law, before, after, share=0.5):
    """The truth changes after a share of the rows; what comes is as the latter."""
    quantile = QUANTILES[law]

    def draw(rng, n):
        scores, late = quantile(rng.random(n)), np.arange(n) >= share * n
        chance = np.where(late, after(scores), before(scores))
        grid = quantile(_EVEN)
        return File(scores, outcomes(rng, chance), Fresh(grid, after(grid)), chance, parts=late)

    return draw


def counted(law, truth=calibrated):
    """Independent rows, those that are equal written once with their number."""

    def draw(rng, n):
        rows = simple(law, truth)(rng, n)
        both = np.column_stack([rows.scores, rows.labels])
        distinct, first, counts = np.unique(both, axis=0, return_index=True, return_counts=True)
        return rows._replace(
            scores=distinct[:, 0],
            labels=distinct[:, 1].astype(np.int64),
            chance=rows.chance[first],
            weights=counts.astype(float),
            weight_kind="counts",
        )

    return draw


def sampled(law, keeps, truth=calibrated, by="score"):
    """Rows of a population that stay with a known probability, and weigh its inverse.

    The probability depends on the score, on a coin that has to do with nothing (a region, say), or
    on the outcome, as in a study of cases and controls; `keeps` are its two values.
    """
    quantile = QUANTILES[law]
    few, all_ = keeps

    def draw(rng, n):
        size = round(2 * n / (few + all_))
        scores = quantile(rng.random(size))
        labels = outcomes(rng, truth(scores))
        often = {
            "score": scores > quantile(0.5),
            "coin": rng.random(size) < 0.5,
            "outcome": labels == 1,
        }[by]
        keep = np.where(often, all_, few)
        stays = rng.random(size) < keep
        scores, grid = scores[stays], quantile(_EVEN)
        return File(
            scores,
            labels[stays],
            Fresh(grid, truth(grid)),
            truth(scores),
            weights=1 / keep[stays],
            weight_kind="sampling",
        )

    return draw


def written_as(draw, transform):
    """The scores in another form, which is no probability."""

    def other(rng, n):
        file = draw(rng, n)
        fresh = file.fresh._replace(scores=transform(file.fresh.scores))
        return file._replace(scores=transform(file.scores), fresh=fresh)

    return other
