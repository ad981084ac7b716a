"""Venn-Abers predictors against literal re-fitting, and what the theorems promise."""

import warnings
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import isotonic_regression
from scipy.stats import gmean
from sklearn.datasets import make_classification
from sklearn.isotonic import IsotonicRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB

from calib import (
    CalibratedClassifier,
    DirectIsotonic,
    OneClassWarning,
    TransductiveVennAbers,
    VennAbers,
)
from calib.methods.venn_abers_kernels import venn_abers_pairs
from calib.metrics import log_loss

seeds = st.integers(0, 10**6)
samples = given(
    n=st.integers(1, 40),
    seed=seeds,
    decimals=st.sampled_from([None, 2, 1]),
    weighting=st.sampled_from(["none", "counts", "real"]),
)


def sample(n, seed, decimals=None, weighting="none"):
    rng = np.random.default_rng(seed)
    scores = rng.beta(0.7, 0.9, n)
    if decimals is not None:
        scores = scores.round(decimals)
    slope, offset = rng.uniform(-1, 2), rng.uniform(-0.3, 0.7)
    labels = (rng.random(n) < offset + slope * scores).astype(int)
    weights = {
        "none": None,
        "counts": rng.integers(0, 5, n) + (np.arange(n) == 0),
        "real": rng.uniform(0.05, 3, n),
    }
    return scores, labels, weights[weighting]


def queries(scores, seed):
    """Every calibration score, a point in every gap, and points beyond both ends."""
    ends = np.unique(np.concatenate([scores, [scores.min() - 1, scores.max() + 1]]))
    return np.concatenate([ends, (ends[1:] + ends[:-1]) / 2])


def quiet_fit(calibrator, scores, labels, sample_weight=None):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OneClassWarning)
        return calibrator.fit(scores, labels, sample_weight=sample_weight)


def refit(scores, labels, weights, query, label):
    """Isotonic regression of the sample and (query, label), at the query; by SciPy."""
    weights = np.ones(scores.size) if weights is None else weights
    distinct, index = np.unique(np.append(scores, query), return_inverse=True)
    w = np.bincount(index, np.append(weights, 1.0))
    hits = np.bincount(index, np.append(weights * labels, float(label)))
    present = w > 0
    values = isotonic_regression(hits[present] / w[present], weights=w[present]).x
    return values[np.searchsorted(distinct[present], query)]


# --- the pair ------------------------------------------------------------------------------------


@settings(max_examples=150, deadline=None)
@samples
def test_both_probabilities_are_those_of_literal_refitting(n, seed, decimals, weighting):
    scores, labels, weights = sample(n, seed, decimals, weighting)
    fitted = quiet_fit(VennAbers(), scores, labels, weights)
    points = queries(scores, seed)
    for label, p in enumerate(fitted.predict_interval(points)):
        expected = [refit(scores, labels, weights, point, label) for point in points]
        np.testing.assert_allclose(p, expected, rtol=0, atol=1e-12)


@settings(max_examples=100, deadline=None)
@samples
def test_what_always_holds_for_the_pair(n, seed, decimals, weighting):
    scores, labels, weights = sample(n, seed, decimals, weighting)
    fitted = quiet_fit(VennAbers(), scores, labels, weights)
    p0, p1 = fitted.predict_interval(np.sort(queries(scores, seed)))
    total = n if weights is None else weights.sum()
    assert np.all(p1 - p0 >= (1 - 1e-9) / (total + 1))
    assert np.all((p0 >= 0) & (p0 < 1) & (p1 > 0) & (p1 <= 1))
    assert np.all(np.diff(p0) >= -1e-12) and np.all(np.diff(p1) >= -1e-12)
    assert p0[0] == 0 and p1[-1] == 1


def test_scikit_learn_agrees_on_a_larger_sample():
    scores, labels, _ = sample(3000, seed=1)
    rng = np.random.default_rng(1)
    labels = (rng.random(3000) < 0.2 + 0.5 * scores + 0.2 * np.sin(9 * scores)).astype(int)
    p0, p1 = VennAbers().fit(scores, labels).predict_interval(scores[:20])
    for i in range(20):
        extended = np.append(scores, scores[i])
        for label, p in enumerate([p0, p1]):
            model = IsotonicRegression().fit(extended, np.append(labels, label))
            assert model.predict([scores[i]])[0] == pytest.approx(p[i], rel=0, abs=1e-12)


def test_in_exact_arithmetic_by_the_max_min_formula():
    weights, positives = np.array([2.0, 1, 3, 1, 2, 1]), np.array([1.0, 1, 1, 0, 2, 0])
    places, *both = venn_abers_pairs(weights, positives)
    p0, p1 = (np.repeat(p, np.diff(places, append=7)) for p in both)
    w, s = [list(map(Fraction, map(int, array))) for array in [weights, positives]]

    def at_new(place, label):
        """Isotonic regression at a new object in front of group `place`."""
        totals = [*w[:place], Fraction(1), *w[place:]]
        hits = [*s[:place], Fraction(label), *s[place:]]
        return max(
            min(sum(hits[a : b + 1]) / sum(totals[a : b + 1]) for b in range(place, len(totals)))
            for a in range(place + 1)
        )

    assert p0.tolist() == [float(at_new(j, 0)) for j in range(7)]
    assert p1.tolist() == [float(at_new(j, 1)) for j in range(7)]


def test_what_is_kept_is_where_something_changes():
    scores, labels, _ = sample(500, seed=3)
    fitted = VennAbers().fit(scores, labels)
    assert fitted.p0_.size == fitted.p1_.size == fitted.scores_.size + 1
    assert np.isin(fitted.scores_, scores).all() and np.all(np.diff(fitted.scores_) > 0)
    p0, p1 = fitted.predict_interval(np.sort(scores))
    assert set(p0) <= set(fitted.p0_) and set(p1) <= set(fitted.p1_)
    below, on, above = (
        fitted.predict_interval(point)
        for point in [np.nextafter(fitted.scores_, -9), fitted.scores_, fitted.scores_ + 1e-12]
    )
    np.testing.assert_array_equal(on[0], above[0])  # p0 steps on the score
    np.testing.assert_array_equal(on[1], below[1])  # p1 steps behind it
    assert np.all((below[0] != on[0]) | (on[1] != above[1]))


def test_small_samples():
    for label, p0, p1 in [(0, [0, 0, 0], [0.5, 0.5, 1]), (1, [0, 0.5, 0.5], [1, 1, 1])]:
        with pytest.warns(OneClassWarning):
            one = VennAbers().fit([0.4], [label])
        assert one.predict_interval([0.1, 0.4, 0.9])[0].tolist() == p0
        assert one.predict_interval([0.1, 0.4, 0.9])[1].tolist() == p1
    separated = VennAbers().fit([0.4, 0.6], [0, 1])
    np.testing.assert_array_equal(
        separated.predict_interval([0.4, 0.5, 0.6]), [[0, 0, 0.5], [0.5, 1, 1]]
    )
    assert separated.predict([0.5]) == 0.5
    tied = VennAbers().fit(np.full(9, 0.3), np.arange(9) < 3)
    np.testing.assert_array_equal(
        tied.predict_interval([0.2, 0.3, 0.4]), [[0, 0.3, 0.3], [0.4, 0.4, 1]]
    )
    with pytest.warns(OneClassWarning):
        sure = VennAbers().fit(np.linspace(0, 1, 99), np.ones(99))
    p0, p1 = sure.predict_interval([0, 2])
    np.testing.assert_allclose(p0, [0.5, 0.99], rtol=0, atol=1e-15)
    np.testing.assert_array_equal(p1, 1)


def test_the_interval_narrows_with_the_sample():
    rng = np.random.default_rng(5)
    widths = []
    for n in [100, 1000, 10_000]:
        scores = rng.random(n)
        fitted = VennAbers().fit(scores, rng.random(n) < scores)
        p0, p1 = fitted.predict_interval(np.linspace(0.2, 0.8, 99))
        widths.append(np.mean(p1 - p0))
    assert widths[0] > 2 * widths[1] > 4 * widths[2]


@pytest.mark.slow
def test_the_selected_probability_is_calibrated_and_neither_end_is():
    rng = np.random.default_rng(0)
    chosen, ends = [], []
    for _ in range(4000):
        truth = rng.random(21)
        z = rng.random(21) < truth**2
        p0, p1 = quiet_fit(VennAbers(), truth[:-1], z[:-1]).predict_interval(truth[-1:])
        chosen.append([(p1 if z[-1] else p0)[0], z[-1]])
        ends.append([p0[0], p1[0], z[-1]])
    chosen, ends = np.array(chosen), np.array(ends)
    standard_error = np.sqrt(0.25 / 4000)
    for low, high in [(0, 0.2), (0.2, 0.4), (0.4, 0.6), (0.6, 1.01)]:
        p, z = chosen[(chosen[:, 0] >= low) & (chosen[:, 0] < high)].T
        assert abs(p.mean() - z.mean()) < 4 * np.sqrt(0.25 / p.size)
    assert ends[:, 0].mean() + 4 * standard_error < ends[:, 2].mean()
    assert ends[:, 2].mean() + 4 * standard_error < ends[:, 1].mean()


# --- merging -------------------------------------------------------------------------------------


@pytest.mark.parametrize("loss", ["log", "brier"])
def test_the_merged_probability_has_minimax_regret(loss):
    p0, p1 = VennAbers().fit(*sample(50, seed=2)[:2]).predict_interval(np.linspace(0, 1, 200))
    p = VennAbers(loss=loss).fit(*sample(50, seed=2)[:2]).predict(np.linspace(0, 1, 200))
    assert np.all((p > p0) & (p < p1))
    losses = {
        "log": [lambda q: -np.log1p(-q), lambda q: -np.log(q)],
        "brier": [lambda q: q**2, lambda q: (1 - q) ** 2],
    }
    if_negative, if_positive = losses[loss]
    regret = if_negative(p) - if_negative(p0)
    np.testing.assert_allclose(regret, if_positive(p) - if_positive(p1), rtol=1e-9)


def test_the_loss_may_be_chosen_when_predicting():
    scores, labels, _ = sample(50, seed=4)
    fitted = VennAbers().fit(scores, labels)
    square = VennAbers(loss="brier").fit(scores, labels)
    np.testing.assert_array_equal(fitted.predict(scores, loss="brier"), square.predict(scores))
    np.testing.assert_array_equal(fitted.map_(scores), fitted.predict(scores))
    np.testing.assert_array_equal(square.map_(scores), square.predict(scores))
    for refused in [
        lambda: VennAbers(loss="hinge").fit(scores, labels),
        lambda: fitted.predict(scores, loss="hinge"),
        lambda: TransductiveVennAbers(loss="hinge").fit(scores[:, np.newaxis], labels),
    ]:
        with pytest.raises(ValueError, match="loss must be one of 'log', 'brier'; found 'hinge'"):
            refused()


@settings(max_examples=50, deadline=None)
@samples
def test_log_loss_is_never_infinite(n, seed, decimals, weighting):
    scores, labels, weights = sample(n, seed, decimals, weighting)
    points = queries(scores, seed)
    for loss in ["log", "brier"]:
        p = quiet_fit(VennAbers(loss=loss), scores, labels, weights).predict(points)
        for label in [0, 1]:
            assert np.isfinite(log_loss(np.full(points.size, label), p))


X, Y = make_classification(240, 4, n_informative=2, n_redundant=0, flip_y=0.2, random_state=1)


@pytest.mark.parametrize("loss", ["log", "brier"])
def test_cross_venn_abers_by_hand(loss):
    model = CalibratedClassifier(GaussianNB(), VennAbers(loss=loss), cv=4, ensemble=True)
    p = model.fit(X[:200], Y[:200]).predict_proba(X[200:])[:, 1]
    pairs = []
    for training, held_out in StratifiedKFold(4).split(X[:200], Y[:200]):
        classifier = GaussianNB().fit(X[training], Y[training])
        calibrator = VennAbers().fit(classifier.predict_proba(X[held_out])[:, 1], Y[held_out])
        pairs.append(calibrator.predict_interval(classifier.predict_proba(X[200:])[:, 1]))
    p0, p1 = np.array(pairs).swapaxes(0, 1)
    if loss == "log":
        expected = gmean(p1) / (gmean(1 - p0) + gmean(p1))
    else:
        expected = np.mean(p1 + p0**2 / 2 - p1**2 / 2, axis=0)
    np.testing.assert_allclose(p, expected, rtol=0, atol=1e-12)


# --- DIR -----------------------------------------------------------------------------------------


@settings(max_examples=100, deadline=None)
@samples
def test_direct_isotonic_takes_the_nearest_score_and_of_two_the_smaller(
    n, seed, decimals, weighting
):
    scores, labels, weights = sample(n, seed, decimals, weighting)
    scores = np.round(scores * 64) / 64  # halves between them are exact
    fitted = quiet_fit(DirectIsotonic(), scores, labels, weights)
    model = IsotonicRegression().fit(scores, labels, weights)
    kept = scores if weights is None else scores[weights > 0]
    distinct = np.unique(kept)
    points = np.append(queries(scores, seed), np.linspace(-0.1, 1.1, 30))
    nearest = distinct[np.argmin(np.abs(points[:, np.newaxis] - distinct), axis=1)]
    np.testing.assert_allclose(fitted.predict(points), model.predict(nearest), rtol=0, atol=1e-12)


def test_direct_isotonic_between_neighbouring_floats():
    scores = np.array([1.0, np.nextafter(1, 2), np.nextafter(np.nextafter(1, 2), 2)])
    for first in [0, 1]:
        pair = scores[first : first + 2]
        np.testing.assert_array_equal(DirectIsotonic().fit(pair, [0, 1]).predict(pair), [0, 1])


def test_direct_isotonic_has_infinite_log_loss_where_venn_abers_has_not():
    scores, labels = np.array([0.1, 0.2, 0.3, 0.4]), np.array([0, 0, 1, 1])
    direct = DirectIsotonic().fit(scores, labels).predict([0.1, 0.9])
    np.testing.assert_array_equal(direct, [0, 1])
    assert log_loss([1, 0], direct) == np.inf
    assert log_loss([1, 0], VennAbers().fit(scores, labels).predict([0.1, 0.9])) < 2


@pytest.mark.parametrize("weight", [1.0, 1e15, 1e17, 1e149])
def test_a_centred_sum_is_finite_whatever_the_weights(weight):
    weights = np.array([weight, 1e-3])
    centred = VennAbers(centred=True).fit([0.2, 0.7], [1, 0], sample_weight=weights)
    assert np.isfinite(centred.shift_) and np.all(np.isfinite(centred.predict([0.1, 0.5, 0.9])))
    wanted = np.clip(weight / weights.sum(), 0, 1 - 0.5 / (weights.sum() + 1))
    found = np.average(centred.predict([0.2, 0.7]), weights=weights)
    assert found == pytest.approx(wanted, abs=1e-12)
