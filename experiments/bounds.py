"""Bounds that the chapters compare with those of `calibkit.theory`.

* ``mean_..._continuous``: bounds of the mean error of quantile bins, for continuous scores only,
  proved in chapters 4 and 5.
* `ties_constant`: the limit of the mean error of quantile bins, whatever the ties; chapter 4.
* ``published_...``: what Naeini, Cooper and Hauskrecht (2014) state or prove.

Write B for the number of bins, N for the size of the sample.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from calib.base.options import check_positive


def mean_ece_bound_continuous(
    n: ArrayLike, n_bins: ArrayLike, *, base_rate: float = 0.5
) -> float | NDArray[np.float64]:
    r"""The mean expected calibration error of quantile bins; for continuous scores only.

    .. math::
        &\sqrt{\frac{(p + r)(1 - p + r)}{n_0}} + r,

        &n_0 = \lfloor N/B \rfloor, \quad r = \frac{B - 1}{N + 1}

    Parameters
    ----------
    n, n_bins : int or array-like of int
        Calibration points N and bins B, positive, B at most N; broadcast against each other.
    base_rate : float, default=0.5
        p = P(z = 1), in (0, 1); the default is the worst case.

    Returns
    -------
    bound : float or ndarray

    Examples
    --------
    >>> print(round(mean_ece_bound_continuous(1000, 10), 3))
    0.06
    >>> print(round(published_ece_bound(1000, 10), 3))
    0.251
    """
    n, n_bins = _sizes(n, n_bins)
    check_positive(base_rate, "base_rate", below=1)
    gaps = (n_bins - 1) / (n + 1)
    smallest = n // n_bins
    return np.sqrt((base_rate + gaps) * (1 - base_rate + gaps) / smallest) + gaps


def ties_constant(n_bins: int) -> float:
    r"""The largest limit of sqrt(N/B) times the mean ECE of quantile bins, as N grows.

    .. math::
        &k_B = \sqrt{\frac{1}{2 \pi B} \Bigl(2 + \sum_{b=2}^{B-1} c_b\Bigr)},

        &c_b = \frac{\sin^2(\pi \delta_b)}{2 \delta_b}
        + \frac{\sin^2(\pi (1/2 - \delta_b))}{2 (1/2 - \delta_b)}, \\
        &\sin^2(2 \pi \delta_b) = \frac{B}{b (B + 1 - b)}

    Parameters
    ----------
    n_bins : int
        Bins B, at least 2.

    Returns
    -------
    constant : float
        For every distribution of scores and labels, with ties or without.

    Examples
    --------
    >>> print(round(ties_constant(2), 3), round(ties_constant(3), 3))
    0.399 0.453
    """
    b = np.arange(2, n_bins)
    delta = np.arcsin(np.sqrt(n_bins / (b * (n_bins + 1 - b)))) / (2 * np.pi)
    inner = sum(np.sin(np.pi * x) ** 2 / (2 * x) for x in (delta, 0.5 - delta))
    return float(np.sqrt((2 + np.sum(inner)) / (2 * np.pi * n_bins)))


def mean_auc_loss_bound_continuous(
    n: ArrayLike, n_bins: ArrayLike, *, base_rate: float = 0.5
) -> float | NDArray[np.float64]:
    r"""The mean of AUC(score) - AUC(calibrated score) for quantile bins; continuous scores only.

    .. math::
        &\frac{a}{2} + \frac14 \sqrt{\frac{a + 2/N}{N v}}
        + \frac14 \sqrt{\frac{2}{(n_0 - 1) v}} \\
        &\quad + \frac{1}{n_0 v} + \frac{r}{\min(p, 1 - p)},

        &a = \frac{\lceil N/B \rceil + 1}{N + 1}, \quad n_0 = \lfloor N/B \rfloor, \\
        &r = \frac{B - 1}{N + 1}, \quad v = p (1 - p)

    Parameters
    ----------
    n, n_bins : int or array-like of int
        Calibration points N and bins B, positive, B at most N/2; broadcast against each other.
    base_rate : float, default=0.5
        p = P(z = 1), in (0, 1).

    Returns
    -------
    bound : float or ndarray

    Notes
    -----
    The terms: pairs inside one bin, with masses that are equal, and what they miss to be equal;
    pairs of bins in the wrong order; a point on each cut; the gaps that hold the cuts. The first
    and the third balance at about B = 2 (N p (1-p))^(1/3). Where the score is not monotone in
    P(z = 1 | score), binning may gain AUC, and the loss is negative.

    Examples
    --------
    >>> print(round(mean_auc_loss_bound_continuous(10**6, 100), 4))
    0.0127
    >>> print(published_auc_loss_bound(100))
    0.005
    """
    n, n_bins = _sizes(n, n_bins, per_bin=2)
    check_positive(base_rate, "base_rate", below=1)
    spread = base_rate * (1 - base_rate)
    smallest = n // n_bins
    largest_mass = (np.ceil(n / n_bins) + 1) / (n + 1)
    within_bins = largest_mass / 2 + np.sqrt((largest_mass + 2 / n) / (n * spread)) / 4
    wrong_order = np.sqrt(2 / ((smallest - 1) * spread)) / 4 + 1 / (smallest * spread)
    gaps = (n_bins - 1) / (n + 1) / min(base_rate, 1 - base_rate)
    return within_bins + wrong_order + gaps


def published_mce_bound(
    n: ArrayLike, n_bins: ArrayLike, alpha: float
) -> float | NDArray[np.float64]:
    r"""Theorem 3.1 of Naeini, Cooper and Hauskrecht (2014): sqrt(2 B log(2B/alpha) / N).

    Parameters
    ----------
    n, n_bins : int or array-like of int
        Calibration points N and bins B, positive; broadcast against each other.
    alpha : float
        Probability of failure, in (0, 1).

    Returns
    -------
    bound : float or ndarray
        For bins fixed in advance with N/B points in each half of it is enough. May exceed 1.
    """
    n, n_bins = _sizes(n, n_bins)
    check_positive(alpha, "alpha", below=1)
    return np.sqrt(2 * n_bins * np.log(2 * n_bins / alpha) / n)


def published_ece_bound(n: ArrayLike, n_bins: ArrayLike) -> float | NDArray[np.float64]:
    r"""The best case of the proof of Theorem 3.3 of the same paper: sqrt(2 pi B / N).

    The theorem has the rate without a constant; the integral of its proof gives sqrt(2 pi) times
    the number of input bins that meet in one output bin, here one.

    Parameters
    ----------
    n, n_bins : int or array-like of int
        Calibration points N and bins B, positive; broadcast against each other.

    Returns
    -------
    bound : float or ndarray
    """
    n, n_bins = _sizes(n, n_bins)
    return np.sqrt(2 * np.pi * n_bins / n)


def published_auc_loss_bound(n_bins: ArrayLike) -> float | NDArray[np.float64]:
    r"""1/(2B), at the end of the proof of Theorem 3.4 of the same paper; the theorem is O(1/B).

    It is meant for a large number of calibration points, N/(B log B) to infinity.

    Parameters
    ----------
    n_bins : int or array-like of int
        Bins B, positive.

    Returns
    -------
    bound : float or ndarray
    """
    _, n_bins = _sizes(np.max(n_bins), n_bins)
    return 1 / (2 * n_bins)


def _sizes(n, n_bins, per_bin=1):
    n, n_bins = np.asarray(n)[()], np.asarray(n_bins)[()]
    for name, value in [("n", n), ("n_bins", n_bins)]:
        if not np.all(np.isfinite(value) & (value > 0) & (value == np.round(value))):
            raise ValueError(f"{name} must be a positive whole number; found {value}")
    if np.any(n < per_bin * n_bins):
        raise ValueError(f"n must be at least {per_bin} for each bin; found {n} for {n_bins}")
    return n, n_bins
