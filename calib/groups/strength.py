"""The strength of pooling, chosen by cross-validation."""

import warnings

import numpy as np
from sklearn.utils import _safe_indexing

from calib.contract.validation import log_odds
from calib.groups.parts import CalibratedParts
from calib.kernels.dealing import deal

STRENGTHS = (np.inf, 3000.0, 1000.0, 300.0, 100.0, 30.0, 10.0, 0.0)
FOLDS = 5


def cross_validated_strength(partitioned, recipe, ties, beside, scores, labels, weights):
    """The strength with the smallest log loss out of fold; of equal ones the largest.

    Parameters
    ----------
    partitioned : function
        Of groups or features, scores, labels and weights of some rows: their fitted partition.
    recipe : Recipe
        Of the calibrators, whatever its strength.
    ties : ndarray of shape (T, n)
        Parts of the rows, by which rows of equal score and label are told apart.
    beside : ndarray of shape (n,) or anything with rows
        Groups, or features.
    scores, labels : ndarray of shape (n,)
    weights : ndarray of shape (n,) or None

    Returns
    -------
    strength : float
        Infinity if a class has too few observations to compare anything.
    """
    copies = np.ones(scores.size) if weights is None else weights
    if min(copies[labels == label].sum() for label in (0, 1)) < FOLDS:
        return np.inf
    losses = np.zeros(len(STRENGTHS))
    with warnings.catch_warnings():  # what matters of the whole sample is said there
        warnings.simplefilter("ignore")
        for held_out in deal(scores, labels, copies, FOLDS, ties):
            others = copies - held_out
            others[others < 1e-9 * copies] = 0.0  # left by rounding
            rows, tested = np.flatnonzero(others), np.flatnonzero(held_out)
            told = None if weights is None else others[rows]
            training = _safe_indexing(beside, rows), scores[rows], labels[rows], told
            queries = _safe_indexing(beside, tested), scores[tested]
            signs = np.where(labels[tested] == 1, 1.0, -1.0)
            for k, logits in enumerate(_logits(partitioned(*training), recipe, training, queries)):
                losses[k] += held_out[tested] @ np.logaddexp(0, -signs * logits)
    return STRENGTHS[int(np.argmin(losses))]


def _logits(partition, recipe, training, queries):
    """Log-odds of the queries for each of `STRENGTHS`."""
    own = {}  # fitted once for all strengths
    for strength in STRENGTHS:
        parts = CalibratedParts(partition, recipe._replace(pooling=strength))
        yield log_odds(parts.fit(*training, own).predict(*queries))
