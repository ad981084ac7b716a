"""What was expected before the benchmark was run, and how each expectation is decided.

This file was committed before the run. While the program was timed, the losses of raw and
beta-calibrated scores on the first split of four data sets (spect, adult, w8a, diabetes130), three
rows of a fifth (mushrooms) and six samples of the tier with known truth had been seen.

A hypothesis says that a quantity is above a threshold. Its 95 % interval comes from a bootstrap
over the sources of data sets (over designs, where the truth is known): *yes* if the interval lies
above the threshold, *no* if below it, *undecided* otherwise. The decisions are not corrected
for their number.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.stats import kendalltau

from experiments.benchmark.analysis import (
    ALL,
    Estimate,
    bootstrap,
    by_dataset,
    cases_of,
    harm_shares,
    infinite_shares,
    sources,
    win_shares,
    wins,
)
from experiments.benchmark.calibrators import CALIBRATORS, RAW
from experiments.benchmark.cross import CVAP
from experiments.benchmark.protocol import FEW

IVAP = "Venn-Abers"
FORESTS = ["forest", "extra trees"]
# Shares of pairs won by log loss in CalArena (arXiv 2605.30188), in the methods of both benchmarks.
CALARENA = {
    "Quadratic": 0.627,
    "Beta": 0.622,
    "Spline": 0.619,
    "Platt on logits": 0.568,
    "Venn-Abers": 0.528,
    "Isotonic": 0.509,
    RAW: 0.477,
    "Platt": 0.341,
    "Histogram": 0.280,
}


class Hypothesis(NamedTuple):
    """An expectation: the quantity is above the threshold.

    Attributes
    ----------
    name, statement, quantity : str
    threshold : float
    estimate : callable
        From ``read``, where ``read(name)`` gives the rows of an experiment, to an `Estimate`.
    """

    name: str
    statement: str
    quantity: str
    threshold: float
    estimate: Callable


class Verdict(NamedTuple):
    """The answer to a hypothesis, with the estimate of its quantity."""

    hypothesis: Hypothesis
    estimate: Estimate
    answer: str


def decide(hypothesis, read):
    """Yes, no or undecided, by the interval of the quantity."""
    estimate = hypothesis.estimate(read)
    answer = "undecided"
    if estimate.lower > hypothesis.threshold:
        answer = "yes"
    elif estimate.upper < hypothesis.threshold:
        answer = "no"
    return Verdict(hypothesis=hypothesis, estimate=estimate, answer=answer)


def _wins(first, second, measure="log_loss", **where):
    """Mean over data sets of the share of cases that the first calibrator wins."""

    def estimate(read):
        names, shares = win_shares(read("benchmark"), first, second, measure, **where)
        return bootstrap(sources(names), shares)

    return estimate


def _both_beat_raw(read):
    cases = cases_of(read("benchmark"), "log_loss", ["Beta", "Quadratic", RAW])
    beta, quadratic, raw = cases.values.T
    won = np.column_stack([wins(beta, raw), wins(quadratic, raw)])
    names, shares = by_dataset(cases.datasets, won)
    return bootstrap(sources(names), shares, np.min)


def _venn_abers_harms_least(read):
    others = [name for name in CALIBRATORS if name != IVAP]
    names, shares = harm_shares(read("benchmark"), [IVAP, *others])
    return bootstrap(sources(names), shares, lambda harm: harm[1:].min() - harm[0])


def _isotonic_is_infinite(read):
    names, shares = infinite_shares(read("benchmark"), ["Isotonic"], points=FEW)
    return bootstrap(sources(names), shares[:, 0])


def _order_of_calarena(read):
    cases = cases_of(read("benchmark"), "log_loss", list(CALARENA))
    won = wins(cases.values[:, :, np.newaxis], cases.values[:, np.newaxis, :])
    names, shares = by_dataset(cases.datasets, won.mean(axis=2))
    theirs = list(CALARENA.values())
    return bootstrap(sources(names), shares, lambda ours: float(kendalltau(ours, theirs).statistic))


def _cross_beats_split(read):
    loss = {}
    for name, calibrator, points in [("benchmark_cross", CVAP, None), ("benchmark", IVAP, ALL)]:
        cases = cases_of(read(name), "log_loss", [calibrator], points=points)
        keys = zip(cases.datasets, cases.models, cases.splits, strict=True)
        loss[calibrator] = dict(zip(keys, cases.values[:, 0], strict=True))
    both = sorted(loss[CVAP].keys() & loss[IVAP].keys())
    cross = np.array([loss[CVAP][case] for case in both])
    split = np.array([loss[IVAP][case] for case in both])
    names, shares = by_dataset(np.array([dataset for dataset, *_ in both]), wins(cross, split))
    return bootstrap(sources(names), shares)


def _closer_to_the_truth(first, second, points):
    """Mean over designs of the share of samples in which the first is closer to the truth."""

    def estimate(read):
        rows = read("benchmark_truth")
        kept = rows["points"] == points
        keys = [rows[key][kept] for key in ["shape", "prevalence", "distribution"]]
        designs = np.array([" ".join(words) for words in zip(*keys, strict=True)])
        names, rms = rows["calibrator"][kept], rows["rms"][kept]
        won = wins(rms[names == first], rms[names == second])
        return bootstrap(*by_dataset(designs[names == first], won))

    return estimate


_SHARE = "share of cases won"
HYPOTHESES = [
    Hypothesis(
        name="logistic",
        statement=(
            "Beta calibration and the quadratic logit each lower the log loss of the raw "
            "probabilities in most cases."
        ),
        quantity=f"the smaller of the two {_SHARE} against raw",
        threshold=0.5,
        estimate=_both_beat_raw,
    ),
    Hypothesis(
        name="boosting",
        statement=(
            "After boosting, Platt scaling on logits has a smaller log loss than on probabilities."
        ),
        quantity=_SHARE,
        threshold=0.5,
        estimate=_wins("Platt on logits", "Platt", models=["boosting"]),
    ),
    Hypothesis(
        name="naive Bayes",
        statement=(
            "After naive Bayes, whose logits are clipped, Platt scaling on probabilities has a "
            "smaller log loss than on logits."
        ),
        quantity=_SHARE,
        threshold=0.5,
        estimate=_wins("Platt", "Platt on logits", models=["naive Bayes"]),
    ),
    Hypothesis(
        name="forests",
        statement=(
            "After forests and extra trees, Platt scaling on probabilities has a smaller log loss "
            "than on logits."
        ),
        quantity=_SHARE,
        threshold=0.5,
        estimate=_wins("Platt", "Platt on logits", models=FORESTS),
    ),
    Hypothesis(
        name="harm",
        statement="Of all calibrators, Venn-Abers makes the log loss worse than raw least often.",
        quantity="the smallest harm rate of another calibrator less that of Venn-Abers",
        threshold=0.0,
        estimate=_venn_abers_harms_least,
    ),
    Hypothesis(
        name="infinite",
        statement=(
            f"Isotonic regression on {FEW} points has infinite log loss in more than half of the "
            "cases."
        ),
        quantity="share of cases with infinite log loss",
        threshold=0.5,
        estimate=_isotonic_is_infinite,
    ),
    Hypothesis(
        name="ENIR",
        statement="ENIR has a smaller Brier score than isotonic regression in most cases.",
        quantity=_SHARE,
        threshold=0.5,
        estimate=_wins("ENIR", "Isotonic", "brier"),
    ),
    Hypothesis(
        name="BBQ",
        statement="BBQ has a smaller Brier score than ten bins of equal frequency in most cases.",
        quantity=_SHARE,
        threshold=0.5,
        estimate=_wins("BBQ", "Histogram", "brier"),
    ),
    Hypothesis(
        name="few points",
        statement=(
            f"On {FEW} calibration points, beta calibration has a smaller log loss than "
            "Venn-Abers in most cases."
        ),
        quantity=_SHARE,
        threshold=0.5,
        estimate=_wins("Beta", IVAP, points=FEW),
    ),
    Hypothesis(
        name="many points",
        statement=(
            "On 10,000 calibration points with known truth, Venn-Abers is closer to the truth "
            "(root mean square) than beta calibration in most samples."
        ),
        quantity="share of samples won",
        threshold=0.5,
        estimate=_closer_to_the_truth(IVAP, "Beta", 10_000),
    ),
    Hypothesis(
        name="heterogeneous",
        statement="Heterogeneous calibration has a larger AUC than the scores that it calibrates.",
        quantity=_SHARE,
        threshold=0.5,
        estimate=_wins("Heterogeneous", RAW, "auc"),
    ),
    Hypothesis(
        name="CalArena",
        statement=(
            "The order of nine calibrators by their share of wins in log loss is that of CalArena."
        ),
        quantity="Kendall's rank correlation of the two orders",
        threshold=0.5,
        estimate=_order_of_calarena,
    ),
    Hypothesis(
        name="cross",
        statement=(
            "CVAP on the rows of training and calibration together has a smaller log loss than "
            "Venn-Abers on the calibration rows alone."
        ),
        quantity=_SHARE,
        threshold=0.5,
        estimate=_cross_beats_split,
    ),
]
