"""The nine data sets of Vovk and Petej (2014), as arrays, and their splits."""

import functools
from typing import NamedTuple

import numpy as np

from calibkit.datasets import load

SEED = 2014
DATASETS = {  # smallest first; as the paper abbreviates them
    "labor": "Labor",
    "echocardiogram": "Echo",
    "hepatitis": "Hepatitis",
    "breast_cancer_ljubljana": "Breast",
    "liver_disorders": "Liver",
    "ionosphere": "Ionosphere",
    "vote": "Vote",
    "australian": "Australian",
    "diabetes": "Diabetes",
}
NOMINAL = ["labor", "breast_cancer_ljubljana", "australian"]  # with more than two categories
CATEGORICAL = ["echocardiogram", "hepatitis", "vote", *NOMINAL]


class Sample(NamedTuple):
    """A data set as arrays; NaN where a value is missing.

    Attributes
    ----------
    columns : ndarray of shape (n, n_features)
        Numbers, or codes 0, 1, ... of categories.
    n_categories : tuple of int
        Number of categories of each column, 0 for numbers.
    numbers : ndarray of shape (n, n_features)
        As `columns`, but where all names of the categories of a column are numbers, these: UCI's
        files of Australian, Echocardiogram and Hepatitis hold numbers for categories.
    indicators : ndarray of shape (n, n_indicators)
        Numbers, and 0/1 for each category; one such column if there are two.
    y : ndarray of shape (n,)
    """

    columns: np.ndarray
    n_categories: tuple
    numbers: np.ndarray
    indicators: np.ndarray
    y: np.ndarray


@functools.cache
def sample(dataset):
    """A data set of the paper as arrays."""
    return arrays(*load(dataset))


def arrays(X, y):
    """A table of numbers and categories, and its labels, as arrays."""
    columns, n_categories, numbers, indicators = [], [], [], []
    for name in X:
        if X[name].dtype == "category":
            codes = X[name].cat.codes.to_numpy(np.float64)
            codes[codes < 0] = np.nan
            k = len(X[name].cat.categories)
            named = [1] if k == 2 else range(k)
            numbers.append(_as_numbers(X[name], codes))
            indicators += [np.where(np.isnan(codes), np.nan, codes == code) for code in named]
        else:
            codes, k = X[name].to_numpy(np.float64), 0
            numbers.append(codes)
            indicators.append(codes)
        columns.append(codes)
        n_categories.append(k)
    columns, numbers, indicators = map(np.column_stack, [columns, numbers, indicators])
    return Sample(columns, tuple(n_categories), numbers, indicators, y)


def _as_numbers(column, codes):
    """The names of the categories if they are numbers, else their codes."""
    try:
        return column.astype(np.float64).to_numpy()
    except ValueError:
        return codes


def split(dataset, number):
    """Rows to train on, two thirds of a random permutation, and rows to test on."""
    return split_of(sample(dataset).y.size, dataset, number)


def split_of(n, dataset, number):
    """As `split`, for another number of rows."""
    rng = np.random.default_rng([SEED, list(DATASETS).index(dataset), number])
    return np.split(rng.permutation(n), [2 * n // 3])
