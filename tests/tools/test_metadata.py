"""The files for archives say what CITATION.cff says, and sums find every file that changed."""

import hashlib
import json
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tools"))
import checksums  # noqa: E402
import metadata  # noqa: E402


@pytest.mark.parametrize("name", ["codemeta.json", ".zenodo.json", "ro-crate-metadata.json"])
def test_the_files_are_those_of_the_citation(name):
    stored = (ROOT / name).read_text(encoding="utf-8")
    assert stored == metadata.files()[name], "run python tools/metadata.py"


def test_they_agree_about_title_and_version():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    found = [json.loads(text) for text in metadata.files().values()]
    found[2] = found[2]["@graph"][1]
    titles = [content.get("name") or content["title"] for content in found]
    assert titles == [citation["title"]] * 3
    assert [content["version"] for content in found] == [citation["version"]] * 3


def test_the_crate_has_folders_that_there_are_and_a_date_after_a_release():
    for name in metadata.PARTS:
        assert (ROOT / name).is_dir(), name
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    dated = metadata.crate(citation | {"date-released": "2030-01-02"})["@graph"][1]
    assert dated["datePublished"] == "2030-01-02"


def test_sums_are_those_that_sha256sum_checks(tmp_path):
    (tmp_path / "_downloads").mkdir()
    (tmp_path / "_downloads" / "a.txt").write_text("one")
    checksums.offer(tmp_path)
    digest = hashlib.sha256(b"one").hexdigest()
    assert (tmp_path / "SHA256SUMS").read_text() == f"{digest}  _downloads/a.txt\n"


def test_files_that_differ_are_found(tmp_path):
    for folder, text in [("first", "one"), ("second", "two")]:
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "same.txt").write_text("same")
        (tmp_path / folder / "other.txt").write_text(text)
    (tmp_path / "first" / "alone.txt").write_text("alone")
    sums = [checksums.digests(tmp_path / folder) for folder in ["first", "second"]]
    assert checksums.unequal(*sums) == ["alone.txt", "other.txt"]
