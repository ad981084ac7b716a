"""Reproduce an item: run what it needs or read the record, write it, set the paper beside ours."""

import difflib
import json
import time

from calib.datasets import DatasetNotFound
from calib.experiments import chapters, ledger
from calib.experiments.contents import ChapterFigure, Figure, Study, Table
from calib.experiments.recording import RESULTS, n_missing, read_table, record
from calib.experiments.registry import experiments, items
from calib.experiments.writing import table_text, write_rows

REPRODUCED = RESULTS.parent / "reproduced"
ALL = "all"


class CannotBeHad(Exception):
    """The content of an item, or what it would take to compute it, is not available."""


def chosen(name):
    """Names of the items that a name stands for: an item, a paper, a chapter, or "all"."""
    known = items()
    found = [item for item in known if name in (ALL, item, item.split("/")[0])]
    if not found:
        groups = list(dict.fromkeys(item.split("/")[0] for item in known))
        close = difflib.get_close_matches(name, [*known, *groups], n=3, cutoff=0.5)
        hint = f"; did you mean {' or '.join(close)}?" if close else ""
        raise ValueError(f"unknown item {name!r}{hint} (make reproduce lists all)")
    return found


def seconds_of(content):
    """How long it took to compute an item when it was recorded; None if it never was."""
    if isinstance(content, ChapterFigure):
        table = read_table(RESULTS / "notebook_seconds.csv")
        return float(table["seconds"][table["chapter"] == content.chapter].sum())
    seconds = 0.0
    for name in content.experiments:
        path = RESULTS / f"{name}.json"
        if not path.exists():
            return None
        seconds += json.loads(path.read_text(encoding="utf-8"))["seconds"]
    return seconds


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


def reproduce(name, *, fresh=False, n_jobs=-1, into=REPRODUCED, results=RESULTS, say=print):
    """Reproduce what a name stands for.

    Parameters
    ----------
    name : str
        An item such as ``"naeini2014/table1a"``, a paper or chapter such as ``"naeini2014"``, or
        ``"all"``.
    fresh : bool, default=False
        Compute anew, in the folder ``fresh`` of `into`, and compare with the record. A run that
        was interrupted goes on; one that was finished starts again.
    n_jobs : int
        Worker processes; -1 for one a core.
    into, results : path
        Where the files go, and where the record is.
    say : callable
        Takes the lines for people.

    Returns
    -------
    left_out : dict
        From items that cannot be reproduced to the reason.

    Raises
    ------
    ValueError
        If nothing has this name.
    """
    known, left_out = items(), {}
    wanted = chosen(name)
    for item in wanted:
        paper, content = known[item]
        if isinstance(content, ChapterFigure):
            continue
        say(f"\n{item}: {paper.citation}, {content.title}")
        try:
            _make(item, paper, content, fresh, n_jobs, into, results, say)
        except (CannotBeHad, DatasetNotFound, ImportError) as error:
            left_out[item] = str(error)
            say(f"  left out: {error}")
    by_chapter = {}
    for item in wanted:
        content = known[item][1]
        if isinstance(content, ChapterFigure):
            by_chapter.setdefault(item.split("/")[0], []).append(content)
    for chapter, figures in by_chapter.items():
        _draw_chapter(chapter, figures, fresh, into, say)
    return left_out


def _make(item, paper, content, fresh, n_jobs, into, results, say):
    if getattr(content, "missing", ""):
        raise CannotBeHad(content.missing)
    read = _records(content, fresh, n_jobs, into, results, say)
    path = into / item
    path.parent.mkdir(parents=True, exist_ok=True)
    kind = {Table: _write_table, Figure: _write_figure, Study: _write_study}[type(content)]
    for line in kind(path, paper, content, read):
        say(line)


def _records(content, fresh, n_jobs, into, results, say):
    """Make sure that the records are complete; the function that reads them."""
    known = experiments()
    where = {}
    for name in content.experiments:
        if getattr(content, "command", ""):
            if fresh:
                raise CannotBeHad(
                    f"{content.command} computes it anew, in place of the record in results"
                )
        elif fresh:
            where[name] = _record_fresh(known[name], into / "fresh", results, n_jobs, say)
            continue
        if name in known:
            missing, n_cases = n_missing(known[name], folder=results)
            if missing:
                say(f"  {missing} of {n_cases} cases of {name} are not recorded: running them")
                say(f"  {_expected(content)}")
                record(known[name], folder=results, n_jobs=n_jobs)
        say(f"  reads the record {results.name}/{name}.csv")
        where[name] = results
    readers = {folder: ledger.reader(folder) for folder in {*where.values(), results}}
    return lambda name: readers[where.get(name, results)](name)


def _record_fresh(experiment, folder, results, n_jobs, say):
    missing, n_cases = n_missing(experiment, folder=folder)
    if not missing:  # finished before: start again
        for suffix in ("csv", "json"):
            (folder / f"{experiment.name}.{suffix}").unlink()
        missing = n_cases
    done = n_cases - missing
    say(
        f"  computing {experiment.name} anew: {missing} of {n_cases} cases"
        + ", resumed" * bool(done)
    )
    say(f"  {_expected_of([experiment.name])}")
    start = time.monotonic()
    record(experiment, folder=folder, n_jobs=n_jobs)
    say(f"  done in {_minutes(time.monotonic() - start)}")
    if (results / f"{experiment.name}.csv").exists():
        say(f"  {compared(experiment.name, folder, results)}")
    return folder


def compared(name, folder, results=RESULTS):
    """One line on how newly computed rows differ from the recorded ones."""
    new, old = (ledger.reader(place)(name) for place in [folder, results])
    if list(new) != list(old) or len(next(iter(new.values()))) != len(next(iter(old.values()))):
        return "the record has other rows or columns: it was made by another version"
    largest = 0.0
    for column, values in new.items():
        before = old[column]
        if values.dtype.kind != "f":
            if (values != before).any():
                return f"column {column} is not the recorded one"
            continue
        differ = values != before
        differ &= ~((values != values) & (before != before))  # both NaN
        if differ.any():
            largest = max(largest, float(abs(values - before)[differ].max()))
    if largest == 0.0:
        return "equal to the record in every digit"
    return f"the largest difference from the record is {largest:.2g}"


def _expected(content):
    return _expected_of(content.experiments)


def _expected_of(names):
    paths = [RESULTS / f"{name}.json" for name in names]
    if not all(path.exists() for path in paths):
        return "how long this takes is not known"
    seconds = sum(json.loads(path.read_text(encoding="utf-8"))["seconds"] for path in paths)
    return f"all cases took {_minutes(seconds)} when they were recorded"


def _minutes(seconds):
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"


def _write_table(path, paper, table, read):
    found, trials = ledger.entries(paper, read, tables=[table.name])
    ledger.write(found, path.with_suffix(".csv"))
    text = table_text(paper, table, found, trials)
    path.with_suffix(".md").write_text(text, encoding="utf-8")
    yield text
    yield _wrote(path, "csv", "md")


def _write_figure(path, paper, figure, read):
    drawing, rows = figure.draw(read)
    write_rows(rows, path.with_suffix(".csv"))
    for suffix in ("svg", "pdf"):
        drawing.savefig(path.with_suffix(f".{suffix}"), bbox_inches="tight")
    title = f"# {paper.citation}, {figure.name}"
    lines = [title, "", f"{figure.title}.", "", f"![{figure.name}]({path.name}.svg)", ""]
    path.with_suffix(".md").write_text("\n".join(lines), encoding="utf-8")
    yield f"  {len(rows)} rows behind it"
    yield _wrote(path, "csv", "md", "svg", "pdf")


def _write_study(path, paper, study, read):
    (name,) = study.experiments
    columns = read(name)
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    write_rows(rows, path.with_suffix(".csv"))
    yield f"  {len(rows)} rows; the paper prints no number for them"
    lines = [f"# {paper.citation}, {study.name}", "", f"{study.title}."]
    about = RESULTS / f"{name}.json"
    if about.exists():
        lines += ["", *(f"* {line}" for line in json.loads(about.read_text())["deviations"])]
    path.with_suffix(".md").write_text("\n".join(lines) + "\n", encoding="utf-8")
    yield _wrote(path, "csv", "md")


def _wrote(path, *suffixes):
    return f"  wrote {path.parent}/{path.name}." + ", .".join(suffixes)


def _draw_chapter(chapter, figures, fresh, into, say):
    folder = into / chapter
    folder.mkdir(parents=True, exist_ok=True)
    notebook = chapters.NOTEBOOKS / f"{figures[0].chapter}.ipynb"
    changed = notebook.stat().st_mtime
    todo = [
        figure
        for figure in figures
        if fresh
        or not all(
            p.exists() and p.stat().st_mtime > changed for p in chapters.paths(figure, folder)
        )
    ]
    if todo:
        say(f"\n{chapter}: running {notebook.name}, {_minutes(seconds_of(todo[0]))} or less")
        chapters.draw(todo, folder)
    for figure in figures:
        again = "" if figure in todo else " (drawn before)"
        say(f"{chapter}/{figure.name}: wrote {folder / figure.name}.svg, .pdf{again}")


def _newer(paths, than):
    """Whether all files are there and younger than another one."""
    return all(path.exists() and path.stat().st_mtime > than.stat().st_mtime for path in paths)
