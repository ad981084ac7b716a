"""Keep one of each <script> of a page: the theme adds sphinx-thebe's inline script twice."""


def keep_first(app, pagename, templatename, context, doctree):
    """Drop the entries of ``script_files`` that repeat an earlier one."""
    first = {}
    for script in context.get("script_files", []):
        name = getattr(script, "filename", None) or ""
        body = getattr(script, "attributes", {}).get("body", "")
        first.setdefault((name, body), script)
    context["script_files"] = list(first.values())


def setup(app):
    """Run after every extension that adds scripts."""
    app.connect("html-page-context", keep_first, priority=900)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
