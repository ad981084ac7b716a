"""A decision tree that splits where calibrating both sides would raise the AUC most."""

from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.metadata_routing import UNUSED
from sklearn.utils.validation import check_is_fitted, validate_data

from calib.base.arrays import check_both_classes, check_labels, check_scores, check_size, counts_of
from calib.base.failures import restored_on_failure
from calib.base.options import check_integer
from calib.heterogeneous.auc_split_kernels import split_aucs, whole_auc

AUC_TOLERANCE = 1e-12  # smaller differences of AUC count as rounding


class SplitTree(NamedTuple):
    """A binary tree as arrays, one entry per node. Names are as in scikit-learn's trees.

    Attributes
    ----------
    children_left, children_right : ndarray of int
        Numbers of the children, -1 at a leaf; node 0 is the root.
    feature : ndarray of int
        Column that is compared, -2 at a leaf.
    threshold : ndarray of float
        A value of at most this goes to the left.
    n_node_samples : ndarray of int
        Rows of the sample in the node.
    gain : ndarray of float
        Criterion of the split minus the criterion of the node without a split; 0 at a leaf.
    """

    children_left: np.ndarray
    children_right: np.ndarray
    feature: np.ndarray
    threshold: np.ndarray
    n_node_samples: np.ndarray
    gain: np.ndarray


class Node(NamedTuple):
    """A node of the tree, a leaf by default; fields have the meaning of `SplitTree`'s columns."""

    n_samples: int
    left: int = -1
    right: int = -1
    feature: int = -2
    threshold: float = np.nan
    gain: float = 0.0


class LabelledFeatures(NamedTuple):
    """The checked rows of a sample."""

    X: np.ndarray
    scores: np.ndarray
    labels: np.ndarray
    weights: np.ndarray

    def take(self, rows: NDArray[np.int64]) -> "LabelledFeatures":
        """The sample of these rows, given by their numbers."""
        return LabelledFeatures(
            X=self.X[rows],
            scores=self.scores[rows],
            labels=self.labels[rows],
            weights=self.weights[rows],
        )


class AUCSplitTree(BaseEstimator):
    r"""Partition the features by the AUC that calibrating each side of a split would give.

    A tree for classification splits where the labels differ. This one also looks at the scores of a
    classifier, and splits where the two sides need *different maps* from score to probability. On
    side i of a split, for label c, the scores are taken to be normal with their mean and variance
    there. Platt scaling of the side is a linear map to its log-odds, :math:`s \mapsto a_i s + b_i`,
    so the calibrated scores are normal as well, with means :math:`M_{ic}` and variances
    :math:`V_{ic}`, and the AUC of all of them together is

    .. math::
       \sum_{i, j} P(i \mid 1) \, P(j \mid 0) \,
       \Phi\!\left(\frac{M_{i1} - M_{j0}}{\sqrt{V_{i1} + V_{j0}}}\right).

    The split with the largest value is made if that exceeds the AUC of the node without a split.

    Parameters
    ----------
    max_depth : int, default=3
        Most splits between the root and a leaf. With 0 everything stays in one part.
    min_samples_leaf : int, default=50
        Fewest rows on a side of a split, 2 or more because each side needs a variance.

    Attributes
    ----------
    tree_ : SplitTree
        Nodes of the fitted tree.
    n_features_in_, feature_names_in_ : int, ndarray
        Number and names of the features that were fitted, with names only for a data frame of named
        columns.

    Notes
    -----
    The criterion of a node is the AUC within the node. Pairs with other nodes are left out, so that
    a split costs O(1). With equal variances the log-odds are linear. Otherwise they are a parabola,
    and the line through two of its points is taken, half a standard deviation to the left and
    right of the middle of the two means. Their distance does not matter for the slope. (The paper
    takes "two values close to" the point where the densities are equal and leaves open which.)
    Small sides are held back. A variance counts one further observation with the variance of the
    node, and the prior odds are (m + 1) / (n + 1), one further observation of each class. A side
    of one class has slope 0.

    Splits of equal value up to 1e-12 go to the first feature and the lowest threshold, so that the
    order of the rows does not matter. O(p n log n) time per level for p features, O(p n) memory.

    References
    ----------
    Durfee et al. (2022), section 12, which proposes the criterion and does not try it.

    Examples
    --------
    A feature that turns the score around, and is of no use by itself:

    >>> import numpy as np
    >>> from calib import AUCSplitTree
    >>> rng = np.random.default_rng(0)
    >>> labels = rng.integers(0, 2, 1000)
    >>> X = rng.normal(size=(1000, 2))
    >>> scores = rng.normal(size=1000) + (2 * labels - 1) * np.sign(X[:, 1])
    >>> tree = AUCSplitTree(max_depth=1).fit(X, scores, labels)
    >>> tree.tree_.feature[0], tree.tree_.threshold[0].round(1)
    (np.int64(1), np.float64(-0.0))
    """

    def __init__(self, *, max_depth: int = 3, min_samples_leaf: int = 50):
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf

    def fit(
        self,
        X: Any,
        scores: ArrayLike,
        labels: ArrayLike,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Grow the tree.

        Parameters
        ----------
        X : array-like of shape (n, p)
            Features as finite numbers. Categories must be encoded first.
        scores : array-like of shape (n,)
            Scores of a classifier. Any increasing linear function of them gives the same tree.
        labels : array-like of shape (n,)
            Classes, 0/1 or bool.
        sample_weight : array-like of shape (n,), optional
            Non-negative weights. An integer weight counts as so many copies in the criterion, while
            `min_samples_leaf` counts rows of positive weight.

        Returns
        -------
        self : AUCSplitTree

        Raises
        ------
        ValueError
            If an argument is not as described. The previous fit is then kept.
        """
        with restored_on_failure(self):
            self._fit(X, scores, labels, sample_weight)
        return self

    # scores stand where others have y: no metadata
    __metadata_request__fit: ClassVar[dict] = {"scores": UNUSED}

    def apply(self, X: Any) -> NDArray[np.int64]:
        """Leaf of each row, as its number in `tree_`.

        Parameters
        ----------
        X : array-like of shape (n, p)

        Returns
        -------
        leaves : ndarray of int of shape (n,)
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        tree = self.tree_
        leaves = np.zeros(X.shape[0], np.int64)
        inner = np.flatnonzero(tree.feature[leaves] >= 0)
        while inner.size:
            nodes = leaves[inner]
            left = X[inner, tree.feature[nodes]] <= tree.threshold[nodes]
            leaves[inner] = np.where(left, tree.children_left[nodes], tree.children_right[nodes])
            inner = inner[tree.feature[leaves[inner]] >= 0]
        return leaves

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

    def _fit(self, X, scores, labels, sample_weight):
        check_integer(self.max_depth, "max_depth", minimum=0)
        check_integer(self.min_samples_leaf, "min_samples_leaf", minimum=2)
        X = validate_data(self, X, dtype=np.float64)
        scores = check_scores(scores)
        labels = check_labels(labels, size=scores.size)
        check_size(len(X), scores.size, "X", "scores")
        weights = counts_of(sample_weight, scores.size, "scores")
        sample = LabelledFeatures(X=X, scores=scores, labels=labels, weights=weights)
        nodes = []
        self._grow(nodes, sample, np.flatnonzero(weights > 0), self.max_depth)
        self.tree_ = SplitTree(
            children_left=np.array([node.left for node in nodes]),
            children_right=np.array([node.right for node in nodes]),
            feature=np.array([node.feature for node in nodes]),
            threshold=np.array([node.threshold for node in nodes]),
            n_node_samples=np.array([node.n_samples for node in nodes]),
            gain=np.array([node.gain for node in nodes]),
        )

    def _grow(self, nodes, sample, rows, depth):
        """Append the node of `rows` and all nodes below it to `nodes`; return its number."""
        number = len(nodes)
        nodes.append(Node(n_samples=rows.size))
        split = self._best_split(sample.take(rows)) if depth > 0 else None
        if split is not None:
            goes_left = sample.X[rows, split.feature] <= split.threshold
            left = self._grow(nodes, sample, rows[goes_left], depth - 1)
            right = self._grow(nodes, sample, rows[~goes_left], depth - 1)
            nodes[number] = split._replace(left=left, right=right)
        return number

    def _best_split(self, sample):
        """The node with the best split, without children, or None if no split raises the AUC."""
        if not 0 < np.count_nonzero(sample.labels) < sample.labels.size:
            return None
        standardised = _standardise(sample.scores, sample.weights)
        whole = whole_auc(standardised, sample.labels, sample.weights)
        best = None
        best_auc = whole
        for feature in range(sample.X.shape[1]):
            thresholds, aucs = split_criterion(
                sample.X[:, feature],
                sample.scores,
                sample.labels,
                sample_weight=sample.weights,
                min_samples_leaf=self.min_samples_leaf,
            )
            if aucs.size and aucs.max() > best_auc + AUC_TOLERANCE:
                best_auc = aucs.max()
                first = np.argmax(aucs >= best_auc - AUC_TOLERANCE)
                best = Node(
                    n_samples=sample.scores.size,
                    feature=feature,
                    threshold=thresholds[first],
                    gain=best_auc - whole,
                )
        return best


def split_criterion(
    feature: ArrayLike,
    scores: ArrayLike,
    labels: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    min_samples_leaf: int = 2,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """AUC after each side of a split is calibrated, for every split along one feature.

    This AUC is the criterion of `AUCSplitTree`, which takes the scores of each label on each side
    to be normal.

    Parameters
    ----------
    feature, scores, labels, sample_weight : array-like of shape (n,)
        As for `AUCSplitTree`, weights positive. Both labels must occur.
    min_samples_leaf : int, default=2
        Splits with fewer rows on a side are left out.

    Returns
    -------
    thresholds, aucs : ndarray of shape (k,)
        The increasing thresholds, halfway between neighbouring values of the feature, and the
        criterion at each threshold.

    Raises
    ------
    ValueError
        If an argument is not as described.

    Notes
    -----
    O(n log n) for sorting, then O(1) per split.

    Examples
    --------
    >>> from calib.heterogeneous.auc_split_tree import split_criterion
    >>> labels = [0, 0, 1, 1, 1, 1, 0, 0]
    >>> thresholds, aucs = split_criterion(range(8), [1, 2, 3, 4, 1, 2, 3, 4], labels)
    >>> thresholds, aucs.round(2)
    (array([1.5, 2.5, 3.5, 4.5, 5.5]), array([0.85, 0.85, 0.97, 0.85, 0.85]))
    """
    checked_feature = check_scores(feature, name="feature")
    checked_scores = check_scores(scores)
    n = checked_scores.size
    z = check_labels(labels, size=n)
    check_size(checked_feature.size, n, "feature", "scores")
    check_both_classes(z, "the criterion needs both")
    weights = counts_of(sample_weight, n, "scores")
    order = np.argsort(checked_feature, kind="stable")
    values = checked_feature[order]
    standardised = _standardise(checked_scores, weights)
    aucs = split_aucs(values, standardised[order], z[order], weights[order])
    left_sizes = np.arange(1, n)
    is_split = ~np.isnan(aucs) & (np.minimum(left_sizes, n - left_sizes) >= min_samples_leaf)
    left = values[:-1][is_split]
    right = values[1:][is_split]
    middle = left / 2 + right / 2
    thresholds = np.where(middle < right, middle, left)  # a middle may round up to the right
    return thresholds, aucs[is_split]


def _standardise(scores, weights):
    """Scores with mean 0 and variance 1, or all 0 if they are equal, so that squares stay exact."""
    centred = scores - np.average(scores, weights=weights)
    largest = np.abs(centred).max()
    if largest == 0:
        return centred
    centred /= largest  # so that squares of huge scores do not overflow
    return centred / np.sqrt(np.average(centred**2, weights=weights))
