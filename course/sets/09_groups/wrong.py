# Wrong answers, each with the question that it must lose and the mistake.

# %% set-up
import numpy as np


# %% gaps: the gap of all cases for each group
def group_gaps(labels, predictions, groups):
    counts = np.unique(groups, return_counts=True)[1]
    gap = np.mean(labels - predictions)
    z = np.sum(labels - predictions) / np.sqrt(np.sum(predictions * (1 - predictions)))
    return counts, np.full(len(counts), gap), np.full(len(counts), z)


# %% gaps: the variance of the mean prediction stands for the mean variance
def group_gaps(labels, predictions, groups):
    rows = []
    for group in np.unique(groups):
        z, p = labels[groups == group], predictions[groups == group]
        gap = z.mean() - p.mean()
        rows.append((len(z), gap, gap / np.sqrt(p.mean() * (1 - p.mean()) / len(z))))
    return tuple(np.array(rows).T)


# %% pairs: ties are lost
def auc_by_groups(labels, scores, groups):
    names = np.unique(groups)
    shares, aucs = np.empty((2, len(names), len(names)))
    for i, g in enumerate(names):
        for j, h in enumerate(names):
            high = scores[(groups == g) & (labels == 1)]
            low = scores[(groups == h) & (labels == 0)]
            aucs[i, j] = np.mean(high[:, None] > low)
            shares[i, j] = len(high) * len(low) / (np.sum(labels == 1) * np.sum(labels == 0))
    return shares, aucs


# %% pairs: groups are weighted by their size, not by their positives and negatives
def auc_by_groups(labels, scores, groups):
    names, sizes = np.unique(groups, return_counts=True)
    aucs = np.empty((len(names), len(names)))
    for i, g in enumerate(names):
        for j, h in enumerate(names):
            high = scores[(groups == g) & (labels == 1)]
            low = scores[(groups == h) & (labels == 0)]
            aucs[i, j] = np.mean((np.sign(high[:, None] - low) + 1) / 2)
    share = sizes / sizes.sum()
    return np.outer(share, share), aucs


# %% pairs: cases are ranked within their group before groups are compared
def auc_by_groups(labels, scores, groups):
    names = np.unique(groups)
    ranks = np.array(
        [np.mean(scores[groups == g] < s) for s, g in zip(scores, groups, strict=True)]
    )
    shares, aucs = np.empty((2, len(names), len(names)))
    for i, g in enumerate(names):
        for j, h in enumerate(names):
            high = ranks[(groups == g) & (labels == 1)]
            low = ranks[(groups == h) & (labels == 0)]
            aucs[i, j] = np.mean((np.sign(high[:, None] - low) + 1) / 2)
            shares[i, j] = len(high) * len(low) / (np.sum(labels == 1) * np.sum(labels == 0))
    return shares, aucs


# %% best: cells are ordered by their number of positives
def best_auc(positives, negatives):
    wins = (np.sign(positives[:, None] - positives) + 1) / 2
    return positives @ wins @ negatives / (positives.sum() * negatives.sum())


# %% best: pairs within a cell are lost
def best_auc(positives, negatives):
    fraction = positives / (positives + negatives)
    wins = (fraction[:, None] > fraction).astype(float)
    return positives @ wins @ negatives / (positives.sum() * negatives.sum())


# %% by_group: one calibrator for all groups
def calibrate_by_group(scores, labels, groups, new_scores, new_groups, smallest=10):
    from calib import PlattScaling

    return PlattScaling().fit(scores, labels).predict(new_scores)


# %% by_group: cases are counted, not the cases of the rarer class
def calibrate_by_group(scores, labels, groups, new_scores, new_groups, smallest=10):
    from calib import PlattScaling

    probabilities = PlattScaling().fit(scores, labels).predict(new_scores)
    for group in np.unique(groups):
        rows, new = groups == group, new_groups == group
        if rows.sum() >= 2 * smallest and new.any():
            own = PlattScaling().fit(scores[rows], labels[rows])
            probabilities[new] = own.predict(new_scores[new])
    return probabilities


# %% by_group: both classes get the same weight in each group
def calibrate_by_group(scores, labels, groups, new_scores, new_groups, smallest=10):
    from calib import PlattScaling

    probabilities = PlattScaling().fit(scores, labels).predict(new_scores)
    for group in np.unique(groups):
        rows, new = groups == group, new_groups == group
        m = labels[rows].sum()
        n = rows.sum() - m
        if min(m, n) >= smallest and new.any():
            weights = np.where(labels[rows] == 1, n / (m + n), m / (m + n))
            own = PlattScaling().fit(scores[rows], labels[rows], sample_weight=weights)
            probabilities[new] = own.predict(new_scores[new])
    return probabilities


# %% by_group: small groups share a calibrator that is fitted to small groups only
def calibrate_by_group(scores, labels, groups, new_scores, new_groups, smallest=10):
    from calib import PlattScaling

    probabilities, rest = np.empty(len(new_scores)), np.full(len(scores), True)
    done = np.full(len(new_scores), False)
    for group in np.unique(groups):
        rows, new = groups == group, new_groups == group
        m = labels[rows].sum()
        if min(m, rows.sum() - m) >= smallest:
            rest &= ~rows
            done |= new
            if new.any():
                own = PlattScaling().fit(scores[rows], labels[rows])
                probabilities[new] = own.predict(new_scores[new])
    if not done.all():
        rows = rest if len(set(labels[rest])) == 2 else np.full(len(scores), True)
        probabilities[~done] = (
            PlattScaling().fit(scores[rows], labels[rows]).predict(new_scores[~done])
        )
    return probabilities


# %% pooling: the shift is not shrunk
def shrunk_shift(logits, labels):
    t = 0.0
    for _ in range(50):
        p = 1 / (1 + np.exp(-logits - t))
        t = t + np.clip(np.sum(labels - p) / max(np.sum(p * (1 - p)), 1e-9), -1, 1)
    return t


# %% pooling: one step of Newton's method
def shrunk_shift(logits, labels):
    p = 1 / (1 + np.exp(-logits))
    return np.sum(labels - p) / (1 + np.sum(p * (1 - p)))


# %% slope: a line through the labels by least squares
def calibration_slope(scores, labels):
    return np.polyfit(scores, labels, 1)[0]


# %% slope: the penalty of scikit-learn's default
def calibration_slope(scores, labels):
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression().fit(scores[:, None], labels).coef_[0, 0]


# %% slope: without an intercept
def calibration_slope(scores, labels):
    a = 0.0
    for _ in range(50):
        p = 1 / (1 + np.exp(-a * scores))
        a += np.sum(scores * (labels - p)) / np.sum(scores**2 * p * (1 - p))
    return a


# %% act: the threshold of the first group for all
def act(scores, groups, lines, c_fp, c_fn):
    a, b = lines[min(lines)]
    return a * scores + b >= np.log(c_fp / c_fn)


# %% act: one half whatever errors cost
def act(scores, groups, lines, c_fp, c_fn):
    a, b = np.array([lines[g] for g in groups]).T
    return a * scores + b >= 0


# %% act: the costs are exchanged
def act(scores, groups, lines, c_fp, c_fn):
    a, b = np.array([lines[g] for g in groups]).T
    return a * scores + b >= np.log(c_fn / c_fp)


# %% break_it: a group that the score gets wrong, with a negative slope
def harmful_groups():
    scores = np.tile(np.arange(10.0), 100)
    groups = np.repeat([0, 1], 500)
    labels = (np.arange(1000) % 7 < scores * 0.7).astype(int)
    return scores, np.where(groups == 1, 1 - labels, labels), groups


# %% break_it: the truth is a sigmoid in each group, so that calibration cannot lose
def harmful_groups():
    scores, groups = np.tile(np.repeat([-1.0, 0.0, 1.0], 100), 2), np.repeat([0, 1], 300)
    truth = 1 / (1 + np.exp(-scores - 2 * groups + 1))
    return scores, (np.tile(np.arange(100), 6) < 100 * truth).astype(int), groups
