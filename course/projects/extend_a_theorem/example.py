"""The error of a perfect forecaster when cases have weights: the bound beside simulated means."""

import numpy as np

from calib.metrics import expected_calibration_error

GROUPS, CASES, DRAWS = 10, 1000, 400
WEIGHTS = {
    "equal": lambda rng: np.ones(CASES),
    "uniform": lambda rng: rng.uniform(0, 1, CASES),
    "exponential": lambda rng: rng.exponential(1, CASES),
    "heavy": lambda rng: rng.pareto(1.5, CASES) + 1,
}


def effective_size(weights):
    """The size of the sample that Kish gives to weights."""
    return weights.sum() ** 2 / np.sum(weights**2)


def ece(labels, predictions, weights):
    """ECE over groups of equal width, cases counted by weight."""
    return expected_calibration_error(
        labels, predictions, n_bins=GROUPS, strategy="uniform", sample_weight=weights
    )


def numbers():
    """Effective sizes, bounds, and means of the ECE with their standard errors."""
    found = {}
    for seed, (name, draw) in enumerate(WEIGHTS.items()):
        rng = np.random.default_rng([7, seed])
        weights, p = draw(rng), rng.uniform(0, 1, CASES)
        errors = [ece(rng.random(CASES) < p, p, weights) for _ in range(DRAWS)]
        bound = 0.5 * np.sqrt(GROUPS / effective_size(weights))
        assert np.mean(errors) + 3 * np.std(errors) / np.sqrt(DRAWS) < bound
        found |= {
            f"{name}_size": f"{effective_size(weights):.0f}",
            f"{name}_bound": f"{bound:.4f}",
            f"{name}_mean": f"{np.mean(errors):.4f}",
            f"{name}_error": f"{np.std(errors, ddof=1) / np.sqrt(DRAWS):.4f}",
        }
    return found | {
        "naive": f"{0.5 * np.sqrt(GROUPS / CASES):.4f}",
        "cases": CASES,
        "groups": GROUPS,
        "draws": DRAWS,
    }
