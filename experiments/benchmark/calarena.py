"""Our calibrators in the form that CalArena asks for.

CalArena (Berta, Holzmüller, Bach and Jordan, 2026, arXiv 2605.30188) compares calibrators on stored
predictions. Its repository says, in ``README.md`` and ``run_benchmark.py``, what it asks for, and
this module follows that:

* ``calibration_benchmarks/NAME.h5`` has a group ``DATASET/MODEL`` with ``probas_cal``,
  ``labels_cal``, ``probas_test`` and ``labels_test``; a binary ``probas`` is one-dimensional, the
  probability of class 1, or has a column for each class;
* ``custom_calibrators.py`` has a dictionary ``CUSTOM_CALIBRATORS`` from a name to a function
  without arguments that gives a new object with ``fit(p_cal, y_cal)`` and
  ``predict_proba(p_test)``.

Assumed, since only the code says so, is that ``predict_proba`` gives a column for each class and
that probabilities may be of single precision. To run it, clone CalArena, put its HDF5 files where
its ``README.md`` says, install this package beside it, and write ``custom_calibrators.py`` anew::

    from experiments.benchmark.calarena import CUSTOM_CALIBRATORS

Then ``python run_benchmark.py --benchmark tabrepo-binary --calibrator calib-Venn-Abers`` writes
``results/tabrepo-binary/calib-Venn-Abers.csv``. CVAP and the calibrators that look at features
cannot take part: there are no classifiers to train and no features.
"""

import numpy as np
from sklearn.base import BaseEstimator, clone

from experiments.benchmark.calibrators import CANDIDATES


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
    f"calib-{name.replace(' ', '-')}": lambda one=one: CalArenaCalibrator(one.calibrator)
    for name, one in CANDIDATES.items()
}
