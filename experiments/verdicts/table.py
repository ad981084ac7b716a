"""What the recorded verdicts and advice come to, by family of truths and in all."""

from typing import NamedTuple

import numpy as np

from calibkit.inference import binomial_limits
from experiments.verdicts.rubric import HARM, MISLEADING, RIGHT, WRONG
from experiments.verdicts.truths import FAMILIES

ALL = "all truths"
POLICIES = ["advised", "keep", "always"]
N_THRESHOLDS = 3
AMOUNTS = ("regret", "cost")  # measures that are no shares begin so
N_WORST = 12  # truths that are named
TWO_ERRORS = 1.96  # standard errors of an interval of 95 %


class Mean(NamedTuple):
    """A mean over truths with its 95 % limits; NaN where there is nothing to say."""

    value: float
    lower: float
    upper: float


def without_leaks(rows):
    """The rows but for the family in which a feature gives the outcome away."""
    return {key: column[rows["family"] != "leak"] for key, column in rows.items()}


def summary(rows, measures):
    """A dict for each family and one for all, with a `Mean` of each measure.

    Every truth counts alike, however many files of it there are. Files are drawn one by one, so
    limits come from files alone, given the list of truths: those of a share are exact ones for as
    many files as tell as much, those of a regret come from the spread among files of a truth.

    Parameters
    ----------
    rows : dict of arrays
        ``recorded("verdicts")`` or ``recorded("verdicts_advice")``.
    measures : callable
        `headlines` or `costs`, from the rows to a value of each file; NaN where there is none.
    """
    columns = measures(rows)
    lines = []
    for family in [*(name for name in FAMILIES if name in rows["family"]), ALL]:
        here = np.ones(rows["truth"].size, bool) if family == ALL else rows["family"] == family
        line = {"family": family, "truths": np.unique(rows["truth"][here]).size}
        line["files"] = int(here.sum())
        for key, column in columns.items():
            share = not key.startswith(AMOUNTS)
            line[key] = mean_of(rows["truth"][here], column[here], share=share)
        lines.append(line)
    return lines


def mean_of(truths, values, *, share):
    """Mean over truths of the mean over files, with limits, of zeros and ones if it is a `share`.

    Examples
    --------
    >>> mean_of(np.array(["a", "a", "b"]), np.array([1.0, 0.0, 1.0]), share=True).value
    0.75
    """
    there = ~np.isnan(values)
    if not there.any():
        return Mean(np.nan, np.nan, np.nan)
    values = values[there]
    _, of = np.unique(truths[there], return_inverse=True)
    files = np.bincount(of)
    means = np.bincount(of, values) / files
    mean = float(means.mean())
    if share:
        alike = files.size**2 / np.sum(1 / files)  # files of one truth that would tell as much
        return Mean(mean, *map(float, binomial_limits(min(mean, 1.0) * alike, alike)))
    if files.min() == 1:
        return Mean(mean, np.nan, np.nan)
    variances = np.bincount(of, (values - means[of]) ** 2) / (files - 1) / files
    reach = TWO_ERRORS * np.sqrt(variances.sum()) / files.size
    return Mean(mean, mean - reach, mean + reach)


def headlines(rows):
    """Of every file, what its headline is worth."""
    found = {name: rows["headline"] == name for name in (RIGHT, MISLEADING, WRONG)}
    found["bad"] = rows["headline"] != RIGHT
    off = rows["calibrated"] == 0
    found["found"] = np.where(off, rows["outcome"] == "miscalibrated", np.nan)
    found["caught"] = np.where(rows["true_flags"] == "-", np.nan, rows["caught"] != "-")
    found["false_alarms"] = rows["false_alarms"] != "-"
    named = rows["right_groups_named"] > 0
    found["right_groups_named"] = np.where(rows["right_groups"] > 0, named, np.nan)
    return {key: np.asarray(values, float) for key, values in found.items()}


def costs(rows):
    """Of every file, whether advice harms, and losses beyond those of the best candidate."""
    found = {"harm": rows["harm"], "harm_always": rows["loss_always"] > rows["loss_keep"] + HARM}
    for policy in POLICIES:
        found[f"regret_{policy}"] = rows[f"loss_{policy}"] - rows["loss_oracle"]
    for policy in POLICIES:
        regrets = [
            rows[f"cost{k}_{policy}"] - rows[f"cost{k}_oracle"] for k in range(1, N_THRESHOLDS + 1)
        ]
        found[f"cost_{policy}"] = np.mean(regrets, axis=0)
    return {key: np.asarray(values, float) for key, values in found.items()}


SIZES = {"files": ("files", None)}
SAYS = SIZES | {  # a measure, its column, and what it is multiplied by, or None for a number
    "right": ("right", 100),
    "misleading": ("misleading", 100),
    "wrong": ("wrong", 100),
    "found": ("error found", 100),
    "caught": ("problem named", 100),
    "false_alarms": ("absent problem named", 100),
    "right_groups_named": ("innocent group blamed", 100),
}
COSTS = SIZES | {
    "harm": ("harms", 100),
    "harm_always": ("*always* harms", 100),
    "regret_advised": ("log loss: advised", 1000),
    "regret_keep": ("*keep*", 1000),
    "regret_always": ("*always*", 1000),
    "cost_advised": ("cost: advised", 1000),
    "cost_keep": ("*keep*", 1000),
    "cost_always": ("*always*", 1000),
}
WITH_LIMITS = {"right", "harm", "regret_advised"}


def written(lines, columns):
    """A table in Markdown of some measures, a row for each family; a dash where there is none.

    Limits stand in the last line, that of all truths: a page has no room for those of families.
    """
    body = []
    for line in lines:
        limited = WITH_LIMITS if line is lines[-1] else ()
        cells = [
            cell(line[key], scale, limits=key in limited) for key, (_, scale) in columns.items()
        ]
        body.append([line["family"], *cells])
    return as_table(["family", *(name for name, _ in columns.values())], body)


def as_table(head, body):
    """A table in Markdown, the first column left and the others right."""
    rows = [head, ["---", *["---:"] * (len(head) - 1)], *body]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def cell(mean, scale, *, limits):
    """A number of things, or a mean, with its limits if there are some."""
    if scale is None:
        return f"{mean:,}"
    if np.isnan(mean.value):
        return "-"
    value, *ends = (f"{scale * end:.1f}" for end in mean)
    return f"{value} ({' to '.join(ends)})" if limits and not np.isnan(mean.lower) else value


def failures(rows):
    """The truths with the largest shares of misleading or wrong headlines, as a table."""
    found = []
    for name in dict.fromkeys(rows["truth"].tolist()):
        said = rows["headline"][rows["truth"] == name]
        misleading, wrong = (np.count_nonzero(said == kind) for kind in (MISLEADING, WRONG))
        found.append(((misleading + wrong) / said.size, name, said.size, misleading, wrong))
    worst = sorted(found, key=lambda one: -one[0])[:N_WORST]
    return as_table(
        ["truth and rows", "files", "misleading", "wrong"],
        [list(map(str, one[1:])) for one in worst if one[0] > 0],
    )
