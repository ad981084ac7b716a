"""The interface that classifiers and calibrators of any origin must have, and its use.

A calibrator has ``fit(scores, labels)``, which may take `sample_weight`, and ``predict(scores)``,
which gives probabilities of class 1; scikit-learn's `IsotonicRegression` is one. Four more
attributes are used where they exist. ``predict_logit(scores)`` for log-odds that no probability can
hold, ``unit_scores``, true if scores must lie in [0, 1], ``takes_groups``, true if all these
methods want the groups of the rows as `groups`, and ``combine(probabilities)`` for an ensemble's
one probability.

A calibrator of several classes at once, as in `calibkit.multiclass`, has ``multiclass``,
which is true, and ``fit(scores, labels)`` and ``predict_proba(scores)`` on one column per class.
"""

from inspect import signature
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn import get_config
from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

from calib.base.failures import warn
from calib.base.probabilities import log_odds

if TYPE_CHECKING:
    from sklearn.linear_model import LogisticRegression


def default_classifier() -> "LogisticRegression":
    """Logistic regression, which requests weights where metadata routing is on."""
    from sklearn.linear_model import LogisticRegression  # few models need it, and it loads long

    if get_config()["enable_metadata_routing"]:
        return LogisticRegression().set_fit_request(sample_weight=True)
    return LogisticRegression()


def check_classifier(estimator: object) -> None:
    """Raise unless `estimator` is a classifier that gives scores."""
    scores = hasattr(estimator, "decision_function") or hasattr(estimator, "predict_proba")
    if not (scores and _has_methods(estimator, "fit", "get_params")):
        raise ValueError(
            "estimator must be a classifier with decision_function or predict_proba, such as "
            f"LogisticRegression(); found {estimator!r}"
        )


def classifier_scores(estimator, X, response_method: str = "auto", n_classes: int = 2) -> NDArray:
    """Scores as columns: of the second class if there are two, else one for each class.

    Parameters
    ----------
    estimator : fitted classifier
    X : whatever it takes
    response_method : {"auto", "decision_function", "predict_proba"}
        ``"auto"`` prefers the decision function.
    n_classes : int

    Raises
    ------
    ValueError
        If `estimator` has no such method, or it gives another number of columns.
    """
    method = response_method
    if method == "auto":
        has_margin = hasattr(estimator, "decision_function")
        method = "decision_function" if has_margin else "predict_proba"
    name = type(estimator).__name__
    if not hasattr(estimator, method):
        raise ValueError(
            f"estimator {name} has no {method}: choose another response_method or classifier"
        )
    scores = np.asarray(getattr(estimator, method)(X))
    if scores.ndim == 1:
        scores = scores[:, np.newaxis]
    if n_classes == 2 and scores.shape[1] <= 2:
        return scores[:, -1:]  # the scores of the second class
    if scores.shape[1] != n_classes:
        raise ValueError(
            f"estimator {name}: {method} gives {scores.shape[1]} columns for {n_classes} classes, "
            "but one for each class is needed (SVC: decision_function_shape='ovr')"
        )
    return scores


def is_multiclass(calibrator: object) -> bool:
    """Whether `calibrator` takes the scores of all classes at once."""
    return getattr(calibrator, "multiclass", False)


def class_columns(calibrator: object, scores: NDArray) -> NDArray:
    """The scores as columns that `calibrator` takes.

    A calibrator of all classes at once also takes a column for the first of two classes.
    """
    if not is_multiclass(calibrator) or scores.shape[1] > 1:
        return scores
    first = 1 - scores if needs_unit_scores(calibrator) else np.zeros_like(scores)
    return np.hstack([first, scores])


def needs_unit_scores(calibrator: object) -> bool:
    """Whether `calibrator` needs scores in [0, 1]."""
    return getattr(calibrator, "unit_scores", False)


def takes_groups(calibrator: object) -> bool:
    """Whether `calibrator` asks for the group of each row."""
    return getattr(calibrator, "takes_groups", False)


def rows_for(
    calibrator: object, *, weights: NDArray | None = None, groups: NDArray | None = None
) -> dict:
    """Keyword arguments that hand `calibrator` weights, if there are any, and groups if it asks."""
    arguments: dict[str, NDArray | None] = {}
    if weights is not None:
        arguments["sample_weight"] = weights
    if takes_groups(calibrator):
        arguments["groups"] = groups
    return arguments


def fitted(
    calibrator: object, scores: NDArray, labels: NDArray, weights: NDArray | None, groups=None
) -> object:
    """A clone of `calibrator` that has learned from the rows. `groups` are for one that asks."""
    given = rows_for(calibrator, weights=weights, groups=groups)
    return clone(calibrator).fit(scores, labels, **given)


def check_is_calibrator(
    calibrator: object, *, weighted: bool = False, multiclass: bool = False, grouped: bool = False
) -> None:
    """Raise unless `calibrator` learns from scores and labels, and weights if `weighted`.

    A calibrator of all classes at once is accepted if `multiclass`, and a calibrator that asks for
    groups if `grouped`.
    """
    at_once = " for all classes at once" if is_multiclass(calibrator) else ""
    predict = "predict_proba" if multiclass and is_multiclass(calibrator) else "predict"
    if not _has_methods(calibrator, "fit", predict, "get_params"):
        raise ValueError(
            f"calibrator must be an estimator with fit(scores, labels) and {predict}(scores), such "
            f"as PlattScaling() or IsotonicCalibrator(); found {calibrator!r}{at_once}"
        )
    name = type(calibrator).__name__
    for method, arguments in [("fit", (None, None)), (predict, (None,))]:
        try:
            signature(getattr(calibrator, method)).bind(*arguments)
        except TypeError as error:
            raise ValueError(
                f"calibrator must have fit(scores, labels) and {predict}(scores), but "
                f"{name}.{method} asks for something else ({error}): use it by itself"
            ) from None
    if takes_groups(calibrator) and not grouped:
        raise ValueError(
            f"calibrator {name} asks for the groups of the rows, which are not available here: "
            "pass groups where they can be passed, or use it by itself"
        )
    if weighted and not has_fit_parameter(calibrator, "sample_weight"):
        raise ValueError(
            f"calibrator {name}.fit takes no sample_weight: fit without weights, or take another"
        )


def calibrated(
    calibrator, scores: NDArray[np.float64], groups: NDArray | None = None
) -> NDArray[np.float64]:
    """Probabilities of class 1 from a fitted calibrator, of shape (n,).

    It is given the `groups` of the rows if it takes groups.

    Raises
    ------
    ValueError
        If it does not predict one probability for each score.
    """
    given = rows_for(calibrator, groups=groups)
    probabilities = np.asarray(calibrator.predict(scores, **given), np.float64)
    name = type(calibrator).__name__
    if probabilities.shape != scores.shape:
        raise ValueError(
            f"calibrator {name} predicts an array of shape {probabilities.shape} for "
            f"{scores.size} scores: one probability for each is needed"
        )
    wrong = ~((probabilities >= 0) & (probabilities <= 1))
    if wrong.any():
        row = int(np.argmax(wrong))
        raise ValueError(
            f"calibrator {name} predicts {probabilities[row]} for the score {scores[row]}: "
            "probabilities are needed (IsotonicRegression: out_of_bounds='clip')"
        )
    return probabilities


def calibrated_logits(
    calibrator, scores: NDArray[np.float64], groups: NDArray | None = None
) -> NDArray[np.float64]:
    """Log-odds of class 1 from a fitted calibrator, of shape (n,); groups as in `calibrated`.

    Raises
    ------
    ValueError
        If it does not predict one number for each score, or predicts no probability.
    """
    if not hasattr(calibrator, "predict_logit"):
        return log_odds(calibrated(calibrator, scores, groups))
    given = rows_for(calibrator, groups=groups)
    logits = np.asarray(calibrator.predict_logit(scores, **given), np.float64)
    if logits.shape != scores.shape or np.isnan(logits).any():
        raise ValueError(
            f"calibrator {type(calibrator).__name__}: predict_logit must give one number for each "
            "score"
        )
    return logits  # exact where a probability would round to 1


def normalized_rows(probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rows divided by their sums. In a row of zeros all classes become equally likely."""
    totals = probabilities.sum(axis=1, keepdims=True)
    uniform = np.full_like(probabilities, 1 / probabilities.shape[1])
    return np.divide(probabilities, totals, out=uniform, where=totals > 0)


def training_weights(estimator, weights: ArrayLike | None) -> dict:
    """The fit parameters that hold `weights`; warn if `estimator` does not take weights."""
    if weights is None:
        return {}
    if has_fit_parameter(estimator, "sample_weight"):
        return {"sample_weight": weights}
    warn(
        f"{type(estimator).__name__}.fit takes no sample_weight: it is trained without weights and "
        "only calibrated with them. If it is a pipeline, calibrate its last step inside it instead"
    )
    return {}


def _has_methods(value, *names):
    if isinstance(value, type):
        return False
    return all(callable(getattr(value, name, None)) for name in names)
