"""Centred isotonic regression (Oron and Flournoy, 2017) as a calibrator of the package."""

import numpy as np

from calib import Calibrator, IsotonicCalibrator, LinearMap
from calib.kernels.adjacent_violators import pool_adjacent_violators
from calib.kernels.ties import ties
from calibkit.datasets import LAWS


class CentredIsotonic(Calibrator):
    """Isotonic regression whose blocks are shrunk to points, joined by straight lines.

    A block of isotonic regression is a plateau. Here its value stands at one score, the weighted
    mean of the scores of the block, so that the map increases strictly between the first and the
    last of these points; beyond them it is constant.

    Attributes
    ----------
    counts_, positives_ : ndarray of shape (n_blocks,)
        Weight and positive weight of each block; their quotient is its value.
    map_ : LinearMap
        Piecewise linear, with one knot for each block.

    Notes
    -----
    Fit O(N log N) for the sort and O(N) after it, memory O(N).

    References
    ----------
    Oron and Flournoy (2017), Centered isotonic regression: point and interval estimation for
    dose-response studies, Statistics in Biopharmaceutical Research.
    """

    def _fit(self, scores, labels, weights):
        groups = ties(scores, labels, weights)
        starts, self.counts_, self.positives_ = pool_adjacent_violators(
            groups.weights, groups.positives
        )
        moments = np.add.reduceat(groups.weights * groups.scores, starts[:-1])
        self.map_ = LinearMap(moments / self.counts_, self.positives_ / self.counts_)


def distance(method, law, n, rng, draws=60):
    """Root mean square distance to the truth, and its standard error, over samples of size n."""
    scores = law.sample(4000, rng)[0]
    truth = law.pi(scores)
    errors = []
    for _ in range(draws):
        p = method.fit(*law.sample(n, rng)).predict(scores)
        errors.append(np.sqrt(np.mean((p - truth) ** 2)))
    return np.mean(errors), np.std(errors, ddof=1) / np.sqrt(draws)


def numbers():
    """Distances to the truth of the new calibrator and of isotonic regression."""
    found = {}
    for law in ["calibrated", "overconfident", "wave"]:
        for n in [100, 1000]:
            for name, method in [("centred", CentredIsotonic()), ("plain", IsotonicCalibrator())]:
                mean, error = distance(method, LAWS[law], n, np.random.default_rng([5, n]))
                found[f"{law}_{n}_{name}"] = f"{mean:.4f} ({error:.4f})"
    example = CentredIsotonic().fit([1, 2, 3, 4], [0, 1, 0, 1])
    found["example"] = ", ".join(f"{p:.3f}" for p in example.predict([1, 1.75, 2.5, 3.25, 4]))
    return found
