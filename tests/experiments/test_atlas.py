"""The atlas of tests: what is recorded keeps the promised levels, and comes out again."""

import numpy as np
import pytest

from calib.kernels.ties import ties
from calibkit.inference import hosmer_lemeshow_test, kuiper_test, spiegelhalter_test
from experiments import atlas, atlas_designs
from experiments.recording import recorded

ROWS = recorded("atlas")
CALIBRATED = ROWS["truth"] == "calibrated"


def test_no_shipped_test_rejects_more_than_six_in_a_hundred_and_few_less_than_four():
    exact = ROWS["law_of_statistic"] == "draws"
    shipped = (ROWS["law_of_statistic"] == "shipped") | exact & ~np.isin(
        ROWS["statistic"], ["kuiper", "spiegelhalter", "hosmer_lemeshow"]
    )
    here = CALIBRATED & shipped
    assert here.sum() == 28 * len(atlas.STATISTICS) and np.all(ROWS["files"][here] == 10_000)
    assert ROWS["at_5"][here].max() <= 0.06 and ROWS["at_1"][here].max() <= 0.015
    # a level below 4 % is that of exact draws: the statistic has too few values
    low = here & (ROWS["at_5"] < 0.04)
    cells = {tuple(row) for row in _cells(low)}
    assert cells <= {tuple(row) for row in _cells(CALIBRATED & exact & (ROWS["at_5"] < 0.04))}


def _cells(where):
    return zip(*(ROWS[key][where] for key in ("law", "n", "statistic")), strict=True)


def test_the_laws_for_large_samples_do_not():
    large = CALIBRATED & (ROWS["law_of_statistic"] == "large samples")
    for name, lowest, highest in (("kuiper", 0.03, 0.06), ("hosmer_lemeshow", 0.0, 0.1)):
        found = ROWS["at_5"][large & (ROWS["statistic"] == name)]
        assert found.max() > highest and (not lowest or found.min() < lowest)


def test_a_slice_comes_out_again():
    case = {"law": "3 values", "n": 20}
    here = (ROWS["law"] == case["law"]) & (ROWS["n"] == case["n"])
    for k, row in zip(np.flatnonzero(here), atlas.run_case(case), strict=True):
        assert all(str(ROWS[key][k]) == str(row[key]) for key in ("truth", "statistic"))
        assert [ROWS[key][k] for key in ("at_5", "at_1")] == pytest.approx(
            [row["at_5"], row["at_1"]], abs=1e-6
        )


@pytest.mark.parametrize("law", ["uniform", "3 values", "Beta(1, 99)"])
def test_the_atlas_judges_as_the_tests_do(law):
    """Its laws for large samples, and which law is shipped."""
    rng = np.random.default_rng(0)
    p = atlas.LAWS[law](rng, 1000)
    labels = rng.random(1000) < np.clip(1.15 * p, 0, 1)
    tied = ties(p, labels)
    large = atlas._large_samples(tied)
    tests = {
        "kuiper": kuiper_test,
        "spiegelhalter": spiegelhalter_test,
        "hosmer_lemeshow": hosmer_lemeshow_test,
    }
    for name, test in tests.items():
        value = atlas.statistic_of(name, tied, 10, "quantile")(tied.positives[np.newaxis])
        law_of, serves = large[name]
        asymptotic = test(labels, p, null="asymptotic").p_value
        for level in atlas.LEVELS:
            assert (law_of(value)[0] <= level) == (asymptotic <= level)
        drawn = test(labels, p, null="draws").p_value
        assert test(labels, p).p_value == (asymptotic if serves else drawn)


DESIGNS = recorded("atlas_designs")


def test_no_test_of_a_design_rejects_more_than_six_in_a_hundred():
    """But for the error of so many files."""
    here = DESIGNS["truth"] == "calibrated"
    files, share = DESIGNS["files"][here], DESIGNS["at_5"][here]
    assert here.sum() > 20
    assert np.all(share <= 0.06 + 2 * np.sqrt(0.06 * 0.94 / files))
    assert np.average(share, weights=files) < 0.05


def test_a_design_comes_out_again():
    case = atlas_designs.case_of("3 classes", "Dirichlet", 20)
    assert case in atlas_designs.cases()
    rows = [dict(zip(DESIGNS, row, strict=True)) for row in zip(*DESIGNS.values(), strict=True)]
    rng = np.random.default_rng([atlas_designs.SEED, atlas_designs.crc32(repr(case).encode())])
    found = [atlas_designs.judged(case, "calibrated", rng) for _ in range(200)]
    kept = [r for r in rows if r["design"] == case["design"] and r["n"] == 20]
    level = next(r["at_5"] for r in kept if r["truth"] == "calibrated")
    share = np.mean([p_value <= 0.05 for one in found for p_value in one.values()])
    assert share == pytest.approx(level, abs=4 * np.sqrt(0.05 * 0.95 / 200))
