"""The result of a comparison as numbers, table and picture, and its recommendation in words."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calib.base.options import check_choice
from calibkit.comparison.guide import (
    LOSS_NAMES,
    OTHERWISE,
    REFERENCE_NAMES,
    advice_to_calibrate,
)
from calibkit.inference.bootstrap import Interval
from calibkit.inference.digits import decimals_between, decimals_of_column

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MIN_ROWS_FOR_INTERVALS = 2_000  # rows from which on intervals kept their confidence in simulations
COLUMNS = ["log loss", "Brier", "MCB", "DSC", "AUC", "gain", "from", "to", "harm"]
LEAST_TABLE_DIGITS = 4  # decimals of losses and gains in the printed table
UNKNOWN_GAIN = Interval(estimate=np.nan, lower=np.nan, upper=np.nan, error=np.nan)


class Result(NamedTuple):
    """The measures of one method.

    Attributes
    ----------
    log_loss, brier : float
        Mean losses of the rows, each averaged over the repeats.
    miscalibration, discrimination : float
        MCB and DSC of the Brier score, by `calib.metrics.score_decomposition`. These and the next
        three measures are computed on the pooled predictions of a repeat and averaged over the
        repeats.
    kuiper_error, expected_calibration_error : float
        The expected calibration error has round(N^(1/3)) bins.
    auc : float
        AUC over pairs of rows of the same fold, which the same map has predicted. An increasing map
        does not change it.
    log_gain, brier_gain : Interval or None
        Loss of the reference less the loss of the method, or None for the reference itself.
    harm : float
        Fraction of the folds of all repeats in which the loss that decides is larger than the loss
        of the reference.
    seconds : float
        Median time of a fit.
    """

    log_loss: float
    brier: float
    miscalibration: float
    discrimination: float
    kuiper_error: float
    expected_calibration_error: float
    auc: float
    log_gain: Interval | None
    brier_gain: Interval | None
    harm: float
    seconds: float

    def loss(self, kind: str) -> float:
        """Mean loss, "log" or "brier"."""
        return self.log_loss if kind == "log" else self.brier

    def gain(self, kind: str) -> Interval | None:
        """Gain in this loss."""
        return self.log_gain if kind == "log" else self.brier_gain


class Settings(NamedTuple):
    """Choices that decide a comparison.

    Attributes
    ----------
    reference : {"Raw", "Base rate"}
        Name of the method that gains are measured against.
    loss : {"log", "brier"}
        The loss that decides.
    confidence : float
        Probability that the intervals of all gains in one loss hold at once.
    seed : int
    """

    reference: str
    loss: str
    confidence: float
    seed: int


@dataclass(frozen=True, eq=False)
class Comparison:
    """The result of `compare`.

    Attributes
    ----------
    results : dict of str to Result
        By name of method, the reference first.
    reference : str
        "Raw", the scores themselves if they are probabilities; "Base rate", the fraction of
        positives in the training rows, if they are margins.
    chosen : str or None
        The calibrator that is recommended: the default, if it was compared.
    best_ : calibrator or None
        That calibrator, fitted to all rows, or None if none is recommended.
    recommendation : str
        Advice, with its reason.
    notes : tuple of str
        Calibrators that were left out, and warnings.
    predictions : dict of str to ndarray of shape (n,)
        Out-of-fold probabilities of the first repeat, NaN in rows that it does not predict. Where
        rows are counted, means over the rows that a row stands for.
    loss : {"log", "brier"}
        The loss that decides.
    confidence : float
        Probability that the intervals of the gains in one loss hold for all methods at once.
    n_repeats, n_splits : int
        Repeats, and splits in all of them.
    """

    results: dict[str, Result]
    reference: str
    chosen: str | None
    best_: Any
    recommendation: str
    notes: tuple[str, ...]
    predictions: dict[str, NDArray[np.float64]]
    loss: str
    confidence: float
    n_repeats: int
    n_splits: int

    def table(self) -> list[dict[str, Any]]:
        """A flat dictionary for each method, for example for `pandas.DataFrame`.

        Gains have three entries: ``log_gain``, ``log_gain_lower``, ``log_gain_upper``. They are NaN
        for the reference.
        """
        rows = []
        for name, result in self.results.items():
            row: dict[str, Any] = {"method": name}
            for field, value in result._asdict().items():
                if field.endswith("_gain"):
                    gain = UNKNOWN_GAIN if value is None else value
                    row[field] = gain.estimate
                    row[f"{field}_lower"] = gain.lower
                    row[f"{field}_upper"] = gain.upper
                else:
                    row[field] = value
            rows.append(row)
        return rows

    def plot(self, *, loss: str | None = None, ax: "Axes | None" = None) -> "Axes":
        """Draw the gains over the reference with their intervals.

        Parameters
        ----------
        loss : {"log", "brier"}, optional
            By default the loss that decided.
        ax : matplotlib Axes, optional

        Returns
        -------
        ax : matplotlib Axes

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        """
        from calibkit.diagrams import forest_plot

        loss = self.loss if loss is None else loss
        check_choice(loss, LOSS_NAMES, "loss")
        ax = forest_plot(_gains_of(self.results, loss), ax=ax)
        ax.set_xlabel(f"Gain in {LOSS_NAMES[loss]} over {REFERENCE_NAMES[self.reference]}")
        return ax

    def __repr__(self):
        return f"<Comparison of {', '.join(self.results)}: {self.recommendation}>"

    def __str__(self):
        width = max(len(name) for name in self.results)
        gains = _gains_of(self.results, self.loss).values()
        limits = [(gain.lower, gain.upper) for gain in gains]
        digits = max(LEAST_TABLE_DIGITS, decimals_of_column(limits, shown=2))
        rows = [" " * width + _line_of(COLUMNS, digits)]
        for name, result in self.results.items():
            line = f"{name:{width}}" + _line_of(_cells_of(result, self.loss, digits), digits)
            rows.append(line.rstrip())
        return "\n".join([*rows, "", self.recommendation, *self.notes])


def _gains_of(results, loss):
    """Gains in one loss by method. The reference has none."""
    gains = {name: result.gain(loss) for name, result in results.items()}
    return {name: gain for name, gain in gains.items() if gain is not None}


def _line_of(cells, digits):
    """One line of the printed table, without the name."""
    more = digits - LEAST_TABLE_DIGITS
    widths = [8 + more, *[6 + more] * 3, 5, *[7 + more] * 3, 4]
    return " ".join(f"{cell:>{width}}" for cell, width in zip(cells, widths, strict=True))


def _cells_of(result, loss, digits):
    """The numbers of one line of the printed table."""
    losses = (result.log_loss, result.brier, result.miscalibration, result.discrimination)
    cells = [*(f"{number:.{digits}f}" for number in losses), f"{result.auc:.3f}"]
    gain = result.gain(loss)
    if gain is None:
        return [*cells, "", "", "", ""]
    limits = [_gain_cell(number, digits) for number in (gain.estimate, gain.lower, gain.upper)]
    return [*cells, *limits, f"{result.harm:.2f}"]


def _gain_cell(gain, digits):
    """A gain in printed form. A dash where both losses are infinite."""
    return "-" if np.isnan(gain) else f"{gain:.{digits}f}"


def recommend(
    results: dict[str, Result], certain: set[str], settings: Settings, default: str | None
) -> tuple[str | None, str]:
    """Recommend the default, or the best of others whose gain has an interval above 0.

    Parameters
    ----------
    results : dict of str to Result
    certain : set of str
        Names of the methods that predict exactly 0 or 1 in some rows.
    settings : Settings
    default : str or None
        Name of the default, or None if it was not compared.

    Returns
    -------
    chosen : str or None
    recommendation : str
        The advice, with its reason.
    """
    gains = _gains_of(results, settings.loss)
    if default is not None:
        gain_in = loss_of_gains(results, settings)
        gain = results[default].gain(gain_in)
        return default, advice_to_calibrate(gain, gain_in, settings.reference)
    losses = {name: results[name].loss(settings.loss) for name in gains}
    better = [name for name, gain in gains.items() if gain.lower > 0]
    if not better:
        return None, _without_a_certain_gain(gains, losses, settings)
    chosen = min(better, key=lambda name: losses[name])
    text = _advice_to_calibrate(chosen, results, settings)
    if settings.loss == "log" and chosen in certain:
        text += " It predicts exactly 0 or 1 in some rows: one surprise there costs infinite loss."
    return chosen, text


def loss_of_gains(results: dict[str, Result], settings: Settings) -> str:
    """The loss that decides, or the Brier score where the reference has infinite log loss."""
    is_finite = math.isfinite(results[settings.reference].loss(settings.loss))
    return settings.loss if is_finite else "brier"


def infinite_losses(results: dict[str, Result]) -> list[str]:
    """A sentence on the methods that gave an outcome probability 0, if there are any."""
    infinite = [name for name, result in results.items() if math.isinf(result.log_loss)]
    if not infinite:
        return []
    return [
        f"Infinite log loss, because an outcome came that had been given probability 0: "
        f"{', '.join(infinite)}. Nothing is clipped; the Brier score is finite."
    ]


def rough_intervals(n_rows: int) -> list[str]:
    """A sentence on intervals by cross-validation, if there are too few rows to believe them."""
    if n_rows >= MIN_ROWS_FOR_INTERVALS:
        return []
    return [
        f"With fewer than {MIN_ROWS_FOR_INTERVALS:,} rows an interval may hold less often than it "
        "promises: it is a rough guide."
    ]


def _advice_to_calibrate(chosen, results, settings):
    """The recommendation of a calibrator whose gain is certain."""
    losses = {name: result.loss(settings.loss) for name, result in results.items()}
    gain = results[chosen].gain(settings.loss)
    if math.isinf(gain.estimate):
        difference = "infinite"
    else:
        limits = _limits_in_words(gain, settings.confidence)
        difference = f"larger by {gain.estimate:.3g} ({limits}){_choice_in_words(len(results) - 1)}"
    loss_name = LOSS_NAMES[settings.loss]
    text = (
        f"Calibrate by {chosen}: its {loss_name} is {_loss_in_words(losses[chosen], gain)}, "
        f"and the {loss_name} of {REFERENCE_NAMES[settings.reference]} is {difference}."
    )
    smaller = [name for name, loss in losses.items() if loss < losses[chosen]]
    if smaller:
        text += f" Smaller yet, but with a gain whose interval holds 0: {', '.join(smaller)}."
    return text


def _without_a_certain_gain(gains, losses, settings):
    """The recommendation where the default was not compared, and no gain is certain."""
    reference = REFERENCE_NAMES[settings.reference]
    loss_name = LOSS_NAMES[settings.loss]
    begin_with = f" Begin with the default, {OTHERWISE.take}, which was not compared."
    text = f"None of these is significantly better than {reference}: "
    finite = [name for name, loss in losses.items() if math.isfinite(loss)]
    if not finite:
        return (
            f"{text}the {loss_name} of every calibrator is infinite; compare by loss='brier'."
            f"{begin_with}"
        )
    best = min(finite, key=lambda name: losses[name])
    gain = gains[best]
    if gain.estimate > 0:
        reason = f"the gain of {best}, {gain.estimate:.3g} in {loss_name}, may be chance"
    else:
        larger = f"larger by {-gain.estimate:.3g}" if gain.estimate else "the same"
        reason = f"none has a smaller {loss_name}, and the {loss_name} of {best} is {larger}"
    limits = _limits_in_words(gain, settings.confidence)
    return f"{text}{reason} ({limits} of the gain){_choice_in_words(len(gains))}.{begin_with}"


def _loss_in_words(loss, gain):
    """Three significant digits of a loss, or as many as its gain needs."""
    digits = decimals_between(gain.lower, gain.upper)
    return f"{loss:.{digits}f}" if loss >= 10 ** (3 - digits) else f"{loss:.3g}"


def _limits_in_words(gain, confidence):
    return f"{100 * confidence:g} % interval {gain.lower:.3g} to {gain.upper:.3g}"


def _choice_in_words(n_compared):
    return f", allowing for the choice among {n_compared}" if n_compared > 1 else ""
