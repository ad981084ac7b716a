"""A report as one HTML page: the template beside this file, filled in."""

from html import escape
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from calib.comparison.result import LOSSES, REFERENCES
from calib.report.contents import N_BINS
from calib.report.drawing import decision_diagram, diagram, interval_diagram
from calib.report.wording import amount, count, number, percent, probability

HERE = Path(__file__).parent
MOST_GROUPS = 30  # in a picture
SHOWN_THRESHOLDS = (0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)


def page_of(report) -> str:
    """The whole page of a `Report`; names and notes are escaped."""
    asked = {escape.threshold for escape in report.escapes}
    return TEMPLATES.get_template("page.html").render(
        report=report,
        style=Markup((HERE / "page.css").read_text(encoding="utf-8")),
        drawn_groups=_worst(report.groups),
        thresholds=[
            point
            for point in report.decisions
            if point.threshold in asked
            or point.threshold in SHOWN_THRESHOLDS
            and report.data.lowest <= point.threshold <= report.data.highest
        ],
    )


def _worst(groups):
    """The groups with the smallest p values, in their order."""
    ranks = sorted(range(len(groups)), key=lambda place: groups[place].p_value)
    return [groups[place] for place in sorted(ranks[:MOST_GROUPS])]


def _escaped(value):
    """What stands on the page for a value; quotation marks as `html.escape` writes them."""
    return value if hasattr(value, "__html__") else Markup(escape(str(value)))


def _limits(estimate):
    lower, upper = estimate.lower, estimate.upper
    return number(None) if lower is None else f"{number(lower)} to {number(upper)}"


TEMPLATES = Environment(
    loader=FileSystemLoader(HERE),
    autoescape=True,
    finalize=_escaped,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=True,
)
TEMPLATES.filters |= {
    "amount": amount,
    "count_of": count,
    "limits": _limits,
    "number": number,
    "or_infinite": lambda value: "infinite" if value is None else number(value),
    "p": lambda value: probability(value).removeprefix("p").removeprefix(" =").strip(),
    "percent": percent,
}
TEMPLATES.globals |= {
    "N_BINS": N_BINS,
    "LOSSES": LOSSES,
    "REFERENCES": REFERENCES,
    "diagram": diagram,
    "decision_diagram": decision_diagram,
    "interval_diagram": interval_diagram,
}
