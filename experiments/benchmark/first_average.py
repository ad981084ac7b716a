"""The average that the records of the benchmarks name: the likeliest weights.

`calib.StackedCalibrator` has other members and other weights since.
"""

import warnings

import numpy as np

from calib import (
    IdentityCalibrator,
    IsotonicCalibrator,
    QuadraticLogit,
    SplineCalibrator,
    TemperatureScaling,
    VennAbers,
)
from calib.base import protocol
from calib.base.curve_maps import mixed
from calib.methods.out_of_fold import OutOfFoldCalibrator
from calib.methods.path_weights import weights_of_sum_one

OPTIMALITY_GAP = 1e-9  # mean log loss, within which the weights count as the best
MAX_WEIGHT_STEPS = 200  # Newton steps
ROUNDING_GAIN = 1e-12  # change of the mean log likelihood that may be a rounding error
MIN_CAUTIOUS_PRIOR = 1.0  # least prior if a class has fewer observations than folds
KEPT_WEIGHT = 0.99  # weight of the scores that are kept


class LikeliestAverage(OutOfFoldCalibrator):
    """An average of calibrators with the weights that make the held-out labels most likely.

    Parameters
    ----------
    calibrators : sequence of Calibrator, optional
        By default the scores, temperature scaling, a quadratic and a spline of the log-odds,
        isotonic regression, centred and smoothed, and Venn-Abers.
    cv : int, default=5
    prior : float, default=0.1
        Exponent of each weight in a Dirichlet prior. It is at least 1 where a class has fewer
        observations than there are folds.
    cautious : bool, default=False
        Whether the scores keep 0.99 of the weight unless the average predicts held-out labels
        better by more than a standard error.

    Attributes
    ----------
    weights_, losses_, calibrators_
        As in `calib.StackedCalibrator`. The weight of kept scores is the last one.
    loss_ : float
        Mean log loss of the average out of fold; NaN if there is one class only.
    kept_ : bool
        Whether the scores keep most of the weight.
    gap_ : float
        Upper bound of the amount by which other weights could reduce the mean loss and penalty.
    """

    def __init__(self, calibrators=None, *, cv=5, prior=0.1, cautious=False):
        super().__init__(calibrators, cv=cv)
        self.prior = prior
        self.cautious = cautious

    @property
    def unit_scores(self):
        """Whether scores must lie in [0, 1], for a member or because the scores may be kept."""
        return self.cautious or super().unit_scores

    def _default(self):
        return self.default_members()

    @staticmethod
    def default_members():
        """The members if none are given."""
        return [
            IdentityCalibrator(),
            TemperatureScaling(),
            QuadraticLogit(),
            SplineCalibrator(),
            IsotonicCalibrator(centred=True, smoothing=0.5),
            VennAbers(),
        ]

    def _fit(self, scores, labels, weights, groups=None):
        members = self._checked_candidates()
        shares = self._learn_shares(members, scores, labels, weights, groups)
        if self.kept_:
            members.append(IdentityCalibrator())
            shares = weights_of_sum_one(np.append((1 - KEPT_WEIGHT) * shares, KEPT_WEIGHT))
        self.weights_ = shares
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.calibrators_ = [
                protocol.fitted(member, scores, labels, weights, groups) for member in members
            ]

    def _learn_shares(self, members, scores, labels, weights, groups):
        """Weights of the members in their average, and whether the scores are kept."""
        self.kept_ = self.cautious
        self.losses_ = np.full(len(members), np.nan)
        self.loss_ = self.gap_ = np.nan
        fewer, more = self._class_counts(labels, weights, groups)
        if fewer == 0 or more <= 1:
            return weights_of_sum_one(np.ones(len(members)))
        compared = [*members, IdentityCalibrator()] if self.cautious else members
        copies, losses = self._held_out_losses(compared, scores, labels, weights, groups)
        member_losses = losses[:, : len(members)]
        prior = self.prior if fewer >= self.cv else max(self.prior, MIN_CAUTIOUS_PRIOR)
        shares, self.gap_ = likeliest_weights(member_losses, copies, prior)
        self.losses_ = np.average(member_losses, axis=0, weights=copies)
        average_losses = -np.log(np.exp(-member_losses) @ shares)
        self.loss_ = float(np.average(average_losses, weights=copies))
        if self.cautious:
            self.kept_ = not is_significant(losses[:, -1] - average_losses, copies)
        return shares

    def _predict(self, scores, groups=None):
        predictions = (protocol.calibrated(member, scores, groups) for member in self.calibrators_)
        return mixed(self.weights_, predictions)


def likeliest_weights(losses, copies, prior):
    """Find the weights of the likeliest average, and a bound of what its mean log loss lacks.

    Newton's method maximises the log likelihood plus the log prior.

    Parameters
    ----------
    losses : ndarray of shape (n, k)
        Minus the log-likelihood of each row under each member.
    copies : ndarray of shape (n,)
        Weights of the rows.
    prior : float
        Exponent of each weight in the prior.
    """
    shares = np.exp(losses.min(axis=1, keepdims=True) - losses)
    total = copies.sum() + prior * losses.shape[1]

    def value(weights):
        return copies @ np.log(shares @ weights) + prior * np.log(weights).sum()

    weights = np.full(losses.shape[1], 1 / losses.shape[1])
    for _ in range(MAX_WEIGHT_STEPS):
        ratios = shares / (shares @ weights)[:, np.newaxis]
        # subtracting `total` times the sum of the weights makes 1 the best sum
        gradient = copies @ ratios + prior / weights - total
        gap = float(gradient.max() / copies.sum())
        if gap <= OPTIMALITY_GAP:
            break
        curvature = ratios.T @ (copies[:, np.newaxis] * ratios) + np.diag(prior / weights**2)
        step = np.linalg.solve(curvature, gradient)
        least = value(weights) - ROUNDING_GAIN * total
        step /= max(1.0, 2 * np.max(-step / weights))  # no weight loses more than half
        while value(weights_of_sum_one(weights + step)) < least:
            step /= 2
        weights = weights_of_sum_one(weights + step)
    return weights, gap


def is_significant(gains, copies):
    """Whether the mean of the gains is more than its standard error above 0."""
    mean = np.average(gains, weights=copies)
    variance = np.average((gains - mean) ** 2, weights=copies)
    return bool(mean > np.sqrt(variance / copies.sum()))
