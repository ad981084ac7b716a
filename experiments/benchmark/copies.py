"""What copies of rows do: the second benchmark on data sets with many, split row by row.

In the second benchmark equal rows of a data set stay in one part. Here rows are dealt out one by
one, as in the first, so that calibration and test rows may have been learnt by the base model.
"""

import numpy as np
import pandas as pd

from experiments.benchmark import second
from experiments.benchmark.calibrators import predictions
from experiments.benchmark.data import BY_NAME, encoded, split_rows, table
from experiments.benchmark.models import MODELS, fitted, probabilities
from experiments.recording import Experiment, grid

SPLIT = 0
# About a tenth of the calibration rows, or more, equal a training row.
WITH_COPIES = [
    "spect",
    "breast_cancer_ljubljana",
    "vote",
    "breast_wisconsin",
    "solar_flare_m0",
    "coil2000",
    "mammography",
    "w8a",
]


def parts_of(name):
    """Numbers of the rows that train, calibrate and test, dealt out one by one, and a row's group.

    Equal rows have the same group. The sizes are those of the second benchmark.
    """
    frame, labels = table(name)
    rows = BY_NAME[name].rows
    training = min(second.MOST_TRAINING, rows // 2)
    calibration = min(second.SIZES[-1] + 100, rows // 4)
    sizes = [training, calibration, min(second.MOST_TEST, rows - training - calibration)]
    parts = split_rows(labels, sizes, second.seed_of(name, SPLIT))
    return parts, pd.util.hash_pandas_object(frame, index=False).to_numpy()


def run_case(case):
    """One base model on one data set: a row a calibrator and number of points."""
    parts, group = parts_of(case["dataset"])
    frame, labels = table(case["dataset"])
    training, calibration, test = encoded(frame, labels, parts)
    learnt = np.isin(group[parts[1]], group[parts[0]]).mean()
    seed = second.seed_of(case["dataset"], SPLIT)
    model = fitted(case["model"], training.X, training.labels, seed)
    test_scores = probabilities(model, test.X)
    rows = []
    for part in second.samples(calibration, seed):
        scores = probabilities(model, part.X)
        for name, p, _ in predictions(scores, part.labels, test_scores, second.CANDIDATES):
            found = second.measures(test.labels, p)
            rows.append(
                {
                    "points": part.labels.size,
                    "learnt": second.rounded(float(learnt)),
                    "calibrator": name,
                    "log_loss": found["log_loss"],
                    "brier": found["brier"],
                }
            )
    return rows


BENCHMARK_COPIES = Experiment(
    name="benchmark_copies",
    title=f"The second benchmark on {len(WITH_COPIES)} data sets with copies, split row by row",
    seed=second.SEED,
    cases=lambda: grid(dataset=WITH_COPIES, model=list(MODELS), split=[SPLIT]),
    run_case=run_case,
    deviations=(
        "The first split of 'benchmark_second', where about a tenth of the calibration rows, or "
        "more, equal a training row if rows are dealt out singly; 'learnt' is that share.",
    ),
    datasets=tuple(WITH_COPIES),
)
