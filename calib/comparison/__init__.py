"""Compare calibrators on one array of scores, and choose one of them, or none.

``compare(scores, labels, calibrators=None, *, sample_weight=None, groups=None,
calibrator_groups=None, cv=5, n_repeats=None, loss="log", confidence=0.95, random_state=0,
verbose=0)`` returns a `Comparison`:

* ``recommendation`` (str), ``chosen`` (a name or None), ``best_`` (that calibrator, fitted to all
  rows, or None) and ``notes`` (tuple of str: what was left out, what to beware of);
* ``results``: dict of name to `Result`, the reference first. ``reference`` is its name: "Raw" if
  the scores are probabilities, "Base rate" if they are margins;
* ``predictions``: dict of name to the out-of-fold probabilities of the first repeat;
* ``loss``, ``confidence``, ``n_repeats``, ``n_splits``: how it was done;
* ``table()``: list of flat dicts; ``plot(loss=None, ax=None)``: gains with intervals;
  ``print(comparison)``: the main columns and the recommendation.
"""

import sys
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import _num_samples

from calib.comparison.cross_validation import Sample, repeated_folds
from calib.comparison.defaults import DEFAULTS, fitting
from calib.comparison.result import (
    LOSSES,
    REFERENCES,
    Comparison,
    Result,
    advise,
    infinite_losses,
    rough_intervals,
)
from calib.contract.options import RandomState, check_choice, check_positive, check_seed
from calib.contract.protocol import check_calibrator
from calib.contract.validation import check_labels, check_scores, check_size, check_weights
from calib.metrics.auc_intervals import auc_by_parts
from calib.metrics.binned import expected_calibration_error
from calib.metrics.clusters import codes_of
from calib.metrics.corp import score_decomposition
from calib.metrics.paired import simultaneous_intervals
from calib.metrics.unbinned import kuiper_error

__all__ = ["DEFAULTS", "Comparison", "Result", "compare"]


def compare(
    scores: ArrayLike,
    labels: ArrayLike,
    calibrators: Mapping[str, Any] | Iterable[Any] | None = None,
    *,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    calibrator_groups: Any = None,
    cv: Any = 5,
    n_repeats: int | None = None,
    loss: str = "log",
    confidence: float = 0.95,
    random_state: RandomState = 0,
    verbose: int = 0,
) -> Comparison:
    """Cross-validate calibrators on one array of scores, and recommend one if its gain is clear.

    Parameters
    ----------
    scores : array-like of shape (n,)
        Of rows that the classifier was not trained on. If all lie in [0, 1] they are taken for
        probabilities, and the calibrators must improve on them; else they are margins, and the
        calibrators must improve on the base rate.
    labels : array-like of shape (n,)
        Classes, 0/1 or bool.
    calibrators : dict of str to calibrator, or iterable of calibrators, optional
        By default those of `calib.comparison.DEFAULTS` that take such scores in reasonable time.
    sample_weight : array-like of shape (n,), optional
        Non-negative weights; they are counts.
    groups : array-like of shape (n,), optional
        Rows of a group (a patient, a day) are not independent: they are predicted together, and
        the intervals count groups.
    calibrator_groups : array-like of shape (n,) or (n, g), optional
        What the calibrators that take groups are given as `groups`, such as `MondrianVennAbers`.
        They split no folds: a group is met in training and in prediction.
    cv : int, splitter or iterable of (training rows, test rows), default=5
        An integer draws this number of folds, stratified or of whole groups.
    n_repeats : int, optional
        How often an integer `cv` draws folds; by default ten times, and less often from 20,000
        rows on, where the draw hardly matters.
    loss : {"log", "brier"}, default="log"
        What the recommendation rests on. Log loss is infinite for a method that gives an outcome
        probability 0, and nothing is clipped here; the Brier score forgives it.
    confidence : float, default=0.95
        Probability that the intervals of all gains hold, in (0, 1).
    random_state : None, int, numpy Generator or RandomState, default=0
        Draws the folds.
    verbose : int, default=0
        1 reports each method on the error stream.

    Returns
    -------
    comparison : Comparison

    Raises
    ------
    ValueError
        For input that is not as described, or from a calibrator; the message names the argument.

    Notes
    -----
    The gain of a calibrator is the loss of the reference less its own, row by row, each loss
    averaged over the repeats in which the row is predicted: repeats add no rows. Standard errors
    are those of independent rows or groups, and the intervals are simultaneous: the best of many
    calibrators is selected, and its interval allows for that.

    As always in cross-validation, the intervals are for calibrators fitted to samples as large as
    the training parts: for what these gain on average over such samples, rather than for the few
    maps that were fitted here. From some 2000 rows on that of the winner may be believed, with
    fewer it is a rough guide, since a few large losses decide. So it was in simulations with known
    truth (200 samples each, four calibrators): shares of samples, in per cent, in which 95 %
    intervals held all four gains in log loss at once, on average over samples and of the very maps
    that were fitted.

    ======================  =========  ========  =========  ========
    scores                  average,   average,  fitted,    fitted,
                            2000 rows  200 rows  2000 rows  200 rows
    ======================  =========  ========  =========  ========
    calibrated              95         95        79         76
    cubed                   96         91        96         92
    overconfident           94         82        93         75
    of rare positives       93         82        93         79
    ======================  =========  ========  =========  ========

    Calibrated scores were kept in at least 99 %.

    A calibrator is recommended if the interval of its gain lies above 0; of several, the one of
    smallest loss. Otherwise the scores should be kept as they are; or, if they are margins, none
    makes better probabilities of them than the base rate. That is no verdict on the scores: where a
    test finds them miscalibrated, as `calib.report` does, a smaller gain may be worth taking.

    A method that gave an outcome probability 0 has infinite expected log loss beyond doubt: its
    gain is minus infinity, and its interval is that point. Predictions of 0 and 1 that were right
    so far cost nothing; the next row may.

    Time: for each calibrator ``cv * n_repeats`` fits to most of the rows, and as many sorts.

    References
    ----------
    Bayle, Bayle, Janson and Mackey (2020) on intervals by cross-validation; Bates, Hastie and
    Tibshirani (2024) on what cross-validation estimates.

    Examples
    --------
    >>> import numpy as np
    >>> from calib import PlattScaling, VennAbers, compare
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.random(1000)
    >>> labels = rng.random(1000) < truth
    >>> calibrators = [PlattScaling(), VennAbers()]
    >>> compare(truth**3, labels, calibrators, n_repeats=1).chosen
    'VennAbers()'
    >>> compare(truth, labels, calibrators, n_repeats=1).best_ is None
    True
    """
    check_choice(loss, LOSSES, "loss")
    check_positive(confidence, "confidence", below=1)
    seed = check_seed(random_state)
    scores = check_scores(scores)
    labels = check_labels(labels, size=scores.size)
    weights = None if sample_weight is None else check_weights(sample_weight, size=scores.size)
    kept = np.ones(scores.size, bool) if weights is None else weights > 0
    if groups is not None:
        _, groups = codes_of(groups, scores.size, name="groups")
    kept_scores = scores[kept]
    is_probability = bool(kept_scores.min() >= 0 and kept_scores.max() <= 1)
    grouped = calibrator_groups is not None
    if grouped:
        check_size(_num_samples(calibrator_groups), scores.size, "calibrator_groups", "scores")
    given = {"weighted": weights is not None, "grouped": grouped}
    methods, notes = _methods(calibrators, is_probability, kept_scores.size, **given)
    repeats = repeated_folds(labels, groups, kept, cv, n_repeats, seed)
    sample = Sample(scores, labels, weights, calibrator_groups, repeats)
    reference = "Raw" if is_probability else "Base rate"
    trials = {reference: sample.try_raw() if is_probability else sample.try_base_rate()}
    for name, calibrator in methods.items():
        try:
            trials[name] = sample.try_calibrator(calibrator)
        except ValueError as error:
            raise ValueError(f"calibrator {name} cannot be compared: {error}") from error
        if verbose:
            print(f"compare: {name}, {trials[name].seconds:.2g} s a fit", file=sys.stderr)
    settings = sample, groups, confidence, seed
    gains = {kind: _gains(trials, reference, kind, *settings) for kind in LOSSES}
    results = {name: _result(name, trials, reference, sample, gains, loss) for name in trials}
    certain = {n for n, t in trials.items() if np.isin(t.predictions, [0, 1]).any()}
    chosen, recommendation = advise(results, certain, reference, loss, confidence, kept_scores.size)
    return Comparison(
        results=results,
        reference=reference,
        chosen=chosen,
        best_=None if chosen is None else sample.fit(methods[chosen], np.flatnonzero(kept)),
        recommendation=recommendation,
        notes=(*notes, *infinite_losses(results), *rough_intervals(kept_scores.size)),
        predictions={name: trial.predictions[0] for name, trial in trials.items()},
        loss=loss,
        confidence=confidence,
        n_repeats=len(repeats),
        n_splits=sum(map(len, repeats)),
    )


def _methods(calibrators, is_probability, size, **given):
    """Calibrators by name, and notes on what was left out of the defaults."""
    if calibrators is None:
        return _defaults(is_probability, size)
    if isinstance(calibrators, Mapping):
        named = dict(calibrators)
    elif np.iterable(calibrators) and not isinstance(calibrators, str):
        calibrators = list(calibrators)
        named = {str(calibrator): calibrator for calibrator in calibrators}
        if len(named) < len(calibrators):
            raise ValueError("calibrators holds one calibrator twice: pass each once, or a dict")
    else:
        raise ValueError(
            "calibrators must be a dict or list of calibrators, such as [PlattScaling()]; found "
            f"{calibrators!r}"
        )
    if not named:
        raise ValueError("calibrators is empty: pass at least one, or None for the defaults")
    for name in REFERENCES:
        if name in named:
            raise ValueError(f"calibrators has the name {name!r}, which is taken: rename it")
    for calibrator in named.values():
        check_calibrator(calibrator, **given)
    return named, []


def _defaults(is_probability, size):
    usable = fitting(DEFAULTS, is_probability)
    slow = [default for default in usable if size > default.most]
    notes = [f"{d.name} was left out: with more than {d.most:,} rows it takes long." for d in slow]
    if not is_probability:
        others = [default.name for default in DEFAULTS if default not in usable]
        notes.append(
            "The scores are taken for margins, since some lie outside [0, 1]: what needs "
            f"probabilities was left out ({', '.join(others)})."
        )
    return {d.name: d.calibrator for d in usable if d not in slow}, notes


def _gains(trials, reference, kind, sample, groups, confidence, seed):
    """Intervals of what each method gains over the reference."""
    losses = np.array([trial.row_losses[kind] for trial in trials.values()])
    rows = np.flatnonzero(~np.isnan(trials[reference].predictions).all(axis=0))
    with np.errstate(invalid="ignore"):  # both infinite
        differences = (losses[0] - losses[1:])[:, rows].T
    weights = np.ones(rows.size) if sample.weights is None else sample.weights[rows]
    if groups is not None:
        _, groups = np.unique(groups[rows], return_inverse=True)
    how = {"confidence": confidence, "random_state": seed}
    intervals = simultaneous_intervals(differences, weights, groups, **how)
    return dict(zip(list(trials)[1:], intervals, strict=True))


def _result(name, trials, reference, sample, gains, loss):
    trial = trials[name]
    repeats = zip(trial.predictions, sample.repeats, strict=True)
    measures = [_measures(sample, *repeat) for repeat in repeats]
    predicted = np.flatnonzero(~np.isnan(trial.predictions).all(axis=0))
    log, brier = (sample.mean(trial.row_losses[kind][predicted], predicted) for kind in LOSSES)
    worse = trial.fold_losses[loss] > trials[reference].fold_losses[loss]
    means = np.mean(measures, axis=0).tolist()
    gained = [gains[kind].get(name) for kind in ("log", "brier")]
    return Result(log, brier, *means, *gained, float(np.mean(worse)), trial.seconds)


def _measures(sample, predictions, splits):
    """MCB, DSC, errors and AUC of the predictions of one repeat."""
    folds = np.empty(predictions.size, np.int64)
    for fold, (_, test) in enumerate(splits):
        folds[test] = fold
    rows = ~np.isnan(predictions)
    labels, probabilities = sample.labels[rows], predictions[rows]
    weights = {"sample_weight": None if sample.weights is None else sample.weights[rows]}
    _, miscalibration, discrimination, _ = score_decomposition(labels, probabilities, **weights)
    kuiper = kuiper_error(labels, probabilities, **weights)
    ece = expected_calibration_error(labels, probabilities, n_bins="cube_root", **weights)
    auc = np.nan
    if 0 < np.count_nonzero(labels) < labels.size:
        auc = auc_by_parts(labels, probabilities, folds[rows], **weights).within
    return miscalibration, discrimination, kuiper, ece, auc
