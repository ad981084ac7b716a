"""Calibrators that are fitted where the rows are; what they have learned is that of `calib`."""

from typing import Self

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from calib.binning import histogram
from calib.contract.calibrator import OneClassWarning, refuse_groups
from calib.contract.options import number_of_bins
from calib.contract.validation import log_odds, restored_on_failure, warn
from calib.dask.metrics import brier_score_loss
from calib.dask.reductions import equal_frequency_bins, isotonic_blocks, uniform_bins
from calib.dask.rows import Column, Sample
from calib.isotonic import regression
from calib.kernels.logistic import derivatives, newton
from calib.logistic import platt
from calib.logistic.fitting import Fit, radius_about
from calib.maps.forms import LinearMap


class DaskCalibrator:
    """What the calibrators of `calib.dask` do in another way than those of `calib`.

    Mixed into a `calib.Calibrator`; a subclass implements ``_fit_sample(sample)``.
    """

    def fit(
        self,
        scores: Column,
        labels: Column,
        *,
        sample_weight: Column | None = None,
        groups: None = None,
    ) -> Self:
        """Learn from scores and labels, partition by partition.

        Parameters
        ----------
        scores : dask array of shape (n,) or dask series
            Scores of the calibration sample: finite real numbers. Partitions may be empty.
        labels : dask array of shape (n,) or dask series
            Classes, 0/1 or bool, in partitions like those of `scores`.
        sample_weight : dask array of shape (n,) or dask series, optional
            Non-negative weights; they are counts.
        groups : None
            Refused: no calibrator here takes groups.

        Returns
        -------
        self : DaskCalibrator

        Raises
        ------
        ValueError
            As in `calib.Calibrator`; the message names the partition and the row in it. The
            calibrator is then left as it was.

        Warns
        -----
        OneClassWarning
            If all labels are equal.
        UserWarning
            If weights sum to one.
        """
        refuse_groups(groups, self)
        with restored_on_failure(self):
            self.classes_ = np.array([0, 1])
            sample = Sample(scores, labels, sample_weight, unit=self.unit_scores, counts=True)
            if len(sample.survey.classes) == 1:
                warn(
                    f"labels holds one class only ({sample.survey.classes[0]}): "
                    f"{type(self).__name__} has nothing to tell the classes apart; collect "
                    "calibration data of both classes",
                    OneClassWarning,
                )
            self._fit_sample(sample)
        return self

    def predict(
        self, scores: Column | ArrayLike, *, groups: None = None
    ) -> Column | NDArray[np.float64]:
        """Calibrated probabilities of class 1, each partition when it is asked for.

        Parameters
        ----------
        scores : dask array of shape (n,), dask series or array-like of shape (n,)
            Finite scores.
        groups : None
            Refused.

        Returns
        -------
        probabilities : dask array or dask series, or ndarray
            What was given: an array, a series with the same index, or, for data in memory, what
            the calibrator of `calib` returns. O(1) expected per score.
        """
        refuse_groups(groups, self)
        return self._blockwise(super().predict, scores)

    def predict_logit(
        self, scores: Column | ArrayLike, *, groups: None = None
    ) -> Column | NDArray[np.float64]:
        """Log-odds of the calibrated probabilities, as lazily as `predict`."""
        refuse_groups(groups, self)
        return self._blockwise(super().predict_logit, scores)

    def predict_proba(
        self, scores: Column | ArrayLike, *, groups: None = None
    ) -> da.Array | NDArray[np.float64]:
        """Probabilities of both classes, of shape (n, 2): a dask array for dask collections."""
        if not isinstance(scores, Column):
            return super().predict_proba(scores, groups=groups)
        probabilities = self.predict(scores, groups=groups)
        if isinstance(probabilities, dd.Series):
            probabilities = probabilities.to_dask_array()
        # two columns of one array: the sizes of its chunks agree, known or not
        return da.stack([1 - probabilities, probabilities], axis=1, allow_unknown_chunksizes=True)

    def score(
        self,
        scores: Column | ArrayLike,
        labels: Column | ArrayLike,
        *,
        sample_weight: Column | ArrayLike | None = None,
        groups: None = None,
    ) -> float:
        """Minus the Brier score of `predict`, in [-1, 0]: one pass over the rows."""
        if not isinstance(scores, Column):
            return super().score(scores, labels, sample_weight=sample_weight, groups=groups)
        probabilities = self.predict(scores, groups=groups)
        return -brier_score_loss(labels, probabilities, sample_weight=sample_weight)

    @staticmethod
    def _blockwise(method, scores):
        if isinstance(scores, dd.Series):
            return scores.map_partitions(_series, method, meta=(scores.name, np.float64))
        if isinstance(scores, da.Array):
            return scores.map_blocks(method, dtype=np.float64, meta=np.empty(0))
        return method(scores)


def _series(scores, method):
    return pd.Series(method(scores), index=scores.index, name=scores.name, dtype=np.float64)


class HistogramBinning(DaskCalibrator, histogram.HistogramBinning):
    """`calib.HistogramBinning` on Dask: the same bins and values, and the same attributes.

    Parameters
    ----------
    n_bins : int or "cube_root", default="cube_root"
    strategy : {"quantile", "uniform"}, default="quantile"

    Notes
    -----
    ``"quantile"``: three passes, in the last of which the scores are ordered. ``"uniform"``: two
    passes, and n_bins numbers from each partition. Cuts, counts and predictions are equal to those
    in memory if weights are whole numbers; other weights are summed in another order, and a tie
    whose middle rank is that of a cut to the last digit may then fall on its other side.

    Examples
    --------
    >>> import dask.array as da
    >>> from calib.dask import HistogramBinning
    >>> scores = da.from_array([0.1, 0.2, 0.3, 0.7, 0.8, 0.9], chunks=4)
    >>> labels = da.from_array([0, 0, 1, 0, 1, 1], chunks=4)
    >>> HistogramBinning(n_bins=2).fit(scores, labels).cuts_
    array([0.5])
    """

    def _fit_sample(self, sample):
        self.weighted_ = sample.weighted
        n_bins = number_of_bins(self.n_bins, self.strategy, sample.survey.total)
        if self.strategy == "uniform":
            self.counts_, _, self.positives_ = uniform_bins(sample, n_bins)
            self.cuts_ = np.arange(1, n_bins) / n_bins
        else:
            bins, _ = equal_frequency_bins(sample, n_bins)
            self.counts_, self.positives_ = bins.counts, bins.positives
            self.cuts_ = histogram.halfway(bins.last[:-1], bins.first[1:])
        self._set_map()


class IsotonicCalibrator(DaskCalibrator, regression.IsotonicCalibrator):
    """`calib.IsotonicCalibrator` on Dask: the same blocks and map, and the same attributes.

    Parameters
    ----------
    centred : bool, default=False
    smoothing : float, default=0.0

    Notes
    -----
    Two passes, in the second of which the scores are ordered; the blocks of each range then go to
    the client, of n rows usually some n^(1/3), at most as many as there are distinct scores. They
    are equal to those in memory if weights are whole numbers and sum to less than 9e7, so that
    products of two sums are exact; beyond, neighbours whose means agree to the last digits may be
    one block here and two there. Centres are means of means, rounded in another order.

    Examples
    --------
    >>> import dask.array as da
    >>> from calib.dask import IsotonicCalibrator
    >>> scores = da.from_array([0.1, 0.2, 0.3, 0.4], chunks=2)
    >>> calibrator = IsotonicCalibrator().fit(scores, da.from_array([0, 1, 0, 1], chunks=2))
    >>> calibrator.predict([0.1, 0.25, 0.35, 0.9])
    array([0.  , 0.5 , 0.75, 1.  ])
    """

    def _fit_sample(self, sample):
        self._check_parameters()
        blocks = isotonic_blocks(sample, self.smoothing)
        self.counts_, self.positives_ = blocks.counts, blocks.positives
        values = self._values()
        if self.centred:
            self.map_ = LinearMap(blocks.centres, values)
        else:
            ends = np.column_stack([blocks.first, blocks.last]).ravel()
            self.map_ = LinearMap.of_blocks(ends, np.arange(0, ends.size, 2), values)


class PlattScaling(DaskCalibrator, platt.PlattScaling):
    """`calib.PlattScaling` on Dask: the same sigmoid, and the same attributes.

    Notes
    -----
    A survey and one pass for each evaluation of Newton's method, some ten to fifteen passes in all:
    let the cluster hold the rows (``persist()``) if it can. A partition returns eight numbers, sums
    over its rows. They are rounded in another order than in memory, so slope and intercept agree as
    far as Newton's method determines them: in the tests the log-odds agree to 1e-9.

    Examples
    --------
    >>> import dask.array as da
    >>> from calib.dask import PlattScaling
    >>> scores = da.from_array([-2.0, -1.0, 1.0, 2.0], chunks=2)
    >>> calibrator = PlattScaling().fit(scores, da.from_array([0, 0, 1, 1], chunks=2))
    >>> calibrator.predict([-1.5, 0.0, 1.5]).round(3)
    array([0.267, 0.5  , 0.733])
    """

    def _fit_sample(self, sample):
        survey = sample.survey
        lowest, centre, highest = (
            self._values(np.array([survey.lowest, survey.median, survey.highest])) / 2
        )
        radius = radius_about(centre, lowest, highest)
        misses, start = platt.targets(*survey.weights)

        def derivatives_at(*place):
            sums = sample.total(_derivatives, self.unit_scores, centre, radius, misses, place)
            return sums[0], sums[1:3], sums[3:].reshape(2, 2)

        self._set_map(centre, radius, Fit(*newton(derivatives_at, start)))


def _derivatives(rows, of_logits, centre, radius, misses, place):
    """Sums over the rows of a partition, as one array."""
    values = log_odds(rows.scores) if of_logits else rows.scores
    columns = ((values / 2 - centre) / radius)[np.newaxis]
    weights = np.ones(rows.labels.size) if rows.weights is None else rows.weights
    loss, gradient, hessian = derivatives(columns, rows.labels, weights, misses, *place)
    return np.array([loss, *gradient, *hessian.ravel()])
