"""Eight patterns of English that must be read twice, counted in the texts of the project.

python tools/plain_english.py                     the table: sentences of 1,000 with each pattern
python tools/plain_english.py --list comments     the sentences of a kind with a pattern, by file
python tools/plain_english.py --record            results/plain_english.csv anew
python tools/plain_english.py --peer              results/plain_english_peer.csv: scikit-learn

CONTRIBUTING.md, *Plain English*, says what each pattern is and how to write instead. A sentence
counts once for each pattern that it has. Code, formulas and headings are not read.
"""

import ast
import csv
import importlib.util
import io
import json
import re
import sys
import tokenize
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RECORD = ROOT / "results" / "plain_english.csv"
PEER = ROOT / "results" / "plain_english_peer.csv"
COLUMNS = ["kind", "pattern", "sentences", "count", "per_1000"]
MIN_WORDS = 3  # words of the shortest text that is a sentence

VERBS = set((ROOT / "tools" / "verbs.txt").read_text(encoding="utf-8").split())
AUXILIARY = (
    "is are was were be been am has have had do does did can could may might must will would shall "
    "should cannot isn't aren't doesn't don't can't won't let's"
)
HOUSE_WORDS = (
    r"mend(?:s|ed|ing)?|comes? true|came true|truths?|laws?|"
    r"(?:a|the|this|that|which|larger|smaller|same) shares?|shares? of|dear(?:er|est|ly)?|surely|"
    r"(?:too|less|more|how|nearly|as|so) sure|deal(?:s|t|ing)?|foresee[sn]?|foresaw|beside|"
    r"(?:is|are|was|were|been|it|they) said|what (?:is|was) said|told apart|the worth of|"
    r"at hand|of (?:ours|theirs|its own|their own)"
)
FIELD_TERMS = r"laws? of (?:large numbers|total|the iterated|cosines)|ground truth|truth table"
PATTERNS = {
    "fronted of": re.compile(r"^(?:[\"'(*]*)Of (?!\d|x\b|all \d|the \d)"),
    "that of": re.compile(
        r"\b(?:that|those) of\b|\bthe ones?(?: (?:of|that|which|with|in)\b|[,.;])"
    ),
    "what clause": re.compile(r"\bwhat\b(?!-if)|^What\b"),
    "pronoun": re.compile(
        r"^(?:(?:So|And|But|Then|Thus|Hence|There) )?(?:It|it|They|they|Both|Neither|Either) "
        r"(?!is (?:\w+ )?(?:that|to)\b|follows)[a-z]+|"
        r"^(?:This|That|These|Those|Such) "
        r"(?:is|are|was|were|has|have|can|may|does|do|will|must|too)\b"
    ),
    "so, likewise": re.compile(
        r"(?<!often )(?<!much )(?<!many )(?<!far )\bas (?:it|they|those|does|do|did)\b|"
        r"\b[Ll]ikewise\b|, too\b|"
        r"(?:\band|[,;:]|^) ?[Ss]o (?:is|are|does|do|did|was|were|has|have)\b"
    ),
    "fragment": None,
    "colon, semicolon": re.compile(r"[:;]\s+\S"),
    "house word": re.compile(rf"\b(?:{HOUSE_WORDS})\b", re.IGNORECASE),
}


# Texts


def comments(text):
    """Comments of a Python file: those on neighbouring lines together."""
    block, last = [], None
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            words = re.sub(r"^#+[!:]?\s?|\bnoqa\b.*|\btype: .*", "", token.string).strip()
            alone = not token.line[: token.start[1]].strip()
            if not (alone and last == token.start[0] - 1):
                yield " ".join(block)
                block = []
            block.append(words)
            last = token.start[0] if alone else None
    yield " ".join(block)


def defined(tree):
    """Functions, classes and methods of a module with their names."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name, node
        if isinstance(node, ast.ClassDef):
            for inner in node.body:
                if isinstance(inner, ast.FunctionDef):
                    yield f"{node.name}.{inner.name}", inner


def is_public(name, names):
    """Whether a function or a method is one that users call."""
    first, _, method = name.partition(".")
    return first in names and not method.startswith("_")


def docstrings(tree, names, public=True):
    """Docstrings of what is public, or of everything else, the module included."""
    nodes = dict(defined(tree))
    seen = {id(node) for name, node in nodes.items() if is_public(name, names)}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Module):
            if (id(node) in seen) == public:
                yield from docstring_blocks(ast.get_docstring(node) or "")


def docstring_blocks(text):
    """Paragraphs, items and descriptions of a docstring: no headings, types, code, references."""
    text = re.sub(r"(?ms)^(?:References|See Also)\n-+\n.*?(?=^\S[^\n]*\n-{3,}$|\Z)", "\n", text)
    text = re.sub(r"(?m)^( *)\S.*\n\1-{3,}$", "\n", text)
    text = re.sub(r"(?ms)^ *>>> .*?(?=^\s*$|\Z)", "\n", text)
    text = re.sub(r"(?m)^( *)\.\. [\w-]+::.*\n(?:(?:\1 +.*)?\n|\1 +.*\Z)*", "\n", text)
    text = re.sub(r"(?m)::\n\n(?:(?: +.*)?\n| +.*\Z)*", ":\n\n", text)
    text = re.sub(r"(?m)^ *(?:\*{0,2}\w[\w.*, ]*) : .*$", "\n", text)
    text = re.sub(r"(?m)^(\S.*)\n(?= +\S)", r"\1\n\n", text)
    text = re.sub(r"(?m)^ *(?:[*-]|\d+\.) ", "\n\n", text)
    for block in re.split(r"\n\s*\n", text):
        yield unmarked(block)


def unmarked(text):
    """Running text: code and formulas become one word, roles and links their words."""
    text = re.sub(r":math:`[^`]*`|``[^`]*``", "x", text)
    text = re.sub(r":[\w:]+:`~?([^`<]*?)(?: ?<[^>]*>)?`", r"\1", text)
    text = re.sub(r"\{[\w:]+\}`~?([^`<]*?)(?: ?<[^>]*>)?`", r"\1", text)
    text = re.sub(r"`[^`]*`", "x", text)
    text = re.sub(r"(?s)\$\$.*?\$\$|\$[^$\n]*\$|\{\{.*?\}\}", "x", text)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>|\*\*|(?<!\w)\*|\*(?!\w)", "", text)).strip()


def markdown(text):
    """Paragraphs, items and cells of tables of a page."""
    text = re.sub(r"(?s)\A---\n.*?\n---\n", "", text)
    text = re.sub(r"(?ms)^\s*(`{3,}|~{3,}).*?^\s*\1\s*$", "\n", text)
    text = re.sub(r"(?ms)^\s*\$\$.*?\$\$", "\n", text)
    text = re.sub(
        r"(?m)^\s*(?:#|:{3,}|:[\w-]+:|\([\w-]+\)=|%|<!--|\|[-: |]+\|\s*$|\+\+\+).*$", "\n", text
    )
    text = re.sub(r"(?m)^\s*(?:[*-]|\d+\.|:) +", "\n\n", text)
    for block in re.split(r"\n\s*\n", text):
        if block.lstrip().startswith("|"):
            for cell in re.split(r"(?<!\\)\||\n", block):
                yield unmarked(cell)
        else:
            yield unmarked(block)


def strings(tree):
    """Texts in quotation marks of a module, docstrings apart: messages and words of reports."""
    inside = {
        id(part)
        for node in ast.walk(tree)
        if isinstance(node, ast.JoinedStr)
        for part in node.values
    }
    inside |= {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if id(node) in inside:
            continue
        if isinstance(node, ast.JoinedStr):
            parts = (part.value if isinstance(part, ast.Constant) else "x" for part in node.values)
            yield unmarked("".join(parts))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield unmarked(node.value)


def script_strings(text):
    """Texts in quotation marks of a script."""
    text = re.sub(r"(?s)/\*.*?\*/|^\s*//.*?$", "", text, flags=re.MULTILINE)
    for quoted in re.finditer(r"\"((?:[^\"\\\n]|\\.)*)\"|`((?:[^`\\]|\\.)*)`", text):
        yield unmarked(re.sub(r"\$\{[^}]*\}", "x", quoted[1] or quoted[2] or ""))


def captions(text):
    """Captions and descriptions of figures in a page."""
    yield from map(unmarked, re.findall(r"(?m)^\s*:(?:alt|caption): (.*)$", text))


def cell_captions(notebook):
    """Captions, descriptions of figures and labels of axes in a notebook."""
    for cell in notebook["cells"]:
        figure = cell["metadata"].get("mystnb", {})
        for part in (figure.get("figure", {}), figure.get("image", {})):
            yield from (unmarked(part[key]) for key in ("caption", "alt") if key in part)
        if cell["cell_type"] == "code":
            yield from labels("".join(cell["source"]))


def labels(code):
    """Labels of axes, legends and panels in a program."""
    called = r"(?:set_(?:[xy]label|title)\(|\b(?:[xy]?label|title)=)f?\"([^\"\n]+)\""
    return map(unmarked, re.findall(called, code))


def sentences(block):
    """Sentences of a paragraph, with whether each is its first."""
    block = re.sub(r"\b(e\.g|i\.e|vs|et al|cf|resp|Eq|Fig|No|no|approx)\.", r"\1", block)
    parts = re.split(r"(?<=[.!?])[\"')]*\s+(?=[\"'(\[]*[A-Z0-9])", block)
    for index, sentence in enumerate(parts):
        if len(re.findall(r"[A-Za-z]{1,}", sentence)) >= MIN_WORDS:
            yield sentence.strip(), index == 0


def is_fragment(sentence):
    """Whether no word is a verb, as far as a list of verbs knows."""
    for word in re.findall(r"[a-z']+", sentence.lower()):
        stems = {
            word,
            re.sub(r"s$", "", word),
            re.sub(r"es$", "", word),
            re.sub(r"ies$", "y", word),
        }
        stems |= {
            re.sub(r"ed$", "", word),
            re.sub(r"d$", "", word),
            re.sub(r"(\w)\1ed$", r"\1", word),
        }
        if word in AUXILIARY.split() or stems & VERBS:
            return False
    return True


def patterns_of(sentence, first):
    """Names of the patterns that a sentence has."""
    asks = sentence.rstrip("\"')").endswith("?")
    bare = re.sub(FIELD_TERMS, "x", sentence, flags=re.IGNORECASE)
    for name, pattern in PATTERNS.items():
        if name == "fragment":
            if not first and is_fragment(sentence):
                yield name
        elif not (name == "what clause" and asks) and pattern.search(bare):
            yield name


# Kinds of text


def python_files(folder):
    """Python files of a package, without its tests and without what it copies from others."""
    return sorted(
        path
        for path in folder.rglob("*.py")
        if not {"tests", "externals", "_build"} & set(path.relative_to(folder).parts)
    )


def exported(folder):
    """Names that the faces of a package export: stubs, or __all__."""
    names = set()
    for path in [*folder.rglob("__init__.pyi"), *folder.rglob("__init__.py")]:
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ImportFrom) and path.suffix == ".pyi":
                names |= {alias.asname or alias.name for alias in node.names}
            elif isinstance(node, ast.Assign) and node.targets[0].__dict__.get("id") == "__all__":
                names |= {
                    part.value for part in ast.walk(node.value) if isinstance(part, ast.Constant)
                }
    return names


def texts_of_package(folder):
    """Kind, file and paragraph of the Python files of a package."""
    names = exported(folder)
    for path in python_files(folder):
        text = path.read_text(encoding="utf-8")
        tree = ast.parse(text)
        yield from (("public docstrings", path, block) for block in docstrings(tree, names))
        yield from (
            ("other docstrings", path, block) for block in docstrings(tree, names, public=False)
        )
        yield from (("comments", path, block) for block in map(unmarked, comments(text)))
        yield from (("messages", path, block) for block in strings(tree))


def texts():
    """Kind, file and paragraph of everything that people read."""
    for package in ("calib", "calibkit"):
        yield from texts_of_package(ROOT / package)
    pages = [ROOT / "README.md", *(ROOT / "book").glob("*.md")]
    for path in sorted(
        [*pages, *(ROOT / "book").glob("api/*.md"), *(ROOT / "book").glob("hour/*.md")]
    ):
        text = path.read_text(encoding="utf-8")
        yield from (("front pages", path, block) for block in markdown(text))
        yield from (("labels and captions", path, block) for block in captions(text))
    for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
        notebook = json.loads(path.read_text(encoding="utf-8"))
        for cell in notebook["cells"]:
            if cell["cell_type"] == "markdown":
                yield from (
                    ("chapters", path, block) for block in markdown("".join(cell["source"]))
                )
        yield from (("labels and captions", path, block) for block in cell_captions(notebook))
    for path in sorted((ROOT / "book" / "_static").glob("*/*.js")):
        kind = "messages" if path.parent.name == "calibrate" else "labels and captions"
        text = path.read_text(encoding="utf-8")
        yield from ((kind, path, block) for block in script_strings(text) if len(block) < 2000)
    for path in sorted([*(ROOT / "book").glob("*.py"), *(ROOT / "book").glob("hour/*.py")]):
        text = path.read_text(encoding="utf-8")
        yield from (("labels and captions", path, block) for block in labels(text))


def judged(paragraphs):
    """Kind, file, sentence and names of its patterns, for every sentence."""
    for kind, path, block in paragraphs:
        for sentence, first in sentences(block):
            yield kind, path, sentence, list(patterns_of(sentence, first))


def counts(paragraphs):
    """Rows of the record: kind, pattern, sentences, count, and how many of 1,000."""
    total, found = Counter(), Counter()
    for kind, _, _, names in judged(paragraphs):
        total[kind] += 1
        found.update((kind, name) for name in names)
    return [
        {
            "kind": kind,
            "pattern": name,
            "sentences": total[kind],
            "count": found[kind, name],
            "per_1000": round(1000 * found[kind, name] / total[kind], 1),
        }
        for kind in total
        for name in PATTERNS
    ]


def peer():
    """The texts of the installed scikit-learn."""
    return texts_of_package(Path(importlib.util.find_spec("sklearn").origin).parent)


def record(path, rows):
    """Write the rows."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def recorded(path=RECORD):
    """Read the rows."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def show(rows):
    """Print the table, a line for each kind and scikit-learn's below."""
    print(f"{'of 1,000 sentences':28}{'n':>7}" + "".join(f"{name:>18}" for name in PATTERNS))
    for kind in dict.fromkeys(row["kind"] for row in rows):
        own = [row for row in rows if row["kind"] == kind]
        cells = "".join(f"{float(row['per_1000']):>18.1f}" for row in own)
        print(f"{kind:28}{own[0]['sentences']:>7}{cells}")


def list_sentences(kind, name=None):
    """Print the sentences of a kind that have a pattern."""
    for own, path, sentence, names in judged(texts()):
        if own == kind and names and (name is None or name in names):
            print(f"{path.relative_to(ROOT)} [{', '.join(names)}]")
            print(f"    {sentence}")


if __name__ == "__main__":
    match sys.argv[1:]:
        case []:
            show(counts(texts()))
            show([{**row, "kind": f"scikit-learn's {row['kind']}"} for row in recorded(PEER)])
        case ["--record"]:
            record(RECORD, counts(texts()))
        case ["--peer"]:
            record(PEER, counts(peer()))
        case ["--list", *chosen]:
            list_sentences(*chosen)
        case _:
            sys.exit(__doc__)
