"""The five data sets of Durfee, Gupta and Basu (2022): features, and the four parts of a run."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
import pandas as pd

from calibkit.datasets import load

SEED = 2022
PARTS = ["training", "validation", "calibration", "test"]


class Protocol(NamedTuple):
    """How the paper prepares a data set (section 14.1) and how many rows each part has (Table 4).

    `embedded` columns get a learnt vector in the networks, other categories an indicator column;
    integer codes of categories are listed in `coded`. `held_out` is the value of the extra column
    ``split`` whose rows make up the calibration and the test part, where the sizes say so.
    `positive` is an extra column and its value in the positives, where these are not those of the
    data set `source`, which is by default the one of the same name.
    """

    sizes: tuple
    dropped: tuple = ()
    embedded: tuple = ()
    coded: tuple = ()
    held_out: str | None = None
    positive: tuple = ()
    source: str = ""


PROTOCOLS = {
    "bank_full": Protocol(
        (29387, 5322, 5222, 5222), dropped=("duration", "day"), embedded=("month", "job")
    ),
    "adult": Protocol(
        (26048, 6513, 8141, 8140),
        embedded=("education", "occupation", "native-country"),
        held_out="test",
    ),
    "credit_default": Protocol((16500, 4590, 4455, 4455), coded=("SEX", "EDUCATION", "MARRIAGE")),
    "higgs": Protocol((35000, 5100, 4950, 4950)),
    "diabetes130": Protocol(
        (76324, 8650, 8396, 8396),
        dropped=("payer_code", "weight", "max_glu_serum", "A1Cresult"),
        embedded=(
            "medical_specialty",
            "discharge_disposition_id",
            "admission_source_id",
            "diag_1",
            "diag_2",
            "diag_3",
        ),
    ),
}
# stays in hospital after which the patient was back within 30 days, not those after which at all
EARLY = "diabetes130 early"
_ALL = PROTOCOLS | {
    EARLY: PROTOCOLS["diabetes130"]._replace(positive=("readmitted", "<30"), source="diabetes130")
}


class Features(NamedTuple):
    """A data set in numbers.

    Attributes
    ----------
    names : list of str
        Of the columns of `dense`, then of those of `codes`.
    dense : ndarray of shape (n, n_dense), float32
        Numbers as they are, in the first `n_numbers` columns, then indicators of categories.
    n_numbers : int
    codes : ndarray of shape (n, n_embedded), int64
        Categories of the embedded columns, 0, 1, ... in the order of their names; a missing value
        is a category of its own.
    n_codes : list of int
        Number of categories of each embedded column.
    labels : ndarray of shape (n,), int8
    held_out : ndarray of shape (n,), bool
        Rows from which the calibration and the test part are drawn; no row where they are drawn
        from all.
    """

    names: list
    dense: np.ndarray
    n_numbers: int
    codes: np.ndarray
    n_codes: list
    labels: np.ndarray
    held_out: np.ndarray

    @property
    def table(self):
        """Columns for a decision tree: numbers, indicators and codes, by their names."""
        return pd.DataFrame(np.hstack([self.dense, self.codes]), columns=self.names)


@lru_cache(maxsize=1)
def features(dataset):
    """Read a data set and turn it into numbers as section 14.1 says; the last one is kept."""
    protocol = _ALL[dataset]
    X, labels, extras = load(protocol.source or dataset, return_extras=True)
    held_out = np.zeros(len(labels), dtype=bool)
    if protocol.held_out is not None:
        held_out = (extras["split"] == protocol.held_out).to_numpy()
    if protocol.positive:
        column, value = protocol.positive
        labels = (extras[column] == value).to_numpy().astype(np.int8)
    return encode(X.drop(columns=list(protocol.dropped)), labels, protocol, held_out)


def encode(X, labels, protocol, held_out):
    """Numbers, indicators and codes of the columns of `X`."""
    X = X.astype({name: "category" for name in [*protocol.coded, *protocol.embedded]})
    numbers = X.select_dtypes("number")
    one_hot = X.columns.difference([*numbers, *protocol.embedded], sort=False)
    indicators = {
        f"{name}={value or 'missing'}": _names(X[name]) == value
        for name in one_hot
        for value in np.unique(_names(X[name]))
    }
    embedded = [np.unique(_names(X[name]), return_inverse=True) for name in protocol.embedded]
    return Features(
        names=[*numbers, *indicators, *protocol.embedded],
        dense=np.column_stack([numbers, *indicators.values()]).astype(np.float32),
        n_numbers=numbers.shape[1],
        codes=np.array([codes for _, codes in embedded], dtype=np.int64).reshape(-1, len(X)).T,
        n_codes=[len(names) for names, _ in embedded],
        labels=np.asarray(labels),
        held_out=held_out,
    )


def _names(column):
    """Categories of a column as strings, empty where missing."""
    return column.astype(str).where(column.notna(), "").to_numpy(dtype=str)


def split(dataset, run, labels, held_out, *, at_most=None):
    """Rows of the four parts in one run, by the name of the part.

    Every run draws its own parts, with the share of positives of the whole in each. The split
    depends on the seed, the data set and the run alone; `at_most` cuts the training part short.
    """
    protocol = _ALL[dataset]
    rng = np.random.default_rng([SEED, list(_ALL).index(dataset), run])
    if protocol.held_out is None:
        parts = _draw(rng, np.arange(len(labels)), labels, protocol.sizes)
    else:
        parts = _draw(rng, np.flatnonzero(~held_out), labels, protocol.sizes[:2])
        parts += _draw(rng, np.flatnonzero(held_out), labels, protocol.sizes[2:])
    parts[0] = parts[0][:at_most]
    return dict(zip(PARTS, parts, strict=True))


def _draw(rng, rows, labels, sizes):
    """Disjoint parts of `rows` of the given sizes, in random order, stratified by the label."""
    shares = np.empty(len(rows))
    for label in (0, 1):
        own = np.flatnonzero(labels[rows] == label)
        shares[rng.permutation(own)] = (np.arange(len(own)) + rng.random()) / len(own)
    # sorted by their shares the rows alternate between the classes in proportion
    ordered = rows[np.argsort(shares, kind="stable")]
    return [rng.permutation(part) for part in np.split(ordered, np.cumsum(sizes))[: len(sizes)]]
