"""Means of several differences on the same rows, with intervals that hold for all at once."""

import numpy as np
from numpy.typing import NDArray

from calib.base.options import RandomState, check_random_state
from calibkit.inference.bootstrap import Interval
from calibkit.inference.clusters import Contributions, jackknifed_sums

N_MAXIMA = 100_000  # draws of the largest |t|, which give its quantile to half a percent
CORRELATION_RIDGE = 1e-9  # added to the diagonal of the correlations: two columns may be equal


def simultaneous_intervals(
    differences: NDArray[np.float64],
    weights: NDArray[np.float64],
    clusters: NDArray[np.int64] | None = None,
    *,
    confidence: float = 0.95,
    random_state: RandomState = 0,
) -> list[Interval]:
    r"""Intervals of the weighted means of k columns, which hold for all columns at once.

    .. math:: \bar d_j \pm q e_j, \quad
       P\Big(\max_j \frac{|\bar d_j - \delta_j|}{e_j} \le q\Big) = 1 - \alpha

    q is the quantile of the largest absolute value of k correlated t variables, by simulation.

    Parameters
    ----------
    differences : ndarray of shape (n, k)
        Differences, which may be infinite.
    weights : ndarray of shape (n,)
        Positive counts.
    clusters : ndarray of shape (n,) of int, optional
        Numbers of the clusters, from 0 without gaps: only rows of different clusters are
        independent.
    confidence : float, default=0.95
    random_state : None, int, numpy Generator or RandomState, default=0

    Returns
    -------
    intervals : list of Interval
        One interval for each column. It is a point if the mean is infinite, or NaN (from
        infinities of both signs), or if the column is constant.

    Notes
    -----
    O(n k^2). The degrees of freedom are the total weight minus one, or with clusters the fewest
    that `mean_interval` has in any column. The intervals are the whole line if the total weight is
    below two, or if there is one cluster.

    Examples
    --------
    >>> import numpy as np
    >>> from calibkit.inference.simultaneous_intervals import simultaneous_intervals
    >>> rng = np.random.default_rng(0)
    >>> columns = rng.normal([0.0, 1.0, 2.0], 1.0, (100, 3))
    >>> for interval in simultaneous_intervals(columns, np.ones(100)):
    ...     print([round(float(number), 1) for number in interval])
    [-0.1, -0.4, 0.2, 0.1]
    [1.0, 0.8, 1.2, 0.1]
    [2.0, 1.8, 2.2, 0.1]
    """
    total = weights.sum()
    with np.errstate(invalid="ignore"):  # infinities of both signs
        estimates = weights @ differences / total
    finite = np.flatnonzero(np.isfinite(estimates))
    residuals = differences[:, finite] - estimates[finite]
    n_independent = total if clusters is None else clusters.max() + 1
    intervals = [
        Interval(estimate=mean, lower=mean, upper=mean, error=np.nan) for mean in estimates.tolist()
    ]
    if n_independent < 2:
        for j in finite:
            intervals[j] = intervals[j]._replace(lower=-np.inf, upper=np.inf, error=np.inf)
        return intervals
    if clusters is None:
        products = residuals.T @ (weights[:, np.newaxis] * residuals) / total**2
    else:
        sums = [jackknifed_sums(column, weights, clusters) for column in residuals.T]
        products = np.inner(sums, sums)
    covariance = products * n_independent / (n_independent - 1)
    errors = np.sqrt(np.diag(covariance))
    varying = errors > 0
    scales = np.outer(errors[varying], errors[varying])
    correlations = covariance[np.ix_(varying, varying)] / scales
    freedom = n_independent - 1
    if clusters is not None:
        freedom = _fewest_degrees_of_freedom(residuals[:, varying], weights, clusters)
    quantile = _quantile_of_largest(correlations, freedom, confidence, random_state)
    for j, error in zip(finite, errors.tolist(), strict=True):
        mean = intervals[j].estimate
        reach = quantile * error
        intervals[j] = Interval(estimate=mean, lower=mean - reach, upper=mean + reach, error=error)
    return intervals


def _fewest_degrees_of_freedom(residuals, weights, clusters):
    """The fewest degrees of freedom of the variance of clusters in any column."""
    fewest = np.inf
    for column in residuals.T:
        contributions = Contributions(
            residuals=column,
            variances=np.full(column.size, np.average(np.square(column), weights=weights)),
            counts=weights,
            codes=clusters,
        )
        fewest = min(fewest, contributions.degrees_of_freedom())
    return fewest


def _quantile_of_largest(correlations, freedom, confidence, random_state):
    """Quantile of the largest absolute value of t variables with these correlations."""
    if correlations.size == 0:
        return 0.0
    rng = check_random_state(random_state)
    root = np.linalg.cholesky(correlations + CORRELATION_RIDGE * np.eye(len(correlations)))
    largest = np.abs(rng.standard_normal((N_MAXIMA, len(root))) @ root.T).max(axis=1)
    largest /= np.sqrt(rng.chisquare(freedom, N_MAXIMA) / freedom)
    return float(np.quantile(largest, confidence))
