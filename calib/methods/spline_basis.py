"""Cubic B-splines at equally spaced knots, the intervals between them being 1 each."""

import numpy as np

from calib.kernels.spline import cell_moments

N_INTERVALS = 16  # intervals between the knots
CELLS_PER_INTERVAL = 64  # cells, in each of which rows are condensed
ROWS_AT_A_TIME = 2**20  # rows, so that few arrays are as long as the sample
MIN_VARIANCE = 1e-9  # variance in squared widths of a cell, below which it is a rounding error


def _inner_and_beyond(positions):
    """The positions, moved to the outer knots if they lie beyond, and how far they were moved."""
    inner = np.clip(positions, 0, N_INTERVALS)
    return inner, positions - inner


def rows(positions):
    """Return the values of cubic B-splines at positions in units of intervals.

    Returns, for each place, the number of the first spline that is not 0, and the values of four
    splines from there on. Beyond the outer knots each spline goes on as a line.
    """
    inner, beyond = _inner_and_beyond(positions)
    first = np.minimum(inner.astype(np.int64), N_INTERVALS - 1)
    r = inner - first
    columns = [
        (1 - r) ** 3 / 6 + beyond * -((1 - r) ** 2) / 2,
        ((3 * r - 6) * r**2 + 4) / 6 + beyond * ((3 * r - 4) * r) / 2,
        (((3 - 3 * r) * r + 3) * r + 1) / 6 + beyond * ((2 - 3 * r) * r + 1) / 2,
        r**3 / 6 + beyond * r**2 / 2,
    ]
    return first, np.stack(columns, axis=1)


def dense_rows(positions):
    """Return the values of all cubic B-splines at positions, of shape (n, N_INTERVALS + 3)."""
    first, basis = rows(positions)
    dense = np.zeros((positions.size, N_INTERVALS + 3))
    np.put_along_axis(dense, first[:, np.newaxis] + np.arange(4), basis, axis=1)
    return dense


def pieces(coefficients):
    """Return the spline as polynomials.

    They are the line on the left, a cubic for each interval and the line on the right.
    """
    to_powers = np.array([[1, 4, 1, 0], [-3, 0, 3, 0], [3, -6, 3, 0], [-1, 3, -3, 1]]) / 6
    windows = np.lib.stride_tricks.sliding_window_view(np.append(coefficients, 0), 4)
    powers = windows @ to_powers.T
    powers[-1, 2:] = 0  # the right-hand piece is a line: no quadratic or cubic term
    left = np.append(powers[0, :2], [0, 0])
    return np.vstack([left, powers])


def _cells(positions):
    """Return the numbers of the cells, which increase with the positions."""
    inner, beyond = _inner_and_beyond(positions)
    scaled = inner + np.sign(beyond) * np.log1p(np.abs(beyond))
    return np.floor(CELLS_PER_INTERVAL * scaled).astype(np.int64)


def condensed(positions, labels, weights):
    """Replace the rows of each class and cell by two rows with the same moments up to the third.

    Cells beyond the knots are wider, the further out they are.
    """
    start, end = _cells(np.array([positions.min(), positions.max()]))
    inner, beyond = _inner_and_beyond((np.arange(start, end + 1) + 0.5) / CELLS_PER_INTERVAL)
    centres = inner + np.sign(beyond) * np.expm1(np.abs(beyond))
    widths = np.exp(np.abs(beyond)) / CELLS_PER_INTERVAL
    moments = np.zeros((2, centres.size, 4))
    for first in range(0, positions.size, ROWS_AT_A_TIME):
        block = slice(first, first + ROWS_AT_A_TIME)
        cells = _cells(positions[block]) - start
        cell_moments(
            cells, positions[block] - centres[cells], labels[block], weights[block], moments
        )
    classes, cells = np.nonzero(moments[:, :, 0])
    totals = moments[classes, cells, 0]
    mean = moments[classes, cells, 1] / totals
    second = moments[classes, cells, 2] / totals
    third = moments[classes, cells, 3] / totals
    variance = np.maximum(second - mean**2, 0)
    spread = np.sqrt(variance)
    wide = variance > MIN_VARIANCE * widths[cells] ** 2
    skew = np.zeros(wide.size)
    np.divide(third - 3 * mean * second + 2 * mean**3, spread**3, out=skew, where=wide)
    ends = (skew + np.sqrt(skew**2 + 4) * np.array([[-1], [1]])) / 2  # their product is -1
    nodes = centres[cells] + mean + spread * ends
    shares = np.abs(ends[::-1]) / (ends[1] - ends[0])
    return nodes.ravel(), np.tile(classes, 2).astype(np.uint8), (totals * shares).ravel()
