from .real import DatasetNotFound as DatasetNotFound
from .real import available as available
from .real import load as load
from .simulated import LAWS as LAWS
from .simulated import TIED_LAWS as TIED_LAWS
from .simulated import ExactErrors as ExactErrors
from .simulated import ScoreLaw as ScoreLaw
from .simulated import rings as rings
