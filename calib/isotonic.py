"""Isotonic regression."""

from calib.base import Calibrator
from calib.kernels.grouping import group_ties
from calib.kernels.pooling import pool_adjacent_violators
from calib.maps import LinearMap


class IsotonicCalibrator(Calibrator):
    r"""The increasing map of largest likelihood, by pooling adjacent violators.

    .. math:: \min_{p_1 \le \dots \le p_k} \sum_i w_i (p_i - \bar z_i)^2

    over the distinct scores, w_i their weights, \bar z_i their mean labels; the same p maximises
    the Bernoulli likelihood. Between calibration scores the map is linear, beyond them constant.

    Attributes
    ----------
    counts_, positives_ : ndarray of shape (n_blocks,)
        Weight and positive weight of each block (level set); their quotient is its value.
    map_ : LinearMap
        Piecewise linear, with knots at the first and the last score of each block.

    Notes
    -----
    Fit O(N log N) for the sort and O(N) after it, predict O(1) expected per score, memory O(N).
    With one class only, every prediction is that class. The first block predicts exactly 0 if the
    smallest score belongs to a negative, the last exactly 1 likewise: log loss may be infinite.

    References
    ----------
    Ayer et al. (1955); Zadrozny and Elkan (2002). Naeini, Cooper and Hauskrecht (2014) use it as
    ``IsoReg``.

    Examples
    --------
    >>> from calib import IsotonicCalibrator
    >>> calibrator = IsotonicCalibrator().fit([0.1, 0.2, 0.3, 0.4], [0, 1, 0, 1])
    >>> calibrator.predict([0.1, 0.25, 0.35, 0.9])
    array([0.  , 0.5 , 0.75, 1.  ])
    """

    def _fit(self, scores, labels, weights):
        groups = group_ties(scores, labels, weights)
        starts, self.counts_, self.positives_ = pool_adjacent_violators(
            groups.weights, groups.positives
        )
        values = self.positives_ / self.counts_
        self.map_ = LinearMap.of_blocks(groups.scores, starts[:-1], values)
