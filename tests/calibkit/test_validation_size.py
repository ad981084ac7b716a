"""How many rows a validation needs, beside another program and beside simulations."""

import numpy as np
import pytest
from scipy.special import expit, ndtri

from calib.metrics import roc_auc_score
from calibkit.inference import recalibration_line, rows_for_validation

# Mean and standard deviation of normal logits. The sizes are those of pmvalsampsize 0.2.1 for the
# same distribution, whose mean risk and AUC were computed by integration.
THEIRS = {
    (-1.75, 1.47): (1374, 2405, 410),
    (-2.6, 0.8): (4028, 9009, 1278),
    (0.3, 0.5): (290, 7410, 478),
}


def risks(mean, deviation, n_rows=20_000):
    """Risks with normal logits, evenly spaced in probability."""
    return expit(mean + deviation * ndtri((np.arange(n_rows) + 0.5) / n_rows))


@pytest.mark.parametrize("law", THEIRS)
def test_sizes_are_those_of_another_program(law):
    ratio, slope, auc = THEIRS[law]
    ours = rows_for_validation(risks(*law))
    assert ours.auc == auc
    assert ours.slope == pytest.approx(slope, rel=0.003)  # theirs draws the logits
    assert ours.observed_over_expected == pytest.approx(ratio, rel=0.006)  # theirs rounds an error


def test_limits_of_so_many_rows_have_the_width():
    rng = np.random.default_rng(0)
    law = (-1.0, 1.2)
    wanted = rows_for_validation(risks(*law), slope_width=0.4, auc_width=0.12, ratio_width=0.4)
    slopes = []
    areas = []
    ratios = []
    for _ in range(400):
        slopes.append(_drawn(rng, law, wanted.slope, _slope))
        areas.append(_drawn(rng, law, wanted.auc, roc_auc_score))
        ratios.append(_drawn(rng, law, wanted.observed_over_expected, _log_ratio))
    assert 2 * 1.96 * np.std(slopes) == pytest.approx(0.4, rel=0.12)
    assert 2 * 1.96 * np.std(areas) == pytest.approx(0.12, rel=0.12)
    assert 2 * np.sinh(1.96 * np.std(ratios)) == pytest.approx(0.4, rel=0.12)


def _drawn(rng, law, n_rows, measure):
    predicted = expit(rng.normal(*law, n_rows))
    return measure(rng.random(n_rows) < predicted, predicted)


def _slope(labels, predicted):
    return recalibration_line(labels, predicted).slope


def _log_ratio(labels, predicted):
    """Log of observed over the mean risk of the law, which the formula holds fixed."""
    return np.log(labels.mean() / risks(-1.0, 1.2).mean())


def test_counts_stand_for_rows():
    predicted = np.array([0.05, 0.2, 0.4, 0.7])
    counts = np.array([5, 3, 2, 1])
    by_counts = rows_for_validation(predicted, sample_weight=counts)
    assert by_counts == rows_for_validation(np.repeat(predicted, counts))


def test_predictions_of_zero_and_one_say_nothing_about_the_slope():
    inside = rows_for_validation([0.2, 0.6])
    twice = rows_for_validation([0.2, 0.6, 0, 1])
    assert twice.slope == pytest.approx(2 * inside.slope, abs=1)


@pytest.mark.parametrize("predicted", [[0.3, 0.3], [0, 1], [0, 0.5]])
def test_without_a_slope_there_is_an_error(predicted):
    with pytest.raises(ValueError, match="two different values inside"):
        rows_for_validation(predicted)


@pytest.mark.parametrize("name", ["ratio_width", "slope_width", "auc_width"])
def test_widths_are_positive(name):
    with pytest.raises(ValueError, match=name):
        rows_for_validation([0.2, 0.6], **{name: 0})


def test_narrower_limits_need_more_rows():
    predicted = expit(np.linspace(-3, 1, 50))
    assert np.all(
        np.array(rows_for_validation(predicted, slope_width=0.1, auc_width=0.05, ratio_width=0.1))
        > np.array(rows_for_validation(predicted))
    )
