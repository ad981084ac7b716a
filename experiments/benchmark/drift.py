"""The benchmark where calibration and test rows differ: its protocol, written down before the run.

This file was committed before the run. Its text of that day is stored as
``results/protocols/benchmark_drift.txt``, and every recorded row holds the first digits of the
SHA-256 of that text. The program may change since, but not what it does: a test runs the stored
text and compares both.

What was known before the run: the two benchmarks, which have the same data sets without a shift.
While the program was written, times, sizes and base rates of the parts were looked at, but no loss.

Calibrators are fitted to 500 and 2000 rows of a *source*, and judged by five tests:

* ``same``: other rows of the source.
* ``drift``: the rows after it in time, of other places, or of other people, for the sets that have
  them (`ORDERS`).
* ``odds / 4``, ``odds x 4``: the rows of ``same``, each positive one with weight 1/4 or 4: prior
  shift, as the mean of all samples of such a population.
* ``quarter``: the quarter of the rows of ``same`` with the largest values of one feature: covariate
  shift. The feature has at least ten values and the largest correlation with the label, in absolute
  value, on the training rows.

"Average, prior shifted" takes the average for probabilities of the source and estimates the base
rate of each test from its scores, without labels (`PriorShift`). Where `PriorShift` refuses to, it
is the average. Nobody tells it which kind of shift there is.

Expected, each for either number of calibration points (see `EXPECTED` in `drift_answers`):

1. Drift: the average has a smaller log loss than the raw scores in more than half of the cases.
2. Drift: it has a smaller log loss than each other calibrator in more than half of the cases.
3. Drift: it harms (log loss above that of the scores by 1e-4) more often than on ``same`` rows.
4. Drift: the cautious average harms in more than 5 % of cases.
5. From ``same`` to ``drift`` the mean log loss of temperature scaling, which has one parameter,
   rises less than that of each other calibrator.
6. Prior shift, both ways: the average still has a smaller log loss than the raw scores in more than
   half of the cases.
7. Prior shift, both ways: prior shifted, it has a smaller one than without in more than half.
8. ``same``, ``quarter`` and ``drift``, where its assumption is wrong or not needed: prior shifted,
   it has a larger log loss in more than half of the cases.

A share is a mean over data sets of means over their cases; its interval comes from a bootstrap over
the sources of data sets. An expectation holds if the interval lies on its side, corrected by
Bonferroni for the number of comparisons in it.
"""

import functools
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split

from calib import PriorShift
from calib.metrics import brier_score_loss, log_loss
from calibkit.datasets import load
from calibkit.inference import kuiper_error
from experiments.benchmark import frozen
from experiments.benchmark.calibrators import predictions
from experiments.benchmark.data import DATA_SETS, Sample, encoded, table
from experiments.benchmark.models import fitted, probabilities
from experiments.benchmark.protocol import rounded
from experiments.benchmark.second import AVERAGE, CAUTIOUS, split_groups
from experiments.benchmark.second import CANDIDATES as SECOND
from experiments.recording import Experiment

SEED = 35
N_SPLITS = 3
SIZES = 500, 2000
FEWEST_ROWS = 5000
MOST_TRAINING = 4000  # rows
MOST_CALIBRATION = 2100  # rows
MOST_TEST = 10_000  # rows
FEWEST_OF_A_CLASS = 10  # rows in the quarter
MODELS = ["logistic", "naive Bayes", "forest", "boosting"]
SHIFTED = "Average, prior shifted"
CANDIDATES = {
    name: SECOND[name]
    for name in [
        "Temperature",
        "Platt on logits",
        "Beta, Platt's targets",
        "Spline",
        "Isotonic, centred",
        "Venn-Abers",
        AVERAGE,
        CAUTIOUS,
    ]
}
SAME = "same"
DRIFT = "drift"
DOWN = "odds / 4"
UP = "odds x 4"
QUARTER = "quarter"
FACTORS = {DOWN: 1 / 4, UP: 4.0}


def fingerprint():
    """Return the first twelve digits of the SHA-256 of the stored protocol."""
    return frozen.fingerprint("benchmark_drift")


class Order(NamedTuple):
    """What makes the rows of a data set differ.

    Attributes
    ----------
    what : str
    later : callable
        From the name of the set and a generator to a mask of the rows that are not of the source.
    """

    what: str
    later: Callable


def _last_third(name, rng):
    """The rows of the file stand in the order of time, or document by document."""
    rows = len(table(name)[1])
    return np.arange(rows) >= 2 * rows // 3


def _new_places(column):
    """Rows of places drawn at random, as long as they have less than a third of all rows."""

    def later(name, rng):
        places, place_of_row = np.unique(_column(name, column), return_inverse=True)
        counts = np.bincount(place_of_row)
        order = rng.permutation(places.size)
        drawn = order[np.cumsum(counts[order]) <= place_of_row.size / 3]
        return np.isin(place_of_row, drawn)

    return later


def _column(name, column):
    """A column that may or may not be a feature, as strings."""
    frame, _, extras = load(name, return_extras=True)
    return (extras if column in extras else frame)[column].astype(str).to_numpy()


def _last_encounters(name, rng):
    """The third of the rows with the largest numbers of their encounters."""
    return _ranks(_column(name, "encounter_id").astype(float)) >= 2 / 3


def _new_writers(name, rng):
    """The rows of the writers of the test part, which stand last in the file."""
    return np.arange(len(table(name)[1])) >= 7494


def _test_part(name, rng):
    """The rows that the file has as its test part."""
    return _column(name, "split") == "test"


ORDERS = {
    "bank_full": Order("time", _last_third),
    "diabetes130": Order("time", _last_encounters),
    "kdd98_learning": Order("states", _new_places("STATE")),
    "us_crime": Order("states", _new_places("state")),
    "page_blocks": Order("documents", _last_third),
    "pendigits": Order("writers", _new_writers),
    "svmguide1": Order("its test part", _test_part),
}


def _ranks(values):
    """Rank of each value as a share of their number."""
    return np.argsort(np.argsort(values, kind="stable")) / values.size


def run_case(case):
    """One base model on one split of one data set: a row a number of points, test, calibrator."""
    training, calibration, *tested = split(case["dataset"], case["split"])
    seed = seed_of(case["dataset"], case["split"])
    model = fitted(case["model"], training.X, training.labels, seed)
    test_labels = np.concatenate([sample.labels for sample in tested])
    test_scores = probabilities(model, np.vstack([sample.X for sample in tested]))
    tests = tests_of(training, *tested)
    rows = []
    for part in samples(calibration, seed):
        about = {"points": part.labels.size, "positives": int(part.labels.sum())}
        scores = probabilities(model, part.X)
        for name, p, _ in predictions(scores, part.labels, test_scores, CANDIDATES):
            for test, all_weights in tests.items():
                in_test = all_weights > 0
                labels = test_labels[in_test]
                predicted = p[in_test]
                weights = all_weights[in_test]
                rate = rounded(np.average(labels, weights=weights))
                common = {**about, "test": test, "rate": rate}
                losses = measures(labels, predicted, weights)
                rows.append({**common, "calibrator": name, **losses, "prior": np.nan})
                if name == AVERAGE:
                    shifted, prior = prior_shifted(part.labels, predicted, weights)
                    losses = measures(labels, shifted, weights)
                    rows.append({**common, "calibrator": SHIFTED, **losses, "prior": prior})
    return [{**row, "protocol": fingerprint()} for row in rows]


def samples(calibration, seed):
    """Stratified samples of the `SIZES` that there are."""
    rows = np.arange(calibration.labels.size)
    for size in SIZES:
        if size + 2 <= rows.size:
            drawn, _ = train_test_split(
                rows,
                train_size=size,
                stratify=calibration.labels,
                random_state=(seed + size) % 2**32,
            )
            yield Sample(calibration.X[drawn], calibration.labels[drawn])


def tests_of(training, same, drifted=None):
    """Weights of the rows of both test samples together, by the name of the test."""
    none_drifted = np.zeros(0 if drifted is None else drifted.labels.size)

    def among_all(weights):
        return np.append(weights, none_drifted)

    tests = {SAME: among_all(np.ones(same.labels.size))}
    for name, factor in FACTORS.items():
        tests[name] = among_all(np.where(same.labels == 1, factor, 1.0))
    feature = feature_of(training)
    if feature is not None:
        inside = _ranks(same.X[:, feature]) >= 3 / 4
        if np.bincount(same.labels[inside], minlength=2).min() >= FEWEST_OF_A_CLASS:
            tests[QUARTER] = among_all(inside.astype(float))
    if drifted is not None:
        tests[DRIFT] = 1 - tests[SAME]
    return tests


def feature_of(training):
    """The column of at least ten values with the largest correlation with the label, or None."""
    columns = [k for k, x in enumerate(training.X.T) if np.unique(x).size >= 10]
    if not columns:
        return None
    centred = training.X[:, columns] - training.X[:, columns].mean(axis=0)
    labels = training.labels - training.labels.mean()
    return columns[np.argmax(np.abs(labels @ centred) / np.linalg.norm(centred, axis=0))]


def prior_shifted(labels, p, weights):
    """Probabilities of the source moved to the base rate of the test, and its estimate.

    The labels belong to the calibration rows; probabilities and weights belong to the test, whose
    labels are not known.
    """
    shift = PriorShift(prior="em").fit(np.full(labels.size, 0.5), labels)
    try:
        shift.adapt(p, sample_weight=weights)
    except ValueError:  # the scores tell nothing, or would have all labels alike
        return p, np.nan
    return shift.predict(p), rounded(shift.prior_)


def measures(labels, p, weights):
    """Losses, not clipped."""
    by_name = {"log_loss": log_loss, "brier": brier_score_loss, "kuiper": kuiper_error}
    return {
        name: rounded(measure(labels, p, sample_weight=weights))
        for name, measure in by_name.items()
    }


@functools.lru_cache(maxsize=1)  # the base models ask for the same split in turn
def split(name, number):
    """One split: `Sample` to train, calibrate and test, and of drifted rows where there are any.

    Two fifths of the source train (at most 4000), two fifths calibrate (at most 2100), the rest
    tests (at most 10,000, as of the drifted rows). Copies of a row in the source stay together.
    """
    frame, labels = table(name)
    seed = seed_of(name, number)
    rng = np.random.default_rng(seed)
    later = np.zeros(labels.size, bool)
    if name in ORDERS:
        later = ORDERS[name].later(name, rng)
    source = np.flatnonzero(~later)
    drifted = rng.permutation(np.flatnonzero(later))[:MOST_TEST]
    hashed = pd.util.hash_pandas_object(frame.iloc[source], index=False)
    copies = np.unique(hashed, return_inverse=True)[1]
    training = min(MOST_TRAINING / source.size, 2 / 5)
    calibration = min(MOST_CALIBRATION / source.size, 2 / 5)
    test = min(MOST_TEST / source.size, 1 - training - calibration)
    parts = split_groups(copies, labels[source], [training, calibration, test], seed)
    parts = [source[part] for part in parts]
    return encoded(frame, labels, [*parts, drifted] if drifted.size else parts)


def seed_of(name, number):
    """Seed of a split, the same for every base model."""
    return int(np.random.SeedSequence([SEED, number, *name.encode()]).generate_state(1)[0])


def cases():
    """All cases, the first split of every data set first."""
    return [
        {"dataset": name, "model": model, "split": number}
        for number in range(N_SPLITS)
        for name in NAMES
        for model in MODELS
    ]


LEFT_OUT = {"mammography": "a third of its rows are copies of one row, which stay in one part"}
NAMES = [
    dataset.name
    for dataset in DATA_SETS
    if (dataset.rows >= FEWEST_ROWS or dataset.name in ORDERS) and dataset.name not in LEFT_OUT
]
BENCHMARK_DRIFT = Experiment(
    name="benchmark_drift",
    title=f"Calibrators on rows of another population: {len(NAMES)} real data sets",
    seed=SEED,
    cases=cases,
    run_case=run_case,
    deviations=(
        "The protocol is experiments/benchmark/drift.py as it was before the run, stored as "
        "results/protocols/benchmark_drift.txt; every row holds the first digits of its SHA-256.",
        f"Data sets of 'benchmark' with at least {FEWEST_ROWS} rows, and us_crime, but for "
        + "; ".join(f"{name} ({why})" for name, why in LEFT_OUT.items())
        + ". Base models are four of those of 'benchmark'. "
        "What the later rows are: "
        + "; ".join(f"{name}: {order.what}" for name, order in ORDERS.items())
        + ".",
        "Documents of page_blocks are taken to stand one after the other, since neighbours in the "
        "file are alike; patients of diabetes130 may come back later.",
        "Where 2002 rows to calibrate are missing, there are 500 points only.",
    ),
    datasets=tuple(NAMES),
)
