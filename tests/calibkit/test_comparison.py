"""Comparison of calibrators: recomputed by plain loops, intervals and choices against the truth."""

import re

import numpy as np
import pandas as pd
import pytest
from scipy.special import logit
from scipy.stats import t as student
from sklearn.base import clone
from sklearn.isotonic import IsotonicRegression
from sklearn.model_selection import GroupKFold, RepeatedStratifiedKFold, StratifiedKFold
from test_selection import Unweighted

from calib import (
    BBQ,
    HistogramBinning,
    IsotonicCalibrator,
    KernelCalibrator,
    PlattScaling,
    StackedCalibrator,
    VennAbers,
    shift_odds,
)
from calib.base.calibrator import Calibrator, OneClassWarning
from calib.metrics import (
    brier_score_loss,
    expected_calibration_error,
    log_loss,
    roc_auc_score,
    score_decomposition,
)
from calibkit import comparison
from calibkit.cli import arguments, learn
from calibkit.comparison import Offset, compare
from calibkit.comparison.cross_validation import ComparedSample, repeated_folds
from calibkit.comparison.guide import BOUNDS, LOSS_NAMES, advice_to_calibrate
from calibkit.groups import MondrianVennAbers, Multicalibration
from calibkit.inference import kuiper_error
from calibkit.inference.bootstrap import Interval
from calibkit.inference.digits import decimals_between, decimals_of_column
from calibkit.inference.simultaneous_intervals import simultaneous_intervals

FEW = {"logits": PlattScaling(scale="logit"), "bins": HistogramBinning(), "venn": VennAbers()}


def sample(n=200, seed=0, power=1.0):
    """Uniform probabilities, distorted by a power."""
    rng = np.random.default_rng(seed)
    truth = rng.random(n)
    return truth**power, (rng.random(n) < truth).astype(int)


# What is measured


def test_a_plain_loop_finds_the_same():
    scores, labels = sample(150, power=2.0)
    found = compare(scores, labels, {"venn": VennAbers()}, cv=3, n_repeats=2, random_state=7)
    rows, folds, repeats = {"log": [], "brier": []}, [], []
    splitter = RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=7)
    for i, (training, test) in enumerate(splitter.split(scores, labels)):
        if i % 3 == 0:
            p, aucs = np.empty(150), ([], [])
            repeats.append((p, aucs))
        p[test] = VennAbers().fit(scores[training], labels[training]).predict(scores[test])
        z, q = labels[test], p[test]
        folds.append(log_loss(z, q) > log_loss(z, scores[test]))
        aucs[0].append(roc_auc_score(z, q))
        aucs[1].append(z.sum() * (z.size - z.sum()))
    for p, _ in repeats:
        rows["log"].append(-np.log(np.where(labels, p, 1 - p)))
        rows["brier"].append((p - labels) ** 2)
    venn, raw = found.results["venn"], found.results["Raw"]
    log, brier = (np.mean(rows[kind]) for kind in ("log", "brier"))
    assert venn.log_loss == pytest.approx(log, abs=1e-12)
    assert venn.brier == pytest.approx(brier, abs=1e-12)
    assert raw.log_loss == pytest.approx(log_loss(labels, scores), abs=1e-12)
    assert raw.brier == pytest.approx(brier_score_loss(labels, scores), abs=1e-12)
    assert venn.log_gain.estimate == pytest.approx(raw.log_loss - log, abs=1e-12)
    assert venn.brier_gain.estimate == pytest.approx(raw.brier - brier, abs=1e-12)
    assert venn.harm == np.mean(folds) and raw.harm == 0
    parts = [score_decomposition(labels, p) for p, _ in repeats]
    assert venn.miscalibration == pytest.approx(np.mean([x.miscalibration for x in parts]))
    assert venn.discrimination == pytest.approx(np.mean([x.discrimination for x in parts]))
    errors = [expected_calibration_error(labels, p, n_bins="cube_root") for p, _ in repeats]
    assert venn.expected_calibration_error == pytest.approx(np.mean(errors))
    assert venn.kuiper_error == pytest.approx(
        np.mean([kuiper_error(labels, p) for p, _ in repeats])
    )
    aucs = [np.average(values, weights=pairs) for _, (values, pairs) in repeats]
    assert venn.auc == pytest.approx(np.mean(aucs))
    np.testing.assert_array_equal(found.predictions["venn"], repeats[0][0])
    assert (found.n_repeats, found.n_splits, found.reference) == (2, 6, "Raw")


def test_increasing_maps_keep_the_auc():
    scores, labels = sample(300, power=3.0)
    found = compare(scores, labels, {"logits": PlattScaling(scale="logit")}, n_repeats=2).results
    assert found["logits"].auc == pytest.approx(found["Raw"].auc, abs=1e-12)


def test_splitters_and_lists_of_splits():
    scores, labels = sample()
    folds = StratifiedKFold(4, shuffle=True, random_state=3)
    ours = compare(scores, labels, FEW, cv=folds)
    splits = list(folds.split(scores, labels))
    assert ours.table()[2] == compare(scores, labels, FEW, cv=splits).table()[2] | {
        "seconds": ours.results["bins"].seconds
    }
    assert (ours.n_repeats, ours.n_splits) == (1, 4)
    masks = [(~np.isin(np.arange(200), test), test) for _, test in splits]
    assert compare(scores, labels, FEW, cv=masks * 2).n_repeats == 2


def test_rows_that_no_split_predicts_are_left_out():
    scores, labels = sample()
    half = np.arange(100)
    found = compare(scores, labels, FEW, cv=[(half + 100, half)])
    fitted = VennAbers().fit(scores[100:], labels[100:])
    expected = log_loss(labels[:100], fitted.predict(scores[:100]))
    assert found.results["venn"].log_loss == pytest.approx(expected)
    assert found.results["Raw"].log_loss == pytest.approx(log_loss(labels[:100], scores[:100]))
    assert np.isnan(found.predictions["venn"]).tolist() == [False] * 100 + [True] * 100


def test_margins_are_compared_with_the_base_rate():
    scores, labels = sample(500)
    margins = 4 * logit(np.clip(scores, 1e-6, 1 - 1e-6))
    found = compare(margins, labels, n_repeats=1)
    assert found.reference == "Base rate" and "Raw" not in found.results
    base = labels.mean()
    entropy = -base * np.log(base) - (1 - base) * np.log(1 - base)
    assert found.results["Base rate"].log_loss == pytest.approx(entropy, rel=1e-3)
    assert found.results["Base rate"].auc == 0.5
    assert "BBQ" not in found.results and "Platt on logits" not in found.results
    assert found.notes[0].endswith(
        "were left out (Offset, Platt on logits, Temperature, Beta, Quadratic, Spline, BBQ)."
    )
    assert found.chosen == "Stacked" and np.all(np.diff(found.best_.predict([-5.0, 5.0])) > 0)
    assert " in log loss over the base rate (standard error " in found.recommendation
    assert "cannot be more than 1.61 nats in all worse than Platt scaling" in found.recommendation


def test_noise_is_no_probability():
    rng = np.random.default_rng(0)
    found = compare(rng.normal(size=300), rng.integers(0, 2, 300), [PlattScaling()], n_repeats=1)
    assert found.chosen is None and found.best_ is None
    assert found.recommendation.startswith(
        "None of these is significantly better than the base rate: "
    )


def gain_in_words(found, loss):
    gain = found.results["Stacked"].gain(loss)
    return f"{gain.estimate:.3g} in {LOSS_NAMES[loss]}", f"(standard error {gain.error:.2g})"


@pytest.mark.parametrize("loss", LOSS_NAMES)
@pytest.mark.parametrize("power", [1.0, 3.0])
def test_the_default_is_advised_whatever_gains_more(loss, power):
    scores, labels = sample(300, power=power)
    found = compare(scores, labels, n_repeats=1, loss=loss)
    assert list(found.results)[:2] == ["Raw", "Stacked"]
    assert found.chosen == "Stacked" and isinstance(found.best_, StackedCalibrator)
    assert found.recommendation.startswith("Calibrate with the default, StackedCalibrator(): ")
    words, error = gain_in_words(found, loss)
    assert words.removeprefix("-") in found.recommendation and error in found.recommendation
    bound = "cannot be more than 0.69 nats in all worse than the scores, before its sum is set"
    assert bound in found.recommendation


def test_the_default_may_lose():
    gain = Interval(estimate=-0.0012, lower=-0.01, upper=0.01, error=0.0008)
    assert "it loses 0.0012 in log loss to the raw scores (standard error 0.0008)." in (
        advice_to_calibrate(gain, "log", "Raw")
    )


def test_the_default_has_any_name_and_its_parameters():
    scores, labels = sample(300)
    both = {"mine": StackedCalibrator(), "bins": HistogramBinning()}
    assert compare(scores, labels, both, n_repeats=1).chosen == "mine"
    other = compare(scores, labels, [StackedCalibrator(trust=0.7)], n_repeats=1)
    assert other.recommendation.endswith("default, StackedCalibrator(), which was not compared.")


def test_where_the_scores_are_refuted_the_gain_is_one_in_brier_score():
    scores, labels = sample(300)
    scores[np.argmax(labels)] = 0.0
    found = compare(scores, labels, [StackedCalibrator()], n_repeats=1)
    gain = found.results["StackedCalibrator()"].brier_gain
    assert f"{abs(gain.estimate):.3g} in Brier score" in found.recommendation


@pytest.mark.filterwarnings("ignore:scores are turned round:UserWarning")
@pytest.mark.parametrize("of_margins", [False, True])
def test_the_bound_that_is_advised_holds(of_margins):
    """In scores that mean nothing, scores that are right, and scores that are refuted."""
    rng = np.random.default_rng(0)
    for seed in range(30):
        scores, labels = sample(40 + 10 * seed, seed, power=rng.choice([1.0, 0.2, 3.0]))
        if seed % 3 == 0:
            labels = rng.permutation(labels)
        if of_margins:
            scores = 3 * logit(np.clip(scores, 1e-6, 1 - 1e-6))
        model = StackedCalibrator().fit(scores, labels)
        excess = labels.size * (model.loss_ - model.losses_)
        assert excess[0] <= (np.log(5) if of_margins else np.log(2)) + 1e-9
        assert BOUNDS["Base rate" if of_margins else "Raw"].startswith(
            "1.61 nats" if of_margins else "0.69 nats"
        )


def test_an_offset_is_the_likeliest_factor_of_the_odds():
    scores, labels = sample(2000)
    weights = np.random.default_rng(0).integers(0, 3, 2000)
    doubled = shift_odds(scores, 2.0)
    model = Offset().fit(doubled, labels, sample_weight=weights)
    p = model.predict(doubled)
    assert np.average(p, weights=weights) == pytest.approx(np.average(labels, weights=weights))
    assert model.offset_ == pytest.approx(-np.log(2), abs=0.2)
    np.testing.assert_allclose(p, shift_odds(doubled, np.exp(model.offset_)), rtol=1e-12)
    np.testing.assert_array_equal(model.map_(doubled), p)
    around = [-0.1, 0.1]
    losses = [
        log_loss(labels, shift_odds(p, np.exp(move)), sample_weight=weights)
        for move in [0, *around]
    ]
    assert losses[0] == min(losses)
    with pytest.warns(OneClassWarning):
        assert 0.9 < Offset().fit([0.2, 0.5, 0.8], [1, 1, 1]).predict([0.5])[0] < 1


@pytest.mark.parametrize("n, rough", [(1999, True), (2000, False)])
def test_it_says_from_which_size_on_intervals_hold(n, rough):
    found = compare(*sample(n), {"logits": PlattScaling(scale="logit")}, n_repeats=1)
    assert any("With fewer than 2,000 rows an interval" in note for note in found.notes) == rough


# Weights and groups


def test_weights_are_repetitions():
    """With the same rows in the same folds."""
    scores, labels = sample(120, power=2.0)
    copies = np.random.default_rng(1).integers(0, 4, 120)
    repeated = np.repeat(np.arange(120), copies)
    splits = list(StratifiedKFold(4, shuffle=True, random_state=0).split(scores, labels))
    expanded = [
        tuple(np.flatnonzero(np.isin(repeated, part)) for part in split) for split in splits
    ]
    weighted = compare(scores, labels, FEW, sample_weight=copies, cv=splits)
    plain = compare(scores[repeated], labels[repeated], FEW, cv=expanded)
    for ours, theirs in zip(weighted.table(), plain.table(), strict=True):
        for key in ours.keys() - {"method", "seconds"}:
            np.testing.assert_allclose(ours[key], theirs[key], rtol=1e-7, atol=1e-9, err_msg=key)
    assert weighted.chosen == plain.chosen


def test_a_row_of_weight_zero_is_not_there():
    scores, labels = sample(200, power=2.0)
    weights = np.ones(200)
    weights[::5] = 0
    weighted = compare(scores, labels, FEW, sample_weight=weights, n_repeats=2)
    there = weights > 0
    plain = compare(scores[there], labels[there], FEW, n_repeats=2)
    assert weighted.results["venn"].log_loss == pytest.approx(plain.results["venn"].log_loss)
    assert weighted.results["bins"].harm == plain.results["bins"].harm
    assert np.isnan(weighted.predictions["venn"][::5]).all()


def compared_sample(scores, labels, clusters=None):
    """Rows without weights and groups."""
    return ComparedSample(
        scores=scores, labels=labels, weights=None, groups=None, clusters=clusters
    )


def test_clusters_stay_together_and_are_what_is_counted():
    scores, labels = sample(150, power=2.0)
    clusters = np.tile(np.arange(150), 3)
    everything = compared_sample(np.tile(scores, 3), np.tile(labels, 3), clusters)
    repeats = repeated_folds(everything, 5, 2, 0)
    assert len(repeats) == 2
    for splits in repeats:
        assert not any(np.intersect1d(clusters[a], clusters[b]).size for a, b in splits)
        assert np.array_equal(np.sort(np.concatenate([b for _, b in splits])), np.arange(450))
    once = list(StratifiedKFold(5).split(scores, labels))
    thrice = [tuple(np.flatnonzero(np.isin(clusters, part)) for part in split) for split in once]
    frozen = {"logits": Fixed(), "bins": Fixed(0.2)}
    ours = compare(np.tile(scores, 3), np.tile(labels, 3), frozen, clusters=clusters, cv=thrice)
    theirs = compare(scores, labels, frozen, cv=once)
    np.testing.assert_allclose(
        ours.results["bins"].log_gain, theirs.results["bins"].log_gain, rtol=1e-9
    )


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("is_clustered", [False, True])
def test_folds_are_those_of_scikit_learn(seed, is_clustered):
    rng = np.random.default_rng(seed)
    labels = (rng.random(120) < rng.choice([0.2, 0.5, 0.9])).astype(np.uint8)
    clusters = rng.integers(0, 40, 120) if is_clustered else None
    n_folds = int(rng.integers(2, 6))
    if is_clustered:
        splitters = [GroupKFold(n_folds, shuffle=True, random_state=seed + k) for k in range(3)]
    else:
        splitters = [RepeatedStratifiedKFold(n_splits=n_folds, n_repeats=3, random_state=seed)]
    expected = [
        split for splitter in splitters for split in splitter.split(np.zeros(120), labels, clusters)
    ]
    repeats = repeated_folds(compared_sample(np.zeros(120), labels, clusters), n_folds, 3, seed)
    found = [split for splits in repeats for split in splits]
    assert len(found) == len(expected)
    for ours, theirs in zip(found, expected, strict=True):
        np.testing.assert_array_equal(ours[0], theirs[0])
        np.testing.assert_array_equal(ours[1], theirs[1])


def test_groups_of_the_calibrators_split_no_folds():
    """By hand: the same folds, each calibrator given the groups of its rows."""
    rng = np.random.default_rng(3)
    scores, hospitals = rng.random(400), rng.choice(["north", "south"], 400)
    labels = (rng.random(400) < np.where(hospitals == "north", scores, scores**3)).astype(int)
    weights = rng.integers(0, 3, 400)
    splits = list(StratifiedKFold(4).split(scores, labels))
    models = {"within": MondrianVennAbers(), "pooled": VennAbers()}
    found = compare(scores, labels, models, sample_weight=weights, groups=hospitals, cv=splits)
    expected = np.empty(400)
    for training, test in splits:
        fitted = MondrianVennAbers().fit(
            scores[training],
            labels[training],
            sample_weight=weights[training],
            groups=hospitals[training],
        )
        expected[test] = fitted.predict(scores[test], groups=hospitals[test])
    counted = weights > 0
    np.testing.assert_array_equal(found.predictions["within"][counted], expected[counted])
    columns = pd.DataFrame({"north": hospitals == "north"})
    patched = compare(scores, labels, [Multicalibration()], groups=columns, cv=splits)
    assert np.isfinite(patched.predictions["Multicalibration()"]).all()
    with pytest.raises(ValueError, match="calibrator MondrianVennAbers asks for the groups"):
        compare(scores, labels, models, clusters=hospitals)
    with pytest.raises(ValueError, match="groups has 3 rows but scores has 400"):
        compare(scores, labels, models, groups=hospitals[:3])


class Fixed(Calibrator):
    """A given map, which learns nothing."""

    def __init__(self, shift=0.1):
        self.shift = shift

    def _fit(self, scores, labels, weights):
        pass

    def __sklearn_is_fitted__(self):
        return True

    def _predict(self, scores):
        return self.shift + (1 - 2 * self.shift) * scores


# Intervals


def test_one_interval_is_that_of_student():
    rng = np.random.default_rng(0)
    column = rng.normal(0.3, 1.0, 20)
    (interval,) = simultaneous_intervals(column[:, np.newaxis], np.ones(20))
    error = column.std(ddof=1) / np.sqrt(20)
    assert interval.estimate == pytest.approx(column.mean())
    assert interval.error == pytest.approx(error)
    half = student.ppf(0.975, 19) * error
    assert interval.upper - interval.estimate == pytest.approx(half, rel=0.01)
    assert interval.estimate - interval.lower == pytest.approx(half, rel=0.01)


def test_many_intervals_hold_at_once():
    """Independent columns: Sidak's quantile; the same column many times: that of one."""
    rng = np.random.default_rng(0)
    columns = rng.normal(size=(100_000, 6))
    widths = [i.upper - i.estimate for i in simultaneous_intervals(columns, np.ones(100_000))]
    errors = columns.std(axis=0) / np.sqrt(100_000)
    sidak = student.ppf(1 - (1 - 0.95 ** (1 / 6)) / 2, 99_999)
    np.testing.assert_allclose(widths / errors, sidak, rtol=0.01)
    same = np.repeat(columns[:, :1], 6, axis=1)
    interval = simultaneous_intervals(same, np.ones(100_000))[3]
    assert (interval.upper - interval.estimate) / interval.error == pytest.approx(1.96, rel=0.01)


def test_intervals_of_what_does_not_vary_or_is_infinite():
    columns = np.column_stack(
        [np.zeros(4), [1.0, -np.inf, 2.0, 3.0], [np.inf, 0, -np.inf, 0], [1.0, 2.0, 3.0, 4.0]]
    )
    zero, minus, neither, usual = simultaneous_intervals(columns, np.ones(4))
    assert zero[:3] == (0, 0, 0) and minus[:3] == (-np.inf,) * 3 and np.isnan(neither[:3]).all()
    assert usual.lower < usual.estimate < usual.upper
    (whole,) = simultaneous_intervals(columns[:, 3:], np.ones(4), np.zeros(4, int))
    assert (whole.lower, whole.upper) == (-np.inf, np.inf)
    (light,) = simultaneous_intervals(columns[:, 3:], np.full(4, 0.2501))  # freedom 0.0004
    assert (light.lower, light.upper) == (-np.inf, np.inf)


# Against the truth


@pytest.mark.slow
def test_calibrated_scores_are_kept():
    kept = []
    for seed in range(40):
        found = compare(*sample(300, seed), FEW, cv=3, n_repeats=1)
        kept.append(found.chosen is None and found.best_ is None)
        assert found.recommendation.startswith("None of these is significantly better") == kept[-1]
    assert np.mean(kept) >= 0.95


class Recorder(Calibrator):
    """Platt scaling on logits that notes the true log loss of its map for uniform truths."""

    unit_scores = True
    losses: list[float] = []

    def _fit(self, scores, labels, weights):
        self.calibrator_ = PlattScaling(scale="logit").fit(scores, labels)
        truth = (np.arange(2000) + 0.5) / 2000
        p = self.calibrator_.predict(truth**3)
        self.losses.append(float(-np.mean(truth * np.log(p) + (1 - truth) * np.log(1 - p))))

    def _predict(self, scores):
        return self.calibrator_.predict(scores)


@pytest.mark.slow
def test_distorted_scores_are_calibrated_and_the_interval_holds_the_gain():
    truth = (np.arange(2000) + 0.5) / 2000
    raw = -np.mean(truth * np.log(truth**3) + (1 - truth) * np.log(1 - truth**3))
    held = []
    for seed in range(20):
        Recorder.losses.clear()
        found = compare(*sample(2000, seed, power=3.0), {"logits": Recorder()}, n_repeats=1)
        assert found.chosen == "logits"
        gain = found.results["logits"].log_gain
        held.append(gain.lower < raw - np.mean(Recorder.losses[:5]) < gain.upper)
    assert np.mean(held) >= 0.85  # 95 %, less two standard errors of 20 samples


def test_the_best_is_fitted_to_all_rows():
    scores, labels = sample(400, power=3.0)
    weights = np.random.default_rng(0).integers(1, 3, 400)
    found = compare(scores, labels, FEW, sample_weight=weights, n_repeats=2)
    alone = clone(FEW[found.chosen]).fit(scores, labels, sample_weight=weights)
    np.testing.assert_array_equal(found.best_.predict(scores), alone.predict(scores))
    finite = {name: r.log_loss for name, r in found.results.items()}
    assert found.chosen == min(finite, key=finite.get)


def test_the_same_call_gives_the_same_result():
    scores, labels = sample(200, power=3.0)
    first, again = (compare(scores, labels, FEW, n_repeats=2) for _ in range(2))
    other = compare(scores, labels, FEW, n_repeats=2, random_state=1)
    assert first.recommendation == again.recommendation != other.recommendation
    assert first.results["venn"].log_gain == again.results["venn"].log_gain


# Infinite losses


def test_infinite_log_loss_is_told_and_not_clipped():
    scores, labels = sample(300, seed=1, power=3.0)
    found = compare(scores, labels, [IsotonicCalibrator(), VennAbers()], n_repeats=2)
    isotonic = found.results["IsotonicCalibrator()"]
    assert isotonic.log_loss == np.inf and isotonic.log_gain[:3] == (-np.inf,) * 3
    assert isotonic.harm > 0 and np.isfinite(isotonic.brier_gain).all()
    assert found.chosen == "VennAbers()"
    assert "probability 0: IsotonicCalibrator()." in found.notes[0]
    alone = compare(scores, labels, [IsotonicCalibrator()], n_repeats=2)
    assert alone.recommendation.startswith(
        "None of these is significantly better than the raw scores: the log loss of every "
        "calibrator is infinite; compare by loss='brier'."
    )
    assert compare(scores, labels, [IsotonicCalibrator()], loss="brier").chosen is not None


def test_raw_scores_of_infinite_log_loss():
    scores, labels = sample(300)
    scores[np.argmax(labels)] = 0.0
    found = compare(scores, labels, {"venn": VennAbers()}, n_repeats=1)
    assert found.chosen == "venn" and found.results["venn"].log_gain.lower == np.inf
    assert found.recommendation.endswith("and the log loss of the raw scores is infinite.")
    harsh = compare(scores, labels, [IsotonicCalibrator()], n_repeats=5)
    assert np.isnan(harsh.results["IsotonicCalibrator()"].log_gain.estimate)
    assert harsh.chosen is None and "compare by loss='brier'" in harsh.recommendation
    row = str(harsh).splitlines()[2]
    assert row.startswith("IsotonicCalibrator()") and row.split()[-4:-1] == ["-"] * 3


def test_where_none_gains_the_words_are_of_the_best():
    scores, labels = sample(400, seed=2)
    found = compare(scores, labels, {"bins": HistogramBinning(), "venn": VennAbers()}, n_repeats=2)
    assert found.chosen is None
    assert found.results["venn"].log_loss < found.results["bins"].log_loss
    assert "the log loss of venn is larger by" in found.recommendation


def test_weights_are_refused_by_calibrators_that_take_none():
    scores, labels = sample()
    compare(scores, labels, [Unweighted()], n_repeats=1)
    with pytest.raises(ValueError, match="Unweighted.fit takes no sample_weight"):
        compare(scores, labels, [Unweighted()], sample_weight=np.ones(200))


def test_a_calibrator_that_changes_nothing_gains_nothing():
    labels = np.arange(60) % 2
    found = compare(labels.astype(float), labels, {"isotonic": IsotonicCalibrator()}, n_repeats=1)
    assert (
        ", and the log loss of isotonic is the same (95 % interval 0 to 0" in found.recommendation
    )


# The result


def test_the_table_is_flat():
    scores, labels = sample()
    found = compare(scores, labels, FEW, n_repeats=1)
    raw, logits = found.table()[:2]
    assert list(found.results) == ["Raw", *FEW] == [row["method"] for row in found.table()]
    assert raw.keys() == logits.keys() and np.isnan(raw["log_gain_lower"])
    assert logits["log_gain_lower"] == found.results["logits"].log_gain.lower
    assert all(
        isinstance(row[key], float) for row in found.table() for key in row.keys() - {"method"}
    )
    assert str(found).count("\n") >= len(found.results) + 2 and found.recommendation in str(found)
    assert "Raw, logits" in repr(found)


def test_the_picture_shows_gains_and_says_what_is_infinite():
    scores, labels = sample(300, seed=1, power=3.0)
    found = compare(scores, labels, [IsotonicCalibrator(), VennAbers()], n_repeats=1)
    ax = found.plot()
    assert [label.get_text() for label in ax.get_yticklabels()] == list(found.results)[1:]
    assert ax.get_xlabel() == "Gain in log loss over the raw scores"
    assert [text.get_text() for text in ax.texts] == ["minus infinity"]
    assert found.plot(loss="brier", ax=ax).get_xlabel() == "Gain in Brier score over the raw scores"
    with pytest.raises(ValueError, match="loss must be one of 'log', 'brier'"):
        found.plot(loss="square")


def test_progress_goes_to_the_error_stream(capsys):
    compare(*sample(), FEW, n_repeats=1, verbose=1)
    printed = capsys.readouterr()
    assert printed.out == "" and printed.err.count("\n") == len(FEW) and "venn" in printed.err


def test_every_default_is_a_method_of_calib_fit():
    """The words beside its name give the calibrator that was compared."""
    for default in comparison.DEFAULTS:
        words = ["fit", "x", "--score", "s", "--label", "y", "-o", "m", "--method"]
        options = arguments.parser().parse_args([*words, *default.fit.split()])
        calibrator = learn.calibrator_of(options)
        assert type(calibrator) is type(default.calibrator)
        assert calibrator.get_params() == default.calibrator.get_params()
        plain = default.fit.partition(" ")[0]
        assert plain == default.name.partition(" ")[0].lower().replace("-", "_")
    assert arguments.DEFAULT_METHOD == comparison.DEFAULTS[0].fit


def test_large_samples_are_split_less_often():
    large = compared_sample(np.full(50_000, 0.5), np.tile([0, 1], 25_000))
    assert len(repeated_folds(large, 2, None, 0)) == 2
    assert len(repeated_folds(large.rows(np.arange(1000)), 2, None, 0)) == 3


def test_calibrators_from_elsewhere():
    scores, labels = sample(200, power=3.0)
    theirs = IsotonicRegression(out_of_bounds="clip", y_min=0.01, y_max=0.99)
    found = compare(scores, labels, [theirs], n_repeats=1)
    assert found.chosen == str(theirs)


# Bad input


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"loss": "square"}, "loss must be one of 'log', 'brier'"),
        ({"confidence": 95}, "confidence must be a number between 0 and 1; found 95"),
        ({"random_state": -1}, "random_state must be None, an integer of at least 0"),
        ({"cv": 1}, "cv must be an integer of at least 2; found 1"),
        (
            {"cv": "five"},
            "cv must be an integer, a splitter or an iterable of splits; found 'five'",
        ),
        ({"cv": 0.5}, "cv must be an integer, a splitter or an iterable"),
        ({"cv": []}, "cv has no split"),
        ({"cv": 150}, "labels holds 9. of class ., fewer than cv=150"),
        ({"n_repeats": 0}, "n_repeats must be an integer of at least 1; found 0"),
        ({"cv": StratifiedKFold(3), "n_repeats": 2}, "n_repeats is for an integer cv"),
        ({"clusters": np.zeros(200)}, "clusters holds 1 clusters, fewer than cv=5"),
        ({"clusters": [1, 2]}, "clusters has 2 rows but scores has 200"),
        ({"sample_weight": -np.ones(200)}, "sample_weight must not be negative"),
        ({"calibrators": []}, "calibrators is empty"),
        ({"calibrators": "platt"}, "calibrators must be a dict or list of calibrators"),
        ({"calibrators": PlattScaling()}, "calibrators must be a dict or list of calibrators"),
        ({"calibrators": [PlattScaling()] * 2}, "calibrators holds one calibrator twice"),
        ({"calibrators": {"Raw": PlattScaling()}}, "calibrators has the name 'Raw'"),
        ({"calibrators": [PlattScaling]}, "calibrator must be an estimator"),
        ({"calibrators": [HistogramBinning(n_bins=0)]}, r"calibrator HistogramBinning\(n_bins=0\)"),
    ],
    ids=str,
)
def test_bad_arguments_are_refused_by_name(arguments, message):
    with pytest.raises(ValueError, match=message):
        compare(*sample(), **{"calibrators": FEW} | arguments)


def test_training_rows_of_one_class_are_refused():
    scores, labels = sample()
    negative = np.flatnonzero(labels == 0)
    with pytest.raises(ValueError, match="training rows of a split are of one class only"):
        compare(scores, labels, FEW, cv=[(negative, np.flatnonzero(labels))])
    with pytest.raises(ValueError, match="labels holds 0 of class 1"):
        compare(scores, np.zeros(200), FEW)


def test_margins_are_refused_by_calibrators_of_probabilities():
    scores, labels = sample()
    with pytest.raises(ValueError, match=r"calibrator BBQ\(\) cannot be compared: scores must lie"):
        compare(scores + 1, labels, [BBQ(), KernelCalibrator()])


def test_every_default_can_be_compared():
    scores, labels = sample(200, power=3.0)
    found = compare(scores, labels, cv=2, n_repeats=1)
    assert set(found.results) == {"Raw"} | {default.name for default in comparison.DEFAULTS}
    assert all(0 < r.brier < 1 and 0.5 < r.auc < 1 for r in found.results.values())


@pytest.mark.parametrize("side", [0, 1])
def test_a_chosen_calibrator_that_is_certain_is_warned_of(side):
    rng = np.random.default_rng(0)
    groups = rng.integers(0, 4, 1000)
    scores, truth = np.array([0.3, 0.4, 0.5, 0.6])[groups], np.array([0.0, 0.3, 0.7, 0.9])[groups]
    labels = (rng.random(1000) < truth) != side
    found = compare(np.abs(scores - side), labels, [IsotonicCalibrator()])
    assert found.chosen == "IsotonicCalibrator()"
    assert found.best_.predict([abs(0.3 - side)]) == side
    assert "exactly 0 or 1" in found.recommendation


def test_rounding_beyond_the_ends_is_clipped_and_said():
    rng = np.random.default_rng(0)
    scores = rng.random(200)
    labels = rng.random(200) < scores
    scores[:2] = 1, 0
    exact = compare(scores, labels, [PlattScaling(scale="logit")], n_repeats=1)
    scores[:2] = 1.0000001, -1e-9
    with pytest.warns(UserWarning, match="beyond .* in 2 of 200 rows, first in row 0"):
        rounded = compare(scores, labels, [PlattScaling(scale="logit")], n_repeats=1)
    assert rounded.reference == "Raw"
    assert [row | {"seconds": 0} for row in rounded.table()] == [
        row | {"seconds": 0} for row in exact.table()
    ]


# Digits


def test_decimals_show_the_distance_of_limits():
    assert [decimals_between(0, width) for width in (30, 0.5, 0.002, 0, np.inf)] == [0, 1, 3, 0, 0]
    assert decimals_between(0.27, 0.2704, shown=3) == 6
    assert decimals_between(0, 1e-300) == 12
    assert decimals_of_column([(0, 1), (0, 0.002), (-np.inf, np.inf), (0, 0.004)], shown=2) == 4
    assert decimals_of_column([(1, 1)]) == 0


def test_the_printed_table_has_the_digits_of_its_gains():
    """Many rows, of which 1.15 times too many are said to be positive."""
    rng = np.random.default_rng(0)
    p = rng.uniform(0.002, 0.05, 200_000)
    found = compare(
        1.15 * p, rng.random(p.size) < p, {"Platt": PlattScaling(scale="logit")}, n_repeats=1
    )
    header, raw, platt, *_ = str(found).splitlines()
    gain, lower, upper = platt.split()[-4:-1]
    assert len(header) == len(platt)
    assert float(lower) < float(gain) < float(upper) and len(gain) >= 7
    assert raw.split()[1] != platt.split()[1]
    written = re.search(r"its log loss is (\S+), and", found.recommendation)[1]
    assert len(written) > 5 and float(written) == pytest.approx(
        found.results["Platt"].log_loss, abs=1e-4
    )
