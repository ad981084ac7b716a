"""Protocols as they were written down before their runs, and the hashes in the recorded rows."""

import hashlib

from experiments.recording import RESULTS

DIGITS = 12  # of the SHA-256 that a recorded row holds


def fingerprint(name):
    """Return the first digits of the SHA-256 of ``results/protocols/<name>.txt``."""
    text = (RESULTS / "protocols" / f"{name}.txt").read_bytes()
    return hashlib.sha256(text).hexdigest()[:DIGITS]
