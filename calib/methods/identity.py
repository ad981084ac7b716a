"""The unchanged scores as probabilities."""

import numpy as np

from calib.base.calibrator import Calibrator
from calib.base.maps import LinearMap


class IdentityCalibrator(Calibrator):
    """The scores themselves, as a member of averages and the baseline of comparisons.

    Attributes
    ----------
    map_ : LinearMap

    Raises
    ------
    ValueError
        If scores lie outside [0, 1]. See `ScoreModel.fit`.

    Notes
    -----
    Nothing is learned. A score of 0 or 1 is not changed. Its log loss is infinite if it is wrong.

    Examples
    --------
    >>> from calib import IdentityCalibrator
    >>> IdentityCalibrator().fit([0.2, 0.9], [0, 1]).predict([0.5])
    array([0.5])
    """

    unit_scores = True

    def _fit(self, scores, labels, weights):
        self.map_ = LinearMap(np.array([0.0, 1.0]), np.array([0.0, 1.0]))
