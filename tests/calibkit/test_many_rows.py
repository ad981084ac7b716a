"""Rows in ranges against the same rows at once."""

import numpy as np
import pytest

import calib
from calib import metrics
from calibkit.deployment import many_rows
from calibkit.inference import kuiper_error

pytestmark = pytest.mark.slow  # loops over rows take long in plain Python


def sample(n, dtype=np.float64, decimals=17, margins=False):
    rng = np.random.default_rng(n)
    scores = rng.random(n).round(decimals)
    labels = rng.random(n) < 0.5 + 0.4 * np.sin(5 * scores)
    labels[:2] = [False, True]
    if margins:
        scores = np.log((scores + 1e-3) / (1.001 - scores))
    return scores.astype(dtype), labels


def check_results(rows, scores, labels):
    """Compare what is found in ranges with what is found at once, bit by bit."""
    assert many_rows.roc_auc_score(rows) == metrics.roc_auc_score(labels, scores)
    whole = calib.IsotonicCalibrator().fit(scores, labels)
    short = many_rows.isotonic_counts(rows)
    assert calib.IsotonicCalibrator().fit_counts(*short).map_ == whole.map_
    found = many_rows.histogram_binning(rows)
    expected = calib.HistogramBinning().fit(scores, labels)
    for name in ("counts_", "positives_", "cuts_", "probabilities_", "classes_"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))
    assert found.map_ == expected.map_ and found.weighted_ == expected.weighted_
    found = many_rows.venn_abers(rows)
    expected = calib.VennAbers().fit(scores, labels)
    for name in ("scores_", "p0_", "p1_"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))
    np.testing.assert_array_equal(found.predict(scores[:50]), expected.predict(scores[:50]))
    if scores.min() >= 0 and scores.max() <= 1:
        assert many_rows.kuiper_error(rows) == kuiper_error(labels, scores)
        for n_bins in (7, 1000, "cube_root"):
            whole = metrics.expected_calibration_error(labels, scores, n_bins=n_bins)
            assert many_rows.expected_calibration_error(rows, n_bins=n_bins) == whole


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("margins", [False, True])
@pytest.mark.parametrize("decimals", [17, 3, 1])
def test_ranges_give_the_same_bits(dtype, margins, decimals, threads, monkeypatch):
    monkeypatch.setattr(many_rows, "threads", threads)
    monkeypatch.setattr(many_rows, "ROWS_PER_BLOCK", 64)
    for n, rows_per_range in [(2, 1), (10, 3), (700, 100), (3000, None)]:
        scores, labels = sample(n, dtype, decimals, margins)
        rows = many_rows.rows_in_memory(scores, labels, rows_per_range=rows_per_range)
        before = scores.copy()
        check_results(rows, scores, labels)
        np.testing.assert_array_equal(scores, before)


def test_ties_of_many_rows_are_counted():
    scores, labels = sample(2000, decimals=0)
    check_results(many_rows.rows_in_memory(scores, labels, rows_per_range=100), scores, labels)


def test_rows_are_read_in_increasing_order_and_lost_nowhere():
    scores, labels = sample(5000)
    rows = many_rows.rows_in_memory(scores, labels.astype(int), rows_per_range=300)
    ranges = list(rows.read())
    assert len(ranges) == 17
    assert max(keys.size for keys in ranges) < 2 * 300
    np.testing.assert_array_equal(np.sort(np.concatenate(ranges)), np.concatenate(ranges))
    blocks = list(rows.ties())
    np.testing.assert_array_equal(np.concatenate([b.scores for b in blocks]), np.sort(scores))


def test_progress_is_reported(capsys):
    rows = many_rows.rows_in_memory(*sample(100), rows_per_range=50, verbose=1)
    many_rows.roc_auc_score(rows)
    assert capsys.readouterr().err.splitlines()[0] == "range 1 of 2: 50 rows"


def test_bad_rows_are_refused():
    scores, labels = sample(10)
    with pytest.raises(ValueError, match="scores must be finite"):
        many_rows.rows_in_memory(np.append(scores, np.nan), np.append(labels, True))
    with pytest.raises(ValueError, match="labels must be 0/1 or bool"):
        many_rows.rows_in_memory(scores, np.arange(10))
    with pytest.raises(ValueError, match="labels has 10 rows but scores has 9"):
        many_rows.rows_in_memory(scores[1:], labels)
    with pytest.raises(ValueError, match="rows_per_range must be"):
        many_rows.rows_in_memory(scores, labels, rows_per_range=0)
    with pytest.raises(ValueError, match="span too many powers of 2"):
        many_rows.rows_in_memory(np.array([-1.0, 1e-300]), np.array([0, 1]))
    with pytest.raises(ValueError, match="labels holds one class only"):
        many_rows.roc_auc_score(many_rows.rows_in_memory(scores, np.ones(10)))
    margins = many_rows.rows_in_memory(10 * scores, labels)
    for measure in (many_rows.kuiper_error, many_rows.expected_calibration_error):
        with pytest.raises(ValueError, match=r"scores must lie in \[0, 1\]"):
            measure(margins)


@pytest.fixture
def parquet(tmp_path):
    """A function that writes a sample to three files of several row groups."""
    pa = pytest.importorskip("pyarrow", reason="the extra data is not installed")
    pq = pytest.importorskip("pyarrow.parquet")

    def write(scores, labels):
        files = []
        for k, rows in enumerate(np.array_split(np.arange(scores.size), 3)):
            files.append(tmp_path / f"{k}.parquet")
            table = pa.table({"p": scores[rows], "z": labels[rows]})
            pq.write_table(table, files[-1], row_group_size=150)
        return files

    return write


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("margins", [False, True])
def test_files_give_the_same_bits(dtype, margins, parquet, tmp_path):
    scores, labels = sample(1000, dtype, 4, margins)
    order = np.argsort(scores)  # as bad for a sample of one file as can be
    files = parquet(scores[order], labels[order])
    folder = tmp_path / "keys"
    rows = many_rows.rows_in_parquet(files, folder, score="p", label="z", rows_per_range=200)
    assert rows.n_rows == 1000 and len(list(rows.read())) == 5
    check_results(rows, scores, labels)


def test_an_interrupted_reading_goes_on(parquet, tmp_path, monkeypatch, capsys):
    scores, labels = sample(1000)
    files = parquet(scores, labels)
    folder = tmp_path / "keys"
    put = many_rows._put
    written = []

    def put_four(path, *rest):
        if len(written) == 4:
            path.with_suffix(".unfinished").write_bytes(b"half")
            raise KeyboardInterrupt
        written.append(path)
        put(path, *rest)

    names = {"score": "p", "label": "z", "rows_per_range": 200}
    monkeypatch.setattr(many_rows, "_put", put_four)
    with pytest.raises(KeyboardInterrupt):
        many_rows.rows_in_parquet(files, folder, **names)
    monkeypatch.setattr(many_rows, "_put", put)
    capsys.readouterr()
    rows = many_rows.rows_in_parquet(files, folder, verbose=1, **names)
    assert "row group 4 of 9" not in capsys.readouterr().err  # it was finished
    check_results(rows, scores, labels)
    with pytest.raises(ValueError, match="holds the keys of other files"):
        many_rows.rows_in_parquet(files[1:], folder, **names)


def test_a_row_group_is_in_memory_at_a_time(parquet, tmp_path, monkeypatch):
    pa = pytest.importorskip("pyarrow", reason="the extra data is not installed")
    scores, labels = sample(9000)
    files = parquet(scores, labels)
    read = many_rows._RowGroup.read
    allocated = []

    def watched_read(group, dtype=None):
        found = read(group, dtype)
        allocated.append(pa.total_allocated_bytes())
        return found

    monkeypatch.setattr(many_rows._RowGroup, "read", watched_read)
    many_rows.rows_in_parquet(files, tmp_path / "keys", score="p", label="z")
    assert len(allocated) == 2 * 60  # for the cuts, and for the keys
    assert max(allocated) - min(allocated) < scores.nbytes / 10


def test_bad_files_are_named(parquet, tmp_path):
    scores, labels = sample(1000)
    scores[700] = np.nan
    files = parquet(scores, labels)
    with pytest.raises(ValueError, match=r"2\.parquet, row group 0: scores must be finite"):
        many_rows.rows_in_parquet(files, tmp_path / "keys", score="p", label="z")
    files = parquet(scores[:0], labels[:0])
    with pytest.raises(ValueError, match="files hold no rows"):
        many_rows.rows_in_parquet(files, tmp_path / "keys", score="p", label="z")
