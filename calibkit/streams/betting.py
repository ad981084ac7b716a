"""Bets against predictions: learners that began at different times, and their capitals."""

import numpy as np
from scipy.special import expit, log_expit, logit

LEARNER_PRIOR_PRECISION = 4.0  # inverse variance of each coefficient
MAX_LEARNER_STEPS = 50  # Newton steps
LEARNER_STEP_TOLERANCE = 1e-9  # largest change of a coefficient in a last step
RANGES = (0.02, 0.1, 0.3, 0.7, 0.9, 0.98)  # probabilities at which the ranges meet
RANGE_LOGITS = logit(np.array(RANGES))
LEARNED_ARRAYS = ("log_capitals", "means", "precisions")
CELLS_PER_LOGIT = 64  # cells of the grid in a unit of the logit


def line(logits):
    """Design of an error that is linear in the logit: a bias and a slope."""
    return np.stack([np.ones(logits.size), logits], axis=1)


def ranges(logits):
    """Design of an error that is constant in each range of predictions."""
    numbers = np.searchsorted(RANGE_LOGITS, logits)
    return (numbers[:, None] == np.arange(RANGE_LOGITS.size + 1)).astype(float)


DESIGNS = {"line": line, "ranges": ranges}


def cells(labels, logits, weights):
    """Positives, mean logit and rows of each cell of a fine grid, from which learners learn.

    A bet need only be fixed before the outcome, so the rounding costs no guarantee. A batch of any
    size has a few hundred cells.
    """
    numbers, codes = np.unique(np.floor(logits * CELLS_PER_LOGIT), return_inverse=True)
    rows = np.bincount(codes, weights, numbers.size)
    positives = np.bincount(codes, weights * labels, numbers.size)
    sums = np.bincount(codes, weights * logits, numbers.size)
    filled = rows > 0
    return positives[filled], sums[filled] / rows[filled], rows[filled]


def spread(starts):
    """Choose the starts of the learners that stay: a few at any age.

    ``starts`` are whole numbers from 1, ascending. For each level = 0, 1, ... the last two of the
    batches 1 + k 2**level stay. After any change, some learner that began after it has seen more
    than a third of the batches since the change.
    """
    staying = set()
    step = 1
    while True:
        level = [start for start in starts if (start - 1) % step == 0]
        staying.update(level[-2:])
        if len(level) <= 2:
            return sorted(staying)
        step *= 2


class Learners:
    """Learners that bet by Bayesian logistic regression on the logits, from different batches on.

    Parameters
    ----------
    design : str
        Form of the error of the logits: one of `DESIGNS`.

    Attributes
    ----------
    starts : list of int
        First batch of each learner, from 1; ascending.
    log_capitals : ndarray of shape (learners,)
    means, precisions : ndarray of shape (learners, columns) and (learners, columns, columns)
        Normal distributions of the coefficients of the design.
    """

    def __init__(self, design):
        self.design = design
        self.starts = []
        self.size = DESIGNS[design](np.zeros(1)).shape[1]
        self.log_capitals = np.empty(0)
        self.means = np.empty((0, self.size))
        self.precisions = np.empty((0, self.size, self.size))

    def begin(self, start, log_capital):
        """Add a learner."""
        self.starts.append(start)
        self.log_capitals = np.append(self.log_capitals, log_capital)
        self.means = np.concatenate([self.means, np.zeros((1, self.size))])
        prior = LEARNER_PRIOR_PRECISION * np.eye(self.size)
        self.precisions = np.concatenate([self.precisions, prior[None]])

    def bet(self, signs, logits, weights):
        """Stake all capitals on outcomes, +1 or -1, by the means learned so far."""
        design = DESIGNS[self.design](logits)
        predicted = weights @ log_expit(signs * logits)  # log-likelihood of the predictions
        for k, mean in enumerate(self.means):
            if mean.any():
                learned = weights @ log_expit(signs * (logits + design @ mean))
                self.log_capitals[k] += learned - predicted

    def learn(self, positives, logits, rows):
        """Update the normal distributions by Laplace's approximation, from `cells` of a batch."""
        design = DESIGNS[self.design](logits)
        prior = self.precisions

        def losses(means):
            changes = means - self.means
            margins = logits + means @ design.T
            fits = log_expit(margins) @ positives + log_expit(-margins) @ (rows - positives)
            return np.einsum("li,lij,lj->l", changes, prior, changes) / 2 - fits

        means = self.means
        reached = losses(means)
        for _ in range(MAX_LEARNER_STEPS):
            probabilities = expit(logits + means @ design.T)
            gradients = np.einsum("lij,lj->li", prior, means - self.means)
            gradients -= (positives - rows * probabilities) @ design
            curvatures = rows * probabilities * (1 - probabilities)
            precisions = prior + (design.T[None] * curvatures[:, None, :]) @ design
            steps = np.linalg.solve(precisions, gradients[:, :, None])[:, :, 0]
            while (
                np.any(worse := losses(means - steps) > reached)
                and np.abs(steps[worse]).max() > LEARNER_STEP_TOLERANCE
            ):
                steps[worse] /= 2
            means = means - steps
            reached = losses(means)
            if np.abs(steps).max() < LEARNER_STEP_TOLERANCE:
                break
        self.means, self.precisions = means, precisions

    def thin(self):
        """Drop learners. Each leaves its capital to the next older learner that stays."""
        starts = spread(self.starts)
        stays = np.isin(self.starts, starts)
        heirs = np.cumsum(stays) - 1
        log_capitals = np.full(len(starts), -np.inf)
        np.logaddexp.at(log_capitals, heirs, self.log_capitals)
        self.starts = starts
        self.log_capitals = log_capitals
        self.means = self.means[stays]
        self.precisions = self.precisions[stays]

    def to_dict(self):
        """Return the state of the learners as plain numbers."""
        arrays = {name: getattr(self, name).tolist() for name in LEARNED_ARRAYS}
        return {"starts": self.starts} | arrays

    @classmethod
    def from_dict(cls, design, stored):
        """Restore learners from the result of `to_dict`."""
        learners = cls(design)
        for start in stored["starts"]:
            learners.begin(int(start), 0.0)
        for name in LEARNED_ARRAYS:
            shape = getattr(learners, name).shape
            setattr(learners, name, np.array(stored[name], np.float64).reshape(shape))
        if not (np.isfinite(learners.means).all() and np.isfinite(learners.log_capitals).all()):
            raise ValueError("a number of a learner is not finite")
        np.linalg.cholesky(learners.precisions)  # raises if one is not positive definite
        return learners
