"""The page *Calibrate your scores here*: its numbers are those of calib, in node and in a browser.

The first part asks the worker of the page what it asks itself, without the page; the second opens
the page of the built site, which is that of test_site.py.
"""

import base64
import csv
import io
import json
import math
import re
import shlex
import shutil
import sqlite3
import subprocess
import sys
import warnings
from contextlib import closing
from functools import cache

import numpy as np
import pytest
import test_pages
import test_site
from scipy.special import expit

import calib
import calibkit
from calib import (
    BetaCalibration,
    IsotonicCalibrator,
    PlattScaling,
    SplineCalibrator,
    StackedCalibrator,
    TemperatureScaling,
    VennAbers,
)
from calibkit.cli import arguments
from calibkit.cli import learn as learning
from calibkit.cli.read import read_scores
from calibkit.cli.remarks import on_map
from calibkit.cli.tables import Format, InputError
from calibkit.deployment import load_map
from calibkit.report import calibrators, make_report

sys.path.append(str(test_site.ROOT / "book" / "_ext"))
from calibrate import EXAMPLE, MODULES, PAGE  # noqa: E402

site, browser, executable = test_site.site, test_site.browser, test_site.executable  # its fixtures
SCRIPTS = test_site.ROOT / "book" / "_static" / "calibrate"
METHODS = {
    "Temperature": TemperatureScaling(),
    "Platt on logits": PlattScaling(scale="logit"),
    "Beta": BetaCalibration(),
    "Spline": SplineCalibrator(),
    "Centred isotonic": IsotonicCalibrator(centred=True, smoothing=0.5),
    "Venn-Abers": VennAbers(),
}
SUMS = "the calibrated probabilities add up to"
ALL_METHODS = {"Stacked": StackedCalibrator()} | METHODS
COMMAND = "calib fit scores.csv --score score --label label -o map.json"
EXACT = 1e-9
OF_SPLINES = 1e-8  # their weights are exponentials of determinants, which are rounded
FORM = {
    "separator": ",",
    "decimal": ".",
    "encoding": "utf-8",
    "header": True,
    "dropMissing": False,
    "score": "score",
    "label": "label",
    "positive": "",
}
LEFT_OUT = {"smooth_ece", "ici"}  # of the measures of a report


# Files


def text_of(scores, labels, header="score,label", separator=","):
    rows = (f"{s}{separator}{z}\n" for s, z in zip(scores, labels, strict=True))
    return f"{header}\n" * bool(header) + "".join(rows)


def plain(scores, labels, **how):
    return text_of(map(repr, scores.tolist()), np.asarray(labels).astype(int).tolist(), **how)


def usable():
    """Name, text and form of files that both can read."""
    rng = np.random.default_rng(0)
    p = rng.random(1500)
    yield "calibrated", plain(p, rng.random(1500) < p), {}
    p = rng.random(1200)
    yield "overconfident", plain(p, rng.random(1200) < 0.25 + p / 2), {}
    p = rng.random(1500).round(2)
    yield "ties", plain(p, rng.random(1500) < p), {}
    p = 0.2 * rng.random(4000) ** 6
    yield "rare positives", plain(p, rng.random(4000) < 0.7 * p), {}
    p = 0.05 * rng.random(400)
    yield "few positives", plain(p, rng.random(400) < p), {}
    p = np.clip(rng.normal(0.5, 0.4, 800), 0, 1)
    yield "scores of 0 and 1", plain(p, rng.random(800) < 0.1 + 0.8 * p), {}
    p = np.where(rng.random(3000) < 0.4, 0.0, 0.03 * rng.random(3000))
    yield "rare positives among zeros", plain(p, rng.random(3000) < 0.031), {}
    p = rng.random(700)
    words = np.where(rng.random(700) < p, '"yes; ""sure"""', '" no "')
    cells = (repr(s).replace(".", ",") for s in p.tolist())
    text = text_of(cells, words, header='\ufeff"a ""score""";"came;true"', separator=";")
    form = {"separator": ";", "decimal": ",", "score": 'a "score"', "label": "came;true"}
    yield "quoted names, decimal commas", text, form | {"positive": 'yes; "sure"'}
    p = rng.random(600)
    form = {"header": False, "score": "1", "label": "2", "dropMissing": True}
    yield "no header", "NA,1\n" + plain(p, rng.random(600) < p, header="") + "0.5,\n", form
    p = expit(1.5 * rng.normal(size=800))
    yield "scores of the predicted class", plain(np.maximum(p, 1 - p), rng.random(800) < p), {}
    p = expit(1.6 + 1.5 * rng.normal(size=800))
    yield "three quarters positive", plain(np.maximum(p, 1 - p), rng.random(800) < p), {}
    p = rng.random(300)
    labels = rng.random(300) < p
    p[[3, 7, 8, 9]] = [1.0000001192092896, -1e-9, 1.00001, -1e-7]
    yield "rounding beyond the ends", f"sep=,\n{plain(p, labels)}", {}
    p = np.repeat(rng.random(300), 4)
    yield "rows four times", plain(p, np.repeat(rng.random(300) < p[::4], 4)), {}
    logits = rng.normal(size=100_000)
    yield "100,000 rows", plain(expit(logits), rng.random(100_000) < expit(0.8 * logits)), {}


UNUSABLE = {
    "one class": ("score,label\n0.1,0\n0.2,0\n", {}),
    "one class, of two values": ("score,label\n0.1,no\n0.2,no\n", {"positive": "yes"}),
    "no header": ("0.1,0\n0.2,1\n", {}),
    "other separator": ("score;label\n0.1;0\n0.2;1\n", {}),
    "other separator, decimal commas": ("score;label\n0,1;0\n0,2;1\n", {}),
    "other separator, one column": ("a;b\n0,1;0\n0,2;1\n", {"score": "1", "label": "2"}),
    "decimal commas": ('score,label\n"0,1",0\n"0,2",1\n', {}),
    "decimal points": ("score;label\n0.1;0\n", {"separator": ";", "decimal": ","}),
    "two commas": ("score,label\n0.1,0\n", {"decimal": ","}),
    "words for numbers": ("score,label\n0.1,0\nhigh,1\n", {}),
    "underscore": ("score,label\n0.1,0\n1_0,1\n", {}),
    "infinite": ("score,label\n0.1,0\n1e999,1\n", {}),
    "missing score": ("score,label\n0.1,0\n,1\n", {}),
    "missing label": ("score,label\n0.1,0\n0.2,NA\n", {}),
    "all missing": ("score,label\n,0\n0.2,NA\n", {"dropMissing": True}),
    "third class": ("score,label\n0.1,no\n0.2,yes\n0.3,may be\n", {"positive": "yes"}),
    "words for classes": ("score,label\n0.1,no\n0.2,yes\n", {}),
    "other positive": ("score,label\n0.1,no\n0.2,no\n", {"positive": "it's"}),
    "no such column": ("prob,label\n0.1,0\n0.2,1\n", {}),
    "column twice": ("score,score,label\n0.1,0,1\n", {}),
    "one column for both": ("score,label\n0.1,0\n", {"label": "score"}),
    "ragged": ("score,label\n0.1,0\n0.2,1,5\n", {}),
    "open quotation": ('score,label\n0.1,"0\n0.2,1\n', {}),
    "quotation within": ('score,label\n0.1,"0"x\n0.2,1\n', {}),
    "clicks": ("score,label\n0.1,4\n0.2,1\n", {}),
    "percent signs": ("score,label\n15.06%,0\n0.2,1\n", {}),
    "a line for Excel": ("sep=;\nscore;label\n0.1;0\n0.2;1\n", {}),
    "words after a line for Excel": ("sep=;\nscore;label\n0.1;0\nhigh;1\n", {"separator": ";"}),
    "only a header": ("score,label\n", {}),
    "empty": ("", {}),
    "NUL": ("score,label\n0.1,0\n0.2,\0\n", {}),
    "long line": ("score,label\n0.1,0\n" + "0" * 1_100_000 + ",1\n", {}),
    "Latin": ("score,label\n0.1,caf\xe9\n".encode("latin-1"), {}),
    "UTF-16": ("score,label\n0.1,0\n".encode("utf-16"), {}),
    "workbook": (b"PK\x03\x04 and so on", {}),
}
ONLY_ON_THE_PAGE = {"clicks": " of calib report, as this page takes no weights"}


def bytes_of(text):
    return text if isinstance(text, bytes) else text.encode("utf-8")


def read(path, form):
    """The file as the command line reads it."""
    names = {key: form[key] for key in ("score", "label")}
    how = Format(form["separator"], form["decimal"], form["encoding"], form["header"])
    dropped = {"positive": form["positive"] or None, "drop_missing": form["dropMissing"]}
    return read_scores(path, form=how, **names, **dropped)


@pytest.fixture(scope="module", params=[name for name, *_ in usable()])
def sample(request, tmp_path_factory):
    """Path, form, and rows of a file that can be used."""
    text, form = next((text, form) for name, text, form in usable() if name == request.param)
    path = tmp_path_factory.mktemp("files") / "scores.csv"
    path.write_bytes(bytes_of(text))
    return path, FORM | form, read(path, FORM | form)


@cache
def report_on(path, rows):
    """The report without its comparison, which the page does not make."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(calibrators, "compared", lambda *_: None)
        return json.loads(make_report(rows.scores, rows.labels, command=COMMAND).to_json())


@cache
def comparison_on(path, rows):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return calibkit.comparison.compare(rows.scores, rows.labels, ALL_METHODS)


# The worker

TEXT = "".join((SCRIPTS / f"{name}.js").read_text(encoding="utf-8") for name in MODULES)
IN_NODE = """
const { readFileSync, writeSync } = require("fs");
const source = require("vm").runInThisContext(readFileSync(process.argv[2], "utf8"));
globalThis.self = { postMessage: (message) => writeSync(1, `${JSON.stringify(message)}\\n`) };
require("vm").runInThisContext(source);
require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const data = JSON.parse(line);
  if (data.request.path) data.request.bytes = new Uint8Array(readFileSync(data.request.path));
  self.onmessage({ data });
});
"""
IN_BROWSER = """() => {
  const blob = new Blob([workerSource()], { type: "text/javascript" });
  window.worker = new Worker(URL.createObjectURL(blob));
  window.ask = (message, bytes) => new Promise((resolve) => {
    const code = (c) => c.charCodeAt(0);
    if (bytes !== null) message.request.bytes = Uint8Array.from(atob(bytes), code);
    window.worker.onmessage = ({ data }) => resolve(JSON.stringify(data));
    window.worker.postMessage(message);
  });
}"""


@pytest.fixture(scope="module", params=["node", "browser"])
def ask(request, tmp_path_factory):
    """A function that asks the worker: a task, a file if there is one, and the rest."""
    yield from globals()[f"ask_{request.param}"](request, tmp_path_factory)


def ask_node(request, tmp_path_factory):
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed")
    folder = tmp_path_factory.mktemp("worker")
    (folder / "all.js").write_text(f"{TEXT}\nworkerSource();", encoding="utf-8")
    (folder / "main.js").write_text(IN_NODE, encoding="utf-8")
    command = [node, folder / "main.js", folder / "all.js"]
    with subprocess.Popen(command, stdin=-1, stdout=-1, text=True, encoding="utf-8") as process:

        def ask(task, path=None, **rest):
            rest |= {} if path is None else {"path": str(path), "name": path.name}
            print(json.dumps({"id": 1, "task": task, "request": rest}), file=process.stdin)
            process.stdin.flush()
            return json.loads(process.stdout.readline())

        yield ask
        process.stdin.close()


def ask_browser(request, tmp_path_factory):
    tab = request.getfixturevalue("browser").new_page()
    tab.add_script_tag(content=TEXT)
    tab.evaluate(IN_BROWSER)

    def ask(task, path=None, **rest):
        content = None
        if path is not None:
            rest["name"], content = path.name, base64.b64encode(path.read_bytes()).decode()
        message = {"id": 1, "task": task, "request": rest}
        return json.loads(tab.evaluate("([m, bytes]) => ask(m, bytes)", [message, content]))

    yield ask
    tab.close()


def close(found, expected, within=EXACT):
    """Whether numbers are equal; JSON has no infinity, and null stands for it."""
    if found is None or expected is None:
        return found is None and (expected is None or not np.isfinite(expected))
    return abs(found - expected) <= within


def test_the_report(ask, sample):
    path, form, rows = sample
    found = ask("report", path, form=form, command=COMMAND)["answer"]
    expected = report_on(path, rows)
    advice = found["withheld"] or [*found["questions"], *found["advice"]]
    assert advice == expected["advice"]
    assert found["notes"] == rows.notes
    verdict = found["verdict"]
    for ours, theirs in [("outcome", "outcome"), ("sentence", "sentence"), ("details", "details")]:
        assert verdict[ours] == expected["verdict"][theirs]
    assert verdict.get("pValue") == expected["verdict"]["p_value"]
    assert close(verdict.get("detectable"), expected["verdict"]["detectable"])
    assert found["cautions"] == expected["cautions"]
    for measure in expected["measures"]:
        if measure["key"] not in LEFT_OUT:
            numbers = found["estimates"][measure["key"]]
            for end in ("value", "lower", "upper", "floor", "by_chance"):
                ours = numbers.get("byChance" if end == "by_chance" else end)
                assert close(ours, measure[end]), (measure["key"], end)
            assert measure["note"].endswith(numbers.get("note", ""))
            assert (numbers["value"] is None) == ("note" in numbers)
    names = {"band_at": "bandAt", "holds_diagonal": "holdsDiagonal"}
    for name, values in expected["curve"].items():
        np.testing.assert_allclose(
            np.array(found["curve"][names.get(name, name)], float),
            np.array(values, float),
            rtol=0,
            atol=EXACT,
        )


def no_probabilities():
    """Name and scores of files of margins, percentages and marks for missing scores."""
    p = np.random.default_rng(0).random(400)
    yield "margins", 8 * p - 4
    yield "percentages", np.round(100 * p, 1)
    yield "a scorecard", np.round(900 - 600 * p)
    yield "tiny margins", 1e-7 * (p - 0.5)
    yield "-999", np.where(np.arange(400) % 9 == 0, -999, p)
    yield "-1 and 2", np.where(np.arange(400) % 9 == 0, -1, np.where(np.arange(400) % 7 == 0, 2, p))
    yield "999 among margins", np.where(np.arange(400) % 9 == 0, 999, 8 * p - 4)
    yield "one outlier", np.where(np.arange(400) == 9, -999, p)


@pytest.mark.parametrize("name", [name for name, _ in no_probabilities()])
def test_scores_that_are_no_probabilities(ask, tmp_path, name):
    scores = dict(no_probabilities())[name]
    labels = np.random.default_rng(1).random(400) < np.random.default_rng(0).random(400)
    path = tmp_path / "scores.csv"
    path.write_text(plain(scores, labels))
    rows = read(path, FORM)
    found = ask("report", path, form=FORM, command="calib fit")["answer"]
    expected = report_on(path, rows)
    assert found["notes"] == rows.notes == []
    assert found["cautions"] == expected["cautions"]
    assert found["verdict"]["sentence"] == expected["verdict"]["sentence"]
    withheld = "marks of missing values" in {caution["kind"] for caution in expected["cautions"]}
    assert withheld == (name in ("-999", "-1 and 2", "999 among margins"))
    first = [*(found["withheld"] or [*found["questions"], *found["advice"]])][0]
    assert first == expected["advice"][0]


def margins():
    """Name, scores and labels of files of margins that the default learns from."""
    rng = np.random.default_rng(11)
    logits = 1.5 * rng.normal(size=300)
    labels = rng.random(300) < expit(logits)
    yield "logits", logits, labels
    yield "a scorecard that falls", np.round(600 - 30 * logits), labels
    yield "percentages", np.round(100 * expit(logits), 1), labels
    yield "ties", np.round(logits), labels
    yield "few positives", logits, np.arange(300) % 60 == np.argmax(logits) % 60
    yield "fewer than folds", logits, np.argsort(np.argsort(logits)) > 296
    yield "heavy tails", np.sinh(3 * logits), labels
    yield "two scores", np.where(logits > 0, 5.0, -3.0), labels
    yield "one score", np.full(300, 3.0), labels
    yield "large units", 1e100 * logits, labels
    yield "separated", logits, logits > 0


@pytest.mark.parametrize("name", [name for name, *_ in margins()])
def test_the_default_of_margins(ask, tmp_path, name):
    scores, labels = next((scores, labels) for one, scores, labels in margins() if one == name)
    path = tmp_path / "scores.csv"
    path.write_text(plain(scores, labels), encoding="utf-8")
    rows = read(path, FORM)
    ask("report", path, form=FORM)
    answer = ask("fit", method="Stacked", version=calib.__version__)["answer"]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        method = StackedCalibrator().fit(rows.scores, rows.labels)
    said = [str(one.message) for one in caught if issubclass(one.category, UserWarning)]
    assert bool(said) == (name == "a scorecard that falls")
    said += [words for words in on_map(method.map_, rows, rows.labels, "stacked") if SUMS in words]
    assert [words.partition("; for sums")[0] for words in answer["notes"]] == [
        words.partition("; for sums")[0] for words in said
    ]
    stored = tmp_path / "map.json"
    stored.write_text(answer["files"]["json"], encoding="utf-8")
    least, most = rows.scores.min(), rows.scores.max()
    grid = np.concatenate([np.linspace(least, most, 101), [2 * least - 1, 2 * most + 1], scores])
    read_back = load_map(stored)
    np.testing.assert_allclose(read_back(grid), method.predict(grid), rtol=0, atol=OF_SPLINES)
    grid = grid[:150].tolist()
    for values in (
        in_javascript(answer["files"]["js"], grid),
        in_sql(answer["files"]["sql"], grid),
    ):
        np.testing.assert_allclose(values, read_back(np.array(grid)), rtol=0, atol=1e-12)
    assert answer["diagonal"] is False
    np.testing.assert_allclose(
        [p for _, p in answer["line"]], read_back([s for s, _ in answer["line"]]), atol=1e-12
    )


def test_sums_of_venn_abers_are_remarked(ask, tmp_path):
    rng = np.random.default_rng(2)
    scores = rng.beta(1, 30, 1000)
    path = tmp_path / "scores.csv"
    path.write_text(plain(scores, rng.random(1000) < scores), encoding="utf-8")
    rows = read(path, FORM)
    ask("report", path, form=FORM)
    for name in ("Venn-Abers", "Stacked", "Spline"):
        found = ask("fit", method=name, version=calib.__version__)["answer"]["notes"]
        map_ = ALL_METHODS[name].fit(rows.scores, rows.labels).map_
        words = [
            one.partition(";")[0] for one in on_map(map_, rows, rows.labels, "") if SUMS in one
        ]
        assert [one.partition(";")[0] for one in found] == words
        if name != "Stacked":  # whose sum may be off by a standard error
            assert bool(words) == (name == "Venn-Abers")


def test_whole_scores_have_no_decimals(ask, tmp_path):
    rng = np.random.default_rng(5)
    scores = np.r_[187, 1951, rng.integers(200, 1900, 298)]
    path = tmp_path / "scores.csv"
    path.write_text(plain(scores, rng.random(300) < 0.3), encoding="utf-8")
    found = ask("report", path, form=FORM)["answer"]
    expected = report_on(path, read(path, FORM))["verdict"]
    assert found["verdict"]["sentence"] == expected["sentence"]
    assert "they reach from 187 to 1951." in expected["sentence"]


def test_the_comparison_and_the_maps(ask, sample, tmp_path):
    path, form, rows = sample
    ask("report", path, form=form)  # the worker remembers the rows
    expected = comparison_on(path, rows)
    found = ask("compare", names=list(ALL_METHODS))["answer"]
    assert found["recommendation"] == expected.recommendation
    assert found["chosen"] == expected.chosen == "Stacked"
    assert found["notes"] == list(expected.notes)
    assert found["nRepeats"] == expected.n_repeats
    assert [result["name"] for result in found["results"]] == list(expected.results)
    for numbers, result in zip(found["results"], expected.results.values(), strict=True):
        assert close(numbers["log"], result.log_loss) and close(numbers["brier"], result.brier)
        assert close(numbers["harm"], result.harm)
        for kind in ("log", "brier"):
            gain = result.gain(kind)
            if gain is not None:
                ours = numbers[f"{kind}Gain"]
                for end, value in zip(("value", "lower", "upper"), gain[:3], strict=True):
                    assert close(ours[end], value), (numbers["name"], kind, end)
    for name, method in ALL_METHODS.items():
        within = OF_SPLINES if name in ("Spline", "Stacked") else EXACT
        check_map(ask, name, method, form, rows, within, tmp_path)


def check_map(ask, name, method, form, rows, within, folder):
    files = ask("fit", method=name, version=calib.__version__)["answer"]["files"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        method.fit(rows.scores, rows.labels)
    stored = folder / "map.json"
    stored.write_text(files["json"], encoding="utf-8")
    grid = np.concatenate([[0, 1e-9], np.linspace(0.01, 0.99, 99), [1], rows.scores[:500]])
    expected = method.predict(grid)
    np.testing.assert_allclose(load_map(stored)(grid), expected, rtol=0, atol=within)
    said = {"name": type(method).__name__, "parameters": method.get_params()}
    assert json.loads(files["json"])["method"] == said
    table = csv.reader(io.StringIO(files["csv"]), delimiter=form["separator"])
    lines = list(table)[form["header"] :]
    calibrated = [float(line[-1].replace(form["decimal"], ".")) for line in lines]
    np.testing.assert_allclose(calibrated, method.predict(rows.scores), rtol=0, atol=within)


@pytest.fixture
def few_rows(ask, tmp_path):
    """Rows that the worker has read."""
    rng = np.random.default_rng(1)
    scores = rng.beta(0.5, 0.5, 200)
    path = tmp_path / "scores.csv"
    path.write_text(plain(scores, rng.random(200) < 0.2 + 0.6 * scores), encoding="utf-8")
    ask("report", path, form=FORM)
    return read(path, FORM)


@pytest.mark.parametrize("names", [["Beta", "Temperature"], ["Beta"], ["Beta", "Stacked"]])
def test_other_comparisons(ask, few_rows, names):
    methods = {name: ALL_METHODS[name] for name in names}
    expected = calibkit.comparison.compare(few_rows.scores, few_rows.labels, methods)
    found = ask("compare", names=names)["answer"]
    assert found["recommendation"] == expected.recommendation
    assert found["chosen"] == expected.chosen


def test_where_none_gains(ask, tmp_path):
    rng = np.random.default_rng(3)
    scores = rng.random(150)
    path = tmp_path / "scores.csv"
    path.write_text(plain(scores, rng.random(150) < scores), encoding="utf-8")
    ask("report", path, form=FORM)
    rows = read(path, FORM)
    methods = {name: METHODS[name] for name in ("Beta", "Venn-Abers")}
    expected = calibkit.comparison.compare(rows.scores, rows.labels, methods)
    found = ask("compare", names=list(methods))["answer"]
    assert expected.chosen is None and found["recommendation"] == expected.recommendation


@pytest.mark.parametrize("name", ALL_METHODS)
def test_programs_give_what_the_map_gives(ask, few_rows, tmp_path, name):
    files = ask("fit", method=name, version=calib.__version__)["answer"]["files"]
    stored = tmp_path / "map.json"
    stored.write_text(files["json"], encoding="utf-8")
    grid = [0.0, 1e-9, *np.linspace(0.01, 0.99, 50).tolist(), 1.0, *few_rows.scores[:50].tolist()]
    expected = load_map(stored)(grid)
    np.testing.assert_allclose(in_javascript(files["js"], grid), expected, rtol=0, atol=1e-12)
    np.testing.assert_allclose(in_sql(files["sql"], grid), expected, rtol=0, atol=1e-12)


def in_javascript(program, scores):
    racer = pytest.importorskip("py_mini_racer").MiniRacer()
    racer.eval(program)
    return json.loads(racer.eval(f"JSON.stringify({json.dumps(scores)}.map(calibrate))"))


def in_sql(expression, scores):
    with closing(sqlite3.connect(":memory:")) as database:
        database.create_function("LN", 1, math.log)
        database.create_function("EXP", 1, math.exp)
        database.execute("CREATE TABLE t (score REAL)")
        database.executemany("INSERT INTO t VALUES (?)", [(score,) for score in scores])
        rows = database.execute(f"SELECT {expression} FROM t ORDER BY rowid")
        return [probability for (probability,) in rows]


def test_too_few_of_a_class_are_not_compared(ask, tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text(plain(np.linspace(0.1, 0.9, 30), np.arange(30) < 3), encoding="utf-8")
    ask("report", path, form=FORM)
    with pytest.raises(InputError) as refused:
        learning._check_folds(read(path, FORM))
    assert ask("compare", names=list(METHODS))["error"] == str(refused.value)


@pytest.mark.parametrize("name", UNUSABLE)
def test_it_refuses_files_in_the_words_of_the_command_line(ask, tmp_path, name):
    text, form = UNUSABLE[name]
    path, form = tmp_path / "scores.csv", FORM | form
    path.write_bytes(bytes_of(text))
    with pytest.raises(InputError) as refused:
        read(path, form)
    words = str(refused.value).replace(str(path), path.name) + ONLY_ON_THE_PAGE.get(name, "")
    assert ask("report", path, form=form) == {"id": 1, "error": words, "known": True}


def test_the_page_says_which_maps_and_how_many_files():
    text = (test_site.ROOT / f"{PAGE}.md").read_text(encoding="utf-8")
    table = [f"| {name} | `{method!r}` |".replace("'", '"') for name, method in ALL_METHODS.items()]
    table[0] = table[0].replace("Stacked |", "Stacked (the default) |")
    assert re.findall(r"^\| .* \| `.*` \|$", text, re.M) == table
    assert "Tests give fourteen files" in text and len(list(usable())) == 14
    assert "Tests give eleven files of margins" in text and len(list(margins())) == 11


# The page


@pytest.fixture
def page(site, browser):
    """The page, opened from disk; it must not complain, nor ask anybody for anything."""
    tab = browser.new_page(viewport=test_pages.DESKTOP, reduced_motion="reduce")
    complaints = []
    tab.on("pageerror", lambda error: complaints.append(str(error)))
    tab.on("console", lambda m: m.type == "error" and complaints.append(m.text))
    tab.on("request", lambda r: r.url.startswith("http") and complaints.append(r.url))
    tab.goto((site / f"{PAGE}.html").as_uri())
    yield tab
    tab.close()
    assert not complaints


def part(page, name):
    return page.locator(f"[data-part={name}]")


def take_example(page):
    """By keyboard; until a map is drawn."""
    page.get_by_role("button", name="Try the example").press("Enter")
    part(page, "picture").locator("path.orange").wait_for(state="attached")


def saved(page, kind):
    with page.expect_download() as waited:
        page.locator(f"[data-kind={kind}]").press("Enter")
    return waited.value.path()


def test_the_example_gets_the_verdict_of_its_report_and_the_map_of_the_package(page):
    take_example(page)
    form = FORM | {"label": "income", "positive": ">50K"}
    rows = read(test_site.ROOT / "book" / EXAMPLE, form)
    verdict = report_on(EXAMPLE, rows)["verdict"]
    for sentence in [verdict["sentence"], *verdict["details"]]:
        assert sentence in part(page, "verdict").text_content()
    advice = comparison_on(EXAMPLE, rows).recommendation
    assert advice in part(page, "advice").text_content()
    method = ALL_METHODS[page.locator("[name=map]").input_value()].fit(rows.scores, rows.labels)
    grid = np.linspace(0, 1, 101)
    found = load_map(saved(page, "json"))(grid)
    np.testing.assert_allclose(found, method.predict(grid), rtol=0, atol=EXACT)
    lines = saved(page, "csv").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "score,income,sex,calibrated" and len(lines) == 1 + rows.scores.size
    command = part(page, "command").text_content()
    options = arguments.parser().parse_args(shlex.split(command)[1:])
    assert (options.score, options.label, options.positive) == ("score", "income", ">50K")


def test_another_map_is_drawn(page):
    take_example(page)
    line = part(page, "picture").locator("path.orange")
    before = line.get_attribute("d")
    page.locator("[name=map]").select_option("Temperature")
    part(page, "status").filter(has_text="Fitted: Temperature").wait_for()
    assert line.get_attribute("d") != before


def put(page, path, text):
    """Give the page a file of this text."""
    path.write_bytes(bytes_of(text))
    page.locator("[name=file]").set_input_files(path)


def offers(page):
    """Texts of the buttons below a message."""
    part(page, "error").filter(has_text=re.compile(".")).wait_for()
    return part(page, "offers").get_by_role("button").all_text_contents()


def judge(page):
    page.get_by_role("button", name="Judge and compare").press("Enter")


def wait_for_the_map(page):
    part(page, "picture").locator("path.orange").wait_for(state="attached")


def comma_rows(labels):
    """Scores with decimal commas and outcomes, as an Excel with decimal commas writes them."""
    rng = np.random.default_rng(0)
    scores = rng.random(300)
    cells = [repr(score).replace(".", ",") for score in scores.tolist()]
    return text_of(cells, np.take(labels, (rng.random(300) < scores).astype(int)), "p;result", ";")


def test_a_file_of_excel_is_read_by_the_reading_that_its_owner_chooses(page, tmp_path):
    path, text = tmp_path / "mine.csv", comma_rows(["no", "yes"])
    put(page, path, text)
    readings = offers(page)
    first, outcome = text.splitlines()[1].split(";")
    assert readings == [
        "Read it with semicolons between cells, decimal commas: "
        f'p = {first.replace(",", ".")}, result = "{outcome}"',
        "Read it with semicolons between cells, decimal points: "
        f'p = "{first}", result = "{outcome}"',
    ]
    page.get_by_role("button", name="decimal commas").press("Enter")
    part(page, "status").filter(has_text="2 columns").wait_for()
    assert page.locator("[name=label]").input_value() == "result"
    judge(page)
    part(page, "error").filter(has_text="in the field “Class 1”").wait_for()
    focused = page.locator("[data-part=classes] button:focus")
    assert focused.text_content() == outcome
    page.get_by_role("button", name="yes", exact=True).press("Enter")
    judge(page)
    wait_for_the_map(page)
    form = {"separator": ";", "decimal": ",", "score": "p", "label": "result", "positive": "yes"}
    verdict = report_on("mine", read(path, FORM | form))["verdict"]
    assert verdict["sentence"] in part(page, "verdict").text_content()
    assert not part(page, "error").text_content()


def test_a_wrong_decimal_mark_offers_the_other_one(page, tmp_path):
    put(page, tmp_path / "mine.csv", comma_rows([0, 1]))
    page.get_by_role("button", name="decimal points").press("Enter")
    part(page, "status").filter(has_text="2 columns").wait_for()
    assert page.locator("[name=score]").input_value() == "p"
    judge(page)
    (reading,) = offers(page)
    assert "choose the decimal comma" in part(page, "error").text_content()
    page.get_by_role("button", name=reading).press("Enter")
    part(page, "status").filter(has_text="2 columns").wait_for()
    judge(page)
    wait_for_the_map(page)


def other_texts():
    """Text of a file, and words of the only remedy that is offered."""
    rows = "score,label\n0.1,0\n0.2,1\n"
    return {
        "tabs": (rows.replace(",", "\t"), "tabs between cells"),
        "UTF-16": (rows.encode("utf-16"), "encoding utf-16"),
        "Latin": (rows.replace("score", "caf\xe9").encode("latin-1"), "encoding cp1252"),
        "no header": (rows.partition("\n")[2], "the first line is a row"),
    }


@pytest.mark.parametrize("name", other_texts())
def test_another_reading_is_offered(page, tmp_path, name):
    text, words = other_texts()[name]
    put(page, tmp_path / "mine.csv", text)
    (reading,) = offers(page)
    assert words in reading
    page.get_by_role("button", name=reading).press("Enter")
    part(page, "status").filter(has_text="2 columns").wait_for()
    assert not part(page, "error").text_content()


def test_rows_with_missing_cells_are_left_out_by_a_button(page, tmp_path):
    put(
        page,
        tmp_path / "mine.csv",
        plain(np.tile([0.2, 0.4, 0.6], 20), np.tile([0, 1, 1, 0, 1], 12)) + ",1\n",
    )
    part(page, "status").filter(has_text="2 columns").wait_for()
    judge(page)
    assert offers(page) == ["Leave out rows with missing cells"]
    page.get_by_role("button", name="Leave out").press("Enter")
    wait_for_the_map(page)
    assert (
        "1 row of 61 with missing values were dropped, as you asked"
        in part(page, "verdict").text_content()
    )


def test_a_measure_that_has_no_value_says_why(page, tmp_path):
    put(
        page, tmp_path / "mine.csv", plain(np.tile([0, 0.3, 0.6, 1], 15), np.tile([0, 0, 1, 1], 15))
    )
    part(page, "status").filter(has_text="2 columns").wait_for()
    judge(page)
    wait_for_the_map(page)
    row = part(page, "measures").locator("tr", has_text="Calibration slope")
    assert "predictions of 0 or 1 have no finite log-odds" in row.text_content()


@pytest.mark.parametrize("name", UNUSABLE)
def test_no_message_of_the_page_names_a_flag(page, tmp_path, name):
    text, form = UNUSABLE[name]
    path, form = tmp_path / "scores.csv", FORM | form
    path.write_bytes(bytes_of(text))
    with pytest.raises(InputError) as refused:
        read(path, form)
    told = page.evaluate("(message) => fieldsModule().inFields(message)", str(refused.value))
    assert not re.search(r"--[a-z]", told.replace(str(tmp_path), ""))


def test_a_scorecard_gets_the_default_alone(page, tmp_path):
    scores, labels = next(rows for name, *rows in margins() if name == "a scorecard that falls")
    path = tmp_path / "card.csv"
    path.write_text(plain(scores, labels), encoding="utf-8")
    page.locator("[name=file]").set_input_files(path)
    part(page, "status").filter(has_text="2 columns").wait_for()
    page.get_by_role("button", name="Judge and compare").press("Enter")
    part(page, "picture").locator("path.orange").wait_for(state="attached")
    assert page.locator("[name=map] option").all_text_contents() == ["Stacked"]
    assert "Scores are turned round" in part(page, "map-notes").text_content()
    rows = read(path, FORM)
    with pytest.warns(UserWarning, match="turned round"):
        method = StackedCalibrator().fit(rows.scores, rows.labels)
    found = load_map(saved(page, "json"))(rows.scores)
    np.testing.assert_allclose(found, method.predict(rows.scores), rtol=0, atol=OF_SPLINES)


def test_pasted_text_is_read(page):
    page.get_by_text("Paste text").press("Enter")
    page.locator("[name=text]").fill("score,label\n0.1,0\n0.2,0\n")
    page.get_by_role("button", name="Use this text").press("Enter")
    part(page, "status").filter(has_text="pasted text: 2 columns").wait_for()
    page.get_by_role("button", name="Judge and compare").press("Enter")
    part(page, "error").filter(has_text="pasted text: column 'label' holds one class").wait_for()
    assert not part(page, "results").is_visible()


def test_everybody_can_read_the_results(page):
    take_example(page)
    page.evaluate(test_pages.axe())
    for size in (test_pages.DESKTOP, test_pages.PHONE):
        page.set_viewport_size(size)
        page.wait_for_function(test_site.AS_WIDE_AS, arg=size["width"])
        width = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        assert page.evaluate(width) <= 0
        for theme in ("light", "dark"):
            page.evaluate("(t) => { document.documentElement.dataset.theme = t; }", theme)
            context = {"include": ["#calibrate"]}
            assert page.evaluate(test_pages.SERIOUS, [context, {}]) == []


def test_without_scripts_the_page_names_the_command_line(site, browser):
    tab = browser.new_page(java_script_enabled=False)
    tab.goto((site / f"{PAGE}.html").as_uri())
    assert not tab.locator("#calibrate").is_visible()
    assert "needs JavaScript" in tab.locator("article").inner_text()
    tab.close()
