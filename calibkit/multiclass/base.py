"""The contract of a calibrator of more than two classes."""

import warnings
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import ClassifierTags, TargetTags
from sklearn.utils.metadata_routing import UNUSED
from sklearn.utils.validation import check_is_fitted

from calib.base.arrays import check_score_rows
from calib.base.calibrator import warn_of_one_class
from calib.base.failures import restored_on_failure
from calibkit.multiclass.measures import brier_score_loss, check_rows

# Metadata request: probabilities and labels are X and y, no metadata; weights are taken unless
# switched off.
ROWS_REQUEST = {"probabilities": UNUSED, "labels": UNUSED, "sample_weight": True}


class MulticlassCalibrator(BaseEstimator):
    """Base class of the maps from probabilities of k classes to calibrated probabilities.

    A subclass implements ``_fit(probabilities, labels, weights)`` with clean arrays (`weights` is
    None when all are one), where it checks its constructor arguments, and
    ``_predict_proba(probabilities)``.

    Attributes
    ----------
    classes_ : ndarray of shape (k,)
        0, ..., k - 1: the numbers of the columns.
    unit_scores : bool
        Whether rows must be probabilities, which sum to 1. If not, they may hold any finite scores,
        such as the logits of a network.
    multiclass : bool
        True: `CalibratedClassifier` hands over all columns at once.
    """

    multiclass: bool = True
    if TYPE_CHECKING:  # a subclass may define it as an attribute or as a property

        @property
        def unit_scores(self) -> bool:
            """Whether rows must be probabilities."""

    else:
        unit_scores = True

    def fit(
        self, probabilities: ArrayLike, labels: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Learn from the probabilities that a classifier gives, and labels.

        Parameters
        ----------
        probabilities : array-like of shape (n, k)
            A column for each class, k of at least 2. Each row is in [0, 1] and sums to 1, give or
            take 1e-3, unless the calibrator takes any scores (`unit_scores`).
        labels : array-like of shape (n,)
            Classes, as the number of the column, from 0 to k - 1. A class may be absent.
        sample_weight : array-like of shape (n,), optional
            Non-negative weights. They are counts. A weight of w stands for w copies of the row.

        Returns
        -------
        self : MulticlassCalibrator

        Raises
        ------
        ValueError
            If an argument is not as described. The message names it, the value found and the
            remedy. The calibrator then remains unchanged.

        Warns
        -----
        OneClassWarning
            If all labels are equal.
        UserWarning
            If weights sum to one. They have been normalised, and count as one observation.
        """
        with restored_on_failure(self):
            z, p, weights = check_rows(
                labels, probabilities, sample_weight, unit=self.unit_scores, counts=True
            )
            self.classes_ = np.arange(p.shape[1])
            if z.min() == z.max():
                warn_of_one_class(self, z[0], "all")
            self._fit(p, z, weights)
        return self

    def predict_proba(self, probabilities: ArrayLike) -> NDArray[np.float64]:
        """Calibrated probabilities.

        Parameters
        ----------
        probabilities : array-like of shape (n, k)
            Rows as in `fit`, with the same columns. `n` may be 0.

        Returns
        -------
        calibrated : ndarray of shape (n, k)
            In [0, 1]. Each row sums to 1.
        """
        return self._predict_proba(self._check_rows(probabilities))

    def score(
        self, probabilities: ArrayLike, labels: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> float:
        """Minus the `brier_score_loss` of `predict_proba`, in [-2, 0]: proper, and finite.

        The parameters are the same as in `fit`.
        """
        calibrated = self.predict_proba(probabilities)
        return -brier_score_loss(labels, calibrated, sample_weight=sample_weight)

    def _check_rows(self, probabilities):
        """Return rows to predict from, with as many columns as in `fit`. There may be none."""
        check_is_fitted(self)
        k = self.classes_.size
        return check_score_rows(probabilities, unit=self.unit_scores, n_classes=k, allow_empty=True)

    __metadata_request__fit: ClassVar[dict] = ROWS_REQUEST
    __metadata_request__predict_proba: ClassVar[dict] = {"probabilities": UNUSED}
    __metadata_request__score: ClassVar[dict] = ROWS_REQUEST

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.estimator_type = "classifier"
        tags.classifier_tags = ClassifierTags(multi_class=True)
        tags.target_tags = TargetTags(required=True, one_d_labels=True)
        tags.input_tags.two_d_array = False  # not any two-dimensional array: a column per class
        return tags


def fitted_quietly(calibrator, scores, labels, weights):
    """Fit a binary calibrator to rows that may be of one class, without a warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return calibrator.fit(scores, labels, sample_weight=weights)
