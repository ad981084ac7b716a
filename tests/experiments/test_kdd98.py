import csv
import os

import numpy as np
import pandas as pd
import pytest

from calib.metrics import evaluate
from calibkit.datasets import DatasetNotFound
from experiments import recorded
from experiments.naeini2014 import kdd98
from experiments.naeini2014 import kdd98_variants as variants
from experiments.naeini2014.data import ClassEncoder, Mailing
from experiments.naeini2014.kdd98_files import read_files, synthetic_files
from experiments.naeini2014.kdd98_models import response_model

N = 1500


@pytest.fixture
def folder(tmp_path):
    synthetic_files(tmp_path, N, np.random.default_rng(0))
    return tmp_path


@pytest.fixture(scope="module")
def people(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    synthetic_files(folder, 4000, np.random.default_rng(1))
    return kdd98.campaign(*read_files(folder, rows=(4000, 4000)))


def rewrite(path, change):
    """Pass the rows of a file, header first, through `change`."""
    with path.open(newline="") as file:
        rows = change(list(csv.reader(file)))
    path.write_text("".join(",".join(row) + "\n" for row in rows))


def test_files_are_read_as_a_plain_csv_reader_reads_them(folder):
    learning, validation = read_files(folder, rows=(N, N))
    with (folder / "cup98VAL.txt").open(newline="") as file:
        rows = list(csv.DictReader(file))
    with (folder / "valtargt.txt").open(newline="") as file:
        gifts = {row["CONTROLN"]: float(row["TARGET_D"]) for row in csv.DictReader(file)}
    np.testing.assert_array_equal(validation.gifts, [gifts[row["CONTROLN"]] for row in rows])
    ages = [float(row["AGE"]) if row["AGE"].strip() else np.nan for row in rows]
    np.testing.assert_array_equal(validation.attributes["AGE"], ages)
    assert validation.attributes["RFA_2"].tolist() == [row["RFA_2"] for row in rows]
    assert validation.attributes["GENDER"].tolist() == [row["GENDER"].strip() for row in rows]
    assert 0.02 < np.mean(learning.gifts > 0) < 0.12


def drop_column(name):
    def change(rows):
        place = rows[0].index(name)
        return [row[:place] + row[place + 1 :] for row in rows]

    return change


def set_field(name, value, row=3):
    def change(rows):
        rows[row][rows[0].index(name)] = value
        return rows

    return change


BROKEN = {
    "no column": ("cup98LRN.txt", drop_column("LASTGIFT"), "cup98LRN.txt lacks .* LASTGIFT"),
    "no target": ("valtargt.txt", drop_column("TARGET_D"), "valtargt.txt lacks .* TARGET_D"),
    "row missing": ("cup98VAL.txt", lambda rows: rows[:-1], "cup98VAL.txt has 1499 rows but 1500"),
    "row too many": ("cup98LRN.txt", lambda rows: rows + rows[-1:], "has 1501 rows but 1500"),
    "short row": (
        "cup98LRN.txt",
        lambda rows: [*rows[:5], rows[5][:-1], *rows[6:]],
        "cup98LRN.txt, line 6 has",
    ),
    "unmatched": ("valtargt.txt", set_field("CONTROLN", "99999"), "1 CONTROLN without targets"),
    "repeated": (
        "valtargt.txt",
        lambda rows: [*rows[:-1], rows[1]],
        "valtargt.txt has CONTROLN .* more than once",
    ),
    "no number": ("cup98VAL.txt", set_field("AGE", "old"), "cup98VAL.txt, column AGE: 'old'"),
    "contradiction": (
        "cup98LRN.txt",
        lambda rows: set_field("TARGET_D", "7")(set_field("TARGET_B", "0")(rows)),
        "cup98LRN.txt, row 2: TARGET_B is 0 but TARGET_D is 7",
    ),
    "no target value": ("valtargt.txt", set_field("TARGET_D", " "), "valtargt.txt, row 2"),
}


@pytest.mark.parametrize("name, change, message", BROKEN.values(), ids=BROKEN.keys())
def test_broken_files_are_refused_by_name(folder, name, change, message):
    rewrite(folder / name, change)
    with pytest.raises(ValueError, match=message):
        read_files(folder, rows=(N, N))


def test_the_original_experiment_asks_for_its_files(folder, monkeypatch):
    monkeypatch.setenv("CALIB_DATA", str(folder))
    assert len(kdd98.ORIGINAL.cases()) == len(kdd98.CLASSIFIERS) * len(kdd98.SCORED)
    with pytest.raises(ValueError, match="cup98LRN.txt has 1500 rows but 95412"):
        kdd98.run_original(kdd98.ORIGINAL.cases()[0])
    (folder / "valtargt.txt").unlink()
    with pytest.raises(DatasetNotFound, match="valtargt.txt not found.*CALIB_DATA"):
        kdd98.ORIGINAL.cases()


def test_everything_becomes_classes():
    table = pd.DataFrame(
        {"AGE": np.r_[np.arange(1000.0), [np.nan] * 100], "DOMAIN": ["S1", "T2"] * 549 + ["", ""]}
    )
    encoder = ClassEncoder().fit(table)
    X = encoder.transform(table).toarray()
    assert X.shape == (1100, 11 + 3 + 3)  # deciles and unknown; letters, digits, each with rare
    np.testing.assert_array_equal(X.sum(axis=1), 3)
    np.testing.assert_array_equal(np.sort(X[:, :11].sum(axis=0)), 100)
    new = pd.DataFrame({"AGE": [-5.0, np.nan], "DOMAIN": ["S2", "X9"]})
    known, unknown = encoder.transform(new).toarray()
    np.testing.assert_array_equal(known[11:], [1, 0, 0, 0, 1, 0])
    np.testing.assert_array_equal(unknown[11:], [0, 0, 1, 0, 0, 1])


def test_gifts_above_fifty_dollars_do_not_teach(people):
    r = np.full(people.gifts.size, 0.05)
    large = np.flatnonzero(people.gifts == 0)[0]
    gifts = people.gifts.copy()
    gifts[large] = 200.0
    expected = kdd98.AmountModel().fit(people.X, r, people.gifts).predict(people.X_new, r)
    found = kdd98.AmountModel().fit(people.X, r, gifts).predict(people.X_new, r)
    np.testing.assert_array_equal(found, expected)
    givers = (people.gifts > 0) & (people.gifts <= 50)
    fitted = kdd98.AmountModel().fit(people.X, r, people.gifts).predict(people.X, r)[givers]
    assert fitted.mean() == pytest.approx(people.gifts[givers].mean(), rel=0.05)
    assert np.corrcoef(fitted, people.gifts[givers])[0, 1] > 0.5


@pytest.mark.parametrize("classifier", kdd98.CLASSIFIERS)
def test_rows_add_up(people, classifier):
    rows = kdd98.compare(people, classifier)
    assert len(rows) == 2 * 8
    everybody = kdd98.PEOPLE * np.mean(people.new_gifts - kdd98.COST)
    platt = next(row for row in rows if row["method"] == "Platt")
    for row in rows:
        assert row["profit"] - row["gain"] == pytest.approx(everybody)
        assert row["profit"] - row["lead"] == pytest.approx(platt["profit"])
    assert platt["ECE"] < 0.05
    raw = next(row for row in rows if row["method"] == "Raw")
    assert raw["ECE"] > 0.3


def test_profit_by_hand(people):
    r = np.linspace(0.0, 0.2, people.gifts.size), np.linspace(0.2, 0.0, people.new_gifts.size)
    mailed, dollars = kdd98.takings(people, *r)
    amount = kdd98.AmountModel().fit(people.X, r[0], people.gifts).predict(people.X_new, r[1])
    expected = [
        gift - 0.68 if p * a > 0.68 else 0.0
        for p, a, gift in zip(r[1], amount, people.new_gifts, strict=True)
    ]
    np.testing.assert_array_equal(dollars, expected)
    assert 0 < mailed.mean() < 1
    boot = np.random.default_rng(0).choice(dollars, (400, dollars.size)).mean(axis=1)
    found = kdd98.total("profit", dollars)
    scale = np.sqrt(kdd98.PEOPLE * dollars.size)  # from this number of people to 96,367
    assert found["profit_se"] == pytest.approx(scale * boot.std(), rel=0.15)


def test_a_reversed_score_is_lost_on_isotonic_regression_alone(people):
    scores, new_scores = kdd98.score("SVM reversed", "same", people)
    found = kdd98.responses(people, scores, new_scores)
    auc = {name: evaluate(people.new_gifts > 0, r[1])["AUC"] for name, r in found.items()}
    assert auc["Raw"] < 0.45
    assert auc["Isotonic"] == pytest.approx(0.5, abs=0.03)
    assert min(auc["Platt"], auc["Histogram"], auc["DPM"]) > 0.55


def test_scores_by_folds_never_come_from_a_model_that_saw_the_row(people):
    """Change the label of one row: its own score stays, others move."""
    scores, _ = kdd98.score("LR", "folds", people)
    gifts = people.gifts.copy()
    first = np.flatnonzero(gifts[:600] > 0)[0]  # swap two labels within the first fold
    other = np.flatnonzero(gifts[:600] == 0)[0]
    gifts[[first, other]] = gifts[[other, first]]
    changed, _ = kdd98.score("LR", "folds", people._replace(gifts=gifts))
    np.testing.assert_array_equal(changed[[first, other]], scores[[first, other]])
    assert np.mean(changed != scores) > 0.5


@pytest.fixture
def at_hand(monkeypatch):
    """Two thousand invented people in the place of the learning file, with two donation codes."""
    rng = np.random.default_rng(5)
    codes = rng.choice(["L1D", "L2E", "L4G"], 2000)
    attributes = pd.DataFrame(
        {"RFA_2": codes, "RFA_3": codes, "GENDER": rng.choice(["F", "M"], 2000)}
    )
    gifts = np.where(rng.random(2000) < 0.1 + 0.2 * (codes == "L4G"), 15.0, 0.0)
    people = Mailing(attributes, gifts)
    monkeypatch.setattr(kdd98, "people_at_hand", lambda: people)
    monkeypatch.setattr(variants, "REPEATED", ["RFA_3"])
    monkeypatch.setattr(variants, "WITHOUT", {variants.ONCE: ["RFA_3"]})
    return people


def test_the_turned_campaign_mails_to_those_who_taught(at_hand):
    first, second = kdd98.parts(0)
    assert not set(first) & set(second) and first.size + second.size == 2000
    straight, turned = (variants.campaign(0, turned=way) for way in [False, True])
    np.testing.assert_array_equal(straight.gifts, turned.new_gifts)
    np.testing.assert_array_equal(straight.new_gifts, turned.gifts)


def test_a_repeated_code_is_left_out(at_hand):
    everything, once = (variants.campaign(0, without=names) for names in [(), ["RFA_3"]])
    assert once.X.shape[1] < everything.X.shape[1]


def test_all_people_are_measured_at_once(at_hand):
    rows = variants.measured_on_everybody("LR", 0)
    assert {row["method"] for row in rows} == {
        "Raw", "Platt", "KDE", "DPM", "Platt on margins", "DPM on margins"
    }  # fmt: skip
    labels = at_hand.gifts > 0
    spread = np.sqrt(labels.mean() * (1 - labels.mean()))
    assert all(row["RMSE"] < 1.05 * spread for row in rows if row["method"] != "Raw")


@pytest.mark.parametrize("variant", variants.PENALTIES)
def test_a_penalty_is_that_of_its_name(variant):
    assert variants.classifier_of("LR", variant).C == pytest.approx(float(variant.split()[-1]))


def test_the_studys_classifier_is_kept_elsewhere():
    assert variants.classifier_of("LR", variants.ONCE).C == response_model("LR").C


def test_every_variant_is_recorded():
    rows = recorded(variants.KDD98_VARIANTS.name)
    cases = variants.KDD98_VARIANTS.cases()
    keys = set(zip(*(rows[key].tolist() for key in cases[0]), strict=True))
    assert keys == {tuple(case.values()) for case in cases}


@pytest.mark.slow
@pytest.mark.skipif(not os.environ.get("CALIB_DATA"), reason="needs the real data")
def test_a_variant_as_recorded():
    case = {"classifier": "NB", "variant": variants.ONCE, "run": 0}
    live = variants.run_variant(case)
    rows = recorded(variants.KDD98_VARIANTS.name)
    chosen = np.all([rows[key] == value for key, value in case.items()], axis=0)
    for name in ["RMSE", "AUC", "ECE", "profit"]:
        np.testing.assert_allclose([row[name] for row in live], rows[name][chosen], rtol=1e-3)


def test_mailing_everybody_earns_the_published_profit():
    rows = recorded("kdd98_everybody")
    assert rows["file"].tolist() == ["kdd98_learning", "kdd98_validation_targets"]
    assert rows["responders"].tolist() == [4843, 4873]
    assert round(rows["profit"][1]) == 10560


def test_the_published_isotonic_row_is_that_of_a_constant():
    """Table 3c, isotonic regression: RMSE 0.219, AUC 0.500, MCE 0.454, ECE 0.091."""
    labels = np.arange(96_367) < 4873
    constant = np.full(labels.size, 4843 / 95_412)
    measures = evaluate(labels, constant, ties="label")
    assert {name: round(value, 3) for name, value in measures.items()} == {
        "RMSE": 0.219,
        "AUC": 0.5,
        "ACC": 0.949,
        "MCE": 0.455,
        "ECE": 0.091,
    }
    assert evaluate(labels, constant)["ECE"] < 0.001


@pytest.mark.slow
@pytest.mark.skipif(not os.environ.get("CALIB_DATA"), reason="needs the real data")
def test_a_slice_of_the_recorded_rows_comes_out_again():
    rows = recorded(kdd98.HALVES.name)
    case = {"run": 0, "classifier": "LR", "scored": "same"}
    chosen = (rows["run"] == 0) & (rows["classifier"] == "LR") & (rows["scored"] == "same")
    again = kdd98.run_halves(case)
    assert [row["method"] for row in again] == rows["method"][chosen].tolist()
    for name in ["RMSE", "AUC", "ECE", "profit"]:
        np.testing.assert_allclose([row[name] for row in again], rows[name][chosen], rtol=1e-3)
