"""Prediction intervals: calibration inside given ones, and conformal ones that are calibrated."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
