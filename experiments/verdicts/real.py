"""The advice on real files kept apart: its protocol, and what was expected before the run.

This file was committed before the run. Its text of that day is stored as
``results/protocols/verdicts_real.txt``, and every recorded row holds the first digits of the
SHA-256 of that text. The program may change since, but not what it does: a test runs the stored
text and compares both.

The policy is: calibrate with the default (`StackedCalibrator()`), unless a caution withholds
advice. A pilot on 63 other cases of the same data sets led to it. The cases here were drawn by a
seed before any of them was looked at: 63 triples of data set, base model and number of calibration
points, from 22 of the 23 data sets of the benchmark that have at least 1,900 rows. Rows with equal
features are taken once, so that no copy stands in two parts. A base model is trained on at most
2,500 rows, and at most 10,000 other rows judge the probabilities.

Losses are natural logarithms, and scores of 0 and 1 are kept 2 ** -53 away from both. All are
divided by the entropy of the base rate of the test rows. A policy helps where its loss is smaller
than the loss of the scores by more than 0.002, and harms where it is larger by more than 0.002.

Expected, each for the advice of `make_report`, followed to the letter:

1. It helps in at least 50 of the 63 cases.
2. It harms in at most 3 cases.
3. Its mean loss less the mean loss of the default, always taken, each difference kept within 0.2,
   is surely below 0.005: the upper end of a 95 % interval by a bootstrap over data sets.
"""

import functools
import warnings

import numpy as np
import pandas as pd
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.ensemble import AdaBoostClassifier
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier

from calib import StackedCalibrator
from experiments.benchmark import frozen
from experiments.benchmark.data import DATA_SETS, encoded, split_rows, table
from experiments.benchmark.first_average import LikeliestAverage
from experiments.benchmark.models import MODELS as BENCHMARK_MODELS
from experiments.benchmark.models import probabilities, seeded
from experiments.benchmark.protocol import rounded
from experiments.recording import Experiment
from experiments.verdicts.files import File, Fresh
from experiments.verdicts.verdict import advice_of, look_at_file

SEED = 3463
FEWEST_ROWS = 1900  # rows of a data set
N_SETS = 22
N_CASES = 63
SIZES = 100, 200, 500, 2000
MOST_TRAINING = 2500  # rows
MOST_TEST = 10_000  # rows
LEAST = 2.0**-53  # distance of scores from 0 and 1 in a log loss
CLEAR = 0.002  # difference of losses that counts as help or harm
MODELS = {name: model for name, model in BENCHMARK_MODELS.items() if name != "SVM"} | {
    "nearest neighbours": KNeighborsClassifier(),
    "linear discriminant": LinearDiscriminantAnalysis(),
    "quadratic discriminant": QuadraticDiscriminantAnalysis(solver="eigen", shrinkage=0.1),
    "AdaBoost": AdaBoostClassifier(),
}


def fingerprint(protocol="verdicts_real"):
    """Return the first twelve digits of the SHA-256 of the stored protocol."""
    return frozen.fingerprint(protocol)


def cases(seed=SEED):
    """The data sets in a drawn order, again and again, each time with another model and size."""
    rng = np.random.default_rng(seed)
    large = [one.name for one in DATA_SETS if one.rows >= FEWEST_ROWS]
    names = rng.permutation(large)[:N_SETS].tolist()
    left = {name: rng.permutation(len(MODELS) * len(SIZES)).tolist() for name in names}
    found = []
    for k in range(N_CASES):
        model, size = divmod(left[names[k % N_SETS]].pop(), len(SIZES))
        found.append(
            {"dataset": names[k % N_SETS], "model": list(MODELS)[model], "points": SIZES[size]}
        )
    return found


def seed_of(name, seed=SEED):
    """Seed of the split of a data set."""
    return int(np.random.SeedSequence([seed, *name.encode()]).generate_state(1)[0] % 2**31)


@functools.lru_cache(maxsize=1)
def split(name, seed=SEED):
    """The `Sample` to train, to calibrate and to test of a data set, stratified by the label."""
    frame, labels = table(name)
    first = ~pd.util.hash_pandas_object(frame, index=False).duplicated().to_numpy()
    frame, labels = frame[first].reset_index(drop=True), labels[first]
    training = min(MOST_TRAINING, labels.size // 2)
    calibration = min(SIZES[-1], labels.size // 4)
    sizes = [training, calibration, min(MOST_TEST, labels.size - training - calibration)]
    return encoded(frame, labels, split_rows(labels, sizes, seed_of(name, seed)))


def scored(case, seed=SEED):
    """Scores and labels of the calibration rows of a case, and of its test rows."""
    training, calibration, test = split(case["dataset"], seed)
    seed = seed_of(case["dataset"], seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # networks of 40 epochs, and features that depend linearly
        model = clone_of(case["model"], seed).fit(training.X, training.labels)
    rows = np.arange(calibration.labels.size)
    if case["points"] + 2 <= rows.size:
        rows, _ = train_test_split(
            rows, train_size=case["points"], stratify=calibration.labels, random_state=seed
        )
    labels = calibration.labels[rows]
    return (
        (probabilities(model, calibration.X[rows]), labels),
        (probabilities(model, test.X), test.labels),
    )


def clone_of(name, seed):
    """A base model that is not trained."""
    if name in BENCHMARK_MODELS:
        return seeded(name, seed)
    model = type(MODELS[name])(**MODELS[name].get_params())
    return model.set_params(random_state=seed) if name == "AdaBoost" else model


def run_case(case, seed=SEED, protocol="verdicts_real"):
    """One case: a row with the losses of the scores, the default, and the advice followed.

    Beyond the protocol: the average that the default was before.
    """
    (scores, labels), (test_scores, test_labels) = scored(case, seed)
    fresh = Fresh(scores=test_scores, truth=test_labels.astype(float))
    file = File(scores=scores, labels=labels, fresh=fresh, chance=scores)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        look = look_at_file(file)
        advice = advice_of(look)
        default = StackedCalibrator().fit(scores, labels).predict(test_scores)
        before = LikeliestAverage().fit(scores, labels).predict(test_scores)
        advised = test_scores
        if advice.kind == "fit":
            advised = advice.estimator.fit(scores, labels).predict(test_scores)
    rate = test_labels.mean()
    entropy = -rate * np.log(rate) - (1 - rate) * np.log(1 - rate)
    policies = {"keep": test_scores, "default": default, "advised": advised, "before": before}
    losses = {
        f"loss_{name}": rounded(log_loss(test_labels, p) / entropy) for name, p in policies.items()
    }
    about = {
        "rows": labels.size,
        "positives": int(labels.sum()),
        "test_rows": test_labels.size,
        "test_positives": int(test_labels.sum()),
        "outcome": look.finding.outcome,
        "advice": advice.kind,
        "estimator": advice.name,
    }
    return [{**about, **losses, "protocol": fingerprint(protocol)}]


def log_loss(labels, p):
    """Mean log loss of probabilities that are kept away from 0 and 1."""
    p = np.clip(p, LEAST, 1 - LEAST)
    return -float(np.mean(np.where(labels == 1, np.log(p), np.log1p(-p))))


REAL = Experiment(
    name="verdicts_real",
    title=f"What the advice of the report costs on {N_CASES} real files kept apart",
    seed=SEED,
    cases=cases,
    run_case=run_case,
    deviations=(
        "The protocol is experiments/verdicts/real.py as it was before the run, stored as "
        "results/protocols/verdicts_real.txt; every row holds the first digits of its SHA-256.",
    ),
    datasets=tuple(one.name for one in DATA_SETS if one.rows >= FEWEST_ROWS),
)
