"""Pictures, reliability diagrams and calibration maps.

A method has the same colour and marker in every picture: those in `METHOD_STYLES`, to which entries
may be added, or else a spare one. Nothing here changes matplotlib's settings; a notebook that wants
the look of the book does ``plt.rcParams.update(diagrams.STYLE)``. Matplotlib itself is imported
when the first picture is drawn.
"""

import itertools
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from calib.contract.validation import check_choice, check_sample, check_scores
from calib.diagrams.canvas import one_axes, pair_of_axes, pyplot
from calib.metrics.bands import confidence_band, consistency_band
from calib.metrics.binned import bin_sample
from calib.metrics.corp import corp_curve, score_decomposition
from calib.metrics.discrimination import codes_of
from calib.metrics.intervals import Interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "METHOD_STYLES",
    "STYLE",
    "calibration_map",
    "corp_diagram",
    "forest_plot",
    "partition_map",
    "reliability_diagram",
    "styles_of",
]

STYLE = {
    "figure.figsize": (5.6, 3.6),
    "figure.dpi": 100,
    "savefig.dpi": 144,
    "savefig.bbox": "tight",
    "figure.constrained_layout.use": True,
    "figure.facecolor": "none",  # pages are light or dark
    "axes.facecolor": "none",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": "medium",
    "legend.frameon": False,
    "lines.linewidth": 1.5,
    "lines.markersize": 5,
}

# Okabe and Ito's palette, safe for colour-blind readers; markers keep methods apart in grey
METHOD_STYLES = {
    "Raw": {"color": "#000000", "marker": "o"},
    "Histogram": {"color": "#0072B2", "marker": "s"},
    "Platt": {"color": "#E69F00", "marker": "^"},
    "Isotonic": {"color": "#009E73", "marker": "v"},
    "KDE": {"color": "#D55E00", "marker": "D"},
    "DPM": {"color": "#CC79A7", "marker": "P"},
    "BBQ": {"color": "#56B4E9", "marker": "X"},
    "ENIR": {"color": "#7F3C8D", "marker": "*"},
    "Venn-Abers": {"color": "#8C564B", "marker": "h"},
}
_SPARE_STYLES = [
    {"color": "#666666", "marker": "<"},
    {"color": "#A6761D", "marker": ">"},
    {"color": "#7570B3", "marker": "p"},
    {"color": "#1B9E77", "marker": "d"},
    {"color": "#E7298A", "marker": "8"},
]


def styles_of(names: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Colour and marker for each of `names`: its own if it is a known method, else a spare one."""
    spare = itertools.cycle(_SPARE_STYLES)
    return {name: METHOD_STYLES.get(name) or next(spare) for name in names}


def reliability_diagram(
    labels: ArrayLike,
    predictions: ArrayLike | Mapping[str, ArrayLike],
    *,
    n_bins: int | str = 10,
    strategy: str = "quantile",
    ties: str = "group",
    sample_weight: ArrayLike | None = None,
    axes: "Iterable[Axes] | None" = None,
) -> "tuple[Axes, Axes]":
    """Observed fraction against predicted probability, above the distribution of predictions.

    Vertical bars are 95 % Clopper-Pearson intervals; the diagonal is perfect calibration; the
    legend states the expected calibration error over the same bins.

    Parameters
    ----------
    labels : array-like of shape (n,)
        Outcomes, 0/1 or bool.
    predictions : array-like of shape (n,), or dict of str to such arrays
        Probabilities of class 1; a dictionary has them by name of method.
    n_bins, strategy, ties, sample_weight
        As in `calib.metrics.reliability_curve`.
    axes : pair of matplotlib Axes, optional
        For the diagram and for the histogram below it; by default a new figure.

    Returns
    -------
    top, bottom : matplotlib Axes

    Raises
    ------
    ValueError
        For input that is not as described; the message names the argument.
    ImportError
        If matplotlib is not installed.

    Examples
    --------
    >>> import numpy as np
    >>> from calib import reliability_diagram
    >>> rng = np.random.default_rng(0)
    >>> p = rng.random(500)
    >>> top, bottom = reliability_diagram(rng.random(500) < p, p)
    >>> top.get_ylabel(), top.get_legend().get_texts()[0].get_text()
    ('Observed fraction', 'ECE 0.035')
    """
    samples = _samples(labels, predictions, None, sample_weight)
    styles = {None: METHOD_STYLES["Raw"]} if None in samples else styles_of(samples)
    curves = {
        name: bin_sample(*sample, n_bins=n_bins, strategy=strategy, ties=ties)
        for name, sample in samples.items()
    }
    top, bottom = pair_of_axes(axes)
    for name, (_, probabilities, weights) in samples.items():
        curve, style = curves[name], styles[name]
        error = f"ECE {curve.ece:.3f}"
        top.errorbar(
            curve.predicted,
            curve.observed,
            [curve.observed - curve.lower, curve.upper - curve.observed],
            label=error if name is None else f"{name} ({error})",
            linewidth=1.2,
            elinewidth=0.8,
            capsize=2,
            **style,
        )
        _histogram(bottom, probabilities, weights, style["color"])
    return _finished(top, bottom)


def corp_diagram(
    labels: ArrayLike,
    predictions: ArrayLike | Mapping[str, ArrayLike],
    *,
    groups: ArrayLike | None = None,
    band: str | None = "consistency",
    sample_weight: ArrayLike | None = None,
    axes: "Iterable[Axes] | None" = None,
) -> "tuple[Axes, Axes]":
    """Isotonic reliability curve with a band, above the distribution of predictions.

    The legend states miscalibration (MCB) and discrimination (DSC) by the Brier score.

    Parameters
    ----------
    labels : array-like of shape (n,)
        Outcomes, 0/1 or bool.
    predictions : array-like of shape (n,), or dict of str to such arrays
        Probabilities of class 1; a dictionary has them by name of method.
    groups : array-like of shape (n,), optional
        Numbers or strings: a curve for each group; `predictions` is then one array.
    band : {"consistency", "confidence"} or None, default="consistency"
        `consistency_band`, 90 % at each point around the diagonal: the play of chance; or
        `confidence_band` of `calib.metrics`, 95 % around the truth as a whole, if that increases.
    sample_weight : array-like of shape (n,), optional
        Non-negative weights; they are counts.
    axes : pair of matplotlib Axes, optional
        For the diagram and for the histogram below it; by default a new figure.

    Returns
    -------
    top, bottom : matplotlib Axes

    Raises
    ------
    ValueError
        For input that is not as described; the message names the argument.
    ImportError
        If matplotlib is not installed.

    Examples
    --------
    >>> from calib import diagrams
    >>> top, bottom = diagrams.corp_diagram([0, 1, 0, 1], [0.1, 0.3, 0.4, 0.8])
    >>> top.get_legend().get_texts()[0].get_text()
    'MCB 0.050, DSC 0.125'
    """
    if band is not None:
        check_choice(band, ["consistency", "confidence"], "band")
    samples = _samples(labels, predictions, groups, sample_weight)
    styles = {None: METHOD_STYLES["Raw"]} if None in samples else styles_of(samples)
    top, bottom = pair_of_axes(axes)
    for name, (z, p, weights) in samples.items():
        color = styles[name]["color"]
        curve = corp_curve(z, p, sample_weight=weights)
        parts = score_decomposition(z, p, sample_weight=weights)
        text = f"MCB {parts.miscalibration:.3f}, DSC {parts.discrimination:.3f}"
        label = text if name is None else f"{name} ({text})"
        top.plot(curve.predicted, curve.recalibrated, color=color, label=label)
        if band is not None:
            limits = consistency_band if band == "consistency" else confidence_band
            limits = limits(z, p, sample_weight=weights)
            grid = limits.predicted
            top.fill_between(grid, limits.lower, limits.upper, color=color, alpha=0.15, lw=0)
        _histogram(bottom, p, weights, color)
    return _finished(top, bottom)


def calibration_map(
    calibrators: Mapping[str, Any],
    *,
    scores: ArrayLike | None = None,
    truth: Callable[[np.ndarray], ArrayLike] | None = None,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw fitted calibrators as functions of the score.

    Parameters
    ----------
    calibrators : dict of str to fitted calibrator
        By name of method.
    scores : array-like of shape (k,), optional
        Where to evaluate, increasing; by default 501 points of [0, 1].
    truth : callable, optional
        The true P(z = 1 | score), drawn as a grey band behind the maps.
    ax : matplotlib Axes, optional

    Returns
    -------
    ax : matplotlib Axes

    Raises
    ------
    ValueError
        For input that is not as described; the message names the argument.
    ImportError
        If matplotlib is not installed.

    Examples
    --------
    >>> from calib import PlattScaling, diagrams
    >>> platt = PlattScaling().fit([0.1, 0.4, 0.6, 0.9], [0, 1, 0, 1])
    >>> diagrams.calibration_map({"Platt": platt}).get_xlabel()
    'Score'
    """
    _check_named(calibrators, "calibrators")
    scores = np.linspace(0, 1, 501) if scores is None else check_scores(scores)
    ax = one_axes(ax)
    if truth is not None:
        ax.plot(scores, truth(scores), color="0.8", linewidth=5, label="Truth", zorder=1)
    apart = max(1, scores.size // 10)  # scores between two markers of a map
    for i, (name, style) in enumerate(styles_of(calibrators).items()):
        marked = (i * apart // len(calibrators), apart)  # those of the maps take turns
        ax.plot(scores, calibrators[name].predict(scores), label=name, markevery=marked, **style)
    ax.set(xlabel="Score", ylabel="Probability of class 1", ylim=(-0.02, 1.02))
    ax.legend(fontsize=9)
    return ax


def partition_map(calibrator: Any, *, tree: int = 0, ax: "Axes | None" = None) -> "Axes":
    """Draw the map of each part of a fitted `HeterogeneousCalibrator`.

    A map is drawn over the scores that its part was calibrated on, dashed where the part was too
    small and has the calibrator of the whole sample; that one is the grey band behind.

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
    >>> from calib import HeterogeneousCalibrator, diagrams
    >>> groups, scores = ["north", "south"] * 4, [-2, -2, -1, -1, 1, 1, 2, 2]
    >>> calibrator = HeterogeneousCalibrator(0, min_part_size=2)
    >>> ax = diagrams.partition_map(calibrator.fit(groups, scores, [0, 0, 0, 1, 1, 0, 1, 1]))
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['all points', 'x0 = north (4)', 'x0 = south (4)']
    """
    check_is_fitted(calibrator)
    if not hasattr(calibrator, "parts_"):
        found = type(calibrator).__name__
        raise ValueError(f"calibrator must be a HeterogeneousCalibrator; found {found}")
    n_trees = len(calibrator.fallbacks_)
    if tree not in range(n_trees):
        raise ValueError(f"tree must be an integer from 0 to {n_trees - 1}; found {tree!r}")
    ax = one_axes(ax)
    parts = [part for part in calibrator.parts_ if part.tree == tree and part.n_points > 0]
    lowest, highest = zip(*(part.score_range for part in parts), strict=True)
    scores = np.linspace(min(lowest), max(highest), 501)
    together = calibrator.fallbacks_[tree].predict(scores)
    ax.plot(scores, together, color="0.8", linewidth=5, label="all points", zorder=1)
    colors = pyplot().get_cmap("viridis")(np.linspace(0, 0.9, len(parts)))
    for part, color in zip(parts, colors, strict=True):
        scores = np.linspace(*part.score_range, 501)
        ax.plot(
            scores,
            part.calibrator.predict(scores),
            color=color,
            linestyle="--" if part.fallback else "-",
            label=f"{part.rule} ({part.n_points})",
        )
    ax.set(xlabel="Score", ylabel="Probability of class 1", ylim=(-0.02, 1.02))
    ax.legend(fontsize=9, title="Part (calibration points)", title_fontsize=9)
    return ax


def forest_plot(intervals: Mapping[str, Interval], *, ax: "Axes | None" = None) -> "Axes":
    """Draw an estimate and its interval for each method, one below the other, and a line at 0.

    Parameters
    ----------
    intervals : dict of str to Interval
        By name of method. An estimate that is not finite is written and not drawn.
    ax : matplotlib Axes, optional

    Returns
    -------
    ax : matplotlib Axes

    Raises
    ------
    ValueError
        For input that is not as described; the message names the argument.
    ImportError
        If matplotlib is not installed.

    Examples
    --------
    >>> from calib import diagrams
    >>> from calib.metrics import Interval
    >>> ax = diagrams.forest_plot({"Platt": Interval(0.02, 0.01, 0.03, 0.005)})
    >>> [text.get_text() for text in ax.get_yticklabels()]
    ['Platt']
    """
    _check_named(intervals, "intervals")
    ax = one_axes(ax)
    ax.axvline(0, color="0.6", linestyle="--", linewidth=1, zorder=1)
    for place, (name, style) in enumerate(styles_of(intervals).items()):
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


def _histogram(ax, probabilities, weights, color):
    edges = np.linspace(0, 1, 26)
    ax.hist(probabilities, edges, weights=weights, histtype="step", color=color)


def _finished(top, bottom):
    top.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), ylabel="Observed fraction")
    top.set_box_aspect(1)
    bottom.set_box_aspect(1 / 4)  # as wide as the square above it
    top.legend(loc="upper left", fontsize=9)
    bottom.set(xlabel="Predicted probability", ylabel="Count")
    return top, bottom


def _samples(labels, predictions, groups, sample_weight):
    """Clean samples by the name of the method or of the group."""
    named = predictions if isinstance(predictions, Mapping) else {None: predictions}
    _check_named(named, "predictions")
    samples = {}
    for name, probabilities in named.items():
        argument = "predictions" if name is None else f"predictions[{name!r}]"
        sample = check_sample(labels, probabilities, sample_weight, name=argument, counts=True)
        samples[name] = sample
    if groups is None:
        return samples
    if None not in samples:
        raise ValueError("groups must be None where predictions is a dictionary: draw one of them")
    size = np.size(predictions)
    names, codes = codes_of(groups, size, name="groups", other="predictions")
    if sample_weight is not None:
        codes = codes[np.asarray(sample_weight, np.float64) > 0]
    rows = {str(name): codes == code for code, name in enumerate(names) if code in codes}
    columns = samples[None]
    return {
        name: tuple(None if column is None else column[here] for column in columns)
        for name, here in rows.items()
    }


def _check_named(values, name):
    if not isinstance(values, Mapping) or not values:
        found = "an empty one" if isinstance(values, Mapping) else type(values).__name__
        raise ValueError(f"{name} must be a dictionary with at least one entry; found {found}")
