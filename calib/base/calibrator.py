"""The base classes of calibrators."""

from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import ClassifierTags, InputTags, TargetTags, _safe_indexing
from sklearn.utils.metadata_routing import UNUSED
from sklearn.utils.validation import check_is_fitted

from calib.base.arrays import check_groups, check_labels, check_scores, check_weights
from calib.base.counts import rows_of_counts
from calib.base.failures import restored_on_failure, warn
from calib.base.probabilities import log_odds

# Requests of metadata routing. Scores and labels, which are X and y, are no metadata. Weights are
# routed to a calibrator unless the user switches that off.
QUERY_METADATA = {"scores": UNUSED, "groups": UNUSED}
FIT_METADATA = QUERY_METADATA | {"labels": UNUSED, "sample_weight": True}

ROUTED_METHODS = ("fit", "predict", "predict_proba", "score")


class OneClassWarning(UserWarning):
    """All labels of the calibration sample are equal."""


def warn_of_one_class(model: object, label: object, needed: str) -> None:
    """Warn that all labels are `label`, and say which classes are `needed`."""
    warn(
        f"labels holds one class only ({label}): {type(model).__name__} has nothing to tell the "
        f"classes apart; collect calibration data of {needed} classes",
        OneClassWarning,
    )


class OneDimensional(BaseEstimator):
    """Base class of models that are fitted to one score a row; scikit-learn's tags say so."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags = TargetTags(required=True, one_d_labels=True)
        tags.input_tags = InputTags(one_d_array=True, two_d_array=False)
        return tags


class ScoreModel(OneDimensional):
    """Base class of everything that is fitted to scores and labels.

    A subclass implements ``_fit(scores, labels, weights)`` with clean arrays (`weights` is None
    when all are one) and checks its constructor arguments there. A subclass that takes groups
    implements ``_fit(scores, labels, weights, groups)``.

    Attributes
    ----------
    unit_scores : bool
        Whether scores must lie in [0, 1], because only there they have a meaning for the model.
    takes_groups : bool
        Whether the model asks for the group of each row. Other models refuse groups.
    """

    if TYPE_CHECKING:  # a subclass may define them as attributes or as properties

        @property
        def unit_scores(self) -> bool:
            """Whether scores must lie in [0, 1]."""

        @property
        def takes_groups(self) -> bool:
            """Whether the model asks for the group of each row."""

        @property
        def _needs_ties_only(self) -> bool: ...

    else:
        unit_scores = False
        takes_groups = False
        _needs_ties_only = False  # if True, `_fit` pools ties, and float32 is not copied

    def __init_subclass__(cls, *, requests: dict[str, bool] | None = None, **options: Any):
        """Set `requests` as the metadata requests of every routed method of a subclass."""
        for method in ROUTED_METHODS if requests is not None else ():
            setattr(cls, f"__metadata_request__{method}", requests)
        super().__init_subclass__(**options)

    def fit(
        self,
        scores: ArrayLike,
        labels: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
    ) -> Self:
        """Learn from scores and labels.

        Parameters
        ----------
        scores : array-like of shape (n,)
            Scores of the calibration sample, as finite real numbers.
        labels : array-like of shape (n,)
            Classes, 0/1 or bool.
        sample_weight : array-like of shape (n,), optional
            Non-negative weights. They are counts. A weight of w stands for w copies of the row,
            and their sum is the number N of observations.
        groups : array-like of shape (n,), optional
            Group of each row, numbers or strings, for a model that takes groups.

        Returns
        -------
        self : ScoreModel

        Raises
        ------
        ValueError
            If an argument has the wrong shape, is empty, holds NaN or infinity, if the labels are
            not binary, or if there are groups that the model does not take. The message names the
            argument, the value found and the remedy. The model then remains unchanged.

        Warns
        -----
        OneClassWarning
            If all labels are equal. The method then predicts (nearly) that class everywhere.
        UserWarning
            If weights sum to one. They have been normalised, and count as one observation.
        """
        with restored_on_failure(self):
            self.classes_ = np.array([0, 1])
            rows = self._check_rows(scores, labels, sample_weight, groups)
            outcomes = rows[1]
            if not 0 < np.count_nonzero(outcomes) < outcomes.size:
                warn_of_one_class(self, outcomes[0], "both")
            self._fit(*rows)
        return self

    __metadata_request__fit: ClassVar[dict] = FIT_METADATA

    def fit_counts(
        self,
        scores: ArrayLike,
        positives: ArrayLike,
        counts: ArrayLike,
        *,
        groups: ArrayLike | None = None,
    ) -> Self:
        """Learn from grouped rows: at each score, how many there are and how many are positive.

        Equal to `fit` with the rows themselves, up to rounding. `groups` has one group for each
        score. The other parameters are the same as in `calib.rows_of_counts`.
        """
        rows = rows_of_counts(scores, positives, counts)
        row_groups = None if groups is None else np.tile(groups, 2)
        return self.fit(
            rows.scores, rows.labels, sample_weight=rows.sample_weight, groups=row_groups
        )

    def _check_rows(self, scores, labels, sample_weight, groups):
        """Clean scores, labels and weights, then the groups if the model takes them.

        Rows of weight zero are left out.
        """
        scores = self._check_scores(scores, narrow=self._needs_ties_only and sample_weight is None)
        labels = check_labels(labels, size=scores.size)
        groups_taken = self._groups_taken(groups, scores.size, fitting=True)
        if sample_weight is None:
            return scores, labels, None, *groups_taken
        weights = check_weights(sample_weight, size=scores.size)
        if weights.all():
            return scores, labels, weights, *groups_taken
        present = np.flatnonzero(weights > 0)
        groups_taken = [_safe_indexing(values, present) for values in groups_taken]
        return scores[present], labels[present], weights[present], *groups_taken

    def _check_queries(self, scores, groups):
        """Clean scores, then the groups if the model takes them."""
        scores = self._check_scores(scores, allow_empty=True)
        return scores, *self._groups_taken(groups, scores.size, fitting=False)

    def _groups_taken(self, groups, size, *, fitting):
        """A tuple of the clean groups if the model takes them. Otherwise `groups` must be None."""
        if self.takes_groups:
            return (self._check_groups(groups, size, fitting),)
        if groups is not None:
            raise ValueError(
                f"groups are given, but {type(self).__name__} takes none: leave them out, or take "
                "MondrianVennAbers, HeterogeneousCalibrator or Multicalibration"
            )
        return ()

    def _check_scores(self, scores, **options):
        return check_scores(scores, unit=self.unit_scores, **options)

    def _check_groups(self, groups, size, fitting):
        """Clean groups, one for each of `size` rows, which can be indexed by rows."""
        return check_groups(groups, size=size)


class Calibrator(ScoreModel):
    """Base class of the maps from a score to the probability of class 1.

    A subclass implements ``_fit``, which sets ``map_``, a `CalibrationMap`. A subclass without
    such a map implements ``_predict(scores)`` instead, or ``_predict(scores, groups)`` if it takes
    groups. A subclass that computes log-odds directly also implements ``_predict_logit`` with the
    same arguments.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        0 and 1.
    """

    def predict(self, scores: ArrayLike, *, groups: ArrayLike | None = None) -> NDArray[np.float64]:
        """Calibrated probabilities of class 1.

        Parameters
        ----------
        scores : array-like of shape (n,)
            Finite scores on the scale that was used in `fit`. `n` may be 0.
        groups : array-like of shape (n,), optional
            Their groups, if the calibrator was fitted with groups.

        Returns
        -------
        probabilities : ndarray of shape (n,)
            P(z = 1 | score), in [0, 1].
        """
        check_is_fitted(self)
        return self._predict(*self._check_queries(scores, groups))

    def predict_proba(
        self, scores: ArrayLike, *, groups: ArrayLike | None = None
    ) -> NDArray[np.float64]:
        """Calibrated probabilities of both classes, of shape (n, 2), for scikit-learn's scorers."""
        probabilities = self.predict(scores, groups=groups)
        return np.column_stack([1 - probabilities, probabilities])

    def predict_logit(
        self, scores: ArrayLike, *, groups: ArrayLike | None = None
    ) -> NDArray[np.float64]:
        """Log-odds of the calibrated probabilities, finite, of shape (n,).

        Probabilities are kept within [2**-53, 1 - 2**-53] first. Methods that compute log-odds
        directly, such as Platt scaling, cut nothing off.
        """
        check_is_fitted(self)
        return self._predict_logit(*self._check_queries(scores, groups))

    def score(
        self,
        scores: ArrayLike,
        labels: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
    ) -> float:
        """Minus the Brier score of `predict`, a number in [-1, 0].

        Larger is better. The expected value is largest for the true probabilities, and the number
        is finite for every method. The parameters are the same as in `fit`.
        """
        probabilities = self.predict(scores, groups=groups)
        outcomes = check_labels(labels, size=probabilities.size)
        weights = None
        if sample_weight is not None:
            weights = check_weights(sample_weight, size=probabilities.size, counts=False)
        return -float(np.average((probabilities - outcomes) ** 2, weights=weights))

    __metadata_request__predict: ClassVar[dict] = QUERY_METADATA
    __metadata_request__predict_proba: ClassVar[dict] = QUERY_METADATA
    __metadata_request__score: ClassVar[dict] = FIT_METADATA

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.estimator_type = "classifier"
        tags.classifier_tags = ClassifierTags(multi_class=False)
        return tags

    def _predict(self, scores):
        return self.map_(scores)

    def _predict_logit(self, *queries):
        return log_odds(self._predict(*queries))


class CompositeCalibrator(Calibrator, requests={"groups": False}):
    """Base class of the calibrators made of calibrators that may ask for groups.

    A subclass has the property ``takes_groups``. Its ``_fit``, ``_predict`` and ``_predict_logit``
    have a last argument ``groups=None``. Metadata routing hands it groups after
    ``set_fit_request(groups=True)`` and ``set_score_request(groups=True)``.
    """


class GroupCalibrator(Calibrator, requests={"groups": True}):
    """Base class of the calibrators that ask for the group of each row, in `fit` and `predict`.

    With scikit-learn's metadata routing they ask for the groups by themselves.
    """

    takes_groups = True
