"""Another label of the Diabetes data: back in hospital within 30 days, not at all.

Durfee, Gupta and Basu (2022) write that the label is *whether a patient is readmitted to the
hospital or not*. The authors of the data (Strack et al., 2014) distinguish three outcomes and
predict the early one. ``python -m experiments.durfee2022.label`` trains the networks with
it. This needs PyTorch.
"""

from experiments.durfee2022.data import EARLY, SEED
from experiments.durfee2022.epochs import LEVEL, rows_of
from experiments.recording import Experiment, record


def cases():
    """Families of networks, as in `experiments.durfee2022.scores.cases`."""
    return [{"inputs": "standardised", "size": "S", "regularisation": "none"}]


def run_case(case):
    """Train a family; measure its networks and their calibration."""
    return rows_of(EARLY, **case, counts=[LEVEL.n_epochs], lasts=[LEVEL.n_epochs])


LABEL_STUDY = Experiment(
    name="durfee2022_label",
    title="Networks of Durfee, Gupta and Basu (2022) for Diabetes, readmission within 30 days",
    seed=SEED,
    cases=cases,
    run_case=run_case,
    datasets=("diabetes130",),
    deviations=(
        "As durfee2022_networks_standard, with another label and a part of the grid only.",
        "The scores are not rounded to bytes. PyTorch 2.13.0.",
        "Columns as in durfee2022_epochs.",
    ),
)


if __name__ == "__main__":
    record(LABEL_STUDY, n_jobs=1)
