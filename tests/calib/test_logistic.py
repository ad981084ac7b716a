"""The logistic family against its likelihood, in floating point and in sixty digits."""

import warnings
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, localcontext

import numpy as np
import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import expit, log_expit, logit
from sklearn.base import clone
from sklearn.calibration import _SigmoidCalibration
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

from calib import BetaCalibration, OneClassWarning, PlattScaling, QuadraticLogit, TemperatureScaling
from calib.kernels.logistic import fit_logistic
from calib.methods import logistic_fit as fitting
from calib.metrics import log_loss

seeds = st.integers(0, 10**6)
SEPARATED = "scores separate the classes"
UNPENALISED = [TemperatureScaling, BetaCalibration, QuadraticLogit]
each_unpenalised = pytest.mark.parametrize("calibrator", UNPENALISED)


def sample(n, seed, shape=(0.6, 0.8)):
    """Scores and labels that no member of the family separates: three scores have both labels."""
    rng = np.random.default_rng(seed)
    scores = np.repeat(rng.beta(*shape, -(-n // 2)), 2)
    labels = rng.random(scores.size) < 0.1 + 0.7 * np.sin(2 * scores) ** 2
    labels[:6] = [0, 1] * 3
    return scores, labels.astype(int)


def columns(calibrator, scores):
    """What the parameters (with an intercept, if any, in front) are the factors of."""
    constant, logits = np.ones(scores.size), logit(scores)
    if isinstance(calibrator, TemperatureScaling):
        return np.stack([logits])
    if isinstance(calibrator, BetaCalibration):
        return np.stack([constant, np.log(scores), -np.log(1 - scores)])
    return np.stack([constant, logits, logits**2])


def parameters(fitted):
    if isinstance(fitted, TemperatureScaling):
        return np.array([1 / fitted.temperature_])
    if isinstance(fitted, BetaCalibration):
        return np.array([fitted.intercept_, fitted.a_, fitted.b_])
    return fitted.coefficients_


def mean_loss(parameters, columns, labels, weights):
    """Mean log loss and its gradient."""
    logits = parameters @ columns
    loss = -np.average(log_expit(np.where(labels == 1, logits, -logits)), weights=weights)
    return loss, columns @ (weights * (expit(logits) - labels)) / weights.sum()


@each_unpenalised
@settings(max_examples=25, deadline=None)
@given(st.integers(6, 120), seeds, st.booleans(), st.sampled_from([(0.6, 0.8), (9, 9), (0.1, 3)]))
def test_no_parameters_are_likelier(calibrator, n, seed, weighted, shape):
    """Karush, Kuhn and Tucker: no gradient, or a bound in its way. An optimiser finds no more."""
    scores, labels = sample(n, seed, shape)
    scores = scores.clip(1e-12, 1 - 1e-12)
    weights = np.random.default_rng(seed).uniform(0.5, 2, labels.size)
    if not weighted:
        weights[:] = 1
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        try:
            fitted = calibrator().fit(scores, labels, sample_weight=weights if weighted else None)
        except ConvergenceWarning:  # the classes are separated: the likelihood has no maximum
            reject()
    x, found = columns(fitted, scores), parameters(fitted)
    loss, gradient = mean_loss(found, x, labels, weights)
    bounds = [(0 if bounded_below(fitted, j) else None, None) for j in range(found.size)]
    for j, (low, _) in enumerate(bounds):
        at_bound = low == 0 and found[j] == 0
        scale = np.sqrt(np.mean(x[j] ** 2))
        assert found[j] >= 0 or low is None
        assert gradient[j] >= -1e-7 * scale and (at_bound or gradient[j] <= 1e-7 * scale)
    start = np.zeros(found.size)
    best = minimize(mean_loss, start, (x, labels, weights), "L-BFGS-B", jac=True, bounds=bounds)
    assert loss <= best.fun + 1e-9
    at_scores = log_loss(labels, fitted.predict(scores), sample_weight=weights)
    assert at_scores == pytest.approx(loss, rel=1e-9)


def bounded_below(fitted, j):
    return isinstance(fitted, TemperatureScaling) or isinstance(fitted, BetaCalibration) and j > 0


@pytest.mark.parametrize("truth", ["rising", "a is 0", "b is 0", "falling"])
def test_each_part_of_the_boundary_is_reached(truth):
    """The parameters of beta calibration that the data ask for: inside, on an edge, in a corner."""
    scores = np.linspace(0.01, 0.99, 400)
    f = {
        "rising": scores,
        "a is 0": expit(1 - 0.5 * np.log(scores) - np.log(1 - scores)),
        "b is 0": expit(1 + np.log(scores) + 0.5 * np.log(1 - scores)),
        "falling": 1 - scores,
    }[truth]
    scores, labels = np.repeat(scores, 2), np.tile([0, 1], 400)
    beta = BetaCalibration().fit(scores, labels, sample_weight=np.column_stack([1 - f, f]).ravel())
    zero = {"rising": [0, 0], "a is 0": [1, 0], "b is 0": [0, 1], "falling": [1, 1]}[truth]
    assert [beta.a_ == 0, beta.b_ == 0] == [bool(z) for z in zero]
    if truth == "rising":
        assert [beta.a_, beta.b_, beta.intercept_] == pytest.approx([1, 1, 0], abs=1e-9)
    if truth == "falling":
        np.testing.assert_allclose(beta.predict(scores), f.mean(), rtol=0, atol=1e-9)


def test_the_family_against_other_implementations():
    scores, labels = sample(2000, 3)
    logits = logit(scores)
    regression = LogisticRegression(C=np.inf, tol=1e-10, max_iter=1000)
    ours, x = QuadraticLogit().fit(scores, labels), np.column_stack([logits, logits**2])
    regression.fit(x, labels)
    np.testing.assert_allclose(
        ours.predict(scores), regression.predict_proba(x)[:, 1], rtol=0, atol=1e-6
    )
    platt = PlattScaling(scale="logit").fit(scores, labels)
    expected = _SigmoidCalibration().fit(logits, labels).predict(logits)
    np.testing.assert_allclose(platt.predict(scores), expected, rtol=0, atol=1e-4)
    margins = TemperatureScaling(scale="score").fit(logits, labels)
    assert TemperatureScaling().fit(scores, labels).temperature_ == margins.temperature_
    on_logits = PlattScaling().fit(logits, labels)
    assert [platt.slope_, platt.intercept_] == [on_logits.slope_, on_logits.intercept_]


@pytest.mark.slow
@pytest.mark.parametrize(
    "calibrator, truth",
    [
        (TemperatureScaling, [1 / 1.7]),
        (BetaCalibration, [-0.3, 0.6, 1.4]),
        (QuadraticLogit, [0.2, 0.8, -0.15]),
    ],
)
def test_known_parameters_are_found_within_their_standard_errors(calibrator, truth):
    rng = np.random.default_rng(5)
    scores = rng.beta(0.6, 0.8, 10**5).clip(1e-9, 1 - 1e-9)
    x = columns(calibrator(), scores)
    p = expit(truth @ x)
    fitted = calibrator().fit(scores, rng.random(p.size) < p)
    errors = np.sqrt(np.diag(np.linalg.inv((x * p * (1 - p)) @ x.T)))
    assert np.all(np.abs(parameters(fitted) - truth) < 4 * errors)
    assert np.all(errors < 0.03)


def test_zero_and_one_are_clipped_as_in_predict_logit():
    least = 2.0**-53
    labels = [0, 1, 0, 1, 0, 1]
    for calibrator in [*UNPENALISED, lambda: PlattScaling(scale="logit")]:
        at_ends = calibrator().fit([0, 0, 0.5, 0.5, 1, 1], labels)
        inside = calibrator().fit([least, least, 0.5, 0.5, 1 - least, 1 - least], labels)
        assert at_ends.map_.to_dict() == inside.map_.to_dict()
        queries = [0.0, 1e-300, least, 0.5, 1.0]
        np.testing.assert_array_equal(
            at_ends.predict_logit(queries), inside.predict_logit(np.maximum(queries, least))
        )


def test_a_temperature_is_infinite_where_the_scores_are_wrong_as_often_as_right():
    for scores, labels in [
        ([0.1, 0.2, 0.8, 0.9], [1, 1, 0, 0]),
        ([0.2, 0.2, 0.8, 0.8], [0, 1, 0, 1]),
        ([0.5, 0.5, 0.5], [0, 1, 1]),
    ]:
        fitted = TemperatureScaling().fit(scores, labels)
        assert fitted.temperature_ == np.inf
        np.testing.assert_array_equal(fitted.predict([0.0, 0.3, 1.0]), 0.5)


@pytest.mark.parametrize("calibrator", [*UNPENALISED, lambda: TemperatureScaling(scale="score")])
def test_separable_classes_end_as_good_as_certain_with_a_warning(calibrator):
    scores, labels = np.array([0.1, 0.3, 0.7, 0.9]), np.array([0, 0, 1, 1])
    if calibrator not in UNPENALISED:
        scores = scores - 0.5
    with pytest.warns(ConvergenceWarning, match=SEPARATED):
        fitted = calibrator().fit(scores, labels)
    logits = fitted.predict_logit(scores)
    assert fitted.predict_logit([]).shape == (0,)
    assert np.all(np.isfinite(logits))
    assert np.mean(np.log1p(np.exp(np.where(labels, -logits, logits)))) <= 2.0**-53
    if isinstance(fitted, TemperatureScaling):
        assert 0 < fitted.temperature_ < 0.1


@each_unpenalised
def test_scores_on_the_border_of_separable_classes_keep_their_frequency(calibrator):
    scores, labels = [0.1, 0.2, 0.5, 0.5, 0.5, 0.5, 0.8, 0.9], [0, 0, 0, 1, 0, 1, 1, 1]
    with pytest.warns(ConvergenceWarning, match=SEPARATED):
        fitted = calibrator().fit(scores, labels)
    expected = [0, 0, 0.5, 1, 1]
    np.testing.assert_allclose(fitted.predict([0.1, 0.2, 0.5, 0.8, 0.9]), expected, atol=1e-9)


@pytest.mark.parametrize("calibrator", [BetaCalibration, QuadraticLogit])
@pytest.mark.parametrize("label", [0, 1])
def test_one_class_is_as_good_as_certain(calibrator, label):
    with pytest.warns(OneClassWarning) as caught:
        fitted = calibrator().fit([0.1, 0.4, 0.8], np.full(3, label))
    assert len(caught) == 1
    np.testing.assert_allclose(fitted.predict([0.1, 0.4, 0.8]), label, rtol=0, atol=1e-15)


@each_unpenalised
@pytest.mark.parametrize("factor", [1e-100, 1e100])
def test_only_ratios_of_weights_matter(calibrator, factor):
    scores, labels = sample(100, 2)
    weights = np.random.default_rng(2).uniform(0.5, 2, labels.size)
    one = calibrator().fit(scores, labels, sample_weight=weights)
    other = calibrator().fit(scores, labels, sample_weight=factor * weights)
    np.testing.assert_allclose(parameters(other), parameters(one), rtol=1e-9)


def test_a_parabola_turns_back_and_a_line_does_not():
    scores = np.repeat([0.1, 0.5, 0.9], 4)
    labels = [0, 0, 0, 1, 0, 1, 1, 1, 0, 0, 0, 1]
    fitted = QuadraticLogit().fit(scores, labels)
    np.testing.assert_allclose(fitted.predict([0.1, 0.5, 0.9]), [0.25, 0.75, 0.25], atol=1e-9)
    assert fitted.coefficients_[2] < 0
    line = QuadraticLogit().fit(scores[4:], labels[4:])  # two scores
    assert line.map_.coefficients[2] == 0
    np.testing.assert_allclose(line.predict([0.5, 0.9]), [0.75, 0.25], atol=1e-9)


@pytest.mark.parametrize("middle", [1e-7, 0.3, 0.5, 1 - 1e-9])
def test_neighbouring_scores_are_told_apart(middle):
    """Three scores that differ in the last digit, which a parabola fits exactly."""
    scores = np.repeat(middle + np.spacing(middle) * 64 * np.arange(-1, 2), 4)
    labels = [0, 0, 0, 1, 0, 1, 0, 1, 1, 1, 1, 0]
    fitted = QuadraticLogit().fit(scores, labels)
    np.testing.assert_allclose(fitted.predict(scores[::4]), [0.25, 0.5, 0.75], atol=1e-6)
    beta = BetaCalibration().fit(scores, labels)
    np.testing.assert_allclose(beta.predict(scores[::4]), [0.25, 0.5, 0.75], atol=1e-3)


def relative_gain(temperature, scores, labels, weights):
    """What another Newton step could still gain, per unit of the loss: in sixty digits."""
    with localcontext(Context(prec=60, Emin=MIN_EMIN, Emax=MAX_EMAX, traps=[])):
        slope = 1 / Decimal(temperature)
        loss = gradient = curvature = Decimal(0)
        for score, label, weight in zip(scores, labels, weights, strict=True):
            margin, w = Decimal(float(score)) * (1 if label else -1), Decimal(float(weight))
            wrong = 1 / (1 + (slope * margin).exp())
            loss += w * ((1 + (-slope * margin).exp()).ln() if margin > 0 else -wrong.ln())
            gradient -= w * margin * wrong
            curvature += w * margin**2 * wrong * (1 - wrong)
        return float(gradient**2 / curvature / loss)


TAILS = {
    "normal": lambda rng: rng.normal(size=40),
    "both tails": lambda rng: rng.standard_t(0.2, 40),
    "one far out": lambda rng: np.where(np.arange(40) == 1, 1e30, rng.normal(size=40)),
    "huge": lambda rng: 1e307 * rng.normal(size=40),
    "small": lambda rng: 1e-280 * rng.normal(size=40),
    "decades": lambda rng: rng.choice([-1, 1], 40) * 10.0 ** rng.uniform(-140, 140, 40),
}


@pytest.mark.parametrize("tails", TAILS)
@pytest.mark.parametrize("weight", [1.0, 1e-100, 1e100, "uneven"])
@pytest.mark.parametrize("truth", ["signal", "far ones right", "separable"])
def test_a_temperature_is_found_whatever_the_tails_and_the_weights(tails, weight, truth):
    rng = np.random.default_rng(8)
    scores = TAILS[tails](rng)
    right = {
        "signal": rng.random(40) < 0.8,
        "far ones right": np.abs(scores) > np.median(np.abs(scores)),
        "separable": np.ones(40, bool),
    }[truth]
    labels = (scores > 0) == right
    weights = 10.0 ** rng.uniform(-6, 6, 40) if weight == "uneven" else np.full(40, weight)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fitted = TemperatureScaling(scale="score").fit(scores, labels, sample_weight=weights)
    assert fitted.n_iter_ < 200
    # the wrong ones are 1e7 times closer to 0 than the next right one: near ties
    certain = truth == "separable" or (tails, truth) == ("decades", "far ones right")
    assert [SEPARATED in str(w.message) for w in caught] == [True] * certain
    if truth == "separable":
        assert 0 < fitted.temperature_ < np.abs(scores).max()
    elif np.sum(weights * np.where(right, 1, -1) * (np.abs(scores) / np.abs(scores).max())) <= 0:
        assert fitted.temperature_ == np.inf
    else:
        assert relative_gain(fitted.temperature_, scores, labels, weights) <= 1e-14


@pytest.mark.parametrize("calibrator", [PlattScaling, TemperatureScaling])
def test_the_scale_is_checked_when_fitted(calibrator):
    with pytest.raises(ValueError, match="scale must be one of 'score', 'logit'; found 'logits'"):
        calibrator(scale="logits").fit([0.1, 0.2], [0, 1])
    with pytest.raises(ValueError, match=r"scores must lie in \[0, 1\]; found 2.0 at row 1.*expit"):
        calibrator(scale="logit").fit([0.1, 2.0], [0, 1])


# Many rows


@pytest.mark.slow
@pytest.mark.parametrize("scale, seed", [(1e-9, 0), (1e-6, 1)])
def test_rows_on_a_smaller_scale_do_not_mislead_the_fit_of_the_others(scale, seed):
    """Every sixteenth row, from which the fit of many rows begins, is of another kind."""
    rng = np.random.default_rng(seed)
    margins = rng.normal(0, 1, 160_000)
    labels = rng.random(margins.size) < expit(3 * margins)
    margins[::16] *= scale
    order = rng.permutation(margins.size)
    found = [
        QuadraticLogit().fit(expit(margins[rows]), labels[rows]) for rows in (slice(None), order)
    ]
    first, second = (calibrator.predict(expit(margins)) for calibrator in found)
    np.testing.assert_allclose(first, second, atol=1e-6)


def test_no_curvature_is_no_convergence():
    columns = np.array([[1e6, -1e6, 2e6]])
    labels, weights = np.array([0, 1, 0]), np.ones(3)
    *_, converged = fit_logistic(columns, labels, weights, (0.0, 0.0), np.array([0.0, 1.0]))
    assert not converged


@pytest.mark.parametrize(
    "calibrator", [PlattScaling(scale="logit"), QuadraticLogit(), TemperatureScaling()]
)
def test_many_rows_begin_at_the_optimum_of_some_of_them(calibrator, monkeypatch):
    rng = np.random.default_rng(11)
    scores = expit(rng.normal(-1, 1.5, 800))
    labels = rng.random(800) < expit(0.5 + 2 * np.log(scores / (1 - scores)))
    weights = rng.integers(1, 4, 800)
    from_nothing = clone(calibrator).fit(scores, labels, sample_weight=weights)
    monkeypatch.setattr(fitting, "MIN_ROWS_WITH_GUIDE", 800)
    fitted = clone(calibrator).fit(scores, labels, sample_weight=weights)
    np.testing.assert_allclose(fitted.predict(scores), from_nothing.predict(scores), rtol=1e-7)
    assert fitted.n_iter_ < from_nothing.n_iter_


@pytest.mark.parametrize("calibrator", [PlattScaling(), TemperatureScaling(scale="score")])
def test_scores_that_are_too_close_for_a_slope_are_taken_for_equal_with_a_warning(calibrator):
    scores = 1e-300 * np.array([-2.0, -1.0, 1.0, 2.0])
    labels = np.array([0, 1, 0, 1])
    with pytest.warns(UserWarning, match="scores that differ by less than 1e-290"):
        fitted = calibrator.fit(scores, labels)
    np.testing.assert_allclose(fitted.predict(scores), 0.5)
    fitted = calibrator.fit(1e290 * scores, labels)  # no warning
    assert fitted.predict([1e-9])[0] > 0.5
