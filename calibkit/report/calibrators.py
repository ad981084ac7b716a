"""Calibrators compared on the rows of a report."""

import math

import numpy as np

from calib.methods.folds import MAX_HYPERGEOMETRIC
from calibkit.comparison import DEFAULTS, compare
from calibkit.comparison.defaults import fitting
from calibkit.comparison.guide import DEFAULT_NAME
from calibkit.report.records import Compared, Method
from calibkit.report.sample import MIN_ROWS_OF_CLASS, CleanSample

FOLDS = 5  # of a repeat; each needs rows of both classes
MAX_COMPARED_ROWS = 20_000  # with more rows, a sample of them tells enough of the gains
FIT_WORDS = {default.name: default.fit for default in DEFAULTS}  # after calib fit --method


def compared(sample: CleanSample, seed: int) -> Compared | None:
    """Compare the default calibrators by cross-validation, or None if a fold would lack a class.

    If the sample has very many rows, a part of them is taken. With fewer than 20 rows of a class
    the gain of the default alone is measured.
    """
    notes = []
    n_rows = _n_rows(sample)
    if sample.labels.size > MAX_COMPARED_ROWS:
        sample = _drawn(sample, MAX_COMPARED_ROWS, np.random.default_rng(seed))
        notes.append(f"Compared on {MAX_COMPARED_ROWS:,} rows drawn at random out of {n_rows:,}.")
        n_rows = MAX_COMPARED_ROWS
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
        rows=n_rows,
        reference=comparison.reference,
        gain_in=gain_in,
        recommendation=comparison.recommendation,
        notes=(*notes, *comparison.notes),
        methods=tuple(
            _method(name, result, gain_in) for name, result in comparison.results.items()
        ),
    )


def _n_rows(sample):
    """Number of rows, those that are counted included. With clusters each row is one case."""
    return int(sample.counts.sum()) if sample.clusters is None else sample.labels.size


def _drawn(sample, n_drawn, rng):
    """Some rows, drawn without replacement; out of counts, some of the rows that are counted."""
    if sample.weights is None or sample.clusters is not None:
        return sample.rows(np.sort(rng.choice(sample.labels.size, n_drawn, replace=False)))
    counts = sample.weights.astype(np.int64)
    if counts.sum() < MAX_HYPERGEOMETRIC:
        drawn = rng.multivariate_hypergeometric(counts, n_drawn, method="marginals")
    else:
        drawn = rng.multinomial(n_drawn, counts / counts.sum())
    return sample._replace(weights=drawn.astype(np.float64)).rows(drawn > 0)


def _rarest(sample):
    """Number of rows of the rarer class, or of clusters with such a row."""
    if sample.clusters is None:
        return int(np.bincount(sample.labels, sample.counts, minlength=2).min())
    return min(np.unique(sample.clusters[sample.labels == label]).size for label in (0, 1))


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
