"""How often `calibration_by_group` errs where groups are small, down to a single row."""

from typing import NamedTuple

import numpy as np

from calibkit.inference import calibration_by_group
from experiments.coverage import LAWS
from experiments.recording import Experiment, grid

SEED = 37
ROUNDS, N_BATCHES = 50, 20  # samples of a batch, and batches of a case
ALPHA = 0.05
SIZES = {
    "500 of one": np.ones(500, int),
    "50 of one": np.ones(50, int),
    "200 of two": np.full(200, 2),
    "one of 400, 100 of one": np.append(400, np.ones(100, int)),
}
PREDICTIONS = ["calibrated", "overconfident", "Beta(1, 19)"]  # laws of `experiments.coverage`


def run_case(case):
    """Samples of one law: how often some limit misses, and how often some p value is small."""
    law, sizes = LAWS[case["law"]], SIZES[case["groups"]]
    rng = np.random.default_rng([SEED, case["batch"], *(case["law"] + case["groups"]).encode()])
    groups = np.repeat(np.arange(sizes.size), sizes)
    missed = rejected = 0
    for _ in range(ROUNDS):
        p = law.quantiles(rng.random(groups.size))
        truth = law.truth(p)
        labels = rng.random(groups.size) < truth
        found = calibration_by_group(labels, p, groups, confidence=1 - ALPHA)
        bias = np.bincount(groups, truth - p) / sizes
        lower, upper, p_values = np.array(
            [[found[k].lower, found[k].upper, found[k].p_value] for k in range(sizes.size)]
        ).T
        missed += np.any((bias < lower) | (bias > upper))
        rejected += p_values.min() <= ALPHA
    return [{"rounds": ROUNDS, "missed": int(missed), "rejected": int(rejected)}]


def cases():
    """Every law with every design of groups."""
    return grid(law=PREDICTIONS, groups=list(SIZES), batch=range(N_BATCHES))


GROUP_LEVELS = Experiment(
    name="group_levels",
    title=f"How often limits and tests of small groups err, {ROUNDS * N_BATCHES} samples a case",
    seed=SEED,
    cases=cases,
    run_case=run_case,
    deviations=(
        f"Limits hold in all groups at once with probability {1 - ALPHA:.0%}, and the smallest "
        f"adjusted p value is compared with {ALPHA}.",
    ),
)


class Shares(NamedTuple):
    """Shares of the samples in which some limit misses, and some p value is small."""

    missed: float
    rejected: float


def shares(rows, law, groups):
    """The shares of the recorded samples of a case."""
    kept = (rows["law"] == law) & (rows["groups"] == groups)
    rounds = rows["rounds"][kept].sum()
    return Shares(
        missed=float(rows["missed"][kept].sum() / rounds),
        rejected=float(rows["rejected"][kept].sum() / rounds),
    )
