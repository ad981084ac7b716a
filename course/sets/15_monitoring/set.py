# Problem set 15. course/README.md explains the cells.

# %% text
r"""
# Problem set 15: monitoring, shift, decisions, and an audit

About four hours; one point stands for about six minutes.
Read *Does it last: a monitor* of the chapter *Measuring without bins*, *When only the base rate moves* of *Your own scores*, *When the rows arrive one by one* of *Two parameters or three*, *What each action costs* of *Two probabilities at work*, and *Rows of another population* of *A second benchmark* first.
The last three questions before "break it" are one exercise: you audit a paper by its printed tables, as the book has done with five.

After this set you can

1. monitor a forecaster without paying for every look, and say what a monitor is blind to;
2. tell how a population has shifted, and adjust probabilities to a new base rate;
3. decide between several actions when the probability is an interval;
4. audit a published table: what agrees, what explains the rest, and what chance would do.

Labels $z_i$ are 0 or 1; predictions lie strictly between 0 and 1; `batches[i]` is the number of the batch of row `i`, and rows are in order of time, so that numbers never fall.
You may use SciPy.
"""

# %% free
STUDENT = "nobody"  # write your student number here

# %% code
import kit
import numpy as np

# %% text
r"""
Do not change the tests, nor the cells that draw data: grading puts them back.
At grading each function also meets data that you have not seen.
"""

# %% question monitor, numerics, 4 points, goal 1
r"""
## A monitor by bets

Column $k$ of `rivals` has the probabilities of a rival forecaster, fixed before each label was seen.
A bet on rival $q$ multiplies the capital in each row by $\frac{q}{p}$ if the label is 1 and by $\frac{1 - q}{1 - p}$ if it is 0.
Begin with the capital 1, split equally among the rivals, and never move money between them. Return

- the logarithm of the whole capital after each batch, an array,
- the place (0, 1, ...) of the first batch after which the capital is at least $1/\alpha$, or $-1$ if there is none.

There may be thousands of rows.
"""


# %% answer
def betting_monitor(labels, predictions, rivals, batches, alpha=0.05):
    """Log capital after each batch, and the place of the first alarm or -1."""
    ### BEGIN SOLUTION
    z, p = np.asarray(labels)[:, None], predictions[:, None]
    logs = np.where(z == 1, np.log(rivals / p), np.log((1 - rivals) / (1 - p)))
    last = np.append(np.flatnonzero(np.diff(batches)), len(batches) - 1)
    each = np.cumsum(logs, axis=0)[last]
    capital = np.logaddexp.reduce(each, axis=1) - np.log(rivals.shape[1])
    alarms = np.flatnonzero(capital >= -np.log(alpha))
    return capital, int(alarms[0]) if len(alarms) else -1
    ### END SOLUTION


# %% test
_log, _alarm = betting_monitor(
    np.array([1, 1, 0]),
    np.array([0.5, 0.5, 0.5]),
    np.array([[0.9, 0.5], [0.75, 0.25], [0.5, 0.5]]),
    np.array([3, 3, 8]),
    alpha=0.7,
)
np.testing.assert_allclose(_log, [np.log((1.8 * 1.5 + 0.5) / 2)] * 2)
assert _alarm == 0
### BEGIN HIDDEN TESTS
_rng = kit.rng("monitor", STUDENT)
for _n, _K, _shift, _alpha in [(60, 3, 0.0, 0.05), (400, 2, 1.0, 0.01), (2500, 2, 5.0, 0.05)]:
    _p = _rng.uniform(0.1, 0.9, _n)
    _z = kit.draw_labels(kit.expit(kit.logit(_p) + _shift), _rng)
    _Q = kit.expit(kit.logit(_p)[:, None] + np.linspace(-0.5, _shift, _K))
    _b = np.sort(_rng.integers(0, 9, _n)) * 2
    _each, _expected, _at = [0.0] * _K, [], -1
    for _i in range(_n):
        for _k in range(_K):
            _ratio = _Q[_i, _k] / _p[_i] if _z[_i] else (1 - _Q[_i, _k]) / (1 - _p[_i])
            _each[_k] += np.log(_ratio)
        if _i + 1 == _n or _b[_i + 1] != _b[_i]:
            _top = max(_each)
            _expected.append(_top + np.log(sum(np.exp(e - _top) for e in _each) / _K))
            if _at < 0 and _expected[-1] >= -np.log(_alpha):
                _at = len(_expected) - 1
    _log, _alarm = betting_monitor(_z, _p, _Q, _b, alpha=_alpha)
    with part(2, "the capital"):
        np.testing.assert_allclose(_log, _expected, atol=1e-6)
    with part(2, "the alarm"):
        assert _alarm == _at
        assert betting_monitor(_z, _p, _p[:, None], _b, alpha=_alpha)[1] == -1, "no bet, no alarm"
### END HIDDEN TESTS

# %% hint
r"""
Add logarithms for each rival; the capital is the mean of the rivals' products, and `np.logaddexp.reduce` adds without leaving the logarithms.
"""

# %% question ville, theory, 4 points, goal 1
r"""
## Why one may look every day

Let $P(z_t = 1 \mid \text{past}) = p_t$, and let $q_t$ depend on the past only.

1. Show that the capital $E_t = \prod_{s \le t} (q_s/p_s)^{z_s} \bigl(\tfrac{1 - q_s}{1 - p_s}\bigr)^{1 - z_s}$ satisfies $\mathbb{E}[E_t \mid \text{past}] = E_{t-1}$. Where is it used that $q_t$ is fixed before $z_t$?
2. Let $\tau$ be the first time at which $E_t \ge 1/\alpha$, or $n$ if that does not happen before. Deduce from $\mathbb{E}\,E_\tau = 1$ that $P(\text{alarm by } n) \le \alpha$.
3. The labels have $P(z = 1 \mid \text{past}) = q_t$ in truth, $p = 0.5$ and $q = 0.6$ always. By how much does the log capital rise in a row, on average? After about how many rows is it $\log 20$? What does the same bet lose in a row, on average, if $p$ is right?
4. A colleague tests each month's rows by a test at the level 5 %, without correction, and has an alarm after 14 months. What is the probability of an alarm by then if nothing is wrong (independent months)? Name one thing that his monitor sees sooner than bets on the whole past, and one advantage of bets.
"""

# %% written
r"""
### BEGIN SOLUTION
1. Given the past the factor is $q_t/p_t$ with probability $p_t$ and $\frac{1-q_t}{1-p_t}$ with $1 - p_t$: its mean is $q_t + 1 - q_t = 1$, and $E_{t-1}$ is known. If $q_t$ could depend on $z_t$ (say $q_t = z_t$), the factor would be above 1 for both labels.
2. $1 = \mathbb{E}\,E_\tau \ge \frac1\alpha P(E_\tau \ge \frac1\alpha)$, as $E \ge 0$ (Markov).
3. $0.6 \log\frac{0.6}{0.5} + 0.4 \log\frac{0.4}{0.5} = 0.1094 - 0.0893 = 0.0201$. $\log 20 = 3.0$: about 149 rows. If $p$ is right: $0.5\log 1.2 + 0.5 \log 0.8 = -0.0204$ a row.
4. $1 - 0.95^{14} = 0.51$. He sees a large sudden change sooner, since old quiet months do not weigh against it (unless new bets begin with each batch). Bets keep 5 % for all looks together and for ever, need no plan of looks, and the richest rival says what is wrong.

**Rubric.** 1 point each part. Part 1 needs the mean of the factor and the remark; part 3 both rates and the number of rows (140 to 160); part 4 0.51 and both points.
### END SOLUTION
"""

# %% hint
r"""
Part 3: the mean of the logarithm of the factor is a Kullback-Leibler divergence.
"""

# %% question cusum, numerics, 3 points, goal 1
r"""
## A chart of sums

For batch $b$ let $x_b = \sum (z_i - p_i) \big/ \sqrt{\sum p_i (1 - p_i)}$ over its rows.
CUSUM keeps two sums that begin at 0,
$$U_b = \max(0,\; U_{b-1} + x_b - a), \qquad D_b = \max(0,\; D_{b-1} - x_b - a),$$
with the allowance $a$. Return $\max(U_b, D_b)$ for each batch, and the place of the first batch at which it exceeds `limit`, or $-1$.
"""


# %% answer
def cusum(labels, predictions, batches, allowance, limit):
    """The larger sum after each batch, and the place of the first alarm or -1."""
    ### BEGIN SOLUTION
    _, place = np.unique(batches, return_inverse=True)
    x = np.bincount(place, labels - predictions)
    x /= np.sqrt(np.bincount(place, predictions * (1 - predictions)))
    up = down = 0.0
    chart = []
    for step in x:
        up, down = max(0.0, up + step - allowance), max(0.0, down - step - allowance)
        chart.append(max(up, down))
    above = np.flatnonzero(np.array(chart) > limit)
    return np.array(chart), int(above[0]) if len(above) else -1
    ### END SOLUTION


# %% test
_z, _p, _b = np.array([1, 1, 1, 1, 0, 0]), np.full(6, 0.5), np.array([1, 1, 2, 2, 5, 5])
_chart, _alarm = cusum(_z, _p, _b, 0.5, 1.5)
_root = np.sqrt(2)
np.testing.assert_allclose(_chart, [_root - 0.5, 2 * _root - 1, _root - 0.5])
assert _alarm == 1
### BEGIN HIDDEN TESTS
_rng = kit.rng("cusum", STUDENT)
for _shift, _a, _limit in [(0.3, 0.5, 3.0), (-0.4, 0.25, 4.0), (0.0, 0.5, 99.0), (-1.0, 0.0, 0.5)]:
    _n = 300
    _p = _rng.uniform(0.1, 0.9, _n)
    _z = kit.draw_labels(kit.expit(kit.logit(_p) + _shift * (np.arange(_n) > 100)), _rng)
    _b = np.sort(_rng.integers(0, 12, _n)) * 3 - 7
    _sums, _expected = [0.0, 0.0], []
    for _k in sorted(set(_b.tolist())):
        _rows = [i for i in range(_n) if _b[i] == _k]
        _x = sum(_z[i] - _p[i] for i in _rows) / sum(_p[i] - _p[i] ** 2 for i in _rows) ** 0.5
        _sums = [max(0.0, s + sign * _x - _a) for s, sign in zip(_sums, [1, -1], strict=True)]
        _expected.append(max(_sums))
    _chart, _alarm = cusum(_z, _p, _b, _a, _limit)
    with part(2, "the chart"):
        np.testing.assert_allclose(_chart, _expected, atol=1e-7)
    with part(1, "the alarm"):
        assert _alarm == next((i for i, v in enumerate(_expected) if v > _limit), -1)
### END HIDDEN TESTS

# %% hint
r"""
Both sums go on for ever, whatever the other one does.
"""

# %% question prior, numerics, 3 points, goal 2
r"""
## A new base rate, without labels

`predictions` were right when a share `old` of the cases was positive. In the new population only this share has changed, to an unknown $r$ (within each class the cases are as before); there are predictions and no labels.
Then a new case has a likelihood proportional to $r \frac{p_i}{\text{old}} + (1 - r)\frac{1 - p_i}{1 - \text{old}}$.
Return the $r$ between 0 and 1 that makes all cases together most likely (errors below $10^{-4}$ are accepted), and the probabilities that are right for the new cases.
"""


# %% answer
def new_base_rate(predictions, old):
    """The new share of positives, and the adjusted probabilities."""
    ### BEGIN SOLUTION
    r = old
    for _ in range(20_000):
        odds = predictions / (1 - predictions) * r / (1 - r) * (1 - old) / old
        adjusted = odds / (1 + odds)
        before, r = r, adjusted.mean()
        if abs(r - before) < 1e-9:
            break
    return r, adjusted
    ### END SOLUTION


# %% test
_r, _adjusted = new_base_rate(np.array([0.2, 0.8]), 0.5)
np.testing.assert_allclose([_r, *_adjusted], [0.5, 0.2, 0.8], atol=1e-4)
_r, _adjusted = new_base_rate(np.array([0.2, 0.8, 0.8, 0.8]), 0.5)
np.testing.assert_allclose([_r, *_adjusted], [11 / 12, 11 / 15] + 3 * [44 / 45], atol=1e-3)
### BEGIN HIDDEN TESTS
from scipy.optimize import brentq as _brentq

_rng = kit.rng("prior", STUDENT)
for _old, _new in [(0.5, 0.2), (0.3, 0.6), (0.1, 0.12)]:
    _z = (_rng.random(500) < _new).astype(int)
    _l = _rng.normal(np.where(_z == 1, 1.5, -1.5), 1.7)
    _p = kit.expit(3 / 1.7**2 * _l + kit.logit(_old))

    def _slope(r, p=_p, old=_old):
        _a, _b = p / old, (1 - p) / (1 - old)
        return np.mean((_a - _b) / (r * _a + (1 - r) * _b))

    _best = _brentq(_slope, 1e-6, 1 - 1e-6)
    _r, _adjusted = new_base_rate(_p, _old)
    with part(2, "the share"):
        np.testing.assert_allclose(_r, _best, atol=2e-4)
    with part(1, "the probabilities"):
        _logit = kit.logit(_p) + kit.logit(_best) - kit.logit(_old)
        np.testing.assert_allclose(_adjusted, kit.expit(_logit), atol=1e-3)
### END HIDDEN TESTS

# %% hint
r"""
At the best $r$ the mean of the adjusted probabilities is $r$: adjust, take the mean, adjust again.
"""

# %% question drift, data, 4 points, goal 2
r"""
## What has changed?

New rows have labels. Three maps of the logit $\ell$ of the old prediction are compared by their log loss $L$ on these rows, added up:

- 0: nothing has changed, $\ell$ itself;
- 1: the base rate, $\ell + c$;
- 2: more than that, $a\ell + b$.

Return the best $c$, the best $a$ and $b$ (two numbers), and the number of the map with the smallest $2L + k \log n$, where $k$ is its number of free parameters.
Errors of the parameters below 0.001 are accepted. The classes overlap, so that all maxima exist.
Your data are drawn below: three streams. The test prints what you find in each.
"""


# %% code
def stream(name, student, slope, shift, n=500):
    """Labels and old predictions of new rows."""
    rng = kit.rng(name, student)
    logits = rng.normal(-0.5, 1.3, n)
    return kit.draw_labels(kit.expit(slope * logits + shift), rng), kit.expit(logits)


streams = {
    "as before": stream("drift one", STUDENT, 1.0, 0.0),
    "base rate": stream("drift two", STUDENT, 1.0, 0.7),
    "slope    ": stream("drift three", STUDENT, 0.5, 0.0),
}


# %% answer
def what_changed(labels, predictions):
    """The best c; the best a and b; and the number of the chosen map."""
    ### BEGIN SOLUTION
    logits = kit.logit(predictions)

    def fit(U, offset):
        theta = np.zeros(U.shape[1])
        for _ in range(50):
            p = kit.expit(offset + U @ theta)
            bend = U.T @ (U * (p * (1 - p))[:, None])
            theta = theta + np.linalg.solve(bend, U.T @ (labels - p))
        return theta

    def loss(s):
        return np.sum(np.logaddexp(0, s) - labels * s)

    one = np.ones((len(logits), 1))
    (c,), (da, b) = fit(one, logits), fit(np.column_stack([logits, one]), logits)
    fits = [logits, logits + c, (1 + da) * logits + b]
    costs = [2 * loss(s) + k * np.log(len(logits)) for k, s in enumerate(fits)]
    return c, (1 + da, b), int(np.argmin(costs))
    ### END SOLUTION


# %% test
_c, _line, _chosen = what_changed(
    np.array([1, 1, 0, 0] * 9), np.full(36, 0.2) + 0.01 * (np.arange(36) % 3)
)
assert 1.2 < _c < 1.5 and _chosen == 1
for _name, (_z, _p) in streams.items():
    _c, (_a, _b), _chosen = what_changed(_z, _p)
    print(f"{_name}: c {_c:+.2f}, a {_a:.2f}, b {_b:+.2f}, map {_chosen}")
### BEGIN HIDDEN TESTS
_rng = kit.rng("drift", STUDENT)
for _slope, _shift, _n in [(1.0, 0.0, 200), (1.0, 1.2, 300), (0.3, 0.1, 300), (1.4, -0.8, 150)]:
    _z, _p = stream(f"drift {_slope} {_shift}", STUDENT, _slope, _shift, n=_n)
    _l, _costs, _thetas = kit.logit(_p), [], []
    for _U in [np.zeros((_n, 0)), np.ones((_n, 1)), np.column_stack([_l, np.ones(_n)])]:
        _t = np.zeros(_U.shape[1])
        for _ in range(25):
            _q = kit.expit(_l + _U @ _t)
            _t = _t + np.linalg.solve((_U * (_q * (1 - _q))[:, None]).T @ _U, _U.T @ (_z - _q))
        _q = kit.expit(_l + _U @ _t)
        _costs.append(-2 * np.sum(np.log(np.where(_z == 1, _q, 1 - _q))) + len(_t) * np.log(_n))
        _thetas.append(_t)
    _c, _line, _chosen = what_changed(_z, _p)
    with part(1, "the base rate"):
        np.testing.assert_allclose(_c, _thetas[1][0], atol=0.002)
    with part(2, "the line"):
        np.testing.assert_allclose(_line, _thetas[2] + [1, 0], atol=0.002)
    with part(1, "the choice"):
        assert _costs[_chosen] <= min(_costs) + 1e-4
### END HIDDEN TESTS

# %% hint
r"""
Newton's method, or `scipy.optimize.minimize`. The best $c$ makes the mean of the new probabilities the fraction of positives.
"""

# %% question decide, numerics, 4 points, goal 3
r"""
## An interval, and several actions

Action $j$ costs `costs[j, 0]` if the label is 0 and `costs[j, 1]` if it is 1; its expected cost at the probability $p$ is $c_j(p) = (1 - p)\,\text{costs}[j, 0] + p\,\text{costs}[j, 1]$.
The probability is somewhere in $[p_0, p_1]$. Return

- for each action whether it is *undominated*: no other action is at most as dear everywhere in the interval, and cheaper somewhere in it (an array of booleans),
- the number of the action whose largest regret in the interval, $\max_p \bigl(c_j(p) - \min_k c_k(p)\bigr)$, is smallest.
"""


# %% answer
def actions_on_interval(costs, p0, p1):
    """Which actions are undominated, and the number of the one with the smallest regret."""
    ### BEGIN SOLUTION
    ends = np.array([[1 - p0, p0], [1 - p1, p1]]) @ np.asarray(costs, dtype=float).T
    never_dearer = np.all(ends[:, :, None] <= ends[:, None, :] + 1e-12, axis=0)
    cheaper = np.any(ends[:, :, None] < ends[:, None, :] - 1e-12, axis=0)
    dominated = np.any(never_dearer & cheaper, axis=0)
    regret = (ends - ends.min(axis=1, keepdims=True)).max(axis=0)
    return ~dominated, int(regret.argmin())
    ### END SOLUTION


# %% test
_costs = np.array([[0.0, 8.0], [2.0, 1.0], [1.0, 3.0]])  # leave, act, refer
_undominated, _best = actions_on_interval(_costs, 0.125, 0.375)
np.testing.assert_array_equal(_undominated, [True, True, True])
assert _best == 2
_undominated, _best = actions_on_interval(_costs, 0.5, 0.75)
np.testing.assert_array_equal(_undominated, [False, True, False])
### BEGIN HIDDEN TESTS
_rng = kit.rng("decide", STUDENT)
_cases = [
    (np.array([[1.0, 1.0], [1.0, 1.0], [0.0, 4.0]]), 0.0, 0.5),  # equal actions, and a tie
    (np.array([[0.0, 10.0], [6.0, 6.0], [20.0, 0.0]]), 0.0, 1.0),  # the midpoint misleads
    (np.array([[0.0, 10.0], [10.0, 0.0], [4.9, 5.0]]), 0.0, 1.0),  # best in the middle only
    (np.array([[0.0, 10.0], [9.0, 9.5]]), 0.0, 1.0),  # the largest cost misleads
]
for _A in [2, 4, 6, 6]:
    _p0, _p1 = np.sort(_rng.integers(0, 17, 2)) / 16
    _cases.append((_rng.integers(0, 13, (_A, 2)) * 1.0, _p0, _p1))
for _costs, _p0, _p1 in _cases:
    _at = np.linspace(_p0, _p1, 65)
    _c = np.outer(1 - _at, _costs[:, 0]) + np.outer(_at, _costs[:, 1])
    _A = range(len(_costs))
    _expected = [
        not any(
            np.all(_c[:, k] <= _c[:, j] + 1e-9) and np.any(_c[:, k] < _c[:, j] - 1e-9) for k in _A
        )
        for j in _A
    ]
    _regret = (_c - _c.min(axis=1, keepdims=True)).max(axis=0)
    _undominated, _best = actions_on_interval(_costs, _p0, _p1)
    with part(2, "undominated"):
        np.testing.assert_array_equal(np.asarray(_undominated, dtype=bool), _expected)
    with part(2, "the smallest regret"):
        assert _regret[int(_best)] <= _regret.min() + 1e-9
### END HIDDEN TESTS

# %% hint
r"""
Costs are lines, so it is enough to compare at the two ends; the regret is a line less the smallest of several lines.
"""

# %% question ends, theory, 4 points, goal 3
r"""
## Why the ends are enough

1. Show that action $k$ is nowhere dearer than $j$ in $[p_0, p_1]$ if it is not at either end, and that the regret of an action is largest at an end.
2. Of two actions let $c_1(p) - c_2(p) = w(t - p)$ with $w > 0$: the second is cheaper below $t$. Show that the first has the smaller largest regret, among these two, if and only if $\frac{p_0 + p_1}{2} > t$.
3. Leave, act and refer cost 0, 2, 1 if the label is 0 and 8, 1, 3 if it is 1. Compute the regrets of the three at the ends of $[\frac18, \frac38]$, and the best action by regret. Which action is best at the midpoint? For three actions the two rules need not agree, in spite of part 2: find costs at the two ends for which they do not.
4. A monitor has found that the base rate may have risen, so that a probability of 0.2 now lies between 0.2 and 0.4. "As long as we do not know, we go on as before." What does this decision amount to, and what would you do with the interval?
"""

# %% written
r"""
### BEGIN SOLUTION
1. $c_k - c_j$ is a line in $p$; a line that is at most 0 at both ends is so between them. The regret $c_j - \min_k c_k = \max_k (c_j - c_k)$ is a maximum of lines, so convex, and a convex function on an interval is largest at an end.
2. If $t \le p_0$ the first is best all over, and the midpoint is above $t$ (or the interval is the point $t$); similarly $t \ge p_1$. Else the first has regret only below $t$, at most $w(t - p_0)$, and the second only above, at most $w(p_1 - t)$. $t - p_0 < p_1 - t$ means $t < \frac{p_0 + p_1}{2}$.
3. At $\frac18$: 1, 1.875, 1.25, regrets 0, 0.875, 0.25. At $\frac38$: 3, 1.625, 1.75, regrets 1.375, 0, 0.125. Largest: 1.375, 0.875, 0.25: refer. At the midpoint $\frac14$: 2, 1.75, 1.5: refer, too. Let the costs at the two ends be 0 and 10, 6 and 6, 20 and 0. At the midpoint the first is best (5), but its largest regret is 10, and that of the second 6: a third action makes the regret of the first larger.
4. It uses $p_0 = 0.2$ as if it were known: the action that is best there, and it has a regret at 0.4. Compute costs at both ends: if one action is undominated, take it whatever the truth is; else take the one with the smallest largest regret, or pay for labels or for referral, whose cost one can compare with that regret.

**Rubric.** 1 point each part. Part 1 needs both; part 2 the two largest regrets; part 3 the regrets, "refer", and an example (half a point without); part 4 both ends.
### END SOLUTION
"""

# %% text
r"""
## An audit

A new paper prints a table of 60 numbers, each to a few digits. You have run its experiment again: `base` are your numbers by what the text says, and `error` their standard errors (of the difference from what the paper should print). The text leaves things open, so you also ran other *readings*.
The rules are those of the book's ledger. Let $h$ be half a unit of the last printed digit.

- The *gap* of a number of yours to a printed one is what is left of their distance beyond the rounding, $\max(0, \lvert \text{ours} - \text{printed} \rvert - h)$.
- Your number *agrees* if its gap is at most two standard errors.
- A reading *mends* a number that did not agree if it agrees now (by the same standard error) and its gap is at most half of what it was; it *spoils* a number that agreed and does not any more.

The next three questions are about such tables.
"""

# %% question agrees, numerics, 3 points, goal 4
r"""
## What agrees

`runs` has a row for each printed number, your $m$ repetitions; the paper's number is the mean of `paper_runs` repetitions of its own, of the same spread.
Your number is the mean $\bar x$ of the row, and the standard error of the difference is $s\sqrt{\frac1m + \frac{1}{\text{paper\_runs}}}$ with the standard deviation $s$ of the row (`ddof=1`).
`printed` are texts, such as `"0.30"` or `"12.5"`: the digits that are printed say how it was rounded.
Return the gaps in standard errors with the sign of $\bar x - \text{printed}$ (0 if there is no gap), and which numbers agree (an array of booleans).
"""


# %% answer
def compare(printed, runs, paper_runs):
    """Signed gaps in standard errors, and which numbers agree."""
    ### BEGIN SOLUTION
    values = np.array([float(text) for text in printed])
    digits = np.array([len(text.partition(".")[2]) for text in printed])
    half = 0.5 * 10.0**-digits
    mean = runs.mean(axis=1)
    error = np.std(runs, axis=1, ddof=1) * np.sqrt(1 / runs.shape[1] + 1 / paper_runs)
    gap = np.maximum(0, np.abs(mean - values) - half - 1e-12)
    scaled = np.sign(mean - values) * gap / error
    return scaled, np.abs(scaled) <= 2
    ### END SOLUTION


# %% test
_runs = np.array([[0.29, 0.31], [0.38, 0.42], [11.0, 13.0]])
_gaps, _agree = compare(["0.30", "0.30", "7"], _runs, 1)
_two = [np.std(row, ddof=1) * 1.5**0.5 for row in _runs]
np.testing.assert_allclose(_gaps, [0, 0.095 / _two[1], 4.5 / _two[2]], atol=1e-6)
np.testing.assert_array_equal(_agree, [True, False, False])
### BEGIN HIDDEN TESTS
_rng = kit.rng("agrees", STUDENT)
for _m, _k in [(10, 1), (5, 10), (20, 100)]:
    _digits = _rng.integers(0, 4, 40)
    _digits[:3] = [2, 0, 3]
    _truth = _rng.uniform(0.2, 9, 40)
    _spread = _rng.choice([0.01, 0.1, 0.5], 40)
    _R = _truth[:, None] + _spread[:, None] * _rng.normal(size=(40, _m))
    _shown = _truth + _spread * _rng.normal(0, 2, 40)
    _text = [f"{x:.{d}f}" for x, d in zip(_shown, _digits, strict=True)]
    _text[0], _text[1] = "0.30", "4"
    _expected = []
    for _row, _t, _d in zip(_R, _text, _digits, strict=True):
        _se = np.std(_row, ddof=1) * (1 / _m + 1 / _k) ** 0.5
        _far = np.mean(_row) - float(_t)
        _beyond = max(0.0, abs(_far) - 0.5 / 10.0 ** float(_d))
        _expected.append(np.sign(_far) * _beyond / _se)
    _gaps, _agree = compare(_text, _R, _k)
    with part(2, "the gaps"):
        np.testing.assert_allclose(_gaps, _expected, atol=1e-6)
    with part(1, "what agrees"):
        np.testing.assert_array_equal(np.asarray(_agree, dtype=bool), np.abs(_expected) <= 2)
### END HIDDEN TESTS

# %% hint
r"""
`"0.30"` was rounded to two digits, although `float("0.30")` does not remember it.
"""

# %% question judge, data, 4 points, goal 4
r"""
## Does a reading explain anything?

A reading may mend numbers by chance: whatever moves numbers about brings some of them near the print. So its *moves*, `reading - base`, are given to other rows, in each of the orders of `orders`: under order $o$ row $i$ of the table has the number `base[i] + (reading - base)[o[i]]`.
Return how many numbers the reading mends, how many it spoils, and the p value
$$\frac{1 + \#\{o : \text{mended} - \text{spoiled under } o \ge \text{mended} - \text{spoiled of the reading}\}}{1 + \text{number of orders}}.$$
`half` is $h$ for each number.

Your paper is drawn below, with three readings; one of them is what its authors did. The test prints your verdict on each.
"""


# %% code
def new_paper(name, student, n=60, orders=199):
    """Printed numbers, h, base numbers, standard errors, three readings, and orders."""
    rng = kit.rng(name, student)
    base = rng.uniform(0.1, 0.5, n)
    error = rng.uniform(0.004, 0.012, n)
    readings = base + np.where(rng.random((3, n)) < 0.7, rng.normal(0, 0.05, (3, n)), 0)
    readings[1] = base * rng.uniform(0.85, 0.95)
    done = rng.integers(0, 3)
    printed = np.round(readings[done] + rng.normal(0, 1, n) * error, 2)
    printed[rng.integers(0, n, 3)] += 0.1  # slips of the authors
    order = np.array([rng.permutation(n) for _ in range(orders)])
    return printed, np.full(n, 0.005), base, error, readings, order


printed, half, base, error, readings, orders = new_paper("judge", STUDENT)


# %% answer
def judge_reading(printed, half, base, error, reading, orders):
    """Numbers mended, numbers spoiled, and the p value."""

    ### BEGIN SOLUTION
    def gap(ours):
        return np.maximum(0, np.abs(ours - printed) - half - 1e-12)

    first = gap(base)
    agreed = first <= 2 * error

    def counts(ours):
        new = gap(ours)
        agrees = new <= 2 * error
        mended = ~agreed & agrees & (new <= first / 2)
        return mended.sum(), (agreed & ~agrees).sum()

    mended, spoiled = counts(reading)
    gains = [np.subtract(*counts(base + (reading - base)[order])) for order in orders]
    as_good = np.sum(np.array(gains) >= int(mended) - int(spoiled))
    return int(mended), int(spoiled), (1 + as_good) / (1 + len(orders))
    ### END SOLUTION


# %% test
_found = judge_reading(
    np.array([0.3, 0.5, 0.7]),
    np.full(3, 0.05),
    np.array([0.2, 0.5, 0.3]),
    np.array([0.02, 0.02, 0.2]),
    np.array([0.3, 0.8, 0.3]),
    np.array([[0, 1, 2], [2, 1, 0], [1, 0, 2]]),
)
np.testing.assert_allclose(_found, [1, 1, 2 / 4])
for _k in range(3):
    _mended, _spoiled, _value = judge_reading(printed, half, base, error, readings[_k], orders)
    print(f"reading {_k}: mends {_mended}, spoils {_spoiled}, p {_value:.3f}")
### BEGIN HIDDEN TESTS
for _name in ["judge again", "judge more"]:
    _printed, _half, _base, _error, _readings, _orders = new_paper(_name, STUDENT, n=40, orders=25)
    _base[:12] = _printed[:12] + _error[:12] * np.linspace(2.2, 3.2, 12) + _half[:12]
    _readings[0][:6] = _printed[:6] + 1.9 * _error[:6] + _half[:6]  # near enough, not half as far
    _readings[0][6:12] = _printed[6:12] + 0.9 * _error[6:12] + _half[6:12]

    def _counts(ours, p=_printed, h=_half, b=_base, e=_error):
        _mended = _spoiled = 0
        for _x, _p, _h, _b, _e in zip(ours, p, h, b, e, strict=True):
            _new, _was = (max(0.0, abs(y - _p) - _h) for y in (_x, _b))
            _mended += _was > 2 * _e and _new <= 2 * _e and _new <= _was / 2
            _spoiled += _was <= 2 * _e < _new
        return _mended, _spoiled

    for _reading in _readings:
        _mended, _spoiled = _counts(_reading)
        _as_good = 0
        for _order in _orders:
            _m, _s = _counts(_base + (_reading - _base)[_order])
            _as_good += _m - _s >= _mended - _spoiled
        _found = judge_reading(_printed, _half, _base, _error, _reading, _orders)
        with part(2, "mended and spoiled"):
            assert tuple(_found[:2]) == (_mended, _spoiled)
        with part(2, "the p value"):
            np.testing.assert_allclose(_found[2], (1 + _as_good) / 26, atol=1e-9)
### END HIDDEN TESTS

# %% hint
r"""
Write a function that counts for any numbers in the place of `reading`, and apply it to each order. In the example the order that exchanges the first and the last row mends nothing.
"""

# %% question audit, reading, 4 points, goal 4
r"""
## The report of an audit

Your audit of a paper with 60 printed numbers found:

- By what the text says 21 numbers agree. If printed numbers are compared with yours of *wrong* rows, 14 of 60 agree on average.
- Reading A (equal predictions sorted by label): mends 24, spoils 2, p = 0.002.
- Reading B (ten groups instead of fifteen): mends 9, spoils 8, p = 0.31.
- Reading C (scores divided by 1.37, the factor that brings most numbers near the print): mends 30, spoils 0, p = 0.001.
- Reading D (the test rows scaled with their own mean): mends 5, spoils 1, p = 0.03.
- Under A 43 numbers agree or are mended, and 17 are neither.

The paper claims: "Our method is best on 7 of 8 data sets." In your runs under A it is best on 5, and on 4 of these 5 the difference to the second is within two standard errors.

1. "21 of 60 numbers were reproduced, 35 %." Judge the sentence with the baseline. What share of what could be settled is settled?
2. Which readings do you accept, if four were tried and the level is 0.05 together? Say for B and D what you write about them.
3. What is the status of C? How could it become an explanation?
4. Write the conclusion of the audit in three or four sentences: on the table, on the 17 numbers, on the claim. Which word do you avoid for the 17, and why?
"""

# %% written
r"""
### BEGIN SOLUTION
1. 14 would agree with numbers that have nothing to do with them (rounding and wide standard errors make it easy), so only 7 of the 46 that a baseline leaves open, 15 %, are reproduced beyond it.
2. $0.05/4 = 0.0125$: A passes (and C by its p value). B spoils nearly as many as it mends and is what shuffled moves do as well: no evidence that ten groups were used, nor that they were not. D does not pass after allowing for four tries: "may be, not shown".
3. It is tuned: its factor was chosen by the printed numbers, so mending them is what it was made for, and its p value does not count that search. It may be reported as "fits, tuned". It becomes an explanation if the factor follows from something said elsewhere, or if it mends numbers of another table, or of the half of the rows that did not choose it.
4. For instance: "The table agrees with the experiment as described in 21 of 60 numbers, hardly more than wrong rows do. If equal predictions are sorted by label, 43 of 60 are settled; this one choice explains most differences, and chance is an unlikely reason (p = 0.002). Seventeen numbers we cannot explain by any reading that we tried. That the method is best on 7 of 8 data sets did not come out: in our runs it is best on five, clearly on one." Avoid "wrong" (or "error"): not explained means that the cause is unknown, and it may be ours.

**Rubric.** 1 point each part. Part 1 uses 14; part 2 the correction and A; part 3 "tuned" and a test on other numbers; part 4 all three topics without "wrong".
### END SOLUTION
"""

# %% question break_it, break it, 3 points, goal 1
r"""
## Break it: a chart that sees nothing

Find labels, predictions and batches, 10 to 40 batches of 20 to 100 rows each, such that the chart of sums never moves, $\lvert x_b \rvert \le 0.5$ in every batch, although the forecaster is far off: replacing each prediction by the fraction of positives among all rows with this prediction lowers the Brier score by 0.05 or more.
Every prediction occurs in at least 100 rows, and lies between 0.05 and 0.95.
"""


# %% answer
def blind_chart():
    """Labels, predictions and batches."""
    ### BEGIN SOLUTION
    one = np.concatenate([np.arange(25) < 15, np.arange(25) < 10]).astype(int)
    predictions = np.repeat([0.9, 0.1], 25)
    return np.tile(one, 20), np.tile(predictions, 20), np.repeat(np.arange(20), 50)
    ### END SOLUTION


# %% test
_z, _p, _b = (np.asarray(a) for a in blind_chart())
assert _z.shape == _p.shape == _b.shape
assert set(np.unique(_z)) <= {0, 1} and np.all((0.05 <= _p) & (_p <= 0.95))
_sizes = np.unique(_b, return_counts=True)[1]
assert 10 <= len(_sizes) <= 40 and np.all((20 <= _sizes) & (_sizes <= 100)), "batches"
### BEGIN HIDDEN TESTS
_place = np.unique(_b, return_inverse=True)[1]
_x = np.bincount(_place, _z - _p) / np.sqrt(np.bincount(_place, _p * (1 - _p)))
assert np.abs(_x).max() <= 0.5 + 1e-9, f"a batch has x = {np.abs(_x).max():.2f}"
_, _value, _counts = np.unique(_p, return_inverse=True, return_counts=True)
assert _counts.min() >= 100, "a prediction occurs in fewer than 100 rows"
_o = (np.bincount(_value, _z) / _counts)[_value]
_gain = np.mean((_z - _p) ** 2) - np.mean((_z - _o) ** 2)
assert _gain >= 0.05 - 1e-9, f"the Brier score falls by {_gain:.3f} only"
### END HIDDEN TESTS

# %% hint
r"""
Too high in one place, too low in another, in every batch alike.
"""
