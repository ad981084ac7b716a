"""The second benchmark: its protocol and what was expected of it, written down before the run.

This file was committed before the run. Its text of that day is stored as
``results/protocols/benchmark_second.txt``, and every recorded row holds the first digits of the
SHA-256 of that text. The program may change since, but not what it does: a test runs the stored
text and compares both.

What was known before the run: the first benchmark, and prototypes of the spline and of the average
on its data. The members of the average, its prior and the rule of the cautious average were chosen
among some thirty variants on the first split of the first benchmark, at 200 points and at all:
the data sets are the same here, the splits, sizes and seeds are new.

Expected, each for every number of calibration points (see `EXPECTED` in `second_answers`):

1. The average has a smaller log loss than each other calibrator in more than half of the cases.
2. Its mean log loss and its mean Brier score are the smallest, or not apart from the smallest.
3. It harms (log loss above that of the scores by 1e-4) in a smaller share of cases than every
   calibrator whose mean gain is as large.
4. The cautious average harms in less than 5 % of cases.
5. Neither average, nor the spline, nor Venn-Abers has an infinite log loss.

A share is a mean over data sets of means over their cases; its interval comes from a bootstrap over
the sources of data sets. An expectation holds if the interval lies on its side, corrected by
Bonferroni for the number of comparisons in it.
"""

import functools

import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split

from calib import (
    BBQ,
    ENIR,
    BetaCalibration,
    CalibratorCV,
    HistogramBinning,
    IsotonicCalibrator,
    PlattScaling,
    QuadraticLogit,
    SplineCalibrator,
    TemperatureScaling,
    VennAbers,
)
from calib.metrics import brier_score_loss, log_loss, roc_auc_score
from calibkit.inference import kuiper_error
from experiments.benchmark import frozen
from experiments.benchmark.calibrators import Candidate, predictions
from experiments.benchmark.data import BY_NAME, DATA_SETS, Sample, encoded, table
from experiments.benchmark.first_average import LikeliestAverage
from experiments.benchmark.models import MODELS, fitted, probabilities
from experiments.benchmark.protocol import rounded
from experiments.recording import Experiment

SEED = 34
N_SPLITS = 3
SIZES = 100, 200, 500, 2000, 10_000
MOST_TRAINING = 4000  # rows
MOST_TEST = 10_000  # rows
AVERAGE = "Average"
CAUTIOUS = "Cautious average"
MEMBERS = LikeliestAverage.default_members()  # among which `CalibratorCV` chooses as well
CANDIDATES = {
    "Platt": Candidate(PlattScaling()),
    "Platt on logits": Candidate(PlattScaling(scale="logit")),
    "Temperature": Candidate(TemperatureScaling()),
    "Beta": Candidate(BetaCalibration()),
    "Beta, Platt's targets": Candidate(BetaCalibration(platt_targets=True)),
    "Quadratic": Candidate(QuadraticLogit()),
    "Spline": Candidate(SplineCalibrator()),
    "Histogram": Candidate(HistogramBinning(n_bins=10)),
    "Isotonic": Candidate(IsotonicCalibrator()),
    "Isotonic, centred": Candidate(IsotonicCalibrator(centred=True, smoothing=0.5)),
    "ENIR": Candidate(ENIR()),
    "Venn-Abers": Candidate(VennAbers()),
    "BBQ": Candidate(BBQ()),
    "Chosen by CV": Candidate(CalibratorCV(MEMBERS)),
    AVERAGE: Candidate(LikeliestAverage()),
    CAUTIOUS: Candidate(LikeliestAverage(cautious=True)),
}


def fingerprint():
    """Return the first twelve digits of the SHA-256 of the stored protocol."""
    return frozen.fingerprint("benchmark_second")


def run_case(case):
    """One base model on one split of one data set: a row a calibrator and number of points."""
    training, calibration, test = split(case["dataset"], case["split"])
    seed = seed_of(case["dataset"], case["split"])
    model = fitted(case["model"], training.X, training.labels, seed)
    test_scores = probabilities(model, test.X)
    rows = []
    for part in samples(calibration, seed):
        about = {"points": part.labels.size, "positives": int(part.labels.sum())}
        scores = probabilities(model, part.X)
        for name, p, seconds in predictions(scores, part.labels, test_scores, CANDIDATES):
            row = {**about, "calibrator": name, **measures(test.labels, p)}
            rows.append({**row, "seconds": rounded(seconds), "protocol": fingerprint()})
    return rows


def samples(calibration, seed):
    """Samples of the `SIZES` that there are, stratified; all rows where even 100 are missing."""
    total = calibration.labels.size
    for size in [size for size in SIZES if size + 2 <= total] or [total]:
        if size == total:
            yield calibration
            continue
        rows, _ = train_test_split(
            np.arange(total),
            train_size=size,
            stratify=calibration.labels,
            random_state=(seed + size) % 2**32,
        )
        yield Sample(calibration.X[rows], calibration.labels[rows])


def measures(labels, p):
    """Losses, not clipped, and the number of test rows that came with probability 0."""
    losses = {
        "log_loss": log_loss(labels, p),
        "brier": brier_score_loss(labels, p),
        "kuiper": kuiper_error(labels, p),
        "auc": roc_auc_score(labels, p),
    }
    refuted = int(((labels == 1) & (p == 0)).sum() + ((labels == 0) & (p == 1)).sum())
    return {name: rounded(value) for name, value in losses.items()} | {"refuted": refuted}


@functools.lru_cache(maxsize=1)  # the base models ask for the same split in turn
def split(name, number):
    """One split of a data set: `Sample` to train, calibrate and test.

    Half of the rows train (at most 4000), a quarter calibrates (at most some 10,100), the rest
    tests (at most 10,000). Copies of a row stay together.
    """
    frame, labels = table(name)
    rows = BY_NAME[name].rows
    copies = np.unique(pd.util.hash_pandas_object(frame, index=False), return_inverse=True)[1]
    training = min(MOST_TRAINING, rows // 2) / rows
    calibration = min(SIZES[-1] + 100, rows // 4) / rows
    test = min(MOST_TEST / rows, 1 - training - calibration)
    parts = split_groups(copies, labels, [training, calibration, test], seed_of(name, number))
    return encoded(frame, labels, parts)


def split_groups(groups, labels, shares, seed):
    """Numbers of the rows of disjoint samples of whole groups, stratified by their label.

    Groups are drawn at random among those of mostly one label, until their rows are the share.
    """
    rng = np.random.default_rng(seed)
    counts = np.bincount(groups)
    positive = 2 * np.bincount(groups, labels) > counts
    part_of = np.full(counts.size, -1)
    for label in (False, True):
        drawn = rng.permutation(np.flatnonzero(positive == label))
        before = np.cumsum(counts[drawn]) - counts[drawn]  # rows in the groups drawn before
        limits = np.cumsum(shares) * counts[drawn].sum()
        part = np.searchsorted(limits * (1 - 1e-12), before, side="right")
        part_of[drawn] = np.where(part < len(shares), part, -1)
    return [np.flatnonzero(part_of[groups] == part) for part in range(len(shares))]


def seed_of(name, number):
    """Seed of a split, the same for every base model."""
    return int(np.random.SeedSequence([SEED, number, *name.encode()]).generate_state(1)[0])


def cases():
    """All cases, the first split of every data set first."""
    return [
        {"dataset": dataset.name, "model": model, "split": number}
        for number in range(N_SPLITS)
        for dataset in DATA_SETS
        for model in MODELS
    ]


BENCHMARK_SECOND = Experiment(
    name="benchmark_second",
    title=f"The average and others at five sizes, on {len(DATA_SETS)} real data sets",
    seed=SEED,
    cases=cases,
    run_case=run_case,
    deviations=(
        "The protocol is experiments/benchmark/second.py as it was before the run, stored as "
        "results/protocols/benchmark_second.txt; every row holds the first digits of its SHA-256.",
        "Base models, encoding and data sets are those of 'benchmark'; equal rows of a data set "
        "stay in one part, so that sizes of parts are not exact.",
        "Peers of other packages are not run here: 'benchmark_peers' has them.",
    ),
    datasets=tuple(dataset.name for dataset in DATA_SETS),
)
