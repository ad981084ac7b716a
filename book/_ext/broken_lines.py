r"""Join the lines of formulas that were broken for the width of a phone.

A source breaks a long formula in ``aligned``. A line that begins with a relation, an operator or a
space goes on with the line before it; any other line is a statement of its own::

    \begin{aligned}
    &\mathbb{E}(f - \pi)^2 \\
    &\quad = \sum_t \omega_t (f_t - \pi)^2 \\
    &\qquad - V ,
    \end{aligned}
"""

import re

ALIGNED = re.compile(r"\s*\\begin\{aligned\}(.*)\\end\{aligned\}(.*)", re.DOTALL)
TOKEN = re.compile(r"\\begin\{\w+\*?\}|\\end\{\w+\*?\}|\\\\(?:\[[^]]*\])?|\\.|[{}&]", re.DOTALL)
SPACE = r"(?:\\quad|\\qquad|\\[,;:! ]|\{\}|\s)"
WORDS = r"le|ge|leq|geq|approx|sim|propto|to|iff|Rightarrow|implies|equiv|ll|gg|in|ne|neq"
RELATION = re.compile(rf"{SPACE}*(?:[=<>]|:=|\\(?:{WORDS})(?![a-zA-Z]))")
OPERATOR = re.compile(rf"{SPACE}*(?:[-+/]|\\(?:times|cdot|pm|mp)(?![a-zA-Z]))")
INDENTED = re.compile(r"\s*\\(?:quad|qquad|;)(?![a-zA-Z])")
EMPTY = re.compile(r"\{\}\s*&")  # keeps the space around a sign at the beginning of a line
FIRST_SPACES = re.compile(rf"{SPACE}*")


def split(tex, separator):
    """Split at a separator that is within no braces and no inner environment."""
    pieces, depth, start = [], 0, 0
    for token in TOKEN.finditer(tex):
        text = token[0]
        if text == "{" or text.startswith("\\begin"):
            depth += 1
        elif text == "}" or text.startswith("\\end"):
            depth -= 1
        elif depth == 0 and text.startswith(separator):
            pieces.append(tex[start : token.start()])
            start = token.end()
    return [*pieces, tex[start:]]


def kind(line):
    """What a line is: a relation or another continuation of the one before, or a new statement."""
    before, *after = split(line, "&")
    if len(after) != 1:
        return "new"
    if FIRST_SPACES.fullmatch(before):
        continued = after[0]
        if RELATION.match(continued):
            return "relation"
        if OPERATOR.match(continued) or INDENTED.match(continued):
            return "continuation"
        return "new"
    return "relation" if RELATION.match(before) and len(before.strip()) < 16 else "new"


def joined(lines, kinds):
    """The lines, those of the given kinds joined to the one before."""
    result = lines[:1]
    for line in lines[1:]:
        if kind(line) in kinds:
            bare = "".join(split(EMPTY.sub("&", line), "&"))
            result[-1] = f"{result[-1].rstrip()} {FIRST_SPACES.sub('', bare, count=1)}"
        else:
            result.append(line)
    return result


def aligned(tex):
    """The source of a formula; lines outside an environment, as in docstrings, are put into one."""
    parts = [part for part in tex.split("\n\n") if part.strip()]
    if len(parts) == 1 and len(split(tex, "\\\\")) == 1:
        return tex
    body = r" \\ ".join(parts)
    return rf"\begin{{aligned}} {body} \end{{aligned}}"


def variants(tex):
    """The formula in more and more lines, the source itself last."""
    tex = aligned(tex)
    match = ALIGNED.fullmatch(tex)
    if not match:
        return [tex]
    lines = split(match[1], "\\\\")
    found = []
    for kinds in [{"relation", "continuation"}, {"continuation"}]:
        rest = joined(lines, kinds)
        if len(rest) == 1 and len(split(rest[0], "&")) <= 2:
            # nothing to align to: "a ={}& b" is "a = b"
            found.append(EMPTY.sub("&", rest[0]).replace("&", " ", 1) + match[2])
        else:
            body = r" \\ ".join(rest)
            found.append(rf"\begin{{aligned}} {body} \end{{aligned}} {match[2]}")
    return [*found, tex]
