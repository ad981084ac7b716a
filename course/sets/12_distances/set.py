# Problem set 12. course/README.md explains the cells.

# %% text
r"""
# Problem set 12: distances and guarantees

About four hours; one point stands for about six minutes.
Read *Why the ECE jumps*, *Three distances* and *One path* of the chapter *Distances to calibration*, and *Every point used twice*, *The exact binomial instead of Hoeffding*, *How many bins: minimum risk* and *What no method can promise* of *What can be promised without assumptions* first.

After this set you can

1. say how far a forecaster is from a calibrated one, by distances that do not jump;
2. give a guarantee that holds for every distribution, and check it;
3. choose the number of bins, and say what no method can promise;
4. judge claims of guarantees.

Labels are 0 or 1; `predictions` are probabilities of label 1, arrays of one length $n$.
$\operatorname{ECE}^* = \mathbb{E}\,\lvert P(z = 1 \mid p) - p \rvert$ is the error of single values, without groups.
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

# %% question smooth, numerics, 4 points, goal 1
r"""
## The best witness

A witness is a function $w$ of the prediction with $\lvert w \rvert \le 1$ and $\lvert w(p) - w(q) \rvert \le \lvert p - q \rvert$.
The smooth calibration error is the largest $\frac1n \sum_i w(p_i)(z_i - p_i)$ of any witness.
Return it, and the values of a best witness at the distinct predictions, in increasing order.
Errors below $10^{-6}$ are accepted.
"""


# %% answer
def smooth_error(labels, predictions):
    """The smooth calibration error, and the witness at the distinct predictions."""
    ### BEGIN SOLUTION
    from scipy.optimize import linprog

    values, place = np.unique(predictions, return_inverse=True)
    residuals = np.bincount(place, labels - predictions) / len(labels)
    steps = np.diff(np.eye(len(values)), axis=0)
    found = linprog(
        -residuals,
        A_ub=np.vstack([steps, -steps]) if len(values) > 1 else None,
        b_ub=np.tile(np.diff(values), 2) if len(values) > 1 else None,
        bounds=(-1, 1),
    )
    return -found.fun, found.x
    ### END SOLUTION


# %% test
_error, _w = smooth_error(np.array([1, 0, 1]), np.array([0.25, 0.25, 0.25]))
np.testing.assert_allclose([_error, *_w], [5 / 12, 1], atol=1e-6)
_error, _w = smooth_error(np.array([1, 0]), np.array([0.4, 0.6]))
np.testing.assert_allclose(_error, 0.06, atol=1e-6)
### BEGIN HIDDEN TESTS
from scipy.optimize import linprog as _linprog

_rng = kit.rng("smooth", STUDENT)
for _n, _slope, _bias in [(30, 0.4, 0.0), (25, 2.0, 0.1), (40, -0.5, 0.0), (3, 1.0, 0.0)]:
    _p = np.round(_rng.uniform(0.05, 0.95, _n), 2)
    _z = kit.draw_labels(np.clip(0.5 + _slope * (_p - 0.5) + _bias, 0, 1), _rng)
    _values = np.unique(_p)
    _r = np.array([np.sum((_z - _p)[_p == v]) for v in _values]) / _n
    # the dual: what is carried from one value to the next, and what is thrown away
    _k = len(_values)
    _carry = np.vstack([np.eye(_k - 1), np.zeros(_k - 1)]) - np.vstack(
        [np.zeros(_k - 1), np.eye(_k - 1)]
    )
    _matrix = np.hstack([_carry, -_carry, np.eye(_k), -np.eye(_k)])
    _cost = np.concatenate([np.tile(np.diff(_values), 2), np.ones(2 * _k)])
    _best = _linprog(_cost, A_eq=_matrix, b_eq=_r).fun
    _error, _w = smooth_error(_z, _p)
    with part(2, "the error"):
        np.testing.assert_allclose(_error, _best, atol=2e-6)
    with part(2, "the witness"):
        _w = np.asarray(_w, dtype=float)
        assert _w.shape == _values.shape
        assert np.all(np.abs(_w) <= 1 + 1e-5), "a witness lies between -1 and 1"
        assert np.all(np.abs(np.diff(_w)) <= np.diff(_values) + 1e-5), "the witness is too steep"
        assert _w @ _r >= _best - 1e-5, "there is a better witness"
### END HIDDEN TESTS

# %% hint
r"""
A linear program: one unknown for each distinct prediction. Differences of neighbours are enough, as the other ones follow. `scipy.optimize.linprog` minimises.
"""

# %% question upper, numerics, 4 points, goal 1
r"""
## The nearest calibrated function of the prediction

The distinct predictions are $s_1, \dots, s_K$, with the share $a_i$ of all cases positive and $b_i$ negative at $s_i$, all shares together 1.
A calibrated function $v$ of the prediction puts the values into classes (not necessarily of neighbours); in each class $v$ is the fraction of positives of the class.
Return the upper distance, the smallest $\sum_i (a_i + b_i)\,\lvert s_i - v(s_i) \rvert$ of all of them.
There are at most seven values.
"""


# %% answer
def upper_distance(values, positives, negatives):
    """The upper distance; positives and negatives are shares of all cases."""

    ### BEGIN SOLUTION
    def partitions(rest):
        if not rest:
            yield []
            return
        first, others = rest[0], rest[1:]
        for smaller in partitions(others):
            yield [[first], *smaller]
            for i, block in enumerate(smaller):
                yield [*smaller[:i], [first, *block], *smaller[i + 1 :]]

    mass = positives + negatives

    def cost(block):
        v = positives[block].sum() / mass[block].sum()
        return mass[block] @ np.abs(values[block] - v)

    return min(sum(map(cost, blocks)) for blocks in partitions(list(range(len(values)))))
    ### END SOLUTION


# %% test
_swap = np.array([0.45, 0.55]), np.array([0.275, 0.225]), np.array([0.225, 0.275])
np.testing.assert_allclose(upper_distance(*_swap), 0.05, atol=1e-9)
np.testing.assert_allclose(
    upper_distance(np.array([0.7]), np.array([0.6]), np.array([0.4])), 0.1, atol=1e-9
)
### BEGIN HIDDEN TESTS
from itertools import product as _product

_rng = kit.rng("upper", STUDENT)
_cases = [(np.array([0.2, 0.5, 0.8]), np.array([0.15, 0.2, 0.15]), np.array([0.15, 0.2, 0.15]))]
# here the first and the last belong together, and the one between stands alone
_cases.append(
    (np.array([0.45, 0.52, 0.55]), np.array([0.18, 0.208, 0.12]), np.array([0.12, 0.192, 0.18]))
)
for _K in [2, 4, 5]:
    _s = np.sort(_rng.choice(np.arange(1, 20), _K, replace=False)) / 20
    _mass = _rng.dirichlet(np.full(_K, 3.0))
    _up = _mass * np.clip(_s + _rng.choice([-0.25, 0.25], _K), 0, 1)
    _cases.append((_s, _up, _mass - _up))
for _s, _up, _down in _cases:
    _best = 1.0
    for _names in _product(*(range(i + 1) for i in range(len(_s)))):
        _names, _total = np.array(_names), 0.0
        for _name in set(_names.tolist()):
            _rows = _names == _name
            _v = _up[_rows].sum() / (_up + _down)[_rows].sum()
            _total += (_up + _down)[_rows] @ np.abs(_s[_rows] - _v)
        _best = min(_best, _total)
    np.testing.assert_allclose(upper_distance(_s, _up, _down), _best, atol=1e-9)
### END HIDDEN TESTS

# %% hint
r"""
Give each value the name of a class, in all ways (`itertools.product`); several names for one partition do no harm.
"""

# %% question jumps, theory, 4 points, goal 1
r"""
## What jumps, and what does not

1. A forecaster says $\frac12$ to everybody, and half are positive. Now the prediction is $\frac12 - 10^{-6}$ for the positives and $\frac12 + 10^{-6}$ for the negatives. Find $\operatorname{ECE}^*$, the Kuiper error (the range of $C(t) = \mathbb{E}(z-p)1\{p \le t\}$, with 0 included) and the smooth calibration error before and after. (For predictions that are right on average the last is $\int \lvert C(t) \rvert\,dt$.)
2. Show that the smooth calibration error is at most $2\,\mathbb{E}\lvert p - v \rvert$ for every calibrated $v$, $\mathbb{E}[z \mid v] = v$, on the same cases.
3. Half of the cases have $p = 0.45$ and 55 % positives, half have $p = 0.55$ and 45 % positives. For a calibrated $v$ that may look at labels, move positives that are 5 % of all cases from 0.45 up to 0.55, and negatives that are 5 % of all cases from 0.55 down to 0.45. Verify that $v$ is calibrated, and compute $\mathbb{E}\lvert p - v\rvert$. Compare with $\operatorname{ECE}^*$ and with the best function of $p$.
4. One user decides at the threshold 0.5, another one compares two models whose predictions were rounded to three digits. Which of the three numbers of part 1 do you report to whom, and why?
"""

# %% written
r"""
### BEGIN SOLUTION
1. Before all three are 0. After: each value tells the label, so $\operatorname{ECE}^* = \frac12 + 10^{-6}$. $C$ rises to $\frac12(\frac12 + 10^{-6}) \approx 0.25$ between the two values and returns to 0: Kuiper error 0.25. The area is $0.25 \cdot 2 \cdot 10^{-6} = 5 \cdot 10^{-7}$.
2. For a witness $w$: $\mathbb{E}\,w(p)(z - p) = \mathbb{E}\,w(p)(z - v) + \mathbb{E}\,w(p)(v - p)$. The second term is at most $\mathbb{E}\lvert v - p\rvert$. In the first subtract $\mathbb{E}\,w(v)(z - v) = 0$: $\mathbb{E}\,(w(p) - w(v))(z - v) \le \mathbb{E}\lvert p - v \rvert$, as $\lvert z - v\rvert \le 1$.
3. At 0.45 there remain $0.5 - 0.05 + 0.05 = 0.5$ of the cases, with positives $0.275 - 0.05 = 0.225$: 45 %. At 0.55: $0.225 + 0.05 = 0.275$ of $0.5$: 55 %. One case in ten moves by 0.1: 0.01. $\operatorname{ECE}^* = 0.1$, and the best function of $p$ merges both to $\frac12$: 0.05.
4. The first: the Kuiper error (or the regret at 0.5) sees that just above 0.5 there are negatives only, and a decision at 0.5 is wrong for everybody it acts on. The second: the smooth error, which a rounding by 0.0005 changes by about as little; $\operatorname{ECE}^*$ and also the Kuiper error may change as much as they like when ties appear or vanish.

**Rubric.** 1 point each part. Part 1 needs all three numbers after the change; part 2 the step with $w(v)$; part 3 calibration and 0.01, 0.1, 0.05; part 4 a reason for each.
### END SOLUTION
"""

# %% hint
r"""
For part 2 write $z - p = (z - v) + (v - p)$, and use that $z - v$ is uncorrelated with every function of $v$.
"""

# %% question dipping, numerics, 4 points, goal 2
r"""
## Bins that use every point twice

Histogram binning without splitting: `ties[j]` is a random number for case $j$, all different. Sort the $N$ cases by score, equal scores by `ties`.
The cases of rank $r_i = \lfloor i(N+1)/B \rfloor$, $i = 1, \dots, B - 1$ (ranks begin with 1), are the cuts and are *not counted*. The first bin holds the cases before the first cut, the last one those behind the last, every other bin those between two cuts.
Return the scores of the $B - 1$ cuts, the $B$ fractions of positives, and the guarantee
$$\varepsilon = \sqrt{\frac{\log(2B/\delta)}{2\,(\lfloor N/B \rfloor - 1)}},$$
which holds in all bins at once with probability $1 - \delta$ for every distribution. $N \ge 2B$.
"""


# %% answer
def bins_without_splitting(scores, labels, ties, B, delta=0.1):
    """Scores of the cuts, fractions of the bins, and the guarantee."""
    ### BEGIN SOLUTION
    N = len(scores)
    order = np.lexsort([ties, scores])
    cuts = np.arange(1, B) * (N + 1) // B
    ends = np.concatenate([[0], cuts, [N + 1]])
    fractions = [labels[order[a : b - 1]].mean() for a, b in zip(ends, ends[1:], strict=False)]
    guarantee = np.sqrt(np.log(2 * B / delta) / (2 * (N // B - 1)))
    return scores[order[cuts - 1]], np.array(fractions), guarantee
    ### END SOLUTION


# %% test
_found = bins_without_splitting(
    np.array([4.0, 1, 2, 2, 5]), np.array([1, 1, 0, 1, 0]), np.array([0.1, 0.2, 0.9, 0.3, 0.5]), 2
)
np.testing.assert_allclose(_found[0], [2])
np.testing.assert_allclose(_found[1], [1, 0.5])
np.testing.assert_allclose(_found[2], np.sqrt(np.log(40) / 2))
### BEGIN HIDDEN TESTS
_rng = kit.rng("dipping", STUDENT)
for _N, _B, _delta in [(40, 4, 0.1), (61, 7, 0.05), (30, 1, 0.2), (23, 5, 0.01)]:
    _s = np.round(_rng.normal(size=_N), 1)
    _z, _ties = kit.draw_labels(kit.expit(_s), _rng), _rng.random(_N)
    _rows = sorted(range(_N), key=lambda i, s=_s, t=_ties: (s[i], t[i]))
    _cut = [i * (_N + 1) // _B for i in range(1, _B)]
    _bins, _at = [[]], []
    for _rank, _i in enumerate(_rows, start=1):
        if _rank in _cut:
            _at.append(_s[_i])
            _bins.append([])
        else:
            _bins[-1].append(_z[_i])
    _cuts, _fractions, _eps = bins_without_splitting(_s, _z, _ties, _B, delta=_delta)
    with part(1, "the cuts"):
        np.testing.assert_allclose(np.asarray(_cuts, dtype=float), np.array(_at, dtype=float))
    with part(2, "the fractions"):
        np.testing.assert_allclose(_fractions, [np.mean(b) for b in _bins], atol=1e-9)
    with part(1, "the guarantee"):
        np.testing.assert_allclose(_eps, (np.log(2 * _B / _delta) / 2 / (_N // _B - 1)) ** 0.5)
### END HIDDEN TESTS

# %% hint
r"""
`np.lexsort([ties, scores])` sorts by score first. Rank $r$ is at place $r - 1$.
"""

# %% question limits, numerics, 3 points, goal 2
r"""
## Three limits

In a bin $m$ of $n$ labels are positive, $\hat\theta = m/n$. Three upper limits for its probability hold with probability $1 - \beta$ each. Return them in this order.

- Hoeffding: $\hat\theta + \sqrt{\log(1/\beta)/(2n)}$, at most 1.
- Chernoff: the largest $\theta \ge \hat\theta$ with $n \operatorname{kl}(\hat\theta, \theta) \le \log\frac1\beta$, where $\operatorname{kl}(q, \theta) = q\log\frac q\theta + (1-q)\log\frac{1-q}{1-\theta}$ and $0 \log 0 = 0$.
- Clopper and Pearson: the $\theta$ with $P(\operatorname{Bin}(n, \theta) \le m) = \beta$, and 1 if $m = n$.
"""


# %% answer
def upper_limits(m, n, beta):
    """The limits of Hoeffding, of Chernoff, and of Clopper and Pearson."""
    ### BEGIN SOLUTION
    from scipy.optimize import brentq
    from scipy.special import betaincinv, xlogy

    if m == n:
        return 1.0, 1.0, 1.0
    q, most = m / n, np.log(1 / beta) / n

    def excess(t):
        return xlogy(q, q / t) + (1 - q) * np.log((1 - q) / (1 - t)) - most

    chernoff = brentq(excess, max(q, 1e-12), 1 - 1e-15, xtol=1e-13)
    return min(1.0, q + np.sqrt(most / 2)), chernoff, betaincinv(m + 1, n - m, 1 - beta)
    ### END SOLUTION


# %% test
np.testing.assert_allclose(
    upper_limits(0, 20, 0.05), [0.273673, 1 - 0.05**0.05, 1 - 0.05**0.05], atol=1e-5
)
np.testing.assert_allclose(upper_limits(7, 7, 0.05), [1, 1, 1])
### BEGIN HIDDEN TESTS
from math import comb as _comb

_rng = kit.rng("limits", STUDENT)
for _n, _beta in [(30, 0.05), (80, 0.001), (12, 0.3), (2, 0.001)]:
    _m = int(_rng.integers(1, _n))
    _hoeffding, _chernoff, _exact = upper_limits(_m, _n, _beta)
    _q = _m / _n
    with part(1, "Hoeffding"):
        np.testing.assert_allclose(_hoeffding, min(1, _q + (np.log(1 / _beta) / 2 / _n) ** 0.5))
    with part(1, "Chernoff"):
        assert _q <= _chernoff < 1
        _kl = _q * np.log(_q / _chernoff) + (1 - _q) * np.log((1 - _q) / (1 - _chernoff))
        np.testing.assert_allclose(_n * _kl, np.log(1 / _beta), atol=1e-4)
    with part(1, "Clopper and Pearson"):
        _tail = sum(_comb(_n, j) * _exact**j * (1 - _exact) ** (_n - j) for j in range(_m + 1))
        np.testing.assert_allclose(_tail, _beta, rtol=1e-4)
### END HIDDEN TESTS

# %% hint
r"""
$\operatorname{kl}(\hat\theta, \theta)$ increases in $\theta$ from 0 at $\hat\theta$ to infinity at 1: bisection.
"""

# %% question holds, data, 4 points, goal 2
r"""
## Does it hold, and how much does it give away?

Scores are uniform on $(0, 1)$ and the truth is $\pi(y) = y^2$, so a bin from $a$ to $b$ has the probability $\theta = \frac{b^3 - a^3}{3(b - a)}$; the first bin begins at 0, the last one ends at 1.
`scores` and `labels` have a row for each of many samples of $N$ calibration points without ties.
For each sample make $B$ bins without splitting, as in *Bins that use every point twice* (the cuts are the ends of the bins). Return

- the largest error $\max_i \lvert \hat\theta_i - \theta_i \rvert$ of each sample, an array,
- the share of the samples in which it is at most the guarantee $\varepsilon$ for $\delta$.

Your data are drawn below. The test prints the guarantee, the share, and the error that 90 % of the samples keep.
"""


# %% code
def many_samples(name, student, samples=300, N=400):
    """Scores and labels of many calibration samples, a row for each."""
    rng = kit.rng(name, student)
    scores = rng.random((samples, N))
    return scores, kit.draw_labels(scores**2, rng)


many_scores, many_labels = many_samples("holds", STUDENT)


# %% answer
def check_guarantee(scores, labels, B, delta):
    """The largest error of each sample, and the share of samples in which the guarantee holds."""
    ### BEGIN SOLUTION
    N = scores.shape[1]
    order = np.argsort(scores, axis=1)
    s, z = np.take_along_axis(scores, order, 1), np.take_along_axis(labels, order, 1)
    ranks = np.concatenate([[0], np.arange(1, B) * (N + 1) // B, [N + 1]])
    edges = np.column_stack([np.zeros(len(s)), s[:, ranks[1:-1] - 1], np.ones(len(s))])
    truth = np.diff(edges**3, axis=1) / (3 * np.diff(edges, axis=1))
    found = np.column_stack(
        [z[:, a : b - 1].mean(axis=1) for a, b in zip(ranks, ranks[1:], strict=False)]
    )
    errors = np.abs(found - truth).max(axis=1)
    guarantee = np.sqrt(np.log(2 * B / delta) / (2 * (N // B - 1)))
    return errors, np.mean(errors <= guarantee)
    ### END SOLUTION


# %% test
_errors, _share = check_guarantee(
    np.array([[0.1, 0.5, 0.9, 0.2, 0.7]]), np.array([[0, 1, 1, 0, 0]]), 2, 0.1
)
np.testing.assert_allclose(_errors, [0.5 - 0.25 / 3 - 1 / 2 + 0.25 / 3 + 1 / 12], atol=1e-9)
np.testing.assert_allclose(_share, 1)
_errors, _share = check_guarantee(many_scores, many_labels, 10, 0.1)
_eps = np.sqrt(np.log(2 * 10 / 0.1) / (2 * 39))
print(f"promised {_eps:.3f}, holds in {_share:.1%}; 90 % are below {np.quantile(_errors, 0.9):.3f}")
### BEGIN HIDDEN TESTS
for _name, _N, _B, _delta in [("holds again", 60, 6, 0.9), ("holds more", 45, 4, 1.9)]:
    _s, _z = many_samples(_name, STUDENT, samples=12, N=_N)
    _s[0, :3] = 0.05  # a sample of equal scores is not drawn; these are moved apart
    _s[0, :3] += np.array([0.01, 0.02, 0.03])
    _expected = []
    for _row, _labels in zip(_s, _z, strict=True):
        _pairs = sorted(zip(_row.tolist(), _labels.tolist(), strict=True))
        _cuts = [0] + [i * (_N + 1) // _B for i in range(1, _B)] + [_N + 1]
        _worst = 0.0
        for _a, _b in zip(_cuts, _cuts[1:], strict=False):
            _low = _pairs[_a - 1][0] if _a else 0.0
            _high = _pairs[_b - 1][0] if _b <= _N else 1.0
            _hits = [label for _, label in _pairs[_a : _b - 1]]
            _theta = (_high**3 - _low**3) / 3 / (_high - _low)
            _worst = max(_worst, abs(sum(_hits) / len(_hits) - _theta))
        _expected.append(_worst)
    _errors, _share = check_guarantee(_s, _z, _B, _delta)
    with part(3, "the errors"):
        np.testing.assert_allclose(_errors, _expected, atol=1e-9)
    with part(1, "the share"):
        _eps = np.sqrt(np.log(2 * _B / _delta) / 2 / (_N // _B - 1))
        np.testing.assert_allclose(_share, np.mean(np.array(_expected) <= _eps), atol=1e-9)
### END HIDDEN TESTS

# %% hint
r"""
Write it for one sample first, and take the cuts out before you compute fractions.
"""

# %% question bins, numerics, 3 points, goal 3
r"""
## How many bins

With $N$ points in $B$ bins of equal frequency the mean squared error of histogram binning is about
$$R(B) = \frac{V B}{N} + \frac{D}{12 B^2}, \qquad V = \mathbb{E}\,\pi(1 - \pi), \quad D = \mathbb{E}\,\pi'(u)^2,$$
where $u$ is the rank of the score in the population, uniform on $(0, 1)$.
`truth[k]` is $\pi$ at the rank $u = (k + \frac12)/m$, $k = 0, \dots, m - 1$; take the mean over these for $V$, and for the slope between two neighbours $(\pi_{k+1} - \pi_k)\,m$, the mean of the $m - 1$ squares for $D$.
Return the whole number $B \ge 1$ with the smallest $R(B)$, and this $R(B)$.
"""


# %% answer
def best_bins(truth, N):
    """The best number of bins and its risk."""
    ### BEGIN SOLUTION
    m = len(truth)
    V, D = np.mean(truth * (1 - truth)), np.mean((np.diff(truth) * m) ** 2)

    def risk(B):
        return V * B / N + D / (12 * B**2)

    ideal = (D * N / (6 * V)) ** (1 / 3)
    near = {max(1, int(np.floor(ideal))), max(1, int(np.ceil(ideal)))}
    B = min(near, key=risk)
    return B, risk(B)
    ### END SOLUTION


# %% test
np.testing.assert_allclose(best_bins(np.full(10, 0.3), 100), [1, 0.0021])
np.testing.assert_allclose(best_bins(np.array([0.25, 0.75]), 12), [2, 0.1875 * 2 / 12 + 1 / 48])
### BEGIN HIDDEN TESTS
_rng = kit.rng("bins", STUDENT)
for _N, _low, _high in [(500, 0.05, 0.9), (64_000, 0.0, 1.0), (50, 0.4, 0.6), (9000, 0.01, 0.2)]:
    _m = int(_rng.integers(40, 80))
    _pi = np.sort(_rng.uniform(_low, _high, _m))
    _V = sum(x - x * x for x in _pi) / _m
    _D = sum(((b - a) * _m) ** 2 for a, b in zip(_pi, _pi[1:], strict=False)) / (_m - 1)
    _B = np.arange(1, 3000)
    _risks = _V * _B / _N + _D / 12 / _B**2.0
    _found, _risk = best_bins(_pi, _N)
    with part(2, "the number"):
        assert _found == int(_found) and _risks[int(_found) - 1] <= _risks.min() + 1e-12
    with part(1, "the risk"):
        np.testing.assert_allclose(_risk, _risks.min(), rtol=1e-6)
### END HIDDEN TESTS

# %% hint
r"""
The derivative vanishes at $B = (DN/(6V))^{1/3}$; compare the whole numbers beside it, or simply all.
"""

# %% question two_points, numerics, 3 points, goal 3
r"""
## What no method can promise

$B$ bins of equal mass have $n$ labels each, and each probability is $\frac12 + h$ or $\frac12 - h$.
$T$ is the total variation distance $\frac12\sum_k \lvert P(k) - Q(k)\rvert$ of the binomial counts with $\frac12 + h$ and $\frac12 - h$; $T'$ that of the *pairs* of independent counts $(X, Y)$ with the probabilities $(\frac12 + h, \frac12 - h)$ and with $(\frac12 - h, \frac12 + h)$.
For every method there are probabilities for which

- the error is at least $h$ in some bin with probability at least $1 - \bigl(\frac{1 + T}{2}\bigr)^B$,
- the mean absolute error is at least $h(1 - T)$,
- the loss of AUC is at least $(1 - \frac1B)\,h\,(1 - T')$ on average.

Return the three bounds.
"""


# %% answer
def lower_bounds(B, n, h):
    """Bounds for the largest error (a probability), the mean error, and the loss of AUC."""
    ### BEGIN SOLUTION
    from scipy.special import gammaln

    k = np.arange(n + 1)
    choose = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)
    p = np.exp(choose + k * np.log(0.5 + h) + (n - k) * np.log(0.5 - h))
    q = p[::-1]
    T = np.abs(p - q).sum() / 2
    pairs = np.abs(np.outer(p, q) - np.outer(q, p)).sum() / 2
    return 1 - ((1 + T) / 2) ** B, h * (1 - T), (1 - 1 / B) * h * (1 - pairs)
    ### END SOLUTION


# %% test
np.testing.assert_allclose(lower_bounds(1, 1, 0.25), [0.25, 0.125, 0])
np.testing.assert_allclose(lower_bounds(2, 1, 0.25), [1 - 0.75**2, 0.125, 0.0625])
### BEGIN HIDDEN TESTS
from math import comb as _comb

_rng = kit.rng("two_points", STUDENT)
for _B, _n in [(5, 20), (12, 60), (3, 7)]:
    _h = float(_rng.uniform(0.02, 0.3))
    _p = [_comb(_n, k) * (0.5 + _h) ** k * (0.5 - _h) ** (_n - k) for k in range(_n + 1)]
    _q = _p[::-1]
    _T = sum(max(a - b, 0) for a, b in zip(_p, _q, strict=True))
    _both = sum(max(a * d - b * c, 0) for a, b in zip(_p, _q) for c, d in zip(_p, _q))
    _found = lower_bounds(_B, _n, _h)
    for _at, _name, _expected in [
        (0, "largest error", 1 - ((1 + _T) / 2) ** _B),
        (1, "mean error", _h * (1 - _T)),
        (2, "AUC", (1 - 1 / _B) * _h * (1 - _both)),
    ]:
        with part(1, _name):
            np.testing.assert_allclose(_found[_at], _expected, atol=1e-9)
### END HIDDEN TESTS

# %% hint
r"""
The probability of a pair is a product; `np.outer(p, q)` has all of them.
"""

# %% question le_cam, theory, 4 points, goal 3
r"""
## A coin in the labels

1. One of two distributions $P_+$, $P_-$ of the data is chosen by a fair coin. Show that whoever guesses the coin from the data is right with probability at most $\frac12(1 + T)$, $T = \frac12\sum\lvert P_+ - P_-\rvert$.
2. Deduce the first bound of the last question: in each of $B$ independent bins the probability is $\frac12 \pm h$ by a coin; an estimate with an error below $h$ in every bin guesses all coins.
3. For $n = 100$ and $h = 0.05$, $T = 0.683$. How likely is an error of at least 0.05 in some of ten bins, at least, for the best method? What does binning without splitting promise with $\lfloor N/B \rfloor = 100$ and $\delta = 0.18$? What lies between the two numbers?
4. "With more labels the bound goes away." For which $h$, as a function of $n$, does $T$ stay near 0.68, roughly? What does this say about the rate at which any method can learn the worst bin?
"""

# %% written
r"""
### BEGIN SOLUTION
1. Given the data $x$ the guess is right with probability at most $\max(P_+(x), P_-(x)) / (P_+(x) + P_-(x))$; over all data $\sum_x \frac12\max(P_+, P_-)$. With $\max(a, b) = \frac12(a + b) + \frac12\lvert a - b\rvert$ this is $\frac12\bigl(\frac12 \cdot 2 + \frac12\sum\lvert P_+ - P_-\rvert\bigr) = \frac12(1 + T)$.
2. If the error is below $h$, the estimate lies above $\frac12$ exactly if the coin says $+$ (as $\lvert(\frac12 + h) - \frac12\rvert = h$). Coins and data of the bins are independent, so all $B$ are guessed with probability at most $\bigl(\frac{1+T}{2}\bigr)^B$; with at least the rest some error is $h$ or more, on average over the coins, and so for some choice of them.
3. $1 - 0.8415^{10} = 0.82$. The promise is $\sqrt{\log(20/0.18)/(2 \cdot 99)} = 0.154$, with probability 0.82. No method can have 0.05 with a probability above 0.18, and this one has 0.154 with at least 0.82; the best achievable lies between, within a factor of three. (Much of it is Hoeffding's inequality and the union bound.)
4. The counts differ by $2hn$ in the mean and have a standard deviation of about $\sqrt n/2$; $T$ depends on $4h\sqrt n$, here 2. So $h = 0.5/\sqrt n$ keeps it: the bound shrinks like $1/\sqrt n$ and no faster, and no method learns the worst bin at a better rate.

**Rubric.** 1 point each part. Part 2 needs independence and "guesses"; part 3 both numbers; part 4 $h \propto 1/\sqrt n$.
### END SOLUTION
"""

# %% question claim, reading, 4 points, goal 4
r"""
## A guarantee for every distribution

A vendor writes: "Theorem. For every distribution of scores and labels, with probability 0.95, our map fitted to 400 points has $\operatorname{ECE}^* \le 0.02$. The map is strictly increasing, so no two scores share a prediction and nothing is lost of the ranking. On 10,000 new rows its ECE with 15 groups was 0.008."

1. Think of two worlds: in one each label is a fair coin, whatever the score; in the other the label is a function of the score, positive and negative in turn on stretches so short that no two of the 400 points and of the new rows lie on one stretch. Can 400 points tell them apart? Suppose that the map says about $\frac12$, as it should in the first. What is its $\operatorname{ECE}^*$ in the second? What follows for the theorem?
2. Why does 0.008 with 15 groups not support it? What does it show?
3. What does binning without splitting promise with 400 points, ten bins and $\delta = 0.05$? Why can it promise this in both worlds, and the vendor's map nothing of the kind?
4. The smooth calibration error can be estimated: its estimate from $n$ rows is within $6\sqrt{\log(4/\delta)/(2n)}$ of it with probability $1 - \delta$. What does this give for 10,000 rows and $\delta = 0.05$, and why does it not contradict part 1? Rewrite the vendor's claim so that it is true.
"""

# %% written
r"""
### BEGIN SOLUTION
1. No: in both the 400 labels look like independent coins. In the second, the map gives each score a prediction of its own, near $\frac12$, and the label is a function of it: $\operatorname{ECE}^* \approx \mathbb{E}\lvert z - \frac12 \rvert = \frac12$. So a strictly increasing map that is right in the first world fails in the second, and cannot be promised 0.02 for every distribution. (Nor can one that is right in the second, which nobody could find.)
2. Groups average over hundreds of rows, and in the second world half of each group is positive as well: the ECE of groups cannot see the difference. It shows that the map is right on average over stretches of a fifteenth of the rows.
3. $\sqrt{\log(2 \cdot 10/0.05)/(2 \cdot 39)} = \sqrt{5.99/78} = 0.28$. Its prediction is the same all over a bin, and is compared with the mean over the bin, one half in both worlds; it makes no statement about single scores. A map without plateaus is compared score by score.
4. $6\sqrt{4.38/20000} = 0.089$. A witness may not change from stretch to stretch, so in the second world the smooth error is near 0, as in the first: it asks less than $\operatorname{ECE}^*$. For instance: "In ten bins the mean prediction was within ... of the fraction of positives, by a guarantee of binning", or "on these 10,000 rows the smooth calibration error is at most its estimate plus 0.089, with probability 0.95".

**Rubric.** 1 point each part. Part 1 needs $\frac12$ and the conclusion; part 3 the number and plateaus; part 4 the number and a true claim.
### END SOLUTION
"""

# %% question break_it, break it, 3 points, goal 1
r"""
## Break it: small for one, large for the other

Find labels and predictions of 100 to 1000 cases for which the Kuiper error is at least 0.2 and the smooth calibration error at most 0.005. Predictions lie between 0.05 and 0.95.
The Kuiper error is $(\max_k C_k - \min_k C_k)/n$ with the cumulative residuals over the distinct predictions, $C_0 = 0$.
"""


# %% answer
def close_but_wrong():
    """Labels and predictions."""
    ### BEGIN SOLUTION
    return np.repeat([1, 0], 50), np.repeat([0.499, 0.501], 50)
    ### END SOLUTION


# %% test
_z, _p = (np.asarray(a) for a in close_but_wrong())
assert _z.shape == _p.shape and 100 <= len(_z) <= 1000, "100 to 1000 cases"
assert set(np.unique(_z)) <= {0, 1}, "labels are 0 or 1"
assert np.all((0.05 <= _p) & (_p <= 0.95)), "between 0.05 and 0.95"
### BEGIN HIDDEN TESTS
from scipy.optimize import linprog as _linprog

_values, _place = np.unique(_p, return_inverse=True)
_r = np.bincount(_place, _z - _p) / len(_p)
assert np.ptp(np.append(0, np.cumsum(_r))) >= 0.2 - 1e-9, "the Kuiper error is too small"
_d = np.diff(np.eye(len(_values)), axis=0)
_limits = dict(A_ub=np.vstack([_d, -_d]), b_ub=np.tile(np.diff(_values), 2)) if len(_d) else {}
_smooth = -_linprog(-_r, bounds=(-1, 1), **_limits).fun
assert _smooth <= 0.005 + 1e-9, f"the smooth calibration error is {_smooth:.4f}"
### END HIDDEN TESTS

# %% hint
r"""
The smooth error is an area under the path of cumulative residuals; make the path high on a very short stretch.
"""
