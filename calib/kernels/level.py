"""The move of all log-odds that makes a sum of probabilities right."""

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import expit, logit

LEAST_DISTANCE = 2.0**-53  # of a mean from 0 and 1, so that its logit is finite


def rate_within(positive: float, total: float) -> float:
    """The fraction of positives, but at least half an observation from 0 and 1."""
    least = 0.5 / (total + 1)
    return float(np.clip(positive / total, least, 1 - least))


def level_shift(logits: NDArray[np.float64], weights: NDArray[np.float64], mean: float) -> float:
    """The number that, added to the finite `logits`, makes the mean probability `mean`, in (0, 1).

    O(n) for each of some six steps.
    """

    def finite_logit(mean):  # the mean of many rows may round to 1
        return logit(np.clip(mean, LEAST_DISTANCE, 1 - LEAST_DISTANCE))

    def excess(shift):  # nearly a line
        return finite_logit(np.average(expit(logits + shift), weights=weights)) - target

    target = finite_logit(mean)
    lowest = target - logits.max() - 1e-9
    highest = target - logits.min() + 1e-9
    return float(brentq(excess, lowest, highest, xtol=1e-13))
