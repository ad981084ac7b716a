"""The look of pictures, and the axes on which they are drawn: given axes, or a new figure's."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

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

# Okabe and Ito's palette, safe for colour-blind readers. Markers keep methods apart in grey, and
# when the colours repeat.
COLORS = ["#000000", "#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9"]
MARKERS = ["o", "s", "^", "v", "D", "P", "X", "*", "h", "<", ">"]

Styles = Mapping[str, Mapping[str, Any]]


def line_styles(names: Iterable[str], styles: Styles | None) -> dict[str, dict[str, Any]]:
    """Properties of the line of each of `names`: a colour and a marker in turn, then `styles`."""
    properties = {}
    for i, name in enumerate(names):
        default = {"color": COLORS[i % len(COLORS)], "marker": MARKERS[i % len(MARKERS)]}
        properties[name] = {**default, **(styles or {}).get(name, {})}
    return properties


def pyplot():
    """matplotlib.pyplot, or an `ImportError` that says how to get it."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError(
            f"matplotlib is needed ({error}): install it, or this package with its extra 'plots'"
        ) from error
    return plt


def one_axes(ax):
    """Return `ax`, or the axes of a new figure."""
    plt = pyplot()
    if ax is None:
        return plt.subplots(layout="constrained")[1]
    if not isinstance(ax, plt.Axes):
        raise ValueError(f"ax must be matplotlib Axes; found {type(ax).__name__}")
    return ax


def pair_of_axes(axes):
    """Return `axes`, or the axes of a new figure, with the diagonal on the upper ones."""
    plt = pyplot()
    if axes is None:
        _, axes = plt.subplots(
            2, 1, sharex=True, figsize=(4.6, 5.4), height_ratios=[4, 1], layout="compressed"
        )
    pair = list(axes) if np.iterable(axes) else [axes]
    if len(pair) != 2 or not all(isinstance(ax, plt.Axes) for ax in pair):
        raise ValueError(
            "axes must be a pair of matplotlib Axes, for the diagram and for the histogram below "
            f"it; found {', '.join(type(ax).__name__ for ax in pair) or 'none'}"
        )
    pair[0].plot([0, 1], [0, 1], color="0.6", linestyle="--", linewidth=1, zorder=1)
    return pair


def check_named(values, name):
    """Raise unless `values` is a dictionary with at least one entry."""
    if not isinstance(values, Mapping) or not values:
        given = "an empty one" if isinstance(values, Mapping) else type(values).__name__
        raise ValueError(f"{name} must be a dictionary with at least one entry; found {given}")
