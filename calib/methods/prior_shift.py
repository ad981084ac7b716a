"""Another base rate: probabilities for a population where positives are more or less frequent."""

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import brentq
from scipy.special import expit, logit
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from calib.base.arrays import check_scores, check_weights
from calib.base.calibrator import CompositeCalibrator
from calib.base.options import check_positive
from calib.base.protocol import (
    calibrated,
    check_is_calibrator,
    fitted,
    needs_unit_scores,
    takes_groups,
)

MAX_PRIOR_LOG_ODDS = 40.0  # log-odds of a base rate, beyond which it is as good as 0 or 1
MIN_EVIDENCE = 1e-9  # log-odds, below which a difference is rounding


def shift_odds(probabilities: ArrayLike, factor: float) -> NDArray[np.float64]:
    r"""Multiply the odds of probabilities by a factor: :math:`\ell' = \ell + \log c`.

    This undoes, or applies, a change of the frequency of one class before training:

    * negatives were kept with probability b each: ``factor=b``;
    * positives had weight w (LightGBM's and XGBoost's ``scale_pos_weight``): ``factor=1 / w``;
    * the base rate changes from r to q: ``factor=q / (1 - q) * (1 - r) / r``, as `PriorShift` does.

    Parameters
    ----------
    probabilities : array-like of shape (n,)
        In [0, 1]. 0 and 1 remain unchanged.
    factor : float
        Positive.

    Returns
    -------
    shifted : ndarray of shape (n,)

    Raises
    ------
    ValueError
        For input that is not as described. The message names the argument.

    Notes
    -----
    Exact where the odds were multiplied, by sampling, or by weights in a classifier that is
    calibrated for the weighted sample. A flexible classifier that is not calibrated for the sample
    needs a calibrator, fitted to rows of the population itself.

    Examples
    --------
    Half of the training rows were positive, and one in eleven of the population is:

    >>> from calib import shift_odds
    >>> shift_odds([0.0, 0.5, 0.8], 0.1).round(3)
    array([0.   , 0.091, 0.286])
    """
    check_positive(factor, "factor")
    values = check_scores(probabilities, name="probabilities", unit=True, allow_empty=True)
    return _shifted(values, np.log(factor))


class PriorShift(CompositeCalibrator):
    r"""Calibrate, then move the probabilities to another base rate.

    .. math:: \ell' = \ell + \operatorname{logit} \pi' - \operatorname{logit} \pi

    :math:`\ell` is the log-odds that `calibrator` gives, :math:`\pi` the base rate of the sample it
    was fitted to and :math:`\pi'` the base rate of the target. This is Bayes' theorem for a target
    in which the frequencies of the classes differ, but in which the scores of each class have the
    same distribution (prior shift).

    Parameters
    ----------
    calibrator : Calibrator, optional
        Any estimator with ``fit(scores, labels)`` and ``predict(scores)``. By default the scores
        are taken for probabilities that are calibrated for the sample of `fit`.
    prior : float or "em", default=0.5
        Base rate of the target, strictly between 0 and 1, or ``"em"``: `adapt` estimates it from
        scores of the target, without labels. The default gives both classes the same frequency.

    Attributes
    ----------
    calibrator_ : Calibrator or None
        The fitted calibrator.
    base_rate_ : float
        The fraction of positives in the sample of `fit`, by weight.
    prior_ : float
        Base rate of the target. With ``"em"`` it is missing before `adapt`.

    Notes
    -----
    Probabilities of 0 and 1 stay, whatever the base rate. If the sample of `fit` has one class
    only, all probabilities stay.

    After training on resampled rows, fit this to such rows and pass the base rate of the
    population; with weighted rows, pass the weights to `fit`. `shift_odds` needs only the factor of
    the odds, and no labels.

    References
    ----------
    Saerens, Latinne and Decaestecker (2002).

    Examples
    --------
    >>> from calib import PlattScaling, PriorShift
    >>> scores, labels = [-2.0, -1.0, 1.0, 2.0], [0, 0, 1, 1]
    >>> PlattScaling().fit(scores, labels).predict([0.0, 1.5]).round(3)
    array([0.5  , 0.733])
    >>> PriorShift(PlattScaling(), prior=0.1).fit(scores, labels).predict([0.0, 1.5]).round(3)
    array([0.1  , 0.234])
    """

    def __init__(self, calibrator: Any = None, *, prior: float | str = 0.5):
        self.calibrator = calibrator
        self.prior = prior

    @property
    def unit_scores(self) -> bool:
        """Whether scores must lie in [0, 1]."""
        return self.calibrator is None or needs_unit_scores(self.calibrator)

    @property
    def takes_groups(self) -> bool:
        """Whether the calibrator asks for the group of each row."""
        return takes_groups(self.calibrator)

    def _fit(self, scores, labels, weights, groups=None):
        self._check_prior()
        self.calibrator_ = None
        if self.calibrator is not None:
            check_is_calibrator(self.calibrator, weighted=weights is not None, grouped=True)
            self.calibrator_ = fitted(self.calibrator, scores, labels, weights, groups)
        weights = np.ones(labels.size) if weights is None else weights
        positive = weights[labels == 1].sum()
        negative = weights[labels == 0].sum()
        self.base_rate_ = float(positive / (positive + negative))
        one_class = positive == 0 or negative == 0
        self._base_log_odds = None if one_class else float(np.log(positive) - np.log(negative))
        vars(self).pop("prior_", None)
        if self.prior != "em":
            self.prior_ = float(self.prior)

    def adapt(
        self,
        scores: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
    ) -> Self:
        r"""Estimate the base rate of the target from scores without labels.

        Parameters
        ----------
        scores : array-like of shape (n,)
            Scores of the target population, on the scale of `fit`.
        sample_weight : array-like of shape (n,), optional
            Non-negative weights. Only their ratios matter.
        groups : array-like of shape (n,), optional
            Their groups, if the calibrator takes groups.

        Returns
        -------
        self : PriorShift

        Raises
        ------
        ValueError
            If `prior` is a number; if the sample of `fit` had one class only; if all probabilities
            equal its base rate, so that the scores tell nothing; or if the likelihood is largest at
            a base rate of 0 or 1. The estimate then remains unchanged.

        Notes
        -----
        The estimate maximises the likelihood of the scores, the concave

        .. math::
            \begin{aligned}
            &\sum_j w_j \log \Big( \frac{\pi'}{\pi} \, p_j \\
            &\quad + \frac{1 - \pi'}{1 - \pi} (1 - p_j) \Big) .
            \end{aligned}

        The EM algorithm of Saerens et al. converges to the same estimate, but may take thousands of
        steps. Here the root of the derivative is bracketed, O(n) for each of some ten steps.

        The estimate assumes calibrated probabilities for the sample of `fit`, and prior shift. If
        the distribution of the scores within a class changes too, or the meaning of the classes
        (concept drift), the estimate is wrong in general, however many scores there are, and the
        scores need not show it. For a confidence interval, bootstrap the scores of the target.
        """
        check_is_fitted(self)
        if self.prior != "em":
            raise ValueError(
                f"adapt estimates the base rate, but prior={self.prior!r} is given: pass "
                "prior='em', or leave adapt out"
            )
        if self._base_log_odds is None:
            raise ValueError(
                "adapt needs a calibrator that was fitted to both classes; labels held one only"
            )
        values = self._check_scores(scores)
        groups_taken = self._groups_taken(groups, values.size, fitting=False)
        weights = np.ones(values.size)
        if sample_weight is not None:
            weights = check_weights(sample_weight, size=values.size, counts=False)
        probabilities = self._source_probabilities(values, *groups_taken)
        self.prior_ = _most_likely_prior(probabilities, weights, self._base_log_odds)
        return self

    def _predict(self, scores, groups=None):
        probabilities = self._source_probabilities(scores, groups)
        if not hasattr(self, "prior_"):
            raise NotFittedError(
                "prior='em' is not estimated yet: call adapt(scores) with scores of the target"
            )
        if self._base_log_odds is None:
            return probabilities
        return _shifted(probabilities, logit(self.prior_) - self._base_log_odds)

    def _source_probabilities(self, scores, groups=None):
        """Probabilities for the population of `fit`."""
        return scores if self.calibrator_ is None else calibrated(self.calibrator_, scores, groups)

    def _check_prior(self):
        if isinstance(self.prior, str):
            if self.prior != "em":
                raise ValueError(f"prior must be a number or 'em'; found {self.prior!r}")
        else:
            check_positive(self.prior, "prior", below=1)


def _shifted(probabilities, offset):
    """Probabilities whose log-odds are moved; 0 and 1 stay."""
    return expit(logit(probabilities) + offset)


def _most_likely_prior(probabilities, weights, base_log_odds):
    """The base rate at which scores of these probabilities are likeliest.

    The probabilities are calibrated for a base rate of `base_log_odds`. The result is the fixed
    point of the EM algorithm, whose step takes the mean of the shifted probabilities.
    """
    evidence = logit(probabilities) - base_log_odds  # log ratio of the densities of the classes
    if np.abs(evidence).max() < MIN_EVIDENCE:
        raise ValueError(
            "scores tell nothing about the base rate: every probability equals the base rate of "
            "the sample of fit; pass the base rate as prior"
        )
    weights = weights / weights.sum()

    def step(log_odds):
        """The change of a base rate by a step of the EM algorithm."""
        if log_odds < 0:
            return weights @ expit(evidence + log_odds) - expit(log_odds)
        return expit(-log_odds) - weights @ expit(-evidence - log_odds)  # the same, precise near 1

    for end, limit in ((-MAX_PRIOR_LOG_ODDS, 0), (MAX_PRIOR_LOG_ODDS, 1)):
        if step(end) * end >= 0:
            raise ValueError(
                f"scores are likeliest at a base rate of {limit}, where every probability would be "
                f"{limit}: with few scores this happens by chance, so pass more; else check that "
                "classes have the distributions of the sample of fit and that the calibrator is "
                "right there, or pass the base rate as prior"
            )
    return float(expit(brentq(step, -MAX_PRIOR_LOG_ODDS, MAX_PRIOR_LOG_ODDS, xtol=1e-12)))
