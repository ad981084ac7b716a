"""Write results/README.md: each record, its rows, its date, and the command that makes it again.

python tools/describe_results.py

A record NAME.csv of an experiment has its title and its date in NAME.json. The others are listed
here.
"""

import csv
import json
from pathlib import Path

RESULTS = Path(__file__).resolve().parents[1] / "results"
LEDGER = "python -m experiments ledger"
BENCH = "make bench"
OTHERS = {  # records that are no experiments: what they are, and the command
    "agreement": ("How far other packages are from our definitions", BENCH),
    "attack": ("Search for laws that violate a theorem", "make attack"),
    "cold_start": ("Seconds of first calls, compiling and loading", BENCH),
    "conformance": ("Which promises each package keeps, check by check", BENCH),
    "conformance_failures": ("The promises that are not kept", BENCH),
    "conformance_summary": ("Promises kept, by package and method", BENCH),
    "cost": ("Time and memory of a fit and a prediction", "python benchmarks/cost.py"),
    "large": ("Seconds and memory of rows counted by other engines", BENCH),
    "ledger": ("Every printed number of the five papers beside ours", LEDGER),
    "ledger_causes": ("Causes of differences, and what each of them explains", LEDGER),
    "ledger_choices": ("Settings that a paper leaves open, and the reading taken", LEDGER),
    "ledger_held_out": ("Readings tried on numbers that did not choose them", LEDGER),
    "ledger_missing": ("Numbers that are still open, and how far off they are", LEDGER),
    "ledger_placebos": ("Causes that cannot be true, and how often they pass", LEDGER),
    "ledger_shares": ("Shares of numbers that agree, beside a wrong row", LEDGER),
    "ledger_shares_before": ("The same shares before two constants were found tuned", "none"),
    "limits": ("Seconds and memory of as many rows as fit", BENCH),
    "many_rows": ("Seconds and memory of rows that are sorted in ranges", BENCH),
    "mutants": ("Small changes of the code, and whether a test fails", "make mutants"),
    "notebook_seconds": ("Seconds of each chapter", "make notebooks"),
    "one_sort": ("Time of methods in units of one sort", BENCH),
    "plain_english": (
        "Sentences with patterns that readers stumble over, by kind of text",
        "python tools/plain_english.py --record",
    ),
    "plain_english_peer": ("The same in scikit-learn", "python tools/plain_english.py --peer"),
    "reading_sentences": (
        "Sentences drawn for readers, and what stopped them",
        "none",
    ),
    "reading_test": ("Questions on pages, with answers and verdicts", "none"),
    "rounding": ("What rounding of scores changes", "python benchmarks/rounding.py"),
    "speed": ("Time of a fit and a prediction beside other packages", BENCH),
    "vectors": ("Answers of packages to the test vectors", "python benchmarks/vectors.py run"),
    "vectors_faults": ("Faults that the vectors found, computed twice", "none"),
    "vectors_summary": ("Answers by package and verdict", "python benchmarks/vectors.py table"),
    "threads": ("What a second thread gains", BENCH),
    "verdicts_advice_before": ("Advice of the report before its rule changed", "none"),
    "verdicts_real": ("Verdicts of the report on real data", "make verdicts"),
    "verdicts_real_again": ("The same on other splits", "make verdicts"),
}
COMMANDS = {"second_hand": "make second-hand"}  # of records that have a title of their own
FOLDERS = {
    "durfee2022_scores_standard": "Scores of our networks of Durfee and others (2022)",
    "protocols": "Protocols that were written and hashed before their experiments ran",
    "published": "Numbers that papers print, as data",
}
HEAD = """\
# Records

Every number of the book that is not computed in its chapter comes from a file in this folder.
A record of an experiment is a pair: `NAME.csv` has the rows, and `NAME.json` has the title, the
seed, the versions, the SHA-256 of the data, and every deviation from the paper's protocol.
Numbers have six significant digits. `make audit` computes a random part of all records anew.
Records are CSV, which every program reads and git compares line by line. The largest has 9.8 MB on
disk; git and the archives keep it in 1.3 MB, and as Parquet it would have 1.0 MB.

| record | what it is | rows | date | command |
|---|---|---:|---|---|
"""


def n_rows(path):
    """Number of rows of a CSV file, without its head."""
    with path.open(newline="", encoding="utf-8") as file:
        return sum(1 for row in csv.reader(file)) - 1


def line(path):
    """The row of the table for a record."""
    name = path.stem
    description = path.with_suffix(".json")
    if name in OTHERS:
        title, command = OTHERS[name]
        date = ""
    else:
        content = json.loads(description.read_text(encoding="utf-8"))
        title = content["title"]
        date = content["date"]
        command = COMMANDS.get(name, f"python -m experiments {name}")
    return f"| `{name}` | {title} | {n_rows(path)} | {date} | `{command}` |\n"


def text():
    """The whole file."""
    records = [line(path) for path in sorted(RESULTS.glob("*.csv"))]
    folders = [f"| `{name}/` | {what} | | | |\n" for name, what in FOLDERS.items()]
    return HEAD + "".join(records + folders)


if __name__ == "__main__":
    (RESULTS / "README.md").write_text(text(), encoding="utf-8")
