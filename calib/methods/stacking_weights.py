"""Weights of an average of probabilities, by the likelihood of the outcomes."""

import numpy as np
from numpy.typing import NDArray

OPTIMALITY_GAP = 1e-9  # mean log loss, within which the weights count as the best
MAX_WEIGHT_STEPS = 200  # Newton steps
ROUNDING_GAIN = 1e-12  # change of the mean log likelihood that may be a rounding error
MIN_CAUTIOUS_PRIOR = 1.0  # least prior of a stack if a class has fewer observations than folds


def likeliest_weights(
    losses: NDArray[np.float64], copies: NDArray[np.float64], prior: float
) -> tuple[NDArray[np.float64], float]:
    """Find the weights of the likeliest average, and a bound of what its mean log loss lacks.

    Newton's method maximises the log likelihood plus the log prior.

    Parameters
    ----------
    losses : ndarray of shape (n, k)
        Minus the log-likelihood of each row under each member.
    copies : ndarray of shape (n,)
        Weights of the rows.
    prior : float
        Exponent of each weight in the prior.
    """
    shares = np.exp(losses.min(axis=1, keepdims=True) - losses)
    total = copies.sum() + prior * losses.shape[1]

    def value(weights):
        return copies @ np.log(shares @ weights) + prior * np.log(weights).sum()

    weights = np.full(losses.shape[1], 1 / losses.shape[1])
    for _ in range(MAX_WEIGHT_STEPS):
        ratios = shares / (shares @ weights)[:, np.newaxis]
        # subtracting `total` times the sum of the weights makes 1 the best sum
        gradient = copies @ ratios + prior / weights - total
        gap = float(gradient.max() / copies.sum())
        if gap <= OPTIMALITY_GAP:
            break
        curvature = ratios.T @ (copies[:, np.newaxis] * ratios) + np.diag(prior / weights**2)
        step = np.linalg.solve(curvature, gradient)
        least = value(weights) - ROUNDING_GAIN * total
        step /= max(1.0, 2 * np.max(-step / weights))  # no weight loses more than half
        while value(weights_of_sum_one(weights + step)) < least:
            step /= 2
        weights = weights_of_sum_one(weights + step)
    return weights, gap


def weights_of_sum_one(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return weights with the sum 1, or a last digit below: no average with them exceeds 1."""
    shares = weights / weights.sum()
    while np.cumsum(shares)[-1] > 1:
        shares = shares * (1 - 2.0**-53)
    return shares
