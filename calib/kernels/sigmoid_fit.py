"""Newton's method for a sigmoid in one variable."""

import math

import numpy as np

from calib.kernels.compiling import jit

MAX_STEPS = 1000


def fit_sigmoid(x, labels, weights, misses, intercept):
    """Minimise the cross entropy of sigmoid(slope x + intercept) against two target values.

    Parameters
    ----------
    x, labels, weights : ndarray of shape (n,)
    misses : tuple of float
        What the targets leave to the other class: they are misses[0] and 1 - misses[1], which
        itself would be rounded to 1 where there are many observations.
    intercept : float

    Returns
    -------
    slope, intercept, n_steps, converged
        As in `newton`.
    """
    return newton(lambda *place: derivatives(x, labels, weights, misses, *place), intercept)


@np.errstate(all="ignore")
def newton(derivatives_at, intercept):
    """Minimise a cross entropy whose derivatives somebody else sums up.

    Newton steps, halved until the loss falls, from slope 0 and the given intercept. `x` should be
    of order one, or less where its tails are heavy. Stops when the Newton decrement is below 1e-14
    of the loss: the last step then squares an error that is already small.

    Parameters
    ----------
    derivatives_at : callable
        ``derivatives_at(slope, level, centre)``, sums of `derivatives` over all rows.
    intercept : float

    Returns
    -------
    slope, intercept : float
    n_steps : int
    converged : bool
        False if `MAX_STEPS` steps did not suffice, or if rounding leaves no step that helps.
    """

    def state_at(*place):
        return np.array(derivatives_at(*place))  # NumPy's numbers: 0/0 is NaN

    # The sigmoid is slope (x - centre) + level. With the mean of x, weighted by curvature, as the
    # centre, slope and level do not interact: nothing cancels, however uneven x is.
    slope, level, centre = 0.0, intercept, 0.0
    state = state_at(slope, level, centre)
    for n_steps in range(1, MAX_STEPS + 1):
        shift = state[4] / state[5]
        if abs(shift) > 0.5 * math.sqrt(state[3] / state[5]):  # most of the spread is an offset
            level += slope * shift
            centre += shift
            state = state_at(slope, level, centre)
        loss, ga, gb, haa, hab, hbb = state
        shift = hab / hbb
        ga -= shift * gb
        haa -= shift * hab
        # No step may promise more than the whole loss: curvature alone knows no bound where points
        # lie far on the wrong side.
        haa, hbb = max(haa, ga * ga / loss), max(hbb, gb * gb / loss)
        da = -ga / haa if haa > 0 else 0.0  # a constant x leaves the slope undetermined
        db = -gb / hbb
        decrement = -(ga * da + gb * db)
        db -= shift * da
        step, acceptable = 1.0, loss + 1e-12 * loss  # room for rounding near the minimum
        trial = state_at(slope + da, level + db, centre)
        while trial[0] > acceptable and step > 1e-10:
            step *= 0.5
            trial = state_at(slope + step * da, level + step * db, centre)
        if not trial[0] <= acceptable:  # the numbers are at their end
            break
        slope, level, state = slope + step * da, level + step * db, trial
        if decrement <= 1e-14 * loss:
            return slope, level - slope * centre, n_steps, True
    return slope, level - slope * centre, n_steps, False


@jit
def derivatives(x, labels, weights, misses, slope, level, centre):
    """Loss, gradient (2) and Hessian (3) of the cross entropy of slope (x - centre) + level."""
    loss, ga, gb, haa, hab, hbb = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    lost = 0.0  # by rounding in the sum of the loss (Kahan): small steps are judged by it
    for i in range(x.size):
        side, miss = (1.0, misses[1]) if labels[i] else (-1.0, misses[0])
        u = x[i] - centre
        margin = side * (slope * u + level)
        e = math.exp(-abs(margin))
        larger = 1.0 / (1.0 + e)  # of the two probabilities
        wrong = e * larger if margin >= 0 else larger
        # -(1-miss) log(1-wrong) - miss log(wrong) = miss margin + log(1 + exp(-margin))
        term = weights[i] * (miss * margin + max(-margin, 0.0) + math.log1p(e)) - lost
        lost = (loss + term - loss) - term
        loss += term
        residual = side * weights[i] * (miss - wrong)
        curvature = weights[i] * (e * larger * larger)
        ga += residual * u
        gb += residual
        haa += curvature * u * u
        hab += curvature * u
        hbb += curvature
    return loss, ga, gb, haa, hab, hbb
