"""The reports are what the command makes, and the claims follow from the pinned files alone."""

import csv
import importlib.util
import shutil
from pathlib import Path

import pytest
import yaml

from experiments import ledger, publishing

ROOT = Path(__file__).resolve().parents[2]
_spec = importlib.util.spec_from_file_location("check", ROOT / "publications" / "check.py")
check = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(check)
CLAIMS = check.table(ROOT / "publications" / "claims.csv")
PINNED = check.table(ROOT / "publications" / "manifest.csv")


def test_the_reports_are_what_the_command_makes(tmp_path):
    written = publishing.publish(tmp_path)
    assert len(written) == 2 * len(publishing.PUBLISHED) + 3
    for path in written:
        name = path.relative_to(tmp_path)
        own = (ROOT / name).read_text(encoding="utf-8")
        assert path.read_text(encoding="utf-8") == own, "run python -m experiments publish"


def test_every_number_of_the_ledger_is_a_claim_with_the_same_verdict():
    verdicts = {(c["paper"], c["table"], c["row"], c["column"]): c["verdict"] for c in CLAIMS}
    assert len(verdicts) == len(CLAIMS)
    entries = ledger.read_ledger()
    assert {entry[:4]: entry.verdict for entry in entries}.items() <= verdicts.items()
    others = len(CLAIMS) - len(entries)
    assert others == 20  # those that the program of the authors of 2015 prints


def test_the_claims_follow_from_the_files_without_our_code():
    faults, computed = check.check(ROOT)
    assert not faults
    assert computed == sum(bool(claim["mean_of"]) for claim in CLAIMS) > 0.75 * len(CLAIMS)


def test_the_check_imports_nothing_of_ours():
    text = (ROOT / "publications" / "check.py").read_text(encoding="utf-8")
    assert "import calib" not in text and "experiments" not in text


@pytest.fixture
def copy(tmp_path):
    """A tree with the claims on the output of the program of 2015 alone, and their file."""
    few = [claim for claim in CLAIMS if claim["paper"] == "naeini2015"]
    (tmp_path / "publications").mkdir()
    (tmp_path / "results").mkdir()
    file = few[0]["file"]
    shutil.copy(ROOT / file, tmp_path / file)
    pins = [pin for pin in PINNED if pin["file"] == file]
    for name, rows in {"claims": few, "manifest": pins}.items():
        with (tmp_path / "publications" / f"{name}.csv").open("w", newline="") as out:
            writer = csv.DictWriter(out, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
    return tmp_path


def test_the_check_finds_a_changed_file_and_a_wrong_claim(copy):
    assert check.check(copy) == ([], 20)
    for path, fault in [
        (copy / "results" / "naeini2015_output.csv", "sha256"),
        (copy / "publications" / "claims.csv", "mean"),
    ]:
        text = path.read_text()
        path.write_text(text.replace("0.384297", "0.394297"))
        faults, _ = check.check(copy)
        assert len(faults) == {"sha256": 2, "mean": 1}[fault]
        path.write_text(text)


def test_what_only_a_person_can_give_is_open():
    about = yaml.safe_load((ROOT / "codecheck.yml").read_text(encoding="utf-8"))
    assert about["codechecker"][0]["name"] == about["certificate"] == publishing.OPEN
    assert {one["file"] for one in about["manifest"]} == {pin["file"] for pin in PINNED}
    for name in publishing.PUBLISHED:
        text = (ROOT / "publications" / name / "metadata.yaml").read_text(encoding="utf-8")
        assert yaml.safe_load(text)["authors"][0]["name"] == publishing.OPEN
