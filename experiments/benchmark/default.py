"""The default calibrator on the second benchmark: its protocol, written down before the run.

This file was committed before the run. Its text of that day is stored as
``results/protocols/benchmark_default.txt``, and every recorded row holds the first digits of the
SHA-256 of that text. The program may change since, but not what it does: a test runs the stored
text and compares both.

What was known before the run: a study of the proposal on 519 cases of 23 of these data sets, with
other splits; 126 real files that judged the advice; the second benchmark, whose data sets, base
models, splits and sizes are taken here, so that every row has its pair there. Three cases and two
simulated samples of those below were run before, to time the program. The average of the second
benchmark (`LikeliestAverage`) is fitted again, for the sums of its predictions.

Two kinds of scores:

* probabilities of all base models;
* margins: the decision function of the SVM, and the scorecards 600 - 30 x logit of logistic
  regression and boosting, rounded to whole numbers. A scorecard falls where the probability rises.

A third record has rare positives: simulated scores whose logits are normal with a standard
deviation of 1.5, and labels from known probabilities, of which 2, 0.5 or 0.05 % are positive.
There the excess of the mean log loss over the mean log loss of the truth is computed on a grid.

Log losses are natural logarithms, with probabilities kept 2 ** -53 away from 0 and 1. All losses
are divided by the entropy of the base rate of the test rows. A calibrator harms where its loss is
larger than the loss of the scores by more than 0.002. For margins the reference is Platt scaling,
which `CalibratedClassifier` had as its default before. A share is a mean over data sets of means
over their cases. Its interval comes from a bootstrap over the sources of data sets.

Expected:

1. Over all sizes the default harms in a smaller share of cases than the earlier average, surely.
   For no size is the share surely larger.
2. The mean log loss and the mean Brier score of the default are not surely larger than those of
   the earlier average: over all sizes, and for each size (with Bonferroni's correction for the
   sizes).
3. The predictions never fall where the scores rise (never rise for a scorecard), in any case.
4. The sum of the predictions over the rows of the fit is within one standard error of the number
   of positives, sqrt(sum p (1 - p)), in every case with both classes.
5. Where one class has fewer than 20 rows, the share of harm is not surely larger than with the
   earlier average.
6. On margins the mean log loss is not surely larger than the mean log loss of Platt scaling, over
   all sizes and for each size.
7. With rare positives the mean excess is smaller than with the earlier average in each of the
   three shares of positives, and smaller than with Venn-Abers surely.
8. Each method of the packages in 'benchmark_second_peers' loses more than half of the cases of
   each size against the default.

The number `trust` stays at 0.5 unless 0.3 or 0.7 has a surely smaller mean log loss over all cases
of probabilities, and a share of harm that is not surely larger.
"""

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit, logit, ndtri
from sklearn.base import BaseEstimator, clone

from calib import PlattScaling, StackedCalibrator, VennAbers
from experiments.benchmark import frozen, second
from experiments.benchmark.calibrators import RAW, Candidate, predictions
from experiments.benchmark.data import DATA_SETS
from experiments.benchmark.first_average import LikeliestAverage
from experiments.benchmark.models import fitted, probabilities
from experiments.benchmark.protocol import rounded
from experiments.recording import Experiment

LEAST = 2.0**-53  # distance of probabilities from 0 and 1 in a log loss
DEFAULT = "Default"
BEFORE = "Average"  # of the second benchmark
OF_THE_DEFAULT = {
    DEFAULT: Candidate(StackedCalibrator()),
    "Default, trust 0.3": Candidate(StackedCalibrator(trust=0.3)),
    "Default, trust 0.7": Candidate(StackedCalibrator(trust=0.7)),
    "Default, centred": Candidate(StackedCalibrator(centred=True)),
}


class BehindPlatt(BaseEstimator):
    """A calibrator of the probabilities that Platt scaling makes of margins."""

    def __init__(self, calibrator):
        self.calibrator = calibrator

    def fit(self, scores, labels):
        """Learn from margins and labels."""
        self.platt_ = PlattScaling().fit(scores, labels)
        self.calibrator_ = clone(self.calibrator).fit(self.platt_.predict(scores), labels)
        return self

    def predict(self, scores):
        """Probabilities of class 1."""
        return self.calibrator_.predict(self.platt_.predict(scores))


FOR_PROBABILITIES = {
    **OF_THE_DEFAULT,
    BEFORE: Candidate(LikeliestAverage()),
    "Venn-Abers": Candidate(VennAbers()),
}
FOR_MARGINS = {  # there `trust` plays no part
    DEFAULT: OF_THE_DEFAULT[DEFAULT],
    "Default, centred": OF_THE_DEFAULT["Default, centred"],
    "Platt": Candidate(PlattScaling()),
    "Average behind Platt": Candidate(BehindPlatt(LikeliestAverage())),
    "Venn-Abers behind Platt": Candidate(BehindPlatt(VennAbers())),
}
SCORECARDS = ["logistic", "boosting"]  # base models whose probabilities become scorecards, too
SHARES = {0.02: [250, 2500, 25_000], 0.005: [1000, 10_000, 100_000], 0.0005: [10_000, 100_000]}
LAWS = {  # slope and shift from the logit of the score to the logit of the truth
    "scores are right": (1.0, 0.0),
    "scores are half the odds": (1.0, np.log(2.0)),
    "scores are over-confident": (0.6, -0.5),
}
SPREAD = 1.5  # standard deviation of the logits of the simulated scores
N_SAMPLES = 20  # of a law and size
GRID = SPREAD * ndtri((np.arange(20_000) + 0.5) / 20_000)  # logits of scores, less their mean


def fingerprint():
    """Return the first twelve digits of the SHA-256 of the stored protocol."""
    return frozen.fingerprint("benchmark_default")


def run_case(case):
    """One base model on one split of one data set: a row a kind of scores, size and calibrator."""
    training, calibration, test = second.split(case["dataset"], case["split"])
    seed = second.seed_of(case["dataset"], case["split"])
    model = fitted(case["model"], training.X, training.labels, seed)
    rows = []
    for part in second.samples(calibration, seed):
        about = {"points": part.labels.size, "positives": int(part.labels.sum())}
        for kind, scores_of, candidates in kinds_of_scores(case["model"]):
            own = scores_of(model, part.X), part.labels
            fresh = scores_of(model, test.X), test.labels
            for row in judged(own, fresh, candidates):
                if kind == "probabilities" or row["calibrator"] != RAW:
                    rows.append({"scores": kind, **about, **row, "protocol": fingerprint()})
    return rows


def kinds_of_scores(name):
    """Name of a kind, function from a model and features to scores, and calibrators for them."""
    yield "probabilities", probabilities, FOR_PROBABILITIES
    if name == "SVM":
        yield "margins", lambda model, X: model.decision_function(X), FOR_MARGINS
    if name in SCORECARDS:
        yield "scorecard", scorecard, FOR_MARGINS


def scorecard(model, X):
    """600 - 30 x logit of the probabilities, in whole numbers."""
    p = np.clip(probabilities(model, X), LEAST, 1 - LEAST)
    return np.round(600 - 30 * logit(p))


def judged(own, fresh, candidates):
    """Rows of all candidates: losses on fresh rows, sums, and how often predictions fall.

    Both samples are pairs of scores and labels. Beyond the protocol: the number of fresh rows.
    """
    (scores, labels), (test_scores, test_labels) = own, fresh
    both = np.append(scores, test_scores)
    for name, p, seconds in predictions(scores, labels, both, candidates):
        of_fit, of_test = p[: labels.size], p[labels.size :]
        yield {
            "calibrator": name,
            **losses(test_labels, of_test),
            "sum_of_fit": rounded(of_fit.sum()),
            "variance_of_fit": rounded((of_fit * (1 - of_fit)).sum()),
            "sum_of_test": rounded(of_test.sum()),
            "positives_of_test": int(test_labels.sum()),
            "rows_of_test": test_labels.size,
            "falls": n_falls(both, p),
            "rises": n_falls(-both, p),
            "seconds": rounded(seconds),
        }


def losses(labels, p):
    """Mean log loss and Brier score, divided by the entropy of the base rate."""
    unit = entropy(labels.mean())
    inside = np.clip(p, LEAST, 1 - LEAST)
    log_losses = np.where(labels == 1, -np.log(inside), -np.log1p(-inside))
    return {
        "log_loss": rounded(log_losses.mean() / unit),
        "brier": rounded(np.mean((p - labels) ** 2) / unit),
    }


def entropy(rate):
    """Mean log loss of who always says the base rate."""
    return -rate * np.log(rate) - (1 - rate) * np.log1p(-rate)


def n_falls(scores, p):
    """How many steps from one distinct score to the next lower the prediction."""
    order = np.argsort(scores, kind="stable")
    rises = np.diff(scores[order]) > 0
    return int(np.count_nonzero(np.diff(p[order])[rises] < 0))


def run_rare(case):
    """One simulated sample with rare positives: a row for each calibrator."""
    slope, shift = LAWS[case["law"]]
    mean = mean_logit(slope, shift, case["share"])
    seed = [second.SEED, list(LAWS).index(case["law"]), case["points"], case["sample"]]
    rng = np.random.default_rng([*seed, round(1 / case["share"])])
    logits = rng.normal(mean, SPREAD, case["points"])
    labels = (rng.random(logits.size) < expit(slope * logits + shift)).astype(np.int64)
    grid = mean + GRID
    truth = expit(slope * grid + shift)
    both = expit(np.append(logits, grid))
    rows = []
    for name, p, seconds in predictions(both[: labels.size], labels, both, FOR_PROBABILITIES):
        of_fit, of_grid = p[: labels.size], p[labels.size :]
        row = {
            "positives": int(labels.sum()),
            "calibrator": name,
            "excess": rounded(excess(truth, of_grid)),
            "sum_of_fit": rounded(of_fit.sum()),
            "variance_of_fit": rounded((of_fit * (1 - of_fit)).sum()),
            "ratio_of_means": rounded(of_grid.mean() / truth.mean()),
            "seconds": rounded(seconds),
        }
        rows.append({**row, "protocol": fingerprint()})
    return rows


def mean_logit(slope, shift, share):
    """Mean logit of the scores with which the given share of rows is positive."""
    return brentq(
        lambda mean: expit(slope * (mean + GRID) + shift).mean() - share, -60, 60, xtol=1e-12
    )


def excess(truth, p):
    """Expected log loss of `p` above the truth's, divided by the entropy of the base rate."""
    inside = np.clip(p, LEAST, 1 - LEAST)
    divergence = truth * np.log(truth / inside) + (1 - truth) * np.log((1 - truth) / (1 - inside))
    return divergence.mean() / entropy(truth.mean())


def rare_cases():
    """All simulated samples, the first of each law, share and size first."""
    return [
        {"law": law, "share": share, "points": points, "sample": number}
        for number in range(N_SAMPLES)
        for law in LAWS
        for share, sizes in SHARES.items()
        for points in sizes
    ]


_PROTOCOL = (
    "The protocol is experiments/benchmark/default.py as it was before the run, stored as "
    "results/protocols/benchmark_default.txt; every row holds the first digits of its SHA-256."
)
BENCHMARK_DEFAULT = Experiment(
    name="benchmark_default",
    title=f"The default calibrator at five sizes, on {len(DATA_SETS)} real data sets",
    seed=second.SEED,
    cases=second.cases,
    run_case=run_case,
    deviations=(
        _PROTOCOL,
        "The column 'rows_of_test' was added to the recorded rows after the run, from the splits.",
        "Cases, data, base models, splits and sizes are those of 'benchmark_second'; losses are "
        "divided by the entropy of the base rate of the test rows.",
    ),
    datasets=tuple(dataset.name for dataset in DATA_SETS),
)
BENCHMARK_DEFAULT_RARE = Experiment(
    name="benchmark_default_rare",
    title="The default calibrator where positives are rare, on simulated samples",
    seed=second.SEED,
    cases=rare_cases,
    run_case=run_rare,
    deviations=(_PROTOCOL,),
)
