"""Tests with outcomes drawn from the predictions, which are then calibrated."""

from collections.abc import Callable, Hashable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammaln, xlog1py, xlogy

from calib.base.arrays import check_both_classes, check_sample
from calib.base.options import RandomState, check_integer, check_random_state
from calib.kernels.ties import Ties
from calibkit.inference.clean_samples import check_whole_weights
from calibkit.inference.clusters import grouped_sample
from calibkit.inference.statistics import Statistic, statistic_of

STATISTIC_ROUNDING = 1e-11  # relative difference of statistics that differ by rounding only
LARGEST_STATISTIC = 1e300  # finite stand-in for an infinite statistic, to compare it
SUFFICIENT_EXCEEDANCES = 100  # draws as large as the sample, after which drawing stops
NUMBERS_PER_BLOCK = 2**17  # random numbers drawn at a time
COUNTING_ERROR = 1e-9  # of the logarithm of a number of outcomes
MIN_ROWS_FOR_BINOMIAL = (
    32  # mean rows a distinct prediction, above which binomial draws are quicker
)


class Simulated(NamedTuple):
    """A statistic, and its values for outcomes that were drawn from the predictions.

    Attributes
    ----------
    estimate : float
        The statistic of the sample.
    draws : ndarray of shape (n_resamples,)
        The statistic of each draw.
    p_value : float
        ``(1 + number of draws as large as the estimate) / (1 + n_resamples)``, or 0 if an outcome
        was given probability 0, which happens in no draw.
    adjusted : float
        P value for all statistics of the call together: the fraction of the draws, with the sample
        among them, whose smallest p value is as small as this p value. Only one of twenty
        calibrated samples has an adjusted p value below 0.05 for any of the statistics.
    """

    estimate: float
    draws: NDArray[np.float64]
    p_value: float
    adjusted: float

    def by_chance(self, confidence: float = 0.95) -> float:
        """Quantile of the statistic among the draws, where the predictions are calibrated."""
        return float(np.quantile(self.draws, confidence, method="higher"))

    def floor(self) -> float:
        """Mean of the statistic among the draws: what a perfect model has at this sample size."""
        return float(np.mean(self.draws))


def calibration_test(
    labels: ArrayLike,
    probabilities: ArrayLike,
    *,
    statistic: str | Callable | Sequence[str | Callable] = "kuiper",
    groups: ArrayLike | None = None,
    n_bins: int | str = 10,
    strategy: str = "quantile",
    n_resamples: int = 999,
    random_state: RandomState = 0,
    sample_weight: ArrayLike | None = None,
) -> dict[Hashable, Simulated]:
    """Test calibration exactly, by any statistics: outcomes are drawn from the predictions.

    Parameters
    ----------
    labels : array-like of shape (n,)
        Outcomes, 0/1 or bool.
    probabilities : array-like of shape (n,)
        Predictions in [0, 1].
    statistic : str, callable or a list of them, default="kuiper"
        A larger one speaks against calibration. A callable takes (labels, probabilities), sorted by
        prediction. Names are

        * ``"kuiper"``, ``"averaged_two_bin"``, ``"smooth_ece"`` and ``"smooth_calibration_error"``:
          the errors of these names;
        * ``"miscalibration"``: MCB of the Brier score, see `score_decomposition`;
        * ``"ece"`` and ``"hosmer_lemeshow"``, over bins that do not split ties;
        * ``"bias"``, ``"slope"``, ``"spiegelhalter"``: sums of residuals times 1, times the logit
          less its mean, times ``1 - 2 p``, without the sign, over their standard deviations;
        * ``"scan"``: the largest divergence of outcomes from predictions over any range of
          neighbours, among 50 groups of them; `worst_range` finds that range.
    groups : array-like of shape (n,), optional
        Group of each row, a number or a string. Each statistic is also computed in each group.
    n_bins : int or "cube_root", default=10
        Number of bins of ``"ece"`` and ``"hosmer_lemeshow"``, as in `reliability_curve`.
    strategy : {"quantile", "uniform"}, default="quantile"
        Bins of ``"ece"`` and ``"hosmer_lemeshow"``.
    n_resamples : int, default=999
        Number of draws.
    random_state : None, int, numpy Generator or RandomState, default=0
        Source of the draws.
    sample_weight : array-like of shape (n,), optional
        Counts, as whole numbers. A row of weight w stands for w rows, each with a separate outcome.

    Returns
    -------
    results : dict
        A `Simulated` for each statistic, and for each pair of a statistic and a group. A key is
        the statistic as it was given, or such a pair.

    Raises
    ------
    ValueError
        For input that is not as described. The message names the argument.

    Notes
    -----
    O(n log n + n_resamples n), and the time for the statistics. ``"miscalibration"``,
    ``"smooth_calibration_error"``, ``"smooth_ece"`` (slowest) and functions are computed draw by
    draw, all other statistics for many draws at once. Each draw keeps the predictions and draws
    each outcome with its predicted probability, so the p values need no theory of large samples. If
    the predictions are calibrated, a p value is at most ``k / (n_resamples + 1)`` with just that
    probability, or with a smaller probability where draws are tied. The same is true of the
    smallest `adjusted` p value, so all rejections with an `adjusted` p value of at most 0.05 are
    valid together.

    References
    ----------
    Barnard (1963); Broecker and Smith (2007); Westfall and Young (1993) for several at once.

    Examples
    --------
    >>> from calibkit.inference import calibration_test
    >>> labels, probabilities = [0] * 30, [0.1, 0.2, 0.3] * 10
    >>> results = calibration_test(labels, probabilities, statistic=["kuiper", "bias"])
    >>> error = results["kuiper"]
    >>> round(error.estimate, 3), error.p_value, round(error.by_chance(0.95), 3)
    (0.2, 0.009, 0.133)
    """
    check_integer(n_resamples, "n_resamples")
    statistics = [statistic] if isinstance(statistic, str) or callable(statistic) else statistic
    cells, parts = _parts(labels, probabilities, groups, sample_weight)
    tasks = {}
    for group, part in parts.items():
        for name in statistics:
            key = name if group is None else (name, group)
            measure = statistic_of(name, part.ties, n_bins, strategy)
            tasks[key] = _Task(part=part, statistic=measure)
    values = np.empty((len(tasks), 1 + n_resamples))
    for row, task in zip(values, tasks.values(), strict=True):
        row[:1] = task.statistic(task.part.ties.positives[np.newaxis])
    n_done = 1
    for hits in draws_of(cells, n_resamples, check_random_state(random_state)):
        for row, task in zip(values, tasks.values(), strict=True):
            row[n_done : n_done + len(hits)] = task.statistic(task.part.restrict(hits))
        n_done += len(hits)
    refuted = [counted_outcomes(task.part.ties).has_impossible_outcome() for task in tasks.values()]
    p_values, adjusted = resampling_p_values(values, refuted)
    return {
        key: Simulated(
            estimate=float(values[k, 0]),
            draws=values[k, 1:],
            p_value=p_values[k],
            adjusted=adjusted[k],
        )
        for k, key in enumerate(tasks)
    }


class _Part(NamedTuple):
    """The whole sample or a group: its ties, and the restriction of draws of all rows to it."""

    ties: Ties
    restrict: Callable[[NDArray[np.float64]], NDArray[np.float64]]


class _Task(NamedTuple):
    """A statistic that is computed in a part of the sample."""

    part: _Part
    statistic: Statistic


class _SumsOverGroups:
    """Restrict draws to the whole: add the cells of each prediction, which begin at `starts`."""

    def __init__(self, starts):
        self.starts = starts

    def __call__(self, hits):
        return np.add.reduceat(hits, self.starts, axis=-1)


class _CellsOfGroup:
    """Restrict draws to the cells of a group."""

    def __init__(self, cells):
        self.cells = cells

    def __call__(self, hits):
        return hits[:, self.cells]


def _all_cells(hits):
    """Restrict draws to the whole where there are no groups."""
    return hits


def _parts(labels, probabilities, groups, sample_weight):
    """Pool the rows into cells, one for each distinct pair of a prediction and a group.

    Returns the cells as `Ties`, which may repeat a score, and the parts of the sample by name: the
    whole sample (None) and each group.
    """
    if groups is None:
        outcomes, predicted, weights = check_sample(labels, probabilities, sample_weight)
        names = np.empty(0)
        codes = np.zeros(outcomes.size, np.int64)
    else:
        sample, names, codes = grouped_sample(labels, probabilities, groups, sample_weight)
        outcomes, predicted, weights = sample
    weights = np.ones(outcomes.size) if weights is None else check_whole_weights(weights)
    order = np.lexsort((codes, predicted))
    codes, scores = codes[order], predicted[order]
    starts = _starts_of_runs([scores, codes])  # first row of each cell
    cells = Ties(
        scores=scores[starts],
        weights=np.add.reduceat(weights[order].astype(float), starts),
        positives=np.add.reduceat((weights * outcomes)[order].astype(float), starts),
    )
    starts_of_ties = _starts_of_runs([cells.scores])
    restrict = _SumsOverGroups(starts_of_ties) if names.size else _all_cells
    whole = Ties(
        scores=cells.scores[starts_of_ties],
        weights=restrict(cells.weights),
        positives=restrict(cells.positives),
    )
    parts = {None: _Part(ties=whole, restrict=restrict)}
    for code, name in enumerate(names):
        cells_of_group = np.flatnonzero(codes[starts] == code)
        ties = Ties(
            scores=cells.scores[cells_of_group],
            weights=cells.weights[cells_of_group],
            positives=cells.positives[cells_of_group],
        )
        parts[name.item()] = _Part(ties=ties, restrict=_CellsOfGroup(cells_of_group))
    return cells, parts


def _starts_of_runs(columns):
    """First row of each run of rows that are equal in all columns."""
    changes = np.any(np.diff(columns) != 0, axis=0)
    return np.flatnonzero(np.append(True, changes))


def resampling_p_values(values, refuted):
    """P values of the first column by its rank in each row, alone and for all rows at once.

    A row of `values` holds a statistic of the sample, then of the draws. The p value is 0 where
    the sample is `refuted` by an outcome that was given probability 0.
    """
    size = values.shape[1]
    finite = np.minimum(values, LARGEST_STATISTIC)
    smaller = [
        np.searchsorted(np.sort(row), row - STATISTIC_ROUNDING * (1 + np.abs(row)))
        for row in finite
    ]
    p_values = (size - np.array(smaller)) / size
    p_values[refuted, 0] = 0
    smallest = np.sort(p_values.min(axis=0))
    adjusted = np.searchsorted(smallest, p_values[:, 0], side="right") / size
    return p_values[:, 0].tolist(), np.where(refuted, 0.0, adjusted).tolist()


def draws_of(ties, n_draws, rng):
    """Yield blocks of draws of the numbers of positives at the distinct predictions.

    The rarer class is drawn, so that it does not matter which class is called positive.
    """
    scores, weights, _ = ties
    if 2 * np.dot(weights, scores) <= weights.sum():
        yield from _draws_of_positives(scores, weights, n_draws, rng)
        return
    for misses in _draws_of_positives(1 - scores[::-1], weights[::-1], n_draws, rng):
        yield weights - misses[:, ::-1]


def _draws_of_positives(scores, weights, n_draws, rng):
    sizes = weights.astype(np.int64)
    n_rows = sizes.sum()
    n_ties = sizes.size
    by_row = n_rows <= MIN_ROWS_FOR_BINOMIAL * n_ties
    probabilities = np.repeat(scores, sizes) if by_row else scores
    starts = np.append(0, np.cumsum(sizes)[:-1])
    height = max(1, NUMBERS_PER_BLOCK // probabilities.size)
    for first in range(0, n_draws, height):
        shape = (min(height, n_draws - first), probabilities.size)
        if not by_row:
            yield rng.binomial(sizes, probabilities, shape).astype(np.float64)
            continue
        hits = (rng.random(shape) < probabilities).astype(np.float64)
        yield hits if n_rows == n_ties else np.add.reduceat(hits, starts, axis=1)


def drawn_p_value(estimate, drawn):
    """P value of an estimate by blocks of draws. Not all are taken where it is not small.

    Besag and Clifford (1991): with h = SUFFICIENT_EXCEEDANCES, if draw number l is the h-th that
    is as large as the sample, h / l is a p value as exact as the p value from all draws.
    """
    limit = estimate - STATISTIC_ROUNDING * (1 + abs(estimate))
    n_as_large = 0
    n_drawn = 0
    for block in drawn:
        running = n_as_large + np.cumsum(block >= limit)
        if running[-1] >= SUFFICIENT_EXCEEDANCES:
            last = n_drawn + 1 + np.searchsorted(running, SUFFICIENT_EXCEEDANCES)
            return SUFFICIENT_EXCEEDANCES / float(last)
        n_as_large = running[-1]
        n_drawn += block.size
    return float((1 + n_as_large) / (1 + n_drawn))


class Outcomes(NamedTuple):
    """Sums of outcomes at the distinct predictions, and draws of them.

    Attributes
    ----------
    scores : ndarray of shape (n_ties,)
        The distinct predictions.
    observed, expected : ndarray of shape (n_ties,)
        Their difference is the sum of the residuals. With sampling weights `observed` is this
        weighted sum, and `expected` is 0.
    variances : ndarray of shape (n_ties,)
        Variances of these sums by the predictions. With sampling weights the sums of the squared
        residuals.
    distributions : tuple of callable
        Distributions of the sums if the predictions are calibrated, one or two. Called with
        ``(n_draws, rng)``, each yields blocks of draws of `observed` with their `variances`.
    n_rows : float
    weighted : bool
        Whether the weights are sampling weights.
    exact : bool
        Whether the draws have the distribution of the sample. With sampling weights they have it
        if the weights of each class are equal, because all rows of a class were then as likely to
        be sampled. Else there are two distributions. The first assumes that the outcome made no
        difference for being sampled, the second that it multiplied the weight by a factor, which a
        regression of the logarithm of the weight estimates.
    """

    scores: NDArray[np.float64]
    observed: NDArray[np.float64]
    expected: NDArray[np.float64]
    variances: NDArray[np.float64]
    distributions: tuple[Callable, ...]
    n_rows: float
    weighted: bool = False
    exact: bool = True

    def has_impossible_outcome(self):
        """Whether an outcome was given probability 0, which no calibrated prediction does."""
        certain = (self.scores == 0) | (self.scores == 1)
        return bool(np.any(self.observed[certain] != self.expected[certain]))

    def p_value(self, estimate, statistic, asymptotic, n_resamples, random_state):
        """P value by draws. If they may be wrong, the largest one of theirs and `asymptotic`.

        If the sample has no more outcomes than `n_resamples`, all of them are tried.
        """
        check_integer(n_resamples, "n_resamples")
        if not self.weighted and self.distributions[0].has_at_most(n_resamples):
            return self.distributions[0].exact_p_value(estimate, statistic)
        rng = check_random_state(random_state)
        p_values = []
        for distribution in self.distributions:
            drawn = (
                statistic(hits, variances) for hits, variances in distribution(n_resamples, rng)
            )
            p_values.append(drawn_p_value(estimate, drawn))
        return max(p_values if self.exact else [*p_values, asymptotic])


class _CountDistribution:
    """Distribution of the numbers of positives at the ties, whose weights count rows."""

    def __init__(self, ties, variances):
        self.ties = ties
        self.variances = variances

    def __call__(self, n_draws, rng):
        """Yield blocks of draws, with the variances, which are the same in all draws."""
        for hits in draws_of(self.ties, n_draws, rng):
            yield hits, self.variances

    def has_at_most(self, n_outcomes):
        """Whether there are at most so many outcomes, where rows of a tie are alike."""
        return np.log1p(self.ties.weights).sum() <= np.log(n_outcomes) + COUNTING_ERROR

    def exact_p_value(self, estimate, statistic):
        """Probability of outcomes whose statistic is as large as the estimate: all are tried."""
        scores, sizes, _ = self.ties
        counts = [np.arange(n + 1) for n in sizes]
        hits = np.stack(np.meshgrid(*counts, indexing="ij"), axis=-1).reshape(-1, sizes.size)
        misses = sizes - hits
        ways = gammaln(sizes + 1) - gammaln(hits + 1) - gammaln(misses + 1)
        chances = np.exp((ways + xlogy(hits, scores) + xlog1py(misses, -scores)).sum(axis=1))
        limit = estimate - STATISTIC_ROUNDING * (1 + abs(estimate))
        as_large = statistic(hits, self.variances) >= limit
        return float(min(chances[as_large].sum(), 1.0))


class _SamplingDistribution:
    """Distribution of the weighted residuals at the ties, given who was sampled.

    Parameters
    ----------
    labels, probabilities : ndarray of shape (n,)
        Rows in the order of the probabilities.
    negative, positive : ndarray of shape (n,)
        Weight of each row if its outcome is 0, and if it is 1.
    """

    def __init__(self, labels, probabilities, negative, positive):
        p = probabilities
        losses = negative * p  # minus the residual of a negative
        gains = positive * (1 - p)  # residual of a positive
        chances = p * negative / (p * negative + (1 - p) * positive)
        cells = _starts_of_runs([p, losses, gains])
        self.starts_of_ties = _starts_of_runs([p[cells]])
        self.losses = losses[cells]
        self.gains = gains[cells]
        self.cells = Ties(
            scores=chances[cells],
            weights=np.add.reduceat(np.ones(p.size), cells),
            positives=np.add.reduceat(1.0 * labels, cells),
        )

    def sums_at_ties(self, hits):
        """Sums of the residuals and of their squares, for numbers of positives in the cells."""
        misses = self.cells.weights - hits
        residuals = hits * self.gains - misses * self.losses
        squares = hits * np.square(self.gains) + misses * np.square(self.losses)
        return (
            np.add.reduceat(residuals, self.starts_of_ties, axis=-1),
            np.add.reduceat(squares, self.starts_of_ties, axis=-1),
        )

    def __call__(self, n_draws, rng):
        """Yield blocks of draws of the sums of the residuals and of their squares."""
        for hits in draws_of(self.cells, n_draws, rng):
            yield self.sums_at_ties(hits)


def counted_outcomes(ties) -> Outcomes:
    """Outcomes of rows that count."""
    expected = ties.weights * ties.scores
    variances = expected * (1 - ties.scores)
    return Outcomes(
        scores=ties.scores,
        observed=ties.positives,
        expected=expected,
        variances=variances,
        distributions=(_CountDistribution(ties, variances),),
        n_rows=ties.weights.sum(),
    )


def sampled_outcomes(labels, probabilities, weights) -> Outcomes:
    """Outcomes of rows that were sampled with probabilities of 1 / weight: by Bayes' rule."""
    why = "the sampling_weight of the other could be anything"
    check_both_classes(labels, f"{why}, so nothing can be tested")
    order = np.lexsort((weights, probabilities))
    labels = labels[order]
    p = probabilities[order]
    weights = weights[order]
    negatives, positives = weights[labels == 0], weights[labels == 1]
    exact = bool(negatives.min() == negatives.max() and positives.min() == positives.max())
    if exact:
        negative = np.full(p.size, negatives[0])
        positive = np.full(p.size, positives[0])
        distributions: tuple[_SamplingDistribution, ...] = (
            _SamplingDistribution(labels, p, negative, positive),
        )
    else:
        factor = _factor_of_negatives(labels, p, weights)
        negative = weights * factor**labels
        positive = weights / factor ** (1.0 - labels)
        distributions = (
            _SamplingDistribution(labels, p, weights, weights),
            _SamplingDistribution(labels, p, negative, positive),
        )
    observed, variances = distributions[0].sums_at_ties(distributions[0].cells.positives)
    scores = np.unique(p)
    return Outcomes(
        scores=scores,
        observed=observed,
        expected=np.zeros(scores.size),
        variances=variances,
        distributions=distributions,
        n_rows=p.size,
        weighted=True,
        exact=exact,
    )


def _factor_of_negatives(labels, probabilities, weights):
    """How many times as large weights are if the outcome is 0, at the same prediction."""
    columns = np.column_stack([np.ones(labels.size), probabilities])
    residuals = labels - columns @ np.linalg.lstsq(columns, labels)[0]
    spread = np.dot(residuals, labels)
    if spread <= STATISTIC_ROUNDING:
        return 1.0
    return np.exp(-np.dot(residuals, np.log(weights)) / spread)
