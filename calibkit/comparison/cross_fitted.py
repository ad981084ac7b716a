"""A calibration error from held-out maps, split by the direction of the error."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from calib.base.arrays import check_sample
from calib.base.options import check_integer
from calib.base.protocol import calibrated, fitted
from calib.methods.folds import deal
from calib.methods.spline import SplineCalibrator
from calibkit.inference import Interval, mean_interval


class CrossFittedError(NamedTuple):
    """A cross-fitted calibration error and its two parts, which add up to it.

    Attributes
    ----------
    error : Interval
        Mean residual in the direction in which the held-out map moves each prediction.
    over_confident : Interval
        The part of the predictions that the map moves towards 1/2.
    under_confident : Interval
        The part of the predictions that the map moves away from 1/2.
    """

    error: Interval
    over_confident: Interval
    under_confident: Interval


def cross_fitted_error(
    labels: ArrayLike,
    probabilities: ArrayLike,
    *,
    calibrator: Any = None,
    n_folds: int = 5,
    confidence: float = 0.95,
) -> CrossFittedError:
    r"""Calibration error without bins, split into over-confidence and under-confidence.

    .. math:: \frac1n \sum_i s_i (z_i - p_i), \quad s_i = \operatorname{sign}(g_i(p_i) - p_i)

    The map :math:`g_i` was learned without the fold of row i. The mean of the error is at most the
    mean of :math:`|\pi_i - p_i|`, where :math:`\pi_i` is the true probability given the prediction.
    It is equal to this mean where each map moves each prediction in the right direction.

    Parameters
    ----------
    labels : array-like of shape (n,)
        Outcomes, 0/1 or bool.
    probabilities : array-like of shape (n,)
        Predictions in [0, 1].
    calibrator : Calibrator, default=SplineCalibrator()
        Learns the maps.
    n_folds : int, default=5
        Number of folds, at least 2 and at most the number of rows of the rarer class.
    confidence : float, default=0.95
        Coverage of the limits in large samples, in (0, 1).

    Returns
    -------
    errors : CrossFittedError

    Raises
    ------
    ValueError
        For input that is not as described. The message names the argument.

    Notes
    -----
    The time of `n_folds` fits. Where the predictions are calibrated, the mean of the error is 0,
    and not positive as for binned errors. A sample may therefore have an error below 0. The lower
    limit is a bound of the mean absolute error from below. The limits take the held-out maps as
    fixed. The folds depend on the scores and labels, and not on the order of the rows.

    References
    ----------
    Berta, Braun, Holzmüller, Bach and Jordan (2026), "A Variational Estimator for Lp Calibration
    Errors", have the idea and the split. Here the map is a spline by default.

    Examples
    --------
    >>> import numpy as np
    >>> from calibkit.comparison import cross_fitted_error
    >>> rng = np.random.default_rng(0)
    >>> p = rng.random(2000)
    >>> labels = rng.random(2000) < 0.25 + 0.5 * p
    >>> found = cross_fitted_error(labels, p)
    >>> round(found.error.estimate, 3), round(found.over_confident.estimate, 3)
    (0.139, 0.139)
    """
    outcomes, predicted, _ = check_sample(labels, probabilities, None)
    check_integer(n_folds, "n_folds", minimum=2)
    rarest = int(np.bincount(outcomes, minlength=2).min())
    if n_folds > rarest:
        raise ValueError(
            f"n_folds must be at most {rarest}, the rows of the rarer class; found {n_folds}"
        )
    learner = SplineCalibrator() if calibrator is None else calibrator
    directions = np.empty(outcomes.size)
    for fold in deal(predicted, outcomes, np.ones(outcomes.size), n_folds) > 0:
        map_ = fitted(learner, predicted[~fold], outcomes[~fold], None, None)
        directions[fold] = np.sign(calibrated(map_, predicted[fold], None) - predicted[fold])
    residuals = directions * (outcomes - predicted)
    towards_half = directions * (predicted - 0.5) < 0
    return CrossFittedError(
        error=mean_interval(residuals, confidence=confidence),
        over_confident=mean_interval(residuals * towards_half, confidence=confidence),
        under_confident=mean_interval(residuals * ~towards_half, confidence=confidence),
    )
