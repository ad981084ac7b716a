"""The loops over rows of `calibkit.deployment.many_rows`."""

import numpy as np

from calib.kernels.compiling import jit
from calib.kernels.fast.keys import key_of


@jit
def count_from(bits, labels, packing, cuts):
    """Number of rows whose key is at or above each cut."""
    sign = np.uint64(1) << np.uint64(8 * bits.itemsize - 1)
    centre = np.uint64(packing.centre)
    offset = np.uint64(packing.offset)
    counts = np.zeros(cuts.size, np.int64)
    for i in range(bits.size):
        key = key_of(np.uint64(bits[i]), labels[i], sign, centre, offset)
        for k in range(cuts.size):
            counts[k] += key >= cuts[k]
    return counts


@jit
def gather(bits, labels, packing, lowest, highest, keys):
    """Fill in the keys of the rows from `lowest` up to and with `highest`; return their number.

    One more key than there are such rows may be written over.
    """
    sign = np.uint64(1) << np.uint64(8 * bits.itemsize - 1)
    centre = np.uint64(packing.centre)
    offset = np.uint64(packing.offset)
    n_found = 0
    for i in range(bits.size):
        key = key_of(np.uint64(bits[i]), labels[i], sign, centre, offset)
        keys[n_found] = key  # is written over unless it is in the range: no branch
        n_found += np.int64((lowest <= key) & (key <= highest))
    return n_found


@jit
def add_to_bins(block, rank, total, n_bins, bins, bin_):
    """Add ties, in increasing order, to equal-frequency bins; return the last bin begun.

    `rank` is the number of rows before the block, `total` the number of all, and `bin_` the last
    bin begun before the block, -1 if there is none. Bins are those of
    `calib.kernels.binning.equal_frequency_starts`.
    """
    last_bin = n_bins - 1
    twice_total = 2.0 * total
    for i in range(block.scores.size):
        ranks = rank + (rank + block.weights[i])
        rank += block.weights[i]
        begins = bin_ < 0 or (bin_ < last_bin and n_bins * ranks >= (bin_ + 1) * twice_total)
        if begins:
            position = n_bins * ranks / twice_total
            bin_ = max(int(position), bin_ + 1) if position < last_bin else last_bin
            bins.firsts[bin_] = block.scores[i]
        bins.counts[bin_] += block.weights[i]
        bins.totals[bin_] += block.weights[i] * block.scores[i]
        bins.positives[bin_] += block.positives[i]
        bins.lasts[bin_] = block.scores[i]
    return bin_
