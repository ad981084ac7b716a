"""Our numbers on prose pages, taken from the record and the chapters when the site is built.

A page writes ``{{ name }}``; what is computed anew is printed anew. The names:

* ``rings_isotonic_ece_label``: a mean of chapter 20's experiment;
* ``ledger_vovk2014_agree``, ``ledger_all_share``, ``claims``: counts of the ledger and the claims;
* ``verdicts_says``, ``verdicts_harm``: tables and shares of the benchmark of verdicts;
* ``vector_cases``: counts of the test vectors and of the packages that were run on them;
* ``reading_right``: counts of the reading test, and a table of its sentences by round;
* ``hour_ece``: numbers of the short book, book/hour/census.py;
* ``c15_same``: what chapter 23 glues into its own text as ``c15-same``. Chapters compute it, and
  the test suite runs them again and compares.
"""

import json
import math
import sys
from collections import Counter
from pathlib import Path

import numpy as np

from calibkit.inference import binomial_limits
from calibkit.testing import read_vectors
from experiments import recorded
from experiments.baselines import READINGS, SHARES, Share, total
from experiments.choices import FIRST
from experiments.ledger import (
    AGREES,
    CAUSES,
    EXPLAINED,
    NOT_COMPARABLE,
    TUNED,
    UNEXPLAINED,
    Trial,
    agrees,
    read_ledger,
    reader,
    totals,
)
from experiments.naeini2014.protocol import N_RUNS
from experiments.naeini2016.settings import SETTINGS
from experiments.placebos import PLACEBOS, Rate
from experiments.reading import kind_of
from experiments.recording import RESULTS, read_table
from experiments.registry import papers
from experiments.second_hand import AGREE
from experiments.verdicts import peers, table
from experiments.verdicts.rubric import LEVEL
from experiments.vovk2014.held_out import HELD_OUT, HeldOut

NOTEBOOKS = Path(__file__).resolve().parents[2] / "notebooks"
TREES = ["forest", "boosting", "tree"]
HOUR = Path(__file__).resolve().parents[1] / "hour"
TEXT = "application/papermill.record/text/plain"


def rings():
    """Means over ten runs after the linear SVM, by method, measure and policy for ties."""
    rows = recorded("naeini2014_rings")
    for method in ["Isotonic", "Histogram"]:
        for measure in ["RMSE", "AUC", "ECE", "MCE"]:
            for ties in ["label", "group"]:
                kept = (rows["svm"] == "linear") & (rows["method"] == method)
                mean = rows[measure][kept & (rows["ties"] == ties)].mean()
                yield f"rings_{method}_{measure}_{ties}".lower(), f"{mean:.2f}"


def ledger():
    """Counts of the ledger, for each paper that has tables and for all."""
    found = read_ledger()
    for paper in ["all", *dict.fromkeys(entry.paper for entry in found)]:
        count = totals([entry for entry in found if paper in ("all", entry.paper)])
        numbers = {
            "numbers": count.numbers,
            "comparable": count.comparable,
            "agree": count[AGREES],
            "explained": count[EXPLAINED],
            "tuned": count[TUNED],
            "settled": count.settled,
            "unexplained": count[UNEXPLAINED],
            "not_comparable": count[NOT_COMPARABLE],
        }
        yield from ((f"ledger_{paper}_{name}", f"{n}") for name, n in numbers.items())
        yield f"ledger_{paper}_share", f"{count.share:.0%}"
    kept = read_ledger(SHARES, Share)
    for reading in READINGS:
        name = reading.replace(",", "").replace(" ", "_")
        for own in [*(one for one in kept if one.reading == reading), total(kept, reading)]:
            for what in ["settled", "wrong", "shuffled"]:
                yield f"ledger_{own.paper}_{name}_{what}", own.percent(what)
    paper, ten = papers()["naeini2014"], 0
    for rings_of in paper.tables[:2]:  # the printed numbers taken to be means of ten runs
        ours = rings_of.ours(reader(), **rings_of.reading, printed_runs=N_RUNS)
        ten += sum(agrees(number, ours[number.row, number.column]) for number in rings_of.printed())
    one = sum(
        e.verdict == AGREES for e in found if (e.paper, e.table[:6]) == (paper.name, "table1")
    )
    yield from [("ledger_rings_one_run", f"{one}"), ("ledger_rings_ten_runs", f"{ten}")]
    tried, passed = np.sum([one[2::2] for one in read_ledger(PLACEBOS, Rate)], axis=0)
    yield from [("ledger_placebos", f"{tried:,}"), ("ledger_size", f"{passed / tried:.1%}")]
    yield "ledger_tuned_readings", f"{totals(found)[TUNED]}"
    both = [entry for entry in found if entry.hands]
    yield "ledger_second_numbers", f"{len(both)}"
    yield "ledger_second_agree", f"{sum(entry.hands == AGREE for entry in both)}"
    claims = read_table(RESULTS.parent / "publications" / "claims.csv")
    yield "claims", f"{claims['claim'].size}"
    yield "claims_pointed", f"{np.count_nonzero(claims['mean_of'])}"
    documented = {(p.name, c.name) for p in papers().values() for c in p.causes if c.documented}
    yield "ledger_documented", f"{sum((e.paper, e.cause) in documented for e in found)}"
    infinite = sum(math.isinf(entry.published) and math.isinf(entry.ours) for entry in found)
    yield "ledger_both_infinite", f"{infinite}"
    yield "choice_first", FIRST
    yield "choice_n16_settings", f"{sum(how != 'study' for _, how in SETTINGS)}"
    bare = next(
        one for one in read_ledger(CAUSES, Trial) if one.cause == "lr-unit-range-no-intercept"
    )
    for one in read_ledger(HELD_OUT, HeldOut):
        name = {"": "first", "reptree-bagging": "reptree"}.get(one.reading)
        if name:
            yield f"held_{name}", f"{one.agree} of {one.numbers}"
    yield from [
        ("choice_bare_mended", f"{bare.mended}"),
        ("choice_bare_spoiled", f"{bare.spoiled}"),
    ]


def verdicts():
    """Tables of the benchmark of verdicts, its sizes, and shares over all its truths."""
    rows, advised = recorded("verdicts"), recorded("verdicts_advice")
    says, costs = table.summary(rows, table.headlines), table.summary(advised, table.costs)
    yield "verdicts_says", table.written(says, table.SAYS)
    yield "verdicts_costs", table.written(costs, table.COSTS)
    yield "verdicts_failures", table.failures(rows)
    everything, all_costs = says[-1], costs[-1]
    yield from ((f"verdicts_{key}", f"{everything[key]:,}") for key in ("truths", "files"))
    yield "verdicts_advised_files", f"{all_costs['files']:,}"
    for key in ["bad", "right_groups_named", "false_alarms"]:
        yield f"verdicts_{key}", _with_limits(everything[key])
    for key in ["harm", "harm_always"]:
        yield f"verdicts_{key}", _with_limits(all_costs[key])
    for key in ["advised", "keep", "always"]:
        yield f"verdicts_regret_{key}", f"{1000 * all_costs[f'regret_{key}'].value:.1f}"
    before = recorded("verdicts_advice_before")
    all_before = table.summary(before, table.costs)[-1]
    yield "verdicts_before_harms", _with_limits(all_before["harm"])
    yield "verdicts_before_regret", f"{1000 * all_before['regret_advised'].value:.1f}"
    for name, record in [("", advised), ("before_", before)]:
        others = table.summary(table.without_leaks(record), table.costs)[-1]
        yield f"verdicts_{name}no_leak", f"{1000 * others['regret_advised'].value:.1f}"
    _, firsts, files = np.unique(rows["truth"], return_index=True, return_counts=True)
    calibrated = rows["calibrated"][firsts]
    yield "verdicts_most", f"{files.max()}"
    yield "verdicts_least", f"{files.min()}"
    yield "verdicts_calibrated", f"{np.count_nonzero(calibrated)}"
    yield "verdicts_by_level", f"{LEVEL * np.mean(calibrated):.1%}"
    trees = np.isin(rows["truth"], [f"training rows, {kind}, 2000" for kind in TREES])
    yield "verdicts_trees_caught", f"{np.mean(rows['caught'][trees] != '-'):.0%}"
    yield "verdicts_files_of_trees", f"{np.count_nonzero(trees)}"
    others = recorded("verdicts_peers")
    yield "verdicts_peers", peers.written_shares(others)
    yield "verdicts_peers_files", f"{np.count_nonzero(others['judge'] == peers.OURS):,}"


def vectors():
    """Counts of the page *Test your own implementation*."""
    yield "vector_cases", f"{len(read_vectors())}"
    languages = Counter(recorded("vectors_summary")["language"].tolist())
    yield "vector_packages", f"{languages.total()}"
    counts = [f"{count} in {language}" for language, count in languages.most_common()]
    yield "vector_languages", ", ".join(counts)


def reading():
    """Counts of the reading test."""
    asked = read_table(RESULTS / "reading_test.csv")
    first = asked["verdict"][asked["round"] == 1]
    yield "reading_pages", f"{np.unique(asked['page']).size}"
    yield "reading_questions", f"{first.size}"
    yield "reading_right", f"{np.count_nonzero(first == 'right')}"
    yield "reading_rounds", "\n".join(_rounds(read_table(RESULTS / "reading_sentences.csv")))


def _rounds(sentences):
    """Lines of a table: sentences by round and kind of page, and the fraction that was hard."""
    yield "| round | pages | sentences | read twice | not understood | hard, with 95 % limits |"
    yield "|---|---|---:|---:|---:|---|"
    kinds = np.array([kind_of(page) for page in sentences["page"]])
    for number in np.unique(sentences["round"]):
        for kind in ["chapter", "front page", "API page", "all"]:
            is_part = (sentences["round"] == number) & ((kinds == kind) | (kind == "all"))
            marks = sentences["mark"][is_part]
            twice, lost = np.count_nonzero(marks == "twice"), np.count_nonzero(marks == "not")
            lower, upper = binomial_limits(twice + lost, marks.size)
            share = f"{(twice + lost) / marks.size:.1%} ({lower:.1%} to {upper:.1%})"
            yield f"| {number:.0f} | {kind} | {marks.size:,} | {twice} | {lost} | {share} |"


def _with_limits(share):
    """A share in per cent, with its limits."""
    return f"{share.value:.1%} ({share.lower:.1%} to {share.upper:.1%})"


def glued():
    """Name and text of everything that a chapter glues as text."""
    for path in sorted(NOTEBOOKS.glob("*.ipynb")):
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            for output in cell.get("outputs", []):
                name = output.get("metadata", {}).get("scrapbook", {}).get("name")
                if name and TEXT in output["data"]:
                    yield name.replace("-", "_"), "".join(output["data"][TEXT]).strip("'")


def hour_numbers():
    """Those of the short book, whose programs stand beside its pages."""
    sys.path.insert(0, str(HOUR))
    import census

    return census.numbers()


def numbers():
    """All of them, by name."""
    found = [rings(), ledger(), verdicts(), vectors(), reading(), glued()]
    return {name: value for part in found for name, value in part} | hour_numbers()


def configure(app, config):
    """Hand the numbers to MyST."""
    config.myst_substitutions = config.myst_substitutions | numbers()


def setup(app):
    """Configure before pages are read."""
    app.connect("config-inited", configure, priority=1)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
