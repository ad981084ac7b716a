"""A parabola in the logits."""

import numpy as np

from calib.base.maps import LogitPolynomialMap
from calib.base.probabilities import log_odds
from calib.methods.logistic_fit import LogisticCalibrator, check_fit, likeliest, middle


class QuadraticLogit(LogisticCalibrator):
    r"""A parabola in the logits of the scores, by maximum likelihood.

    .. math::
        \begin{aligned}
        \log\frac{f(s)}{1 - f(s)} &= b + w_1 \ell + w_2 \ell^2 , \\
        \ell &= \log\frac{s}{1 - s} .
        \end{aligned}

    Unless :math:`w_2 = 0`, the map is not monotone. Beyond the vertex of the parabola, at
    :math:`\ell = -w_1 / (2 w_2)`, it turns back. Where the vertex is among the scores, it changes
    their order.

    Attributes
    ----------
    coefficients_ : ndarray of shape (3,)
        b, w_1 and w_2.
    map_ : LogitPolynomialMap
        The map, for shipping, in powers of l minus a central l, which are more accurate.
    n_iter_ : int
        Newton steps taken over all rows.

    Warns
    -----
    ConvergenceWarning
        If a parabola separates the classes, except for ties, so that the likelihood has no maximum.

    Notes
    -----
    Scores are probabilities, kept within [2**-53, 1 - 2**-53] first. Where a parabola separates the
    classes, such as positives between two groups of negatives, or where there is only one class,
    the fit ends when the mean log loss is at most 2**-53. Every observation is then as good as
    certain. Two distinct scores cannot tell a parabola from a line, and w_2 is then 0. The identity
    is w_1 = 1 and b = w_2 = 0.

    O(N) per step, some ten steps, O(N) memory.

    References
    ----------
    One of the methods compared by CalArena (2026, arXiv 2605.30188). Cox (1958) has the line.

    Examples
    --------
    >>> from calib import QuadraticLogit
    >>> scores = [0.1, 0.1, 0.1, 0.5, 0.5, 0.5, 0.9, 0.9]
    >>> calibrator = QuadraticLogit().fit(scores, [0, 0, 1, 0, 1, 1, 0, 1])
    >>> calibrator.predict([0.1, 0.5, 0.9]).round(3)
    array([0.333, 0.667, 0.5  ])
    """

    unit_scores = True

    def _fit(self, scores, labels, weights):
        logits = log_odds(scores)
        centre = middle(logits)
        logits -= centre
        columns = np.stack([logits, logits**2])
        fit = likeliest(columns, labels, weights)
        check_fit(fit, np.ptp(columns, axis=1), labels)
        self.n_iter_ = fit.n_steps
        level = fit.level
        linear, quadratic = fit.slopes
        at_0 = level - centre * linear + centre**2 * quadratic
        self.coefficients_ = np.array([at_0, linear - 2 * centre * quadratic, quadratic])
        self.map_ = LogitPolynomialMap(np.array([level, linear, quadratic]), centre)
