"""The base models of the benchmark, and the probabilities that they give."""

import warnings

from scipy.special import expit
from sklearn.base import clone
from sklearn.ensemble import (
    ExtraTreesClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neural_network import MLPClassifier
from sklearn.svm import SVC

MODELS = {
    "logistic": LogisticRegression(max_iter=1000),
    "naive Bayes": GaussianNB(),
    "SVM": SVC(),
    "forest": RandomForestClassifier(n_estimators=100),
    "extra trees": ExtraTreesClassifier(n_estimators=100),
    "boosting": HistGradientBoostingClassifier(),
    "network": MLPClassifier((32,), learning_rate_init=0.01, max_iter=40),
}


def seeded(name, seed):
    """A base model that is not trained, with a seed where it takes one."""
    model = clone(MODELS[name])
    if "random_state" in model.get_params():
        model.set_params(random_state=seed % 2**31)
    return model


def fitted(name, X, labels, seed):
    """A trained base model."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # 40 epochs are the model that is meant
        return seeded(name, seed).fit(X, labels)


def probabilities(model, X):
    """What a calibrator sees: the probability of class 1; the sigmoid of a margin, for an SVM."""
    if hasattr(model, "predict_proba"):
        return model.predict_proba(X)[:, 1]
    return expit(model.decision_function(X))
