"""Measure what each method of calib costs as the sample grows, beside one argsort of the scores.

Run it with ``python benchmarks/cost.py``; it takes some minutes, compiles first, and records
results/cost.csv and results/cost.json, which chapter C14 reads. Times are process times of one
thread: they do not count the seconds in which other programs had the processor.
"""

import os

for variable in ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"]:
    os.environ[variable] = "1"  # before NumPy is loaded

import multiprocessing  # noqa: E402
import time  # noqa: E402
from pathlib import Path  # noqa: E402

import numpy as np  # noqa: E402

import calib  # noqa: E402
import calibkit  # noqa: E402
from calibkit.datasets import LAWS  # noqa: E402
from experiments import Experiment, record  # noqa: E402

SEED = 15
SIZES = [100, 316, 1000, 3162, 10_000, 31_623, 100_000, 316_228, 1_000_000]
LARGEST = {"ABB": 20_000}  # its own limit
ROUNDS = 3  # the whole table again, some minutes later: take the least
METHODS = {
    "Histogram": calib.HistogramBinning(),
    "Platt": calib.PlattScaling(),
    "Isotonic": calib.IsotonicCalibrator(),
    "KDE": calib.KernelCalibrator(),
    "DPM": calib.DirichletProcessCalibrator(),
    "BBQ": calib.BBQ(),
    "ABB": calib.ABB(),
    "Path": calib.NearIsotonicPath(),
    "ENIR": calib.ENIR(),
    "ACP": calibkit.prediction_intervals.AdaptiveCalibrator(),
    "Venn-Abers": calib.VennAbers(),
    "DIR": calib.DirectIsotonic(),
}


def sizes(name):
    """Sample sizes for this method, up to its largest."""
    largest = LARGEST.get(name, SIZES[-1])
    return sorted({*(n for n in SIZES if n <= largest), largest})


def cpu_seconds(call):
    """Least process time of a call over several batches of at least ten milliseconds."""
    number, batches = 1, []
    while len(batches) < 5 and sum(batches) < 2:
        start = time.process_time()
        for _ in range(number):
            call()
        seconds = time.process_time() - start
        if seconds < 0.01:
            number *= 2
            continue
        batches.append(seconds)
    return min(batches) / number


def predictor(name, model, queries):
    """What a user of the fitted model calls for these scores."""
    if name == "Path":
        middle = model.lambdas_[model.lambdas_.size // 2]
        return lambda: model.predict(queries, middle)
    if name == "ACP":
        lower, upper = np.maximum(queries - 0.05, 0), np.minimum(queries + 0.05, 1)
        return lambda: model.predict(queries, lower, upper)
    return lambda: model.predict(queries)


def measure(case):
    """Seconds to sort, to fit, to predict one score and as many as were fitted; bytes to fit."""
    name, n = case["method"], case["n"]
    scores, labels = LAWS["overconfident"].sample(n, np.random.default_rng([SEED, n]))
    queries, _ = LAWS["overconfident"].sample(n, np.random.default_rng([SEED, n, 1]))
    model = METHODS[name].fit(scores, labels)
    many, one = predictor(name, model, queries), predictor(name, model, queries[:1])
    many(), one()  # compiled before the clock runs
    return [
        {
            "argsort": cpu_seconds(lambda: np.argsort(scores)),
            "fit": cpu_seconds(lambda: model.fit(scores, labels)),
            "predict_one": cpu_seconds(one),
            "predict_many": cpu_seconds(many),
            "fit_bytes": peak_bytes(name, n) if weighed(case) else float("nan"),
        }
    ]


def weighed(case):
    """Whether this case reports memory: once, for the largest sample."""
    return case["round"] == 0 and case["n"] == sizes(case["method"])[-1]


def peak_bytes(name, n):
    """Memory that a fit needs on top of the sample: its peak, in a process of its own."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(fit_and_weigh, (name, n))


def fit_and_weigh(name, n):
    """Peak resident bytes of a fit, less those before it; NaN where Linux is not."""
    if not Path("/proc/self/clear_refs").exists():
        return float("nan")
    small, large = (LAWS["overconfident"].sample(k, np.random.default_rng(SEED)) for k in [100, n])
    METHODS[name].fit(*small)
    before = resident("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")  # the peak counts from here
    METHODS[name].fit(*large)
    return 1024 * (resident("VmHWM") - before)


def resident(field):
    """A field of /proc/self/status, in kilobytes."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith(field)).split()[1])


COST = Experiment(
    name="cost",
    title="Cost of the calibrators: process time and memory against the size of the sample",
    seed=SEED,
    cases=lambda: [
        {"round": number, "method": name, "n": n}
        for number in range(ROUNDS)
        for name in METHODS
        for n in sizes(name)
    ],
    run_case=measure,
    deviations=(
        "N16 state orders of growth; here they are measured.",
        "Scores are uniform on [0, 1], continuous and without ties; labels follow the "
        "over-confident law.",
        "Seconds are the least process time of several batches, on one thread, after compilation, "
        "in each of three rounds; argsort is measured beside each method, in the same process.",
        "fit_bytes is the peak of resident memory during a fit, less that before it, in a process "
        "of its own.",
    ),
)


if __name__ == "__main__":
    for suffix in ["csv", "json"]:  # measured anew, in one run
        (Path(__file__).parents[1] / "results" / f"cost.{suffix}").unlink(missing_ok=True)
    record(COST, n_jobs=1)
