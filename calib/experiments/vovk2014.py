"""Experiments of Vovk and Petej (2014), section 5: nine data sets, six classifiers."""

import functools
import warnings
from typing import NamedTuple

import numpy as np
from scipy.special import expit, ndtr
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from calib.classifier import CalibratedClassifier
from calib.datasets import load
from calib.experiments.recording import Experiment
from calib.metrics import log_loss, root_mean_squared_error
from calib.transductive import TransductiveVennAbers
from calib.venn_abers import DirectIsotonic, VennAbers, minimax_log, minimax_square

SEED = 2014
N_SPLITS = 100
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
CLASSIFIERS = ["J48", "J48 Bagging", "LR", "NB", "NN", "SVM Platt"]
SHORT = dict(zip(CLASSIFIERS, ["J", "JB", "LR", "NB", "NN", "SVM"], strict=True))
METHODS = ["W", "VA", "SVA", "DIR"]
N_FULL_SPLITS = dict.fromkeys(CLASSIFIERS, 16) | {"J48 Bagging": 8, "NN": 8}
INDICATORS = "LR indicators"  # logistic regression on indicators of the categories
NOMINAL = ["labor", "breast_cancer_ljubljana", "australian"]  # with more than two categories


class Sample(NamedTuple):
    """A data set as arrays; NaN where a value is missing.

    Attributes
    ----------
    columns : ndarray of shape (n, n_features)
        Numbers, or codes 0, 1, ... of categories.
    n_categories : tuple of int
        Number of categories of each column, 0 for numbers.
    indicators : ndarray of shape (n, n_indicators)
        Numbers, and 0/1 for each category; one such column if there are two.
    y : ndarray of shape (n,)
    """

    columns: np.ndarray
    n_categories: tuple
    indicators: np.ndarray
    y: np.ndarray


@functools.cache
def sample(dataset):
    """A data set of the paper as arrays."""
    X, y = load(dataset)
    columns, n_categories, indicators = [], [], []
    for name in X:
        if X[name].dtype == "category":
            codes = X[name].cat.codes.to_numpy(np.float64)
            codes[codes < 0] = np.nan
            k = len(X[name].cat.categories)
            named = [1] if k == 2 else range(k)
            indicators += [np.where(np.isnan(codes), np.nan, codes == code) for code in named]
        else:
            codes, k = X[name].to_numpy(np.float64), 0
            indicators.append(codes)
        columns.append(codes)
        n_categories.append(k)
    return Sample(np.column_stack(columns), tuple(n_categories), np.column_stack(indicators), y)


class MixedNaiveBayes(ClassifierMixin, BaseEstimator):
    """Weka's naive Bayes: normal laws for numbers, frequencies for categories.

    A number stands for an interval of the mean distance between the distinct values of its
    column; the standard deviation is at least a sixth of that, the probability of the interval at
    least 1e-75. Frequencies start from one count for each category. Missing values (NaN) are left
    out.

    Parameters
    ----------
    n_categories : tuple of int
        For each column the number of its categories, coded 0, 1, ...; 0 for numbers.
    """

    def __init__(self, n_categories):
        self.n_categories = n_categories

    def fit(self, X, y):
        """Estimate the laws of every column, given each class."""
        self.classes_ = np.array([0, 1])
        self.priors_ = np.bincount(y, minlength=2) + 1.0
        self.numeric_ = np.array(self.n_categories) == 0
        numbers = X[:, self.numeric_]
        self.widths_ = np.array([_mean_distance(column) for column in numbers.T])
        numbers = np.rint(numbers / self.widths_) * self.widths_
        self.laws_ = [_normal_laws(numbers[y == z], self.widths_ / 6) for z in [0, 1]]
        self.tables_ = [
            [_frequencies(X[y == z, column], k) for z in [0, 1]]
            for column, k in enumerate(self.n_categories)
            if k
        ]
        return self

    def predict_proba(self, X):
        """Probabilities of both classes."""
        log_odds = np.full(len(X), np.log(self.priors_[1] / self.priors_[0]))
        numbers = np.rint(X[:, self.numeric_] / self.widths_) * self.widths_
        for sign, (mean, deviation) in zip([-1, 1], self.laws_, strict=True):
            above = ndtr((numbers - mean + self.widths_ / 2) / deviation)
            below = ndtr((numbers - mean - self.widths_ / 2) / deviation)
            log_odds += sign * np.nansum(np.log(np.maximum(above - below, 1e-75)), axis=1)
        nominal = np.flatnonzero(~self.numeric_)
        for column, (if_negative, if_positive) in zip(nominal, self.tables_, strict=True):
            known = ~np.isnan(X[:, column])
            codes = X[known, column].astype(int)
            log_odds[known] += np.log(if_positive[codes] / if_negative[codes])
        return np.column_stack([expit(-log_odds), expit(log_odds)])


def _mean_distance(column):
    """Between the distinct values; 0.01 if there is only one, as in Weka."""
    values = np.unique(column[~np.isnan(column)])
    return np.mean(np.diff(values)) if values.size > 1 else 0.01


def _normal_laws(numbers, smallest_deviations):
    """Mean and standard deviation of each column; the mean is 0 if it is empty."""
    counts = np.maximum(np.sum(~np.isnan(numbers), axis=0), 1)
    means = np.nansum(numbers, axis=0) / counts
    variances = np.nansum((numbers - means) ** 2, axis=0) / counts
    return means, np.maximum(np.sqrt(variances), smallest_deviations)


def _frequencies(codes, k):
    counts = np.bincount(codes[~np.isnan(codes)].astype(int), minlength=k) + 1.0
    return counts / counts.sum()


def features(data, classifier):
    """What a classifier is given: numbers and codes, or numbers and indicators of categories."""
    return data.indicators if classifier == INDICATORS else data.columns


def make_classifier(name, data, seed):
    """Scikit-learn's counterpart of a classifier of Weka, with Weka's settings where it has them.

    Parameters
    ----------
    name : str
        One of `CLASSIFIERS`, or `INDICATORS`.
    data : Sample
    seed : int
        For bagging and the network; the others draw nothing.
    """
    tree = {"criterion": "entropy", "min_samples_leaf": 2, "ccp_alpha": 0.02}
    fill = SimpleImputer(keep_empty_features=True)
    if name == "J48":
        return DecisionTreeClassifier(**tree, random_state=0)
    if name == "J48 Bagging":  # a forest that tries every feature at every split is bagging
        return RandomForestClassifier(10, max_features=None, **tree, random_state=seed)
    if name == "NB":
        return MixedNaiveBayes(data.n_categories)
    if name == "NN":
        hidden = (data.columns.shape[1] + 2) // 2
        network = MLPClassifier(
            hidden,
            activation="logistic",
            solver="lbfgs",
            alpha=0.1,
            max_iter=30,
            random_state=seed,
        )
        return make_pipeline(fill, MinMaxScaler((-1, 1)), network)
    if name == "SVM Platt":
        return make_pipeline(fill, MinMaxScaler(), SVC(kernel="linear", C=1.0))
    regression = LogisticRegression(C=5e7, tol=1e-6, max_iter=1000)  # a ridge of 1e-8
    return make_pipeline(fill, StandardScaler(), regression)


def split(dataset, number):
    """Rows to train on, two thirds of a random permutation, and rows to test on."""
    n = sample(dataset).y.size
    rng = np.random.default_rng([SEED, list(DATASETS).index(dataset), number])
    return np.split(rng.permutation(n), [2 * n // 3])


def scores_of(classifier, X):
    """Margins, or probabilities if the classifier has none."""
    if hasattr(classifier, "decision_function"):
        return classifier.decision_function(X)
    return classifier.predict_proba(X)[:, 1]


def raw_probabilities(classifier, X, y, X_test):
    """What the classifier itself says; an SVM through the sigmoid of its training margins.

    As in Weka the sigmoid has the largest likelihood, without Platt's correction of the targets.
    """
    if hasattr(classifier, "predict_proba"):
        return classifier.predict_proba(X_test)[:, 1]
    margins, test_margins = (scores_of(classifier, rows)[:, np.newaxis] for rows in [X, X_test])
    return LogisticRegression(C=5e7).fit(margins, y).predict_proba(test_margins)[:, 1]


def losses(y, p0, p1):
    """Losses of the probabilities merged for each; of p itself if p0 and p1 are the same p."""
    return measures(y, minimax_log(p0, p1), minimax_square(p0, p1), p0, p1)


def cross_losses(y, pairs):
    """Losses of the cross Venn-Abers predictor with these pairs (p0, p1), one for each fold."""
    p0, p1 = np.array(pairs).swapaxes(0, 1)
    p_log = VennAbers(loss="log").combine(minimax_log(p0, p1))
    p_square = VennAbers(loss="square").combine(minimax_square(p0, p1))
    return measures(y, p_log, p_square, p0, p1)


def measures(y, p_log, p_square, p0, p1):
    """Log loss of `p_log`, RMSE of `p_square`, and the means of p0 and p1."""
    return {
        "log_loss": log_loss(y, p_log),
        "RMSE": root_mean_squared_error(y, p_square),
        "lower": np.mean(p0),
        "upper": np.mean(p1),
    }


def compare(data, classifier, train, test, seed):
    """Losses on the rows `test` by method: all but the full Venn-Abers predictor.

    Parameters
    ----------
    data : Sample
    classifier : str
        As in `make_classifier`.
    train, test : ndarray
        Rows. IVAP calibrates on a third of the training rows, CVAP on five folds of them.
    seed : int
        For the classifier, the third and the folds.

    Returns
    -------
    losses : dict
        From W, SVA, DIR, IVAP and CVAP to what `measures` returns.
    """
    X, y = features(data, classifier), data.y
    template = make_classifier(classifier, data, seed)
    model = clone(template).fit(X[train], y[train])
    scores, test_scores = scores_of(model, X[train]), scores_of(model, X[test])
    raw = raw_probabilities(model, X[train], y[train], X[test])
    simplified = VennAbers().fit(scores, y[train]).predict_interval(test_scores)
    direct = DirectIsotonic().fit(scores, y[train]).predict(test_scores)
    found = {
        "W": losses(y[test], raw, raw),
        "SVA": losses(y[test], *simplified),
        "DIR": losses(y[test], direct, direct),
    }
    folds = StratifiedKFold(5, shuffle=True, random_state=seed)
    for method, cv in [("IVAP", 1 / 3), ("CVAP", folds)]:
        ensemble = CalibratedClassifier(
            template, VennAbers(), cv=cv, ensemble=True, random_state=seed
        ).fit(X[train], y[train])
        pairs = [
            calibrator.predict_interval(scores_of(member, X[test]))
            for member, (calibrator,) in ensemble.members_
        ]
        found[method] = cross_losses(y[test], pairs)
    return found


def full_losses(data, classifier, train, test, seed):
    """Losses of the full Venn-Abers predictor; arguments and result as in `compare`."""
    X, y = features(data, classifier), data.y
    template = make_classifier(classifier, data, seed)
    predictor = TransductiveVennAbers(template).fit(X[train], y[train])
    return losses(y[test], *predictor.predict_interval(X[test]))


def run_block(case):
    """Means over ten splits, and the number of splits of infinite log loss."""
    data = sample(case["dataset"])
    numbers = range(10 * case["block"], 10 * case["block"] + 10)
    splits = [split(case["dataset"], number) for number in numbers]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        found = [
            compare(data, case["classifier"], train, test, number)
            for number, (train, test) in zip(numbers, splits, strict=True)
        ]
    positives = np.mean([data.y[test].mean() for _, test in splits])
    rows = []
    for method in found[0]:
        own = [losses_of_split[method] for losses_of_split in found]
        means = {key: np.mean([row[key] for row in own]) for key in own[0]}
        infinite = sum(bool(np.isinf(row["log_loss"])) for row in own)
        rows.append({"method": method, **means, "positives": positives, "infinite": infinite})
    return rows


def run_full(case):
    """Losses of the full Venn-Abers predictor on one split."""
    data = sample(case["dataset"])
    train, test = split(case["dataset"], case["split"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        found = full_losses(data, case["classifier"], train, test, case["split"])
    return [{"method": "VA", **found, "positives": data.y[test].mean()}]


def ranking(losses):
    """Table 3: the methods in the order of the loss that each has with its best classifier.

    Parameters
    ----------
    losses : dict
        From (method, classifier) to the loss on one data set.

    Returns
    -------
    ranks : list of (method, classifier)
        Best first, each with its best classifier; of equal ones, the first in `losses`.
    """
    best = {}
    for (method, classifier), loss in losses.items():
        if method not in best or loss < best[method][0]:
            best[method] = loss, classifier
    return [(method, best[method][1]) for method in sorted(best, key=lambda m: best[m][0])]


_DEVIATIONS = (
    "Scikit-learn's classifiers stand for Weka's: a tree with entropy splits, two rows a leaf "
    "and cost-complexity pruning (0.02) for J48; ten such trees, bagged; logistic regression with "
    "a ridge of 1e-8; one hidden layer of (attributes + 2) / 2 sigmoid units with an L2 penalty "
    "of 0.1 and 30 steps of L-BFGS for 500 epochs of stochastic gradients; a linear SVM with C = 1 "
    "and a sigmoid on its training margins. Naive Bayes is Weka's, written anew.",
    "Categories are codes 0, 1, 2, ... in the order of their names, except for naive Bayes; as "
    "the printed rows of logistic regression suggest, see the rows 'LR indicators'.",
    "Missing values are filled with the mean of the training rows; trees and naive Bayes take "
    "them as they are.",
    "The scores of logistic regression and the SVM are their margins: the sigmoid would make "
    "ties where it saturates.",
    "Log loss is measured on the probabilities merged for log loss, RMSE on those merged for "
    "square loss; the paper does not say.",
)
SPLITS = Experiment(
    name="vovk2014_splits",
    title="Tables 1 and 2 of Vovk and Petej (2014): W, SVA and DIR, 100 splits in blocks of ten",
    seed=SEED,
    cases=lambda: [
        {"dataset": dataset, "classifier": classifier, "block": block}
        for dataset in DATASETS
        for classifier in [*CLASSIFIERS, *([INDICATORS] if dataset in NOMINAL else [])]
        for block in range(N_SPLITS // 10)
    ],
    run_case=run_block,
    deviations=(*_DEVIATIONS, "IVAP (a third held out) and CVAP (five folds) are added."),
    datasets=tuple(DATASETS),
)
FULL = Experiment(
    name="vovk2014_full",
    title="Tables 1 and 2 of Vovk and Petej (2014): VA, retrained for every test object and label",
    seed=SEED,
    cases=lambda: [
        {"dataset": dataset, "classifier": classifier, "split": number}
        for number in range(16)
        for dataset in DATASETS
        for classifier in CLASSIFIERS
        if number < N_FULL_SPLITS[classifier]
    ],
    run_case=run_full,
    deviations=(
        *_DEVIATIONS,
        "The splits are the first of those of the other methods; the paper's are other ones.",
        "Bagged trees and networks, the slowest, have 8 splits instead of 16.",
    ),
    datasets=tuple(DATASETS),
)
