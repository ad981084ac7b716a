# Problem set 4. course/README.md explains the cells.

# %% text
r"""
# Problem set 4: Platt scaling and densities

About four hours; one point stands for about six minutes.
Read the part on Platt scaling in the chapter *Platt scaling and isotonic regression*, and the chapter *Calibrating with densities* up to the kernel densities.

After this set you can

1. fit Platt scaling, on the scale of scores for which it is made;
2. say what Platt's targets do, and why they make the best curve finite;
3. turn densities of the score into probabilities, with the right class frequencies;
4. choose a bandwidth, and say what a kernel calibrator does where there are no data;
5. read a published formula critically.

Labels are 0 or 1; scores are any numbers.
There are $N$ calibration cases, $m$ of them positive and $n = N - m$ negative, both at least one.
$\operatorname{sigmoid}(t) = 1/(1 + e^{-t})$ and $\operatorname{logit}(p) = \log\bigl(p/(1-p)\bigr)$ are `kit.expit` and `kit.logit`; `log` is the natural logarithm.
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

# %% question targets, numerics, 2 points, goal 1
r"""
## Platt's targets

Platt scaling replaces the label 1 by $\frac{m+1}{m+2}$ and the label 0 by $\frac{1}{n+2}$.
Return the targets of all cases.
"""


# %% answer
def platt_targets(labels):
    """Targets, an array as long as labels."""
    ### BEGIN SOLUTION
    m = np.sum(labels)
    n = len(labels) - m
    return np.where(labels == 1, (m + 1) / (m + 2), 1 / (n + 2))
    ### END SOLUTION


# %% test
np.testing.assert_allclose(platt_targets(np.array([1, 0, 1, 0])), [0.75, 0.25, 0.75, 0.25])
### BEGIN HIDDEN TESTS
_rng = kit.rng("targets", STUDENT)
for _m, _n in [(1, 9), (20, 5), (int(_rng.integers(3, 30)), int(_rng.integers(40, 80)))]:
    _z = _rng.permutation(np.repeat([1, 0], [_m, _n]))
    _t = np.asarray(platt_targets(_z))
    np.testing.assert_allclose(1 - _t[_z == 1], 1 / (_m + 2))
    np.testing.assert_allclose(_t[_z == 0], 1 / (_n + 2))
### END HIDDEN TESTS

# %% question fit, numerics, 4 points, goal 1
r"""
## The fit

The calibrated probability is $\operatorname{sigmoid}(a y + b)$ for the score $y$.
Return the slope $a$ and the intercept $b$ that maximise $\sum_j \bigl(t_j \log p_j + (1 - t_j) \log(1 - p_j)\bigr)$, where $p_j = \operatorname{sigmoid}(a y_j + b)$ and $t_j$ are Platt's targets of the question above.
Add no other penalty.
The slope may be negative, and the classes may be separable.
An error of 0.005 does not matter.

Write Newton's method, or use `scipy.optimize.minimize`.
"""


# %% answer
def fit_platt(scores, labels):
    """Slope and intercept, in this order."""
    ### BEGIN SOLUTION
    m, n = np.sum(labels == 1), np.sum(labels == 0)
    targets = np.where(labels == 1, (m + 1) / (m + 2), 1 / (n + 2))
    X = np.column_stack([scores, np.ones(len(scores))])

    def loss(theta):
        return np.sum(np.logaddexp(0, X @ theta) - targets * (X @ theta))

    theta = np.zeros(2)
    for _ in range(50):
        p = kit.expit(X @ theta)
        hessian = (X * (p * (1 - p))[:, None]).T @ X
        step = np.linalg.solve(hessian, X.T @ (p - targets))
        while loss(theta - step) > loss(theta) + 1e-12:
            step /= 2
        theta = theta - step
    return theta
    ### END SOLUTION


# %% test
_a, _b = fit_platt(np.array([0.0, 1.0]), np.array([0, 1]))
np.testing.assert_allclose([_a, _b], [2 * np.log(2), -np.log(2)], atol=0.005)
### BEGIN HIDDEN TESTS
_rng = kit.rng("fit", STUDENT)


def _newton(scores, targets):
    a = b = 0.0
    for _ in range(2000):  # small steps: the Hessian of a sigmoid is at most a quarter
        p = kit.expit(a * scores + b)
        g = np.array([np.sum((p - targets) * scores), np.sum(p - targets)])
        w = np.maximum(p * (1 - p), 0.02)
        h = np.array([[w @ scores**2, w @ scores], [w @ scores, w.sum()]])
        a, b = np.array([a, b]) - np.linalg.solve(h, g) / 2
    return a, b


def _check_fit(scores, labels):
    m, n = labels.sum(), (1 - labels).sum()
    expected = _newton(scores, np.where(labels == 1, 1 - 1 / (m + 2), 1 / (n + 2)))
    np.testing.assert_allclose(fit_platt(scores, labels), expected, rtol=0.01, atol=0.006)


_check_fit(np.array([-2.0, -1.0, 1.0, 2.0]), np.array([0, 0, 1, 1]))
_check_fit(np.array([-1.0, 0.5, 1.0, 2.0, 2.5]), np.array([1, 1, 0, 0, 0]))
for _slope, _shift in [(1.5, 0.0), (-0.8, -1.0), (0.5, 1.5)]:
    _s = _rng.normal(0.5, 1.5, 80)
    _z = kit.draw_labels(kit.expit(_slope * _s + _shift), _rng)
    _z[:4] = [0, 0, 1, 1]
    _check_fit(_s, _z)
### END HIDDEN TESTS

# %% hint
r"""
With $g_j = a y_j + b$ one term of the sum is $t_j g_j - \log(1 + e^{g_j})$; `np.logaddexp(0, g)` is $\log(1 + e^{g})$ without overflow.
The derivative of the sum in $a$ is $\sum_j (t_j - p_j)\, y_j$, in $b$ it is $\sum_j (t_j - p_j)$.
"""

# %% question prior, theory, 4 points, goal 2
r"""
## What the targets do

Let $L_0$ be the log-likelihood with the labels themselves as targets, and $L$ the one with Platt's targets.
Let $\bar y_+$ and $\bar y_-$ be the mean scores of positives and of negatives.

1. Show that $L = L_0 - \frac{m}{m+2}\,(a \bar y_+ + b) + \frac{n}{n+2}\,(a \bar y_- + b)$.
2. Three positives have the scores 1, 2, 3 and two negatives $-2$, $-1$. Write $L_0 - L$ as a function of $a$ and $b$. Why has $L_0$ no maximum here, and why has $L$ one? (You may use that $-L$ is strictly convex.)
3. Show that at the maximum of $L$ the mean prediction differs from $m/N$ by less than $1/N$.
"""

# %% written
r"""
### BEGIN SOLUTION
1. With $g_j = a y_j + b$, $\log p_j = g_j - \log(1 + e^{g_j})$ and $\log(1 - p_j) = -\log(1 + e^{g_j})$, so one term is $t_j g_j - \log(1 + e^{g_j})$.
   For a positive the target falls by $1 - \frac{m+1}{m+2} = \frac1{m+2}$, which changes the sum over positives by $-\frac{1}{m+2} \sum_{z_j = 1} g_j = -\frac{m}{m+2}(a\bar y_+ + b)$. For a negative the target rises by $\frac1{n+2}$: $+\frac{n}{n+2}(a \bar y_- + b)$.
2. $m = 3$, $n = 2$, $\bar y_+ = 2$, $\bar y_- = -1.5$: $L_0 - L = \frac35(2a + b) - \frac12(-1.5a + b) = 1.95\,a + 0.1\,b$.
   With $b = 0$ and $a \to \infty$ every label gets a probability that rises to 1, so $L_0$ rises to 0 and never reaches it: no maximum.
   With $0 < t_j < 1$, $\log(1 + e^{g}) - t_j g$ goes to infinity for $g \to \infty$ and for $g \to -\infty$. If $(a, b)$ goes to infinity in any direction, some $g_j$ does so too, since $a y + b = 0$ holds for at most one $y$. So $-L$ is convex and grows beyond all bounds in every direction, and such a function has a minimum.
3. At the maximum the derivative in $b$ is 0: $\sum_j p_j = \sum_j t_j = m\,\frac{m+1}{m+2} + \frac{n}{n+2} = m - \frac{m}{m+2} + \frac{n}{n+2}$. Both fractions lie between 0 and 1, so $\lvert \sum_j p_j - m \rvert < 1$; divide by $N$.

**Rubric.** 1 point: part 1. 2 points: part 2, 1 for $1.95a + 0.1b$ and the missing maximum of $L_0$, 1 for the reason why $L$ has one. 1 point: part 3.
### END SOLUTION
"""

# %% hint
r"""
Write a term of the log-likelihood as $t_j g_j - \log(1 + e^{g_j})$: it is linear in the target.
"""

# %% question identity, theory, 4 points, goal 1
r"""
## When is a sigmoid the truth?

1. The scores of the positives are $\operatorname{N}(\mu_1, \sigma^2)$, those of the negatives $\operatorname{N}(\mu_0, \sigma^2)$ with the same variance, and $P(z = 1) = \rho$. Show that $P(z = 1 \mid y) = \operatorname{sigmoid}(ay + b)$, and find $a$ and $b$. Compute them and $P(z = 1 \mid y = 2)$ for $\mu_1 = 2$, $\mu_0 = -1$, $\sigma^2 = 1.5$, $\rho = 0.2$.
2. What changes if the two variances differ? Can Platt scaling be right then?
3. A classifier gives probabilities that are calibrated already. Show that Platt scaling can leave them as they are if it gets their logits. If it gets the probabilities themselves, choose $a$ and $b$ so that 0.5 and 0.2 are left as they are: what becomes of 0.05?
"""

# %% written
r"""
### BEGIN SOLUTION
1. By Bayes' rule the log odds are $\log\frac{\rho}{1-\rho} + \log\frac{f_1(y)}{f_0(y)}$, and the last term is $\frac{(y-\mu_0)^2 - (y-\mu_1)^2}{2\sigma^2} = \frac{\mu_1-\mu_0}{\sigma^2}\,y + \frac{\mu_0^2-\mu_1^2}{2\sigma^2}$. So $a = (\mu_1-\mu_0)/\sigma^2$ and $b = \log\frac{\rho}{1-\rho} + \frac{\mu_0^2-\mu_1^2}{2\sigma^2}$.
   Numbers: $a = 3/1.5 = 2$, $b = \log 0.25 + (1 - 4)/3 = -1.386 - 1 = -2.386$; at $y = 2$ the log odds are $1.614$, the probability 0.83.
2. The term $y^2\bigl(\frac{1}{2\sigma_0^2} - \frac{1}{2\sigma_1^2}\bigr)$ stays: the log odds are a parabola, which no line matches, and the truth is not even monotone. Platt scaling is wrong then, however many data there are.
3. With $a = 1$, $b = 0$: $\operatorname{sigmoid}(\operatorname{logit} p) = p$.
   On probabilities: $0.5a + b = 0$ and $0.2a + b = \operatorname{logit} 0.2 = -1.386$, so $a = 4.62$, $b = -2.31$. Then $0.05a + b = -2.08$ and 0.05 becomes 0.11.

**Rubric.** 2 points: part 1, 1 for the formulas and 1 for the numbers. 1 point: part 2, quadratic log odds. 1 point: part 3, both halves.
### END SOLUTION
"""

# %% hint
r"""
In log odds Bayes' rule is a sum. Write out $(y - \mu_0)^2 - (y - \mu_1)^2$.
"""

# %% question logits, data, 4 points, goal 1
r"""
## Which scale?

A network gives *probabilities*, strictly between 0 and 1, to 2000 held-out cases: your data, drawn below.
They are overconfident: too far from the middle.
Write a function that calibrates them with Platt scaling and returns predictions for `new` probabilities of the same network.
Give Platt scaling the scale on which it can do no harm to a forecaster who is calibrated already (the last part of the question above).

You may use `calib.PlattScaling`: `PlattScaling().fit(scores, labels).predict(new_scores)`.
"""


# %% code
def network(name, student, n=2000):
    """Probabilities of an overconfident network, and labels."""
    rng = kit.rng(name, student)
    truth = rng.normal(rng.uniform(-1, 1), 1.5, n)  # log odds
    labels = kit.draw_labels(kit.expit(truth), rng)
    return kit.expit(rng.uniform(2, 3) * truth + rng.uniform(-0.5, 0.5)), labels


probabilities, labels = network("logits", STUDENT)
for _low, _high in [(0, 0.01), (0.01, 0.1), (0.1, 0.5), (0.5, 0.9), (0.9, 0.99), (0.99, 1)]:
    _in = (probabilities >= _low) & (probabilities < _high)
    print(f"{_low:4} to {_high:4}: {_in.sum():4} cases, {labels[_in].mean():.3f} positive")


# %% answer
def calibrate_network(probabilities, labels, new):
    """Calibrated predictions for the new probabilities."""
    ### BEGIN SOLUTION
    from calib import PlattScaling

    fitted = PlattScaling().fit(kit.logit(probabilities), labels)
    return fitted.predict(kit.logit(new))
    ### END SOLUTION


# %% test
_new = np.array([0.001, 0.3, 0.999])
_predictions = np.asarray(calibrate_network(probabilities, labels, _new))
assert _predictions.shape == (3,) and np.all((_predictions > 0) & (_predictions < 1))
assert np.all(np.diff(_predictions) > 0), "the order of the network stays"
### BEGIN HIDDEN TESTS
for _name in ["logits", "logits again"]:
    _p, _z = network(_name, STUDENT)
    _x, _m, _n = kit.logit(_p), _z.sum(), (1 - _z).sum()
    _t = np.where(_z == 1, (_m + 1) / (_m + 2), 1 / (_n + 2))
    _a = _b = 0.0
    for _ in range(200):
        _q = kit.expit(_a * _x + _b)
        _w = np.maximum(_q * (1 - _q), 0.01)
        _h = np.array([[_w @ _x**2, _w @ _x], [_w @ _x, _w.sum()]])
        _a, _b = np.array([_a, _b]) - np.linalg.solve(_h, [(_q - _t) @ _x, (_q - _t).sum()])
    _new = kit.rng("logits new", STUDENT).uniform(0.0005, 0.9995, 200)
    np.testing.assert_allclose(
        calibrate_network(_p, _z, _new), kit.expit(_a * kit.logit(_new) + _b), atol=0.005
    )
### END HIDDEN TESTS

# %% hint
r"""
Transform the held-out probabilities *and* the new ones.
"""

# %% question kernel, numerics, 4 points, goal 3
r"""
## The kernel calibrator

Estimate the density of the score among positives by $f_1(y) = \frac{1}{m h_1} \sum_{j: z_j = 1} K\bigl(\frac{y - y_j}{h_1}\bigr)$ with the standard normal density $K$, and $f_0$ likewise from the $n$ negatives with the bandwidth $h_0$.
Return, for each query $y$, the probability of a positive by Bayes' rule with the class frequencies $m/N$ and $n/N$ of the sample.
The queries lie among the scores.
"""


# %% answer
def kernel_predictions(scores, labels, h0, h1, queries):
    """Probability of a positive at each query."""
    ### BEGIN SOLUTION
    distance = np.asarray(queries)[:, None] - scores
    s1 = np.exp(-0.5 * (distance[:, labels == 1] / h1) ** 2).sum(axis=1)
    s0 = np.exp(-0.5 * (distance[:, labels == 0] / h0) ** 2).sum(axis=1)
    return h0 * s1 / (h0 * s1 + h1 * s0)
    ### END SOLUTION


# %% test
_s, _z = np.array([-1, 1, 1, 1]), np.array([1, 0, 0, 0])
np.testing.assert_allclose(kernel_predictions(_s, _z, 0.5, 0.5, np.array([0])), [0.25])
### BEGIN HIDDEN TESTS
_rng = kit.rng("kernel", STUDENT)
for _rate in [0.1, 0.5, 0.8]:
    _z = kit.draw_labels(np.full(150, _rate), _rng)
    _z[:2] = [0, 1]
    _s = _rng.normal(_z, 1.2)
    _h0, _h1 = _rng.uniform(0.3, 0.5), _rng.uniform(0.6, 0.9)
    _queries = _rng.uniform(-0.5, 1.5, 40)
    _expected = []
    for _y in _queries:
        _joint = []
        for _k, _h in [(0, _h0), (1, _h1)]:
            _own = _s[_z == _k]
            _density = np.mean(np.exp(-(((_y - _own) / _h) ** 2) / 2) / np.sqrt(2 * np.pi) / _h)
            _joint.append(len(_own) / 150 * _density)
        _expected.append(_joint[1] / sum(_joint))
    np.testing.assert_allclose(kernel_predictions(_s, _z, _h0, _h1, _queries), _expected)
### END HIDDEN TESTS

# %% hint
r"""
The product of class frequency and density, $\frac mN f_1$, has a factor that cancels.
"""

# %% question bayes, theory, 3 points, goal 3
r"""
## Histograms and kernels

1. Cut the axis of the score into bins and estimate $f_1$ and $f_0$ by histograms on them. Show that Bayes' rule with the frequencies $m/N$ and $n/N$ gives the fraction of positives in the bin.
2. Derive from the formulas of the last question $\hat\pi = h_0 S_1 / (h_0 S_1 + h_1 S_0)$ with the kernel sums $S_1(y) = \sum_{j: z_j = 1} K\bigl(\frac{y-y_j}{h_1}\bigr)$ and $S_0$, and say in words what it is for $h_0 = h_1$.
3. The boxcar kernel is $K(u) = \frac12$ for $\lvert u \rvert \le 1$ and 0 elsewhere. Near a query there are 3 positives within $h_1$ and 2 negatives within $h_0$. What is the prediction for $h_1 = h_0$, and for $h_1 = 2 h_0$?
"""

# %% written
r"""
### BEGIN SOLUTION
1. In a bin of width $w$ with $m_i$ positives and $n_i$ negatives the densities are $\frac{m_i}{m w}$ and $\frac{n_i}{n w}$. Times the class frequencies they are $\frac{m_i}{N w}$ and $\frac{n_i}{N w}$; their common factor cancels and $\frac{m_i}{m_i + n_i}$ is left.
2. $\frac mN f_1 = \frac{S_1}{N h_1}$ and $\frac nN f_0 = \frac{S_0}{N h_0}$. Multiply numerator and denominator of Bayes' rule by $N h_0 h_1$. For $h_0 = h_1$ it is $S_1/(S_1 + S_0)$, a mean of the labels weighted by the kernel (the Nadaraya-Watson regression).
3. $S_1 = \frac32$, $S_0 = 1$. For $h_1 = h_0$: $\frac{1.5}{2.5} = \frac35$. For $h_1 = 2h_0$: $\frac{1.5}{1.5 + 2} = \frac37$: found in a window twice as wide, a positive counts half.

**Rubric.** 1 point each part.
### END SOLUTION
"""

# %% hint
r"""
A histogram density is a share divided by a width: $m_i/m$ of the positives in a bin of width $w$.
"""

# %% question shift, numerics, 2 points, goal 3
r"""
## Another base rate

A calibrator was fitted on cases of which the fraction `old_rate` was positive.
It is used where the fraction is `new_rate`; the densities of the score among positives and among negatives are the same as before.
Return the right probabilities for the predictions.
All numbers are strictly between 0 and 1.
"""


# %% answer
def with_new_rate(predictions, old_rate, new_rate):
    """Predictions for a population with another fraction of positives."""
    ### BEGIN SOLUTION
    return kit.expit(kit.logit(predictions) + kit.logit(new_rate) - kit.logit(old_rate))
    ### END SOLUTION


# %% test
np.testing.assert_allclose(with_new_rate(np.array([0.5, 0.9]), 0.5, 0.1), [0.1, 0.5])
### BEGIN HIDDEN TESTS
_rng = kit.rng("shift", STUDENT)
for _ in range(5):
    _old, _new = _rng.uniform(0.05, 0.95, 2)
    _ratio = np.exp(_rng.normal(0, 2, 50))  # f1 / f0
    _before = _old * _ratio / (_old * _ratio + 1 - _old)
    _after = _new * _ratio / (_new * _ratio + 1 - _new)
    np.testing.assert_allclose(with_new_rate(_before, _old, _new), _after)
### END HIDDEN TESTS

# %% hint
r"""
The odds are the prior odds times $f_1/f_0$.
"""

# %% question bandwidth, numerics, 2 points, goal 4
r"""
## The bandwidth

Silverman's rule of thumb is $h = 1.06\, \hat\sigma\, N^{-1/5}$, where $\hat\sigma$ is the standard deviation of the $N$ scores.
Return $h$; whether you divide by $N$ or by $N - 1$ in $\hat\sigma$ does not matter.
"""


# %% answer
def silverman(scores):
    """Bandwidth by the rule of thumb."""
    ### BEGIN SOLUTION
    return 1.06 * np.std(scores) * len(scores) ** -0.2
    ### END SOLUTION


# %% test
np.testing.assert_allclose(silverman(np.tile([-1.0, 1.0], 500)), 0.2663, rtol=0.002)
### BEGIN HIDDEN TESTS
_rng = kit.rng("bandwidth", STUDENT)
for _n, _unit in [(1000, 1), (400, 10), (3000, 0.01)]:
    _s = _unit * _rng.gamma(2, size=_n)
    _sigma = np.sqrt(np.mean(_s**2) - _s.mean() ** 2)
    np.testing.assert_allclose(silverman(_s), 1.06 * _sigma / _n**0.2, rtol=0.003)
### END HIDDEN TESTS

# %% question far, numerics, 3 points, goal 4
r"""
## Where there are no data

With the boxcar kernel and one bandwidth `h`, the prediction at a query is the mean label of the cases whose score is at most `h` away from it (a case at exactly the distance `h` counts).
Where no case is that near, the formula is 0/0; return the fraction of positives among all cases there.
No value may be `nan`.
"""


# %% answer
def boxcar_predictions(scores, labels, h, queries):
    """Prediction at each query."""
    ### BEGIN SOLUTION
    near = np.abs(np.asarray(queries)[:, None] - scores) <= h
    count = near.sum(axis=1)
    return np.where(count > 0, near @ labels / np.maximum(count, 1), labels.mean())
    ### END SOLUTION


# %% test
_s, _z, _queries = np.array([0.0, 0.5, 3.0]), np.array([0, 1, 0]), np.array([0.25, -0.5, 1.75])
np.testing.assert_allclose(boxcar_predictions(_s, _z, 0.5, _queries), [0.5, 0, 1 / 3])
### BEGIN HIDDEN TESTS
_rng = kit.rng("far", STUDENT)
for _h in [0.25, 1.0]:
    _s = np.concatenate([_rng.integers(-16, 17, 60) / 8, [6.0, 6.25]])  # exact in binary
    _z = kit.draw_labels(kit.expit(_s), _rng)
    _z[:2] = [0, 1]
    _queries = np.concatenate([_rng.integers(-24, 25, 40) / 8, [4.0, 6.5, 50.0, -50.0]])
    _expected = []
    for _y in _queries:
        _near = [z for y, z in zip(_s, _z, strict=True) if abs(y - _y) <= _h]
        _expected.append(sum(_near) / len(_near) if _near else _z.mean())
    np.testing.assert_allclose(boxcar_predictions(_s, _z, _h, _queries), _expected, atol=1e-12)
### END HIDDEN TESTS

# %% question claim, reading, 4 points, goal 5
r"""
## A published formula

Section 4 of Naeini, Cooper and Hauskrecht (2014) calibrates with kernel densities.
Its equation (4) is Bayes' rule with the class frequencies $m/N$ and $n/N$ of the sample.
Its equation (5), in our notation, is
$$\frac{n h_0 S_1}{n h_0 S_1 + m h_1 S_0},$$
and the text adds that equal bandwidths give the Nadaraya-Watson regression, the weighted mean of labels.
It takes $h = 1.06\,\hat\sigma N^{-1/5}$ with "$\hat\sigma$ an estimate of the variance".

On the rings, half of the cases are positive. On the KDD-98 data 5 % are, scores say little about the label, and the paper's Table 3(a) reports an ECE of 0.002 for kernel calibration of the scores of logistic regression.

1. Which densities and which class frequencies does equation (5) use? By which factor do its odds differ from those of $h_0 S_1/(h_0 S_1 + h_1 S_0)$?
2. Of 1000 cases 50 are positive, and the window around a query holds 5 positives and 95 negatives (one bandwidth for both, boxcar). What do the two formulas answer?
3. Is the error in the text only, or did the experiments use equation (5)? Argue from the two data sets.
4. Why cannot $\hat\sigma$ be the variance? Give an argument that needs no statistics.
"""

# %% written
r"""
### BEGIN SOLUTION
1. Divide numerator and denominator by $m n h_0 h_1$: the terms are $\frac{S_1}{m h_1} = f_1$ and $\frac{S_0}{n h_0} = f_0$. So it is $f_1/(f_1 + f_0)$, Bayes' rule with class frequencies $\frac12$ and $\frac12$. Its odds are $\frac{n h_0 S_1}{m h_1 S_0}$: larger by the factor $n/m$. It contradicts equation (4), and for equal bandwidths it is not the weighted mean of labels.
2. Right: $5/100 = 0.05$. Equation (5): $\frac{950 \cdot 5}{950 \cdot 5 + 50 \cdot 95} = \frac12$.
3. On the rings $n = m$, so the factor is 1 and the experiment cannot tell. On KDD-98 the factor is 19, and since scores say little, equation (5) would answer about $\frac12$ where 0.05 is true: an ECE of about 0.45. The reported ECE is far below that, so the program cannot have used equation (5): a slip of the text. (This is a conclusion; the program has not been seen.)
4. A bandwidth is compared with differences of scores, so it has their unit. If scores are measured in other units, a hundred times larger, $h$ must grow a hundredfold; the variance would grow by 10,000.

**Rubric.** 1 point each part. Part 1 needs "equal class frequencies" and $n/m$; part 3 both data sets; part 4 the unit.
### END SOLUTION
"""

# %% hint
r"""
Divide numerator and denominator by $m n h_0 h_1$.
"""

# %% question break_it, break it, 4 points, goal 4
r"""
## Break it: sure, and against all neighbours

The kernel calibrator of the question *The kernel calibrator* (normal kernel, Bayes' rule with the class frequencies of the sample) has two bandwidths.
Find scores and labels of at least ten cases, bandwidths and a query such that

- every negative is nearer to the query than every positive,
- there are at least as many negatives as positives, and at least one positive,
- the larger bandwidth is at most twice the smaller one,
- no kernel sum is below $10^{-100}$ at the query (the kernel taken as $e^{-u^2/2}$),

and yet the prediction at the query is above 0.9.
"""


# %% answer
def sure_and_wrong():
    """Scores, labels, h0 (negatives), h1 (positives) and the query, in this order."""
    ### BEGIN SOLUTION
    scores = np.concatenate([np.linspace(-1, -0.5, 5), np.linspace(0, 0.5, 5)])
    labels = np.repeat([1, 0], 5)
    return scores, labels, 1.0, 2.0, 10.0  # far out the wider kernel wins
    ### END SOLUTION


# %% test
_s, _z, _h0, _h1, _query = sure_and_wrong()
assert np.shape(_s) == np.shape(_z) and len(_s) >= 10, "at least ten cases"
assert set(np.unique(_z)) <= {0, 1}, "labels are 0 or 1"
assert min(_h0, _h1) > 0, "bandwidths are positive"
### BEGIN HIDDEN TESTS
_s, _z = np.asarray(_s, dtype=float), np.asarray(_z)
_away = np.abs(_s - _query)
assert 1 <= np.sum(_z == 1) <= np.sum(_z == 0), "as many negatives as positives, or more"
assert _away[_z == 0].max() < _away[_z == 1].min(), "every negative is nearer"
assert max(_h0, _h1) <= 2 * min(_h0, _h1) * (1 + 1e-12), "bandwidths differ by two at most"
_s0, _s1 = (np.exp(-((_away[_z == k] / h) ** 2) / 2).sum() for k, h in [(0, _h0), (1, _h1)])
assert min(_s0, _s1) >= 1e-100, "a kernel sum is too small"
assert _h0 * _s1 > 0.9 * (_h0 * _s1 + _h1 * _s0), "the prediction is not above 0.9"
### END HIDDEN TESTS

# %% hint
r"""
Compare $e^{-d^2/(2h_0^2)}$ and $e^{-D^2/(2h_1^2)}$ when both distances are large and nearly equal.
"""
