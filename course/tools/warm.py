"""What the process imports once from which examinations start: packages that tests use."""

import numpy as np
import scipy.special
import scipy.stats  # noqa: F401

import calib

SCORES, LABELS = np.arange(8.0), np.array([0, 1, 0, 1, 0, 1, 1, 1])


def compile_calibrators():
    """Compile and keep what students use of calib, so that their processes find it compiled."""
    for calibrator in [calib.PlattScaling(), calib.IsotonicCalibrator()]:
        calibrator.fit(SCORES, LABELS).predict(SCORES)
    calib.VennAbers().fit(SCORES, LABELS).predict_interval(SCORES)
