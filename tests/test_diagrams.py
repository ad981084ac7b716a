"""Pictures show what the numbers say and leave matplotlib as it was."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

from calib import IsotonicCalibrator, diagrams, reliability_curve
from calib.diagrams import reliability_diagram


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def sample(n=400):
    rng = np.random.default_rng(0)
    p = rng.random(n)
    return rng.random(n) < p, p


def test_reliability_diagram_draws_the_curve():
    labels, p = sample()
    settings = dict(plt.rcParams)
    top, bottom = reliability_diagram(labels, {"Raw": p, "Mine": p**2}, strategy="uniform")
    curve = reliability_curve(labels, p, strategy="uniform")
    raw, mine = top.containers
    np.testing.assert_allclose(raw.lines[0].get_xydata().T, [curve.predicted, curve.observed])
    assert [text.get_text().split(" ")[0] for text in top.get_legend().get_texts()] == [
        "Raw",
        "Mine",
    ]
    assert raw.lines[0].get_color() == diagrams.METHOD_STYLES["Raw"]["color"]
    assert mine.lines[0].get_color() != raw.lines[0].get_color()
    assert bottom.get_xlabel() == "Predicted probability"
    assert dict(plt.rcParams) == settings


def test_reliability_diagram_draws_on_given_axes():
    labels, p = sample()
    _, axes = plt.subplots(2, 1)
    assert reliability_diagram(labels, {"Raw": p}, axes=axes) is axes
    with pytest.raises(ValueError, match="probabilities must lie in"):
        reliability_diagram(labels, {"Raw": p + 1}, axes=axes)


def test_calibration_map_draws_the_predictions():
    labels, p = sample()
    fitted = IsotonicCalibrator().fit(p, labels)
    ax = diagrams.calibration_map({"Isotonic": fitted}, truth=lambda s: s)
    line = ax.lines[1]
    np.testing.assert_array_equal(line.get_ydata(), fitted.predict(line.get_xdata()))


def test_a_method_keeps_its_style():
    assert diagrams.styles_of(["KDE", "Mine"])["KDE"] == diagrams.METHOD_STYLES["KDE"]
    styles = [tuple(style.values()) for style in diagrams.METHOD_STYLES.values()]
    assert len(set(styles)) == len(styles)
