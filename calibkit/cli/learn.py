"""``calib report``, ``compare`` and ``fit``: the commands that need all rows of a table at once."""

import json
import math
import shlex
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import calib
import calibkit
from calib.base.protocol import needs_unit_scores
from calibkit.cli.arguments import CLASSES_OF_METHODS, columns_of, format_of
from calibkit.cli.output import Progress, check_new, new_file, note
from calibkit.cli.read import Scores, read_scores
from calibkit.cli.remarks import on_map, on_scores
from calibkit.cli.tables import InputError
from calibkit.deployment.stored_maps import FittedTo, StoredMap
from calibkit.report.make import before_fitting

FOLDS_OF_COMPARISON = 5  # folds of a repeat
METHOD_WORDS = (
    "calib fit --method takes these names in small letters, such as venn_abers, and platt with "
    "--parameter scale=logit for Platt on logits."
)


def run_report(options) -> int:
    """Judge the scores, on one page; return the exit code."""
    if options.output is None and not options.clinical:
        raise InputError("name a file for the page with -o, or - for standard output")
    if options.output is not None:
        check_new(options.output, force=options.force)
    read = _read(options)
    made = calibkit.report.make_report(
        read.scores,
        _labels(read),
        sample_weight=read.weights,
        groups=read.groups,
        clusters=read.clusters,
        thresholds=options.threshold,
        max_error=options.max_error,
        clinical=options.clinical,
        name="standard input" if options.data == "-" else Path(options.data).name,
        notes=[_columns(read.names, options.positive), *read.notes],
        command=fit_command(options),
    )
    if options.output is not None:
        with new_file(options.output, force=options.force) as file:
            file.write(made.to_json() + "\n" if options.json else made.to_html())
    if options.clinical and options.output != "-":
        print(made.clinical_text())
    note(options, made.verdict.sentence)
    note(options, made.advice[0])
    return 0


def run_compare(options) -> int:
    """Cross-validate calibrators, and print their gains. Return the exit code."""
    if options.group is not None:
        raise InputError(
            "compare has no groups: name a column of patients, accounts or the like, whose rows "
            "stay in one fold, with --cluster; calib report judges groups, with --group"
        )
    read = _read(options)
    for words in on_scores(read):
        note(options, f"warning: {words}")
    _check_folds(read)
    comparison = calibkit.comparison.compare(
        read.scores,
        _labels(read),
        sample_weight=read.weights,
        clusters=read.clusters,
        cv=FOLDS_OF_COMPARISON,
        loss=options.loss,
        verbose=int(options.progress),
    )
    withheld, questions = before_fitting(read.scores, _labels(read), read.weights, read.clusters)
    if withheld:
        comparison = replace(comparison, chosen=None, recommendation=" ".join(withheld))
    if questions:
        advice = " ".join([*questions, comparison.recommendation])
        comparison = replace(comparison, recommendation=advice)
    print(_json(comparison, read.notes) if options.json else comparison)
    if not options.json:
        print(METHOD_WORDS)
    return 0


def run_fit(options) -> int:
    """Learn a map and write it as JSON; return the exit code."""
    check_new(options.output, force=options.force)
    calibrator = calibrator_of(options)
    is_stacked = isinstance(calibrator, calib.StackedCalibrator)
    if options.cluster is not None and not is_stacked:
        raise InputError(
            "--cluster keeps the rows of a cluster in one fold, but --method "
            f"{options.method} splits no folds and needs none: leave it out"
        )
    read = _read(options, **_demands(calibrator))
    labels = _labels(read)
    for words in on_scores(read, is_ranked=not is_stacked):  # stacking warns of reversed scores
        note(options, f"warning: {words}")
    calibrator.fit(read.scores, labels, sample_weight=read.weights, groups=read.clusters)
    fitted_to = FittedTo(
        file=Path(options.data).name,
        score=read.names["score"],
        label=read.names["label"],
        positive=options.positive,
        rows=read.scores.size,
        positives=int(labels.sum()),
        total_weight=None if read.weights is None else float(read.weights.sum()),
        lowest_score=float(read.scores.min()),
        highest_score=float(read.scores.max()),
    )
    stored = StoredMap(
        map_=calibrator.map_,
        method=type(calibrator).__name__,
        parameters=calibrator.get_params(),
        fitted_to=fitted_to,
        package=f"calib {calib.__version__}",
    )
    with new_file(options.output, force=options.force) as file:
        file.write(stored.dumps())
    for words in on_map(calibrator.map_, read, labels, options.method):
        note(options, f"warning: {words}")
    return 0


def _demands(calibrator):
    """The conditions of a calibrator on scores, as arguments of `Columns`."""
    if not needs_unit_scores(calibrator):
        return {}
    scale = "for margins and logits pass --parameter scale=score"
    others = (
        "for margins take --method platt, for logits --method temperature --parameter scale=score"
    )
    return {"unit": True, "for_margins": scale if hasattr(calibrator, "scale") else others}


def _read(options, **demands) -> Scores:
    """Read all rows that the options ask for, and print the changes made to them."""
    asked = columns_of(options) | demands
    with Progress(options.progress) as progress:
        read = read_scores(options.data, form=format_of(options), progress=progress, **asked)
    for sentence in read.notes:
        note(options, sentence)
    return read


def _labels(read: Scores) -> NDArray[np.uint8]:
    """Return the labels, which every command here asks for."""
    assert read.labels is not None
    return read.labels


def _check_folds(read):
    """Raise if a fold would lack a class, or a cluster."""
    weights = np.ones(read.labels.size) if read.weights is None else read.weights
    counts = np.sign(weights) if np.any(weights % 1) else weights
    for label in (0, 1):
        rows = (read.labels == label) & (weights > 0)
        if read.clusters is None:
            number = int(counts[rows].sum())
            unit = "rows"
        else:
            number = len(set(read.clusters[rows]))
            unit = f"clusters ({read.names['cluster']!r})"
        if number < FOLDS_OF_COMPARISON:
            raise InputError(
                f"{number} {unit} with a label of class {label} are too few for the "
                f"{FOLDS_OF_COMPARISON} folds of a comparison: collect more"
            )


def fit_command(options) -> str:
    """The command that fits the default to the rows that these options of a command read.

    It names the file without its folder, because a report is passed on.
    """
    flags = [
        ("--score", options.score),
        ("--label", options.label),
        ("--positive", options.positive),
        ("--weight", options.weight),
        ("--cluster", options.cluster),
        ("--separator", options.separator if options.separator != "," else None),
        ("--decimal", options.decimal if options.decimal != "." else None),
        ("--encoding", options.encoding if options.encoding != "utf-8" else None),
    ]
    words = ["calib", "fit", Path(options.data).name]
    words += [word for flag, value in flags if value is not None for word in (flag, value)]
    words += ["--no-header"] if options.no_header else []
    words += ["--drop-missing"] if options.drop_missing else []
    return shlex.join([*words, "-o", "map.json"])


def _columns(names, positive):
    """Return a sentence that names the columns."""
    sources = ", ".join(f"{role} from {name!r}" for role, name in names.items())
    return f"Columns: {sources}." + (f" Positive: {positive!r}." if positive is not None else "")


def _json(comparison, notes):
    """Return the comparison as JSON, which has no infinity and no NaN: null stands for both."""
    table = [
        {name: _json_number(value) for name, value in row.items() if name != "seconds"}
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


def _json_number(value):
    return None if isinstance(value, float) and not math.isfinite(value) else value


def calibrator_of(options):
    """Make the calibrator of ``--method`` with the arguments of ``--parameter NAME=VALUE``."""
    name = CLASSES_OF_METHODS[options.method]
    room = calib if hasattr(calib, name) else calibkit.comparison
    calibrator_class = getattr(room, name)
    known = calibrator_class().get_params()
    parameters = {}
    for setting in options.parameter:
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
    return calibrator_class(**parameters)
