"""Every door leads to one first calibrator: `StackedCalibrator()`."""

import re
import shlex
import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import calib
from calibkit import comparison
from calibkit.cli import arguments
from calibkit.comparison.guide import OTHERWISE
from calibkit.report import make_report

ROOT = Path(__file__).resolve().parents[2]
DEFAULT = "StackedCalibrator"
CALIBRATORS = [
    name
    for name in calib.__all__
    if isinstance(getattr(calib, name), type)
    and issubclass(getattr(calib, name), calib.Calibrator)
    and name != "Calibrator"
]
NAMED = re.compile(rf"\b({'|'.join(CALIBRATORS)})\b")


def text_of(path):
    return (ROOT / path).read_text(encoding="utf-8")


def first_of(text):
    """The calibrator that a text names first."""
    return NAMED.search(text)[0]


def after(path, words):
    """The calibrator that a page names first after some words, which stand there once."""
    _, _, rest = text_of(path).partition(words)
    assert rest, f"{path} does not say {words!r}"
    return first_of(rest)


def of_the_command():
    parsed = arguments.parser().parse_args("fit f.csv --score s --label y -o m.json".split())
    return arguments.CLASSES_OF_METHODS[parsed.method]


def of_the_report():
    """The calibrator that the advice names, if its command asks for no other method."""
    scores = np.random.default_rng(0).random(500)
    labels = np.random.default_rng(1).random(500) < scores**2
    first, *steps = make_report(scores, labels, command="calib fit scores.csv").advice
    assert first_of(" ".join(steps)) == DEFAULT and "--method" not in " ".join(steps)
    return first_of(first)


def of_the_classifier():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2))
    fitted = calib.CalibratedClassifier(LogisticRegression()).fit(X, X[:, 0] > 0)
    return type(fitted.calibrators_[0]).__name__


def of_the_page():
    """The map that stands first on the page, and the method that its file names."""
    assert 'const DEFAULT = "Stacked";' in text_of("book/_static/calibrate/page.js")
    answer = text_of("book/_static/calibrate/answer.js")
    name, parameters = re.search(r'method: "(\w+)",\s+parameters: \{(.*?)\}', answer).groups()
    assert dict(pair.split(": ") for pair in parameters.strip().split(", ")) == {
        key: {None: "null", False: "false"}.get(value, str(value))
        for key, value in calib.StackedCalibrator().get_params().items()
    }
    return name


DOORS = {
    "README": lambda: after("README.md", "If you have probabilities and labels already"),
    "front page": lambda: after("book/intro.md", "If you have probabilities and labels already"),
    "which method, table": lambda: after("book/which_method.md", "| you have scores, and outcomes"),
    "which method, steps": lambda: after("book/which_method.md", "3. Otherwise begin with"),
    "hour": lambda: first_of(text_of("book/hour/3_mend_it.md").partition("import calib")[2]),
    "methods": lambda: re.search(r"`~calib\.(\w+)` \| the default", text_of("book/methods.md"))[1],
    "calibrate page": lambda: after("book/calibrate.md", "| Stacked (the default) |"),
    "script of the page": of_the_page,
    "calib fit": of_the_command,
    "page of the command": lambda: arguments.CLASSES_OF_METHODS[
        re.search(r"`--method` is `(\w+)` \(the default\)", text_of("book/command_line.md"))[1]
    ],
    "compare": lambda: type(comparison.DEFAULTS[0].calibrator).__name__,
    "package": lambda: first_of(calib.__doc__),
    "first lecture": lambda: first_of(text_of("course/slides/01_probabilities.md")),
    "guide": lambda: first_of(OTHERWISE.take),
    "report": of_the_report,
    "classifier": of_the_classifier,
}


@pytest.mark.parametrize("door", DOORS)
def test_the_door_names_the_default(door):
    assert DOORS[door]() == DEFAULT


def test_the_default_has_no_arguments_at_any_door():
    for path in ("README.md", "book/intro.md", "book/hour/3_mend_it.md"):
        assert "StackedCalibrator()" in text_of(path)
    assert repr(comparison.DEFAULTS[0].calibrator) == OTHERWISE.take == f"{DEFAULT}()"
    line = shlex.split(re.search(r"^calib fit .*$", text_of("book/command_line.md"), re.M)[0])
    assert "--method" not in line


def test_the_first_week_of_the_course_names_no_other():
    first = [*(ROOT / "course" / "sets" / "01_probabilities").glob("*.py")]
    first += (ROOT / "course" / "slides").glob("01_*.md")
    assert len(first) > 3
    for path in first:
        assert set(NAMED.findall(path.read_text(encoding="utf-8"))) <= {DEFAULT}, path.name


def test_another_first_calibrator_would_be_noticed(monkeypatch):
    """Each page with another name in place of the default at its door."""
    here = sys.modules[__name__]
    for door, path in [
        ("README", "README.md"),
        ("front page", "book/intro.md"),
        ("which method, table", "book/which_method.md"),
        ("which method, steps", "book/which_method.md"),
        ("hour", "book/hour/3_mend_it.md"),
        ("methods", "book/methods.md"),
        ("calibrate page", "book/calibrate.md"),
    ]:
        other = text_of(path).replace(DEFAULT, "VennAbers")
        with monkeypatch.context() as patch:
            patch.setattr(here, "text_of", lambda path, other=other: other)
            assert DOORS[door]() == "VennAbers"
