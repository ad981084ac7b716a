"""Build what is published twice, as two different machines would, and compare the bytes.

python tools/build_twice.py [STEP ...]    targets of make; book and course if none is named

Each build has a clone of the last commit and an environment of its own. What differs between the
two stands in `machines`; what this machine cannot vary is left out and said. Files that differ stay
in their clones, for `diffoscope` to explain.
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
NOBODY = 65534
UNSET = ["SOURCE_DATE_EPOCH", "CALIB_DATA", "VIRTUAL_ENV"]


class Machine(NamedTuple):
    """How a build runs: its clone, what its programs see, and who owns its files."""

    clone: Path
    environment: dict
    umask: int
    user: int | None = None  # the user of this process if None
    command: tuple = ()  # stands in front of each command

    def run(self, command, wrapped=True):
        """Run a command in the clone as this machine would, behind its wrapper or without it."""
        subprocess.run(
            [*self.command * wrapped, *command],
            cwd=self.clone,
            env={k: v for k, v in os.environ.items() if k not in UNSET} | self.environment,
            umask=self.umask,
            user=self.user,
            group=self.user,
            extra_groups=None if self.user is None else [],
            check=True,
        )


def another_locale():
    """A locale that is not that of C; C where there is no other."""
    done = subprocess.run(["locale", "-a"], capture_output=True, text=True, check=True)
    names = [name for name in done.stdout.split() if "utf8" in name.lower() and name[0] != "C"]
    return names[0] if names else "C"


def wrapper():
    """What puts a command on one processor and into another year, as far as it is installed."""
    programs = {
        "taskset": ("taskset", "--cpu-list", "0"),
        "faketime": ("faketime", "2031-07-08 21:10:11"),
    }
    return tuple(word for name, words in programs.items() if shutil.which(name) for word in words)


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
        user=NOBODY if os.geteuid() == 0 else None,
        command=wrapper(),
    )
    return plain, other


def build(machine, steps):
    """Make a clone and build in it."""
    clone, home = machine.clone, machine.clone.with_name("home")
    subprocess.run(
        ["git", "clone", "--quiet", "--depth", "1", ROOT.as_uri(), str(clone)], check=True
    )
    home.mkdir()
    if machine.user is not None:
        for path in [clone, home, *clone.rglob("*")]:
            os.chown(path, machine.user, machine.user, follow_symlinks=False)
    at_home = machine._replace(environment=machine.environment | {"HOME": str(home)})
    at_home.run(["make", "set-up", ".venv-course/set-up"], wrapped=False)
    at_home.run(["make", *steps])


def products(clone):
    """SHA-256 of every published file by its path, for each product."""
    found = {}
    for pattern in PUBLISHED:
        for path in sorted(clone.glob(pattern)):
            name = path.relative_to(clone).as_posix()
            sums = checksums.digests(path) if path.is_dir() else {"": checksums.digest(path)}
            found[name] = {f"{name}/{file}".rstrip("/"): total for file, total in sums.items()}
    return found


def compare(first, second):
    """Print a sum for each product; return the files that are not the same in both."""
    here, there = products(first), products(second)
    different = []
    for name in sorted(here.keys() | there.keys()):
        pair = here.get(name, {}), there.get(name, {})
        own = checksums.unequal(*pair)
        total = hashlib.sha256(checksums.lines(pair[0]).encode()).hexdigest()
        print(f"{total}  {name}: {len(pair[0])} files, {len(own)} differ")
        different += own
    return different


def main(steps):
    """Build twice and compare."""
    place = Path(tempfile.mkdtemp(prefix="built-twice-"))
    place.chmod(0o755)  # the second user passes through
    clones = place / "first" / "clone", place / "a longer name, with spaces" / "third" / "clone"
    for machine in machines(*clones):
        print(f"Building as {machine}", flush=True)
        build(machine, steps)
    different = compare(*clones)
    print(*different, sep="\n")
    if different:
        sys.exit(f"{len(different)} files differ: both builds are in {place}")
    shutil.rmtree(place)


if __name__ == "__main__":
    main(sys.argv[1:] or STEPS)
