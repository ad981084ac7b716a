"""Weights of an average of probabilities, by the likelihood of what happened."""

import numpy as np
from numpy.typing import NDArray

GAP = 1e-9  # of the mean log loss, within which the weights are the best
MOST_STEPS = 200
SHY = 1.0  # least prior where a class has fewer observations than there are folds


def likeliest_weights(
    losses: NDArray[np.float64], copies: NDArray[np.float64], prior: float
) -> tuple[NDArray[np.float64], float]:
    """Weights of the likeliest average, and how far its mean log loss is from the least, at most.

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
    for _ in range(MOST_STEPS):
        ratios = shares / (shares @ weights)[:, np.newaxis]
        # a charge of `total` for the sum of the weights makes 1 the best sum
        gradient = copies @ ratios + prior / weights - total
        gap = float(gradient.max() / copies.sum())
        if gap <= GAP:
            break
        curvature = ratios.T @ (copies[:, np.newaxis] * ratios) + np.diag(prior / weights**2)
        step, best = np.linalg.solve(curvature, gradient), value(weights)
        step /= max(1.0, 2 * np.max(-step / weights))  # no weight loses more than half
        while value(normalized(weights + step)) < best - 1e-12 * total:  # room for rounding
            step /= 2
        weights = normalized(weights + step)
    return weights, gap


def normalized(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Of sum 1, or a last digit below, however they are added: no average exceeds 1."""
    weights = weights / weights.sum()
    while np.cumsum(weights)[-1] > 1:
        weights = weights * (1 - 2.0**-53)
    return weights
