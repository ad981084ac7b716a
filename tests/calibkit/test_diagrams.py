"""Pictures show what the numbers say and leave matplotlib as it was."""

import subprocess
import sys

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import same_color
from scipy.stats import binomtest
from sklearn.exceptions import NotFittedError

from calib import (
    HeterogeneousCalibrator,
    IsotonicCalibrator,
    PlattScaling,
    StackedCalibrator,
    VennAbers,
)
from calib.metrics import (
    corp_curve,
    expected_calibration_error,
    reliability_curve,
    score_decomposition,
)
from calibkit import diagrams, multiclass
from calibkit.diagrams import reliability_diagram
from calibkit.diagrams.canvas import line_styles
from calibkit.inference import Interval, confidence_band, consistency_band

MINE = {"color": "#123456", "marker": "8", "linestyle": ":"}


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def sample(n=400):
    rng = np.random.default_rng(0)
    p = rng.random(n)
    return rng.random(n) < p, p


def legend_of(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def bars_of(container):
    """Ends of the vertical bars, shape (n_bins, 2)."""
    (bars,) = container.lines[2]
    return np.array([segment[:, 1] for segment in bars.get_segments()])


def test_reliability_diagram_draws_the_curve():
    labels, p = sample()
    settings = dict(plt.rcParams)
    top, bottom = reliability_diagram(labels, {"Raw": p, "Mine": p**2}, strategy="uniform")
    assert (top.get_box_aspect(), bottom.get_box_aspect()) == (1, 0.25)  # of the same width
    curve = reliability_curve(labels, p, strategy="uniform")
    raw, mine = top.containers
    np.testing.assert_allclose(raw.lines[0].get_xydata().T, [curve.predicted, curve.observed])
    assert raw.lines[0].get_color() == "#000000"
    assert mine.lines[0].get_color() != raw.lines[0].get_color()
    assert bottom.get_xlabel() == "Predicted probability"
    assert top.get_xlim() == top.get_ylim() == (-0.02, 1.02)
    assert dict(plt.rcParams) == settings


@pytest.mark.parametrize("weighted", [False, True])
def test_bars_are_the_clopper_pearson_intervals(weighted):
    labels, p = sample(120)
    copies = np.random.default_rng(1).integers(0, 3, 120) if weighted else np.ones(120, int)
    weights = copies if weighted else None
    binning = {"n_bins": 6, "strategy": "uniform"}
    top, _ = reliability_diagram(labels, {"Raw": p}, sample_weight=weights, **binning)
    drawn = bars_of(top.containers[0])
    bins = np.minimum((6 * p).astype(int), 5)
    positives, counts = np.bincount(bins, copies * labels), np.bincount(bins, copies)
    for ends, k, n in zip(drawn, positives, counts, strict=True):
        expected = binomtest(int(k), int(n)).proportion_ci(0.95, method="exact")
        np.testing.assert_allclose(ends, [expected.low, expected.high], atol=1e-10)


@pytest.mark.parametrize("weighted", [False, True])
def test_the_histogram_counts_the_predictions(weighted):
    labels, p = sample()
    weights = np.random.default_rng(1).exponential(size=p.size) if weighted else None
    names = {"Raw": p, "Mine": p**2}
    top, bottom = reliability_diagram(labels, names, sample_weight=weights)
    for histogram, curve, values in zip(
        bottom.patches, top.containers, names.values(), strict=True
    ):
        expected, edges = np.histogram(values, 25, (0, 1), weights=weights)
        steps = histogram.get_xy()[1:-1]
        np.testing.assert_allclose(steps[:, 0], np.repeat(edges, 2)[1:-1])
        np.testing.assert_allclose(steps[:, 1], np.repeat(expected, 2))
        assert same_color(histogram.get_edgecolor(), curve.lines[0].get_color())


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    "binning", [{}, {"ties": "label"}, {"n_bins": 4}, {"n_bins": 4, "strategy": "uniform"}]
)
def test_the_legend_states_the_error_over_the_same_bins(weighted, binning):
    labels, p = sample()
    weights = np.random.default_rng(1).exponential(size=p.size) if weighted else None
    binning = {**binning, "sample_weight": weights}
    names = {"Raw": p.round(1), "Mine": (p**2).round(1)}
    top, _ = reliability_diagram(labels, names, **binning)
    errors = [expected_calibration_error(labels, p, **binning) for p in names.values()]
    assert legend_of(top) == [f"Raw (ECE {errors[0]:.3f})", f"Mine (ECE {errors[1]:.3f})"]
    alone, _ = reliability_diagram(labels, names["Raw"], **binning)
    assert legend_of(alone) == [f"ECE {errors[0]:.3f}"]


@pytest.mark.parametrize("draw", [reliability_diagram, diagrams.corp_diagram])
def test_rare_positives_fill_the_scale_of_log_odds(draw):
    rng = np.random.default_rng(1)
    p = np.append(rng.beta(0.5, 50, 3000), [0.0, 1.0])
    labels = rng.random(p.size) < p
    top, bottom = draw(labels, p, scale="logit")
    plt.gcf().canvas.draw()
    assert [ax.get_xscale() for ax in (top, bottom)] == ["logit"] * 2 == [top.get_yscale()] * 2
    low, high = top.get_xlim()
    assert 0 < low < np.quantile(p, 0.01) and high < 0.5 and top.get_ylim() == (low, high)
    assert np.mean((p >= low) & (p <= high)) > 0.99
    (outline,) = bottom.patches
    counts, _ = np.histogram(p, np.unique(outline.get_xy()[:, 0]))
    assert counts.sum() == np.sum((p >= low) & (p <= high))
    with pytest.raises(ValueError, match="scale must be one of"):
        draw(labels, p, scale="log")
    draw([0, 1], [0.0, 1.0], scale="logit")


def test_reliability_diagram_draws_on_given_axes():
    labels, p = sample()
    _, axes = plt.subplots(2, 1)
    assert reliability_diagram(labels, {"Raw": p}, axes=axes) == tuple(axes)
    assert all(ax.has_data() for ax in axes)


@pytest.mark.parametrize(
    "predictions, message",
    [
        ({}, "predictions must be a dictionary with at least one entry; found an empty one"),
        ([0.1, 1.2], r"predictions must lie in \[0, 1\]; found 1.2 at row 1"),
        ({"Raw": [0.1, 1.2]}, r"predictions\['Raw'\] must lie in \[0, 1\]; found 1.2 at row 1"),
        ([0.1, 0.2, 0.3], "labels has 2 rows but predictions has 3"),
        ({"A": [0.1, 0.2], "B": [0.1]}, r"labels has 2 rows but predictions\['B'\] has 1"),
        ([[0.1, 0.9], [0.2, 0.8]], "predictions must be one-dimensional"),
        (None, "predictions must be one-dimensional"),
        (0.5, "predictions must be one-dimensional"),
    ],
)
def test_bad_predictions_are_refused_before_a_figure_is_made(predictions, message):
    before = plt.get_fignums()
    with pytest.raises(ValueError, match=message):
        reliability_diagram([0, 1], predictions)
    assert plt.get_fignums() == before


def test_bad_axes_are_refused():
    labels, p = sample()
    _, three = plt.subplots(3, 1)
    for axes, found in [
        (three[0], "Axes"),
        (three, "Axes, Axes, Axes"),
        ([], "none"),
        ("ab", "str, str"),
    ]:
        with pytest.raises(ValueError, match=f"axes must be a pair of matplotlib Axes.*{found}"):
            reliability_diagram(labels, p, axes=axes)
    with pytest.raises(ValueError, match="ax must be matplotlib Axes; found ndarray"):
        diagrams.calibration_map({"Platt": PlattScaling().fit(p, labels)}, ax=three)
    assert not any(ax.has_data() for ax in three)


def test_normalised_weights_are_warned_of_once_and_here():
    labels, p = sample(50)
    with pytest.warns(UserWarning, match="sample_weight sums to 1") as caught:
        reliability_diagram(labels, p, sample_weight=np.full(50, 1 / 50))
    assert [warning.filename for warning in caught] == [__file__]


def test_calibration_map_draws_the_predictions():
    labels, p = sample()
    fitted = IsotonicCalibrator().fit(p, labels)
    ax = diagrams.calibration_map({"Isotonic": fitted}, truth=lambda s: s)
    truth, line = ax.lines
    np.testing.assert_array_equal(truth.get_ydata(), truth.get_xdata())
    np.testing.assert_array_equal(line.get_ydata(), fitted.predict(line.get_xdata()))
    assert (line.get_xdata().min(), line.get_xdata().max()) == (0, 1)
    assert legend_of(ax) == ["Truth", "Isotonic"]
    assert ax.get_ylim() == (-0.02, 1.02)
    (line,) = diagrams.calibration_map({"Isotonic": fitted}, scores=[-1, 0.3, 2]).lines
    np.testing.assert_array_equal(line.get_xydata().T, [[-1, 0.3, 2], fitted.predict([-1, 0.3, 2])])


def test_maps_are_told_apart_by_markers_too():
    labels, p = sample()
    fits = {name: PlattScaling().fit(p, labels) for name in ["Platt", "BBQ", "Mine"]}
    lines = diagrams.calibration_map(fits).lines
    drawn = {line.get_label(): line.get_marker() for line in lines}
    assert drawn == {name: style["marker"] for name, style in line_styles(fits, None).items()}
    assert [line.get_markevery() for line in lines] == [  # equal maps hide no markers
        (0, 50), (16, 50), (33, 50)
    ]  # fmt: skip


def test_calibration_map_refuses_what_it_cannot_draw():
    labels, p = sample()
    fitted = PlattScaling().fit(p, labels)
    for calibrators, found in [({}, "an empty one"), (fitted, "PlattScaling")]:
        with pytest.raises(ValueError, match=f"calibrators must be a dictionary .*found {found}"):
            diagrams.calibration_map(calibrators)
    with pytest.raises(ValueError, match="scores must be finite"):
        diagrams.calibration_map({"Platt": fitted}, scores=[0.1, np.nan])


def test_partition_map_draws_each_part_over_its_own_scores():
    rng = np.random.default_rng(0)
    groups, scores = rng.choice(["big", "small"], 300, p=[0.95, 0.05]), rng.normal(size=300)
    labels = rng.random(300) < 1 / (1 + np.exp(-scores))
    calibrator = HeterogeneousCalibrator(min_part_size=50)
    calibrator.fit(scores, labels, groups=groups)
    ax = diagrams.partition_map(calibrator)
    together, *lines = ax.lines
    np.testing.assert_array_equal(
        together.get_ydata(), calibrator.fallbacks_[0].predict(together.get_xdata())
    )
    assert [line.get_linestyle() for line in lines] == ["-", "--"]
    for line, group in zip(lines, ["big", "small"], strict=True):
        x, (inside,) = line.get_xdata(), np.nonzero(groups == group)
        assert (x[0], x[-1]) == (scores[inside].min(), scores[inside].max())
        expected = calibrator.predict(x, groups=np.full(x.size, group))
        np.testing.assert_allclose(line.get_ydata(), expected, atol=1e-12)
        assert f"({inside.size})" in line.get_label()


def test_partition_map_refuses_what_it_cannot_draw():
    calibrator = HeterogeneousCalibrator(min_part_size=2)
    with pytest.raises(NotFittedError):
        diagrams.partition_map(calibrator)
    calibrator.fit(np.arange(8), [0, 0, 0, 1, 1, 0, 1, 1], groups=["a", "b"] * 4)
    with pytest.raises(ValueError, match="tree must be an integer from 0 to 0; found 1"):
        diagrams.partition_map(calibrator, tree=1)
    with pytest.raises(ValueError, match="must be a HeterogeneousCalibrator; found PlattScaling"):
        diagrams.partition_map(PlattScaling().fit([0.1, 0.9], [0, 1]))


def test_a_method_has_the_style_that_was_asked_for():
    labels, p = sample()
    top, _ = reliability_diagram(labels, {"Raw": p, "Mine": p**2}, styles={"Mine": MINE})
    raw, line = (container.lines[0] for container in top.containers)
    assert {name: getattr(line, f"get_{name}")() for name in MINE} == MINE
    assert raw.get_color() != line.get_color()


def test_styles_tell_many_names_apart():
    styles = line_styles("abcdefghijklmnop", None)
    assert len({tuple(style.values()) for style in styles.values()}) == len(styles)


def test_only_drawing_needs_matplotlib():
    program = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "from calib import PlattScaling\n"
        "from calibkit.diagrams import calibration_map as draw_maps, reliability_diagram\n"
        "for draw, arguments in [(reliability_diagram, ([0, 1], [0.1, 0.9])),\n"
        "                        (draw_maps, ({'a': PlattScaling().fit([0, 1], [0, 1])},))]:\n"
        "    try: draw(*arguments)\n"
        "    except ImportError as error: print(error)"
    )
    command = [sys.executable, "-c", program]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    messages = result.stdout.splitlines()
    assert len(messages) == 2
    for message in messages:
        assert message.startswith("matplotlib is needed")
        assert "install it, or this package with its extra 'plots'" in message


# Isotonic reliability diagrams


def test_a_corp_diagram_draws_its_curve_and_band():
    labels, p = corp_sample()
    for band, limits in (("consistency", consistency_band), ("confidence", confidence_band)):
        top, bottom = diagrams.corp_diagram(labels, p, band=band)
        curve, expected = corp_curve(labels, p), limits(labels, p)
        x, y = top.lines[-1].get_data()
        np.testing.assert_array_equal(x, curve.predicted)
        np.testing.assert_array_equal(y, curve.recalibrated)
        outline = top.collections[0].get_paths()[0].vertices[:, 1]
        assert outline.min() == expected.lower.min() and outline.max() == expected.upper.max()
        parts = score_decomposition(labels, p)
        text = f"MCB {parts.miscalibration:.3f}, DSC {parts.discrimination:.3f}"
        assert top.get_legend().get_texts()[0].get_text() == text
        assert bottom.get_xlabel() == "Predicted probability"
    assert not diagrams.corp_diagram(labels, p, band=None)[0].collections


def test_small_measures_have_two_digits_in_the_legend():
    labels = np.arange(10_000) % 500 == 0
    p = np.where(np.arange(10_000) % 2, 0.0025, 0.003)
    parts = score_decomposition(labels, p)
    top, _ = diagrams.corp_diagram(labels, p)
    (text,) = legend_of(top)
    found = [float(part.split()[1]) for part in text.split(", ")]
    assert found == pytest.approx([parts.miscalibration, parts.discrimination], rel=0.05)
    assert 0 < found[0] < 0.0005


def test_a_corp_diagram_draws_groups_and_methods():
    labels, p = corp_sample()
    groups = np.where(np.arange(p.size) % 3, "south", "north")
    weights = np.where(groups == "north", 2.0, 1.0)
    top, _ = diagrams.corp_diagram(labels, p, groups=groups, sample_weight=weights)
    for line, name in zip(top.lines[1:], ["north", "south"], strict=True):
        rows = groups == name
        curve = corp_curve(labels[rows], p[rows])
        np.testing.assert_allclose(line.get_ydata(), curve.recalibrated)
        assert line.get_label().startswith(f"{name} (MCB ")
    top, _ = diagrams.corp_diagram(labels, {"Raw": p, "Platt": p**2}, styles={"Platt": MINE})
    assert top.lines[2].get_color() == MINE["color"]
    nobody = np.where(groups == "north", 0, 1)
    top, _ = diagrams.corp_diagram(labels, p, groups=groups, sample_weight=nobody)
    assert len(top.lines) == 2


def test_bad_options_of_a_corp_diagram_are_refused_by_name():
    labels, p = corp_sample()
    for options, message in [
        ({"band": "wide"}, "band must be one of 'consistency', 'confidence'"),
        ({"groups": [1, 2]}, "groups has 2 rows but predictions has 200"),
        ({"axes": 1}, "axes must be a pair"),
    ]:
        with pytest.raises(ValueError, match=message):
            diagrams.corp_diagram(labels, p, **options)
    with pytest.raises(ValueError, match="groups must be None where predictions is a dictionary"):
        diagrams.corp_diagram(labels, {"Raw": p}, groups=labels)


def corp_sample():
    rng = np.random.default_rng(0)
    p = rng.random(200)
    return rng.random(200) < p, p


def test_forest_plot_draws_finite_intervals_and_writes_the_others():
    intervals = {
        "Platt": Interval(0.02, 0.01, 0.03, 0.005),
        "new": Interval(-np.inf, -np.inf, -np.inf, np.nan),
        "newer": Interval(np.inf, np.inf, np.inf, np.nan),
        "both": Interval(np.nan, np.nan, np.nan, np.nan),
        "unsure": Interval(0.5, -np.inf, np.inf, np.inf),
    }
    ax = diagrams.forest_plot(intervals, styles={"Platt": MINE})
    (drawn,) = ax.containers
    np.testing.assert_allclose(drawn.lines[2][0].get_segments(), [[[0.01, 0], [0.03, 0]]])
    assert drawn.lines[0].get_color() == MINE["color"]
    words = ["minus infinity", "infinite", "not defined", "0.5, without an interval"]
    assert [text.get_text() for text in ax.texts] == words
    assert ax.yaxis_inverted()
    assert list(ax.lines[0].get_xdata()) == [0, 0]  # where neither is better
    with pytest.raises(ValueError, match="intervals must be a dictionary with at least one entry"):
        diagrams.forest_plot({})


def test_weights_are_bars_in_the_order_of_the_members():
    scores = np.random.default_rng(0).random(200)
    labels = np.random.default_rng(1).random(200) < scores
    stacked = StackedCalibrator([VennAbers(), PlattScaling()]).fit(scores, labels)
    ax = diagrams.weights_plot(stacked)
    np.testing.assert_array_equal([bar.get_width() for bar in ax.patches], stacked.weights_)
    assert [text.get_text() for text in ax.texts] == [f"{w:.2f}" for w in stacked.weights_]
    assert [text.get_text() for text in ax.get_yticklabels()] == ["VennAbers()", "PlattScaling()"]
    assert ax.yaxis_inverted() and ax.get_xlim() == (0, 1)
    rows = np.column_stack([1 - scores, scores])
    of_classes = multiclass.StackedCalibrator().fit(rows, labels)
    assert len(diagrams.weights_plot(of_classes).patches) == of_classes.weights_.size
    with pytest.raises(ValueError, match="must be a StackedCalibrator; found PlattScaling"):
        diagrams.weights_plot(PlattScaling().fit(scores, labels))
    with pytest.raises(NotFittedError):
        diagrams.weights_plot(StackedCalibrator())
