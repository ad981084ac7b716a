"""Which chapters use an object of the interface."""

import ast
import json
from importlib import import_module
from types import FunctionType

import calib
import calibkit

ROOMS = {
    "calib": calib,
    "metrics": calib.metrics,
    **{name: getattr(calibkit, name) for name in calibkit.__all__},
}


def is_ours(module):
    """Whether a module belongs to one of the two packages."""
    return module.split(".")[0] in {"calib", "calibkit"}


def imported(code):
    """The objects that a program imports, or reads as attributes of a room."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.ImportFrom) and is_ours(node.module or ""):
            module = import_module(node.module)
            yield from (getattr(module, alias.name) for alias in node.names)
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            room = ROOMS.get(node.value.id)
            if room is not None and hasattr(room, node.attr):
                yield getattr(room, node.attr)


def chapters(folder):
    """Files, without suffix, of the chapters that use a class or function."""
    found = {}
    for path in sorted(folder.glob("*.ipynb")):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        code = "\n".join("".join(c["source"]) for c in cells if c["cell_type"] == "code")
        for thing in {one for one in imported(code) if isinstance(one, (type, FunctionType))}:
            found.setdefault(thing, []).append(path.stem)
    return found
