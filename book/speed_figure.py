"""Time of a fit and a prediction on 100,000 scores: `calib`, and each other package."""

from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd

import calib

ROOT = Path(calib.__file__).resolve().parents[1]
times = pd.read_csv(ROOT / "results" / "speed.csv")
times = times[times["n"] == 100_000]
times["ms"] = 1000 * times[["fit", "predict"]].sum(axis=1, min_count=1)
times = times.dropna(subset="ms")
ours = times["method"].str.match(r"calib\b")
best = times[ours].groupby("task")["ms"].min().sort_values(ascending=False)

figure, axes = plt.subplots(figsize=(5.6, 6.6))
axes.set_xscale("log")
fastest = []
for row, (task, ms) in enumerate(best.items()):
    peers = times.loc[~ours & (times["task"] == task), "ms"]
    if len(peers):
        axes.plot([ms, peers.min()], [row, row], color="0.8", linewidth=1, zorder=1)
        axes.plot(peers, [row] * len(peers), "s", color="C1", alpha=0.8)
        fastest.append(ms < peers.min())
    axes.plot(ms, row, "o", color="C0")
assert sum(fastest) > len(fastest) / 2
axes.set_yticks(range(len(best)), best.index)
axes.set_xlabel("milliseconds, fit and predict")
axes.set_ylim(-0.7, len(best) - 0.3)
(others,) = axes.plot([], [], "s", color="C1", alpha=0.8)
(calibs,) = axes.plot([], [], "o", color="C0")
axes.legend([calibs, others], ["calib", "others"], loc="upper right", frameon=False)
