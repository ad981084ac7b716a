"""The cross-fitted calibration error, and its split by direction."""

import numpy as np
import pytest

from calib import PlattScaling
from calibkit.comparison import cross_fitted_error


def draw(curve, n=4000, seed=0):
    rng = np.random.default_rng(seed)
    p = rng.random(n)
    return rng.random(n) < curve(p), p


@pytest.mark.parametrize(
    "curve, part",
    [
        (lambda p: 0.25 + 0.5 * p, "over_confident"),
        (lambda p: np.where(p < 0.5, p / 2, (1 + p) / 2), "under_confident"),
    ],
)
def test_the_error_is_near_the_true_one_and_in_the_right_part(curve, part):
    labels, p = draw(curve)
    found = cross_fitted_error(labels, p)
    truth = np.abs(curve(p) - p).mean()
    assert found.error.lower <= truth <= found.error.upper
    other = {"over_confident", "under_confident"} - {part}
    assert getattr(found, part).estimate > 10 * abs(getattr(found, other.pop()).estimate)


def test_the_parts_add_up():
    found = cross_fitted_error(*draw(np.sqrt))
    parts = found.over_confident.estimate + found.under_confident.estimate
    assert parts == pytest.approx(found.error.estimate)
    assert min(found.over_confident.estimate, found.under_confident.estimate) > 0.01


def test_calibrated_predictions_have_the_error_0_in_the_mean():
    each = [cross_fitted_error(*draw(lambda p: p, 400, seed)).error for seed in range(60)]
    estimates = [interval.estimate for interval in each]
    assert abs(np.mean(estimates)) < 3 * np.std(estimates) / np.sqrt(60)
    assert np.mean([interval.lower > 0 for interval in each]) < 0.12


def test_the_order_of_the_rows_and_the_calibrator():
    labels, p = draw(np.square, 300)
    order = np.random.default_rng(1).permutation(300)
    found = cross_fitted_error(labels, p, calibrator=PlattScaling(), n_folds=3)
    again = cross_fitted_error(labels[order], p[order], calibrator=PlattScaling(), n_folds=3)
    np.testing.assert_allclose(np.ravel(found), np.ravel(again))


def test_more_folds_than_rows_of_a_class():
    with pytest.raises(ValueError, match="n_folds must be at most 1, the rows of the rarer class"):
        cross_fitted_error([0, 0, 0, 1], [0.1, 0.2, 0.3, 0.4])
