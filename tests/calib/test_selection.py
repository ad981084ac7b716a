"""The choice of a calibrator by cross-validation, against folds made by hand."""

from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit
from sklearn.base import BaseEstimator
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

from calib import (
    BetaCalibration,
    CalibratedClassifier,
    CalibratorCV,
    HistogramBinning,
    IsotonicCalibrator,
    PlattScaling,
    VennAbers,
)
from calib.base.calibrator import Calibrator
from calib.methods import folds as folding
from calib.methods.folds import deal, deal_groups, drawn_counts
from calib.metrics import log_loss

X, Y = load_breast_cancer(return_X_y=True)


def sample(n, seed):
    rng = np.random.default_rng(seed)
    scores = rng.beta(0.6, 0.8, n).round(2)
    return scores, (rng.random(n) < 0.1 + 0.7 * np.sin(2 * scores) ** 2).astype(np.uint8)


@pytest.mark.parametrize("units", [folding.MAX_UNITS, 3])  # from 4 rows on drawn for whole ties
@settings(max_examples=25, deadline=None)
@given(st.integers(1, 40), st.integers(2, 6), st.integers(0, 10**6))
def test_copies_are_dealt_one_by_one_and_evenly(units, n, n_folds, seed):
    with mock.patch.object(folding, "MAX_UNITS", units):
        check_copies_are_dealt_evenly(n, n_folds, seed)


def check_copies_are_dealt_evenly(n, n_folds, seed):
    scores, labels = sample(n, seed)
    rng = np.random.default_rng(seed)
    copies = rng.integers(0, 4, n)
    folds = deal(scores, labels, copies.astype(float), n_folds)
    np.testing.assert_array_equal(folds.sum(axis=0), copies)
    assert (folds >= 0).all() and (folds == folds.round()).all()
    for label in (0, 1):
        assert np.ptp(folds[:, labels == label].sum(axis=1)) <= 1
    deck = rng.permutation(np.repeat(np.arange(n), copies))
    apart = deal(scores[deck], labels[deck], np.ones(deck.size), n_folds)
    for value in np.unique(scores):
        for label in (0, 1):
            here, there = (
                (scores[rows] == value) & (labels[rows] == label) for rows in [np.arange(n), deck]
            )
            np.testing.assert_array_equal(folds[:, here].sum(axis=1), apart[:, there].sum(axis=1))


@pytest.mark.parametrize("factor", [0.3, 1e9])
def test_weights_of_any_size_are_dealt(factor):
    scores, labels = sample(50, 0)
    weights = factor * np.random.default_rng(0).random(50)
    folds = deal(scores, labels, weights, 5)
    np.testing.assert_allclose(folds.sum(axis=0), weights, rtol=1e-9)
    assert (folds >= 0).all()


@pytest.mark.parametrize("largest", [1.0, 1e6])  # split by units of weight, or by ties
def test_the_first_folds_are_the_same_if_no_others_are_needed(largest):
    scores, labels = sample(50, 0)
    weights = np.ceil(largest * np.random.default_rng(0).random(50))
    folds = deal(scores, labels, weights, 5)
    for n_needed in (1, 3):
        first = deal(scores, labels, weights, 5, n_needed=n_needed)
        np.testing.assert_array_equal(first, folds[:n_needed])


def test_large_counts_are_dealt_as_their_rows_would_be():
    """The fractions of a score in the folds differ as chance has it, and no more."""
    counts = np.array([500_000_000.0, 200_000_000.0, 50.0])
    scores = np.array([0.2, 0.3, 0.4])
    folds = deal(scores, np.zeros(3, np.uint8), counts, 5)
    np.testing.assert_array_equal(folds.sum(axis=0), counts)
    assert np.ptp(folds.sum(axis=1)) <= 1
    total = counts.sum()
    variances = counts * 0.2 * 0.8 * (total - counts) / (total - 1)  # hypergeometric
    standard = (folds - counts / 5) / np.sqrt(variances)
    assert 0.2 < np.square(standard).mean() < 3  # near 170 where 170 rows are dealt as one


@pytest.mark.parametrize("total", [40, 2 * 10**9])
def test_drawn_counts_have_the_moments_of_rows_that_are_dealt(total):
    rng = np.random.default_rng(0)
    counts = np.array([total // 2, total // 4, total - total // 2 - total // 4])
    drawn = np.array([drawn_counts(counts, 5, rng) for _ in range(4000)])
    assert (drawn.sum(axis=1) == counts).all()
    if total < folding.MAX_HYPERGEOMETRIC:
        assert (drawn.sum(axis=2) == total // 5).all()
    expected = counts / 5
    variances = expected * 0.8 * np.where(total < 100, (total - counts) / (total - 1), 1.0)
    error = np.sqrt(variances / 4000)
    assert (np.abs(drawn.mean(axis=0) - expected) < 5 * error).all()
    np.testing.assert_allclose(drawn.var(axis=0) / variances, 1.0, atol=0.15)


def test_rows_left_over_go_to_the_folds_after_those_of_the_class_before():
    rng = np.random.default_rng(0)
    sizes = [drawn_counts(np.array([4, 4]), 5, rng, first=first).sum(axis=1) for first in (0, 4)]
    assert sizes[0].tolist() == [2, 2, 2, 1, 1] and sizes[1].tolist() == [2, 2, 1, 1, 2]


@settings(max_examples=50, deadline=None)
@given(st.integers(1, 60), st.integers(1, 30), st.integers(2, 6), st.integers(0, 10**6))
def test_groups_are_dealt_whole_and_evenly(n, n_groups, n_folds, seed):
    rng = np.random.default_rng(seed)
    groups, labels = rng.integers(0, n_groups, n), rng.integers(0, 2, n)
    weights = rng.integers(1, 4, n).astype(float)
    folds = deal_groups(groups, labels, weights, n_folds)
    np.testing.assert_array_equal(folds.sum(axis=0), weights)
    fold_of = folds.argmax(axis=0)
    assert all(np.unique(fold_of[groups == group]).size == 1 for group in groups)
    rarer = int(weights[labels == 1].sum() <= weights[labels == 0].sum())
    of_groups = np.bincount(groups, weights * (labels == rarer))
    assert np.ptp(folds[:, labels == rarer].sum(axis=1)) <= of_groups.max()
    order = rng.permutation(n)
    shuffled = deal_groups(groups[order], labels[order], weights[order], n_folds)
    np.testing.assert_array_equal(shuffled, folds[:, order])


def test_groups_of_one_row_are_dealt_like_rows():
    labels = np.random.default_rng(0).random(103) < 0.2
    folds = deal_groups(np.arange(103), labels, np.ones(103), 5)
    for label in (0, 1):
        assert np.ptp(folds[:, labels == label].sum(axis=1)) <= 1 + (label == 0)


def test_folds_do_not_share_their_noise():
    """Dealt in turn, in the order of the scores, the last would be chosen every time."""
    rng = np.random.default_rng(0)
    candidates = [PlattScaling(scale="logit"), BetaCalibration(), VennAbers()]
    for _ in range(5):
        scores = rng.random(5000)
        chosen = CalibratorCV(candidates).fit(scores, rng.random(5000) < scores)
        assert np.argmax(chosen.losses_) == 2


@pytest.mark.parametrize("weighted", [False, True])
def test_the_losses_are_those_of_folds_made_by_hand(weighted):
    scores, labels = sample(300, 1)
    weights = np.random.default_rng(1).integers(1, 4, 300) if weighted else np.ones(300, int)
    candidates = [PlattScaling(), VennAbers(), HistogramBinning(n_bins=3)]
    chosen = CalibratorCV(candidates, cv=4).fit(
        scores, labels, sample_weight=weights if weighted else None
    )
    rows = np.repeat(np.arange(300), weights)
    rows = rows[np.lexsort((scores[rows], labels[rows]))]
    draws = np.random.default_rng(0)
    counts = np.bincount(labels[rows])
    fold = np.concatenate([draws.permutation(np.arange(count) % 4) for count in counts])
    for candidate, loss in zip(candidates, chosen.losses_, strict=True):
        predicted = np.empty(rows.size)
        for k in range(4):
            train = rows[fold != k]
            fitted = candidate.fit(scores[train], labels[train])
            predicted[fold == k] = fitted.predict(scores[rows[fold == k]])
        assert loss == pytest.approx(log_loss(labels[rows], predicted), rel=1e-9)
    best = candidates[np.argmin(chosen.losses_)]
    expected = best.fit(scores[rows], labels[rows]).predict(scores)
    np.testing.assert_allclose(chosen.predict(scores), expected, rtol=0, atol=1e-9)


@pytest.mark.parametrize(
    "truth, expected",
    [
        (lambda s: expit(8 * s - 3), PlattScaling),
        (lambda s: s, BetaCalibration),
        (lambda s: np.where(s < 0.3, 0.1, np.where(s < 0.6, 0.8, 0.85)), IsotonicCalibrator),
    ],
)
def test_the_form_of_the_truth_is_found(truth, expected):
    rng = np.random.default_rng(3)
    scores = rng.random(5000)
    chosen = CalibratorCV([PlattScaling(), BetaCalibration(), IsotonicCalibrator()])
    chosen.fit(scores, rng.random(5000) < truth(scores))
    assert isinstance(chosen.calibrator_, expected)


def test_with_too_few_of_a_class_the_first_is_taken():
    scores, labels = np.arange(10) / 10, np.arange(10) == 6
    chosen = CalibratorCV([VennAbers(), PlattScaling()], cv=2).fit(scores, labels)
    assert np.isnan(chosen.losses_).all() and isinstance(chosen.calibrator_, VennAbers)
    two = CalibratorCV([VennAbers(), PlattScaling()], cv=2).fit(scores, np.arange(10) > 7)
    assert np.isfinite(two.losses_).all()


def test_the_losses_are_those_of_folds_of_whole_groups():
    scores, labels = sample(200, 2)
    groups = np.random.default_rng(2).integers(0, 30, 200)
    names = np.array([f"person {group}" for group in range(30)])[groups]
    chosen = CalibratorCV([PlattScaling(), VennAbers()], cv=3).fit(scores, labels, groups=names)
    fold = deal_groups(names, labels, np.ones(200), 3).argmax(axis=0)
    for candidate, loss in zip([PlattScaling(), VennAbers()], chosen.losses_, strict=True):
        p = np.empty(200)
        for k in range(3):
            p[fold == k] = candidate.fit(scores[fold != k], labels[fold != k]).predict(
                scores[fold == k]
            )
        assert loss == pytest.approx(log_loss(labels, p), rel=1e-9)
    assert np.isfinite(chosen.predict(scores)).all()
    with pytest.raises(ValueError, match="groups are given, but CalibratorCV takes none"):
        chosen.predict(scores, groups=names)


@pytest.mark.parametrize(
    "groups, message",
    [
        (np.arange(40) % 4, "groups holds 4 groups, fewer than cv=5: pass a smaller cv"),
        (np.arange(39), "groups has 39 rows but scores has 40"),
        ([None] * 40, "groups holds missing values"),
    ],
)
def test_what_are_no_groups_for_folds(groups, message):
    with pytest.raises(ValueError, match=message):
        CalibratorCV().fit(np.linspace(0, 1, 40), np.arange(40) % 2, groups=groups)


def test_what_is_no_choice():
    for chosen, message in [
        (CalibratorCV(cv=1), "cv must be an integer of at least 2; found 1"),
        (CalibratorCV([]), "calibrators is empty: pass at least one"),
        (CalibratorCV([PlattScaling]), "calibrator must be an estimator with fit"),
        (CalibratorCV([Unweighted()]), "Unweighted.fit takes no sample_weight"),
    ]:
        with pytest.raises(ValueError, match=message):
            chosen.fit([0.1, 0.2], [0, 1])


class Unweighted(BaseEstimator):
    def fit(self, scores, labels):
        return self

    def predict(self, scores):
        return np.full(len(scores), 0.5)


def test_a_classifier_takes_a_list():
    candidates = [PlattScaling(), PlattScaling(scale="logit"), IsotonicCalibrator()]
    model = CalibratedClassifier(GaussianNB(), candidates, cv="same").fit(X, Y)
    scores = GaussianNB().fit(X, Y).predict_proba(X)[:, 1]
    expected = CalibratorCV(candidates).fit(scores, Y)
    np.testing.assert_array_equal(model.predict_proba(X)[:, 1], expected.predict(scores))


def test_a_classifier_gives_probabilities_to_calibrators_that_need_them():
    classifier = LogisticRegression(max_iter=10_000)
    for calibrator, method in [
        (PlattScaling(), "decision_function"),
        (PlattScaling(scale="logit"), "predict_proba"),
        ([PlattScaling(), BetaCalibration()], "predict_proba"),
    ]:
        auto = CalibratedClassifier(classifier, calibrator, cv="same").fit(X, Y)
        said = CalibratedClassifier(classifier, calibrator, cv="same", response_method=method)
        np.testing.assert_array_equal(auto.predict_proba(X), said.fit(X, Y).predict_proba(X))
    with pytest.raises(ValueError, match="LinearSVC has no predict_proba"):
        CalibratedClassifier(LinearSVC(), BetaCalibration(), cv="same").fit(X, Y)


class Odd(Calibrator):
    """Log-odds that are none."""

    def _fit(self, scores, labels, weights):
        pass

    def _predict(self, scores):
        return np.full(scores.size, 0.5)

    def predict_logit(self, scores):
        return np.full(np.size(scores), np.nan)


def test_what_is_no_list_and_what_gives_no_numbers_is_refused():
    scores, labels = np.linspace(0, 1, 40), np.arange(40) % 2
    with pytest.raises(ValueError, match="must be a list of calibrators; found PlattScaling"):
        CalibratorCV(PlattScaling()).fit(scores, labels)
    with pytest.raises(ValueError, match="Odd: predict_logit must give one number"):
        CalibratorCV([PlattScaling(), Odd()]).fit(scores, labels)
