"""``calib fit``: learn a map from a table and write it as JSON."""

import json
from pathlib import Path

import calib
from calib.commands.arguments import METHODS
from calib.commands.running import read_rows
from calib.commands.tables import InputError
from calib.commands.writing import check_new, new_file
from calib.maps.stored import FittedTo, StoredMap


def run(options) -> int:
    """Read, fit, write; returns the exit code."""
    check_new(options.output, force=options.force)
    calibrator = _calibrator(METHODS[options.method], options.parameter)
    read = read_rows(options)
    calibrator.fit(read.scores, read.labels, sample_weight=read.weights)
    stored = StoredMap(
        calibrator.map_,
        type(calibrator).__name__,
        calibrator.get_params(),
        FittedTo(
            file=Path(options.data).name,
            score=read.names["score"],
            label=read.names["label"],
            positive=options.positive,
            rows=read.scores.size,
            positives=int(read.labels.sum()),
            total_weight=None if read.weights is None else float(read.weights.sum()),
            lowest_score=float(read.scores.min()),
            highest_score=float(read.scores.max()),
        ),
        f"calib {calib.__version__}",
    )
    with new_file(options.output, force=options.force) as file:
        file.write(stored.dumps())
    return 0


def _calibrator(name, settings):
    """The method with the arguments of ``--parameter NAME=VALUE``."""
    method = getattr(calib, name)
    known = method().get_params()
    parameters = {}
    for setting in settings:
        key, equals, value = setting.partition("=")
        if not equals or key not in known:
            raise InputError(
                f"--parameter must be NAME=VALUE with a NAME of {name} "
                f"({', '.join(known) or 'it has none'}); found {setting!r}"
            )
        try:
            parameters[key] = json.loads(value.lower() if value in ("True", "False") else value)
        except ValueError:
            parameters[key] = value
    return method(**parameters)
