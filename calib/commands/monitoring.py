"""``calib monitor``: tests of calibration and of the base rate, fed batch by batch."""

import json
from pathlib import Path

import calib
from calib.commands.arguments import columns_of, format_of
from calib.commands.output import Progress, new_file, note
from calib.commands.reading import Columns, ScoreReader
from calib.commands.tables import InputError, open_table
from calib.metrics import BaseRateTest, SequentialCalibrationTest

FORMAT, VERSION = "calib-monitor", 1
ALARM = 1
HEADER = ("rows", "rate", "expected", "p calibrated", "p constant", "alarm")
LINE = "{:>9} {:>7} {:>8} {:>12} {:>10}  {}"


def monitor(options) -> int:
    """Feed the batches of a table; returns the exit code."""
    _check(options)
    calibration, drift = _load(options.state)
    threshold = options.alpha / 2  # two tests share the false alarms
    alarms = None
    progress = Progress(options.progress)
    with open_table(options.data, format_of(options)) as table, progress:
        reader = ScoreReader(table, Columns(**columns_of(options), unit=True))
        for _, _, part in reader.blocks(options.batch):
            if part.scores.size == 0:
                continue
            if alarms is None:
                print(LINE.format(*HEADER))
            calibration.update(part.labels, part.scores)
            drift.update(part.labels)
            alarms = _alarms(calibration, drift, threshold)
            print(
                LINE.format(
                    drift.n_rows[-1],
                    f"{part.labels.mean():.4f}",
                    f"{part.scores.mean():.4f}",
                    f"{calibration.p_value:.3g}",
                    f"{drift.p_value:.3g}",
                    " and ".join(alarms),
                ).rstrip(),
                flush=True,
            )
            progress(reader.n_rows)
    for sentence in reader.notes():
        note(options, sentence)
    if options.state:
        _save(options.state, calibration, drift)
    return ALARM if alarms else 0


def _alarms(calibration, drift, threshold):
    tests = {"calibration": calibration, "base rate": drift}
    return [name for name, test in tests.items() if test.p_value <= threshold]


def _check(options):
    if options.batch < 1:
        raise InputError(f"--batch must be at least 1; found {options.batch}")
    if not 0 < options.alpha < 1:
        raise InputError(f"--alpha must lie between 0 and 1; found {options.alpha}")


def _load(path):
    """The tests as the file remembers them, or new ones if there is none."""
    if path is None or not Path(path).exists():
        return SequentialCalibrationTest(), BaseRateTest()
    try:
        state = json.loads(Path(path).read_text(encoding="utf-8"))
        if (state["format"], state["version"]) != (FORMAT, VERSION):
            raise ValueError
        return (
            SequentialCalibrationTest.from_dict(state["calibration"]),
            BaseRateTest.from_dict(state["base_rate"]),
        )
    except (ValueError, KeyError, TypeError, RecursionError):
        raise InputError(
            f"{path} holds no state of calib monitor, version {VERSION}: name another file by "
            "--state, or remove it to begin anew"
        ) from None


def _save(path, calibration, drift):
    state = {
        "format": FORMAT,
        "version": VERSION,
        "calibration": calibration.to_dict(),
        "base_rate": drift.to_dict(),
        "package": f"calib {calib.__version__}",
    }
    with new_file(path, force=True) as file:
        file.write(json.dumps(state, allow_nan=False) + "\n")
