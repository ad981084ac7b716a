"""A chapter has the number of its file, wherever it stands in the table of contents.

So chapters 20 to 22, which replicate experiments, are read after the main line and keep number and
address. Pages among them that are no chapters have no number.
"""

import re

from docutils import nodes
from sphinx_external_toc.collectors import TocTreeCollectorWithStyles as Collector

CHAPTER = re.compile(r"notebooks/(\d\d)_")


def renumber(env, page):
    """Begin the numbers of a page and its sections with that of the file."""
    chapter = CHAPTER.match(page)

    def own(number):
        return chapter and number and (int(chapter[1]), *number[1:])

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
