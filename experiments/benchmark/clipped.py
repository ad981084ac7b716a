"""The log losses of 'benchmark_peers' that are infinite, clipped as CalArena clips them.

CalArena's log loss (package ``probmetrics``, class ``LogLoss``) takes no logarithm below that of
the smallest normal number of single precision: what had probability 0 costs 87.3 and not infinity.
Which method wins may depend on this constant, so the infinite rows are run again and clipped so.
"""

import numpy as np

from experiments.benchmark.calibrators import CANDIDATES, RAW, timed
from experiments.benchmark.data import DATA_SETS, SEED, seed_of, split
from experiments.benchmark.models import MODELS, fitted, probabilities
from experiments.benchmark.peers import PEERS, SPLIT
from experiments.benchmark.protocol import rounded
from experiments.recording import Experiment, recorded

LEAST_LOGARITHM = float(np.log(np.finfo(np.float32).tiny))
# Methods of both benchmarks: theirs, and the same in the rows of 'benchmark_peers'.
SHARED = {
    "Base-model": RAW,
    "Platt-probs": "Platt",
    "Platt-logits": "Platt on logits",
    "TS": "Temperature",
    "Beta": "Beta",
    "Quadratic": "Quadratic",
    "Spline": "Spline, splinecalib",
    "Venn-Abers": "Venn-Abers",
    "Isotonic": "Isotonic",
    "Hist-quantile": "Histogram",
    "BBQ": "BBQ, netcal",
}


def clipped_log_loss(labels, p):
    """Mean log loss with logarithms of at least `LEAST_LOGARITHM`, as CalArena computes it.

    Parameters
    ----------
    labels, p : array-like of shape (n,)
        Labels 0 and 1, and probabilities of class 1.
    """
    happened = np.where(np.asarray(labels) == 1, p, 1 - np.asarray(p, np.float64))
    with np.errstate(divide="ignore"):
        return float(-np.maximum(np.log(happened), LEAST_LOGARITHM).mean())


def infinite():
    """The shared methods with infinite log loss in 'benchmark_peers', by data set and model."""
    rows = recorded("benchmark_peers")
    kept = np.isinf(rows["log_loss"]) & np.isin(rows["calibrator"], list(SHARED.values()))
    found = {}
    for dataset, model, name in zip(
        rows["dataset"][kept].tolist(),
        rows["model"][kept].tolist(),
        rows["calibrator"][kept].tolist(),
        strict=True,
    ):
        if model in MODELS:
            found.setdefault((dataset, model), []).append(name)
    return found


def run_case(case):
    """One base model on the first split of one data set: a row a method of infinite loss."""
    training, calibration, test = split(case["dataset"], SPLIT)
    seed = seed_of(case["dataset"], SPLIT)
    model = fitted(case["model"], training.X, training.labels, seed)
    scores = probabilities(model, calibration.X)
    test_scores = probabilities(model, test.X)
    rows = []
    for name in infinite()[case["dataset"], case["model"]]:
        p = test_scores
        if name != RAW:
            one = PEERS[name] if name in PEERS else CANDIDATES[name].calibrator
            p, _ = timed(lambda one=one: one.fit(scores, calibration.labels).predict(test_scores))
        loss = clipped_log_loss(test.labels, p)
        brier = np.mean((test.labels - p) ** 2)
        rows.append({"calibrator": name, "clipped": rounded(loss), "brier": rounded(float(brier))})
    return rows


BENCHMARK_CLIPPED = Experiment(
    name="benchmark_clipped",
    title="The infinite log losses of 'benchmark_peers', clipped as CalArena clips",
    seed=SEED,
    cases=lambda: [{"dataset": dataset, "model": model} for dataset, model in infinite()],
    run_case=run_case,
    deviations=(
        "Rows of 'benchmark_peers' with infinite log loss, of the methods that CalArena has too, "
        "without the base model LightGBM; run again with the same splits and seeds.",
        f"No logarithm is below {LEAST_LOGARITHM:.1f}, that of the smallest normal number of "
        "single precision.",
    ),
    datasets=tuple(one.name for one in DATA_SETS),
)
