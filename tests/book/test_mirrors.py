"""The JavaScript of the page *calibrate* does what the Python does that it mirrors."""

import re
import sys
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import mirrors  # noqa: E402

PAIRS = mirrors.pairs()
SCRIPTS = sorted((ROOT / mirrors.SCRIPTS).glob("*.js"))
# NumPy's random numbers, and the page itself with its words and its offers
MIRRORS_NOTHING = {"draws.js", "fields.js", "offers.js", "page.js"}
MENTIONED = re.compile(r"\bcalib(?:kit)?(?:\.\w+)+")


def modules_of(js):
    return {pair.module for pair in PAIRS if pair.js == js}


def module_mentioned(name):
    """The module that defines what is mentioned; AttributeError if nothing is."""
    words = name.split(".")
    value = import_module(words[0])
    module = words[0]
    for k, word in enumerate(words[1:], start=2):
        try:
            value = import_module(".".join(words[:k]))
            module = value.__name__
        except ImportError:
            value = getattr(value, word)
            module = getattr(value, "__module__", module)
    return module


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: f"{pair.js}-{pair.module}")
def test_neither_of_a_pair_has_changed_alone(pair):
    assert mirrors.fault(pair) is None, mirrors.fault(pair)


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_what_a_comment_names_is_in_a_module_of_the_pairs(path):
    """And each module of the pairs is named."""
    text = path.read_text(encoding="utf-8")
    names = {name for comment in mirrors.comments(text) for name in MENTIONED.findall(comment)}
    assert {module_mentioned(name) for name in names} == modules_of(path.name)


def test_every_script_mirrors_modules_or_is_known_to_mirror_none():
    names = {path.name for path in SCRIPTS}
    assert {pair.js for pair in PAIRS} == names - MIRRORS_NOTHING


def test_contributing_lists_the_same_pairs():
    section = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    section = section.split("## The page that calibrates in the browser")[1].split("\n## ")[0]
    listed = set()
    for line in section.splitlines():
        if line.startswith("| `"):
            js, *modules = re.findall(r"`([\w.]+)`", line)
            listed |= {(js, module) for module in modules}
    assert listed == {(pair.js, pair.module) for pair in PAIRS}


def test_a_mention_of_nothing_is_seen():
    with pytest.raises(AttributeError):
        module_mentioned("calib.kernels.ties.group_ties")
    assert module_mentioned("calib.VennAbers") == "calib.methods.venn_abers"


# The checker

SCRIPT = "/* calib.one.twice. */\nconst twice = (x) => 2 * x; // of a number\nconst s = ' // ';\n"
MODULE = '"""A module."""\n\n\ndef twice(x):\n    """Twice a number."""\n    return 2 * x\n'


@pytest.fixture
def house(tmp_path):
    """A folder with a pair whose digests are those of today."""
    script = tmp_path / mirrors.SCRIPTS / "one.js"
    module = tmp_path / "calib" / "one.py"
    table = tmp_path / "mirrors.csv"
    for path, text in ((script, SCRIPT), (module, MODULE)):
        path.parent.mkdir(parents=True)
        path.write_text(text)
    mirrors.write([mirrors.Pair("one.js", "calib.one", "", "")], table)

    def run(*arguments):
        return mirrors.main(arguments, table=table, root=tmp_path)

    def fault():
        return mirrors.fault(mirrors.pairs(table)[0], tmp_path)

    assert run("--renew-all") == 0 and fault() is None
    return script, module, run, fault


def replace(path, old, new):
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def test_comments_docstrings_and_white_space_do_not_count(house):
    script, module, run, fault = house
    replace(script, "// of a number", "/* of\n any number */")
    replace(script, "2 * x", "2*x")
    replace(module, "Twice a number", "Two times a number")
    replace(module, "    return 2 * x", "    # a sum would do as well\n    return (2 * x)")
    assert fault() is None and run() == 0


@pytest.mark.parametrize("old, new", [("2 * x", "3 * x"), ("' // '", "' //'"), ("twice", "double")])
def test_code_that_changes_alone_in_javascript_is_seen(house, old, new, capsys):
    script, _, run, fault = house
    replace(script, old, new)
    assert "one.js has changed alone: change calib.one" in fault() and run() == 1
    assert run("one.js") == 1  # is not renewed in silence
    assert "--no-change-needed" in capsys.readouterr().err
    assert fault() and run("one.js", "calib.one", "--no-change-needed") == 0
    assert fault() is None


@pytest.mark.parametrize("old, new", [("2 * x", "3 * x"), ("(x)", "(x, y=1)")])
def test_code_that_changes_alone_in_python_is_seen(house, old, new):
    _, module, run, fault = house
    replace(module, old, new)
    assert "calib.one has changed alone: change one.js" in fault()
    assert run("calib.one") == 1 and fault()
    assert run("--renew-all") == 0 and fault() is None


def test_a_pair_that_has_changed_on_both_sides_is_renewed_by_hand(house):
    script, module, run, fault = house
    replace(script, "2 * x", "3 * x")
    replace(module, "2 * x", "3 * x")
    assert "have both changed: compare them" in fault()
    assert run("one.js", "calib.one") == 0 and fault() is None


def test_a_pair_that_is_not_there_is_refused(house):
    with pytest.raises(SystemExit):
        house[2]("two.js", "calib.one")
