# Problem set 9. course/README.md explains the cells.

# %% text
r"""
# Problem set 9: calibration by group

About four hours; one point stands for about six minutes.
Read the chapters *When calibration raises the AUC*, *Over-confidence: the feature that is used by half* and *The framework: partition, calibrate, join* first.

After this set you can

1. tell calibration over all cases from calibration within each group;
2. split the AUC into pairs within groups and between groups, and say when calibration by group raises it and when it lowers it;
3. calibrate by group when some groups have few cases or one class, and say when a calibrator of its own pays;
4. explain why a classifier that separates its training rows better than new cases uses a feature too little, and how calibration by group repairs this;
5. decide with a calibrator for each group, and read claims about gains and about fairness critically.

Labels are 0 or 1. `groups[i]` is the group of case `i`, a number; `scores` are any real numbers.
All arrays are NumPy arrays of one length. $\operatorname{sigmoid}(t) = 1/(1 + e^{-t})$ is `kit.expit(t)`.
The AUC is $P(s^+ > s^-) + \frac12 P(s^+ = s^-)$ for a positive and a negative drawn at random.
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

# %% question gaps, data, 3 points, goal 1
r"""
## Calibrated for whom?

Write a function that returns, for each group in increasing order of its number:

- how many cases it has,
- the gap, the mean label less the mean prediction,
- and the gap in units of its standard deviation if the predictions are right, $t = \frac{\sum_i (z_i - p_i)}{\sqrt{\sum_i p_i (1 - p_i)}}$, all sums over the cases of the group.

Your data are drawn below. The test prints the three numbers for all cases together, and for each group.
"""


# %% code
def two_groups(name, student, n=4000):
    """Labels, predictions and groups; the predictions are wrong in opposite directions."""
    rng = kit.rng(name, student)
    groups = rng.integers(0, 2, n)
    predictions = kit.expit(rng.normal(size=n))
    truth = kit.expit(kit.logit(predictions) + np.where(groups == 1, 0.5, -0.5))
    return kit.draw_labels(truth, rng), predictions, groups


labels, predictions, groups = two_groups("gaps", STUDENT)


# %% answer
def group_gaps(labels, predictions, groups):
    """Three arrays with an entry for each group: number of cases, gap, t."""
    ### BEGIN SOLUTION
    _, place, counts = np.unique(groups, return_inverse=True, return_counts=True)
    excess = np.bincount(place, labels - predictions)
    return (
        counts,
        excess / counts,
        excess / np.sqrt(np.bincount(place, predictions * (1 - predictions))),
    )
    ### END SOLUTION


# %% test
_z, _p = np.array([1, 0, 1, 0]), np.array([0.5, 0.5, 0.8, 0.2])
_counts, _gaps, _scaled = group_gaps(_z, _p, np.array([7, 3, 7, 3]))
np.testing.assert_array_equal(_counts, [2, 2])
np.testing.assert_allclose(_gaps, [-0.35, 0.35])
np.testing.assert_allclose(_scaled, [-0.7 / 0.41**0.5, 0.7 / 0.41**0.5])
for _name, _groups in [("all cases", 0 * groups), ("by group", groups)]:
    for _n, _gap, _t in zip(*group_gaps(labels, predictions, _groups), strict=True):
        print(f"{_name}: {_n} cases, gap {_gap:+.3f}, t {_t:+.1f}")
### BEGIN HIDDEN TESTS
_rng = kit.rng("gaps again", STUDENT)
for _names in [[0, 1], [5, -2, 9, 40], [3]]:
    _groups = _rng.choice(
        _names, 300, p=np.arange(1, len(_names) + 1) / sum(range(len(_names) + 1))
    )
    _p = _rng.random(300) * 0.8 + 0.1
    _z = kit.draw_labels(_p**2, _rng)
    _found = group_gaps(_z, _p, _groups)
    for _i, _g in enumerate(sorted(set(_groups.tolist()))):
        _rows = [i for i in range(300) if _groups[i] == _g]
        _sum = sum(_z[i] - _p[i] for i in _rows)
        _variance = sum(_p[i] - _p[i] ** 2 for i in _rows)
        _expected = [len(_rows), _sum / len(_rows), _sum / _variance**0.5]
        for _name, _column, _value in zip(["number", "gap", "t"], _found, _expected, strict=True):
            with part(1, _name):
                np.testing.assert_allclose(_column[_i], _value, atol=1e-9)
    assert len(_found[0]) == _i + 1
### END HIDDEN TESTS

# %% question simpson, theory, 3 points, goal 1
r"""
## A score that points the wrong way

A score has two values. In two groups there are 100 cases each:

| | low score: cases, positives | high score: cases, positives |
|---|---|---|
| group A | 20, 2 | 80, 16 |
| group B | 80, 56 | 20, 16 |

1. A forecaster says, for each value of the score, the fraction of positives among *all* cases with this value. Is she calibrated? Compare her prediction with the fraction of positives in each of the four cells, and on average in each group. Would an ECE over all cases have shown the errors?
2. In each group the fraction of positives rises with the score. Why does it fall over all cases?
3. Compute the AUC, over all 200 cases, of the score; of isotonic regression on the score; and of the fraction of positives by score *and* group.
"""

# %% written
r"""
### BEGIN SOLUTION
1. Low: $58/100 = 0.58$; high: $32/100 = 0.32$. She is calibrated: among the cases with one prediction this is the fraction of positives, and her ECE over all cases is 0.
   The cells have 0.1 (said: 0.58), 0.2 (0.32), 0.7 (0.58) and 0.8 (0.32). On average she says $(20 \cdot 0.58 + 80 \cdot 0.32)/100 = 0.372$ in A, where 0.18 are positive, and $0.528$ in B, where 0.72 are. The errors have opposite signs and cancel.
2. Most low scores come from B, where positives are frequent, most high scores from A, where they are rare. Over all cases a low score says above all "group B".
3. There are 90 positives (32 with a high score) and 110 negatives (68 high). Score: $\frac{32 \cdot 42 + \frac12(32 \cdot 68 + 58 \cdot 42)}{90 \cdot 110} = \frac{3650}{9900} = 0.369$.
   Isotonic regression pools the two values, as the fractions fall: a constant, AUC 0.5.
   By cell, from the highest fraction down, positives and negatives are 16 and 4, 56 and 24, 16 and 64, 2 and 18. Pairs won: $16 \cdot (106 + 2) + 56 \cdot (82 + 12) + 16 \cdot (18 + 32) + 2 \cdot 9 = 7810$, AUC $7810/9900 = 0.789$.

**Rubric.** 1 point each part. Part 1: "calibrated" and the errors by group; part 2: the composition; part 3: all three numbers, half a point if one is missing.
### END SOLUTION
"""

# %% hint
r"""
For part 3 order the four cells by their fraction of positives, and count for each positive the negatives in lower cells, and half of those in its own.
"""

# %% question pairs, numerics, 4 points, goal 2
r"""
## The AUC, pair by pair of groups

Let $w_{ij}$ be the share of the pairs of a positive and a negative with the positive in group $i$ and the negative in group $j$, and $A_{ij}$ the AUC of these pairs.
Then the AUC is $\sum_{i,j} w_{ij} A_{ij}$.
Return the two matrices: groups in increasing order, a row for the group of the *positive* and a column for that of the *negative*.
Every group has cases of both classes.
"""


# %% answer
def auc_by_groups(labels, scores, groups):
    """Matrices w and A, of shape (k, k) for k groups."""
    ### BEGIN SOLUTION
    names = np.unique(groups)
    wins = (np.sign(scores[:, None] - scores) + 1) / 2  # 1, 1/2 or 0 for row above column
    shares, aucs = np.empty((2, len(names), len(names)))
    for i, j in np.ndindex(shares.shape):
        positive, negative = (
            (groups == names[i]) & (labels == 1),
            (groups == names[j]) & (labels == 0),
        )
        aucs[i, j] = wins[np.ix_(positive, negative)].mean()
        shares[i, j] = positive.sum() / np.sum(labels == 1) * negative.sum() / np.sum(labels == 0)
    return shares, aucs
    ### END SOLUTION


# %% test
_z, _groups = np.array([1, 0, 1, 0, 0]), np.array([1, 1, 2, 2, 2])
_w, _A = auc_by_groups(_z, np.array([3, 2, 5, 5, 1]), _groups)
np.testing.assert_allclose(_w, [[1 / 6, 1 / 3], [1 / 6, 1 / 3]])
np.testing.assert_allclose(_A, [[1, 0.5], [1, 0.75]])
### BEGIN HIDDEN TESTS
_rng = kit.rng("pairs", STUDENT)
for _k, _ties in [(2, True), (3, False), (1, True), (4, True)]:
    _groups = np.append(np.repeat(np.arange(_k), 4), _rng.integers(0, _k, 80)) * 3 - 5
    _s = _groups / 4 + _rng.normal(size=len(_groups))
    if _ties:
        _s = np.round(_s)
    _z = np.append(np.tile([0, 1], 2 * _k), kit.draw_labels(kit.expit(_s[4 * _k :]), _rng))
    _w, _A = (np.asarray(m) for m in auc_by_groups(_z, _s, _groups))
    assert _w.shape == _A.shape == (_k, _k)
    _count, _won = np.zeros((2, _k, _k))
    for _a in np.flatnonzero(_z == 1):
        for _b in np.flatnonzero(_z == 0):
            _ij = (_groups[_a] + 5) // 3, (_groups[_b] + 5) // 3
            _count[_ij] += 1
            _won[_ij] += 1.0 if _s[_a] > _s[_b] else 0.5 if _s[_a] == _s[_b] else 0.0
    with part(2, "the shares w"):
        np.testing.assert_allclose(_w, _count / _count.sum(), atol=1e-9)
    with part(2, "the AUCs A"):
        np.testing.assert_allclose(_A, _won / _count, atol=1e-9)
### END HIDDEN TESTS

# %% hint
r"""
$w_{ij}$ is the share of the positives that lie in group $i$ times the share of the negatives that lie in group $j$.
"""

# %% question best, numerics, 3 points, goal 2
r"""
## The best order

The cases lie in cells, a cell for each combination of score and group; cell $c$ has `positives[c]` positives and `negatives[c]` negatives, at least one case.
A transformation gives each cell a number, which is then the score of all its cases.
Return the largest AUC that a transformation can have on these cases.
"""


# %% answer
def best_auc(positives, negatives):
    """The largest AUC, a number; there are cases of both classes."""
    ### BEGIN SOLUTION
    fraction = positives / (positives + negatives)
    wins = (np.sign(fraction[:, None] - fraction) + 1) / 2
    return positives @ wins @ negatives / (positives.sum() * negatives.sum())
    ### END SOLUTION


# %% test
np.testing.assert_allclose(best_auc(np.array([3, 1]), np.array([1, 2])), 8.5 / 12)
np.testing.assert_allclose(best_auc(np.array([2, 5]), np.array([4, 10])), 0.5)
### BEGIN HIDDEN TESTS
from itertools import product as _product

_rng = kit.rng("best", STUDENT)
_levels = np.array(list(_product(range(4), repeat=4)))  # every order of four cells, with ties
for _ in range(30):
    _m, _n = _rng.integers(0, [[7], [60]], (2, 4))
    _m[0], _n[1] = _m[0] + 1, _n[1] + 1  # both classes
    _n += _m + _n == 0  # no empty cell
    _greater = np.sign(_levels[:, :, None] - _levels[:, None, :]) / 2 + 0.5
    _aucs = np.einsum("tij,i,j->t", _greater, _m, _n) / (_m.sum() * _n.sum())
    np.testing.assert_allclose(best_auc(_m, _n), _aucs.max(), atol=1e-9)
### END HIDDEN TESTS

# %% hint
r"""
Take two cells. Which of the two should be above, so that more pairs of a positive in one and a negative in the other are won? Can all pairs of cells have their wish at once?
"""

# %% question by_group, data, 4 points, goal 3
r"""
## Partition, calibrate, join

Write calibration by group, with Platt scaling.
A group with at least `smallest` positives *and* at least `smallest` negatives among the calibration cases gets Platt scaling fitted to its own cases.
New cases of any other group, also of one that has no calibration case, get the common Platt scaling, fitted to *all* calibration cases.

Use `PlattScaling` of `calib`: `PlattScaling().fit(scores, labels).predict(new_scores)` are probabilities.
(Or your own one of problem set 4, with Platt's targets.)
Your data are drawn below: a score that means something different in each of four groups, and one group is small. The test prints AUC and log loss on fresh cases, for the common Platt scaling and for yours.
"""


# %% code
def four_groups(name, student, n=800, n_new=3000):
    """Scores, labels and groups of n calibration cases, and of n_new fresh ones."""
    rng = kit.rng(name, student)
    slopes, intercepts = np.array([1.5, 0.6, 0.8, 1.0]), np.array([0.5, -1.5, 1.5, -3.0])
    groups = rng.choice(4, n + n_new, p=[0.35, 0.35, 0.25, 0.05])
    scores = rng.normal(size=n + n_new)
    labels = kit.draw_labels(kit.expit(slopes[groups] * scores + intercepts[groups]), rng)
    return scores[:n], labels[:n], groups[:n], scores[n:], labels[n:], groups[n:]


scores_cal, labels_cal, groups_cal, scores_new, labels_new, groups_new = four_groups(
    "by_group", STUDENT
)


# %% answer
def calibrate_by_group(scores, labels, groups, new_scores, new_groups, smallest=10):
    """Probabilities of the new cases, an array as long as new_scores."""
    ### BEGIN SOLUTION
    from calib import PlattScaling

    probabilities = PlattScaling().fit(scores, labels).predict(new_scores)
    for group in np.unique(groups):
        rows, new = groups == group, new_groups == group
        positives = labels[rows].sum()
        if min(positives, rows.sum() - positives) >= smallest and new.any():
            own = PlattScaling().fit(scores[rows], labels[rows])
            probabilities[new] = own.predict(new_scores[new])
    return probabilities
    ### END SOLUTION


# %% test
from calib import PlattScaling
from calib.metrics import log_loss
from calib.metrics import roc_auc_score as _roc_auc_score

_s, _z = np.tile([-1.0, 0.0, 1.0, 2.0], 10), np.tile([0, 1, 0, 1], 10)
_two, _new = np.repeat([0, 1], 20), np.array([-1.0, 1.0])
_p = calibrate_by_group(_s, np.where(_two == 1, 1 - _z, _z), _two, _new, np.array([0, 1]))
assert 0 < _p[0] < 0.5, "in group 0 a low score speaks against label 1"
np.testing.assert_allclose(
    calibrate_by_group(_s, _z, _two, _new, np.array([7, 7])),  # a group without calibration cases
    PlattScaling().fit(_s, _z).predict(_new),
    atol=1e-4,
)
for _name, _p in {
    "one calibrator ": PlattScaling().fit(scores_cal, labels_cal).predict(scores_new),
    "one by group   ": calibrate_by_group(
        scores_cal, labels_cal, groups_cal, scores_new, groups_new
    ),
}.items():
    print(f"{_name} AUC {_roc_auc_score(labels_new, _p):.3f}", end=", ")
    print(f"log loss {log_loss(labels_new, _p):.3f}")
### BEGIN HIDDEN TESTS
from calib import PlattScaling as _Platt

_rng = kit.rng("by_group groups", STUDENT)
for _name, _smallest in [("by_group", 10), ("by_group again", 25)]:
    _s, _z, _g, _s_new, _, _g_new = four_groups(_name, STUDENT, n=500, n_new=60)
    _g = np.where(_rng.random(500) < 0.3, 8, _g)  # a large group with few positives
    _z = np.where((_g == 8) & (np.cumsum(_g == 8) > 5), 0, _z)
    _g[:9], _z[:9] = 11, 1  # a group of one class
    _g_new[:12] = [8, 8, 8, 8, 11, 11, 11, 11, 50, 50, 50, 50]  # 50 has no calibration case
    _expected = np.empty(60)
    for _i in range(60):
        _rows = _g == _g_new[_i]
        if min(np.sum(_z[_rows] == 1), np.sum(_z[_rows] == 0)) < _smallest:
            _rows = np.full(500, True)
        _expected[_i] = _Platt().fit(_s[_rows], _z[_rows]).predict(_s_new[_i : _i + 1])[0]
    _found = calibrate_by_group(_s, _z, _g, _s_new, _g_new, smallest=_smallest)
    np.testing.assert_allclose(_found, _expected, atol=1e-4)
### END HIDDEN TESTS

# %% hint
r"""
Begin with the common probabilities of all new cases, and overwrite those of the groups that have enough cases of both classes.
"""

# %% question pooling, numerics, 3 points, goal 3
r"""
## A small group: a shift, shrunk

A small group keeps the common map, but its logits are moved by one number $t$, the solution of
$$\sum_j \bigl(z_j - \operatorname{sigmoid}(\ell_j + t)\bigr) = t,$$
where $\ell_j$ are the common logits of its calibration cases. (It is the most probable shift if the shifts of groups have a standard normal distribution.)
Return $t$, to six digits after the point or better. The group may have one class only, or no case at all.
"""


# %% answer
def shrunk_shift(logits, labels):
    """The shift t, a number; logits and labels have equal length, 0 or more."""
    ### BEGIN SOLUTION
    low, high = -len(labels) - 1.0, len(labels) + 1.0
    while high - low > 1e-10:
        t = (low + high) / 2
        if np.sum(labels - kit.expit(logits + t)) > t:
            low = t
        else:
            high = t
    return (low + high) / 2
    ### END SOLUTION


# %% test
_t = shrunk_shift(np.full(50, kit.logit(0.1)), np.zeros(50, dtype=int))
np.testing.assert_allclose(-50 * kit.expit(kit.logit(0.1) + _t), _t, atol=1e-4)  # about -1.37
np.testing.assert_allclose(shrunk_shift(np.array([2.0, -2.0]), np.array([1, 0])), 0, atol=1e-5)


### BEGIN HIDDEN TESTS
def _excess(t, logits, labels):
    return np.sum(labels - 1 / (1 + np.exp(-logits - t))) - t


assert abs(shrunk_shift(np.array([]), np.array([], dtype=int))) < 1e-5
_rng = kit.rng("pooling", STUDENT)
for _n in [1, 5, 40, 300]:
    for _shift in [-4.0, 0.0, 3.0]:
        _logits = _rng.normal(-1, 1.5, _n)
        _z = kit.draw_labels(kit.expit(_logits + _shift), _rng)
        _t = shrunk_shift(_logits, _z)
        assert _excess(_t - 1e-5, _logits, _z) > 0 > _excess(_t + 1e-5, _logits, _z), f"shift {_t}"
### END HIDDEN TESTS

# %% hint
r"""
The left side falls with $t$ and the right side rises: halve an interval that contains the solution. The left side lies between $-n$ and $n$ for $n$ cases.
"""

# %% question points, theory, 3 points, goal 3
r"""
## When does a group pay for a calibrator of its own?

1. A case has the probability $\pi$, with logit $\eta$. A forecaster says $\operatorname{sigmoid}(\eta + d)$. Show that the expected log loss is larger than that of $\pi$ by $\frac12 \pi (1 - \pi) d^2$, up to terms of order $d^3$.
2. The common map is wrong by $d$ in a group of $N_i$ calibration cases, and $v$ is the mean of $\pi(1 - \pi)$ there. Each parameter that is fitted to the group costs about $\frac{1}{2 N_i}$ of expected log loss on each new case. From which $N_i$ on does Platt scaling of its own pay? Compute it for $v = 0.2$ and $d = 0.5$, and for $d = 0.1$.
3. A group has 200 calibration cases, 2 of them positive. Someone says: "200 is plenty." Compute $v$ if the probability is $2/200$ for everybody, and the $N_i$ that is needed for $d = 0.5$. What does Platt scaling (fitted to labels, without Platt's targets or a penalty) do if both positives have the highest scores of the group? What would you do with this group?
"""

# %% written
r"""
### BEGIN SOLUTION
1. Let $\ell(d) = -\pi \log \operatorname{sigmoid}(\eta + d) - (1 - \pi)\log(1 - \operatorname{sigmoid}(\eta + d))$. With $\log \operatorname{sigmoid}(t) = t - \log(1 + e^t)$ and $\log(1 - \operatorname{sigmoid}(t)) = -\log(1 + e^t)$ this is $\ell(d) = -\pi(\eta + d) + \log(1 + e^{\eta + d})$.
   $\ell'(d) = -\pi + \operatorname{sigmoid}(\eta + d)$ is 0 at $d = 0$; $\ell''(d) = \operatorname{sigmoid}(\eta + d)(1 - \operatorname{sigmoid}(\eta + d))$ is $\pi(1 - \pi)$ at $d = 0$. Taylor's formula gives the claim.
2. The gain is $\frac12 v d^2$ for each new case of the group, the cost of two parameters $\frac{1}{N_i}$. It pays if $N_i > \frac{2}{v d^2}$: 40 cases for $d = 0.5$, 1000 for $d = 0.1$.
3. $v = 0.01 \cdot 0.99 = 0.0099$, and $2/(0.0099 \cdot 0.25) \approx 808$ cases: 200 are too few. What counts is the rarer class. If both positives have the highest scores, a threshold separates the classes and the maximum of the likelihood does not exist: the slope goes to infinity. Better: the common map, moved by a shift that is shrunk, as in the question before; or put the group together with a similar one.

**Rubric.** 1 point each part. Part 2: the condition and both numbers; part 3: the number, the infinite slope, and a remedy.
### END SOLUTION
"""

# %% hint
r"""
$\log \operatorname{sigmoid}(t) = t - \log(1 + e^t)$. Compute two derivatives with respect to $d$.
"""

# %% question feature, theory, 4 points, goal 4
r"""
## A feature that is used too little

Labels are balanced. Given the label, a score $y$ has the distribution $\operatorname{N}(1, \sigma^2)$ for positives and $\operatorname{N}(-1, \sigma^2)$ for negatives. On new cases $\sigma = 2$; on the rows that trained the score it separates better, $\sigma = 1$.
A feature $b \in \{0, 1\}$ is independent of $y$ given the label, with $P(b = 1 \mid z = 1) = \frac34$ and $P(b = 1 \mid z = 0) = \frac14$ on all rows.

1. Show that the logit of $P(z = 1 \mid y)$ is $a y$ with $a = 2/\sigma^2$. If the score itself is taken as a logit, is it over- or under-confident on new cases, and on training rows?
2. Find the logit of $P(z = 1 \mid y, b)$. For which $d$ does $y + d\,b$ order new cases in the best way? For which $d$ training rows?
3. Logistic regression of the labels on $y$ and $b$, on very many *training* rows, gives a logit $\hat a y + \hat c\, b + \hat e$. What are $\hat a$ and $\hat c$? The order is that of $y + (\hat c/\hat a)\, b$: what share of the best $d$ on new cases is $\hat c/\hat a$? Say in words why it is too little.
4. Platt scaling of $y + d\,b$ is fitted to new cases with known labels, once to all of them together, and once in each group $b = 0$ and $b = 1$ by itself. What does each do to the AUC, if the common slope is positive? Show that the second finds the right probabilities, whatever $d$ was learnt (with very many cases).
"""

# %% written
r"""
### BEGIN SOLUTION
1. The logit is the log of the ratio of the densities, since the classes are balanced: $\frac{(y+1)^2 - (y-1)^2}{2\sigma^2} = \frac{4y}{2\sigma^2} = \frac{2}{\sigma^2} y$. On new cases $a = \frac12$: the score is over-confident, it should be halved. On training rows $a = 2$: under-confident.
2. By independence given the label the logits add: $a y + \log\frac{3/4}{1/4} = a y + \log 3$ for $b = 1$, and $a y - \log 3$ for $b = 0$. So it is $a y + 2b\log 3 - \log 3 = a\bigl(y + \frac{2\log 3}{a} b\bigr) - \log 3$. The best order is that of the probability: $d = 2\log 3/a$, which is $4 \log 3 = 4.39$ on new cases and $\log 3 = 1.10$ on training rows.
3. The logit of part 2 is of this form, so with very many rows $\hat a = 2$ and $\hat c = 2 \log 3 = 2.20$; the order is that of $y + 1.10\,b$: a quarter of the best $d$. On its training rows the score seems to know more than it does, so there is less left for the feature to tell, compared with the score.
4. Once for all: a strictly increasing map (if its slope is positive) keeps the order, and the AUC. In a group $b$ the right logit $\frac12 y \pm \log 3$ is linear in $y$, hence in $y + d\,b$, where $d\,b$ is a constant: it is among the lines that Platt scaling chooses from. The true probability has the smallest expected log loss, so with very many cases it is found. Then the order is the best one, and the AUC is as large as it can be for a function of $y$ and $b$.

**Rubric.** 1 point each part. Part 3 needs the quarter and the words; part 4 both answers.
### END SOLUTION
"""

# %% hint
r"""
Logits of independent pieces of evidence add. For part 3 ask: which logit has the smallest log loss on the training rows, among all functions of $y$ and $b$?
"""

# %% question slope, numerics, 3 points, goal 4
r"""
## How over-confident is a score?

A score is taken as a logit. To see whether it is too extreme fit $\operatorname{sigmoid}(a y + b)$ by maximum likelihood, that is by the smallest log loss: a slope $a$ below 1 says over-confident, above 1 under-confident.
Return $a$. The labels are taken as they are: no targets of Platt, no penalty. Both $a$ and $b$ are free.
The test prints the slope of your classifier, which is drawn below, on its training rows and on fresh rows.
"""


# %% code
def linear_classifier(name, student, n=200, n_new=3000, columns=40):
    """Logits of linear discriminant analysis and labels: of training rows, and of fresh rows."""
    rng = kit.rng(name, student)
    labels = rng.permutation(np.arange(n + n_new) % 2)
    X = rng.normal(size=(n + n_new, columns))
    X[:, :5] += 0.6 * labels[:, None]
    A, z = X[:n], labels[:n]
    means = [A[z == c].mean(axis=0) for c in [0, 1]]
    residuals = A - np.array(means)[z]
    direction = np.linalg.solve(residuals.T @ residuals / n, means[1] - means[0])
    logits = (X - (means[0] + means[1]) / 2) @ direction
    return logits[:n], z, logits[n:], labels[n:]


logits, labels_train, logits_fresh, labels_fresh = linear_classifier("slope", STUDENT)


# %% answer
def calibration_slope(scores, labels):
    """The slope a, a number, with an error below 0.0005; no threshold separates the classes."""
    ### BEGIN SOLUTION
    from scipy.optimize import minimize

    def loss(parameters):
        a, b = parameters
        t = a * scores + b
        return np.mean(np.logaddexp(0, t) - labels * t)

    def gradient(parameters):
        a, b = parameters
        excess = kit.expit(a * scores + b) - labels
        return np.array([np.mean(excess * scores), np.mean(excess)])

    return minimize(loss, [0.0, 0.0], jac=gradient, tol=1e-9).x[0]
    ### END SOLUTION


# %% test
_s, _z = np.repeat([-1.0, 1.0], 4), np.array([0, 0, 0, 1, 1, 1, 1, 0])  # a quarter, three quarters
np.testing.assert_allclose(calibration_slope(_s, _z), np.log(3), rtol=1e-3)
for _name, _s, _z in [
    ("training rows", logits, labels_train),
    ("fresh rows   ", logits_fresh, labels_fresh),
]:
    print(f"{_name}: slope {calibration_slope(_s, _z):.2f}")
### BEGIN HIDDEN TESTS
_rng = kit.rng("slope again", STUDENT)
for _a, _b, _n in [(0.3, 0.0, 400), (1.0, -2.0, 1000), (2.0, 1.0, 400), (-0.5, 1.0, 300)]:
    _s = _rng.normal(1, 1, _n)
    _z = kit.draw_labels(kit.expit(_a * _s + _b), _rng)
    _beta, _M = np.zeros(2), np.column_stack([_s, np.ones(_n)])
    for _ in range(30):  # Newton's method
        _p = 1 / (1 + np.exp(-_M @ _beta))
        _beta = _beta + np.linalg.solve((_M.T * (_p * (1 - _p))) @ _M, _M.T @ (_z - _p))
    np.testing.assert_allclose(calibration_slope(_s, _z), _beta[0], rtol=1e-3, atol=1e-3)
### END HIDDEN TESTS

# %% hint
r"""
`scipy.optimize.minimize` finds both numbers from the mean of `np.logaddexp(0, t) - labels * t` with `t = a * scores + b`.
"""

# %% question act, data, 3 points, goal 5
r"""
## One decision rule, two thresholds

In group `g` the probability of a positive with score $y$ is $\operatorname{sigmoid}(a y + b)$ with `(a, b) = lines[g]`, $a > 0$.
Acting on a negative costs `c_fp`, not acting on a positive costs `c_fn`, everything else nothing.
Return for each case whether to act: whether the expected cost of acting is at most that of not acting.

Your data are drawn below. The test prints, for each group, the share of cases on which your rule acts, the true positive rate and the false positive rate. Both groups are perfectly calibrated; look at the rates.
"""


# %% code
LINES = {0: (1.0, 0.8), 1: (1.0, -1.2)}


def cases(name, student, n=4000):
    """Scores, labels and groups 0 and 1; the probabilities are those of LINES."""
    rng = kit.rng(name, student)
    scores, groups = rng.normal(size=n) * 1.5, rng.integers(0, 2, n)
    a, b = np.array([LINES[g] for g in groups]).T
    return scores, kit.draw_labels(kit.expit(a * scores + b), rng), groups


scores_act, labels_act, groups_act = cases("act", STUDENT)


# %% answer
def act(scores, groups, lines, c_fp, c_fn):
    """Whether to act on each case, an array of bool; lines is a dictionary from group to (a, b)."""
    ### BEGIN SOLUTION
    a, b = np.array([lines[g] for g in groups]).T
    p = kit.expit(a * scores + b)
    return (1 - p) * c_fp <= p * c_fn
    ### END SOLUTION


# %% test
_found = act(np.array([1.0, 1.0, -1.0, -1.0]), np.array([0, 1, 0, 1]), LINES, 1.0, 1.0)
np.testing.assert_array_equal(_found, [True, False, False, False])
np.testing.assert_array_equal(  # a false alarm costs a tenth of a miss
    act(np.array([-1.0, -1.0]), np.array([0, 1]), LINES, 1.0, 10.0), [True, True]
)
_acts = np.asarray(act(scores_act, groups_act, LINES, 1.0, 2.0))
for _g in [0, 1]:
    _rows = groups_act == _g
    print(
        f"group {_g}: acts on {_acts[_rows].mean():.0%}, true positive rate "
        f"{_acts[_rows & (labels_act == 1)].mean():.2f}, false positive rate "
        f"{_acts[_rows & (labels_act == 0)].mean():.2f}"
    )
### BEGIN HIDDEN TESTS
_rng = kit.rng("act again", STUDENT)
for _c_fp, _c_fn in [(1.0, 1.0), (5.0, 1.0), (0.5, 3.0)]:
    _lines = {g: (_rng.uniform(0.3, 2), _rng.normal()) for g in [2, 4, 7]}
    _g, _s = _rng.choice([2, 4, 7], 300), 2 * _rng.normal(size=300)
    _bounds = {g: (np.log(_c_fp / _c_fn) - b) / a for g, (a, b) in _lines.items()}
    _expected = np.array([s >= _bounds[g] for s, g in zip(_s, _g, strict=True)])
    np.testing.assert_array_equal(np.asarray(act(_s, _g, _lines, _c_fp, _c_fn)), _expected)
### END HIDDEN TESTS

# %% hint
r"""
Act if $(1 - p)\,c_{fp} \le p\,c_{fn}$. As a rule about the score this is another threshold in each group.
"""

# %% question break_it, break it, 3 points, goal 2
r"""
## Break it: calibration by group lowers the AUC

With the true probability of each group no function of score and group has a larger AUC. Platt scaling is not the true probability.
Find cases with scores, labels and groups such that

- there are at least two groups, each with 200 cases or more and 50 or more of each class, and at most 10,000 cases in all;
- Platt scaling (`PlattScaling` of `calib`), fitted in each group to all cases of the group, has a positive slope in each;
- and on the *same* cases the AUC of these probabilities is smaller than that of the score, by 0.01 or more.

So neither a small sample nor a reversed map is to blame. The test below looks at the form only: check the three conditions yourself; the slope is `PlattScaling().fit(scores, labels).slope_`. Try a truth that is one and the same function of the score in all groups, and no sigmoid.
"""


# %% answer
def harmful_groups():
    """Scores, labels, groups: three arrays of equal length."""
    ### BEGIN SOLUTION
    levels, truth = [0, 2, 7, 1, 3, 8], [0.1, 0.5, 0.84, 0.3, 0.7, 0.86]
    labels = [np.arange(200) < 200 * pi for pi in truth]
    return np.repeat(levels, 200), np.concatenate(labels).astype(int), np.repeat([0, 1], 600)
    ### END SOLUTION


# %% test
_s, _z, _g = (np.asarray(a) for a in harmful_groups())
assert _s.shape == _z.shape == _g.shape and set(_z.tolist()) == {0, 1}, "three arrays, two labels"
assert len(set(_g.tolist())) >= 2 and len(_g) <= 10_000, "two groups, at most 10,000 cases"
### BEGIN HIDDEN TESTS
from calib import PlattScaling as _OwnPlatt


def _auc(values, labels):
    difference = np.round(values[labels == 1][:, None] - values[labels == 0], 9)
    return np.mean(np.sign(difference)) / 2 + 0.5


_p = np.empty(len(_s))
for _name in set(_g.tolist()):
    _rows = _g == _name
    assert _rows.sum() >= 200 and 50 <= _z[_rows].sum() <= _rows.sum() - 50, "a group is too small"
    _fitted = _OwnPlatt().fit(_s[_rows].astype(float), _z[_rows])
    assert _fitted.slope_ > 0, "a slope is not positive"
    _p[_rows] = _fitted.predict(_s[_rows].astype(float))
assert _auc(_s, _z) - _auc(_p, _z) >= 0.01 - 1e-9, "the AUC falls by less than 0.01"
### END HIDDEN TESTS

# %% hint
r"""
Let the truth be increasing, steep for low scores, flat for high ones. Give the groups different scores.
"""

# %% question claim, reading, 4 points, goal 5
r"""
## A lift for all data sets, and fairness

Durfee, Gupta and Basu (2022) calibrate networks by Platt scaling in the leaves of a tree.
Their Table 1 has small (S), medium (M) and large (L) networks; AUC of the network → AUC after calibration (means of the best three variants):

| | S | M | L |
|---|--:|--:|--:|
| Bank Marketing | 0.7758 → 0.7816 | 0.7712 → 0.7800 | 0.7716 → 0.7814 |
| Census data | 0.8976 → 0.9021 | 0.8978 → 0.9027 | 0.9007 → 0.9027 |
| Credit Default | 0.7784 → 0.7798 | 0.7787 → 0.7794 | 0.7783 → 0.7794 |
| Higgs | 0.7801 → 0.7816 | 0.7773 → 0.7799 | 0.7747 → 0.7775 |
| Diabetes | 0.6915 → 0.6937 | 0.6744 → 0.6856 | 0.6679 → 0.6824 |

The *lift* is the gain in per cent of the AUC of the network. The text says that "the lift in performance for our method consistently increases for all datasets" as networks grow.

1. Compute the lifts. On which data sets do they grow from S to M to L?
2. Compare, on these data sets, the AUC of the networks of the three sizes, and the AUC after calibration. What does a growing lift show, and what does it not show? With what would you compare the calibrated network before you use it?
3. Another table has a network with AUC 0.6951, after calibration 0.6832, lift +3.65 %. Show that this cannot be, and find the likely misprint.
4. A vendor says: "Our probabilities are calibrated in group A and in group B. Hence our decisions are fair." In A 500 people have the probability 0.2 and 500 have 0.8, in B 900 have 0.2 and 100 have 0.8, and all this is exactly right. The decision is positive from 0.5 on. Compute, for each group, the share of the positives and of the negatives that get a positive decision (the true and the false positive rate), and judge the sentence.
"""

# %% written
r"""
### BEGIN SOLUTION
1. In per cent, S, M, L: Bank Marketing 0.75, 1.14, 1.27; Census data 0.50, 0.55, 0.22; Credit Default 0.18, 0.09, 0.14; Higgs 0.19, 0.33, 0.36; Diabetes 0.32, 1.66, 2.17. They grow on three of five: Bank Marketing, Higgs and Diabetes. (The paper prints 0.76 for the first, which its AUCs before rounding may well have.)
2. On these three data sets the large networks are *worse* than the small ones before calibration (0.7716 against 0.7758, 0.7747 against 0.7801, 0.6679 against 0.6915), and no better after it. So the lift is large where the network is poor; it does not show that larger networks profit, nor that one should use them. Compare it with the best small network, calibrated, and with another strong classifier on the same rows, such as boosted trees, with paired intervals.
3. The AUC falls from 0.6951 to 0.6832, so the lift cannot be positive. $0.6832/1.0365 = 0.6591$: two digits of 0.6591 are swapped.
4. A: positives $100 + 400 = 500$, true positive rate $400/500 = 0.8$; negatives $400 + 100$, false positive rate $100/500 = 0.2$. B: positives $180 + 80 = 260$, $80/260 = 0.31$; negatives $720 + 20 = 740$, $20/740 = 0.027$. A positive person of B is found much more rarely. Calibration says that a probability means the same in both groups; it does not say how much the score knows about a group, nor that error rates are equal. (To say the base rate of the group to everybody is calibrated, too.) Whether the decisions are fair depends on which rates should be equal, and that is not a question of calibration.

**Rubric.** 1 point each part. Part 1: the three data sets; part 2: "poor networks" and a fair comparison; part 3: the reason and 0.6591; part 4: the rates, and that calibration does not imply equal rates.
### END SOLUTION
"""

# %% hint
r"""
For part 4 count people: of 500 with the probability 0.8, 400 are positive.
"""
