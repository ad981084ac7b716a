"""The contract of a calibrator, and the one place where input is checked."""

import numbers
import warnings
from typing import NamedTuple

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from calib.kernels.scanning import binary_codes, extremes
from calib.kernels.searching import interpolate, step


class OneClassWarning(UserWarning):
    """All labels of the calibration sample are equal."""


class CalibrationMap(NamedTuple):
    """A fitted map as plain arrays, to be shipped without this package.

    Attributes
    ----------
    scores : ndarray of shape (k,)
        Increasing knots (``"linear"``) or cuts (``"step"``).
    probabilities : ndarray of shape (k,) or (k + 1,)
        Values at the knots, or values between the cuts: a score on a cut belongs to the right.
    kind : {"linear", "step"}
        ``np.interp(s, scores, probabilities)``, or
        ``probabilities[np.searchsorted(scores, s, side="right")]``.
    """

    scores: np.ndarray
    probabilities: np.ndarray
    kind: str

    @classmethod
    def of_blocks(cls, scores, starts, values):
        """Linear map with a plateau per block, knots at its first and last score.

        Block i holds the scores from ``starts[i]`` up to the next start; `scores` increase.
        """
        ends = np.column_stack([starts, np.append(starts[1:], scores.size) - 1]).ravel()
        kept = np.append(True, np.diff(ends) > 0)  # a block of one score has one knot
        return cls(scores[ends[kept]], np.repeat(values, 2)[kept], "linear")

    def __call__(self, scores):
        """Evaluate the map at `scores` (1-D float64 array)."""
        evaluate = interpolate if self.kind == "linear" else step
        return evaluate(self.scores, self.probabilities, scores)


class Calibrator(BaseEstimator):
    """Base class: `fit` and `predict` check the input, subclasses do the statistics.

    A subclass implements ``_fit(scores, labels, weights)`` with clean arrays (`weights` is None
    when all are one) and either sets ``map_``, a `CalibrationMap`, or implements
    ``_predict(scores)``. Its constructor arguments are checked in ``_fit``. It sets
    ``_unit_scores`` if only scores in [0, 1] have a meaning for it.
    """

    _unit_scores = False

    def fit(self, scores, labels, sample_weight=None):
        """Learn the map from scores to probabilities.

        Parameters
        ----------
        scores : array-like of shape (n,)
            Scores of the calibration sample: finite real numbers.
        labels : array-like of shape (n,)
            Classes, 0/1 or bool.
        sample_weight : array-like of shape (n,), optional
            Non-negative weights; an integer weight means that many copies of the row.

        Returns
        -------
        self : Calibrator

        Raises
        ------
        ValueError
            If an argument has the wrong shape, is empty, holds NaN or infinity, or if the labels
            are not binary. The message names the argument, what was found and the remedy.

        Warns
        -----
        OneClassWarning
            If all labels are equal: the method then predicts (nearly) that class everywhere.
        """
        scores = self._check_scores(scores)
        labels = check_labels(labels, size=scores.size)
        weights = None
        if sample_weight is not None:
            weights = check_weights(sample_weight, size=scores.size)
            kept = weights > 0  # a row of weight zero is a row that is not there
            scores, labels, weights = scores[kept], labels[kept], weights[kept]
        if not 0 < np.count_nonzero(labels) < labels.size:
            warnings.warn(
                f"labels holds one class only ({labels[0]}): {type(self).__name__} has nothing "
                "to tell the classes apart; collect calibration data of both classes",
                OneClassWarning,
                stacklevel=2,
            )
        self._fit(scores, labels, weights)
        return self

    def predict(self, scores):
        """Calibrated probabilities of class 1.

        Parameters
        ----------
        scores : array-like of shape (n,)
            Finite scores on the scale that was used in `fit`; `n` may be 0.

        Returns
        -------
        probabilities : ndarray of shape (n,)
            P(z = 1 | score), in [0, 1].
        """
        check_is_fitted(self)
        return self._predict(self._check_scores(scores, allow_empty=True))

    def _check_scores(self, scores, *, allow_empty=False):
        return check_scores(scores, unit=self._unit_scores, allow_empty=allow_empty)

    def _predict(self, scores):
        return self.map_(scores)


def check_scores(scores, *, name="scores", unit=False, allow_empty=False):
    """Return `scores` as a contiguous, finite, 1-D float64 array (in [0, 1] if `unit`)."""
    scores = _one_dimensional(scores, name)
    if scores.size == 0:
        if allow_empty:
            return scores.astype(np.float64)
        raise ValueError(f"{name} is empty: at least one row is needed")
    if scores.dtype.kind not in "fiub":
        raise ValueError(f"{name} must be real numbers; found dtype {scores.dtype}: convert them")
    scores = np.ascontiguousarray(scores, np.float64)
    lowest, highest, finite = extremes(scores)
    if not finite:
        row = int(np.argmin(np.isfinite(scores)))
        raise ValueError(
            f"{name} must be finite; found {scores[row]} at row {row}: drop or impute such rows"
        )
    if unit and (lowest < 0 or highest > 1):
        row = int(np.argmax((scores < 0) | (scores > 1)))
        raise ValueError(
            f"{name} must lie in [0, 1]; found {scores[row]:.6g} at row {row}: map margins to "
            "probabilities first, for example with scipy.special.expit"
        )
    return scores


def check_labels(labels, *, size=None, name="labels"):
    """Return binary `labels` as a contiguous 1-D uint8 array of zeros and ones."""
    labels = _one_dimensional(labels, name)
    if labels.size == 0:
        raise ValueError(f"{name} is empty: at least one row is needed")
    _check_size(labels, size, name)
    if labels.dtype.kind not in "fiub":
        raise ValueError(
            f"{name} must be 0/1 or bool; found dtype {labels.dtype}: encode the positive class "
            "as 1, for example with labels == 'positive'"
        )
    if labels.dtype == bool:
        return np.ascontiguousarray(labels).view(np.uint8)
    codes, row = binary_codes(np.ascontiguousarray(labels))
    if row >= 0:
        raise ValueError(
            f"{name} must be 0/1 or bool; found {labels[row]} at row {row}: encode the positive "
            "class as 1 and the other as 0"
        )
    return codes


def check_weights(weights, *, size, name="sample_weight"):
    """Return `weights` as a finite, non-negative 1-D float64 array with a positive sum."""
    weights = check_scores(weights, name=name)
    _check_size(weights, size, name)
    if weights.min() < 0:
        row = int(np.argmin(weights))
        raise ValueError(
            f"{name} must not be negative; found {weights[row]:.6g} at row {row}: drop such rows"
        )
    if weights.max() == 0:
        raise ValueError(f"{name} is zero in every row: at least one row must count")
    return weights


def check_choice(value, choices, name):
    """Raise unless `value` is one of the strings `choices`."""
    if not isinstance(value, str) or value not in choices:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, choices))}; found {value!r}")


def check_integer(value, name, *, minimum=1):
    """Raise unless `value` is an integer of at least `minimum`."""
    if not isinstance(value, numbers.Integral) or isinstance(value, bool) or value < minimum:
        raise ValueError(f"{name} must be an integer of at least {minimum}; found {value!r}")


def check_positive(value, name, *, below=np.inf):
    """Raise unless `value` is a number strictly between 0 and `below`."""
    if not isinstance(value, numbers.Real) or isinstance(value, bool) or not 0 < value < below:
        raise ValueError(f"{name} must be a number between 0 and {below}; found {value!r}")


def _one_dimensional(values, name):
    if hasattr(values, "toarray"):
        raise ValueError(f"{name} must be dense; found a sparse matrix: use its toarray().ravel()")
    values = np.asarray(values)
    if values.ndim != 1:
        raise ValueError(
            f"{name} must be one-dimensional; found shape {values.shape}: pass one column, for "
            f"example {name}[:, 1] of predict_proba or {name}.ravel()"
        )
    return values


def _check_size(values, size, name):
    if size is not None and values.size != size:
        raise ValueError(f"{name} has {values.size} rows but scores has {size}: they must match")
