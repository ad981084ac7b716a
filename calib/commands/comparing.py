"""``calib compare``: cross-validate calibrators, and recommend one if that is safe."""

import json
import math

from calib.commands.running import read_rows
from calib.comparison import compare


def run(options) -> int:
    """Read, compare, print; returns the exit code."""
    read = read_rows(options)
    comparison = compare(
        read.scores,
        read.labels,
        sample_weight=read.weights,
        groups=read.groups,
        loss=options.loss,
        verbose=int(options.progress),
    )
    print(_json(comparison, read.notes) if options.json else comparison)
    return 0


def _json(comparison, notes):
    """The comparison for machines; JSON has no infinity and no NaN, so null stands for both."""
    table = [
        {name: _finite(value) for name, value in row.items() if name != "seconds"}
        for row in comparison.table()
    ]
    document = {
        "recommended": comparison.chosen,
        "recommendation": comparison.recommendation,
        "notes": [*notes, *comparison.notes],
        "reference": comparison.reference,
        "loss": comparison.loss,
        "confidence": comparison.confidence,
        "methods": table,
    }
    return json.dumps(document, indent=1, allow_nan=False, ensure_ascii=False)


def _finite(value):
    return None if isinstance(value, float) and not math.isfinite(value) else value
