"""Audit the records: compute random cases anew and compare them with what is recorded.

A case is equal if all its rows are, digit for digit, as they stand in the file, measured times
apart. It is close if no number is off by more than a hundredth, or by a hundredth of itself above
1, as solvers on another processor may leave it; else it differs. The largest difference is told.
A case that differs is computed again with inputs moved in the thirteenth digit, and with the
routines that OpenBLAS has for other processors. If every number that is far from the record then
moves as far, last digits decide the case, such as which of two nearly equal bandwidths is chosen or
who of 96,000 people is just worth a letter. No processor can repeat it for another; it is
*undecided*. So is a case in which two optima tie, if the numbers that are far lie, on both sides,
within the spread that `experiments.benchmark.undecided` has measured.
Cases whose data or packages are missing are left out, and said, and so are cases that would take
more than a tenth of the time. A record for which an accelerator drew random numbers is left out
too. A test in tests/experiments compares these networks with networks of a processor.
"""

import csv
import json
import math
import os
import platform
import random
import secrets
import subprocess
import sys
import time
from importlib.metadata import version

from calib import __version__
from calibkit.datasets import DatasetNotFound
from experiments.recording import RESULTS, computed_rows, recorded_cases
from experiments.registry import experiments

PACKAGES = ["numpy", "scipy", "scikit-learn", "numba"]
EQUAL = "equal"
FAR = 0.01  # by how much a number may be off, and by what part of itself, to be close
TIMES = {"seconds"}  # columns that no run repeats
TIED, TIES = "benchmark", RESULTS / "benchmark_undecided.csv"  # the record, and its ties
LONGEST = 0.1  # of the time of an audit
PERTURBED = RESULTS.parent / "tools" / "perturbed"
MOVEMENTS = (  # settings under which last digits differ
    *({"PYTHONPATH": str(PERTURBED), "PERTURBATION": seed} for seed in "123"),
    *({"OPENBLAS_CORETYPE": processor} for processor in ["Haswell", "Prescott"]),
)
ANEW = """import json, sys
from experiments.recording import computed_rows
from experiments.registry import experiments
name, case = json.load(sys.stdin)
json.dump(computed_rows(experiments()[name], case), sys.stdout)"""


def check(experiment, n_cases, *, folder=RESULTS, seed=None):
    """One line on random cases of an experiment, computed anew."""
    cases = recorded_cases(experiment, folder=folder)
    drawn = random.Random(seed).sample(cases, min(n_cases, len(cases)))
    found = [compared_case(experiment, *one) for one in drawn]
    equal = found.count(EQUAL)
    line = f"{experiment.name}: {equal} of {len(drawn)} random cases are equal to the record"
    others = sorted(set(found) - {EQUAL})
    return "; ".join([line, *others])


def compared_case(experiment, case, rows):
    """Whether a case computed anew is `EQUAL`, or a sentence."""
    if experiment.accelerator:
        return f"left out: an accelerator drew its random numbers, {experiment.accelerator}"
    try:
        new, rows = map(_timeless, [computed_rows(experiment, case), rows])
    except (DatasetNotFound, ImportError) as error:
        return f"left out: {str(error).splitlines()[0]}"
    if new == rows:
        return EQUAL
    if len(new) != len(rows) or any(a.keys() != b.keys() for a, b in zip(new, rows, strict=True)):
        return "differs: other rows or columns"
    pairs = [(a[key], b[key]) for a, b in zip(new, rows, strict=True) for key in a]
    far = {place for place, pair in enumerate(pairs) if not _is_near(*pair)}
    most = f"by {max(_gap(*pair) for pair in pairs):.2g} at most"
    if not far:
        return f"close: {most}"
    if _within_spread(experiment, case, rows, pairs, far):
        return f"undecided: {most}, within the spread of results/{TIES.name}"
    if far <= _moved(experiment, case, new):
        return f"undecided: {most}, as by last digits of inputs or of another processor"
    return f"differs: {most}"


def _within_spread(experiment, case, rows, pairs, far):
    """Whether a tie of two optima, recorded in `TIES`, leaves the numbers at these places open."""
    if experiment.name != TIED or not TIES.exists():
        return False
    with TIES.open(newline="", encoding="utf-8") as file:
        known = list(csv.DictReader(file))
    places = [(row, key) for row in rows for key in row]
    for place in far:
        row, key = places[place]
        where = {name: row[name] for name in [*case, "calibrator", "points"]}
        ends = [float(one[key]) for one in known if where.items() <= one.items()]
        if not ends or any(not min(ends) <= float(value) <= max(ends) for value in pairs[place]):
            return False
    return True


def _moved(experiment, case, rows):
    """Places of the numbers that are far from these once last digits are moved."""
    found = set()
    for movement in MOVEMENTS:
        done = subprocess.run(
            [sys.executable, "-c", ANEW],
            input=json.dumps([experiment.name, case]),
            env=os.environ | movement,
            cwd=RESULTS.parent,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:  # no tools in this installation, or no such experiment
            continue
        moved = _timeless(json.loads(done.stdout))
        pairs = ((a[key], b[key]) for a, b in zip(moved, rows, strict=True) for key in b)
        found |= {place for place, pair in enumerate(pairs) if not _is_near(*pair)}
    return found


def _timeless(rows):
    return [{key: text for key, text in row.items() if key not in TIMES} for row in rows]


def _gap(new, old):
    if new == old:
        return 0.0
    try:
        gap = abs(float(new) - float(old))
    except ValueError:
        return math.inf  # words
    return math.inf if math.isnan(gap) else gap


def _is_near(new, old):
    gap = _gap(new, old)
    return gap == 0 or (math.isfinite(gap) and gap <= FAR * max(1.0, abs(float(old))))


def audit(percent=1.0, minutes=10.0, seed=None, *, known=None, folder=RESULTS, say=print):
    """Compare a random part of all recorded cases.

    Parameters
    ----------
    percent : float
        Of the cases of each experiment, at least one.
    minutes : float
        No case is begun that would end later, by the time that the record took.
    seed : int, optional
        Of the choice; by default a new one.
    known : dict, optional
        From names to experiments; by default all.
    folder : path
    say : callable

    Returns
    -------
    certificate : dict
        Commit, machine, seed, seconds; the number of cases that are equal, close, undecided,
        different and left out; and all cases by name.
    """
    start, seed = time.monotonic(), secrets.randbits(32) if seed is None else seed
    rng, drawn = random.Random(seed), []
    for name, experiment in (experiments() if known is None else known).items():
        about = folder / f"{name}.json"
        if about.exists():
            cases = recorded_cases(experiment, folder=folder)
            own = rng.sample(cases, max(1, round(percent / 100 * len(cases))))
            seconds = json.loads(about.read_text(encoding="utf-8"))["seconds"] / len(cases)
            drawn += [(experiment, case, rows, seconds) for case, rows in own]
    rng.shuffle(drawn)
    begun = set()  # a case of each experiment first
    drawn.sort(key=lambda one: one[0].name in begun or bool(begun.add(one[0].name)))
    found = []
    for experiment, case, rows, seconds in drawn:
        if seconds > 60 * LONGEST * minutes:
            answer = f"left out: takes {seconds:.0f} s"
        elif time.monotonic() - start + seconds > 60 * minutes:
            answer = "left out: time is up"
        else:
            answer = compared_case(experiment, case, rows)
        found.append({"experiment": experiment.name, "case": case, "answer": answer})
        if answer.startswith(("differs", "undecided")):
            say(f"{experiment.name}, {case}: {answer}")
    answers = [one["answer"].split(":")[0] for one in found]
    counts = {
        "equal": answers.count(EQUAL),
        "close": answers.count("close"),
        "undecided": answers.count("undecided"),
        "different": answers.count("differs"),
        "left_out": answers.count("left out"),
    }
    say(f"{len(found)} cases: " + ", ".join(f"{n} {what}" for what, n in counts.items()))
    machine = {"system": platform.system(), "processor": platform.machine()}
    packages = {"calib": __version__} | {name: version(name) for name in PACKAGES}
    return {
        "commit": _commit(),
        "machine": machine | {"python": platform.python_version(), "packages": packages},
        "seed": seed,
        "percent": percent,
        "seconds": round(time.monotonic() - start),
        **counts,
        "cases": found,
    }


def _commit():
    """The commit of the clone, marked where files differ from it; "" outside of one."""
    command = ["git", "describe", "--always", "--abbrev=40", "--dirty", "--exclude=*"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=RESULTS.parent, check=False)
    return done.stdout.strip()
