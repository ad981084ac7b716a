r"""Decisions from two probabilities: the possible cost and the possible regret of each action.

The expected cost of an action is linear in the probability p of class 1,

.. math:: c_a(p) = (1 - p)\, c_{a0} + p\, c_{a1},

with :math:`c_{az}` its cost where the label is z. Only an interval that holds p is known, such as
the pair of `VennAbers.predict_interval`. The extreme costs and the largest regret are found at its
ends. The cost is linear, and the regret :math:`c_a(p) - \min_b c_b(p)` is convex.

Every function takes

* p0, p1: array-like of shape (n,), the ends of the intervals, in [0, 1] and in either order, since
  the ends of `TransductiveVennAbers` may cross. `n` may be 0;
* costs: array-like of shape (k, 2), a row for each of at least two actions: its cost where the
  label is 0, and where it is 1; at most 1e300 in size. Gains are negative costs.

Bad input is a `ValueError`. O(n k) time and memory, and O(n k^2) time for dominance. That the pair
holds the probability of an object is an assumption: calibration alone promises less (Vovk and Petej
2014).

Examples
--------
Needless action costs 1, missing action costs 4, and asking somebody costs 0.5.

>>> from calibkit.inference import decisions
>>> p0, p1 = [0.05, 0.1, 0.6], [0.08, 0.35, 0.7]
>>> costs = [[1, 0], [0, 4], [0.5, 0.5]]
>>> lower, upper = decisions.cost_intervals(p0, p1, costs)
>>> lower[1], upper[1]
(array([0.65, 0.4 , 0.5 ]), array([0.9, 1.4, 0.5]))
>>> decisions.undominated_actions(p0, p1, costs)
array([[False,  True, False],
       [False,  True,  True],
       [ True, False, False]])
>>> decisions.largest_regrets(p0, p1, costs)[1]
array([0.5, 0.9, 0.1])
>>> decisions.minimax_regret_actions(p0, p1, costs)
array([1, 2, 0])
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from calib.base.arrays import check_costs, check_scores, check_size


def cost_intervals(
    p0: ArrayLike, p1: ArrayLike, costs: ArrayLike
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The least and the greatest expected cost of each action.

    Parameters
    ----------
    p0, p1 : array-like of shape (n,)
        The two ends of an interval that holds the probability of class 1, in [0, 1] and in either
        order.
    costs : array-like of shape (k, 2)
        A row for each of at least two actions, with its cost where the label is 0 and its cost
        where the label is 1. Gains are negative costs.

    Returns
    -------
    lower, upper : ndarray of shape (n, k)
        The least and the greatest expected cost while the probability lies in the interval. The
        expected cost is linear in the probability, so it takes these two values at the ends of the
        interval, and every value between them inside the interval.
    """
    ends = _costs_at_ends(p0, p1, costs)
    return ends.min(axis=0), ends.max(axis=0)


def undominated_actions(p0: ArrayLike, p1: ArrayLike, costs: ArrayLike) -> NDArray[np.bool_]:
    """The actions that no other action dominates.

    An action is dominated if another action costs more for no probability of the interval, and less
    for some. Equal actions do not dominate each other.

    The parameters are the same as in `cost_intervals`.

    Returns
    -------
    undominated : ndarray of bool of shape (n, k)
        At least one in each row. If there are several, the pair does not decide.

    Notes
    -----
    With two actions, each undominated action is the best for some probability of the interval. With
    more actions this need not hold: to refer a case may be undominated and yet never the cheapest.
    """
    ends = _costs_at_ends(p0, p1, costs)
    undominated = np.ones(ends.shape[1:], bool)
    for other in np.moveaxis(ends, 2, 0):
        other = other[:, :, np.newaxis]
        undominated &= ~(np.all(other <= ends, axis=0) & np.any(other < ends, axis=0))
    return undominated


def largest_regrets(p0: ArrayLike, p1: ArrayLike, costs: ArrayLike) -> NDArray[np.float64]:
    """The largest excess of the cost of each action over the cost of the best action.

    The parameters are the same as in `cost_intervals`.

    Returns
    -------
    regrets : ndarray of shape (n, k)
        The maximum, over the probabilities of the interval, of the expected cost of the action less
        the smallest expected cost of any action, not negative.
    """
    ends = _costs_at_ends(p0, p1, costs)
    return np.max(ends - ends.min(axis=2, keepdims=True), axis=0)


def minimax_regret_actions(p0: ArrayLike, p1: ArrayLike, costs: ArrayLike) -> NDArray[np.int64]:
    """The action whose largest regret is the smallest, or the first of several such actions.

    The better of two actions has the smaller cost at the midpoint of the interval.

    The parameters are the same as in `cost_intervals`.

    Returns
    -------
    actions : ndarray of int of shape (n,)
        Rows of `costs`.
    """
    return largest_regrets(p0, p1, costs).argmin(axis=1)


def _costs_at_ends(p0, p1, costs):
    """Expected cost of each action at both ends of each interval, of shape (2, n, k)."""
    p0 = check_scores(p0, name="p0", unit=True, allow_empty=True)
    p1 = check_scores(p1, name="p1", unit=True, allow_empty=True)
    check_size(p0.size, p1.size, "p0", "p1")
    costs = check_costs(costs)
    p = np.stack([p0, p1])[:, :, np.newaxis]
    return (1 - p) * costs[:, 0] + p * costs[:, 1]
