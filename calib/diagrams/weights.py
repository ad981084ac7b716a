"""The weights of an average of calibrators."""

from typing import TYPE_CHECKING, Any

from sklearn.utils.validation import check_is_fitted

from calib.diagrams.canvas import one_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def weights_plot(calibrator: Any, *, ax: "Axes | None" = None) -> "Axes":
    """Draw the weight of each member of a fitted `StackedCalibrator`, one below the other.

    Parameters
    ----------
    calibrator : fitted StackedCalibrator
        Of two classes or of more.
    ax : matplotlib Axes, optional

    Returns
    -------
    ax : matplotlib Axes

    Raises
    ------
    ValueError
        If the calibrator is another one or not fitted.
    ImportError
        If matplotlib is not installed.

    Examples
    --------
    >>> from calib import PlattScaling, StackedCalibrator, VennAbers, diagrams
    >>> stacked = StackedCalibrator([PlattScaling(), VennAbers()])
    >>> stacked = stacked.fit([0.1, 0.4, 0.6, 0.9], [0, 1, 0, 1])
    >>> ax = diagrams.weights_plot(stacked)
    >>> [text.get_text() for text in ax.get_yticklabels()]
    ['PlattScaling()', 'VennAbers()']
    """
    check_is_fitted(calibrator)
    if not (hasattr(calibrator, "weights_") and hasattr(calibrator, "calibrators_")):
        found = type(calibrator).__name__
        raise ValueError(f"calibrator must be a StackedCalibrator; found {found}")
    ax = one_axes(ax)
    places = range(len(calibrator.weights_))
    bars = ax.barh(places, calibrator.weights_, color="#0072B2")
    ax.bar_label(bars, fmt="%.2f", padding=3, fontsize=9)
    ax.set_yticks(places, list(map(str, calibrator.calibrators_)))
    ax.set(xlabel="Weight", xlim=(0, 1), ylim=(len(places) - 0.5, -0.5))
    return ax
