"""Reliability diagrams: by bins with intervals, and by isotonic regression with a band."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, logit

from calib.base.arrays import check_sample
from calib.base.options import check_choice
from calib.metrics.corp import corp_curve, score_decomposition
from calib.metrics.reliability import bin_sample
from calibkit.diagrams.canvas import Styles, check_named, line_styles, pair_of_axes
from calibkit.inference.bands import confidence_band, consistency_band
from calibkit.inference.clusters import codes_of, parts_of
from calibkit.inference.digits import decimals_between

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MIN_STEP = 0.01  # of predicted probability between points that a line joins


def reliability_diagram(
    labels: ArrayLike,
    predictions: ArrayLike | Mapping[str, ArrayLike],
    *,
    n_bins: int | str = 10,
    strategy: str = "quantile",
    ties: str = "group",
    scale: str = "score",
    sample_weight: ArrayLike | None = None,
    styles: Styles | None = None,
    axes: "Iterable[Axes] | None" = None,
) -> "tuple[Axes, Axes]":
    """Observed fraction against predicted probability, above the distribution of predictions.

    Vertical bars are 95 % Clopper-Pearson intervals. The diagonal is perfect calibration. The
    legend states the expected calibration error over the same bins. A line joins the points unless
    some stand nearly one above the other.

    Parameters
    ----------
    labels : array-like of shape (n,)
        Outcomes, 0/1 or bool.
    predictions : array-like of shape (n,), or dict of str to such arrays
        Probabilities of class 1. A dictionary has them by name of method.
    n_bins, strategy, ties, sample_weight
        As in `calib.metrics.reliability_curve`.
    scale : {"score", "logit"}, default="score"
        Scale of both axes: probabilities, or their log-odds, on which rare positives fill more than
        a corner. There 0 and 1 lie at infinity. A bin without positives shows its upper limit only.
    styles : dict of str to dict, optional
        Properties of matplotlib's lines by name of method, such as its colour and marker. A name
        that is missing gets the next colour and marker of a cycle.
    axes : pair of matplotlib Axes, optional
        For the diagram and for the histogram below it. By default a new figure.

    Returns
    -------
    top, bottom : matplotlib Axes

    Raises
    ------
    ValueError
        For input that is not as described. The message names the argument.
    ImportError
        If matplotlib is not installed.

    Examples
    --------
    >>> import numpy as np
    >>> from calibkit.diagrams import reliability_diagram
    >>> rng = np.random.default_rng(0)
    >>> p = rng.random(500)
    >>> top, bottom = reliability_diagram(rng.random(500) < p, p)
    >>> top.get_ylabel(), top.get_legend().get_texts()[0].get_text()
    ('Observed fraction', 'ECE 0.035')
    """
    samples = _samples(labels, predictions, None, sample_weight)
    edges = _edges_on_scale(samples, scale)
    curves = {
        name: bin_sample(z, p, weights, n_bins=n_bins, strategy=strategy, ties=ties)
        for name, (z, p, weights) in samples.items()
    }
    top, bottom = pair_of_axes(axes)
    for name, style in line_styles(samples, styles).items():
        _, probabilities, weights = samples[name]
        curve = curves[name]
        error = _measure_in_words("ECE", curve.ece)
        label = error if name is None else f"{name} ({error})"
        top.errorbar(
            curve.predicted,
            curve.observed,
            [curve.observed - curve.lower, curve.upper - curve.observed],
            linewidth=1.2,
            elinewidth=0.8,
            capsize=2,
            **(_line_through(curve.predicted) | style | {"label": label}),
        )
        _histogram(bottom, edges, probabilities, weights, style["color"])
    return _finished(top, bottom, edges, scale)


def _line_through(predicted):
    """No line through points that stand nearly one above the other."""
    crowded = np.diff(predicted).min(initial=1) < MIN_STEP
    return {"linestyle": ""} if crowded else {}


def corp_diagram(
    labels: ArrayLike,
    predictions: ArrayLike | Mapping[str, ArrayLike],
    *,
    groups: ArrayLike | None = None,
    band: str | None = "consistency",
    scale: str = "score",
    sample_weight: ArrayLike | None = None,
    styles: Styles | None = None,
    axes: "Iterable[Axes] | None" = None,
) -> "tuple[Axes, Axes]":
    """Isotonic reliability curve with a band, above the distribution of predictions.

    The legend states miscalibration (MCB) and discrimination (DSC) by the Brier score.

    Parameters
    ----------
    labels : array-like of shape (n,)
        Outcomes, 0/1 or bool.
    predictions : array-like of shape (n,), or dict of str to such arrays
        Probabilities of class 1. A dictionary has them by name of method.
    groups : array-like of shape (n,), optional
        Numbers or strings: a curve for each group. `predictions` is then one array.
    band : {"consistency", "confidence"} or None, default="consistency"
        `consistency_band`, 90 % at each point around the diagonal: the play of chance; or
        `confidence_band` of `calib.metrics`, 95 % around the whole true calibration function, if it
        increases.
    scale : {"score", "logit"}, default="score"
        Scale of both axes, as in `reliability_diagram`.
    sample_weight : array-like of shape (n,), optional
        Counts. A row of weight w stands for w rows. Not negative.
    styles : dict of str to dict, optional
        As in `reliability_diagram`, by name of method or of group. Only colours are used.
    axes : pair of matplotlib Axes, optional
        For the diagram and for the histogram below it. By default a new figure.

    Returns
    -------
    top, bottom : matplotlib Axes

    Raises
    ------
    ValueError
        For input that is not as described. The message names the argument.
    ImportError
        If matplotlib is not installed.

    Examples
    --------
    >>> from calibkit import diagrams
    >>> top, bottom = diagrams.corp_diagram([0, 1, 0, 1], [0.1, 0.3, 0.4, 0.8])
    >>> top.get_legend().get_texts()[0].get_text()
    'MCB 0.050, DSC 0.125'
    """
    if band is not None:
        check_choice(band, ["consistency", "confidence"], "band")
    samples = _samples(labels, predictions, groups, sample_weight)
    edges = _edges_on_scale(samples, scale)
    top, bottom = pair_of_axes(axes)
    for name, style in line_styles(samples, styles).items():
        z, p, weights = samples[name]
        color = style["color"]
        curve = corp_curve(z, p, sample_weight=weights)
        parts = score_decomposition(z, p, sample_weight=weights)
        text = (
            f"{_measure_in_words('MCB', parts.miscalibration)}, "
            f"{_measure_in_words('DSC', parts.discrimination)}"
        )
        label = text if name is None else f"{name} ({text})"
        top.plot(curve.predicted, curve.recalibrated, color=color, label=label)
        if band is not None:
            band_of = consistency_band if band == "consistency" else confidence_band
            limits = band_of(z, p, sample_weight=weights)
            top.fill_between(
                limits.predicted, limits.lower, limits.upper, color=color, alpha=0.15, lw=0
            )
        _histogram(bottom, edges, p, weights, color)
    return _finished(top, bottom, edges, scale)


def _edges_on_scale(samples, scale):
    """Edges within [0, 1], or, on the scale of log-odds, within the range of the predictions."""
    check_choice(scale, ["score", "logit"], "scale")
    if scale == "score":
        return np.linspace(0, 1, 26)
    predictions = np.concatenate([probabilities for _, probabilities, _ in samples.values()])
    inner = predictions[(predictions > 0) & (predictions < 1)]
    ends = np.quantile(inner, [0.001, 0.999]) if inner.size else np.array([0.5, 0.5])
    low, high = logit(ends) + [-0.7, 0.7]  # half and twice the odds; few predictions lie beyond
    return expit(np.linspace(low, high, 26))


def _histogram(ax, edges, probabilities, weights, color):
    ax.hist(probabilities, edges, weights=weights, histtype="step", color=color)


def _finished(top, bottom, edges, scale):
    limits = (-0.02, 1.02) if scale == "score" else (edges[0], edges[-1])
    top.set(xlim=limits, ylim=limits, ylabel="Observed fraction")
    bottom.set(xlim=limits)
    if scale == "logit":  # after the limits, because matplotlib would look for them at infinity
        for set_scale in (top.set_xscale, top.set_yscale, bottom.set_xscale):
            set_scale("logit", nonpositive="clip")
    top.set_box_aspect(1)
    bottom.set_box_aspect(1 / 4)  # the box is as wide as the square above it
    top.legend(loc="upper left", fontsize=9)
    bottom.set(xlabel="Predicted probability", ylabel="Count")
    return top, bottom


def _measure_in_words(name, value):
    """Name and value, with three decimals or two significant digits."""
    return f"{name} {value:.{max(3, decimals_between(-value, value, shown=2))}f}"


def _samples(labels, predictions, groups, sample_weight):
    """Checked samples (labels, probabilities, weights) by the name of the method or group."""
    named = predictions if isinstance(predictions, Mapping) else {None: predictions}
    check_named(named, "predictions")
    samples = {}
    for name, probabilities in named.items():
        argument = "predictions" if name is None else f"predictions[{name!r}]"
        samples[name] = check_sample(
            labels, probabilities, sample_weight, name=argument, counts=True
        )
    if groups is None:
        return samples
    if None not in samples:
        raise ValueError("groups must be None where predictions is a dictionary: draw one of them")
    size = np.size(predictions)
    names, codes = codes_of(groups, size, name="groups", other="predictions")
    if sample_weight is not None:
        codes = codes[np.asarray(sample_weight, np.float64) > 0]
    parts = zip(names, parts_of(samples[None], codes), strict=False)
    return {str(name): part for name, part in parts if part[0].size}
