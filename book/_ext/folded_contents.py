"""Fold the pages of a part below its heading in the contents, except where the reader is.

The markup needs no script, so nothing on the page moves while it loads.
"""

FIRST_PARTS = 2  # parts that are open on a page that stands in no part


def fold(contents):
    """Put each heading and its list into ``details``."""
    captions = contents.select("p.caption")
    lists = [caption.find_next_sibling("ul") for caption in captions]
    is_here = [pages.select_one(".current") is not None for pages in lists]
    for part, (caption, pages) in enumerate(zip(captions, lists, strict=True)):
        details = caption.wrap(contents.new_tag("details"))
        caption.wrap(contents.new_tag("summary"))
        details.append(pages)
        if is_here[part] or (not any(is_here) and part < FIRST_PARTS):
            details["open"] = ""
    return contents


def replace(app, pagename, templatename, context, doctree):
    """Have the sidebar of a page show the folded contents."""
    unfolded = context["generate_toctree_html"]
    context["generate_toctree_html"] = lambda *args, **kwargs: fold(unfolded(*args, **kwargs))


def setup(app):
    """Come after the theme, which puts its function into the context."""
    app.connect("html-page-context", replace, priority=900)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
