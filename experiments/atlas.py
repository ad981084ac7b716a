"""How often each test of calibration rejects: statistics x laws of predictions x sizes x truths.

Of 50 samples of predictions each, 999 draws of outcomes give the law of every statistic, and 200
files are judged by it; a test with 999 draws of its own for each file rejects as many on average.
"""

import numpy as np
from scipy.special import chdtrc, ndtri

from calib.kernels.ties import ties
from calibkit.inference.kuiper import brownian_range_quantile
from calibkit.inference.resampling_tests import STATISTIC_ROUNDING, draws_of
from calibkit.inference.significance import OVERSHOOT, are_rare, has_few_steps, is_skewed
from calibkit.inference.statistics import starts_of_bins, statistic_of
from experiments.atlas_designs import DESIGNS
from experiments.atlas_laws import LAWS, TRUTHS
from experiments.contents import Paper, Study
from experiments.recording import Experiment, grid

SEED = 23
SAMPLES, FILES, POWER_FILES, DRAWS = 50, 200, 40, 999
LEVELS = (0.05, 0.01)
STATISTICS = [
    *["kuiper", "spiegelhalter", "hosmer_lemeshow"],
    *["scan", "bias", "slope", "ece", "miscalibration"],
]


def run_case(case):
    """Shares of files that are rejected, for one law and size."""
    rng = np.random.default_rng([SEED, list(LAWS).index(case["law"]), case["n"]])
    rejected = {}
    for _ in range(SAMPLES):
        p = LAWS[case["law"]](rng, case["n"])
        tied = ties(p, np.zeros(p.size))
        measures = {name: statistic_of(name, tied, 10, "quantile") for name in STATISTICS}
        laws = {name: np.sort(values) for name, values in _values(measures, tied, DRAWS, rng)}
        large = _large_samples(tied)
        for truth, chance in TRUTHS.items():
            size = FILES if truth == "calibrated" else POWER_FILES
            files = tied._replace(scores=chance(tied.scores))
            for name, found in _values(measures, files, size, rng):
                below = np.searchsorted(
                    laws[name], found - STATISTIC_ROUNDING * (1 + np.abs(found))
                )
                p_values = {"draws": (1 + DRAWS - below) / (1 + DRAWS)}
                if name in large:
                    law, serves = large[name]
                    p_values["large samples"] = law(found)
                    p_values["shipped"] = p_values["large samples" if serves else "draws"]
                for null, values in p_values.items():
                    shares = [np.mean(values <= level) for level in LEVELS]
                    rejected.setdefault((truth, name, null), []).append(shares)
    return [
        {
            "truth": truth,
            "statistic": name,
            "law_of_statistic": null,
            "files": len(shares) * (FILES if truth == "calibrated" else POWER_FILES),
            "at_5": np.mean(shares, axis=0)[0],
            "at_1": np.mean(shares, axis=0)[1],
        }
        for (truth, name, null), shares in rejected.items()
    ]


def _values(measures, ties, n_draws, rng):
    """Each statistic of so many draws of outcomes with the probabilities of `ties`."""
    blocks = [
        {name: measure(hits) for name, measure in measures.items()}
        for hits in draws_of(ties, n_draws, rng)
    ]
    return [(name, np.concatenate([block[name] for block in blocks])) for name in measures]


def _large_samples(ties):
    """Of the shipped tests: p value at the two levels by asymptotic law, and whether it serves."""
    total, variances = ties.weights.sum(), ties.weights * ties.scores * (1 - ties.scores)
    starts = starts_of_bins(ties, 10, "quantile")
    expected, counts = (
        np.add.reduceat(column, starts) for column in (ties.weights * ties.scores, ties.weights)
    )
    deviation = np.sqrt(variances.sum())

    def kuiper(errors):
        found = errors * total / deviation + 2 * OVERSHOOT / np.sqrt(total)
        return _by_limits(found, [brownian_range_quantile(1 - level) for level in LEVELS])

    def spiegelhalter(found):
        return _by_limits(found, [ndtri(1 - level / 2) for level in LEVELS])

    return {
        "kuiper": (kuiper, not has_few_steps(variances, total)),
        "spiegelhalter": (spiegelhalter, not is_skewed(ties.scores, variances)),
        "hosmer_lemeshow": (lambda x: chdtrc(starts.size, x), not are_rare(expected, counts)),
    }


def _by_limits(found, limits):
    """A p value at one of the levels, or 1, by the limits of the levels."""
    return np.select([found >= limits[1], found >= limits[0]], [LEVELS[1], LEVELS[0]], 1.0)


ATLAS = Experiment(
    name="atlas",
    title="Level and power of the tests of calibration",
    seed=SEED,
    cases=lambda: grid(law=LAWS, n=[20, 200, 1000, 5000]),
    run_case=run_case,
)
PAPER = Paper(
    name="atlas",
    citation="The tests of this book",
    short="",
    studies=(
        Study("levels", ATLAS.title, "C01_measuring_without_bins", (ATLAS.name,)),
        Study("designs", DESIGNS.title, "C01_measuring_without_bins", (DESIGNS.name,)),
    ),
    experiments=(ATLAS, DESIGNS),
)
