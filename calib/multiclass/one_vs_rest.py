"""A binary calibrator for each class, and what becomes of their probabilities."""

import warnings
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from calib.contract.calibrator import OneClassWarning
from calib.contract.protocol import calibrated, check_calibrator, fitted, normalized
from calib.contract.validation import warn
from calib.logistic.platt import PlattScaling
from calib.multiclass.base import MulticlassCalibrator


class OneVsRestCalibrator(MulticlassCalibrator):
    r"""A binary calibrator for each class against all others, and a division by the sum.

    .. math::

        P(z = k \mid p) = \frac{f_k(p_k)}{\sum_j f_j(p_j)}

    Parameters
    ----------
    calibrator : Calibrator, default=PlattScaling(scale="logit")
        Any estimator with ``fit(scores, labels)`` and ``predict(scores)`` on 1-D arrays. A copy is
        fitted to each column and to whether the label is that class. Unless it works on [0, 1]
        only (`unit_scores`), rows may hold any scores.

    Attributes
    ----------
    calibrators_ : list of Calibrator
        :math:`f_k`, one for each class.

    Raises
    ------
    ValueError
        If `calibrator` is none, or takes no weights and there are some (when `fit` is called).

    Warns
    -----
    OneClassWarning
        If a class has no row: its calibrator then knows only what it is not.

    Notes
    -----
    Each :math:`f_k` has the properties of its method: with `HistogramBinning` a bound of the
    calibration error, with `VennAbers` a valid pair of probabilities, by
    ``calibrators_[k].predict_interval(probabilities[:, k])``. They hold for one class at a time,
    and for `predict_each`. The sum of a row is 1 on average, over the population that the
    calibrators describe, but not in each row; dividing by it may destroy the calibration of every
    class. Where all :math:`f_k` are 0, as isotonic regression may give, all classes are equally
    likely. The largest probability may be that of another class than before.

    k times the cost of the binary calibrator.

    References
    ----------
    Zadrozny and Elkan (2002). `CalibratedClassifier` does the same to the scores of a classifier.

    Examples
    --------
    >>> from calib import HistogramBinning
    >>> from calib.multiclass import OneVsRestCalibrator
    >>> probabilities = [[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.1, 0.8], [0.7, 0.2, 0.1]]
    >>> calibrator = OneVsRestCalibrator(HistogramBinning(n_bins=2))
    >>> calibrator.fit(probabilities, [0, 1, 2, 1]).predict_each([[0.6, 0.3, 0.1]])
    array([[0.5, 1. , 0. ]])
    >>> calibrator.predict_proba([[0.6, 0.3, 0.1]]).round(3)
    array([[0.333, 0.667, 0.   ]])
    """

    def __init__(self, calibrator: Any = None):
        self.calibrator = calibrator

    @property
    def unit_scores(self) -> bool:
        """Whether rows must be probabilities: if the binary calibrator works on [0, 1]."""
        return getattr(self._calibrator(), "unit_scores", False)

    def predict_each(self, probabilities: ArrayLike) -> NDArray[np.float64]:
        """Calibrated probability of each class against the rest.

        Parameters
        ----------
        probabilities : array-like of shape (n, k)
            As in `predict_proba`.

        Returns
        -------
        calibrated : ndarray of shape (n, k)
            :math:`f_k(p_k)`, in [0, 1]; rows need not sum to 1.
        """
        return self._predict_each(self._check_rows(probabilities))

    def _calibrator(self):
        return PlattScaling(scale="logit") if self.calibrator is None else self.calibrator

    def _fit(self, probabilities, labels, weights):
        check_calibrator(self._calibrator(), weighted=weights is not None)
        absent = np.setdiff1d(self.classes_, labels)
        if 0 < absent.size < self.classes_.size - 1:  # of one class alone it has been said
            warn(
                f"labels holds no row of class {absent[0]}: its probability will be as good as 0, "
                "or as small as the calibrator dares; collect calibration data of all classes",
                OneClassWarning,
            )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", OneClassWarning)  # of one column; it has been said
            self.calibrators_ = [
                fitted(self._calibrator(), column, labels == k, weights)
                for k, column in enumerate(probabilities.T)
            ]

    def _predict_each(self, probabilities):
        columns = zip(self.calibrators_, probabilities.T, strict=True)
        return np.column_stack([calibrated(f, column) for f, column in columns])

    def _predict_proba(self, probabilities):
        return normalized(self._predict_each(probabilities))
