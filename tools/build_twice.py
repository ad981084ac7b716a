"""Build all that is published twice, as two different machines would, and compare the bytes.

python tools/build_twice.py [STEP ...]    targets of make; book and course if none is named

Each build has a clone of the last commit and an environment of its own. The function `machines` has
the differences between the two. A wrapper that does not work here is left out, and the printed
machines show it. Builds that differ stay where they are, and `diffoscope` explains the first
differences, where it is installed.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import checksums

ROOT = Path(__file__).resolve().parents[1]
STEPS = ["book", "course"]
PUBLISHED = [
    *["book/_build/html", "book/_build/*.pdf", "book/_build/*.epub"],
    *["course/release", "course/archives"],
]
WRAPPERS = [  # programs that change what the commands behind them see
    ["taskset", "--cpu-list", "0"],  # one processor
    ["unshare", "--user", "--map-user", "1234", "--map-group", "1234"],  # another user
    ["faketime", "2031-07-08 21:10:11"],  # another year
]
N_EXPLAINED = 3  # files
UNSET = ["SOURCE_DATE_EPOCH", "CALIB_DATA", "VIRTUAL_ENV"]


class Machine(NamedTuple):
    """The clone of a build, and the surroundings that its programs see."""

    clone: Path
    environment: dict
    umask: int
    wrapper: tuple = ()  # stands in front of the commands of a build

    def run(self, command):
        """Run a command in the clone as this machine would."""
        subprocess.run(
            command,
            cwd=self.clone,
            env={k: v for k, v in os.environ.items() if k not in UNSET} | self.environment,
            umask=self.umask,
            check=True,
        )


def another_locale():
    """A locale that is not that of C; C where there is no other."""
    done = subprocess.run(["locale", "-a"], capture_output=True, text=True, check=True)
    names = [name for name in done.stdout.split() if "utf" in name.lower() and name[0] != "C"]
    return names[0] if names else "C"


def works(wrapper):
    """Whether a wrapper is installed, and may be used here."""
    if shutil.which(wrapper[0]) is None:
        return False
    return subprocess.run([*wrapper, "true"], capture_output=True).returncode == 0


def machines(first, second):
    """The two machines, for two clones."""
    plain = Machine(
        clone=first,
        environment={"LC_ALL": "C.UTF-8", "TZ": "UTC", "PYTHONHASHSEED": "1"},
        umask=0o022,
    )
    other = Machine(
        clone=second,
        environment={
            "LC_ALL": another_locale(),
            "TZ": "Pacific/Kiritimati",  # fourteen hours before UTC
            "PYTHONHASHSEED": "4294967295",
            "PYTHONPATH": str(second / "tools" / "disordered"),
        },
        umask=0o077,
        wrapper=tuple(word for words in WRAPPERS if works(words) for word in words),
    )
    return plain, other


def build(machine, steps):
    """Make a clone and build in it."""
    clone, home = machine.clone, machine.clone.with_name("home")
    subprocess.run(
        ["git", "clone", "--quiet", "--depth", "1", ROOT.as_uri(), str(clone)], check=True
    )
    home.mkdir()
    machine.environment["HOME"] = str(home)
    machine.run(["make", "set-up", ".venv-course/set-up"])
    machine.run([*machine.wrapper, "make", *steps])


def products(clone):
    """SHA-256 of every published file by its path, for each product."""
    sums = {}
    for pattern in PUBLISHED:
        for path in sorted(clone.glob(pattern)):
            name = path.relative_to(clone).as_posix()
            files = checksums.digests(path) if path.is_dir() else {"": checksums.digest(path)}
            sums[name] = {f"{name}/{file}".rstrip("/"): digest for file, digest in files.items()}
    return sums


def compare(first, second):
    """Print a sum for each product; return the files that are not the same in both."""
    sums = products(first), products(second)
    different = []
    for name in sorted(sums[0].keys() | sums[1].keys()):
        files = [product.get(name, {}) for product in sums]
        unequal = checksums.unequal(*files)
        total = hashlib.sha256(checksums.lines(files[0]).encode()).hexdigest()
        print(f"{total}  {name}: {len(files[0])} files, {len(unequal)} differ")
        different += unequal
    return different


def explain(paths, first, second):
    """Print what `diffoscope` finds in the first files that are in both clones."""
    if shutil.which("diffoscope"):
        pairs = [(first / path, second / path) for path in paths]
        shared = [pair for pair in pairs if pair[0].exists() and pair[1].exists()]
        for pair in shared[:N_EXPLAINED]:
            subprocess.run(["diffoscope", "--max-text-report-size", "5000", *map(str, pair)])


def main(steps):
    """Build twice and compare."""
    place = Path(tempfile.mkdtemp(prefix="built-twice-"))
    clones = place / "first" / "clone", place / "a longer name, with spaces" / "third" / "clone"
    for machine in machines(*clones):
        print(f"Building as {machine}", flush=True)
        build(machine, steps)
    different = compare(*clones)
    print(*different, sep="\n")
    if different:
        explain(different, *clones)
        sys.exit(f"{len(different)} files differ: both builds are in {place}")
    shutil.rmtree(place)


if __name__ == "__main__":
    main(sys.argv[1:] or STEPS)
