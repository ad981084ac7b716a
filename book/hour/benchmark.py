"""What it costs to take always the same calibrator, from the record of the second benchmark."""

import matplotlib.pyplot as plt
import numpy as np

from experiments import recorded
from experiments.benchmark.second import BENCHMARK_SECOND, SIZES
from experiments.benchmark.second_answers import policies
from experiments.styles import METHOD_STYLES

rows = recorded(BENCHMARK_SECOND.name)
regrets = [
    {name.removeprefix("always "): one.value for name, one in policies(rows, size).items()}
    for size in SIZES
]
shown = ["Average", "Spline", "Isotonic, centred", "Venn-Abers", "BBQ"]
known = {"learned", "learned for each model", "Cautious average"}  # advice, and the average again
assert set(shown) == {n for n in regrets[0] if all(np.isfinite(r[n]) for r in regrets)} - known
_, axes = plt.subplots(figsize=(5.6, 3.6))
for name in shown:
    axes.plot(SIZES, [found[name] for found in regrets], label=name, **METHOD_STYLES[name])
    assert all(found["Average"] <= found[name] for found in regrets)
axes.set(xscale="log", yscale="log", xlabel="calibration points", ylabel="extra log loss")
axes.set_xticks(SIZES, [f"{size:,}" for size in SIZES])
axes.minorticks_off()
axes.legend()
