"""What the calibrators of the logistic family share: log-odds that are known."""

import numpy as np

from calib.contract.calibrator import Calibrator
from calib.contract.options import check_choice
from calib.contract.validation import log_odds
from calib.maps.forms import LogitPolynomialMap, SigmoidMap


class LogisticCalibrator(Calibrator):
    """Base class of the calibrators whose log-odds are known: `map_` has them in `logits`."""

    def _predict_logit(self, scores):
        return self.map_.logits(scores)


class ScalingCalibrator(LogisticCalibrator):
    """Base class of those that scale the score or its logit, as their parameter `scale` says."""

    @property
    def unit_scores(self) -> bool:
        """Whether scores must lie in [0, 1]: where their logits are taken."""
        check_choice(self.scale, ["score", "logit"], "scale")
        return self.scale == "logit"

    def _values(self, scores):
        """What is scaled."""
        return log_odds(scores) if self.unit_scores else scores

    def _set_line(self, slope, level, centre):
        """Set `map_` to the line through (centre, level) on the chosen scale."""
        level, centre = float(level), float(centre)
        if self.unit_scores:
            self.map_ = LogitPolynomialMap(np.array([level, slope]), centre)
        else:
            self.map_ = SigmoidMap(slope, level - slope * centre)
