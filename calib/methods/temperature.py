"""Temperature scaling."""

import numpy as np

from calib.methods.logistic_fit import (
    MAX_FLOAT,
    ScalingCalibrator,
    check_fit,
    likeliest_slope,
    radius_about,
)


class TemperatureScaling(ScalingCalibrator):
    r"""Divide the logits by a temperature, found by maximum likelihood.

    .. math::
        \begin{aligned}
        f(s) &= \frac{1}{1 + \exp(-\ell / T)} , \quad T > 0 , \\
        \ell &= \log \frac{s}{1 - s} .
        \end{aligned}

    Parameters
    ----------
    scale : {"logit", "score"}, default="logit"
        The numbers to divide. "logit" divides the logits of scores that are probabilities, kept
        within [2**-53, 1 - 2**-53] first. "score" divides the scores themselves, which are then
        margins, such as the logits of a network or the result of a ``decision_function``.

    Attributes
    ----------
    temperature_ : float
        T, in (0, inf], above 1 where the scores are over-confident, below 1 where they are
        under-confident.
    map_ : LogitPolynomialMap or SigmoidMap
        The map, for shipping.
    n_iter_ : int
        Newton steps taken over all rows.

    Raises
    ------
    ValueError
        If `scale` is neither of the two, or if scores leave [0, 1] and their logits are wanted
        (when `fit` is called): margins need ``scale="score"``.

    Warns
    -----
    ConvergenceWarning
        If no score is on the wrong side of 1/2 (margins: of 0), so that the likelihood increases
        for ever as T falls to 0.

    Notes
    -----
    The log loss is convex in 1/T, which is 0 or more:

    * where :math:`\sum_i w_i (2 z_i - 1) \ell_i \le 0`, the scores are on the wrong side at least
      as much as on the right one, the optimum is 1/T = 0, and every probability is 1/2;
    * where no score is on the wrong side, the fit ends when the mean log loss is at most 2**-53:
      every observation is as good as certain, and T is positive, if small;
    * else the optimum is unique.

    Scores of less than 1e-300 of the largest count as 0.

    The map is increasing and keeps 1/2, so it cannot correct a wrong base rate. With one class
    only, or equal scores, predictions do not cross 1/2 either. `PlattScaling` has an intercept.
    O(N) per step, some ten steps, O(N) memory.

    References
    ----------
    Guo, Pleiss, Sun and Weinberger (2017).

    Examples
    --------
    >>> from calib import TemperatureScaling
    >>> scores = [0.01, 0.01, 0.01, 0.99, 0.99, 0.99]
    >>> calibrator = TemperatureScaling().fit(scores, [0, 0, 1, 0, 1, 1])
    >>> calibrator.predict([0.01, 0.5, 0.99]).round(3)
    array([0.333, 0.5  , 0.667])
    >>> round(calibrator.temperature_, 2)
    6.63
    """

    def __init__(self, *, scale: str = "logit"):
        self.scale = scale

    def _fit(self, scores, labels, weights):
        values = self._values(scores)
        radius = radius_about(0.0, values.min(), values.max())
        fit = likeliest_slope(values / radius, labels, weights)
        self.n_iter_ = fit.n_steps
        if fit.slopes[0] > 0:
            check_fit(fit, [1], labels)
        with np.errstate(over="ignore", divide="ignore"):
            slope = float(np.clip(fit.slopes[0] / radius, 0, MAX_FLOAT))
            self.temperature_ = float(np.float64(1) / slope)
        self._set_line(slope, 0.0, 0.0)
