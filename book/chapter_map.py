"""What each chapter builds on, from left to right."""

import matplotlib.pyplot as plt

from experiments.prerequisites import chapters, depths, direct

BOX = {"boxstyle": "circle,pad=0.3", "facecolor": "white", "linewidth": 1.8}
COLORS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b07000", "#555555", "#56b4e9"]
needs = {number: one.needs for number, one in chapters().items()}
parts = list(dict.fromkeys(one.part for one in chapters().values()))
assert len(parts) == len(COLORS)
depth, taken, places = depths(needs), {}, {}
for number, one in chapters().items():
    column = max(depth[number], taken.get(one.part, -1) + 1)
    taken[one.part] = column
    places[number] = column, -parts.index(one.part)

figure, axes = plt.subplots(figsize=(9, 5))
for number, own in direct(needs).items():
    for needed in own:
        (x0, y0), (x1, y1) = places[needed], places[number]
        bend = -0.15 if y0 > y1 else -0.3
        arrow = {"arrowstyle": "-", "color": COLORS[-y0], "connectionstyle": f"arc3,rad={bend}"}
        axes.annotate("", (x1, y1), (x0, y0), arrowprops=arrow, zorder=1)
for number, (x, y) in places.items():
    axes.text(
        x,
        y,
        number,
        ha="center",
        va="center",
        fontsize=10,
        zorder=2,
        bbox=BOX | {"edgecolor": COLORS[-y]},
    )
for k, part in enumerate(parts):
    axes.text(-0.8, -k, part, ha="right", va="center", fontsize=11, color=COLORS[k])
axes.set(xlim=(-0.7, max(x for x, _ in places.values()) + 0.7), ylim=(-len(parts) + 0.4, 0.6))
axes.axis("off")
