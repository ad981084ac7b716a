"""Histogram binning."""

import numpy as np

from calib.base.calibrator import Calibrator
from calib.base.maps import StepMap
from calib.base.options import check_choice, number_of_bins
from calib.kernels.binning import (
    MAX_USEFUL_BINS,
    equal_frequency_starts,
    halfway,
    prefix_sums,
    segment_sums,
    uniform_sums,
)
from calib.kernels.ties import ties


class HistogramBinning(Calibrator):
    r"""Predict the positive fraction of the calibration points in the score's bin.

    .. math:: f(y) = \hat\theta_i = m_i / N_i \quad\text{for } y \in B_i

    Parameters
    ----------
    n_bins : int or "cube_root", default="cube_root"
        Number of bins B. ``"cube_root"`` takes round(N^(1/3)), the rate at which the error of the
        bins and their width balance. Fewer result where ties leave bins empty.
    strategy : {"quantile", "uniform"}, default="quantile"
        ``"quantile"``: bins of equal size. A tie is never split but goes where its middle rank
        falls, and cuts lie halfway between neighbouring scores. ``"uniform"``: bins of equal width
        on [0, 1]. Scores must then be probabilities. An empty bin predicts the base rate m/N.

    Attributes
    ----------
    cuts_ : ndarray of shape (B - 1,)
        Increasing cuts between the bins. A score on a cut belongs to the right.
    counts_, positives_ : ndarray of shape (B,)
        N_i and m_i (sums of weights, if there are weights).
    weighted_ : bool
        Whether a row had another weight than 0 or 1, so that `counts_` count no rows.
    probabilities_ : ndarray of shape (B,)
        The values predicted.
    map_ : StepMap
        The step function as arrays.

    Notes
    -----
    Fit O(N log N) (``"uniform"``: O(N)), predict O(1) expected per score, memory O(N). With one
    class only, every prediction is that class. A bin of one class predicts exactly 0 or 1.

    References
    ----------
    Zadrozny and Elkan (2001). Naeini, Cooper and Hauskrecht (2014), sections 2-3. With probability
    1 - alpha the maximum calibration error on new data from the same distribution is at most
    ``calibkit.theory.mce_bound(fitted, alpha)``, with ties or without, but without weights.

    Examples
    --------
    >>> from calib import HistogramBinning
    >>> calibrator = HistogramBinning(n_bins=2).fit([0.1, 0.2, 0.3, 0.7, 0.8, 0.9],
    ...                                             [0, 0, 1, 0, 1, 1])
    >>> calibrator.cuts_
    array([0.5])
    >>> calibrator.predict([0.0, 0.6]).round(3)
    array([0.333, 0.667])
    """

    def __init__(self, *, n_bins: int | str = "cube_root", strategy: str = "quantile"):
        self.n_bins = n_bins
        self.strategy = strategy

    @property
    def unit_scores(self) -> bool:
        """Whether scores must lie in [0, 1], as for bins of equal width."""
        check_choice(self.strategy, ["quantile", "uniform"], "strategy")
        return self.strategy == "uniform"

    @property
    def _needs_ties_only(self):
        return self.strategy == "quantile"

    def _fit(self, scores, labels, weights):
        self.weighted_ = weights is not None and bool(np.any((weights != 0) & (weights != 1)))
        total = scores.size if weights is None else weights.sum()
        n_bins = number_of_bins(self.n_bins, self.strategy, total)
        if self.strategy == "uniform":
            self.counts_, _, self.positives_ = uniform_sums(scores, labels, weights, n_bins)
            self.cuts_ = np.arange(1, n_bins) / n_bins
        else:
            tied = ties(scores, labels, weights)
            starts, self.cuts_ = quantile_bins(tied, n_bins)
            self.counts_, _, self.positives_ = segment_sums(starts, *tied)
        self._set_map()

    def _set_map(self):
        """Set the probabilities and the map, given `cuts_`, `counts_` and `positives_`."""
        base_rate = self.positives_.sum() / self.counts_.sum()
        with np.errstate(invalid="ignore"):
            frequency = self.positives_ / self.counts_
        self.probabilities_ = np.where(self.counts_ > 0, frequency, base_rate)
        self.map_ = StepMap(self.cuts_, self.probabilities_)


def quantile_bins(tied, n_bins):
    """First tie of each equal-frequency bin, and the cuts halfway between neighbouring bins."""
    n_bins = min(n_bins, MAX_USEFUL_BINS)
    starts = equal_frequency_starts(prefix_sums(tied.weights), n_bins)
    first_ties = starts[1:-1]  # the lowest bin needs no cut before it
    cuts = np.empty(first_ties.size)
    return starts, halfway(tied.scores[first_ties - 1], tied.scores[first_ties], cuts)
