"""Sums and feedback as Moodle and Canvas read them back, for what came from there."""

import csv
import zipfile

from . import feedback
from .source import read_set, set_names, title


def total(results):
    """The sum of the points, or nothing while one of them is missing."""
    points = [result["points"] for result in results]
    return "" if None in points else f"{sum(points):g}"


def moodle_row(submission, results):
    """A row of Moodle's grading worksheet."""
    name = submission.student.rpartition("_")[0]
    most = sum(result["maximum"] for result in results)
    return [f"Participant {submission.number}", name, total(results), most]


def canvas_row(submission, results):
    """A row of Canvas' grade book."""
    return [submission.student.rpartition("_")[0], submission.number, "", total(results)]


def write(graded, folder):
    """Write a table for each set and platform, and Moodle's archive of feedback files."""
    for platform in ["moodle", "canvas"]:
        for name in set_names():
            own = {s: r for s, r in graded.items() if (s.platform, s.set_name) == (platform, name)}
            if own:
                (folder / platform).mkdir(exist_ok=True)
                write_one(platform, name, own, folder / platform)


def write_one(platform, name, own, folder):
    """Write what a platform reads for one set."""
    heads = {
        "moodle": ["Identifier", "Full name", "Grade", "Maximum Grade"],
        "canvas": ["Student", "ID", "Section", title(read_set(name))],
    }
    row = {"moodle": moodle_row, "canvas": canvas_row}[platform]
    with (folder / f"{name}.csv").open("w", newline="", encoding="utf-8") as file:
        rows = [heads[platform], *(row(s, results) for s, results in own.items())]
        csv.writer(file, lineterminator="\n").writerows(rows)
    if platform == "moodle":
        with zipfile.ZipFile(folder / f"{name}-feedback.zip", "w") as archive:
            for s, results in own.items():
                prefix = s.prefix or f"{s.student}_assignsubmission_file_"
                page = feedback.page(name, s.student, results)
                archive.writestr(f"{prefix}/{name}.html", page)
