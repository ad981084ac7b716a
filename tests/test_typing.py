"""What type checkers see: the stub, the hints of public names, the marker."""

import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import calib

PROGRAM = """
import numpy as np
import calib
from calib import CalibrationMap, HistogramBinning, expected_calibration_error, roc_auc_score

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


def public(kind):
    return [n for n in calib.__all__ if kind(getattr(calib, n))]


@pytest.mark.parametrize("name", public(inspect.isfunction))
def test_public_functions_have_hints(name):
    signature = inspect.signature(getattr(calib, name))
    assert signature.return_annotation is not signature.empty
    assert all(p.annotation is not p.empty for p in signature.parameters.values()), signature


@pytest.mark.parametrize("name", public(inspect.isclass))
def test_public_methods_have_hints(name):
    for method in ["__init__", *OWN]:
        function = inspect.getattr_static(getattr(calib, name), method, None)
        if inspect.isfunction(function) and function.__module__.startswith("calib."):
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
    assert [line.split(":")[1] for line in errors] == ["10", "11"], run.stdout
    assert Path(calib.__file__).with_name("py.typed").exists()
