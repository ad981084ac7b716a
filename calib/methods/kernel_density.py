"""Calibration by kernel density estimates of the two classes."""

from typing import NamedTuple

import numpy as np

from calib.base.calibrator import Calibrator
from calib.base.options import check_choice, check_flag, check_positive
from calib.kernels.ties import ties
from calib.methods.kernel_sums import KERNELS, kernel_sums

MULTIPLIERS = [2.0 ** (k / 2) for k in (0, 1, -1, 2, -2, 3, -3, 4, -4, -5, -6)]  # 1 wins ties
OUT_OF_REACH = 1e-14  # fraction of the total weight, below which a query gets the base rate
MIN_HALF_RANGE = 1e-290  # score units; fractions of a smaller range are no normal numbers
NO_REMAINDER = 1e-6  # units of K(0); rounding leaves less when an isolated point's term is removed


class ClassSample(NamedTuple):
    """Distinct increasing scores of a class, and their weights."""

    scores: np.ndarray
    weights: np.ndarray


class KernelCalibrator(Calibrator):
    r"""Estimate the density of the scores in either class and apply Bayes' theorem.

    .. math::

        f(y) &= \frac{h_0 S_1(y)}{h_0 S_1(y) + h_1 S_0(y)}, \\
        S_z(y) &= \sum_{j:\, z_j = z} K\!\left(\frac{y - y_j}{h_z}\right)

    With the priors m/N and n/N this is P(z = 1 | y) for the densities :math:`S_1 / (m h_1)` and
    :math:`S_0 / (n h_0)`. With one bandwidth it is the Nadaraya-Watson regression of the labels.

    Parameters
    ----------
    kernel : {"boxcar", "gaussian", "epanechnikov", "tricube"}, default="boxcar"
        K(u), up to a constant that cancels: 1, 1 - u^2 and (1 - \|u\|^3)^3 on \|u\| <= 1, or
        exp(-u^2 / 2). The edge belongs to the support. A point counts if ``abs(y - y_j) <= h``.
    bandwidth : "silverman", "cv", float or (float, float), default="silverman"
        ``"silverman"``: h = 1.06 sigma N^(-1/5), sigma the unbiased standard deviation (of all
        scores, or of the class if not `shared`; a class without spread takes the deviation of all
        scores). ``"cv"``: the multiple of it, among 2^(-3), 2^(-5/2), ..., 2^2, with the highest
        leave-one-out log likelihood of the labels. A float: h itself, or a pair (h_0, h_1) if not
        `shared`.
    shared : bool, default=True
        One bandwidth for both classes, or one per class.

    Attributes
    ----------
    bandwidths_ : tuple of float
        (h_0, h_1). Both are 0 if all scores are equal and no bandwidth was given.
    base_rate_ : float
        m/N.

    Notes
    -----
    * A query out of reach, :math:`S_0 + S_1 < 10^{-14} N`, gets the base rate m/N. For a single
      point and the Gaussian kernel that is beyond 8 bandwidths (N = 1) or 6 (N = 10^6).
    * With bandwidth 0 the tied score gets its frequency of positives, any other the base rate.
    * With one class only every prediction is that class; this includes N = 1.
    * ``"cv"`` leaves out one copy of one row at a time (at most a weight of 1) and answers a row
      out of reach of the others by the base rate of the others. A bandwidth that gives some row
      the probability 0 is infinitely bad. If all are, or all are equally good, Silverman's stays.
    * Fit O(N log N), predict O(N + M log M) for M queries, wherever they lie, memory O(N + M).
      Boxcar, Epanechnikov and tricube are exact up to rounding (probabilities to 1e-10), the
      Gaussian is expanded with an error below 1e-6 in the probability.

    References
    ----------
    Naeini, Cooper and Hauskrecht (2014), section 4. Their equation (5) has additional factors n
    and m, that is, equal priors, against their equation (4); here it is corrected. Silverman
    (1986), equation (3.28), for the rule of thumb.

    Examples
    --------
    >>> from calib import KernelCalibrator
    >>> calibrator = KernelCalibrator(bandwidth=0.25).fit([0.1, 0.2, 0.6, 0.8, 0.9],
    ...                                                   [0, 0, 1, 0, 1])
    >>> calibrator.predict([0.3, 0.75, 5.0]).round(3)
    array([0.   , 0.667, 0.4  ])
    """

    def __init__(
        self,
        *,
        kernel: str = "boxcar",
        bandwidth: str | float | tuple[float, float] = "silverman",
        shared: bool = True,
    ):
        self.kernel = kernel
        self.bandwidth = bandwidth
        self.shared = shared

    def _fit(self, scores, labels, weights):
        check_choice(self.kernel, KERNELS, "kernel")
        check_flag(self.shared, "shared")
        given = self._given_bandwidths()
        pooled = ties(scores, labels, weights)
        self._classes = class_samples(pooled)
        self._weight = pooled.weights.sum()
        self.base_rate_ = float(self._classes[1].weights.sum() / self._weight)
        if given is not None:
            self.bandwidths_ = given
        elif self.bandwidth == "cv":
            self.bandwidths_ = self._cross_validated(pooled)
        else:
            self.bandwidths_ = self._silverman(pooled)

    def _given_bandwidths(self):
        """Check the argument; return the pair of bandwidths, or None if a rule finds it."""
        if isinstance(self.bandwidth, str):
            check_choice(self.bandwidth, ["silverman", "cv"], "bandwidth")
            return None
        if isinstance(self.bandwidth, tuple | list) and len(self.bandwidth) == 2:
            if self.shared:
                raise ValueError(
                    f"bandwidth must be one number if shared=True; found {self.bandwidth!r}: "
                    "pass shared=False for one bandwidth per class"
                )
            pair = self.bandwidth
        else:
            pair = (self.bandwidth, self.bandwidth)
        for value in pair:
            check_positive(value, "bandwidth")
        return float(pair[0]), float(pair[1])

    def _silverman(self, pooled):
        rule = silverman_bandwidth(pooled.scores, pooled.weights)
        if self.shared:
            return rule, rule
        return tuple(
            silverman_bandwidth(sample.scores, sample.weights) or rule for sample in self._classes
        )

    def _cross_validated(self, pooled):
        silverman = self._silverman(pooled)
        best = silverman
        best_likelihood = -np.inf
        for multiplier in MULTIPLIERS:
            bandwidths = tuple(multiplier * h for h in silverman)
            sums = class_sums(self.kernel, self._classes, bandwidths, pooled.scores)
            likelihood = leave_one_out_likelihood(pooled, sums, bandwidths)
            if likelihood > best_likelihood + 1e-9 * self._weight:
                best, best_likelihood = bandwidths, likelihood
        return best

    def _predict(self, scores):
        order = np.argsort(scores)
        sums_0, sums_1 = class_sums(self.kernel, self._classes, self.bandwidths_, scores[order])
        result = np.empty(scores.size)
        least = OUT_OF_REACH * self._weight
        result[order] = posterior(sums_0, sums_1, self.bandwidths_, self.base_rate_, least)
        return result


def class_samples(pooled):
    """Samples of class 0 and of class 1."""
    return [
        ClassSample(scores=pooled.scores[weights > 0], weights=weights[weights > 0])
        for weights in (pooled.weights - pooled.positives, pooled.positives)
    ]


def silverman_bandwidth(scores, weights):
    """1.06 sigma N^(-1/5) of increasing `scores`, or 0 if they have no spread."""
    if scores.size < 2:
        return 0.0
    # in units of half the range: scores of any size neither overflow nor cancel
    radius = scores[-1] / 2 - scores[0] / 2
    if radius < MIN_HALF_RANGE:
        return 0.0
    total = weights.sum()
    n = max(total, 2.0)  # two different scores are two observations at least
    x = (scores / 2 - scores[0] / 2) / radius
    mean = weights @ x / total
    with np.errstate(over="ignore"):
        sigma = 2 * radius * np.sqrt(weights @ (x - mean) ** 2 / (total - total / n))
        return float(min(1.06 * sigma * n**-0.2, np.finfo(np.float64).max))


def class_sums(kernel, classes, bandwidths, queries):
    """S_0 and S_1 at increasing `queries`."""
    return [
        kernel_sums(kernel, sample.scores, sample.weights, bandwidth, queries)
        for sample, bandwidth in zip(classes, bandwidths, strict=True)
    ]


def posterior(sums_0, sums_1, bandwidths, base_rate, least):
    """P(z = 1), or the base rate where the kernel sums are below `least` in total."""
    h0, h1 = bandwidths
    largest = max(h0, h1) or 1.0
    scale_0, scale_1 = (h0 / largest, h1 / largest) if h0 != h1 else (1.0, 1.0)
    positive = scale_0 * sums_1
    total = positive + scale_1 * sums_0
    within_reach = (sums_0 + sums_1 >= least) & (total > 0)
    return np.where(within_reach, positive / np.where(within_reach, total, 1.0), base_rate)


def leave_one_out_likelihood(pooled, sums, bandwidths):
    """Log likelihood of the labels, each predicted from all rows but its own."""
    total = pooled.weights.sum()
    likelihood = 0.0
    for label, class_weights in enumerate([pooled.weights - pooled.positives, pooled.positives]):
        present = class_weights > 0
        weights = class_weights[present]
        removed = np.minimum(weights, 1.0)
        same_class_sums = sums[label][present] - removed
        same_class_sums[same_class_sums < NO_REMAINDER] = 0.0
        other_class_sums = sums[1 - label][present]
        total_left = total - removed
        with np.errstate(invalid="ignore", divide="ignore"):  # no row left, or probability 0
            base_rate = (class_weights.sum() - removed) / total_left
            probabilities = posterior(
                other_class_sums,
                same_class_sums,
                (bandwidths[1 - label], bandwidths[label]),
                base_rate,
                OUT_OF_REACH * total_left,
            )
            likelihood += weights @ np.log(probabilities)
    return likelihood
