"""What the measures would be if the predictions were calibrated: outcomes drawn from them."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from calib.kernels.adjacent_violators import pool_adjacent_violators
from calib.kernels.binning import prefix_sums
from calib.metrics.unbinned import smoothed_error

N_DRAWS = 99  # the fifth largest is exceeded in 5 of 100 samples


class Chance(NamedTuple):
    """Each measure of samples whose outcomes were drawn from the predictions; shape (N_DRAWS,)."""

    kuiper: NDArray[np.float64]
    miscalibration: NDArray[np.float64]
    smooth_ece: NDArray[np.float64]


def measures_by_chance(groups, rng):
    """Draw outcomes from the distinct predictions `groups`; None if weights are not whole numbers.

    The predictions stay as they are, so the draws need no theory of large samples.
    """
    if np.any(groups.weights != np.rint(groups.weights)):
        return None
    scores, weights = groups.scores, groups.weights
    total = weights.sum()
    single = weights.max() == 1
    counts = weights.astype(np.int64)
    kuiper, miscalibration, smooth = np.empty((3, N_DRAWS))
    for draw in range(N_DRAWS):
        if single:
            positives = (rng.random(scores.size) < scores).astype(np.float64)
        else:
            positives = rng.binomial(counts, scores).astype(np.float64)
        residuals = positives - weights * scores
        kuiper[draw] = np.ptp(prefix_sums(residuals)) / total
        miscalibration[draw] = miscalibration_of(scores, weights, positives)
        smooth[draw] = smoothed_error(scores, residuals, total)
    return Chance(kuiper, miscalibration, smooth)


def miscalibration_of(scores, weights, positives):
    """MCB of the Brier score from sums: that of the predictions less that of the isotonic fit."""
    _, totals, hits = pool_adjacent_violators(weights, positives)
    ours = np.dot(scores, weights * scores - 2 * positives)
    return (ours + np.dot(hits, hits / totals)) / weights.sum()
