# Problem set 3. course/README.md explains the cells.

# %% text
r"""
# Problem set 3: histogram binning and its bounds

About four hours; one point stands for about six minutes.
Read the chapters *How wrong can the worst bin be* and *How wrong are the bins on average* first; you may skip the proofs for bins that are cut from the scores.

After this set you can

1. fit histogram binning to scores with ties, and predict for any new score;
2. bound the error of the worst bin, and say what the bound assumes;
3. bound the mean error of the bins;
4. check a bound by simulation;
5. read a published theorem critically.

Labels are 0 or 1; scores are any numbers.
There are $B$ bins and $N$ calibration cases; bin $i$ holds $N_i$ of them, $m_i$ positive.
Bin $i$ predicts $\hat\theta_i = m_i / N_i$; the truth is $\theta_i = P(z = 1 \mid \text{score in bin } i)$.
`log` is the natural logarithm.
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

# %% question cuts, numerics, 4 points, goal 1
r"""
## Bins of equal frequency

Cases with equal scores stay in one bin: if $t$ cases have one score and $r$ cases a smaller one, all $t$ go to bin $\lfloor B (r + t/2) / N \rfloor$, counted from 0.
So some bins may be empty; they are left out.
Between two neighbouring distinct scores that are in different bins there is a cut, halfway between them.
Return the cuts in increasing order; there are none if all cases are in one bin.
"""


# %% answer
def equal_frequency_cuts(scores, n_bins):
    """Cuts between the bins that hold a case, increasing."""
    ### BEGIN SOLUTION
    values, size = np.unique(scores, return_counts=True)
    middle = np.cumsum(size) - size / 2
    bins = np.floor(n_bins * middle / len(scores))
    return ((values[:-1] + values[1:]) / 2)[bins[:-1] != bins[1:]]
    ### END SOLUTION


# %% test
np.testing.assert_allclose(equal_frequency_cuts(np.array([8, 1, 4, 2]), 2), [3])
np.testing.assert_allclose(equal_frequency_cuts(np.array([1, 5, 5, 5, 5, 5, 5, 9]), 4), [3, 7])
### BEGIN HIDDEN TESTS
_rng = kit.rng("cuts", STUDENT)
for _n_bins in [2, 5, 10, 16]:
    _many = _rng.normal(size=256)
    _few = _rng.choice(_rng.normal(size=6), size=256, p=[0.4, 0.25, 0.15, 0.1, 0.06, 0.04])
    _some = np.where(_rng.random(256) < 0.7, 0.5, _many)
    for _s in [_many, _few, _some, np.full(256, 3.0)]:
        _ranked = []
        for _value in sorted(set(_s.tolist())):
            _twice = 2 * int(np.sum(_s < _value)) + int(np.sum(_s == _value))
            _ranked.append((_value, _n_bins * _twice // 512))
        _expected = [(a + b) / 2 for (a, i), (b, j) in zip(_ranked, _ranked[1:]) if i != j]
        np.testing.assert_allclose(equal_frequency_cuts(_s, _n_bins), _expected)
### END HIDDEN TESTS

# %% hint
r"""
`np.unique(scores, return_counts=True)` gives the distinct scores and how many cases have each; cumulated counts give $r + t$.
"""

# %% question predict, numerics, 4 points, goal 1
r"""
## Predictions for any score

The cuts are given, increasing and chosen in advance.
Bin $i$, counted from 0, holds the scores from the cut before it up to, but not including, the cut after it; the first and the last bin reach as far as scores go.
Return a prediction for each `new` score: the fraction of positives among the calibration cases in its bin.
A bin without calibration cases predicts the fraction of positives among all calibration cases.
"""


# %% answer
def histogram_predictions(cuts, scores, labels, new):
    """Predictions for new scores, an array as long as new."""
    ### BEGIN SOLUTION
    bins = np.searchsorted(cuts, scores, side="right")
    counts = np.bincount(bins, minlength=len(cuts) + 1)
    positives = np.bincount(bins, labels, len(cuts) + 1)
    fractions = np.where(counts > 0, positives / np.maximum(counts, 1), labels.mean())
    return fractions[np.searchsorted(cuts, new, side="right")]
    ### END SOLUTION


# %% test
_cuts, _s, _z = np.array([1.0, 2.0]), np.array([0, 0.5, 3, 4]), np.array([0, 1, 1, 1])
np.testing.assert_allclose(histogram_predictions(_cuts, _s, _z, np.array([-9, 9])), [0.5, 1])
### BEGIN HIDDEN TESTS
_rng = kit.rng("predict", STUDENT)
for _cuts in [[0.25, 0.5, 0.75], [-2.0, 0.0, 0.5, 3.0], [0.5]]:
    for _low, _high in [(0, 1), (0, 0.25), (0.5, 1)]:
        _s = np.round(_rng.uniform(_low, _high, 60) * 8) / 8  # many scores lie on a cut
        _z = kit.draw_labels(np.where(_s < 0.5, 0.3, 0.6), _rng)
        _z[:2] = [0, 1]
        _new = np.concatenate([_rng.uniform(-4, 4, 30), _cuts, [-100, 100]])
        _edges = [-np.inf, *_cuts, np.inf]
        _expected = []
        for _y in _new:
            for _a, _b in zip(_edges[:-1], _edges[1:], strict=True):
                if _a <= _y < _b:
                    _rows = (_s >= _a) & (_s < _b)
                    _expected.append(_z[_rows].mean() if _rows.any() else _z.mean())
        np.testing.assert_allclose(
            histogram_predictions(np.array(_cuts), _s, _z, _new), _expected, atol=1e-12
        )
### END HIDDEN TESTS

# %% hint
r"""
`np.searchsorted(cuts, scores, side="right")` numbers the bins. What does `np.bincount` return if the last bin is empty?
"""

# %% question hoeffding, theory, 4 points, goal 2
r"""
## The worst bin

The bins are fixed before the sample is drawn. Given the counts, the labels in bin $i$ are $N_i$ independent draws, each 1 with probability $\theta_i$.
Hoeffding's inequality: the mean of $n$ independent variables in $[0, 1]$ differs from its expectation by $\varepsilon$ or more with probability at most $2 e^{-2 n \varepsilon^2}$.

1. Show that with probability at least $1 - \delta$, in all bins at once, $\lvert \hat\theta_i - \theta_i \rvert < \sqrt{\log(2B/\delta) / (2 N_i)}$. Where are you generous?
2. Let each bin hold $N/B$ cases. Compute the bound for $N = 2000$, $B = 10$, $\delta = 0.05$. How large must $N$ be for a bound of 0.05?
3. A colleague uses $\log(2/\delta)$ in the place of $\log(2B/\delta)$. What does her number promise, and about how often can some bin break it in the worst case, according to the union bound, for $B = 10$?
"""

# %% written
r"""
### BEGIN SOLUTION
1. For $\varepsilon_i = \sqrt{\log(2B/\delta)/(2N_i)}$ we have $2 e^{-2 N_i \varepsilon_i^2} = 2 \cdot \frac{\delta}{2B} = \frac\delta B$.
   The probability that some bin is off by $\varepsilon_i$ or more is at most the sum over the bins (union bound), $B \cdot \delta/B = \delta$.
   Generous: Hoeffding's inequality does not use the variance $\theta_i(1-\theta_i)$, and is not exact even for $\theta_i = \frac12$; the union bound adds probabilities of events that may happen together.
2. $\sqrt{10 \log 400 / 4000} = \sqrt{59.91/4000} = 0.122$. From $\sqrt{B \log(2B/\delta)/(2N)} \le 0.05$: $N \ge 59.91/0.005 = 11{,}983$.
3. It promises $1 - \delta$ for one bin that was chosen in advance. Each bin may break it with probability $\delta$, some bin of ten with probability up to $10\,\delta = 0.5$.

**Rubric.** 2 points: part 1, 1 for the computation of $\varepsilon_i$ with $\delta/B$, 1 for the union bound with one reason why it is generous. 1 point: both numbers of part 2 (0.12; about 12,000). 1 point: part 3, "one bin chosen in advance" and $B\delta$.
### END SOLUTION
"""

# %% hint
r"""
Which failure probability may each bin have, so that all together have $\delta$? Solve $2 e^{-2 N_i \varepsilon^2} = \delta/B$ for $\varepsilon$.
"""

# %% question bounds, numerics, 3 points, goal 2
r"""
## Some bins matter more

The bins are fixed in advance, as in the question *The worst bin*.
A colleague wants bounds that hold in all bins at once with probability at least $1 - \delta$, but she does not share $\delta$ equally: bin $i$ may fail with probability `shares[i]` times $\delta$.
The shares are positive and add up to 1; the counts $N_i$ are positive.
Return the bound of $\lvert \hat\theta_i - \theta_i \rvert$ for each bin that Hoeffding's inequality gives.
With equal shares it is the bound of the question *The worst bin*.
"""


# %% answer
def bin_bounds(counts, shares, delta):
    """Bounds of the errors of all bins, an array as long as counts."""
    ### BEGIN SOLUTION
    return np.sqrt(np.log(2 / (delta * np.asarray(shares))) / (2 * np.asarray(counts)))
    ### END SOLUTION


# %% test
_bounds = bin_bounds(np.array([50, 200]), np.array([0.5, 0.5]), 0.2)
np.testing.assert_allclose(_bounds, [np.sqrt(np.log(20)) / 10, np.sqrt(np.log(20)) / 20])
### BEGIN HIDDEN TESTS
_rng = kit.rng("bounds", STUDENT)
for _n_bins in [2, 7, 20]:
    _counts = _rng.integers(5, 400, _n_bins)
    _shares = _rng.uniform(0.2, 1, _n_bins)
    _shares /= _shares.sum()
    _delta = float(_rng.choice([0.01, 0.05, 0.1]))
    _bounds = np.asarray(bin_bounds(_counts, _shares, _delta))
    assert _bounds.shape == (_n_bins,)
    # the two tails of each bin have the probability that is its share, by Hoeffding's inequality
    np.testing.assert_allclose(2 * np.exp(-2 * _counts * _bounds**2), _delta * _shares)
### END HIDDEN TESTS

# %% hint
r"""
Solve $2 e^{-2 N_i \varepsilon_i^2} = \texttt{shares[i]} \cdot \delta$ for $\varepsilon_i$.
"""

# %% question allowed, numerics, 3 points, goal 2
r"""
## How many bins may she use?

A colleague has `n` calibration cases. She wants a bound of at most `target` for all bins at once, with probability $1 - \delta$.
With $B$ bins fixed in advance, each holds at least $\lfloor n/B \rfloor$ cases, where $\lfloor \cdot \rfloor$ rounds down, and she uses this number for $N_i$ in the bound $\sqrt{\log(2B/\delta) / (2 N_i)}$ of the question *The worst bin*.
Return the largest number of bins between 1 and `n` for which the bound is at most `target`, or 0 if there is none.
"""


# %% answer
def largest_number_of_bins(n, target, delta):
    """Largest B whose bound is at most target; 0 if even B = 1 has a larger one."""
    ### BEGIN SOLUTION
    bins = np.arange(1, n + 1)
    bounds = np.sqrt(np.log(2 * bins / delta) / (2 * (n // bins)))
    return int(np.sum(bounds <= target))  # the bound increases with B
    ### END SOLUTION


# %% test
assert largest_number_of_bins(100, 0.05, 0.05) == 0
assert largest_number_of_bins(100, 0.14, 0.05) == 1
### BEGIN HIDDEN TESTS
_rng = kit.rng("allowed", STUDENT)
for _n in [*range(100, 300, 7), *_rng.integers(300, 3000, 20)]:
    _target, _delta = _rng.uniform(0.08, 0.5), _rng.choice([0.01, 0.05, 0.1])
    _best = 0
    for _b in range(1, int(_n) + 1):
        if np.sqrt(np.log(2 * _b / _delta) / (2 * (_n // _b))) > _target:
            break
        _best = _b
    assert largest_number_of_bins(int(_n), _target, _delta) == _best
### END HIDDEN TESTS

# %% hint
r"""
With more bins the logarithm grows and the counts shrink, so the bound grows: try $B = 1, 2, \dots$ until it is too large.
"""

# %% question coverage, data, 4 points, goal 4
r"""
## Does the bound hold?

Your data are samples from a distribution whose truth is known, cut into ten bins of equal width on $[0, 1]$: bin $i$, counted from 0, holds the scores from $i/10$ up to, but not including, $(i+1)/10$.
`theta` has the ten true probabilities.
The bound of bin $i$ in a sample is $\sqrt{\log(20/\delta) / (2 N_i)}$, with the count $N_i$ of this sample; it promises to hold *in all bins at once* with probability $1 - \delta$.
Return the share of the samples in which it fails, that is, in which at least one bin has $\lvert \hat\theta_i - \theta_i \rvert$ above its bound.
A bin that is empty in a sample cannot fail there.

The test prints the share for your data. Hoeffding's inequality and the union bound are cautious, so expect shares far below $\delta$.
"""


# %% code
def calibration_samples(name, student, n_samples=200, n=300):
    """List of pairs (scores, labels), and the true probability of each of ten bins."""
    rng = kit.rng(name, student)
    power, lowest = rng.uniform(2, 2.5), rng.uniform(0.2, 0.4)
    samples = []
    for _ in range(n_samples):
        scores = rng.random(n) ** (1 / power)  # P(score < t) is t ** power
        samples.append((scores, kit.draw_labels(lowest + (1 - 2 * lowest) * scores, rng)))
    edges = np.arange(11) / 10
    mean_score = np.diff(edges ** (power + 1)) / np.diff(edges**power) * power / (power + 1)
    return samples, lowest + (1 - 2 * lowest) * mean_score


samples, theta = calibration_samples("coverage", STUDENT)
print("counts of the bins in the first sample", np.histogram(samples[0][0], 10, (0, 1))[0])
print("true probabilities", theta.round(2))


# %% answer
def share_of_failures(samples, theta, delta):
    """Share of the samples in which the bound fails in some bin."""
    ### BEGIN SOLUTION
    failures = 0
    for scores, labels in samples:
        bins = (scores * 10).astype(int)
        counts, positives = np.bincount(bins, minlength=10), np.bincount(bins, labels, 10)
        filled = counts > 0
        error = np.abs(positives[filled] / counts[filled] - theta[filled])
        failures += np.any(error > np.sqrt(np.log(20 / delta) / (2 * counts[filled])))
    return failures / len(samples)
    ### END SOLUTION


# %% test
_one = (np.full(50, 0.55), np.ones(50, dtype=int))
assert share_of_failures([_one], np.full(10, 0.5), 0.05) == 1
assert share_of_failures([_one], np.full(10, 0.9), 0.05) == 0
for _delta in [0.05, 0.5, 0.99]:
    print(
        f"delta {_delta}: fails in {share_of_failures(samples, theta, _delta):.3f} of your samples"
    )
### BEGIN HIDDEN TESTS
for _name in ["coverage", "coverage again"]:
    _samples, _theta = calibration_samples(_name, STUDENT)
    for _delta in [0.05, 0.5, 0.99]:
        _failed = []
        for _s, _z in _samples:
            _bad = False
            for _i in range(10):
                _rows = (_s * 10).astype(int) == _i
                if _rows.any():
                    _bound = np.sqrt(np.log(20 / _delta) / (2 * _rows.sum()))
                    _bad = _bad or abs(_z[_rows].mean() - _theta[_i]) > _bound
            _failed.append(_bad)
        np.testing.assert_allclose(share_of_failures(_samples, _theta, _delta), np.mean(_failed))
### END HIDDEN TESTS

# %% hint
r"""
Count samples, not bins: a sample with three bad bins is one failure.
"""

# %% question exact, numerics, 3 points, goal 4
r"""
## Errors without a test sample

The score is uniform on $[0, 1]$ and the truth $\pi$ is known through its integral: the function `integral(t)` returns $\int_0^t \pi(y)\,dy$, for a number or an array.
The bins lie between 0, the increasing `cuts` and 1, and bin $i$ predicts `values[i]`.
Return the error of the worst bin, $\max_i \lvert \hat\theta_i - \theta_i \rvert$, and the mean error $\sum_i \eta_i \lvert \hat\theta_i - \theta_i \rvert$, where $\eta_i$ is the probability that a score falls into bin $i$.
"""


# %% answer
def exact_errors(cuts, values, integral):
    """The largest and the mean error of the bins, in this order."""
    ### BEGIN SOLUTION
    edges = np.concatenate([[0], cuts, [1]])
    mass = np.diff(edges)
    error = np.abs(values - np.diff(integral(edges)) / mass)
    return error.max(), mass @ error
    ### END SOLUTION


# %% test
_errors = exact_errors(np.array([0.2]), np.array([0.1, 0.9]), lambda t: t**2 / 2)
np.testing.assert_allclose(_errors, [0.3, 0.24], atol=1e-12)
### BEGIN HIDDEN TESTS
_rng = kit.rng("exact", STUDENT)
for _n_bins in [2, 6, 15]:
    _cuts = np.cumsum(_rng.uniform(0.2, 1, _n_bins))
    _cuts = _cuts[:-1] / _cuts[-1]
    _values, _a = _rng.random(_n_bins), _rng.uniform(1, 4)
    _worst, _mean = exact_errors(_cuts, _values, lambda t, a=_a: t ** (a + 1) / (a + 1))
    _edges, _errors = [0, *_cuts, 1], []
    for _low, _high, _value in zip(_edges[:-1], _edges[1:], _values, strict=True):
        _theta = (_high ** (_a + 1) - _low ** (_a + 1)) / (_a + 1) / (_high - _low)
        _errors.append((abs(_value - _theta), _high - _low))
    with part(2, "the largest error"):
        np.testing.assert_allclose(_worst, max(e for e, _ in _errors))
    with part(1, "the mean error"):
        np.testing.assert_allclose(_mean, sum(e * w for e, w in _errors))
### END HIDDEN TESTS

# %% hint
r"""
$\theta_i$ is the mean of $\pi$ over the bin: an integral divided by a width.
"""

# %% question mean, theory, 4 points, goal 3
r"""
## The mean error

The bins are fixed in advance, each holds $n_0 = N/B$ cases, and given the counts the labels in bin $i$ are independent, each 1 with probability $\theta_i$.
Let $\eta_i$ be the probability that a score falls into bin $i$, $\bar\pi = P(z = 1)$, and $\operatorname{ECE} = \sum_i \eta_i \lvert \hat\theta_i - \theta_i \rvert$.

1. Show that $\mathbb{E}\lvert \hat\theta_i - \theta_i \rvert \le \sqrt{\theta_i (1 - \theta_i) / n_0}$.
2. Show that $\mathbb{E}[\operatorname{ECE}] \le \sqrt{\bar\pi(1 - \bar\pi)\,B/N} \le \frac12 \sqrt{B/N}$. (Use that $t \mapsto \sqrt{t(1-t)}$ is concave.)
3. Compute both bounds of part 2 for $N = 1000$, $B = 10$ if one case in twenty is positive. How many cases make $\frac12\sqrt{B/N}$ at most 0.02 with ten bins?
4. For the worst bin the bound had $\log(2B/\delta)$. Why is there no logarithm of $B$ here?
"""

# %% written
r"""
### BEGIN SOLUTION
1. $\hat\theta_i$ is a mean of $n_0$ independent labels: its mean is $\theta_i$ and its variance $\theta_i(1-\theta_i)/n_0$. By Jensen's inequality $\mathbb{E}\lvert X\rvert \le \sqrt{\mathbb{E}X^2}$.
2. With $g(t) = \sqrt{t(1-t)}$ the sum is at most $\frac{1}{\sqrt{n_0}} \sum_i \eta_i\, g(\theta_i)$. The $\eta_i$ are not negative and add up to one, so by concavity this is at most $\frac{1}{\sqrt{n_0}}\, g\bigl(\sum_i \eta_i\theta_i\bigr)$, and $\sum_i \eta_i \theta_i = P(z = 1) = \bar\pi$. With $n_0 = N/B$ this is the first bound; $\bar\pi(1-\bar\pi) \le \frac14$ gives the second.
3. $\sqrt{0.05 \cdot 0.95 \cdot 0.01} = 0.022$ and $0.5 \cdot 0.1 = 0.05$. $\frac12\sqrt{10/N} \le 0.02$ for $N \ge 10/(4 \cdot 0.0004) = 6250$.
4. The logarithm is the price for the largest of $B$ errors, which grows with their number. A mean of $B$ errors is as large as a typical one, and the mean of a sum is the sum of the means: no union bound.

**Rubric.** 1 point each part. Part 2 needs concavity (Jensen) and $\sum_i \eta_i\theta_i = \bar\pi$; part 3 all three numbers.
### END SOLUTION
"""

# %% hint
r"""
For part 2, a concave function of a weighted mean is at least the weighted mean of its values. What is $\sum_i \eta_i \theta_i$?
"""

# %% question integral, theory, 3 points, goal 5
r"""
## A constant that is none

Theorem 3.3 of Naeini, Cooper and Hauskrecht (2014) says that the ECE of histogram binning goes to zero at the rate $\sqrt{B/N}$.
Its proof starts from a tail bound. Predictions are put into ten output bins, $k_i$ of the $B$ input bins into output bin $i$, and the error of output bin $i$ exceeds $\varepsilon$ with probability at most $2 k_i\, e^{-N \varepsilon^2/(2B)}$. For a variable $X \ge 0$, $\mathbb{E}X = \int_0^\infty P(X > \varepsilon)\, d\varepsilon$.

1. Carry out the integral of the tail bound. (For $a > 0$, $\int_0^\infty e^{-a \varepsilon^2} d\varepsilon = \frac12 \sqrt{\pi / a}$, with $\pi = 3.14\dots$)
2. The proof calls the factor in front of $\sqrt{B/N}$ a constant. How large is the largest $k_i$ at least, and how large can it be?
3. Take $B = N^{1/3}$. Insert the smallest possible value of the largest $k_i$ into part 1: does this bound go to zero as $N$ grows? Is the theorem therefore false?
"""

# %% written
r"""
### BEGIN SOLUTION
1. With $a = N/(2B)$: $2 k_i \cdot \frac12 \sqrt{2\pi B/N} = k_i \sqrt{2\pi}\,\sqrt{B/N}$.
2. The $k_i$ of ten output bins add up to $B$, so the largest is at least $B/10$; it can be $B$, if all input bins predict nearly the same, as where positives are rare.
3. The bound is at least $\frac{B}{10} \sqrt{2\pi B/N} = \frac{\sqrt{2\pi}}{10} B^{3/2} N^{-1/2}$, and for $B = N^{1/3}$ this is the constant $0.25$: it does not go to zero, so the argument does not prove the rate there. The theorem is true all the same: the question *The mean error* proves the rate for fixed bins with the constant $\frac12$. A gap in a proof does not make a statement false.

**Rubric.** 1 point each part. Part 3 needs $N^{1/2} N^{-1/2}$ (does not go to zero) and that the theorem is not refuted.
### END SOLUTION
"""

# %% hint
r"""
If ten numbers add up to $B$, how small can the largest one be?
"""

# %% question claim, reading, 4 points, goal 5
r"""
## A published bound

Theorem 3.1 of Naeini, Cooper and Hauskrecht (2014): with probability at least $1 - \delta$, histogram binning with $B$ bins and $N$ cases has a maximum calibration error of at most $\sqrt{2 B \log(2B/\delta)/N}$; the proof bounds the error of the worst bin.
The paper cuts bins of equal size from the sorted scores; its proof uses Hoeffding's inequality with $N/B$ cases in each bin.
It says nothing about equal scores.

The book draws samples of $N = 1000$ with $B = 10$ from a distribution in which 99.5 % of the cases share one score, all others have smaller, continuous scores, and the probability of a positive is $\frac12$ for every score.
Equal scores are kept in one bin.
For $\delta = 0.05$ the printed bound is 0.346, and the worst bin is off by more in 19 % of the samples.

1. Compare the printed bound with that of the question *The worst bin* for bins fixed in advance that hold $N/B$ cases each. Is the printed bound wrong there?
2. How many bins hold cases in the book's example, and about how many cases does each hold? Show that a bin with four cases is off by more than 0.346 with probability $\frac18$.
3. Which two assumptions of the proof does the example break? (One concerns counts, the other when bins are chosen.)
4. The book proves, for any distribution, $\lvert\hat\theta_i - \theta_i\rvert \le \sqrt{\log(2J/\delta)/(2N_i)} + 2/(N_i - 2)$ in all bins with $N_i \ge 3$ at once, with $J = N(N+1)/2$. Compute it for $N = 1000$, $N_i = 100$, $\delta = 0.05$. What does it say about a bin with four cases, and is that a weakness of the theorem?
"""

# %% written
r"""
### BEGIN SOLUTION
1. With $N_i = N/B$ the bound of the earlier question is $\sqrt{B\log(2B/\delta)/(2N)}$, half of the printed one ($2$ against $\frac12$ under the root). The printed bound is valid there, only twice as large as it needs to be.
2. About 995 cases are tied in one bin; about five are left, all of them in the first bin, since their ranks are below 100. With four cases $\hat\theta$ is 0, 0.25, 0.5, 0.75 or 1; the error exceeds 0.346 only for 0 and 1 (0.25 is off by 0.25): probability $2 \cdot \frac1{16} = \frac18$.
3. Counts: the bins do not hold $N/B$ cases, since a tie is not split. Choice: the bins are cut from the sample's scores, so they are not fixed before the sample is drawn.
4. $J = 500{,}500$, $\log(2J/\delta) = \log(20{,}020{,}000) = 16.8$; $\sqrt{16.8/200} + 2/98 = 0.290 + 0.020 = 0.31$. For $N_i = 4$ it is $\sqrt{16.8/8} + 1 = 2.45 > 1$ and says nothing. This is no weakness: four labels cannot tell 0.5 from 0.2, and the errors there are large.

**Rubric.** 1 point each part. Part 1 needs "valid, twice as large"; part 2 the number of cases and the probability; part 3 both assumptions; part 4 0.31 and the judgement.
### END SOLUTION
"""

# %% hint
r"""
For part 2 list the possible fractions of positives among four cases, and their probabilities.
"""

# %% question break_it, break it, 4 points, goal 2
r"""
## Break it: scores for which the formula fails

Choose a distribution of the scores.
Labels will be fair coins, whatever the score, so that $\theta_i = \frac12$ in every bin.
The scores are cut into ten bins of equal frequency, equal scores in one bin, as in the first question.
The formula $\sqrt{B \log(2B/\delta)/(2N)}$, with $N = 1000$, $B = 10$ and $\delta = 0.05$, is 0.173: it promises that in 95 % of the samples no bin is off by more.
Write a function that draws `n` independent scores from your distribution, such that in at least 15 % of the samples some bin is off by more.
(Grading draws 500 samples of 1000; stay clear of the limit.)
"""


# %% answer
def scores_that_break(rng, n):
    """n independent scores from one distribution; rng is a NumPy generator."""
    ### BEGIN SOLUTION
    return np.where(rng.random(n) < 0.995, 0.5, rng.random(n))
    ### END SOLUTION


# %% test
_s = np.asarray(scores_that_break(np.random.default_rng(0), 1000))
assert _s.shape == (1000,) and np.all(np.isfinite(_s)), "1000 numbers"
### BEGIN HIDDEN TESTS
_rng = kit.rng("break_it", STUDENT)
_limit, _failures = np.sqrt(10 * np.log(20 / 0.05) / 2000), 0
for _ in range(500):
    _s = np.asarray(scores_that_break(_rng, 1000))
    _, _tie, _size = np.unique(_s, return_inverse=True, return_counts=True)
    _bin = (10 * (2 * np.cumsum(_size) - _size) // 2000)[_tie]
    _count = np.bincount(_bin, minlength=10)
    _positive = np.bincount(_bin, _rng.random(1000) < 0.5, 10)
    _filled = _count > 0
    _failures += np.any(np.abs(_positive[_filled] / _count[_filled] - 0.5) > _limit)
assert _failures >= 75, f"the formula fails in {_failures} of 500 samples, not in 75 or more"
### END HIDDEN TESTS

# %% hint
r"""
Which bins have a large error by chance alone? Make it likely that some bin holds few cases.
"""
