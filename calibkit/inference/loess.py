"""Local quadratic regression of outcomes on predictions, and the noise of its curve."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from calib.kernels.binning import segment_sums
from calib.kernels.ties import ties
from calibkit.inference.clusters import runs_of_neighbours
from calibkit.inference.loess_kernels import loess_operator

MAX_LOCAL_FITS = 1000  # predictions, beyond which neighbours are pooled before the fits
LOESS_SPAN = 0.75  # fraction of the points in a local fit, the default of R's loess
MAX_LEVERAGE = 0.9  # part of a row in its own fitted value, beyond which residuals grow no more


@dataclass(frozen=True)
class LoessFit:
    """Local regressions on the distinct predictions, of which at most 1000 are kept.

    Attributes
    ----------
    points, counts, positives : ndarray of shape (m,)
        Mean prediction, weight of all rows and weight of the positives of neighbours.
    point_of_row : ndarray of shape (n,) of int
        Number of the point that each row belongs to.
    """

    points: NDArray[np.float64]
    counts: NDArray[np.float64]
    positives: NDArray[np.float64]
    point_of_row: NDArray[np.int64]

    def operator(self, at: NDArray[np.float64]) -> NDArray[np.float64]:
        """Weights of the points in the curve at each place, of shape (k, m)."""
        return loess_operator(self.points, self.counts, at, LOESS_SPAN)

    @cached_property
    def at_points(self) -> NDArray[np.float64]:
        """The operator at the points themselves."""
        return self.operator(self.points)

    @cached_property
    def curve(self) -> NDArray[np.float64]:
        """The curve at the points. It may leave [0, 1]."""
        return self.at_points @ (self.positives / self.counts)

    @cached_property
    def freed(self) -> NDArray[np.float64]:
        """Factor of the residuals of each point that makes up for the pull of a row on its fit."""
        leverage = self.at_points.diagonal() / np.maximum(self.counts, 1)
        return 1 / (1 - np.minimum(leverage, MAX_LEVERAGE))

    @cached_property
    def mean_variances(self) -> NDArray[np.float64]:
        """Estimated variance of the mean outcome at each point, where rows are independent."""
        negatives = self.counts - self.positives
        squares = self.positives * (1 - self.curve) ** 2 + negatives * self.curve**2
        return squares * np.square(self.freed / self.counts)


def loess_fit(
    labels: NDArray[np.uint8],
    probabilities: NDArray[np.float64],
    weights: NDArray[np.float64] | None,
) -> LoessFit:
    """Fit to checked rows, whose weights count."""
    tied = ties(probabilities, labels, weights)
    starts = runs_of_neighbours(tied, MAX_LOCAL_FITS)
    counts, totals, positives = segment_sums(starts, tied.scores, tied.weights, tied.positives)
    tie_of_row = np.searchsorted(tied.scores, probabilities)
    return LoessFit(
        points=totals / counts,
        counts=counts,
        positives=positives,
        point_of_row=np.searchsorted(starts, tie_of_row, side="right") - 1,
    )
