"""Compare the checked statements with the book, and the proofs with what they may assume.

python proofs/check.py                 labels, hashes and words (no Coq), then the proofs
python proofs/check.py --book          only what needs no Coq
python proofs/check.py --each          the assumptions of each theorem, which takes minutes
python proofs/check.py --read LABEL    store the hash of a statement that has been read again
python proofs/check.py --page          write the page book/checked.md
python proofs/check.py --mutate        drop hypotheses, change statements: no proof may survive

A theorem belongs to a statement by the comment before it, ``(** label: LABEL, part. *)``.
The table statements.csv has a row for each label.
"""

import argparse
import csv
import hashlib
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from experiments.chapter_numbers import number_of

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
THEORIES = HERE / "theories"
TABLE = HERE / "statements.csv"
PAGE = ROOT / "book" / "checked.md"
COLUMNS = ["label", "notebook", "sha256", "theorems", "statement", "form", "left_out"]
LIMIT = 300

# Axioms of the real numbers of Coq's standard library, and of its logic. None of ours.
ALLOWED = {
    "ClassicalDedekindReals.sig_forall_dec",
    "ClassicalDedekindReals.sig_not_dec",
    "FunctionalExtensionality.functional_extensionality_dep",
    "Classical_Prop.classic",
}
FORBIDDEN = re.compile(
    r"\b(Admitted|admit|Axioms?|Parameters?|Conjecture|Abort|Unset Guard Checking)\b"
)
BLOCK = re.compile(r"(?ms)^(:{3,}|`{3,})\{prf:([a-z]+)\}([^\n]*)\n(.*?)^\1\s*$")
NAMED = re.compile(
    r"\(\*\* (label|needed): ([\w.-]+)((?:(?!\*\)).)*)\*\)\s*"
    r"(?:Theorem|Corollary|Lemma|Proposition) (\w+)",
    re.DOTALL,
)


def statements():
    """Each labelled statement of the book: its notebook, its kind and its text."""
    found = {}
    for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            if cell["cell_type"] == "markdown":
                for _, kind, title, body in BLOCK.findall("".join(cell["source"])):
                    label = re.search(r":label: *(\S+)", body)
                    if label:
                        found[label[1]] = path.stem, kind, title.strip() + "\n" + body
    return found


def sha256(text):
    """Hash a statement without its source line, white space put aside."""
    text = re.sub(r"(?ms)^\*(Source|Changed from|New here).*", "", text)
    return hashlib.sha256(" ".join(text.split()).encode()).hexdigest()


def named(word="label"):
    """Theorems that follow a comment: pairs of a label and the name File.theorem."""
    pairs = []
    for path in sorted(THEORIES.glob("*.v")):
        text = path.read_text(encoding="utf-8")
        hits = [(m[2], f"{path.stem}.{m[4]}") for m in NAMED.finditer(text) if m[1] == word]
        if len(hits) != len(re.findall(rf"\(\*\* {word}:", text)):
            raise SystemExit(f"{path.name}: a comment '{word}:' stands before no theorem")
        pairs += hits
    return pairs


def table():
    """Rows of statements.csv."""
    with TABLE.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def write(rows):
    """Store the rows, in the order of the book."""
    order = list(statements())
    rows = sorted(rows, key=lambda row: order.index(row["label"]))
    with TABLE.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def faults():
    """What does not fit together, as far as it shows without Coq."""
    book, rows, pairs = statements(), table(), named()
    for path in sorted(THEORIES.glob("*.v")):
        for word in FORBIDDEN.findall(path.read_text(encoding="utf-8")):
            yield f"{path.name} has the word {word}"
    listed = [row["label"] for row in rows]
    for label in sorted({label for label, _ in pairs} - set(listed)):
        yield f"{label} is checked and has no row in statements.csv"
    for label in sorted({label for label in listed if listed.count(label) > 1}):
        yield f"{label} has several rows"
    for row in rows:
        label, names = row["label"], " ".join(name for key, name in pairs if key == row["label"])
        if label not in book:
            yield f"{label} is no statement of the book"
            continue
        notebook, kind, text = book[label]
        if kind in ("definition", "remark", "algorithm"):
            yield f"{label} is a {kind} and states nothing"
        if row["notebook"] != notebook:
            yield f"{label} stands in {notebook}"
        if row["theorems"] != names:
            yield f"{label} has the theorems {names or '(none)'}"
        if row["sha256"] != sha256(text):
            yield f"{label} has changed: read it beside {names}, then --read {label}"
        for column in ("statement", "form"):
            if not row[column].endswith("."):
                yield f"{label}: the column {column} wants a sentence"


def read(label):
    """Store the hash of a statement, which somebody has compared with its theorems."""
    notebook, _, text = statements()[label]
    rows = {row["label"]: row for row in table()}
    row = rows.setdefault(label, dict.fromkeys(COLUMNS, "") | {"label": label})
    names = " ".join(name for key, name in named() if key == label)
    row |= {"notebook": notebook, "sha256": sha256(text), "theorems": names}
    write(rows.values())


def page():
    """Write the page of the book that lists what is checked."""
    rows, refuted = table(), named("needed")
    places = {row["label"]: number_of(row["notebook"]) for row in rows}
    lines = [
        "# Statements checked by machine",
        "",
        f"Finite versions of {len(rows)} statements of this book are checked by "
        "[Coq](https://coq.inria.fr), a program that accepts a proof only if every step follows.",
        "A finite version has finitely many cases, scores or outcomes.",
        "Masses, weights and probabilities are real numbers.",
        "The book itself is not checked: most statements are not in the table, and no machine "
        "can check that a formal statement means the same as the sentence next to it.",
        "A reader has to check this, and this page is there for this purpose.",
        "",
        f"{len(refuted)} hypotheses are shown to be needed, by a counterexample that is "
        "checked as well.",
        "The proofs assume the axioms of Coq's library of real numbers and nothing else. Among "
        "these axioms are the excluded middle and the extensionality of functions.",
        "The formal statements are in the folder `proofs/theories` of the repository; "
        "`make proofs` checks them again.",
        "Each statement keeps a fingerprint of the sentence in the book, so that a changed "
        "sentence asks for a new reading.",
        "",
        "| chapter | statement | what is checked | form | left out |",
        "|---|---|---|---|---|",
    ]
    for row in rows:
        left = row["left_out"] or "nothing"
        cells = f"{{prf:ref}}`{row['label']}`", row["statement"], row["form"], left
        lines.append(f"| {places[row['label']]} | " + " | ".join(cells) + " |")
    lines += [
        "",
        "## Hypotheses that are needed",
        "",
        "Each row is a hypothesis of a theorem. Without this hypothesis the theorem is refuted.",
        "",
        "| theorem | hypothesis and example |",
        "|---|---|",
    ]
    for path in sorted(THEORIES.glob("*.v")):
        for match in NAMED.finditer(path.read_text(encoding="utf-8")):
            if match[1] == "needed":
                words = " ".join(match[3].split()).strip(", .").replace("[", "`").replace("]", "`")
                lines.append(f"| `{match[2]}` | {words} |")
    return "\n".join(lines) + "\n"


def coq(folder, source, limit=LIMIT):
    """Let Coq check one file, with the compiled files of a folder at hand."""
    command = ["nice", "coqc", "-q", "-w", "none", "-Q", str(folder), "Calibration", str(source)]
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=limit)
    except subprocess.TimeoutExpired:
        return None


def every_theorem():
    """All theorems and corollaries, with a label or without, as File.theorem."""
    for path in sorted(THEORIES.glob("*.v")):
        text = path.read_text(encoding="utf-8")
        for name in re.findall(r"(?m)^(?:Theorem|Corollary) (\w+)", text):
            yield f"{path.stem}.{name}"


def assumptions(each=False):
    """What all theorems together assume, or each of them, which takes minutes."""
    names = sorted({*every_theorem(), *(name for _, name in named())})
    files = " ".join(sorted({name.split(".")[0] for name in names}))
    lines = ["Require Import String.", f"From Calibration Require {files}."]
    if each:
        for name in names:
            lines += [f'Eval compute in "{name}"%string.', f"Print Assumptions {name}."]
    else:
        # One proof that uses them all has the assumptions of all.
        lines.append("Lemma all_of_them : True. Proof.")
        lines += [f"pose proof {name}." for name in names]
        lines += [
            "exact I. Qed.",
            'Eval compute in "all"%string.',
            "Print Assumptions all_of_them.",
        ]
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "Ask.v"
        source.write_text("\n".join(lines), encoding="utf-8")
        done = coq(THEORIES, source, limit=1800)
    if done is None or done.returncode:
        raise SystemExit(f"Coq cannot print the assumptions: {done and done.stderr}")
    pieces = re.split(r'(?m)^ +(?:= )?"([\w.]+)"(?:%string)?\n.*\n', done.stdout)[1:]
    return {
        name: set(re.findall(r"(?m)^([\w.]+)\s*:", text)) - {"Axioms"}
        for name, text in zip(pieces[::2], pieces[1::2], strict=True)
    }


def hypotheses(text):
    """Hypotheses of sections and premises of theorems: pairs of a name and a changed text."""
    for match in re.finditer(r"(?ms)^Hypothes[ei]s\s+(.*?)\.\s*$", text):
        body, start = match[1], match.start(1)
        spans = list(groups(body)) if body.startswith("(") else [(0, len(body))]
        for first, last in spans:
            colon = body.index(":", first)
            name = body[first:colon].strip("( ")
            yield name, text[: start + colon] + ": True" + text[start + last :]
    pattern = r"(?ms)^(?:Theorem|Corollary) (\w+)(.*?)\.\s*^Proof"
    for match in re.finditer(pattern, text):
        for number, (first, last) in enumerate(premises(match[2]), 1):
            start = match.start(2)
            changed = text[: start + first] + " True " + text[start + last :]
            yield f"{match[1]}, premise {number}", changed


def groups(body):
    """Spans of the contents of the outermost parentheses."""
    depth, first = 0, 0
    for place, char in enumerate(body):
        if char == "(":
            depth += 1
            first = place + 1 if depth == 1 else first
        elif char == ")":
            depth -= 1
            if depth == 0:
                yield first, place


def premises(statement):
    """Spans of what stands before an arrow outside all brackets, after the colon."""
    depth, begin, place = 0, None, 0
    while place < len(statement):
        char, two = statement[place], statement[place : place + 2]
        if char in "([{":
            depth += 1
        elif char in ")]}":
            depth -= 1
        elif depth == 0 and char == ":" and two != ":=" and begin is None:
            begin = place + 1
        elif depth == 0 and begin is not None and two == "->":
            if statement[place - 1] != "<":
                part = statement[begin:place]
                skip = re.match(r"(?s)(\s*(forall [^,]*,|let .*? in))*", part).end()
                yield begin + skip, place
                begin = place + 2
        place += 1


def mutants():
    """Changed statements that must not check: file, old words, new words."""
    with (HERE / "mutants.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            text = (THEORIES / row["file"]).read_text(encoding="utf-8")
            if text.count(row["old"]) != 1:
                raise SystemExit(f"{row['file']} does not have once: {row['old']}")
            yield row["file"], row["why"], text.replace(row["old"], row["new"])


def mutate():
    """Change one thing at a time; return the changes that Coq does not object to."""
    changes = list(mutants())
    for path in sorted(THEORIES.glob("*.v")):
        if path.stem not in ("Fin", "Needed"):
            text = path.read_text(encoding="utf-8")
            changes += [(path.name, f"without {name}", new) for name, new in hypotheses(text)]
    survivors = []
    with tempfile.TemporaryDirectory() as folder:
        for number, (name, why, text) in enumerate(changes, 1):
            room = Path(folder) / str(number)
            room.mkdir()
            for built in THEORIES.glob("*.vo"):
                if built.stem != Path(name).stem:
                    (room / built.name).symlink_to(built)
            (room / name).write_text(text, encoding="utf-8")
            done = coq(room, room / name, limit=60)
            survived = done is not None and done.returncode == 0
            # A change that Coq cannot read, or does not finish, says nothing about the proof.
            unread = done is None or "Syntax error" in done.stdout + done.stderr
            word = "SURVIVES" if survived else "UNDECIDED" if unread else "refused"
            print(f"{word}: {name}: {why}", flush=True)
            if survived or unread:
                survivors.append(f"{name}: {why}")
            shutil.rmtree(room)
    print(f"{len(changes)} changes, {len(survivors)} of them survive")
    return survivors


def main():
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--book", action="store_true", help="only what needs no Coq")
    parser.add_argument("--read", metavar="LABEL", nargs="+", help="store the hash of statements")
    parser.add_argument("--page", action="store_true", help="write book/checked.md")
    parser.add_argument("--mutate", action="store_true", help="change hypotheses and statements")
    parser.add_argument("--each", action="store_true", help="assumptions theorem by theorem; long")
    asked = parser.parse_args()
    if asked.read:
        for label in asked.read:
            read(label)
        return
    if asked.page:
        PAGE.write_text(page(), encoding="utf-8")
        return
    wrong = list(faults())
    if not asked.book:
        subprocess.run(["make", "--no-print-directory", "-C", str(HERE)], check=True)
        for name, used in assumptions(asked.each).items():
            print(f"{name} assumes {', '.join(sorted(used)) or 'nothing'}")
            wrong += [f"{name} assumes {axiom}" for axiom in sorted(used - ALLOWED)]
    if asked.mutate:
        wrong += [f"nothing breaks: {change}" for change in mutate()]
    print(f"{len(table())} statements, {len(named())} theorems with a label, ", end="")
    print(f"{len(named('needed'))} hypotheses refuted, {len(wrong)} faults")
    sys.exit("\n".join(wrong) or None)


if __name__ == "__main__":
    main()
