"""Input that once crashed, looped, was refused without need or got a wrong answer in silence."""

import decimal
import os
import pickle
import shutil
import subprocess
import sys
import warnings
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone, is_classifier
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from test_contract import each_calibrator, sample

import calib
import calibkit
from calib import (
    ABB,
    BBQ,
    ENIR,
    AUCSplitTree,
    BetaMap,
    CalibratedClassifier,
    CalibrationMap,
    DirichletProcessCalibrator,
    HeterogeneousCalibrator,
    HistogramBinning,
    IsotonicCalibrator,
    KernelCalibrator,
    LinearMap,
    LogitPolynomialMap,
    NearIsotonicPath,
    OneClassWarning,
    PlattScaling,
    SigmoidMap,
    StepMap,
    TransductiveVennAbers,
    VennAbers,
)
from calib.base.arrays import (
    check_class_labels,
    check_labels,
    check_score_rows,
    check_scores,
    check_weights,
)
from calib.methods.venn_abers import DirectIsotonic
from calibkit.datasets import LAWS, rings
from calibkit.prediction_intervals import AdaptiveCalibrator
from calibkit.theory import DiscreteLaw

SCORES, LABELS = sample(60)


# Types


@pytest.mark.parametrize(
    "dtype", ["float16", "float32", "longdouble", ">f8", ">i4", "int8", "uint64", "bool", "object"]
)
@each_calibrator
def test_the_type_of_the_labels_does_not_matter(calibrator, dtype):
    expected = clone(calibrator).fit(SCORES, LABELS).predict(SCORES)
    fitted = clone(calibrator).fit(SCORES, LABELS.astype(dtype))
    np.testing.assert_array_equal(fitted.predict(SCORES), expected)


@pytest.mark.parametrize("dtype", ["float16", "float32", "longdouble", ">f8", "object"])
def test_the_type_of_the_scores_does_not_matter(dtype):
    scores = (SCORES * 64).round() / 64  # exact in all of them
    expected = IsotonicCalibrator().fit(scores, LABELS).predict(scores)
    fitted = IsotonicCalibrator().fit(scores.astype(dtype), LABELS)
    np.testing.assert_array_equal(fitted.predict(scores.astype(dtype).tolist()), expected)


@pytest.mark.parametrize(
    "values, message",
    [
        ([0.1, [0.2, 0.3]], "scores must be one-dimensional, one number per row"),
        (np.ma.array([0.1, 0.2], mask=[True, False]), "scores holds masked values"),
        (np.array([0.1, "b"], object), "scores must be real numbers; found dtype object"),
        (np.array([decimal.Decimal("NaN")]), "scores must be finite; found nan at row 0"),
        (np.array([1j]), "scores must be real numbers; found dtype complex128"),
        (np.array(["2020-01-01"], "datetime64[D]"), "scores must be real numbers"),
        (np.array([np.longdouble("1e4000")]), "scores must be finite"),
        (None, "scores must be one-dimensional.* got None"),
        (0.5, r"one-dimensional; found shape \(\)"),
    ],
)
def test_what_cannot_be_scores(values, message):
    with pytest.raises(ValueError, match=message):
        check_scores(values)


@pytest.mark.parametrize("kind", [Fraction, decimal.Decimal])
def test_real_numbers_of_other_types_are_taken_as_databases_give_them(kind):
    assert check_scores([kind("0.25"), 1]).tolist() == [0.25, 1.0]
    assert check_labels([kind(1), kind(0)]).tolist() == [1, 0]
    assert check_weights([kind("0.5"), 2], size=2).tolist() == [0.5, 2.0]


def test_masked_labels_and_weights_are_refused_too():
    masked = np.ma.array([0, 1], mask=[True, False])
    with pytest.raises(ValueError, match="labels holds masked values"):
        check_labels(masked)
    with pytest.raises(ValueError, match="sample_weight holds masked values"):
        check_weights(masked, size=2)
    assert check_scores(np.ma.array([0.1, 0.2])).tolist() == [0.1, 0.2]  # nothing is masked


@pytest.mark.parametrize("value", [1.00002, -0.00002, 2.0, -0.25])
def test_margins_are_no_probabilities(value):
    message = f"found {value} at row 1: map margins.*TemperatureScaling.scale='score'.*expit"
    with pytest.raises(ValueError, match=message):
        check_scores([1.000001, value], unit=True)
    with pytest.raises(ValueError, match=message):
        calib.TemperatureScaling().fit([0.5, value], [0, 1])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_rounding_beyond_the_ends_is_clipped_and_said(dtype):
    scores = np.array([0.25, 1.0000001, 0.5, -1e-9], dtype)
    message = (
        r"lie in \[-[0-9.]+e-.*, 1.0000001.*\], beyond \[0, 1\] in 2 of 4 rows, first in row 1"
    )
    with pytest.warns(UserWarning, match=message):
        assert check_scores(scores, unit=True, narrow=True).tolist() == [0.25, 1, 0.5, 0]
    with pytest.warns(UserWarning, match=r"lie in \[0.5, 1.00001\].*: taken for rounding and"):
        assert check_scores([1.00001, 0.5], unit=True).tolist() == [1, 0.5]
    with pytest.warns(UserWarning, match="probabilities lie in .* in 1 of 2 rows.* row 1"):
        rows = check_score_rows([[0.5, 0.5], [1.0000001, -1e-7]])
    assert rows.tolist() == [[0.5, 0.5], [1, 0]]


def test_tiny_numbers_of_both_signs_are_margins_and_no_rounding():
    with pytest.raises(ValueError, match="found -1e-08 at row 0: map margins"):
        check_scores([-1e-8, 1e-8], unit=True)
    assert check_scores([0, 1e-8], unit=True).tolist() == [0, 1e-8]


LABELS_WITH_A_GAP = [
    np.array([True, None], object),
    [1, None],
    np.array([1.0, np.nan]),
    np.array(["yes", np.nan], object),
    pd.Series([True, None], dtype="boolean"),
    pd.Series([1, None], dtype="Int64"),
    pd.Series(["yes", None], dtype="string"),
]


@pytest.mark.parametrize("labels", LABELS_WITH_A_GAP, ids=str)
def test_a_missing_label_is_called_missing(labels):
    with pytest.raises(ValueError, match="missing.*drop such rows"):
        check_labels(labels)


def test_a_missing_class_is_called_missing():
    with pytest.raises(ValueError, match="found nan at row 1: it is missing; drop such rows"):
        check_class_labels([0, np.nan], n_classes=3, size=2)


# Weights are counts


@each_calibrator
@pytest.mark.parametrize("weight", [1e305, 1e200])
def test_weights_whose_products_overflow_are_refused(calibrator, weight):
    with pytest.raises(ValueError, match=r"sample_weight sums to .* weights are counts"):
        clone(calibrator).fit(SCORES, LABELS, sample_weight=np.full(60, weight))


@each_calibrator
def test_normalised_weights_are_warned_of_and_no_others(calibrator):
    weights = np.random.default_rng(0).random(60)
    with pytest.warns(
        UserWarning, match=r"sums to 1, which counts as one observation.*\(60\)"
    ) as w:
        clone(calibrator).fit(SCORES, LABELS, sample_weight=weights / weights.sum())
    assert w[0].filename == __file__
    clone(calibrator).fit(SCORES, LABELS, sample_weight=weights)


def test_one_row_of_weight_one_is_one_observation():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_weights([1.0, 0.0], size=2)


@pytest.mark.parametrize("method", [KernelCalibrator(), ENIR(), ENIR(criterion="aicc")])
def test_nothing_jumps_where_weights_sum_to_about_one(method):
    weights = np.random.default_rng(0).random(60)
    weights /= weights.sum()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        predictions = [
            clone(method).fit(SCORES, LABELS, sample_weight=weights * total).predict(SCORES)
            for total in (1 - 1e-12, 1, 1 + 1e-12)
        ]
    assert np.ptp(predictions[1]) > 0
    np.testing.assert_allclose(predictions, np.tile(predictions[1], (3, 1)), atol=1e-9)


@pytest.mark.parametrize("method", [IsotonicCalibrator(), DirectIsotonic(), NearIsotonicPath()])
@pytest.mark.parametrize("unit", [1e-170, 1e-300, 1.0, 1e140])
def test_isotonic_regression_does_not_depend_on_the_unit_of_the_weights(method, unit):
    scores, labels = np.arange(8.0), [0, 1, 0, 0, 1, 1, 0, 1]
    weights = np.array([1.0, 2, 1, 3, 1, 1, 2, 1])
    lam = () if not isinstance(method, NearIsotonicPath) else (np.inf,)
    expected = clone(method).fit(scores, labels, sample_weight=weights).predict(scores, *lam)
    found = clone(method).fit(scores, labels, sample_weight=unit * weights).predict(scores, *lam)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_the_path_scales_with_the_weights():
    scores, labels = np.arange(8.0), [0, 1, 0, 0, 1, 1, 0, 1]
    path = NearIsotonicPath().fit(scores, labels, sample_weight=np.ones(8))
    tiny = NearIsotonicPath().fit(scores, labels, sample_weight=np.full(8, 2.0**-600))
    np.testing.assert_array_equal(tiny.lambdas_, path.lambdas_ * 2.0**-600)
    np.testing.assert_array_equal(tiny.n_bins_, path.n_bins_)


def test_a_light_block_beside_heavy_ones_keeps_its_own_value():
    fitted = IsotonicCalibrator().fit(
        [1, 2, 3, 4], [0, 1, 0, 1], sample_weight=[1e-170, 1e-170, 1, 1]
    )
    np.testing.assert_allclose(fitted.predict([1, 2, 3, 4]), [0, 1e-170, 1e-170, 1], atol=1e-160)


def test_small_weights_beside_large_ones_count_in_an_interval():
    calibrator = AdaptiveCalibrator().fit([1, 2, 3], [0, 1, 0], sample_weight=[1e16, 1, 1e16])
    found = calibrator.predict([2.0, 2.0], lower=[2.0, 1.0], upper=[2.0, 2.0])
    np.testing.assert_allclose(found, [1.0, 1e-16])


# Scores at the limits of floating-point numbers


@each_calibrator
@pytest.mark.parametrize(
    "scores",
    [
        [0.0, 5e-324],
        [0.0, 1e-308, 2e-308, 4e-308],
        [0.5, np.nextafter(0.5, 1), 0.75, 1.0],
        [0.0, 1e-300, 1e-200, 1.0],
    ],
)
@pytest.mark.filterwarnings(
    "ignore::sklearn.exceptions.ConvergenceWarning", "ignore:scores that differ by less than 1e-290"
)
def test_scores_that_hardly_differ(calibrator, scores):
    labels = np.arange(len(scores)) % 2
    predictions = clone(calibrator).fit(scores, labels).predict([*scores, 0.25])
    assert np.all((predictions >= 0) & (predictions <= 1))


@pytest.mark.parametrize("scores", [[-1e308, 0, 1.0, 1e308], [-1.7e308, -1e-308, 1e-308, 1.7e308]])
@pytest.mark.filterwarnings("ignore:scores separate the classes, but for near ties")
@each_calibrator
def test_scores_that_are_far_apart(calibrator, scores):
    if calibrator.unit_scores:
        pytest.skip("takes probabilities only")
    predictions = clone(calibrator).fit(scores, [0, 1, 0, 1]).predict([*scores, 0.25])
    assert np.all((predictions >= 0) & (predictions <= 1))


def test_very_many_bins():
    scores, labels = np.arange(20.0), np.arange(20) % 2
    fitted = HistogramBinning(n_bins=10**30).fit(scores, labels)
    assert fitted.counts_.tolist() == [1.0] * 20
    with pytest.raises(ValueError, match="n_bins must be at most 1e\\+07 for bins of equal width"):
        HistogramBinning(n_bins=10**12, strategy="uniform").fit(scores / 20, labels)


# A failed fit changes nothing


@each_calibrator
def test_a_failed_first_fit_leaves_nothing_fitted(calibrator):
    fresh = clone(calibrator)
    with pytest.raises(ValueError):
        fresh.fit(SCORES, LABELS, sample_weight=np.zeros(60))
    with pytest.raises(NotFittedError):
        fresh.predict(SCORES)


@pytest.mark.parametrize(
    "calibrator, bad",
    [
        (KernelCalibrator(), {"bandwidth": -1.0}),
        (HistogramBinning(), {"n_bins": 0}),
        (ENIR(), {"criterion": "hqic"}),
        (ABB(), {"max_distinct": 2}),
        (VennAbers(), {"loss": "hinge"}),
    ],
)
def test_a_failed_second_fit_leaves_the_first(calibrator, bad):
    fitted = clone(calibrator).fit(SCORES, LABELS)
    good, before = fitted.get_params(), pickle.dumps(fitted)
    with pytest.raises(ValueError):
        fitted.set_params(**bad).fit(SCORES[::-1].copy(), LABELS)
    assert pickle.dumps(fitted.set_params(**good)) == before


# scikit-learn's ways


@each_calibrator
def test_calibrators_are_tuned_by_proper_scores(calibrator):
    assert is_classifier(calibrator)
    for scoring in ["neg_log_loss", "neg_brier_score", "roc_auc", None]:
        found = cross_val_score(calibrator, *sample(300), scoring=scoring, cv=3)
        assert not np.isnan(found).any(), scoring


def test_a_grid_search_over_the_bins():
    scores, labels = sample(500)
    search = GridSearchCV(HistogramBinning(), {"n_bins": [1, 5, 200]}, scoring="neg_log_loss")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # 200 bins have infinite loss
        assert search.fit(scores, labels).best_params_ == {"n_bins": 5}


@each_calibrator
def test_the_score_is_minus_the_brier_score(calibrator):
    fitted = clone(calibrator).fit(SCORES, LABELS)
    p = fitted.predict(SCORES)
    np.testing.assert_array_equal(fitted.predict_proba(SCORES), np.column_stack([1 - p, p]))
    assert fitted.score(SCORES, LABELS) == pytest.approx(-np.mean((p - LABELS) ** 2))
    counts = np.arange(60) % 3
    repeated = fitted.score(np.repeat(SCORES, counts), np.repeat(LABELS, counts))
    assert fitted.score(SCORES, LABELS, sample_weight=counts) == pytest.approx(repeated)


@each_calibrator
def test_log_odds_are_finite_and_belong_to_the_probabilities(calibrator):
    fitted = clone(calibrator).fit(SCORES, LABELS)
    log_odds = fitted.predict_logit(SCORES)
    assert np.all(np.isfinite(log_odds))
    np.testing.assert_allclose(1 / (1 + np.exp(-log_odds)), fitted.predict(SCORES), atol=1e-12)


def test_platt_scaling_knows_log_odds_beyond_those_of_the_largest_probability():
    platt = PlattScaling().fit(np.arange(-50.0, 50), np.arange(100) >= 50)
    assert platt.predict_logit([1e6])[0] == platt.slope_ * 1e6 + platt.intercept_ > 40


# Maps


ENDS = {"kind": "spline", "least": -1, "greatest": 1, "low": 0, "high": 1}


@pytest.mark.parametrize(
    "stored, message",
    [
        (3, "stored must be a dictionary"),
        ({"kind": "cubic"}, "kind must be one of 'step', 'linear', 'sigmoid'"),
        ({}, "kind must be one of"),
        ({"kind": "sigmoid", "slope": 1.0}, "a sigmoid map has the entries kind, intercept, slope"),
        ({"kind": "sigmoid", "slope": np.nan, "intercept": 0.0}, "slope must be finite"),
        ({"kind": "logit_polynomial", "coefficients": [], "centre": 0.0}, "coefficients is empty"),
        ({"kind": "logit_polynomial", "coefficients": [1.0], "centre": np.inf}, "centre must be f"),
        ({"kind": "beta", "a": 1.0, "b": 1.0, "level": 0.0, "centre": 1.0}, "centre must lie in"),
        (ENDS | {"low": 1, "coefficients": []}, "low must be below high; found 1.0 and 1.0"),
        (ENDS | {"least": 2, "coefficients": []}, "least must be below greatest; found 2.0 and 1"),
        (ENDS | {"coefficients": [[0] * 4] * 2}, "at least 3 pieces"),
        (ENDS | {"coefficients": [[0] * 3] * 3}, "four numbers"),
        ({"kind": "step", "scores": [1, 0], "probabilities": [0, 0, 1]}, "increase strictly"),
        ({"kind": "step", "scores": [0], "probabilities": [0.5]}, "has 2 probabilities; found 1"),
        ({"kind": "linear", "scores": [0], "probabilities": [1.5]}, r"lie in \[0, 1\]"),
        ({"kind": "linear", "scores": [], "probabilities": []}, "probabilities is empty"),
    ],
)
def test_what_is_no_stored_map(stored, message):
    with pytest.raises(ValueError, match=message):
        CalibrationMap.from_dict(stored)


def test_maps_are_equal_if_kind_and_numbers_are():
    knots, values = np.array([0.25, 0.5]), np.array([0.2, 0.7])
    line, step = LinearMap(knots, values), StepMap(knots[1:], values)
    assert (
        line == LinearMap(knots.copy(), values.copy()) == CalibrationMap.from_dict(line.to_dict())
    )
    assert line != LinearMap(knots, values / 2) and line != LinearMap(knots / 2, values)
    assert line != StepMap(knots, values) and step != StepMap(knots[:1], values) and line != "line"
    assert SigmoidMap(1.0, 0.5) == SigmoidMap(1.0, 0.5) != SigmoidMap(0.5, 1.0)
    first, again = (IsotonicCalibrator().fit(SCORES, LABELS).map_ for _ in range(2))
    assert first == again == pickle.loads(pickle.dumps(first))
    for map_ in (line, SigmoidMap(1.0, 0.5)):
        with pytest.raises(TypeError, match="unhashable"):  # as arrays, of which it is made
            hash(map_)


@pytest.mark.parametrize(
    "map_",
    [
        StepMap(np.array([0.5]), np.array([0.2, 0.7])),
        StepMap(np.array([]), np.array([0.2])),
        LinearMap(np.array([0.5]), np.array([0.2])),
        SigmoidMap(2.0, -1.0),
        LogitPolynomialMap(np.array([0.2, 1.0, -0.1]), 0.3),
        BetaMap(1.0, 2.0, 0.5, 0.3),
    ],
)
def test_a_map_takes_what_predict_takes(map_):
    assert map_([0.1]).shape == (1,) and map_([]).shape == (0,)
    np.testing.assert_array_equal(map_(np.array([0, 1])), map_([0.0, 1.0]))
    with pytest.raises(ValueError, match="scores must be finite; found nan"):
        map_([np.nan])
    again = pickle.loads(pickle.dumps(map_))
    assert again([0.3]) == map_([0.3])


def test_the_path_at_one_lambda_is_a_map():
    path = NearIsotonicPath().fit(SCORES, LABELS)
    map_ = path.at(0.3)
    assert isinstance(map_, LinearMap)
    np.testing.assert_array_equal(map_(path.scores_), path.values_at(0.3))
    np.testing.assert_array_equal(path.predict(SCORES, 0.3), map_(SCORES))


# Elsewhere in the package


def test_a_law_of_very_large_weights():
    law = DiscreteLaw([[1e308, 1e308]], [[1e308, 3e307]], 0.5)
    small = DiscreteLaw([[1.0, 1.0]], [[1.0, 0.3]], 0.5)
    np.testing.assert_allclose(law.posterior, small.posterior)


def test_numbers_that_cannot_be_combined():
    for probabilities in [[[np.nan]], [[1.5]], 0.5]:
        with pytest.raises(ValueError, match=r"probabilities must be an array of numbers in \[0"):
            VennAbers().combine(probabilities)


def test_arguments_of_the_simulated_laws():
    np.testing.assert_array_equal(rings(10, 0)[0], rings(10, np.random.default_rng(0))[0])
    law = LAWS["overconfident"]
    np.testing.assert_array_equal(law.sample(5, 1)[0], law.sample(5, np.random.default_rng(1))[0])
    for cuts in [[0.5, 0.3], [0.0], [0.3, 0.3], [1.0]]:
        with pytest.raises(ValueError, match="cuts must increase strictly"):
            law.exact_errors(np.array(cuts), np.linspace(0.1, 0.9, len(cuts) + 1))
    with pytest.raises(ValueError, match="one for each of 2 bins"):
        law.exact_errors([0.5], [0.1])


def test_flags_are_flags():
    for calibrator in [KernelCalibrator(shared="yes"), BBQ(averaging=1)]:
        with pytest.raises(ValueError, match="must be True or False"):
            calibrator.fit(SCORES, LABELS)


def test_where_nothing_can_be_kept_one_warning_says_what_to_do(tmp_path):
    """A read-only installation without a home: files where numba wants folders stop root, too."""
    cached = shutil.ignore_patterns("__pycache__")
    for package in (calib, calibkit):
        folder = tmp_path / package.__name__
        shutil.copytree(Path(package.__file__).parent, folder, ignore=cached)
    (tmp_path / "calib/kernels/__pycache__").touch()
    (tmp_path / "home").touch()
    homes = dict.fromkeys(["HOME", "XDG_CACHE_HOME", "LOCALAPPDATA"], str(tmp_path / "home"))
    left_out = {"NUMBA_DISABLE_JIT", "NUMBA_CACHE_DIR", "PYTHONWARNINGS"}
    environment = {k: v for k, v in os.environ.items() if k not in left_out} | homes
    program = """if True:
        import numpy
        from calib import VennAbers  # of many kernels; one is called
        from calibkit.prediction_intervals.interval_sums import sum_tree
        print(sum_tree(numpy.ones(2)))
    """

    def run(**more):
        return subprocess.run(
            [sys.executable, "-c", program],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            env=environment | more,
        )

    said = run()
    assert said.stdout == "[0. 2. 1. 1.]\n", said.stderr
    assert said.stderr.count("Warning") == said.stderr.count("NUMBA_CACHE_DIR") == 1
    done_as_told = run(NUMBA_CACHE_DIR=str(tmp_path / "cache"))
    assert (done_as_told.stdout, done_as_told.stderr) == (said.stdout, "")


@pytest.mark.parametrize("start", [0.3, 1.0, 2.0**52, -0.7, 0.0])
def test_the_nearest_score_is_the_nearest_where_no_number_lies_halfway(start):
    """Neighbouring floats up to three apart, around a power of two or not; exact distances."""
    grid = [start]
    for _ in range(7):
        grid.append(np.nextafter(grid[-1], np.inf))
    for gap in (1, 2, 3):
        left, right = grid[2], grid[2 + gap]
        fitted = DirectIsotonic().fit([left, right], [0, 1])
        exact = [
            float(abs(Fraction(query) - Fraction(right)) < abs(Fraction(query) - Fraction(left)))
            for query in grid
        ]
        assert fitted.predict(grid).tolist() == exact


NORMALISED = np.full(40, 1 / 40)
SAMPLE = np.linspace(0, 1, 40), np.arange(40) % 2
COLUMNS = SAMPLE[0][:, np.newaxis]


@pytest.mark.parametrize(
    "warned, category",
    [
        (lambda: PlattScaling().fit(SAMPLE[0], np.ones(40)), OneClassWarning),
        (
            lambda: HeterogeneousCalibrator().fit(SAMPLE[0], np.ones(40), features=COLUMNS),
            OneClassWarning,
        ),
        (lambda: PlattScaling().fit(*SAMPLE, sample_weight=NORMALISED), UserWarning),
        (lambda: CalibratedClassifier(cv="same").fit(COLUMNS, SAMPLE[1], NORMALISED), UserWarning),
        (lambda: TransductiveVennAbers().fit(COLUMNS, SAMPLE[1], NORMALISED), UserWarning),
        (lambda: AUCSplitTree().fit(COLUMNS, *SAMPLE, NORMALISED), UserWarning),
        (
            lambda: HeterogeneousCalibrator().fit(
                *SAMPLE, sample_weight=NORMALISED, features=COLUMNS
            ),
            UserWarning,
        ),
        (lambda: DirichletProcessCalibrator(max_iter=1).fit(*SAMPLE), ConvergenceWarning),
    ],
)
def test_warnings_point_at_the_line_of_the_caller(warned, category):
    with pytest.warns(category) as found:
        warned()
    assert {warning.filename for warning in found} == {__file__}
    assert {warning.lineno for warning in found} == {warned.__code__.co_firstlineno}
