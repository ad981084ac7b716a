"""The marking desk: ``python -m course.tools.desk SUBMISSIONS`` after grading.

It shows the answers of the last grades in a browser on this machine, a page for each question. What
is given there is added to SUBMISSIONS/marks.csv at once; "Write the grades" puts the marks into the
grades, and runs nothing. With --marker NAME a second marker, who does not see the first one's
marks, writes to marks-NAME.csv; the desk without a name lists where the two differ.
"""

import argparse
import json
import secrets
import threading
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote

from . import sheets
from .grade import GRADES, merge, read_results, with_marks
from .markdown import close
from .marks import MarksError, add_mark, allowed, read_marks
from .source import COURSE

HERE = Path(__file__).parent
FILES = {
    "slides.css": (COURSE / "slides" / "slides.css", "text/css"),
    "desk.css": (HERE / "desk.css", "text/css"),
    "desk.js": (HERE / "desk.js", "text/javascript"),
}
LARGEST = 100_000  # bytes of what is sent
HEADERS = {  # nothing but the desk's own script runs, and nothing is fetched from elsewhere
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; connect-src 'self'; "
    "style-src 'self' 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}


class Desk:
    """The last grades and the marks of one marker."""

    def __init__(self, folder, output=GRADES, marker=""):
        self.folder, self.output = folder, output
        self.path = folder / (f"marks-{marker}.csv" if marker else "marks.csv")
        self.graded, _ = read_results(output / "results.json")
        self.pairs = sheets.by_question(self.graded)
        self.is_first = not marker
        self.lock = threading.Lock()  # of the marks, and of the drawing of formulas

    def markers(self):
        """Marks by marker, those that count first."""
        others = sorted(self.folder.glob("marks-*.csv")) if self.is_first else []
        named = {path.stem.removeprefix("marks-"): read_marks(path) for path in others}
        return {"marks.csv": read_marks(self.path)} | named

    def page(self, name):
        """The page of a name, or KeyError."""
        markers = self.markers()
        marks = markers["marks.csv"]
        if name == "":
            return sheets.overview(with_marks(self.graded, marks), len(markers) > 1)
        if name == "differences" and len(markers) > 1:
            return sheets.differences(markers)
        key = tuple(name.split("/"))
        return sheets.question_page(*key, self.pairs[key], marks)

    def take(self, name, given):
        """Save what a page sends, and return what to say; KeyError for what nobody asked."""
        if name == "":
            problems = merge(read_marks(self.path), self.output) if self.is_first else None
            return said_of_merging(self.output, problems)
        key = tuple(name.split("/"))
        student, points, comment = (str(given[k]) for k in ["student", "points", "comment"])
        most = {s: result["maximum"] for s, result in self.pairs[key]}[student]
        if points:
            points = f"{allowed(points, most, student):g}"
        add_mark(self.path, student, *key, points, "\n".join(comment.splitlines()))
        return f"Saved: {points} of {most} points" if points else "Saved: no points given"


def said_of_merging(output, problems):
    """What to say when the grades were to be written; problems are None for a second marker."""
    if problems is None:
        return "The desk without a marker's name writes the grades."
    return f"The grades are in {output}, with {len(problems)} lines in problems.txt."


class Handler(BaseHTTPRequestHandler):
    """Pages below a word that only the marker's browser knows."""

    def __init__(self, desk, word, *arguments):
        self.desk, self.word = desk, word
        super().__init__(*arguments)

    def do_GET(self):  # noqa: N802
        """Send a page, the style or the script."""
        self._reply(self._shown)

    def do_POST(self):  # noqa: N802
        """Save a mark, or write the grades."""
        self._reply(self._taken)

    def log_message(self, *arguments):
        """Say nothing in the terminal."""

    def _reply(self, work):
        word, _, name = unquote(self.path).removeprefix("/").partition("/")
        try:
            if not secrets.compare_digest(word.encode(), self.word.encode()):
                raise KeyError(word)
            with self.desk.lock:
                kind, text = work(name)
            self._send(200, kind, text)
        except (KeyError, TypeError):
            self._send(404, "text/plain", "there is no such page")
        except (ValueError, OSError) as error:  # MarksError among them
            self._send(400, "text/plain", str(error))

    def _shown(self, name):
        if name in FILES:
            path, kind = FILES[name]
            return kind, path.read_text(encoding="utf-8")
        return "text/html", self.desk.page(name)

    def _taken(self, name):
        length = int(self.headers["Content-Length"])
        if length > LARGEST:
            raise ValueError("too long")
        return "text/plain", self.desk.take(name, json.loads(self.rfile.read(length)))

    def _send(self, status, kind, text):
        content = text.encode("utf-8", "replace")
        self.send_response(status)
        for key, value in HEADERS.items():
            self.send_header(key, value)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


def server(desk, port=0):
    """A server for this machine only, and the address of its first page."""
    word = secrets.token_urlsafe(16)
    made = ThreadingHTTPServer(("127.0.0.1", port), partial(Handler, desk, word))
    return made, f"http://127.0.0.1:{made.server_port}/{word}/"


def main():
    """Open the desk for the folder that the command line names, until Ctrl-C."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("submissions", help="folder of what students have handed in")
    parser.add_argument("--marker", default="", help="name of a second marker: letters, digits")
    parser.add_argument("--output", type=Path, default=GRADES, help="where the grades are")
    arguments = parser.parse_args()
    folder = Path(arguments.submissions)
    if not arguments.submissions or not folder.is_dir():
        parser.error(f"{arguments.submissions!r} is no folder; SUBMISSIONS=... names one")
    if arguments.marker and not arguments.marker.isalnum():
        parser.error(f"a marker's name is made of letters and digits, not {arguments.marker!r}")
    if not (arguments.output / "results.json").exists():
        parser.error(f"{arguments.output} holds no grades; run make course-grade before")
    try:
        desk = Desk(folder, arguments.output, arguments.marker)
        desk.markers()
    except MarksError as error:
        parser.exit(1, f"{error}\n")
    made, address = server(desk)
    print(f"Open {address} in a browser.\nMarks are saved in {desk.path}. Ctrl-C ends the desk.")
    try:
        made.serve_forever()
    except KeyboardInterrupt:
        print("\nThe marks are saved.")
    finally:
        made.server_close()
        close()


if __name__ == "__main__":
    main()
