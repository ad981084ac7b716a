"""The checked statements: labels, hashes, the page, and the proofs where Coq is there."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "proofs"))
import check  # noqa: E402

needs_coq = pytest.mark.skipif(shutil.which("coqc") is None, reason="Coq is not installed")


def test_labels_hashes_and_theorems_fit_the_book():
    assert not list(check.faults())


def test_a_changed_sentence_is_found(monkeypatch):
    book = check.statements()
    notebook, kind, text = book["thm-murphy"]
    changed = book | {"thm-murphy": (notebook, kind, text.replace("reliability", "bias"))}
    monkeypatch.setattr(check, "statements", lambda: changed)
    assert [fault for fault in check.faults() if fault.startswith("thm-murphy has changed")]


def test_a_hash_ignores_line_breaks_and_sources():
    assert check.sha256("One  two\nthree.\n") == check.sha256("One two three.\n\n*Source: him.*\n")
    assert check.sha256("One two.") != check.sha256("One too.")


def test_at_least_thirty_statements_and_ten_refuted_hypotheses():
    assert len(check.table()) >= 30 and len(check.named("needed")) >= 10


def test_refuted_hypotheses_belong_to_theorems():
    assert {label for label, _ in check.named("needed")} <= set(check.every_theorem())


def test_the_page_is_made_from_the_table():
    assert check.PAGE.read_text(encoding="utf-8") == check.page(), "python proofs/check.py --page"


def test_the_readme_has_the_number_of_statements():
    number = re.search(r"versions of (\d+) statements", (check.HERE / "README.md").read_text())[1]
    assert int(number) == len(check.table())


def test_mutants_are_changes_of_the_files():
    assert len(list(check.mutants())) >= 20


def test_premises_and_hypotheses_are_found():
    text = "Hypotheses (a : 0 < x) (b c : y).\nTheorem t x : (0 < x -> y) -> x = 1 -> z.\nProof."
    assert [name for name, _ in check.hypotheses(text)] == ["a", "b c", *t_premises(2)]


def t_premises(number):
    return [f"t, premise {k + 1}" for k in range(number)]


@needs_coq
def test_all_files_check_and_assume_only_what_is_allowed():
    command = ["make", "--no-print-directory", "-C", str(check.HERE)]
    made = subprocess.run(command, capture_output=True, text=True)
    assert made.returncode == 0, made.stdout + made.stderr
    assert check.assumptions()["all"] <= check.ALLOWED
