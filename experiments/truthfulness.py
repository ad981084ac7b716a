"""Which measures of calibration reward a lie: the protocol, written down before the run.

This file was committed before the run. Its text of that day is stored as
``results/protocols/truthfulness.txt``, and every recorded row holds the first digits of the SHA-256
of that text. A test runs the stored text and compares both.

What was known before the run: another author's figures for two hundred true probabilities, uniform
on [0.1, 0.9]. Where all predictions were the mean, the mean of the ECE was 0.36 of its mean at the
true probabilities, smooth ECE 0.46, Kuiper error 0.54, MCB 0.06, averaged two-bin error 1.01.

Two hundred cases have known true probabilities, the quantiles of a law. A lie is another list of
predictions, made from the true probabilities in two steps:

1. *Coarsen.* The cases, sorted, are cut into 1, 2, 5 or 20 groups of equal size, and each gets the
   mean of its group; or they stay as they are. After this step the predictions are calibrated.
2. *Bend.* The log-odds less their mean are multiplied by a slope of 0, 0.25, 0.5, 0.75, 1, 1.25 or
   1.5, and a shift of -0.25, 0 or 0.25 is added.

The true probabilities themselves are no lie. The search takes, for each law and measure, the lie
with the smallest mean over fifty samples of outcomes, the same samples for all lies. The ratio of
its mean to the mean at the true probabilities is computed on five hundred new samples, so that it
does not owe to the choice. Its standard error is the error of a ratio of paired means.

Expected:

1. The Brier score, the log loss and the averaged two-bin error have no lie whose ratio lies below 1
   by more than three standard errors, in any law.
2. Every other measure has a lie with a ratio below 0.95, in some law.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import expit, logit
from scipy.stats import beta, uniform

from calib import metrics
from calibkit import inference
from experiments.benchmark import frozen
from experiments.recording import Experiment, grid

NAME = "truthfulness"
SEED = 2038
N_CASES = 200
N_SEARCHED, N_FRESH = 50, 500  # samples of outcomes: to choose a lie, and to judge it
GROUPS = [1, 2, 5, 20, N_CASES]
SLOPES = [0, 0.25, 0.5, 0.75, 1, 1.25, 1.5]
SHIFTS = [-0.25, 0, 0.25]
LAWS = {
    "in the middle": uniform(0.1, 0.8),
    "rare": beta(1, 19),
    "near 0 and 1": beta(0.5, 0.5),
}


class Lie(NamedTuple):
    """Number of groups, and slope and shift of the log-odds."""

    groups: int
    slope: float
    shift: float


TRUTH = Lie(groups=N_CASES, slope=1, shift=0)
LIES = [
    Lie(groups, slope, shift)
    for groups in GROUPS
    for slope in SLOPES
    for shift in SHIFTS
    if (groups, slope, shift) != TRUTH and not (groups == 1 and slope != 1)
]


def hosmer_lemeshow(labels, probabilities):
    """The statistic of the test in ten bins."""
    curve = metrics.reliability_curve(labels, probabilities)
    variances = curve.totals * (1 - curve.totals / curve.counts)
    return np.sum((curve.positives - curve.totals) ** 2 / variances)


def miscalibration(labels, probabilities):
    """MCB of the Brier score."""
    return metrics.score_decomposition(labels, probabilities).miscalibration


def width_ece(labels, probabilities):
    """ECE in ten bins of equal width."""
    return metrics.expected_calibration_error(labels, probabilities, strategy="uniform")


MEASURES = {
    "Brier score": metrics.brier_score_loss,
    "log loss": metrics.log_loss,
    "averaged two-bin error": inference.averaged_two_bin_error,
    "ECE, bins of equal size": metrics.expected_calibration_error,
    "ECE, bins of equal width": width_ece,
    "MCE": metrics.maximum_calibration_error,
    "root mean square error": inference.rms_calibration_error,
    "sweep ECE": inference.sweep_calibration_error,
    "Hosmer-Lemeshow": hosmer_lemeshow,
    "Kuiper error": inference.kuiper_error,
    "Kolmogorov-Smirnov error": inference.kolmogorov_smirnov_error,
    "smooth calibration error": inference.smooth_calibration_error,
    "smooth ECE": inference.smooth_ece,
    "ICI": inference.integrated_calibration_index,
    "MCB": miscalibration,
}


def truth_of(law):
    """The true probabilities: quantiles of the law."""
    return LAWS[law].ppf((np.arange(N_CASES) + 0.5) / N_CASES)


def told(truth, lie):
    """The predictions of a lie, for increasing true probabilities."""
    groups = np.array_split(truth, lie.groups)
    means = np.concatenate([np.full(group.size, group.mean()) for group in groups])
    if lie == TRUTH:
        return truth
    logits = logit(means)
    return expit(logits.mean() + lie.slope * (logits - logits.mean()) + lie.shift)


def values(measure, predictions, outcomes):
    """The measure of the predictions, for each sample of outcomes."""
    return np.array([MEASURES[measure](labels, predictions) for labels in outcomes])


def run_case(case):
    """The best lie of a law and a measure, and its ratio on new samples."""
    truth = truth_of(case["law"])
    rng = np.random.default_rng([SEED, *case["law"].encode()])
    outcomes = (rng.random((N_SEARCHED + N_FRESH, N_CASES)) < truth).astype(np.uint8)
    searched, fresh = outcomes[:N_SEARCHED], outcomes[N_SEARCHED:]
    means = [values(case["measure"], told(truth, lie), searched).mean() for lie in LIES]
    best = LIES[int(np.argmin(means))]
    of_lie = values(case["measure"], told(truth, best), fresh)
    of_truth = values(case["measure"], truth, fresh)
    ratio = of_lie.mean() / of_truth.mean()
    error = np.std(of_lie - ratio * of_truth) / of_truth.mean() / np.sqrt(N_FRESH)
    return [
        {
            "groups": best.groups,
            "slope": best.slope,
            "shift": best.shift,
            "truth": float(of_truth.mean()),
            "ratio": float(ratio),
            "error": float(error),
            "protocol": frozen.fingerprint(NAME),
        }
    ]


def cases():
    """Every law and measure."""
    return grid(law=list(LAWS), measure=list(MEASURES))


TRUTHFULNESS = Experiment(
    name=NAME,
    title=f"The best of {len(LIES)} lies for each of {len(MEASURES)} measures",
    seed=SEED,
    cases=cases,
    run_case=run_case,
    deviations=(
        "The protocol is experiments/truthfulness.py as it was before the run, stored as "
        "results/protocols/truthfulness.txt; every row holds the first digits of its SHA-256.",
    ),
)
