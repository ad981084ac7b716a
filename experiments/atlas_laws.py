"""The laws of predictions and the truths of the atlas of tests."""

import numpy as np
from scipy.special import expit, logit

LAWS = {
    "uniform": lambda rng, n: rng.random(n),
    "Beta(0.5, 10)": lambda rng, n: rng.beta(0.5, 10, n),
    "Beta(1, 99)": lambda rng, n: rng.beta(1, 99, n),
    "logit N(-6, 2)": lambda rng, n: expit(rng.normal(-6, 2, n)),
    "logit N(0, 2)": lambda rng, n: expit(rng.normal(0, 2, n)),
    "3 values": lambda rng, n: rng.choice([0.2, 0.5, 0.8], n),
    "20 values": lambda rng, n: (1 + rng.binomial(19, rng.beta(1, 2, n))) / 21,
}
TRUTHS = {
    "calibrated": lambda p: p,
    "too extreme": lambda p: expit(0.7 * logit(p)),
    "tail": lambda p: np.where(p > 0.8, p - 0.25, p),
    "wave": lambda p: expit(logit(p) + 0.5 * np.sin(6 * np.pi * p)),
    "bias": lambda p: expit(logit(p) + 0.3),
}
