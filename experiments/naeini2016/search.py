"""A search for real data on which near-isotonic regression helps, with a half that confirms.

Each data set is divided into two halves before anything is trained. The first is for searching;
whatever looks good there is tested on the second.
"""

import functools

import numpy as np
from scipy.special import expit
from sklearn.feature_selection import SelectKBest, f_classif
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from calib import ENIR, IsotonicCalibrator
from experiments.naeini2016 import data
from experiments.naeini2016.protocol import seed_of_run
from experiments.naeini2016.settings import scored_folds
from experiments.recording import Experiment, grid

MOST_ROWS = 10_000  # of a data set; of larger ones so many are drawn
HALVES = ["search", "confirmation"]
CLASSIFIERS = [*data.CLASSIFIERS, "one column"]
OTHERS = ["bank_full", "credit_default", "higgs", "vote"]
SETS = [one.name for one in data.DATA_SETS if one.rows >= 200 and one.features <= 300] + OTHERS


def classifier_of(name, n_numeric):
    """A classifier of the study, or logistic regression on the one best column."""
    if name != "one column":
        return data.base_classifier(name, n_numeric)
    best = SelectKBest(f_classif, k=1)
    steps = SimpleImputer(strategy="median"), StandardScaler(), best, LogisticRegression()
    return make_pipeline(*steps)


@functools.lru_cache(maxsize=1)
def halves(dataset):
    """Columns, labels and number of numeric columns, for each half."""
    X, labels, n_numeric = data.encoded(dataset)
    seed = seed_of_run(dataset, 0)
    rows = np.arange(labels.size)
    if rows.size > MOST_ROWS:
        rows, _ = train_test_split(rows, train_size=MOST_ROWS, stratify=labels, random_state=seed)
    both = train_test_split(rows, test_size=0.5, stratify=labels[rows], random_state=seed)
    return {
        name: (X[half], labels[half], n_numeric) for name, half in zip(HALVES, both, strict=True)
    }


def squared_errors(X, labels, template, seed):
    """Of each row, by isotonic regression and by ENIR, in ten-fold cross validation.

    Calibrated on the training rows, as in the paper.
    """
    errors = {"isotonic": np.empty(labels.size), "enir": np.empty(labels.size)}
    for training, test, scores, test_scores in scored_folds(X, labels, template, seed):
        for name, calibrator in {"isotonic": IsotonicCalibrator(), "enir": ENIR()}.items():
            p = calibrator.fit(scores, labels[training]).predict(test_scores)
            errors[name][test] = (p - labels[test]) ** 2
    return errors


def run_search(case):
    """A row for each half: mean squared errors, and how much lower that of ENIR is."""
    found = []
    for half, (X, labels, n_numeric) in halves(case["dataset"]).items():
        template = classifier_of(case["classifier"], n_numeric)
        errors = squared_errors(X, labels, template, seed_of_run(case["dataset"], 1))
        gains = errors["isotonic"] - errors["enir"]
        row = {"half": half, "rows": labels.size}
        row |= {name: each.mean() for name, each in errors.items()}
        row |= {"gain": gains.mean(), "gain_se": gains.std(ddof=1) / np.sqrt(labels.size)}
        found.append(row)
    return found


SEARCH = Experiment(
    name="naeini2016_search",
    title=f"A search for data on which ENIR beats isotonic regression: {len(SETS)} sets",
    seed=2016,
    cases=lambda: grid(dataset=SETS, classifier=CLASSIFIERS),
    run_case=run_search,
    deviations=(
        "Not in the paper. Its data sets with at least 200 rows and at most 300 attributes, and "
        "four others; of sets with more than 10,000 rows so many are drawn.",
        "Each set is halved, stratified by class; in each half ten-fold cross validation, "
        "calibrated on the training rows.",
        "'one column': logistic regression on the column with the largest F statistic.",
        "The standard error of a gain is that of a mean over rows.",
    ),
    datasets=tuple(SETS),
)


def run_one_column(case):
    """What both methods learn from one half by the best column, and what the other half shows.

    A row for each value of the column, or for each of forty ranges of a column of many values:
    how many rows of the second half have it, how many of them are positive, and both predictions,
    in a range at its median.
    """
    (X, labels, n_numeric), (X_new, new_labels, _) = halves(case["dataset"]).values()
    model = classifier_of("one column", n_numeric).fit(X, labels)
    column = int(np.flatnonzero(model.named_steps["selectkbest"].get_support())[0])
    values, first, of = np.unique(X_new[:, column], return_index=True, return_inverse=True)
    if values.size > 1000:
        ranges = np.array_split(np.argsort(X_new[:, column], kind="stable"), 40)
        first = np.array([rows[rows.size // 2] for rows in ranges])
        values = X_new[first, column]
        of = np.empty(len(X_new), dtype=int)
        for k, rows in enumerate(ranges):
            of[rows] = k
    scores, new_scores = (expit(model.decision_function(part)) for part in [X, X_new[first]])
    found = {
        name: calibrator.fit(scores, labels).predict(new_scores)
        for name, calibrator in {"isotonic": IsotonicCalibrator(), "enir": ENIR()}.items()
    }
    counts, positives = np.bincount(of), np.bincount(of, new_labels)
    return [
        {
            "column": column + 1,
            "value": float(value),
            "rows": int(counts[k]),
            "positives": int(positives[k]),
            **{name: float(p[k]) for name, p in found.items()},
        }
        for k, value in enumerate(values)
    ]


ONE_COLUMN = Experiment(
    name="naeini2016_one_column",
    title="What ENIR and isotonic regression learn from one column of satimage and of higgs",
    seed=2016,
    cases=lambda: [{"dataset": "satimage"}, {"dataset": "higgs"}],
    run_case=run_one_column,
    deviations=("Not in the paper; halves as in naeini2016_search.",),
    datasets=("satimage", "higgs"),
)
