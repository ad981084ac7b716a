"""The six classifiers of Vovk and Petej (2014), other readings of some of them, their scores."""

from typing import NamedTuple

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from experiments.vovk2014.bagging import BaggedTrees
from experiments.vovk2014.data import CATEGORICAL, DATASETS, NOMINAL
from experiments.vovk2014.decision_tree import DecisionTree
from experiments.vovk2014.naive_bayes import MixedNaiveBayes
from experiments.vovk2014.network import BackPropagationNetwork
from experiments.vovk2014.rep_tree import RepTree

CLASSIFIERS = ["J48", "J48 Bagging", "LR", "NB", "NN", "SVM Platt"]
SHORT = dict(zip(CLASSIFIERS, ["J", "JB", "LR", "NB", "NN", "SVM"], strict=True))


class Variant(NamedTuple):
    """Another reading of a classifier.

    Attributes
    ----------
    of : str
        One of `CLASSIFIERS`.
    datasets : list of str
        Those on which it differs.
    title : str
        What differs, if the authors may have done so; "" for scikit-learn's stand-ins.
    """

    of: str
    datasets: list
    title: str = ""


VARIANTS = {
    "LR indicators": Variant(
        "LR", NOMINAL, "logistic regression on indicators of categories, not on codes"
    ),
    "NB kernel": Variant(
        "NB", list(DATASETS), "naive Bayes with kernel densities for numbers, Weka's option -K"
    ),
    "NB codes": Variant("NB", CATEGORICAL, "naive Bayes that takes categories for numbers"),
    "NN indicators": Variant(
        "NN", NOMINAL, "a network on indicators of categories, which it has more nodes for"
    ),
    "NN two nodes": Variant(
        "NN", list(DATASETS), "a network with a hidden node for each class, Weka's option -H o"
    ),
    "J48 categories": Variant(
        "J48", CATEGORICAL, "trees with a branch for each category, not with thresholds of codes"
    ),
    "J48 Bagging categories": Variant(
        "J48 Bagging", CATEGORICAL, "bagged trees with a branch for each category"
    ),
    "J48 Bagging Laplace": Variant(
        "J48 Bagging", list(DATASETS), "bagged trees with Laplace's correction, Weka's option -A"
    ),
    "J48 scikit-learn": Variant("J48", list(DATASETS)),
    "J48 Bagging scikit-learn": Variant("J48 Bagging", list(DATASETS)),
    "NN scikit-learn": Variant("NN", list(DATASETS)),
}
# Weka's logistic regression has indicators. Codes were suggested by printed rows: they are a fit.
FIRST = {"LR": "LR indicators"}
# What the authors may have run in place of three of them: `experiments.vovk2014.trained` tells.
TRAININGS = {
    "NN rate 0.1": "NN",
    "J48 Bagging distinct": "J48 Bagging",
    "NB kernel": "NB",
    "J48 Bagging older draws": "J48 Bagging",
    "REPTree Bagging": "J48 Bagging",
    "REPTree Bagging older draws": "J48 Bagging",
}
WITH_FULL = [  # those of the full predictor
    "NN rate 0.1",
    "J48 Bagging distinct",
    "NB kernel",
    "REPTree Bagging",
    "REPTree Bagging older draws",
]
DRAWS = {"older draws": "sums", "distinct": "distinct"}  # by the end of the name


def features(data, classifier):
    """What a classifier is given: categories as codes, as numbers or as indicators."""
    if classifier.endswith("indicators"):
        return data.indicators
    if classifier in ["NB", "NB kernel"] or classifier.endswith("categories"):
        return data.columns
    return data.numbers


def make_classifier(name, data, seed):
    """Weka's classifier with its default settings, by its own rules or scikit-learn's counterpart.

    The paper uses "standard classifiers as implemented in Weka" and names no setting. Trees, bagged
    trees, naive Bayes and the network follow Weka's rules, which scikit-learn has not. Logistic
    regression and the linear SVM have one solution, whichever program finds it.

    Parameters
    ----------
    name : str
        One of `CLASSIFIERS`, `VARIANTS` or `TRAININGS`.
    data : Sample
    seed : int
        For bagging and the network; the others draw nothing.
    """
    if name.endswith("scikit-learn"):
        return _of_scikit_learn(name, data, seed)
    as_numbers = (0,) * len(data.n_categories)
    n_categories = data.n_categories if name.endswith("categories") else as_numbers
    if name in ["J48", "J48 categories"]:
        return DecisionTree(n_categories)
    if "Bagging" in name:
        j48 = DecisionTree(n_categories, laplace=name.endswith("Laplace"))
        tree = RepTree() if name.startswith("REPTree") else j48
        draws = next((DRAWS[end] for end in DRAWS if name.endswith(end)), "independent")
        return BaggedTrees(tree, draws=draws, random_state=seed)
    if name == "NB codes":
        return MixedNaiveBayes(as_numbers)
    if name in ["NB", "NB kernel"]:
        return MixedNaiveBayes(data.n_categories, kernel=name == "NB kernel")
    if name == "NN rate 0.1":
        return BackPropagationNetwork(learning_rate=0.1, random_state=seed)
    if name.startswith("NN"):
        return BackPropagationNetwork(2 if name == "NN two nodes" else None, random_state=seed)
    fill = SimpleImputer(keep_empty_features=True)
    if name == "SVM Platt":
        return make_pipeline(fill, MinMaxScaler(), SVC(kernel="linear", C=1.0))
    # a ridge of 1e-8: where the classes can be separated only Newton's method comes to the end, and
    # where another stops hangs on the last bits of the processor
    regression = LogisticRegression(C=5e7, solver="newton-cholesky", tol=1e-10)
    return make_pipeline(fill, StandardScaler(), regression)


def _of_scikit_learn(name, data, seed):
    """What one would take for Weka's classifier without writing any.

    The amount of pruning and the length of the network's training were set by hand, by the look of
    the losses.
    """
    tree = {"criterion": "entropy", "min_samples_leaf": 2, "ccp_alpha": 0.02}
    if name == "J48 scikit-learn":
        return DecisionTreeClassifier(**tree, random_state=0)
    if name == "J48 Bagging scikit-learn":  # a forest that tries every feature at every split
        return RandomForestClassifier(10, max_features=None, **tree, random_state=seed)
    network = MLPClassifier(
        (data.columns.shape[1] + 2) // 2,
        activation="logistic",
        solver="lbfgs",
        alpha=0.1,
        max_iter=30,
        random_state=seed,
    )
    return make_pipeline(SimpleImputer(keep_empty_features=True), MinMaxScaler((-1, 1)), network)


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
