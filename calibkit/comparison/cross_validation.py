"""Repeated cross-validation of maps of one score: folds, predictions, losses of rows and folds."""

import numbers
from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import _safe_indexing

from calib.base.options import check_integer
from calib.base.protocol import calibrated, fitted
from calib.methods.folds import MAX_WHOLE
from calib.metrics.losses import logarithmic, squared

MAX_REPEATS = 3  # draws of folds by default
MAX_PREDICTED_ROWS = 100_000  # rows in all repeats; the folds of a large sample hardly matter

Splits = list[tuple[NDArray[np.int64], NDArray[np.int64]]]  # training rows and rows to predict


def repeated_folds(
    sample: "ComparedSample", cv: object, n_repeats: int | None, seed: int
) -> list[Splits]:
    """Training rows and rows to predict, by repeat; within a repeat no row is predicted twice.

    Parameters
    ----------
    sample : ComparedSample
        Rows of weight zero are left out. Drawn folds keep the rows of a cluster together.
    cv : int, splitter or iterable of splits
        An integer draws stratified folds, or folds of clusters. An iterable has numbers or masks of
        the n rows.
    n_repeats : int or None
        For an integer `cv`. None: three, or fewer, down to one, where more than 100,000 rows would
        be predicted.
    seed : int
        For an integer `cv`.

    Returns
    -------
    repeats : list of lists of pairs of ndarray

    Raises
    ------
    ValueError
        If there are too few rows of a class, or clusters, for `cv`. If `cv` is none of the above
        or has no split. If the training rows of a split are of one class.
    """
    is_counted = sample.is_counted
    rows = np.flatnonzero(is_counted)
    if isinstance(cv, numbers.Integral):
        splits = _drawn_folds(rows, sample, cv, n_repeats, seed)
    elif n_repeats is not None:
        raise ValueError(
            f"n_repeats is for an integer cv, but cv={cv!r} says by itself how often: leave "
            "n_repeats out"
        )
    elif hasattr(cv, "split") and not isinstance(cv, str):
        splits = _splits_by(cv, rows, sample)
    elif np.iterable(cv) and not isinstance(cv, str):
        every_row = np.arange(is_counted.size)
        splits = [
            (every_row[training][is_counted[training]], every_row[test][is_counted[test]])
            for training, test in cv
        ]
    else:
        must = "cv must be an integer, a splitter or an iterable of splits"
        raise ValueError(f"{must}; found {cv!r}")
    return _by_repeat(splits, sample.labels)


def drawn_repeats(sample: "ComparedSample", cv: int, n_repeats: int | None) -> int:
    """Check that `cv` folds can be drawn, and return how often they are drawn."""
    check_integer(cv, "cv", minimum=2)
    if n_repeats is None:
        n_repeats = int(np.clip(MAX_PREDICTED_ROWS // sample.n_counted, 1, MAX_REPEATS))
    check_integer(n_repeats, "n_repeats")
    if sample.clusters is not None:
        n_clusters = np.unique(sample.clusters[sample.is_counted]).size
        if n_clusters < cv:
            raise ValueError(
                f"clusters holds {n_clusters} clusters, fewer than cv={cv}: pass a smaller cv"
            )
        return n_repeats
    number = sample.n_of_classes
    if number.min() < cv:
        raise ValueError(
            f"labels holds {number.min()} of class {number.argmin()}, fewer than cv={cv}: "
            "collect more rows of this class or pass a smaller cv"
        )
    return n_repeats


def _drawn_folds(rows, sample, cv, n_repeats, seed):
    """Splits of `cv` folds that are drawn `n_repeats` times.

    `RepeatedStratifiedKFold` and `GroupKFold` of scikit-learn draw the same folds, but loading
    scikit-learn's modules takes longer than a comparison of a thousand rows.
    """
    n_repeats = drawn_repeats(sample, cv, n_repeats)
    if sample.clusters is None:
        rng = np.random.RandomState(seed)
        folds = [_stratified_folds(sample.labels[rows], cv, rng) for _ in range(n_repeats)]
    else:
        clusters = sample.clusters[rows]
        folds = [
            _folds_of_clusters(clusters, cv, np.random.RandomState(repeat_seed))
            for repeat_seed in range(seed, seed + n_repeats)
        ]
    return [(rows[fold != k], rows[fold == k]) for fold in folds for k in range(cv)]


def _stratified_folds(labels, n_folds, rng):
    """The fold of each row: all folds have nearly the same base rate."""
    of_first_class = labels == labels[0]
    n_first = np.count_nonzero(of_first_class)
    folds_in_turn = np.arange(labels.size) % n_folds
    folds = np.empty(labels.size, np.int64)
    for is_of_class, in_turn in (
        (of_first_class, folds_in_turn[:n_first]),
        (~of_first_class, folds_in_turn[n_first:]),
    ):
        folds_of_class = np.sort(in_turn)
        rng.shuffle(folds_of_class)
        folds[is_of_class] = folds_of_class
    return folds


def _folds_of_clusters(clusters, n_folds, rng):
    """The fold of each row: all folds have nearly as many clusters."""
    numbers, cluster_of_row = np.unique(clusters, return_inverse=True)
    parts = np.array_split(rng.permutation(numbers.size), n_folds)
    fold_of_cluster = np.empty(numbers.size, np.int64)
    for fold, part in enumerate(parts):
        fold_of_cluster[part] = fold
    return fold_of_cluster[cluster_of_row]


def _splits_by(splitter, rows, sample):
    """Splits of some rows by a splitter of scikit-learn, which may keep clusters together."""
    clusters_of_rows = None if sample.clusters is None else sample.clusters[rows]
    splits = splitter.split(rows, sample.labels[rows], clusters_of_rows)
    return [(rows[training], rows[test]) for training, test in splits]


def _by_repeat(splits, labels):
    """Lists of splits. A list ends before a row would be predicted again."""
    repeats = []
    predicted = np.zeros(labels.size, bool)
    for training, test in splits:
        if np.unique(labels[training]).size < 2:
            raise ValueError(
                "the training rows of a split are of one class only: collect more rows (or "
                "clusters) of the other class, or pass another cv"
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
    """Out-of-fold predictions of a method, and their losses.

    Attributes
    ----------
    predictions : ndarray of shape (n_repeats, n)
        NaN where a repeat does not predict a row.
    row_losses : dict of str to ndarray of shape (n,)
        "log" and "brier", averaged over the repeats, or NaN for rows that are never predicted.
    fold_losses : dict of str to ndarray of shape (n_splits,)
        Means over the rows of each fold.
    seconds : float
        Median time of a fit.
    """

    predictions: NDArray[np.float64]
    row_losses: dict[str, NDArray[np.float64]]
    fold_losses: dict[str, NDArray[np.float64]]
    seconds: float

    @property
    def is_predicted(self) -> NDArray[np.bool_]:
        """Whether some repeat predicts the row."""
        return np.any(~np.isnan(self.predictions), axis=0)


@dataclass(frozen=True, eq=False)
class ComparedSample:
    """Checked columns of the rows that calibrators are compared on.

    Attributes
    ----------
    scores, labels : ndarray of shape (n,)
    weights : ndarray of shape (n,) or None
    groups : array of n rows, or None
        Groups for the calibrators that take them.
    clusters : ndarray of shape (n,) of int, or None
        Number of the cluster of each row.
    """

    scores: NDArray[np.float64]
    labels: NDArray[np.uint8]
    weights: NDArray[np.float64] | None
    groups: Any
    clusters: NDArray[np.int64] | None

    @property
    def counts(self) -> NDArray[np.float64]:
        """Weight of each row."""
        return np.ones(self.scores.size) if self.weights is None else self.weights

    @property
    def is_counted(self) -> NDArray[np.bool_]:
        """Whether the row has a positive weight."""
        return self.counts > 0

    @property
    def holds_counts(self) -> bool:
        """Whether rows stand for several independent rows, which may be in different folds."""
        counts = self.counts
        is_whole = not np.any(counts % 1) and counts.sum() < MAX_WHOLE
        return self.clusters is None and is_whole and bool(counts.max() > 1)

    @property
    def n_of_classes(self) -> NDArray[np.int64]:
        """Number of rows of each class: counted rows, or rows of positive weight."""
        numbers = self.counts if self.holds_counts else self.is_counted
        return np.bincount(self.labels, numbers, minlength=2).astype(np.int64)

    @property
    def n_counted(self) -> int:
        """Number of rows of both classes."""
        return int(self.n_of_classes.sum())

    @property
    def holds_probabilities(self) -> bool:
        """Whether the scores lie in [0, 1], so that they can be compared as they are."""
        scores = self.scores[self.is_counted]
        return bool(scores.min() >= 0 and scores.max() <= 1)

    def rows(self, chosen: NDArray[np.int64]) -> "ComparedSample":
        """Some rows, by their numbers, which may repeat."""
        return ComparedSample(
            scores=self.scores[chosen],
            labels=self.labels[chosen],
            weights=None if self.weights is None else self.weights[chosen],
            groups=self._groups_of(chosen),
            clusters=None if self.clusters is None else self.clusters[chosen],
        )

    def fit(self, calibrator: Any, rows: NDArray[np.int64]) -> Any:
        """Fit a clone of `calibrator` to some rows."""
        weights = None if self.weights is None else self.weights[rows]
        return fitted(
            calibrator, self.scores[rows], self.labels[rows], weights, self._groups_of(rows)
        )

    def predict(self, calibrator: Any, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        """Probabilities of some rows from a fitted calibrator."""
        return calibrated(calibrator, self.scores[rows], self._groups_of(rows))

    def _groups_of(self, rows):
        return None if self.groups is None else _safe_indexing(self.groups, rows)

    def mean(self, values: NDArray, rows: NDArray[np.int64]) -> float:
        """Weighted mean of one value for each of some rows."""
        weights = None if self.weights is None else self.weights[rows]
        return float(np.average(values, weights=weights))


@dataclass(frozen=True, eq=False)
class CrossValidation:
    """A sample with the folds in which its rows are predicted.

    Attributes
    ----------
    sample : ComparedSample
    repeats : list of lists of pairs of ndarray
        Rows to train on and rows to predict, from `repeated_folds`.
    row_of_cell : ndarray of int, or None
        Where the rows of `sample` are cells of counted rows: the row of each cell.
    """

    sample: ComparedSample
    repeats: list[Splits]
    row_of_cell: NDArray[np.int64] | None = None

    def try_raw(self) -> Trial:
        """Predict the scores themselves as probabilities."""
        return self._tried(lambda training, test: self.sample.scores[test])

    def try_base_rate(self) -> Trial:
        """Predict the fraction of positives in the training rows."""

        def predict(training, test):
            rate = self.sample.mean(self.sample.labels[training], training)
            return np.full(test.size, rate)

        return self._tried(predict)

    def try_calibrator(self, calibrator: Any) -> Trial:
        """Predict by a calibrator that is fitted to the training rows of each split."""
        seconds = []

        def predict(training, test):
            started = perf_counter()
            trained = self.sample.fit(calibrator, training)
            seconds.append(perf_counter() - started)
            return self.sample.predict(trained, test)

        return self._tried(predict)._replace(seconds=float(np.median(seconds)))

    def first_predictions(self, trial: Trial, n_rows: int) -> NDArray[np.float64]:
        """Predictions of the first repeat. Where rows are counted, means over their copies."""
        predictions = trial.predictions[0]
        if self.row_of_cell is None:
            return predictions
        counts = self.sample.counts
        sums = np.bincount(self.row_of_cell, counts * predictions, minlength=n_rows)
        with np.errstate(invalid="ignore"):  # 0 / 0 for rows of weight 0
            return sums / np.bincount(self.row_of_cell, counts, minlength=n_rows)

    def mean_losses(self, trial: Trial) -> dict[str, float]:
        """Mean losses, "log" and "brier", of the rows that are predicted."""
        rows = np.flatnonzero(trial.is_predicted)
        return {
            kind: self.sample.mean(losses[rows], rows) for kind, losses in trial.row_losses.items()
        }

    def _tried(self, predict: Callable[..., NDArray]) -> Trial:
        labels = self.sample.labels
        predictions = np.full((len(self.repeats), labels.size), np.nan)
        for row, splits in zip(predictions, self.repeats, strict=True):
            for training, test in splits:
                row[test] = predict(training, test)
        losses = {
            "log": logarithmic(labels, predictions),
            "brier": squared(labels, predictions),
        }
        return Trial(
            predictions=predictions,
            row_losses={kind: _mean_over_repeats(values) for kind, values in losses.items()},
            fold_losses={kind: self._means_over_folds(values) for kind, values in losses.items()},
            seconds=0.0,
        )

    def _means_over_folds(self, losses):
        """Mean of each fold of each repeat."""
        return np.array(
            [
                self.sample.mean(repeat_losses[test], test)
                for repeat_losses, splits in zip(losses, self.repeats, strict=True)
                for _, test in splits
            ]
        )


def _mean_over_repeats(losses):
    """Mean of each row over the repeats that predict it."""
    predicted = ~np.isnan(losses)
    with np.errstate(invalid="ignore"):  # 0 / 0 for a row that no repeat predicts
        return np.where(predicted, losses, 0.0).sum(axis=0) / predicted.sum(axis=0)
