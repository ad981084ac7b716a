"""The look of the pictures, and the colours and markers by which methods are told apart."""

import itertools
from collections.abc import Iterable, Mapping
from typing import Any

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

# Okabe and Ito's palette, safe for colour-blind readers; markers keep methods apart in grey, and
# when colours come round again
COLORS = ["#000000", "#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9"]
MARKERS = ["o", "s", "^", "v", "D", "P", "X", "*", "h", "<", ">"]

Styles = Mapping[str, Mapping[str, Any]]


def line_styles(names: Iterable[str], styles: Styles | None) -> dict[str, dict[str, Any]]:
    """Properties of the line of each of `names`: its own in `styles`, before those of its turn."""
    turns = zip(itertools.cycle(COLORS), itertools.cycle(MARKERS), strict=False)
    return {
        name: {"color": color, "marker": marker, **(styles or {}).get(name, {})}
        for name, (color, marker) in zip(names, turns, strict=False)
    }
