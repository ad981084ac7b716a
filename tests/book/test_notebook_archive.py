"""The archive of notebooks: unpacked, installed and run away from the clone."""

import json
import os
import re
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import notebook_archive  # noqa: E402

NOTEBOOKS = sorted(path.stem for path in (ROOT / "notebooks").glob("*.ipynb"))
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "CALIB_DATA"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The unpacked archive."""
    place = tmp_path_factory.mktemp("archive")
    notebook_archive.write(place / "notebooks.zip")
    with zipfile.ZipFile(place / "notebooks.zip") as archive:
        archive.extractall(place)
    return place / notebook_archive.FOLDER


@pytest.fixture(scope="module")
def python(folder):
    """The interpreter of a new environment with the archive; all else is from this environment."""
    venv.create(folder / ".venv")
    packages = sysconfig.get_path("purelib", vars={"base": folder / ".venv"})
    Path(packages, "others.pth").write_text(sysconfig.get_path("purelib"), encoding="utf-8")
    python = folder / ".venv" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    pip = [python, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation"]
    install = [*pip, "--ignore-installed", "--editable", "."]
    subprocess.run(install, cwd=folder, env=ENVIRONMENT, check=True)
    return python


def test_it_has_every_notebook(folder):
    assert sorted(path.stem for path in (folder / "notebooks").glob("*.ipynb")) == NOTEBOOKS


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_it_has_every_file_that_a_notebook_opens(folder, name):
    notebook = json.loads((folder / "notebooks" / f"{name}.ipynb").read_text(encoding="utf-8"))
    code = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    for path in re.findall(r"[\"'](\.\./[^\"']+)[\"']", "\n".join(code)):
        assert list((folder / "notebooks").glob(re.sub(r"\{[^}]*\}", "*", path))), path


def test_it_asks_for_what_the_lock_has(folder):
    """JupyterLab is the reader's choice; the rest has the versions of the stored outputs."""
    lock = (folder / "requirements.lock").read_text(encoding="utf-8")
    wanted = (folder / "requirements.txt").read_text(encoding="utf-8").splitlines()
    assert wanted[:2] == ["--constraint requirements.lock", "--editable .[plots,data]"]
    assert [name for name in wanted[2:] if f"\n{name}==" not in lock] == ["jupyterlab"]


def test_it_uses_nothing_of_the_clone(folder, python):
    where = "import calib, experiments as e; print(calib.__file__, e.recording.RESULTS)"
    options = {"env": ENVIRONMENT, "check": True, "capture_output": True, "text": True}
    done = subprocess.run([python, "-c", where], cwd=folder / "notebooks", **options)
    assert done.stdout.split() == [str(folder / "calib/__init__.py"), str(folder / "results")]


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_notebook_prints_what_is_stored(folder, python, name):
    nbval = ["--nbval", "--nbval-current-env", "-p", "no:cacheprovider"]
    nbval += ["--nbval-sanitize-with", ROOT / "tests" / "nbval_sanitize.cfg"]
    command = [python, "-m", "pytest", "-q", *nbval, f"notebooks/{name}.ipynb"]
    done = subprocess.run(command, cwd=folder, env=ENVIRONMENT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
