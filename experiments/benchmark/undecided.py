"""Cases of the benchmark that a tie of two optima decides, and how far their numbers reach.

``python -m experiments benchmark_undecided`` records them. Beta calibration with a negative
exponent takes the better of two fits with one exponent at 0. Where the scores separate the classes,
or where nearly all of them are within rounding of 0 and 1, both fits have the same loss up to the
last digit, and very different predictions of other points. Last digits, or the path to a maximum
that does not exist, then choose the fit, and no processor can repeat the choice of another.

`CASES` are all such cases of the benchmark: ``python -m experiments.benchmark.undecided`` looks for
them again, in some minutes.
"""

import csv
import sys

import numpy as np

from calib.base.curve_maps import BetaMap
from calib.base.probabilities import inside
from calib.methods.logistic_fit import likeliest, middle
from experiments.benchmark.data import seed_of, split
from experiments.benchmark.models import fitted, probabilities
from experiments.benchmark.protocol import calibration_samples, measures
from experiments.recording import RESULTS, Experiment

KEYS = ["dataset", "model", "split", "points"]
CASES = [
    dict(zip(KEYS, case, strict=True))
    for case in [
        ("mushrooms", "logistic", 2, 200),
        ("fourclass", "forest", 0, 215),
        ("fourclass", "extra trees", 0, 215),
        ("car_eval_4", "boosting", 0, 200),
        ("car_eval_4", "network", 0, 200),
        ("pendigits", "boosting", 0, 200),
        ("pendigits", "network", 0, 200),
        ("letter_img", "forest", 0, 200),
        ("letter_img", "boosting", 0, 200),
        ("letter_img", "network", 0, 200),
        ("w8a", "naive Bayes", 0, 200),
        ("covtype_2vs4", "logistic", 0, 200),
        ("covtype_2vs4", "forest", 0, 200),
        ("covtype_2vs4", "network", 0, 200),
        ("car_eval_34", "extra trees", 1, 200),
        ("page_blocks", "forest", 1, 200),
        ("page_blocks", "extra trees", 1, 200),
        ("page_blocks", "boosting", 1, 200),
        ("mushrooms", "naive Bayes", 1, 200),
        ("coil2000", "naive Bayes", 1, 200),
        ("pendigits", "network", 1, 200),
        ("letter_img", "logistic", 1, 200),
        ("letter_img", "extra trees", 1, 200),
        ("letter_img", "network", 1, 200),
        ("w8a", "naive Bayes", 1, 200),
        ("kdd98_learning", "naive Bayes", 1, 200),
        ("covtype_2vs4", "boosting", 1, 200),
        ("car_eval_4", "network", 2, 200),
        ("mushrooms", "naive Bayes", 2, 200),
        ("pendigits", "network", 2, 200),
        ("mammography", "boosting", 2, 200),
        ("letter_img", "naive Bayes", 2, 200),
        ("letter_img", "forest", 2, 200),
        ("letter_img", "network", 2, 200),
        ("covtype_2vs4", "logistic", 2, 200),
        ("covtype_2vs4", "naive Bayes", 2, 200),
        ("covtype_2vs4", "forest", 2, 200),
        ("covtype_2vs4", "boosting", 2, 200),
        ("covtype_2vs4", "network", 2, 200),
        ("fourclass", "extra trees", 3, 215),
        ("car_eval_4", "SVM", 3, 432),
        ("pendigits", "network", 3, 2000),
    ]
]
LOSSES_TIE = 1e-9  # largest difference of two losses that is taken for rounding
FAR = 0.01  # smallest difference of two measures that is worth a row


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
        if own.labels.size == case["points"]
    )
    both = edges(probabilities(model, part.X), part.labels, probabilities(model, test.X))
    return [
        {"calibrator": "Beta", "at_zero": zero, "loss": loss} | measures(test.labels, p)
        for zero, (loss, p) in zip("ba", both, strict=True)
    ]


def is_undecided(fits, recorded):
    """Whether two fits have one loss and other measures, and one of them has been recorded.

    Parameters
    ----------
    fits : list of dict
        As `run_case` returns them.
    recorded : dict of str to str
        The row of beta calibration in the record of the benchmark.
    """
    first, second = fits
    if abs(first["loss"] - second["loss"]) > LOSSES_TIE * max(1.0, first["loss"]):
        return False
    names = [name for name in first if name in recorded and name not in KEYS + ["calibrator"]]
    measured = [[fit[name] for name in names] for fit in fits]
    if np.allclose(*measured, rtol=FAR, atol=FAR):
        return False
    old = [float(recorded[name]) for name in names]
    return any(np.allclose(own, old, rtol=1e-4, atol=1e-4) for own in measured)


def search():
    """Print the cases of the benchmark that are undecided."""
    with (RESULTS / "benchmark.csv").open(newline="", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["calibrator"] == "Beta"]
    for k, row in enumerate(rows, start=1):
        case = {name: row[name] for name in ["dataset", "model"]}
        case |= {name: int(row[name]) for name in ["split", "points"]}
        if is_undecided(run_case(case), row):
            print(tuple(case.values()), flush=True)
        if k % 50 == 0:
            print(f"{k} of {len(rows)} cases", file=sys.stderr)


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
    datasets=tuple(dict.fromkeys(case["dataset"] for case in CASES)),
)

if __name__ == "__main__":
    search()
