"""Heterogeneous calibration: a calibrator of its own for each part of feature space."""

import warnings
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import _safe_indexing, get_tags, indexable
from sklearn.utils.metadata_routing import UNUSED
from sklearn.utils.validation import _num_samples, check_is_fitted, validate_data

from calib.contract.calibrator import Calibrator
from calib.contract.protocol import calibrated, calibrated_logits, check_calibrator
from calib.contract.validation import (
    check_integer,
    check_labels,
    check_scores,
    check_weights,
    log_odds,
    restored_on_failure,
)
from calib.groups.partitions import fit_partition, rows_by_part
from calib.groups.pooling import Blended, Shifted, check_pooling, effective_size_of, fit_offset
from calib.kernels.dealing import deal
from calib.logistic.platt import PlattScaling

STRENGTHS = (np.inf, 3000.0, 1000.0, 300.0, 100.0, 30.0, 10.0, 0.0)  # of pooling, to choose from
FOLDS = 5  # of the sample, for that choice


class Part(NamedTuple):
    """One part of a partition and its calibrator.

    Attributes
    ----------
    tree : int
        Which tree of the partition, from 0.
    number : int
        Of the leaf in that tree, or of the group.
    rule : str
        Who belongs to it, in words.
    n_points, n_positive : int
        Calibration points (rows) in it, and positives among them.
    effective_size : float
        Points of balanced classes that would tell as much about it: 4 m (n - m) / n for m positives
        of n points, weights counting as copies.
    score_range : pair of float
        Lowest and highest score that was calibrated; NaN without points.
    calibrator : Calibrator, Shifted or Blended
        What maps the scores of this part; with pooling, drawn towards the calibrator of all points
        (`calib.groups.pooling.Blended`).
    fallback : bool
        Whether that is the calibrator of all points of the sample, shifted by what the points here
        tell (`calib.groups.pooling.Shifted`; as it is if there are none), for lack of a map of its
        own.
    """

    tree: int
    number: int
    rule: str
    n_points: int
    n_positive: int
    effective_size: float
    score_range: tuple[float, float]
    calibrator: Calibrator
    fallback: bool

    @property
    def slope(self) -> float | None:
        """The a of Platt scaling; None for other calibrators."""
        return getattr(self.calibrator, "slope_", None)

    @property
    def intercept(self) -> float | None:
        """The b of Platt scaling; None for other calibrators."""
        return getattr(self.calibrator, "intercept_", None)


class HeterogeneousCalibrator(BaseEstimator):
    r"""Partition the feature space, then calibrate the scores of each part by themselves.

    .. math:: P(z = 1 \mid x) = f_i(h(x)) \quad\text{for } x \in X_i

    h(x) is the score of a classifier, :math:`X_1, \dots, X_k` the parts and :math:`f_i` the
    calibrator of part i. A single calibrator leaves the order of the scores as it is (nearly);
    this one moves the parts against each other, and so may raise the AUC.

    Parameters
    ----------
    partition : tree, forest, gradient boosting, pipeline, AUCSplitTree, str or int, optional
        * One that is *fitted* is used as it is: train it on the training data of the
          classifier, as the paper does, and keep the calibration data for `fit`. (`clone` and
          cross-validation undo the training; wrap it in scikit-learn's `FrozenEstimator` there.)
        * One that is *not fitted* is trained in `fit`, on the calibration data.
        * A forest (leaves limited in number or size): the average over its trees of the
          calibrated probabilities.
        * Gradient boosting (`GradientBoostingClassifier`, `GradientBoostingRegressor`): one tree
          after the other; what tree t has calibrated, as a logit, is the score for tree t + 1.
        * A pipeline that ends in one of these, to encode categories or impute.
        * The name or the position of a column: its values are the parts. If it is 0, X may be
          one-dimensional: the groups themselves.

        By default a ``DecisionTreeClassifier(max_depth=3, min_samples_leaf=min_part_size)``, not
        fitted.
    calibrator : Calibrator, default=PlattScaling()
        Cloned for each part. With Platt scaling, pass *logits*: then it contains the identity, and
        the score can remain as it is. Turn probabilities p into log(p / (1 - p)) first. Any other
        estimator with ``fit(scores, labels)`` and ``predict(scores)`` on 1-D arrays will do, such
        as scikit-learn's ``IsotonicRegression(out_of_bounds="clip")``.
    min_part_size : int, default=50
        A part gets a calibrator of its own if it tells as much about it as so many points of
        balanced classes: if m of its n calibration points are positive, 4 m (n - m) / n must be at
        least `min_part_size`. (At a base rate of 1/2 these are n points, at one of 1 in 10 they
        are 0.36 n; with one class they are none.) A smaller part is pooled with the others: it
        gets the calibrator of the whole sample, its log-odds shifted by an offset that the points
        of the part choose, shrunk to 0.
    pooling : float or "cv", default=0
        How strongly the parts are drawn towards the calibrator of the whole sample: that one counts
        as so many further points of balanced classes in each part. 0 leaves the parts alone,
        infinity leaves them no difference, and ``"cv"`` chooses among 0, 10, 30, 100, ..., 3000 and
        infinity by the log loss in five-fold cross-validation. With fewer than five observations of
        a class there is nothing to compare, and it is infinity. The order of the rows does not
        matter, but for a tree that is not fitted, if rows of one part tie.

    Attributes
    ----------
    parts_ : list of Part
        Every part: its rule, points, calibrator, and a and b if that is Platt scaling.
    fallbacks_ : list of Calibrator
        For each tree, the calibrator of the whole sample: what small parts shift, and what serves
        a group that did not occur in the sample.
    partition_ : Leaves or GivenGroups
        The fitted partition; ``partition_.parts_of(X)`` numbers the parts of each row, a column for
        each tree.
    pooling_ : float
        The strength of pooling that was given or chosen.
    n_features_in_, feature_names_in_ : int, ndarray
        Of the X that was fitted; names only for a data frame of named columns.

    Notes
    -----
    Only the parts are used of a tree, not its probabilities. What an unknown category or a missing
    value means in a tree is the tree's business, or that of the pipeline in front of it; in a
    column of groups a missing value is a group.

    In a sequence of trees a calibrator that asks for scores in [0, 1] gets probabilities in place
    of logits; others get the logits, after probabilities are clipped to [2**-53, 1 - 2**-53].

    The offset c of a small part maximises its log-likelihood less c**2 / 2: a normal prior of
    standard deviation 1 on the scale of log-odds (partial pooling). A part without positives so
    gets lower probabilities than the common calibrator gives it, the lower the more points it has.

    With ``pooling=k`` a part that tells as much as n points (`Part.effective_size`) gets the
    log-odds

    .. math:: \frac{n}{n + k}\, \ell_i + \frac{k}{n + k}\, \ell ,

    between those of its own calibrator and those of the common one. For Platt scaling that is the
    posterior mean of its a and b, in the normal approximation, if the prior has the information of
    k points about the common values. For the offset of a small part the precision of the prior is 1
    + k / 4, since the information of one point at probability 1/2 is 1/4.

    With one class only in the sample, all parts get the calibrator of the whole sample as it is,
    which warns. Fit: the partition's cost, then O(n log n) for each tree to sort the rows by part,
    and the calibrator's; with ``pooling="cv"`` six times that, but for boosting, where every
    strength needs calibrators of its own.

    References
    ----------
    Durfee et al. (2022): Algorithm 1 (one tree, Platt scaling on logits), section 5 (forests),
    section 13 (boosting). That the true probabilities given part and score maximise the AUC is
    Lemmas 4.3 and 4.4. Partial pooling: Gelman and Hill (2007).

    Examples
    --------
    >>> import numpy as np
    >>> from calib import HeterogeneousCalibrator
    >>> from calib.metrics import roc_auc_score
    >>> rng = np.random.default_rng(0)
    >>> labels = rng.integers(0, 2, 4000)
    >>> scores = rng.normal(2 * labels - 1, 2)
    >>> X = (rng.random(4000) < 0.25 + 0.5 * labels).reshape(-1, 1)  # a feature the score ignores
    >>> calibrator = HeterogeneousCalibrator().fit(X[:2000], scores[:2000], labels[:2000])
    >>> [part.rule for part in calibrator.parts_]
    ['x0 <= 0.5', 'x0 > 0.5']
    >>> p = calibrator.predict(X[2000:], scores[2000:])
    >>> roc_auc_score(labels[2000:], scores[2000:]) < roc_auc_score(labels[2000:], p)
    True
    """

    def __init__(
        self,
        partition: Any = None,
        calibrator: Any = None,
        *,
        min_part_size: int = 50,
        pooling: float | str = 0,
    ):
        self.partition = partition
        self.calibrator = calibrator
        self.min_part_size = min_part_size
        self.pooling = pooling

    def fit(
        self,
        X: Any,
        scores: ArrayLike,
        labels: ArrayLike,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Learn the partition, unless it is given, and the calibrator of each part.

        Parameters
        ----------
        X : array-like or data frame of shape (n, p)
            Features of the calibration points.
        scores : array-like of shape (n,)
            Their scores from a classifier that has not been trained on them; logits for Platt
            scaling.
        labels : array-like of shape (n,)
            Classes, 0/1 or bool.
        sample_weight : array-like of shape (n,), optional
            Non-negative weights, for a partition that is trained here and for the calibrators; an
            integer weight means that many copies.

        Returns
        -------
        self : HeterogeneousCalibrator

        Raises
        ------
        ValueError
            If an argument is not as described, or X lacks the column of the groups. What was
            fitted before is then kept.

        Warns
        -----
        OneClassWarning
            If all labels are equal.
        """
        with restored_on_failure(self):
            self._fit(X, scores, labels, sample_weight)
        return self

    # scores stand where others have y: no metadata
    __metadata_request__fit: ClassVar[dict] = {"scores": UNUSED}

    def predict(self, X: Any, scores: ArrayLike) -> NDArray[np.float64]:
        """Calibrated probabilities of class 1.

        Parameters
        ----------
        X : array-like or data frame of shape (n, p)
            Features, the columns as in `fit`.
        scores : array-like of shape (n,)
            Their scores, on the scale that was used in `fit`; `n` may be 0.

        Returns
        -------
        probabilities : ndarray of shape (n,)
            P(z = 1 | X, scores), in [0, 1].

        Raises
        ------
        ValueError
            If X lacks columns, or an argument is not as described.
        """
        check_is_fitted(self)
        scores = check_scores(scores, allow_empty=True)
        _check_rows(X, scores)
        if scores.size == 0:  # trees refuse to look at no rows
            return scores
        trees = list(enumerate(self.partition_.parts_of(X).T))
        if not self.partition_.sequential:
            return sum(self._calibrate(*tree, scores, calibrated) for tree in trees) / len(trees)
        for tree in trees[:-1]:
            scores = self._calibrate(*tree, scores, _as_scores)
        return self._calibrate(*trees[-1], scores, calibrated)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        partition = self._partition()
        if hasattr(partition, "__sklearn_tags__"):
            tags.input_tags = get_tags(partition).input_tags
        else:  # a column, of whatever
            tags.input_tags.categorical = tags.input_tags.string = tags.input_tags.allow_nan = True
            tags.input_tags.one_d_array = bool(partition == 0)
        return tags

    def _fit(self, X, scores, labels, sample_weight):
        check_integer(self.min_part_size, "min_part_size")
        check_pooling(self.pooling)
        check_calibrator(self._calibrator(), weighted=sample_weight is not None)
        scores = check_scores(scores)
        labels = check_labels(labels, size=scores.size)
        weights = None
        if sample_weight is not None:
            weights = check_weights(sample_weight, size=scores.size)
        _check_rows(X, scores)
        (X,) = indexable(X)
        if weights is not None:  # a row of weight zero is a row that is not there
            kept = np.flatnonzero(weights > 0)
            X = _safe_indexing(X, kept)
            scores, labels, weights = scores[kept], labels[kept], weights[kept]
        self.partition_ = fit_partition(self._partition(), X, scores, labels, weights)
        columns = np.asarray(X).reshape(-1, 1) if len(np.shape(X)) == 1 else X
        validate_data(self, columns, skip_check_array=True)  # notes their number and names
        self.pooling_ = self.pooling
        if self.pooling == "cv":
            self.pooling_ = self._cross_validated_pooling(X, scores, labels, weights)
        self._fit_parts(X, scores, labels, weights)

    def _fit_parts(self, X, scores, labels, weights, own=None):
        """Set what belongs to the parts, given the partition and the strength of pooling.

        `own` are calibrators that have been fitted to the same rows before, and takes new ones.
        """
        own = {} if own is None or self.partition_.sequential else own
        self.parts_, self.fallbacks_, self._calibrators = [], [], []
        for tree, part_numbers in enumerate(self.partition_.parts_of(X).T):
            self._fit_tree(tree, part_numbers, scores, labels, weights, own)
            if self.partition_.sequential:
                scores = self._calibrate(tree, part_numbers, scores, _as_scores)

    def _cross_validated_pooling(self, X, scores, labels, weights):
        """The strength with the smallest log loss out of fold; of equal ones the largest."""
        copies = np.ones(scores.size) if weights is None else weights
        if min(copies[labels == label].sum() for label in (0, 1)) < FOLDS:
            return np.inf
        with warnings.catch_warnings():  # what matters of the whole sample is said there
            warnings.simplefilter("ignore")
            losses = self._losses(X, scores, labels, weights, copies)
        return STRENGTHS[int(np.argmin(losses))]

    def _losses(self, X, scores, labels, weights, copies):
        """Total log loss out of fold for each of `STRENGTHS`."""
        losses = np.zeros(len(STRENGTHS))
        ties = self.partition_.parts_of(X).T
        for held_out in deal(scores, labels, copies, FOLDS, ties):
            others = copies - held_out
            others[others < 1e-9 * copies] = 0.0  # left by rounding
            rows, tested = np.flatnonzero(others), np.flatnonzero(held_out)
            data = [_safe_indexing(X, rows), scores[rows], labels[rows]]
            data.append(None if weights is None else others[rows])
            queries = _safe_indexing(X, tested), scores[tested]
            trial, own = clone(self), {}
            trial.partition_ = fit_partition(self._partition(), *data)
            for k, trial.pooling_ in enumerate(STRENGTHS):
                trial._fit_parts(*data, own)
                logits = log_odds(trial.predict(*queries))
                margins = np.where(labels[tested] == 1, logits, -logits)
                losses[k] += held_out[tested] @ np.logaddexp(0, -margins)
        return losses

    def _partition(self):
        if self.partition is None:
            return DecisionTreeClassifier(
                max_depth=3, min_samples_leaf=self.min_part_size, random_state=0
            )
        return self.partition

    def _fit_tree(self, tree, part_numbers, scores, labels, weights, own):
        """Add the parts of one tree, given the part and the score of each row."""
        if tree == 0 or self.partition_.sequential:
            if tree not in own:
                own[tree] = self._fitted(scores, labels, weights)
            self.fallbacks_.append(own[tree])
        else:
            self.fallbacks_.append(self.fallbacks_[0])
        self._calibrators.append({})
        rows_of = rows_by_part(part_numbers)
        one_class = not 0 < np.count_nonzero(labels) < labels.size
        for number, rule in self.partition_.rules[tree].items():
            rows = rows_of.get(number, np.empty(0, np.int64))
            n_positive = int(np.count_nonzero(labels[rows]))
            part_weights = None if weights is None else weights[rows]
            effective_size = effective_size_of(labels[rows], part_weights)
            enough = effective_size >= self.min_part_size
            if self.pooling_ == np.inf or not rows.size or one_class:
                calibrator = self.fallbacks_[-1]
            elif enough:
                if (tree, number) not in own:
                    own[tree, number] = self._fitted(scores[rows], labels[rows], part_weights)
                calibrator = self._blended(own[tree, number], effective_size)
            else:
                calibrator = self._shifted(scores[rows], labels[rows], part_weights)
            self._calibrators[tree][number] = calibrator
            inside = scores[rows] if rows.size else np.array([np.nan])
            self.parts_.append(
                Part(
                    tree=tree,
                    number=number,
                    rule=rule,
                    n_points=rows.size,
                    n_positive=n_positive,
                    effective_size=effective_size,
                    score_range=(float(inside.min()), float(inside.max())),
                    calibrator=calibrator,
                    fallback=not enough,
                )
            )

    def _calibrator(self):
        return PlattScaling() if self.calibrator is None else self.calibrator

    def _fitted(self, scores, labels, weights):
        options = {} if weights is None else {"sample_weight": weights}
        return clone(self._calibrator()).fit(scores, labels, **options)

    def _shifted(self, scores, labels, weights):
        common = Shifted(self.fallbacks_[-1], 0.0)
        logits, precision = common.predict_logit(scores), 1 + self.pooling_ / 4
        return common._replace(offset=fit_offset(logits, labels, weights, precision))

    def _blended(self, own, effective_size):
        if self.pooling_ == 0:
            return own
        share = effective_size / (effective_size + self.pooling_)
        return Blended(self.fallbacks_[-1], own, share)

    def _calibrate(self, tree, part_numbers, scores, output):
        """`output` of each row's calibrator in one tree."""
        result = np.empty(scores.size)
        for number, rows in rows_by_part(part_numbers).items():
            calibrator = self._calibrators[tree].get(number, self.fallbacks_[tree])
            result[rows] = output(calibrator, scores[rows])
        return result


def _as_scores(calibrator, scores):
    """What has been calibrated, as scores for the next calibrator of a sequence."""
    if getattr(calibrator, "unit_scores", False):
        return calibrated(calibrator, scores)
    return calibrated_logits(calibrator, scores)


def _check_rows(X, scores):
    if _num_samples(X) != scores.size:
        raise ValueError(
            f"X has {_num_samples(X)} rows but scores has {scores.size}: they must match"
        )
