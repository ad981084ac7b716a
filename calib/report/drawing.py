"""The pictures of a report, as SVG that takes the colours of the page around it.

They are three simple ones, and written here: to load a library of plots and draw with it took a
third of the time of a report.
"""

import math
import re
from collections.abc import Iterable
from html import escape
from typing import NamedTuple

import numpy as np
from scipy.special import logit

from calib.report.contents import Curve, Group, Method, Threshold

WIDTH, RIGHT, TEXT = 330, 320, 10  # of a picture, its axes and letters, in its own units
SIDE = 266  # of the square of a diagram
MOST_TICKS = 6
FAR = 50  # log-odds where those of 0 and 1 are drawn: far outside of the picture
LINE = 'fill="none" stroke="currentColor" stroke-width="1.5"'
THIN = 'fill="none" stroke="currentColor" stroke-width="0.8"'
FAINT = 'fill="none" stroke="#808080"'
DASHED = f'{FAINT} stroke-dasharray="4 3"'
AREA = 'fill="currentColor" fill-opacity="0.15"'


class Axis(NamedTuple):
    """Values at the ends of an axis, and where these are in the picture."""

    ends: tuple[float, float]
    places: tuple[float, float]
    log_odds: bool = False

    def at(self, values):
        """Places of values."""
        (low, high), (first, last) = self._scaled(self.ends), self.places
        return first + (self._scaled(values) - low) / (high - low) * (last - first)

    def _scaled(self, values):
        values = np.asarray(values, np.float64)
        return np.clip(logit(values), -FAR, FAR) if self.log_odds else values

    def ticks(self) -> dict[float, str]:
        """A few round numbers, with what is written at them."""
        low, high = self.ends
        if self.log_odds:
            return {value: _short_number(value) for value in _round_odds(low, high)}
        power = 10.0 ** math.floor(math.log10((high - low) / MOST_TICKS))
        step = power * next(k for k in (1, 2, 5, 10) if (high - low) / (k * power) <= MOST_TICKS)
        decimals = max(0, -math.floor(math.log10(step) + 1e-9))
        steps = range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)
        return {k * step: _short_number(k * step, decimals) for k in steps}


def diagram(curve: Curve, title: str, description: str) -> str:
    """CORP curve with its band and the diagonal, above a histogram."""
    x = Axis((curve.edges[0], curve.edges[-1]), (RIGHT - SIDE, RIGHT), curve.logit)
    y = x._replace(places=(8 + SIDE, 8))
    most = max(curve.histogram)
    rows = Axis((0, 1.05 * most), (y.places[0] + 12 + SIDE / 4, y.places[0] + 12))
    band = np.append(curve.band_at, curve.band_at[::-1]), np.append(curve.upper, curve.lower[::-1])
    steps = np.repeat(curve.edges, 2), np.concatenate([[0], np.repeat(curve.histogram, 2), [0]])
    inside = [
        _line(x, y, *band, AREA),
        _line(x, y, x.ends, y.ends, DASHED),
        _line(x, y, curve.predicted, curve.recalibrated, LINE),
    ]
    parts = (
        _clipped(inside, x, y, title),
        _frame(x, y, "", "Observed fraction", x_ticks=dict.fromkeys(x.ticks(), "")),
        _key(x.places[0] + 10, 16, "calibrated", DASHED),
        _key(x.places[0] + 10, 30, "95 % confidence band", AREA),
        _key(x.places[0] + 10, 44, "isotonic fit", LINE),
        _line(x, rows, *steps, LINE),
        _frame(x, rows, "Predicted probability", "Rows", y_ticks=_few(rows.ticks())),
    )
    return _svg(parts, rows.places[0] + 36, title, description)


def decision_diagram(decisions: tuple[Threshold, ...], title: str, description: str) -> str:
    """Net benefit of acting by the scores, always, and never."""
    thresholds = [point.threshold for point in decisions]
    benefit = [point.net_benefit for point in decisions]
    always = [point.act_on_all for point in decisions]
    highest = max(0.01, *benefit, *always)
    x, y = Axis((0, 1), (52, RIGHT)), Axis((-0.2 * highest, 1.1 * highest), (190, 24))
    lines = [
        _line(x, y, x.ends, (0, 0), FAINT),
        _line(x, y, thresholds, always, DASHED),
        _line(x, y, thresholds, benefit, LINE),
    ]
    parts = (
        _clipped(lines, x, y, title),
        _frame(x, y, "Threshold", "Net benefit"),
        _key(20, 10, "act never", FAINT),
        _key(108, 10, "act always", DASHED),
        _key(206, 10, "act by the scores", LINE),
    )
    return _svg(parts, y.places[0] + 36, title, description)


def interval_diagram(
    parts: Iterable[Group | Method], title: str, description: str, *, quantity: str
) -> str:
    """An estimate with limits for each of some groups or methods."""
    values = {
        part.name: (part.bias if isinstance(part, Group) else part.gain, part.lower, part.upper)
        for part in parts
    }
    names = {
        row: _short(name) + ", infinite loss" * (value is None)
        for row, (name, (value, *_)) in enumerate(values.items())
    }
    finite = [0.0, *(number for found in values.values() for number in found if number is not None)]
    low, high = min(finite), max(finite)
    room = 0.05 * (high - low) or 0.01
    left = 14 + 0.55 * TEXT * max(map(len, names.values()))
    x = Axis((low - room, high + room), (left, RIGHT))
    y = Axis((len(values) - 0.4, -0.6), (6 + 20 * len(values), 6))
    drawn = [_line(x, y, (0, 0), y.ends, DASHED), _frame(x, y, quantity, "", names)]
    for row, found in enumerate(values.values()):
        if found[0] is not None:
            at, (middle, left, right) = f"{y.at(row):.1f}", x.at(found)
            ends = "".join(f"M{end:.1f},{at}m0,-3v6" for end in (left, right))
            drawn.append(f'<path d="M{left:.1f},{at}H{right:.1f}{ends}" {LINE}/>')
            drawn.append(f'<circle cx="{middle:.1f}" cy="{at}" r="3.5" fill="currentColor"/>')
    return _svg(drawn, y.places[0] + 36, title, description)


def _frame(x, y, x_label, y_label, y_ticks=None, x_ticks=None):
    """Two axes with ticks, the lower end of y at the bottom, and what they are."""
    (left, right), (bottom, top) = x.places, y.places
    found = [f'<path d="M{left:.1f},{top:.1f}V{bottom:.1f}H{right:.1f}" {THIN}/>']
    for value, text in (x.ticks() if x_ticks is None else x_ticks).items():
        place = f"{x.at(value):.1f}"
        found.append(f'<path d="M{place},{bottom:.1f}v4" {THIN}/>')
        found.append(_text(place, bottom + 15, text, "middle"))
    for value, text in (y.ticks() if y_ticks is None else y_ticks).items():
        place = y.at(value)
        found.append(f'<path d="M{left:.1f},{place:.1f}h-4" {THIN}/>')
        found.append(_text(f"{left - 7:.1f}", place + 0.35 * TEXT, text, "end"))
    found.append(_text(f"{(left + right) / 2:.1f}", bottom + 31, x_label, "middle"))
    turned = f'transform="translate(11 {(bottom + top) / 2:.1f}) rotate(-90)"'
    return "\n".join([*found, _text(0, 0, y_label, "middle", turned)])


def _line(x, y, across, up, style):
    """A line through points, or an area within it."""
    points = "L".join(f"{a:.1f},{b:.1f}" for a, b in zip(x.at(across), y.at(up), strict=True))
    return f'<path d="M{points}" {style}/>'


def _key(left, place, text, style):
    """What a line or an area means."""
    height = 6 if style == AREA else 0
    mark = f'<path d="M{left:.1f},{place - height / 2:.1f}h22v{height}h-22" {style}/>'
    return mark + _text(f"{left + 28:.1f}", place + 0.35 * TEXT, text, "start")


def _text(x, y, words, anchor, more=""):
    if not words:
        return ""
    return f'<text x="{x}" y="{y:.1f}" text-anchor="{anchor}" {more}>{escape(words)}</text>'


def _clipped(parts, x, y, title):
    """What lies between the axes."""
    (left, right), (bottom, top) = x.places, y.places
    box = f'x="{left:.1f}" y="{top:.1f}" width="{right - left:.1f}" height="{bottom - top:.1f}"'
    name = f"{_name(title)}-inside"
    clip = f'<clipPath id="{name}"><rect {box}/></clipPath>'
    return "\n".join([clip, f'<g clip-path="url(#{name})">', *parts, "</g>"])


def _svg(parts, height, title, description):
    """An element of the page, with a name and a description."""
    name = _name(title)
    inner = "\n".join(parts)
    return (
        f'<svg viewBox="0 0 {WIDTH} {height:.0f}" fill="currentColor" font-size="{TEXT}" '
        f'role="img" aria-labelledby="{name}-title {name}-description">'
        f'<title id="{name}-title">{escape(title)}</title>'
        f'<desc id="{name}-description">{escape(description)}</desc>\n{inner}\n</svg>'
    )


def _name(title):
    return re.sub(r"\W+", "-", title.lower())


def _few(ticks):
    """At most three of them."""
    return dict(list(ticks.items())[:: -(-len(ticks) // 3)])


def _round_odds(low, high):
    """Powers of ten, a half, and their counterparts below 1; more of them if these are few."""
    for digits in ((1,), (1, 2, 5)):
        small = [k / 10**power for power in range(17, 0, -1) for k in digits]
        below = [value for value in small if value < 0.5]
        values = [*below, 0.5, *(1 - value for value in reversed(below))]
        found = [value for value in values if low <= value <= high]
        if len(found) >= 3:
            break
    return found[:: -(-len(found) // MOST_TICKS) or 1]


def _short_number(value, decimals=None):
    """A number beside a tick; of probabilities there are no `decimals`."""
    if abs(value) >= 1e6 or decimals is None and value < 1e-3:
        return re.sub(r"e\+?(-?)0*", r"e\1", f"{value:g}" if decimals == 0 else f"{value:.0e}")
    text = f"{value:.15g}" if decimals is None else f"{abs(value):.{decimals}f}"
    return f"\N{MINUS SIGN}{text}" if value < 0 and float(text) else text


def _short(name):
    """A name that fits beside a picture."""
    return name if len(name) <= 18 else f"{name[:17]}\N{HORIZONTAL ELLIPSIS}"
