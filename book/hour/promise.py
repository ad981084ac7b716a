"""Predicted probabilities and observed fractions, band by band."""

from itertools import pairwise

import matplotlib.pyplot as plt
import numpy as np
from census import BANDS, halves

_, new = halves()
bands = np.digitize(new.scores, BANDS[1:-1])
_, axes = plt.subplots(figsize=(5.6, 3))
for k in range(len(BANDS) - 1):
    predicted, observed = new.scores[bands == k].mean(), new.labels[bands == k].mean()
    axes.plot([k, k], [predicted, observed], color="0.7", zorder=0)
    labels = ("predicted", "observed") if k == 0 else (None, None)
    axes.plot(k, predicted, "o", color="C0", markersize=9, label=labels[0])
    axes.plot(k, observed, "s", color="C1", markersize=9, label=labels[1])
names = [f"{low:.0%} to {high:.0%}" for low, high in pairwise(BANDS)]
axes.set_xticks(range(len(names)), names)
axes.set(ylim=(0, 1), xlabel="predicted probability", ylabel="fraction above 50,000")
axes.legend()
