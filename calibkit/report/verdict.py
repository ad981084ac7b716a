"""The logic of the verdict and of the advice; `calibkit.report.sentences` puts both into words."""

import math
from enum import Enum, auto
from typing import NamedTuple

from calibkit.inference import detectable_bias
from calibkit.report.measures import PValues, place_of
from calibkit.report.records import Bin, Caution, Curve, Data, Estimate, Test, Verdict
from calibkit.report.sample import MIN_ROWS_OF_CLASS, RARE_FRACTION, CleanSample, rarer

LEVEL = 0.05  # level of the test that decides
POWER = 0.8  # probability with which the test finds a bias that is called detectable
SMALL_ERROR = 0.01  # fraction of the rows below which an error may be small
SMALLEST_RATIO = 0.01  # of predicted over observed, below which the difference tells more
SMALL_ERROR_OF_CLASS = 0.1  # fraction of the rarer class below which an error may be small
WANTED_BIAS = 0.2  # fraction of the rate of the rarer class, a bias that a sample should show

NO_EVIDENCE = "no evidence"
MISCALIBRATED = "miscalibrated"
CANNOT_SAY = "cannot say"

# Kinds of cautions with which there is no verdict, with which no calibrator is advised, and with
# which the user has to answer a question first.
NO_VERDICT = ("training rows", "duplicated rows")
WITHHELD = ("duplicated rows", "marks of missing values", "predicted class", "reversed scores")
ASKED = ("training rows", "percentages")


class Finding(NamedTuple):
    """The outcome of the test, and the errors that it names.

    Attributes
    ----------
    outcome : {"no evidence", "miscalibrated", "cannot say"}
    p_value : float or None
        None if nothing was tested.
    groups : tuple of int
        Groups that are rejected by themselves, the smallest p value first. None if all are.
    place : Bin or None
        The worst range, of the first of these groups or of all rows.
    """

    outcome: str
    p_value: float | None = None
    groups: tuple[int, ...] = ()
    place: Bin | None = None


class Doubt(Enum):
    """A result besides the test of the verdict that would reject calibration by itself."""

    BIAS = auto()
    SLOPE = auto()
    SPIEGELHALTER = auto()
    BAND = auto()


class Spread(Enum):
    """The meaning of a calibration slope for the predictions."""

    TOO_EXTREME = auto()
    TOO_TIMID = auto()
    REVERSED = auto()


class Deviation(NamedTuple):
    """How far a mean prediction is off.

    Attributes
    ----------
    size, lower, upper : float
        Deviation with limits: the prediction over the observed fraction if `is_ratio`, else the
        absolute difference of the two. A limit of a difference is negative if it lies on the other
        side of the prediction.
    is_ratio : bool
        Whether the class is rare, so that a ratio tells more.
    is_high : bool
        Whether the prediction is above the observed fraction.
    is_certain : bool
        Whether the limits exclude the prediction. They need not, since they are wider than the
        test that rejected it.
    """

    size: float
    lower: float
    upper: float
    is_ratio: bool
    is_high: bool
    is_certain: bool


class Judgement(NamedTuple):
    """Everything that a verdict states, before it is put into words.

    Attributes
    ----------
    finding : Finding
    withheld : str or None
        Kind of the caution with which there is no verdict.
    detectable : float or None
        A bias of all predictions that the test would find with a probability of `POWER`.
    doubts : tuple of Doubt
        If there is no evidence of miscalibration.
    is_small : bool
        Whether the error is certainly small.
    bias : Deviation or None
        Deviation of the mean prediction, if it is certain and no group is named.
    spread : Spread or None
        If the slope is certainly not 1, and no group is named.
    worst : Deviation or None
        Deviation in the worst range.
    """

    finding: Finding
    withheld: str | None = None
    detectable: float | None = None
    doubts: tuple[Doubt, ...] = ()
    is_small: bool = False
    bias: Deviation | None = None
    spread: Spread | None = None
    worst: Deviation | None = None


class Advice(Enum):
    """The advice about the calibration of the scores."""

    WITHHOLD = auto()
    COLLECT = auto()
    CALIBRATE = auto()


def finding_of(
    sample: CleanSample, data: Data, cautions: tuple[Caution, ...], p_values: PValues
) -> Finding:
    """The outcome, and the errors that are named."""
    if not data.probabilities or any(caution.kind in NO_VERDICT for caution in cautions):
        return Finding(CANNOT_SAY)
    outcome, p_value = outcome_of(data, p_values)
    if outcome != MISCALIBRATED:
        return Finding(outcome, p_value)
    rejected = sorted(
        (p, group)
        for group, p in p_values.items()
        if group is not None and group >= 0 and p <= LEVEL
    )
    groups = tuple(group for _, group in rejected) if len(rejected) < len(sample.names) else ()
    return Finding(
        outcome=outcome,
        p_value=p_value,
        groups=groups,
        place=place_of(sample, groups[0] if groups else None),
    )


def outcome_of(data: Data, p_values: PValues) -> tuple[str, float]:
    """Outcome at the 5 % level, and the p value that it rests on: the smallest one."""
    p_value = min(p_values.values())
    if p_value <= LEVEL:
        return MISCALIBRATED, p_value
    return CANNOT_SAY if rarer(data) < MIN_ROWS_OF_CLASS else NO_EVIDENCE, p_value


def judgement_of(
    sample: CleanSample,
    data: Data,
    finding: Finding,
    measures: tuple[Estimate, ...],
    tests: tuple[Test, ...],
    cautions: tuple[Caution, ...],
    curve: Curve | None,
) -> Judgement:
    """Everything that the verdict states about a finding."""
    if finding.p_value is None:
        kinds = [caution.kind for caution in cautions if caution.kind in NO_VERDICT]
        return Judgement(finding, withheld=kinds[0] if kinds else None)
    detectable = detectable_bias(
        sample.scores, power=POWER, sample_weight=sample.independent.weights
    )
    by_key = {estimate.key: estimate for estimate in measures}
    if finding.place is not None:
        place = finding.place
        return Judgement(
            finding=finding,
            detectable=detectable,
            is_small=not finding.groups and _is_small(by_key["kuiper_error"], data),
            bias=None if finding.groups else _certain_bias(by_key["bias"], data),
            spread=None if finding.groups else _certain_spread(by_key["slope"], data),
            worst=deviation_of(place.predicted, place.observed, place.lower, place.upper),
        )
    doubts = _doubts(by_key, tests, curve) if finding.outcome == NO_EVIDENCE else ()
    return Judgement(finding=finding, detectable=detectable, doubts=doubts)


def deviation_of(predicted: float, observed: float, lower: float, upper: float) -> Deviation:
    """How far a mean prediction is off, with the limits of the observed fraction."""
    is_high = observed < predicted
    is_rare = max(predicted, observed) < RARE_FRACTION and lower > 0
    is_ratio = is_rare and predicted >= SMALLEST_RATIO * observed
    if is_ratio:
        size = predicted / observed
        limits = (predicted / upper, predicted / lower)
    elif is_high:
        size = predicted - observed
        limits = (predicted - upper, predicted - lower)
    else:
        size = observed - predicted
        limits = (lower - predicted, upper - predicted)
    return Deviation(
        size=size,
        lower=limits[0],
        upper=limits[1],
        is_ratio=is_ratio,
        is_high=is_high,
        is_certain=not lower <= predicted <= upper,
    )


def _is_small(kuiper, data):
    """Whether the limits of the Kuiper error hold small errors only."""
    is_seldom = kuiper.upper * data.total < SMALL_ERROR_OF_CLASS * rarer(data)
    return kuiper.upper < SMALL_ERROR and is_seldom


def _certain_bias(bias, data):
    """Deviation of the mean prediction, or None if the limits of the bias hold 0."""
    if not _excludes(bias, 0):
        return None
    return deviation_of(
        data.mean, data.mean + bias.value, data.mean + bias.lower, data.mean + bias.upper
    )


def _certain_spread(slope, data):
    """The meaning of the slope, or None if its limits hold 1. They are limits of large samples."""
    if rarer(data) < MIN_ROWS_OF_CLASS or not _excludes(slope, 1):
        return None
    if slope.upper < 0:
        return Spread.REVERSED
    return Spread.TOO_EXTREME if slope.value < 1 else Spread.TOO_TIMID


def _doubts(by_key, tests, curve):
    """Everything besides the test of the verdict that would reject by itself."""
    rejects = {
        Doubt.BIAS: _excludes(by_key["bias"], 0),
        Doubt.SLOPE: _excludes(by_key["slope"], 1),
        Doubt.SPIEGELHALTER: tests[-1].p_value <= LEVEL,
        Doubt.BAND: curve.crosses or not curve.holds_diagonal,
    }
    return tuple(doubt for doubt, is_raised in rejects.items() if is_raised)


def _excludes(estimate, value):
    """Whether there are limits and they exclude a value."""
    return estimate.lower is not None and not estimate.lower <= value <= estimate.upper


def advice_of(data: Data, cautions: tuple[Caution, ...]) -> Advice:
    """The advice: calibrate with the default, unless the rows are not fit for it.

    How wrong the scores are does not matter: that is for the verdict to say.
    """
    if withheld_by(data, cautions):
        return Advice.WITHHOLD
    return Advice.CALIBRATE if rarer(data) > 0 else Advice.COLLECT


def withheld_by(data: Data, cautions: tuple[Caution, ...]) -> list[str]:
    """Kinds of the cautions with which no calibrator is advised.

    The default turns reversed scores round that are no probabilities.
    """
    kinds = [caution.kind for caution in cautions if caution.kind in WITHHELD]
    return kinds if data.probabilities else [kind for kind in kinds if kind != "reversed scores"]


def asked_by(cautions: tuple[Caution, ...]) -> list[str]:
    """Kinds of the cautions that ask for an answer of the user before calibration."""
    return [caution.kind for caution in cautions if caution.kind in ASKED]


def expects_little(verdict: Verdict) -> bool:
    """Whether the test finds no error, so that calibration can gain little."""
    return verdict.p_value is not None and verdict.outcome != MISCALIBRATED


def rows_wanted(data: Data) -> float:
    """Rows with which a bias of a fifth of the rarer class is found with a probability of 80 %."""
    rate = min(max(rarer(data), 1.0) / data.total, 0.5)
    needed = (detectable_bias([rate], power=POWER) / (WANTED_BIAS * rate)) ** 2
    return float(math.ceil(needed / 100) * 100)
