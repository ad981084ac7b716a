"""The distributions that the site offers: the same bytes anywhere, nothing of the machine."""

import re
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

import calib

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import distributions  # noqa: E402

NAME = f"calibrating_binary_classifiers-{calib.__version__}"


@pytest.fixture
def book(tmp_path, monkeypatch):
    """A folder in the place of the book's."""
    monkeypatch.setattr(distributions, "BOOK", tmp_path)
    return tmp_path


def built(book):
    distributions.write()
    return {path.name: path.read_bytes() for path in sorted(book.iterdir())}


def test_both_are_built_twice_the_same_and_old_ones_go(book, monkeypatch):
    (book / "calibrating_binary_classifiers-0.0.1-py3-none-any.whl").touch()
    first = built(book)
    assert list(first) == [f"{NAME}-py3-none-any.whl", f"{NAME}.tar.gz"]
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    assert built(book) == first


def test_they_have_the_package_and_say_nothing_of_the_machine(book):
    built(book)
    with zipfile.ZipFile(book / f"{NAME}-py3-none-any.whl") as wheel:
        contents = {name: wheel.read(name) for name in wheel.namelist()}
    with tarfile.open(book / f"{NAME}.tar.gz") as source:
        members = source.getmembers()
        contents |= {member.name: source.extractfile(member).read() for member in members}
    assert {member.mtime for member in members} == {member.uid for member in members} == {0}
    assert f"{NAME}/tests/calib/test_contract.py" in contents
    assert f"{NAME}/tests/book/test_site.py" not in contents  # it needs a clone
    for path in ROOT.glob("calib*/**/*.py"):
        name = path.relative_to(ROOT).as_posix()
        assert contents[name] == contents[f"{NAME}/{name}"] == path.read_bytes()
    place = re.compile(re.escape(str(ROOT)).encode() + rb"\b")
    assert not [name for name, content in contents.items() if place.search(content)]
