"""Build the distributions and test the installed wheel in a new environment, away from the clone.

python tools/check_wheel.py                       with the versions of requirements.lock
python tools/check_wheel.py --versions oldest     with the oldest that pyproject.toml allows
python tools/check_wheel.py --versions newest     with the newest that the index has

Further arguments go to pytest. The wheel is built from the source distribution, and the tests are
those in it: what either lacks is found here.
"""

import argparse
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import venv
import zipfile
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PACKAGES = ["calib", "calibkit"]
EXTRAS = ["plots", "data", "counts", "dask", "tests"]
# Old versions use what newer ones of their own needs call deprecated: not ours to mend.
OLD_NEEDS = ["-W", "ignore::DeprecationWarning"]


def run(*command, **options):
    """Run a command and stop where it fails."""
    code = subprocess.run(list(map(str, command)), **options).returncode
    if code:
        sys.exit(code)


def build(folder):
    """The wheel, and the folder of the unpacked source distribution that it was built from."""
    run(sys.executable, "-m", "build", "--quiet", "--outdir", folder, ROOT)
    (wheel,), (source,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    with tarfile.open(source) as archive:
        archive.extractall(folder, filter="data")
    return wheel, folder / source.name.removesuffix(".tar.gz")


def check_contents(wheel):
    """The wheel has every file of the package and nothing else."""
    suffixes = {".py", ".pyi", ".typed", ".css", ".html", ".json"}
    files = [path for name in PACKAGES for path in (ROOT / name).rglob("*")]
    expected = {p.relative_to(ROOT).as_posix() for p in files if p.suffix in suffixes}
    found = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    if found != expected:
        sys.exit(f"{wheel.name} lacks {expected - found} and has {found - expected} too much")


def oldest():
    """Constraints: the floors of what the package needs, as exact versions."""
    extras = PROJECT["optional-dependencies"]
    users = [need for extra in EXTRAS if extra != "tests" for need in extras[extra]]
    needs = map(Requirement, PROJECT["dependencies"] + users)
    return [f"{need.name}{str(need.specifier).replace('>=', '==')}" for need in needs]


def pinned(names=None):
    """Lines of the lock: all of them, or those of the packages named."""
    lines = (ROOT / "requirements.lock").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if names is None or re.split("[=;]", line)[0] in names]


def constraints(versions):
    """What pip must keep to; old versions of the needs are tested with today's tools."""
    if versions == "oldest":
        return oldest() + pinned(PROJECT["optional-dependencies"]["tests"])
    return pinned() if versions == "pinned" else []


def install(wheel, versions, folder):
    """Install the wheel with what its tests need; the interpreter of the new environment."""
    venv.create(folder, with_pip=True)
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    (folder / "constraints.txt").write_text("\n".join(constraints(versions)), encoding="utf-8")
    pip = [python, "-m", "pip", "--disable-pip-version-check"]
    wanted = f"{wheel}[{','.join(EXTRAS)}]"
    run(*pip, "install", "--quiet", "--constraint", folder / "constraints.txt", wanted)
    run(*pip, "list")
    return python


def main():
    """Build, install and test what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--versions", choices=["pinned", "oldest", "newest"], default="pinned")
    options, for_pytest = parser.parse_known_args()
    if options.versions == "oldest":
        for_pytest += OLD_NEEDS
    with tempfile.TemporaryDirectory() as folder:
        print("Building the distributions ...", flush=True)
        wheel, source = build(Path(folder))
        check_contents(wheel)
        print(f"Installing {wheel.name} with {options.versions} versions ...", flush=True)
        python = install(wheel, options.versions, Path(folder, "environment"))
        alone = Path(folder, "alone")  # Python would import a package beside its tests
        alone.mkdir()
        for name in ["tests", "pyproject.toml"]:
            (source / name).rename(alone / name)
        run(python, "-m", "pytest", "-q", "--pyargs", *PACKAGES, "tests", *for_pytest, cwd=alone)


if __name__ == "__main__":
    main()
