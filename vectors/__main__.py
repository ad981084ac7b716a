"""Write the test vectors and their schema into calibkit/testing: python -m vectors."""

import json
from decimal import localcontext
from pathlib import Path

from vectors import (
    binned,
    curves,
    decisions,
    histogram,
    line,
    losses,
    paths,
    ranking,
    spiegelhalter,
    steps,
)
from vectors.exact import WORKING_DIGITS
from vectors.functions import FUNCTIONS
from vectors.schema import SCHEMA

FOLDER = Path(__file__).resolve().parents[1] / "calibkit" / "testing"
MODULES = (losses, ranking, binned, steps, histogram, paths, spiegelhalter, curves, line, decisions)


def text():
    """Return the file: a case on each line."""
    with localcontext(prec=WORKING_DIGITS):
        cases = [case for module in MODULES for case in module.cases()]
    head = {"name": "calibration", "version": 1, "functions": FUNCTIONS}
    opened = json.dumps(head, indent=1, ensure_ascii=False).removesuffix("\n}")
    lines = ",\n".join(json.dumps(case, ensure_ascii=False) for case in cases)
    return f'{opened},\n "cases": [\n{lines}\n]\n}}\n'


def main():
    """Write both files."""
    FOLDER.joinpath("calibration-1.json").write_text(text(), encoding="utf-8")
    schema = json.dumps(SCHEMA, indent=1)
    FOLDER.joinpath("calibration-1.schema.json").write_text(f"{schema}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
