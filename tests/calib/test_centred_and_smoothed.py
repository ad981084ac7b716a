"""Isotonic regression and ENIR without plateaus and without 0 and 1, against exact arithmetic."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_near_isotonic import path_in_fractions, pooled, quiet_fit, sample

from calib import ENIR, IsotonicCalibrator
from calib.kernels.adjacent_violators import block_centres
from calib.metrics import log_loss, roc_auc_score

seeds = st.integers(0, 10**6)
weights_of_ends = st.sampled_from([0, 0.5, 1, 3])


def cir(scores, labels, weights):
    """Centres and values by the loop of cir::cirPAVA(strict=TRUE), in fractions.

    Pool the first pair of neighbours that do not increase, scores and all, until there is none.
    """
    points = [
        [Fraction(x), Fraction(int(s), 1) / int(w), Fraction(int(w))]
        for x, w, s in zip(*pooled(scores, labels, weights), strict=True)
    ]
    while True:
        falls = [i for i in range(len(points) - 1) if points[i][1] >= points[i + 1][1]]
        if not falls:
            return points
        i = falls[0]
        (x, y, w), (x2, y2, w2) = points[i : i + 2]
        points[i : i + 2] = [[(w * x + w2 * x2) / (w + w2), (w * y + w2 * y2) / (w + w2), w + w2]]


def interpolated(points, query):
    """The line through the points, constant beyond."""
    query = Fraction(query)
    if query <= points[0][0]:
        return points[0][1]
    for (x, y, _), (x2, y2, _) in zip(points, points[1:], strict=False):
        if query <= x2:
            return y + (query - x) / (x2 - x) * (y2 - y)
    return points[-1][1]


def with_ends(scores, labels, weights, smoothing):
    """The sample with the two pseudo-observations as rows."""
    ends = [np.min(scores), np.max(scores)]
    return np.r_[scores, ends], np.r_[labels, 1, 0], np.r_[weights, [smoothing] * 2]


@settings(max_examples=60, deadline=None)
@given(n=st.integers(1, 40), seed=seeds, smoothing=st.sampled_from([0, 1, 3]))
def test_centred_isotonic_regression_in_exact_arithmetic(n, seed, smoothing):
    scores, labels = sample(n, seed, decimals=1)
    weights = np.random.default_rng(seed).integers(1, 5, n)
    fitted = quiet_fit(
        IsotonicCalibrator(centred=True, smoothing=smoothing), scores, labels, weights
    )
    rows = with_ends(scores, labels, weights, smoothing) if smoothing else (scores, labels, weights)
    points = cir(*rows)
    queries = np.r_[scores, np.random.default_rng(seed).uniform(-0.2, 1.2, 20)]
    expected = [float(interpolated(points, query)) for query in queries]
    np.testing.assert_allclose(fitted.predict(queries), expected, rtol=0, atol=1e-13)
    np.testing.assert_array_equal(fitted.counts_, [float(w) for _, _, w in points])


def test_small_cases_by_hand():
    scores, labels = [1, 2, 3, 6, 8], [0, 1, 0, 0, 1]
    plain = IsotonicCalibrator().fit(scores, labels)
    np.testing.assert_allclose(plain.predict(scores), [0, 1 / 3, 1 / 3, 1 / 3, 1])
    # the block 100 at 2, 3 and 6 has its centre at 11/3
    centred = IsotonicCalibrator(centred=True).fit(scores, labels)
    np.testing.assert_allclose(centred.map_.scores, [1, 11 / 3, 8])
    np.testing.assert_allclose(centred.predict([1, 2, 3]), [0, 1 / 8, 1 / 4])
    assert centred.predict([-5, 11]).tolist() == [0, 1]
    # half a positive at 1 and half a negative at 8: values 1/3, 1/3 and 2/3
    smoothed = IsotonicCalibrator(smoothing=0.5).fit(scores, labels)
    np.testing.assert_allclose(smoothed.predict(scores), [1 / 3] * 4 + [2 / 3])
    np.testing.assert_allclose(smoothed.counts_, [4.5, 1.5])
    # one point: Laplace's rule
    np.testing.assert_allclose(
        IsotonicCalibrator(smoothing=1).fit([3, 3, 3], [0, 0, 1]).predict([3]), 2 / 5
    )


@pytest.mark.parametrize("method", [IsotonicCalibrator, ENIR])
@settings(max_examples=30, deadline=None)
@given(n=st.integers(2, 60), seed=seeds, smoothing=st.sampled_from([0.5, 1, 3]))
def test_smoothing_is_two_more_rows(method, n, seed, smoothing):
    scores, labels = sample(n, seed, decimals=2)
    weights = np.random.default_rng(seed).integers(1, 4, n)
    queries = np.linspace(-0.1, 1.1, 60)
    for centred in (False, True):
        ours = quiet_fit(method(centred=centred, smoothing=smoothing), scores, labels, weights)
        rows = with_ends(scores, labels, weights, smoothing)
        theirs = quiet_fit(method(centred=centred), *rows)
        np.testing.assert_allclose(
            ours.predict(queries), theirs.predict(queries), rtol=0, atol=1e-12
        )


@settings(max_examples=40, deadline=None)
@given(n=st.integers(1, 80), seed=seeds, smoothing=st.sampled_from([0.01, 1.0, 20.0]))
def test_no_prediction_is_sure(n, seed, smoothing):
    scores, labels = sample(n, seed)
    total = n + 2 * smoothing
    least = smoothing / total
    for centred in (False, True):
        fitted = quiet_fit(IsotonicCalibrator(centred=centred, smoothing=smoothing), scores, labels)
        p = fitted.predict(np.r_[-9, scores, 9])
        assert np.all((p >= least * (1 - 1e-12)) & (p <= 1 - least * (1 - 1e-12)))
        enir = quiet_fit(ENIR(centred=centred, smoothing=smoothing), scores, labels)
        if enir.lambdas_[0] > 0:
            least_of_enir = min(smoothing, enir.lambdas_[0]) / total * (1 - 1e-12)
        else:
            least_of_enir = least * (1 - 1e-12)
        p = enir.predict(np.r_[-9, scores, 9])
        assert np.all((p >= least_of_enir) & (p <= 1 - least_of_enir))
        assert np.isfinite(log_loss(1 - labels, fitted.predict(scores)))


@pytest.mark.parametrize("method", [IsotonicCalibrator, ENIR])
@pytest.mark.parametrize("smoothing", [5e-324, 1e-17, 1e-9, 1e16, 1e150])
def test_no_prediction_is_rounded_to_0_or_1(method, smoothing):
    for n, seed in itertools.product([4, 30, 200], range(5)):
        scores, labels = sample(n, seed)
        for centred in (False, True):
            fitted = quiet_fit(method(centred=centred, smoothing=smoothing), scores, labels)
            p = fitted.predict(np.r_[-9, scores, 9])
            assert np.all((p >= 2**-53) & (p <= 1 - 2**-53))


@settings(max_examples=40, deadline=None)
@given(n=st.integers(2, 120), seed=seeds, smoothing=weights_of_ends)
def test_the_order_is_kept_between_the_outermost_centres(n, seed, smoothing):
    scores, labels = sample(n, seed)
    fitted = quiet_fit(IsotonicCalibrator(centred=True, smoothing=smoothing), scores, labels)
    low, high = fitted.map_.scores[[0, -1]]
    assert scores.min() <= low <= high <= scores.max()
    inside = np.unique(scores.clip(low, high))
    assert np.all(np.diff(fitted.predict(inside)) > 0)
    new, theirs = sample(200, seed + 1)
    if 0 < theirs.sum() < 200:
        # pairs with both scores beyond the same outermost centre are tied, no others
        expected = roc_auc_score(theirs, new.clip(low, high))
        assert roc_auc_score(theirs, fitted.predict(new)) == pytest.approx(expected, abs=1e-12)


@settings(max_examples=30, deadline=None)
@given(n=st.integers(2, 60), seed=seeds, criterion=st.sampled_from(["bic", "aic"]))
def test_centred_enir_places_the_runs_of_enir_at_their_means(n, seed, criterion):
    scores, labels = sample(n, seed, decimals=2)
    weights = np.random.default_rng(seed).integers(1, 4, n)
    plain = quiet_fit(ENIR(criterion=criterion), scores, labels, weights)
    centred = quiet_fit(ENIR(criterion=criterion, centred=True), scores, labels, weights)
    distinct, w, s = pooled(scores, labels, weights)
    models = path_in_fractions(w, s)
    _, sizes, _ = (models[1:] or models)[np.flatnonzero(plain.weights_)[0]]
    run = np.repeat(np.arange(len(sizes)), sizes)
    centres = np.bincount(run, w * distinct) / np.bincount(run, w)
    np.testing.assert_allclose(centred.map_.scores, centres, rtol=0, atol=1e-13)
    values = plain.predict(distinct[np.cumsum(sizes) - 1])
    np.testing.assert_array_equal(centred.map_.probabilities, values)


@pytest.mark.parametrize(
    "scores",
    [
        [-1.7e308, 1.7e308],
        [1e308, 1.7e308, 1.79e308],
        [0.0, 5e-324, 1e-323],
        [1e15, 1e15 + 1, 1e15 + 3],
        [0.5, 0.5 + np.spacing(0.5)],
    ],
)
@pytest.mark.parametrize("weights", [[1.0, 1.0, 1.0], [1e-170, 1e140, 1.0], [5e-324] * 3])
def test_a_centre_lies_within_its_block_whatever_the_scores(scores, weights):
    scores = np.array(scores)
    weights = np.array(weights[: scores.size])
    (centre,) = block_centres(scores, weights, np.array([0, scores.size]))
    assert scores[0] <= centre <= scores[-1]
    x, w = [Fraction(s) for s in scores], [Fraction(v) for v in weights]
    exact = sum(a * b for a, b in zip(x, w, strict=True)) / sum(w)
    rounding = max(map(abs, x)) / 2**50 + Fraction(5e-324)
    assert abs(Fraction(centre) - exact) <= rounding


@pytest.mark.parametrize("method", [IsotonicCalibrator, ENIR])
@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"centred": "yes"}, "centred must be True or False; found 'yes'"),
        ({"smoothing": -1}, "smoothing must be a number from 0 to 1e.150; found -1"),
        ({"smoothing": np.nan}, "smoothing must be a number from 0"),
        ({"smoothing": np.inf}, "smoothing must be a number from 0"),
        ({"smoothing": True}, "smoothing must be a number from 0"),
    ],
)
def test_bad_arguments_are_refused(method, arguments, message):
    with pytest.raises(ValueError, match=message):
        method(**arguments).fit([0.1, 0.2], [0, 1])
