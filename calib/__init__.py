"""Post-hoc calibration of binary classifiers: exact, fast, and explained in an open book.

A calibrator learns a map from the score of a classifier to the probability of class 1:

>>> from calib import HistogramBinning
>>> calibrator = HistogramBinning(n_bins=2).fit([0.1, 0.2, 0.8, 0.9], [0, 0, 1, 0])
>>> calibrator.predict([0.15, 0.85])
array([0. , 0.5])

Measures, tests and intervals are in `calib.metrics`. Names are loaded on first use, so that
``import calib`` itself costs nothing. The stub beside this file lists them, for this module and for
type checkers; ``from calib import *`` leaves the submodules among them out.
"""

import os
import warnings

import lazy_loader

__version__ = "0.2.0"

_load, __dir__, _names = lazy_loader.attach_stub(__name__, __file__)
_rooms = {entry.partition(".")[0] for entry in os.listdir(__path__[0])}
__all__ = [name for name in _names if name not in _rooms]


def __getattr__(name):
    """Load a name on first use; measures, which were here until 0.3, from where they are now."""
    try:
        return _load(name)
    except AttributeError:
        if name.startswith("_") or name not in _load("metrics").__all__:
            raise
    warnings.warn(f"calib.{name} is now calib.metrics.{name}", DeprecationWarning, stacklevel=2)
    return getattr(_load("metrics"), name)
