"""The one place where arrays are checked, and what they must be."""

import math
import numbers
import sys
import warnings
from contextlib import contextmanager
from decimal import Decimal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, logit

LARGEST_TOTAL = 1e150  # of weights: products of two sums stay finite
NEAREST = np.finfo(np.float64).eps / 2  # 1 less this is the largest probability below 1
LARGEST_COST = 1e300  # of an action, or gain: differences stay finite
REAL = numbers.Real | Decimal | np.bool_  # what an array of objects may hold, as from a database
MOST_OFF = 1e-3  # sums of rows that should be 1, such as those of 16-bit numbers


def check_scores(
    scores: ArrayLike,
    *,
    name: str = "scores",
    unit: bool = False,
    allow_empty: bool = False,
    narrow: bool = False,
) -> NDArray[np.float64]:
    """Return `scores` as a contiguous, finite, 1-D float64 array (in [0, 1] if `unit`).

    If `narrow`, float32 stays what it is: for `ties`, which needs no copy of it.
    """
    scores = _numbers(scores, name, "real numbers", "convert them")
    dtype = np.float32 if narrow and scores.dtype == np.float32 else np.float64
    scores, lowest, highest = _finite(scores, name, allow_empty, "drop or impute such rows", dtype)
    if unit:
        remedy = "map margins to probabilities first, for example with scipy.special.expit"
        if -1e-6 < lowest and highest < 1 + 1e-6:
            remedy = f"if that is rounding, pass np.clip({name}, 0, 1)"
        _check_unit(scores, lowest, highest, name, remedy)
    return scores


def check_score_rows(
    scores: ArrayLike, *, unit: bool = True, n_classes: int | None = None, allow_empty: bool = False
) -> NDArray[np.float64]:
    """Return `scores` as a contiguous, finite, 2-D float64 array with a column for each class.

    If `unit`, each row must be a law on the classes: in [0, 1], with the sum 1, give or take 1e-3.
    """
    scores = _numbers(scores, "probabilities", "real numbers", "convert them", _two_dimensional)
    if n_classes is not None and scores.shape[1] != n_classes:
        raise ValueError(
            f"probabilities has {scores.shape[1]} columns but {n_classes} were fitted: pass one "
            "for each class, in the same order"
        )
    scores, *ends = _finite(scores, "probabilities", allow_empty, "drop such rows")
    if unit:
        softmax = "scipy.special.softmax(scores, axis=1)"
        remedy = f"map scores to probabilities first, for example with {softmax}"
        _check_unit(scores, *ends, "probabilities", remedy)
        totals = scores.sum(axis=1)
        off = np.abs(totals - 1) > MOST_OFF
        if off.any():
            row, found = _first(totals, off)
            raise ValueError(
                f"probabilities must have rows that sum to 1; the sum of row {row} is {found:.6g}: "
                "divide by probabilities.sum(axis=1, keepdims=True)"
            )
    return scores


def check_costs(costs: ArrayLike) -> NDArray[np.float64]:
    """Return `costs` as a 2-D float64 array: a row for each action, a column for each label."""
    costs = _numbers(costs, "costs", "real numbers", "convert them", _row_by_action)
    with np.errstate(over="ignore"):  # what is too large for a float64 is reported below
        costs = costs.astype(np.float64)
    must = f"costs must be finite, at most {LARGEST_COST:.0e} in size"
    refuse(costs, ~(np.abs(costs) <= LARGEST_COST), must, "take another unit")
    return costs


def check_class_labels(labels: ArrayLike, *, n_classes: int, size: int) -> NDArray[np.int64]:
    """Return `labels`, numbers of the columns of probabilities, as a 1-D int64 array."""
    remedy = (
        "number the classes as the columns of probabilities are, for example by "
        "np.searchsorted(classifier.classes_, labels)"
    )
    kind = f"whole numbers from 0 to {n_classes - 1}"
    labels = _numbers(labels, "labels", kind, remedy)
    check_size(labels.size, size, "labels", "probabilities")
    with np.errstate(invalid="ignore"):
        codes = labels.astype(np.int64)
    wrong = (codes != labels) | (codes < 0) | (codes >= n_classes)
    refuse(labels, wrong, f"labels must be {kind}", remedy)
    return codes


def check_labels(
    labels: ArrayLike, *, size: int | None = None, other: str = "scores"
) -> NDArray[np.uint8]:
    """Return binary `labels`, `size` of them as in `other`, as a 1-D uint8 array of 0 and 1."""
    remedy = "encode the positive class as 1, for example with labels == 'positive'"
    labels = _numbers(labels, "labels", "0/1 or bool", remedy)
    if labels.size == 0:
        raise ValueError("labels is empty: at least one row is needed")
    check_size(labels.size, size, "labels", other)
    if labels.dtype == bool:
        return np.ascontiguousarray(labels).view(np.uint8)
    positive = labels == 1
    remedy = "encode the positive class as 1 and the other as 0"
    refuse(labels, ~(positive | (labels == 0)), "labels must be 0/1 or bool", remedy)
    return positive.view(np.uint8)


def check_both_classes(labels: NDArray[np.uint8], why: str) -> None:
    """Raise if all labels are equal; `why` says what needs both classes, and what to do."""
    if labels.min() == labels.max():
        raise ValueError(f"labels holds one class only ({labels[0]}): {why}")


def check_weights(
    weights: ArrayLike,
    *,
    size: int,
    name: str = "sample_weight",
    other: str = "scores",
    counts: bool = True,
) -> NDArray[np.float64]:
    """Return `weights`, `size` of them as in `other`, as non-negative 1-D float64 array.

    Weights are counts, here and in the whole package: a row of weight w stands for w observations,
    a row of weight 0 is not there, and the sum is the number N of observations, which decides how
    much can be learned from them: how many bins, how wide a bandwidth, how strong a prior. Weights
    that sum to one are therefore almost surely a mistake, and are warned of, unless the caller's
    result depends on their ratios alone (`counts` is False), as a mean does.
    """
    weights = check_scores(weights, name=name)
    check_size(weights.size, size, name, other)
    check_not_negative(weights, name)
    with np.errstate(over="ignore"):
        total = float(weights.sum())
    check_total(total, size, counts and np.count_nonzero(weights) > 1, name)
    return weights


def counts_of(sample_weight: ArrayLike | None, size: int, other: str) -> NDArray[np.float64]:
    """Weights that are counts, one for each of the `size` rows of `other`; else ones."""
    if sample_weight is None:
        return np.ones(size)
    return check_weights(sample_weight, size=size, other=other)


def check_not_negative(weights: NDArray[np.float64], name: str = "sample_weight") -> None:
    """Raise if one of the `weights` is negative."""
    least = weights.min(initial=0.0)
    if least < 0:
        refuse(weights, weights == least, f"{name} must not be negative", "drop such rows")


def check_total(total: float, size: int, counts: bool, name: str = "sample_weight") -> None:
    """Raise or, if they are several `counts`, warn if the `total` of weights cannot be meant."""
    if total == 0:
        raise ValueError(f"{name} is zero in every row: at least one row must count")
    if total > LARGEST_TOTAL:
        raise ValueError(
            f"{name} sums to {total:.3g}, more than {LARGEST_TOTAL:.0e}: weights are counts of "
            "observations; divide them"
        )
    if counts and math.isclose(total, 1.0, rel_tol=1e-6):
        warn(
            f"{name} sums to 1, which counts as one observation in all: weights are counts; if "
            f"they have been normalised, multiply them by the number of rows ({size})"
        )


def check_countable(total: float, most: float) -> None:
    """Raise if a total weight is more than the `most` whose log likelihoods can be compared."""
    if total > most:
        raise ValueError(
            f"sample_weight adds up to {total:.6g}, but log likelihoods are numerically lost "
            f"beyond {most:.0e} observations: divide the weights"
        )


def rescaled(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """`weights` times the power of two that brings the largest into [1/2, 1).

    Ratios stay as they are, and products of sums do not leave the range of floating-point numbers.
    """
    return np.ldexp(weights, -np.frexp(weights.max())[1])


def inside(probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
    """Probabilities kept within [2**-53, 1 - 2**-53], where both logarithms are finite."""
    return np.minimum(np.maximum(probabilities, NEAREST), 1 - NEAREST)  # quicker than np.clip


def log_odds(probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
    """Logits, finite: probabilities are kept within [2**-53, 1 - 2**-53] first."""
    return logit(inside(probabilities))


def probabilities_of(logits: NDArray[np.float64]) -> NDArray[np.float64]:
    """Within [2**-53, 1 - 2**-53]; near 1 expit alone would be off by a unit of the last place."""
    return inside(np.where(logits > 0, 1 - expit(-logits), expit(logits)))


def log_probabilities(probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
    """Logarithms, finite: probabilities are kept at or above 2**-53 first."""
    logarithms = np.maximum(probabilities, NEAREST)
    return np.log(logarithms, out=logarithms)


def check_sample(
    labels: ArrayLike,
    probabilities: ArrayLike,
    sample_weight: ArrayLike | None,
    *,
    name: str = "probabilities",
    of_weights: str = "sample_weight",
    counts: bool = False,
    narrow: bool = False,
) -> tuple[NDArray[np.uint8], NDArray[np.float64], NDArray[np.float64] | None]:
    """Return what a measure is computed from, without the rows of weight zero.

    `name` is what the caller calls the probabilities, and `of_weights` the weights; `counts` as in
    `check_weights`, `narrow`, without weights, as in `check_scores`.
    """
    narrow = narrow and sample_weight is None
    probabilities = check_scores(probabilities, name=name, unit=True, narrow=narrow)
    labels = check_labels(labels, size=probabilities.size, other=name)
    if sample_weight is None:
        return labels, probabilities, None
    names = {"name": of_weights, "other": name}
    weights = check_weights(sample_weight, size=labels.size, counts=counts, **names)
    kept = weights > 0
    return labels[kept], probabilities[kept], weights[kept]


def check_groups(groups: ArrayLike, *, size: int, missing: bool = False) -> NDArray:
    """Return `groups`, `size` of them, as a 1-D array of numbers only or of strings only.

    If `missing` they may be missing, too: as NaN, or as None in an array of objects.
    """
    if groups is None:
        raise ValueError("groups must be given, a number or a string for each row; found None")
    if isinstance(groups, list | tuple):  # as they are: an array makes strings of a mixture
        groups = np.asarray(groups, dtype=object)
    groups = one_dimensional(groups, "groups")
    check_size(groups.size, size, "groups", "scores")
    if groups.dtype == object:
        na = getattr(sys.modules.get("pandas"), "NA", None)  # no NA before pandas is there
        groups = np.array([None if value is na else value for value in groups], object)
        present = [value for value in groups if value is not None and value == value]
        found = set(map(type, present))
    else:
        present = groups[~np.isnan(groups)] if groups.dtype.kind == "f" else groups
        found = set(map(type, present[:1]))
    numeric = all(issubclass(t, REAL) for t in found)
    numeric = numeric and np.timedelta64 not in found  # an integer to NumPy
    if not numeric and not all(issubclass(t, str) for t in found):
        raise ValueError(
            "groups must hold numbers only or strings only; found "
            f"{', '.join(sorted(t.__name__ for t in found))}: write times and other objects as "
            "strings"
        )
    if not missing and len(present) < groups.size:
        raise ValueError("groups holds missing values: give them a group of their own")
    return groups


def one_dimensional(values: ArrayLike, name: str) -> NDArray:
    """Return `values` as a 1-D array of any dtype."""
    values = _array(values, name, "one-dimensional, one number per row", ".ravel()")
    if values.ndim != 1:
        raise ValueError(
            f"{name} must be one-dimensional; found shape {values.shape}: pass one column, for "
            f"example {name}[:, 1] of predict_proba or {name}.ravel()"
        )
    return values


def n_dimensions(values: ArrayLike) -> int:
    """Of an array, a data frame, or what becomes an array."""
    return len(values.shape) if hasattr(values, "shape") else np.asarray(values).ndim


def _two_dimensional(values: ArrayLike, name: str) -> NDArray:
    """Return `values` as a 2-D array of any dtype, with two columns or more."""
    values = _array(values, name, "two-dimensional, one column per class", "")
    if values.ndim != 2 or values.shape[1] < 2:
        raise ValueError(
            f"{name} must be two-dimensional, one column per class; found shape {values.shape}: "
            "pass all columns of predict_proba"
        )
    return values


def _row_by_action(values, name):
    """Return `values` as a 2-D array of any dtype, with two rows or more and two columns."""
    values = _array(values, name, "numbers, a row of two for each action", "")
    if values.ndim != 2 or values.shape[0] < 2 or values.shape[1] != 2:
        raise ValueError(
            f"{name} must be numbers, a row of two for each of at least two actions, its cost for "
            f"label 0 and for label 1; found shape {values.shape}"
        )
    return values


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the line of the user, the first one outside this package."""
    level, frame = 1, sys._getframe()
    inside = ("calib.", "functools")  # a cached property is called by the latter
    while frame.f_back and frame.f_globals.get("__name__", "").startswith(inside):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)


@contextmanager
def restored_on_failure(estimator):
    """Leave the attributes of `estimator` as they were if the block raises.

    What was fitted before stays fitted, and what was not does not look as if it were.
    """
    before = dict(vars(estimator))
    try:
        yield
    except BaseException:
        vars(estimator).clear()
        vars(estimator).update(before)
        raise


def _array(values, name, shape, dense):
    """`values` as an array, if they can be one; `dense` makes a dense matrix what is wanted."""
    if values is None:
        raise ValueError(
            f"{name} must be {shape}. Expected array-like (array or non-string sequence), got None"
        )
    if hasattr(values, "toarray"):
        raise ValueError(f"{name} must be dense; found a sparse matrix: use its toarray(){dense}")
    if np.ma.is_masked(values):
        raise ValueError(f"{name} holds masked values: drop such rows")
    try:
        return np.asarray(values)
    except ValueError as error:  # a ragged list
        raise ValueError(f"{name} must be {shape}: {error}") from None


def _numbers(values, name, kind, remedy, shaped=one_dimensional):
    """`values` as an array of a real dtype, of as many dimensions as `shaped` makes."""
    values = shaped(values, name)
    if values.dtype == object and all(isinstance(v, REAL) for v in values.flat):
        try:  # as pandas stores columns of mixed or nullable type
            values = values.astype(np.float64)
        except OverflowError:
            raise ValueError(f"{name} holds an integer too large for a float: rescale") from None
    if values.size and values.dtype.kind not in "fiub":
        raise ValueError(f"{name} must be {kind}; found dtype {values.dtype}: {remedy}")
    return values


def _finite(values, name, allow_empty, remedy, dtype=np.float64):
    """`values` as contiguous floats, which must be finite, and between which numbers they lie."""
    if values.size == 0 and not allow_empty:
        raise ValueError(f"{name} is empty: at least one row is needed")
    with np.errstate(over="ignore"):  # what is too large for a float64 is reported below
        values = np.ascontiguousarray(values, dtype)
    if values.size == 0:
        return values, 0.0, 0.0
    lowest, highest = values.min(), values.max()
    if not (math.isfinite(lowest) and math.isfinite(highest)):
        refuse(values, ~np.isfinite(values), f"{name} must be finite", remedy)
    return values, lowest, highest


def _check_unit(values, lowest, highest, name, remedy):
    """Raise unless the values, between these numbers, lie in [0, 1]."""
    if lowest < 0 or highest > 1:
        refuse(values, (values < 0) | (values > 1), f"{name} must lie in [0, 1]", remedy)


def refuse(values: NDArray, wrong: NDArray[np.bool_], must: str, remedy: str) -> None:
    """Raise for the first row where something is `wrong`, if there is one."""
    if wrong.any():
        row, found = _first(values, wrong)
        raise ValueError(f"{must}; found {found} at row {row}: {remedy}")


def _first(values, wrong):
    """Number of the first row where something is `wrong`, and what is found there."""
    place = np.unravel_index(np.argmax(wrong), wrong.shape)
    return int(place[0]), values[place].item()


def check_size(found: int, size: int | None, name: str, other: str) -> None:
    """Raise unless as many rows are `found` as `other` has, if its `size` is known."""
    if size is not None and found != size:
        raise ValueError(f"{name} has {found} rows but {other} has {size}: they must match")
