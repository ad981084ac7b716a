"""Distances of the predictions from a smooth calibration curve: ICI, E50, E90 and Emax."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from calib.base.options import RandomState, check_integer, check_positive, check_random_state
from calib.metrics.samples import counted_sample
from calibkit.inference.bootstrap import Interval
from calibkit.inference.clusters import cluster_codes
from calibkit.inference.loess import loess_fit

FRACTIONS = (0.5, 0.9)  # fractions of the rows for E50 and E90
QUANTILE_ROUNDING = 1e-12  # fraction of the rows by which a sum of weights may be too small


class CurveDistances(NamedTuple):
    """Distances of the predictions from a smooth calibration curve.

    Attributes
    ----------
    ici : float
        Mean distance, the integrated calibration index.
    e50, e90 : float
        Smallest distances that are not exceeded by half of the rows, and by nine tenths.
    emax : float
        Largest distance.
    """

    ici: float
    e50: float
    e90: float
    emax: float


class CurveDistanceIntervals(NamedTuple):
    """The numbers of `CurveDistances` with their intervals."""

    ici: Interval
    e50: Interval
    e90: Interval
    emax: Interval


def curve_distances(
    labels: ArrayLike, probabilities: ArrayLike, *, sample_weight: ArrayLike | None = None
) -> CurveDistances:
    """ICI, E50, E90 and Emax: distances of the predictions from the loess curve.

    Parameters
    ----------
    labels : array-like of shape (n,)
        Outcomes, 0/1 or bool.
    probabilities : array-like of shape (n,)
        Predictions in [0, 1].
    sample_weight : array-like of shape (n,), optional
        Counts. A row of weight w stands for w rows. Not negative.

    Returns
    -------
    distances : CurveDistances

    Raises
    ------
    ValueError
        For input that is not as described. The message names the argument.

    Notes
    -----
    O(n log n + m^2) for m distinct predictions, or for 1000 if there are more. The curve is the
    same as in `integrated_calibration_index` and `loess_curve`. E50 and E90 are quantiles of type 1
    in R's numbering. R's default, type 7, interpolates between two distances. R's ``val.prob``
    takes another curve, ``lowess``, and its ``Eavg``, ``E90`` and ``Emax`` differ.

    References
    ----------
    Austin and Steyerberg (2019).

    Examples
    --------
    >>> from calibkit.inference import curve_distances
    >>> distances = curve_distances([0, 0, 1, 0, 1, 1, 1, 1], [0.1, 0.2, 0.3, 0.4] * 2)
    >>> [round(distance, 3) for distance in distances]
    [0.375, 0.3, 0.7, 0.7]
    """
    outcomes, predicted, counts = counted_sample(labels, probabilities, sample_weight)
    fit = loess_fit(outcomes, predicted, counts)
    return _distances_of(fit)


def curve_distance_intervals(
    labels: ArrayLike,
    probabilities: ArrayLike,
    *,
    confidence: float = 0.95,
    n_resamples: int = 1000,
    random_state: RandomState = 0,
    sample_weight: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
) -> CurveDistanceIntervals:
    r"""ICI, E50, E90 and Emax with limits from a wild bootstrap.

    The curve is a linear map L of the outcomes. Its noise is :math:`L \epsilon`. Each draw
    multiplies the residuals of the rows, or of whole clusters, by normal numbers, and takes the
    distances of :math:`L \epsilon` from 0. An estimate differs from the distance of the curve
    without noise by no more than the noise. Therefore the limits add and subtract the quantile of
    the noise.

    Parameters
    ----------
    labels : array-like of shape (n,)
        Outcomes, 0/1 or bool.
    probabilities : array-like of shape (n,)
        Predictions in [0, 1].
    confidence : float, default=0.95
        Least coverage of each interval in large samples, in (0, 1).
    n_resamples : int, default=1000
        Number of draws.
    random_state : None, int, numpy Generator or RandomState, default=0
        Source of the draws.
    sample_weight : array-like of shape (n,), optional
        Counts. A row of weight w stands for w rows. Not negative.
    clusters : array-like of shape (n,), optional
        Cluster of each row, such as a patient, where only rows of different ones are independent,
        as numbers or strings.

    Returns
    -------
    intervals : CurveDistanceIntervals
        The lower limits are 0 at least.

    Raises
    ------
    ValueError
        For input that is not as described. The message names the argument.

    Notes
    -----
    O(n) and O(m^2) for each draw, with the m of `curve_distances`. The limits are about the
    smoothed curve: the loess of the true probabilities.

    Noise adds to distances. Those of bootstrap samples are therefore too large, and a percentile
    interval held the true value 0 of calibrated predictions in none of 120 samples of 300 rows. In
    200 samples each of twelve kinds, with 100 to 800 rows or 12 and 30 clusters, these 95 % limits
    held ICI in 91 to 100 %, E50 in 92 to 100 %, E90 in 94 to 100 % and Emax in 89 to 100 %. The
    lowest figures belong to calibrated predictions, and Emax is hardest where few rows lie at the
    ends.

    References
    ----------
    Austin and Steyerberg (2019), who bootstrap the rows; Wu (1986) and Liu (1988) for the wild
    bootstrap; Cameron, Gelbach and Miller (2008) for clusters.

    Examples
    --------
    >>> import numpy as np
    >>> from calibkit.inference import curve_distance_intervals
    >>> rng = np.random.default_rng(0)
    >>> p = rng.random(500)
    >>> intervals = curve_distance_intervals(rng.random(500) < p**2, p)
    >>> [round(number, 2) for number in intervals.ici]
    [0.17, 0.12, 0.21, 0.03]
    """
    check_positive(confidence, "confidence", below=1)
    check_integer(n_resamples, "n_resamples", minimum=2)
    rng = check_random_state(random_state)
    codes = cluster_codes(clusters, np.size(labels), sample_weight, other="labels")
    outcomes, predicted, counts = counted_sample(labels, probabilities, sample_weight)
    fit = loess_fit(outcomes, predicted, counts)
    if codes is None:
        spread = np.sqrt(fit.mean_variances)[:, np.newaxis]
        noise = spread * rng.standard_normal((fit.points.size, n_resamples))
    else:
        noise = _noise_of_clusters(fit, outcomes, counts, codes, rng, n_resamples)
    draws = _curve_distances(np.abs(fit.at_points @ noise), fit.counts)
    values = _distances_of(fit)._asdict()
    intervals = {
        name: _widened(value, noise_of_value, confidence)
        for (name, value), noise_of_value in zip(values.items(), draws, strict=True)
    }
    return CurveDistanceIntervals(**intervals)


def _widened(value, noise, confidence):
    """The interval that adds and subtracts the quantile of draws of the noise."""
    reach = float(np.quantile(noise, confidence))
    return Interval(
        estimate=value,
        lower=max(value - reach, 0.0),
        upper=value + reach,
        error=math.sqrt(np.mean(np.square(noise))),
    )


def _noise_of_clusters(fit, outcomes, counts, codes, rng, n_resamples):
    """Noise of the mean outcome at each point, in draws that multiply whole clusters."""
    n_clusters = codes.max() + 1
    residuals = counts * (outcomes - fit.curve[fit.point_of_row])
    residuals *= (fit.freed / fit.counts)[fit.point_of_row]
    residuals *= np.sqrt(n_clusters / (n_clusters - 1))
    noise = np.empty((fit.points.size, n_resamples))
    for draw in range(n_resamples):
        factors = rng.standard_normal(n_clusters)
        noise[:, draw] = np.bincount(
            fit.point_of_row, residuals * factors[codes], minlength=fit.points.size
        )
    return noise


def _distances_of(fit):
    """The distances of the points of a fit from its curve."""
    ici, e50, e90, emax = _curve_distances(
        np.abs(fit.curve - fit.points)[:, np.newaxis], fit.counts
    )[:, 0].tolist()
    return CurveDistances(ici=ici, e50=e50, e90=e90, emax=emax)


def _curve_distances(
    distances: NDArray[np.float64], counts: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The four numbers, by rows, for each column of distances at the points."""
    mean = counts @ distances / counts.sum()
    order = np.argsort(distances, axis=0)
    held = np.cumsum(counts[order], axis=0) / counts.sum()
    ordered = np.take_along_axis(distances, order, axis=0)
    quantiles = [
        ordered[np.argmax(held >= fraction - QUANTILE_ROUNDING, axis=0), np.arange(held.shape[1])]
        for fraction in FRACTIONS
    ]
    return np.stack([mean, *quantiles, distances.max(axis=0)])
