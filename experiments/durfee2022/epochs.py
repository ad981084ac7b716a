"""Does longer training mend the networks: up to 100 epochs in place of 30, the best or the last.

``python -m experiments.durfee2022.epochs`` trains families of
`experiments.durfee2022.networks` again, from the same starts and with the same batches, and
goes on where those stopped. This needs PyTorch. It goes on after an interruption, too: a family is
recorded when it is done.
"""

from itertools import product

import numpy as np

from calib.metrics import roc_auc_score
from calibkit.inference import auc_difference
from experiments.durfee2022.data import SEED
from experiments.durfee2022.networks import areas, stack_for
from experiments.durfee2022.protocol import choose_tree, heterogeneous, partitions
from experiments.durfee2022.scores import BUDGETS, REGULARISATIONS
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
    case = {"dataset": dataset, "inputs": inputs, "size": size, "regularisation": regularisation}
    level = LEVEL._replace(n_training=n_training)
    stack = stack_for(case, level)
    course = Course(stack, counts, lasts)
    for _ in range(max(counts)):
        stack.train_epoch()
        course.after_epoch()
    return measured_rows(dataset, level, course.kept, range(level.n_runs))


class Course:
    """What is kept of a stack of networks while they train.

    Parameters
    ----------
    stack : Stack
    counts : sequence of int
        Numbers of epochs after which the best epoch so far is kept.
    lasts : sequence of int
        Epochs that are kept themselves.

    Attributes
    ----------
    kept : list of tuple
        Number of epochs, ``"best"`` or ``"last"``, and by name the epoch, the validation AUC and
        the scores of each network.
    """

    def __init__(self, stack, counts, lasts):
        self.stack = stack
        self.counts = counts
        self.lasts = lasts
        self.kept = []
        self.epoch = 0
        self._best = _measured(stack, 0, np.full(stack.n, -np.inf))

    def after_epoch(self):
        """Measure the networks after one more epoch."""
        self.epoch += 1
        area = areas(self.stack, "validation")
        better = area > self._best["validation"]  # never for NaN
        if better.any() or self.epoch in self.lasts:
            last = _measured(self.stack, self.epoch, area)
            for name, values in self._best.items():
                values[better] = last[name][better]
        if self.epoch in self.counts:
            self._keep("best", self._best)
        if self.epoch in self.lasts:
            failed = np.isnan(area)  # of those the best epoch is the last that can be measured
            for name, values in last.items():
                values[failed] = self._best[name][failed]
            self._keep("last", last)

    def _keep(self, kept, networks):
        copies = {name: values.copy() for name, values in networks.items()}
        self.kept.append((self.epoch, kept, copies))


def _measured(stack, epoch, validation):
    """What is kept of each network: the epoch, its AUC, and its scores on two parts."""
    return {
        "epoch": np.full(stack.n, epoch),
        "validation": validation.copy(),
        "calibration": stack.scores("calibration").astype(float),
        "test": stack.scores("test").astype(float),
    }


def measured_rows(dataset, level, kept, runs):
    """One row for each time that networks were kept, and each network of some runs.

    Parameters
    ----------
    dataset : str
    level : Budget
    kept : list of tuple
        As `Course` has it.
    runs : iterable of int
    """
    known, rows = {}, []
    for (n_epochs, which, networks), run in product(kept, runs):
        for k, rate in enumerate(level.rates, start=run * len(level.rates)):
            epoch = networks["epoch"][k]
            if (k, epoch) not in known:
                scores, test_scores = networks["calibration"][k], networks["test"][k]
                known[k, epoch] = _areas(dataset, level.n_training, run, scores, test_scores)
            rows.append(
                {
                    "n_epochs": n_epochs,
                    "kept": which,
                    "run": run,
                    "learning_rate": rate,
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
