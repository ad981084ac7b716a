"""Post-hoc calibration of binary classifiers: exact, fast, and explained in an open book.

A calibrator learns a map from the score of a classifier to the probability of class 1:

>>> from calib import StackedCalibrator
>>> calibrator = StackedCalibrator().fit([0.1, 0.2, 0.3, 0.7, 0.8, 0.9], [0, 1, 0, 0, 1, 1])
>>> calibrator.predict([0.15, 0.85]).round(2)
array([0.2 , 0.81])

This package has the methods, a classifier that calibrates itself, and the measures of the main
line, in `calib.metrics`. The package `calibkit`, which is installed with it, has everything built
on them: tests and intervals, groups, streams, several classes, diagrams, reports and the command
line.

Names are loaded on first use, so that ``import calib`` itself costs nothing. The stub next to this
file lists them, for this module and for type checkers.
"""

import lazy_loader

__version__ = "0.2.0"

__getattr__, __dir__, _names = lazy_loader.attach_stub(__name__, __file__)
__all__ = [name for name in _names if name != "metrics"]
