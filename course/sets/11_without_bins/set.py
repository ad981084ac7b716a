# Problem set 11. course/README.md explains the cells.

# %% text
r"""
# Problem set 11: measuring without bins, and testing

About four hours; one point stands for about six minutes.
Read the chapter *Measuring without bins*, up to the part on weights, and the first part of *How large is the MCB of a perfect forecaster?* first.

After this set you can

1. measure miscalibration without bins: by cumulative residuals, and as a part of a proper score;
2. say what chance adds to such a number;
3. test calibration at a level that holds, and say what a test cannot see;
4. give limits and intervals, also where rows stand for many cases;
5. find what a measure is blind to, and read published numbers critically.

Labels $z_i$ are 0 or 1; predictions $p_i$ are probabilities of label 1, strictly between 0 and 1; both are NumPy arrays of one length $n$.
The *residual* of a case is $z_i - p_i$.
You may use SciPy; for isotonic regression your own of problem set 5, or that of scikit-learn or `calib`.
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

# %% question kuiper, numerics, 3 points, goal 1
r"""
## The worst interval

For an interval $I$ of predictions the *bias over $I$* is $\frac1n \sum_{i:\, p_i \in I} (z_i - p_i)$.
The Kuiper error is the largest absolute value of the bias over any interval.
Return it, and the lowest and the highest prediction of an interval that attains it (any such interval will do).
Equal predictions lie in an interval together or not at all.
"""


# %% answer
def kuiper(labels, predictions):
    """The Kuiper error, and the lowest and the highest prediction of a worst interval."""
    ### BEGIN SOLUTION
    values, place = np.unique(predictions, return_inverse=True)
    path = np.append(0, np.cumsum(np.bincount(place, labels - predictions)))
    first, last = sorted([int(path.argmin()), int(path.argmax())])
    return (path.max() - path.min()) / len(labels), values[first], values[max(last, first + 1) - 1]
    ### END SOLUTION


# %% test
_found = kuiper(np.array([1, 1, 0, 0, 1]), np.array([0.5, 0.25, 0.75, 0.75, 0.75]))
np.testing.assert_allclose(_found, [0.25, 0.25, 0.5])
### BEGIN HIDDEN TESTS
_rng = kit.rng("kuiper", STUDENT)
_cases = [(np.array([0, 0, 1]), np.array([0.25, 0.5, 0.25]))]
for _sign in [1, -1, 0]:
    _p = np.append(_rng.integers(1, 16, 60) / 16, _rng.random(20) * 0.9 + 0.05)
    _p = _rng.permutation(_p)
    _cases.append((kit.draw_labels(np.clip(_p + 0.2 * _sign * (_p > 0.4), 0, 1), _rng), _p))
for _z, _p in _cases:
    _values = sorted(set(_p.tolist()))
    _sums = [sum((_z - _p)[_p == v]) for v in _values]
    _expected = max(
        abs(sum(_sums[i:j])) for i in range(len(_values)) for j in range(i + 1, len(_values) + 1)
    )
    _error, _low, _high = kuiper(_z, _p)
    with part(2, "the error"):
        np.testing.assert_allclose(_error, _expected / len(_z), atol=1e-9)
    with part(1, "the interval"):
        _inside = (_p >= _low - 1e-12) & (_p <= _high + 1e-12)
        np.testing.assert_allclose(abs(np.sum((_z - _p)[_inside])), _expected, atol=1e-7)
### END HIDDEN TESTS

# %% hint
r"""
The bias over an interval is a difference of two cumulative sums, one of which may be the empty sum 0. Add up the residuals of equal predictions before you cumulate.
"""

# %% question decompose, numerics, 4 points, goal 1
r"""
## Three parts of the Brier score, without bins

Let $g_i$ be the isotonic regression of the labels on the predictions (increasing, equal for equal predictions), $\bar o$ the fraction of positives and $S(q) = \frac1n \sum_i (z_i - q_i)^2$.
Return $\mathrm{MCB} = S(p) - S(g)$, $\mathrm{DSC} = S(\bar o) - S(g)$, $\mathrm{UNC} = S(\bar o)$, and the share of the cases at whose prediction recalibration says more than the forecaster did, $g_i > p_i$ by more than $10^{-9}$.
"""


# %% answer
def decompose(labels, predictions):
    """MCB, DSC, UNC and the share of the cases whose prediction is too low."""
    ### BEGIN SOLUTION
    _, place, counts = np.unique(predictions, return_inverse=True, return_counts=True)
    blocks = []
    for mean, weight in zip(np.bincount(place, labels) / counts, counts, strict=True):
        blocks.append([mean, weight, 1])
        while len(blocks) > 1 and blocks[-2][0] >= blocks[-1][0]:
            (m, v, k), (mean, weight, more) = blocks[-2:]
            blocks[-2:] = [[(v * m + weight * mean) / (v + weight), v + weight, k + more]]
    g = np.repeat([b[0] for b in blocks], [b[2] for b in blocks])[place]
    score, best, base = (np.mean((labels - q) ** 2) for q in (predictions, g, labels.mean()))
    return score - best, base - best, base, np.mean(g > predictions + 1e-9)
    ### END SOLUTION


# %% test
_z, _p = np.array([0, 1, 0, 1, 1]), np.array([0.1, 0.2, 0.6, 0.6, 0.9])
_found = decompose(_z, _p)
np.testing.assert_allclose(_found, [0.236 - 2 / 15, 0.24 - 2 / 15, 0.24, 0.8], atol=1e-9)
### BEGIN HIDDEN TESTS
_rng = kit.rng("decompose", STUDENT)
for _kind in ["ties", "continuous", "reversed", "tied reversal"]:
    _p = _rng.random(90) * 0.9 + 0.05
    if "t" in _kind[:1]:
        _p = np.round(_p * 8 + 1) / 10
    _truth = 1 - _p if "rever" in _kind else 0.8 * _p
    _z = kit.draw_labels(_truth, _rng)
    _values = sorted(set(_p.tolist()))
    _m = [_z[_p == v].sum() for v in _values]
    _n = [int(np.sum(_p == v)) for v in _values]
    _K = len(_values)
    _M, _N = np.append(0, np.cumsum(_m)), np.append(0, np.cumsum(_n))
    with np.errstate(all="ignore"):
        _means = (_M[None, 1:] - _M[:-1, None]) / (_N[None, 1:] - _N[:-1, None])
    _least = np.minimum.accumulate(_means[:, ::-1], axis=1)[:, ::-1]
    _fit = np.array([_least[: k + 1, k].max() for k in range(_K)])  # max-min formula
    _g = _fit[np.searchsorted(_values, _p)]
    _best, _base = np.mean((_z - _g) ** 2), np.var(_z)
    _found = decompose(_z, _p)
    for _points, _name, _expected in [
        (1, "MCB", np.mean((_z - _p) ** 2) - _best),
        (1, "DSC", _base - _best),
        (1, "UNC", _base),
        (1, "share", np.mean(_g > _p + 1e-9)),
    ]:
        with part(_points, _name):
            _at = ["MCB", "DSC", "UNC", "share"].index(_name)
            np.testing.assert_allclose(_found[_at], _expected, atol=1e-6)
### END HIDDEN TESTS

# %% hint
r"""
In the example the predictions 0.2 and 0.6 are pooled: three cases, two of them positive.
"""

# %% question chance, theory, 4 points, goal 2
r"""
## What chance adds to the MCB

A calibrated forecaster says $s_1 < \dots < s_K$ to $n_1, \dots, n_K$ cases, $n$ in all; given the predictions, labels are independent.

1. Show that $\mathrm{MCB} \ge 0$ and $\mathrm{DSC} \ge 0$ for every sample and every forecaster. (Brier score; $g$ minimises $S$ over the increasing functions of the prediction.)
2. Show that $\mathbb{E}\,\mathrm{MCB} \le \frac1n \sum_k s_k (1 - s_k)$, given the predictions.
3. The forecaster says 0.2 to 50 people and 0.6 to 50 others. A report on them finds $\mathrm{MCB} = 0.003$ and concludes: "Recalibration would lower the Brier score by 0.003." Judge it with your bound.
4. What does the bound say if all $n$ predictions differ? How would you find out what chance adds then?
"""

# %% written
r"""
### BEGIN SOLUTION
1. $g$ has the smallest $S$ of all increasing functions of the prediction. The identity $p \mapsto p$ is one, so $S(g) \le S(p)$ and MCB $\ge 0$; the constant $\bar o$ is one, so $S(g) \le S(\bar o)$ and DSC $\ge 0$.
2. Of *all* functions of the prediction the fractions $o_k$ have the smallest $S$, so $S(g) \ge S(o)$ and $\mathrm{MCB} \le S(p) - S(o) = \frac1n \sum_k n_k (o_k - s_k)^2$, as $\sum_{i \in k} (z_i - s_k)^2 = \sum_{i \in k} (z_i - o_k)^2 + n_k (o_k - s_k)^2$. Given the predictions, $o_k$ has mean $s_k$ and variance $s_k (1 - s_k)/n_k$; so the mean of the right side is $\frac1n \sum_k s_k (1 - s_k)$.
3. The bound is $(0.16 + 0.24)/100 = 0.004$. A calibrated forecaster has an MCB of up to 0.004 on average on such a sample (and nearly this, as two fractions 0.4 apart are hardly ever in the wrong order): 0.003 is what chance makes. On new cases recalibration by these labels would be expected to make the score worse.
4. $\frac1n \sum_i p_i (1 - p_i)$, the whole Brier score of a calibrated forecaster: true and useless. Draw labels from the predictions many times, compute the MCB each time, and compare (mean and quantiles).

**Rubric.** 1 point each part. Part 1 names both functions; part 2 needs the comparison with the group means and their variance; part 3 the number 0.004 and the judgement; part 4 "useless" and drawn labels.
### END SOLUTION
"""

# %% hint
r"""
For part 2 compare $g$ with the fraction of positives of each prediction, whether or not these fractions increase.
"""

# %% question drawn, data, 4 points, goal 3
r"""
## An exact test by drawn labels

Let $T$ be the Kuiper error of the sample, and $T_1, \dots, T_m$ those of samples with the same predictions and labels drawn from them: draw $j$ has the label 1 in case $i$ if `uniform[j, i] < predictions[i]`.
Return $T$ and the p value
$$\frac{1 + \#\{j : T_j \ge T\}}{m + 1},$$
where errors that differ by less than $10^{-9}$ count as equal.
Equal predictions go together in the Kuiper error, as above.

Your data are drawn below: a clinic's model and 199 draws. The test prints the p value of the model, and of its log odds multiplied by 0.7.
"""


# %% code
def clinic(name, student, n=600, draws=199):
    """Labels, predictions of an overconfident model, and uniform numbers for the draws."""
    rng = kit.rng(name, student)
    predictions = np.clip(np.round(kit.expit(rng.normal(0, 1.5, n)), 2), 0.01, 0.99)
    labels = kit.draw_labels(kit.expit(0.7 * kit.logit(predictions)), rng)
    return labels, predictions, rng.random((draws, n))


labels, predictions, uniform = clinic("drawn", STUDENT)


# %% answer
def drawn_test(labels, predictions, uniform):
    """The Kuiper error of the sample and its p value."""
    ### BEGIN SOLUTION
    _, place = np.unique(predictions, return_inverse=True)
    order = np.argsort(place, kind="stable")
    ends = np.append(np.flatnonzero(np.diff(place[order])), len(place) - 1)
    samples = np.vstack([labels, uniform < predictions])
    paths = np.cumsum((samples - predictions)[:, order], axis=1)[:, ends]
    errors = np.maximum(paths.max(axis=1), 0) - np.minimum(paths.min(axis=1), 0)
    errors /= len(labels)
    return errors[0], np.mean(errors >= errors[0] - 1e-9)
    ### END SOLUTION


# %% test
_uniform = np.array([[0.9, 0.9, 0.1, 0.1], [0.1, 0.9, 0.1, 0.9], [0.1, 0.1, 0.9, 0.9]])
_found = drawn_test(np.array([0, 0, 1, 1]), np.array([0.25, 0.25, 0.75, 0.75]), _uniform)
np.testing.assert_allclose(_found, [0.125, 1])
for _name, _q in [
    ("the model", predictions),
    ("less sure", np.round(kit.expit(0.7 * kit.logit(predictions)), 3)),
]:
    _T, _value = drawn_test(labels, _q, uniform)
    print(f"{_name}: Kuiper error {_T:.3f}, p value {_value:.3f}")


### BEGIN HIDDEN TESTS
def _kuiper(z, p):
    _low = _high = _sum = 0.0
    for _value in sorted(set(p.tolist())):
        _sum += float(np.sum((z - p)[p == _value]))
        _low, _high = min(_low, _sum), max(_high, _sum)
    return (_high - _low) / len(z)


_rng = kit.rng("drawn again", STUDENT)
for _n, _m, _shift in [(8, 60, 0.0), (8, 40, 0.2), (40, 30, 0.1), (41, 19, 0.3)]:
    _p = _rng.integers(1, 8, _n) / 8  # sums of these are exact, so that ties occur
    _z = kit.draw_labels(np.minimum(_p + _shift, 1), _rng)
    _u = _rng.random((_m, _n))
    if _n == 8 and _shift == 0:
        _z, _u[:9] = (_u[0] < _p).astype(int), _u[0]
    _T = _kuiper(_z, _p)
    _as_large = sum(_kuiper((row < _p).astype(int), _p) >= _T - 1e-9 for row in _u)
    _found = drawn_test(_z, _p, _u)
    with part(2, "the error"):
        np.testing.assert_allclose(_found[0], _T, atol=1e-9)
    with part(2, "the p value"):
        np.testing.assert_allclose(_found[1], (1 + _as_large) / (_m + 1), atol=1e-9)
### END HIDDEN TESTS

# %% hint
r"""
Write the Kuiper error as a function of labels and predictions, and apply it to each row of `uniform < predictions`.
"""

# %% question witnesses, numerics, 3 points, goal 3
r"""
## Tests that look for one thing

A *witness* is a weight $w_i$ that depends on the predictions only. If the predictions are right,
$$\zeta = \frac{\sum_i w_i (z_i - p_i)}{\sqrt{\sum_i w_i^2\, p_i (1 - p_i)}}$$
has mean 0 and variance 1, given the predictions, and is nearly normal in large samples.
Use three witnesses: 1 (is there a bias?), $1 - 2p$ (Spiegelhalter's test: are the predictions too sure?), and $1\{p > 0.9\}$ (is the top right?).
Return the three $\zeta$ and one p value for the hypothesis that the predictions are right: three times the smallest of the three two-sided p values, at most 1.
If no prediction exceeds 0.9, the third $\zeta$ is 0, and its p value 1.
"""


# %% answer
def witness_tests(labels, predictions):
    """An array of three statistics, and the p value for all of them together."""
    ### BEGIN SOLUTION
    from scipy.special import erfc

    p = predictions
    w = np.array([np.ones(len(p)), 1 - 2 * p, p > 0.9])
    spread = np.sqrt(w**2 @ (p * (1 - p)))
    zeta = w @ (labels - p) / np.where(spread > 0, spread, 1)
    return zeta, min(1.0, 3 * erfc(np.abs(zeta).max() / np.sqrt(2)))
    ### END SOLUTION


# %% test
_zeta, _value = witness_tests(np.array([1, 1, 0, 1]), np.array([0.5, 0.5, 0.2, 0.8]))
np.testing.assert_allclose(_zeta, [1 / 0.82**0.5, -0.24 / 0.1152**0.5, 0], atol=1e-6)
np.testing.assert_allclose(_value, 3 * 0.269459, atol=1e-5)
### BEGIN HIDDEN TESTS
from math import erfc as _erfc

_rng = kit.rng("witnesses", STUDENT)
for _top, _power in [(0.99, 1.5), (0.89, 1.0), (0.99, 0.6), (0.6, 1.3), (0.98, 1.0)]:
    _p = np.append(_rng.uniform(0.02, _top, 150), [0.03, _top])
    _z = kit.draw_labels(_p**_power, _rng)
    _expected = []
    for _w in [1 + 0 * _p, 1 - 2 * _p, np.where(_p > 0.9, 1.0, 0.0)]:
        _spread = sum(_w**2 * _p * (1 - _p)) ** 0.5
        _expected.append(sum(_w * (_z - _p)) / _spread if _spread else 0.0)
    _zeta, _value = witness_tests(_z, _p)
    with part(2, "the statistics"):
        np.testing.assert_allclose(_zeta, _expected, atol=1e-6)
    with part(1, "the p value"):
        _smallest = min(_erfc(abs(t) / 2**0.5) for t in _expected)
        np.testing.assert_allclose(_value, min(1, 3 * _smallest), atol=1e-7)
### END HIDDEN TESTS

# %% hint
r"""
The two-sided p value of $\zeta$ is $2 P(N > \lvert \zeta \rvert)$ for a standard normal $N$, `scipy.special.erfc(abs(zeta) / 2**0.5)`.
"""

# %% question level, theory, 4 points, goal 3
r"""
## A level that holds

1. Given the predictions, let the labels be independent draws from them, as are those of the $m$ draws, and let $p = \frac{1 + \#\{j : T_j \ge T\}}{m + 1}$ for any statistic. Show that $P\bigl(p \le \frac{k}{m+1}\bigr) \le \frac{k}{m+1}$ for $k = 1, \dots, m$, ties included.
2. A colleague uses $\#\{j : T_j \ge T\}/m$ with $m = 20$ and rejects at 0.05 or less. How often does she reject a calibrated forecaster, if there are no ties?
3. A hospital tests each month's patients at the level 0.05, each month by itself. How likely is at least one alarm within a year, and within five, if the model is calibrated and months are independent? Why is the number not the same if it tests each month *all* patients so far, and what bounds it then?
4. Somebody computes three statistics and reports the smallest of their p values. What is wrong? Describe a test by drawn labels that uses all three, has its level exactly, and loses less than three times the smallest p value.
"""

# %% written
r"""
### BEGIN SOLUTION
1. Write $T_0 = T$. Under the hypothesis $T_0, \dots, T_m$ are independent with one distribution, so exchangeable. Let $R_i = \#\{j : T_j \ge T_i\}$, $i$ itself among them; then $p = R_0/(m+1)$. At most $k$ of the indices have $R_i \le k$: let $T_i$ be the smallest of those with $R_i \le k$; all the others with this property are at least $T_i$ and hence counted in $R_i \le k$. By exchangeability $P(R_0 \le k) = \frac{1}{m+1} \mathbb{E}\,\#\{i : R_i \le k\} \le \frac{k}{m+1}$.
2. She rejects if at most one of 20 draws is as large, that is, if the sample is among the two largest of 21: $2/21 = 0.095$.
3. $1 - 0.95^{12} = 0.46$ and $1 - 0.95^{60} = 0.95$. With all patients so far, successive tests share most of their cases and are dependent, so the product is not the probability of no alarm; the union bound holds, $12 \cdot 0.05 = 0.6$ for a year, and nothing below 1 for five years. (A test by bets holds its level at all times.)
4. The smallest of three p values is not a p value: it is 0.05 or less in up to 15 % of the samples. Compute for the sample and for each draw the smallest of its three p values (each from its rank among all $m + 1$), and take this minimum, small ones counting as large, as the statistic of part 1. It is exact as any statistic is, and takes into account that the three depend on each other, which the factor 3 does not.

**Rubric.** 1 point each part. Part 1 needs "at most $k$ of the $m + 1$"; part 3 both numbers and dependence; part 4 the minimum computed in each draw, too.
### END SOLUTION
"""

# %% hint
r"""
Part 1: how many of $m + 1$ numbers can be among the $k$ largest? Ties only lower that.
"""

# %% question limits, numerics, 4 points, goal 4
r"""
## An honest band

Sort the cases by prediction and put them into $K$ groups without a look at the labels; group $k$ has `cases[k]` cases and `positives[k]` positives.
The truth $\pi(p)$ increases. So the cases of a run of groups $j, \dots, k$ have probabilities of at most $\pi$ at the upper end of group $k$, and their number of positives $m$ of $n$ gives the limit $\ell$ with $P(\operatorname{Bin}(n, \ell) \ge m) = a$ (0 if $m = 0$).
In the same way the run gives an upper limit $u$ with $P(\operatorname{Bin}(n, u) \le m) = a$ (1 if $m = n$) for $\pi$ at the lower end of group $j$.
Take the best limits of all runs that apply, with $a = \alpha/(K(K+1))$, so that all hold together. Return

- `lower[k]`, the best lower limit for $\pi$ at the upper end of group $k$,
- `upper[k]`, the best upper limit for $\pi$ at the lower end of group $k$.
"""


# %% answer
def honest_band(cases, positives, alpha=0.1):
    """Lower limits at the upper ends of the groups, upper limits at their lower ends."""
    ### BEGIN SOLUTION
    from scipy.special import betaincinv

    K = len(cases)
    a = alpha / (K * (K + 1))
    N, M = np.append(0, np.cumsum(cases)), np.append(0, np.cumsum(positives))
    lower, upper = np.zeros(K), np.ones(K)
    for j in range(K):
        for k in range(j, K):
            n, m = N[k + 1] - N[j], M[k + 1] - M[j]
            if m > 0:
                lower[k] = max(lower[k], betaincinv(m, n - m + 1, a))
            if m < n:
                upper[j] = min(upper[j], betaincinv(m + 1, n - m, 1 - a))
    return np.maximum.accumulate(lower), np.minimum.accumulate(upper[::-1])[::-1]
    ### END SOLUTION


# %% test
_lower, _upper = honest_band(np.array([10]), np.array([10]))
np.testing.assert_allclose([_lower[0], _upper[0]], [0.05**0.1, 1], atol=1e-6)
_lower, _upper = honest_band(np.array([20, 5]), np.array([20, 0]))
np.testing.assert_allclose(_lower, [(0.1 / 6) ** 0.05] * 2, atol=1e-6)
### BEGIN HIDDEN TESTS
from scipy.special import betaincinv as _beta_quantile

_rng = kit.rng("limits", STUDENT)
for _K, _alpha, _shape in [(1, 0.1, 1), (4, 0.1, 1), (7, 0.05, -1), (6, 0.2, 0)]:
    _n = _rng.integers(3, 40, _K)
    _truth = np.linspace(0.2, 0.8, _K)[::_shape] if _shape else np.full(_K, 0.5)
    _m = _rng.binomial(_n, _truth)
    _m[0] = 0 if _shape > 0 else _m[0]
    _a = _alpha / (_K * (_K + 1))
    _low, _high = np.zeros(_K), np.ones(_K)
    for _j, _k in [(j, k) for j in range(_K) for k in range(j, _K)]:
        _cases, _pos = sum(_n[_j : _k + 1]), sum(_m[_j : _k + 1])
        if _pos:
            _limit = _beta_quantile(_pos, _cases - _pos + 1, _a)
            _low[_k:] = np.maximum(_low[_k:], _limit)
        if _pos < _cases:
            _limit = _beta_quantile(_pos + 1, _cases - _pos, 1 - _a)
            _high[: _j + 1] = np.minimum(_high[: _j + 1], _limit)
    _found = honest_band(_n, _m, alpha=_alpha)
    with part(2, "lower limits"):
        np.testing.assert_allclose(_found[0], _low, atol=1e-6)
    with part(2, "upper limits"):
        np.testing.assert_allclose(_found[1], _high, atol=1e-6)
### END HIDDEN TESTS

# %% hint
r"""
A run that ends *before* group $k$ gives a lower limit at the end of group $k$, too. The limit $\ell$ is a quantile of the beta distribution, `scipy.special.betaincinv(m, n - m + 1, a)`.
"""

# %% question basic, numerics, 3 points, goal 4
r"""
## An interval that takes the bias off

Resampled errors carry the noise of an error twice, so their quantiles $q_{0.025}$ and $q_{0.975}$ lie too high.
The *basic* interval reflects them at the estimate $T$: from $2T - q_{0.975}$ to $2T - q_{0.025}$; what is below 0 becomes 0.
The error is the mean squared gap over the distinct predictions, $\sum_v \frac{n_v}{n} (o_v - v)^2$, where $n_v$ cases have the prediction $v$ and $o_v$ is their fraction of positives.
`rows[b]` are the rows of resample $b$, $n$ numbers of cases, some of them several times.
Return the estimate and the two ends of the interval; quantiles are those of `np.quantile`.
"""


# %% answer
def basic_interval(labels, predictions, rows):
    """The estimate, and the lower and the upper end of its 95 % interval."""

    ### BEGIN SOLUTION
    def error(z, p):
        _, place, counts = np.unique(p, return_inverse=True, return_counts=True)
        return np.sum(np.bincount(place, z - p) ** 2 / counts) / len(z)

    estimate = error(labels, predictions)
    resampled = [error(labels[r], predictions[r]) for r in rows]
    low, high = np.quantile(resampled, [0.025, 0.975])
    return estimate, max(0.0, 2 * estimate - high), max(0.0, 2 * estimate - low)
    ### END SOLUTION


# %% test
_rows = np.array([[0, 0, 1, 1], [2, 2, 3, 3], [0, 1, 2, 3]])
_found = basic_interval(np.array([1, 0, 1, 1]), np.array([0.5, 0.5, 0.8, 0.8]), _rows)
np.testing.assert_allclose(_found, [0.02, 0.001, 0.039], atol=1e-9)
### BEGIN HIDDEN TESTS
_rng = kit.rng("basic", STUDENT)
for _gap in [0.0, 0.15, 0.3]:
    _p = _rng.choice([0.1, 0.3, 0.6], 40)
    _z, _rows = kit.draw_labels(_p + _gap, _rng), _rng.integers(0, 40, (30, 40))
    _errors = []
    for _row in [np.arange(40), *_rows]:
        _zr, _pr = _z[_row], _p[_row]
        _gaps = [(_zr[_pr == v].mean() - v) ** 2 if v in _pr else 0 for v in [0.1, 0.3, 0.6]]
        _errors.append(sum(np.mean(_pr == v) * g for v, g in zip([0.1, 0.3, 0.6], _gaps)))
    _q = np.quantile(_errors[1:], [0.975, 0.025])
    _found = basic_interval(_z, _p, _rows)
    with part(1, "the estimate"):
        np.testing.assert_allclose(_found[0], _errors[0], atol=1e-9)
    with part(2, "the interval"):
        np.testing.assert_allclose(_found[1:], np.maximum(2 * _errors[0] - _q, 0), atol=1e-9)
### END HIDDEN TESTS

# %% hint
r"""
The *upper* quantile makes the *lower* end.
"""

# %% question thinned, data, 4 points, goal 4
r"""
## A file with one negative in ten

From a population of cases all positives were kept, and each negative with the known probability `kept`; the file holds these rows.
So a row stands for one or for $1/\text{kept}$ cases of the population, but it is *one* outcome.
Return

- the estimate $b$ of the mean residual of the population, $\sum_i w_i (z_i - p_i) / \sum_i w_i$ with the right weights,
- its standard error $\sqrt{\sum_i w_i^2 (z_i - p_i - b)^2} \,/ \sum_i w_i$,
- the prediction that is right *in the file* for a case whose prediction $p$ is right in the population: an array, for all rows.

Your data are drawn below, from a calibrated forecaster. The test prints $b$ in standard errors, and what one gets without weights.
"""


# %% code
def thinned_file(name, student, n=4000, kept=0.1):
    """Labels and predictions of the rows that were kept."""
    rng = kit.rng(name, student)
    predictions = kit.expit(rng.normal(-2.2, 1, n))
    labels = kit.draw_labels(predictions, rng)
    stays = (labels == 1) | (rng.random(n) < kept)
    return labels[stays], predictions[stays]


file_labels, file_predictions = thinned_file("thinned", STUDENT)


# %% answer
def judge_thinned(labels, predictions, kept):
    """Estimate, standard error, and the predictions that are right in the file."""
    ### BEGIN SOLUTION
    residuals, w = labels - predictions, np.where(labels == 1, 1, 1 / kept)
    bias = np.average(residuals, weights=w)
    error = np.sqrt(np.sum(w**2 * (residuals - bias) ** 2)) / w.sum()
    return bias, error, predictions / (predictions + kept * (1 - predictions))
    ### END SOLUTION


# %% test
_found = judge_thinned(np.array([1, 0]), np.array([0.5, 0.2]), 0.25)
np.testing.assert_allclose(_found[0], -0.06)
np.testing.assert_allclose(_found[1], np.sqrt(0.56**2 + 16 * 0.14**2) / 5)
np.testing.assert_allclose(_found[2], [0.8, 0.5])
_b, _se, _ = judge_thinned(file_labels, file_predictions, 0.1)
_naive = np.sum(file_labels - file_predictions)
_naive /= np.sqrt(np.sum(file_predictions * (1 - file_predictions)))
print(f"with weights {_b / _se:+.1f} standard errors, without {_naive:+.1f}")
### BEGIN HIDDEN TESTS
for _name, _kept in [("thinned again", 0.1), ("thinned third", 0.4), ("thinned last", 1.0)]:
    _z, _p = thinned_file(_name, STUDENT, n=800, kept=_kept)
    _found = judge_thinned(_z, _p, _kept)
    _one, _ten = _z == 1, _z == 0
    _total = _one.sum() + _ten.sum() / _kept
    _bias = (np.sum(1 - _p[_one]) - np.sum(_p[_ten]) / _kept) / _total
    with part(2, "the estimate"):
        np.testing.assert_allclose(_found[0], _bias, atol=1e-9)
    with part(1, "its error"):
        _squares = np.sum((1 - _p[_one] - _bias) ** 2) + np.sum((_p[_ten] + _bias) ** 2) / _kept**2
        np.testing.assert_allclose(_found[1], _squares**0.5 / _total, rtol=1e-6)
    with part(1, "predictions in the file"):
        _odds = _p / (1 - _p) / _kept
        np.testing.assert_allclose(_found[2], _odds / (1 + _odds), rtol=1e-6)
### END HIDDEN TESTS

# %% hint
r"""
Thinning the negatives multiplies the odds of a positive by $1/\text{kept}$.
"""

# %% question claim, reading, 4 points, goal 5
r"""
## Better by every measure?

A report compares a model A with B, which is isotonic regression of A's scores, fitted to the labels of the same 250 test cases:

| | ECE, 15 groups | MCB (Brier) | Brier score | p value of an exact test |
|---|--:|--:|--:|--:|
| A | 0.052 | 0.012 | 0.153 | 0.09 |
| B | 0.000 | 0.000 | 0.141 | 1.00 |

"A is not calibrated; B is perfectly calibrated, and better by every measure. Recalibration lowers the Brier score by 0.012."

1. For a calibrated forecaster with groups that depend on the predictions alone, the mean ECE is about $0.8 \sum_k P(k) \sigma_k$, where $\sigma_k^2$ is the variance of the gap of group $k$. With 15 groups of equal size and a mean of $p(1-p)$ of 0.15 in each, what is it? What does A's 0.052 show?
2. Why must B's MCB be 0, and its ECE, if groups keep equal predictions together and each group holds whole blocks? What do these zeros, and the p value 1.00, say about new cases?
3. "A is not calibrated", from p = 0.09. What does the p value say, and what would p = 0.6 say?
4. Which evaluation would you ask for, so that the last sentence can be judged? Name the data, the number, and what must stand beside it.
"""

# %% written
r"""
### BEGIN SOLUTION
1. $0.8 \cdot \sqrt{0.15/(250/15)} = 0.8 \cdot 0.095 = 0.076$. A's ECE is *below* what a calibrated forecaster would have on average: it shows nothing against A.
2. The isotonic regression of values that are already its own block means, on the same labels, is itself; so $S(p) = S(g)$. In each block prediction and fraction agree, so every group's gap is 0. Both hold whatever the labels are, even if they are coins: they say nothing about new cases, and a p value computed with labels that made the predictions is no p value.
3. If A is calibrated, an error as large occurs in 9 of 100 samples: weak evidence, not significant at 5 %, and no proof of anything. p = 0.6 would not show that A is calibrated: with 250 cases considerable errors stay unseen.
4. Fresh cases (or cross-validation with the calibrator fitted inside the folds); the difference of the Brier score, or log loss, of A and B on the same cases; beside it an interval or standard error of the paired difference, and what the MCB of a calibrated forecaster would be by chance.

**Rubric.** 1 point each part. Part 1 needs 0.07 to 0.08 and the conclusion; part 2 "in every sample"; part 3 both directions; part 4 fresh cases and an interval.
### END SOLUTION
"""

# %% question break_it, break it, 3 points, goal 5
r"""
## Break it: errors that cancel along the way

Find labels and predictions of at most 2000 cases so that the Kuiper error is at most 0.02 and the MCB at most 0.03, although the forecaster is badly wrong: every prediction that occurs does so for at least ten cases, and at each the fraction of positives differs from it by 0.3 or more.
Predictions lie between 0.05 and 0.95. The MCB is that of the Brier score.
"""


# %% answer
def unseen_errors():
    """Labels and predictions."""
    ### BEGIN SOLUTION
    values = np.linspace(0.49, 0.51, 60)
    labels = np.tile(np.repeat([1, 0], 10), 30)
    return labels, np.repeat(values, 10)
    ### END SOLUTION


# %% test
_z, _p = unseen_errors()
assert np.shape(_z) == np.shape(_p) and len(_z) <= 2000, "at most 2000 cases"
assert set(np.unique(_z)) <= {0, 1}, "labels are 0 or 1"
assert np.all((0.05 <= np.asarray(_p)) & (np.asarray(_p) <= 0.95)), "between 0.05 and 0.95"
### BEGIN HIDDEN TESTS
_z, _p = np.asarray(_z), np.asarray(_p)
_values, _place, _counts = np.unique(_p, return_inverse=True, return_counts=True)
assert len(_p) and _counts.min() >= 10, "a prediction occurs fewer than ten times"
_o = np.bincount(_place, _z) / _counts
assert np.all(np.abs(_o - _values) >= 0.3 - 1e-12), "a prediction is not far from its fraction"
_path = np.append(0, np.cumsum(_counts * (_o - _values)))
assert np.ptp(_path) / len(_p) <= 0.02 + 1e-12, "the Kuiper error is above 0.02"
from sklearn.isotonic import IsotonicRegression as _Isotonic

_g = _Isotonic().fit(_values, _o, sample_weight=_counts).predict(_values)[_place]
_mcb = np.mean((_z - _p) ** 2) - np.mean((_z - _g) ** 2)
assert _mcb <= 0.03, f"the MCB is {_mcb:.3f}"
### END HIDDEN TESTS

# %% hint
r"""
Neighbours may be wrong in opposite directions.
"""
