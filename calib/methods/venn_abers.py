"""The inductive Venn-Abers predictor, and the direct isotonic regression that it corrects.

The two sweeps that find all pairs stand in venn_abers_kernels.py. Sections, equations and
algorithms are from Vovk and Petej (2014).
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, logit
from sklearn.utils.validation import check_is_fitted

from calib.base.calibrator import Calibrator
from calib.base.maps import StepMap
from calib.base.options import check_choice, check_flag
from calib.base.probabilities import log_odds, times_odds
from calib.kernels.adjacent_violators import pool_adjacent_violators
from calib.kernels.level import level_shift, rate_within
from calib.kernels.ties import ties
from calib.methods.venn_abers_kernels import look_up, venn_abers_pairs

# Both merges increase with p0 and p1 even when rounded, because each operation is monotone.


def minimax_log(p0, p1):
    """p1 / (1 - p0 + p1), equation (10): under log loss both labels have the same regret."""
    with np.errstate(divide="ignore"):  # p1 is 0 only by rounding
        return 1 / (1 + (1 - p0) / p1)


def minimax_square(p0, p1):
    """p1 + (p0^2 - p1^2) / 2, equation (11): both labels have the same regret under square loss."""
    return (1 - (1 - p1) ** 2 + p0**2) / 2


MERGES = {"log": minimax_log, "brier": minimax_square}


class VennAbers(Calibrator):
    r"""Two isotonic regressions, one for each label that the new object may have.

    .. math:: p_c(y) = g_c(y), \quad c \in \{0, 1\},

    :math:`g_c` the isotonic regression of the calibration sample and (y, c). Fitted on scores that
    the classifier was not trained on, this is the inductive Venn-Abers predictor (IVAP). The
    probability that belongs to the true label is perfectly calibrated, but neither p0 nor p1 is on
    its own. Fitted on the training scores it is the simplified predictor (SVA), Algorithm 2,
    without this guarantee.

    Parameters
    ----------
    loss : {"log", "brier"}, default="log"
        Loss for which `predict` merges the pair to one probability of minimax regret,

        .. math::

            p_{\log} &= \frac{p_1}{1 - p_0 + p_1}, \\
            p_{\text{square}} &= p_1 + \frac{p_0^2 - p_1^2}{2}.
    centred : bool, default=False
        Whether one number is added to the log-odds of the merged probabilities, so that their sum
        over the rows of the fit is the number of positives (at least half of one, and as much less
        than all rows). The pair remains unchanged.

    Attributes
    ----------
    scores_ : ndarray of shape (k,)
        The distinct calibration scores at which p0 or p1 changes, in increasing order.
    p0_ : ndarray of shape (k + 1,)
        Every value of p0, by the number of `scores_` that are <= the new score.
    p1_ : ndarray of shape (k + 1,)
        Every value of p1, by the number of `scores_` that are < the new score.
    shift_ : float
        The number that is added to the log-odds, or 0 unless `centred`.
    map_ : StepMap
        The merged probability as a step map. A step may be one floating-point number wide.

    Notes
    -----
    :math:`0 \le p_0 < p_1 \le 1` and :math:`p_1 - p_0 \ge 1 / (N + 1)`, N the weight of the
    sample. As p0 < 1 and p1 > 0, neither the pair nor the merged probability can have infinite log
    loss. The new object has weight 1 whatever the weights of the others are. Weights are counts.

    The sample needs no second class and no second point. Below all scores p0 is 0, above all of
    them p1 is 1. With one class of N points the interval beyond the scores at the end where that
    class is expected is [N / (N + 1), 1] or [0, 1 / (N + 1)], and it is [0, 1] at the other end.

    Exact calibration needs a calibration sample drawn without a look at the labels.
    `CalibratedClassifier` with a fraction, such as ``cv=0.5``, draws each class in proportion, so
    that the property holds nearly; for the exact property pass
    ``cv=ShuffleSplit(1, test_size=0.5)``.

    Where positives are rare, the merged probabilities are too high in sum, by 5 to 40 %. Each block
    of rows that the regressions pool adds about one positive that was not there. The log loss
    hardly shows it. Where the probabilities are added up, or their mean is compared with the rate,
    pass ``centred=True``, or take `SplineCalibrator` or `IsotonicCalibrator` with ``smoothing=1``.

    p0 steps up on a calibration score, p1 just behind it. A new score that should equal a
    calibration score, but differs in its last digit, lies on one side of it.

    Fit O(N log N) for the sort and O(N) after it, on the cumulative sum diagram, predict O(1)
    expected per score, memory O(N).

    References
    ----------
    Vovk and Petej (2014), algorithm 2 and equations (10) and (11). Vovk, Petej and Fedorova (2015)
    showed that all predictions together cost O(N); the sweep here is another one.

    Examples
    --------
    >>> from calib import VennAbers
    >>> calibrator = VennAbers().fit([0.1, 0.2, 0.3, 0.4], [0, 1, 0, 1])
    >>> p0, p1 = calibrator.predict_interval([0.05, 0.25, 0.9])
    >>> p0.round(3), p1.round(3)
    (array([0.   , 0.333, 0.5  ]), array([0.5  , 0.667, 1.   ]))
    >>> calibrator.predict([0.05, 0.25, 0.9]).round(3)
    array([0.333, 0.5  , 0.667])
    """

    _needs_ties_only = True

    def __init__(self, *, loss: str = "log", centred: bool = False):
        self.loss = loss
        self.centred = centred

    def _fit(self, scores, labels, weights):
        check_choice(self.loss, MERGES, "loss")
        check_flag(self.centred, "centred")
        tied = ties(scores, labels, weights)
        steps, p0, p1 = steps_of_pairs(tied.weights, tied.positives)
        self.scores_ = tied.scores[steps]
        self.p0_ = p0
        self.p1_ = p1
        self.shift_ = 0.0
        if self.centred:
            values = log_odds(self._predict(tied.scores))
            rate = rate_within(tied.positives.sum(), tied.weights.sum())
            self.shift_ = level_shift(values, tied.weights, rate)

    def predict_interval(
        self, scores: ArrayLike, *, groups: ArrayLike | None = None
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Both probabilities of class 1.

        Parameters
        ----------
        scores : array-like of shape (n,)
            Finite scores on the scale that was used in `fit`. `n` may be 0.
        groups : None
            Refused: `MondrianVennAbers` takes groups.

        Returns
        -------
        p0, p1 : ndarray of shape (n,)
            The probability if the object is added to the sample with label 0, and with label 1.
        """
        check_is_fitted(self)
        return self._intervals(*self._check_queries(scores, groups))

    def predict(
        self,
        scores: ArrayLike,
        *,
        loss: str | None = None,
        groups: ArrayLike | None = None,
    ) -> NDArray[np.float64]:
        """Merged probabilities of class 1.

        Parameters
        ----------
        scores, groups
            As in `predict_interval`.
        loss : {"log", "brier"}, optional
            By default the loss of the constructor.

        Returns
        -------
        probabilities : ndarray of shape (n,)
            In (0, 1), as far as floating-point numbers can tell. With a weight beyond 1e16 they may
            round to an end.
        """
        loss = self.loss if loss is None else loss
        check_choice(loss, MERGES, "loss")
        return self._merged(*self.predict_interval(scores, groups=groups), loss)

    def _merged(self, p0, p1, loss):
        return times_odds(MERGES[loss](p0, p1), np.exp(self.shift_))

    def _intervals(self, scores):
        return look_up(self.scores_, self.p0_, self.p1_, scores)

    def _predict(self, scores):
        return self._merged(*self._intervals(scores), self.loss)

    def combine(self, probabilities: ArrayLike) -> NDArray[np.float64]:
        """Combine the probabilities of several folds: the cross Venn-Abers predictor (CVAP).

        For log loss the mean of the log-odds, which is :math:`G_1 / (G_0 + G_1)` with the
        geometric means :math:`G_1` of the p1 and :math:`G_0` of the 1 - p0; for square loss the
        mean. `CalibratedClassifier` with ``ensemble=True`` asks for it.

        Parameters
        ----------
        probabilities : ndarray of shape (n_folds, ...)
            Merged probabilities of each fold's predictor.

        Returns
        -------
        combined : ndarray of shape (...)

        Raises
        ------
        ValueError
            If a probability is NaN or outside [0, 1].

        References
        ----------
        Vovk, Petej and Fedorova (2015), who derive both rules.
        """
        check_choice(self.loss, MERGES, "loss")
        probabilities = np.asarray(probabilities, np.float64)
        if probabilities.ndim == 0 or not np.all((probabilities >= 0) & (probabilities <= 1)):
            raise ValueError("probabilities must be an array of numbers in [0, 1], one row a fold")
        if self.loss == "brier":
            return np.mean(probabilities, axis=0)
        return expit(np.mean(logit(probabilities), axis=0))

    @property
    def map_(self) -> StepMap:
        """The merged probability as a step map: on each distinct score, and between them."""
        check_is_fitted(self)
        cuts = np.column_stack([self.scores_, np.nextafter(self.scores_, np.inf)]).ravel()
        values = self._merged(np.repeat(self.p0_, 2)[1:], np.repeat(self.p1_, 2)[:-1], self.loss)
        steps = np.flatnonzero(np.diff(values))
        return StepMap(cuts[steps], values[np.append(0, steps + 1)])


def steps_of_pairs(weights, positives):
    """The ties from which on p0 or p1 is another number, and all values of p0 and of p1."""
    places, p0, p1 = venn_abers_pairs(weights, positives)
    # both increase already, except where sums of fractional weights are rounded
    p0 = np.maximum.accumulate(p0)
    p1 = np.maximum.accumulate(p1)
    steps = np.flatnonzero((p0[1:] != p0[:-1]) | (p1[1:] != p1[:-1])) + 1
    return places[steps] - 1, p0[np.append(0, steps)], p1[np.append(0, steps)]


class DirectIsotonic(Calibrator):
    r"""Isotonic regression, evaluated at the nearest calibration score (DIR).

    .. math:: f(y) = g(y_j), \quad j = \arg\min_i |y - y_i|,

    g the isotonic regression of the calibration sample, which is the training sample in the paper.
    If two scores are nearest, the smaller one is taken.

    Attributes
    ----------
    map_ : StepMap
        Steps halfway between neighbouring scores of different blocks.

    Notes
    -----
    As with `IsotonicCalibrator`, predictions may be exactly 0 or 1, so the log loss may be
    infinite. The prediction is 0 up to the middle between the smallest score of a positive and the
    next smaller calibration score. The prediction is 1 beyond the middle between the largest score
    of a negative and the next larger calibration score. With one class only, every prediction is
    that class.

    Fit O(N log N), predict O(1) expected per score, memory O(N).

    References
    ----------
    Zadrozny and Elkan (2002); the form and the rule for ties are those of Vovk and Petej (2014),
    section 3.

    Examples
    --------
    >>> from calib import DirectIsotonic
    >>> calibrator = DirectIsotonic().fit([1, 2, 3, 4], [0, 1, 0, 1])
    >>> calibrator.predict([1.5, 1.6, 3.4, 9])
    array([0. , 0.5, 0.5, 1. ])
    """

    _needs_ties_only = True

    def _fit(self, scores, labels, weights):
        # g maximises the likelihood of equation (5)
        tied = ties(scores, labels, weights)
        starts, totals, hits = pool_adjacent_violators(tied.weights, tied.positives)
        # the nearest score changes its block halfway between the last and the first score of two
        left = tied.scores[starts[1:-1] - 1]
        right = tied.scores[starts[1:-1]]
        middle = 0.5 * left + 0.5 * right
        # a score exactly halfway belongs to the left block, unless the middle was rounded up
        cuts = np.where(middle - left > right - middle, middle, np.nextafter(middle, np.inf))
        self.map_ = StepMap(np.minimum(cuts, right), hits / totals)
