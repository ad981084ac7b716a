"""The path of near-isotonic regression: modified pool adjacent violators (mPAVA).

The loops of `calib.methods.near_isotonic`. Algorithm 1 and the equations are from Naeini and Cooper
(2016), with the weight W_i of bin i for its size, and its positive weight S_i for the sum of its
labels. By equation (6) the value of bin i at lambda is

    p_i = (S_i + lambda * pull_i) / W_i,    pull_i = v_{i-1} - v_i,

where v_i = 1 if bin i is higher than bin i + 1, a violation, and v_i = 0 otherwise. By equation (7)
the slope of p_i is a_i = pull_i / W_i.

Neighbours never move apart, a boundary keeps its v until it disappears, and bins that meet stay
together. Hence the path *is* one number for each boundary: the lambda at which it disappears.
"""

from typing import NamedTuple

import numpy as np

from calib.kernels.compiling import jit
from calib.kernels.fast.ties import sum_runs

MEETING_TOLERANCE = 1e-12  # largest distance of two values that have met, which is rounding


class Bins(NamedTuple):
    """Neighbouring bins, and when the boundary to the left of each disappears."""

    weights: np.ndarray
    positives: np.ndarray
    violations: np.ndarray  # v of the boundary: True if the bin to the left is higher
    lifetimes: np.ndarray  # lambda at which the boundary disappears, infinite if never


class MovingBins(NamedTuple):
    """Bins while they are merged. A merged bin stands at the place of its first bin."""

    weights: np.ndarray
    positives: np.ndarray
    pulls: np.ndarray


class Path(NamedTuple):
    """The models M_t at the breakpoints, and at lambda = 0, where equal neighbours are merged."""

    lambdas: np.ndarray
    n_bins: np.ndarray
    log_likelihoods: np.ndarray  # each bin of the model predicts its own frequency


def near_isotonic_path(weights, positives):
    """Path of the minimum of sum w_i (p_i - s_i / w_i)^2 / 2 + lambda sum (p_i - p_{i+1})_+.

    Parameters
    ----------
    weights, positives : ndarray of shape (n,)
        The w_i > 0 and s_i, in the order of the scores.

    Returns
    -------
    bins : Bins
        The n bins of one score each.
    path : Path
        O(n log n) time, O(n) memory.
    """
    # the unit is a power of two, which rounds nothing: products of tiny weights would underflow
    unit = 2.0 ** np.frexp(weights.max())[1]
    weight = weights / unit
    positive = positives / unit
    rows = np.arange(weight.size)
    starts = np.empty(weight.size, np.int64)
    totals = np.empty(weight.size)
    hits = np.empty(weight.size)
    n_runs = sum_runs(rows, positive / weight, weight, positive, starts, totals, hits)
    starts = starts[:n_runs]
    weight, positive = totals[:n_runs], hits[:n_runs]
    n = starts.size
    moving = MovingBins(
        weights=weight, positives=positive, pulls=_pulls(_violations(positive / weight))
    )
    path = Path(lambdas=np.empty(n), n_bins=np.empty(n, np.int64), log_likelihoods=np.empty(n))
    lifetimes = np.zeros(weights.size)
    run_lifetimes = np.full(n, np.inf)
    n_models = _merge_all(
        moving, np.arange(-1, n - 1), np.arange(1, n + 1), _tournament(n), path, run_lifetimes
    )
    lifetimes[starts] = run_lifetimes
    path = Path(
        lambdas=unit * path.lambdas[:n_models],
        n_bins=path.n_bins[:n_models].copy(),
        log_likelihoods=unit * path.log_likelihoods[:n_models],
    )
    bins = Bins(
        weights=weights,
        positives=positives,
        violations=_violations(positives / weights),
        lifetimes=unit * lifetimes,
    )
    return bins, path


@jit
def _merge_all(bins, left, right, meetings, path, lifetimes):
    """Merge the bins by Algorithm 1. All arguments are changed.

    No values are stored, as S, W and pull tell them at any lambda. A merge changes the meetings of
    the merged bin with its two neighbours only.

    Parameters
    ----------
    bins : MovingBins of shape (n,)
    left, right : ndarray of int of shape (n,)
        Neighbours of each bin, -1 and n where there is none.
    meetings : ndarray
        A tournament of n players without times. The time of a bin is the lambda at which it meets
        its right neighbour.
    path : Path
        Room for n models, which are filled in.
    lifetimes : ndarray of shape (n,)
        Infinite; filled in where a bin joins the one to its left.

    Returns
    -------
    n_models : int
    """
    n = bins.weights.size
    log_likelihood = 0.0
    for b in range(n):
        log_likelihood += _log_likelihood(bins.weights[b], bins.positives[b])
        _set_time(meetings, b, _meeting(bins, b, b + 1, 0.0))
    lam = 0.0
    n_bins = n
    t = 0
    path.lambdas[t] = lam
    path.n_bins[t] = n_bins
    path.log_likelihoods[t] = log_likelihood
    while meetings[1] < np.inf:  # lambda^* of equation (9), the earliest meeting, is at the root
        b = _earliest(meetings)
        r = right[b]
        if meetings[1] > lam and _distance(bins, b, r, lam) > MEETING_TOLERANCE:
            lam = meetings[1]
            t += 1
        # merge bin b and its right neighbour r
        log_likelihood -= _log_likelihood(bins.weights[b], bins.positives[b])
        log_likelihood -= _log_likelihood(bins.weights[r], bins.positives[r])
        bins.weights[b] += bins.weights[r]
        bins.positives[b] += bins.positives[r]
        bins.pulls[b] += bins.pulls[r]  # the v between them cancels
        log_likelihood += _log_likelihood(bins.weights[b], bins.positives[b])
        lifetimes[r] = lam
        right[b] = right[r]
        if right[b] < n:
            left[right[b]] = b
        n_bins -= 1
        # store the model M_t; later merges at the same lambda replace it
        path.lambdas[t] = lam
        path.n_bins[t] = n_bins
        path.log_likelihoods[t] = log_likelihood
        # update the merging values
        _set_time(meetings, r, np.inf)
        for changed in (left[b], b):
            if changed >= 0:
                _set_time(meetings, changed, _meeting(bins, changed, right[changed], lam))
    return t + 1


@jit
def _meeting(bins, b, r, lam):
    """The lambda, from `lam` on, at which bin b meets its right neighbour r, by equation (8).

    The equation is solved for the meeting and expanded by both weights. The products are exact for
    counts, so that simultaneous meetings get the same float.
    """
    if r == bins.weights.size:
        return np.inf
    if _distance(bins, b, r, lam) <= MEETING_TOLERANCE:
        return lam
    closing = bins.pulls[b] * bins.weights[r] - bins.pulls[r] * bins.weights[b]
    if closing == 0:
        return np.inf
    difference = bins.positives[r] * bins.weights[b] - bins.positives[b] * bins.weights[r]
    return max(lam, difference / closing)


@jit
def _distance(bins, b, r, lam):
    """Distance of the values of bins b and r at `lam`, by equation (6)."""
    value = (bins.positives[b] + lam * bins.pulls[b]) / bins.weights[b]
    return abs(value - (bins.positives[r] + lam * bins.pulls[r]) / bins.weights[r])


@jit
def _log_likelihood(weight, positive):
    """Log likelihood of a bin that predicts its own frequency."""
    negative = weight - positive
    if positive <= 0 or negative <= 0:
        return 0.0
    return positive * np.log(positive / weight) + negative * np.log(negative / weight)


# The fit at one lambda


def merge_until(bins, lam):
    """The bins that are left at `lam`, and the index of the first old bin in each."""
    starts = np.flatnonzero(bins.lifetimes > lam)
    merged = Bins(
        weights=np.add.reduceat(bins.weights, starts),
        positives=np.add.reduceat(bins.positives, starts),
        violations=bins.violations[starts],
        lifetimes=bins.lifetimes[starts],
    )
    return merged, starts


def shrunken_positives(bins, lam):
    """S + lam * pull, the numerator of equation (6), of each bin that is left at `lam`."""
    positives = bins.positives + lam * _pulls(bins.violations)
    return np.clip(positives, 0, bins.weights)  # rounding may lead beyond


def values_at(bins, lam):
    """The fit at `lam`, equation (6): one value for each of the `bins`, merged or not."""
    merged, starts = merge_until(bins, lam)
    values = shrunken_positives(merged, lam) / merged.weights
    return np.repeat(values, np.diff(starts, append=bins.weights.size))


def _violations(values):
    """Whether each bin is below the bin to its left."""
    return np.append(False, values[:-1] > values[1:])


def _pulls(violations):
    """v_{i-1} - v_i for each bin i; v is 0 at both ends."""
    v = np.append(violations, False).astype(float)
    return v[:-1] - v[1:]


# A tournament finds the earliest of all meetings. Its leaves hold one time for each player, and
# every node holds the earlier one of the two times below, so that the earliest of all is at the
# root, node 1. A heap would have to know where each player is, and here neighbours also share most
# of their way to the root.


def _tournament(n_players):
    """A tournament in which no player has a time."""
    return np.full(2 << (n_players - 1).bit_length(), np.inf)


@jit
def _set_time(tournament, player, time):
    """Give the player a new time, and correct the nodes above."""
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
