"""Heterogeneous calibration: a calibrator of its own for each group, or part of feature space."""

from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import indexable
from sklearn.utils.validation import _num_samples, validate_data

from calib.contract.calibrator import GroupCalibrator
from calib.contract.options import check_integer
from calib.contract.protocol import check_calibrator
from calib.contract.validation import check_groups, check_size, n_dimensions
from calib.groups.partitions import GivenGroups, fit_partition
from calib.groups.parts import CalibratedParts, Recipe, cross_validated_strength
from calib.groups.pooling import check_pooling
from calib.logistic.platt import PlattScaling


class Features(NamedTuple):
    """Features of the rows, handed on in the place of their groups."""

    of_rows: Any


class HeterogeneousCalibrator(GroupCalibrator, requests={"features": True}):
    r"""Calibrate the scores of each group, or of each part of feature space, by themselves.

    .. math:: P(z = 1 \mid x) = f_i(h(x)) \quad\text{for } x \in X_i

    h(x) is the score of a classifier, :math:`X_1, \dots, X_k` the parts and :math:`f_i` the
    calibrator of part i. A single calibrator leaves the order of the scores as it is (nearly);
    this one moves the parts against each other, and so may raise the AUC.

    Parameters
    ----------
    partition : tree, forest, gradient boosting, pipeline or AUCSplitTree, optional
        What makes parts of the `features` that `fit` is given. Where it is given `groups`, these
        are the parts, and there is no partition.

        * One that is *fitted* is used as it is: train it on the training data of the
          classifier, as the paper does, and keep the calibration data for `fit`. (`clone` and
          cross-validation undo the training; wrap it in scikit-learn's `FrozenEstimator` there.)
        * One that is *not fitted* is trained in `fit`, on the calibration data.
        * A forest (leaves limited in number or size): the average over its trees of the
          calibrated probabilities.
        * Gradient boosting (`GradientBoostingClassifier`, `GradientBoostingRegressor`): one tree
          after the other; what tree t has calibrated, as a logit, is the score for tree t + 1.
        * A pipeline that ends in one of these, to encode categories or impute.

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
        The fitted partition; ``partition_.parts_of(features)``, or of groups, numbers the parts of
        each row, a column for each tree.
    pooling_ : float
        The strength of pooling that was given or chosen.
    n_features_in_, feature_names_in_ : int, ndarray
        Of the features that were fitted; names only for a data frame of named columns.

    Notes
    -----
    Only the parts are used of a tree, not its probabilities. What an unknown category or a missing
    value means in a tree is the tree's business, or that of the pipeline in front of it. Among
    groups a missing value is a group; a group that did not occur in `fit` gets the calibrator of
    the whole sample.

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
    >>> calibrator = HeterogeneousCalibrator().fit(
    ...     scores[:2000], labels[:2000], features=X[:2000]
    ... )
    >>> [part.rule for part in calibrator.parts_]
    ['x0 <= 0.5', 'x0 > 0.5']
    >>> p = calibrator.predict(scores[2000:], features=X[2000:])
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
            Non-negative weights, for a partition that is trained here and for the calibrators; an
            integer weight means that many copies.
        groups : array-like of shape (n,)
            The parts themselves: numbers or strings. A series has a name, which rules speak of.
        features : array-like or data frame of shape (n, p)
            Instead of groups: what `partition` makes parts of.

        Returns
        -------
        self : HeterogeneousCalibrator

        Raises
        ------
        ValueError
            If an argument is not as described. What was fitted before is then kept.

        Warns
        -----
        OneClassWarning
            If all labels are equal.
        """
        beside = _one_of(groups, features)
        return super().fit(scores, labels, sample_weight=sample_weight, groups=beside)

    def predict(
        self, scores: ArrayLike, *, groups: ArrayLike | None = None, features: Any = None
    ) -> NDArray[np.float64]:
        """Calibrated probabilities of class 1.

        Parameters
        ----------
        scores : array-like of shape (n,)
            On the scale that was used in `fit`; `n` may be 0.
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
        return super().predict(scores, groups=_one_of(groups, features))

    def predict_proba(
        self, scores: ArrayLike, *, groups: ArrayLike | None = None, features: Any = None
    ) -> NDArray[np.float64]:
        """Calibrated probabilities of both classes, of shape (n, 2)."""
        return super().predict_proba(scores, groups=_one_of(groups, features))

    def predict_logit(
        self, scores: ArrayLike, *, groups: ArrayLike | None = None, features: Any = None
    ) -> NDArray[np.float64]:
        """Log-odds of the calibrated probabilities, kept within [-36.8, 36.8], of shape (n,)."""
        return super().predict_logit(scores, groups=_one_of(groups, features))

    def score(
        self,
        scores: ArrayLike,
        labels: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        features: Any = None,
    ) -> float:
        """Minus the Brier score of `predict`, in [-1, 0]; parameters are those of `fit`."""
        beside = _one_of(groups, features)
        return super().score(scores, labels, sample_weight=sample_weight, groups=beside)

    def _check_groups(self, groups, size, fitting):
        if not isinstance(groups, Features):
            if fitting:
                name = getattr(groups, "name", None)
                self._title = name if isinstance(name, str) else "x0"
            return check_groups(groups, size=size, missing=True)
        features = groups.of_rows
        if n_dimensions(features) != 2:
            raise ValueError(
                f"features must be two-dimensional; found {n_dimensions(features)} dimensions. "
                "Reshape your data, or pass the one group of each row as groups"
            )
        check_size(_num_samples(features), size, "features", "scores")
        return indexable(features)[0]

    def _fit(self, scores, labels, weights, beside):
        check_integer(self.min_part_size, "min_part_size")
        check_pooling(self.pooling)
        calibrator = PlattScaling() if self.calibrator is None else self.calibrator
        check_calibrator(calibrator, weighted=weights is not None)
        sample = beside, scores, labels, weights
        self.partition_ = self._partitioned(*sample)
        for name in ("n_features_in_", "feature_names_in_"):
            vars(self).pop(name, None)
        if not _are_groups(beside):
            validate_data(self, beside, skip_check_array=True)  # notes their number and names
        recipe = Recipe(calibrator, self.min_part_size, self.pooling)
        if self.pooling == "cv":
            ties = self.partition_.parts_of(beside).T
            strength = cross_validated_strength(self._partitioned, recipe, ties, *sample)
            recipe = recipe._replace(pooling=strength)
        self.pooling_ = recipe.pooling
        self._calibrated = CalibratedParts(self.partition_, recipe).fit(*sample)
        self.parts_, self.fallbacks_ = self._calibrated.parts, self._calibrated.fallbacks

    def _partitioned(self, beside, scores, labels, weights):
        """The partition of a sample."""
        if _are_groups(beside):
            if self.partition is not None:
                raise ValueError(
                    "partition makes parts of features, but groups are given: pass features, or "
                    "leave the partition out"
                )
            return GivenGroups(beside, self._title)
        small = {"max_depth": 3, "min_samples_leaf": self.min_part_size, "random_state": 0}
        tree = DecisionTreeClassifier(**small) if self.partition is None else self.partition
        return fit_partition(tree, beside, scores, labels, weights)

    def _predict(self, scores, beside):
        fitted = "groups" if isinstance(self.partition_, GivenGroups) else "features"
        given = "groups" if _are_groups(beside) else "features"
        if given != fitted:
            raise ValueError(f"{given} are given, but fit was given {fitted}: pass these")
        return self._calibrated.predict(beside, scores)


def _one_of(groups, features):
    """What the rows are told apart by."""
    if (groups is None) == (features is None):
        raise ValueError(
            "pass either groups, one for each row, or features, which the partition makes parts of"
        )
    return groups if features is None else Features(features)


def _are_groups(beside):
    """Whether these are checked groups, and not features."""
    return isinstance(beside, np.ndarray) and beside.ndim == 1
