"""``calib monitor``: tests of calibration and of the base rate, fed batch by batch."""

import json
import os
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path

import numpy as np

import calib
from calib.commands.arguments import columns_of, format_of
from calib.commands.output import Progress, check_new, new_file, note
from calib.commands.reading import Columns, ScoreReader
from calib.commands.tables import InputError, open_table
from calib.metrics import BaseRateTest, SequentialCalibrationTest

FORMAT, VERSION = "calib-monitor", 2
ALARM = 1
HEADER = ("rows", "rate", "expected", "p calibrated", "p constant", "alarm")
LINE = "{:>9} {:>7} {:>8} {:>12} {:>10}  {}"


def monitor(options) -> int:
    """Feed the batches of a table; returns the exit code."""
    _check(options)
    with _locked(options.state) if options.state else nullcontext():
        return _monitor(options)


def _monitor(options):
    watch, alarms = Watch.load(options.state), None
    progress = Progress(options.progress)
    with open_table(options.data, format_of(options)) as table, progress:
        reader = ScoreReader(table, Columns(**columns_of(options), unit=True))
        for _, _, part in reader.blocks(options.batch):
            if part.scores.size == 0:
                continue
            if alarms is None and not options.json:
                print(LINE.format(*HEADER))
            watch.update(part)
            alarms = watch.alarms(options.alpha)
            print(_line(watch, part, alarms, options.json), flush=True)
            progress(reader.n_rows)
    for sentence in reader.notes():
        note(options, sentence)
    if options.state:
        watch.save(options.state)
    if options.plot:
        _draw(watch, options)
    return ALARM if alarms else 0


class Watch:
    """What is remembered of a stream: the tests, of groups too, and how their evidence grew."""

    def __init__(self):
        self.calibration, self.base_rate = SequentialCalibrationTest(), BaseRateTest()
        self.groups: dict[str, SequentialCalibrationTest] = {}
        self.history = []  # rows, and the logarithms of both e-values, after each batch

    def update(self, part):
        """Take in a batch."""
        sample = {"sample_weight": part.weights}
        self.calibration.update(part.labels, part.scores, **sample)
        self.base_rate.update(part.labels, **sample)
        for group in dict.fromkeys(() if part.groups is None else part.groups.tolist()):
            rows = part.groups == group
            weights = None if part.weights is None else part.weights[rows]
            if weights is None or weights.any():
                test = self.groups.setdefault(group, SequentialCalibrationTest())
                test.update(part.labels[rows], part.scores[rows], sample_weight=weights)
        evidence = [self.calibration.log_e_value, self.base_rate.log_e_value]
        self.history.append([self.base_rate.n_rows[-1], *(min(e, 1e300) for e in evidence)])

    def shares(self):
        """Of the false alarms, by test: half the base rate's; half of the rest is the groups'.

        The group that appears as the k-th has 1 / (k (k + 1)) of what the groups have.
        """
        rest = 0.25 if self.groups else 0.5
        yield "base rate", self.base_rate, 0.5
        yield "calibration", self.calibration, rest
        for k, (group, test) in enumerate(self.groups.items(), start=1):
            yield f"calibration of {group}", test, rest / (k * (k + 1))

    def alarms(self, alpha):
        """What is wrong, since which batch, and in which range of scores: a sentence each."""
        return [
            name if test is self.base_rate else f"{name} ({_where(test)})"
            for name, test, share in self.shares()
            if test.p_value <= share * alpha
        ]

    @classmethod
    def load(cls, path):
        """As the file remembers it, or new if there is none."""
        watch = cls()
        if path is None or not Path(path).exists():
            return watch
        try:
            state = json.loads(Path(path).read_text(encoding="utf-8"))
            if (state["format"], state["version"]) != (FORMAT, VERSION):
                raise ValueError
            watch.calibration = SequentialCalibrationTest.from_dict(state["calibration"])
            watch.base_rate = BaseRateTest.from_dict(state["base_rate"])
            for group, stored in state["groups"].items():
                watch.groups[group] = SequentialCalibrationTest.from_dict(stored)
            watch.history = np.array(state["history"], np.float64).reshape(-1, 3).tolist()
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            raise InputError(
                f"{path} holds no state of calib monitor, version {VERSION}: name another file by "
                "--state, or remove it to begin anew"
            ) from None
        return watch

    def save(self, path):
        """Write the state in place of the old one."""
        state = {
            "format": FORMAT,
            "version": VERSION,
            "calibration": self.calibration.to_dict(),
            "base_rate": self.base_rate.to_dict(),
            "groups": {group: test.to_dict() for group, test in self.groups.items()},
            "history": self.history,
            "package": f"calib {calib.__version__}",
        }
        with new_file(path, force=True) as file:
            file.write(json.dumps(state, allow_nan=False) + "\n")


def _where(test):
    low, high = test.worst_range
    return f"since about batch {test.since}, scores {low:g} to {high:g}"


def _line(watch, part, alarms, as_json):
    """One batch, for people or for programs."""
    values = {
        "rows": watch.base_rate.n_rows[-1],
        "rate": float(np.average(part.labels, weights=part.weights)),
        "expected": float(np.average(part.scores, weights=part.weights)),
        "p_calibrated": watch.calibration.p_value,
        "p_constant": watch.base_rate.p_value,
    }
    if as_json:
        return json.dumps(values | {"alarms": alarms})
    rows, rate, expected, *p_values = values.values()
    tests = [f"{p:.3g}" for p in p_values]
    cells = (f"{rows:g}" if rows < 1e6 else f"{rows:.0f}", f"{rate:.4f}", f"{expected:.4f}", *tests)
    return LINE.format(*cells, " and ".join(alarms)).rstrip()


def _draw(watch, options):
    """Evidence against each of the two, batch by batch, with the line where an alarm is given."""
    from matplotlib.figure import Figure  # no other command needs it

    rows, *evidence = np.array(watch.history).T
    figure = Figure(figsize=(6.5, 3.2), layout="constrained")
    ax = figure.subplots()
    for (name, _, share), logs in zip(watch.shares(), reversed(evidence), strict=False):
        (line,) = ax.plot(rows, np.clip(logs / np.log(10), -3, 300), label=name)
        limit = -np.log10(share * options.alpha)
        ax.axhline(limit, color=line.get_color(), linewidth=0.8, linestyle=":")
    ax.set(xlabel="rows", ylabel="evidence (powers of ten)")
    ax.legend(title="dotted: alarm", fontsize="small")
    with new_file(options.plot, force=options.force, binary=True) as file:
        undated = {"Date": None} if options.plot.endswith(".svg") else None
        figure.savefig(file, format=Path(options.plot).suffix[1:], metadata=undated)


@contextmanager
def _locked(path):
    """No second run reads the state while this one goes on: it would lose what is seen here.

    The system holds the lock, and frees it when the process ends in whatever way.
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
            with suppress(OSError):  # Windows removes no open file
                lock.unlink()


def _got(file, lock):
    """Whether this process got the lock, and on the file that still has the name."""
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


def _check(options):
    if options.batch < 1:
        raise InputError(f"--batch must be at least 1; found {options.batch}")
    if not 0 < options.alpha < 1:
        raise InputError(f"--alpha must lie between 0 and 1; found {options.alpha}")
    if options.plot:
        if Path(options.plot).suffix not in (".svg", ".png", ".pdf"):
            raise InputError(f"--plot must end in .svg, .png or .pdf; found {options.plot!r}")
        check_new(options.plot, force=options.force)
