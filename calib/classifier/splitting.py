"""The splits of `cv`, classifiers trained on them, and the scores to calibrate on."""

import numbers
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import LeaveOneOut, StratifiedShuffleSplit, check_cv
from sklearn.utils.metaestimators import _safe_split
from sklearn.utils.validation import _check_method_params, check_is_fitted

from calib.base.options import RandomState, check_choice, check_integer, check_positive, check_seed


def check_splitting(cv: object) -> None:
    """Raise if `cv`, the parameter of `CalibratedClassifier`, is a wrong word or number."""
    if isinstance(cv, str):
        check_choice(cv, ["leave_one_out", "prefit", "same"], "cv")
    elif isinstance(cv, numbers.Integral):
        check_integer(cv, "cv", minimum=2)
    elif isinstance(cv, numbers.Real):
        check_positive(cv, "cv", below=1)


def is_prefit(cv: object) -> bool:
    """Whether the classifier is trained already."""
    return isinstance(cv, str) and cv == "prefit"


class ScoredFold(NamedTuple):
    """A fitted classifier and scores to calibrate it on, with the numbers of their rows."""

    estimator: Any
    scores: NDArray[np.float64]
    rows: NDArray[np.int64]


class TrainingSample(NamedTuple):
    """Objects, the numbers of their classes, the classes, and parameters for a classifier's fit."""

    X: Any
    codes: NDArray[np.int64]
    classes: NDArray
    params: dict

    def parts(
        self,
        estimator: Any,
        score: Callable,
        cv: object,
        splitting: dict,
        random_state: RandomState,
    ) -> Iterator[ScoredFold]:
        """For each split of `cv` the trained classifier and the rows that it scores."""
        all_rows = np.arange(self.codes.size)
        if is_prefit(cv):
            self._check_fitted(estimator)
            yield ScoredFold(estimator=estimator, scores=score(estimator, self.X), rows=all_rows)
            return
        n_splits = 0
        for training, scoring in self._splits(cv, splitting, random_state):
            trained = all_rows[training]  # a mask or a slice becomes indices
            scored = all_rows[scoring]
            fitted = self._train(estimator, trained)
            X_scored, _ = _safe_split(fitted, self.X, None, scored, trained)
            yield ScoredFold(estimator=fitted, scores=score(fitted, X_scored), rows=scored)
            n_splits += 1
        if n_splits == 0:
            raise ValueError("cv yields no split: pass at least one (a generator works only once)")

    def pooled(self, estimator: Any, parts: Iterator[ScoredFold]) -> ScoredFold:
        """Join the parts to one. The classifier of several parts is trained on all rows."""
        scores = []
        rows = []
        for part in parts:  # one by one, because a classifier may be large
            scores.append(part.scores)
            rows.append(part.rows)
            fitted = part.estimator
        if len(rows) > 1:
            fitted = self._train(estimator, np.arange(self.codes.size))
        return ScoredFold(
            estimator=fitted, scores=np.concatenate(scores), rows=np.concatenate(rows)
        )

    def require_every_class(self, rows: NDArray[np.int64], params: dict, where: str) -> None:
        """Raise if a class has no row of positive weight among some rows."""
        weights = params.get("sample_weight")
        absent = np.bincount(self.codes[rows], weights, minlength=self.classes.size) == 0
        if absent.any():
            raise ValueError(
                f"class {self.classes[absent][0]} has no row (of positive weight) in {where}: "
                "collect more rows of this class or choose another cv"
            )

    def _train(self, estimator, rows):
        params = _check_method_params(self.X, self.params, indices=rows)
        self.require_every_class(rows, params, "the training rows of a split")
        estimator = clone(estimator)
        X, y = _safe_split(estimator, self.X, self.classes[self.codes], rows)
        return estimator.fit(X, y, **params)

    def _splits(self, cv, params, random_state):
        """Pairs of training rows and rows to score."""
        if isinstance(cv, str) and cv == "same":
            return [(slice(None), slice(None))]
        if isinstance(cv, str):
            cv = LeaveOneOut()
        elif isinstance(cv, numbers.Real) and not isinstance(cv, numbers.Integral):
            seed = check_seed(random_state)
            cv = StratifiedShuffleSplit(1, test_size=float(cv), random_state=seed)
        return check_cv(cv, self.codes, classifier=True).split(self.X, self.codes, **params)

    def _check_fitted(self, estimator):
        check_is_fitted(
            estimator,
            msg='cv="prefit" needs a fitted estimator, found an unfitted %(name)s: fit it first, '
            "and within cross-validation, which clones, pass FrozenEstimator(estimator)",
        )
        known = getattr(estimator, "classes_", self.classes)
        if not np.array_equal(known, self.classes):
            raise ValueError(
                f"y holds the classes {self.classes} but estimator was fitted on {known}: pass "
                "calibration rows of each of its classes and of no other"
            )
