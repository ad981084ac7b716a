"""One pass over an array to learn what `calib.contract.calibrator` must know about it."""

import numpy as np

from calib.kernels.compiling import jit


@jit
def extremes(values):
    """Smallest value, largest value and whether every value is finite."""
    lowest, highest = np.inf, -np.inf
    residue = 0.0  # stays 0 unless a NaN or an infinity is multiplied in
    for value in values:
        lowest = min(lowest, value)
        highest = max(highest, value)
        residue += value * 0.0
    return lowest, highest, residue == 0.0


@jit
def binary_codes(values):
    """Code `values` as 0 and 1; the second result is the first row that is neither, or -1."""
    codes = np.empty(values.size, np.uint8)
    offenders = 0
    for i in range(values.size):
        codes[i] = values[i] == 1
        offenders += (values[i] != 0) & (values[i] != 1)
    if offenders:
        for i in range(values.size):
            if values[i] != 0 and values[i] != 1:
                return codes, i
    return codes, -1
