"""The six classifiers of Vovk and Petej (2014), other readings of three of them, their scores."""

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from calib.experiments.vovk2014.data import DATASETS, NOMINAL
from calib.experiments.vovk2014.weka import MixedNaiveBayes, PessimisticTree

CLASSIFIERS = ["J48", "J48 Bagging", "LR", "NB", "NN", "SVM Platt"]
SHORT = dict(zip(CLASSIFIERS, ["J", "JB", "LR", "NB", "NN", "SVM"], strict=True))
VARIANTS = {  # other readings of a classifier, and the data sets on which they differ from it
    "LR indicators": NOMINAL,  # of the categories, in place of their codes
    "NB kernel": list(DATASETS),  # Weka's option -K
    "NB codes": ["echocardiogram", "hepatitis", "vote", *NOMINAL],  # categories taken as numbers
    "J48 pessimistic": list(DATASETS),  # pruned as C4.5 prunes
}


def features(data, classifier):
    """What a classifier is given: numbers and codes, or numbers and indicators of categories."""
    return data.indicators if classifier == "LR indicators" else data.columns


def make_classifier(name, data, seed):
    """Scikit-learn's counterpart of a classifier of Weka, or Weka's own rules for naive Bayes.

    Settings are Weka's for LR, NB and the SVM. Pruning of the trees and length of training of the
    network are our choice: scikit-learn has not Weka's rules for them.

    Parameters
    ----------
    name : str
        One of `CLASSIFIERS` or `VARIANTS`.
    data : Sample
    seed : int
        For bagging and the network; the others draw nothing.
    """
    tree = {"criterion": "entropy", "min_samples_leaf": 2}
    fill = SimpleImputer(keep_empty_features=True)
    if name == "J48":
        return DecisionTreeClassifier(**tree, ccp_alpha=0.02, random_state=0)
    if name == "J48 pessimistic":
        return PessimisticTree(**tree, random_state=0)
    if name == "J48 Bagging":  # a forest that tries every feature at every split is bagging
        return RandomForestClassifier(
            10, max_features=None, **tree, ccp_alpha=0.02, random_state=seed
        )
    if name == "NB codes":
        return MixedNaiveBayes((0,) * len(data.n_categories))
    if name in ["NB", "NB kernel"]:
        return MixedNaiveBayes(data.n_categories, kernel=name == "NB kernel")
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
    # a ridge of 1e-8: where the classes can be separated only Newton's method comes to the end, and
    # where another stops hangs on the last bits of the processor
    regression = LogisticRegression(C=5e7, solver="newton-cholesky", tol=1e-10)
    return make_pipeline(fill, StandardScaler(), regression)


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
