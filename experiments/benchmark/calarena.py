"""Our calibrators in the form that CalArena asks for, and one command that runs them on its files.

CalArena (Berta, Holzmüller, Bach and Jordan, 2026, arXiv 2605.30188) compares calibrators on stored
predictions. Its repository says, in ``README.md`` and ``run_benchmark.py``, what it asks for, and
this module follows that:

* ``calibration_benchmarks/NAME.h5`` has a group ``DATASET/MODEL`` with ``probas_cal``,
  ``labels_cal``, ``probas_test`` and ``labels_test``; a binary ``probas`` is one-dimensional, the
  probability of class 1, or has a column for each class;
* ``custom_calibrators.py`` has a dictionary ``CUSTOM_CALIBRATORS`` from a name to a function
  without arguments that gives a new object with ``fit(p_cal, y_cal)`` and
  ``predict_proba(p_test)``, a column for each class.

Two ways to run it. Here, with ``h5py`` beside this package; the tables of all calibrators, or of
those that are named, go into the folder ``results/tabrepo-binary``::

    python -m experiments.benchmark.calarena calibration_benchmarks/tabrepo-binary.h5 results

There, where ``custom_calibrators.py`` says
``from experiments.benchmark.calarena import CUSTOM_CALIBRATORS``::

    python run_benchmark.py --benchmark tabrepo-binary --calibrator calib-Average

The first was run on invented files of that form, where its losses are those of the metrics of
``probmetrics``; their files and their ``run_benchmark.py`` have not been run. CVAP and the
calibrators that look at features cannot take part: there are no classifiers to train and no
features. ABB is left out, whose time grows with the square of the calibration rows.
"""

import re
import sys
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, clone

from experiments.benchmark import calibrators, second
from experiments.benchmark.calibrators import timed
from experiments.benchmark.clipped import clipped_log_loss


class CalArenaCalibrator(BaseEstimator):
    """A calibrator of two classes for CalArena.

    Parameters
    ----------
    calibrator : Calibrator
        Cloned; sees the probability of class 1.

    Examples
    --------
    >>> from calib import BetaCalibration
    >>> model = CalArenaCalibrator(BetaCalibration())
    >>> model.fit([0.1, 0.4, 0.6, 0.8], [0, 1, 0, 1])
    >>> model.predict_proba([0.3, 0.7]).shape
    (2, 2)
    """

    def __init__(self, calibrator):
        self.calibrator = calibrator

    def fit(self, p_cal, y_cal):
        """Learn from probabilities, of shape (n,) or (n, 2), and labels."""
        self.calibrator_ = clone(self.calibrator).fit(_of_class_1(p_cal), np.asarray(y_cal))

    def predict_proba(self, p_test):
        """Probabilities of both classes, of shape (n, 2)."""
        p = self.calibrator_.predict(_of_class_1(p_test))
        return np.column_stack([1 - p, p])


def _of_class_1(probabilities):
    """The last column, in double precision; single precision may leave [0, 1] by its rounding."""
    probabilities = np.asarray(probabilities, np.float64)
    if probabilities.ndim == 2:
        probabilities = probabilities[:, -1]
    return np.clip(probabilities, 0.0, 1.0)


CUSTOM_CALIBRATORS = {
    "calib-" + re.sub(r"\W+", "-", name): lambda one=one: CalArenaCalibrator(one.calibrator)
    for name, one in {**calibrators.CANDIDATES, **second.CANDIDATES}.items()
    if np.isinf(one.most)
}


def run(groups, name):
    """One calibrator on every data set and base model, as the tables of CalArena have it.

    Parameters
    ----------
    groups : mapping
        An open HDF5 file, or dicts of the same form: data set, base model, array.
    name : str
        Of `CUSTOM_CALIBRATORS`.

    Returns
    -------
    DataFrame
        ``dataset``, ``model``, ``cal_size``, ``test_size``, and after the name of the calibrator
        ``_brier`` (the sum over both classes), ``_logloss`` (clipped as theirs) and ``_time``.
    """
    lines = []
    for dataset in groups:
        for model, group in groups[dataset].items():
            p_cal = np.asarray(group["probas_cal"][:])
            y_cal = np.asarray(group["labels_cal"][:])
            p_test = np.asarray(group["probas_test"][:])
            y_test = np.asarray(group["labels_test"][:])
            calibrator = CUSTOM_CALIBRATORS[name]()

            def both(calibrator=calibrator, p_cal=p_cal, y_cal=y_cal, p_test=p_test):
                calibrator.fit(p_cal, y_cal)
                return calibrator.predict_proba(p_test)[:, 1]

            p, seconds = timed(both)
            lines.append(
                {
                    "dataset": dataset,
                    "model": model,
                    "cal_size": len(y_cal),
                    "test_size": len(y_test),
                    f"{name}_brier": 2 * np.mean((y_test - p) ** 2),
                    f"{name}_logloss": clipped_log_loss(y_test, p),
                    f"{name}_time": seconds,
                }
            )
    return pd.DataFrame(lines)


def main(arguments):
    """Run the named calibrators, by default all, on a file; tables that are there stay."""
    import h5py  # a reader's own file: the project does not need it

    source = Path(arguments[0])
    folder = Path(arguments[1]) / source.stem
    names = arguments[2:]
    folder.mkdir(parents=True, exist_ok=True)
    with h5py.File(source, "r") as groups:
        for name in names or CUSTOM_CALIBRATORS:
            path = folder / f"{name}.csv"
            if not path.exists():
                run(groups, name).to_csv(path, index=False)
            print(path)


if __name__ == "__main__":
    main(sys.argv[1:])
