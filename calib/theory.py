r"""Finite-sample bounds for histogram binning with B equal-frequency bins on N points.

Each bound comes in two versions: ``"published"``, as Naeini, Cooper and Hauskrecht (2014) state or
prove it, and ``"sharp"``, the best constant that the chapters of this book prove. The sharp ones
take N/B points per bin and bins that are fixed in advance, or cut at calibration scores that are
then left out; cuts halfway between scores add a remainder of order B/N up to a logarithm, given in
the chapters. Write theta_i = P(z = 1 | bin i), eta_i = P(bin i), hats for estimates.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from calib.validation import check_choice, check_positive

VERSIONS = ["published", "sharp"]


def mce_bound(
    n: ArrayLike, n_bins: ArrayLike, delta: float, *, version: str = "sharp"
) -> float | NDArray[np.float64]:
    r"""With probability 1 - delta the maximum calibration error is at most this.

    .. math::
        &\text{sharp: } \sqrt{\frac{B \log(2B/\delta)}{2N}}

        &\text{published: } \sqrt{\frac{2B \log(2B/\delta)}{N}}

    Parameters
    ----------
    n, n_bins : array-like
        Calibration points N and bins B, positive; broadcast against each other.
    delta : float
        Probability of failure, in (0, 1).
    version : {"sharp", "published"}, default="sharp"

    Returns
    -------
    bound : float or ndarray
        May exceed 1, where it says nothing.

    Notes
    -----
    Hoeffding in each bin and a union bound. The published version (Theorem 3.1) loses a factor of
    four in the exponent between its equations (1) and (3), hence twice the bound.

    Examples
    --------
    >>> print(round(mce_bound(1000, 10, 0.05), 3))
    0.173
    >>> print(round(mce_bound(1000, 10, 0.05, version="published"), 3))
    0.346
    """
    n, n_bins = _sizes(n, n_bins)
    check_positive(delta, "delta", below=1)
    check_choice(version, VERSIONS, "version")
    factor = 0.5 if version == "sharp" else 2.0
    return np.sqrt(factor * n_bins * np.log(2 * n_bins / delta) / n)


def ece_bound(
    n: ArrayLike, n_bins: ArrayLike, *, base_rate: float = 0.5, version: str = "sharp"
) -> float | NDArray[np.float64]:
    r"""The mean expected calibration error is at most this.

    .. math::
        &\text{sharp: } \sqrt{p (1-p) B/N}

        &\text{published: } \sqrt{2 \pi B/N}

    Parameters
    ----------
    n, n_bins : array-like
        Calibration points N and bins B, positive; broadcast against each other.
    base_rate : float, default=0.5
        p = P(z = 1), in (0, 1); the default is the worst case.
    version : {"sharp", "published"}, default="sharp"

    Returns
    -------
    bound : float or ndarray

    Notes
    -----
    The paper (Theorem 3.3) states the rate with an unnamed constant. Its proof gives
    sqrt(2 pi) times the number of input bins that meet in one output bin, which is not constant;
    the published version here takes one, its best case. The sharp one needs no tail bound:
    E|theta^ - theta| is at most the standard deviation, and the mean over the bins of
    sqrt(theta (1-theta)) is at most sqrt(p (1-p)).

    Examples
    --------
    >>> print(round(ece_bound(1000, 10), 3))
    0.05
    >>> print(round(ece_bound(1000, 10, base_rate=0.05), 3))
    0.022
    >>> print(round(ece_bound(1000, 10, version="published"), 3))
    0.251
    """
    n, n_bins = _sizes(n, n_bins)
    check_positive(base_rate, "base_rate", below=1)
    check_choice(version, VERSIONS, "version")
    factor = base_rate * (1 - base_rate) if version == "sharp" else 2 * np.pi
    return np.sqrt(factor * n_bins / n)


def auc_loss_bound(
    n: ArrayLike,
    n_bins: ArrayLike,
    *,
    base_rate: float = 0.5,
    delta: float | None = None,
    version: str = "sharp",
) -> float | NDArray[np.float64]:
    r"""AUC(score) - AUC(calibrated score) is at most this.

    .. math::
        &\text{sharp, in the mean, } v = p (1 - p): \\
        &\quad \frac{1}{2B} + \frac14 \sqrt{\frac{2B}{N v}} \\
        &\quad + \frac14 \sqrt{\frac{1 + 2B/N}{B N v}} \\
        &\text{sharp, with probability } 1 - \delta: \\
        &\quad \frac{1}{2B} + \frac14 \sqrt{\frac{2B}{N v}} + t \\
        &\quad + \frac{1}{v} \sqrt{\frac{(1 + 2Bt) \log(2/\delta)}{2N}}, \\
        &\quad t = \sqrt{\log(4/\delta) / (2N)} \\
        &\text{published: } \frac{1}{2B}

    Parameters
    ----------
    n, n_bins : array-like
        Calibration points N and bins B, positive; broadcast against each other.
    base_rate : float, default=0.5
        p = P(z = 1), in (0, 1).
    delta : float, optional
        Probability of failure, in (0, 1). If not given, the bound is for the mean loss.
    version : {"sharp", "published"}, default="sharp"

    Returns
    -------
    bound : float or ndarray

    Notes
    -----
    The terms: pairs inside one bin, with masses eta_i equal; what the masses miss to be equal
    (variance of a Beta law, or Dvoretzky-Kiefer-Wolfowitz); pairs of bins in the wrong order (mean,
    and deviation from it by McDiarmid). The published version (Theorem 3.4) keeps the first alone,
    so it holds only in the limit of large N. The main terms balance at
    B = 2 (N p (1-p))^(1/3). Where the score is not monotone in P(z = 1 | score), binning may gain
    AUC, and the loss is negative.

    Examples
    --------
    >>> print(round(auc_loss_bound(10**6, 100), 4))
    0.0121
    >>> print(auc_loss_bound(10**6, 100, version="published"))
    0.005
    """
    n, n_bins = _sizes(n, n_bins)
    check_positive(base_rate, "base_rate", below=1)
    check_choice(version, VERSIONS, "version")
    within_bins = 1 / (2 * n_bins)
    if version == "published":
        return within_bins
    spread = base_rate * (1 - base_rate)
    wrong_order = np.sqrt(2 * n_bins / (n * spread)) / 4
    if delta is None:
        unequal_masses = np.sqrt((1 + 2 * n_bins / n) / (n_bins * n * spread)) / 4
        return within_bins + unequal_masses + wrong_order
    check_positive(delta, "delta", below=1)
    unequal_masses = np.sqrt(np.log(4 / delta) / (2 * n))
    largest_mass = 1 + 2 * n_bins * unequal_masses  # times 1/B
    deviation = np.sqrt(largest_mass * np.log(2 / delta) / (2 * n)) / spread
    return within_bins + unequal_masses + wrong_order + deviation


def _sizes(n, n_bins):
    n, n_bins = np.asarray(n, float)[()], np.asarray(n_bins, float)[()]
    for name, value in [("n", n), ("n_bins", n_bins)]:
        if not np.all(np.isfinite(value) & (value > 0)):
            raise ValueError(f"{name} must be positive and finite; found {value}")
    return n, n_bins
