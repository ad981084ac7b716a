"""The page book/speed.md, which several benchmarks write, each its own sections."""

import re
from pathlib import Path

PAGE = Path(__file__).resolve().parents[1] / "book" / "speed.md"


def put(heading: str, section: str) -> None:
    """Put a section in the place of the one that has its heading, or at the end of the page."""
    parts = re.split(r"(?m)^(?=## )", PAGE.read_text())
    found = [k for k, part in enumerate(parts) if part.startswith(f"{heading}\n")]
    place = found[0] if found else len(parts)
    parts[place : place + 1] = [section]
    PAGE.write_text("\n\n".join(part.rstrip("\n") for part in parts) + "\n")
