"""Scorers: the measures, negated, inside scikit-learn."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score

from calib.metrics import reliability_curve
from calibkit.inference import get_scorer
from calibkit.inference.scorers import SCORED_MEASURES


def sample():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2))
    return X, (rng.random(300) < 1 / (1 + np.exp(-X[:, 0]))).astype(int)


@pytest.mark.parametrize("name", SCORED_MEASURES)
def test_a_scorer_is_its_measure_negated(name):
    X, y = sample()
    model = LogisticRegression().fit(X, y)
    p = model.predict_proba(X)[:, 1]
    weights = np.random.default_rng(0).integers(0, 4, 300)
    scorer = get_scorer(name)
    assert scorer(model, X, y) == -SCORED_MEASURES[name](y, p)
    weighted = scorer(model, X, y, sample_weight=weights)
    assert weighted == -SCORED_MEASURES[name](y, p, sample_weight=weights)
    words = np.array(["no", "yes"])[y]
    assert scorer(LogisticRegression().fit(X, words), X, words) == pytest.approx(
        -SCORED_MEASURES[name](y, p), rel=1e-6
    )


def test_scorers_choose_models():
    X, y = sample()
    search = GridSearchCV(
        LogisticRegression(), {"C": [1e-6, 1.0]}, scoring=get_scorer("neg_log_loss")
    )
    assert search.fit(X, y).best_params_ == {"C": 1.0}
    scores = cross_val_score(LogisticRegression(), X, y, scoring="neg_brier_score")
    ours = cross_val_score(LogisticRegression(), X, y, scoring=get_scorer("neg_brier_score_loss"))
    np.testing.assert_allclose(ours, scores)


def test_options_reach_the_measure():
    X, y = sample()
    model = LogisticRegression().fit(X, y)
    curve = reliability_curve(y, model.predict_proba(X)[:, 1], n_bins=3, strategy="uniform")
    scorer = get_scorer("neg_expected_calibration_error", n_bins=3, strategy="uniform")
    assert scorer(model, X, y) == -curve.ece


def test_what_cannot_be_scored_is_refused_by_name():
    with pytest.raises(ValueError, match="name must be one of 'neg_brier_score_loss'"):
        get_scorer("brier")
    X, y = sample()
    model = LogisticRegression().fit(X, y)
    with pytest.raises(ValueError, match="y must hold two classes"):
        get_scorer("neg_log_loss")(model, X[y == 1], y[y == 1])
