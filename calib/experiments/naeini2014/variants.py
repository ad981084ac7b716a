"""What may be behind cells of Table 1 that differ: chapter 8's explanations, recorded."""

import numpy as np
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

from calib.datasets import rings
from calib.experiments.naeini2014.protocol import N_RUNS, SVMS, rings_sample
from calib.experiments.recording import Experiment
from calib.isotonic import IsotonicCalibrator
from calib.metrics import evaluate

SEED = 58
POOL = 20_000
FLATTER = 20  # by how much the margins are divided
VARIANTS = {  # runs of each
    "one Newton step": N_RUNS,
    "flat score": N_RUNS,
    "classes at random": 60,
}


def newton(scores, labels, n_steps):
    """Slope and intercept of Platt's sigmoid after some Newton steps from zero."""
    n_positive, n_negative = np.sum(labels == 1), np.sum(labels == 0)
    high, low = (n_positive + 1) / (n_positive + 2), 1 / (n_negative + 2)
    targets = np.where(labels == 1, high, low)
    design, weights = np.column_stack([scores, np.ones(labels.size)]), np.zeros(2)
    for _ in range(n_steps):
        p = expit(design @ weights)
        hessian = design.T * (p * (1 - p)) @ design
        weights = weights - np.linalg.solve(hessian, design.T @ (p - targets))
    return weights


def one_newton_step(svm, run):
    """Platt scaling of the scores, stopped after its first step."""
    margins, labels, test_margins, test_labels = rings_sample(svm, run)
    slope, intercept = newton(expit(margins), labels, 1)
    return test_labels, expit(slope * expit(test_margins) + intercept)


def flat_score(svm, run):
    """The raw score of a margin that is centred and much flatter."""
    margins, _, test_margins, test_labels = rings_sample(svm, run)
    return test_labels, expit((test_margins - np.median(margins)) / FLATTER)


def classes_at_random(svm, run):
    """Isotonic regression where the numbers of both classes are random, as in a larger pool.

    The linear SVM may then have all margins equal; logistic regression draws the line in its place.
    """
    X, labels = rings(POOL, np.random.default_rng([SEED, run]))
    X, labels = X[:2000], labels[:2000]
    line = LogisticRegression(tol=1e-10).fit(X[:1000], labels[:1000])
    scores = line.decision_function(X)
    predicted = IsotonicCalibrator().fit(scores[:1000], labels[:1000]).predict(scores[1000:])
    return labels[1000:], predicted


PREDICT = {
    "one Newton step": one_newton_step,
    "flat score": flat_score,
    "classes at random": classes_at_random,
}


def run_variant(case):
    """Measures of one run, for both tie policies."""
    labels, predicted = PREDICT[case["variant"]](case["svm"], case["run"])
    return [{"ties": ties, **evaluate(labels, predicted, ties=ties)} for ties in ["group", "label"]]


def _cases():
    return [
        {"svm": svm, "variant": variant, "run": run}
        for svm in SVMS
        for variant, n_runs in VARIANTS.items()
        for run in range(n_runs)
        if svm == "linear" or variant == "one Newton step"
    ]


RINGS_VARIANTS = Experiment(
    name="naeini2014_rings_variants",
    title="Explanations of cells of Table 1 of Naeini, Cooper and Hauskrecht (2014), tried",
    seed=SEED,
    cases=_cases,
    run_case=run_variant,
    deviations=(
        "'one Newton step': Platt scaling of the scores, stopped after the first step; points and "
        "SVMs are those of naeini2014_rings.",
        "'flat score': the margin less its median, divided by 20.",
        "'classes at random': 1000 and 1000 points of a larger pool; logistic regression in the "
        "place of the linear SVM, which may have no direction there.",
    ),
)
