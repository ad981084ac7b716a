"""Calibrators and measures for data that one machine cannot hold, on Dask; the extra ``dask``.

The names are those of `calib`, the arguments dask arrays of one dimension or columns of a dask
dataframe. They run on any Dask scheduler: threads by default, or the cluster of the
`distributed.Client` that is there. The results are those of the rows in memory; nothing is sampled
but the cuts at which the scores are divided among the workers.

Notes
-----
*How.* Nearly all of calibration depends on the rows only through the distinct scores and, at each,
the numbers of negatives and of positives. A first pass checks the rows and surveys their quantiles.
Then each partition pools its ties and sends every score to the worker of its range, and a range is
reduced to what others need of it: blocks of isotonic regression, bins, pairs, sums. What returns
to the client is small.

*Equal.* Numbers of rows, and weights that are whole numbers, are added exactly, as long as products
of two sums stay below 2^53: bins, blocks, cuts and maps are then equal to the last bit, however the
rows are partitioned and ordered. Sums of losses, of predictions, of scores (for the centres of
``IsotonicCalibrator(centred=True)``) and of other weights are rounded in another order: they agree
to about 1e-15 of the sum of magnitudes.

*Cost.* Each docstring says how often the rows are read, so call ``persist()`` first where the
cluster can hold them. Ordering N scores in P partitions takes O(N log N) and sends P^2 pieces, 17
bytes for each row and less with ties; on `distributed` this took three to seventeen times as long
as in memory (page *Speed*): take Dask for rows that memory does not hold. A worker needs some 200
bytes for each row of the partitions that it works on at once, and its share of the ordered rows
where the scheduler keeps these in memory; `distributed` keeps them on disk, behind buffers whose
sizes are ``distributed.p2p.comm.buffer`` and ``distributed.p2p.storage.buffer`` in Dask's
configuration. The client needs O(P^2) numbers and the result.

A lost worker changes nothing: its partitions are computed again from their source.

Examples
--------
>>> import dask.array as da
>>> from calib.dask import IsotonicCalibrator, brier_score_loss
>>> scores = da.from_array([0.1, 0.2, 0.3, 0.4], chunks=2)
>>> labels = da.from_array([0, 1, 0, 1], chunks=2)
>>> calibrator = IsotonicCalibrator().fit(scores, labels)
>>> calibrator.predict(scores).compute()
array([0. , 0.5, 0.5, 1. ])
>>> brier_score_loss(labels, scores)
0.275
"""

from calib.dask.calibrators import HistogramBinning, IsotonicCalibrator, PlattScaling
from calib.dask.metrics import (
    accuracy,
    brier_score_loss,
    debiased_squared_error,
    expected_calibration_error,
    kuiper_error,
    log_loss,
    maximum_calibration_error,
    reliability_curve,
    roc_auc_score,
    root_mean_squared_error,
    score_decomposition,
)
from calib.dask.tables import distinct_rows

__all__ = [
    "HistogramBinning",
    "IsotonicCalibrator",
    "PlattScaling",
    "accuracy",
    "brier_score_loss",
    "debiased_squared_error",
    "distinct_rows",
    "expected_calibration_error",
    "kuiper_error",
    "log_loss",
    "maximum_calibration_error",
    "reliability_curve",
    "roc_auc_score",
    "root_mean_squared_error",
    "score_decomposition",
]
