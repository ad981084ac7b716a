"""Find the notebooks in what students handed in, whatever it looks like.

A folder for each student, at any depth; the folder or archive that Moodle or Canvas write; archives
that students made. Nothing is run, and nothing here stops at what one of them handed in.
"""

import re
import shutil
import zipfile
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path, PurePosixPath

from .source import questions, read_set, set_names

MOODLE = re.compile(r"(?P<name>.+)_(?P<id>\d+)_assignsubmission_[a-z]+_?(?P<file>.*)")
CANVAS = re.compile(r"(?P<name>[^_]+)(_LATE)?_(?P<id>\d+)_\d+_(?P<file>.+)")
HIDDEN = ("__MACOSX", ".ipynb_checkpoints")
LARGEST = 400 * 2**20  # bytes of a notebook
MEMBERS = 10_000  # of an archive


@dataclass(frozen=True)
class Submission:
    """A notebook: who handed in which set. ``number`` is the student's at Moodle or Canvas."""

    student: str
    set_name: str
    path: Path
    platform: str = ""
    number: str = ""
    prefix: str = ""  # of the file's name there


def printable(name):
    """A name on one line that every file can hold, no longer than a folder's name may be."""
    name = name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    name = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in name)
    return name if len(name.encode()) < 256 else f"{name[:40]}-{sha256(name.encode()).hexdigest()}"


def is_left_out(parts):
    """Whether a path is one that no student wrote."""
    return any(part in HIDDEN or part.startswith(".") for part in parts)


def unpacked(archive, folder):
    """Unpack the notebooks and archives of an archive, as far as it can be read."""
    with zipfile.ZipFile(archive) as opened:
        for number, member in enumerate(opened.infolist()[:MEMBERS]):
            parts = [p for p in PurePosixPath(member.filename).parts if p not in ("/", "..")]
            wanted = parts and parts[-1].lower().endswith((".ipynb", ".zip"))
            if not wanted or is_left_out(parts) or member.file_size > LARGEST:
                continue
            path = folder.joinpath(*(part[:150] for part in parts))
            if path.exists():
                path = path.with_name(f"{path.stem} ({number}){path.suffix}")
            path.parent.mkdir(parents=True, exist_ok=True)
            with opened.open(member) as source, path.open("wb") as target:
                shutil.copyfileobj(source, target)


def owner(archive, inside):
    """What stands before the names in an archive: its own, unless it is the one of a platform."""
    of_a_class = any(MOODLE.fullmatch(p.name) or CANVAS.fullmatch(p.name) for p in inside.iterdir())
    if of_a_class:
        return ()
    return (archive.name if CANVAS.fullmatch(archive.name) else archive.stem,)


def notebooks(folder, work, problems, depth=0):
    """Pairs of the parts of a name below the folder and the file, archives opened."""
    for path in sorted(folder.rglob("*")):
        parts = path.relative_to(folder).parts
        if is_left_out(parts) or path.is_symlink() or not path.is_file():
            continue
        if path.suffix.lower() == ".ipynb":
            yield parts, path
        elif path.suffix.lower() == ".zip" and depth < 3:
            inside = work / f"{len(list(work.iterdir()))}"
            inside.mkdir()
            try:
                unpacked(path, inside)
            except (zipfile.BadZipFile, OSError, RuntimeError, NotImplementedError) as error:
                problems.append(f"{path}: an archive that cannot be read ({error})")
            above = parts[:-1] or owner(path, inside)
            for found, file in notebooks(inside, work, problems, depth + 1):
                yield (*above, *found), file


def who(parts):
    """Student, platform, number, prefix and file name that the parts of a name tell, or None."""
    first, last = parts[0], parts[-1]
    for platform, pattern in [("moodle", MOODLE), ("canvas", CANVAS)]:
        match = pattern.fullmatch(first)
        if match and (platform == "moodle" or first.lower().endswith((".ipynb", ".zip"))):
            file = last if len(parts) > 1 else match["file"]
            prefix = first if len(parts) > 1 and platform == "moodle" else ""
            return match["name"] + "_" + match["id"], platform, match["id"], prefix, file
    return (first, "", "", "", last) if len(parts) > 1 else None


def which_set(name, path):
    """The problem set of a notebook: by the name of the file, else by its questions."""
    plain = re.sub(r"[^a-z0-9]+", "_", name.lower())
    named = [one for one in set_names() if one in plain]
    if len(named) == 1:
        return named[0]
    content = path.read_bytes()[:LARGEST]
    ids = {m.decode() for m in re.findall(rb'"grade_id"\s*:\s*"(\w{1,80})"', content)}
    shares = {
        one: len(ids & {q.name for q in questions(read_set(one))}) / len(questions(read_set(one)))
        for one in set_names()
    }
    best = max(shares, key=shares.get)
    return best if shares[best] > 0.5 else None


def find(folder, work):
    """Submissions, one for each student and set, and problems with the others.

    ``work`` is an empty folder for what is unpacked.
    """
    problems, found = [], {}
    for parts, path in notebooks(folder, work, problems):
        parts = tuple(map(printable, parts))
        shown = "/".join(parts)
        try:
            told = who(parts)
            if told is None:
                problems.append(f"{shown}: whose it is cannot be told; use a folder for a student")
                continue
            student, platform, number, prefix, file = told
            name = which_set(file, path)
            if name is None:
                problems.append(f"{shown}: no problem set, by its name and by its questions")
                continue
            own = Submission(student, name, path, platform, number, prefix)
            found.setdefault((name, student), []).append((shown, own))
        except OSError as error:
            problems.append(f"{shown}: cannot be read ({error})")
    chosen = []
    for several in found.values():
        shown, latest = max(several, key=lambda pair: (pair[1].path.stat().st_mtime, pair[0]))
        if len({own.path.read_bytes() for _, own in several}) > 1:
            others = ", ".join(name for name, _ in several if name != shown)
            problems.append(f"{shown}: graded, as the last one saved; left out: {others}")
        chosen.append(latest)
    return sorted(chosen, key=lambda s: (s.set_name, s.student)), problems
