# Problem set 10. course/README.md explains the cells.

# %% text
r"""
# Problem set 10: experiments, and how to read them

About four hours; one point stands for about six minutes.
Read the first part of the chapter *Many data sets: which calibrator is better*, on ranks and tests, and in *Five data sets, and networks* the parts on what the paper prints and on its claims.

After this set you can

1. compare two methods by paired differences, with the right standard error;
2. say what must happen inside of a fold, and why folds are not independent;
3. compare methods over many data sets by ranks, and allow for several tests;
4. tell an effect from what selection and the floor of a measure make;
5. read a published comparison critically.

All arrays are NumPy arrays, and functions may return lists or arrays.
A *standard deviation* of $k$ numbers is $s = \sqrt{\sum_i (d_i - \bar d)^2 / (k - 1)}$ here, `np.std(d, ddof=1)`.
You may use `scipy.stats`, and `scipy.special.stdtr(df, t)`, which is the probability that a variable with the t distribution with `df` degrees of freedom is at most `t`; `scipy.special.stdtrit(df, q)` is the quantile `q`.
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

# %% question interval, numerics, 2 points, goal 1
r"""
## Paired differences

Two methods were run on the same $k$ independent samples; `first[i]` and `second[i]` are their errors on sample `i`.
Return the 95 % t interval of the mean difference, first less second: $\bar d \pm t \, s / \sqrt k$, with the standard deviation $s$ of the differences and the 0.975 quantile $t$ of the t distribution with $k - 1$ degrees of freedom.
"""


# %% answer
def paired_interval(first, second):
    """Lower and upper end of the interval for the mean of first less second."""
    ### BEGIN SOLUTION
    from scipy.special import stdtrit

    d = first - second
    half = stdtrit(len(d) - 1, 0.975) * np.std(d, ddof=1) / np.sqrt(len(d))
    return d.mean() - half, d.mean() + half
    ### END SOLUTION


# %% test
_ends = paired_interval(np.array([0.30, 0.20, 0.25]), np.array([0.28, 0.19, 0.22]))
np.testing.assert_allclose(_ends, [-0.004841, 0.044841], atol=1e-6)
### BEGIN HIDDEN TESTS
from scipy.stats import ttest_1samp

_rng = kit.rng("interval", STUDENT)
for _k in [2, 5, 12, 30]:
    _sample = _rng.normal(0.3, 0.1, _k)
    _a = _sample + _rng.normal(0.01, 0.02, _k)
    _b = _sample + _rng.normal(0, 0.02, _k)
    _expected = ttest_1samp(_a - _b, 0).confidence_interval(0.95)
    np.testing.assert_allclose(
        paired_interval(_a, _b), [_expected.low, _expected.high], rtol=1e-6, atol=1e-9
    )
### END HIDDEN TESTS

# %% hint
r"""
A method may vary much from sample to sample while the difference hardly does: form the differences first.
"""

# %% question folds, theory, 4 points, goal 2
r"""
## What overlapping training sets do to a test

Two methods are compared on $k$ random splits of *one* data set.
The $k$ differences $d_1, \dots, d_k$ have the same mean $\mu$ and the variance $\sigma^2$; since the training sets share rows, each two of them have the correlation $\rho > 0$.
Let $\bar d$ be their mean and $s^2 = \frac{1}{k-1}\sum_i (d_i - \bar d)^2$.

1. Show that $\operatorname{Var}(\bar d) = \sigma^2 \bigl(\frac1k + \frac{k-1}{k}\rho\bigr)$ and $\mathbb{E}\,s^2 = \sigma^2 (1 - \rho)$.
2. For which constant $c$ is $\mathbb{E}(c\,s^2) = \operatorname{Var}(\bar d)$? What is $c$ for $\rho = \frac{n_2}{n_1 + n_2}$, where a split has $n_1$ rows for training and $n_2$ for testing?
3. The usual test rejects $\mu = 0$ if $\lvert \bar d \rvert > 1.96\, s/\sqrt k$. Let $\mu = 0$, let $\bar d$ be normal, and put $\mathbb{E}\,s^2$ in the place of $s^2$. How often does the test reject for $\rho = 0.1$ and $k = 10$, and for $k = 100$? What happens as $k$ grows?
4. Somebody says: "Our hundred splits are a hundred experiments." Which part of $\operatorname{Var}(\bar d)$ becomes smaller with more splits of one data set, and which does not? Say in words what each part is.
"""

# %% written
r"""
### BEGIN SOLUTION
1. $\operatorname{Var}(\sum_i d_i) = k\sigma^2 + k(k-1)\rho\sigma^2$; divide by $k^2$.
   $\sum_i (d_i - \bar d)^2 = \sum_i (d_i - \mu)^2 - k(\bar d - \mu)^2$ has the mean $k\sigma^2 - k\operatorname{Var}(\bar d) = \sigma^2\bigl(k - 1 - (k-1)\rho\bigr) = (k-1)\,\sigma^2(1-\rho)$.
2. $c = \frac{1/k + \rho(k-1)/k}{1-\rho} = \frac{(1-\rho)/k + \rho}{1-\rho} = \frac1k + \frac{\rho}{1-\rho}$. For the given $\rho$, $1 - \rho = \frac{n_1}{n_1+n_2}$ and $c = \frac1k + \frac{n_2}{n_1}$.
3. $\operatorname{Var}(\bar d)$ is $k\,c = 1 + \frac{k\rho}{1-\rho}$ times $\mathbb{E}\,s^2/k$: for $k = 10$ it is 2.11, so the test rejects if a standard normal variable exceeds $1.96/\sqrt{2.11} = 1.35$ in absolute value, with probability 0.18. For $k = 100$ the factor is 12.1, the limit 0.56 and the probability 0.57. It tends to 1: $s/\sqrt k$ goes to zero and $\operatorname{Var}(\bar d)$ to $\rho\sigma^2$.
4. $\operatorname{Var}(\bar d) = \rho\sigma^2 + \frac{(1-\rho)\sigma^2}{k}$. The second part comes from the choice of the splits, and more splits make it small. The first comes from having one data set, whose rows all splits share: another data set of the same size would give another mean, however many splits there are.

**Rubric.** 1 point each part. Part 1 needs both lines; part 2 both constants; part 3 both probabilities (0.17 to 0.18, 0.57 to 0.58) and the limit; part 4 both parts, in words.
### END SOLUTION
"""

# %% hint
r"""
Part 1: $\sum_i (d_i - \bar d)^2 = \sum_i (d_i - \mu)^2 - k(\bar d - \mu)^2$.
"""

# %% question resampled, numerics, 3 points, goal 2
r"""
## A test for overlapping training sets

Nadeau and Bengio (2003) propose for $k$ random splits into `n_train` and `n_test` rows
$$t = \frac{\bar d}{\sqrt{\bigl(\frac1k + \frac{n_{\text{test}}}{n_{\text{train}}}\bigr)\, s^2}},$$
compared with the t distribution with $k - 1$ degrees of freedom.
(It is a rule of thumb: it rests on a guess of the correlation.)
Return $t$ and its two-sided p value, $P(\lvert t_{k-1} \rvert \ge \lvert t \rvert)$.
After the example, the test draws differences without an effect that have just this correlation, and prints how often your p value is below 0.05.
"""


# %% answer
def corrected_t(differences, n_train, n_test):
    """The statistic t and its two-sided p value."""
    ### BEGIN SOLUTION
    from scipy.special import stdtr

    k = len(differences)
    variance = (1 / k + n_test / n_train) * np.var(differences, ddof=1)
    t = np.mean(differences) / np.sqrt(variance)
    return t, 2 * stdtr(k - 1, -abs(t))
    ### END SOLUTION


# %% test
_t, _p_value = corrected_t(np.array([1.0, 2.0, 3.0, 2.0]), 90, 30)
np.testing.assert_allclose([_t, _p_value], [3.207135, 0.049068], atol=1e-5)
_rng = kit.rng("resampled example", STUDENT)
_null = np.sqrt(0.1) * _rng.normal(size=(500, 1)) + np.sqrt(0.9) * _rng.normal(size=(500, 20))
_rejected = np.mean([corrected_t(d, 900, 100)[1] < 0.05 for d in _null])
print(f"20 splits, no effect: p value below 0.05 in {_rejected:.0%} of 500 experiments")
### BEGIN HIDDEN TESTS
from scipy.stats import t as _t_distribution

_rng = kit.rng("resampled", STUDENT)
for _k, _train, _test in [(2, 50, 50), (10, 900, 100), (30, 200, 100), (100, 90, 10)]:
    _d = _rng.normal(_rng.normal(0, 0.01), 0.01, _k)
    _d *= np.sign(_d.mean()) * (-1 if _k == 10 else 1)  # means of both signs
    _se = np.sqrt(np.sum((_d - _d.mean()) ** 2) / (_k - 1) * (1 / _k + _test / _train))
    _expected = _d.mean() / _se
    _found = corrected_t(_d, _train, _test)
    with part(2, "t"):
        np.testing.assert_allclose(_found[0], _expected, rtol=1e-6)
    with part(1, "the p value"):
        _tail = _t_distribution.sf(abs(_expected), _k - 1)
        np.testing.assert_allclose(_found[1], 2 * _tail, rtol=1e-5, atol=1e-12)
### END HIDDEN TESTS

# %% hint
r"""
With many splits $n_{\text{test}}/n_{\text{train}}$ is by far the larger of the two terms.
A p value has two tails, for negative $t$ as well.
"""

# %% question inside, data, 4 points, goal 2
r"""
## All steps inside the fold

Your data are drawn below: 120 rows, 200 columns, and labels that are fair coins, *independent of all columns*.
So no forecaster has a smaller expected Brier score on new rows than the one who always says $\frac12$: 0.25.
If all steps below see all rows, the Brier score on these rows is never above 0.25, and usually clearly below; in a proper cross validation it is above 0.25 on about nine of ten such data sets.
The test prints yours.

A method has these steps.

- Choose the column with the largest $\lvert$mean among positives $-$ mean among negatives$\rvert$.
- Cut it at its median.
- Calibrate: a row above the median gets the fraction of positives among the rows above, any other row the fraction of positives among the rows that are not above.

Write its cross validation.
`folds[i]` is the number of the fold of row `i`.
*Each* step is done with the rows outside of the fold, and the result predicts the rows of the fold.
"""


# %% code
def coins(name, student, n=120, p=200):
    """Features, labels that are independent of them, and folds."""
    rng = kit.rng(name, student)
    return rng.normal(size=(n, p)), kit.draw_labels(np.full(n, 0.5), rng), rng.permutation(n) % 5


X, labels, folds = coins("inside", STUDENT)


# %% answer
def cross_validated(X, labels, folds):
    """Prediction for each row by a method that has not seen its fold."""
    ### BEGIN SOLUTION
    predictions = np.empty(len(labels))
    for fold in np.unique(folds):
        held = folds == fold
        A, z = X[~held], labels[~held]
        column = np.argmax(np.abs(A[z == 1].mean(axis=0) - A[z == 0].mean(axis=0)))
        median = np.median(A[:, column])
        above = A[:, column] > median
        high, low = z[above].mean(), z[~above].mean()
        predictions[held] = np.where(X[held, column] > median, high, low)
    return predictions
    ### END SOLUTION


# %% test
_X = np.array([[1.0], [2.0], [3.0], [4.0], [1.5], [3.5], [2.2], [5.0]])
_z, _folds = np.array([0, 0, 1, 1, 0, 1, 1, 0]), np.array([0, 0, 0, 0, 1, 1, 1, 1])
np.testing.assert_allclose(
    cross_validated(_X, _z, _folds), [0.5, 0.5, 0.5, 0.5, 0, 1, 0, 1], atol=1e-9
)
_brier = np.mean((labels - np.asarray(cross_validated(X, labels, folds))) ** 2)
print(f"Brier score of the cross validation: {_brier:.3f}")
### BEGIN HIDDEN TESTS
for _name, _n in [("inside", 120), ("inside again", 121)]:
    _X, _z, _folds = coins(_name, STUDENT, _n)
    _numbers = np.array([4, 2, 9, 0, 6])[_folds]  # folds may have any numbers
    _found = np.asarray(cross_validated(_X, _z, _numbers))
    for _i in range(_n):
        _rows = [j for j in range(_n) if _numbers[j] != _numbers[_i]]
        _A, _y = _X[_rows], _z[_rows]
        _gap = np.abs(_y @ _A / _y.sum() - (1 - _y) @ _A / (1 - _y).sum())
        _x = _A[:, _gap.argmax()]
        _side = (_x > np.median(_x)) == (_X[_i, _gap.argmax()] > np.median(_x))
        np.testing.assert_allclose(_found[_i], _y[_side].mean(), atol=1e-9)
### END HIDDEN TESTS

# %% hint
r"""
Three things are learnt from data: the column, the median, the two fractions. Take care that a row of the fold has a say in none of them.
"""

# %% question persons, numerics, 2 points, goal 2
r"""
## Folds when persons repeat

Several rows may belong to one person; `persons[i]` is the number of the person of row `i`.
If rows of one person lie in different folds, a classifier is tested on people that it knows.
Return the number of a fold, 0 to `k` - 1, for each row, such that

- all rows of a person lie in one fold,
- no fold is empty,
- no fold has more than $n/k + g$ rows, where $n$ is the number of all rows and $g$ that of the person with the most rows.

There are at least `k` persons; their numbers are any integers, in any order.
"""


# %% answer
def person_folds(persons, k):
    """Number of the fold of each row."""
    ### BEGIN SOLUTION
    _, person, rows = np.unique(persons, return_inverse=True, return_counts=True)
    sizes, fold = np.zeros(k), np.empty(len(rows), dtype=int)
    for one in np.argsort(-rows):  # the largest first, each into the smallest fold
        fold[one] = sizes.argmin()
        sizes[fold[one]] += rows[one]
    return fold[person]
    ### END SOLUTION


# %% test
_folds = np.asarray(person_folds(np.array([7, 7, -1, 12, 12, 7]), 3))
assert _folds.shape == (6,) and sorted(set(_folds.tolist())) == [0, 1, 2]
assert _folds[0] == _folds[1] == _folds[5] and _folds[3] == _folds[4]
### BEGIN HIDDEN TESTS
_rng = kit.rng("persons", STUDENT)
for _k, _n_persons, _step in [(2, 2, 1), (5, 40, 1), (5, 40, 5), (10, 12, -10), (4, 100, 3)]:
    _rows = _rng.integers(1, 9, _n_persons)
    if _n_persons == 100:
        _rows = np.where(np.arange(100) % _k == 0, 8, 1)  # not to be dealt out like cards
    for _order in ["mixed", "sorted"]:
        _persons = np.repeat(_step * np.arange(_n_persons), _rows)
        if _order == "mixed":
            _persons = _rng.permutation(_persons)
        _folds = np.asarray(person_folds(_persons, _k))
        assert _folds.shape == _persons.shape, "a fold for each row"
        assert set(_folds.tolist()) == set(range(_k)), "folds are 0 to k - 1, none is empty"
        for _person in set(_persons.tolist()):
            assert len(set(_folds[_persons == _person])) == 1, "a person lies in two folds"
        _limit = len(_persons) / _k + _rows.max()
        assert np.bincount(_folds.astype(int)).max() <= _limit + 1e-9, "a fold is too large"
### END HIDDEN TESTS

# %% hint
r"""
Deal out persons, not rows: each to the fold that has the fewest rows so far, the persons with many rows first.
"""

# %% question friedman, numerics, 3 points, goal 3
r"""
## Ranks over data sets

`values[t, j]` is a measure of method `j` on data set `t`, such as the AUC: larger is better.
There are at least three methods.
On each data set the best of the $k$ methods has rank 1, the worst rank $k$, and methods with *equal* values share the mean of their ranks: values 0.9, 0.8, 0.8 have the ranks 1, 2.5, 2.5.
With the rank $r_{tj}$, $T$ data sets and the average ranks $R_j = \frac1T \sum_t r_{tj}$, Friedman's statistic that allows for ties is
$$\chi^2 = \frac{(k-1)\,T^2 \sum_j \bigl(R_j - \frac{k+1}2\bigr)^2}{\sum_t \sum_j \bigl(r_{tj} - \frac{k+1}2\bigr)^2} .$$
Return $R_1, \dots, R_k$ and $\chi^2$.
At least one data set has values that are not all equal.
"""


# %% answer
def friedman(values):
    """Average ranks, as long as a row of values, and the statistic."""
    ### BEGIN SOLUTION
    from scipy.stats import rankdata

    ranks = rankdata(-values, axis=1)
    T, k = ranks.shape
    average, middle = ranks.mean(axis=0), (k + 1) / 2
    between = np.sum((average - middle) ** 2)
    return average, (k - 1) * T**2 * between / np.sum((ranks - middle) ** 2)
    ### END SOLUTION


# %% test
_average, _chi2 = friedman(np.array([[0.9, 0.8, 0.7], [0.6, 0.65, 0.5]]))
np.testing.assert_allclose(_average, [1.5, 1.5, 3])
np.testing.assert_allclose(_chi2, 3)
### BEGIN HIDDEN TESTS
_rng = kit.rng("friedman", STUDENT)
for _T, _k in [(5, 3), (12, 4), (40, 6)]:
    for _digits in [1, 8]:  # with one digit there are many ties
        _v = np.round(_rng.normal(0.8, 0.1, (_T, _k)) + 0.03 * np.arange(_k), _digits)
        _v[0, :2] = [0.9, 0.7]
        _better = (_v[:, None, :] > _v[:, :, None]).sum(axis=2)
        _equal = (_v[:, None, :] == _v[:, :, None]).sum(axis=2)
        _r = _better + (_equal + 1) / 2 - (_k + 1) / 2
        _average, _chi2 = friedman(_v)
        with part(1, "average ranks"):
            np.testing.assert_allclose(_average, _r.mean(axis=0) + (_k + 1) / 2)
        with part(2, "the statistic"):
            _expected = (_k - 1) * (_r.sum(axis=0) ** 2).sum() / (_r**2).sum()
            np.testing.assert_allclose(_chi2, _expected, rtol=1e-6, atol=1e-9)
### END HIDDEN TESTS

# %% hint
r"""
`scipy.stats.rankdata(a, axis=1)` gives equal values the mean of their ranks, and rank 1 to the smallest value.
"""

# %% question third, theory, 4 points, goal 3
r"""
## What a third method does

On each data set three methods A, B and C have the ranks 1, 2 and 3 in some order, independently of the other data sets; $R$ is the average rank over $T = 40$ data sets.

1. Let all six orders be equally likely. Show that $r_A - r_B$ has the mean 0 and the variance 2, and find the standard error of $R_A - R_B$.
2. Naeini and Cooper (2016) print for the RMSE after logistic regression, over 40 data sets, the average ranks 1.925 (isotonic regression), 2.625 (BBQ) and 1.450 (ENIR), and two stars: ENIR is significantly better than isotonic regression and than BBQ. Check both stars: $z$ with the standard error of part 1, the two-sided p values, Holm's procedure at the level 0.05.
3. Now C is last on every data set, and A is first with probability $\frac12$. Find the variance of $r_A - r_B$. A is better than B on 28 of the 40 data sets. Compute $z$ and the two-sided p value, first with the standard error of part 1 and then with the right one.
4. What follows for "no significant difference between A and B" in a table of ranks of three methods? How would you compare A and B in its place? Name one thing that no test on ranks can see.
"""

# %% written
r"""
### BEGIN SOLUTION
1. The orders ABC, BAC, ACB, BCA, CAB, CBA have the differences $-1, 1, -2, 2, -1, 1$: mean 0, mean square $\frac{4 \cdot 1 + 2 \cdot 4}{6} = 2$. The mean of 40 independent ones has the standard error $\sqrt{2/40} = 0.224$.
2. Isotonic regression: $z = 0.475/0.2236 = 2.12$, $p = 0.034$. BBQ: $z = 1.175/0.2236 = 5.25$, $p = 1.5 \cdot 10^{-7}$. Holm: the smaller p value is below 0.025, then $0.034 \le 0.05$. Both stars follow from the printed ranks.
3. $r_A - r_B = \pm 1$, with variance 1. $R_B - R_A = (28 - 12)/40 = 0.4$. With 0.2236: $z = 1.79$, $p = 0.074$. With $\sqrt{1/40} = 0.158$: $z = 2.53$, $p = 0.011$.
4. Whether A and B differ "significantly" depends on C: with a bad third method the test is far too cautious, and it misses a difference that the two show by themselves. Compare A and B directly, by a sign test or Wilcoxon's test of their differences, or by an interval of the mean difference. Ranks do not see sizes: 0.0001 counts as much as 0.1. (Nor do they see that two of the data sets are nearly one.)

**Rubric.** 1 point each part. Part 2 needs both z or both p values, and Holm's order; part 3 both z or both p values; part 4 the direct comparison and one thing that ranks do not see.
### END SOLUTION
"""

# %% hint
r"""
Write the six orders in a list with the difference beside each. In part 3 the difference takes two values only.
`scipy.special.ndtr` is the distribution function of the standard normal distribution.
"""

# %% question holm, numerics, 3 points, goal 3
r"""
## Holm's procedure

Hypotheses are rejected in the order of their p values, from the smallest on, as long as the $i$-th smallest of $m$ p values is at most $\alpha/(m - i + 1)$; at the first that fails the procedure *stops*.
Return for each hypothesis, in the order in which they are given, whether it is rejected.
"""


# %% answer
def holm(p_values, alpha):
    """True or False for each hypothesis."""
    ### BEGIN SOLUTION
    m, rejected = len(p_values), np.zeros(len(p_values), dtype=bool)
    for i, one in enumerate(np.argsort(p_values)):
        if p_values[one] > alpha / (m - i):
            break
        rejected[one] = True
    return rejected
    ### END SOLUTION


# %% test
np.testing.assert_array_equal(holm(np.array([0.04, 0.01]), 0.05), [True, True])
np.testing.assert_array_equal(holm(np.array([0.03, 0.04]), 0.05), [False, False])
### BEGIN HIDDEN TESTS
from itertools import combinations

_rng = kit.rng("holm", STUDENT)
for _ in range(60):
    _m, _alpha = int(_rng.integers(1, 6)), _rng.choice([0.01, 0.05, 0.1])
    _p = _rng.uniform(0, 1.3 * _alpha, _m)
    _found = np.asarray(holm(_p, _alpha))
    assert _found.shape == (_m,)
    for _i in range(_m):  # rejected if each set of hypotheses with it is, by the union bound
        _sets = [s for n in range(1, _m + 1) for s in combinations(range(_m), n) if _i in s]
        _expected = all(min(_p[list(s)]) <= _alpha / len(s) for s in _sets)
        assert bool(_found[_i]) == _expected, f"p values {_p}, level {_alpha}, hypothesis {_i}"
np.testing.assert_array_equal(holm(np.array([0.5, 0.25]), 0.5), [True, True])  # at the limits
_p = np.array([0.03, 0.5, 0.001, 0.04, 0.012])
np.testing.assert_array_equal(holm(_p, 0.05), [False, False, True, False, True])
### END HIDDEN TESTS

# %% hint
r"""
`np.argsort` gives the hypotheses in the order of their p values. Start with no rejection.
"""

# %% question rate, numerics, 2 points, goal 4
r"""
## The rate of an error

A calibrator is fitted to $N$ cases, and its Brier score is measured.
The mean Brier score is a *floor*, that of the true probabilities, plus the mean squared distance from the truth; only this second part falls with $N$, like $N^{-a}$, say.
`brier[r, i]` is the Brier score of run `r` with `sizes[i]` cases, and `floor` is known.
Return the slope, about $-a$, of the least-squares line of $\log(\text{mean over the runs} - \text{floor})$ on $\log N$.
Single runs may lie below the floor, their mean does not.
"""


# %% answer
def rate(sizes, brier, floor):
    """Slope of the line on logarithmic axes, a number."""
    ### BEGIN SOLUTION
    return np.polyfit(np.log(sizes), np.log(brier.mean(axis=0) - floor), 1)[0]
    ### END SOLUTION


# %% test
_brier = np.array([[0.30, 0.24, 0.195], [0.34, 0.22, 0.22]])
np.testing.assert_allclose(rate(np.array([100, 400, 1600]), _brier, 0.2), -1, atol=1e-9)
### BEGIN HIDDEN TESTS
_rng = kit.rng("rate", STUDENT)
for _a in _rng.uniform(0.4, 1.2, 4):
    _sizes = np.array([100, 300, 1000, 5000, 20000])
    _floor, _c = _rng.uniform(0.1, 0.2), _rng.uniform(1, 3)
    _excess = _c * _sizes**-_a * (1 + _rng.uniform(-1.5, 1.5, (30, 5)))
    _x, _y = np.log(_sizes), np.log(_excess.mean(axis=0))
    _x = _x - _x.mean()
    np.testing.assert_allclose(
        rate(_sizes, _floor + _excess, _floor), _x @ _y / (_x @ _x), rtol=1e-6
    )
### END HIDDEN TESTS

# %% hint
r"""
Mean first, then the floor, then the logarithm.
"""

# %% question selection, theory, 3 points, goal 4
r"""
## The best of many

None of $m$ variants of a method is better than the baseline, but their gains are measured with errors: the measured gain $X_i$ of variant $i$ is normal with mean 0 and standard deviation $\tau$.
Nothing is said about their dependence.

1. Show that $\mathbb{E} \max_i X_i \le \tau \sqrt{2 \log m}$ for $m \ge 2$. (For $t > 0$, $e^{t \max_i X_i} \le \sum_i e^{t X_i}$; use Jensen's inequality, $\mathbb{E}\,e^{t X_i} = e^{t^2\tau^2/2}$, and choose $t$.)
2. The best of nine variants gains 0.15 per cent of AUC on the test rows, where $\tau$ is 0.1 per cent. Compute the bound. The largest of nine *independent* standard normal variables is 1.49 on average. What does the gain of 0.15 show?
3. Name two ways to report a gain of the best variant honestly.
"""

# %% written
r"""
### BEGIN SOLUTION
1. By Jensen's inequality $e^{t\,\mathbb{E}\max X_i} \le \mathbb{E}\,e^{t \max X_i} \le \sum_i \mathbb{E}\,e^{tX_i} = m\,e^{t^2\tau^2/2}$. Take logarithms and divide by $t$: $\mathbb{E}\max X_i \le \frac{\log m}{t} + \frac{t\tau^2}{2}$. At $t = \sqrt{2\log m}/\tau$ both terms are $\tau\sqrt{\log m/2}$, and the sum is $\tau\sqrt{2\log m}$.
2. The bound is $0.1\sqrt{2 \log 9} = 0.21$ per cent; for independent errors the mean of the largest is 0.149. So 0.15 is what nine variants without any effect reach on average: it shows nothing. (For one variant that was chosen in advance it would be 1.5 standard errors, not significant either.)
3. Choose the variant on validation rows and measure it once on test rows that had no say in the choice; or test the largest gain against the distribution of the largest gain, as in the next question; or report all variants, or their mean.

**Rubric.** 1 point each part. Part 1 needs Jensen's inequality and the choice of $t$; part 2 a comparison with what chance reaches; part 3 two ways.
### END SOLUTION
"""

# %% hint
r"""
The exponential function turns a maximum into something that a sum bounds. The bound holds for each $t > 0$; which $t$ makes it smallest?
"""

# %% question best, numerics, 3 points, goal 4
r"""
## A test for the best of many

`gains[t, j]` is the gain of variant `j` over the baseline on data set `t`.
The gains on one data set may depend on each other; data sets are independent.
If no variant differs from the baseline, we assume that a row of gains and its negative are equally likely.
Then all $2^n$ ways to give each of the $n$ rows a sign, $+$ or $-$ for the *whole* row, are equally likely, the observed one (all $+$) among them.
Return the p value of the largest mean gain: the fraction of the $2^n$ ways for which the largest of the column means is at least the largest observed one.
Count values that differ by less than $10^{-9}$ as equal. There are at most ten data sets.
"""


# %% answer
def best_p_value(gains):
    """Fraction of the ways to choose signs that reach the observed largest mean."""
    ### BEGIN SOLUTION
    n = len(gains)
    signs = 1 - 2 * ((np.arange(2**n)[:, None] >> np.arange(n)) & 1)
    largest = (signs @ gains / n).max(axis=1)
    return np.mean(largest >= gains.mean(axis=0).max() - 1e-9)
    ### END SOLUTION


# %% test
np.testing.assert_allclose(best_p_value(np.array([[1, 0], [2, -1], [1, 1]])), 0.125)
np.testing.assert_allclose(best_p_value(np.array([[1, -1], [2, -2]])), 0.5)
### BEGIN HIDDEN TESTS
from itertools import product

_gains = np.array([[5, 4], [1, 4], [-3, 2], [-1, -1], [3, 3], [4, -2]]) * 0.1  # sums are rounded
np.testing.assert_allclose(best_p_value(_gains), 0.1875)
_rng = kit.rng("best", STUDENT)
for _n, _m in [(6, 1), (8, 3), (9, 6), (10, 9)]:
    for _unit in [1, 0.001]:
        _shared = _rng.integers(-5, 7, (_n, 1))
        _gains = _unit * (_shared + _rng.integers(-9, 11, (_n, _m)))
        _limit = _gains.sum(axis=0).max() - 1e-7
        _count = 0
        for _signs in product([-1, 1], repeat=_n):
            _count += (np.array(_signs) @ _gains).max() >= _limit
        np.testing.assert_allclose(best_p_value(_gains), _count / 2**_n)
### END HIDDEN TESTS

# %% hint
r"""
`itertools.product([1, -1], repeat=n)` runs through all signs. The largest mean is chosen anew for each of them, as it was for the data.
"""

# %% question claim, reading, 4 points, goal 5
r"""
## A table of lifts

Durfee, Gupta and Basu (2022) calibrate networks in the leaves of a tree ("HC") and give the *lift*: the relative gain in AUC, in per cent. Their Table 3 has these rows for the data set Diabetes, with the networks in three sizes (S, M, L) and with or without regularisation:

| | network | HC | lift |
|---|--:|--:|--:|
| S, regularised | 0.6693 | 0.6829 | 2.04 |
| M, regularised | 0.6951 | 0.6832 | 3.65 |
| L, regularised | 0.6567 | 0.6824 | 3.91 |
| S, not regularised | 0.6915 | 0.6937 | 0.32 |
| M, not regularised | 0.6744 | 0.6856 | 1.66 |
| L, not regularised | 0.6679 | 0.6824 | 2.17 |

Table 1 gives the lift of the best three networks of each size, whatever their regularisation:

| | S | M | L |
|---|--:|--:|--:|
| Bank Marketing | 0.76 | 1.14 | 1.27 |
| Census data | 0.50 | 0.55 | 0.22 |
| Credit Default | 0.18 | 0.09 | 0.14 |
| Higgs | 0.19 | 0.33 | 0.36 |
| Diabetes | 0.32 | 1.66 | 2.17 |

The text says (1) that the lift *consistently increases for all datasets* as networks grow, and (2) that the *relative lift is larger for unregularized DNNs as compared to regularized DNNs*. For (2) Table 3 compares the best three of each kind, in 15 pairs of five data sets and three sizes; the lift is larger without regularisation in 12 of them. The other three are those above, so that (2) holds in all three sizes on four of the five data sets.

1. One AUC above cannot be right. Which, and which swap of two digits repairs it? Check with the lift, allowing for the rounding of the AUCs, that the repair fits.
2. Judge (1).
3. There are three kinds of regularisation, "none" being one of them. Suppose that each was tried with three learning rates. From how many networks of a size were the best three chosen on each side of (2)? Networks with a low AUC have a large lift, whether regularised or not. What does this comparison then show even if regularisation does not matter, and which comparison is fair?
4. A sign test asks how likely a count is if each pair is decided by a fair coin. Compute its two-sided p value for 12 of 15 pairs, and for four of five data sets. Which of the two would you report, and why?
"""

# %% written
r"""
### BEGIN SOLUTION
1. M, regularised: from 0.6951 to 0.6832 the AUC falls, and the lift cannot be positive. With 0.6591, two digits swapped, the lift is $0.6832/0.6591 - 1 = 3.66$ per cent; with the rounding of both AUCs it lies between $0.68315/0.65915 - 1 = 3.64$ and $0.68325/0.65905 - 1 = 3.67$, and 3.65 fits. (Table 1 agrees: the lift of 1.66 there is that of networks with an AUC of 0.6744, and the best three of all medium networks should not be worse than three of them with 0.6951.)
2. By its own Table 1 the lift grows from S to M to L on three of the five data sets: Bank Marketing, Higgs and Diabetes. On Census data it is smallest for L, on Credit Default for M. The claim is not what is printed.
3. Three of three without regularisation: nothing is selected, poor networks are kept. Three of six with it: the worse half is dropped. Since poor networks have large lifts, the side without selection has the larger lift by this alone. Fair are equal shares, say two of three against four of six, or one and two, or all of both (equal learning rates beside each other).
4. $P(\ge 12 \text{ of } 15) = \frac{455 + 105 + 15 + 1}{2^{15}} = 0.0176$, two-sided 0.035. $P(\ge 4 \text{ of } 5) = \frac{5 + 1}{32} = 0.1875$, two-sided 0.375. The second: three sizes on one data set share their rows, and the three exceptions are all on one data set, so 15 pairs are not 15 independent observations. With five data sets the sign test cannot be below 0.06.

**Rubric.** 1 point each part. Part 1 needs the swap and the check; part 2 a data set or the count three of five; part 3 the direction of the bias and a fair comparison; part 4 both p values and the dependence.
### END SOLUTION
"""

# %% hint
r"""
Part 1: a lift is $100\,(\text{HC}/\text{network} - 1)$; which network AUC would the printed lift need?
Part 3: which networks does "the best three" drop on each side?
"""

# %% question break_it, break it, 3 points, goal 3
r"""
## Break it: a third method turns the order round

Find the errors of three methods A, B and C (in this order) on at least ten data sets, such that

- no two of them are equal on a data set,
- A has a smaller error than B on at least 60 % of the data sets,
- the mean error of A is smaller than that of B,
- and still, ranked among all three (rank 1 for the smallest error), the average rank of B is better than that of A: smaller by at least 0.2.

Errors are numbers between 0 and 1.
"""


# %% answer
def turned_round():
    """Errors, a row for each data set, with the columns A, B, C."""
    ### BEGIN SOLUTION
    return np.array([[0.1, 0.2, 0.3]] * 6 + [[0.21, 0.19, 0.2]] * 4)
    ### END SOLUTION


# %% test
_errors = np.asarray(turned_round(), dtype=float)
assert _errors.ndim == 2 and _errors.shape[1] == 3, "three columns"
assert len(_errors) >= 10, "at least ten data sets"
assert np.all((_errors >= 0) & (_errors <= 1)), "errors lie between 0 and 1"
assert np.all(np.diff(np.sort(_errors, axis=1), axis=1) > 0), "two errors are equal"
### BEGIN HIDDEN TESTS
_a, _b, _c = _errors.T
assert np.mean(_a < _b) >= 0.6 - 1e-9, "A is not better than B on 60 % of the data sets"
assert _a.mean() < _b.mean(), "the mean error of A is not the smaller one"
_rank_a = 1 + np.mean(_b < _a) + np.mean(_c < _a)
_rank_b = 1 + np.mean(_a < _b) + np.mean(_c < _b)
assert _rank_b <= _rank_a - 0.2 + 1e-9, f"average ranks of A and B: {_rank_a}, {_rank_b}"
### END HIDDEN TESTS

# %% hint
r"""
Where B is better than A, put C between the two.
"""
