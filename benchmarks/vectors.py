"""Run packages on the test vectors, and count.

python benchmarks/vectors.py run            with the packages of this environment, R and node, into
                                            results/vectors.csv
python benchmarks/vectors.py run NAME ...   these packages of Python alone
python benchmarks/vectors.py table          results/vectors_summary.csv, from that record

Rows of packages that are not run stay as they were recorded, so that several environments can write
one record: calibre needs Python 3.12. The judge is calibkit/testing/vectors.py, which needs
Python alone, so the environment needs no calib; if it has it, calib is judged, too.
"""

import csv
import importlib.util
import json
import math
import os
import shutil
import subprocess
import sys
import warnings
from collections import Counter
from contextlib import redirect_stderr, redirect_stdout
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from vector_functions import PACKAGES

ROOT = Path(__file__).resolve().parents[1]
RECORD = ROOT / "results" / "vectors.csv"
SUMMARY = ROOT / "results" / "vectors_summary.csv"
WORDS = ("pass", "imprecise", "other convention", "refused", "fault")
PROGRAMS = [  # language, command, and the name of what the first lines are of
    ("R", ["Rscript", "vectors/base.R"], "base R"),
    ("R", ["Rscript", "benchmarks/vectors.R"], None),
    ("JavaScript", ["node", "vectors/page.js"], "the page of this site"),
]
DIGITS = 12  # significant digits of a number in the record


def judge_module():
    """Load the judge, from its file alone."""
    path = ROOT / "calibkit" / "testing" / "vectors.py"
    spec = importlib.util.spec_from_file_location("judge_of_vectors", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


JUDGE = judge_module()


def records(package, number, language, functions):
    """Rows of the record for one package."""
    with warnings.catch_warnings(), open(os.devnull, "w") as nothing:
        warnings.simplefilter("ignore")
        with redirect_stdout(nothing), redirect_stderr(nothing):
            verdicts = JUDGE.judge_vectors(functions)
    for verdict in verdicts:
        yield {
            "package": package,
            "version": number,
            "language": language,
            "function": verdict.function,
            "case": verdict.case,
            "verdict": verdict.verdict,
            "found": shown(verdict.found),
            "remark": verdict.remark,
        }


def shown(found):
    """Return an answer as text: the kind of an exception, or the first numbers."""
    if isinstance(found, str):
        return found.split(":")[0]
    texts = [f"{number:.{DIGITS}g}" for number in found]
    return " ".join(texts if len(texts) <= 3 else [*texts[:3], "..."])


def python_packages(names):
    """Yield rows of those packages of Python that are installed."""
    for name in names:
        try:
            number, functions = version(name), PACKAGES[name]()
        except (ImportError, PackageNotFoundError) as error:
            print(f"{name} is not run: {error}", file=sys.stderr)
            continue
        language = "SQL" if name == "duckdb" else "Python"
        yield from records(name, number, language, functions)


def answers_of(lines):
    """Functions that give the answers which a program of another language printed."""
    answers = {}
    inputs = {case["id"]: case for case in JUDGE.read_vectors()}
    for line in lines:
        name, found, _ = line.split("\t", 2)
        case = inputs[name]
        answers[case["function"], json.dumps(case["input"])] = found

    def function(name):
        def answer(**given):
            found = answers.get((name, json.dumps(given)))
            if found is None:
                raise NotImplementedError
            if found == "error":
                raise ValueError
            return [math.nan if text in ("NaN", "NA") else float(text) for text in found.split()]

        return answer

    return {name: function(name) for name, _ in answers}


def other_programs():
    """Yield rows of R and JavaScript."""
    for language, command, first in PROGRAMS:
        if shutil.which(command[0]) is None:
            print(f"{command[0]} is not installed", file=sys.stderr)
            continue
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
        parts = {first: []}
        numbers = {first: number_of(language)}
        for line in done.stdout.splitlines():
            if line.startswith("##"):
                _, first, number = line.split("\t")[:3]
                parts[first], numbers[first] = [], number
            else:
                parts[first].append(line)
        for name, lines in parts.items():
            if lines:
                yield from records(name, numbers[name], language, answers_of(lines))


def number_of(language):
    """Version of the language itself."""
    command = {"R": ["Rscript", "--version"], "JavaScript": ["node", "--version"]}[language]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return next(w for w in (done.stdout + done.stderr).split() if any(map(str.isdigit, w)))


def recorded():
    """Rows of the record."""
    with open(RECORD, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def renewed(old, new):
    """Rows of a record, with all rows of a package in place of its earlier ones."""
    run = {row["package"] for row in new}
    rows = [*(row for row in old if row["package"] not in run), *new]
    known = [*PACKAGES, *dict.fromkeys(row["package"] for row in old)]
    return sorted(rows, key=lambda row: known.index(row["package"]))


def write(path, rows):
    """Write rows as a table."""
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def summary(rows):
    """Return a row for each package: how many cases have which verdict."""
    counts = {}
    for row in rows:
        key = (row["package"], row["version"], row["language"])
        counts.setdefault(key, Counter())[row["verdict"]] += 1
    return [
        {
            "package": f"{package} {number}",
            "language": language,
            "cases": found.total(),
            **{word: found[word] for word in WORDS},
        }
        for (package, number, language), found in counts.items()
    ]


def main():
    """Do what the command line asks for."""
    step, names = "".join(sys.argv[1:2]), sys.argv[2:]
    if step not in ("run", "table"):
        sys.exit(__doc__)
    if step == "run":
        rows = [*python_packages(names or PACKAGES), *([] if names else other_programs())]
        write(RECORD, renewed(recorded(), rows))
    write(SUMMARY, summary(recorded()))


if __name__ == "__main__":
    main()
