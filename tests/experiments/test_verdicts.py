"""The benchmark of verdicts: its truths are true, its rules are right, its short run works."""

import json

import numpy as np
import pytest
from scipy.stats import beta, norm

from calibkit.comparison import Offset
from calibkit.report import make_report
from experiments import recorded
from experiments.recording import RESULTS, record
from experiments.verdicts import real, real_again, rubric, table
from experiments.verdicts.files import File, Fresh, on_logits, simple
from experiments.verdicts.peers import CALIBRATED, EASY, OURS, VERDICTS_PEERS, shares
from experiments.verdicts.study import ADVICE, VERDICTS, looked
from experiments.verdicts.truths import FAMILIES, LARGE, SEEDS, TRUTHS, Truth
from experiments.verdicts.verdict import Verdict, advice_of, verdict_of

SMALL = {name: one for name, one in TRUTHS.items() if one.rows <= LARGE}
NOT_OF_THE_LAW = {"training rows", "mild training rows", "leak"}  # that is what is wrong with them


def drawn(name, seed=1):
    """A file of a truth."""
    return TRUTHS[name].draw(np.random.default_rng(seed), TRUTHS[name].rows)


def test_there_are_enough_of_them():
    assert len(TRUTHS) >= 100
    assert len(TRUTHS) == sum(len(list(members())) for members, _ in FAMILIES.values())
    for experiment in (VERDICTS, ADVICE):
        first = experiment.cases()[: len(TRUTHS)]
        assert [case["truth"] for case in first] == list(TRUTHS)
    assert len(VERDICTS.cases()) == sum(truth.seeds for truth in TRUTHS.values())
    assert all(t.seeds == SEEDS for t in SMALL.values() if "network" not in t.name)
    assert max(one.rows for one in TRUTHS.values()) == 1_000_000


SLOW = {f"new rows, {model}, 2000" for model in ("boosting", "network", "forest")}
OF_THE_LAW = [n for n, t in SMALL.items() if t.family not in NOT_OF_THE_LAW and n not in SLOW]


@pytest.mark.parametrize("name", OF_THE_LAW)
def test_outcomes_come_as_the_truth_says(name):
    file = drawn(name)
    if SMALL[name].family in {"new rows"}:
        file = file._replace(repeats=4.0)  # the share at a score is itself an estimate
    if file.weight_kind != "counts" and "cases and controls" not in name:
        expected, spread = file.chance.sum(), np.sum(file.chance * (1 - file.chance))
        assert abs(file.labels.sum() - expected) <= 4.5 * np.sqrt(file.repeats * spread) + 1e-9
    weights = np.ones(file.scores.size) if file.weights is None else file.weights
    means = (
        np.average(file.labels, weights=weights),
        np.average(file.fresh.truth, weights=file.fresh.weights),
    )
    assert SMALL[name].family == "drift" or means[0] == pytest.approx(means[1], rel=0.5, abs=0.06)


def test_what_is_calibrated_follows_from_the_law():
    calibrated = {
        n for n, t in SMALL.items() if "copies" != t.family and n.startswith("calibrated")
    }
    for name in calibrated:
        assert rubric.is_calibrated(drawn(name).fresh)
    for name, one in SMALL.items():
        if one.family in {"tail", "over-confident", "groups off", "reversed", "label noise"}:
            assert not rubric.is_calibrated(drawn(name).fresh)
    assert rubric.wrong_groups(drawn("five of 40 groups off, 8000").fresh) == {
        f"g{k}" for k in range(5)
    }


def test_power_of_one_bias_by_hand():
    n, bias = 2000, 0.07
    chance = np.full(n, 0.5 + bias)
    file = File(np.full(n, 0.5), np.zeros(n, int), Fresh(np.ones(1), np.ones(1)), chance)
    critical = norm.isf(rubric.LEVEL / rubric.LOOKS / 2)
    room = n * bias - critical * np.sqrt(n / 4)
    by_hand = norm.cdf(room / np.sqrt(n * (0.25 - bias**2)))
    assert rubric.power_of(file) == pytest.approx(by_hand, abs=1e-12)
    eightfold = rubric.power_of(file._replace(repeats=8.0))
    assert eightfold < by_hand
    away = file._replace(
        parts=np.repeat([0, 1], n // 2), chance=0.5 + bias * np.repeat([1, -1], n // 2)
    )
    assert rubric.power_of(away) > 0.9 * rubric.power_of(away._replace(parts=None))


def test_what_no_test_can_find_has_no_power():
    assert rubric.power_of(drawn("calibrated, uniform, 4000")) < 1e-3
    assert rubric.power_of(drawn("above 0.8 comes 0.55, 500")) < rubric.POWER
    assert rubric.power_of(drawn("above 0.8 comes 0.55, 4000")) > rubric.POWER


def said(outcome, **more):
    """A verdict."""
    return Verdict(outcome, **more)


TRAINING, DRIFT = frozenset({"training rows"}), frozenset({"drift"})
TAIL, ONE_OF_FIVE = "above 0.8 comes 0.55, 4000", "one of five groups off, 4000"
LEAK, TWO_TIMES = "leak of 8 logits, 4000", "too low, then too high, 4000"
JUDGED = [  # truth, what is said, power, what that is
    ("calibrated, uniform, 4000", said("no evidence"), 0, "right"),
    ("calibrated, uniform, 4000", said("miscalibrated"), 0, "wrong"),
    ("calibrated, uniform, 4000", said("cannot say"), 0, "misleading"),
    ("calibrated, uniform, 50", said("cannot say"), 0, "right"),
    ("500 rows, each 8 times, 4000", said("miscalibrated"), 0, "wrong"),
    (TAIL, said("no evidence"), 0.95, "misleading"),
    (TAIL, said("no evidence"), 0.5, "right"),
    (TAIL, said("no evidence", says_what_escapes=False), 0.5, "misleading"),
    (TAIL, said("miscalibrated"), 0.95, "right"),
    (TAIL, said("miscalibrated", ranges=((0.1, 0.2),)), 0.95, "misleading"),
    (TAIL, said("miscalibrated", ranges=((0.7, 0.9),)), 0.95, "right"),
    (ONE_OF_FIVE, said("miscalibrated"), 1, "misleading"),
    (ONE_OF_FIVE, said("miscalibrated", groups=("g4",)), 1, "right"),
    (ONE_OF_FIVE, said("miscalibrated", groups=("g0",)), 1, "misleading"),
    (LEAK, said("no evidence"), 1, "misleading"),
    (LEAK, said("miscalibrated", flags=TRAINING), 1, "right"),
    ("training rows, k-NN, 2000", said("no evidence"), 1, "right"),
    ("training rows, tree, 2000", said("no evidence"), 1, "misleading"),
    ("log-odds, 4000", said("cannot say"), 0, "wrong"),
    (TWO_TIMES, said("no evidence"), 1, "misleading"),
    (TWO_TIMES, said("no evidence", flags=DRIFT), 1, "right"),
]


@pytest.mark.parametrize("name, verdict, power, expected", JUDGED)
def test_the_rules(name, verdict, power, expected):
    assert rubric.judged(TRUTHS[name], drawn(name), verdict, power) == expected


def test_losses_by_hand():
    truth, p = np.array([0.2, 0.9]), np.array([0.5, 0.5])
    assert rubric.log_loss(truth, p) == pytest.approx(np.log(2))
    assert rubric.log_loss(np.zeros(1), np.ones(1)) == pytest.approx(-np.log(1e-6))
    assert rubric.cost(truth, p, 0.4) == pytest.approx((0.8 * 0.4 + 0.1 * 0.4) / 2)
    assert rubric.cost(truth, p, 0.6) == pytest.approx((0.2 * 0.4 + 0.9 * 0.4) / 2)
    assert rubric.thresholds(Fresh(p, p)) == pytest.approx([0.25, 0.5, 0.75])


def test_an_offset_is_the_likeliest():
    rng = np.random.default_rng(0)
    file = simple("uniform", on_logits(shift=1.0))(rng, 5000)
    p = Offset().fit(file.scores, file.labels).predict(file.scores)
    assert p.mean() == pytest.approx(file.labels.mean(), abs=1e-3)
    assert Offset().fit(file.scores, file.labels).offset_ == pytest.approx(1.0, abs=0.15)


@pytest.mark.parametrize(
    "name",
    [
        *["over-confident, logits / 2.0, 200", "two groups off, opposite, 2000"],
        *["reversed, U-shaped, 500", "log-odds, 300 rows, 300", "5 %, odds x 2, 500"],
    ],
)
def test_the_verdict_is_that_of_the_report(name):
    """Advice is read from the parts of a report: its sentences say the same."""
    file = drawn(name)
    look = looked(file)
    found, advice = verdict_of(look), advice_of(look)
    report = make_report(file.scores, file.labels, groups=file.groups, random_state=0)
    assert found.outcome == report.verdict.outcome
    assert found.groups == report.verdict.groups
    place = report.verdict.place
    assert found.ranges == (((place.lowest, place.highest),) if place else ())
    words = {"the other class": "take 1 less each score", "Stacked": "Calibrate with the default"}
    is_to_calibrate = any("Calibrate with the default" in line for line in report.advice)
    assert is_to_calibrate == (advice.name == "Stacked")
    if advice.kind == "fit":
        assert any(words[advice.name] in line for line in report.advice)
    assert ("reversed" in found.flags) == any("reversed" in c.kind for c in report.cautions)


SHORT = ["calibrated, 20 values, 500", "reversed, U-shaped, 500", "log-odds, 300 rows, 300"]


def test_a_short_run_is_recorded_and_summed_up(tmp_path):
    cases = [{"truth": name, "seed": 0} for name in SHORT]
    for experiment in (VERDICTS, ADVICE):
        record(experiment, folder=tmp_path, cases=cases, n_jobs=1)
    rows = recorded("verdicts", folder=tmp_path)
    lines = {line["family"]: line for line in table.summary(rows, table.headlines)}
    assert list(lines) == ["calibrated", "reversed", "no probabilities", table.ALL]
    assert lines[table.ALL]["right"].value == pytest.approx(np.mean(rows["headline"] == "right"))
    assert lines["reversed"]["caught"].value == 1
    assert np.isnan(lines["calibrated"]["caught"].value)
    *_, last = table.written(list(lines.values()), table.SAYS).splitlines()
    assert last.startswith(f"| {table.ALL} | 3 | {100 * lines[table.ALL]['right'].value:.1f} (")
    rows = recorded("verdicts_advice", folder=tmp_path)
    assert np.all(rows["loss_oracle"] <= rows["loss_advised"])
    assert np.all(rows["loss_oracle"] <= rows["loss_keep"])
    *_, last, _ = table.summary(rows, table.costs)
    assert last["regret_keep"].value > 0.05  # the base rate knows no scores


def test_every_truth_counts_alike():
    name, other = list(TRUTHS)[:2]
    assert isinstance(TRUTHS[name], Truth)
    truths = np.array([name] * 3 + [other])
    found = table.mean_of(truths, np.array([1.0, 1.0, 1.0, 0.0]), share=True)
    assert found.value == 0.5
    assert found[1:] == pytest.approx(binomtest_limits(0.5 * 3, 3))  # 4 / (1 / 3 + 1) files
    assert np.isnan(table.mean_of(truths, np.full(4, np.nan), share=True).value)


def binomtest_limits(positives, n):
    """Clopper and Pearson's limits for numbers that need not be whole, by the beta law."""
    return beta.ppf(0.025, positives, n - positives + 1), beta.ppf(
        0.975, positives + 1, n - positives
    )


def test_limits_of_a_regret_hold_as_often_as_they_say():
    """Truths of different means and spreads, with a few files each."""
    rng = np.random.default_rng(0)
    truths = np.repeat([f"{k}" for k in range(20)], 5)
    centres, spreads = rng.exponential(size=20), rng.exponential(size=20)
    held = 0
    for _ in range(1000):
        values = np.repeat(centres, 5) + np.repeat(spreads, 5) * rng.normal(size=100)
        found = table.mean_of(truths, values, share=False)
        held += found.lower <= centres.mean() <= found.upper
    assert 0.92 <= held / 1000 <= 0.97
    assert np.isnan(
        table.mean_of(truths[::5], values[::5], share=False).lower
    )  # one file of each: no spread


# The record


AGAIN = [
    *["calibrated, 20 values, 500", "over-confident, logits / 2.0, 200", "5 %, odds x 2, 500"],
    *["reversed, U-shaped, 500", "training rows, tree, 2000", "log-odds, 300 rows, 300"],
]


def of_all(name, measures):
    """What a record comes to over all truths."""
    return table.summary(recorded(name), measures)[-1]


def test_shares_do_not_fall():
    """Of the record: what stands here was measured, and may get better."""
    rows, line = recorded("verdicts"), of_all("verdicts", table.headlines)
    assert json.loads((RESULTS / "verdicts.json").read_text())["seed"] == VERDICTS.seed
    assert line["truths"] == len(TRUTHS) and line["files"] == len(VERDICTS.cases())
    assert line["bad"].value <= 0.025 and line["bad"].lower <= 0.02
    assert line["right_groups_named"].lower <= 0.06
    others = {"-", "drift"}  # that is remarked in one honest file of a hundred
    alarms = np.array([alarm not in others for alarm in rows["false_alarms"]], float)
    assert table.mean_of(rows["truth"], alarms, share=True).value <= 0.01


def test_advice_costs_less_than_to_keep_and_than_to_calibrate_always():
    line = of_all("verdicts_advice", table.costs)
    assert line["files"] == len(ADVICE.cases())
    assert line["harm"].value < line["harm_always"].value
    assert line["regret_advised"].upper < min(
        line["regret_keep"].lower, line["regret_always"].lower
    )


def test_the_earlier_advice_harmed_less_often_and_lost_as_much_but_for_leaks():
    """As the page says."""
    before, now = (f"verdicts_advice{end}" for end in ("_before", ""))
    assert of_all(before, table.costs)["harm"].upper < 0.03
    assert of_all(before, table.costs)["regret_advised"].value < 0.035
    lost = [
        table.summary(table.without_leaks(recorded(name)), table.costs)[-1]["regret_advised"].value
        for name in (before, now)
    ]
    assert 0 < lost[0] - lost[1] < 0.002
    rows = recorded(now)
    calibrated = rows["family"] == "calibrated"
    more = rows["loss_advised"][calibrated] - rows["loss_keep"][calibrated]
    assert 0 < more.mean() < 0.0007


@pytest.mark.parametrize("family", ["over-confident", "under-confident"])
def test_what_is_easily_mended_is_mended(family):
    """What is lost is of small files in which nothing is found; it was up to a half before."""
    lines = table.summary(recorded("verdicts_advice"), table.costs)
    line = next(line for line in lines if line["family"] == family)
    assert line["regret_advised"].value < line["regret_keep"].value / 4


@pytest.mark.parametrize("model", ["forest", "boosting", "tree"])
def test_training_rows_of_trees_are_caught(model):
    rows = recorded("verdicts")
    here = rows["truth"] == f"training rows, {model}, 2000"
    assert np.mean(rows["caught"][here] == "training rows") >= 0.95
    honest = rows["true_flags"] == "-"
    alarms = np.char.find(rows["false_alarms"][honest].astype(str), "training rows") >= 0
    assert alarms.mean() <= 0.01


def test_other_models_betray_themselves_less():
    """As the page says."""
    rows = recorded("verdicts")
    mild = rows["family"] == "mild training rows"
    others = np.isin(rows["truth"], [f"training rows, {one}, 2000" for one in ("k-NN", "network")])
    assert np.mean(rows["caught"][mild | others] == "-") >= 0.95
    rows = recorded("verdicts_advice")
    harm = rows["loss_advised"] - rows["loss_keep"]
    assert np.all(rows["true_flags"][np.argsort(harm)[-1:]] == "training rows")


def test_other_tests_miss_more_or_reject_calibrated_scores_more():
    """As the page says: none finds as much with as few false alarms."""
    rows = recorded("verdicts_peers")
    assert np.count_nonzero(rows["judge"] == OURS) == len(VERDICTS_PEERS.cases())
    found = shares(rows)
    ours = found.pop(OURS)
    for theirs in found.values():
        assert theirs[EASY].value < ours[EASY].value or (
            theirs[CALIBRATED].value > ours[CALIBRATED].value
        )


@pytest.mark.parametrize("experiment", [VERDICTS, ADVICE], ids=lambda one: one.name)
@pytest.mark.parametrize("name", AGAIN)
def test_what_is_recorded_is_found_again(name, experiment):
    """A change of the report that changes verdicts or advice asks for a new record."""
    rows = recorded(experiment.name)
    place = np.flatnonzero((rows["truth"] == name) & (rows["seed"] == 0))[0]
    for key, value in experiment.run_case({"truth": name, "seed": 0})[0].items():
        was = rows[key][place]
        assert value == was if isinstance(value, str) else value == pytest.approx(was, 1e-4, 1e-7)


def helped_and_harmed(rows, policy):
    """Numbers of cases in which a policy helps and in which it harms."""
    shares = rows["test_positives"] / rows["test_rows"]
    entropy = -(shares * np.log(shares) + (1 - shares) * np.log(1 - shares))
    gains = (rows["loss_keep"] - rows[f"loss_{policy}"]) / entropy
    return np.count_nonzero(gains > real.CLEAR), np.count_nonzero(gains < -real.CLEAR)


@pytest.mark.parametrize("protocol", [real, real_again])
def test_real_files_are_those_of_the_stored_protocol(protocol):
    name = protocol.__name__.replace("experiments.verdicts.real", "verdicts_real")
    text = (RESULTS / "protocols" / f"{name}.txt").read_text(encoding="utf-8")
    stored = {"__name__": name}
    exec(compile(text, name, "exec"), stored)
    assert stored["cases"]() == protocol.cases() and stored["__doc__"] == protocol.__doc__
    rows = recorded(name)
    assert len(rows["loss_keep"]) == real.N_CASES
    assert set(rows["protocol"]) == {protocol.fingerprint()}


def test_the_changed_advice_keeps_its_promises_on_other_real_files():
    rows = recorded("verdicts_real_again")
    assert helped_and_harmed(rows, "advised") == (55, 3)
    assert helped_and_harmed(rows, "before") == (53, 8)
    np.testing.assert_array_equal(rows["loss_advised"], rows["loss_default"])  # no regret
    assert helped_and_harmed(recorded("verdicts_real"), "advised") == (53, 3)
