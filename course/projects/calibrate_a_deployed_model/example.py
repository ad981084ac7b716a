"""A frozen classifier of digits: choose a calibrator, export it as numbers, watch it in use."""

import json

import numpy as np
from scipy.special import expit, logit
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB

from calib import HistogramBinning, IsotonicCalibrator, PlattScaling, VennAbers
from calib.metrics import brier_score_loss, expected_calibration_error

CANDIDATES = {
    "Platt": PlattScaling(),
    "Isotonic": IsotonicCalibrator(),
    "Histogram": HistogramBinning(n_bins=10),
    "Venn-Abers": VennAbers(),
}


def deployed():
    """Scores and labels of three samples that the classifier has not seen."""
    X, digits = load_digits(return_X_y=True)
    labels = digits % 2
    X_train, X_rest, z_train, z_rest = train_test_split(X, labels, train_size=600, random_state=0)
    model = GaussianNB(var_smoothing=1e-2).fit(X_train, z_train)
    log_odds = np.diff(model.predict_joint_log_proba(X_rest), axis=1).ravel()
    cuts = [400, 800]
    return list(zip(np.split(log_odds, cuts), np.split(z_rest, cuts), strict=True))


def ece_if_calibrated(p, rng, draws=500):
    """Mean ECE of labels that are drawn from the predictions themselves."""
    return np.mean([expected_calibration_error(rng.random(p.size) < p, p) for _ in range(draws)])


def interval(differences, rng):
    """Bootstrap interval of a mean, 95 %."""
    drawn = rng.choice(differences, (2000, differences.size)).mean(axis=1)
    return np.quantile(drawn, [0.025, 0.975])


def numbers():
    """Everything that the report says."""
    rng = np.random.default_rng(3)
    (y_fit, z_fit), (y_choose, z_choose), (y_use, z_use) = deployed()
    raw = expit(y_choose)
    found = {"raw_brier": f"{brier_score_loss(z_choose, raw):.4f}"}
    loss = {"raw": (raw - z_choose) ** 2}
    for name, method in CANDIDATES.items():
        p = method.fit(y_fit, z_fit).predict(y_choose)
        key = name.replace("-", "")
        loss[name] = (p - z_choose) ** 2
        low, high = interval(loss[name] - loss["raw"], rng)
        found[f"{key}_brier"] = f"{loss[name].mean():.4f}"
        found[f"{key}_gain"] = f"[{low:+.4f}, {high:+.4f}]"
        found[f"{key}_certain"] = f"{np.mean((p == 0) | (p == 1)):.0%}"
    careful = [name for name in CANDIDATES if found[name.replace("-", "") + "_certain"] == "0%"]
    chosen = min(careful, key=lambda name: loss[name].mean())
    found["chosen"] = chosen
    other = "Platt"
    low, high = interval(loss[chosen] - loss[other], rng)
    assert low < 0 < high  # the report says that the two cannot be told apart
    found["choice"] = f"[{low:+.4f}, {high:+.4f}]"

    stored = json.dumps(CANDIDATES[chosen].map_.to_dict())
    exported = {name: np.array(value) for name, value in json.loads(stored).items()}
    # The one line that the service runs:
    in_use = exported["probabilities"][np.searchsorted(exported["scores"], y_use, side="right")]
    assert np.array_equal(in_use, CANDIDATES[chosen].predict(y_use))
    found |= {"knots": len(exported["scores"]), "bytes": len(stored)}
    found["ece_use"] = f"{expected_calibration_error(z_use, in_use):.3f}"
    found["ece_floor"] = f"{ece_if_calibrated(in_use, rng):.3f}"

    kept = (z_use == 0) | (rng.random(z_use.size) < 0.2)  # later, odd digits become rare
    z_later, p_later = z_use[kept], in_use[kept]
    shift = logit(z_later.mean()) - logit(z_fit.mean())
    mended = expit(logit(p_later) + shift)
    found |= {
        "rate_before": f"{z_fit.mean():.2f}",
        "rate_later": f"{z_later.mean():.2f}",
        "ece_later": f"{expected_calibration_error(z_later, p_later):.3f}",
        "ece_mended": f"{expected_calibration_error(z_later, mended):.3f}",
        "floor_later": f"{ece_if_calibrated(p_later, rng):.3f}",
        "gap_later": f"{p_later.mean() - z_later.mean():+.3f}",
        "gap_mended": f"{mended.mean() - z_later.mean():+.3f}",
        "cases_later": int(kept.sum()),
    }
    assert chosen == "Venn-Abers" and exported["kind"] == "step"
    assert float(found["ece_mended"]) < float(found["ece_later"])
    return found
