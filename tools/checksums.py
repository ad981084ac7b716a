"""SHA-256 of files: of what the site offers, and of two builds side by side.

python tools/checksums.py FIRST SECOND        says which files of two folders differ
"""

import hashlib
import sys
from pathlib import Path

NAME = "SHA256SUMS"


def digest(path):
    """SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def digests(folder):
    """SHA-256 of each file of a folder, by its path in the folder, in order."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): digest(path) for path in files}


def lines(sums):
    """The text that `sha256sum --check` reads."""
    return "".join(f"{digest}  {name}\n" for name, digest in sums.items())


def offer(site):
    """Write the sums of all downloads of a site, beside its pages."""
    sums = {f"_downloads/{name}": digest for name, digest in digests(site / "_downloads").items()}
    (site / NAME).write_text(lines(sums), encoding="utf-8")


def unequal(first, second):
    """Paths that are not in both tables of sums with the same sum, in order."""
    paths = sorted(first.keys() | second.keys())
    return [path for path in paths if first.get(path) != second.get(path)]


if __name__ == "__main__":
    sums = [digests(Path(name)) for name in sys.argv[1:3]]
    paths = unequal(*sums)
    print(*paths, sep="\n")
    sys.exit(f"{len(paths)} files differ" if paths else None)
