"""The index of theorems has kinds, numbers and titles; that of sphinx-proof has raw labels.

It says of each statement whether it stands so in a source, is changed, or is new here, and how many
there are of each; a page writes ``{{ statements_new }}``.
"""

from docutils import nodes
from formulas import plain_text
from sphinx_proof.domain import ProofDomain, ProofIndex
from statement_sources import counts, kinds

PLURALS = {"corollary": "corollaries", "property": "properties"}
LEGEND = (
    "Of {statements_all} theorems, propositions, lemmas and corollaries {statements_source} stand "
    "so in the source that they name, {statements_changed} are changed from it in constants, scope "
    "or proof, and {statements_new} are new here, as far as we know."
)


class TheoremIndex(ProofIndex):
    """Definitions, theorems, algorithms and so on, each kind in the order of the book."""

    localname = "Theorems, definitions and algorithms"
    shortname = "theorems"

    def generate(self, docnames=None):
        """Kinds with their entries, as Sphinx wants them."""
        env = self.domain.env
        pages = list(env.collect_relations())  # in the order of the contents
        found, source = {}, kinds()
        for label, proof in getattr(env, "proof_list", {}).items():
            page, kind = proof["docname"], proof["realtype"]
            number = env.toc_fignumbers.get(page, {}).get(proof["countertype"], {}).get(label, ())
            name = (
                f"{kind.capitalize()} {'.'.join(map(str, number))} {proof.get('title', '')}".strip()
            )
            entry = (name, 0, page, label, env.titles[page].astext(), source.get(label, ""), "")
            found.setdefault(kind, []).append((pages.index(page), number, entry))
        content = [
            (PLURALS.get(kind, f"{kind}s").capitalize(), [entry for *_, entry in sorted(entries)])
            for kind, entries in sorted(found.items())
        ]
        return content, False


def keep_titles(app, doctree, docname):
    """Keep the titles of the theorems of a page, which sphinx-proof does not."""
    for node in doctree.findall(lambda n: isinstance(n, nodes.Element) and "realtype" in n):
        if node["label"] in app.env.proof_list:
            app.env.proof_list[node["label"]]["title"] = plain_text(node[0])


def complete(app, pagename, templatename, context, doctree):
    """List the entries once more: Sphinx did before it resolved the references in titles."""
    if pagename == "prf-prf":
        context["content"], _ = TheoremIndex(app.env.get_domain("prf")).generate()
        context["legend"] = LEGEND.format(**counts())


def configure(app, config):
    """Hand the counts to MyST."""
    config.myst_substitutions = config.myst_substitutions | counts()


def setup(app):
    """Take the place of the index of sphinx-proof."""
    app.connect("config-inited", configure, priority=1)
    ProofDomain.indices = [TheoremIndex]
    app.connect("doctree-resolved", keep_titles)
    app.connect("html-page-context", complete)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
