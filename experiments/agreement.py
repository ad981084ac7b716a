"""The figure of the scoreboard: what agrees of each paper, and what would of the wrong rows."""

import matplotlib.pyplot as plt

from experiments.baselines import FITS, PLAIN, PROTOCOL, SHARES, Share, total
from experiments.ledger import read_ledger
from experiments.registry import papers

LOOKS = {  # from the back: a reading, its words, how wide and how dark its bar is
    FITS: ("with fits, too", 0.66, "#e3e9ef"),
    PROTOCOL: ("one protocol a paper", 0.66, "#7fb0d6"),
    PLAIN: ("as described", 0.3, "#0b4f8a"),
}


def agreement():
    """Draw a row for each paper and one for all.

    Returns
    -------
    figure : matplotlib.figure.Figure
    """
    kept = read_ledger(SHARES, Share)
    found = {
        reading: [*(one for one in kept if one.reading == reading), total(kept, reading)]
        for reading in LOOKS
    }
    names = [papers()[one.paper].short for one in found[PLAIN][:-1]] + ["all"]
    figure, ax = plt.subplots(figsize=(6.4, 2.9))
    for reading, (words, width, color) in LOOKS.items():
        shares = [_percent(one, "settled") for one in found[reading]]
        ax.barh(names, shares, width, color=color, label=words)
    wrong = [_percent(one, "wrong") for one in found[PROTOCOL]]
    places = range(len(names))
    ends = [[k + side for k in places] for side in [-0.4, 0.4]]
    ax.vlines(wrong, *ends, color="#b5480a", lw=2.5, label="wrong row, by one protocol")
    ax.set(xlim=(0, 100), xlabel="Printed numbers that agree (%)")
    ax.invert_yaxis()
    handles, words = ax.get_legend_handles_labels()
    order = [2, 1, 0, 3]
    ax.legend(
        [handles[k] for k in order],
        [words[k] for k in order],
        loc="lower center",
        bbox_to_anchor=(0.45, 1.0),
        ncols=2,
        frameon=False,
    )
    return figure


def _percent(share, name):
    return 100 * getattr(share, name) / share.comparable
