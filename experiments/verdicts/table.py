"""What the recorded verdicts come to, by family of truths and in all."""

import numpy as np

from experiments.verdicts.rubric import HARM, MISLEADING, RIGHT, WRONG
from experiments.verdicts.truths import FAMILIES

ALL = "all truths"
POLICIES = ["advised", "keep", "always"]
N_THRESHOLDS = 3


def summary(rows):
    """A dict for each family and one for all: shares and mean regrets.

    Every truth counts alike, however many files of it there are. A regret is a loss beyond that of
    the best candidate; that in cost is the mean over the three thresholds.

    Parameters
    ----------
    rows : dict of arrays
        ``recorded("verdicts")``.
    """
    columns = _measures(rows)
    names, of = np.unique(rows["truth"], return_inverse=True)
    files = np.bincount(of)
    means = {key: _mean(of, values) for key, values in columns.items()}
    families = rows["family"][np.unique(of, return_index=True)[1]]
    known = [family for family in FAMILIES if family in families]
    lines = []
    for family in [*known, ALL]:
        here = np.ones(names.size, bool) if family == ALL else families == family
        line = {"family": family, "truths": int(here.sum()), "files": int(files[here].sum())}
        lines.append(line | {key: _average(values[here]) for key, values in means.items()})
    return lines


def _measures(rows):
    """Of every file; NaN where a measure says nothing of it."""
    found = {name: (rows["headline"] == name) * 1.0 for name in (RIGHT, MISLEADING, WRONG)}
    off = rows["calibrated"] == 0
    found["found"] = np.where(off, rows["outcome"] == "miscalibrated", np.nan)
    for policy in POLICIES:
        found[f"regret_{policy}"] = rows[f"loss_{policy}"] - rows["loss_oracle"]
    for policy in POLICIES:
        regrets = [
            rows[f"cost{k}_{policy}"] - rows[f"cost{k}_oracle"] for k in range(1, N_THRESHOLDS + 1)
        ]
        found[f"cost_{policy}"] = np.mean(regrets, axis=0)
    found["harm"] = rows["harm"]
    found["harm_always"] = rows["loss_always"] > rows["loss_keep"] + HARM
    found["caught"] = np.where(rows["true_flags"] == "-", np.nan, rows["caught"] != "-")
    found["false_alarms"] = rows["false_alarms"] != "-"
    named = rows["right_groups_named"] > 0
    found["right_groups_named"] = np.where(rows["right_groups"] > 0, named, np.nan)
    return {key: np.asarray(values, float) for key, values in found.items()}


def _mean(of, values):
    """Mean of each truth over the files of which there is something to say."""
    there = ~np.isnan(values)
    counts = np.bincount(of, there)
    with np.errstate(invalid="ignore"):
        return np.bincount(of, np.where(there, values, 0.0)) / counts


def _average(values):
    there = values[~np.isnan(values)]
    return float(there.mean()) if there.size else float("nan")


def text(lines):
    """The table for people: shares in per cent, regrets in thousandths."""
    head = ["family", "truths", "files", "right", "mislead", "wrong", "found"]
    head += ["regret", "keep", "always", "cost", "keep", "always"]
    head += ["harm", "always", "caught", "alarms", "groups"]
    written = [f"{head[0]:22}" + "".join(f"{name:>8}" for name in head[1:])]
    for line in lines:
        cells = [f"{line['family']:22}{line['truths']:8d}{line['files']:8d}"]
        for key, value in list(line.items())[3:]:
            scale = 1000 if key.startswith(("regret", "cost")) else 100
            cells.append("       -" if np.isnan(value) else f"{scale * value:8.1f}")
        written.append("".join(cells))
    return "\n".join(written)
