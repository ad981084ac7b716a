"""Remarks about scores before a map is fitted to them, and about the map afterwards."""

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.special import entr

from calib import CalibrationMap
from calibkit.cli.read import Scores
from calibkit.report.input import clean, described, misread_cautions

LEAST_EXPLAINED = 0.001  # fraction of the entropy of the outcomes, below which a map is constant
NOTABLE_EXCESS = 0.1  # fraction of the positives by which a sum of probabilities is notably off
CENTRED = "--parameter centred=true"  # sets the sum right for the methods of the next line
METHODS_TO_BE_CENTRED = ("stacked", "venn_abers")
METHODS_WITH_RIGHT_SUMS = {  # by `calib fit --method`
    "stacked": f"--method stacked {CENTRED}",
    "spline": "--method spline",
    "isotonic": "--method isotonic --parameter smoothing=1",
}


def on_scores(read: Scores, *, is_ranked: bool = True) -> Iterator[str]:
    """Yield remarks about scores, labels and weights; a reversed order only if `is_ranked`."""
    weights = read.weights
    if weights is not None and np.any(weights % 1) and not math.isclose(weights.sum(), 1):
        yield (
            f"weights are no whole numbers: they are taken for numbers of cases, {weights.sum():g} "
            f"in {weights.size} rows; if they are weights of a sample, divide them by their mean"
        )
    sample, left_out = clean(read.scores, read.labels, weights, None)
    data = described(sample, left_out)
    for caution in misread_cautions(sample, data, is_ranked=is_ranked):
        yield caution.text


def on_map(
    map_: CalibrationMap, read: Scores, labels: NDArray[np.uint8], method: str
) -> Iterator[str]:
    """Yield remarks on a map that was fitted to these rows: if it is constant, or sums are off."""
    weights = np.ones(read.scores.size) if read.weights is None else read.weights
    probabilities = map_(read.scores)
    if _explained(probabilities, weights) < LEAST_EXPLAINED:
        low, middle, high = np.quantile(probabilities[weights > 0], [0.05, 0.5, 0.95])
        spread = f"{low:.4g} to {high:.4g} in nine of ten rows" if low < high else f"{middle:.4g}"
        yield (
            f"the map is nearly constant ({spread}): these scores hardly tell the classes apart, "
            "or increase where class 1 is less likely; look at them with calib report"
        )
    positives = float(np.dot(weights, labels))
    total = float(np.dot(weights, probabilities))
    excess = total / positives - 1
    if abs(excess) > NOTABLE_EXCESS:
        others = [words for name, words in METHODS_WITH_RIGHT_SUMS.items() if name != method]
        if method in METHODS_TO_BE_CENTRED:
            others[:0] = [CENTRED]
        yield (
            f"on these rows the calibrated probabilities add up to {total:.6g}, and "
            f"{positives:.6g} are positive: {100 * abs(excess):.0f} % too "
            f"{'many' if excess > 0 else 'few'}; for sums and means take {' or '.join(others)}"
        )


def _explained(probabilities: NDArray[np.float64], weights: NDArray[np.float64]) -> float:
    """Fraction of the entropy of the outcomes that probabilities explain if they are right."""
    mean = np.average(probabilities, weights=weights)
    whole = entr(mean) + entr(1 - mean)
    if not whole > 0:
        return 0.0
    return 1 - np.average(entr(probabilities) + entr(1 - probabilities), weights=weights) / whole
