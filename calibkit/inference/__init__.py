"""Tests, intervals and bands for calibration, and the measures that they need.

Arguments are (labels, probabilities), as in `calib.metrics`. Every function takes weights, as
counts or as sampling weights, or says why it cannot. `clusters` name the rows that depend on each
other, such as the rows of one patient.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
