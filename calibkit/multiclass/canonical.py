"""A test of the probabilities of all classes at once."""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.distance import pdist, squareform

from calib.base.options import RandomState, check_integer, check_random_state
from calibkit.inference.label_paths import same_class_sums
from calibkit.inference.resampling_tests import NUMBERS_PER_BLOCK, Simulated, resampling_p_values
from calibkit.multiclass.measures import check_rows


def canonical_calibration_test(
    labels: ArrayLike,
    probabilities: ArrayLike,
    *,
    statistic: Callable | None = None,
    n_resamples: int = 999,
    random_state: RandomState = 0,
) -> Simulated:
    r"""Test exactly whether a row of probabilities is the distribution of its class.

    The statistic is by default the squared kernel calibration error

    .. math::
        \frac{1}{n^2} \sum_{i, j} e^{-d(p_i, p_j) / \nu}\, (e_{z_i} - p_i) \cdot (e_{z_j} - p_j)

    with the total variation distance d between predictions and the median :math:`\nu` of the
    distances of all pairs.

    Parameters
    ----------
    labels : array-like of shape (n,)
        Classes, as numbers of columns.
    probabilities : array-like of shape (n, k)
        Rows with the sum 1.
    statistic : callable, optional
        Another statistic: ``statistic(labels, probabilities)``, larger where calibration is further
        off. It is given the rows in the order of their probabilities.
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
        For input that is not as described. The message names the argument.

    Notes
    -----
    O(n^2 (k + n_resamples)) time and O(n^2) memory. Beyond some 10,000 rows take a part of them.
    The level is exact for any number of rows and classes and any statistic, because only the
    classes are drawn. Reductions (`confidences`, `class_wise`, `top_label`) can miss errors that
    this test finds.

    References
    ----------
    Widmann, Lindsten and Zachariah (2019) for the error; Vaicenavicius et al. (2019) for draws.

    Examples
    --------
    >>> from calibkit.multiclass import canonical_calibration_test
    >>> rows = [[0.5, 0.3, 0.2], [0.1, 0.1, 0.8]] * 20
    >>> canonical_calibration_test([0, 2] * 20, rows).p_value
    0.001
    """
    check_integer(n_resamples, "n_resamples")
    z, p, _ = check_rows(labels, probabilities, None)
    order = np.lexsort((z, *p.T[::-1]))
    z = z[order]
    p = p[order]
    measure = _KernelError(p) if statistic is None else _Statistic(statistic, p)
    ends = np.cumsum(p, axis=1)
    ends /= ends[:, -1:]
    rng = check_random_state(random_state)
    blocks = [measure(z[np.newaxis])]
    height = max(1, NUMBERS_PER_BLOCK // p.size)
    for first in range(0, n_resamples, height):
        uniform = rng.random((min(height, n_resamples - first), z.size, 1))
        blocks.append(measure((uniform >= ends).sum(axis=2)))
    values = np.concatenate(blocks)
    impossible = bool(np.any(p[np.arange(z.size), z] == 0))
    (p_value,), _ = resampling_p_values(values[np.newaxis], [impossible])
    return Simulated(estimate=float(values[0]), draws=values[1:], p_value=p_value, adjusted=p_value)


class _Statistic:
    """A statistic of the caller, for each of several draws of all classes."""

    def __init__(self, statistic, probabilities):
        self.statistic = statistic
        self.probabilities = probabilities

    def __call__(self, draws):
        return np.array([float(self.statistic(drawn, self.probabilities)) for drawn in draws])


class _KernelError:
    """The squared kernel calibration error, for each of several draws of all classes."""

    def __init__(self, probabilities):
        distances = pdist(probabilities, "cityblock") / 2
        width = np.median(distances) if distances.size else 0.0
        self.kernel = np.exp(-squareform(distances) / (width if width > 0 else 1.0))
        self.smooth = self.kernel @ probabilities
        self.constant = np.sum(self.smooth * probabilities)
        self.rows = np.arange(len(probabilities))

    def __call__(self, draws):
        cross = self.smooth[self.rows, draws].sum(axis=1)
        squares = same_class_sums(self.kernel, draws) - 2 * cross + self.constant
        return squares / self.rows.size**2
