"""From scores and outcomes to a report."""

from collections.abc import Iterable

from numpy.typing import ArrayLike

import calib
from calib.contract.randomness import RandomState, check_seed
from calib.report import measuring
from calib.report.checking import cautions_of, clean, described
from calib.report.comparing import compared
from calib.report.judging import advise, judge
from calib.report.report import Report

METHODS = (
    "Limits are those of 95 % intervals, for rows that are independent of one another. All rows "
    "are used, but in the comparison where it says so.",
    "Rates have the exact limits of Clopper and Pearson. Limits of log loss, Brier score and bias "
    "come from the spread of the rows, those of the AUC from DeLong's method on the scale of "
    "log-odds, those of slope and intercepts from an estimate of variance that holds for a bent "
    "curve as well.",
    "The Kuiper error's limits add and subtract the largest range, in 95 of 100 samples, of the "
    "noise alone. With many rows they err on the safe side, and hold for calibrated scores, too. "
    "A bootstrap of "
    "such errors does not, so there is none; MCB, smooth ECE and ICI have no limits.",
    "Chance: the largest value but four of 99 samples whose outcomes were drawn from the "
    "predictions. Calibrated predictions exceed it in 5 of 100 samples.",
    "Calibrators are compared by cross-validation, each with its usual settings; the limits of "
    "their gains hold for all at once. Groups do not enter, and AUC counts pairs of rows of the "
    "same fold.",
    "Limits at the thresholds of decisions hold one by one.",
    "The verdict rests on Kuiper's test alone, at the 5 % level; with fewer than 20 rows of a "
    "class, on its simulated p value.",
)


def make_report(
    scores: ArrayLike,
    labels: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    name: str = "scores",
    notes: Iterable[str] = (),
    random_state: RandomState = 0,
) -> Report:
    """Judge whether scores are honest probabilities, and measure how good they are.

    Parameters
    ----------
    scores : array-like of shape (n,)
        Finite numbers. If some lie outside [0, 1], what needs probabilities is left out.
    labels : array-like of shape (n,)
        Outcomes, 0/1 or bool.
    sample_weight : array-like of shape (n,), optional
        Non-negative weights; they are counts.
    groups : array-like of shape (n,), optional
        Group of each row: numbers or strings.
    name : str, default="scores"
        Title of the report, such as the name of the file.
    notes : iterable of str, optional
        Sentences on how the data were read, to be shown with them.
    random_state : None, int, numpy Generator or RandomState, default=0
        Draws the samples that show what chance does, and the folds of the comparison.

    Returns
    -------
    report : Report

    Raises
    ------
    ValueError
        For input that is not as described; the message names the argument.

    Notes
    -----
    O(n log n), and O(n) for each of 99 simulated samples: seconds for a million rows. All rows are
    used at any size but in the comparison of calibrators, for which 20,000 rows are drawn from
    more; the report says so, and how each number was computed.

    Examples
    --------
    >>> import numpy as np
    >>> from calib.report import make_report
    >>> rng = np.random.default_rng(0)
    >>> p = rng.random(1000)
    >>> make_report(p, rng.random(1000) < p).verdict.sentence
    'No evidence of miscalibration in 1,000 rows with 523 positives (Kuiper test, p = 0.760).'
    """
    seed = check_seed(random_state)
    sample, left_out = clean(scores, labels, sample_weight, groups)
    data = described(sample, left_out)
    chance = measuring.simulated(sample, seed) if data.probabilities else None
    measures = measuring.estimates(sample, data, chance)
    tests = measuring.calibration_tests(sample, chance) if data.probabilities else ()
    curve = measuring.curve_of(sample) if data.probabilities else None
    verdict = judge(sample, data, measures, tests, curve)
    by_group = measuring.groups_of(sample) if data.probabilities else ()
    comparison = compared(sample, seed)
    return Report(
        name=str(name),
        version=calib.__version__,
        notes=tuple(map(str, notes)),
        data=data,
        verdict=verdict,
        cautions=cautions_of(sample, data),
        measures=measures,
        tests=tests,
        curve=curve,
        bins=measuring.bins_of(sample) if data.probabilities else (),
        groups=by_group,
        decisions=measuring.decisions_of(sample) if data.probabilities else (),
        comparison=comparison,
        advice=advise(data, verdict, by_group, comparison),
        methods=METHODS,
    )
