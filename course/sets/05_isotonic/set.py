# Problem set 5. course/README.md explains the cells.

# %% text
r"""
# Problem set 5: isotonic regression

About four hours; one point stands for about six minutes.
Read the part on isotonic regression in the chapter *Platt scaling and isotonic regression* first.

After this set you can

1. fit isotonic regression by pooling adjacent violators (PAV), with ties and weights, and predict with it;
2. say what the algorithm computes, and find its values by hand and by a formula;
3. say what isotonic regression does to the AUC and to the log loss, on its own sample and on new data;
4. get scores that may be calibrated on;
5. read a published row of a table critically.

Labels are 0 or 1; scores are any numbers. All arrays are NumPy arrays.
Let $s_1 < \dots < s_k$ be the distinct scores, $w_i$ the number of cases at $s_i$ (or the sum of their weights) and $\bar z_i$ the (weighted) mean of their labels.
The isotonic regression is the vector $p_1 \le \dots \le p_k$ with the smallest $\sum_i w_i (\bar z_i - p_i)^2$.
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

# %% question trace, theory, 3 points, goal 2
r"""
## Pooling by hand

The labels of ten cases, in the order of their scores, are 0, 0, 1, 0, 1, 1, 0, 0, 1, 1. No two scores are equal.

1. Write down the blocks of the algorithm after each new case. Blocks with equal means are pooled.
2. Give the ten values, and the differences $u_i$ between the cumulative sums of the labels and of the values. What do you notice about their signs, and about the ends of blocks?
3. Compute the AUC of the scores and of the values on these ten cases (a tie counts one half).
"""

# %% written
r"""
### BEGIN SOLUTION
1. [0]; [00]; [00][1]; [00][10]; [00][10][1]; [00][10][11]; [00][10][110].
   The next 0 makes [1100] with mean $\frac12$, which is not above the mean $\frac12$ of [10]: [00][101100]. Then [00][101100][1] and [00][101100][11].
2. Values: 0 twice, $\frac12$ six times, 1 twice. Cumulative sums of the labels: 0, 0, 1, 1, 2, 3, 3, 3, 4, 5; of the values: 0, 0, 0.5, 1, 1.5, 2, 2.5, 3, 4, 5. So $u$ is 0, 0, 0.5, 0, 0.5, 1, 0.5, 0, 0, 0: never negative, and 0 at the end of each block.
3. Scores: the positives at the places 3, 5, 6, 9, 10 are above 2, 3, 3, 5, 5 negatives: $18/25 = 0.72$.
   Values: the three positives in the middle block beat 2 negatives and tie with 3, 3.5 each; the last two beat 5 each: $20.5/25 = 0.82$.

**Rubric.** 1 point each part.
### END SOLUTION
"""

# %% hint
r"""
After a pooling compare the new block with the one before it, again and again.
"""

# %% question pav, numerics, 5 points, goal 1
r"""
## Pooling adjacent violators

Write isotonic regression of labels on scores by PAV, or by any other exact method.
Cases with equal scores have one value: they are put together first.
The scores come in any order.
Return the fitted value of each case, in the order of the cases.
"""


# %% answer
def isotonic_fit(scores, labels):
    """Fitted values, an array as long as scores."""
    ### BEGIN SOLUTION
    _, place, counts = np.unique(scores, return_inverse=True, return_counts=True)
    blocks = []  # number of cases, mean label, number of distinct scores
    for count, total in zip(counts, np.bincount(place, labels), strict=True):
        blocks.append((count, total / count, 1))
        while len(blocks) > 1 and blocks[-2][1] >= blocks[-1][1]:
            (n0, mean0, k0), (n1, mean1, k1) = blocks[-2:]
            blocks[-2:] = [(n0 + n1, (n0 * mean0 + n1 * mean1) / (n0 + n1), k0 + k1)]
    _, values, lengths = zip(*blocks, strict=True)
    return np.repeat(values, lengths)[place]
    ### END SOLUTION


# %% test
_s, _z = np.array([1, 2, 3, 4]), np.array([0, 1, 0, 1])
np.testing.assert_allclose(isotonic_fit(_s, _z), [0, 0.5, 0.5, 1])
_s, _z = np.array([5, 3, 5]), np.array([1, 0, 0])
np.testing.assert_allclose(isotonic_fit(_s, _z), [0.5, 0, 0.5])
### BEGIN HIDDEN TESTS


def _reference(scores, labels, weights):
    """Isotonic values of the cases by the formula max over a <= i of min over b >= i."""
    _, place = np.unique(scores, return_inverse=True)
    mass = np.append(0, np.cumsum(np.bincount(place, weights)))
    total = np.append(0, np.cumsum(np.bincount(place, weights * labels)))
    k = len(mass) - 1
    values = []
    for i in range(k):
        lowest = [
            np.min((total[i + 1 :] - total[a]) / (mass[i + 1 :] - mass[a])) for a in range(i + 1)
        ]
        values.append(max(lowest))
    return np.array(values)[place]


_rng = kit.rng("pav", STUDENT)
for _s in [
    _rng.normal(size=60),
    _rng.integers(0, 8, 60) / 4,
    np.where(_rng.random(60) < 0.5, 1.0, _rng.normal(size=60)),
    -np.arange(40.0),
]:
    for _slope in [1.0, -0.5]:
        _z = kit.draw_labels(kit.expit(_slope * _s), _rng)
        np.testing.assert_allclose(
            isotonic_fit(_s, _z), _reference(_s, _z, np.ones(len(_s))), atol=1e-9
        )
_z = np.array([1, 0, 0, 1, 0, 1, 0, 0, 0])  # the last case pools all blocks before it
np.testing.assert_allclose(isotonic_fit(np.arange(9), _z), [1 / 3] * 9)
### END HIDDEN TESTS

# %% hint
r"""
Keep a list of blocks, each with its number of cases and its mean. After a new block is appended, pool the last two *as long as* the last but one has a mean that is not smaller.
"""

# %% question weights, numerics, 3 points, goal 1
r"""
## Weights

A case with weight 3 counts like three cases with its score and label; weights may be any positive numbers.
Return the fitted values of isotonic regression with weights, in the order of the cases.
A library may do the pooling: the points are for ties and order.
"""


# %% answer
def weighted_isotonic_fit(scores, labels, weights):
    """Fitted values, an array as long as scores."""
    ### BEGIN SOLUTION
    _, place = np.unique(scores, return_inverse=True)
    mass, total = np.bincount(place, weights), np.bincount(place, weights * labels)
    blocks = []  # weight, weighted sum of labels, number of distinct scores
    for w, t in zip(mass, total, strict=True):
        blocks.append((w, t, 1))
        while len(blocks) > 1 and blocks[-2][1] / blocks[-2][0] >= blocks[-1][1] / blocks[-1][0]:
            last = blocks.pop()
            blocks[-1] = tuple(a + b for a, b in zip(blocks[-1], last, strict=True))
    return np.repeat([t / w for w, t, _ in blocks], [k for _, _, k in blocks])[place]
    ### END SOLUTION


# %% test
_s, _z, _w = np.array([1, 2, 3]), np.array([1, 0, 1]), np.array([3.0, 1.0, 2.0])
np.testing.assert_allclose(weighted_isotonic_fit(_s, _z, _w), [0.75, 0.75, 1])


### BEGIN HIDDEN TESTS
def _minimax(scores, labels, weights):
    """Isotonic values of the cases by the formula min over b >= i of max over a <= i."""
    _, place = np.unique(scores, return_inverse=True)
    mass = np.append(0, np.cumsum(np.bincount(place, weights)))
    total = np.append(0, np.cumsum(np.bincount(place, weights * labels)))
    k = len(mass) - 1
    values = []
    for i in range(k):
        highest = [
            np.max((total[b] - total[: i + 1]) / (mass[b] - mass[: i + 1]))
            for b in range(i + 1, k + 1)
        ]
        values.append(min(highest))
    return np.array(values)[place]


_rng = kit.rng("weights", STUDENT)
for _s in [_rng.normal(size=50), _rng.integers(0, 8, 50)]:
    for _w in [_rng.integers(1, 6, 50), _rng.gamma(0.5, size=50) + 0.01]:
        _z = kit.draw_labels(kit.expit(_s - np.mean(_s)), _rng)
        np.testing.assert_allclose(
            weighted_isotonic_fit(_s, _z, _w), _minimax(_s, _z, _w), atol=1e-9
        )
### END HIDDEN TESTS

# %% hint
r"""
Weights enter twice: in the mean of cases with equal scores, and in the mean of two blocks.
"""

# %% question two, theory, 4 points, goal 2
r"""
## Why violators are pooled

1. There are two distinct scores $s_1 < s_2$ with $w_1, w_2 > 0$ and $\bar z_1 > \bar z_2$. Show that $w_1(\bar z_1 - p_1)^2 + w_2(\bar z_2 - p_2)^2$ with $p_1 \le p_2$ is smallest for $p_1 = p_2 = \frac{w_1 \bar z_1 + w_2 \bar z_2}{w_1 + w_2}$, and nowhere else.
2. Show that the same pair maximises the log-likelihood $\sum_i w_i \bigl(\bar z_i \log p_i + (1 - \bar z_i) \log(1 - p_i)\bigr)$ under $p_1 \le p_2$, for $0 < \bar z_2 < \bar z_1 < 1$. (It is strictly concave.)
3. On its calibration sample, isotonic regression has an ECE of 0 if each distinct prediction is a group. Why? What does this say about new data?
"""

# %% written
r"""
### BEGIN SOLUTION
1. The function is continuous and goes to infinity in all directions, so it has a smallest value on the closed set $p_1 \le p_2$. Suppose it is taken at a pair with $p_1 < p_2$. Small changes of $p_1$ or $p_2$ are then allowed, so both derivatives are 0: $p_1 = \bar z_1$, $p_2 = \bar z_2$. But $\bar z_1 > \bar z_2$: a contradiction. So $p_1 = p_2 = p$, and $w_1(\bar z_1 - p)^2 + w_2(\bar z_2 - p)^2$ has its only minimum at the weighted mean.
2. The same argument. If $p_1 < p_2$ at a maximum, the derivatives $w_i \frac{\bar z_i - p_i}{p_i(1-p_i)}$ are 0, so $p_i = \bar z_i$, a contradiction (0 and 1 are excluded: the log-likelihood is $-\infty$ there). So $p_1 = p_2 = p$, and $\sum_i w_i(\bar z_i - p) = 0$ gives the weighted mean.
3. Different blocks have different values, and a block's value is the mean label of its cases: in each group the mean prediction equals the fraction of positives. It says nothing about new data: the map was fitted to these labels, and an ECE of 0 comes out whatever the truth is.

**Rubric.** 2 points: part 1, 1 for excluding $p_1 < p_2$ and 1 for the weighted mean. 1 point: part 2. 1 point: part 3, with the sentence about new data.
### END SOLUTION
"""

# %% hint
r"""
If $p_1 < p_2$ at the best pair, the condition $p_1 \le p_2$ does not restrict small changes. Which equations follow?
"""

# %% question max_min, numerics, 3 points, goal 2
r"""
## A formula in the place of an algorithm

With $\bar z_{a..b} = \frac{w_a \bar z_a + \dots + w_b \bar z_b}{w_a + \dots + w_b}$ isotonic regression is
$$p_i = \max_{a \le i}\, \min_{b \ge i}\, \bar z_{a..b}.$$
Return $p_1, \dots, p_k$ from the means $\bar z_1, \dots, \bar z_k$ and the weights $w_1, \dots, w_k$.
"""


# %% answer
def max_min(means, weights):
    """Isotonic values, an array as long as means."""
    ### BEGIN SOLUTION
    k, values = len(means), []
    for i in range(k):
        lowest = [
            min(np.average(means[a : b + 1], weights=weights[a : b + 1]) for b in range(i, k))
            for a in range(i + 1)
        ]
        values.append(max(lowest))
    return np.array(values)
    ### END SOLUTION


# %% test
_means, _w = np.array([0.0, 1.0, 0.4]), np.array([1.0, 1.0, 2.0])
np.testing.assert_allclose(max_min(_means, _w), [0, 0.6, 0.6])
### BEGIN HIDDEN TESTS
_rng = kit.rng("max_min", STUDENT)
_cases = [(np.array([0.9, 0.2, 0.5]), np.array([1.5, 0.25, 2.75]))]  # the first one is pooled
for _k in [1, 8, 20]:
    _cases.append((_rng.random(_k) * 0.5 + np.arange(_k) / 50, _rng.gamma(1, size=_k) + 0.1))
for _means, _w in _cases:
    _blocks = []
    for _m, _n in zip(_means, _w, strict=True):
        _blocks.append([_m * _n, _n, 1])
        while len(_blocks) > 1 and (
            _blocks[-2][0] * _blocks[-1][1] >= _blocks[-1][0] * _blocks[-2][1]
        ):
            _last = _blocks.pop()
            _blocks[-1] = [x + y for x, y in zip(_blocks[-1], _last, strict=True)]
    _expected = np.repeat([s / n for s, n, _ in _blocks], [c for _, _, c in _blocks])
    np.testing.assert_allclose(max_min(_means, _w), _expected, atol=1e-9)
### END HIDDEN TESTS

# %% hint
r"""
Three loops are fine: over $i$, over $a$ up to $i$ and over $b$ from $i$. Slices of Python exclude their end.
"""

# %% question predict, numerics, 4 points, goal 1
r"""
## New scores

Isotonic regression gives values at the scores of the calibration sample.
Between them we take a step function: a new score gets the value of the largest calibration score that is *not above* it.
A new score below all calibration scores gets the lowest value.
Return the predictions for `new`; `knots` are the distinct calibration scores, increasing, and `values` the fitted values there.
"""


# %% answer
def step_predictions(knots, values, new):
    """Predictions for new scores, an array as long as new."""
    ### BEGIN SOLUTION
    return values[np.maximum(np.searchsorted(knots, new, side="right") - 1, 0)]
    ### END SOLUTION


# %% test
_knots, _values, _new = np.array([1.0, 2.0]), np.array([0.25, 0.75]), np.array([1.9, 2.0, 7.0])
np.testing.assert_allclose(step_predictions(_knots, _values, _new), [0.25, 0.75, 0.75])
### BEGIN HIDDEN TESTS
_rng = kit.rng("predict", STUDENT)
for _k in [1, 5, 30]:
    _knots = np.cumsum(_rng.integers(1, 5, _k)) / 4 - 3
    _values = np.sort(_rng.random(_k))
    _new = np.concatenate([_rng.uniform(-6, 30, 50), _knots, _knots - 0.125, [-100, 100]])
    _expected = [_values[max(np.sum(_knots <= y) - 1, 0)] for y in _new]
    np.testing.assert_allclose(step_predictions(_knots, _values, _new), _expected)
### END HIDDEN TESTS

# %% hint
r"""
`np.searchsorted(knots, new, side="right")` counts the calibration scores that are not above a new one.
"""

# %% question auc, theory, 4 points, goal 3
r"""
## Isotonic regression and the AUC

The calibration sample has no equal scores. You may use this lemma: in a block of PAV every prefix (the first few cases of the block) has at least the fraction of positives of the whole block.

1. A block has $m'$ positives and $n'$ negatives, both at least one. Show that before pooling the positives of the block are above its negatives in at most $\frac12 m' (n' - 1)$ of the $m' n'$ pairs. (Take the prefix that ends at the $j$-th negative: how many positives does it hold at least?)
2. Conclude that on its own sample isotonic regression does not lower the AUC.
3. Two new cases have scores in one block. The one with the lower score is positive with probability 0.3, the other with probability 0.6, independently. Given that exactly one of them is positive, how likely is it above the other before and after isotonic regression? (A tie counts one half.) What does this say about the AUC on new data if the truth increases with the score?
"""

# %% written
r"""
### BEGIN SOLUTION
1. Let the prefix that ends at the $j$-th negative hold $q$ positives. By the lemma $\frac{q}{q + j} \ge \frac{m'}{m' + n'}$, hence $q\,n' \ge m' j$, that is $q \ge m' j / n'$. The positives above this negative are the other $m' - q \le m'(1 - j/n')$. Summed over the negatives: $m' \sum_{j=1}^{n'} (1 - j/n') = m'\bigl(n' - \frac{n'+1}{2}\bigr) = \frac12 m'(n' - 1)$.
2. After pooling all $m'n'$ pairs of the block are ties and count $\frac12 m' n'$, more than before. Pairs of cases in different blocks keep their order, since the values of blocks increase strictly. A block without positives or without negatives has no pairs. So the AUC does not fall.
3. The higher one is the positive with probability $0.6 \cdot 0.7 = 0.42$, the lower one with $0.3 \cdot 0.4 = 0.12$. Before: $0.42/0.54 = 0.78$; after, a tie: 0.5. If the truth increases with the score, no ranking is better than that of the score itself, and each tie between different truths loses: on new data the AUC usually falls a little.

**Rubric.** 2 points: part 1, 1 for $q \ge m'j/n'$ and 1 for the sum. 1 point: part 2 with pairs inside and between blocks. 1 point: part 3, both numbers and the conclusion.
### END SOLUTION
"""

# %% hint
r"""
From $\frac{q}{q+j} \ge \frac{m'}{m'+n'}$ follows $q\,n' \ge m' j$.
"""

# %% question tamed, numerics, 3 points, goal 3
r"""
## No certainty

The lowest block of isotonic regression often has the value 0, the highest 1, and one surprise among new cases makes the log loss infinite.
A remedy: add a *positive* case below all scores and a *negative* case above all scores, and fit.
Return the fitted values of the original cases, in their order.
A library may do the pooling: the points are for what it is given.
"""


# %% answer
def tamed_fit(scores, labels):
    """Fitted values of the cases after two pseudo-observations were added."""
    ### BEGIN SOLUTION
    values, place, counts = np.unique(scores, return_inverse=True, return_counts=True)
    count = np.concatenate([[1], counts, [1]])
    total = np.concatenate([[1], np.bincount(place, labels), [0]])
    blocks = []
    for n, t in zip(count, total, strict=True):
        blocks.append((n, t, 1))
        while len(blocks) > 1 and blocks[-2][1] / blocks[-2][0] >= blocks[-1][1] / blocks[-1][0]:
            last = blocks.pop()
            blocks[-1] = tuple(a + b for a, b in zip(blocks[-1], last, strict=True))
    fitted = np.repeat([t / n for n, t, _ in blocks], [k for _, _, k in blocks])
    return fitted[1:-1][place]
    ### END SOLUTION


# %% test
_s, _z = np.array([1, 2, 3, 4]), np.array([0, 0, 1, 1])
np.testing.assert_allclose(tamed_fit(_s, _z), [1 / 3, 1 / 3, 2 / 3, 2 / 3])
### BEGIN HIDDEN TESTS
_rng = kit.rng("tamed", STUDENT)
for _s in [_rng.normal(size=50), _rng.integers(0, 12, 50) - 6, np.arange(10.0)]:
    for _slope in [3.0, -1.0]:
        _z = kit.draw_labels(kit.expit(_slope * (_s - np.mean(_s))), _rng)
        _more = np.concatenate([[_s.min() - 1], _s, [_s.max() + 1]])
        _, _place = np.unique(_more, return_inverse=True)
        _mass = np.append(0, np.cumsum(np.bincount(_place)))
        _total = np.append(0, np.cumsum(np.bincount(_place, np.concatenate([[1], _z, [0]]))))
        _values = [
            max(
                np.min((_total[i + 1 :] - _total[a]) / (_mass[i + 1 :] - _mass[a]))
                for a in range(i + 1)
            )
            for i in range(len(_mass) - 1)
        ]
        np.testing.assert_allclose(tamed_fit(_s, _z), np.array(_values)[_place][1:-1], atol=1e-9)
### END HIDDEN TESTS

# %% hint
r"""
Which value has the lowest block if its first case is positive?
"""

# %% question training, data, 4 points, goal 4
r"""
## Which scores to calibrate on

A linear classifier gives the score $x^\top \beta$ to the features $x$, a row of `X` (the first column is 1); $\beta$ is the least-squares solution for labels on features.
With 40 columns and 200 rows it learns the labels of its training rows partly by heart: on these rows its scores are better than on new ones, and a map that is fitted there is overconfident.
Your data are drawn below. After your answer, the test prints the Brier score of isotonic regression on fresh rows, for both ways to calibrate.

Write a function that returns scores that one may calibrate on: *out-of-fold* scores.
`folds[i]` is the number of the fold of row `i`.
For each fold fit $\beta$ on all rows *outside* of it, and score the rows of the fold with this $\beta$.
`np.linalg.lstsq(A, y, rcond=None)[0]` is the least-squares solution.
"""


# %% code
def rows(name, student, n=200, n_new=3000):
    """Features, labels and folds of the training rows; features and labels of fresh rows."""
    rng = kit.rng(name, student)
    features = rng.normal(size=(n + n_new, 39))
    labels = kit.draw_labels(kit.expit(features[:, :4] @ rng.uniform(0.4, 0.8, 4)), rng)
    X = np.column_stack([np.ones(n + n_new), features])
    folds = rng.permutation(np.arange(n) % 5)
    return X[:n], labels[:n], folds, X[n:], labels[n:]


X, labels, folds, X_new, labels_new = rows("training", STUDENT)


# %% answer
def out_of_fold_scores(X, labels, folds):
    """Score of each row by a classifier that has not seen its fold."""
    ### BEGIN SOLUTION
    scores = np.empty(len(labels))
    for fold in np.unique(folds):
        held = folds == fold
        beta = np.linalg.lstsq(X[~held], labels[~held], rcond=None)[0]
        scores[held] = X[held] @ beta
    return scores
    ### END SOLUTION


# %% test
_X = np.column_stack([np.ones(4), [0.0, 1.0, 2.0, 3.0]])
_z, _folds = np.array([0, 1, 1, 1]), np.array([0, 0, 1, 1])
np.testing.assert_allclose(out_of_fold_scores(_X, _z, _folds), [1, 1, 2, 3])
from calib import IsotonicCalibrator

_beta = np.linalg.lstsq(X, labels, rcond=None)[0]
for _name, _scores in [
    ("training rows", X @ _beta),
    ("out of fold", out_of_fold_scores(X, labels, folds)),
]:
    _p = IsotonicCalibrator().fit(_scores, labels).predict(X_new @ _beta)
    print(f"calibrated on {_name:13}: Brier score {np.mean((labels_new - _p) ** 2):.3f}")
### BEGIN HIDDEN TESTS
for _name in ["training", "training again"]:
    _X, _z, _folds, _, _ = rows(_name, STUDENT)
    _numbers = np.array([3, 7, 1, 0, 12])[_folds]  # folds may have any numbers
    _scores = np.asarray(out_of_fold_scores(_X, _z, _numbers))
    for _k in [0, 1, 3, 7, 12]:
        _A, _y = _X[_numbers != _k], _z[_numbers != _k]
        _expected = _X[_numbers == _k] @ np.linalg.solve(_A.T @ _A, _A.T @ _y)
        np.testing.assert_allclose(_scores[_numbers == _k], _expected, atol=1e-6)
### END HIDDEN TESTS

# %% hint
r"""
`X[folds != k]` are the rows outside of fold `k`.
"""

# %% question claim, reading, 4 points, goal 5
r"""
## A row of a table

Naeini, Cooper and Hauskrecht (2014) calibrate a linear support vector machine on the KDD-98 data. The training file has 95,412 people, of whom 4843 respond; the validation file, on which the methods are measured, has 96,367 people, of whom 4873 respond.
Their Table 3(c) has these rows (among others):

| | RMSE | AUC | ACC | MCE | ECE |
|---|--:|--:|--:|--:|--:|
| the machine itself | 0.696 | 0.615 | 0.95 | 0.694 | 0.660 |
| isotonic regression | 0.219 | 0.500 | 0.95 | 0.454 | 0.091 |

ACC is the fraction of cases on the right side of $\frac12$. ECE and MCE are taken over ten groups of equal size, from predictions that are sorted; the paper says nothing about ties.
A report concludes: "Isotonic regression is badly calibrated on these data: its ECE is 0.09."

1. What does an AUC of 0.500, beside 0.615 for the scores, suggest about the isotonic map? Compute RMSE and ACC on the validation file of one prediction for everybody, the response rate of the training file, and compare.
2. Compute ECE and MCE of this prediction if ties are sorted by label, negatives first, and if ties are kept together.
3. Judge the report. What is the real fault of such a map?
4. For which order of the labels is PAV's map constant? What could have gone wrong with the scores, although their AUC is printed as 0.615? Say what is certain and what is a guess.
"""

# %% written
r"""
### BEGIN SOLUTION
1. All pairs are ties: the map is constant, or nearly so. The constant is $4843/95{,}412 = 0.0508$ and the validation rate $4873/96{,}367 = 0.0506$. The mean squared error is $0.0506 \cdot 0.9494 + 0.0002^2 = 0.0480$, the RMSE 0.219; all are predicted not to respond, ACC 0.949. Both agree with the row.
2. Groups of about 9637. Sorted by label, nine hold no responder, gap 0.0508; the tenth holds all 4873, a fraction of 0.506, gap 0.455. $\operatorname{ECE} = 0.9 \cdot 0.0508 + 0.1 \cdot 0.455 = 0.091$, $\operatorname{MCE} = 0.455$ (printed: 0.091 and 0.454). Kept together: one group, gap 0.0002, both are 0.000.
3. The ECE of 0.09 is what sorting ties by label makes of a constant that is right; measured properly it is perfectly calibrated. The fault is that it knows nothing: AUC 0.5.
4. PAV pools everything if every prefix, from the lowest score on, has at least the fraction of positives of the whole sample: the positives tend to have low scores. So a guess: the scores that PAV got pointed to the other class (larger for non-responders). Certain is only that all five measures agree with a constant, up to the last digit; the program has not been seen.

**Rubric.** 1 point each part. Part 1 needs one number that agrees; part 2 both ways of measuring; part 3 calibration and discrimination kept apart; part 4 the order, and the guess named as a guess.
### END SOLUTION
"""

# %% hint
r"""
For part 2: how many people are in a group, and in how many groups are responders if they all come last?
"""

# %% question break_it, break it, 3 points, goal 3
r"""
## Break it: worse after calibration

Find a calibration sample and new cases such that

- each has at least 20 cases and both labels,
- the AUC of the scores is at least 0.7 on the calibration sample and at least 0.85 on the new cases,
- with isotonic regression, fitted on the calibration sample, the AUC on the new cases is at most 0.6,
- and its log loss there is infinite: a new positive is predicted 0, or a new negative is predicted 1.

Predictions for new scores are those of the question *New scores*.
"""


# %% answer
def worse_after_calibration():
    """Calibration scores, their labels, new scores, their labels."""
    ### BEGIN SOLUTION
    scores = np.arange(30.0)
    labels = np.concatenate([np.zeros(10), [1] * 5 + [0] * 5, np.ones(10)]).astype(int)
    new = np.concatenate([np.linspace(10, 13, 10), np.linspace(15, 19, 9), [5.0]])
    return scores, labels, new, np.repeat([0, 1], 10)
    ### END SOLUTION


# %% test
_s, _z, _new, _new_z = (np.asarray(a) for a in worse_after_calibration())
assert len(_s) == len(_z) >= 20 and len(_new) == len(_new_z) >= 20, "at least 20 cases each"
assert set(_z.tolist()) == set(_new_z.tolist()) == {0, 1}, "both labels occur"
### BEGIN HIDDEN TESTS


def _auc(scores, labels):
    difference = scores[labels == 1][:, None] - scores[labels == 0]
    return np.mean(np.sign(difference)) / 2 + 0.5


_knots, _place = np.unique(_s.astype(float), return_inverse=True)
_mass = np.append(0, np.cumsum(np.bincount(_place)))
_total = np.append(0, np.cumsum(np.bincount(_place, _z)))
_values = np.array(
    [
        max(
            np.min((_total[i + 1 :] - _total[a]) / (_mass[i + 1 :] - _mass[a]))
            for a in range(i + 1)
        )
        for i in range(len(_knots))
    ]
)
_p = np.round(_values[np.maximum(np.searchsorted(_knots, _new, side="right") - 1, 0)], 9)
assert _auc(_s, _z) >= 0.7 - 1e-12, "AUC of the scores on the calibration sample"
assert _auc(_new, _new_z) >= 0.85 - 1e-12, "AUC of the scores on the new cases"
assert _auc(_p, _new_z) <= 0.6 + 1e-12, "AUC of isotonic regression on the new cases"
assert np.any(_p[_new_z == 1] == 0) or np.any(_p[_new_z == 0] == 1), "the log loss is finite"
### END HIDDEN TESTS

# %% hint
r"""
Make one large block in the middle, and let most new cases fall into it. One new positive belongs to the lowest block.
"""
