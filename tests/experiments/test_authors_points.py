"""The reader of the authors' points, on a file of the same form; on theirs where it is at hand."""

import os
from pathlib import Path

import numpy as np
import pytest
from scipy.io import savemat

from calib import BBQ
from calibkit.datasets import DatasetNotFound
from experiments import authors_points, recorded
from experiments.authors_bbq import elbow, one_model
from experiments.authors_points import (
    MEASURES,
    OUTPUT,
    computed,
    main,
    read_output,
    read_points,
)

OPEN = {("Linear", "AUC"), ("Linear", "MCE")}  # of BBQ
FOLDER = os.environ.get("AUTHORS_POINTS")  # a copy of BBQ/ of github.com/pakdaman/calibration
PRINTED = "\n".join(
    f"{name}: {0.1 * row + 0.01 * k:.4f}" for row in range(4) for k, name in enumerate(MEASURES)
)


@pytest.fixture
def folder(tmp_path):
    """Two rings of 100 points each, to train and to test."""
    rng = np.random.default_rng(0)
    columns = {}
    for part in ("TR", "TE"):
        radius = np.concatenate([rng.uniform(0, 2, 100), rng.uniform(2, 4, 100)])
        angle = rng.uniform(0, 2 * np.pi, 200)
        columns[f"X{part}"] = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])
        columns[f"Y{part}"] = np.repeat([1, 0], 100)[:, np.newaxis]
    savemat(tmp_path / "data.mat", columns)
    (tmp_path / "output.txt").write_text(PRINTED, encoding="utf-8")
    return tmp_path


def test_points_are_standardised_by_those_that_train(folder):
    points = read_points(folder / "data.mat")
    np.testing.assert_allclose(points.train.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(points.train.std(axis=0, ddof=1), 1)
    assert points.test.shape == (200, 2) and abs(points.test.mean()) > 0
    assert points.train_labels.sum() == points.test_labels.sum() == 100


def test_the_printed_rows_are_read_in_their_order(folder):
    rows = read_output(folder / "output.txt")
    assert list(rows) == [(m, s) for m in ("Linear", "Quadratic") for s in ("raw", "BBQ")]
    assert rows["Quadratic", "BBQ"] == pytest.approx(
        {name: 0.3 + 0.01 * k for k, name in enumerate(MEASURES)}
    )
    (folder / "output.txt").write_text(PRINTED.replace("ACC", "XXX"), encoding="utf-8")
    with pytest.raises(ValueError, match="four rows of RMSE, AUC, ACC, MCE, ECE"):
        read_output(folder / "output.txt")


def test_a_quadratic_machine_tells_the_rings_apart_and_a_linear_one_does_not(folder):
    found = computed(read_points(folder / "data.mat"))
    assert found["Quadratic", "raw"]["AUC"] > 0.99
    assert 0.5 <= found["Linear", "raw"]["AUC"] < 0.65  # folded
    assert found["Linear", "BBQ"]["RMSE"] < found["Linear", "raw"]["RMSE"]


def test_the_kernel_is_the_one_of_the_program():
    first, second = np.array([[1.0, 2.0]]), np.array([[3.0, -1.0], [0.5, 0.5]])
    np.testing.assert_allclose(authors_points.quadratic(first, second), [[1 * 2, 1.5 * 2.5]])


def test_the_command_prints_both(folder, capsys):
    main([str(folder)])
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 6 and "(0.2000)" in lines[3] and lines[3].startswith("Quadratic  raw")


@pytest.mark.skipif(not FOLDER, reason="needs a copy of the authors' files in AUTHORS_POINTS")
def test_the_raw_rows_are_those_that_their_program_printed():
    folder = Path(FOLDER)
    printed, found = read_output(folder / "output.txt"), computed(read_points(folder / "data.mat"))
    for machine in ("Linear", "Quadratic"):
        assert found[machine, "raw"] == pytest.approx(printed[machine, "raw"], abs=2e-4)
        for name in MEASURES:
            near = abs(found[machine, "BBQ"][name] - printed[machine, "BBQ"][name]) < 4e-4
            assert near != ((machine, name) in OPEN)


def test_all_but_two_recorded_numbers_are_the_printed_ones():
    rows = recorded(OUTPUT.name)
    shown = np.isfinite(rows["printed"])
    assert shown.sum() == 20
    far = shown & (np.abs(rows["ours"] - rows["printed"]) > 4e-4)
    assert set(zip(rows["machine"][far], rows["measure"][far], strict=True)) == OPEN
    assert set(rows["stage"][far]) == {"BBQ"}


def test_recording_without_the_authors_files_says_which_are_missing(monkeypatch):
    monkeypatch.delenv(authors_points.FOLDER, raising=False)
    with pytest.raises(DatasetNotFound, match="AUTHORS_POINTS"):
        authors_points.run_output({"machine": "Linear", "stage": "raw"})


def test_their_bins_have_equally_many_points_and_the_last_one_the_rest():
    rng = np.random.default_rng(3)
    y = np.sort(rng.random(103))
    z = (rng.random(103) < y).astype(int)
    cuts, values, _ = one_model(y, z, 10)
    assert np.bincount(np.searchsorted(cuts, y)).tolist() == [10] * 9 + [13]
    first = y[:10]
    middle = (0 + (y[9] + y[10]) / 2) / 2
    typical = (np.sum(first[z[:10] == 1]) + middle) / (z[:10].sum() + 1)
    assert values[0] == pytest.approx((z[:10].sum() + typical) / 11)


def test_their_evidence_is_that_of_the_package_where_the_bins_are_the_same():
    rng = np.random.default_rng(4)
    y = np.sort(rng.random(100))
    z = (rng.random(100) < y).astype(int)
    ours = BBQ().fit(y, z)
    same = [k for k, size in enumerate(ours.n_bins_) if 100 % size == 0]
    theirs = np.array([one_model(y, z, int(ours.n_bins_[k]))[2] for k in same])
    log_weights = np.log(ours.weights_[same])
    np.testing.assert_allclose(np.diff(theirs), np.diff(log_weights), atol=1e-8)


def test_the_elbow_of_four_weights():
    """The example of chapter 8: the drops are 3.9, a little less than 0.001, and 4.9 variances."""
    assert elbow(np.array([0.6, 1.0, 0.1, 0.5999])).tolist() == [1]
    assert elbow(np.array([1.0, 0.5, 0.2])).tolist() == [0, 1]
    assert elbow(np.array([1.0, 1.0, 0.2])).tolist() == [0, 1]
