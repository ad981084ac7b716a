"""Processor time of a fit and a prediction, by the number of rows."""

import contextlib
import io
import sys
import time
import warnings

import numpy as np

SIZES = [10**3, 10**4, 10**5, 10**6]
REPEATS = 7
LIMIT = 6.0  # seconds; a method that is expected to take more is not tried
ENOUGH = 0.7  # seconds of calls for a median


def mixture(rng, n):
    """Scores of a mixture of two Beta distributions, without ties."""
    return np.where(rng.random(n) < 0.5, rng.beta(0.5, 2, n), rng.beta(3, 1, n))


def sample(n, seed):
    """Scores of the mixture; labels whose probability is not monotone in the score."""
    rng = np.random.default_rng(seed)
    scores = mixture(rng, n)
    labels = (rng.random(n) < 0.5 + 0.4 * np.sin(5 * scores)).astype(np.int64)
    return scores, labels


def median_seconds(call, enough=ENOUGH):
    """Median processor time of seven calls, or of fewer calls that take `enough` seconds."""
    times = []
    while len(times) < REPEATS and sum(times) < enough:
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return float(np.median(times))


def expected_seconds(totals):
    """Seconds at ten times the last size, by the growth so far, which is at least linear."""
    if not totals:
        return 0.0
    growth = totals[-1] / totals[-2] if len(totals) > 1 else 10.0
    return totals[-1] * max(growth, 10.0)


def measure(task, name, make):
    """Rows of one method: seconds to fit and to predict at each size."""
    rows = []
    totals = []
    for n in SIZES:
        if expected_seconds(totals) > LIMIT:
            rows.append({"task": task, "method": name, "n": n, "fit": None, "predict": None})
            continue
        scores, labels = sample(n, seed=n)
        queries, _ = sample(n, seed=n + 1)
        fit, predict = make(scores, labels, queries)
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # what peers say about convergence is theirs
                if n == SIZES[0]:
                    model = fit()  # compiles
                    predict(model)
                first = time.process_time()
                model = fit()
                first = time.process_time() - first
                fit_seconds = first if first > ENOUGH else median_seconds(fit)
                predict_seconds = median_seconds(lambda model=model, run=predict: run(model))
        totals.append(fit_seconds + predict_seconds)
        rows.append(
            {"task": task, "method": name, "n": n, "fit": fit_seconds, "predict": predict_seconds}
        )
        line = f"{task:36} {name:44} {n:8d}  {fit_seconds:9.4f} s  {predict_seconds:9.4f} s"
        print(line, file=sys.stderr, flush=True)
    return rows


def sort_seconds():
    """Seconds of one sort at each size: the unit of the table."""
    scores = {n: sample(n, seed=n)[0] for n in SIZES}
    return {n: median_seconds(lambda n=n: np.sort(scores[n])) for n in SIZES}


def as_text(row, unit):
    """A row for the table: three digits, and nothing where a method was not tried."""
    times = {key: "" if row[key] is None else f"{row[key]:.3g}" for key in ["fit", "predict"]}
    return {**row, **times, "sort": f"{unit[row['n']]:.3g}"}
