# Problem set 8. course/README.md explains the cells.

# %% text
r"""
# Problem set 8: Venn-Abers predictors

About four hours; one point stands for about six minutes.
Read the chapters *Venn predictors and validity*, *Venn-Abers predictors* and *Simplified, inductive, cross* first.

After this set you can

1. compute the pair of a Venn-Abers predictor by hand and by program, with ties;
2. prove that the right member of the pair is calibrated, check it by going through a bag, and say what this does not promise;
3. merge the two probabilities into one, and say what the merge can cost;
4. say whose scores may be calibrated on: full, inductive and simplified predictors, and measure over-confidence;
5. read a published comparison of methods critically.

Labels are 0 or 1; scores are any numbers. All arrays are NumPy arrays.
A calibration sample has the scores $y_1, \dots, y_N$ and the labels $z_1, \dots, z_N$; a new case has the score $y$.
For each label $c \in \{0, 1\}$ add the new case with the label $c$ to the sample and fit isotonic regression to all $N + 1$ cases.
Its value *at the new case* is $p_c$. The prediction is the pair $(p_0, p_1)$.

For isotonic regression you may use your own program of problem set 5, or
`scipy.optimize.isotonic_regression(means, weights=counts).x`, which takes the mean label and the number of cases at each *distinct* score, in increasing order, and returns the value at each.
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

# %% question trace, theory, 3 points, goal 1
r"""
## A pair by hand

Seven cases have the scores 1, 2, 3, 3, 4, 5, 6 and, in this order, the labels 0, 1, 0, 1, 0, 1, 1.

1. A new case has the score 3. Compute $p_0$ and $p_1$. For each label, how many calibration cases get the same value of isotonic regression as the new case? Compare the width $p_1 - p_0$ with this number.
2. Compute both for a new case with the score 4.5, and say again, for each label, how many calibration cases get the value of the new case. What is different?
3. For which new scores is $p_0 = 0$, and for which is $p_1 = 1$? Give the reason without computing all pairs.
"""

# %% written
r"""
### BEGIN SOLUTION
1. With the label 0 the distinct scores have the means 0, 1, 1/3 (weight 3), 0, 1, 1. Pooled: 1 and 1/3 to 2/4, with the next 0 to 2/5. So $p_0 = 2/5$.
   With the label 1 the third mean is 2/3; 1 and 2/3 are pooled to 3/4, with the next 0 to 3/5. So $p_1 = 3/5$.
   In both cases the four calibration cases with the scores 2, 3, 3, 4 have the value of the new case, and the width is $1/5 = 1/(1 + 4)$.
2. With the label 0: 0 | 1, 1/2 (weight 2), 0, **0** | 1 | 1, pooled to $p_0 = 2/5$ with four calibration cases.
   With the label 1: 0 | 1, 1/2 (weight 2), 0 | **1**, 1, 1: the middle block has the value 1/2, the new case and the last two have the value 1, so $p_1 = 1$ with two calibration cases.
   The new case belongs to another block for each label, so the width 3/5 is not one over one number of cases. (By the theorem on the width it is the mean of $1/(1 + n_c)$ over all labels $c$ from 0 to 1, where $n_c$ cases have the value of the new one: $n_c = 4$ for $c < \frac12$, and for $\frac12 < c < 1$ the new case is alone, $n_c = 0$. So $\frac12 \cdot \frac15 + \frac12 \cdot 1 = \frac35$.)
3. $p_0 = 0$ if and only if there is no positive with a score of at most $y$, that is for $y < 2$. Then all cases up to the new one have the label 0, and nothing is pooled with a positive. If there is such a positive, the value at its score is the mean label of a set that contains it, so above 0, and the value at $y$ is not smaller.
   In the same way $p_1 = 1$ if and only if there is no negative with a score of at least $y$: $y > 4$.

**Rubric.** 1 point each part: both ends and the number of cases in parts 1 and 2; both conditions with a reason in part 3.
### END SOLUTION
"""

# %% hint
r"""
A new case with the score of other cases is put together with them first: with the label 0 there are three cases at the score 3, one of them positive.
"""

# %% question pair, numerics, 4 points, goal 1
r"""
## The pair

Write the Venn-Abers predictor for one new score.
Scores may be tied, also the new one with scores of the sample; they come in any order.
A library may do the isotonic regressions: the points are for what they are given and what is read off.
"""


# %% answer
def venn_abers(scores, labels, new):
    """The two numbers p0, p1, in this order, for the number new."""
    ### BEGIN SOLUTION
    from scipy.optimize import isotonic_regression

    knots, place, counts = np.unique(
        np.append(scores, new), return_inverse=True, return_counts=True
    )
    pair = []
    for c in [0, 1]:
        means = np.bincount(place, np.append(labels, c)) / counts
        pair.append(isotonic_regression(means, weights=counts).x[place[-1]])
    return tuple(pair)
    ### END SOLUTION


# %% test
_s, _z = np.array([1, 2, 3, 4]), np.array([0, 1, 0, 1])
np.testing.assert_allclose(venn_abers(_s, _z, 2.5), [1 / 3, 2 / 3])
np.testing.assert_allclose(venn_abers(_s, _z, 4), [0.5, 1])


### BEGIN HIDDEN TESTS
def _value_at(scores, labels, new, c):
    """Isotonic value at a new case with label c, by the formula max over a of min over b."""
    knots, place = np.unique(np.append(scores, new), return_inverse=True)
    mass = np.append(0, np.cumsum(np.bincount(place)))
    total = np.append(0, np.cumsum(np.bincount(place, np.append(labels, c))))
    i = int(np.sum(knots < new))
    return max(
        np.min((total[i + 1 :] - total[a]) / (mass[i + 1 :] - mass[a])) for a in range(i + 1)
    )


_rng = kit.rng("pair", STUDENT)
for _s in [_rng.normal(size=40), _rng.integers(0, 7, 40) / 4, np.zeros(12), _rng.normal(size=1)]:
    for _slope in [1.0, -0.5]:
        _z = kit.draw_labels(kit.expit(_slope * (_s - np.mean(_s))), _rng)
        for _y in [*_rng.choice(_s, 4), *_rng.uniform(-2, 2, 4), -9.0, 9.0]:
            _expected = [_value_at(_s, _z, _y, c) for c in [0, 1]]
            np.testing.assert_allclose(venn_abers(_s, _z, _y), _expected, atol=1e-9)
### END HIDDEN TESTS

# %% hint
r"""
`np.append(scores, new)` has the new case in the last place, and `np.unique(..., return_inverse=True)` says at which distinct score it is.
"""

# %% question exchange, theory, 4 points, goal 2
r"""
## Why one of the two is calibrated, and which

Take cases without scores, or all with one score: then isotonic regression is the mean of all labels.
Let $m$ be the number of positives among the labels $z_1, \dots, z_N$, and $z$ the label of the new case; the $N + 1$ labels are exchangeable: no order of them is more likely than another.
The *selected* member of the pair is $p_z$: $p_1$ if the label turns out to be 1, else $p_0$.

1. Write $p_0$ and $p_1$. With $K = m + z$ show that $p_z = K/(N + 1)$, and conclude that $P(z = 1 \mid p_z) = p_z$. Where do you use exchangeability?
2. The labels are independent tosses with $P(z = 1) = \theta$. What is $P(z = 1 \mid p_0)$? Is $p_0$ calibrated?
3. A user reads $[p_0, p_1]$ as an interval that contains $\theta$ with high probability. For $N = 1000$ and $\theta = 0.3$ compare its width with the standard deviation of $m/N$, and estimate the probability that it contains $\theta$, by the normal approximation.
4. Another user has *one* calibration sample, with $m = 300$ of $N = 1000$, and makes 500 predictions with it. Which values does $p_z$ take, and what is the fraction of positives at each? Why is this no contradiction to part 1?
"""

# %% written
r"""
### BEGIN SOLUTION
1. $p_0 = m/(N+1)$ and $p_1 = (m+1)/(N+1)$, so $p_z = (m+z)/(N+1) = K/(N+1)$.
   Given $K$, every place is equally likely to hold each of the $N+1$ labels, by exchangeability; so the last label is one of the $K$ positives with probability $K/(N+1)$. As $p_z$ is a one-to-one function of $K$, $P(z = 1 \mid p_z) = P(z = 1 \mid K) = K/(N+1) = p_z$.
2. $p_0$ depends on the first $N$ tosses only, and the new toss does not depend on them: $P(z = 1 \mid p_0) = \theta$, whatever the value of $p_0$. So $p_0$ is not calibrated (it is if $p_0 = \theta$ with certainty, which cannot be for $0 < \theta < 1$).
3. The width is $1/1001 \approx 0.001$; the standard deviation is $\sqrt{0.3 \cdot 0.7/1000} = 0.0145$, fourteen times as much. The interval contains $\theta$ about when the error of $m/N$ falls into a given interval of length 0.001 near 0: the density of the error at 0 is $1/(0.0145\sqrt{2\pi}) = 27.5$, and the probability about $27.5 \cdot 0.001 = 0.03$.
4. $p_z$ is $300/1001$ for each new negative, and $301/1001$ for each new positive: at the first value no label is 1, at the second all are. Part 1 is an average over samples and new cases together, in which $m$ varies; given one sample the selected member gives the label away.

**Rubric.** 1 point each part. Part 1 must say that given $K$ the last label is equally likely to be any of the labels; part 4 must name the average over samples.
### END SOLUTION
"""

# %% hint
r"""
For part 1 write all $N + 1$ labels on cards, shuffle, and turn over the last one.
"""

# %% question selected, numerics, 3 points, goal 2
r"""
## Every case in turn

Given are $N + 1$ cases with their labels, in any order.
Take each case in turn as the new one, and the other $N$ as the calibration sample.
Return, for each case, the selected member of its pair: $p_1$ if its label is 1, $p_0$ if it is 0.

The test below checks the idea behind validity: among the cases with one selected value, the fraction of positives *is* this value.
"""


# %% answer
def selected_predictions(scores, labels):
    """The selected member of the pair of each case, an array as long as scores."""
    ### BEGIN SOLUTION
    from scipy.optimize import isotonic_regression

    selected = []
    for i, label in enumerate(labels):
        others = np.arange(len(labels)) != i
        s, z = np.append(scores[others], scores[i]), np.append(labels[others], label)
        _, place, counts = np.unique(s, return_inverse=True, return_counts=True)
        fit = isotonic_regression(np.bincount(place, z) / counts, weights=counts).x
        selected.append(fit[place[-1]])
    return np.array(selected)
    ### END SOLUTION


# %% test
_s, _z = np.array([1, 2, 3, 4, 5, 6]), np.array([0, 1, 0, 0, 1, 1])
_p = np.round(selected_predictions(_s, _z), 9)
for _value in set(_p):
    assert abs(_z[_p == _value].mean() - _value) < 1e-8, (
        f"{_value} is not the fraction of positives"
    )
assert len(set(_p)) > 1
### BEGIN HIDDEN TESTS
_rng = kit.rng("selected", STUDENT)
_cases = [(np.repeat([0, 1, 2], [4, 2, 3]), np.array([1, 1, 1, 0, 0, 0, 1, 0, 1]))]  # ties
for _s in [_rng.normal(size=30), _rng.integers(0, 6, 30), -np.arange(15.0), np.ones(8)]:
    _cases.append((_s, kit.draw_labels(kit.expit(_s - np.mean(_s)), _rng)))
for _s, _z in _cases:
    _knots, _place = np.unique(_s, return_inverse=True)
    _blocks = []
    for _k in range(len(_knots)):
        _at = _z[_place == _k]
        _blocks.append([_at.sum(), len(_at), 1])
        while len(_blocks) > 1 and (
            _blocks[-2][0] * _blocks[-1][1] >= _blocks[-1][0] * _blocks[-2][1]
        ):
            _last = _blocks.pop()
            _blocks[-1] = [x + y for x, y in zip(_blocks[-1], _last, strict=True)]
    _fit = np.repeat([t / n for t, n, _ in _blocks], [k for _, _, k in _blocks])
    np.testing.assert_allclose(selected_predictions(_s, _z), _fit[_place], atol=1e-9)
### END HIDDEN TESTS

# %% hint
r"""
If the label that you give to the new case for trial is its true one, which $N + 1$ cases with which labels is isotonic regression fitted to? Does this depend on the case?
"""

# %% question merge, numerics, 2 points, goal 3
r"""
## One number

For log loss the pair is merged to
$$p = \frac{p_1}{1 - p_0 + p_1}.$$
Write the merge for arrays of pairs (or for single numbers).
"""


# %% answer
def merge(p0, p1):
    """Merged probabilities, of the shape of p0 and p1."""
    ### BEGIN SOLUTION
    return p1 / (1 - p0 + p1)
    ### END SOLUTION


# %% test
np.testing.assert_allclose(merge(np.array([0.1, 0.0]), np.array([0.5, 1.0])), [5 / 14, 0.5])
### BEGIN HIDDEN TESTS
_rng = kit.rng("merge", STUDENT)
_p0, _p1 = np.sort(_rng.random((2, 50)), axis=0)
_p = np.asarray(merge(_p0, _p1))
np.testing.assert_allclose(_p1 * (1 - _p), (1 - _p0) * _p)  # both regrets are equal
np.testing.assert_allclose(merge(0.0, 1 / 7), 1 / 8)
np.testing.assert_allclose(merge(0.6, 0.3), 0.3 / 0.7)  # crossed ends
### END HIDDEN TESTS

# %% question regret, theory, 4 points, goal 3
r"""
## What a merge can cost

Let $0 \le p_0 < p_1 \le 1$ and $\Delta = p_1 - p_0$.
If the label is 1, the right member of the pair was $p_1$, and the *regret* of saying $p$ is the loss of $p$ less the loss of $p_1$; if it is 0, the loss of $p$ less that of $p_0$.
The minimax merge makes the larger one of the two regrets as small as possible.

1. Derive the minimax merge for log loss, and show that its regret is $\log(1 + \Delta)$ for either label.
2. Derive the minimax merge for the square loss $(z - p)^2$.
3. The pair is $(0, 0.5)$. Compute both merges and their regrets. What is the larger regret under log loss if one takes the mean of the pair instead?
4. Show that the merge for log loss lies between $\frac{1}{N+2}$ and $\frac{N+1}{N+2}$, if the pair comes from a calibration sample of $N$ cases. What is the largest log loss that a single case can have? You may use that $p_1 \ge \frac{1}{N+1}$ and $p_0 \le \frac{N}{N+1}$; say why these hold.
"""

# %% written
r"""
### BEGIN SOLUTION
1. The regrets are $\log(p_1/p)$, which falls with $p$, and $\log\frac{1 - p_0}{1 - p}$, which rises. The larger one is smallest where they are equal (they cross: at $p = p_0$ the second is 0, at $p = p_1$ the first): $p_1(1 - p) = (1 - p_0)p$, so $p = \frac{p_1}{1 - p_0 + p_1}$. Then $p_1/p = 1 - p_0 + p_1 = 1 + \Delta$.
2. The regrets are $(1-p)^2 - (1-p_1)^2$, which falls, and $p^2 - p_0^2$, which rises. Equal: $1 - 2p - (1 - p_1)^2 = -p_0^2$, so $p = p_1 - \frac12 p_1^2 + \frac12 p_0^2$.
3. Log loss: $p = 0.5/1.5 = 1/3$, regret $\log 1.5 = 0.405$ for either label. Square loss: $p = 0.5 - 0.125 = 0.375$, regret $0.375^2 = 0.141$ (and $0.625^2 - 0.25 = 0.141$). The mean 0.25 has the regrets $\log 2 = 0.693$ and $\log\frac{1}{0.75} = 0.288$; the larger one is 0.693.
4. $p_c$ is the mean label of a set of at most $N + 1$ cases that contains the new one. With the label 1 this set has a positive: $p_1 \ge 1/(N+1)$. With the label 0 it has a negative: $p_0 \le N/(N+1)$.
   The odds of the merge are $\frac{p_1}{1 - p_0}$. They are at least $\frac{1}{N+1}$, since $1 - p_0 \le 1$, and at most $1/\frac{1}{N+1} = N + 1$. So $p \ge \frac{1}{N+2}$ and $p \le \frac{N+1}{N+2}$, and the log loss of a case is at most $\log(N + 2)$.

**Rubric.** 1 point each part. Part 1 must say that one regret falls and the other rises; part 4 needs the reason and both bounds.
### END SOLUTION
"""

# %% hint
r"""
For part 4 look at the odds $p/(1-p)$ of the merge.
"""

# %% question full, numerics, 3 points, goal 4
r"""
## The full predictor

So far the scores were given. Now a classifier is to be trained on the same cases.
The *full* Venn-Abers predictor does the following for each label $c$: it trains the classifier on the $N$ cases *and* the new case with the label $c$; scores all $N + 1$ cases with it; fits isotonic regression to these scores and labels; and reads the value at the new case.

`train(X, z)` trains a classifier on the rows of the two-dimensional array `X`, with labels `z`, and returns a function `s`. For a two-dimensional array of rows, old or new, `s` returns the array of their scores.
"""


# %% answer
def full_pair(train, X, z, x):
    """The two numbers p0, p1 for the row x, an array of features; X has N rows, z their labels."""
    ### BEGIN SOLUTION
    from scipy.optimize import isotonic_regression

    rows, pair = np.vstack([X, x]), []
    for c in [0, 1]:
        labels = np.append(z, c)
        scores = train(rows, labels)(rows)
        _, place, counts = np.unique(scores, return_inverse=True, return_counts=True)
        fit = isotonic_regression(np.bincount(place, labels) / counts, weights=counts).x
        pair.append(fit[place[-1]])
    return tuple(pair)
    ### END SOLUTION


# %% test
def _memoriser(X, z):
    """Each row of training gets its own label as score, any other row the score 0."""
    known = {tuple(row): label for row, label in zip(X, z, strict=True)}
    return lambda new: np.array([float(known.get(tuple(row), 0)) for row in new])


_X, _z = np.array([[1.0], [2.0], [3.0]]), np.array([0, 1, 1])
np.testing.assert_allclose(full_pair(_memoriser, _X, _z, np.array([9.0])), [0, 1])


### BEGIN HIDDEN TESTS
def _least_squares(X, z):
    """Scores by a linear function with the smallest squared error."""
    A = np.column_stack([np.ones(len(X)), X])
    beta = np.linalg.solve(A.T @ A + 1e-6 * np.eye(A.shape[1]), A.T @ z)
    return lambda new: np.column_stack([np.ones(len(new)), new]) @ beta


def _group_mean(X, z):
    """Scores are the mean label of the rows with the same first feature."""
    means = {v: z[X[:, 0] == v].mean() for v in set(X[:, 0])}
    return lambda new: np.array([means.get(v, 0.5) for v in new[:, 0]])


def _full_value(train, X, z, x, c):
    """Value of the full predictor at x with label c, by the formula max over a of min over b."""
    rows, labels = np.concatenate([X, x[None]]), np.append(z, c)
    y = train(rows, labels)(rows)
    knots, where = np.unique(y, return_inverse=True)
    n = np.append(0, np.cumsum(np.bincount(where)))
    t = np.append(0, np.cumsum(np.bincount(where, labels)))
    i = where[-1]
    return max(np.min((t[i + 1 :] - t[a]) / (n[i + 1 :] - n[a])) for a in range(i + 1))


_rng = kit.rng("full", STUDENT)
for _train in [_least_squares, _group_mean]:
    for _ in range(6):
        _X = _rng.normal(size=(25, 3))
        if _train is _group_mean:
            _X = np.round(_X)
        _z = kit.draw_labels(kit.expit(_X.sum(axis=1)), _rng)
        _x = _X[0] + (_train is _least_squares) * _rng.normal(size=3)
        _expected = [_full_value(_train, _X, _z, _x, c) for c in [0, 1]]
        np.testing.assert_allclose(full_pair(_train, _X, _z, _x), _expected, atol=1e-9)
### END HIDDEN TESTS

# %% hint
r"""
`np.vstack([X, x])` has the new case as its last row. The classifier is trained twice.
"""

# %% question inductive, data, 4 points, goal 4
r"""
## Scores of rows that the classifier has not seen

Two trainings for each new case are expensive.
The *inductive* predictor splits the rows once: it trains the classifier on one part, the *proper training* rows, and takes the scores and labels of the *other* part as calibration sample for all new cases.
Your data are drawn below; the score is the share of positives among the three nearest training rows, and a training row is one of its own three.

Write the inductive predictor. You may use `VennAbers()` of `calib`: `VennAbers().fit(scores, labels).predict_interval(new_scores)` gives the arrays $p_0$ and $p_1$.
After your answer the test prints the log loss of the merged probabilities on fresh rows, for your predictor and for the *simplified* one, which trains and calibrates on all rows.
"""


# %% code
def neighbours(X, z):
    """Scores: the share of positives among the three nearest of the rows X."""

    def s(new):
        distance = ((new[:, None] - X) ** 2).sum(axis=2)
        return z[np.argsort(distance, axis=1, kind="stable")[:, :3]].mean(axis=1)

    return s


def draw_rows(name, student, n=200, n_new=500):
    """Rows with labels, which of them are held out for calibration, and fresh rows with labels."""
    rng = kit.rng(name, student)
    X = rng.normal(size=(n + n_new, 1)) + 0.5 * rng.normal(size=(n + n_new, 4))
    z = kit.draw_labels(kit.expit(1.2 * X.mean(axis=1)), rng)
    held = rng.permutation(n) < n // 2
    return X[:n], z[:n], held, X[n:], z[n:]


X, z, held, X_new, z_new = draw_rows("inductive", STUDENT)


# %% answer
def inductive_pairs(train, X, z, held, X_new):
    """Arrays p0 and p1, one entry for each row of X_new.

    train as in the question "The full predictor"; held[i] is true if row i is a calibration row.
    """
    ### BEGIN SOLUTION
    from calib import VennAbers

    s = train(X[~held], z[~held])
    return VennAbers().fit(s(X[held]), z[held]).predict_interval(s(X_new))
    ### END SOLUTION


# %% test
_X = np.arange(6.0)[:, None]
_held = np.array([True, True, True, True, False, False])
_p0, _p1 = inductive_pairs(
    lambda X, z: lambda new: new[:, 0] + X.min(),  # the lowest training row is added
    _X,
    np.array([0, 1, 0, 1, 1, 0]),
    _held,
    np.array([[1.5], [9.0]]),
)
np.testing.assert_allclose(_p0, [1 / 3, 1 / 2])
np.testing.assert_allclose(_p1, [2 / 3, 1])
from calib import VennAbers
from calib.metrics import log_loss

_s = neighbours(X, z)
for _name, (_p0, _p1) in {
    "simplified": VennAbers().fit(_s(X), z).predict_interval(_s(X_new)),
    "inductive ": inductive_pairs(neighbours, X, z, held, X_new),
}.items():
    _p = np.asarray(_p1) / (1 - np.asarray(_p0) + np.asarray(_p1))
    print(
        f"{_name}: log loss {log_loss(z_new, _p):.3f}, mean width {np.mean(np.subtract(_p1, _p0)):.3f}"
    )


### BEGIN HIDDEN TESTS
def _inductive_value(y, labels, new, c):
    """Isotonic value at a new score with label c, by the formula min over b of max over a."""
    knots, where = np.unique(np.append(y, new), return_inverse=True)
    n = np.append(0, np.cumsum(np.bincount(where)))
    t = np.append(0, np.cumsum(np.bincount(where, np.append(labels, c))))
    i = where[-1]
    return min(
        np.max((t[b] - t[: i + 1]) / (n[b] - n[: i + 1])) for b in range(i + 1, len(knots) + 1)
    )


for _name in ["inductive", "inductive again"]:
    _X, _z, _held, _new, _ = draw_rows(_name, STUDENT, n=80, n_new=30)
    _held &= np.arange(80) % 5 > 0  # parts of different size
    _score = neighbours(_X[~_held], _z[~_held])
    _pairs = np.asarray(inductive_pairs(neighbours, _X, _z, _held, _new))
    for _c in [0, 1]:
        _expected = [_inductive_value(_score(_X[_held]), _z[_held], y, _c) for y in _score(_new)]
        np.testing.assert_allclose(_pairs[_c], _expected, atol=1e-9)
### END HIDDEN TESTS

# %% hint
r"""
Three sets of rows: those that `train` sees, those whose scores and labels `fit` sees, and the new ones. No row may be in two of them.
"""

# %% question over, data, 3 points, goal 4
r"""
## Over-confidence

How far is a predictor from valid? For a valid one the selected member $p_S$ (that is $p_1$ for a positive, $p_0$ for a negative) has
$E\bigl[(p_S - z)\,\operatorname{sign}(p_S - \tfrac12)\bigr] = 0$; a positive mean says that the selected probabilities are too extreme. For $p_S = \frac12$ the sign is 0.

There are $R$ training samples, each with $k$ new cases: the arrays `p0`, `p1` and `labels` have a row for each sample and a column for each new case.
Return the mean over all cases, and its standard error.
The cases of a row share their sample, so they are not independent, but the rows are: the standard error is the standard deviation of the $R$ row means, with divisor $R - 1$, over $\sqrt R$.
The test prints both numbers for predictors on your data of 150 samples: the simplified and the inductive one, with three nearest neighbours.
"""


# %% code
def draw_pairs(name, student, inductive, repetitions=150, n=40, k=10):
    """Arrays p0, p1 and labels with a row for each sample; nearest neighbours, drawn anew."""
    from calib import VennAbers as Predictor

    rng = kit.rng(name, student)
    p0, p1, labels = np.empty((3, repetitions, k))
    for r in range(repetitions):
        X = rng.normal(size=(n + k, 1)) + 0.5 * rng.normal(size=(n + k, 4))
        z = kit.draw_labels(kit.expit(1.2 * X.mean(axis=1)), rng)
        cut = n // 2 if inductive else n
        s = neighbours(X[:cut], z[:cut])
        rest = slice(cut, n) if inductive else slice(0, n)
        p0[r], p1[r] = Predictor().fit(s(X[rest]), z[rest]).predict_interval(s(X[n:]))
        labels[r] = z[n:]
    return p0, p1, labels


simplified = draw_pairs("over", STUDENT, inductive=False)
inductive = draw_pairs("over", STUDENT, inductive=True)


# %% answer
def overconfidence(p0, p1, labels):
    """Mean of (selected - label) * sign(selected - 1/2), and its standard error."""
    ### BEGIN SOLUTION
    selected = np.where(labels == 1, p1, p0)
    rows = np.mean((selected - labels) * np.sign(selected - 0.5), axis=1)
    return rows.mean(), rows.std(ddof=1) / np.sqrt(len(rows))
    ### END SOLUTION


# %% test
_found = overconfidence(
    np.array([[0.2, 0.4], [0.5, 0.1]]),
    np.array([[0.4, 0.9], [0.7, 0.3]]),
    np.array([[0, 1], [0, 0]]),
)
np.testing.assert_allclose(_found, [-0.1, 0.05])  # row means -0.15 and -0.05
for _name, _arrays in {"simplified": simplified, "inductive ": inductive}.items():
    print("{}: {:+.3f}, standard error {:.3f}".format(_name, *overconfidence(*_arrays)))
### BEGIN HIDDEN TESTS
_rng = kit.rng("over again", STUDENT)
for _rows, _k in [(30, 4), (7, 1), (200, 3)]:
    _p0, _p1 = np.sort(_rng.random((2, _rows, _k)) ** _rng.uniform(0.5, 2, (_rows, 1)), axis=0)
    _z = kit.draw_labels(_rng.random((_rows, _k)), _rng)
    _means = [
        sum(
            (p - label) * (1 if p > 0.5 else -1)
            for p, label in ((b if label else a, label) for a, b, label in zip(*row, strict=True))
        )
        / _k
        for row in zip(_p0, _p1, _z, strict=True)
    ]
    _mean = sum(_means) / _rows
    _error = (sum((m - _mean) ** 2 for m in _means) / (_rows - 1) / _rows) ** 0.5
    np.testing.assert_allclose(overconfidence(_p0, _p1, _z), [_mean, _error], atol=1e-9)
### END HIDDEN TESTS

# %% hint
r"""
First an array of selected members, of the shape of `labels`; then the mean of each row.
"""

# %% question memoriser, numerics, 3 points, goal 4
r"""
## How biased the simplified predictor can be

The *simplified* predictor trains the classifier once, on all $N$ cases without the new one, and calibrates on the scores of the same $N$ cases.
A *memoriser* gives each training case its own label as score, and any other case the score 0; no new case equals a training case.
The $N$ training labels are independent, each 1 with probability $\theta$, $0 < \theta < 1$.

Which pair does the simplified predictor say for a new case, if $n$ of the training labels are 0? Work it out, and write the exact expectation of $p_1$ over the training labels, as a function of $N$ and $\theta$.
"""


# %% answer
def expected_upper(N, theta):
    """The expectation of p1, a number."""
    ### BEGIN SOLUTION
    return (1 - theta ** (N + 1)) / ((N + 1) * (1 - theta))
    ### END SOLUTION


# %% test
np.testing.assert_allclose(expected_upper(1, 0.5), 0.75)
np.testing.assert_allclose(expected_upper(2, 0.5), 7 / 12)
### BEGIN HIDDEN TESTS
from math import comb as _comb

_rng = kit.rng("memoriser", STUDENT)
for _N in [1, 3, 10, 60]:
    for _theta in _rng.uniform(0.05, 0.95, 3):
        _chance = [_comb(_N, n) * (1 - _theta) ** n * _theta ** (_N - n) for n in range(_N + 1)]
        np.testing.assert_allclose(
            expected_upper(_N, _theta), sum(c / (n + 1) for n, c in enumerate(_chance)), rtol=1e-6
        )
### END HIDDEN TESTS

# %% hint
r"""
With the label 1 the new case joins the $n$ negatives at the score 0. Now $n$ is binomial; a sum over its values will do, a closed form is not needed.
"""

# %% question break_it, break it, 3 points, goal 4
r"""
## Break it: sure of everything

Half of the labels are 1, and they have nothing to do with the features, so 0.5 is the right probability for every new case.
Write a classifier for which

- the simplified predictor says $p_0 \ge 0.9$ for *every* new case: it is nearly sure of label 1,
- and the inductive predictor, with half of the rows for training and half for calibration, says $0.25 \le p_0 < p_1 \le 0.75$ for every new case.

The tests draw 200 rows of two features from a normal distribution, and new ones; no row occurs twice.
"""


# %% answer
def sure_classifier(X, z):
    """Train on rows X with labels z: a function s, where s(new) are the scores of the rows of new."""
    ### BEGIN SOLUTION
    negatives = {tuple(row) for row in X[z == 0]}
    return lambda new: np.array([float(tuple(row) not in negatives) for row in new])
    ### END SOLUTION


# %% test
_X, _z = np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([0, 1])
_scores = np.asarray(sure_classifier(_X, _z)(np.array([[5.0, 6.0], [1.0, 2.0], [7.0, 8.0]])))
assert _scores.shape == (3,) and np.all(np.isfinite(_scores)), "a score for each row"
### BEGIN HIDDEN TESTS
from calib import VennAbers as _VennAbers

_rng = kit.rng("break_it", STUDENT)
for _ in range(3):
    _X, _z = _rng.normal(size=(260, 2)), _rng.permutation(np.arange(260) % 2)
    _fresh = _X[200:]
    _s = sure_classifier(_X[:200], _z[:200])
    _p0, _ = (
        _VennAbers()
        .fit(np.asarray(_s(_X[:200])), _z[:200])
        .predict_interval(np.asarray(_s(_fresh)))
    )
    assert np.min(_p0) >= 0.9 - 1e-12, "the simplified predictor is not sure"
    _s = sure_classifier(_X[:100], _z[:100])
    _p0, _p1 = (
        _VennAbers()
        .fit(np.asarray(_s(_X[100:200])), _z[100:200])
        .predict_interval(np.asarray(_s(_fresh)))
    )
    assert np.min(_p0) >= 0.25 and np.max(_p1) <= 0.75, "the inductive predictor is misled, too"
### END HIDDEN TESTS

# %% hint
r"""
The memoriser of the last question makes the simplified predictor nearly sure of label 0. Which cases should a new one join?
"""

# %% question claim, reading, 4 points, goal 5
r"""
## Seven data sets out of nine

Vovk and Petej (2014) compare three methods on nine data sets: six classifiers as they are (W), the full Venn-Abers predictor (VA) and the simplified one (SVA), both merged for log loss.
The table has, for each data set and method, the smallest one of six mean log losses on test data, one for each classifier, from their Table 1. The means are over 100 random splits for W and SVA, and over 16 for VA.

| | W | VA | SVA |
|---|--:|--:|--:|
| Australian | 0.328 | 0.340 | 0.340 |
| Breast | 0.581 | 0.563 | 0.551 |
| Diabetes | 0.491 | 0.490 | 0.490 |
| Echo | 0.556 | 0.495 | 0.522 |
| Hepatitis | 0.420 | 0.349 | 0.372 |
| Ionosphere | 0.359 | 0.250 | 0.227 |
| Labor | 0.325 | 0.364 | 0.287 |
| Liver | 0.609 | 0.603 | 0.611 |
| Vote | 0.125 | 0.134 | 0.121 |

The introduction says that for log loss "the best performance is achieved" by SVA "for seven data sets out of the nine".

1. On how many data sets is each method best? Where may the "seven" come from?
2. Two methods are compared on nine data sets, and one of them wins seven times. Is this surprising if, on each data set, both are equally likely to win? Compute the probability that a given one wins seven times or more. What would be a better comparison of two methods on one data set?
3. The best classifier is chosen by its *test* loss, and VA has 16 splits where the others have 100. For which method is this an advantage, and why?
4. A report concludes: "SVA beats the classifiers and never has infinite log loss. So its probabilities are calibrated." Judge this. Which experiment would you make?
"""

# %% written
r"""
### BEGIN SOLUTION
1. SVA is best on Breast, Ionosphere, Labor and Vote: four. VA on Echo, Hepatitis and Liver, W on Australian; on Diabetes VA and SVA are equal to the digits printed (Table 3 of the paper puts VA first). So SVA is best on four, at most on five.
   SVA is better than W on seven: all but Australian and Liver. That is where the "seven" may come from.
2. $P(X \ge 7)$ for nine tosses of a fair coin is $(36 + 9 + 1)/512 = 0.09$, two-sided 0.18: not surprising. Better: the differences of the losses on the *same* splits, with a standard error that takes into account that splits of one data set overlap. Even then the result is about this data set.
3. The smallest one of six noisy means is too low on average, the more so the noisier the means are: the noise itself is selected. A mean of 16 splits has a standard error $\sqrt{100/16} = 2.5$ times as large. So VA profits. (That the classifier is chosen by its test loss makes all three too low.)
4. It does not follow. A finite log loss comes from the merge, which is never 0 or 1, whatever the scores are; a smaller log loss than that of a bad classifier is no calibration either. SVA calibrates on scores of its own training rows and has no guarantee of validity; a memoriser makes it wrong by as much as one likes. Experiment: the over-confidence of the selected member, with its standard error, or the ECE against what a calibrated predictor would have, on new rows; beside it the inductive predictor, which is valid. (The book finds SVA over-confident in 46 of 54 combinations of classifier and data set.)

**Rubric.** 1 point each part. Part 1: the count for SVA and the source of seven; part 2: the probability and "paired"; part 3: VA with the reason; part 4: merge and calibration kept apart, and an experiment.
### END SOLUTION
"""

# %% hint
r"""
For part 3: which of two fair dice would you rather throw, if the smallest one of six throws counts: one with the numbers 3 and 4 only, or an ordinary one?
"""
