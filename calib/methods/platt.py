"""Platt scaling."""

import numpy as np

from calib.kernels.logistic import CrossEntropy, LogisticFit
from calib.methods.logistic_fit import (
    MAX_FLOAT,
    ScalingCalibrator,
    fit_from,
    radius_about,
    warn_unconverged,
)


class PlattScaling(ScalingCalibrator):
    r"""Fit a sigmoid to the scores by regularised maximum likelihood.

    .. math:: f(s) = \frac{1}{1 + \exp(-(a s + b))}

    a and b minimise the cross entropy against the targets (m + 1) / (m + 2) for the m positives
    and 1 / (n + 2) for the n negatives, so that separable classes have a finite optimum.

    Parameters
    ----------
    scale : {"score", "logit"}, default="score"
        The meaning of s: the scores themselves, such as margins, or the logits of scores that are
        probabilities, kept within [2**-53, 1 - 2**-53] first.

    Attributes
    ----------
    slope_, intercept_ : float
        a and b. (Platt's A and B are -a and -b.)
    map_ : SigmoidMap or LogitPolynomialMap
        The sigmoid, for shipping.
    n_iter_ : int
        Newton steps taken over all rows.

    Raises
    ------
    ValueError
        If `scale` is neither of the two, or if scores leave [0, 1] and their logits are wanted
        (when `fit` is called).

    Notes
    -----
    The method was made for margins, which may be any real numbers. On logits it contains the
    identity. Without logits, on probabilities, it does not. Newton's method with step halving: O(N)
    per step, some ten steps (more for heavy tails), O(N) memory. The optimum is unique and found to
    about 1e-10. With one class or constant scores the slope is 0. Scores within 1e-290 are
    constant.

    The log-odds a s + b are rounded by about 2^-52 \|a s\|. Where that matters, for scores whose
    distance from 0 is a billion times their spread, subtract a constant first.

    References
    ----------
    Platt (1999), with the targets; Lin, Lin and Weng (2007), with Newton's method and the stable
    evaluation of the loss.

    Examples
    --------
    >>> from calib import PlattScaling
    >>> calibrator = PlattScaling().fit([-2.0, -1.0, 1.0, 2.0], [0, 0, 1, 1])
    >>> calibrator.predict([-1.5, 0.0, 1.5]).round(3)
    array([0.267, 0.5  , 0.733])
    """

    def __init__(self, *, scale: str = "score"):
        self.scale = scale

    def _fit(self, scores, labels, weights):
        weights = np.ones(scores.size) if weights is None else weights
        # The sigmoid is fitted to x = (s / 2 - centre) / radius, which is in [-1, 1]. About the
        # median, scores that are far out do not round the others together. Halves are taken since
        # the range of the scores may overflow.
        halves = self._values(scores) / 2
        centre = np.median(halves)
        radius = radius_about(centre, halves.min(), halves.max())
        fit = fit_sigmoid((halves - centre) / radius, labels, weights)
        self.n_iter_ = fit.n_steps
        if not fit.converged:
            warn_unconverged(fit.n_steps, "scores and weights for values that are far out")
        with np.errstate(over="ignore"):  # a few scores much closer than the others ask for more
            self.slope_ = float(np.clip(fit.slopes[0] / (2 * radius), -MAX_FLOAT, MAX_FLOAT))
        self.intercept_ = float(fit.level - self.slope_ * (2 * centre))
        self._set_line(self.slope_, fit.level, 2 * centre)


def fit_sigmoid(x, labels, weights) -> LogisticFit:
    r"""Fit p_i = 1 / (1 + exp(-(a x_i + b))) to Platt's targets by Newton's method.

    With the targets t_i, which are t_1 for positives and t_0 for negatives, the loss is

        L(b, a) = -sum_i w_i (t_i log(p_i) + (1 - t_i) log(1 - p_i)) .

    Its gradient and Hessian in (b, a) are

        g = sum_i w_i (p_i - t_i) [1, x_i]
        H = sum_i w_i p_i (1 - p_i) [[1, x_i], [x_i, x_i^2]]

    which `calib.kernels.logistic.derivatives` sums up. A Newton step from (b, a) goes to
    (b, a) - H^-1 g. `calib.kernels.newton.newton` takes such steps until they gain nothing more,
    and halves a step that raises the loss.
    """
    negative = weights[labels == 0].sum()
    positive = weights[labels == 1].sum()
    loss = CrossEntropy(
        columns=x[np.newaxis],
        labels=labels,
        weights=weights,
        misses=target_misses(negative, positive),
    )
    constant = np.log((positive + 1) / (negative + 1))  # the best b if a is 0
    return fit_from(np.array([constant, 0.0]), loss)


def target_misses(negative, positive):
    """How far Platt's targets are from the labels: t_0 = 1 / (n + 2) and 1 - t_1 = 1 / (m + 2).

    The arguments are n and m, the weights of the classes. The second target, (m + 1) / (m + 2),
    would be rounded to 1 where m is large.
    """
    return 1 / (negative + 2), 1 / (positive + 2)
