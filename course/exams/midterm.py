"""Numbers of the mid-term: data drawn for a term, and the solutions computed from them."""

import math
from fractions import Fraction

import numpy as np

from calib import metrics


def row(values):
    """Values as cells of a table."""
    return " | ".join(str(value) for value in values)


def three_predictions(rng):
    """Question 1: three predictions, given to 10, 20 and 20 cases, and their positives."""
    said = np.array([0.2, 0.5, 0.8])
    counts = np.array([10, 20, 20])
    positives = np.array([rng.integers(2, 5), rng.integers(7, 10), rng.integers(16, 19)])
    share, observed = counts / 50, positives / counts
    base = positives.sum() / 50
    reliability = np.sum(share * (said - observed) ** 2)
    resolution = np.sum(share * (observed - base) ** 2)
    uncertainty = base * (1 - base)
    brier = np.sum(positives * (said - 1) ** 2 + (counts - positives) * said**2) / 50
    return {
        "positives": row(positives),
        "base": f"{base:.2f}",
        "reliability": f"{reliability:.4f}",
        "resolution": f"{resolution:.4f}",
        "uncertainty": f"{uncertainty:.4f}",
        "brier": f"{brier:.4f}",
    }


def tied_predictions(rng):
    """Question 2: eight predictions, six of them equal, in groups of four."""
    low, high = rng.choice([0.1, 0.2]), rng.choice([0.8, 0.9])
    predictions = np.array([low, *[0.5] * 6, high])
    labels = np.array([0, *rng.permutation([1, 1, 1, 0, 0, 0]), 1])
    sizes = {
        "sorted": metrics.expected_calibration_error(labels, predictions, n_bins=2, ties="label"),
        "together": metrics.expected_calibration_error(labels, predictions, n_bins=2, ties="group"),
    }
    return {
        "tied_predictions": row(predictions),
        "tied_labels": row(labels),
        "low": f"{low:.1f}",
        "high": f"{high:.1f}",
        "low_mean": f"{(low + 1.5) / 4:.3f}",
        "high_mean": f"{(high + 1.5) / 4:.3f}",
        "upper_mean": f"{(high + 3) / 7:.3f}",
        "upper_observed": "4/7",
        "low_gap": f"{low:.1f}",
        "ece_sorted": f"{sizes['sorted']:.4f}",
        "ece_together": f"{sizes['together']:.4f}",
    }


def bins(rng):
    """Question 3: the bound of the largest error of fixed bins, and the points that it asks for."""
    n_bins = int(rng.choice([5, 10, 20]))
    n = int(rng.choice([1000, 2000, 4000]))
    promised = float(rng.choice([0.05, 0.04]))
    logarithm = math.log(2 * n_bins / 0.05)
    return {
        "n_bins": n_bins,
        "n_points": n,
        "per_bin": n // n_bins,
        "logarithm": f"{logarithm:.3f}",
        "bound": f"{math.sqrt(n_bins * logarithm / (2 * n)):.3f}",
        "promised": promised,
        "needed": f"{math.ceil(n_bins * logarithm / (2 * promised**2)):,}",
    }


def normal_scores(rng):
    """Question 4: two normal classes, Platt's targets, and forgotten class priors."""
    upper, variance = int(rng.choice([2, 3])), int(rng.choice([1, 2, 4]))
    slope = Fraction(upper, variance)
    m, n = [(4, 16), (5, 45), (10, 40)][rng.integers(3)]
    intercept = math.log(m / n) - upper**2 / (2 * variance)
    return {
        "upper": upper,
        "variance": variance,
        "slope": slope,
        "intercept": f"{intercept:.3f}",
        "m": m,
        "n": n,
        "target_positive": Fraction(m + 1, m + 2),
        "target_negative": Fraction(1, n + 2),
        "ratio": Fraction(n, m),
        "corrected": Fraction(m, m + n),
    }


def isotonic(rng):
    """Question 5: ten labels on seven scores, two of them tied."""
    while True:
        found = pooled(rng.permutation([1, 1, 1, 0, 0, 0, 0]))
        something_pooled = found["fit"] != found["means"]
        if something_pooled and found["fit_four"] != found["fit_five"]:
            return found


def pooled(middle):
    """The numbers of question 5 for the labels of the cases that are not at an end."""
    scores = np.array([1, 2, 2, 3, 4, 5, 5, 5, 6, 7])
    labels = np.array([0, *middle, 1, 1])
    distinct, place = np.unique(scores, return_inverse=True)
    weights = np.bincount(place)
    positives = np.bincount(place, labels).astype(int)
    blocks = []
    for weight, positive in zip(weights, positives, strict=True):
        blocks.append([int(weight), int(positive)])
        while len(blocks) > 1 and blocks[-2][1] * blocks[-1][0] >= blocks[-1][1] * blocks[-2][0]:
            weight, positive = blocks.pop()
            blocks[-1][0] += weight
            blocks[-1][1] += positive
    fit = [Fraction(positive, weight) for weight, positive in blocks for _ in range(weight)]
    values = [fit[np.flatnonzero(scores == score)[0]] for score in distinct]
    return {
        "scores": row(scores),
        "labels": row(labels),
        "weights": row(weights),
        "means": row(Fraction(int(p), int(w)) for p, w in zip(positives, weights, strict=True)),
        "fit": row(values),
        "fit_four": values[3],
        "fit_five": values[4],
        "fit_between": (values[3] + values[4]) / 2,
    }


def numbers(rng):
    """All numbers of the exam."""
    parts = [three_predictions, tied_predictions, bins, normal_scores, isotonic]
    return {name: value for part in parts for name, value in part(rng).items()}
