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
}
_SPARE_STYLES = [
    {"color": "#666666", "marker": "<"},
    {"color": "#A6761D", "marker": ">"},
    {"color": "#7570B3", "marker": "p"},
    {"color": "#1B9E77", "marker": "d"},
    {"color": "#E7298A", "marker": "8"},
]


def styles_of(names: Iterable[str]) -> dict[str, dict[str, str]]:
    """Colour and marker for each of `names`: its own if it is a known method, else a spare one."""
    spare = itertools.cycle(_SPARE_STYLES)
    return {name: METHOD_STYLES.get(name) or next(spare) for name in names}
