"""Other tests of calibration on the same files: whether they call the scores miscalibrated.

They are asked at the level of 5 %, and of probability scores alone: files that the verdict refuses
to judge (training rows, leaks, copies, no probabilities), weights and drifts are left out. Groups
and clusters are named to our verdict; the others have no place for them.
"""

import importlib
import warnings

import numpy as np

from calib.metrics import corp_curve
from calibkit.inference import confidence_band, consistency_band
from experiments.benchmark.peers import check_installed
from experiments.recording import Experiment
from experiments.verdicts import rubric
from experiments.verdicts.study import SEED, drawn, looked
from experiments.verdicts.table import as_table, cell, mean_of
from experiments.verdicts.truths import LARGE, TRUTHS
from experiments.verdicts.verdict import verdict_of

OURS = "calib, the verdict"
CALIBRATED, EASY = "calibrated", "wrong and easy to find"
# Columns of the table: these, and families in which the judges differ.
KINDS = [CALIBRATED, EASY, "tail", "middle and waves", "prior shifted", "groups off", "new rows"]
MAPIE, PROBCAL = "mapie.metrics.calibration", "probcal.metrics"
N_FILES = 10  # of each truth
LEFT_OUT = {
    *("training rows", "mild training rows", "leak", "no probabilities", "copies", "drift"),
    *("weights", "reversed"),
}


def _p_value(module, name, last=None):
    """A test of another package: whether its p value is at most 0.05."""

    def rejects(labels, scores):
        found = getattr(importlib.import_module(module), name)(labels, scores)
        return (found if last is None else getattr(found, last)) <= rubric.LEVEL

    return rejects


def _guardrails(labels, scores):
    """The summary of probcal's reports: slope, intercept and Spiegelhalter's test are all right."""
    module = importlib.import_module("probcal.metrics")
    return not module.calibration_guardrails(labels, scores).all_ok


def _confidence_band(labels, scores):
    """Whether the band of the page leaves out the diagonal, or no increasing curve."""
    band = confidence_band(labels, scores)
    return band.crosses or not band.holds_diagonal


def _consistency_band(labels, scores):
    """Whether the curve leaves a band of 90 % point by point: the picture of reliabilitydiag."""
    band, curve = consistency_band(labels, scores), corp_curve(labels, scores)
    at = np.searchsorted(curve.predicted, band.predicted)
    return np.any((curve.recalibrated[at] < band.lower) | (curve.recalibrated[at] > band.upper))


JUDGES = {
    "calib, the band of the page": _confidence_band,
    "calib, a band as reliabilitydiag's": _consistency_band,
    "MAPIE, Kolmogorov-Smirnov": _p_value(MAPIE, "kolmogorov_smirnov_p_value"),
    "MAPIE, Kuiper": _p_value(MAPIE, "kuiper_p_value"),
    "MAPIE, Spiegelhalter": _p_value(MAPIE, "spiegelhalter_p_value"),
    "probcal, calibration_test": _p_value(PROBCAL, "calibration_test", "p_value"),
    "probcal, guardrails": _guardrails,
}


def run_case(case):
    """One file: a row for each judge, with 1 if it calls the scores miscalibrated."""
    check_installed(["probcal", "mapie"])
    truth, file = drawn(case, SEED)
    outcome = verdict_of(looked(file)).outcome
    about = {
        "family": truth.family,
        "calibrated": int(rubric.is_calibrated(file.fresh)),
        "power": rubric.power_of(file),
    }
    found = {OURS: (outcome == "miscalibrated", "")}
    found |= {name: _asked(judge, file) for name, judge in JUDGES.items()}
    return [
        about | {"judge": name, "rejects": int(rejects), "error": error}
        for name, (rejects, error) in found.items()
    ]


def _asked(judge, file):
    """Whether a judge rejects, and the error that it raises instead: then it rejects nothing."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return judge(file.labels, file.scores), ""
        except (ValueError, ArithmeticError) as error:
            return False, type(error).__name__


def _cases():
    names = [n for n, t in TRUTHS.items() if t.rows <= LARGE and t.family not in LEFT_OUT]
    return [{"truth": name, "seed": k} for k in range(N_FILES) for name in names]


def shares(rows):
    """For each judge a `Mean` of the files that it calls miscalibrated, by kind of files.

    Kinds are calibrated files, those with an error that an ideal test would find in nine of ten,
    and the latter by family.
    """
    off = rows["calibrated"] == 0
    easy = off & (rows["power"] >= rubric.POWER)
    kinds = {CALIBRATED: ~off, EASY: easy}
    families = dict.fromkeys(rows["family"][easy].tolist())
    kinds |= {family: easy & (rows["family"] == family) for family in families}
    found = {}
    for judge in dict.fromkeys(rows["judge"].tolist()):
        by = rows["judge"] == judge
        found[judge] = {
            kind: mean_of(rows["truth"][by & here], rows["rejects"][by & here], share=True)
            for kind, here in kinds.items()
        }
    return found


def written_shares(rows):
    """A row for each judge and a column for each kind of files, in per cent, as a table."""
    body = [
        [judge, *(cell(means[kind], 100, limits=False) for kind in KINDS)]
        for judge, means in shares(rows).items()
    ]
    return as_table(["judge", *KINDS], body)


VERDICTS_PEERS = Experiment(
    name="verdicts_peers",
    title="Other tests of calibration on files of the known truths",
    seed=SEED,
    cases=_cases,
    run_case=run_case,
    deviations=(
        f"probcal 0.4.0 and MAPIE 1.6.0, tests at the level of 5 %; {N_FILES} files of each truth "
        f"up to {LARGE:,} rows. Groups and clusters are named to our verdict alone.",
        "The R package reliabilitydiag was not run: the band is ours, of the same definition (90 % "
        "point by point, 200 draws).",
    ),
)
