"""The suite of calibkit.testing: on all that calib offers, and on what breaks each promise."""

import inspect
from functools import partial

import numpy as np
import pytest
from sklearn.isotonic import IsotonicRegression
from test_contract import CALIBRATORS

import calib
import calibkit
from calib import (
    ABB,
    BBQ,
    BetaCalibration,
    DirectIsotonic,
    IdentityCalibrator,
    IsotonicCalibrator,
    NearIsotonicPath,
    PlattScaling,
    ScoreModel,
    SplineCalibrator,
    StackedCalibrator,
    TemperatureScaling,
    VennAbers,
    metrics,
)
from calib.base.calibrator import GroupCalibrator
from calibkit import inference, multiclass
from calibkit.comparison import Offset
from calibkit.groups import MondrianVennAbers
from calibkit.prediction_intervals import AdaptiveCalibrator
from calibkit.testing import (
    CheckError,
    calibrator_checks,
    check_calibrator,
    check_measure,
    measure_checks,
    references,
)
from calibkit.testing.shared import sample, weighted

# What calib's own calibrators promise beyond the rest

REFERENCES = {
    str(IsotonicCalibrator()): references.isotonic,
    str(VennAbers()): references.venn_abers,
    str(BBQ()): references.bbq,
    str(ABB()): references.all_binnings,
}
INCREASING = (
    *[IsotonicCalibrator, VennAbers, DirectIsotonic, BetaCalibration, TemperatureScaling],
    SplineCalibrator,
)
IDEMPOTENT = {
    str(one)
    for one in [
        IsotonicCalibrator(),
        DirectIsotonic(),
        TemperatureScaling(),
        PlattScaling(scale="logit"),
    ]
}
WITHOUT_INTERCEPT = (
    IdentityCalibrator | StackedCalibrator | TemperatureScaling | SplineCalibrator | Offset
) | (multiclass.StackedCalibrator | multiclass.TemperatureScaling)
MULTICLASS = [
    multiclass.TemperatureScaling(),
    multiclass.VectorScaling(),
    multiclass.DirichletCalibration(),
    multiclass.OneVsRestCalibrator(IsotonicCalibrator()),
    multiclass.PairwiseVennAbers(),
    multiclass.TopLabelBinning(bin_size=2),
    multiclass.StackedCalibrator([multiclass.TemperatureScaling(), multiclass.VectorScaling()]),
]


def path_at_one(scores, labels, sample_weight, new_scores):
    path = NearIsotonicPath().fit(scores, labels, sample_weight=sample_weight)
    return path.predict(new_scores, 1.0)


def adaptive(scores, labels, sample_weight, new_scores):
    fitted = AdaptiveCalibrator().fit(scores, labels, sample_weight=sample_weight)
    limits = np.clip(np.asarray(new_scores, float), 0.05, 0.95)
    return fitted.predict(new_scores, limits - 0.05, limits + 0.05)


def one_category(scores, labels, sample_weight, new_scores):
    fitted = MondrianVennAbers().fit(
        scores, labels, sample_weight=sample_weight, groups=["a"] * len(scores)
    )
    return fitted.predict(new_scores, groups=["a"] * len(new_scores))


def failures(outcomes):
    return [str(one.failure) for one in outcomes if one.outcome == "failed"]


@pytest.mark.parametrize("calibrator", CALIBRATORS, ids=str)
def test_our_calibrators_keep_their_promises(calibrator):
    outcomes = check_calibrator(
        calibrator,
        monotone=isinstance(calibrator, INCREASING) and getattr(calibrator, "increasing", True),
        idempotent=str(calibrator) in IDEMPOTENT,
        ties=not isinstance(calibrator, WITHOUT_INTERCEPT) and str(calibrator) != "PriorShift()",
        unit=isinstance(calibrator, StackedCalibrator) or None,  # it is fitted to probabilities
        reference=REFERENCES.get(str(calibrator)),
        tolerance=1e-9,
        on_fail=None,
    )
    assert not failures(outcomes)


@pytest.mark.parametrize("calibrator", MULTICLASS, ids=str)
def test_our_calibrators_of_several_classes_keep_them_with_two(calibrator):
    ties = not isinstance(calibrator, WITHOUT_INTERCEPT)
    assert not failures(check_calibrator(calibrator, binary=False, ties=ties, on_fail=None))


@pytest.mark.parametrize("fit_predict", [path_at_one, adaptive, one_category])
def test_what_is_asked_for_something_else_keeps_them_in_a_function(fit_predict):
    assert not failures(check_calibrator(fit_predict, on_fail=None))


def test_every_public_calibrator_is_checked():
    rooms = [calib, *(getattr(calibkit, name) for name in calibkit.__all__ if name != "multiclass")]
    public = {v for room in rooms for v in vars_of(room).values() if isinstance(v, type)}
    scored = {cls for cls in public if issubclass(cls, ScoreModel)}
    bases = {calib.ScoreModel, calib.Calibrator, calibkit.streams.OnlineCalibrator}
    bases |= {cls for cls in scored if issubclass(cls, GroupCalibrator)}  # checked with groups
    assert scored - bases == {type(one) for one in CALIBRATORS} | {
        NearIsotonicPath,
        AdaptiveCalibrator,
    }
    several = {value for value in vars_of(multiclass).values() if isinstance(value, type)}
    assert several - {multiclass.MulticlassCalibrator} == {type(one) for one in MULTICLASS}


def vars_of(module):
    return {name: getattr(module, name) for name in getattr(module, "__all__", [])}


# Measures


def p_value(test):
    return lambda labels, probabilities, *, sample_weight=None: (
        test(labels, probabilities, sample_weight=sample_weight).p_value
    )


def share_of_errors(labels, probabilities, *, sample_weight=None):
    return 1 - metrics.accuracy(labels, probabilities, sample_weight=sample_weight)


def miscalibration(labels, probabilities, *, sample_weight=None):
    parts = metrics.score_decomposition(labels, probabilities, sample_weight=sample_weight)
    return parts.miscalibration


def both_columns(measure):
    return lambda labels, probabilities, *, sample_weight=None: measure(
        labels,
        np.column_stack([1 - np.asarray(probabilities, float), probabilities]),
        sample_weight=sample_weight,
    )


UNIFORM = {"strategy": "uniform"}
MEASURES = {  # function, kind, reference
    "expected_calibration_error": (
        metrics.expected_calibration_error,
        "error",
        partial(references.expected_error, strategy="quantile"),
    ),
    "maximum_calibration_error": (
        metrics.maximum_calibration_error,
        "error",
        partial(references.maximum_error, strategy="quantile"),
    ),
    "ECE, equal width": (
        partial(metrics.expected_calibration_error, **UNIFORM),
        "error",
        references.expected_error,
    ),
    "MCE, equal width": (
        partial(metrics.maximum_calibration_error, **UNIFORM),
        "error",
        references.maximum_error,
    ),
    "sweep_calibration_error": (inference.sweep_calibration_error, "error", None),
    "integrated_calibration_index": (inference.integrated_calibration_index, "error", None),
    "averaged_two_bin_error": (inference.averaged_two_bin_error, "error", None),
    "kuiper_error": (inference.kuiper_error, "error", references.kuiper),
    "smooth_calibration_error": (
        inference.smooth_calibration_error,
        "error",
        references.smooth_calibration_error,
    ),
    "smooth_ece": (inference.smooth_ece, "error", references.smooth_ece),
    "score_decomposition": (miscalibration, "error", None),
    "brier_score_loss": (metrics.brier_score_loss, "loss", references.brier),
    "root_mean_squared_error": (
        metrics.root_mean_squared_error,
        "loss",
        lambda *rows: references.brier(*rows) ** 0.5,
    ),
    "log_loss": (metrics.log_loss, "loss", references.log_loss),
    "accuracy": (share_of_errors, "loss", None),
    "roc_auc_score": (metrics.roc_auc_score, "auc", references.auc),
    "spiegelhalter_test": (p_value(inference.spiegelhalter_test), "p value", None),
    "hosmer_lemeshow_test": (p_value(inference.hosmer_lemeshow_test), "p value", None),
    "kuiper_test": (p_value(inference.kuiper_test), "p value", None),
    "multiclass.log_loss": (both_columns(multiclass.log_loss), "loss", references.log_loss),
}
TOLERANCE = {"smooth_ece": 1e-4, "integrated_calibration_index": 1e-7}  # of grid, of local fits
NOT_ONE_NUMBER = {  # pairs, curves, intervals and tables; `debiased_squared_error` may be negative
    "auc_by_parts",
    "auc_difference",
    "auc_interval",
    "averaged_two_bin_interval",
    "binomial_limits",
    "bootstrap_by_group",
    "bootstrap_difference",
    "bootstrap_interval",
    "brier_skill_interval",
    "calibration_by_group",
    "calibration_test",
    "change_test",
    "closed_testing_update",
    "cluster_tests",
    "confidence_band",
    "consistency_band",
    "copies_test",
    "corp_curve",
    "curve_distance_intervals",
    "curve_distances",
    "debiased_squared_error",
    "decision_curve",
    "decision_gains",
    "detectable_bias",
    "evaluate",
    "get_scorer",
    "horizon_outcomes",
    "kuiper_interval",
    "kuiper_range",
    "loess_curve",
    "mean_interval",
    "murphy_curve",
    "recalibration_intervals",
    "recalibration_line",
    "recalibration_test",
    "reliability_curve",
    "rows_for_validation",
    "spline_curve",
    "worst_range",
}


@pytest.mark.parametrize("name", MEASURES)
def test_our_measures_keep_their_promises(name):
    measure, kind, reference = MEASURES[name]
    outcomes = check_measure(
        measure,
        kind=kind,
        reference=reference,
        tolerance=TOLERANCE.get(name, 1e-9),
        on_fail=None,
    )
    assert not failures(outcomes)


def test_every_public_measure_is_checked():
    functions = {name for name, value in vars_of(metrics).items() if inspect.isfunction(value)}
    assert functions - NOT_ONE_NUMBER == functions & MEASURES.keys()


# Every check can fail


def right(scores, labels, sample_weight, new_scores):
    """A calibrator of scikit-learn that keeps every promise."""
    model = IsotonicRegression(out_of_bounds="clip").fit(scores, labels, sample_weight)
    return model.predict(new_scores)


def unweighted(scores, labels, sample_weight, new_scores):
    return right(scores, labels, None, new_scores)


def weightless_as_one(scores, labels, sample_weight, new_scores):
    weights = None if sample_weight is None else np.maximum(sample_weight, 1)
    return right(scores, labels, weights, new_scores)


def shrunk(scores, labels, sample_weight, new_scores):
    return 0.1 + 0.8 * right(scores, labels, sample_weight, new_scores)


def last_of_equals(scores, labels, sample_weight, new_scores):
    last = dict(zip(np.asarray(scores), labels, strict=True))
    return [last.get(score, 0.5) for score in np.asarray(new_scores)]


def nothing_where(condition):
    """Predicts NaN where the condition on (scores, labels, new_scores) holds."""

    def fit_predict(scores, labels, sample_weight, new_scores):
        p = right(scores, labels, sample_weight, new_scores)
        given = map(np.asarray, (scores, labels, new_scores))
        return np.where(condition(*given), np.nan, p)

    return fit_predict


def sorts_in_place(scores, labels, sample_weight, new_scores):
    p = right(scores, labels, sample_weight, new_scores)
    if isinstance(scores, np.ndarray) and scores.flags.writeable:
        scores.sort()
    return p


def writes(scores, labels, sample_weight, new_scores):
    scores[0] = scores[0]
    return right(scores, labels, sample_weight, new_scores)


def knows_arrays_only(scores, labels, sample_weight, new_scores):
    return right(scores[scores >= 0], labels, sample_weight, new_scores)


def sorts_by_index(scores, labels, sample_weight, new_scores):
    scores = scores.sort_index() if hasattr(scores, "sort_index") else scores
    return right(scores, labels, sample_weight, new_scores)


def repeated(values):
    """Which of the values have been there before."""
    _, first = np.unique(values, return_index=True)
    return ~np.isin(np.arange(values.size), first)


class Remembers:
    """Learns from all it was ever fitted to."""

    def fit(self, scores, labels):
        self.seen = [*getattr(self, "seen", []), *zip(scores, labels, strict=True)]

    def predict(self, scores):
        return right(*np.array(self.seen).T, None, scores)


BROKEN = {
    "range": lambda *given: 1.5 * right(*given),
    "new scores": lambda *given: np.sort(right(*given)),
    "order of rows": lambda s, z, w, q: 0.5 * right(s, z, w, q) + 0.5 * z[0],
    "order of ties": last_of_equals,
    "one score": shrunk,
    "weights": unweighted,
    "weight zero": weightless_as_one,
    "increasing": lambda *given: 1 - right(*given),
    "idempotence": lambda s, z, w, q: 0.5 * right(s, z, w, q) + 0.5 * np.clip(q, 0, 1),
    "reference": shrunk,
    "reference with weights": unweighted,
    "refit": Remembers(),
    "extreme scores": nothing_where(lambda s, z, q: (q == 0) | (q == 1)),
    "huge scores": nothing_where(lambda s, z, q: np.abs(q) > 1e100),
    "one class": nothing_where(lambda s, z, q: z.min() == z.max()),
    "rare class": nothing_where(lambda s, z, q: z.mean() < 0.01),
    "one row": nothing_where(lambda s, z, q: s.size == 1),
    "input untouched": sorts_in_place,
    "read-only input": writes,
    "float32": nothing_where(lambda s, z, q: s.dtype == np.float32),
    "lists": knows_arrays_only,
    "pandas": sorts_by_index,
}
SELDOM_BROKEN = [  # on one side only, or where a check must look closely
    ("new scores", nothing_where(lambda s, z, q: repeated(q))),
    *[("one class", nothing_where(lambda s, z, q, k=k: np.all(z == k))) for k in (0, 1)],
    *[("one row", nothing_where(lambda s, z, q, k=k: z.tolist() == [k])) for k in (0, 1)],
    *[
        ("rare class", nothing_where(lambda s, z, q, k=k: np.array_equal(s[z == 1], [k(s)])))
        for k in (np.min, np.max)
    ],
    *[("extreme scores", nothing_where(lambda s, z, q, k=k: q == k)) for k in (0, 1)],
    *[("huge scores", nothing_where(lambda s, z, q, k=k: q == k)) for k in (-1e300, 1e300)],
]
EVERYTHING = {
    "monotone": True,
    "idempotent": True,
    "unit": False,
    "weights": True,
    "reference": references.isotonic,
}


def by_name(checks):
    return {str(check): check for check in checks}


@pytest.mark.parametrize(("name", "broken"), [*BROKEN.items(), *SELDOM_BROKEN])
def test_each_check_of_a_calibrator_can_fail(name, broken):
    with pytest.raises(CheckError, match=f"^{name}: expected .*; found .*; given\nscores = "):
        by_name(calibrator_checks(broken, **EVERYTHING))[name]()


def test_a_right_calibrator_passes_all_of_them():
    outcomes = check_calibrator(right, **EVERYTHING)
    assert {one.check for one in outcomes} == BROKEN.keys()
    assert {one.outcome for one in outcomes} == {"passed"}


def without(condition):
    """A Brier score that is NaN where the condition on (labels, probabilities) holds."""

    def measure(labels, probabilities, sample_weight=None):
        hit = condition(np.asarray(labels), np.asarray(probabilities))
        return np.nan if hit else references.brier(labels, probabilities, sample_weight)

    return measure


def brier_without_weights(labels, probabilities, sample_weight=None):
    return references.brier(labels, probabilities)


def brier_with_weights_from_one(labels, probabilities, sample_weight=None):
    weights = None if sample_weight is None else np.maximum(sample_weight, 1)
    return references.brier(labels, probabilities, weights)


def brier_of_last_of_equals(labels, probabilities, sample_weight=None):
    last = dict(zip(np.asarray(probabilities), labels, strict=True))
    return references.brier(list(last.values()), list(last))


def brier_that_writes(labels, probabilities, sample_weight=None):
    probabilities[0] = 0.5
    return references.brier(labels, probabilities)


def brier_of_arrays(labels, probabilities, sample_weight=None):
    return references.brier(labels, probabilities.clip(0, 1), sample_weight)


def brier_sorted_by_index(labels, probabilities, sample_weight=None):
    if hasattr(probabilities, "sort_index"):
        probabilities = probabilities.sort_index().to_numpy()
    return references.brier(np.asarray(labels), probabilities, sample_weight)


BROKEN_MEASURES = {
    "range": lambda z, p: -references.brier(z, p),
    "perfect predictions": lambda z, p: references.brier(z, p) + 1,
    "wrong predictions": lambda z, p: 0.0,
    "order of rows": lambda z, p: np.abs(z[0] - p[0]),
    "order of ties": brier_of_last_of_equals,
    "weights": brier_without_weights,
    "weight zero": brier_with_weights_from_one,
    "other class": lambda z, p: np.mean(np.asarray(p) ** 2 * (1 - np.asarray(z))),
    "reference": lambda z, p: 2 * references.brier(z, p),
    "reference with weights": brier_without_weights,
    "extreme predictions": without(lambda z, p: p.min() == 0),
    "one class": without(lambda z, p: z.size > 1 and z.max() == 0),
    "one row": without(lambda z, p: z.size == 1),
    "input untouched": brier_that_writes,
    "read-only input": brier_that_writes,
    "float32": without(lambda z, p: p.dtype == np.float32),
    "lists": brier_of_arrays,
    "pandas": brier_sorted_by_index,
}


@pytest.mark.parametrize("name", BROKEN_MEASURES)
def test_each_check_of_a_measure_can_fail(name):
    checks = measure_checks(
        BROKEN_MEASURES[name], kind="loss", weights=True, reference=references.brier
    )
    with pytest.raises(CheckError, match=f"^{name}: expected .*; found .*; given\nlabels = "):
        by_name(checks)[name]()


@pytest.mark.parametrize("kind", ["error", "loss", "auc", "p value"])
def test_each_kind_has_values_that_are_refused(kind):
    failed = {
        value: [o.check for o in check_measure(lambda z, p: value, kind=kind, on_fail=None) if o[2]]  # noqa: B023
        for value in (0.0, 1.0, 2.0, np.nan)
    }
    assert all(failed.values())
    assert "range" in failed[np.nan] and ("range" in failed[2.0]) == (kind != "loss")


# How failures read, and what is not promised


def test_a_failure_can_be_pasted():
    (check,) = (c for c in calibrator_checks(shrunk) if c.name == "one score")
    with pytest.raises(AssertionError) as caught:
        check()
    found = {}
    exec(caught.value.given, {}, found)
    assert found["scores"] == [0.3] * 1000 and sum(found["labels"]) == 250
    assert shrunk(**found, sample_weight=None) == [0.1 + 0.8 * 0.25]


def test_an_exception_is_a_failure_that_says_which():
    def refuses(scores, labels, sample_weight, new_scores):
        raise ValueError("not today")

    outcomes = check_calibrator(refuses, on_fail=None)
    passed = {one.check for one in outcomes if one.outcome == "passed"}
    assert passed == {"one class", "one row"}  # these may be refused
    assert outcomes[0].failure.found == "ValueError: not today"
    with pytest.raises(CheckError, match="range: expected a result; found ValueError: not today"):
        check_calibrator(refuses)


def test_what_is_not_promised_is_not_tried():
    outcomes = {one.check: one.outcome for one in check_calibrator(Remembers(), on_fail=None)}
    left_out = {"weights", "weight zero", "increasing", "idempotence", "huge scores"}
    left_out |= {"reference", "reference with weights"}
    assert {name for name, what in outcomes.items() if what == "not promised"} == left_out


def refuses_weight_zero(scores, labels, sample_weight, new_scores):
    if sample_weight is not None and not np.all(sample_weight):
        raise TypeError("a weight is zero")
    return right(scores, labels, sample_weight, new_scores)


def test_positive_weights_are_a_promise_of_their_own():
    outcomes = check_calibrator(refuses_weight_zero, weights="positive", on_fail=None)
    assert not failures(outcomes)
    tried = {one.check: one.outcome for one in outcomes}
    assert (tried["weights"], tried["weight zero"]) == ("passed", "not promised")


def test_a_measure_promises_all_but_weights_and_a_reference():
    outcomes = check_measure(lambda z, p: references.brier(z, p), kind="loss")
    left_out = {"weights", "weight zero", "reference", "reference with weights"}
    assert {one.check for one in outcomes if one.outcome == "not promised"} == left_out


def test_samples_are_thousandths_or_tenths_with_weights_from_one_to_three():
    every = sample(999, 0, ties=False)
    assert np.sort(every.scores).tolist() == (np.arange(1, 1000) / 1000).tolist()
    tied = sample(200, 0, ties=True)
    assert np.unique(tied.scores).tolist() == (np.arange(1, 10) / 10).tolist()
    assert set(weighted(tied).weights) == {1, 2, 3}
    assert np.sort(weighted(tied, zeros=True).weights)[:2].tolist() == [0, 1]


# References with fewer scores than the samples, and with more weight


@pytest.mark.parametrize("probabilities", [[0.3, 0.3], [0.4, 0.6]])
@pytest.mark.parametrize("name", [name for name, (*_, known) in MEASURES.items() if known])
def test_references_of_measures_take_one_or_two_scores(name, probabilities):
    measure, _, reference = MEASURES[name]
    found = reference([1, 0], probabilities, None)
    assert found == pytest.approx(measure([1, 0], probabilities), abs=TOLERANCE.get(name, 1e-9))


@pytest.mark.parametrize("weight", [1, 50])
@pytest.mark.parametrize("scores", [[0.3, 0.3], [0.4, 0.6], [0.1, 0.4, 0.5, 0.6, 0.9] * 2])
@pytest.mark.parametrize("calibrator", [IsotonicCalibrator(), VennAbers(), BBQ(), ABB()], ids=str)
def test_references_of_calibrators_take_few_scores_and_heavy_ones(calibrator, scores, weight):
    labels, weights = np.arange(len(scores)) % 2, np.full(len(scores), weight)
    fitted = calibrator.fit(scores, labels, sample_weight=weights)
    new = np.linspace(0.05, 0.95, 8)
    expected = REFERENCES[str(calibrator)](scores, labels, weights, new)
    np.testing.assert_allclose(fitted.predict(new), expected, atol=1e-9)


def test_the_calibrator_itself_is_left_alone():
    calibrator = Remembers()
    check_calibrator(calibrator, on_fail=None)
    assert not vars(calibrator)


def test_wrong_arguments_are_refused():
    with pytest.raises(ValueError, match="kind must be one of 'error', 'loss', 'auc', 'p value'"):
        check_measure(references.brier, kind="accuracy")
    with pytest.raises(ValueError, match="on_fail must be one of 'raise'"):
        check_calibrator(right, on_fail="warn")
