"""Does longer training mend the networks on raw numbers: 100 epochs in place of 30.

``python -m calib.experiments.durfee2022.epochs`` trains the networks of three families of
`calib.experiments.durfee2022.networks` again, from the same starts and with the same batches, and
goes on where those stopped. This needs PyTorch.
"""

import numpy as np

from calib.experiments.durfee2022.data import SEED, features, split
from calib.experiments.durfee2022.networks import Stack, areas, rows_for
from calib.experiments.durfee2022.protocol import calibrated, partitions
from calib.experiments.durfee2022.scores import BUDGETS, SIZES
from calib.experiments.recording import Experiment, record
from calib.metrics import roc_auc_score

DATASETS = ["adult", "bank_full", "higgs"]
RATES = (1e-4, 1e-3)
EPOCHS = (10, 30, 50, 75, 100)


def run_case(case):
    """Train a family; after each number of epochs measure its networks and their calibration."""
    level = BUDGETS["standard"]
    encoded, runs = features(case["dataset"]), range(level.n_runs)
    parts = [
        split(case["dataset"], run, encoded.labels, encoded.held_out, at_most=level.n_training)
        for run in runs
    ]
    stack = Stack(
        rows_for(encoded, parts, case["inputs"]),
        SIZES[case["size"]],
        case["regularisation"],
        RATES,
        seeds=[SEED + run for run in runs],
    )
    best, epochs = np.full(stack.n, -np.inf), np.zeros(stack.n, int)
    kept = {part: stack.scores(part) for part in ["calibration", "test"]}
    rows = []
    for epoch in range(1, max(EPOCHS) + 1):
        stack.train_epoch()
        new = areas(stack, "validation")
        better = new > best  # never for NaN
        best[better], epochs[better] = new[better], epoch
        for part, scores in kept.items():
            scores[better] = stack.scores(part)[better]
        if epoch in EPOCHS:
            rows += [
                {
                    "n_epochs": epoch,
                    "run": k // len(RATES),
                    "learning_rate": RATES[k % len(RATES)],
                    "epoch": epochs[k],
                    "validation_auc": best[k],
                    **_measures(case["dataset"], k // len(RATES), *(s[k] for s in kept.values())),
                }
                for k in range(stack.n)
            ]
    return rows


def _measures(dataset, run, scores, test_scores):
    labels = partitions(dataset, run).labels["test"]
    _, probabilities = calibrated(dataset, run, scores.astype(float), test_scores.astype(float))
    return {
        "test_auc": roc_auc_score(labels, test_scores.astype(float)),
        "heterogeneous_auc": roc_auc_score(labels, probabilities["heterogeneous"]),
    }


EPOCHS_STUDY = Experiment(
    name="durfee2022_epochs",
    title="Networks of Durfee, Gupta and Basu (2022) on raw numbers, trained for up to 100 epochs",
    seed=SEED,
    cases=lambda: [
        {"dataset": dataset, "inputs": "raw", "size": "S", "regularisation": "none"}
        for dataset in DATASETS
    ],
    run_case=run_case,
    datasets=tuple(DATASETS),
    deviations=(
        "As durfee2022_networks_standard, but up to 100 epochs, two learning rates, size S without "
        "regularisation only; each row holds the best epoch up to n_epochs by validation AUC.",
        "The scores are not rounded to bytes. PyTorch 2.13.0.",
    ),
)


if __name__ == "__main__":
    record(EPOCHS_STUDY, n_jobs=1)
