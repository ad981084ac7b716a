"""The addresses of repository and site: one place, empty or set, and nothing points elsewhere."""

import html
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import nbformat
import pytest
import yaml

import calib

ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "book" / "_ext"), str(ROOT / "tools")]
import addresses  # noqa: E402
import citation  # noqa: E402

URLS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["urls"]
EXAMPLE = {
    "Repository": "https://github.com/someone/something",
    "Documentation": "https://someone.github.io/something/",
}
STATES = {"empty": {}, "set": EXAMPLE}
# Where a book like this one lives, if it has an address.
HOSTS = r"github|gitlab|bitbucket|codeberg|sourcehut|readthedocs|netlify|zenodo|figshare"
ADDRESS = rf"https?://[\w.-]*(?:{HOSTS})[\w.-]*/[^\s\"'<>)\]}}\\]*|\b10\.5281/\S+"


# Every file


def test_no_file_has_an_address_of_its_own():
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode:
        pytest.skip("this is no clone: git does not list the files")
    known = {*URLS.values(), *EXAMPLE.values(), "https://github.com/"}
    strangers = {}
    for name in listed.stdout.split("\0"):
        if name and not name.endswith((".npz", ".bib")):  # the works of others are in the latter
            found = set(re.findall(ADDRESS, (ROOT / name).read_text(encoding="utf-8"))) - known
            if found:
                strangers[name] = found
    assert not strangers, "addresses stand in pyproject.toml, [project.urls]"


def test_the_citation_is_that_of_this_version():
    text = citation.CITATION.read_text(encoding="utf-8")
    renewed = citation.renewed(text, calib.__version__, URLS)
    assert text == renewed, "run python tools/citation.py"


def test_the_citation_has_addresses_where_there_are_any():
    text = citation.CITATION.read_text(encoding="utf-8")
    filled = citation.renewed(text, "9.9", EXAMPLE)
    content = yaml.safe_load(filled)
    assert content["repository-code"] == EXAMPLE["Repository"]
    assert (content["url"], content["version"]) == (EXAMPLE["Documentation"], "9.9")
    emptied = yaml.safe_load(citation.renewed(filled, "9.9", {}))
    assert not {"repository-code", "url"} & set(emptied)
    assert emptied["title"] == content["title"] == "Calibrating Binary Classifiers"


# The site


def test_buttons_for_repositories_that_services_know():
    options = addresses.theme_options(EXAMPLE["Repository"].replace("github", "gitlab"))
    assert options["use_issues_button"] and "binderhub_url" in options["launch_buttons"]
    assert "colab_url" not in options["launch_buttons"]
    assert "colab_url" in addresses.theme_options(EXAMPLE["Repository"])["launch_buttons"]


@pytest.fixture(scope="module", params=STATES)
def state(request):
    return request.param


@pytest.fixture(scope="module")
def site(state, tmp_path_factory):
    """A site of three pages, two of them those with sentences for either state."""
    folder = tmp_path_factory.mktemp(state)
    for part in ["book/_ext", "book/_static", "book/_templates", "book/hour"]:
        shutil.copytree(ROOT / part, folder / part)
    drawn = ["book/first_figure.py", "book/census_scores.csv"]
    pages = [f"{page}.md" for page in addresses.PAGES]
    for name in ["_config.yml", "book/references.bib", *drawn, *pages]:
        shutil.copy(ROOT / name, folder / name)
    urls = "\n".join(f'{key} = "{value}"' for key, value in STATES[state].items())
    (folder / "pyproject.toml").write_text(f"[project.urls]\n{urls}\n")
    first, *others = sorted(addresses.PAGES)
    chapters = [{"file": page} for page in [*others, "notebooks/chapter"]]
    (folder / "_toc.yml").write_text(
        yaml.safe_dump({"format": "jb-book", "root": first, "chapters": chapters})
    )
    (folder / "notebooks").mkdir()
    cell = nbformat.v4.new_markdown_cell("# A chapter")
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    notebook = nbformat.v4.new_notebook(cells=[cell], metadata=kernel)
    nbformat.write(notebook, folder / "notebooks" / "chapter.ipynb")
    program = "from jupyter_book.cli.main import main; main()"
    subprocess.run([sys.executable, "-c", program, "build", "-q", folder], check=True)
    return folder / "_build" / "html"


def read(site, page):
    return (site / f"{page}.html").read_text(encoding="utf-8")


def buttons(page):
    """Addresses behind the buttons above an article."""
    header = page.split('<div class="article-header-buttons">')[1].split('<div id="jb-print')[0]
    return re.findall(r'href="([^"]*)"', header)


def test_pages_have_a_canonical_address_only_if_the_site_has_one(site, state):
    canonical = re.findall(r'<link rel="canonical" href="([^"]*)"', read(site, "notebooks/chapter"))
    expected = {"empty": [], "set": [f"{EXAMPLE['Documentation']}notebooks/chapter.html"]}
    assert canonical == expected[state]


def test_buttons_lead_to_the_repository_or_nowhere(site, state):
    inside = "../_sources/notebooks/chapter.ipynb"  # to download, in either state
    repository = EXAMPLE["Repository"]
    starts = {
        "empty": [],
        "set": [
            "https://mybinder.org/v2/gh/someone/something/main?urlpath=lab/tree/notebooks/",
            "https://colab.research.google.com/github/someone/something/blob/main/notebooks/",
            repository,
            f"{repository}/edit/main/notebooks/chapter.ipynb",
            f"{repository}/issues/new?title=",
        ],
    }
    found = buttons(read(site, "notebooks/chapter"))
    assert inside in found
    outside = [address for address in found if address.startswith("http")]
    assert len(outside) == len(starts[state])
    for start in starts[state]:
        assert any(address.startswith(start) for address in outside), start


def test_sentences_hold(site, state):
    text = html.unescape(re.sub(r"<[^>]*>", "", read(site, "book/run_teach_reproduce")))
    for sentence in [
        f"git clone {EXAMPLE['Repository']}",
        f"calibrating-binary-classifiers @ git+{EXAMPLE['Repository']}",
        "Without installing anything",
        f"Version {calib.__version__}, online.",
        "Use open issue at the top",
    ]:
        assert (sentence in text) == (state == "set"), sentence
    for sentence in [
        f"Version {calib.__version__}.",
        "Open an issue where you got your clone from",
    ]:
        assert (sentence in text) == (state == "empty"), sentence
    assert "In your clone:" in text and "make test" in text
    assert ("Binder takes long" in read(site, "book/troubleshooting")) == (state == "set")
    for page in addresses.PAGES:
        assert "{%" not in read(site, page) and "{{" not in read(site, page)
