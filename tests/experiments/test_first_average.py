"""The average of the recorded benchmarks, against folds made by hand and a general optimiser."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import expit, softmax
from sklearn.base import clone
from test_stacking import lost_with_few_positives

from calib import HistogramBinning, OneClassWarning, PlattScaling, VennAbers
from calib.methods.folds import deal
from calib.metrics import log_loss
from experiments.benchmark.first_average import OPTIMALITY_GAP, LikeliestAverage, likeliest_weights

FEW = [PlattScaling(scale="logit"), VennAbers(), HistogramBinning(n_bins=4)]


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


def test_the_average_may_beat_its_best_member():
    """A curve knows the slope within four levels, the levels know where it is broken."""

    def truth(scores):
        return np.where(scores < 0.5, expit(10 * (scores - 0.25)), np.where(scores < 0.8, 0.2, 0.9))

    rng = np.random.default_rng(0)
    scores, new = rng.random(20_000), rng.random(20_000)
    members = [PlattScaling(scale="logit"), HistogramBinning(n_bins=4)]
    stacked = LikeliestAverage(members).fit(scores, rng.random(20_000) < truth(scores))
    labels = (rng.random(20_000) < truth(new)).astype(int)
    alone = [log_loss(labels, member.predict(new)) for member in stacked.calibrators_]
    assert log_loss(labels, stacked.predict(new)) < min(alone)


def test_a_cautious_average_leaves_good_scores_alone():
    scores = np.random.default_rng(0).random(1000)
    kept = 0
    for seed in range(20):
        labels = np.random.default_rng(100 + seed).random(1000) < scores
        cautious = LikeliestAverage(cautious=True).fit(scores, labels)
        kept += cautious.kept_
        plain = LikeliestAverage().fit(scores, labels)
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
    cautious = LikeliestAverage(cautious=True).fit(scores, labels)
    assert not cautious.kept_
    plain = LikeliestAverage().fit(scores, labels)
    np.testing.assert_array_equal(cautious.predict(scores), plain.predict(scores))


def test_a_cautious_average_of_one_class_or_of_margins():
    with pytest.warns(OneClassWarning):
        cautious = LikeliestAverage(cautious=True).fit([0.2, 0.4], [1, 1])
    assert cautious.kept_ and cautious.predict([0.3]) == pytest.approx(0.3, abs=0.01)
    with pytest.raises(ValueError, match="scores must lie in"):
        LikeliestAverage([PlattScaling()], cautious=True).fit([0.2, 1.4], [0, 1])


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
        stacked = LikeliestAverage(FEW, prior=prior).fit(scores, labels)
        expected, _ = likeliest_weights(losses, np.ones(10), used)
        np.testing.assert_allclose(stacked.weights_, expected, atol=1e-6)
        assert stacked.gap_ <= OPTIMALITY_GAP
    enough = LikeliestAverage(FEW, cv=len(positives)) if len(positives) > 1 else None
    if enough:
        assert enough.fit(scores, labels).weights_.min() < stacked.weights_.min()


def test_without_two_classes_all_members_count_the_same():
    for scores, labels in [([0.2, 0.7, 0.9], [1, 1, 1]), ([0.2, 0.7], [0, 1])]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", OneClassWarning)
            stacked = LikeliestAverage(FEW).fit(scores, labels)
        np.testing.assert_allclose(stacked.weights_, 1 / 3)
        assert np.isnan(stacked.losses_).all() and np.isnan(stacked.gap_)


@pytest.mark.slow
def test_with_few_positives_the_average_loses_least():
    """Than equal weights, the spline alone or the scores."""
    lost = lost_with_few_positives(LikeliestAverage(), 2)
    ours, *others = np.mean(lost, axis=0)
    assert len(lost) > 40 and ours < 0.8 * min(others)
