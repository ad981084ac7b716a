"""Bootstrap intervals of a measure: of one prediction, of a difference of two, of each group."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from calib.base.arrays import check_sample, check_scores, check_size
from calib.base.options import RandomState, check_integer, check_positive, check_random_state
from calibkit.inference.clusters import cluster_codes, grouped_sample, parts_of

Measure = Callable[..., float]


class Interval(NamedTuple):
    """A measure and its confidence limits.

    Attributes
    ----------
    estimate : float
        The measure of the sample, or the difference of two measures.
    lower, upper : float
        Confidence limits.
    error : float
        Standard error.
    """

    estimate: float
    lower: float
    upper: float
    error: float


def bootstrap_interval(
    measure: Measure,
    labels: ArrayLike,
    probabilities: ArrayLike,
    *,
    confidence: float = 0.95,
    n_resamples: int = 1000,
    random_state: RandomState = 0,
    sample_weight: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
) -> Interval:
    r"""Bootstrap interval of any measure of calibration or discrimination.

    Rows, or whole clusters of them, are drawn with replacement. With the quantiles :math:`q` of the
    measure :math:`\hat\theta` over the draws, the limits are
    :math:`2 \hat\theta - q_{1 - \alpha/2}` and :math:`2 \hat\theta - q_{\alpha/2}` (the "basic"
    interval).

    Parameters
    ----------
    measure : callable
        ``measure(labels, probabilities, sample_weight=...)``, a number. Set options beforehand, for
        example with `functools.partial`.
    labels : array-like of shape (n,)
        Outcomes, 0/1 or bool.
    probabilities : array-like of shape (n,)
        Predictions in [0, 1].
    confidence : float, default=0.95
        Coverage, in (0, 1).
    n_resamples : int, default=1000
        Number of draws.
    random_state : None, int, numpy Generator or RandomState, default=0
        Source of the draws.
    sample_weight : array-like of shape (n,), optional
        Non-negative weights. Weights are counts. The number of rows drawn is their sum, rounded.
    clusters : array-like of shape (n,), optional
        Cluster of each row, such as a patient, where only rows of different ones are independent,
        as numbers or strings.
        As many clusters are drawn as the sample has.

    Returns
    -------
    interval : Interval

    Raises
    ------
    ValueError
        For input that is not as described, or if the measure refuses a draw, such as one that has
        one class only. The message names the argument.

    Notes
    -----
    The measure is computed `n_resamples` times. Calibration errors are biased upwards, and the
    errors of bootstrap samples twice as much. Therefore the usual percentile interval is too high
    and sometimes lies entirely above the true value. The basic interval removes most of the bias
    and may extend below 0. For 500 overconfident predictions, 95 % intervals of ECE held the true
    value in 85 % of the samples, 95 % intervals of the Kuiper error in 92 %, and percentile
    intervals in 79 % and 41 %. If the predictions are calibrated or nearly so, no bootstrap of an
    error is valid. Use a test.

    References
    ----------
    Davison and Hinkley (1997), section 5.2.

    Examples
    --------
    >>> from calib.metrics import brier_score_loss
    >>> from calibkit.inference import bootstrap_interval
    >>> interval = bootstrap_interval(brier_score_loss, [0, 0, 1, 1] * 9, [0.1, 0.4, 0.3, 0.8] * 9)
    >>> [round(limit, 2) for limit in interval]
    [0.17, 0.11, 0.23, 0.03]
    """
    check_positive(confidence, "confidence", below=1)
    clean_labels, predictions, weights = check_sample(
        labels, probabilities, sample_weight, counts=True
    )
    codes = cluster_codes(clusters, np.size(probabilities), sample_weight, other="probabilities")
    return _basic_interval(
        measure,
        _BootstrapRows(
            labels=clean_labels, predictions=[predictions], weights=weights, codes=codes
        ),
        confidence=confidence,
        n_resamples=n_resamples,
        random_state=random_state,
    )


def bootstrap_difference(
    measure: Measure,
    labels: ArrayLike,
    first: ArrayLike,
    second: ArrayLike,
    *,
    confidence: float = 0.95,
    n_resamples: int = 1000,
    random_state: RandomState = 0,
    sample_weight: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
) -> Interval:
    """Bootstrap interval of the difference in a measure between two predictions.

    Parameters
    ----------
    measure : callable
        As in `bootstrap_interval`.
    labels : array-like of shape (n,)
        Outcomes, 0/1 or bool.
    first, second : array-like of shape (n,)
        Two predictions in [0, 1] for each row.
    confidence, n_resamples, random_state, sample_weight, clusters
        As in `bootstrap_interval`.

    Returns
    -------
    interval : Interval
        Interval of the measure of `first` minus the measure of `second`.

    Raises
    ------
    ValueError
        As in `bootstrap_interval`.

    Notes
    -----
    Both predictions are measured on the same draws, so common variation cancels, and the interval
    is narrower than the intervals of the two measures suggest.

    Examples
    --------
    >>> from calib.metrics import brier_score_loss
    >>> from calibkit.inference import bootstrap_difference
    >>> labels, first, second = [0, 0, 1, 1] * 9, [0.1, 0.4, 0.3, 0.8] * 9, [0.2, 0.5, 0.2, 0.7] * 9
    >>> interval = bootstrap_difference(brier_score_loss, labels, first, second)
    >>> interval.estimate.__round__(3), interval.upper < 0
    (-0.08, True)
    """
    check_positive(confidence, "confidence", below=1)
    clean_first = check_scores(first, name="first", unit=True)
    clean_second = check_scores(second, name="second", unit=True)
    check_size(clean_second.size, clean_first.size, "second", "first")
    codes = cluster_codes(clusters, clean_first.size, sample_weight, other="first")
    clean_labels, clean_first, weights = check_sample(
        labels, clean_first, sample_weight, name="first", counts=True
    )
    if sample_weight is not None:
        clean_second = clean_second[np.asarray(sample_weight, np.float64) > 0]
    predictions = [clean_first, clean_second]
    return _basic_interval(
        measure,
        _BootstrapRows(labels=clean_labels, predictions=predictions, weights=weights, codes=codes),
        confidence=confidence,
        n_resamples=n_resamples,
        random_state=random_state,
    )


def bootstrap_by_group(
    measure: Measure,
    labels: ArrayLike,
    probabilities: ArrayLike,
    groups: ArrayLike,
    *,
    confidence: float = 0.95,
    n_resamples: int = 2000,
    random_state: RandomState = 0,
    sample_weight: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
) -> dict[object, Interval]:
    """Bootstrap intervals of a measure in each group, which hold in all groups at once.

    Parameters
    ----------
    measure : callable
        As in `bootstrap_interval`.
    labels : array-like of shape (n,)
        Outcomes, 0/1 or bool.
    probabilities : array-like of shape (n,)
        Predictions in [0, 1].
    groups : array-like of shape (n,)
        Group of each row, as numbers or strings.
    confidence : float, default=0.95
        Probability that all intervals hold, in (0, 1).
    n_resamples : int, default=2000
        Number of draws in each group; more groups need more draws, since each interval is wider.
    random_state : None, int, numpy Generator or RandomState, default=0
        Source of the draws.
    sample_weight : array-like of shape (n,), optional
        Counts. A row of weight w stands for w rows. Not negative.
    clusters : array-like of shape (n,), optional
        Cluster of each row, such as a patient, where only rows of different ones are independent,
        as numbers or strings.

    Returns
    -------
    intervals : dict of group to Interval
        In the order of the groups.

    Raises
    ------
    ValueError
        As in `bootstrap_interval`, or for groups that are not as described.

    Notes
    -----
    Groups share no row, so their intervals are independent. With G groups each interval has the
    confidence ``confidence ** (1 / G)`` (Sidak). A cluster with rows in several groups makes the
    intervals dependent, which does little harm: Sidak's intervals are then slightly conservative.

    Examples
    --------
    >>> from calib.metrics import brier_score_loss
    >>> from calibkit.inference import bootstrap_by_group
    >>> intervals = bootstrap_by_group(
    ...     brier_score_loss, [0, 1, 0, 1] * 5, [0.1, 0.8, 0.4, 0.4] * 5, ["a", "a", "b", "b"] * 5
    ... )
    >>> {group: round(interval.estimate, 3) for group, interval in intervals.items()}
    {'a': 0.025, 'b': 0.26}
    """
    check_positive(confidence, "confidence", below=1)
    sample, names, codes = grouped_sample(labels, probabilities, groups, sample_weight)
    rng = check_random_state(random_state)
    cluster_of_row = cluster_codes(clusters, np.size(groups), sample_weight, other="groups")
    intervals = {}
    parts = parts_of((*sample, cluster_of_row), codes)
    for name, part in zip(names.tolist(), parts, strict=True):
        group_labels, predictions, weights, group_clusters = part
        intervals[name] = bootstrap_interval(
            measure,
            group_labels,
            predictions,
            confidence=confidence ** (1 / names.size),
            n_resamples=n_resamples,
            random_state=rng,
            sample_weight=weights,
            clusters=group_clusters,
        )
    return intervals


class _BootstrapRows(NamedTuple):
    """Rows to be drawn: with one prediction, or with two that are compared."""

    labels: NDArray[np.uint8]
    predictions: list[NDArray[np.float64]]
    weights: NDArray[np.float64] | None
    codes: NDArray[np.int64] | None


def _basic_interval(measure, rows, *, confidence, n_resamples, random_state):
    """Basic interval of the measure of one prediction, or of the difference between two."""
    check_integer(n_resamples, "n_resamples", minimum=2)
    rng = check_random_state(random_state)
    rows = _distinct_rows(rows)
    if rows.codes is None:
        n_drawn = max(1, round(rows.weights.sum()))
        chances = rows.weights / rows.weights.sum()
    else:
        n_drawn = rows.codes.max() + 1
        chances = np.full(n_drawn, 1 / n_drawn)
    draws = np.empty(n_resamples)
    for i in range(n_resamples):
        try:
            drawn = rng.multinomial(n_drawn, chances)
            counts = drawn if rows.codes is None else rows.weights * drawn[rows.codes]
            draws[i] = _measure_rows(measure, rows, counts)
        except ValueError as error:
            raise ValueError(
                f"measure refused a draw from the rows, so the sample is too small for it: {error}"
            ) from error
    value = _measure_rows(measure, rows, rows.weights)
    tail = (1 - confidence) / 2
    low, high = np.quantile(draws, [tail, 1 - tail])
    return Interval(  # the quantiles are reflected at the value
        estimate=value,
        lower=float(2 * value - high),
        upper=float(2 * value - low),
        error=float(draws.std(ddof=1)),
    )


def _distinct_rows(rows):
    """The distinct rows with their total weights.

    Fewer rows are then drawn, and the draws do not depend on the order of the rows.
    """
    weights = np.ones(rows.labels.size) if rows.weights is None else rows.weights
    columns = [rows.labels, *rows.predictions]
    if rows.codes is not None:
        columns.append(rows.codes)
    order = np.lexsort(columns)
    changes = [np.diff(column[order], prepend=-1) != 0 for column in columns]
    starts = np.flatnonzero(np.any(changes, axis=0))
    distinct = order[starts]
    return _BootstrapRows(
        labels=rows.labels[distinct],
        predictions=[prediction[distinct] for prediction in rows.predictions],
        weights=np.add.reduceat(weights[order], starts),
        codes=None if rows.codes is None else rows.codes[distinct],
    )


def _measure_rows(measure, rows, counts):
    """The measure of the first prediction, less the measure of the second if there is one."""
    values = [float(measure(rows.labels, p, sample_weight=counts)) for p in rows.predictions]
    return values[0] if len(values) == 1 else values[0] - values[1]
