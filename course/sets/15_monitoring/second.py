# A second solution, written without a look at the first.

# %% set-up
import numpy as np
from scipy.optimize import minimize, minimize_scalar


# %% monitor
def betting_monitor(labels, predictions, rivals, batches, alpha=0.05):
    K = rivals.shape[1]
    purse, capital, alarm = [0.0] * K, [], -1
    for t, (z, p) in enumerate(zip(labels, predictions, strict=True)):
        for k in range(K):
            q = rivals[t, k]
            purse[k] += np.log(q) - np.log(p) if z == 1 else np.log1p(-q) - np.log1p(-p)
        if t + 1 == len(labels) or batches[t + 1] != batches[t]:
            top = max(purse)
            capital.append(top + np.log(np.mean([np.exp(x - top) for x in purse])))
            if alarm == -1 and capital[-1] >= np.log(1 / alpha):
                alarm = len(capital) - 1
    return capital, alarm


# %% cusum
def cusum(labels, predictions, batches, allowance, limit):
    steps = []
    for b in np.unique(batches):
        rows = batches == b
        variance = np.sum(predictions[rows] - predictions[rows] ** 2)
        steps.append((labels[rows].sum() - predictions[rows].sum()) / np.sqrt(variance))
    chart = []
    for sign in [1, -1]:
        # the sum is the largest tail of the steps so far
        walk = np.append(0, np.cumsum(sign * np.array(steps) - allowance))
        chart.append(walk[1:] - np.minimum.accumulate(walk)[1:])
    chart = np.maximum(*chart)
    over = [i for i, value in enumerate(chart) if value > limit]
    return list(chart), over[0] if over else -1


# %% prior
def new_base_rate(predictions, old):
    up, down = predictions / old, (1 - predictions) / (1 - old)
    found = minimize_scalar(
        lambda r: -np.sum(np.log(r * up + (1 - r) * down)),
        bounds=(0, 1),
        method="bounded",
        options={"xatol": 1e-10},
    )
    r = found.x
    return r, r * up / (r * up + (1 - r) * down)


# %% drift
def what_changed(labels, predictions):
    logits = np.log(predictions) - np.log1p(-predictions)

    def loss(a, b):
        s = a * logits + b
        return np.sum(np.logaddexp(0, s) - labels * s)

    one = minimize(lambda v: loss(1, v[0]), [0.0], tol=1e-9)
    two = minimize(lambda v: loss(*v), [1.0, one.x[0]], tol=1e-9)
    costs = [
        2 * loss(1, 0),
        2 * one.fun + np.log(len(labels)),
        2 * two.fun + 2 * np.log(len(labels)),
    ]
    return one.x[0], list(two.x), costs.index(min(costs))


# %% decide
def actions_on_interval(costs, p0, p1):
    ends = [[(1 - p) * c[0] + p * c[1] for p in (p0, p1)] for c in costs]

    def dominates(a, b):
        never = all(x <= y + 1e-10 for x, y in zip(a, b, strict=True))
        return never and any(x < y - 1e-10 for x, y in zip(a, b, strict=True))

    free = [not any(dominates(other, own) for other in ends) for own in ends]
    best = [min(e[i] for e in ends) for i in (0, 1)]
    regrets = [max(e[0] - best[0], e[1] - best[1]) for e in ends]
    return free, regrets.index(min(regrets))


# %% agrees
def compare(printed, runs, paper_runs):
    scaled = []
    for text, row in zip(printed, runs, strict=True):
        decimals = len(text.split(".")[1]) if "." in text else 0
        m = len(row)
        mean = sum(row) / m
        variance = sum((x - mean) ** 2 for x in row) / (m - 1)
        low, high = float(text) - 0.5 / 10**decimals, float(text) + 0.5 / 10**decimals
        gap = mean - high if mean > high else mean - low if mean < low else 0.0
        scaled.append(gap / (variance / m + variance / paper_runs) ** 0.5)
    return scaled, [abs(g) <= 2 for g in scaled]


# %% judge
def judge_reading(printed, half, base, error, reading, orders):
    def gaps(ours):
        far = abs(ours - printed) - half
        return np.where(far > 0, far, 0)

    was = gaps(base)
    agreed = was <= 2 * error
    moves = reading - base

    def score(ours):
        now = gaps(ours)
        mended = np.sum((was > 2 * error) & (now <= 2 * error) & (2 * now <= was))
        return int(mended), int(np.sum(agreed & (now > 2 * error)))

    mended, spoiled = score(base + moves)
    count = 1
    for order in orders:
        a, b = score(base + moves[order])
        count += a - b >= mended - spoiled
    return mended, spoiled, count / (len(orders) + 1)


# %% break_it
def blind_chart():
    labels, predictions, batches = [], [], []
    for b in range(12):
        labels += [1] * 20 + [0] * 20 + [1] * 20 + [0] * 20
        predictions += [0.2] * 40 + [0.8] * 40
        batches += [b] * 80
    return labels, predictions, batches
