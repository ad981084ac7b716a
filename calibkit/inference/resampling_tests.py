"""Tests whose law comes from draws: outcomes drawn from the predictions, which are then right."""

from collections.abc import Callable, Hashable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from calib.base.arrays import check_both_classes, check_sample
from calib.base.options import RandomState, check_integer, check_random_state
from calib.kernels.ties import Ties
from calib.metrics.samples import impossible, whole
from calibkit.inference.clusters import grouped_sample
from calibkit.inference.statistics import statistic_of

SAME = 1e-11  # difference of statistics that are equal but for rounding
LARGEST_STATISTIC = 1e300  # finite stand-in for an infinite statistic, to compare it
SUFFICIENT_EXCEEDANCES = 100  # draws as large as the sample, after which drawing stops
BLOCK = 2**17  # numbers drawn at a time
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
        ``(1 + number of draws as large as the estimate) / (1 + n_resamples)``; 0 if an outcome was
        given probability 0, which no draw does.
    adjusted : float
        P value for all statistics that were asked for together: the share of draws, the sample
        among them, whose smallest p value is as small as this one. It is below 0.05 for any of
        them in one of twenty calibrated samples only.
    """

    estimate: float
    draws: NDArray[np.float64]
    p_value: float
    adjusted: float

    def by_chance(self, confidence: float = 0.95) -> float:
        """What the statistic of calibrated predictions exceeds in few draws only."""
        return float(np.quantile(self.draws, confidence, method="higher"))


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

        * ``"kuiper"``, ``"smooth_ece"``, ``"smooth_calibration_error"``: the errors of these names;
        * ``"miscalibration"``: MCB of the Brier score, see `score_decomposition`;
        * ``"ece"`` and ``"hosmer_lemeshow"``, over bins that do not split ties;
        * ``"bias"``, ``"slope"``, ``"spiegelhalter"``: sums of residuals times 1, times the logit
          less its mean, times ``1 - 2 p``, without the sign, over their standard deviations;
        * ``"scan"``: the largest divergence of outcomes from predictions over any range of
          neighbours, among 50 groups of them; `worst_range` says where it lies.
    groups : array-like of shape (n,), optional
        Group of each row, a number or a string: each statistic is computed in each group, too.
    n_bins : int or "cube_root", default=10
        Of ``"ece"`` and ``"hosmer_lemeshow"``, as in `reliability_curve`.
    strategy : {"quantile", "uniform"}, default="quantile"
        Of the same.
    n_resamples : int, default=999
        Number of draws.
    random_state : None, int, numpy Generator or RandomState, default=0
        Source of the draws.
    sample_weight : array-like of shape (n,), optional
        Counts, whole numbers: a row of weight w stands for w rows, each with an
        outcome of its own.

    Returns
    -------
    found : dict
        A `Simulated` for each statistic, as it was given; and for each pair of a statistic and a
        group.

    Raises
    ------
    ValueError
        For input that is not as described; the message names the argument.

    Notes
    -----
    O(n log n + n_resamples n), and what the statistics take. Those of ``"miscalibration"``,
    ``"smooth_calibration_error"``, ``"smooth_ece"`` (slowest) and of a function are computed draw
    by draw, all others of many draws at once. The predictions stay as they are, so no theory of
    large samples is needed: of calibrated predictions a p value is at most
    ``k / (n_resamples + 1)`` with just that probability, or a smaller one where draws are tied. So
    is the smallest `adjusted` one, and all that are at most 0.05 may be believed at once.

    References
    ----------
    Barnard (1963); Broecker and Smith (2007); Westfall and Young (1993) for several at once.

    Examples
    --------
    >>> from calibkit.inference import calibration_test
    >>> labels, probabilities = [0] * 30, [0.1, 0.2, 0.3] * 10
    >>> found = calibration_test(labels, probabilities, statistic=["kuiper", "bias"])
    >>> error = found["kuiper"]
    >>> round(error.estimate, 3), error.p_value, round(error.by_chance(0.95), 3)
    (0.2, 0.009, 0.133)
    """
    check_integer(n_resamples, "n_resamples")
    statistics = [statistic] if isinstance(statistic, str) or callable(statistic) else statistic
    ties, parts = _parts(labels, probabilities, groups, sample_weight)
    asked = {}
    for group, (part, of) in parts.items():
        for one in statistics:
            name = one if group is None else (one, group)
            asked[name] = part, statistic_of(one, part, n_bins, strategy), of
    found = np.empty((len(asked), 1 + n_resamples))
    rng, done = check_random_state(random_state), 1
    for row, (part, measure, _) in zip(found, asked.values(), strict=True):
        row[:1] = measure(part.positives[np.newaxis])
    for hits in draws_of(ties, n_resamples, rng):
        for row, (_, measure, of) in zip(found, asked.values(), strict=True):
            row[done : done + len(hits)] = measure(of(hits))
        done += len(hits)
    certain = [impossible(part) for part, *_ in asked.values()]
    p_values, adjusted = p_values_of(found, certain)
    columns = found[:, 0].tolist(), found[:, 1:], p_values, adjusted
    return dict(zip(asked, map(Simulated, *columns), strict=True))


def _parts(labels, probabilities, groups, sample_weight):
    """Distinct pairs of a prediction and a group; the whole and each group, with their draws."""
    if groups is None:
        labels, probabilities, weights = check_sample(labels, probabilities, sample_weight)
        names, codes = [], np.zeros(labels.size, np.int64)
    else:
        (labels, probabilities, weights), names, codes = grouped_sample(
            labels, probabilities, groups, sample_weight
        )
    weights = np.ones(labels.size) if weights is None else whole(weights)
    order = np.lexsort((codes, probabilities))
    codes, scores = codes[order], probabilities[order]
    apart = np.append(True, (np.diff(scores) != 0) | (np.diff(codes) != 0))
    starts = np.flatnonzero(apart)
    sums = (np.add.reduceat(w[order].astype(float), starts) for w in (weights, weights * labels))
    ties, codes = Ties(scores[starts], *sums), codes[starts]
    of_prediction = np.flatnonzero(np.append(True, np.diff(ties.scores) != 0))

    def whole_of(hits):
        return np.add.reduceat(hits, of_prediction, axis=-1) if len(names) else hits

    totals = map(whole_of, (ties.weights, ties.positives))
    parts = {None: (Ties(ties.scores[of_prediction], *totals), whole_of)}
    for code, name in enumerate(names):
        here = np.flatnonzero(codes == code)
        part = Ties(*(column[here] for column in ties))
        parts[name.item()] = part, lambda hits, here=here: hits[:, here]
    return ties, parts


def p_values_of(found, certain):
    """P values of the first column, alone and for all rows at once, from its place among all."""
    size, found = found.shape[1], np.minimum(found, LARGEST_STATISTIC)
    smaller = [np.searchsorted(np.sort(row), row - SAME * (1 + np.abs(row))) for row in found]
    p_values = (size - np.array(smaller)) / size
    p_values[certain, 0] = 0
    smallest = np.sort(p_values.min(axis=0))
    adjusted = np.searchsorted(smallest, p_values[:, 0], side="right") / size
    return p_values[:, 0].tolist(), np.where(certain, 0.0, adjusted).tolist()


def draws_of(ties, n_draws, rng):
    """Blocks of draws of the numbers of positives at the distinct predictions.

    The rarer class is drawn, so that it does not matter which one is called positive.
    """
    scores, weights, _ = ties
    if 2 * np.dot(weights, scores) <= weights.sum():
        yield from _draws_of(ties, n_draws, rng)
        return
    mirrored = Ties(1 - scores[::-1], weights[::-1], None)
    for hits in _draws_of(mirrored, n_draws, rng):
        yield weights - hits[:, ::-1]


def _draws_of(ties, n_draws, rng):
    sizes = ties.weights.astype(np.int64)
    total, m = sizes.sum(), sizes.size
    by_row = total <= MIN_ROWS_FOR_BINOMIAL * m
    scores = np.repeat(ties.scores, sizes) if by_row else ties.scores
    starts = np.append(0, np.cumsum(sizes)[:-1])
    height = max(1, BLOCK // scores.size)
    for first in range(0, n_draws, height):
        shape = min(height, n_draws - first), scores.size
        if not by_row:
            yield rng.binomial(sizes, scores, shape).astype(np.float64)
            continue
        drawn = (rng.random(shape) < scores).astype(np.float64)
        yield drawn if total == m else np.add.reduceat(drawn, starts, axis=1)


def drawn_p_value(found, drawn):
    """P value of one statistic by blocks of drawn ones; not all are taken where it is not small.

    Besag and Clifford (1991): with h = SUFFICIENT_EXCEEDANCES, if draw number l is the h-th that
    is as large as the sample, h / l is a p value as exact as the p value from all draws.
    """
    limit = found - SAME * (1 + abs(found))
    as_large, done = 0, 0
    for block in drawn:
        sofar = as_large + np.cumsum(block >= limit)
        if sofar[-1] >= SUFFICIENT_EXCEEDANCES:
            return SUFFICIENT_EXCEEDANCES / float(
                done + 1 + np.searchsorted(sofar, SUFFICIENT_EXCEEDANCES)
            )
        as_large, done = sofar[-1], done + block.size
    return float((1 + as_large) / (1 + done))


class Outcomes(NamedTuple):
    """Sums of outcomes at the distinct predictions, and draws of them.

    Attributes
    ----------
    found, expected : ndarray of shape (n_ties,)
        Their difference is the sum of the residuals; if weights are of sampling, the first is the
        weighted sum, and the other 0.
    variances : ndarray of shape (n_ties,)
        Of these sums: by the predictions, or of sampling weights the squares of the residuals.
    laws : tuple of callable
        ``draws(n_draws, rng)``: blocks of what could have been `found`, and `variances`.
    n_rows : float
    weighted : bool
        Whether weights are of sampling.
    exact : bool
        Whether the draws have the law of the sample. Of sampling weights they have it if those of
        each class are equal: all of a class were as likely to be sampled. Else there are two laws:
        as if the outcome had made no difference for being sampled, and as if it had multiplied the
        weight by the factor that a regression of its logarithm finds.
    """

    found: NDArray[np.float64]
    expected: NDArray[np.float64]
    variances: NDArray[np.float64]
    laws: tuple[Callable, ...]
    n_rows: float
    weighted: bool = False
    exact: bool = True

    def p_value(self, found, statistic, by_law, n_resamples, random_state):
        """By draws; if they may be wrong, the largest, and that of the law for large samples."""
        check_integer(n_resamples, "n_resamples")
        rng = check_random_state(random_state)
        drawn = [
            drawn_p_value(found, (statistic(*block) for block in draws(n_resamples, rng)))
            for draws in self.laws
        ]
        return max(drawn if self.exact else [*drawn, by_law])


def counted_outcomes(ties) -> Outcomes:
    """Outcomes of rows that count."""
    expected = ties.weights * ties.scores
    variances = expected * (1 - ties.scores)

    def draws(n_draws, rng):
        return ((hits, variances) for hits in draws_of(ties, n_draws, rng))

    return Outcomes(ties.positives, expected, variances, (draws,), ties.weights.sum())


def sampled_outcomes(labels, probabilities, weights) -> Outcomes:
    """Outcomes of rows that were sampled with probabilities of 1 / weight: by Bayes' rule."""
    why = "the sampling_weight of the other could be anything"
    check_both_classes(labels, f"{why}, so nothing can be tested")
    classes = [weights[labels == label] for label in (0, 1)]
    exact = all(of.min() == of.max() for of in classes)
    order = np.lexsort((weights, probabilities))
    labels, p, weights = labels[order], probabilities[order], weights[order]
    if exact:
        pairs = [tuple(np.full(labels.size, of[0]) for of in classes)]
    else:
        factor = _factor_of_negatives(labels, p, weights)
        negatives, positives = weights * factor**labels, weights / factor ** (1.0 - labels)
        pairs = [(weights, weights), (negatives, positives)]
    laws = [_law_of_sample(labels, p, *pair) for pair in pairs]
    (found, variances), expected = laws[0][0], np.zeros(np.unique(p).size)
    draws = tuple(law for _, law in laws)
    return Outcomes(found, expected, variances, draws, p.size, weighted=True, exact=exact)


def _factor_of_negatives(labels, probabilities, weights):
    """How many times as large weights are if the outcome is 0, at the same prediction."""
    columns = np.column_stack([np.ones(labels.size), probabilities])
    rest = labels - columns @ np.linalg.lstsq(columns, labels)[0]
    spread = np.dot(rest, labels)
    return np.exp(-np.dot(rest, np.log(weights)) / spread) if spread > SAME else 1.0


def _law_of_sample(labels, p, negative, positive):
    """Sums of residuals and of their squares at the ties, and draws of them.

    Rows are ordered by p, and have the one weight or the other: the outcome decides which.
    """
    lost, won = negative * p, positive * (1 - p)  # residuals of either outcome
    chances = p * negative / (p * negative + (1 - p) * positive)
    apart = np.append(True, np.any(np.diff([p, lost, won]) != 0, axis=0))
    cells = np.flatnonzero(apart)
    ties = np.flatnonzero(np.append(True, np.diff(p[cells]) != 0))
    counts, hits = (np.add.reduceat(column, cells) for column in (np.ones(p.size), 1.0 * labels))
    lost, won, cell = lost[cells], won[cells], Ties(chances[cells], counts, hits)

    def at_ties(hits):
        misses = counts - hits
        sums = hits * won - misses * lost, hits * np.square(won) + misses * np.square(lost)
        return tuple(np.add.reduceat(values, ties, axis=-1) for values in sums)

    def draws(n_draws, rng):
        return map(at_ties, draws_of(cell, n_draws, rng))

    return at_ties(hits), draws
