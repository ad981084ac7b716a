"""Cubic B-splines at equally spaced knots, the intervals between them being 1 each."""

import numpy as np

from calib.kernels.spline import cell_moments

N_INTERVALS = 16
CELLS = 64  # in an interval between knots
AT_A_TIME = 2**20  # rows, or there would be many arrays as long as all of them
NO_SPREAD = 1e-9  # squared and in widths of a cell: rounding


def _split(places):
    """What of each place lies between the outer knots, and what beyond them."""
    inner = np.clip(places, 0, N_INTERVALS)
    return inner, places - inner


def rows(places):
    """Cubic B-splines at places in units of intervals: the first of four, and their values.

    Beyond the outer knots each goes on as a line.
    """
    inner, beyond = _split(places)
    first = np.minimum(inner.astype(np.int64), N_INTERVALS - 1)
    r = inner - first
    values = (1 - r) ** 3, (3 * r - 6) * r**2 + 4, ((3 - 3 * r) * r + 3) * r + 1, r**3
    slopes = -((1 - r) ** 2), (3 * r - 4) * r, (2 - 3 * r) * r + 1, r**2
    basis = np.stack([v / 6 + beyond * s / 2 for v, s in zip(values, slopes, strict=True)], axis=1)
    return first, basis


def dense_rows(places):
    """The same as rows of all coefficients."""
    first, basis = rows(places)
    dense = np.zeros((places.size, N_INTERVALS + 3))
    np.put_along_axis(dense, first[:, np.newaxis] + np.arange(4), basis, axis=1)
    return dense


def pieces(coefficients):
    """The spline as polynomials: the line on the left, one for each interval, that on the right."""
    to_powers = np.array([[1, 4, 1, 0], [-3, 0, 3, 0], [3, -6, 3, 0], [-1, 3, -3, 1]]) / 6
    windows = np.lib.stride_tricks.sliding_window_view(np.append(coefficients, 0), 4)
    powers = windows @ to_powers.T
    powers[-1, 2:] = 0  # its last coefficient is none
    left = np.append(powers[0, :2], [0, 0])
    return np.vstack([left, powers])


def _cells(places):
    """Numbers of the cells, which never decrease."""
    inner, beyond = _split(places)
    scaled = inner + np.sign(beyond) * np.log1p(np.abs(beyond))
    return np.floor(CELLS * scaled).astype(np.int64)


def condensed(places, labels, weights):
    """Two rows for each class and cell, with the moments of its rows up to the third.

    Beyond the knots cells are the wider the further out they are.
    """
    start, end = _cells(np.array([places.min(), places.max()]))
    inner, beyond = _split((np.arange(start, end + 1) + 0.5) / CELLS)
    centres = inner + np.sign(beyond) * np.expm1(np.abs(beyond))
    widths = np.exp(np.abs(beyond)) / CELLS
    moments = np.zeros((2, centres.size, 4))
    for first in range(0, places.size, AT_A_TIME):
        some = slice(first, first + AT_A_TIME)
        cells = _cells(places[some]) - start
        cell_moments(cells, places[some] - centres[cells], labels[some], weights[some], moments)
    classes, cells = np.nonzero(moments[:, :, 0])
    totals = moments[classes, cells, 0]
    mean, second, third = (moments[classes, cells, k] / totals for k in (1, 2, 3))
    variance = np.maximum(second - mean**2, 0)
    spread = np.sqrt(variance)
    wide = variance > NO_SPREAD * widths[cells] ** 2
    skew = np.zeros(wide.size)
    np.divide(third - 3 * mean * second + 2 * mean**3, spread**3, out=skew, where=wide)
    ends = (skew + np.sqrt(skew**2 + 4) * np.array([[-1], [1]])) / 2  # their product is -1
    nodes = centres[cells] + mean + spread * ends
    shares = np.abs(ends[::-1]) / (ends[1] - ends[0])
    return nodes.ravel(), np.tile(classes, 2).astype(np.uint8), (totals * shares).ravel()
