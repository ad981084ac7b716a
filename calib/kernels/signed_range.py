"""The range of a path of sums whose steps change their signs together."""

from calib.kernels.compiling import jit


@jit
def signed_range(steps, read, codes, signs):
    """Range of the sums of ``signs[codes] * steps`` from 0 on, at the points that are `read`."""
    total = lowest = highest = 0.0
    for i in range(steps.size):
        total += signs[codes[i]] * steps[i]
        if read[i]:
            lowest = min(lowest, total)
            highest = max(highest, total)
    return highest - lowest
