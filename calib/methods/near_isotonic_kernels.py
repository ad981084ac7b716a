"""The whole path of near-isotonic regression, by the modified pool-adjacent-violators algorithm.

While the penalty lambda grows, a bin of weight W and positive weight S has the value

    p(lambda) = (S + lambda * pull) / W,    pull = v_left - v_right,

where v = 1 at a boundary whose left side is higher, a violation, and 0 elsewhere. Two neighbours
never move apart, a boundary keeps its v as long as it lives, and bins that meet stay together, so
the path *is* one number per boundary: the lambda at which it disappears.
"""

from typing import NamedTuple

import numpy as np

from calib.kernels.compiling import jit
from calib.kernels.ties import sum_runs

TOLERANCE = 1e-12  # values this close have met: simultaneous meetings differ by rounding only


class Bins(NamedTuple):
    """Neighbouring groups and when their boundaries disappear, at lambda = 0 or later on."""

    weights: np.ndarray
    positives: np.ndarray
    falls: np.ndarray  # True if the bin to the left is higher
    lifetimes: np.ndarray  # lambda at which a bin joins the one to its left, infinite if never


class Path(NamedTuple):
    """Breakpoints; entry 0 is lambda = 0, where only equal neighbours are merged."""

    lambdas: np.ndarray
    n_bins: np.ndarray
    log_likelihoods: np.ndarray  # of the binning after the merges, with each bin's frequency


def near_isotonic_path(weights, positives):
    """Path of the minimum of sum w_i (p_i - s_i / w_i)^2 / 2 + lambda sum (p_i - p_{i+1})_+.

    Parameters
    ----------
    weights, positives : ndarray of shape (n,)
        The w_i > 0 and s_i, in the order of the scores.

    Returns
    -------
    groups : Bins
        The n groups.
    path : Path
        O(n log n) time, O(n) memory.
    """
    # in units of a power of two, which rounds nothing: products of tiny weights would underflow
    unit = 2.0 ** np.frexp(weights.max())[1]
    weight, positive = weights / unit, positives / unit
    starts, weight, positive = sum_runs(positive / weight, weight, positive)
    n = starts.size
    path = Path(np.empty(n), np.empty(n, np.int64), np.empty(n))
    lasting = np.full(n, np.inf)
    n_breakpoints = _merge_all(
        (weight, positive, _pulls(_falls(positive / weight))),
        path,
        np.arange(-1, n - 1),
        np.arange(1, n + 1),
        lasting,
        _tournament(n),
    )
    lifetimes = np.zeros(weights.size)
    lifetimes[starts] = lasting
    lambdas, n_bins, log_likelihoods = (values[:n_breakpoints] for values in path)
    path = Path(unit * lambdas, n_bins.copy(), unit * log_likelihoods)
    return Bins(weights, positives, _falls(positives / weights), unit * lifetimes), path


def merge_until(bins, lam):
    """The bins that are left at `lam`, and the index of the first old bin in each."""
    starts = np.flatnonzero(bins.lifetimes > lam)
    merged = Bins(
        np.add.reduceat(bins.weights, starts),
        np.add.reduceat(bins.positives, starts),
        bins.falls[starts],
        bins.lifetimes[starts],
    )
    return merged, starts


def shrunken_positives(bins, lam):
    """S + lam * pull, the positive weight that the fit at `lam` gives to each of its bins."""
    positives = bins.positives + lam * _pulls(bins.falls)
    return np.clip(positives, 0, bins.weights)  # against rounding


def _falls(means):
    """Which of the bins with these means are below the one to their left."""
    return np.append(False, means[:-1] > means[1:])


def _pulls(falls):
    """v_left - v_right of each bin."""
    v = np.append(falls, False).astype(float)
    return v[:-1] - v[1:]


@jit
def _merge_all(bins, path, left, right, lifetimes, meetings):
    """Merge bins, earliest meeting first; what is passed is used up.

    Parameters
    ----------
    bins : triple of ndarray of shape (n,)
        Weight, positive weight and pull of each bin.
    path : Path
        With room for n breakpoints, which are filled in.
    left, right : ndarray of int of shape (n,)
        Neighbours of each bin, -1 and n where there is none.
    lifetimes : ndarray of shape (n,)
        Infinite; filled where a bin joins the one to its left.
    meetings : ndarray
        A tournament of n players without times.

    Returns
    -------
    n_breakpoints : int
    """
    weight, positive, pull = bins
    n = weight.size
    likelihood = 0.0
    for b in range(n):
        likelihood += _log_likelihood(weight[b], positive[b])
        _set(meetings, b, _meeting(bins, b, b + 1, 0.0))
    t, lam, n_bins = 0, 0.0, n
    path.lambdas[0], path.n_bins[0], path.log_likelihoods[0] = lam, n_bins, likelihood
    while meetings[1] < np.inf:
        b = _earliest(meetings)
        r = right[b]
        if meetings[1] > lam and _gap(bins, b, r, lam) > TOLERANCE:
            t += 1
            lam = meetings[1]
        likelihood -= _log_likelihood(weight[b], positive[b])
        likelihood -= _log_likelihood(weight[r], positive[r])
        weight[b] += weight[r]
        positive[b] += positive[r]
        pull[b] += pull[r]  # the v between them cancels
        likelihood += _log_likelihood(weight[b], positive[b])
        lifetimes[r] = lam
        n_bins -= 1
        path.lambdas[t], path.n_bins[t], path.log_likelihoods[t] = lam, n_bins, likelihood
        right[b] = right[r]
        if right[b] < n:
            left[right[b]] = b
        _set(meetings, r, np.inf)
        for bin_ in (left[b], b):
            if bin_ >= 0:
                _set(meetings, bin_, _meeting(bins, bin_, right[bin_], lam))
    return t + 1


@jit
def _meeting(bins, b, r, lam):
    """The lambda, from `lam` on, at which bin b meets its right neighbour r, if there is one.

    The products are exact for counts, so that simultaneous meetings get the same float.
    """
    weight, positive, pull = bins
    if r == weight.size:
        return np.inf
    if _gap(bins, b, r, lam) <= TOLERANCE:
        return lam
    closing = pull[b] * weight[r] - pull[r] * weight[b]
    if closing == 0:
        return np.inf
    return max(lam, (positive[r] * weight[b] - positive[b] * weight[r]) / closing)


@jit
def _gap(bins, b, r, lam):
    """Distance of the values of bins b and r at `lam`."""
    weight, positive, pull = bins
    value = (positive[b] + lam * pull[b]) / weight[b]
    return abs(value - (positive[r] + lam * pull[r]) / weight[r])


@jit
def _log_likelihood(weight, positive):
    """Log likelihood of a bin that predicts its own frequency."""
    negative = weight - positive
    if positive <= 0 or negative <= 0:
        return 0.0
    return positive * np.log(positive / weight) + negative * np.log(negative / weight)


# A tournament holds one time per player in its leaves and in every node the earlier of the two
# below, so that the earliest of all is at the root, node 1. As a heap it would have to be told
# where each player is; here neighbours also share most of their way to the root.


def _tournament(n_players):
    return np.full(2 << (n_players - 1).bit_length(), np.inf)


@jit
def _set(tournament, player, time):
    node = tournament.size // 2 + player
    tournament[node] = time
    while node > 1:
        node //= 2
        winner = min(tournament[2 * node], tournament[2 * node + 1])
        if tournament[node] == winner:
            break
        tournament[node] = winner


@jit
def _earliest(tournament):
    """The first player whose time is the earliest of all."""
    n_leaves = tournament.size // 2
    node = 1
    while node < n_leaves:
        node *= 2
        if tournament[node] > tournament[1]:
            node += 1
    return node - n_leaves
