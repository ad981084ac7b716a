"""Rows as CSV, and a table of the ledger as Markdown: the paper beside ours."""

import csv
import math

from experiments.ledger import EXPLAINED, NOT_COMPARABLE, TUNED, UNEXPLAINED, totals

MARKS = {EXPLAINED: " ◐", TUNED: " ○", UNEXPLAINED: " ●", NOT_COMPARABLE: " –"}


def write_rows(rows, path):
    """Write a list of dicts as a CSV file."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def number(value, half):
    """A number with one digit more than was printed; `half` as in `Printed`."""
    if not math.isfinite(value):
        return "∞" if value > 0 else ""
    decimals = max(0, round(-math.log10(2 * half)) + 1) if half else 3
    return f"{value:.{decimals}f}"


def table_text(paper, table, found, trials):
    """Markdown of a table: printed / ours, marked where they differ, and why."""
    halves = {(p.row, p.column): p.half for p in table.printed()}
    rows = list(dict.fromkeys(entry.row for entry in found))
    columns = list(dict.fromkeys(entry.column for entry in found))
    cells = {(entry.row, entry.column): _cell(entry, halves) for entry in found}
    count = totals(found)
    lines = [
        f"# {paper.citation}, {table.name}: {table.title}",
        "",
        "Printed / ours (standard error of the difference). Without a mark: ours rounds to the "
        "printed number or is within two standard errors of what does. ◐: it is so once an "
        "accepted cause, named below, is changed. ○: the same, by a constant that printed numbers "
        "have chosen. ●: by no accepted cause. –: not comparable.",
        "",
        _line(["", *columns]),
        _line([":--", *["--:"] * len(columns)]),
        *(_line([row, *(cells.get((row, column), "") for column in columns)]) for row in rows),
        "",
        "; ".join(f"{verdict}: {n}" for verdict, n in count.items()) + f"; of {count.numbers}.",
    ]
    causes = {cause.name: cause for cause in paper.causes}
    for trial in trials:
        explained = [entry for entry in found if entry.cause == trial.cause]
        if explained:
            places = ", ".join(
                f"{e.row} {e.column} ({number(e.ours_under_cause, halves[e.row, e.column])})"
                for e in explained
            )
            title, mark = causes[trial.cause].title, "○" if trial.tuned else "◐"
            lines += ["", f"{mark} {trial.cause}: {title}. With it ours is: {places}."]
    open_ = [f"{e.row} {e.column}" for e in found if e.verdict == UNEXPLAINED]
    if open_:
        lines += ["", f"● Not explained: {', '.join(open_)}."]
    reasons = {entry.reason for entry in found if entry.reason}
    lines += [line for reason in sorted(reasons) for line in ["", f"– Not comparable: {reason}."]]
    return "\n".join([*lines, "", table.uncertainty, ""])


def _cell(entry, halves):
    half = halves[entry.row, entry.column]
    printed = number(entry.published, half)[: None if not half else -1] or "0"
    if not math.isfinite(entry.published):
        printed = "∞"
    if entry.verdict == NOT_COMPARABLE:
        return printed + MARKS[NOT_COMPARABLE]
    error = f" ({number(entry.error, half)})" if math.isfinite(entry.error) else ""
    return f"{printed} / {number(entry.ours, half)}{error}{MARKS.get(entry.verdict, '')}"


def _line(cells):
    return "| " + " | ".join(cells) + " |"
