"""Other readings of the data set Echocardiogram, which the paper does not describe.

UCI's file has 132 rows and 13 columns: months of survival, whether the patient is still alive,
seven measurements, a product of two of them, a name without content, a group without meaning, and
whether the patient was alive after a year. The readings were chosen by UCI's description, the one
with the product after the losses of the first were seen.
"""

import functools

import numpy as np

from calibkit.datasets import load
from experiments.recording import Experiment, grid
from experiments.vovk2014.classifiers import CLASSIFIERS
from experiments.vovk2014.data import SEED, arrays, split_of
from experiments.vovk2014.protocol import (
    METHODS,
    N_FULL_SPLITS,
    N_SPLITS,
    compare,
    full_losses,
)

DATASET = "echocardiogram"
READINGS = {
    "one year": "Echocardiogram with UCI's stated task: alive after a year, 74 known rows",
    "one year and product": "the same, with the column that is a product of two others",
    "all columns": "Echocardiogram with every column of the file, months of survival among them",
}


@functools.cache
def reading_of(name):
    """The data set in one of the `READINGS`, as arrays."""
    X, y, others = load(DATASET, return_extras=True)
    if name == "all columns":
        return arrays(X.join(others.drop(columns="name")), y)
    known = others["alive-at-1"].notna().to_numpy()
    if name == "one year and product":
        X = X.join(others["mult"])
    return arrays(X[known], others.loc[known, "alive-at-1"].astype(np.int8).to_numpy())


def run_split(case):
    """Losses of the methods of the paper on one split; VA on the first of them only."""
    data = reading_of(case["reading"])
    train, test = split_of(data.y.size, DATASET, case["split"])
    case_of = data, case["classifier"], train, test, case["split"]
    found = compare(*case_of)
    if case["split"] < N_FULL_SPLITS:
        found["VA"] = full_losses(*case_of)["VA"]
    return [
        {"method": method, **{key: found[method][key] for key in ["log_loss", "RMSE"]}}
        for method in METHODS
        if method in found
    ]


ECHO = Experiment(
    name="vovk2014_echocardiogram",
    title="Tables 1 and 2 of Vovk and Petej (2014): Echocardiogram in three other readings",
    seed=SEED,
    cases=lambda: grid(reading=READINGS, classifier=CLASSIFIERS, split=range(N_SPLITS)),
    run_case=run_split,
    datasets=(DATASET,),
)
