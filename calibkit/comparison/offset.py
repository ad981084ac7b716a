"""Multiply the odds by one factor, which corrects a changed base rate and nothing else."""

import numpy as np

from calib.base.calibrator import Calibrator
from calib.base.maps import LogitPolynomialMap
from calib.base.probabilities import log_odds
from calib.kernels.level import level_shift, rate_within


class Offset(Calibrator):
    r"""Add one number to the log-odds of probabilities: :math:`\ell' = \ell + c`.

    All odds are multiplied by one factor. That undoes a change of the frequency of positives. The
    frequency may be changed in the population, or in the training rows of a classifier if one class
    was sampled or weighted. The number is the likeliest one.

    Attributes
    ----------
    offset_ : float
        The number c. Its exponential is the factor.
    map_ : LogitPolynomialMap

    Notes
    -----
    The sum of the probabilities of the rows of the fit is the number of positives. One class alone
    counts as half an observation less, so that the number is finite. Scores are kept within
    [2**-53, 1 - 2**-53]. O(N) a step, some ten steps.

    Examples
    --------
    >>> from calibkit.comparison import Offset
    >>> calibrator = Offset().fit([0.5, 0.5, 0.5, 0.5], [0, 0, 0, 1])
    >>> calibrator.predict([0.5, 0.8]).round(3)
    array([0.25 , 0.571])
    """

    unit_scores = True

    def _fit(self, scores, labels, weights):
        counts = np.ones(scores.size) if weights is None else weights
        rate = rate_within(counts @ labels, counts.sum())
        self.offset_ = float(level_shift(log_odds(scores), counts, rate))
        self.map_ = LogitPolynomialMap(np.array([self.offset_, 1.0]), 0.0)
