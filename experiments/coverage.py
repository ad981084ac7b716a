"""How often bootstrap intervals of a measure hold its true value, for laws where it is known."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.special import expit, logit

from calib import metrics
from calibkit import inference
from experiments.recording import Experiment

SEED = 24
POINTS = 500
ROUNDS = 50  # of a case
CONFIDENCE = 0.95
FEW, MORE = 100, 300  # resamples of an interval
N_BATCHES = {FEW: 40, MORE: 20}
ROUNDING = 1e-9
MEASURES = {
    "Brier score": metrics.brier_score_loss,
    "ECE": metrics.expected_calibration_error,
    "Kuiper": inference.kuiper_error,
    "smCE": inference.smooth_calibration_error,
}
SMOOTH_MEASURES = {"smECE": inference.smooth_ece}
N_SMOOTH_BATCHES = 8
BASIC, PERCENTILE = "basic", "percentile"


class Law(NamedTuple):
    """Predictions by their quantile function, and the probability of a positive at each."""

    quantiles: Callable
    truth: Callable


def _same(p):
    return p


LAWS = {
    "calibrated": Law(_same, _same),
    "overconfident": Law(_same, lambda p: expit(0.7 * logit(p))),
    "three values": Law(lambda u: np.array([0.1, 0.4, 0.8])[(3 * u).astype(int)], _same),
    "one value": Law(lambda u: np.full(u.size, 0.3), _same),
    "Beta(1, 19)": Law(lambda u: 1 - (1 - u) ** (1 / 19), _same),
}
UNIFORM = ["calibrated", "overconfident"]


def true_value(measure, law):
    """The measure on the whole population, as a grid of its quantiles."""
    p = LAWS[law].quantiles((np.arange(60_000) + 0.5) / 60_000)
    positive = LAWS[law].truth(p)
    labels = np.repeat([1, 0], p.size)
    return measure(labels, np.tile(p, 2), sample_weight=np.append(positive, 1 - positive))


def draw(law, rng):
    """A sample: labels and predictions."""
    p = LAWS[law].quantiles(rng.random(POINTS))
    return rng.random(POINTS) < LAWS[law].truth(p), p


def holds(interval, value):
    """Whether the basic interval holds a value, and whether its mirror image, of percentiles."""
    lower, upper = interval.lower - ROUNDING, interval.upper + ROUNDING
    return {
        BASIC: lower <= value <= upper,
        PERCENTILE: lower <= 2 * interval.estimate - value <= upper,
    }


def run_case(case):
    """Samples of one law: how often the intervals of each measure hold, and their mean width."""
    return _counts(case, MEASURES)


def run_smooth_case(case):
    """The same of the smooth ECE."""
    return _counts(case, SMOOTH_MEASURES)


def _counts(case, measures):
    law, resamples = case["law"], case["resamples"]
    rng = np.random.default_rng([SEED, case["batch"], resamples, *law.encode()])
    options = {"confidence": CONFIDENCE, "n_resamples": resamples, "random_state": rng}
    values = {name: true_value(measure, law) for name, measure in measures.items()}
    found = {name: [] for name in measures}
    for _ in range(ROUNDS):
        labels, p = draw(law, rng)
        for name, measure in measures.items():
            interval = inference.bootstrap_interval(measure, labels, p, **options)
            held = holds(interval, values[name])
            found[name].append([*held.values(), interval.upper - interval.lower])
    return [
        {"measure": name, "truth": values[name], "rounds": ROUNDS}
        | {BASIC: int(basic), PERCENTILE: int(percentile), "width": width / ROUNDS}
        for name, (basic, percentile, width) in zip(
            found, np.sum(list(found.values()), axis=1), strict=True
        )
    ]


def cases():
    """All laws with few resamples, a batch of all at a time; then the uniform ones with more."""
    return [
        {"law": law, "resamples": resamples, "batch": batch}
        for resamples, laws in [(FEW, LAWS), (MORE, UNIFORM)]
        for batch in range(N_BATCHES[resamples])
        for law in laws
    ]


def smooth_cases():
    """All laws with few resamples."""
    return [
        {"law": law, "resamples": FEW, "batch": batch}
        for batch in range(N_SMOOTH_BATCHES)
        for law in LAWS
    ]


class Share(NamedTuple):
    """A share of rounds, with its standard error."""

    value: float
    error: float


def share_held(rows, law, measure, *, resamples=FEW, kind=BASIC):
    """Share of the recorded rounds in which an interval holds the truth."""
    kept = (rows["law"] == law) & (rows["measure"] == measure) & (rows["resamples"] == resamples)
    rounds = rows["rounds"][kept].sum()
    value = rows[kind][kept].sum() / rounds
    return Share(float(value), float(np.sqrt(value * (1 - value) / rounds)))


INTERVAL_COVERAGE = Experiment(
    name="interval_coverage",
    title=f"How often bootstrap intervals hold the truth, {ROUNDS * N_BATCHES[FEW]} samples a law",
    seed=SEED,
    cases=cases,
    run_case=run_case,
    deviations=(
        f"Samples have {POINTS} cases, intervals {CONFIDENCE:.0%} and {FEW} resamples, fewer than "
        f"the default of the package; for uniform predictions also {MORE}, in "
        f"{ROUNDS * N_BATCHES[MORE]} samples.",
        "All measures see the same samples. The true ECE is that of ten bins of equal share in the "
        "population, that of a sample has ten bins of equal share in the sample.",
    ),
)

SMOOTH_COVERAGE = Experiment(
    name="smooth_coverage",
    title="How often bootstrap intervals of the smooth ECE hold the truth, "
    f"{ROUNDS * N_SMOOTH_BATCHES} samples a law",
    seed=SEED,
    cases=smooth_cases,
    run_case=run_smooth_case,
    deviations=(f"Samples have {POINTS} cases, intervals {CONFIDENCE:.0%} and {FEW} resamples.",),
)
