"""The average of calibrators, against folds made by hand and a general optimiser."""

import json
import warnings
from functools import partial
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.special import expit, logit, logsumexp, rel_entr, softmax
from sklearn.base import clone
from sklearn.isotonic import IsotonicRegression

from calib import (
    CalibrationMap,
    CalibratorCV,
    HistogramBinning,
    IdentityCalibrator,
    IsotonicCalibrator,
    KernelCalibrator,
    OneClassWarning,
    PlattScaling,
    SplineCalibrator,
    StackedCalibrator,
    VennAbers,
)
from calib.base.curve_maps import MixtureMap
from calib.methods import out_of_fold
from calib.methods.path_weights import path_weights, prior_weights, weights_of_sum_one
from calib.metrics import log_loss
from calibkit.groups import MondrianVennAbers

FEW = [PlattScaling(scale="logit"), VennAbers(), HistogramBinning(n_bins=4)]


def sample(n, seed=0):
    rng = np.random.default_rng(seed)
    scores = rng.beta(0.6, 0.8, n).round(2)
    return scores, (rng.random(n) < 0.1 + 0.7 * np.sin(2 * scores) ** 2).astype(np.uint8)


# The weights


def by_quadrature(losses, prior):
    """The integrals of the path, decade by decade on a logarithmic scale of the power."""
    apart = np.asarray(losses) - np.min(losses)

    def posterior(k, log_power):
        return softmax(np.log(prior) - np.exp(log_power) * apart)[k] * np.exp(log_power)

    def integral(k):
        decades = np.log(10.0) * np.arange(-16, 1)
        pairs = zip(decades[:-1], decades[1:], strict=True)
        pieces = [quad(partial(posterior, k), *ends, epsabs=1e-14)[0] for ends in pairs]
        return sum(pieces) + 1e-16 * prior[k]

    return [integral(k) for k in range(len(losses))]


@pytest.mark.parametrize(
    "losses", [[3.0], [1.0, 1.0], [0.0, 0.7, 90.0], [1e5, 1e5 + 2, 3e6], [0.0, 1e-9, 1e3, 1e8]]
)
def test_the_weights_are_the_integrals_of_the_path(losses):
    prior = prior_weights(np.arange(len(losses)) == 0, 0.4)
    found = path_weights(np.array(losses), prior)
    np.testing.assert_allclose(found, by_quadrature(losses, prior), atol=1e-11, rtol=1e-9)


@settings(max_examples=100, deadline=None)
@given(
    n=st.integers(1, 60),
    k=st.integers(1, 7),
    trust=st.sampled_from([0.01, 0.5, 0.9]),
    sharpness=st.sampled_from([0.1, 1.0, 30.0, 1e4]),
    seed=st.integers(0, 10**6),
)
def test_the_identity_of_the_path_and_its_bounds(n, k, trust, sharpness, seed):
    rng = np.random.default_rng(seed)
    losses = sharpness * rng.exponential(size=(n, k)) * rng.random(k)
    copies = rng.integers(1, 4, n)
    prior = prior_weights(np.arange(k) == 0, trust)
    totals = copies @ losses
    weights = path_weights(totals, prior)
    mixture = -logsumexp(-totals, b=prior)
    slack = 1e-9 * (1 + totals.max())
    assert weights.min() > 0 and weights @ totals == pytest.approx(mixture, abs=slack)
    average = -copies @ logsumexp(-losses, b=weights, axis=1)
    assert average <= mixture + slack
    assert np.all(mixture <= totals - np.log(prior) + slack)
    apart = np.maximum(totals - totals.min(), 1e-12)
    assert np.all(weights >= prior * -np.expm1(-apart) / apart - 1e-12)  # no member is forgotten


@pytest.mark.parametrize(
    "is_scores, expected",
    [
        ([True, False, False], [0.6, 0.2, 0.2]),
        ([True, False, True], [0.3, 0.4, 0.3]),
        ([False, False], [0.5, 0.5]),
        ([True, True], [0.5, 0.5]),
    ],
)
def test_the_scores_share_the_trust(is_scores, expected):
    np.testing.assert_allclose(prior_weights(np.array(is_scores), 0.6), expected)


@pytest.mark.parametrize("k", [3, 6, 7, 49])
def test_weights_never_add_up_to_more_than_one(k):
    weights = weights_of_sum_one(np.ones(k))
    assert np.cumsum(weights)[-1] <= 1
    np.testing.assert_allclose(weights, 1 / k, rtol=1e-14)


# The calibrator


@pytest.mark.parametrize("weighted", [False, True])
def test_the_average_is_that_of_folds_made_by_hand(weighted):
    scores, labels = sample(300, 1)
    weights = np.random.default_rng(1).integers(1, 4, 300) if weighted else np.ones(300, int)
    stacked = StackedCalibrator(FEW, cv=4)
    stacked.fit(scores, labels, sample_weight=weights if weighted else None)
    rows = np.repeat(np.arange(300), weights)
    rows = rows[np.lexsort((scores[rows], labels[rows]))]
    draws = np.random.default_rng(0)
    counts = np.bincount(labels[rows])
    fold = np.concatenate([draws.permutation(np.arange(count) % 4) for count in counts])
    held_out = np.empty((rows.size, 3))
    for k in range(4):
        train = rows[fold != k]
        for j, member in enumerate(FEW):
            member.fit(scores[train], labels[train])
            held_out[fold == k, j] = member.predict(scores[rows[fold == k]])
    truth = labels[rows]
    losses = -np.log(np.where(truth[:, np.newaxis] == 1, held_out, 1 - held_out))
    np.testing.assert_allclose(stacked.losses_, np.minimum(losses, 36.8).mean(axis=0), rtol=1e-4)
    expected = by_quadrature(np.minimum(losses, 36.74).sum(axis=0), np.ones(3) / 3)
    np.testing.assert_allclose(stacked.weights_, expected, atol=1e-4)
    assert stacked.loss_ == pytest.approx(log_loss(truth, held_out @ expected), rel=1e-6)
    members = [member.fit(scores[rows], labels[rows]).predict(scores) for member in FEW]
    average = stacked.weights_ @ members
    odds = np.exp(stacked.shift_) * average / (1 - average)
    np.testing.assert_allclose(stacked.predict(scores), odds / (1 + odds), atol=1e-9)


def test_an_integer_weight_is_so_many_rows():
    scores, labels = sample(200)
    copies = np.random.default_rng(2).integers(0, 4, 200)
    ours = StackedCalibrator().fit(scores, labels, sample_weight=copies)
    theirs = StackedCalibrator().fit(np.repeat(scores, copies), np.repeat(labels, copies))
    np.testing.assert_allclose(ours.weights_, theirs.weights_, atol=1e-6)
    np.testing.assert_allclose(ours.predict(scores), theirs.predict(scores), atol=1e-6)


def test_right_scores_get_most_of_the_weight_and_wrong_ones_none():
    rng = np.random.default_rng(0)
    scores = rng.random(5000)
    members = [IdentityCalibrator(), HistogramBinning(n_bins=2)]
    right = StackedCalibrator(members).fit(scores, rng.random(5000) < scores)
    assert right.weights_[0] > 0.9
    wrong = StackedCalibrator(members).fit(scores, rng.random(5000) < 1 - scores)
    assert wrong.weights_[0] < 0.01 and (wrong.losses_[0] > wrong.losses_[1])


def level_of(probabilities, labels, weights):
    """The move of the log-odds to the right sum, and its variance without the move."""
    rate = np.clip(weights @ labels / weights.sum(), 0.5 / (weights.sum() + 1), None)
    rate = min(rate, 1 - 0.5 / (weights.sum() + 1))
    logits = logit(probabilities)
    move = brentq(lambda d: weights @ (expit(logits + d) - rate), -80, 80, xtol=1e-14)
    return move, 1 / (weights @ (probabilities * (1 - probabilities)))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("slope, level", [(1.0, 0.0), (1.0, 2.5), (2.0, -2.0)])
def test_the_sum_is_right_to_a_standard_error(weighted, slope, level):
    rng = np.random.default_rng(5)
    logits = rng.normal(-2, 1.5, 400)
    labels, scores = rng.random(400) < expit(logits), expit(slope * logits + level)
    weights = rng.integers(1, 5, 400) if weighted else np.ones(400)
    stacked = StackedCalibrator([IdentityCalibrator()]).fit(scores, labels, sample_weight=weights)
    move, variance = level_of(scores, labels, weights)
    expected = move * max(0.0, 1 - variance / move**2)
    assert stacked.shift_ == pytest.approx(expected, abs=1e-9)
    np.testing.assert_allclose(stacked.predict(scores), expit(logit(scores) + expected), atol=1e-12)
    left, _ = level_of(stacked.predict(scores), labels, weights)
    assert abs(left) <= np.sqrt(variance) * (1 + 1e-9)
    centred = StackedCalibrator([IdentityCalibrator()], centred=True)
    centred.fit(scores, labels, sample_weight=weights)
    assert weights @ centred.predict(scores) == pytest.approx(weights @ labels, rel=1e-9)


def test_the_level_moves_where_scores_are_far_too_high():
    rng = np.random.default_rng(0)
    truth = expit(rng.normal(-3, 1, 2000))
    labels = rng.random(2000) < truth
    stacked = StackedCalibrator([IdentityCalibrator()]).fit(np.sqrt(truth), labels)
    assert stacked.shift_ < -1 and stacked.predict(np.sqrt(truth)).sum() < 1.1 * labels.sum()


# The scores that it takes


MARGINS = {
    "logits": lambda logits: logits,
    "card": lambda logits: np.round(600 - 30 * logits),
    "huge": lambda logits: 1e200 * logits,
    "small": lambda logits: 1e-3 * logits - 70,
    "heavy tails": lambda logits: np.sinh(2 * logits),
    "percentages": lambda logits: 100 * expit(logits),
    "missing values": lambda logits: np.where(np.arange(logits.size) % 10, logits, -999),
}


@pytest.mark.parametrize("name", MARGINS)
def test_margins_are_calibrated_and_keep_their_order(name):
    rng = np.random.default_rng(3)
    logits = rng.normal(-1, 1.5, 3000)
    labels = rng.random(3000) < expit(logits)
    scores = MARGINS[name](logits)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        stacked = StackedCalibrator().fit(scores, labels)
    assert stacked.margins_ and stacked.reversed_ == (name == "card")
    assert any("turned round" in str(w.message) for w in caught) == stacked.reversed_
    found = stacked.predict(scores)
    assert 0 < found.min() and found.max() < 1
    in_order = found[np.argsort(-scores if stacked.reversed_ else scores)]
    assert np.diff(in_order).min() > -1e-12
    known = np.arange(3000) % 10 > 0 if name == "missing values" else np.full(3000, True)
    error = np.sqrt(np.mean((found - expit(logits))[known] ** 2))
    assert error < (0.06 if name == "missing values" else 0.04)


def test_margins_turned_round_are_the_negative_margins():
    rng = np.random.default_rng(4)
    margins = rng.normal(0, 2, 300)
    labels = rng.random(300) < expit(margins)
    with pytest.warns(UserWarning, match="turned round: their AUC is 0.1"):
        turned = StackedCalibrator().fit(-margins, labels)
    plain = StackedCalibrator().fit(margins, labels)
    np.testing.assert_array_equal(turned.predict(-margins), plain.predict(margins))
    np.testing.assert_array_equal(turned.map_(-margins), plain.map_(margins))
    again = CalibrationMap.from_dict(json.loads(json.dumps(turned.map_.to_dict())))
    assert again == turned.map_ and again != plain.map_


def test_reversed_probabilities_are_warned_of():
    rng = np.random.default_rng(4)
    scores = rng.random(300)
    labels = rng.random(300) < 1 - scores
    with pytest.warns(UserWarning, match="wrong way round .AUC 0.1.*pass 1 - scores"):
        stacked = StackedCalibrator().fit(scores, labels)
    found = stacked.predict(np.linspace(0, 1, 50))
    assert not stacked.margins_ and np.diff(found).min() >= 0 and np.ptp(found) < 0.1


def test_rounding_beyond_the_ends_is_clipped():
    scores, labels = sample(300)
    beyond = scores.copy()
    beyond[:2] = 1.0000001192, -1e-9
    with pytest.warns(UserWarning, match="taken for rounding and clipped"):
        stacked = StackedCalibrator().fit(beyond, labels)
    assert not stacked.margins_
    clipped = StackedCalibrator().fit(np.clip(beyond, 0, 1), labels)
    with pytest.warns(UserWarning, match="taken for rounding"):
        found = stacked.predict(beyond)
    np.testing.assert_array_equal(found, clipped.predict(np.clip(beyond, 0, 1)))
    with pytest.raises(ValueError, match="scores must lie in"):
        stacked.predict([1.7])


def test_one_class_is_half_an_observation_away():
    with pytest.warns(OneClassWarning):
        stacked = StackedCalibrator(centred=True).fit([0.2, 0.4, 0.9], [0, 0, 0])
    assert np.mean(stacked.predict([0.2, 0.4, 0.9])) == pytest.approx(0.5 / 4)
    with pytest.warns(OneClassWarning):
        stacked = StackedCalibrator(centred=True).fit([2.0, 4.0, 9.0], [1, 1, 1])
    assert np.mean(stacked.predict([2.0, 4.0, 9.0])) == pytest.approx(3.5 / 4)


def test_no_average_is_certain():
    scores, labels = np.r_[np.zeros(30), np.ones(30)], np.repeat([0, 1], 30)
    found = StackedCalibrator().fit(scores, labels).predict([0.0, 0.5, 1.0])
    assert 0 < found.min() and found.max() < 1


def test_without_two_classes_the_weights_are_those_of_the_prior():
    for scores, labels in [([0.2, 0.7, 0.9], [1, 1, 1]), ([0.2, 0.7], [0, 1])]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", OneClassWarning)
            stacked = StackedCalibrator([IdentityCalibrator(), *FEW]).fit(scores, labels)
        np.testing.assert_allclose(stacked.weights_, [1 / 2, *[1 / 6] * 3])
        assert np.isnan(stacked.losses_).all() and np.isnan(stacked.loss_)


def test_few_positives_are_enough_to_leave_wrong_scores():
    """Scores five log-odds too high, of 200 rows with at most four positives."""
    rng = np.random.default_rng(0)
    logits = rng.normal(0, 2, 4000)
    truth, lost = expit(logits - 5), []
    for _ in range(12):
        rows = rng.integers(0, 4000, 200)
        labels = rng.random(200) < truth[rows]
        if 0 < labels.sum() < 5:
            stacked = StackedCalibrator().fit(expit(logits[rows]), labels)
            members = [member.predict(expit(logits)) for member in stacked.calibrators_]
            tried = [stacked.predict(expit(logits)), np.mean(members, axis=0)]
            lost.append([np.mean(rel_entr(truth, p) + rel_entr(1 - truth, 1 - p)) for p in tried])
    ours, equal = np.mean(lost, axis=0)
    assert len(lost) > 3 and ours < equal / 5


SCORES_OF = {  # logits of scores, from those of the truth, which the last one has nothing of
    "right": lambda t: t,
    "far too high": lambda t: t + 5,
    "too high": lambda t: t + 2,
    "too low": lambda t: t - 2,
    "too sure": lambda t: 2 * t,
    "too cautious": lambda t: t / 2,
    "too sure and too high": lambda t: 1.5 * t + 3,
    "bent": lambda t: t + 0.9 * np.sin(t),
    "noise": None,
}


def lost_with_few_positives(average, n_repeats):
    """Losses over the truth of an average, of equal weights, of the spline alone and of the scores.

    A row for each file of at most four positives, over the truths of the docstring.
    """
    rng = np.random.default_rng(0)
    z = np.linspace(-4, 4, 401)
    mass, lost = softmax(-(z**2) / 2), []
    for _, n, name in product(range(n_repeats), [10, 20, 50, 100, 200], SCORES_OF):
        rate = min(rng.uniform(0.3, 6) / n, 0.5)
        mean = brentq(lambda m, rate=rate: mass @ expit(m + 2 * z) - rate, -30, 30)
        drawn = mean + 2 * rng.normal(size=n)
        truth, x, there = expit(drawn), drawn, mean + 2 * z
        p = expit(there)
        if name == "noise":
            x, there = rng.normal(0, 2, n), 2 * z
            truth, p = np.full(n, rate), np.full(z.size, rate)
        else:
            x, there = SCORES_OF[name](x), SCORES_OF[name](there)
        labels = rng.random(n) < truth
        if not 0 < min(labels.sum(), (~labels).sum()) < 5:
            continue
        fitted = clone(average).fit(expit(x), labels)
        members = [member.predict(expit(there)) for member in fitted.calibrators_]
        kinds = [type(member) for member in fitted.calibrators_]
        spline = members[kinds.index(SplineCalibrator)]
        tried = [fitted.predict(expit(there)), np.mean(members, axis=0), spline, expit(there)]
        lost.append([mass @ (rel_entr(p, q) + rel_entr(1 - p, 1 - q)) for q in tried])
    return lost


@pytest.mark.slow
def test_with_few_positives_the_average_loses_least():
    """Than equal weights, the spline alone or the scores, over the truths of the docstring."""
    lost = lost_with_few_positives(StackedCalibrator(), 4)
    ours, *others = np.mean(lost, axis=0)
    assert len(lost) > 100 and ours < 0.8 * min(others)


@pytest.mark.parametrize("cls", [StackedCalibrator, CalibratorCV])
def test_of_many_rows_one_fold_is_held_out(cls, monkeypatch):
    scores, labels = sample(400)
    fits = []

    class Counted(IsotonicCalibrator):
        def _fit(self, *rows):
            fits.append(len(rows[0]))
            super()._fit(*rows)

    for most, expected in [(400, 6), (399, 2)]:
        monkeypatch.setattr(out_of_fold, "MIN_OBSERVATIONS_FOR_ONE_FOLD", most)
        fits.clear()
        cls([Counted(centred=True, smoothing=1.0)]).fit(scores, labels)
        assert len(fits) == expected


def test_groups_reach_the_members_that_take_them():
    scores, labels = sample(400)
    groups = np.arange(400) % 2
    stacked = StackedCalibrator([MondrianVennAbers(), PlattScaling()])
    stacked.fit(scores, labels, groups=groups)
    assert not hasattr(stacked, "map_")
    parts = [m.predict(scores, **({"groups": groups} if k == 0 else {}))
             for k, m in enumerate(stacked.calibrators_)]  # fmt: skip
    np.testing.assert_array_equal(
        stacked.predict(scores, groups=groups),
        stacked.weights_[0] * parts[0] + stacked.weights_[1] * parts[1],
    )


def test_copies_in_one_group_mislead_nobody():
    """A histogram of a hundred bins knows the copies of its rows by heart."""
    scores, labels = sample(300, 5)
    rows = np.repeat(np.arange(300), 5)
    members = [PlattScaling(scale="logit"), VennAbers(), HistogramBinning(n_bins=100)]
    once = StackedCalibrator(members).fit(scores, labels)
    apart = StackedCalibrator(members).fit(scores[rows], labels[rows])
    together = StackedCalibrator(members).fit(scores[rows], labels[rows], groups=rows)
    assert apart.weights_[2] > 0.9 > 0.1 > max(once.weights_[2], together.weights_[2])
    assert apart.loss_ < together.loss_ - 0.1 and abs(together.loss_ - once.loss_) < 0.05
    weighted = StackedCalibrator(members)
    weighted.fit(scores, labels, sample_weight=np.full(300, 5), groups=np.arange(300))
    np.testing.assert_allclose(weighted.weights_, together.weights_, atol=1e-6)
    assert hasattr(together, "map_")


def test_calibrators_from_elsewhere():
    scores, labels = sample(300)
    members = [IsotonicRegression(out_of_bounds="clip", y_min=0.01, y_max=0.99), PlattScaling()]
    stacked = StackedCalibrator(members).fit(scores - 3, labels)
    assert not hasattr(stacked, "map_")
    parts = [member.predict(scores - 3) for member in stacked.calibrators_]
    np.testing.assert_allclose(stacked.predict(scores - 3), stacked.weights_ @ parts, rtol=1e-12)


@pytest.mark.parametrize(
    "stacked, message",
    [
        (StackedCalibrator(cv=1), "cv must be an integer of at least 2; found 1"),
        (StackedCalibrator(trust=1), "trust must be a number between 0 and 1; found 1"),
        (StackedCalibrator(centred=1), "centred must be True or False; found 1"),
        (StackedCalibrator([]), "calibrators is empty: pass at least one"),
        (StackedCalibrator([PlattScaling]), "calibrator must be an estimator with fit"),
        (StackedCalibrator(PlattScaling()), "calibrators must be a list of calibrators"),
    ],
)
def test_what_is_no_average(stacked, message):
    with pytest.raises(ValueError, match=message):
        stacked.fit([0.1, 0.2], [0, 1])


# Its map


def test_the_map_comes_back_bit_for_bit():
    scores, labels = sample(500)
    stacked = StackedCalibrator().fit(scores, labels)
    queries = np.linspace(0, 1, 501)
    pairs = zip(stacked.weights_, stacked.calibrators_, strict=True)
    expected = sum(weight * member.predict(queries) for weight, member in pairs)
    np.testing.assert_array_equal(stacked.predict(queries), expected)
    again = CalibrationMap.from_dict(json.loads(json.dumps(stacked.map_.to_dict())))
    assert again == stacked.map_ and again != MixtureMap(again.weights[::-1], again.members)
    np.testing.assert_array_equal(again(queries), stacked.predict(queries))


def test_the_map_is_that_of_the_last_fit():
    scores, labels = sample(300)
    stacked = StackedCalibrator([PlattScaling(), VennAbers()]).fit(scores, labels)
    assert hasattr(stacked, "map_")
    stacked.set_params(calibrators=[KernelCalibrator()]).fit(scores, labels)
    assert not hasattr(stacked, "map_")
    np.testing.assert_array_equal(stacked.predict(scores), stacked.calibrators_[0].predict(scores))


def test_an_average_of_averages_has_no_map():
    """Maps that are stored or exported hold no mixture in a mixture."""
    scores, labels = sample(300)
    members = [StackedCalibrator([PlattScaling(), VennAbers()]), HistogramBinning(n_bins=4)]
    stacked = StackedCalibrator(members).fit(scores, labels)
    assert not hasattr(stacked, "map_")
    parts = [member.predict(scores) for member in stacked.calibrators_]
    np.testing.assert_allclose(stacked.predict(scores), stacked.weights_ @ parts, rtol=1e-12)


@pytest.mark.parametrize(
    "change, message",
    [
        ({"weights": [0.5, 0.6]}, "weights must have the sum 1, and no more; found 1.1"),
        ({"weights": [0.5, 0.4]}, "weights must have the sum 1"),
        ({"weights": [1.5, -0.5]}, "weights must lie in"),
        ({"weights": [1.0]}, "members must be a list of 1 maps"),
        ({"members": "ab"}, "members must be a list of 2 maps"),
        (
            {"members": [{"kind": "mixture"}] * 2},
            "members of a mixture must be neither mixtures nor mirrored",
        ),
        ({"members": [{"kind": "mirrored"}] * 2}, "neither mixtures nor mirrored"),
        ({"odds_factor": 0.0}, "odds_factor must be a number between 0 and inf; found 0.0"),
        ({"odds_factor": "a"}, "odds_factor must be"),
        ({"members": [3, 4]}, "stored must be a dictionary"),
        ({"members": [{"kind": "sigmoid", "slope": 1.0}] * 2}, "a sigmoid map has the entries"),
    ],
)
def test_what_is_no_mixture(change, message):
    member = {"kind": "sigmoid", "slope": 1.0, "intercept": 0.0}
    weights = [0.5, 0.5]
    stored = {"kind": "mixture", "weights": weights, "members": [member] * 2, "odds_factor": 2.0}
    CalibrationMap.from_dict(stored)
    with pytest.raises(ValueError, match=message):
        CalibrationMap.from_dict(stored | change)


def nested(depth):
    """A mirrored map of a mirrored map and so on."""
    stored = {"kind": "sigmoid", "slope": 1.0, "intercept": 0.0}
    for _ in range(depth):
        stored = {"kind": "mirrored", "map": stored}
    return stored


@pytest.mark.parametrize(
    "stored, message",
    [
        (nested(2), "the map of a mirrored map must not be mirrored"),
        (nested(500), "the map of a mirrored map must not be mirrored"),
        ({"kind": "mirrored"}, "a mirrored map has the entries"),
        ({"kind": "mirrored", "map": 3}, "stored must be a dictionary"),
        ({"kind": "mirrored", "map": {"kind": "no such"}}, "kind"),
    ],
)
def test_what_is_no_mirrored_map(stored, message):
    assert CalibrationMap.from_dict(nested(1))([0.0])[0] == 0.5
    with pytest.raises(ValueError, match=message):
        CalibrationMap.from_dict(stored)
