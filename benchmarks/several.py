"""What is measured of five classes: for each task the methods, ours first, as in `tasks`.

The binary scores that a method is given are not used: it has laws on the classes of its own, as
many, which are too extreme.
"""

import numpy as np
from netcal.scaling import LogisticCalibration, TemperatureScaling
from probmetrics.calibrators import get_calibrator
from sklearn.calibration import _TemperatureScaling
from venn_abers.venn_abers import VennAbersCalibrator

from calibkit import multiclass

CLASSES = 5


def sample(n, seed):
    """Laws on the classes, and a class for each, drawn from a less extreme law."""
    rng = np.random.default_rng(seed)
    laws = rng.dirichlet(np.ones(CLASSES), n)
    truth = np.cumsum(laws**0.6, axis=1)
    return laws, (rng.random(n) * truth[:, -1] > truth.T).sum(axis=0)


def calibrator(model, method="predict_proba"):
    """A calibrator, and the name of what predicts."""

    def make(scores, labels, queries):
        laws, classes = sample(scores.size, seed=scores.size)
        others, _ = sample(queries.size, seed=queries.size + 1)
        return lambda: model.fit(laws, classes), lambda fitted: getattr(fitted, method)(others)

    return make


class FitsWhereItPredicts:
    """The package venn-abers on pairs of classes: its `fit` keeps the sample."""

    def fit(self, laws, classes):
        """Keep them."""
        self.sample = {"p_cal": laws, "y_cal": classes}
        return self

    def predict_proba(self, laws):
        """Fit and predict."""
        return VennAbersCalibrator().predict_proba(**self.sample, p_test=laws)


TASKS = {
    "Temperature scaling, five classes": {
        "calib multiclass.TemperatureScaling": calibrator(multiclass.TemperatureScaling()),
        "scikit-learn _TemperatureScaling": calibrator(_TemperatureScaling(), "predict"),
        "probmetrics (temp-scaling)": calibrator(get_calibrator("temp-scaling")),
        "netcal TemperatureScaling": calibrator(TemperatureScaling(), "transform"),
    },
    "Vector scaling, five classes": {
        "calib multiclass.VectorScaling": calibrator(multiclass.VectorScaling()),
        "netcal LogisticCalibration": calibrator(LogisticCalibration(), "transform"),
        "probmetrics (svs, penalised)": calibrator(get_calibrator("svs")),
    },
    "Dirichlet calibration, five classes": {
        "calib multiclass.DirichletCalibration": calibrator(multiclass.DirichletCalibration()),
        "probmetrics (sms, another penalty)": calibrator(get_calibrator("sms")),
    },
    "Venn-Abers, five classes": {
        "calib multiclass.PairwiseVennAbers": calibrator(multiclass.PairwiseVennAbers()),
        "venn-abers VennAbersCalibrator": calibrator(FitsWhereItPredicts()),
    },
}
