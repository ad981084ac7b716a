"""The calibration items of the TRIPOD+AI checklist, in its order."""

from collections.abc import Iterable

import numpy as np

from calibkit import inference
from calibkit.report.numbers_in_words import amount, count, number, probability
from calibkit.report.records import (
    ChecklistItem,
    Clinical,
    ClinicalDecision,
    Estimate,
    Group,
    SmoothedCurve,
    Test,
)
from calibkit.report.sample import CleanSample

TITLE = "TRIPOD+AI: the items on calibration, in the order of the checklist"
NEEDS_PROBABILITIES = (
    "the checklist asks for predicted risks, but some scores lie outside [0, 1]: fit a map to them "
    "on other rows first, or leave this out"
)
MIN_EVENTS = 100  # rows of each class that guidance asks for at least
USUAL_THRESHOLDS = (0.05, 0.1, 0.2, 0.3, 0.5)  # where the user names none
CURVE_QUANTILES = np.linspace(0, 1, 101)  # of the predictions at which curves are drawn
REPORTED_KEYS = ("observed_over_expected", "in_the_large", "slope", "intercept")
FURTHER_KEYS = ("brier", "auc")
NEW_NAMES = {
    "ici": "ICI",
    "e50": "E50",
    "e90": "E90",
    "emax": "Emax",
    "brier_skill": "Scaled Brier score",
}
MEANINGS = {
    "ici": "Mean distance of the predictions from the loess curve.",
    "e50": "Distance that half of the rows do not exceed.",
    "e90": "Distance that nine tenths of the rows do not exceed.",
    "emax": "Largest distance.",
    "brier_skill": "1 less the Brier score over the score of the base rate.",
}
NOT_SAMPLED = "Not computed, since limits are proved for counts and clusters, not for such weights."
MEASURES_USED = (
    "Observed / expected and its limits, calibration in the large, slope and intercept of the "
    "logistic recalibration line with sandwich limits, and the joint test of intercept 0 and "
    "slope 1: likelihood ratio with 2 degrees of freedom, or a robust Wald test with clusters.",
    "Flexible curves: loess (span 0.75, degree 2, surface direct) and a restricted cubic spline of "
    "the logits with four knots, each with a pointwise 95\N{NO-BREAK SPACE}% band. ICI, E50, E90 "
    "and Emax are distances from the loess curve; their limits come from a wild bootstrap of rows "
    "or clusters with a fixed seed.",
    "Net benefit, and standardised net benefit, which is divided by the observed rate, its value "
    "for perfect predictions. One acts where the prediction exceeds the threshold.",
)


def clinical_of(
    sample: CleanSample,
    measures: tuple[Estimate, ...],
    groups: tuple[Group, ...],
    *,
    thresholds: Iterable[float],
    notes: Iterable[str],
    seed: int,
) -> Clinical:
    """The items of the checklist, with all numbers that they ask for."""
    named = tuple(thresholds)
    distances = _distance_estimates(sample, seed)
    by_key = {estimate.key: estimate for estimate in measures}
    estimates = (
        *(by_key[key] for key in REPORTED_KEYS),
        *distances,
        _scaled_brier(sample),
        *(by_key[key] for key in FURTHER_KEYS),
    )
    joint_test, missing_test = _joint_test(sample)
    n_of_class = np.bincount(sample.labels, None if sample.sampled else sample.weights, minlength=2)
    items = (
        _item("10", "Sample size", *_sample_size(n_of_class), *_wanted_rows(sample)),
        _item("11", "Missing data", *(notes or ("The caller has no notes on rows left out.",))),
        _item("12d", "Clusters", _clusters_in_words(sample)),
        _item("12e", "Measures and plots", *MEASURES_USED),
        _item("12f", "Plan of updating", "Closed testing at the 5 % level, see item 24."),
        _item("15", "Thresholds", _thresholds_in_words(named)),
        _item(
            "20a",
            "Participants",
            f"{amount(n_of_class.sum())} in all: {amount(n_of_class[1])} with the outcome, "
            f"{amount(n_of_class[0])} without.",
        ),
        ChecklistItem(
            number="23a",
            topic="Performance",
            sentences=(*missing_test, *map(_group_in_words, groups)),
            estimates=estimates,
            tests=joint_test,
            decisions=_decisions(sample, named or USUAL_THRESHOLDS),
        ),
        _item("23b", "Heterogeneity", _heterogeneity_in_words(groups)),
        _item("24", "Updating", *_updating(sample)),
    )
    return Clinical(title=TITLE, items=items, curves=_curves(sample))


def clinical_in_words(clinical: Clinical) -> str:
    """The items as plain text, for a terminal or a manuscript."""
    lines = [clinical.title]
    for item in clinical.items:
        lines += ["", f"{item.number} {item.topic}"]
        lines += [f"    {_item_estimate_in_words(estimate)}" for estimate in item.estimates]
        for test in item.tests:
            lines.append(f"    {test.name}: {number(test.statistic)}, {probability(test.p_value)}")
        lines += [f"    {_decision_in_words(decision)}" for decision in item.decisions]
        lines += [f"    {sentence}" for sentence in item.sentences]
    return "\n".join(lines)


def _item_estimate_in_words(estimate):
    if estimate.value is None:
        return f"{estimate.name}: {estimate.note}"
    if estimate.lower is None:
        return f"{estimate.name}: {number(estimate.value)}"
    limits = f"{number(estimate.lower)} to {number(estimate.upper)}"
    return f"{estimate.name}: {number(estimate.value)} ({limits})"


def _decision_in_words(decision):
    return (
        f"Threshold {decision.threshold:g}: net benefit {number(decision.net_benefit)}, "
        f"standardised {number(decision.standardised)}; acting on all "
        f"{number(decision.act_on_all)}; gain over the better of all and none "
        f"{number(decision.gain)} ({number(decision.lower)} to {number(decision.upper)})"
    )


def _item(item_number, topic, *sentences):
    return ChecklistItem(number=item_number, topic=topic, sentences=sentences)


def _sample_size(n_of_class):
    events = n_of_class.min()
    yield f"The rarer class has {count(events, 'row')}."
    if events < MIN_EVENTS:
        yield (
            f"Guidance asks for {MIN_EVENTS} rows of each class at least, better for a number that "
            "makes the limits of item 23a as narrow as the use needs."
        )
    yield "The file does not tell how the size was chosen. State it."


def _wanted_rows(sample):
    try:
        wanted = inference.rows_for_validation(sample.scores, sample_weight=sample.weights)
    except ValueError:  # no slope to measure
        return
    yield (
        "If these predictions are right and rows are independent, limits of a width of 0.2 need "
        f"{count(wanted.observed_over_expected, 'row')} for observed / expected and "
        f"{count(wanted.slope, 'row')} for the slope. Limits of a width of 0.1 need "
        f"{count(wanted.auc, 'row')} for the AUC (Riley and others, 2021)."
    )


def _clusters_in_words(sample):
    if sample.sampled:
        return "The weights are no counts. Each row is one case, and limits allow for its weight."
    if sample.clusters is None:
        return (
            "No clusters were named, so that limits suppose independent rows. Name hospitals or "
            "patients with several rows by --cluster."
        )
    n_clusters = int(sample.clusters.max()) + 1
    return f"Limits and tests take {count(n_clusters, 'cluster')} as independent, not their rows."


def _thresholds_in_words(named):
    if named:
        return f"Given by the user: {', '.join(f'{threshold:g}' for threshold in named)}."
    usual = ", ".join(f"{threshold:g}" for threshold in USUAL_THRESHOLDS)
    return f"None was given (--threshold). Net benefit stands at {usual}. Say which one matters."


def _group_in_words(group):
    return (
        f"Group {group.name}: {amount(group.total)} rows, observed {number(group.observed)}, "
        f"predicted {number(group.predicted)}; difference {number(group.bias)} "
        f"({number(group.lower)} to {number(group.upper)}, for all groups at once)."
    )


def _heterogeneity_in_words(groups):
    if groups:
        return "Item 23a has each group. A model of the spread between clusters is not fitted."
    return "Not examined: name hospitals, countries or other settings by --group."


def _joint_test(sample):
    """The test as a tuple, and the reason where there is none."""
    try:
        result = sample.measured(inference.recalibration_test, clusters=sample.clusters)
    except ValueError:
        return (), ("There is no joint test of intercept and slope: no finite line fits.",)
    name = "Joint test of intercept 0 and slope 1"
    note = "Finds no error that leaves the line alone, such as a bend."
    test = Test(name=name, statistic=result.statistic, p_value=result.p_value, note=note)
    return (test,), ()


def _new_estimate(key, interval=None, note=""):
    has_limits = interval is not None and np.isfinite(interval.error)
    return Estimate(
        key=key,
        name=NEW_NAMES[key],
        value=None if interval is None else interval.estimate,
        lower=interval.lower if has_limits else None,
        upper=interval.upper if has_limits else None,
        note=note or MEANINGS[key],
    )


def _distance_estimates(sample, seed):
    keys = inference.CurveDistances._fields
    if sample.sampled:
        return tuple(_new_estimate(key, note=NOT_SAMPLED) for key in keys)
    intervals = sample.measured(
        inference.curve_distance_intervals, clusters=sample.clusters, random_state=seed
    )
    return tuple(_new_estimate(key, interval) for key, interval in intervals._asdict().items())


def _scaled_brier(sample):
    if np.ptp(sample.labels) == 0:
        return _new_estimate("brier_skill", note="Needs both classes.")
    interval = sample.measured(inference.brier_skill_interval, clusters=sample.clusters)
    return _new_estimate("brier_skill", interval)


def _decisions(sample, thresholds):
    curve = sample.measured(inference.decision_curve, thresholds=thresholds)
    gains = sample.measured(
        inference.decision_gains, clusters=sample.clusters, thresholds=thresholds
    )
    has_positives = bool(sample.labels.any())
    return tuple(
        ClinicalDecision(
            threshold=float(threshold),
            net_benefit=float(curve.net_benefit[k]),
            standardised=float(curve.standardised[k]) if has_positives else None,
            act_on_all=float(curve.act_on_all[k]),
            gain=float(gains.gain[k]),
            lower=float(gains.lower[k]),
            upper=float(gains.upper[k]),
        )
        for k, threshold in enumerate(curve.thresholds)
    )


def _updating(sample):
    """Sentences on the closed test."""
    if sample.clusters is not None:
        return (
            "Closed testing supposes independent rows, so that it is not made with clusters or "
            "weights from sampling. Decide by the joint test and the limits of item 23a.",
        )
    try:
        update = sample.measured(inference.closed_testing_update)
    except ValueError:
        return ("No update is tested: no finite line of log-odds fits.",)
    tested = ", ".join(f"{name} {probability(p)}" for name, p in update.p_values.items())
    return (
        f"Updates tested against a new intercept and slope: {tested}.",
        _update_in_words(update),
    )


def _update_in_words(update):
    if update.method == "none":
        return "No update is chosen."
    return (
        f"A new {update.method} is chosen. The logits become {number(update.intercept)} + "
        f"{number(update.slope)} times the logits. Judge the updated model on other rows."
    )


def _curves(sample):
    """The smooth curves that exist."""
    if sample.sampled:
        return ()
    at = np.unique(np.quantile(sample.scores, CURVE_QUANTILES, method="inverted_cdf"))
    curves = []
    for name, curve_of in (("loess", inference.loess_curve), ("spline", inference.spline_curve)):
        try:
            curve = sample.measured(curve_of, at=at, clusters=sample.clusters)
        except ValueError:  # no finite spline fits, or logits are infinite
            continue
        curves.append(
            SmoothedCurve(
                method=name,
                predicted=tuple(curve.predicted.tolist()),
                observed=tuple(curve.observed.tolist()),
                lower=tuple(np.maximum(curve.lower, 0).tolist()),
                upper=tuple(np.minimum(curve.upper, 1).tolist()),
            )
        )
    return tuple(curves)
