"""Proper scores and errors as scorers for scikit-learn's searches and cross-validation."""

from collections.abc import Callable

import numpy as np

from calib.base.options import check_choice
from calib.metrics.losses import brier_score_loss, log_loss, root_mean_squared_error
from calib.metrics.reliability import expected_calibration_error, maximum_calibration_error
from calibkit.inference.debiased import debiased_squared_error, sweep_calibration_error
from calibkit.inference.unbinned import (
    integrated_calibration_index,
    kuiper_error,
    smooth_calibration_error,
    smooth_ece,
)

PROPER_SCORES = [brier_score_loss, log_loss, root_mean_squared_error]
BINNED_ERRORS = [debiased_squared_error, expected_calibration_error, maximum_calibration_error]
UNBINNED_ERRORS = [integrated_calibration_index, kuiper_error, smooth_calibration_error, smooth_ece]
SCORED_MEASURES = {
    f"neg_{measure.__name__}": measure
    for measure in [*PROPER_SCORES, *BINNED_ERRORS, sweep_calibration_error, *UNBINNED_ERRORS]
}


def get_scorer(name: str, **options: object) -> Callable:
    """Make a scorer for scikit-learn of a measure, negated so that larger is better.

    Parameters
    ----------
    name : str
        ``"neg_"`` and the name of a proper score or of a calibration error, for example
        ``"neg_log_loss"`` or ``"neg_smooth_ece"``.
    **options
        Options of the measure, for example ``n_bins=20``.

    Returns
    -------
    scorer : callable
        For the argument `scoring` of `cross_val_score` and similar functions. It scores
        ``predict_proba`` and takes `sample_weight`.

    Raises
    ------
    ValueError
        For any other name. Scoring raises it for labels that are not of two classes.

    Notes
    -----
    The labels may be any two classes. The larger one is the positive class, as in scikit-learn.
    Choose models by proper scores, because calibration errors alone prefer a constant.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.model_selection import cross_val_score
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from calibkit.inference import get_scorer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> cross_val_score(GaussianNB(), X, y, scoring=get_scorer("neg_kuiper_error"), cv=3).round(2)
    array([-0.06, -0.04, -0.03])
    """
    from sklearn.metrics import make_scorer

    check_choice(name, sorted(SCORED_MEASURES), "name")
    return make_scorer(
        _score_any_two_classes,
        measure=name,
        greater_is_better=False,
        response_method="predict_proba",
        **options,
    )


def _score_any_two_classes(y, probabilities, *, measure, sample_weight=None, **options):
    """Score labels of any two values. The larger value is the positive class."""
    y = np.asarray(y)
    classes = np.unique(y)
    if classes.size != 2:
        raise ValueError(f"y must hold two classes to be scored; found {classes.size}")
    return SCORED_MEASURES[measure](
        y == classes[1], probabilities, sample_weight=sample_weight, **options
    )
