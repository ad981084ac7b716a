"""Ways to put rows into bins: numbers of the bins, in the order of the rows; None is no bin."""

import math
from fractions import Fraction

from vectors.rows import tied


def closed_left(rows, n_bins):
    """Return bins [0, 1/K), ..., [(K-1)/K, 1]."""
    return [min(math.floor(p * n_bins), n_bins - 1) for p in rows.scores]


def closed_right(rows, n_bins):
    """Return bins [0, 1/K], (1/K, 2/K], ..., ((K-1)/K, 1]."""
    return [max(math.ceil(p * n_bins) - 1, 0) for p in rows.scores]


def zero_lost(rows, n_bins):
    """Return bins (0, 1/K], ...: a score of 0 is in none."""
    return [math.ceil(p * n_bins) - 1 if p > 0 else None for p in rows.scores]


def zero_alone(rows, n_bins):
    """Return bins (0, 1/K], ..., and one more for a score of 0."""
    return [math.ceil(p * n_bins) - 1 for p in rows.scores]


def one_lost(rows, n_bins):
    """Return bins [0, 1/K), ..., [(K-1)/K, 1): a score of 1 is in none."""
    return [math.floor(p * n_bins) if p < 1 else None for p in rows.scores]


def one_alone(rows, n_bins):
    """Return bins [0, 1/K), ..., and one more for a score of 1."""
    return [math.floor(p * n_bins) for p in rows.scores]


def one_bin_less(rows, n_bins):
    """Return the bins between K edges, of which there are K - 1."""
    return closed_left(rows, n_bins - 1) if n_bins > 1 else [None] * len(rows.labels)


def middle_ranks(rows, n_bins):
    """Return bins of equal weight; a tie is never split and goes where its middle rank falls."""
    bins, below = {}, Fraction(0)
    for score, weight, _ in tied(rows):
        place = n_bins * (below + Fraction(weight) / 2) / rows.total
        bins[score] = min(math.floor(place), n_bins - 1)
        below += weight
    return [bins.get(score) for score in rows.scores]


def quantile_edges(rows, n_bins):
    """Return the quantiles k/K of the scores, interpolated linearly between ranks."""
    ordered = sorted(rows.scores)
    edges = []
    for k in range(n_bins + 1):
        place = Fraction(k * (len(ordered) - 1), n_bins)
        low = math.floor(place)
        high = min(low + 1, len(ordered) - 1)
        edges.append(ordered[low] + (place - low) * (ordered[high] - ordered[low]))
    return edges


def quantiles_closed_left(rows, n_bins):
    """Return bins between quantiles that hold their lower edge; the last holds both."""
    inner = quantile_edges(rows, n_bins)[1:-1]
    return [sum(edge <= p for edge in inner) for p in rows.scores]


def quantiles_merged(rows, n_bins):
    """Return such bins, where equal edges are one, so that the largest score opens no bin."""
    inner = sorted(set(quantile_edges(rows, n_bins)))[1:-1]
    return [sum(edge <= p for edge in inner) for p in rows.scores]


def quantiles_closed_right(rows, n_bins):
    """Return bins between quantiles that hold their upper edge; the first holds both."""
    inner = quantile_edges(rows, n_bins)[1:-1]
    return [sum(edge < p for edge in inner) for p in rows.scores]


def cut_rows(rows, n_bins, key):
    """Return bins of equally many sorted rows; the first ones hold one more. Ties are cut."""
    order = sorted(range(len(rows.labels)), key=key)
    size, rest = divmod(len(order), n_bins)
    bins, start = {}, 0
    for k in range(n_bins):
        end = start + size + (k < rest)
        bins |= dict.fromkeys(order[start:end], k)
        start = end
    return [bins[i] for i in range(len(order))]


def rows_in_order(rows, n_bins):
    """Return such bins, where rows of a tie stay in their order."""
    return cut_rows(rows, n_bins, key=lambda i: (rows.scores[i], i))


def larger_bins_last(rows, n_bins, key=None):
    """Return bins of sorted rows that begin at the whole parts of k n / K."""
    n = len(rows.labels)
    order = sorted(range(n), key=key or (lambda i: (rows.scores[i], i)))
    starts = [k * n // n_bins for k in range(n_bins)]
    return [sum(start <= order.index(i) for start in starts) - 1 for i in range(n)]


def negatives_first(rows, n_bins):
    """Return such bins, where the negatives of a tie come first."""
    return cut_rows(rows, n_bins, key=lambda i: (rows.scores[i], rows.labels[i]))


def negatives_first_larger_last(rows, n_bins):
    """Return such bins of rows that are sorted by score and label."""
    return larger_bins_last(rows, n_bins, key=lambda i: (rows.scores[i], rows.labels[i]))


WIDTH = {"left": closed_left, "right": closed_right}  # which edge belongs to a bin
MASS = {  # what becomes of ties
    "middle rank": middle_ranks,
    "quantiles, closed right": quantiles_closed_right,
    "quantiles, closed left": quantiles_closed_left,
    "quantiles, closed left, equal ones merged": quantiles_merged,
    "rows in order": rows_in_order,
    "rows in order, larger bins last": larger_bins_last,
}
WIDTH_MISTAKES = {
    "a score of 0 is in no bin": zero_lost,
    "a score of 0 has a bin of its own": zero_alone,
    "a score of 1 is in no bin": one_lost,
    "a score of 1 has a bin of its own": one_alone,
    "one bin less than asked for": one_bin_less,
}
MASS_MISTAKES = {
    "a tie is cut, its negatives below its positives": negatives_first,
    "a tie is cut, its negatives below its positives; larger bins last": (
        negatives_first_larger_last
    ),
    "one bin less than asked for": lambda rows, n_bins: middle_ranks(rows, n_bins - 1),
}
