"""Cross Venn-Abers prediction, which uses the rows of training and calibration for both."""

import numpy as np

from calib import CalibratedClassifier, VennAbers
from experiments.benchmark.calibrators import timed
from experiments.benchmark.data import DATA_SETS, SEED, seed_of, split
from experiments.benchmark.models import MODELS, fitted, probabilities, seeded
from experiments.benchmark.protocol import measures, rounded
from experiments.recording import Experiment, grid

SPLIT = 0
RAW_ON_ALL = "Raw on all rows"
CVAP = "CVAP"


def run_case(case):
    """One base model on the first split of one data set: a row for it alone and one for CVAP."""
    training, calibration, test = split(case["dataset"], SPLIT)
    X = np.vstack([training.X, calibration.X])
    labels = np.append(training.labels, calibration.labels)
    seed = seed_of(case["dataset"], SPLIT)

    def raw():
        return probabilities(fitted(case["model"], X, labels, seed), test.X)

    def cross():
        model = CalibratedClassifier(
            seeded(case["model"], seed), VennAbers(), cv=5, ensemble=True, random_state=seed % 2**31
        )
        return model.fit(X, labels).predict_proba(test.X)[:, 1]

    rows = []
    for name, run in [(RAW_ON_ALL, raw), (CVAP, cross)]:
        p, seconds = timed(run)
        found = measures(test.labels, p)
        about = {"points": labels.size, "calibrator": name}
        rows.append({**about, **found, "seconds": rounded(seconds)})
    return rows


BENCHMARK_CROSS = Experiment(
    name="benchmark_cross",
    title=f"Cross Venn-Abers prediction on {len(DATA_SETS)} real data sets, {len(MODELS)} models",
    seed=SEED,
    cases=lambda: grid(dataset=[one.name for one in DATA_SETS], model=MODELS, split=[SPLIT]),
    run_case=run_case,
    deviations=(
        "Data sets, encoding, base models and test rows are those of the first split of "
        "'benchmark'; the rows that train and calibrate there are put together.",
        "Five folds; seconds are those of training, calibrating and predicting.",
    ),
    datasets=tuple(one.name for one in DATA_SETS),
)
