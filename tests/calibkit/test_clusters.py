"""Rows of patients: tests and intervals over clusters, and a test that finds copies."""

from importlib import import_module

import numpy as np
import pytest
from scipy.special import expit, logit
from scipy.stats import binom, norm
from scipy.stats import t as student
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import roc_auc_score

from calib.metrics import brier_score_loss
from calibkit.inference import (
    auc_difference,
    auc_interval,
    bootstrap_by_group,
    bootstrap_difference,
    bootstrap_interval,
    cluster_tests,
    copies_test,
    decision_curve,
    decision_gains,
    kuiper_error,
    kuiper_test,
    mean_interval,
    recalibration_intervals,
    recalibration_line,
    spiegelhalter_test,
)
from calibkit.inference.cluster_tests import cluster_scan
from calibkit.report import make_report


def patients(seed=0, n=60, most=9):
    """Names, outcomes that go together, and calibrated predictions, of unequal clusters."""
    rng = np.random.default_rng(seed)
    clusters = np.repeat(np.arange(n), rng.integers(1, most, n))
    p = rng.random(clusters.size).round(2).clip(0.01, 0.99)
    same = rng.random(n)[clusters]
    labels = np.where(rng.random(p.size) < 0.5, same, rng.random(p.size)) < p
    return np.array([f"no. {c}" for c in clusters]), labels.astype(int), p


CLUSTERS, LABELS, P = patients()
NAMES = np.unique(CLUSTERS)


def of(name):
    return name == CLUSTERS


def test_the_variance_is_the_larger_of_two():
    r, v = LABELS - P, P * (1 - P)
    inside = CLUSTERS[:, None] == CLUSTERS
    plain = r @ inside @ r
    apart = inside & ~np.eye(r.size, dtype=bool)
    rho = max(r @ apart @ r / (np.sqrt(v) @ apart @ np.sqrt(v)), 0)
    variance = max(plain, v.sum() + rho * np.sqrt(v) @ apart @ np.sqrt(v))
    found = cluster_tests(LABELS, P, CLUSTERS, n_resamples=9)
    assert found.effect == pytest.approx(max(1, variance / v.sum()), rel=1e-9)
    statistic = kuiper_error(LABELS, P) * r.size / np.sqrt(variance)
    assert found.kuiper.statistic == pytest.approx(statistic, rel=1e-9)
    sums = np.array([r[of(name)].sum() for name in NAMES])
    t = sums.mean() / (sums.std(ddof=1) / np.sqrt(sums.size)) / np.sqrt(variance / plain)
    assert found.bias.statistic == pytest.approx(t, rel=1e-9)
    assert found.bias.p_value == pytest.approx(2 * student.sf(abs(t), sums.size - 1), rel=1e-9)


def test_the_signs_of_kuiper_are_those_of_clusters():
    n = 20
    p, labels = np.full(4 * n, 0.5), np.tile([0, 1, 1, 1], n)
    clusters = np.repeat(np.arange(n), 4)
    labels[:16] = np.tile([1, 0, 0, 0], 4)  # four patients the other way: sums of 12 signs
    found = cluster_tests(labels, p, clusters, n_resamples=9999).kuiper
    expected = 2 * binom.sf(15, n, 0.5)  # 16 or more signs alike
    assert found.p_value == pytest.approx(expected, abs=0.0015)


def test_single_rows_are_clusters_of_one():
    rng = np.random.default_rng(3)
    p = rng.random(2000)
    labels = rng.random(2000) < p**1.1
    found = cluster_tests(labels, p, np.arange(2000))
    assert found.effect == pytest.approx(1, abs=0.1)
    z = spiegelhalter_test(labels, p).statistic
    assert abs(found.spiegelhalter.statistic) == pytest.approx(abs(z), rel=0.1)
    assert found.kuiper.p_value == pytest.approx(kuiper_test(labels, p).p_value, abs=0.04)


@pytest.mark.parametrize("constant", [True, False])
def test_patients_with_equal_rows_are_rejected_as_often_as_asked(constant):
    """500 patients, eight equal rows each, truth .3: taken as rows, many are rejected."""
    rng = np.random.default_rng(0)
    clusters, rejected, of_rows, runs = np.repeat(np.arange(500), 8), np.zeros(3), 0, 100
    for _ in range(runs):
        p = np.full(500, 0.3) if constant else rng.random(500)
        labels, p = (rng.random(500) < p)[clusters], p[clusters]
        found = cluster_tests(labels, p, clusters, n_resamples=99, random_state=rng)
        rejected += [test.p_value <= 0.05 for test in found[:3]]
        of_rows += kuiper_test(labels, p).p_value <= 0.05
    assert np.all(np.abs(rejected / runs - 0.05) <= 3 * np.sqrt(0.05 * 0.95 / runs))
    assert of_rows / runs > 0.3


def test_too_few_clusters_are_refused():
    with pytest.raises(ValueError, match="clusters holds 60 clusters, which tell as much as"):
        cluster_tests(LABELS, np.full(P.size, 0.01), CLUSTERS)
    with pytest.raises(ValueError, match="clusters holds one cluster only"):
        mean_interval(P, clusters=np.zeros(P.size))
    with pytest.raises(ValueError, match="clusters has 3 rows but probabilities has"):
        cluster_tests(LABELS, P, [1, 2, 3])


def test_a_mean_has_the_interval_of_the_jackknife():
    values = LABELS - P
    found = mean_interval(values, clusters=CLUSTERS)
    left_out = np.array([values[~of(name)].mean() for name in NAMES])
    n = NAMES.size
    error = np.sqrt((n - 1) / n * np.sum((left_out - values.mean()) ** 2))
    assert found.error == pytest.approx(error, rel=1e-9)
    sizes = np.array([np.count_nonzero(of(name)) for name in NAMES])
    residuals = values - values.mean()
    products = sum(residuals[of(name)].sum() ** 2 for name in NAMES) - np.sum(residuals**2)
    rho = min(max(products / np.mean(residuals**2) / np.sum(sizes * (sizes - 1)), 0), 1)
    assert 0.05 < rho < 0.95
    parts = sizes * (1 + rho * (sizes - 1))  # variances of the sums of clusters, up to a factor
    freedom = parts.sum() ** 2 / np.sum(parts**2) - 1
    assert found.upper - found.estimate == pytest.approx(error * student.ppf(0.975, freedom))


def test_an_auc_has_obuchowskis_error():
    positive = LABELS == 1
    wins = np.heaviside(P[positive][:, None] - P[~positive], 0.5)
    area = roc_auc_score(LABELS, P)
    deviations = np.empty(P.size)
    deviations[positive] = (wins.mean(axis=1) - area) / positive.sum()
    deviations[~positive] = (wins.mean(axis=0) - area) / (~positive).sum()
    sums = np.array([deviations[of(name)].sum() for name in NAMES])
    error = np.sqrt(np.sum(sums**2) * sums.size / (sums.size - 1))
    found = auc_interval(LABELS, P, clusters=CLUSTERS)
    assert found[::3] == pytest.approx((area, error), rel=1e-9)
    difference = auc_difference(LABELS, P, 1 - P, clusters=CLUSTERS)
    assert difference[::3] == pytest.approx((2 * area - 1, 2 * error), rel=1e-9)


def test_a_slope_has_the_jackknife_of_clusters():
    line = recalibration_line(LABELS, P)
    design = np.column_stack([logit(P), np.ones(P.size)])
    q = expit(design @ [line.slope, line.intercept])
    gradients, curvature = design * (LABELS - q)[:, None], design.T * (q * (1 - q))
    steps = []
    for name in NAMES:
        others = curvature[:, ~of(name)] @ design[~of(name)]
        steps.append(np.linalg.solve(others, gradients[of(name)].sum(axis=0)))
    n = NAMES.size
    errors = np.sqrt((n - 1) / n * np.sum(np.square(steps), axis=0))
    found = recalibration_intervals(LABELS, P, clusters=CLUSTERS)
    assert (found.slope.error, found.intercept.error) == pytest.approx(errors)
    left_out = np.array(
        [recalibration_line(LABELS[~of(name)], P[~of(name)]).slope for name in NAMES]
    )
    jackknife = np.sqrt((n - 1) / n * np.sum((left_out - line.slope) ** 2))
    assert found.slope.error == pytest.approx(jackknife, rel=0.05)


def test_a_cluster_that_tells_the_line_alone_leaves_it_without_limits():
    labels, p = [0, 1, 0, 1, 0, 1], [0.2, 0.3, 0.5, 0.7, 0.4, 0.4]
    found = recalibration_intervals(labels, p, clusters=[1, 1, 1, 1, 2, 3])
    assert (found.slope.lower, found.slope.upper) == (-np.inf, np.inf)
    assert np.isfinite(found.in_the_large).all()


@pytest.mark.parametrize("threshold", [0.2, 0.5, 0.8])
def test_gains_of_decisions_have_the_error_of_clusters(threshold):
    clusters, labels, p = patients(n=8000)
    odds = threshold / (1 - threshold)
    of_all = decision_curve(labels, p, thresholds=[threshold]).act_on_all[0] > 0
    values = ((p > threshold) - float(of_all)) * np.where(labels == 1, 1, -odds)
    reach = 1.959964 * mean_interval(values, clusters=clusters).error
    found = decision_gains(labels, p, thresholds=[threshold], clusters=clusters)
    assert found.gain[0] == pytest.approx(values.mean(), abs=1e-12)
    assert found.upper[0] - found.gain[0] == pytest.approx(reach, rel=0.05)
    assert found.gain[0] - found.lower[0] == pytest.approx(reach, rel=0.05)


def test_equal_rows_of_a_cluster_count_as_one_for_gains():
    """With 1 and 5 rows of a class that differ, or none."""
    p = np.repeat([0.1, 0.6], 300)
    labels = np.r_[np.arange(300) < 5, np.arange(300) < 180]
    for thresholds in ([0.3], [0.05], [0.7]):
        one = decision_gains(labels, p, thresholds=thresholds)
        four = decision_gains(
            np.repeat(labels, 4),
            np.repeat(p, 4),
            thresholds=thresholds,
            clusters=np.repeat(np.arange(600), 4),
        )
        np.testing.assert_allclose(np.array(four), np.array(one), rtol=0.01)


def test_a_bootstrap_draws_clusters():
    found = bootstrap_interval(brier_score_loss, LABELS, P, n_resamples=400, clusters=CLUSTERS)
    by_mean = mean_interval((LABELS - P) ** 2, clusters=CLUSTERS)
    assert found.error == pytest.approx(by_mean.error, rel=0.15)
    shuffled = np.random.default_rng(1).permutation(P.size)
    columns = (column[shuffled] for column in (LABELS, P))
    again = bootstrap_interval(
        brier_score_loss, *columns, n_resamples=400, clusters=CLUSTERS[shuffled]
    )
    assert again == pytest.approx(found, abs=1e-9)
    pair = bootstrap_difference(
        brier_score_loss, LABELS, P, P**2, n_resamples=400, clusters=CLUSTERS
    )
    gains = (LABELS - P) ** 2 - (LABELS - P**2) ** 2
    assert pair.error == pytest.approx(mean_interval(gains, clusters=CLUSTERS).error, rel=0.15)
    halves = np.where(P < 0.5, "low", "high")
    by_group = bootstrap_by_group(
        brier_score_loss, LABELS, P, halves, n_resamples=400, clusters=CLUSTERS
    )
    low = halves == "low"
    alone = mean_interval((LABELS[low] - P[low]) ** 2, clusters=CLUSTERS[low])
    assert by_group["low"].error == pytest.approx(alone.error, rel=0.15)


def test_weights_are_copies_within_a_cluster():
    copies = np.random.default_rng(2).integers(0, 3, P.size)
    rows = np.repeat(np.arange(P.size), copies)
    for measure in (cluster_tests, auc_interval, recalibration_intervals, decision_gains):
        columns = (LABELS, P)
        weighted = measure(*columns, clusters=CLUSTERS, sample_weight=copies)
        repeated = measure(*(c[rows] for c in columns), clusters=CLUSTERS[rows])
        for one, other in zip(weighted, repeated, strict=True):
            np.testing.assert_allclose(np.array(one), np.array(other), rtol=1e-8)
    weighted = mean_interval(P, clusters=CLUSTERS, sample_weight=copies)
    assert weighted == pytest.approx(mean_interval(P[rows], clusters=CLUSTERS[rows]))


# Copies


def test_copies_are_found_and_ties_are_not():
    data, labels = load_breast_cancer(return_X_y=True)
    for seed in range(5):
        rng = np.random.default_rng(seed)
        scores = rng.random(500)
        drawn = rng.random(500) < scores
        assert copies_test(np.repeat(drawn, 8), np.repeat(scores, 8)).found
        assert not copies_test(drawn, scores.round(2)).found
        rows = rng.permutation(labels.size)
        forest = RandomForestClassifier(60, random_state=seed).fit(
            data[rows[:285]], labels[rows[:285]]
        )
        tested = rows[285:]
        assert not copies_test(labels[tested], forest.predict_proba(data[tested])[:, 1]).found


def test_weights_are_tested_as_the_rows_that_they_count():
    rng = np.random.default_rng(3)
    counts = rng.integers(0, 5, P.size)
    copied = copies_test(np.repeat(LABELS, counts), np.repeat(P.round(1), counts))
    assert copies_test(LABELS, P.round(1), sample_weight=counts) == pytest.approx(copied)
    scores = rng.random(200)
    labels = rng.random(200) < scores
    assert copies_test(labels, scores, sample_weight=np.full(200, 10)).found
    assert not copies_test(labels, scores, sample_weight=np.ones(200)).found
    with pytest.raises(ValueError, match="whole numbers"):
        copies_test(LABELS, P, sample_weight=np.full(P.size, 0.5))


def test_differences_by_brute_force():
    scores, labels = P.round(1), LABELS
    values = np.unique(scores)
    parts = [labels[scores == value] for value in values]
    differing = expected = 0.0
    for i, part in enumerate(parts):
        pairs = [a != b for j, a in enumerate(part) for b in part[:j]]
        beside = [parts[j] for j in (i - 1, i + 1) if 0 <= j < len(parts)]
        differing += np.mean(pairs)
        expected += np.mean([np.mean(part[:, None] != other) for other in beside])
    found = copies_test(labels, scores)
    assert found[1:3] == pytest.approx((differing, expected))


# One test of all ranges and groups


def test_one_range_is_tested_by_its_sum():
    """Of equal predictions there is one range, and the law is that of a normal sum."""
    labels, p, weights = LABELS, np.full(LABELS.size, 0.4), np.ones(LABELS.size)
    _, codes = np.unique(CLUSTERS, return_inverse=True)
    same = np.zeros(LABELS.size, int)
    r, inside = labels - p, (codes[:, None] == codes) & ~np.eye(labels.size, dtype=bool)
    plain, v = r @ r + r @ inside @ r, 0.4 * 0.6
    rho = max(r @ inside @ r / (v * inside.sum()), 0)
    z = abs(r.sum()) / np.sqrt(max(plain, v * (labels.size + rho * inside.sum())))
    found = cluster_scan(labels, p, codes, same, weights, 9999)
    assert found == {None: pytest.approx(2 * norm.sf(z), abs=0.02)}
    rows = np.repeat(np.arange(labels.size), 2)
    twice = cluster_scan(labels[rows], p[rows], codes[rows], same[rows], weights[rows], 9999)
    counted = cluster_scan(labels, p, codes, same, 2 * weights, 9999)
    assert twice == counted == {None: pytest.approx(found[None], abs=0.02)}


def test_a_range_or_group_of_too_little_is_left_out():
    _, codes = np.unique(CLUSTERS, return_inverse=True)
    few = np.arange(LABELS.size) < 12
    found = cluster_scan(LABELS, P, codes, few * 1, np.ones(LABELS.size), 99)
    assert set(found) == {None, 0}
    none = np.full(LABELS.size, 0.01)
    assert cluster_scan(LABELS, none, codes, few * 1, np.ones(LABELS.size), 99) == {}


@pytest.mark.parametrize("most", [4000, 150])
def test_the_whole_test_rejects_as_often_as_asked(monkeypatch, most):
    """Three groups of patients with equal rows; also where clusters are put into bundles."""
    monkeypatch.setattr(import_module("calibkit.inference.cluster_tests"), "MAX_SIGN_BUNDLES", most)
    rng = np.random.default_rng(1)
    clusters, runs, rejected, found = np.repeat(np.arange(300), 6), 150, 0, 0
    for _ in range(runs):
        p = rng.random(300)
        labels, groups = (rng.random(300) < p)[clusters], (clusters % 3)
        columns = p[clusters], clusters, groups, np.ones(1800), 199, rng
        rejected += min(cluster_scan(labels, *columns).values()) <= 0.05
        off = (rng.random(300) < np.where(np.arange(300) % 3 == 2, p**3, p))[clusters]
        p_values = cluster_scan(off, *columns)
        found += p_values[2] <= 0.05
        assert set(p_values) == {None, 0, 1, 2}
    assert abs(rejected / runs - 0.05) <= 3 * np.sqrt(0.05 * 0.95 / runs)
    assert found / runs > 0.8


def test_a_report_of_clusters_names_the_group_that_is_off():
    rng = np.random.default_rng(0)
    p, clusters = rng.random(400), np.repeat(np.arange(400), 4)
    off = np.arange(400) % 2 == 1
    labels = rng.random(400) < np.where(off, p**3, p)
    groups = np.where(off, "off", "right")[clusters]
    found = make_report(p[clusters], labels[clusters], clusters=clusters, groups=groups).verdict
    assert found.outcome == "miscalibrated" and found.groups == ("off",)
    assert found.place.observed < found.place.predicted


# The report


def test_a_report_of_patients_counts_patients():
    rng = np.random.default_rng(0)
    p = rng.random(200)
    labels, clusters = rng.random(200) < p, np.repeat(np.arange(200), 8)
    rows = make_report(p[clusters], labels[clusters])
    found = make_report(p[clusters], labels[clusters], clusters=clusters, groups=clusters % 3)
    assert rows.verdict.outcome == "cannot say" and found.verdict.outcome == "no evidence"
    assert "duplicated rows" in {caution.kind for caution in rows.cautions}
    assert "duplicated rows" not in {caution.kind for caution in found.cautions}
    wide, narrow = (
        {e.key: e.upper - e.lower for e in report.measures if e.upper is not None}
        for report in (found, rows)
    )
    for key in ("observed_rate", "bias", "brier", "log_loss", "auc", "slope", "in_the_large"):
        assert wide[key] / narrow[key] == pytest.approx(np.sqrt(8), rel=0.1), key
    assert found.groups[0].total == np.count_nonzero(clusters % 3 == 0)
    assert sum(bin_.count for bin_ in found.bins) == 1600
    assert found.curve.holds_diagonal and not rows.curve.holds_diagonal
    assert rows.comparison is None
    assert found.advice[0].startswith("Calibrate with the default, StackedCalibrator()")
    assert "Rows of one cluster" in found.to_html()
