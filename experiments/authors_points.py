"""The rings that the authors published: our numbers beside the output of their program.

The repository github.com/pakdaman/calibration has them in ``BBQ/data.mat``, and the output
of the program ``BBQ/test.m`` in ``BBQ/output.txt``. It has no licence file, so neither is stored
here: ``python -m experiments.authors_points FOLDER`` reads both from a copy of ``BBQ``.

The program trains MATLAB's support vector machine, which standardises the columns, has the box
constraint 1, and for the quadratic one the kernel d (1 + d) of inner products d. It calibrates the
sigmoid of the margin by BBQ, on the points that trained the machine. Here this is done by their BBQ
as `experiments.authors_bbq` restates it, and by ours.

Whoever names a copy of the folder ``BBQ`` in the environment variable AUTHORS_POINTS can record the
numbers anew: ``python -m experiments naeini2015_output``.
"""

import argparse
import os
import re
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.io import loadmat
from scipy.special import expit
from sklearn.svm import SVC

from calib import BBQ
from calib.metrics import evaluate
from calibkit.datasets import DatasetNotFound
from experiments.authors_bbq import AuthorsBBQ
from experiments.recording import Experiment, grid

MEASURES = ["RMSE", "AUC", "ACC", "MCE", "ECE"]
MACHINES = ["Linear", "Quadratic"]
STAGES = ["raw", "BBQ", "our BBQ"]  # their program prints the first two
FOLDER = "AUTHORS_POINTS"
TOLERANCE = 1e-6  # of the optimiser: the printed digits do not hang on it


class Points(NamedTuple):
    """Standardised columns and labels.

    Attributes
    ----------
    train, test : ndarray of shape (n, 2)
    train_labels, test_labels : ndarray of shape (n,), 0/1
    """

    train: np.ndarray
    train_labels: np.ndarray
    test: np.ndarray
    test_labels: np.ndarray


def read_points(path):
    """The points of ``data.mat``, standardised by means and deviations of those that train."""
    stored = loadmat(path)
    centre, scale = stored["XTR"].mean(axis=0), stored["XTR"].std(axis=0, ddof=1)
    return Points(
        train=(stored["XTR"] - centre) / scale,
        train_labels=stored["YTR"].ravel().astype(int),
        test=(stored["XTE"] - centre) / scale,
        test_labels=stored["YTE"].ravel().astype(int),
    )


def read_output(path):
    """The four printed rows: measures by machine and stage, "raw" or "BBQ"."""
    text = Path(path).read_text(encoding="utf-8")
    numbers = re.findall(r"(RMSE|AUC|ACC|MCE|ECE): ([\d.]+)", text)
    if [name for name, _ in numbers] != MEASURES * 4:
        raise ValueError(f"{path} should hold four rows of {', '.join(MEASURES)}")
    keys = [(machine, stage) for machine in MACHINES for stage in ("raw", "BBQ")]
    values = np.array([float(value) for _, value in numbers]).reshape(4, len(MEASURES))
    return {
        key: dict(zip(MEASURES, row, strict=True)) for key, row in zip(keys, values, strict=True)
    }


def quadratic(first, second):
    """The kernel d (1 + d) of inner products d."""
    inner = first @ second.T
    return inner * (1 + inner)


def computed(points):
    """Our measures on the test points, by machine and stage; an AUC below 1/2 is folded."""
    found = {}
    for machine, kernel in zip(MACHINES, ["linear", quadratic], strict=True):
        model = SVC(C=1.0, kernel=kernel, tol=TOLERANCE).fit(points.train, points.train_labels)
        train, test = (expit(model.decision_function(X)) for X in (points.train, points.test))
        predictions = {
            "raw": test,
            "BBQ": AuthorsBBQ().fit(train, points.train_labels).predict(test),
            "our BBQ": BBQ().fit(train, points.train_labels).predict(test),
        }
        for stage, p in predictions.items():
            row = evaluate(points.test_labels, p, ties="label")
            row["AUC"] = max(row["AUC"], 1 - row["AUC"])
            found[machine, stage] = {name: float(row[name]) for name in MEASURES}
    return found


def run_output(case):
    """The five measures of a machine and stage: the printed ones, if there are any, and ours."""
    folder = os.environ.get(FOLDER)
    if not folder:
        raise DatasetNotFound(
            f"name a copy of the folder BBQ of github.com/pakdaman/calibration in {FOLDER}"
        )
    key = case["machine"], case["stage"]
    printed = read_output(Path(folder) / "output.txt").get(key, {})
    found = computed(read_points(Path(folder) / "data.mat"))[key]
    return [
        {"measure": name, "printed": printed.get(name, np.nan), "ours": found[name]}
        for name in MEASURES
    ]


OUTPUT = Experiment(
    name="naeini2015_output",
    title="The twenty numbers that the authors' program prints on their points, and ours",
    seed=0,
    cases=lambda: grid(machine=MACHINES, stage=STAGES),
    run_case=run_output,
    deviations=(
        "The points are those of BBQ/data.mat in github.com/pakdaman/calibration, which has no "
        "licence file and is not stored here; the printed numbers are those of BBQ/output.txt.",
        "Scikit-learn's machine stands for MATLAB's, with the constants of BBQ/test.m.",
        "'BBQ' is their program, restated from BBQ/build.m, elbow.m and predict.m; 'our BBQ' is "
        "that of the package, which they did not print.",
        "Nothing is random.",
    ),
)


def main(arguments=None):
    """Print our numbers beside the printed ones."""
    parser = argparse.ArgumentParser(
        prog="python -m experiments.authors_points", description=__doc__.splitlines()[0]
    )
    parser.add_argument("folder", type=Path, help="with data.mat and output.txt")
    folder = parser.parse_args(arguments).folder
    printed = read_output(folder / "output.txt")
    found = computed(read_points(folder / "data.mat"))
    print(f"{'':16}" + "".join(f"{name:>17}" for name in MEASURES))
    for (machine, stage), row in printed.items():
        cells = [f"{found[machine, stage][name]:.4f} ({row[name]:.4f})" for name in MEASURES]
        print(f"{machine:10} {stage:5}" + "".join(f"{cell:>17}" for cell in cells))
    print("ours, and in brackets what their program printed")


if __name__ == "__main__":
    main()
