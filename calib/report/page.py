"""A report as one HTML page."""

from collections.abc import Iterable
from html import escape
from pathlib import Path

from calib.comparison.result import LOSSES, REFERENCES
from calib.report.contents import N_BINS, Caution, Compared, Data, Estimate
from calib.report.drawing import MOST_GROUPS, decision_diagram, diagram, interval_diagram
from calib.report.wording import amount, number, percent, probability

STYLE = Path(__file__).with_name("page.css")
SHOWN_THRESHOLDS = (0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)


def page_of(report) -> str:
    """The whole page of a `Report`; names and notes are escaped."""
    title = f"Calibration report: {report.name}"
    parts = [
        _header(report),
        _data(report.data, report.notes),
        _cautions(report.cautions),
        _section("What to do next", _items(report.advice, "ol")),
        _diagram(report),
        _measures(report.measures),
        _tests(report),
        _groups(report),
        _decisions(report),
        _comparison(report.comparison),
        _section("How this was computed", _items(report.methods)),
    ]
    return "\n".join(
        [
            "<!DOCTYPE html>",
            '<html lang="en">',
            "<head>",
            '<meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{escape(title)}</title>",
            f"<style>\n{STYLE.read_text(encoding='utf-8')}</style>",
            "</head>",
            "<body>",
            "<main>",
            *filter(None, parts),
            "</main>",
            f"<footer>Written by calib {escape(report.version)}.</footer>",
            "</body>",
            "</html>",
            "",
        ]
    )


def _header(report):
    verdict = report.verdict
    details = "\n".join(f"<p>{escape(text)}</p>" for text in verdict.details)
    return (
        "<header>\n<h1>Calibration report</h1>\n"
        f'<p class="name">{escape(report.name)}</p>\n</header>\n'
        f'<section class="verdict {verdict.outcome.replace(" ", "-")}" aria-labelledby="verdict">\n'
        '<h2 id="verdict">Are these probabilities honest?</h2>\n'
        f'<p class="sentence">{escape(verdict.sentence)}</p>\n{details}\n</section>'
    )


def _data(data: Data, notes):
    facts = [
        ("Rows", f"{data.rows:,}"),
        ("Positives", f"{amount(data.positives)} ({percent(data.positives / data.total)})"),
        ("Scores", f"{number(data.lowest)} to {number(data.highest)}, mean {number(data.mean)}"),
        ("Distinct scores", f"{data.distinct:,}"),
    ]
    if data.weighted:
        facts.insert(1, ("Sum of weights", amount(data.total)))
    if data.left_out:
        facts.append(("Rows of weight 0", f"{data.left_out:,}, left out"))
    if data.n_groups:
        facts.append(("Groups", f"{data.n_groups:,}"))
    listed = "\n".join(f"<dt>{escape(key)}</dt><dd>{escape(text)}</dd>" for key, text in facts)
    return _section("What was read", f'<dl class="facts">\n{listed}\n</dl>{_items(notes)}')


def _cautions(cautions: tuple[Caution, ...]):
    if not cautions:
        return ""
    return _section("Warnings", _items(caution.text for caution in cautions))


def _diagram(report):
    curve = report.curve
    if curve is None:
        return ""
    if curve.crosses:
        reading = (
            "The band crosses itself: by itself this speaks against a truth that increases with "
            "the scores, at the 5 % level."
        )
    elif curve.holds_diagonal:
        reading = "The band holds the diagonal everywhere, so calibration is not excluded by it."
    else:
        reading = (
            "The band leaves out the diagonal somewhere: by itself this speaks against "
            "calibration, at the 5 % level."
        )
    description = (
        "Observed fraction of positives against predicted probability. Curve: isotonic regression. "
        "Band: where the true curve lies with 95 % confidence, everywhere at once, if it "
        f"increases. Dashed: perfect calibration. Below: histogram of the predictions. {reading}"
    )
    drawing = _figure(diagram(curve, "Calibration diagram", description), description)
    rows = [
        (
            f"{number(b.lowest)} to {number(b.highest)}",
            [amount(b.count), number(b.predicted), number(b.observed), _range(b.lower, b.upper)],
        )
        for b in report.bins
    ]
    table = _table(
        f"The same in numbers: up to {N_BINS} groups of equal size, with 95 % limits.",
        ["Predictions", "Rows", "Mean", "Observed", "95 % limits"],
        rows,
    )
    return _section("Predicted and observed", drawing + table)


def _measures(measures: tuple[Estimate, ...]):
    rows = [
        (e.name, [number(e.value), _range(e.lower, e.upper), number(e.by_chance)]) for e in measures
    ]
    caption = "Chance: what calibrated predictions stay below in 95 of 100 samples of this size."
    table = _table(caption, ["Measure", "Value", "95 % limits", "Chance"], rows)
    return _section("Measures", table + _terms((e.name, e.note) for e in measures if e.note))


def _tests(report):
    if not report.tests:
        return ""
    rows = [
        (
            test.name,
            ["infinite" if test.statistic is None else number(test.statistic)] + [_p(test.p_value)],
        )
        for test in report.tests
    ]
    caption = "p: how often calibrated predictions look at least as bad."
    table = _table(caption, ["Test", "Statistic", "p"], rows)
    return _section(
        "Tests of calibration", table + _terms((test.name, test.note) for test in report.tests)
    )


def _groups(report):
    if not report.groups:
        return ""
    description = (
        "Observed fraction of positives less mean prediction in each group, with limits that hold "
        "for all groups at once with 95 % confidence. Limits to the right of 0: predictions are "
        "too low there."
    )
    shown = report.groups
    if len(shown) > MOST_GROUPS:
        ranks = sorted(range(len(shown)), key=lambda place: shown[place].p_value)
        shown = [shown[place] for place in sorted(ranks[:MOST_GROUPS])]
        description += (
            f" The {MOST_GROUPS} of {len(report.groups)} groups with the smallest p values; the "
            "table has all."
        )
    drawing = _figure(
        interval_diagram(shown, "Observed less predicted", "Groups", description),
        description,
    )
    rows = [
        (
            g.name,
            [amount(g.total), amount(g.positives), number(g.predicted), number(g.observed)]
            + [number(g.bias), _range(g.lower, g.upper), _p(g.p_value), number(g.auc)],
        )
        for g in report.groups
    ]
    table = _table(
        "Limits and p values (Kuiper test) are made for all groups at once.",
        ["Group", "Rows", "Positives", "Mean", "Observed", "Difference", "Limits", "p", "AUC"],
        rows,
    )
    return _section("Groups", drawing + table)


def _decisions(report):
    if not report.decisions:
        return ""
    description = (
        "Net benefit of acting where the prediction exceeds a threshold, of acting always (dashed) "
        "and never (0). The threshold is the probability at which acting and not acting cost the "
        "same; one false alarm per hit is worth it at 0.5, nine at 0.1."
    )
    drawing = _figure(
        decision_diagram(report.decisions, "Decision curve", description), description
    )
    shown = [
        point
        for point in report.decisions
        if point.threshold in SHOWN_THRESHOLDS
        and report.data.lowest <= point.threshold <= report.data.highest
    ]
    rows = [
        (
            f"{point.threshold:.2f}",
            [number(point.net_benefit), number(point.act_on_all)]
            + [number(point.gain), _range(point.lower, point.upper)],
        )
        for point in shown
    ]
    table = _table(
        "Gain: over acting always or never, whichever is better there.",
        ["Threshold", "By scores", "Always", "Gain", "95 % limits"],
        rows,
    )
    return _section("Decisions", drawing + (table if rows else ""))


def _comparison(comparison: Compared | None):
    if comparison is None:
        return _section(
            "Calibrators",
            "<p>Not compared: fewer than 20 rows of a class, in the file or among the 20,000 rows "
            "drawn from it.</p>",
        )
    text = f"<p><strong>{escape(comparison.recommendation)}</strong></p>"
    against = REFERENCES[comparison.reference]
    loss = LOSSES[comparison.gain_in]
    description = (
        f"Gain in cross-validated {loss} over {against}, with limits that hold for all "
        "calibrators at once with 95 % confidence. Limits to the right of 0: the calibrator helps."
    )
    if comparison.gain_in == "brier":
        description += f" In the Brier score, as the log loss of {against} is infinite."
    others = comparison.methods[1:]
    drawing = _figure(
        interval_diagram(others, f"Gain in {loss}", "Gains of calibrators", description),
        description,
    )
    rows = [
        (
            method.name,
            ["infinite" if method.log_loss is None else number(method.log_loss)]
            + [number(method.brier), number(method.miscalibration), number(method.discrimination)]
            + [number(method.auc), number(method.gain), _range(method.lower, method.upper)]
            + [number(None) if method.name == comparison.reference else percent(method.harm)],
        )
        for method in comparison.methods
    ]
    table = _table(
        f"All cross-validated. Gain: in {loss}. Harm: share of the folds in which log loss grew.",
        ["Method", "Log loss", "Brier", "MCB", "DSC", "AUC", "Gain", "95 % limits", "Harm"],
        rows,
    )
    return _section("Calibrators", text + drawing + table + _items(comparison.notes))


def _section(heading, content):
    name = heading.lower().replace(" ", "-")
    return (
        f'<section aria-labelledby="{name}">\n<h2 id="{name}">{escape(heading)}</h2>\n'
        f"{content}\n</section>"
    )


def _figure(svg, description):
    return f"<figure>\n{svg}\n<figcaption>{escape(description)}</figcaption>\n</figure>\n"


def _items(texts: Iterable[str], tag="ul"):
    items = "\n".join(f"<li>{escape(text)}</li>" for text in texts)
    return f"<{tag}>\n{items}\n</{tag}>" if items else ""


def _terms(pairs):
    """What the names in a table mean."""
    listed = "\n".join(f"<dt>{escape(name)}</dt><dd>{escape(text)}</dd>" for name, text in pairs)
    return f'\n<dl class="terms">\n{listed}\n</dl>'


def _p(p_value):
    return probability(p_value).removeprefix("p").removeprefix(" =").strip()


def _table(caption, head, rows):
    """A table in a box that scrolls; the first cell of a row is its head."""
    heads = "".join(f'<th scope="col">{escape(text)}</th>' for text in head)
    lines = []
    for name, cells in rows:
        columns = "".join(f"<td>{escape(cell)}</td>" for cell in cells)
        lines.append(f'<tr><th scope="row">{escape(name)}</th>{columns}</tr>')
    body = "\n".join(lines)
    wide = ' class="wide"' if len(head) > 5 else ""
    return (
        f'<div class="scroll" role="region" aria-label="{escape(caption)}" tabindex="0">\n'
        f"<table{wide}>\n"
        f"<caption><span>{escape(caption)}</span></caption>\n<thead><tr>{heads}</tr></thead>\n"
        f"<tbody>\n{body}\n</tbody>\n</table>\n</div>"
    )


def _range(lower, upper):
    return number(None) if lower is None else f"{number(lower)} to {number(upper)}"
