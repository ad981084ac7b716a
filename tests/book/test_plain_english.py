"""English that must be read twice becomes rarer: `results/plain_english.csv` may only fall."""

import re
import sys
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import plain_english  # noqa: E402

EXAMPLES = {
    "fronted of": [
        ("Of many ties it would reject a third.", True),
        ("Of 207 statements, 23 are new.", False),
        ("The test rejects too few of the ties.", False),
    ],
    "that of": [
        ("The map is that of largest posterior.", True),
        ("Take the one of the two.", True),
        ("The map has the largest posterior.", False),
    ],
    "what clause": [
        ("What the weights learn from are events.", True),
        ("It says what is known.", True),
        ("What does the test say?", False),
        ("See *What was run* for the list.", False),
    ],
    "pronoun": [
        ("So it does with weights.", True),
        ("They have a bound.", True),
        ("This is exact.", True),
        ("This bound is exact.", False),
        ("It is known that the bound is exact.", False),
    ],
    "so, likewise": [
        ("The value is small, and so is its advice.", True),
        ("The lines are lower, and likewise on the right.", True),
        ("The bound holds, so the error is small.", False),
    ],
    "colon, semicolon": [
        ("The error is small: the map is right.", True),
        ("The map is right; the error is small.", True),
        ("The map is right because the error is small.", False),
    ],
    "house word": [
        ("This mends the scores.", True),
        ("The true law of the scores has no density.", True),
        ("The law of large numbers gives the limit.", False),
        ("The distribution has no density.", False),
    ],
}


@pytest.mark.parametrize(
    "name, sentence, has",
    [(name, *example) for name, examples in EXAMPLES.items() for example in examples],
)
def test_what_has_a_pattern(name, sentence, has):
    words = plain_english.unmarked(sentence)
    assert (name in plain_english.patterns_of(words, first=True)) == has


def test_a_fragment_is_no_first_sentence_and_has_no_verb():
    assert "fragment" in plain_english.patterns_of("Linear time and memory.", first=False)
    assert "fragment" not in plain_english.patterns_of("Linear time and memory.", first=True)
    assert "fragment" not in plain_english.patterns_of("The time is linear.", first=False)


def test_what_is_read_of_a_docstring():
    text = """
    Fit the map. It is linear.

    Parameters
    ----------
    scores : array of shape (n,)
        Scores: any numbers.

    Returns
    -------
    ndarray of shape (n,)
        Probabilities of class 1.

    References
    ----------
    Platt (1999): probabilities for support vector machines.

    Examples
    --------
    >>> fit(1)
    2 is the answer; always
    """
    blocks = plain_english.docstring_blocks(re.sub(r"(?m)^    ", "", text).strip())
    read = [words for block in blocks for words, _ in plain_english.sentences(block)]
    assert read == [
        "Fit the map.",
        "It is linear.",
        "Scores: any numbers.",
        "ndarray of shape (n,)",
        "Probabilities of class 1.",
    ]


def test_neighbouring_comments_are_read_together():
    code = "a = 1  # the number of rows\n# The first line\n# goes on here.\nb = 2\n"
    assert [words for words in plain_english.comments(code) if words] == [
        "the number of rows",
        "The first line goes on here.",
    ]


def test_what_is_read_of_figures_and_axes():
    page = "```{figure} a.svg\n:caption: A *curve* of errors.\n:alt: A falling line.\n```\n"
    assert list(plain_english.captions(page)) == ["A curve of errors.", "A falling line."]
    code = 'ax.set_xlabel("score")\nax.plot(x, y, label=f"{n} rows")\nax.set(title="Errors")\n'
    assert list(plain_english.labels(code)) == ["score", "{n} rows", "Errors"]
    figure = {"figure": {"caption": "Errors fall."}, "image": {"alt": "A falling line."}}
    cells = [
        {"cell_type": "code", "metadata": {"mystnb": figure}, "source": [code]},
        {"cell_type": "markdown", "metadata": {}, "source": ["A page."]},
    ]
    read = list(plain_english.cell_captions({"cells": cells}))
    assert read == ["Errors fall.", "A falling line.", "score", "{n} rows", "Errors"]


def test_no_sentence_stands_twice_on_a_page():
    """Not on checked.md, whose cells state the same condition for several methods."""
    seen = Counter(
        (path.name, sentence)
        for kind, path, block in plain_english.texts()
        if kind in ("front pages", "chapters") and path.name != "checked.md"
        for sentence, _ in plain_english.sentences(block)
        if len(sentence.split()) >= 8 and " x" not in sentence
    )
    assert not [key for key, count in seen.items() if count > 1]


def test_the_counts_only_fall():
    """Fewer? `python tools/plain_english.py --record` keeps the lower numbers."""
    before = {(row["kind"], row["pattern"]): row for row in plain_english.recorded()}
    now = {
        (row["kind"], row["pattern"]): row for row in plain_english.counts(plain_english.texts())
    }
    assert now.keys() == before.keys()
    more = [
        row
        for key, row in now.items()
        if row["count"] > int(before[key]["count"])
        and row["per_1000"] > float(before[key]["per_1000"])
    ]
    assert not more, "see CONTRIBUTING.md, *Plain English*"
