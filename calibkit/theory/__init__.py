"""Finite-sample bounds for histogram binning, and distributions with exact measures."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
