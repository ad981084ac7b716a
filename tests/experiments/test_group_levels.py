"""How often limits and tests of small groups err: what is counted, and the record."""

import numpy as np
import pytest
from recorded_rows import assert_as_recorded

from calibkit.inference import calibration_by_group
from experiments import group_levels, recorded
from experiments.group_levels import GROUP_LEVELS, SIZES


def test_the_limits_of_a_single_case_by_hand():
    """Clopper and Pearson: a positive among one excludes probabilities below (1 - confidence)/2."""
    found = calibration_by_group([1], [0.3], ["a"], confidence=0.95)["a"]
    assert found.lower == pytest.approx(0.025 - 0.3) and found.upper == pytest.approx(0.7)


def test_a_case_as_recorded():
    case = {"law": "overconfident", "groups": "one of 400, 100 of one", "batch": 0}
    assert_as_recorded(GROUP_LEVELS.name, case, group_levels.run_case(case), tolerance=1)


def test_the_record_has_every_case_and_the_shares_add_up():
    rows = recorded(GROUP_LEVELS.name)
    assert rows["law"].size == len(GROUP_LEVELS.cases())
    for law in group_levels.PREDICTIONS:
        kept = (rows["law"] == law) & (rows["groups"] == "50 of one")
        found = group_levels.shares(rows, law, "50 of one")
        assert found.missed == rows["missed"][kept].sum() / 1000


def test_what_is_missed_is_seen(monkeypatch):
    """One group of 400 with confidence one half: about half of the limits miss."""
    monkeypatch.setattr(group_levels, "ALPHA", 0.5)
    monkeypatch.setitem(SIZES, "50 of one", np.array([400]))
    (row,) = group_levels.run_case({"law": "calibrated", "groups": "50 of one", "batch": 0})
    assert 5 <= row["missed"] <= 35 and 10 <= row["rejected"] <= 40
