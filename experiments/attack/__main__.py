"""The command ``python -m experiments.attack``: attack statements, and record how far it got."""

import argparse
import csv
import json
import sys
import time

import numpy as np

from experiments.attack.laws import Law
from experiments.attack.search import Found, margin_of, search
from experiments.attack.statements import STATEMENTS
from experiments.recording import RESULTS

TABLE, WORST = "attack.csv", "attack.json"


def main(arguments=None, folder=RESULTS):
    """Attack what the command line asks for; 1 if a statement of the book fails."""
    options = _options(arguments)
    names = options.statement or list(STATEMENTS)
    each = -(-options.laws // max(sum(STATEMENTS[name].holds for name in names), 1))
    done, failed, started = read(folder, options.seed), [], time.monotonic()
    for name in names:
        statement = STATEMENTS[name]
        found = search(statement, each, options.seed, _still_right(statement, done.get(name)))
        done[name] = found
        seconds = time.monotonic() - started
        print(f"{seconds:6.0f} s  {name:32} {_verdict(statement, found)}", flush=True)
        write(done, folder, options.seed)
        if found.violated:
            print(f"          {found.worst.to_json()}")
        if found.violated == statement.holds:
            failed.append(name)
    if failed:
        print("not as the book says: " + ", ".join(failed), file=sys.stderr)
    return int(bool(failed))


def _still_right(statement, found):
    """An earlier result, or None if the worst law has another margin now."""
    if found and np.isclose(margin_of(statement, found.worst), found.margin, rtol=1e-6):
        return found
    return None


def _options(arguments):
    parser = argparse.ArgumentParser(prog="python -m experiments.attack", description=__doc__)
    parser.add_argument("--laws", type=int, default=100_000, help="in all; default: 100000")
    parser.add_argument(
        "--statement", action="append", choices=STATEMENTS, metavar="NAME", help="default: all"
    )
    parser.add_argument("--seed", type=int, default=0, help="of the search; default: 0")
    return parser.parse_args(arguments)


def _verdict(statement, found):
    if found.violated:
        return f"FAILS after {found.laws} laws: bound / value = {found.margin:.4g}"
    expected = "" if statement.holds else "; it is false, and no counterexample was found"
    return f"{found.laws} laws, smallest bound / value {found.margin:.4g}{expected}"


def read(folder, seed):
    """What an earlier run with this seed has found, by statement."""
    path = folder / WORST
    record = json.loads(path.read_text()) if path.exists() else {}
    if record.get("seed") != seed:
        return {}
    return {
        name: Found(row["laws"], row["margin"], Law.from_json(json.dumps(row["law"])))
        for name, row in record["statements"].items()
        if name in STATEMENTS
    }


def write(done, folder, seed):
    """Record what was found: a table for readers, and the worst law of each statement."""
    rows = {name: done[name] for name in STATEMENTS if name in done}
    laws = {
        name: {"laws": f.laws, "margin": f.margin, "law": json.loads(f.worst.to_json())}
        for name, f in rows.items()
    }
    lines = [f"{json.dumps(name)}: {json.dumps(row)}" for name, row in laws.items()]
    text = ",\n".join(lines)
    (folder / WORST).write_text(f'{{"seed": {seed}, "statements": {{\n{text}\n}}}}\n')
    with (folder / TABLE).open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["chapter", "statement", "claim", "laws", "smallest_margin"])
        for name, found in rows.items():
            statement = STATEMENTS[name]
            row = [statement.chapter, name, statement.claim, found.laws, f"{found.margin:.4g}"]
            writer.writerow(row)


if __name__ == "__main__":
    sys.exit(main())
