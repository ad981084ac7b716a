"""Calibrators of all classes that are made of binary ones."""

import warnings
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from calib.base.calibrator import OneClassWarning
from calib.base.failures import warn
from calib.base.options import check_choice, check_integer, check_positive
from calib.base.protocol import calibrated, check_is_calibrator, fitted, normalized_rows
from calib.methods.histogram_binning import HistogramBinning
from calib.methods.platt import PlattScaling
from calib.methods.venn_abers import MERGES, VennAbers
from calibkit.multiclass.base import MulticlassCalibrator, fitted_quietly
from calibkit.theory.bounds import bin_bounds


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
        If a class has no row. Its calibrator then has only rows of other classes.

    Notes
    -----
    Each :math:`f_k` has the properties of its method: with `HistogramBinning` a bound of the
    calibration error, with `VennAbers` a valid pair of probabilities, by
    ``calibrators_[k].predict_interval(probabilities[:, k])``. They hold for one class at a time,
    and for `predict_each`. The sum of a row is 1 on average, over the population that the
    calibrators describe, but not in each row; dividing by it may destroy the calibration of every
    class. Where all :math:`f_k` are 0, as isotonic regression may give, all classes are equally
    likely. Another class than before may have the largest probability.

    k times the cost of the binary calibrator.

    References
    ----------
    Zadrozny and Elkan (2002). `CalibratedClassifier` does the same to the scores of a classifier.

    Examples
    --------
    >>> from calib import HistogramBinning
    >>> from calibkit.multiclass import OneVsRestCalibrator
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
            :math:`f_k(p_k)`, in [0, 1]. Rows need not sum to 1.
        """
        return self._predict_each(self._check_rows(probabilities))

    def _calibrator(self):
        return PlattScaling(scale="logit") if self.calibrator is None else self.calibrator

    def _fit(self, probabilities, labels, weights):
        binary = self._calibrator()
        check_is_calibrator(binary, weighted=weights is not None)
        absent = np.setdiff1d(self.classes_, labels)
        if 0 < absent.size < self.classes_.size - 1:  # `fit` has warned of a single class
            warn(
                f"labels holds no row of class {absent[0]}: its probability will be as good as 0, "
                "or as small as the calibrator dares; collect calibration data of all classes",
                OneClassWarning,
            )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", OneClassWarning)  # the warning above has said so
            self.calibrators_ = [
                fitted(binary, column, labels == k, weights)
                for k, column in enumerate(probabilities.T)
            ]

    def _predict_each(self, probabilities):
        columns = zip(self.calibrators_, probabilities.T, strict=True)
        return np.column_stack([calibrated(f, column) for f, column in columns])

    def _predict_proba(self, probabilities):
        return normalized_rows(self._predict_each(probabilities))


class TopLabelBinning(MulticlassCalibrator):
    r"""Histogram binning of the largest probability, apart for each predicted class.

    .. math::

        P(z = c \mid c, p_c) = \frac{m_{ci}}{N_{ci}},
        \quad c = \arg\max_k p_k

    There are :math:`N_{ci}` calibration rows with the top label c whose :math:`p_c` falls into the
    same bin i; :math:`m_{ci}` of them have this label.

    Parameters
    ----------
    bin_size : int, default=50
        Rows for each bin: N rows with the same top label make N / `bin_size` bins of equal size,
        rounded down, but at least one. Ties are never split, so bins may be smaller.

    Attributes
    ----------
    binnings_ : list of HistogramBinning
        One for each top label: its bins and their ``probabilities_``. For a class that is the top
        label of no row there is a single bin, of all rows: how often top labels are right.
    top_counts_ : ndarray of shape (k,)
        Rows (or their weight) with each top label.

    Notes
    -----
    The first class of equal largest probabilities is the top label.

    `bounds` holds for the result of `predict_top_label`, and for no other probability.
    `predict_proba` has the same probability for the top label and divides the rest among the other
    classes in the given proportions, equally if all of them are 0. That is a convention, not
    calibrated, and its log loss may be infinite. Where the top label is often wrong, another class
    may get more.

    Fit O(N (k + log N)), predict O(k) per row.

    References
    ----------
    Gupta and Ramdas (2022), whose theorem needs scores without ties, or broken at random, and the
    same number of rows in each bin; the one behind `bounds` needs neither.

    Examples
    --------
    >>> from calibkit.multiclass import TopLabelBinning
    >>> probabilities = [[0.7, 0.2, 0.1], [0.6, 0.1, 0.3], [0.9, 0.1, 0.0], [0.1, 0.8, 0.1]]
    >>> calibrator = TopLabelBinning(bin_size=3).fit(probabilities, [0, 2, 0, 1])
    >>> calibrator.predict_top_label([[0.5, 0.4, 0.1], [0.2, 0.6, 0.2]])
    (array([0, 1]), array([0.66666667, 1.        ]))
    """

    def __init__(self, *, bin_size: int = 50):
        self.bin_size = bin_size

    def predict_top_label(
        self, probabilities: ArrayLike
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """The predicted class, and the probability that it is right.

        Parameters
        ----------
        probabilities : array-like of shape (n, k)
            As in `predict_proba`.

        Returns
        -------
        labels : ndarray of shape (n,)
            Class of the largest probability. If several are equal, the first of them.
        calibrated : ndarray of shape (n,)
            In [0, 1].
        """
        return self._predict_top_label(self._check_rows(probabilities))

    def bounds(self, alpha: float) -> list[NDArray[np.float64]]:
        r"""With probability 1 - alpha no calibrated probability is off by more, in any class.

        .. math:: \bigl\lvert P(z = c \mid c, i) - m_{ci} / N_{ci} \bigr\rvert

        Parameters
        ----------
        alpha : float
            Probability of failure, in (0, 1).

        Returns
        -------
        bounds : list of ndarray
            For each class one number per bin of ``binnings_``. A bound is at most 1, which says
            nothing, as for the top labels that no row has.

        Raises
        ------
        ValueError
            If `alpha` is out of range, or there were weights that are no whole numbers.

        Notes
        -----
        `calibkit.theory.bin_bounds` for each class, with a fraction of alpha in proportion to its
        bins. The bounds hold for independent rows with the same distribution, whatever it is, with
        ties and rare classes, although the same rows cut the bins and fill them.
        """
        check_positive(alpha, "alpha", below=1)
        check_is_fitted(self)
        n_bins = self._numbers_of_bins
        share = alpha / n_bins[self.top_counts_ > 0].sum()
        return [
            bin_bounds(binning.counts_, int(n) * share, n_bins=int(n)) if count > 0 else np.ones(1)
            for binning, n, count in zip(self.binnings_, n_bins, self.top_counts_, strict=True)
        ]

    def _fit(self, probabilities, labels, weights):
        check_integer(self.bin_size, "bin_size")
        top = probabilities.argmax(axis=1)
        confidence = probabilities.max(axis=1)
        right = labels == top
        self.top_counts_ = np.bincount(top, weights, self.classes_.size)
        bin_size = min(self.bin_size, self.top_counts_.max().item())  # larger sizes mean the same
        self._numbers_of_bins = np.maximum(self.top_counts_ // bin_size, 1)
        self.binnings_ = []
        for k, n_bins in enumerate(self._numbers_of_bins):
            rows = top == k if self.top_counts_[k] > 0 else slice(None)
            binning = HistogramBinning(n_bins=int(n_bins))
            row_weights = None if weights is None else weights[rows]
            # a top label that is always right is usual: no warning
            fitted_quietly(binning, confidence[rows], right[rows], row_weights)
            self.binnings_.append(binning)

    def _predict_top_label(self, probabilities):
        top = probabilities.argmax(axis=1)
        confidence = probabilities.max(axis=1)
        calibrated = np.empty(top.size)
        for k in np.unique(top):
            calibrated[top == k] = self.binnings_[k].predict(confidence[top == k])
        return top, calibrated

    def _predict_proba(self, probabilities):
        top, calibrated = self._predict_top_label(probabilities)
        rows = np.arange(top.size)
        others = probabilities.copy()
        others[rows, top] = 0
        alone = ~others.any(axis=1)
        others[alone] = 1
        others[alone, top[alone]] = 0
        shares = normalized_rows(others) * (1 - calibrated)[:, np.newaxis]
        shares[rows, top] = calibrated
        return shares


class PairwiseVennAbers(MulticlassCalibrator):
    r"""A Venn-Abers predictor for each pair of classes, coupled.

    .. math::

        \begin{aligned}
        P(z = k \mid p) &\propto
        \Bigl( \sum_{j \ne k} \frac{1}{r_{kj}} - (K - 2) \Bigr)^{-1}, \\
        r_{kj} &= f_{kj}(p_k / p_j)
        \end{aligned}

    :math:`f_{kj}` is the merged probability of `VennAbers`, fitted to the rows of the classes j and
    k alone, so that :math:`r_{kj}` estimates :math:`P(z = k \mid z \in \{j, k\})`.

    Parameters
    ----------
    loss : {"log", "brier"}, default="log"
        Loss for which each pair of probabilities is merged to one, as in `VennAbers`.

    Attributes
    ----------
    calibrators_ : dict
        ``calibrators_[j, k]`` for classes j < k is the predictor of k rather than j. It is absent
        if neither class has a row. Both are then equally likely. The pair [0, 1] also makes both
        equally likely.

    Raises
    ------
    ValueError
        If `loss` is neither of the two (when `fit` is called).

    Notes
    -----
    Where :math:`p_j = p_k = 0`, their ratio counts as 1.

    If the :math:`r_{kj}` belong to one distribution on the classes, the formula returns it.
    Otherwise they contradict each other, and the formula is a compromise, divided by its sum. Each
    single pair is valid: among ``calibrators_[j, k].predict_interval``, the probability that
    belongs to the true label is perfectly calibrated *among the objects of the two classes*.
    Neither the merged nor the coupled probabilities have this property. For pairs that are valid
    for all objects, and one class at a time, use ``OneVsRestCalibrator(VennAbers())``.

    The probabilities are in (0, 1), so the log loss is finite. With two classes this is `VennAbers`
    on :math:`p_1`, where rows sum to 1.

    Fit O(K N log N), predict O(K**2) per row, memory O(K N).

    References
    ----------
    Manokhin (2017), with the coupling of Price, Knerr, Personnaz and Dreyfus (1995). The package
    venn-abers computes the same probabilities, except where its scores :math:`p_k / (p_j + p_k)`
    round to 1.

    Examples
    --------
    >>> from calibkit.multiclass import PairwiseVennAbers
    >>> probabilities = [[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.1, 0.8], [0.7, 0.2, 0.1]]
    >>> calibrator = PairwiseVennAbers().fit(probabilities, [0, 1, 2, 1])
    >>> calibrator.predict_proba([[0.6, 0.3, 0.1]]).round(3)
    array([[0.25, 0.5 , 0.25]])
    """

    def __init__(self, *, loss: str = "log"):
        self.loss = loss

    def _fit(self, probabilities, labels, weights):
        check_choice(self.loss, MERGES, "loss")
        members = [np.flatnonzero(labels == k) for k in self.classes_]
        self.calibrators_ = {}
        for j, k in combinations(range(self.classes_.size), 2):
            rows = np.concatenate([members[j], members[k]])
            if rows.size:
                row_weights = None if weights is None else weights[rows]
                ratios = log_ratios(probabilities[rows], j, k)
                # the interval of a pair is wide if a class is absent: no warning
                self.calibrators_[j, k] = fitted_quietly(
                    VennAbers(loss=self.loss), ratios, labels[rows] == k, row_weights
                )

    def _predict_proba(self, probabilities):
        n, n_classes = probabilities.shape
        totals = np.zeros((n, n_classes))
        with np.errstate(divide="ignore"):  # with enormous weights a probability may round to 0
            for j, k in combinations(range(n_classes), 2):
                second = np.full(n, 0.5)
                if (j, k) in self.calibrators_:
                    ratios = log_ratios(probabilities, j, k)
                    second = self.calibrators_[j, k].predict(ratios)
                totals[:, j] += 1 / (1 - second)
                totals[:, k] += 1 / second
        return normalized_rows(1 / (totals - (n_classes - 2)))


def log_ratios(probabilities: NDArray[np.float64], j: int, k: int) -> NDArray[np.float64]:
    """Logarithms of p_k / p_j, finite, and 0 where both are 0.

    Unlike p_k / (p_j + p_k), they tell apart classes that are nearly certain.
    """
    first = probabilities[:, j]
    second = probabilities[:, k]
    with np.errstate(divide="ignore", invalid="ignore"):  # the other ratio would overflow
        logarithms = np.log(np.minimum(first, second) / np.maximum(first, second))
    return np.nan_to_num(np.where(first < second, -logarithms, logarithms))
