"""The standard error of an AUC, and of a paired difference of AUCs."""

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from calibkit.inference import auc_difference, auc_interval


def two_scores(n, rng):
    """Labels and two scores with much in common; ties in the second."""
    labels = rng.permutation(np.arange(n) % 3 == 0).astype(int)
    shared = rng.normal(labels, 1.0)
    return labels, shared + rng.normal(0, 0.3, n), np.round(shared + rng.normal(0, 0.5, n), 1)


def by_pairs(labels, wins):
    """The standard error of the mean of a matrix with a row for each positive."""
    return np.sqrt(sum(wins.mean(axis=a).var(ddof=1) / wins.shape[1 - a] for a in (0, 1)))


def test_estimates_and_errors_by_brute_force():
    labels, first, second = two_scores(60, np.random.default_rng(0))
    positive, negative = labels == 1, labels == 0
    wins = [np.heaviside(s[positive][:, None] - s[negative], 0.5) for s in (first, second)]
    single, pair = auc_interval(labels, second), auc_difference(labels, first, second)
    assert single.estimate == pytest.approx(roc_auc_score(labels, second), abs=1e-12)
    assert single.error == pytest.approx(by_pairs(labels, wins[1]), rel=1e-9)
    expected = roc_auc_score(labels, first) - roc_auc_score(labels, second)
    assert pair.estimate == pytest.approx(expected, abs=1e-12)
    assert pair.error == pytest.approx(by_pairs(labels, wins[0] - wins[1]), rel=1e-9)
    reach = 1.959964 * pair.error
    assert pair[1:3] == pytest.approx((pair.estimate - reach, pair.estimate + reach), rel=1e-5)


def test_the_error_is_that_of_repeated_samples():
    rng = np.random.default_rng(1)
    results = np.array([auc_difference(*two_scores(300, rng)) for _ in range(400)])
    assert np.mean(results[:, 3]) == pytest.approx(results[:, 0].std(), rel=0.12)
    unpaired = np.std([roc_auc_score(*two_scores(300, rng)[:2]) for _ in range(100)])
    assert np.mean(results[:, 3]) < 0.7 * unpaired


@pytest.mark.parametrize(("apart", "most"), [(0.5, 0.97), (2.5, 0.985)])
def test_intervals_hold_the_true_area_as_often_as_they_say(apart, most):
    """Near 1, where few rows are in the wrong order, a little more often."""
    from scipy.stats import norm

    rng = np.random.default_rng(2)
    truth, held = norm.cdf(apart / np.sqrt(2)), 0
    for _ in range(1000):
        labels = np.arange(120) % 3 == 0
        interval = auc_interval(labels, rng.normal(apart * labels))
        held += interval.lower <= truth <= interval.upper
    assert 0.95 - 3 * np.sqrt(0.95 * 0.05 / 1000) <= held / 1000 <= most


@pytest.mark.parametrize(("area", "of_class"), [(0.961, 10), (0.99, 50)])
def test_intervals_hold_an_area_near_1(area, of_class):
    """DeLong's error alone held them in 69 and 92 %."""
    from scipy.stats import norm

    rng = np.random.default_rng(3)
    labels, apart = np.repeat([0, 1], of_class), np.sqrt(2) * norm.ppf(area)
    found = [auc_interval(labels, rng.normal(apart * labels)) for _ in range(500)]
    assert all(interval.lower < interval.upper for interval in found)
    held = np.mean([interval.lower <= area <= interval.upper for interval in found])
    assert 0.95 - 3 * np.sqrt(0.95 * 0.05 / 500) <= held


def test_equal_scores_have_no_difference_and_separated_classes_no_error():
    labels, scores, _ = two_scores(60, np.random.default_rng(2))
    assert auc_difference(labels, scores, 3 * scores + 1) == (0, 0, 0, 0)
    perfect = auc_interval(labels, labels)
    assert perfect[::2] == (1, 1) and 0.8 < perfect.lower < 0.95 and perfect.error == 0
    reverse = auc_interval(labels, -labels)
    assert reverse[:3] == pytest.approx((0, 0, 1 - perfect.lower))


def test_an_integer_weight_is_that_many_copies():
    rng = np.random.default_rng(3)
    labels, first, second = two_scores(60, rng)
    copies = rng.integers(0, 4, 60)
    rows = np.repeat(np.arange(60), copies)
    for measure, scores in ((auc_interval, [first]), (auc_difference, [first, second])):
        weighted = measure(labels, *scores, sample_weight=copies)
        assert weighted == pytest.approx(measure(labels[rows], *(s[rows] for s in scores)))


def test_bad_input_is_refused_by_name():
    labels, scores, _ = two_scores(60, np.random.default_rng(2))
    with pytest.raises(ValueError, match="second has 59 rows but first has 60"):
        auc_difference(labels, scores, scores[1:])
    with pytest.raises(ValueError, match="second must be finite"):
        auc_difference(labels, scores, np.full(60, np.nan))
    with pytest.raises(ValueError, match="more than one row of each class; found 1 of class 1"):
        auc_difference(np.arange(60) == 3, scores, scores)
    with pytest.raises(ValueError, match="labels has 59 rows but scores has 60"):
        auc_interval(labels[1:], scores)
    with pytest.raises(ValueError, match="confidence must be a number"):
        auc_interval(labels, scores, confidence=95)
