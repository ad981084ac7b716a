"""Finite-sample bounds for histogram binning, and laws on which nothing need be estimated."""

from calib.theory.bounds import (
    auc_loss_bound,
    bin_bounds,
    clopper_pearson_limits,
    ece_bound,
    mce_bound,
)

__all__ = ["auc_loss_bound", "bin_bounds", "clopper_pearson_limits", "ece_bound", "mce_bound"]
