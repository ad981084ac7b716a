"""Functions of other packages by their names in the test vectors, as their documentation says.

Each package has a function that imports it and returns a dict. A function raises
NotImplementedError for what the package does not offer. Options are those of the vectors, all
others the package's own.
"""

import sys
from pathlib import Path

import numpy as np


def not_offered(condition):
    """Leave a case out where the package has no such option."""
    if condition:
        raise NotImplementedError


def columns(scores):
    """Probabilities of both classes."""
    return np.column_stack([1 - np.asarray(scores, float), scores])


def arrays(labels, probabilities):
    """Return the columns as arrays."""
    return np.asarray(labels), np.asarray(probabilities, float)


def top(labels, probabilities):
    """Confidence in the more likely class, and whether it was right; 1/2 is class 1."""
    labels, p = arrays(labels, probabilities)
    predicted = p >= 0.5
    return np.where(predicted, p, 1 - p), predicted == labels


def scikit_learn():
    """Functions of scikit-learn."""
    from sklearn import metrics
    from sklearn.calibration import _SigmoidCalibration, calibration_curve
    from sklearn.isotonic import IsotonicRegression

    def curve(labels, probabilities, n_bins, bins):
        strategy = {"width": "uniform", "mass": "quantile"}[bins]
        observed, mean = calibration_curve(labels, probabilities, n_bins=n_bins, strategy=strategy)
        labels, p = arrays(labels, probabilities)
        edges = np.linspace(0, 1, n_bins + 1)
        if bins == "mass":
            edges = np.percentile(p, edges * 100)
        counts = np.bincount(np.searchsorted(edges[1:-1], p), minlength=n_bins)  # as it does
        return [counts[counts > 0], mean, observed]

    def isotonic(labels, scores, weights=None):
        model = IsotonicRegression(y_min=0, y_max=1, out_of_bounds="clip")
        return model.fit(scores, labels, sample_weight=weights).predict(scores)

    def platt(labels, scores, scale, weights=None):
        not_offered(scale == "logit")
        scores = np.asarray(scores)
        weights = None if weights is None else np.asarray(weights, float)
        return _SigmoidCalibration().fit(scores, np.asarray(labels), weights).predict(scores)

    return {
        "brier": lambda labels, probabilities, weights=None: metrics.brier_score_loss(
            labels, probabilities, sample_weight=weights
        ),
        "log_loss": lambda labels, probabilities, weights=None: metrics.log_loss(
            labels, columns(probabilities), sample_weight=weights, labels=[0, 1]
        ),
        "auc": lambda labels, probabilities, weights=None: metrics.roc_auc_score(
            labels, probabilities, sample_weight=weights
        ),
        "reliability_curve": curve,
        "isotonic": isotonic,
        "platt": platt,
    }


def calib():
    """Functions of this package, those that its own tests judge."""
    sys.path.append(str(Path(__file__).resolve().parents[1] / "tests" / "calibkit"))
    from test_vectors import FUNCTIONS

    return FUNCTIONS


def scipy():
    """Functions of SciPy."""
    from scipy.optimize import isotonic_regression

    def isotonic(labels, scores, weights=None):
        not_offered(len(set(scores)) < len(scores))  # it has no scores, and so no ties
        order = np.argsort(scores)
        labels = np.asarray(labels, float)
        weights = None if weights is None else np.asarray(weights, float)[order]
        values = np.empty(len(order))
        values[order] = isotonic_regression(labels[order], weights=weights).x
        return values

    return {"isotonic": isotonic}


def duckdb():
    """Functions of DuckDB, by SQL written by hand."""
    import duckdb

    def ask(sql, labels, probabilities, weights=None):
        weights = np.ones(len(labels)) if weights is None else np.asarray(weights, float)
        base = duckdb.connect()
        base.execute("CREATE TABLE t (z DOUBLE, p DOUBLE, w DOUBLE)")
        rows = zip(labels, probabilities, weights, strict=True)
        base.executemany("INSERT INTO t VALUES (?, ?, ?)", [tuple(map(float, row)) for row in rows])
        return base.execute(sql).fetchone()[0]

    def asked(sql):
        return lambda labels, probabilities, weights=None: ask(sql, labels, probabilities, weights)

    def binned(outer):
        def error(labels, probabilities, n_bins, bins, weights=None):
            not_offered(bins != "width")
            inner = (
                "SELECT sum(w) n, sum(w * (z - p)) d FROM t WHERE w > 0 "
                f"GROUP BY least(floor(p * {n_bins}), {n_bins - 1})"
            )
            return ask(f"SELECT {outer} FROM ({inner})", labels, probabilities, weights)

        return error

    return {
        "brier": asked("SELECT sum(w * (z - p) ** 2) / sum(w) FROM t"),
        "log_loss": asked(
            "SELECT sum(CASE WHEN w = 0 THEN 0 WHEN CASE z WHEN 1 THEN p ELSE 1 - p END = 0 "
            "THEN 'inf'::DOUBLE ELSE -w * ln(CASE z WHEN 1 THEN p ELSE 1 - p END) END) / sum(w) "
            "FROM t"
        ),
        "auc": asked(
            "SELECT sum(a.w * b.w * CASE WHEN a.p > b.p THEN 1 WHEN a.p = b.p THEN 0.5 ELSE 0 END) "
            "/ sum(a.w * b.w) FROM t a, t b WHERE a.z = 1 AND b.z = 0"
        ),
        "ece": binned("sum(abs(d)) / sum(n)"),
        "mce": binned("max(abs(d) / n)"),
        "rms_error": binned("sqrt(sum(d * d / n) / sum(n))"),
        "kuiper": asked(
            "SELECT (greatest(max(c), 0) - least(min(c), 0)) / any_value(n) FROM (SELECT sum(d) "
            "OVER (ORDER BY p) c, sum(m) OVER () n FROM (SELECT p, sum(w * (z - p)) d, sum(w) m "
            "FROM t GROUP BY p))"
        ),
        "observed_expected": asked("SELECT sum(w * z) / nullif(sum(w * p), 0) FROM t"),
    }


def betacal():
    """Functions of betacal."""
    from betacal import BetaCalibration

    def beta(labels, scores, weights=None):
        column = np.asarray(scores, float).reshape(-1, 1)
        model = BetaCalibration("abm").fit(column, np.asarray(labels), weights)
        return model.predict(np.asarray(scores, float))

    return {"beta": beta}


def polars_ds():
    """Functions of polars-ds."""
    import polars
    import polars_ds

    def ask(expression):
        def answer(labels, probabilities):
            frame = polars.DataFrame({"z": labels, "p": [float(p) for p in probabilities]})
            return frame.select(expression).item()

        return answer

    return {
        "log_loss": ask(polars_ds.query_log_loss("z", "p")),
        "auc": ask(polars_ds.query_roc_auc("z", "p")),
    }


def model_diagnostics():
    """Functions of model-diagnostics."""
    from model_diagnostics.scoring import LogLoss, SquaredError, decompose

    def mean(loss):
        return lambda labels, probabilities, weights=None: loss(
            y_obs=np.asarray(labels, float),
            y_pred=np.asarray(probabilities, float),
            weights=None if weights is None else np.asarray(weights, float),
        )

    def corp(labels, probabilities, loss, weights=None):
        table = decompose(
            np.asarray(labels, float),
            np.asarray(probabilities, float),
            weights=None if weights is None else np.asarray(weights, float),
            scoring_function={"brier": SquaredError(), "log": LogLoss()}[loss],
        )
        return [table[name][0] for name in ("miscalibration", "discrimination", "uncertainty")]

    return {"brier": mean(SquaredError()), "log_loss": mean(LogLoss()), "corp": corp}


def relplot():
    """Functions of relplot."""
    from relplot.metrics import binnedECE

    def ece(labels, probabilities, n_bins, bins):
        not_offered(bins != "width")
        labels, p = arrays(labels, probabilities)
        return binnedECE(p, labels, nbins=n_bins)

    return {"ece": ece}


def _venn_abers(make):
    def pairs(labels, scores, new_scores):
        model = make()
        model.fit(columns(scores), np.asarray(labels))
        return model.predict_proba(columns(new_scores))

    return {
        "venn_abers": lambda **given: pairs(**given)[0][:, 1],
        "venn_abers_pairs": lambda **given: pairs(**given)[1],
    }


def venn_abers():
    """Functions of venn-abers."""
    from venn_abers import VennAbers

    return _venn_abers(VennAbers)


def mapie():
    """Functions of MAPIE."""
    from mapie._venn_abers import VennAbers
    from mapie.metrics import calibration

    def scaled(statistic):
        def error(labels, probabilities):
            labels, p = arrays(labels, probabilities)
            return statistic(labels, p) * np.sqrt(np.sum(p * (1 - p))) / p.size

        return error

    def ece(labels, probabilities, n_bins, bins):
        strategy = {"width": "uniform", "mass": "quantile"}[bins]
        labels, p = arrays(labels, probabilities)
        return calibration.expected_calibration_error(
            labels, p, num_bins=n_bins, split_strategy=strategy
        )

    return {
        "ece": ece,
        "kuiper": scaled(calibration.kuiper_statistic),
        "ks_error": scaled(calibration.kolmogorov_smirnov_statistic),
        "spiegelhalter_z": lambda labels, probabilities: calibration.spiegelhalter_statistic(
            *arrays(labels, probabilities)
        ),
        "spiegelhalter_p": lambda labels, probabilities: calibration.spiegelhalter_p_value(
            *arrays(labels, probabilities)
        ),
        **_venn_abers(VennAbers),
    }


def uncertainty_calibration():
    """Functions of uncertainty-calibration."""
    import calibration
    from calibration import utils

    def binned(power):
        def error(labels, probabilities, n_bins, bins):
            labels, p = arrays(labels, probabilities)
            schemes = {"width": utils.get_equal_prob_bins, "mass": utils.get_equal_bins}
            return calibration.lower_bound_scaling_ce(
                p,
                labels,
                p=power,
                debias=False,
                num_bins=n_bins,
                binning_scheme=schemes[bins],
                mode="marginal",
            )

        return error

    def platt(labels, scores, scale):
        not_offered(scale == "score")
        labels, p = arrays(labels, scores)
        return calibration.get_platt_scaler(p, labels)(p)

    return {"ece": binned(1), "rms_error": binned(2), "platt": platt}


def torchmetrics():
    """Functions of torchmetrics."""
    import torch
    from torchmetrics.functional.classification import binary_auroc, binary_calibration_error

    def tensors(labels, probabilities):
        return torch.tensor(probabilities, dtype=torch.float64), torch.tensor(labels)

    def binned(norm):
        def error(labels, probabilities, n_bins, bins):
            not_offered(bins != "width")
            p, z = tensors(labels, probabilities)
            return float(binary_calibration_error(p, z, n_bins=n_bins, norm=norm))

        return error

    return {
        "ece": binned("l1"),
        "mce": binned("max"),
        "rms_error": binned("l2"),
        "auc": lambda labels, probabilities: float(binary_auroc(*tensors(labels, probabilities))),
    }


def netcal():
    """Functions of netcal."""
    from netcal.binning import HistogramBinning, IsotonicRegression
    from netcal.metrics import ECE, MCE
    from netcal.scaling import BetaCalibration, LogisticCalibration, TemperatureScaling

    def binned(measure):
        def error(labels, probabilities, n_bins, bins):
            labels, p = arrays(labels, probabilities)
            return measure(n_bins, equal_intervals=bins == "width").measure(p, labels)

        return error

    def fitted(make):
        def predictions(labels, scores, n_bins=None, new_scores=None, scale="logit"):
            not_offered(scale == "score")
            labels, p = arrays(labels, scores)
            model = make(n_bins)
            model.fit(p, labels)
            asked = p if new_scores is None else np.asarray(new_scores, float)
            return np.asarray(model.transform(asked)).reshape(-1)

        return predictions

    return {
        "ece": binned(ECE),
        "mce": binned(MCE),
        "histogram": fitted(HistogramBinning),
        "isotonic": fitted(lambda n_bins: IsotonicRegression()),
        "platt": fitted(lambda n_bins: LogisticCalibration()),
        "temperature": fitted(lambda n_bins: TemperatureScaling()),
        "beta": fitted(lambda n_bins: BetaCalibration()),
    }


def probcal():
    """Functions of probcal."""
    import probcal as package
    from probcal import metrics

    def measure(function):
        return lambda labels, probabilities, weights=None: function(
            labels, probabilities, sample_weight=weights
        )

    def binned(norm):
        def error(labels, probabilities, n_bins, bins, weights=None):
            return metrics.ece(
                labels,
                probabilities,
                n_bins=n_bins,
                strategy=bins,
                norm=norm,
                sample_weight=weights,
            )

        return error

    def fitted(make):
        def predictions(labels, scores, weights=None, new_scores=None, scale="logit"):
            not_offered(scale == "score")
            model = make().fit(scores, labels, sample_weight=weights)
            return model.predict_proba(scores if new_scores is None else new_scores)

        return predictions

    def pairs(labels, scores, new_scores):
        model = package.VennAbersCalibrator().fit(scores, labels)
        found = model.predict_interval(new_scores)
        return np.column_stack(found) if isinstance(found, tuple) else found

    return {
        "brier": measure(metrics.brier_score),
        "log_loss": measure(metrics.log_loss),
        "ece": binned("l1"),
        "rms_error": binned("l2"),
        "mce": binned("max"),
        "in_the_large": measure(metrics.calibration_intercept),
        "spiegelhalter_z": lambda labels, probabilities: (
            metrics.spiegelhalter_z(labels, probabilities).z
        ),
        "spiegelhalter_p": lambda labels, probabilities: (
            metrics.spiegelhalter_z(labels, probabilities).p_value
        ),
        "isotonic": fitted(package.IsotonicCalibrator),
        "platt": fitted(package.PlattCalibrator),
        "temperature": fitted(package.TemperatureCalibrator),
        "beta": fitted(package.BetaCalibrator),
        "venn_abers": fitted(package.VennAbersCalibrator),
        "venn_abers_pairs": pairs,
    }


def probmetrics():
    """Functions of probmetrics."""
    import torch
    from probmetrics.metrics import (
        BrierLoss,
        KolmogorovSmirnovCalibrationMetric,
        KuiperCalibrationMetric,
        LogLoss,
    )

    def measure(metric):
        def value(labels, probabilities):
            p = torch.tensor(columns(probabilities), dtype=torch.float64)
            return float(metric.compute_from_labels_probs(torch.tensor(labels), p))

        return value

    return {
        "brier": measure(BrierLoss()),
        "log_loss": measure(LogLoss()),
        "kuiper": measure(KuiperCalibrationMetric()),
        "ks_error": measure(KolmogorovSmirnovCalibrationMetric()),
    }


def calibre():
    """Functions of calibre."""
    from calibre import brier_score, expected_calibration_error, maximum_calibration_error

    def binned(function):
        def error(labels, probabilities, n_bins, bins):
            not_offered(bins != "width")
            return function(*arrays(labels, probabilities), n_bins=n_bins)

        return error

    return {
        "brier": lambda labels, probabilities: brier_score(*arrays(labels, probabilities)),
        "ece": binned(expected_calibration_error),
        "mce": binned(maximum_calibration_error),
    }


def calibstats():
    """Functions of calibstats."""
    import calibstats as package

    def binned(norm):
        def error(labels, probabilities, n_bins, bins):
            strategy = {"width": "uniform", "mass": "quantile"}[bins]
            labels, p = arrays(labels, probabilities)
            return package.calibration_error(p, labels, n_bins=n_bins, strategy=strategy, norm=norm)

        return error

    return {
        "brier": lambda labels, probabilities: package.brier_score(
            np.asarray(probabilities, float), np.asarray(labels)
        ),
        "ece": binned("l1"),
        "rms_error": binned("l2"),
        "mce": binned("max"),
    }


def imbcal():
    """Functions of imbcal."""
    import imbcal as package

    def ece(labels, probabilities, n_bins, bins):
        strategy = {"width": "uniform", "mass": "quantile"}[bins]
        return package.expected_calibration_error(labels, probabilities, n_bins, strategy)

    def line(labels, probabilities):
        found = package.calibration_slope_intercept(*arrays(labels, probabilities))
        return list(found.values()) if isinstance(found, dict) else list(found)

    return {"ece": ece, "slope_intercept": line}


def jevassert():
    """Functions of jevassert."""
    from jevassert.metrics import expected_calibration_error

    def ece(labels, probabilities, n_bins, bins):
        not_offered(bins != "mass")
        return expected_calibration_error(list(probabilities), list(map(bool, labels)), n_bins)

    return {"ece": ece}


def _observations(make):
    def rows(labels, probabilities):
        return [make(float(p), bool(z)) for z, p in zip(labels, probabilities, strict=True)]

    return rows


def jevcal():
    """Functions of jevcal."""
    import jevcal as package

    rows = _observations(lambda p, z: package.CalibrationSample(predicted_probability=p, correct=z))

    def ece(labels, probabilities, n_bins, bins):
        not_offered(bins != "width")
        return package.compute_ece(rows(labels, probabilities), n_bins)

    return {
        "ece": ece,
        "brier": lambda labels, probabilities: package.compute_brier_score(
            rows(labels, probabilities)
        ),
    }


def jevkit_calibrate():
    """Functions of jevkit-calibrate."""
    import jevkit_calibrate as package

    rows = _observations(lambda p, z: package.Observation(probability=p, correct=z))

    def binned(function):
        def error(labels, probabilities, n_bins, bins):
            not_offered(bins != "width")
            return function(rows(labels, probabilities), n_bins)

        return error

    return {
        "ece": binned(package.expected_calibration_error),
        "mce": binned(package.maximum_calibration_error),
        "brier": lambda labels, probabilities: package.brier_score(rows(labels, probabilities)),
        "log_loss": lambda labels, probabilities: package.log_loss(rows(labels, probabilities)),
    }


def jev_trust():
    """Functions of jev-trust."""
    import jev_trust as package

    def rows(labels, probabilities):
        confidence, right = top(labels, probabilities)
        true = np.where(np.asarray(labels) == 1, probabilities, 1 - np.asarray(probabilities))
        return [
            package.Prediction("q", float(c), int(r), float(p))
            for c, r, p in zip(confidence, right, true, strict=True)
        ]

    def ece(labels, probabilities, n_bins, bins):
        not_offered(bins != "width")
        return package.ece_toplabel(rows(labels, probabilities), n_bins)

    return {
        "ece": ece,
        "brier": lambda labels, probabilities: package.brier(rows(labels, probabilities)),
    }


def jev_eval():
    """Functions of jev-eval."""
    import jev_eval as package

    def rows(labels, probabilities):
        return [
            package.Scored(
                row=i,
                kind="Noul",
                confidence=float(p),
                correct=bool(z),
                prob=float(p),
                outcome=bool(z),
                predicted=p >= 0.5,
                gold=bool(z),
            )
            for i, (z, p) in enumerate(zip(labels, probabilities, strict=True))
        ]

    def binned(function):
        def error(labels, probabilities, n_bins, bins):
            not_offered(bins != "width")
            return function(package.bin_by_confidence(rows(labels, probabilities), n_bins))

        return error

    return {"ece": binned(package.ece), "mce": binned(package.mce)}


def kunko():
    """Functions of kunko-judge-audit."""
    from judge_audit.metrics import calibration, selective

    def rows(labels, probabilities):
        return list(map(float, probabilities)), list(map(bool, labels))

    def binned(function):
        def error(labels, probabilities, n_bins, bins):
            kind = {"width": calibration.EQUAL_WIDTH, "mass": calibration.EQUAL_MASS}[bins]
            return function(*rows(labels, probabilities), n_bins, kind)

        return error

    return {
        "brier": lambda labels, probabilities: calibration.brier_score(
            *rows(labels, probabilities)
        ),
        "ece": binned(calibration.expected_calibration_error),
        "mce": binned(calibration.maximum_calibration_error),
        "auc": lambda labels, probabilities: selective.failure_auroc(*rows(labels, probabilities)),
    }


def splinator():
    """Functions of splinator."""
    from splinator import metrics

    def ece(labels, probabilities, n_bins, bins):
        not_offered(bins != "mass")
        return metrics.expected_calibration_error(*arrays(labels, probabilities), n_bins)

    return {
        "ece": ece,
        "spiegelhalter_z": lambda labels, probabilities: metrics.spiegelhalters_z_statistic(
            *arrays(labels, probabilities)
        ),
    }


def reliably():
    """Functions of reliably-metrics."""
    from reliably.metrics import calibration, discrimination

    def binned(function):
        def error(labels, probabilities, n_bins, bins):
            kind = {"width": "equal_width", "mass": "adaptive"}[bins]
            labels, p = arrays(labels, probabilities)
            return function(labels, p, n_bins=n_bins, binning=kind, ci=None).value

        return error

    return {
        "ece": binned(calibration.ece),
        "mce": binned(calibration.mce),
        "auc": lambda labels, probabilities: (
            discrimination.auroc(*arrays(labels, probabilities), ci=None).value
        ),
    }


def pycalib():
    """Functions of pycalib."""
    from pycalib import metrics

    def binned(function):
        def error(labels, probabilities, n_bins, bins):
            not_offered(bins != "width")
            return function(*arrays(labels, probabilities), bins=n_bins)

        return error

    return {"ece": binned(metrics.binary_ECE), "mce": binned(metrics.binary_MCE)}


def statkit():
    """Functions of statkit."""
    from statkit.decision import net_benefit

    def curve(labels, probabilities, thresholds):
        labels, p = arrays(labels, probabilities)
        _, values = net_benefit(labels, p, thresholds=np.asarray(thresholds))
        return values

    return {"net_benefit": curve}


def scores():
    """Functions of scores, of the Bureau of Meteorology."""
    import xarray
    from scores.probability import brier_score, isotonic_fit, roc_auc

    def both(labels, probabilities):
        labels, p = arrays(labels, probabilities)
        return xarray.DataArray(p, dims="i"), xarray.DataArray(labels, dims="i")

    def isotonic(labels, scores, weights=None):
        weights = None if weights is None else np.asarray(weights, float)
        labels, p = arrays(labels, scores)
        found = isotonic_fit(p, labels, weight=weights, functional="mean")
        return [found["regression_func"](score) for score in p]

    return {
        "brier": lambda labels, probabilities: float(brier_score(*both(labels, probabilities))),
        "auc": lambda labels, probabilities: float(roc_auc(*both(labels, probabilities))),
        "isotonic": isotonic,
    }


PACKAGES = {  # names on the package index
    "calibrating-binary-classifiers": calib,
    "scikit-learn": scikit_learn,
    "scipy": scipy,
    "duckdb": duckdb,
    "betacal": betacal,
    "polars-ds": polars_ds,
    "model-diagnostics": model_diagnostics,
    "relplot": relplot,
    "venn-abers": venn_abers,
    "mapie": mapie,
    "uncertainty-calibration": uncertainty_calibration,
    "torchmetrics": torchmetrics,
    "netcal": netcal,
    "probcal": probcal,
    "probmetrics": probmetrics,
    "calibre": calibre,
    "calibstats": calibstats,
    "imbcal": imbcal,
    "jevassert": jevassert,
    "jevcal": jevcal,
    "jevkit-calibrate": jevkit_calibrate,
    "jev-trust": jev_trust,
    "jev-eval": jev_eval,
    "kunko-judge-audit": kunko,
    "splinator": splinator,
    "reliably-metrics": reliably,
    "pycalib": pycalib,
    "statkit": statkit,
    "scores": scores,
}
