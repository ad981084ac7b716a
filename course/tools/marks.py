"""Points by hand: tables of marks, to which a row is added for each mark; the last one counts."""

import csv
import io
import os

from .source import questions, read_set, set_names

HEAD = ["student", "set", "question", "points", "comment"]


class MarksError(ValueError):
    """A table of marks that cannot be used, in words for the lecturer."""


def read_marks(path):
    """Marks of a file, points and comment by student, set and question; none without a file.

    Points are None where a row has none: those of the test stay.
    """
    if not path.exists():
        return {}
    marks = {}
    most = {(name, q.name): q.points for name in set_names() for q in questions(read_set(name))}
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError:
        raise MarksError(f"{path} is not in UTF-8: save it as such") from None
    reader = csv.DictReader(io.StringIO(text, newline=""))
    if (reader.fieldnames or [])[: len(HEAD)] != HEAD:
        raise MarksError(f"{path} should begin with the line {','.join(HEAD)}")
    for row in reader:
        student, name, question, points, comment = (row[key] or "" for key in HEAD)
        if (name, question) not in most:
            raise MarksError(f"{path}: {name} has no question {question!r}")
        where = f"{path}: {student}, {question}"
        given = allowed(points, most[name, question], where) if points.strip() else None
        marks[student, name, question] = (given, comment)
    return marks


def add_mark(path, *row):
    """Add a row to a table of marks, so that it is on the disk when this returns."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    if not path.exists():
        writer.writerow(HEAD)
    elif not path.read_bytes().endswith(b"\n"):  # as editors leave it
        text.write("\n")
    writer.writerow(row)
    with path.open("ab") as file:
        file.write(text.getvalue().encode())
        file.flush()
        os.fsync(file.fileno())


def allowed(points, maximum, where):
    """Points that were written by hand, as a number from 0 to the maximum."""
    try:
        number = float(points)
    except ValueError:
        number = -1
    if not 0 <= number <= maximum:
        raise MarksError(f"{where}: {points} points given, from 0 to {maximum} are possible")
    return number
