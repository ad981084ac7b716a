"""Another base rate: probabilities for a population where positives are more or less frequent."""

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import brentq
from scipy.special import expit, logit
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from calib.contract.calibrator import CompositeCalibrator
from calib.contract.options import check_positive
from calib.contract.protocol import calibrated, check_calibrator, fitted, takes_groups
from calib.contract.validation import check_scores, check_weights

FARTHEST = 40.0  # log-odds: base rates beyond are as good as 0 or 1
UNINFORMATIVE = 1e-9  # log-odds: rounding


def shift_odds(probabilities: ArrayLike, factor: float) -> NDArray[np.float64]:
    r"""Multiply the odds of probabilities by a factor: :math:`\ell' = \ell + \log c`.

    This undoes what was done to one class before a classifier was trained, or does it:

    * negatives were kept with probability b each: ``factor=b``;
    * positives had weight w (LightGBM's and XGBoost's ``scale_pos_weight``): ``factor=1 / w``;
    * the base rate changes from r to q: ``factor=q / (1 - q) * (1 - r) / r``, as `PriorShift` does.

    Parameters
    ----------
    probabilities : array-like of shape (n,)
        In [0, 1]; 0 and 1 stay as they are.
    factor : float
        Positive.

    Returns
    -------
    shifted : ndarray of shape (n,)

    Raises
    ------
    ValueError
        For input that is not as described; the message names the argument.

    Notes
    -----
    Exact where the odds were multiplied: by sampling, or by weights in a classifier that is
    calibrated for the weighted sample. A flexible classifier whose probabilities were not right to
    begin with needs a calibrator, fitted to rows of the population itself.

    Examples
    --------
    Half of the training rows were positive, and one in eleven of the population is:

    >>> from calib import shift_odds
    >>> shift_odds([0.0, 0.5, 0.8], 0.1).round(3)
    array([0.   , 0.091, 0.286])
    """
    check_positive(factor, "factor")
    probabilities = check_scores(probabilities, name="probabilities", unit=True, allow_empty=True)
    return _shifted(probabilities, np.log(factor))


class PriorShift(CompositeCalibrator):
    r"""Calibrate, then move the probabilities to another base rate.

    .. math:: \ell' = \ell + \operatorname{logit} \pi' - \operatorname{logit} \pi

    :math:`\ell` is the log-odds that `calibrator` gives, :math:`\pi` the base rate of the sample it
    was fitted to and :math:`\pi'` that of the target. It is Bayes' theorem if the classes occur
    with another frequency there but their scores have the same distributions (prior shift).

    Parameters
    ----------
    calibrator : Calibrator, optional
        Any estimator with ``fit(scores, labels)`` and ``predict(scores)``. By default the scores
        are taken for probabilities, calibrated for the sample that `fit` is given.
    prior : float or "em", default=0.5
        Base rate of the target, strictly between 0 and 1, or ``"em"``: `adapt` estimates it from
        scores of the target, without labels. The default gives both classes the same frequency.

    Attributes
    ----------
    calibrator_ : Calibrator or None
        The fitted calibrator.
    base_rate_ : float
        Share of positives in the sample of `fit`, by weight.
    prior_ : float
        Base rate of the target; with ``"em"`` there is none before `adapt`.

    Notes
    -----
    Probabilities of 0 and 1 stay: no base rate overrules certainty. If the sample of `fit` has one
    class only, its probabilities are left as they are.

    After training on resampled rows, fit this to such rows and pass the base rate of the
    population; with weighted rows, pass the weights to `fit`. `shift_odds` does the same from the
    factor alone, without labels.

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
        """Whether scores must lie in [0, 1]: where they are taken for probabilities."""
        return self.calibrator is None or getattr(self.calibrator, "unit_scores", False)

    @property
    def takes_groups(self) -> bool:
        """Whether the calibrator asks for the group of each row."""
        return takes_groups(self.calibrator)

    def _fit(self, scores, labels, weights, groups=None):
        self._check_prior()
        self.calibrator_ = None
        if self.calibrator is not None:
            check_calibrator(self.calibrator, weighted=weights is not None, grouped=True)
            self.calibrator_ = fitted(self.calibrator, scores, labels, weights, groups)
        weights = np.ones(labels.size) if weights is None else weights
        positive, negative = weights[labels == 1].sum(), weights[labels == 0].sum()
        self.base_rate_ = float(positive / (positive + negative))
        one_class = positive == 0 or negative == 0
        self._source = None if one_class else float(np.log(positive) - np.log(negative))
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
            Non-negative weights; only their ratios matter.
        groups : array-like of shape (n,), optional
            Their groups, if the calibrator takes groups.

        Returns
        -------
        self : PriorShift

        Raises
        ------
        ValueError
            If `prior` is a number; if the sample of `fit` had one class only; if all
            probabilities equal its base rate, so that the scores tell nothing; or if the likelihood
            is largest at a base rate of 0 or 1. The estimate is then left as it was.

        Notes
        -----
        The estimate maximises the likelihood of the scores, the concave

        .. math::
            \begin{aligned}
            &\sum_j w_j \log \Big( \frac{\pi'}{\pi} \, p_j \\
            &\quad + \frac{1 - \pi'}{1 - \pi} (1 - p_j) \Big) .
            \end{aligned}

        It is where the EM algorithm of Saerens et al. converges to, which may take thousands of
        steps; here the root of the derivative is bracketed, O(n) for each of some ten steps.

        It rests on calibrated probabilities for the sample of `fit`, and on prior shift. If
        the distribution of the scores within a class changes too, or the meaning of the classes
        (concept drift), the estimate is wrong in general, however many scores there are, and the
        scores need not show it. It comes without limits: bootstrap the scores of the target.
        """
        check_is_fitted(self)
        if self.prior != "em":
            raise ValueError(
                f"adapt estimates the base rate, but prior={self.prior!r} is given: pass "
                "prior='em', or leave adapt out"
            )
        if self._source is None:
            raise ValueError(
                "adapt needs a calibrator that was fitted to both classes; labels held one only"
            )
        scores = self._check_scores(scores)
        groups = self._beside(groups, scores.size, fitting=False)
        weights = np.ones(scores.size)
        if sample_weight is not None:
            weights = check_weights(sample_weight, size=scores.size, counts=False)
        self.prior_ = _most_likely_prior(
            self._source_probabilities(scores, *groups), weights, self._source
        )
        return self

    def _predict(self, scores, groups=None):
        probabilities = self._source_probabilities(scores, groups)
        if not hasattr(self, "prior_"):
            raise NotFittedError(
                "prior='em' is not estimated yet: call adapt(scores) with scores of the target"
            )
        if self._source is None:
            return probabilities
        return _shifted(probabilities, logit(self.prior_) - self._source)

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


def _most_likely_prior(probabilities, weights, source):
    """Base rate at which scores of these probabilities, found at log-odds `source`, are likeliest.

    It is where a step of the EM algorithm, the mean of the shifted probabilities, goes nowhere.
    """
    evidence = logit(probabilities) - source  # log of the ratio of the densities of the classes
    if np.abs(evidence).max() < UNINFORMATIVE:
        raise ValueError(
            "scores tell nothing about the base rate: every probability is that of the sample of "
            "fit; pass the base rate as prior"
        )
    weights = weights / weights.sum()

    def step(log_odds):
        if log_odds < 0:
            return weights @ expit(evidence + log_odds) - expit(log_odds)
        return expit(-log_odds) - weights @ expit(-evidence - log_odds)  # differences near 1

    for end, limit in ((-FARTHEST, 0), (FARTHEST, 1)):
        if step(end) * end >= 0:
            raise ValueError(
                f"scores are likeliest at a base rate of {limit}, where every probability would be "
                f"{limit}: with few scores this happens by chance, so pass more; else check that "
                "classes have the distributions of the sample of fit and that the calibrator is "
                "right there, or pass the base rate as prior"
            )
    return float(expit(brentq(step, -FARTHEST, FARTHEST, xtol=1e-12)))
