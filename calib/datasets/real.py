"""Real data sets: Parquet files in a folder, or OpenML."""

import difflib
import hashlib
import io
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from pandas import DataFrame


class DatasetNotFound(LookupError):
    """A data set is neither in the folder of data files nor to be had from OpenML."""


class _OpenML(NamedTuple):
    data_id: int
    positive: str  # the label that is class 1
    rows: int
    features: int
    positives: int | None = None
    target: str = "default-target"


# Sizes as published, to compare what OpenML returns with; its higgs is a larger sample than ours.
_OPENML = {
    "adult": _OpenML(1590, ">50K", 48842, 14, 11687),
    "australian": _OpenML(40981, "1", 690, 14, 307),
    "bank_full": _OpenML(1461, "2", 45211, 16, 5289),
    "breast_cancer_ljubljana": _OpenML(13, "recurrence-events", 286, 9, 85),
    "breast_wisconsin": _OpenML(15, "malignant", 699, 9, 241),
    "credit_default": _OpenML(42477, "1", 30000, 23, 6636),
    "diabetes": _OpenML(37, "tested_positive", 768, 8, 268),
    "hepatitis": _OpenML(55, "DIE", 155, 19, 32),
    "higgs": _OpenML(23512, "1", 98050, 28),
    "liver_disorders": _OpenML(8, "1", 345, 6, 145, target="selector"),
    "thyroid_sick": _OpenML(38, "sick", 3772, 29, 231),
}


@overload
def load(
    name: str, *, return_extras: Literal[False] = False
) -> "tuple[DataFrame, NDArray[np.int8]]": ...


@overload
def load(
    name: str, *, return_extras: Literal[True]
) -> "tuple[DataFrame, NDArray[np.int8], DataFrame]": ...


def load(name: str, *, return_extras: bool = False) -> tuple:
    """Load a real data set by name.

    It is looked for in the folder that the environment variable ``CALIB_DATA`` names, as
    ``<name>.parquet`` with the label in the column ``target`` and its SHA-256 in
    ``manifest.json``; then on OpenML, through scikit-learn's `fetch_openml` and its cache.

    Parameters
    ----------
    name : str
        One of `available`.
    return_extras : bool, default=False
        Also return the columns that are no features (identifiers, outcomes, split markers; the
        manifest calls them ``extra_columns``). Only the files have them: OpenML is not asked.

    Returns
    -------
    X : DataFrame of shape (n, n_features)
        Features, missing values and categories as in the source. OpenML may name and code them
        in another way than the files do.
    y : ndarray of shape (n,), int8
        1 for the class of interest, else 0.
    extras : DataFrame of shape (n, n_extras)
        Only with `return_extras`.

    Raises
    ------
    DatasetNotFound
        If neither source has the set. The message tells the ways to get it.
    ValueError
        If there is a file, but damaged, incomplete or not in the manifest; if OpenML's set has
        other sizes than the published one; or if ``CALIB_DATA`` names no folder.
    ImportError
        If pandas or pyarrow is not installed.

    Examples
    --------
    >>> from calib.datasets import DatasetNotFound, load
    >>> try:
    ...     X, y = load("hepatitus")
    ... except DatasetNotFound as error:
    ...     print(str(error).split(":")[0])
    no data set 'hepatitus' (did you mean 'hepatitis'?)
    """
    folder = _folder()
    if folder is not None and (folder / f"{name}.parquet").is_file():
        X, y, extras = _from_folder(folder, name)
        return (X, y, extras) if return_extras else (X, y)
    if name not in _OPENML:
        similar = difflib.get_close_matches(str(name), available(), n=3)
        hint = f" (did you mean {' or '.join(map(repr, similar))}?)" if similar else ""
        raise DatasetNotFound(
            f"no data set {name!r}{hint}: {_file_remedy(name)}, or load one of those that OpenML "
            f"has: {', '.join(_OPENML)}"
        )
    if return_extras:
        raise DatasetNotFound(f"OpenML has no extra columns of {name!r}: {_file_remedy(name)}")
    return _from_openml(name)


def available() -> dict[str, str]:
    """Names that `load` knows, and where it would take each from.

    Returns
    -------
    origins : dict of str to str
        The file or the OpenML page of each data set, sorted by name. Nothing is read or fetched.

    Examples
    --------
    >>> from calib.datasets import available
    >>> "diabetes" in available()
    True
    """
    origins = {n: f"https://www.openml.org/d/{s.data_id}" for n, s in _OPENML.items()}
    folder = _folder()
    if folder is not None:
        origins |= {path.stem: str(path) for path in folder.glob("*.parquet")}
    return dict(sorted(origins.items()))


def _folder():
    setting = os.environ.get("CALIB_DATA")
    if not setting:
        return None
    folder = Path(setting).expanduser()
    if not folder.is_dir():
        raise ValueError(
            f"the environment variable CALIB_DATA is {setting!r}, which is no folder: correct it "
            "or unset it to use OpenML alone"
        )
    return folder


def _from_folder(folder, name):
    path = folder / f"{name}.parquet"
    entry = _manifest_entry(folder / "manifest.json", name)
    content = path.read_bytes()
    checksum = hashlib.sha256(content).hexdigest()
    if checksum != entry.get("parquet_sha256"):
        raise ValueError(
            f"{path} has SHA-256 {checksum}, but manifest.json beside it says "
            f"{entry.get('parquet_sha256')}: copy the file, or both, anew"
        )
    pandas = _pandas()
    try:
        frame = pandas.read_parquet(io.BytesIO(content))
    except (ValueError, OSError) as error:  # pyarrow's errors are of these kinds
        raise ValueError(
            f"{path} is no readable Parquet file ({error}): copy or write it anew"
        ) from error
    extra_columns = entry.get("extra_columns", [])
    missing = {"target", *extra_columns} - set(frame.columns)
    if missing:
        raise ValueError(
            f"{path} lacks the columns {sorted(missing)}: write it again with them, the 0/1 label "
            "as 'target'"
        )
    target = frame.pop("target")
    if not target.isin([0, 1]).all():
        raise ValueError(f"{path} has values other than 0 and 1 in 'target': recode them")
    X, y = frame.drop(columns=extra_columns), target.to_numpy(np.int8, copy=True)
    return X, y, frame[extra_columns]


def _manifest_entry(path, name):
    remedy = "copy it together with the data files, or write it anew"
    try:
        return json.loads(path.read_text(encoding="utf-8"))["datasets"][name]
    except FileNotFoundError:
        finding = f"{path} is missing"
    except json.JSONDecodeError as error:
        finding = f"{path} is no valid JSON ({error})"
    except (KeyError, TypeError):
        finding = f"{path} has no entry datasets/{name}"
    raise ValueError(f"{finding}, so {name}.parquet cannot be checked: {remedy}")


def _from_openml(name):
    source = _OPENML[name]
    _pandas()
    from sklearn.datasets import fetch_openml

    try:
        which = {"data_id": source.data_id, "target_column": source.target}
        bunch = fetch_openml(**which, as_frame=True, parser="auto")
    except OSError as error:  # URLError, HTTPError and time-outs are OSErrors
        raise DatasetNotFound(
            f"OpenML did not deliver {name!r} ({error}): {_file_remedy(name)}, or try again with "
            f"access to https://www.openml.org/d/{source.data_id}"
        ) from error
    y = (bunch.target.astype(str) == source.positive).to_numpy(np.int8)
    labelled = int(bunch.target.count())  # a missing label must not pass for class 0
    found = (labelled, bunch.data.shape[1], int(y.sum()))
    expected = (source.rows, source.features, source.positives or found[2])
    if found != expected or not 0 < found[2] < source.rows:
        raise ValueError(
            f"data set {source.data_id} of OpenML has (labelled rows, features, positives) = "
            f"{found} where {name!r} has {expected}: clear scikit-learn's data home or use a file "
            "in CALIB_DATA"
        )
    return bunch.data, y


def _file_remedy(name):
    setting = os.environ.get("CALIB_DATA")
    state = f"{setting!r}, without this file" if setting else "not set"
    return (
        f"set the environment variable CALIB_DATA (now {state}) to a folder with {name}.parquet "
        "and manifest.json"
    )


def _pandas():
    try:
        import pandas
        import pyarrow  # noqa: F401  pandas reads Parquet with it
    except ImportError as error:
        raise ImportError(
            f"real data sets need pandas and pyarrow ({error}): pip install pandas pyarrow"
        ) from error
    return pandas
