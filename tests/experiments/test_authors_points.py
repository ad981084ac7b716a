"""The reader of the authors' points, on a file of the same form; on theirs where it is at hand."""

import os
from pathlib import Path

import numpy as np
import pytest
from scipy.io import savemat

from experiments import authors_points
from experiments.authors_points import MEASURES, computed, main, read_output, read_points

FOLDER = os.environ.get("AUTHORS_POINTS")  # a copy of BBQ/ of github.com/pakdaman/calibration
OUTPUT = "\n".join(
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
    (tmp_path / "output.txt").write_text(OUTPUT, encoding="utf-8")
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
    (folder / "output.txt").write_text(OUTPUT.replace("ACC", "XXX"), encoding="utf-8")
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
        assert found[machine, "BBQ"] == pytest.approx(printed[machine, "BBQ"], abs=0.025)
