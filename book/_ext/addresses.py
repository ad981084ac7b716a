"""Buttons, links and sentences that need the address of the repository or of the built site.

Both stand in pyproject.toml, under [project.urls]. While they do not, nothing points to them.
"""

import tomllib
from pathlib import Path

from jinja2 import Environment

import calib

# Pages with sentences for either state, as Jinja conditions on `repository` and `site`.
PAGES = {"book/intro", "book/run_teach_reproduce", "book/troubleshooting"}


def theme_options(repository):
    """Options of the theme: buttons to the repository, and from notebooks to Binder and Colab."""
    buttons = ["use_repository_button", "use_issues_button", "use_edit_page_button"]
    launch = {}
    if repository:
        launch = {"notebook_interface": "jupyterlab", "binderhub_url": "https://mybinder.org"}
    if repository.startswith("https://github.com/"):  # Colab opens no others
        launch["colab_url"] = "https://colab.research.google.com"
    return {
        "repository_url": repository,
        "repository_branch": "main",
        **dict.fromkeys(buttons, bool(repository)),
        "launch_buttons": launch,
    }


def configure(app, config):
    """Read the addresses and set what hangs on them."""
    project = tomllib.loads(Path(app.srcdir, "pyproject.toml").read_text(encoding="utf-8"))
    urls = project["project"].get("urls", {})
    app.addresses = {
        "repository": urls.get("Repository", ""),
        "site": urls.get("Documentation", ""),
    }
    config.html_theme_options |= theme_options(app.addresses["repository"])
    config.html_baseurl = app.addresses["site"]


def choose_sentences(app, docname, source):
    """Keep the sentences of a page that hold."""
    if docname in PAGES:
        page = Environment(trim_blocks=True, keep_trailing_newline=True).from_string(source[0])
        source[0] = page.render(
            **app.addresses,
            authors=app.config.author,
            year=app.config.copyright,
            version=calib.__version__,
        )


def setup(app):
    """Configure before the theme reads its options."""
    app.connect("config-inited", configure, priority=1)
    app.connect("source-read", choose_sentences)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
