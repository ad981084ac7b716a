"""The page book/speed.md, which several benchmarks write, each its own sections."""

import re
from pathlib import Path

PAGE = Path(__file__).resolve().parents[1] / "book" / "speed.md"


def put(heading: str, section: str) -> None:
    """Put a section at the end of the page, in place of the one that had its heading."""
    parts = re.split(r"(?m)^(?=## )", PAGE.read_text())
    others = [part.rstrip("\n") for part in parts if not part.startswith(f"{heading}\n")]
    PAGE.write_text("\n\n".join([*others, section]))
