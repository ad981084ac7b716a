"""Smooth curves, their distances, the joint test, closed testing: what R's numbers do not test."""

import numpy as np
import pytest
from scipy.special import expit, logit
from scipy.stats import chi2
from sklearn.linear_model import LogisticRegression

from calib.metrics import brier_score_loss, score_decomposition
from calibkit.inference import (
    bootstrap_interval,
    brier_skill_interval,
    closed_testing_update,
    curve_distance_intervals,
    curve_distances,
    decision_curve,
    horizon_outcomes,
    loess_curve,
    mean_interval,
    recalibration_intervals,
    recalibration_test,
    spline_curve,
)


def drawn(seed, n=400, slope=1.0, intercept=0.0):
    """Predictions and outcomes whose true logits are a line of the predicted ones."""
    rng = np.random.default_rng(seed)
    logits = rng.normal(-1, 1.3, n)
    return (rng.random(n) < expit(intercept + slope * logits)).astype(int), expit(logits)


def clustered(seed, n_clusters, n=600):
    """Calibrated predictions; three tenths of a cluster's rows share one uniform number."""
    rng = np.random.default_rng(seed)
    probabilities = expit(rng.normal(-1, 1.3, n))
    clusters = rng.integers(0, n_clusters, n)
    common = rng.random(n_clusters)[clusters]
    uniform = np.where(rng.random(n) < 0.3, common, rng.random(n))
    return (uniform < probabilities).astype(int), probabilities, clusters


def local_quadratic(x, points, values):
    """The value at x of R's loess, by its definition and weighted least squares."""
    n = points.size
    distances = np.abs(points - x)
    width = np.sort(distances)[int(np.ceil(0.75 * n)) - 1]
    kernel = np.where(distances < width, (1 - (distances / width) ** 3) ** 3, 0)
    root = np.sqrt(kernel)
    design = np.vander(points - x, 3, increasing=True)
    return np.linalg.lstsq(root[:, None] * design, root * values, rcond=None)[0][0]


def test_loess_curve_is_its_definition():
    labels, p = drawn(0, n=101, slope=0.6)
    at = np.linspace(p.min(), p.max(), 7)
    expected = [local_quadratic(x, p, labels) for x in at]
    np.testing.assert_allclose(loess_curve(labels, p, at=at).observed, expected, atol=1e-9)


def test_loess_reproduces_a_parabola():
    """Outcomes of mean p squared, as two weighted rows at each prediction."""
    p = np.repeat(np.linspace(0.02, 0.98, 60), 2)
    labels = np.tile([0, 1], 60)
    weights = np.where(labels == 1, p**2, 1 - p**2)
    curve = loess_curve(labels, p, sample_weight=weights)
    np.testing.assert_allclose(curve.observed, curve.predicted**2, atol=1e-9)
    distances = curve_distances(labels, p, sample_weight=weights)
    assert distances.emax == pytest.approx(np.max(np.unique(p) - np.unique(p) ** 2))


def test_a_loess_variance_by_leaving_out_each_row():
    """The residual over 1 - h is that of the fit without the row, as long as windows do not move.

    With whole windows, which hold the same points with and without a row, the curve at a row is
    (1 - h) times the curve without it, plus h times its outcome.
    """
    from calibkit.inference.loess import loess_fit

    labels, p = drawn(1, n=50)
    fit = loess_fit(labels.astype(np.uint8), p, None)
    row = int(np.argsort(p)[25])
    place = fit.point_of_row[row]
    pull = fit.at_points[place, place]
    moved = labels.copy()
    moved[row] = 1 - labels[row]
    other = loess_fit(moved.astype(np.uint8), p, None)
    change = abs(other.curve[place] - fit.curve[place])
    assert change == pytest.approx(pull)
    assert fit.freed[place] == pytest.approx(1 / (1 - pull))


@pytest.mark.parametrize("curve_of", [loess_curve, spline_curve])
def test_bands_hold_the_curve(curve_of):
    """The true curve is a line of logits; loess smooths it hardly at three quantiles."""
    at = expit([-2, -1, 0])
    held = np.zeros(3)
    for seed in range(200):
        labels, p = drawn(seed, n=500, slope=0.7)
        curve = curve_of(labels, p, at=at)
        truth = expit(0.7 * logit(at))
        held += (curve.lower <= truth) & (truth <= curve.upper)
    assert np.all(held / 200 >= 0.88)
    assert np.all(held / 200 <= 1)


@pytest.mark.parametrize("curve_of", [loess_curve, spline_curve])
def test_bands_are_wider_where_rows_are_copies(curve_of):
    """Ten copies of each row in one cluster tell as much as the rows once."""
    labels, p = drawn(2, n=300)
    at = expit([-2, -1, 0])
    once = curve_of(labels, p, at=at, clusters=np.arange(300))
    copies = curve_of(np.tile(labels, 10), np.tile(p, 10), at=at, clusters=np.tile(range(300), 10))
    np.testing.assert_allclose(copies.observed, once.observed, atol=0.002)
    ratio = (copies.upper - copies.lower) / (once.upper - once.lower)
    assert np.all((ratio > 0.85) & (ratio < 1.15))


def test_distances_of_copies_have_the_limits_of_the_rows():
    labels, p = drawn(3, n=300, slope=0.6)
    once = curve_distance_intervals(labels, p)
    of_copies = curve_distance_intervals(
        np.tile(labels, 5), np.tile(p, 5), clusters=np.tile(range(300), 5)
    )
    reach = [interval.upper - interval.estimate for interval in once]
    reach_of_copies = [interval.upper - interval.estimate for interval in of_copies]
    np.testing.assert_allclose(reach_of_copies, reach, rtol=0.2)
    independent = curve_distance_intervals(np.tile(labels, 5), np.tile(p, 5))
    assert independent.ici.error < 0.6 * of_copies.ici.error


def test_limits_of_distances_hold_for_calibrated_predictions():
    """The distance of the true curve is 0, which the usual bootstrap never holds."""
    held = np.zeros(4)
    for seed in range(150):
        labels, p = drawn(seed, n=300)
        intervals = curve_distance_intervals(labels, p, n_resamples=200)
        held += [interval.lower == 0 for interval in intervals]
    assert np.all(held / 150 >= 0.85)


def test_limits_of_distances_find_an_error():
    labels, p = drawn(4, n=2000, slope=0.5)
    intervals = curve_distance_intervals(labels, p)
    assert intervals.ici.lower > 0.03
    assert intervals == curve_distance_intervals(labels, p)  # the seed is fixed
    assert intervals != curve_distance_intervals(labels, p, random_state=1)
    narrow = curve_distance_intervals(labels, p, confidence=0.5)
    assert narrow.ici.upper < intervals.ici.upper


@pytest.mark.parametrize("n_clusters", [None, 20, 50])
def test_the_joint_test_holds_its_level(n_clusters):
    rejected = 0
    for seed in range(400):
        if n_clusters is None:
            labels, p = drawn(seed)
            clusters = None
        else:
            labels, p, clusters = clustered(seed, n_clusters)
        rejected += recalibration_test(labels, p, clusters=clusters).p_value <= 0.05
    assert 0.015 <= rejected / 400 <= 0.09


def test_the_joint_test_with_single_rows_as_clusters():
    """Wald's statistic by the sandwich is near the likelihood ratio if the line is right."""
    labels, p = drawn(5, n=3000, slope=0.9, intercept=-0.1)
    ratio = recalibration_test(labels, p)
    wald = recalibration_test(labels, p, clusters=np.arange(3000))
    assert wald.statistic == pytest.approx(ratio.statistic, rel=0.1)
    assert wald.p_value == pytest.approx(ratio.p_value, rel=0.5)


def test_the_joint_test_agrees_with_the_limits_of_one_coefficient():
    """A statistic of one degree: the square of the estimate over its error."""
    from calibkit.inference.coefficients import FittedRegression, WeightedRows

    labels, p, clusters = clustered(6, 40)
    interval = recalibration_intervals(labels, p, clusters=clusters).in_the_large
    ones = np.ones(labels.size)
    rows = WeightedRows(labels=labels, weights=ones, counts=ones, codes=clusters)
    fit = FittedRegression(
        rows=rows, fitted=expit(logit(p) + interval.estimate), design=ones[np.newaxis]
    )
    result = fit.wald_test(np.array([interval.estimate]))
    assert result.statistic == pytest.approx((interval.estimate / interval.error) ** 2)


def test_one_cluster_that_tells_the_line_proves_nothing():
    labels = np.array([0, 1, 0, 1, 0, 1, 0, 1])
    p = np.array([0.5, 0.5, 0.5, 0.5, 0.7, 0.2, 0.2, 0.7])
    clusters = [0, 0, 1, 1, 2, 2, 2, 2]
    result = recalibration_test(labels, p, clusters=clusters)
    assert result.p_value == 1


@pytest.mark.parametrize(
    "measure",
    [
        recalibration_test,
        lambda *rows, **weights: spline_curve(*rows, at=[0.2, 0.5], **weights),
        lambda *rows, **weights: list(closed_testing_update(*rows, **weights).p_values.values()),
    ],
)
def test_counts_give_what_rows_give(measure):
    rng = np.random.default_rng(10)
    labels, p = drawn(10, n=200, slope=0.6)
    copies = rng.integers(0, 4, 200)
    of_counts = measure(labels, p, sample_weight=copies)
    of_rows = measure(np.repeat(labels, copies), np.repeat(p, copies))
    np.testing.assert_allclose(np.ravel(of_counts), np.ravel(of_rows), rtol=1e-8)


def test_the_scaled_brier_score_and_its_limits():
    labels, p = drawn(7, n=600)
    parts = score_decomposition(labels, p)
    interval = brier_skill_interval(labels, p)
    assert interval.estimate == pytest.approx(1 - parts.score / parts.uncertainty)

    def skill(labels, probabilities, sample_weight=None):
        rate = np.average(labels, weights=sample_weight)
        score = brier_score_loss(labels, probabilities, sample_weight=sample_weight)
        return 1 - score / (rate * (1 - rate))

    bootstrapped = bootstrap_interval(skill, labels, p, n_resamples=2000)
    assert interval.error == pytest.approx(bootstrapped.error, rel=0.08)
    of_pairs = brier_skill_interval(
        np.repeat(labels, 2), np.repeat(p, 2), clusters=np.repeat(np.arange(600), 2)
    )
    assert of_pairs.error == pytest.approx(interval.error, rel=0.01)
    with pytest.raises(ValueError, match="no score of the base rate"):
        brier_skill_interval([1, 1], [0.5, 0.6])


def test_standardised_net_benefit_of_perfect_predictions_is_1():
    curve = decision_curve([0, 1, 1, 0], [0.0, 1.0, 1.0, 0.0], thresholds=[0.1, 0.9])
    np.testing.assert_allclose(curve.standardised, 1)
    labels, p = drawn(8)
    curve = decision_curve(labels, p, thresholds=[0.2])
    assert curve.standardised[0] == pytest.approx(curve.net_benefit[0] / labels.mean())
    assert np.isnan(decision_curve([0, 0], [0.1, 0.2], thresholds=[0.05]).standardised[0])


def features_of(seed, n=600, change=0.0):
    """Features, predictions of a model on them, and outcomes where one coefficient has changed."""
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(n, 3))
    logits = -1 + features @ [1.0, -0.5, 0.3]
    labels = (rng.random(n) < expit(logits + change * features[:, 1])).astype(int)
    return labels, expit(logits), features


def test_a_revision_is_a_logistic_regression():
    labels, p, features = features_of(9, change=1.0)
    update = closed_testing_update(labels, p, features=features)
    assert update.method == "revision"
    model = LogisticRegression(C=np.inf, tol=1e-10, max_iter=1000).fit(features, labels)
    expected = np.append(model.intercept_, model.coef_)
    np.testing.assert_allclose(update.coefficients, expected, atol=1e-4)
    fitted = expit(update.coefficients[0] + features @ update.coefficients[1:])
    gain = np.sum(np.log(np.where(labels == 1, fitted / p, (1 - fitted) / (1 - p))))
    assert update.p_values["none"] == pytest.approx(chi2.sf(2 * gain, 4))
    assert list(update.p_values) == ["none", "intercept", "intercept and slope"]


def test_closed_testing_chooses_the_update_that_is_needed():
    chosen = {
        closed_testing_update(*drawn(seed, n=2000, slope=slope, intercept=shift)).method
        for seed in range(5)
        for slope, shift in [(1, 0.5)]
    }
    assert chosen <= {"intercept", "intercept and slope"}
    update = closed_testing_update(*drawn(0, n=4000, slope=0.5, intercept=0.3))
    assert update.method == "intercept and slope"
    assert update.slope == pytest.approx(0.5, abs=0.1)
    labels, p, features = features_of(1)
    assert closed_testing_update(labels, p, features=features).method == "none"


@pytest.mark.parametrize("with_features", [False, True])
def test_closed_testing_seldom_updates_a_model_that_is_right(with_features):
    updated = 0
    for seed in range(400):
        labels, p, features = features_of(seed, n=400)
        update = closed_testing_update(labels, p, features=features if with_features else None)
        updated += update.method != "none"
    assert updated / 400 <= 0.085


def test_features_of_another_model_are_refused():
    labels, p, features = features_of(2)
    with pytest.raises(ValueError, match="features must belong to the logistic regression"):
        closed_testing_update(labels, p, features=features[:, :2])
    with pytest.raises(ValueError, match="features must be a table of finite numbers with 600"):
        closed_testing_update(labels, p, features=features[:5])


def test_predictions_of_0_and_1_are_refused_where_logits_are_needed():
    for function in (spline_curve, recalibration_test, closed_testing_update):
        with pytest.raises(ValueError, match="strictly between 0 and 1"):
            function([0, 1, 0, 1], [0.0, 0.3, 0.6, 0.9])
    with pytest.raises(ValueError, match="at must lie strictly between"):
        spline_curve([0, 1, 0, 1] * 9, [0.2, 0.3, 0.6, 0.9] * 9, at=[0.0])


def test_a_spline_of_separated_classes_is_refused():
    p = np.linspace(0.1, 0.9, 40)
    with pytest.raises(ValueError, match="no finite curve fits"):
        spline_curve((p > 0.5).astype(int), p)


def censored(seed, n=300, rate=0.45):
    """Calibrated risks of an event by time 1; three rows of ten are censored before."""
    rng = np.random.default_rng(seed)
    risk = expit(rng.normal(-1, 1.2, n))
    times = rng.exponential(size=n) / -np.log1p(-risk)
    ends = rng.exponential(size=n) / rate
    return risk, np.minimum(times, ends), (times <= ends).astype(int)


def test_censored_rows_have_no_weight_and_the_others_make_up_for_them():
    _, times, events = censored(0)
    labels, weights = horizon_outcomes(times, events, horizon=1.0)
    is_lost = (times < 1) & (events == 0)
    assert 0.25 < is_lost.mean() < 0.35
    np.testing.assert_array_equal(weights == 0, is_lost)
    assert weights.sum() == pytest.approx(300)
    np.testing.assert_array_equal(labels == 1, (times <= 1) & (events == 1))
    order = np.random.default_rng(1).permutation(300)
    shuffled = horizon_outcomes(times[order], events[order], horizon=1.0)
    np.testing.assert_allclose(shuffled.weights, weights[order], rtol=1e-12)


def test_censoring_at_the_horizon_itself_loses_nothing():
    labels, weights = horizon_outcomes([0.5, 1, 1, 1], [1, 0, 0, 1], horizon=1)
    assert (labels.tolist(), weights.tolist()) == ([1, 0, 0, 1], [1, 1, 1, 1])


def test_levels_hold_under_three_tenths_of_censoring():
    rejected, held, naive = 0, np.zeros(2), 0
    for seed in range(300):
        risk, times, events = censored(seed)
        labels, weights = horizon_outcomes(times, events, horizon=1.0)
        result = recalibration_test(labels, risk, sampling_weight=weights)
        rejected += result.p_value <= 0.05
        slope = recalibration_intervals(labels, risk, sampling_weight=weights).slope
        bias = mean_interval(labels - risk, sampling_weight=weights)
        held += [slope.lower <= 1 <= slope.upper, bias.lower <= 0 <= bias.upper]
        naive += recalibration_test(labels, risk).p_value <= 0.05
    assert rejected / 300 <= 0.08
    assert np.all(held / 300 >= 0.92)
    assert naive / 300 > 0.2  # censored rows taken for rows without an event


@pytest.mark.parametrize(
    ("times", "events", "horizon", "message"),
    [
        ([1, 2], [1, 0], 3, "times must reach the horizon 3"),
        ([-1, 2], [1, 0], 1, "times must not be negative"),
        ([1, 2], [1, 2], 1, "events must"),
        ([1, 2], [1, 0.5], 1, "events must be 0/1 or bool"),
        ([1, 2], [1], 1, "events has 1 rows"),
        ([1, 2], [1, 0], 0, "horizon must be"),
    ],
)
def test_bad_times_are_refused(times, events, horizon, message):
    with pytest.raises(ValueError, match=message):
        horizon_outcomes(times, events, horizon=horizon)
