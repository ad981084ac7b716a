"""Files of scores as people have them: each is read right, or refused with words that help.

A case is a file, how it is read, and either the rows that must come out or the words that the
message must have. What is refused says so by `InputError`; any other exception fails.
"""

import gzip
import io
import os
import re
import shlex
import sys
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest

from calibkit.cli import main
from calibkit.cli.read import read_scores
from calibkit.cli.tables import LONGEST_LINE, Format, InputError

ROWS = [("0.25", "0"), ("0.5", "1"), ("0.125", "0"), ("0.75", "1")]
EXPECTED = ([0.25, 0.5, 0.125, 0.75], [0, 1, 0, 1])
CASES = []


def reads(name, content, expected=EXPECTED, **how):
    CASES.append(pytest.param(content, how, expected, id=f"reads {name}"))


def refuses(name, content, *words, **how):
    CASES.append(pytest.param(content, how, words, id=f"refuses {name}"))


def text(rows=ROWS, header=("prob", "y"), separator=",", end="\n"):
    return "".join(separator.join(row) + end for row in [*([header] if header else []), *rows])


def put(row, column, value, rows=ROWS):
    """The rows with one cell changed."""
    return [
        tuple(value if (i, j) == (row, column) else cell for j, cell in enumerate(cells))
        for i, cells in enumerate(rows)
    ]


def commas(rows=ROWS):
    return [(score.replace(".", ","), label) for score, label in rows]


# Ends of lines
for kind, end in {"LF": "\n", "CRLF": "\r\n", "CR": "\r"}.items():
    whole = text(end=end)
    reads(kind, whole)
    reads(f"{kind}, not after the last line", whole.removesuffix(end))
    reads(f"{kind}, blank lines at the end", whole + 3 * end)
    reads(f"{kind}, blank lines between", whole.replace(end, end + end))
    reads(f"{kind}, quoted cells", text([(f'"{a}"', f'"{b}"') for a, b in ROWS], end=end))
    reads(f"{kind}, spaces around cells", text([(f" {a} ", f" {b} ") for a, b in ROWS], end=end))
    reads(
        f"{kind}, a cell of two lines",
        text([(*r, f'"a{end}b"') for r in ROWS], ("prob", "y", "note"), end=end),
    )
    for row in (0, 3):
        refuses(
            f"{kind}, text in row {row}",
            text(put(row, 0, "high"), end=end),
            f"line {row + 2}",
            "'prob'",
            "'high'",
            "no number",
        )
    refuses(
        f"{kind}, text after cells of two lines",
        text([(*r, f'"a{end}b"') for r in put(2, 0, "high")], ("prob", "y", "note"), end=end),
        "line 6",
        "'high'",
    )
    refuses(
        f"{kind}, text after a blank line",
        text(put(0, 0, "high"), end=end).replace(end, 2 * end),
        "line 3",
        "'high'",
    )

# Separators and decimal marks
for separator, told in ((";", "--separator ';'"), ("\t", "--separator tab"), ("|", "'|'")):
    plain, decimal = text(separator=separator), text(commas(), separator=separator)
    name = told.removeprefix("--separator ")
    reads(f"{name} between cells", plain, form=Format(separator))
    reads(f"{name} and decimal commas", decimal, form=Format(separator, ","))
    reads(
        f"{name}, integers with decimal commas told",
        text([("1", "0"), ("2", "1")], separator=separator),
        ([1, 2], [0, 1]),
        form=Format(separator, ","),
    )
    refuses(
        f"{name} untold",
        plain,
        "no column 'prob'",
        f"pass {told}" if separator != "|" else "--separator '|'",
    )
    refuses(f"{name} untold, columns by number", plain, "no column '2'", score="1", label="2")
    refuses(f"{name} untold, no label", plain, "line 2", "--separator", score="1", label=None)
    refuses(
        f"{name}, decimal commas untold",
        decimal,
        "line 2",
        "'0,25'",
        "--decimal ,",
        form=Format(separator),
    )
    refuses(
        f"{name}, points where commas were told",
        plain,
        "line 2",
        "'0.25'",
        "comma",
        form=Format(separator, ","),
    )
    refuses(
        f"{name}, points for thousands",
        text(put(1, 0, "1.234", commas()), separator=separator),
        "line 3",
        "'1.234'",
        "--decimal",
        form=Format(separator, ","),
    )
    refuses(
        f"{name} told of a file of commas",
        text(),
        "no column 'prob'",
        "--separator ','",
        form=Format(separator),
    )
refuses("decimal commas among commas", text(commas()), "line 2 has 3 cells", "'0,25,0'")
reads(
    "quoted decimal commas among commas, in a column not asked for",
    text([(*r, '"1,5"') for r in ROWS], ("prob", "y", "z")),
)
refuses(
    "quoted decimal commas among commas",
    text([(f'"{a}"', b) for a, b in commas()]),
    "line 2",
    "'0,25'",
    "--decimal ,",
)

# Encodings
names = [("0.25", "nein"), ("0.5", "Größe"), ("0.125", "nein"), ("0.75", "Größe")]
accented = text(names)
for encoding in (
    "utf-8",
    "utf-8-sig",
    "latin-1",
    "cp1252",
    "utf-16",
    "utf-16-le",
    "utf-32",
    "cp850",
):
    reads(
        f"{encoding} as told",
        accented.encode(encoding),
        positive="Größe",
        form=Format(encoding=encoding),
    )
for encoding in ("latin-1", "cp1252", "cp850"):
    refuses(
        f"{encoding} untold",
        accented.encode(encoding),
        "line 3",
        "utf-8",
        "--encoding",
        positive="Größe",
    )
reads("a byte order mark", "\ufeff" + text())
reads("a byte order mark and quotes", "\ufeff" + text(header=('"prob"', '"y"')))
reads("a byte order mark, column by number", "\ufeff" + text(), score="1", label="2")
refuses("UTF-16 untold", accented.encode("utf-16"), "UTF-16", "--encoding utf-16")
refuses("UTF-16 without mark untold", text().encode("utf-16-le"), "line 1", "NUL", "utf-16")
refuses(
    "UTF-8 told to be UTF-16",
    (text() + "0").encode(),
    "utf-16",
    "--encoding",
    form=Format(encoding="utf-16"),
)
refuses(
    "UTF-8 told to be ASCII",
    accented,
    "line 3",
    "ascii",
    form=Format(encoding="ascii"),
    positive="Größe",
)
refuses("an unknown encoding", text(), "'klingon'", "encoding", form=Format(encoding="klingon"))
refuses("an encoding of bytes", text(), "'base64'", "encoding", form=Format(encoding="base64"))
for row in (0, 2):
    broken = text(put(row, 0, "0.\udcff5")).encode(errors="surrogateescape")
    refuses(f"a stray byte in row {row}", broken, f"line {row + 2}", "0xff", "--encoding")

# Headers and columns
reads("by number", text(), score="1", label="2")
reads("no header", text(header=None), score="1", label="2", form=Format(header=False))
reads("spaces in the header", text(header=(" prob", "y ")))
reads("columns in another order", text([(b, "x", a) for a, b in ROWS], ("y", "z", "prob")))
reads("a name that is another's number", text(header=("2", "y")), score="2", label="y")
reads(
    "a duplicate that is not asked for", text([(*r, "", "") for r in ROWS], ("prob", "y", "z", "z"))
)
reads("a duplicate by number", text([(*r, "9") for r in ROWS], ("prob", "y", "prob")), score="1")
reads("columns without names", text([(*r, "", "") for r in ROWS], ("prob", "y", "", "")))
refuses(
    "a duplicate by name",
    text([(*r, "9") for r in ROWS], ("prob", "y", "prob")),
    "'prob' more than once",
    "columns 1, 3",
    "--score",
)
refuses(
    "a duplicate label",
    text([(*r, "1") for r in ROWS], ("prob", "y", "y")),
    "'y' more than once",
    "columns 2, 3",
    "--label",
)
for header in (("Prob", "y"), ("probability", "y"), ("score", "y"), ("", "y")):
    refuses(f"no prob but {header[0]!r}", text(header=header), "no column 'prob'", repr(header[0]))
for number in ("0", "3", "-1", "1.0", "99999999999999999999", "²", "١"):
    refuses(f"column {number}", text(), f"no column {number!r}", "from 1 to 2", score=number)
refuses("no label column", text(header=("prob", "z")), "no column 'y'", "--label", "'z'")
refuses("no weight column", text(), "no column 'w'", "--weight", weight="w")
refuses("no group column", text(), "no column 'g'", "--group", group="g")
refuses("one column twice", text(), "--score and --label", "'y'", score="y")
refuses("one column twice, as weight", text(), "--score and --weight", weight="prob")
refuses("no header, untold", text(header=None), "first line holds numbers only", "--no-header")
refuses("no header, untold, by number", text(header=None), "--no-header", score="1", label="2")
refuses(
    "a header told away",
    text(),
    "line 1",
    "'prob'",
    score="1",
    label="2",
    form=Format(header=False),
)
refuses(
    "no header, by name",
    text(header=None),
    "no column 'prob'",
    "from 1 to 2",
    form=Format(header=False),
)
refuses(
    "a header of 500 names",
    text([("0",) * 500], tuple(f"c{i}" for i in range(500))),
    "no column 'prob'",
    "and 480 more",
)

# Nothing, or hardly anything
for name, content in {
    "empty": "",
    "a byte order mark only": "\ufeff",
    "blank lines": "\n\n\r\n",
    "an empty gzip": gzip.compress(b""),
}.items():
    refuses(name, content, "is empty")
for end in ("", "\n", "\r\n", "\n\n"):
    refuses(f"a header only and {end!r}", "prob,y" + end, "header and no rows")
for label in ("0", "1"):
    refuses(f"one row of class {label}", f"prob,y\n0.5,{label}\n", "one class", label, "1 rows")
    refuses(f"one class {label}", text([("0.5", label)] * 50), "one class", label, "50 rows")
    refuses(
        f"one class {label} that counts",
        text([(a, b, str(int(b == label))) for a, b in ROWS], ("prob", "y", "w")),
        "one class",
        "2 rows that count",
        weight="w",
    )

# Ragged rows and quotes
for row in (0, 1, 3):
    for cells in (["0.5"], ["0.5", "1", "2"], ["0.5", "1", ""], ["0.5", "1"] * 3):
        lines = text().splitlines()
        lines[row + 1] = ",".join(cells)
        refuses(
            f"{len(cells)} cells in row {row}, {cells[-1]!r} last",
            "\n".join(lines),
            f"line {row + 2} has {len(cells)} cells",
            "has 2",
        )
refuses("a line of spaces", text().replace("0.5", "  \n0.5"), "line 3 has 1 cell")
refuses("a trailing separator in rows", text().replace("0\n", "0,\n"), "line 2 has 3 cells")
refuses("a quotation mark that is not closed", text(put(1, 0, '"0.5')), "line 3", "quotation mark")
refuses("such a mark in the header", text(header=('"prob', "y")), "line 1", "quotation mark")
refuses(
    "such a mark before 300 kB", text(put(1, 0, '"0.5')) + text() * 10_000, "line 3", "quotation"
)
refuses("text after a quoted cell", text(put(2, 0, '"0.1"25')), "line 4", "quotation mark")
reads("a quotation mark within a cell", text([(*r, '5" pipe') for r in ROWS], ("prob", "y", "z")))
reads("doubled marks", text([(*r, '"5"" pipe"') for r in ROWS], ("prob", "y", "z")))
reads("separators in a quoted cell", text([(*r, '"a,b"') for r in ROWS], ("prob", "y", "z")))

# Missing cells
for missing in ("", " ", "NA", "nan", "NaN", "N/A", "null", "NULL", "None", "<NA>"):
    for column, name in ((0, "prob"), (1, "y")):
        content = text(put(1, column, missing))
        refuses(
            f"{missing!r} in {name}",
            content,
            "line 3",
            repr(name),
            repr(missing),
            "is missing",
            "--drop-missing",
        )
        reads(
            f"{missing!r} in {name}, to be dropped",
            content,
            ([0.25, 0.125, 0.75], [0, 0, 1]),
            drop_missing=True,
        )
refuses(
    "nothing but missing cells",
    text([("", "0"), ("0.5", "")]),
    "2 rows",
    "no row is left",
    drop_missing=True,
)
refuses("a class that is dropped", text([("", "0"), ("0.5", "1")]), "one class", drop_missing=True)
refuses(
    "a missing group",
    text([(*r, "") for r in ROWS], ("prob", "y", "g")),
    "line 2",
    "'g'",
    "is missing",
    group="g",
)
reads("a group called NA", text([(*r, "NA") for r in ROWS], ("prob", "y", "g")), group="g")
refuses(
    "a missing weight",
    text([(*r, "") for r in ROWS], ("prob", "y", "w")),
    "line 2",
    "'w'",
    "is missing",
    weight="w",
)

# Cells that are no numbers
for cell in (
    "high",
    "0.5x",
    "1_000",
    "0x10",
    "1e",
    "--1",
    "½",
    "٠٫٥",
    "−0.5",
    "0.5%",
    "$1",
    "1 000",
    "0..5",
    "#DIV/0!",
    "#N/A",
    "TRUE",
    "1/2",
    "?",
    "-",
    ".",
    "[0.5]",
    "'0.5'",
    "0\u00a0",
):
    refuses(f"the score {cell}", text(put(1, 0, cell)), "line 3", "'prob'", repr(cell), "number")
for cell in ("inf", "-inf", "Infinity", "1e400", "-1e999", "9" * 400):
    refuses(f"the score {cell[:9]}", text(put(1, 0, cell)), "line 3", cell[:60], "not finite")
for cell in (
    "9007199254740993",
    str(2**63),
    str(2**64 + 1),
    "9" * 300,
    "-" + "1" * 100,
    "1e308",
    "5e-324",
    "1e-400",
    "-0.0",
    "+.5",
    "5.",
    "00.5",
    "0.1234567890123456789",
):
    reads(
        f"the score {cell[:25]}",
        text(put(1, 0, cell)),
        ([0.25, float(cell), 0.125, 0.75], [0, 1, 0, 1]),
    )
for cell in ("-0.001", "1.00002", "87", "1e300"):
    refuses(
        f"the probability {cell}", text(put(1, 0, cell)), "line 3", repr(cell), "[0, 1]", unit=True
    )
reads(
    "a hair beyond 1 among margins as it is",
    text(put(0, 0, "1.0000001", put(1, 0, "3"))),
    ([1.0000001, 3, 0.125, 0.75], [0, 1, 0, 1]),
)
refuses("a percentage", text(put(1, 0, "15.06%")), "line 3", "'15.06%'", "divided by 100")
refuses("percentages", text(put(1, 0, "15.06")), "line 3", "divide percentages", unit=True)
refuses("clicks", text(put(1, 1, "4")), "line 3", "'4'", "clicks of impressions", "--weight")

# A first line for Excel
for separator in (";", "\t", ","):
    for excel in (f"sep={separator}", f"SEP={separator}", f'"sep={separator}"'):
        for end in ("\n", "\r\n"):
            name = f"{excel!r} and {end!r}"
            form = Format(separator)
            reads(name, f"{excel}{end}{text(separator=separator, end=end)}", form=form)
            refuses(
                f"text in line 4 after {name}",
                f"\ufeff{excel}{end}{text(put(1, 0, 'high'), separator=separator, end=end)}",
                "line 4",
                "'high'",
                form=form,
            )
rows = text(header=None, separator=";")
no_header = Format(";", header=False)
reads("sep= without a header", f"sep=;\n{rows}", score="1", label="2", form=no_header)
refuses("sep=; untold", f"sep=;\n{text(separator=';')}", "line 1 tells Excel", "--separator ';'")
refuses("sep=; alone", "sep=;\n", "is empty", form=Format(";"))
reads("a cell of 100 kB", text([(*r, "x" * 100_000) for r in ROWS], ("prob", "y", "z")))
refuses("a cell of 140 kB", text([(*r, "x" * 140_000) for r in ROWS], ("prob", "y", "z")), "line 2")
refuses("a line without end", "prob,y\n" + "0," * LONGEST_LINE, "line 2", "is longer than")
for cell in ("-1", "-0.5"):
    refuses(
        f"the weight {cell}",
        text([(*r, cell) for r in ROWS], ("prob", "y", "w")),
        "line 2",
        "'w'",
        "negative",
        weight="w",
    )
refuses(
    "weights of zero",
    text([(*r, "0") for r in ROWS], ("prob", "y", "w")),
    "'w'",
    "zero in every row",
    weight="w",
)

# Labels
for zero, one in (
    ("0.0", "1.0"),
    ("false", "true"),
    ("FALSE", "TRUE"),
    ("False", "True"),
    ("00", "01"),
):
    content = text([(a, one if b == "1" else zero) for a, b in ROWS])
    reads(f"labels {zero} and {one}", content)
for negative, positive in (
    ("no", "yes"),
    ("-1", "1"),
    ("1", "2"),
    ("good", "bad"),
    ("nein", "já"),
    ("1", "0"),
    ("false", "none"),
    ("0.0", "1.0"),
):
    content = text([(a, positive if b == "1" else negative) for a, b in ROWS])
    reads(f"labels {negative} and {positive}, told", content, positive=positive)
    if (negative, positive) not in (("1", "0"), ("0.0", "1.0")):
        refuses(f"labels {negative} and {positive}", content, "'y'", "--positive")
for values in (("0", "1", "2"), ("-1", "0", "1"), ("0", "1", "0.5"), ("1", "2", "3")):
    refuses(f"labels {values}", text([("0.5", v) for v in values]), "'y'", "--positive")
    refuses(
        f"labels {values}, one told",
        text([("0.5", v) for v in values]),
        "line 4",
        "third class",
        positive=values[1],
    )
refuses(
    "three classes in words",
    text([("0.5", v) for v in ("cat", "dog", "fish")]),
    "line 4",
    "'fish'",
    "third class",
    positive="cat",
)
for positive in ("1", "1.0", "true", "True"):  # pandas writes 1.0 where a label is missing
    mixed = [(a, ("1.0", "True", "1")[i % 3] if b == "1" else "0") for i, (a, b) in enumerate(ROWS)]
    reads(f"labels 1, 1.0 and True, --positive {positive}", text(mixed), positive=positive)
refuses("7 and 007", text([("0.5", "7"), ("0.4", "007"), ("0.3", "8")]), "third", positive="7")
refuses(
    "commas of thousands",
    text([("0.5", "0"), ('"399,053"', "1")]),
    "line 3",
    "if it parts thousands",
)
refuses(
    "a positive value in other letters",
    text([("0.5", "Yes"), ("0.4", "No")]),
    "'No'",
    "third class",
    positive="yes",
)
refuses(
    "a positive value that never comes",
    text([("0.5", "No")] * 3),
    "never holds",
    "'yes'",
    "'No'",
    positive="yes",
)
refuses(
    "scores for labels", text([(a, a) for a, _ in ROWS]), "line 2", "'y'", "'0.25'", "--positive"
)

# Binary files and archives
for where in (0, 4, 12):
    whole = text().encode()
    refuses(
        f"NUL bytes at {where}",
        whole[:where] + bytes(30) + whole[where:],
        "NUL byte",
        "line 2" if where > 6 else "line 1",
    )
reads("gzip", gzip.compress(text().encode()))
reads("gzip in two parts", gzip.compress(text().encode()[:9]) + gzip.compress(text().encode()[9:]))
refuses("gzip that was cut", gzip.compress((text() * 99).encode())[:-20], "damaged gzip")
refuses("gzip with a wrong bit", gzip.compress(text().encode())[:-6] + b"wrong!", "damaged gzip")
for start, word in {
    b"PK\x03\x04": "workbook",
    b"BZh9": "bunzip2",
    b"\xfd7zXZ\0": "xz",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"\xd0\xcf\x11\xe0": "Excel",
    b"ARROW1\0\0": "Arrow",
    b"SQLite format 3\0": "SQLite",
}.items():
    refuses(f"a file of {word}", start + b"\x00\x01" * 50, word)
refuses("a picture", b"\x89PNG\r\n\x1a\n" + bytes(50), "utf-8")
refuses("something that begins as Parquet", b"PAR1" + bytes(50), "cannot be read as Parquet")


def test_there_are_enough_different_files():
    assert len({(str(case.values[0]), str(case.values[1])) for case in CASES}) >= 200


@pytest.mark.parametrize("content, how, expected", CASES)
def test_a_file_is_read_right_or_refused_with_a_clear_error(content, how, expected, tmp_path):
    path = tmp_path / "scores.csv"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    how = {"score": "prob", "label": "y"} | how
    if isinstance(expected[0], str):
        with pytest.raises(InputError) as refusal:
            read_scores(path, **how)
        message = str(refusal.value)
        assert [word for word in expected if word not in message] == [], message
        assert "scores.csv" in message or "--encoding" in message
        assert len(message) < 1200 and "\n" not in message
    else:
        read = read_scores(path, **how)
        np.testing.assert_array_equal(read.scores, expected[0])
        np.testing.assert_array_equal(read.labels, expected[1])
        assert bool(read.notes) == bool(how.get("drop_missing"))


def test_what_is_no_file(tmp_path):
    for path, word in (
        (tmp_path, "folder"),
        (tmp_path / "absent.csv", "No such file"),
        (tmp_path / "absent" / "x.csv", "No such file"),
        (tmp_path / ("x" * 300), "too long"),
        (os.devnull, "is empty"),
    ):
        with pytest.raises(InputError, match=word):
            read_scores(path, score="prob", label="y")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root reads everything")
def test_a_file_without_permission(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text(text())
    path.chmod(0)
    with pytest.raises(InputError, match="Permission denied"):
        read_scores(path, score="prob", label="y")


@pytest.mark.parametrize("start", ["", text()], ids=["empty", "some rows"])
def test_a_sparse_file_of_ten_gigabytes_is_refused_at_once(start, tmp_path):
    path = tmp_path / "scores.csv"
    with open(path, "w") as file:
        file.write(start)
        file.truncate(10 * 2**30)
    with pytest.raises(InputError, match=f"line {start.count(chr(10)) + 1} .*characters"):
        read_scores(path, score="prob", label="y")


def test_a_table_from_standard_input(monkeypatch):
    for content in (text().encode(), gzip.compress(text().encode())):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(content))))
        np.testing.assert_array_equal(read_scores("-", score="prob", label="y").scores, EXPECTED[0])


@pytest.mark.parametrize(
    "separator, decimal, word",
    [
        (",", ",", "both"),
        (";;", ".", "one character"),
        ("", ".", "one character"),
        ('"', ".", "one character"),
        (";", "'", "--decimal must be"),
    ],
)
def test_marks_that_cannot_be(separator, decimal, word):
    with pytest.raises(InputError, match=word):
        Format(separator, decimal)


def test_weights_and_groups_and_labels_in_many_blocks(tmp_path):
    rng = np.random.default_rng(0)
    n = 10_000
    scores, weights = rng.normal(size=n), rng.random(n)
    labels, groups = rng.integers(0, 2, n), rng.integers(0, 7, n)
    path = tmp_path / "scores.csv"
    rows = zip(scores.tolist(), labels.tolist(), weights.tolist(), groups.tolist(), strict=True)
    path.write_text("s,y,w,g\n" + "".join(f"{s!r},{y},{w!r},group {g}\n" for s, y, w, g in rows))
    seen = []
    read = read_scores(path, score="s", label="y", weight="w", group="g", progress=seen.append)
    np.testing.assert_array_equal(read.scores, scores)
    np.testing.assert_array_equal(read.labels, labels)
    np.testing.assert_array_equal(read.weights, weights)
    np.testing.assert_array_equal(read.groups, [f"group {g}" for g in groups])
    assert seen[-1] == n and read.names == {"score": "s", "label": "y", "weight": "w", "group": "g"}


# Parquet


def parquet(path, **columns):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    parquet.write_table(pyarrow.table(columns), path)
    return path


@pytest.mark.parametrize("name", ["scores.parquet", "scores.csv", "scores"])
@pytest.mark.parametrize(
    "labels, positive",
    [
        ([0, 1, 0, 1], None),
        ([False, True, False, True], None),
        ([0.0, 1.0, 0.0, 1.0], None),
        (["no", "yes", "no", "yes"], "yes"),
        ([1, 2, 1, 2], "2"),
    ],
)
def test_parquet_whatever_its_name(name, labels, positive, tmp_path):
    path = parquet(tmp_path / name, prob=EXPECTED[0], y=labels)
    read = read_scores(path, score="prob", label="y", positive=positive)
    np.testing.assert_array_equal(read.scores, EXPECTED[0])
    np.testing.assert_array_equal(read.labels, EXPECTED[1])


@pytest.mark.parametrize(
    "scores, labels, words",
    [
        ([0.1, None, 0.3], [0, 1, 0], ["row 2", "'prob'", "is missing"]),
        ([0.1, float("nan"), 0.3], [0, 1, 0], ["row 2", "'prob'", "is missing"]),
        ([0.1, 0.2, float("inf")], [0, 1, 0], ["row 3", "inf", "not finite"]),
        ([0.1, 0.2, 0.3], [0, None, 1], ["row 2", "'y'", "is missing"]),
        ([0.1, 0.2, 0.3], [0, 1, 2], ["row 3", "'2'", "--positive"]),
        ([0.1, 0.2, 0.3], [1, 1, 1], ["one class"]),
        (["a", "b", "c"], [0, 1, 0], ["row 1", "'a'", "no number"]),
        ([[0.1], [0.2], [0.3]], [0, 1, 0], ["row 1", "'[0.1]'", "no number"]),
        ([], [], ["no rows"]),
    ],
)
def test_bad_cells_of_parquet(scores, labels, words, tmp_path):
    path = parquet(tmp_path / "scores.parquet", prob=scores, y=labels)
    with pytest.raises(InputError) as refusal:
        read_scores(path, score="prob", label="y")
    assert [word for word in words if word not in str(refusal.value)] == [], refusal.value


def test_parquet_of_integers_decimals_and_many_blocks(tmp_path):
    numbers = np.arange(2**53 - 1, 2**53 + 9_999)
    path = parquet(tmp_path / "scores.parquet", prob=numbers, y=numbers % 2, z=numbers)
    read = read_scores(path, score="prob", label="y")
    np.testing.assert_array_equal(read.scores, numbers.astype(float))
    np.testing.assert_array_equal(read.labels, numbers % 2)


@pytest.mark.parametrize("digits", [2, 4, 6, 10])
def test_parquet_of_decimals_is_read_as_the_same_numbers_in_text(digits, tmp_path):
    rng = np.random.default_rng(digits)
    numbers = [Decimal(int(n)).scaleb(-digits) for n in rng.integers(0, 10**digits, 2000)]
    numbers = [1 - number for number in numbers] + [Decimal(0), Decimal(1)]
    labels = [Decimal(int(label)) for label in rng.integers(0, 2, len(numbers))]
    path = parquet(tmp_path / "scores.parquet", prob=numbers, y=labels, w=numbers)
    read = read_scores(path, score="prob", label="y", weight="w")
    assert read.scores.tolist() == read.weights.tolist() == list(map(float, numbers))
    assert read.labels.tolist() == labels


def test_decimals_that_are_missing(tmp_path):
    path = parquet(tmp_path / "scores.parquet", prob=[Decimal("0.95"), None], y=[1, 0])
    with pytest.raises(InputError, match="row 2, column 'prob': .*is missing"):
        read_scores(path, score="prob", label="y")


def test_parquet_of_bytes_is_read_as_text(tmp_path):
    labels = [b"no", b"yes", b"no", b"yes"]
    groups = [b"A", "\xe4".encode(), b"A", b"A"]
    path = parquet(
        tmp_path / "scores.parquet", prob=[b"0.25", b"0.5", b"1", b"1"], y=labels, g=groups
    )
    read = read_scores(path, score="prob", label="y", positive="yes", group="g")
    assert read.scores.tolist() == [0.25, 0.5, 1, 1] and read.labels.tolist() == [0, 1, 0, 1]
    assert read.groups.tolist() == ["A", "\xe4", "A", "A"]


def test_parquet_of_bytes_that_are_no_text(tmp_path):
    path = parquet(tmp_path / "scores.parquet", prob=[0.25, 0.5], y=[0, 1], g=[b"A", b"\xff\x00"])
    with pytest.raises(
        InputError, match="column 'g' holds bytes that are no text.*cast it to text"
    ):
        read_scores(path, score="prob", label="y", group="g")


@pytest.mark.parametrize("unit", [False, True])
def test_a_note_names_the_lines_of_rounding(unit, tmp_path):
    path = tmp_path / "scores.csv"
    cells = ["0.5", "1.0000001", "", "-1e-9", "1.00001", "1.0000002", "1.0000001"]
    path.write_text("prob,y\n" + "".join(f"{cell},{i % 2}\n" for i, cell in enumerate(cells)))
    read = read_scores(path, score="prob", label="y", unit=unit, drop_missing=True)
    assert read.scores.tolist() == [0.5, 1, 0, 1, 1, 1]
    assert read.notes[1:] == [
        "5 scores lie beyond [0, 1] by 1e-05 at most (line 3, line 5, line 6 and 2 more): taken "
        "for rounding, and clipped"
    ]


def test_a_folder_of_parquet_files(tmp_path):
    parquet(tmp_path / "b.parquet", prob=EXPECTED[0][2:], y=EXPECTED[1][2:])
    parquet(tmp_path / "a.parquet", prob=EXPECTED[0][:2], y=EXPECTED[1][:2])
    (tmp_path / "README.txt").write_text("not read")
    read = read_scores(tmp_path, score="prob", label="y")
    np.testing.assert_array_equal(read.scores, EXPECTED[0])
    parquet(tmp_path / "c.parquet", prob=[1], y=["no"])
    with pytest.raises(InputError, match=r"c\.parquet has other columns or types than a\.parquet"):
        read_scores(tmp_path, score="prob", label="y")


def test_parquet_that_cannot_be_read(tmp_path, monkeypatch):
    path = parquet(tmp_path / "scores.parquet", prob=EXPECTED[0], y=EXPECTED[1])
    whole = path.read_bytes()
    for content, word in (
        (whole[:-30], "cannot be read as Parquet"),
        (gzip.compress(whole), "Parquet within gzip"),
        (text().encode(), "is no Parquet file, although its name says so"),
    ):
        path.write_bytes(content)
        with pytest.raises(InputError, match=word):
            read_scores(path, score="prob", label="y")
    path.write_bytes(whole)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(whole))))
    with pytest.raises(InputError, match="standard input: name the file"):
        read_scores("-", score="prob", label="y")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(InputError, match="pip install"):
        read_scores(path, score="prob", label="y")


def test_parquet_of_categories(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")

    def categories(values):
        return pyarrow.array(values).dictionary_encode()

    path = parquet(
        tmp_path / "scores.parquet",
        prob=categories(EXPECTED[0]),
        y=categories(["no", "yes", "no", "yes"]),
        g=categories(["a", "b", "a", "b"]),
        w=categories([1, 2, 1, 2]),
    )
    read = read_scores(path, score="prob", label="y", positive="yes", group="g", weight="w")
    np.testing.assert_array_equal(read.scores, EXPECTED[0])
    np.testing.assert_array_equal(read.labels, EXPECTED[1])
    assert read.groups.tolist() == ["a", "b", "a", "b"] and read.weights.tolist() == [1, 2, 1, 2]


@pytest.mark.parametrize(
    "labels",
    [[True, None, False], [1, None, 0], [1.0, None, 0.0], ["1", None, "0"]],
    ids=["boolean", "integer", "float", "text"],
)
def test_labels_that_are_missing_are_named_or_dropped(labels, tmp_path):
    path = parquet(tmp_path / "scores.parquet", prob=EXPECTED[0][:3], y=labels)
    with pytest.raises(InputError, match="row 2, column 'y': .*missing: .*--drop-missing"):
        read_scores(path, score="prob", label="y")
    read = read_scores(path, score="prob", label="y", drop_missing=True)
    assert read.scores.tolist() == [EXPECTED[0][0], EXPECTED[0][2]]
    assert read.labels.tolist() == [1, 0]


def test_a_folder_of_partitions_is_refused_with_the_way_that_works(tmp_path, monkeypatch, capfd):
    pytest.importorskip("duckdb")
    monkeypatch.chdir(tmp_path)
    for day, rows in (("a", slice(0, 2)), ("b", slice(2, 4))):
        Path(f"rows/day={day}").mkdir(parents=True)
        parquet(Path(f"rows/day={day}/0.parquet"), prob=EXPECTED[0][rows], y=EXPECTED[1][rows])
    with pytest.raises(InputError) as refused:
        read_scores("rows", score="prob", label="y")
    command = re.search("calib (counts .* -o counts.parquet)", str(refused.value))[1]
    columns = ["--score", "prob", "--label", "y", "--group", "day"]
    assert main([*shlex.split(command), *columns]) == 0
    read = read_scores("counts.parquet", score="prob", label="y", group="day", weight="count")
    rows = set(zip(read.scores, read.labels, read.groups, read.weights, strict=True))
    assert rows == set(zip(*EXPECTED, ["a", "a", "b", "b"], [1, 1, 1, 1], strict=True))
    assert main([*shlex.split(command), *columns[:-1], "month", "--force"]) == 2
    assert "no column 'month'" in capfd.readouterr().err
