"""The reliability diagram of the scores as they came."""

from census import halves

import calib

_, new = halves()
curve = calib.metrics.reliability_curve(new.labels, new.scores)
assert (curve.observed < curve.predicted).all()
calib.reliability_diagram(new.labels, new.scores)
