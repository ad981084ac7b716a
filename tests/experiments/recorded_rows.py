"""Compare a case that is run again with its recorded rows."""

import numpy as np
import pytest

from experiments import recorded


def assert_as_recorded(name, case, live, *, tolerance):
    """Words must be the recorded ones, numbers within `tolerance` of them."""
    rows = recorded(name)
    saved = np.flatnonzero(np.all([rows[key] == value for key, value in case.items()], axis=0))
    assert len(live) == saved.size > 0
    for row, k in zip(live, saved, strict=True):
        for key, value in row.items():
            if isinstance(value, str):
                assert value == rows[key][k]
            else:
                assert value == pytest.approx(rows[key][k], abs=tolerance)
