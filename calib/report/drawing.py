"""The pictures of a report, as SVG that takes the colours of the page around it."""

import io
import re
from html import escape

import numpy as np

from calib.diagrams import STYLE
from calib.report.contents import Curve, Group, Threshold

INK = "#000000"  # replaced by the colour of the text
MOST_GROUPS = 30  # in a picture


def diagram(curve: Curve, title: str, description: str) -> str:
    """CORP curve with its band and the diagonal, above a histogram."""
    figure, (top, bottom) = _figure(
        2, 1, sharex=True, figsize=(4.6, 5.4), height_ratios=[4, 1], layout="compressed"
    )
    top.plot([0, 1], [0, 1], color="0.5", linestyle="--", linewidth=1, label="calibrated")
    label = "95 % confidence band"
    top.fill_between(curve.band_at, curve.lower, curve.upper, color=INK, alpha=0.15, lw=0, label=label)
    top.plot(curve.predicted, curve.recalibrated, color=INK, label="isotonic fit")
    top.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), ylabel="Observed fraction")
    top.set_box_aspect(1)
    top.legend(loc="upper left", fontsize=9)
    bottom.stairs(curve.histogram, np.linspace(0, 1, len(curve.histogram) + 1), color=INK)
    bottom.set(xlabel="Predicted probability", ylabel="Rows")
    bottom.set_box_aspect(1 / 4)
    return _svg(figure, title, description)


def decision_diagram(decisions: tuple[Threshold, ...], title: str, description: str) -> str:
    """Net benefit of acting by the scores, always, and never."""
    figure, ax = _figure(figsize=(4.6, 3.2), layout="constrained")
    thresholds = [point.threshold for point in decisions]
    benefit = [point.net_benefit for point in decisions]
    ax.axhline(0, color="0.5", linewidth=1, label="act never")
    always = [point.act_on_all for point in decisions]
    ax.plot(thresholds, always, color="0.5", linestyle="--", linewidth=1, label="act always")
    ax.plot(thresholds, benefit, color=INK, label="act by the scores")
    highest = max(0.01, *benefit, *always)
    ax.set(xlim=(0, 1), ylim=(-0.2 * highest, 1.1 * highest))
    ax.set(xlabel="Threshold", ylabel="Net benefit")
    ax.legend(fontsize=9)
    return _svg(figure, title, description)


def group_diagram(groups: tuple[Group, ...], title: str, description: str) -> str:
    """Observed less predicted in each group, with limits."""
    shown = groups[:MOST_GROUPS][::-1]
    figure, ax = _figure(figsize=(4.6, 1 + 0.28 * len(shown)), layout="constrained")
    bias = np.array([group.bias for group in shown])
    limits = np.array([[group.lower, group.upper] for group in shown]).T
    rows = np.arange(len(shown))
    ax.axvline(0, color="0.5", linestyle="--", linewidth=1)
    ax.errorbar(bias, rows, xerr=np.abs(limits - bias), fmt="o", color=INK, capsize=2, lw=1.2)
    ax.set_yticks(rows, [_short(group.name) for group in shown])
    ax.set(xlabel="Observed less predicted", ylim=(-0.6, len(shown) - 0.4))
    return _svg(figure, title, description)


def _figure(*args, **options):
    """A new figure in the style of the book, known to nobody else."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    layout = {name: options.pop(name) for name in ("figsize", "layout")}
    with rc_context(STYLE | {"figure.constrained_layout.use": False}):
        figure = Figure(**layout)
        return figure, figure.subplots(*args, **options)


def _svg(figure, title, description):
    """The figure as an element of the page, with a name and a description."""
    from matplotlib import rc_context

    written = io.StringIO()
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": title}):
        figure.savefig(written, format="svg", metadata={"Date": None, "Creator": None})
    svg = written.getvalue()
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    name = re.sub(r"\W+", "-", title.lower())
    svg = re.sub(r'(\bid="|url\(#|href="#)', rf"\g<1>{name}-", svg)  # apart from other figures'
    svg = svg.replace(INK, "currentColor")
    width, height = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', svg).groups()
    opening = (
        f'<svg viewBox="0 0 {width} {height}" role="img" '
        f'aria-labelledby="{name}-title {name}-description">'
        f'<title id="{name}-title">{escape(title)}</title>'
        f'<desc id="{name}-description">{escape(description)}</desc>'
    )
    return opening + svg[svg.index(">") + 1 :].strip()


def _short(name):
    """A name that fits beside a picture, and that matplotlib does not read as mathematics."""
    name = name if len(name) <= 18 else f"{name[:17]}\N{HORIZONTAL ELLIPSIS}"
    return name.replace("$", r"\$")
