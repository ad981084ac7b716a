"""A chapter has the number of its file: 8 in the main line, C4 in the companion.

Pages among the chapters that have no number in the name of their file have none on the site.
"""

from docutils import nodes
from sphinx_external_toc.collectors import TocTreeCollectorWithStyles as Collector

from experiments.chapter_numbers import number_of


def renumber(env, page):
    """Begin the numbers of a page and its sections with that of the file."""
    chapter = number_of(page.removeprefix("notebooks/"))

    def own(number):
        return (chapter, *number[1:]) if chapter and number else None

    numbers = env.toc_secnumbers[page]
    env.toc_secnumbers[page] = {place: own(number) for place, number in numbers.items()}
    for node in [env.titles[page], *env.tocs[page].findall(nodes.reference)]:
        if node.get("secnumber"):
            node["secnumber"] = own(node["secnumber"])


def setup(app):
    """Renumber what Sphinx has numbered, before it numbers figures."""
    in_order = Collector.assign_section_numbers

    def assign(self, env):
        changed = in_order(self, env)
        for page in env.toc_secnumbers:
            renumber(env, page)
        return changed

    Collector.assign_section_numbers = assign
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
