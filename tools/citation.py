"""Write CITATION.cff with the version of calib and the addresses of pyproject.toml, if any.

python tools/citation.py
"""

import tomllib
from pathlib import Path

import yaml

import calib

ROOT = Path(__file__).resolve().parents[1]
CITATION = ROOT / "CITATION.cff"
FIELDS = {"repository-code": "Repository", "url": "Documentation"}  # and where they stand


def renewed(text, version, urls):
    """The text of a citation file, with this version and these addresses in place of its own."""
    content = yaml.safe_load(text)
    content = {key: value for key, value in content.items() if key not in FIELDS}
    content["version"] = version
    content |= {field: urls[name] for field, name in FIELDS.items() if urls.get(name)}
    return yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=100)


if __name__ == "__main__":
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    text = CITATION.read_text(encoding="utf-8")
    CITATION.write_text(renewed(text, calib.__version__, project.get("urls", {})), encoding="utf-8")
