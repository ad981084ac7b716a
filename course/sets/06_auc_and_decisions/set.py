# Problem set 6. course/README.md explains the cells.

# %% text
r"""
# Problem set 6: the AUC, and decisions

About four hours; one point stands for about six minutes.
Read the chapters *What binning costs in discrimination* and *Decisions and money* first, and the part on the AUC as a sum over pairs in *When calibration raises the AUC*.

After this set you can

1. compute the AUC, with ties, from pairs and from the ROC curve, for the class that is meant;
2. say which transformation of a score has the highest AUC;
3. split what binning costs in AUC into pairs within a bin and pairs in different bins;
4. turn probabilities and costs into decisions, and count what these earn, with a standard error;
5. read claims about AUC and profit critically.

Labels are 0 or 1, a case with label 1 is a positive; scores are any numbers. All arrays are NumPy arrays.
A pair is one positive and one negative. It counts 1 if the positive has the larger score, $\frac12$ if both scores are equal, and 0 if the negative has the larger score.
The AUC is the mean of this number over all pairs.
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

# %% question auc, numerics, 3 points, goal 1
r"""
## The AUC

Return the AUC of the scores.
Both labels occur, the cases come in any order, and many scores may be equal.
"""


# %% answer
def auc(labels, scores):
    """Area under the ROC curve, a number; a tie counts one half."""
    ### BEGIN SOLUTION
    positives, negatives = scores[labels == 1], np.sort(scores[labels == 0])
    below = np.searchsorted(negatives, positives, side="left")
    not_above = np.searchsorted(negatives, positives, side="right")
    return np.mean(below + not_above) / (2 * len(negatives))
    ### END SOLUTION


# %% test
np.testing.assert_allclose(auc(np.array([0, 1, 1, 0]), np.array([1, 1, 2, 0])), 0.875)
### BEGIN HIDDEN TESTS
_rng = kit.rng("auc", STUDENT)
for _s in [
    _rng.normal(size=150),
    _rng.integers(-3, 4, 150),
    np.where(_rng.random(150) < 0.7, 0.5, _rng.random(150)),
    np.full(150, 2.5),
]:
    for _slope in [1.5, -0.7]:
        _z = kit.draw_labels(kit.expit(_slope * (_s - np.mean(_s))), _rng)
        _z[:2] = 0, 1
        _pairs = np.sign(_s[_z == 1][:, None] - _s[_z == 0])
        np.testing.assert_allclose(auc(_z, _s), 0.5 + np.mean(_pairs) / 2, atol=1e-9)
### END HIDDEN TESTS

# %% hint
r"""
`positives[:, None] - negatives` is the table of all differences; what is `np.sign` of it?
"""

# %% question roc, numerics, 3 points, goal 1
r"""
## The ROC curve

For a threshold $t$ a case is called positive if its score is $t$ or more.
Take first a threshold above all scores, then each *distinct* score, from the largest to the smallest.
Each threshold gives a point: the fraction of the negatives that are called positive (FPR), and the fraction of the positives that are (TPR).
Return the FPR and the TPR of all points, from $(0, 0)$ to $(1, 1)$: with $k$ distinct scores these are $k + 1$ points.
"""


# %% answer
def roc_points(labels, scores):
    """FPR and TPR, two arrays with an entry more than there are distinct scores."""
    ### BEGIN SOLUTION
    _, place = np.unique(-scores, return_inverse=True)
    negatives, positives = np.bincount(place, labels == 0), np.bincount(place, labels == 1)
    fpr = np.append(0, np.cumsum(negatives)) / negatives.sum()
    tpr = np.append(0, np.cumsum(positives)) / positives.sum()
    return fpr, tpr
    ### END SOLUTION


# %% test
_fpr, _tpr = roc_points(np.array([1, 0, 1, 0]), np.array([3, 2, 2, 1]))
np.testing.assert_allclose(_fpr, [0, 0, 0.5, 1])
np.testing.assert_allclose(_tpr, [0, 0.5, 1, 1])
### BEGIN HIDDEN TESTS
_rng = kit.rng("roc", STUDENT)
for _s in [_rng.normal(size=80), _rng.integers(0, 6, 80) / 2 - 7, np.full(80, 0.25)]:
    _z = kit.draw_labels(kit.expit(_s - np.mean(_s)), _rng)
    _z[:2] = 1, 0
    _fpr, _tpr = roc_points(_z, _s)
    _levels = [np.inf, *sorted(set(_s.tolist()), reverse=True)]
    assert len(_fpr) == len(_tpr) == len(_levels), "one point more than distinct scores"
    np.testing.assert_allclose(_fpr, [np.mean(_s[_z == 0] >= t) for t in _levels], atol=1e-9)
    np.testing.assert_allclose(_tpr, [np.mean(_s[_z == 1] >= t) for t in _levels], atol=1e-9)
### END HIDDEN TESTS

# %% hint
r"""
`np.unique(-scores, return_inverse=True)` numbers the distinct scores from the largest to the smallest.
The trapezoids below the curve add up to the AUC: try it on scores with ties.
"""

# %% question which_class, data, 3 points, goal 1
r"""
## The AUC of which class?

A program prints a table of predicted probabilities with two columns.
It lists the classes in the order in which it has met them, so the first column may belong to either class: `classes[j]` is the name of the class of column `j`.
`outcomes[i]` is the name of the class that case `i` turned out to belong to.
The two numbers of a row add up to 1, and both classes occur among the outcomes.
Your table is drawn below.

Return the AUC of the predicted probability of the class `positive`, for which the cases of this class are the positives.
A bad classifier may have an AUC below $\frac12$; report what it is.
"""


# %% code
def program_output(name, student, slope=None, n=300):
    """Predicted probabilities, names of the columns, outcomes."""
    rng = kit.rng(name, student)
    x = rng.normal(size=n)
    p = np.round(kit.expit(x), 2)  # of an answer
    answered = kit.draw_labels(kit.expit((slope or rng.uniform(0.8, 1.6)) * x), rng)
    outcomes = np.where(answered == 1, "answer", "silence")
    outcomes[:2] = "answer", "silence"
    if rng.random() < 0.5:
        return np.column_stack([p, 1 - p]), ["answer", "silence"], outcomes
    return np.column_stack([1 - p, p]), ["silence", "answer"], outcomes


table, classes, outcomes = program_output("which_class", STUDENT)
print(classes)
for _row, _outcome in list(zip(table, outcomes, strict=True))[:5]:
    print(_row.round(2), _outcome)


# %% answer
def auc_of_class(table, classes, outcomes, positive):
    """AUC of the predicted probability of the class positive, a number."""
    ### BEGIN SOLUTION
    scores = table[:, list(classes).index(positive)]
    is_positive = outcomes == positive
    difference = scores[is_positive][:, None] - scores[~is_positive]
    return np.mean(np.sign(difference)) / 2 + 0.5
    ### END SOLUTION


# %% test
_table = np.array([[0.9, 0.1], [0.2, 0.8], [0.6, 0.4]])
_outcomes = np.array(["yes", "no", "no"])
np.testing.assert_allclose(auc_of_class(_table, ["yes", "no"], _outcomes, "yes"), 1)
print(f"AUC of answer: {auc_of_class(table, classes, outcomes, 'answer'):.3f}")
### BEGIN HIDDEN TESTS
for _slope in [1.0, 0.3, -0.9]:
    _table, _classes, _outcomes = program_output(f"which {_slope}", STUDENT, _slope)
    for _columns in [[0, 1], [1, 0]]:
        _names = [_classes[j] for j in _columns]
        _shown = _table[:, _columns]
        for _name in _names:
            _s, _z = _table[:, _classes.index(_name)], _outcomes == _name
            _pairs = np.sign(_s[_z][:, None] - _s[~_z])
            np.testing.assert_allclose(
                auc_of_class(_shown, _names, _outcomes, _name), 0.5 + np.mean(_pairs) / 2, atol=1e-9
            )
### END HIDDEN TESTS

# %% hint
r"""
`list(classes).index(positive)` is the number of the column.
"""

# %% question best_order, theory, 4 points, goal 2
r"""
## The best order

A score takes three values. Ten positives and ten negatives have

| score | positives | negatives |
|---|--:|--:|
| low | 1 | 5 |
| middle | 6 | 1 |
| high | 3 | 4 |

A transformation $T$ gives each value of the score a new number.

1. Compute the AUC of the score, and of a $T$ that orders the values by their share of positives.
2. Let two values hold $a$ and $a'$ positives and $b$ and $b'$ negatives. Which part of the AUC depends on whether the first is ordered above, level with or below the second? When is above best? Conclude that no transformation has a larger AUC than the order by the likelihood ratio $\frac{a/m}{b/n}$, with $m$ positives and $n$ negatives in all. (The ratio is infinite for $b = 0$.)
3. Platt scaling with a positive slope, isotonic regression, and histogram binning with a bin for each value are fitted to these 20 cases. Which AUC has each on these cases?
"""

# %% written
r"""
### BEGIN SOLUTION
1. Score: the positives of "middle" are above 5 negatives, those of "high" above 6: $6 \cdot 5 + 3 \cdot 6 = 48$ pairs. Ties: $1 \cdot 5 + 6 \cdot 1 + 3 \cdot 4 = 23$ pairs, which count 11.5. AUC $59.5/100 = 0.595$.
   Shares: low 1/6, middle 6/7, high 3/7. In the order low, high, middle: $3 \cdot 5 + 6 \cdot 9 = 69$, and 11.5 for ties: AUC $0.805$.
2. Pairs with the positive in one of the two values and the negative in the other: $ab'$ pairs want the first above, $a'b$ want it below. Above they count $ab'$ together, below $a'b$, level with each other the mean of both. So above is best if $ab' > a'b$, which is $\frac{a/m}{b/n} > \frac{a'/m}{b'/n}$: the larger likelihood ratio. If $ab' = a'b$ nothing depends on it.
   The AUC is a constant (the pairs within one value, all ties) and a sum of such parts, one for each two values. The order by the likelihood ratio is an order of all values and makes every part as large as it can be, so no order has a larger sum.
3. Platt scaling is strictly increasing: 0.595. Isotonic regression: means 1/6, 6/7, 3/7; the last two are pooled. Then $9 \cdot 5 = 45$ pairs are right, $1 \cdot 5 + 9 \cdot 5 = 50$ are ties: AUC $0.70$. Histogram binning orders by the share of positives: 0.805.

**Rubric.** 1 point: part 1, both numbers. 2 points: part 2, 1 for $ab'$ against $a'b$ and 1 for the conclusion that one order is best for all parts at once. 1 point: part 3, three numbers.
### END SOLUTION
"""

# %% hint
r"""
For part 2 write down only those pairs whose positive lies in one of the two values and whose negative lies in the other.
"""

# %% question best_auc, numerics, 3 points, goal 2
r"""
## The highest AUC that a score allows

`positives[i]` and `negatives[i]` are the numbers of cases with the $i$-th value of a score.
Return the highest AUC on these cases that a transformation of the score can have.
Some value may have no positives or no negatives, but none has neither.
"""


# %% answer
def best_auc(positives, negatives):
    """The largest AUC of all transformations, a number."""
    ### BEGIN SOLUTION
    order = np.argsort(positives / (positives + negatives))
    a, b = positives[order], negatives[order]
    return np.sum(a * (np.cumsum(b) - b / 2)) / (a.sum() * b.sum())
    ### END SOLUTION


# %% test
np.testing.assert_allclose(best_auc(np.array([3, 1]), np.array([1, 2])), 17 / 24)
### BEGIN HIDDEN TESTS
from itertools import permutations

_rng = kit.rng("best_auc", STUDENT)
_cases = [_rng.integers(0, 9, (2, 5)) + [[1, 0, 0, 0, 0], [1] * 5] for _ in range(6)]
_cases += [_rng.integers(1, 9, (2, 4)) * [[1, 0, 4, 1], [2, 2, 1, 0]] for _ in range(4)]
_cases += [np.array([[1, 2, 4], [2, 4, 8]]), np.array([[4, 0], [0, 7]])]
for _a, _b in _cases:
    _won = [
        sum(
            _a[i] * _b[j] * (0.5 if i == j else places.index(i) > places.index(j))
            for i in range(len(_a))
            for j in range(len(_a))
        )
        for places in permutations(range(len(_a)))
    ]
    np.testing.assert_allclose(best_auc(_a, _b), max(_won) / (_a.sum() * _b.sum()), atol=1e-9)
### END HIDDEN TESTS

# %% hint
r"""
Order the values by their share of positives, $a/(a + b)$. In that order every positive is above the negatives of the values before its own.
"""

# %% question losses, numerics, 3 points, goal 3
r"""
## What a binning costs

A binning puts case $i$ into bin `bins[i]`, one of $0, 1, 2, \dots$, and predicts `values[bins[i]]` for it.
For each pair take the number that it counts in the AUC of the scores (1, $\frac12$ or 0) less the number that it counts in the AUC of the predictions: the loss of this pair, which may be negative.
Return two numbers: the sum of the losses over the pairs *within* one bin, and over the pairs in different bins, both divided by the number of *all* pairs.
"""


# %% answer
def auc_losses(labels, scores, bins, values):
    """Loss of AUC within bins and between bins, two numbers."""
    ### BEGIN SOLUTION
    one, zero = labels == 1, labels == 0
    predictions = values[bins]
    counts_before = np.sign(scores[one][:, None] - scores[zero]) / 2
    counts_after = np.sign(predictions[one][:, None] - predictions[zero]) / 2
    loss = (counts_before - counts_after) / counts_before.size
    same = bins[one][:, None] == bins[zero]
    return loss[same].sum(), loss[~same].sum()
    ### END SOLUTION


# %% test
_within, _between = auc_losses(
    np.array([0, 0, 1, 1]), np.array([1, 2, 3, 4]), np.array([0, 0, 0, 1]), np.array([0.6, 0.4])
)
np.testing.assert_allclose([_within, _between], [0.25, 0.5])
### BEGIN HIDDEN TESTS


def _counts(a, b):
    return 0.5 if a == b else float(a > b)


_rng = kit.rng("losses", STUDENT)
for _s, _values in [
    (_rng.random(60), _rng.random(8)),
    (_rng.random(60), np.array([0.1, 0.4, 0.4, 0.2, 0.7, 0.7, 0.6, 0.9])),
    (_rng.integers(0, 17, 60) / 17, np.round(np.linspace(0.2, 0.5, 8), 1)),
]:
    _bins = (_s * 8).astype(int)
    _z = kit.draw_labels(_s, _rng)
    _z[:2] = 0, 1
    _sums, _number = [0.0, 0.0], 0
    for i in np.flatnonzero(_z == 1):
        for j in np.flatnonzero(_z == 0):
            _lost = _counts(_s[i], _s[j]) - _counts(_values[_bins[i]], _values[_bins[j]])
            _sums[int(_bins[i] != _bins[j])] += _lost
            _number += 1
    _within, _between = auc_losses(_z, _s, _bins, _values)
    with part(2, "the loss within bins"):
        np.testing.assert_allclose(_within, _sums[0] / _number, atol=1e-9)
    with part(1, "the loss between bins"):
        np.testing.assert_allclose(_between, _sums[1] / _number, atol=1e-9)
### END HIDDEN TESTS

# %% hint
r"""
Make two tables of all pairs, a row for each positive and a column for each negative: one of what the scores count, one of what the predictions count. A third table says which pairs share a bin.
"""

# %% question half, theory, 4 points, goal 3
r"""
## One over 2B, and what it leaves out

A score is cut into $B$ bins, each with probability $1/B$; in bin $i$ a case is positive with probability $\theta_i$. Let $\bar\pi = \frac1B \sum_i \theta_i$, $0 < \bar\pi < 1$.
Here the AUC is that of the population: a random positive and an independent random negative.

1. Show that these two lie in the same bin with probability $\sum_i \frac{\theta_i (1 - \theta_i)}{B^2\, \bar\pi (1 - \bar\pi)} \le \frac1B$, and conclude that pairs within a bin cost at most $\frac1{2B}$ of AUC.
2. Now $B = 2$, $\theta_1 = 0.3$, $\theta_2 = 0.7$, and within a bin the score says nothing about the label. Each bin is estimated from *one* case that falls into it: the prediction is the label of this case. Compute the AUC of the score, and of the predictions if the two of them are in the right order, equal, and in the wrong order. How likely is each? What is lost on average over these two cases, compared with the AUC of the score?
3. A theorem in a paper says that the AUC lost by binning is at most of the order $1/B$, for a large number of calibration cases. Which assumption of the theorem is missing in part 2, and what follows for very many bins on a sample of given size?
"""

# %% written
r"""
### BEGIN SOLUTION
1. A positive lies in bin $i$ with probability $\frac{\theta_i/B}{\bar\pi}$, a negative with probability $\frac{(1 - \theta_i)/B}{1 - \bar\pi}$; they are independent, so multiply and sum. Further, $\frac1B \sum_i \theta_i(1 - \theta_i) = \bar\pi - \frac1B\sum_i \theta_i^2 \le \bar\pi - \bar\pi^2$, because the mean of squares is at least the square of the mean. So the sum is at most $\frac1B$.
   Binning makes each such pair a tie, which counts $\frac12$; the score counts at most 1 for it. At most $\frac12$ is lost for a share of at most $\frac1B$ of the pairs.
2. $\bar\pi = \frac12$. A positive lies in bin 2 with probability 0.7, a negative with probability 0.3. Pairs in the same bin: $2 \cdot 0.21 = 0.42$, worth $0.21$. Positive above: $0.7 \cdot 0.7 = 0.49$. AUC of the score $0.70$.
   Predictions in the right order (labels 0, 1): 0.70, nothing lost. In the wrong order (1, 0): $0.3 \cdot 0.3 + 0.21 = 0.30$, lost 0.40, more than $\frac1{2B} = 0.25$. Equal: 0.50, lost 0.20.
   Probabilities: wrong $0.3 \cdot 0.3 = 0.09$, equal $0.3 \cdot 0.7 + 0.7 \cdot 0.3 = 0.42$. Mean loss $0.09 \cdot 0.4 + 0.42 \cdot 0.2 = 0.12$.
3. For a fixed number of bins and ever more cases the estimates settle in the right order, and only the pairs within bins are left; here there is one case in a bin. On a sample of size $N$ each bin has about $N/B$ cases: with many bins the estimates are noisy, bins change places, and a second loss grows with $B$ (at most, and in the worst case, of the order $\sqrt{B/N}$; often it is smaller). The best number of bins lies in between.

**Rubric.** 1 point: part 1, with the inequality proved. 2 points: part 2, 1 for the AUCs and 1 for the probabilities and the mean loss. 1 point: part 3, both halves.
### END SOLUTION
"""

# %% hint
r"""
Part 1: $\frac1B\sum_i \theta_i^2 \ge \bar\pi^2$. Part 2: two predictions, each 0 or 1, have four outcomes; two of them are ties.
"""

# %% question decide, numerics, 2 points, goal 4
r"""
## Costs and a threshold

A case with the predicted probability $p$ is to be called positive (1) or negative (0).
To call a negative positive costs `c_fp`, to call a positive negative costs `c_fn`; both are positive numbers, and right calls cost nothing.
Return the calls with the smallest expected cost, given that the predictions are right.
Where both calls cost the same, either will do.
"""


# %% answer
def decide(predictions, c_fp, c_fn):
    """Calls, an array of 0 and 1 as long as predictions."""
    ### BEGIN SOLUTION
    return (predictions > c_fp / (c_fp + c_fn)).astype(int)
    ### END SOLUTION


# %% test
np.testing.assert_array_equal(decide(np.array([0.1, 0.6]), 1, 1), [0, 1])
### BEGIN HIDDEN TESTS
_rng = kit.rng("decide", STUDENT)
_p = np.concatenate([_rng.random(300), _rng.random(100) ** 6, [0.0, 1.0]])
for _c_fp, _c_fn in [(0.68, 14.32), (3, 1), *_rng.gamma(1, size=(5, 2)) + 0.01]:
    _positive, _negative = (1 - _p) * _c_fp, _p * _c_fn
    _clear = abs(_positive - _negative) > 1e-9
    _calls = np.asarray(decide(_p, _c_fp, _c_fn))
    assert set(_calls.tolist()) <= {0, 1}, "calls are 0 or 1"
    np.testing.assert_array_equal(_calls[_clear], (_positive < _negative)[_clear])
### END HIDDEN TESTS

# %% hint
r"""
Write down the expected cost of both calls for one case with probability $p$, and compare them.
"""

# %% question letters, theory, 4 points, goal 4
r"""
## To whom should the letter go?

A letter costs $c = 0.68$ dollars. A person answers it with probability $r$ and then gives $a$ dollars on average.

1. Show that no rule has a larger expected profit than: send the letter exactly if $r a > c$. Give an example of two people, of whom only one can get a letter, where ranking by $r$ chooses the wrong one.
2. All gifts are 15 dollars, and one person in twenty answers. A response model was trained as if both classes were equally frequent, so that its odds are 19 times the odds of $r$: $\frac{\hat r}{1 - \hat r} = 19\, \frac{r}{1 - r}$. Compare its AUC with that of $r$. Above which $r$ does one get a letter by the rule $15\, \hat r > 0.68$, and is this nearly everybody or nearly nobody? Which threshold on $\hat r$ is right?
3. For a person with $r = 0.05$ and $a = 15$, the rule of part 1 is used with $\hat r = 0.04$ in the place of $r$. What does it lose on average? And with $\hat r = 0.06$? Why do small errors of a probability often cost nothing?
"""

# %% written
r"""
### BEGIN SOLUTION
1. Whether one person gets a letter changes nothing for the others. A letter brings $r a - c$ on average, no letter 0; the rule takes the larger of the two for each person, so the sum is as large as possible.
   Example: $r = 0.06$, $a = 10$ brings $0.60 < 0.68$; $r = 0.05$, $a = 15$ brings $0.75 > 0.68$. The person with the smaller $r$ gets the letter.
2. $\hat r$ is a strictly increasing function of $r$: the same AUC. $15 \hat r > 0.68$ means $\hat r > 0.0453$, odds above $0.0475$, that is odds of $r$ above $0.0475/19 = 0.0025$: everybody with $r$ above 0.25 per cent, nearly all people. Right is $r > 0.0453$, that is odds of $\hat r$ above $19 \cdot 0.0475 = 0.902$, $\hat r > 0.474$.
3. $0.04 \cdot 15 = 0.60 < 0.68$: no letter, although it brings $0.75 - 0.68 = 0.07$; 7 cents are lost. $0.06 \cdot 15 = 0.90$: the letter is sent, nothing is lost. An error costs only if it moves the prediction across the threshold; and near the threshold the letter is worth little either way.

**Rubric.** 1 point: part 1, with an example. 2 points: part 2, 1 for the same AUC and for nearly everybody, with a number, 1 for the threshold 0.47. 1 point: part 3, both numbers and the reason.
### END SOLUTION
"""

# %% hint
r"""
A threshold $t$ on $r$ is the odds $\frac{t}{1 - t}$. Multiply them by 19 and turn them back into a probability.
"""

# %% question profit, data, 3 points, goal 4
r"""
## The profit of a mailing

Your people are drawn below: `r` is the probability of an answer and `a` the mean gift of each, if he or she answers; `gifts` says what each person gives if a letter comes, 0 for no answer.
`balanced` is what a response model says that was trained as if both classes were equally frequent.

Letters go to exactly those with `r * a > cost`.
Each person contributes a term: the gift less the cost for those who get a letter, 0 for all others.
Return the profit, which is the sum of the terms, and its standard error, $s\sqrt n$, where $n$ is the number of people and $s$ the standard deviation of all $n$ terms with the divisor $n - 1$.
"""


# %% code
def people(name, student, n=4000):
    """Probability of an answer, mean gift, gift, and a prediction with balanced classes."""
    rng = kit.rng(name, student)
    r = kit.expit(-3.3 + rng.uniform(0.6, 0.9) * rng.normal(size=n))
    a = rng.uniform(6, 24, n)
    gifts = np.where(kit.draw_labels(r, rng), np.round(a * rng.uniform(0.5, 1.5, n), 2), 0)
    return r, a, gifts, kit.expit(kit.logit(r) + np.log(19))


r, a, gifts, balanced = people("profit", STUDENT)


# %% answer
def profit(r, a, gifts, cost):
    """Profit of the mailing and its standard error, two numbers."""
    ### BEGIN SOLUTION
    terms = np.where(r * a > cost, gifts - cost, 0)
    return terms.sum(), np.sqrt(len(terms)) * terms.std(ddof=1)
    ### END SOLUTION


# %% test
_profit, _se = profit(
    np.array([0.5, 0.5, 0.01, 0.5]), np.full(4, 10.0), np.array([9.0, 0.0, 8.0, 0.0]), 1.0
)
np.testing.assert_allclose([_profit, _se], [6, 2 * np.sqrt(19)], rtol=1e-6)
for _name, _r in [("balanced", balanced), ("calibrated", r)]:
    print(_name, "probabilities, profit and standard error:", np.round(profit(_r, a, gifts, 0.68)))
### BEGIN HIDDEN TESTS
for _name, _cost in [("profit one", 0.68), ("profit two", 0.9), ("profit three", 0.3)]:
    _r, _a, _gifts, _ = people(_name, STUDENT)
    _terms = [g - _cost if q * b > _cost else 0 for q, b, g in zip(_r, _a, _gifts, strict=True)]
    _mean = sum(_terms) / 4000
    _variance = sum((t - _mean) ** 2 for t in _terms) / 3999
    _profit, _se = profit(_r, _a, _gifts, _cost)
    with part(2, "the profit"):
        np.testing.assert_allclose(_profit, sum(_terms), rtol=5e-4)
    with part(1, "its standard error"):
        np.testing.assert_allclose(_se, np.sqrt(4000 * _variance), rtol=5e-4)
### END HIDDEN TESTS

# %% hint
r"""
The variance of a sum of $n$ independent terms is $n$ times the variance of one, so its standard deviation grows with $\sqrt n$.
People who get no letter are terms, too.
"""

# %% question gain, data, 2 points, goal 4
r"""
## The gain over mailing everybody

`send[i]` is 1 if person $i$ gets a letter by some rule, and 0 if not.
The gain of the rule is its profit less the profit of mailing everybody, *on the same people*: a sum of $n$ terms, one difference for each person.
Return the gain and its standard error, $s\sqrt n$ with the standard deviation $s$ of these differences (divisor $n - 1$).
"""


# %% answer
def gain(send, gifts, cost):
    """Gain over mailing everybody and its standard error, two numbers."""
    ### BEGIN SOLUTION
    terms = (send - 1) * (gifts - cost)
    return terms.sum(), np.sqrt(len(terms)) * terms.std(ddof=1)
    ### END SOLUTION


# %% test
_gain, _se = gain(np.array([1, 0, 0, 1]), np.array([9.0, 3.0, 0.0, 0.0]), 1.0)
np.testing.assert_allclose([_gain, _se], [-1, 2 * np.sqrt(4.75 / 3)], rtol=1e-6)
print("your people:", np.round(gain((r * a > 0.68).astype(int), gifts, 0.68)))
### BEGIN HIDDEN TESTS
for _name, _cost in [("gain one", 0.68), ("gain two", 1.1)]:
    _r, _a, _gifts, _ = people(_name, STUDENT)
    for _send in [(_r * _a > _cost).astype(int), (_a > 9).astype(int)]:
        _saved = [0 if s else _cost - g for s, g in zip(_send, _gifts, strict=True)]
        _mean = sum(_saved) / 4000
        _variance = sum((t - _mean) ** 2 for t in _saved) / 3999
        np.testing.assert_allclose(
            gain(_send, _gifts, _cost), [sum(_saved), np.sqrt(4000 * _variance)], rtol=5e-4
        )
### END HIDDEN TESTS

# %% hint
r"""
Most differences are 0: the two policies agree on most people. What is the difference for a person who gets no letter?
"""

# %% question claim, reading, 4 points, goal 5
r"""
## At least 3000 dollars more

Naeini, Cooper and Hauskrecht (2014) mail letters by the rule $r a > 0.68$ and count the profit on 96,367 people, once with the predictions of a classifier and once after each of five calibrators. Profit in dollars and, in brackets, AUC, from their Table 3:

| classifier | uncalibrated | histogram | Platt | isotonic | kernel | mixture |
|---|--:|--:|--:|--:|--:|--:|
| logistic regression | 10,560 (.613) | 13,183 (.610) | 13,444 (.613) | 13,690 (.612) | 12,998 (.611) | 13,696 (.613) |
| naive Bayes | 7885 (.603) | 11,631 (.600) | 10,259 (.603) | 10,816 (.602) | 12,037 (.602) | 12,631 (.603) |
| support vector machine | 10,560 (.615) | 13,480 (.614) | 13,080 (.615) | 11,771 (.500) | 13,118 (.614) | 13,544 (.615) |

The text says that calibration brings at least 3000 dollars more. (A gain is the profit after a calibrator less that of the same classifier without one.)

1. Check the sentence against the table: how many of the fifteen gains reach 3000 dollars, and which is the smallest?
2. Two uncalibrated classifiers earn the same 10,560 dollars. What have they probably done? Is it their ranking that calibration has improved?
3. In a repetition of the experiment on similar people the standard error of a gain over mailing everybody was about 800 dollars, that of the difference of two calibrators on the same people 300 to 400 dollars. Say for logistic regression what the table shows and what it does not show.
4. Durfee and others (2022) write that any isotonic function of the score keeps the AUC. Correct the sentence, and find the row of the table that shows most clearly why the correction matters.
"""

# %% written
r"""
### BEGIN SOLUTION
1. Gains: 2623, 2884, 3130, 2438, 3136; 3746, 2374, 2931, 4152, 4746; 2920, 2520, 1211, 2558, 2984. Five of fifteen reach 3000; the smallest is 1211 (isotonic regression on the support vector machine). The sentence is wrong by the paper's own table.
2. They have mailed everybody: that policy does not depend on the classifier. Predictions that are far too high, about $\frac12$ from a model trained with balanced classes, times a gift of several dollars, are above 0.68 for all. The ranking is not improved: the AUC is the same or a little smaller after calibration. It is the level of the probabilities that decides.
3. The gains over mailing everybody, 2438 to 3136, are three to four standard errors: calibration pays. Each is uncertain by about $\pm 1600$ (two standard errors), so whether it is above 3000 cannot be said. The calibrators differ by at most 698 dollars, about two standard errors for the most distant of five, and mostly by less: no order among them is shown.
4. Any *strictly increasing* function keeps it; an isotonic one may have plateaus, which make ties: a constant is isotonic and has the AUC $\frac12$. The row of the support vector machine: .615 before, .500 after isotonic regression; that map is constant, or nearly so.

**Rubric.** 1 point each part. Part 1 needs both numbers; part 2 "everybody" and the unchanged AUC; part 3 both what is shown and what is not, with standard errors; part 4 "strictly" and the row.
### END SOLUTION
"""

# %% hint
r"""
Divide gains and differences by their standard errors. For part 2: whom does the rule choose if $r$ is about one half for everybody?
"""

# %% question break_it, break it, 2 points, goal 4
r"""
## Break it: the better ranking earns less

A letter costs 0.68 dollars, every gift is 15 dollars, and letters go to all with $15 p > 0.68$.
Find labels (1 for an answer) and two forecasts `p` and `q` for the same people, at least 100, such that

- both are right on average: the mean of each differs from the fraction of positives by at most 0.005,
- the AUC of `q` is larger than that of `p` by at least 0.2,
- the letters by `p` earn at least 20 dollars more than the letters by `q`.
"""


# %% answer
def ranked_and_poor():
    """Labels, forecast p, forecast q."""
    ### BEGIN SOLUTION
    labels = np.repeat([0, 1], [95, 5])
    p = np.repeat([0.0, 0.1], 50)
    q = np.linspace(0.046, 0.054, 100)  # a perfect order, and everybody gets a letter
    return labels, p, q
    ### END SOLUTION


# %% test
_z, _p, _q = (np.asarray(x) for x in ranked_and_poor())
assert len(_z) == len(_p) == len(_q) >= 100, "at least 100 people"
assert set(_z.tolist()) == {0, 1}, "both labels occur"
assert min(_p.min(), _q.min()) >= 0 and max(_p.max(), _q.max()) <= 1, "forecasts are in [0, 1]"
### BEGIN HIDDEN TESTS


def _area(labels, scores):
    return np.mean(np.sign(scores[labels == 1][:, None] - scores[labels == 0])) / 2 + 0.5


def _dollars(labels, forecast):
    return np.sum(np.where(15 * forecast > 0.68, 15 * labels - 0.68, 0))


assert abs(_p.mean() - _z.mean()) <= 0.005 + 1e-9, "p is not right on average"
assert abs(_q.mean() - _z.mean()) <= 0.005 + 1e-9, "q is not right on average"
assert _area(_z, _q) >= _area(_z, _p) + 0.2 - 1e-9, "the AUC of q is not large enough"
assert _dollars(_z, _p) >= _dollars(_z, _q) + 20 - 1e-9, "p does not earn enough more"
### END HIDDEN TESTS

# %% hint
r"""
The forecast `q` may put all people in the right order and yet be above the threshold for everybody.
"""
