"""Calibration of sub-populations: a map for each group, patches where groups overlap, pooling."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
