"""What type checkers see: the stub, the hints of public names, the marker."""

import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import calib
import calibkit

PROGRAM = """
import numpy as np
import calib
from calib import CalibrationMap, HistogramBinning
from calib.metrics import expected_calibration_error, roc_auc_score

calibrator: HistogramBinning = HistogramBinning(n_bins=3).fit([0.1, 0.2], [0, 1])
probabilities: np.ndarray = calibrator.predict([0.1])
map_: CalibrationMap = CalibrationMap.from_dict({"kind": "sigmoid"})
error: float = expected_calibration_error([0, 1], probabilities) + roc_auc_score([0, 1], [0, 1])
wrong_type: str = calib.ENIR(criterion="bic").score([0.1], [1])
wrong_name = calib.Enir
"""
OWN = [
    "__init__",
    "fit",
    "predict",
    "predict_proba",
    "predict_interval",
    "predict_logit",
    "score",
    "apply",
]


ROOMS = [calib, calib.metrics, *(getattr(calibkit, room) for room in calibkit.__all__)]


def public(kind):
    return [getattr(room, n) for room in ROOMS for n in room.__all__ if kind(getattr(room, n))]


@pytest.mark.parametrize("function", public(inspect.isfunction))
def test_public_functions_have_hints(function):
    signature = inspect.signature(function)
    assert signature.return_annotation is not signature.empty
    assert all(p.annotation is not p.empty for p in signature.parameters.values()), signature


@pytest.mark.parametrize("owner", public(inspect.isclass))
def test_public_methods_have_hints(owner):
    for method in OWN:
        function = inspect.getattr_static(owner, method, None)
        if inspect.isfunction(function) and function.__module__.startswith(("calib.", "calibkit.")):
            signature = inspect.signature(function)
            returns = signature.return_annotation is not signature.empty
            assert returns or method == "__init__", method
            hinted = [p.annotation is not p.empty for p in signature.parameters.values()]
            assert all(hinted[1:]), (method, signature)


def test_a_type_checker_sees_the_public_names(tmp_path):
    """It finds the two mistakes in the program, and no others."""
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    command = [sys.executable, "-m", "mypy", "--ignore-missing-imports", "--follow-imports=silent"]
    run = subprocess.run(
        [*command, "--cache-dir", tmp_path, program],
        capture_output=True,
        text=True,
        cwd=Path(calib.__file__).parents[1],
    )
    errors = [line for line in run.stdout.splitlines() if ": error: " in line]
    assert [line.split(":")[1] for line in errors] == ["11", "12"], run.stdout
    assert Path(calib.__file__).with_name("py.typed").exists()
