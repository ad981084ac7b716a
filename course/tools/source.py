"""Read the sources of a problem set: Python files in cells that begin with a line ``# %% ...``.

A cell that is one raw string, ``r\"\"\"...\"\"\"``, is prose; every other cell is code.
course/README.md says which kinds of cells there are.
"""

import re
from dataclasses import dataclass
from pathlib import Path

COURSE = Path(__file__).resolve().parents[1]
SETS = COURSE / "sets"
QUESTION = re.compile(r"question (\w+), ([a-z -]+), (\d+) points?, goal (\d+)")
SUBJECTS = ["theory", "numerics", "data", "reading", "break it"]
SOLUTION = re.compile(r"^( *)### BEGIN SOLUTION\n.*?^ *### END SOLUTION(?:\n|\Z)", re.M | re.S)
HIDDEN = re.compile(r"^ *### BEGIN HIDDEN TESTS\n.*?^ *### END HIDDEN TESTS(?:\n|\Z)", re.M | re.S)
TELLING = 25  # characters of a line that nobody writes by chance
KINDS = ["text", "code", "free", "question", "answer", "test", "written", "hint"]


@dataclass(frozen=True)
class Question:
    """What a question asks for: its name, subject, points and the learning goal that it tests."""

    name: str
    subject: str
    points: int
    goal: int


@dataclass(frozen=True)
class Cell:
    """A cell of a problem set; question is None before the first question."""

    kind: str
    source: str
    question: Question | None

    @property
    def is_prose(self):
        """Whether the cell is Markdown."""
        return self.kind in ["text", "question", "written", "hint"]


def cells_of(path):
    """Header and body of each cell of a file; what stands before the first header is left out."""
    parts = re.split(r"^# %% (.*)\n", Path(path).read_text(encoding="utf-8"), flags=re.M)
    return [
        (head.strip(), body.strip("\n"))
        for head, body in zip(parts[1::2], parts[2::2], strict=True)
    ]


def read_set(name):
    """Cells of the problem set with this name, a folder of course/sets."""
    cells, question = [], None
    for head, body in cells_of(SETS / name / "set.py"):
        kind = head.split(" ")[0]
        if kind not in KINDS:
            raise ValueError(f"{name}: cells are {', '.join(KINDS)}, not {head!r}")
        if kind == "question":
            match = QUESTION.fullmatch(head)
            if not match or match[2] not in SUBJECTS:
                raise ValueError(
                    f"{name}: {head!r} should read like 'question brier, numerics, 3 points, "
                    f"goal 2', with a subject of {', '.join(SUBJECTS)}"
                )
            question = Question(match[1], match[2], int(match[3]), int(match[4]))
        cell = Cell(kind, body, question)
        if cell.is_prose:
            if not (body.startswith('r"""') and body.endswith('"""')):
                raise ValueError(f'{name}: the cell {head!r} is prose; write it as r"""..."""')
            cell = Cell(kind, body[4:-3].strip("\n"), question)
        cells.append(cell)
    return cells


def questions(cells):
    """Questions of a set, in order."""
    return [cell.question for cell in cells if cell.kind == "question"]


def written(cells):
    """Names of the questions that are answered in prose and marked by hand."""
    return {cell.question.name for cell in cells if cell.kind == "written"}


def title(cells):
    """Title of a set, its first heading."""
    return cells[0].source.splitlines()[0].removeprefix("# ")


def goals(cells):
    """Learning goals of a set by number, the numbered list of its first cell."""
    found = re.findall(r"^(\d+)\. (.*)$", cells[0].source, re.M)
    return {int(number): goal for number, goal in found}


def secret_lines(cells):
    """Telling lines that stand only inside of solutions and hidden tests."""
    inside, outside = set(), set()
    for cell in cells:
        regions = [m[0] for pattern in (SOLUTION, HIDDEN) for m in pattern.finditer(cell.source)]
        inside |= {line.strip() for region in regions for line in region.splitlines()}
        rest = HIDDEN.sub("", SOLUTION.sub("", cell.source))
        outside |= {line.strip() for line in rest.splitlines()}
    return {line for line in inside - outside if len(line) >= TELLING}


def read_answers(name, file):
    """Pairs of header and code of the answers in second.py or wrong.py of a set.

    A header is the name of the question, in wrong.py with the mistake after a colon. The cell
    set-up holds the imports, which go in front of each answer.
    """
    (first, imports), *answers = cells_of(SETS / name / file)
    if first != "set-up":
        raise ValueError(f"{name}: {file} begins with the cell 'set-up', not {first!r}")
    return [(head, f"{imports}\n\n{body}") for head, body in answers]


def set_names():
    """Names of the problem sets, in order of the weeks."""
    return sorted(path.parent.name for path in SETS.glob("*/set.py"))


def shipped_files(name):
    """Files, such as data, that are handed out with a set."""
    return sorted(p for p in (SETS / name).iterdir() if p.is_file() and p.suffix != ".py")
