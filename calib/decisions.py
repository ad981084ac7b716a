r"""Decisions from two probabilities: what each action may cost, and how much it may be regretted.

The expected cost of an action is linear in the probability p of class 1,

.. math:: c_a(p) = (1 - p)\, c_{a0} + p\, c_{a1},

with :math:`c_{az}` its cost where the label is z. Of p only an interval is known, such as the pair
of `VennAbers.predict_interval`. All that is asked for here is decided at the two ends: the cost,
because it is linear, and the regret :math:`c_a(p) - \min_b c_b(p)`, because it is convex.

Every function takes

* p0, p1: array-like of shape (n,), the ends of the intervals, in [0, 1] and in either order, since
  those of `TransductiveVennAbers` may cross; `n` may be 0;
* costs: array-like of shape (k, 2), a row for each of at least two actions: its cost where the
  label is 0, and where it is 1; at most 1e300 in size. Gains are negative costs.

Bad input is a `ValueError`. O(n k) time and memory, and O(n k^2) time for dominance. That the pair
holds the probability of an object is an assumption: calibration alone promises less (Vovk and Petej
2014).

Examples
--------
Acting costs 1 in vain; not acting costs 4 where it was needed; to ask somebody costs 0.5.

>>> from calib import decisions
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

from calib.contract.validation import check_costs, check_scores, check_size


def cost_intervals(
    p0: ArrayLike, p1: ArrayLike, costs: ArrayLike
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The least and the greatest expected cost of each action.

    Returns
    -------
    lower, upper : ndarray of shape (n, k)
        The expected cost takes these values at the ends, and every one between them.
    """
    ends = _costs_at_ends(p0, p1, costs)
    return ends.min(axis=0), ends.max(axis=0)


def undominated_actions(p0: ArrayLike, p1: ArrayLike, costs: ArrayLike) -> NDArray[np.bool_]:
    """The actions that no other one beats, whatever the probability in the interval.

    An action is dominated if another one is dearer for no probability of the interval, and cheaper
    for some. Of equal actions none dominates the other.

    Returns
    -------
    undominated : ndarray of bool of shape (n, k)
        At least one in each row; more than one means that the pair does not decide.

    Notes
    -----
    With two actions, each undominated one is the best for some probability of the interval. With
    more this need not be so: to refer a case may be undominated, and yet never the cheapest.
    """
    ends = _costs_at_ends(p0, p1, costs)
    undominated = np.ones(ends.shape[1:], bool)
    for other in np.moveaxis(ends, 2, 0):
        other = other[:, :, np.newaxis]
        undominated &= ~(np.all(other <= ends, axis=0) & np.any(other < ends, axis=0))
    return undominated


def largest_regrets(p0: ArrayLike, p1: ArrayLike, costs: ArrayLike) -> NDArray[np.float64]:
    """How much each action may cost beyond the best one, for the worst probability.

    Returns
    -------
    regrets : ndarray of shape (n, k)
        The maximum over the interval of the expected cost of the action less that of the action
        that is best there; not negative.
    """
    ends = _costs_at_ends(p0, p1, costs)
    return np.max(ends - ends.min(axis=2, keepdims=True), axis=0)


def minimax_regret_actions(p0: ArrayLike, p1: ArrayLike, costs: ArrayLike) -> NDArray[np.int64]:
    """The action whose largest regret is the smallest; of equal ones the first.

    With two actions it is the better one at the midpoint of the interval, whatever the costs.

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
