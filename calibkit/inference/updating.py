"""How much of a model to update for a new population, by closed testing."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import chdtrc

from calib.base.options import check_positive
from calib.kernels.level import level_shift
from calib.metrics.samples import counted_sample
from calibkit.inference.coefficients import WeightedRows, likeliest_coefficients
from calibkit.inference.recalibration import checked_logits, recalibration_line

SPAN_TOLERANCE = 1e-6  # fraction of the range of the logits, unexplained by the features

NO_REVISION = (
    "features separate the classes, or one of them is a linear function of others: no finite "
    "revision fits; leave such columns out, or add rows"
)


class ModelUpdate(NamedTuple):
    """The smallest update of a model that the data do not reject.

    Attributes
    ----------
    method : {"none", "intercept", "intercept and slope", "revision"}
        The chosen update.
    intercept, slope : float
        The updated logits are ``intercept + slope * logits``. They are 0 and 1 for no update, and
        NaN for a revision.
    coefficients : ndarray of shape (k + 1,), or None
        The new intercept and the new coefficients of the features, of a revision.
    p_values : dict of str to float
        For each update that was tested, how often the largest update fits so much better by chance.
        The tests stop at the first p value above `alpha`.
    """

    method: str
    intercept: float
    slope: float
    coefficients: NDArray[np.float64] | None
    p_values: dict[str, float]


class _Candidate(NamedTuple):
    """An update that is fitted: its log-likelihood, and its number of free coefficients."""

    method: str
    log_likelihood: float
    size: int
    intercept: float = np.nan
    slope: float = np.nan
    coefficients: NDArray[np.float64] | None = None


def closed_testing_update(
    labels: ArrayLike,
    probabilities: ArrayLike,
    *,
    features: ArrayLike | None = None,
    alpha: float = 0.05,
    sample_weight: ArrayLike | None = None,
) -> ModelUpdate:
    """Choose between no update, a new intercept, a new intercept and slope, and a revision.

    Each smaller update is tested against the largest one by its likelihood ratio, the smallest
    first. The first that is not rejected is chosen.

    Parameters
    ----------
    labels : array-like of shape (n,)
        Outcomes in the new population, 0/1 or bool, of both classes.
    probabilities : array-like of shape (n,)
        Predictions of the model in (0, 1). Their logits must be finite.
    features : array-like of shape (n, k), optional
        Features of a logistic regression that made the predictions. With them the largest update is
        a revision, which estimates all coefficients anew. Without them it is intercept and slope.
    alpha : float, default=0.05
        Level of each test, in (0, 1).
    sample_weight : array-like of shape (n,), optional
        Counts. A row of weight w stands for w rows. Not negative.

    Returns
    -------
    update : ModelUpdate

    Raises
    ------
    ValueError
        For input that is not as described, if no finite model fits, or if the logits of the
        predictions are no linear function of the features. The message names the argument.

    Notes
    -----
    O(n k^2) for each of about ten Newton steps. If no update is needed, one is made with a
    probability of `alpha` at most in large samples, because the first test then has to reject. The
    likelihood supposes independent rows. For clusters take the intervals of
    `recalibration_intervals` and the test `recalibration_test` instead. The updated model must be
    judged on other rows.

    References
    ----------
    Vergouwe, Nieboer, Oostenbrink, Debray, Murray, Kattan, Koffijberg, Moons and Steyerberg (2017).

    Examples
    --------
    >>> from calibkit.inference import closed_testing_update
    >>> labels, probabilities = [0, 1, 0, 0, 1, 1] * 20, [0.1, 0.1, 0.1, 0.9, 0.9, 0.9] * 20
    >>> update = closed_testing_update(labels, probabilities)
    >>> update.method, round(update.slope, 2)
    ('intercept and slope', 0.32)
    """
    check_positive(alpha, "alpha", below=1)
    outcomes, predicted, counts = counted_sample(labels, probabilities, sample_weight)
    _, logits, _ = checked_logits(outcomes, predicted, None, "update fits")
    rows = WeightedRows(labels=outcomes, weights=counts, counts=counts, codes=None)
    candidates = _updates(rows, predicted, logits)
    if features is not None:
        columns = _checked_features(features, np.size(labels), sample_weight, logits)
        candidates.append(_revision(rows, columns))
    largest = candidates[-1]
    p_values = {}
    for candidate in candidates[:-1]:
        ratio = max(2 * (largest.log_likelihood - candidate.log_likelihood), 0.0)
        p_values[candidate.method] = float(chdtrc(largest.size - candidate.size, ratio))
        if p_values[candidate.method] > alpha:
            break
    else:
        candidate = largest
    return ModelUpdate(
        method=candidate.method,
        intercept=candidate.intercept,
        slope=candidate.slope,
        coefficients=candidate.coefficients,
        p_values=p_values,
    )


def _updates(rows, predicted, logits):
    """The updates that need no features, the smallest first."""
    line = recalibration_line(rows.labels, predicted, sample_weight=rows.weights)
    shift = level_shift(logits, rows.weights, np.average(rows.labels, weights=rows.weights))
    lines = {
        "none": (0.0, 1.0),
        "intercept": (shift, 1.0),
        "intercept and slope": (line.intercept, line.slope),
    }
    return [
        _Candidate(
            method=method,
            log_likelihood=rows.log_likelihood(intercept + slope * logits),
            size=size,
            intercept=intercept,
            slope=slope,
        )
        for size, (method, (intercept, slope)) in enumerate(lines.items())
    ]


def _checked_features(features, n_rows, sample_weight, logits):
    """The features as columns of shape (k, n) that explain the logits."""
    table = np.asarray(features, np.float64)
    if table.ndim != 2 or len(table) != n_rows or not np.all(np.isfinite(table)):
        raise ValueError(
            f"features must be a table of finite numbers with {n_rows} rows, like labels; found "
            f"the shape {table.shape}: fill in missing values, or leave out their rows"
        )
    if sample_weight is not None:
        table = table[np.asarray(sample_weight) > 0]
    design = np.column_stack([np.ones(len(table)), table])
    coefficients, *_ = np.linalg.lstsq(design, logits, rcond=None)
    unexplained = np.abs(design @ coefficients - logits).max()
    if unexplained > SPAN_TOLERANCE * max(np.ptp(logits), 1.0):
        raise ValueError(
            "features must belong to the logistic regression that made the probabilities: the "
            f"logits differ by up to {unexplained:.3g} from linear functions of these columns; "
            "give the columns of that regression, or leave features out"
        )
    return table.T


def _revision(rows, columns):
    """The logistic regression on the features."""
    design = np.vstack([np.ones(rows.labels.size), columns])
    coefficients = likeliest_coefficients(rows, design, NO_REVISION)
    return _Candidate(
        method="revision",
        log_likelihood=rows.log_likelihood(coefficients @ design),
        size=len(coefficients),
        coefficients=coefficients,
    )
