"""Multicalibration against brute force, its theorems, its edges and refusals."""

import itertools
import json
import math
import os
import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.special import expit, logit
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from calib import OneClassWarning
from calib.metrics import brier_score_loss, log_loss
from calibkit.groups import Multicalibration, Patch
from calibkit.groups.multicalibration_kernels import cell_sums, most_evident, shift_to_sum

EXAMPLES = int(os.environ.get("FUZZ_EXAMPLES", "25"))
SCALES = ["logit", "score"]
each_scale = pytest.mark.parametrize("scale", SCALES)
NEAREST = 2.0**-53


def sample(n=1500, seed=0, strength=2.5):
    """Overlapping groups, in two of which the log-odds of the score are wrong."""
    rng = np.random.default_rng(seed)
    groups = rng.random((n, 4)) < [0.5, 0.3, 0.1, 0.02]
    margin = rng.normal(-0.5, 1.3, n)
    moved = margin + strength * (0.6 * (groups[:, 0] & groups[:, 1]) - groups[:, 2])
    return groups, expit(margin), rng.random(n) < expit(moved)


GROUPS, SCORES, LABELS = sample()
NEW = sample(800, seed=1)


def fitted(data=(GROUPS, SCORES, LABELS), weights=None, **settings):
    groups, scores, labels = data
    return Multicalibration(**settings).fit(scores, labels, sample_weight=weights, groups=groups)


# What it does


def divergence(q, p, scale):
    """Of q from p, by the definition."""
    if scale == "score":
        return 2 * (q - p) ** 2
    p = min(max(p, NEAREST), 1 - NEAREST)
    terms = [(q, p), (1 - q, 1 - p)]
    return sum(a * math.log(a / b) for a, b in terms if a > 0)


def shift_to_mean(logits, goal):
    return brentq(lambda c: expit(logits + c).mean() - goal, -99, 99, xtol=1e-13)


def brute_force(groups, scores, labels, scale, cuts, threshold):
    """Every set by its mask, every shift by bisection."""
    p, patches = scores.copy(), []
    edges = [0.0, *cuts, 2.0]
    columns = [np.ones(p.size, bool), *groups.T]
    while True:
        found = []
        for g, (low, high) in itertools.product(
            range(len(columns)), itertools.combinations(edges, 2)
        ):
            rows = columns[g] & (p >= low) & (p < high)
            if rows.any():
                mean, n = p[rows].mean(), rows.sum()
                bias = (labels[rows] - p[rows]).sum() / (n + 1)
                found.append((n * divergence(mean + bias, mean, scale), g, low, high, rows, bias))
        best = max(found, key=lambda entry: entry[0])
        if best[0] < threshold:
            return p, patches
        _, g, low, high, rows, shift = best
        if scale == "logit":
            logits = logit(p[rows].clip(NEAREST, 1 - NEAREST))
            shift = shift_to_mean(logits, p[rows].mean() + shift)
            p[rows] = expit(logits + shift)
        else:
            p[rows] = (p[rows] + shift).clip(0, 1)
        patches.append((g, low, high, shift))


@each_scale
@pytest.mark.parametrize("n_levels", [1, 4])
def test_brute_force_finds_the_same_patches(scale, n_levels):
    model = fitted(scale=scale, n_levels=n_levels)
    cuts = np.quantile(SCORES, np.arange(1, n_levels) / n_levels)
    np.testing.assert_allclose(model.cuts_, cuts, atol=0.01)
    n_sets = 5 * n_levels * (n_levels + 1) / 2
    assert model.threshold_ == pytest.approx(math.log(2 * n_sets / 0.05))
    p, patches = brute_force(GROUPS, SCORES, LABELS, scale, model.cuts_, model.threshold_)
    assert len(patches) == len(model.patches_) >= 2
    for (g, low, high, shift), patch in zip(patches, model.patches_, strict=True):
        assert (patch.group, patch.low, patch.high) == (g - 1 if g else None, low, high)
        assert patch.shift == pytest.approx(shift, abs=1e-9)
    np.testing.assert_allclose(model.predict(SCORES, groups=GROUPS), p, atol=1e-9)


def by_hand(patches, groups, scores, scale):
    """What another program would do with the patches; predictions, log-odds after each of them."""
    p = scores.copy()
    logits = logit(p.clip(NEAREST, 1 - NEAREST))
    largest = logit(1 - NEAREST)
    yield p.copy(), logits.copy()
    for patch in patches:
        rows = (p >= patch["low"]) & (p < patch["high"])
        if patch["group"] is not None:
            rows &= groups[:, patch["group"]]
        if scale == "logit":
            logits[rows] = (logits[rows] + patch["shift"]).clip(-largest, largest)
            p[rows] = expit(logits[rows]).clip(NEAREST, 1 - NEAREST)
        else:
            p[rows] = (p[rows] + patch["shift"]).clip(0, 1)
        yield p.copy(), logits.copy()


@each_scale
def test_patches_are_portable(scale):
    model = fitted(scale=scale)
    stored = json.loads(json.dumps([patch._asdict() for patch in model.patches_]))
    groups, scores, _ = NEW
    *_, (p, _) = by_hand(stored, groups, scores, scale)
    np.testing.assert_allclose(model.predict(scores, groups=groups), p, rtol=0, atol=1e-15)
    assert [Patch(**entries) for entries in stored] == model.patches_


def test_there_may_be_more_levels_than_numbers():
    some = GROUPS[:50], SCORES[:50], LABELS[:50]
    cuts = [fitted(some, n_levels=n).cuts_ for n in (2**53, 10**30)]
    assert cuts[0].size == 49
    np.testing.assert_array_equal(*cuts)


def test_one_level_patches_whole_groups():
    model = fitted(n_levels=1)
    assert len(model.patches_) >= 2 and model.cuts_.size == 0
    assert {(patch.low, patch.high) for patch in model.patches_} == {(0.0, 2.0)}
    p = model.predict(SCORES, groups=GROUPS)
    for group in GROUPS.T:
        n, bias = group.sum(), np.mean(LABELS[group] - p[group])
        evidence = n * divergence(p[group].mean() + bias * n / (n + 1), p[group].mean(), "logit")
        assert evidence < model.threshold_


# The theorems


@settings(max_examples=EXAMPLES, deadline=None)
@given(seed=st.integers(0, 10**6), n=st.integers(1, 400), n_levels=st.integers(1, 5))
def test_the_brier_score_falls_by_the_squared_bias_that_is_removed(seed, n, n_levels):
    """Exactly, where nothing is cut off at 0 and 1; else by at least as much."""
    groups, scores, labels = sample(n, seed, strength=3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OneClassWarning)
        model = fitted((groups, scores, labels), scale="score", n_levels=n_levels, alpha=0.999)
    stored = [q._asdict() for q in model.patches_]
    stages = [p for p, _ in by_hand(stored, groups, scores, "score")]
    for patch, before, after in zip(model.patches_, stages[:-1], stages[1:], strict=True):
        fall = brier_score_loss(labels, before) - brier_score_loss(labels, after)
        left = patch.bias - patch.shift
        removed = patch.n_points / n * (patch.bias**2 - left**2)
        if np.any((after == 0) | (after == 1)):
            assert fall >= removed - 1e-12
        else:
            assert fall == pytest.approx(removed, abs=1e-12)
        assert left == pytest.approx(patch.bias / (patch.n_points + 1))
        assert 2 * n * fall >= patch.evidence - 1e-9 >= model.threshold_ - 1e-9
    assert len(model.patches_) <= 2 * n * brier_score_loss(labels, scores) / model.threshold_


@settings(max_examples=EXAMPLES, deadline=None)
@given(seed=st.integers(0, 10**6), n=st.integers(1, 400), n_levels=st.integers(1, 5))
def test_the_log_loss_falls_by_at_least_the_evidence(seed, n, n_levels):
    groups, scores, labels = sample(n, seed, strength=3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OneClassWarning)
        model = fitted((groups, scores, labels), n_levels=n_levels, alpha=0.999)
    stored = [q._asdict() for q in model.patches_]
    stages = [p for p, _ in by_hand(stored, groups, scores, "logit")]
    for patch, before, after in zip(model.patches_, stages[:-1], stages[1:], strict=True):
        moved = before != after
        pythagoras = sum(map(divergence, after[moved], before[moved], itertools.repeat("logit")))
        pythagoras += patch.shift * (labels - after)[moved].sum()
        fall = n * (log_loss(labels, before) - log_loss(labels, after))
        assert fall == pytest.approx(pythagoras, abs=1e-8)
        assert fall >= patch.evidence - 1e-9 >= model.threshold_ - 1e-9
    assert len(model.patches_) <= n * log_loss(labels, scores) / model.threshold_


@settings(max_examples=EXAMPLES, deadline=None)
@given(seed=st.integers(0, 10**6), form=st.sampled_from(["ends", "mixed", "near"]))
def test_the_log_loss_falls_by_the_evidence_near_0_and_1(seed, form):
    """As by log-odds: a probability near 1 is not known to the digits of its distance from 1."""
    rng = np.random.default_rng(seed)
    nearby = rng.choice([0, 1e-16, 1e-15, 3e-15, 1e-12], 200)
    near = np.where(rng.random(200) < 0.5, nearby, 1 - nearby)
    ends = rng.random(200).round()
    scores = {"ends": ends, "near": near, "mixed": np.where(rng.random(200) < 0.5, 0.5, near)}[form]
    labels = rng.random(200) < np.where(rng.random(200) < 0.1, 0.5, rng.random() ** 3)
    labels, groups = labels ^ (rng.random() < 0.5), rng.random((200, 3)) < 0.4
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OneClassWarning)
        model = fitted((groups, scores, labels))
    stored = [q._asdict() for q in model.patches_]
    stages = list(by_hand(stored, groups, scores, "logit"))
    losses = [np.logaddexp(0, np.where(labels, -logits, logits)).sum() for _, logits in stages]
    for patch, before, after in zip(model.patches_, losses[:-1], losses[1:], strict=True):
        assert before - after >= patch.evidence - 1e-9 >= model.threshold_ - 1e-9
    assert len(model.patches_) <= losses[0] / model.threshold_
    p = model.predict(scores, groups=groups)
    np.testing.assert_allclose(p, stages[-1][0], rtol=1e-15)
    assert np.all((p == scores) | ((p > 0) & (p < 1)))


def test_both_classes_are_treated_alike():
    """Near 1 as near 0: with labels and scores mirrored, every patch is its own mirror image."""
    rng = np.random.default_rng(8)
    scores = rng.choice([0, 2.0**-53, 2.0**-50, 2.0**-30, 0.25], 400, p=[0.02] * 4 + [0.92])
    groups = rng.random((400, 3)) < 0.4
    labels = rng.random(400) < np.select(groups.T, [0.6, 0.02, 0.3], 0.25)
    model, mirrored = (
        fitted((groups, p, z), n_levels=1) for p, z in [(scores, labels), (1 - scores, ~labels)]
    )
    assert len(model.patches_) == len(mirrored.patches_) >= 2
    for patch, other in zip(model.patches_, mirrored.patches_, strict=True):
        assert patch.group == other.group
        assert (patch.shift, patch.evidence) == pytest.approx((-other.shift, other.evidence))
    p = model.predict(scores, groups=groups), 1 - mirrored.predict(1 - scores, groups=groups)
    np.testing.assert_allclose(*p, rtol=1e-6, atol=2.0**-54)


def test_nothing_becomes_certain():
    """No log-odds are lost on the way: up by a patch and down by another is back again."""
    scores = np.repeat([1 - 1e-15, 0.5], 300)
    model = fitted((np.ones((600, 1)), scores, np.arange(600) < 585), n_levels=1)
    p = model.predict(scores, groups=np.ones((600, 1)))
    assert len(model.patches_) == 1 and model.patches_[0].shift > 2.5
    assert np.all((p > scores) & (p < 1))
    (patch,) = model.patches_
    model.patches_ = [patch, patch._replace(shift=-1.0), patch._replace(shift=1 - patch.shift)]
    there = np.array([1 - 1e-15, 0.5, 1e-15])
    back = model.predict(there, groups=np.ones((3, 1)))
    np.testing.assert_allclose(back[1:], there[1:], rtol=1e-12)
    model.patches_ = [patch._replace(shift=1.25), patch._replace(shift=-1.25)]
    np.testing.assert_allclose(
        1 - model.predict(there, groups=np.ones((3, 1))), 1 - there, rtol=1e-12, atol=0
    )


@each_scale
def test_right_predictions_are_left_alone(scale):
    """All but a share alpha of the samples; the bound is far from sharp."""
    model, touched = Multicalibration(scale=scale, alpha=0.5), 0
    for seed in range(100):
        groups, scores, labels = sample(300, seed, strength=0)
        model.fit(scores, labels, groups=groups)
        touched += bool(model.patches_)
        if not model.patches_:
            np.testing.assert_array_equal(model.predict(scores, groups=groups), scores)
    assert touched <= 50 + 3 * 5


@each_scale
def test_weights_up_to_1_keep_that_promise_and_larger_ones_do_not(scale):
    """What the notes say: divided by the largest, weights of whatever law are harmless."""
    model, touched = Multicalibration(scale=scale), {"raw": 0, "divided": 0}
    for seed in range(100):
        rng = np.random.default_rng(seed)
        scores, groups = rng.random(500), rng.random((500, 2)) < 0.5
        labels, weights = rng.random(500) < scores, np.exp(rng.normal(size=500) - 0.5)
        for name, divisor in [("raw", 1.0), ("divided", weights.max())]:
            model.fit(scores, labels, sample_weight=weights / divisor, groups=groups)
            touched[name] += bool(model.patches_)
    assert touched["divided"] <= 5 + 3 * 2.2
    assert scale == "score" or touched["raw"] > 5 + 3 * 2.2


def test_it_comes_closer_to_the_truth_on_new_rows():
    groups, scores, labels = NEW
    p = fitted().predict(scores, groups=groups)
    assert log_loss(labels, p) < log_loss(labels, scores) - 0.02
    assert brier_score_loss(labels, p) < brier_score_loss(labels, scores) - 0.005


# Rows, weights, types


@each_scale
def test_order_of_rows_does_not_matter(scale):
    order = np.random.default_rng(2).permutation(LABELS.size)
    shuffled = fitted((GROUPS[order], SCORES[order], LABELS[order]), scale=scale)
    np.testing.assert_allclose(
        shuffled.predict(NEW[1], groups=NEW[0]),
        fitted(scale=scale).predict(NEW[1], groups=NEW[0]),
        atol=1e-9,
    )


@each_scale
def test_an_integer_weight_is_that_many_copies(scale):
    copies = np.random.default_rng(3).integers(0, 4, LABELS.size)
    scores = SCORES.round(2)
    repeated = fitted(
        tuple(np.repeat(a, copies, axis=0) for a in (GROUPS, scores, LABELS)), scale=scale
    )
    weighted = fitted((GROUPS, scores, LABELS), copies, scale=scale)
    assert len(weighted.patches_) == len(repeated.patches_) >= 1
    np.testing.assert_allclose(
        weighted.predict(NEW[1], groups=NEW[0]),
        repeated.predict(NEW[1], groups=NEW[0]),
        rtol=0,
        atol=1e-9,
    )


def test_names_and_types_of_groups():
    names = ["women", "young", "old", "rare"]
    frame = pd.DataFrame(GROUPS, columns=names)
    expected = fitted()
    for groups in [frame, frame.astype(int), GROUPS.astype(float), GROUPS.tolist()]:
        model = fitted((groups, SCORES, LABELS))
        np.testing.assert_array_equal(
            model.predict(SCORES, groups=groups), expected.predict(SCORES, groups=GROUPS)
        )
        assert model.n_features_in_ == 4
    named = fitted((frame, SCORES, LABELS)).patches_
    assert [p.name for p in named] == [
        "everyone" if p.group is None else names[p.group] for p in expected.patches_
    ]
    assert any(p.name == f"x{p.group}" for p in expected.patches_)


@pytest.mark.parametrize("kind", ["strings", "numbers", "objects"])
def test_groups_in_one_dimension_are_a_column_for_each_value(kind):
    names = np.where(GROUPS[:, 0], "a", np.where(GROUPS[:, 2], "b", "c"))
    codes = {"a": 1, "b": 2, "c": 3}
    groups = {
        "strings": names,
        "numbers": np.array([codes[name] for name in names]),
        "objects": names.tolist(),
    }[kind]
    columns = pd.get_dummies(names).to_numpy()
    expected = fitted((columns, SCORES, LABELS))
    model = fitted((groups, SCORES, LABELS))
    assert len(model.patches_) == len(expected.patches_) >= 1
    assert model.group_names_ == (["1", "2", "3"] if kind == "numbers" else ["a", "b", "c"])
    np.testing.assert_array_equal(
        model.predict(SCORES, groups=groups), expected.predict(SCORES, groups=columns)
    )
    unknown, nobody = np.full(LABELS.size, "d"), np.zeros((LABELS.size, 3))
    np.testing.assert_array_equal(
        model.predict(SCORES, groups=unknown), expected.predict(SCORES, groups=nobody)
    )
    with pytest.raises(ValueError, match="groups are columns, but were given in another form"):
        model.predict(SCORES, groups=columns)
    with pytest.raises(ValueError, match="groups are a value for each row, but were given in"):
        expected.predict(SCORES, groups=groups)


@each_scale
def test_logits_score_and_both_classes_are_those_of_the_predictions(scale):
    model = fitted(scale=scale)
    p = model.predict(SCORES, groups=GROUPS)
    np.testing.assert_allclose(expit(model.predict_logit(SCORES, groups=GROUPS)), p, atol=1e-12)
    np.testing.assert_array_equal(model.predict_proba(SCORES, groups=GROUPS)[:, 1], p)
    found = model.score(SCORES, LABELS, groups=GROUPS)
    assert found == pytest.approx(-brier_score_loss(LABELS, p))


def test_scores_of_0_and_1_and_levels_that_are_tied():
    scores = np.repeat([0.0, 0.3, 1.0], 400)
    labels = np.tile(np.arange(4) == 0, 300)
    groups = np.zeros((1200, 1), bool)
    for scale in SCALES:
        model = fitted((groups, scores, labels), scale=scale)
        assert model.cuts_.size == 2
        p = model.predict(scores, groups=groups)
        np.testing.assert_allclose(p[[0, 600, -1]], 0.25, atol=0.06)
        # what is still tied moves together, and nothing is a NaN
        assert np.unique(p).size <= 3


@each_scale
@pytest.mark.parametrize("label", [False, True])
def test_one_class(scale, label):
    with pytest.warns(OneClassWarning, match="one class only"):
        model = fitted((GROUPS, SCORES, np.full(LABELS.size, label)), scale=scale)
    p = model.predict(SCORES, groups=GROUPS)
    # d(q, p) >= 2 (q - p)^2: no larger bias of everyone is left without a patch
    shrunk = np.mean(np.abs(p - label)) * p.size / (p.size + 1)
    assert shrunk <= np.sqrt(model.threshold_ / (2 * p.size)) < 0.06
    assert scale == "score" or np.all((p > 0) & (p < 1))


def test_conventions():
    before = GROUPS.copy(), SCORES.copy(), LABELS.copy()
    model = fitted(n_levels=3)
    assert all(map(np.array_equal, before, (GROUPS, SCORES, LABELS)))
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(
        again.predict(NEW[1], groups=NEW[0]), model.predict(NEW[1], groups=NEW[0])
    )
    assert not hasattr(clone(model), "patches_") and clone(model).n_levels == 3
    assert model.predict([], groups=np.empty((0, 4))).shape == (0,)
    with pytest.raises(NotFittedError):
        Multicalibration().predict(SCORES, groups=GROUPS)


FORMS = {
    "continuous": lambda n, rng: rng.random(n),
    "ends": lambda n, rng: rng.choice([0.0, 5e-324, np.nextafter(1, 0), 1.0], n),
    "decades": lambda n, rng: 10.0 ** -rng.integers(0, 309, n),
    "ties": lambda n, rng: rng.integers(0, 4, n) / 3,
    "constant": lambda n, rng: np.full(n, rng.choice([0.0, 0.5, 1.0])),
    "float16": lambda n, rng: rng.random(n).astype(np.float16),
    "list": lambda n, rng: rng.random(n).tolist(),
}
WEIGHTS = {
    "none": lambda n, rng: None,
    "counts": lambda n, rng: rng.integers(0, 4, n),
    "tiny": lambda n, rng: np.full(n, 1e-170),
    "large": lambda n, rng: np.full(n, 1e8),
    "uneven": lambda n, rng: 10.0 ** rng.integers(-150, 9, n),
    "huge": lambda n, rng: np.full(n, 1e140),
}


@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    n=st.integers(1, 60) | st.just(1500),
    form=st.sampled_from(sorted(FORMS)),
    weight_form=st.sampled_from(sorted(WEIGHTS)),
    scale=st.sampled_from(SCALES),
    share=st.sampled_from([0.0, 0.05, 0.5, 1.0]),
    seed=st.integers(0, 2**32 - 1),
)
@pytest.mark.slow
def test_any_input_is_refused_in_clear_words_or_patched(n, form, weight_form, scale, share, seed):
    rng = np.random.default_rng(seed)
    scores, weights = FORMS[form](n, rng), WEIGHTS[weight_form](n, rng)
    groups, labels = rng.random((n, 3)) < share, rng.random(n) < share
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", OneClassWarning)
        warnings.filterwarnings("ignore", "sample_weight sums to 1", UserWarning)
        try:
            model = fitted((groups, scores, labels), weights, scale=scale)
        except ValueError as error:
            assert "sample_weight" in str(error) and weight_form in ["counts", "huge"]
            return
        p = model.predict(scores, groups=groups)
    assert p.shape == (n,) and np.all((p >= 0) & (p <= 1))
    json.dumps([patch._asdict() for patch in model.patches_], allow_nan=False)
    assert len(model.patches_) <= 80 * n * (1e8 if weights is not None else 1)


# Refusals


@pytest.mark.parametrize(
    "settings, arguments, message",
    [
        ({"scale": "odds"}, (GROUPS, SCORES, LABELS), "scale must be one of 'logit'"),
        ({"n_levels": 0}, (GROUPS, SCORES, LABELS), "n_levels must be an integer of at least 1"),
        ({"alpha": 1.0}, (GROUPS, SCORES, LABELS), "alpha must be a number between 0 and 1"),
        ({}, (GROUPS, 2 * SCORES, LABELS), r"scores must lie in \[0, 1\]"),
        ({}, (GROUPS, SCORES, LABELS[1:]), "labels has 1499 rows but scores has 1500"),
        ({}, (GROUPS[1:], SCORES, LABELS), "groups has 1499 rows but scores has 1500"),
        ({}, (GROUPS + 1, SCORES, LABELS), "groups must be bool or 0/1; found 2.0 at row"),
        ({}, (GROUPS * np.nan, SCORES, LABELS), "groups must be bool or 0/1, a column .* NaN"),
        ({}, (GROUPS[:, :, None], SCORES, LABELS), "groups must be bool or 0/1, a column for each"),
        ({}, (np.repeat(["a", None], 750), SCORES, LABELS), "groups holds missing values"),
        ({}, (None, SCORES, LABELS), "groups must be given, a number or a string for each row"),
        ({}, (GROUPS[:, :0], SCORES, LABELS), r"groups must be bool or 0/1.* 0 feature\(s\)"),
        ({}, ([[1], [1, 0]], SCORES, LABELS), "groups must be bool or 0/1, a column for each"),
        ({}, (GROUPS.astype(int).astype(str), SCORES, LABELS), "groups must .* found text"),
        ({}, (GROUPS.astype(int).astype(str).astype(object), SCORES, LABELS), "found text"),
        ({}, (GROUPS.astype("datetime64[s]"), SCORES, LABELS), "groups must .* found text or time"),
        ({}, (GROUPS, SCORES, LABELS, -SCORES), "sample_weight must not be negative"),
        ({}, (GROUPS, SCORES, LABELS, SCORES * 1e13), "divide the weights"),
    ],
)
def test_bad_arguments(settings, arguments, message):
    model = fitted()
    before = model.patches_
    with pytest.raises(ValueError, match=message):
        groups, scores, labels, weights = (*arguments, None)[:4]
        model.set_params(**settings).fit(scores, labels, sample_weight=weights, groups=groups)
    assert model.patches_ is before


def test_bad_queries():
    model = fitted((pd.DataFrame(GROUPS, columns=list("abcd")), SCORES, LABELS))
    with pytest.raises(ValueError, match="feature names"):
        model.predict(SCORES, groups=pd.DataFrame(GROUPS, columns=list("abce")))
    with pytest.raises(ValueError, match="groups has 3 rows but scores has 1500"):
        model.predict(SCORES, groups=pd.DataFrame(GROUPS[:3], columns=list("abcd")))
    with pytest.raises(ValueError, match="expecting 4 features"):
        fitted().predict(SCORES, groups=GROUPS[:, :2])


# Kernels


def test_sums_of_cells_and_the_most_evident_set():
    rng = np.random.default_rng(5)
    members, levels = rng.random((3, 90)) < 0.4, rng.integers(0, 4, 90)
    p, z, w = rng.random(90), (rng.random(90) < 0.5).astype(np.uint8), rng.random(90)
    sums = cell_sums(members, levels, p, 1 - p, z, w, 4)
    for g, k in itertools.product(range(3), range(4)):
        rows = members[g] & (levels == k)
        expected = [w[rows] @ values[rows] for values in (z, 1 - z, p, 1 - p)]
        np.testing.assert_allclose([cells[g, k] for cells in sums], expected)
    assert most_evident(np.zeros((4, 2, 3)), True) == ((0, 0, 2), 0.0)


@pytest.mark.parametrize("goal", [1e-20, 1e-6, 0.3, 0.999999])
@pytest.mark.parametrize("spread", [0.0, 1.0, 30.0])
def test_a_shift_reaches_its_sum(goal, spread):
    rng = np.random.default_rng(6)
    logits, weights = spread * rng.uniform(-1, 1, 40), rng.random(40)
    shift = shift_to_sum(logits, weights, goal * weights.sum(), 0.0)
    assert weights @ expit(logits + shift) == pytest.approx(goal * weights.sum(), rel=1e-9)
