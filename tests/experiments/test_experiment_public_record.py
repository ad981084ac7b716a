"""CalArena's tables and what is said of them, and our calibrators on files of their form."""

import numpy as np
import pandas as pd
import pytest

from calib import BetaCalibration
from calib.metrics import brier_score_loss, log_loss
from experiments import recorded
from experiments.benchmark import calarena, clipped, hypotheses, public_order, public_record
from experiments.benchmark.data import BY_NAME
from experiments.benchmark.public_record import IMAGES, RAW, SIZES, TABARENA, TABREPO


@pytest.fixture(autouse=True)
def few_resamples(monkeypatch):
    monkeypatch.setattr(public_record, "N_RESAMPLES", 600)
    monkeypatch.setattr(public_order, "N_RESAMPLES", 200)


# The extract


@pytest.mark.parametrize("measure", ["log_loss", "brier"])
def test_the_extract_has_every_case_once(measure):
    found = pd.read_csv(public_record.FOLDER / f"{measure}.csv")
    assert not found.duplicated(["benchmark", "dataset", "model"]).any()
    assert found.groupby("benchmark").size().to_dict() == {TABREPO: 832, TABARENA: 314, IMAGES: 13}
    sets = found.groupby("benchmark")["dataset"].nunique().to_dict()
    assert sets == {TABREPO: 104, TABARENA: 30, IMAGES: 3}
    losses = found[found.columns[len(public_record.KEYS) :]]
    assert losses.shape[1] == 20 and losses.columns[0] == RAW
    assert np.nanmin(losses) >= 0 and np.isfinite(losses.to_numpy()[losses.notna()]).all()
    assert measure == "log_loss" or np.nanmax(losses) <= 2


def test_the_extract_names_its_source_and_licence():
    words = (public_record.FOLDER / "README.md").read_text()
    assert "arXiv 2605.30188" in words and "Apache License 2.0" in words
    licence = (public_record.FOLDER / "LICENSE.txt").read_text()
    assert "Version 2.0, January 2004" in licence and "Eugène Berta" in licence


def test_what_is_missing():
    found = public_record.missing()
    counts = found.set_index(["benchmark", "measure", "method"])["missing"].to_dict()
    assert counts == {
        (TABREPO, "log_loss", "CIR"): 1,
        (TABREPO, "brier", "CIR"): 1,
        (TABREPO, "log_loss", "CDF-Spline"): 532,
        (TABARENA, "log_loss", "CDF-Spline"): 149,
        (IMAGES, "log_loss", "CDF-Spline"): 12,
    }


def test_a_surprise_costs_87_divided_by_the_test_rows():
    """Their losses say so: the excess of isotonic regression is 0.8 to 1 of it, or near 0."""
    found = public_record.table("log_loss", TABREPO)
    units = (found["Isotonic"] - found["Venn-Abers"]) * found["test_size"] / 87.3
    assert (units < 0.1).mean() > 0.8
    assert units.between(0.8, 1).mean() > 0.1
    assert units.between(0.1, 0.5).sum() == 0
    assert public_record.surprised(found).mean() == pytest.approx((units > 0.5).mean())


# How it is read


def invented(losses, datasets=None):
    """A table of two methods and the base model; a row a data set."""
    found = pd.DataFrame(losses, columns=[RAW, "A", "B"])
    found.insert(0, "dataset", datasets or [f"set {k}" for k in range(len(found))])
    return found.assign(size=SIZES[0])


def test_wins_gain_and_harm_by_hand():
    losses = [
        [1.0, 0.5, 1.00005],  # B is not worse by 1e-4, and not by 0.1 %
        [1.0, 1.0, 1.0005],
        [1.0, 1.2, np.nan],
        [1.0, 0.7, 0.9],
        [1.0, 0.8, 0.7],
    ]
    found = public_record.summary(invented(losses))
    assert found["wins"].to_dict() == pytest.approx(
        {RAW: (0.5 + 0.75 + 1 + 0 + 0) / 5, "A": (1 + 0.75 + 0.5 + 1 + 0.5) / 5, "B": 1.5 / 5}
    )
    assert found["gain"]["A"] == pytest.approx((0.5 + 0 - 0.2 + 0.3 + 0.2) / 5)
    assert found["gain"]["B"] == pytest.approx((-0.00005 - 0.0005 + 0.1 + 0.3) / 4)  # not missing
    assert found["harm"].to_dict() == {RAW: 0, "A": 0.2, "B": 0.4}
    assert found["harm_relative"].to_dict() == {RAW: 0, "A": 0.2, "B": 0.2}
    for key in ["wins", "gain", "harm"]:
        inside = found[key].between(found[f"{key}_lower"], found[f"{key}_upper"])
        assert inside.all()


def test_cases_of_a_data_set_count_together():
    found = invented([[1.0, 0.5, 2.0]] * 3 + [[1.0, 2.0, 0.5]] * 5, ["a"] * 3 + list("bcdef"))
    assert public_record.summary(found)["wins"]["A"] == pytest.approx(1 / 6)


def test_a_family_is_drawn_as_a_whole():
    assert public_record.family("fri_c0_500_5") == public_record.family("fri_c4_1000_25")
    assert public_record.family("adult") == "adult"
    alone, rng = np.arange(20.0)[:, None], np.random.default_rng(0)
    names = [f"set {k}" for k in range(20)]
    pairs = [f"{'fri_c' if k < 15 else 'set'} {k}" for k in range(20)]
    apart, together = (
        public_record.redrawn_means(one, alone).std(axis=0) for one in (names, pairs)
    )
    assert together > 1.5 * apart
    exact = np.std([rng.choice(20, 20).mean() for _ in range(4000)])
    assert apart == pytest.approx(exact, rel=0.1)


def test_few_families_have_no_interval():
    found = public_record.summary(invented([[1.0, 0.5, 2.0]] * 4))
    assert found[["wins_lower", "gain_upper"]].isna().all(axis=None)
    assert not found["gain_sure"].any()


def test_a_leader_beats_whom_its_interval_says():
    rng = np.random.default_rng(1)
    noise = rng.normal(0, 0.01, 40)
    losses = np.column_stack([np.ones(40), 0.5 + noise, 0.5 + noise[::-1]])
    found = public_record.leaders(invented(losses)).loc[SIZES[0]]
    assert found["surely"] == 1 and found["rivals"] == 2 and found["closest"] != RAW
    pairs = public_record.against(invented(losses), "A")
    assert pairs.loc[RAW].tolist() == [1, 1, 1]
    assert pairs.loc["B", "lower"] < 0.5 < pairs.loc["B", "upper"]


def test_the_order_of_an_equal_record_is_equal():
    losses = np.random.default_rng(2).random((30, 3)) + [0, 0.2, 0.4]
    found, names = invented(losses), (RAW, "A", "B")
    _, values = public_order.shares(found, names)
    assert values.mean(axis=0) == pytest.approx(public_record.summary(found)["wins"].to_numpy())


# What the record says, as the issue and the chapter quote it


def test_harm_on_few_points():
    found = public_record.by("size", public_record.table("log_loss", TABREPO))
    harm = found["harm_relative"].loc[SIZES[0]].round(2)
    assert harm[["Beta", "Platt-logits", "TS", "Venn-Abers", "Isotonic"]].tolist() == [
        0.47, 0.40, 0.42, 0.59, 0.57
    ]  # fmt: skip
    assert found["harm_relative"].loc[SIZES[-1]].round(2)["Spline"] == 0.17


def test_their_shares_come_out_again():
    """Those that the first benchmark was compared with, and what a missing loss does to them."""
    names = {ours: theirs for theirs, ours in clipped.SHARED.items()} | {"Spline": "Spline"}
    found = public_record.as_published(TABREPO)
    for ours, share in hypotheses.CALARENA.items():
        assert found[names[ours]] == pytest.approx(share, abs=0.0015)
    more = public_record.summary(public_record.table("log_loss", TABREPO))["wins"] - found
    assert more.dropna().between(0.005, 0.025).all()


def test_nobody_leads_everywhere():
    leaders = {
        benchmark: public_record.leaders(public_record.table("log_loss", benchmark))
        for benchmark in (TABREPO, TABARENA)
    }
    assert leaders[TABREPO]["leader"].tolist() == [
        "Platt-logits", "Quadratic", "Quadratic", "Spline"
    ]  # fmt: skip
    assert leaders[TABARENA]["leader"].tolist()[1:] == ["Beta", "Quadratic", "Spline"]
    for found in leaders.values():
        assert (found["surely"] < found["rivals"])[1:].all()


# Beside our benchmark


def test_shared_sets_have_our_rows():
    for name, other in public_order.SHARED_SETS.items():
        for benchmark, title in other.items():
            found = public_record.table("brier", benchmark)
            rows = found[found["dataset"] == title][["cal_size", "test_size"]].sum(axis=1)
            assert rows.size and rows.nunique() == 1
            same = rows.iloc[0] in range(BY_NAME[name].rows - 2, BY_NAME[name].rows + 1)
            assert same == (name != public_order.OTHER_TASK), (name, benchmark)
    assert len(public_order.SHARED_SETS) == 9


def test_an_order_agrees_with_itself():
    found = public_order.theirs()
    value, lower, upper = public_order.agreement(public_order.ours("brier"), found)
    assert lower < value < upper
    turned = found.assign(**{name: -found[name] for name in clipped.SHARED})
    assert public_order.agreement(public_order.ours("brier"), turned)[0] == pytest.approx(-value)


def test_clipped_losses():
    rng = np.random.default_rng(3)
    p, y = rng.random(50), rng.integers(0, 2, 50)
    assert clipped.clipped_log_loss(y, p) == pytest.approx(log_loss(y, p))
    assert clipped.clipped_log_loss([1, 0, 1, 0], [0, 0.5, 1e-300, 1]) == pytest.approx(
        65.67569768381186  # what probmetrics 1.3.0 gives
    )


def test_the_infinite_rows_were_run_again():
    """The same predictions: equal Brier scores, and at least the cost of what was refuted."""
    rows, new = recorded("benchmark_peers"), recorded("benchmark_clipped")
    keys = list(zip(*(rows[key] for key in ["dataset", "model", "calibrator"]), strict=True))
    row_of = {key: k for k, key in enumerate(keys)}
    here = list(zip(*(new[key] for key in ["dataset", "model", "calibrator"]), strict=True))
    old = [row_of[key] for key in here]
    assert len(set(here)) == len(here) == sum(map(len, clipped.infinite().values()))
    assert np.isinf(rows["log_loss"][old]).all()
    np.testing.assert_allclose(new["brier"], rows["brier"][old], atol=1e-4)
    tests = np.array([BY_NAME[dataset].sizes[2] for dataset, *_ in here])
    cost = -clipped.LEAST_LOGARITHM * rows["refuted"][old] / tests
    assert (new["clipped"] > cost - 1e-5).all()  # rounded
    assert np.isfinite(public_order.ours(clipped=True)[list(clipped.SHARED)]).all(axis=None)


# Our calibrators on files of their form


def test_a_file_of_their_form():
    rng = np.random.default_rng(4)
    q = rng.random(400)
    p, y = np.sqrt(q).astype(np.float32), (rng.random(400) < q).astype(np.int64)
    labels = {"labels_cal": y[:250], "labels_test": y[250:]}
    groups = {
        "a": {
            "one column": {"probas_cal": p[:250], "probas_test": p[250:], **labels},
            "two columns": {
                "probas_cal": np.stack([1 - p, p], axis=1)[:250],
                "probas_test": np.stack([1 - p, p], axis=1)[250:],
                **labels,
            },
        }
    }
    assert {"calib-Average", "calib-Spline", "calib-Venn-Abers", "calib-ENIR", "calib-BBQ"} < set(
        calarena.CUSTOM_CALIBRATORS
    )
    found = calarena.run(groups, "calib-Beta")
    assert found["model"].tolist() == ["one column", "two columns"]
    assert found[["cal_size", "test_size"]].to_numpy().tolist() == [[250, 150]] * 2
    expected = BetaCalibration().fit(p[:250].astype(float), y[:250]).predict(p[250:].astype(float))
    for key, value in [
        ("brier", 2 * brier_score_loss(y[250:], expected)),
        ("logloss", log_loss(y[250:], expected)),
    ]:
        assert found[f"calib-Beta_{key}"].to_numpy() == pytest.approx(value, abs=1e-6)


def test_the_numbers_on_the_page_for_its_maintainers():
    found = public_record.table("log_loss", TABREPO)
    overall = public_record.summary(found).drop(RAW)
    assert overall["harm"].idxmin() == "Quadratic"
    assert overall["harm"].min() == pytest.approx(0.31, abs=0.005)
    few = found.loc[found["size"] == SIZES[0], "test_size"]
    assert (few.min(), few.max()) == (10, 54)
    boosted = public_record.summary(found[found["kind"] == "boosting"])
    assert not (boosted["gain_sure"] & (boosted["gain"] > 0)).any()
    sets = pd.Series(found["dataset"].unique())
    assert [sets.str.startswith(f).sum() for f in ["fri_c", "OVA_", "GAMETES_"]] == [10, 6, 6]
    assert len(calarena.CUSTOM_CALIBRATORS) == 19
