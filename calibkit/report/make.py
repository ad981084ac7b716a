"""From scores and outcomes to a report."""

from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

from numpy.typing import ArrayLike

import calib
from calib.base.options import RandomState, check_positive, check_seed
from calibkit.inference import ClusterTests, cluster_tests
from calibkit.report import measures as measuring
from calibkit.report.clinical import NEEDS_PROBABILITIES, clinical_of
from calibkit.report.input import cautions_of, clean, described
from calibkit.report.promises import NOT_PROVED, promises_of
from calibkit.report.records import Caution, Compared, Data, Promise
from calibkit.report.report import Report
from calibkit.report.sample import CleanSample
from calibkit.report.sentences import (
    advice_withheld,
    advise,
    open_at,
    questions,
    verdict_in_words,
)
from calibkit.report.verdict import Finding, finding_of, judgement_of, withheld_by

METHOD_NOTES = (
    "Limits are the ends of 95 % intervals, for rows that are independent of one another. All rows "
    "are used, but in the comparison where it says so.",
    "Rates have the exact limits of Clopper and Pearson. Limits of log loss, Brier score and bias "
    "come from the spread of the rows, limits of the AUC from DeLong's method on the scale of "
    "log-odds, limits of slope and intercepts from an estimate of variance that holds for a bent "
    "curve as well.",
    "The Kuiper error's limits add and subtract the largest range, in 95 of 100 samples, of the "
    "noise alone. With many rows they err on the safe side, and also hold for calibrated scores. "
    "A bootstrap of such errors does not, so there is none; MCB, Brier skill score, ECE, smooth "
    "ECE and ICI have no limits.",
    "Perfect and chance: the mean and the largest value but four of 99 samples whose outcomes were "
    "drawn from the predictions. Calibrated predictions have errors above 0 in every sample, and "
    "exceed chance in 5 of 100.",
    "Calibrators are compared by cross-validation, each with its usual settings; the limits of "
    "their gains hold for all at once. Groups do not enter, and AUC counts pairs of rows of the "
    "same fold.",
    "Limits at the thresholds of decisions hold one by one. They come from exact limits of the "
    "fractions of positives and of negatives for which the decision differs, and are wide where "
    "such rows of one class are few.",
    "The verdict rests on one test at the 5 % level: Kuiper's and the worst of all ranges, in all "
    "rows and in each group, compared with outcomes drawn from the predictions, at least 999 "
    "times. Its p values and the limits of the worst range allow for everything that was tested. "
    "If there are more than 100 groups, the smallest are left out.",
)

CLUSTER_NOTE = (
    "Rows of one cluster are not taken as independent: tests and the limits of means, AUC, slope, "
    "intercepts and decisions use sums of clusters. The others count as many independent rows as "
    "would estimate the mean residual equally well. A cluster stays in one fold of the "
    "comparison. The effect of chance is not simulated. The verdict rests on one test of all "
    "ranges, in all rows and in each group. The test compares with residuals whose clusters change "
    "their signs 999 times. Ranges and groups in which less than ten of the rarer class are "
    "expected, counted as independent rows, are left out."
)


class FirstLook(NamedTuple):
    """The result of a first look at a file: the rows that were read, and the finding."""

    sample: CleanSample
    data: Data
    cautions: tuple[Caution, ...]
    p_values: measuring.PValues
    by_cluster: ClusterTests | None
    finding: Finding


def look_at(
    scores: ArrayLike,
    labels: ArrayLike,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    *,
    seed: int,
) -> FirstLook:
    """Read the columns, and find the facts for the verdict, without words yet."""
    sample, left_out = clean(scores, labels, sample_weight, groups, clusters)
    data = described(sample, left_out)
    by_cluster = None
    p_values: measuring.PValues = {}
    if data.probabilities and sample.clusters is None:
        p_values = measuring.verdict_p_values(sample, seed)
    elif data.probabilities:
        by_cluster = sample.measured(cluster_tests, clusters=sample.clusters, random_state=seed)
        sample = sample._replace(effect=by_cluster.effect)
        p_values = measuring.verdict_p_values_of_clusters(sample, by_cluster, seed)
    cautions = cautions_of(sample, data)
    return FirstLook(
        sample=sample,
        data=data,
        cautions=cautions,
        p_values=p_values,
        by_cluster=by_cluster,
        finding=finding_of(sample, data, cautions, p_values),
    )


class BeforeFitting(NamedTuple):
    """Sentences on rows that may not be fit to learn from.

    Attributes
    ----------
    withheld : tuple of str
        Steps before any calibrator is fitted.
    questions : tuple of str
        Conditions that the user has to check first.
    """

    withheld: tuple[str, ...]
    questions: tuple[str, ...]


def before_fitting(
    scores: ArrayLike,
    labels: ArrayLike,
    sample_weight: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
) -> BeforeFitting:
    """Steps and checks before a calibrator is fitted to these rows."""
    sample, left_out = clean(scores, labels, sample_weight, None, clusters)
    data = described(sample, left_out)
    cautions = cautions_of(sample, data)
    return BeforeFitting(withheld=advice_withheld(data, cautions), questions=questions(cautions))


def comparison_of(first_look: FirstLook, seed: int) -> Compared | None:
    """Compare calibrators, or None where advice is withheld or rows are too few."""
    if withheld_by(first_look.data, first_look.cautions):
        return None
    from calibkit.report.calibrators import compared  # here, because it loads folds

    return compared(first_look.sample, seed)


def _promises(sample, data, max_error) -> tuple[Promise, ...]:
    """Thresholds with a promise, if one is asked for and scores are probabilities."""
    if max_error is None or not data.probabilities:
        return ()
    groups = None if sample.groups is None else [sample.names[k] for k in sample.groups.tolist()]
    return promises_of(sample.labels, sample.scores, groups, max_error=max_error)


def make_report(
    scores: ArrayLike,
    labels: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    thresholds: Iterable[float] = (),
    max_error: float | None = None,
    clinical: bool = False,
    name: str = "scores",
    notes: Iterable[str] = (),
    command: str = "",
    random_state: RandomState = 0,
) -> Report:
    """Judge whether scores are honest probabilities, and measure how good they are.

    Parameters
    ----------
    scores : array-like of shape (n,)
        Finite numbers. If some lie outside [0, 1], everything that needs probabilities is left out.
        A number beyond these limits by at most 1e-5 is clipped with a warning.
    labels : array-like of shape (n,)
        Outcomes, 0/1 or bool.
    sample_weight : array-like of shape (n,), optional
        Counts, as whole numbers. A row of weight w stands for w rows, each with a separate outcome.
        If the weights are no whole numbers, or outcomes show that they are no counts
        (`copies_test`), each row is taken as one case of weight w, as in a sample. The report says
        so.
    groups : array-like of shape (n,), optional
        Group of each row, as numbers or strings.
    clusters : array-like of shape (n,), optional
        Cluster of each row, such as a patient. Rows of one cluster are not independent.
    thresholds : iterable of float, optional
        Probabilities beyond which you act, each above 0 and below 1: the cost of a false alarm over
        the sum of this and the cost of a miss. For each, the report says which scores are
        significantly on the wrong side, which may be, and their cost.
    max_error : float, optional
        Largest fraction of negatives among accepted rows, in (0, 1). The report then has a
        threshold with that promise, as `risk_controlled_threshold` finds it, for all rows or for
        each group. It is proved for independent rows: there must be no weights and no clusters.
    clinical : bool, default=False
        Whether the report has the calibration items of the TRIPOD+AI checklist, in its order.
    name : str, default="scores"
        Title of the report, such as the name of the file.
    notes : iterable of str, optional
        Sentences on how the data were read, to be shown with them.
    command : str, optional
        The words that fit the default to these rows on the command line, to be shown next to the
        words for Python.
    random_state : None, int, numpy Generator or RandomState, default=0
        Draws the random samples of calibrated outcomes and the folds of the comparison.

    Returns
    -------
    report : Report

    Raises
    ------
    ValueError
        For input that is not as described, too few clusters, as in `cluster_tests`, weights or
        clusters beside `max_error`, or scores outside [0, 1] beside `clinical`. The message names
        the argument.

    Notes
    -----
    O(n log n), and O(n) for each of 99 simulated samples: seconds for a million rows. All rows are
    used, except in the comparison of calibrators, for which at most 20,000 rows are drawn. The
    report says so, and how each number was computed.

    Examples
    --------
    >>> import numpy as np
    >>> from calibkit.report import make_report
    >>> rng = np.random.default_rng(0)
    >>> p = rng.random(1000)
    >>> make_report(p, rng.random(1000) < p).verdict.sentence
    'No evidence of miscalibration in 1,000 rows with 523 positives (all ranges and groups at once,
    p = 0.901).'
    """
    seed = check_seed(random_state)
    notes = tuple(str(note) for note in notes)
    thresholds = list(thresholds)
    for threshold in thresholds:
        check_positive(threshold, "thresholds", below=1)
    if max_error is not None:
        check_positive(max_error, "max_error", below=1)
        if sample_weight is not None or clusters is not None:
            raise ValueError(f"max_error: {NOT_PROVED}")
    first_look = look_at(scores, labels, sample_weight, groups, clusters, seed=seed)
    sample = first_look.sample
    data = first_look.data
    if clinical and not data.probabilities:
        raise ValueError(f"clinical: {NEEDS_PROBABILITIES}")
    is_simulated = data.probabilities and sample.clusters is None
    chance = measuring.simulated(sample, seed) if is_simulated else None
    measures = measuring.estimates(sample, data, chance)
    tests = measuring.calibration_tests(sample, first_look.by_cluster) if data.probabilities else ()
    curve = measuring.curve_of(sample) if data.probabilities else None
    judgement = judgement_of(
        sample, data, first_look.finding, measures, tests, first_look.cautions, curve
    )
    verdict = verdict_in_words(judgement, sample, data, measures)
    escapes = measuring.escapes_of(sample, thresholds) if thresholds and data.probabilities else ()
    what_escapes = [open_at(escape, data.total) for escape in escapes]
    verdict = replace(verdict, details=(*verdict.details, *what_escapes))
    comparison = comparison_of(first_look, seed)
    groups_found = measuring.groups_of(sample, first_look.p_values) if data.probabilities else ()
    items = None
    if clinical:
        items = clinical_of(
            sample, measures, groups_found, thresholds=thresholds, notes=notes, seed=seed
        )
    return Report(
        name=str(name),
        version=calib.__version__,
        notes=notes,
        data=data,
        verdict=verdict,
        cautions=first_look.cautions,
        measures=measures,
        tests=tests,
        curve=curve,
        bins=measuring.reliability_bins(sample) if data.probabilities else (),
        groups=groups_found,
        decisions=measuring.decisions_of(sample, thresholds) if data.probabilities else (),
        escapes=escapes,
        promises=_promises(sample, data, max_error),
        clinical=items,
        comparison=comparison,
        advice=advise(data, verdict, first_look.cautions, comparison, command),
        methods=METHOD_NOTES if sample.clusters is None else (*METHOD_NOTES, CLUSTER_NOTE),
    )
