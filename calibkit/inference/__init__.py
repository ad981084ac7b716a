"""Tests, intervals and bands for calibration, and the measures that they need.

Arguments are (labels, probabilities), as in `calib.metrics`. Every function takes weights, as
counts or as sampling weights, or says why it cannot. `clusters` name the rows that depend on each
other, such as the rows of one patient.

Tests by simulation draw with the same seed by default, so that a result can be repeated. Their
level holds over the draws. With one seed and 999 draws the share of calibrated files that a test of
level 5 % rejects differs from 5 % by an error with a standard deviation of 0.7 points, with 199
draws of 1.5 points, and no number of files makes that error smaller. Whoever tests many files
passes a generator, `random_state=numpy.random.default_rng(0)`, to all of the calls.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
