"""Softmax regression by Newton's method, for any number of coefficients."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from calib.contract.validation import warn
from calib.logistic.fitting import CERTAIN, warn_unconverged

MAX_STEPS = 200
MAX_INNER = 1000  # steps of conjugate gradients for one of Newton's
RESIDUAL = 1e-3  # share of the gradient that a Newton step may leave
MANY = 1_000_000  # scores, so that those of a sixteenth of the rows are a good guide
ENOUGH_ROWS = 50  # per feature, for the curvatures that only speed the steps up
MUCH = 10**9  # multiplications for them: about a tenth of a second
LEAST_SHARE = 1e-14  # of a feature's curvature that the others must leave, or rounding decides
ROUGHLY = 1e-10  # the same, for the inverse of a block


class OwnFeature(NamedTuple):
    """Log-odds that are, for each class, a line in its own column of `values`, (n, k).

    Coefficients have the shape (k, 2): slopes and intercepts.
    """

    values: NDArray[np.float64]

    def logits(self, coefficients):
        """Of shape (n, k)."""
        slopes, intercepts = coefficients.T
        return self.values * slopes + intercepts

    def sums(self, residuals):
        """What the transposed map makes of an array of shape (n, k)."""
        return np.column_stack([np.sum(self.values * residuals, axis=0), residuals.sum(axis=0)])

    def curvatures(self, shares):
        """For each class the sum of shares times products of its features, (k, 2, 2)."""
        first = shares * self.values
        mixed = first.sum(axis=0)
        both = [[(first * self.values).sum(axis=0), mixed], [mixed, shares.sum(axis=0)]]
        return np.moveaxis(np.array(both), -1, 0)

    def rows(self, chosen):
        """Those of a slice."""
        return OwnFeature(self.values[chosen])


class AllFeatures(NamedTuple):
    """Log-odds that are, for each class, linear in the same `features`, (n, m).

    Coefficients have the shape (k, m).
    """

    features: NDArray[np.float64]

    def logits(self, coefficients):
        """Of shape (n, k)."""
        return self.features @ coefficients.T

    def sums(self, residuals):
        """What the transposed map makes of an array of shape (n, k)."""
        return residuals.T @ self.features

    def curvatures(self, shares):
        """For each class the sum of shares times products of the features, (k, m, m)."""
        return np.array([(self.features.T * share) @ self.features for share in shares.T])

    def rows(self, chosen):
        """Those of a slice."""
        return AllFeatures(self.features[chosen])


class Fit(NamedTuple):
    """A softmax regression of least loss, and how it was found."""

    coefficients: NDArray[np.float64]
    loss: float
    last: float  # largest change of a log-odds in the last step
    n_steps: int
    converged: bool

    @property
    def separates(self) -> bool:
        """Whether a point becomes certain, which moves by 1 a step."""
        return self.last > 0.5

    def check(self) -> None:
        """Warn unless this is a finite minimum of the loss."""
        if not self.converged:
            what = "sample_weight for values that are far out, and probabilities for classes that"
            warn_unconverged(self.n_steps, f"{what} are all but separated")
        elif self.separates:
            warn(
                "probabilities separate a class from the others, as if it is absent: the "
                "likelihood has no maximum, and the fit ends where it gains nothing more, with "
                "probabilities as good as 0 or 1; collect more calibration data of each class, or "
                "fit fewer coefficients, as TemperatureScaling does",
                ConvergenceWarning,
            )


@np.errstate(all="ignore")
def least_loss(design, labels, weights, penalties, start) -> Fit:
    """Minimise the weighted cross entropy plus half the sum of penalties times squares.

    Newton steps, halved until the loss falls, each by conjugate gradients that are preconditioned
    by the classes' own curvatures. Stops when the Newton decrement is below 1e-14 of the loss, or
    when the loss is as good as 0.

    Parameters
    ----------
    design : OwnFeature or AllFeatures
    labels : ndarray of shape (n,)
        Numbers of classes.
    weights : ndarray of shape (n,)
    penalties : ndarray, shaped as coefficients
        Not negative.
    start : ndarray, shaped as coefficients
        Coefficients to begin with.
    """
    n, k = labels.size, len(start)
    weights, penalties = weights / weights.sum(), penalties / weights.sum()

    def state(coefficients):
        logits = design.logits(coefficients)
        shares, losses = _softmax(logits, labels)
        return logits, shares, weights @ losses + 0.5 * np.sum(penalties * coefficients**2)

    coefficients, (logits, shares, loss), last = start, state(start), 0.0
    if n * k >= MANY and n > 16:
        some = design.rows(slice(None, None, 16)), labels[::16], weights[::16]
        guide = least_loss(*some, penalties / 16, start)
        trial = state(guide.coefficients)
        # some rows may be a bad guide to the others, such as those that lack a class
        if guide.converged and not guide.separates and trial[2] < loss:
            coefficients, (logits, shares, loss) = guide.coefficients, trial
    for n_steps in range(1, MAX_STEPS + 1):
        gradient = _gradient(design, labels, weights, shares) + penalties * coefficients
        full = -_newton_step(design, weights, shares, penalties, gradient)
        decrement = -np.sum(gradient * full)
        step, share, acceptable = full, 1.0, loss + 1e-12 * loss  # room for rounding
        trial = state(coefficients + step)
        while not trial[2] <= acceptable and share > 1e-10:
            share *= 0.5
            step = share * full
            trial = state(coefficients + step)
        if not trial[2] <= acceptable:
            break
        last = float(np.abs(_centred(trial[0] - logits)).max())
        lost = trial[2] >= loss and decrement <= 1e-10 * loss  # a gain that rounding swallows
        coefficients, (logits, shares, loss) = coefficients + step, trial
        if decrement <= 1e-14 * loss or lost or loss <= CERTAIN:
            return Fit(coefficients, float(loss), last, n_steps, True)
    return Fit(coefficients, float(loss), last, n_steps, False)


def _softmax(logits, labels):
    """Probabilities, and the log loss of each row, accurate however small it is."""
    rows, best = np.arange(labels.size), logits.argmax(axis=1)
    logits = logits - logits[rows, best][:, np.newaxis]
    losses = -logits[rows, labels]
    shares = np.exp(logits, out=logits)
    shares[rows, best] = 0.0
    others = shares.sum(axis=1)
    losses += np.log1p(others)
    shares[rows, best] = 1.0
    shares /= (1 + others)[:, np.newaxis]
    return shares, losses


def _gradient(design, labels, weights, shares):
    """Of the loss. 1 - p is summed up from the other classes, which rounds nothing to 0."""
    rows = np.arange(labels.size)
    residuals = shares * weights[:, np.newaxis]
    residuals[rows, labels] = 0.0
    residuals[rows, labels] = -residuals.sum(axis=1)
    return design.sums(residuals)


def _newton_step(design, weights, shares, penalties, gradient):
    """Solution of Hessian times step = gradient."""
    rows, best = np.arange(weights.size), shares.argmax(axis=1)
    weighted = shares * weights[:, np.newaxis]
    k, m = gradient.shape
    least = ENOUGH_ROWS * m  # rows whose curvatures stand for all, where those of all cost much
    thin = slice(None, None, max(1, min(weights.size // least, weights.size * k * m**2 // MUCH)))
    curvatures = weighted[thin] * _complements(shares[thin])
    blocks = thin.step * design.rows(thin).curvatures(curvatures)
    diagonals = np.einsum("kmm->km", blocks)
    diagonals += penalties
    # directions that change no probability, such as one offset for all classes, have an end, too
    ridge = penalties + LEAST_SHARE * diagonals
    diagonals *= 1 + ROUGHLY
    diagonals[diagonals == 0] = 1.0  # of a class that is impossible already
    scales = 1 / np.sqrt(diagonals)
    inverses = np.linalg.inv(blocks * scales[:, :, np.newaxis] * scales[:, np.newaxis])

    def hessian(change):
        moves = design.logits(change)
        moves -= moves[rows, best][:, np.newaxis]  # so that the mean is small where p is near 1
        moves -= np.einsum("nk,nk->n", shares, moves)[:, np.newaxis]
        moves *= weighted
        return design.sums(moves) + ridge * change

    def nearly(change):
        return scales * np.einsum("kml,kl->km", inverses, scales * change)

    return conjugate_gradients(hessian, gradient, nearly)


def _complements(shares):
    """1 - p; for the largest p it is the sum of the others, which is not rounded to 0."""
    rows, best = np.arange(len(shares)), shares.argmax(axis=1)
    others = shares.copy()
    others[rows, best] = 0.0
    complements = 1 - shares
    complements[rows, best] = others.sum(axis=1)
    return complements


def _centred(logits):
    return logits - logits.mean(axis=1, keepdims=True)


def conjugate_gradients(product, target, solve):
    """Solve ``product(x) = target`` for a positive semidefinite product, all but `RESIDUAL`.

    `solve` solves a similar system.
    """
    x, residual = np.zeros_like(target), target.copy()
    near = solve(residual)
    direction, size = near.copy(), np.sum(residual * near)
    goal = RESIDUAL**2 * size
    for _ in range(MAX_INNER):
        image = product(direction)
        curvature = np.sum(direction * image)
        if not curvature > 0:  # a direction that changes nothing, or rounding
            break
        x += size / curvature * direction
        residual -= size / curvature * image
        near = solve(residual)
        before, size = size, np.sum(residual * near)
        if not size > goal:
            break
        direction = near + size / before * direction
    return x
