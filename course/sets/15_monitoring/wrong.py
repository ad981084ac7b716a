# Wrong answers, each with the question that it must lose and the mistake.

# %% set-up
import numpy as np


def log_bets(labels, predictions, rivals):
    p = predictions[:, None]
    return np.where(labels[:, None] == 1, np.log(rivals / p), np.log((1 - rivals) / (1 - p)))


def lasts(batches):
    return np.append(np.flatnonzero(np.diff(batches)), len(batches) - 1)


def first(found):
    places = np.flatnonzero(found)
    return int(places[0]) if len(places) else -1


def steps_of(labels, predictions, batches):
    _, place = np.unique(batches, return_inverse=True)
    x = np.bincount(place, labels - predictions)
    return x / np.sqrt(np.bincount(place, predictions * (1 - predictions)))


def newton(U, offset, labels):
    theta = np.zeros(U.shape[1])
    for _ in range(50):
        p = 1 / (1 + np.exp(-offset - U @ theta))
        bend = U.T @ (U * (p * (1 - p))[:, None])
        theta = theta + np.linalg.solve(bend, U.T @ (labels - p))
    return theta


def changes(labels, predictions, penalty):
    logits = np.log(predictions / (1 - predictions))
    one = np.ones((len(logits), 1))
    (c,), (da, b) = newton(one, logits, labels), newton(np.c_[logits, one], logits, labels)
    fits = [logits, logits + c, (1 + da) * logits + b]
    losses = [np.sum(np.logaddexp(0, s) - labels * s) for s in fits]
    return c, (1 + da, b), int(np.argmin([2 * v + k * penalty for k, v in enumerate(losses)]))


def at_ends(costs, p0, p1):
    return np.array([[1 - p0, p0], [1 - p1, p1]]) @ costs.T


def free(ends):
    never = np.all(ends[:, :, None] <= ends[:, None, :] + 1e-12, axis=0)
    cheaper = np.any(ends[:, :, None] < ends[:, None, :] - 1e-12, axis=0)
    return ~np.any(never & cheaper, axis=0)


def gap_of(ours, printed, half):
    return np.maximum(0, np.abs(ours - printed) - half - 1e-12)


def compared(printed, runs, paper_runs, digits=None, error=None, limit=2, halves=0.5):
    values = np.array([float(text) for text in printed])
    shown = [len(text.partition(".")[2]) for text in printed] if digits is None else digits
    half = halves * 10.0 ** -np.array(shown)
    mean = runs.mean(axis=1)
    if error is None:
        error = np.std(runs, axis=1, ddof=1) * np.sqrt(1 / runs.shape[1] + 1 / paper_runs)
    gap = np.maximum(0, np.abs(mean - values) - half - 1e-12)
    scaled = np.sign(mean - values) * gap / error
    return scaled, np.abs(scaled) <= limit


def judged(printed, half, base, error, reading, orders, factor=0.5, plus=1, spoils=1, moves=True):
    was = gap_of(base, printed, half)
    agreed = was <= 2 * error

    def counts(ours):
        now = gap_of(ours, printed, half)
        agrees = now <= 2 * error
        mended = np.sum(~agreed & agrees & (now <= factor * was))
        return int(mended), int(np.sum(agreed & ~agrees))

    mended, spoiled = counts(reading)
    gains = []
    for order in orders:
        a, b = counts(base + (reading - base)[order] if moves else reading[order])
        gains.append(a - spoils * b)
    as_good = np.sum(np.array(gains) >= mended - spoils * spoiled)
    return mended, spoiled, (plus + as_good) / (plus + len(orders))


# %% monitor: bets are multiplied, and overflow
def betting_monitor(labels, predictions, rivals, batches, alpha=0.05):
    with np.errstate(all="ignore"):
        factors = np.exp(log_bets(labels, predictions, rivals))
        capital = np.log(np.cumprod(factors, axis=0).mean(axis=1))[lasts(batches)]
    return capital, first(capital >= -np.log(alpha))


# %% monitor: money is shared again after each row
def betting_monitor(labels, predictions, rivals, batches, alpha=0.05):
    mean = np.mean(np.exp(log_bets(labels, predictions, rivals)), axis=1)
    capital = np.cumsum(np.log(mean))[lasts(batches)]
    return capital, first(capital >= -np.log(alpha))


# %% monitor: the richest rival counts
def betting_monitor(labels, predictions, rivals, batches, alpha=0.05):
    logs = np.cumsum(log_bets(labels, predictions, rivals), axis=0)[lasts(batches)]
    return logs.max(axis=1), first(logs.max(axis=1) >= -np.log(alpha))


# %% monitor: the mean of the logarithms
def betting_monitor(labels, predictions, rivals, batches, alpha=0.05):
    capital = np.cumsum(log_bets(labels, predictions, rivals), axis=0)[lasts(batches)].mean(axis=1)
    return capital, first(capital >= -np.log(alpha))


# %% monitor: each batch begins with the capital one
def betting_monitor(labels, predictions, rivals, batches, alpha=0.05):
    logs = np.cumsum(log_bets(labels, predictions, rivals), axis=0)[lasts(batches)]
    logs = np.diff(np.vstack([np.zeros(logs.shape[1]), logs]), axis=0)
    capital = np.logaddexp.reduce(logs, axis=1) - np.log(logs.shape[1])
    return capital, first(capital >= -np.log(alpha))


# %% monitor: the last alarm in the place of the first
def betting_monitor(labels, predictions, rivals, batches, alpha=0.05):
    logs = np.cumsum(log_bets(labels, predictions, rivals), axis=0)[lasts(batches)]
    capital = np.logaddexp.reduce(logs, axis=1) - np.log(logs.shape[1])
    places = np.flatnonzero(capital >= -np.log(alpha))
    return capital, int(places[-1]) if len(places) else 0


# %% cusum: the sums may be negative
def cusum(labels, predictions, batches, allowance, limit):
    x = steps_of(labels, predictions, batches)
    chart = np.maximum(np.cumsum(x - allowance), np.cumsum(-x - allowance))
    return chart, first(chart > limit)


# %% cusum: upwards only
def cusum(labels, predictions, batches, allowance, limit):
    up, chart = 0.0, []
    for x in steps_of(labels, predictions, batches):
        up = max(0.0, up + x - allowance)
        chart.append(up)
    return chart, first(np.array(chart) > limit)


# %% cusum: one sum of absolute values
def cusum(labels, predictions, batches, allowance, limit):
    s, chart = 0.0, []
    for x in steps_of(labels, predictions, batches):
        s = max(0.0, s + abs(x) - allowance)
        chart.append(s)
    return chart, first(np.array(chart) > limit)


# %% cusum: batches are not standardised
def cusum(labels, predictions, batches, allowance, limit):
    _, place = np.unique(batches, return_inverse=True)
    up = down = 0.0
    chart = []
    for x in np.bincount(place, labels - predictions) / np.bincount(place):
        up, down = max(0.0, up + x - allowance), max(0.0, down - x - allowance)
        chart.append(max(up, down))
    return chart, first(np.array(chart) > limit)


# %% cusum: without the allowance
def cusum(labels, predictions, batches, allowance, limit):
    up = down = 0.0
    chart = []
    for x in steps_of(labels, predictions, batches):
        up, down = max(0.0, up + x), max(0.0, down - x)
        chart.append(max(up, down))
    return chart, first(np.array(chart) > limit + allowance)


# %% prior: the mean prediction is the new share
def new_base_rate(predictions, old):
    r = predictions.mean()
    odds = predictions / (1 - predictions) * r / (1 - r) * (1 - old) / old
    return r, odds / (1 + odds)


# %% prior: one step of the iteration
def new_base_rate(predictions, old):
    r = predictions.mean()
    odds = predictions / (1 - predictions) * r / (1 - r) * (1 - old) / old
    return np.mean(odds / (1 + odds)), odds / (1 + odds)


# %% prior: the share of predictions above one half
def new_base_rate(predictions, old):
    r = np.clip(np.mean(predictions > 0.5), 1e-6, 1 - 1e-6)
    odds = predictions / (1 - predictions) * r / (1 - r) * (1 - old) / old
    return r, odds / (1 + odds)


# %% prior: probabilities are multiplied, not odds
def new_base_rate(predictions, old):
    r = old
    for _ in range(300):
        odds = predictions / (1 - predictions) * r / (1 - r) * (1 - old) / old
        r = np.mean(odds / (1 + odds))
    return r, np.minimum(predictions * r / old, 1)


# %% prior: the old odds are not taken out
def new_base_rate(predictions, old):
    r = old
    for _ in range(300):
        odds = predictions / (1 - predictions) * r / (1 - r)
        r = np.clip(np.mean(odds / (1 + odds)), 1e-9, 1 - 1e-9)
    return r, odds / (1 + odds)


# %% drift: without a price for parameters
def what_changed(labels, predictions):
    return changes(labels, predictions, 0.0)


# %% drift: a price so high that nothing ever changes
def what_changed(labels, predictions):
    return changes(labels, predictions, len(labels))


# %% drift: the difference of the means in log odds
def what_changed(labels, predictions):
    _, line, chosen = changes(labels, predictions, np.log(len(labels)))
    o, e = labels.mean(), predictions.mean()
    return np.log(o / (1 - o)) - np.log(e / (1 - e)), line, chosen


# %% drift: a line in the probability
def what_changed(labels, predictions):
    c, _, chosen = changes(labels, predictions, np.log(len(labels)))
    b, a = np.polyfit(predictions, labels, 1)[::-1]
    return c, (a, b), chosen


# %% drift: slope and intercept are exchanged
def what_changed(labels, predictions):
    c, (a, b), chosen = changes(labels, predictions, np.log(len(labels)))
    return c, (b, a), chosen


# %% drift: the slope's change, not the slope
def what_changed(labels, predictions):
    c, (a, b), chosen = changes(labels, predictions, np.log(len(labels)))
    return c, (a - 1, b), chosen


# %% decide: the action that is best at the midpoint
def actions_on_interval(costs, p0, p1):
    p = (p0 + p1) / 2
    return free(at_ends(costs, p0, p1)), int(((1 - p) * costs[:, 0] + p * costs[:, 1]).argmin())


# %% decide: the smallest largest cost, not regret
def actions_on_interval(costs, p0, p1):
    ends = at_ends(costs, p0, p1)
    return free(ends), int(ends.max(axis=0).argmin())


# %% decide: undominated means best somewhere at an end
def actions_on_interval(costs, p0, p1):
    ends = at_ends(costs, p0, p1)
    regret = (ends - ends.min(axis=1, keepdims=True)).max(axis=0)
    return np.any(ends <= ends.min(axis=1, keepdims=True) + 1e-12, axis=0), int(regret.argmin())


# %% decide: equal actions dominate each other
def actions_on_interval(costs, p0, p1):
    ends = at_ends(costs, p0, p1)
    never = np.all(ends[:, :, None] <= ends[:, None, :] + 1e-12, axis=0)
    np.fill_diagonal(never, False)
    regret = (ends - ends.min(axis=1, keepdims=True)).max(axis=0)
    return ~np.any(never, axis=0), int(regret.argmin())


# %% decide: the columns of the labels are exchanged
def actions_on_interval(costs, p0, p1):
    ends = at_ends(costs[:, ::-1], p0, p1)
    regret = (ends - ends.min(axis=1, keepdims=True)).max(axis=0)
    return free(ends), int(regret.argmin())


# %% decide: dominated over all probabilities, not over the interval
def actions_on_interval(costs, p0, p1):
    ends = at_ends(costs, p0, p1)
    regret = (ends - ends.min(axis=1, keepdims=True)).max(axis=0)
    return free(costs.T), int(regret.argmin())


# %% agrees: zeros at the end are forgotten
def compare(printed, runs, paper_runs):
    digits = [len(f"{float(text):g}".partition(".")[2]) for text in printed]
    return compared(printed, runs, paper_runs, digits=digits)


# %% agrees: the standard error of our mean alone
def compare(printed, runs, paper_runs):
    error = np.std(runs, axis=1, ddof=1) / np.sqrt(runs.shape[1])
    return compared(printed, runs, paper_runs, error=error)


# %% agrees: the standard deviation of a run
def compare(printed, runs, paper_runs):
    return compared(printed, runs, paper_runs, error=np.std(runs, axis=1, ddof=1))


# %% agrees: rounding is not allowed for
def compare(printed, runs, paper_runs):
    return compared(printed, runs, paper_runs, halves=0.0)


# %% agrees: a whole unit of the last digit
def compare(printed, runs, paper_runs):
    return compared(printed, runs, paper_runs, halves=1.0)


# %% agrees: the standard deviation divides by the number of runs
def compare(printed, runs, paper_runs):
    error = np.std(runs, axis=1) * np.sqrt(1 / runs.shape[1] + 1 / paper_runs)
    return compared(printed, runs, paper_runs, error=error)


# %% judge: whatever agrees now is mended
def judge_reading(printed, half, base, error, reading, orders):
    return judged(printed, half, base, error, reading, orders, factor=1.0)


# %% judge: the reading itself is not counted
def judge_reading(printed, half, base, error, reading, orders):
    return judged(printed, half, base, error, reading, orders, plus=0)


# %% judge: spoilt numbers do not count in the p value
def judge_reading(printed, half, base, error, reading, orders):
    mended, spoiled, p = judged(printed, half, base, error, reading, orders, spoils=0)
    return mended, spoiled, p


# %% judge: numbers are exchanged, not moves
def judge_reading(printed, half, base, error, reading, orders):
    return judged(printed, half, base, error, reading, orders, moves=False)


# %% judge: rounding is not allowed for
def judge_reading(printed, half, base, error, reading, orders):
    return judged(printed, 0 * half, base, error, reading, orders)


# %% judge: one standard error
def judge_reading(printed, half, base, error, reading, orders):
    return judged(printed, half, base, error / 2, reading, orders)


# %% break_it: a calibrated forecaster
def blind_chart():
    return np.tile([0, 1], 500), np.full(1000, 0.5), np.repeat(np.arange(20), 50)


# %% break_it: the errors cancel over the batches, not within
def blind_chart():
    batches = np.repeat(np.arange(20), 50)
    return batches % 2, np.full(1000, 0.5), batches


# %% break_it: errors too small
def blind_chart():
    one = np.concatenate([np.arange(25) < 20, np.arange(25) < 5]).astype(int)
    predictions = np.repeat([0.9, 0.1], 25)
    return np.tile(one, 20), np.tile(predictions, 20), np.repeat(np.arange(20), 50)
