"""Weights of an average of calibrators, by their losses on rows that they have not seen."""

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

NODES_PER_PANEL = 16  # of Gauss and Legendre
PANEL_EDGES = np.append(0.0, np.geomspace(1e-12, 1.0, 41))  # powers of the likelihood


def path_weights(losses: NDArray[np.float64], prior: NDArray[np.float64]) -> NDArray[np.float64]:
    r"""Average the posterior weights of the members over all powers of the likelihood.

    .. math:: v_k = \int_0^1 \frac{w_k e^{-u L_k}}{\sum_j w_j e^{-u L_j}} \, du

    With these weights :math:`\sum_k v_k L_k = -\log \sum_k w_k e^{-L_k}`. The left side is at least
    the total loss of the average of the probabilities, because the loss is convex. The right side
    is at most :math:`L_k + \log(1 / w_k)`, whatever k.

    Parameters
    ----------
    losses : ndarray of shape (k,)
        Total log loss of each member on the held-out rows, in nats: L.
    prior : ndarray of shape (k,)
        Positive, of sum 1: w.

    Returns
    -------
    weights : ndarray of shape (k,)
        Positive, of sum 1: v. The quadrature is off by less than 1e-12.
    """
    nodes, node_weights = np.polynomial.legendre.leggauss(NODES_PER_PANEL)
    halves = np.diff(PANEL_EDGES)[:, np.newaxis] / 2
    powers = PANEL_EDGES[:-1, np.newaxis] + halves * (1 + nodes)
    posteriors = softmax(np.log(prior) - powers[..., np.newaxis] * (losses - losses.min()), axis=-1)
    return weights_of_sum_one(np.tensordot(halves * node_weights, posteriors))


def prior_weights(is_scores: NDArray[np.bool_], trust: float) -> NDArray[np.float64]:
    """Prior weights: the members that are the scores share `trust`, the others share the rest.

    If all members are of one kind, their weights are equal.
    """
    n_members = is_scores.size
    n_scores = np.count_nonzero(is_scores)
    if n_scores in (0, n_members):
        return np.full(n_members, 1 / n_members)
    return np.where(is_scores, trust / n_scores, (1 - trust) / (n_members - n_scores))


def weights_of_sum_one(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return weights with the sum 1, or a last digit below: no average with them exceeds 1."""
    shares = weights / weights.sum()
    while np.cumsum(shares)[-1] > 1:
        shares = shares * (1 - 2.0**-53)
    return shares
