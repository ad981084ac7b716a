"""Compare methods over many data sets by their ranks, as Demšar (2006) advises."""

from typing import NamedTuple

import numpy as np
from scipy import stats

from calib.base.arrays import check_scores
from calib.base.options import check_integer, check_positive


class RankTest(NamedTuple):
    """Whether ranks differ by more than chance: Friedman's test, in two approximations.

    Attributes
    ----------
    chi2, chi2_p : float
        Friedman's statistic and its p value, from the chi-squared distribution with k - 1 degrees
        of freedom.
    f, f_p : float
        That of Iman and Davenport and its p value, from the F distribution with k - 1 and
        (k - 1)(T - 1) degrees of freedom. Infinite and 0 if all data sets agree on the order.
    """

    chi2: float
    chi2_p: float
    f: float
    f_p: float


class Comparison(NamedTuple):
    """Each method against a control.

    Attributes
    ----------
    z : ndarray of shape (k,)
        Average rank less that of the control, in standard errors: positive where the method is
        worse. 0 for the control.
    p : ndarray of shape (k,)
        Two-sided p values; 1 for the control.
    adjusted : ndarray of shape (k,)
        p values after Holm's correction for k - 1 comparisons: reject where they are below 0.05.
    """

    z: np.ndarray
    p: np.ndarray
    adjusted: np.ndarray


def average_ranks(values, *, higher_is_better):
    """Mean over data sets of the rank of each method; the best has rank 1.

    Parameters
    ----------
    values : array-like of shape (T, k)
        A measure for T data sets and k methods, finite.
    higher_is_better : bool
        True for AUC and ACC, False for errors.

    Returns
    -------
    ranks : ndarray of shape (k,)
        Between 1 and k; their sum is k (k + 1) / 2. Equal values share the mean of their ranks.

    Examples
    --------
    >>> from experiments.statistics import average_ranks
    >>> average_ranks([[0.9, 0.8, 0.8], [0.7, 0.6, 0.5]], higher_is_better=True)
    array([1.  , 2.25, 2.75])
    """
    values = _check_values(values)
    return stats.rankdata(-values if higher_is_better else values, axis=1).mean(axis=0)


def rank_test(values):
    r"""Test whether the methods perform alike: Friedman, Iman and Davenport.

    .. math:: F = \frac{(T - 1) \chi^2}{T (k - 1) - \chi^2}

    Parameters
    ----------
    values : array-like of shape (T, k)
        A measure for T >= 2 data sets and k >= 3 methods, finite. Whether higher or lower is
        better does not matter.

    Returns
    -------
    result : RankTest
        Friedman's statistic with its correction for ties. If every data set has one value for
        all methods, both statistics are 0 and both p values 1.

    References
    ----------
    Friedman (1937); Iman and Davenport (1980); Demšar (2006), section 3.2.2.

    Examples
    --------
    >>> from experiments.statistics import rank_test
    >>> result = rank_test([[1, 2, 3], [1, 3, 2], [1, 2, 3], [2, 1, 3]])
    >>> round(result.chi2, 2), round(result.f, 2), round(result.f_p, 3)
    (4.5, 3.86, 0.084)
    """
    values = _check_values(values)
    if min(values.shape) < 2 or values.shape[1] < 3:
        raise ValueError(
            f"values has shape {values.shape}: the test needs at least two data sets (rows) and "
            "three methods (columns); compare two methods with scipy.stats.wilcoxon"
        )
    if (values == values[:, :1]).all():
        return RankTest(0.0, 1.0, 0.0, 1.0)
    return _rank_test(float(stats.friedmanchisquare(*values.T).statistic), *values.shape)


def rank_test_of_averages(ranks, n_datasets):
    r"""`rank_test` from average ranks alone, such as a paper prints.

    .. math:: \chi^2 = \frac{12 T}{k (k + 1)} \sum_j \left(R_j - \frac{k + 1}{2}\right)^2

    Parameters
    ----------
    ranks : array-like of shape (k,)
        Average ranks of k >= 3 methods.
    n_datasets : int
        T, at least 2.

    Returns
    -------
    result : RankTest
        As if there were no ties: with ties the corrected statistic is larger.

    Examples
    --------
    >>> from experiments.statistics import rank_test_of_averages
    >>> result = rank_test_of_averages([3.143, 2.000, 2.893, 1.964], n_datasets=14)
    >>> round(result.chi2, 2), round(result.f, 2)
    (9.28, 3.69)
    """
    ranks = _check_ranks(ranks, n_datasets, least=3)
    k = ranks.size
    chi2 = 12 * n_datasets / (k * (k + 1)) * np.sum((ranks - (k + 1) / 2) ** 2)
    return _rank_test(float(chi2), n_datasets, k)


def compare_with_control(ranks, n_datasets, control):
    r"""Compare each method with a control by average ranks, with Holm's correction.

    .. math:: z_j = \frac{R_j - R_{\text{control}}}{\sqrt{k (k + 1) / (6 T)}}

    Parameters
    ----------
    ranks : array-like of shape (k,)
        Average ranks of k >= 2 methods.
    n_datasets : int
        T, at least 2.
    control : int
        Index of the control in `ranks`.

    Returns
    -------
    comparison : Comparison

    Notes
    -----
    The p values are those of the normal approximation, good for about ten data sets or more. Ties
    make the variance of the ranks smaller than assumed, and the comparison cautious.

    References
    ----------
    Demšar (2006), section 3.2.2; Holm (1979).

    Examples
    --------
    >>> from experiments.statistics import compare_with_control
    >>> comparison = compare_with_control([3.143, 2.000, 2.893, 1.964], 14, control=0)
    >>> comparison.adjusted.round(3)
    array([1.   , 0.047, 0.608, 0.047])
    """
    ranks = _check_ranks(ranks, n_datasets, least=2)
    if control not in range(ranks.size):
        raise ValueError(f"control must be one of 0, ..., {ranks.size - 1}; found {control!r}")
    z = (ranks - ranks[control]) / rank_error(ranks.size, n_datasets)
    p = 2 * stats.norm.sf(np.abs(z))
    others = np.arange(ranks.size) != control
    adjusted = np.ones(ranks.size)
    adjusted[others] = holm(p[others])
    return Comparison(z, p, adjusted)


def holm(p):
    """Holm's step-down correction of p values for the number of hypotheses.

    Parameters
    ----------
    p : array-like of shape (m,)
        In [0, 1].

    Returns
    -------
    adjusted : ndarray of shape (m,)
        The j-th smallest times m - j + 1, made increasing and cut at 1. Rejecting where it is at
        most alpha keeps the probability of any false rejection at alpha or below.

    Examples
    --------
    >>> from experiments.statistics import holm
    >>> holm([0.04, 0.01, 0.03])
    array([0.06, 0.03, 0.06])
    """
    p = check_scores(p, name="p", unit=True)
    order = np.argsort(p)
    adjusted = np.empty_like(p)
    adjusted[order] = np.maximum.accumulate(p[order] * np.arange(p.size, 0, -1))
    return np.minimum(adjusted, 1.0)


def critical_difference(n_methods, n_datasets, *, confidence=0.95):
    r"""Least difference of two average ranks that is significant: Nemenyi's test of all pairs.

    .. math:: \frac{q}{\sqrt 2} \sqrt{\frac{k (k + 1)}{6 T}}

    with q the quantile of the range of k standard normal variables.

    Parameters
    ----------
    n_methods, n_datasets : int
        k and T, at least 2.
    confidence : float, default=0.95

    Returns
    -------
    difference : float

    References
    ----------
    Nemenyi (1963), as given by Demšar (2006), section 3.2.2.

    Examples
    --------
    >>> from experiments.statistics import critical_difference
    >>> round(critical_difference(4, 14), 2)
    1.25
    """
    check_integer(n_methods, "n_methods", minimum=2)
    check_integer(n_datasets, "n_datasets", minimum=2)
    check_positive(confidence, "confidence", below=1)
    q = stats.studentized_range.ppf(confidence, n_methods, np.inf)
    return float(q / np.sqrt(2) * rank_error(n_methods, n_datasets))


def rank_error(n_methods, n_datasets):
    """Standard error of the difference of two average ranks, if the methods perform alike."""
    return np.sqrt(n_methods * (n_methods + 1) / (6 * n_datasets))


def relative_change(values, reference, *, confidence=0.95):
    """Confidence interval of the mean over data sets of the relative change of a measure.

    Parameters
    ----------
    values, reference : array-like of shape (T,)
        The measure of a method and of what it is compared with, for T >= 2 data sets; all
        references are positive.
    confidence : float, default=0.95

    Returns
    -------
    low, high : float
        Mean of (value - reference) / reference, less and plus Student's multiple of its standard
        error.

    Examples
    --------
    >>> from experiments.statistics import relative_change
    >>> low, high = relative_change([0.8, 0.9, 1.1], [1.0, 1.0, 1.0])
    >>> round(low, 3), round(high, 3)
    (-0.446, 0.313)
    """
    values = check_scores(values, name="values")
    reference = check_scores(reference, name="reference")
    check_positive(confidence, "confidence", below=1)
    if values.size != reference.size or values.size < 2 or (reference <= 0).any():
        raise ValueError(
            "values and reference must be as long as each other, for two data sets or more, and "
            f"reference positive, for a change to be relative to it; found {values.size} values, "
            f"{reference.size} references, {np.sum(reference <= 0)} of them not positive"
        )
    changes = (values - reference) / reference
    half = stats.t.ppf((1 + confidence) / 2, changes.size - 1) * stats.sem(changes)
    return float(changes.mean() - half), float(changes.mean() + half)


def _rank_test(chi2, n_datasets, k):
    most = n_datasets * (k - 1)  # where every data set has the same order
    f = (n_datasets - 1) * chi2 / (most - chi2) if chi2 < most * (1 - 1e-12) else np.inf
    f_p = stats.f.sf(f, k - 1, (k - 1) * (n_datasets - 1))
    return RankTest(chi2, float(stats.chi2.sf(chi2, k - 1)), float(f), float(f_p))


def _check_values(values):
    values = np.asarray(values, np.float64)
    if values.ndim != 2 or values.size == 0 or not np.isfinite(values).all():
        raise ValueError(
            "values must be a finite table of data sets (rows) by methods (columns); found shape "
            f"{values.shape} with {np.sum(~np.isfinite(values))} cells that are not finite"
        )
    return values


def _check_ranks(ranks, n_datasets, *, least):
    check_integer(n_datasets, "n_datasets", minimum=2)
    ranks = check_scores(ranks, name="ranks")
    if ranks.size < least or ranks.min() < 1 or ranks.max() > ranks.size:
        raise ValueError(
            f"ranks must be average ranks of {least} methods or more, each between 1 and their "
            f"number; found {ranks}"
        )
    return ranks
