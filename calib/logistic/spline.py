"""A penalised spline of the log-odds."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import cho_solve, cholesky, solve_triangular
from scipy.optimize import nnls
from scipy.special import expit, ndtri
from sklearn.utils.validation import check_is_fitted

from calib.contract.options import check_flag, check_positive
from calib.contract.validation import inside
from calib.kernels.spline import cell_moments, spline_losses
from calib.logistic.base import ScalingCalibrator
from calib.logistic.fitting import SMALLEST_RADIUS
from calib.logistic.platt import PlattScaling
from calib.maps.forms import LogitSplineMap, SplineMap, positions

N_INTERVALS = 16
INNER = np.array([0.01, 0.99])  # quantiles of the values, between which the knots lie
PENALTIES = 10.0 ** np.arange(6, -1.5, -0.5)  # the stiffest first
MAX_STEPS = 1000
MANY = 20_000  # rows, beyond which those of a cell are condensed
CELLS = 64  # in an interval between knots
NO_SPREAD = 1e-9  # squared and in widths of a cell: rounding


class SplineCalibrator(ScalingCalibrator):
    r"""A smooth curve in the logits, which stays where it is unless the labels speak against it.

    .. math::
        \begin{aligned}
        \log\frac{f(s)}{1 - f(s)} &= \ell + g(\ell) , \\
        \ell &= \log\frac{s}{1 - s} .
        \end{aligned}

    g is a cubic spline with 17 knots, and linear beyond them. Its coefficients minimise the log
    loss plus

    .. math:: \frac{\lambda}{2} \sum_j (\Delta^2 c_j)^2 + \frac{a^2 + b^2}{2} ,

    where the second differences of the coefficients c measure how g bends, a is g at the mean
    logit, and b half its rise from a standard deviation below to one above. So the curve is the
    identity without data, and a line without evidence of bends. lambda has the largest
    marginal likelihood: nothing is left to choose.

    Parameters
    ----------
    scale : {"score", "logit"}, default="logit"
        What is bent: the logits of scores that are probabilities, kept within [2**-53, 1 - 2**-53]
        first; or scores as they are, such as margins, for which the line of `PlattScaling` takes
        the place of the identity.
    increasing : bool, default=True
        Whether the curve may not fall. Coefficients that do not decrease are sufficient for that,
        and close to necessary.

    Attributes
    ----------
    map_ : LogitSplineMap or SplineMap
        The map, for shipping.
    penalty_ : float
        lambda.
    log_evidence_ : float
        Laplace's approximation of the log marginal likelihood of the labels, without `increasing`.
    gap_ : float
        Certificate: the penalised log loss, a sum over the rows, is at most this far above its
        minimum.
    coefficients_ : ndarray of shape (19,)
        Of the log-odds in cubic B-splines.
    covariance_ : ndarray of shape (19, 19)
        Of the coefficients, by Laplace's approximation.

    Raises
    ------
    ValueError
        If a parameter is none of its values, or if scores leave [0, 1] and their logits are wanted
        (when `fit` is called).

    Notes
    -----
    The knots are equally spaced, from the first percentile of the values to the 99th. lambda is one
    of fifteen values from 10^-1 to 10^6. Probabilities are never 0 or 1: they are kept within
    [2**-53, 1 - 2**-53].

    Of more than 20,000 rows, those of a class within 1/64 of an interval are replaced by two
    weighted ones with the same moments up to the third, Gauss's quadrature: the loss of a cubic is
    off by some 1e-9 of itself. O(N) for these moments, then O(1) for each of some fifty
    Newton steps. Predict: O(1) for each score.

    The penalised loss is strictly convex. Weights are counts; the curve of scores and labels
    of weight w is that of w copies.

    References
    ----------
    Eilers and Marx (1996) penalise differences of coefficients. Wood (2011) has the marginal
    likelihood, Pya and Wood (2015) increasing coefficients. The penalty on the distance from the
    identity is ours.

    Examples
    --------
    >>> import numpy as np
    >>> from calib import SplineCalibrator
    >>> rng = np.random.default_rng(0)
    >>> scores = rng.random(2000)
    >>> labels = rng.random(2000) < scores**2
    >>> calibrator = SplineCalibrator().fit(scores, labels)
    >>> calibrator.predict([0.2, 0.5, 0.8]).round(2)
    array([0.05, 0.23, 0.64])
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
        low, high = _range(values, weights)
        ends = np.array([low, high])
        if not self.unit_scores:
            ends = PlattScaling().fit(scores, labels, sample_weight=weights).map_.logits(ends)
        places = positions(values, low, high, N_INTERVALS)
        weights = np.ones(places.size) if weights is None else weights
        curve = _Curve(ends, places, labels, weights)
        fit = max(curve.fits(), key=lambda fit: fit.evidence)
        self.penalty_, self.log_evidence_ = float(fit.penalty), float(fit.evidence)
        if self.increasing and np.any(np.diff(fit.coefficients) < 0):
            start = np.maximum.accumulate(fit.coefficients)
            fit = curve.minimum(start, fit.penalty, _increasing)
        self.coefficients_, self.gap_ = fit.coefficients, curve.gap(fit, self.increasing)
        self.covariance_ = np.linalg.inv(fit.hessian)
        form = LogitSplineMap if self.unit_scores else SplineMap
        self.map_ = form(low, high, _pieces(self.coefficients_))

    def predict_interval(
        self, scores: ArrayLike, *, groups: ArrayLike | None = None, confidence: float = 0.95
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Intervals around the predictions, from standard errors of the log-odds.

        They are Bayesian, for curves that bend as the penalty says: they hold less often where a
        curve bends more than elsewhere. Of 200 samples of 1000 rows, with truths that depart from
        the scores by half a sine of the logits, intervals of 95 % held for 91 % of the rows.

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
        (scores,) = self._check_queries(scores, groups)
        places = positions(self._values(scores), self.map_.low, self.map_.high, N_INTERVALS)
        first, basis = _rows(places)
        windows = first[:, np.newaxis] + np.arange(4)
        covariances = self.covariance_[windows[:, :, np.newaxis], windows[:, np.newaxis]]
        errors = np.sqrt(np.einsum("na,nab,nb->n", basis, covariances, basis))
        logits, reach = self.map_.logits(scores), ndtri((1 + confidence) / 2) * errors
        return inside(expit(logits - reach)), inside(expit(logits + reach))


class _Fit(NamedTuple):
    """The minimum of the penalised loss at a penalty."""

    coefficients: NDArray[np.float64]
    penalty: float
    loss: float
    gradient: NDArray[np.float64]
    hessian: NDArray[np.float64]
    evidence: float


class _Curve:
    """The penalised loss of a sample: `ends` are the log-odds at the outer knots without data."""

    def __init__(self, ends, places, labels, weights):
        mean = np.average(places, weights=weights)
        spread = max(np.sqrt(np.average((places - mean) ** 2, weights=weights)), 1.0)
        sites = np.arange(-1, N_INTERVALS + 2) / N_INTERVALS
        self.line = ends[0] + (ends[1] - ends[0]) * sites  # coefficients of a line are its values
        self.bends = np.diff(np.eye(sites.size), 2, axis=0)
        level, below, above = _dense(np.array([mean, mean - spread, mean + spread]))
        self.tilts = np.stack([level, (above - below) / 2])
        if places.size > MANY:
            places, labels, weights = _condensed(places, labels, weights)
        self.sample = *_rows(places), labels, weights

    def fits(self):
        """The minima at all penalties."""
        coefficients = self.line
        for penalty in PENALTIES:
            fit = self.minimum(coefficients, penalty, _anywhere)
            coefficients = fit.coefficients
            yield fit

    def minimum(self, coefficients, penalty, next_place) -> _Fit:
        """Newton's method, with steps that are halved until the loss falls."""
        loss, gradient, hessian = self._derivatives(coefficients, penalty)
        for _ in range(MAX_STEPS):
            aim = next_place(coefficients, gradient, hessian)
            step = aim - coefficients
            decrease = -gradient @ step - step @ hessian @ step / 2
            share, place = 1.0, aim
            trial = self._derivatives(place, penalty)
            while not trial[0] <= loss + 1e-12 * loss and share > 1e-10:
                share /= 2
                place = coefficients + share * step
                trial = self._derivatives(place, penalty)
            if not trial[0] <= loss + 1e-12 * loss:  # the numbers are at their end
                break
            coefficients, (loss, gradient, hessian) = place, trial
            if decrease <= 1e-14 * loss:
                break
        half_logs = [np.linalg.slogdet(m)[1] / 2 for m in (self._prior(penalty), hessian)]
        evidence = half_logs[0] - loss - half_logs[1]
        return _Fit(coefficients, penalty, loss, gradient, hessian, evidence)

    def gap(self, fit, increasing) -> float:
        """How far the loss of a fit is above its minimum, at most.

        The loss is convex and its curvature at least that of the penalty. A rise of 0 that the loss
        would like to be negative is as it should be.
        """
        rises = np.cumsum(fit.gradient[::-1])[::-1]  # derivatives along the level and the rises
        if increasing:
            rises[1:][(np.diff(fit.coefficients) == 0) & (rises[1:] > 0)] = 0
        rest = -np.diff(rises, append=0)
        return float(rest @ np.linalg.solve(self._prior(fit.penalty), rest) / 2)

    def _prior(self, penalty):
        """Curvature of the penalty."""
        return penalty * self.bends.T @ self.bends + self.tilts.T @ self.tilts

    def _derivatives(self, coefficients, penalty):
        """Penalised loss, gradient and Hessian."""
        loss, gradient, hessian = spline_losses(*self.sample, coefficients)
        apart = coefficients - self.line
        bends, tilts = self.bends @ apart, self.tilts @ apart
        return (
            loss + (penalty * bends @ bends + tilts @ tilts) / 2,
            gradient + penalty * bends @ self.bends + tilts @ self.tilts,
            hessian + self._prior(penalty),
        )


def _anywhere(coefficients, gradient, hessian):
    """The minimum of the parabola."""
    root = cholesky(hessian, lower=True)
    return coefficients - cho_solve((root, True), gradient)


def _increasing(coefficients, gradient, hessian):
    """The minimum of the parabola among coefficients that do not decrease.

    In terms of the first coefficient and the rises this is a least-squares problem; what the first
    explains is projected out, and the rises are found by non-negative least squares.
    """
    root = cholesky(hessian, lower=True)
    target = root.T @ coefficients - solve_triangular(root, gradient, lower=True)
    columns = np.cumsum(root.T[:, ::-1], axis=1)[:, ::-1]  # of the level, of each rise
    level = columns[:, 0] / np.linalg.norm(columns[:, 0])
    rest = columns[:, 1:] - np.outer(level, level @ columns[:, 1:])
    rises, _ = nnls(rest, target - level * (level @ target))
    first = level @ (target - columns[:, 1:] @ rises) / np.linalg.norm(columns[:, 0])
    return np.cumsum(np.append(first, rises))


def _range(values, weights):
    """The outer knots."""
    low, high = np.quantile(values, INNER, weights=weights, method="inverted_cdf")
    if not high / 2 - low / 2 > SMALLEST_RADIUS:  # nearly all are equal
        low, high = values.min(), values.max()
    if not high / 2 - low / 2 > SMALLEST_RADIUS:
        low, high = (low - 1, low + 1) if abs(low) < 1 else sorted([low / 2, low])
    return float(low), float(high)


def _split(places):
    """What of each place lies between the outer knots, and what beyond them."""
    inner = np.clip(places, 0, N_INTERVALS)
    return inner, places - inner


def _rows(places):
    """Cubic B-splines at places in units of intervals: the first of four, and their values.

    Beyond the outer knots each goes on as a line.
    """
    inner, beyond = _split(places)
    first = np.minimum(inner.astype(np.int64), N_INTERVALS - 1)
    r = inner - first
    values = (1 - r) ** 3, (3 * r - 6) * r**2 + 4, ((3 - 3 * r) * r + 3) * r + 1, r**3
    slopes = -((1 - r) ** 2), (3 * r - 4) * r, (2 - 3 * r) * r + 1, r**2
    basis = np.stack([v / 6 + beyond * s / 2 for v, s in zip(values, slopes, strict=True)], axis=1)
    return first, basis


def _dense(places):
    """The same as rows of all coefficients."""
    first, basis = _rows(places)
    rows = np.zeros((places.size, N_INTERVALS + 3))
    np.put_along_axis(rows, first[:, np.newaxis] + np.arange(4), basis, axis=1)
    return rows


def _pieces(coefficients):
    """The spline as polynomials: the line on the left, one for each interval, that on the right."""
    to_powers = np.array([[1, 4, 1, 0], [-3, 0, 3, 0], [3, -6, 3, 0], [-1, 3, -3, 1]]) / 6
    windows = np.lib.stride_tricks.sliding_window_view(np.append(coefficients, 0), 4)
    pieces = windows @ to_powers.T
    pieces[-1, 2:] = 0  # its last coefficient is none
    left = np.append(pieces[0, :2], [0, 0])
    return np.vstack([left, pieces])


def _condensed(places, labels, weights):
    """Two rows for each class and cell, with the moments of its rows up to the third.

    Beyond the knots cells are the wider the further out they are.
    """
    inner, beyond = _split(places)
    scaled = inner + np.sign(beyond) * np.log1p(np.abs(beyond))
    cells = np.floor(CELLS * scaled).astype(np.int64)
    cells, start = cells - cells.min(), cells.min()
    inner, beyond = _split((np.arange(start, start + cells.max() + 1) + 0.5) / CELLS)
    centres = inner + np.sign(beyond) * np.expm1(np.abs(beyond))
    widths = np.exp(np.abs(beyond)) / CELLS
    moments = cell_moments(cells, places - centres[cells], labels, weights, centres.size)
    classes, cells = np.nonzero(moments[:, :, 0])
    totals = moments[classes, cells, 0]
    mean, second, third = (moments[classes, cells, k] / totals for k in (1, 2, 3))
    variance = np.maximum(second - mean**2, 0)
    spread = np.sqrt(variance)
    wide = variance > NO_SPREAD * widths[cells] ** 2
    skew = np.zeros(wide.size)
    np.divide(third - 3 * mean * second + 2 * mean**3, spread**3, out=skew, where=wide)
    ends = (skew + np.sqrt(skew**2 + 4) * np.array([[-1], [1]])) / 2  # their product is -1
    nodes = centres[cells] + mean + spread * ends
    shares = np.abs(ends[::-1]) / (ends[1] - ends[0])
    return nodes.ravel(), np.tile(classes, 2).astype(np.uint8), (totals * shares).ravel()
