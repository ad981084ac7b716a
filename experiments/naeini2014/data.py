"""People of the KDD-98 mailing: their attributes, their gifts, and one encoding for all models."""

import re
from typing import NamedTuple

import numpy as np
import pandas as pd
from sklearn.preprocessing import OneHotEncoder

from calibkit.datasets import load

RARE = 50  # training rows; classes with fewer are pooled
EXTRACT_ATTRIBUTES = (
    "STATE MAILCODE NOEXCH DOMAIN CLUSTER HOMEOWNR GENDER DATASRCE SOLIH VETERANS AGEFLAG PETS "
    "LIFESRC PEPSTRFL GEOCODE2 MDMAUD_R MDMAUD_F MDMAUD_A "
    "RFA_2 RFA_3 RFA_4 RFA_6 RFA_7 RFA_8 RFA_9 RFA_11 RFA_12 RFA_14 RFA_16 RFA_18"
).split()
_CODE_LENGTHS = {r"RFA_\d+": 3, "DOMAIN": 2}  # each letter or digit has a meaning of its own


class Mailing(NamedTuple):
    """People to whom the letter was sent, and what came back.

    Attributes
    ----------
    attributes : DataFrame
        Columns of floats (NaN: unknown) and of strings ("": unknown).
    gifts : ndarray of shape (n,)
        Dollars; 0 for those who did not respond.
    """

    attributes: pd.DataFrame
    gifts: np.ndarray

    def take(self, rows):
        """The people in `rows`."""
        return Mailing(self.attributes.iloc[rows], self.gifts[rows])


def learning_extract():
    """The learning file with the attributes at hand: 30 codes and classes, no numbers.

    Left out of the 36 columns are OSOURCE and ZIP (hundreds and thousands of classes), RFA_2R
    (constant), and MDMAUD, RFA_2F and RFA_2A (parts of other columns or made of them).
    """
    table, _, extras = load("kdd98_learning", return_extras=True)
    attributes = table[EXTRACT_ATTRIBUTES].astype(object).fillna("").astype(str)
    return Mailing(attributes, extras["TARGET_D"].to_numpy(np.float64))


class ClassEncoder:
    """From a table to a sparse 0/1 matrix: everything becomes classes.

    Codes are taken apart letter by letter; numbers are cut at the deciles of the training rows;
    what is unknown is a class; classes of fewer than 50 training rows, and new ones, are pooled.

    Examples
    --------
    >>> table = pd.DataFrame({"AGE": np.arange(1000.0), "DOMAIN": ["S1", "T2"] * 500})
    >>> ClassEncoder().fit(table).transform(table).shape
    (1000, 14)
    """

    def fit(self, table):
        """Learn the deciles and classes of the training rows."""
        self.cuts_ = {
            name: np.unique(np.quantile(values, np.arange(0.1, 1, 0.1)))
            for name in table
            if table[name].dtype.kind == "f" and (values := table[name].dropna()).size
        }
        self.one_hot_ = OneHotEncoder(min_frequency=RARE, handle_unknown="infrequent_if_exist")
        self.one_hot_.fit(self._classes(table))
        return self

    def transform(self, table):
        """CSR matrix, a row for each row of `table`."""
        return self.one_hot_.transform(self._classes(table)).tocsr()

    def _classes(self, table):
        columns = []
        for name in table:
            values = table[name]
            if name in self.cuts_:
                decile = np.searchsorted(self.cuts_[name], values, side="right")
                columns.append(np.where(values.isna(), -1, decile).astype(str))
            else:
                columns.extend(_letters(name, values.to_numpy(dtype=str)))
        return np.column_stack(columns).astype(object)


def _letters(name, values):
    """The columns of letters of a code, or the column itself."""
    for pattern, length in _CODE_LENGTHS.items():
        if re.fullmatch(pattern, name):
            return values.astype(f"U{length}").view("U1").reshape(-1, length).T
    return [values]
