"""The input of a report: checked columns, without rows of weight 0."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibkit.report.records import Data

MIN_ROWS_OF_CLASS = 20  # rows of each class below which only simulation is used
RARE_FRACTION = 0.05  # fraction of a class, below which the diagram has log-odds


class CleanSample(NamedTuple):
    """Checked columns, without rows of weight 0.

    Attributes
    ----------
    labels, scores : ndarray of shape (n,)
    weights : ndarray of shape (n,) or None
    groups : ndarray of shape (n,) of int, or None
        Index of the group of each row in `names`.
    names : tuple of str
        Names of the groups.
    clusters : ndarray of shape (n,) of int, or None
        Number of the cluster of each row.
    effect : float
        Number of rows in clusters that tell as much as one independent row.
    sampled : bool
        Whether the weights were found to be sampling weights. Each row is a cluster then.
    clipped : int
        Number of scores that rounding brought beyond [0, 1], and that were clipped.
    """

    labels: NDArray[np.uint8]
    scores: NDArray[np.float64]
    weights: NDArray[np.float64] | None
    groups: NDArray[np.int64] | None = None
    names: tuple[str, ...] = ()
    clusters: NDArray[np.int64] | None = None
    effect: float = 1.0
    sampled: bool = False
    clipped: int = 0

    @property
    def counts(self) -> NDArray[np.float64]:
        """Weight of each row."""
        return np.ones(self.labels.size) if self.weights is None else self.weights

    @property
    def impossible(self) -> int:
        """Number of rows whose outcome was given probability 0."""
        return int(np.count_nonzero(self.scores == 1.0 - self.labels))

    def rows(self, chosen: NDArray) -> "CleanSample":
        """Part of the sample, by a mask or by numbers of rows."""
        return self._replace(
            labels=self.labels[chosen],
            scores=self.scores[chosen],
            weights=None if self.weights is None else self.weights[chosen],
            groups=None if self.groups is None else self.groups[chosen],
            clusters=None if self.clusters is None else self.clusters[chosen],
        )

    @property
    def independent(self) -> "CleanSample":
        """As many independent rows as tell as much, for measures without a form for clusters."""
        return self if self.clusters is None else self._replace(weights=self.counts / self.effect)

    def restored(self, counts):
        """Numbers of rows from numbers of rows of `independent`."""
        return counts if self.clusters is None else np.round(counts * self.effect, 9)

    def measured(self, measure, **options):
        """A measure of the sample."""
        return measure(self.labels, self.scores, sample_weight=self.weights, **options)


def rarer(data: Data) -> float:
    """Number of rows of the rarer class."""
    return min(data.positives, data.total - data.positives)
