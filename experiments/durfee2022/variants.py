"""What else the scores of the best networks allow: sections 12 and 13 of the paper, and boosting.

Durfee, Gupta and Basu (2022) sketch a splitting criterion that looks at the scores (section 12)
and a sequence of partitions from boosted trees (section 13), and try neither. Here both are tried
on their own ground, the scores of networks, beside what a reader would try first: gradient boosting
without any network, and logistic regression on the two logits of network and boosting.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from sklearn.ensemble import GradientBoostingClassifier, HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from calib import AUCSplitTree, HeterogeneousCalibrator
from calib.metrics import roc_auc_score
from calibkit.inference import auc_difference
from experiments.durfee2022.data import PROTOCOLS, SEED, features, split
from experiments.durfee2022.scores import BUDGETS, INPUTS, SIZES, read_scores
from experiments.durfee2022.tables import best_variants
from experiments.ledger import reader
from experiments.recording import Experiment, grid

DEPTH = 3
SHARE = 0.05  # smallest leaf of the trees that are grown on the calibration part
BOOSTED = (2, 10)  # trees in a sequence; the paper's sketch has two


class Trained(NamedTuple):
    """What a run has without its networks.

    Attributes
    ----------
    X, labels : dict of str to array
        Features and labels of the calibration and the test part.
    boosting : dict of str to array
        Logits of gradient boosting on these parts.
    sequences : dict of int to GradientBoostingClassifier
        Boosted trees by their number.
    """

    X: dict
    labels: dict
    boosting: dict
    sequences: dict


@lru_cache(maxsize=BUDGETS["standard"].n_runs)
def trained(dataset, run):
    """Train both kinds of boosting on the training part of a run."""
    encoded, n_training = features(dataset), BUDGETS["standard"].n_training
    rows = split(dataset, run, encoded.labels, encoded.held_out, at_most=n_training)
    table = encoded.table.to_numpy()
    X = {part: table[own] for part, own in rows.items()}
    labels = {part: encoded.labels[own] for part, own in rows.items()}
    boosting = HistGradientBoostingClassifier(max_iter=500, early_stopping=True, random_state=run)
    boosting.fit(
        X["training"], labels["training"], X_val=X["validation"], y_val=labels["validation"]
    )
    kept = ["calibration", "test"]
    return Trained(
        X={part: X[part] for part in kept},
        labels={part: labels[part] for part in kept},
        boosting={part: boosting.decision_function(X[part]) for part in kept},
        sequences={
            n: GradientBoostingClassifier(
                n_estimators=n, max_depth=DEPTH, min_samples_leaf=500, random_state=run
            ).fit(X["training"], labels["training"])
            for n in BOOSTED
        },
    )


def calibrated(of, scores, test_scores, seed):
    """Scores of the test rows by every method; any increasing function of them would do."""
    labels, X, X_test = of.labels["calibration"], of.X["calibration"], of.X["test"]

    def by_parts(partition):
        model = HeterogeneousCalibrator(partition).fit(scores, labels, features=X)
        return model.predict(test_scores, features=X_test)

    grown = {"max_depth": DEPTH, "min_samples_leaf": int(SHARE * len(labels))}
    stack = make_pipeline(StandardScaler(), LogisticRegression())
    stack.fit(np.column_stack([scores, of.boosting["calibration"]]), labels)
    return {
        "network": test_scores,
        "Gini": by_parts(DecisionTreeClassifier(**grown, random_state=seed).fit(X, labels)),
        "section 12": by_parts(AUCSplitTree(**grown).fit(X, scores, labels)),
        **{f"section 13, {n} trees": by_parts(of.sequences[n]) for n in BOOSTED},
        "boosting": of.boosting["test"],
        "stack with boosting": stack.decision_function(
            np.column_stack([test_scores, of.boosting["test"]])
        ),
    }


def run_case(case):
    """Every method on the best variant of each size, in each run."""
    read, rows = reader(), []
    for size in SIZES:
        regularisation, rate = best_variants(read, case["dataset"], size, case["inputs"], "Top 3")[
            0
        ]
        family = {**case, "size": size, "regularisation": regularisation}
        for run, own_rate, scores, test_scores in read_scores(family, "standard"):
            if own_rate == rate:
                of = trained(case["dataset"], run)
                found = calibrated(of, scores, test_scores, run)
                labels = of.labels["test"]
                rows += [
                    {
                        "size": size,
                        "regularisation": regularisation,
                        "learning_rate": rate,
                        "run": run,
                        "method": method,
                        "AUC": roc_auc_score(labels, values),
                        "AUC_error": auc_difference(labels, values, test_scores).error,
                    }
                    for method, values in found.items()
                ]
    return rows


VARIANTS = Experiment(
    name="durfee2022_variants",
    title="Sections 12 and 13 of Durfee, Gupta and Basu (2022) on networks, and boosting",
    seed=SEED,
    cases=lambda: grid(dataset=PROTOCOLS, inputs=INPUTS),
    run_case=run_case,
    datasets=tuple(PROTOCOLS),
    deviations=(
        "The paper sketches both and tries neither: the protocol is ours.",
        "The networks are the best variant of each size of durfee2022_networks_standard by "
        "their mean validation AUC; their scores are recorded with one byte each.",
        "The column AUC_error is the standard error of the AUC of the method less that of the "
        "network, on the test rows (DeLong).",
        "Scores of the training rows are not recorded: the tree of section 12 is grown on the "
        "calibration part, and so is the tree by Gini beside it; depth 3, a twentieth of the rows "
        "in each leaf.",
        "Section 13: two trees as in the paper's sketch, and ten; depth 3, 500 training rows in "
        "each leaf.",
        "Boosting: scikit-learn's HistGradientBoostingClassifier, stopped by the validation part; "
        "embedded categories as codes in the order of their names.",
    ),
)
