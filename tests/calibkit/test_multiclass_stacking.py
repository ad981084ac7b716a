"""The average of calibrators of all classes, against folds made by hand."""

from contextlib import nullcontext

import numpy as np
import pytest
from scipy.special import softmax
from sklearn.base import clone
from test_multiclass import sample

import calib
from calibkit.multiclass import (
    OneVsRestCalibrator,
    StackedCalibrator,
    TemperatureScaling,
    VectorScaling,
    log_loss,
)

SCORES = OneVsRestCalibrator(calib.IdentityCalibrator())
FEW = [SCORES, TemperatureScaling(), VectorScaling()]


@pytest.mark.parametrize("weighted", [False, True])
def test_the_weights_are_those_of_folds_made_by_hand(weighted):
    rows, labels = sample(240, 4, 1)
    weights = np.random.default_rng(1).integers(1, 4, 240) if weighted else np.ones(240, int)
    stacked = StackedCalibrator(FEW, cv=4, trust=0.4)
    stacked.fit(rows, labels, sample_weight=weights if weighted else None)
    deck = np.repeat(np.arange(240), weights)
    deck = deck[np.lexsort((rows[deck, 3], labels[deck]))]
    draws = np.random.default_rng(0)
    counts = np.bincount(labels[deck])
    fold = np.concatenate([draws.permutation(np.arange(count) % 4) for count in counts])
    losses = np.empty((deck.size, len(FEW)))
    for k in range(4):
        train, test = deck[fold != k], deck[fold == k]
        for j, member in enumerate(FEW):
            p = clone(member).fit(rows[train], labels[train]).predict_proba(rows[test])
            losses[fold == k, j] = -np.log(p[np.arange(test.size), labels[test]])

    totals, prior = losses.sum(axis=0), np.array([0.4, 0.3, 0.3])
    powers = (np.arange(200_000) + 0.5) / 200_000
    posteriors = softmax(np.log(prior) - np.outer(powers, totals - totals.min()), axis=1)
    expected = posteriors.mean(axis=0)
    np.testing.assert_allclose(stacked.losses_, losses.mean(axis=0), rtol=1e-6)
    np.testing.assert_allclose(stacked.weights_, expected, atol=1e-5)
    members = [clone(member).fit(rows[deck], labels[deck]).predict_proba(rows) for member in FEW]
    np.testing.assert_allclose(
        stacked.predict_proba(rows), np.tensordot(stacked.weights_, members, 1), atol=1e-7
    )


@pytest.mark.parametrize("positives", [1, 3, 60])
def test_with_two_classes_it_is_that_of_two(positives):
    """These members agree: a temperature and the scores treat both classes alike."""
    scores = np.random.default_rng(positives).random(150)
    labels = (np.argsort(np.argsort(-(scores**2))) < positives).astype(np.uint8)
    of_two = calib.StackedCalibrator([calib.IdentityCalibrator(), calib.TemperatureScaling()])
    of_two.fit(scores, labels)
    both = StackedCalibrator([SCORES, TemperatureScaling()])
    both.fit(np.column_stack([1 - scores, scores]), labels)
    np.testing.assert_allclose(both.weights_, of_two.weights_, atol=1e-6)
    queries = np.linspace(0.01, 0.99, 50)
    expected = of_two.predict_proba(queries)
    found = both.predict_proba(np.column_stack([1 - queries, queries]))
    expected = expected[:, 1]
    odds = np.exp(-of_two.shift_) * expected / (1 - expected)  # only the first one moves its level
    np.testing.assert_allclose(found[:, 1], odds / (1 + odds), atol=1e-6)


def test_the_average_follows_the_member_that_is_right():
    rng = np.random.default_rng(0)
    truth = rng.dirichlet(np.ones(3), 3000)
    labels = (truth.cumsum(axis=1) < rng.random((3000, 1))).sum(axis=1)
    right = StackedCalibrator(FEW).fit(truth, labels)
    sure = truth**3 / np.sum(truth**3, axis=1, keepdims=True)
    wrong = StackedCalibrator().fit(sure, labels)
    assert right.losses_[0] < right.losses_[1:].min() + 1e-3
    assert wrong.weights_[0] < 0.05
    assert log_loss(labels, wrong.predict_proba(sure)) < log_loss(labels, truth) + 0.01
    np.testing.assert_allclose(wrong.predict_proba(sure).sum(axis=1), 1, rtol=1e-12)


def test_of_many_rows_one_fold_is_held_out(monkeypatch):
    rows, labels = sample(300, 3)
    sizes = []

    class Counted(TemperatureScaling):
        def _fit(self, probabilities, labels, weights):
            sizes.append(labels.size)
            super()._fit(probabilities, labels, weights)

    monkeypatch.setattr("calib.methods.out_of_fold.MIN_OBSERVATIONS_FOR_ONE_FOLD", 299)
    StackedCalibrator([Counted()]).fit(rows, labels)
    assert len(sizes) == 2


def test_rare_classes():
    rows, _ = sample(6, 3)
    for labels, known in [([0, 0, 0, 1, 1, 2], True), ([0] * 6, False)]:
        with pytest.warns(calib.OneClassWarning) if not known else nullcontext():
            stacked = StackedCalibrator(FEW[:2]).fit(rows, labels)
        assert np.isfinite(stacked.losses_).all() == known
        assert known or stacked.weights_.tolist() == [0.5, 0.5]
    alone = StackedCalibrator(FEW[:2]).fit(rows[:3], [0, 1, 2])
    assert alone.weights_.tolist() == [0.5, 0.5]


@pytest.mark.parametrize(
    "stacked, message",
    [
        (StackedCalibrator(cv=1), "cv must be an integer of at least 2; found 1"),
        (StackedCalibrator(trust=0), "trust must be a number between 0 and 1; found 0"),
        (StackedCalibrator([]), "calibrators is empty: pass at least one"),
        (StackedCalibrator([calib.VennAbers()]), "takes two classes: pass OneVsRestCalibrator"),
        (StackedCalibrator(["spline"]), "calibrator must be an estimator with fit"),
        (StackedCalibrator(TemperatureScaling()), "calibrators must be a list of calibrators"),
    ],
)
def test_what_is_no_average(stacked, message):
    with pytest.raises(ValueError, match=message):
        stacked.fit(*sample(20, 3))
