"""The one place where arrays are checked, with their conditions."""

import math
import numbers
import sys
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from calib.base.failures import warn

LARGEST_TOTAL = 1e150  # sum of weights, whose products with another such sum are finite
LARGEST_COST = 1e300  # cost or gain of an action, whose differences are finite
UNIT_ROUNDING = 1e-5  # distance of a probability from [0, 1] that is rounding
MAX_ROW_SUM_ERROR = 1e-3  # distance of the sum of a row from 1, as 16-bit probabilities may have
REAL_TYPES = numbers.Real | Decimal | np.bool_  # members of an array of objects, as in databases


def check_scores(
    scores: ArrayLike,
    *,
    name: str = "scores",
    unit: bool = False,
    allow_empty: bool = False,
    narrow: bool = False,
) -> NDArray[np.float64]:
    """Return `scores` as a contiguous, finite, 1-D float64 array (in [0, 1] if `unit`).

    If `unit`, rounding beyond [0, 1] is clipped with a warning, as in `clip_rounding`. If `narrow`,
    an array of float32 keeps its type: `ties` needs no float64 copy of it.
    """
    reals = _real_numbers(one_dimensional(scores, name), name, "real numbers", "convert them")
    dtype = np.float32 if narrow and reals.dtype == np.float32 else np.float64
    remedy = "drop or impute such rows"
    values, lowest, highest = _finite_floats(reals, name, remedy, allow_empty, dtype)
    if unit and (lowest < 0 or highest > 1):
        remedy = "by PlattScaling, TemperatureScaling(scale='score') or scipy.special.expit"
        return _within_unit(values, name, f"map margins to probabilities first, {remedy}")
    return values


def holds_probabilities(scores: NDArray[np.float64]) -> bool:
    """Whether all scores lie in [0, 1] up to rounding; tiny ones of both signs do not."""
    lowest_allowed = -UNIT_ROUNDING if scores.max() > UNIT_ROUNDING else 0
    return bool(scores.min() >= lowest_allowed and scores.max() <= 1 + UNIT_ROUNDING)


def clip_rounding(values: NDArray, name: str) -> NDArray:
    """Return probabilities in [0, 1], with a warning if rounding brought some beyond it.

    A value further beyond is no probability, and all values are then returned unchanged.
    """
    beyond = (values < 0) | (values > 1)
    if not beyond.any() or not holds_probabilities(values):
        return values
    rows = np.unique(np.nonzero(beyond)[0])
    span = f"[{float(values.min())!r}, {float(values.max())!r}]"
    where = f"beyond [0, 1] in {rows.size} of {len(values)} rows, first in row {rows[0]}"
    warn(f"{name} lie in {span}, {where}: taken for rounding and clipped")
    return np.clip(values, 0, 1)


def check_score_rows(
    scores: ArrayLike, *, unit: bool = True, n_classes: int | None = None, allow_empty: bool = False
) -> NDArray[np.float64]:
    """Return `scores` as a contiguous, finite, 2-D float64 array with a column for each class.

    If `unit`, each row must be a distribution on the classes: numbers in [0, 1] that sum to 1, give
    or take 1e-3.
    """
    name = "probabilities"
    reals = _real_numbers(_column_by_class(scores, name), name, "real numbers", "convert them")
    if n_classes is not None and reals.shape[1] != n_classes:
        raise ValueError(
            f"probabilities has {reals.shape[1]} columns but {n_classes} were fitted: pass one "
            "for each class, in the same order"
        )
    values, lowest, highest = _finite_floats(reals, name, "drop such rows", allow_empty)
    if unit:
        if lowest < 0 or highest > 1:
            softmax = "scipy.special.softmax(scores, axis=1)"
            values = _within_unit(values, name, f"map scores to probabilities by {softmax} first")
        totals = values.sum(axis=1)
        wrong = np.abs(totals - 1) > MAX_ROW_SUM_ERROR
        if wrong.any():
            row, total = _first_wrong(totals, wrong)
            raise ValueError(
                f"probabilities must have rows that sum to 1; the sum of row {row} is {total:.6g}: "
                "divide by probabilities.sum(axis=1, keepdims=True)"
            )
    return values


def check_costs(costs: ArrayLike) -> NDArray[np.float64]:
    """Return `costs` as a 2-D float64 array: a row for each action, a column for each label."""
    reals = _real_numbers(_row_by_action(costs, "costs"), "costs", "real numbers", "convert them")
    with np.errstate(over="ignore"):  # numbers too large for a float64 are reported below
        values = reals.astype(np.float64)
    must = f"costs must be finite, at most {LARGEST_COST:.0e} in size"
    refuse(values, ~(np.abs(values) <= LARGEST_COST), must, "take another unit")
    return values


def check_class_labels(labels: ArrayLike, *, n_classes: int, size: int) -> NDArray[np.int64]:
    """Return `labels`, numbers of the columns of probabilities, as a 1-D int64 array."""
    remedy = (
        "number the classes as the columns of probabilities are, for example by "
        "np.searchsorted(classifier.classes_, labels)"
    )
    kind = f"whole numbers from 0 to {n_classes - 1}"
    reals = _real_numbers(one_dimensional(labels, "labels"), "labels", kind, remedy)
    check_size(reals.size, size, "labels", "probabilities")
    with np.errstate(invalid="ignore"):
        codes = reals.astype(np.int64)
    wrong = (codes != reals) | (codes < 0) | (codes >= n_classes)
    refuse(reals, reals != reals, f"labels must be {kind}", "it is missing; drop such rows")
    refuse(reals, wrong, f"labels must be {kind}", remedy)
    return codes


def check_labels(
    labels: ArrayLike, *, size: int | None = None, other: str = "scores"
) -> NDArray[np.uint8]:
    """Return binary `labels`, `size` of them as in `other`, as a 1-D uint8 array of 0 and 1."""
    remedy = "encode the positive class as 1, for example with labels == 'positive'"
    reals = _real_numbers(one_dimensional(labels, "labels"), "labels", "0/1 or bool", remedy)
    if reals.size == 0:
        raise ValueError("labels is empty: at least one row is needed")
    check_size(reals.size, size, "labels", other)
    if reals.dtype == bool:
        return np.ascontiguousarray(reals).view(np.uint8)
    positive = reals == 1
    if np.count_nonzero(reals) > np.count_nonzero(positive):
        must = "labels must be 0/1 or bool"
        refuse(reals, reals != reals, must, "it is missing; drop such rows")
        remedy = "encode the positive class as 1 and the other as 0"
        refuse(reals, ~(positive | (reals == 0)), must, remedy)
    return positive.view(np.uint8)


def check_both_classes(labels: NDArray[np.uint8], why: str) -> None:
    """Raise if all labels are equal. `why` gives the reason and the remedy."""
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

    Weights are counts, here and in the whole package. A row of weight w stands for w observations,
    a row of weight 0 is not there, and the sum is the number N of observations. N decides how much
    can be learned from the rows: how many bins, how wide a bandwidth, how strong a prior. Weights
    that sum to one are therefore almost certainly a mistake. They are warned of, unless the
    caller's result depends on their ratios alone (`counts` is False), as a mean does.
    """
    values = check_scores(weights, name=name)
    check_size(values.size, size, name, other)
    check_not_negative(values, name)
    with np.errstate(over="ignore"):
        total = float(values.sum())
    check_total(total, size, counts and int(np.count_nonzero(values)) > 1, name)
    return values


def counts_of(sample_weight: ArrayLike | None, size: int, other: str) -> NDArray[np.float64]:
    """Weights that are counts, one for each of the `size` rows of `other`; ones by default."""
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
    """Return the clean labels, probabilities and weights of a measure.

    Rows of weight zero are left out. In messages the probabilities are called `name` and the
    weights `of_weights`. `counts` is explained in `check_weights`, and `narrow`, which has no
    effect on weighted rows, in `check_scores`.
    """
    narrow = narrow and sample_weight is None
    predicted = check_scores(probabilities, name=name, unit=True, narrow=narrow)
    outcomes = check_labels(labels, size=predicted.size, other=name)
    if sample_weight is None:
        return outcomes, predicted, None
    weights = check_weights(
        sample_weight, size=outcomes.size, name=of_weights, other=name, counts=counts
    )
    if weights.all():
        return outcomes, predicted, weights
    present = weights > 0
    return outcomes[present], predicted[present], weights[present]


def check_groups(groups: ArrayLike, *, size: int, missing: bool = False) -> NDArray:
    """Return `groups`, `size` of them, as a 1-D array of numbers only or of strings only.

    If `missing`, values may be missing: NaN, or None in an array of objects.
    """
    if groups is None:
        raise ValueError("groups must be given, a number or a string for each row; found None")
    if isinstance(groups, list | tuple):  # another dtype would make strings of a mixture
        groups = np.asarray(groups, dtype=object)
    values = one_dimensional(groups, "groups")
    check_size(values.size, size, "groups", "scores")
    if values.dtype == object:
        values = _without_na(values)
        known = [value for value in values if value is not None and value == value]
        n_known = len(known)
        types = {type(value) for value in known}
    else:
        present = values[~np.isnan(values)] if values.dtype.kind == "f" else values
        n_known = present.size
        types = {type(value) for value in present[:1]}
    numeric = all(issubclass(t, REAL_TYPES) for t in types)
    numeric = numeric and np.timedelta64 not in types  # NumPy counts it among the integers
    if not numeric and not all(issubclass(t, str) for t in types):
        raise ValueError(
            "groups must hold numbers only or strings only; found "
            f"{', '.join(sorted(t.__name__ for t in types))}: write times and other objects as "
            "strings"
        )
    if not missing and n_known < values.size:
        raise ValueError("groups holds missing values: give them a separate group")
    return values


def n_dimensions(values: ArrayLike) -> int:
    """Number of dimensions of an array, of a data frame, or of the array made of `values`."""
    return len(values.shape) if hasattr(values, "shape") else np.asarray(values).ndim


def one_dimensional(values: ArrayLike, name: str) -> NDArray:
    """Return `values` as a 1-D array of any dtype."""
    array = _as_array(values, name, "one-dimensional, one number per row", ".ravel()")
    if array.ndim != 1:
        raise ValueError(
            f"{name} must be one-dimensional; found shape {array.shape}: pass one column, for "
            f"example {name}[:, 1] of predict_proba or {name}.ravel()"
        )
    return array


def _column_by_class(values: ArrayLike, name: str) -> NDArray:
    """Return `values` as a 2-D array of any dtype, with two columns or more."""
    array = _as_array(values, name, "two-dimensional, one column per class", "")
    if array.ndim != 2 or array.shape[1] < 2:
        raise ValueError(
            f"{name} must be two-dimensional, one column per class; found shape {array.shape}: "
            "pass all columns of predict_proba"
        )
    return array


def _row_by_action(values: ArrayLike, name: str) -> NDArray:
    """Return `values` as a 2-D array of any dtype, with two rows or more and two columns."""
    array = _as_array(values, name, "numbers, a row of two for each action", "")
    if array.ndim != 2 or array.shape[0] < 2 or array.shape[1] != 2:
        raise ValueError(
            f"{name} must be numbers, a row of two for each of at least two actions, its cost for "
            f"label 0 and for label 1; found shape {array.shape}"
        )
    return array


def _as_array(values: ArrayLike, name: str, shape: str, dense: str) -> NDArray:
    """Return `values` as an array of any shape.

    Messages say that it must have the `shape`. `dense` is the code that, after ``toarray()``, gives
    a sparse matrix this shape.
    """
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


def _real_numbers(values: NDArray, name: str, kind: str, remedy: str) -> NDArray:
    """Return an array of any dtype as an array of a real dtype."""
    if values.dtype == object and all(isinstance(value, REAL_TYPES) for value in values.flat):
        try:  # pandas stores columns of mixed or nullable type as objects
            values = values.astype(np.float64)
        except OverflowError:
            raise ValueError(f"{name} holds an integer too large for a float: rescale") from None
    if values.size and values.dtype.kind not in "fiub":
        if values.ndim == 1 and any(v is None or v != v for v in _without_na(values)):
            raise ValueError(f"{name} holds missing values: drop such rows")
        raise ValueError(f"{name} must be {kind}; found dtype {values.dtype}: {remedy}")
    return values


def _without_na(values: NDArray) -> NDArray[np.object_]:
    """Return a 1-D array with None for pandas.NA."""
    na = getattr(sys.modules.get("pandas"), "NA", None)  # None unless pandas is loaded
    return np.array([None if value is na else value for value in values], object)


def _finite_floats(
    values: NDArray, name: str, remedy: str, allow_empty: bool, dtype: type = np.float64
) -> tuple[NDArray, float, float]:
    """Return numbers as contiguous, finite floats, with the lowest and the highest of them."""
    if values.size == 0 and not allow_empty:
        raise ValueError(f"{name} is empty: at least one row is needed")
    if values.dtype == dtype:
        floats: NDArray = np.ascontiguousarray(values)
    else:
        with np.errstate(over="ignore"):  # numbers too large for a float are reported below
            floats = np.ascontiguousarray(values, dtype)
    if floats.size == 0:
        return floats, 0.0, 0.0
    lowest = floats.min()
    highest = floats.max()
    if not (math.isfinite(lowest) and math.isfinite(highest)):
        refuse(floats, ~np.isfinite(floats), f"{name} must be finite", remedy)
    return floats, lowest, highest


def _within_unit(values: NDArray, name: str, remedy: str) -> NDArray:
    """Return values in [0, 1], rounding beyond it clipped; raise for the farthest of others."""
    values = clip_rounding(values, name)
    distances = np.maximum(-values, values - 1)
    wrong = (distances > 0) & (distances == distances.max())
    refuse(values, wrong, f"{name} must lie in [0, 1]", remedy)
    return values


def refuse(values: NDArray, wrong: NDArray[np.bool_], must: str, remedy: str) -> None:
    """Raise for the first row where something is `wrong`, if there is one."""
    if wrong.any():
        row, value = _first_wrong(values, wrong)
        raise ValueError(f"{must}; found {value} at row {row}: {remedy}")


def _first_wrong(values: NDArray, wrong: NDArray[np.bool_]) -> tuple[int, Any]:
    """Return the number of the first row with a `wrong` value, and the value."""
    place = np.unravel_index(np.argmax(wrong), wrong.shape)
    return int(place[0]), values[place].item()


def check_size(n_rows: int, size: int | None, name: str, other: str) -> None:
    """Raise unless `name`, with `n_rows` rows, has as many as `other`, if its size is known."""
    if size is not None and n_rows != size:
        raise ValueError(f"{name} has {n_rows} rows but {other} has {size}: they must match")
