"""Files of classifiers: scores of the rows that they learned from, of new rows, and of a leak."""

import numpy as np
from scipy.special import expit, logit
from sklearn.datasets import make_friedman1
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.tree import DecisionTreeClassifier

from experiments.verdicts.files import N_FRESH, File, Fresh, outcomes

N_TRAINING = 2000
N_CURVE_BINS = 50  # of new rows, for the share of positives at a score
MODELS = {
    "forest": lambda seed: RandomForestClassifier(100, random_state=seed),
    "boosting": lambda seed: GradientBoostingClassifier(
        n_estimators=300, max_depth=4, learning_rate=0.2, random_state=seed
    ),
    "tree": lambda seed: DecisionTreeClassifier(random_state=seed),
    "k-NN": lambda seed: KNeighborsClassifier(5),
    "network": lambda seed: MLPClassifier(
        (100, 50), max_iter=300, learning_rate_init=0.003, random_state=seed
    ),
    "pruned tree": lambda seed: DecisionTreeClassifier(min_samples_leaf=50, random_state=seed),
    "small boosting": lambda seed: GradientBoostingClassifier(
        n_estimators=50, max_depth=2, random_state=seed
    ),
}


def _nature(rng, n):
    """Features and the probability of a positive: Friedman's first function on log-odds."""
    X, height = make_friedman1(n, n_features=10, noise=0.0, random_state=int(rng.integers(2**31)))
    return X, expit(0.4 * (height - 14.4))


def scored(model, training_rows):
    """Rows that the model learned from, or new ones, and the law of new rows."""

    def draw(rng, n):
        size = n if training_rows else N_TRAINING
        X, chance = _nature(rng, size)
        labels = outcomes(rng, chance)
        fitted = MODELS[model](int(rng.integers(2**31))).fit(X, labels)
        later, truth = _nature(rng, N_FRESH)
        fresh = Fresh(_probabilities(fitted, later), truth)
        if not training_rows:
            X, chance = _nature(rng, n)
            labels = outcomes(rng, chance)
        scores = _probabilities(fitted, X)
        return File(scores, labels, fresh, _share_at(fresh, scores), features=X)

    return draw


def _probabilities(fitted, X):
    return np.clip(fitted.predict_proba(X)[:, 1].astype(float), 0, 1)


def _share_at(fresh, scores):
    """Share of positives among new rows of such a score, by bins of equal size."""
    ends = np.unique(np.quantile(fresh.scores, np.linspace(0, 1, N_CURVE_BINS + 1)))
    into = np.clip(np.searchsorted(ends, fresh.scores, side="right"), 1, ends.size) - 1
    rows = np.maximum(np.bincount(into, minlength=ends.size), 1)
    error = np.bincount(into, fresh.truth - fresh.scores, minlength=ends.size) / rows
    here = np.clip(np.searchsorted(ends, scores, side="right"), 1, ends.size) - 1
    return np.clip(scores + error[here], 0, 1)


def leaking(strength):
    """The outcome stands, in disguise, among the features of the file, and not of later rows."""

    def draw(rng, n):
        chance = rng.beta(1, 1, n)
        labels = outcomes(rng, chance)
        scores = expit(logit(chance) + strength * (2 * labels - 1))
        later = (np.arange(N_FRESH) + 0.5) / N_FRESH
        known = rng.permutation(np.where(np.arange(N_FRESH) % 2, strength, -strength))
        fresh = Fresh(expit(logit(later) + known), later)  # noise where the outcome stood
        return File(scores, labels, fresh, _share_at(fresh, scores))

    return draw
