"""Colours and markers of the methods, the same in every picture of the book."""

import itertools
from collections.abc import Iterable

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
    "Isotonic, centred": {"color": "#117733", "marker": "d"},
    "Spline": {"color": "#7570B3", "marker": "p"},
    "Temperature": {"color": "#999933", "marker": "8"},
    "Average": {"color": "#E7298A", "marker": "<"},
    "Cautious average": {"color": "#A6761D", "marker": ">"},
}
_SPARE_STYLES = [
    {"color": "#666666", "marker": "H"},
    {"color": "#332288", "marker": "x"},
    {"color": "#AA4499", "marker": "+"},
    {"color": "#661100", "marker": "1"},
    {"color": "#88CCEE", "marker": "2"},
]


def styles_of(names: Iterable[str]) -> dict[str, dict[str, str]]:
    """Colour and marker for each of `names`: its own if it is a known method, else a spare one."""
    spare = itertools.cycle(_SPARE_STYLES)
    return {name: METHOD_STYLES.get(name) or next(spare) for name in names}
