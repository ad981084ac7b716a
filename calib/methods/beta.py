"""Beta calibration."""

import numpy as np

from calib.base.curve_maps import BetaMap
from calib.base.options import check_flag
from calib.base.probabilities import inside
from calib.methods.logistic_fit import NO_MISSES, LogisticCalibrator, check_fit, likeliest, middle
from calib.methods.platt import target_misses


class BetaCalibration(LogisticCalibrator):
    r"""Bayes' rule for scores with a beta distribution in each class, made increasing.

    .. math::
        \begin{aligned}
        &\log\frac{f(s)}{1 - f(s)} \\
        &\quad = c + a \log s - b \log (1 - s) .
        \end{aligned}

    a and b, neither below 0, and c maximise the likelihood. With a = b = 1 and c = 0 the map is the
    identity, with a = b it is ``PlattScaling(scale="logit")`` without its targets; different a and
    b correct the two ends of the scale by different amounts.

    Parameters
    ----------
    platt_targets : bool, default=False
        Whether to aim at (m + 1) / (m + 2) for the m positives and at 1 / (n + 2) for the n
        negatives in place of 1 and 0, as in `PlattScaling`. The loss then has a minimum even where
        the scores separate the classes, and a few points say less.

    Attributes
    ----------
    a_, b_, intercept_ : float
        a, b and c.
    map_ : BetaMap
        The map, for shipping.
    n_iter_ : int
        Newton steps taken over all rows, in all fits.

    Raises
    ------
    ValueError
        If `platt_targets` is no bool (when `fit` is called).

    Warns
    -----
    ConvergenceWarning
        If the map separates the classes, except for ties, so that the likelihood has no maximum.

    Notes
    -----
    Scores are probabilities, kept within [2**-53, 1 - 2**-53] first. The log loss is convex, so if
    the optimum without constraints has a negative a or b, that one is 0 at the constrained one; of
    two negative ones either or both. Where a fit separates the classes, or there is one class only,
    the fit ends when the mean log loss is at most 2**-53. Every observation is then as good as
    certain. Where all scores are close together, the sample does not identify both a and b, and b
    is 0.

    O(N) per step, some ten steps, O(N) memory.

    References
    ----------
    Kull, Silva Filho and Flach (2017).

    Examples
    --------
    >>> from calib import BetaCalibration
    >>> scores = [0.1, 0.1, 0.1, 0.5, 0.5, 0.9, 0.9]
    >>> calibrator = BetaCalibration().fit(scores, [0, 0, 1, 0, 1, 0, 1])
    >>> calibrator.predict([0.1, 0.5, 0.9]).round(3)
    array([0.339, 0.471, 0.521])
    >>> calibrator.b_  # the scores at the upper end are no better than those in the middle
    0.0
    """

    unit_scores = True

    def __init__(self, *, platt_targets: bool = False):
        self.platt_targets = platt_targets

    def _fit(self, scores, labels, weights):
        check_flag(self.platt_targets, "platt_targets")
        misses = NO_MISSES
        if self.platt_targets:
            negative, positive = np.bincount(labels, weights, minlength=2)
            misses = target_misses(negative, positive)
        centre = middle(inside(scores))
        columns = BetaMap.columns(scores, centre)
        fit = likeliest(columns, labels, weights, misses)
        self.n_iter_ = fit.n_steps
        fits = {(0, 1): fit}  # keys: the columns whose exponents are free
        if np.any(fit.slopes < 0):
            fits = self._fit_edges(columns, labels, weights, misses, fit.slopes < 0)
        free = min(fits, key=lambda numbers: fits[numbers].loss)
        best = fits[free]
        check_fit(best, np.ptp(columns[list(free)], axis=1), labels)
        slopes = np.zeros(2)
        slopes[list(free)] = best.slopes
        self.a_, self.b_ = slopes.tolist()
        level = float(best.level)
        self.intercept_ = level - self.a_ * np.log(centre) + self.b_ * np.log(1 - centre)
        self.map_ = BetaMap(a=self.a_, b=self.b_, level=level, centre=centre)

    def _fit_edges(self, columns, labels, weights, misses, negative):
        """Fits with one of the `negative` exponents at 0. If the other is then negative, with both.

        The fits are in a dictionary, by the columns of the other exponents.
        """
        fits = {}
        for fixed in np.flatnonzero(negative):
            free = 1 - fixed
            fit = likeliest(columns[[free]], labels, weights, misses)
            self.n_iter_ += fit.n_steps
            if fit.slopes[0] >= 0:
                fits[free,] = fit
        if not fits:
            fits[()] = likeliest(columns[:0], labels, weights, misses)
            self.n_iter_ += fits[()].n_steps
        return fits
