"""Partitions of rows: the leaves of trees in feature space, or groups that are given.

A fitted partition has three members. ``parts_of(X)`` gives the part of each row in each of T trees,
as an integer array of shape (n, T). ``rules`` holds a dict for each tree, from the number of a part
to words that say who belongs to it. ``sequential`` is true if the trees follow one another
(boosting), and false if they stand side by side (one tree, a forest).
"""

import numpy as np
from scipy.sparse import issparse
from sklearn.base import clone
from sklearn.ensemble import BaseEnsemble, GradientBoostingClassifier, GradientBoostingRegressor
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OrdinalEncoder
from sklearn.tree import BaseDecisionTree
from sklearn.utils.validation import _is_fitted, validate_data

from calib.heterogeneous.auc_split_tree import AUCSplitTree

UNKNOWN = -1  # part number of a group that did not occur when the partition was fitted
_TREES = (AUCSplitTree, BaseDecisionTree, BaseEnsemble)
_BOOSTED = (GradientBoostingClassifier, GradientBoostingRegressor)


def fit_partition(partition, X, scores, labels, weights):
    """Partition the features by the leaves of `partition`, which is trained unless it is fitted.

    Raises
    ------
    ValueError
        If `partition` is no tree and no ensemble of trees.
    """
    while isinstance(partition, FrozenEstimator):
        partition = partition.estimator
    last = partition[-1] if isinstance(partition, Pipeline) else partition
    if not (isinstance(last, _TREES) and hasattr(last, "apply")):
        raise ValueError(
            "partition must be a tree, forest or gradient boosting of scikit-learn, or an "
            "AUCSplitTree (HistGradientBoosting and others do not tell the leaves of a row; groups "
            f"are given to fit); found {partition!r}"
        )
    if not _is_fitted(partition):
        partition = _train(clone(partition), X, scores, labels, weights)
    return Leaves(partition, X)


def part_numbers_of(partition, groups, features):
    """Number of the part of each row in each tree of a fitted partition, of shape (n, T).

    Either `groups` or `features` is None.
    """
    return partition.parts_of(groups if features is None else features)


class GivenGroups:
    """The distinct values among groups. A missing value is a value like any other.

    Parameters
    ----------
    groups : ndarray of shape (n,)
    title : str
        Its name in the rules.
    """

    sequential = False

    def __init__(self, groups, title):
        self._encoder = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=UNKNOWN)
        names = self._encoder.fit(_column(groups)).categories_[0].tolist()
        self.rules = [{part: f"{title} = {name}" for part, name in enumerate(names)}]

    def parts_of(self, groups):
        """Number of the group of each row, or `UNKNOWN`; shape (n, 1)."""
        codes = self._encoder.transform(_column(groups))
        last = len(self.rules[0]) - 1  # NaN is sorted last and encoded as itself
        return np.where(np.isnan(codes), last, codes).astype(np.int64)


def _column(groups):
    """Groups as one column of objects, among which a value of another type is merely unknown."""
    return np.asarray(groups, dtype=object).reshape(-1, 1)


class Leaves:
    """The leaves of a fitted tree or of each tree of a fitted ensemble.

    Parameters
    ----------
    model : fitted tree, forest, gradient boosting, or pipeline that ends in one
    X : array-like or data frame
        The rows to be calibrated: the rules speak of missing values in features that lack some.
    """

    def __init__(self, model, X):
        is_pipeline = isinstance(model, Pipeline) and len(model) > 1
        self._before = model[:-1] if is_pipeline else None
        self._model = model[-1] if isinstance(model, Pipeline) else model
        self.sequential = isinstance(self._model, _BOOSTED)
        names = _feature_names(self._before, self._model)
        incomplete = _incomplete(self._prepared(X))
        self.rules = [rules_of(tree.tree_, names, incomplete) for tree in self._trees()]

    def parts_of(self, X):
        """Number of the leaf of each row in each tree; shape (n, T)."""
        X = self._prepared(X)
        if self.sequential:  # boosting's `apply` does not check the names of columns
            X = validate_data(self._model, X, dtype=np.float32, accept_sparse="csr", reset=False)
        leaves = self._model.apply(X)
        return leaves.reshape(len(leaves), -1).astype(np.int64)

    def _prepared(self, X):
        return X if self._before is None else self._before.transform(X)

    def _trees(self):
        if not isinstance(self._model, BaseEnsemble):
            return [self._model]
        trees = np.asarray(self._model.estimators_, dtype=object)
        if trees.ndim == 2 and trees.shape[1] > 1:
            raise ValueError("partition was boosted for more than two classes: use a binary one")
        return trees.ravel().tolist()


def rules_of(tree, names, incomplete=frozenset()):
    """Say in words who reaches each leaf: a dict from the number of the leaf, from left to right.

    Parameters
    ----------
    tree : object with children_left, children_right, feature and threshold
        Also missing_go_to_left, where features are incomplete.
    names : sequence of str
        Names of the features.
    incomplete : set of int
        Features with missing values. Their conditions say where missing values go.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from calib.heterogeneous.partitions import rules_of
    >>> tree = DecisionTreeClassifier().fit([[20], [30], [40], [50]], [0, 1, 0, 0])
    >>> list(rules_of(tree.tree_, ["age"]).values())
    ['age <= 25', '25 < age <= 35', 'age > 35']
    >>> ages = [[20], [20], [float("nan")], [50]]
    >>> tree = DecisionTreeClassifier().fit(ages, [0, 0, 1, 1])
    >>> list(rules_of(tree.tree_, ["age"], {0}).values())
    ['age <= 35', '(age > 35 or missing)']
    """
    rules = {}
    todo = [(0, {})]  # nodes, with the range of each feature that was compared above the node
    while todo:
        node, ranges = todo.pop()
        feature = tree.feature[node]
        threshold = tree.threshold[node]
        if feature < 0:
            rules[int(node)] = _in_words(ranges, names)
        else:
            low, high, missing = ranges.get(feature, (-np.inf, np.inf, feature in incomplete))
            left = missing and bool(tree.missing_go_to_left[node])
            right = missing and not left
            todo.append((tree.children_right[node], {**ranges, feature: (threshold, high, right)}))
            todo.append((tree.children_left[node], {**ranges, feature: (low, threshold, left)}))
    return rules


def rows_by_part(part_numbers):
    """Rows of each part that occurs in `part_numbers`, in their order."""
    order = np.argsort(part_numbers, kind="stable")
    numbers, starts = np.unique(part_numbers[order], return_index=True)
    return dict(zip(numbers.tolist(), np.split(order, starts[1:]), strict=True))


def _in_words(ranges, names):
    """The conditions of a leaf, one for each feature that is compared above it."""
    conditions = []
    for feature, (low, high, missing) in ranges.items():
        name = names[feature]
        if low == np.inf:  # a split of the missing values from all others
            conditions.append(f"{name} missing")
            continue
        if low == -np.inf and high == np.inf:
            conditions.append(f"{name} not missing")
            continue
        if high == np.inf:
            condition = f"{name} > {low:.4g}"
        else:
            above = "" if low == -np.inf else f"{low:.4g} < "
            condition = f"{above}{name} <= {high:.4g}"
        conditions.append(f"({condition} or missing)" if missing else condition)
    return " and ".join(conditions) or "all"


def _incomplete(X):
    """The set of columns with missing values, in features that are numbers, as trees want them."""
    if issparse(X):  # trees take no missing values there
        return set()
    return set(np.flatnonzero(np.isnan(np.asarray(X, dtype=np.float64)).any(axis=0)).tolist())


def _feature_names(before, model):
    if hasattr(before, "get_feature_names_out"):
        try:
            return before.get_feature_names_out()
        except (AttributeError, ValueError):  # a step of the pipeline cannot name its output
            pass
    default = [f"x{i}" for i in range(model.n_features_in_)]
    return getattr(model, "feature_names_in_", default)


def _train(model, X, scores, labels, weights):
    """Fit `model`. The last step of a pipeline also gets the scores or weights that it takes."""
    if isinstance(model, Pipeline):
        if len(model) == 1:
            return _train(model[0], X, scores, labels, weights)
        before = model[:-1]
        X = before.fit_transform(X, labels)
        return make_pipeline(before, _train(model[-1], X, scores, labels, weights))
    options = {} if weights is None else {"sample_weight": weights}
    if isinstance(model, AUCSplitTree):
        return model.fit(X, scores, labels, **options)
    return model.fit(X, labels, **options)
