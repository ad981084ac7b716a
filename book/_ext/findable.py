"""Search: the words of all pages in one file, with subjects and synonyms that readers bring along.

Sphinx ranks by the stems in titles, quotes code, and fetches every page that it has found, which a
browser forbids from disk. So the search page has scripts of its own (search.js, search_results.js);
this module writes what they read.
"""

import json
import re
from pathlib import Path

import yaml
from docutils import nodes
from formulas import plain_text
from object_pages import FOLDER
from sphinx import addnodes

LEFT_OUT = (nodes.literal_block, nodes.table, nodes.math_block, nodes.raw, nodes.comment)


def add_subjects(app, document):
    """Put the subjects of a page into the index, too."""
    anchor = next(document.findall(nodes.section))["ids"][0]
    subjects = app.subjects.get(app.env.docname, [])
    entries = [("single", subject, anchor, "main", None) for subject in subjects]
    if entries:
        document.insert(0, addnodes.index(entries=entries))


def sections(doctree):
    """Anchor, title and prose of each section of a page; bodies of exercises have no title."""
    prose = {}
    for section in filter(titled, doctree.findall(nodes.section)):
        title = section[section.first_child_matching_class(nodes.title)]
        prose[section["ids"][0]] = [plain_text(title)]
    for node in doctree.findall(nodes.paragraph):
        section = nearest(node, nodes.section)
        while section is not None and not titled(section):
            section = nearest(section, nodes.section)
        if section is not None and not nearest(node, LEFT_OUT):
            prose[section["ids"][0]].append(plain_text(node))
    for anchor, (title, *texts) in prose.items():
        yield anchor, title, " ".join(filter(None, texts))


def titled(section):
    """Whether the section has a title."""
    return section.first_child_matching_class(nodes.title) is not None


def nearest(node, kinds):
    """The innermost ancestor of one of the kinds, or None."""
    while node.parent is not None:
        node = node.parent
        if isinstance(node, kinds):
            return node
    return None


def interface(doctree):
    """Anchor, name and summary of each class and function that a page describes."""
    for described in doctree.findall(addnodes.desc):
        if described["objtype"] in ("class", "function"):
            name = described[0]["ids"][0]
            summary = next(map(plain_text, described[-1].findall(nodes.paragraph)), "")
            yield name, name, re.split(r"(?<=\.) ", summary)[0]


def keep_words(app, doctree, docname):
    """Keep the words of a page whose references are resolved; of one of an object, its summary."""
    is_object = docname.startswith(f"{FOLDER}/")
    app.words[docname] = {
        "subjects": app.subjects.get(docname, []),
        "sections": [] if is_object else list(sections(doctree)),
        "objects": list(interface(doctree)),
    }


def write_words(app, exception):
    """Write the words of all pages for the search page."""
    if exception is None and app.builder.format == "html":
        words = {"pages": app.words, "synonyms": app.synonyms}
        text = json.dumps(words, ensure_ascii=False, separators=(",", ":"))
        Path(app.outdir, "_static", "words.js").write_text(f"const WORDS = {text};\n", "utf-8")


def read(name):
    """A table beside this module."""
    return yaml.safe_load(Path(__file__).with_name(name).read_text(encoding="utf-8"))


def setup(app):
    """Read subjects and synonyms, collect words, write them at the end."""
    app.subjects, app.synonyms, app.words = read("subjects.yml"), read("synonyms.yml"), {}
    app.connect("doctree-read", add_subjects)
    app.connect("doctree-resolved", keep_words)
    app.connect("build-finished", write_words)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
