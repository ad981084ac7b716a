"""Five replication reports from the ledger: ``python -m experiments publish``.

Each paper gets an article and its metadata in the form of a replication journal. Beside them stand
the claims, each with a pointer to the pinned file that it rests on, and ``codecheck.yml`` with the
manifest of outputs. Nothing in them is typed that the records have. Names, dates and signatures of
people are left open: a machine cannot give them.
"""

import csv
import hashlib
import io
import json
from pathlib import Path

import yaml

from experiments import baselines, ledger, registry
from experiments.constants import CONSTANTS, KINDS
from experiments.pointers import Pointer, pointer
from experiments.recording import RESULTS
from experiments.second_hand import AGREE, RECORD

ROOT = RESULTS.parent
FOLDER = "publications"
PUBLISHED = ["naeini2014", "naeini2015", "naeini2016", "vovk2014", "durfee2022"]
TITLES = {
    "naeini2014": "Binary Classifier Calibration: Non-parametric approach",
    "naeini2015": "Obtaining Well Calibrated Probabilities Using Bayesian Binning",
    "naeini2016": "Binary Classifier Calibration Using an Ensemble of Near Isotonic Regression "
    "Models",
    "vovk2014": "Venn-Abers Predictors",
    "durfee2022": "Heterogeneous Calibration: A post-hoc model-agnostic framework for improved "
    "generalization",
}
CLAIMS = [
    *["claim", "paper", "table", "row", "column", "printed", "ours", "error", "verdict"],
    *["second", "hands"],
    *["file", "mean_of", "rows"],
]
OPEN = "TO BE SIGNED"  # in place of what only a person can give
SIGNED_BY_A_PERSON = (
    "that they are the authors of this report, with their names and ORCID identifiers",
    "that the printed numbers were read from the paper itself: ours are from texts of it, and two "
    "people should compare them with the journal's or the archive's PDF",
    "that the authors of the paper were asked about what is open, and what they answered",
    "that they have run the commands on a machine of their own, and which numbers they saw",
    "conflicts of interest, funding, and the licence of the text",
)


def publish(root=ROOT):
    """Write the reports, the claims and the manifest below a folder.

    Parameters
    ----------
    root : path, optional
        By default the clone.

    Returns
    -------
    paths : list of Path
    """
    entries, read = ledger.read_ledger(), ledger.reader()
    papers = {name: registry.papers()[name] for name in PUBLISHED}
    claims = [*_claims(entries, read), *_claims_of_output(read)]
    texts = {f"{FOLDER}/claims.csv": _csv(CLAIMS, claims)}
    for name, paper in papers.items():
        own = [claim for claim in claims if claim["paper"] == name]
        texts[f"{FOLDER}/{name}/article.md"] = article(paper, entries, own)
        texts[f"{FOLDER}/{name}/metadata.yaml"] = _yaml(_metadata(paper))
    manifest = _manifest(papers)
    texts[f"{FOLDER}/manifest.csv"] = _csv(["file", "sha256", "bytes"], manifest)
    texts["codecheck.yml"] = _yaml(_codecheck(manifest))
    for name, text in texts.items():
        path = Path(root) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return [Path(root) / name for name in texts]


def _claims(entries, read):
    """A claim for each number of the ledger, with its pointer where our number is a plain mean."""
    found = []
    for entry in entries:
        comparable = entry.verdict != ledger.NOT_COMPARABLE
        where = pointer(entry, read) if comparable else None
        found.append(_claim(entry, where) if where or not comparable else _derived(entry))
    return found


def _derived(entry):
    """A claim that is no plain mean: the files that its table rests on."""
    tables = {table.name: table for table in registry.papers()[entry.paper].tables}
    files = " | ".join(f"results/{name}.csv" for name in tables[entry.table].experiments)
    return _claim(entry, None) | {"file": files}


def _claim(entry, where):
    cells = dict(zip(entry._fields, ledger.formatted(entry), strict=True))
    claim = {name: cells[name] for name in CLAIMS if name in cells}
    claim["claim"] = f"{entry.paper}/{entry.table}: {entry.row}, {entry.column}"
    claim["printed"] = cells["published"]
    return claim | _pointed(where)


def _pointed(where):
    """The columns of a claim that say where its number lies; empty without a pointer."""
    if where is None:
        return {"file": "", "mean_of": "", "rows": ""}
    alternatives = ("; ".join(f"{k}={v}" for k, v in rows.items()) for rows in where.rows)
    file = f"results/{where.file}.csv"
    return {"file": file, "mean_of": where.column, "rows": " | ".join(alternatives)}


def _claims_of_output(read):
    """The numbers that the program of N15's authors prints; of the paper we have a summary."""
    name, found = "naeini2015_output", []
    rows = read(name)
    for k, machine in enumerate(rows["machine"]):
        stage, measure = rows["stage"][k], rows["measure"][k]
        if stage == "our BBQ":
            continue
        place = {"machine": machine, "stage": stage, "measure": measure}
        claim = {
            "claim": f"naeini2015/output: {machine}, {stage}, {measure}",
            "paper": "naeini2015",
            "table": "output",
            "row": f"{machine} / {stage}",
            "column": measure,
            "printed": f"{rows['printed'][k]:g}",
            "ours": f"{rows['ours'][k]:.6g}",
            "error": "0",
            "verdict": "",
            "second": "",
            "hands": "",
        }
        found.append(claim | _pointed(Pointer(name, "ours", (place,))))
    return found


def article(paper, entries, claims):
    """The text of the report on a paper, as Markdown."""
    own = [entry for entry in entries if entry.paper == paper.name]
    parts = [
        f"# [Re] {TITLES[paper.name]}",
        "This report is made from the ledger by `python -m experiments publish`. No number in it "
        "is typed.",
        "## The paper",
        f"{paper.citation}, *{TITLES[paper.name]}*.",
        "## What was replicated",
        *(_results(paper, own) if own else [_output_of_the_program(claims)]),
        "## The protocol",
        "Each constant that the paper does not settle alone is of one of four kinds. What a tuned "
        "constant mends is not counted as agreement.",
        _constants(paper),
        "Where the records differ from the paper:",
        _bullets(_deviations(paper)),
        "## What was run",
        _runs(paper),
        *(["## A second hand", *_second_hand(own)] if own else []),
        "## Code and data",
        f"`make reproduce ITEM={paper.name}` sets the printed numbers beside ours, and with "
        "`FRESH=1` it computes ours anew. `publications/claims.csv` has a line for each number, "
        f"{len(claims)} of them of this paper. {_pointers(claims)} `python3 "
        "publications/check.py` compares the files with their checksums, takes the means and "
        "compares them with the claims. It needs Python alone and none of our code. Data sets are "
        "not in the repository: `book/data.md` says where they come from, and the records have "
        "their checksums.",
        "## What a person has to sign",
        "No person has signed this report. Before it is handed in, somebody has to state",
        _bullets(SIGNED_BY_A_PERSON),
    ]
    return "\n\n".join(parts) + "\n"


def _results(paper, own):
    """Counts of verdicts by table, what agreement is worth, causes, and what is open."""
    by_table = {}
    for entry in own:
        by_table.setdefault(entry.table, []).append(entry)
    titles = {table.name: table.title for table in paper.tables}
    rows = [
        [name, titles[name], len(found), *(ledger.totals(found)[v] for v in ledger.VERDICTS)]
        for name, found in by_table.items()
    ]
    shares = ledger.read_ledger(baselines.SHARES, baselines.Share)
    worth = [
        [one.reading, one.comparable, one.settled, one.percent("settled"), one.percent("wrong")]
        for one in shares
        if one.paper == paper.name
    ]
    trials = [
        trial
        for trial in ledger.read_ledger(ledger.CAUSES, ledger.Trial)
        if trial.paper == paper.name and trial.accepted
    ]
    causes = {cause.name: cause for cause in paper.causes}
    accepted = [
        [f"{causes[t.cause].title}{' (a fit)' if t.tuned else ''}", t.mended, t.spoiled]
        for t in trials
    ]
    return [
        _table(["table", "content", "numbers", *ledger.VERDICTS], rows),
        "A number agrees if ours rounds to it or is, beyond the rounding, within two standard "
        "errors of the difference. The last column below says how many numbers of a wrong row "
        "would agree as well: agreement is worth what lies between the two shares.",
        _table(["reading", "numbers", "agree", "share", "share of wrong rows"], worth),
        *(
            [
                "Causes of differences that the rules of the scoreboard accept, and how many "
                "numbers each mends and spoils:",
                _table(["cause", "mends", "spoils"], accepted),
            ]
            if accepted
            else ["No cause of a difference is accepted."]
        ),
    ]


def _second_hand(own):
    """How many numbers were computed again in R, and which do not agree."""
    both = [entry for entry in own if entry.hands]
    apart = [entry for entry in both if entry.hands != AGREE]
    if not both:
        return ["No number of these tables was computed by a second program."]
    words = (
        f"The protocol of {len(both)} numbers was written again in R, from the paper and without "
        f"a line of the package (`second_hand`, `make second-hand`). {len(both) - len(apart)} "
        "of them agree with ours within three standard errors of the difference of the two means."
    )
    rows = [[e.table, e.row, e.column, f"{e.ours:g}", f"{e.second:g}"] for e in apart]
    return (
        [words, _table(["table", "row", "column", "ours", "second hand"], rows)]
        if rows
        else [words]
    )


def _output_of_the_program(claims):
    """The result for the paper of 2015."""
    apart = [abs(float(claim["ours"]) - float(claim["printed"])) for claim in claims]
    near = sum(gap <= 4e-4 for gap in apart)
    rows = [[c["row"], c["column"], c["printed"], c["ours"]] for c in claims]
    return "\n\n".join(
        [
            "The paper is at hand as a summary without numbers. Its authors published their "
            f"program with its output on their own points: {len(claims)} numbers, of which "
            f"{near} come out within 0.0004.",
            _table(["stage", "measure", "printed", "ours"], rows),
        ]
    )


def _constants(paper):
    rows = [
        [one.name, one.value, one.kind, one.source]
        for kind in KINDS
        for one in CONSTANTS
        if one.paper == paper.name and one.kind == kind
    ]
    if not rows:
        return "The program's settings are those of the authors' own files."
    return _table(["constant", "value", "kind", "source"], rows)


def _records(paper):
    """What is recorded of a paper, from name to provenance."""
    paths = {one.name: RESULTS / f"{one.name}.json" for one in paper.experiments}
    return {name: json.loads(path.read_text()) for name, path in paths.items() if path.exists()}


def _deviations(paper):
    found = [line for about in _records(paper).values() for line in about.get("deviations", [])]
    return list(dict.fromkeys(found))


def _runs(paper):
    rows = [
        [
            f"`results/{name}.csv`",
            about["title"],
            about["rows"],
            f"{about['seconds'] / 60:.0f}",
            about["date"],
            ", ".join(f"{k} {v}" for k, v in about["packages"].items()),
        ]
        for name, about in _records(paper).items()
    ]
    return _table(["record", "content", "rows", "minutes", "date", "packages"], rows)


def _pointers(claims):
    pointed = sum(bool(claim["mean_of"]) for claim in claims)
    derived = sum(bool(claim["file"]) for claim in claims) - pointed
    return (
        f"{pointed} of them are plain means of rows of a recorded file and name the file, the "
        f"column and the rows. {derived} are ranks, lifts, counts or ends of intervals: these name "
        "files only."
    )


def _metadata(paper):
    """In the fields of ReScience C."""
    return {
        "title": f"[Re] {TITLES[paper.name]}",
        "authors": [{"name": OPEN, "orcid": OPEN, "affiliations": OPEN}],
        "affiliations": [{"code": OPEN, "name": OPEN}],
        "keywords": ["calibration", "binary classification", "replication"],
        "domain": "Machine learning",
        "type": "replication",
        "language": "Python",
        "replication": {"cite": f"{paper.citation}. {TITLES[paper.name]}", "bib": paper.name},
        "code": {"folder": "experiments", "licence": "BSD-3-Clause", "archive": OPEN},
        "data": {"claims": f"{FOLDER}/claims.csv", "manifest": f"{FOLDER}/manifest.csv"},
        "article": {"file": f"{FOLDER}/{paper.name}/article.md", "licence": "CC-BY-4.0"},
        "contact": OPEN,
        "editor": OPEN,
        "reviewers": OPEN,
    }


def _manifest(papers):
    """The files that the claims rest on, pinned by checksums."""
    names = [RESULTS / f"{name}.csv" for paper in papers.values() for name in _records(paper)]
    names += [RESULTS / "published" / f"{t.file}.csv" for p in papers.values() for t in p.tables]
    names += [ledger.LEDGER, ledger.CAUSES, baselines.SHARES, RECORD]
    return [
        {
            "file": path.relative_to(ROOT).as_posix(),
            "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
            "bytes": path.stat().st_size,
        }
        for path in dict.fromkeys(names)
    ]


def _codecheck(manifest):
    """In the fields of CODECHECK, version 1.0."""
    return {
        "version": "1.0",
        "paper": {
            "title": "Calibrating Binary Classifiers: five replications",
            "authors": [{"name": OPEN, "ORCID": OPEN}],
            "reference": OPEN,
        },
        "manifest": [
            {"file": one["file"], "comment": f"sha256 {one['sha256']}"} for one in manifest
        ],
        "codechecker": [{"name": OPEN, "ORCID": OPEN}],
        "summary": "python3 publications/check.py takes the means that the claims name; "
        "make reproduce ITEM=all FRESH=1 computes the records anew.",
        "repository": OPEN,
        "check_time": OPEN,
        "certificate": OPEN,
        "report": OPEN,
    }


def _csv(columns, rows):
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def _yaml(content):
    return yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=100)


def _table(head, rows):
    lines = [head, [":--"] * len(head), *rows]
    return "\n".join(
        "| " + " | ".join(str(cell).replace("|", r"\|") for cell in line) + " |" for line in lines
    )


def _bullets(lines):
    return "\n".join(f"* {line}" for line in lines)
