"""The second hand: protocols of the papers written again in R, and whether the two hands agree.

``python -m experiments.second_hand`` hands the data sets to ``second_hand/run.R`` and records its
means in ``results/second_hand.csv``; names of parts may follow, of rings, sizes, example,
venn_abers and weka. The R programs were written from the papers and share no line with the
package. Four classifiers of Vovk and Petej (2014) are those of Weka itself. What the papers do not
state the programs take from the list of constants (`experiments.constants`), as our first reading
does. So a difference is an error of a program or a choice that nobody has written down.
"""

import csv
import json
import math
import shutil
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from calibkit.datasets import load
from experiments.recording import RESULTS

PROGRAM = RESULTS.parent / "second_hand" / "run.R"
RECORD = RESULTS / "second_hand.csv"
DATASETS = ("diabetes", "liver_disorders", "ionosphere")  # numbers only, none missing
PACKAGES = "r-base-core r-cran-e1071 weka r-cran-rjava"
REACH = 3.0  # standard errors: of 300 numbers less than one is farther apart by chance
AGREE, DIFFER = "agree", "differ"


class Hand(NamedTuple):
    """A number of the second hand.

    Attributes
    ----------
    paper, table, row, column : str
    ours : float
        The mean of its repetitions.
    spread : float
        Standard deviation of one repetition; NaN where one is infinite.
    repetitions : int
    """

    paper: str
    table: str
    row: str
    column: str
    ours: float
    spread: float
    repetitions: int


def read_second_hand(path=RECORD):
    """From paper, table, row and column to `Hand`."""
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    hands = [
        Hand(
            *(row[name] for name in Hand._fields[:4]),
            float(row["ours"]),
            float(row["spread"] or "nan"),
            int(row["repetitions"]),
        )
        for row in rows
    ]
    return {hand[:4]: hand for hand in hands}


def apart(ours, hand):
    """From the first hand to the second, in standard errors of the difference of their means.

    Parameters
    ----------
    ours : Ours
    hand : Hand

    Returns
    -------
    distance : float
        0 if both are the same, infinite numbers among them; infinite if one is infinite alone.
    """
    if ours.value == hand.ours:
        return 0.0
    if math.isinf(ours.value) or math.isinf(hand.ours):
        return math.inf
    error = math.hypot(
        ours.spread / math.sqrt(ours.repetitions), hand.spread / math.sqrt(hand.repetitions)
    )
    return (hand.ours - ours.value) / error if error else math.inf


def verdict(distance):
    """Whether the hands agree within Monte Carlo error."""
    return AGREE if abs(distance) <= REACH else DIFFER


def run(parts=()):
    """Run the R programs and write their record.

    Parameters
    ----------
    parts : sequence of str, default=()
        Names of parts from ``second_hand/run.R``; without one all are run. The numbers of other
        parts, and of parts whose packages are missing, stay as they are recorded.
    """
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        for name in DATASETS:
            X, y = load(name)
            X.assign(label=y).to_csv(Path(folder) / f"{name}.csv", index=False)
        subprocess.run(["Rscript", PROGRAM, folder, RECORD, *parts], check=True)
    about = RECORD.with_suffix(".json")
    earlier = json.loads(about.read_text())["seconds"] if parts else 0.0
    found = {
        "title": "A second hand: protocols of four papers, written again in R",
        "rows": len(read_second_hand()),
        "seconds": round(earlier + time.monotonic() - start, 1),
        "date": datetime.now(UTC).date().isoformat(),
        "versions": _versions(),
    }
    about.write_text(json.dumps(found, indent=2) + "\n")


def _versions():
    """R and the packages, as far as they are there."""
    asked = """
        source(file.path(commandArgs(TRUE), "weka.R"))
        of <- function(name) if (requireNamespace(name, quietly = TRUE))
          paste(name, packageVersion(name))
        weka <- if (weka_is_there()) paste("Weka", rJava::.jnew("weka/core/Version")$toString())
        cat(c(R.version.string, of("e1071"), of("rJava"), weka), sep = "; ")
    """
    command = ["Rscript", "-e", asked, PROGRAM.parent]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


if __name__ == "__main__":
    if shutil.which("Rscript") is None:
        sys.exit(f"R is missing: apt-get install {PACKAGES}")
    run(sys.argv[1:])
