"""A comparison on counts against the comparison on the rows that they count."""

import json
from unittest import mock

import numpy as np
import pytest
from scipy.special import expit, logit
from scipy.stats import chisquare

from calib import CalibratorCV, IsotonicCalibrator, StackedCalibrator, VennAbers
from calibkit.cli.main import main
from calibkit.comparison import compare
from calibkit.comparison import counts as counts_module
from calibkit.comparison.counts import deal_counts
from calibkit.comparison.cross_validation import ComparedSample
from calibkit.report import make_report

FACTOR = 1.15  # by which the odds of the scores are too small


def counted(n_rows, scores, truth, seed=0):
    """Scores, labels and counts: the rows are drawn at random from the scores."""
    rng = np.random.default_rng(seed)
    rows = rng.multinomial(n_rows, np.full(scores.size, 1 / scores.size))
    positives = rng.binomial(rows, truth)
    both = np.concatenate([scores, scores])
    labels = np.repeat([0, 1], scores.size)
    counts = np.concatenate([rows - positives, positives]).astype(float)
    return both[counts > 0], labels[counts > 0], counts[counts > 0]


def two_decimals(n_rows, seed=0):
    """Over-confident scores of two decimals, as in a file of a hundred different scores."""
    scores = (np.arange(100) + 0.5) / 100
    return counted(n_rows, scores, expit(logit(scores) / 2), seed)


def advertisements(n_rows):
    """Rare clicks at three thousand different scores, whose odds are too small by a factor."""
    scores = expit(np.linspace(-7, -1, 3000))
    return counted(n_rows, scores, expit(logit(scores) + np.log(FACTOR)))


def written_out(scores, labels, counts, seed=0):
    """Scores and labels of the rows that are counted, in a random order."""
    order = np.random.default_rng(seed).permutation(int(counts.sum()))
    copies = counts.astype(int)
    return np.repeat(scores, copies)[order], np.repeat(labels, copies)[order]


def dealt(sample, n_folds=5, n_repeats=1, seed=0):
    """The numbers in the folds, which are drawn as if there were more rows."""
    scores, labels, counts = sample
    columns = ComparedSample(
        scores=scores, labels=labels, weights=counts, groups=None, clusters=None
    )
    with mock.patch.object(counts_module, "MAX_PREDICTED_ROWS", 0):
        return deal_counts(columns, n_folds, n_repeats, seed)


@pytest.mark.parametrize("n_repeats", [1, 3])
def test_every_copy_is_predicted_once_in_a_repeat_and_folds_are_equal(n_repeats):
    sample = two_decimals(1003)
    validation = dealt(sample, n_repeats=n_repeats)
    cells = validation.sample
    assert len(validation.repeats) == n_repeats
    np.testing.assert_array_equal(np.bincount(validation.row_of_cell, cells.weights), sample[2])
    np.testing.assert_array_equal(cells.scores, sample[0][validation.row_of_cell])
    for splits in validation.repeats:
        tests = [test for _, test in splits]
        assert np.array_equal(np.sort(np.concatenate(tests)), np.arange(cells.labels.size))
        for training, test in splits:
            assert np.array_equal(np.union1d(training, test), np.arange(cells.labels.size))
            assert not np.intersect1d(training, test).size
        sizes = [np.bincount(cells.labels[test], cells.weights[test]) for test in tests]
        assert np.ptp(sizes, axis=0).max() <= 1
        assert np.ptp(np.sum(sizes, axis=1)) <= 1


def test_two_repeats_are_dealt_independently():
    """The pairs of folds of the rows have equal frequencies."""
    validation = dealt(two_decimals(50_000), n_repeats=2)
    fold = np.empty((2, validation.sample.labels.size), int)
    for of_repeat, splits in zip(fold, validation.repeats, strict=True):
        for number, (_, test) in enumerate(splits):
            of_repeat[test] = number
    pairs = np.bincount(5 * fold[0] + fold[1], validation.sample.weights)
    assert 1e-3 < chisquare(pairs).pvalue < 1 - 1e-6


def test_the_numbers_in_a_fold_are_hypergeometric():
    sample = (np.array([0.3, 0.6, 0.6]), np.array([0, 0, 1]), np.array([30.0, 70.0, 20.0]))
    drawn = []
    for seed in range(1000):
        validation = dealt(sample, seed=seed)
        test = validation.repeats[0][2][1]
        rows = validation.row_of_cell[test]
        drawn.append(np.bincount(rows, validation.sample.weights[test], minlength=3)[0])
    variance = 20 * 0.3 * 0.7 * 80 / 99  # 20 of 100 negatives, 30 of which have the first score
    assert abs(np.mean(drawn) - 6) < 5 * np.sqrt(variance / 1000)
    assert 0.8 < np.var(drawn) / variance < 1.2


def test_rows_in_the_order_of_the_counts_have_the_same_numbers():
    scores, labels, counts = two_decimals(3000)
    of_counts = compare(scores, labels, sample_weight=counts)
    copies = counts.astype(int)
    of_rows = compare(np.repeat(scores, copies), np.repeat(labels, copies))
    for name, ours in of_counts.results.items():
        assert ours._replace(seconds=0) == of_rows.results[name]._replace(seconds=0)
    assert of_counts.recommendation == of_rows.recommendation


def gains(found):
    return {name: one.log_gain for name, one in found.results.items() if one.log_gain is not None}


@pytest.mark.parametrize("most_written_out", [100_000, 0])
def test_gains_and_their_errors_are_those_of_the_rows(monkeypatch, most_written_out):
    monkeypatch.setattr(counts_module, "MAX_PREDICTED_ROWS", most_written_out)
    sample = two_decimals(15_000)
    scores, labels, counts = sample
    of_counts = compare(scores, labels, sample_weight=counts)
    of_rows = compare(*written_out(*sample))
    assert of_counts.chosen == of_rows.chosen
    assert of_counts.n_repeats == of_rows.n_repeats == 3
    for name, gain in gains(of_counts).items():
        other = gains(of_rows)[name]
        assert gain.estimate == pytest.approx(other.estimate, abs=0.0007)  # chance of the folds
        assert gain.error == pytest.approx(other.error, rel=0.05)
    raw, other = of_counts.results["Raw"], of_rows.results["Raw"]
    assert raw.log_loss == pytest.approx(other.log_loss, rel=1e-12)
    assert raw.miscalibration == pytest.approx(other.miscalibration, rel=1e-9)
    assert raw.auc == pytest.approx(other.auc, abs=1e-3)  # over pairs of rows of one fold


def test_predictions_are_means_over_the_copies():
    scores, labels, counts = two_decimals(2000)
    scores, labels = np.append(scores, 0.5), np.append(labels, 1)
    found = compare(
        scores, labels, [IsotonicCalibrator()], sample_weight=np.append(counts, 0.0), n_repeats=2
    )
    np.testing.assert_allclose(found.predictions["Raw"][:-1], scores[:-1], rtol=1e-14)
    predicted = found.predictions["IsotonicCalibrator()"]
    assert np.isnan(predicted[-1]) and not np.isnan(predicted[:-1]).any()
    fitted = IsotonicCalibrator().fit(scores[:-1], labels[:-1], sample_weight=counts)
    assert np.abs(predicted[:-1] - fitted.predict(scores[:-1])).max() < 0.2


def test_rows_are_counted_where_too_few_are_refused():
    scores, labels = np.array([0.2, 0.4, 0.6]), np.array([0, 0, 1])
    found = compare(scores, labels, [VennAbers()], sample_weight=[40.0, 30.0, 50.0])
    assert np.isfinite(found.results["VennAbers()"].log_loss)
    with pytest.raises(ValueError, match="labels holds 4 of class 1, fewer than cv=5"):
        compare(scores, labels, [VennAbers()], sample_weight=[40.0, 30.0, 4.0])


def test_fractional_weights_and_clusters_keep_a_row_in_one_fold():
    scores, labels, counts = two_decimals(4000)
    clusters = np.arange(scores.size)
    whole = compare(scores, labels, [VennAbers()], sample_weight=counts, clusters=clusters)
    halves = compare(scores, labels, [VennAbers()], sample_weight=counts / 2 + 0.25)
    rows = compare(*written_out(scores, labels, counts), [VennAbers()])
    apart = gains(rows)["VennAbers()"].estimate - 0.005
    assert gains(whole)["VennAbers()"].estimate < apart
    assert gains(halves)["VennAbers()"].estimate < apart


@pytest.mark.parametrize("n_rows", [10**5, 10**7, 5 * 10**7])
def test_the_default_gains_on_counts_of_any_size(n_rows):
    """The gain on a file of advertisements, of which an odds factor takes nearly all."""
    scores, labels, counts = advertisements(n_rows)
    found = compare(scores, labels, [StackedCalibrator(), VennAbers()], sample_weight=counts)
    truth = expit(logit(scores) + np.log(FACTOR))
    possible = np.average(
        np.where(labels == 1, np.log(truth / scores), np.log((1 - truth) / (1 - scores))),
        weights=counts,
    )
    gain = gains(found)
    default = gain["StackedCalibrator()"]
    assert abs(default.estimate - possible) < 3 * 14 / n_rows + 0.02 * possible
    if n_rows > 10**5:
        assert default.lower > 0 and gain["VennAbers()"].lower > 0
        assert found.results["StackedCalibrator()"].harm == 0


@pytest.mark.parametrize("calibrators", [None, [VennAbers(), IsotonicCalibrator(centred=True)]])
def test_the_average_and_the_choice_learn_from_counts_as_from_rows(calibrators):
    sample = two_decimals(3000)
    scores, labels, counts = sample
    rows = written_out(*sample)
    kinds = [StackedCalibrator(calibrators)]
    kinds += [CalibratorCV(calibrators)] if calibrators else []
    for calibrator in kinds:
        of_counts = calibrator.fit(scores, labels, sample_weight=counts).predict(scores)
        np.testing.assert_allclose(of_counts, calibrator.fit(*rows).predict(scores), atol=1e-9)


def test_reports_on_counts_and_on_rows_agree():
    sample = two_decimals(15_000)
    scores, labels, counts = sample
    of_counts = make_report(scores, labels, sample_weight=counts)
    of_rows = make_report(*written_out(*sample))
    assert of_counts.comparison.rows == of_rows.comparison.rows == 15_000
    for ours, theirs in zip(of_counts.comparison.methods, of_rows.comparison.methods, strict=True):
        assert ours.name == theirs.name
        if ours.gain is not None:
            assert ours.gain == pytest.approx(theirs.gain, abs=0.0007)
            assert ours.lower == pytest.approx(theirs.lower, abs=0.001)
    assert of_counts.verdict.sentence == of_rows.verdict.sentence


def test_a_report_on_very_many_rows_draws_some_of_those_that_are_counted():
    scores = (np.arange(15_000) + 0.5) / 15_000
    sample = counted(200_000, scores, scores)
    assert sample[0].size > 20_000
    made = make_report(*sample[:2], sample_weight=sample[2])
    assert made.comparison.rows == 20_000
    raw = next(one for one in made.comparison.methods if one.name == "Raw")
    assert raw.log_loss == pytest.approx(0.5, abs=0.01)  # expected of uniform scores that are right


def test_the_command_compares_counts_as_rows(tmp_path, capsys):
    scores, labels, counts = two_decimals(15_000)
    lines = [f"{s},{y},{int(w)}" for s, y, w in zip(scores, labels, counts, strict=True)]
    path = tmp_path / "counts.csv"
    path.write_text("\n".join(["s,y,n", *lines]) + "\n", encoding="utf-8")
    arguments = [str(path), "--score", "s", "--label", "y", "--weight", "n"]
    assert main(["compare", *arguments, "--json"]) == 0
    printed = {one["method"]: one for one in json.loads(capsys.readouterr().out)["methods"]}
    for name, gain in gains(compare(scores, labels, sample_weight=counts)).items():
        assert printed[name]["log_gain"] == pytest.approx(gain.estimate, rel=1e-9)
