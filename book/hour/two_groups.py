"""Two groups whose truths differ at the same score, and what they are together."""

import matplotlib.pyplot as plt
import numpy as np

score = np.linspace(0, 1, 201)
bend = 0.8 * score * (1 - score)
_, axes = plt.subplots(figsize=(5, 3.4))
axes.plot(score, score + bend)
axes.plot(score, score - bend)
axes.plot(score, score, color="0.3", linestyle="--")
axes.text(0.3, 0.62, "first group", color="C0", ha="right")
axes.text(0.72, 0.45, "second group", color="C1")
axes.set(xlim=(0, 1), ylim=(0, 1), xlabel="score", ylabel="true fraction of positives")
