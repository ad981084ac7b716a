"""Calibrators compared on the rows of a report."""

import math

import numpy as np

from calibkit.comparison import DEFAULTS, compare
from calibkit.comparison.defaults import fitting
from calibkit.comparison.guide import DEFAULT_NAME
from calibkit.report.records import Compared, Method
from calibkit.report.sample import MIN_ROWS_OF_CLASS, CleanSample

FOLDS = 5  # of a repeat; each needs rows of both classes
MAX_COMPARED_ROWS = 20_000  # with more rows, a sample of them tells enough of the gains
FIT_WORDS = {default.name: default.fit for default in DEFAULTS}  # after calib fit --method


def compared(sample: CleanSample, seed: int) -> Compared | None:
    """Compare the default calibrators by cross-validation; None if a fold would lack a class.

    If there are very many rows, a part of them is taken. With fewer than 20 rows of a class the
    gain of the default alone is measured.
    """
    notes = []
    if sample.labels.size > MAX_COMPARED_ROWS:
        n_rows = sample.labels.size
        rng = np.random.default_rng(seed)
        sample = sample.rows(np.sort(rng.choice(n_rows, MAX_COMPARED_ROWS, replace=False)))
        notes.append(f"Compared on {MAX_COMPARED_ROWS:,} rows drawn at random out of {n_rows:,}.")
    rarest = _rarest(sample)
    if rarest < FOLDS:
        return None
    is_probability = bool(sample.scores.min() >= 0 and sample.scores.max() <= 1)
    defaults = fitting(DEFAULTS, is_probability)
    candidates = {default.name: default.calibrator for default in defaults}
    if rarest < MIN_ROWS_OF_CLASS:
        candidates = {DEFAULT_NAME: candidates[DEFAULT_NAME]}
    comparison = compare(
        sample.scores,
        sample.labels,
        candidates,
        sample_weight=sample.weights,
        clusters=sample.clusters,
        cv=FOLDS,
        random_state=seed,
    )
    reference = comparison.results[comparison.reference]
    gain_in = "log" if math.isfinite(reference.log_loss) else "brier"
    return Compared(
        rows=sample.labels.size,
        reference=comparison.reference,
        gain_in=gain_in,
        recommendation=comparison.recommendation,
        notes=(*notes, *comparison.notes),
        methods=tuple(
            _method(name, result, gain_in) for name, result in comparison.results.items()
        ),
    )


def _rarest(sample):
    """Number of rows of the rarer class, or of clusters with such a row."""
    units = np.arange(sample.labels.size) if sample.clusters is None else sample.clusters
    return min(np.unique(units[sample.labels == label]).size for label in (0, 1))


def _method(name, result, gain_in):
    gain = result.gain(gain_in)
    return Method(
        name=name,
        fit=FIT_WORDS.get(name, ""),
        log_loss=_finite_or_none(result.log_loss),
        brier=_finite_or_none(result.brier),
        miscalibration=_finite_or_none(result.miscalibration),
        discrimination=_finite_or_none(result.discrimination),
        auc=_finite_or_none(result.auc),
        gain=None if gain is None else _finite_or_none(gain.estimate),
        lower=None if gain is None else _finite_or_none(gain.lower),
        upper=None if gain is None else _finite_or_none(gain.upper),
        error=None if gain is None else _finite_or_none(gain.error),
        harm=result.harm,
    )


def _finite_or_none(value):
    return float(value) if math.isfinite(value) else None
