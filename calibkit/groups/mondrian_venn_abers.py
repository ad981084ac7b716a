"""Venn-Abers prediction within each group: Mondrian prediction."""

import warnings

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from calib.base.calibrator import GroupCalibrator, OneClassWarning
from calib.base.options import check_choice
from calib.methods.venn_abers import MERGES, VennAbers


class MondrianVennAbers(GroupCalibrator):
    r"""A separate Venn-Abers predictor for each group of objects.

    .. math:: p_c(y, k) = g_{k,c}(y), \quad c \in \{0, 1\},

    :math:`g_{k,c}` the isotonic regression of the calibration points of group k and (y, c). A new
    object has the pair of probabilities :math:`p_0, p_1`. If z is its true label, :math:`p_z` is
    calibrated within each group. This holds for samples of any size if the points of a group are
    exchangeable with its new objects. The sizes of the groups may change.

    Parameters
    ----------
    loss : {"log", "brier"}, default="log"
        As in `VennAbers`.

    Attributes
    ----------
    calibrators_ : dict
        The fitted `VennAbers` by group.

    Notes
    -----
    Groups are given as numbers or strings, one for each row and none missing, in `fit` and
    `predict`. They are the categories of Mondrian prediction. A group may be anything that is known
    of an object before its label, such as hospital, sex and age, the leaf of a tree, and that was
    defined without the calibration labels. A group of few points has wide pairs. A group without
    any has the pair [0, 1], which is merged to 1/2. Nothing is borrowed from other groups. Where
    this costs too much, `HeterogeneousCalibrator` falls back on all points, and gives up the
    guarantee.

    O(N log N) to fit, O(n log n) to predict n scores, memory O(N).

    References
    ----------
    Vovk, Gammerman and Shafer (2005) on Mondrian predictors; Vovk and Petej (2014).

    Examples
    --------
    >>> from calibkit.groups import MondrianVennAbers
    >>> scores, labels = [0.2, 0.4, 0.6, 0.3, 0.8], [0, 1, 1, 0, 0]
    >>> predictor = MondrianVennAbers().fit(scores, labels, groups=["a", "a", "a", "b", "b"])
    >>> p0, p1 = predictor.predict_interval([0.5, 0.5, 0.5], groups=["a", "b", "c"])
    >>> p0.round(2), p1.round(2)
    (array([0.5, 0. , 0. ]), array([1. , 0.5, 1. ]))
    """

    def __init__(self, *, loss: str = "log"):
        self.loss = loss

    def _fit(self, scores, labels, weights, groups):
        check_choice(self.loss, MERGES, "loss")
        self.calibrators_ = {}
        with warnings.catch_warnings():  # a group of one class has a wide pair, which is valid
            warnings.simplefilter("ignore", OneClassWarning)
            for group, rows in _rows_by_group(groups).items():
                group_weights = None if weights is None else weights[rows]
                calibrator = VennAbers(loss=self.loss)
                calibrator.fit(scores[rows], labels[rows], sample_weight=group_weights)
                self.calibrators_[group] = calibrator

    def predict_interval(
        self, scores: ArrayLike, *, groups: ArrayLike | None = None
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Both probabilities of class 1.

        Parameters
        ----------
        scores : array-like of shape (n,)
            Finite scores on the scale that was used in `fit`. `n` may be 0.
        groups : array-like of shape (n,)
            Their groups.

        Returns
        -------
        p0, p1 : ndarray of shape (n,)
            The probability if the object joins its group with label 0, and with label 1; 0 and 1
            where no calibration point is in the group.
        """
        check_is_fitted(self)
        return self._intervals(*self._check_queries(scores, groups))

    def _intervals(self, scores, groups):
        p0 = np.zeros(scores.size)
        p1 = np.ones(scores.size)
        for group, rows in _rows_by_group(groups).items():
            if group in self.calibrators_:
                p0[rows], p1[rows] = self.calibrators_[group].predict_interval(scores[rows])
        return p0, p1

    def _predict(self, scores, groups):
        """Merged probabilities; 1/2 where no calibration point is in the group."""
        return MERGES[self.loss](*self._intervals(scores, groups))


def _rows_by_group(groups):
    """Rows of each group, by its value. An empty dict if there is no row."""
    values, codes = np.unique(groups, return_inverse=True)
    order = np.argsort(codes, kind="stable")
    starts = np.cumsum(np.bincount(codes))[:-1]
    return dict(zip(values.tolist(), np.split(order, starts), strict=False))
