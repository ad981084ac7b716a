"""Folded code stands below its result, so that no chapter begins with a bar that unfolds code.

The imports, which a notebook runs first, join the code of the first result. If a program stands
before the first result, they stand before that program. A figure stands above what its code prints.
"""

from docutils import nodes
from myst_nb.sphinx_ import HideCodeCellNode


def cells_of(doctree):
    """The code cells of a page, in order."""
    return [n for n in doctree.findall(nodes.container) if n.get("nb_element") == "cell_code"]


def folded_code(cell):
    """The folded program of a cell, or None."""
    if cell.children and isinstance(cell.children[0], HideCodeCellNode):
        return cell.children[0]
    return None


def shows(cell):
    """Whether a reader sees a result of the cell. Numbers that are glued into the text are none."""
    results = [child for child in cell.children if child.get("nb_element") == "cell_code_output"]
    return any(r.astext().strip() or r.next_node(nodes.image) is not None for r in results)


def put_result_first(cell):
    """Order a cell: figures, printed results, folded code."""
    code = folded_code(cell)
    for results in cell.children:
        if results.get("nb_element") == "cell_code_output":
            results.children.sort(key=lambda child: child.next_node(nodes.image) is None)
    cell.remove(code)
    cell.append(code)


def order(app, doctree, docname):
    """Put results first in each cell whose code is folded, and move the imports."""
    if app.builder.format != "html" or not docname.startswith("notebooks/"):
        return
    for folded in doctree.findall(HideCodeCellNode):
        for prompt in ("prompt_show", "prompt_hide"):
            folded[prompt] = folded[prompt].replace("source", "code")
    cells = cells_of(doctree)
    for cell in cells:
        if folded_code(cell) and shows(cell):
            put_result_first(cell)
    if len(cells) > 1 and folded_code(cells[0]) and not shows(cells[0]):
        move_imports(*cells[:2])


def move_imports(first, second):
    """Move the imports to the program of the second cell."""
    imports = folded_code(first)
    first.parent.remove(first)
    code = next((child for child in second.children if isinstance(child, HideCodeCellNode)), None)
    if code is None:
        second.parent.insert(second.parent.index(second), first)
    else:
        code.children[:0] = imports.children


def setup(app):
    """Order when code is folded."""
    app.connect("doctree-resolved", order)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
