"""The commands of the experiments: record them, write the ledger, reproduce, audit, publish.

``python -m experiments [NAME ...]``, ``... ledger``, ``... reproduce [ITEM] [--fresh]``,
``... audit`` and ``... publish``.
"""

import argparse
import json
import sys
from pathlib import Path

from calibkit.datasets import DatasetNotFound
from experiments import auditing, baselines, experiments, ledger, record, registry
from experiments.choices import CHOICES, choices
from experiments.missing import MISSING, missing
from experiments.placebos import PLACEBOS, rates
from experiments.reproducing import REPRODUCED, Reproduction
from experiments.states import data_of, seconds_of, state_of
from experiments.vovk2014.held_out import HELD_OUT, held_out


def main():
    """Do what the command line asks for."""
    try:
        known = experiments()
    except ImportError as error:
        sys.exit(error)
    commands = {"reproduce": reproduce, "ledger": write_ledger, "audit": audit, "publish": publish}
    if sys.argv[1:2] and sys.argv[1] in commands:
        commands[sys.argv[1]](sys.argv[2:])
    else:
        record_experiments(sys.argv[1:], known)


def record_experiments(arguments, known):
    """Record what the command line asks for; finished cases are not run again."""
    parser = argparse.ArgumentParser(
        prog="python -m experiments",
        description="Run long experiments and record their rows in the folder results; an "
        "interrupted run goes on where it stopped.",
        epilog="experiments: "
        + ", ".join(known)
        + "; other commands: ledger, reproduce, audit, publish",
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="default: all")
    _add_jobs(parser)
    options = parser.parse_args(arguments)
    for name in options.names:
        if name not in known:
            parser.error(f"unknown experiment {name!r}; known are {', '.join(known)}")
    incomplete = []
    for name in options.names or known:
        print(f"{name}: {known[name].title}")
        try:
            path = record(known[name], n_jobs=options.jobs)
            print(f"{name}: written to {path.parent.name}/{path.name}")
        except (DatasetNotFound, ImportError) as error:
            print(f"{name}: {error}")
            incomplete.append(name)
    if incomplete:
        sys.exit(
            f"Not complete: {', '.join(incomplete)}. The lines above say what is missing, and "
            "book/data.md where the files come from."
        )


def write_ledger(arguments):
    """Set every published number beside ours: write the ledger and its causes to results."""
    argparse.ArgumentParser(
        prog="python -m experiments ledger", description=write_ledger.__doc__
    ).parse_args(arguments)
    read, found, tried, shares = ledger.reader(), [], [], []
    placebos, open_, left = [], [], []
    for paper in registry.papers().values():
        if not paper.tables:
            continue
        own, trials = ledger.entries(paper, read)
        found += own
        tried += trials
        shares += baselines.shares(paper, read, trials)
        placebos += rates(paper, read)
        open_ += choices(paper, read, trials)
        left += missing(paper, read, trials)
        print(f"{paper.citation}: {_counts(own)}")
        for trial in trials:
            print(
                f"  {trial.cause}: mends {trial.mended}, spoils {trial.spoiled}, "
                f"by chance {trial.chance:.3f}, "
                f"{'explains ' + str(trial.explains) if trial.accepted else 'not accepted'}"
            )
    held = held_out(registry.papers()["vovk2014"], read)
    files = [ledger.LEDGER, ledger.CAUSES, baselines.SHARES, PLACEBOS, CHOICES, MISSING, HELD_OUT]
    written = [found, tried, shares, placebos, open_, left, held]
    for rows, path in zip(written, files, strict=True):
        ledger.write(rows, path)
        print(f"written to results/{path.name}")
    print(f"all: {_counts(found)}")


def _counts(found):
    return ", ".join(f"{verdict} {n}" for verdict, n in ledger.totals(found).items())


def reproduce(arguments):
    """Reproduce an item, a paper or everything; without a name list what there is."""
    parser = argparse.ArgumentParser(
        prog="python -m experiments reproduce",
        description="Reproduce a published table or figure, or a figure of the book; without a "
        "name list all items, with their minutes, data and state.",
    )
    parser.add_argument(
        "item", nargs="?", help="such as naeini2014/table1a, naeini2014/table1, naeini2014, or all"
    )
    parser.add_argument("--fresh", action="store_true", help="compute anew, do not read the record")
    parser.add_argument(
        "--cases",
        type=int,
        default=0,
        help="compute so many random cases of each experiment anew and compare, no more",
    )
    parser.add_argument("--into", type=Path, default=REPRODUCED, help="folder for the files")
    _add_jobs(parser)
    options = parser.parse_args(arguments)
    if options.item is None:
        for line in listed():
            print(line)
        return
    try:
        run = Reproduction(
            fresh=options.fresh, n_cases=options.cases, n_jobs=options.jobs, into=options.into
        )
        left_out = run(options.item)
    except ValueError as error:
        parser.error(error)
    if left_out:
        sys.exit(f"\nLeft out: {', '.join(left_out)}. The lines above say why.")


def publish(arguments):
    """Write the five replication reports, the claims and codecheck.yml from the ledger."""
    argparse.ArgumentParser(
        prog="python -m experiments publish", description=publish.__doc__
    ).parse_args(arguments)
    from experiments import publishing  # needs the extra data

    for path in publishing.publish():
        print(f"written to {path.relative_to(publishing.ROOT)}")


def audit(arguments):
    """Compute a random part of all records anew, compare, and write a certificate."""
    parser = argparse.ArgumentParser(prog="python -m experiments audit", description=audit.__doc__)
    parser.add_argument("--percent", type=float, default=1.0, help="of the cases; default: 1")
    parser.add_argument("--minutes", type=float, default=10.0, help="to end after; default: 10")
    parser.add_argument("--seed", type=int, help="of the choice of cases; default: a new one")
    parser.add_argument("--into", type=Path, default=REPRODUCED, help="folder for the certificate")
    options = parser.parse_args(arguments)
    certificate = auditing.audit(options.percent, options.minutes, options.seed)
    options.into.mkdir(parents=True, exist_ok=True)
    path = options.into / "audit.json"
    path.write_text(json.dumps(certificate, indent=2) + "\n", encoding="utf-8")
    print(f"written to {path.parent.name}/{path.name}")
    if certificate["different"]:
        sys.exit("Some cases differ from the record; the certificate names them.")


def listed():
    """A line for each item: name, minutes to compute it anew, data, state, title."""
    yield f"{'item':34} {'minutes':>7} {'data':>7}  state: title"
    for name, (_, content) in registry.items().items():
        seconds = seconds_of(content)
        minutes = "-" if seconds is None else f"{seconds / 60:.1f}"
        data = len(data_of(content))
        sets = f"{data} set{'s' * (data > 1)}" if data else "none"
        state = state_of(content)
        yield f"{name:34} {minutes:>7} {sets:>7}  {state}: {content.title}"


def _add_jobs(parser):
    parser.add_argument(
        "--jobs", type=int, default=-1, help="worker processes; default: one a core"
    )


if __name__ == "__main__":
    main()
