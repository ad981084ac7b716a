"""The pictures of a report, as SVG that takes the colours of the page around it.

The four pictures are simple, and written here: a library of plots took a third of the time of a
report.
"""

import math
import re
from collections.abc import Iterable
from html import escape
from typing import NamedTuple

import numpy as np
from scipy.special import logit

from calibkit.report.records import Curve, Group, Method, SmoothedCurve, Threshold

WIDTH = 330  # width of a picture, in its own units, as all lengths here
RIGHT = 320  # end of the horizontal axis
FONT_SIZE = 10  # size of labels, in units of the picture
SIDE = 266  # side of the square of a diagram
MAX_TICKS = 6  # on an axis
MAX_DRAWN_LOG_ODDS = 50  # where probabilities of 0 and 1 are drawn: far outside of the picture
SOLID_LINE = 'fill="none" stroke="currentColor" stroke-width="1.5"'
THIN_LINE = 'fill="none" stroke="currentColor" stroke-width="0.8"'
FAINT_LINE = 'fill="none" stroke="#808080"'
DASHED_LINE = f'{FAINT_LINE} stroke-dasharray="4 3"'
SHADED_AREA = 'fill="currentColor" fill-opacity="0.15"'


class Axis(NamedTuple):
    """An axis: the values at its ends, and the positions of the ends in the picture."""

    ends: tuple[float, float]
    positions: tuple[float, float]
    log_odds: bool = False

    def at(self, values):
        """Positions of values."""
        low, high = self._scaled(self.ends)
        first, last = self.positions
        return first + (self._scaled(values) - low) / (high - low) * (last - first)

    def _scaled(self, values):
        values = np.asarray(values, np.float64)
        if not self.log_odds:
            return values
        return np.clip(logit(values), -MAX_DRAWN_LOG_ODDS, MAX_DRAWN_LOG_ODDS)

    def ticks(self) -> dict[float, str]:
        """A few round numbers, each with its text."""
        low, high = self.ends
        if self.log_odds:
            return {value: _short_number(value) for value in _round_odds(low, high)}
        power = 10.0 ** math.floor(math.log10((high - low) / MAX_TICKS))
        step = power * next(k for k in (1, 2, 5, 10) if (high - low) / (k * power) <= MAX_TICKS)
        decimals = max(0, -math.floor(math.log10(step) + 1e-9))
        steps = range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)
        return {k * step: _short_number(k * step, decimals) for k in steps}


def diagram(curve: Curve, title: str, description: str) -> str:
    """CORP curve with its band and the diagonal, above a histogram."""
    x = Axis(
        ends=(curve.edges[0], curve.edges[-1]),
        positions=(RIGHT - SIDE, RIGHT),
        log_odds=curve.logit,
    )
    y = x._replace(positions=(8 + SIDE, 8))
    bottom = y.positions[0]
    rows = Axis(
        ends=(0, 1.05 * max(curve.histogram)), positions=(bottom + 12 + SIDE / 4, bottom + 12)
    )
    around_band = np.append(curve.band_at, curve.band_at[::-1])
    limits = np.append(curve.upper, curve.lower[::-1])
    sides = np.repeat(curve.edges, 2)
    heights = np.concatenate([[0], np.repeat(curve.histogram, 2), [0]])
    inside = [
        _path(x, y, around_band, limits, SHADED_AREA),
        _path(x, y, x.ends, y.ends, DASHED_LINE),
        _path(x, y, curve.predicted, curve.recalibrated, SOLID_LINE),
    ]
    left = x.positions[0]
    parts = (
        _clipped(inside, x, y, title),
        _frame(x, y, "", "Observed fraction", x_ticks=dict.fromkeys(x.ticks(), "")),
        _legend_entry(left + 10, 16, "calibrated", DASHED_LINE),
        _legend_entry(left + 10, 30, "95 % confidence band", SHADED_AREA),
        _legend_entry(left + 10, 44, "isotonic fit", SOLID_LINE),
        _path(x, rows, sides, heights, SOLID_LINE),
        _frame(x, rows, "Predicted probability", "Rows", y_ticks=_at_most_three(rows.ticks())),
    )
    return _svg(parts, rows.positions[0] + 36, title, description)


def smooth_diagram(curves: tuple[SmoothedCurve, ...], title: str, description: str) -> str:
    """Loess curve with its pointwise band, the spline, and the diagonal."""
    x = Axis(ends=(0, 1), positions=(RIGHT - SIDE, RIGHT))
    y = Axis(ends=(0, 1), positions=(8 + SIDE, 8))
    loess = curves[0]
    around_band = np.append(loess.predicted, loess.predicted[::-1])
    limits = np.append(loess.upper, loess.lower[::-1])
    left = x.positions[0]
    inside = [
        _path(x, y, around_band, limits, SHADED_AREA),
        _path(x, y, x.ends, y.ends, DASHED_LINE),
        _path(x, y, loess.predicted, loess.observed, SOLID_LINE),
    ]
    legend = [
        _legend_entry(left + 10, 16, "calibrated", DASHED_LINE),
        _legend_entry(left + 10, 30, "95 % limits, pointwise", SHADED_AREA),
        _legend_entry(left + 10, 44, "loess", SOLID_LINE),
    ]
    for spline in curves[1:]:
        inside.append(_path(x, y, spline.predicted, spline.observed, FAINT_LINE))
        legend.append(_legend_entry(left + 10, 58, "spline of the logits", FAINT_LINE))
    parts = (
        _clipped(inside, x, y, title),
        _frame(x, y, "Predicted probability", "Observed fraction"),
        *legend,
    )
    return _svg(parts, y.positions[0] + 36, title, description)


def decision_diagram(decisions: tuple[Threshold, ...], title: str, description: str) -> str:
    """Net benefit of acting by the scores, always, and never."""
    thresholds = [point.threshold for point in decisions]
    benefit = [point.net_benefit for point in decisions]
    always = [point.act_on_all for point in decisions]
    highest = max(0.01, *benefit, *always)
    x = Axis(ends=(0, 1), positions=(52, RIGHT))
    y = Axis(ends=(-0.2 * highest, 1.1 * highest), positions=(190, 24))
    lines = [
        _path(x, y, x.ends, (0, 0), FAINT_LINE),
        _path(x, y, thresholds, always, DASHED_LINE),
        _path(x, y, thresholds, benefit, SOLID_LINE),
    ]
    parts = (
        _clipped(lines, x, y, title),
        _frame(x, y, "Threshold", "Net benefit"),
        _legend_entry(20, 10, "act never", FAINT_LINE),
        _legend_entry(108, 10, "act always", DASHED_LINE),
        _legend_entry(206, 10, "act by the scores", SOLID_LINE),
    )
    return _svg(parts, y.positions[0] + 36, title, description)


def interval_diagram(
    parts: Iterable[Group | Method], title: str, description: str, *, quantity: str
) -> str:
    """An estimate with limits for each of some groups or methods."""
    intervals = {
        part.name: (part.bias if isinstance(part, Group) else part.gain, part.lower, part.upper)
        for part in parts
    }
    names = {}
    for row, (name, (value, _, _)) in enumerate(intervals.items()):
        names[row] = f"{_shortened(name)}, infinite loss" if value is None else _shortened(name)
    finite = [0.0]
    for interval in intervals.values():
        finite += [number for number in interval if number is not None]
    low = min(finite)
    high = max(finite)
    margin = 0.05 * (high - low) or 0.01
    left = 14 + 0.55 * FONT_SIZE * max(len(name) for name in names.values())
    x = Axis(ends=(low - margin, high + margin), positions=(left, RIGHT))
    y = Axis(ends=(len(intervals) - 0.4, -0.6), positions=(6 + 20 * len(intervals), 6))
    drawn = [_path(x, y, (0, 0), y.ends, DASHED_LINE), _frame(x, y, quantity, "", names)]
    for row, interval in enumerate(intervals.values()):
        if interval[0] is not None:
            drawn += _interval(x.at(interval), f"{y.at(row):.1f}")
    return _svg(drawn, y.positions[0] + 36, title, description)


def _interval(positions, height):
    """A line between limits, with a bar at each and a circle at the estimate."""
    estimate, lower, upper = positions
    bars = f"M{lower:.1f},{height}m0,-3v6M{upper:.1f},{height}m0,-3v6"
    return [
        f'<path d="M{lower:.1f},{height}H{upper:.1f}{bars}" {SOLID_LINE}/>',
        f'<circle cx="{estimate:.1f}" cy="{height}" r="3.5" fill="currentColor"/>',
    ]


def _frame(x, y, x_label, y_label, y_ticks=None, x_ticks=None):
    """Two axes with ticks and labels, the lower end of y at the bottom."""
    left, right = x.positions
    bottom, top = y.positions
    parts = [f'<path d="M{left:.1f},{top:.1f}V{bottom:.1f}H{right:.1f}" {THIN_LINE}/>']
    for value, text in (x.ticks() if x_ticks is None else x_ticks).items():
        position = f"{x.at(value):.1f}"
        parts.append(f'<path d="M{position},{bottom:.1f}v4" {THIN_LINE}/>')
        parts.append(_text_element(position, bottom + 15, text, "middle"))
    for value, text in (y.ticks() if y_ticks is None else y_ticks).items():
        position = y.at(value)
        parts.append(f'<path d="M{left:.1f},{position:.1f}h-4" {THIN_LINE}/>')
        parts.append(_text_element(f"{left - 7:.1f}", position + 0.35 * FONT_SIZE, text, "end"))
    parts.append(_text_element(f"{(left + right) / 2:.1f}", bottom + 31, x_label, "middle"))
    turned = f'transform="translate(11 {(bottom + top) / 2:.1f}) rotate(-90)"'
    parts.append(_text_element(0, 0, y_label, "middle", turned))
    return "\n".join(parts)


def _path(x, y, x_values, y_values, style):
    """A line through points, or the area within it."""
    positions = zip(x.at(x_values), y.at(y_values), strict=True)
    points = "L".join(f"{across:.1f},{down:.1f}" for across, down in positions)
    return f'<path d="M{points}" {style}/>'


def _legend_entry(left, middle, text, style):
    """A piece of a line or an area, and its meaning."""
    height = 6 if style == SHADED_AREA else 0
    sample = f'<path d="M{left:.1f},{middle - height / 2:.1f}h22v{height}h-22" {style}/>'
    return sample + _text_element(f"{left + 28:.1f}", middle + 0.35 * FONT_SIZE, text, "start")


def _text_element(x, y, words, anchor, attributes=""):
    if not words:
        return ""
    return f'<text x="{x}" y="{y:.1f}" text-anchor="{anchor}" {attributes}>{escape(words)}</text>'


def _clipped(parts, x, y, title):
    """Parts of the picture, without everything outside of the axes."""
    left, right = x.positions
    bottom, top = y.positions
    box = f'x="{left:.1f}" y="{top:.1f}" width="{right - left:.1f}" height="{bottom - top:.1f}"'
    name = f"{_identifier(title)}-inside"
    clip = f'<clipPath id="{name}"><rect {box}/></clipPath>'
    return "\n".join([clip, f'<g clip-path="url(#{name})">', *parts, "</g>"])


def _svg(parts, height, title, description):
    """An element of the page, with a title and a description."""
    name = _identifier(title)
    inner = "\n".join(parts)
    return (
        f'<svg viewBox="0 0 {WIDTH} {height:.0f}" fill="currentColor" font-size="{FONT_SIZE}" '
        f'role="img" aria-labelledby="{name}-title {name}-description">'
        f'<title id="{name}-title">{escape(title)}</title>'
        f'<desc id="{name}-description">{escape(description)}</desc>\n{inner}\n</svg>'
    )


def _identifier(title):
    return re.sub(r"\W+", "-", title.lower())


def _at_most_three(ticks):
    """Three ticks at most, equally far apart."""
    step = -(-len(ticks) // 3)
    return dict(list(ticks.items())[::step])


def _round_odds(low, high):
    """Powers of ten, a half, and their counterparts below 1; more numbers if these are few."""
    for digits in ((1,), (1, 2, 5)):
        small = [k / 10**power for power in range(17, 0, -1) for k in digits]
        below = [value for value in small if value < 0.5]
        values = [*below, 0.5, *(1 - value for value in reversed(below))]
        ticks = [value for value in values if low <= value <= high]
        if len(ticks) >= 3:
            break
    step = -(-len(ticks) // MAX_TICKS) or 1
    return ticks[::step]


def _short_number(value, decimals=None):
    """The text of a tick. Probabilities have no fixed number of decimals."""
    if abs(value) >= 1e6 or decimals is None and value < 1e-3:
        text = f"{value:g}" if decimals == 0 else f"{value:.0e}"
        return re.sub(r"e\+?(-?)0*", r"e\1", text)
    text = f"{value:.15g}" if decimals is None else f"{abs(value):.{decimals}f}"
    return f"\N{MINUS SIGN}{text}" if value < 0 and float(text) else text


def _shortened(name):
    """A name that fits next to a picture."""
    return name if len(name) <= 18 else f"{name[:17]}\N{HORIZONTAL ELLIPSIS}"
