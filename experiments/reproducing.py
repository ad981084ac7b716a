"""Reproduce an item: run what it needs or read the record, write it, set the paper beside ours."""

import difflib
import json
import os
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from calibkit.datasets import DatasetNotFound
from experiments import chapters, ledger
from experiments.auditing import check
from experiments.contents import ChapterFigure, Figure, Study, Table
from experiments.recording import RESULTS, n_missing, record
from experiments.registry import experiments, items, recorded_in_place
from experiments.states import duration, seconds_of
from experiments.writing import table_text, write_rows

REPRODUCED = RESULTS.parent / "reproduced"
ALL = "all"
ROMAN = {"I": 1, "II": 2, "III": 3, "IV": 4, "V": 5, "VI": 6, "VII": 7}  # as N16 numbers tables


class CannotBeHad(Exception):
    """The content of an item is not available, or not in this way."""


def chosen(name):
    """Names of the items that a name stands for.

    An item, a table of several parts ("naeini2016/table1"), a paper, a chapter, or "all".
    """
    known = items()
    name = re.sub(r"(?<=/table)[IVX]+", lambda found: str(ROMAN.get(found[0], found[0])), name)
    found = [
        item
        for item in known
        if name in (ALL, item, item.split("/")[0]) or (item[:-1] == name and item[-1].isalpha())
    ]
    if not found:
        groups = list(dict.fromkeys(item.split("/")[0] for item in known))
        close = difflib.get_close_matches(name, [*known, *groups], n=3, cutoff=0.5)
        hint = f"; did you mean {' or '.join(close)}?" if close else ""
        raise ValueError(f"unknown item {name!r}{hint} (make reproduce lists all)")
    return found


@dataclass
class Reproduction:
    """A run of the command.

    Attributes
    ----------
    fresh : bool
        Compute anew and compare with the record. What is computed lies in the folder
        ``unfinished`` of `into` until the run ends, so that one that was killed goes on, and then
        in the folder ``fresh``.
    n_cases : int
        If positive, so many random cases of each experiment are computed anew and compared with
        the record, and nothing is written.
    n_jobs : int
        Worker processes; -1 for one a core.
    into, results : path
        Where the files go, and where the record is.
    say : callable
        Takes the lines for people.
    """

    fresh: bool = False
    n_cases: int = 0
    n_jobs: int = -1
    into: Path = REPRODUCED
    results: Path = RESULTS
    say: Callable = print
    computed: set = field(default_factory=set)

    def __call__(self, name):
        """Reproduce what a name stands for.

        Parameters
        ----------
        name : str
            An item such as ``"naeini2014/table1a"``, a paper or chapter such as ``"naeini2014"``,
            or ``"all"``.

        Returns
        -------
        left_out : dict
            From items that lack data or a package to what is missing. That the content of an item
            cannot be had is an answer, and no failure.

        Raises
        ------
        ValueError
            If nothing has this name.
        """
        known, left_out, by_chapter = items(), {}, {}
        for item in chosen(name):
            paper, content = known[item]
            if isinstance(content, ChapterFigure):
                by_chapter.setdefault(paper.name, []).append(content)
                continue
            self.say(f"\n{item}: {paper.citation}, {content.title}")
            try:
                self._make(item, paper, content)
            except CannotBeHad as error:
                self.say(f"  cannot be had: {error}")
            except (DatasetNotFound, ImportError) as error:
                self.say(f"  left out: {error}")
                left_out[item] = str(error)
        for chapter, figures in by_chapter.items():
            self._draw(chapter, figures)
        self._finish()
        return left_out

    def _make(self, item, paper, content):
        if getattr(content, "missing", ""):
            raise CannotBeHad(content.missing)
        if self.n_cases:
            self._check(content)
            return
        read = self._records(content)
        path = self.into / item
        path.parent.mkdir(parents=True, exist_ok=True)
        write = {Table: write_table, Figure: write_figure, Study: write_study}[type(content)]
        for line in write(path, paper, content, read):
            self.say(line)

    def _check(self, content):
        """Compute a few cases of each experiment anew, each experiment once in a run."""
        known = experiments()
        for name in content.experiments:
            if name in known and name not in self.computed:
                self.say(f"  {check(known[name], self.n_cases, folder=self.results)}")

    def _records(self, content):
        """Make sure that what an item reads is there; the function that reads it."""
        known, where = experiments(), {}
        if self.fresh and getattr(content, "command", ""):
            raise CannotBeHad(f"{content.command} computes it anew, in place of the record")
        in_place = recorded_in_place()
        for name in content.experiments:
            if self.fresh and name not in in_place:
                where[name] = self._compute(known[name], seconds_of(content))
                continue
            missing, n_cases = (
                n_missing(known[name], folder=self.results) if name in known else (0, 0)
            )
            if missing:
                self.say(f"  {missing} of {n_cases} cases of {name} are not recorded: running them")
                self.say(f"  all cases took {duration(seconds_of(content))} when last recorded")
                record(known[name], folder=self.results, n_jobs=self.n_jobs)
            self.say(f"  reads the record {self.results.name}/{name}.csv")
        readers = {folder: ledger.reader(folder) for folder in {self.results, *where.values()}}
        return lambda name: readers[where.get(name, self.results)](name)

    def _compute(self, experiment, seconds):
        """Compute an experiment anew, once in a run, or what an interrupted run left of it."""
        folder = self.into / "unfinished"
        missing, n_cases = n_missing(experiment, folder=folder)
        if missing:
            rest = "" if missing == n_cases else f" that are left of {n_cases}"
            self.say(f"  computing {experiment.name} anew: {missing} cases{rest}")
            self.say(f"  the record took {duration(seconds)}")
            start = time.monotonic()
            record(experiment, folder=folder, n_jobs=self.n_jobs)
            self.say(f"  done in {duration(time.monotonic() - start)}")
        self.computed.add(experiment.name)
        if (self.results / f"{experiment.name}.csv").exists():
            self.say(f"  {compared(experiment.name, folder, self.results)}")
        return folder

    def _finish(self):
        """Move what was computed out of the way of the next run."""
        fresh = self.into / "fresh"
        for name in self.computed:
            fresh.mkdir(exist_ok=True)
            for suffix in ("csv", "json"):  # without its table the provenance means nothing
                path = self.into / "unfinished" / f"{name}.{suffix}"
                os.replace(path, fresh / path.name)

    def _draw(self, chapter, figures):
        folder = self.into / chapter
        folder.mkdir(parents=True, exist_ok=True)
        notebook = chapters.NOTEBOOKS / f"{figures[0].chapter}.ipynb"
        todo = [f for f in figures if self.fresh or not _newer(chapters.paths(f, folder), notebook)]
        if todo:
            self.say(f"\n{chapter}: running {notebook.name}, {duration(seconds_of(todo[0]))}")
            chapters.draw(todo, folder)
        for figure in figures:
            again = "" if figure in todo else " (drawn before)"
            self.say(f"  {chapter}/{figure.name}: {_wrote(folder / figure.name, *DRAWN)}{again}")


DRAWN = ("svg", "pdf")


def write_table(path, paper, table, read):
    """Write a table of the ledger; lines for people."""
    found, trials = ledger.entries(paper, read, tables=[table.name])
    ledger.write(found, path.with_suffix(".csv"))
    text = table_text(paper, table, found, trials)
    path.with_suffix(".md").write_text(text, encoding="utf-8")
    yield f"\n{text}"
    yield f"  {_wrote(path, 'csv', 'md')}"


def write_figure(path, paper, figure, read):
    """Draw a figure and write the rows behind it; lines for people."""
    drawing, rows = figure.draw(read)
    write_rows(rows, path.with_suffix(".csv"))
    for suffix in DRAWN:
        drawing.savefig(path.with_suffix(f".{suffix}"), bbox_inches="tight")
    title = f"# {paper.citation}, {figure.name}"
    note = f"The paper prints no number for it; the rows behind ours are in {path.name}.csv."
    lines = [title, "", f"{figure.title}. {note}", "", f"![{figure.name}]({path.name}.svg)", ""]
    path.with_suffix(".md").write_text("\n".join(lines), encoding="utf-8")
    yield f"  {len(rows)} rows behind it; the paper prints no number for it"
    yield f"  {_wrote(path, 'csv', 'md', *DRAWN)}"


def write_study(path, paper, study, read):
    """Write the rows of an experiment; lines for people."""
    (name,) = study.experiments
    columns = read(name)
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    write_rows(rows, path.with_suffix(".csv"))
    lines = [f"# {paper.citation}, {study.name}", "", f"{study.title}.", ""]
    about = json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))
    lines += [f"* {sentence}" for sentence in about["deviations"]]
    path.with_suffix(".md").write_text("\n".join(lines) + "\n", encoding="utf-8")
    yield f"  {len(rows)} rows; the paper prints no number for them"
    yield f"  {_wrote(path, 'csv', 'md')}"


def compared(name, folder, results=RESULTS):
    """One line on how newly computed rows differ from the recorded ones."""
    new, old = (ledger.reader(place)(name) for place in [folder, results])
    if list(new) != list(old) or any(new[column].shape != old[column].shape for column in new):
        return "the record has other rows or columns: another version made it"
    gaps = {}
    for column, values in new.items():
        differ = values != old[column]
        if values.dtype.kind == "f":
            differ &= ~((values != values) & (old[column] != old[column]))  # both are NaN
            gaps[column] = float(abs(values[differ] - old[column][differ]).max(initial=0))
        elif differ.any():
            return f"the column {column} is not the recorded one"
    if not any(gaps.values()):
        return "equal to the record in every digit"
    worst = max(gaps, key=gaps.get)
    return f"the largest difference from the record is {gaps[worst]:.2g}, in the column {worst}"


def _wrote(path, *suffixes):
    return f"wrote {path.parent}/{path.name}." + ", .".join(suffixes)


def _newer(paths, than):
    """Whether all files are there and younger than another one."""
    return all(path.exists() and path.stat().st_mtime > than.stat().st_mtime for path in paths)
