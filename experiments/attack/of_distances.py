"""Statements about distances to calibration (chapters C5 and C6)."""

from dataclasses import replace

import numpy as np
from scipy.optimize import linprog

from calibkit.inference import kuiper_error, smooth_calibration_error, smooth_ece
from experiments.attack.samples import quantile
from experiments.attack.statement import states

GRID = 41  # values that the calibrated prediction of the linear program may take
HALF_STEP = 0.5 / (GRID - 1)  # so much it may be above the lower distance (lem-c33-grid)
RESOLVED = 3e-4  # smooth_ece is no better
ROOT = 2 / 3**0.25  # constant before the root in thm-c33-upper


def forecast(law):
    """Distinct predictions, and the masses of positives and of negatives there."""
    said, cell = np.unique(law.prediction, return_inverse=True)
    positive = np.bincount(cell, law.mass * law.truth)
    return said, positive, np.bincount(cell, law.mass * (1 - law.truth))


def measured(measure, law):
    """A measure of samples, of the population: masses as weights."""
    said, positive, negative = forecast(law)
    labels = np.repeat([1, 0], said.size)
    return measure(labels, np.tile(said, 2), sample_weight=np.append(positive, negative))


def ece(law):
    """The ECE at all values of the prediction."""
    said, positive, negative = forecast(law)
    return np.abs(positive - (positive + negative) * said).sum()


def lower_distance(law):
    """The linear program of chapter C5: the lower distance, and up to `HALF_STEP` more."""
    said, positive, negative = forecast(law)
    values = np.union1d(np.linspace(0, 1, GRID), said)
    cost = np.tile(np.abs(values[:, None] - said).ravel(), 2)
    k, m = said.size, values.size
    marginals = np.kron(np.eye(2), np.tile(np.eye(k), m))
    ones = np.ones(k)
    calibrated = np.hstack([np.kron(np.diag(1 - values), ones), np.kron(np.diag(-values), ones)])
    program = linprog(
        cost,
        A_eq=np.vstack([marginals, calibrated]),
        b_eq=np.concatenate([positive, negative, np.zeros(m)]),
    )
    return max(program.fun, 0.0)


def upper_distance(law):
    """The best partition of the values, each group at its fraction of positives."""
    said, positive, negative = forecast(law)
    mass = positive + negative
    costs = []
    for blocks in partitions(said.size):
        moves = [mass[b] @ np.abs(said[b] - positive[b].sum() / mass[b].sum()) for b in blocks]
        costs.append(sum(moves))
    return min(costs)


def bias(law):
    """Base rate less mean prediction."""
    said, positive, negative = forecast(law)
    return positive.sum() - (positive + negative) @ said


def right_on_average(law):
    """The law with its predictions moved by the bias; None if one leaves [0, 1]."""
    said = law.prediction + bias(law)
    if said.min() < 0 or said.max() > 1:
        return None
    return replace(law, prediction=said)


def partitions(n):
    """All partitions of 0, ..., n - 1 into blocks."""
    if n == 0:
        yield []
        return
    for blocks in partitions(n - 1):
        for i, block in enumerate(blocks):
            yield [*blocks[:i], [*block, n - 1], *blocks[i + 1 :]]
        yield [*blocks, [n - 1]]


@states("thm-c33-kuiper: smCE", "C5")
def smooth_and_kuiper(law):
    """2/3 of smCE <= Kuiper error."""
    return 2 / 3 * measured(smooth_calibration_error, law), measured(kuiper_error, law)


@states("thm-c33-kuiper: ECE", "C5")
def kuiper_and_ece(law):
    """Kuiper error <= ECE."""
    return measured(kuiper_error, law), ece(law)


@states("thm-c33-lower: half", "C5")
def smooth_below(law):
    """Half of smCE <= lower distance."""
    return measured(smooth_calibration_error, law) / 2, lower_distance(law) + 1e-9


@states("thm-c33-lower: twice", "C5")
def smooth_above(law):
    """Lower distance <= twice smCE."""
    return lower_distance(law) - HALF_STEP, 2 * measured(smooth_calibration_error, law)


@states("thm-c33-upper: lower", "C5")
def upper_and_lower(law):
    """Upper distance <= 2 / 3^(1/4) roots of the lower one, and the lower one."""
    distance = lower_distance(law)
    return upper_distance(law), ROOT * np.sqrt(distance) + distance + 1e-9


@states("thm-c33-upper: smCE", "C5")
def upper_and_smooth(law):
    """Upper distance <= 2 / 3^(1/4) roots of (smCE less the bias), and the bias."""
    size = abs(bias(law))
    area = max(measured(smooth_calibration_error, law) - size, 0)
    return upper_distance(law), ROOT * np.sqrt(area) + size + 1e-9


@states("prop-c33-average: lower", "C5")
def smooth_below_on_average(law):
    """Right on average in an interval of length l: smCE / (1 + l/2) <= lower distance."""
    moved = right_on_average(law)
    if moved is None:
        return None
    width = np.ptp(moved.prediction)
    smooth = measured(smooth_calibration_error, moved)
    return smooth / (1 + width / 2), lower_distance(moved) + 1e-9


@states("prop-c33-average: two values", "C5")
def upper_of_two_values(law):
    """Right on average with two values: upper distance <= root of smCE."""
    moved = right_on_average(law)
    if moved is None or np.unique(moved.prediction).size != 2:
        return None
    return upper_distance(moved), np.sqrt(measured(smooth_calibration_error, moved)) + 1e-9


@states("thm-c33-smece: distance", "C5")
def smooth_ece_and_distance(law):
    """Half of the lower distance <= smECE."""
    return (lower_distance(law) - HALF_STEP) / 2, measured(smooth_ece, law) + RESOLVED


@states("thm-c33-smece: root", "C5")
def smooth_ece_and_root(law):
    """The smECE <= root of smCE."""
    root = np.sqrt(measured(smooth_calibration_error, law))
    return measured(smooth_ece, law) - RESOLVED, root


@states("thm-c33-smece: smCE", "C5")
def smooth_ece_and_smooth(law):
    """The smCE <= 1.8 smECE."""
    bound = 1.8 * (measured(smooth_ece, law) + RESOLVED)
    return measured(smooth_calibration_error, law), bound


@states("thm-c33-smece: ECE", "C5")
def smooth_ece_and_ece(law):
    """The smECE <= ECE."""
    return measured(smooth_ece, law) - RESOLVED, ece(law)


def _against_rate(measure, law, constant):
    """Quantile of the error of a measure in samples, over the bound."""
    rng, n = np.random.default_rng(law.seed), law.size
    said, positive, negative = forecast(law)
    masses = np.append(positive, negative)
    bound = constant * np.sqrt(np.log(4 / law.alpha) / (2 * n))
    if bound >= 1:  # it says nothing
        return None
    exact, labels = measured(measure, law), np.repeat([1, 0], said.size)
    samples = rng.multinomial(n, masses / masses.sum(), size=60)
    found = [measure(labels, np.tile(said, 2), sample_weight=counts) for counts in samples]
    return quantile(np.abs(np.array(found) - exact) / bound, law.alpha), 1.0


@states("thm-c34-rate: smCE", "C6")
def rate_of_smooth(law):
    """P(smCE of n cases errs more than its bound) <= delta."""
    return _against_rate(smooth_calibration_error, law, 6)


@states("thm-c34-rate: Kuiper", "C6")
def rate_of_kuiper(law):
    """P(Kuiper error of n cases errs more than its bound) <= delta."""
    return _against_rate(kuiper_error, law, 4)
