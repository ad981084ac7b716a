"""Platt scaling."""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from calib.base import Calibrator
from calib.kernels.sigmoid_fit import fit_sigmoid
from calib.maps import SigmoidMap
from calib.validation import warn

SMALLEST_RADIUS = 1e-290  # of the scores: no finite slope would tell closer ones apart


class PlattScaling(Calibrator):
    r"""Fit a sigmoid to the scores by regularised maximum likelihood.

    .. math:: f(s) = \frac{1}{1 + \exp(-(a s + b))}

    a and b minimise the cross entropy against the targets (m + 1) / (m + 2) for the m positives
    and 1 / (n + 2) for the n negatives, so that separable classes have a finite optimum.

    Attributes
    ----------
    slope_, intercept_ : float
        a and b. (Platt's A and B are -a and -b.)
    map_ : SigmoidMap
        The sigmoid, for shipping.
    n_iter_ : int
        Newton steps taken.

    Notes
    -----
    The scores may be any real numbers. The method was made for margins, and on logits it contains
    the identity; on probabilities it does not. Newton's method with step halving: O(N) per step,
    some ten steps (more for heavy tails), O(N) memory; the optimum is unique and found to about
    1e-10. With one class or constant scores the slope is 0; scores within 1e-290 are constant.

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

    def _fit(self, scores, labels, weights):
        if weights is None:
            weights = np.ones(scores.size)
        negative, positive = weights[labels == 0].sum(), weights[labels == 1].sum()
        # about the median, so that far-out scores do not round the others together; halves: the
        # range may be more than the largest float
        halves = scores / 2
        centre = np.median(halves)
        radius = radius_about(centre, halves.min(), halves.max())
        misses, intercept = targets(negative, positive)
        fit = fit_sigmoid((halves - centre) / radius, labels, weights, misses, intercept)
        self._set_map(centre, radius, *fit)

    def _set_map(self, centre, radius, slope, intercept, n_iter, converged):
        """Sigmoid of the scores from that of ``(scores / 2 - centre) / radius``."""
        self.n_iter_ = n_iter
        if not converged:
            warn(
                f"Newton's method did not converge in {self.n_iter_} steps: check scores and "
                "weights for values that are far out",
                ConvergenceWarning,
            )
        largest = np.finfo(np.float64).max  # a few scores much closer than the others ask for more
        with np.errstate(over="ignore"):
            self.slope_ = float(np.clip(slope / (2 * radius), -largest, largest))
        self.intercept_ = float(intercept - self.slope_ * (2 * centre))
        self.map_ = SigmoidMap(self.slope_, self.intercept_)

    def predict_logit(self, scores: ArrayLike) -> NDArray[np.float64]:
        """Log-odds a s + b of the calibrated probabilities, of shape (n,)."""
        check_is_fitted(self)
        return self.map_.logits(self._check_scores(scores, allow_empty=True))


def radius_about(centre, lowest, highest):
    """Distance of the extremes from the centre; infinite where they are as good as equal."""
    radius = max(highest - centre, centre - lowest)
    return np.inf if radius < SMALLEST_RADIUS else radius


def targets(negative, positive):
    """What Platt's targets leave to the other class, and the log-odds from which to start.

    Parameters are the weights of the classes.
    """
    return (1 / (negative + 2), 1 / (positive + 2)), np.log((positive + 1) / (negative + 1))
