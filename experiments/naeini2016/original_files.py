"""The three data sets of Naeini and Cooper (2016) that are not at hand, from their original files.

Whoever has the files puts them into the folder that ``CALIB_DATA`` names.
"""

import functools
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.datasets import load_svmlight_file

from calibkit.datasets import DatasetNotFound
from experiments.naeini2016.data import CLASSIFIERS, encode
from experiments.naeini2016.protocol import SEED, compare
from experiments.recording import Experiment


@dataclass(frozen=True)
class OriginalFile:
    """A file as it is published.

    Attributes
    ----------
    name : str
        Of the file.
    source : str
        Where it is published.
    rows, features : int
        What it must hold.
    read : callable
        From its path and the number of features to a data frame and the labels, as strings.
    positive : str
        The label of class 1.
    negative : str
    """

    name: str
    source: str
    rows: int
    features: int
    read: Callable
    positive: str
    negative: str


def _separated(path, n_features, *, separator, label, n_names=0):
    """A file of fields without a header; "?" is unknown.

    `label` is the place of the class; the first `n_names` fields say which row it is.
    """
    table = pd.read_csv(path, sep=separator, header=None, dtype=str, skipinitialspace=True)
    table = table.apply(lambda column: column.str.strip())
    labels = table.pop(table.columns[label])
    table = table.iloc[:, n_names:]
    if table.shape[1] != n_features:
        raise ValueError(
            f"{path.name} has {table.shape[1]} attributes but {n_features} were expected: the file "
            "is damaged or not the original, fetch it again"
        )
    numbers = table.replace("?", np.nan).apply(pd.to_numeric, errors="coerce")
    wrong = numbers.isna() & ~table.isin(["?"])
    if wrong.to_numpy().any():
        row, column = np.argwhere(wrong.to_numpy())[0]
        raise ValueError(
            f"{path.name}, line {row + 1}: {table.iat[row, column]!r} is not a number; the file is "
            "damaged, fetch it again"
        )
    return numbers, labels.to_numpy(str)


def _svmlight(path, n_features):
    """A file of LIBSVM; what is not named in a row is zero."""
    X, labels = load_svmlight_file(str(path), n_features=n_features)
    return pd.DataFrame(X.toarray()), np.char.mod("%d", labels)


FILES = {  # by the paper's names
    "ad": OriginalFile(
        "ad.data",
        "the UCI repository, Internet Advertisements",
        3279,
        1558,
        functools.partial(_separated, separator=",", label=-1),
        "ad.",
        "nonad.",
    ),
    "gisette scale": OriginalFile(
        "gisette_scale",
        "the LIBSVM data page, unpacked",
        6000,
        5000,
        _svmlight,
        "1",
        "-1",
    ),
    "protein homology": OriginalFile(
        "bio_train.dat",
        "KDD Cup 2004",
        145_751,
        74,
        functools.partial(_separated, separator="\t", label=2, n_names=2),
        "1",
        "0",
    ),
}


def read_original(paper_name, folder):
    """Columns and labels of one of the three sets.

    Parameters
    ----------
    paper_name : str
        A key of `FILES`.
    folder : path
        Holds the file.

    Returns
    -------
    table : DataFrame
    labels : ndarray of int8

    Raises
    ------
    DatasetNotFound
        If the file is not there.
    ValueError
        If it has another number of rows or attributes than the published one, a number that is
        none, or another label. The message names the file.
    """
    about = FILES[paper_name]
    path = Path(folder) / about.name
    if not path.exists():
        raise DatasetNotFound(
            f"the original file {about.name} is not found: get it from {about.source} and put it "
            "into the folder that the environment variable CALIB_DATA names"
        )
    table, classes = about.read(path, about.features)
    known = np.isin(classes, [about.positive, about.negative])
    if not known.all():
        raise ValueError(
            f"{about.name}, line {np.argmin(known) + 1}: the class {classes[~known][0]!r} is "
            f"neither {about.positive!r} nor {about.negative!r}: the file is damaged, fetch it "
            "again"
        )
    labels = (classes == about.positive).astype(np.int8)
    if labels.size != about.rows:
        raise ValueError(
            f"{about.name} has {labels.size} rows but {about.rows} were expected: the file is not "
            "complete or not the original, fetch it again"
        )
    return table, labels


def _folder():
    return os.environ.get("CALIB_DATA") or "."


@functools.lru_cache(maxsize=1)
def _encoded(paper_name):
    return encode(*read_original(paper_name, _folder()))


def run_original(case):
    """One run of one classifier on one of the three sets: rows as in the study."""
    seed = int(np.random.SeedSequence([SEED, *case["dataset"].encode()]).generate_state(1)[0])
    return compare(_encoded(case["dataset"]), case["classifier"], seed)


def _cases():
    """Of the sets whose files are there, or DatasetNotFound, before anything is written."""
    there = [name for name, about in FILES.items() if (Path(_folder()) / about.name).exists()]
    if not there:
        read_original("ad", _folder())
    return [{"dataset": name, "classifier": one} for name in there for one in CLASSIFIERS]


ORIGINAL_FILES = Experiment(
    name="naeini2016_original_files",
    title="Tables II to VI of Naeini and Cooper (2016) on the sets that are not at hand",
    seed=SEED,
    cases=_cases,
    run_case=run_original,
    deviations=("One run of ten-fold cross validation; the rest as in naeini2016_data_sets.",),
)
