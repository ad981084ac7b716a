"""Measure calib beside calibre, which needs Python 3.12, in an environment of its own.

``make bench`` sets the environment up where it finds Python 3.12; `measured` runs in it. Both
packages run in one process there, as in `run`, beside one sort of the same scores.
"""

import one_thread  # noqa: F401, I001  before NumPy is loaded

import csv
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

from timing import as_text, measure, sort_seconds

ROOT = Path(__file__).resolve().parents[1]
PYTHON = ROOT / ".venv-bench-calibre" / "bin" / "python"
COLUMNS = ["task", "method", "n", "fit", "predict", "sort"]


def methods():
    """For each task the methods, ours first."""
    import calibre  # only in the environment of Python 3.12

    import calib
    from calib import metrics
    from calibkit import inference

    def calibrator(model, method):
        """A calibrator, and the name of what predicts."""
        return lambda scores, labels, queries: (
            lambda: model.fit(scores, labels),
            lambda fitted: getattr(fitted, method)(queries),
        )

    def evaluated(function):
        """A measure of (labels, probabilities)."""
        return lambda scores, labels, queries: (
            lambda: function(labels, scores),
            lambda value: None,
        )

    return {
        "Isotonic regression, Python 3.12": {
            "calib IsotonicCalibrator": calibrator(calib.IsotonicCalibrator(), "predict"),
            "calibre IsotonicCalibrator": calibrator(calibre.IsotonicCalibrator(), "transform"),
            "calib IsotonicCalibrator(centred=True)": calibrator(
                calib.IsotonicCalibrator(centred=True), "predict"
            ),
            "calibre CenteredIsotonicCalibrator": calibrator(
                calibre.CenteredIsotonicCalibrator(), "transform"
            ),
        },
        "Splines, Python 3.12": {
            "calib SplineCalibrator": calibrator(calib.SplineCalibrator(), "predict"),
            "calibre SplineCalibrator": calibrator(calibre.SplineCalibrator(), "transform"),
        },
        "Measures, Python 3.12": {
            "calib expected_calibration_error": evaluated(
                lambda z, p: metrics.expected_calibration_error(z, p, strategy="uniform")
            ),
            "calibre expected_calibration_error": evaluated(calibre.expected_calibration_error),
            "calib smooth_ece": evaluated(inference.smooth_ece),
            "calibre smooth_calibration_error": evaluated(calibre.smooth_calibration_error),
            "calib score_decomposition": evaluated(metrics.score_decomposition),
            "calibre score_decomposition": evaluated(calibre.score_decomposition),
        },
    }


def print_rows():
    """Measure, and print a row for each method and size."""
    unit = sort_seconds()
    writer = csv.DictWriter(sys.stdout, COLUMNS, lineterminator="\n")
    for task, makers in methods().items():
        for name, make in makers.items():
            named = name.replace("calibre", f"calibre {version('calibre')}")
            writer.writerows(as_text(row, unit) for row in measure(task, named, make))


def measured():
    """Rows by task; none where the environment is not set up."""
    if not PYTHON.exists():
        print("calibre is not measured: make bench found no Python 3.12 (PYTHON312=...)")
        return {}
    command = [PYTHON, __file__]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    rows = list(csv.DictReader(done.stdout.splitlines(), COLUMNS))
    return {row["task"]: [r for r in rows if r["task"] == row["task"]] for row in rows}


if __name__ == "__main__":
    print_rows()
