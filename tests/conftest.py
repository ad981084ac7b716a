"""Settings for every test."""

import matplotlib

matplotlib.use("Agg")

LONGEST_FILE = "test_proofs.py"  # minutes of Coq in a few tests


def pytest_collection_modifyitems(items):
    """Put the longest file first."""
    items.sort(key=lambda item: item.path.name != LONGEST_FILE)
