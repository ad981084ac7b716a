"""Where numbers of calib and of its peers differ, and by which definitions.

Run it with ``make bench``. Each comparison starts with both packages as they are; then calib, or
its formula written out, takes over one definition of the peer after another. What is left at the
end is rounding, or the tolerance of a search. Writes results/agreement.csv, which the page
book/peers.md shows.
"""

import csv
import warnings
from pathlib import Path

import calibration
import mapie.metrics.calibration as mapie
import numpy as np
import probcal
import probcal.metrics as probcal_metrics
import relplot
from betacal import BetaCalibration as BetacalCalibration
from definitions import (
    as_steps,
    at_the_midpoint,
    bbq,
    between_neighbours,
    binned_parts,
    corp_parts,
    cumulative_residuals,
    enir,
    few_distinct,
    histogram,
    isotonic_steps,
    jeffreys,
    paper_sizes,
    probcal_sizes,
    quantiles,
    sample,
    smooth_ece_of_logits,
    two_columns,
    uncorrected_kuiper,
)
from model_diagnostics.scoring import SquaredError, decompose
from netcal.binning import HistogramBinning as NetcalHistogram
from netcal.metrics.confidence import ECE as NetcalECE
from probmetrics.calibrators import get_calibrator
from scipy.stats import norm
from sklearn.calibration import _TemperatureScaling
from sklearn.linear_model import LogisticRegression
from venn_abers import VennAbers as PackageVennAbers

import calib
from calib import metrics
from calibkit import inference

ROOT = Path(__file__).resolve().parents[1]
SIZE = 2000


def class_one(p):
    """The probability of class 1 from one column or two."""
    p = np.asarray(p, dtype=float)
    return p[:, 1] if p.ndim == 2 else p


# Calibrators: functions of (scores, labels, queries) that return predictions.


def ours(model):
    """A calibrator of calib."""
    return lambda scores, labels, queries: model.fit(scores, labels).predict(queries)


def of_probcal(model):
    """A calibrator of probcal."""
    return lambda scores, labels, queries: class_one(
        model.fit(scores, labels).predict_proba(queries)
    )


def of_netcal(model):
    """A calibrator of netcal."""
    return lambda scores, labels, queries: model.fit(scores, labels).transform(queries)


def of_probmetrics(name):
    """A calibrator of probmetrics."""

    def predict(scores, labels, queries):
        model = get_calibrator(name)
        model.fit(two_columns(scores), labels)
        return class_one(model.predict_proba(two_columns(queries)))

    return predict


def of_sklearn_temperature(scores, labels, queries):
    """Temperature scaling inside CalibratedClassifierCV."""
    return class_one(
        _TemperatureScaling().fit(two_columns(scores), labels).predict(two_columns(queries))
    )


def of_betacal(scores, labels, queries):
    """The authors' beta calibration."""
    return (
        BetacalCalibration("abm").fit(scores[:, np.newaxis], labels).predict(queries[:, np.newaxis])
    )


def reversed_labels(predict):
    """The same with the classes exchanged: the scores then fall where labels rise."""
    return lambda scores, labels, queries: predict(scores, 1 - labels, queries)


def one_exponent(scores, labels, queries):
    """Beta calibration with a = 0 and b of either sign."""
    fit = LogisticRegression(C=np.inf, tol=1e-10).fit(-np.log1p(-scores)[:, np.newaxis], labels)
    return class_one(fit.predict_proba(-np.log1p(-queries)[:, np.newaxis]))


def of_venn_abers(scores, labels, queries):
    """The merged probability of the package venn-abers."""
    model = PackageVennAbers()
    model.fit(two_columns(scores), labels)
    return class_one(model.predict_proba(two_columns(queries))[0])


# Measures: functions of (labels, predictions) that return one number or several.


def probcal_parts(labels, p):
    """Reliability and resolution of probcal."""
    parts = probcal_metrics.murphy_decomposition(labels, p)
    return parts.reliability, parts.resolution


def model_diagnostics_parts(labels, p):
    """Miscalibration and discrimination of model-diagnostics."""
    parts = decompose(labels, p, scoring_function=SquaredError())
    return parts["miscalibration"][0], parts["discrimination"][0]


def ece_without_first_or_last(n_bins):
    """MAPIE cuts the unit interval at `n_bins` points, which makes one bin fewer."""
    return lambda z, p: metrics.expected_calibration_error(
        z, p, n_bins=n_bins - 1, strategy="uniform"
    )


AS_IT_IS = "each its own"
PERCENTS = np.linspace(0, 1, 99)

CALIBRATORS = {
    ("venn-abers", "Venn-Abers"): (of_venn_abers, {AS_IT_IS: ours(calib.VennAbers())}),
    ("probcal", "Venn-Abers"): (
        of_probcal(probcal.VennAbersCalibrator()),
        {AS_IT_IS: ours(calib.VennAbers())},
    ),
    ("betacal", "beta calibration"): (of_betacal, {AS_IT_IS: ours(calib.BetaCalibration())}),
    ("probcal", "beta calibration"): (
        of_probcal(probcal.BetaCalibrator()),
        {AS_IT_IS: ours(calib.BetaCalibration())},
    ),
    ("betacal", "beta calibration, labels reversed"): (
        reversed_labels(of_betacal),
        {
            AS_IT_IS: reversed_labels(ours(calib.BetaCalibration())),
            "the second exponent may be negative": reversed_labels(one_exponent),
        },
    ),
    ("probcal", "Platt scaling"): (
        of_probcal(probcal.PlattCalibrator()),
        {
            "Platt's own scale in calib, logits in probcal": ours(calib.PlattScaling()),
            "both on logits": ours(calib.PlattScaling(scale="logit")),
        },
    ),
    ("scikit-learn", "temperature scaling"): (
        of_sklearn_temperature,
        {AS_IT_IS: ours(calib.TemperatureScaling())},
    ),
    ("probmetrics", "temperature scaling"): (
        of_probmetrics("temp-scaling"),
        {AS_IT_IS: ours(calib.TemperatureScaling())},
    ),
    ("probcal", "temperature scaling"): (
        of_probcal(probcal.TemperatureCalibrator()),
        {AS_IT_IS: ours(calib.TemperatureScaling())},
    ),
    ("probmetrics", "quadratic logit"): (
        of_probmetrics("quadratic-scaling"),
        {AS_IT_IS: ours(calib.QuadraticLogit())},
    ),
    ("probcal", "isotonic regression"): (
        of_probcal(probcal.IsotonicCalibrator()),
        {
            AS_IT_IS: ours(calib.IsotonicCalibrator()),
            "steps between the scores in place of lines": isotonic_steps,
        },
    ),
    ("netcal", "histogram, equal width"): (
        of_netcal(NetcalHistogram(10)),
        {AS_IT_IS: ours(calib.HistogramBinning(n_bins=10, strategy="uniform"))},
    ),
    ("probcal", "histogram, equal frequency"): (
        of_probcal(probcal.HistogramBinningCalibrator()),
        {
            AS_IT_IS: ours(calib.HistogramBinning(n_bins=10)),
            "half a pseudo-count for each class": histogram(between_neighbours, 0.5),
            "cuts at interpolated quantiles": histogram(quantiles, 0.5),
        },
    ),
    ("probcal", "BBQ"): (
        of_probcal(probcal.BBQCalibrator()),
        {
            AS_IT_IS: ours(calib.BBQ()),
            "2 to 50 bins": bbq(probcal_sizes, between_neighbours, at_the_midpoint),
            "a prior of half a count for each class": bbq(
                probcal_sizes, between_neighbours, jeffreys
            ),
            "cuts at interpolated quantiles": bbq(probcal_sizes, quantiles, jeffreys),
        },
    ),
    ("probcal", "ENIR"): (
        of_probcal(probcal.ENIRCalibrator(max_solutions=None)),
        {
            AS_IT_IS: ours(calib.ENIR()),
            "steps between the scores in place of lines": enir(1, as_steps),
            "the raw labels (penalty 0) among the models": enir(0, as_steps),
        },
    ),
    ("probcal", "ENIR where no neighbours are equal"): (
        few_distinct(of_probcal(probcal.ENIRCalibrator(max_solutions=None))),
        {
            AS_IT_IS: few_distinct(ours(calib.ENIR())),
            "the raw frequencies (penalty 0) among the models": few_distinct(enir(0, as_steps)),
        },
    ),
    ("calib", "BBQ written out"): (
        ours(calib.BBQ()),
        {AS_IT_IS: bbq(paper_sizes, between_neighbours, at_the_midpoint)},
    ),
    ("calib", "ENIR written out"): (ours(calib.ENIR()), {AS_IT_IS: enir(1, np.interp)}),
}

MEASURES = {
    ("relplot", "smooth ECE"): (
        lambda z, p: relplot.smECE(p, z),
        {AS_IT_IS: inference.smooth_ece},
    ),
    ("probcal", "smooth ECE"): (
        probcal_metrics.smooth_ece,
        {
            AS_IT_IS: inference.smooth_ece,
            "a kernel on logits in place of predictions": smooth_ece_of_logits,
        },
    ),
    ("MAPIE", "Spiegelhalter's p value"): (
        mapie.spiegelhalter_p_value,
        {
            AS_IT_IS: lambda z, p: inference.spiegelhalter_test(z, p).p_value,
            "only too large a Brier score counts": lambda z, p: norm.sf(
                inference.spiegelhalter_test(z, p).statistic
            ),
        },
    ),
    ("probcal", "Spiegelhalter's p value"): (
        lambda z, p: probcal_metrics.spiegelhalter_z(z, p).p_value,
        {AS_IT_IS: lambda z, p: inference.spiegelhalter_test(z, p).p_value},
    ),
    ("MAPIE", "Kuiper's p value"): (
        mapie.kuiper_p_value,
        {
            AS_IT_IS: lambda z, p: inference.kuiper_test(z, p).p_value,
            "no correction for reading the path at n times only": uncorrected_kuiper,
        },
    ),
    ("probcal", "cumulative error"): (
        lambda z, p: probcal_metrics.ecce(z, p).stat_max,
        {
            "largest bias of an interval in calib, of a lower tail in probcal": (
                inference.kuiper_error
            ),
            "lower tails in both": lambda z, p: np.max(np.abs(cumulative_residuals(z, p))),
        },
    ),
    ("model-diagnostics", "CORP parts of the Brier score"): (
        model_diagnostics_parts,
        {AS_IT_IS: corp_parts},
    ),
    ("probcal", "parts of the Brier score"): (
        probcal_parts,
        {
            "by isotonic regression in calib, by bins in probcal": corp_parts,
            "ten bins of equal frequency": binned_parts,
        },
    ),
    ("probcal", "Murphy curve"): (
        lambda z, p: probcal_metrics.murphy_curve(z, p, thresholds=PERCENTS).score,
        {AS_IT_IS: lambda z, p: inference.murphy_curve(z, p, thresholds=PERCENTS).scores},
    ),
    ("uncertainty-calibration", "debiased L2 error"): (
        lambda z, p: calibration.lower_bound_scaling_ce(p, z, num_bins=10),
        {AS_IT_IS: lambda z, p: max(inference.debiased_squared_error(z, p), 0) ** 0.5},
    ),
    ("netcal", "ECE, equal width"): (
        lambda z, p: NetcalECE(10).measure(p, z),
        {AS_IT_IS: lambda z, p: metrics.expected_calibration_error(z, p, strategy="uniform")},
    ),
    ("MAPIE", "ECE, equal width"): (
        lambda z, p: mapie.expected_calibration_error(z, p, num_bins=10),
        {
            AS_IT_IS: lambda z, p: metrics.expected_calibration_error(z, p, strategy="uniform"),
            "nine bins": ece_without_first_or_last(10),
        },
    ),
}


# Peers whose fit of a likelihood ends before its maximum.
FITS = {
    ("betacal", "beta calibration"): (of_betacal, ours(calib.BetaCalibration())),
    ("probmetrics", "quadratic logit"): (
        of_probmetrics("quadratic-scaling"),
        ours(calib.QuadraticLogit()),
    ),
}


def compare(comparisons, arguments):
    """A row for each definition: the largest difference and its root mean square."""
    for (peer, what), (theirs, definitions) in comparisons.items():
        expected = np.asarray(theirs(*arguments))
        for definition, own in definitions.items():
            difference = np.abs(np.asarray(own(*arguments)) - expected)
            largest, mean = difference.max(), np.sqrt(np.mean(difference**2))
            yield [peer, what, definition, f"{largest:.1e}", f"{mean:.1e}"]


def excess_losses(scores, labels):
    """The mean log loss of a peer's fit minus that of calib, on the points that were fitted."""
    for (peer, what), (theirs, own) in FITS.items():
        losses = [metrics.log_loss(labels, fit(scores, labels, scores)) for fit in [theirs, own]]
        definition = "log loss of the fitted points, excess over calib"
        yield [peer, what, definition, f"{losses[0] - losses[1]:.1e}", ""]


def main():
    """Compare everything and write the table."""
    scores, labels = sample(SIZE, slope=0.6, seed=0)
    queries, outcomes = sample(SIZE, slope=0.95, seed=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what peers say about convergence is theirs
        rows = [
            *compare(CALIBRATORS, (scores, labels, queries)),
            *excess_losses(scores, labels),
            *compare(MEASURES, (outcomes, queries)),
        ]
    with (ROOT / "results" / "agreement.csv").open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(
            ["package", "compared", "definitions", "largest difference", "root mean square"]
        )
        writer.writerows(rows)


if __name__ == "__main__":
    main()
