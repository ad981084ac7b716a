"""Other packages' calibrators on the cases of the second benchmark: its data, models and splits.

Ours stand in 'benchmark_second'. Left out of the packages is

* what is another package's method under a new name: probmetrics' isotonic regression and Platt
  scaling are scikit-learn's, its beta calibration is betacal's, its Venn-Abers predictor
  venn-abers', its BBQ, ENIR and first spline are netcal's and splinecalib's;
* what needs a package that is not in ``benchmarks/requirements.txt``: probmetrics' trees, its
  Dirichlet calibration and its centred isotonic regression;
* more optimisers of one temperature, of which probmetrics has seven: two of them are here;
* what raises an error in every case (probmetrics' Platt scaling of logits, which refuses logits),
  or is not public (its order-preserving network);
* what does not give the probability of class 1 from scores alone: maps of detections and the steps
  of a path (netcal), segments and offsets (probcal), top labels (MAPIE).
"""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from experiments.benchmark import second
from experiments.benchmark.calibrators import RAW, Candidate
from experiments.benchmark.data import DATA_SETS
from experiments.benchmark.models import fitted, probabilities
from experiments.benchmark.peers import Peer, check_installed, outcome
from experiments.recording import Experiment

PACKAGES = ["probcal", "probmetrics", "netcal", "betacal", "splinecalib", "venn_abers", "mapie"]


class Scores(ClassifierMixin, BaseEstimator):
    """A fitted classifier whose one feature is its score: MAPIE asks for one."""

    classes_ = np.array([0, 1])

    def predict_proba(self, X):
        """Both columns of probabilities."""
        return np.column_stack([1 - X[:, 0], X[:, 0]])


def probcal(name):
    """A calibrator of probcal."""
    return Peer("probcal", f"{name}Calibrator", method="predict_proba")


def netcal(kind, name):
    """A calibrator of netcal, of one of its two modules."""
    return Peer(f"netcal.{kind}", name, method="transform")


def probmetrics(method, **options):
    """A calibrator of probmetrics by the name that it has there."""
    return _probmetrics("get_calibrator", {"calibration_method": method, **options})


def _probmetrics(name, options=None):
    return Peer("probmetrics.calibrators", name, options, 2, "predict_proba")


CANDIDATES = {
    "Sigmoid, scikit-learn": Candidate(Peer("sklearn.calibration", "_SigmoidCalibration")),
    "Isotonic, scikit-learn": Candidate(
        Peer("sklearn.isotonic", "IsotonicRegression", {"out_of_bounds": "clip"})
    ),
    "Temperature, scikit-learn": Candidate(
        Peer("sklearn.calibration", "_TemperatureScaling", columns=2)
    ),
    "Beta, betacal": Candidate(Peer("betacal", "BetaCalibration", {"parameters": "abm"}, 1)),
    "Spline, splinecalib": Candidate(Peer("splinecalib", "SplineCalib", method="calibrate")),
    "Venn-Abers, venn-abers": Candidate(
        Peer("venn_abers", "VennAbers", columns=2, method="predict_proba")
    ),
    "Venn-Abers, MAPIE": Candidate(
        Peer(
            "mapie.calibration",
            "VennAbersCalibrator",
            {"estimator": Scores(), "cv": "prefit"},
            1,
            "predict_proba",
        )
    ),
    "Histogram, probcal": Candidate(probcal("HistogramBinning")),
    "Scaling-binning, probcal": Candidate(probcal("ScalingBinning")),
    "Isotonic, probcal": Candidate(probcal("Isotonic")),
    "Isotonic, centred, probcal": Candidate(probcal("CenteredIsotonic")),
    "Platt, probcal": Candidate(probcal("Platt")),
    "Temperature, probcal": Candidate(probcal("Temperature")),
    "Beta, probcal": Candidate(probcal("Beta")),
    "Spline, probcal": Candidate(probcal("Spline")),
    "BBQ, probcal": Candidate(probcal("BBQ")),
    "ENIR, probcal": Candidate(probcal("ENIR")),
    "Venn-Abers, probcal": Candidate(probcal("VennAbers")),
    "Cross-Venn-Abers, probcal": Candidate(probcal("CrossVennAbers")),
    "Selector, probcal": Candidate(Peer("probcal", "CalibratorSelector", method="predict_proba")),
    "Histogram, netcal": Candidate(netcal("binning", "HistogramBinning")),
    "Isotonic, netcal": Candidate(netcal("binning", "IsotonicRegression")),
    "BBQ, netcal": Candidate(netcal("binning", "BBQ")),
    "ENIR, netcal": Candidate(netcal("binning", "ENIR"), most=2000),
    "Logistic, netcal": Candidate(netcal("scaling", "LogisticCalibration")),
    "Beta, netcal": Candidate(netcal("scaling", "BetaCalibration")),
    "Temperature, netcal": Candidate(netcal("scaling", "TemperatureScaling")),
    "Temperature, probmetrics": Candidate(probmetrics("temp-scaling")),
    "Temperature, mixed, probmetrics": Candidate(probmetrics("ts-mix")),
    "Temperature, Guo's, probmetrics": Candidate(probmetrics("guo-ts")),
    "Linear, probmetrics": Candidate(probmetrics("linear-scaling")),
    "Affine, probmetrics": Candidate(probmetrics("affine-scaling")),
    "Affine, mixed, probmetrics": Candidate(probmetrics("logistic-mix")),
    "Affine, penalised, probmetrics": Candidate(_probmetrics("RegularizedAffineScalingCalibrator")),
    "Quadratic, probmetrics": Candidate(probmetrics("quadratic-scaling")),
    "Quadratic, penalised, probmetrics": Candidate(
        _probmetrics("RegularizedQuadraticScalingCalibrator")
    ),
    "Vector, probmetrics": Candidate(_probmetrics("VectorScalingCalibrator")),
    "Vector, structured, probmetrics": Candidate(probmetrics("svs", svs_print_init_info=False)),
    "Matrix, probmetrics": Candidate(_probmetrics("MatrixScalingCalibrator")),
    "Matrix, structured, probmetrics": Candidate(probmetrics("sms", sms_print_init_info=False)),
    "Ensemble of temperatures, probmetrics": Candidate(_probmetrics("ETSCalibrator")),
    "Softplus, probmetrics": Candidate(_probmetrics("SoftPlusCalibrator"), most=100),
    "Kernel, probmetrics": Candidate(_probmetrics("KernelCalibrator"), most=500),
    "Histogram, probmetrics": Candidate(_probmetrics("BinaryHistogramBinningCalibrator")),
    "Scaling-binning, probmetrics": Candidate(_probmetrics("BinaryPlattBinnerCalibrator")),
    "Spline of the distribution, probmetrics": Candidate(_probmetrics("CDFSplineCalibrator")),
}


def run_case(case):
    """One base model on one split of one data set: a row a calibrator and number of points."""
    check_installed(PACKAGES)
    training, calibration, test = second.split(case["dataset"], case["split"])
    seed = second.seed_of(case["dataset"], case["split"])
    model = fitted(case["model"], training.X, training.labels, seed)
    test_scores = probabilities(model, test.X)
    rows = []
    for part in second.samples(calibration, seed):
        scores = probabilities(model, part.X)
        points = part.labels.size
        found = {RAW: {**measures(test.labels, test_scores), "error": "", "seconds": 0.0}} | {
            name: outcome(peer, scores, part.labels, test_scores, test.labels, measures)
            for name, (peer, most) in CANDIDATES.items()
            if points <= most
        }
        rows += [{"points": points, "calibrator": name, **one} for name, one in found.items()]
    return [{**row, "protocol": second.fingerprint()} for row in rows]


def measures(labels, p):
    """The losses of the second benchmark, and the test rows that came with probability 0."""
    found = second.measures(labels, p)
    return {name: found[name] for name in ["log_loss", "brier", "refuted"]}


BENCHMARK_SECOND_PEERS = Experiment(
    name="benchmark_second_peers",
    title=f"Other packages' calibrators at five sizes, on {len(DATA_SETS)} real data sets",
    seed=second.SEED,
    cases=second.cases,
    run_case=run_case,
    deviations=(
        "Cases, data, base models, splits and sizes are those of 'benchmark_second', whose hash "
        "every row holds; the rows of the raw scores are computed anew, to tell that it is so.",
        "Packages: probcal 0.4.0, probmetrics 1.3.0, netcal 1.4.0, betacal 1.1.0, splinecalib "
        "0.0.13, venn-abers 1.5.4, MAPIE 1.6.0, scikit-learn 1.9.1, each with its defaults; a row "
        "without numbers names the error that a package raised, or that it gave no probabilities.",
        "Recorded first is the first split: of it logistic regression and boosting on all data "
        "sets, then naive Bayes and the forest; results/benchmark_second_peers.csv says how far.",
        "What takes more than some seconds is tried on fewer points: "
        + "; ".join(f"{name} up to {most}" for name, (_, most) in CANDIDATES.items() if most < 1e9)
        + ".",
    ),
    datasets=tuple(one.name for one in DATA_SETS),
)
