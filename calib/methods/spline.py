"""A penalised spline of the log-odds."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg.lapack import dpotrf, dpotrs, dtrtrs
from scipy.optimize import nnls
from scipy.special import expit, logsumexp, ndtri, softmax
from sklearn.utils.validation import check_is_fitted

from calib.base.arrays import check_countable
from calib.base.curve_maps import LogitSplineMap, SplineMap
from calib.base.options import check_flag, check_positive
from calib.base.probabilities import inside
from calib.kernels.logistic import Derivatives
from calib.kernels.newton import Problem, Step, newton
from calib.kernels.spline import spline_losses
from calib.methods.logistic_fit import MAX_FLOAT, MIN_SCORE_RADIUS, ScalingCalibrator
from calib.methods.platt import PlattScaling
from calib.methods.spline_basis import N_INTERVALS, condensed, dense_rows, pieces, rows

KNOT_QUANTILES = np.array([0.01, 0.99])  # quantiles of the values, between which the knots lie
BEND_PENALTIES = (1e6, 1e4, 1e2, 1.0)  # penalties of bends, the stiffest first
PRIOR_SPREADS = (0.25, 1.0, 4.0)  # prior standard deviations of level and tilt, in log-odds
LEAST_ODDS = 0.01  # odds times N, which scores that are more certain are taken to have
NEGLIGIBLE_EVIDENCE = 15  # log evidence below the largest, beyond which a curve is left out
MAX_REACH = 1e3  # halves of the range between the outer knots, to the ends of the map
RELATIVE_RIDGE = 1e-13  # fraction of the diagonal: rounding could leave a Hessian singular
MAX_TOTAL_WEIGHT = 1e12  # observations, beyond which rounding is larger than the penalty
MAX_ROWS_UNCONDENSED = 5_000  # rows, beyond which the rows of a cell are condensed


class SplineCalibrator(ScalingCalibrator):
    r"""A smooth curve in the logits, which stays where it is unless the labels speak against it.

    .. math::
        \begin{aligned}
        \log\frac{f(s)}{1 - f(s)} &= \ell + g(\ell) , \\
        \ell &= \log\frac{s}{1 - s} .
        \end{aligned}

    g is a cubic spline with 17 knots, and linear beyond them. Its coefficients minimise the log
    loss plus

    .. math::
        \frac{\lambda}{2} \sum_j (\Delta^2 c_j)^2
        + \frac{a^2 + b^2}{2 \tau^2} ,

    where the second differences of the coefficients c measure how g bends, a is g at the mean
    logit, and b half its rise from a standard deviation below to one above. So without data the
    curve is the identity, and without evidence of bends a line. The curves of four lambdas and
    three taus are averaged on the scale of log-odds, weighted by their marginal likelihoods.
    Nothing is left to choose.

    Parameters
    ----------
    scale : {"score", "logit"}, default="logit"
        The scale of the curve: the logits of scores that are probabilities, kept within [2**-53, 1
        - 2**-53] first; or the scores themselves, such as margins, for which the line of
        `PlattScaling` takes the place of the identity.
    increasing : bool, default=True
        Whether the curve may not fall. Coefficients that do not decrease are sufficient for that,
        and close to necessary.

    Attributes
    ----------
    map_ : LogitSplineMap or SplineMap
        The map, for shipping.
    weights_ : ndarray of shape (3, 4)
        Weights of the curves, with the sum 1: for tau = 1/4, 1, 4 and lambda = 10^6, 10^4, 100, 1.
    log_evidence_ : float
        Log of the mean marginal likelihood of the labels, by Laplace's approximation, before the
        curves are made increasing.
    gap_ : float
        As a certificate, the penalised log loss of each curve, a sum over the rows, is at most this
        far above its minimum.
    coefficients_ : ndarray of shape (19,)
        Coefficients of the average, in cubic B-splines.
    covariance_ : ndarray of shape (19, 19)
        Covariance of the coefficients, within the curves, by Laplace's approximation, plus between
        them.

    Raises
    ------
    ValueError
        If a parameter is none of its values, if scores leave [0, 1] and their logits are wanted, or
        if weights add up to more than 1e12 (when `fit` is called).

    Notes
    -----
    The knots are equally spaced, from the first percentile of the values to the 99th. Scores below
    0.01 / N, or above 1 less that, are taken as that. N observations do not bear out more, and the
    map is constant there. For margins the line of Platt scaling says where that is.

    If there are more than 5,000 rows, the rows of a class within 1/64 of an interval are replaced
    by two weighted rows with the same moments up to the third, by Gauss's quadrature. The loss of a
    cubic is off by some 1e-9 of itself. O(N) for these moments, then O(1) for each of some forty
    Newton steps. Predict: O(1) for each score.

    Each penalised loss is strictly convex. Curves whose evidence is smaller by exp(15) are left
    out.

    References
    ----------
    Eilers and Marx (1996) penalise differences of coefficients. Wood (2011) has the marginal
    likelihood, Pya and Wood (2015) increasing coefficients. The penalty on the distance from the
    identity, and the average, are ours.

    Examples
    --------
    >>> import numpy as np
    >>> from calib import SplineCalibrator
    >>> rng = np.random.default_rng(0)
    >>> scores = rng.random(2000)
    >>> labels = rng.random(2000) < scores**2
    >>> calibrator = SplineCalibrator().fit(scores, labels)
    >>> calibrator.predict([0.2, 0.5, 0.8]).round(2)
    array([0.04, 0.23, 0.64])
    >>> lower, upper = calibrator.predict_interval([0.2, 0.5, 0.8])
    >>> (lower < [0.04, 0.25, 0.64]) & ([0.04, 0.25, 0.64] < upper)  # the truth
    array([ True,  True,  True])
    """

    def __init__(self, *, scale: str = "logit", increasing: bool = True):
        self.scale = scale
        self.increasing = increasing

    def _fit(self, scores, labels, weights):
        check_flag(self.increasing, "increasing")
        values = self._values(scores)
        total = values.size if weights is None else weights.sum()
        check_countable(total, MAX_TOTAL_WEIGHT)
        line = np.array([0.0, 1.0])
        if not self.unit_scores:
            platt = PlattScaling().fit(scores, labels, sample_weight=weights)
            line = np.array([platt.intercept_, platt.slope_])
        self.map_ = self._straight_map(values, line, weights, total)
        knots = np.array([self.map_.low, self.map_.high])
        positions = self.map_.places(values)
        del values  # the array is as long as the sample
        weights = np.ones(positions.size) if weights is None else weights
        curve = _Curve(line[0] + line[1] * knots, positions, labels, weights)
        fits = list(curve.fits())
        evidence = np.array([fit.evidence for fit in fits])
        self.log_evidence_ = float(logsumexp(evidence) - np.log(evidence.size))
        relevant = evidence > evidence.max() - NEGLIGIBLE_EVIDENCE
        shares = np.where(relevant, softmax(evidence), 0)
        self.weights_ = (shares / shares.sum()).reshape(len(PRIOR_SPREADS), len(BEND_PENALTIES))
        averaged = [fit for fit, share in zip(fits, shares, strict=True) if share > 0]
        if self.increasing:
            averaged = [curve.increasing(fit) for fit in averaged]
        self.gap_ = max(curve.gap(fit, self.increasing) for fit in averaged)
        self._set_average(averaged, self.weights_[self.weights_ > 0])
        self.map_ = replace(self.map_, coefficients=pieces(self.coefficients_))

    def _straight_map(self, values, line, weights, total):
        """The map with its knots and ends, but coefficients of 0."""
        ends = _certain_values(line, total)
        low, high = _knots(np.clip(values, ends[0], ends[1]), weights)
        reach = MAX_REACH * (high / 2 - low / 2)
        least, greatest = np.clip(ends, low - reach, high + reach).tolist()
        form = LogitSplineMap if self.unit_scores else SplineMap
        return form(
            least=least,
            greatest=greatest,
            low=low,
            high=high,
            coefficients=np.zeros((N_INTERVALS + 2, 4)),
        )

    def _set_average(self, fits, weights):
        """Set mean and covariance of the coefficients over the curves."""
        coefficients = np.stack([fit.coefficients for fit in fits])
        self.coefficients_ = weights @ coefficients
        apart = coefficients - self.coefficients_
        within = [_solved(_root(fit.hessian), np.eye(N_INTERVALS + 3)) for fit in fits]
        between = (weights * apart.T) @ apart
        self.covariance_ = np.einsum("k,kab->ab", weights, within) + between

    def predict_interval(
        self, scores: ArrayLike, *, groups: ArrayLike | None = None, confidence: float = 0.95
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Intervals around the predictions, from standard errors of the log-odds.

        They are Bayesian. They hold less often where a curve bends more than elsewhere. In samples
        of 1000 rows, with true logits that depart from the scores by half a sine of the logits,
        intervals of 95 % held for some 87 % of the rows; with true scores for 97 %.

        Parameters
        ----------
        scores : array-like of shape (n,)
            As in `predict`.
        groups : None
            Refused, as in `fit`.
        confidence : float, default=0.95
            In (0, 1).

        Returns
        -------
        lower, upper : ndarray of shape (n,)
            Probabilities of class 1.
        """
        check_is_fitted(self)
        check_positive(confidence, "confidence", below=1)
        (queries,) = self._check_queries(scores, groups)
        first, basis = rows(self.map_.places(self._values(queries)))
        windows = first[:, np.newaxis] + np.arange(4)
        covariances = self.covariance_[windows[:, :, np.newaxis], windows[:, np.newaxis]]
        errors = np.sqrt(np.einsum("na,nab,nb->n", basis, covariances, basis))
        logits = self.map_.logits(queries)
        reach = ndtri((1 + confidence) / 2) * errors
        return inside(expit(logits - reach)), inside(expit(logits + reach))


class _CurveFit(NamedTuple):
    """The minimum of the penalised loss at a penalty of bends and a spread of level and tilt."""

    coefficients: NDArray[np.float64]
    penalised: "_PenalisedLoss"
    gradient: NDArray[np.float64]
    hessian: NDArray[np.float64]
    evidence: float


class _Curve:
    """The curves of a sample. `ends` are the log-odds at the outer knots without data."""

    def __init__(self, ends, positions, labels, weights):
        mean = np.average(positions, weights=weights)
        spread = max(np.sqrt(np.average((positions - mean) ** 2, weights=weights)), 1.0)
        sites = np.arange(-1, N_INTERVALS + 2) / N_INTERVALS
        self.line = ends[0] + (ends[1] - ends[0]) * sites  # coefficients of a line are its values
        self.bends = np.diff(np.eye(sites.size), 2, axis=0)
        level, below, above = dense_rows(np.array([mean, mean - spread, mean + spread]))
        self.tilts = np.stack([level, (above - below) / 2])
        if positions.size > MAX_ROWS_UNCONDENSED:
            positions, labels, weights = condensed(positions, labels, weights)
        self.first, self.basis = rows(positions)
        self.labels = labels
        self.weights = weights

    def fits(self):
        """The minima at all penalties."""
        for spread in PRIOR_SPREADS:
            coefficients = self.line
            for penalty in BEND_PENALTIES:
                fit = _PenalisedLoss(self, penalty, spread).fit(coefficients)
                coefficients = fit.coefficients
                yield fit

    def increasing(self, fit) -> _CurveFit:
        """The minimum at the same penalties among coefficients that do not decrease."""
        if np.all(np.diff(fit.coefficients) >= 0):
            return fit
        loss = _IncreasingLoss(self, fit.penalised.penalty, fit.penalised.spread)
        return loss.fit(np.maximum.accumulate(fit.coefficients))

    def gap(self, fit, increasing) -> float:
        """How far the loss of a fit is above its minimum, at most.

        The loss is convex and its curvature at least the curvature of the penalty. Where a rise is
        0 and the loss would fall if it were negative, the derivative is the same as at a minimum.
        """
        rises = np.cumsum(fit.gradient[::-1])[::-1]  # derivatives along the level and the rises
        if increasing:
            rises[1:][(np.diff(fit.coefficients) == 0) & (rises[1:] > 0)] = 0
        rest = -np.diff(rises, append=0)
        return float(rest @ np.linalg.solve(fit.penalised.prior, rest) / 2)


class _PenalisedLoss(Problem):
    """The log loss of a curve plus its penalties, as a function of the coefficients."""

    def __init__(self, curve, penalty, spread):
        self.curve = curve
        self.penalty = penalty
        self.spread = spread
        bends = penalty * curve.bends.T @ curve.bends
        self.prior = bends + curve.tilts.T @ curve.tilts / spread**2  # curvature of the penalty

    def state(self, coefficients):
        """Penalised loss, gradient and Hessian."""
        curve = self.curve
        loss, gradient, hessian = spline_losses(
            curve.first, curve.basis, curve.labels, curve.weights, coefficients
        )
        apart = coefficients - curve.line
        bends = curve.bends @ apart
        tilts = curve.tilts @ apart / self.spread**2
        return Derivatives(
            loss=loss + (self.penalty * bends @ bends + self.spread**2 * tilts @ tilts) / 2,
            gradient=gradient + self.penalty * bends @ curve.bends + tilts @ curve.tilts,
            hessian=hessian + self.prior,
        )

    def step(self, coefficients, state):
        """The step to the minimum of the loss's parabola."""
        target = self._parabola_minimum(coefficients, state)
        change = target - coefficients
        decrement = -state.gradient @ change - change @ state.hessian @ change / 2
        return Step(change=change, target=target, decrement=decrement)

    def _parabola_minimum(self, coefficients, state):
        return coefficients - _solved(_root(state.hessian), state.gradient)

    def fit(self, coefficients) -> _CurveFit:
        """The minimum from the coefficients on, and the log evidence by Laplace's approximation."""
        minimum = newton(self, coefficients)
        loss, gradient, hessian = minimum.state
        return _CurveFit(
            coefficients=minimum.point,
            penalised=self,
            gradient=gradient,
            hessian=hessian,
            evidence=_half_log(self.prior) - loss - _half_log(hessian),
        )


class _IncreasingLoss(_PenalisedLoss):
    """The same loss among coefficients that do not decrease."""

    def _parabola_minimum(self, coefficients, state):
        """Minimise by non-negative least squares, in terms of the first coefficient and the rises.

        Where the rises are free, the first coefficient follows from them: it is projected out.
        """
        root = _root(state.hessian)
        target = root.T @ coefficients - dtrtrs(root, state.gradient, lower=True)[0]
        columns = np.cumsum(root.T[:, ::-1], axis=1)[:, ::-1]  # the level, then each rise
        level = columns[:, 0] / np.linalg.norm(columns[:, 0])
        rest = columns[:, 1:] - np.outer(level, level @ columns[:, 1:])
        rises, _ = nnls(rest, target - level * (level @ target))
        first = level @ (target - columns[:, 1:] @ rises) / np.linalg.norm(columns[:, 0])
        return np.cumsum(np.append(first, rises))


def _root(matrix):
    """The lower triangular root of a positive definite matrix."""
    ridged = matrix.copy()
    ridged.flat[:: len(ridged) + 1] += RELATIVE_RIDGE * matrix.diagonal()
    root, fault = dpotrf(ridged, lower=True)
    if fault:
        raise np.linalg.LinAlgError("the matrix of the spline is not positive definite")
    return root


def _solved(root, right):
    """The solution of the equations whose matrix has this root, by LAPACK itself for speed."""
    return dpotrs(root, right, lower=True)[0]


def _half_log(matrix):
    """Half the logarithm of the determinant."""
    return np.log(_root(matrix).diagonal()).sum()


def _certain_values(line, total):
    """Values beyond which the line would be more certain than so many observations allow."""
    reach = np.log(max(total, 1) / LEAST_ODDS) * np.array([-1, 1])
    with np.errstate(over="ignore"):
        ends = (reach - line[0]) / line[1] if line[1] > 0 else MAX_FLOAT * np.array([-1, 1])
    return np.clip(ends, -MAX_FLOAT, MAX_FLOAT)


def _knots(values, weights):
    """The outer knots."""
    low, high = np.quantile(values, KNOT_QUANTILES, weights=weights, method="inverted_cdf")
    if not high / 2 - low / 2 > MIN_SCORE_RADIUS:  # nearly all are equal
        low = values.min()
        high = values.max()
    if not high / 2 - low / 2 > MIN_SCORE_RADIUS:
        low, high = (low - 1, low + 1) if abs(low) < 1 else sorted([low / 2, low])
    return float(low), float(high)
