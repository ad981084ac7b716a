"""Intervals and tests of the coefficients of a logistic regression, by the sandwich variance."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, fdtrc, logit

from calib.kernels.logistic import fit_logistic
from calibkit.inference.bootstrap import Interval
from calibkit.inference.clusters import Contributions, cluster_error
from calibkit.inference.mean_intervals import normal_interval, t_interval
from calibkit.inference.significance import TestResult

COLLINEAR = 1e-9  # fraction of a column that the columns before it must leave unexplained
LEAST_INFORMATION = 1e-6  # fraction of the information without slopes, below which classes separate
SINGULAR = 1e-12  # fraction of the information left without a cluster, at which no line is found


class WeightedRows(NamedTuple):
    """Rows of a regression. `counts` are the numbers of outcomes that they stand for."""

    labels: NDArray[np.uint8]
    weights: NDArray[np.float64]
    counts: NDArray[np.float64]
    codes: NDArray[np.int64] | None

    def log_likelihood(self, logits: NDArray[np.float64]) -> float:
        """Log-likelihood of probabilities with these logits."""
        margins = np.where(self.labels == 1, logits, -logits)
        return -float(np.dot(self.weights, np.logaddexp(0, -margins)))


def likeliest_coefficients(
    rows: WeightedRows, design: NDArray[np.float64], refusal: str
) -> NDArray[np.float64]:
    """Coefficients of largest likelihood, found in orthogonal columns.

    `design` has a row for each coefficient, ones first. Where no finite coefficients fit, or a row
    of the design is a linear function of others, a `ValueError` says `refusal`.
    """
    total = rows.weights.sum()
    _, triangle = np.linalg.qr((design * np.sqrt(rows.weights / total)).T)
    scales = np.sqrt(np.sum(np.square(triangle), axis=0))
    if np.any(np.abs(triangle.diagonal()) <= COLLINEAR * scales):
        raise ValueError(refusal)
    columns = np.linalg.solve(triangle.T, design)
    constant = columns[0, 0]  # 1 or -1
    rate = np.average(rows.labels, weights=rows.weights)
    start = np.append(logit(rate), np.zeros(len(columns) - 1))
    fit = fit_logistic(columns[1:], rows.labels, rows.weights, (0.0, 0.0), start)
    fitted = expit(fit.level + fit.slopes @ columns[1:])
    information = (columns * rows.weights * fitted * (1 - fitted)) @ columns.T
    least = np.linalg.eigvalsh(information).min()
    if not fit.converged or least <= LEAST_INFORMATION * total * rate * (1 - rate):
        raise ValueError(refusal)
    return np.linalg.solve(triangle, np.append(constant * fit.level, fit.slopes))


@dataclass(frozen=True)
class FittedRegression:
    """A fitted logistic regression, from which its coefficients get their uncertainty.

    Attributes
    ----------
    rows : WeightedRows
    fitted : ndarray of shape (n,)
        Fitted probabilities.
    design : ndarray of shape (k, n)
        A row for each coefficient.
    """

    rows: WeightedRows
    fitted: NDArray[np.float64]
    design: NDArray[np.float64]

    def intervals(
        self, combinations: NDArray[np.float64], estimates: Sequence[float], confidence: float
    ) -> list[Interval]:
        """Intervals of linear combinations of the coefficients, whose estimates are given.

        `combinations` has the shape (m, k).
        """
        if self.rows.codes is None:
            variances = np.sum(combinations @ self._variance_of_rows * combinations, axis=1)
            return [
                normal_interval(estimate, math.sqrt(variance), confidence)
                for estimate, variance in zip(estimates, variances, strict=True)
            ]
        return [
            t_interval(estimate, self._error(combination), self._freedom(combination), confidence)
            for estimate, combination in zip(estimates, combinations, strict=True)
        ]

    def wald_test(self, deviations: NDArray[np.float64]) -> TestResult:
        """Test that the deviations of all coefficients are 0, where rows are in clusters.

        The statistic has Hotelling's distribution with the smallest degrees of freedom.
        """
        moved = self._moved_without
        if not np.all(np.isfinite(moved)):
            return TestResult(statistic=0.0, p_value=1.0)
        n_coefficients, n_clusters = moved.shape
        covariance = moved @ moved.T * n_clusters / (n_clusters - 1)
        statistic = float(deviations @ np.linalg.solve(covariance, deviations))
        freedom = min(self._freedom(unit) for unit in np.eye(n_coefficients))
        left = freedom - n_coefficients + 1
        if left <= 0:
            return TestResult(statistic=statistic, p_value=1.0)
        ratio = statistic * left / (freedom * n_coefficients)
        return TestResult(statistic=statistic, p_value=float(fdtrc(n_coefficients, left, ratio)))

    @cached_property
    def _bread(self):
        information = self.rows.weights * self.fitted * (1 - self.fitted)
        return (self.design * information) @ self.design.T

    @cached_property
    def _variance_of_rows(self):
        squares = self.rows.weights * np.square(self.rows.labels - self.fitted)
        inverse = np.linalg.inv(self._bread)
        return inverse @ ((self.design * squares) @ self.design.T) @ inverse

    def _error(self, combination):
        """Standard error of a linear combination, where rows are in clusters."""
        moved = self._moved_without
        return cluster_error(combination @ moved) if np.all(np.isfinite(moved)) else math.inf

    def _freedom(self, combination):
        """Degrees of freedom of a linear combination of the coefficients."""
        per_row = self.design * (self.rows.weights / self.rows.counts)
        slopes = combination @ np.linalg.solve(self._bread, per_row)
        contributions = Contributions(
            residuals=slopes * (self.rows.labels - self.fitted),
            variances=np.square(slopes) * self.fitted * (1 - self.fitted),
            counts=self.rows.counts,
            codes=self.rows.codes,
        )
        return contributions.degrees_of_freedom()

    @cached_property
    def _moved_without(self):
        """How far one Newton step moves each coefficient when a cluster is left out.

        The array has a row for each coefficient. It is infinite if the other clusters tell no line.
        """
        gradients = np.array([self._cluster_sums(column, residual=True) for column in self.design])
        parts = np.array(
            [[self._cluster_sums(a * b) for b in self.design] for a in self.design]
        ).transpose(2, 0, 1)
        others = self._bread - parts
        n_clusters = len(parts)
        if np.any(np.linalg.det(others) <= SINGULAR * np.linalg.det(self._bread)):
            return np.full(gradients.shape, np.inf)
        moved = np.linalg.solve(others, gradients.T[:, :, np.newaxis])[:, :, 0]
        return moved.T * (1 - 1 / n_clusters)

    def _cluster_sums(self, values, residual=False):
        """Sums over each cluster of values times residuals, or times the information of rows."""
        factor = self.rows.labels - self.fitted if residual else self.fitted * (1 - self.fitted)
        return np.bincount(self.rows.codes, self.rows.weights * values * factor)
