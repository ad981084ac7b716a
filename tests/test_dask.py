"""Dask collections against the same rows in memory."""

import os
import signal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import calib
from calib import metrics

dask = pytest.importorskip("dask", reason="the extra dask is not installed")
pytest.importorskip("distributed", reason="the extra dask is not installed")
import dask.array as da  # noqa: E402
import dask.dataframe as dd  # noqa: E402
import pandas as pd  # noqa: E402
from distributed import Client, LocalCluster  # noqa: E402

import calib.dask  # noqa: E402
from calib.dask.rows import Sample  # noqa: E402

pytestmark = pytest.mark.slow  # dask takes its time; the kernels are tested elsewhere


@pytest.fixture(autouse=True)
def in_this_thread():
    with dask.config.set({"scheduler": "synchronous", "dataframe.shuffle.method": "tasks"}):
        yield


def sample(n, seed, decimals=None, weights=None):
    """Scores in any order, labels, and weights that are whole, fractions or none."""
    rng = np.random.default_rng(seed)
    scores = rng.beta(0.6, 0.8, n)
    if decimals is not None:
        scores = scores.round(decimals)
    labels = (rng.random(n) < 0.1 + 0.7 * np.sin(2 * scores) ** 2).astype(int)
    labels[:2] = [0, 1]
    given = {
        None: None,
        "whole": rng.integers(0, 4, n).astype(float),
        "fractions": rng.exponential(size=n),
    }[weights]
    if given is not None:
        given[:2] = 1  # both classes stay
    return scores, labels, given


def split(columns, chunks):
    """The columns as dask arrays of these chunks, whose sizes are not known: some may be empty."""
    ends = np.cumsum(chunks)

    def block(values, end, size):
        lazy = dask.delayed(values[end - size : end])
        return da.from_delayed(lazy, shape=(np.nan,), dtype=values.dtype)

    return [
        None
        if values is None
        else da.concatenate([block(values, e, s) for e, s in zip(ends, chunks, strict=True)])
        for values in columns
    ]


def fitted(calibrator, scores, labels, sample_weight=None):
    return calibrator.fit(scores, labels, sample_weight=sample_weight)


def same_map(ours, theirs):
    np.testing.assert_array_equal(ours.map_.scores, theirs.map_.scores)
    np.testing.assert_array_equal(ours.map_.probabilities, theirs.map_.probabilities)
    np.testing.assert_array_equal(ours.counts_, theirs.counts_)
    np.testing.assert_array_equal(ours.positives_, theirs.positives_)


PAIRS = [
    (calib.dask.IsotonicCalibrator(), calib.IsotonicCalibrator()),
    (calib.dask.IsotonicCalibrator(smoothing=1), calib.IsotonicCalibrator(smoothing=1)),
    (calib.dask.IsotonicCalibrator(smoothing=1e-17), calib.IsotonicCalibrator(smoothing=1e-17)),
    (calib.dask.HistogramBinning(), calib.HistogramBinning()),
    (calib.dask.HistogramBinning(n_bins=7), calib.HistogramBinning(n_bins=7)),
    (
        calib.dask.HistogramBinning(n_bins=6, strategy="uniform"),
        calib.HistogramBinning(n_bins=6, strategy="uniform"),
    ),
]
each_pair = pytest.mark.parametrize("ours, theirs", PAIRS, ids=[str(theirs) for _, theirs in PAIRS])
some_chunks = st.lists(st.integers(0, 40), min_size=1, max_size=6).filter(lambda c: sum(c) >= 2)


@each_pair
@settings(max_examples=6, deadline=None)
@given(
    some_chunks, st.integers(0, 10**6), st.sampled_from([None, 1]), st.sampled_from([None, "whole"])
)
def test_maps_are_equal_to_the_last_bit(ours, theirs, chunks, seed, decimals, weights):
    rows = sample(sum(chunks), seed, decimals, weights)
    same_map(fitted(ours, *split(rows, chunks)), fitted(theirs, *rows))


@each_pair
@pytest.mark.parametrize("weights", [None, "whole"])
def test_maps_of_many_rows_are_equal(ours, theirs, weights):
    rows = sample(20_000, 1, weights=weights)
    same_map(fitted(ours, *split(rows, [7000, 0, 1, 12_000, 999])), fitted(theirs, *rows))


@settings(max_examples=6, deadline=None)
@given(some_chunks, st.integers(0, 10**6), st.sampled_from([None, 1]), st.sampled_from([0, 1]))
def test_centres_are_equal_up_to_rounding(chunks, seed, decimals, smoothing):
    scores, labels, _ = sample(sum(chunks), seed, decimals)
    options = {"centred": True, "smoothing": smoothing}
    ours = fitted(calib.dask.IsotonicCalibrator(**options), *split([scores, labels], chunks))
    theirs = calib.IsotonicCalibrator(**options).fit(scores, labels)
    np.testing.assert_allclose(ours.map_.scores, theirs.map_.scores, rtol=1e-14)
    np.testing.assert_array_equal(ours.map_.probabilities, theirs.map_.probabilities)


MEASURES = [
    ("brier_score_loss", {}),
    ("root_mean_squared_error", {}),
    ("log_loss", {}),
    ("accuracy", {}),
    ("expected_calibration_error", {}),
    ("expected_calibration_error", {"n_bins": 5, "strategy": "uniform"}),
    ("maximum_calibration_error", {"n_bins": "cube_root"}),
    ("debiased_squared_error", {}),
    ("roc_auc_score", {}),
    ("kuiper_error", {}),
    ("score_decomposition", {}),
    ("score_decomposition", {"loss": "log"}),
]


@pytest.mark.parametrize("name, options", MEASURES, ids=str)
@pytest.mark.parametrize("weights", [None, "whole", "fractions"])
@pytest.mark.parametrize("decimals", [None, 1])
def test_measures_agree(name, options, weights, decimals):
    scores, labels, given = sample(500, 2, decimals, weights)
    scores = np.clip(scores, 0.01, 0.99)
    theirs = getattr(metrics, name)(labels, scores, sample_weight=given, **options)
    chunks = [100, 0, 50, 350]
    columns = split([labels, scores, given], chunks)
    ours = getattr(calib.dask, name)(columns[0], columns[1], sample_weight=columns[2], **options)
    assert type(ours) is type(theirs)
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-13)


@pytest.mark.parametrize("weights", [None, "whole", "fractions"])
@pytest.mark.parametrize("tails", ["light", "heavy", "separated"])
def test_platt_scaling_agrees(tails, weights):
    scores, labels, given = sample(600, 11, None, weights)
    scores = scores * 4 - 2
    if tails == "heavy":
        scores = np.tan(scores / 2 * 1.57)
    elif tails == "separated":
        labels = (scores > 0.5).astype(int)
    theirs = calib.PlattScaling().fit(scores, labels, sample_weight=given)
    ours = fitted(calib.dask.PlattScaling(), *split([scores, labels, given], [100, 0, 450, 50]))
    np.testing.assert_allclose(
        ours.predict_logit(scores), theirs.predict_logit(scores), rtol=1e-9, atol=1e-9
    )


def test_platt_scaling_of_logits_agrees():
    scores, labels, given = sample(600, 3)
    theirs = calib.PlattScaling(scale="logit").fit(scores, labels, sample_weight=given)
    rows = split([scores, labels, given], [100, 0, 450, 50])
    ours = fitted(calib.dask.PlattScaling(scale="logit"), *rows)
    np.testing.assert_allclose(
        ours.predict_logit(scores), theirs.predict_logit(scores), rtol=0, atol=1e-9
    )


@pytest.mark.parametrize("scores", [[0.5, 0.5, 0.5], [-1.7e308, 0.0, 1.7e308]], ids=str)
def test_platt_scaling_of_odd_scores(scores):
    rows = [np.array(scores), np.array([0, 1, 1])]
    ours = fitted(calib.dask.PlattScaling(), *split(rows, [1, 2]))
    theirs = fitted(calib.PlattScaling(), *rows)
    np.testing.assert_allclose(ours.predict(scores), theirs.predict(scores), rtol=1e-9)


@pytest.mark.parametrize(
    "method", [calib.BBQ(), calib.ENIR(), calib.VennAbers(), calib.DirectIsotonic()], ids=str
)
@pytest.mark.parametrize("weights", [None, "whole"])
def test_distinct_rows_stand_for_all_rows(method, weights):
    scores, labels, given = sample(2000, 12, 2, weights)
    rows = calib.dask.distinct_rows(*split([scores, labels, given], [100, 0, *[190] * 10]))
    assert rows.weights.sum() == (2000 if given is None else given.sum())
    assert rows.scores.size <= 202
    queries = np.linspace(0, 1, 301)
    theirs = method.fit(scores, labels, sample_weight=given).predict(queries)
    np.testing.assert_allclose(fitted(method, *rows).predict(queries), theirs, rtol=0, atol=1e-12)


@settings(max_examples=5, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([0.25, 0.01, 2.0**-10]))
def test_rounded_predictions_move_these_measures_by_the_resolution_at_most(seed, resolution):
    scores, labels, _ = sample(200, seed)
    rows = calib.dask.distinct_rows(*split([scores, labels], [70, 130]), resolution=resolution)
    for measure in [metrics.brier_score_loss, metrics.smooth_calibration_error]:
        rounded = measure(rows.labels, rows.scores, sample_weight=rows.weights)
        assert abs(rounded - measure(labels, scores)) <= resolution


def test_too_many_distinct_scores_are_refused():
    columns = split(sample(100, 13), [50, 50])
    with pytest.raises(ValueError, match="scores has .* max_distinct is 20: round"):
        calib.dask.distinct_rows(*columns, max_distinct=20)
    with pytest.raises(ValueError, match="resolution must be a number between"):
        calib.dask.distinct_rows(*columns, resolution=0)
    with pytest.raises(ValueError, match="scores is empty"):
        calib.dask.distinct_rows(*split([np.array([])] * 2, [0, 0]))


@pytest.mark.parametrize("strategy", ["quantile", "uniform"])
def test_the_curve_has_the_same_bins(strategy):
    scores, labels, weights = sample(3000, 3, 2, "whole")
    theirs = metrics.reliability_curve(labels, scores, strategy=strategy, sample_weight=weights)
    scores, labels, weights = split([scores, labels, weights], [1000, 0, 2000])
    ours = calib.dask.reliability_curve(labels, scores, strategy=strategy, sample_weight=weights)
    np.testing.assert_array_equal(ours.counts, theirs.counts)
    np.testing.assert_array_equal(ours.positives, theirs.positives)
    np.testing.assert_allclose(ours.totals, theirs.totals, rtol=1e-13)


@each_pair
@pytest.mark.parametrize("decimals", [None, 2])
def test_weights_that_are_fractions_agree_to_rounding(ours, theirs, decimals):
    rows = sample(2000, 4, decimals, "fractions")
    fitted(ours, *split(rows, [500, 1500])), fitted(theirs, *rows)
    queries = np.linspace(0, 1, 1000)
    np.testing.assert_allclose(ours.predict(queries), theirs.predict(queries), rtol=0, atol=1e-12)


@each_pair
@pytest.mark.parametrize(
    "scores", [[0.5] * 6, [0.3, 0.3, 0.7, 0.7, 0.7, 0.3], [0.0, -0.0, 1.0, 0.0, 1.0, 1.0]], ids=str
)
def test_few_distinct_scores(ours, theirs, scores):
    rows = [np.array(scores), np.array([0, 1, 1, 0, 1, 0])]
    same_map(fitted(ours, *split(rows, [1, 3, 0, 2])), fitted(theirs, *rows))


@each_pair
def test_one_class_is_warned_of_and_fitted(ours, theirs):
    rows = [np.array([0.1, 0.4, 0.2]), np.ones(3, int)]
    with pytest.warns(calib.OneClassWarning, match=r"one class only \(1\)"):
        fitted(ours, *split(rows, [2, 1]))
    with pytest.warns(calib.OneClassWarning):
        same_map(ours, fitted(theirs, *rows))


def test_far_out_scores():
    rows = [np.array([-1.7e308, 1.7e308, 0.0, 5e-324]), np.array([0, 1, 1, 0])]
    same_map(
        fitted(calib.dask.IsotonicCalibrator(), *split(rows, [2, 2])),
        fitted(calib.IsotonicCalibrator(), *rows),
    )


def test_columns_of_a_dataframe():
    scores, labels, weights = sample(300, 5, weights="whole")
    rows = pd.DataFrame({"score": scores, "label": labels, "weight": weights})
    rows.index = rows.index % 7  # an index means nothing here
    frame = dd.from_pandas(rows, npartitions=4, sort=False)
    ours = calib.dask.IsotonicCalibrator().fit(
        frame["score"], frame["label"], sample_weight=frame["weight"]
    )
    theirs = calib.IsotonicCalibrator().fit(scores, labels, sample_weight=weights)
    same_map(ours, theirs)
    predicted = frame.assign(p=ours.predict(frame["score"])).compute()
    np.testing.assert_array_equal(predicted["p"], theirs.predict(predicted["score"]))


def test_parquet_files_of_which_some_columns_are_read(tmp_path):
    scores, labels, _ = sample(900, 10)
    rows = pd.DataFrame({f"feature_{k}": scores for k in range(9)})
    rows = rows.assign(score=scores, label=labels)
    for start in range(0, 900, 100):
        rows[start : start + 100].to_parquet(tmp_path / f"{start:03}.parquet")
    frame = dd.read_parquet(tmp_path)
    ours = calib.dask.HistogramBinning().fit(frame["score"], frame["label"])
    same_map(ours, calib.HistogramBinning().fit(scores, labels))


def test_arrays_of_other_chunks_are_matched():
    scores, labels, _ = sample(100, 6)
    ours = calib.dask.IsotonicCalibrator().fit(
        da.from_array(scores, chunks=((30, 0, 70),)), da.from_array(labels, chunks=70)
    )
    same_map(ours, calib.IsotonicCalibrator().fit(scores, labels))


def test_predictions_are_lazy_and_partition_wise():
    scores, labels, _ = sample(100, 7)
    lazy_scores, lazy_labels = da.from_array(scores, chunks=40), da.from_array(labels, chunks=40)
    ours = calib.dask.IsotonicCalibrator().fit(lazy_scores, lazy_labels)
    theirs = calib.IsotonicCalibrator().fit(scores, labels)
    for method in ["predict", "predict_proba", "predict_logit"]:
        lazy = getattr(ours, method)(lazy_scores)
        assert isinstance(lazy, da.Array) and lazy.chunks[0] == (40, 40, 20)
        np.testing.assert_array_equal(lazy.compute(), getattr(theirs, method)(scores))
        np.testing.assert_array_equal(getattr(ours, method)(scores), lazy.compute())
    assert ours.score(lazy_scores, lazy_labels) == pytest.approx(theirs.score(scores, labels))
    series = ours.predict_proba(dd.from_dask_array(lazy_scores))
    np.testing.assert_array_equal(series.compute(), theirs.predict_proba(scores))


def test_ranges_share_the_rows():
    scores = np.random.default_rng(8).beta(0.1, 3, 40_000)
    chunks = [4000] * 8 + [1000] * 8
    ordered = Sample(*split([np.sort(scores), scores > 0.2], chunks), unit=True)  # the worst order
    sizes = ordered.each_range(lambda rows: rows.scores.size)
    assert len(sizes) == 16 and sum(sizes) == 40_000
    assert max(sizes) <= 1.5 * 40_000 / 16 + 3 * 16


def test_ties_are_pooled_before_they_travel():
    rows = Sample(
        *split([np.resize([0.25, 0.5], 1000), np.arange(1000) % 3 == 0], [500] * 2), unit=True
    )
    assert sum(rows.each_range(lambda rows: rows.scores.size)) == 8  # two scores, classes, chunks


@pytest.mark.parametrize(
    "columns, message",
    [
        (
            [[0.1, np.nan], [0, 1]],
            r"scores must be finite; found nan at row 0: .* \(in partition 1",
        ),
        ([[0.1, 0.2], [0, 2]], r"labels must be 0/1 or bool; found 2 at row 0.* \(in partition 1"),
        ([[0.1, 0.2], [0, 1], [1.0, -1.0]], r"sample_weight must not be negative; .* partition 1"),
        ([[0.1, 0.2], [0, 1], [0.0, 0.0]], "sample_weight is zero in every row"),
    ],
)
def test_bad_rows_are_named(columns, message):
    calibrator = calib.dask.IsotonicCalibrator()
    with pytest.raises(ValueError, match=message):
        fitted(calibrator, *split([np.array(c) for c in columns], [1, 1]))
    assert not hasattr(calibrator, "classes_")


def test_what_is_no_sample_is_refused():
    fit = calib.dask.IsotonicCalibrator().fit
    two, three = (
        split([np.array([0.0, 1.0]), np.array([0.0, 1.0])], [1, 1])[0],
        da.zeros(3, chunks=1),
    )
    with pytest.raises(ValueError, match="scores must be a dask array .* found list"):
        fit([0.1], two)
    with pytest.raises(ValueError, match="labels must be one-dimensional"):
        fit(two, da.zeros((2, 2)))
    with pytest.raises(ValueError, match="labels has 3 partitions but scores has 2"):
        fit(two, three)
    with pytest.raises(ValueError, match="labels has 2 rows but scores has 1"):
        fit(two, da.zeros(3, chunks=(2, 1)))
    with pytest.raises(ValueError, match="scores is empty"):
        fit(*split([np.array([]), np.array([])], [0, 0]))
    with pytest.raises(ValueError, match="probabilities is empty"):
        calib.dask.log_loss(*split([np.array([]), np.array([])], [0, 0]))
    with pytest.raises(ValueError, match="probabilities must lie in"):
        calib.dask.log_loss(two, two + 1)
    with pytest.raises(ValueError, match="labels holds one class only"):
        calib.dask.roc_auc_score(two * 0, two)
    with pytest.warns(UserWarning, match="sample_weight sums to 1"):
        fit(two, two, sample_weight=two * 0 + 0.5)


def test_a_worker_that_dies_changes_nothing(tmp_path):
    """It dies in the second pass, when scores are on their way to their ranges."""
    scores, labels, _ = sample(4000, 9)

    def dying(values, block_id=None):  # the third block, the second time that it is read
        mark = tmp_path / "read"
        if block_id == (2,) and not (tmp_path / "dead").exists():
            if mark.exists():
                (tmp_path / "dead").touch()
                os.kill(os.getpid(), signal.SIGKILL)
            mark.touch()
        return values

    with dask.config.set({"dataframe.shuffle.method": None, "scheduler": None}):
        with (
            LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
            Client(cluster),
        ):
            lazy = da.from_array(scores, chunks=500).map_blocks(dying, meta=np.empty(0))
            ours = calib.dask.IsotonicCalibrator().fit(lazy, da.from_array(labels, chunks=500))
    assert (tmp_path / "dead").exists()
    same_map(ours, calib.IsotonicCalibrator().fit(scores, labels))
