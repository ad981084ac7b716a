"""How many rows a validation needs for narrow limits."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from calib.base.arrays import check_scores, counts_of
from calib.base.options import check_positive
from calib.base.probabilities import log_odds
from calib.metrics import roc_auc_score


class ValidationSize(NamedTuple):
    """Rows that each measure needs. Their maximum serves all three.

    Attributes
    ----------
    observed_over_expected, slope, auc : int
        Rows for the ratio of observed and expected positives, for the calibration slope, and for
        the AUC.
    """

    observed_over_expected: int
    slope: int
    auc: int


def rows_for_validation(
    probabilities: ArrayLike,
    *,
    ratio_width: float = 0.2,
    slope_width: float = 0.2,
    auc_width: float = 0.1,
    confidence: float = 0.95,
    sample_weight: ArrayLike | None = None,
) -> ValidationSize:
    r"""Rows that a validation needs for limits of the given widths.

    The formulas suppose that the predictions are calibrated. The ratio O/E needs

    .. math:: n = \frac{1 - \bar p}{\bar p\, s^2}, \qquad s = \frac{\sinh^{-1}(w / 2)}{q},

    with the mean prediction :math:`\bar p`, the width w of its limits and the normal quantile q.
    The slope needs :math:`n = I_0 / (s^2 (I_0 I_2 - I_1^2))` with s = w / (2q) and the means
    :math:`I_k` of :math:`p (1 - p)\, \operatorname{logit}(p)^k`. The AUC needs the n of its
    standard error by Newcombe's formula.

    Parameters
    ----------
    probabilities : array-like of shape (n,)
        Predictions in [0, 1] with the distribution that they will have in the validation. At least
        two of them are different and inside (0, 1).
    ratio_width, slope_width, auc_width : float
        Upper limit less lower limit, positive.
    confidence : float, default=0.95
        Coverage of the limits, in (0, 1).
    sample_weight : array-like of shape (n,), optional
        Non-negative counts or sampling weights. Only their ratios matter.

    Returns
    -------
    size : ValidationSize

    Raises
    ------
    ValueError
        For input that is not as described. The message names the argument.

    Notes
    -----
    O(n log n). The rows must be independent. The R and Stata program ``pmvalsampsize`` rounds the
    standard error of log(O/E) to the fourth digit. Its number for O/E differs by up to 1 %.

    References
    ----------
    Riley et al. (2021) for the three sizes; Newcombe (2006) for the standard error of the AUC.

    Examples
    --------
    >>> from calibkit.inference import rows_for_validation
    >>> rows_for_validation([0.1, 0.2, 0.3, 0.4, 0.6])
    ValidationSize(observed_over_expected=820, slope=3246, auc=455)
    """
    widths = {"ratio_width": ratio_width, "slope_width": slope_width, "auc_width": auc_width}
    for name, width in widths.items():
        check_positive(width, name)
    check_positive(confidence, "confidence", below=1)
    predicted = check_scores(probabilities, name="probabilities", unit=True)
    counts = counts_of(sample_weight, predicted.size, "probabilities")
    weights = counts / counts.sum()
    inside = (predicted > 0) & (predicted < 1) & (weights > 0)
    if np.unique(predicted[inside]).size < 2:
        raise ValueError(
            "probabilities must have two different values inside (0, 1): without them there is no "
            "slope to measure"
        )
    quantile = float(ndtri((1 + confidence) / 2))
    rate = float(np.dot(weights, predicted))
    auc = _calibrated_auc(predicted, weights)
    return ValidationSize(
        observed_over_expected=_rows_for_ratio(rate, math.asinh(ratio_width / 2) / quantile),
        slope=_rows_for_slope(predicted[inside], weights[inside], slope_width / (2 * quantile)),
        auc=_rows_for_auc(auc, rate, auc_width / (2 * quantile)),
    )


def _rows_for_ratio(rate, error):
    """Rows for a standard error of log(O/E)."""
    return math.ceil((1 - rate) / (rate * error**2))


def _rows_for_slope(predicted, weights, error):
    """Rows for a standard error of the slope. Predictions of 0 and 1 have no information on it."""
    logits = log_odds(predicted)
    information = weights * predicted * (1 - predicted)
    level = information.sum()
    cross = np.dot(information, logits)
    square = np.dot(information, logits**2)
    return math.ceil(level / (error**2 * (level * square - cross**2)))


def _rows_for_auc(auc, rate, error):
    """Rows for a standard error of the AUC, the larger root of Newcombe's equation."""
    pairs = (1 - auc) / (2 - auc) + auc / (1 + auc)
    scale = error**2 * rate * (1 - rate) / (auc * (1 - auc))
    return math.ceil((pairs / 2 + math.sqrt(pairs**2 / 4 + 4 * scale * (1 - pairs))) / (2 * scale))


def _calibrated_auc(predicted, weights):
    """AUC that the predictions have on average if they are right."""
    outcomes = np.repeat([1, 0], predicted.size)
    chances = np.concatenate([weights * predicted, weights * (1 - predicted)])
    return roc_auc_score(outcomes, np.tile(predicted, 2), sample_weight=chances)
