import os

import numpy as np
import pandas as pd
import pytest

from calib import PlattScaling
from calib.metrics import roc_auc_score
from experiments import read_table, recorded
from experiments.durfee2022 import data as durfee2022_data
from experiments.durfee2022 import epochs as durfee2022_epochs
from experiments.durfee2022 import full as durfee2022_full
from experiments.durfee2022 import last as durfee2022_last
from experiments.durfee2022 import networks as durfee2022_networks
from experiments.durfee2022 import protocol as durfee2022
from experiments.durfee2022.data import PARTS, PROTOCOLS, Features, Protocol, encode, split
from experiments.durfee2022.scores import BUDGETS, cases, quantised, read_scores, write_scores
from experiments.recording import RESULTS

needs_torch = pytest.mark.skipif(durfee2022_networks.torch is None, reason="needs PyTorch")
needs_data = pytest.mark.skipif("CALIB_DATA" not in os.environ, reason="needs the data files")


# Data


def test_columns_become_numbers_indicators_and_codes():
    X = pd.DataFrame(
        {
            "job": pd.Categorical(["b", None, "a"]),
            "age": [3, 1, 2],
            "sex": [2, 1, 2],
            "colour": pd.Categorical(["red", "blue", None]),
        }
    )
    encoded = encode(X, [0, 1, 0], Protocol((), embedded=("job",), coded=("sex",)), None)
    assert encoded.names[0] == "age" and encoded.names[-1] == "job"
    table = encoded.table
    np.testing.assert_array_equal(table["age"], [3, 1, 2])
    np.testing.assert_array_equal(table["sex=2"], [1, 0, 1])
    np.testing.assert_array_equal(table["colour=missing"], [0, 0, 1])
    np.testing.assert_array_equal(table["job"], [2, 0, 1])  # by name, missing first
    assert encoded.n_codes == [3] and encoded.n_numbers == 1


@pytest.mark.parametrize("dataset", PROTOCOLS)
def test_parts_have_the_published_sizes_and_do_not_overlap(dataset):
    rng = np.random.default_rng(0)
    sizes = PROTOCOLS[dataset].sizes
    published = read_table(RESULTS / "published" / "durfee2022_table4_splits.csv")
    order = ["bank_full", "adult", "credit_default", "higgs", "diabetes130"]
    for name, size in zip(["train", "validation", "calibration", "test"], sizes, strict=True):
        assert published[name][order.index(dataset)] == size
    labels = (rng.random(sum(sizes) + 60) < 0.2).astype(int)
    held_out = np.arange(labels.size) >= sum(sizes[:2]) + 30
    parts = split(dataset, 0, labels, held_out)
    assert tuple(len(parts[name]) for name in PARTS) == sizes
    assert len(set(np.concatenate(list(parts.values())))) == sum(sizes)
    for rows in parts.values():
        assert abs(labels[rows].mean() - labels.mean()) < 0.01
    if PROTOCOLS[dataset].held_out:
        assert held_out[parts["test"]].all() and not held_out[parts["training"]].any()


def test_runs_differ_and_a_run_repeats():
    labels = np.arange(45_211) % 9 == 0
    first, again, other = (split("bank_full", run, labels, ~labels) for run in (0, 0, 1))
    short = split("bank_full", 0, labels, ~labels, at_most=100)
    for part in PARTS:
        np.testing.assert_array_equal(first[part], again[part])
        assert not np.array_equal(first[part], other[part])
    np.testing.assert_array_equal(short["training"], first["training"][:100])
    np.testing.assert_array_equal(short["test"], first["test"])


# Scores


def test_scores_come_back_nearly_as_they_were(tmp_path):
    rng = np.random.default_rng(0)
    labels = rng.random(9000) < 0.2
    scores = rng.normal(labels, 1.0, (9, 9000))
    scores[3] = 0.25  # a network that has died
    case = cases()[0]
    write_scores(case, "standard", scores[:, :4000], scores[:, 4000:], tmp_path)
    networks = read_scores(case, "standard", tmp_path)
    level = BUDGETS["standard"]
    assert [n[:2] for n in networks] == [(r, rate) for r in range(3) for rate in level.rates]
    for own, (_, _, calibration, test) in zip(scores, networks, strict=True):
        assert len(calibration) == 4000
        areas = [roc_auc_score(labels[4000:], s) for s in (own[4000:], test)]
        assert abs(areas[0] - areas[1]) < 2e-4
    with pytest.raises(FileNotFoundError, match="--budget quick"):
        read_scores(case, "quick", tmp_path)


def test_codes_are_those_of_the_nearest_level():
    scores = np.random.default_rng(1).normal(size=3000)
    codes, levels = quantised(scores)
    assert codes.dtype == np.uint8
    nearest = np.abs(scores[:, None] - levels).min(axis=1)
    np.testing.assert_allclose(np.abs(scores - levels[codes]), nearest, atol=1e-6)


# Networks


def sample(n=1500):
    """A data set of three numbers, an indicator and two columns of codes, with two runs."""
    rng = np.random.default_rng(0)
    dense = rng.normal(3, 2, (n, 4)).astype(np.float32)
    dense[:, 3] = dense[:, 3] > 3
    codes = rng.integers(0, 3, (n, 2))
    labels = (rng.random(n) < 1 / (1 + np.exp(3 - dense[:, 0] - 2 * codes[:, 1]))).astype(np.int8)
    encoded = Features(list("abcdef"), dense, 3, codes, [3, 3], labels, np.zeros(n, bool))
    cuts = [800, 1000, 1200]
    parts = [dict(zip(PARTS, np.split(rng.permutation(n), cuts), strict=True)) for _ in range(2)]
    return encoded, parts


def stack(rows, regularisation="none", rates=(1e-3, 1e-2), seeds=(5, 6), normalised_inputs=False):
    return durfee2022_networks.Stack(
        rows, (8, 4, 4), regularisation, rates, list(seeds), normalised_inputs
    )


def test_training_without_torch_says_what_to_install(monkeypatch):
    monkeypatch.setattr(durfee2022_networks, "torch", None)
    with pytest.raises(ImportError, match="pip install torch"):
        durfee2022_networks.rows_for(*sample(), "raw")


@needs_torch
@pytest.mark.parametrize("regularisation", ["none", "batch norm", "dropout"])
@pytest.mark.parametrize("inputs", ["standardised", "raw"])
def test_networks_trained_together_are_those_trained_alone(regularisation, inputs):
    encoded, parts = sample()
    raw = inputs == "raw"
    together = stack(
        durfee2022_networks.rows_for(encoded, parts, inputs), regularisation, normalised_inputs=raw
    )
    epochs = durfee2022_networks.train(together, 3)
    scores = together.scores("test")
    assert scores.std(axis=1).min() > 0
    for k in range(4):
        rows = durfee2022_networks.rows_for(encoded, [parts[k // 2]], inputs)
        alone = stack(rows, regularisation, [(1e-3, 1e-2)[k % 2]], [5 + k // 2], raw)
        assert durfee2022_networks.train(alone, 3) == epochs[k]
        np.testing.assert_allclose(alone.scores("test")[0], scores[k], atol=1e-5)


@needs_torch
def test_a_network_is_that_of_torch_with_adam():
    torch = durfee2022_networks.torch
    encoded, parts = sample()
    encoded = encoded._replace(codes=encoded.codes[:, :0], n_codes=[])
    rows = durfee2022_networks.rows_for(encoded, parts[:1], "standardised")
    ours = stack(rows, rates=[1e-2], seeds=[5])
    own = torch.nn.Sequential(
        *[
            layer
            for a, b in [(4, 8), (8, 4), (4, 4), (4, 1)]
            for layer in [torch.nn.Linear(a, b), torch.nn.ReLU()]
        ][:-1]
    )
    values = ours.theta.detach()[0].split([p.numel() for p in own.parameters()])
    for parameter, value in zip(own.parameters(), values, strict=True):
        parameter.data = value.view(parameter.shape).clone()
    X = ((rows.dense - rows.centre[0]) / rows.scale[0]).float()
    torch.testing.assert_close(own(X[parts[0]["test"]])[:, 0], torch.tensor(ours.scores("test")[0]))
    adam = torch.optim.Adam(own.parameters(), lr=1e-2, eps=1e-7)
    generator = torch.Generator()
    generator.set_state(ours.generators[0].get_state())
    order = torch.tensor(parts[0]["training"])[torch.randperm(800, generator=generator)]
    for batch in order[:768].split(128):
        adam.zero_grad()
        torch.nn.functional.binary_cross_entropy_with_logits(
            own(X[batch])[:, 0], rows.labels[batch]
        ).backward()
        adam.step()
    ours.train_epoch()
    expected = own(X[parts[0]["test"]])[:, 0].detach().numpy()
    # Keras adds epsilon before the correction of the moments, torch after it
    np.testing.assert_allclose(ours.scores("test")[0], expected, atol=2e-3)


@needs_torch
def test_networks_learn_and_keep_their_best_epoch():
    encoded, parts = sample()
    rows = durfee2022_networks.rows_for(encoded, parts, "standardised")
    trained = stack(rows, rates=(1e-9, 1e-2))
    epochs = durfee2022_networks.train(trained, 6)
    areas = durfee2022_networks.areas(trained, "validation")
    assert (areas[1::2] > 0.75).all() and (areas[::2] < areas[1::2]).all()
    once_more = stack(rows, rates=(1e-9, 1e-2))
    for _ in range(epochs[1]):
        once_more.train_epoch()
    np.testing.assert_array_equal(once_more.scores("test")[1], trained.scores("test")[1])


# Calibration


def test_each_leaf_has_platt_scaling_of_its_own():
    rng = np.random.default_rng(0)
    leaves, new_leaves = rng.integers(0, 3, 900), rng.integers(0, 3, 300)
    scores, new_scores = rng.normal(size=900), rng.normal(size=300)
    labels = (rng.random(900) < 1 / (1 + np.exp(-scores - leaves))).astype(int)
    p = durfee2022.heterogeneous(leaves, scores, labels, new_leaves, new_scores)
    for leaf in range(3):
        own = PlattScaling().fit(scores[leaves == leaf], labels[leaves == leaf])
        there = new_leaves == leaf
        np.testing.assert_allclose(p[there], own.predict(new_scores[there]))


def test_the_tree_that_knows_something_is_chosen():
    rng = np.random.default_rng(0)
    groups, scores = rng.integers(0, 4, 2000), rng.normal(size=2000)
    labels = (rng.random(2000) < 1 / (1 + np.exp(3 - scores - 2 * groups))).astype(int)
    for known in durfee2022.TREES:
        leaves = {
            tree: {"calibration": groups if tree == known else rng.permutation(groups)}
            for tree in durfee2022.TREES
        }
        assert durfee2022.choose_tree(leaves, scores, labels, 0) == known


@pytest.mark.slow
@needs_data
def test_a_slice_of_the_recorded_rows_comes_out_again():
    case = {
        "dataset": "credit_default",
        "inputs": "standardised",
        "size": "M",
        "regularisation": "none",
    }
    rows = recorded(durfee2022.LIFT.name)
    chosen = np.all([rows[key] == value for key, value in case.items()], axis=0)
    again = durfee2022.run_case(case)
    assert [row["method"] for row in again] == rows["method"][chosen].tolist()
    for name in [
        "run",
        "learning_rate",
        "depth",
        "leaf",
        "parts",
        "own",
        "AUC",
        "AUC_error",
        "log_loss",
        "Brier",
        "ECE",
    ]:
        np.testing.assert_allclose([row[name] for row in again], rows[name][chosen], rtol=1e-5)


def test_the_recorded_bytes_have_the_areas_of_the_networks():
    rows = recorded(durfee2022.LIFT.name)
    own = rows["method"] == "network"
    trained = recorded("durfee2022_networks_standard")
    for key in ["dataset", "inputs", "size", "regularisation", "run", "learning_rate"]:
        np.testing.assert_array_equal(rows[key][own], trained[key])
    off = np.abs(rows["AUC"][own] - trained["test_auc"])
    assert off[trained["inputs"] == "standardised"].max() < 2e-4
    assert off[trained["validation_auc"] > 0.72].max() < 4e-4  # others have nearly died
    platt = (rows["method"] == "Platt") & (rows["inputs"] == "standardised")
    own &= rows["inputs"] == "standardised"
    np.testing.assert_allclose(rows["AUC"][platt], rows["AUC"][own], atol=1e-6)


# Longer training


def test_longer_training_goes_on_from_the_recorded_networks():
    """Up to 30 epochs the networks are those that were recorded before."""
    longer, trained = recorded("durfee2022_epochs"), recorded("durfee2022_networks_standard")
    n_cases, counts = len(durfee2022_epochs.cases()), durfee2022_epochs.EPOCHS
    n_networks = BUDGETS["standard"].n_runs * len(BUDGETS["standard"].rates)
    assert len(longer["run"]) == n_cases * n_networks * (len(counts) + 1)
    for k in np.flatnonzero(longer["n_epochs"] == 30):
        keys = ["dataset", "inputs", "size", "regularisation", "run", "learning_rate"]
        same = np.all([trained[key] == longer[key][k] for key in keys], axis=0)
        assert same.sum() == 1
        assert longer["test_auc"][k] == pytest.approx(trained["test_auc"][same][0], abs=2e-3)
    # the best epoch so far never has a smaller validation AUC than an earlier one, or the last one
    areas = longer["validation_auc"].reshape(n_cases, len(counts) + 1, n_networks)
    assert (np.diff(areas[:, :-1], axis=1) >= 0).all()
    assert (areas[:, -1] <= areas[:, -2]).all()
    last = longer["kept"] == "last"
    assert last.reshape(areas.shape)[:, -1].all() and last.sum() == n_cases * n_networks


@needs_data
@needs_torch
def test_the_first_epochs_of_longer_training(monkeypatch):
    monkeypatch.setattr(durfee2022_epochs, "EPOCHS", (1, 2))
    case = {"dataset": "bank_full", "inputs": "raw", "size": "S", "regularisation": "none"}
    rows = durfee2022_epochs.run_case(case)
    first, second, last = np.split(np.array([row["validation_auc"] for row in rows]), 3)
    assert (second >= first).all() and (second > first).any()
    assert [row["epoch"] for row in rows[-9:]] == [2] * 9
    np.testing.assert_array_equal(last[second > first], second[second > first])


def test_last_epochs_stand_beside_the_networks_that_were_recorded():
    """Where all rows are no more than before, the best of 30 epochs is that of the record."""
    longer, trained = recorded("durfee2022_last"), recorded("durfee2022_networks_standard")
    n_networks = BUDGETS["standard"].n_runs * len(BUDGETS["standard"].rates)
    shape = -1, len(durfee2022_last.EPOCHS), 2, n_networks
    best, last = np.moveaxis(longer["validation_auc"].reshape(shape), 2, 0)
    assert (np.diff(best, axis=1) >= 0).all() and (last <= best).all()
    assert (longer["epoch"] == longer["n_epochs"])[longer["kept"] == "last"].all()
    same = (longer["n_epochs"] == 30) & (longer["kept"] == "best")
    for k in np.flatnonzero(same & (longer["dataset"] != "diabetes130")):
        keys = ["dataset", "inputs", "size", "regularisation", "run", "learning_rate"]
        own = np.all([trained[key] == longer[key][k] for key in keys], axis=0)
        assert longer["test_auc"][k] == pytest.approx(trained["test_auc"][own].item(), abs=2e-3)


# The paper's budget


def test_networks_of_the_accelerator_are_those_of_the_processor():
    """With the same starts, standardised: at the 30th epoch, three runs and rates."""
    full, trained = recorded("durfee2022_full"), recorded("durfee2022_networks_standard")
    keys = ["dataset", "inputs", "size", "regularisation", "run", "learning_rate"]
    thirty = np.flatnonzero((full["n_epochs"] == 30) & (full["kept"] == "best"))
    place = {tuple(full[key][k] for key in keys): k for k in thirty}
    # diabetes130 had fewer training rows on the processor
    alike = (trained["inputs"] == "standardised") & (trained["dataset"] != "diabetes130")
    found = [place[tuple(trained[key][k] for key in keys)] for k in np.flatnonzero(alike)]
    off = full["test_auc"][found] - trained["test_auc"][alike]
    assert len(off) == 4 * 9 * 9
    assert np.median(np.abs(off)) < 1e-3 and np.abs(off).max() < 0.015
    assert abs(off.mean()) < 4 * off.std() / np.sqrt(off.size)


def test_the_record_of_the_paper_s_budget_is_whole():
    full, level = recorded("durfee2022_full"), BUDGETS["full"]
    assert (level.n_runs, level.n_epochs, level.n_training) == (5, 100, None)
    n_networks = level.n_runs * len(level.rates)
    areas = full["validation_auc"].reshape(len(cases()), 2, 2, n_networks)  # epochs, best or last
    assert (areas[:, 1, 0] >= areas[:, 0, 0]).all()
    assert (areas[:, :, 1] <= areas[:, :, 0]).all()
    assert (full["epoch"] <= full["n_epochs"]).all()


@needs_data
@needs_torch
def test_families_trained_side_by_side_are_those_trained_alone(monkeypatch):
    level = BUDGETS["full"]._replace(rates=(1e-3,), n_runs=2, n_epochs=2, n_training=2000)
    monkeypatch.setattr(durfee2022_full, "LEVEL", level)
    monkeypatch.setattr(durfee2022_full, "COUNTS", (1, 2))
    group = [
        case
        for case in cases()
        if case["dataset"] == "credit_default" and case["inputs"] == "standardised"
    ][:4]
    together = durfee2022_full.run_together(group, "cpu", n_jobs=1)
    assert together[3] == durfee2022_full.run_case(group[3])
    order = [(row["n_epochs"], row["kept"], row["run"]) for row in together[0]]
    assert order == [(n, kept, run) for n in (1, 2) for kept in ("best", "last") for run in (0, 1)]


# Another label


def test_the_early_label_is_that_of_the_extra_column(monkeypatch):
    table = {"diag_1": pd.Categorical(["a", "b", "a"])} | {"weight": [1, 2, 3]}
    X = pd.DataFrame(table | dict.fromkeys(durfee2022_data.PROTOCOLS["diabetes130"].dropped, 0))
    X = X.assign(**dict.fromkeys(durfee2022_data.PROTOCOLS["diabetes130"].embedded, "a"))
    extras = pd.DataFrame({"readmitted": ["NO", "<30", ">30"]})
    asked = []

    def load(name, return_extras):
        asked.append(name)
        return X, np.array([0, 1, 1], np.int8), extras

    monkeypatch.setattr(durfee2022_data, "load", load)
    durfee2022_data.features.cache_clear()
    assert durfee2022_data.features(durfee2022_data.EARLY).labels.tolist() == [0, 1, 0]
    assert durfee2022_data.features("diabetes130").labels.tolist() == [0, 1, 1]
    durfee2022_data.features.cache_clear()
    assert asked == ["diabetes130"] * 2
