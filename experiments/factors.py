"""How far a bound could be cut, or a lower bound raised, before it fails: exact numbers.

A bound for every law is judged at the law that leaves least of it; a lower bound for every method
at the method that comes closest to it. Laws and methods here are those that we know.
"""

import numpy as np
from scipy import stats
from scipy.special import rel_entr

ROUNDING = 1e-9


def mean_fraction_error(n, theta):
    """Mean distance of the fraction of positives among n labels from its expectation theta.

    De Moivre's formula; n = 0 counts as the fraction 0.

    Parameters
    ----------
    n, theta : array-like
        Broadcast against each other.

    Returns
    -------
    error : ndarray

    Examples
    --------
    >>> float(mean_fraction_error(1, 0.5)), float(mean_fraction_error(0, 0.2))
    (0.5, 0.2)
    """
    n, theta = np.broadcast_arrays(np.asarray(n, float), theta)
    above = np.floor(n * theta) + 1  # the fewest positives above the mean
    error = 2 * (1 - theta) * above / np.maximum(n, 1) * stats.binom.pmf(above, n, theta)
    return np.where(n > 0, error, theta)


def mean_leaf_error(n, masses, thetas):
    """Mean ECE if each of some known bins is predicted by its fraction among n points in all."""
    counts = np.arange(n + 1)
    return float(
        sum(
            mass * stats.binom.pmf(counts, n, mass) @ mean_fraction_error(counts, theta)
            for mass, theta in zip(masses, thetas, strict=True)
        )
    )


def worst_fraction_quantile(n, n_bins, theta, probability):
    """The largest error that some of `n_bins` fractions of n labels reach with that probability.

    Parameters
    ----------
    n, n_bins : int
    theta : float
        The probability of each label.
    probability : float

    Returns
    -------
    error : float
    """
    positives = np.arange(n + 1)
    errors, reached = _tail(np.abs(positives / n - theta), n, theta)
    with np.errstate(divide="ignore"):
        by_any = -np.expm1(n_bins * np.log1p(-np.minimum(reached, 1)))
    return float(errors[np.argmax(by_any >= probability)])


def order_loss_of_fractions():
    """Most that pairs of bins ordered by their fractions lose of AUC on average, over root(B/N).

    With normal errors: a pair whose frequencies differ by x standard errors is in the wrong order
    with probability 1 - Phi(x), and costs x of them; no law has all its pairs at the worst x.
    """
    x = np.linspace(0, 4, 40_001)
    return float(np.max(x * stats.norm.sf(x)) * np.sqrt(2))


def evidence_factor(n, p, threshold, *, shrunk=True):
    """What the threshold of evidence could be multiplied by, for n labels of probability p.

    Chernoff's bound lets the evidence, n times the divergence of the fraction of positives from p,
    reach the threshold T with probability 2 exp(-T) at most.

    Parameters
    ----------
    n : int
    p, threshold : float
    shrunk : bool, default=True
        Whether the bias is that of n + 1 labels, one of which is as expected.

    Returns
    -------
    factor : float
        Evidence above this multiple of T is at most as likely as the bound says that T is.
    """
    fraction = (np.arange(n + 1) + shrunk * p) / (n + shrunk)
    evidence = n * (rel_entr(fraction, p) + rel_entr(1 - fraction, 1 - p))
    evidence, reached = _tail(evidence, n, p)
    allowed = 2 * np.exp(-threshold) * (1 + ROUNDING)
    return float(evidence[np.argmax(reached > allowed)] / threshold)


def _tail(values, n, theta):
    """Values of a binomial variable from the largest on, and how likely one so large is."""
    values = np.round(values, 12)  # those of both sides are equal
    distinct, of = np.unique(-values, return_inverse=True)
    mass = np.bincount(of, stats.binom.pmf(np.arange(n + 1), n, theta))
    return -distinct, np.cumsum(mass)
