"""The measures of a table at once."""

from numpy.typing import ArrayLike

from calib.contract.validation import check_sample
from calib.metrics.binned import bin_sample
from calib.metrics.discrimination import roc_auc_score
from calib.metrics.losses import accuracy, root_mean_squared_error


def evaluate(
    labels: ArrayLike,
    probabilities: ArrayLike,
    *,
    n_bins: int | str = 10,
    strategy: str = "quantile",
    ties: str = "group",
    sample_weight: ArrayLike | None = None,
) -> dict[str, float]:
    """Compute the five measures of Naeini et al. (2014): RMSE, AUC, ACC, MCE and ECE.

    Parameters and errors are those of `calib.metrics.reliability_curve`; both classes are needed.

    Returns
    -------
    measures : dict of str to float

    Examples
    --------
    >>> evaluate([0, 1], [0.0, 1.0])
    {'RMSE': 0.0, 'AUC': 1.0, 'ACC': 1.0, 'MCE': 0.0, 'ECE': 0.0}
    """
    sample = check_sample(labels, probabilities, sample_weight)
    curve = bin_sample(*sample, n_bins=n_bins, strategy=strategy, ties=ties)
    return {
        "RMSE": root_mean_squared_error(labels, probabilities, sample_weight=sample_weight),
        "AUC": roc_auc_score(labels, probabilities, sample_weight=sample_weight),
        "ACC": accuracy(labels, probabilities, sample_weight=sample_weight),
        "MCE": curve.mce,
        "ECE": curve.ece,
    }
