"""Every constant of a protocol says where it comes from, and a tuned one counts as no agreement."""

import pytest

from experiments import ledger, registry
from experiments.constants import CONSTANTS, FROM_CODE, INFERRED, KINDS, STATED, TUNED
from experiments.durfee2022 import networks, scores
from experiments.durfee2022.protocol import BUDGET, TREES
from experiments.naeini2014 import program, protocol, variants
from experiments.naeini2016 import data, recoded
from experiments.vovk2014.classifiers import FIRST, make_classifier

PAPERS = {name: paper for name, paper in registry.papers().items() if paper.tables}
WRITTEN = ledger.read_ledger()


@pytest.mark.parametrize("one", CONSTANTS, ids=lambda one: f"{one.paper}, {one.name}")
def test_a_constant_has_a_kind_and_concerns_what_there_is(one):
    paper = PAPERS[one.paper]
    assert one.kind in KINDS and one.value and one.source
    assert set(one.tables) <= {table.name for table in paper.tables}
    causes = {cause.name: cause for cause in paper.causes}
    assert set(one.causes) <= set(causes)
    assert (one.kind == TUNED) == any(causes[name].tuned for name in one.causes)
    assert one.kind != TUNED or all(causes[name].tuned for name in one.causes)


@pytest.mark.parametrize("name", PAPERS)
def test_each_table_and_each_tuned_cause_has_a_line(name):
    own = [one for one in CONSTANTS if one.paper == name]
    assert {table for one in own for table in one.tables} == {t.name for t in PAPERS[name].tables}
    tuned = {cause.name for cause in PAPERS[name].causes if cause.tuned}
    assert tuned == {cause for one in own if one.kind == TUNED for cause in one.causes}
    assert {one.kind for one in own} & {STATED, FROM_CODE, INFERRED}


def test_no_tuned_constant_counts_as_agreement():
    """What a tuned cause mends is no agreement, and a first reading has no tuned constant."""
    tuned = {(one.paper, cause) for one in CONSTANTS if one.kind == TUNED for cause in one.causes}
    for entry in WRITTEN:
        fitted = (entry.paper, entry.cause) in tuned
        assert fitted == (entry.verdict == ledger.TUNED)
    settled = ledger.totals(WRITTEN).settled
    assert settled == sum(e.verdict in (ledger.AGREES, ledger.EXPLAINED) for e in WRITTEN)
    assert all(one.causes for one in CONSTANTS if one.kind == TUNED)


def test_the_first_readings_have_the_constants_that_the_lines_name():
    machine = program.MACHINE[-1]
    assert machine.C == 1 and machine.kernel is program.quadratic
    assert protocol.support_vector_machine("linear").C == 1
    assert protocol.support_vector_machine("quadratic").C == float(variants.OF_THE_QUADRATIC)
    assert variants.PENALTY == 7 and variants.FLATTER == 20
    assert data.base_classifier("LR", 1)[-1].C == data.base_classifier("SVM", 1)[-1].C == 1
    assert FIRST == {"LR": "LR indicators"}
    budget = scores.BUDGETS[BUDGET]
    assert (budget.n_epochs, budget.n_runs, budget.rates) == (30, 3, (1e-4, 1e-3, 1e-2))
    assert scores.SIZES["S"] == (64, 32, 16) and TREES[0] == (3, 100)
    assert (networks.BATCH, networks.DROPOUT) == (128, 0.25)


def test_the_raw_row_of_the_fit_is_the_printed_one_and_that_of_the_program_is_not():
    paper, read = PAPERS["naeini2014"], ledger.reader()
    table = next(one for one in paper.tables if one.name == "table1b")
    printed = {number.column: number for number in table.printed() if number.row == "SVM"}
    for measure in ["RMSE", "MCE", "ECE"]:
        own, fitted = (
            table.ours(read, **table.reading, fitted=way)["SVM", measure] for way in [False, True]
        )
        assert abs(fitted.value - printed[measure].value) < 0.02
        assert abs(own.value - printed[measure].value) > 0.08


def test_the_counts_of_table_three_come_out_with_the_versions_that_they_chose():
    paper, read = PAPERS["naeini2016"], ledger.reader()
    table = next(one for one in paper.tables if one.name == "table3")
    agree = {
        len(ways): sum(
            ledger.agrees(number, table.ours(read, **ways)[number.row, number.column])
            for number in table.printed()
        )
        for ways in [{}, {"versions": True}, {"versions": True, "recoded": True}]
    }
    assert agree == {0: 3, 1: 8, 2: 10}


def test_the_halves_of_the_recoded_sets_are_counted():
    for name, (rows, rarer) in recoded.CUT_SIZES.items():
        own = next(one for one in data.DATA_SETS if one.name == name)
        assert own.rows == rows and own.minority < rarer < rows / 2


def test_the_classifiers_that_were_trained_on_the_recoded_sets_do_not_come_nearer_to_print():
    (trial,) = (
        one
        for one in ledger.read_ledger(ledger.CAUSES, ledger.Trial)
        if (one.paper, one.cause) == ("naeini2016", "recoded")
    )
    assert trial.changed > 50 and trial.mended == 0 and not trial.accepted


def test_an_accepted_cause_without_a_test_of_chance_is_documented():
    for name, paper in PAPERS.items():
        causes = {cause.name: cause for cause in paper.causes}
        for trial in ledger.read_ledger(ledger.CAUSES, ledger.Trial):
            if trial.paper == name and trial.accepted and trial.chance > 0.1:
                assert causes[trial.cause].documented and not trial.tuned


def test_logistic_regression_of_weka_has_a_ridge_of_its_default():
    class Nothing:
        n_categories = ()

    assert make_classifier("LR", Nothing, 0)[-1].C == pytest.approx(1 / (2 * 1e-8))


def test_the_raw_row_of_table_two_is_of_one_training_set():
    paper, read = PAPERS["naeini2014"], ledger.reader()
    for table in paper.tables[2:4]:
        ours = table.ours(read, **table.reading)
        raw, binned = ours["base", "ECE"], ours["1e4", "ECE"]
        assert raw.error == pytest.approx(raw.spread * (1 + 1 / raw.repetitions) ** 0.5)
        assert binned.error == pytest.approx(binned.spread * (1 / 10 + 1 / 10) ** 0.5)
