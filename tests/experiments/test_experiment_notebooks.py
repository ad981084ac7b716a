"""What the notebooks share: numbered tables, and the styles of the methods."""

from experiments.notebook_tables import numbered_table, show_table
from experiments.styles import METHOD_STYLES, styles_of


def test_numbered_table_keeps_spreads_on_one_line():
    table = numbered_table("tab-x", "Found.", ["| a |", "|--:|", "| 0.1 ± 0.02 |"])
    assert table.splitlines()[:3] == [":::{table} Found.", ":name: tab-x", ""]
    assert table.splitlines()[3:] == ["| a |", "|--:|", "| 0.1\xa0±\xa00.02 |", ":::"]


def test_a_table_aligns_text_left_and_numbers_right():
    table = show_table("tab-x", "Found.", ["a", "b", "c"], [["x", "y", "1"]], n_left=2)
    assert table.data.splitlines()[3:] == [
        "| a | b | c |",
        "| :-- | :-- | --: |",
        "| x | y | 1 |",
        ":::",
    ]


def test_a_method_keeps_its_style():
    assert styles_of(["KDE", "Mine"])["KDE"] == METHOD_STYLES["KDE"]
    styles = styles_of([*METHOD_STYLES, *"abcde"])
    assert len({tuple(style.values()) for style in styles.values()}) == len(styles)
