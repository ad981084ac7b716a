"""Tables of the record of the default, by kinds of cases, for the chapter on the benchmark."""

import numpy as np

from experiments.benchmark.analysis import by_dataset
from experiments.benchmark.calibrators import RAW
from experiments.benchmark.default import BEFORE, DEFAULT
from experiments.benchmark.default_answers import FEW, PLATT, margins, probabilities
from experiments.benchmark.models import MODELS
from experiments.benchmark.second import SIZES
from experiments.benchmark.second_answers import interval

SHARES = {"up to 6 %": (0.0, 0.06), "6 to 20 %": (0.06, 0.2), "above 20 %": (0.2, 1.0)}


def kinds_of_cases(rows):
    """Name of a kind of cases, its losses, and the references of harm and of the mean loss."""
    losses = probabilities(rows)
    yield "all probabilities", losses, RAW, BEFORE
    yield "fewer than 100 points", losses.where(losses.points < SIZES[0]), RAW, BEFORE
    for points in SIZES:
        yield f"{points:,} points", losses.where(losses.points == points), RAW, BEFORE
    yield f"fewer than {FEW} of a class", losses.where(losses.rarer < FEW), RAW, BEFORE
    for name, (above, most) in SHARES.items():
        here = (losses.share > above) & (losses.share <= most)
        yield f"rarer class {name}", losses.where(here), RAW, BEFORE
    for model in MODELS:
        yield f"after {model}", losses.where(losses.models == model), RAW, BEFORE
    yield "margins and scorecards", margins(rows), PLATT, PLATT


def line_of(name, losses, reference, other):
    """A line of the table: cases, help and harm, and the mean loss above another."""
    less = interval(*losses.difference(DEFAULT, other))
    numbers = (1000 * number for number in less)
    return [
        name,
        f"{losses.points.size:,}",
        share(losses, losses.helps(DEFAULT, reference)),
        share(losses, losses.harms(DEFAULT, reference)),
        share(losses, losses.harms(other, reference)) if other != reference else "",
        "{:.1f} ({:.1f} to {:.1f})".format(*numbers),
    ]


def share(losses, happens):
    """A mean over data sets, in per cent."""
    return f"{100 * by_dataset(losses.datasets, happens)[1].mean():.1f}"


def spreads_of_sums(rows, names):
    """Root mean square of log(sum / positives) over the test rows, by share of positives.

    The mean is over data sets; in each line the calibrators have the same cases.
    """
    share = np.minimum(rows["positives"], rows["points"] - rows["positives"]) / rows["points"]
    usable = (rows["scores"] == "probabilities") & (rows["positives_of_test"] > 0)
    for line, (above, most) in SHARES.items():
        here = usable & (share > above) & (share <= most)
        yield [
            line,
            *(f"{_spread(rows, here & (rows['calibrator'] == name)):.2f}" for name in names),
        ]


def _spread(rows, kept):
    logs = np.log(rows["sum_of_test"][kept] / rows["positives_of_test"][kept])
    return np.sqrt(by_dataset(rows["dataset"][kept], logs**2)[1].mean())
