"""Venn-Abers predictors of the pairs of classes, coupled to one probability for each class."""

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from calib.contract.options import check_choice
from calib.contract.protocol import normalized
from calib.multiclass.base import MulticlassCalibrator, fitted_quietly
from calib.venn_abers.inductive import MERGES, VennAbers


class PairwiseVennAbers(MulticlassCalibrator):
    r"""A Venn-Abers predictor for each pair of classes, coupled.

    .. math::

        \begin{aligned}
        P(z = k \mid p) &\propto
        \Bigl( \sum_{j \ne k} \frac{1}{r_{kj}} - (K - 2) \Bigr)^{-1}, \\
        r_{kj} &= f_{kj}(p_k / p_j)
        \end{aligned}

    :math:`f_{kj}` is the merged probability of `VennAbers`, fitted to the rows of the classes j and
    k alone, so that :math:`r_{kj}` estimates :math:`P(z = k \mid z \in \{j, k\})`.

    Parameters
    ----------
    loss : {"log", "brier"}, default="log"
        Loss for which each pair of probabilities is merged to one, as in `VennAbers`.

    Attributes
    ----------
    calibrators_ : dict
        ``calibrators_[j, k]`` for classes j < k is the predictor of k rather than j. It is absent
        if neither class has a row; both are then equally likely, as they are for the pair [0, 1].

    Raises
    ------
    ValueError
        If `loss` is neither of the two (when `fit` is called).

    Notes
    -----
    Where :math:`p_j = p_k = 0`, their ratio counts as 1.

    If the :math:`r_{kj}` belong to one distribution on the classes, the formula returns it.
    Otherwise they contradict each other, and the formula is a compromise, divided by its sum. What
    is valid is each pair: of ``calibrators_[j, k].predict_interval``, the probability that belongs
    to the true label is perfectly calibrated *among the objects of the two classes*. Neither the
    merged nor the coupled probabilities have this property. For pairs that are valid for all
    objects, and one class at a time, use ``OneVsRestCalibrator(VennAbers())``.

    The probabilities are in (0, 1), so the log loss is finite. With two classes this is `VennAbers`
    on :math:`p_1`, where rows sum to 1.

    Fit O(K N log N), predict O(K**2) per row, memory O(K N).

    References
    ----------
    Manokhin (2017), with the coupling of Price, Knerr, Personnaz and Dreyfus (1995). The package
    venn-abers computes the same, but that its scores :math:`p_k / (p_j + p_k)` may round to 1.

    Examples
    --------
    >>> from calib.multiclass import PairwiseVennAbers
    >>> probabilities = [[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.1, 0.8], [0.7, 0.2, 0.1]]
    >>> calibrator = PairwiseVennAbers().fit(probabilities, [0, 1, 2, 1])
    >>> calibrator.predict_proba([[0.6, 0.3, 0.1]]).round(3)
    array([[0.25, 0.5 , 0.25]])
    """

    def __init__(self, *, loss: str = "log"):
        self.loss = loss

    def _fit(self, probabilities, labels, weights):
        check_choice(self.loss, MERGES, "loss")
        members = [np.flatnonzero(labels == k) for k in self.classes_]
        self.calibrators_ = {}
        for j, k in combinations(range(self.classes_.size), 2):
            rows = np.concatenate([members[j], members[k]])
            if rows.size:
                of_rows = None if weights is None else weights[rows]
                ratios, of_pair = log_ratios(probabilities[rows], j, k), VennAbers(loss=self.loss)
                fitted_quietly(of_pair, ratios, labels[rows] == k, of_rows)  # the interval tells
                self.calibrators_[j, k] = of_pair

    def _predict_proba(self, probabilities):
        n, n_classes = probabilities.shape
        totals = np.zeros((n, n_classes))
        with np.errstate(divide="ignore"):  # with enormous weights a probability may round to 0
            for j, k in combinations(range(n_classes), 2):
                calibrator = self.calibrators_.get((j, k))
                if calibrator is None:
                    second = np.full(n, 0.5)
                else:
                    second = calibrator.predict(log_ratios(probabilities, j, k))
                totals[:, j] += 1 / (1 - second)
                totals[:, k] += 1 / second
        return normalized(1 / (totals - (n_classes - 2)))


def log_ratios(probabilities: NDArray[np.float64], j: int, k: int) -> NDArray[np.float64]:
    """Logarithms of p_k / p_j, finite, and 0 where both are 0.

    Unlike p_k / (p_j + p_k), they tell apart what is nearly certain.
    """
    first, second = probabilities[:, j], probabilities[:, k]
    with np.errstate(divide="ignore", invalid="ignore"):  # the other ratio would overflow
        logarithms = np.log(np.minimum(first, second) / np.maximum(first, second))
    return np.nan_to_num(np.where(first < second, -logarithms, logarithms))
