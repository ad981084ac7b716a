"""What the tests of jobs share: a job is a list of commands, as a person types them."""

import shlex

from calibkit.cli import main


def run(commands):
    """Run the commands, one a line, and return their exit codes."""
    return [main(shlex.split(line)[1:]) for line in commands.strip().splitlines()]


def written(path, header, rows, separator=","):
    """Write a table of text, each row with the cells in the order of the header."""
    lines = [separator.join(header), *(separator.join(map(str, row)) for row in rows)]
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
