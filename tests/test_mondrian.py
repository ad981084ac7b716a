"""Venn-Abers prediction within categories: one predictor each, and exactly valid in each."""

import warnings
from collections import defaultdict
from itertools import combinations_with_replacement, product
from math import factorial, prod

import numpy as np
import pandas as pd
import pytest

from calib import MondrianVennAbers, VennAbers


def sample(n=200, seed=0):
    rng = np.random.default_rng(seed)
    scores, categories = rng.random(n).round(2), rng.choice(["north", "south", "west"], n)
    labels = (rng.random(n) < np.where(categories == "north", scores, scores**3)).astype(int)
    return scores, labels, categories


@pytest.mark.parametrize("loss", ["log", "brier"])
@pytest.mark.parametrize("weighted", [False, True])
def test_each_category_has_its_own_predictor(loss, weighted):
    scores, labels, categories = sample()
    weights = np.random.default_rng(1).integers(0, 3, 200) if weighted else None
    fitted = MondrianVennAbers(loss=loss).fit(scores, labels, categories, weights)
    new, of = np.linspace(0, 1, 60), np.tile(["west", "north", "south"], 20)
    p0, p1 = fitted.predict_interval(new, of)
    merged = fitted.predict(new, of)
    for category in ["north", "south", "west"]:
        rows, asked = categories == category, of == category
        alone = VennAbers(loss=loss).fit(
            scores[rows], labels[rows], None if weights is None else weights[rows]
        )
        np.testing.assert_array_equal([p0[asked], p1[asked]], alone.predict_interval(new[asked]))
        np.testing.assert_array_equal(merged[asked], alone.predict(new[asked]))


def test_a_category_without_points_has_all_probabilities():
    scores, labels, categories = sample()
    fitted = MondrianVennAbers().fit(scores, labels, categories)
    p0, p1 = fitted.predict_interval([0.5, 0.5], ["east", "north"])
    assert (p0[0], p1[0]) == (0, 1) and 0 < p0[1] < p1[1] < 1
    assert fitted.predict([0.5], ["east"]) == 0.5
    absent = MondrianVennAbers().fit(scores, labels, categories, categories != "north")
    assert set(absent.calibrators_) == {"south", "west"}
    assert fitted.predict_interval([], [])[0].shape == (0,)


@pytest.mark.parametrize("kind", [int, float, bool, object, "category"])
def test_categories_of_any_kind(kind):
    scores, labels, names = sample()
    codes = pd.Series(np.unique(names, return_inverse=True)[1] % 2).astype(kind)
    expected = (
        MondrianVennAbers().fit(scores, labels, names != "south").predict(scores, names != "south")
    )
    np.testing.assert_array_equal(
        MondrianVennAbers().fit(scores, labels, codes).predict(scores, codes), expected
    )


def test_one_class_in_a_category_is_no_reason_to_warn():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fitted = MondrianVennAbers().fit([0.1, 0.2, 0.3], [0, 0, 1], [1, 1, 2])
    p0, p1 = fitted.predict_interval([0.15, 0.15], [1, 2])
    np.testing.assert_array_equal([p0, p1], [[0, 0], [0.5, 1]])


KINDS = list(product(["a", "b"], [0.0, 1.0], [0, 1]))  # category, score, label
SHARES = dict(zip(KINDS, [0.2, 0.05, 0.05, 0.1, 0.05, 0.25, 0.1, 0.2], strict=True))


def worst_error(predict):
    """Largest conditional error of the selected probability, in exact enumeration; N = 3."""
    mass, positive = defaultdict(float), defaultdict(float)
    for bag in combinations_with_replacement(KINDS, 3):
        orders = factorial(3) / prod(factorial(bag.count(kind)) for kind in set(bag))
        weight = orders * prod(SHARES[kind] for kind in bag)
        categories, scores, labels = map(np.array, zip(*bag, strict=True))
        for category, score, label in KINDS:
            pair = predict(scores, labels, categories, [score], [category])
            key = category, round(float(pair[label][0]), 9)
            mass[key] += weight * SHARES[category, score, label]
            positive[key] += weight * SHARES[category, score, label] * label
    return max(abs(positive[key] / mass[key] - key[1]) for key in mass)


def test_the_selected_probability_is_calibrated_in_each_category_and_that_of_all_points_is_not():
    def within(scores, labels, categories, *new):
        return MondrianVennAbers().fit(scores, labels, categories).predict_interval(*new)

    def pooled(scores, labels, categories, score, category):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return VennAbers().fit(scores, labels).predict_interval(score)

    assert worst_error(within) < 1e-8
    assert worst_error(pooled) > 0.1


@pytest.mark.parametrize(
    "categories, message",
    [
        (["a"], "categories has 1 rows but scores has 2: they must match"),
        ([["a"], ["b"]], "categories must be one-dimensional"),
        ([1.0, np.nan], "categories holds missing values: give them a category of their own"),
        (np.array(["a", None], object), "numbers only or strings only; found NoneType, str"),
        (np.array(["a", 1], object), "numbers only or strings only; found int, str"),
        (["a", np.nan], "numbers only or strings only; found float, str"),
        (["a", 1], "numbers only or strings only; found int, str"),
        ([None, None], "numbers only or strings only; found NoneType"),
        (pd.Series([1, None], dtype="Int64"), "found NAType, int|holds missing values"),
        (pd.Series(pd.to_datetime(["2026-01-01", "2026-01-02"])), "only; found datetime64: write"),
        (np.array(["2026-01-01", "2026-01-02"], "datetime64[s]"), "only; found datetime64: write"),
        (np.array(["2026-01-01", "2026-01-02"], "datetime64[ns]"), "only; found datetime64: write"),
        (np.array([1, 2], "timedelta64[D]"), "only; found timedelta64: write"),
    ],
)
def test_bad_categories_are_refused(categories, message):
    with pytest.raises(ValueError, match=message):
        MondrianVennAbers().fit([0.1, 0.2], [0, 1], categories)
    fitted = MondrianVennAbers().fit([0.1, 0.2], [0, 1], ["a", "b"])
    with pytest.raises(ValueError, match=message):
        fitted.predict_interval([0.1, 0.2], categories)


def test_other_bad_input():
    good = [0.1, 0.2], [0, 1], ["a", "b"]
    with pytest.raises(ValueError, match="loss must be one of 'log', 'brier'; found 'hinge'"):
        MondrianVennAbers(loss="hinge").fit(*good)
    with pytest.raises(ValueError, match="labels must be 0/1 or bool; found 2 at row 1"):
        MondrianVennAbers().fit([0.1, 0.2], [0, 2], ["a", "b"])
    with pytest.raises(ValueError, match="sample_weight has 1 rows"):
        MondrianVennAbers().fit(*good, [1.0])
    fitted = MondrianVennAbers().fit(*good)
    before = fitted.calibrators_
    with pytest.raises(ValueError, match="scores must be finite"):
        fitted.fit([np.nan, 0.2], [0, 1], ["a", "b"])
    assert fitted.calibrators_ is before
