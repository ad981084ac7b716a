"""The recorded comparison of splitting criteria is what the code gives."""

import os

import numpy as np
import pytest
from scipy.special import expit

from experiments import recorded
from experiments.durfee2022.auc_split import AUC_SPLIT, CALIBRATORS, DEPTHS, compare, run_case


def turned_around(rng, n=1000):
    X = rng.normal(size=(n, 2))
    z = rng.random(n) < expit(0.6 * X[:, 1])
    return X, rng.normal((2 * z - 1) * np.sign(X[:, 0])), z.astype(int)


def test_the_criterion_wins_where_the_score_is_turned_around():
    rng = np.random.default_rng(0)
    data = {part: turned_around(rng) for part in ["training", "calibration", "test"]}
    rows = compare(data, depths=[1])
    keys = ["criterion", "trained_on", "depth", "calibrator"]
    auc = {tuple(row[key] for key in keys): row["AUC"] for row in rows}
    assert len(auc) == len(rows) == (1 + 2 * 2) * len(CALIBRATORS)
    assert abs(auc["none", "training", 0, "Platt"] - 0.5) < 0.1
    for part in ["training", "calibration"]:
        assert auc["AUC", part, 1, "Platt"] > auc["Gini", part, 1, "Platt"] + 0.15
    assert {row["parts"] for row in rows if row["criterion"] != "none"} == {2}


def test_every_case_is_recorded():
    rows = recorded(AUC_SPLIT.name)
    cases = AUC_SPLIT.cases()
    per_case = (1 + 2 * 2 * len(DEPTHS)) * len(CALIBRATORS)
    assert rows["AUC"].size == len(cases) * per_case
    for case in cases:
        chosen = np.all([rows[key] == value for key, value in case.items()], axis=0)
        assert chosen.sum() == per_case


@pytest.mark.slow
@pytest.mark.skipif(not os.environ.get("CALIB_DATA"), reason="needs the data files")
def test_a_slice_of_the_recorded_rows_comes_out_again():
    rows = recorded(AUC_SPLIT.name)
    case = {"dataset": "credit_default", "score": "logistic regression", "run": 4}
    chosen = np.all([rows[key] == value for key, value in case.items()], axis=0)
    again = run_case(case)
    for key in ["criterion", "trained_on", "calibrator"]:
        assert [row[key] for row in again] == rows[key][chosen].tolist()
    for key in ["AUC", "log_loss", "tree_AUC"]:
        np.testing.assert_allclose([row[key] for row in again], rows[key][chosen], atol=2e-3)
