"""Faults of other packages that the test vectors found: each at its smallest input, computed twice.

python benchmarks/vector_faults.py YYYY-MM-DD

What a package returns is compared with the definition, written out here in NumPy and not by the
generator of the vectors. Writes results/vectors_faults.csv, a row for each fault that was seen,
with the date. It needs the packages, R with rms for two of them, and no calib.
"""

import csv
import itertools
import subprocess
import sys
import warnings
from importlib.metadata import version
from pathlib import Path

import numpy as np
from vector_functions import PACKAGES

RECORD = Path(__file__).resolve().parents[1] / "results" / "vectors_faults.csv"
TOLERANCE = 1e-4  # what 32-bit numbers and jitter may differ by
CALIBRATED_TIES = {"labels": [1, 1, 0, 0], "probabilities": [0.5] * 4}
END = {"labels": [1, 0], "probabilities": [0.5, 1], "n_bins": 1, "bins": "width"}
CONSTANT = {"labels": [1, 1, 1, 1], "probabilities": [0.1] * 4, "n_bins": 10, "bins": "mass"}


def in_one_bin(labels, probabilities, **_):
    """ECE where all rows share a bin: the distance of two means."""
    return abs(np.mean(labels) - np.mean(probabilities))


def by_intervals(labels, probabilities):
    """Kuiper's error: the largest sum of residuals over an interval of scores."""
    z, p = np.array(labels), np.array(probabilities)
    sums = [
        abs(np.sum((z - p)[(p >= low) & (p <= high)]))
        for low, high in itertools.product(np.unique(p), repeat=2)
    ]
    return max(sums) / p.size


def by_cuts(labels, probabilities):
    """KS error: the largest sum of residuals up to a score."""
    z, p = np.array(labels), np.array(probabilities)
    return max(abs(np.sum((z - p)[p <= cut])) for cut in p) / p.size


def by_pairs(labels, probabilities):
    """AUC by all pairs."""
    rows = list(zip(labels, probabilities, strict=True))
    wins = [
        (a > b) + (a == b) / 2
        for (z, a), (y, b) in itertools.product(rows, rows)
        if z == 1 and y == 0
    ]
    return np.mean(wins)


def least_squares(labels, scores):
    """Return the increasing fit with the least squares, tried on a grid of a hundredth."""
    distinct = sorted(set(scores))
    grid = np.linspace(0, 1, 101)
    best = min(
        itertools.combinations_with_replacement(grid, len(distinct)),
        key=lambda fit: sum(
            (z - fit[distinct.index(s)]) ** 2 for z, s in zip(labels, scores, strict=True)
        ),
    )
    return [best[distinct.index(s)] for s in scores]


def at_new_scores(labels, scores, n_bins, new_scores):
    """Mean label of the rows in the bin of each new score; both sides closed agree here."""
    bins = [int(s * n_bins) for s in scores]
    return [
        np.mean([z for z, k in zip(labels, bins, strict=True) if k == int(new * n_bins)])
        for new in new_scores
    ]


def venn_abers(labels, scores, new_scores):
    """p1 / (1 - p0 + p1): two fits, by the max-min formula on means of runs."""
    found = []
    for new in new_scores:
        pair = []
        for label in (0, 1):
            rows = sorted([*zip(scores, labels, strict=True), (new, label)])
            z = [y for _, y in rows]
            i = [s for s, _ in rows].index(new)
            pair.append(
                max(min(np.mean(z[a : b + 1]) for b in range(i, len(z))) for a in range(i + 1))
            )
        found.append(pair[1] / (1 - pair[0] + pair[1]))
    return found


def mean_by_rows(labels, probabilities, weights, loss):
    """Miscalibration, discrimination and uncertainty of the Brier score, without absent rows."""
    rows = [(z, p, w) for z, p, w in zip(labels, probabilities, weights, strict=True) if w > 0]
    labels, probabilities, weights = map(np.array, zip(*rows, strict=True))
    base = np.average(labels, weights=weights)
    fit = np.array(least_squares(np.repeat(labels, weights), np.repeat(probabilities, weights)))
    labels, probabilities = np.repeat(labels, weights), np.repeat(probabilities, weights)
    score, best = np.mean((labels - probabilities) ** 2), np.mean((labels - fit) ** 2)
    return [score - best, np.mean((labels - base) ** 2) - best, np.mean((labels - base) ** 2)]


def no_number(**_):
    """Return what has no value."""
    return np.nan


FAULTS = [  # package, function, input, definition, what is wrong, where it was known before
    ("torchmetrics", "ece", END, in_one_bin, "a score of 1 has a bin of its own", "issue 3510"),
    ("torchmetrics", "mce", END, in_one_bin, "as in the line above", "issue 3510"),
    ("relplot", "ece", END, in_one_bin, "a score of 1 has a bin of its own", ""),
    (
        "mapie",
        "ece",
        {"labels": [1, 0], "probabilities": [0, 0.25], "n_bins": 2, "bins": "width"},
        in_one_bin,
        "a score of 0 has a bin of its own, and there is one bin less than asked for",
        "in part, here",
    ),
    (
        "mapie",
        "ece",
        {"labels": [1, 0], "probabilities": [0.25, 0.5], "n_bins": 1, "bins": "width"},
        in_one_bin,
        "one bin is none",
        "",
    ),
    (
        "mapie",
        "kuiper",
        CALIBRATED_TIES,
        by_intervals,
        "ties are parted by noise, so that the path is read inside them",
        "here",
    ),
    ("mapie", "ks_error", CALIBRATED_TIES, by_cuts, "as in the line above", "here"),
    (
        "mapie",
        "kuiper",
        {"labels": [1], "probabilities": [0.75]},
        by_intervals,
        "the path does not begin at 0",
        "",
    ),
    (
        "mapie",
        "venn_abers",
        {"labels": [1, 1, 0, 0], "scores": [0.125, 0.25, 0.75, 0.875], "new_scores": [0.9375]},
        venn_abers,
        "the fit with the new object is not isotonic regression",
        "here",
    ),
    (
        "netcal",
        "ece",
        {"labels": [1, 1, 1, 0, 0, 0], "probabilities": [0.5] * 6, "n_bins": 3, "bins": "mass"},
        in_one_bin,
        "bins of equal mass raise an exception where two quantiles are equal",
        "",
    ),
    (
        "netcal",
        "histogram",
        {"labels": [0, 1], "scores": [0.25, 0.5], "n_bins": 2, "new_scores": [0.25, 0.5]},
        at_new_scores,
        "fitted with bins closed on the left, applied with bins closed on the right",
        "",
    ),
    (
        "jevassert",
        "ece",
        {"labels": [0, 1], "probabilities": [0.5, 0.5], "n_bins": 2, "bins": "mass"},
        in_one_bin,
        "rows are sorted by score and label, so that a cut through a tie parts the classes",
        "",
    ),
    ("splinator", "ece", CONSTANT, in_one_bin, "divided by the number of bins asked for", ""),
    ("imbcal", "ece", CONSTANT, in_one_bin, "equal scores leave no bin", ""),
    (
        "imbcal",
        "slope_intercept",
        {"labels": [1, 1, 1, 0], "probabilities": [0.5] * 4},
        no_number,
        "equal predictions have no slope, and 0 is returned",
        "",
    ),
    (
        "imbcal",
        "slope_intercept",
        {"labels": [0, 0, 1, 1], "probabilities": [0.125, 0.25, 0.75, 0.875]},
        no_number,
        "separated classes have no slope, and a number of the penalty is returned",
        "",
    ),
    ("probmetrics", "kuiper", CALIBRATED_TIES, by_intervals, "the path is read inside ties", ""),
    ("probmetrics", "ks_error", CALIBRATED_TIES, by_cuts, "the path is read inside ties", ""),
    (
        "model-diagnostics",
        "corp",
        {
            "labels": [0, 1, 0, 1],
            "probabilities": [0.25, 0.5, 0.75, 1],
            "weights": [1, 2, 1, 0],
            "loss": "brier",
        },
        mean_by_rows,
        "a weight of 0 at the end makes two parts NaN",
        "",
    ),
    (
        "scikit-learn",
        "isotonic",
        {"labels": [0, 1], "scores": [1e-16, 2e-16]},
        least_squares,
        "scores closer than 1e-15 are one score",
        "",
    ),
    (
        "rms",
        "auc",
        {"labels": [0, 0, 0, 0, 1, 0, 1], "probabilities": [0, 0, 0, 0, 0.25, 0.5, 0.75]},
        by_pairs,
        "rows with a prediction of 0 or 1 leave the area, but not the Brier score",
        "",
    ),
    (
        "rms",
        "slope_intercept",
        {"labels": [0, 0, 1, 1], "probabilities": [0.125, 0.25, 0.75, 0.875]},
        no_number,
        "separated classes have no slope, and a number is returned without a warning",
        "",
    ),
]
RMS = """
p <- c({probabilities}); y <- c({labels})
found <- rms::val.prob(p, y, pl = FALSE, logistic.cal = FALSE)
cat("ANSWER", found[{names}], "\\n")
"""


def ask_rms(function, labels, probabilities):
    """Return the answer of R's rms, and its version."""
    names = {"auc": '"C (ROC)"', "slope_intercept": 'c("Slope", "Intercept")'}[function]
    columns = {
        name: ", ".join(map(str, values))
        for name, values in (("labels", labels), ("probabilities", probabilities))
    }
    program = RMS.format(names=names, **columns) + 'cat("ANSWER", format(packageVersion("rms")))'
    done = subprocess.run(["Rscript", "-e", program], capture_output=True, text=True, check=True)
    answers = [line.split()[1:] for line in done.stdout.splitlines() if line.startswith("ANSWER")]
    return [float(text) for text in answers[0]], answers[1][0]


def ask(package, function, given):
    """Return the answer of a package, or the kind of its exception, and its version."""
    if package == "rms":
        return ask_rms(function, **given)
    try:
        found = PACKAGES[package]()[function](**given)
    except Exception as error:  # which exception it is, is what the record says
        return type(error).__name__, version(package)
    return np.asarray(found, float).ravel().tolist(), version(package)


def shown(numbers):
    """Return numbers as text."""
    if isinstance(numbers, str):
        return numbers
    return " ".join(f"{number:.6g}" for number in np.ravel(numbers))


def differs(found, right):
    """Whether an answer is not the definition's."""
    if isinstance(found, str):
        return True
    right = np.ravel(right)
    if np.isnan(right).any():
        return not np.isnan(found).any()
    return not np.allclose(found, right, rtol=TOLERANCE, atol=TOLERANCE)


def main():
    """Try each fault, and record those that are seen."""
    (date,) = sys.argv[1:]
    rows = []
    for package, function, given, definition, wrong, known in FAULTS:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found, number = ask(package, function, given)
            right = definition(**given)
        if not differs(found, right):
            print(f"{package}: {function} is right now", file=sys.stderr)
            continue
        rows.append(
            {
                "package": f"{package} {number}",
                "function": function,
                "input": "; ".join(f"{name}: {value}" for name, value in given.items()),
                "found": shown(found),
                "by definition": shown(right),
                "what is wrong": wrong,
                "known before": known,
                "seen": date,
            }
        )
    with open(RECORD, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()
