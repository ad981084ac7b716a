"""``calib report``, ``compare`` and ``fit``: what is learned from all rows of a table at once."""

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np

import calib
from calib.commands.arguments import METHODS, columns_of, format_of
from calib.commands.output import Progress, check_new, new_file, note
from calib.commands.reading import Scores, read_scores
from calib.commands.tables import InputError
from calib.maps.stored import FittedTo, StoredMap

FOLDS = 5  # of a comparison
MOST_COPIES = 1_000_000  # of rows, that folds part one by one; more go by the bundle


def report(options) -> int:
    """Judge the scores, on one page; returns the exit code."""
    check_new(options.output, force=options.force)
    read = _read(options)
    found = calib.report.make_report(
        read.scores,
        read.labels,
        sample_weight=read.weights,
        groups=read.groups,
        clusters=read.clusters,
        thresholds=options.threshold,
        name="standard input" if options.data == "-" else Path(options.data).name,
        notes=[_columns(read.names, options.positive), *read.notes],
    )
    with new_file(options.output, force=options.force) as file:
        file.write(found.to_json() + "\n" if options.json else found.to_html())
    note(options, found.verdict.sentence)
    return 0


def compare(options) -> int:
    """Cross-validate calibrators, and recommend one if that is safe; returns the exit code."""
    if options.group is not None:
        raise InputError(
            "compare has no groups: name a column of patients, accounts or the like, whose rows "
            "stay in one fold, with --cluster; calib report judges groups, with --group"
        )
    read = _parted(_read(options))
    _check_folds(read)
    comparison = calib.compare(
        read.scores,
        read.labels,
        sample_weight=read.weights,
        clusters=read.clusters,
        cv=FOLDS,
        loss=options.loss,
        verbose=int(options.progress),
    )
    print(_json(comparison, read.notes) if options.json else comparison)
    return 0


def fit(options) -> int:
    """Learn a map and write it as JSON; returns the exit code."""
    check_new(options.output, force=options.force)
    calibrator = _calibrator(METHODS[options.method], options.parameter)
    read = _read(options)
    calibrator.fit(read.scores, read.labels, sample_weight=read.weights)
    fitted_to = FittedTo(
        file=Path(options.data).name,
        score=read.names["score"],
        label=read.names["label"],
        positive=options.positive,
        rows=read.scores.size,
        positives=int(read.labels.sum()),
        total_weight=None if read.weights is None else float(read.weights.sum()),
        lowest_score=float(read.scores.min()),
        highest_score=float(read.scores.max()),
    )
    method, package = type(calibrator).__name__, f"calib {calib.__version__}"
    stored = StoredMap(calibrator.map_, method, calibrator.get_params(), fitted_to, package)
    with new_file(options.output, force=options.force) as file:
        file.write(stored.dumps())
    return 0


def _read(options) -> Scores:
    """All rows that the options ask for; what was done to them is said on standard error."""
    with Progress(options.progress) as progress:
        read = read_scores(
            options.data, form=format_of(options), progress=progress, **columns_of(options)
        )
    for sentence in read.notes:
        note(options, sentence)
    return read


def _parted(read):
    """Rows that weights count, one by one: copies may come into different folds, as rows do."""
    weights = read.weights
    if weights is None or read.clusters is not None or np.any(weights % 1):
        return read
    pieces = np.ceil(weights / max(1.0, weights.sum() / MOST_COPIES)).astype(np.int64)
    scores, labels = np.repeat(read.scores, pieces), np.repeat(read.labels, pieces)
    parts = None if np.array_equal(pieces, weights) else np.repeat(weights / pieces, pieces)
    return replace(read, scores=scores, labels=labels, weights=parts)


def _check_folds(read):
    """Raise if a fold would lack a class, or a cluster."""
    counted = np.ones(read.labels.size, bool) if read.weights is None else read.weights > 0
    for label in (0, 1):
        rows = (read.labels == label) & counted
        found, what = np.count_nonzero(rows), "rows"
        if read.clusters is not None:
            found, what = len(set(read.clusters[rows])), f"clusters ({read.names['cluster']!r})"
        if found < FOLDS:
            raise InputError(
                f"{found} {what} with a label of class {label} are too few for the {FOLDS} folds "
                "of a comparison: collect more"
            )


def _columns(names, positive):
    """What was read from where."""
    found = ", ".join(f"{role} from {name!r}" for role, name in names.items())
    return f"Columns: {found}." + (f" Positive: {positive!r}." if positive is not None else "")


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
