"""What is known of an item before it is reproduced: minutes, data, and whether it is recorded."""

import json

from calibkit.datasets import DatasetNotFound
from experiments.contents import ChapterFigure
from experiments.recording import RESULTS, n_missing, read_table
from experiments.registry import experiments


def seconds_of(content):
    """How long it took to compute an item when it was recorded; None if it never was."""
    if isinstance(content, ChapterFigure):
        table = read_table(RESULTS / "notebook_seconds.csv")
        return float(table["seconds"][table["chapter"] == content.chapter].sum())
    paths = [RESULTS / f"{name}.json" for name in content.experiments]
    if not all(path.exists() for path in paths):
        return None
    return sum(json.loads(path.read_text(encoding="utf-8"))["seconds"] for path in paths)


def duration(seconds):
    """A time in words."""
    if seconds is None:
        return "an unknown time"
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"


def data_of(content):
    """Names of the real data sets that computing an item reads."""
    known = experiments()
    needs = [known[name].datasets for name in content.experiments if name in known]
    return sorted({name for datasets in needs for name in datasets})


def state_of(content):
    """One line on whether an item can be reproduced, and from what."""
    if isinstance(content, ChapterFigure):
        return "runs the notebook"
    if getattr(content, "missing", ""):
        return f"cannot be had: {content.missing}"
    if not content.experiments:
        return "computed at once"
    known = experiments()
    for name in content.experiments:
        try:
            missing, n_cases = n_missing(known[name]) if name in known else (0, 0)
        except DatasetNotFound:
            return "needs data that are not at hand"
        if missing:
            return f"not recorded: {missing} of {n_cases} cases"
    return "recorded"
