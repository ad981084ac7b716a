"""Prior shift: Bayes' theorem with another base rate, known or estimated without labels."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.special import expit, logit
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression

from calib import IsotonicCalibrator, OneClassWarning, PlattScaling, PriorShift, shift_odds


def two_normals(n, prior, rng, apart=2.0):
    """Scores N(0, 1) of negatives and N(apart, 1) of positives: logit P is linear in the score."""
    labels = (rng.random(n) < prior).astype(int)
    return rng.normal(apart * labels), labels


def posterior(scores, prior, apart=2.0):
    return expit(apart * scores - apart**2 / 2 + logit(prior))


# Odds times a factor


def test_odds_are_multiplied():
    p = np.array([1e-12, 0.2, 0.5, 0.999])
    shifted = shift_odds(p, 0.25)
    np.testing.assert_allclose(shifted / (1 - shifted), 0.25 * p / (1 - p), rtol=1e-12)
    np.testing.assert_allclose(shift_odds(shifted, 4.0), p, rtol=1e-12)


@pytest.mark.parametrize("factor", [1e-300, 0.1, 7.0, 1e300])
def test_certainty_stays(factor):
    np.testing.assert_array_equal(shift_odds([0.0, 1.0], factor), [0.0, 1.0])
    shift = PriorShift(prior=0.3).fit([0.0, 0.2, 0.7, 1.0], [0, 0, 1, 1])
    np.testing.assert_array_equal(shift.predict([0.0, 1.0]), [0.0, 1.0])


def test_the_weight_of_positives_is_undone():
    """A logistic regression of positives of weight 10 differs by log(10) in the intercept."""
    rng = np.random.default_rng(0)
    scores, labels = two_normals(100_000, 0.2, rng)
    X, weights = scores[:, np.newaxis], np.where(labels, 10.0, 1.0)
    plain, heavy = LogisticRegression(C=1e9), LogisticRegression(C=1e9)
    expected = plain.fit(X, labels).predict_proba(X)[:, 1]
    biased = heavy.fit(X, labels, sample_weight=weights).predict_proba(X)[:, 1]
    assert np.abs(biased - expected).max() > 0.4
    np.testing.assert_allclose(shift_odds(biased, 1 / 10), expected, rtol=0, atol=0.01)
    shift = PriorShift(prior=labels.mean()).fit(biased, labels, sample_weight=weights)
    np.testing.assert_allclose(shift.predict(biased), shift_odds(biased, 1 / 10), rtol=1e-10)


@pytest.mark.parametrize("factor", [0, -1.0, np.inf, np.nan, "2", None, True])
def test_bad_factors_are_refused(factor):
    with pytest.raises(ValueError, match="factor must be a number between 0 and inf"):
        shift_odds([0.5], factor)


def test_bad_probabilities_are_refused():
    with pytest.raises(ValueError, match=r"probabilities must lie in \[0, 1\]; found 1.5 at row 1"):
        shift_odds([0.5, 1.5], 2.0)


# A known base rate


@pytest.mark.slow
def test_the_true_posterior_of_the_target_is_found():
    """The calibrator learns at base rate 1/2, the target has 1/20."""
    rng = np.random.default_rng(1)
    shift = PriorShift(PlattScaling(), prior=0.05).fit(*two_normals(200_000, 0.5, rng))
    scores = np.linspace(-2, 4, 61)
    np.testing.assert_allclose(shift.predict(scores), posterior(scores, 0.05), atol=0.01)
    assert shift.prior_ == 0.05 and abs(shift.base_rate_ - 0.5) < 0.01


@pytest.mark.slow
def test_resampled_negatives():
    """One in ten negatives was kept; the factor, the base rate and the whole sample agree."""
    rng = np.random.default_rng(2)
    scores, labels = two_normals(200_000, 0.1, rng)
    kept = (labels == 1) | (rng.random(labels.size) < 0.1)
    by_rate = PriorShift(PlattScaling(), prior=labels.mean()).fit(scores[kept], labels[kept])
    whole = PlattScaling().fit(scores, labels)
    by_factor = shift_odds(by_rate.calibrator_.predict(scores), 0.1)
    np.testing.assert_allclose(by_rate.predict(scores), whole.predict(scores), atol=0.02)
    np.testing.assert_allclose(by_factor, whole.predict(scores), atol=0.02)


def test_the_base_rate_itself_changes_nothing():
    rng = np.random.default_rng(3)
    scores, labels = two_normals(500, 0.3, rng)
    alone = IsotonicCalibrator().fit(scores, labels)
    shift = PriorShift(IsotonicCalibrator(), prior=labels.mean()).fit(scores, labels)
    np.testing.assert_allclose(shift.predict(scores), alone.predict(scores), atol=1e-14)


@pytest.mark.parametrize("prior", [0, 1, 0.0, 1.0, -0.1, 1.2, np.nan, None, True])
def test_base_rates_of_0_and_1_are_refused(prior):
    with pytest.raises(ValueError, match="prior must be a number between 0 and 1; found"):
        PriorShift(prior=prior).fit([0.2, 0.8], [0, 1])


def test_an_unknown_word_is_refused():
    with pytest.raises(ValueError, match="prior must be a number or 'em'; found 'auto'"):
        PriorShift(prior="auto").fit([0.2, 0.8], [0, 1])


def test_margins_are_no_probabilities():
    with pytest.raises(ValueError, match=r"scores must lie in \[0, 1\]"):
        PriorShift(prior=0.2).fit([-1.0, 2.0], [0, 1])


def test_what_is_no_calibrator_is_refused():
    with pytest.raises(ValueError, match="calibrator must be an estimator"):
        PriorShift("platt", prior=0.2).fit([0.2, 0.8], [0, 1])


def test_one_class_is_left_as_it_is():
    scores = np.linspace(0.1, 0.9, 50)
    with pytest.warns(OneClassWarning):
        shift = PriorShift(IsotonicCalibrator(), prior=0.1).fit(scores, np.ones(50))
    np.testing.assert_array_equal(shift.predict(scores), 1.0)


# An unknown base rate


def em(probabilities, base_rate, weights=None, tolerance=1e-13):
    """The algorithm of Saerens, Latinne and Decaestecker (2002), step by step."""
    prior = base_rate
    for _ in range(1_000_000):
        p1 = prior / base_rate * probabilities
        p0 = (1 - prior) / (1 - base_rate) * (1 - probabilities)
        before, prior = prior, np.average(p1 / (p1 + p0), weights=weights)
        if abs(prior - before) < tolerance:
            return prior
    raise AssertionError("no convergence")


def likelihood(prior, probabilities, base_rate, weights):
    densities = prior * probabilities / base_rate
    densities += (1 - prior) * (1 - probabilities) / (1 - base_rate)
    return weights @ np.log(densities)


@pytest.mark.parametrize("seed", range(5))
def test_the_estimate_is_that_of_em_and_of_largest_likelihood(seed):
    rng = np.random.default_rng(seed)
    train, test = rng.uniform(0.05, 0.95, 2)
    scores, labels = two_normals(2000, train, rng)
    shift = PriorShift(prior="em").fit(posterior(scores, train), labels)
    scores, _ = two_normals(1000, test, rng)
    p, weights = posterior(scores, train), rng.integers(0, 4, scores.size)
    prior = shift.adapt(p, sample_weight=weights).prior_
    assert abs(prior - em(p, shift.base_rate_, weights)) < 1e-9
    direct = minimize_scalar(
        lambda prior: -likelihood(prior, p, shift.base_rate_, weights),
        bounds=(0, 1),
        method="bounded",
        options={"xatol": 1e-10},
    )
    assert abs(prior - direct.x) < 1e-6
    assert abs(prior - shift.adapt(np.repeat(p, weights)).prior_) < 1e-11


def test_a_true_base_rate_is_found():
    """Without bias, and as precisely as the information of the scores allows."""
    rng = np.random.default_rng(10)
    found, information = [], []
    for _ in range(200):
        shift = PriorShift(prior="em").fit([0.2, 0.8], [0, 1])  # base rate 1/2
        scores, _ = two_normals(500, 0.15, rng)
        p = posterior(scores, 0.5)
        found.append(shift.adapt(p).prior_)
        information.append(np.mean(((2 * p - 1) / (0.15 * p + 0.85 * (1 - p))) ** 2))
    error = 1 / np.sqrt(500 * np.mean(information))
    assert abs(np.mean(found) - 0.15) < 3 * error / np.sqrt(200)
    assert 0.85 < np.std(found) / error < 1.15


@pytest.mark.slow
def test_adapted_predictions_are_the_posterior_of_the_target():
    rng = np.random.default_rng(4)
    shift = PriorShift(PlattScaling(), prior="em").fit(*two_normals(100_000, 0.5, rng))
    scores, _ = two_normals(100_000, 0.02, rng)
    predicted = shift.adapt(scores).predict(scores)
    np.testing.assert_allclose(predicted, posterior(scores, 0.02), atol=0.04)
    assert abs(predicted.mean() - shift.prior_) < 1e-10  # the fixed point of EM


@pytest.mark.slow
def test_it_fails_under_concept_drift():
    """Positives look different in the target: the estimate is precise and wrong."""
    rng = np.random.default_rng(5)
    shift = PriorShift(PlattScaling(), prior="em").fit(*two_normals(100_000, 0.3, rng))
    scores, _ = two_normals(100_000, 0.3, rng, apart=1.0)
    assert abs(shift.adapt(scores).prior_ - 0.3) > 0.1


@pytest.mark.parametrize("limit, p", [(0, [0.1, 0.2, 0.4]), (1, [0.6, 0.7, 0.9])])
def test_a_base_rate_at_the_boundary_is_told(limit, p):
    shift = PriorShift(prior="em").fit([0.2, 0.8], [0, 1])
    with pytest.raises(ValueError, match=f"scores are likeliest at a base rate of {limit}"):
        shift.adapt(p)
    assert not hasattr(shift, "prior_")


def test_certain_scores_are_counted():
    shift = PriorShift(prior="em").fit([0.2, 0.8], [0, 1]).adapt([0.0, 0.0, 0.0, 1.0])
    assert shift.prior_ == pytest.approx(0.25, abs=1e-10)


def test_scores_that_tell_nothing_are_refused():
    shift = PriorShift(prior="em").fit([0.5, 0.5], [0, 1])
    with pytest.raises(ValueError, match="scores tell nothing about the base rate"):
        shift.adapt([0.5, 0.5])


def test_adapt_comes_between_fit_and_predict():
    scores, labels = two_normals(100, 0.5, np.random.default_rng(0))
    shift = PriorShift(PlattScaling(), prior="em")
    with pytest.raises(NotFittedError):
        shift.adapt(scores)
    with pytest.raises(NotFittedError, match="call adapt"):
        shift.fit(scores, labels).predict(scores)
    shift.adapt(scores).predict(scores)
    with pytest.raises(NotFittedError, match="call adapt"):
        shift.fit(scores, labels).predict(scores)
    with pytest.raises(ValueError, match="prior=0.5 is given"):
        PriorShift(PlattScaling()).fit(scores, labels).adapt(scores)


def test_one_class_cannot_be_adapted():
    with pytest.warns(OneClassWarning):
        shift = PriorShift(prior="em").fit([0.2, 0.8], [1, 1])
    with pytest.raises(ValueError, match="labels held one only"):
        shift.adapt([0.2, 0.8])
