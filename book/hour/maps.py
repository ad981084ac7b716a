"""Two maps from the score to a probability."""

import matplotlib.pyplot as plt
import numpy as np
from census import LINE, halves

import calib
from experiments.styles import METHOD_STYLES

learn, _ = halves()
grid = np.linspace(0.001, 0.999, 999)
_, axes = plt.subplots(figsize=(5, 3.6))
axes.plot([0, 1], [0, 1], color="0.7", linestyle=":")
for name, method, like in [
    ("a line in the logits", LINE, "Platt"),
    ("isotonic regression", calib.IsotonicCalibrator(), "Isotonic"),
]:
    p = method.fit(learn.scores, learn.labels).predict(grid)
    axes.plot(grid, p, color=METHOD_STYLES[like]["color"], label=name)
axes.set(xlim=(0, 1), ylim=(0, 1), xlabel="score", ylabel="calibrated probability")
axes.legend()
