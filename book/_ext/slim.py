"""Leave out of the finished site what its pages do not need.

The theme draws its icons with all of Font Awesome, 1.5 MB that each page runs; a site uses a dozen,
which fit in a style sheet. Scripts for live code and maps for debugging go too, and so does
Sphinx's search, 330 kB before the first paint: the search page has its own (findable.py). Drawings
lose their metadata, which hold the time of the build.
"""

import re
from pathlib import Path
from urllib.parse import quote

ICONS = "_static/scripts/fontawesome.js"
NEEDLESS = [
    *["*.map", "fontawesome.js*", "sphinx-thebe.*", "play-solid.svg", "webpack-macros.html"],
    *["searchtools.js", "searchindex.js"],
    ".buildinfo",  # a hash of all settings, and of the folder
]
TAGS = re.compile(
    r"<script>const THEBE_JS_URL.*?</script>"
    r'|<script[^>]*src="[^"]*(?:fontawesome|sphinx-thebe)\.js[^"]*"[^>]*></script>'
    r'|<link[^>]*href="[^"]*sphinx-thebe\.css[^"]*"[^>]*/>'
    r'|<script type="text/x-thebe-config">.*?</script>'
    r"|<script>kernelName = '[^']*'</script>"
    r'|<script src="[^"]*(?:searchtools|language_data|searchindex)\.js[^"]*"></script>',
    re.DOTALL,
)
METADATA = re.compile("<metadata>.*?</metadata>", re.DOTALL)
LOOK = """
.fa-solid, .fa-regular, .fa-brands, .fas, .fab {
  display: inline-block; width: 1.25em; height: 1em; vertical-align: -0.125em;
  background: currentColor; mask: var(--icon) center / contain no-repeat;
}
:is(.fa-solid, .fa-regular, .fa-brands, .fas, .fab)::before { content: none; }
@media (forced-colors: active) {
  .fa-solid, .fa-regular, .fa-brands, .fas, .fab {
    background: ButtonText; forced-color-adjust: none;
  }
}
"""


def icon(name, source):
    """The style rule of an icon, or nothing if there is none of that name."""
    entry = rf'[{{,]"?{re.escape(name)}"?:\[(\d+),(\d+),\[[^]]*\],"[0-9a-f]+","([^"]+)"\]'
    found = re.findall(entry, source)
    if not found:
        return ""
    width, height, outline = found[-1]  # the solid one, where there are several
    drawing = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}">'
        f'<path d="{outline}"/></svg>'
    )
    return f'.fa-{name} {{ --icon: url("data:image/svg+xml,{quote(drawing)}"); }}\n'


def slim(app, exception):
    """Write the style sheet of the icons in use, and drop what no page needs."""
    if exception is not None or app.builder.format != "html":
        return
    site = Path(app.outdir)
    source = (site / ICONS).read_text(encoding="utf-8")
    names = set()
    for path in [*site.rglob("*.html"), *site.glob("_static/scripts/*.js")]:
        if path != site / ICONS:
            text = path.read_text(encoding="utf-8")
            names |= set(re.findall(r"\bfa-([a-z-]+)", text))
            if path.suffix == ".html":
                path.write_text(TAGS.sub("", text), encoding="utf-8")
    rules = "".join(icon(name, source) for name in sorted(names))
    (site / "_static" / "icons.css").write_text(LOOK + rules, encoding="utf-8")
    for path in site.glob("_images/*.svg"):
        drawing = path.read_text(encoding="utf-8")
        path.write_text(METADATA.sub("", drawing), encoding="utf-8")
    for pattern in NEEDLESS:
        for path in site.rglob(pattern):
            path.unlink()


def setup(app):
    """Run when all is written."""
    app.add_css_file("icons.css")
    app.connect("build-finished", slim)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
