"""The known truths: each a way to draw files, their size, and what should be remarked of them."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.special import logit

from experiments.verdicts.files import (
    File,
    clustered,
    copied,
    counted,
    drifting,
    grouped,
    on_logits,
    sampled,
    simple,
    written_as,
)
from experiments.verdicts.trained import MODELS, leaking, scored

SEEDS = 50  # files of each truth; a record goes on where it stopped if this is raised
ADVICE_SEEDS = 6  # and advice: a file takes three seconds, a headline a tenth
LARGE, FEWER = 20_000, 10  # rows, above which a truth has fewer files

TOP = np.quantile(np.random.default_rng(0).beta(1, 4, 100_000), 0.98)


class Truth(NamedTuple):
    """A law of files.

    Attributes
    ----------
    name, family : str
    draw : callable
        From a generator and the number of rows to a `File`.
    rows : int
    flags : frozenset of str
        Remarks that are true of the file; every other is a false alarm.
    """

    name: str
    family: str
    draw: Callable[..., File]
    rows: int
    flags: frozenset = frozenset()

    @property
    def seeds(self):
        """Most files of it: drawing and judging one takes seconds where there are fewer."""
        slow = self.rows > LARGE or "network" in self.name
        return FEWER if slow else SEEDS


def where(lowest, highest, truth):
    """Another truth in a range of scores, and calibrated scores elsewhere."""
    return lambda p: np.where((lowest <= p) & (p <= highest), truth(p), p)


def wave(height, periods=3):
    """Too low and too high in turn, nowhere beyond 0 and 1."""
    return lambda p: p + np.minimum(height, np.minimum(p, 1 - p)) * np.sin(2 * np.pi * periods * p)


def noisy(up, down):
    """The truth where positives lose their label with `up` and negatives with `down`."""
    return lambda p: p * (1 - up) + (1 - p) * down


def same(p):
    """No error."""
    return p


def flipped(p):
    """The scores of the other class."""
    return 1 - p


def _calibrated():
    sizes = {
        "uniform": [50, 100, 200, 500, 1000, 4000, 20_000, 100_000, 1_000_000],
        "U-shaped": [200, 4000, 20_000],
        "bell": [500, 4000],
        "skewed": [500, 4000],
        "normal logits": [1000, 4000],
        "5 %": [500, 4000],
        "1 %": [4000, 20_000],
        "1:1000": [20_000, 200_000],
        "nearly certain": [500, 4000],
        "20 values": [500, 4000],
        "5 classes": [4000],
        "2 digits": [4000],
        "votes": [4000],
    }
    return [(f"calibrated, {law}", simple(law), n) for law, some in sizes.items() for n in some]


def _right_groups():
    def equal(law, number):
        return grouped(law, np.ones(number), [same] * number)

    return [
        ("five right groups", equal("uniform", 5), 4000),
        ("20 right groups, 1 %", equal("1 %", 20), 8000),
        ("50 right groups, 1 %", equal("1 %", 50), 20_000),
        ("50 right groups", equal("U-shaped", 50), 5000),
    ]


def _over_confident():
    sizes = {1 / 2: [200, 4000], 1 / 1.6: [500, 4000], 1 / 1.2: [4000, 20_000]}
    for slope, some in sizes.items():
        for n in some:
            name = f"over-confident, logits / {1 / slope:.1f}"
            yield name, simple("U-shaped", on_logits(slope)), n


def _under_confident():
    for slope, law, n in [
        (1.6, "skewed", 500),
        (1.6, "skewed", 4000),
        (2, "bell", 200),
        (2, "20 values", 1000),
        (1.2, "uniform", 20_000),
    ]:
        yield f"under-confident, logits x {slope}", simple(law, on_logits(slope)), n


def _tail():
    high = simple("leaning", where(0.8, 1, lambda p: 0.55))
    top = simple("skewed", where(TOP, 1, lambda p: 0.6 * p))
    low = simple("skewed", where(0, 0.05, lambda p: 2 * p))
    rare = simple("1 %", where(0.04, 1, lambda p: p / 3))
    return [
        *[("above 0.8 comes 0.55", high, n) for n in (500, 4000, 20_000)],
        *[("top 2 % at 0.6 of the score", top, n) for n in (4000, 20_000)],
        *[("below 0.05 comes the double", low, n) for n in (4000, 20_000)],
        ("1 %: above 0.04 comes a third", rare, 20_000),
    ]


def _middle_and_waves():
    for shift, n in (0.1, 1000), (0.1, 4000), (-0.2, 4000):
        middle = where(0.4, 0.6, lambda p, shift=shift: p + shift)
        yield f"middle off by {shift}", simple("uniform", middle), n
    for height, n in (0.12, 1000), (0.12, 4000), (0.05, 20_000):
        yield f"wave of {height}", simple("uniform", wave(height)), n
    two = where(0.3, 0.4, lambda p: p + 0.15)
    yield "two of 20 values off", simple("20 values", two), 4000


def _shifted():
    for law, odds, n in [
        ("U-shaped", 2, 500),
        ("U-shaped", 2, 4000),
        ("skewed", 1.3, 4000),
        ("bell", 1 / 3, 1000),
        ("5 %", 2, 500),
        ("5 %", 2, 4000),
    ]:
        yield f"{law}, odds x {odds:.2g}", simple(law, on_logits(shift=np.log(odds))), n


def _one_in_thousand():
    half = simple("1:1000", on_logits(shift=np.log(1 / 2)))
    return [("1:1000, odds x 0.5", half, n) for n in (20_000, 200_000)]


def _groups_off():
    def shifted(law, shares, shifts):
        return grouped(law, shares, [on_logits(shift=s) if s else same for s in shifts])

    opposite = shifted("uniform", [1, 1], [0.5, -0.5])
    slopes = grouped("uniform", [1, 1], [on_logits(0.6), on_logits(1.6)])
    one_in_20 = shifted("1 %", np.ones(20), [1.1] + [0] * 19)
    return [
        ("one of five groups off", shifted("U-shaped", np.ones(5), [0] * 4 + [0.8]), 4000),
        ("a group of 5 % off", shifted("uniform", [0.95, 0.05], [0, 1.0]), 4000),
        ("two groups off, opposite", opposite, 2000),
        ("two groups off, opposite", opposite, 20_000),
        ("slopes 0.6 and 1.6", slopes, 4000),
        ("five of 40 groups off", shifted("uniform", np.ones(40), [1.2] * 5 + [0] * 35), 8000),
        ("one of 20 groups doubles, 1 %", one_in_20, 20_000),
    ]


def _reversed():
    laws = {"U-shaped": 500, "normal logits": 4000, "skewed": 4000}
    return [(f"reversed, {law}", simple(law, flipped), n) for law, n in laws.items()]


def _copies():
    return [
        ("500 rows, each 8 times", copied("normal logits", 8), 4000),
        ("2000 rows, each twice", copied("U-shaped", 2), 4000),
        ("a tenth of the rows 5 times", copied("uniform", 5, share=0.1), 4000),
        ("over-confident, each 8 times", copied("U-shaped", 8, on_logits(0.5)), 4000),
    ]


def _clusters():
    over_confident = clustered("normal logits", 8, on_logits(0.5))
    return [
        ("500 clusters of 8", clustered("normal logits", 8), 4000),
        ("5000 clusters of 2", clustered("U-shaped", 2), 10_000),
        ("50 clusters of 40", clustered("uniform", 40), 2000),
        ("over-confident, 500 clusters of 8", over_confident, 4000),
    ]


def _label_noise():
    for name, lost, invented in [
        ("a tenth of the labels wrong", 0.1, 0.1),
        ("a fifth of the labels wrong", 0.2, 0.2),
        ("a third of the positives missed", 1 / 3, 0.0),
    ]:
        yield name, simple("U-shaped", noisy(lost, invented)), 4000


def _training_rows():
    models = ["forest", "boosting", "tree", "k-NN", "network"]
    few = ("training rows, small forest file", scored("forest", True), 300)
    return [*[(f"training rows, {model}", scored(model, True), 2000) for model in models], few]


def _mild_training_rows():
    models = ["pruned tree", "small boosting"]
    return [(f"training rows, {model}", scored(model, True), 2000) for model in models]


def _new_rows():
    return [(f"new rows, {model}", scored(model, False), 2000) for model in MODELS]


def _leaks():
    return [(f"leak of {strength} logits", leaking(strength), 4000) for strength in (8, 4, 3)]


def _no_probabilities():
    margins = written_as(simple("normal logits"), logit)
    percentages = written_as(simple("skewed"), lambda p: 100 * p)
    sizes = [("log-odds", margins, 4000), ("log-odds, 300 rows", margins, 300)]
    return [*sizes, ("percentages", percentages, 4000)]


def _drift():
    up, down, double = (on_logits(shift=s) for s in (0.5, -0.5, np.log(2)))
    late = drifting("U-shaped", same, on_logits(0.5), 0.75)
    return [
        ("odds doubled at the half", drifting("uniform", same, double), 4000),
        ("slope 0.5 in the last quarter", late, 8000),
        ("too low, then too high", drifting("uniform", up, down), 4000),
        ("5 %: odds doubled at the half", drifting("5 %", same, double), 8000),
    ]


def _weights():
    over_confident = sampled("U-shaped", (0.1, 1.0), on_logits(0.5))
    cases = sampled("5 %", (0.05, 1.0), by="outcome")
    return [
        ("counts, calibrated", counted("2 digits"), 20_000),
        ("counts, over-confident", counted("2 digits", on_logits(0.6)), 20_000),
        ("sampling by score, calibrated", sampled("U-shaped", (0.1, 1.0)), 4000),
        ("sampling by a coin, calibrated", sampled("skewed", (0.05, 1.0), by="coin"), 4000),
        ("cases and controls, calibrated", cases, 4000),
        ("sampling by score, over-confident", over_confident, 4000),
    ]


FAMILIES = {  # with what should be remarked of the file
    "calibrated": (_calibrated, ""),
    "right groups": (_right_groups, ""),
    "over-confident": (_over_confident, ""),
    "under-confident": (_under_confident, ""),
    "tail": (_tail, ""),
    "middle and waves": (_middle_and_waves, ""),
    "prior shifted": (_shifted, ""),
    "1:1000 twice too high": (_one_in_thousand, ""),
    "groups off": (_groups_off, ""),
    "reversed": (_reversed, "reversed"),
    "copies": (_copies, "copies"),
    "clusters": (_clusters, ""),
    "label noise": (_label_noise, ""),
    "training rows": (_training_rows, "training rows"),
    "mild training rows": (_mild_training_rows, "training rows"),
    "new rows": (_new_rows, ""),
    "leak": (_leaks, "training rows"),
    "no probabilities": (_no_probabilities, "no probabilities"),
    "drift": (_drift, "drift"),
    "weights": (_weights, ""),
}
TRUTHS = {
    f"{name}, {rows}": Truth(name, family, draw, rows, frozenset({flag} - {""}))
    for family, (members, flag) in FAMILIES.items()
    for name, draw, rows in members()
}
