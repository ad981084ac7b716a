"""Calibrators that learn batch by batch, in constant memory."""

import numbers
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from calib.base.arrays import check_scores
from calib.base.calibrator import FIT_METADATA, Calibrator
from calib.base.failures import restored_on_failure
from calib.base.maps import LogitPolynomialMap, StepMap
from calib.base.options import check_uniform_bins
from calib.base.probabilities import log_odds
from calib.kernels.logistic import CrossEntropy, Derivatives, derivatives
from calib.methods.logistic_fit import NO_MISSES, LogisticCalibrator

IDENTITY = np.array([0.0, 1.0])  # intercept and slope of the identity
LINE_PRECISION = 0.1  # prior precision of intercept and slope
PRIOR_COUNT = 0.5  # observations of each class in each bin


class OnlineCalibrator(Calibrator):
    """Base class of the calibrators that also learn batch by batch.

    A subclass implements four methods. ``_begin()`` makes the state before any row.
    ``_learn(scores, labels, weights)`` adds a batch to the state. ``_state()`` returns the state as
    a dictionary of plain numbers. ``_set_state(stored)`` takes the state from such a dictionary.
    None of the methods changes an array in place.
    """

    def partial_fit(
        self,
        scores: ArrayLike,
        labels: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
    ) -> Self:
        """Learn from another batch. `fit` would begin anew with it.

        The parameters are the same as in `fit`. A batch may hold one class only, without a warning.
        Groups are refused: online calibrators take none.

        Returns
        -------
        self : OnlineCalibrator

        Raises
        ------
        ValueError
            As `fit`. The calibrator then remains unchanged.
        """
        with restored_on_failure(self):
            if not hasattr(self, "classes_"):
                self.classes_ = np.array([0, 1])
                self._begin()
            self._learn(*self._check_rows(scores, labels, sample_weight, groups))
        return self

    __metadata_request__partial_fit: ClassVar[dict] = FIT_METADATA

    def to_dict(self) -> dict:
        """All that the calibrator remembers, as plain numbers for ``json.dumps``."""
        check_is_fitted(self)
        return {"kind": type(self).__name__} | self._state()

    def restore(self, stored: dict) -> Self:
        """Return to the state that `to_dict` returned as the dictionary `stored`.

        Raises
        ------
        ValueError
            If `stored` is no such dictionary. The calibrator then remains unchanged.
        """
        with restored_on_failure(self):
            self.classes_ = np.array([0, 1])
            try:
                if stored["kind"] != type(self).__name__:
                    raise ValueError(f"it is one of {stored['kind']}")
                self._set_state(stored)
            except (KeyError, TypeError, ValueError, np.linalg.LinAlgError) as error:
                raise ValueError(
                    f"stored is not a result of to_dict of {type(self).__name__}: {error!r}"
                ) from None
        return self

    def _fit(self, scores, labels, weights):
        self._begin()
        self._learn(scores, labels, weights)


class OnlineHistogramBinning(OnlineCalibrator):
    r"""Histogram binning in fixed bins, whose counts are carried on.

    .. math:: f(y) = \frac{m_i + 1/2}{N_i + 1} \quad\text{for } y \in B_i

    Parameters
    ----------
    bins : int or array-like of shape (B - 1,), default=10
        A number of bins of equal width on [0, 1]. Scores must then be probabilities. Or
        increasing cuts between the bins, such as `cuts_` of a `HistogramBinning` of earlier scores.
        A score on a cut belongs to the right.

    Attributes
    ----------
    cuts_ : ndarray of shape (B - 1,)
        Cuts between the bins.
    counts_, positives_ : ndarray of shape (B,)
        N_i and m_i of all batches (sums of weights, if there are weights).
    map_ : StepMap
        The step function as arrays.

    Raises
    ------
    ValueError
        If `bins` are neither of the two, when `fit` or `partial_fit` is called.

    Notes
    -----
    The counts are the same as after one fit to all rows, whatever the batches and their order. Half
    an observation of each class, the estimate of Krichevsky and Trofimov, keeps the probabilities
    away from 0 and 1: predicting every row of weight 1 before its label is learned costs at most
    :math:`\sum_i (\tfrac12 \log N_i + \log 2)`, over bins that hold a row, more log loss than the
    best constants that one could have chosen afterwards, whatever the labels. An empty bin predicts
    1/2.

    O(log B) a row, O(B) memory.

    References
    ----------
    Krichevsky and Trofimov (1981). Zadrozny and Elkan (2001) for the batch.

    Examples
    --------
    >>> from calibkit.streams import OnlineHistogramBinning
    >>> calibrator = OnlineHistogramBinning(bins=2)
    >>> calibrator.partial_fit([0.1, 0.2, 0.9], [0, 0, 1]).predict([0.3, 0.6])
    array([0.16666667, 0.75      ])
    >>> calibrator.partial_fit([0.8, 0.7], [1, 0]).predict([0.3, 0.6])
    array([0.16666667, 0.625     ])
    """

    def __init__(self, *, bins: int | ArrayLike = 10):
        self.bins = bins

    @property
    def unit_scores(self) -> bool:
        """Whether scores must lie in [0, 1], as for bins of equal width."""
        return isinstance(self.bins, numbers.Integral)

    def merge(self, other: "OnlineHistogramBinning") -> Self:
        """Learn all that `other` has learned, from another stream with the same cuts.

        Raises
        ------
        ValueError
            If `other` is no `OnlineHistogramBinning`, or its cuts differ.
        """
        check_is_fitted(self)
        if not isinstance(other, OnlineHistogramBinning):
            raise ValueError(f"other must be an OnlineHistogramBinning; found {other!r}")
        check_is_fitted(other)
        if not np.array_equal(self.cuts_, other.cuts_):
            raise ValueError("other has other cuts: counts of different bins cannot be added")
        self._set_counts(self.counts_ + other.counts_, self.positives_ + other.positives_)
        return self

    def _begin(self):
        if self.unit_scores:
            check_uniform_bins(self.bins, "bins")
            self.cuts_ = np.arange(1, self.bins) / self.bins
        elif np.ndim(np.asarray(self.bins, object)) != 1:
            raise ValueError(
                "bins must be a number of bins, an integer, or the increasing cuts between them; "
                f"found {self.bins!r}"
            )
        else:
            self.cuts_ = _check_cuts(self.bins, "bins")
        self.counts_ = self.positives_ = np.zeros(self.cuts_.size + 1)

    def _learn(self, scores, labels, weights):
        bins = np.searchsorted(self.cuts_, scores, side="right")
        weights = np.ones(labels.size) if weights is None else weights
        counts = np.bincount(bins, weights=weights, minlength=self.counts_.size)
        positives = np.bincount(bins, weights=weights * labels, minlength=self.counts_.size)
        self._set_counts(self.counts_ + counts, self.positives_ + positives)

    def _set_counts(self, counts, positives):
        self.counts_ = counts
        self.positives_ = positives
        frequencies = (positives + PRIOR_COUNT) / (counts + 2 * PRIOR_COUNT)
        self.map_ = StepMap(self.cuts_, frequencies)

    def _state(self):
        return {
            "cuts": self.cuts_.tolist(),
            "counts": self.counts_.tolist(),
            "positives": self.positives_.tolist(),
        }

    def _set_state(self, stored):
        cuts = _check_cuts(stored["cuts"], "cuts")
        counts = check_scores(stored["counts"], name="counts")
        positives = check_scores(stored["positives"], name="positives")
        if not cuts.size + 1 == counts.size == positives.size:
            raise ValueError("cuts, counts and positives do not belong together")
        if np.any((positives < 0) | (positives > counts)):
            raise ValueError("positives must lie between 0 and counts")
        self.cuts_ = cuts
        self._set_counts(counts, positives)


@dataclass(eq=False, kw_only=True)
class PenalisedCrossEntropy(CrossEntropy):
    """Minus the log posterior of intercept and slope, whose prior is normal.

    Parameters
    ----------
    mean : ndarray of shape (2,)
        Mean of the prior, the intercept first.
    precision : ndarray of shape (2, 2)
        Inverse of the covariance of the prior.
    """

    mean: NDArray[np.float64]
    precision: NDArray[np.float64]

    def state(self, point):
        """Loss, gradient and Hessian in the level and the slope."""
        level, slope = point
        loss, gradient, hessian = self._derivatives_at(point[1:], level, self.centres)
        # The prior's intercept is the log-odds at 0, the level the log-odds at the centre.
        at_zero = np.array([[1.0, -self.centres[0]], [0.0, 1.0]])
        apart = at_zero @ [level, slope] - self.mean
        pull = self.precision @ apart
        return Derivatives(
            loss=loss + apart @ pull / 2,
            gradient=gradient + at_zero.T @ pull,
            hessian=hessian + at_zero.T @ self.precision @ at_zero,
        )

    def posterior_precision(self, fit):
        """The precision of the prior plus the curvature of the cross entropy."""
        _, _, lower = self._derivatives_at(fit.slopes, fit.level, np.zeros(1))
        return self.precision + (np.tril(lower) + np.tril(lower, -1).T)

    def _derivatives_at(self, slopes, level, centres):
        return derivatives(
            self.columns, self.labels, self.weights, self.misses, slopes, level, centres
        )


class OnlinePlattScaling(OnlineCalibrator, LogisticCalibrator):
    r"""Platt scaling of logits whose posterior is carried on as a normal distribution.

    .. math::
        \begin{aligned}
        f(s) &= \frac{1}{1 + \exp(-(a \ell + b))} , \\
        \ell &= \log \frac{s}{1 - s} .
        \end{aligned}

    A priori b is normal with mean 0 and variance 10, and a is normal with mean 1 and variance 10.
    The map therefore begins as the identity. Each batch moves a and b to the maximum of the
    posterior, and adds the curvature of its log likelihood at this maximum to the precision.

    Attributes
    ----------
    slope_, intercept_ : float
        a and b.
    precision_ : ndarray of shape (2, 2)
        Inverse of their covariance, b first, from the rows and the prior.
    map_ : LogitPolynomialMap
        The map, for shipping.

    Notes
    -----
    Scores are probabilities, kept within [2**-53, 1 - 2**-53] first; turn a margin m into
    ``expit(m)``. After one batch the map maximises the posterior. After several it approximates the
    map fitted to all rows at once, the better the larger the batches. The prior counts less than
    ten rows do, and keeps slopes finite where the classes are separated.

    Predicting every row before its label is learned, by the mean over the exact posterior, would
    cost more log loss than any a and b by at most

    .. math::
        \begin{aligned}
        &\tfrac1{20} \bigl( b^2 + (a - 1)^2 \bigr) \\
        &\quad + \log \bigl( 1 + \tfrac54 n r^2 \bigr)
        \end{aligned}

    after n rows, for any labels. Here r² is the mean of 1 + ℓ². The bound is about log n where the
    best slope a is moderate. If all scores lie close together, the best slope may be steep, and
    the bound is then larger. The mode of a normal posterior, which predicts here, has no such
    bound, and costs more where logits spread widely. All rows have the same weight, old rows
    included. `GuardedCalibrator` begins anew when the true calibration function has changed.

    O(n) for each of some five Newton steps of a batch of n rows, constant memory between batches.

    References
    ----------
    Kakade and Ng (2004) for the bound; Gupta and Ramdas (2023) for online Platt scaling, by
    another recursion.

    Examples
    --------
    >>> import numpy as np
    >>> from calibkit.streams import OnlinePlattScaling
    >>> rng = np.random.default_rng(0)
    >>> calibrator = OnlinePlattScaling()
    >>> for _ in range(100):
    ...     p = rng.random(50)
    ...     _ = calibrator.partial_fit(p**2, rng.random(50) < p)
    >>> calibrator.predict([0.04, 0.25, 0.81]).round(2)
    array([0.2 , 0.51, 0.86])
    """

    unit_scores = True

    def _begin(self):
        self._set_posterior(IDENTITY, LINE_PRECISION * np.eye(2))

    def _learn(self, scores, labels, weights):
        loss = PenalisedCrossEntropy(
            columns=log_odds(scores)[np.newaxis],
            labels=labels,
            weights=np.ones(labels.size) if weights is None else weights,
            misses=NO_MISSES,
            mean=np.array([self.intercept_, self.slope_]),
            precision=self.precision_,
        )
        fit = loss.fit(loss.mean)
        self._set_posterior(np.append(fit.level, fit.slopes), loss.posterior_precision(fit))

    def _set_posterior(self, mean, precision):
        self.intercept_, self.slope_ = mean.tolist()
        self.precision_ = precision
        self.map_ = LogitPolynomialMap(mean, 0.0)

    def _state(self):
        return {"mean": [self.intercept_, self.slope_], "precision": self.precision_.tolist()}

    def _set_state(self, stored):
        mean = check_scores(stored["mean"], name="mean").reshape(2)
        precision = np.array(stored["precision"], np.float64).reshape(2, 2)
        if not (np.isfinite(precision).all() and np.array_equal(precision, precision.T)):
            raise ValueError("precision must be finite and symmetric")  # cholesky looks at neither
        np.linalg.cholesky(precision)  # raises if it is not positive definite
        self._set_posterior(mean, precision)


def _check_cuts(cuts, name):
    values = check_scores(cuts, name=name, allow_empty=True)
    if np.any(values[1:] <= values[:-1]):
        raise ValueError(f"{name} must increase strictly; found {values.tolist()}")
    return values
