"""Measures against their definitions, against scikit-learn, and their error messages."""

import inspect
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest
from sklearn import metrics as reference
from sklearn.calibration import calibration_curve
from test_fuzz import LABELS, SCORES, WEIGHTS

from calib.metrics import (
    accuracy,
    brier_score_loss,
    evaluate,
    expected_calibration_error,
    log_loss,
    maximum_calibration_error,
    reliability_curve,
    roc_auc_score,
    root_mean_squared_error,
)
from calibkit.inference import auc_by_parts

BINNED = [reliability_curve, expected_calibration_error, maximum_calibration_error, evaluate]
LOSSES = [brier_score_loss, root_mean_squared_error, log_loss, accuracy]
MEASURES = [*BINNED, *LOSSES, roc_auc_score]
each_measure = pytest.mark.parametrize("measure", MEASURES, ids=lambda m: m.__name__)

seeds = st.integers(0, 10**6)
binnings = st.fixed_dictionaries(
    {
        "n_bins": st.integers(1, 12),
        "strategy": st.sampled_from(["quantile", "uniform"]),
        "ties": st.sampled_from(["group", "label"]),
    }
)


def sample(n=500, seed=0, decimals=None):
    rng = np.random.default_rng(seed)
    p = rng.beta(0.7, 0.7, n)
    labels = (rng.random(n) < p).astype(int)
    labels[:2] = [0, 1]
    return labels, p if decimals is None else p.round(decimals)


def numbers(result):
    """The result of any measure as an array."""
    if hasattr(result, "predicted"):
        names = ["predicted", "observed", "counts", "lower", "upper"]
        return np.array([getattr(result, name) for name in names])
    return np.array(list(result.values()) if isinstance(result, dict) else result)


# Errors in bins


@settings(max_examples=50, deadline=None)
@given(st.integers(2, 100), seeds, binnings, st.sampled_from([None, 1]))
def test_errors_follow_from_the_curve_and_not_from_the_order(n, seed, binning, decimals):
    labels, p = sample(n, seed, decimals)
    curve = reliability_curve(labels, p, **binning)
    gap = np.abs(curve.observed - curve.predicted)
    ece = expected_calibration_error(labels, p, **binning)
    mce = maximum_calibration_error(labels, p, **binning)
    assert (curve.ece, curve.mce) == (ece, mce)
    assert curve.counts.sum() == n and np.all(curve.counts > 0)
    assert ece == pytest.approx(np.dot(curve.counts, gap) / n, abs=1e-12)
    assert mce == pytest.approx(gap.max(), abs=1e-12)
    assert np.all((curve.lower <= curve.observed) & (curve.observed <= curve.upper))
    order = np.random.default_rng(seed).permutation(n)
    assert expected_calibration_error(labels[order], p[order], **binning) == pytest.approx(ece)
    assert maximum_calibration_error(labels[order], p[order], **binning) == pytest.approx(mce)


@pytest.mark.parametrize("strategy", ["uniform", "quantile"])
def test_curve_agrees_with_scikit_learn_without_ties(strategy):
    labels, p = sample(1000)
    curve = reliability_curve(labels, p, strategy=strategy)
    observed, predicted = calibration_curve(labels, p, n_bins=10, strategy=strategy)
    np.testing.assert_allclose(curve.observed, observed, atol=1e-12)
    np.testing.assert_allclose(curve.predicted, predicted, atol=1e-12)


def test_intervals_are_clopper_pearson():
    labels, p = sample(200)
    curve = reliability_curve(labels, p, n_bins=7, confidence=0.9)
    for observed, count, lower, upper in zip(
        curve.observed, curve.counts, curve.lower, curve.upper, strict=True
    ):
        test = binomtest(round(observed * count), int(count))
        expected = test.proportion_ci(0.9, method="exact")
        assert (lower, upper) == pytest.approx((expected.low, expected.high), abs=1e-10)


def test_a_constant_calibrated_predictor_has_no_error_unless_labels_break_its_ties():
    labels = np.arange(1000) % 10 < 4
    p = np.full(1000, 0.4)
    for strategy in ["quantile", "uniform"]:
        assert maximum_calibration_error(labels, p, strategy=strategy) == pytest.approx(0)
    # negatives first: six bins of 0, four bins of 1
    assert expected_calibration_error(labels, p, ties="label") == pytest.approx(0.48)
    assert maximum_calibration_error(labels, p, ties="label") == pytest.approx(0.6)


def test_the_tie_policies_agree_without_ties():
    labels, p = sample(1000)
    assert expected_calibration_error(labels, p) == pytest.approx(
        expected_calibration_error(labels, p, ties="label")
    )


def test_the_last_uniform_bin_holds_one():
    curve = reliability_curve([0, 1, 1], [0.0, 0.95, 1.0], strategy="uniform")
    assert curve.counts.tolist() == [1, 2]


@pytest.mark.parametrize("ties", ["group", "label"])
def test_more_bins_than_rows_are_one_bin_for_each(ties):
    labels, p = sample(50)
    for n_bins in [50, 51, 10**30]:
        curve = reliability_curve(labels, p, n_bins=n_bins, ties=ties)
        np.testing.assert_array_equal(curve.predicted, np.sort(p))
        assert curve.ece == pytest.approx(np.mean(np.abs(labels - p)), abs=1e-12)


# Losses and discrimination


@settings(max_examples=40, deadline=None)
@given(st.integers(4, 100), seeds, st.sampled_from([None, 1]))
def test_scores_agree_with_scikit_learn(n, seed, decimals):
    labels, p = sample(n, seed, decimals)
    assert roc_auc_score(labels, p) == pytest.approx(reference.roc_auc_score(labels, p))
    assert brier_score_loss(labels, p) == pytest.approx(reference.brier_score_loss(labels, p))
    assert root_mean_squared_error(labels, p) ** 2 == pytest.approx(brier_score_loss(labels, p))
    assert accuracy(labels, p) == pytest.approx(reference.accuracy_score(labels, p >= 0.5))
    if decimals is None:
        assert log_loss(labels, p) == pytest.approx(reference.log_loss(labels, p))


def test_log_loss_is_infinite_when_the_impossible_happens():
    assert log_loss([1, 0], [0.0, 0.5]) == np.inf
    assert str(log_loss([0, 1], [0.0, 1.0])) == "0.0"


def test_evaluate_collects_the_five_measures():
    labels, p = sample(300, decimals=1)
    for weights in [None, np.random.default_rng(0).random(300)]:
        binning = {"strategy": "uniform", "n_bins": 5, "sample_weight": weights}
        assert evaluate(labels, p, ties="label", **binning) == {
            "RMSE": root_mean_squared_error(labels, p, sample_weight=weights),
            "AUC": roc_auc_score(labels, p, sample_weight=weights),
            "ACC": accuracy(labels, p, sample_weight=weights),
            "MCE": maximum_calibration_error(labels, p, **binning),
            "ECE": expected_calibration_error(labels, p, **binning),
        }


def by_pairs(labels, scores, parts, weights):
    """`auc_by_parts` from every pair of a positive and a negative."""
    labels, parts = np.asarray(labels, bool), np.asarray(parts)
    wins = np.heaviside(scores[labels][:, None] - scores[~labels], 0.5)
    mass = np.outer(weights[labels], weights[~labels])
    same = parts[labels][:, None] == parts[~labels]

    def mean(chosen):
        return np.average(wins[chosen], weights=mass[chosen]) if mass[chosen].any() else np.nan

    return mean(same | True), mean(same), mean(~same), mass[same].sum() / mass.sum()


@settings(max_examples=60, deadline=None)
@given(st.integers(4, 60), seeds, st.sampled_from([None, 1]), st.booleans())
def test_auc_by_parts_is_the_count_of_pairs(n, seed, decimals, weighted):
    labels, scores = sample(n, seed, decimals)
    rng = np.random.default_rng(seed)
    parts = rng.choice(["north", "south", "west"], n)
    weights = np.ones(n)
    if weighted:
        weights = rng.exponential(size=n) * np.append([1, 1], rng.integers(0, 2, n - 2))
    result = auc_by_parts(labels, scores, parts, sample_weight=weights if weighted else None)
    expected = by_pairs(labels, scores, parts, weights)
    np.testing.assert_allclose(result, expected, atol=1e-12)
    assert result.auc == roc_auc_score(labels, scores, sample_weight=weights if weighted else None)


def test_parts_that_scores_separate_the_wrong_way_have_an_auc_of_zero_across():
    # as a difference of shares, not of numbers of pairs, `across` was -5e-18
    rng = np.random.default_rng(519)
    n = rng.integers(4, 40)
    p, parts = rng.random(n).round(1), rng.integers(0, 3, n)
    labels = (parts > 1) ^ (rng.random(n) < 0.05)
    labels[:2] = [0, 1]
    assert auc_by_parts(labels, p / 10 + 2 - parts, parts).across == 0


@settings(max_examples=100, deadline=None)
@given(st.integers(2, 40), seeds, st.booleans())
def test_areas_lie_between_0_and_1_whatever_is_rounded(n, seed, reverse):
    rng = np.random.default_rng(seed)
    labels = np.arange(n) >= rng.integers(1, n)
    weights = rng.exponential(size=n) ** 9
    scores = -np.arange(n) if reverse else np.arange(n)
    expected = 0.0 if reverse else 1.0
    assert 0 <= roc_auc_score(labels, scores, sample_weight=weights) <= 1
    *areas, inside = auc_by_parts(labels, scores, rng.integers(0, 3, n), sample_weight=weights)
    for area, share in zip(areas, [1, inside, 1 - inside], strict=True):
        assert np.isnan(area) or 0 <= area <= 1
        if share > 1e-9:  # of the pairs: nine digits are lost to the others
            assert area == pytest.approx(expected, abs=1e-6)


def test_a_light_class_does_not_drown_in_a_heavy_one():
    # one score: the weight of the negatives is not 1e17 + 1 - 1e17
    assert roc_auc_score([0, 1, 0], [0.5, 0.5, 0.5], sample_weight=[1, 1e17, 1]) == 0.5
    tiny = [1e-170, 2e-170, 1e-170, 1e-170]
    assert roc_auc_score([0, 1, 0, 1], [1, 2, 3, 4], sample_weight=tiny) == pytest.approx(4 / 6)


# Weights


@each_measure
@settings(max_examples=30, deadline=None)
@given(n=st.integers(2, 80), seed=seeds, binning=binnings, decimals=st.sampled_from([None, 1]))
def test_an_integer_weight_is_that_many_copies(measure, n, seed, binning, decimals):
    labels, p = sample(n, seed, decimals)
    copies = np.random.default_rng(seed).integers(0, 4, n)
    copies[:2] += 1  # keep both classes
    options = binning if measure in BINNED else {}
    weighted = numbers(measure(labels, p, sample_weight=copies, **options))
    repeated = numbers(measure(np.repeat(labels, copies), np.repeat(p, copies), **options))
    exact = measure in [accuracy, roc_auc_score] or options.get("strategy") == "quantile"
    if exact and measure is not evaluate:
        np.testing.assert_array_equal(weighted, repeated)
    np.testing.assert_allclose(weighted, repeated, rtol=0, atol=1e-12)


@settings(max_examples=30, deadline=None)
@given(n=st.integers(2, 80), seed=seeds, decimals=st.sampled_from([None, 1]))
def test_an_integer_weight_is_that_many_copies_in_parts(n, seed, decimals):
    labels, p = sample(n, seed, decimals)
    rng = np.random.default_rng(seed)
    parts, copies = rng.integers(0, 3, n), rng.integers(0, 4, n)
    copies[:2] += 1
    weighted = auc_by_parts(labels, p, parts, sample_weight=copies)
    repeated = auc_by_parts(*(np.repeat(column, copies) for column in [labels, p, parts]))
    np.testing.assert_array_equal(weighted, repeated)


@each_measure
def test_a_row_of_weight_zero_is_not_there(measure):
    labels, p = sample(100)
    weights = np.random.default_rng(0).exponential(size=100)
    expected = numbers(measure(labels, p, sample_weight=weights))
    more = np.append(labels, [1, 0, 1]), np.append(p, [0.0, 1.0, 0.5]), np.append(weights, [0] * 3)
    with_nothing = numbers(measure(*more[:2], sample_weight=more[2]))
    np.testing.assert_array_equal(with_nothing, expected)


@each_measure
@settings(max_examples=20, deadline=None)
@given(n=st.integers(2, 80), seed=seeds, binning=binnings)
def test_weights_do_not_depend_on_the_order_and_ratios_decide(measure, n, seed, binning):
    labels, p = sample(n, seed, decimals=1)
    rng = np.random.default_rng(seed)
    weights, order = rng.exponential(size=n), rng.permutation(n)
    options = binning if measure in BINNED else {}
    expected = numbers(measure(labels, p, sample_weight=weights, **options))
    shuffled = measure(labels[order], p[order], sample_weight=weights[order], **options)
    np.testing.assert_allclose(numbers(shuffled), expected, rtol=0, atol=1e-12)
    if measure is not reliability_curve:  # its intervals are of as many points
        for scale in [2.0**-400, 0.3, 2.0**400]:
            scaled = numbers(measure(labels, p, sample_weight=scale * weights, **options))
            np.testing.assert_allclose(scaled, expected, rtol=0, atol=1e-12)


@settings(max_examples=40, deadline=None)
@given(st.integers(4, 100), seeds, st.sampled_from([None, 1]))
def test_weighted_measures_agree_with_scikit_learn(n, seed, decimals):
    labels, p = sample(n, seed, decimals)
    weights = {"sample_weight": np.random.default_rng(seed).exponential(size=n)}
    ours, theirs = (
        roc_auc_score(labels, p, **weights),
        reference.roc_auc_score(labels, p, **weights),
    )
    assert ours == pytest.approx(theirs)
    expected = reference.brier_score_loss(labels, p, **weights)
    assert brier_score_loss(labels, p, **weights) == pytest.approx(expected)
    assert root_mean_squared_error(labels, p, **weights) == pytest.approx(expected**0.5)
    expected = reference.accuracy_score(labels, p >= 0.5, **weights)
    assert accuracy(labels, p, **weights) == pytest.approx(expected)
    if decimals is None:
        expected = reference.log_loss(labels, p, **weights)
        assert log_loss(labels, p, **weights) == pytest.approx(expected)


def shares_of_bins(labels, p, weights, n_bins, strategy, ties):
    """Share of each row that lies in each bin, shape (n_bins, n), by definition."""
    bins, total = np.arange(n_bins)[:, None], weights.sum()
    if strategy == "uniform":
        return (np.minimum((p * n_bins).astype(int), n_bins - 1) == bins).astype(float)
    if ties == "group":
        below = np.array([weights[p < value].sum() for value in p])
        here = np.array([weights[p == value].sum() for value in p])
        return ((n_bins * (below + here / 2) / total).astype(int) == bins).astype(float)
    order = np.lexsort([labels, p])
    ends = np.cumsum(weights[order])
    starts = ends - weights[order]
    low, high = bins * total / n_bins, (bins + 1) * total / n_bins
    shares = np.empty((n_bins, p.size))
    overlap = np.clip(np.minimum(ends, high) - np.maximum(starts, low), 0, None)
    shares[:, order] = overlap / weights[order]
    return shares


@settings(max_examples=100, deadline=None)
@given(st.integers(2, 60), seeds, binnings)
def test_weighted_bins_by_definition(n, seed, binning):
    labels, p = sample(n, seed)
    p = np.floor(16 * p) / 16 + 1 / 64  # ties, and no prediction on an edge
    weights = np.random.default_rng(seed).exponential(size=n)
    inside = shares_of_bins(labels, p, weights, **binning) * weights
    inside = inside[inside.sum(axis=1) > 1e-9]
    curve = reliability_curve(labels, p, sample_weight=weights, **binning)
    assert curve.counts == pytest.approx(inside.sum(axis=1))
    assert curve.predicted == pytest.approx(inside @ p / inside.sum(axis=1))
    assert curve.observed == pytest.approx(inside @ labels / inside.sum(axis=1), abs=1e-9)
    assert np.all((0 <= curve.lower) & (curve.lower <= curve.observed))
    assert np.all((curve.observed <= curve.upper) & (curve.upper <= 1))


def test_intervals_of_fractions_lie_between_those_of_counts():
    def limits(positive, negative):
        curve = reliability_curve([1, 0], [0.5, 0.5], sample_weight=[positive, negative])
        return np.ravel([curve.lower, curve.upper])

    for fewer in [0, 1, 5]:
        between = limits(fewer + 0.3, 7)
        assert np.all((limits(fewer, 7) < between) & (between < limits(fewer + 1, 7)))
        np.testing.assert_allclose(limits(7, fewer + 0.3), 1 - between[::-1], rtol=0, atol=1e-12)


@pytest.mark.parametrize("share", [0.001, 0.25, 0.999])
@pytest.mark.parametrize("n", [1e17, 1e20, 1e60, 1e140])
def test_intervals_of_any_number_of_points_hold_the_fraction(n, share):
    curve = reliability_curve([1, 0], [0.5, 0.5], sample_weight=[share * n, (1 - share) * n])
    np.testing.assert_allclose([curve.lower, curve.upper], share, rtol=1e-6)
    assert curve.lower <= curve.observed <= curve.upper


def test_normalised_weights_are_warned_of_where_their_sum_matters():
    labels, p = sample(60)
    weights = np.full(60, 1 / 60)
    with pytest.warns(UserWarning, match="sample_weight sums to 1") as caught:
        reliability_curve(labels, p, sample_weight=weights)
    assert [warning.filename for warning in caught] == [__file__]
    for measure in set(MEASURES) - {reliability_curve}:
        expected = numbers(measure(labels, p))
        result = numbers(measure(labels, p, sample_weight=weights))
        np.testing.assert_allclose(result, expected, rtol=0, atol=1e-12)


# Input


@each_measure
@settings(max_examples=100, deadline=None)
@given(
    n=st.integers(1, 60),
    forms=st.tuples(*(st.sampled_from(sorted(table)) for table in [SCORES, LABELS, WEIGHTS])),
    binning=binnings,
    seed=seeds,
)
def test_any_input_is_refused_in_clear_words_or_measured(measure, n, forms, binning, seed):
    rng = np.random.default_rng(seed)
    p = SCORES[forms[0]](n, rng)
    labels = LABELS[forms[1]](n, rng, p)
    weights = WEIGHTS[forms[2]](n, rng)
    options = binning if measure in BINNED else {}
    with warnings.catch_warnings():
        if measure is reliability_curve:
            warnings.filterwarnings("ignore", "sample_weight sums to 1", UserWarning)
        try:
            result = measure(labels, p, sample_weight=weights, **options)
        except ValueError as error:
            assert forms[2] in ["overflowing", "zeros", "counts"] or "one class" in str(error)
            assert any(name in str(error) for name in ["sample_weight", "labels"])
            return
    if measure is reliability_curve:
        assert np.all((result.lower <= result.observed) & (result.observed <= result.upper))
        result = np.ravel([result.predicted, result.observed, result.lower, result.upper])
    values = numbers(result)
    assert np.all((values >= 0) & ((values <= 1) | (measure is log_loss)))  # false for NaN


@each_measure
def test_any_form_of_the_same_numbers_gives_the_same(measure):
    labels = np.array([0, 1, 1, 0, 1, 0])
    p = np.array([0.25, 0.75, 0.5, 0.5, 1.0, 0.125])
    weights = np.array([1, 2, 1, 3, 1, 2])
    expected = numbers(measure(labels, p, sample_weight=weights))
    for form in ["f2", "f4", ">f4", ">f8", "g", object]:
        result = measure(labels.astype(form), p.astype(form), sample_weight=weights.astype(form))
        np.testing.assert_array_equal(numbers(result), expected)
    for form in [bool, ">i2", np.uint8]:
        result = measure(labels.astype(form), list(p), sample_weight=tuple(weights))
        np.testing.assert_array_equal(numbers(result), expected)
    strided = [np.repeat(column, 2)[::2] for column in [labels, p, weights]]
    for column in strided:
        column.flags.writeable = False
    result = measure(strided[0], strided[1], sample_weight=strided[2])
    np.testing.assert_array_equal(numbers(result), expected)
    assert np.all(np.isfinite(numbers(measure([False, True, True], [False, True, True]))))


@each_measure
def test_bad_input_is_refused_by_name(measure):
    second = list(inspect.signature(measure).parameters)[1]
    assert second == ("scores" if measure is roc_auc_score else "probabilities")
    masked = np.ma.masked_array([0.1, 0.9], [True, False])
    for labels, p, message in [
        ([0, 1], [0.5, np.nan], f"{second} must be finite"),
        ([0, 1], ["a", "b"], f"{second} must be real numbers"),
        ([0, 1], [0, 10**400], f"{second} holds an integer too large"),
        ([0, np.longdouble("1e4000")], [0, 1], "labels must be 0/1"),
        ([0, 1], [0.5, [0.5]], f"{second} must be one-dimensional"),
        ([0, 1], masked, f"{second} holds masked values"),
        (masked > 0.5, [0.1, 0.9], "labels holds masked values"),
        ([0, 2], [0.5, 0.5], "labels must be 0/1"),
        ([0], [0.5, 0.5], f"labels has 1 rows but {second} has 2"),
        ([], [], f"{second} is empty"),
        ([0, 1], [[0.5, 0.5], [0.1, 0.9]], f"{second} must be one-dimensional"),
    ]:
        with pytest.raises(ValueError, match=message):
            measure(labels, p)
    for weights, message in [
        ([1.0], f"sample_weight has 1 rows but {second} has 2"),
        ([1.0, -1.0], "sample_weight must not be negative; found -1.0 at row 1"),
        ([0.0, 0.0], "sample_weight is zero in every row"),
        ([1.0, np.inf], "sample_weight must be finite"),
        (masked, "sample_weight holds masked values"),
    ]:
        with pytest.raises(ValueError, match=message):
            measure([0, 1], [0.1, 0.9], sample_weight=weights)


@pytest.mark.parametrize("measure", [*BINNED, *LOSSES], ids=lambda m: m.__name__)
def test_what_is_no_probability_is_refused(measure):
    with pytest.raises(
        ValueError, match=r"probabilities must lie in \[0, 1\].*1.2 at row 1.*expit"
    ):
        measure([0, 1], [0.5, 1.2])
    exact = measure([0, 1], [0.5, 1.0])
    with pytest.warns(UserWarning, match=r"beyond \[0, 1\] in 1 of 2 rows.*taken for rounding"):
        assert repr(measure([0, 1], [0.5, 1 + 1e-9])) == repr(exact)


@pytest.mark.parametrize("measure", BINNED, ids=lambda m: m.__name__)
def test_bad_options_are_refused_by_name(measure):
    many = 10**12
    for options, message in [
        ({"n_bins": 0}, "n_bins must be an integer"),
        ({"n_bins": 10.0}, "n_bins must be an integer"),
        ({"n_bins": many, "strategy": "uniform"}, "n_bins must be at most 1e\\+07"),
        ({"n_bins": 10**30, "strategy": "uniform"}, "n_bins must be at most 1e\\+07"),
        (
            {"n_bins": many, "ties": "label", "sample_weight": [0.5, 1]},
            "n_bins must be at most 1e\\+07",
        ),
        (
            {"n_bins": many, "ties": "label", "sample_weight": [many, many]},
            "n_bins must be at most 1e\\+07",
        ),
        ({"strategy": "kmeans"}, "strategy must be one of"),
        ({"ties": "random"}, "ties must be one of"),
    ]:
        with pytest.raises(ValueError, match=message):
            measure([0, 1], [0.1, 0.9], **options)


def test_bad_confidence_is_refused():
    with pytest.raises(ValueError, match="confidence must be a number between 0 and 1"):
        reliability_curve([0, 1], [0.1, 0.9], confidence=95)


def test_an_area_needs_both_classes():
    parts = [1, 1, 2]
    for options in [{}, {"sample_weight": [0, 1, 1]}]:
        labels = [0, 1, 1] if options else [1, 1, 1]
        for measure in [roc_auc_score, evaluate]:
            with pytest.raises(ValueError, match=r"labels holds one class only \(1\)"):
                measure(labels, [0.1, 0.5, 0.9], **options)
        with pytest.raises(ValueError, match=r"labels holds one class only \(1\)"):
            auc_by_parts(labels, [0.1, 0.5, 0.9], parts, **options)


@pytest.mark.parametrize(
    "parts, message",
    [
        ([1, 2], "parts has 2 rows but scores has 3"),
        ([[1], [2], [3]], "parts must be one-dimensional"),
        (["a", None, "b"], "parts must be all numbers or all strings"),
        (np.ma.masked_array([1, 2, 3], [True, False, False]), "parts holds masked values"),
    ],
)
def test_bad_parts_are_refused(parts, message):
    with pytest.raises(ValueError, match=message):
        auc_by_parts([0, 1, 1], [0.1, 0.5, 0.9], parts)
