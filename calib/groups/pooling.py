"""Partial pooling: the calibrator of a part, drawn towards the one for everybody."""

import numbers
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import brentq
from scipy.special import expit

from calib.contract.protocol import calibrated_logits

FARTHEST = 1e300  # log-odds are cut off there, so that two of them always have a mean
MOST_STEPS = 2000  # of root finding; it may have to halve a range of numbers from 1e-12 to 1e150


class Shifted(NamedTuple):
    """A fitted calibrator whose log-odds are moved by a constant.

    Attributes
    ----------
    common : fitted calibrator
        Anything with ``predict(scores)``.
    offset : float
        What is added to its log-odds.
    """

    common: Any
    offset: float

    @property
    def unit_scores(self) -> bool:
        """Whether scores must lie in [0, 1]."""
        return getattr(self.common, "unit_scores", False)

    @property
    def slope_(self) -> float:
        """The a of Platt scaling, if `common` is that; the offset leaves it alone."""
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


class Blended(NamedTuple):
    """A fitted calibrator of a part whose log-odds are drawn towards those of the common one.

    Attributes
    ----------
    common, own : fitted calibrator
        Of everybody, and of the part.
    share : float
        Of `own` in the log-odds, in [0, 1].
    """

    common: Any
    own: Any
    share: float

    @property
    def unit_scores(self) -> bool:
        """Whether scores must lie in [0, 1]."""
        return getattr(self.common, "unit_scores", False)

    @property
    def slope_(self) -> float:
        """The a of Platt scaling, if the two are that."""
        return self._between(self.common.slope_, self.own.slope_)

    @property
    def intercept_(self) -> float:
        """The b of Platt scaling, if the two are that."""
        return self._between(self.common.intercept_, self.own.intercept_)

    def predict_logit(self, scores: ArrayLike) -> NDArray[np.float64]:
        """Log-odds between those of the two, of shape (n,)."""
        scores = np.asarray(scores, np.float64)
        logits = (calibrated_logits(c, scores) for c in (self.common, self.own))
        return self._between(*(np.clip(values, -FARTHEST, FARTHEST) for values in logits))

    def predict(self, scores: ArrayLike) -> NDArray[np.float64]:
        """Probabilities of class 1, of shape (n,)."""
        return expit(self.predict_logit(scores))

    def _between(self, common, own):
        return (1 - self.share) * common + self.share * own


def check_pooling(pooling: object) -> None:
    """Raise unless `pooling` is a strength of pooling, or the word for its choice."""
    chosen = isinstance(pooling, str) and pooling == "cv"
    number = isinstance(pooling, numbers.Real) and not isinstance(pooling, bool)
    if not chosen and not (number and pooling >= 0):
        raise ValueError(
            "pooling must be 'cv' or a number of at least 0, which may be infinite; found "
            f"{pooling!r}"
        )


def effective_size_of(
    labels: NDArray[np.int64], weights: NDArray[np.float64] | None = None
) -> float:
    """4 m (n - m) / n for m positives of n points: points of balanced classes that tell as much."""
    n = float(labels.size if weights is None else weights.sum())
    m = float(np.count_nonzero(labels) if weights is None else weights @ labels)
    return 4 * m * (n - m) / n if n else 0.0


def fit_offset(
    logits: NDArray[np.float64],
    labels: NDArray[np.int64],
    weights: NDArray[np.float64] | None = None,
    precision: float = 1.0,
) -> float:
    r"""Offset of log-odds that a few labels ask for, shrunk to 0.

    .. math::
       c = \arg\max_c \sum_j w_j \log P(z_j \mid \ell_j + c) - \tfrac{\kappa}{2} c^2 ,

    the most probable value under a normal prior with mean 0 and precision kappa.

    Parameters
    ----------
    logits : ndarray of shape (n,)
        Log-odds before the shift.
    labels : ndarray of shape (n,)
        Classes, 0/1; one class will do.
    weights : ndarray of shape (n,), optional
        Numbers of copies.
    precision : float, default=1.0
        Of the prior, kappa; positive and finite.

    Returns
    -------
    offset : float
        To about 1e-12. O(n) for each of some ten steps, or of some dozens if the weights are huge.

    Examples
    --------
    Fifty points with probability 0.1 and no positive among them:

    >>> import numpy as np
    >>> from calib.groups.pooling import fit_offset
    >>> round(fit_offset(np.full(50, np.log(1 / 9)), np.zeros(50)), 2)
    -1.37
    """
    weights = np.ones(labels.size) if weights is None else weights

    def slope(offset):
        return weights @ (labels - expit(logits + offset)) - precision * offset

    # No sum of residuals is larger than the total weight, nor is it if an offset has taken all
    # points to the same side, from where the residuals fall exponentially.
    ratio = (weights.sum() + 1.0) / precision
    reach = min(ratio, np.abs(logits).max(initial=0.0) + np.log1p(ratio) + 1.0)
    return float(brentq(slope, -reach, reach, xtol=1e-12, maxiter=MOST_STEPS))
