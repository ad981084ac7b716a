"""Blocks and bins: reduced by the workers, range by range, and joined on the client."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from calib.dask.rows import Sample
from calib.kernels.adjacent_violators import block_centres, pool_adjacent_violators
from calib.kernels.binning import MOST_USEFUL_BINS, prefix_sums, segment_sums, uniform_sums
from calib.kernels.grouping import group_ties


class Pieces(NamedTuple):
    """Runs of neighbouring scores, in increasing order; arrays of shape (k,)."""

    first: NDArray[np.float64]
    last: NDArray[np.float64]
    counts: NDArray[np.float64]
    positives: NDArray[np.float64]


class Blocks(NamedTuple):
    """Neighbouring level sets, in increasing order; arrays of shape (k,)."""

    first: NDArray[np.float64]
    last: NDArray[np.float64]
    centres: NDArray[np.float64]  # weighted means of their scores
    counts: NDArray[np.float64]
    positives: NDArray[np.float64]


def isotonic_blocks(sample: Sample, smoothing: float) -> Blocks:
    """Level sets of the isotonic regression of labels on scores.

    With a positive of weight `smoothing` at the smallest score and a negative at the largest. The
    blocks of a range are pools of its scores in any case, because pooling a part never parts what
    it has pooled when the rest is added; and pooling is pooled sums of counts. So the blocks of all
    ranges, pooled once more, are those of all scores.
    """
    pieces = sample.each_range(range_blocks)
    if smoothing > 0:
        ends = np.array([[sample.survey.lowest], [sample.survey.highest]])
        pieces = [
            Blocks(*[ends[0]] * 3, np.array([smoothing]), np.array([smoothing])),
            *pieces,
            Blocks(*[ends[1]] * 3, np.array([smoothing]), np.array([0.0])),
        ]
    return merged(pieces)


def range_blocks(rows) -> Blocks:
    """Level sets of the rows of one range."""
    groups = group_ties(*rows)
    return pooled(Blocks(*[groups.scores] * 3, groups.weights, groups.positives))


def merged(pieces) -> Blocks:
    """Level sets of neighbouring level sets, which come in runs."""
    return pooled(Blocks(*(np.concatenate(column) for column in zip(*pieces, strict=True))))


def pooled(blocks) -> Blocks:
    """Level sets of neighbouring level sets."""
    starts, counts, positives = pool_adjacent_violators(blocks.counts, blocks.positives)
    return Blocks(
        blocks.first[starts[:-1]],
        blocks.last[starts[1:] - 1],
        block_centres(blocks.centres, blocks.counts, starts),
        counts,
        positives,
    )


def equal_frequency_bins(sample: Sample, n_bins: int) -> tuple[Pieces, NDArray[np.float64]]:
    """Non-empty bins of equal frequency, and the sum of the scores in each.

    A group of ties belongs to the bin of its middle rank, which needs no more of the other ranges
    than the weight before; a bin that crosses an edge is put together again.
    """
    n_bins = min(n_bins, MOST_USEFUL_BINS)
    before = sample.weights_before()
    arguments = ((before[r], sample.survey.total, n_bins) for r in range(before.size))
    parts = sample.each_range(range_bins, arguments)
    bins, first, last, *sums = (np.concatenate(column) for column in zip(*parts, strict=True))
    starts = np.flatnonzero(np.diff(bins, prepend=-1))
    counts, totals, positives = (np.add.reduceat(values, starts) for values in sums)
    ends = np.append(starts[1:], bins.size) - 1
    return Pieces(first[starts], last[ends], counts, positives), totals


def range_bins(rows, place):
    """Number, first and last score, and sums of the bins that the rows of one range fall into."""
    before, total, n_bins = place
    groups = group_ties(*rows)
    ranks = before + prefix_sums(groups.weights)
    twice_middle = n_bins * (ranks[:-1] + ranks[1:])
    bins = np.minimum(twice_middle / (2 * total), n_bins - 1).astype(np.int64)
    starts = np.append(np.flatnonzero(np.diff(bins, prepend=-1)), bins.size)
    first, last = groups.scores[starts[:-1]], groups.scores[starts[1:] - 1]
    return bins[starts[:-1]], first, last, *segment_sums(starts, *groups)


def uniform_bins(sample: Sample, n_bins: int) -> NDArray[np.float64]:
    """Weight, sum of scores and positive weight of each bin of equal width; shape (3, n_bins)."""
    return sample.total(partition_bins, n_bins)


def partition_bins(rows, n_bins):
    """The same for the rows of one partition."""
    return np.stack(uniform_sums(rows.scores, rows.labels, rows.weights, n_bins))
