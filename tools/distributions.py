"""Build wheel and source distribution of `calib`, which the site offers to readers without a clone.

python tools/distributions.py        writes book/*.whl and book/*.tar.gz

They are built from a copy, with the setuptools at hand and without the network: nothing of earlier
builds gets in. The same files make the same bytes, whoever builds them, and wherever.
"""

import gzip
import io
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
from course.tools.archives import rewrite_archive  # noqa: E402

BOOK = ROOT / "book"
FILES = ["pyproject.toml", "MANIFEST.in", "README.md", "LICENSE", "CHANGELOG.md", "CITATION.cff"]
FOLDERS = ["calib", "calibkit", "tests"]
KINDS = {"*.whl": "build_wheel", "*.tar.gz": "build_sdist"}


def copy(folder):
    """Put into the folder what the distributions are made of."""
    for name in FILES:
        shutil.copy(ROOT / name, folder)
    for name in FOLDERS:
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))


def build(folder):
    """Build both, from one process, into the folder ``dist``."""
    calls = "; ".join(f"b.{name}('dist')" for name in KINDS.values())
    program = f"from setuptools import build_meta as b; {calls}"
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=folder,
        env=os.environ | {"SOURCE_DATE_EPOCH": "315532800"},  # 1980, where zip archives begin
        capture_output=True,
        text=True,
    )
    if done.returncode:
        sys.exit(done.stderr)


def rewrite_source(path):
    """Write the source distribution again: names in order, no dates, no owners."""
    with tarfile.open(path) as archive:
        files = sorted((m for m in archive if m.isfile()), key=lambda member: member.name)
        contents = {member.name: archive.extractfile(member).read() for member in files}
    tape = io.BytesIO()
    with tarfile.open(fileobj=tape, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name, content in contents.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    path.write_bytes(gzip.compress(tape.getvalue(), mtime=0))


def write():
    """Write both beside the pages, in place of those of earlier versions."""
    for pattern in KINDS:
        for path in BOOK.glob(pattern):
            path.unlink()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        copy(folder)
        build(folder)
        (wheel,), (source,) = (folder.glob(f"dist/{pattern}") for pattern in KINDS)
        rewrite_archive(wheel)
        rewrite_source(source)
        for path in [wheel, source]:
            shutil.copy(path, BOOK)


if __name__ == "__main__":
    write()
    print(*(path for pattern in KINDS for path in BOOK.glob(pattern)), sep="\n")
