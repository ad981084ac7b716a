"""Pictures of the maps and weights that calibrators have learned, and of intervals."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from calib.base.arrays import check_scores
from calibkit.diagrams.canvas import Styles, check_named, line_styles, one_axes, pyplot
from calibkit.inference.bootstrap import Interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def calibration_map(
    calibrators: Mapping[str, Any],
    *,
    scores: ArrayLike | None = None,
    truth: Callable[[np.ndarray], ArrayLike] | None = None,
    styles: Styles | None = None,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw fitted calibrators as functions of the score.

    Parameters
    ----------
    calibrators : dict of str to fitted calibrator
        By name of method.
    scores : array-like of shape (k,), optional
        Where to evaluate, increasing. By default 501 points of [0, 1].
    truth : callable, optional
        The true P(z = 1 | score), drawn as a grey band behind the maps.
    styles : dict of str to dict, optional
        As in `reliability_diagram`.
    ax : matplotlib Axes, optional

    Returns
    -------
    ax : matplotlib Axes

    Raises
    ------
    ValueError
        For input that is not as described. The message names the argument.
    ImportError
        If matplotlib is not installed.

    Examples
    --------
    >>> from calib import PlattScaling
    >>> from calibkit import diagrams
    >>> platt = PlattScaling().fit([0.1, 0.4, 0.6, 0.9], [0, 1, 0, 1])
    >>> diagrams.calibration_map({"Platt": platt}).get_xlabel()
    'Score'
    """
    check_named(calibrators, "calibrators")
    x = np.linspace(0, 1, 501) if scores is None else check_scores(scores)
    ax = one_axes(ax)
    if truth is not None:
        ax.plot(x, truth(x), color="0.8", linewidth=5, label="Truth", zorder=1)
    spacing = max(1, x.size // 10)  # scores between two markers of a map
    for i, (name, style) in enumerate(line_styles(calibrators, styles).items()):
        first = i * spacing // len(calibrators)  # markers of different maps take turns
        probabilities = calibrators[name].predict(x)
        ax.plot(x, probabilities, label=name, markevery=(first, spacing), **style)
    ax.set(xlabel="Score", ylabel="Probability of class 1", ylim=(-0.02, 1.02))
    ax.legend(fontsize=9)
    return ax


def partition_map(calibrator: Any, *, tree: int = 0, ax: "Axes | None" = None) -> "Axes":
    """Draw the map of each part of a fitted `HeterogeneousCalibrator`.

    A map is drawn over the scores that its part was calibrated on. The line is dashed where the
    part was too small for its own map. The grey band behind is the calibrator of the whole sample.

    Parameters
    ----------
    calibrator : fitted HeterogeneousCalibrator
    tree : int, default=0
        Which tree of a forest or of a sequence.
    ax : matplotlib Axes, optional

    Returns
    -------
    ax : matplotlib Axes

    Raises
    ------
    ValueError
        If there is no such tree, or the calibrator is another one or not fitted.
    ImportError
        If matplotlib is not installed.

    Examples
    --------
    >>> from calib import HeterogeneousCalibrator
    >>> from calibkit import diagrams
    >>> groups, scores = ["north", "south"] * 4, [-2, -2, -1, -1, 1, 1, 2, 2]
    >>> calibrator = HeterogeneousCalibrator(min_part_size=2)
    >>> calibrator = calibrator.fit(scores, [0, 0, 0, 1, 1, 0, 1, 1], groups=groups)
    >>> ax = diagrams.partition_map(calibrator)
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['all points', 'x0 = north (4)', 'x0 = south (4)']
    """
    check_is_fitted(calibrator)
    if not hasattr(calibrator, "parts_"):
        type_name = type(calibrator).__name__
        raise ValueError(f"calibrator must be a HeterogeneousCalibrator; found {type_name}")
    n_trees = len(calibrator.fallbacks_)
    if tree not in range(n_trees):
        raise ValueError(f"tree must be an integer from 0 to {n_trees - 1}; found {tree!r}")
    ax = one_axes(ax)
    parts = [part for part in calibrator.parts_ if part.tree == tree and part.n_points > 0]
    lowest = min(part.score_range[0] for part in parts)
    highest = max(part.score_range[1] for part in parts)
    scores = np.linspace(lowest, highest, 501)
    of_all_points = calibrator.fallbacks_[tree].predict(scores)
    ax.plot(scores, of_all_points, color="0.8", linewidth=5, label="all points", zorder=1)
    colors = pyplot().get_cmap("viridis")(np.linspace(0, 0.9, len(parts)))
    for part, color in zip(parts, colors, strict=True):
        lowest, highest = part.score_range
        scores = np.linspace(lowest, highest, 501)
        line = "--" if part.fallback else "-"
        label = f"{part.rule} ({part.n_points})"
        ax.plot(scores, part.calibrator.predict(scores), line, color=color, label=label)
    ax.set(xlabel="Score", ylabel="Probability of class 1", ylim=(-0.02, 1.02))
    ax.legend(fontsize=9, title="Part (calibration points)", title_fontsize=9)
    return ax


def forest_plot(
    intervals: Mapping[str, Interval], *, styles: Styles | None = None, ax: "Axes | None" = None
) -> "Axes":
    """Draw an estimate and its interval for each method, one below the other, and a line at 0.

    Parameters
    ----------
    intervals : dict of str to Interval
        By name of method. An estimate that is not finite is written instead of drawn.
    styles : dict of str to dict, optional
        As in `reliability_diagram`.
    ax : matplotlib Axes, optional

    Returns
    -------
    ax : matplotlib Axes

    Raises
    ------
    ValueError
        For input that is not as described. The message names the argument.
    ImportError
        If matplotlib is not installed.

    Examples
    --------
    >>> from calibkit import diagrams
    >>> from calibkit.inference import Interval
    >>> ax = diagrams.forest_plot({"Platt": Interval(0.02, 0.01, 0.03, 0.005)})
    >>> [text.get_text() for text in ax.get_yticklabels()]
    ['Platt']
    """
    check_named(intervals, "intervals")
    ax = one_axes(ax)
    ax.axvline(0, color="0.6", linestyle="--", linewidth=1, zorder=1)
    for row, (name, style) in enumerate(line_styles(intervals, styles).items()):
        mean, lower, upper, _ = intervals[name]
        if np.isfinite([mean, lower, upper]).all():
            ax.errorbar(mean, row, xerr=[[mean - lower], [upper - mean]], capsize=3, **style)
        else:
            ax.annotate(
                _estimate_in_words(mean),
                (0.02, row),
                xycoords=("axes fraction", "data"),
                va="center",
            )
    ax.set_yticks(range(len(intervals)), list(intervals))
    ax.set_ylim(len(intervals) - 0.5, -0.5)
    return ax


def _estimate_in_words(number):
    """An estimate without a finite interval, in words."""
    if np.isinf(number):
        return "infinite" if number > 0 else "minus infinity"
    return "not defined" if np.isnan(number) else f"{number:.3g}, without an interval"


def weights_plot(calibrator: Any, *, ax: "Axes | None" = None) -> "Axes":
    """Draw the weight of each member of a fitted `StackedCalibrator`, one below the other.

    Parameters
    ----------
    calibrator : fitted StackedCalibrator
        The classes may be two or more.
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
    >>> from calib import PlattScaling, StackedCalibrator, VennAbers
    >>> from calibkit import diagrams
    >>> stacked = StackedCalibrator([PlattScaling(), VennAbers()])
    >>> stacked = stacked.fit([0.1, 0.4, 0.6, 0.9], [0, 1, 0, 1])
    >>> ax = diagrams.weights_plot(stacked)
    >>> [text.get_text() for text in ax.get_yticklabels()]
    ['PlattScaling()', 'VennAbers()']
    """
    check_is_fitted(calibrator)
    if not (hasattr(calibrator, "weights_") and hasattr(calibrator, "calibrators_")):
        type_name = type(calibrator).__name__
        raise ValueError(f"calibrator must be a StackedCalibrator; found {type_name}")
    ax = one_axes(ax)
    rows = range(len(calibrator.weights_))
    bars = ax.barh(rows, calibrator.weights_, color="#0072B2")
    ax.bar_label(bars, fmt="%.2f", padding=3, fontsize=9)
    ax.set_yticks(rows, [str(member) for member in calibrator.calibrators_])
    ax.set(xlabel="Weight", xlim=(0, 1), ylim=(len(rows) - 0.5, -0.5))
    return ax
