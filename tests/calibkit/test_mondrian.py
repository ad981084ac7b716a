"""Venn-Abers prediction within groups: one predictor each, and exactly valid in each."""

import warnings
from collections import defaultdict
from itertools import combinations_with_replacement, product
from math import factorial, prod

import numpy as np
import pandas as pd
import pytest

from calib import VennAbers
from calibkit.groups import MondrianVennAbers


def sample(n=200, seed=0):
    rng = np.random.default_rng(seed)
    scores, groups = rng.random(n).round(2), rng.choice(["north", "south", "west"], n)
    labels = (rng.random(n) < np.where(groups == "north", scores, scores**3)).astype(int)
    return scores, labels, groups


@pytest.mark.parametrize("loss", ["log", "brier"])
@pytest.mark.parametrize("weighted", [False, True])
def test_each_category_has_its_own_predictor(loss, weighted):
    scores, labels, groups = sample()
    weights = np.random.default_rng(1).integers(0, 3, 200) if weighted else None
    fitted = MondrianVennAbers(loss=loss).fit(scores, labels, sample_weight=weights, groups=groups)
    new, of = np.linspace(0, 1, 60), np.tile(["west", "north", "south"], 20)
    p0, p1 = fitted.predict_interval(new, groups=of)
    merged = fitted.predict(new, groups=of)
    for group in ["north", "south", "west"]:
        rows, asked = groups == group, of == group
        alone = VennAbers(loss=loss).fit(
            scores[rows],
            labels[rows],
            sample_weight=None if weights is None else weights[rows],
        )
        np.testing.assert_array_equal([p0[asked], p1[asked]], alone.predict_interval(new[asked]))
        np.testing.assert_array_equal(merged[asked], alone.predict(new[asked]))


def test_a_category_without_points_has_all_probabilities():
    scores, labels, groups = sample()
    fitted = MondrianVennAbers().fit(scores, labels, groups=groups)
    p0, p1 = fitted.predict_interval([0.5, 0.5], groups=["east", "north"])
    assert (p0[0], p1[0]) == (0, 1) and 0 < p0[1] < p1[1] < 1
    assert fitted.predict([0.5], groups=["east"]) == 0.5
    absent = MondrianVennAbers().fit(scores, labels, sample_weight=groups != "north", groups=groups)
    assert set(absent.calibrators_) == {"south", "west"}
    assert fitted.predict_interval([], groups=[])[0].shape == (0,)


@pytest.mark.parametrize("kind", [int, float, bool, object, "category"])
def test_categories_of_any_kind(kind):
    scores, labels, names = sample()
    codes = pd.Series(np.unique(names, return_inverse=True)[1] % 2).astype(kind)
    expected = (
        MondrianVennAbers()
        .fit(scores, labels, groups=names != "south")
        .predict(scores, groups=names != "south")
    )
    np.testing.assert_array_equal(
        MondrianVennAbers().fit(scores, labels, groups=codes).predict(scores, groups=codes),
        expected,
    )


def test_one_class_in_a_category_is_no_reason_to_warn():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fitted = MondrianVennAbers().fit([0.1, 0.2, 0.3], [0, 0, 1], groups=[1, 1, 2])
    p0, p1 = fitted.predict_interval([0.15, 0.15], groups=[1, 2])
    np.testing.assert_array_equal([p0, p1], [[0, 0], [0.5, 1]])


KINDS = list(product(["a", "b"], [0.0, 1.0], [0, 1]))  # group, score, label
SHARES = dict(zip(KINDS, [0.2, 0.05, 0.05, 0.1, 0.05, 0.25, 0.1, 0.2], strict=True))


def worst_error(predict):
    """Largest conditional error of the selected probability, in exact enumeration; N = 3."""
    mass, positive = defaultdict(float), defaultdict(float)
    for bag in combinations_with_replacement(KINDS, 3):
        orders = factorial(3) / prod(factorial(bag.count(kind)) for kind in set(bag))
        weight = orders * prod(SHARES[kind] for kind in bag)
        groups, scores, labels = map(np.array, zip(*bag, strict=True))
        for group, score, label in KINDS:
            pair = predict(scores, labels, groups, [score], [group])
            key = group, round(float(pair[label][0]), 9)
            mass[key] += weight * SHARES[group, score, label]
            positive[key] += weight * SHARES[group, score, label] * label
    return max(abs(positive[key] / mass[key] - key[1]) for key in mass)


def test_the_selected_probability_is_calibrated_in_each_category_and_that_of_all_points_is_not():
    def within(scores, labels, groups, score, group):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            fitted = MondrianVennAbers().fit(scores, labels, groups=groups)
        return fitted.predict_interval(score, groups=group)

    def pooled(scores, labels, groups, score, group):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return VennAbers().fit(scores, labels).predict_interval(score)

    assert worst_error(within) < 1e-8
    assert worst_error(pooled) > 0.1


@pytest.mark.parametrize(
    "groups, message",
    [
        (None, "groups must be given, a number or a string for each row; found None"),
        (["a"], "groups has 1 rows but scores has 2: they must match"),
        ([["a"], ["b"]], "groups must be one-dimensional"),
        ([1.0, np.nan], "groups holds missing values: give them a separate group"),
        (np.array(["a", None], object), "groups holds missing values: give them a separate group"),
        (np.array(["a", 1], object), "numbers only or strings only; found int, str"),
        (["a", np.nan], "groups holds missing values: give them a separate group"),
        (["a", 1], "numbers only or strings only; found int, str"),
        ([None, None], "groups holds missing values: give them a separate group"),
        (
            pd.Series([1, None], dtype="Int64"),
            "groups holds missing values: give them a separate group",
        ),
        (pd.Series(pd.to_datetime(["2026-01-01", "2026-01-02"])), "only; found datetime64: write"),
        (np.array(["2026-01-01", "2026-01-02"], "datetime64[s]"), "only; found datetime64: write"),
        (np.array(["2026-01-01", "2026-01-02"], "datetime64[ns]"), "only; found datetime64: write"),
        (np.array([1, 2], "timedelta64[D]"), "only; found timedelta64: write"),
    ],
)
def test_bad_categories_are_refused(groups, message):
    with pytest.raises(ValueError, match=message):
        MondrianVennAbers().fit([0.1, 0.2], [0, 1], groups=groups)
    fitted = MondrianVennAbers().fit([0.1, 0.2], [0, 1], groups=["a", "b"])
    with pytest.raises(ValueError, match=message):
        fitted.predict_interval([0.1, 0.2], groups=groups)


def test_other_bad_input():
    good = {"scores": [0.1, 0.2], "labels": [0, 1], "groups": ["a", "b"]}
    with pytest.raises(ValueError, match="loss must be one of 'log', 'brier'; found 'hinge'"):
        MondrianVennAbers(loss="hinge").fit(**good)
    with pytest.raises(ValueError, match="labels must be 0/1 or bool; found 2 at row 1"):
        MondrianVennAbers().fit([0.1, 0.2], [0, 2], groups=["a", "b"])
    with pytest.raises(ValueError, match="sample_weight has 1 rows"):
        MondrianVennAbers().fit(**good, sample_weight=[1.0])
    fitted = MondrianVennAbers().fit(**good)
    before = fitted.calibrators_
    with pytest.raises(ValueError, match="scores must be finite"):
        fitted.fit([np.nan, 0.2], [0, 1], groups=["a", "b"])
    assert fitted.calibrators_ is before
