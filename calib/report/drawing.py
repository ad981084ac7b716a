"""The pictures of a report, as SVG that takes the colours of the page around it."""

import io
import re
from collections.abc import Iterable
from html import escape

import numpy as np

from calib.diagrams import STYLE
from calib.report.contents import Curve, Group, Method, Threshold

try:
    from matplotlib import rc_context
    from matplotlib.figure import Figure
except ImportError as error:
    raise ImportError(
        f"matplotlib is needed ({error}): install it, or this package with its extra 'plots'"
    ) from error

INK = "#000000"  # the colour of the text around it
LOOK = STYLE | {"figure.constrained_layout.use": False, "svg.fonttype": "none"}


@rc_context(LOOK)
def diagram(curve: Curve, title: str, description: str) -> str:
    """CORP curve with its band and the diagonal, above a histogram."""
    figure = Figure(figsize=(4.6, 5.4), layout="compressed")
    top, bottom = figure.subplots(2, 1, sharex=True, height_ratios=[4, 1])
    top.plot([0, 1], [0, 1], color="0.5", linestyle="--", linewidth=1, label="calibrated")
    band = (curve.band_at, curve.lower, curve.upper)
    top.fill_between(*band, color=INK, alpha=0.15, linewidth=0, label="95 % confidence band")
    top.plot(curve.predicted, curve.recalibrated, color=INK, label="isotonic fit")
    top.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), ylabel="Observed fraction")
    top.set_box_aspect(1)
    top.legend(loc="upper left", fontsize=9)
    bottom.stairs(curve.histogram, np.linspace(0, 1, len(curve.histogram) + 1), color=INK)
    bottom.set(xlabel="Predicted probability", ylabel="Rows")
    bottom.set_box_aspect(1 / 4)
    return _svg(figure, title, description)


@rc_context(LOOK)
def decision_diagram(decisions: tuple[Threshold, ...], title: str, description: str) -> str:
    """Net benefit of acting by the scores, always, and never."""
    figure = Figure(figsize=(4.6, 3.2), layout="constrained")
    ax = figure.subplots()
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


@rc_context(LOOK)
def interval_diagram(
    parts: Iterable[Group | Method], title: str, description: str, *, quantity: str
) -> str:
    """An estimate with limits for each of some groups or methods."""
    values = {
        part.name: (part.bias if isinstance(part, Group) else part.gain, part.lower, part.upper)
        for part in parts
    }
    figure = Figure(figsize=(4.6, 0.9 + 0.28 * len(values)), layout="constrained")
    ax = figure.subplots()
    ax.axvline(0, color="0.5", linestyle="--", linewidth=1)
    for row, (value, lower, upper) in enumerate(values.values()):
        if value is not None:
            reach = [[value - lower], [upper - value]]
            ax.errorbar(value, row, xerr=reach, fmt="o", color=INK, capsize=2, linewidth=1.2)
    names = [
        _short(name) + ", infinite loss" * (value is None) for name, (value, *_) in values.items()
    ]
    ax.set_yticks(range(len(values)), names)
    ax.set(xlabel=quantity, ylim=(len(values) - 0.4, -0.6))
    return _svg(figure, title, description)


def _svg(figure, title, description):
    """The figure as an element of the page, with a name and a description."""
    written = io.StringIO()
    figure.savefig(written, format="svg", metadata={"Date": None, "Creator": None})
    svg = written.getvalue()
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    name = re.sub(r"\W+", "-", title.lower())
    svg = re.sub(r'(\bid="|url\(#|href="#)', rf"\g<1>{name}-", svg)  # apart from other figures'
    svg = svg.replace(INK, "currentColor")
    width, height = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', svg).groups()
    opening = (
        f'<svg viewBox="0 0 {width} {height}" fill="currentColor" role="img" '
        f'aria-labelledby="{name}-title {name}-description">'
        f'<title id="{name}-title">{escape(title)}</title>'
        f'<desc id="{name}-description">{escape(description)}</desc>'
    )
    return opening + svg[svg.index(">") + 1 :].strip()


def _short(name):
    """A name that fits beside a picture, and that matplotlib does not read as mathematics."""
    name = name if len(name) <= 18 else f"{name[:17]}\N{HORIZONTAL ELLIPSIS}"
    return name.replace("$", r"\$")
