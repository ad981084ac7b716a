"""Softmax regression by Newton's method, for any number of coefficients."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from calib.base.failures import warn
from calib.kernels.newton import Problem, Step, newton
from calib.methods.logistic_fit import GUIDE_STRIDE, NEGLIGIBLE_LOSS, warn_unconverged

MAX_CONJUGATE_STEPS = 1000  # steps of conjugate gradients for one Newton step
RESIDUAL = 1e-3  # fraction of the gradient that a Newton step may leave
MIN_LOGITS_WITH_GUIDE = 1_000_000  # log-odds, of whose rows a part is a good guide to the optimum
MIN_ROWS_A_FEATURE = 50  # rows per feature, for the curvatures that only speed the steps up
MAX_MULTIPLICATIONS = 10**9  # multiplications for these curvatures: about a tenth of a second
RIDGE_SHARE = 1e-14  # fraction of a feature's curvature that the others must leave, or rounding
BLOCK_RIDGE_SHARE = 1e-10  # the same, for the inverse of a block


class OwnFeature(NamedTuple):
    """Log-odds that are, for each class, a line in its own column of `values`, (n, k).

    Coefficients have the shape (k, 2): slopes and intercepts.
    """

    values: NDArray[np.float64]

    def logits(self, coefficients):
        """Log-odds of the classes, of shape (n, k)."""
        slopes, intercepts = coefficients.T
        return self.values * slopes + intercepts

    def sums(self, residuals):
        """The transposed map of an array of shape (n, k)."""
        return np.column_stack([np.sum(self.values * residuals, axis=0), residuals.sum(axis=0)])

    def curvatures(self, shares):
        """For each class the sum of shares times products of its features, (k, 2, 2)."""
        first = shares * self.values
        mixed = first.sum(axis=0)
        both = [[(first * self.values).sum(axis=0), mixed], [mixed, shares.sum(axis=0)]]
        return np.moveaxis(np.array(both), -1, 0)

    def rows(self, chosen):
        """The same design for a slice of the rows."""
        return OwnFeature(self.values[chosen])


class AllFeatures(NamedTuple):
    """Log-odds that are, for each class, linear in the same `features`, (n, m).

    Coefficients have the shape (k, m).
    """

    features: NDArray[np.float64]

    def logits(self, coefficients):
        """Log-odds of the classes, of shape (n, k)."""
        return self.features @ coefficients.T

    def sums(self, residuals):
        """The transposed map of an array of shape (n, k)."""
        return residuals.T @ self.features

    def curvatures(self, shares):
        """For each class the sum of shares times products of the features, (k, m, m)."""
        return np.array([(self.features.T * share) @ self.features for share in shares.T])

    def rows(self, chosen):
        """The same design for a slice of the rows."""
        return AllFeatures(self.features[chosen])


class SoftmaxFit(NamedTuple):
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


class SoftmaxState(NamedTuple):
    """The loss at some coefficients, and the probabilities of all classes."""

    loss: float
    shares: NDArray[np.float64]


@dataclass(eq=False)
class SoftmaxLoss(Problem):
    """The weighted cross entropy plus half the sum of penalties times squares.

    Parameters
    ----------
    design : OwnFeature or AllFeatures
    labels : ndarray of shape (n,)
        Numbers of classes.
    weights : ndarray of shape (n,)
        Weights with the sum 1.
    penalties : ndarray, shaped as coefficients
        Penalties, divided by the sum of the original weights. None is negative.
    """

    design: OwnFeature | AllFeatures
    labels: NDArray[np.int64]
    weights: NDArray[np.float64]
    penalties: NDArray[np.float64]

    max_steps = 200
    enough = NEGLIGIBLE_LOSS
    inexact = True

    def state(self, coefficients):
        """Loss and probabilities."""
        shares, losses = _softmax(self.design.logits(coefficients), self.labels)
        penalty = 0.5 * np.sum(self.penalties * coefficients**2)
        return SoftmaxState(loss=self.weights @ losses + penalty, shares=shares)

    def step(self, coefficients, state):
        """Solve Newton's equations by conjugate gradients.

        The curvatures of the classes alone precondition them.
        """
        gradient = self._gradient(state.shares) + self.penalties * coefficients
        change = -self._solve(state.shares, gradient)
        decrement = -np.sum(gradient * change)
        return Step(change=change, target=coefficients + change, decrement=decrement)

    def _gradient(self, shares):
        """Gradient of the cross entropy.

        1 - p is summed up from the other classes, which rounds nothing to 0.
        """
        rows = np.arange(self.labels.size)
        residuals = shares * self.weights[:, np.newaxis]
        residuals[rows, self.labels] = 0.0
        residuals[rows, self.labels] = -residuals.sum(axis=1)
        return self.design.sums(residuals)

    def _solve(self, shares, gradient):
        """Solve Hessian times step = gradient."""
        rows = np.arange(self.labels.size)
        best = shares.argmax(axis=1)
        weighted = shares * self.weights[:, np.newaxis]
        blocks = self._blocks(shares, weighted, gradient.shape)
        diagonals = np.einsum("kmm->km", blocks)
        diagonals += self.penalties
        # Steps along directions that change no probability, such as one offset for all classes, are
        # bounded by a ridge.
        ridge = self.penalties + RIDGE_SHARE * diagonals
        diagonals *= 1 + BLOCK_RIDGE_SHARE
        diagonals[diagonals == 0] = 1.0  # the class is impossible already
        scales = 1 / np.sqrt(diagonals)
        inverses = np.linalg.inv(blocks * scales[:, :, np.newaxis] * scales[:, np.newaxis])

        def hessian(change):
            moves = self.design.logits(change)
            # relative to the most probable class, so that the mean is small where p is near 1
            moves -= moves[rows, best][:, np.newaxis]
            moves -= np.einsum("nk,nk->n", shares, moves)[:, np.newaxis]
            moves *= weighted
            return self.design.sums(moves) + ridge * change

        def block_solution(change):
            return scales * np.einsum("kml,kl->km", inverses, scales * change)

        return conjugate_gradients(hessian, gradient, block_solution)

    def _blocks(self, shares, weighted, shape):
        """Second derivatives in the coefficients of one class, a matrix for each class.

        Where those of all rows cost much, some of the rows stand for all.
        """
        n = self.labels.size
        k, m = shape
        stride = min(n // (MIN_ROWS_A_FEATURE * m), n * k * m**2 // MAX_MULTIPLICATIONS)
        thin = slice(None, None, max(1, stride))
        curvatures = weighted[thin] * _complements(shares[thin])
        return thin.step * self.design.rows(thin).curvatures(curvatures)


@np.errstate(all="ignore")
def least_loss(design, labels, weights, penalties, start) -> SoftmaxFit:
    """Minimise the weighted cross entropy plus half the sum of penalties times squares.

    With many log-odds, the search begins at the optimum of every sixteenth row, unless that is a
    bad guide.

    Parameters
    ----------
    design, labels, weights, penalties
        As in `SoftmaxLoss`, but weights of any sum and penalties that are not divided by it.
    start : ndarray, shaped as coefficients
        Coefficients to begin with.
    """
    problem = SoftmaxLoss(
        design=design,
        labels=labels,
        weights=weights / weights.sum(),
        penalties=penalties / weights.sum(),
    )
    state = problem.state(start)
    if state.shares.size >= MIN_LOGITS_WITH_GUIDE and labels.size > GUIDE_STRIDE:
        guide = least_loss(
            design.rows(slice(None, None, GUIDE_STRIDE)),
            labels[::GUIDE_STRIDE],
            problem.weights[::GUIDE_STRIDE],
            problem.penalties / GUIDE_STRIDE,
            start,
        )
        trial = problem.state(guide.coefficients)
        # some rows may be a bad guide to the others, such as those that lack a class
        if guide.converged and not guide.separates and trial.loss < state.loss:
            start = guide.coefficients
            state = trial
    minimum = newton(problem, start, state)
    return SoftmaxFit(
        coefficients=minimum.point,
        loss=float(minimum.state.loss),
        last=float(np.abs(_centred(design.logits(minimum.step))).max()),
        n_steps=minimum.n_steps,
        converged=minimum.converged,
    )


def _softmax(logits, labels):
    """Probabilities, and the log loss of each row, accurate however small it is."""
    rows = np.arange(labels.size)
    best = logits.argmax(axis=1)
    differences = logits - logits[rows, best][:, np.newaxis]
    losses = -differences[rows, labels]
    shares = np.exp(differences, out=differences)
    shares[rows, best] = 0.0
    others = shares.sum(axis=1)
    losses += np.log1p(others)
    shares[rows, best] = 1.0
    shares /= (1 + others)[:, np.newaxis]
    return shares, losses


def _complements(shares):
    """1 - p. For the largest p it is the sum of the others, which is not rounded to 0."""
    rows = np.arange(len(shares))
    best = shares.argmax(axis=1)
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
    x = np.zeros_like(target)
    residual = target.copy()
    preconditioned = solve(residual)
    direction = preconditioned.copy()
    size = np.sum(residual * preconditioned)
    goal = RESIDUAL**2 * size
    for _ in range(MAX_CONJUGATE_STEPS):
        image = product(direction)
        curvature = np.sum(direction * image)
        if not curvature > 0:  # a direction that changes nothing, or rounding
            break
        x += size / curvature * direction
        residual -= size / curvature * image
        preconditioned = solve(residual)
        size_before = size
        size = np.sum(residual * preconditioned)
        if not size > goal:
            break
        direction = preconditioned + size / size_before * direction
    return x
