"""The reliability diagram of the scores as they came."""

from census import halves

import calib
import calibkit

_, new = halves()
curve = calib.metrics.reliability_curve(new.labels, new.scores)
assert (curve.observed < curve.predicted).all()
calibkit.diagrams.reliability_diagram(new.labels, new.scores)
