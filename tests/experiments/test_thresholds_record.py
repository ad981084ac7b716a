"""Thresholds with a promise on simulated logs: the stored protocol, a case anew, the promises."""

import numpy as np
import pytest
from recorded_rows import assert_as_recorded
from scipy.stats import binom

from experiments import recorded, risk_control
from experiments.benchmark import frozen
from experiments.recording import RESULTS
from experiments.risk_control import LAWS, NAME, RULES, SIZES, summary


def test_the_stored_protocol_does_what_the_program_does():
    path = RESULTS / "protocols" / f"{NAME}.txt"
    stored = {"__name__": NAME}
    exec(compile(path.read_text(encoding="utf-8"), path, "exec"), stored)
    assert stored["__doc__"] == risk_control.__doc__
    assert stored["cases"]() == risk_control.cases()
    case = {"law": "few near 1", "rows": 1000, "batch": 3}
    assert stored["run_case"](case) == risk_control.run_case(case)
    assert set(recorded(NAME)["protocol"]) == {frozen.fingerprint(NAME)}


def test_a_case_as_recorded():
    case = {"law": "overconfident", "rows": 1000, "batch": 0}
    assert_as_recorded(NAME, case, risk_control.run_case(case), tolerance=1e-3)


@pytest.mark.parametrize("law", LAWS)
def test_errors_beyond_thresholds_are_those_of_a_large_sample(law):
    atoms = risk_control.atoms_of(law)
    errors, shares = risk_control.beyond(atoms)
    rng = np.random.default_rng(1)
    drawn = rng.choice(atoms.masses.size, 200_000, p=atoms.masses)
    accepted = atoms.predictions[drawn] >= 0.5
    assert shares[50] == pytest.approx(accepted.mean(), abs=0.005)
    negatives = rng.random(drawn.size) >= atoms.truth[drawn]
    assert errors[50] == pytest.approx(negatives[accepted].mean(), abs=0.005)


def test_what_was_expected_holds():
    rows = recorded(NAME)
    found = {
        (law, n, rule): summary(rows, law, n, rule) for law in LAWS for n in SIZES for rule in RULES
    }
    assert {one.logs for one in found.values()} == {2000}
    for law in LAWS:
        for n in SIZES:
            assert found[law, n, "walks"].broken <= binom.ppf(0.999, 2000, risk_control.ALPHA)
        assert found[law, 10_000, "walks"].points < 5
    by_hand = max(one.broken for key, one in found.items() if key[2] == "share of errors")
    assert by_hand > 2000 / 4
    assert max(one.broken for key, one in found.items() if key[2] == "walks") == 54
