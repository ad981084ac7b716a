"""How often the tests reject that take clusters, sampling weights, groups, time or many classes.

Each file is judged by the tests as a user calls them, but with fewer draws; a file that a test
refuses is not judged.
"""

from zlib import crc32

import numpy as np
from scipy.special import softmax
from scipy.stats import norm

from calibkit import inference
from calibkit.inference.cluster_tests import cluster_scan
from calibkit.multiclass import canonical_calibration_test
from experiments.atlas_laws import LAWS, TRUTHS
from experiments.recording import Experiment

SEED = 25
FILES, POWER_FILES, DRAWS, LEVELS = 2000, 200, 99, (0.05, 0.01)
DEPENDENCE = 0.5  # of the normal numbers behind outcomes of a cluster, and behind its predictions
RARE = ("Beta(0.5, 10)",)
SEEN = ("calibrated", "too extreme", "bias")


def case_of(design, law, n):
    """A case of the experiment."""
    return {"design": design, "law": law, "n": n}


def equal_clusters(size):
    """Sizes of clusters that are all the same."""
    return lambda rng, n: np.full(n // size, size)


def unequal_clusters(rng, n):
    """Sizes of clusters from 1 on, of which some are ten times as large as others."""
    sizes = 1 + np.rint(np.exp(rng.normal(1, 0.8, n))).astype(int)
    return sizes[: np.searchsorted(np.cumsum(sizes), n)]


CLUSTERS = {
    "clusters of 4": equal_clusters(4),
    "clusters of 20": equal_clusters(20),
    "unequal clusters": unequal_clusters,
}
KEPT = {  # probability to be in the sample; its inverse is the weight
    "sampled by outcome": lambda rng, z: np.where(z, 1, 0.25),
    "sampled by a feature": lambda rng, z: rng.choice([0.2, 1], z.size),
    "sampled by both": lambda rng, z: np.where(z, 1, 0.25) * rng.choice([0.4, 1], z.size),
}
CLASSES = {
    "3 classes": lambda rng, n: rng.dirichlet(np.ones(3), n),
    "10 classes, sure": lambda rng, n: rng.dirichlet(np.full(10, 0.2), n),
    "10 classes, rare": lambda rng, n: rng.dirichlet(2.0 ** -np.arange(10), n),
}


def of_clusters(rng, sizes, law, chance):
    """P values of one file of patients."""
    clusters = np.repeat(np.arange(sizes.size), sizes)

    def alike():
        shared, own = rng.standard_normal(sizes.size), rng.standard_normal(clusters.size)
        return norm.cdf(np.sqrt(DEPENDENCE) * shared[clusters] + np.sqrt(1 - DEPENDENCE) * own)

    p = np.sort(LAWS[law](rng, clusters.size))[np.argsort(np.argsort(alike()))]
    labels = (alike() < chance(p)).astype(np.uint8)
    try:
        three = inference.cluster_tests(labels, p, clusters, n_resamples=DRAWS, random_state=rng)
    except ValueError:  # too few clusters
        return {}
    found = {f"clusters, {name}": getattr(three, name).p_value for name in three._fields[:3]}
    columns = labels, p, clusters, np.zeros(p.size, np.int64), np.ones(p.size)
    scan = cluster_scan(*columns, n_resamples=DRAWS, random_state=rng)
    return found | ({"clusters, scan": min(scan.values())} if scan else {})


def of_sample(rng, kept, law, n, chance):
    """P values of a sample from n rows."""
    p = LAWS[law](rng, n)
    labels = rng.random(n) < chance(p)
    shares = kept(rng, labels)
    here = rng.random(n) < shares
    labels, p, weights = labels[here], p[here], 1 / shares[here]
    if not labels.any() or labels.all():  # refused
        return {}
    draws = {"n_resamples": DRAWS, "random_state": rng}
    tests = {"kuiper": inference.kuiper_test, "spiegelhalter": inference.spiegelhalter_test}
    return {
        f"sampling, {name}": test(labels, p, sampling_weight=weights, **draws).p_value
        for name, test in tests.items()
    }


def of_classes(rng, law, n, truth):
    """P value of one file with several classes."""
    p = law(rng, n)
    logits = np.log(p + 1e-12)
    changed = {"calibrated": logits, "too extreme": 0.7 * logits, "bias": logits + 0.3 * (p < 0.5)}
    ends = np.cumsum(softmax(changed[truth], axis=1), axis=1)
    labels = (rng.random((n, 1)) >= ends[:, :-1]).sum(axis=1)
    test = canonical_calibration_test(labels, p, n_resamples=DRAWS, random_state=rng)
    return {"classes, kernel": test.p_value}


def of_rows(rng, law, n, chance):
    """P values of one file for tests of groups, of counts and of a change along the rows."""
    p = LAWS[law](rng, n)
    labels, groups = rng.random(n) < chance(p), rng.integers(0, 5, n)
    by_group = inference.calibration_by_group(labels, p, groups)
    both = inference.calibration_test(
        *(labels, p), statistic=["kuiper", "scan"], n_resamples=DRAWS, random_state=rng
    )
    return {
        "groups, kuiper": min(group.p_value for group in by_group.values()),
        "kuiper and scan": min(test.adjusted for test in both.values()),
        "time, residuals": inference.change_test(labels - p).p_value,
    }


def judged(case, truth, rng):
    """P values of one file, by test."""
    design, law, n, chance = case["design"], case["law"], case["n"], TRUTHS[truth]
    if design in CLUSTERS:
        return of_clusters(rng, CLUSTERS[design](rng, n), law, chance)
    if design in KEPT:
        return of_sample(rng, KEPT[design], law, n, chance)
    if design in CLASSES:
        return of_classes(rng, CLASSES[design], n, truth)
    return of_rows(rng, law, n, chance)


def cases():
    """Designs with the laws of predictions and the sizes that go with them."""
    clusters = [
        case_of(design, law, 2400 if law in RARE else 600)
        for design in CLUSTERS
        for law in ("uniform", "Beta(0.5, 10)", "logit N(0, 2)", "3 values")
    ]
    samples = [case_of(design, law, n) for n in (20, 200) for design in KEPT for law in LAWS]
    classes = [case_of(design, "Dirichlet", n) for design in CLASSES for n in (20, 60)]
    rows = [case_of("rows", law, n) for n in (20, 200) for law in LAWS]
    return [*classes, *samples, *rows, *clusters]


def run_case(case):
    """Shares of files that each test rejects, for one design, law and size."""
    rng, rows = np.random.default_rng([SEED, crc32(repr(case).encode())]), []
    for truth in SEEN:
        found = {}
        for _ in range(FILES if truth == "calibrated" else POWER_FILES):
            for test, p_value in judged(case, truth, rng).items():
                found.setdefault(test, []).append(p_value)
        for test, p_values in found.items():
            shares = [np.mean(np.array(p_values) <= level) for level in LEVELS]
            row = {"truth": truth, "test": test, "files": len(p_values)}
            rows.append(row | dict(zip(("at_5", "at_1"), shares, strict=True)))
    return rows


DESIGNS = Experiment(
    name="atlas_designs",
    title="Level and power of tests for clusters, samples, groups, time and several classes",
    seed=SEED,
    cases=cases,
    run_case=run_case,
)
