"""The benchmark on invented scores whose true probabilities are known: errors are exact."""

import functools
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit, logit, rel_entr
from scipy.stats import beta

from calib.metrics import roc_auc_score
from experiments.benchmark.calibrators import predictions
from experiments.benchmark.data import SEED
from experiments.benchmark.protocol import rounded
from experiments.recording import Experiment

N_POINTS = 20_000  # of a population; calibration samples are drawn from it with replacement
N_REPETITIONS = 10
SIZES = [100, 1000, 10_000]
PREVALENCES = {"balanced": 0.5, "rare": 0.05}
_EVEN = (np.arange(N_POINTS) + 0.5) / N_POINTS
DISTRIBUTIONS = {
    "uniform": _EVEN,
    "U-shaped": beta(0.5, 0.5).ppf(_EVEN),
    "20 values": (np.floor(20 * _EVEN) + 0.5) / 20,
}
# True log-odds by those of the score, before both are shifted to the prevalence.
SHAPES = {
    "calibrated": lambda t: t,
    "over-confident": lambda t: 0.5 * t,
    "under-confident": lambda t: 2 * t,
    "asymmetric": lambda t: 0.4 * np.log(expit(t)) - 1.6 * np.log(expit(-t)),
    "steps": lambda t: 2.0 * np.digitize(expit(t), [0.2, 0.5, 0.8]) - 3,
    "bump": lambda t: t + 3 * np.exp(-2 * (t + 1.5) ** 2),
}


class Population(NamedTuple):
    """Equally likely scores, and the probability of a positive at each."""

    scores: np.ndarray
    truth: np.ndarray


class Errors(NamedTuple):
    """Of predictions over a whole population.

    Attributes
    ----------
    rms, mae : float
        Root mean square and mean of the distance from the true probability.
    regret : float
        Expected log loss less that of the truth: the mean Kullback-Leibler divergence; infinite if
        a possible outcome gets probability 0.
    auc_loss : float
        AUC of the truth, which no function of the score exceeds, less that of the predictions.
    """

    rms: float
    mae: float
    regret: float
    auc_loss: float


@functools.cache
def population(shape, prevalence, distribution):
    """The scores, shifted on the log-odds scale to have the prevalence as their mean."""
    t = logit(DISTRIBUTIONS[distribution])
    wanted = PREVALENCES[prevalence]
    shift = brentq(lambda c: expit(t + c).mean() - wanted, -20, 20)
    return Population(expit(t + shift), expit(SHAPES[shape](t) + shift))


def exact_errors(truth, p):
    """`Errors` of predictions for equally likely points with these true probabilities."""
    regret = rel_entr(truth, p) + rel_entr(1 - truth, 1 - p)
    return Errors(
        rms=float(np.sqrt(np.mean((p - truth) ** 2))),
        mae=float(np.mean(np.abs(p - truth))),
        regret=float(np.mean(regret)),
        auc_loss=_auc(truth, truth) - _auc(truth, p),
    )


def _auc(truth, p):
    """AUC of predictions in the population: each point is a positive with its probability."""
    labels = np.repeat([1, 0], truth.size)
    return roc_auc_score(labels, np.tile(p, 2), sample_weight=np.append(truth, 1 - truth))


def run_case(case):
    """One calibration sample: a row a calibrator."""
    scores, truth = population(case["shape"], case["prevalence"], case["distribution"])
    design = f"{case['shape']} {case['prevalence']} {case['distribution']}"
    rng = np.random.default_rng([SEED, case["repetition"], case["points"], *design.encode()])
    drawn = rng.integers(0, truth.size, case["points"])
    labels = (rng.random(drawn.size) < truth[drawn]).astype(np.int8)
    return [
        {
            "calibrator": name,
            **{key: rounded(value) for key, value in exact_errors(truth, p)._asdict().items()},
            "seconds": rounded(seconds),
        }
        for name, p, seconds in predictions(scores[drawn], labels, scores)
    ]


def cases():
    """All cases, the first repetition of every design and size first."""
    return [
        {
            "shape": shape,
            "prevalence": prevalence,
            "distribution": distribution,
            "points": points,
            "repetition": repetition,
        }
        for repetition in range(N_REPETITIONS)
        for points in SIZES
        for shape in SHAPES
        for prevalence in PREVALENCES
        for distribution in DISTRIBUTIONS
    ]


BENCHMARK_TRUTH = Experiment(
    name="benchmark_truth",
    title=f"Calibrators on scores with known truth, {len(SHAPES)} shapes, {N_REPETITIONS} samples",
    seed=SEED,
    cases=cases,
    run_case=run_case,
    deviations=(
        f"The population of a design has {N_POINTS} equally likely points at the quantiles of its "
        "distribution of scores; errors are exact for it.",
        "Prevalence is the mean of the scores; that of the outcomes is the same where the scores "
        "are calibrated, and near it for the other shapes.",
        "Calibrators that look at features have none here; ABB has at most 2000 points.",
        "'Chosen by CV' was recorded later than the rest, once CalibratorCV dealt rows to folds at "
        "random; its seconds are those of the first time.",
    ),
)
