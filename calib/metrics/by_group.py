"""Calibration in each of several groups, with limits and p values for all of them at once."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from calib.contract.options import check_positive
from calib.contract.validation import check_sample, one_dimensional
from calib.metrics.discrimination import codes_of
from calib.metrics.limits import binomial_limits
from calib.metrics.significance import kuiper_test


class GroupCalibration(NamedTuple):
    """Calibration in one group.

    Attributes
    ----------
    count, positives : float
        Numbers of rows, or weights.
    predicted, observed : float
        Mean prediction, and share of positives.
    bias, lower, upper : float
        `observed` less `predicted`, with limits that hold in all groups at once.
    p_value : float
        Of Kuiper's test, made for as many groups as there are.
    """

    count: float
    positives: float
    predicted: float
    observed: float
    bias: float
    lower: float
    upper: float
    p_value: float


def calibration_by_group(
    labels: ArrayLike,
    probabilities: ArrayLike,
    groups: ArrayLike,
    *,
    confidence: float = 0.95,
    sample_weight: ArrayLike | None = None,
) -> dict[object, GroupCalibration]:
    r"""Bias and Kuiper's test in each group, with limits that hold in all of them at once.

    Parameters
    ----------
    labels : array-like of shape (n,)
        Outcomes, 0/1 or bool.
    probabilities : array-like of shape (n,)
        Predictions in [0, 1].
    groups : array-like of shape (n,)
        Group of each row: numbers or strings.
    confidence : float, default=0.95
        Probability, at least, that all limits hold, in (0, 1).
    sample_weight : array-like of shape (n,), optional
        Non-negative weights; they are counts.

    Returns
    -------
    found : dict of group to GroupCalibration
        In the order of the groups.

    Raises
    ------
    ValueError
        For input that is not as described; the message names the argument.

    Notes
    -----
    O(n log n). Groups share no row, so with G groups each has the exact binomial limits of
    confidence ``confidence ** (1 / G)`` around its share of positives, and its p value p becomes
    ``1 - (1 - p) ** G`` (Sidak). The limits take the outcomes of a group as equally likely, which
    makes them too wide, if anything, where they are not. A group can be miscalibrated without a
    bias: the test sees that.

    References
    ----------
    Sidak (1967); Clopper and Pearson (1934).

    Examples
    --------
    >>> from calib.metrics import calibration_by_group
    >>> labels, groups = [0, 0, 0, 1, 0, 1, 1, 1] * 10, ["a"] * 40 + ["b"] * 40
    >>> found = calibration_by_group(labels, [0.5] * 40 + [0.2] * 40, groups)
    >>> [round(number, 2) for number in found["b"][3:7]]
    [0.5, 0.3, 0.12, 0.48]
    """
    check_positive(confidence, "confidence", below=1)
    groups = one_dimensional(groups, "groups")
    if sample_weight is not None and groups.size == np.size(sample_weight):
        groups = groups[np.asarray(sample_weight, np.float64) > 0]
    labels, probabilities, weights = check_sample(labels, probabilities, sample_weight, counts=True)
    names, codes = codes_of(groups, labels.size, name="groups", other="probabilities")
    counts = np.ones(labels.size) if weights is None else weights
    totals, predicted, positives = (
        np.bincount(codes, counts * column) for column in (1, probabilities, labels)
    )
    predicted, observed = predicted / totals, positives / totals
    limits = binomial_limits(
        np.minimum(positives, totals), totals, confidence=confidence ** (1 / names.size)
    )
    order, ends = np.argsort(codes, kind="stable"), np.cumsum(np.bincount(codes))[:-1]
    p_values = []
    for rows in np.split(order, ends):
        part = None if weights is None else weights[rows]
        test = kuiper_test(labels[rows], probabilities[rows], sample_weight=part)
        p_values.append(_for_all(test.p_value, names.size))
    biases = (side - predicted for side in (observed, *limits))
    columns = (totals, positives, predicted, observed, *biases)
    rows = zip(*(column.tolist() for column in columns), p_values, strict=True)
    return dict(zip(names.tolist(), (GroupCalibration(*row) for row in rows), strict=True))


def _for_all(p_value, n_tests):
    """The p value of a test that is one of several independent ones."""
    return float(-np.expm1(n_tests * np.log1p(-p_value))) if p_value < 1 else 1.0
