"""The range of a path whose steps change their signs together in clusters."""

from calib.kernels.compiling import jit


@jit
def signed_range(steps, read, codes, signs):
    """Range of the prefix sums of ``signs[codes] * steps``, with 0, at the points to be `read`."""
    total = lowest = highest = 0.0
    for i in range(steps.size):
        total += signs[codes[i]] * steps[i]
        if read[i]:
            lowest = min(lowest, total)
            highest = max(highest, total)
    return highest - lowest
