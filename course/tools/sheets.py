"""Pages of the marking desk: all questions, the answers to one, and where two markers differ.

What students wrote stands on them as text only.
"""

import re
from collections import Counter
from html import escape

from .feedback import heading
from .markdown import new_document, render, with_outlines
from .page import block, document
from .source import SOLUTION, read_set, title

HEAD = (
    '<link rel="stylesheet" href="{up}slides.css">\n<link rel="stylesheet" href="{up}desk.css">\n'
    '<script defer src="{up}desk.js"></script>\n'
)
NUMBER = re.compile(r"-?\d[\d.]*(e[+-]?\d+)?")
KEYS = (
    "Keys: 0 to 9 points, h half a point more, c comment, Escape leaves it, n next to mark, p back."
)


def by_question(graded):
    """Pairs of student and result by set and question, in the order of the sets."""
    found = {}
    for s, results in sorted(graded.items(), key=lambda item: (item[0].set_name, item[0].student)):
        for result in results:
            found.setdefault((s.set_name, result["question"]), []).append((s.student, result))
    return found


def shares(results):
    """The mean share of the points and the share of full points, of what has points."""
    given = [r["points"] / r["maximum"] for r in results if r["points"] is not None]
    if not given:
        return "", ""
    return f"{sum(given) / len(given):.0%}", f"{sum(g == 1 for g in given) / len(given):.0%}"


def common(results, most=5):
    """What tests said most often, numbers left out as each student has others: text and count."""
    said = [NUMBER.sub("#", r["said"]) for r in results if r["said"]]
    return Counter(said).most_common(most)


def table(head, rows):
    """A table of HTML."""
    lines = [f"<tr>{''.join(f'<th>{name}</th>' for name in head)}</tr>"]
    lines += [f"<tr>{''.join(f'<td>{entry}</td>' for entry in row)}</tr>" for row in rows]
    return '<div class="wide"><table>\n' + "\n".join(lines) + "\n</table></div>"


def overview(graded, second):
    """The page of all questions; ``second`` tells whether there are marks to compare with."""
    rows = {}
    for (name, question), pairs in by_question(graded).items():
        results = [result for _, result in pairs]
        waiting = sum(r["points"] is None for r in results)
        link = f'<a href="{name}/{question}">{escape(heading(read_set(name), question))}</a>'
        rows.setdefault(name, []).append([link, waiting, len(results), *shares(results)])
    head = ["question", "to mark", "of", "mean points", "full points"]
    sets = [f"<h2>{escape(title(read_set(n)))}</h2>\n{table(head, own)}" for n, own in rows.items()]
    differences = '<p><a href="differences">Where two markers differ</a></p>\n' if second else ""
    body = (
        "<h1>Marking desk</h1>\n" + "\n".join(sets) + f"\n{differences}"
        '<p><button id="merge">Write the grades</button></p>\n'
        '<p class="status" id="merged" role="status"></p>'
    )
    return document("Marking desk", body, head=HEAD.format(up=""))


def points_of(number, result, chosen):
    """Buttons for points, by halves, and one for none."""
    values = [("", "none")] + [(f"{n / 2:g}",) * 2 for n in range(2 * result["maximum"] + 1)]
    buttons = [
        f'<label><input type="radio" name="p{number}" value="{value}"'
        f"{' checked' if value == chosen else ''}> {label}</label>"
        for value, label in values
    ]
    legend = f"<legend>Points of {result['maximum']}</legend>"
    return f"<fieldset>{legend}{''.join(buttons)}</fieldset>"


def answer(number, student, result, mark):
    """An answer, with what is given to it so far."""
    points, comment = mark
    chosen = "" if points is None else f"{points:g}"
    test = "" if result["points"] is None else f"{result['points']:g}"
    given = f"Saved: {chosen} points" if chosen else f"By the test: {test} points" * bool(test)
    return (
        f'<article tabindex="0" aria-labelledby="s{number}" data-student="{escape(student)}" '
        f'data-test="{test}" class="{"marked" * bool(chosen or test)}">\n'
        f'<h2 id="s{number}">{escape(student)}</h2>\n'
        + block("Answer", result["answer"])
        + block("What the test found", result["said"])
        + block("What was printed", result["printed"])
        + points_of(number, result, chosen)
        + f'\n<label for="c{number}">Comment, which the student reads</label>\n'
        f'<textarea id="c{number}" rows="2">\n{escape(comment)}</textarea>\n'
        f'<p class="status" role="status">{given}</p>\n<button>Next to mark</button>\n</article>'
    )


def question_page(name, question, pairs, marks):
    """The page of a question; ``pairs`` are those of by_question, before marks."""
    cells = read_set(name)
    label = heading(cells, question)
    shown = [cell for cell in cells if cell.question and cell.question.name == question]
    asked = "\n".join(c.source.partition("\n")[2] for c in shown if c.kind == "question")
    model = [SOLUTION.search(c.source)[0].split("\n", 1)[1] for c in shown if c.kind == "written"]
    body = [
        f'<p><a href="../">All questions</a></p>\n<h1>{escape(f"{title(cells)}. {label}")}</h1>',
        f"<details><summary>The question</summary>\n{render(asked, new_document({}))}</details>",
    ]
    for text in model:
        rubric = render(text.replace("### END SOLUTION", ""), new_document({}))
        summary = "<summary>Model answer and rubric</summary>"
        body.append(f"<details open>{summary}\n{rubric}</details>")
    results = [result for _, result in pairs]
    if common(results):
        rows = [[n, f"<pre>{escape(said)}</pre>"] for said, n in common(results)]
        body += ["<h2>What tests found most often</h2>", table(["students", "found"], rows)]
    to_read = [(s, r) for s, r in pairs if r["answer"] and (model or r["points"] != r["maximum"])]
    to_read += [(s, r) for s, r in pairs if not r["answer"] and r["points"] is None]
    body.append(
        f'<p><span id="left"></span> of {len(to_read)} answers to mark; '
        f"{len(pairs) - len(to_read)} are right or not there. {KEYS}</p>"
    )
    for number, (student, result) in enumerate(to_read):
        mark = marks.get((student, name, question), (None, ""))
        body.append(answer(number, student, result, mark))
    body.append('<p id="end" tabindex="-1"><a href="../">No more to mark: all questions</a></p>')
    return with_outlines(document(label, "\n".join(body), head=HEAD.format(up="../")))


def differences(markers):
    """The page of what more than one marked; ``markers`` are their marks by name."""
    keys = sorted({key for marks in markers.values() for key in marks})
    rows, both, equal = [], 0, 0
    for key in keys:
        given = [marks.get(key, (None, ""))[0] for marks in markers.values()]
        if sum(points is not None for points in given) > 1:
            both += 1
            equal += len(set(given) - {None}) == 1
            if len(set(given) - {None}) > 1:
                student, name, question = map(escape, key)
                link = f'<a href="{name}/{question}">{question}</a>'
                rows.append([student, name, link, *("" if p is None else f"{p:g}" for p in given)])
    head = ["student", "set", "question", *map(escape, markers)]
    body = (
        '<p><a href="./">All questions</a></p>\n<h1>Where two markers differ</h1>\n'
        f"<p>{both} answers were marked more than once, {equal} of them with the same points. "
        f"What the first column says counts.</p>\n{table(head, rows)}"
    )
    return document("Where two markers differ", body, head=HEAD.format(up=""))
