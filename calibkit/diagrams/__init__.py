"""Pictures: reliability diagrams, calibration maps, intervals.

Methods differ in colours, safe for colour-blind readers, and in markers. The argument `styles` sets
the look of a method. Nothing here changes matplotlib's settings. For the look of the book, call
``plt.rcParams.update(diagrams.STYLE)``. Matplotlib itself is imported when the
first picture is drawn.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
