"""Grouped rows in the place of rows: `fit_counts` of every calibrator, and what takes weights."""

import numpy as np
import pytest
from sklearn.base import clone
from test_contract import CALIBRATORS

import calib
from calib import HistogramBinning, NearIsotonicPath, rows_of_counts
from calib import metrics as m
from calibkit import inference
from calibkit.groups import MondrianVennAbers


def grouped(seed=0, size=400):
    """Scores, positives and counts of groups, and the same as rows in another order."""
    rng = np.random.default_rng(seed)
    rows = np.round(rng.random(size), 2)
    labels = (rng.random(size) < rows**2).astype(int)
    scores, of = np.unique(rows, return_inverse=True)
    return (scores, np.bincount(of, labels), np.bincount(of)), (rows, labels)


@pytest.mark.parametrize("calibrator", CALIBRATORS, ids=str)
@pytest.mark.parametrize("seed", [0, 1])
def test_counts_teach_what_the_rows_teach(calibrator, seed):
    counts, rows = grouped(seed)
    grid = np.linspace(0, 1, 101)
    expected = clone(calibrator).fit(*rows).predict(grid)
    np.testing.assert_allclose(
        clone(calibrator).fit_counts(*counts).predict(grid), expected, rtol=0, atol=1e-9
    )


def test_ties_are_pooled_to_the_last_bit():
    counts, rows = grouped()
    for calibrator in [calib.IsotonicCalibrator(), calib.VennAbers(), HistogramBinning()]:
        expected = clone(calibrator).fit(*rows).map_
        np.testing.assert_array_equal(
            clone(calibrator).fit_counts(*counts).map_.probabilities, expected.probabilities
        )
    path = NearIsotonicPath().fit_counts(*counts)
    np.testing.assert_array_equal(path.scores_, NearIsotonicPath().fit(*rows).scores_)


def test_counts_of_groups():
    (scores, positives, counts), (rows, labels) = grouped()
    of_rows, of_counts = np.where(rows > 0.3, "a", "b"), np.where(scores > 0.3, "a", "b")
    model = MondrianVennAbers().fit_counts(scores, positives, counts, groups=of_counts)
    expected = MondrianVennAbers().fit(rows, labels, groups=of_rows)
    np.testing.assert_array_equal(
        model.predict(scores, groups=of_counts), expected.predict(scores, groups=of_counts)
    )


MEASURES = [
    m.brier_score_loss,
    m.log_loss,
    m.expected_calibration_error,
    m.maximum_calibration_error,
    m.roc_auc_score,
    inference.kuiper_error,
    inference.smooth_calibration_error,
    inference.debiased_squared_error,
    inference.integrated_calibration_index,
    lambda y, p, **w: m.score_decomposition(y, p, **w).miscalibration,
    lambda y, p, **w: inference.kuiper_test(y, p, **w).p_value,
    lambda y, p, **w: inference.spiegelhalter_test(y, p, **w).statistic,
    lambda y, p, **w: inference.hosmer_lemeshow_test(y, p, **w).statistic,
    lambda y, p, **w: inference.auc_interval(y, p, **w),
    lambda y, p, **w: m.reliability_curve(y, p, **w).totals,
    inference.curve_distances,
    inference.curve_distance_intervals,
    lambda y, p, **w: inference.loess_curve(y, p, at=[0.3, 0.6], **w),
    inference.brier_skill_interval,
]


@pytest.mark.parametrize("measure", range(len(MEASURES)))
def test_measures_tests_and_intervals_of_counts(measure):
    measure = MEASURES[measure]
    counts, (rows, labels) = grouped()
    scores, outcomes, weights = rows_of_counts(*counts)
    expected = measure(labels, rows)
    found = measure(outcomes, scores, sample_weight=weights)
    np.testing.assert_allclose(np.ravel(found), np.ravel(expected), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize(
    ("positives", "counts", "message"),
    [
        ([1, 3], [2, 2], r"positives must be from 0 to counts; found 3 of 2 at row 1"),
        ([-1, 1], [2, 2], r"positives must be from 0 to counts; found -1 of 2 at row 0"),
        ([1], [2, 2], r"positives has 1 rows but scores has 2"),
        ([1, 1], [2, 2, 2], r"counts has 3 rows but scores has 2"),
        ([0, 0], [0, 0], r"counts is zero in every row"),
        ([0, 1], [2, -1], r"counts must not be negative"),
        ([0, np.nan], [2, 2], r"positives must be finite"),
    ],
)
def test_counts_that_are_none(positives, counts, message):
    with pytest.raises(ValueError, match=message):
        rows_of_counts([0.2, 0.7], positives, counts)


def test_one_class_of_counts_warns_as_rows_do():
    with pytest.warns(calib.OneClassWarning):
        HistogramBinning().fit_counts([0.2, 0.7], [0, 0], [2, 3])
