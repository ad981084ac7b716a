"""Calibration in each of several groups, with limits and p values for all of them at once."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from calib.contract.options import check_positive
from calib.metrics.limits import binomial_limits
from calib.metrics.samples import grouped_sample, parts_of
from calib.metrics.significance import kuiper_of_counts


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
    {sample}
    groups : array-like of shape (n,)
        Group of each row: numbers or strings.
    confidence : float, default=0.95
        Probability, at least, that all limits hold, in (0, 1).
    {counts}

    Returns
    -------
    found : dict of group to GroupCalibration
        In the order of the groups.

    {raises}

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
    sample, names, codes = grouped_sample(labels, probabilities, groups, sample_weight, counts=True)
    labels, probabilities, weights = sample
    counts = np.ones(labels.size) if weights is None else weights
    totals, predicted, positives = (
        np.bincount(codes, counts * column) for column in (1, probabilities, labels)
    )
    predicted, observed = predicted / totals, positives / totals
    hits, level = np.minimum(positives, totals), confidence ** (1 / names.size)
    limits = binomial_limits(hits, totals, confidence=level)
    tests = (kuiper_of_counts(z, p, w) for z, p, w in parts_of(sample, codes))
    biases = (side - predicted for side in (observed, *limits))
    columns = (column.tolist() for column in (totals, positives, predicted, observed, *biases))
    p_values = (_for_all(test.p_value, names.size) for test in tests)
    return dict(zip(names.tolist(), map(GroupCalibration, *columns, p_values), strict=True))


def _for_all(p_value, n_tests):
    """The p value of a test that is one of several independent ones."""
    return float(-np.expm1(n_tests * np.log1p(-p_value))) if p_value < 1 else 1.0
