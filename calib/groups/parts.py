"""The parts of a partition, the calibrator of each, and how strongly they are pooled."""

import warnings
from typing import Any, NamedTuple, Self

import numpy as np
from sklearn.utils import _safe_indexing

from calib.contract.calibrator import Calibrator
from calib.contract.protocol import calibrated, calibrated_logits, fitted
from calib.contract.validation import log_odds
from calib.groups.partitions import rows_by_part
from calib.groups.pooling import Blended, Shifted, effective_size_of, fit_offset
from calib.kernels.dealing import deal

STRENGTHS = (np.inf, 3000.0, 1000.0, 300.0, 100.0, 30.0, 10.0, 0.0)
FOLDS = 5


class Part(NamedTuple):
    """One part of a partition and its calibrator.

    Attributes
    ----------
    tree : int
        Which tree of the partition, from 0.
    number : int
        Of the leaf in that tree, or of the group.
    rule : str
        Who belongs to it, in words.
    n_points, n_positive : int
        Calibration points (rows) in it, and positives among them.
    effective_size : float
        Points of balanced classes that would tell as much about it: 4 m (n - m) / n for m positives
        of n points, weights counting as copies.
    score_range : pair of float
        Lowest and highest score that was calibrated; NaN without points.
    calibrator : Calibrator, Shifted or Blended
        What maps the scores of this part; with pooling, drawn towards the calibrator of all points
        (`calib.groups.pooling.Blended`).
    fallback : bool
        Whether that is the calibrator of all points of the sample, shifted by what the points here
        tell (`calib.groups.pooling.Shifted`; as it is if there are none), for lack of a map of its
        own.
    """

    tree: int
    number: int
    rule: str
    n_points: int
    n_positive: int
    effective_size: float
    score_range: tuple[float, float]
    calibrator: Calibrator
    fallback: bool

    @property
    def slope(self) -> float | None:
        """The a of Platt scaling; None for other calibrators."""
        return getattr(self.calibrator, "slope_", None)

    @property
    def intercept(self) -> float | None:
        """The b of Platt scaling; None for other calibrators."""
        return getattr(self.calibrator, "intercept_", None)


class Recipe(NamedTuple):
    """How the calibrator of a part is made.

    Attributes
    ----------
    calibrator : Calibrator
        What is cloned.
    min_part_size : int
        Effective size from which on a part has a calibrator of its own.
    pooling : float
        How strongly parts are drawn towards the calibrator of all points.
    """

    calibrator: Any
    min_part_size: int
    pooling: float

    def shifted(self, common, scores, labels, weights):
        """The `common` calibrator of all points, shifted by what a few of them tell."""
        common = Shifted(common, 0.0)
        logits, precision = common.predict_logit(scores), 1 + self.pooling / 4
        return common._replace(offset=fit_offset(logits, labels, weights, precision))

    def blended(self, common, own, effective_size):
        """The calibrator of a part, drawn towards the `common` one."""
        if self.pooling == 0:
            return own
        return Blended(common, own, effective_size / (effective_size + self.pooling))


class CalibratedParts:
    """A calibrator for each part of a fitted partition.

    Parameters
    ----------
    partition : Leaves or GivenGroups
    recipe : Recipe

    Attributes
    ----------
    parts : list of Part
    fallbacks : list of Calibrator
        That of all points, for each tree.
    """

    def __init__(self, partition, recipe):
        self.partition, self.recipe = partition, recipe
        self.parts, self.fallbacks, self._calibrators = [], [], []

    def fit(self, beside, scores, labels, weights, own=None) -> Self:
        """Calibrate each part.

        `beside` are the groups or features of the rows. `own` are calibrators that have been fitted
        to the same rows before, and takes new ones.
        """
        own = {} if own is None or self.partition.sequential else own
        for tree, part_numbers in enumerate(self.partition.parts_of(beside).T):
            self._fit_tree(tree, part_numbers, scores, labels, weights, own)
            if self.partition.sequential:
                scores = self._calibrate(tree, part_numbers, scores, _as_scores)
        return self

    def predict(self, beside, scores):
        """Calibrated probabilities of rows."""
        if scores.size == 0:  # trees refuse to look at no rows
            return scores
        trees = list(enumerate(self.partition.parts_of(beside).T))
        if not self.partition.sequential:
            return sum(self._calibrate(*tree, scores, calibrated) for tree in trees) / len(trees)
        for tree in trees[:-1]:
            scores = self._calibrate(*tree, scores, _as_scores)
        return self._calibrate(*trees[-1], scores, calibrated)

    def _fit_tree(self, tree, part_numbers, scores, labels, weights, own):
        """Add the parts of one tree, given the part and the score of each row."""
        if tree == 0 or self.partition.sequential:
            if tree not in own:
                own[tree] = fitted(self.recipe.calibrator, scores, labels, weights)
            self.fallbacks.append(own[tree])
        else:
            self.fallbacks.append(self.fallbacks[0])
        self._calibrators.append({})
        rows_of = rows_by_part(part_numbers)
        untold = self.recipe.pooling == np.inf or not 0 < np.count_nonzero(labels) < labels.size
        for number, rule in self.partition.rules[tree].items():
            rows = rows_of.get(number, np.empty(0, np.int64))
            sample = scores[rows], labels[rows], None if weights is None else weights[rows]
            effective_size = effective_size_of(*sample[1:])
            enough = effective_size >= self.recipe.min_part_size
            common = self.fallbacks[-1]
            if untold or not rows.size:
                calibrator = common
            elif enough:
                if (tree, number) not in own:
                    own[tree, number] = fitted(self.recipe.calibrator, *sample)
                calibrator = self.recipe.blended(common, own[tree, number], effective_size)
            else:
                calibrator = self.recipe.shifted(common, *sample)
            self._calibrators[tree][number] = calibrator
            inside = scores[rows] if rows.size else np.array([np.nan])
            sizes = rows.size, int(np.count_nonzero(labels[rows])), effective_size
            ends = float(inside.min()), float(inside.max())
            self.parts.append(Part(tree, number, rule, *sizes, ends, calibrator, not enough))

    def _calibrate(self, tree, part_numbers, scores, output):
        """`output` of each row's calibrator in one tree."""
        result = np.empty(scores.size)
        for number, rows in rows_by_part(part_numbers).items():
            calibrator = self._calibrators[tree].get(number, self.fallbacks[tree])
            result[rows] = output(calibrator, scores[rows])
        return result


def _as_scores(calibrator, scores):
    """What has been calibrated, as scores for the next calibrator of a sequence."""
    if getattr(calibrator, "unit_scores", False):
        return calibrated(calibrator, scores)
    return calibrated_logits(calibrator, scores)


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
