"""Heterogeneous calibration of recorded networks: Durfee, Gupta and Basu (2022), section 6."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from scipy.special import expit, logit
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from calib import HeterogeneousCalibrator, PlattScaling
from calib.metrics import brier_score_loss, expected_calibration_error, log_loss, roc_auc_score
from calibkit.inference import auc_difference
from experiments.durfee2022.data import PROTOCOLS, SEED, features, split
from experiments.durfee2022.scores import BUDGETS, cases, read_scores
from experiments.recording import Experiment

BUDGET = "standard"
TREES = [(depth, leaf) for depth in (3, 5) for leaf in (100, 500)]
N_TREES = 25
SMALLEST_PART = 50


class Partitions(NamedTuple):
    """Trees and a forest of the training part of a run, as seen from the other two parts.

    Attributes
    ----------
    labels : dict of str to array
        Of the calibration and the test part.
    leaves : dict of tuple to dict of str to array
        For each depth and smallest leaf in `TREES`, the leaf of each row of those parts.
    logits : dict of tuple to dict of str to array
        Logit of the share of positives among the training rows of that leaf.
    forest : dict of str to array of shape (rows, trees)
        Leaf of each row in each tree of a forest.
    """

    labels: dict
    leaves: dict
    logits: dict
    forest: dict


@lru_cache(maxsize=BUDGETS[BUDGET].n_runs)
def partitions(dataset, run, n_training=BUDGETS[BUDGET].n_training):
    """Train the trees and the forest of a run on at most so many rows, or on all."""
    encoded = features(dataset)
    rows = split(dataset, run, encoded.labels, encoded.held_out, at_most=n_training)
    table = encoded.table.to_numpy()
    training = table[rows["training"]], encoded.labels[rows["training"]]
    parts = {part: table[rows[part]] for part in ["calibration", "test"]}
    leaves, logits = {}, {}
    for depth, leaf in TREES:
        tree = DecisionTreeClassifier(max_depth=depth, min_samples_leaf=leaf, random_state=run)
        tree.fit(*training)
        leaves[depth, leaf] = {part: tree.apply(X) for part, X in parts.items()}
        logits[depth, leaf] = {
            part: np.clip(logit(tree.predict_proba(X)[:, 1]), -10, 10) for part, X in parts.items()
        }
    forest = RandomForestClassifier(N_TREES, max_depth=5, min_samples_leaf=100, random_state=run)
    forest.fit(*training)
    return Partitions(
        labels={part: encoded.labels[rows[part]] for part in parts},
        leaves=leaves,
        logits=logits,
        forest={part: forest.apply(X) for part, X in parts.items()},
    )


def heterogeneous(leaves, scores, labels, new_leaves, new_scores):
    """Probabilities by Platt scaling in each leaf."""
    return by_leaves(leaves, scores, labels).predict(new_scores, groups=new_leaves)


def by_leaves(leaves, scores, labels):
    """Fitted calibrator whose parts are the leaves."""
    return HeterogeneousCalibrator(min_part_size=SMALLEST_PART).fit(scores, labels, groups=leaves)


def choose_tree(leaves, scores, labels, seed):
    """The pair in `TREES` with the best AUC when the calibration part is cut into five folds."""
    folds = StratifiedKFold(5, shuffle=True, random_state=seed)
    areas = {}
    for tree in TREES:
        own = leaves[tree]["calibration"]
        predicted = np.empty(len(scores))
        for fit, held_out in folds.split(scores, labels):
            predicted[held_out] = heterogeneous(
                own[fit], scores[fit], labels[fit], own[held_out], scores[held_out]
            )
        areas[tree] = roc_auc_score(labels, predicted)
    return max(areas, key=areas.get)


def calibrated(dataset, run, scores, test_scores):
    """Probabilities of the test rows by every method, and the chosen tree.

    Parameters
    ----------
    dataset : str
    run : int
    scores, test_scores : ndarrays
        Logits of a network on the calibration and the test part of the run.

    Returns
    -------
    chosen : tuple of int
        Depth and smallest leaf of the tree behind "tree", "heterogeneous", "random parts" and
        "stack".
    probabilities : dict of str to array
    """
    of = partitions(dataset, run)
    labels = of.labels["calibration"]
    rng = np.random.default_rng([SEED, run])

    def by_leaf(leaves):
        return heterogeneous(leaves["calibration"], scores, labels, leaves["test"], test_scores)

    chosen = choose_tree(of.leaves, scores, labels, run)
    leaves, logits = of.leaves[chosen], of.logits[chosen]
    trees = [{part: own[:, k] for part, own in of.forest.items()} for k in range(N_TREES)]
    stack = make_pipeline(StandardScaler(), LogisticRegression())
    stack.fit(np.column_stack([scores, logits["calibration"]]), labels)
    return chosen, {
        "network": expit(test_scores),
        "Platt": PlattScaling().fit(scores, labels).predict(test_scores),
        "tree": expit(logits["test"]),
        "heterogeneous": by_leaf(leaves),
        "forest": np.mean([by_leaf(tree) for tree in trees], axis=0),
        "random parts": by_leaf({part: rng.permutation(own) for part, own in leaves.items()}),
        "stack": stack.predict_proba(np.column_stack([test_scores, logits["test"]]))[:, 1],
        **{f"depth {depth} leaf {leaf}": by_leaf(of.leaves[depth, leaf]) for depth, leaf in TREES},
    }


def run_case(case):
    """Calibrate every network of a family; measure each method on the test part."""
    rows = []
    for run, rate, scores, test_scores in read_scores(case, BUDGET):
        of = partitions(case["dataset"], run)
        labels = of.labels["test"]
        chosen, probabilities = calibrated(case["dataset"], run, scores, test_scores)
        leaves = of.leaves[chosen]["calibration"]
        parts = by_leaves(leaves, scores, of.labels["calibration"]).parts_
        # the probabilities of a very confident network round to 1, its logits do not
        values = {**probabilities, "network": test_scores}
        rows += [
            {
                "run": run,
                "learning_rate": rate,
                "depth": chosen[0],
                "leaf": chosen[1],
                "parts": len(parts),
                "own": sum(not part.fallback for part in parts),
                "method": method,
                "AUC": roc_auc_score(labels, values[method]),
                "AUC_error": auc_difference(labels, values[method], test_scores).error,
                "log_loss": log_loss(labels, np.clip(predicted, 1e-12, 1 - 1e-12)),
                "Brier": brier_score_loss(labels, predicted),
                "ECE": expected_calibration_error(labels, predicted),
            }
            for method, predicted in probabilities.items()
        ]
    return rows


LIFT = Experiment(
    name="durfee2022_lift",
    title="Tables 1 to 3 of Durfee, Gupta and Basu (2022): AUC of networks, calibrated by leaf",
    seed=SEED,
    cases=cases,
    run_case=run_case,
    datasets=tuple(PROTOCOLS),
    deviations=(
        "The networks are those of durfee2022_networks_standard, with the deviations named there; "
        "their scores are recorded with one byte each.",
        "The depths and leaf sizes tried are lost from the text we have: depths 3 and 5, leaves "
        "of 100 and 500 training rows are ours; five folds of the calibration part choose.",
        f"Parts that tell less than {SMALLEST_PART} calibration rows of balanced classes would get "
        "the calibrator of all, shifted; the column own counts the parts with one of their own.",
        "Embedded categories enter the trees as codes in the order of their names.",
        "The column AUC_error is the standard error of the AUC of the method less that of the "
        "network, on the test rows (DeLong).",
        "Added: Platt scaling of all rows, the tree alone, a forest of partitions, parts of the "
        "same sizes drawn at random, and logistic regression on the logits of network and tree.",
    ),
)
