"""One thing below the other: estimates with their intervals, weights of an average."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from calib.diagrams.canvas import Styles, check_named, line_styles, one_axes
from calib.metrics.intervals import Interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes
from typing import TYPE_CHECKING, Any

from sklearn.utils.validation import check_is_fitted


def forest_plot(
    intervals: Mapping[str, Interval], *, styles: Styles | None = None, ax: "Axes | None" = None
) -> "Axes":
    """Draw an estimate and its interval for each method, one below the other, and a line at 0.

    Parameters
    ----------
    intervals : dict of str to Interval
        By name of method. An estimate that is not finite is written and not drawn.
    styles : dict of str to dict, optional
        As in `reliability_diagram`.
    ax : matplotlib Axes, optional

    Returns
    -------
    ax : matplotlib Axes

    {raises_without_matplotlib}

    Examples
    --------
    >>> from calib import diagrams
    >>> from calib.metrics import Interval
    >>> ax = diagrams.forest_plot({"Platt": Interval(0.02, 0.01, 0.03, 0.005)})
    >>> [text.get_text() for text in ax.get_yticklabels()]
    ['Platt']
    """
    check_named(intervals, "intervals")
    ax = one_axes(ax)
    ax.axvline(0, color="0.6", linestyle="--", linewidth=1, zorder=1)
    for place, (name, style) in enumerate(line_styles(intervals, styles).items()):
        mean, lower, upper, _ = intervals[name]
        if np.isfinite([mean, lower, upper]).all():
            ax.errorbar(mean, place, xerr=[[mean - lower], [upper - mean]], capsize=3, **style)
        else:
            ax.annotate(
                _words(mean), (0.02, place), xycoords=("axes fraction", "data"), va="center"
            )
    ax.set_yticks(range(len(intervals)), list(intervals))
    ax.set_ylim(len(intervals) - 0.5, -0.5)
    return ax


def _words(number):
    """An estimate that cannot be drawn, in words."""
    if np.isinf(number):
        return "infinite" if number > 0 else "minus infinity"
    return "not defined" if np.isnan(number) else f"{number:.3g}, without an interval"


def weights_plot(calibrator: Any, *, ax: "Axes | None" = None) -> "Axes":
    """Draw the weight of each member of a fitted `StackedCalibrator`, one below the other.

    Parameters
    ----------
    calibrator : fitted StackedCalibrator
        Of two classes or of more.
    ax : matplotlib Axes, optional

    Returns
    -------
    ax : matplotlib Axes

    Raises
    ------
    ValueError
        If the calibrator is another one or not fitted.
    ImportError
        If matplotlib is not installed.

    Examples
    --------
    >>> from calib import PlattScaling, StackedCalibrator, VennAbers, diagrams
    >>> stacked = StackedCalibrator([PlattScaling(), VennAbers()])
    >>> stacked = stacked.fit([0.1, 0.4, 0.6, 0.9], [0, 1, 0, 1])
    >>> ax = diagrams.weights_plot(stacked)
    >>> [text.get_text() for text in ax.get_yticklabels()]
    ['PlattScaling()', 'VennAbers()']
    """
    check_is_fitted(calibrator)
    if not (hasattr(calibrator, "weights_") and hasattr(calibrator, "calibrators_")):
        found = type(calibrator).__name__
        raise ValueError(f"calibrator must be a StackedCalibrator; found {found}")
    ax = one_axes(ax)
    places = range(len(calibrator.weights_))
    bars = ax.barh(places, calibrator.weights_, color="#0072B2")
    ax.bar_label(bars, fmt="%.2f", padding=3, fontsize=9)
    ax.set_yticks(places, list(map(str, calibrator.calibrators_)))
    ax.set(xlabel="Weight", xlim=(0, 1), ylim=(len(places) - 0.5, -0.5))
    return ax
