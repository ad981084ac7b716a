"""Is a risk of diabetes progression calibrated for women and men? What 442 patients can tell."""

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit, logit
from sklearn.datasets import load_diabetes
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from calib.metrics import expected_calibration_error

GROUPS, DRAWS = 5, 500
ENDS = [0.025, 0.975]


def audited():
    """Predictions by ten folds, labels (progression above 140), and the group of each patient.

    The data set codes sex as 1 and 2 and its description does not say which is which.
    """
    X, progression = load_diabetes(return_X_y=True, scaled=False)
    labels, sex = (progression > 140).astype(int), X[:, 1].astype(int)
    model = make_pipeline(StandardScaler(), LogisticRegression())
    folds = StratifiedKFold(10, shuffle=True, random_state=0)
    return cross_val_predict(model, X, labels, cv=folds, method="predict_proba")[:, 1], labels, sex


def ece(labels, p):
    """ECE over five groups of equal size."""
    return expected_calibration_error(labels, p, n_bins=GROUPS)


def null(p, rng):
    """ECE of labels drawn from the predictions: what a calibrated score would show."""
    return np.array([ece(rng.random(p.size) < p, p) for _ in range(DRAWS)])


def recalibration(labels, p):
    """Intercept and slope of the labels regressed on the logits: 0 and 1 if these are right."""
    y = logit(p)

    def loss(ab):
        return np.sum(np.logaddexp(0, ab[0] + ab[1] * y) - labels * (ab[0] + ab[1] * y))

    return minimize(loss, [0, 1]).x


def bootstrap(statistic, arrays, rng, draws=200):
    """Values of a statistic when patients are drawn again."""
    n = arrays[0].size
    return np.array([statistic(*(a[i] for a in arrays)) for i in rng.integers(0, n, (draws, n))])


def power(p, shift, rng):
    """Share of samples in which the test at 5 % sees that all logits are off by `shift`."""
    limit = np.quantile(null(p, rng), 0.95)
    true = expit(logit(p) + shift)
    return np.mean([ece(rng.random(p.size) < true, p) > limit for _ in range(DRAWS)])


def rates(labels, p):
    """True and false positive rate at the threshold one half."""
    called = p >= 0.5
    return called[labels == 1].mean(), called[labels == 0].mean()


def numbers():
    """Everything that the report says."""
    rng = np.random.default_rng(11)
    p, labels, sex = audited()
    found, slopes = {"patients": labels.size}, []
    for name, group in [("one", sex == 1), ("two", sex == 2)]:
        q, z = p[group], labels[group]
        chance = null(q, rng)
        drawn = bootstrap(recalibration, (z, q), rng)
        (low_a, low_b), (high_a, high_b) = np.quantile(drawn, ENDS, axis=0)
        a, b = recalibration(z, q)
        slopes.append((b, drawn[:, 1]))
        hit, false = rates(z, q)
        (low_hit, low_false), (high_hit, high_false) = np.quantile(
            bootstrap(rates, (z, q), rng), ENDS, axis=0
        )
        found |= {
            f"{name}_n": z.size,
            f"{name}_rate": f"{z.mean():.2f}",
            f"{name}_mean": f"{q.mean():.2f}",
            f"{name}_ece": f"{ece(z, q):.3f}",
            f"{name}_null": f"{chance.mean():.3f}",
            f"{name}_p": f"{(1 + np.sum(chance >= ece(z, q))) / (1 + DRAWS):.2f}",
            f"{name}_intercept": f"{a:+.2f} [{low_a:+.2f}, {high_a:+.2f}]",
            f"{name}_slope": f"{b:.2f} [{low_b:.2f}, {high_b:.2f}]",
            f"{name}_tpr": f"{hit:.2f} [{low_hit:.2f}, {high_hit:.2f}]",
            f"{name}_fpr": f"{false:.2f} [{low_false:.2f}, {high_false:.2f}]",
            f"{name}_power_small": f"{power(q, 0.3, rng):.0%}",
            f"{name}_power_large": f"{power(q, 0.8, rng):.0%}",
        }
    (b_one, drawn_one), (b_two, drawn_two) = slopes
    low, high = np.quantile(drawn_two - drawn_one, ENDS)
    assert low > 0  # the report says so
    return found | {"slopes": f"{b_two - b_one:.2f} [{low:.2f}, {high:.2f}]"}
