"""Reports on scores: their numbers, verdicts, warnings and pages."""

import json
import re
import sys
from dataclasses import asdict
from html import escape
from types import SimpleNamespace
from xml.etree import ElementTree

import numpy as np
import pytest
from scipy.special import expit, logit
from scipy.stats import binom, binomtest

import calib
from calib.metrics import (
    corp_curve,
    expected_calibration_error,
    log_loss,
    reliability_curve,
    score_decomposition,
)
from calibkit.cli import main
from calibkit.comparison import DEFAULTS, compare
from calibkit.comparison.guide import advice_to_calibrate
from calibkit.inference import (
    auc_interval,
    binomial_limits,
    calibration_test,
    confidence_band,
    decision_curve,
    decision_gains,
    detectable_bias,
    integrated_calibration_index,
    kuiper_error,
    kuiper_interval,
    kuiper_test,
    recalibration_line,
    risk_controlled_thresholds,
    smooth_ece,
    spiegelhalter_test,
)
from calibkit.report import make_report
from calibkit.report import svg as drawing
from calibkit.report.calibrators import compared
from calibkit.report.input import cautions_of, clean, described, marks_of_missing
from calibkit.report.measures import (
    _neighbour_blocks,
    curve_of,
    decisions_of,
    estimates,
    flat_ends,
    groups_of,
    place_of,
    reliability_bins,
    simulated,
    verdict_p_values,
)
from calibkit.report.numbers_in_words import listed, number, percent, points
from calibkit.report.records import Caution, Escape, Estimate, Group, ScoreRange, Verdict
from calibkit.report.sentences import (
    FIT_IN_PYTHON,
    NEARER,
    NO_VERDICT_REASONS,
    QUESTIONS,
    UNSURE,
    WITHHELD_ADVICE,
    advise,
)
from calibkit.report.verdict import (
    ASKED,
    LEVEL,
    NO_VERDICT,
    WITHHELD,
    Advice,
    Deviation,
    Doubt,
    Finding,
    Spread,
    advice_of,
    deviation_of,
    judgement_of,
    outcome_of,
)


def drawn(n=300, seed=0, slope=1.0, decimals=None):
    """Scores whose true probabilities have log-odds smaller by the factor `slope`; outcomes."""
    rng = np.random.default_rng(seed)
    truth = rng.beta(1, 2, n)
    scores = expit(slope * logit(truth))
    return (scores if decimals is None else scores.round(decimals)), rng.random(n) < truth


def by_key(report):
    return {estimate.key: estimate for estimate in report.measures}


@pytest.fixture
def no_comparison(monkeypatch):
    """Reports without the comparison of calibrators, which takes longest."""
    monkeypatch.setattr("calibkit.report.calibrators.compared", lambda *_: None)


@pytest.fixture
def no_chance(monkeypatch, no_comparison):
    """Nor with many draws."""
    monkeypatch.setattr("calibkit.report.measures.N_DRAWS", 1)
    monkeypatch.setattr("calibkit.report.measures.MIN_VERDICT_DRAWS", 99)


@pytest.fixture(scope="module")
def report():
    scores, labels = drawn(slope=2.5)
    groups = np.where(np.arange(300) % 3 == 0, "<script>alert(1)</script>", "b & b")
    return make_report(
        scores, labels, groups=groups, name="<script>", notes=["<b>2</b> rows dropped"]
    )


def test_measures_are_those_of_the_package():
    scores, labels = drawn(slope=2.5)
    sample, _ = clean(scores, labels, None, None)
    found = {e.key: e for e in estimates(sample, described(sample, 0), simulated(sample, 0))}
    parts = score_decomposition(labels, scores)
    area = auc_interval(labels, scores)
    line = recalibration_line(labels, scores)
    expected = {
        "mean_prediction": scores.mean(),
        "observed_rate": labels.mean(),
        "bias": np.mean(labels - scores),
        "observed_over_expected": labels.sum() / scores.sum(),
        "log_loss": log_loss(labels, scores),
        "brier": parts.score,
        "miscalibration": parts.miscalibration,
        "discrimination": parts.discrimination,
        "uncertainty": parts.uncertainty,
        "brier_skill": (parts.discrimination - parts.miscalibration) / parts.uncertainty,
        "auc": area.estimate,
        "kuiper_error": kuiper_error(labels, scores),
        "ece": expected_calibration_error(labels, scores),
        "smooth_ece": smooth_ece(labels, scores),
        "ici": integrated_calibration_index(labels, scores),
        "slope": line.slope,
        "intercept": line.intercept,
        "in_the_large": line.in_the_large,
    }
    assert {key: e.value for key, e in found.items()} == pytest.approx(expected, abs=1e-12)
    assert (found["auc"].lower, found["auc"].upper) == (area.lower, area.upper)
    ratio = found["observed_over_expected"]
    exact = binomtest(int(labels.sum()), labels.size).proportion_ci(method="exact")
    assert [ratio.lower, ratio.upper] == pytest.approx(np.array(exact) / scores.mean())
    limits = kuiper_interval(labels, scores)
    assert (found["kuiper_error"].lower, found["kuiper_error"].upper) == limits[1:3]


def test_tests_and_chance_are_those_of_the_package(report):
    scores, labels = drawn(slope=2.5)
    found = by_key(report)
    assert report.tests[0].p_value == kuiper_test(labels, scores).p_value
    assert report.tests[-1].p_value == spiegelhalter_test(labels, scores).p_value
    by_chance = calibration_test(
        labels,
        scores,
        statistic=["kuiper", "miscalibration", "ece", "smooth_ece"],
        n_resamples=99,
    )
    assert found["kuiper_error"].by_chance == by_chance["kuiper"].by_chance()
    assert found["miscalibration"].by_chance == by_chance["miscalibration"].by_chance()
    assert found["smooth_ece"].by_chance == by_chance["smooth_ece"].by_chance()
    assert found["ece"].by_chance == by_chance["ece"].by_chance()
    assert found["ece"].floor == np.mean(by_chance["ece"].draws)


def test_the_floor_of_the_ece_is_what_a_perfect_model_has():
    """In a bin of n rows with the prediction 1/2 the mean distance is that of a binomial count."""
    n = 40
    p = np.full(n, 0.5)
    k = np.arange(n + 1)
    exact = binom.pmf(k, n, 0.5) @ np.abs(k / n - 0.5)
    found = calibration_test(np.arange(n) % 2, p, statistic="ece", n_resamples=20_000)
    assert found["ece"].floor() == pytest.approx(exact, rel=0.02)


@pytest.mark.parametrize(("options", "seed"), [({}, 0), ({"random_state": 7}, 7)])
def test_one_seed_draws_chance_and_folds(monkeypatch, options, seed):
    seeds = []

    def seen(sample, seed):
        seeds.append(seed)
        return simulated(sample, seed)

    monkeypatch.setattr("calibkit.report.measures.simulated", seen)
    monkeypatch.setattr("calibkit.report.calibrators.compared", lambda _, seed: seeds.append(seed))
    make_report(*drawn(60), **options)
    assert seeds == [seed, seed]


def written_after(page, head):
    """The number that stands on the page after these characters."""
    assert head in page
    cell = page[page.index(head) + len(head) :]
    return float(cell[: cell.index("<")].replace("\N{MINUS SIGN}", "-"))


def test_the_page_shows_these_numbers(report):
    page = report.to_html()
    for estimate in report.measures:
        head = f'<th scope="row">{estimate.name}</th><td>'.replace("'", "&#x27;")
        assert written_after(page, head) == pytest.approx(estimate.value, abs=6e-4)
    for group in report.groups:
        assert f"<td>{number(group.bias)}</td>" in page
    for method in report.comparison.methods:
        rows = re.findall(f'<th scope="row">{re.escape(method.name)}</th>(.*?)</tr>', page)
        cells = [re.findall("<td>(.*?)</td>", row) for row in rows]
        assert any(len(found) == 9 and number(method.brier)[:5] in found[1] for found in cells)
    assert report.comparison.recommendation == report.advice[0] in page
    for method in report.comparison.methods:
        assert f"<td>{method.fit}</td>" in page
    for text in [report.verdict.sentence, *report.verdict.details, *report.advice]:
        assert escape(text) in page


def test_names_and_notes_are_escaped_and_nothing_is_loaded(report):
    page = report.to_html()
    assert "<script" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "&lt;b&gt;2&lt;/b&gt; rows dropped" in page
    assert not re.findall(r"https?:|\bsrc=|<link|@import|url\((?!#)|href=\"(?!#)", page)
    assert len(re.findall(r'<svg [^>]*role="img"', page)) == 4
    names = re.findall(r'\bid="([^"]*)"', page)
    assert len(names) == len(set(names))


def test_json_holds_the_same(report):
    text = report.to_json()
    assert text.startswith('{\n  "name": "<script>",\n  "version"')
    read = json.loads(text)
    assert read == json.loads(json.dumps(asdict(report)))
    assert read["verdict"]["outcome"] == "miscalibrated"
    assert read["measures"][0]["value"] == report.measures[0].value


@pytest.mark.slow
def test_the_level_of_the_verdict_and_its_power(no_chance):
    outcomes = {"calibrated": [], "distorted": []}
    for seed in range(400):
        for name, slope in (("calibrated", 1), ("distorted", 1.5)):
            sample, _ = clean(*drawn(2000, seed, slope), None, None)
            outcomes[name].append(
                outcome_of(described(sample, 0), verdict_p_values(sample, seed))[0]
            )
    rejected = np.mean(np.array(outcomes["calibrated"]) == "miscalibrated")
    assert abs(rejected - 0.05) < 3 * np.sqrt(0.05 * 0.95 / 400)
    assert set(outcomes["calibrated"]) == {"no evidence", "miscalibrated"}
    assert outcomes["distorted"].count("miscalibrated") > 390


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        ((0.5, 0.25, 0.125, 0.375), (0.25, 0.125, 0.375, False, True, True)),
        ((0.25, 0.5, 0.375, 0.75), (0.25, 0.125, 0.5, False, False, True)),
        ((0.25, 0.5, 0.125, 0.75), (0.25, -0.125, 0.5, False, False, False)),
        ((0.03125, 0.015625, 0.0078125, 0.0625), (2, 0.5, 4, True, True, False)),
        ((0.03125, 0.0, 0.0, 0.015625), (0.03125, 0.015625, 0.03125, False, True, True)),
    ],
)
def test_an_error_is_a_difference_or_of_rare_classes_a_ratio(error, expected):
    assert deviation_of(*error) == Deviation(*expected)


@pytest.mark.parametrize(
    ("bias", "slope", "is_small", "is_biased", "spread"),
    [
        ((-0.1, 0.1), (0.5, 1.5), False, False, None),
        ((0.1, 0.2), (0.5, 0.9), False, True, Spread.TOO_EXTREME),
        ((-0.2, -0.1), (1.1, 1.5), True, True, Spread.TOO_TIMID),
        ((None, None), (-2.0, -1.0), True, False, Spread.REVERSED),
        ((None, None), (None, None), True, False, None),
    ],
)
def test_a_verdict_states_what_limits_exclude(bias, slope, is_small, is_biased, spread):
    sample, _ = clean(*drawn(), None, None)
    data = described(sample, 0)
    place = place_of(sample, None)
    measures = [
        Estimate(key, key, None if low is None else (low + high) / 2, low, high)
        for key, (low, high) in {
            "bias": bias,
            "slope": slope,
            "kuiper_error": (0.0, 0.001 if is_small else 0.1),
        }.items()
    ]
    calm = SimpleNamespace(crosses=False, holds_diagonal=True)
    tests = [SimpleNamespace(p_value=0.5)]
    wrong = Finding("miscalibrated", 0.01, (), place)
    found = judgement_of(sample, data, wrong, measures, tests, (), calm)
    assert (found.is_small, found.bias is not None, found.spread) == (is_small, is_biased, spread)
    assert found.worst == deviation_of(place.predicted, place.observed, place.lower, place.upper)
    of_a_group = judgement_of(sample, data, wrong._replace(groups=(0,)), measures, tests, (), calm)
    assert (of_a_group.is_small, of_a_group.bias, of_a_group.spread) == (False, None, None)
    right = judgement_of(sample, data, Finding("no evidence", 0.5), measures, tests, (), calm)
    expected = {Doubt.BIAS: is_biased, Doubt.SLOPE: spread is not None}
    assert right.doubts == tuple(doubt for doubt, raised in expected.items() if raised)


@pytest.mark.parametrize("kind", [*NO_VERDICT, None])
def test_without_a_test_there_is_no_judgement(kind):
    sample, _ = clean(*drawn(50), None, None)
    cautions = () if kind is None else (Caution("ties", ""), Caution(kind, ""))
    found = judgement_of(
        sample, described(sample, 0), Finding("cannot say"), (), (), cautions, None
    )
    assert found == (Finding("cannot say"), kind, None, (), False, None, None, None)


def test_every_reason_to_say_nothing_has_its_words():
    assert tuple(NO_VERDICT_REASONS) == NO_VERDICT and tuple(WITHHELD_ADVICE) == WITHHELD
    assert tuple(QUESTIONS) == ASKED


@pytest.mark.parametrize("probabilities", [True, False])
@pytest.mark.parametrize(
    ("positives", "kinds", "advice"),
    [
        (50, [], Advice.CALIBRATE),
        (1, ["few of a class", "ties", "drift of calibration"], Advice.CALIBRATE),
        (50, ["training rows"], Advice.CALIBRATE),
        (0, ["one class"], Advice.COLLECT),
        (100, ["one class"], Advice.COLLECT),
        (50, ["ties", "duplicated rows"], Advice.WITHHOLD),
        (50, ["reversed scores"], (Advice.CALIBRATE, Advice.WITHHOLD)),
    ],
)
def test_the_default_is_advised_unless_rows_are_not_fit(positives, kinds, advice, probabilities):
    data = SimpleNamespace(probabilities=probabilities, positives=positives, total=100)
    cautions = tuple(Caution(kind, "") for kind in kinds)
    found = advice_of(data, cautions)
    assert found is (advice[probabilities] if isinstance(advice, tuple) else advice)


def test_verdicts_in_words(no_chance):
    calibrated = make_report(*drawn(800)).verdict
    assert calibrated.outcome == "no evidence" and len(calibrated.details) == 1
    assert calibrated.sentence.startswith("No evidence of miscalibration in 800 rows with ")
    assert f"off by {points(calibrated.detectable)} percentage points" in calibrated.details[0]
    extreme = make_report(*drawn(800, slope=2)).verdict
    assert extreme.outcome == "miscalibrated"
    assert "too extreme (slope 0." in extreme.sentence
    scores, labels = drawn(800)
    high = make_report(np.sqrt(scores), labels).verdict
    assert re.search(r"points too high \(.*\) on average", high.sentence)
    timid = make_report(expit(logit(scores) / 3), labels).verdict
    assert "too timid (slope " in timid.sentence
    contradicted = np.append(np.sqrt(scores), np.zeros(3))
    both = make_report(contradicted, np.append(labels, np.ones(3))).verdict
    assert re.search(r"too high \(.*\) on average.*; 3 outcomes had been given", both.sentence)
    reverse = make_report(1 - scores, labels).verdict
    assert "in reverse order (slope \N{MINUS SIGN}" in reverse.sentence
    certain = make_report(np.arange(30) % 2, np.arange(30) % 2).verdict
    assert "0.0" not in certain.details[1] and "refuted by the first one" in certain.details[1]


def test_twenty_of_a_class_have_a_slope_and_no_bias_is_said_that_may_be_none(no_chance):
    labels = np.repeat([0, 1, 0, 1], [14, 6, 6, 14])
    verdict = make_report(np.repeat([0.05, 0.95], 20), labels).verdict
    assert re.search(
        r"p = 0.0\d\d\): predictions are too extreme \(slope 0\.\d\d", verdict.sentence
    )


@pytest.mark.parametrize(
    ("labels", "words"),
    [
        ([0, 1] * 5, "5 positives among 10 rows are"),
        ([0, 1, 1, 1], "1 negative among 4 rows is"),
    ],
)
def test_the_rarer_class_is_too_few(no_chance, labels, words):
    verdict = make_report(np.full(len(labels), 0.5), labels).verdict
    assert verdict.sentence == f"Cannot say: {words} too few to judge calibration."


@pytest.mark.parametrize(
    ("bias", "words"),
    [
        (0.0, "refuted by the first"),
        (0.05, "off by 5.0 percentage points, the test would find it with a probability of 80"),
        (1.0, "every bias can escape"),
    ],
)
def test_what_can_escape_the_test(no_chance, monkeypatch, bias, words):
    monkeypatch.setattr("calibkit.report.verdict.detectable_bias", lambda *_, **__: bias)
    assert words in make_report(*drawn(100)).verdict.details[0]


def said(outcome, p_value=0.5, **more):
    return Verdict(outcome, "", (), p_value, **more)


@pytest.mark.parametrize(
    ("verdict", "little"),
    [
        (said("no evidence"), "Expect little: the test of the verdict finds no error to correct. "),
        (said("cannot say"), "Expect little: there are few positives. "),
        (said("cannot say", None), None),
        (said("miscalibrated", 0.01), None),
    ],
)
@pytest.mark.parametrize("recommendation", ["Calibrate with the default: why.", None])
def test_one_line_of_advice_whatever_the_verdict(verdict, little, recommendation):
    data = described(clean(drawn(50)[0], np.arange(50) < 7, None, None)[0], 0)
    comparison = recommendation and SimpleNamespace(recommendation=recommendation)
    line, how, *others = advise(data, verdict, (), comparison, "calib fit a.csv -o map.json")
    assert line == (recommendation or advice_to_calibrate(None, "log", "Raw"))
    assert line.startswith("Calibrate with the default")
    assert "was not trained on: calib fit a.csv -o map.json, or in Python: calib.Stacked" in how
    expected = [little] if little else []
    assert [text.partition("StackedC")[0] for text in others if "Expect" in text] == expected
    assert any(text.startswith("Collect more rows: with about ") for text in others)


def test_the_python_line_of_the_advice_runs():
    scores, labels = drawn(100)
    assert eval(FIT_IN_PYTHON, {"calib": calib, "scores": scores, "labels": labels}).weights_.size
    assert 0 < eval(NEARER, vars(calib)).trust < 1


@pytest.mark.parametrize("kind", WITHHELD)
def test_a_file_that_is_not_what_it_says_gets_no_calibrator(kind):
    data = described(clean(*drawn(50), None, None)[0], 0)
    comparison = SimpleNamespace(recommendation="Why.")
    found = advise(data, Verdict("miscalibrated", "", ()), (Caution(kind, ""),), comparison)
    assert found == (WITHHELD_ADVICE[kind],) and found[0].startswith("Fit no calibrator")


def test_training_rows_and_copies_get_no_verdict():
    rng = np.random.default_rng(0)
    labels = rng.random(400) < 0.5
    learned = make_report(np.where(labels, 0.9, 0.2) + 0.05 * rng.random(400), labels)
    assert "training rows" in {caution.kind for caution in learned.cautions}
    assert "rows that the classifier learned from" in learned.verdict.sentence
    certain = rng.beta(0.03, 0.03, 4000)  # an AUC of 0.999, and honest
    honest = kinds(certain, rng.random(4000) < certain)
    assert not honest & {"training rows", "duplicated rows"}
    copied = make_report(*(np.repeat(column, 8) for column in drawn(200)))
    assert "stand in the file more than once" in copied.verdict.sentence
    for found in (learned, copied):
        assert found.verdict.outcome == "cannot say"
        assert "run the report again" in found.advice[0]
    assert copied.comparison is None and len(copied.advice) == 1
    assert learned.advice[:2] == (QUESTIONS["training rows"], learned.comparison.recommendation)
    assert not any("Expect little" in text for text in learned.advice)


def test_an_error_where_decisions_are_made_is_found_and_named(no_chance):
    """Scores above 0.8 come true at 0.55: Kuiper's test of all rows finds that in a quarter."""
    found = []
    for seed in range(10):
        rng = np.random.default_rng(seed)
        scores = rng.beta(1, 2, 4000)
        labels = rng.random(4000) < np.where(scores > 0.8, 0.55, scores)
        found.append(make_report(scores, labels).verdict)
    wrong = [verdict for verdict in found if verdict.outcome == "miscalibrated"]
    assert len(wrong) >= 8
    for verdict in wrong:
        place = verdict.place
        assert 0.75 < place.lowest and place.upper < place.predicted
        assert f"{points(place.predicted - place.observed)} percentage points too high" in (
            verdict.sentence
        )


def test_groups_put_together_and_limits_of_a_place():
    scores, labels = drawn(3000, decimals=3)
    weights = np.arange(3000) % 3 + 1
    groups = np.arange(3000) % 7 == 0
    sample, _ = clean(scores, labels, weights, groups)
    blocks = _neighbour_blocks(sample, sample.groups, 50)
    counts = blocks.sample_weight
    assert 4 * 25 < blocks.labels.size <= 4 * 50
    for group in (0, 1):
        here, there = blocks.groups == group, sample.groups == group
        assert counts[here].sum() == weights[there].sum()
        assert counts @ (here * blocks.labels) == weights[there] @ labels[there]
        assert counts @ (here * blocks.probabilities) == pytest.approx(
            weights[there] @ scores[there]
        )
    place = place_of(sample, 1)
    inside = (place.lowest <= scores) & (scores <= place.highest) & groups
    assert place.count == weights[inside].sum()
    assert place.observed == pytest.approx(np.average(labels[inside], weights=weights[inside]))
    alone = binomial_limits(place.observed * place.count, place.count)
    assert place.lower < alone[0] < place.observed < alone[1] < place.upper


def test_limits_that_hold_the_prediction_say_so(no_chance):
    """The test of the verdict is sharper than limits for all ranges and groups."""
    seen = set()
    for seed in range(60):
        scores, labels = drawn(400, seed, slope=1.4)
        verdict = make_report(scores, labels, groups=np.arange(400) % 2).verdict
        if verdict.outcome != "miscalibrated":
            continue
        place = verdict.place
        assert verdict.p_value <= LEVEL and not place.predicted == place.observed
        unsure = place.lower <= place.predicted <= place.upper
        assert verdict.details[0].endswith(UNSURE) == unsure
        assert verdict.sentence.endswith(" on these rows.") == unsure
        seen.add(unsure)
    assert seen == {True, False}


def test_rare_errors_are_told_as_ratios(no_chance):
    rng = np.random.default_rng(0)
    truth = rng.beta(0.5, 49.5, 20_000)
    verdict = make_report(np.minimum(2 * truth, 1), rng.random(20_000) < truth).verdict
    ratio, lower, upper = map(
        float,
        re.search(
            r"are (\S+) times the observed fraction \((\S+) to (\S+)\)", verdict.sentence
        ).groups(),
    )
    assert lower <= 2 <= upper and lower <= ratio <= upper


def test_predictions_of_zero_are_told_by_what_was_seen(no_chance):
    """A ratio of 0 to 3.1 % tells nothing, and a ratio of a millionth hardly more."""
    labels = np.arange(10_000) % 1000 < 31
    sentence = make_report(np.zeros(10_000), labels).verdict.sentence
    assert re.search(
        r"those of 0 had a positive outcome in 3\.1\s% of the rows \(2\.\d\s% to 3\.\d\s%\)",
        sentence,
    )
    assert "times the observed fraction" not in sentence
    sentence = make_report(np.full(10_000, 3e-8), labels).verdict.sentence
    assert "are 3.1 percentage points too low (2." in sentence


def test_limits_of_a_ratio_differ_as_they_are_written(no_chance):
    scores = np.repeat([0.02, 0.03], 2)
    counts = np.array([98_300, 1700, 97_400, 2600]) * 1000
    sentence = make_report(scores, [0, 1, 0, 1], sample_weight=counts).verdict.sentence
    ratios = re.findall(r"(\S+) times the observed fraction \((\S+) to ([^)]+)\)", sentence)
    assert ratios
    for ratio, lower, upper in ratios:
        assert float(lower) < float(ratio) < float(upper)
        assert float(upper) - float(lower) < 0.01
    spread = re.search(r"slope (\S+) to (\S+),", sentence)
    assert spread is None or spread[1] != spread[2]
    page = make_report(scores, [0, 1, 0, 1], sample_weight=counts).to_html()
    loss, lower, upper = re.search(
        r"<th scope=\"row\">Log loss</th><td>([^<]+)</td><td>(\S+) to ([^<]+)</td>", page
    ).groups()
    half = (float(upper) - float(lower)) / 2
    assert 100 <= half * 10 ** len(loss.partition(".")[2]) < 1000  # three digits of the error


def test_the_decomposition_names_its_skill_score(report):
    found = by_key(report)
    skill = 1 - found["brier"].value / found["uncertainty"].value
    assert found["brier_skill"].value == pytest.approx(skill)
    assert "reliability" in found["miscalibration"].note
    assert "resolution" in found["discrimination"].note
    of_one_class = by_key(make_report([0.2, 0.4], [0, 0]))["brier_skill"]
    assert of_one_class.value is None and of_one_class.note.endswith("Needs both classes.")


def test_only_groups_that_are_off_are_named(no_chance):
    scores, labels = drawn(600, seed=1)
    groups = np.repeat(["right", "wrong"], 300)
    scores[300:] = np.sqrt(scores[300:])
    report = make_report(scores, labels, groups=groups)
    assert report.verdict.groups == ("wrong",)
    assert "Miscalibrated in group wrong (p = " in report.verdict.sentence
    assert any(text.startswith("Look into group wrong: a map for") for text in report.advice)


@pytest.mark.parametrize(
    ("n", "positives", "rows", "methods"),
    [
        (40, 20, 40, len(DEFAULTS)),
        (39, 19, 39, 1),
        (39, 5, 39, 1),
        (39, 4, None, None),
        (900, 5, None, None),
        (900, 450, 60, len(DEFAULTS)),
    ],
)
def test_the_comparison_needs_rows_of_each_class_in_each_fold(
    monkeypatch, n, positives, rows, methods
):
    """With fewer than twenty the gain of the default alone is measured."""
    monkeypatch.setattr("calibkit.report.calibrators.MAX_COMPARED_ROWS", 60)
    sample, _ = clean(drawn(n)[0], np.arange(n) < positives, None, None)
    found = compared(sample, 0)
    assert (found and found.rows) == rows
    assert found is None or len(found.methods) == 1 + methods
    if rows == 60:
        assert found.notes[0] == "Compared on 60 rows drawn at random out of 900."


def test_the_report_and_the_comparison_say_the_same():
    scores, labels = drawn(300)
    report = make_report(scores, labels)
    assert report.advice[0] == compare(scores, labels).recommendation
    stacked = report.comparison.methods[1]
    assert f"{abs(stacked.gain):.3g} in log loss" in report.advice[0]
    assert f"(standard error {stacked.error:.2g})" in report.advice[0]


def test_a_certain_and_enormous_error_is_mended_with_few_of_a_class():
    """The scores of naive Bayes of a file, as it was: 12 positives of 200 rows."""
    rng = np.random.default_rng(0)
    scores = np.where(rng.random(200) < 0.9, 1.0, 0.5)
    report = make_report(scores, np.arange(200) % 17 == 0)
    assert report.verdict.outcome == "miscalibrated"
    assert report.advice[0].startswith("Calibrate with the default, StackedCalibrator(): ")
    assert not any("Expect little" in text for text in report.advice)


def test_a_bias_that_is_called_detectable_is_detected(no_chance):
    found = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        scores = rng.uniform(0.2, 0.6, 500)
        bias = 3.34 * np.sqrt(np.mean(scores * (1 - scores)) / 500)
        sample, _ = clean(scores, rng.random(500) < scores + bias, None, None)
        outcome, _ = outcome_of(described(sample, 0), verdict_p_values(sample, seed))
        found += outcome == "miscalibrated"
    assert found / 200 > 0.8 - 2 * np.sqrt(0.16 / 200)
    report = make_report(scores, rng.random(500) < scores)
    assert report.verdict.detectable == pytest.approx(bias, rel=0.01)


def test_few_positives_are_judged_by_simulation_only():
    rng = np.random.default_rng(0)
    scores = rng.uniform(0.01, 0.09, 200)
    few_rows = scores, rng.random(200) < scores
    few = make_report(*few_rows)
    assert few.verdict.outcome == "cannot say"
    assert "positives among 200 rows are too few" in few.verdict.sentence
    assert few.verdict.p_value == min(verdict_p_values(clean(*few_rows, None, None)[0], 0).values())
    assert any("Collect more rows" in text for text in few.advice)
    wrong = make_report(np.full(200, 0.5), np.arange(200) < 4)
    assert wrong.verdict.outcome == "miscalibrated" and wrong.comparison is None
    assert wrong.advice[0] == advice_to_calibrate(None, "log", "Raw")
    lonely = make_report(np.linspace(0.1, 0.9, 50), np.arange(50) == 0).verdict
    assert "too high (" in lonely.sentence and "slope" not in lonely.sentence


def test_fractional_weights_are_those_of_a_sample(no_comparison):
    rng = np.random.default_rng(0)
    scores = rng.random(500)
    labels = rng.random(500) < scores
    weights = rng.uniform(0.2, 3, 500)
    report = make_report(scores, labels, sample_weight=weights)
    (caution,) = [c for c in report.cautions if c.kind == "sampling weights"]
    assert "they are no whole numbers" in caution.text and "each row is one case" in caution.text
    assert report.verdict.outcome == "no evidence"
    wrong = make_report(scores, labels[::-1], sample_weight=weights)
    assert wrong.verdict.outcome == "miscalibrated"


def test_scores_a_hair_beyond_the_ends_are_probabilities(no_comparison):
    rng = np.random.default_rng(0)
    scores = rng.random(300)
    labels = rng.random(300) < scores
    scores[3], scores[7] = 1, 0
    expected = make_report(scores, labels)
    scores[3], scores[7] = np.float32(1.0000001), -1e-9
    with pytest.warns(UserWarning, match="in 2 of 300 rows, first in row 3"):
        found = make_report(scores, labels)
    assert found.verdict == expected.verdict and found.measures == expected.measures
    (caution,) = set(found.cautions) - set(expected.cautions)
    assert caution.text == "2 scores were beyond [0, 1] by rounding, and clipped."


FAR = {
    "-999 beside probabilities": ([-999], 200, lambda p: p, [-999]),
    "-1 beside probabilities": ([-1], 2, lambda p: p, [-1]),
    "-1 and 2 beside probabilities": ([-1, 2], 5, lambda p: p, [-1, 2]),
    "-998 and -999": ([-998, -999], 5, lambda p: p, [-999, -998]),
    "-999 beside margins": ([-999], 20, logit, [-999]),
    "9999 beside a scorecard": ([9999], 20, lambda p: np.round(300 + 550 * p), [9999]),
    "-999 beside percentages": ([-999], 20, lambda p: 100 * p, [-999]),
    "one outlier": ([-999], 1, lambda p: p, []),
    "margins alone": ([], 0, logit, []),
    "a far score that is no whole number": ([-1.5], 3, lambda p: p, []),
    "few others": ([-1], 100, np.rint, []),
    "a tie within the others": ([3], 50, logit, []),
}


@pytest.mark.parametrize(("marks", "rows", "written", "expected"), FAR.values(), ids=FAR)
def test_marks_of_missing_values_are_named(marks, rows, written, expected):
    p = np.random.default_rng(0).random(1000)
    scores = np.append(written(p), np.repeat(marks, rows)).astype(float)
    labels = np.append(p > 0.5, np.arange(len(marks) * rows) % 2 == 0)
    assert marks_of_missing(scores) == expected
    found = kinds(scores, labels)
    assert ("marks of missing values" in found) == bool(expected)
    for mark in expected:
        assert f"{mark:g}" in texts(scores, labels)


def test_marks_of_missing_values_withhold_the_advice():
    rng = np.random.default_rng(0)
    p = rng.random(500)
    labels = rng.random(500) < p
    report = make_report(np.where(rng.random(500) < 0.1, -999, p), labels)
    assert report.comparison is None
    assert report.advice == (
        "Fit no calibrator yet: leave out the rows whose score is a mark for a "
        "missing value, or fill them in, and run the report again.",
    )


@pytest.mark.parametrize(
    ("shift", "expected"),
    [(0, "predicted class"), (-1.6, "predicted class"), (1.6, "high scores"), (-5, None)],
)
def test_scores_of_the_predicted_class_are_no_scores_of_class_1(shift, expected, no_comparison):
    rng = np.random.default_rng(0)
    p = expit(shift + 1.5 * rng.normal(size=2000))
    labels = rng.random(2000) < p
    folded = np.maximum(p, 1 - p)
    both = {"predicted class", "high scores"}
    assert kinds(folded, labels) & both == ({expected} - {None})
    assert not kinds(p, labels) & both
    if expected == "predicted class":
        report = make_report(folded, labels)
        assert "take the score of class 1" in report.advice[0] and report.comparison is None
        assert "reversed scores" not in {caution.kind for caution in report.cautions}


def test_honest_scores_above_one_half_are_not_taken_for_the_predicted_class():
    rng = np.random.default_rng(0)
    p = rng.uniform(0.5, 1, (400, 300))
    labels = rng.random(p.shape) < p
    found = [kinds(*rows) for rows in zip(p, labels, strict=True)]
    assert not any({"predicted class", "high scores"} & kinds_of_file for kinds_of_file in found)


def test_percentages_come_first(no_comparison):
    scores, labels = drawn(400)
    report = make_report(np.round(100 * scores).clip(1, 96), labels)
    assert report.advice[0].startswith("First see whether the scores are percentages.")
    assert "percentages" in {caution.kind for caution in report.cautions}


def test_scorecards_hear_of_minus_the_score():
    scores, labels = drawn(400)
    assert "take minus the score" in texts(np.round(900 - 600 * scores), labels)
    assert "take minus the score" not in texts(1 - scores, labels)


@pytest.mark.slow
def test_limits_of_slope_and_intercepts_hold_for_a_bent_truth():
    keys = ("slope", "intercept", "in_the_large", "bias", "brier", "log_loss")
    found = {key: [] for key in keys}
    for seed in range(80):
        rng = np.random.default_rng(seed)
        scores = rng.beta(2, 3, 400)
        sample, _ = clean(scores, rng.random(400) < 0.1 + 0.7 * scores**3, None, None)
        for estimate in estimates(sample, described(sample, 0), simulated(sample, 0)):
            if estimate.key in keys:
                found[estimate.key].append((estimate.value, estimate.upper - estimate.value))
    for key, pairs in found.items():
        values, reaches = np.transpose(pairs)
        spread = values.std(ddof=1) * 1.96
        assert np.mean(reaches) == pytest.approx(spread, rel=0.24), key  # 3 errors of 80 draws


def test_weights_are_copies(no_comparison):
    scores, labels = drawn(120, decimals=2, slope=1.5)
    rng = np.random.default_rng(1)
    weights = rng.integers(0, 4, 120)
    groups = np.arange(120) % 2
    weighted = make_report(scores, labels, sample_weight=weights, groups=groups)
    copied = make_report(
        *(np.repeat(column, weights) for column in (scores, labels)),
        groups=np.repeat(groups, weights),
    )
    for part in ("measures", "tests", "curve", "bins", "groups", "decisions"):
        one, other = (json.dumps(asdict(r)[part]) for r in (weighted, copied))
        assert _numbers(one) == pytest.approx(_numbers(other), rel=1e-9, abs=1e-9), part
    assert weighted.verdict.sentence == copied.verdict.sentence
    assert weighted.data.total == copied.data.rows
    assert weighted.data.left_out == np.count_nonzero(weights == 0)


def test_weights_of_a_sample_are_no_counts(no_comparison):
    """Ten times the weight for a tenth of the rows, of a calibrated population."""
    rejected = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        scores = rng.beta(0.5, 0.5, 4000)
        labels = (rng.random(4000) < scores).astype(int)
        keep = np.where(scores > 0.5, 1.0, 0.1)
        stays = rng.random(4000) < keep
        found = make_report(scores[stays], labels[stays], sample_weight=1 / keep[stays])
        assert "sampling weights" in {caution.kind for caution in found.cautions}
        rejected.append(found.verdict.outcome == "miscalibrated")
        both, counts = np.unique([scores.round(2), labels], axis=1, return_counts=True)
        sample, _ = clean(both[0], both[1], counts, None)
        assert not sample.sampled and sample.clusters is None
    assert sum(rejected) <= 3  # 18 or so if they were taken for counts


def _numbers(text):
    return [float(found) for found in re.findall(r"-?\d+\.?\d*(?:e-?\d+)?", text)]


def test_margins_get_what_needs_no_probabilities():
    scores, labels = drawn(200)
    report = make_report(logit(scores), labels, groups=np.arange(200) % 2)
    assert report.verdict.outcome == "cannot say"
    assert "no probabilities" in report.verdict.sentence
    assert [estimate.key for estimate in report.measures] == ["auc"]
    assert (report.tests, report.curve, report.bins, report.decisions) == ((), None, (), ())
    assert report.comparison.reference == "Base rate"
    assert " over the base rate (standard error" in report.advice[0]
    assert "<h2" in report.to_html()


@pytest.mark.parametrize(
    ("scores", "labels", "groups"),
    [
        ([0.3], [1], None),
        ([0.3, 0.3], [0, 1], ["a", "b"]),
        ([0.0, 1.0, 0.0], [0, 1, 1], None),
        (np.linspace(0, 1, 50), np.zeros(50), None),
        (np.full(60, 0.5), np.arange(60) % 2, np.arange(60) < 30),
        (np.arange(60) % 2, np.arange(60) % 2, None),
        (np.linspace(0.1, 0.9, 60), np.arange(60) >= 30, np.arange(60) >= 30),
    ],
    ids=["one", "two", "impossible", "one class", "constant", "classes", "group of a class"],
)
def test_odd_samples_give_a_page(no_comparison, scores, labels, groups):
    report = make_report(scores, labels, groups=groups)
    json.loads(report.to_json())
    page = report.to_html()
    assert report.verdict.sentence.replace("<", "&lt;") in page
    assert "nan" not in re.sub(r"<svg.*?</svg>", "", page, flags=re.DOTALL).lower()


def test_what_is_missing_says_why(no_chance):
    separated = make_report(np.linspace(0.1, 0.9, 60), np.arange(60) >= 30)
    assert separated.verdict.outcome == "cannot say"
    assert by_key(separated)["slope"].value is None
    assert "separate the classes" in by_key(separated)["slope"].note
    impossible = make_report([0.0, 1.0, 0.5, 0.0, 1.0] * 20, [0, 1, 0, 1, 0] * 20)
    assert by_key(impossible)["log_loss"].value is None
    assert "no finite log-odds" in by_key(impossible)["slope"].note
    ones = make_report([1.0, 0.5, 0.2, 1.0] * 9, [1, 0, 0, 1] * 9)
    assert "no finite log-odds" in by_key(ones)["slope"].note
    assert impossible.verdict.sentence.endswith("; 40 outcomes had been given probability 0.")
    alone = make_report(np.arange(80) % 2, np.arange(80) // 2 % 2).verdict
    percents = [f"{value}\N{NO-BREAK SPACE}%" for value in ("50.0", "19.9", "80.1")]
    of_zero = (
        "predictions of 0 had a positive outcome in {} of the rows ({} to {}); 40 outcomes had been"
    )
    assert of_zero.format(*percents) in alone.sentence
    assert by_key(make_report([0.2, 0.4], [0, 0]))["auc"].value is None


def test_gains_are_in_the_brier_score_where_raw_log_loss_is_infinite():
    scores, labels = drawn(200, slope=2)
    scores[np.argmax(labels)] = 0.0
    found = make_report(scores, labels)
    compared = found.comparison
    assert compared.gain_in == "brier" and compared.methods[0].log_loss is None
    for method in compared.methods[1:]:
        assert method.gain == pytest.approx(compared.methods[0].brier - method.brier)
    page = found.to_html()
    assert "Gain in Brier score" in page and "infinite loss" not in page
    assert "as the log loss of the raw scores is infinite" in page


def kinds(scores, labels, groups=None):
    sample, left_out = clean(scores, labels, None, groups)
    return {caution.kind for caution in cautions_of(sample, described(sample, left_out))}


def test_warnings():
    scores, labels = drawn(1000)
    assert kinds(scores, labels) == set()
    assert kinds(scores.round(2), labels) == {"rounded scores"}
    assert kinds(np.repeat(scores[:50], 20), labels) == {"ties"}
    assert kinds(np.append(scores, scores), np.append(labels, labels)) == {"duplicated rows"}
    assert kinds(logit(scores), labels) == {"no probabilities"}
    assert kinds(scores[:30], np.arange(30) == 20) == {"few of a class"}
    assert kinds(scores[:30], np.zeros(30)) == {"one class"}
    assert kinds(np.full(30, 0.5), np.arange(30) % 2) == {"constant scores", "few of a class"}
    assert "classes for scores" in kinds(labels.astype(float), labels)
    assert "impossible outcomes" in kinds(np.where(scores < 0.3, 0, scores), labels)
    assert kinds(scores, labels, labels) == {"one class in a group"}
    assert kinds(scores, ~labels) == {"reversed scores"}
    assert kinds(-logit(scores), labels) == {"no probabilities", "reversed scores"}


@pytest.mark.parametrize(
    ("lowest", "highest", "said"), [(0, 0.9, True), (0.1, 1, True), (0.1, 0.9, False)]
)
def test_ends_may_owe_to_rounding(lowest, highest, said):
    scores = np.linspace(lowest, highest, 30).round(2)
    assert ("Scores of 0 and 1 may owe" in texts(scores, np.arange(30) % 2)) == said


@pytest.mark.parametrize("decimals", [2, 3, 4, 5])
def test_four_decimals_are_rounded(decimals):
    found = texts(*drawn(100, decimals=decimals))
    assert (f"rounded to {decimals} decimals" in found) == (decimals < 5)


@pytest.mark.parametrize(("n", "expected"), [(39, set()), (40, {"sorted rows"})])
def test_an_order_is_looked_for_in_forty_rows(n, expected):
    scores, labels = np.sort(drawn(n)[0]), np.arange(n) % 2
    assert kinds(scores, labels) & {"sorted rows"} == expected


@pytest.mark.parametrize(
    ("lowest", "highest", "outside"), [(0, 1, False), (-0.01, 1, True), (0, 1.01, True)]
)
def test_probabilities_reach_from_0_to_1(lowest, highest, outside):
    found = kinds(np.linspace(lowest, highest, 40), np.arange(40) % 2)
    assert ("no probabilities" in found) == outside


@pytest.mark.parametrize(
    ("lowest", "highest", "are_percentages"),
    [(0, 10, False), (0, 10.5, True), (0, 100, True), (0, 101, False), (-1, 50, False)],
)
def test_what_may_be_percentages(lowest, highest, are_percentages):
    scores = np.linspace(lowest, highest, 40)
    assert ("percentages" in texts(scores, np.arange(40) % 2)) == are_percentages


@pytest.mark.parametrize(
    ("weights", "words"),
    [([1, 3], False), ([1, 5, 1], True), ([1, 2, 1], False), ([0, 1, 3], False)],
)
def test_one_of_two_rows_does_not_dominate(weights, words):
    found = texts(np.linspace(0.2, 0.7, len(weights)), np.arange(len(weights)) % 2, weights)
    assert ("One row has" in found) == words


def texts(scores, labels, weights=None, groups=None):
    sample, left_out = clean(scores, labels, weights, groups)
    return " ".join(caution.text for caution in cautions_of(sample, described(sample, left_out)))


def test_warnings_say_what_to_do():
    scores, labels = drawn(100)
    assert "divide them by 100" in texts(100 * scores, labels)
    assert "percentages" not in texts(logit(scores), labels)
    assert "One row has 91.0\N{NO-BREAK SPACE}% of" in texts(scores, labels, [1000] + 99 * [1])
    assert texts(scores, labels, np.ones(100)) == ""
    assert "only: 0, 1, 2, 3, 4 and 95 more." in texts(scores, labels, None, np.arange(100))


def test_order_of_the_rows():
    scores, labels = drawn(1000)
    for column in (scores, -scores, labels, ~labels):
        order = np.argsort(column, kind="stable")
        assert kinds(scores[order], labels[order]) == {"sorted rows"}
    rng = np.random.default_rng(0)
    rate = np.where(np.arange(1000) < 600, 0.2, 0.4)
    later = rng.random(1000) < rate
    assert kinds(rate + rng.uniform(-0.1, 0.1, 1000), later) == {"drift of base rate"}
    both = {"drift of base rate", "drift of calibration"}
    assert kinds(rng.uniform(0.2, 0.4, 1000), later) == both
    found = sum(bool(kinds(*drawn(300, seed))) for seed in range(300))
    assert found < 300 * (0.02 + 3 * np.sqrt(0.02 * 0.98 / 300))  # two tests at 0.01


def test_curve_and_bins_are_those_of_the_package(report):
    scores, labels = drawn(slope=2.5)
    curve, band = corp_curve(labels, scores), confidence_band(labels, scores)
    drawn_at = np.interp(curve.predicted, report.curve.predicted, report.curve.recalibrated)
    np.testing.assert_allclose(drawn_at, curve.recalibrated, atol=1e-12)
    for mine, its in ((report.curve.lower, band.lower), (report.curve.upper, band.upper)):
        np.testing.assert_allclose(np.interp(band.predicted, report.curve.band_at, mine), its)
    assert len(report.curve.predicted) < curve.predicted.size
    assert flat_ends(np.array([1, 1, 1, 2, 3, 3, 3])).tolist() == [1, 0, 1, 1, 1, 0, 1]
    bins = reliability_curve(labels, scores, n_bins=10)
    assert [b.observed for b in report.bins] == bins.observed.tolist()
    for part in report.bins:
        inside = (scores >= part.lowest) & (scores <= part.highest)
        assert inside.sum() == part.count
        assert scores[inside].mean() == pytest.approx(part.predicted)


def test_the_histogram_counts_every_row_in_its_column():
    scores, labels = drawn(200)
    columns = curve_of(clean(scores, labels, None, None)[0]).histogram
    ends = np.linspace(0, 1, len(columns) + 1)[1:]
    assert np.cumsum(columns).tolist() == [np.count_nonzero(scores < end) for end in ends]


def test_bins_of_ties_cover_every_row():
    scores, labels = drawn(200, decimals=1)
    sample, _ = clean(scores, labels, None, None)
    bins = reliability_bins(sample)
    assert sum(part.count for part in bins) == 200
    assert all(a.highest < b.lowest for a, b in zip(bins, bins[1:], strict=False))


def test_groups():
    scores, labels = drawn(200)
    groups = np.array(["a", "b", "b", "b"] * 50)
    labels[groups == "a"] = False
    sample, _ = clean(scores, labels, None, groups)
    alone, rest = groups_of(sample, {})
    here = groups == "b"
    assert (rest.total, rest.positives) == (150, labels[here].sum())
    assert rest.bias == pytest.approx(np.mean(labels[here] - scores[here]))
    p_value = kuiper_test(labels[here], scores[here]).p_value
    assert rest.p_value == pytest.approx(1 - (1 - p_value) ** 2)
    assert (alone.auc, alone.observed) == (None, 0)
    # exact limit of 0 of 50, at the level of one of two groups
    level = (1 - 0.95**0.5) / 2
    assert alone.upper == pytest.approx(1 - level ** (1 / 50) - alone.predicted)


def test_the_picture_of_many_groups_shows_the_worst(no_comparison):
    scores, labels = drawn(800)
    names = np.array([f"group {k:02d}" for k in np.arange(800) % 40])
    labels[names == "group 39"] = True
    found = make_report(scores, labels, groups=names)
    page = found.to_html()
    pictures = "".join(re.findall(r"<svg.*?</svg>", page, flags=re.DOTALL))
    shown = set(re.findall(r">(group \d\d)<", pictures))
    assert len(shown) == 30 and "group 39" in shown
    assert "The 30 of 40 groups with the smallest p values" in page


def drawn_parts(svg):
    """Paths by their style, each as points, and texts, of a picture."""
    root = ElementTree.fromstring(svg)
    paths = {}
    for path in root.iter("path"):
        points = np.array(
            [[float(n) for n in p.split(",")] for p in re.findall(POINT, path.get("d"))]
        )
        paths.setdefault(path.get("stroke-dasharray") or path.get("fill-opacity"), []).append(
            points
        )
    return paths, [text.text for text in root.iter("text")]


POINT = r"-?[\d.]+,-?[\d.]+"


def rare(n_rows, seed=0, share=0.02):
    """Calibrated scores of rare positives."""
    rng = np.random.default_rng(seed)
    scores = expit(rng.normal(np.log(share) - 0.5, 1, n_rows))
    return scores, rng.random(n_rows) < scores


def picture_of(scores, labels, sample_weight=None):
    curve = curve_of(clean(scores, labels, sample_weight, None)[0])
    return curve, *drawn_parts(drawing.diagram(curve, "title", "description"))


@pytest.mark.parametrize("columns", [drawn(100), rare(2000)])
def test_the_diagonal_of_the_diagram_goes_from_corner_to_corner(columns):
    curve, paths, texts = picture_of(*columns)
    (diagonal,) = (line for line in paths["4 3"] if len(line) == 2)
    right, side = drawing.RIGHT, drawing.SIDE
    assert diagonal.tolist() == [[right - side, 8 + side], [right, 8]]
    assert len(curve.edges) == len(curve.histogram) + 1
    assert {"Predicted probability", "Observed fraction", "Rows", "isotonic fit"} <= set(texts)


def test_rare_positives_are_drawn_on_the_scale_of_log_odds():
    scores, labels = rare(5000)
    curve, paths, texts = picture_of(scores, labels)
    assert curve.logit and {"0.001", "0.01", "0.1"} <= set(texts)
    steps = np.diff(logit(curve.edges))
    np.testing.assert_allclose(steps, steps[0])
    low, high = logit(np.quantile(scores, [0.001, 0.999])) + [-np.log(2), np.log(2)]
    np.testing.assert_allclose(logit([curve.edges[0], curve.edges[-1]]), [low, high])
    lines = [line for line in paths[None] if len(line) == len(curve.predicted)]
    with np.errstate(divide="ignore"):
        across, up = (
            (logit(values) - low) / (high - low) for values in (curve.predicted, curve.recalibrated)
        )
    seen = np.isfinite(up)  # 0 and 1 lie outside
    expected = np.column_stack(
        [drawing.RIGHT - drawing.SIDE * (1 - across), 8 + drawing.SIDE * (1 - up)]
    )
    np.testing.assert_allclose(lines[0][seen], expected[seen], atol=0.051)
    assert np.all(abs(lines[0][~seen, 1] - 8) > drawing.SIDE)


def test_what_is_rare():
    scores = np.linspace(0.01, 0.3, 1000)
    for positives, rare_class in [(49, True), (50, False), (951, True), (0, False), (1000, False)]:
        labels = np.arange(1000) < positives
        assert curve_of(clean(scores, labels, None, None)[0]).logit == rare_class
    labels = np.arange(1000) < 100  # of weight 1, the others weigh 3
    assert curve_of(clean(scores, labels, np.where(labels, 1, 3), None)[0]).logit
    certain = curve_of(clean((scores > 0.29).astype(float), np.arange(1000) < 9, None, None)[0])
    assert not certain.logit  # no prediction has log-odds


def test_every_row_is_in_the_histogram_of_log_odds():
    scores, labels = rare(3000)
    scores[:7], scores[7:9] = 0, 1
    weights = np.random.default_rng(0).integers(1, 4, 3000)
    curve = curve_of(clean(scores, labels, weights, None)[0])
    assert curve.logit and sum(curve.histogram) == weights.sum()
    inner = np.digitize(scores, curve.edges[1:-1])
    assert np.bincount(inner, weights).tolist() == list(curve.histogram)


@pytest.mark.parametrize(
    ("ends", "log_odds", "texts"),
    [
        ((0, 1), False, ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]),
        (
            (-0.031, 0.011),
            False,
            ["\N{MINUS SIGN}0.03", "\N{MINUS SIGN}0.02", "\N{MINUS SIGN}0.01", "0.00", "0.01"],
        ),
        ((0, 2.1e6), False, ["0", "500000", "1e6", "1.5e6", "2e6"]),
        ((5e-5, 0.4), True, ["1e-4", "0.001", "0.01", "0.1"]),
        ((0.003, 0.06), True, ["0.005", "0.01", "0.02", "0.05"]),
        ((0.3, 0.9995), True, ["0.5", "0.9", "0.99", "0.999"]),
        ((1e-12, 0.6), True, ["1e-12", "1e-9", "1e-6", "0.001", "0.5"]),
    ],
)
def test_ticks(ends, log_odds, texts):
    assert list(drawing.Axis(ends, (0, 1), log_odds).ticks().values()) == texts


def test_the_curves_of_decisions_fill_their_picture():
    decisions = decisions_of(clean(*drawn(100), None, None)[0])
    paths, _ = drawn_parts(drawing.decision_diagram(decisions, "title", "description"))
    (benefit,) = (line for line in paths[None] if len(line) == len(decisions))
    low, high = benefit[:, 1].max(), benefit[:, 1].min()
    assert 24 < high < 60 and low > 100  # from the top at 24 to the bottom at 190


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("a" * 18, "a" * 18),
        ("a" * 19, "a" * 17 + "\N{HORIZONTAL ELLIPSIS}"),
        ("$1 & <b>", "$1 & <b>"),
    ],
)
def test_long_names_are_cut_beside_a_picture(name, shown):
    group = Group(name, 9, 3, 0.3, 0.3, 0.0, -0.1, 0.1, 1.0, None)
    svg = drawing.interval_diagram([group], "title", "description", quantity="Bias")
    assert shown in drawn_parts(svg)[1]


def test_the_page_shows_thresholds_within_the_scores(no_chance):
    page = make_report(np.linspace(0.15, 0.45, 60), np.arange(60) % 3 == 0).to_html()
    table = page[page.index("<caption><span>Gain: over acting always") :]
    assert re.findall(r'<th scope="row">(.*?)</th>', table)[:5] == ["0.15", "0.2", "0.3", "0.4"]


def test_what_can_escape_at_a_threshold(no_chance):
    """By hand: two scores, of which the band puts one on both sides of the threshold."""
    scores = np.repeat([0.2, 0.6], 200)
    labels = np.r_[np.arange(200) < 40, np.arange(200) < 110]
    band = confidence_band(labels, scores, confidence=0.95)
    lower, upper = band.lower, band.upper
    assert upper[0] < 0.5 < upper[1] and lower[1] < 0.5
    report = make_report(scores, labels, thresholds=[0.5, 0.4])
    at, away = report.escapes
    loss = 0.5 * (0.5 - lower[1]) / 0.5
    assert at == Escape(
        threshold=0.5,
        wrong=None,
        open=ScoreRange(lowest=0.6, highest=0.6, rows=200.0),
        least_loss=0.0,
        loss=pytest.approx(loss),
        least_false_alarms=0.0,
        false_alarms=pytest.approx(1000 * loss),
        least_hits=0.0,
        hits=0.0,
    )
    assert away == Escape(0.4, None, None, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    assert report.verdict.details[-2] == (
        "At your threshold of 0.500 the confidence band leaves open on which side scores of 0.600 "
        f"belong: in all, the best increasing map can gain a net benefit of up to {number(loss)}, "
        f"worth {number(1000 * loss, 1)} fewer false alarms in 1,000 rows."
    )
    assert "at your threshold of 0.400 nothing escapes" in report.verdict.details[-1].lower()
    assert 0.4 in {point.threshold for point in report.decisions} and len(report.decisions) == 99
    with pytest.raises(ValueError, match="thresholds must be a number between 0 and 1"):
        make_report(scores, labels, thresholds=[1.0])


def test_scores_significantly_on_the_wrong_side_are_separate_from_open_ones(no_chance):
    """Two scores in 100 come true, and the scores are of a sample in which every other one does."""
    rng = np.random.default_rng(0)
    log_odds = rng.normal(-4.5, 1.2, 10_000)
    labels = rng.random(10_000) < expit(log_odds)
    scores = expit(log_odds + np.log(49))
    report = make_report(scores, labels, thresholds=[0.1])
    (at,) = report.escapes
    band = confidence_band(labels, scores)
    below = band.predicted[(band.predicted > 0.1) & (band.upper < 0.1)]
    between = band.predicted[(band.lower < 0.1) & (band.upper > 0.1)]
    assert (at.wrong.lowest, at.wrong.highest) == (below[0], below[-1])
    assert (at.open.lowest, at.open.highest) == (between[0], between[-1])
    assert at.wrong.rows == np.count_nonzero((scores >= below[0]) & (scores <= below[-1]))
    assert at.wrong.rows > 5000 and 0.1 < at.wrong.lowest < at.wrong.highest < at.open.lowest
    acting = band.predicted > 0.1
    gains = (0.1 - np.stack([band.upper, band.lower])) / 0.9
    sums = np.maximum(gains, 0)[:, acting].sum(axis=1) / 10_000
    assert (at.least_loss, at.loss) == pytest.approx(sums)
    assert (at.least_false_alarms, at.false_alarms) == pytest.approx(9000 * sums)
    assert at.false_alarms <= 1000 * np.mean(scores > 0.1) and at.least_hits == at.hits == 0
    words = report.verdict.details[-1]
    assert words.startswith("At your threshold of 0.100 scores from 0.100 to ")
    assert (
        "significantly on the wrong side: the whole confidence band is below the threshold" in words
    )
    assert f"You act on {at.wrong.rows:,.0f} rows of them" in words
    assert "The band leaves open on which side scores from " in words
    assert "false alarms" in words and "hits" not in words


def test_there_are_no_more_hits_than_positives(no_chance):
    """Scores that are far too low: one acts on none of them."""
    rng = np.random.default_rng(1)
    scores = rng.uniform(0.001, 0.01, 4000)
    labels = rng.random(4000) < 10 * scores
    report = make_report(scores, labels, thresholds=[0.02])
    (at,) = report.escapes
    assert at.wrong.highest <= 0.02 and at.false_alarms == at.least_false_alarms == 0
    assert 0 < at.least_hits <= at.hits <= 1000 * labels.mean()
    assert "above the threshold there. You do not act on " in report.verdict.details[-1]
    assert f"worth {number(at.least_hits, 1)} more hits in 1,000" in report.verdict.details[-1]
    all_miss = make_report(np.full(60, 0.1), np.arange(60) < 2, thresholds=[0.5]).escapes[0]
    assert all_miss.hits <= 1000 * 2 / 60


def test_a_threshold_of_the_user_stands_in_the_table():
    report = make_report(*drawn(60), thresholds=[0.125])
    assert len(report.decisions) == 100
    assert '<th scope="row">0.125</th>' in report.to_html()
    assert not make_report(10 * drawn(60)[0], drawn(60)[1], thresholds=[0.125]).escapes


def test_gains_of_decisions_are_means_over_rows():
    scores, labels = drawn(150)
    sample, _ = clean(scores, labels, None, None)
    decisions = decisions_of(sample)
    curve = decision_curve(labels, scores)
    assert [point.net_benefit for point in decisions] == curve.net_benefit.tolist()
    for point in (decisions[9], decisions[29], decisions[59]):
        odds = point.threshold / (1 - point.threshold)
        worth = np.where(labels, 1, -odds)
        acting = scores > point.threshold
        default = point.act_on_all > 0
        rows = worth * acting - worth * default
        assert point.gain == pytest.approx(rows.mean(), abs=1e-12)
        limits = decision_gains(labels, scores, thresholds=[point.threshold])
        assert (point.lower, point.upper) == (limits.lower[0], limits.upper[0])


@pytest.mark.parametrize(("n", "words"), [(5, "4"), (6, "4 and 1 more"), (7, "4 and 2 more")])
def test_five_names_are_listed(n, words):
    assert listed(list(map(str, range(n)))) == f"0, 1, 2, 3, {words}"


def test_numbers_in_words():
    assert [number(x) for x in (None, 0, 0.1234, 12.3456, -0.5)] == [
        "\N{EN DASH}",
        "0",
        "0.123",
        "12.346",
        "\N{MINUS SIGN}0.500",
    ]
    assert [number(x) for x in (0.00123, 0.000456, 3e-9)] == ["0.0012", "0.00046", "< 0.00001"]
    assert [number(x, 8) for x in (0.027, 3e-6, 3e-9)] == [
        "0.02700000",
        "0.00000300",
        "< 0.00000001",
    ]
    assert [number(x) for x in (187.0, -1951, -0.0)] == ["187", "\N{MINUS SIGN}1951", "0"]
    assert number(np.inf) == "inf"
    assert points(0.00123456, 4) == "0.1235"
    assert [percent(x) for x in (0.5, 0.00123)] == [
        "50.0\N{NO-BREAK SPACE}%",
        "0.12\N{NO-BREAK SPACE}%",
    ]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"scores": [0.1, np.nan]}, "scores must be finite; found nan at row 1"),
        ({"labels": [0, 2]}, "labels must be 0/1 or bool; found 2"),
        ({"groups": ["a"]}, "groups has 1 rows but scores has 2"),
        ({"sample_weight": [0, 0]}, "sample_weight is zero in every row"),
        ({"random_state": -1}, "random_state must be None, an integer"),
    ],
)
def test_bad_input_is_refused_by_name(changed, message):
    with pytest.raises(ValueError, match=message):
        make_report(**({"scores": [0.1, 0.2], "labels": [0, 1]} | changed))


@pytest.fixture
def table(tmp_path):
    scores, labels = drawn(100)
    lines = [
        f"{s!r},{'ill' if z else 'well'}" for s, z in zip(scores.tolist(), labels, strict=True)
    ]
    path = tmp_path / "scores.csv"
    path.write_text("\n".join(["prob,outcome", *lines, "0.5,"]) + "\n", encoding="utf-8")
    return path


def command(table, *words):
    columns = ["--score", "prob", "--label", "outcome", "--positive", "ill", "--drop-missing"]
    return main(["report", str(table), *columns, *map(str, words)])


def test_the_command_writes_the_page(table, tmp_path, monkeypatch, capsys, no_comparison):
    output = tmp_path / "report.html"
    monkeypatch.setitem(sys.modules, "matplotlib", None)  # as if it were not installed
    assert command(table, "-o", output) == 0
    page = output.read_text(encoding="utf-8")
    assert "<title>Calibration report: scores.csv</title>" in page
    columns = "Columns: score from 'prob', label from 'outcome'. Positive: 'ill'."
    assert escape(columns) in page
    verdict = make_report(*drawn(100)).verdict.sentence
    assert escape(verdict) in page
    assert f"calib report: {verdict}\n" in capsys.readouterr().err
    assert command(table, "-o", output) == 2
    assert "exists" in capsys.readouterr().err
    assert command(table, "-o", output, "--force") == 0


def test_the_command_writes_numbers(table, tmp_path, no_comparison):
    output = tmp_path / "report.json"
    assert command(table, "-o", output, "--json") == 0
    read = json.loads(output.read_text(encoding="utf-8"))
    expected = json.loads(make_report(*drawn(100)).to_json())
    own = ("name", "notes", "advice")
    assert {k: v for k, v in read.items() if k not in own} == {
        k: v for k, v in expected.items() if k not in own
    }
    assert len(read["notes"]) == 2
    commands = [line for line in read["advice"] if "calib fit" in line]
    assert len(commands) == 1 and table.name in commands[0] and str(table.parent) not in commands[0]
    assert len(read["advice"]) == len(expected["advice"])


# What a referee found


def test_an_impossible_outcome_counts_with_few_rows_too(no_comparison):
    scores = np.r_[0.0, np.full(9, 0.6), np.full(30, 0.2)]
    labels = np.r_[np.ones(10, int), np.zeros(30, int)]
    report = make_report(scores, labels)
    assert {test.p_value for test in report.tests if "Kuiper" in test.name} == {0.0}
    assert report.verdict.outcome == "miscalibrated"


def test_groups_that_are_off_without_a_bias_are_named(no_chance):
    rng = np.random.default_rng(1)
    scores = rng.beta(1, 1, 4000)
    groups = np.repeat(["steep", "flat"], 2000)
    truth = expit(np.where(groups == "steep", 1.6, 0.5) * logit(scores))
    report = make_report(scores, rng.random(4000) < truth, groups=groups)
    assert all(group.lower < 0 < group.upper for group in report.groups)
    assert any("Look into groups" in text for text in report.advice) or not report.verdict.groups
    assert all(group.p_value <= 0.05 for group in report.groups)


def test_more_rows_are_more_than_there_are(no_comparison):
    rng = np.random.default_rng(0)
    labels = np.r_[np.zeros(10, int), np.ones(990, int)]
    report = make_report(np.clip(rng.normal(0.99, 0.003, 1000), 0, 1), labels)
    wanted = re.search(r"about ([\d,]+)", " ".join(report.advice))[1]
    assert report.verdict.outcome == "cannot say" and int(wanted.replace(",", "")) > 1000
    alone = make_report([0.3], [1])
    assert (
        alone.advice[0] == "No calibrator can learn from one class: collect rows with a negative."
    )
    assert int(re.search(r"about ([\d,-]+)", alone.advice[1])[1]) > 100


@pytest.mark.parametrize("positives", [0, 1, 10])
def test_the_rows_wanted_find_a_fifth_of_the_rarer_class(no_chance, positives):
    report = make_report(np.full(100, max(positives, 1) / 100), np.arange(100) < positives)
    wanted = int(re.search(r"about ([\d,]+)", " ".join(report.advice))[1].replace(",", ""))
    rate = max(positives, 1) / 100
    found = [detectable_bias([rate], sample_weight=[n]) for n in (wanted, wanted - 100)]
    assert found[0] <= rate / 5 < found[1]


@pytest.mark.parametrize(
    ("lowest", "highest", "reference"),
    [(0, 1, "Raw"), (-0.2, 0.9, "Base rate"), (0.1, 1.2, "Base rate")],
)
def test_scores_are_compared_with_what_they_can_be(lowest, highest, reference):
    scores = np.linspace(lowest, highest, 40)
    found = compared(clean(scores, np.arange(40) % 2, None, None)[0], 0)
    assert found.reference == reference


# A threshold with a promise


def test_a_report_has_the_threshold_with_a_promise():
    p = np.random.default_rng(0).beta(2, 0.5, 2000)
    labels = np.random.default_rng(1).random(2000) < p
    groups = np.arange(2000) % 2
    made = make_report(p, labels, groups=groups, max_error=0.2)
    found = risk_controlled_thresholds(labels, p, groups, max_error=0.2)
    assert [one.threshold for one in made.promises] == [found[k].threshold for k in (0, 1)]
    assert [one.n_errors for one in made.promises] == [found[k].n_errors for k in (0, 1)]
    page = made.to_html()
    assert "A threshold with a promise" in page and "in all groups at once" in page
    assert f"<td>{found[0].threshold:g}</td>" in page
    assert "A threshold with a promise" not in make_report(p[:60], labels[:60]).to_html()


def test_a_promise_of_a_report_is_refused_where_nothing_is_proved(tmp_path, capfd):
    with pytest.raises(ValueError, match="max_error: the promise is proved for independent rows"):
        make_report([0.5] * 4, [0, 1, 0, 1], sample_weight=[1] * 4, max_error=0.1)
    table = tmp_path / "rows.csv"
    table.write_text("p,y\n0.5,1\n0.5,0\n")
    columns = ["--score", "p", "--label", "y", "-o", str(tmp_path / "page.html")]
    assert main(["report", str(table), *columns, "--max-error", "2"]) == 2
    assert "error: --max-error must be" in capfd.readouterr().err
