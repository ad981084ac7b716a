"""Means of several differences on the same rows, with intervals that hold for all at once."""

import numpy as np
from numpy.typing import NDArray

from calib.contract.options import RandomState, check_random_state
from calib.metrics.intervals import Interval

DRAWS = 100_000  # of the largest of correlated errors: its quantile is known to half a percent
RIDGE = 1e-9  # of the correlations: two columns may be the same


def simultaneous_intervals(
    differences: NDArray[np.float64],
    weights: NDArray[np.float64],
    clusters: NDArray[np.int64] | None = None,
    *,
    confidence: float = 0.95,
    random_state: RandomState = 0,
) -> list[Interval]:
    r"""Intervals of the weighted means of k columns, which hold for all of them at once.

    .. math:: \bar d_j \pm q e_j, \quad
       P\Big(\max_j \frac{|\bar d_j - \delta_j|}{e_j} \le q\Big) = 1 - \alpha

    q is the quantile of the largest of k correlated t variables, by simulation.

    Parameters
    ----------
    differences : ndarray of shape (n, k)
        They may be infinite.
    weights : ndarray of shape (n,)
        Positive; they are counts.
    clusters : ndarray of shape (n,) of int, optional
        Numbers from 0 without gaps: only rows of different clusters are independent.
    confidence : float, default=0.95
    random_state : None, int, numpy Generator or RandomState, default=0

    Returns
    -------
    intervals : list of Interval
        One for each column. A mean that is infinite (or no number, where infinities of both signs
        meet), and that of a constant, is a point.

    Notes
    -----
    O(n k^2). The degrees of freedom are the total weight, or the number of clusters, less one; if
    less than one is left, the intervals are the whole line.

    Examples
    --------
    >>> import numpy as np
    >>> from calib.metrics.paired import simultaneous_intervals
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
    if clusters is None:
        n_independent = total
        products = residuals.T @ (weights[:, np.newaxis] * residuals)
    else:
        sums = [np.bincount(clusters, weights * column) for column in residuals.T]
        n_independent = clusters.max() + 1
        products = np.inner(sums, sums)
    intervals = [Interval(mean, mean, mean, np.nan) for mean in estimates.tolist()]
    if n_independent < 2:
        for j in finite:
            intervals[j] = Interval(intervals[j].estimate, -np.inf, np.inf, np.inf)
        return intervals
    covariance = products / total**2 * n_independent / (n_independent - 1)
    errors = np.sqrt(np.diag(covariance))
    varying = errors > 0
    scales = np.outer(errors[varying], errors[varying])
    correlations = covariance[np.ix_(varying, varying)] / scales
    quantile = _largest(correlations, n_independent - 1, confidence, random_state)
    for j, error in zip(finite, errors.tolist(), strict=True):
        mean = intervals[j].estimate
        intervals[j] = Interval(mean, mean - quantile * error, mean + quantile * error, error)
    return intervals


def _largest(correlations, freedom, confidence, random_state):
    """Quantile of the largest |t| of variables with these correlations."""
    if correlations.size == 0:
        return 0.0
    rng = check_random_state(random_state)
    root = np.linalg.cholesky(correlations + RIDGE * np.eye(len(correlations)))
    largest = np.abs(rng.standard_normal((DRAWS, len(root))) @ root.T).max(axis=1)
    largest /= np.sqrt(rng.chisquare(freedom, DRAWS) / freedom)
    return float(np.quantile(largest, confidence))
