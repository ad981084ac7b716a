"""Cases of the benchmark that a tie of two optima decides, and how far their numbers reach.

``python -m experiments benchmark_undecided`` records them. Beta calibration with a negative
exponent takes the better of two fits with one exponent at 0. Where the scores separate the classes,
or where nearly all of them are within rounding of 0 and 1, both fits have the same loss up to the
last digit, and very different predictions of other points. Last digits, or the path to a maximum
that does not exist, then choose the fit, and no processor can repeat the choice of another.
"""

import numpy as np

from calib.base.curve_maps import BetaMap
from calib.base.probabilities import inside
from calib.methods.logistic_fit import likeliest, middle
from experiments.benchmark.data import seed_of, split
from experiments.benchmark.models import fitted, probabilities
from experiments.benchmark.protocol import calibration_samples, measures
from experiments.recording import Experiment

CASES = [
    {"dataset": "mushrooms", "model": "logistic", "split": 2},
    {"dataset": "w8a", "model": "naive Bayes", "split": 1},
]
POINTS = 200  # the calibration sample in which the two fits tie


def edges(scores, labels, test_scores):
    """Loss and test probabilities of the fits with b at 0 and with a at 0."""
    centre = middle(inside(scores))
    columns = BetaMap.columns(scores, centre)
    for free in range(2):
        fit = likeliest(columns[[free]], labels, np.ones(labels.size))
        a, b = np.where(np.arange(2) == free, fit.slopes[0], 0.0)
        found = BetaMap(a=float(a), b=float(b), level=float(fit.level), centre=centre)
        yield float(fit.loss), found(test_scores)


def run_case(case):
    """The measures of both fits, a row each."""
    training, calibration, test = split(case["dataset"], case["split"])
    seed = seed_of(case["dataset"], case["split"])
    model = fitted(case["model"], training.X, training.labels, seed)
    (part,) = (
        own
        for own in calibration_samples(calibration, case["split"], seed)
        if own.labels.size == POINTS
    )
    both = edges(probabilities(model, part.X), part.labels, probabilities(model, test.X))
    return [
        {"calibrator": "Beta", "points": POINTS, "at_zero": zero, "loss": loss}
        | measures(test.labels, p)
        for zero, (loss, p) in zip("ba", both, strict=True)
    ]


UNDECIDED = Experiment(
    name="benchmark_undecided",
    title="Cases of the benchmark in which two fits of beta calibration have one loss",
    seed=0,
    cases=lambda: CASES,
    run_case=run_case,
    deviations=(
        "Splits, models and measures are those of the record 'benchmark'.",
        "'at_zero' is the exponent that is fixed, and 'loss' the sum of the log losses of the "
        "calibration points.",
    ),
    datasets=tuple(case["dataset"] for case in CASES),
)
