"""The benchmark: its data, its exact errors, its decisions and the form for CalArena."""

import json
from itertools import product

import numpy as np
import pandas as pd
import pytest

from calib.base.calibrator import log_odds
from experiments.benchmark import analysis, data, hypotheses, protocol, second, truth
from experiments.benchmark.analysis import by_dataset, cases_of, wins
from experiments.benchmark.calarena import CUSTOM_CALIBRATORS
from experiments.benchmark.calibrators import (
    CALIBRATORS,
    CANDIDATES,
    RAW,
    SplineOnLogits,
    predictions,
)
from experiments.benchmark.cross import CVAP
from experiments.benchmark.data import DATA_SETS
from experiments.benchmark.models import MODELS
from experiments.benchmark.protocol import BENCHMARK
from experiments.recording import Experiment, record, recorded

# What is run


def test_the_protocol_is_as_large_as_it_was_meant_to_be():
    assert len(DATA_SETS) >= 30
    assert len(MODELS) >= 6
    assert len(CALIBRATORS) >= 12
    assert protocol.N_SPLITS == 5
    assert len(BENCHMARK.cases()) == len(DATA_SETS) * len(MODELS) * 5
    assert all(one.rows >= data.FEWEST_ROWS for one in DATA_SETS)
    assert all(data.FEWEST_POSITIVES <= one.minority <= one.rows / 2 for one in DATA_SETS)


def test_the_first_splits_of_all_sets_come_first():
    numbers = [case["split"] for case in BENCHMARK.cases()]
    assert numbers == sorted(numbers)


@pytest.mark.parametrize(
    "rows, sizes",
    [(300, (150, 75, 75)), (50_000, (4000, 2000, 10_000)), (9000, (4000, 2000, 3000))],
)
def test_sizes_of_a_split(rows, sizes):
    assert data.DataSet("", rows, 50, "").sizes == sizes


@pytest.mark.parametrize("sizes", [(200, 100, 100), (50, 30, 20)])
def test_splits_are_disjoint_and_stratified(sizes):
    labels = np.repeat([0, 1], [360, 40])
    parts = data.split_rows(labels, sizes, seed=3)
    assert [part.size for part in parts] == list(sizes)
    together = np.concatenate(parts)
    assert np.unique(together).size == together.size
    for part in parts:
        assert abs(labels[part].sum() - part.size / 10) <= 1
    assert not np.array_equal(parts[0], data.split_rows(labels, sizes, seed=4)[0])


@pytest.fixture
def invented(monkeypatch):
    """A data set of 500 rows with a number, a rare word, a gap and an indicator."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=500)
    labels = (rng.random(500) < 1 / (1 + np.exp(-2 * x))).astype(np.int8)
    frame = pd.DataFrame(
        {
            "number": np.where(rng.random(500) < 0.1, np.nan, x),
            "word": rng.choice(["a", "b", None], 500),
            "indicator": rng.integers(0, 2, 500),
        }
    )
    one = data.DataSet("invented", 500, int(min(labels.sum(), 500 - labels.sum())), "invented")
    monkeypatch.setattr(data, "load", lambda name: (frame.copy(), labels))
    monkeypatch.setitem(data.BY_NAME, "invented", one)
    for cached in [data.split, data.table]:
        cached.cache_clear()
    yield frame, labels
    for cached in [data.split, data.table]:
        cached.cache_clear()


def test_encoding_is_learnt_from_the_training_rows(invented):
    training, calibration, test = data.split("invented", 0)
    assert training.X.shape == (250, 1 + 3 + 1)  # standardised, three words, one indicator
    assert (calibration.X.shape, test.X.shape) == ((125, 5), (125, 5))
    assert abs(training.X[:, 0].mean()) < 1e-12 < abs(test.X[:, 0].mean())
    assert set(np.unique(training.X[:, 1:])) == {0.0, 1.0}


def test_a_case_is_recorded_and_resumed(invented, tmp_path):
    calls = []

    def run_case(case):
        calls.append(case)
        return protocol.run_case(case)

    toy = Experiment(
        name="toy",
        title="",
        seed=1,
        cases=lambda: [
            {"dataset": "invented", "model": model, "split": split}
            for split in range(2)
            for model in ["logistic", "naive Bayes"]
        ],
        run_case=run_case,
    )
    record(toy, folder=tmp_path, n_jobs=1, cases=toy.cases()[:2])
    record(toy, folder=tmp_path, n_jobs=1)
    assert calls == toy.cases()
    rows = recorded("toy", folder=tmp_path)
    assert rows["calibrator"].tolist() == [RAW, *CALIBRATORS] * 4
    rate = data.BY_NAME["invented"].minority / 500
    uncertainty = rows["brier"] - rows["mcb"] + rows["dsc"]
    np.testing.assert_allclose(uncertainty, rate * (1 - rate), atol=0.01)
    assert ((rows["refuted"] > 0) == np.isinf(rows["log_loss"])).all()
    raw = rows["calibrator"] == RAW
    monotone = rows["calibrator"] == "Beta"
    np.testing.assert_allclose(rows["auc"][monotone], rows["auc"][raw], atol=1e-5)
    assert json.loads((tmp_path / "toy.json").read_text())["rows"] == rows["auc"].size


def test_few_points_are_a_stratified_part_of_the_others():
    calibration = data.Sample(np.arange(1000)[:, np.newaxis], np.arange(1000) % 10 == 0)
    everything, few = protocol.calibration_samples(calibration, 0, seed=5)
    assert everything is calibration
    assert few.labels.size == 200 and few.labels.sum() == 20
    assert np.array_equal(few.labels, few.X[:, 0] % 10 == 0)
    assert len(list(protocol.calibration_samples(calibration, 3, seed=5))) == 1


def test_a_loss_is_not_clipped_and_what_refutes_it_is_counted():
    labels = np.array([0, 1, 1, 0])
    found = protocol.measures(labels, np.array([0.0, 0.0, 1.0, 1.0]))
    assert found["log_loss"] == np.inf and found["refuted"] == 2
    assert np.isfinite(found["debiased"])  # bins of two points
    assert np.isnan(protocol.measures(labels, np.array([0.1, 0.2, 0.3, 0.4]))["debiased"])


def test_the_spline_takes_one_class_and_extremes():
    scores = np.array([0.0, 0.2, 0.7, 1.0])
    spline = SplineOnLogits()
    assert (spline.fit(scores, np.zeros(4, int)).predict(scores) == 1 / 6).all()
    p = spline.fit(scores, np.array([0, 0, 1, 1])).predict(scores)
    assert ((p > 0) & (p < 1)).all() and (np.diff(p) > 0).all()


def test_calibrators_are_left_out_above_their_size():
    rng = np.random.default_rng(0)
    scores = rng.random(30)
    labels = (rng.random(30) < scores).astype(int)
    few = {name: one._replace(most=20) if name == "Beta" else one for name, one in TWO.items()}
    assert [name for name, *_ in predictions(scores, labels, scores, few)] == [RAW, "Platt"]
    assert [name for name, *_ in predictions(scores, labels, scores, TWO)] == [RAW, *TWO]


TWO = {name: CANDIDATES[name] for name in ["Platt", "Beta"]}


# The tier with known truth


@pytest.mark.parametrize(
    "design", list(product(truth.SHAPES, truth.PREVALENCES, truth.DISTRIBUTIONS))
)
def test_populations(design):
    scores, p = truth.population(*design)
    assert scores.shape == p.shape == (truth.N_POINTS,)
    assert abs(scores.mean() - truth.PREVALENCES[design[1]]) < 1e-9
    assert ((p >= 0) & (p <= 1)).all()
    falls = (np.diff(p) < -1e-12).any()
    assert falls == (design[0] == "bump")
    slopes = {"calibrated": 1.0, "over-confident": 0.5, "under-confident": 2.0}
    if design[0] in slopes and design[2] != "U-shaped":  # there 1 - p is rounded
        spread = np.ptp(log_odds(p)) / np.ptp(log_odds(scores))
        assert spread == pytest.approx(slopes[design[0]], rel=1e-6)


def test_exact_errors_are_expectations():
    p = np.array([0.2, 0.5, 0.9])
    q = np.array([0.3, 0.5, 0.6])
    errors = truth.exact_errors(p, q)
    assert errors.mae == pytest.approx(0.4 / 3)
    assert errors.rms == pytest.approx(np.sqrt((0.01 + 0.09) / 3))

    def expected(loss):
        return np.mean(p * -np.log(loss) + (1 - p) * -np.log(1 - loss))

    assert errors.regret == pytest.approx(expected(q) - expected(p))
    assert errors.auc_loss == pytest.approx(0)

    def auc(f):
        pairs = list(product(range(3), range(3)))
        weights = [p[i] * (1 - p[j]) for i, j in pairs]
        above = [(f[i] > f[j]) + 0.5 * (f[i] == f[j]) for i, j in pairs]
        return np.average(above, weights=weights)

    turned = truth.exact_errors(p, q[::-1])
    assert turned.auc_loss == pytest.approx(auc(p) - auc(q[::-1]))
    assert turned.auc_loss > 0.1
    assert truth.exact_errors(p, np.array([0.0, 0.5, 0.9])).regret == np.inf
    assert truth.exact_errors(p, p) == (0, 0, 0, 0)


# How it is read


@pytest.fixture(autouse=True)
def few_resamples(monkeypatch):
    monkeypatch.setattr(analysis, "N_RESAMPLES", 400)


def rows_of(losses, *, points=None):
    """Rows of invented losses: from (dataset, model, split) to a loss for each calibrator."""
    lines = [
        {
            "dataset": dataset,
            "model": model,
            "split": split,
            "points": points or data.BY_NAME[dataset].sizes[1],
            "calibrator": name,
            "log_loss": value,
            "brier": value / 10,
            "auc": 1 - value / 10,
        }
        for (dataset, model, split), found in losses.items()
        for name, value in found.items()
    ]
    return {key: np.array([line[key] for line in lines]) for key in lines[0]}


NAMES = [one.name for one in DATA_SETS]


def everywhere(loss, models=("forest",), **options):
    """The same losses in one case of every data set."""
    return rows_of(
        {(name, m, 0): loss(k) for k, name in enumerate(NAMES) for m in models}, **options
    )


def test_cases_are_those_that_have_all_calibrators():
    rows = rows_of(
        {
            ("spect", "forest", 0): {RAW: 2.0, "Beta": 1.0},
            ("spect", "forest", 1): {RAW: 3.0},
            ("vote", "SVM", 0): {"Beta": np.inf, RAW: 1.0, "Platt": 0.5},
        }
    )
    found = cases_of(rows, "log_loss", ["Beta", RAW])
    assert found.datasets.tolist() == ["spect", "vote"]
    assert found.values.tolist() == [[1.0, 2.0], [np.inf, 1.0]]
    assert cases_of(rows, "log_loss", ["Beta"], models=["SVM"]).datasets.tolist() == ["vote"]
    assert cases_of(rows, "auc", [RAW]).values[0, 0] == pytest.approx(-0.8)  # smaller is better
    assert cases_of(rows, "log_loss", [RAW], points=200).values.size == 0
    assert cases_of(rows, "log_loss", [RAW], points=None).values.size == 3


def test_cases_are_paired_by_their_names():
    rows = everywhere(lambda k: {RAW: k + 1.0, "Beta": k + 0.5}, models=["forest", "SVM"])
    other = rows_of({("vote", "SVM", 0): {RAW: 7.0}, ("spect", "SVM", 1): {RAW: 8.0}})
    first, second = (cases_of(one, "log_loss", [RAW]) for one in (rows, other))
    found = analysis.paired(first, second)
    assert found.datasets.tolist() == ["vote"] and found.models.tolist() == ["SVM"]
    assert found.values.tolist() == [[NAMES.index("vote") + 1.0, 7.0]]
    found = analysis.paired(first, second, keys=["datasets", "splits"])
    assert sorted(found.models) == ["SVM", "forest"] and found.values[:, 1].tolist() == [7.0, 7.0]


def test_wins_share_ties():
    assert wins(np.array([1, 2, 3, np.inf]), np.array([2, 2, 1, np.inf])).tolist() == [
        1,
        0.5,
        0,
        0.5,
    ]


def test_means_are_over_the_cases_of_a_data_set_first():
    names, means = by_dataset(np.array(["a", "a", "b"]), np.array([0.0, 1.0, 3.0]))
    assert names.tolist() == ["a", "b"] and means.tolist() == [0.5, 3.0]


def test_the_bootstrap_draws_a_source_as_a_whole():
    alone = analysis.bootstrap(np.array(["a", "a", "a"]), np.array([0.0, 1.0, 5.0]))
    assert alone == (2.0, 2.0, 2.0)
    units = np.array(["a", "b", "c", "d"])
    values = np.array([0.0, 1.0, 2.0, 3.0])
    apart = analysis.bootstrap(units, values)
    assert apart.value == 1.5
    # 256 equally likely draws: the exact quantiles of their means
    means = [np.mean(draw) for draw in product(values, repeat=4)]
    np.testing.assert_allclose(apart[1:], np.quantile(means, [0.025, 0.975]), atol=0.26)
    both = analysis.intervals(units, np.column_stack([values, -values]))
    assert both[0] == apart and both[1] == (-1.5, -apart.upper, -apart.lower)
    least = analysis.bootstrap(units, np.column_stack([values, 0 * values]), np.min)
    assert least.value == 0 and least.upper == 0


def test_harm_infinity_and_gain():
    rows = rows_of(
        {
            ("diabetes", "forest", 0): {RAW: 1.0, "Beta": 0.9, "Isotonic": np.inf},
            ("diabetes", "SVM", 0): {RAW: 1.0, "Beta": 1.1, "Isotonic": 1.0},
        }
    )
    _, harm = analysis.harm_shares(rows, ["Beta", "Isotonic"])
    assert harm.tolist() == [[0.5, 0.5]]
    _, infinite = analysis.infinite_shares(rows, ["Beta", "Isotonic"])
    assert infinite.tolist() == [[0.0, 0.5]]
    _, gain = analysis.gains(rows, ["Beta"], models=["forest"])
    assert gain[0, 0] == pytest.approx(100 * 0.01 / (268 * 500 / 768**2))
    _, gain = analysis.gains(rows, ["Beta"], "log_loss", models=["forest"])
    rate = 268 / 768
    entropy = -rate * np.log(rate) - (1 - rate) * np.log(1 - rate)
    assert gain[0, 0] == pytest.approx(100 * 0.1 / entropy)


BY_HAND = {hypothesis.name: hypothesis for hypothesis in hypotheses.HYPOTHESES}


def decided(name, **tables):
    return hypotheses.decide(BY_HAND[name], tables.__getitem__)


def test_hypotheses_have_names_of_their_own():
    assert len(BY_HAND) == len(hypotheses.HYPOTHESES) >= 8


@pytest.mark.parametrize(
    "beats, answer",
    [(lambda k: True, "yes"), (lambda k: False, "no"), (lambda k: k % 2 == 0, "undecided")],
)
def test_a_win_share_is_decided_by_its_interval(beats, answer):
    rows = everywhere(
        lambda k: {"Platt on logits": 1.0, "Platt": 2.0 if beats(k) else 0.5},
        models=["boosting", "naive Bayes", "forest", "extra trees"],
    )
    opposite = {"yes": "no", "no": "yes", "undecided": "undecided"}
    assert decided("boosting", benchmark=rows).answer == answer
    assert decided("naive Bayes", benchmark=rows).answer == opposite[answer]
    assert decided("forests", benchmark=rows).answer == opposite[answer]


def test_the_rest_of_the_hypotheses_on_rows_with_a_known_answer():
    order = dict(zip(hypotheses.CALARENA, np.arange(1.0, 10.0), strict=True))
    better = everywhere(lambda k: order | {"ENIR": 0.5, "BBQ": 0.7, "Heterogeneous": 0.1})
    assert decided("logistic", benchmark=better).answer == "yes"
    assert decided("CalArena", benchmark=better).estimate.value == pytest.approx(1)
    assert decided("CalArena", benchmark=better).answer == "yes"
    assert decided("ENIR", benchmark=better).answer == "yes"
    assert decided("BBQ", benchmark=better).answer == "yes"
    assert decided("heterogeneous", benchmark=better).answer == "yes"
    worse = everywhere(lambda k: {name: 10 - value for name, value in order.items()})
    assert decided("logistic", benchmark=worse).answer == "no"
    assert decided("CalArena", benchmark=worse).answer == "no"
    half = everywhere(lambda k: {RAW: 1.0, "Beta": 0.5, "Quadratic": 0.5 + k % 2})
    assert decided("logistic", benchmark=half).answer == "undecided"


def test_hypotheses_on_few_points():
    rows = everywhere(
        lambda k: {"Isotonic": np.inf if k % 5 else 1.0, "Beta": 1.0, "Venn-Abers": 1.5}, points=200
    )
    found = decided("infinite", benchmark=rows)
    assert found.answer == "yes"
    assert found.estimate.value == np.mean([k % 5 > 0 for k in range(len(NAMES))])
    assert decided("few points", benchmark=rows).answer == "yes"


def test_the_harm_of_venn_abers_is_compared_with_the_least_other():
    def losses(k, least):
        others = dict.fromkeys(CALIBRATORS, 2.0) | {"Platt": 2.0 if k % 10 < least else 0.0}
        return others | {RAW: 1.0, "Venn-Abers": 2.0 if k % 10 < 5 else 0.0}

    less = everywhere(lambda k: losses(k, 9))
    found = decided("harm", benchmark=less)
    assert found.answer == "yes" and 0.3 < found.estimate.value < 0.5
    assert decided("harm", benchmark=everywhere(lambda k: losses(k, 1))).answer == "no"


def test_cross_and_split_are_paired_by_case():
    split = everywhere(lambda k: {"Venn-Abers": 1.0}, models=["forest", "SVM"])
    cross = everywhere(lambda k: {CVAP: 0.5}, models=["SVM"], points=6000)
    found = decided("cross", benchmark=split, benchmark_cross=cross)
    assert found.answer == "yes" and found.estimate.value == 1


def test_samples_with_known_truth_are_decided_over_designs():
    lines = [
        {
            "shape": shape,
            "prevalence": "rare",
            "distribution": "uniform",
            "points": 10_000,
            "repetition": repetition,
            "calibrator": name,
            "rms": (shape == "bump") == (name == "Beta"),
        }
        for shape in ["bump", "steps", "calibrated"]
        for repetition in range(4)
        for name in ["Beta", "Venn-Abers"]
    ]
    rows = {key: np.array([line[key] for line in lines]) for key in lines[0]}
    found = decided("many points", benchmark_truth=rows)
    assert found.estimate.value == pytest.approx(1 / 3) and found.answer == "undecided"
    means = analysis.truth_means(rows, "rms", ["Venn-Abers", "Beta"], shape="bump")
    assert means.tolist() == [0.0, 1.0]


# CalArena


def test_the_form_for_calarena():
    """The loop of its ``run_benchmark.py`` over groups laid out as its HDF5 files are."""
    rng = np.random.default_rng(0)
    p = rng.random(400).astype(np.float32)
    y = (rng.random(400) < p).astype(np.int64)
    files = {
        "invented/one column": {"probas_cal": p[:200], "probas_test": p[200:]},
        "invented/two columns": {
            "probas_cal": np.stack([1 - p[:200], p[:200]], axis=1),
            "probas_test": np.stack([1 - p[200:], p[200:]], axis=1),
        },
    }
    everything = {**CANDIDATES, **second.CANDIDATES}
    assert len(CUSTOM_CALIBRATORS) == len(everything) - 1  # ABB is too slow
    for name, factory in CUSTOM_CALIBRATORS.items():
        assert "/" not in name and " " not in name  # it names a file
        found = []
        for group in files.values():
            calibrator = factory()
            assert calibrator is not factory()
            calibrator.fit(group["probas_cal"], y[:200])
            found.append(calibrator.predict_proba(group["probas_test"]))
        assert found[0].shape == (200, 2)
        np.testing.assert_allclose(found[0].sum(axis=1), 1)
        np.testing.assert_array_equal(*found)
        assert np.mean((found[0][:, 1] - y[200:]) ** 2) < 0.25
