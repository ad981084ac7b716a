"""The real data sets of the benchmark: which, how they are split, how they are encoded."""

import functools
import warnings
from typing import NamedTuple

import numpy as np
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from calibkit.datasets import load

SEED = 33
FEWEST_ROWS = 250
FEWEST_POSITIVES = 40
MOST_TRAINING = 4000  # rows
MOST_CALIBRATION = 2000  # rows
MOST_TEST = 10_000  # rows


class DataSet(NamedTuple):
    """A data set of the benchmark.

    Attributes
    ----------
    name : str
        For `calibkit.datasets.load`.
    rows, minority : int
        Sizes; `minority` counts the rows of the rarer class.
    source : str
        Where the rows come from: sets with one source are drawn together by the bootstrap.
    """

    name: str
    rows: int
    minority: int
    source: str

    @property
    def sizes(self):
        """Rows to train, to calibrate and to test on."""
        training = min(MOST_TRAINING, self.rows // 2)
        calibration = min(MOST_CALIBRATION, self.rows // 4)
        return training, calibration, min(MOST_TEST, self.rows - training - calibration)


_TABLE = """\
spect 267 55
heart_statlog 270 120
breast_cancer_ljubljana 286 85
liver_disorders 345 145
ionosphere 351 126
vote 435 168
balance_scale 625 49
australian 690 307
breast_wisconsin 699 241
diabetes 768 268
fourclass 862 307
german_numer 1000 300
svmguide3 1284 337
solar_flare_m0 1389 68
car_eval_34 1728 134 car
car_eval_4 1728 65 car
us_crime 1994 150
scene 2407 177
splice 3175 1527
thyroid_sick 3772 231
page_blocks 5473 560
satimage 6435 626
svmguide1 7089 3089
mushrooms 8124 3916
coil2000 9822 586
pendigits 10992 1055
mammography 11183 260
letter_am_nz 20000 9940 letter
letter_img 20000 734 letter
credit_default 30000 6636
bank_full 45211 5289
adult 48842 11687
w8a 49749 1479
ijcnn1_x11_x22 49990 4853
higgs 51013 24043
cod_rna 59535 19845
kdd98_learning 95412 4843
diabetes130 101766 46902
covtype_2vs4 286048 2747
"""  # name, rows, rows of the rarer class, and the source where several sets have one


def _sets(text):
    for line in text.splitlines():
        name, rows, minority, *source = line.split()
        yield DataSet(
            name=name,
            rows=int(rows),
            minority=int(minority),
            source=source[0] if source else name,
        )


DATA_SETS = list(_sets(_TABLE))
LEFT_OUT = {
    "w1a": "a part of w8a",
    "covtype_binary44": "the same positives as covtype_2vs4",
    "kdd98_pva97nk": "an extract of kdd98_learning",
    "leukemia_train": "a part of leukemia",
}
BY_NAME = {one.name: one for one in DATA_SETS}


class Sample(NamedTuple):
    """Encoded features and labels of some rows."""

    X: np.ndarray
    labels: np.ndarray


@functools.lru_cache(maxsize=1)  # the base models ask for the same one in turn
def split(name, number):
    """One split of a data set, stratified by the label: `Sample` to train, calibrate and test.

    Medians, means, and the vocabulary of categories are learnt from the training rows alone.
    """
    frame, labels = table(name)
    return encoded(frame, labels, split_rows(labels, BY_NAME[name].sizes, seed_of(name, number)))


def encoded(frame, labels, parts):
    """The `Sample` of each of the `parts`, which are numbers of rows; the first one trains."""
    encoder = _encoder(frame).fit(frame.iloc[parts[0]])
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Found unknown categories")  # they count as rare ones
        return [Sample(encoder.transform(frame.iloc[rows]), labels[rows]) for rows in parts]


def split_rows(labels, sizes, seed):
    """Numbers of the rows of disjoint samples of the given sizes, stratified by the label."""
    left = np.arange(labels.size)
    parts = []
    for k, size in enumerate(sizes):
        if size == left.size:
            rows = left
            left = left[:0]
        else:
            rows, left = train_test_split(
                left, train_size=size, stratify=labels[left], random_state=(seed + k) % 2**32
            )
        parts.append(rows)
    return parts


def seed_of(name, number):
    """Seed of a split, the same for every base model."""
    return int(np.random.SeedSequence([SEED, number, *name.encode()]).generate_state(1)[0])


@functools.lru_cache(maxsize=1)
def table(name):
    """Features, numbers as floats and everything else as strings, and labels."""
    frame, labels = load(name)
    for column in frame.columns:
        if _is_number(frame[column]):
            frame[column] = frame[column].astype(np.float64)
        else:
            words = frame[column].astype(object)
            frame[column] = words.where(words.notna(), "missing").astype(str).astype(object)
    return frame, labels


def _is_number(column):
    """Whether a column is one of numbers with more than two values."""
    return (
        isinstance(column.dtype, np.dtype) and column.dtype.kind in "iuf" and column.nunique() > 2
    )


def _encoder(frame):
    """Numbers: medians for what is missing, standardised. Categories: at most 20 indicators."""
    numbers = [name for name in frame.columns if frame[name].dtype == np.float64]
    words = [name for name in frame.columns if frame[name].dtype != np.float64]
    numeric = make_pipeline(
        SimpleImputer(strategy="median", keep_empty_features=True), StandardScaler()
    )
    indicators = OneHotEncoder(
        drop="if_binary",
        max_categories=20,
        handle_unknown="infrequent_if_exist",
        sparse_output=False,
    )
    return make_column_transformer((numeric, numbers), (indicators, words))
