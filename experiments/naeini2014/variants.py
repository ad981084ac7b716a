"""What may be behind cells of Tables 1 and 2 that differ: tests of chapters 20 and 21, recorded."""

from functools import partial

import numpy as np
from scipy.special import expit
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

from calib import HistogramBinning, IsotonicCalibrator
from calibkit.datasets import rings
from experiments.contents import Cause
from experiments.naeini2014.protocol import (
    N_RUNS,
    SVMS,
    by_ties,
    measured,
    methods,
    rings_sample,
    support_vector_machine,
)
from experiments.recording import Experiment, grid

SEED = 58
POOL = 20_000
FLATTER = 20  # by how much the margins are divided
PENALTY = 7.0  # of half the square of Platt's slope
BINS_AT = {100: 10, 1000: "cube_root", 10_000: "cube_root"}
N_SIZE_RUNS = 30
OF_THE_QUADRATIC = "0.0075"  # C, inferred from the raw row of the quadratic SVM
PENALTIES = ["0.0001", "0.001", OF_THE_QUADRATIC, "0.01", "0.1", "10"]
VARIANTS = {  # runs of each
    "one Newton step": N_RUNS,
    "penalised slope": N_RUNS,
    "flat score": N_RUNS,
    "classes at random": 60,
}


def newton(scores, labels, n_steps, penalty=0.0):
    """Slope and intercept of Platt's sigmoid after some Newton steps from zero.

    `penalty` is that of half the square of the slope.
    """
    n_positive, n_negative = np.sum(labels == 1), np.sum(labels == 0)
    high, low = (n_positive + 1) / (n_positive + 2), 1 / (n_negative + 2)
    targets = np.where(labels == 1, high, low)
    design, weights = np.column_stack([scores, np.ones(labels.size)]), np.zeros(2)
    ridge = np.diag([penalty, 0.0])
    for _ in range(n_steps):
        p = expit(design @ weights)
        hessian = design.T * (p * (1 - p)) @ design + ridge
        gradient = design.T @ (p - targets) + ridge @ weights
        weights = weights - np.linalg.solve(hessian, gradient)
    return weights


def small_slope(svm, run, *, n_steps, penalty, template=None):
    """Platt scaling of the scores, stopped early or with a penalty."""
    margins, labels, test_margins, test_labels = rings_sample(svm, run, template=template)
    slope, intercept = newton(expit(margins), labels, n_steps, penalty)
    return test_labels, expit(slope * expit(test_margins) + intercept)


def flat_score(svm, run):
    """The raw score of a margin that is centred and much flatter."""
    margins, _, test_margins, test_labels = rings_sample(svm, run)
    return test_labels, expit((test_margins - np.median(margins)) / FLATTER)


def at_random(n, rng):
    """Points of a large pool: the numbers of both classes are random."""
    X, labels = rings(max(POOL, 20 * n), rng)
    return X[:n], labels[:n]


def quadratic_machine(template):
    """An unfitted copy of the template, or the quadratic SVM of the study where it is None."""
    return support_vector_machine("quadratic") if template is None else clone(template)


def classes_at_random(svm, run):
    """Isotonic regression where the numbers of both classes are random, as in a larger pool.

    The linear SVM may then have all margins equal; logistic regression draws the line in its place.
    """
    X, labels = at_random(2000, np.random.default_rng([SEED, run]))
    line = LogisticRegression(tol=1e-10).fit(X[:1000], labels[:1000])
    scores = line.decision_function(X)
    predicted = IsotonicCalibrator().fit(scores[:1000], labels[:1000]).predict(scores[1000:])
    return labels[1000:], predicted


PREDICT = {
    "one Newton step": partial(small_slope, n_steps=1, penalty=0.0),
    "penalised slope": partial(small_slope, n_steps=30, penalty=PENALTY),
    "flat score": flat_score,
    "classes at random": classes_at_random,
}


def run_variant(case):
    """Measures of one run, for both tie policies."""
    return by_ties(*PREDICT[case["variant"]](case["svm"], case["run"]))


def _cases():
    return [
        {"svm": svm, "variant": variant, "run": run}
        for svm in SVMS
        for variant, n_runs in VARIANTS.items()
        for run in range(n_runs)
        if svm == "linear" or variant in ["one Newton step", "penalised slope"]
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
        "'penalised slope': Platt scaling of the scores with a penalty of 7 on half the square of "
        "its slope.",
        "'flat score': the margin less its median, divided by 20.",
        "'classes at random': 1000 and 1000 points of a larger pool; logistic regression in the "
        "place of the linear SVM, which may have no direction there.",
    ),
)


def run_size_variant(case, template=None):
    """Histogram binning of a quadratic SVM where the numbers of both classes are random."""
    rng = np.random.default_rng([SEED, 2, case["size"], case["run"]])
    machine = quadratic_machine(template).fit(*at_random(1000, rng))

    def draw(n):
        X, labels = at_random(n, rng)
        return expit(machine.decision_function(X)), labels

    fitted = HistogramBinning(n_bins=BINS_AT[case["size"]]).fit(*draw(case["size"]))
    scores, labels = draw(10_000)
    return by_ties(labels, fitted.predict(scores))


SIZE_VARIANTS = Experiment(
    name="naeini2014_size_variants",
    title="An explanation of cells of Table 2 of Naeini, Cooper and Hauskrecht (2014), tried",
    seed=SEED,
    cases=lambda: grid(size=BINS_AT, run=range(N_SIZE_RUNS)),
    run_case=run_size_variant,
    deviations=(
        "All points, for training, calibration and test, are drawn from larger pools, so that the "
        "numbers of both classes are random; quadratic SVM.",
        "Ten bins at 100 points, the cube root at 1000 and 10,000.",
    ),
)


def run_penalty(case):
    """Table 1 with another C of the linear SVM; also the raw score on 10,000 test points."""
    penalty = {"C": float(case["C"])}
    margins, labels, test_margins, test_labels = rings_sample("linear", case["run"], **penalty)
    scores, test_scores = expit(margins), expit(test_margins)
    predictions = {"Raw": test_scores}
    for name, calibrator in methods().items():
        predictions[name] = calibrator.fit(scores, labels).predict(test_scores)
    *_, many, many_labels = rings_sample("linear", case["run"], n_test=10_000, **penalty)
    rows = measured(test_labels, predictions)
    return rows + measured(many_labels, {"Raw, 10,000 points": expit(many)})


PENALTY_VARIANTS = Experiment(
    name="naeini2014_rings_penalties",
    title="Table 1 of Naeini, Cooper and Hauskrecht (2014) with other penalties of the linear SVM",
    seed=SEED,
    cases=lambda: grid(C=PENALTIES, run=range(N_RUNS)),
    run_case=run_penalty,
    deviations=(
        "Points are those of naeini2014_rings; C in powers of ten, and that of the quadratic SVM.",
    ),
)


def penalty_causes(tables, chapter):
    """Each of the other penalties as a supposed cause of differences in some tables."""
    return [
        Cause(
            name=f"linear-penalty-{C}",
            title=f"C = {C} of the linear SVM"
            + (", that of the quadratic one" if C == OF_THE_QUADRATIC else ""),
            changes={"C": C},
            tables=tuple(tables),
            chapter=chapter,
            experiments=(PENALTY_VARIANTS.name,),
            after="ties-by-label",
            setting="linear SVM",
        )
        for C in PENALTIES
    ]


def run_raw_variant(case, template=None):
    """The raw score of a quadratic SVM where the numbers of both classes are random."""
    rng = np.random.default_rng([SEED, 3, case["run"]])
    machine = quadratic_machine(template).fit(*at_random(1000, rng))
    rows = []
    for n in [1000, 10_000]:
        X, labels = at_random(n, rng)
        scores = {str(n): expit(machine.decision_function(X))}
        rows += measured(labels, scores, key="test_points")
    return rows


RAW_VARIANTS = Experiment(
    name="naeini2014_raw_variants",
    title="The raw rows of Tables 1 and 2 where the numbers of both classes are random",
    seed=SEED,
    cases=lambda: grid(run=range(N_SIZE_RUNS)),
    run_case=run_raw_variant,
    deviations=("Quadratic SVM; all points are drawn from larger pools.",),
)
