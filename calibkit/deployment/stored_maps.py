"""Maps in files: JSON with the numbers of the map, the method, and the data of its fit."""

import json
from dataclasses import asdict, dataclass
from importlib import import_module
from os import PathLike
from typing import Self

from calib.base.arrays import check_scores
from calib.base.maps import CalibrationMap

import_module("calib.base.curve_maps")  # makes its kinds of maps known to `CalibrationMap`

MAP_FORMAT = "calib-map"
MAP_FORMAT_VERSION = 1  # version of the format in which a map is stored


@dataclass(frozen=True)
class FittedTo:
    """The data that a map was fitted to.

    Attributes
    ----------
    file : str
        Name of the file, without its folder.
    score, label : str
        Names of the columns.
    positive : str or None
        The value of the label that is class 1, or None for labels that are 0/1.
    rows, positives : int
        Numbers of rows and of positive rows, without those that were dropped.
    total_weight : float or None
        The sum of the weights, or None for rows without weights.
    lowest_score, highest_score : float
        Range of the scores.
    """

    file: str
    score: str
    label: str
    positive: str | None
    rows: int
    positives: int
    total_weight: float | None
    lowest_score: float
    highest_score: float


@dataclass(frozen=True, eq=False)
class StoredMap:
    """A map and its origin: the contents of a file of ``calib fit``.

    Attributes
    ----------
    map_ : CalibrationMap
    method : str
        Name of the class of the calibrator.
    parameters : dict
        Arguments of its constructor.
    fitted_to : FittedTo
    package : str
        Name and version of the package.
    """

    map_: CalibrationMap
    method: str
    parameters: dict
    fitted_to: FittedTo
    package: str

    def dumps(self) -> str:
        """The map as JSON."""
        document = {
            "format": MAP_FORMAT,
            "version": MAP_FORMAT_VERSION,
            "map": self.map_.to_dict(),
            "method": {"name": self.method, "parameters": self.parameters},
            "fitted_to": asdict(self.fitted_to),
            "package": self.package,
        }
        return json.dumps(document, indent=1, allow_nan=False, ensure_ascii=False) + "\n"

    @classmethod
    def loads(cls, text: str) -> Self:
        """The map that `dumps` has written.

        Raises
        ------
        ValueError
            If `text` is no such JSON. The message names the content of the file.
        """
        try:
            document = json.loads(text)
        except (ValueError, RecursionError):
            raise ValueError("it is no JSON: write it with calib fit") from None
        if not isinstance(document, dict) or document.get("format") != MAP_FORMAT:
            raise ValueError(f'it has no "format": "{MAP_FORMAT}": write it with calib fit')
        if document.get("version") != MAP_FORMAT_VERSION:
            raise ValueError(
                f"it has version {document.get('version')!r} of its format, and this package reads "
                f"version {MAP_FORMAT_VERSION}: take the package that wrote it "
                f"({document.get('package')!r})"
            )
        try:
            method = document["method"]
            fitted_to = FittedTo(**document["fitted_to"])
            for name in ("lowest_score", "highest_score"):
                check_scores([getattr(fitted_to, name)], name=name)
            map_ = CalibrationMap.from_dict(document["map"])
            package = document["package"]
            return cls(
                map_=map_,
                method=method["name"],
                parameters=method["parameters"],
                fitted_to=fitted_to,
                package=package,
            )
        except (KeyError, TypeError) as error:
            raise ValueError(f"an entry is missing or wrong ({error})") from None


def load_stored_map(path: str | PathLike) -> StoredMap:
    """The map of a file and its origin; errors are described in `load_map`."""
    try:
        with open(path, encoding="utf-8") as file:
            return StoredMap.loads(file.read())
    except ValueError as error:
        raise ValueError(f"{path} holds no map that can be read: {error}") from None


def load_map(path: str | PathLike) -> CalibrationMap:
    r"""The map in a file that ``calib fit`` wrote.

    Parameters
    ----------
    path : str or path
        The file: JSON in UTF-8, an object with the entries below.

        * ``"format"``: ``"calib-map"``, and ``"version"``: 1. Later versions of the package read
          this format. Its version changes only if the meaning of an entry changes.
        * ``"map"``: the result of `CalibrationMap.to_dict`, ``"kind"`` and the numbers of the map.
        * ``"method"``: ``"name"`` of the class and its ``"parameters"``.
        * ``"fitted_to"``: ``"file"`` (without its folder), the columns ``"score"`` and ``"label"``,
          ``"positive"`` (or null), ``"rows"``, ``"positives"``, ``"total_weight"`` (or null),
          ``"lowest_score"`` and ``"highest_score"``.
        * ``"package"``: name and version of the package that wrote it.

    Returns
    -------
    map_ : CalibrationMap
        Its probabilities are equal bit for bit to the probabilities of the fitted calibrator.

    Raises
    ------
    ValueError
        If the file holds no such map. The message names the content of the file.
    OSError
        If it cannot be read.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from calibkit.deployment import load_map
    >>> from calibkit.cli import main
    >>> with TemporaryDirectory() as folder:
    ...     data, stored = Path(folder, "scores.csv"), Path(folder, "map.json")
    ...     _ = data.write_text("prob,outcome\n0.2,0\n0.4,1\n0.6,0\n0.8,1\n")
    ...     command = ["fit", data, "--score", "prob", "--label", "outcome"]
    ...     command += ["--method", "isotonic", "-o", stored]
    ...     code = main([str(word) for word in command])
    ...     map_ = load_map(stored)
    >>> code, map_([0.1, 0.5, 0.9])
    (0, array([0. , 0.5, 1. ]))
    """
    return load_stored_map(path).map_
