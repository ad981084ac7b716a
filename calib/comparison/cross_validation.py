"""Repeated cross-validation of maps of one score: folds, predictions, losses of rows and folds."""

import numbers
from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import GroupKFold, RepeatedStratifiedKFold
from sklearn.utils import _safe_indexing

from calib.contract.options import check_integer
from calib.contract.protocol import calibrated, fitted
from calib.metrics.losses import logarithmic, squared

MOST_REPEATS = 10
ROWS_PREDICTED = 100_000  # large samples, whose folds hardly matter, get along with fewer repeats

Splits = list[tuple[NDArray[np.int64], NDArray[np.int64]]]


def repeated_folds(
    labels: NDArray[np.uint8],
    groups: NDArray | None,
    kept: NDArray[np.bool_],
    cv: object,
    n_repeats: int | None,
    seed: int,
) -> list[Splits]:
    """Training rows and rows to predict, by repeat; within a repeat no row is predicted twice.

    Parameters
    ----------
    labels : ndarray of shape (n,)
        Classes, 0/1.
    groups : ndarray of shape (n,) or None
        Rows of a group stay together.
    kept : ndarray of shape (n,) of bool
        Which rows are there; the others have weight zero.
    cv : int, splitter or iterable of splits
        An integer draws stratified folds, or folds of groups. An iterable has numbers or masks of
        the n rows.
    n_repeats : int or None
        For an integer `cv`. None: ten, or fewer, down to one, where more than 100,000 rows would
        be predicted.
    seed : int
        For an integer `cv`.

    Returns
    -------
    repeats : list of lists of pairs of ndarray

    Raises
    ------
    ValueError
        If there are too few rows of a class, or groups, for `cv`; if `cv` is none of the above or
        has no split; if the training rows of a split are of one class.
    """
    rows = np.flatnonzero(kept)
    if isinstance(cv, numbers.Integral):
        splits = _drawn(rows, labels, groups, cv, n_repeats, seed)
    elif n_repeats is not None:
        raise ValueError(
            f"n_repeats is for an integer cv, but cv={cv!r} says by itself how often: leave "
            "n_repeats out"
        )
    elif hasattr(cv, "split") and not isinstance(cv, str):
        some = None if groups is None else groups[rows]
        splits = [(rows[a], rows[b]) for a, b in cv.split(rows, labels[rows], some)]
    elif np.iterable(cv) and not isinstance(cv, str):
        everything = np.arange(kept.size)
        splits = [[everything[part][kept[part]] for part in pair] for pair in cv]
    else:
        must = "cv must be an integer, a splitter or an iterable of splits"
        raise ValueError(f"{must}; found {cv!r}")
    return _by_repeat(splits, labels)


def _drawn(rows, labels, groups, cv, n_repeats, seed):
    """Splits at random of `n_repeats` times `cv` folds."""
    check_integer(cv, "cv", minimum=2)
    if n_repeats is None:
        n_repeats = int(np.clip(ROWS_PREDICTED // rows.size, 1, MOST_REPEATS))
    check_integer(n_repeats, "n_repeats")
    if groups is None:
        counts = np.bincount(labels[rows], minlength=2)
        if counts.min() < cv:
            raise ValueError(
                f"labels holds {counts.min()} of class {counts.argmin()}, fewer than cv={cv}: "
                "collect more rows of this class or pass a smaller cv"
            )
        folds = [RepeatedStratifiedKFold(n_splits=cv, n_repeats=n_repeats, random_state=seed)]
    else:
        groups = groups[rows]
        found = np.unique(groups).size
        if found < cv:
            raise ValueError(f"groups holds {found} groups, fewer than cv={cv}: pass a smaller cv")
        seeds = range(seed, seed + n_repeats)
        folds = [GroupKFold(cv, shuffle=True, random_state=own) for own in seeds]
    return [(rows[a], rows[b]) for f in folds for a, b in f.split(rows, labels[rows], groups)]


def _by_repeat(splits, labels):
    """The splits in lists; one ends before a row would be predicted again."""
    repeats, predicted = [], np.zeros(labels.size, bool)
    for training, test in splits:
        if np.unique(labels[training]).size < 2:
            raise ValueError(
                "the training rows of a split are of one class only: collect more rows (or groups) "
                "of the other class, or pass another cv"
            )
        if not repeats or predicted[test].any():
            repeats.append([])
            predicted[:] = False
        predicted[test] = True
        repeats[-1].append((training, test))
    if not repeats:
        raise ValueError("cv has no split: pass at least one (a generator works only once)")
    return repeats


class Trial(NamedTuple):
    """What a method predicts for the rows of each fold, and what that costs.

    Attributes
    ----------
    predictions : ndarray of shape (n_repeats, n)
        NaN where a repeat does not predict a row.
    row_losses : dict of str to ndarray of shape (n,)
        "log" and "brier", averaged over the repeats; NaN of rows that are never predicted.
    fold_losses : dict of str to ndarray of shape (n_splits,)
        Means over the rows of each fold.
    seconds : float
        Median time of a fit.
    """

    predictions: NDArray[np.float64]
    row_losses: dict[str, NDArray[np.float64]]
    fold_losses: dict[str, NDArray[np.float64]]
    seconds: float


@dataclass(frozen=True, eq=False)
class Sample:
    """Scores, labels, weights and groups with the folds in which they are predicted.

    Attributes
    ----------
    scores, labels : ndarray of shape (n,)
    weights : ndarray of shape (n,) or None
    groups : array of n rows, or None
        For the calibrators that take groups.
    repeats : list of lists of pairs of ndarray
        From `repeated_folds`.
    """

    scores: NDArray[np.float64]
    labels: NDArray[np.uint8]
    weights: NDArray[np.float64] | None
    groups: Any
    repeats: list[Splits]

    def fit(self, calibrator: Any, rows: NDArray[np.int64]) -> Any:
        """A clone of `calibrator`, fitted to some rows."""
        weights = None if self.weights is None else self.weights[rows]
        groups = self._groups_of(rows)
        return fitted(calibrator, self.scores[rows], self.labels[rows], weights, groups)

    def _groups_of(self, rows):
        return None if self.groups is None else _safe_indexing(self.groups, rows)

    def mean(self, values: NDArray[np.float64], rows: NDArray[np.int64]) -> float:
        """Weighted mean of one value for each of some rows."""
        weights = None if self.weights is None else self.weights[rows]
        return float(np.average(values, weights=weights))

    def try_raw(self) -> Trial:
        """The scores themselves as probabilities."""
        return self._tried(lambda training, test: self.scores[test])

    def try_base_rate(self) -> Trial:
        """The share of positives in the training rows."""
        return self._tried(
            lambda training, test: np.full(test.size, self.mean(self.labels[training], training))
        )

    def try_calibrator(self, calibrator: Any) -> Trial:
        """A calibrator, fitted to the training rows of each split."""
        seconds = []

        def predict(training, test):
            started = perf_counter()
            trained = self.fit(calibrator, training)
            seconds.append(perf_counter() - started)
            return calibrated(trained, self.scores[test], self._groups_of(test))

        return self._tried(predict)._replace(seconds=float(np.median(seconds)))

    def _tried(self, predict: Callable[..., NDArray]) -> Trial:
        predictions = np.full((len(self.repeats), self.scores.size), np.nan)
        for row, splits in zip(predictions, self.repeats, strict=True):
            for training, test in splits:
                row[test] = predict(training, test)
        losses = {"log": logarithmic(self.labels, predictions)}
        losses["brier"] = squared(self.labels, predictions)
        of_rows = {kind: _over_repeats(values) for kind, values in losses.items()}
        of_folds = {kind: self._over_folds(values) for kind, values in losses.items()}
        return Trial(predictions, of_rows, of_folds, 0.0)

    def _over_folds(self, losses):
        """Mean of each fold of each repeat."""
        repeats = zip(losses, self.repeats, strict=True)
        tested = [(row, test) for row, splits in repeats for _, test in splits]
        return np.array([self.mean(row[test], test) for row, test in tested])


def _over_repeats(losses):
    """Mean of each row over the repeats that predict it."""
    predicted = ~np.isnan(losses)
    with np.errstate(invalid="ignore"):  # of a row that none predicts
        return np.where(predicted, losses, 0.0).sum(axis=0) / predicted.sum(axis=0)
