"""The full Venn-Abers predictor, which trains its classifier anew for each object and label.

Equations and Algorithm 1 are from Vovk and Petej (2014).
"""

from typing import Any, ClassVar, Self

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn import get_config
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils import _safe_indexing, column_or_1d, get_tags, indexable
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from calib.base.arrays import check_scores, check_weights
from calib.base.failures import restored_on_failure
from calib.base.options import check_choice
from calib.base.protocol import (
    check_classifier,
    classifier_scores,
    default_classifier,
    training_weights,
)
from calib.kernels.adjacent_violators import pool_adjacent_violators
from calib.kernels.ties import ties
from calib.methods.venn_abers import MERGES


class TransductiveVennAbers(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    r"""The full Venn-Abers predictor, which trains the classifier anew for each object and label.

    .. math:: p_c(x) = g_c(s_c(x)), \quad c \in \{0, 1\},

    :math:`s_c` the score of the classifier trained on the sample and (x, c), :math:`g_c` the
    isotonic regression of all these labels on these scores. It is a Venn predictor. Whatever the
    classifier, the probability that belongs to the true label is perfectly calibrated, and no data
    are held out.

    Parameters
    ----------
    estimator : classifier, default=LogisticRegression()
        Two classes. Its score is `decision_function`, or `predict_proba` if there is none.
    loss : {"log", "brier"}, default="log"
        As in `VennAbers`, for `predict_proba`.
    n_jobs : int, optional
        Processes among which joblib shares the objects. By default one.
    verbose : int, default=0
        Progress on the error stream, as in `joblib.Parallel`: from 1 on some lines, with 10 many.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        Sorted class labels. The probabilities belong to the second.
    estimator_ : classifier
        Trained on the sample alone. Its scores are not used: it checks the input.
    n_features_in_, feature_names_in_ : int, ndarray
        Those of `estimator_`, where it has them.

    Notes
    -----
    As the two trainings differ, p0 may exceed p1 here; p0 < 1 and p1 > 0 still hold. The new object
    has weight 1 whatever the weights of the others are. Weights are counts.

    Objects may come in another form than the sample (frame or array, dense or sparse), if the
    classifier takes them. They are then brought into a form that both share.

    Two trainings for each object make it a method for small samples. Validity asks that the
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

    def __init__(
        self,
        estimator: Any = None,
        *,
        loss: str = "log",
        n_jobs: int | None = None,
        verbose: int = 0,
    ):
        self.estimator = estimator
        self.loss = loss
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Keep the sample, and train the classifier once to see whether it takes it.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n, n_features)
            Whatever `estimator` takes.
        y : array-like of shape (n,)
            Class labels, two classes.
        sample_weight : array-like of shape (n,), optional
            Non-negative weights, for the isotonic regressions and for every training, if
            `estimator` takes weights.

        Returns
        -------
        self : TransductiveVennAbers

        Raises
        ------
        ValueError
            If `loss` is unknown, `y` does not hold two classes, or `estimator` refuses the input.
            The previous fit is then kept.

        Warns
        -----
        UserWarning
            If there are weights that `estimator` does not take.
        """
        with restored_on_failure(self):
            self._fit(X, y, sample_weight)
        return self

    # weights are taken unless that is switched off
    __metadata_request__fit: ClassVar[dict] = {"sample_weight": True}

    def get_metadata_routing(self) -> MetadataRouter:
        """Route weights: besides the isotonic regressions, the classifier may ask for them."""
        router = MetadataRouter(owner=type(self).__name__).add_self_request(self)
        mapping = MethodMapping().add(caller="fit", callee="fit")
        return router.add(estimator=self._classifier(), method_mapping=mapping)

    def predict_interval(self, X: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Both probabilities of class ``classes_[1]``.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n, n_features)
            Objects. `n` may be 0 if `estimator` allows that.

        Returns
        -------
        p0, p1 : ndarray of shape (n,)
            The probability if the object is given the first class, and the second.
        """
        check_is_fitted(self)
        n = _scores(self.estimator_, X).size  # refuses rows that the classifier cannot take
        everything = _stack(self._X, X)
        template = clone(self.estimator_)
        rows = np.arange(self._codes.size)
        weights = None if self._weights is None else np.append(self._weights, 1.0)
        fit_params = {"sample_weight": weights} if self._trains_weighted else {}
        jobs = (
            delayed(_pair_of_last_row)(
                template,
                _safe_indexing(everything, np.append(rows, rows.size + i)),
                self._codes,
                self.classes_,
                weights,
                fit_params,
            )
            for i in range(n)
        )
        pairs = np.array(Parallel(n_jobs=self.n_jobs, verbose=self.verbose)(jobs)).reshape(n, 2)
        return pairs[:, 0], pairs[:, 1]

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Merged probabilities, of shape (n, 2)."""
        p = MERGES[self.loss](*self.predict_interval(X))
        return np.column_stack([1 - p, p])

    def predict(self, X: Any) -> NDArray:
        """Class of the larger merged probability. The first class if both are equal."""
        best = self.predict_proba(X).argmax(axis=1)
        return self.classes_[best]

    @property
    def n_features_in_(self) -> int:
        """Number of features of the sample."""
        return self.estimator_.n_features_in_

    @property
    def feature_names_in_(self) -> NDArray:
        """Names of the features, if the sample is a data frame."""
        return self.estimator_.feature_names_in_

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags = get_tags(self._classifier()).input_tags
        tags.classifier_tags.multi_class = False
        return tags

    def _fit(self, X, y, sample_weight):
        check_choice(self.loss, MERGES, "loss")
        check_classifier(self._classifier())
        if y is None:
            raise ValueError("requires y to be passed, but the target y is None")
        check_classification_targets(y)
        X, y = indexable(X, column_or_1d(y, warn=True))
        weights = None
        if sample_weight is not None:
            weights = check_weights(sample_weight, size=y.size, other="y")
            weighted_rows = np.flatnonzero(weights)  # a row of weight zero counts as missing
            X = _safe_indexing(X, weighted_rows)
            y = y[weighted_rows]
            weights = weights[weighted_rows]
        self.classes_, self._codes = np.unique(y, return_inverse=True)
        if self.classes_.size != 2:
            classes = "class" if self.classes_.size == 1 else "classes"
            raise ValueError(
                f"Only binary classification is supported: y holds {self.classes_.size} {classes}, "
                "pass rows of two classes"
            )
        fit_params = self._routed(weights)
        self._X = X
        self._weights = weights
        self._trains_weighted = bool(fit_params)
        self.estimator_ = clone(self._classifier()).fit(X, y, **fit_params)

    def _routed(self, weights):
        """Keyword arguments of the classifier's fit: the weights, where it takes them."""
        if get_config()["enable_metadata_routing"]:
            fit_params = {} if weights is None else {"sample_weight": weights}
            return process_routing(self, "fit", **fit_params)["estimator"]["fit"]
        return training_weights(self._classifier(), weights)

    def _classifier(self):
        return default_classifier() if self.estimator is None else self.estimator


def _pair_of_last_row(template, X, codes, classes, weights, fit_params):
    """p0 and p1 of the last row of `X`, by Algorithm 1. `codes` are the labels of the others."""
    pair = []
    for postulated in [0, 1]:
        # s_c: train the classifier on the sample and (x, c), and score all these rows
        labels = np.append(codes, postulated)
        scores = _scores(clone(template).fit(X, classes[labels], **fit_params), X)
        # g_c: the isotonic calibrator for the scores in (6), if c = 0, or in (7)
        tied = ties(scores, labels, weights)
        starts, totals, hits = pool_adjacent_violators(tied.weights, tied.positives)
        # p_c = g_c(s_c(x))
        block = np.searchsorted(tied.scores[starts[1:-1]], scores[-1], side="right")
        pair.append(hits[block] / totals[block])
    return pair


def _scores(estimator, X):
    """Scores of the rows by a fitted classifier, which must be finite."""
    scores = classifier_scores(estimator, X)[:, 0]
    return check_scores(scores, name="the classifier's scores", allow_empty=True)


def _stack(X, below):
    """Rows of `X`, then the rows `below`. If the kinds differ, in the form of `X` or as arrays."""
    if hasattr(X, "iloc") and hasattr(below, "iloc"):
        import pandas

        return pandas.concat([X, below])
    if hasattr(X, "vstack") and hasattr(below, "vstack"):  # frames of polars
        return X.vstack(below)
    if sparse.issparse(X):
        below = below if sparse.issparse(below) else sparse.csr_array(np.asarray(below))
        return sparse.vstack([X, below], format="csr")
    if sparse.issparse(below):
        below = below.toarray()
    return np.concatenate([np.asarray(X), np.asarray(below)])
