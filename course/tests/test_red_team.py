"""Notebooks that want points without answers: none gains any, and nobody else's points change."""

import csv
import os
import socket
import subprocess
import sys
import time

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_output

from course.tests.conftest import model_answers
from course.tools.examine import prepare
from course.tools.grade import examined, grade, grader_context
from course.tools.notebooks import fill_in, released_notebook
from course.tools.sandbox import kind_here
from course.tools.source import COURSE, read_answers, read_set, set_names
from course.tools.student import QUESTIONS, Student
from course.tools.submissions import Submission

NAME = set_names()[0]
CELLS = read_set(NAME)
ANSWERS = [c for c in CELLS if c.kind == "answer"]

# Without a sandbox these programs would do here what they are meant to.
pytestmark = [
    pytest.mark.xdist_group("red team"),
    pytest.mark.skipif(kind_here() == "same user", reason="there is no sandbox"),
]

MARK = "course-red-team"  # in the command of processes that are left behind

# What the first cell does. The answers that go with it are those of ALWAYS, unless it has its own.
FIRST_CELLS = {
    "trigger in the grade book": """
import sqlite3, glob
for path in ["../../../gradebook.db", "../../gradebook.db", *glob.glob("/**/*.db", recursive=True)]:
    try:
        c = sqlite3.connect(path)
        c.execute("create trigger gift after update on grade begin update grade set manual_score=4,"
                  " needs_manual_grade=0 where id=new.id; end")
        c.commit()
    except Exception: pass
""",
    "model answers of the source": """
import glob, json
for path in glob.glob("../../../source/*/*.ipynb") + glob.glob(r"{course}/sets/*/set.py"):
    try:
        text = open(path).read()
        exec(text if path.endswith("py") else "\\n".join(
            "".join(c["source"]) for c in json.loads(text)["cells"] if c["cell_type"] == "code"))
    except Exception: pass
""",
    "cells become pass": "get_ipython().input_transformers_post.append(lambda lines: ['pass\\n'])",
    "asserts become pass": """
import ast
class NoAssert(ast.NodeTransformer):
    def visit_Assert(self, node): return ast.copy_location(ast.Pass(), node)
    def visit_Expr(self, node): return ast.copy_location(ast.Pass(), node)
get_ipython().ast_transformers.append(NoAssert())
""",
    "asserts of NumPy are replaced": """
import numpy as np
for name in dir(np.testing):
    if name.startswith("assert"): setattr(np.testing, name, lambda *a, **k: None)
""",
    "NumPy is replaced": """
import numpy as np, sys
for name in ["allclose", "isclose", "all", "any", "shape", "mean", "array_equal", "abs"]:
    setattr(np, name, lambda *a, **k: True)
sys.modules["numpy"] = np
""",
    "builtins are replaced": """
import builtins
builtins.AssertionError = type("Never", (Exception,), {})
builtins.all = builtins.any = lambda *a: True
builtins.abs = lambda x: 0
builtins.set = lambda *a: frozenset()
""",
    "compile and exec are replaced": """
import builtins
original = builtins.compile
builtins.compile = lambda source, *a, **k: original("pass", *a, **k)
builtins.exec = lambda *a: None
""",
    "the shell is replaced": """
shell = get_ipython()
class Fine:
    error_before_exec = error_in_exec = None
type(shell).run_cell = lambda *a, **k: Fine()
""",
    "messages are replaced": """
import sys, gc
for name, module in list(sys.modules.items()):
    if getattr(module, "__name__", "") == "values":
        module.encoded = lambda value, functions: {"value": 1, "points": 40, "said": ""}
        module.Channel.send = lambda self, message: None
""",
    "results are written to every file": """
import os
for number in range(3, 64):
    for text in ['\\0\\0\\0\\x0d{"points": 4}', '[{"question": "pi", "points": 3}]']:
        try: os.write(number, text.encode())
        except OSError: pass
""",
    "a forged array of 2**62 numbers": """
import sys, os, json, struct
class Forger:
    pass
for number in range(3, 64):
    text = json.dumps({"value": {"dtype": "<f8", "shape": [2**31, 2**31], "bytes": ""}}).encode()
    try: os.write(number, struct.pack(">I", len(text)) + text)
    except OSError: pass
""",
    "a message of four gigabytes": """
import os
for number in range(3, 64):
    try: os.write(number, b"\\xff\\xff\\xff\\xff" + b"x" * 10**6)
    except OSError: pass
""",
    "exit": "import sys; sys.exit(0)",
    "exit of the process": "import os; os._exit(0)",
    "exit with a handler": "import atexit, os; atexit.register(os._exit, 0); raise SystemExit",
    "kill the parent": """
import os, signal
for number in [os.getppid(), 1]:
    for what in [signal.SIGALRM, signal.SIGTERM, signal.SIGKILL]:
        if number > 1 or os.getpid() < 50:
            try: os.kill(number, what)
            except OSError: pass
""",
    "fork bomb": """
import os, time
end = time.time() + 5
while time.time() < end:
    try: os.fork()
    except OSError: time.sleep(0.05)
os._exit(0)
""",
    "threads without end": """
import threading, time
try:
    for _ in range(10_000): threading.Thread(target=time.sleep, args=(3600,), daemon=True).start()
except RuntimeError: pass
""",
    "all the memory": "kept = [bytearray(2**28) for _ in range(1000)]",
    "memory of many processes": """
import os
for _ in range(4):
    if not os.fork():
        try: kept = [bytearray(2**28) for _ in range(1000)]
        except MemoryError: pass
        os._exit(0)
""",
    "200 megabytes of output": "for _ in range(2000): print('x' * 100_000)",
    "a full disk": """
for number in range(100):
    with open(f"big-{number}", "wb") as file:
        for _ in range(64): file.write(b"x" * 2**20)
""",
    "a process that stays": f"""
import subprocess, sys
command = [sys.executable, "-c", "import time; time.sleep(1234)", "{MARK}"]
subprocess.Popen(command, start_new_session=True)
""",
    "a daemon that stays": f"""
import os, sys
if not os.fork():
    os.setsid()
    if os.fork(): os._exit(0)
    os.execv(sys.executable, [sys.executable, "-c", "import time; time.sleep(1234)", "{MARK}"])
""",
    "a thread that patches on": """
import threading, numpy as np, time
def patch():
    while True:
        np.testing.assert_allclose = lambda *a, **k: None
        time.sleep(0.001)
threading.Thread(target=patch, daemon=True).start()
""",
    "tracing": "import sys; sys.settrace(lambda *a: None); sys.setprofile(lambda *a: None)",
    "kit is replaced": """
import kit, numpy as np, os
open("kit.py", "w").write("def rng(*a): return None")
open("term.txt", "w").write("mine")
kit.rng = lambda question, student: np.random.default_rng(0)
kit.draw_labels = lambda p, rng: np.zeros(np.shape(p), dtype=int)
os.environ["COURSE_STUDENT"] = "another"
""",
    "packages are replaced": """
import glob, pathlib, sys, os
for module in ["numpy", "calib", "kit", "json", "sitecustomize", "values"]:
    pathlib.Path(module + ".py").write_text("raise SystemExit")
for folder in [*sys.path, *glob.glob("/usr/lib/python3*/"), sys.prefix]:
    for name in ["sitecustomize.py", "zz.pth", "numpy/testing/__init__.py"]:
        try: open(os.path.join(folder, name), "a").write("import os; os._exit(0)")
        except OSError: pass
""",
    "files of the shell": """
import os, pathlib
for name in [".ipython/profile_default/startup/a.py", ".bashrc", ".config/matplotlib/matplotlibrc"]:
    path = pathlib.Path.home() / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("raise SystemExit")
""",
    "links": """
import os
for target in ["/", "/proc/1/root", "{course}", "/tmp", "/released"]:
    try: os.symlink(target, "link" + str(abs(hash(target)))); os.chmod(target, 0o777)
    except OSError: pass
""",
    "memory of the parent": """
import os
for number in [os.getppid(), 1]:
    try:
        with open(f"/proc/{number}/mem", "r+b") as file: file.seek(4096); file.write(b"points")
    except Exception: pass
""",
    "standard streams": """
import os
for number in [0, 1, 2]:
    try: os.write(number, b'[{"question": "pi", "points": 3}]' * 10_000)
    except OSError: pass
    os.close(number)
""",
}

# What every function of the notebook is, after the first cell.
EVERYWHERE = {
    "an object equal to all": """
class Yes:
    def __eq__(self, other): return True
    def __array__(self, *a, **k):
        import numpy as np
        return np.array([True])
    __ge__ = __le__ = __lt__ = __gt__ = __eq__
    def __iter__(self): return iter([self, self])
    def __len__(self): return 3
    __hash__ = None
value = Yes()
""",
    "a number equal to all": """
class Number(float):
    def __eq__(self, other): return True
    def __sub__(self, other): return 0.0
    __rsub__ = __sub__
    __hash__ = float.__hash__
value = Number(0)
""",
    "an array equal to all": """
import numpy as np
class Array(np.ndarray):
    def __array_ufunc__(self, *a, **k): return np.True_
    def __array_function__(self, *a, **k): return np.True_
value = np.zeros(3).view(Array)
""",
    "an object with effects when unpickled": """
class Bomb:
    def __reduce__(self):
        import os
        return os.system, ("touch {course}/red-team",)
value = Bomb()
""",
    "empty arrays": "import numpy as np; value = np.array([])",
    "pairs of empty arrays": "import numpy as np; value = np.array([]), np.array([])",
    "empty columns": "import numpy as np; value = np.zeros((2, 0))",
    "nan": "value = float('nan')",
    "infinity": "value = float('inf')",
    "true": "value = True",
    "nothing": "value = None",
    "text": "value = '0.5' * 10",
    "masked": "import numpy as np; value = np.ma.masked_all(3)",
    "objects": "import numpy as np; value = np.array([object()] * 3, dtype=object)",
    "a list in itself": "value = []; value.append(value)",
    "a list without end": "import itertools; value = itertools.count()",
    "a number without end": "value = 10 ** 5000",
    "a gigabyte": "import numpy as np; value = np.zeros(2**27)",
    "a million cases": "import numpy as np; value = np.arange(10**6) % 2, np.linspace(0, 1, 10**6)",
    "a hundred axes": "value = 0.5\nfor _ in range(900): value = [value]",
}

# Functions that look for the expectation where tests have left it.
SEARCHES = {
    "expected values among the globals": "globals().get('_expected', [0, .6, .6])",
    "expected values in frames": "seen()",
    "expected values in all objects": "found()",
}
SEARCH = """
import sys, gc
import numpy as np
def seen():
    frame = sys._getframe()
    while frame:
        for names in [frame.f_locals, frame.f_globals]:
            for name in ["_expected", "_values", "_fraction", "desired"]:
                if name in names: return names[name]
        frame = frame.f_back
def found():
    for item in gc.get_objects():
        if isinstance(item, dict) and "_expected" in item: return item["_expected"]
"""


def every_function(expression):
    """Cells that define each function of the set to return an expression."""
    cells = {}
    for cell in ANSWERS:
        head = cell.source.split("\n")[0]
        cells[cell.question.name] = f"{head}\n    return {expression}"
    return cells


def with_first_cell(notebook, source):
    """The notebook with a cell of code in front."""
    notebook.cells.insert(1, new_code_cell(source.replace("{course}", str(COURSE))))
    return notebook


def cheats(released):
    """Notebooks by what they try."""
    for name, source in FIRST_CELLS.items():
        yield name, with_first_cell(fill_in(released, every_function("0.5")), source)
    for name, source in EVERYWHERE.items():
        yield name, with_first_cell(fill_in(released, every_function("value")), source)
    for name, expression in SEARCHES.items():
        yield name, with_first_cell(fill_in(released, every_function(expression)), SEARCH)
    changed = fill_in(released, every_function("0.5"))
    for cell in changed.cells:
        marks = cell.metadata.get("nbgrader", {})
        if marks.get("grade"):
            marks["points"] = 400
            cell.source = "pass"
            if cell.cell_type == "code":
                cell.outputs = [new_output("stream", name="stdout", text="4.0 points\n")]
    changed.metadata["points"] = 40
    yield "tests emptied, points and outputs written into the file", changed
    swapped = fill_in(released, every_function("0.5"))
    for cell in swapped.cells:
        marks = cell.metadata.get("nbgrader", {})
        if marks.get("grade_id", "").endswith("-answer"):
            marks["grade_id"] = marks["grade_id"].removesuffix("-answer")
    yield "answers in the place of tests", swapped
    bare = fill_in(released, every_function("0.5"))
    bare.cells = [c for c in bare.cells if not c.metadata.get("nbgrader", {}).get("grade")]
    yield "tests deleted", bare


def processes_left():
    """Commands of processes that a notebook has left behind."""
    listed = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True)
    return [line for line in listed.stdout.splitlines() if MARK in line]


@pytest.fixture(scope="module")
def graded_class(tmp_path_factory):
    """A class of cheats and three honest students: points by student, and what was left."""
    root = tmp_path_factory.mktemp("red team")
    released = released_notebook(CELLS)
    model = model_answers(CELLS)
    second = model | dict(read_answers(NAME, "second.py"))
    notebooks = dict(cheats(released))
    honest = {"0 first": model, "m middle": second, "~ last": model}
    notebooks |= {name: fill_in(released, answers) for name, answers in honest.items()}
    for name, notebook in notebooks.items():
        (root / "in" / name).mkdir(parents=True)
        nbformat.write(notebook, root / "in" / name / f"{NAME}.ipynb")
    problems = grade(root / "in", "2026a", root / "grades", seconds=60)
    points = {}
    with (root / "grades" / "points.csv").open(newline="") as file:
        for row in csv.DictReader(file):
            points.setdefault(row["student"], {})[row["question"]] = row["points"]
    return points, honest, problems, root


def test_no_cheat_gains_a_point(graded_class):
    points, honest, _, _ = graded_class
    gained = {
        student: own
        for student, own in points.items()
        if student not in honest and any(p not in ["0", ""] for p in own.values())
    }
    assert gained == {} and len(points) > 55


def test_honest_students_have_their_points(graded_class):
    points, honest, problems, _ = graded_class
    written = {c.question.name for c in CELLS if c.kind == "written"}
    most = {c.question.name: str(c.question.points) for c in CELLS if c.kind == "question"}
    expected = {q: "" if q in written else p for q, p in most.items()}
    for student in honest:
        assert points[student] == expected, problems


def test_nothing_is_left_behind(graded_class):
    assert processes_left() == []
    assert not (COURSE / "red-team").exists()
    for path in [COURSE / "kit.py", COURSE / "tools" / "pupil.py"]:
        assert "SystemExit" not in path.read_text()


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    """What a student's process gets."""
    folder = tmp_path_factory.mktemp("prepared") / NAME
    prepare(NAME, "2026a", folder)
    return folder


SECONDS = 3
# Notebooks that want to keep the grader waiting: the first cell, and what every function does.
SLOW = {
    "sleeps in every cell": ("import time; time.sleep(2)", "__import__('time').sleep(2)"),
    "stops itself": ("import os, signal; os.kill(os.getpid(), signal.SIGSTOP)", "0"),
    "is run again and again": ("import time; time.sleep(2)", "__import__('os')._exit(0)"),
    "holds the interpreter": ("10 ** 10 ** 9", "10 ** 10 ** 9"),
    "does not hear alarms": (
        "import signal\nfor n in range(1, 65):\n    try: signal.signal(n, signal.SIG_IGN)\n"
        "    except (OSError, ValueError): pass\n"
        "while True:\n    try:\n        while True: pass\n    except BaseException: pass",
        "0",
    ),
    "says a byte a second": (
        "import os, time\nwhile True:\n    for n in range(3, 64):\n"
        "        try: os.write(n, b'\\0')\n        except OSError: pass\n    time.sleep(1)",
        "0",
    ),
    "children that sleep": (
        "import os, time\nfor _ in range(9):\n    if not os.fork(): os.setsid(); time.sleep(1234)",
        "__import__('time').sleep(1234)",
    ),
}


@pytest.mark.parametrize("name", SLOW)
def test_nobody_keeps_the_grader_waiting(name, prepared, tmp_path):
    first, every = SLOW[name]
    notebook = with_first_cell(fill_in(released_notebook(CELLS), every_function(every)), first)
    path = tmp_path / f"{NAME}.ipynb"
    nbformat.write(notebook, path)
    began = time.monotonic()
    submission = Submission("slow", NAME, path)
    results, _ = examined(submission, prepared, grader_context(), SECONDS, kind_here())
    assert not any(result["points"] for result in results)
    # The student's limit, as much for tests, and what starting and ending processes takes.
    assert time.monotonic() - began < 2 * QUESTIONS * SECONDS + 60


CONNECT = """
import socket
def attempts():
    yield socket.AF_INET, ("127.0.0.1", {port})
    yield socket.AF_INET, ("localhost", {port})
    yield socket.AF_INET, ("192.0.2.1", 80)
    yield socket.AF_INET6, ("::1", {port})
    yield socket.AF_UNIX, "\\0course-red-team-{port}"
for kind, address in attempts():
    try:
        with socket.socket(kind) as one:
            one.settimeout(2)
            one.connect(address)
            print("connected to", address)
    except OSError as error: print("refused")
"""


def test_no_connection_leaves_the_sandbox(prepared):
    """The marking desk listens on this machine while others grade."""
    with socket.create_server(("127.0.0.1", 0)) as inet, socket.socket(socket.AF_UNIX) as abstract:
        port = inet.getsockname()[1]
        abstract.bind(f"\0course-red-team-{port}")
        abstract.listen()
        program = CONNECT.replace("{port}", str(port))
        outside = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
        assert outside.stdout.count("connected") >= 2  # else nothing would be shown
        with Student(prepared, "red", kind=kind_here()) as student:
            printed, error = student.run(program)
    assert error is None and printed.split() == ["refused"] * 5


GIGABYTES = f"""
import os
written = 0
for folder in [".", "/tmp", "/var/tmp", "/dev/shm", "/run/lock"]:
    for number in range(20):
        try:
            with open(folder + "/{MARK}-" + str(number), "wb") as file:
                for _ in range(60): written += file.write(b"x" * 2**20)
        except OSError: break
print(written // 2**20)
"""


def test_gigabytes_are_not_written(prepared):
    with Student(prepared, "red", kind=kind_here()) as student:
        printed, _ = student.run(GIGABYTES)
    assert 100 < int(printed) <= 520
    for folder in ["/tmp", "/var/tmp", "/dev/shm", "/run/lock"]:
        assert not os.path.exists(f"{folder}/{MARK}-0")
