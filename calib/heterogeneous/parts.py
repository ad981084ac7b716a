"""The parts of a partition, and the calibrator of each."""

from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from calib.base.protocol import calibrated, calibrated_logits, fitted
from calib.heterogeneous.partitions import rows_by_part
from calib.heterogeneous.shifted import Shifted, fit_offset


class LabelledScores(NamedTuple):
    """The checked scores, labels and weights of a sample.

    Attributes
    ----------
    scores, labels : ndarray of shape (n,)
    weights : ndarray of shape (n,) or None
        None if every row counts once.
    """

    scores: NDArray[np.float64]
    labels: NDArray[np.uint8]
    weights: NDArray[np.float64] | None

    def take(self, rows: NDArray[np.int64]) -> "LabelledScores":
        """The sample of these rows, given by their numbers."""
        return LabelledScores(
            scores=self.scores[rows],
            labels=self.labels[rows],
            weights=None if self.weights is None else self.weights[rows],
        )

    def has_both_classes(self) -> bool:
        """Whether both labels occur."""
        return 0 < int(np.count_nonzero(self.labels)) < self.labels.size


class Part(NamedTuple):
    """One part of a partition and its calibrator.

    Attributes
    ----------
    tree : int
        Number of the tree in the partition, from 0.
    number : int
        Number of the leaf in that tree, or of the group.
    rule : str
        Who belongs to the part, in words.
    n_points, n_positive : int
        Calibration points (rows) in the part, and positives among them.
    effective_size : float
        Number of points of balanced classes that would carry as much information about the part:
        4 m (n - m) / n for m positives of n points, where weights count as copies.
    score_range : pair of float
        Lowest and highest score that was calibrated, or NaN without points.
    calibrator : Calibrator, Shifted or Blended
        The calibrator of the scores of this part.
    fallback : bool
        Whether the part is too small for a separate map. Its calibrator is then the calibrator of
        all points, shifted by an offset that the points of the part choose
        (`calib.heterogeneous.shifted.Shifted`), or unchanged if the part has no points.
    """

    tree: int
    number: int
    rule: str
    n_points: int
    n_positive: int
    effective_size: float
    score_range: tuple[float, float]
    calibrator: Any
    fallback: bool

    @property
    def slope(self) -> float | None:
        """The a of Platt scaling, or None for other calibrators."""
        return getattr(self.calibrator, "slope_", None)

    @property
    def intercept(self) -> float | None:
        """The b of Platt scaling, or None for other calibrators."""
        return getattr(self.calibrator, "intercept_", None)


class CalibratedParts:
    """A calibrator for each part of a fitted partition.

    Parameters
    ----------
    partition : Leaves or GivenGroups
    calibrator : Calibrator
        The calibrator that is cloned for each part.
    min_part_size : int
        Effective size from which on a part has a separate calibrator.

    Attributes
    ----------
    parts : list of Part
    fallbacks : list of Calibrator
        The calibrator of all points, for each tree.
    """

    def __init__(self, partition, calibrator, min_part_size):
        self.partition = partition
        self.calibrator = calibrator
        self.min_part_size = min_part_size
        self.parts = []
        self.fallbacks = []
        self._calibrators = []  # for each tree, a dict from the number of a part to its calibrator

    def fit(self, part_numbers, sample: LabelledScores) -> Self:
        """Calibrate each part. `part_numbers` is an array of shape (n, T), a column a tree."""
        for tree, numbers in enumerate(part_numbers.T):
            self._fit_tree(tree, numbers, sample)
            if self.partition.sequential:
                scores = self._calibrate(tree, numbers, sample.scores, _as_scores)
                sample = sample._replace(scores=scores)
        return self

    def predict(self, part_numbers, scores):
        """Calibrated probabilities of rows."""
        n_trees = part_numbers.shape[1]
        if not self.partition.sequential:
            total = 0.0
            for tree in range(n_trees):
                total += self._calibrate(tree, part_numbers[:, tree], scores, calibrated)
            return total / n_trees
        for tree in range(n_trees - 1):
            scores = self._calibrate(tree, part_numbers[:, tree], scores, _as_scores)
        return self._calibrate(n_trees - 1, part_numbers[:, -1], scores, calibrated)

    def calibrator_of(self, tree, number):
        """The calibrator of a part. The calibrator of all points if the part has not occurred."""
        return self._calibrators[tree].get(number, self.fallbacks[tree])

    def _fit_tree(self, tree, part_numbers, sample):
        """Add the parts of one tree, given the part of each row."""
        common = self._fit_common(tree, sample)
        rows_of = rows_by_part(part_numbers)
        both_classes = sample.has_both_classes()
        calibrators = {}
        for number, rule in self.partition.rules[tree].items():
            rows = rows_of.get(number, np.empty(0, np.int64))
            in_part = sample.take(rows)
            effective_size = effective_size_of(in_part.labels, in_part.weights)
            has_own_map = effective_size >= self.min_part_size
            if not rows.size or not both_classes:
                calibrator = common
            elif has_own_map:
                calibrator = self._fit_large(tree, number, common, in_part)
            else:
                calibrator = self._fit_small(common, in_part)
            calibrators[number] = calibrator
            self.parts.append(
                Part(
                    tree=tree,
                    number=number,
                    rule=rule,
                    n_points=rows.size,
                    n_positive=int(np.count_nonzero(in_part.labels)),
                    effective_size=effective_size,
                    score_range=_score_range(in_part.scores),
                    calibrator=calibrator,
                    fallback=not has_own_map,
                )
            )
        self.fallbacks.append(common)
        self._calibrators.append(calibrators)

    def _fit_common(self, tree, sample):
        """The calibrator of all points."""
        if tree > 0 and not self.partition.sequential:
            return self.fallbacks[0]  # trees side by side have the same scores
        return fitted(self.calibrator, sample.scores, sample.labels, sample.weights)

    def _fit_large(self, tree, number, common, in_part):
        """The calibrator of a part that is large enough for a separate map."""
        return fitted(self.calibrator, in_part.scores, in_part.labels, in_part.weights)

    def _fit_small(self, common, in_part):
        """The calibrator of a smaller part that has points."""
        return shifted(common, in_part)

    def _calibrate(self, tree, part_numbers, scores, output):
        """Apply `output(calibrator, scores)` to the rows of each part of one tree."""
        result = np.empty(scores.size)
        for number, rows in rows_by_part(part_numbers).items():
            result[rows] = output(self.calibrator_of(tree, number), scores[rows])
        return result


def shifted(common, sample: LabelledScores, precision: float = 1.0) -> Shifted:
    """The `common` calibrator, shifted by the offset that a few points ask for."""
    logits = calibrated_logits(common, sample.scores)
    offset = fit_offset(logits, sample.labels, sample.weights, precision)
    return Shifted(common=common, offset=offset)


def effective_size_of(
    labels: NDArray[np.number], weights: NDArray[np.float64] | None = None
) -> float:
    """Number of points of balanced classes with as much information: 4 m (n - m) / n.

    There are n points and m positives, where weights count as copies.
    """
    n = float(labels.size if weights is None else weights.sum())
    m = float(np.count_nonzero(labels) if weights is None else weights @ labels)
    return 4 * m * (n - m) / n if n else 0.0


def _score_range(scores):
    """Lowest and highest score, or NaN without scores."""
    if scores.size == 0:
        return np.nan, np.nan
    return float(scores.min()), float(scores.max())


def _as_scores(calibrator, scores):
    """Calibrated rows as scores for the next calibrator of a sequence."""
    if getattr(calibrator, "unit_scores", False):
        return calibrated(calibrator, scores)
    return calibrated_logits(calibrator, scores)
