# Problem set 7. course/README.md explains the cells.

# %% text
r"""
# Problem set 7: averages of models

About four hours; one point stands for about six minutes.
Read the chapters *BBQ: averaging over binnings*, *From the raw frequencies to isotonic regression* and *ENIR: an average along the path* first; long proofs may be skipped.

After this set you can

1. compute the evidence of a binning with Beta priors, and say what it means;
2. average over models with posterior weights, and say what averaging gains and what it does not;
3. fit near-isotonic regression, follow its path and check a fit by its certificate;
4. weight the models of a path by the BIC;
5. read a printed algorithm critically.

Labels are 0 or 1; $\log$ is the natural logarithm. All arrays are NumPy arrays.
Bin $i$ of a binning holds $N_i$ cases, $m_i$ positives and $n_i$ negatives; its unknown probability $\theta_i$ has the prior $\operatorname{Beta}(a_i, b_i)$, with a density proportional to $\theta^{a_i - 1} (1 - \theta)^{b_i - 1}$.
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

# %% question sequential, theory, 4 points, goal 1
r"""
## The probability of the labels

Given $\theta$, the labels of a bin are independent and each is 1 with probability $\theta$; $\theta$ has the prior $\operatorname{Beta}(a, b)$. You may use $\int_0^1 \theta^{s-1}(1-\theta)^{t-1} d\theta = \mathrm{B}(s, t) = \frac{\Gamma(s)\Gamma(t)}{\Gamma(s+t)}$ and $\Gamma(s + 1) = s\,\Gamma(s)$.

1. Show that labels with $m$ ones and $n$ zeros, in the order in which they stand, have the probability $\frac{\mathrm{B}(m + a, n + b)}{\mathrm{B}(a, b)}$ (the *evidence*), and that the next label of the bin is 1 with probability $\frac{m + a}{m + n + a + b}$.
2. The labels are predicted one after the other, each from those before it by the formula of part 1. Show that the total log loss of these predictions is minus the logarithm of the evidence.
3. A bin has the labels 0, 0, 0. Compute the evidence and the prediction for the next label with $a = b = 1$ and with $a = 0.5$, $b = 1.5$. The sum $a + b$ is the same: what does the second prior know?
"""

# %% written
r"""
### BEGIN SOLUTION
1. Given $\theta$ the labels have the probability $\theta^m (1 - \theta)^n$; there is no binomial coefficient, since these labels are asked for and not their number. The prior density is $\theta^{a-1}(1-\theta)^{b-1}/\mathrm{B}(a, b)$. The mean of the first over the second is $\frac{1}{\mathrm{B}(a,b)} \int \theta^{m+a-1}(1-\theta)^{n+b-1} d\theta = \frac{\mathrm{B}(m+a, n+b)}{\mathrm{B}(a, b)}$.
   The probability of the labels and a further 1, divided by that of the labels: $\frac{\mathrm{B}(m + 1 + a, n + b)}{\mathrm{B}(m + a, n + b)} = \frac{\Gamma(m+a+1)}{\Gamma(m+a)} \cdot \frac{\Gamma(m+n+a+b)}{\Gamma(m+n+a+b+1)} = \frac{m+a}{m+n+a+b}$.
2. By the chain rule the probability of all labels is the product of the conditional probabilities of each label given those before it. By part 1 these are the predictions, or one minus the prediction where the label is 0. Minus the logarithm of the product is the sum of the log losses.
3. $a = b = 1$: $\frac12 \cdot \frac23 \cdot \frac34 = \frac14$, next $\frac15$. $a = 0.5$, $b = 1.5$: $\frac{1.5}{2} \cdot \frac{2.5}{3} \cdot \frac{3.5}{4} = 0.547$, next $\frac{0.5}{5} = 0.1$. Both priors are worth two cases; the second expects $\theta = \frac14$, as for a bin with scores around 0.25, so that zeros surprise it less.

**Rubric.** 2 points: part 1, 1 for the integral and 1 for the prediction. 1 point: part 2. 1 point: part 3, four numbers and the reading.
### END SOLUTION
"""

# %% hint
r"""
A conditional probability is a quotient of two evidences, with one label more and without it.
"""

# %% question evidence, numerics, 3 points, goal 1
r"""
## The log evidence of a binning

Return the logarithm of the evidence of all labels: bins are independent, so it is the sum over the bins of $\log \frac{\mathrm{B}(m_i + a_i, n_i + b_i)}{\mathrm{B}(a_i, b_i)}$.
Bins may hold thousands of cases, and the logarithm must stay finite.
`scipy.special.betaln(s, t)` is $\log \mathrm{B}(s, t)$.
"""


# %% answer
def log_evidence(positives, negatives, a, b):
    """Log evidence, a number; the arguments are arrays with an entry for each bin."""
    ### BEGIN SOLUTION
    from scipy.special import betaln

    return np.sum(betaln(positives + a, negatives + b) - betaln(a, b))
    ### END SOLUTION


# %% test
_one = np.ones(1)
np.testing.assert_allclose(log_evidence(2 * _one, _one, _one, _one), np.log(1 / 12))
### BEGIN HIDDEN TESTS
_rng = kit.rng("evidence", STUDENT)
for _size, _k in [(6, 5), (40, 12), (5000, 7)]:
    _m, _n = _rng.integers(0, _size, (2, _k))
    _a, _b = _rng.uniform(0.1, 1.9, (2, _k))
    _total = 0.0  # label by label
    for i in range(_k):
        _ones, _zeros = np.arange(_m[i]) + _a[i], np.arange(_n[i]) + _b[i]
        _all = np.arange(_m[i] + _n[i]) + _a[i] + _b[i]
        _total += np.log(_ones).sum() + np.log(_zeros).sum() - np.log(_all).sum()
    np.testing.assert_allclose(log_evidence(_m, _n, _a, _b), _total, rtol=1e-6)
### END HIDDEN TESTS

# %% hint
r"""
Stay with logarithms from the beginning: $\log \frac{x}{y} = \log x - \log y$.
"""

# %% question counts, numerics, 2 points, goal 1
r"""
## Counts of many binnings

The cases are sorted by their scores, and no two scores are equal.
In the binning of size $B$, where $B$ is at most the number $N$ of cases, the case of rank $j = 0, 1, \dots, N - 1$ belongs to bin $\lfloor B (j + \frac12) / N \rfloor$.
Return the number of positives and the number of cases of each bin.
With prefix sums this takes $B$ steps for each size, after one pass over the labels.
"""


# %% answer
def bin_counts(labels, n_bins):
    """Positives and cases of each bin, two arrays of length n_bins."""
    ### BEGIN SOLUTION
    n = len(labels)
    # bin i begins with the first rank j for which (2 j + 1) B is at least 2 i N
    starts = (2 * n * np.arange(n_bins + 1) + n_bins - 1) // (2 * n_bins)
    prefix = np.append(0, np.cumsum(labels))
    return np.diff(prefix[starts]), np.diff(starts)
    ### END SOLUTION


# %% test
_m, _N = bin_counts(np.array([0, 1, 1, 1, 0, 1]), 2)
np.testing.assert_array_equal(_m, [2, 2])
np.testing.assert_array_equal(_N, [3, 3])
### BEGIN HIDDEN TESTS
_rng = kit.rng("counts", STUDENT)
for _size, _bins in [(100, 7), (101, 13), (47, 47), (30, 1), (64, 24), (10, 4)]:
    _z = _rng.integers(0, 2, _size)
    _m, _N = bin_counts(_z, _bins)
    _bin = [(2 * j + 1) * _bins // (2 * _size) for j in range(_size)]
    np.testing.assert_array_equal(_N, [_bin.count(i) for i in range(_bins)])
    np.testing.assert_array_equal(_m, np.bincount(_bin, _z))
### END HIDDEN TESTS

# %% hint
r"""
`np.append(0, np.cumsum(labels))[j]` is the number of positives among the first `j` cases. In whole numbers the bin of rank `j` is `(2 * j + 1) * n_bins // (2 * n)`.
"""

# %% question weights, numerics, 3 points, goal 2
r"""
## Posterior weights

Models have log evidences and prior weights; the prior weights are positive and need not add up to 1.
Return the posterior weights: in proportion to prior weight times evidence, with the sum 1.
Log evidences of $-5000$ are usual.
"""


# %% answer
def posterior_weights(log_evidences, prior):
    """Posterior weights, an array as long as log_evidences."""
    ### BEGIN SOLUTION
    weights = prior * np.exp(log_evidences - np.max(log_evidences))
    return weights / weights.sum()
    ### END SOLUTION


# %% test
_weights = posterior_weights(np.log([0.01, 0.03]), np.array([1.0, 1.0]))
np.testing.assert_allclose(_weights, [0.25, 0.75])
### BEGIN HIDDEN TESTS
_rng = kit.rng("weights", STUDENT)
for _level in [0, -5000, -40_000]:
    _prior = _rng.gamma(1, size=30) + 0.01
    _logs = _rng.normal(size=30) * 3
    _odds = _prior[:, None] / _prior * np.exp(_logs[:, None] - _logs)
    np.testing.assert_allclose(
        posterior_weights(_logs + _level, _prior), 1 / _odds.sum(axis=0), rtol=1e-6
    )
### END HIDDEN TESTS

# %% hint
r"""
A number that is subtracted from all log evidences changes no weight. Which number keeps the exponentials between 0 and 1?
"""

# %% question bbq, data, 4 points, goal 2
r"""
## Bayesian binning

Your sample is drawn below: scores in $(0, 1)$, no two of them equal, with labels and the true probabilities.
Write the whole method for given sizes $B$.

- In the binning of size $B$ the case of rank $j = 0, 1, \dots, N - 1$ (by score, from the lowest) belongs to bin $\lfloor B(j + \frac12)/N \rfloor$.
- Neighbouring bins are cut halfway between the last score of one and the first of the next; the first bin begins at 0, the last one ends at 1.
- With the middle $p_i$ of bin $i$ (between its two ends) the prior is $a_i = 2 p_i$, $b_i = 2 - 2 p_i$. The evidence of a binning is the product of $\frac{\mathrm{B}(m_i + a_i, n_i + b_i)}{\mathrm{B}(a_i, b_i)}$, and a bin predicts $\frac{m_i + a_i}{N_i + 2}$.
- All sizes have the same prior weight.

Return the predictions for new scores: the average over the binnings with their posterior weights.
The cases come in any order, `sizes` is a list or a range of whole numbers, none above $N$, and new scores are in $(0, 1)$ and never on a cut.
"""


# %% code
def sample(name, student, n):
    """Scores, labels and true probabilities."""
    rng = kit.rng(name, student)
    scores = np.setdiff1d(rng.random(n), [0])
    truth = kit.expit(rng.uniform(1.5, 2.5) * kit.logit(scores))
    order = rng.permutation(len(scores))
    return scores[order], kit.draw_labels(truth, rng)[order], truth[order]


scores, labels, truth = sample("bbq", STUDENT, 300)


# %% answer
def bbq(scores, labels, sizes, new):
    """Averaged predictions, an array as long as new."""
    ### BEGIN SOLUTION
    from scipy.special import betaln

    order = np.argsort(scores)
    y, z, n = scores[order], labels[order], len(scores)
    logs, predictions = [], []
    for size in sizes:
        bins = (2 * np.arange(n) + 1) * size // (2 * n)
        first = np.flatnonzero(np.diff(bins)) + 1
        edges = np.concatenate([[0], (y[first - 1] + y[first]) / 2, [1]])
        cases, ones = np.bincount(bins), np.bincount(bins, z)
        a = edges[:-1] + edges[1:]
        b = 2 - a
        logs.append(np.sum(betaln(ones + a, cases - ones + b) - betaln(a, b)))
        values = (ones + a) / (cases + 2)
        predictions.append(values[np.searchsorted(edges[1:-1], new)])
    weights = np.exp(np.array(logs) - max(logs))
    return weights @ predictions / weights.sum()
    ### END SOLUTION


# %% test
_y, _z = np.array([0.9, 0.1, 0.3, 0.7, 0.8, 0.2]), np.array([1, 0, 0, 1, 1, 0])
_p = bbq(_y, _z, [1, 2], np.array([0.25, 0.75]))
np.testing.assert_allclose(_p, [0.10933, 0.89067], atol=1e-4)
_p = bbq(scores, labels, range(1, 61), scores)
for _name, _f in [("scores", scores), ("averaged binnings", _p)]:
    print(f"{_name}: distance to the truth {np.sqrt(np.mean((_f - truth) ** 2)):.3f}")
### BEGIN HIDDEN TESTS
from scipy.special import betaln

for _name, _size, _sizes in [
    ("bbq one", 60, [1, 2, 3, 5, 8]),
    ("bbq two", 203, range(2, 30)),
    ("bbq three", 1500, [4, 9, 10, 11, 25]),
]:
    _y, _z, _ = sample(_name, STUDENT, _size)
    _place = np.argsort(np.argsort(_y))
    _new = np.concatenate([_y, kit.rng("bbq new", STUDENT).random(40)])
    _logs, _values = [], []
    for _B in _sizes:
        _in = [(2 * j + 1) * _B // (2 * len(_y)) for j in _place]
        _rows = [np.flatnonzero(np.equal(_in, i)) for i in range(_B)]
        _low = [0, *((_y[s].max() + _y[t].min()) / 2 for s, t in zip(_rows, _rows[1:]))]
        _high = [*_low[1:], 1]
        _sum, _f = 0.0, np.empty(len(_new))
        for _cases, _from, _to in zip(_rows, _low, _high, strict=True):
            _ones, _a = _z[_cases].sum(), _from + _to
            _b = 2 - _a
            _sum += betaln(_ones + _a, len(_cases) - _ones + _b) - betaln(_a, _b)
            _f[(_new > _from) & (_new < _to)] = (_ones + _a) / (len(_cases) + _a + _b)
        _logs.append(_sum)
        _values.append(_f)
    _expected = sum(
        _f / sum(np.exp(x - own) for x in _logs) for own, _f in zip(_logs, _values, strict=True)
    )
    np.testing.assert_allclose(bbq(_y, _z, _sizes, _new), _expected, atol=1e-7)
### END HIDDEN TESTS

# %% hint
r"""
Sort the cases once. For each size find the bins of the ranks, their ends, counts, evidence and values. Subtract the largest log evidence before you take exponentials.
"""

# %% question spread, theory, 4 points, goal 2
r"""
## What averaging gains

Let $f = \sum_t \omega_t f_t$ with weights $\omega_t \ge 0$ that add up to 1, let $\pi$ be the truth, and $V = \mathbb{E} \sum_t \omega_t (f_t - f)^2$.

1. Show that $\mathbb{E}(f - \pi)^2 = \sum_t \omega_t\, \mathbb{E}(f_t - \pi)^2 - V$.
2. Two coins $x_1, x_2$ are 0 or 1 with probability $\frac12$, independently, and a label is 1 with probability $\pi = 0.1 + 0.4 x_1 + 0.4 x_2$. Forecaster 1 sees only $x_1$ and says $f_1 = P(z = 1 \mid x_1)$; forecaster 2 does the same with $x_2$. Find $f_1$, $f_2$ and the average $f$ with equal weights, and check part 1 on them.
3. $f_1$ and $f_2$ are calibrated. Is $f$? In which direction is it wrong?
4. "Averaging is better than selecting the best model." Does part 1 show this?
"""

# %% written
r"""
### BEGIN SOLUTION
1. At one score, $\sum_t \omega_t (f_t - \pi)^2 = \sum_t \omega_t \bigl((f_t - f) + (f - \pi)\bigr)^2 = \sum_t \omega_t (f_t - f)^2 + (f - \pi)^2$, since the cross term is $2 (f - \pi) \sum_t \omega_t (f_t - f) = 0$. Take means.
2. $f_1 = 0.3 + 0.4 x_1$, $f_2 = 0.3 + 0.4 x_2$, $f = 0.3 + 0.2 (x_1 + x_2)$. $f_1 - \pi = 0.2 - 0.4 x_2 = \pm 0.2$: squared distance 0.04, the same for $f_2$. $f - \pi = 0.2 - 0.2(x_1 + x_2)$ is $0.2$, $0$ or $-0.2$ with probabilities $\frac14, \frac12, \frac14$: 0.02. $f_1 - f = 0.2 (x_1 - x_2)$, so $V = 0.04 \cdot \frac12 = 0.02$, and $0.04 - 0.02 = 0.02$.
3. No: where $f$ says 0.3 the fraction of positives is 0.1, where it says 0.7 it is 0.9 (at 0.5 it is right). It is under-confident: the truth is nearer to 0 and 1.
4. No. It compares the average with the mean *of the models*; the best or the selected model may be closer to the truth than that mean by more than $V$. And it speaks of squared distance, not of calibration, which part 3 shows may become worse.

**Rubric.** 1 point each part. Part 2 needs the three predictions and the check; part 3 the direction; part 4 the mean of the models named.
### END SOLUTION
"""

# %% hint
r"""
Write $f_t - \pi = (f_t - f) + (f - \pi)$. For part 3 list the three values of $f$ and the truth at each.
"""

# %% question objective, numerics, 2 points, goal 3
r"""
## Nearly isotonic: the objective

Let $\bar z_1, \dots, \bar z_k$ be the mean labels at the distinct scores, in the order of the scores, and $w_i$ their weights.
Near-isotonic regression for $\lambda \ge 0$ is the vector $p$ that minimises
$$F_\lambda(p) = \tfrac12 \sum_{i=1}^k w_i (p_i - \bar z_i)^2 + \lambda \sum_{i=1}^{k-1} (p_i - p_{i+1})_+,$$
where $(t)_+$ is the larger of $t$ and 0: a fall has a price, a rise has none.
Return $F_\lambda(p)$.
"""


# %% answer
def objective(p, means, weights, lam):
    """The value of the objective, a number."""
    ### BEGIN SOLUTION
    falls = np.maximum(p[:-1] - p[1:], 0)
    return np.sum(weights * (p - means) ** 2) / 2 + lam * falls.sum()
    ### END SOLUTION


# %% test
_value = objective(np.array([0.8, 0.2]), np.array([1.0, 0.0]), np.ones(2), 0.2)
np.testing.assert_allclose(_value, 0.16)
### BEGIN HIDDEN TESTS
_rng = kit.rng("objective", STUDENT)
for _k in [1, 2, 9, 40]:
    _p, _means = _rng.random((2, _k))
    _w, _lam = _rng.gamma(2, size=_k), _rng.random() * 3
    _cost = sum(w * (x - y) ** 2 / 2 for w, x, y in zip(_w, _p, _means, strict=True))
    for i in range(1, _k):
        if _p[i] < _p[i - 1]:
            _cost += _lam * (_p[i - 1] - _p[i])
    np.testing.assert_allclose(objective(_p, _means, _w, _lam), _cost)
### END HIDDEN TESTS

# %% question path, theory, 4 points, goal 3
r"""
## A path by hand

Five scores have one label each: 1, 0, 0, 1, 0, all weights 1.
A bin is a run of equal values; put $v = 1$ at a boundary where the values fall, $v = 0$ where they rise and at both ends of the axis. A bin of weight $W$ and positive weight $S$ has the value $\frac{S + \lambda (v_l - v_r)}{W}$, with $v_l$ at its left and $v_r$ at its right end.
You may use that bins that have met never part.

1. Follow the path: bins and values as functions of $\lambda$, from one breakpoint to the next, to the end.
2. Numbers $u_1, \dots, u_4$ with $u_i = \sum_{j \le i} (\bar z_j - p_j)$ are a certificate: $p$ is optimal if $\sum_{j \le 5} (\bar z_j - p_j) = 0$, $u_i = \lambda$ where $p_i > p_{i+1}$, $u_i = 0$ where $p_i < p_{i+1}$, and $0 \le u_i \le \lambda$ where $p_i = p_{i+1}$. Check your fit at $\lambda = \frac12$.
3. Show in general: a near-isotonic fit without falls is the isotonic regression.
"""

# %% written
r"""
### BEGIN SOLUTION
1. $\lambda$ from 0: bins 1 | 00 | 1 | 0, $v$ between them 1, 0, 1. Values $1 - \lambda$, $\lambda/2$, $1 - \lambda$, $\lambda$. The first two meet at $\frac23$, the second and third at $\frac23$, the last two at $\frac12$.
   From $\frac12$: bins 1 | 00 | 10, $v$ 1, 0. Values $1 - \lambda$, $\lambda/2$, $\frac12$. The first two meet at $\frac23$, the last two would meet at 1.
   From $\frac23$: bins 100 | 10, $v$ 0. Values $\frac13$, $\frac12$; no bin moves: the end. This is the isotonic regression $\frac13, \frac13, \frac13, \frac12, \frac12$.
2. At $\lambda = \frac12$: $p = (\frac12, \frac14, \frac14, \frac12, \frac12)$. Differences $\bar z - p$: $\frac12, -\frac14, -\frac14, \frac12, -\frac12$, with the cumulative sums $\frac12, \frac14, 0, \frac12, 0$. $p_1 > p_2$: $u_1 = \frac12 = \lambda$. $p_2 = p_3$: $u_2 = \frac14$ is between 0 and $\frac12$. $p_3 < p_4$: $u_3 = 0$. $p_4 = p_5$: $u_4 = \frac12$ is allowed. The last sum is 0.
3. Let $p$ minimise $F_\lambda$ and have no falls. For every $q$ without falls the penalties of $p$ and $q$ are 0, so $F_\lambda(p) \le F_\lambda(q)$ says that the sum of squares of $p$ is not larger than that of $q$. So $p$ has the least squares among all vectors without falls: that is isotonic regression.

**Rubric.** 2 points: part 1, 1 for the first breakpoint with the bins that join, 1 for the second and the end. 1 point: part 2, all five conditions. 1 point: part 3.
### END SOLUTION
"""

# %% hint
r"""
The pull $v_l - v_r$ is $-1$ for a bin above both neighbours, $+1$ below both, else 0; beyond the left end imagine a lower neighbour, beyond the right end a higher one.
"""

# %% question first, numerics, 2 points, goal 3
r"""
## The first breakpoint

Neighbouring means are different, so that at $\lambda = 0$ each of them is a bin.
From there bin $i$ has the value $\bar z_i + \lambda \frac{v_{i-1} - v_i}{w_i}$, where $v_i = 1$ if $\bar z_i > \bar z_{i+1}$, else 0, and $v_0 = v_k = 0$.
Return the smallest $\lambda$ at which two neighbours have equal values; `np.inf` if there is none.
"""


# %% answer
def first_breakpoint(means, weights):
    """The first lambda at which neighbours meet, a number."""
    ### BEGIN SOLUTION
    v = np.concatenate([[0], means[:-1] > means[1:], [0]])
    slopes = (v[:-1] - v[1:]) / weights
    gap, closing = means[:-1] - means[1:], np.diff(slopes)
    moves = closing != 0
    return np.min(gap[moves] / closing[moves], initial=np.inf)
    ### END SOLUTION


# %% test
np.testing.assert_allclose(first_breakpoint(np.array([1.0, 0.0]), np.array([1.0, 1.0])), 0.5)
np.testing.assert_allclose(first_breakpoint(np.array([0.9, 0.1]), np.array([3.0, 1.0])), 0.6)
### BEGIN HIDDEN TESTS
_rng = kit.rng("first", STUDENT)
assert first_breakpoint(np.arange(5) / 5, np.ones(5)) == np.inf
_cases = [(np.array([1.0, 0.0, 0.05, 1.0]), np.ones(4))]  # the pair that meets first is a rise
_cases += [(_rng.random(k), _rng.integers(1, 9, k) + 0.5) for k in [2, 3, 5, 9, 9, 9, 30]]
_cases += [(1 - np.arange(8) / 8, _rng.gamma(2, size=8) + 0.1)]
for _means, _w in _cases:
    _k = len(_means)
    _speed = []
    for i in range(_k):
        _up = i > 0 and _means[i - 1] > _means[i]
        _down = i < _k - 1 and _means[i] > _means[i + 1]
        _speed.append((int(_up) - int(_down)) / _w[i])
    _times = [np.inf]
    for i in range(_k - 1):
        _approach = (_speed[i + 1] - _speed[i]) * np.sign(_means[i] - _means[i + 1])
        if _approach > 0:
            _times.append(abs(_means[i] - _means[i + 1]) / _approach)
    np.testing.assert_allclose(first_breakpoint(_means, _w), min(_times), rtol=1e-6)
### END HIDDEN TESTS

# %% hint
r"""
Two straight lines $\bar z_i + \lambda s_i$ and $\bar z_{i+1} + \lambda s_{i+1}$ meet at $\lambda = \frac{\bar z_i - \bar z_{i+1}}{s_{i+1} - s_i}$. Neighbours in the right order may meet, too.
"""

# %% question fit, numerics, 3 points, goal 3
r"""
## A near-isotonic fit

Return the near-isotonic regression: the vector $p$ that minimises $F_\lambda$ of the question *Nearly isotonic: the objective*.
Any method will do, if the values are right to $10^{-5}$: the path from breakpoint to breakpoint; or bounded least squares (`scipy.optimize.lsq_linear` with `method="bvls"`) for the $u_i$ with $0 \le u_i \le \lambda$ that minimise $\sum_i w_i\, p_i^2$ with $p_i = \bar z_i - (u_i - u_{i-1})/w_i$ and $u_0 = u_k = 0$.
There are at least two means, neighbouring means may be equal, and $\lambda$ may be 0 (then $p_i = \bar z_i$).
"""


# %% answer
def near_isotonic(means, weights, lam):
    """Fitted values, an array as long as means."""
    ### BEGIN SOLUTION
    v = [0, *(means[:-1] > means[1:]).astype(int), 0]
    W, S, size, now = list(weights), list(weights * means), [1] * len(means), 0.0
    while True:
        pull = [left - right for left, right in zip(v, v[1:])]
        p = [(s + now * c) / w for s, c, w in zip(S, pull, W)]
        equal = [i for i in range(len(p) - 1) if abs(p[i] - p[i + 1]) < 1e-12]
        if equal:
            i = equal[0]
            for totals in [W, S, size]:
                totals[i : i + 2] = [totals[i] + totals[i + 1]]
            del v[i + 1]
            continue
        slope = [c / w for c, w in zip(pull, W)]
        meetings = [
            now + (p[i] - p[i + 1]) / (slope[i + 1] - slope[i])
            for i in range(len(p) - 1)
            if slope[i] != slope[i + 1]
        ]
        if not meetings or min(meetings) >= lam:
            return np.repeat([(s + lam * c) / w for s, c, w in zip(S, pull, W)], size)
        now = min(meetings)
    ### END SOLUTION


# %% test
_two, _ones = np.array([1.0, 0.0]), np.ones(2)
np.testing.assert_allclose(near_isotonic(_two, _ones, 0.2), [0.8, 0.2], atol=1e-5)
np.testing.assert_allclose(near_isotonic(_two, _ones, 3.0), [0.5, 0.5], atol=1e-5)
### BEGIN HIDDEN TESTS
_rng = kit.rng("fit", STUDENT)
_wave = (np.sin(np.arange(25) / 4) + 1) / 2
for _means, _w in [
    (_rng.random(12), np.ones(12)),
    (_rng.integers(0, 2, 30).astype(float), np.ones(30)),
    (_rng.random(25) / 2 + _wave / 2, _rng.integers(1, 20, 25).astype(float)),
    (np.linspace(1, 0, 9), _rng.gamma(2, size=9) + 0.2),
]:
    for _lam in [0.0, 0.1, 0.45, 1.3, 200.0]:
        _p = np.asarray(near_isotonic(_means, _w, _lam))
        _u = np.cumsum(_w * (_means - _p))  # the certificate
        _fall = _p[:-1] - _p[1:]
        assert abs(_u[-1]) < 5e-3, "the sums of w p and of w z differ"
        assert np.all((_u > -5e-3) & (_u < _lam + 5e-3)), "too much is moved"
        assert np.all(abs(_u[:-1] - _lam)[_fall > 1e-4] < 5e-3), "a fall has the wrong size"
        assert np.all(abs(_u[:-1])[_fall < -1e-4] < 5e-3), "a rise has the wrong size"
### END HIDDEN TESTS

# %% hint
r"""
Along the path: keep for each bin its weight, its positive weight and the $v$ at its ends. Join *all* neighbours that are equal, go to the next meeting, and stop before $\lambda$.
"""

# %% question enir, numerics, 3 points, goal 4
r"""
## An average along the path

Row $t$ of `fits` holds the fitted values of model $t$ at the $N$ cases, `n_bins[t]` is its number of bins $d_t$.
With the log-likelihood $L_t = \sum_j z_j \log p_j + (1 - z_j) \log (1 - p_j)$, where $0 \log 0 = 0$, the criterion is $\operatorname{BIC}_t = -2 L_t + d_t \log N$.
The ensemble weights model $t$ in proportion to $e^{-\operatorname{BIC}_t/2}$.
Return the values of the ensemble at the $N$ cases.
A fit may be 0 where the label is 0, and 1 where it is 1; the likelihood is never 0.
"""


# %% answer
def ensemble(fits, labels, n_bins):
    """Averaged values, an array as long as labels."""
    ### BEGIN SOLUTION
    log_likelihood = np.log(np.where(labels == 1, fits, 1 - fits)).sum(axis=1)
    bic = -2 * log_likelihood + n_bins * np.log(len(labels))
    weights = np.exp(-(bic - bic.min()) / 2)
    return weights @ fits / weights.sum()
    ### END SOLUTION


# %% test
_fits = np.array([[0, 1 / 2, 1 / 4, 1 / 4, 1 / 2, 1 / 2], [0, 1 / 3, 1 / 3, 1 / 3, 1 / 2, 1 / 2]])
_mean = ensemble(_fits, np.array([0, 1, 0, 0, 1, 0]), np.array([4, 3]))
np.testing.assert_allclose(_mean, [0, 0.406, 0.297, 0.297, 0.5, 0.5], atol=1e-3)
### BEGIN HIDDEN TESTS
_rng = kit.rng("enir", STUDENT)
for _n in [40, 2500]:
    _truth = np.sort(_rng.random(_n))
    _z = kit.draw_labels(_truth, _rng)
    _z[:3], _z[-3:] = 0, 1
    _d = np.array([1, 2, 3, 4, 6, 8])
    _models = []
    for d in _d:
        _f = np.repeat((np.arange(d) + 0.5) / d, _n // d + 1)[:_n]
        _models.append(np.concatenate([[0.0] * 3, _f[3:-3], [1.0] * 3]))
    _models = 0.4 * np.array(_models) + 0.6 * np.append(0, np.append(_truth[1:-1], 1))
    _models[:, :3], _models[:, -3:] = 0, 1
    _logs = [
        sum(np.log(p if z else 1 - p) for p, z in zip(_f, _z, strict=True)) - d * np.log(_n) / 2
        for d, _f in zip(_d, _models, strict=True)
    ]
    _expected = sum(
        _f / sum(np.exp(x - own) for x in _logs) for own, _f in zip(_logs, _models, strict=True)
    )
    np.testing.assert_allclose(ensemble(_models, _z, _d), _expected, atol=1e-6)
### END HIDDEN TESTS

# %% hint
r"""
Which probability did model $t$ give to the label of case $j$? Take its logarithm only. Subtract the smallest BIC before you take exponentials.
"""

# %% question claim, reading, 4 points, goal 5
r"""
## A box and a footnote

Naeini and Cooper (2016) print an algorithm for the near-isotonic path. It begins with *one bin for each point*. At each step it computes when neighbours meet, takes the smallest of these values, $\lambda^*$, and stops if $\lambda^* \le \lambda$, where $\lambda$ is the present price; else it goes on to $\lambda^*$ and joins the bins that meet there. That is what the box says; in the text of the paper the rule is $\lambda^* < \lambda$.
Neighbours with values $p, p'$ and slopes $s, s'$ meet at $\lambda + \frac{p - p'}{s' - s}$, and never if $s = s'$.
A footnote says that the number of bins of a fit is an estimate of its degrees of freedom $\operatorname{df} = \sum_i \operatorname{Cov}(\hat p_i, z_i)/\operatorname{Var} z_i$.

1. Run both rules by hand on the labels 1, 1, 0, one bin for each.
2. Why can nobody have computed an ensemble with the rule of the box and one bin for each point, on 0/1 labels? How would you mend the algorithm? Why is $\le$ dangerous in floating-point numbers even then, say for the labels 1, 0, 1, 0?
3. The number of bins is unbiased for df if the observations are normal. Take 1000 distinct scores, labels that are 1 with probability $\frac12$ independently, and the fit at $\lambda = 0$. How many bins has it, about, and what is df?
4. In the situation of part 3 compare the labels themselves with the truth ($p = \frac12$, one bin), by AIC $= -2L + 2d$ and by BIC $= -2L + d \log N$, with $d$ the number of bins. What would you conclude for the choice of a criterion?
"""

# %% written
r"""
### BEGIN SOLUTION
1. Slopes: first bin 0, second $-1$ (a fall behind it), third $+1$. The first two meet at $0 + \frac{1 - 1}{-1 - 0} = 0$, the last two at $\frac{1 - 0}{1 + 1} = \frac12$, so $\lambda^* = 0$. The box: $0 \le 0$, stop, with no breakpoint and the labels as the fit. The text: $0 < 0$ is false; the first two are joined at 0 (weight 2, slope $-\frac12$), and $1 - \frac\lambda2 = \lambda$ at $\frac23$, where all have the value $\frac23$, the isotonic regression.
2. Among 0/1 labels some neighbours are nearly always equal; where one of two equal neighbours moves and the other does not, $\lambda^* = 0$ and the loop ends at once, without a model. So a program must have done something else. Join equal neighbours before the start, and stop only if no neighbours meet any more. With $\le$: for 1, 0, 1, 0 all three pairs meet at $\frac12$. If rounding makes their times differ in the last digit, one pair is joined, the next meeting is "not later than now", and the path ends too early, without an error. So all that meet have to be joined at once.
3. A label differs from its neighbour with probability $\frac12$: about $1 + 999/2 \approx 500$ bins. But $\hat p_i = z_i$, so every covariance is $\operatorname{Var} z_i$, and df $= 1000$.
4. Labels: $L = 0$, $d \approx 500$: AIC 1000, BIC $500 \cdot 6.91 = 3454$. Truth: $-2L = 2000 \log 2 = 1386$, AIC 1388, BIC 1393. AIC prefers the labels to the truth, because bins undercount the freedom of the fit (with $d = 1000$ it would not: 2000); BIC does not. For 0/1 labels with distinct scores AIC with bins in the place of df should not be used; BIC is the safer choice.

**Rubric.** 1 point each part. Part 1 needs both runs; part 2 the reason and the mending; part 3 both numbers; part 4 the numbers and a conclusion.
### END SOLUTION
"""

# %% hint
r"""
Part 1: $v$ is 1 only between the second and the third label. Part 4: the fit that equals the labels has the likelihood 1.
"""

# %% question break_it, break it, 2 points, goal 2
r"""
## Break it: follow the leader

Labels are predicted one after the other by two models.
The average of the two, with the weights of the moment, is never more than $\log 2$ behind the better model in total log loss, whatever the labels.
Selection is not so safe: it predicts each label by the *leader*, the model with the smaller log loss on the labels before (model 0 at the first label, and whenever the difference is at most $10^{-9}$).

Find at least 50 labels and the predictions of two models, all between 0.05 and 0.95, such that the total log loss of these predictions by the leader is at least 10 larger than that of *each* of the two models.
"""


# %% answer
def mislead():
    """Labels, and an array of predictions with two rows, one for each model."""
    ### BEGIN SOLUTION
    labels = np.ones(50, dtype=int)
    turns = np.where(np.arange(50) % 2 == 1, 0.2, 0.8)
    predictions = np.array([turns, 1 - turns])
    predictions[:, 0] = 0.6, 0.4  # now model 0 leads, and from now on the leader is wrong
    return labels, predictions
    ### END SOLUTION


# %% test
_z, _p = (np.asarray(x) for x in mislead())
assert _z.ndim == 1 and len(_z) >= 50 and set(_z.tolist()) <= {0, 1}, "at least 50 labels"
assert _p.shape == (2, len(_z)), "two rows of predictions"
assert np.all((_p >= 0.05) & (_p <= 0.95)), "predictions are between 0.05 and 0.95"
### BEGIN HIDDEN TESTS
_loss = -np.log(np.where(_z == 1, _p, 1 - _p))
_paid, _so_far = 0.0, np.zeros(2)
for _now in _loss.T:
    _paid += _now[int(_so_far[1] < _so_far[0] - 1e-9)]
    _so_far = _so_far + _now
assert _paid >= _so_far.max() + 10 - 1e-9, "the leader does not lose enough"
### END HIDDEN TESTS

# %% hint
r"""
Let all labels be 1, and let the models take turns: whichever is ahead predicts the next label badly.
"""
