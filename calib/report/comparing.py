"""Calibrators compared on the rows of a report."""

import math

import numpy as np

from calib.comparison import DEFAULTS, compare
from calib.comparison.defaults import fitting
from calib.report.contents import Compared, Method
from calib.report.measuring import FEW, Sample

N_REPEATS = 3  # of the folds: a page should not take longer
MOST = 20_000  # rows: with more a sample of them tells which calibrator is best


def compared(sample: Sample, seed: int) -> Compared | None:
    """The quick ones of the default calibrators by cross-validated log loss.

    Of very many rows they are compared on a part.
    """
    if np.bincount(sample.labels, minlength=2).min() < FEW:
        return None
    notes = []
    if sample.labels.size > MOST:
        rng = np.random.default_rng(seed)
        part = sample.rows(np.sort(rng.choice(sample.labels.size, MOST, replace=False)))
        if np.bincount(part.labels, minlength=2).min() < FEW:
            return None
        notes.append(f"Compared on {MOST:,} rows drawn at random out of {sample.labels.size:,}.")
        sample = part
    is_probability = bool(sample.scores.min() >= 0 and sample.scores.max() <= 1)
    found = compare(
        sample.scores,
        sample.labels,
        {d.name: d.calibrator for d in fitting(DEFAULTS, is_probability) if math.isinf(d.most)},
        sample_weight=sample.weights,
        n_repeats=N_REPEATS,
        random_state=seed,
    )
    gain_in = "log" if math.isfinite(found.results[found.reference].log_loss) else "brier"
    return Compared(
        rows=sample.labels.size,
        reference=found.reference,
        gain_in=gain_in,
        chosen=found.chosen,
        recommendation=found.recommendation,
        notes=(*notes, *found.notes),
        methods=tuple(_method(name, result, gain_in) for name, result in found.results.items()),
    )


def _method(name, result, gain_in):
    gain = result.gain(gain_in)
    numbers = (
        result.log_loss,
        result.brier,
        result.miscalibration,
        result.discrimination,
        result.auc,
        *((None, None, None) if gain is None else gain[:3]),
    )
    return Method(name, *map(_finite, numbers), result.harm)


def _finite(value):
    return None if value is None or not math.isfinite(value) else float(value)
