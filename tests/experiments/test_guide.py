"""The advice on which calibrator to begin with: one source, and supported by the record."""

from pathlib import Path

import numpy as np
import pytest

from calibkit.comparison.guide import OTHERWISE, RULES
from experiments import recorded
from experiments.benchmark.analysis import (
    bootstrap,
    cases_of,
    gains,
    gains_over_first,
    paired,
    sources,
    truth_means,
    win_shares,
)
from experiments.benchmark.calibrators import CANDIDATES, CHOSEN, RAW
from experiments.benchmark.hypotheses import FORESTS
from experiments.benchmark.models import MODELS
from experiments.benchmark.protocol import BENCHMARK
from experiments.benchmark.second import AVERAGE, BENCHMARK_SECOND, SIZES
from experiments.benchmark.second_answers import (
    column,
    gains_of_learning,
    losses_of,
    policies,
)
from experiments.benchmark.truth import BENCHMARK_TRUTH

ROOT = Path(__file__).resolve().parents[2]
FALLS, FEATURES = RULES
OTHERS = [name for name in MODELS if name not in FORESTS]


@pytest.fixture(scope="module")
def real():
    return recorded(BENCHMARK.name)


@pytest.fixture(scope="module")
def truth():
    return recorded(BENCHMARK_TRUTH.name)


def test_the_page_has_the_words_of_the_guide():
    page = (ROOT / "book" / "which_method.md").read_text(encoding="utf-8")
    for rule in [*RULES, OTHERWISE]:
        assert f"`{rule.take}`" in page and rule.why in page and rule.question in page


def test_all_cases_are_recorded(real, truth):
    per_case = len(set(real["calibrator"]))
    cases = zip(real["dataset"], real["model"], real["split"], strict=True)
    assert len(set(cases)) == len(BENCHMARK.cases())
    assert np.sum(real["calibrator"] == RAW) * per_case == real["auc"].size
    n_of = {points: np.sum(truth["points"] == points) for points in set(truth["points"])}
    assert n_of == {100: 6120, 1000: 6120, 10_000: 5760}  # ABB is left out of the last


@pytest.mark.parametrize("measure", ["rms", "regret"])
@pytest.mark.parametrize("points", [1000, 10_000])
def test_where_the_truth_falls_and_classes_are_balanced_kernels_come_closest(
    truth, points, measure
):
    assert "KernelCalibrator" in FALLS.take
    names = [name for name, one in CANDIDATES.items() if points <= one.most and name != CHOSEN]
    found = truth_means(
        truth, measure, [RAW, *names], shape="bump", points=points, prevalence="balanced"
    )
    assert [RAW, *names][np.argmin(found)] == "KDE by likelihood"


def test_with_a_rare_class_they_do_not(truth):
    assert "With a rare class the raw scores were closer at 1000 points" in FALLS.why
    names = [name for name in CANDIDATES if name != CHOSEN]
    rare = {"shape": "bump", "prevalence": "rare", "points": 1000}
    raw, *others = truth_means(truth, "rms", [RAW, *names], **rare)
    assert raw < min(others)
    for points in [1000, 10_000]:
        lost = truth_means(truth, "regret", ["KDE by likelihood"], **rare | {"points": points})
        assert np.isinf(lost[0])


def test_features_raise_the_auc_and_gain_most_but_not_after_forests(real):
    assert FEATURES.take == "HeterogeneousCalibrator(tree)"
    names, shares = win_shares(real, "Heterogeneous", RAW, "auc")
    assert bootstrap(sources(names), shares).lower > 0.5
    names = [name for name in CANDIDATES if name not in (CHOSEN, "Beta")]
    _, gain = gains(real, ["Heterogeneous", *names], over="Beta", models=OTHERS)
    assert gain.mean(axis=0).argmax() == 0 < gain.mean(axis=0)[0]
    _, gain = gains(real, ["Heterogeneous"], over="Beta", models=FORESTS)
    assert gain.mean() < 0


@pytest.mark.parametrize("model", ["logistic", "naive Bayes"])
def test_boosting_in_place_of_the_model_gains_more(real, model):
    assert "boosting in place of logistic regression or naive Bayes gained more" in FEATURES.why
    parts = cases_of(real, "brier", ["Heterogeneous"], models=[model])
    boosted = cases_of(real, "brier", ["Beta"], models=["boosting"])
    names, more = gains_over_first(paired(parts, boosted, ["datasets", "splits"]))
    assert bootstrap(sources(names), more[:, 0]).lower > 0


@pytest.mark.parametrize("points", SIZES)
def test_no_calibrator_has_a_smaller_mean_log_loss_than_the_average(points):
    assert OTHERWISE.take == "StackedCalibrator()"
    rows = recorded(BENCHMARK_SECOND.name)
    ours = column(losses_of(rows, points)[2], AVERAGE)
    assert np.isfinite(ours).all()
    regrets = {name: one.value for name, one in policies(rows, points).items()}
    always = {name: one for name, one in regrets.items() if name.startswith("always")}
    assert min(always, key=always.get) == f"always {AVERAGE}"
    assert not any(one.lower > 0 for one in gains_of_learning(rows, points).values())


def test_after_the_svm_beta_and_platt_scaling_hardly_differ(real):
    _, gain = gains(real, ["Platt on logits"], over="Beta", models=["SVM"])
    assert abs(gain.mean()) < 0.5
