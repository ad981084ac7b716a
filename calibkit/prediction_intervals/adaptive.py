"""Adaptive calibration of predictions (ACP), and the intervals it needs."""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, ndtri
from sklearn.linear_model import LogisticRegression
from sklearn.utils.validation import check_is_fitted, validate_data

from calib.base.arrays import check_scores, check_size, counts_of
from calib.base.calibrator import ScoreModel
from calib.base.options import check_positive
from calib.kernels.ties import ties
from calibkit.prediction_intervals.interval_sums import interval_sums, sum_tree


class AdaptiveCalibrator(ScoreModel):
    r"""Predict the positive fraction of the calibration points in the prediction's own interval.

    .. math:: f(y, [l, u]) = \frac{\#\{j : l \le y_j \le u, z_j = 1\}}{\#\{j : l \le y_j \le u\}}

    The method is a histogram in which each prediction has a separate bin. The bin is the
    confidence interval of the prediction, which is wide where the model knows little. The
    intervals come with the predictions, for example from `logistic_intervals`.

    Attributes
    ----------
    base_rate_ : float
        m / N, predicted where an interval holds no calibration point.
    scores_ : ndarray of shape (k,)
        The distinct scores of the calibration sample, in increasing order.
    counts_, positives_ : ndarray of shape (k,)
        N_i and m_i at each of them (sums of weights, if there are any).

    Notes
    -----
    Scores may be any real numbers, on the scale of the intervals. The prediction depends on the
    score only through its interval: equal scores may get different probabilities, and the result
    is not a map of the score. An interval of points of one class gives exactly 0 or 1. With one
    class only every prediction is that class.

    Fit O(N log N), predict O(log N) per score, by a tree of partial sums, memory O(N).

    References
    ----------
    Jiang, Osl, Kim and Ohno-Machado (2012), "Calibrating predictive model estimates to support
    personalized medicine". Compared in the complexity table of Naeini and Cooper (2016).

    Examples
    --------
    >>> from calibkit.prediction_intervals.adaptive import AdaptiveCalibrator
    >>> calibrator = AdaptiveCalibrator().fit([0.1, 0.2, 0.3, 0.4], [0, 0, 1, 1])
    >>> calibrator.predict([0.2, 0.35, 0.9], lower=[0.1, 0.2, 0.8], upper=[0.3, 0.5, 1.0])
    array([0.33333333, 0.66666667, 0.5       ])
    """

    def _fit(self, scores, labels, weights):
        tied = ties(scores, labels, weights)
        self.scores_ = tied.scores
        self.counts_ = tied.weights
        self.positives_ = tied.positives
        self._count_tree = sum_tree(tied.weights)
        self._positive_tree = sum_tree(tied.positives)
        self.base_rate_ = float(tied.positives.sum() / tied.weights.sum())

    def predict(self, scores: ArrayLike, lower: ArrayLike, upper: ArrayLike) -> NDArray[np.float64]:
        """Positive fraction of the calibration points with ``lower <= score <= upper``.

        Parameters
        ----------
        scores : array-like of shape (n,)
            Finite scores on the scale that was used in `fit`. `n` may be 0.
        lower, upper : array-like of shape (n,)
            Finite ends of their intervals, with ``lower <= scores <= upper``.

        Returns
        -------
        probabilities : ndarray of shape (n,)
            In [0, 1]. The base rate where the interval holds no calibration point.

        Raises
        ------
        ValueError
            If an argument is not valid, or a score lies outside its interval.
        """
        check_is_fitted(self)
        y = check_scores(scores, allow_empty=True)
        low = check_scores(lower, name="lower", allow_empty=True)
        high = check_scores(upper, name="upper", allow_empty=True)
        check_size(low.size, y.size, "lower", "scores")
        check_size(high.size, y.size, "upper", "scores")
        outside = (y < low) | (y > high)
        if outside.any():
            row = int(np.argmax(outside))
            raise ValueError(
                f"lower and upper must enclose scores; found {y[row]:.6g} outside "
                f"[{low[row]:.6g}, {high[row]:.6g}] at row {row}: put all three on one scale"
            )
        start = np.searchsorted(self.scores_, low, side="left")
        end = np.searchsorted(self.scores_, high, side="right")
        counts = interval_sums(self._count_tree, start, end)
        positives = interval_sums(self._positive_tree, start, end)
        probabilities = np.full(y.size, self.base_rate_)
        np.divide(positives, counts, out=probabilities, where=end > start)
        return np.clip(probabilities, 0.0, 1.0)  # sums of fractional weights are rounded


def logistic_intervals(
    model: LogisticRegression,
    X: ArrayLike,
    X_train: ArrayLike,
    *,
    confidence: float = 0.95,
    sample_weight: ArrayLike | None = None,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    r"""Predictions of a logistic regression with confidence intervals, by the delta method.

    .. math::

        [l, u] &= \sigma\bigl(\eta \pm q \sqrt{\tilde x^T V \tilde x}\bigr), \\
        V^{-1} &= \sum_j w_j p_j (1 - p_j) \, \tilde x_j \tilde x_j^T \\
        &\quad + P / C,

    with :math:`\tilde x = (1, x)`, the linear predictor :math:`\eta = \tilde x^T \hat\beta`, the
    normal quantile q of (1 + confidence) / 2, and :math:`p_j` the fitted probabilities of the
    training rows. V is the inverse Fisher information; P, the identity except for a 0 at the
    intercept, is there because scikit-learn adds \|coefficients\|^2 / (2 C) to the negative log
    likelihood. (In Bayes' terms V is the Laplace approximation of the posterior covariance.)

    Parameters
    ----------
    model : sklearn.linear_model.LogisticRegression
        Fitted, binary; with an L2 penalty or none, and not by ``solver="liblinear"``, which
        penalises the intercept.
    X : array-like or data frame of shape (n, d)
        Rows to predict; the columns as in training.
    X_train : array-like or data frame of shape (N, d)
        The rows on which `model` was fitted.
    confidence : float, default=0.95
        Nominal coverage, between 0 and 1.
    sample_weight : array-like of shape (N,), optional
        The weights with which `model` was fitted, class weights included.

    Returns
    -------
    scores, lower, upper : ndarray of shape (n,)
        Probabilities of class 1 and the ends of their intervals, for `AdaptiveCalibrator`.

    Raises
    ------
    ValueError
        If an argument is not valid, the model is of another kind, the columns of a data frame are
        not those the model was fitted on, in this order, or the information is singular: without a
        penalty, if columns are collinear or the classes separable.

    Notes
    -----
    O(N d^2 + d^3 + n d^2) time. The interval is about the probability itself, not about a label,
    and holds only as far as the model does.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from calibkit.prediction_intervals.adaptive import logistic_intervals
    >>> X = np.arange(8.0)[:, None]
    >>> model = LogisticRegression().fit(X, [0, 0, 1, 0, 1, 0, 1, 1])
    >>> scores, lower, upper = logistic_intervals(model, [[3.5], [9.0]], X)
    >>> np.c_[lower, scores, upper].round(2)
    array([[0.17, 0.5 , 0.83],
           [0.18, 0.94, 1.  ]])
    """
    _check_model(model, sample_weight)
    check_positive(confidence, "confidence", below=1)
    rows = _check_rows(model, X, "X")
    rows_train = _check_rows(model, X_train, "X_train")
    weights = counts_of(sample_weight, len(rows_train), "X_train")
    terms = slice(0 if model.fit_intercept else 1, None)  # a missing intercept has no variance
    beta = np.append(model.intercept_, model.coef_[0])[terms]
    design = np.c_[np.ones(len(rows)), rows][:, terms]
    design_train = np.c_[np.ones(len(rows_train)), rows_train][:, terms]
    fitted = design_train @ beta
    information = (design_train.T * (weights * expit(fitted) * expit(-fitted))) @ design_train
    if model.penalty is not None:
        penalty = np.append(0.0, np.full(model.coef_.shape[1], 1 / model.C))
        information += np.diag(penalty[terms])
    centre = design @ beta
    reach = ndtri((1 + confidence) / 2) * _standard_errors(information, design)
    return expit(centre), expit(centre - reach), expit(centre + reach)


def _standard_errors(information, design):
    """Root of x' information^-1 x for each row x of `design`."""
    # scaled to a unit diagonal: the test for singularity must not depend on the columns' units
    scale = np.sqrt(np.diag(information))
    with np.errstate(divide="ignore", invalid="ignore"):
        correlation = information / np.outer(scale, scale)
    if not np.isfinite(correlation).all() or np.linalg.cond(correlation) > 1e12:
        raise ValueError(
            "the Fisher information of model is singular: its columns are collinear or its "
            "classes separable; fit it with a penalty (a finite C)"
        )
    factor = np.linalg.cholesky(correlation)
    return np.linalg.norm(np.linalg.solve(factor, (design / scale).T), axis=0)


def _check_rows(model, X, name):
    """`X` as an array, with the columns, by number and name, that `model` was fitted on."""
    try:
        return validate_data(model, X, dtype=np.float64, reset=False)
    except ValueError as error:
        raise ValueError(f"{name} does not suit model: {error}") from None


def _check_model(model, sample_weight):
    if type(model) is not LogisticRegression:
        raise ValueError(
            f"model must be a scikit-learn LogisticRegression; found {type(model).__name__}: pass "
            "the last step of a pipeline with the rows it was given"
        )
    check_is_fitted(model)
    if len(model.classes_) != 2:
        raise ValueError(f"model must be binary; found {len(model.classes_)} classes")
    if model.solver == "liblinear" or model.penalty in ("l1", "elasticnet") or model.l1_ratio:
        raise ValueError(
            "model must have an L2 penalty or none, with the intercept not penalised; found "
            f"solver={model.solver!r}, penalty={model.penalty!r}, l1_ratio={model.l1_ratio!r}: "
            'refit it with solver="lbfgs"'
        )
    if model.class_weight is not None and sample_weight is None:
        raise ValueError(
            "model has class_weight, so its rows were weighted: pass sample_weight, for example "
            "sklearn.utils.class_weight.compute_sample_weight(model.class_weight, labels)"
        )
