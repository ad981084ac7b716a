"""Gini, or the criterion that D22 proposes: which one finds the better partition."""

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from calib import AUCSplitTree, HeterogeneousCalibrator, IsotonicCalibrator, PlattScaling
from calib.metrics import log_loss, roc_auc_score
from experiments.durfee2022.data import SEED, features, split
from experiments.recording import Experiment, grid

DATASETS = ["bank_full", "adult", "credit_default"]
SCORES = ["logistic regression", "boosting"]
CRITERIA = ["Gini", "AUC"]
CALIBRATORS = {"Platt": PlattScaling(), "Isotonic": IsotonicCalibrator()}
TRAINED_ON = ["training", "calibration"]
DEPTHS = [1, 2, 3, 4, 6]
N_RUNS = 10


def run_case(case):
    """One split of a data set: every partition and calibrator, measured on the test rows."""
    encoded = features(case["dataset"])
    rows = split(case["dataset"], case["run"], encoded.labels, encoded.held_out)
    logits = log_odds(case["score"], encoded, rows["training"])
    data = {
        part: (encoded.table.to_numpy()[own], logits[own], encoded.labels[own])
        for part, own in rows.items()
    }
    return compare(data, depths=DEPTHS)


def compare(data, *, depths):
    """Measures on ``data["test"]`` of each calibrator per part, for each partition.

    `data` holds (X, scores, labels) of the training, the calibration and the test part. In the
    first rows there is one part; ``tree_AUC`` is that of the parts' frequencies alone.
    """
    calibration, (X, scores, labels) = data["calibration"], data["test"]
    partitions = {("none", "training", 0): grow("Gini", *data["training"], 1, share=1)}
    for criterion in CRITERIA:
        for part in TRAINED_ON:
            for depth in depths:
                partitions[criterion, part, depth] = grow(criterion, *data[part], depth)
    result = []
    for (criterion, part, depth), tree in partitions.items():
        for name, calibrator in CALIBRATORS.items():
            model = HeterogeneousCalibrator(tree, calibrator)
            model.fit(*calibration[1:], features=calibration[0])
            probabilities = model.predict(scores, features=X)
            shares = {p.number: p.n_positive / max(p.n_points, 1) for p in model.parts_}
            result.append(
                {
                    "criterion": criterion,
                    "trained_on": part,
                    "depth": depth,
                    "calibrator": name,
                    "parts": len(model.parts_),
                    "AUC": roc_auc_score(labels, probabilities),
                    "log_loss": log_loss(labels, np.clip(probabilities, 1e-6, 1 - 1e-6)),
                    "tree_AUC": roc_auc_score(labels, [shares[leaf] for leaf in tree.apply(X)]),
                }
            )
    return result


def grow(criterion, X, scores, labels, depth, share=0.01):
    """A tree with at least that share of the rows in each leaf."""
    settings = {"max_depth": depth, "min_samples_leaf": int(share * len(labels))}
    if criterion == "AUC":
        return AUCSplitTree(**settings).fit(X, scores, labels)
    return DecisionTreeClassifier(**settings, random_state=0).fit(X, labels)


def log_odds(score, encoded, training):
    """Log-odds that a classifier, trained on the rows `training`, gives to every row."""
    indicators = [
        np.equal.outer(encoded.codes[:, j], np.arange(n)) for j, n in enumerate(encoded.n_codes)
    ]
    X = np.hstack([encoded.dense, *indicators]).astype(float)
    if score == "logistic regression":
        model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    else:  # enough trees to overfit
        model = HistGradientBoostingClassifier(max_iter=300, early_stopping=False, random_state=0)
    return model.fit(X[training], encoded.labels[training]).decision_function(X)


AUC_SPLIT = Experiment(
    name="auc_split",
    title="Splitting criterion of Durfee, Gupta and Basu (2022), section 12, against Gini",
    seed=SEED,
    cases=lambda: grid(dataset=DATASETS, score=SCORES, run=range(N_RUNS)),
    run_case=run_case,
    deviations=(
        "The paper proposes the criterion and does not test it: the protocol is ours.",
        "Features and parts are those of the paper's experiments (its section 14.1 and Table 4), "
        "the parts drawn anew for each run; the validation part is not used.",
        "The scores come from logistic regression and from gradient boosting with 300 trees, which "
        "overfits the training set, instead of networks.",
        "Probabilities are clipped to [1e-6, 1 - 1e-6] for the log loss: isotonic regression "
        "predicts 0 and 1.",
    ),
    datasets=tuple(DATASETS),
)
