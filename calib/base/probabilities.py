"""Arithmetic of probabilities, log-odds and weights that stays finite."""

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

SMALLEST_PROBABILITY = np.finfo(np.float64).eps / 2  # 1 less it is the largest float below 1


def inside(probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
    """Probabilities kept within [2**-53, 1 - 2**-53], where both logarithms are finite."""
    # quicker than np.clip
    return np.minimum(np.maximum(probabilities, SMALLEST_PROBABILITY), 1 - SMALLEST_PROBABILITY)


def log_odds(probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
    """Logits, finite: probabilities are kept within [2**-53, 1 - 2**-53] first."""
    return logit(inside(probabilities))


def probabilities_of(logits: NDArray[np.float64]) -> NDArray[np.float64]:
    """Probabilities of these log-odds, within [2**-53, 1 - 2**-53].

    Near 1 the function expit alone would be off by a unit of the last place.
    """
    return inside(np.where(logits > 0, 1 - expit(-logits), expit(logits)))


def times_odds(probabilities: NDArray[np.float64], factor: float) -> NDArray[np.float64]:
    """Probabilities whose odds are multiplied by a factor; rounding keeps their order."""
    if factor == 1:
        return probabilities
    with np.errstate(divide="ignore", over="ignore"):  # a probability of 0 remains 0
        return 1 / (1 + (1 / probabilities - 1) / factor)


def log_probabilities(probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
    """Logarithms, finite: probabilities are kept at or above 2**-53 first."""
    logarithms = np.maximum(probabilities, SMALLEST_PROBABILITY)
    return np.log(logarithms, out=logarithms)


def rescaled(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """`weights` times the power of two that brings the largest into [1/2, 1).

    Ratios stay as they are, and products of sums do not leave the range of floating-point numbers.
    """
    exponent = np.frexp(weights.max())[1]
    if abs(exponent) < 1000:  # the power of two is a normal number
        return weights * 2.0**-exponent
    return np.ldexp(weights, -exponent)
