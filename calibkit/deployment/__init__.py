"""Fitted maps elsewhere: as JSON, SQL, JavaScript and ONNX, inverted, and on Dask."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
