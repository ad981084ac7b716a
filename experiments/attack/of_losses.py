"""Statements about losses, profits, patches and averages (chapters 8, 11, 22, C7, C8 and C12)."""

from typing import NamedTuple

import numpy as np
from scipy.special import betaln, expit, logit, logsumexp, softmax, xlogy

from calib import NearIsotonicPath
from calib.kernels.level import level_shift
from experiments.attack.chances import any_of, divergence, shares
from experiments.attack.of_orders import total_log_loss
from experiments.attack.statement import states


@states("thm-c10-price", "22")
def price_of_miscalibration(law):
    """Profit lost by wrong probabilities <= E[a |r' - r|]."""
    gift, cost = 1.0 + law.counts, law.threshold * (1 + law.counts.max())
    differs = (law.prediction * gift > cost) != (law.truth * gift > cost)
    lost = law.mass @ (np.abs(law.truth * gift - cost) * differs)
    return lost, law.mass @ (gift * np.abs(law.prediction - law.truth))


@states("thm-c11-regret", "8")
def regret_of_the_average(law):
    """Log loss of the average, above that of the best model <= log T.

    The models are constants, one a cell; the labels come in the order of the cells.
    """
    models = np.clip(law.prediction, 1e-12, 1 - 1e-12)
    labels = np.repeat(np.tile([1, 0], law.counts.size), _turns(law))[:200]
    losses, total = np.zeros(models.size), 0.0
    for label in labels:
        weights = np.exp(losses.min() - losses)
        chances = models if label else 1 - models
        total -= np.log(weights @ chances / weights.sum())
        losses -= np.log(chances)
    return total - losses.min(), np.log(models.size)


def _turns(law):
    return np.stack([law.positives, law.counts - law.positives], axis=1).ravel()


@states("thm-c14-likelihood", "11")
def likelihood_falls_along_the_path(law):
    """Log loss at a smaller penalty <= at a larger one, on the path."""
    used = law.counts > 0
    positives, counts = law.positives[used], law.counts[used]
    if positives.sum() in (0, counts.sum()):
        return None
    rows = np.concatenate([np.repeat([1, 0], [m, n - m]) for m, n in zip(positives, counts)])  # noqa: B905
    cells = np.arange(counts.size)
    path = NearIsotonicPath().fit(np.repeat(cells, counts), rows)
    end = 1.2 * path.lambdas_.max(initial=0.1)
    penalties = end * law.threshold * np.array([law.alpha, 1])
    value, bound = (
        total_log_loss(positives, counts, path.predict(cells, lam=lam).clip(0, 1))
        for lam in penalties
    )
    return value, bound


@states("thm-c35-regret", "C7")
def regret_of_half_a_point(law):
    """Log loss of (m + 1/2)/(N + 1), above the best <= (log N)/2 + log 2 a bin."""
    used = law.counts > 0
    n, m = law.counts[used], law.positives[used]
    best = -(xlogy(m, m / n) + xlogy(n - m, 1 - m / n))
    sequential = betaln(0.5, 0.5) - betaln(m + 0.5, n - m + 0.5)
    return (sequential - best).sum(), (0.5 * np.log(n) + np.log(2)).sum()


@states("thm-c35-guard", "C7")
def guard(law):
    """P(a calibrated map is ever replaced) <= alpha.

    All sequences of ten labels; the challenger's probability is that of some cell in turn.
    """
    k, wealth, chance, replaced = law.mass.size, np.ones(1), np.ones(1), 0.0
    for t in range(10):
        said, other = law.truth[t % k], np.clip(law.prediction[(t * (t + 1) // 2) % k], 0, 1)
        with np.errstate(divide="ignore", invalid="ignore"):
            ratios = np.array([(1 - other) / (1 - said), other / said])
        chance = np.multiply.outer(chance, [1 - said, said]).ravel()
        wealth = np.multiply.outer(wealth, np.nan_to_num(ratios, posinf=0)).ravel()
        stops = wealth >= 1 / law.alpha
        replaced += chance[stops].sum()
        chance, wealth = chance[~stops], wealth[~stops]
    return replaced, law.alpha


def _set(law):
    """The first group as a set of people, one a calibration point: their predictions and labels."""
    inside = law.group == law.group[0]
    said = np.repeat(law.prediction[inside], law.counts[inside])
    each = zip(law.positives[inside], law.counts[inside], strict=True)
    return said, np.concatenate([np.repeat([1, 0], [m, n - m]) for m, n in each])


@states("thm-c36-brier", "C8")
def patch_of_probabilities(law):
    """A share n/N times the squared bias that a patch removes <= fall of Brier score."""
    said, labels = _set(law)
    if said.size == 0:
        return None
    bias = (labels - said).mean()
    shift = 2 * law.threshold * bias
    fall = np.square(labels - said) - np.square(labels - np.clip(said + shift, 0, 1))
    value = (bias**2 - (bias - shift) ** 2) * said.size / law.size
    return value, fall.sum() / law.size


@states("thm-c36-log", "C8")
def patch_of_log_odds(law):
    """Evidence of a patch of log-odds <= fall of the log loss."""
    said, labels = _set(law)
    if said.size == 0 or np.any((said < 1e-6) | (said > 1 - 1e-6)):
        return None
    shift = 6 * law.threshold - 3
    patched = expit(logit(said) + shift)
    if shift * (labels - patched).mean() < 0:
        return None
    fall = np.log(np.where(labels, patched / said, (1 - patched) / (1 - said))).sum()
    return said.size * divergence(patched.mean(), said.mean()), fall


@states("thm-c36-chance", "C8")
def right_predictions(law):
    """P(a set of right predictions has evidence log(2M/alpha)) <= alpha."""
    sets = list(shares(law))
    needed = np.log(2 * len(sets) / law.alpha)
    reached = [c[n * divergence(np.arange(n + 1) / n, t) >= needed].sum() for n, c, t in sets]
    return any_of(reached), law.alpha


NODES = np.polynomial.legendre.leggauss(200)  # for weights that fall from power 1e-12 on


def path_weights(losses, prior):
    """The weights of the path by Gauss and Legendre in t, where the power is t^8."""
    t, shares = (1 + NODES[0]) / 2, NODES[1] / 2
    odds = np.log(prior) - np.multiply.outer(t**8, losses - losses.min())
    return (shares * 8 * t**7) @ softmax(odds, axis=1)


class _Members(NamedTuple):
    """Members of an average on held-out rows: the law says what is predicted where.

    Attributes
    ----------
    predictions : ndarray of shape (4, K)
        Of each member in each cell, within (0, 1).
    losses : ndarray of shape (4,)
        Total log loss of each member.
    prior : ndarray of shape (4,)
    """

    predictions: np.ndarray
    losses: np.ndarray
    prior: np.ndarray


def _members(law):
    said = np.clip(law.prediction, 1e-12, 1 - 1e-12)
    true = np.clip(law.truth, 1e-12, 1 - 1e-12)
    predictions = np.array([said, true, 1 - said, np.full(said.size, law.threshold)])
    predictions = np.clip(predictions, 1e-12, 1 - 1e-12)
    prior = np.array([law.threshold, *[(1 - law.threshold) / 3] * 3])
    return _Members(
        predictions=predictions,
        losses=np.array([total_log_loss(law.positives, law.counts, p) for p in predictions]),
        prior=prior,
    )


@states("thm-c40-path: loss", "C12")
def held_out_loss_of_the_average(law):
    """Held-out log loss of the average <= each member's, plus log(1/prior weight)."""
    members = _members(law)
    weights = path_weights(members.losses, members.prior)
    loss = total_log_loss(law.positives, law.counts, weights @ members.predictions)
    return loss, (members.losses - np.log(members.prior)).min()


@states("thm-c40-path: identity", "C12")
def weighted_losses_and_the_mixture(law):
    """Weighted mean of the losses <= loss of the mixture by the prior weights: they are equal."""
    members = _members(law)
    weights = path_weights(members.losses, members.prior)
    mixture = -logsumexp(-members.losses, b=members.prior)
    return weights @ members.losses, mixture * (1 + 1e-6)  # the integral is a quadrature


@states("thm-c40-path: weights", "C12")
def no_member_is_forgotten(law):
    """Prior weight times (1 - exp(-D))/D, for a loss that is larger by D <= weight."""
    members = _members(law)
    weights = path_weights(members.losses, members.prior)
    apart = members.losses - members.losses.min()
    least = members.prior * np.where(
        apart > 0, -np.expm1(-apart) / np.where(apart > 0, apart, 1), 1
    )
    worst = np.argmax(least / weights)
    return least[worst], weights[worst] * (1 + 1e-6)  # the integral is a quadrature


@states("prop-c40-level", "C12")
def level_left(law):
    """What is missing of the level in log-odds, after the guarded move <= a standard error."""
    used = law.counts > 0
    counts, said = law.counts[used], np.clip(law.prediction[used], 1e-9, 1 - 1e-9)
    positives = law.positives.sum()
    if positives in (0, law.size):
        return None
    move = level_shift(logit(said), counts, positives / law.size)
    error = 1 / np.sqrt(counts @ (said * (1 - said)))
    moved = logit(said) + move * max(0.0, 1 - (error / move) ** 2 if move else 0.0)
    return abs(level_shift(moved, counts, positives / law.size)), error + 1e-9
