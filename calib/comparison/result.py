"""What a comparison has found, as numbers, as a table and as a picture."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calib.contract.options import check_choice
from calib.metrics.intervals import Interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes

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
