"""The reliability curve with its band, from few rows and from all."""

import matplotlib.pyplot as plt
import numpy as np
from census import FEW, halves

from calib.metrics import corp_curve
from calibkit.inference import confidence_band

_, new = halves()
_, panels = plt.subplots(1, 2, figsize=(5.6, 3.4), sharey=True)
share = []


def width(size):
    """Mean width of the band from so many rows."""
    rows, grid = new.take(slice(size)), np.linspace(0.05, 0.95, 50)
    band = confidence_band(rows.labels, rows.scores, confidence=0.95)
    limits = (np.interp(grid, band.predicted, ends) for ends in (band.upper, band.lower))
    return np.mean(np.subtract(*limits))


for axes, size in zip(panels, [FEW, new.labels.size], strict=True):
    rows = new.take(slice(size))
    band = confidence_band(rows.labels, rows.scores, confidence=0.95)
    curve = corp_curve(rows.labels, rows.scores)
    axes.plot([0, 1], [0, 1], color="0.7", linestyle=":")
    axes.fill_between(band.predicted, band.lower, band.upper, alpha=0.3, linewidth=0)
    axes.plot(curve.predicted, curve.recalibrated)
    outside = (band.upper < band.predicted) | (band.lower > band.predicted)
    middle = (0.3 < band.predicted) & (band.predicted < 0.7)
    share.append(np.mean(outside[middle]))
    axes.set(xlim=(0, 1), ylim=(0, 1), xlabel="score", title=f"{size:,} cases")
panels[0].set_ylabel("fraction of positives")
assert share[0] < 0.5 and share[1] == 1
assert 0.6 < width(6000) / width(1500) < 0.75
