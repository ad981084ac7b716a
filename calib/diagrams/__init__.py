"""Pictures: reliability diagrams, calibration maps, intervals.

Methods are told apart by colours, safe for colour-blind readers, and by markers; the argument
`styles` gives a method its own. Nothing here changes matplotlib's settings; whoever wants the look
of the book does ``plt.rcParams.update(diagrams.STYLE)``. Matplotlib itself is imported when the
first picture is drawn.
"""

import lazy_loader

from calib.contract.docs import fill_docstrings

_load, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)


def __getattr__(name):
    """Load a name on first use; its docstring gets the paragraphs that it shares with others."""
    thing = globals()[name] = _load(name)
    fill_docstrings({name: thing})
    return thing
