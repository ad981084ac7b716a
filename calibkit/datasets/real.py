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
    """A data set is neither in the folder of data files nor available from OpenML."""


class _OpenML(NamedTuple):
    data_id: int
    positive: str  # label that becomes class 1
    rows: int
    features: int
    positives: int | None = None
    target: str = "default-target"


# Published sizes, to be compared with the reply of OpenML, whose higgs is a larger sample
# than the higgs of the data files.
_OPENML = {
    "adult": _OpenML(data_id=1590, positive=">50K", rows=48842, features=14, positives=11687),
    "australian": _OpenML(data_id=40981, positive="1", rows=690, features=14, positives=307),
    "bank_full": _OpenML(data_id=1461, positive="2", rows=45211, features=16, positives=5289),
    "breast_cancer_ljubljana": _OpenML(
        data_id=13, positive="recurrence-events", rows=286, features=9, positives=85
    ),
    "breast_wisconsin": _OpenML(
        data_id=15, positive="malignant", rows=699, features=9, positives=241
    ),
    "credit_default": _OpenML(data_id=42477, positive="1", rows=30000, features=23, positives=6636),
    "diabetes": _OpenML(
        data_id=37, positive="tested_positive", rows=768, features=8, positives=268
    ),
    "hepatitis": _OpenML(data_id=55, positive="DIE", rows=155, features=19, positives=32),
    "higgs": _OpenML(data_id=23512, positive="1", rows=98050, features=28),
    "liver_disorders": _OpenML(
        data_id=8, positive="1", rows=345, features=6, positives=145, target="selector"
    ),
    "thyroid_sick": _OpenML(data_id=38, positive="sick", rows=3772, features=29, positives=231),
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

    The first source is the folder that the environment variable ``CALIB_DATA`` names. In this
    folder ``<name>.parquet`` has the label in the column ``target``, and ``manifest.json`` has the
    SHA-256 of the file. The second source is OpenML, through scikit-learn's `fetch_openml` and its
    cache.

    Parameters
    ----------
    name : str
        One of `available`.
    return_extras : bool, default=False
        Also return the columns that are no features (identifiers, outcomes, split markers; the
        manifest calls them ``extra_columns``). Only the files have such columns, so OpenML is not
        asked.

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
    >>> from calibkit.datasets import DatasetNotFound, load
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
    >>> from calibkit.datasets import available
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
            f"{path} has SHA-256 {checksum}, but manifest.json next to it says "
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
    X = frame.drop(columns=extra_columns)
    y = target.to_numpy(np.int8, copy=True)
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
        bunch = fetch_openml(
            data_id=source.data_id, target_column=source.target, as_frame=True, parser="auto"
        )
    except OSError as error:  # URLError, HTTPError and time-outs are OSErrors
        raise DatasetNotFound(
            f"OpenML did not deliver {name!r} ({error}): {_file_remedy(name)}, or try again with "
            f"access to https://www.openml.org/d/{source.data_id}"
        ) from error
    y = (bunch.target.astype(str) == source.positive).to_numpy(np.int8)
    labelled = int(bunch.target.count())  # a missing label must not pass for class 0
    positives = int(y.sum())
    sizes = (labelled, bunch.data.shape[1], positives)
    expected = (source.rows, source.features, source.positives or positives)
    if sizes != expected or not 0 < positives < source.rows:
        raise ValueError(
            f"data set {source.data_id} of OpenML has (labelled rows, features, positives) = "
            f"{sizes} where {name!r} has {expected}: clear scikit-learn's data home or use a file "
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
