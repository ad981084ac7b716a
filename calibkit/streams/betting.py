"""Bets against predictions: learners that began at different times, and what each has won."""

import numpy as np
from scipy.special import expit, log_expit, logit

LEARNER_PRIOR_PRECISION = 4.0
MAX_LEARNER_STEPS = 50
RANGES = (0.02, 0.1, 0.3, 0.7, 0.9, 0.98)  # where the ranges of predictions meet
CUTS = logit(np.array(RANGES))
LEARNED = ("log_capitals", "means", "precisions")
FINENESS = 64  # cells of a grid in a unit of the logit


def line(logits):
    """Design of an error that is linear in the logit: a bias and a slope."""
    return np.stack([np.ones(logits.size), logits], axis=1)


def ranges(logits):
    """Design of an error that is constant in each range of predictions."""
    return (np.searchsorted(CUTS, logits)[:, None] == np.arange(CUTS.size + 1)).astype(float)


DESIGNS = {"line": line, "ranges": ranges}


def cells(labels, logits, weights):
    """Positives, mean logit and rows of each cell of a fine grid, enough to learn from.

    What a learner bets need only be fixed before the outcome, so rounding costs no guarantee, and
    a batch of any size has a few hundred cells.
    """
    numbers, codes = np.unique(np.floor(logits * FINENESS), return_inverse=True)
    columns = (weights, weights * labels, weights * logits)
    sums = np.array([np.bincount(codes, column, numbers.size) for column in columns])
    rows, positives, logits = sums[:, sums[0] > 0]
    return positives, logits / rows, rows


def spread(starts):
    """Those of the batches `starts` that are kept: two of each power of two, so a few at any age.

    ``starts`` are whole numbers from 1, ascending; of the batches 1 + k 2**level, level = 0, 1,
    ..., the last two stay. Of the batches since any change, one that began after it has seen more
    than a third.
    """
    kept, step = set(), 1
    while True:
        level = [start for start in starts if (start - 1) % step == 0]
        kept.update(level[-2:])
        if len(level) <= 2:
            return sorted(kept)
        step *= 2


class Learners:
    """Bet on outcomes by Bayesian logistic regression on the logits, each from a batch of its own.

    Parameters
    ----------
    design : str
        What the error may look like: one of `DESIGNS`.

    Attributes
    ----------
    starts : list of int
        The batch, from 1, that each learned first; ascending.
    log_capitals : ndarray of shape (learners,)
    means, precisions : ndarray of shape (learners, columns) and (learners, columns, columns)
        Their normal distributions.
    """

    def __init__(self, design):
        self.design, self.starts = design, []
        self.size = DESIGNS[design](np.zeros(1)).shape[1]
        self.log_capitals, self.means = np.empty(0), np.empty((0, self.size))
        self.precisions = np.empty((0, self.size, self.size))

    def begin(self, start, log_capital):
        """One more learner."""
        self.starts.append(start)
        self.log_capitals = np.append(self.log_capitals, log_capital)
        self.means = np.concatenate([self.means, np.zeros((1, self.size))])
        prior = LEARNER_PRIOR_PRECISION * np.eye(self.size)
        self.precisions = np.concatenate([self.precisions, prior[None]])

    def bet(self, side, logits, weights):
        """Stake all capitals on outcomes, +1 or -1, by what was learned so far."""
        design, known = DESIGNS[self.design](logits), weights @ log_expit(side * logits)
        for k, mean in enumerate(self.means):
            likely = weights @ log_expit(side * (logits + design @ mean)) if mean.any() else known
            self.log_capitals[k] += likely - known

    def learn(self, positives, logits, rows):
        """Laplace's approximation from `cells`, with what is known so far as the prior."""
        design, prior = DESIGNS[self.design](logits), self.precisions

        def losses(means):
            apart, margins = means - self.means, logits + means @ design.T
            fits = log_expit(margins) @ positives + log_expit(-margins) @ (rows - positives)
            return np.einsum("li,lij,lj->l", apart, prior, apart) / 2 - fits

        means, reached = self.means, losses(self.means)
        for _ in range(MAX_LEARNER_STEPS):
            probabilities = expit(logits + means @ design.T)
            gradients = np.einsum("lij,lj->li", prior, means - self.means)
            gradients -= (positives - rows * probabilities) @ design
            curvatures = rows * probabilities * (1 - probabilities)
            precisions = prior + (design.T[None] * curvatures[:, None, :]) @ design
            steps = np.linalg.solve(precisions, gradients[:, :, None])[:, :, 0]
            while (
                np.any(worse := losses(means - steps) > reached)
                and np.abs(steps[worse]).max() > 1e-9
            ):
                steps[worse] /= 2
            means = means - steps
            reached = losses(means)
            if np.abs(steps).max() < 1e-9:
                break
        self.means, self.precisions = means, precisions

    def thin(self):
        """Let learners go; each leaves its capital to the next older one that stays."""
        kept = np.isin(self.starts, spread(self.starts))
        heirs = np.cumsum(kept) - 1
        capitals = np.full(kept.sum(), -np.inf)
        np.logaddexp.at(capitals, heirs, self.log_capitals)
        self.starts = [start for start, stays in zip(self.starts, kept, strict=True) if stays]
        self.log_capitals = capitals
        self.means, self.precisions = self.means[kept], self.precisions[kept]

    def to_dict(self):
        """All that they remember, as plain numbers."""
        return {"starts": self.starts} | {name: getattr(self, name).tolist() for name in LEARNED}

    @classmethod
    def from_dict(cls, design, stored):
        """The learners that `to_dict` has turned into `stored`."""
        learners = cls(design)
        for start in stored["starts"]:
            learners.begin(int(start), 0.0)
        for name in LEARNED:
            shape = getattr(learners, name).shape
            setattr(learners, name, np.array(stored[name], np.float64).reshape(shape))
        if not (np.isfinite(learners.means).all() and np.isfinite(learners.log_capitals).all()):
            raise ValueError("a number of a learner is not finite")
        np.linalg.cholesky(learners.precisions)  # raises if one is not positive definite
        return learners
