"""Record experiments: ``python -m calib.experiments [NAME ...] [--jobs N]``."""

import argparse
import sys

from calib.datasets import DatasetNotFound
from calib.experiments import experiments, record


def main():
    """Record what the command line asks for; finished cases are not run again."""
    try:
        known = experiments()
    except ImportError as error:
        sys.exit(error)
    parser = argparse.ArgumentParser(
        prog="python -m calib.experiments",
        description="Run long experiments and record their rows in the folder results; an "
        "interrupted run goes on where it stopped.",
        epilog="experiments: " + ", ".join(known),
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="default: all")
    parser.add_argument(
        "--jobs", type=int, default=-1, help="worker processes; default: one a core"
    )
    arguments = parser.parse_args()
    for name in arguments.names:
        if name not in known:
            parser.error(f"unknown experiment {name!r}; known are {', '.join(known)}")
    incomplete = []
    for name in arguments.names or known:
        print(f"{name}: {known[name].title}")
        try:
            path = record(known[name], n_jobs=arguments.jobs)
            print(f"{name}: written to {path.parent.name}/{path.name}")
        except DatasetNotFound as error:
            print(f"{name}: {error}")
            incomplete.append(name)
    if incomplete:
        sys.exit(
            f"Not complete: {', '.join(incomplete)}. The lines above say what is missing, and "
            "book/data.md where the files come from."
        )


if __name__ == "__main__":
    main()
