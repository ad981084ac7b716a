"""What rounding the scores changes, beside what the page *Any size* proves: results/rounding.csv.

Run it with ``python benchmarks/rounding.py``; it takes seconds and writes the same table each time.
"""

import csv
from pathlib import Path

import numpy as np

import calib
from calib import metrics
from calibkit import inference
from calibkit.datasets import LAWS

TABLE = Path(__file__).resolve().parents[1] / "results" / "rounding.csv"
ROWS = 50_000
BOUNDS = [0.005, 0.0005]
N_BINS = 15
WORDS = {"score": "scores", "logit": "log-odds"}


def root_mean_square(values):
    """Of changes over the rows."""
    return float(np.sqrt(np.mean(values**2)))


def cells(rounded, labels):
    """Numbers of negatives and of positives in each cell."""
    _, cell = np.unique(rounded, return_inverse=True)
    return np.bincount(cell, 1 - labels), np.bincount(cell, labels)


def of_measures(labels, scores, rounded, bound, scale):
    """Measure, its change, and the bound of the change."""
    negative, positive = cells(rounded, labels)
    in_cell = (negative + positive) / labels.size
    middles = np.unique(rounded)
    residuals = (positive * (1 - middles) + negative * middles) / labels.size
    moved = bound if scale == "score" else bound / 4
    cuts = np.arange(1, N_BINS) / N_BINS
    hit = np.unique(np.searchsorted(np.cumsum(in_cell), cuts))
    uniform = {"n_bins": N_BINS, "strategy": "uniform"}
    steepest = 2 * bound if scale == "score" else 8 / 27 * bound
    measures = [
        ("Brier score", metrics.brier_score_loss, {}, steepest),
        ("log loss", metrics.log_loss, {}, bound if scale == "logit" else None),
        ("Kuiper error", inference.kuiper_error, {}, moved + in_cell.max()),
        ("AUC", metrics.roc_auc_score, {}, _tied(negative, positive)),
        ("ECE, equal frequency", metrics.expected_calibration_error, {"n_bins": N_BINS},
         moved + 2 * residuals[hit].sum()),
        ("ECE, equal width", metrics.expected_calibration_error, uniform,
         bound if scale == "score" else None),
    ]  # fmt: skip
    for name, measure, options, most in measures:
        change = measure(labels, rounded, **options) - measure(labels, scores, **options)
        yield name, abs(change), most


def _tied(negative, positive):
    return float(negative @ positive / (2 * negative.sum() * positive.sum()))


def of_maps(labels, scores, rounded, bound, scale):
    """Method, the root mean square of the change of its predictions, and the bound of that."""
    negative, positive = cells(rounded, labels)
    largest = (negative + positive).max() / labels.size
    width = calib.HistogramBinning(n_bins=N_BINS, strategy="uniform")
    yield ("histogram, equal width", *_change(width, labels, scores, rounded)[:1],
           0.0 if scale == "score" else None)  # fmt: skip
    change = _change(calib.IsotonicCalibrator(), labels, scores, rounded)[0]
    yield "isotonic regression", change, float(np.sqrt(largest / 2))
    yield "Venn-Abers", _change(calib.VennAbers(), labels, scores, rounded)[0], None
    for name, method in [
        ("Platt scaling", calib.PlattScaling(scale=scale)),
        ("beta calibration", calib.BetaCalibration()),
    ]:
        change, fits = _change(method, labels, scores, rounded, scores)
        known = name == "Platt scaling" or scale == "logit"
        slopes = sum(_steepness(fit) for fit in fits)
        yield name, change, float(np.sqrt(bound * slopes / 2)) if known else None
    yield "spline", _change(calib.SplineCalibrator(), labels, scores, rounded)[0], None


def _change(method, labels, scores, rounded, queries=None):
    """Change of the predictions at scores and rounded ones, or at `queries`; both fits."""
    first, second = (type(method)(**method.get_params()).fit(s, labels) for s in (scores, rounded))
    places = (scores, rounded) if queries is None else (queries, queries)
    return root_mean_square(second.predict(places[1]) - first.predict(places[0])), (first, second)


def _steepness(fit):
    """Largest slope of the log-odds on the scale that is fitted."""
    return max(fit.a_, fit.b_) if isinstance(fit, calib.BetaCalibration) else abs(fit.slope_)


def rows():
    """The table."""
    scores, labels = LAWS["overconfident"].sample(ROWS, np.random.default_rng(27))
    for scale, bound in [(scale, bound) for scale in WORDS for bound in BOUNDS]:
        rounded = calib.rounded_scores(scores, bound, scale=scale)
        for kind in (of_measures, of_maps):
            for name, change, most in kind(labels, scores, rounded, bound, scale):
                yield {
                    "rounded": WORDS[scale],
                    "delta": bound,
                    "what": name,
                    "change": f"{change:.1e}",
                    "bound": "none" if most is None else f"{most:.1e}",
                }


def main():
    """Write the table."""
    table = list(rows())
    with TABLE.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(table[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(table)


if __name__ == "__main__":
    main()
