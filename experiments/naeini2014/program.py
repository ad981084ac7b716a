"""The rings with the quadratic machine of the program that the authors published.

The papers state no constant of their quadratic SVM. The program ``BBQ/test.m`` in the repository
github.com/pakdaman/calibration trains MATLAB's machine: the columns are standardised, the box
constraint is 1, and the kernel is d (1 + d) of inner products d. These constants are from their
code, so this machine is our first reading of Tables 1(b) and 2(b) of 2014 and I(b) of 2016.

The quadratic machine of `experiments.naeini2014.protocol` has C = 0.0075, which the printed raw row
of Table 1(b) chose. It is a fit, and explains nothing.
"""

from functools import partial

from scipy.special import expit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from calib import BBQ, ENIR
from experiments.authors_points import quadratic
from experiments.contents import Cause
from experiments.naeini2014.protocol import (
    N_RUNS,
    SIZES,
    measured,
    methods,
    rings_sample,
    run_calibration_size,
)
from experiments.naeini2014.protocol import SEED as SEED_OF_THE_RINGS
from experiments.naeini2014.variants import (
    BINS_AT,
    N_SIZE_RUNS,
    PENALTY,
    run_raw_variant,
    run_size_variant,
    small_slope,
)
from experiments.recording import Experiment, grid

ONE_TABLE = 0  # in the place of a size: Table 1(b), or the raw row where classes are at random
MACHINE = make_pipeline(StandardScaler(), SVC(C=1.0, kernel=quadratic, tol=1e-10))
GROUPINGS = {
    "group": {"ties": "group"},
    "label": {"ties": "label"},
    "width": {"strategy": "uniform"},
}
DIGITS = 9  # of the predictions of BBQ and ENIR, as in naeini2016_rings
SLOPES = {
    "one Newton step": {"n_steps": 1, "penalty": 0.0},
    "penalised slope": {"n_steps": 30, "penalty": PENALTY},
}


def run_program(case):
    """One run of Table 1(b) or of a size of Table 2(b), with exact halves or random classes."""
    if case["classes"] == "random":
        return _at_random(case)
    if case["size"] == ONE_TABLE:
        return _one_table(case["run"])
    rows = run_calibration_size({**case, "svm": "quadratic"}, template=MACHINE)
    return [{"method": row.pop("n_bins"), **row} for row in rows]


def _one_table(run):
    """The methods of both papers, and two other fits of Platt's slope."""
    margins, labels, test_margins, test_labels = rings_sample("quadratic", run, template=MACHINE)
    scores, test_scores = expit(margins), expit(test_margins)
    predictions = {"Raw": test_scores}
    for name, calibrator in methods().items():
        predictions[name] = calibrator.fit(scores, labels).predict(test_scores)
    for name, calibrator in {"BBQ": BBQ(), "ENIR": ENIR()}.items():
        predictions[name] = calibrator.fit(scores, labels).predict(test_scores).round(DIGITS)
    for name, how in SLOPES.items():
        _, predictions[name] = small_slope("quadratic", run, template=MACHINE, **how)
    return measured(test_labels, predictions, partitions=GROUPINGS)


def _at_random(case):
    """Binning of a size, or the raw row on as many test points as Table 2 has."""
    if case["size"] != ONE_TABLE:
        return [{"method": "binned", **row} for row in run_size_variant(case, template=MACHINE)]
    rows = run_raw_variant(case, template=MACHINE)
    return [{"method": f"raw, {row.pop('test_points')} points", **row} for row in rows]


PROGRAM = Experiment(
    name="naeini2014_rings_program",
    title="Tables 1(b) and 2(b) of Naeini, Cooper and Hauskrecht (2014) with their program's SVM",
    seed=SEED_OF_THE_RINGS,
    cases=lambda: (
        grid(size=[ONE_TABLE, *SIZES], classes=["halves"], run=range(N_RUNS))
        + grid(size=[ONE_TABLE, *BINS_AT], classes=["random"], run=range(N_SIZE_RUNS))
    ),
    run_case=run_program,
    deviations=(
        "The quadratic SVM is that of BBQ/test.m in github.com/pakdaman/calibration: standardised "
        "columns, C = 1 and the kernel d (1 + d) of inner products d.",
        "Points are those of naeini2014_rings and naeini2014_calibration_size, with random classes "
        "those of naeini2014_size_variants and naeini2014_raw_variants.",
        "Size 0 is Table 1(b), and with random classes the raw row.",
    ),
)


def _not_raw(place):
    """All but the raw row of Table 1(b) of 2014, which chose C."""
    return place[:2] != ("table1b", "SVM")


FITTED_C = partial(
    Cause,
    name="quadratic-penalty-0.0075",
    title="C = 0.0075 of the quadratic SVM and the kernel (1 + d)², not C = 1 of the authors' "
    "program",
    changes={"fitted": True},
    setting="quadratic SVM",
    chapter="rings_cell_by_cell",
    after="ties-by-label",
    tuned="C: the nearest of seven to the printed raw row of Table 1(b) of 2014",
    unused=_not_raw,
)
