"""For printed numbers the rows of a recorded file whose plain mean is our number.

So our numbers can be checked with any program that reads CSV files, and without our code. What is
no plain mean has no pointer: ranks, ends of intervals, counts and lifts.
"""

from typing import NamedTuple

from experiments.durfee2022.tables import NAMES, best_variants
from experiments.naeini2014.tables import METHODS as METHODS_14
from experiments.naeini2016.tables import METHODS as METHODS_16
from experiments.vovk2014.classifiers import FIRST, VARIANTS
from experiments.vovk2014.data import DATASETS

SVMS = {"a": "linear", "b": "quadratic"}
CLASSIFIERS = {"a": "LR", "b": "NB", "c": "SVM"}
LOSSES = {"table1": "log_loss", "table2": "RMSE"}
PROGRAM = "naeini2014_rings_program"


class Pointer(NamedTuple):
    """The rows of a recorded file whose mean is our number.

    Attributes
    ----------
    file : str
        Name of the experiment.
    column : str
        Whose mean is taken.
    rows : tuple of dict
        Values by column; a row counts if it has all values of one of them.
    """

    file: str
    column: str
    rows: tuple


def pointer(entry, read):
    """The `Pointer` of an entry of the ledger, or None where our number is no plain mean."""
    found = {
        "naeini2014": _naeini2014,
        "naeini2016": _naeini2016,
        "vovk2014": _vovk2014,
        "durfee2022": _durfee2022,
    }[entry.paper](entry, read)
    return found and Pointer(*found)


def _naeini2014(entry, read):
    number, part = entry.table[-2:]
    if number == "3":
        method = {CLASSIFIERS[part]: "Raw"} | METHODS_14
        where = {"classifier": CLASSIFIERS[part], "scored": "same", "ties": "group"}
        column = "profit" if entry.column == "Profit" else entry.column
        return "naeini2014_kdd98", column, (where | {"method": method[entry.row]},)
    if number == "1":
        method = ({"SVM": "Raw"} | METHODS_14)[entry.row]
        return _rings("naeini2014_rings", part, "group", method, entry.column)
    raw = entry.row == "base"
    if part == "b":
        chosen = {"classes": "halves", "method": "raw" if raw else "cube_root"}
        file = PROGRAM
    else:
        chosen = {"svm": SVMS[part], "n_bins": "raw" if raw else "cube_root"}
        file = "naeini2014_calibration_size"
    size = {} if raw else {"size": str(10 ** int(entry.row[2:]))}
    return file, entry.column, ({"ties": "group"} | chosen | size,)


def _naeini2016(entry, read):
    if not entry.table.startswith("table1"):
        return None
    method = ({"SVM": "Raw"} | METHODS_16)[entry.row]
    return _rings("naeini2016_rings", entry.table[-1], "width", method, entry.column)


def _rings(file, part, ties, method, column):
    where = {"method": method, "ties": ties}
    if part == "b":
        return PROGRAM, column, (where | {"size": "0", "classes": "halves"},)
    return file, column, (where | {"svm": SVMS[part]},)


def _vovk2014(entry, read):
    if entry.table not in LOSSES:
        return None
    classifier, short = entry.row.split(" / ")
    dataset = next(name for name, own in DATASETS.items() if own == short)
    way = FIRST.get(classifier, classifier)
    if way in VARIANTS and dataset not in VARIANTS[way].datasets:
        way = classifier
    where = {"dataset": dataset, "classifier": way, "method": entry.column}
    file = "vovk2014_full" if entry.column == "VA" else "vovk2014_splits"
    return file, LOSSES[entry.table], (where,)


def _durfee2022(entry, read):
    if entry.column not in ["network", "heterogeneous"]:
        return None
    size, selection, name = entry.row.split(" / ")
    dataset = next(key for key, own in NAMES.items() if own == name)
    where = {"dataset": dataset, "inputs": "standardised", "size": size, "method": entry.column}
    chosen = best_variants(read, dataset, size, "standardised", selection)
    keys = "regularisation", "learning_rate"
    rows = tuple(where | dict(zip(keys, [name, f"{rate:g}"], strict=True)) for name, rate in chosen)
    return "durfee2022_lift", "AUC", rows
