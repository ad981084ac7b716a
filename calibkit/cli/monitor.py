"""``calib monitor``: test calibration and a constant base rate, batch by batch."""

import json
import math
import os
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import NamedTuple

import numpy as np

import calib
from calibkit.cli.arguments import columns_of, format_of
from calibkit.cli.output import Progress, check_new, new_file, note
from calibkit.cli.read import Columns, ScoreReader
from calibkit.cli.tables import InputError, open_table
from calibkit.inference.digits import decimals_between
from calibkit.streams import BaseRateTest, SequentialCalibrationTest

STATE_FORMAT = "calib-monitor"
STATE_VERSION = 2  # version of the format in which a state is stored
EXIT_ALARM = 1  # exit code after an alarm
HEADER = ("rows", "rate", "expected", "p calibrated", "p constant", "alarm")
LEAST_RATE_DIGITS = 4  # decimals of rates, or as many as their standard errors ask for
LAYOUT = "{:>9} {:>7} {:>8} {:>12} {:>10}  {}"  # a line of the table
MAX_LOG_E_VALUE = 1e300  # JSON has no infinity


class Share(NamedTuple):
    """A test, and its fraction of the false alarms that are allowed."""

    name: str
    test: SequentialCalibrationTest | BaseRateTest
    fraction: float


def run_monitor(options) -> int:
    """Feed the batches of a table to the tests; return the exit code."""
    _check_options(options)
    with _locked(options.state) if options.state else nullcontext():
        return _watch_table(options)


def _watch_table(options):
    """Feed all batches, and write the output. Return the exit code."""
    watch = Watch.load(options.state)
    alarms = None  # no batch yet
    progress = Progress(options.progress)
    with open_table(options.data, format_of(options)) as table, progress:
        reader = ScoreReader(table, Columns(**columns_of(options), unit=True), clips=True)
        for _, _, part in reader.blocks(options.batch):
            if part.scores.size == 0:
                continue
            if alarms is None and not options.json:
                print(LAYOUT.format(*HEADER))
            watch.update(part)
            alarms = watch.alarms(options.alpha)
            written = _as_json if options.json else _as_line
            print(written(watch, part, alarms), flush=True)
            progress(reader.n_rows)
    for sentence in reader.notes():
        note(options, sentence)
    if options.state:
        watch.save(options.state)
    if options.plot:
        _draw(watch, options)
    return EXIT_ALARM if alarms else 0


class Watch:
    """The state of a stream: the tests of all rows and of groups, and how their evidence grew."""

    def __init__(self):
        self.calibration = SequentialCalibrationTest()
        self.base_rate = BaseRateTest()
        self.groups: dict[str, SequentialCalibrationTest] = {}
        # the number of rows and the logarithms of both e-values, after each batch
        self.history: list[list[float]] = []

    def update(self, part):
        """Feed a batch to the tests."""
        self.calibration.update(part.labels, part.scores, sample_weight=part.weights)
        self.base_rate.update(part.labels, sample_weight=part.weights)
        for group in dict.fromkeys(() if part.groups is None else part.groups.tolist()):
            rows = part.groups == group
            weights = None if part.weights is None else part.weights[rows]
            if weights is None or weights.any():
                test = self.groups.setdefault(group, SequentialCalibrationTest())
                test.update(part.labels[rows], part.scores[rows], sample_weight=weights)
        log_e_values = [self.calibration.log_e_value, self.base_rate.log_e_value]
        bounded = [min(value, MAX_LOG_E_VALUE) for value in log_e_values]
        self.history.append([self.base_rate.n_rows[-1], *bounded])

    def shares(self) -> Iterator[Share]:
        """Yield the tests with their fractions of the false alarms that are allowed.

        The test of the base rate has one half. The groups, if there are any, have half of the
        rest. The k-th group in order of appearance has 1 / (k (k + 1)) of it.
        """
        rest = 0.25 if self.groups else 0.5
        yield Share(name="base rate", test=self.base_rate, fraction=0.5)
        yield Share(name="calibration", test=self.calibration, fraction=rest)
        for k, (group, test) in enumerate(self.groups.items(), start=1):
            fraction = rest / (k * (k + 1))
            yield Share(name=f"calibration of {group}", test=test, fraction=fraction)

    def alarms(self, alpha: float) -> list[str]:
        """Describe each alarm: the test, since which batch, and in which range of scores."""
        return [
            _described(share.name, share.test)
            for share in self.shares()
            if share.test.p_value <= share.fraction * alpha
        ]

    @classmethod
    def load(cls, path: str | None) -> "Watch":
        """Read the state from a file, or begin anew if there is none."""
        watch = cls()
        if path is None or not Path(path).exists():
            return watch
        try:
            state = json.loads(Path(path).read_text(encoding="utf-8"))
            if (state["format"], state["version"]) != (STATE_FORMAT, STATE_VERSION):
                raise ValueError
            watch.calibration = SequentialCalibrationTest.from_dict(state["calibration"])
            watch.base_rate = BaseRateTest.from_dict(state["base_rate"])
            for group, stored in state["groups"].items():
                watch.groups[group] = SequentialCalibrationTest.from_dict(stored)
            watch.history = np.array(state["history"], np.float64).reshape(-1, 3).tolist()
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            raise InputError(
                f"{path} holds no state of calib monitor, version {STATE_VERSION}: name another "
                "file by --state, or remove it to begin anew"
            ) from None
        return watch

    def save(self, path):
        """Write the state in place of the old one."""
        state = {
            "format": STATE_FORMAT,
            "version": STATE_VERSION,
            "calibration": self.calibration.to_dict(),
            "base_rate": self.base_rate.to_dict(),
            "groups": {group: test.to_dict() for group, test in self.groups.items()},
            "history": self.history,
            "package": f"calib {calib.__version__}",
        }
        with new_file(path, force=True) as file:
            file.write(json.dumps(state, allow_nan=False) + "\n")


def _described(name, test):
    """Name of a test. For calibration also since when and where predictions are wrong."""
    if isinstance(test, BaseRateTest):
        return name
    low, high = test.worst_range
    return f"{name} (since about batch {test.since}, scores {low:g} to {high:g})"


def _batch(watch, part):
    """Numbers of the latest batch, by their names in JSON."""
    return {
        "rows": watch.base_rate.n_rows[-1],
        "rate": float(np.average(part.labels, weights=part.weights)),
        "expected": float(np.average(part.scores, weights=part.weights)),
        "p_calibrated": watch.calibration.p_value,
        "p_constant": watch.base_rate.p_value,
    }


def _as_json(watch, part, alarms):
    """A line of JSON about the latest batch."""
    return json.dumps(_batch(watch, part) | {"alarms": alarms})


def _as_line(watch, part, alarms):
    """A line of the table about the latest batch."""
    batch = _batch(watch, part)
    rows = batch["rows"]
    error = math.sqrt(batch["expected"] * (1 - batch["expected"]) / rows)
    digits = max(LEAST_RATE_DIGITS, decimals_between(-error, error, shown=2))
    return LAYOUT.format(
        f"{rows:g}" if rows < 1e6 else f"{rows:.0f}",
        f"{batch['rate']:.{digits}f}",
        f"{batch['expected']:.{digits}f}",
        f"{batch['p_calibrated']:.3g}",
        f"{batch['p_constant']:.3g}",
        " and ".join(alarms),
    ).rstrip()


def _draw(watch, options):
    """Draw the evidence of both tests of all rows by batch, with the limits of an alarm."""
    from matplotlib.figure import Figure  # no other command needs it

    rows, calibration, base_rate = np.array(watch.history).T
    figure = Figure(figsize=(6.5, 3.2), layout="constrained")
    ax = figure.subplots()
    # the first two shares belong to the tests of all rows
    for share, log_e_values in zip(watch.shares(), [base_rate, calibration], strict=False):
        powers_of_ten = np.clip(log_e_values / np.log(10), -3, 300)
        (line,) = ax.plot(rows, powers_of_ten, label=share.name)
        limit = -np.log10(share.fraction * options.alpha)
        ax.axhline(limit, color=line.get_color(), linewidth=0.8, linestyle=":")
    ax.set(xlabel="rows", ylabel="evidence (powers of ten)")
    ax.legend(title="dotted: alarm", fontsize="small")
    with new_file(options.plot, force=options.force, binary=True) as file:
        undated = {"Date": None} if options.plot.endswith(".svg") else None
        figure.savefig(file, format=Path(options.plot).suffix[1:], metadata=undated)


@contextmanager
def _locked(path):
    """Lock the state, because a second run would overwrite the additions of this run.

    The operating system holds the lock, and frees it however the process ends.
    """
    lock = Path(f"{path}.lock")
    try:
        file = open(lock, "ab")
    except OSError as error:
        raise InputError(f"--state: {lock} cannot be written: {error.strerror}") from None
    with file:
        if not _got(file, lock):
            raise InputError(f"another run of calib monitor uses {path}: wait for it")
        try:
            yield
        finally:
            with suppress(OSError):  # Windows does not remove an open file
                lock.unlink()


def _got(file, lock):
    """Whether this process got the lock, and the locked file still has its name."""
    try:
        if os.name == "nt":
            import msvcrt

            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return os.path.samestat(os.fstat(file.fileno()), os.stat(lock))
    except OSError:
        return False


def _check_options(options):
    """Raise if an option cannot be used."""
    if options.batch < 1:
        raise InputError(f"--batch must be at least 1; found {options.batch}")
    if not 0 < options.alpha < 1:
        raise InputError(f"--alpha must lie between 0 and 1; found {options.alpha}")
    if options.plot:
        if Path(options.plot).suffix not in (".svg", ".png", ".pdf"):
            raise InputError(f"--plot must end in .svg, .png or .pdf; found {options.plot!r}")
        check_new(options.plot, force=options.force)
