"""Isotonic regression: plain, centred or smoothed.

The loop of the method, pool adjacent violators, stands in `calib.kernels.adjacent_violators`,
because other methods use it too.
"""

from calib.base.calibrator import Calibrator
from calib.base.maps import LinearMap
from calib.base.options import check_flag, check_smoothing
from calib.base.probabilities import inside
from calib.kernels.adjacent_violators import pool_adjacent_violators
from calib.kernels.ties import smoothed, ties


class IsotonicCalibrator(Calibrator):
    r"""The increasing map of largest likelihood, by pooling adjacent violators.

    .. math:: \min_{p_1 \le \dots \le p_k} \sum_i w_i (p_i - \bar z_i)^2

    over the distinct scores, w_i their weights, \bar z_i their mean labels. The same p maximises
    the Bernoulli likelihood. Between calibration scores the map is linear, beyond them constant.

    Parameters
    ----------
    centred : bool, default=False
        Whether to place the value of each block (level set) at the weighted mean of its scores
        only, its *centre*, and to interpolate between centres: centred isotonic regression. It
        increases strictly between the first and the last centre, so that no order is lost there,
        and is constant beyond.
    smoothing : float, default=0.0
        Weight of two pseudo-observations, a positive at the smallest score and a negative at the
        largest. With any weight s > 0 each prediction lies in [s / (N + 2s), 1 - s / (N + 2s)],
        and, however small or large s is, in [2**-53, 1 - 2**-53], so that none is rounded to 1.
        A first block of n negatives predicts s / (n + s), if the next one does not predict less.

    Attributes
    ----------
    counts_, positives_ : ndarray of shape (n_blocks,)
        Weight and positive weight of each block, pseudo-observations included. Their quotient,
        kept within the limits of `smoothing`, is its value.
    map_ : LinearMap
        Piecewise linear, with knots at the first and the last score of each block, or, if
        `centred`, at its centre.

    Raises
    ------
    ValueError
        If `centred` is no bool or `smoothing` is negative (when `fit` is called).

    Notes
    -----
    Fit O(N log N) for the sort and O(N) after it, predict O(1) expected per score, memory O(N).
    With one class only, every prediction is that class. With smoothing it is an end of the interval
    above. Without smoothing log loss may be infinite. The first block predicts exactly 0 if the
    smallest score belongs to a negative, and the last one exactly 1 if the largest score belongs to
    a positive.

    Centring does not change the values of the blocks, but the centred map is not calibrated on its
    own sample. Its mean over a block differs from the value of the block. A jump of the true
    calibration function between two large blocks becomes a slope.

    References
    ----------
    Ayer et al. (1955); Zadrozny and Elkan (2002). Naeini, Cooper and Hauskrecht (2014) use it as
    ``IsoReg``. Centred: Oron and Flournoy (2017), as ``cirPAVA(strict=TRUE)`` in their R package
    ``cir``.

    Examples
    --------
    >>> from calib import IsotonicCalibrator
    >>> scores, labels = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6], [0, 0, 1, 0, 1, 1]
    >>> IsotonicCalibrator().fit(scores, labels).predict(scores)
    array([0. , 0. , 0.5, 0.5, 1. , 1. ])
    >>> IsotonicCalibrator(centred=True).fit(scores, labels).predict(scores)
    array([0.   , 0.125, 0.375, 0.625, 0.875, 1.   ])
    >>> IsotonicCalibrator(smoothing=0.5).fit(scores, labels).predict(scores)
    array([0.2, 0.2, 0.5, 0.5, 0.8, 0.8])
    """

    _needs_ties_only = True

    def __init__(self, *, centred: bool = False, smoothing: float = 0.0):
        self.centred = centred
        self.smoothing = smoothing

    def _fit(self, scores, labels, weights):
        check_flag(self.centred, "centred")
        check_smoothing(self.smoothing)
        tied = smoothed(ties(scores, labels, weights), self.smoothing)
        starts, self.counts_, self.positives_ = pool_adjacent_violators(
            tied.weights, tied.positives
        )
        values = self.positives_ / self.counts_
        if self.smoothing > 0:
            values = inside(values)  # pseudo-observations exclude 0 and 1, but rounding does not
        if self.centred:
            self.map_ = LinearMap.of_centres(tied.scores, tied.weights, starts[:-1], values)
        else:
            self.map_ = LinearMap.of_blocks(tied.scores, starts[:-1], values)
