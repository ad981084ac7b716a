"""Logistic regression by Newton's method in decimals: the largest likelihood to 50 digits."""

from decimal import Decimal

from vectors.exact import decimal, expit

PRECISION = Decimal(10) ** -50  # largest step at which a fit has converged
MAX_STEPS = 200
SLOWEST = Decimal(4)  # largest step of a coefficient that is taken at once


def fit(columns, targets, weights):
    """Coefficients of the columns that make the targets likeliest, or None if none are finite."""
    columns = [[decimal(x) for x in column] for column in columns]
    targets = [decimal(t) for t in targets]
    weights = [decimal(w) for w in weights]
    coefficients = [Decimal(0)] * len(columns)
    for _ in range(MAX_STEPS):
        fitted = [
            expit(sum(b * column[i] for b, column in zip(coefficients, columns, strict=True)))
            for i in range(len(targets))
        ]
        gradient = [
            sum(
                w * x * (t - q) for w, x, t, q in zip(weights, column, targets, fitted, strict=True)
            )
            for column in columns
        ]
        hessian = [
            [
                sum(
                    w * x * y * q * (1 - q)
                    for w, x, y, q in zip(weights, a, b, fitted, strict=True)
                )
                for b in columns
            ]
            for a in columns
        ]
        step = solve(hessian, gradient)
        if step is None:
            return None
        largest = max(map(abs, step))
        shrunk = min(Decimal(1), SLOWEST / largest) if largest else Decimal(1)
        coefficients = [b + shrunk * s for b, s in zip(coefficients, step, strict=True)]
        if largest < PRECISION:
            return coefficients
    return None


def solve(matrix, vector):
    """Solution of linear equations by elimination, or None if there is not one."""
    rows = [[*row, v] for row, v in zip(matrix, vector, strict=True)]
    n = len(rows)
    for k in range(n):
        best = max(range(k, n), key=lambda i: abs(rows[i][k]))
        rows[k], rows[best] = rows[best], rows[k]
        if rows[k][k] == 0:
            return None
        rows[k] = [x / rows[k][k] for x in rows[k]]
        for i in range(n):
            if i != k:
                factor = rows[i][k]
                rows[i] = [x - factor * y for x, y in zip(rows[i], rows[k], strict=True)]
    return [row[-1] for row in rows]
