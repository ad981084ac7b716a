# Problem set 14. course/README.md explains the cells.

# %% text
r"""
# Problem set 14: overlapping groups, and many classes

About four hours; one point stands for about six minutes.
Read *Multicalibration*, *What no prediction can do* and *Partial pooling* of the chapter *Groups: multicalibration, fairness, partial pooling*, and *Four meanings of calibrated*, *One class against the rest* and *The predicted class, with a guarantee* of *More than two classes* first.

After this set you can

1. find the sets in which a prediction is wrong, repair one, and say when to stop;
2. say which fairness criteria calibration excludes, with numbers;
3. pool small groups, and let the data say how much;
4. tell four meanings of calibration for more than two classes apart;
5. calibrate the predicted class, and read claims about groups and classes critically.

In the first half labels $z_i$ are 0 or 1 and `predictions` are probabilities of label 1; in the second half classes are $0, \dots, K - 1$ and a prediction is a vector of $K$ probabilities.
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

# %% question audit, data, 4 points, goal 1
r"""
## Where is it wrong?

`groups` is an array of shape $(n, M)$ of booleans: `groups[i, g]` says whether case $i$ is in group $g$. Groups may overlap.
Level $j$ of $L$ holds the predictions in $[j/L, (j+1)/L)$, the last one 1 as well.
A set $S$ is made of the cases of one group with predictions in one level.
Return

- the biases $\frac1n \sum_{i \in S} (z_i - p_i)$ of all sets, an array of shape $(M, L)$ with 0 for sets without a case,
- group and level of the set with the largest *evidence* $2\,n_S\,b^2$, where $b = \frac{1}{n_S + 1} \sum_{i \in S} (z_i - p_i)$ and $n_S$ is the number of its cases.

Your data are drawn below: people with three attributes, and groups that overlap. The test prints the worst set.
"""


# %% code
def people(name, student, n=1500):
    """Labels, predictions and six overlapping groups; one of them is treated wrongly."""
    rng = kit.rng(name, student)
    young, town, new = rng.random((3, n)) < np.array([[0.3], [0.6], [0.15]])
    logits = rng.normal(-0.5, 1.2, n)
    labels = kit.draw_labels(kit.expit(logits + 1.0 * (new & town) - 0.1 * new), rng)
    groups = np.column_stack([young, ~young, town, new, new & town, np.ones(n, dtype=bool)])
    return labels, kit.expit(logits), groups


labels, predictions, groups = people("audit", STUDENT)


# %% answer
def audit(labels, predictions, groups, n_levels):
    """Biases of all sets, and (group, level) of the one with the largest evidence."""
    ### BEGIN SOLUTION
    level = np.minimum((predictions * n_levels).astype(int), n_levels - 1)
    inside = level[:, None] == np.arange(n_levels)
    sums = groups.T @ (inside * (labels - predictions)[:, None])
    sizes = groups.T.astype(int) @ inside
    evidence = 2 * sizes * (sums / (sizes + 1)) ** 2
    return sums / len(labels), np.unravel_index(evidence.argmax(), evidence.shape)
    ### END SOLUTION


# %% test
_groups = np.array([[1, 1], [1, 0], [0, 1], [1, 1]], dtype=bool)
_biases, _worst = audit(np.array([1, 0, 1, 1]), np.array([0.25, 0.5, 0.75, 1.0]), _groups, 2)
np.testing.assert_allclose(_biases, [[0.1875, -0.125], [0.1875, 0.0625]])
assert tuple(_worst) == (0, 0) or tuple(_worst) == (1, 0), "both have one case and bias 0.75"
_biases, _worst = audit(labels, predictions, groups, 4)
print(f"worst set: group {_worst[0]}, level {_worst[1]}, bias {_biases[_worst[0]][_worst[1]]:+.4f}")
### BEGIN HIDDEN TESTS
_rng = kit.rng("audit again", STUDENT)
_cases = [(*people("audit again", STUDENT, 150), L) for L in [1, 4, 10]]
_lone = np.arange(60) < 1  # a single case with a large bias, and many with a smaller one
_cases.append((np.ones(60), np.where(_lone, 0.05, 0.7), np.column_stack([_lone, ~_lone]), 2))
_cases.append((np.zeros(4), np.array([0.0, 0.5, 1.0, 0.25]), np.ones((4, 1), dtype=bool), 4))
for _z, _p, _G, _L in _cases:
    _n, _M = _G.shape
    _expected, _evidence = np.zeros((2, _M, _L))
    for _g in range(_M):
        for _j in range(_L):
            _rows = [i for i in np.flatnonzero(_G[:, _g]) if min(int(_p[i] * _L), _L - 1) == _j]
            _sum = sum(_z[i] - _p[i] for i in _rows)
            _expected[_g, _j] = _sum / _n
            _evidence[_g, _j] = 2 * len(_rows) * (_sum / (len(_rows) + 1)) ** 2
    _biases, _worst = audit(_z, _p, _G, _L)
    with part(2, "the biases"):
        np.testing.assert_allclose(_biases, _expected, atol=1e-9)
    with part(2, "the worst set"):
        assert _evidence[int(_worst[0]), int(_worst[1])] >= _evidence.max() - 1e-9
### END HIDDEN TESTS

# %% hint
r"""
`groups.T @ (inside * residual[:, None])` adds up the residuals of all sets at once, if `inside[i, j]` says whether case $i$ lies in level $j$.
"""

# %% question patch, numerics, 4 points, goal 1
r"""
## One patch

A patch repairs the predictions of one set $S$ with $n$ cases, mean prediction $\bar p$ and $m$ positives, on the scale of log odds: $\operatorname{logit} p \leftarrow \operatorname{logit} p + c$ for the cases of the set, with the $c$ that makes their mean $\bar p + b$, where $b = (m - n \bar p)/(n + 1)$ is the bias, shrunk by one case that is as predicted.
Return all predictions after the patch, those outside of the set unchanged, and the evidence $n\,d(\bar p + b, \bar p)$ with $d(q, p) = q \log\frac qp + (1 - q) \log \frac{1-q}{1-p}$.
`inside` is an array of booleans; at least one case is inside.
"""


# %% answer
def patch(labels, predictions, inside):
    """All predictions after the patch, and its evidence; predictions lie between 0 and 1."""
    ### BEGIN SOLUTION
    from scipy.optimize import brentq

    p, n = predictions[inside], np.sum(inside)
    mean = p.mean()
    goal = mean + (labels[inside].sum() - n * mean) / (n + 1)
    logits = kit.logit(p)
    c = brentq(lambda c: kit.expit(logits + c).mean() - goal, -60, 60, xtol=1e-12)
    new = predictions.astype(float)
    new[inside] = kit.expit(logits + c)
    d = goal * np.log(goal / mean) + (1 - goal) * np.log((1 - goal) / (1 - mean))
    return new, n * d
    ### END SOLUTION


# %% test
_new, _evidence = patch(
    np.array([1, 1, 0]), np.array([0.5, 0.5, 0.2]), np.array([True, True, False])
)
np.testing.assert_allclose(_new, [5 / 6, 5 / 6, 0.2], atol=1e-6)
np.testing.assert_allclose(_evidence, 2 * (5 / 6 * np.log(5 / 3) + np.log(1 / 3) / 6), atol=1e-6)
### BEGIN HIDDEN TESTS
_rng = kit.rng("patch", STUDENT)
for _n, _shift in [(40, 1.0), (7, -9.0), (150, 9.0), (60, 0.0)]:
    _p = kit.expit(_rng.normal(-1, 2, _n))
    _inside = _rng.random(_n) < 0.6
    _inside[:2] = [True, False]
    _z = kit.draw_labels(kit.expit(kit.logit(_p) + _shift), _rng)
    _before = _p.copy()
    _new, _evidence = patch(_z, _p, _inside)
    _new = np.asarray(_new)
    _size, _mean = _inside.sum(), _before[_inside].mean()
    _goal = _mean + (_z[_inside].sum() - _size * _mean) / (_size + 1)
    with part(3, "the predictions"):
        np.testing.assert_allclose(_new[~_inside], _before[~_inside])
        np.testing.assert_allclose(_new[_inside].mean(), _goal, atol=1e-7)
        _c = kit.logit(_new[_inside]) - kit.logit(_before[_inside])
        np.testing.assert_allclose(_c, np.full(len(_c), _c[0]), atol=1e-5)
    with part(1, "the evidence"):
        _d = _goal * np.log(_goal / _mean) + (1 - _goal) * np.log((1 - _goal) / (1 - _mean))
        np.testing.assert_allclose(_evidence, _size * _d, atol=1e-7)
### END HIDDEN TESTS

# %% hint
r"""
The mean of $\operatorname{sigmoid}(\ell_i + c)$ increases with $c$: bisection, or `scipy.optimize.brentq`.
"""

# %% question stops, theory, 4 points, goal 1
r"""
## Why patching ends, and when it should

1. A patch adds $s$ to the predictions of $n$ of the $N$ cases, whose bias is $b_0$ before and $b_1 = b_0 - s$ after; no prediction leaves $[0, 1]$. Show that the Brier score falls by exactly $\frac nN (b_0^2 - b_1^2)$.
2. Each patch has the full shift $s = b_0$ and is made only if $\frac nN b_0^2 \ge \tau$. How many patches can there be, if the Brier score of the scores is 0.18 and $\tau = 0.002$?
3. The predictions are right. For a set of $n$ cases $\frac1n\sum (z_i - p_i)$ exceeds $t$ in absolute value with probability at most $2 e^{-2nt^2}$ (Hoeffding). There are $M$ sets, which depend on the predictions and the attributes only. For which $T$ is the probability at most $\alpha$ that any set has $2 n b^2 \ge T$, with $b$ the bias (not shrunk)? Compute $T$ for 200 sets and $\alpha = 0.05$.
4. Somebody patches until no set has any bias at all, on 1000 cases with 200 sets, and reports: "Multicalibrated." What has happened to new cases, and why can part 1 not help?
"""

# %% written
r"""
### BEGIN SOLUTION
1. In the set $\sum (z - p - s)^2 = \sum (z - p)^2 - 2 s \sum (z - p) + n s^2 = \sum (z-p)^2 - 2 n s b_0 + n s^2$. With $s = b_0 - b_1$, $2 s b_0 - s^2 = s (2 b_0 - s) = (b_0 - b_1)(b_0 + b_1) = b_0^2 - b_1^2$. Divide by $N$; other cases do not change.
2. Each one takes at least 0.002 off a number that is never negative: at most $0.18/0.002 = 90$.
3. $2 n b^2 \ge T$ means $\lvert b \rvert \ge \sqrt{T/(2n)}$, with probability at most $2 e^{-T}$ for each set, whatever its size; the union bound gives $2 M e^{-T} \le \alpha$ for $T = \log(2M/\alpha)$. $\log(400/0.05) = \log 8000 = 8.99$.
4. It has followed the noise of 1000 labels: sets with a few cases get their own fractions, and on new cases the score is worse than with a stop at $T$, possibly worse than without patches. Part 1 counts the Brier score on the *same* cases, where every patch gains; the labels that made the patch are not new ones.

**Rubric.** 1 point each part. Part 2 the number; part 3 $T$ in general and 8.99; part 4 "same cases".
### END SOLUTION
"""

# %% hint
r"""
For part 3 choose the limit for the bias of each set so that all sets have the same probability.
"""

# %% question rates, numerics, 3 points, goal 2
r"""
## Error rates of right probabilities

The predictions are right: given the prediction $p$, the label is 1 with probability $p$.
A case of group $g$ gets a positive decision if its prediction is at least `thresholds[g]`.
Return three arrays with an entry for each group $0, 1, \dots$: among *expected* numbers of cases of the group,

- the share of the positives that get a positive decision (true positive rate),
- the share of the negatives that get one (false positive rate),
- the share of positives among the positive decisions (0 if there are none).

Labels are not given, and not needed.
"""


# %% answer
def expected_rates(predictions, groups, thresholds):
    """True positive rate, false positive rate and predictive value by group."""
    ### BEGIN SOLUTION
    k = len(thresholds)
    yes = predictions >= np.asarray(thresholds)[groups]

    def total(values):
        return np.bincount(groups, values, minlength=k)

    true, false = total(predictions * yes), total((1 - predictions) * yes)
    chosen = np.maximum(true + false, 1e-300)
    return true / total(predictions), false / total(1 - predictions), true / chosen
    ### END SOLUTION


# %% test
_p, _g = np.array([0.2, 0.8, 0.2, 0.4]), np.array([0, 0, 1, 1])
_found = expected_rates(_p, _g, np.array([0.5, 0.5]))
np.testing.assert_allclose(_found, [[0.8, 0], [0.2, 0], [0.8, 0]], atol=1e-9)
### BEGIN HIDDEN TESTS
_rng = kit.rng("rates", STUDENT)
for _M in [1, 2, 4]:
    _g = _rng.permutation(np.append(np.arange(_M), _rng.integers(0, _M, 60)))
    _p = np.clip(np.round(_rng.beta(1 + _g, 2), 2), 0.01, 0.99)
    _t = np.round(_rng.uniform(0.2, 0.6, _M), 2)
    _t[-1] = 0.995 if _M == 4 else _p[_g == _M - 1].max()  # nobody, or exactly the largest
    _rows = [(_p[_g == k], _p[(_g == k) & (_p >= _t[k])]) for k in range(_M)]
    _found = expected_rates(_p, _g, _t)
    for _at, _name, _expected in [
        (0, "true positive rate", [sum(c) / sum(a) for a, c in _rows]),
        (1, "false positive rate", [sum(1 - c) / sum(1 - a) for a, c in _rows]),
        (2, "predictive value", [c.mean() if len(c) else 0.0 for _, c in _rows]),
    ]:
        with part(1, _name):
            np.testing.assert_allclose(_found[_at], _expected, atol=1e-9)
### END HIDDEN TESTS

# %% hint
r"""
A case with the prediction 0.2 is a fifth of a positive and four fifths of a negative.
"""

# %% question impossible, theory, 4 points, goal 2
r"""
## What calibration excludes

In group $g$ let $o_g = \bar\pi_g/(1 - \bar\pi_g)$ be the odds of a positive.

1. A decision has in group $g$ the predictive value $\mathrm{PPV}$, the false negative rate $\mathrm{FNR}$ and the false positive rate $\mathrm{FPR}$. Show that $\mathrm{FPR} = o_g \frac{1 - \mathrm{PPV}}{\mathrm{PPV}} (1 - \mathrm{FNR})$.
2. In group A 20 % are positive, in B 50 %. A test has PPV 0.8 and FNR 0.3 in both. Compute the two false positive rates, and say what this means for a negative person of A and of B.
3. Let $A_g = \mathbb{E}[p \mid z = 1]$ and $B_g = \mathbb{E}[p \mid z = 0]$ in group $g$, and $\mathbb{E}\,p = \bar\pi_g$. Show $B_g = o_g(1 - A_g)$. For which forecasters are $A$ and $B$ the same in two groups with different base rates?
4. "Our score is calibrated in both groups, so by the theorem no bank that uses it can have equal false positive rates." What is wrong with the conclusion? Give a decision rule with equal false positive rates that uses a calibrated score, and say what it gives up.
"""

# %% written
r"""
### BEGIN SOLUTION
1. In shares of the group: true positives $\bar\pi(1 - \mathrm{FNR})$, false positives $(1 - \bar\pi)\mathrm{FPR}$, and $\frac{1 - \mathrm{PPV}}{\mathrm{PPV}}$ is their quotient false/true. So $(1 - \bar\pi)\mathrm{FPR} = \frac{1-\mathrm{PPV}}{\mathrm{PPV}} \bar\pi (1 - \mathrm{FNR})$; divide by $1 - \bar\pi$.
2. A: $0.25 \cdot 0.25 \cdot 0.7 = 0.044$. B: $1 \cdot 0.25 \cdot 0.7 = 0.175$. A negative person of B gets a wrong positive decision four times as often.
3. $\bar\pi = \mathbb{E}\,p = \bar\pi A + (1 - \bar\pi) B$, so $(1 - \bar\pi) B = \bar\pi (1 - A)$. With the same $A$ and $B$ in both, $(o_1 - o_2)(1 - A) = 0$, so $A = 1$ and $B = 0$: all predictions are 0 or 1 and right.
4. The theorem excludes equal FPR *together with* equal PPV and equal FNR (for different odds); calibration of the score does not fix PPV and FNR of a decision. With a threshold for each group, chosen so that the FPRs are equal (or with chance at a tie), a calibrated score serves; it gives up one threshold for all, that is, people with the same probability are treated differently, and PPV or FNR differ. (Deciding positively for nobody has equal rates, too.)

**Rubric.** 1 point each part. Part 2 both numbers and the sentence; part 3 the equation and the perfect forecaster; part 4 what the theorem needs besides, and a rule.
### END SOLUTION
"""

# %% question pool, numerics, 3 points, goal 3
r"""
## How much to pool

Group $i$ has `cases[i]` cases and `positives[i]` positives; $\theta_0$ is the fraction of positives of all cases together.
A prior worth $k$ cases gives group $i$ the probability $\frac{m_i + k \theta_0}{n_i + k}$.
Choose the $k$ of `candidates` for which the labels are most likely, if the probability of each group is drawn from the beta distribution with the parameters $a = k\theta_0$ and $b = k(1 - \theta_0)$: the largest $\prod_i \frac{B(m_i + a,\, n_i - m_i + b)}{B(a, b)}$, where $B$ is the beta function.
Return this $k$, and the probabilities of the groups.
`scipy.special.betaln` is $\log B$.
"""


# %% answer
def pooled(positives, cases, candidates):
    """The chosen k, and the probability of each group."""
    ### BEGIN SOLUTION
    from scipy.special import betaln

    theta = positives.sum() / cases.sum()

    def evidence(k):
        a, b = k * theta, k * (1 - theta)
        return np.sum(betaln(positives + a, cases - positives + b) - betaln(a, b))

    k = max(candidates, key=evidence)
    return k, (positives + k * theta) / (cases + k)
    ### END SOLUTION


# %% test
_k, _theta = pooled(np.array([1, 9]), np.array([10, 10]), np.array([2.0, 1000.0]))
np.testing.assert_allclose([_k, *_theta], [2, 2 / 12, 10 / 12])
_k, _theta = pooled(np.array([5, 5]), np.array([10, 10]), np.array([2.0, 1000.0]))
np.testing.assert_allclose([_k, *_theta], [1000, 0.5, 0.5])
### BEGIN HIDDEN TESTS
from math import lgamma as _lgamma

_rng = kit.rng("pool", STUDENT)
_found = set()
for _spread in [0.5, 3.0, 20.0, 1e9, 8.0]:
    _n = _rng.integers(1, 60, 25)
    _m = _rng.binomial(_n, _rng.beta(0.3 * _spread, 0.7 * _spread, 25))
    _m[0] = 0  # a group without a positive
    _ks = np.array([0.5, 2.0, 10.0, 50.0, 1000.0])
    _t = sum(_m) / sum(_n)

    def _log_beta(a, b):
        return _lgamma(a) + _lgamma(b) - _lgamma(a + b)

    _scores = [
        sum(
            _log_beta(m + k * _t, n - m + k * (1 - _t)) - _log_beta(k * _t, k * (1 - _t))
            for m, n in zip(_m, _n, strict=True)
        )
        for k in _ks
    ]
    _k, _theta = pooled(_m, _n, _ks)
    with part(2, "how much"):
        assert _k in _ks
        assert _scores[list(_ks).index(_k)] >= max(_scores) - 1e-9
    with part(1, "the probabilities"):
        np.testing.assert_allclose(_theta, [(m + _k * _t) / (n + _k) for m, n in zip(_m, _n)])
### END HIDDEN TESTS

# %% hint
r"""
Add logarithms over the groups, and compare the candidates.
"""

# %% question meanings, numerics, 4 points, goal 4
r"""
## Four meanings

`vectors` has a row for each distinct prediction, $K$ probabilities with one that is largest; `counts[r, k]` cases with prediction $r$ have class $k$.
For each meaning cases are put together that it cannot tell apart; the error is the mean over all cases of the gap of their set. Return

- canonical: sets with the same vector; the gap is $\frac12 \sum_k \lvert o_k - p_k \rvert$ with the fractions $o_k$ of the classes in the set,
- class-wise: for class $k$ sets with the same $p_k$, and the gap $\lvert o_k - p_k \rvert$; the mean over the classes,
- top label: sets with the same top class and the same largest probability; the gap is $\lvert \text{fraction right} - \text{largest probability} \rvert$,
- confidence: sets with the same largest probability, whatever the class; the same gap.

Numbers that differ by less than $10^{-9}$ are equal.
"""


# %% answer
def four_errors(vectors, counts):
    """Canonical, class-wise, top-label and confidence error."""
    ### BEGIN SOLUTION
    sizes, n = counts.sum(axis=1), counts.sum()
    top, rows = vectors.argmax(axis=1), np.arange(len(vectors))

    def error(keys, right, p):
        """Sum of the gaps over sets with equal keys, in cases; its rows have these right."""
        _, place = np.unique(np.round(keys, 9), axis=0, return_inverse=True)
        return np.abs(np.bincount(place.ravel(), right - sizes * p)).sum() / n

    canonical = np.abs(counts - sizes[:, None] * vectors).sum() / 2 / n
    columns = range(vectors.shape[1])
    by_class = [error(vectors[:, [k]], counts[:, k], vectors[:, k]) for k in columns]
    right, p = counts[rows, top], vectors[rows, top]
    return (
        canonical,
        np.mean(by_class),
        error(np.column_stack([top, p]), right, p),
        error(p[:, None], right, p),
    )
    ### END SOLUTION


# %% test
_vectors = np.array([[0.6, 0.3, 0.1], [0.3, 0.6, 0.1]])
_found = four_errors(_vectors, np.array([[8, 1, 1], [5, 4, 1]]))
np.testing.assert_allclose(_found, [0.2, 0.4 / 3, 0.2, 0], atol=1e-9)
### BEGIN HIDDEN TESTS
_rng = kit.rng("meanings", STUDENT)
for _K, _R in [(3, 9), (2, 3), (4, 12)]:
    _all = {}
    while len(_all) < _R:
        _v = _rng.multinomial(10 - _K, np.full(_K, 1 / _K)) + 1
        if np.sum(_v == _v.max()) == 1:
            _all[tuple(_v)] = _rng.multinomial(_rng.integers(1, 40), _rng.dirichlet(_v))
    _V, _C = np.array(list(_all)), np.array(list(_all.values()))

    def _error(key, right, p, V=_V, C=_C):
        _sets = {}
        for _v, _c in zip(V, C, strict=True):
            _sums = _sets.setdefault(key(_v), [0.0, 0.0])
            _sums[0] += right(_v, _c)
            _sums[1] += sum(_c) * p(_v) / 10
        return sum(abs(a - b) for a, b in _sets.values()) / C.sum()

    _classes = [
        _error(lambda v, k=k: v[k], lambda v, c, k=k: c[k], lambda v, k=k: v[k]) for k in range(_K)
    ]
    _found = four_errors(_V / 10, _C)
    for _at, _name, _expected in [
        (0, "canonical", np.abs(_C - _C.sum(axis=1)[:, None] * _V / 10).sum() / 2 / _C.sum()),
        (1, "class-wise", np.mean(_classes)),
        (2, "top label", _error(lambda v: (v.argmax(), v.max()), lambda v, c: c[v.argmax()], max)),
        (3, "confidence", _error(max, lambda v, c: c[v.argmax()], max)),
    ]:
        with part(1, _name):
            np.testing.assert_allclose(_found[_at], _expected, atol=1e-9)
### END HIDDEN TESTS

# %% hint
r"""
The gap of a set times its number of cases is $\lvert \text{number right} - \text{sum of the probabilities} \rvert$: add up before you take the absolute value.
"""

# %% question rest, numerics, 3 points, goal 4
r"""
## One class against the rest

Calibrate class by class: $f_k(v)$ is the fraction of class $k$ among all cases whose $p_k$ is $v$; then divide each vector $(f_1(p_1), \dots, f_K(p_K))$ by its sum.
`vectors` and `counts` are as before.
Return the array of the $f_k$, of the shape of `vectors`, before the division, and the class-wise error (as in the last question, with sets of equal *new* numbers) of the vectors after the division.
"""


# %% answer
def one_against_rest(vectors, counts):
    """The fractions f, and the class-wise error after the division."""
    ### BEGIN SOLUTION
    sizes = counts.sum(axis=1)

    def by_value(column, k):
        _, place = np.unique(np.round(column, 9), return_inverse=True)
        cases, found = np.bincount(place, sizes), np.bincount(place, counts[:, k])
        return (found / cases)[place]

    K = vectors.shape[1]
    f = np.column_stack([by_value(vectors[:, k], k) for k in range(K)])
    divided = f / f.sum(axis=1, keepdims=True)
    gaps = [sizes @ np.abs(by_value(divided[:, k], k) - divided[:, k]) for k in range(K)]
    return f, np.mean(gaps) / sizes.sum()
    ### END SOLUTION


# %% test
_f, _error = one_against_rest(np.array([[0.5, 0.25, 0.25]]), np.array([[4, 5, 1]]))
np.testing.assert_allclose(_f, [[0.4, 0.5, 0.1]])
np.testing.assert_allclose(_error, 0, atol=1e-9)
_vectors = np.array([[0.5, 0.3, 0.2], [0.5, 0.2, 0.3]])
_f, _error = one_against_rest(_vectors, np.array([[6, 4, 0], [2, 4, 4]]))
np.testing.assert_allclose(_f, [[0.4, 0.4, 0], [0.4, 0.4, 0.4]])
np.testing.assert_allclose(_error, 7 / 90, atol=1e-9)
### BEGIN HIDDEN TESTS
_rng = kit.rng("rest", STUDENT)
for _K, _R in [(3, 8), (4, 10)]:
    _V = _rng.multinomial(10 - _K, np.full(_K, 1 / _K), _R) + 1
    _C = _rng.integers(1, 30, (_R, _K))
    _f = np.empty((_R, _K))
    for _r in range(_R):
        for _k in range(_K):
            _same = [i for i in range(_R) if _V[i, _k] == _V[_r, _k]]
            _f[_r, _k] = sum(_C[i, _k] for i in _same) / sum(_C[i].sum() for i in _same)
    _new, _total = _f / _f.sum(axis=1, keepdims=True), 0.0
    for _k in range(_K):
        for _value in set(np.round(_new[:, _k], 9)):
            _rows = np.abs(_new[:, _k] - _value) < 1e-8
            _total += abs(np.sum(_C[_rows, _k] - _C[_rows].sum(axis=1) * _new[_rows, _k]))
    _found, _error = one_against_rest(_V / 10, _C)
    with part(2, "the fractions"):
        np.testing.assert_allclose(_found, _f, atol=1e-9)
    with part(1, "the error"):
        np.testing.assert_allclose(_error, _total / _C.sum() / _K, atol=1e-6)
### END HIDDEN TESTS

# %% hint
r"""
In the second example the rows are divided by 0.8 and 1.2.
"""

# %% question top_label, data, 4 points, goal 5
r"""
## The predicted class, in bins of its own

The predicted class of a row is that of its largest probability, its confidence.
Learn from calibration rows how often predictions are right:

- The rows with predicted class $c$ are sorted by confidence and cut by `np.array_split` into $\max(1, \lfloor n_c/\text{size} \rfloor)$ parts, where $n_c$ is their number.
- A new row with predicted class $c$ gets the fraction right in the first part whose largest confidence is at least its own; if its confidence is above all, in the last part.
- If no calibration row has this predicted class, it gets the fraction right of all calibration rows.

Return the array for the new rows. Confidences are distinct.
Your data are drawn below; the test prints, for each predicted class, what a row says, and what is true.
"""


# %% code
def three_classes(name, student, n=900, m=2000, classes=3):
    """Vectors and classes of n calibration rows, and of m new ones."""
    rng = kit.rng(name, student)
    truth = rng.dirichlet(np.linspace(1.5, 0.5, classes), n + m)
    labels = np.sum(rng.random((n + m, 1)) > np.cumsum(truth, axis=1)[:, :-1], axis=1)
    said = truth ** rng.uniform(1.5, 2.5) * np.linspace(1, 1.6, classes)
    said /= said.sum(axis=1, keepdims=True)
    return said[:n], labels[:n], said[n:], labels[n:]


vectors_cal, labels_cal, vectors_new, labels_new = three_classes("top_label", STUDENT)


# %% answer
def top_label_bins(vectors, labels, new, size=50):
    """For each new row, how often such predictions are right."""
    ### BEGIN SOLUTION
    top, confidence = vectors.argmax(axis=1), vectors.max(axis=1)
    right = top == labels
    found = np.full(len(new), right.mean())
    for c in np.unique(top):
        rows = np.flatnonzero(top == c)
        rows = rows[np.argsort(confidence[rows])]
        parts = np.array_split(rows, max(1, len(rows) // size))
        ends = np.array([confidence[part[-1]] for part in parts])
        fractions = np.array([right[part].mean() for part in parts])
        ours = new.argmax(axis=1) == c
        place = np.searchsorted(ends, new[ours].max(axis=1))
        found[ours] = fractions[np.minimum(place, len(parts) - 1)]
    return found
    ### END SOLUTION


# %% test
_vectors = np.array([[0.6, 0.4, 0], [0.7, 0.3, 0], [0.8, 0.2, 0], [0.1, 0.9, 0]])
_found = top_label_bins(
    _vectors,
    np.array([1, 0, 0, 0]),
    np.array([[0.65, 0.35, 0], [0.75, 0.25, 0], [0.9, 0.1, 0], [0.4, 0.6, 0], [0, 0.1, 0.9]]),
    size=1,
)
np.testing.assert_allclose(_found, [1, 1, 1, 0, 0.5], atol=1e-9)
_found = np.asarray(top_label_bins(vectors_cal, labels_cal, vectors_new))
for _c in range(3):
    _rows = vectors_new.argmax(axis=1) == _c
    _said, _right = vectors_new[_rows].max(axis=1).mean(), np.mean(labels_new[_rows] == _c)
    print(f"class {_c}: said {_said:.3f}, in bins {_found[_rows].mean():.3f}, right {_right:.3f}")
### BEGIN HIDDEN TESTS
for _name, _K, _size in [("top_label again", 3, 20), ("top_label many", 5, 7)]:
    _V, _z, _new, _ = three_classes(_name, STUDENT, n=160, m=60, classes=_K)
    _keep = _V.argmax(axis=1) != 1  # no calibration row predicts class 1
    _V, _z = (_V[_keep], _z[_keep]) if _K == 3 else (_V, _z)
    _new[0] = np.full(_K, 0.001)
    _new[0, 0] = 1 - 0.001 * (_K - 1)  # above all
    _top = [int(np.argmax(row)) for row in _V]
    _expected = []
    for _row in _new:
        _c, _own = int(np.argmax(_row)), max(_row)
        _rows = sorted([(max(_V[i]), _z[i] == _c) for i in range(len(_V)) if _top[i] == _c])
        if not _rows:
            _expected.append(np.mean(np.array(_top) == _z))
            continue
        _parts = np.array_split(np.arange(len(_rows)), max(1, len(_rows) // _size))
        _at = [i for i in _parts if _rows[i[-1]][0] >= _own] or [_parts[-1]]
        _expected.append(np.mean([_rows[i][1] for i in _at[0]]))
    _expected, _found = np.array(_expected), np.asarray(top_label_bins(_V, _z, _new, size=_size))
    _unseen = np.array([int(np.argmax(row)) not in _top for row in _new])
    with part(3, "classes with rows"):
        np.testing.assert_allclose(_found[~_unseen], _expected[~_unseen], atol=1e-9)
    if _unseen.any():
        with part(1, "classes without rows"):
            np.testing.assert_allclose(_found[_unseen], _expected[_unseen], atol=1e-9)
### END HIDDEN TESTS

# %% hint
r"""
`np.searchsorted(ends, confidence)` is the first place where the end is at least the confidence.
"""

# %% question claim, reading, 4 points, goal 5
r"""
## Calibrated confidence, audited groups

A report on a classifier with three classes and 2000 test cases says: "The mean confidence is 0.875, and 0.875 of the predictions are right: the probabilities can be trusted." Its appendix has

| predicted class | share | mean confidence | fraction right |
|---|--:|--:|--:|
| A | 0.80 | 0.90 | 0.92 |
| B | 0.15 | 0.80 | 0.74 |
| C | 0.05 | 0.70 | 0.56 |

"We also audited 50 groups of patients. In four of them the bias exceeds two standard errors: the classifier is unfair to these four. Temperature scaling will repair both."

1. Verify the first sentence from the table. Compute the mean absolute gap over predicted classes. Which meaning of calibration does the sentence test, and what does it mean for a patient who is told C?
2. Could chance make the gap of class C? Give its standard error and what remains after you allow for three classes. (A normal variable exceeds 2.8 in absolute value with probability 0.005.)
3. How many of 50 groups exceed two standard errors if nothing is wrong? Which two things would you do before you call the classifier unfair to four groups?
4. Can temperature scaling, one number for all vectors, repair the table? What can?
"""

# %% written
r"""
### BEGIN SOLUTION
1. Confidence $0.72 + 0.12 + 0.035 = 0.875$, right $0.736 + 0.111 + 0.028 = 0.875$. Gaps $0.02, 0.06, 0.14$: $0.016 + 0.009 + 0.007 = 0.032$. It tests that confidence is right on average, even less than confidence calibration; the table is about the top label. A patient who is told C with 0.70 has it in 56 of 100 cases.
2. 100 cases: $\sqrt{0.56 \cdot 0.44/100} = 0.05$, so the gap is 2.8 standard errors; $p = 0.005$, times three 0.015. Chance is an unlikely reason. (From the predicted 0.70: 0.046 and 3.1.)
3. About $50 \cdot 0.046 = 2.3$ on average; four are no surprise. Allow for 50 looks (a limit near 3.3 standard errors, or the evidence $\log(2M/\alpha)$), and look again at the four groups on new cases. Groups overlap, so one fault may show in several.
4. No. It makes all vectors more certain or less: A is too timid and B and C are too sure, so whatever helps one harms another; the order within a row stays. Top-label binning, or a calibrator for each predicted class (or one with a shift for each class), can.

**Rubric.** 1 point each part. Part 1 needs 0.032 and the patient; part 2 standard error and correction; part 3 about 2.3 and two measures; part 4 the directions.
### END SOLUTION
"""

# %% question break_it, break it, 3 points, goal 4
r"""
## Break it: right by class, right at the top, and wrong

Find vectors and counts, as in *Four meanings*, with three classes, at most 20 vectors and at least ten cases for each, such that the class-wise and the top-label error are 0 (below $10^{-9}$) and the canonical error is at least 0.04.
Each vector sums to 1 and has one largest entry, larger than the others by 0.01 or more.
"""


# %% answer
def hidden_from_three():
    """Vectors and counts."""
    ### BEGIN SOLUTION
    vectors = np.array([[0.8, 0.1, 0.1], [0.7, 0.1, 0.2], [0.7, 0.2, 0.1], [0.6, 0.2, 0.2]])
    shift = np.array([5, -5, -5, 5])  # what class 1 has too much, class 2 has too little
    counts = np.round(100 * vectors).astype(int)
    counts[:, 1] += shift
    counts[:, 2] -= shift
    return vectors, counts
    ### END SOLUTION


# %% test
_vectors, _counts = (np.asarray(a) for a in hidden_from_three())
assert _vectors.shape == _counts.shape and _vectors.shape[1] == 3 and len(_vectors) <= 20
np.testing.assert_allclose(_vectors.sum(axis=1), 1)
assert np.all(_counts >= 0) and np.all(_counts.sum(axis=1) >= 10), "ten cases for each vector"
### BEGIN HIDDEN TESTS
assert np.all(_counts == np.round(_counts)), "counts are whole numbers"
_sorted = np.sort(_vectors, axis=1)
assert np.all(_sorted[:, 0] >= -1e-12), "probabilities are not negative"
assert np.all(_sorted[:, 2] - _sorted[:, 1] >= 0.01 - 1e-9), "no clear largest entry"
assert len(np.unique(np.round(_vectors, 9), axis=0)) == len(_vectors), "a vector occurs twice"
_excess = _counts - _counts.sum(axis=1)[:, None] * _vectors


def _sum_of_gaps(keys, excess):
    _, _place = np.unique(np.round(keys, 9), axis=0, return_inverse=True)
    return np.abs(np.bincount(_place.ravel(), excess)).sum() / _counts.sum()


for _k in range(3):
    assert _sum_of_gaps(_vectors[:, [_k]], _excess[:, _k]) < 1e-9, f"class {_k} shows it"
_top = _vectors.argmax(axis=1)
_own = np.column_stack([_top, _sorted[:, 2]])
assert _sum_of_gaps(_own, _excess[np.arange(len(_top)), _top]) < 1e-9, "the top label shows it"
assert np.abs(_excess).sum() / 2 / _counts.sum() >= 0.04 - 1e-9, "the canonical error is too small"
### END HIDDEN TESTS

# %% hint
r"""
Let the top class always be right, and exchange cases of the other two: each value of $p_1$ and each value of $p_2$ must occur in two vectors with opposite errors.
"""
