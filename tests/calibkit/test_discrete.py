"""Discrete laws against scikit-learn on weighted cells, numerical integration, and samples."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics as reference

from calib.metrics import expected_calibration_error, log_loss, roc_auc_score
from calibkit.theory import DiscreteLaw

seeds = st.integers(0, 10**6)
shapes = st.tuples(st.integers(1, 4), st.integers(1, 4))
exactly = np.vectorize(Fraction, otypes=[object])


def draw(seed, shape=(3, 3)):
    """A random law, and values with ties."""
    rng = np.random.default_rng(seed)
    return DiscreteLaw.random(rng, *shape), rng.integers(0, 5, shape) / 4


def as_rows(law, values):
    """Labels, values and weights of the cells, once as positives and once as negatives."""
    labels = np.repeat([1, 0], law.mass.size)
    joint = [law.base_rate * law.positive, (1 - law.base_rate) * law.negative]
    return labels, np.tile(np.ravel(values), 2), np.ravel(joint)


@settings(max_examples=100, deadline=None)
@given(seeds, shapes)
def test_roc_and_losses_are_those_of_scikit_learn_on_weighted_cells(seed, shape):
    law, values = draw(seed, shape)
    labels, scores, weights = as_rows(law, values)
    used = {"sample_weight": weights}
    assert law.auc(values) == pytest.approx(reference.roc_auc_score(labels, scores, **used))
    kept = weights > 0  # scikit-learn has a corner for a value that never occurs, too
    fpr, tpr, _ = reference.roc_curve(
        labels[kept], scores[kept], sample_weight=weights[kept], drop_intermediate=False
    )
    np.testing.assert_allclose(law.roc(values), [fpr, tpr], atol=1e-12)
    inner = 0.1 + 0.8 * values
    expected = reference.log_loss(labels, 0.1 + 0.8 * scores, **used)
    assert law.log_loss(inner) == pytest.approx(expected)


@settings(max_examples=100, deadline=None)
@given(seeds, shapes)
def test_corners_of_the_precision_recall_curve_are_those_of_scikit_learn(seed, shape):
    law, values = draw(seed, shape)
    labels, scores, weights = as_rows(law, values)
    kept = weights > 0
    labels, scores, weights = labels[kept], scores[kept], weights[kept]
    precision, recall, _ = reference.precision_recall_curve(labels, scores, sample_weight=weights)
    ours = law.precision_recall(values)
    np.testing.assert_allclose(ours[0][1:], precision[-2::-1], atol=1e-12)
    np.testing.assert_allclose(ours[1], recall[::-1], atol=1e-12)
    average = np.sum(np.diff(ours[1]) * ours[0][1:])
    expected = reference.average_precision_score(labels, scores, sample_weight=weights)
    assert average == pytest.approx(expected)


@settings(max_examples=50, deadline=None)
@given(seeds, shapes)
def test_area_under_precision_and_recall_is_the_integral(seed, shape):
    law, values = draw(seed, shape)
    fpr, tpr = law.roc(values)
    p, q = law.base_rate, 1 - law.base_rate
    middle = (np.arange(20_000) + 0.5) / 20_000
    area = 0.0
    for x0, x1, y0, y1 in zip(fpr[:-1], fpr[1:], tpr[:-1], tpr[1:], strict=True):
        if y1 > y0:
            positive, negative = p * (y0 + middle * (y1 - y0)), q * (x0 + middle * (x1 - x0))
            area += (y1 - y0) * np.mean(positive / (positive + negative))
    assert law.pr_auc(values) == pytest.approx(area, abs=1e-6)


def test_area_of_a_classifier_that_knows_nothing_is_the_base_rate():
    law = DiscreteLaw([[1, 2]], [[3, 1]], 0.3)
    assert law.pr_auc(0) == pytest.approx(0.3) and law.auc(0) == 0.5
    assert law.pr_auc([[0, 1e-300]]) > 0.3  # its values count by their order only


def test_area_of_a_perfect_classifier_is_one():
    law = DiscreteLaw([[0, 2, 3]], [[4, 0, 0]], 0.3)
    assert law.pr_auc(law.posterior) == law.auc(law.posterior) == 1
    assert law.log_loss(law.posterior) == 0


@settings(max_examples=50, deadline=None)
@given(seeds, shapes)
def test_fractions_are_computed_exactly(seed, shape):
    rng = np.random.default_rng(seed)
    weights = rng.integers(0, 6, (2, *shape))
    weights[:, 0, 0] += 1
    rate = Fraction(int(rng.integers(1, 10)), 10)
    law, floats = DiscreteLaw(*exactly(weights), rate), DiscreteLaw(*weights, float(rate))
    values = rng.integers(0, 3, shape)
    pairs = np.sign(values.ravel()[:, None] - values.ravel())  # of a positive and a negative
    twice = np.outer(weights[0], weights[1]) * (1 + pairs)
    exact = Fraction(int(twice.sum()), 2 * int(weights[0].sum() * weights[1].sum()))
    assert law.auc(values) == exact and isinstance(law.auc(values), Fraction)
    assert law.auc(law.posterior) == law.auc(law.likelihood_ratio) >= exact
    assert law.calibration_error(law.posterior) == 0
    for name in ["roc", "auc", "precision_recall", "pr_auc", "log_loss", "calibration_error"]:
        for_fractions, for_floats = (getattr(x, name)(values / 4) for x in [law, floats])
        np.testing.assert_allclose(np.array(for_fractions, float), for_floats, atol=1e-12)


@settings(max_examples=50, deadline=None)
@given(seeds, shapes)
def test_posterior_and_likelihood_ratio_order_alike(seed, shape):
    law, values = draw(seed, shape)
    ratio, posterior = law.likelihood_ratio.ravel(), law.posterior.ravel()
    odds = law.base_rate / (1 - law.base_rate)
    finite = np.isfinite(ratio)
    np.testing.assert_allclose(posterior[finite], odds * ratio[finite] / (1 + odds * ratio[finite]))
    assert np.all(posterior[~finite] == 1)
    assert law.auc(values) <= law.auc(law.posterior) + 1e-12
    assert law.pr_auc(values) <= law.pr_auc(law.posterior) + 1e-12


def test_calibration_error_by_hand():
    law = DiscreteLaw([[2, 6], [1, 1]], [[6, 2], [1, 1]], 0.5)
    h = np.array([[0.5, 0.5], [0.7, 0.3]])
    # masses 0.4, 0.4, 0.1, 0.1; posteriors 0.25, 0.75, 0.5, 0.5
    assert law.calibration_error(h) == pytest.approx(0.8 * 0.25 + 0.2 * 0.2)
    assert law.calibration_error(h, groups=h) == pytest.approx(0.2 * 0.2)
    assert law.calibration_error(h, groups=law.levels) == pytest.approx(0)
    assert law.calibration_error([[0.4], [0.6]], groups=law.levels) == pytest.approx(0.1)


def test_samples_follow_the_law():
    law, _ = draw(5, (4, 2))
    levels, parts, labels = law.sample(200_000, np.random.default_rng(0))
    counts = np.zeros((2, 4, 2))
    np.add.at(counts, (labels, levels, parts), 1)
    joint = [(1 - law.base_rate) * law.negative, law.base_rate * law.positive]
    np.testing.assert_allclose(counts / 200_000, joint, atol=0.004)
    p = 0.05 + 0.9 * law.posterior
    drawn = p[levels, parts]
    assert law.auc(p) == pytest.approx(roc_auc_score(labels, drawn), abs=0.005)
    assert law.log_loss(p) == pytest.approx(log_loss(labels, drawn), abs=0.005)
    wide = np.round(p)  # two predictions, two groups
    error = expected_calibration_error(labels, wide[levels, parts], strategy="uniform")
    assert law.calibration_error(wide, groups=wide) == pytest.approx(error, abs=0.005)


def test_values_broadcast_and_may_be_infinite():
    law = DiscreteLaw([[1, 2], [3, 4]], [[4, 3], [2, 1]], 0.5)
    assert law.auc([[0], [1]]) == law.auc([[0, 0], [1, 1]]) == law.auc(law.levels)
    assert law.auc([[-np.inf], [np.inf]]) == law.auc(law.levels)


def test_empty_cells_change_nothing():
    law = DiscreteLaw([[1, 2, 0]], [[4, 3, 0]], 0.5)
    assert law.posterior[0, 2] == law.likelihood_ratio[0, 2] == 0
    for last in [0, 0.5, 9]:
        np.testing.assert_array_equal(law.roc([[0, 1, last]]), law.roc([[0, 1, 1]]))
    assert np.all(np.isfinite(law.precision_recall([[0, 1, 9]])))


@pytest.mark.parametrize(
    "weights, base_rate, message",
    [
        (([1, 2], [1, 2]), 0.5, "positive must have shape"),
        (([[1, 2]], [[1], [2]]), 0.5, "one shape"),
        (([[1, -2]], [[1, 2]]), 0.5, "positive must be finite, not negative"),
        (([[1, 2]], [[0, 0]]), 0.5, "negative must be finite, not negative and not all zero"),
        (([[1, np.nan]], [[1, 2]]), 0.5, "positive must be finite"),
        (([["a", "b"]], [[1, 2]]), 0.5, "positive must be real numbers"),
        (([[1, None]], [[1, 2]]), 0.5, "positive must be real numbers"),
        (([[1, 2], [3]], [[1, 2]]), 0.5, "positive must have shape"),
        ((np.ma.masked_equal([[1, 2]], 1), [[1, 2]]), 0.5, "positive holds masked values"),
        (([[1, 2]], [[1, 2]]), 1, "base_rate"),
    ],
)
def test_bad_laws_are_refused(weights, base_rate, message):
    with pytest.raises(ValueError, match=message):
        DiscreteLaw(*weights, base_rate)


def test_bad_values_are_refused():
    law = DiscreteLaw([[1, 2]], [[2, 1]], 0.5)
    with pytest.raises(ValueError, match="values holds NaN"):
        law.auc([[0, np.nan]])
    with pytest.raises(ValueError, match=r"probabilities must lie in \[0, 1\]"):
        law.log_loss([[0, 2]])
    with pytest.raises(ValueError, match=r"values has shape \(1, 3\), which does not broadcast"):
        law.roc([[0, 1, 2]])
    with pytest.raises(ValueError, match="groups holds NaN"):
        law.calibration_error(law.posterior, groups=[[0, np.nan]])
    with pytest.raises(ValueError, match="n_parts"):
        DiscreteLaw.random(np.random.default_rng(0), 2, 0)
    with pytest.raises(ValueError, match="n must be an integer of at least 0; found -1"):
        law.sample(-1, 0)
    assert [drawn.size for drawn in law.sample(0, 0)] == [0, 0, 0]


def test_weights_of_any_width_count_alike():
    expected = DiscreteLaw([[1.0, 3.0]], [[2.0, 2.0]], 0.5)
    for positive in [[[1, 3]], [[2**61, 3 * 2**61]], [[2.0**-1074, 3 * 2.0**-1074]]]:
        law = DiscreteLaw(positive, np.array([[2, 2]], np.int8), 0.5)
        np.testing.assert_array_equal(law.positive, expected.positive)
        np.testing.assert_array_equal(law.posterior, expected.posterior)
    np.testing.assert_array_equal(DiscreteLaw([[True]], [[5]], 0.5).positive, [[1]])


def test_a_seed_will_do_for_a_generator():
    laws = [DiscreteLaw.random(rng, 3, 2) for rng in [7, np.random.default_rng(7)]]
    np.testing.assert_array_equal(laws[0].positive, laws[1].positive)
    for drawn, expected in zip(laws[0].sample(9, 1), laws[1].sample(9, 1), strict=True):
        np.testing.assert_array_equal(drawn, expected)
