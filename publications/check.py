"""Check our numbers without our code: ``python3 publications/check.py``.

Each file of manifest.csv must have its checksum. Each claim of claims.csv that names a column must
be its mean over the named rows, to five digits. A row counts if it has all values of one
of the alternatives that "|" separates. Other claims are ranks, lifts and ends of intervals.
"""

import csv
import hashlib
import math
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
DIGITS = 1e-5  # relative; records and claims have six digits
FLOOR = 1e-3  # numbers below it are compared as if they were this large


def table(path):
    """Rows of a CSV file as dicts of text."""
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def alternatives(text):
    """From "a=1; b=2 | a=3; b=4" to two dicts of text."""
    return [dict(pair.split("=", 1) for pair in one.split("; ")) for one in text.split(" | ")]


def mean(rows, column, wanted):
    """Mean of a column over the rows that fit; NaN where none does."""
    values = [
        float(row[column])
        for row in rows
        if any(all(row[key] == value for key, value in one.items()) for one in wanted)
    ]
    return sum(values) / len(values) if values else math.nan


def check(root):
    """Faults in a tree, one line each, and how many claims were computed."""
    faults, computed, read = [], 0, {}
    for line in table(root / "publications" / "manifest.csv"):
        path = root / line["file"]
        found = hashlib.sha256(path.read_bytes()).hexdigest() if path.exists() else "no file"
        if found != line["sha256"]:
            faults.append(f"{line['file']}: {found}, not {line['sha256']}")
    for claim in table(root / "publications" / "claims.csv"):
        if not claim["mean_of"]:
            continue
        if claim["file"] not in read:
            read[claim["file"]] = table(root / claim["file"])
        own = mean(read[claim["file"]], claim["mean_of"], alternatives(claim["rows"]))
        ours, computed = float(claim["ours"]), computed + 1
        if own != ours and not abs(own - ours) <= DIGITS * max(abs(ours), FLOOR):
            faults.append(f"{claim['claim']}: {own:.6g} in {claim['file']}, not {claim['ours']}")
    return faults, computed


if __name__ == "__main__":
    found, number = check(HERE.parent)
    print("\n".join(found + [f"{number} claims computed from the files, {len(found)} faults"]))
    sys.exit(bool(found))
