"""The calibrator of all points, with log-odds shifted for a part that has few points."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import brentq
from scipy.special import expit

from calib.base.protocol import calibrated_logits

MAX_ROOT_STEPS = 2000  # steps, enough to halve a bracket from 1e150 down to 1e-12


class Shifted(NamedTuple):
    """A fitted calibrator whose log-odds are moved by a constant.

    Attributes
    ----------
    common : fitted calibrator
        Anything with ``predict(scores)``.
    offset : float
        The number added to its log-odds.
    """

    common: Any
    offset: float

    @property
    def unit_scores(self) -> bool:
        """Whether scores must lie in [0, 1]."""
        return getattr(self.common, "unit_scores", False)

    @property
    def slope_(self) -> float:
        """The a of Platt scaling, if `common` is that. The offset leaves it alone."""
        return self.common.slope_

    @property
    def intercept_(self) -> float:
        """The b of Platt scaling, if `common` is that, and the offset."""
        return self.common.intercept_ + self.offset

    def predict_logit(self, scores: ArrayLike) -> NDArray[np.float64]:
        """Shifted log-odds, of shape (n,)."""
        return calibrated_logits(self.common, np.asarray(scores, np.float64)) + self.offset

    def predict(self, scores: ArrayLike) -> NDArray[np.float64]:
        """Probabilities of class 1, of shape (n,)."""
        return expit(self.predict_logit(scores))


def fit_offset(
    logits: NDArray[np.float64],
    labels: NDArray[np.number],
    weights: NDArray[np.float64] | None = None,
    precision: float = 1.0,
) -> float:
    r"""Estimate an offset of log-odds from a few labels, shrunk to 0.

    .. math::
       c = \arg\max_c \sum_j w_j \log P(z_j \mid \ell_j + c) - \tfrac{\kappa}{2} c^2 ,

    the most probable value under a normal prior with mean 0 and precision kappa.

    Parameters
    ----------
    logits : ndarray of shape (n,)
        Log-odds before the shift.
    labels : ndarray of shape (n,)
        Classes, 0/1. One class will do.
    weights : ndarray of shape (n,), optional
        Numbers of copies.
    precision : float, default=1.0
        Precision of the prior, kappa; positive and finite.

    Returns
    -------
    offset : float
        To about 1e-12. O(n) for each of some ten steps, or of some dozens if the weights are huge.

    Examples
    --------
    Fifty points with probability 0.1 and no positive among them:

    >>> import numpy as np
    >>> from calib.heterogeneous.shifted import fit_offset
    >>> round(fit_offset(np.full(50, np.log(1 / 9)), np.zeros(50)), 2)
    -1.37
    """
    copies = np.ones(labels.size) if weights is None else weights

    def slope(offset):
        return copies @ (labels - expit(logits + offset)) - precision * offset

    # The sum of the residuals is at most the total weight. It is smaller still once an offset has
    # moved all points to one side, because the residuals fall exponentially from there.
    ratio = (copies.sum() + 1.0) / precision
    reach = min(ratio, np.abs(logits).max(initial=0.0) + np.log1p(ratio) + 1.0)
    return float(brentq(slope, -reach, reach, xtol=1e-12, maxiter=MAX_ROOT_STEPS))
