# A second solution, written without a look at the first.

# %% set-up
import numpy as np
from scipy.optimize import brentq, minimize


def sigmoid(t):
    return np.where(t >= 0, 1 / (1 + np.exp(-np.abs(t))), 1 - 1 / (1 + np.exp(-np.abs(t))))


# %% gaps
def group_gaps(labels, predictions, groups):
    rows = []
    for group in sorted(set(groups.tolist())):
        z, p = labels[groups == group], predictions[groups == group]
        rows.append((len(z), z.mean() - p.mean(), (z - p).sum() / np.sqrt(sum(p - p * p))))
    return tuple(zip(*rows, strict=True))


# %% pairs
def auc_by_groups(labels, scores, groups):
    names = sorted(set(groups.tolist()))

    def of(group, label):
        return sorted(scores[(groups == group) & (labels == label)])

    def auc(high, low):
        below = np.searchsorted(low, high, "left") + np.searchsorted(low, high, "right")
        return below.sum() / (2 * len(high) * len(low))

    pairs = np.outer([len(of(g, 1)) for g in names], [len(of(g, 0)) for g in names])
    return pairs / pairs.sum(), [[auc(of(g, 1), of(h, 0)) for h in names] for g in names]


# %% best
def best_auc(positives, negatives):
    order = sorted(
        range(len(positives)), key=lambda c: positives[c] / (positives[c] + negatives[c])
    )
    m, n = np.array(positives)[order], np.array(negatives)[order]
    rises = np.append(0, np.cumsum(n)) / n.sum(), np.append(0, np.cumsum(m)) / m.sum()
    heights = 1 - (rises[1][1:] + rises[1][:-1]) / 2
    return float(np.sum(np.diff(rises[0]) * heights))


# %% by_group
def calibrate_by_group(scores, labels, groups, new_scores, new_groups, smallest=10):
    def line(s, z):
        m, n = sum(z == 1), sum(z == 0)
        t = np.where(z == 1, (m + 1) / (m + 2), 1 / (n + 2))
        return minimize(
            lambda v: np.sum(np.logaddexp(0, v[0] * s + v[1]) - t * (v[0] * s + v[1])),
            [0.5, 0.0],
            tol=1e-10,
        ).x

    lines = {}
    for group in set(new_groups.tolist()):
        of = groups == group
        few = min(sum(labels[of] == 1), sum(labels[of] == 0)) < smallest
        lines[group] = line(scores, labels) if few else line(scores[of], labels[of])
    return np.array(
        [
            sigmoid(lines[g][0] * s + lines[g][1])
            for s, g in zip(new_scores, new_groups.tolist(), strict=True)
        ]
    )


# %% pooling
def shrunk_shift(logits, labels):
    n = len(labels) + 1
    return brentq(lambda t: sum(labels) - sum(sigmoid(logits + t)) - t, -n, n, xtol=1e-12)


# %% slope
def calibration_slope(scores, labels):
    a = b = 0.0
    for _ in range(50):
        p = sigmoid(a * scores + b)
        w, r = p * (1 - p), labels - p
        saa, sab, sbb = sum(w * scores**2), sum(w * scores), sum(w)
        ga, gb = sum(r * scores), sum(r)
        d = saa * sbb - sab**2
        a, b = a + (sbb * ga - sab * gb) / d, b + (saa * gb - sab * ga) / d
    return a


# %% act
def act(scores, groups, lines, c_fp, c_fn):
    decisions = []
    for s, g in zip(scores, groups, strict=True):
        a, b = lines[g]
        decisions.append(bool(sigmoid(a * s + b) >= c_fp / (c_fp + c_fn)))
    return decisions


# %% break_it
def harmful_groups():
    rng = np.random.default_rng(5)
    scores = np.concatenate([rng.choice([0.0, 2.0, 9.0], 3000), rng.choice([1.0, 3.0, 10.0], 3000)])
    truth = np.interp(scores, [0, 1, 2, 3, 9, 10], [0.1, 0.3, 0.5, 0.7, 0.85, 0.86])
    return scores, (rng.random(6000) < truth).astype(int), np.repeat(["first", "second"], 3000)
