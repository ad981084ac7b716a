"""Sentences that a table could contradict: each has a guard, and each guard is there."""

import sys
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import claims  # noqa: E402


def test_every_claim_has_its_row_and_every_row_its_claim():
    found, listed = set(claims.claims()), {row[:2] for row in claims.guards()}
    new, gone = sorted(found - listed), sorted(listed - found)
    assert not new, f"new sentences need guards in tools/claims.csv (python tools/claims.py): {new}"
    assert not gone, f"sentences that have changed: look at their guards again: {gone}"


def test_no_claim_is_listed_twice():
    assert max(Counter(row[:2] for row in claims.guards()).values()) == 1


@pytest.mark.parametrize("guard", sorted({row[2] for row in claims.guards()}))
def test_every_guard_is_there(guard):
    assert claims.fault(guard) is None


@pytest.mark.parametrize(
    "sentence, claim",
    [
        ("BBQ wins on 7 of 9 sets.", True),
        ("BBQ is the best of them.", True),
        ("BBQ wins on {glue:text}`c1-wins` of 9 sets.", True),
        ("BBQ wins on {glue:text}`c1-wins` of the three sets.", False),
        ("By {prf:ref}`thm-c3-any` no bin errs more.", False),
        ("The bound of chapter 3 is $2B$; `n_bins=10`.", False),
        ("See chapters 3 and 4, and [ten bins](page.md).", True),
        ("Binning is easy.", False),
    ],
)
def test_what_is_a_claim(sentence, claim):
    assert claims.is_claim(sentence) is claim


def test_sentences_of_a_page():
    text = (
        "# One\n(label)=\nFirst. Second one!\n* Third\n```\ncode 4\n```\n| a 5 | b |\n|---|---|\n"
    )
    assert list(claims.sentences(text)) == ["First.", "Second one!", "Third", "a 5", "b"]


@pytest.mark.parametrize(
    "guard",
    [
        *["assert 14: 1 == 2", "assert 14: ", "test tests/book/test_claims.py: test_nothing"],
        *["proof thm-none", "printed none.csv", "words ", "because"],
    ],
)
def test_a_guard_that_is_not_there(guard):
    assert claims.fault(guard)
