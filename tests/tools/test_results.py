"""The folder of records describes itself."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tools"))
import describe_results  # noqa: E402


def test_the_description_is_that_of_the_records():
    stored = (ROOT / "results" / "README.md").read_text(encoding="utf-8")
    assert stored == describe_results.text(), "run python tools/describe_results.py"


def test_everything_in_the_folder_is_described():
    text = describe_results.text()
    for path in (ROOT / "results").iterdir():
        name = f"{path.name}/" if path.is_dir() else path.stem
        assert path.name == "README.md" or f"| `{name}` |" in text, path.name


def test_no_description_is_left_over():
    names = {path.stem for path in (ROOT / "results").glob("*.csv")}
    assert describe_results.OTHERS.keys() <= names
    assert all((ROOT / "results" / name).is_dir() for name in describe_results.FOLDERS)


def test_no_record_is_large():
    sizes = {path.name: path.stat().st_size for path in (ROOT / "results").rglob("*.*")}
    assert max(sizes.values()) <= 10_000_000, max(sizes, key=sizes.get)
