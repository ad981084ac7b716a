"""Figures 3 to 8 of Durfee, Gupta and Basu (2022): box plots of the lift in AUC."""

import matplotlib.pyplot as plt
import numpy as np

from calibkit import diagrams
from experiments.contents import select
from experiments.durfee2022.scores import INPUTS, SIZES
from experiments.durfee2022.tables import NAMES, best_variants


def box_plots(read, datasets):
    """Lifts in per cent of the three best networks of each size in each run, for both inputs."""
    rows = [row for name in datasets for row in lifts(read, name)]
    with plt.rc_context(diagrams.STYLE):
        figure, grid = plt.subplots(
            1, len(datasets) * len(INPUTS), squeeze=False, figsize=(3.2 * 2 * len(datasets), 3)
        )
        panels = [(name, inputs) for name in datasets for inputs in INPUTS]
        for ax, (name, inputs) in zip(grid[0], panels, strict=True):
            own = [row for row in rows if (row["dataset"], row["inputs"]) == (name, inputs)]
            values = [[row["lift"] for row in own if row["size"] == size] for size in SIZES]
            ax.boxplot(values, tick_labels=list(SIZES), medianprops={"color": "#D55E00"})
            ax.axhline(0, color="0.5", linewidth=1)
            ax.set(title=f"{NAMES[name]}, {inputs}", xlabel="Size", ylabel="Lift of the AUC in %")
    return figure, rows


def lifts(read, dataset):
    """Rows of the best three variants by validation AUC: a lift for each run."""
    recorded, found = read("durfee2022_lift"), []
    for inputs in INPUTS:
        for size in SIZES:
            for regularisation, rate in best_variants(read, dataset, size, inputs, "Top 3"):
                own = {
                    "dataset": dataset,
                    "inputs": inputs,
                    "size": size,
                    "regularisation": regularisation,
                    "learning_rate": rate,
                }
                before, after = (
                    select(recorded, "AUC", **own, method=method)
                    for method in ["network", "heterogeneous"]
                )
                found += [
                    {**own, "run": run, "lift": lift}
                    for run, lift in enumerate(np.round(100 * (after / before - 1), 6).tolist())
                ]
    return found
