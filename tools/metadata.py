"""Write the files by which archives and search engines know this work, from CITATION.cff.

python tools/metadata.py        writes codemeta.json, .zenodo.json and ro-crate-metadata.json

The citation has the title, the authors, the version and the licences; pyproject.toml has the
dependencies and the addresses. A release adds its date.
"""

import json
import tomllib
from pathlib import Path

import yaml
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[1]
PARTS = {  # of the crate, and what each of them is
    "calib": "The Python package: calibrators, measures and their kernels",
    "calibkit": "The Python package of tests, diagrams, reports and the command line",
    "notebooks": "The chapters of the book, executed",
    "book": "The pages of the book",
    "experiments": "Programs of the experiments",
    "results": "Records of the experiments, which the chapters read",
    "proofs": "Theorems that Coq checks",
    "tests": "Tests of packages, experiments and book",
    "course": "A course on the book",
}


def codemeta(citation, project):
    """CodeMeta 3.0: the software."""
    links = {"codeRepository": "repository-code", "url": "url", "datePublished": "date-released"}
    return {
        "@context": "https://w3id.org/codemeta/3.0",
        "@type": "SoftwareSourceCode",
        "name": citation["title"],
        "description": citation["abstract"],
        "version": citation["version"],
        "author": [organisation(author) for author in citation["authors"]],
        "license": [f"https://spdx.org/licenses/{name}" for name in citation["license"]],
        "keywords": citation["keywords"],
        "programmingLanguage": "Python",
        "runtimePlatform": f"Python {project['requires-python']}",
        "softwareRequirements": [Requirement(need).name for need in project["dependencies"]],
        "referencePublication": "CITATION.cff",
        **{key: citation[name] for key, name in links.items() if name in citation},
    }


def organisation(author):
    """An author that is a group, as schema.org has it."""
    return {"@type": "Organization", "name": author["name"]}


def zenodo(citation):
    """What Zenodo asks about a deposit."""
    return {
        "upload_type": "software",
        "title": citation["title"],
        "description": citation["abstract"],
        "version": citation["version"],
        "creators": [{"name": author["name"]} for author in citation["authors"]],
        "license": citation["license"][0],
        "notes": f"Text of the book: {citation['license'][1]}.",
        "access_right": "open",
        "keywords": citation["keywords"],
    }


def crate(citation):
    """RO-Crate 1.1: the folders. It says a date of publication once there is a release."""
    dated = {"datePublished": citation["date-released"]} if "date-released" in citation else {}
    folders = [
        {"@id": f"{name}/", "@type": "Dataset", "name": text} for name, text in PARTS.items()
    ]
    return {
        "@context": "https://w3id.org/ro/crate/1.1/context",
        "@graph": [
            {
                "@id": "ro-crate-metadata.json",
                "@type": "CreativeWork",
                "conformsTo": {"@id": "https://w3id.org/ro/crate/1.1"},
                "about": {"@id": "./"},
            },
            {
                "@id": "./",
                "@type": "Dataset",
                "name": citation["title"],
                "description": citation["abstract"],
                "version": citation["version"],
                "license": {"@id": f"https://spdx.org/licenses/{citation['license'][0]}"},
                "hasPart": [{"@id": folder["@id"]} for folder in folders],
                **dated,
            },
            *folders,
        ],
    }


def files():
    """The text of each file, by its name."""
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contents = {
        "codemeta.json": codemeta(citation, pyproject["project"]),
        ".zenodo.json": zenodo(citation),
        "ro-crate-metadata.json": crate(citation),
    }
    return {
        name: json.dumps(content, indent=2, ensure_ascii=False, default=str) + "\n"
        for name, content in contents.items()
    }


if __name__ == "__main__":
    for name, text in files().items():
        (ROOT / name).write_text(text, encoding="utf-8")
