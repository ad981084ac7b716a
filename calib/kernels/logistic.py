"""Logistic regression on a few columns, by Newton's method."""

import math
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from calib.kernels.compiling import jit
from calib.kernels.newton import Problem, Step, newton

LEAST_PIVOT = 1e-12  # fraction of a column's curvature that the columns before it must leave
FAR_CENTRE = 0.5  # distance from the mean, in standard deviations, beyond which a centre moves


class Derivatives(NamedTuple):
    """A loss, its gradient and the lower triangle of its Hessian. The level comes first."""

    loss: float
    gradient: NDArray[np.float64]
    hessian: NDArray[np.float64]


class LogisticFit(NamedTuple):
    """A logistic regression of largest likelihood, and how it was found.

    Attributes
    ----------
    level : float
    slopes : ndarray of shape (k,)
    loss : float
    last : ndarray of shape (k + 1,)
        The last step of level and slopes. Near an optimum it hardly moves the log-odds. Where
        points become ever more certain, it moves their log-odds by about 1, however little the
        loss may gain.
    n_steps : int
    converged : bool
        False if the largest number of steps did not suffice, or if rounding leaves no step that
        helps.
    """

    level: float
    slopes: NDArray[np.float64]
    loss: float
    last: NDArray[np.float64]
    n_steps: int
    converged: bool

    def moves(self, reach: ArrayLike) -> bool:
        """Whether the last step was no small one: then the fit was not near an optimum.

        `reach` bounds the values that the slopes multiply.
        """
        bounds = np.append(1, reach)
        change = np.abs(self.last) @ bounds
        size = np.abs(np.append(self.level, self.slopes)) @ bounds
        return change > max(0.5, 1e-4 * size)  # a point that becomes certain moves by 1 a step


@dataclass(eq=False)
class CrossEntropy(Problem):
    """The weighted cross entropy of sigmoid(level + slopes @ columns) against two target values.

    A point is the level and the slopes, as one array of shape (k + 1,). Its level belongs to
    log-odds of level + slopes @ (columns - centres). With the means of the columns, weighted by
    curvature, as the centres, slopes and level do not interact: nothing cancels, however uneven the
    columns are.

    Parameters
    ----------
    columns : ndarray of shape (k, n)
        Values of any scale whose squares do not overflow; k may be 0.
    labels, weights : ndarray of shape (n,)
    misses : tuple of float
        The remainder of each target for the other class. The targets are misses[0] and
        1 - misses[1], which itself would be rounded to 1 where there are many observations.
    free_level : bool
        Whether the level may move from where it begins.
    enough : float
        A loss at which to stop. Where the columns separate the classes and nothing is missed, the
        loss falls to 0 along slopes without bound.

    Attributes
    ----------
    centres : ndarray of shape (k,)
        Zeros to begin with.
    """

    columns: NDArray[np.float64]
    labels: NDArray[np.uint8]
    weights: NDArray[np.float64]
    misses: tuple[float, float]
    free_level: bool = True
    enough: float = 0.0
    centres: NDArray[np.float64] = field(init=False)

    halves_undefined = False

    def __post_init__(self):
        self.centres = np.zeros(len(self.columns))

    def state(self, point):
        """Loss, gradient and Hessian in the level and the slopes."""
        return derivatives(
            self.columns, self.labels, self.weights, self.misses, point[1:], point[0], self.centres
        )

    def recentred(self, point, state):
        """Move the centres of columns whose spread about them is mostly an offset."""
        if not self.free_level:
            return point, state
        hessian = state.hessian
        shifts = hessian[1:, 0] / hessian[0, 0]
        spreads = np.sqrt(hessian.diagonal()[1:] / hessian[0, 0])
        far = np.abs(shifts) > FAR_CENTRE * spreads
        if not far.any():
            return point, state
        shifts = np.where(far, shifts, 0.0)
        self.centres = self.centres + shifts
        point = np.append(point[0] + point[1:] @ shifts, point[1:])
        return point, self.state(point)

    def step(self, point, state):
        """Minus the gradient divided by the Hessian, in so far as rounding allows."""
        gradient = state.gradient.copy()
        hessian = state.hessian.copy()
        first = 0 if self.free_level else 1
        if not hessian.diagonal()[first:].any() and gradient[first:].any():
            return None  # every point is as good as certain: curvature says nothing
        least = LEAST_PIVOT * hessian.diagonal()
        change = np.zeros(point.size)
        decrement = _newton_step(state.loss, gradient, hessian, first, least, change)
        return Step(change=change, target=point + change, decrement=decrement)

    @np.errstate(all="ignore")
    def fit(self, point, state=None) -> LogisticFit:
        """Minimise the loss from `point` on, whose state may be known."""
        minimum = newton(self, point, state)
        slopes = minimum.point[1:]
        return LogisticFit(
            level=minimum.point[0] - slopes @ self.centres,
            slopes=slopes,
            loss=minimum.state.loss,
            last=minimum.step,
            n_steps=minimum.n_steps,
            converged=minimum.converged,
        )


def fit_logistic(
    columns, labels, weights, misses, start, free_level=True, enough=0.0
) -> LogisticFit:
    """Minimise a `CrossEntropy` from `start` on, which is a level and slopes."""
    loss = CrossEntropy(
        columns=columns,
        labels=labels,
        weights=weights,
        misses=misses,
        free_level=free_level,
        enough=enough,
    )
    return loss.fit(start)


@jit
def _newton_step(loss, gradient, hessian, first, least, step):
    """Fill in the step of level and slopes from index `first` on; return its Newton decrement.

    The decrement is twice the expected gain of the step. Cholesky's method without roots solves the
    equations of the matrix whose lower triangle is in `hessian`. It overwrites `gradient` and
    `hessian`. `least` are the smallest pivots that are not taken for rounding errors.
    """
    size = gradient.size
    decrement = 0.0
    for j in range(first, size):
        for i in range(j + 1, size):
            below = hessian[i, j]
            hessian[j, i] = below / hessian[j, j] if hessian[j, j] > least[j] else 0.0
            gradient[i] -= hessian[j, i] * gradient[j]
            for m in range(j + 1, i + 1):
                hessian[i, m] -= hessian[j, m] * below
    for j in range(size - 1, first - 1, -1):
        # No step may promise more than the whole loss: curvature alone knows no bound where points
        # lie far on the wrong side.
        curvature = max(hessian[j, j], gradient[j] * gradient[j] / loss)
        # The slope of a column that earlier columns explain, such as a constant, does not change.
        if hessian[j, j] > least[j]:
            step[j] = -gradient[j] / curvature
        decrement -= gradient[j] * step[j]
        for i in range(j + 1, size):
            step[j] -= hessian[j, i] * step[i]
    return decrement


def derivatives(columns, labels, weights, misses, slopes, level, centres) -> Derivatives:
    """Sum up the weighted cross entropy, its gradient and its Hessian over all rows.

    The parameters are the same as in `CrossEntropy`.
    """
    # The compiler knows the length of tuples and unrolls the loops over columns.
    factors = (level, *slopes)
    origins = (0.0, *centres)
    size = len(factors)
    u = np.ones(size)
    gradient = np.zeros(size)
    hessian = np.zeros((size, size))
    loss = _derivatives(columns, labels, weights, misses, factors, origins, u, gradient, hessian)
    return Derivatives(loss=loss, gradient=gradient, hessian=hessian)


@jit
def _derivatives(columns, labels, weights, misses, factors, origins, u, gradient, hessian):
    """Return the loss; fill in gradient and Hessian.

    `u` is room for 1 and the columns of one row, less their origins.
    """
    k = len(factors) - 1
    n = columns.shape[1]
    loss = 0.0
    lost = 0.0  # rounding error of the loss so far (Kahan's sum), by which small steps are judged
    for i in range(n):
        log_odds = factors[0]
        for j in range(1, k + 1):
            u[j] = columns[j - 1, i] - origins[j]
            log_odds += factors[j] * u[j]
        side, miss = (1.0, misses[1]) if labels[i] else (-1.0, misses[0])
        margin = side * log_odds
        e = math.exp(-abs(margin))
        both = 1.0 + e
        larger = 1.0 / both  # the larger of the two probabilities
        wrong = e * larger if margin >= 0 else larger
        # Kahan's formula for log1p(e) is as accurate and faster. It makes up for the rounding of
        # 1 + e.
        softplus = math.log(both) * (e / (both - 1.0)) if both > 1.0 else e
        # -(1-miss) log(1-wrong) - miss log(wrong) = miss margin + log(1 + exp(-margin))
        term = weights[i] * (miss * margin + max(-margin, 0.0) + softplus) - lost
        lost = (loss + term - loss) - term
        loss += term
        residual = side * weights[i] * (miss - wrong)
        curvature = weights[i] * (e * larger * larger)
        for j in range(k + 1):
            gradient[j] += residual * u[j]
            for m in range(j + 1):
                hessian[j, m] += curvature * u[j] * u[m]
    return loss
