"""Newton's method for a sigmoid in one variable."""

import math

from calib.kernels.compiling import jit

MAX_STEPS = 1000


@jit
def fit_sigmoid(x, labels, weights, low_target, high_target, slope, intercept):
    """Minimise the cross entropy of sigmoid(slope x + intercept) against two target values.

    Newton steps, halved until the loss falls, from the given start. `x` should be of order one,
    or less where its tails are heavy. Stops when the Newton decrement is below 1e-14 per unit of
    weight: the last step then squares an error that is already small.

    Returns
    -------
    slope, intercept : float
    n_steps : int
    converged : bool
        False if `MAX_STEPS` steps did not suffice.
    """
    total = weights.sum()
    # The sigmoid is slope (x - centre) + level. With the mean of x, weighted by curvature, as the
    # centre, slope and level do not interact: nothing cancels, however uneven x is.
    centre = 0.0
    level = intercept
    state = _derivatives(x, labels, weights, low_target, high_target, slope, level, centre)
    for n_steps in range(1, MAX_STEPS + 1):
        shift = state[4] / state[5]
        if abs(shift) > 1e-3 * math.sqrt(state[3] / state[5]):
            level += slope * shift
            centre += shift
            state = _derivatives(x, labels, weights, low_target, high_target, slope, level, centre)
        loss, ga, gb, haa, hab, hbb = state
        shift = hab / hbb
        ga -= shift * gb
        haa -= shift * hab
        da = -ga / haa if haa > 0 else 0.0  # a constant x leaves the slope undetermined
        db = -gb / hbb
        decrement = -(ga * da + gb * db)
        db -= shift * da
        step = 1.0
        while step > 1e-10:
            a, b = slope + step * da, level + step * db
            trial = _derivatives(x, labels, weights, low_target, high_target, a, b, centre)
            if trial[0] <= loss + 1e-12 * abs(loss):  # room for rounding near the minimum
                break
            step *= 0.5
        slope, level, state = a, b, trial
        if decrement <= 1e-14 * total:
            return slope, level - slope * centre, n_steps, True
    return slope, level - slope * centre, MAX_STEPS, False


@jit
def _derivatives(x, labels, weights, low_target, high_target, slope, level, centre):
    """Loss, gradient (2) and Hessian (3) of the weighted cross entropy."""
    loss, ga, gb, haa, hab, hbb = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(x.size):
        target = high_target if labels[i] else low_target
        u = x[i] - centre
        f = slope * u + level
        e = math.exp(-abs(f))
        p = 1.0 / (1.0 + e) if f >= 0 else e / (1.0 + e)
        # -t log p - (1-t) log(1-p) = max(f, 0) - t f + log(1 + exp(-|f|))
        loss += weights[i] * (max(f, 0.0) - target * f + math.log1p(e))
        residual = weights[i] * (p - target)
        curvature = weights[i] * (e / ((1.0 + e) * (1.0 + e)))
        ga += residual * u
        gb += residual
        haa += curvature * u * u
        hab += curvature * u
        hbb += curvature
    return loss, ga, gb, haa, hab, hbb
