"""Pictures: reliability diagrams, calibration maps, intervals.

Methods are told apart by colours, safe for colour-blind readers, and by markers; the argument
`styles` gives a method its own. Nothing here changes matplotlib's settings; whoever wants the look
of the book does ``plt.rcParams.update(diagrams.STYLE)``. Matplotlib itself is imported when the
first picture is drawn.
"""

from calib.contract.docs import fill_docstrings
from calib.diagrams.canvas import STYLE
from calib.diagrams.forest import forest_plot, weights_plot
from calib.diagrams.maps import calibration_map, partition_map
from calib.diagrams.reliability import corp_diagram, reliability_diagram

__all__ = [
    "STYLE",
    "calibration_map",
    "corp_diagram",
    "forest_plot",
    "partition_map",
    "reliability_diagram",
    "weights_plot",
]

fill_docstrings(globals())
