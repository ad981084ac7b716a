# Problem set 2. course/README.md explains the cells.

# %% text
r"""
# Problem set 2: measuring calibration

About four hours; one point stands for about six minutes.
Read the chapter *Measuring it* first.

After this set you can

1. compute the expected and the maximum calibration error (ECE and MCE), and say what they make of equal predictions;
2. say how large the ECE of a perfect forecaster is in a sample of given size;
3. explain what grouping hides;
4. test calibration, and compare two forecasters fairly;
5. read a published calibration error critically.

Labels are 0 or 1; `predictions` are probabilities of label 1.
Both are NumPy arrays of one length $n$.
In group $k$ there are $n_k$ cases with the mean prediction $e_k$ and the fraction of positives $o_k$; the *gap* is $o_k - e_k$, and $P(k) = n_k / n$.
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

# %% question errors, numerics, 3 points, goal 1
r"""
## Two errors

The cases are divided into groups: `groups[i]` is the number of the group of case `i`.
The numbers are integers, possibly negative; not every integer needs to occur.
Return the ECE, $\sum_k P(k)\,\lvert o_k - e_k\rvert$, and the MCE, $\max_k \lvert o_k - e_k\rvert$, over the groups that hold a case.
"""


# %% answer
def calibration_errors(labels, predictions, groups):
    """The ECE and the MCE, in this order."""
    ### BEGIN SOLUTION
    _, group, counts = np.unique(groups, return_inverse=True, return_counts=True)
    gaps = np.abs(np.bincount(group, labels - predictions) / counts)
    return counts @ gaps / counts.sum(), gaps.max()
    ### END SOLUTION


# %% test
_z = np.array([1, 0, 0, 0, 1, 1])
_p = np.array([0.1, 0.1, 0.1, 0.1, 0.7, 0.9])
np.testing.assert_allclose(calibration_errors(_z, _p, np.array([0, 0, 0, 0, 5, 5])), [1 / 6, 0.2])
### BEGIN HIDDEN TESTS
_rng = kit.rng("errors", STUDENT)
for _ in range(5):
    _p = _rng.random(300)
    _z = kit.draw_labels(_p**1.5, _rng)
    _groups = _rng.choice([-2, 0, 3, 4, 9], size=300, p=[0.02, 0.08, 0.2, 0.3, 0.4])
    _z[_groups == 4] = 1  # gaps of both signs
    _terms = [
        (np.mean(_groups == k), abs(_z[_groups == k].mean() - _p[_groups == k].mean()))
        for k in set(_groups.tolist())
    ]
    _ece, _mce = calibration_errors(_z, _p, _groups)
    with part(2, "ECE"):
        np.testing.assert_allclose(_ece, sum(share * gap for share, gap in _terms))
    with part(1, "MCE"):
        np.testing.assert_allclose(_mce, max(gap for _, gap in _terms))
### END HIDDEN TESTS

# %% hint
r"""
Take the absolute value once for each group, after the mean over its cases and before the sum over groups.
"""

# %% question equal_size, numerics, 4 points, goal 1
r"""
## Groups of equal size

"Sort the predictions and cut the list into groups of equal size" says nothing about equal predictions.
Keep them together: if $t$ cases have one prediction and $r$ cases a smaller one, all $t$ belong to group $\lfloor K (r + t/2) / n \rfloor$, counted from 0, where $K$ is the number of groups.
Return the ECE over these groups.
Groups may have different sizes, and some may be empty.
"""


# %% answer
def ece_of_equal_size(labels, predictions, n_groups=10):
    """ECE over groups of equal size; equal predictions stay together."""
    ### BEGIN SOLUTION
    _, tie, size = np.unique(predictions, return_inverse=True, return_counts=True)
    middle = np.cumsum(size) - size / 2
    group = np.floor(n_groups * middle / len(labels)).astype(int)[tie]
    return np.abs(np.bincount(group, labels - predictions)).sum() / len(labels)
    ### END SOLUTION


# %% test
_z, _p = np.array([1, 0, 1, 1]), np.array([0.2, 0.1, 0.9, 0.7])
np.testing.assert_allclose(ece_of_equal_size(_z, _p, n_groups=2), 0.275)
_z, _p = (np.arange(10) < 4).astype(int), np.full(10, 0.4)
np.testing.assert_allclose(ece_of_equal_size(_z, _p), 0, atol=1e-12)
### BEGIN HIDDEN TESTS
_rng = kit.rng("equal_size", STUDENT)
for _n_groups in [3, 10, 16]:
    _many = _rng.random(512)
    _few = _rng.choice(_rng.random(7), size=512, p=[0.35, 0.25, 0.2, 0.1, 0.05, 0.03, 0.02])
    _some = np.where(_rng.random(512) < 0.6, 0.4, _many)
    for _p in [_many, _few, _some]:
        _z = kit.draw_labels(_p, _rng)
        _sums = {}
        for _value in set(_p.tolist()):
            _rows = _p == _value
            _twice = 2 * int(np.sum(_p < _value)) + int(_rows.sum())
            _group = _n_groups * _twice // 1024
            _sums[_group] = _sums.get(_group, 0) + np.sum(_z[_rows] - _value)
        _expected = sum(abs(s) for s in _sums.values()) / 512
        np.testing.assert_allclose(
            ece_of_equal_size(_z, _p, n_groups=_n_groups), _expected, atol=1e-9
        )
### END HIDDEN TESTS

# %% hint
r"""
`np.unique(predictions, return_inverse=True, return_counts=True)` gives for each case the number of its value, and for each value its count; cumulated counts give $r + t$.
"""

# %% question label_order, theory, 4 points, goal 1
r"""
## When labels decide who is in a group

Suppose that someone sorts the cases by prediction *and then by label*, so that among equal predictions the negatives come first, and cuts the list into $K$ groups of equal size.

1. A forecaster says 0.3 to 1000 people; exactly 300 of them are positive. Find ECE and MCE for $K = 10$ with this order, and with equal predictions kept together.
2. Let all $n$ predictions be $p$ with $0 < p < 1$, let exactly the fraction $p$ of the labels be positive, and let $K$ divide $n$ and $Kp$ be an integer. Show that with this order the ECE is $2p(1-p)$, and find the MCE.
3. A calibrator says 0.25 to 60 % of the cases, of whom exactly a quarter are positive. In all other groups the gap is 0. With $K = 20$ this tie begins and ends at a border between groups. What are ECE and MCE with this order?
4. A colleague breaks the tie of part 1 at random. Estimate the mean of the ECE then (one digit that is not zero is enough; you may treat the labels of a group as independent), and say how it changes as $n$ grows with $K = 10$ and 30 % positives. The mean of $\lvert X \rvert$ is 0.798 standard deviations for a normal variable $X$ with mean 0.
"""

# %% written
r"""
### BEGIN SOLUTION
1. The 700 negatives fill seven groups with a gap of size 0.3, the 300 positives three groups with a gap of 0.7.
   $\operatorname{ECE} = 0.7 \cdot 0.3 + 0.3 \cdot 0.7 = 0.42$ and $\operatorname{MCE} = 0.7$.
   Kept together there is one group, with gap $0.3 - 0.3 = 0$: both are 0.
2. A group has $n/K$ cases. The $n(1-p)$ negatives come first and fill exactly $K(1-p)$ groups, each with $o_k = 0$ and a gap of size $p$; the positives fill $Kp$ groups with $o_k = 1$ and a gap of $1 - p$.
   Each group has the share $1/K$, so $\operatorname{ECE} = (1-p)\,p + p\,(1-p) = 2p(1-p)$, and $\operatorname{MCE} = \max(p, 1 - p)$ for $0 < p < 1$. The size $n$ does not matter.
3. Twelve groups lie in the tie; nine hold negatives only and three positives only. $\operatorname{ECE} = 0.6 \cdot 2 \cdot 0.25 \cdot 0.75 = 0.225$, $\operatorname{MCE} = 0.75$.
4. A group is now 100 cases chosen at random. Its fraction has the standard deviation $\sqrt{0.3 \cdot 0.7 / 100} = 0.046$ (0.043 if one allows for drawing without replacement), so the mean ECE is about $0.798 \cdot 0.046 = 0.04$ (0.035). It falls like $1/\sqrt{n}$: no artefact is left, but noise that keeping the tie together would avoid.

**Rubric.** 1 point each part. Part 2 needs the argument that groups hold one label only; part 4 the number 0.03 or 0.04 and the rate.
### END SOLUTION
"""

# %% hint
r"""
In parts 1 to 3, which labels does a group hold? Draw the sorted list for ten people first.
"""

# %% question noise, numerics, 3 points, goal 2
r"""
## The ECE of a perfect forecaster

Given the predictions, the gap of group $k$ of a calibrated forecaster has mean 0 and variance $\sigma_k^2 = \frac{1}{n_k^2} \sum_{i \in k} p_i (1 - p_i)$.
The mean of the ECE is then about $\sqrt{2/\pi}\, \sum_k P(k)\, \sigma_k$, where $\sqrt{2/\pi} = 0.798$ ($\pi = 3.14\dots$).
Return this number, over the groups that hold a case; `groups` is as in the first question.
"""


# %% answer
def ece_if_perfect(predictions, groups):
    """Approximate mean of the ECE of a calibrated forecaster with these predictions."""
    ### BEGIN SOLUTION
    _, group = np.unique(groups, return_inverse=True)
    variance_of_sum = np.bincount(group, predictions * (1 - predictions))
    return np.sqrt(2 / np.pi) * np.sqrt(variance_of_sum).sum() / len(predictions)
    ### END SOLUTION


# %% test
_p, _groups = np.full(100, 0.5), np.repeat([1, 2, 3, 4], 25)
np.testing.assert_allclose(ece_if_perfect(_p, _groups), 0.0798, rtol=1e-3)
### BEGIN HIDDEN TESTS
_rng = kit.rng("noise", STUDENT)
for _ in range(5):
    _p = _rng.random(400)
    _groups = _rng.choice([0, 1, 2, 6], size=400, p=[0.05, 0.15, 0.3, 0.5])
    _expected = 0.0
    for _k in [0, 1, 2, 6]:
        _inside = _p[_groups == _k]
        _sigma = np.sqrt(np.mean(_inside * (1 - _inside)) / len(_inside))
        _expected += np.sqrt(2 / np.pi) * len(_inside) / 400 * _sigma
    np.testing.assert_allclose(ece_if_perfect(_p, _groups), _expected, rtol=1e-3)
### END HIDDEN TESTS

# %% hint
r"""
$P(k)\,\sigma_k = \frac1n \sqrt{\sum_{i \in k} p_i (1 - p_i)}$.
"""

# %% question bound, theory, 4 points, goal 2
r"""
## How many test cases

Let a calibrated forecaster have $n$ independent cases in $K$ groups that depend on the predictions alone.

1. Show that, given the predictions, the mean of the ECE is at most $\sum_k P(k)\, \sigma_k$ and that this is at most $\frac12 \sqrt{K/n}$. The gap has mean 0 and variance $\sigma_k^2 = \frac{1}{n_k^2} \sum_{i \in k} p_i (1 - p_i)$; you need not show that.
2. How many cases does this bound ask for, so that the mean ECE is at most 0.01 with ten groups? How many if all predictions are at most 0.05?
3. Where does the proof need that the groups depend on the predictions alone? What happens to the statement for the order of the question *When labels decide who is in a group*?
"""

# %% written
r"""
### BEGIN SOLUTION
1. The mean absolute value of a variable is at most the root of its mean square (Jensen), so $\mathbb{E}\lvert o_k - e_k\rvert \le \sigma_k$; multiply by $P(k)$ and add up.
   Since $p(1-p) \le \frac14$, $\sigma_k \le \frac{1}{2\sqrt{n_k}}$, so $P(k)\,\sigma_k \le \frac{\sqrt{n_k}}{2n}$. By Cauchy and Schwarz $\sum_k \sqrt{n_k} \le \sqrt{K \sum_k n_k} = \sqrt{Kn}$, hence the sum is at most $\frac{1}{2n}\sqrt{Kn} = \frac12\sqrt{K/n}$.
2. $\frac12\sqrt{10/n} \le 0.01$ for $n \ge 10/(4 \cdot 0.0001) = 25{,}000$.
   If all $p_i \le 0.05$, then $p_i(1-p_i) \le 0.0475$, since $p(1-p)$ increases up to $\frac12$. The same steps give $\sqrt{0.0475\,K/n}$, and $n \ge 0.0475 \cdot 10/0.0001 = 4750$.
3. "The gap has mean 0 and variance $\sigma_k^2$ given the predictions" treats the set of cases in a group as fixed while the labels are random. If labels decide who is in a group, its labels are no longer independent with the probabilities $p_i$. For a constant forecaster the ECE tends to $2p(1-p)$, which does not go to 0 as $n$ grows; the bound does, so the statement is false.

**Rubric.** 2 points: part 1, 1 for each inequality. 1 point: both numbers of part 2. 1 point: part 3 names the place and says that the statement fails.
### END SOLUTION
"""

# %% hint
r"""
The root of a mean square is at least the mean of the absolute value. For the second inequality compare $\sum_k \sqrt{n_k}$ with $\sqrt{K n}$.
"""

# %% question squared, numerics, 3 points, goal 2
r"""
## Subtracting the noise

The noise of an absolute value is hard to subtract; that of a square is not.
If all cases of a group have the same probability of being positive, $o_k (1 - o_k) / (n_k - 1)$ has the mean of the variance of $o_k$.
Return $\sum_k P(k) \bigl[(o_k - e_k)^2 - o_k (1 - o_k) / (n_k - 1)\bigr]$.
Every group that occurs holds at least two cases.
The result may be negative.
"""


# %% answer
def squared_error(labels, predictions, groups):
    """Mean squared gap with the noise subtracted."""
    ### BEGIN SOLUTION
    _, group, counts = np.unique(groups, return_inverse=True, return_counts=True)
    observed = np.bincount(group, labels) / counts
    gaps = observed - np.bincount(group, predictions) / counts
    return counts @ (gaps**2 - observed * (1 - observed) / (counts - 1)) / counts.sum()
    ### END SOLUTION


# %% test
_z, _p = np.array([1, 0, 1]), np.array([0.3, 0.1, 0.8])
np.testing.assert_allclose(squared_error(_z, _p, np.array([7, 7, 7])), -0.04)
### BEGIN HIDDEN TESTS
_rng = kit.rng("squared", STUDENT)
for _sizes in [[2, 3, 40], [10] * 30, [5, 5, 200, 2]]:
    _groups = _rng.permutation(np.repeat(np.arange(len(_sizes)) * 2, _sizes))
    _p = _rng.random(len(_groups))
    _z = kit.draw_labels(_p, _rng)
    _expected = 0.0
    for _k in set(_groups.tolist()):
        _rows = _groups == _k
        _gap = _z[_rows].mean() - _p[_rows].mean()
        _expected += _rows.mean() * (_gap**2 - np.var(_z[_rows], ddof=1) / _rows.sum())
    np.testing.assert_allclose(squared_error(_z, _p, _groups), _expected, atol=1e-12)
### END HIDDEN TESTS

# %% hint
r"""
Squares, variances and weights belong to groups; compute $o_k$, $e_k$ and $n_k$ as arrays with one entry for each group.
"""

# %% question hidden, theory, 4 points, goal 3
r"""
## What grouping hides

Let $p$ be uniform on $[0, 1]$, $P(z = 1 \mid p) = \pi(p) = 3p^2 - 2p^3$, and $\operatorname{ECE}^* = \mathbb{E}\,\lvert \pi(p) - p\rvert$.
For fixed groups and $n \to \infty$ the ECE tends to $\sum_k P(k)\, \bigl\lvert \mathbb{E}[\pi(p) - p \mid k]\bigr\rvert$, where $P(k)$ is now the probability of group $k$.

1. Show that this limit is at most $\operatorname{ECE}^*$, for all groups.
2. Compute $\operatorname{ECE}^*$, and the limit for $K = 1$, 2 and 3 groups of equal width. (With $u = p(1-p)$ you have $\pi(p) - p = -u\,\frac{du}{dp}$.)
3. "If groups are divided further, the ECE cannot decrease", says a theorem. Why do your numbers for $K = 2$ and $K = 3$ not contradict it?
"""

# %% written
r"""
### BEGIN SOLUTION
1. The absolute value of a mean is at most the mean of the absolute value: $\lvert \mathbb{E}[\pi - p \mid k]\rvert \le \mathbb{E}[\lvert\pi - p\rvert \mid k]$. Multiply by $P(k)$ and add up; the right side becomes $\mathbb{E}\lvert\pi - p\rvert = \operatorname{ECE}^*$.
2. $\pi(p) - p = -p(2p-1)(p-1) = u\,(2p - 1)$, negative below $\frac12$ and positive above, and the two halves mirror each other. Its integral from $s$ to $t$ is $\frac12\bigl(u(s)^2 - u(t)^2\bigr)$.
   From $\frac12$ to 1: $\frac12 \cdot \frac1{16} = \frac1{32}$; with the other half $\operatorname{ECE}^* = \frac1{16} = 0.0625$.
   $K = 1$: the halves cancel, 0. $K = 2$: no group holds both signs, $\frac1{16}$.
   $K = 3$: the middle group is symmetric and gives 0; the last one $\frac12 u(\frac23)^2 = \frac12 \cdot \frac4{81} = \frac2{81}$, the first the same: $\frac4{81} = 0.049$.
3. The theorem is about dividing groups. Three groups of equal width do not arise from two by dividing: the border at $\frac12$, which separates the signs, is gone.

**Rubric.** 1 point: part 1. 2 points: part 2, 1 for $\operatorname{ECE}^*$ with $K = 1$ and $K = 2$, 1 for $K = 3$. 1 point: part 3.
### END SOLUTION
"""

# %% hint
r"""
Where is $\pi(p) - p$ positive? In which groups do both signs meet?
"""

# %% text
r"""
The next two questions use the ECE over forty groups of equal width:
"""


# %% code
def ece(labels, predictions):
    """ECE over forty groups of equal width."""
    group = np.minimum((predictions * 40).astype(int), 39)
    return np.abs(np.bincount(group, labels - predictions)).sum() / len(labels)


# %% question p_value, numerics, 3 points, goal 4
r"""
## A test of calibration

Draw `draws` vectors of labels from the predictions themselves, as if they were right, and compute `ece` for each.
Let $B$ of them be at least as large as the `ece` of the real labels.
Return the p-value $(1 + B) / (1 + \texttt{draws})$, which is never 0.

Take random numbers from `rng`, a NumPy generator such as `np.random.default_rng()`.
"""


# %% answer
def p_value(labels, predictions, rng, draws):
    """P-value of the hypothesis that the predictions are calibrated."""
    ### BEGIN SOLUTION
    drawn = [ece(rng.random(len(labels)) < predictions, predictions) for _ in range(draws)]
    return (1 + np.sum(np.array(drawn) >= ece(labels, predictions))) / (1 + draws)
    ### END SOLUTION


# %% test
_p = p_value(np.zeros(100, dtype=int), np.full(100, 0.9), np.random.default_rng(0), 19)
np.testing.assert_allclose(_p, 0.05)
### BEGIN HIDDEN TESTS
_rng = kit.rng("p_value", STUDENT)
for _draws in [9, 99]:
    _p = p_value(np.ones(200, dtype=int), np.full(200, 0.25), _rng, _draws)
    np.testing.assert_allclose(_p, 1 / (1 + _draws))
_z = np.arange(100) % 2  # an ECE of zero: every other one is at least as large
np.testing.assert_allclose(p_value(_z, np.full(100, 0.5), _rng, 200), 1)
for _shift in [0, 0.04]:
    _pred = _rng.choice([0.125, 0.25, 0.5, 0.625, 0.875], size=300)
    _z = kit.draw_labels(_pred + _shift, _rng)
    _null = [ece(_rng.random(300) < _pred, _pred) for _ in range(2500)]
    _share = np.mean(np.array(_null) >= ece(_z, _pred))
    _p = p_value(_z, _pred, _rng, 1500)
    # two simulated shares: five standard deviations of their difference
    assert abs(_p - _share) < 5 * 0.5 * np.sqrt(1 / 2500 + 1 / 1500), "far from the p-value"
### END HIDDEN TESTS

# %% hint
r"""
`rng.random(n) < predictions` draws labels from the predictions. Equality counts against rejection.
"""

# %% question compare, data, 4 points, goal 4
r"""
## Which of the two is better calibrated?

Two forecasters predict the same 1000 cases, your data below.
The first gives many different predictions, the second says one number to everybody, and `ece` is smaller for the second.
Is the second better calibrated?
The ECE of a forecaster who fills forty groups has the noise of forty groups, the other one that of a single group.
So do not compare the two numbers with each other: compare each with what a *perfect* forecaster with the same predictions would have.

Write a function that returns 0 if the first forecaster is better calibrated and 1 if the second is.
The data at grading leave no doubt: one forecaster's ECE is about what a perfect one would have or less, and the other's is far above.
Either of them may be the one with many predictions.
You may use `ece`, and `rng` for random numbers if you need any.
"""


# %% code
def two_forecasters(name, student):
    """Labels, many predictions that are right, and one number that is off."""
    rng = kit.rng(name, student)
    while True:
        many = rng.random(1000)
        labels = kit.draw_labels(many, rng)
        if 0.057 < ece(labels, many) < 0.066:  # about what chance gives
            break
    one = np.full(1000, labels.mean() + rng.choice([-0.05, 0.05]))
    return labels, many, one


labels, first, second = two_forecasters("compare", STUDENT)
print(f"ece of the first {ece(labels, first):.3f}, of the second {ece(labels, second):.3f}")


# %% answer
def better_calibrated(labels, first, second, rng):
    """0 if the first forecaster is better calibrated, 1 if the second is."""

    ### BEGIN SOLUTION
    def excess(predictions):
        drawn = [ece(rng.random(len(labels)) < predictions, predictions) for _ in range(100)]
        return (ece(labels, predictions) - np.mean(drawn)) / np.std(drawn)

    return int(excess(second) < excess(first))
    ### END SOLUTION


# %% test
_z = np.arange(1000) % 2
assert better_calibrated(_z, np.full(1000, 0.5), np.full(1000, 0.8), np.random.default_rng(0)) == 0
assert better_calibrated(_z, np.full(1000, 0.8), np.full(1000, 0.5), np.random.default_rng(0)) == 1
### BEGIN HIDDEN TESTS
_rng = kit.rng("compare hidden", STUDENT)


def _overconfident(rng):
    """Many predictions that are off, right on the whole, and a number that is nearly right."""
    while True:
        many = rng.random(1000)
        labels = kit.draw_labels(0.15 + 0.7 * many, rng)
        if abs(np.mean(labels - many)) < 0.005 and ece(labels, many) > 0.085:
            return labels, many, np.full(1000, labels.mean() + 0.01)


for _name in ["compare", "compare again", "compare once more"]:
    _z, _many, _one = two_forecasters(_name, STUDENT)
    assert better_calibrated(_z, _many, _one, _rng) == 0, "many predictions, and right"
    assert better_calibrated(_z, _one, _many, _rng) == 1, "many predictions, and right"
    _z, _many, _one = _overconfident(_rng)
    assert better_calibrated(_z, _many, _one, _rng) == 1, "many predictions, and overconfident"
    assert better_calibrated(_z, _one, _many, _rng) == 0, "many predictions, and overconfident"
### END HIDDEN TESTS

# %% hint
r"""
Draw labels from the predictions, a hundred times, for each forecaster. How far is the ECE of the real labels above the drawn ones?
"""

# %% question claim, reading, 4 points, goal 5
r"""
## A claim

The rings are artificial data: a disc and a ring around it. Table 1(a) of Naeini, Cooper and Hauskrecht (2014) measures methods that calibrate a linear support vector machine there:

| | RMSE | AUC | MCE | ECE |
|---|--:|--:|--:|--:|
| isotonic regression | 0.46 | 0.65 | 0.58 | 0.35 |
| histogram binning | 0.39 | 0.84 | 0.19 | 0.07 |

The paper says that predictions are sorted and partitioned into ten bins, and nothing about equal predictions.
The evaluation code that its authors published with *later* papers sorts by prediction and then by label.
The book has repeated the experiment. There isotonic regression gives one prediction, 0.40, to 75 % of the test cases, and about 0.40 of these are positive; its AUC and RMSE agree with the table.
With equal predictions kept together its ECE is 0.020, where a perfect forecaster with the same predictions would have 0.016 on average.

A reader concludes from the table: "Isotonic regression is badly calibrated on the rings."

1. Predict the ECE and the MCE of isotonic regression under the order by label, from the numbers 0.75 and 0.40 alone, neglecting the other cases and the bin that the tie fills only in part. Compare with the table.
2. Judge the reader's conclusion.
3. Which part of your explanation is a fact about the paper, and which is a conclusion that could be wrong?
4. A second reader says: "So isotonic regression is as good a forecaster as histogram binning on the rings." What in the table speaks against it, and why does the order among equal predictions not matter to it?
"""

# %% written
r"""
### BEGIN SOLUTION
1. The tie adds $0.75 \cdot 2 \cdot 0.4 \cdot 0.6 = 0.36$ to the ECE; the groups of positives inside the tie have the gap $1 - 0.4 = 0.6$, which is the MCE. The table has 0.35 and 0.58: close.
2. The number comes from the way of measuring. Kept together, the same kind of predictions have an ECE of 0.020, close to the 0.016 of a perfect forecaster: hardly a sign of bad calibration. The table does not support the conclusion.
3. Facts: the printed numbers, that the paper does not say what it does with equal predictions, and what the later code does. Conclusion: that the paper's own evaluation sorted by label. The agreement in part 1 makes it likely, but the code of this paper and its data have not been seen; other explanations are not excluded.
4. RMSE (0.46 against 0.39) and AUC (0.65 against 0.84) are worse. Neither uses groups: RMSE is a mean over cases, and in the AUC a tie counts one half. Isotonic regression keeps the useless order of the scores and pools most of it; binning need not be monotone.

**Rubric.** 1 point each part. Part 1 needs both numbers; part 2 the comparison with 0.016 and not with 0; part 3 names the inference as an inference; part 4 names RMSE or AUC with the reason.
### END SOLUTION
"""

# %% hint
r"""
For part 1 use the formula of *When labels decide who is in a group*, weighted by the share of the tie.
"""

# %% question break_it, break it, 4 points, goal 3
r"""
## Break it: an error that ten groups do not see, and twenty do

Write a function that takes a number of groups $K \ge 2$ and returns labels and predictions of at least 100 cases such that the ECE over $K$ groups of equal width is at most 0.001, while over $2K$ groups of equal width it is at least 0.2.
Group $k$ of $K$, counted from 0, holds the predictions from $k/K$ up to, but not including, $(k+1)/K$.
No prediction may lie within 0.0001 of a border $j/(2K)$, 0 and 1 included.
It is tested for $K = 2, 3, 5, 10$ and 20.
"""


# %% answer
def hide_from(n_groups):
    """Labels and predictions whose errors cancel in n_groups groups, not in twice as many."""
    ### BEGIN SOLUTION
    k = n_groups // 2
    low, high = (k + 0.25) / n_groups, (k + 0.75) / n_groups
    half = 100 * n_groups
    n_positive = round(2 * half * (k + 0.5) / n_groups)  # as many as predicted, in both together
    labels = (np.arange(2 * half) < n_positive).astype(int)  # the low predictions first
    return labels, np.repeat([low, high], half)
    ### END SOLUTION


# %% test
_z, _p = hide_from(10)
assert np.shape(_z) == np.shape(_p) and len(_z) >= 100, "at least 100 cases"
assert set(np.unique(_z)) <= {0, 1}, "labels are 0 or 1"
assert np.all((0 <= np.asarray(_p)) & (np.asarray(_p) <= 1)), "predictions are in [0, 1]"
### BEGIN HIDDEN TESTS
for _n_groups in [2, 3, 5, 10, 20]:
    _z, _p = (np.asarray(a) for a in hide_from(_n_groups))
    _distance = np.abs(_p * 2 * _n_groups - np.round(_p * 2 * _n_groups)) / (2 * _n_groups)
    assert len(_z) == len(_p) >= 100 and set(np.unique(_z)) <= {0, 1}
    assert _distance.min() >= 0.0001 - 1e-12, "a prediction at a border"
    assert np.all((0 < _p) & (_p < 1)), "predictions are in [0, 1]"
    _sums = [np.bincount((_p * k).astype(int), _z - _p) for k in [_n_groups, 2 * _n_groups]]
    _coarse, _fine = [np.abs(s).sum() / len(_z) for s in _sums]
    assert _coarse <= 0.001 + 1e-12, f"{_n_groups} groups see an error of {_coarse:.4f}"
    assert _fine >= 0.2 - 1e-12, f"{2 * _n_groups} groups see an error of {_fine:.4f} only"
### END HIDDEN TESTS

# %% hint
r"""
Use two predictions in one group of $K$, in different halves of it. Nothing says that their fractions of positives have to be close to them: only their sum matters to the wide group.
"""
