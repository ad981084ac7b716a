"""The comparison of calibrators by repeated cross-validation."""

import numbers
import sys
import warnings
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import _num_samples

from calib.base.arrays import check_labels, check_scores, check_size, check_weights, clip_rounding
from calib.base.options import RandomState, check_choice, check_positive, check_seed
from calib.base.protocol import check_is_calibrator
from calib.metrics.corp import score_decomposition
from calib.metrics.reliability import expected_calibration_error
from calibkit.comparison.counts import deal_counts
from calibkit.comparison.cross_validation import (
    ComparedSample,
    CrossValidation,
    Splits,
    Trial,
    repeated_folds,
)
from calibkit.comparison.defaults import DEFAULTS, fitting, is_the_default
from calibkit.comparison.guide import LOSS_NAMES, REFERENCE_NAMES
from calibkit.comparison.result import (
    Comparison,
    Result,
    Settings,
    infinite_losses,
    recommend,
    rough_intervals,
)
from calibkit.inference.auc_intervals import auc_by_parts
from calibkit.inference.bootstrap import Interval
from calibkit.inference.clusters import codes_of
from calibkit.inference.simultaneous_intervals import simultaneous_intervals
from calibkit.inference.unbinned import kuiper_error


def compare(
    scores: ArrayLike,
    labels: ArrayLike,
    calibrators: Mapping[str, Any] | Iterable[Any] | None = None,
    *,
    sample_weight: ArrayLike | None = None,
    groups: Any = None,
    clusters: ArrayLike | None = None,
    cv: Any = 5,
    n_repeats: int | None = None,
    loss: str = "log",
    confidence: float = 0.95,
    random_state: RandomState = 0,
    verbose: int = 0,
) -> Comparison:
    """Cross-validate calibrators on one array of scores, and compare their losses.

    The result has the loss and the gain of each calibrator, and an interval for each gain. The gain
    is the loss of a reference less the loss of the calibrator. If the scores are probabilities, the
    reference is the scores themselves. Otherwise the reference is the base rate.

    Parameters
    ----------
    scores : array-like of shape (n,)
        Scores of rows that the classifier was not trained on. If all lie in [0, 1], up to rounding
        of at most 1e-5, which is clipped with a warning, they are taken for probabilities, and the
        calibrators must improve on them. Otherwise they are margins, and the calibrators must
        improve on the base rate.
    labels : array-like of shape (n,)
        Classes, 0/1 or bool.
    calibrators : dict of str to calibrator, or iterable of calibrators, optional
        By default the calibrators of `calibkit.comparison.DEFAULTS` that take such scores.
    sample_weight : array-like of shape (n,), optional
        Non-negative weights. They are counts. Whole numbers stand for rows that an integer `cv`
        splits into folds one by one, unless there are clusters. Fractions keep a row in one fold.
    groups : array-like of shape (n,) or (n, g), optional
        Groups for the calibrators that take them, such as `MondrianVennAbers`. Folds may split a
        group, so that its calibrator has rows to learn from.
    clusters : array-like of shape (n,), optional
        Cluster of each row, such as a patient or a day. Rows of one cluster are not independent.
        They are predicted together, and the intervals count clusters.
    cv : int, splitter or iterable of (training rows, test rows), default=5
        An integer draws this number of folds, stratified or of whole clusters.
    n_repeats : int, optional
        How often an integer `cv` draws folds. By default three times, and less often with more than
        33,333 rows, because the draw hardly matters there.
    loss : {"log", "brier"}, default="log"
        Loss that the recommendation rests on. Log loss is infinite for a method that gives an
        outcome probability 0, because nothing is clipped here. The Brier score stays finite.
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
        For input that is not as described, or from a calibrator. The message names the argument.

    Notes
    -----
    The gain of a calibrator is the loss of the reference less the loss of the calibrator, row by
    row. Each loss is averaged over the repeats in which the row is predicted, so that repeats add
    no rows. Standard errors take rows or clusters as independent. The intervals are simultaneous.
    The best of many calibrators is selected, and its interval allows for that.

    As always in cross-validation, the intervals are for calibrators fitted to samples as large as
    the training parts. They are for the mean gain over such samples, rather than for the gain of
    the few maps that were fitted here. From some 2000 rows on, the interval of the winner may be
    believed. With fewer rows it is a rough guide, since a few large losses decide. The table shows
    this by simulations with a known calibration function (200 samples each, four calibrators). An
    entry is the percentage of samples in which the 95 % intervals held all four gains in log loss
    at once, for the mean gain over samples and for the gain of the fitted maps.

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

    The default, `StackedCalibrator()`, is recommended if it is among the calibrators, which is so
    unless others are named. To choose by gains among many calibrators is no better than this
    default. Where only others are named, a calibrator is recommended if the interval of its gain
    lies above 0. Among several such calibrators the smallest loss decides. Whether the rows are
    fit to learn from is not asked here: `calibkit.report.make_report` looks for copies, training
    rows and reversed scores.

    A method that gave an outcome probability 0 has infinite expected log loss beyond doubt. Its
    gain is minus infinity, and the interval is that point. Predictions of 0 and 1 that were right
    so far cost nothing, but the next row may prove them wrong.

    Time: for each calibrator ``cv * n_repeats`` fits to most of the rows, and as many sorts.

    References
    ----------
    Bayle, Bayle, Janson and Mackey (2020) on intervals by cross-validation; Bates, Hastie and
    Tibshirani (2024) on what cross-validation estimates.

    Examples
    --------
    >>> import numpy as np
    >>> from calib import PlattScaling, VennAbers
    >>> from calibkit.comparison import compare
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.random(1000)
    >>> labels = rng.random(1000) < truth
    >>> calibrators = [PlattScaling(), VennAbers()]
    >>> compare(truth**3, labels, calibrators, n_repeats=1).chosen
    'VennAbers()'
    >>> compare(truth, labels, calibrators, n_repeats=1).best_ is None
    True
    """
    check_choice(loss, LOSS_NAMES, "loss")
    check_positive(confidence, "confidence", below=1)
    seed = check_seed(random_state)
    sample = _checked_sample(scores, labels, sample_weight, groups, clusters)
    methods, notes = _named_calibrators(calibrators, sample)
    if sample.holds_counts and isinstance(cv, numbers.Integral):
        validation = deal_counts(sample, int(cv), n_repeats, seed)
    else:
        validation = CrossValidation(sample, repeated_folds(sample, cv, n_repeats, seed))
    settings = Settings(
        reference="Raw" if sample.holds_probabilities else "Base rate",
        loss=loss,
        confidence=confidence,
        seed=seed,
    )
    trials = _trials(validation, methods, settings.reference, verbose)
    results = _results(validation, trials, settings)
    default = next((name for name, method in methods.items() if is_the_default(method)), None)
    chosen, recommendation = recommend(results, _certain(trials), settings, default)
    best = None
    if chosen is not None:
        best = sample.fit(methods[chosen], np.flatnonzero(sample.is_counted))
    return Comparison(
        results=results,
        reference=settings.reference,
        chosen=chosen,
        best_=best,
        recommendation=recommendation,
        notes=(*notes, *infinite_losses(results), *rough_intervals(sample.n_counted)),
        predictions={
            name: validation.first_predictions(trial, sample.scores.size)
            for name, trial in trials.items()
        },
        loss=loss,
        confidence=confidence,
        n_repeats=len(validation.repeats),
        n_splits=sum(len(splits) for splits in validation.repeats),
    )


def _checked_sample(scores, labels, sample_weight, groups, clusters):
    """Check the columns; clusters become numbers."""
    scores = clip_rounding(check_scores(scores), "scores")
    labels = check_labels(labels, size=scores.size)
    weights = None if sample_weight is None else check_weights(sample_weight, size=scores.size)
    if clusters is not None:
        _, clusters = codes_of(clusters, scores.size, name="clusters")
    if groups is not None:
        check_size(_num_samples(groups), scores.size, "groups", "scores")
    return ComparedSample(
        scores=scores, labels=labels, weights=weights, groups=groups, clusters=clusters
    )


def _named_calibrators(calibrators, sample):
    """Calibrators by name, and notes on the default calibrators that were left out."""
    if calibrators is None:
        return _defaults(sample.holds_probabilities)
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
    for name in REFERENCE_NAMES:
        if name in named:
            raise ValueError(f"calibrators has the name {name!r}, which is taken: rename it")
    for calibrator in named.values():
        check_is_calibrator(
            calibrator, weighted=sample.weights is not None, grouped=sample.groups is not None
        )
    return named, []


def _defaults(is_probability):
    """Default calibrators for such scores by name, and a note on the others."""
    usable = fitting(DEFAULTS, is_probability)
    notes = []
    if not is_probability:
        others = [default.name for default in DEFAULTS if default not in usable]
        notes.append(
            "The scores are taken for margins, since some lie outside [0, 1]: methods that need "
            f"probabilities were left out ({', '.join(others)})."
        )
    return {default.name: default.calibrator for default in usable}, notes


def _trials(
    validation: CrossValidation, methods: dict[str, Any], reference: str, verbose: int
) -> dict[str, Trial]:
    """Cross-validated predictions of the reference and of each calibrator, by name."""
    raw = reference == "Raw"
    trials = {reference: validation.try_raw() if raw else validation.try_base_rate()}
    for name, calibrator in methods.items():
        try:
            with warnings.catch_warnings():  # the fit to all rows repeats the warnings
                warnings.simplefilter("ignore")
                trials[name] = validation.try_calibrator(calibrator)
        except ValueError as error:
            raise ValueError(f"calibrator {name} cannot be compared: {error}") from error
        if verbose:
            print(f"compare: {name}, {trials[name].seconds:.2g} s a fit", file=sys.stderr)
    return trials


def _certain(trials):
    """Names of the methods that predict exactly 0 or 1 in some rows."""
    return {name for name, t in trials.items() if np.isin(t.predictions, [0, 1]).any()}


def _results(
    validation: CrossValidation, trials: dict[str, Trial], settings: Settings
) -> dict[str, Result]:
    """The measures of each method, and its gains over the reference."""
    gains = {kind: _gains_over_reference(validation, trials, kind, settings) for kind in LOSS_NAMES}
    fold_losses = trials[settings.reference].fold_losses[settings.loss]
    results = {}
    for name, trial in trials.items():
        mean_losses = validation.mean_losses(trial)
        pooled = [
            _pooled_measures(validation.sample, predictions, splits)
            for predictions, splits in zip(trial.predictions, validation.repeats, strict=True)
        ]
        means = PooledMeasures._make(np.mean(pooled, axis=0).tolist())
        results[name] = Result(
            log_loss=mean_losses["log"],
            brier=mean_losses["brier"],
            **means._asdict(),
            log_gain=gains["log"].get(name),
            brier_gain=gains["brier"].get(name),
            harm=float(np.mean(trial.fold_losses[settings.loss] > fold_losses)),
            seconds=trial.seconds,
        )
    return results


def _gains_over_reference(
    validation: CrossValidation, trials: dict[str, Trial], kind: str, settings: Settings
) -> dict[str, Interval]:
    """Intervals of the gains of all calibrators over the reference in one loss, by name."""
    sample = validation.sample
    losses = np.array([trial.row_losses[kind] for trial in trials.values()])
    rows = np.flatnonzero(trials[settings.reference].is_predicted)
    with np.errstate(invalid="ignore"):  # both losses may be infinite
        differences = (losses[0] - losses[1:])[:, rows].T
    clusters = None
    if sample.clusters is not None:
        _, clusters = np.unique(sample.clusters[rows], return_inverse=True)
    intervals = simultaneous_intervals(
        differences,
        np.ones(rows.size) if sample.weights is None else sample.weights[rows],
        clusters,
        confidence=settings.confidence,
        random_state=settings.seed,
    )
    return dict(zip(list(trials)[1:], intervals, strict=True))


class PooledMeasures(NamedTuple):
    """Measures of the pooled predictions of one repeat: attributes of a `Result`."""

    miscalibration: float
    discrimination: float
    kuiper_error: float
    expected_calibration_error: float
    auc: float


def _pooled_measures(
    sample: ComparedSample, predictions: NDArray[np.float64], splits: Splits
) -> PooledMeasures:
    """Measure the predictions of one repeat."""
    folds = np.empty(predictions.size, np.int64)
    for fold, (_, test) in enumerate(splits):
        folds[test] = fold
    rows = ~np.isnan(predictions)
    labels = sample.labels[rows]
    probabilities = predictions[rows]
    weights = None if sample.weights is None else sample.weights[rows]
    parts = score_decomposition(labels, probabilities, sample_weight=weights)
    auc = np.nan
    if 0 < np.count_nonzero(labels) < labels.size:
        auc = auc_by_parts(labels, probabilities, folds[rows], sample_weight=weights).within
    return PooledMeasures(
        miscalibration=parts.miscalibration,
        discrimination=parts.discrimination,
        kuiper_error=kuiper_error(labels, probabilities, sample_weight=weights),
        expected_calibration_error=expected_calibration_error(
            labels, probabilities, n_bins="cube_root", sample_weight=weights
        ),
        auc=auc,
    )
