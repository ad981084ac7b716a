from .bounds import auc_loss_bound as auc_loss_bound
from .bounds import bin_bounds as bin_bounds
from .bounds import clopper_pearson_limits as clopper_pearson_limits
from .bounds import ece_bound as ece_bound
from .bounds import mce_bound as mce_bound
from .discrete import DiscreteLaw as DiscreteLaw
