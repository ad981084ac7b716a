from .canvas import STYLE as STYLE
from .maps import calibration_map as calibration_map
from .maps import forest_plot as forest_plot
from .maps import partition_map as partition_map
from .maps import weights_plot as weights_plot
from .reliability import corp_diagram as corp_diagram
from .reliability import reliability_diagram as reliability_diagram
