"""The same calibrators in other packages, and LightGBM as a base model, on the first splits."""

import importlib.util
import math
import os
from contextlib import redirect_stderr, redirect_stdout

import numpy as np
from sklearn.base import BaseEstimator, clone

from experiments.benchmark.calibrators import CANDIDATES, predictions, timed
from experiments.benchmark.data import DATA_SETS, SEED, seed_of, split
from experiments.benchmark.models import MODELS, fitted, probabilities
from experiments.benchmark.protocol import measures, rounded
from experiments.recording import Experiment, grid

SPLIT = 0
LIGHTGBM = "LightGBM"
PACKAGES = ["betacal", "splinecalib", "probcal", "probmetrics", "netcal", "lightgbm"]


class Peer(BaseEstimator):
    """A calibrator of another package, with the form of ours.

    Parameters
    ----------
    module, name : str
    options : dict
        Arguments of its constructor.
    columns : int
        Of the scores that it takes: 1 for the probability of class 1, 2 for both classes; 0 for an
        array of one dimension.
    method : str
        What predicts.
    """

    def __init__(self, module, name, options=None, columns=0, method="predict"):
        self.module = module
        self.name = name
        self.options = options
        self.columns = columns
        self.method = method

    def fit(self, scores, labels):
        """Fit the other package's calibrator."""
        kind = getattr(importlib.import_module(self.module), self.name)
        self.model_ = kind(**(self.options or {}))
        self.model_.fit(self._form(scores), labels)
        return self

    def predict(self, scores):
        """Probabilities of class 1."""
        found = getattr(self.model_, self.method)(self._form(scores))
        if isinstance(found, tuple):  # venn-abers gives pairs of probabilities, too
            found = found[0]
        found = np.asarray(found, np.float64)
        return found[:, 1] if found.ndim == 2 else found

    def _form(self, scores):
        both = np.column_stack([1 - scores, scores])
        return both[:, -self.columns :] if self.columns else scores


PEERS = {
    "Beta, betacal": Peer("betacal", "BetaCalibration", {"parameters": "abm"}, 1),
    "Quadratic, probmetrics": Peer(
        "probmetrics.calibrators",
        "BinaryLogisticCalibrator",
        {"type": "quadratic"},
        2,
        "predict_proba",
    ),
    "Spline, splinecalib": Peer("splinecalib", "SplineCalib", method="calibrate"),
    "Spline, probcal": Peer("probcal", "SplineCalibrator", method="predict_proba"),
    "BBQ, probcal": Peer("probcal", "BBQCalibrator", method="predict_proba"),
    "BBQ, netcal": Peer("netcal.binning", "BBQ", method="transform"),
    "ENIR, probcal": Peer("probcal", "ENIRCalibrator", method="predict_proba"),
}


def run_case(case):
    """One base model on the first split of one data set: a row a calibrator, ours and theirs."""
    check_installed(PACKAGES)
    training, calibration, test = split(case["dataset"], SPLIT)
    model = trained(case["model"], training, seed_of(case["dataset"], SPLIT))
    scores = probabilities(model, calibration.X)
    test_scores = probabilities(model, test.X)
    rows = [
        row(name, test.labels, p, seconds)
        for name, p, seconds in predictions(scores, calibration.labels, test_scores, CANDIDATES)
    ]
    for name, peer in PEERS.items():
        found = outcome(peer, scores, calibration.labels, test_scores, test.labels, measures)
        del found["error"]
        rows.append({"calibrator": name, **found})
    return [{"points": calibration.labels.size, **one} for one in rows]


def row(name, labels, p, seconds):
    """The measures of one calibrator."""
    return {"calibrator": name, **measures(labels, p), "seconds": rounded(seconds)}


def outcome(peer, scores, labels, test_scores, test_labels, measures):
    """The measures of a peer and its seconds, or the name of the error in place of numbers.

    Whatever another package raises: the row says that it gave nothing. What is not a probability
    is refused by the measures.
    """
    try:
        with open(os.devnull, "w") as nowhere, redirect_stdout(nowhere), redirect_stderr(nowhere):
            p, seconds = timed(lambda: clone(peer).fit(scores, labels).predict(test_scores))
        return {**measures(test_labels, p), "error": "", "seconds": rounded(seconds)}
    except Exception as error:
        nothing = dict.fromkeys(measures(test_labels, test_scores), math.nan)
        return {**nothing, "error": type(error).__name__, "seconds": math.nan}


def trained(name, training, seed):
    """A base model of the benchmark, or LightGBM with its defaults."""
    if name != LIGHTGBM:
        return fitted(name, training.X, training.labels, seed)
    model = importlib.import_module("lightgbm").LGBMClassifier(
        n_jobs=1, verbose=-1, random_state=seed % 2**31
    )
    return model.fit(training.X, training.labels)


def check_installed(packages):
    """Raise unless all the other packages are there."""
    missing = [name for name in packages if importlib.util.find_spec(name) is None]
    if missing:
        raise ImportError(
            f"the comparison with other packages needs {', '.join(missing)}: install them with "
            "pip, beside benchmarks/requirements.txt, in an environment of their own"
        )


BENCHMARK_PEERS = Experiment(
    name="benchmark_peers",
    title=f"Other packages' calibrators, and LightGBM, on {len(DATA_SETS)} real data sets",
    seed=SEED,
    cases=lambda: grid(
        dataset=[one.name for one in DATA_SETS], model=[*MODELS, LIGHTGBM], split=[SPLIT]
    ),
    run_case=run_case,
    deviations=(
        "Data sets, encoding, base models and rows are those of the first split of 'benchmark', "
        "with all calibration rows; LightGBM has its defaults.",
        "Packages: betacal 1.1.0, probmetrics 1.3.0 (its quadratic logit), splinecalib 0.0.13, "
        "probcal 0.4.0, netcal 1.4.0, lightgbm 4.7.0, each with its defaults; a row without "
        "numbers is one in which a package raised an error or gave no probabilities.",
    ),
    datasets=tuple(one.name for one in DATA_SETS),
)
