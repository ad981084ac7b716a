"""The contract of a calibrator."""

from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import ClassifierTags
from sklearn.utils.metadata_routing import UNUSED
from sklearn.utils.validation import check_is_fitted

from calib.contract.validation import (
    check_labels,
    check_scores,
    check_weights,
    log_odds,
    restored_on_failure,
    warn,
)


class OneClassWarning(UserWarning):
    """All labels of the calibration sample are equal."""


class OneDimensional(BaseEstimator):
    """Base class of what is fitted to one score for each row, as scikit-learn's tags say."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.one_d_labels = True
        tags.input_tags.one_d_array = True
        tags.input_tags.two_d_array = False
        return tags


class ScoreModel(OneDimensional):
    """Base class of everything that is fitted to scores and labels.

    A subclass implements ``_fit(scores, labels, weights)`` with clean arrays (`weights` is None
    when all are one) and checks its constructor arguments there.

    Attributes
    ----------
    unit_scores : bool
        Whether scores must lie in [0, 1], because only there they have a meaning for the model.
    """

    unit_scores: bool = False

    def fit(
        self, scores: ArrayLike, labels: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Learn from scores and labels.

        Parameters
        ----------
        scores : array-like of shape (n,)
            Scores of the calibration sample: finite real numbers.
        labels : array-like of shape (n,)
            Classes, 0/1 or bool.
        sample_weight : array-like of shape (n,), optional
            Non-negative weights. They are counts: a weight of w stands for w copies of the row,
            and their sum is the number N of observations.

        Returns
        -------
        self : ScoreModel

        Raises
        ------
        ValueError
            If an argument has the wrong shape, is empty, holds NaN or infinity, or if the labels
            are not binary. The message names the argument, what was found and the remedy. The
            model is then left as it was.

        Warns
        -----
        OneClassWarning
            If all labels are equal: the method then predicts (nearly) that class everywhere.
        UserWarning
            If weights sum to one: they have been normalised, and count as one observation.
        """
        with restored_on_failure(self):
            self.classes_ = np.array([0, 1])
            scores, labels, weights = self._check_rows(scores, labels, sample_weight)
            if not 0 < np.count_nonzero(labels) < labels.size:
                warn(
                    f"labels holds one class only ({labels[0]}): {type(self).__name__} has "
                    "nothing to tell the classes apart; collect calibration data of both classes",
                    OneClassWarning,
                )
            self._fit(scores, labels, weights)
        return self

    # scores and labels are X and y, no metadata; weights are taken unless that is switched off
    __metadata_request__fit: ClassVar[dict] = {
        "scores": UNUSED,
        "labels": UNUSED,
        "sample_weight": True,
    }

    def _check_rows(self, scores, labels, sample_weight):
        """Clean arrays, without the rows of weight zero: such a row is a row that is not there."""
        scores = self._check_scores(scores)
        labels = check_labels(labels, size=scores.size)
        if sample_weight is None:
            return scores, labels, None
        weights = check_weights(sample_weight, size=scores.size)
        kept = weights > 0
        return scores[kept], labels[kept], weights[kept]

    def _check_scores(self, scores, *, allow_empty=False):
        return check_scores(scores, unit=self.unit_scores, allow_empty=allow_empty)


class Calibrator(ScoreModel):
    """Base class of the maps from a score to the probability of class 1.

    A subclass implements ``_fit`` and there either sets ``map_``, a `CalibrationMap`, or
    implements ``_predict(scores)``.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        0 and 1.
    """

    def predict(self, scores: ArrayLike) -> NDArray[np.float64]:
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

    def predict_proba(self, scores: ArrayLike) -> NDArray[np.float64]:
        """Calibrated probabilities of both classes, of shape (n, 2), for scikit-learn's scorers."""
        probabilities = self.predict(scores)
        return np.column_stack([1 - probabilities, probabilities])

    def predict_logit(self, scores: ArrayLike) -> NDArray[np.float64]:
        """Log-odds of the calibrated probabilities, finite, of shape (n,).

        Probabilities are kept within [2**-53, 1 - 2**-53] first; where a method knows the log-odds
        themselves, as Platt scaling does, nothing is cut off.
        """
        return log_odds(self.predict(scores))

    def score(
        self, scores: ArrayLike, labels: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> float:
        """Minus the Brier score of `predict`, in [-1, 0]: proper, and finite for every method.

        Parameters are those of `fit`.
        """
        probabilities = self.predict(scores)
        labels = check_labels(labels, size=probabilities.size)
        if sample_weight is not None:
            sample_weight = check_weights(sample_weight, size=probabilities.size, counts=False)
        return -float(np.average((probabilities - labels) ** 2, weights=sample_weight))

    __metadata_request__predict: ClassVar[dict] = {"scores": UNUSED}
    __metadata_request__predict_proba: ClassVar[dict] = {"scores": UNUSED}
    __metadata_request__score: ClassVar[dict] = {
        "scores": UNUSED,
        "labels": UNUSED,
        "sample_weight": True,
    }

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.estimator_type = "classifier"
        tags.classifier_tags = ClassifierTags(multi_class=False)
        return tags

    def _predict(self, scores):
        return self.map_(scores)
