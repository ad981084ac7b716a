"""Odds times one factor: what mends a base rate that has changed, and nothing else."""

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit, logit

from calib.base.calibrator import Calibrator
from calib.base.maps import LogitPolynomialMap
from calib.base.probabilities import log_odds


class Offset(Calibrator):
    r"""Add one number to the log-odds of probabilities: :math:`\ell' = \ell + c`.

    All odds are multiplied by one factor. That undoes a change of the frequency of positives: of
    the population, or of the training rows of a classifier, of which one class was sampled or
    weighted. The number is the likeliest one, up to half a row.

    Attributes
    ----------
    offset_ : float
        The number c; its exponential is the factor.
    map_ : LogitPolynomialMap

    Notes
    -----
    The mean of the probabilities is ``(positives + 1/2) / (rows + 1)``, and so the number is finite
    where all labels are equal. Scores are kept within [2**-53, 1 - 2**-53]. O(N) a step, some ten
    steps.

    Examples
    --------
    >>> from calibkit.comparison import Offset
    >>> calibrator = Offset().fit([0.5, 0.5, 0.5, 0.5], [0, 0, 0, 1])
    >>> calibrator.predict([0.5, 0.8]).round(3)
    array([0.3  , 0.632])
    """

    unit_scores = True

    def _fit(self, scores, labels, weights):
        counts = np.ones(scores.size) if weights is None else weights
        logits = log_odds(scores)
        wanted = (np.dot(counts, labels) + 0.5) / (counts.sum() + 1)

        def excess(offset):
            return np.average(expit(logits + offset), weights=counts) - wanted

        nearest, farthest = logit(wanted) - logits.max(), logit(wanted) - logits.min()
        # a number more on either side, where rounding may leave the excess of one sign
        self.offset_ = float(brentq(excess, nearest - 1, farthest + 1))
        self.map_ = LogitPolynomialMap(np.array([self.offset_, 1.0]), 0.0)
