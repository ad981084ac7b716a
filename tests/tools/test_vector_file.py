"""The test vectors are what their generator writes, and other languages pass them, too."""

import ast
import csv
import io
import itertools
import json
import math
import re
import shutil
import sqlite3
import subprocess
import sys
from collections import Counter, defaultdict
from contextlib import closing
from decimal import localcontext
from fractions import Fraction
from pathlib import Path

import jsonschema
import pytest

import calib
from calibkit.deployment.programs import program
from calibkit.deployment.stored_maps import FittedTo, StoredMap
from calibkit.testing import judge_vectors, read_vectors
from vectors import __main__ as generator
from vectors import newton, spiegelhalter, steps
from vectors.exact import WORKING_DIGITS, decimal_text, expit, logit, upper_tail
from vectors.rows import rows
from vectors.schema import SCHEMA

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "calibkit" / "testing"
CASES = read_vectors()
VERDICTS = ["pass", "imprecise", "other convention", "refused", "fault"]


def decimals(answer):
    """Numbers of an answer in one list."""
    if isinstance(answer, str):
        return [answer]
    return [text for part in answer for text in decimals(part)]


def differ(answer, other, tolerance):
    """Whether two answers are further from one another than a right answer may be."""
    ours, theirs = decimals(answer["decimal"]), decimals(other["decimal"])
    if len(ours) != len(theirs) or "undefined" in ours + theirs:
        return ours != theirs
    pairs = [(float(a), float(b)) for a, b in zip(ours, theirs, strict=True)]
    return any(a != b and not abs(a - b) <= 2 * tolerance * max(1, abs(b)) for a, b in pairs)


# The file


def test_the_file_is_what_the_generator_writes():
    assert FOLDER.joinpath("calibration-1.json").read_text(encoding="utf-8") == generator.text()
    schema = FOLDER.joinpath("calibration-1.schema.json").read_text(encoding="utf-8")
    assert json.loads(schema) == SCHEMA


def test_the_file_is_what_its_schema_says():
    whole = json.loads(FOLDER.joinpath("calibration-1.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    jsonschema.validate(whole, SCHEMA)
    assert {case["function"] for case in CASES} == set(whole["functions"])
    assert len({case["id"] for case in CASES}) == len(CASES) >= 200


def test_the_schema_sees_a_wrong_case():
    for change in ({"tolerance": 0}, {"answers": []}, {"input": {"labels": [2]}}, {"more": 1}):
        whole = {"name": "calibration", "version": 1, "functions": {}, "cases": [CASES[0] | change]}
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(whole, SCHEMA)


def test_the_generator_stands_alone():
    for path in (ROOT / "vectors").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module] if isinstance(node, ast.ImportFrom) else []
            for name in names:
                assert name.split(".")[0] in {"vectors", *sys.stdlib_module_names}, path


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_fractions_decimals_and_mistakes(case):
    for answer in case["answers"] + case["mistakes"]:
        if answer["fraction"] is not None and "undefined" not in decimals(answer["decimal"]):
            pairs = zip(decimals(answer["fraction"]), decimals(answer["decimal"]), strict=True)
            for fraction, decimal in pairs:
                exact = Fraction(fraction)
                assert abs(exact - Fraction(decimal)) <= abs(exact) / 10**29
    for mistake, answer in itertools.product(case["mistakes"], case["answers"]):
        assert differ(mistake, answer, case["tolerance"]), mistake["mistake"]


def test_every_mistake_is_caught_by_two_cases():
    caught = defaultdict(set)
    for case in CASES:
        for mistake in case["mistakes"]:
            caught[mistake["mistake"]].add(case["id"])
    assert not [mistake for mistake, cases in caught.items() if len(cases) < 2]


def test_another_order_of_the_rows_has_the_same_answers():
    by_id = {case["id"]: case for case in CASES}
    pairs = [(by_id[i.removesuffix("-reordered")], by_id[i]) for i in by_id if "reordered" in i]
    assert len(pairs) >= 8
    for case, other in pairs:
        order = [
            sorted(zip(one["input"]["labels"], *scores_of(one), strict=True))
            for one in (case, other)
        ]
        assert order[0] == order[1]
        if not isinstance(case["answers"][0]["decimal"], list) or case["function"] in {
            "corp",
            "slope_intercept",
        }:
            assert case["answers"][0]["decimal"] == other["answers"][0]["decimal"], case["id"]


def scores_of(case):
    return [case["input"].get("probabilities", case["input"].get("scores"))]


# Definitions, checked in another way


def test_newton_finds_what_a_saturated_fit_must_be():
    with localcontext(prec=WORKING_DIGITS):
        p = [Fraction(1, 4)] * 4 + [Fraction(3, 4)] * 4
        labels = [0, 0, 1, 0, 0, 1, 1, 1]
        intercept, slope = newton.fit([[1] * 8, [logit(q) for q in p]], labels, [1] * 8)
        fitted = [expit(intercept + slope * logit(q)) for q in (p[0], p[-1])]
        assert [decimal_text(q) for q in fitted] == ["0.25", "0.75"]
        assert newton.fit([[0, 0]], [0, 1], [1, 1]) is None


def test_isotonic_regression_by_all_partitions():
    """The least squares among increasing fits that are constant on blocks."""
    for labels in itertools.product((0, 1), repeat=5):
        sample = rows(labels, range(5), [1, 2, 1, 3, 1])
        weighted = list(zip(labels, sample.weights, strict=True))
        fits = []
        for cuts in itertools.product((False, True), repeat=4):
            blocks = [[weighted[0]]]
            for row, cut in zip(weighted[1:], cuts, strict=True):
                blocks.append([row]) if cut else blocks[-1].append(row)
            values = [
                Fraction(sum(z * w for z, w in block), sum(w for _, w in block))
                for block in blocks
                for _ in block
            ]
            if values == sorted(values):
                loss = sum(w * (z - v) ** 2 for (z, w), v in zip(weighted, values, strict=True))
                fits.append((loss, values))
        assert steps.at_rows(sample) == min(fits)[1]


def test_the_normal_tail_and_the_law_of_all_outcomes():
    with localcontext(prec=WORKING_DIGITS):
        assert decimal_text(upper_tail(Fraction(0))) == "0.5"
        assert str(upper_tail(Fraction(196, 100))).startswith("0.024997895148220")
    assert spiegelhalter.exact_p(rows("1000", "1/4 1/4 1/4 1/4")) == 1
    # 3 or 4 positives of 4, each with probability 1/8
    assert spiegelhalter.exact_p(rows("1110", "1/8 1/8 1/8 1/8")) == Fraction(29, 4096)


# The page


def test_the_example_of_the_page_prints_what_the_page_shows(tmp_path):
    page = (ROOT / "book" / "test_your_own.md").read_text(encoding="utf-8")
    code, shown = (
        re.search(rf"```{kind}\n(.*?)```", page, re.DOTALL)[1] for kind in ("py", "text")
    )
    for name in ("vectors.py", "calibration-1.json"):
        shutil.copy(FOLDER / name, tmp_path)
    (tmp_path / "mine.py").write_text(code, encoding="utf-8")
    command = [sys.executable, "-I", "-c", "import sys; sys.path.insert(0, '.'); import mine"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout == shown


def test_the_table_is_of_the_record_and_the_record_of_these_cases():
    sys.path.append(str(ROOT / "benchmarks"))
    from vector_functions import PACKAGES

    record, table, faults = (
        list(csv.DictReader(io.StringIO((ROOT / "results" / f"{name}.csv").read_text("utf-8"))))
        for name in ("vectors", "vectors_summary", "vectors_faults")
    )
    assert {row["case"] for row in record} == {case["id"] for case in CASES}
    counts = defaultdict(Counter)
    for row in record:
        counts[f"{row['package']} {row['version']}"][row["verdict"]] += 1
    assert [row["package"] for row in table] == list(counts)
    for row in table:
        found = counts[row["package"]]
        assert int(row["cases"]) == found.total()
        assert all(int(row[word]) == found[word] for word in VERDICTS)
    assert set(PACKAGES) <= {row["package"] for row in record}
    faulty = {package for package, found in counts.items() if found["fault"] + found["refused"]}
    assert {row["package"] for row in faults} <= faulty
    assert len(faults) >= 15


# Other languages


def lines(command):
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    table = csv.reader(io.StringIO(done.stdout), delimiter="\t", quoting=csv.QUOTE_NONE)
    return {case: verdict for case, _, verdict in table}


def test_the_javascript_of_the_page_passes_every_case_that_it_offers():
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed")
    verdicts = lines([node, "vectors/page.js"])
    assert len(verdicts) > 110
    assert {case for case, verdict in verdicts.items() if verdict.startswith("WRONG")} == set()


def test_base_r_passes_but_for_fits_that_do_not_exist():
    program = shutil.which("Rscript")
    if program is None:
        pytest.skip("R is not installed")
    verdicts = lines([program, "vectors/base.R"])
    assert len(verdicts) > 110
    wrong = {case for case, verdict in verdicts.items() if verdict.startswith("WRONG")}
    # glm warns and returns the point where it stopped
    assert wrong == {"slope-intercept-separated", "in-the-large-only-negatives"}


def in_sql(make):
    """A function of the vectors that fits, exports the map to SQL, and asks SQLite."""

    def predictions(labels, scores, weights=None, new_scores=None, **options):
        fitted = make(**options).fit(scores, labels, sample_weight=weights)
        origin = FittedTo(
            "scores.csv", "score", "label", None, len(labels), sum(labels), None, 0, 1
        )
        stored = StoredMap(fitted.map_, make.__name__, options, origin, "calib")
        expression = program(stored, "sql", "score")
        with closing(sqlite3.connect(":memory:")) as base:
            base.create_function("EXP", 1, math.exp)  # not every SQLite has them
            base.create_function("LN", 1, math.log)
            base.execute("CREATE TABLE t (i INTEGER, score DOUBLE PRECISION)")
            asked = scores if new_scores is None else new_scores
            base.executemany("INSERT INTO t VALUES (?, ?)", enumerate(asked))
            found = base.execute(f"SELECT {expression} FROM t ORDER BY i").fetchall()
        return [value for (value,) in found]

    return predictions


def uniform_bins(**options):
    return calib.HistogramBinning(strategy="uniform", **options)


def test_the_sql_of_the_maps_passes_every_case():
    functions = {
        "isotonic": in_sql(calib.IsotonicCalibrator),
        "histogram": in_sql(uniform_bins),
        "platt": in_sql(calib.PlattScaling),
        "temperature": in_sql(calib.TemperatureScaling),
        "beta": in_sql(calib.BetaCalibration),
        "venn_abers": in_sql(calib.VennAbers),
    }
    with pytest.warns(calib.OneClassWarning):
        verdicts = judge_vectors(functions)
    assert {verdict.function for verdict in verdicts} == functions.keys()
    assert not [verdict for verdict in verdicts if verdict.verdict != "pass"]
