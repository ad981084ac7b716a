# Problem set 1. course/README.md explains the cells.

# %% text
r"""
# Problem set 1: probabilities and calibration

About four hours; one point stands for about six minutes.
Read the chapter *What calibration is* first.

After this set you can

1. find the calibration function of a score and say whether a forecaster is calibrated;
2. tell calibration from discrimination;
3. show that a loss is proper, and split the Brier score into reliability, resolution and uncertainty;
4. draw a reliability diagram with intervals, and calibrate on rows that the classifier has not seen;
5. read a claim about calibration critically.

Labels are 0 or 1; `predictions` are probabilities of label 1, `scores` any numbers.
Both are NumPy arrays of one length.
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

# %% question pi, numerics, 3 points, goal 1
r"""
## The calibration function of a score with ties

A score takes few values, each of them often.
Write a function that returns the distinct values of the score in increasing order, and for each the fraction of positives among the cases with this value.
"""


# %% answer
def calibration_function(scores, labels):
    """Distinct scores, increasing, and the fraction of positives at each."""
    ### BEGIN SOLUTION
    values = np.unique(scores)
    return values, np.array([labels[scores == value].mean() for value in values])
    ### END SOLUTION


# %% test
values, fractions = calibration_function(np.array([2, 1, 2, 2]), np.array([1, 0, 0, 1]))
np.testing.assert_allclose(values, [1, 2])
np.testing.assert_allclose(fractions, [0, 2 / 3])
### BEGIN HIDDEN TESTS
values, fractions = calibration_function(np.array([1, 1, 2, 3, 3]), np.array([1, 1, 0, 1, 0]))
np.testing.assert_allclose(fractions, [1, 0, 0.5])  # a score may fall
_rng = kit.rng("pi", STUDENT)
for _ in range(5):
    _scores = _rng.choice([-3.5, -1.0, 0.25, 2.0, 7.0], size=400, p=[0.1, 0.3, 0.3, 0.2, 0.1])
    _labels = kit.draw_labels(kit.expit(_scores), _rng)
    values, fractions = calibration_function(_scores, _labels)
    np.testing.assert_allclose(values, sorted(set(_scores)))
    for _value, _fraction in zip(values, fractions, strict=True):
        np.testing.assert_allclose(_fraction, _labels[_scores == _value].mean())
### END HIDDEN TESTS

# %% hint
r"""
`np.unique` gives the distinct values; a mean of labels is a fraction of positives.
"""

# %% question increasing, theory, 4 points, goal 2
r"""
## An increasing map

Let $p$ be the prediction of a calibrated forecaster, and $g : [0, 1] \to [0, 1]$ strictly increasing.

1. Show that $g(p)$ has the AUC of $p$.
2. For which $g$ is $g(p)$ calibrated?
3. What changes in part 1 if $g$ is only non-decreasing? Give an example with numbers.
"""

# %% written
r"""
### BEGIN SOLUTION
1. The AUC is $P(p^+ > p^-) + \frac12 P(p^+ = p^-)$ for a positive and a negative drawn independently.
   A strictly increasing map keeps each of the relations $>$, $=$ and $<$, so both probabilities stay.
2. Since $g$ is one to one, $P(z = 1 \mid g(p)) = P(z = 1 \mid p) = p$.
   So $g(p)$ is calibrated if and only if $g(p) = p$ with probability one.
3. Cases may become ties, each worth one half, so the AUC may change either way for a general score.
   Here $p$ is calibrated, so merging cannot raise it.
   Example: $p$ is 0.2 or 0.8 with probability one half each; the AUC is $0.8 \cdot 0.8 + 0.5 \cdot 2 \cdot 0.8 \cdot 0.2 = 0.8$; a constant $g$ makes it 0.5.

**Rubric.** 1 point: part 1 treats ties as well as $>$. 2 points: part 2, 1 for the conditional probability and 1 for "if and only if", with probability one. 1 point: an example with numbers in part 3.
### END SOLUTION
"""

# %% hint
r"""
Write the AUC as a probability about one positive and one negative case; which relations between two numbers does $g$ keep?
"""

# %% question brier, numerics, 2 points, goal 3
r"""
## The Brier score

Write the Brier score, the mean of $(z - p)^2$.
"""


# %% answer
def brier_score(labels, predictions):
    """Mean squared difference of label and prediction."""
    ### BEGIN SOLUTION
    return np.mean((labels - predictions) ** 2)
    ### END SOLUTION


# %% test
np.testing.assert_allclose(brier_score(np.array([1, 0]), np.array([0.6, 0.2])), 0.1)
### BEGIN HIDDEN TESTS
_rng = kit.rng("brier", STUDENT)
for _n in [1, 7, 300]:
    _p = _rng.random(_n)
    _z = kit.draw_labels(_p, _rng)
    np.testing.assert_allclose(
        brier_score(_z, _p), (((1 - _p) ** 2)[_z == 1].sum() + (_p**2)[_z == 0].sum()) / _n
    )
### END HIDDEN TESTS

# %% question log_loss, numerics, 3 points, goal 3
r"""
## The log loss and certainty

Write the log loss, the mean of $-z \log p - (1 - z) \log(1 - p)$.
A forecaster who says 0 or 1 and is right pays nothing for that case; one who says 0 or 1 and is wrong pays infinitely much, and then the mean is infinite.
No value may be `nan`, and nothing may be clipped.
"""


# %% answer
def log_loss(labels, predictions):
    """Mean log loss, infinite if something called impossible happened."""
    ### BEGIN SOLUTION
    said = np.where(labels == 1, predictions, 1 - predictions)
    with np.errstate(divide="ignore"):
        return np.mean(-np.log(said))
    ### END SOLUTION


# %% test
np.testing.assert_allclose(log_loss(np.array([1, 0]), np.array([0.5, 0.5])), np.log(2))
assert log_loss(np.array([1, 0, 1]), np.array([1.0, 0.0, 0.5])) > 0
### BEGIN HIDDEN TESTS
_rng = kit.rng("log_loss", STUDENT)
_p = _rng.uniform(0.01, 0.99, 200)
_z = kit.draw_labels(_p, _rng)
_expected = -(np.log(_p[_z == 1]).sum() + np.log(1 - _p[_z == 0]).sum()) / 200
with part(1, "where nothing is certain"):
    np.testing.assert_allclose(log_loss(_z, _p), _expected)
with part(1, "where one was certain and right"):
    _sure_z, _sure_p = np.append(_z, [1, 0]), np.append(_p, [1.0, 0.0])
    np.testing.assert_allclose(log_loss(_sure_z, _sure_p), _expected * 200 / 202)
with part(1, "where one was certain and wrong"):
    assert np.isfinite(log_loss(_z, _p))
    assert log_loss(np.append(_z, 1), np.append(_p, 0.0)) == np.inf
    assert log_loss(np.append(_z, 0), np.append(_p, 1.0)) == np.inf
### END HIDDEN TESTS

# %% hint
r"""
Which probability did the forecaster give to what happened? Only its logarithm counts.
"""

# %% question absolute, theory, 4 points, goal 3
r"""
## A loss that rewards a lie

A forecaster who believes $P(z = 1) = q$ says $p$ and pays the absolute error $|z - p|$.

1. Write the expected loss as a function of $q$ and $p$. What should the forecaster say for $q = 0.7$?
2. Is the absolute error proper?
3. Show that the Brier score is strictly proper: compute $\ell(q, p) - \ell(q, q)$.
"""

# %% written
r"""
### BEGIN SOLUTION
1. $\ell(q, p) = q (1 - p) + (1 - q) p = q + (1 - 2q)\,p$, linear in $p$. For $q = 0.7$ the slope is $-0.4$: say 1 and pay 0.3, where the truth costs 0.42.
2. No: for $q > 1/2$ the minimum is at $p = 1$, for $q < 1/2$ at $p = 0$; only for $q \in \{0, 1/2, 1\}$ does the truth reach the minimum.
3. $\ell(q, p) = q (1-p)^2 + (1-q) p^2 = q - 2qp + p^2$, so $\ell(q, p) - \ell(q, q) = p^2 - 2qp + q^2 = (p - q)^2$, positive unless $p = q$.

**Rubric.** 2 points: part 1, 1 for the formula and 1 for $p = 1$. 1 point: part 2 with a reason. 1 point: part 3.
### END SOLUTION
"""

# %% question murphy, numerics, 4 points, goal 3
r"""
## Murphy's decomposition

Let the predictions take the distinct values $e_1, \dots, e_K$, value $e_k$ for the share $P(k)$ of the cases, of which the fraction $o_k$ is positive; $\bar o$ is the fraction of positives among all.
Return

- the reliability $\sum_k P(k) (o_k - e_k)^2$,
- the resolution $\sum_k P(k) (o_k - \bar o)^2$,
- the uncertainty $\bar o (1 - \bar o)$.

The Brier score is reliability minus resolution plus uncertainty, exactly.
"""


# %% answer
def murphy(labels, predictions):
    """Reliability, resolution, uncertainty."""
    ### BEGIN SOLUTION
    values, group, counts = np.unique(predictions, return_inverse=True, return_counts=True)
    observed = np.bincount(group, labels) / counts
    share, base_rate = counts / counts.sum(), np.mean(labels)
    reliability = share @ (observed - values) ** 2
    resolution = share @ (observed - base_rate) ** 2
    return reliability, resolution, base_rate * (1 - base_rate)
    ### END SOLUTION


# %% test
_z = np.array([1, 0, 0, 0, 0, 1, 1, 1, 1, 0])
_p = np.repeat([0.4, 0.8], 5)
np.testing.assert_allclose(murphy(_z, _p), [0.02, 0.09, 0.25])
### BEGIN HIDDEN TESTS
_rng = kit.rng("murphy", STUDENT)
for _ in range(5):
    _p = _rng.choice([0.02, 0.05, 0.3, 0.55, 0.9], size=500, p=[0.4, 0.2, 0.2, 0.1, 0.1])
    _z = kit.draw_labels(_p**2, _rng)
    _values = sorted(set(_p))
    _o = np.array([_z[_p == e].mean() for e in _values])
    _share = np.array([np.mean(_p == e) for e in _values])
    _reliability, _resolution, _uncertainty = murphy(_z, _p)
    with part(2, "reliability"):
        np.testing.assert_allclose(_reliability, np.sum(_share * (_o - _values) ** 2))
    with part(1, "resolution"):
        np.testing.assert_allclose(_resolution, np.sum(_share * (_o - _z.mean()) ** 2))
    with part(1, "uncertainty"):
        np.testing.assert_allclose(_uncertainty, _z.mean() * (1 - _z.mean()))
### END HIDDEN TESTS

# %% hint
r"""
`np.unique(predictions, return_inverse=True, return_counts=True)` numbers the groups.
Check the sum against the Brier score: with groups of several different values it does not hold.
"""

# %% question diagram, numerics, 3 points, goal 4
r"""
## The points of a reliability diagram

Cut $[0, 1]$ into `n_bins` intervals of equal width; an interval holds its left end and not its right one, except the last, which holds 1.
For each interval *that holds a case*, in increasing order, return the mean prediction, the fraction of positives and the number of cases.
"""


# %% answer
def reliability_points(labels, predictions, n_bins=10):
    """Mean prediction, fraction of positives and count of each interval that is not empty."""
    ### BEGIN SOLUTION
    bins = np.minimum((predictions * n_bins).astype(int), n_bins - 1)
    filled, group, counts = np.unique(bins, return_inverse=True, return_counts=True)
    return np.bincount(group, predictions) / counts, np.bincount(group, labels) / counts, counts
    ### END SOLUTION


# %% test
_predicted, _observed, _counts = reliability_points(
    np.array([0, 1, 1]), np.array([0.1, 0.2, 0.9]), n_bins=2
)
np.testing.assert_allclose(_predicted, [0.15, 0.9])
np.testing.assert_allclose(_observed, [0.5, 1])
np.testing.assert_array_equal(_counts, [2, 1])
### BEGIN HIDDEN TESTS
_predicted, _observed, _counts = reliability_points(
    np.array([1, 0, 0, 1, 1]), np.array([0.375, 0.4375, 0.5, 0.625, 0.6875]), n_bins=4
)
np.testing.assert_allclose(_predicted, [0.40625, 0.604166667])  # neither 0 nor 1 occurs
np.testing.assert_allclose(_observed, [0.5, 2 / 3])
_rng = kit.rng("diagram", STUDENT)
for _n_bins in [1, 4, 8]:  # powers of two: no rounding at the ends of the intervals
    _p = np.concatenate([_rng.random(200) ** 2, [0.0, 1.0, 1.0, 0.5, 0.25]])
    _p = _p[(_p < 0.5) | (_p >= 0.75)]  # an empty interval, for eight
    _z = kit.draw_labels(_p, _rng)
    _predicted, _observed, _counts = reliability_points(_z, _p, n_bins=_n_bins)
    _ends = np.linspace(0, 1, _n_bins + 1)
    _ends[-1] = 2
    _inside = [(_p >= a) & (_p < b) for a, b in zip(_ends[:-1], _ends[1:], strict=True)]
    _inside = [rows for rows in _inside if rows.any()]
    np.testing.assert_array_equal(_counts, [rows.sum() for rows in _inside])
    np.testing.assert_allclose(_predicted, [_p[rows].mean() for rows in _inside])
    np.testing.assert_allclose(_observed, [_z[rows].mean() for rows in _inside])
### END HIDDEN TESTS

# %% hint
r"""
The horizontal position of a point is the mean of the predictions in the interval, not its middle.
What happens to a prediction of exactly 1?
"""

# %% question interval, numerics, 3 points, goal 4
r"""
## An interval for each point

In a group of `n` cases `k` are positive.
The exact 95 % limits of Clopper and Pearson are the smallest probability `lower` under which `k` or more positives have at least the probability 0.025, and the largest `upper` under which `k` or fewer have it; they are 0 and 1 where no limit is needed (`k = 0`, `k = n`).
As beta quantiles: `lower` is the 0.025 quantile of Beta$(k, n - k + 1)$, `upper` the 0.975 quantile of Beta$(k + 1, n - k)$; `scipy.special.betaincinv(a, b, q)` is the quantile `q` of Beta$(a, b)$.
"""


# %% answer
def clopper_pearson(k, n):
    """Lower and upper limit of a probability, from k positives among n."""
    ### BEGIN SOLUTION
    from scipy.special import betaincinv

    lower = 0.0 if k == 0 else betaincinv(k, n - k + 1, 0.025)
    upper = 1.0 if k == n else betaincinv(k + 1, n - k, 0.975)
    return lower, upper
    ### END SOLUTION


# %% test
_lower, _upper = clopper_pearson(0, 10)
assert _lower == 0
np.testing.assert_allclose(_upper, 1 - 0.025 ** (1 / 10))
### BEGIN HIDDEN TESTS
from math import comb

_rng = kit.rng("interval", STUDENT)


def _at_most(k, n, p):
    return sum(comb(n, j) * p**j * (1 - p) ** (n - j) for j in range(k + 1))


for _n in _rng.integers(5, 60, 6):
    _n = int(_n)
    _k = int(_rng.integers(1, _n))
    _lower, _upper = clopper_pearson(_k, _n)
    np.testing.assert_allclose(1 - _at_most(_k - 1, _n, _lower), 0.025, rtol=1e-6)
    np.testing.assert_allclose(_at_most(_k, _n, _upper), 0.025, rtol=1e-6)
    assert clopper_pearson(_n, _n)[1] == 1
### END HIDDEN TESTS

# %% question held_out, data, 4 points, goal 4
r"""
## Which rows to calibrate on

A classifier was trained on the rows `train` and has given scores in $[0, 1]$ to them and to the rows `held`, which it has not seen.
The scores of the training rows are too good: it has learnt their labels.
Your data are drawn below; look at them first.

Write a function that learns a calibration map by a histogram of five intervals of equal width and returns predictions for `new` scores: the fraction of positives among the right rows in the same interval.
In an interval without such rows use the fraction of positives among all of them.
Scores are strictly between 0 and 1.
"""


# %% code
def classifier_scores(name, student, n=600):
    """Scores and labels of training rows and of held-out rows."""
    rng = kit.rng(name, student)
    strength = rng.uniform(1.5, 3)
    features = rng.normal(size=(2, n))
    train_labels, held_labels = kit.draw_labels(kit.expit(features), rng)
    train = kit.expit(strength * (features[0] + 2 * train_labels - 1))
    held = kit.expit(strength * features[1])
    return train, train_labels, held, held_labels


train, train_labels, held, held_labels = classifier_scores("held_out", STUDENT)
for _name, _s, _z in [("train", train, train_labels), ("held out", held, held_labels)]:
    print(f"{_name:9} above 0.8: {np.sum(_s > 0.8)} cases, fraction {_z[_s > 0.8].mean():.2f}")


# %% answer
def calibrate(train, train_labels, held, held_labels, new):
    """Predictions for new scores by a histogram of five intervals."""
    ### BEGIN SOLUTION
    bins = (held * 5).astype(int)
    counts, positives = np.bincount(bins, minlength=5), np.bincount(bins, held_labels, 5)
    with np.errstate(invalid="ignore"):
        fractions = np.where(counts > 0, positives / counts, held_labels.mean())
    return fractions[(new * 5).astype(int)]
    ### END SOLUTION


# %% test
_new = np.array([0.1, 0.5, 0.9])
_predictions = np.asarray(calibrate(train, train_labels, held, held_labels, _new))
assert np.shape(_predictions) == (3,) and np.all((0 <= _predictions) & (_predictions <= 1))
### BEGIN HIDDEN TESTS
for _name in ["held_out", "held_out again"]:
    _train, _train_labels, _held, _held_labels = classifier_scores(_name, STUDENT)
    for _keep in [np.ones(600, dtype=bool), (_held < 0.4) | (_held >= 0.6)]:
        _s, _z = _held[_keep], _held_labels[_keep]
        _new = kit.rng("held_out new", STUDENT).uniform(0.01, 0.99, 100)
        _same = [(_s >= np.floor(x * 5) / 5) & (_s < (np.floor(x * 5) + 1) / 5) for x in _new]
        _expected = [_z[rows].mean() if rows.any() else _z.mean() for rows in _same]
        np.testing.assert_allclose(
            calibrate(_train, _train_labels, _s, _z, _new), _expected, atol=1e-9
        )
### END HIDDEN TESTS

# %% hint
r"""
Compare the two printed lines. Which of the two fractions will new cases with a score above 0.8 have?
"""

# %% question claim, reading, 4 points, goal 5
r"""
## A claim

Naeini, Cooper and Hauskrecht (2014) open their paper with a reliability curve: of the cases that are given the probability 0.5, a fraction of about 0.57 is positive; the curve is a drawing of a hypothetical forecaster.
Suppose that a report shows the same curve for a real forecaster: ten points from ten groups of 50 test cases each, without intervals.
At the mean prediction 0.5 the point lies at 0.57, and the report concludes: "The forecaster is underconfident at 0.5; we therefore multiply its predictions by 1.14."

1. How far does the fraction of positives among 50 cases vary if the forecaster is right? Give a standard deviation and say what the point at 0.57 shows.
2. Ten points are drawn. How does that change what a single point can show?
3. What is wrong with the remedy, even if the curve is right?
4. Which two additions would you ask the authors for?
"""

# %% written
r"""
### BEGIN SOLUTION
1. $\sqrt{0.5 \cdot 0.5 / 50} = 0.07$: the point lies one standard deviation from the diagonal, which happens by chance in about a third of all samples. It shows next to nothing.
2. Among ten points of a perfect forecaster about three lie further than one standard deviation away. Who picks the most striking has to allow for ten looks (the union bound: level 0.005 for each).
3. The factor was found at one prediction and is applied to all: predictions above 0.88 would exceed 1, and nothing says that the curve at 0.1 or 0.9 asks for this factor. It was also found on the test cases, so their diagram cannot judge it.
4. Intervals (or counts), and an evaluation on fresh cases; or a proper score before and after, or a test of calibration.

**Rubric.** 1 point each part. Part 1 needs the number; part 3 one good reason; part 4 two additions that would change a reader's mind.
### END SOLUTION
"""

# %% question balance, numerics, 3 points, goal 1
r"""
## Right on average

A calibrated forecaster is right on average: the mean prediction is near the fraction of positives.
If the predictions are right, $\sum_i (z_i - p_i)$ has mean 0 and the variance $\sum_i p_i (1 - p_i)$, given the predictions.
Return $\sum_i (z_i - p_i)$ divided by its standard deviation.
Positive values mean that positives were more frequent than predicted.
"""


# %% answer
def balance(labels, predictions):
    """Standardised difference of the number of positives and its expectation."""
    ### BEGIN SOLUTION
    return np.sum(labels - predictions) / np.sqrt(np.sum(predictions * (1 - predictions)))
    ### END SOLUTION


# %% test
np.testing.assert_allclose(balance(np.array([1, 1, 1, 1]), np.full(4, 0.5)), 2)
### BEGIN HIDDEN TESTS
_rng = kit.rng("balance", STUDENT)
for _power in [0.5, 1, 2]:
    _p = _rng.random(300)
    _z = kit.draw_labels(_p**_power, _rng)
    _expected = (_z.sum() - _p.sum()) / np.sqrt(np.sum(_p - _p**2))
    np.testing.assert_allclose(balance(_z, _p), _expected)
### END HIDDEN TESTS

# %% question break_it, break it, 3 points, goal 1
r"""
## Break it: the perfect diagram of a bad forecaster

Find labels and predictions of at least 100 cases such that in the reliability diagram with ten intervals of equal width every point lies exactly on the diagonal (to $10^{-9}$), while the forecaster is far from calibrated: among the cases with one and the same prediction the fraction of positives differs from it by 0.02 or more, for every prediction that occurs.
Every prediction must occur at least ten times.
"""


# %% answer
def perfect_diagram():
    """Labels and predictions."""
    ### BEGIN SOLUTION
    predictions = np.repeat([0.12, 0.18], 50)
    labels = np.concatenate([np.arange(50) < 9, np.arange(50) < 6]).astype(int)
    return labels, predictions
    ### END SOLUTION


# %% test
_z, _p = perfect_diagram()
assert np.shape(_z) == np.shape(_p) and len(_z) >= 100, "at least 100 cases"
assert set(np.unique(_z)) <= {0, 1}, "labels are 0 or 1"
assert np.all((0 <= np.asarray(_p)) & (np.asarray(_p) <= 1)), "predictions are in [0, 1]"
### BEGIN HIDDEN TESTS
_z, _p = np.asarray(_z), np.asarray(_p)
_bins = np.minimum((_p * 10 + 1e-12).astype(int), 9)
for _bin in np.unique(_bins):
    _rows = _bins == _bin
    assert abs(_z[_rows].mean() - _p[_rows].mean()) < 1e-9, "a point is off the diagonal"
for _value in np.unique(_p):
    _rows = _p == _value
    assert _rows.sum() >= 10, "a prediction occurs fewer than ten times"
    assert abs(_z[_rows].mean() - _value) >= 0.02 - 1e-12, "a prediction is nearly right"
### END HIDDEN TESTS

# %% hint
r"""
Put two predictions into one interval and let each have the fraction of positives of the other.
"""
