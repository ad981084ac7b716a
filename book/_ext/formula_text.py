"""Formulas in a line of plain text, for excerpts and descriptions: 1/3 − 1/4, x_i², √(B/N).

Marks for fractions, powers and indices stay: without them a line would say something false.
"""

from xml.etree import ElementTree

POWERS = str.maketrans("0123456789+-−in", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻ⁱⁿ")
ACCENTS = {"^": "\N{COMBINING CIRCUMFLEX ACCENT}", "~": "\N{COMBINING TILDE}"}
ACCENTS |= dict.fromkeys("¯―‾", "\N{COMBINING MACRON}")
SPACED = set("=<>≤≥≠≈∼≪≫→↦∈∉⊂⊆∪∩∧∨∣×⋅+−±,") | {"⟹", "⟺", "⇒", "⇔"}
BEFORE_A_SIGN = set("=<>≤≥≠≈([{|,→∼−+/") | {""}


def linear(mathml):
    """The text of a formula that is given as MathML."""
    return " ".join(text(ElementTree.fromstring(mathml)).split())


def text(node):
    """The text of an element."""
    parts = [text(child) for child in node]
    closed = [
        part if is_one(child) else f"({part})" for part, child in zip(parts, node, strict=True)
    ]
    if node.tag == "mfrac":
        if node.get("linethickness") == "0":
            return f"{parts[0]} over {parts[1]}"
        return f"{closed[0]}/{closed[1]}"
    if node.tag == "msqrt":
        return "√" + (closed[0] if len(parts) == 1 else f"({joined(parts)})")
    if node.tag == "mroot":
        return f"{power(closed[1])}√{closed[0]}"
    if node.tag == "mover" and parts[1] in ACCENTS and len(parts[0]) == 1:
        return parts[0] + ACCENTS[parts[1]]
    if node.tag in ("msup", "mover"):
        return parts[0] + power(closed[1])
    if node.tag in ("msub", "munder"):
        return f"{parts[0]}_{closed[1]}"
    if node.tag in ("msubsup", "munderover"):
        return f"{parts[0]}_{closed[1]}{power(closed[2])}"
    if node.tag == "mtr":
        return " ".join(parts)
    if node.tag == "mtable":
        return "; ".join(parts)
    if node.tag == "mspace":
        return " "
    return node.text or "" if not parts else joined(parts)


def joined(parts):
    """Parts of a row, with blanks around relations and sums but not around a sign."""
    row, last = "", ""
    for part in parts:
        if part in SPACED and last not in BEFORE_A_SIGN:
            row += f"{part} " if part == "," else f" {part} "
        elif row and row[-1].isalnum() and len(part) > 1 and part.isalpha():
            row += f" {part}"
        elif len(last) > 1 and last.isalpha() and part[:1].isalnum():
            row += f" {part}"
        else:
            row += part
        last = part if part not in ("", "\N{FUNCTION APPLICATION}") else last
    return row.replace("\N{FUNCTION APPLICATION}", "")


def is_one(node):
    """Whether an element is one symbol, number or word, which needs no brackets."""
    while len(node) == 1:
        node = node[0]
    return len(node) == 0


def power(part):
    """The part as a power: raised if all its characters can be."""
    raised = part.translate(POWERS)
    if part.strip("′") and any(a == b for a, b in zip(part, raised, strict=True)):
        return f"^{part}"
    return raised
