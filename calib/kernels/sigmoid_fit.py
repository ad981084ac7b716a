"""Newton's method for a sigmoid in one variable."""

import math

from calib.kernels.compiling import jit


@jit
def fit_sigmoid(x, labels, weights, low_target, high_target, slope, intercept):
    """Minimise the cross entropy of sigmoid(slope x + intercept) against two target values.

    Newton steps, halved until the loss falls, from the given start. `x` should be of order one.
    Stops when the Newton decrement is below 1e-14 per unit of weight: the last step then squares
    an error that is already small.

    Returns
    -------
    slope, intercept : float
    n_steps : int
        Negative if 100 steps did not suffice.
    """
    total = weights.sum()
    state = _derivatives(x, labels, weights, low_target, high_target, slope, intercept)
    for n_steps in range(1, 101):
        loss, ga, gb, haa, hab, hbb = state
        ridge = 1e-12 * total  # a constant x leaves the slope undetermined: it then stays put
        haa, hbb = haa + ridge, hbb + ridge
        determinant = haa * hbb - hab * hab
        da = -(hbb * ga - hab * gb) / determinant
        db = -(haa * gb - hab * ga) / determinant
        decrement = -(ga * da + gb * db)
        step = 1.0
        while step > 1e-10:
            a, b = slope + step * da, intercept + step * db
            trial = _derivatives(x, labels, weights, low_target, high_target, a, b)
            if trial[0] <= loss + 1e-12 * abs(loss):  # room for rounding near the minimum
                break
            step *= 0.5
        slope, intercept, state = a, b, trial
        if decrement <= 1e-14 * total:
            return slope, intercept, n_steps
    return slope, intercept, -100


@jit
def _derivatives(x, labels, weights, low_target, high_target, slope, intercept):
    """Loss, gradient (2) and Hessian (3) of the weighted cross entropy."""
    loss, ga, gb, haa, hab, hbb = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(x.size):
        target = high_target if labels[i] else low_target
        f = slope * x[i] + intercept
        e = math.exp(-abs(f))
        p = 1.0 / (1.0 + e) if f >= 0 else e / (1.0 + e)
        # -t log p - (1-t) log(1-p) = max(f, 0) - t f + log(1 + exp(-|f|))
        loss += weights[i] * (max(f, 0.0) - target * f + math.log1p(e))
        residual = weights[i] * (p - target)
        curvature = weights[i] * (e / ((1.0 + e) * (1.0 + e)))
        ga += residual * x[i]
        gb += residual
        haa += curvature * x[i] * x[i]
        hab += curvature * x[i]
        hbb += curvature
    return loss, ga, gb, haa, hab, hbb
