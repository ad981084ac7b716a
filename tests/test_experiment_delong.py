"""The paired standard error of a difference of AUCs."""

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from calib.experiments.delong import auc_difference


def two_scores(n, rng):
    """Labels and two scores with much in common; ties in the second."""
    labels = rng.permutation(np.arange(n) % 3 == 0).astype(int)
    shared = rng.normal(labels, 1.0)
    return labels, shared + rng.normal(0, 0.3, n), np.round(shared + rng.normal(0, 0.5, n), 1)


def test_difference_and_error_by_brute_force():
    labels, scores, others = two_scores(60, np.random.default_rng(0))
    positive, negative = labels == 1, labels == 0
    wins = [np.heaviside(s[positive][:, None] - s[negative], 0.5) for s in (scores, others)]
    gap = wins[0] - wins[1]
    variance = sum(gap.mean(axis=a).var(ddof=1) / gap.shape[1 - a] for a in (0, 1))
    difference, error = auc_difference(labels, scores, others)
    expected = roc_auc_score(labels, scores) - roc_auc_score(labels, others)
    assert difference == pytest.approx(expected, abs=1e-12)
    assert error == pytest.approx(np.sqrt(variance), rel=1e-9)


def test_the_error_is_that_of_repeated_samples():
    rng = np.random.default_rng(1)
    results = np.array([auc_difference(*two_scores(300, rng)) for _ in range(400)])
    assert np.mean(results[:, 1]) == pytest.approx(results[:, 0].std(), rel=0.12)
    unpaired = np.std([roc_auc_score(*two_scores(300, rng)[:2]) for _ in range(100)])
    assert np.mean(results[:, 1]) < 0.7 * unpaired


def test_equal_scores_have_no_error_and_bad_ones_are_refused():
    labels, scores, _ = two_scores(60, np.random.default_rng(2))
    assert auc_difference(labels, scores, 3 * scores + 1) == (0.0, 0.0)
    with pytest.raises(ValueError, match="found 60 and 59"):
        auc_difference(labels, scores, scores[1:])
    with pytest.raises(ValueError, match="1 positives"):
        auc_difference(np.arange(60) == 3, scores, scores)
