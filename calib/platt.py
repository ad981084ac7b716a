"""Platt scaling."""

import numpy as np
from scipy.special import expit

from calib.base import Calibrator
from calib.kernels.sigmoid_fit import fit_sigmoid


class PlattScaling(Calibrator):
    r"""Fit a sigmoid to the scores by regularised maximum likelihood.

    .. math:: f(s) = \frac{1}{1 + \exp(-(a s + b))}

    a and b minimise the cross entropy against the targets (m + 1) / (m + 2) for the m positives
    and 1 / (n + 2) for the n negatives, so that separable classes have a finite optimum.

    Attributes
    ----------
    slope_, intercept_ : float
        a and b. (Platt's A and B are -a and -b.)
    n_iter_ : int
        Newton steps taken.

    Notes
    -----
    The scores may be any real numbers. The method was made for margins, and on logits it contains
    the identity; on probabilities it does not. Newton's method with step halving: O(N) per step,
    some ten steps, O(N) memory; the optimum is unique and found to about 1e-10. With one class or
    constant scores the slope is 0.

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

    def _fit(self, scores, labels, weights):
        if weights is None:
            weights = np.ones(scores.size)
        n_positive = weights[labels == 1].sum()
        n_negative = weights.sum() - n_positive
        # scores of order one keep the Hessian well conditioned; halves avoid overflow
        lowest, highest = scores.min(), scores.max()
        centre, radius = lowest / 2 + highest / 2, highest / 2 - lowest / 2
        radius = radius if radius > 0 else 1.0
        slope, intercept, self.n_iter_ = fit_sigmoid(
            (scores - centre) / radius,
            labels,
            weights,
            1 / (n_negative + 2),
            (n_positive + 1) / (n_positive + 2),
            0.0,
            np.log((n_positive + 1) / (n_negative + 1)),
        )
        if self.n_iter_ < 0:  # the loss is strictly convex: this would be a defect of ours
            raise ArithmeticError("Newton's method did not converge in 100 steps")
        self.slope_ = slope / radius
        self.intercept_ = intercept - self.slope_ * centre

    def _predict(self, scores):
        return expit(self.slope_ * scores + self.intercept_)
