"""Members of the average for scores that are no probabilities, all rising with the score."""

import numpy as np

from calib.base.calibrator import Calibrator
from calib.base.maps import LinearMap
from calib.kernels.ties import ties
from calib.methods.platt import PlattScaling
from calib.methods.spline import SplineCalibrator

MAX_KNOTS = 256  # of a `RankSpline`


class RisingLine(PlattScaling):
    """Platt scaling, but the base rate where the line of the log-odds would fall."""

    def _fit(self, scores, labels, weights):
        super()._fit(scores, labels, weights)
        if self.slope_ < 0:
            super()._fit(np.zeros(scores.size), labels, weights)


class RankSpline(Calibrator):
    """A spline of the ranks of the scores, which knows no far-out score.

    The rank of a score is the fraction of the rows below it, with half of the rows that tie. A
    `SplineCalibrator` takes the ranks for probabilities. The map joins its values at some of the
    scores, at most 256, by straight lines.

    Attributes
    ----------
    map_ : LinearMap
    """

    def _fit(self, scores, labels, weights):
        tied = ties(scores, labels, weights)
        ranks = (np.cumsum(tied.weights) - tied.weights / 2) / tied.weights.sum()
        rows = np.searchsorted(tied.scores, scores)
        spline = SplineCalibrator().fit(ranks[rows], labels, sample_weight=weights)
        spaced = np.searchsorted(ranks, np.linspace(0, 1, MAX_KNOTS))
        knots = np.unique(np.minimum(spaced, ranks.size - 1))
        self.map_ = LinearMap(tied.scores[knots], spline.predict(ranks[knots]))
