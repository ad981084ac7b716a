"""Thresholds with a promise on simulated logs: the protocol, written down before the run.

This file was committed before the run. Its text of that day is stored as
``results/protocols/risk_control.txt``, and every recorded row holds the first digits of the
SHA-256 of that text. A test runs the stored text and compares both.

What was known before the run: 500 logs of 10,000 rows of each of the first four laws, which a test
of `risk_controlled_threshold` draws from another seed.

A log has a stated probability and an outcome in each row. A rule finds a threshold in it. The rule
promises that among new cases at or above the threshold at most a tenth are negative. The rules:

* ``walks``: `risk_controlled_threshold` as it is, with alpha = 0.05.
* ``one walk``: the same with a single walk, from 0.99 downwards.
* ``share of errors``: the lowest of the same thresholds whose accepted rows have at most a tenth of
  negatives. That is what is done by hand, and it has no proof.

Predictions have a Beta law, rounded to so many decimals. Their odds to a power are the odds of the
truth, but for the last law. There the truth is 0.899 at every score, so each promise is broken. The
predictions are atoms, so the error and the share of cases beyond a threshold are sums without
chance. A promise is broken where this error exceeds a tenth. The oracle takes the lowest threshold
at which it does not. Points are hundredths of all cases: the oracle's share less the rule's.

Expected of ``walks``, for 2,000 logs of each law and size:

1. The promise is broken in at most 5 % of the logs: the number is at most the 99.9 % quantile of
   its law, if each log breaks it with probability 0.05.
2. With 10,000 rows it automates a share within 5 points of the oracle's, in the mean over logs, in
   each of the first four laws.
3. ``share of errors`` breaks its promise in more than a quarter of the logs of some law and size.
"""

from typing import NamedTuple

import numpy as np
from scipy.stats import beta

from calibkit.inference import risk_controlled_threshold
from experiments.benchmark import frozen
from experiments.recording import Experiment, grid

NAME = "risk_control"
SEED = 38
MAX_ERROR, ALPHA = 0.1, 0.05  # the promise, and the probability that it may be broken with
SIZES = [1000, 10_000]  # rows of a log
LOGS_OF_A_BATCH, N_BATCHES = 100, 20  # logs of a case, and cases of a law and size
THRESHOLDS = np.arange(100) / 100
RULES = ["walks", "one walk", "share of errors"]


class Log(NamedTuple):
    """Law of a log: shape of the Beta law, decimals, largest prediction, power of the odds."""

    shape: tuple[float, float]
    decimals: int
    largest: float
    power: float | None


LAWS = {
    "calibrated": Log(shape=(2, 0.5), decimals=4, largest=1, power=1),
    "overconfident": Log(shape=(2, 0.4), decimals=4, largest=1, power=0.6),
    "ties at 0.99": Log(shape=(3, 0.3), decimals=2, largest=0.99, power=1),
    "few near 1": Log(shape=(2, 1), decimals=2, largest=1, power=1.5),
    "just too bad": Log(shape=(1, 1), decimals=4, largest=1, power=None),
}
TOO_LOW = 0.899  # the truth of the last law


class Atoms(NamedTuple):
    """Predictions that occur, their probabilities, and the probability of class 1 at each."""

    predictions: np.ndarray
    masses: np.ndarray
    truth: np.ndarray


def atoms_of(law):
    """The atoms of a law."""
    log = LAWS[law]
    steps = 10**log.decimals
    ends = (np.arange(steps + 2) - 0.5) / steps
    masses = np.diff(beta.cdf(ends, *log.shape))
    predictions = np.minimum(np.arange(steps + 1) / steps, log.largest)
    if log.power is None:
        return Atoms(predictions, masses, np.full(predictions.size, TOO_LOW))
    odds, against = predictions**log.power, (1 - predictions) ** log.power
    return Atoms(predictions, masses, odds / (odds + against))


def beyond(atoms):
    """Error and share of the cases at or above each threshold."""
    accepted = atoms.predictions >= THRESHOLDS[:, np.newaxis]
    shares = accepted @ atoms.masses
    return accepted @ (atoms.masses * (1 - atoms.truth)) / shares, shares


def share_of_errors(labels, predictions):
    """Index of the lowest threshold whose rows have at most a tenth of negatives, or None."""
    accepted = predictions.size - np.searchsorted(np.sort(predictions), THRESHOLDS)
    of_negatives = np.sort(predictions[labels == 0])
    errors = of_negatives.size - np.searchsorted(of_negatives, THRESHOLDS)
    kept = np.flatnonzero((accepted > 0) & (errors <= MAX_ERROR * accepted))
    return int(kept[0]) if kept.size else None


def chosen(rule, labels, predictions):
    """Index of the threshold that a rule finds in a log, or None."""
    if rule == "share of errors":
        return share_of_errors(labels, predictions)
    n_starts = 1 if rule == "one walk" else 10
    found = risk_controlled_threshold(
        labels, predictions, max_error=MAX_ERROR, alpha=ALPHA, n_starts=n_starts
    )
    return None if found.threshold is None else round(100 * found.threshold)


def run_case(case):
    """A hundred logs of one law and size: broken promises, and what the rules automate."""
    atoms = atoms_of(case["law"])
    errors, shares = beyond(atoms)
    kept = np.flatnonzero(errors <= MAX_ERROR)
    oracle = shares[kept[0]] if kept.size else 0.0
    rng = np.random.default_rng([SEED, case["rows"], case["batch"], *case["law"].encode()])
    broken, found, lost = dict.fromkeys(RULES, 0), dict.fromkeys(RULES, 0), dict.fromkeys(RULES, 0)
    for _ in range(LOGS_OF_A_BATCH):
        drawn = rng.choice(atoms.masses.size, case["rows"], p=atoms.masses / atoms.masses.sum())
        labels = (rng.random(case["rows"]) < atoms.truth[drawn]).astype(int)
        for rule in RULES:
            threshold = chosen(rule, labels, atoms.predictions[drawn])
            found[rule] += threshold is not None
            broken[rule] += threshold is not None and bool(errors[threshold] > MAX_ERROR)
            lost[rule] += 100 * (oracle - (0 if threshold is None else shares[threshold]))
    return [
        {
            "rule": rule,
            "logs": LOGS_OF_A_BATCH,
            "found": found[rule],
            "broken": broken[rule],
            "oracle": round(float(oracle), 6),
            "points": round(float(lost[rule]) / LOGS_OF_A_BATCH, 4),
            "protocol": frozen.fingerprint(NAME),
        }
        for rule in RULES
    ]


def cases():
    """Every law and size, in batches."""
    return grid(law=list(LAWS), rows=SIZES, batch=range(N_BATCHES))


RISK_CONTROL = Experiment(
    name=NAME,
    title=f"Thresholds with a promise on {LOGS_OF_A_BATCH * N_BATCHES} simulated logs of each law",
    seed=SEED,
    cases=cases,
    run_case=run_case,
    deviations=(
        "The protocol is experiments/risk_control.py as it was before the run, stored as "
        "results/protocols/risk_control.txt; every row holds the first digits of its SHA-256.",
    ),
)


class Summary(NamedTuple):
    """What a rule did in all logs of a law and size.

    Attributes
    ----------
    logs, found, broken : int
        Logs, thresholds that were found, and promises that were broken.
    oracle : float
        Share of the cases that the oracle automates.
    points : float
        Mean of the oracle's share less the rule's, in hundredths of the cases.
    """

    logs: int
    found: int
    broken: int
    oracle: float
    points: float


def summary(rows, law, size, rule):
    """The recorded batches of a law, a size and a rule, added up."""
    kept = (rows["law"] == law) & (rows["rows"] == size) & (rows["rule"] == rule)
    return Summary(
        logs=int(rows["logs"][kept].sum()),
        found=int(rows["found"][kept].sum()),
        broken=int(rows["broken"][kept].sum()),
        oracle=float(rows["oracle"][kept][0]),
        points=float(rows["points"][kept].mean()),
    )
