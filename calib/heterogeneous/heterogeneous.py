"""Heterogeneous calibration: a separate calibrator for each group, or part of feature space."""

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import _safe_indexing, indexable
from sklearn.utils.validation import _num_samples, check_is_fitted, validate_data

from calib.base.arrays import check_groups, check_labels, check_size, check_weights, n_dimensions
from calib.base.calibrator import GroupCalibrator, warn_of_one_class
from calib.base.failures import restored_on_failure
from calib.base.options import check_integer
from calib.base.probabilities import log_odds
from calib.base.protocol import check_is_calibrator
from calib.heterogeneous.partitions import GivenGroups, fit_partition, part_numbers_of
from calib.heterogeneous.parts import CalibratedParts, LabelledScores
from calib.methods.platt import PlattScaling


class HeterogeneousCalibrator(GroupCalibrator, requests={"features": True}):
    r"""Calibrate the scores of each group, or of each part of feature space, by themselves.

    .. math:: P(z = 1 \mid x) = f_i(h(x)) \quad\text{for } x \in X_i

    h(x) is the score of a classifier, :math:`X_1, \dots, X_k` the parts and :math:`f_i` the
    calibrator of part i. A single calibrator nearly keeps the order of the scores. This one moves
    the parts against each other, which may raise the AUC.

    Parameters
    ----------
    partition : tree, forest, gradient boosting, pipeline or AUCSplitTree, optional
        The model that divides the `features` given to `fit` into parts. Leave it out where `fit`
        is given `groups`, which are the parts themselves.

        * One that is *fitted* is not changed. Train it on the training data of the
          classifier, as the paper does, and keep the calibration data for `fit`. (`clone` and
          cross-validation undo the training; wrap it in scikit-learn's `FrozenEstimator` there.)
        * One that is *not fitted* is trained in `fit`, on the calibration data.
        * A forest (leaves limited in number or size): the average over its trees of the
          calibrated probabilities.
        * Gradient boosting (`GradientBoostingClassifier`, `GradientBoostingRegressor`): the
          calibrated logit of tree t is the score for tree t + 1.
        * A pipeline that ends in one of these, to encode categories or impute.

        By default a ``DecisionTreeClassifier(max_depth=3, min_samples_leaf=min_part_size)``, not
        fitted.
    calibrator : Calibrator, default=PlattScaling()
        Cloned for each part. With Platt scaling, pass *logits*, so that its maps include the
        identity. Turn probabilities p into log(p / (1 - p)) first. Any other estimator with
        ``fit(scores, labels)`` and ``predict(scores)`` on 1-D arrays will do, such as
        scikit-learn's ``IsotonicRegression(out_of_bounds="clip")``.
    min_part_size : int, default=50
        A part gets its own calibrator if it carries as much information as so many points of
        balanced classes. If m of its n calibration points are positive, 4 m (n - m) / n must be at
        least `min_part_size`. (At a base rate of 1/2 this is n, at a base rate of 1 in 10 it is
        0.36 n, and with one class it is 0.) A smaller part gets the calibrator of the whole sample,
        with log-odds shifted by an offset that the points of the part choose, shrunk to 0.

    Attributes
    ----------
    parts_ : list of Part
        Every part: its rule, points, calibrator, and a and b if that is Platt scaling.
    fallbacks_ : list of Calibrator
        For each tree, the calibrator of the whole sample. Small parts shift it, and a group that
        did not occur in the sample gets it.
    partition_ : Leaves or GivenGroups
        The fitted partition; ``partition_.parts_of(features)``, or of groups, numbers the parts of
        each row, a column for each tree.
    n_features_in_, feature_names_in_ : int, ndarray
        Number and names of the features that were fitted, with names only for a data frame of named
        columns.

    Notes
    -----
    A tree contributes only its parts, not its probabilities. The tree, or the pipeline in front of
    it, decides the meaning of an unknown category or a missing value. Among groups a missing value
    is a group. A group that did not occur in `fit` gets the calibrator of the whole sample.

    In a sequence of trees a calibrator that asks for scores in [0, 1] gets probabilities in place
    of logits. Others get the logits, after probabilities are clipped to [2**-53, 1 - 2**-53].

    The offset c of a small part maximises its log-likelihood less c**2 / 2: a normal prior of
    standard deviation 1 on the scale of log-odds. A part without positives so gets lower
    probabilities than the common calibrator gives it, the lower the more points it has. To draw
    also large parts towards the common calibrator, take `PooledHeterogeneousCalibrator`.

    With one class only in the sample, all parts get the unchanged calibrator of the whole sample,
    which warns. Fit: the partition's cost, then O(n log n) for each tree to sort the rows by part,
    and the calibrator's.

    References
    ----------
    Durfee et al. (2022): Algorithm 1 (one tree, Platt scaling on logits), section 5 (forests),
    section 13 (boosting). That the true probabilities given part and score maximise the AUC is
    Lemmas 4.3 and 4.4.

    Examples
    --------
    >>> import numpy as np
    >>> from calib import HeterogeneousCalibrator
    >>> from calib.metrics import roc_auc_score
    >>> rng = np.random.default_rng(0)
    >>> labels = rng.integers(0, 2, 4000)
    >>> scores = rng.normal(2 * labels - 1, 2)
    >>> X = (rng.random(4000) < 0.25 + 0.5 * labels).reshape(-1, 1)  # a feature the score ignores
    >>> calibrator = HeterogeneousCalibrator().fit(
    ...     scores[:2000], labels[:2000], features=X[:2000]
    ... )
    >>> [part.rule for part in calibrator.parts_]
    ['x0 <= 0.5', 'x0 > 0.5']
    >>> p = calibrator.predict(scores[2000:], features=X[2000:])
    >>> roc_auc_score(labels[2000:], scores[2000:]) < roc_auc_score(labels[2000:], p)
    True
    """

    def __init__(self, partition: Any = None, calibrator: Any = None, *, min_part_size: int = 50):
        self.partition = partition
        self.calibrator = calibrator
        self.min_part_size = min_part_size

    def fit(
        self,
        scores: ArrayLike,
        labels: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        features: Any = None,
    ) -> Self:
        """Learn the partition, unless it is given, and the calibrator of each part.

        Parameters
        ----------
        scores : array-like of shape (n,)
            Scores from a classifier that has not been trained on these rows; logits for Platt
            scaling.
        labels : array-like of shape (n,)
            Classes, 0/1 or bool.
        sample_weight : array-like of shape (n,), optional
            Non-negative weights, for a partition that is trained here and for the calibrators. An
            integer weight means that many copies.
        groups : array-like of shape (n,)
            The parts themselves, as numbers or strings. A series has a name, which rules speak of.
        features : array-like or data frame of shape (n, p)
            The features of which `partition` makes parts, instead of groups.

        Returns
        -------
        self : HeterogeneousCalibrator

        Raises
        ------
        ValueError
            If an argument is not as described. The previous fit is then kept.

        Warns
        -----
        OneClassWarning
            If all labels are equal.
        """
        _check_one_given(groups, features)
        with restored_on_failure(self):
            self.classes_ = np.array([0, 1])
            checked_scores = self._check_scores(scores)
            size = checked_scores.size
            sample = LabelledScores(
                scores=checked_scores, labels=check_labels(labels, size=size), weights=None
            )
            name = getattr(groups, "name", None)  # a pandas series has a name
            self._title = name if isinstance(name, str) else "x0"
            groups, features = _check_groups_or_features(groups, features, size)
            if sample_weight is not None:
                weights = check_weights(sample_weight, size=size)
                rows = np.flatnonzero(weights > 0)
                sample = sample._replace(weights=weights).take(rows)
                groups = take_rows(groups, rows)
                features = take_rows(features, rows)
            if not sample.has_both_classes():
                warn_of_one_class(self, sample.labels[0], "both")
            self._fit(sample, groups, features)
        return self

    def predict(
        self, scores: ArrayLike, *, groups: ArrayLike | None = None, features: Any = None
    ) -> NDArray[np.float64]:
        """Calibrated probabilities of class 1.

        Parameters
        ----------
        scores : array-like of shape (n,)
            On the scale that was used in `fit`. `n` may be 0.
        groups, features
            One of them, as in `fit`.

        Returns
        -------
        probabilities : ndarray of shape (n,)
            P(z = 1 | group or features, score), in [0, 1].

        Raises
        ------
        ValueError
            If features lack columns, or an argument is not as described.
        """
        _check_one_given(groups, features)
        check_is_fitted(self)
        checked_scores = self._check_scores(scores, allow_empty=True)
        groups, features = _check_groups_or_features(groups, features, checked_scores.size)
        fitted = "groups" if isinstance(self.partition_, GivenGroups) else "features"
        given = "groups" if features is None else "features"
        if given != fitted:
            raise ValueError(f"{given} are given, but fit was given {fitted}: pass these")
        if checked_scores.size == 0:  # trees refuse to look at no rows
            return checked_scores
        part_numbers = part_numbers_of(self.partition_, groups, features)
        return self._calibrated.predict(part_numbers, checked_scores)

    def predict_proba(
        self, scores: ArrayLike, *, groups: ArrayLike | None = None, features: Any = None
    ) -> NDArray[np.float64]:
        """Calibrated probabilities of both classes, of shape (n, 2)."""
        probabilities = self.predict(scores, groups=groups, features=features)
        return np.column_stack([1 - probabilities, probabilities])

    def predict_logit(
        self, scores: ArrayLike, *, groups: ArrayLike | None = None, features: Any = None
    ) -> NDArray[np.float64]:
        """Log-odds of the calibrated probabilities, kept within [-36.8, 36.8], of shape (n,)."""
        return log_odds(self.predict(scores, groups=groups, features=features))

    def score(
        self,
        scores: ArrayLike,
        labels: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        features: Any = None,
    ) -> float:
        """Minus the Brier score of `predict`, in [-1, 0]. The parameters are as in `fit`."""
        probabilities = self.predict(scores, groups=groups, features=features)
        errors = (probabilities - check_labels(labels, size=probabilities.size)) ** 2
        weights = None
        if sample_weight is not None:
            weights = check_weights(sample_weight, size=errors.size, counts=False)
        return -float(np.average(errors, weights=weights))

    def _fit(self, sample, groups, features):
        check_integer(self.min_part_size, "min_part_size")
        calibrator = PlattScaling() if self.calibrator is None else self.calibrator
        check_is_calibrator(calibrator, weighted=sample.weights is not None)
        self.partition_ = self._fit_partition(sample, groups, features)
        for name in ("n_features_in_", "feature_names_in_"):
            vars(self).pop(name, None)
        if features is not None:
            validate_data(self, features, skip_check_array=True)  # notes their number and names
        self._calibrated = self._fit_parts(calibrator, sample, groups, features)
        self.parts_ = self._calibrated.parts
        self.fallbacks_ = self._calibrated.fallbacks

    def _fit_partition(self, sample, groups, features):
        """The partition of a sample by its groups or features, one of which is None."""
        if features is None:
            if self.partition is not None:
                raise ValueError(
                    "partition makes parts of features, but groups are given: pass features, or "
                    "leave the partition out"
                )
            return GivenGroups(groups, self._title)
        tree = self.partition
        if tree is None:
            tree = DecisionTreeClassifier(
                max_depth=3, min_samples_leaf=self.min_part_size, random_state=0
            )
        return fit_partition(tree, features, sample.scores, sample.labels, sample.weights)

    def _fit_parts(self, calibrator, sample, groups, features):
        """The calibrators of the parts of the fitted partition."""
        parts = CalibratedParts(self.partition_, calibrator, self.min_part_size)
        return parts.fit(part_numbers_of(self.partition_, groups, features), sample)


def _check_one_given(groups, features):
    if (groups is None) == (features is None):
        raise ValueError(
            "pass either groups, one for each row, or features, which the partition makes parts of"
        )


def _check_groups_or_features(groups, features, size):
    """Clean groups and None, or None and features whose rows can be taken."""
    if features is None:
        return check_groups(groups, size=size, missing=True), None
    if n_dimensions(features) != 2:
        raise ValueError(
            f"features must be two-dimensional; found {n_dimensions(features)} dimensions. "
            "Reshape your data, or pass the one group of each row as groups"
        )
    check_size(_num_samples(features), size, "features", "scores")
    return None, indexable(features)[0]


def take_rows(values, rows):
    """These rows of groups or features, or None if there are none."""
    return None if values is None else _safe_indexing(values, rows)
