"""What is measured: for each task the methods, ours first.

A method is a function of (scores, labels, queries) that returns two functions: `fit()`, which
returns a model, and `predict(model)`, which evaluates it at the queries. A measure is evaluated
in `fit`; its `predict` does nothing.
"""

import numpy as np
import relplot.metrics
from netcal.binning import BBQ as NetcalBBQ
from netcal.binning import ENIR as NetcalENIR
from netcal.binning import HistogramBinning as NetcalHistogram
from netcal.metrics.confidence import ECE as NetcalECE
from netcal.metrics.confidence import MCE as NetcalMCE
from probmetrics.calibrators import BinaryHistogramBinningCalibrator
from scipy.optimize import isotonic_regression
from sklearn.calibration import _SigmoidCalibration, calibration_curve
from sklearn.isotonic import IsotonicRegression
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.mixture import BayesianGaussianMixture
from sklearn.neighbors import KernelDensity

import calib


def calibrator(model):
    """One of our calibrators."""

    def make(scores, labels, queries):
        return lambda: model.fit(scores, labels), lambda fitted: fitted.predict(queries)

    return make


def measure(function):
    """A measure of (labels, probabilities)."""
    return lambda scores, labels, queries: (lambda: function(labels, scores), lambda value: None)


def scipy_isotonic(scores, labels, queries):
    """Sort, regress; predict by np.interp."""

    def fit():
        order = np.argsort(scores)
        return scores[order], isotonic_regression(labels[order].astype(float)).x

    return fit, lambda model: np.interp(queries, *model)


def sklearn_isotonic(scores, labels, queries):
    """Scikit-learn's estimator, which also pools ties."""
    model = IsotonicRegression(out_of_bounds="clip")
    return lambda: model.fit(scores, labels), lambda fitted: fitted.predict(queries)


def sklearn_sigmoid(scores, labels, queries):
    """The sigmoid inside CalibratedClassifierCV."""
    model = _SigmoidCalibration()
    return lambda: model.fit(scores, labels), lambda fitted: fitted.predict(queries)


def netcal_calibrator(model):
    """A calibrator of netcal."""

    def make(scores, labels, queries):
        return lambda: model.fit(scores, labels), lambda fitted: fitted.transform(queries)

    return make


def probmetrics_histogram(scores, labels, queries):
    """Ten bins of equal frequency."""
    model = BinaryHistogramBinningCalibrator()

    def two_columns(p):
        return np.column_stack([1 - p, p])

    return (
        lambda: model.fit(two_columns(scores), labels),
        lambda fitted: fitted.predict_proba(two_columns(queries)),
    )


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


TASKS = {
    "Histogram, equal frequency": {
        "calib HistogramBinning(n_bins=10)": calibrator(calib.HistogramBinning(n_bins=10)),
        "probmetrics (quantile, 10)": probmetrics_histogram,
    },
    "Histogram, equal width": {
        'calib HistogramBinning(n_bins=10, strategy="uniform")': calibrator(
            calib.HistogramBinning(n_bins=10, strategy="uniform")
        ),
        "netcal HistogramBinning(10)": netcal_calibrator(NetcalHistogram(10)),
    },
    "Platt scaling": {
        "calib PlattScaling": calibrator(calib.PlattScaling()),
        "scikit-learn _SigmoidCalibration": sklearn_sigmoid,
    },
    "Isotonic regression": {
        "calib IsotonicCalibrator": calibrator(calib.IsotonicCalibrator()),
        "scipy argsort + isotonic_regression": scipy_isotonic,
        "scikit-learn IsotonicRegression": sklearn_isotonic,
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
        "netcal BBQ (another model)": netcal_calibrator(NetcalBBQ()),
        "calib ENIR": calibrator(calib.ENIR()),
        "netcal ENIR": netcal_calibrator(NetcalENIR()),
    },
    "ECE, ten bins of equal width": {
        "calib": measure(lambda z, p: calib.expected_calibration_error(z, p, strategy="uniform")),
        "netcal ECE(10)": measure(lambda z, p: NetcalECE(10).measure(p, z)),
        "relplot binnedECE (11 bins)": measure(
            lambda z, p: relplot.metrics.binnedECE(p, z, nbins=10)
        ),
    },
    "MCE, ten bins of equal width": {
        "calib": measure(lambda z, p: calib.maximum_calibration_error(z, p, strategy="uniform")),
        "netcal MCE(10)": measure(lambda z, p: NetcalMCE(10).measure(p, z)),
    },
    "Reliability curve, equal frequency": {
        "calib reliability_curve": measure(calib.reliability_curve),
        "scikit-learn calibration_curve": measure(
            lambda z, p: calibration_curve(z, p, n_bins=10, strategy="quantile")
        ),
    },
    "AUC": {
        "calib roc_auc_score": measure(calib.roc_auc_score),
        "scikit-learn roc_auc_score": measure(roc_auc_score),
    },
    "Log loss": {
        "calib log_loss": measure(calib.log_loss),
        "scikit-learn log_loss": measure(log_loss),
    },
}
