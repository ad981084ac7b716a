"""The probability that the predicted class is right, with a guarantee."""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from calib.binning.histogram import HistogramBinning
from calib.contract.options import check_integer, check_positive
from calib.contract.protocol import normalized
from calib.multiclass.base import MulticlassCalibrator, fitted_quietly
from calib.theory.bounds import bin_bounds


class TopLabelBinning(MulticlassCalibrator):
    r"""Histogram binning of the largest probability, apart for each predicted class.

    .. math::

        P(z = c \mid c, p_c) = \frac{m_{ci}}{N_{ci}},
        \quad c = \arg\max_k p_k

    Of the :math:`N_{ci}` calibration rows with the top label c whose :math:`p_c` falls into the
    same bin i, :math:`m_{ci}` have this label.

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
    Of equal largest probabilities the first class is the top label.

    `bounds` holds for what `predict_top_label` returns, and for nothing else. `predict_proba` has
    the same probability for the top label and shares what is left among the others in the given
    proportions, equally if all of them are 0. That is a convention, not calibrated, and its log
    loss may be infinite. Where the top label is often wrong, another class may get more.

    Fit O(N (k + log N)), predict O(k) per row.

    References
    ----------
    Gupta and Ramdas (2022), whose theorem needs scores without ties, or broken at random, and the
    same number of rows in each bin; the one behind `bounds` needs neither.

    Examples
    --------
    >>> from calib.multiclass import TopLabelBinning
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
            Class of the largest probability; of equal ones, the first.
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
            For each class one number per bin of ``binnings_``, at most 1, where it says nothing:
            so for the top labels that no row has.

        Raises
        ------
        ValueError
            If `alpha` is out of range, or there were weights that are no whole numbers.

        Notes
        -----
        `calib.theory.bin_bounds` for each class, with a share of alpha in proportion to its bins.
        For independent rows with the same distribution, whatever it is, with ties and rare classes;
        the same rows cut the bins and fill them.
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
        top, confidence = top_labels(probabilities)
        right = labels == top
        self.top_counts_ = np.bincount(top, weights, self.classes_.size)
        bin_size = min(self.bin_size, self.top_counts_.max().item())  # a larger one is no other
        self._numbers_of_bins = np.maximum(self.top_counts_ // bin_size, 1)
        self.binnings_ = []
        for k, n_bins in enumerate(self._numbers_of_bins):
            rows = top == k if self.top_counts_[k] > 0 else slice(None)
            binning = HistogramBinning(n_bins=int(n_bins))
            of_rows = None if weights is None else weights[rows]
            fitted_quietly(binning, confidence[rows], right[rows], of_rows)  # always right is usual
            self.binnings_.append(binning)

    def _predict_top_label(self, probabilities):
        top, confidence = top_labels(probabilities)
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
        shares = normalized(others) * (1 - calibrated)[:, np.newaxis]
        shares[rows, top] = calibrated
        return shares


def top_labels(probabilities):
    """Class of the largest probability of each row, and that probability."""
    top = probabilities.argmax(axis=1)
    return top, np.take_along_axis(probabilities, top[:, np.newaxis], axis=1)[:, 0]
