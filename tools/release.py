"""Make a release: everything that needs no human being.

python tools/release.py VERSION        needs a clean clone, and VERSION in CHANGELOG.md

Writes the version, the date of today and the files for archives, commits them, runs the tests,
makes site and books, tags the commit, and puts what is published into the folder release/VERSION,
with notes and sums. RELEASING.md says what a human being does with them.
"""

import argparse
import datetime
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import checksums
import citation
import metadata
import yaml

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
from course.tools.archives import files, write_archive  # noqa: E402

VERSIONED = ROOT / "calib" / "__init__.py"
CHANGELOG = ROOT / "CHANGELOG.md"
BUILD = ROOT / "book" / "_build"
PUBLISHED = [  # files that are published, by where they are made
    *["book/*.whl", "book/*.tar.gz", "book/notebooks.zip", "book/self_study.zip"],
    "book/course.zip",
    *["book/_build/*.pdf", "book/_build/*.epub"],
]
# Stored outputs that name the version by which they were written.
STAMPED = ["book/census_report.html", "notebooks/your_own_scores.ipynb"]
STEPS = ["lint", "book", "test", "test-wheel", "pdf", "epub"]
PROGRESS = " (in progress)"  # behind a heading until the release


def git(*arguments):
    """What git prints."""
    command = ["git", *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def notes(changelog, version):
    """The section of a version in the text of a changelog; None if there is none."""
    found = re.search(rf"(?ms)^## {re.escape(version)}(?![\w.])[^\n]*\n(.*?)(?=^## |\Z)", changelog)
    return found and found[1].strip() + "\n"


def with_version(text, version):
    """The text of a module, with this version in place of its own."""
    renewed, n_places = re.subn(r'(?m)^__version__ = "[^"]*"', f'__version__ = "{version}"', text)
    if n_places != 1:
        raise ValueError(f"the version stands in {n_places} places")
    return renewed


def check(version):
    """Stop with what is missing before a release."""
    if not re.fullmatch(r"\d+\.\d+\.\d+", version):
        sys.exit(f"{version} is no version: it has three numbers with points between them")
    if git("status", "--porcelain"):
        sys.exit("the clone has changes that are not committed: commit them or put them aside")
    if f"v{version}" in git("tag").splitlines():
        sys.exit(f"the tag v{version} exists: choose another version")
    if not notes(CHANGELOG.read_text(encoding="utf-8"), version):
        sys.exit(f"CHANGELOG.md has no section {version}: write one")


def write_version(version, today):
    """Write version and date everywhere where they stand."""
    VERSIONED.write_text(with_version(VERSIONED.read_text(encoding="utf-8"), version), "utf-8")
    changelog = CHANGELOG.read_text(encoding="utf-8")
    heading = re.search(rf"(?m)^## {re.escape(version)}(?![\w.]).*$", changelog)[0]
    renewed = changelog.replace(heading, heading.removesuffix(PROGRESS))
    CHANGELOG.write_text(renewed, encoding="utf-8")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    content = yaml.safe_load(citation.CITATION.read_text(encoding="utf-8"))
    dated = yaml.safe_dump(content | {"date-released": today}, sort_keys=False)
    text = citation.renewed(dated, version, project.get("urls", {}))
    citation.CITATION.write_text(text, encoding="utf-8")
    for name in STAMPED:
        path = ROOT / name
        text = re.sub(r"(?<=by calib )\d+\.\d+\.\d+", version, path.read_text(encoding="utf-8"))
        path.write_text(text, encoding="utf-8")
    for name, content in metadata.files().items():
        (ROOT / name).write_text(content, encoding="utf-8")


def collect(version):
    """Put what is published into a new folder; return the folder."""
    folder = ROOT / "release" / version
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for pattern in PUBLISHED:
        for path in sorted(ROOT.glob(pattern)):
            shutil.copy(path, folder)
    write_archive(folder / f"site-{version}.zip", files(BUILD / "html"))
    text = notes(CHANGELOG.read_text(encoding="utf-8"), version)
    (folder / "NOTES.md").write_text(text, encoding="utf-8")
    sums = checksums.lines(checksums.digests(folder))
    (folder / checksums.NAME).write_text(sums, encoding="utf-8")
    return folder


def tag(version, path):
    """Tag the commit with the notes at a path; their headings are no comments to be left out."""
    git("tag", "--annotate", "--cleanup=whitespace", f"v{version}", "--file", str(path))


def main(version):
    """Release a version."""
    check(version)
    write_version(version, datetime.date.today().isoformat())
    git("commit", "--all", "--message", f"release: {version}")
    for step in STEPS:
        subprocess.run(["make", step], cwd=ROOT, check=True)
    folder = collect(version)
    tag(version, folder / "NOTES.md")
    print(f"The tag is v{version}, the files are in {folder.relative_to(ROOT)}.")
    print("RELEASING.md says what is left for a human being.")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("version", help="for example 0.3.0")
    main(parser.parse_args().version)
