"""What rounding scores to a grid changes at most: the statements of the page *Any size*, attacked.

Laws are drawn to be hard: few rows or many, scores at the edges of cells, in few cells, or at 0
and 1, labels that are sure, and rows that weigh much.
"""

import numpy as np
import pytest
from scipy.special import expit, rel_entr
from scipy.stats import chisquare, hypergeom

from calib import (
    BetaCalibration,
    HistogramBinning,
    IsotonicCalibrator,
    PlattScaling,
    SplineCalibrator,
    VennAbers,
    rounded_scores,
)
from calib import metrics as m
from calib.base.probabilities import inside, log_odds
from calib.methods.folds import deal
from calibkit import inference

ATTACKS = range(90)
TINY = 1e-9  # rounding of sums
OF_BOUND, OF_DELTA = 0.025, 16.5  # of the spline, as the page says


def attack(seed):
    """Labels, scores, whole weights, and a bound, as unlucky as chance makes them."""
    rng = np.random.default_rng(seed)
    size = int(rng.integers(2, [8, 60, 600][seed % 3]))
    bound = float(rng.choice([0.2, 0.05, 0.01, 1 / 120]))
    spread = rng.choice([bound / 3, bound, 0.3, 1.0])
    scores = np.clip(rng.random() + spread * rng.normal(size=size), 0, 1)
    if rng.random() < 0.3:  # at the edges of cells, on either side
        edges = np.round(scores * 60) / 60
        scores = np.clip(edges + rng.choice([-1e-12, 0, 1e-12], size), 0, 1)
    share = rng.choice([0, 1, 2])
    truth = [scores, 1 - scores, rng.random(size) < 0.5][share]
    labels = (rng.random(size) < truth).astype(int)
    labels[:2] = [0, 1]
    weights = rng.choice([1.0, 1.0, 1.0, 50.0], size)
    return labels, scores, weights, bound


def cells_of(rounded, labels, weights):
    """Weights of the negatives and of the positives in each cell, by its score."""
    _, cell = np.unique(rounded, return_inverse=True)
    return np.bincount(cell, weights * (1 - labels)), np.bincount(cell, weights * labels)


@pytest.mark.parametrize("scale", ["score", "logit"])
@pytest.mark.parametrize("seed", ATTACKS)
def test_losses_and_measures(seed, scale):
    labels, scores, weights, bound = attack(seed)
    rounded = rounded_scores(scores, bound, scale=scale)
    moved = bound if scale == "score" else bound / 4
    assert np.abs(rounded - scores).max() <= moved + TINY
    order = np.argsort(scores, kind="stable")
    assert (np.diff(rounded[order]) >= 0).all()  # no order is turned round

    def change(measure, **options):
        return measure(labels, rounded, sample_weight=weights, **options) - measure(
            labels, scores, sample_weight=weights, **options
        )

    steepest = 2 * bound if scale == "score" else 8 / 27 * bound
    assert abs(change(m.brier_score_loss)) <= steepest + TINY
    if scale == "logit":  # of scores near 1, floating-point numbers know no small change
        scores = np.clip(scores, 1e-9, 1 - 1e-6)
        rounded = rounded_scores(scores, bound, scale=scale)
        assert abs(change(m.log_loss)) <= bound + TINY
    negative, positive = cells_of(rounded, labels, weights)
    in_cell = negative + positive
    largest = in_cell.max() / in_cell.sum()
    assert -moved - largest - TINY <= change(inference.kuiper_error) <= moved + TINY
    tied = negative @ positive / (2 * negative.sum() * positive.sum())
    assert abs(change(m.roc_auc_score)) <= tied + TINY


@pytest.mark.parametrize("n_bins", [10, 12, 15, 20, 30])
@pytest.mark.parametrize("seed", ATTACKS[:40])
def test_bins_of_equal_width(seed, n_bins):
    """Nothing leaves its bin: histograms are equal to the last bit, and the ECE moves by delta."""
    labels, scores, weights, bound = attack(seed)
    rounded = rounded_scores(scores, bound)
    maps = [
        HistogramBinning(n_bins=n_bins, strategy="uniform").fit(s, labels, sample_weight=weights)
        for s in (scores, rounded)
    ]
    np.testing.assert_array_equal(maps[0].probabilities_, maps[1].probabilities_)
    np.testing.assert_array_equal(maps[0].predict(scores), maps[1].predict(rounded))
    options = {"n_bins": n_bins, "strategy": "uniform", "sample_weight": weights}
    change = m.expected_calibration_error(labels, rounded, **options)
    change -= m.expected_calibration_error(labels, scores, **options)
    assert abs(change) <= bound + TINY


@pytest.mark.parametrize("n_bins", [2, 5, 10])
@pytest.mark.parametrize("seed", ATTACKS)
def test_bins_of_equal_frequency(seed, n_bins):
    """Only rows of the cells in which a cut falls change their bin."""
    labels, scores, weights, bound = attack(seed)
    rounded = rounded_scores(scores, bound)
    options = {"n_bins": n_bins, "sample_weight": weights}
    change = m.expected_calibration_error(labels, rounded, **options)
    change -= m.expected_calibration_error(labels, scores, **options)
    negative, positive = cells_of(rounded, labels, weights)
    middles = np.unique(rounded)
    residuals = positive * (1 - middles) + negative * middles
    ends = np.cumsum(negative + positive)
    cuts = np.arange(1, n_bins) * ends[-1] / n_bins
    hit = np.unique(np.searchsorted(ends, cuts))
    assert abs(change) <= bound + 2 * residuals[hit].sum() / ends[-1] + TINY


def bins_of(scores, weights, n_bins):
    """The bin of equal frequency of each row: that of the middle rank of its tie."""
    _, tie = np.unique(scores, return_inverse=True)
    of_ties = np.bincount(tie, weights)
    twice = 2 * np.cumsum(of_ties) - of_ties  # whole numbers
    return (n_bins * twice // (2 * weights.sum())).astype(int)[tie]


@pytest.mark.parametrize("n_bins", [2, 5, 10])
@pytest.mark.parametrize("seed", ATTACKS)
def test_histograms_of_equal_frequency(seed, n_bins):
    """A bin that keeps k and gains and loses v at most moves by v / (k + v) at most."""
    labels, scores, weights, bound = attack(seed)
    rounded = rounded_scores(scores, bound)
    before, after = (bins_of(s, weights, n_bins) for s in (scores, rounded))
    _, cell = np.unique(rounded, return_inverse=True)
    ends = np.cumsum(np.bincount(cell, weights))
    cuts = np.arange(1, n_bins) * ends[-1] / n_bins
    assert np.isin(cell[before != after], np.searchsorted(ends, cuts)).all()
    raw, new = (
        HistogramBinning(n_bins=n_bins).fit(s, labels, sample_weight=weights).predict(s)
        for s in (scores, rounded)
    )
    for bin_ in np.intersect1d(before, after):
        was, is_ = before == bin_, after == bin_
        kept = weights[was & is_].sum()
        moved = max(weights[was & ~is_].sum(), weights[~was & is_].sum())
        change = np.average(labels[is_], weights=weights[is_])
        np.testing.assert_allclose(new[is_], change, atol=TINY)
        change -= np.average(labels[was], weights=weights[was])
        np.testing.assert_allclose(raw[was] + change, new[is_][0], atol=TINY)
        assert abs(change) <= moved / (kept + moved) + TINY


def isotonic_change(labels, scores, rounded, weights):
    """Rows by score: fits before and after, weights, the largest cell, and eta after a check."""
    order = np.lexsort((scores, rounded))
    labels, scores, rounded, weights = (v[order] for v in (labels, scores, rounded, weights))
    raw, new = (
        IsotonicCalibrator().fit(s, labels, sample_weight=weights).predict(s)
        for s in (scores, rounded)
    )
    negative, positive = cells_of(rounded, labels, weights)
    slack = (negative * positive / (negative + positive)).max()
    total = weights.sum()
    path = np.append(0, np.cumsum(weights * (new - raw)))
    assert path.min() >= -TINY * total and path.max() <= slack + TINY * total
    ends = np.cumsum(weights)
    for step in (np.sqrt(slack), 3 * np.sqrt(slack), slack):
        if step > 0:  # rows that end a step to the left, and that begin a step to the right
            left = np.searchsorted(ends, ends - weights - step, side="right") - 1
            right = np.searchsorted(ends - weights, ends + step, side="left")
            within = (left >= 0) & (right < ends.size)
            here, below, above = new[within], raw[left[within]], raw[right[within]]
            assert (below - slack / step <= here + TINY).all()
            assert (here <= above + slack / step + TINY).all()
    return labels, weights, raw, new, (negative + positive).max() / total, slack / total


@pytest.mark.parametrize("seed", ATTACKS)
def test_isotonic_regression(seed):
    """In means over any run of rows, in squared mean, and between neighbours; not row by row."""
    labels, scores, weights, bound = attack(seed)
    rounded = rounded_scores(scores, bound)
    labels, weights, raw, new, largest, slack = isotonic_change(labels, scores, rounded, weights)
    assert slack <= largest / 4 + TINY
    assert np.average((new - raw) ** 2, weights=weights) <= largest / 2 + TINY
    losses = [np.average((labels - f) ** 2, weights=weights) for f in (raw, new)]
    assert -TINY <= losses[1] - losses[0] <= largest / 2 + TINY


@pytest.mark.parametrize("label", [0, 1])
@pytest.mark.parametrize("seed", ATTACKS)
def test_pairs_of_venn_abers(seed, label):
    """Values of isotonic regressions of the rows and one more, so what holds of these holds."""
    labels, scores, weights, bound = attack(seed)
    rng = np.random.default_rng([seed, label])
    at = rng.choice([rng.choice(scores), rng.random()])
    every = np.append(scores, at)
    rounded = rounded_scores(every, bound)
    rows = np.append(labels, label), np.append(weights, 1.0)
    for s in (every, rounded):
        pair = VennAbers().fit(s[:-1], labels, sample_weight=weights).predict_interval(s[-1:])
        among = IsotonicCalibrator().fit(s, rows[0], sample_weight=rows[1]).predict(s[-1:])
        np.testing.assert_allclose(pair[label], among, rtol=0, atol=TINY)
    isotonic_change(rows[0], every, rounded, rows[1])


def test_a_single_value_of_isotonic_regression_may_move_by_a_half():
    """However fine the grid: two rows of one cell that stand between the classes."""
    for bound in [0.1, 0.001, 1e-6]:
        scores = np.array([0.1, 0.6 + 1e-9, 0.6 + 2e-9, 0.9])
        labels = [0, 0, 1, 1]
        raw = IsotonicCalibrator().fit(scores, labels).predict(scores)
        rounded = rounded_scores(scores, bound)
        new = IsotonicCalibrator().fit(rounded, labels).predict(rounded)
        np.testing.assert_array_equal(new - raw, [0, 0.5, -0.5, 0])


FAMILIES = [
    (PlattScaling(), "score"),
    (PlattScaling(scale="logit"), "logit"),
    (BetaCalibration(), "logit"),
]


def lipschitz(model, scale):
    """Largest slope of the fitted log-odds on the scale that is rounded."""
    if isinstance(model, BetaCalibration):
        return max(abs(model.map_.a), abs(model.map_.b))
    return abs(model.slope_)


@pytest.mark.parametrize(("family", "scale"), FAMILIES, ids=str)
@pytest.mark.parametrize("seed", ATTACKS[:60])
def test_the_logistic_family(seed, family, scale):
    """The mean divergence of the two fits is at most delta times the sum of their slopes."""
    labels, scores, weights, bound = attack(seed)
    if seed % 3 == 0:
        return  # so few rows may be separable: no fit is best then, and slopes have no end
    scores = np.clip(scores, 0.01, 0.99)
    rounded = rounded_scores(scores, bound, scale=scale)
    first, second = (
        type(family)(**family.get_params()).fit(s, labels, sample_weight=weights)
        for s in (scores, rounded)
    )
    most = bound * (lipschitz(first, scale) + lipschitz(second, scale))
    p, q = first.predict(scores), inside(second.predict(scores))
    divergence = rel_entr(p, q) + rel_entr(1 - p, 1 - q)
    assert np.average(divergence, weights=weights) <= most + 1e-6
    assert np.average((p - q) ** 2, weights=weights) <= most / 2 + 1e-6


@pytest.mark.parametrize("seed", range(6))
def test_the_spline_moves_as_little(seed):
    """Its knots are quantiles of the scores, for which no bound is proved: a change as measured."""
    rng = np.random.default_rng(seed)
    scores = expit(1.5 * rng.normal(size=4000))
    labels = rng.random(4000) < expit(np.sin(2 * log_odds(scores)) + log_odds(scores))
    bound = 0.02
    rounded = rounded_scores(scores, bound, scale="logit")
    raw = SplineCalibrator().fit(scores, labels).predict(scores)
    new = SplineCalibrator().fit(rounded, labels).predict(rounded)
    assert np.sqrt(np.mean((raw - new) ** 2)) <= bound


def test_attacks_on_the_spline():
    """No bound is proved: what the attacks found, which the page says."""
    changes, parts = [], []
    for seed in ATTACKS:
        labels, scores, weights, bound = attack(seed)
        scores = np.clip(scores, 1e-4, 1 - 1e-4)
        rounded = rounded_scores(scores, bound, scale="logit")
        fits = [SplineCalibrator().fit(s, labels, sample_weight=weights) for s in (scores, rounded)]
        p, q = fits[0].predict(scores), inside(fits[1].predict(rounded))
        change = np.sqrt(np.average((p - q) ** 2, weights=weights))
        divergence = np.average(rel_entr(p, q) + rel_entr(1 - p, 1 - q), weights=weights)
        grids = [np.linspace(f.map_.low - 1, f.map_.high + 1, 2001) for f in fits]
        curves = [f.map_.logits(expit(grid)) for f, grid in zip(fits, grids, strict=True)]
        slopes = sum(np.abs(np.gradient(*pair)).max() for pair in zip(curves, grids, strict=True))
        if slopes > 0.01:
            parts.append(divergence / (bound * slopes))
        else:  # both are constant, but for rounding
            assert divergence < 1e-8
        changes.append(change / bound)
    assert 10 < len(parts) and max(parts) < 1
    assert max(parts) == pytest.approx(OF_BOUND, rel=0.1)
    assert max(changes) == pytest.approx(OF_DELTA, rel=0.1)


def test_the_grid():
    for scale, lowest in [("score", -3.0), ("logit", 0.0)]:
        scores = np.linspace(lowest, 1, 5001)
        for bound in [1e-4, 0.003, 0.5]:
            rounded = rounded_scores(scores, bound, scale=scale)
            values = log_odds(scores) if scale == "logit" else scores
            moved = np.abs((log_odds(rounded) if scale == "logit" else rounded) - values)
            assert moved[np.abs(values) < 20].max() <= bound + 1e-6
            np.testing.assert_allclose(
                rounded_scores(rounded, bound, scale=scale), rounded, rtol=0, atol=1e-12
            )
    assert np.unique(rounded_scores(np.random.default_rng(0).random(10**5), 0.001)).size == 540
    assert rounded_scores([], 0.1).size == 0
    np.testing.assert_array_equal(rounded_scores([0, 1], 0.5), [0.5, 0.5])
    np.testing.assert_array_equal(rounded_scores([5.0, -20.0], 10), [10, -10])
    far = np.array([1e300, -1.7e308, 2.0**60])
    np.testing.assert_array_equal(rounded_scores(far, 0.01), far)
    given = np.array([0.123])
    rounded_scores(given, 0.1)
    assert given == 0.123


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"bound": 0}, "bound must be a number between 0"),
        ({"bound": 0.1, "scale": "odds"}, "scale must be"),
        ({"bound": 0.1, "scale": "logit"}, r"scores must lie in \[0, 1\]"),
    ],
)
def test_what_is_no_grid_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        rounded_scores([2.0], **options)


def test_dealing_copies_is_the_hypergeometric_split():
    """A fold holds as many copies of a row as a split of all copies, one by one, gives it."""
    n, copies, folds = 20_000, 4, 5
    labels = np.zeros(n, np.uint8)
    dealt = deal(np.arange(n, dtype=float), labels, np.full(n, float(copies)), folds)
    np.testing.assert_array_equal(dealt.sum(axis=0), np.full(n, copies))
    np.testing.assert_array_equal(dealt.sum(axis=1), np.full(folds, n * copies / folds))
    law = hypergeom(n * copies, copies, n * copies // folds).pmf(np.arange(copies + 1))
    for fold in dealt:
        assert chisquare(np.bincount(fold.astype(int), minlength=copies + 1), n * law).pvalue > 1e-3
    together = np.bincount(fold[:-1].astype(int) + 5 * fold[1:].astype(int), minlength=25)
    pairs = np.outer(law, law).ravel() * (n - 1)  # of neighbours, which nearly are independent
    likely = pairs > 5
    assert (
        chisquare(
            together[likely], pairs[likely] * together[likely].sum() / pairs[likely].sum()
        ).pvalue
        > 1e-3
    )
