"""The parts of a report: numbers and words, no arrays, so that they can be written as JSON."""

from dataclasses import dataclass

N_BINS = 10  # bins of the table next to the diagram


@dataclass(frozen=True)
class Data:
    """The rows that were read.

    Attributes
    ----------
    rows : int
        Rows of positive weight.
    left_out : int
        Rows of weight 0.
    total, positives : float
        Sum of the weights of all rows, and of the rows of class 1; without weights, numbers of
        rows.
    weighted : bool
        Whether there were weights.
    distinct : int
        Number of distinct scores.
    decimals : int or None
        Decimals that the scores are rounded to, if they are at most four.
    lowest, highest, mean : float
        Range and mean of the scores.
    n_groups : int
        Number of groups, or 0 if there were none.
    probabilities : bool
        Whether all scores lie in [0, 1].
    """

    rows: int
    left_out: int
    total: float
    positives: float
    weighted: bool
    distinct: int
    decimals: int | None
    lowest: float
    highest: float
    mean: float
    n_groups: int
    probabilities: bool


@dataclass(frozen=True)
class Caution:
    """Something about the data that a reader must know. `kind` is for machines."""

    kind: str
    text: str


@dataclass(frozen=True)
class Bin:
    """Neighbouring predictions: their range and mean, and the fraction of positives."""

    lowest: float
    highest: float
    count: float
    predicted: float
    observed: float
    lower: float
    upper: float


@dataclass(frozen=True)
class Verdict:
    """Whether the scores are honest probabilities.

    Attributes
    ----------
    outcome : {"no evidence", "miscalibrated", "cannot say"}
        Result of the test for miscalibration, at the 5 % level.
    sentence : str
        The verdict with its uncertainty.
    details : tuple of str
        Size, place and direction of the error; or the error that could have been found.
    p_value : float or None
        P value of one test of the whole, all ranges and all groups.
    detectable : float or None
        A bias of all predictions that Kuiper's test finds with a probability of at least 80 %.
    place : Bin or None
        If "miscalibrated": the worst range, in the first of `groups` if there are any. Its limits
        hold for all ranges and groups at once, and are wider than the test. They may hold
        `predicted`.
    groups : tuple of str
        Groups that are miscalibrated, the worst first, or empty if all groups are.
    """

    outcome: str
    sentence: str
    details: tuple[str, ...]
    p_value: float | None = None
    detectable: float | None = None
    place: Bin | None = None
    groups: tuple[str, ...] = ()


@dataclass(frozen=True)
class Estimate:
    """A measure with its 95 % limits. A missing number is None, and `note` says why.

    Attributes
    ----------
    key, name : str
        Names for machines and for readers.
    value, lower, upper : float or None
        The measure and its limits.
    floor : float or None
        Mean value in samples of this size if the predictions are calibrated.
    by_chance : float or None
        Value that 95 of 100 samples stay below if the predictions are calibrated.
    note : str
        The meaning of the measure, or the reason why it is missing.
    """

    key: str
    name: str
    value: float | None
    lower: float | None = None
    upper: float | None = None
    floor: float | None = None
    by_chance: float | None = None
    note: str = ""


@dataclass(frozen=True)
class Test:
    """A test of calibration. A statistic of None is infinite."""

    __test__ = False  # this is no test of pytest's

    name: str
    statistic: float | None
    p_value: float
    note: str


@dataclass(frozen=True)
class Curve:
    """The corners of the diagram: isotonic curve, confidence band, histogram.

    `predicted` and `recalibrated` are the ends of the flat pieces of the curve. `band_at`, `lower`
    and `upper` are the ends of the flat pieces of the band, whose simultaneous confidence is 95 %.
    The histogram counts the rows between `edges`. Its outer columns also count the rows beyond. If
    `logit`, because one class is rare, the edges are equally far apart in log-odds, and log-odds
    are the scale of the diagram.
    """

    predicted: tuple[float, ...]
    recalibrated: tuple[float, ...]
    band_at: tuple[float, ...]
    lower: tuple[float, ...]
    upper: tuple[float, ...]
    histogram: tuple[float, ...]
    edges: tuple[float, ...]
    logit: bool
    holds_diagonal: bool
    crosses: bool


@dataclass(frozen=True)
class Group:
    """Calibration in one group. The limits of the bias hold in all groups at once.

    Attributes
    ----------
    name : str
    total, positives : float
        Numbers of rows, or weights.
    predicted, observed : float
        Mean prediction and fraction of positives.
    bias, lower, upper : float
        `observed` less `predicted`, with limits.
    p_value : float
        P value of the verdict's test, adjusted for all groups, all ranges and the whole.
    auc : float or None
        None for a group of one class.
    """

    name: str
    total: float
    positives: float
    predicted: float
    observed: float
    bias: float
    lower: float
    upper: float
    p_value: float
    auc: float | None


@dataclass(frozen=True)
class Threshold:
    """Net benefit of acting beyond one threshold.

    Attributes
    ----------
    threshold : float
    net_benefit, act_on_all : float
        Net benefit of acting where the prediction exceeds the threshold, and of acting always.
    gain, lower, upper : float
        `net_benefit` less the net benefit of acting always or never, whichever is better, with 95 %
        limits.
    """

    threshold: float
    net_benefit: float
    act_on_all: float
    gain: float
    lower: float
    upper: float


@dataclass(frozen=True)
class ScoreRange:
    """A range of scores, and the number of rows in it, or their weight."""

    lowest: float
    highest: float
    rows: float


@dataclass(frozen=True)
class Escape:
    """The consequences of the confidence band for decisions at a threshold of the user.

    Attributes
    ----------
    threshold : float
        One acts where the score exceeds it.
    wrong : ScoreRange or None
        Scores that are significantly on the wrong side of the threshold, because the whole band is
        on the other side.
    open : ScoreRange or None
        Scores for which the band has both sides of the threshold.
    least_loss, loss : float
        Least and largest net benefit, in hits for each row, that the best increasing map gains over
        the scores.
    least_false_alarms, false_alarms : float
        How many false alarms fewer that is worth in 1,000 rows, where one acts on too many scores,
        or 0 if one does not. It is at most the number of false alarms among these rows.
    least_hits, hits : float
        How many hits more that is worth in 1,000 rows, where one acts on too few, or 0 if one does
        not. It is at most the number of misses among these rows.
    """

    threshold: float
    wrong: ScoreRange | None
    open: ScoreRange | None
    least_loss: float
    loss: float
    least_false_alarms: float
    false_alarms: float
    least_hits: float
    hits: float


@dataclass(frozen=True)
class Promise:
    """A threshold at or above which the fraction of negatives is promised.

    Attributes
    ----------
    group : str
        Name of the group, or ``"all"``.
    threshold : float or None
        None if no threshold can be promised.
    n_accepted, n_errors, n_rows : int
        Rows of the file at or above the threshold, negatives among them, and all rows.
    share : float
        Fraction of the rows that are accepted.
    max_error, alpha : float
        The limit of the error, and the largest probability that one of the promises is broken.
    rows_until_promise : int
        Accepted rows that a promise needs at least.
    """

    group: str
    threshold: float | None
    n_accepted: int
    n_errors: int
    n_rows: int
    share: float
    max_error: float
    alpha: float
    rows_until_promise: int


@dataclass(frozen=True)
class SmoothedCurve:
    """A smooth calibration curve with its pointwise band. `method` is "loess" or "spline"."""

    method: str
    predicted: tuple[float, ...]
    observed: tuple[float, ...]
    lower: tuple[float, ...]
    upper: tuple[float, ...]


@dataclass(frozen=True)
class ClinicalDecision:
    """Net benefit at one threshold, as in `Threshold`, and standardised.

    `standardised` is the net benefit divided by the observed rate, or None without positives.
    """

    threshold: float
    net_benefit: float
    standardised: float | None
    act_on_all: float
    gain: float
    lower: float
    upper: float


@dataclass(frozen=True)
class ChecklistItem:
    """An item of the TRIPOD+AI checklist, with the content that this file has for it.

    Attributes
    ----------
    number, topic : str
        Number of the item in the checklist, such as "23a", and its topic.
    sentences : tuple of str
    estimates : tuple of Estimate
    tests : tuple of Test
    decisions : tuple of ClinicalDecision
    """

    number: str
    topic: str
    sentences: tuple[str, ...] = ()
    estimates: tuple[Estimate, ...] = ()
    tests: tuple[Test, ...] = ()
    decisions: tuple[ClinicalDecision, ...] = ()


@dataclass(frozen=True)
class Clinical:
    """The items of the TRIPOD+AI checklist that concern calibration, and the smooth curves."""

    title: str
    items: tuple[ChecklistItem, ...]
    curves: tuple[SmoothedCurve, ...]


@dataclass(frozen=True)
class Method:
    """A calibrator in the comparison. A loss of None is infinite.

    Attributes
    ----------
    name : str
    fit : str
        The words that choose it on the command line, after ``calib fit --method``, or empty for the
        reference.
    log_loss, brier : float or None
        Mean cross-validated losses.
    miscalibration, discrimination, auc : float or None
        Measures of the same predictions; AUC is None for one class.
    gain, lower, upper, error : float or None
        Loss of the reference less the loss of the method, in the loss that `Compared.gain_in`
        names, with limits for all methods at once and its standard error. All are None for the
        reference itself, and where only the method's loss is infinite.
    harm : float
        Fraction of the folds in which the method had the larger log loss.
    """

    name: str
    fit: str
    log_loss: float | None
    brier: float | None
    miscalibration: float | None
    discrimination: float | None
    auc: float | None
    gain: float | None
    lower: float | None
    upper: float | None
    error: float | None
    harm: float


@dataclass(frozen=True)
class Compared:
    """The result of `calibkit.comparison.compare` on these rows.

    Attributes
    ----------
    rows : int
        Number of rows that calibrators were compared on.
    reference : {"Raw", "Base rate"}
    gain_in : {"log", "brier"}
        The loss in which gains are given: log loss, unless the reference has infinite log loss.
    recommendation : str
        The line of advice: the default, and its gain.
    notes : tuple of str
    methods : tuple of Method
        The reference first.
    """

    rows: int
    reference: str
    gain_in: str
    recommendation: str
    notes: tuple[str, ...]
    methods: tuple[Method, ...]
