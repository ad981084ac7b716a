"""Sums over the rows of a cubic spline, each of which depends on four coefficients."""

import math

import numpy as np

from calib.kernels.compiling import jit


@jit
def spline_losses(first, basis, labels, weights, coefficients):
    """Sum up the log loss of the log-odds ``X @ coefficients``, its gradient and its Hessian.

    Row i of X has the entries ``basis[i]`` from column ``first[i]`` on, and else 0. Returns arrays
    of shapes (), (k,) and (k, k).
    """
    loss = 0.0
    gradient = np.zeros(coefficients.size)
    hessian = np.zeros((coefficients.size, coefficients.size))
    for i in range(first.size):
        logit = 0.0
        for a in range(4):
            logit += basis[i, a] * coefficients[first[i] + a]
        margin = logit if labels[i] else -logit
        small = math.exp(-abs(margin))
        miss = small / (1 + small) if margin > 0 else 1 / (1 + small)
        loss += weights[i] * (math.log1p(small) + max(-margin, 0.0))
        slope = weights[i] * (-miss if labels[i] else miss)
        curvature = weights[i] * miss * (1 - miss)
        for a in range(4):
            gradient[first[i] + a] += slope * basis[i, a]
            for b in range(a + 1):
                hessian[first[i] + a, first[i] + b] += curvature * basis[i, a] * basis[i, b]
    for row in range(coefficients.size):
        for column in range(row):
            hessian[column, row] = hessian[row, column]
    return loss, gradient, hessian


@jit
def cell_moments(cells, positions, labels, weights, moments):
    """Add w t^k of each row to `moments[class, cell, k]`, for k = 0 to 3.

    w is the weight of the row and t its position.
    """
    for i in range(cells.size):
        term = weights[i]
        for k in range(4):
            moments[labels[i], cells[i], k] += term
            term *= positions[i]


@jit
def piecewise_cubic(positions, coefficients):
    """Return the values of cubic pieces at the positions.

    The first piece is for positions below 0, then there is one from each integer to the next, and
    the last is for all positions from its integer on. Piece j is a polynomial in the distance from
    j - 1, the first in the distance from 0.
    """
    result = np.empty(positions.size)
    last = coefficients.shape[0] - 1
    for i in range(positions.size):
        t = positions[i]
        piece = 0 if not t >= 0 else 1 + int(min(t, last - 1.0))
        t -= max(piece - 1, 0)
        c = coefficients[piece]
        result[i] = ((c[3] * t + c[2]) * t + c[1]) * t + c[0]
    return result
