"""Packages built on the calibrators and measures of `calib`, each in a separate room.

Names are loaded on first use, so that ``import calibkit`` itself costs nothing:

>>> from calib import PlattScaling
>>> from calibkit.deployment import scores_at
>>> calibrator = PlattScaling().fit([-2.0, -1.0, 1.0, 2.0], [0, 0, 1, 1])
>>> round(scores_at(calibrator.map_, 0.6).lower, 3)
0.602
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
