"""Does longer training mend the networks: up to 100 epochs in place of 30, the best or the last.

``python -m experiments.durfee2022.epochs`` trains families of
`experiments.durfee2022.networks` again, from the same starts and with the same batches, and
goes on where those stopped. This needs PyTorch. It goes on after an interruption, too: a family is
recorded when it is done.
"""

import numpy as np

from calib.metrics import roc_auc_score
from calibkit.inference import auc_difference
from experiments.durfee2022.data import SEED, features, split
from experiments.durfee2022.networks import Stack, areas, rows_for
from experiments.durfee2022.protocol import choose_tree, heterogeneous, partitions
from experiments.durfee2022.scores import BUDGETS, REGULARISATIONS, SIZES
from experiments.recording import Experiment, record

EPOCHS = (10, 30, 50, 100)
LEVEL = BUDGETS["standard"]
PLAN = [  # data set, inputs, size and regularisations that have been trained
    ("adult", "raw", "S", REGULARISATIONS),
    ("adult", "standardised", "S", ["none", "batch norm"]),
    ("bank_full", "raw", "S", REGULARISATIONS),
]


def cases():
    """Families of networks, as in `experiments.durfee2022.scores.cases`."""
    return [
        {"dataset": dataset, "inputs": inputs, "size": size, "regularisation": regularisation}
        for dataset, inputs, size, regularisations in PLAN
        for regularisation in regularisations
    ]


def run_case(case):
    """Train a family; after each number of epochs measure its networks and their calibration."""
    return rows_of(**case, counts=EPOCHS, lasts=EPOCHS[-1:])


def rows_of(dataset, inputs, size, regularisation, counts, lasts, n_training=LEVEL.n_training):
    """Rows of the networks of a family, trained on at most `n_training` rows.

    For each number of epochs in `counts` those of the best epoch so far, for each in `lasts` those
    of that epoch itself.
    """
    encoded = features(dataset)
    parts = [
        split(dataset, run, encoded.labels, encoded.held_out, at_most=n_training)
        for run in range(LEVEL.n_runs)
    ]
    stack = Stack(
        rows_for(encoded, parts, inputs),
        SIZES[size],
        regularisation,
        LEVEL.rates,
        seeds=[SEED + run for run in range(LEVEL.n_runs)],
    )
    best = _measured(stack, 0, np.full(stack.n, -np.inf))
    about, rows = (dataset, n_training, {}), []
    for epoch in range(1, max(counts) + 1):
        stack.train_epoch()
        area = areas(stack, "validation")
        better = area > best["validation"]  # never for NaN
        if better.any() or epoch in lasts:
            last = _measured(stack, epoch, area)
            for name, values in best.items():
                values[better] = last[name][better]
        if epoch in counts:
            rows += _rows(about, epoch, "best", best)
        if epoch in lasts:
            failed = np.isnan(area)  # of those the best epoch is the last that can be measured
            for name, values in last.items():
                values[failed] = best[name][failed]
            rows += _rows(about, epoch, "last", last)
    return rows


def _measured(stack, epoch, validation):
    """What is kept of each network: the epoch, its AUC, and its scores on two parts."""
    return {
        "epoch": np.full(stack.n, epoch),
        "validation": validation.copy(),
        "calibration": stack.scores("calibration").astype(float),
        "test": stack.scores("test").astype(float),
    }


def _rows(about, n_epochs, kept, networks):
    """One row for each network.

    `about` is the data set, the most rows trained on, and the areas that are known already, by the
    network and its epoch.
    """
    dataset, n_training, known = about
    rows = []
    for k, epoch in enumerate(networks["epoch"]):
        run, scores = k // len(LEVEL.rates), (networks["calibration"][k], networks["test"][k])
        if (k, epoch) not in known:
            known[k, epoch] = _areas(dataset, n_training, run, *scores)
        rows.append(
            {
                "n_epochs": n_epochs,
                "kept": kept,
                "run": run,
                "learning_rate": LEVEL.rates[k % len(LEVEL.rates)],
                "epoch": epoch,
                "validation_auc": networks["validation"][k],
                **known[k, epoch],
            }
        )
    return rows


def _areas(dataset, n_training, run, scores, test_scores):
    """AUC before and after calibration by leaf, and the standard error of the difference."""
    of = partitions(dataset, run, n_training)
    labels, test_labels = of.labels["calibration"], of.labels["test"]
    leaves = of.leaves[choose_tree(of.leaves, scores, labels, run)]
    predicted = heterogeneous(leaves["calibration"], scores, labels, leaves["test"], test_scores)
    return {
        "test_auc": roc_auc_score(test_labels, test_scores),
        "heterogeneous_auc": roc_auc_score(test_labels, predicted),
        "error": auc_difference(test_labels, predicted, test_scores).error,
    }


EPOCHS_STUDY = Experiment(
    name="durfee2022_epochs",
    title="Networks of Durfee, Gupta and Basu (2022), trained for up to 100 epochs",
    seed=SEED,
    cases=cases,
    run_case=run_case,
    datasets=("adult", "bank_full"),
    deviations=(
        "As durfee2022_networks_standard, but up to 100 epochs, and a part of the grid only.",
        "Rows with kept = best hold the best epoch up to n_epochs by validation AUC, those with "
        "kept = last the last epoch.",
        "The scores are not rounded to bytes. PyTorch 2.13.0.",
        "The column error is the standard error of the AUC after calibration by leaf less that of "
        "the network, on the test rows (DeLong).",
    ),
)


if __name__ == "__main__":
    record(EPOCHS_STUDY, n_jobs=1)
