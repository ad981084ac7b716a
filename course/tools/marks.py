"""Points by hand: read marks.csv, and put its marks over the points that tests gave."""

import csv

from .source import questions, read_set, set_names

HEAD = ["student", "set", "question", "points", "comment"]


class MarksError(ValueError):
    """A table of marks that cannot be used, in words for the lecturer."""


def read_marks(path):
    """Marks of a file, points and comment by student, set and question; none without a file."""
    if not path.exists():
        return {}
    marks = {}
    most = {(name, q.name): q.points for name in set_names() for q in questions(read_set(name))}
    with path.open(newline="", encoding="utf-8-sig") as file:
        reader = csv.DictReader(file)
        if (reader.fieldnames or [])[: len(HEAD)] != HEAD:
            raise MarksError(f"{path} should begin with the line {','.join(HEAD)}")
        for row in reader:
            student, name, question, points, comment = (row[key] or "" for key in HEAD)
            if (name, question) not in most:
                raise MarksError(f"{path}: {name} has no question {question!r}")
            if points.strip():
                marks[student, name, question] = (
                    allowed(points, most[name, question], f"{path}: {student}, {question}"),
                    comment,
                )
    return marks


def allowed(points, maximum, where):
    """Points that were written by hand, as a number from 0 to the maximum."""
    try:
        number = float(points)
    except ValueError:
        number = -1
    if not 0 <= number <= maximum:
        raise MarksError(f"{where}: {points} points given, from 0 to {maximum} are possible")
    return number
