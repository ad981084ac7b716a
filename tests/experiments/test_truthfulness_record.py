"""Lies and measures: the stored protocol, cases anew, and what was expected."""

import numpy as np
import pytest
from recorded_rows import assert_as_recorded

from calibkit.inference import hosmer_lemeshow_test
from experiments import recorded, truthfulness
from experiments.benchmark import frozen
from experiments.recording import RESULTS
from experiments.truthfulness import LAWS, LIES, MEASURES, NAME, TRUTH

TRUTHFUL = {"Brier score", "log loss", "averaged two-bin error"}


def test_the_stored_protocol_does_what_the_program_does():
    path = RESULTS / "protocols" / f"{NAME}.txt"
    stored = {"__name__": NAME}
    exec(compile(path.read_text(encoding="utf-8"), path, "exec"), stored)
    assert stored["__doc__"] == truthfulness.__doc__
    assert stored["cases"]() == truthfulness.cases()
    case = {"law": "near 0 and 1", "measure": "Kuiper error"}
    assert stored["run_case"](case) == truthfulness.run_case(case)
    assert set(recorded(NAME)["protocol"]) == {frozen.fingerprint(NAME)}


@pytest.mark.parametrize("measure", ["averaged two-bin error", "MCB", "Hosmer-Lemeshow"])
def test_cases_as_recorded(measure):
    case = {"law": "in the middle", "measure": measure}
    assert_as_recorded(NAME, case, truthfulness.run_case(case), tolerance=1e-3)


@pytest.mark.parametrize("law", LAWS)
def test_lies_that_are_only_coarser_are_calibrated(law):
    truth = truthfulness.truth_of(law)
    np.testing.assert_array_equal(truthfulness.told(truth, TRUTH), truth)
    assert TRUTH not in LIES
    for lie in LIES:
        if lie.slope == 1 and lie.shift == 0:
            said = truthfulness.told(truth, lie)
            for value in np.unique(said):
                assert truth[said == value].mean() == pytest.approx(value)


def test_the_statistic_of_hosmer_and_lemeshow():
    rng = np.random.default_rng(0)
    p = rng.random(200)
    labels = (rng.random(200) < p).astype(int)
    expected = hosmer_lemeshow_test(labels, p).statistic
    assert truthfulness.hosmer_lemeshow(labels, p) == pytest.approx(expected)


def test_what_was_expected_holds():
    rows = recorded(NAME)
    assert len(rows["ratio"]) == len(LAWS) * len(MEASURES)
    for measure in MEASURES:
        here = rows["measure"] == measure
        if measure in TRUTHFUL:
            assert np.all(rows["ratio"][here] > 1 - 3 * rows["error"][here])
        else:
            assert rows["ratio"][here].min() < 0.95
