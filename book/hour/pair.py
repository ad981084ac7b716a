"""The two probabilities of Venn-Abers prediction, from sixty cases."""

import matplotlib.pyplot as plt
import numpy as np

from calib import VennAbers
from calibkit.datasets import LAWS

scores, labels = LAWS["underconfident"].sample(60, 17)
grid = np.linspace(0, 1, 501)
lower, upper = VennAbers().fit(scores, labels).predict_interval(grid)
_, axes = plt.subplots(figsize=(5.6, 3.2))
axes.fill_between(grid, lower, upper, alpha=0.3, linewidth=0)
axes.plot(grid, lower, grid, upper, color="C0")
axes.plot(scores, 1.08 * labels - 0.04, "|", color="0.4")
axes.set(xlim=(0, 1), xlabel="score", ylabel="probability")
