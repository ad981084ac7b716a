"""``calib export``: a map as a program that needs nothing of this package."""

from calib.commands.writing import check_new, new_file
from calib.maps.programs import program
from calib.maps.stored import load_stored_map


def run(options) -> int:
    """Read the map, write the program; returns the exit code."""
    check_new(options.output, force=options.force)
    stored = load_stored_map(options.map)
    with new_file(options.output, force=options.force) as file:
        file.write(program(stored, options.to, options.score))
    return 0
