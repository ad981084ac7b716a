"""Counts of Dask collections against the same rows in memory."""

import os
import signal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import calib
import calibkit
from calib import metrics
from calib.kernels.ties import ties

dask = pytest.importorskip("dask", reason="the extra dask is not installed")
pytest.importorskip("distributed", reason="the extra dask is not installed")
import dask.array as da  # noqa: E402
import dask.dataframe as dd  # noqa: E402
import pandas as pd  # noqa: E402
from dask.diagnostics import ProgressBar  # noqa: E402
from distributed import Client, LocalCluster  # noqa: E402

import calibkit.deployment.dask  # noqa: E402

pytestmark = pytest.mark.slow  # dask takes its time; the kernels are tested elsewhere


@pytest.fixture(autouse=True)
def in_this_thread():
    with dask.config.set(scheduler="synchronous"):
        yield


@pytest.fixture(
    params=[20, calibkit.deployment.dask.ROWS_PER_RANGE], ids=["many ranges", "one range"]
)
def ranges(request, monkeypatch):
    monkeypatch.setattr(calibkit.deployment.dask, "ROWS_PER_RANGE", request.param)


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


def in_memory(scores, labels, weights=None):
    """What the counts must be; rows of weight zero are not there."""
    if weights is not None:
        kept = weights > 0
        scores, labels, weights = scores[kept], labels[kept], weights[kept]
    groups = ties(scores, labels, weights)
    return calibkit.deployment.dask.Counts(groups.scores, groups.positives, groups.weights)


def same(ours, theirs):
    for column, other in zip(ours, theirs, strict=True):
        np.testing.assert_array_equal(column, other)


def same_map(ours, theirs):
    same(
        [ours.map_.scores, ours.map_.probabilities, ours.counts_, ours.positives_],
        [theirs.map_.scores, theirs.map_.probabilities, theirs.counts_, theirs.positives_],
    )


def isotonic(rows, chunks, **options):
    """The calibrator of isotonic counts, and that of the rows."""
    counts = calibkit.deployment.dask.isotonic_counts(*split(rows, chunks))
    ours = calib.IsotonicCalibrator(**options).fit_counts(*counts)
    scores, labels, weights = rows
    return ours, calib.IsotonicCalibrator(**options).fit(scores, labels, sample_weight=weights)


def same_venn_abers(rows, chunks):
    """Compare Venn-Abers predictors of rows on the workers and in memory."""
    ours = calibkit.deployment.dask.venn_abers(*split(rows, chunks))
    theirs = calib.VennAbers().fit_counts(*in_memory(*rows))
    same(
        [ours.scores_, ours.p0_, ours.p1_, ours.map_.probabilities],
        [theirs.scores_, theirs.p0_, theirs.p1_, theirs.map_.probabilities],
    )


some_rows = given(
    st.lists(st.integers(0, 40), min_size=1, max_size=6).filter(lambda c: sum(c) >= 2),
    st.integers(0, 10**6),
    st.sampled_from([None, 1]),
    st.sampled_from([None, "whole"]),
)


@pytest.mark.usefixtures("ranges")
class TestAnyRows:
    @settings(max_examples=10, deadline=None)
    @some_rows
    def test_counts_are_equal_to_the_last_bit(self, chunks, seed, decimals, weights):
        rows = sample(sum(chunks), seed, decimals, weights)
        same(calibkit.deployment.dask.counts(*split(rows, chunks)), in_memory(*rows))

    @settings(max_examples=10, deadline=None)
    @some_rows
    def test_the_auc_is_equal_to_the_last_bit(self, chunks, seed, decimals, weights):
        rows = sample(sum(chunks), seed, decimals, weights)
        scores, labels, weights = split(rows, chunks)
        found = calibkit.deployment.dask.roc_auc_score(labels, scores, sample_weight=weights)
        assert found == metrics.roc_auc_score(rows[1], rows[0], sample_weight=rows[2])

    @settings(max_examples=10, deadline=None)
    @some_rows
    def test_venn_abers_maps_are_equal_to_the_last_bit(self, chunks, seed, decimals, weights):
        rows = sample(sum(chunks), seed, decimals, weights)
        same_venn_abers(rows, chunks)

    @pytest.mark.parametrize("smoothing", [0, 1, 1e-17])
    @settings(max_examples=10, deadline=None)
    @some_rows
    def test_isotonic_maps_are_equal_to_the_last_bit(
        self, smoothing, chunks, seed, decimals, weights
    ):
        rows = sample(sum(chunks), seed, decimals, weights)
        same_map(*isotonic(rows, chunks, smoothing=smoothing))

    @pytest.mark.parametrize("decimals", [None, 2])
    def test_weights_that_are_fractions_agree_to_rounding(self, decimals):
        rows, chunks = sample(2000, 4, decimals, "fractions"), [500, 1500]
        for ours, theirs in zip(
            calibkit.deployment.dask.counts(*split(rows, chunks)), in_memory(*rows), strict=True
        ):
            np.testing.assert_allclose(ours, theirs, rtol=1e-14)
        ours, theirs = isotonic(rows, chunks)
        queries = np.linspace(0, 1, 1000)
        np.testing.assert_allclose(ours.predict(queries), theirs.predict(queries), atol=1e-12)

    @pytest.mark.parametrize(
        "scores",
        [
            [0.5] * 6,
            [0.3, 0.3, 0.7, 0.7, 0.7, 0.3],
            [0.0, -0.0, 1.0, 0.0, 1.0, 1.0],
            [-1.7e308, 1.7e308, 0.0, 5e-324, 0.0, 1.7e308],
        ],
        ids=str,
    )
    def test_odd_scores(self, scores):
        rows, chunks = [np.array(scores), np.array([0, 1, 1, 0, 1, 0]), None], [1, 3, 0, 2]
        same(calibkit.deployment.dask.counts(*split(rows, chunks)), in_memory(*rows))
        same_map(*isotonic(rows, chunks))
        same_venn_abers(rows, chunks)


@pytest.mark.parametrize("weights", [None, "whole"])
def test_many_rows(weights, monkeypatch):
    monkeypatch.setattr(calibkit.deployment.dask, "ROWS_PER_RANGE", 3000)
    rows, chunks = sample(20_000, 1, weights=weights), [7000, 0, 1, 12_000, 999]
    same(calibkit.deployment.dask.counts(*split(rows, chunks)), in_memory(*rows))
    same_map(*isotonic(rows, chunks))
    same_venn_abers(rows, chunks)
    assert calibkit.deployment.dask.isotonic_counts(*split(rows, chunks)).scores.size < 400


def test_the_auc_of_fractions_and_of_one_class():
    scores, labels, weights = rows = sample(2000, 4, 2, "fractions")
    of_scores, of_labels, of_weights = split(rows, [500, 0, 1500])
    found = calibkit.deployment.dask.roc_auc_score(of_labels, of_scores, sample_weight=of_weights)
    expected = metrics.roc_auc_score(labels, scores, sample_weight=weights)
    assert found == pytest.approx(expected, abs=1e-12)
    with pytest.raises(ValueError, match="labels must hold both classes"):
        calibkit.deployment.dask.roc_auc_score(of_labels * 0, of_scores)


@pytest.mark.parametrize(
    "calibrator", [calib.BBQ(), calib.ENIR(), calib.VennAbers(), calib.PlattScaling()], ids=str
)
def test_calibrators_learn_what_they_learn_from_the_rows(calibrator):
    scores, labels, weights = sample(2000, 12, 2, "whole")
    counts = calibkit.deployment.dask.counts(
        *split([scores, labels, weights], [100, 0, *[190] * 10])
    )
    queries = np.linspace(0, 1, 301)
    theirs = calibrator.fit(scores, labels, sample_weight=weights).predict(queries)
    ours = calibrator.fit_counts(*counts).predict(queries)
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-9)


def test_the_miscalibration_of_isotonic_counts_is_that_of_the_rows():
    scores, labels, _ = sample(5000, 3)
    counts = calibkit.deployment.dask.isotonic_counts(*split([scores, labels], [2000, 3000]))
    ends, outcomes, weights = calib.rows_of_counts(*counts)
    ours = metrics.score_decomposition(outcomes, ends, sample_weight=weights)
    theirs = metrics.score_decomposition(labels, scores)
    assert ours.discrimination == pytest.approx(theirs.discrimination, rel=1e-12)
    assert ours.uncertainty == pytest.approx(theirs.uncertainty, rel=1e-12)


def test_columns_of_a_dataframe():
    scores, labels, weights = sample(300, 5, weights="whole")
    rows = pd.DataFrame({"score": scores, "label": labels, "weight": weights})
    rows.index = rows.index % 7  # an index means nothing here
    frame = dd.from_pandas(rows, npartitions=4, sort=False)
    ours = calibkit.deployment.dask.counts(frame["score"], frame["label"], frame["weight"])
    same(ours, in_memory(scores, labels, weights))
    calibrator = calib.IsotonicCalibrator().fit_counts(*ours)
    lazy = frame["score"].to_dask_array().map_blocks(calibrator.predict)
    predicted = frame.assign(p=lazy).compute()
    same([predicted["p"]], [calibrator.predict(predicted["score"])])


def test_parquet_files_of_which_some_columns_are_read(tmp_path):
    scores, labels, _ = sample(900, 10)
    rows = pd.DataFrame({f"feature_{k}": scores for k in range(9)})
    rows = rows.assign(score=scores, label=labels)
    for start in range(0, 900, 100):
        rows[start : start + 100].to_parquet(tmp_path / f"{start:03}.parquet")
    frame = dd.read_parquet(tmp_path)
    same(calibkit.deployment.dask.counts(frame["score"], frame["label"]), in_memory(scores, labels))


def test_arrays_of_other_chunks_are_matched():
    scores, labels, _ = sample(100, 6)
    lazy = da.from_array(scores, chunks=((30, 0, 70),)), da.from_array(labels, chunks=70)
    same(calibkit.deployment.dask.counts(*lazy), in_memory(scores, labels))


def test_ranges_share_the_rows(monkeypatch):
    monkeypatch.setattr(calibkit.deployment.dask, "ROWS_PER_RANGE", 2500)
    scores = np.sort(np.random.default_rng(8).beta(0.1, 3, 40_000))  # the worst order
    scores = np.unique(np.maximum(scores, 1e-300))
    chunks = [4000] * 8 + [1000] * 4
    chunks.append(scores.size - sum(chunks))
    columns = split([scores, scores > 0.2], chunks)
    tables = calibkit.deployment.dask._ranges(calibkit.deployment.dask._pooled, *columns, None)
    sizes = [table.scores.size for table in tables]
    assert sum(sizes) == scores.size and len(sizes) == -(-scores.size // 2500)
    assert max(sizes) <= 2500 + scores.size // calibkit.deployment.dask.N_QUANTILES + len(chunks)


def test_a_row_of_continuous_scores_takes_ten_bytes():
    scores, labels, _ = sample(1000, 2)
    columns = split([scores, labels], [500, 500])
    (table,) = calibkit.deployment.dask._ranges(calibkit.deployment.dask._pooled, *columns, None)
    assert sum(column.nbytes for column in table) == 10 * scores.size


def test_large_numbers_and_fractions_are_kept():
    scores, labels = np.array([0.1, 0.2, 0.2]), np.array([1, 0, 1])
    for weights in [[300.0, 2.0, 7e4], [2.0**53, 1.0, 2.0], [0.25, 1.0, 2.0], [1e300, 1e300, 1.0]]:
        rows = scores, labels, np.array(weights)
        same(calibkit.deployment.dask.counts(*split(rows, [2, 1])), in_memory(*rows))


def test_progress_is_shown_as_dask_shows_it(capsys):
    with ProgressBar():
        calibkit.deployment.dask.counts(*split(sample(100, 1), [50, 50]))
    assert "100% Completed" in capsys.readouterr().out


@pytest.mark.parametrize(
    "columns, message",
    [
        ([[0.1, np.nan], [0, 1]], r"scores must be finite; found nan at row 0: .* \(in partition"),
        ([[0.1, 0.2], [0, 2]], r"labels must be 0/1 or bool; found 2 at row 0.* \(in partition 1"),
        ([[0.1, 0.2], [0, 1], [1.0, -1.0]], r"sample_weight must not be negative; .* partition 1"),
    ],
)
def test_bad_rows_are_named(columns, message):
    with pytest.raises(ValueError, match=message):
        calibkit.deployment.dask.counts(*split([np.array(c) for c in columns], [1, 1]))


def test_what_is_no_sample_is_refused():
    two = split([np.array([0.0, 1.0])], [1, 1])[0]
    three = da.zeros(3, chunks=1)
    with pytest.raises(ValueError, match="scores must be a dask array .* found list"):
        calibkit.deployment.dask.counts([0.1], two)
    with pytest.raises(ValueError, match="labels must be one-dimensional"):
        calibkit.deployment.dask.counts(two, da.zeros((2, 2)))
    with pytest.raises(ValueError, match="labels has 3 partitions but scores has 2"):
        calibkit.deployment.dask.counts(two, three)
    with pytest.raises(ValueError, match="labels has 2 rows but scores has 1"):
        calibkit.deployment.dask.counts(two, da.zeros(3, chunks=(2, 1)))
    for counted in [calibkit.deployment.dask.counts, calibkit.deployment.dask.isotonic_counts]:
        nothing = counted(*split([np.array([]), np.array([])], [0, 0]))
        with pytest.raises(ValueError, match="scores is empty"):
            calib.IsotonicCalibrator().fit_counts(*nothing)
    with pytest.raises(ValueError, match="scores hold no rows"):
        calibkit.deployment.dask.venn_abers(*split([np.array([]), np.array([])], [0, 0]))


@pytest.mark.parametrize("function", ["counts", "venn_abers"])
def test_a_worker_that_dies_changes_nothing(tmp_path, function):
    """It dies when it has made tables that the ranges still need."""
    scores, labels, _ = sample(4000, 9)

    def dying(values, block_id=None):
        if block_id == (7,) and not (tmp_path / "dead").exists():
            (tmp_path / "dead").touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return values

    with dask.config.set(scheduler=None):
        with (
            LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
            Client(cluster),
        ):
            lazy = da.from_array(scores, chunks=500).map_blocks(dying, meta=np.empty(0))
            of_rows = getattr(calibkit.deployment.dask, function)
            ours = of_rows(lazy, da.from_array(labels, chunks=500))
    assert (tmp_path / "dead").exists()
    if function == "counts":
        same(ours, in_memory(scores, labels))
    else:
        expected = calib.VennAbers().fit(scores, labels)
        same([ours.scores_, ours.p0_], [expected.scores_, expected.p0_])
