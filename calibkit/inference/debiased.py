"""Calibration errors over bins with less bias: debiased squares, and a swept number of bins."""

import numpy as np
from numpy.typing import ArrayLike

from calib.base.arrays import check_sample
from calib.kernels.binning import finest_increasing_bins, prefix_sums
from calib.metrics.reliability import bin_sample
from calib.metrics.samples import ties_of


def debiased_squared_error(
    labels: ArrayLike,
    probabilities: ArrayLike,
    *,
    n_bins: int | str = 10,
    strategy: str = "quantile",
    sample_weight: ArrayLike | None = None,
) -> float:
    r"""Squared calibration error (L2) over bins, less its expected excess by chance.

    .. math:: \sum_k \frac{n_k}{n} \Big[ (\bar p_k - \bar z_k)^2
              - \frac{\bar z_k (1 - \bar z_k)}{n_k - 1} \Big]

    Parameters
    ----------
    labels : array-like of shape (n,)
        Outcomes, 0/1 or bool.
    probabilities : array-like of shape (n,)
        Predictions in [0, 1].
    n_bins : int or "cube_root", default=10
        As in `reliability_curve`.
    strategy : {"quantile", "uniform"}, default="quantile"
        As in `reliability_curve`, where ties are not split.
    sample_weight : array-like of shape (n,), optional
        Counts. A row of weight w stands for w rows. Not negative.

    Returns
    -------
    error : float
        The mean square, not its root. It is negative if the expected excess is larger than the
        error.

    Raises
    ------
    ValueError
        For input that is not as described, or if a bin holds one point only, whose variance is
        unknown. The message names the argument.

    Notes
    -----
    O(n log n) for quantile bins, O(n) for uniform ones. The estimate is unbiased for the error of
    the bins if all outcomes in a bin have the same probability. The error inside bins, where
    residuals of both signs cancel, stays hidden. A binned error is a lower bound.

    References
    ----------
    Broecker (2012); Ferro and Fricker (2012); Kumar, Liang and Ma (2019).

    Examples
    --------
    >>> from calibkit.inference import debiased_squared_error
    >>> round(debiased_squared_error([0, 0, 1, 0, 1, 1], [0.2] * 3 + [0.8] * 3, n_bins=2), 4)
    -0.0933
    """
    sample = check_sample(labels, probabilities, sample_weight, counts=True)
    return debiased_error_of(bin_sample(*sample, n_bins=n_bins, strategy=strategy, ties="group"))


def rms_calibration_error(
    labels: ArrayLike,
    probabilities: ArrayLike,
    *,
    n_bins: int | str = 10,
    strategy: str = "quantile",
    sample_weight: ArrayLike | None = None,
) -> float:
    r"""Root-mean-square (L2) calibration error over bins, with its excess by chance.

    .. math:: \sqrt{\sum_k \frac{n_k}{n} (\bar p_k - \bar z_k)^2}

    Parameters
    ----------
    labels : array-like of shape (n,)
        Outcomes, 0/1 or bool.
    probabilities : array-like of shape (n,)
        Predictions in [0, 1].
    n_bins : int or "cube_root", default=10
        As in `reliability_curve`.
    strategy : {"quantile", "uniform"}, default="quantile"
        As in `reliability_curve`; ties are not split.
    sample_weight : array-like of shape (n,), optional
        Non-negative counts or sampling weights. Only their ratios matter.

    Returns
    -------
    error : float
        In [0, 1]: at least the expected, at most the maximum calibration error of the same bins.

    Raises
    ------
    ValueError
        For input that is not as described. The message names the argument.

    Notes
    -----
    O(n log n) for quantile bins, O(n) for uniform ones. The error is too large by chance, and
    `debiased_squared_error` is not. Prefer `debiased_squared_error`, unless your numbers have to be
    comparable with another study.

    References
    ----------
    Nguyen and O'Connor (2015); Kumar, Liang and Ma (2019).

    Examples
    --------
    >>> from calibkit.inference import rms_calibration_error
    >>> round(rms_calibration_error([0, 0, 1, 0, 1, 1], [0.2] * 3 + [0.8] * 3, n_bins=2), 4)
    0.1333
    """
    sample = check_sample(labels, probabilities, sample_weight)
    curve = bin_sample(*sample, n_bins=n_bins, strategy=strategy, ties="group")
    squares = np.square(curve.positives - curve.totals) / curve.counts
    return float(np.sqrt(squares.sum() / curve.counts.sum()))


def sweep_calibration_error(
    labels: ArrayLike, probabilities: ArrayLike, *, sample_weight: ArrayLike | None = None
) -> float:
    """ECE with the largest number of equal-sized bins whose observed fractions increase.

    Parameters
    ----------
    labels : array-like of shape (n,)
        Outcomes, 0/1 or bool.
    probabilities : array-like of shape (n,)
        Predictions in [0, 1].
    sample_weight : array-like of shape (n,), optional
        Non-negative counts or sampling weights. Only their ratios matter.

    Returns
    -------
    error : float
        In [0, 1].

    Raises
    ------
    ValueError
        For input that is not as described. The message names the argument.

    Notes
    -----
    The numbers of bins 1, 2, ... are tried until the fraction in some bin is below the fraction in
    its left neighbour, and the number before is taken. O(n log n) to sort and O(B^2 log n) to try
    B bins; B is small unless the predictions nearly separate the classes.

    References
    ----------
    Roelofs, Cain, Shlens and Mozer (2022).

    Examples
    --------
    >>> from calibkit.inference import sweep_calibration_error
    >>> round(sweep_calibration_error([0, 1, 0, 1], [0.1, 0.3, 0.4, 0.8]), 3)
    0.15
    """
    tied = ties_of(labels, probabilities, sample_weight)
    ranks = prefix_sums(tied.weights)
    positives = prefix_sums(tied.positives)
    predictions = prefix_sums(tied.weights * tied.scores)
    starts = finest_increasing_bins(ranks, positives)
    gaps = np.diff(positives[starts]) - np.diff(predictions[starts])
    return float(np.abs(gaps).sum() / ranks[-1])


def debiased_error_of(curve):
    """Squared error over the bins of a reliability curve, less its expected excess by chance."""
    if curve.counts.min() <= 1:
        raise ValueError(
            f"n_bins must leave more than one point in each bin; found {curve.counts.min():.6g}: "
            "take fewer bins, or strategy='quantile'"
        )
    chance = curve.observed * (1 - curve.observed) / (curve.counts - 1)
    squares = np.square(curve.predicted - curve.observed)
    return float(np.average(squares - chance, weights=curve.counts))
