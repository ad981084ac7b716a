"""Venn-Abers prediction within categories, valid in each of them."""

import warnings
from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.metadata_routing import UNUSED
from sklearn.utils.validation import check_is_fitted

from calib.contract.calibrator import OneClassWarning, OneDimensional
from calib.contract.validation import (
    check_choice,
    check_labels,
    check_numbers_or_strings,
    check_scores,
    check_weights,
    one_dimensional,
    restored_on_failure,
)
from calib.venn_abers.inductive import MERGES, VennAbers


class MondrianVennAbers(OneDimensional):
    r"""A Venn-Abers predictor of its own for each category of objects.

    .. math:: p_c(y, k) = g_{k,c}(y), \quad c \in \{0, 1\},

    :math:`g_{k,c}` the isotonic regression of the calibration points of category k and (y, c). The
    one of the two that belongs to the true label is calibrated within each category, for samples
    of any size, if the points of a category are exchangeable with its new objects. The share of
    the categories themselves may change.

    Parameters
    ----------
    loss : {"log", "brier"}, default="log"
        As in `VennAbers`.

    Attributes
    ----------
    calibrators_ : dict
        The fitted `VennAbers` by category.

    Notes
    -----
    A category is anything that is known of an object before its label: hospital, sex and age, the
    leaf of a tree. It must have been defined without the calibration labels. A category of few
    points has wide pairs; one without any has the pair [0, 1]. Nothing is borrowed from other
    categories: where this costs too much, `HeterogeneousCalibrator` falls back on all points, and
    gives up the guarantee.

    O(N log N) to fit, O(n log n) to predict n scores; memory O(N).

    References
    ----------
    Vovk, Gammerman and Shafer (2005) on Mondrian predictors; Vovk and Petej (2014).

    Examples
    --------
    >>> from calib import MondrianVennAbers
    >>> scores, labels = [0.2, 0.4, 0.6, 0.3, 0.8], [0, 1, 1, 0, 0]
    >>> predictor = MondrianVennAbers().fit(scores, labels, ["a", "a", "a", "b", "b"])
    >>> p0, p1 = predictor.predict_interval([0.5, 0.5, 0.5], ["a", "b", "c"])
    >>> p0.round(2), p1.round(2)
    (array([0.5, 0. , 0. ]), array([1. , 0.5, 1. ]))
    """

    def __init__(self, *, loss: str = "log"):
        self.loss = loss

    def fit(
        self,
        scores: ArrayLike,
        labels: ArrayLike,
        categories: ArrayLike,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Learn from scores and labels, category by category.

        Parameters
        ----------
        scores : array-like of shape (n,)
            Finite scores of a classifier that was not trained on these points.
        labels : array-like of shape (n,)
            Classes, 0/1 or bool.
        categories : array-like of shape (n,)
            Numbers or strings, none of them missing. Write times as strings.
        sample_weight : array-like of shape (n,), optional
            Non-negative weights, which are counts.

        Returns
        -------
        self : MondrianVennAbers

        Raises
        ------
        ValueError
            If an argument is not as described. What was fitted before is then kept.
        """
        with restored_on_failure(self):
            check_choice(self.loss, MERGES, "loss")
            scores = check_scores(scores)
            labels = check_labels(labels, size=scores.size)
            rows_of = _rows_by_category(categories, scores.size)
            weights = None
            if sample_weight is not None:
                weights = check_weights(sample_weight, size=scores.size)
            self.calibrators_ = {}
            for category, rows in rows_of.items():
                counts = None if weights is None else weights[rows]
                if counts is None or np.any(counts > 0):
                    self.calibrators_[category] = self._fitted(scores[rows], labels[rows], counts)
        return self

    # scores, labels and categories stand where others have X and y: no metadata
    __metadata_request__fit: ClassVar[dict] = {
        "scores": UNUSED,
        "labels": UNUSED,
        "categories": UNUSED,
        "sample_weight": True,
    }
    __metadata_request__predict: ClassVar[dict] = {"scores": UNUSED, "categories": UNUSED}

    def predict_interval(
        self, scores: ArrayLike, categories: ArrayLike
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Both probabilities of class 1.

        Parameters
        ----------
        scores : array-like of shape (n,)
            Finite scores on the scale that was used in `fit`; `n` may be 0.
        categories : array-like of shape (n,)
            Their categories.

        Returns
        -------
        p0, p1 : ndarray of shape (n,)
            The probability if the object joins its category with label 0, and with label 1; 0 and 1
            where no calibration point is in the category.
        """
        check_is_fitted(self)
        scores = check_scores(scores, allow_empty=True)
        p0, p1 = np.zeros(scores.size), np.ones(scores.size)
        for category, rows in _rows_by_category(categories, scores.size).items():
            if category in self.calibrators_:
                calibrator = self.calibrators_[category]
                p0[rows], p1[rows] = calibrator.predict_interval(scores[rows])
        return p0, p1

    def predict(self, scores: ArrayLike, categories: ArrayLike) -> NDArray[np.float64]:
        """Merged probabilities of class 1, as `VennAbers.predict`.

        Parameters
        ----------
        scores, categories : array-like of shape (n,)
            As in `predict_interval`.

        Returns
        -------
        probabilities : ndarray of shape (n,)
            In (0, 1); 1/2 where no calibration point is in the category.
        """
        return MERGES[self.loss](*self.predict_interval(scores, categories))

    def _fitted(self, scores, labels, weights):
        with warnings.catch_warnings():  # one class only makes a wide pair, and no mistake
            warnings.simplefilter("ignore", OneClassWarning)
            return VennAbers(loss=self.loss).fit(scores, labels, weights)


def _rows_by_category(categories, size):
    """Rows of each category, by its value."""
    if isinstance(categories, list | tuple):  # as they are: an array makes strings of a mixture
        categories = np.asarray(categories, dtype=object)
    categories = one_dimensional(categories, "categories")
    if categories.size != size:
        raise ValueError(
            f"categories has {categories.size} rows but scores has {size}: they must match"
        )
    check_numbers_or_strings(categories, "categories")
    values, codes = np.unique(categories, return_inverse=True)
    if np.any(values != values):
        raise ValueError("categories holds missing values: give them a category of their own")
    order = np.argsort(codes, kind="stable")
    starts = np.cumsum(np.bincount(codes))[:-1]
    return dict(zip(values.tolist(), np.split(order, starts), strict=False))
