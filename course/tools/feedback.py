"""The page that a student gets: each question with its points, the answer and what the test said.

One file of HTML without a script, which needs no network.
"""

from html import escape

from .page import block, document
from .source import questions, read_set, title

STYLE = """\
body { font: 16px/1.5 sans-serif; max-width: 50rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; }
td, th { text-align: left; padding: 0.1rem 1.5rem 0.1rem 0; }
pre { background: #f3f3f3; padding: 0.6rem; overflow-x: auto; white-space: pre-wrap; }
section { border-top: 1px solid #999; margin-top: 2rem; }
"""


def shown(points):
    """Points in a table: a number, or that a person has to read."""
    return "to be marked" if points is None else f"{points:g}"


def heading(cells, name):
    """Number and title of a question."""
    asked = [cell for cell in cells if cell.kind == "question"]
    number, cell = next((n, c) for n, c in enumerate(asked, 1) if c.question.name == name)
    return f"Question {number}. {cell.source.partition(chr(10))[0].removeprefix('## ')}"


def page(name, student, results):
    """A student's feedback for a set; ``results`` are dictionaries, with ``comment`` if any."""
    cells = read_set(name)
    total = sum(result["points"] or 0 for result in results)
    most = sum(question.points for question in questions(cells))
    body = [f"<h1>{escape(title(cells))}</h1>", f"<p>{escape(student)}: {total:g} of {most}</p>"]
    body.append("<table>\n<tr><th>question</th><th>points</th></tr>")
    for result in results:
        link = f'<a href="#{result["question"]}">{escape(heading(cells, result["question"]))}</a>'
        points = f"{shown(result['points'])} of {result['maximum']}"
        body.append(f"<tr><td>{link}</td><td>{points}</td></tr>")
    body.append("</table>")
    for result in results:
        body.append(f'<section id="{result["question"]}">')
        body.append(f"<h2>{escape(heading(cells, result['question']))}</h2>")
        body.append(f"<p>{shown(result['points'])} of {result['maximum']} points</p>")
        body.append(block("Comment", result.get("comment", "")))
        body.append(block("What the test found", result["said"]))
        body.append(block("Your answer", result["answer"]))
        body.append(block("What was printed", result["printed"]))
        body.append("</section>")
    return document(f"{title(cells)}: {student}", "\n".join(body), STYLE)
