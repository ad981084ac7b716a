"""A page of HTML for all that is written: feedback, papers, the marking desk."""

from html import escape

PAGE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
{head}</head>
<body class="page">
{body}
</body>
</html>
"""


def document(title, body, style="", head=""):
    """A whole page; title is text, the others are HTML and CSS."""
    if style:
        head += f"<style>\n{style}</style>\n"
    return PAGE.format(title=escape(title), head=head, body=body)


def block(label, text, level=3):
    """Text under a label, as it is; nothing if there is none."""
    heading = f"<h{level}>{label}</h{level}>"
    return f"{heading}\n<pre>{escape(text)}</pre>\n" if text.strip() else ""
