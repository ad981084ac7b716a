"""Newton's method for logistic regression on a few columns."""

import math

import numpy as np

from calib.kernels.compiling import jit

MAX_STEPS = 1000
LEAST_SHARE = 1e-12  # of a column's curvature that the columns before it must leave


def fit_logistic(columns, labels, weights, misses, start, free_level=True, enough=0.0, begin=None):
    """Minimise the cross entropy of sigmoid(level + slopes @ columns) against two target values.

    Parameters
    ----------
    columns : ndarray of shape (k, n)
        Of any scale, but their squares must not overflow; k may be 0.
    labels, weights : ndarray of shape (n,)
    misses : tuple of float
        What the targets leave to the other class: they are misses[0] and 1 - misses[1], which
        itself would be rounded to 1 where there are many observations.
    start, free_level, enough, begin
        As in `newton`.

    Returns
    -------
    level, slopes, loss, last, n_steps, converged
        As in `newton`.
    """

    def derivatives_at(*place):
        return derivatives(columns, labels, weights, misses, *place)

    return newton(derivatives_at, start, free_level, enough, begin)


@np.errstate(all="ignore")
def newton(derivatives_at, start, free_level=True, enough=0.0, begin=None):
    """Minimise a cross entropy whose derivatives somebody else sums up.

    Newton steps, halved until the loss falls. Stops when the Newton decrement is below 1e-14 of the
    loss: the last step then squares an error that is already small.

    Parameters
    ----------
    derivatives_at : callable
        ``derivatives_at(slopes, level, centres)``, sums of `derivatives` over all rows.
    start : ndarray of shape (k + 1,)
        The level and the slopes to begin with.
    free_level : bool
        Whether the level may move from where it begins.
    enough : float
        A loss at which to stop. Where the columns separate the classes and nothing is missed, the
        loss falls to 0 along slopes without bound.
    begin : tuple, optional
        A better place, where the derivatives are known: slopes, level and centres as for
        `derivatives_at`, and what it returns there. In place of `start`.

    Returns
    -------
    level : float
    slopes : ndarray of shape (k,)
    loss : float
    last : ndarray of shape (k + 1,)
        The last step. Near an optimum it hardly moves the log-odds; where points become ever more
        certain, it moves theirs by about 1, however little the loss may gain.
    n_steps : int
    converged : bool
        False if `MAX_STEPS` steps did not suffice, or if rounding leaves no step that helps.
    """
    # The log-odds are level + slopes @ (columns - centres). With the means of the columns,
    # weighted by curvature, as the centres, slopes and level do not interact: nothing cancels,
    # however uneven the columns are.
    if begin is None:
        slopes, level, centres = start[1:], start[0], np.zeros(start.size - 1)
        state = derivatives_at(slopes, level, centres)
    else:
        slopes, level, centres, state = begin
    step = np.zeros(start.size)
    for n_steps in range(1, MAX_STEPS + 1):
        if free_level:
            _, _, hessian = state
            shifts = hessian[1:, 0] / hessian[0, 0]
            # where most of the spread is an offset
            far = np.abs(shifts) > 0.5 * np.sqrt(hessian.diagonal()[1:] / hessian[0, 0])
            if far.any():
                shifts = np.where(far, shifts, 0.0)
                level, centres = level + slopes @ shifts, centres + shifts
                state = derivatives_at(slopes, level, centres)
        loss, gradient, hessian = state
        first = 0 if free_level else 1
        if not hessian.diagonal()[first:].any() and gradient[first:].any():
            break  # every point is as good as certain: curvature says nothing
        least, full = LEAST_SHARE * hessian.diagonal(), np.zeros(start.size)
        decrement = _newton_step(loss, gradient, hessian, first, least, full)
        step, acceptable = full, loss + 1e-12 * loss  # room for rounding near the minimum
        trial = derivatives_at(slopes + step[1:], level + step[0], centres)
        share = 1.0
        while trial[0] > acceptable and share > 1e-10:
            share *= 0.5
            step = share * full
            trial = derivatives_at(slopes + step[1:], level + step[0], centres)
        if not trial[0] <= acceptable:  # the numbers are at their end
            break
        slopes, level, state = slopes + step[1:], level + step[0], trial
        if decrement <= 1e-14 * loss or trial[0] <= enough:
            return level - slopes @ centres, slopes, trial[0], step, n_steps, True
    return level - slopes @ centres, slopes, state[0], step, n_steps, False


@jit
def _newton_step(loss, gradient, hessian, first, least, step):
    """The step of level and slopes from index `first` on, and how much it should gain, twice.

    By Cholesky's method without roots, of what the lower triangle of `hessian` holds; `gradient`
    and `hessian` are used up.
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
        # a column that the ones before it explain, such as a constant, leaves its slope as it is
        if hessian[j, j] > least[j]:
            step[j] = -gradient[j] / curvature
        decrement -= gradient[j] * step[j]
        for i in range(j + 1, size):
            step[j] -= hessian[j, i] * step[i]
    return decrement


def derivatives(columns, labels, weights, misses, slopes, level, centres):
    """Loss, gradient and (lower triangle) Hessian of the weighted cross entropy; the level first.

    Shapes (), (k + 1,) and (k + 1, k + 1).
    """
    # tuples: the compiler knows their length and unrolls the loops over columns
    factors, origins = (level, *slopes), (0.0, *centres)
    size = len(factors)
    u, gradient, hessian = np.ones(size), np.zeros(size), np.zeros((size, size))
    loss = _derivatives(columns, labels, weights, misses, factors, origins, u, gradient, hessian)
    return loss, gradient, hessian


@jit
def _derivatives(columns, labels, weights, misses, factors, origins, u, gradient, hessian):
    """Fill in gradient and Hessian, and the columns of each row in turn, 1 before them, in `u`."""
    k, n = len(factors) - 1, columns.shape[1]
    loss = 0.0
    lost = 0.0  # by rounding in the sum of the loss (Kahan): small steps are judged by it
    for i in range(n):
        log_odds = factors[0]
        for j in range(1, k + 1):
            u[j] = columns[j - 1, i] - origins[j]
            log_odds += factors[j] * u[j]
        side, miss = (1.0, misses[1]) if labels[i] else (-1.0, misses[0])
        margin = side * log_odds
        e = math.exp(-abs(margin))
        both = 1.0 + e
        larger = 1.0 / both  # of the two probabilities
        wrong = e * larger if margin >= 0 else larger
        # log1p(e) by Kahan's formula, which is as accurate and faster: it makes up for the rounding
        # of 1 + e
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
