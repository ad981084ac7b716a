"""Multicalibration: predictions patched until no group, at no level, shows a bias."""

import math
from typing import NamedTuple

import numpy as np
from scipy.special import expit
from sklearn.utils.validation import validate_data

from calib.base.arrays import check_countable, check_groups, check_size, n_dimensions
from calib.base.calibrator import GroupCalibrator
from calib.base.options import check_choice, check_integer, check_positive
from calib.base.probabilities import log_odds, probabilities_of
from calib.kernels.ties import ties
from calib.methods.histogram_binning import quantile_bins
from calibkit.groups.multicalibration_kernels import cell_sums, most_evident, shift_to_sum, shrunk

MAX_PATCHED_WEIGHT = 1e12  # total weight, beyond which rounding exceeds the evidence asked for
ABOVE_ALL_PREDICTIONS = 2.0  # upper end of the highest level
MAX_PATCHED_LOGIT = float(log_odds(np.array(1.0)))  # log-odds are kept within +- this


class Patch(NamedTuple):
    """A correction of the predictions of one group, where they lie in [low, high).

    Attributes
    ----------
    group : int or None
        Number of the group, or of its column, or None for everyone.
    name : str
        Name of the group, or ``"everyone"``.
    low, high : float
        Range of the predictions *before* the patch. `high` is 2 where there is no upper end.
    shift : float
        The shift of their log-odds, which are then cut off at the log-odds of 2**-53 and 1 -
        2**-53, or, by choice, to the predictions themselves, which are cut off at 0 and 1.
    n_points : float
        Calibration points in the set, or their weight.
    bias : float
        Fraction of positives among them less their mean prediction, before the patch.
    evidence : float
        Lower bound of the fall of the total loss of the calibration points by the patch. It is also
        minus the logarithm of a bound, as in the notes of `Multicalibration`.
    """

    group: int | None
    name: str
    low: float
    high: float
    shift: float
    n_points: float
    bias: float
    evidence: float


class Multicalibration(GroupCalibrator):
    r"""Patch probabilities until no group shows a bias at any level of the prediction.

    Groups may overlap, such as women, people under 30, women under 30. With p the prediction,

    .. math:: E[z - p \mid x \in G,\; p \in I] \approx 0

    is asked for every group G, everyone included, and every run I of neighbouring levels of p. The
    set with the largest evidence against it is patched, again and again:

    .. math:: \operatorname{logit} p \leftarrow \operatorname{logit} p + c

    on the set, until no evidence is left that chance does not explain.

    Parameters
    ----------
    scale : {"logit", "score"}, default="logit"
        The scale to which a patch adds. Log-odds keep predictions away from 0 and 1, and rare
        positives are judged as such. The log loss falls. The paper's choice is the scores
        themselves, which are probabilities here, cut off at 0 and 1. The Brier score then falls.
    n_levels : int, default=10
        Levels of the prediction, ranges that hold equally many of the `scores`. With one level only
        groups as a whole are patched, which is called *multiaccuracy*.
    alpha : float, default=0.05
        Probability, in (0, 1), with which predictions that are right get a patch nevertheless.

    Attributes
    ----------
    patches_ : list of Patch
        In the order in which they are applied. ``[patch._asdict() for patch in patches_]`` are
        plain numbers and strings.
    threshold_ : float
        Evidence that a patch needs, log(2 M / alpha) for M sets.
    cuts_ : ndarray of shape (n_levels - 1,)
        Between the levels. Fewer where scores are tied.
    group_names_ : list of str
        Names of the columns of groups, x0, x1 and so on where columns have no names; or the
        distinct values of groups that are given in one dimension.
    n_features_in_, feature_names_in_ : int, ndarray
        Number and names of the columns of groups, with names only for a data frame of named
        columns.

    Notes
    -----
    Groups that overlap are given as columns of bool or 0/1, an array or a data frame of shape
    (n, g) that says who belongs to which. Rows may be in several groups, or in none. Groups that do
    not overlap may be given as one number or string for each row. A value that did not occur in
    `fit` belongs to no group. Scores are probabilities from a classifier or calibrator that has not
    been trained on these rows.

    Let a set have n points with mean prediction p and m positives. The patch moves its mean
    prediction to p + b, where b = (m - n p) / (n + 1). All of the bias except one pseudo-label that
    is as predicted. The evidence is n d(p + b, p) with

    .. math::
       \begin{aligned}
       &d(q, p) = q \log \tfrac{q}{p} + (1 - q) \log \tfrac{1 - q}{1 - p}, \\
       &\text{or } d(q, p) = 2 (q - p)^2
       \end{aligned}

    on the scale of probabilities. Three theorems hold, with the log loss for the first d and twice
    the Brier score for the second, both summed over the points:

    * A patch lowers the loss by at least its evidence. (On the scale of probabilities the Brier
      score falls by n (b0^2 - b1^2), where b0 and b1 are the biases of the set before and after, or
      more if predictions are cut off.)
    * So there are at most loss / threshold patches.
    * If P(z = 1 | x) is the score, then with probability at least 1 - alpha there is no patch at
      all (Chernoff's bound, or Hoeffding's, for every set).

    So a set with bias b is patched in about half the samples from :math:`2 p (1 - p) \log(2 M /
    \alpha) / b^2` of its points on, and in nine of ten from 1.7 times as many (measured with 5 and
    20 groups, b of 0.05 and 0.1): by default and with 20 groups 450 points for 0.3 + 0.1, and 1800
    for 0.3 + 0.05. With 1000 people in all it rarely acts.

    The third holds for the first patch. Later ones are chosen after a look at the same labels, so
    that their evidence says less than it seems. Look at fresh data in the end.

    With weights the third holds if they count equal rows that are independent, or if none is above
    1. Weights of another kind, for importance say, make w copies of one label, which chance alone
    can turn into evidence. Divide them by the largest.

    Scores are kept within [2**-53, 1 - 2**-53] where log-odds are needed. Predictions that no patch
    moves remain unchanged. Log-odds are handed from patch to patch, since a probability near 1
    would lose digits. Fit: O(g n) for g groups to sum up, and O(g L^2) to search L levels, for
    every patch. Predict: O(n) for every patch.

    References
    ----------
    Hebert-Johnson, Kim, Reingold and Rothblum (2018), with a fixed tolerance in the place of
    evidence, and shifts of probabilities. Kim, Ghorbani and Zou (2019) for multiaccuracy.

    Examples
    --------
    Women under 30 are more often positive than the score says:

    >>> import numpy as np
    >>> from calibkit.groups import Multicalibration
    >>> rng = np.random.default_rng(0)
    >>> women, young = rng.random((2, 4000)) < [[0.5], [0.3]]
    >>> scores = rng.random(4000)
    >>> truth = np.where(women & young, scores**0.5, scores)
    >>> labels = rng.random(4000) < truth
    >>> groups = np.column_stack([women, young, women & young])
    >>> model = Multicalibration().fit(scores, labels, groups=groups)
    >>> [patch.name for patch in model.patches_]
    ['x2']
    >>> p = model.predict(scores, groups=groups)
    >>> bool(np.mean((p - truth) ** 2) < np.mean((scores - truth) ** 2) / 3)
    True
    """

    unit_scores = True

    def __init__(self, *, scale: str = "logit", n_levels: int = 10, alpha: float = 0.05):
        self.scale = scale
        self.n_levels = n_levels
        self.alpha = alpha

    def _fit(self, scores, labels, weights, members):
        check_choice(self.scale, ["logit", "score"], "scale")
        check_integer(self.n_levels, "n_levels")
        check_positive(self.alpha, "alpha", below=1)
        weights = np.ones(scores.size) if weights is None else weights
        check_countable(weights.sum(), MAX_PATCHED_WEIGHT)
        members = _with_everyone(members)
        _, self.cuts_ = quantile_bins(ties(scores, labels, weights), self.n_levels)
        n_levels = self.cuts_.size + 1
        n_sets = members.shape[0] * n_levels * (n_levels + 1) / 2
        self.threshold_ = math.log(2 * n_sets / self.alpha)
        self.patches_ = []
        predictions = scores.copy()
        logits = log_odds(scores)
        while (patch := self._next(members, predictions, logits, labels, weights)) is not None:
            _apply_patch(patch, members, predictions, logits, self.scale)
            self.patches_.append(patch)

    def _predict(self, scores, members):
        return self._patched(scores, members)[0]

    def _predict_logit(self, scores, members):
        predictions, logits = self._patched(scores, members)
        return logits if self.scale == "logit" else log_odds(predictions)

    def _patched(self, scores, members):
        """Predictions after all patches; on the scale of log-odds, also their log-odds."""
        members = _with_everyone(members)
        predictions = scores.copy()
        logits = log_odds(scores)
        for patch in self.patches_:
            _apply_patch(patch, members, predictions, logits, self.scale)
        return predictions, logits

    def _next(self, members, predictions, logits, labels, weights):
        """The patch with the largest evidence, or None if chance may explain the evidence."""
        logarithmic = self.scale == "logit"
        levels = np.searchsorted(self.cuts_, predictions, side="right")
        n_levels = self.cuts_.size + 1
        if logarithmic:
            positive_rates = expit(logits)
            negative_rates = expit(-logits)
        else:
            positive_rates = predictions
            negative_rates = 1 - predictions
        sums = cell_sums(members, levels, positive_rates, negative_rates, labels, weights, n_levels)
        (group, first, last), evidence = most_evident(sums, logarithmic)
        if not evidence >= self.threshold_:
            return None
        in_set = sums[:, group, first : last + 1]
        positive = float(in_set[0].sum())
        negative = float(in_set[1].sum())
        expected_positive = float(in_set[2].sum())
        expected_negative = float(in_set[3].sum())
        total = positive + negative
        patch = Patch(
            group=None if group == 0 else group - 1,
            name="everyone" if group == 0 else self.group_names_[group - 1],
            low=0.0 if first == 0 else float(self.cuts_[first - 1]),
            high=ABOVE_ALL_PREDICTIONS if last == n_levels - 1 else float(self.cuts_[last]),
            shift=(positive - expected_positive) / (total + 1),
            n_points=total,
            bias=(positive - expected_positive) / total,
            evidence=float(evidence),
        )
        if not logarithmic:
            return patch
        rows = _rows_moved(patch, members, predictions)
        goal = shrunk(total, positive, expected_positive)
        other = shrunk(total, negative, expected_negative)
        start = math.log(goal / other) - math.log(expected_positive / expected_negative)
        sign = 1 if goal < other else -1  # the smaller of the two sums is known to more digits
        shift = shift_to_sum(sign * logits[rows], weights[rows], min(goal, other), sign * start)
        return patch._replace(shift=float(sign * shift))

    def _check_groups(self, groups, size, fitting):
        """Membership of each row in each group, bool of shape (n, g)."""
        try:
            one_dimensional = groups is None or n_dimensions(groups) == 1
        except ValueError:  # a ragged list
            one_dimensional = False
        if fitting:
            self._values = None
        elif one_dimensional != (self._values is not None):
            given = "a value for each row" if one_dimensional else "columns"
            raise ValueError(f"groups are {given}, but were given in another form to fit")
        if one_dimensional:
            return self._members_by_value(check_groups(groups, size=size), fitting)
        return self._members_by_column(groups, size, fitting)

    def _members_by_value(self, groups, fitting):
        if fitting:
            self._values = np.unique(groups)
            self.group_names_ = [str(value) for value in self._values.tolist()]
        return groups[:, np.newaxis] == self._values

    def _members_by_column(self, groups, size, fitting):
        try:
            _check_no_text(groups)
            groups = self._columns(groups, reset=fitting, ensure_min_samples=min(size, 1))
        except ValueError as error:  # whose message calls the groups X
            raise ValueError(
                f"groups must be bool or 0/1, a column for each group, as in fit: {error}"
            ) from error
        check_size(len(groups), size, "groups", "scores")
        wrong = (groups != 0) & (groups != 1)
        if wrong.any():
            row, column = np.argwhere(wrong)[0].tolist()
            raise ValueError(
                f"groups must be bool or 0/1; found {groups[row, column]} at row {row} of column "
                f"{column}: make a column for each group, for example with pandas.get_dummies"
            )
        if fitting:
            default = [f"x{column}" for column in range(groups.shape[1])]
            self.group_names_ = list(map(str, getattr(self, "feature_names_in_", default)))
        return groups == 1

    def _columns(self, groups, **options):
        return validate_data(self, groups, dtype=np.float64, **options)


def _with_everyone(members):
    """Membership of each row in each group, of shape (g + 1, n). The first group is everyone."""
    return np.vstack([np.ones(len(members), bool), members.T])


def _check_no_text(groups):
    """Raise if there are strings or times, even strings that could be read as numbers."""
    values = np.asarray(groups)
    kind = values.dtype.kind
    if kind not in "biufcO" or kind == "O" and any(isinstance(v, str | bytes) for v in values.flat):
        raise ValueError("found text or times; convert them, for example with groups == 'yes'")


def _rows_moved(patch, members, predictions):
    """Numbers of the rows that the patch moves."""
    within = (predictions >= patch.low) & (predictions < patch.high)
    return np.flatnonzero(members[0 if patch.group is None else patch.group + 1] & within)


def _apply_patch(patch, members, predictions, logits, scale):
    """Move the predictions in place, and their log-odds if `scale` is "logit"."""
    rows = _rows_moved(patch, members, predictions)
    if scale == "logit":
        logits[rows] = np.clip(logits[rows] + patch.shift, -MAX_PATCHED_LOGIT, MAX_PATCHED_LOGIT)
        predictions[rows] = probabilities_of(logits[rows])
    else:
        predictions[rows] = np.clip(predictions[rows] + patch.shift, 0.0, 1.0)
