"""Overfitted networks: those of a last epoch, trained on all rows, on three data sets.

``python -m experiments.durfee2022.last`` trains them. Durfee, Gupta and Basu (2022) do not say
which epoch is kept; their numbers for Higgs, Census and Diabetes are lower than those of our best
epochs, and their lifts larger. Here are last epochs, early and late, and the best one beside each.
This needs PyTorch; an interrupted run goes on after the last family.
"""

from experiments.durfee2022.data import SEED
from experiments.durfee2022.epochs import rows_of
from experiments.durfee2022.scores import REGULARISATIONS, SIZES
from experiments.recording import Experiment, record

DATASETS = ["adult", "higgs", "diabetes130"]
EPOCHS = (5, 10, 20, 30)


def cases():
    """Families of networks, the small ones of every data set first."""
    return [
        {
            "dataset": dataset,
            "inputs": "standardised",
            "size": size,
            "regularisation": regularisation,
        }
        for size in SIZES
        for dataset in DATASETS
        for regularisation in REGULARISATIONS
    ]


def run_case(case):
    """Train a family on all rows; measure it and its calibration at each of the `EPOCHS`."""
    return rows_of(**case, counts=EPOCHS, lasts=EPOCHS, n_training=None)


LAST_STUDY = Experiment(
    name="durfee2022_last",
    title="Networks of Durfee, Gupta and Basu (2022) on all rows: last epochs, and the best",
    seed=SEED,
    cases=cases,
    run_case=run_case,
    datasets=tuple(DATASETS),
    deviations=(
        "As durfee2022_networks_standard, with standardised numbers on three of the data sets, but "
        "on all training rows of Table 4, which are more than there on diabetes130 only.",
        "Rows with kept = last hold the epoch n_epochs itself, those with kept = best the best "
        "one up to it by validation AUC; the paper has 100 epochs.",
        "The scores are not rounded to bytes. PyTorch 2.13.0.",
        "Columns as in durfee2022_epochs.",
    ),
)


if __name__ == "__main__":
    record(LAST_STUDY, n_jobs=1)
