"""What is measured: for each task the methods, ours first.

A method is a function of (scores, labels, queries) that returns two functions: `fit()`, which
returns a model, and `predict(model)`, which evaluates it at the queries. A measure is evaluated
in `fit`; its `predict` does nothing.
"""

from functools import partial

import engines
import mapie.metrics.calibration as mapie_metrics
import numpy as np
import plain
import probcal
import relplot.metrics
from betacal import BetaCalibration as BetacalCalibration
from definitions import sample, two_columns
from mapie.calibration import VennAbersCalibrator
from model_diagnostics.scoring import SquaredError, decompose
from netcal.binning import BBQ as NetcalBBQ
from netcal.binning import ENIR as NetcalENIR
from netcal.binning import HistogramBinning as NetcalHistogram
from netcal.metrics.confidence import ECE as NetcalECE
from netcal.metrics.confidence import MCE as NetcalMCE
from netcal.scaling import BetaCalibration as NetcalBeta
from netcal.scaling import LogisticCalibration as NetcalLogistic
from probmetrics.calibrators import BinaryHistogramBinningCalibrator, get_calibrator
from scipy.optimize import isotonic_regression
from scipy.special import logit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import (
    _SigmoidCalibration,
    _TemperatureScaling,
    calibration_curve,
)
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, brier_score_loss, log_loss, roc_auc_score
from sklearn.mixture import BayesianGaussianMixture
from sklearn.neighbors import KernelDensity
from splinecalib import SplineCalib
from venn_abers import VennAbers as PackageVennAbers

import calib
from calib import metrics
from calibkit import inference


def measure(function):
    """A measure of (labels, probabilities)."""
    return lambda scores, labels, queries: (lambda: function(labels, scores), lambda value: None)


def in_engine(make):
    """A measure of an engine, which has the rows already."""
    return lambda scores, labels, queries: (make(labels, scores), lambda value: None)


def scipy_isotonic(scores, labels, queries):
    """Sort, regress; predict by np.interp."""

    def fit():
        order = np.argsort(scores)
        return scores[order], isotonic_regression(labels[order].astype(float)).x

    return fit, lambda model: np.interp(queries, *model)


def as_it_is(scores):
    """Scores in one dimension."""
    return scores


def as_feature(scores):
    """Scores as the one feature of a table."""
    return scores[:, np.newaxis]


def calibrator(model, form=as_it_is, method="predict"):
    """A calibrator: what it is given in place of the scores, and what predicts."""
    return lambda scores, labels, queries: (
        lambda: model.fit(form(scores), labels),
        lambda fitted: getattr(fitted, method)(form(queries)),
    )


def logarithms(scores):
    """Features of beta calibration."""
    return np.column_stack([np.log(scores), -np.log1p(-scores)])


def powers(scores):
    """Features of the quadratic logit."""
    logits = logit(scores)
    return np.column_stack([logits, logits**2])


def splinecalib_spline(scores, labels, queries):
    """A penalised natural spline."""
    model = SplineCalib()

    def fit():
        model.fit(scores, labels)
        return model

    return fit, lambda fitted: fitted.calibrate(queries)


def sklearn_densities(kernel):
    """Two class densities by scikit-learn's tree, with our bandwidth."""

    def make(scores, labels, queries):
        h = 1.06 * np.std(scores, ddof=1) * scores.size**-0.2

        def fit():
            return [
                KernelDensity(kernel=kernel, bandwidth=h).fit(scores[labels == z, np.newaxis])
                for z in [0, 1]
            ]

        def predict(model):
            m = labels.sum()
            log_odds = (
                model[1].score_samples(queries[:, np.newaxis])
                - model[0].score_samples(queries[:, np.newaxis])
                + np.log(m / (labels.size - m))
            )
            return 1 / (1 + np.exp(-log_odds))

        return fit, predict

    return make


def sklearn_mixtures(scores, labels, queries):
    """Two class densities by scikit-learn's variational mixture."""

    def fit():
        return [
            BayesianGaussianMixture(
                n_components=10,
                weight_concentration_prior_type="dirichlet_process",
                random_state=0,
            ).fit(scores[labels == z, np.newaxis])
            for z in [0, 1]
        ]

    return fit, lambda model: [part.score_samples(queries[:, np.newaxis]) for part in model]


class Scores(ClassifierMixin, BaseEstimator):
    """A fitted classifier whose one feature is its score."""

    classes_ = np.array([0, 1])

    def predict_proba(self, X):
        """Both columns of probabilities."""
        return two_columns(X[:, 0])


def package_venn_abers(scores, labels, queries):
    """The package venn-abers; predicts the merged probability and the pair."""
    model = PackageVennAbers()

    def fit():
        model.fit(two_columns(scores), labels)
        return model

    return fit, lambda fitted: fitted.predict_proba(two_columns(queries))


def mapie_venn_abers(scores, labels, queries):
    """MAPIE, with a classifier that is fitted already."""
    model = VennAbersCalibrator(Scores(), cv="prefit")
    return (
        lambda: model.fit(scores[:, np.newaxis], labels),
        lambda fitted: fitted.predict_proba(queries[:, np.newaxis], p0_p1_output=True),
    )


def skewed(make):
    """The same method on calibrated scores from Beta(0.05, 1), nearly all of them close to 0."""

    def make_skewed(scores, labels, queries):
        rng = np.random.default_rng(scores.size)
        scores, queries = rng.beta(0.05, 1, (2, scores.size))
        labels = (rng.random(scores.size) < scores).astype(np.int64)
        return make(scores, labels, queries)

    return make_skewed


def too_extreme(make):
    """The same method on scores that are too extreme, whose order is right."""

    def make_too_extreme(scores, labels, queries):
        scores, labels = sample(scores.size, slope=0.6, seed=scores.size)
        queries, _ = sample(scores.size, slope=0.6, seed=scores.size + 1)
        return make(scores, labels, queries)

    return make_too_extreme


def with_ties(make):
    """The same method on scores of two decimals."""

    def make_tied(scores, labels, queries):
        return make(np.round(scores, 2), labels, np.round(queries, 2))

    return make_tied


def in_single_precision(make):
    """The same method on scores of four bytes."""

    def make_single(scores, labels, queries):
        return make(scores.astype(np.float32), labels, queries.astype(np.float32))

    return make_single


def venn_abers_agreement(n=10_000):
    """Compare all three on continuous scores; a sentence for the page."""
    rng = np.random.default_rng(n)
    scores, queries = rng.random((2, n))
    queries[0] = 1.0  # above all others
    labels = (rng.random(n) < 0.5 + 0.4 * np.sin(5 * scores)).astype(np.int64)
    ours = np.array(calib.VennAbers().fit(scores, labels).predict_interval(queries))
    fit, predict = package_venn_abers(scores, labels, queries)
    package = np.max(np.abs(predict(fit())[1].T - ours))
    assert package < 1e-12, f"venn-abers and calib differ by {package}"
    fit, predict = mapie_venn_abers(scores, labels, queries)
    mapie = np.abs(predict(fit())[1].T - ours)
    above = queries > scores.max()
    return (
        f"On {n} continuous scores the pairs of venn-abers and calib differ by {package:.2g} at "
        f"most, and the pairs of MAPIE and calib by {mapie[:, ~above].max():.2g} at most up to the "
        f"largest calibration score. Above that score p1 is 1, and the p1 of MAPIE is lower by up "
        f"to {mapie[1, above].max():.2f}."
    )


UNPENALISED = LogisticRegression(C=np.inf, solver="newton-cholesky", tol=1e-6)

NOTES = {
    "Venn-Abers": venn_abers_agreement,
    **{task: partial(engines.differences, task) for task in engines.ENGINES},
}

TASKS = {
    "Histogram, equal frequency": {
        "calib HistogramBinning(n_bins=10)": calibrator(calib.HistogramBinning(n_bins=10)),
        "probmetrics (quantile, 10)": calibrator(
            BinaryHistogramBinningCalibrator(), two_columns, "predict_proba"
        ),
        "probcal (mass, 10)": calibrator(
            probcal.HistogramBinningCalibrator(), method="predict_proba"
        ),
    },
    "Histogram, equal width": {
        'calib HistogramBinning(n_bins=10, strategy="uniform")': calibrator(
            calib.HistogramBinning(n_bins=10, strategy="uniform")
        ),
        "netcal HistogramBinning(10)": calibrator(NetcalHistogram(10), method="transform"),
    },
    "Platt scaling": {
        "calib PlattScaling": calibrator(calib.PlattScaling()),
        "scikit-learn _SigmoidCalibration": calibrator(_SigmoidCalibration()),
    },
    "Platt scaling of logits, scores too extreme": {
        'calib PlattScaling(scale="logit")': too_extreme(
            calibrator(calib.PlattScaling(scale="logit"))
        ),
        "scikit-learn _SigmoidCalibration": too_extreme(calibrator(_SigmoidCalibration(), logit)),
        "probcal PlattCalibrator": too_extreme(
            calibrator(probcal.PlattCalibrator(), method="predict_proba")
        ),
        "netcal LogisticCalibration": too_extreme(calibrator(NetcalLogistic(), method="transform")),
    },
    "Temperature scaling, scores too extreme": {
        "calib TemperatureScaling": too_extreme(calibrator(calib.TemperatureScaling())),
        "scikit-learn _TemperatureScaling": too_extreme(
            calibrator(_TemperatureScaling(), two_columns)
        ),
        "probmetrics (temp-scaling)": too_extreme(
            calibrator(get_calibrator("temp-scaling"), two_columns, "predict_proba")
        ),
        "probcal TemperatureCalibrator": too_extreme(
            calibrator(probcal.TemperatureCalibrator(), method="predict_proba")
        ),
    },
    "Beta calibration, scores too extreme": {
        "calib BetaCalibration": too_extreme(calibrator(calib.BetaCalibration())),
        "betacal (abm)": too_extreme(calibrator(BetacalCalibration("abm"), as_feature)),
        "probcal BetaCalibrator": too_extreme(
            calibrator(probcal.BetaCalibrator(), method="predict_proba")
        ),
        "netcal BetaCalibration": too_extreme(calibrator(NetcalBeta(), method="transform")),
        "scikit-learn LogisticRegression (any sign)": too_extreme(
            calibrator(UNPENALISED, logarithms, "predict_proba")
        ),
    },
    "Quadratic logit, scores too extreme": {
        "calib QuadraticLogit": too_extreme(calibrator(calib.QuadraticLogit())),
        "probmetrics (quadratic-scaling)": too_extreme(
            calibrator(get_calibrator("quadratic-scaling"), two_columns, "predict_proba")
        ),
        "scikit-learn LogisticRegression": too_extreme(
            calibrator(UNPENALISED, powers, "predict_proba")
        ),
    },
    "Splines": {
        "calib SplineCalibrator": calibrator(calib.SplineCalibrator()),
        "splinecalib SplineCalib": splinecalib_spline,
        "probcal SplineCalibrator": calibrator(probcal.SplineCalibrator(), method="predict_proba"),
    },
    "Average of calibrators": {
        "calib StackedCalibrator": calibrator(calib.StackedCalibrator()),
    },
    "Isotonic regression": {
        "calib IsotonicCalibrator": calibrator(calib.IsotonicCalibrator()),
        "scipy argsort + isotonic_regression": scipy_isotonic,
        "scikit-learn IsotonicRegression": calibrator(IsotonicRegression(out_of_bounds="clip")),
        "probcal IsotonicCalibrator": calibrator(
            probcal.IsotonicCalibrator(), method="predict_proba"
        ),
    },
    "Kernel density": {
        **{
            f"calib KernelCalibrator({kernel})": calibrator(calib.KernelCalibrator(kernel=kernel))
            for kernel in ["boxcar", "epanechnikov", "tricube", "gaussian"]
        },
        "scikit-learn KernelDensity x 2, epanechnikov": sklearn_densities("epanechnikov"),
        "scikit-learn KernelDensity x 2, gaussian": sklearn_densities("gaussian"),
    },
    "Dirichlet-process mixture": {
        "calib DirichletProcessCalibrator": calibrator(calib.DirichletProcessCalibrator()),
        "scikit-learn BayesianGaussianMixture x 2": sklearn_mixtures,
    },
    "Averages over binnings": {
        "calib BBQ": calibrator(calib.BBQ()),
        "netcal BBQ (another model)": calibrator(NetcalBBQ(), method="transform"),
        "probcal BBQ (another prior)": calibrator(probcal.BBQCalibrator(), method="predict_proba"),
        "calib ENIR": calibrator(calib.ENIR()),
        "netcal ENIR": calibrator(NetcalENIR(), method="transform"),
        "probcal ENIR (256 models)": calibrator(probcal.ENIRCalibrator(), method="predict_proba"),
    },
    "Venn-Abers": {
        "calib VennAbers": calibrator(calib.VennAbers()),
        "venn-abers VennAbers": package_venn_abers,
        "MAPIE VennAbersCalibrator": mapie_venn_abers,
        "probcal VennAbersCalibrator": calibrator(
            probcal.VennAbersCalibrator(), method="predict_proba"
        ),
    },
    "Venn-Abers, skewed scores": {
        "calib VennAbers": skewed(calibrator(calib.VennAbers())),
        "venn-abers VennAbers": skewed(package_venn_abers),
        "MAPIE VennAbersCalibrator": skewed(mapie_venn_abers),
        "probcal VennAbersCalibrator": skewed(
            calibrator(probcal.VennAbersCalibrator(), method="predict_proba")
        ),
    },
    "ECE, ten bins of equal width": {
        "calib": measure(lambda z, p: metrics.expected_calibration_error(z, p, strategy="uniform")),
        "netcal ECE(10)": measure(lambda z, p: NetcalECE(10).measure(p, z)),
        "relplot binnedECE (11 bins)": measure(
            lambda z, p: relplot.metrics.binnedECE(p, z, nbins=10)
        ),
        "NumPy, five lines": measure(plain.ece_uniform),
    },
    "ECE, ten bins of equal frequency": {
        "calib": measure(metrics.expected_calibration_error),
        "NumPy, five lines": measure(plain.ece_quantile),
    },
    "MCE, ten bins of equal width": {
        "calib": measure(lambda z, p: metrics.maximum_calibration_error(z, p, strategy="uniform")),
        "netcal MCE(10)": measure(lambda z, p: NetcalMCE(10).measure(p, z)),
    },
    "Reliability curve, equal frequency": {
        "calib reliability_curve": measure(metrics.reliability_curve),
        "scikit-learn calibration_curve": measure(
            lambda z, p: calibration_curve(z, p, n_bins=10, strategy="quantile")
        ),
    },
    "Smooth ECE": {
        "calib smooth_ece": measure(inference.smooth_ece),
        "relplot smECE": measure(lambda z, p: relplot.smECE(p, z)),
        "probcal smooth_ece (on logits)": measure(probcal.metrics.smooth_ece),
    },
    "Kuiper's test": {
        "calib kuiper_test": measure(inference.kuiper_test),
        "MAPIE kuiper_p_value": measure(mapie_metrics.kuiper_p_value),
        "NumPy, five lines": measure(plain.kuiper),
    },
    "CORP parts of the Brier score": {
        "calib score_decomposition": measure(metrics.score_decomposition),
        "model-diagnostics decompose": measure(
            lambda z, p: decompose(z, p, scoring_function=SquaredError())
        ),
    },
    "AUC": {
        "calib roc_auc_score": measure(metrics.roc_auc_score),
        "scikit-learn roc_auc_score": measure(roc_auc_score),
        "NumPy, five lines": measure(plain.auc),
    },
    "Log loss": {
        "calib log_loss": measure(metrics.log_loss),
        "scikit-learn log_loss": measure(log_loss),
        "NumPy, five lines": measure(plain.log_loss),
    },
    "Brier score": {
        "calib brier_score_loss": measure(metrics.brier_score_loss),
        "scikit-learn brier_score_loss": measure(brier_score_loss),
        "NumPy, five lines": measure(plain.brier),
    },
    "Accuracy": {
        "calib accuracy": measure(metrics.accuracy),
        "scikit-learn accuracy_score": measure(lambda z, p: accuracy_score(z, p >= 0.5)),
        "NumPy, five lines": measure(plain.accuracy),
    },
}
for task, makers in engines.ENGINES.items():
    TASKS[task] |= {name: in_engine(make) for name, make in makers.items()}
for task in ["AUC", "ECE, ten bins of equal width", "Isotonic regression"]:
    for kind, change in [("two decimals", with_ties), ("float32", in_single_precision)]:
        TASKS[f"{task}, {kind}"] = {name: change(make) for name, make in TASKS[task].items()}
