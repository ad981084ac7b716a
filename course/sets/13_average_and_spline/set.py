# Problem set 13. course/README.md explains the cells.

# %% text
r"""
# Problem set 13: average and spline

About four hours; one point stands for about six minutes.
Read the chapter *The average of all of them* without the part on the experiment, and *One family* and *What a parameter costs* of *Two parameters or three* first.

After this set you can

1. mix forecasters, row by row and by weights from held-out rows, and prove what a mixture promises;
2. say what a member is worth to an average;
3. fit a curve that stays near the score, and say what its freedom costs;
4. weigh gains against harm, and read claims about either critically;
5. show where an average fails.

Labels $z_i$ are 0 or 1.
`members` is an array of shape $(n, K)$: `members[i, k]` is the probability of label 1 that forecaster $k$ gives to row $i$; $q_{ik}$ is the probability that it gave to what happened, $p_{ik}$ if $z_i = 1$, else $1 - p_{ik}$.
The log loss of a row is $-\log$ of that; logarithms are natural.
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

# %% question mixture, numerics, 4 points, goal 1
r"""
## A mixture that learns row by row

The Bayes mixture begins with equal weights $\frac1K$.
It forecasts row $t$ by the weighted mean of the members' probabilities; then the label is seen, each weight is multiplied by $q_{tk}$, and the weights are divided by their sum.
Return the forecasts of all rows, the weights after the last row, and the regret: the total log loss of the mixture less that of the best member.
There may be thousands of rows. All `members` lie strictly between 0 and 1.
"""


# %% answer
def bayes_mixture(labels, members):
    """Forecasts, weights after the last row, and the regret."""
    ### BEGIN SOLUTION
    logs = np.log(np.where(np.asarray(labels)[:, None] == 1, members, 1 - members))
    before = np.vstack([np.zeros(members.shape[1]), np.cumsum(logs, axis=0)])
    weights = np.exp(before - before.max(axis=1, keepdims=True))
    weights /= weights.sum(axis=1, keepdims=True)
    forecasts = np.sum(weights[:-1] * members, axis=1)
    loss = -np.sum(np.log(np.where(np.asarray(labels) == 1, forecasts, 1 - forecasts)))
    return forecasts, weights[-1], loss + before[-1].max()
    ### END SOLUTION


# %% test
_p, _w, _regret = bayes_mixture(np.array([1, 0]), np.array([[0.5, 0.25], [0.75, 0.25]]))
np.testing.assert_allclose(_p, [0.375, 0.75 * 2 / 3 + 0.25 / 3])
np.testing.assert_allclose(_w, [0.4, 0.6])
np.testing.assert_allclose(_regret, np.log(0.1875 / 0.15625))
### BEGIN HIDDEN TESTS
_rng = kit.rng("mixture", STUDENT)
for _n, _K in [(1, 3), (60, 5), (2500, 2)]:  # products of 2500 numbers underflow
    _truth = _rng.uniform(0.05, 0.95, _n)
    _P = kit.expit(
        kit.logit(_truth)[:, None] * _rng.uniform(0.6, 1.4, _K) + _rng.normal(0, 0.2, _K)
    )
    _z = kit.draw_labels(_truth, _rng)
    _log_w, _said = np.zeros(_K), []
    for _row, _label in zip(_P, _z, strict=True):
        _now = np.exp(_log_w - max(_log_w))
        _said.append(_now @ _row / _now.sum())
        _log_w += np.log(_row if _label else 1 - _row)
    _p, _w, _regret = bayes_mixture(_z, _P)
    with part(2, "forecasts"):
        np.testing.assert_allclose(_p, _said, rtol=1e-6)
    with part(1, "weights"):
        _now = np.exp(_log_w - max(_log_w))
        np.testing.assert_allclose(_w, _now / _now.sum(), atol=1e-9)
    with part(1, "the regret"):
        _said = np.array(_said)
        _loss = -np.log(np.where(_z == 1, _said, 1 - _said)).sum()
        np.testing.assert_allclose(_regret, _loss + max(_log_w), atol=1e-6)
### END HIDDEN TESTS

# %% hint
r"""
Add logarithms instead of multiplying weights, and subtract the largest before you take the exponential.
"""

# %% question promise, theory, 4 points, goal 1
r"""
## What a mixture promises

Let $w_k > 0$ be the first weights, $\sum_k w_k = 1$, and $L_k$ the total log loss of member $k$ over $n$ rows.

1. Show that the total loss of the Bayes mixture is $\hat L = -\log \sum_k w_k e^{-L_k}$.
2. Deduce $\min_k L_k \le \hat L \le \min_k (L_k + \log \frac{1}{w_k})$. What was assumed of the labels?
3. Ten members, equal weights, 1000 rows: by how much can the mean loss exceed that of the best member? Compare with the price of about $\frac{d}{2n}$ for a right family of $d = 2$ parameters that is fitted to 1000 rows.
4. Instead of mixing one may *choose* the member with the smallest loss on $n = 100$ rows. Two members agree but for rows that occur with probability 0.01, in which $P(z = 1) = \frac12$: there the first says 0, the second $\frac12$. How likely is it that some such row was seen and none of them was positive? What is the expected log loss of the chosen member then, and by how much can the average with equal weights exceed that of the second member in any row?
"""

# %% written
r"""
### BEGIN SOLUTION
1. After $t - 1$ rows the weights are $w_k \prod_{i<t} q_{ik} / \sum_j w_j \prod_{i<t} q_{ij}$. So the probability of what happens in row $t$ is $\frac{\sum_k w_k \prod_{i \le t} q_{ik}}{\sum_k w_k \prod_{i<t} q_{ik}}$. The product over $t$ telescopes to $\sum_k w_k \prod_{i \le n} q_{ik} = \sum_k w_k e^{-L_k}$.
2. $\sum_k w_k e^{-L_k} \le \max_k e^{-L_k}$, a weighted mean, so $\hat L \ge \min_k L_k$; and it is at least each of its terms $w_k e^{-L_k}$, so $\hat L \le L_k + \log\frac1{w_k}$. Nothing was assumed: it holds for every sequence.
3. $\log(10)/1000 = 0.0023$ at most; $2/2000 = 0.001$ on average. So mixing ten given maps costs no more than about four or five parameters would, whatever the labels.
4. A row is no such positive with probability $1 - 0.005$, and no such row at all with $0.99$: $0.995^{100} - 0.99^{100} = 0.606 - 0.366 = 0.24$. Then the first has the smaller loss (it lost nothing in these rows, the second $\log 2$ in each) and is chosen; its expected loss is infinite, as a positive that got 0 will come. The average gives at least half the second's probability to everything: at most $\log 2$ more in any row.

**Rubric.** 1 point each part. Part 1 needs the telescoping product; part 2 both sides and "every sequence"; part 3 both numbers; part 4 about 0.24, "infinite" and $\log 2$.
### END SOLUTION
"""

# %% hint
r"""
Part 1: write down the probability that the mixture gives to row $t$ as a quotient of two sums.
"""

# %% question progressive, numerics, 3 points, goal 1
r"""
## A map made of a path

A mixture that is to be used as *one* map, without further learning, is best made of all its stages.
Let $w^{(t)}$ be the weights of the Bayes mixture after $t$ of the $n$ rows, from $w^{(0)} = (\frac1K, \dots, \frac1K)$ to $w^{(n)}$.
The progressive mixture gives a new row the mean of the $n + 1$ forecasts that these weights make.
`members` and `labels` are the $n$ rows, `new` has the members' probabilities for new rows, shape $(m, K)$.
Return the forecasts of the new rows.
"""


# %% answer
def progressive_mixture(labels, members, new):
    """Forecasts of the new rows by the mean of all stages."""
    ### BEGIN SOLUTION
    happened = np.where(np.asarray(labels)[:, None] == 1, members, 1 - members)
    logs = np.vstack([np.zeros(members.shape[1]), np.cumsum(np.log(happened), axis=0)])
    weights = np.exp(logs - logs.max(axis=1, keepdims=True))
    weights /= weights.sum(axis=1, keepdims=True)
    return new @ weights.mean(axis=0)
    ### END SOLUTION


# %% test
_found = progressive_mixture(np.array([1]), np.array([[0.6, 0.2]]), np.array([[1.0, 0.0]]))
np.testing.assert_allclose(_found, [(0.5 + 0.75) / 2])
### BEGIN HIDDEN TESTS
_rng = kit.rng("progressive", STUDENT)
for _n, _K in [(3, 2), (40, 4), (1000, 3)]:
    _truth = _rng.uniform(0.1, 0.9, _n)
    _P = np.clip(_truth[:, None] + _rng.normal(0, 0.15, (_n, _K)), 0.02, 0.98)
    _z, _new = kit.draw_labels(_truth, _rng), _rng.random((7, _K))
    _weights, _stages = np.full(_K, 1 / _K), []
    for _row, _label in zip(_P, _z, strict=True):
        _stages.append(_weights)
        _weights = _weights * (_row if _label else 1 - _row)
        _weights = _weights / _weights.sum()
    _expected = np.mean([_new @ w for w in [*_stages, _weights]], axis=0)
    np.testing.assert_allclose(progressive_mixture(_z, _P, _new), _expected, atol=1e-7)
### END HIDDEN TESTS

# %% hint
r"""
The mean of the forecasts is the forecast by the mean of the weights.
"""

# %% question stack, numerics, 4 points, goal 1
r"""
## Weights from held-out rows

Find the weights $v$, $v_k \ge 0$ and $\sum_k v_k = 1$, that maximise
$$F(v) = \frac1n \sum_i \log \sum_k v_k q_{ik} + \frac{\alpha}{n} \sum_k \log v_k .$$
The last term, with $\alpha > 0$, keeps every member in.
Return the weights and $F$; a value of $F$ within $10^{-5}$ of the largest is good enough.
Members may say 0 or 1, but in each row at least one gave what happened a positive probability.
"""


# %% answer
def stacking_weights(labels, members, alpha=1.0):
    """Weights, and the value of F."""
    ### BEGIN SOLUTION
    q = np.where(np.asarray(labels)[:, None] == 1, members, 1 - members)
    n, K = q.shape
    v = np.full(K, 1 / K)
    for _ in range(5000):
        share = v * q / (q @ v)[:, None]
        new = (share.sum(axis=0) + alpha) / (n + K * alpha)
        done = np.abs(new - v).max() < 1e-9
        v = new
        if done:
            break
    return v, np.mean(np.log(q @ v)) + alpha / n * np.sum(np.log(v))
    ### END SOLUTION


# %% test
_v, _F = stacking_weights(np.array([1, 1, 1, 0]), np.array([[1.0, 0.0]] * 4), alpha=1.0)
np.testing.assert_allclose(_v, [2 / 3, 1 / 3], atol=0.01)
np.testing.assert_allclose(_F, np.log(2 / 3) + 0.5 * np.log(1 / 3), atol=1e-4)
### BEGIN HIDDEN TESTS
from scipy.optimize import minimize as _minimize

_rng = kit.rng("stack", STUDENT)
for _n, _K, _alpha in [(40, 3, 1.0), (90, 4, 0.5), (60, 2, 3.0)]:
    _truth = _rng.uniform(0.05, 0.95, _n)
    _P = kit.expit(kit.logit(_truth)[:, None] * _rng.uniform(0.3, 2, _K) + _rng.normal(0, 0.7, _K))
    _z = kit.draw_labels(_truth, _rng)
    _P[:3, 0] = 1 - _z[:3]  # the first member is certain and wrong
    _q = np.where(_z[:, None] == 1, _P, 1 - _P)

    def _less(theta, q=_q, alpha=_alpha):
        _v = np.exp(theta - np.logaddexp.reduce(theta))
        return -np.mean(np.log(q @ _v)) - alpha / len(q) * np.log(_v).sum()

    _best = -_minimize(_less, np.zeros(_K), tol=1e-8).fun
    _found, _F = stacking_weights(_z, _P, alpha=_alpha)
    _found = np.asarray(_found)
    assert np.all(_found > 0) and abs(_found.sum() - 1) < 1e-6, "weights are positive, of sum 1"
    _own = np.mean(np.log(_q @ _found)) + _alpha / _n * np.log(_found).sum()
    with part(3, "the weights"):
        assert _own >= _best - 1e-5, f"F is {_own:.6f}, but {_best:.6f} can be reached"
    with part(1, "the value"):
        np.testing.assert_allclose(_F, _own, atol=1e-6)
### END HIDDEN TESTS

# %% hint
r"""
At the best weights $v_k = \frac{\sum_i v_k q_{ik} / \sum_j v_j q_{ij} + \alpha}{n + K\alpha}$. Begin with equal weights and apply the right side again and again.
"""

# %% question worth, numerics, 3 points, goal 2
r"""
## What a member is worth

An average has the weights $v$, all positive. Return

- Jensen's gain: the weighted mean of the members' mean log losses less the mean log loss of the average,
- for each member, by how much the mean log loss rises if it is left out and the other weights are divided by their sum.

Members may say 0 or 1. A member that gave what happened the probability 0 has an infinite loss, and so has an average of such members only; differences of two infinite numbers do not occur.
There are at least two members.
"""


# %% answer
def member_worth(labels, members, weights):
    """Jensen's gain, and an array with the worth of each member."""
    ### BEGIN SOLUTION
    q = np.where(np.asarray(labels)[:, None] == 1, members, 1 - members)
    with np.errstate(divide="ignore"):
        average = -np.mean(np.log(q @ weights / np.sum(weights)))
        gain = weights @ -np.mean(np.log(q), axis=0) / np.sum(weights) - average
        worth = []
        for k in range(q.shape[1]):
            v = np.delete(weights, k)
            worth.append(-np.mean(np.log(np.delete(q, k, axis=1) @ v / v.sum())) - average)
    return gain, np.array(worth)
    ### END SOLUTION


# %% test
_gain, _worth = member_worth(np.array([1]), np.array([[0.5, 1.0]]), np.array([0.5, 0.5]))
np.testing.assert_allclose(_gain, np.log(0.75) - 0.5 * np.log(0.5))
np.testing.assert_allclose(_worth, [np.log(0.75), np.log(1.5)])
### BEGIN HIDDEN TESTS
from math import inf as _inf
from math import log as _log

_rng = kit.rng("worth", STUDENT)
for _K, _certain in [(2, False), (4, False), (3, True)]:
    _P, _v = _rng.uniform(0.05, 0.95, (50, _K)), _rng.dirichlet(np.full(_K, 3.0)) * 0.9 + 0.1 / _K
    _z = _rng.integers(0, 2, 50)
    if _certain:
        _P[4, 1] = 1 - _z[4]
        _P[9, :2] = 1 - _z[9]  # the third member alone keeps the loss finite

    def _loss(members, P=_P, v=_v, z=_z):
        _total = 0.0
        for _row, _label in zip(P, z, strict=True):
            _up = sum(v[k] * (_row[k] if _label else 1 - _row[k]) for k in members)
            _total += -_log(_up / sum(v[k] for k in members)) if _up > 0 else _inf
        return _total / 50

    _all = _loss(range(_K))
    _gain, _worth = member_worth(_z, _P, _v)
    with part(1, "Jensen's gain"):
        np.testing.assert_allclose(_gain, sum(_v[k] * _loss([k]) for k in range(_K)) - _all)
    with part(2, "the worth"):
        _expected = [_loss([j for j in range(_K) if j != k]) - _all for k in range(_K)]
        np.testing.assert_allclose(_worth, _expected, atol=1e-9)
### END HIDDEN TESTS

# %% hint
r"""
Average probabilities first and take the logarithm then; `np.delete(weights, k)` leaves one out.
"""

# %% question spline, numerics, 4 points, goal 3
r"""
## A curve that stays at home

The log odds of a row with the logit $\ell$ are $\ell + g(\ell)$, where $g$ is piecewise linear between the knots $t_1 < \dots < t_m$ with the values $c_j = g(t_j)$, and constant beyond the outer knots (as `np.interp` does).
Find the $c$ that minimises
$$\sum_i \bigl[\log(1 + e^{s_i}) - z_i s_i\bigr] + \frac\lambda2 \sum_{j=2}^{m-1} (c_{j+1} - 2 c_j + c_{j-1})^2 + \frac\mu2 \sum_{j=1}^m c_j^2, \qquad s_i = \ell_i + g(\ell_i).$$
Return $c$, and the probabilities of new rows with the logits `new`.
Errors of $c$ below 0.001 are accepted.
"""


# %% answer
def home_curve(logits, labels, knots, smooth, shrink, new):
    """Values of g at the knots (lambda is smooth, mu is shrink), and the new probabilities."""
    ### BEGIN SOLUTION
    eye = np.eye(len(knots))
    B = np.array([np.interp(logits, knots, row) for row in eye]).T
    D = np.diff(eye, 2, axis=0)
    penalty = smooth * D.T @ D + shrink * eye
    c = np.zeros(len(knots))

    def loss(c):
        s = logits + B @ c
        return np.sum(np.logaddexp(0, s) - labels * s) + c @ penalty @ c / 2

    for _ in range(100):
        p = kit.expit(logits + B @ c)
        step = np.linalg.solve(
            B.T @ (B * (p * (1 - p))[:, None]) + penalty, B.T @ (labels - p) - penalty @ c
        )
        while loss(c + step) > loss(c) + 1e-9:
            step = step / 2
        c = c + step
        if np.abs(step).max() < 1e-10:
            break
    return c, kit.expit(new + np.interp(new, knots, c))
    ### END SOLUTION


# %% test
_c, _new = home_curve(np.zeros(0), np.zeros(0), np.array([-1.0, 0, 1]), 1.0, 1.0, np.zeros(2))
np.testing.assert_allclose(_c, [0, 0, 0], atol=1e-6)
np.testing.assert_allclose(_new, [0.5, 0.5], atol=1e-6)
_c, _ = home_curve(np.zeros(4), np.array([1, 1, 1, 0]), np.array([0.0]), 1.0, 1.0, np.zeros(1))
np.testing.assert_allclose(4 * (0.75 - kit.expit(_c[0])), _c[0], atol=0.01)
### BEGIN HIDDEN TESTS
_rng = kit.rng("spline", STUDENT)
for _n, _m, _smooth, _shrink in [(200, 6, 1.0, 0.5), (60, 3, 0.0, 2.0), (300, 9, 20.0, 0.1)]:
    _l = _rng.normal(0, 1.5, _n)
    _z = kit.draw_labels(kit.expit(0.5 * _l + np.sin(2 * _l)), _rng)
    _knots = np.sort(_rng.uniform(-2.5, 2.5, _m)) if _m < 9 else np.linspace(-2, 2, 9)
    _new = np.array([-9.0, -1.0, 0.3, 9.0])
    _c, _p = home_curve(_l, _z, _knots, _smooth, _shrink, _new)
    _c = np.asarray(_c, dtype=float)
    _B = np.array([np.interp(_l, _knots, row) for row in np.eye(_m)]).T
    _D = np.diff(np.eye(_m), 2, axis=0)
    _penalty, _best = _smooth * _D.T @ _D + _shrink * np.eye(_m), np.zeros(_m)
    for _ in range(30):
        _s = kit.expit(_l + _B @ _best)
        _slope = _B.T @ (_z - _s) - _penalty @ _best
        _bend = _B.T @ (_B * (_s * (1 - _s))[:, None]) + _penalty
        _best = _best + np.linalg.solve(_bend, _slope)
    assert np.abs(_slope).max() < 1e-6
    with part(3, "the curve"):
        np.testing.assert_allclose(_c, _best, atol=0.002)
    with part(1, "new rows"):
        _s = [x + np.interp(x, _knots, _c) for x in _new]
        np.testing.assert_allclose(_p, kit.expit(np.clip(_s, -99, 99)), atol=1e-6)
### END HIDDEN TESTS

# %% hint
r"""
$g(\ell_i) = \sum_j B_{ij} c_j$ with the matrix whose column $j$ is `np.interp(logits, knots, e_j)`. The rest is logistic regression with a penalty: Newton's method, or `scipy.optimize.minimize`.
"""

# %% question stays, theory, 4 points, goal 3
r"""
## Why it stays

Let $J(c)$ be the function that is minimised in the last question, with $\mu > 0$ and $\lambda \ge 0$, and $\hat c$ its minimum.

1. Show that $J$ is strictly convex, so that $\hat c$ is unique. What is $\hat c$ without rows?
2. Show that on its own rows the log loss of the curve is at most that of the score. Does the same hold on new rows?
3. Let the knots be equidistant. Which family of curves remains for $\lambda \to \infty$ with $\mu$ near 0, and which for $\mu \to \infty$? How many free parameters have they?
4. When does the map $\ell \mapsto \ell + g(\ell)$ decrease somewhere? Write the condition in $c$ and the knots. What does a decrease do to the AUC on the same rows, and what may it do to it on new ones? Name one way to prevent it.
"""

# %% written
r"""
### BEGIN SOLUTION
1. $s \mapsto \log(1 + e^s) - z s$ is convex and $s_i$ is linear in $c$ up to a constant, so the first sum is convex; the second is a sum of squares of linear functions; $\frac\mu2 |c|^2$ is strictly convex, and $J \to \infty$ as $|c| \to \infty$: one minimum. Without rows it is $c = 0$, the identity.
2. $J(\hat c) \le J(0)$, the log loss of the score, since both penalties are 0 at 0; and $J(\hat c)$ is at least the log loss of the curve. On new rows it need not hold: the curve has followed the noise of its own.
3. For $\lambda \to \infty$ the second differences vanish: $c_j = a + b t_j$, so between the outer knots the log odds are a line in $\ell$, Platt scaling on logits, two parameters. For $\mu \to \infty$ $c \to 0$, the identity, none.
4. If $c_{j+1} - c_j < -(t_{j+1} - t_j)$ for some $j$. Then rows change their order. If the fractions on these rows fall there, too, the AUC on the same rows may rise; on new ones, if the truth increases, it falls. Prevent it by the constraint $c_{j+1} - c_j \ge -(t_{j+1} - t_j)$, by a larger $\lambda$, or by an isotonic regression of the curve.

**Rubric.** 1 point each part. Part 1 needs the strict term; part 2 the comparison with $c = 0$ and "no"; part 3 both families with their numbers; part 4 the inequality and one way.
### END SOLUTION
"""

# %% question price, numerics, 3 points, goal 3
r"""
## What a parameter costs if the family is wrong

A family has the log odds $\theta \cdot u(y)$; `u` has a row of $k$ numbers for each of many values $y$, all equally likely.
`truth` is $\pi(y)$, `fitted` the best member $p^*(y)$ of the family.
With $J = \mathbb{E}[p^*(1 - p^*)\, u u^\top]$ and $K = \mathbb{E}[(z - p^*)^2\, u u^\top]$ the fit to $N$ rows loses about $A + \frac{k^*}{2N}$ against the truth, with $k^* = \operatorname{trace}(J^{-1} K)$ and $A = \mathbb{E}\bigl[\pi \log\frac{\pi}{p^*} + (1 - \pi) \log\frac{1 - \pi}{1 - p^*}\bigr]$.
The expectation in $K$ is over $y$ *and* the label, which is 1 with probability $\pi(y)$.
Return $A$, $k^*$, and the number of rows from which on this family loses less than a rival with the approximation error `other_A` and the effective parameters `other_k`: infinity if that never happens, 0 if it holds from the start.
"""


# %% answer
def price(u, truth, fitted, other_A, other_k):
    """Approximation error, effective number of parameters, and the number of rows to win."""
    ### BEGIN SOLUTION
    J = (u * (fitted * (1 - fitted))[:, None]).T @ u
    K = (u * (truth * (1 - truth) + (truth - fitted) ** 2)[:, None]).T @ u
    k = np.trace(np.linalg.solve(J, K))
    ratio = np.log(truth / fitted), np.log((1 - truth) / (1 - fitted))
    A = np.mean(truth * ratio[0] + (1 - truth) * ratio[1])
    if A >= other_A:
        return A, k, np.inf if k >= other_k else 0.0
    return A, k, max(0.0, (k - other_k) / (2 * (other_A - A)))
    ### END SOLUTION


# %% test
_u, _half = np.ones((4, 1)), np.full(4, 0.5)
np.testing.assert_allclose(price(_u, _half, _half, 0.01, 0.5), [0, 1, 25], atol=1e-9)
_found = price(_u, np.array([0.25, 0.75, 0.25, 0.75]), _half, 1.0, 3.0)
np.testing.assert_allclose(_found, [np.log(2) + 0.75 * np.log(0.75) + 0.25 * np.log(0.25), 1, 0])
### BEGIN HIDDEN TESTS
_rng = kit.rng("price", STUDENT)
for _k, _wrong, _A, _other in [(2, 0.0, 0.01, 1.0), (3, 0.5, 10.0, 1.5), (2, 0.8, 0.0, 9.0)]:
    _u = np.column_stack([np.ones(90), _rng.normal(size=(90, _k - 1))])
    _p = kit.expit(_u @ _rng.normal(0, 0.7, _k))
    _pi = kit.expit(kit.logit(_p) + _wrong * np.sin(3 * _u[:, 1]) + 0.3 * _wrong)
    _J, _K, _sum = np.zeros((_k, _k)), np.zeros((_k, _k)), 0.0
    for _row, _a, _b in zip(_u, _pi, _p, strict=True):
        _J += np.outer(_row, _row) * _b * (1 - _b) / 90
        _K += np.outer(_row, _row) * (_a * (1 - _b) ** 2 + (1 - _a) * _b**2) / 90
        _sum += (_a * np.log(_a / _b) + (1 - _a) * np.log((1 - _a) / (1 - _b))) / 90
    _found = price(_u, _pi, _p, _A, _other)
    with part(1, "the approximation error"):
        np.testing.assert_allclose(_found[0], _sum, atol=1e-9)
    with part(1, "the effective parameters"):
        _star = np.trace(np.linalg.inv(_J) @ _K)
        np.testing.assert_allclose(_found[1], _star, rtol=1e-6)
    with part(1, "the number of rows"):
        if _wrong == 0.8:  # never closer to the truth, but cheap at first
            for _than, _rows in [(_star + 1, 0), (_star - 0.5, np.inf)]:
                assert price(_u, _pi, _p, _sum / 2, _than)[2] == _rows
        else:
            _rows = max(0.0, (_star - _other) / (2 * (_A - _sum)))
            np.testing.assert_allclose(_found[2], _rows, rtol=1e-6)
            assert price(_u, _pi, _p, _A, _star + 1)[2] == 0
### END HIDDEN TESTS

# %% hint
r"""
Given $y$, $\mathbb{E}(z - p^*)^2 = \pi(1 - p^*)^2 + (1 - \pi)\,{p^*}^2$. "From the start" means: with few rows already; whether the rival overtakes later is not asked.
"""

# %% question harm, data, 4 points, goal 4
r"""
## Gain against harm

A calibrator was used on many data sets; `sets[i]` is the number of the data set of row `i`.
For each share $r$ in `shares` the probabilities $r \cdot \text{raw} + (1 - r) \cdot \text{calibrated}$ are used.
The gain of a data set is its mean log loss with `raw` less that with these probabilities.
Return three arrays with an entry for each share:

- the mean gain over the data sets (each counts once, whatever its size),
- the share of the data sets with a negative gain, below $-10^{-12}$,
- the mean loss among those that are harmed: the mean of $-\text{gain}$ over them, 0 if there are none.

Your data are drawn below: 40 small data sets, Platt scaling fitted to 30 rows of each, and new rows. The test prints what keeping a share of the scores does.
"""


# %% code
def many_sets(name, student, n_sets=40, learn=30, n=150):
    """Labels, raw and calibrated probabilities, and the number of the data set of each row."""
    from calib import PlattScaling

    rng = kit.rng(name, student)
    parts = []
    for number in range(n_sets):
        logits = rng.normal(0, 1.5, learn + n)
        labels = kit.draw_labels(kit.expit(rng.uniform(0.5, 1.3) * logits), rng)
        labels[:2] = [0, 1]
        fit = PlattScaling().fit(logits[:learn], labels[:learn])
        rows = slice(learn, learn + n - 3 * number)
        calibrated = fit.predict(logits[rows])
        parts.append([labels[rows], kit.expit(logits[rows]), calibrated, 0 * labels[rows] + number])
    return [np.concatenate(column) for column in zip(*parts, strict=True)]


labels, raw, calibrated, sets = many_sets("harm", STUDENT)


# %% answer
def gain_and_harm(labels, raw, calibrated, sets, shares):
    """Mean gain, share of data sets harmed, and their mean loss, for each share of raw."""
    ### BEGIN SOLUTION
    _, place, counts = np.unique(sets, return_inverse=True, return_counts=True)

    def loss(p):
        return np.bincount(place, -np.log(np.where(labels == 1, p, 1 - p))) / counts

    results = []
    for r in shares:
        gains = loss(raw) - loss(r * raw + (1 - r) * calibrated)
        harmed = gains < -1e-12
        results.append([gains.mean(), harmed.mean(), -gains[harmed].mean() if harmed.any() else 0])
    return tuple(np.array(results).T)
    ### END SOLUTION


# %% test
_found = gain_and_harm(
    np.array([1, 1, 1]),
    np.array([0.5, 0.5, 0.8]),
    np.array([1.0, 1.0, 0.4]),
    np.array([3, 3, 7]),
    [1.0, 0.0],
)
np.testing.assert_allclose(_found, [[0, 0], [0, 0.5], [0, np.log(2)]], atol=1e-9)
_shares = np.array([0, 0.25, 0.5, 0.75, 0.9])
for _r, *_row in zip(_shares, *gain_and_harm(labels, raw, calibrated, sets, _shares), strict=True):
    print("keep {:.2f}: gain {:+.4f}, harmed {:.0%}, by {:.4f}".format(_r, *_row))
### BEGIN HIDDEN TESTS
_rng = kit.rng("harm again", STUDENT)
for _S, _bad in [(5, False), (8, True)]:
    _sets = _rng.permutation(np.repeat(np.arange(_S) * 3 - 4, _rng.integers(3, 30, _S)))
    _n = len(_sets)
    _truth = _rng.uniform(0.1, 0.9, _n)
    _z = kit.draw_labels(_truth, _rng)
    _raw = np.clip(_truth + _rng.normal(0, 0.2, _n), 0.03, 0.97)
    _cal = (
        np.clip(_truth + _rng.normal(0, 0.2, _n), 0.03, 0.97)
        if _bad
        else np.where(_z == 1, np.sqrt(_raw), 1 - np.sqrt(1 - _raw))
    )
    _shares = [0.0, 0.3, 0.95]
    _found = gain_and_harm(_z, _raw, _cal, _sets, _shares)
    for _at, _r in enumerate(_shares):
        _gains = []
        for _s in set(_sets.tolist()):
            _rows = np.flatnonzero(_sets == _s)
            _new = _r * _raw + (1 - _r) * _cal
            _q = [(_raw[i], _new[i]) if _z[i] else (1 - _raw[i], 1 - _new[i]) for i in _rows]
            _gains.append(sum(np.log(b / a) for a, b in _q) / len(_rows))
        _lost = [-g for g in _gains if g < -1e-12]
        for _points, _name, _k, _expected in [
            (2, "mean gain", 0, np.mean(_gains)),
            (1, "share harmed", 1, len(_lost) / _S),
            (1, "mean loss", 2, np.mean(_lost) if _lost else 0),
        ]:
            with part(_points, _name):
                np.testing.assert_allclose(_found[_k][_at], _expected, atol=1e-9)
### END HIDDEN TESTS

# %% hint
r"""
`np.bincount(place, values)` adds up values by data set; divide by the number of rows before you average over data sets.
"""

# %% question claim, reading, 4 points, goal 4
r"""
## Better in 13 of 15 cases

A report tries an average of ten calibrators on five data sets with three base models each, 400 test rows. The gains in log loss over the raw probabilities, in thousandths:

| data set | tree | forest | boosting |
|---|--:|--:|--:|
| A | 412 | 6 | 3 |
| B | 198 | 4 | −2 |
| C | 35 | 5 | 1 |
| D | 12 | 2 | 1 |
| E | 9 | 3 | −4 |

"The average helps in 13 of 15 cases, and by 0.046 on average (p = 0.004, sign test). It is safe to use it always."

1. Compute the mean and the median gain, and the mean for each base model. Which sentence describes the table better than "by 0.046 on average"?
2. Where does 0.004 come from, and why is it not a valid p value? What does a sign test say that takes the data sets as the units?
3. For boosting the loss differences of single rows have a standard deviation of 0.05. Which of the five gains are clearly different from 0? What follows for "safe", and for "harms in 2 of 15"?
4. Log losses were clipped at $10^{-15}$. In A the tree gives the probability 0 to what happened in four rows. How much of the 412 do these four rows make, at most, and how much with a clip at $10^{-6}$? Name two things that the report should show beside such a gain.
"""

# %% written
r"""
### BEGIN SOLUTION
1. Mean $685/15 = 45.7$, median 4; tree 133, forest 4, boosting −0.2. "It helps single trees much, forests a little, boosting not at all": the mean is made by two cells.
2. $P(\operatorname{Bin}(15, \frac12) \ge 13) = (105 + 15 + 1)/2^{15} = 0.0037$. The three cases of a data set share its rows and its difficulty, so they are not 15 independent trials. Five data sets, all with a positive mean: $1/32 = 0.03$ one-sided, 0.06 two-sided.
3. The standard error is $0.05/\sqrt{400} = 0.0025$: 3, −2, 1, 1 and −4 thousandths are all within two of them. For boosting neither gain nor harm is shown; "safe" would need an upper limit of the harm, and the harm could be several thousandths. "Harms in 2 of 15" is as little shown.
4. Four rows of 400 with a loss of $15 \log 10 = 34.5$ instead of one near 0: $4 \cdot 34.5/400 = 0.345$, so up to 345 of 412; with $10^{-6}$, 13.8 each: 138. The number is the clip's. It should show how many losses are infinite, a bounded score such as Brier's, and the gain over a simple calibrator (Platt scaling, say) instead of over raw probabilities; intervals by data set.

**Rubric.** 1 point each part. Part 1 needs median and means by model; part 2 "not independent" and the test with five; part 3 the standard error and both conclusions; part 4 both numbers and two additions.
### END SOLUTION
"""

# %% question break_it, break it, 3 points, goal 5
r"""
## Break it: calibrated members, a miscalibrated average

Find labels and the predictions of two members, for at least 100 cases, so that each member is exactly calibrated: among the cases with one and the same prediction of the member the fraction of positives is this prediction (to $10^{-9}$), and each prediction occurs ten times or more.
Their average with equal weights shall be far from calibrated: over the distinct values $v$ of the average (rounded to nine digits), with shares $P(v)$ and fractions $o_v$, $\sum_v P(v)\,\lvert o_v - v\rvert \ge 0.1$.
Each value of the average shall occur ten times or more, too.
"""


# %% answer
def miscalibrated_average():
    """Labels, predictions of the first member, predictions of the second."""
    ### BEGIN SOLUTION
    positives = [
        2,
        20,
        20,
        38,
    ]  # of 40 cases, for (low, low), (low, high), (high, low), (high, high)
    labels = np.concatenate([np.arange(40) < m for m in positives]).astype(int)
    first, second = np.repeat([0, 0, 1, 1], 40), np.repeat([0, 1, 0, 1], 40)
    fractions = np.array([22 / 80, 58 / 80])
    return labels, fractions[first], fractions[second]
    ### END SOLUTION


# %% test
_z, _one, _two = (np.asarray(a) for a in miscalibrated_average())
assert _z.shape == _one.shape == _two.shape and len(_z) >= 100, "at least 100 cases"
assert set(np.unique(_z)) <= {0, 1}, "labels are 0 or 1"


### BEGIN HIDDEN TESTS
def _gaps(p):
    _values, _place, _counts = np.unique(np.round(p, 9), return_inverse=True, return_counts=True)
    assert _counts.min() >= 10, "a prediction occurs fewer than ten times"
    return _counts / len(p), np.abs(np.bincount(_place, _z) / _counts - _values)


for _p in [_one, _two]:
    assert np.all(_gaps(_p)[1] < 2e-9), "a member is not calibrated"
_share, _gap = _gaps((_one + _two) / 2)
assert _share @ _gap >= 0.1 - 1e-9, f"the average is off by {_share @ _gap:.3f}"
### END HIDDEN TESTS

# %% hint
r"""
Let each member know something that the other one does not. Where both say "high", what is the truth?
"""
