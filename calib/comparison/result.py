"""What a comparison has found, as numbers, table and picture, and what it recommends in words."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calib.comparison.guide import with_few_rows
from calib.contract.options import check_choice
from calib.metrics.intervals import Interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ENOUGH = 2_000  # rows, from which on intervals held in simulations what they promise
LOSSES = {"log": "log loss", "brier": "Brier score"}
REFERENCES = {"Raw": "the raw scores", "Base rate": "the base rate"}
LINE = "{}{:>8} {:>6} {:>6} {:>6} {:>5} {:>7} {:>7} {:>7} {:>4}"


class Result(NamedTuple):
    """What was measured of one method.

    Attributes
    ----------
    log_loss, brier : float
        Mean losses of the rows, each averaged over the repeats.
    miscalibration, discrimination : float
        MCB and DSC of the Brier score, by `calib.metrics.score_decomposition`; as all that follows,
        of the pooled predictions of a repeat, and averaged over the repeats.
    kuiper_error, expected_calibration_error : float
        The latter in round(N^(1/3)) bins.
    auc : float
        Over pairs of rows of the same fold, which the same map has predicted; an increasing map
        leaves it as it is.
    log_gain, brier_gain : Interval or None
        Loss of the reference less that of the method; None for the reference itself.
    harm : float
        Share of the folds of all repeats in which the loss that decides is larger than that of the
        reference.
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


@dataclass(frozen=True, eq=False)
class Comparison:
    """What `compare` has found.

    Attributes
    ----------
    results : dict of str to Result
        By name of method, the reference first.
    reference : str
        "Raw", the scores themselves if they are probabilities; "Base rate", the share of positives
        in the training rows, if they are margins.
    chosen : str or None
        The calibrator that is recommended.
    best_ : calibrator or None
        That calibrator, fitted to all rows; None if none is recommended: keep the scores as they
        are.
    recommendation : str
        What to do, and why.
    notes : tuple of str
        What was left out, and what to beware of.
    predictions : dict of str to ndarray of shape (n,)
        Out-of-fold probabilities of the first repeat, NaN in rows that it does not predict.
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

        Gains have three entries: ``log_gain``, ``log_gain_lower``, ``log_gain_upper``; they are NaN
        for the reference.
        """
        rows = []
        for name, result in self.results.items():
            row = {"method": name}
            for field, value in result._asdict().items():
                if field.endswith("_gain"):
                    gain = value or Interval(np.nan, np.nan, np.nan, np.nan)
                    row[field] = gain.estimate
                    row |= {f"{field}_lower": gain.lower, f"{field}_upper": gain.upper}
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
        from calib.diagrams import forest_plot

        loss = self.loss if loss is None else loss
        check_choice(loss, LOSSES, "loss")
        gains = {name: r.gain(loss) for name, r in self.results.items() if name != self.reference}
        ax = forest_plot(gains, ax=ax)
        ax.set_xlabel(f"Gain in {LOSSES[loss]} over {REFERENCES[self.reference]}")
        return ax

    def __repr__(self):
        return f"<Comparison of {', '.join(self.results)}: {self.recommendation}>"

    def __str__(self):
        width = max(map(len, self.results))
        head = (" " * width, "log loss", "Brier", "MCB", "DSC", "AUC", "gain", "from", "to", "harm")
        rows = [LINE.format(*head)]
        for name, r in self.results.items():
            gain = r.gain(self.loss)
            measures = [r.log_loss, r.brier, r.miscalibration, r.discrimination]
            cells = [f"{number:.4f}" for number in measures] + [f"{r.auc:.3f}"]
            cells += [""] * 4 if gain is None else [*map(_cell, gain[:3]), f"{r.harm:.2f}"]
            rows.append(LINE.format(f"{name:{width}}", *cells).rstrip())
        return "\n".join([*rows, "", self.recommendation, *self.notes])


def _cell(gain):
    """A gain as it is printed; a dash where both losses are infinite."""
    return "-" if np.isnan(gain) else f"{gain:.4f}"


def advise(
    results: dict[str, Result],
    certain: set[str],
    reference: str,
    loss: str,
    confidence: float,
    n_rows: int,
) -> tuple[str | None, str]:
    """The calibrator to take, or None, and the reason.

    It is the one of smallest loss among those whose gain has an interval above 0. `certain` names
    those that predict exactly 0 or 1 in some rows.
    """
    others = {name: result for name, result in results.items() if name != reference}
    better = [name for name, result in others.items() if result.gain(loss).lower > 0]
    if not better:
        nothing = _nothing(others, reference, loss, confidence)
        return None, nothing + with_few_rows(n_rows, reference == "Raw")
    chosen = min(better, key=lambda name: others[name].loss(loss))
    text = _something(chosen, results, reference, loss, confidence)
    if loss == "log" and chosen in certain:
        text += " It predicts exactly 0 or 1 in some rows: one surprise there costs infinite loss."
    return chosen, text


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
    if n_rows >= ENOUGH:
        return []
    return [
        f"With fewer than {ENOUGH:,} rows an interval may hold less often than it promises: it "
        "is a rough guide."
    ]


def _something(chosen, results, reference, loss, confidence):
    gain = results[chosen].gain(loss)
    than = REFERENCES[reference]
    if math.isinf(gain.estimate):
        why = "infinite"
    else:
        why = f"larger by {gain.estimate:.3g} ({_limits(gain, confidence)})"
        why += _together(len(results) - 1)
    text = (
        f"Calibrate by {chosen}: its {LOSSES[loss]} is {results[chosen].loss(loss):.3g}, "
        f"and that of {than} is {why}."
    )
    smaller = [n for n, r in results.items() if r.loss(loss) < results[chosen].loss(loss)]
    if smaller:
        text += f" Smaller yet, but with a gain whose interval holds 0: {', '.join(smaller)}."
    return text


def _nothing(others, reference, loss, confidence):
    if reference == "Raw":
        text = "Keep the raw scores: "
    else:
        text = "Do not turn these scores into probabilities: "
    finite = [name for name, result in others.items() if math.isfinite(result.loss(loss))]
    if not finite:
        return f"{text}the {LOSSES[loss]} of every calibrator is infinite; compare by loss='brier'."
    best = min(finite, key=lambda name: others[name].loss(loss))
    gain = others[best].gain(loss)
    what, than = LOSSES[loss], REFERENCES[reference]
    if gain.estimate > 0:
        which = f"the gain of {best}, {gain.estimate:.3g} in {what} over {than}, may be chance"
    else:
        larger = f"larger by {-gain.estimate:.3g}" if gain.estimate else "the same"
        which = f"no calibrator has a smaller {what} than {than}; that of {best} is {larger}"
    return f"{text}{which} ({_limits(gain, confidence)} of the gain){_together(len(others))}."


def _limits(gain, confidence):
    return f"{100 * confidence:g} % interval {gain.lower:.3g} to {gain.upper:.3g}"


def _together(n_compared):
    return f", allowing for the choice among {n_compared}" if n_compared > 1 else ""
