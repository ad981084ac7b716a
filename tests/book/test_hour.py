"""Calibration in an hour: as long as it says, without proofs, every number from the file."""

import re
import runpy
import sys
from pathlib import Path

import matplotlib.pyplot as plt
import pytest
import yaml

from experiments.minutes import of_page

ROOT = Path(__file__).resolve().parents[2]
HOUR = ROOT / "book" / "hour"
sys.path.insert(0, str(HOUR))
import census  # noqa: E402

PAGES = sorted(HOUR.glob("*.md"))
every_page = pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)


def prose(path):
    """The text of a page without its head."""
    return path.read_text(encoding="utf-8").split("---\n", 2)[2]


def minutes(path):
    return of_page(prose(path))


def test_it_takes_an_hour():
    assert 45 < sum(map(minutes, PAGES)) <= 60


@every_page
def test_a_page_is_short(path):
    assert minutes(path) < 11


def test_it_is_the_first_part():
    first = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))["parts"][0]
    assert first["caption"] == "Calibration in an hour"
    files = [chapter["file"] for chapter in first["chapters"]]
    assert files == [f"book/hour/{path.stem}" for path in PAGES]


def test_the_first_page_counts_the_pages():
    assert "Seven short pages" in (ROOT / "book" / "intro.md").read_text(encoding="utf-8")
    assert len(PAGES) == 7


@every_page
def test_a_page_has_a_figure_links_to_chapters_and_no_proof(path):
    text = prose(path)
    number = PAGES.index(path) + 1
    assert f"*Calibration in an hour, page {number} of {len(PAGES)}.*" in text
    assert 1 <= text.count(".. plot:: hour/") <= 2 and text.count(":::{widget}") <= 1
    assert "](../../notebooks/" in text and "prf:" not in text
    assert text.count("$$") <= 2


def test_pages_name_pages_that_are_there():
    for path in PAGES:
        for number in re.findall(r"\bpage (\d)", prose(path)):
            assert 1 <= int(number) <= len(PAGES)


def test_every_number_of_the_file_is_printed_and_every_printed_one_is_computed():
    known = set(census.numbers())
    printed = {name for path in PAGES for name in re.findall(r"\{\{ (\w+) \}\}", prose(path))}
    assert printed == known


def test_what_is_printed_fits_what_is_said():
    """Sentences that name no number but an order; the programs beside the pages assert others."""
    found = census.numbers()
    assert float(found["hour_base_ece"]) < 0.005
    assert float(found["hour_ece"]) > 0.1
    brier = float(found["hour_mcb"]) - float(found["hour_dsc"]) + float(found["hour_unc"])
    assert brier == pytest.approx(float(found["hour_brier"]), abs=0.0016)
    assert found["hour_unc"] == found["hour_base_brier"]
    assert float(found["hour_many_ece"]) < float(found["hour_few_ece"]) / 3
    assert found["hour_eighty"] < "60"
    assert float(found["hour_slope"]) < 1 and found["hour_shift"].startswith("\N{MINUS SIGN}")


@pytest.mark.parametrize("path", sorted(HOUR.glob("*.py")), ids=lambda path: path.stem)
def test_the_programs_of_the_figures_run(path):
    runpy.run_path(str(path))
    plt.close("all")
