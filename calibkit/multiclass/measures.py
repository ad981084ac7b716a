"""Measures for more than two classes: two losses, and three ways to every binary measure."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from calib.base.arrays import check_class_labels, check_score_rows, check_weights
from calib.base.options import check_flag
from calib.base.probabilities import rescaled
from calib.metrics.losses import mean_of


def confidences(
    labels: ArrayLike, probabilities: ArrayLike
) -> tuple[NDArray[np.uint8], NDArray[np.float64]]:
    """Whether the most probable class is right, and its probability: a binary problem.

    Every measure, test, interval and diagram of `calib` takes the two.

    Parameters
    ----------
    labels : array-like of shape (n,)
        Classes, as numbers of columns.
    probabilities : array-like of shape (n, k)
        Rows with the sum 1. The first of equal probabilities counts as the largest.

    Returns
    -------
    correct : ndarray of shape (n,)
        0 or 1.
    confidence : ndarray of shape (n,)
        In [1/k, 1].

    Raises
    ------
    ValueError
        For input that is not as described. The message names the argument.

    Notes
    -----
    Guo et al. (2017) and Kull et al. (2019) speak of confidence calibration, Kumar et al. (2019) of
    top-label calibration. `top_label` asks for more. Vaicenavicius et al. (2019) call this and
    `class_wise` reductions of the probabilities. O(n k).

    Examples
    --------
    >>> from calib.metrics import expected_calibration_error
    >>> from calibkit.multiclass import confidences
    >>> rows = [[0.5, 0.3, 0.2], [0.1, 0.1, 0.8]] * 2
    >>> correct, confidence = confidences([0, 2, 1, 2], rows)
    >>> correct, confidence
    (array([1, 1, 0, 1], dtype=uint8), array([0.5, 0.8, 0.5, 0.8]))
    >>> round(expected_calibration_error(correct, confidence), 3)
    0.1
    """
    z, p, _ = check_rows(labels, probabilities, None)
    return (z == p.argmax(axis=1)).astype(np.uint8), p.max(axis=1)


def class_wise(
    measure: Callable[..., float],
    labels: ArrayLike,
    probabilities: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    **options: Any,
) -> NDArray[np.float64]:
    """A binary measure of each class against the rest.

    Parameters
    ----------
    measure : callable
        ``measure(labels, probabilities, **options)``, of `calib` or elsewhere.
    labels : array-like of shape (n,)
        Classes, as numbers of columns.
    probabilities : array-like of shape (n, k)
        Rows with the sum 1.
    sample_weight : array-like of shape (n,), optional
        Passed to `measure`.
    **options
        Passed to `measure`.

    Returns
    -------
    values : ndarray of shape (k,)
        For each class. Their mean with `expected_calibration_error` is the class-wise ECE of Kull
        et al. (2019), the static calibration error of Nixon et al. (2019). With
        `debiased_squared_error` it is the square of the debiased marginal calibration error of
        Kumar et al. (2019).

    Raises
    ------
    ValueError
        For input that is not as described. The message names the argument.

    Examples
    --------
    >>> from calib.metrics import expected_calibration_error
    >>> from calibkit.multiclass import class_wise
    >>> rows = [[0.5, 0.3, 0.2], [0.1, 0.1, 0.8]] * 2
    >>> class_wise(expected_calibration_error, [0, 2, 1, 2], rows).round(3)
    array([0.05, 0.15, 0.2 ])
    """
    z, p, weights = check_rows(labels, probabilities, sample_weight)
    values = [_measured(measure, z == j, column, weights, options) for j, column in enumerate(p.T)]
    return np.array(values)


def top_label(
    measure: Callable[..., float],
    labels: ArrayLike,
    probabilities: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    **options: Any,
) -> float:
    """Mean of a binary measure of the confidence, among the rows of each predicted class.

    The parameters are the same as in `class_wise`.

    Returns
    -------
    value : float
        Mean over the classes that are most probable somewhere, weighted by how often they are. With
        `expected_calibration_error` this is the top-label ECE of Gupta and Ramdas (2022), which is
        at least the ECE of `confidences` where both have the same bins: errors of different
        predicted classes do not cancel.

    Raises
    ------
    ValueError
        For input that is not as described. The message names the argument.

    Examples
    --------
    >>> from calib.metrics import expected_calibration_error
    >>> from calibkit.multiclass import top_label
    >>> rows = [[0.5, 0.3, 0.2], [0.1, 0.1, 0.8]] * 2
    >>> round(top_label(expected_calibration_error, [0, 2, 1, 2], rows), 3)
    0.1
    """
    z, p, weights = check_rows(labels, probabilities, sample_weight)
    predicted = p.argmax(axis=1)
    confidence = p.max(axis=1)
    values = []
    sizes = []
    for j in np.unique(predicted):
        rows = predicted == j
        row_weights = None if weights is None else weights[rows]
        values.append(_measured(measure, z[rows] == j, confidence[rows], row_weights, options))
        sizes.append(np.count_nonzero(rows) if row_weights is None else row_weights.sum())
    return float(np.average(values, weights=rescaled(np.array(sizes, float))))


def brier_score_loss(
    labels: ArrayLike,
    probabilities: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    scale_by_half: bool | str = "auto",
) -> float:
    """Mean over rows of the sum over classes of squared differences, in [0, 2], in O(n k).

    As in scikit-learn, ``scale_by_half=True`` halves it, and ``"auto"`` does with two classes. It
    then is `calib.metrics.brier_score_loss`. The sum itself is the score of Brier (1950).

    >>> brier_score_loss([0, 1], [[1.0, 0.0, 0.0], [0.5, 0.5, 0.0]])
    0.25
    >>> brier_score_loss([0, 1], [[1.0, 0.0], [0.5, 0.5]])
    0.125
    """
    if scale_by_half != "auto":
        check_flag(scale_by_half, "scale_by_half")
    z, p, weights = check_rows(labels, probabilities, sample_weight)
    outcome = p[np.arange(z.size), z]
    others = np.square(p).sum(axis=1) - np.square(outcome)
    loss = mean_of(np.square(1 - outcome) + others, weights)
    halved = p.shape[1] == 2 if scale_by_half == "auto" else scale_by_half
    return loss / 2 if halved else loss


def log_loss(
    labels: ArrayLike, probabilities: ArrayLike, *, sample_weight: ArrayLike | None = None
) -> float:
    """Mean of minus the logarithm of the probability of the outcome, in [0, inf], in O(n k).

    It is infinite where an outcome had probability 0. Nothing is cut off.

    >>> log_loss([0, 1], [[1.0, 0.0, 0.0], [0.5, 0.5, 0.0]]).__round__(3)
    0.347
    """
    z, p, weights = check_rows(labels, probabilities, sample_weight)
    with np.errstate(divide="ignore"):
        losses = 0.0 - np.log(p[np.arange(z.size), z])
    return mean_of(losses, weights)


def check_rows(
    labels: ArrayLike,
    probabilities: ArrayLike,
    sample_weight: ArrayLike | None,
    *,
    unit: bool = True,
    counts: bool = False,
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64] | None]:
    """Return clean arrays, without the rows of weight zero, which count as absent.

    `unit` as in `check_score_rows`, `counts` as in `check_weights`.
    """
    p = check_score_rows(probabilities, unit=unit)
    n, k = p.shape
    z = check_class_labels(labels, n_classes=k, size=n)
    if sample_weight is None:
        return z, p, None
    weights = check_weights(sample_weight, size=n, other="probabilities", counts=counts)
    positive = weights > 0
    return z[positive], p[positive], weights[positive]


def _measured(measure, labels, probabilities, weights, options):
    if weights is not None:
        options = options | {"sample_weight": weights}
    return measure(labels.astype(np.uint8), probabilities, **options)
