"""Venn-Abers predictors, and the direct isotonic regression that they correct."""

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from scipy.special import expit, logit
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.linear_model import LogisticRegression
from sklearn.utils import _safe_indexing, column_or_1d, get_tags, indexable
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from calib.base import Calibrator
from calib.kernels.grouping import group_ties
from calib.kernels.pooling import pool_adjacent_violators
from calib.kernels.venn_abers import look_up, venn_abers
from calib.maps import StepMap
from calib.validation import check_choice, check_scores


def minimax_log(p0, p1):
    """The probability whose regret under log loss is the same for both labels."""
    return p1 / (1 - p0 + p1)


def minimax_square(p0, p1):
    """The probability whose regret under square loss is the same for both labels."""
    return p1 + p0**2 / 2 - p1**2 / 2


MERGES = {"log": minimax_log, "square": minimax_square}


class VennAbers(Calibrator):
    r"""Two isotonic regressions, one for each label that the new object may have.

    .. math:: p_c(y) = g_c(y), \quad c \in \{0, 1\},

    :math:`g_c` the isotonic regression of the calibration sample and (y, c). Fitted on scores that
    the classifier was not trained on, this is the inductive Venn-Abers predictor (IVAP): one of
    the two probabilities is perfectly calibrated. Fitted on the training scores themselves it is
    the simplified one (SVA), without this guarantee.

    Parameters
    ----------
    loss : {"log", "square"}, default="log"
        Loss for which `predict` merges the two to one probability of minimax regret,

        .. math::

            p_{\log} &= \frac{p_1}{1 - p_0 + p_1}, \\
            p_{\text{square}} &= p_1 + \frac{p_0^2 - p_1^2}{2}.

    Attributes
    ----------
    scores_ : ndarray of shape (k,)
        The distinct calibration scores at which p0 or p1 changes, in increasing order.
    p0_ : ndarray of shape (k + 1,)
        Every value of p0, by the number of `scores_` that are <= the new score.
    p1_ : ndarray of shape (k + 1,)
        Every value of p1, by the number of `scores_` that are < the new score.
    map_ : StepMap
        The merged probability as a step map; a step may be one floating-point number wide.

    Notes
    -----
    :math:`0 \le p_0 < p_1 \le 1` and :math:`p_1 - p_0 \ge 1 / (N + 1)`, N the weight of the
    sample; p0 < 1 and p1 > 0, so that neither probability nor the merged one can have infinite log
    loss. The new object has weight 1 whatever the weights of the others are: weights are counts.

    The sample needs no second class and no second point. Below all scores p0 is 0, above all of
    them p1 is 1. With one class of N points the interval beyond the scores at the end where that
    class is expected is [N / (N + 1), 1] or [0, 1 / (N + 1)], and it is [0, 1] at the other end.

    That one of the two is exactly calibrated needs a sample drawn without a look at the labels.
    `CalibratedClassifier` with a share, such as ``cv=0.5``, draws each class in proportion, and
    leaves it nearly true; for the exact property pass ``cv=ShuffleSplit(1, test_size=0.5)``.

    p0 steps up on a calibration score, p1 just behind it. A score that should be equal to one of
    them and differs in its last digit lies beside it.

    Fit O(N log N) for the sort and O(N) after it, on the cumulative sum diagram; predict O(1)
    expected per score; memory O(N).

    References
    ----------
    Vovk and Petej (2014), algorithm 2 and equations (10) and (11). That all predictions together
    cost O(N) is due to Vovk, Petej and Fedorova (2015); the pass here is another one.

    Examples
    --------
    >>> from calib import VennAbers
    >>> calibrator = VennAbers().fit([0.1, 0.2, 0.3, 0.4], [0, 1, 0, 1])
    >>> p0, p1 = calibrator.predict_interval([0.05, 0.25, 0.9])
    >>> p0.round(3), p1.round(3)
    (array([0.   , 0.333, 0.5  ]), array([0.5  , 0.667, 1.   ]))
    >>> calibrator.predict([0.05, 0.25, 0.9]).round(3)
    array([0.333, 0.5  , 0.667])
    """

    def __init__(self, *, loss: str = "log"):
        self.loss = loss

    def _fit(self, scores, labels, weights):
        check_choice(self.loss, MERGES, "loss")
        groups = group_ties(scores, labels, weights)
        p0, p1 = venn_abers(groups.weights, groups.positives)
        steps = np.flatnonzero((p0[1:] != p0[:-1]) | (p1[1:] != p1[:-1]))
        kept = np.append(0, steps + 1)
        self.scores_, self.p0_, self.p1_ = groups.scores[steps], p0[kept], p1[kept]

    def predict_interval(
        self, scores: ArrayLike
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Both probabilities of class 1.

        Parameters
        ----------
        scores : array-like of shape (n,)
            Finite scores on the scale that was used in `fit`; `n` may be 0.

        Returns
        -------
        p0, p1 : ndarray of shape (n,)
            The probability if the object is added to the sample with label 0, and with label 1.
        """
        check_is_fitted(self)
        scores = self._check_scores(scores, allow_empty=True)
        return look_up(self.scores_, self.p0_, self.p1_, scores)

    def predict(self, scores: ArrayLike, loss: str | None = None) -> NDArray[np.float64]:
        """Merged probabilities of class 1.

        Parameters
        ----------
        scores : array-like of shape (n,)
            As in `predict_interval`.
        loss : {"log", "square"}, optional
            By default that of the constructor.

        Returns
        -------
        probabilities : ndarray of shape (n,)
            In (0, 1), as far as floating-point numbers can tell: with a weight beyond 1e16 they may
            round to an end.
        """
        loss = self.loss if loss is None else loss
        check_choice(loss, MERGES, "loss")
        return MERGES[loss](*self.predict_interval(scores))

    def combine(self, probabilities: ArrayLike) -> NDArray[np.float64]:
        """One probability from those of several folds: the cross Venn-Abers predictor (CVAP).

        For log loss the mean of the log-odds, which is :math:`G_1 / (G_0 + G_1)` with the
        geometric means :math:`G_1` of the p1 and :math:`G_0` of the 1 - p0; for square loss the
        mean. `CalibratedClassifier` with ``ensemble=True`` asks for it.

        Parameters
        ----------
        probabilities : ndarray of shape (n_folds, ...)
            Merged probabilities of each fold's predictor.

        Returns
        -------
        combined : ndarray of shape (...)

        Raises
        ------
        ValueError
            If a probability is NaN or outside [0, 1].

        References
        ----------
        Vovk, Petej and Fedorova (2015), who derive both rules.
        """
        check_choice(self.loss, MERGES, "loss")
        probabilities = np.asarray(probabilities, np.float64)
        if probabilities.ndim == 0 or not np.all((probabilities >= 0) & (probabilities <= 1)):
            raise ValueError("probabilities must be an array of numbers in [0, 1], one row a fold")
        if self.loss == "square":
            return np.mean(probabilities, axis=0)
        return expit(np.mean(logit(probabilities), axis=0))

    @property
    def map_(self) -> StepMap:
        """The merged probability as a step map: on each distinct score, and between them."""
        check_is_fitted(self)
        cuts = np.column_stack([self.scores_, np.nextafter(self.scores_, np.inf)]).ravel()
        values = MERGES[self.loss](np.repeat(self.p0_, 2)[1:], np.repeat(self.p1_, 2)[:-1])
        steps = np.flatnonzero(np.diff(values))
        return StepMap(cuts[steps], values[np.append(0, steps + 1)])


class DirectIsotonic(Calibrator):
    r"""Isotonic regression, evaluated at the nearest calibration score (DIR).

    .. math:: f(y) = g(y_j), \quad j = \arg\min_i |y - y_i|,

    g the isotonic regression of the calibration sample, which is the training sample in its
    paper; of two nearest scores the smaller is taken.

    Attributes
    ----------
    map_ : StepMap
        Steps halfway between neighbouring scores of different blocks.

    Notes
    -----
    As with `IsotonicCalibrator`, a prediction is exactly 0 up to the smallest positive and exactly
    1 from the largest negative on, so the log loss may be infinite. With one class only, every
    prediction is that class.

    Fit O(N log N), predict O(1) expected per score, memory O(N).

    References
    ----------
    Zadrozny and Elkan (2002); the form and the rule for ties are those of Vovk and Petej (2014),
    section 3.

    Examples
    --------
    >>> from calib import DirectIsotonic
    >>> calibrator = DirectIsotonic().fit([1, 2, 3, 4], [0, 1, 0, 1])
    >>> calibrator.predict([1.5, 1.6, 3.4, 9])
    array([0. , 0.5, 0.5, 1. ])
    """

    def _fit(self, scores, labels, weights):
        groups = group_ties(scores, labels, weights)
        starts, totals, hits = pool_adjacent_violators(groups.weights, groups.positives)
        left, right = groups.scores[starts[1:-1] - 1], groups.scores[starts[1:-1]]
        middle = 0.5 * left + 0.5 * right
        # a score just halfway belongs to the left, unless it was rounded up to get there
        cuts = np.where(middle - left > right - middle, middle, np.nextafter(middle, np.inf))
        self.map_ = StepMap(np.minimum(cuts, right), hits / totals)


class TransductiveVennAbers(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    r"""The full Venn-Abers predictor: the classifier is trained anew for each object and label.

    .. math:: p_c(x) = g_c(s_c(x)), \quad c \in \{0, 1\},

    :math:`s_c` the score of the classifier trained on the sample and (x, c), :math:`g_c` the
    isotonic regression of all these labels on these scores. It is a Venn predictor: whatever the
    classifier, one of the two probabilities is perfectly calibrated, and no data are held out.

    Parameters
    ----------
    estimator : classifier, default=LogisticRegression()
        Two classes; its score is `decision_function`, or `predict_proba` if there is none.
    loss : {"log", "square"}, default="log"
        As in `VennAbers`, for `predict_proba`.
    n_jobs : int, optional
        Processes among which joblib shares the objects; by default one.
    verbose : int, default=0
        Progress on the error stream, as in `joblib.Parallel`: from 1 on some lines, with 10 many.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        Sorted class labels; the probabilities are those of the second.
    estimator_ : classifier
        Trained on the sample alone. Its scores are not used: it checks the input.
    n_features_in_, feature_names_in_ : int, ndarray
        Those of `estimator_`, where it has them.

    Notes
    -----
    As the two trainings differ, p0 may exceed p1 here; p0 < 1 and p1 > 0 still hold.

    Two trainings for each object: this is a method for small samples. Validity asks that the
    training treats all rows alike, whatever their order. An estimator that draws random numbers
    needs a `random_state`, and its predictions may still depend on the order.

    References
    ----------
    Vovk and Petej (2014), algorithm 1 and proposition 1.

    Examples
    --------
    >>> from calib import TransductiveVennAbers
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X = [[0.0], [1.0], [1.2], [1.9], [3.0], [3.1]]
    >>> predictor = TransductiveVennAbers(GaussianNB()).fit(X, [0, 0, 1, 0, 1, 1])
    >>> p0, p1 = predictor.predict_interval([[0.5], [1.6], [3.5]])
    >>> p0.round(3), p1.round(3)
    (array([0.   , 0.333, 0.333]), array([0.5  , 0.667, 1.   ]))
    """

    def __init__(self, estimator=None, *, loss="log", n_jobs=None, verbose=0):
        self.estimator = estimator
        self.loss = loss
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X, y):
        """Keep the sample, and train the classifier once to see whether it takes it.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n, n_features)
            Whatever `estimator` takes.
        y : array-like of shape (n,)
            Class labels, two classes.

        Returns
        -------
        self : TransductiveVennAbers

        Raises
        ------
        ValueError
            If `loss` is unknown, `y` does not hold two classes, or `estimator` refuses the input.
        """
        check_choice(self.loss, MERGES, "loss")
        if y is None:
            raise ValueError("requires y to be passed, but the target y is None")
        check_classification_targets(y)
        X, y = indexable(X, column_or_1d(y, warn=True))
        self.classes_, self._codes = np.unique(y, return_inverse=True)
        if self.classes_.size != 2:
            found = f"{self.classes_.size} class{'' if self.classes_.size == 1 else 'es'}"
            raise ValueError(
                f"Only binary classification is supported: y holds {found}, "
                "pass rows of two classes"
            )
        self._X = X
        self.estimator_ = clone(self._template()).fit(X, y)
        return self

    def predict_interval(self, X):
        """Both probabilities of class ``classes_[1]``.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n, n_features)
            Objects; `n` may be 0 if `estimator` allows that.

        Returns
        -------
        p0, p1 : ndarray of shape (n,)
            The probability if the object is given the first class, and the second.
        """
        check_is_fitted(self)
        n = _scores(self.estimator_, X).size  # refuses what the classifier cannot take
        everything = _stack(self._X, X)
        rows = np.arange(self._codes.size)
        pairs = Parallel(n_jobs=self.n_jobs, verbose=self.verbose)(
            delayed(_venn_abers_of_one)(
                self._template(),
                _safe_indexing(everything, np.append(rows, rows.size + i)),
                self._codes,
                self.classes_,
            )
            for i in range(n)
        )
        p0, p1 = np.array(pairs).reshape(n, 2).T
        return p0, p1

    def predict_proba(self, X):
        """Merged probabilities, of shape (n, 2)."""
        p = MERGES[self.loss](*self.predict_interval(X))
        return np.column_stack([1 - p, p])

    def predict(self, X):
        """Class of the larger merged probability; of equal ones, the first."""
        best = self.predict_proba(X).argmax(axis=1)
        return self.classes_[best]

    @property
    def n_features_in_(self):
        """Number of features of the sample."""
        return self.estimator_.n_features_in_

    @property
    def feature_names_in_(self):
        """Names of the features, if the sample is a data frame."""
        return self.estimator_.feature_names_in_

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags = get_tags(self._template()).input_tags
        tags.classifier_tags.multi_class = False
        return tags

    def _template(self):
        return LogisticRegression() if self.estimator is None else self.estimator


def _venn_abers_of_one(template, X, codes, classes):
    """p0 and p1 of the last row of `X`; `codes` are the labels of the others."""
    pair = []
    for postulated in [0, 1]:
        labels = np.append(codes, postulated)
        scores = _scores(clone(template).fit(X, classes[labels]), X)
        groups = group_ties(scores, labels)
        starts, totals, hits = pool_adjacent_violators(groups.weights, groups.positives)
        block = np.searchsorted(groups.scores[starts[1:-1]], scores[-1], side="right")
        pair.append(hits[block] / totals[block])
    return pair


def _scores(estimator, X):
    """Margins, or probabilities of the second class if there are none."""
    if hasattr(estimator, "decision_function"):
        scores = estimator.decision_function(X)
    else:
        scores = estimator.predict_proba(X)[:, 1]
    return check_scores(scores, name="the classifier's scores", allow_empty=True)


def _stack(X, below):
    """Rows of `X`, then the rows `below`."""
    if hasattr(X, "iloc"):
        import pandas

        return pandas.concat([X, below])
    if sparse.issparse(X):
        return sparse.vstack([X, below], format="csr")
    return np.concatenate([np.asarray(X), np.asarray(below)])
