"""The average of calibrators, against folds made by hand and a general optimiser."""

import json
import warnings
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq, minimize
from scipy.special import expit, rel_entr, softmax
from sklearn.base import clone
from sklearn.isotonic import IsotonicRegression

from calib import (
    CalibrationMap,
    CalibratorCV,
    HistogramBinning,
    IdentityCalibrator,
    IsotonicCalibrator,
    KernelCalibrator,
    OneClassWarning,
    PlattScaling,
    StackedCalibrator,
    VennAbers,
)
from calib.base.curve_maps import MixtureMap
from calib.methods import out_of_fold
from calib.methods.folds import deal
from calib.methods.stacking_weights import OPTIMALITY_GAP, likeliest_weights, weights_of_sum_one
from calib.metrics import log_loss
from calibkit.groups import MondrianVennAbers

FEW = [PlattScaling(scale="logit"), VennAbers(), HistogramBinning(n_bins=4)]


def sample(n, seed=0):
    rng = np.random.default_rng(seed)
    scores = rng.beta(0.6, 0.8, n).round(2)
    return scores, (rng.random(n) < 0.1 + 0.7 * np.sin(2 * scores) ** 2).astype(np.uint8)


# The weights


@settings(max_examples=40, deadline=None)
@given(
    n=st.integers(1, 60),
    k=st.integers(1, 7),
    prior=st.sampled_from([1e-3, 0.1, 1.0, 50.0]),
    sharpness=st.sampled_from([0.1, 1.0, 30.0]),
    seed=st.integers(0, 10**6),
)
def test_the_weights_are_the_likeliest(n, k, prior, sharpness, seed):
    rng = np.random.default_rng(seed)
    losses, copies = sharpness * rng.exponential(size=(n, k)), rng.integers(1, 4, n)
    weights, gap = likeliest_weights(losses, copies, prior)
    assert (
        gap <= OPTIMALITY_GAP and weights.min() > 0 and weights.sum() == pytest.approx(1, rel=1e-15)
    )

    def loss(logits):
        tried = softmax(logits)
        return -(copies @ np.log(np.exp(-losses) @ tried) + prior * np.log(tried).sum())

    found = -(copies @ np.log(np.exp(-losses) @ weights) + prior * np.log(weights).sum())
    assert found <= minimize(loss, np.zeros(k)).fun + 1e-6 * (1 + abs(found))


def test_the_gap_bounds_what_other_weights_gain():
    rng = np.random.default_rng(0)
    losses, copies = rng.exponential(size=(50, 3)), np.ones(50)
    weights, gap = likeliest_weights(losses, copies, 0.1)
    best = np.log(np.exp(-losses) @ weights).mean() + 0.1 / 50 * np.log(weights).sum()
    for other in rng.dirichlet(np.ones(3), 1000):
        tried = np.log(np.exp(-losses) @ other).mean() + 0.1 / 50 * np.log(other).sum()
        assert tried <= best + gap + 1e-12


@pytest.mark.parametrize("k", [3, 6, 7, 49])
def test_weights_never_add_up_to_more_than_one(k):
    weights = weights_of_sum_one(np.ones(k))
    assert np.cumsum(weights)[-1] <= 1
    np.testing.assert_allclose(weights, 1 / k, rtol=1e-14)


# The calibrator


@pytest.mark.parametrize("weighted", [False, True])
def test_the_average_is_that_of_folds_made_by_hand(weighted):
    scores, labels = sample(300, 1)
    weights = np.random.default_rng(1).integers(1, 4, 300) if weighted else np.ones(300, int)
    stacked = StackedCalibrator(FEW, cv=4, prior=0.5)
    stacked.fit(scores, labels, sample_weight=weights if weighted else None)
    rows = np.repeat(np.arange(300), weights)
    rows = rows[np.lexsort((scores[rows], labels[rows]))]
    draws = np.random.default_rng(0)
    counts = np.bincount(labels[rows])
    fold = np.concatenate([draws.permutation(np.arange(count) % 4) for count in counts])
    held_out = np.empty((rows.size, 3))
    for k in range(4):
        train = rows[fold != k]
        for j, member in enumerate(FEW):
            member.fit(scores[train], labels[train])
            held_out[fold == k, j] = member.predict(scores[rows[fold == k]])
    truth = labels[rows]
    losses = -np.log(np.where(truth[:, np.newaxis] == 1, held_out, 1 - held_out))
    np.testing.assert_allclose(stacked.losses_, np.minimum(losses, 36.8).mean(axis=0), rtol=1e-4)
    expected, _ = likeliest_weights(np.minimum(losses, 36.74), np.ones(rows.size), 0.5)
    np.testing.assert_allclose(stacked.weights_, expected, atol=1e-6)
    assert stacked.loss_ == pytest.approx(log_loss(truth, held_out @ expected), rel=1e-6)
    members = [member.fit(scores[rows], labels[rows]).predict(scores) for member in FEW]
    np.testing.assert_allclose(stacked.predict(scores), stacked.weights_ @ members, atol=1e-9)


def test_an_integer_weight_is_so_many_rows():
    scores, labels = sample(200)
    copies = np.random.default_rng(2).integers(0, 4, 200)
    ours = StackedCalibrator().fit(scores, labels, sample_weight=copies)
    theirs = StackedCalibrator().fit(np.repeat(scores, copies), np.repeat(labels, copies))
    np.testing.assert_allclose(ours.weights_, theirs.weights_, atol=1e-6)
    np.testing.assert_allclose(ours.predict(scores), theirs.predict(scores), atol=1e-6)


def test_right_scores_get_most_of_the_weight_and_wrong_ones_none():
    rng = np.random.default_rng(0)
    scores = rng.random(5000)
    members = [IdentityCalibrator(), HistogramBinning(n_bins=2)]
    right = StackedCalibrator(members).fit(scores, rng.random(5000) < scores)
    assert right.weights_[0] > 0.9
    wrong = StackedCalibrator(members).fit(scores, rng.random(5000) < 1 - scores)
    assert wrong.weights_[0] < 0.01 and (wrong.losses_[0] > wrong.losses_[1])


def test_the_average_may_beat_its_best_member():
    """A curve knows the slope within four levels, the levels know where it is broken."""

    def truth(scores):
        return np.where(scores < 0.5, expit(10 * (scores - 0.25)), np.where(scores < 0.8, 0.2, 0.9))

    rng = np.random.default_rng(0)
    scores, new = rng.random(20_000), rng.random(20_000)
    members = [PlattScaling(scale="logit"), HistogramBinning(n_bins=4)]
    stacked = StackedCalibrator(members).fit(scores, rng.random(20_000) < truth(scores))
    assert stacked.loss_ < stacked.losses_.min() - 1e-3
    labels = (rng.random(20_000) < truth(new)).astype(int)
    alone = [log_loss(labels, member.predict(new)) for member in stacked.calibrators_]
    assert log_loss(labels, stacked.predict(new)) < min(alone)


def test_a_cautious_average_leaves_good_scores_alone():
    scores = np.random.default_rng(0).random(1000)
    kept = 0
    for seed in range(20):
        labels = np.random.default_rng(100 + seed).random(1000) < scores
        cautious = StackedCalibrator(cautious=True).fit(scores, labels)
        kept += cautious.kept_
        plain = StackedCalibrator().fit(scores, labels)
        np.testing.assert_allclose(cautious.losses_, plain.losses_)
        if cautious.kept_:
            assert cautious.weights_[-1] == pytest.approx(0.99) and cautious.weights_.size == 7
            assert cautious.predict([0.3]) == pytest.approx(0.3, abs=2e-3)
            expected = 0.99 * scores + 0.01 * plain.predict(scores)
            np.testing.assert_allclose(cautious.predict(scores), expected, atol=1e-12)
        else:
            np.testing.assert_array_equal(cautious.weights_, plain.weights_)
    assert kept > 15


def test_a_cautious_average_mends_bad_scores():
    scores = np.random.default_rng(0).random(1000)
    labels = np.random.default_rng(1).random(1000) < scores**3
    cautious = StackedCalibrator(cautious=True).fit(scores, labels)
    assert not cautious.kept_
    plain = StackedCalibrator().fit(scores, labels)
    np.testing.assert_array_equal(cautious.predict(scores), plain.predict(scores))


def test_a_cautious_average_of_one_class_or_of_margins():
    with pytest.warns(OneClassWarning):
        cautious = StackedCalibrator(cautious=True).fit([0.2, 0.4], [1, 1])
    assert cautious.kept_ and cautious.predict([0.3]) == pytest.approx(0.3, abs=0.01)
    with pytest.raises(ValueError, match="scores must lie in"):
        StackedCalibrator([PlattScaling()], cautious=True).fit([0.2, 1.4], [0, 1])
    with pytest.raises(ValueError, match="cautious must be True or False; found 1"):
        StackedCalibrator(cautious=1).fit([0.2, 0.4], [0, 1])


def test_no_average_is_certain():
    scores, labels = np.r_[np.zeros(30), np.ones(30)], np.repeat([0, 1], 30)
    found = StackedCalibrator().fit(scores, labels).predict([0.0, 0.5, 1.0])
    assert 0 < found.min() and found.max() < 1


@pytest.mark.parametrize("positives", [[6], [1, 6], [0, 3, 7]])
def test_with_few_of_a_class_weights_are_shy(positives):
    scores, labels = np.arange(10) / 10, np.isin(np.arange(10), positives).astype(np.uint8)
    folds = deal(scores, labels, np.ones(10), 5) > 0
    losses = np.empty((10, len(FEW)))
    for fold in folds:
        for k, member in enumerate(FEW):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                p = clone(member).fit(scores[~fold], labels[~fold]).predict(scores[fold])
            losses[fold, k] = -np.log(np.maximum(np.where(labels[fold], p, 1 - p), 2**-53))
    for prior, used in [(0.1, 1), (1, 1), (7, 7)]:
        stacked = StackedCalibrator(FEW, prior=prior).fit(scores, labels)
        expected, _ = likeliest_weights(losses, np.ones(10), used)
        np.testing.assert_allclose(stacked.weights_, expected, atol=1e-6)
        assert stacked.gap_ <= OPTIMALITY_GAP
    enough = StackedCalibrator(FEW, cv=len(positives)) if len(positives) > 1 else None
    if enough:
        assert enough.fit(scores, labels).weights_.min() < stacked.weights_.min()


def test_without_two_classes_all_members_count_the_same():
    for scores, labels in [([0.2, 0.7, 0.9], [1, 1, 1]), ([0.2, 0.7], [0, 1])]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", OneClassWarning)
            stacked = StackedCalibrator(FEW).fit(scores, labels)
        np.testing.assert_allclose(stacked.weights_, 1 / 3)
        assert np.isnan(stacked.losses_).all() and np.isnan([stacked.loss_, stacked.gap_]).all()


def test_few_positives_are_enough_to_leave_wrong_scores():
    """Scores five log-odds too high, of 200 rows with at most four positives."""
    rng = np.random.default_rng(0)
    logits = rng.normal(0, 2, 4000)
    truth, lost = expit(logits - 5), []
    for _ in range(12):
        rows = rng.integers(0, 4000, 200)
        labels = rng.random(200) < truth[rows]
        if 0 < labels.sum() < 5:
            stacked = StackedCalibrator().fit(expit(logits[rows]), labels)
            members = [member.predict(expit(logits)) for member in stacked.calibrators_]
            tried = [stacked.predict(expit(logits)), np.mean(members, axis=0)]
            lost.append([np.mean(rel_entr(truth, p) + rel_entr(1 - truth, 1 - p)) for p in tried])
    ours, equal = np.mean(lost, axis=0)
    assert len(lost) > 3 and ours < equal / 5


SCORES_OF = {  # logits of scores, from those of the truth, which the last one has nothing of
    "right": lambda t: t,
    "far too high": lambda t: t + 5,
    "too high": lambda t: t + 2,
    "too low": lambda t: t - 2,
    "too sure": lambda t: 2 * t,
    "too cautious": lambda t: t / 2,
    "too sure and too high": lambda t: 1.5 * t + 3,
    "bent": lambda t: t + 0.9 * np.sin(t),
    "noise": None,
}


@pytest.mark.slow
def test_with_few_positives_the_average_loses_least():
    """Than equal weights, the spline alone or the scores, over the truths of the docstring."""
    rng = np.random.default_rng(0)
    z = np.linspace(-4, 4, 401)
    mass, lost = softmax(-(z**2) / 2), []
    for _, n, name in product(range(2), [10, 20, 50, 100, 200], SCORES_OF):
        rate = min(rng.uniform(0.3, 6) / n, 0.5)
        mean = brentq(lambda m, rate=rate: mass @ expit(m + 2 * z) - rate, -30, 30)
        drawn = mean + 2 * rng.normal(size=n)
        truth, x, there = expit(drawn), drawn, mean + 2 * z
        p = expit(there)
        if name == "noise":
            x, there = rng.normal(0, 2, n), 2 * z
            truth, p = np.full(n, rate), np.full(z.size, rate)
        else:
            x, there = SCORES_OF[name](x), SCORES_OF[name](there)
        labels = rng.random(n) < truth
        if not 0 < min(labels.sum(), (~labels).sum()) < 5:
            continue
        stacked = StackedCalibrator().fit(expit(x), labels)
        members = [member.predict(expit(there)) for member in stacked.calibrators_]
        tried = [stacked.predict(expit(there)), np.mean(members, axis=0), members[3], expit(there)]
        lost.append([mass @ (rel_entr(p, q) + rel_entr(1 - p, 1 - q)) for q in tried])
    ours, *others = np.mean(lost, axis=0)
    assert len(lost) > 40 and ours < 0.8 * min(others)


@pytest.mark.parametrize("cls", [StackedCalibrator, CalibratorCV])
def test_of_many_rows_one_fold_is_held_out(cls, monkeypatch):
    scores, labels = sample(400)
    fits = []

    class Counted(IsotonicCalibrator):
        def _fit(self, *rows):
            fits.append(len(rows[0]))
            super()._fit(*rows)

    for most, expected in [(400, 6), (399, 2)]:
        monkeypatch.setattr(out_of_fold, "MIN_OBSERVATIONS_FOR_ONE_FOLD", most)
        fits.clear()
        cls([Counted(centred=True, smoothing=1.0)]).fit(scores, labels)
        assert len(fits) == expected


def test_groups_reach_the_members_that_take_them():
    scores, labels = sample(400)
    groups = np.arange(400) % 2
    stacked = StackedCalibrator([MondrianVennAbers(), PlattScaling()])
    stacked.fit(scores, labels, groups=groups)
    assert not hasattr(stacked, "map_")
    parts = [m.predict(scores, **({"groups": groups} if k == 0 else {}))
             for k, m in enumerate(stacked.calibrators_)]  # fmt: skip
    np.testing.assert_array_equal(
        stacked.predict(scores, groups=groups),
        stacked.weights_[0] * parts[0] + stacked.weights_[1] * parts[1],
    )


def test_copies_in_one_group_mislead_nobody():
    """A histogram of a hundred bins knows the copies of its rows by heart."""
    scores, labels = sample(300, 5)
    rows = np.repeat(np.arange(300), 5)
    members = [PlattScaling(scale="logit"), VennAbers(), HistogramBinning(n_bins=100)]
    once = StackedCalibrator(members).fit(scores, labels)
    apart = StackedCalibrator(members).fit(scores[rows], labels[rows])
    together = StackedCalibrator(members).fit(scores[rows], labels[rows], groups=rows)
    assert apart.weights_[2] > 0.9 > 0.1 > max(once.weights_[2], together.weights_[2])
    assert apart.loss_ < together.loss_ - 0.1 and abs(together.loss_ - once.loss_) < 0.05
    weighted = StackedCalibrator(members)
    weighted.fit(scores, labels, sample_weight=np.full(300, 5), groups=np.arange(300))
    np.testing.assert_allclose(weighted.weights_, together.weights_, atol=1e-6)
    assert hasattr(together, "map_")


def test_calibrators_from_elsewhere():
    scores, labels = sample(300)
    members = [IsotonicRegression(out_of_bounds="clip", y_min=0.01, y_max=0.99), PlattScaling()]
    stacked = StackedCalibrator(members).fit(scores - 3, labels)
    assert not hasattr(stacked, "map_")
    parts = [member.predict(scores - 3) for member in stacked.calibrators_]
    np.testing.assert_allclose(stacked.predict(scores - 3), stacked.weights_ @ parts, rtol=1e-12)


@pytest.mark.parametrize(
    "stacked, message",
    [
        (StackedCalibrator(cv=1), "cv must be an integer of at least 2; found 1"),
        (StackedCalibrator(prior=0), "prior must be a number between 0 and inf; found 0"),
        (StackedCalibrator([]), "calibrators is empty: pass at least one"),
        (StackedCalibrator([PlattScaling]), "calibrator must be an estimator with fit"),
        (StackedCalibrator(PlattScaling()), "calibrators must be a list of calibrators"),
    ],
)
def test_what_is_no_average(stacked, message):
    with pytest.raises(ValueError, match=message):
        stacked.fit([0.1, 0.2], [0, 1])


# Its map


def test_the_map_comes_back_bit_for_bit():
    scores, labels = sample(500)
    stacked = StackedCalibrator().fit(scores, labels)
    queries = np.linspace(0, 1, 501)
    pairs = zip(stacked.weights_, stacked.calibrators_, strict=True)
    expected = sum(weight * member.predict(queries) for weight, member in pairs)
    np.testing.assert_array_equal(stacked.predict(queries), expected)
    again = CalibrationMap.from_dict(json.loads(json.dumps(stacked.map_.to_dict())))
    assert again == stacked.map_ and again != MixtureMap(again.weights[::-1], again.members)
    np.testing.assert_array_equal(again(queries), stacked.predict(queries))


def test_the_map_is_that_of_the_last_fit():
    scores, labels = sample(300)
    stacked = StackedCalibrator([PlattScaling(), VennAbers()]).fit(scores, labels)
    assert hasattr(stacked, "map_")
    stacked.set_params(calibrators=[KernelCalibrator()]).fit(scores, labels)
    assert not hasattr(stacked, "map_")
    np.testing.assert_array_equal(stacked.predict(scores), stacked.calibrators_[0].predict(scores))


def test_an_average_of_averages_has_no_map():
    """Maps that are stored or exported hold no mixture in a mixture."""
    scores, labels = sample(300)
    members = [StackedCalibrator([PlattScaling(), VennAbers()]), HistogramBinning(n_bins=4)]
    stacked = StackedCalibrator(members).fit(scores, labels)
    assert not hasattr(stacked, "map_")
    parts = [member.predict(scores) for member in stacked.calibrators_]
    np.testing.assert_allclose(stacked.predict(scores), stacked.weights_ @ parts, rtol=1e-12)


@pytest.mark.parametrize(
    "change, message",
    [
        ({"weights": [0.5, 0.6]}, "weights must have the sum 1, and no more; found 1.1"),
        ({"weights": [0.5, 0.4]}, "weights must have the sum 1"),
        ({"weights": [1.5, -0.5]}, "weights must lie in"),
        ({"weights": [1.0]}, "members must be a list of 1 maps"),
        ({"members": "ab"}, "members must be a list of 2 maps"),
        ({"members": [{"kind": "mixture"}] * 2}, "members of a mixture must not be mixtures"),
        ({"members": [3, 4]}, "stored must be a dictionary"),
        ({"members": [{"kind": "sigmoid", "slope": 1.0}] * 2}, "a sigmoid map has the entries"),
    ],
)
def test_what_is_no_mixture(change, message):
    member = {"kind": "sigmoid", "slope": 1.0, "intercept": 0.0}
    stored = {"kind": "mixture", "weights": [0.5, 0.5], "members": [member, member]}
    CalibrationMap.from_dict(stored)
    with pytest.raises(ValueError, match=message):
        CalibrationMap.from_dict(stored | change)
