"""What a release writes, and what it refuses; the steps themselves are the other tests."""

import hashlib
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tools"))
import citation  # noqa: E402
import metadata  # noqa: E402
import release  # noqa: E402

FILES = [
    *["CHANGELOG.md", "CITATION.cff", "pyproject.toml", "calib/__init__.py"],
    *["book/census_report.html", "notebooks/your_own_scores.ipynb"],
    *["codemeta.json", ".zenodo.json", "ro-crate-metadata.json"],
]


@pytest.fixture
def clone(tmp_path, monkeypatch):
    """A repository with the files that a release changes."""
    for name in FILES:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    for module in (release, metadata):
        monkeypatch.setattr(module, "ROOT", tmp_path)
    monkeypatch.setattr(release, "VERSIONED", tmp_path / "calib" / "__init__.py")
    monkeypatch.setattr(release, "CHANGELOG", tmp_path / "CHANGELOG.md")
    monkeypatch.setattr(release, "BUILD", tmp_path / "book" / "_build")
    monkeypatch.setattr(citation, "CITATION", tmp_path / "CITATION.cff")
    (tmp_path / "CHANGELOG.md").write_text(
        "# Changelog\n\n## 7.0.0, an edition (in progress)\n\n* New.\n\n## 6.0.0\n\n* Old.\n"
    )
    commit(tmp_path)
    return tmp_path


def commit(folder):
    """Everything in the folder becomes the first commit of a repository."""
    names = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
    for arguments in [["init", "--quiet"], ["add", "-A"], ["commit", "--quiet", "-m", "first"]]:
        subprocess.run(["git", *names, *arguments], cwd=folder, check=True)


def test_notes_are_the_section_of_the_version():
    text = "# Changelog\n\n## 7.0.0, an edition\n\n* New.\n\n## 6.0.0\n\n* Old.\n"
    assert release.notes(text, "7.0.0") == "* New.\n"
    assert release.notes(text, "6.0.0") == "* Old.\n"
    assert release.notes(text, "7.0") is None
    assert release.notes(text, "5.0.0") is None


def test_a_release_knows_all_outputs_that_name_the_version():
    words = ["git", "grep", "-lE", "by calib [0-9]", "--", "book", "notebooks"]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True)
    if done.returncode > 1:
        pytest.skip("this is no clone: git does not list the files")
    assert done.stdout.split() == release.STAMPED


def test_version_and_date_are_written_everywhere(clone):
    release.check("7.0.0")
    release.write_version("7.0.0", "2030-01-02")
    assert '\n__version__ = "7.0.0"\n' in (clone / "calib" / "__init__.py").read_text()
    assert "\n## 7.0.0, an edition\n" in (clone / "CHANGELOG.md").read_text()
    content = yaml.safe_load((clone / "CITATION.cff").read_text())
    assert (content["version"], str(content["date-released"])) == ("7.0.0", "2030-01-02")
    for name in release.STAMPED:
        assert "by calib 7.0.0" in (clone / name).read_text()
    for name in FILES[-3:]:
        assert "7.0.0" in (clone / name).read_text()
    assert "2030-01-02" in (clone / "ro-crate-metadata.json").read_text()


def test_a_release_is_refused_with_what_is_missing(clone):
    with pytest.raises(SystemExit, match="no version"):
        release.check("7.0")
    with pytest.raises(SystemExit, match="no section 8.0.0"):
        release.check("8.0.0")
    subprocess.run(["git", "tag", "v7.0.0"], cwd=clone, check=True)
    with pytest.raises(SystemExit, match="v7.0.0 exists"):
        release.check("7.0.0")
    (clone / "CHANGELOG.md").write_text("changed")
    with pytest.raises(SystemExit, match="not committed"):
        release.check("7.0.0")


def test_what_is_published_lies_in_one_folder_with_its_sums(clone):
    (clone / "book" / "_build" / "html").mkdir(parents=True)
    (clone / "book" / "_build" / "html" / "index.html").write_text("page")
    (clone / "book" / "one.whl").write_text("wheel")
    folder = release.collect("7.0.0")
    sums = dict(line.split("  ")[::-1] for line in (folder / "SHA256SUMS").read_text().splitlines())
    assert sums["one.whl"] == hashlib.sha256(b"wheel").hexdigest()
    assert sums.keys() == {"NOTES.md", "one.whl", "site-7.0.0.zip"}
    assert zipfile.ZipFile(folder / "site-7.0.0.zip").namelist() == ["index.html"]
    assert (folder / "NOTES.md").read_text() == "* New.\n"


def test_the_tag_has_the_headings_of_the_notes(clone):
    (clone / "NOTES.md").write_text("### Speed\n\n* Faster.\n")
    for name, value in [("name", "A"), ("email", "a@example.org")]:
        subprocess.run(["git", "config", f"user.{name}", value], cwd=clone, check=True)
    release.tag("7.0.0", clone / "NOTES.md")
    command = ["git", "tag", "--list", "--format=%(contents)"]
    done = subprocess.run(command, cwd=clone, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "### Speed\n\n* Faster."


def test_the_version_stands_once():
    with pytest.raises(ValueError, match="0 places"):
        release.with_version("x = 1\n", "7.0.0")
