"""Projects: rubrics, examples that run, pages for students without examples, the new calibrator."""

import re

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.isotonic import IsotonicRegression

from course.projects.add_a_calibrator.example import CentredIsotonic
from course.tools import papers

each_project = pytest.mark.parametrize("project", papers.PROJECTS)


def test_there_are_six():
    assert len(papers.PROJECTS) == 6


@each_project
def test_task(project):
    text = papers.task(project)
    headings = re.findall(r"^## (.*)$", text, re.M)
    assert headings == ["Task", "Data", "Milestones", "Rubric"]
    assert sum(map(int, re.findall(r"^\| .+ \| (\d+) \|$", text, re.M))) == 100


@each_project
def test_example_runs_and_is_short(project):
    text, code = papers.example(project)
    assert "{{" not in text
    assert 250 < len(text.split()) < 1100
    assert "<h2>The code</h2>" in papers.page(text, papers.WITHOUT, code)


def test_students_get_tasks_only(tmp_path):
    papers.write_tasks(tmp_path)
    pages = {path.stem: path.read_text(encoding="utf-8") for path in tmp_path.rglob("*.html")}
    assert sorted(pages) == papers.PROJECTS
    assert list(tmp_path.glob("projects/results/published/*.csv"))
    for project, page in pages.items():
        title = papers.example(project)[0].partition("\n")[0].strip("# ")
        assert title not in page
        assert "example of good work" not in page


def test_lecturers_get_everything(tmp_path):
    papers.write_all(tmp_path, "2026a")
    found = sorted(path.stem for path in tmp_path.rglob("*.html"))
    exams = [name for exam in papers.EXAMS for name in (f"{exam}-2026a", f"{exam}-2026a-solutions")]
    projects = [name for p in papers.PROJECTS for name in (p, f"{p}-example")]
    assert found == sorted(exams + projects)
    for path in tmp_path.rglob("*.html"):
        assert not re.search(r'(?:src|href)="(?!#)', path.read_text(encoding="utf-8")), path


# The example of project 5


def sample(seed, n=300):
    """Scores with ties, labels, and weights that are counts."""
    rng = np.random.default_rng(seed)
    scores = rng.integers(0, 40, n) / 10
    return scores, (rng.random(n) < scores / 4).astype(int), rng.integers(1, 4, n)


def by_hand(scores, labels, at):
    """Centred isotonic regression from scikit-learn's isotonic regression."""
    fit = IsotonicRegression().fit_transform(scores, labels)
    values = np.unique(fit)
    return np.interp(at, [scores[fit == value].mean() for value in values], values)


@pytest.mark.parametrize("seed", range(5))
def test_centred_isotonic(seed):
    scores, labels, weights = sample(seed)
    at = np.linspace(-1, 5, 200)
    fitted = CentredIsotonic().fit(scores, labels)
    p = fitted.predict(at)
    assert p == pytest.approx(by_hand(scores, labels, at))
    assert np.all(np.diff(p) >= 0) and p.min() >= 0 and p.max() <= 1
    inside = (at > fitted.map_.scores[0]) & (at < fitted.map_.scores[-1])
    assert np.all(np.diff(p[inside]) > 0)

    order = np.random.default_rng(seed).permutation(scores.size)
    again = clone(fitted).fit(scores[order], labels[order])
    assert np.array_equal(again.predict(at), p)
    moved = clone(fitted).fit(3 * scores - 2, labels)
    assert moved.predict(3 * at - 2) == pytest.approx(p)

    weighted = CentredIsotonic().fit(scores, labels, sample_weight=weights)
    repeated = CentredIsotonic().fit(np.repeat(scores, weights), np.repeat(labels, weights))
    assert weighted.predict(at) == pytest.approx(repeated.predict(at))
    assert np.sum(weighted.counts_ * weighted.map_.probabilities) == pytest.approx(
        np.sum(weights * labels)
    )


def test_centred_isotonic_checks_its_input():
    with pytest.raises(ValueError, match="labels"):
        CentredIsotonic().fit([0.1, 0.2], [0, 2])
