"""Bayesian averages over binnings: BBQ and ABB."""

import math

import numpy as np
from scipy.special import softmax

from calib.base.arrays import check_countable
from calib.base.calibrator import Calibrator
from calib.base.maps import StepMap
from calib.base.options import check_flag, check_integer, check_positive
from calib.kernels.binning import halfway, prefix_sums
from calib.kernels.ties import ties
from calib.methods import bayesian_binning_kernels as kernels

SIZE_FACTOR = 10  # C: sizes from N^(1/3) / C to C N^(1/3)


class BBQ(Calibrator):
    r"""Bayesian binning into quantiles, an average of equal-frequency histograms of many sizes.

    .. math::

        f(y) &= \sum_B w_B \, \hat\theta_B(y), \\
        \hat\theta_B(y) &= \frac{m_i + a_i}{N_i + 2} \quad\text{for } y \in B_i, \\
        w_B &\propto \prod_{i=1}^{B} \frac{E(m_i, n_i; a_i, b_i)}{\Gamma(N_i + 2)}, \\
        E(m, n; a, b) &= \frac{\Gamma(m + a)}{\Gamma(a)} \, \frac{\Gamma(n + b)}{\Gamma(b)}, \\
        a_i &= 2 p_i, \quad b_i = 2 (1 - p_i).

    The weight :math:`w_B` is the probability of the labels given the binning, where bin i with
    :math:`m_i` positives and :math:`n_i` negatives has its own frequency with the prior Beta(a_i,
    b_i). The prior counts as two observations, and its mean is the midpoint :math:`p_i` of the bin,
    kept within [0.005, 0.995]. Without labels a bin predicts about its own score.

    Parameters
    ----------
    averaging : bool, default=True
        Whether to average all models. If False, take the model of the highest score alone (of
        equal ones the smallest).

    Attributes
    ----------
    n_bins_ : ndarray of shape (T,)
        The sizes B: max(1, floor(N^(1/3) / 10)), ..., min(ceil(N / 5), ceil(10 N^(1/3))). Ties
        may leave a model fewer bins.
    log_scores_ : ndarray of shape (T,)
        Log probability of the labels given each binning.
    weights_ : ndarray of shape (T,)
        Posterior probabilities of the models. Every size B has the same prior probability.
    map_ : StepMap
        The average of step functions is a step function, here as arrays.

    Raises
    ------
    ValueError
        If a score is outside [0, 1], `averaging` is not a bool, or the weights add up to more
        than 1e12.

    Notes
    -----
    The bins are the same as in `HistogramBinning`. A tie is never split but goes where its middle
    rank falls, and cuts lie halfway between neighbouring scores. The first bin starts at 0 and the
    last ends at 1. Here p_i is the midpoint of a bin in this sense. N is the total weight.

    * The prior is uniform over the sizes, as in the authors' code, and not over binnings. With few
      distinct scores many sizes give the same binning, mostly the finest, which has all their
      shares: with 10 distinct scores, 100 times each, 91 of 100.
    * With one class only, predictions are near that class, never 0 or 1. At scores far from that
      class they are less certain.
    * All scores equal: one bin [0, 1], so (m + 1) / (N + 2); with one observation 1/3 or 2/3.

    Sorting takes O(N log N), the O(N^(1/3)) models O(N^(2/3) log N) altogether, since a model of B
    bins needs 2B prefix sums; prediction O(1) expected per score, memory O(N).

    References
    ----------
    Naeini, Cooper and Hauskrecht (2015), "Obtaining well calibrated probabilities using Bayesian
    binning", of which a public summary and the authors' code were at hand. Heckerman, Geiger and
    Chickering (1995) for the score.

    Examples
    --------
    >>> from calib.methods.bayesian_binning import BBQ
    >>> calibrator = BBQ().fit([0.1, 0.2, 0.3, 0.7, 0.8, 0.9], [0, 0, 0, 1, 1, 1])
    >>> calibrator.n_bins_
    array([1, 2])
    >>> calibrator.weights_.round(2)
    array([0.02, 0.98])
    >>> calibrator.predict([0.0, 0.6]).round(3)
    array([0.109, 0.891])
    """

    unit_scores = True
    _needs_ties_only = True

    def __init__(self, *, averaging: bool = True):
        self.averaging = averaging

    def _fit(self, scores, labels, weights):
        check_flag(self.averaging, "averaging")
        sums = sum_ties(ties(scores, labels, weights))
        # the models are binnings of many sizes, each with its posterior probability
        self.n_bins_ = model_sizes(sums.weights[-1])
        bins = kernels.bins_of_binnings(sums, self.n_bins_)
        self.log_scores_ = kernels.binning_log_scores(bins)
        self.weights_ = softmax(self.log_scores_)
        # the average of their posterior means, or the means of the best model alone
        model_weights = self.weights_
        if not self.averaging:
            model_weights = np.zeros(self.weights_.size)
            model_weights[np.argmax(self.log_scores_)] = 1.0
        values = kernels.binning_average(bins, sums.edges.size - 1, model_weights)
        np.clip(values, 0.0, 1.0, out=values)  # rounding
        # a step function that is cut where the average changes
        first_ties = np.flatnonzero(values[1:] != values[:-1]) + 1
        self.map_ = StepMap(sums.edges[first_ties], values[np.r_[0, first_ties]])


class ABB(Calibrator):
    r"""Bayesian averaging over binnings, the average of all histograms there are.

    .. math::

        f(y) &= \sum_M P(M \mid z) \, \hat\theta_M(y), \\
        P(M \mid z) &\propto P(M) \prod_{i \in M} \frac{E(m_i, n_i; a_i, b_i)}{\Gamma(N_i + 2)}, \\
        P(M) &= \prod_{k \text{ cut}} (1 - e^{-\lambda g_k}) \\
        &\quad \times \prod_{k \text{ not cut}} e^{-\lambda g_k}, \\
        g_k &= \frac{u_{k+1} - u_k}{u_K - u_1},

    M runs over all :math:`2^{K-1}` ways to cut between neighbours of the K distinct scores
    :math:`u_1 < \dots < u_K`. The factor E, the frequencies, their Beta priors and the posterior
    means :math:`\hat\theta_M` are the same as in `BBQ`.

    Parameters
    ----------
    strength : float, default=1.0
        The lambda of the prior, positive. If cuts were a Poisson process on the range of the
        scores, this would be its mean number of cuts. Pieces without a cut have the same
        distribution there.
    max_distinct : int, default=20000
        Largest K accepted, since time grows with its square.

    Attributes
    ----------
    cut_probabilities_ : ndarray of shape (K - 1,)
        Posterior probability that the binning has the cut ``map_.scores[k]``. One plus their sum
        is the expected number of bins.
    log_evidence_ : float
        Log probability of the labels, over all binnings. Use it to compare strengths.
    map_ : StepMap
        The step function as arrays, with the value of each distinct score and cuts halfway between
        them.

    Raises
    ------
    ValueError
        If a score is outside [0, 1], a parameter is out of range, there are more than
        `max_distinct` distinct scores, or the weights add up to more than 1e12.

    Notes
    -----
    Every binning cuts halfway between neighbouring scores, so that it is a step function on the
    whole of [0, 1], and the average of all of them is one as well. Between scores nothing needs to
    be interpolated.

    The sum over binnings factorises at every cut. A forward pass adds up the binnings of the first
    k scores by their last bin. A backward pass shares the total out over the bins. Time O(K^2)
    after sorting, memory O(N), prediction O(1) expected per score.

    * With one class only, predictions are near that class, never 0 or 1.
    * All scores equal: (m + 1) / (N + 2); with one observation 1/3 or 2/3.

    References
    ----------
    Naeini, Cooper and Hauskrecht (2015), "Binary classifier calibration using a Bayesian
    non-parametric approach", whose full text was not at hand: the prior of the cuts is, as far as
    we know, theirs. The forward and backward sums are those of hidden semi-Markov models.

    Examples
    --------
    >>> from calib.methods.bayesian_binning import ABB
    >>> calibrator = ABB().fit([0.1, 0.2, 0.3, 0.7, 0.8, 0.9], [0, 0, 0, 1, 1, 1])
    >>> calibrator.cut_probabilities_.round(2)
    array([0.11, 0.13, 0.91, 0.13, 0.11])
    >>> calibrator.predict([0.0, 0.6]).round(3)
    array([0.104, 0.843])
    """

    unit_scores = True
    _needs_ties_only = True

    def __init__(self, *, strength: float = 1.0, max_distinct: int = 20000):
        self.strength = strength
        self.max_distinct = max_distinct

    def _fit(self, scores, labels, weights):
        check_positive(self.strength, "strength")
        check_integer(self.max_distinct, "max_distinct")
        tied = ties(scores, labels, weights)
        if tied.scores.size > self.max_distinct:
            raise ValueError(
                f"scores has {tied.scores.size} distinct values but max_distinct is "
                f"{self.max_distinct}, because time grows with their square: round the scores, "
                "for example with np.round(scores, 3), use BBQ, or raise max_distinct"
            )
        width = tied.scores[-1] - tied.scores[0]
        positions = (tied.scores - tied.scores[0]) / (width if width > 0 else 1.0)
        sums = sum_ties(tied)
        values, self.cut_probabilities_, self.log_evidence_ = kernels.average_over_all_binnings(
            sums, positions, float(self.strength)
        )
        self.map_ = StepMap(sums.edges[1:-1], np.clip(values, 0.0, 1.0))


def sum_ties(tied):
    """Prefix sums of ties on [0, 1], and the edges halfway between neighbouring scores, in O(n)."""
    scores, weights, positives = tied
    del tied  # each column is freed once it is summed: four columns of n numbers at once, not six
    edges = np.empty(scores.size + 1)
    edges[0], edges[-1] = 0.0, 1.0
    halfway(scores[:-1], scores[1:], edges[1:-1])
    del scores
    weights = prefix_sums(weights)
    positives = prefix_sums(positives)
    check_countable(weights[-1], 1e12)  # log Gamma leaves few digits to differences
    return kernels.TieSums(edges=edges, weights=weights, positives=positives)


def model_sizes(n):
    """Sizes of the models of BBQ for a total weight `n`."""
    root = math.cbrt(n)
    smallest = max(1, math.floor(root / SIZE_FACTOR))
    largest = max(smallest, min(math.ceil(n / 5), math.ceil(SIZE_FACTOR * root)))
    return np.arange(smallest, largest + 1)
