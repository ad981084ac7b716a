"""SHA-256 of files: of what the site offers, and of two builds side by side.

python tools/checksums.py FIRST SECOND        says which files of two folders differ
"""

import hashlib
import sys
from pathlib import Path

NAME = "SHA256SUMS"


def digests(folder):
    """SHA-256 of each file of a folder, by its path in the folder, in order."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in files
    }


def lines(sums):
    """The text that `sha256sum --check` reads."""
    return "".join(f"{digest}  {name}\n" for name, digest in sums.items())


def offer(site):
    """Write the sums of all downloads of a site, beside its pages."""
    sums = {f"_downloads/{name}": digest for name, digest in digests(site / "_downloads").items()}
    (site / NAME).write_text(lines(sums), encoding="utf-8")


def different(first, second):
    """Paths that are not in both folders with the same bytes, and the number of all paths."""
    here, there = digests(first), digests(second)
    names = sorted(here.keys() | there.keys())
    return [name for name in names if here.get(name) != there.get(name)], len(names)


if __name__ == "__main__":
    found, n_files = different(*map(Path, sys.argv[1:3]))
    print(*found, sep="\n")
    sys.exit(f"{len(found)} of {n_files} files differ" if found else None)
