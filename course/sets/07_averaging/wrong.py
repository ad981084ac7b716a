# Wrong answers, each with the question that it must lose and the mistake.

# %% set-up
import numpy as np
from scipy.special import betaln, gammaln


# %% evidence: the prior's own constant is forgotten
def log_evidence(positives, negatives, a, b):
    return np.sum(betaln(positives + a, negatives + b))


# %% evidence: a product of small numbers underflows
def log_evidence(positives, negatives, a, b):
    with np.errstate(all="ignore"):
        return np.log(np.prod(np.exp(betaln(positives + a, negatives + b) - betaln(a, b))))


# %% evidence: with the binomial coefficient
def log_evidence(positives, negatives, a, b):
    N = positives + negatives
    choose = gammaln(N + 1) - gammaln(positives + 1) - gammaln(negatives + 1)
    return np.sum(choose + betaln(positives + a, negatives + b) - betaln(a, b))


# %% evidence: the likelihood at the posterior mean
def log_evidence(positives, negatives, a, b):
    p = (positives + a) / (positives + negatives + a + b)
    return np.sum(positives * np.log(p) + negatives * np.log(1 - p))


# %% counts: prefix sums that begin with the first label
def bin_counts(labels, n_bins):
    bins = (2 * np.arange(len(labels)) + 1) * n_bins // (2 * len(labels))
    starts = np.searchsorted(bins, np.arange(n_bins + 1))
    prefix = np.append(np.cumsum(labels), np.sum(labels))
    return np.diff(prefix[starts]), np.diff(starts)


# %% counts: equal bins, and the rest in the last one
def bin_counts(labels, n_bins):
    starts = np.arange(n_bins + 1) * (len(labels) // n_bins)
    starts[-1] = len(labels)
    return np.diff(np.append(0, np.cumsum(labels))[starts]), np.diff(starts)


# %% weights: exponentials of the log evidences underflow
def posterior_weights(log_evidences, prior):
    with np.errstate(all="ignore"):
        weights = prior * np.exp(log_evidences)
        return weights / weights.sum()


# %% weights: not normalised
def posterior_weights(log_evidences, prior):
    return prior * np.exp(log_evidences - np.max(log_evidences))


# %% weights: the prior is left out
def posterior_weights(log_evidences, prior):
    weights = np.exp(log_evidences - np.max(log_evidences))
    return weights / weights.sum()


# %% weights: log evidences in the place of evidences
def posterior_weights(log_evidences, prior):
    weights = prior * (log_evidences - np.min(log_evidences))
    return weights / weights.sum()


# %% bbq: the heaviest binning is selected
def bbq(scores, labels, sizes, new):
    order, n, best = np.argsort(scores), len(scores), -np.inf
    y, z = scores[order], labels[order]
    for size in sizes:
        bins = (2 * np.arange(n) + 1) * size // (2 * n)
        first = np.flatnonzero(np.diff(bins)) + 1
        edges = np.concatenate([[0], (y[first - 1] + y[first]) / 2, [1]])
        N, m = np.bincount(bins), np.bincount(bins, z)
        a = edges[:-1] + edges[1:]
        log_q = np.sum(betaln(m + a, N - m + 2 - a) - betaln(a, 2 - a))
        if log_q > best:
            best = log_q
            predictions = ((m + a) / (N + 2))[np.searchsorted(edges[1:-1], new)]
    return predictions


# %% bbq: the prior of every bin is uniform, not that of its middle
def bbq(scores, labels, sizes, new):
    order, n, logs, rows = np.argsort(scores), len(scores), [], []
    y, z = scores[order], labels[order]
    for size in sizes:
        bins = (2 * np.arange(n) + 1) * size // (2 * n)
        first = np.flatnonzero(np.diff(bins)) + 1
        cuts = (y[first - 1] + y[first]) / 2
        N, m = np.bincount(bins), np.bincount(bins, z)
        logs.append(np.sum(betaln(m + 1, N - m + 1)))
        rows.append(((m + 1) / (N + 2))[np.searchsorted(cuts, new)])
    weights = np.exp(np.array(logs) - max(logs))
    return weights @ rows / weights.sum()


# %% bbq: bins predict their fraction of positives
def bbq(scores, labels, sizes, new):
    order, n, logs, rows = np.argsort(scores), len(scores), [], []
    y, z = scores[order], labels[order]
    for size in sizes:
        bins = (2 * np.arange(n) + 1) * size // (2 * n)
        first = np.flatnonzero(np.diff(bins)) + 1
        edges = np.concatenate([[0], (y[first - 1] + y[first]) / 2, [1]])
        N, m = np.bincount(bins), np.bincount(bins, z)
        a = edges[:-1] + edges[1:]
        logs.append(np.sum(betaln(m + a, N - m + 2 - a) - betaln(a, 2 - a)))
        rows.append((m / N)[np.searchsorted(edges[1:-1], new)])
    weights = np.exp(np.array(logs) - max(logs))
    return weights @ rows / weights.sum()


# %% bbq: all binnings have the same weight
def bbq(scores, labels, sizes, new):
    order, n, rows = np.argsort(scores), len(scores), []
    y, z = scores[order], labels[order]
    for size in sizes:
        bins = (2 * np.arange(n) + 1) * size // (2 * n)
        first = np.flatnonzero(np.diff(bins)) + 1
        edges = np.concatenate([[0], (y[first - 1] + y[first]) / 2, [1]])
        N, m = np.bincount(bins), np.bincount(bins, z)
        rows.append(((m + edges[:-1] + edges[1:]) / (N + 2))[np.searchsorted(edges[1:-1], new)])
    return np.mean(rows, axis=0)


# %% objective: the squares are not halved
def objective(p, means, weights, lam):
    return np.sum(weights * (p - means) ** 2) + lam * np.maximum(p[:-1] - p[1:], 0).sum()


# %% objective: rises are charged as well
def objective(p, means, weights, lam):
    return np.sum(weights * (p - means) ** 2) / 2 + lam * np.abs(np.diff(p)).sum()


# %% objective: rises are charged in the place of falls
def objective(p, means, weights, lam):
    return np.sum(weights * (p - means) ** 2) / 2 + lam * np.maximum(np.diff(p), 0).sum()


# %% first: only violators are thought to meet
def first_breakpoint(means, weights):
    v = np.concatenate([[0], means[:-1] > means[1:], [0]])
    slopes = (v[:-1] - v[1:]) / weights
    fall = means[:-1] > means[1:]
    return np.min(((means[:-1] - means[1:])[fall] / np.diff(slopes)[fall]), initial=np.inf)


# %% first: the weights are left out of the slopes
def first_breakpoint(means, weights):
    v = np.concatenate([[0], means[:-1] > means[1:], [0]])
    gap, closing = means[:-1] - means[1:], np.diff(v[:-1] - v[1:])
    return np.min(gap[closing != 0] / closing[closing != 0], initial=np.inf)


# %% fit: bins do not join
def near_isotonic(means, weights, lam):
    v = np.concatenate([[0], means[:-1] > means[1:], [0]])
    return means + lam * (v[:-1] - v[1:]) / weights


# %% fit: isotonic regression, whatever the price
def near_isotonic(means, weights, lam):
    blocks = []
    for z, w in zip(means, weights):
        blocks.append((w, w * z, 1))
        while len(blocks) > 1 and blocks[-2][1] / blocks[-2][0] >= blocks[-1][1] / blocks[-1][0]:
            last = blocks.pop()
            blocks[-1] = tuple(x + y for x, y in zip(blocks[-1], last))
    return np.repeat([s / w for w, s, _ in blocks], [n for _, _, n in blocks])


# %% fit: a mean of both ends of the path
def near_isotonic(means, weights, lam):
    blocks = []
    for z, w in zip(means, weights):
        blocks.append((w, w * z, 1))
        while len(blocks) > 1 and blocks[-2][1] / blocks[-2][0] >= blocks[-1][1] / blocks[-1][0]:
            last = blocks.pop()
            blocks[-1] = tuple(x + y for x, y in zip(blocks[-1], last))
    isotonic = np.repeat([s / w for w, s, _ in blocks], [n for _, _, n in blocks])
    share = min(2 * lam, 1)
    return (1 - share) * means + share * isotonic


# %% enir: zero times the logarithm of zero
def ensemble(fits, labels, n_bins):
    with np.errstate(all="ignore"):
        L = (labels * np.log(fits) + (1 - labels) * np.log(1 - fits)).sum(axis=1)
        bic = -2 * L + n_bins * np.log(len(labels))
        weights = np.exp(-(bic - bic.min()) / 2)
        return weights @ fits / weights.sum()


# %% enir: bins are rewarded, the penalty has the wrong sign
def ensemble(fits, labels, n_bins):
    L = np.log(np.where(labels == 1, fits, 1 - fits)).sum(axis=1)
    bic = -2 * L - n_bins * np.log(len(labels))
    weights = np.exp(-(bic - bic.min()) / 2)
    return weights @ fits / weights.sum()


# %% enir: the penalty is left out
def ensemble(fits, labels, n_bins):
    L = np.log(np.where(labels == 1, fits, 1 - fits)).sum(axis=1)
    weights = np.exp(L - L.max())
    return weights @ fits / weights.sum()


# %% enir: the criterion is not halved
def ensemble(fits, labels, n_bins):
    bic = -2 * np.log(np.where(labels == 1, fits, 1 - fits)).sum(axis=1)
    bic = bic + n_bins * np.log(len(labels))
    weights = np.exp(-(bic - bic.min()))
    return weights @ fits / weights.sum()


# %% enir: the plain mean of the path
def ensemble(fits, labels, n_bins):
    return np.mean(fits, axis=0)


# %% enir: weights underflow
def ensemble(fits, labels, n_bins):
    L = np.log(np.where(labels == 1, fits, 1 - fits)).sum(axis=1)
    with np.errstate(all="ignore"):
        weights = np.exp(L - n_bins * np.log(len(labels)) / 2)
        return weights @ fits / weights.sum()


# %% break_it: one model leads all the time and is the best
def mislead():
    return np.ones(60, dtype=int), np.array([np.full(60, 0.9), np.full(60, 0.1)])
