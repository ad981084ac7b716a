"""Give the entries of every folder in reverse order, as another file system may.

Python runs this file when it starts with this folder on PYTHONPATH. What is built must not hang on
the order in which a folder lists its files.
"""

import os

listdir = os.listdir
scandir = os.scandir


class Entries:
    """The entries of a folder, as os.scandir gives them, the last of its names first."""

    def __init__(self, path="."):
        with scandir(path) as entries:
            self.entries = iter(sorted(entries, key=lambda entry: entry.name, reverse=True))

    def __iter__(self):
        return self

    def __next__(self):
        return next(self.entries)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()

    def close(self):
        """Nothing is open."""


def reversed_names(path="."):
    """The names in a folder, the last of them first."""
    return sorted(listdir(path), reverse=True)


os.listdir = reversed_names
os.scandir = Entries
