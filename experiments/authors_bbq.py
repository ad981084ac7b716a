"""BBQ as the program of its authors computes it, restated from their code.

``BBQ/build.m``, ``elbow.m`` and ``predict.m`` in github.com/pakdaman/calibration differ from
`calib.BBQ` in what no paper says. A bin is floor(N/B) neighbouring points, and the last bin takes
the remainder. The value of a bin counts the mean score of its positives, with its midpoint as one
more, as one observation. An elbow rule drops most models. No line of theirs is copied.
"""

import numpy as np
from scipy.special import betaln

FLOOR = 0.005  # the midpoint of a bin is kept so far from 0 and 1
SMALLEST_DROP = 0.001  # of the weights, in variances, before the elbow


class AuthorsBBQ:
    """The authors' BBQ, for scores without ties.

    Attributes
    ----------
    models_ : list of (cuts, values)
        Those that the elbow rule keeps: cut points and the value of each bin.
    weights_ : ndarray of shape (models,)
        Their evidence, the largest of all models being 1.
    """

    def fit(self, scores, labels):
        """Learn from scores in [0, 1] and classes 0/1; O(N log N + N T) for T sizes."""
        order = np.argsort(scores, kind="stable")
        y, z = scores[order], labels[order]
        models = [one_model(y, z, size) for size in sizes(y.size)]
        evidence = np.array([own[2] for own in models])
        weights = np.exp(evidence - evidence.max())
        kept = elbow(weights)
        self.models_ = [models[k][:2] for k in kept]
        self.weights_ = weights[kept]
        return self

    def predict(self, scores):
        """Mean of the models that are left, by their weights."""
        found = [values[np.searchsorted(cuts, scores)] for cuts, values in self.models_]
        return self.weights_ @ np.array(found) / self.weights_.sum()


def sizes(n):
    """The numbers of bins that are tried for n points."""
    root = np.cbrt(n)
    fewest = max(1, int(np.floor(root / 10)))
    return range(fewest, int(min(np.ceil(n / 5), np.ceil(10 * root))) + 1)


def one_model(y, z, size):
    """Cut points, values and logarithm of the evidence of bins of floor(N/size) sorted points."""
    first = np.arange(size) * (y.size // size)
    cuts = (y[first[1:] - 1] + y[first[1:]]) / 2
    middle = (np.r_[0, cuts] + np.r_[cuts, 1]) / 2
    n, positives, their_scores = (np.add.reduceat(v, first) for v in (np.ones(y.size), z, y * z))
    typical = (their_scores + middle) / (positives + 1)
    values = (positives + typical) / (n + 1)
    a = 2 * np.clip(middle, FLOOR, 1 - FLOOR)
    evidence = betaln(positives + a, n - positives + 2 - a) - betaln(a, 2 - a)
    return cuts, values, evidence.sum()


def elbow(weights):
    """Indices of the models before the first small drop of the sorted weights."""
    order = np.argsort(-weights, kind="stable")
    drops = -np.diff(weights[order])
    k = 0
    while k < drops.size and drops[k] == 0:
        k += 1
    while k < drops.size and drops[k] / weights.var() > SMALLEST_DROP:
        k += 1
    return order[: max(1, k)]
