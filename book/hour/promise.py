"""What the scores said and what came, band by band."""

from itertools import pairwise

import matplotlib.pyplot as plt
import numpy as np
from census import BANDS, halves

_, new = halves()
bands = np.digitize(new.scores, BANDS[1:-1])
_, axes = plt.subplots(figsize=(7, 3))
for k in range(len(BANDS) - 1):
    said, came = new.scores[bands == k].mean(), new.labels[bands == k].mean()
    axes.plot([k, k], [said, came], color="0.7", zorder=0)
    axes.plot(k, said, "o", color="C0", markersize=9, label="said" if k == 0 else None)
    axes.plot(k, came, "s", color="C1", markersize=9, label="came" if k == 0 else None)
names = [f"{low:.0%} to {high:.0%}" for low, high in pairwise(BANDS)]
axes.set_xticks(range(len(names)), names)
axes.set(ylim=(0, 1), xlabel="what the score says", ylabel="share above 50,000")
axes.legend()
