"""A test of the probabilities of all classes at once."""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.distance import pdist, squareform

from calib.contract.options import RandomState, check_integer, check_random_state
from calib.kernels.label_paths import same_class_sums
from calib.metrics.drawn import BLOCK, Simulated, p_values_of
from calib.multiclass.measures import check_rows


def canonical_calibration_test(
    labels: ArrayLike,
    probabilities: ArrayLike,
    *,
    statistic: Callable | None = None,
    n_resamples: int = 999,
    random_state: RandomState = 0,
) -> Simulated:
    r"""Test exactly whether a row of probabilities is the law of its class.

    The statistic is by default the squared kernel calibration error

    .. math::
        \frac{1}{n^2} \sum_{i, j} e^{-d(p_i, p_j) / \nu}\, (e_{z_i} - p_i) \cdot (e_{z_j} - p_j)

    with the distance d of total variation between predictions and the median :math:`\nu` of those
    of all pairs.

    Parameters
    ----------
    labels : array-like of shape (n,)
        Classes: numbers of columns.
    probabilities : array-like of shape (n, k)
        Rows with the sum 1.
    statistic : callable, optional
        Another one: ``statistic(labels, probabilities)``, larger where calibration is further off.
        It is given the rows in the order of their probabilities.
    n_resamples : int, default=999
        Number of draws of all classes from their probabilities.
    random_state : None, int, numpy Generator or RandomState, default=0
        Source of the draws.

    Returns
    -------
    result : Simulated

    Raises
    ------
    ValueError
        For input that is not as described; the message names the argument.

    Notes
    -----
    O(n^2 (k + n_resamples)) time and O(n^2) memory: beyond some 10,000 rows take a part of them.
    The level is exact for any number of rows and classes and any statistic, as the predictions stay
    as they are. Reductions (`confidences`, `class_wise`, `top_label`) can miss what this one finds.

    References
    ----------
    Widmann, Lindsten and Zachariah (2019) for the error; Vaicenavicius et al. (2019) for draws.

    Examples
    --------
    >>> from calib.multiclass import canonical_calibration_test
    >>> rows = [[0.5, 0.3, 0.2], [0.1, 0.1, 0.8]] * 20
    >>> canonical_calibration_test([0, 2] * 20, rows).p_value
    0.001
    """
    check_integer(n_resamples, "n_resamples")
    labels, probabilities, _ = check_rows(labels, probabilities, None)
    order = np.lexsort((labels, *probabilities.T[::-1]))
    labels, probabilities = labels[order], probabilities[order]
    if statistic is None:
        measure = _kernel_error(probabilities)
    else:

        def measure(draws):
            return np.array([float(statistic(drawn, probabilities)) for drawn in draws])

    ends = np.cumsum(probabilities, axis=1)
    ends /= ends[:, -1:]
    rng, found = check_random_state(random_state), [measure(labels[np.newaxis])]
    height = max(1, BLOCK // probabilities.size)
    for first in range(0, n_resamples, height):
        drawn = rng.random((min(height, n_resamples - first), labels.size, 1))
        found.append(measure((drawn >= ends).sum(axis=2)))
    found = np.concatenate(found)
    impossible = bool(np.any(probabilities[np.arange(labels.size), labels] == 0))
    (p_value,), _ = p_values_of(found[np.newaxis], [impossible])
    return Simulated(float(found[0]), found[1:], p_value, p_value)


def _kernel_error(probabilities):
    """The default statistic, of an array of draws of classes."""
    distances = pdist(probabilities, "cityblock") / 2
    width = np.median(distances) if distances.size else 0.0
    kernel = np.exp(-squareform(distances) / (width if width > 0 else 1.0))
    smooth = kernel @ probabilities
    constant, rows = np.sum(smooth * probabilities), np.arange(len(probabilities))

    def error(draws):
        cross = smooth[rows, draws].sum(axis=1)
        return (same_class_sums(kernel, draws) - 2 * cross + constant) / rows.size**2

    return error
