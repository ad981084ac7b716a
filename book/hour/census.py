"""The file of scores of the short book, and every number that its pages print.

The first half of the rows is for learning, the second stands for the cases to come, as in the
chapter on a file of one's own.
"""

from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from sklearn.metrics import log_loss

import calib
from calib import metrics
from calibkit.comparison import DEFAULTS
from calibkit.comparison.guide import OTHERWISE

FILE = Path(__file__).parents[1] / "census_scores.csv"
BANDS = [0, 0.2, 0.4, 0.6, 0.8, 1]
FEW = 300  # rows of a small calibration set
COST, GAIN = 1, 4  # of an offer, and of one that is taken up
LINE = calib.PlattScaling(scale="logit")


class Rows(NamedTuple):
    """Scores, labels (1: an income above 50,000 dollars) and groups."""

    scores: np.ndarray
    labels: np.ndarray
    groups: np.ndarray

    def take(self, chosen):
        """Some of the rows."""
        return Rows(self.scores[chosen], self.labels[chosen], self.groups[chosen])


@cache
def halves():
    """Rows to learn from, and rows to come."""
    score, income, sex = np.loadtxt(FILE, delimiter=",", dtype=str, skiprows=1).T
    labels = (income == ">50K").astype(int)
    everything = [score.astype(float), labels, sex]
    half = labels.size // 2
    return Rows(*(c[:half] for c in everything)), Rows(*(c[half:] for c in everything))


@cache
def calibrated(method=LINE):
    """Probabilities of the rows to come by a map that was learned from the others."""
    learn, new = halves()
    return method.fit(learn.scores, learn.labels).predict(new.scores)


def percent(share, digits=0):
    """A share as readers write it."""
    return f"{100 * share:.{digits}f}\N{NO-BREAK SPACE}%"


def table(head, rows):
    """A table in Markdown, its first column of words."""
    rule = ["---", *["---:"] * (len(head) - 1)]
    return "\n".join(f"| {' | '.join(map(str, row))} |" for row in [head, rule, *rows])


def what_it_is():
    """What was said, and what came: in bands of scores, and in the highest of them."""
    _, new = halves()
    bands = np.digitize(new.scores, BANDS[1:-1])
    rows = []
    for k, (low, high) in enumerate(zip(BANDS[:-1], BANDS[1:], strict=True)):
        said, came = new.scores[bands == k], new.labels[bands == k]
        words = f"{percent(low)} to {percent(high)}"
        rows.append([words, said.size, percent(said.mean()), percent(came.mean())])
    assert all(new.scores[bands == k].mean() > new.labels[bands == k].mean() for k in range(5))
    head = ["the score says", "people", "on average", "of them above 50,000"]
    return {
        "bands": table(head, rows),
        "rows": f"{new.labels.size:,}",
        "middle_said": rows[3][2],
        "middle_came": rows[3][3],
    }


def see_it():
    """Measures of the scores as they came, and of a forecast that says the same to everybody."""
    _, new = halves()
    share = np.full(new.scores.size, new.labels.mean())
    parts = metrics.score_decomposition(new.labels, new.scores, loss="brier")
    assert parts.miscalibration < parts.discrimination
    return {
        "ece": f"{metrics.expected_calibration_error(new.labels, new.scores):.3f}",
        "base_ece": f"{metrics.expected_calibration_error(new.labels, share):.3f}",
        "base_rate": percent(new.labels.mean()),
        "brier": f"{metrics.brier_score_loss(new.labels, new.scores):.3f}",
        "base_brier": f"{metrics.brier_score_loss(new.labels, share):.3f}",
        "mcb": f"{parts.miscalibration:.3f}",
        "dsc": f"{parts.discrimination:.3f}",
        "unc": f"{parts.uncertainty:.3f}",
    }


METHODS = {
    "a line in the logits": LINE,
    "isotonic regression": calib.IsotonicCalibrator(),
    "Venn-Abers prediction": calib.VennAbers(),
    "the average of five maps": calib.StackedCalibrator(),
}


def mend_it():
    """Losses on the rows to come, before and after."""
    _, new = halves()
    predictions = {"the scores as they came": new.scores}
    predictions |= {name: calibrated(method) for name, method in METHODS.items()}
    losses = {
        name: (
            log_loss(new.labels, p),
            metrics.brier_score_loss(new.labels, p),
            metrics.expected_calibration_error(new.labels, p),
        )
        for name, p in predictions.items()
    }
    raw, *mended = losses.values()
    assert np.all(np.max(mended, axis=0) < raw)  # every map is better in every measure
    briers = [brier for _, brier, _ in mended]
    assert max(briers) - min(briers) < (raw[1] - max(briers)) / 10  # and they hardly differ
    rows = [[name, f"{a:.3f}", f"{b:.3f}", f"{c:.3f}"] for name, (a, b, c) in losses.items()]
    z = np.log(0.8 / 0.2)
    shift, slope = line()
    return {
        "losses": table(["", "log loss", "Brier score", "ECE"], rows),
        "shift": f"{shift:.2f}".replace("-", "\N{MINUS SIGN}"),
        "slope": f"{slope:.2f}",
        "eighty": percent(1 / (1 + np.exp(-shift - slope * z))),
    }


def line():
    """The two numbers of the line in the logits."""
    learn, _ = halves()
    fitted = LINE.fit(learn.scores, learn.labels)
    at_zero, at_one = fitted.predict_logit([0.5, np.e / (1 + np.e)])
    return at_zero, at_one - at_zero


def how_sure():
    """What three hundred rows can tell: the ECE of perfect forecasts, and two maps compared."""
    rng = np.random.default_rng(0)
    learn, new = halves()
    perfect = calibrated()
    eces, worse = [], []
    for _ in range(200):
        p = rng.choice(perfect, FEW)
        eces.append(metrics.expected_calibration_error(rng.random(FEW) < p, p))
        few = learn.take(rng.choice(learn.labels.size, FEW, replace=False))
        briers = [
            metrics.brier_score_loss(
                new.labels, method.fit(few.scores, few.labels).predict(new.scores)
            )
            for method in (calib.PlattScaling(scale="logit"), calib.IsotonicCalibrator())
        ]
        worse.append(briers[1] > briers[0])
    assert np.mean(worse) > 0.9
    many = [
        metrics.expected_calibration_error(rng.random(perfect.size) < perfect, perfect)
        for _ in range(200)
    ]
    return {
        "few": FEW,
        "few_ece": f"{np.mean(eces):.3f}",
        "many_ece": f"{np.mean(many):.3f}",
        "worse": percent(np.mean(worse)),
    }


def groups():
    """What is said and what comes, for women and men, before and after one map for all."""
    _, new = halves()
    after = calibrated()
    rows = []
    for name, words in {"Female": "women", "Male": "men"}.items():
        here = new.groups == name
        said, mended, came = (v[here].mean() for v in (new.scores, after, new.labels))
        assert abs(mended - came) < 0.01 < said - came
        rows.append([words, here.sum(), *(percent(v, 1) for v in (said, mended, came))])
    return {"groups": table(["", "people", "scores", "calibrated", "above 50,000"], rows)}


def decisions():
    """What the same rule earns with the scores and with calibrated probabilities."""
    _, new = halves()
    rows = []
    for name, p in {"the scores as they came": new.scores, "calibrated": calibrated()}.items():
        chosen = p > COST / GAIN
        profit = (GAIN * new.labels - COST)[chosen].sum() * 1000 / new.labels.size
        rows.append([name, chosen.sum(), percent(new.labels[chosen].mean()), f"{profit:.0f}"])
    assert float(rows[1][3]) > float(rows[0][3])
    head = ["letters by", "letters", "of them taken up", "profit for 1000 people"]
    return {
        "profit": table(head, rows),
        "threshold": percent(COST / GAIN),
        "cost": COST,
        "gain": GAIN,
    }


def which_method():
    """The advice of the package, in its own words."""
    return {
        "otherwise": f"`{OTHERWISE.take}`",
        "otherwise_why": OTHERWISE.why,
        "compared": len(DEFAULTS),
    }


def numbers():
    """All of them, by name."""
    parts = [what_it_is, see_it, mend_it, how_sure, groups, decisions, which_method]
    return {f"hour_{name}": value for part in parts for name, value in part().items()}


if __name__ == "__main__":
    for name, value in numbers().items():
        print(f"{name}: {value}")
