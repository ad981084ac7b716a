"""A report as one HTML page: the template page.html, filled in."""

from html import escape
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from calibkit.comparison.result import LOSS_NAMES, REFERENCE_NAMES
from calibkit.inference.digits import decimals_between, decimals_of_column
from calibkit.report.numbers_in_words import amount, count, number, percent, probability
from calibkit.report.records import N_BINS
from calibkit.report.svg import decision_diagram, diagram, interval_diagram, smooth_diagram

HERE = Path(__file__).parent
MAX_DRAWN_GROUPS = 30  # most groups that a picture shows
LEAST_DECIMALS = 3  # decimals of a number whose limits ask for no more
DIGITS_OF_LOSSES = 3  # significant digits of half the distance of the limits of a loss
LOSS_KEYS = ("log_loss", "brier")
SHOWN_THRESHOLDS = (0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)


def page_of(report) -> str:
    """The whole page of a `Report`; names and notes are escaped."""
    thresholds_of_user = {entry.threshold for entry in report.escapes}
    return TEMPLATES.get_template("page.html").render(
        report=report,
        style=Markup((HERE / "page.css").read_text(encoding="utf-8")),
        drawn_groups=_worst(report.groups),
        thresholds=[
            point
            for point in report.decisions
            if point.threshold in thresholds_of_user
            or point.threshold in SHOWN_THRESHOLDS
            and report.data.lowest <= point.threshold <= report.data.highest
        ],
    )


def _worst(groups):
    """The groups with the smallest p values, in their order."""
    by_p_value = sorted(range(len(groups)), key=lambda number: groups[number].p_value)
    return [groups[number] for number in sorted(by_p_value[:MAX_DRAWN_GROUPS])]


def _escaped(value):
    """A value in the form of the page, with quotation marks as `html.escape` writes them."""
    return value if hasattr(value, "__html__") else Markup(escape(str(value)))


def _digits_of(estimate, shown=2):
    """Decimals of a number and of its limits: so many digits of half their distance."""
    if estimate.lower is None:
        return LEAST_DECIMALS
    return max(LEAST_DECIMALS, decimals_between(estimate.lower, estimate.upper, shown))


def _digits_of_measure(estimate):
    return _digits_of(estimate, DIGITS_OF_LOSSES if estimate.key in LOSS_KEYS else 2)


def _digits_of_comparison(methods):
    """Decimals of all losses and gains of a comparison."""
    limits = [(method.lower, method.upper) for method in methods if method.lower is not None]
    return max(LEAST_DECIMALS, decimals_of_column(limits, shown=2))


def _limits_cell(estimate, digits=LEAST_DECIMALS):
    lower, upper = estimate.lower, estimate.upper
    return number(None) if lower is None else f"{number(lower, digits)} to {number(upper, digits)}"


def _or_infinite(value, digits=LEAST_DECIMALS):
    return "infinite" if value is None else number(value, digits)


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
    "limits": _limits_cell,
    "number": number,
    "digits": _digits_of,
    "digits_of_comparison": _digits_of_comparison,
    "digits_of_measure": _digits_of_measure,
    "or_infinite": _or_infinite,
    "p": lambda value: probability(value).removeprefix("p").removeprefix(" =").strip(),
    "percent": percent,
}
TEMPLATES.globals |= {
    "N_BINS": N_BINS,
    "LOSSES": LOSS_NAMES,
    "REFERENCES": REFERENCE_NAMES,
    "diagram": diagram,
    "decision_diagram": decision_diagram,
    "smooth_diagram": smooth_diagram,
    "interval_diagram": interval_diagram,
}
