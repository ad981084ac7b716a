"""Experiments of Naeini and Cooper (2016): the rings (Table I) and many data sets (II to VI)."""

import numpy as np
from scipy.special import expit
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold

from calib import BBQ, ENIR, IsotonicCalibrator, PlattScaling, StepMap
from calib.metrics import evaluate
from experiments.naeini2014.protocol import SEED as SEED_OF_THE_RINGS
from experiments.naeini2014.protocol import SVMS, measured, rings_sample
from experiments.naeini2016.data import (
    CLASSIFIERS,
    DATA_SETS,
    MISSING,
    base_classifier,
    encoded,
)
from experiments.recording import Experiment, grid

SEED = 2016
N_RUNS = 10
SCORED = ["same", "folds"]
READ_AS_STEPS = ["Isotonic", "ENIR"]
DIGITS = 12  # of calibrated predictions: no tie shall hang on rounding errors
DIGITS_ON_RINGS = 9  # there they move the predictions of BBQ by 1e-11
PARTITIONS = {
    "label": {"ties": "label"},
    "group": {"ties": "group"},
    "width": {"strategy": "uniform"},
}


def methods():
    """The calibrators of the tables by their names in this book."""
    return {"Isotonic": IsotonicCalibrator(), "BBQ": BBQ(), "ENIR": ENIR()}


def run_rings(case):
    """One run of Table I: calibrated on the training points, measured for each partition."""
    margins, labels, test_margins, test_labels = rings_sample(case["svm"], case["run"])
    scores, test_scores = expit(margins), expit(test_margins)
    predictions = {"Raw": test_scores}
    for name, calibrator in methods().items():
        fitted = calibrator.fit(scores, labels)
        predictions[name] = fitted.predict(test_scores).round(DIGITS_ON_RINGS)
    return measured(test_labels, predictions, partitions=PARTITIONS)


def fold_margins(template, X, labels, training, test, inner):
    """Margins of the training rows, by who scored them, and of the test rows.

    ``"same"``: the model trained on all of them, as in the paper. ``"folds"``: for each fold of
    `inner`, a model trained on the others. The test rows are scored by the former model.
    """
    X_training, training_labels = X[training], labels[training]
    model = clone(template).fit(X_training, training_labels)
    same = model.decision_function(X_training)
    folds = np.empty_like(same)
    for others, fold in inner.split(X_training, training_labels):
        part = clone(template).fit(X_training[others], training_labels[others])
        folds[fold] = part.decision_function(X_training[fold])
    return {"same": same, "folds": folds}, model.decision_function(X[test])


def cross_validate(X, labels, template, seed):
    """Ten-fold cross validation: the fold of each row, and its probability by way and method.

    Calibrators see the sigmoid of the margins, except Platt scaling, which was made for margins.
    """
    outer = StratifiedKFold(10, shuffle=True, random_state=seed)
    inner = StratifiedKFold(5, shuffle=True, random_state=seed)
    folds, found = np.empty(labels.size, np.int64), {}
    for k, (training, test) in enumerate(outer.split(X, labels)):
        folds[test] = k
        margins, test_margins = fold_margins(template, X, labels, training, test, inner)
        for scored in SCORED:
            as_steps = scored == "same"
            sample = margins[scored], labels[training]
            predictions = predict_test_rows(*sample, test_margins, as_steps=as_steps)
            for method, p in predictions.items():
                found.setdefault((scored, method), np.empty(labels.size))[test] = p
    return folds, found


def predict_test_rows(margins, labels, test_margins, *, as_steps):
    """Probabilities of the test rows by each method, on request also with maps read as steps."""
    platt = PlattScaling().fit(margins, labels)
    found = {"Raw": expit(test_margins), "Platt": platt.predict(test_margins)}
    scores, test_scores = expit(margins), expit(test_margins)
    for name, calibrator in methods().items():
        found[name] = calibrator.fit(scores, labels).predict(test_scores).round(DIGITS)
        if as_steps and name in READ_AS_STEPS:
            for side, read in steps(calibrator.map_).items():
                found[f"{name} {side}"] = read(test_scores).round(DIGITS)
    return found


def steps(linear):
    """A `LinearMap` read as steps: a score between knots gets the value of a knot."""
    knots, values = linear.scores, linear.probabilities
    return {
        "below": StepMap(knots[1:], values),
        "above": StepMap(np.nextafter(knots[:-1], np.inf), values),
    }


def nearest_step(linear):
    """A `LinearMap` read as steps: a score gets the value of the knot that is nearest to it."""
    return StepMap((linear.scores[1:] + linear.scores[:-1]) / 2, linear.probabilities)


def measures(labels, probabilities):
    """The five measures; MCE and ECE for each partition, such as ``"MCE label"``."""
    found = {}
    for ties, options in PARTITIONS.items():
        values = evaluate(labels, probabilities, **options)
        found |= {name: values[name] for name in ["AUC", "ACC", "RMSE"]}
        found |= {f"{name} {ties}": values[name] for name in ["MCE", "ECE"]}
    return found


def mean_measures(labels, probabilities, folds):
    """Mean of the measures of each fold."""
    each = [measures(labels[folds == k], probabilities[folds == k]) for k in np.unique(folds)]
    return {name: np.mean([one[name] for one in each]) for name in each[0]}


def both_poolings(about, labels, probabilities, folds):
    """A row with the means over the folds and one with all rows at once, rounded."""
    found = {
        "folds": mean_measures(labels, probabilities, folds),
        "pooled": measures(labels, probabilities),
    }
    return [rounded({**about, "over": over, **values}) for over, values in found.items()]


def seed_of_run(dataset, run):
    """Seed of the folds of one run, the same for every classifier."""
    return int(np.random.SeedSequence([SEED, run, *dataset.encode()]).generate_state(1)[0])


def run_data_set(case):
    """One run of one classifier on one data set at hand."""
    seed = seed_of_run(case["dataset"], case["run"])
    return compare(encoded(case["dataset"]), case["classifier"], seed)


def compare(table, classifier, seed):
    """Rows of one run on a table from `encode`: a row a method, way to calibrate and pooling."""
    X, labels, n_numeric = table
    template = base_classifier(classifier, n_numeric)
    folds, found = cross_validate(X, labels, template, seed)
    rows = []
    for (scored, method), p in found.items():
        about = {"scored": scored, "method": method}
        rows += both_poolings(about, labels, p, folds)
    return rows


def data_set_cases():
    """All cases, the first runs first and in each run the small data sets."""
    ordered = sorted(DATA_SETS, key=lambda one: one.rows * one.features)
    return [
        {"dataset": one.name, "classifier": classifier, "run": run}
        for run in range(N_RUNS)
        for one in ordered
        if run < one.n_runs
        for classifier in CLASSIFIERS
    ]


def by_data_set(rows, measure, methods, **chosen):
    """Mean over the runs of a measure, one row a data set and one column a method.

    Parameters
    ----------
    rows : dict of arrays
        ``recorded("naeini2016_data_sets")``.
    measure : str
        Its column, such as ``"AUC"`` or ``"MCE label"``.
    methods : list of str
    **chosen : str
        Values of the columns ``classifier``, ``scored`` and ``over``.

    Returns
    -------
    table : ndarray of shape (T, k)
        Data sets in the order of their names.
    """
    kept = np.all([rows[key] == value for key, value in chosen.items()], axis=0)
    columns = []
    for method in methods:
        these = kept & (rows["method"] == method)
        _, of, counts = np.unique(rows["dataset"][these], return_inverse=True, return_counts=True)
        columns.append(np.bincount(of, rows[measure][these]) / counts)
    # recorded numbers have five decimals: an error of rounding shall not break a tie of two means
    return np.column_stack(columns).round(9)


def rounded(row):
    """The row with its numbers to five decimals, as they are recorded."""
    return {key: value if isinstance(value, str) else round(value, 5) for key, value in row.items()}


RINGS = Experiment(
    name="naeini2016_rings",
    title="Table I of Naeini and Cooper (2016): four columns on the rings, ten runs",
    seed=SEED_OF_THE_RINGS,
    cases=lambda: grid(svm=SVMS, run=range(N_RUNS)),
    run_case=run_rings,
    deviations=(
        "The points and SVMs are those of naeini2014_rings, with the deviations named there.",
        "ECE and MCE are recorded for three partitions of the predictions: ten groups of equal "
        "size with ties cut by label ('label') or kept together ('group'), and ten intervals of "
        "equal width ('width'). The paper describes the last; its numbers are those of the first.",
        "Calibrated predictions are rounded to 9 digits, so that ties do not hang on rounding "
        "errors.",
    ),
)
DATA_SETS_STUDY = Experiment(
    name="naeini2016_data_sets",
    title="Tables II to VI of Naeini and Cooper (2016): 37 data sets, three classifiers",
    seed=SEED,
    cases=data_set_cases,
    run_case=run_data_set,
    deviations=(
        f"37 of the paper's 40 data sets are at hand; {', '.join(MISSING)} are not. Those that "
        "differ from the paper's: "
        + "; ".join(f"{one.paper} ({one.differs})" for one in DATA_SETS if one.differs)
        + ".",
        "Ten runs of ten-fold cross validation, but one for the five sets of more than 600,000 "
        "numbers: " + ", ".join(one.name for one in DATA_SETS if one.n_runs < 10) + ".",
        "Encoding is not described: here a missing number becomes the median, categories "
        "(also those of two-valued numbers) become indicators, a missing category is one of them; "
        "then all columns are standardised. Only the vocabulary is taken from all rows.",
        "The SVM is linear with squared hinge loss and C = 1 (LinearSVC), logistic regression "
        "has a ridge penalty with C = 1, naive Bayes is normal for numbers, to the variances of "
        "which 0.01 of a standardised column's is added, and Bernoulli for indicators.",
        "'folds': calibrated on five-fold scores of the training rows; the paper calibrates on "
        "the training rows themselves, here 'same'. Platt scaling, on margins, is ours too.",
        "Whether measures are means over the ten folds or taken once over all rows is not "
        "stated: both are recorded.",
        "ECE and MCE are recorded for three partitions, as in naeini2016_rings.",
        "How a map is read between two training scores is not stated: isotonic regression and "
        "ENIR are interpolated, and also read as steps, where a score takes the value of the "
        "training score 'below' or 'above' it (only where calibrated on the training rows).",
        "Predictions of isotonic regression, BBQ and ENIR are rounded to 12 digits, so that ties "
        "do not hang on rounding errors.",
    ),
    datasets=tuple(one.name for one in DATA_SETS),
)
