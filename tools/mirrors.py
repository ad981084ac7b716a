"""Python modules that the page *calibrate* mirrors in JavaScript, and whether one changed alone.

python tools/mirrors.py                  the pairs that have changed since somebody looked
python tools/mirrors.py JS MODULE        renew the digests of a pair that has changed on both sides
python tools/mirrors.py --renew-all      renew all, after renames that change no behaviour

mirrors.csv has a row for each file of book/_static/calibrate and each module that the file mirrors,
with a digest of the code of both. Comments, docstrings and white space do not count. One name, of a
JavaScript file or of a module, means all its pairs.
"""

import argparse
import ast
import csv
import hashlib
import re
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
TABLE = ROOT / "tools" / "mirrors.csv"
SCRIPTS = Path("book/_static/calibrate")
COMMENT = r"//[^\n]*|/\*.*?\*/"
TEXT = r"\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`"
PATTERN = r"(?<=[(,=:!&|?;])\s*/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n\[])+/\w*"
TOKEN = re.compile(rf"({COMMENT})|({TEXT}|{PATTERN}|\w+|\S)", re.DOTALL)
DIGITS = 16  # hexadecimal digits of a digest


class Pair(NamedTuple):
    """A row of the table: a JavaScript file, a module that it mirrors, and their digests."""

    js: str
    module: str
    js_digest: str
    module_digest: str


def pairs(table=TABLE):
    """Rows of the table."""
    with open(table, newline="", encoding="utf-8") as file:
        return [Pair(**row) for row in csv.DictReader(file)]


def write(rows, table=TABLE):
    """Write the table anew, in the order of its names."""
    with open(table, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(Pair._fields)
        writer.writerows(sorted(rows))


def comments(script):
    """Comments of JavaScript, each as one line of text."""
    for comment, _ in TOKEN.findall(script):
        if comment:
            yield " ".join(re.sub(r"(?m)^\s*(/\*|\*/|\*|//)|\*/$", " ", comment).split())


def js_code(script):
    """JavaScript without comments and white space, a token a line."""
    return "\n".join(token.strip() for _, token in TOKEN.findall(script) if token)


def without_docstrings(tree):
    """The tree, from which docstrings are taken out in place."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            if ast.get_docstring(node, clean=False) is not None:
                node.body = node.body[1:]
    return tree


def form(node):
    """A syntax tree as text, as `ast.dump` writes it, but the same in every version of Python."""
    if isinstance(node, list):
        return f"[{','.join(form(child) for child in node)}]"
    if not isinstance(node, ast.AST):
        return repr(node)
    fields = [(name, value) for name, value in ast.iter_fields(node) if value not in (None, [])]
    text = ",".join(f"{name}={form(value)}" for name, value in fields)
    return f"{type(node).__name__}({text})"


def module_code(text):
    """The syntax of a module, without docstrings and comments."""
    return form(without_docstrings(ast.parse(text)))


def digest(code):
    """The first digits of the hash of a text."""
    return hashlib.sha256(code.encode()).hexdigest()[:DIGITS]


def today(pair, root=ROOT):
    """The pair with the digests of the files as they are."""
    script = (root / SCRIPTS / pair.js).read_text(encoding="utf-8")
    module = (root / f"{pair.module.replace('.', '/')}.py").read_text(encoding="utf-8")
    return pair._replace(
        js_digest=digest(js_code(script)), module_digest=digest(module_code(module))
    )


def fault(pair, root=ROOT):
    """What to do about a pair that has changed; None if it has not."""
    now = today(pair, root)
    js_changed = now.js_digest != pair.js_digest
    module_changed = now.module_digest != pair.module_digest
    renew = f"python tools/mirrors.py {pair.js} {pair.module}"
    if js_changed and module_changed:
        return f"{pair.js} and {pair.module} have both changed: compare them, then run {renew}"
    if js_changed or module_changed:
        changed, other = (pair.js, pair.module) if js_changed else (pair.module, pair.js)
        return (
            f"{changed} has changed alone: change {other}, which does the same, as well and run "
            f"{renew}; or, if it does the same as before, add --no-change-needed"
        )
    return None


def changed_alone(pair, root=ROOT):
    """Whether one of a pair has changed and the other has not."""
    now = today(pair, root)
    return (now.js_digest != pair.js_digest) != (now.module_digest != pair.module_digest)


def main(arguments=None, table=TABLE, root=ROOT):
    """List the pairs that have changed, or renew the digests of some; return the exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", help="a JavaScript file, a module, or both")
    parser.add_argument(
        "--no-change-needed",
        action="store_true",
        help="the other of a pair needs no change: somebody has compared them",
    )
    parser.add_argument(
        "--renew-all",
        action="store_true",
        help="renew every pair; only after renames that change no behaviour",
    )
    options = parser.parse_args(arguments)
    rows = pairs(table)
    chosen = [row for row in rows if {*options.names} <= {row.js, row.module}]
    if not chosen:
        parser.error(f"{TABLE.name} has no pair of {' and '.join(options.names)}")
    if options.renew_all:
        write([today(row, root) for row in rows], table)
        return 0
    if not options.names:
        faults = [text for text in (fault(row, root) for row in rows) if text]
        print("\n".join(faults) or "no pair has changed")
        return int(bool(faults))
    refused = [row for row in chosen if changed_alone(row, root)]
    if refused and not options.no_change_needed:
        print("\n".join(fault(row, root) for row in refused), file=sys.stderr)
        return 1
    write([today(row, root) if row in chosen else row for row in rows], table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
