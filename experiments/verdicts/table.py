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


SAYS = {  # a measure, its column, and what it is multiplied by, or None for a number of things
    "truths": ("truths", None),
    "files": ("files", None),
    "right": ("right", 100),
    "misleading": ("misleading", 100),
    "wrong": ("wrong", 100),
    "found": ("error found", 100),
    "caught": ("remark made", 100),
    "false_alarms": ("false remark", 100),
    "right_groups_named": ("right group named", 100),
}
COSTS = {
    "harm": ("harms", 100),
    "harm_always": ("*always* harms", 100),
    "regret_advised": ("log loss: advised", 1000),
    "regret_keep": ("*keep*", 1000),
    "regret_always": ("*always*", 1000),
    "cost_advised": ("cost: advised", 1000),
    "cost_keep": ("*keep*", 1000),
    "cost_always": ("*always*", 1000),
}


def written(lines, columns):
    """A table in Markdown of some measures, a row for each family; a dash where there is none."""
    head = ["family", *(name for name, _ in columns.values())]
    rows = [head, ["---", *["---:"] * (len(head) - 1)]]
    for line in lines:
        cells = [_cell(line[key], scale) for key, (_, scale) in columns.items()]
        rows.append([line["family"], *cells])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _cell(value, scale):
    if scale is None:
        return str(value)
    return "-" if np.isnan(value) else f"{scale * value:.1f}"


def failures(rows):
    """The truths of which a headline was misleading or wrong, with numbers of files, as a table."""
    found = ["| truth and rows | files | misleading | wrong |", "|---|---:|---:|---:|"]
    for name in dict.fromkeys(rows["truth"].tolist()):
        said = rows["headline"][rows["truth"] == name]
        misleading, wrong = (np.count_nonzero(said == kind) for kind in (MISLEADING, WRONG))
        if misleading or wrong:
            found.append(f"| {name} | {said.size} | {misleading} | {wrong} |")
    return "\n".join(found)
