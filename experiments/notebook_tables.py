"""Numbered tables in Markdown."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from IPython.display import Markdown


def numbered_table(name: str, caption: str, lines: Iterable[str]) -> str:
    """Write a Markdown table with a caption; the site numbers it, and `name` refers to it.

    A mean and its spread, as in "0.12 ± 0.03", stay on one line.

    Parameters
    ----------
    name : str
        What the role ``numref`` refers to.
    caption : str
        In MyST Markdown, on one line.
    lines : iterable of str
        The lines of the table: heads, alignment, rows.

    Returns
    -------
    str
        MyST Markdown, for `IPython.display.Markdown`.

    Examples
    --------
    >>> from experiments.notebook_tables import numbered_table
    >>> lines = ["| method | log loss |", "|:--|--:|", "| Platt | 0.21 |"]
    >>> print(numbered_table("tab-losses", "Losses.", lines))
    :::{table} Losses.
    :name: tab-losses
    <BLANKLINE>
    | method | log loss |
    |:--|--:|
    | Platt | 0.21 |
    :::
    """
    rows = [line.replace(" ± ", "\N{NO-BREAK SPACE}±\N{NO-BREAK SPACE}") for line in lines]
    return "\n".join([f":::{{table}} {caption}", f":name: {name}", "", *rows, ":::"])


def show_table(
    name: str,
    caption: str,
    head: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    n_left: int = 1,
) -> "Markdown":
    """Show a numbered table of cells in a notebook.

    Parameters
    ----------
    name, caption : str
        As in `numbered_table`.
    head : sequence of str
        Titles of the columns.
    rows : iterable of sequences of str
        Cells, as many in each row as there are columns.
    n_left : int, default=1
        Number of columns of text, from the left; the others are aligned to the right, as numbers.

    Returns
    -------
    IPython.display.Markdown

    Raises
    ------
    ImportError
        If IPython is not installed; notebooks have it.
    """
    from IPython.display import Markdown

    alignment = [":--" if column < n_left else "--:" for column in range(len(head))]
    lines = [f"| {' | '.join(cells)} |" for cells in [head, alignment, *rows]]
    return Markdown(numbered_table(name, caption, lines))
