"""Exams: points, the paper without solutions, and every number computed a second time."""

import math
import re
from fractions import Fraction

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import minimize
from scipy.stats import norm
from sklearn.isotonic import IsotonicRegression
from sklearn.metrics import brier_score_loss, roc_auc_score

from course.exams import final, midterm
from course.tools import papers

TERMS = [str(term) for term in range(12)]


def cells(text):
    """The numbers of a row of a table or of a list."""
    return np.array([float(Fraction(cell.strip(" *"))) for cell in re.split(r"[|,]", text)])


def isotonic(scores, labels):
    """Isotonic regression by scikit-learn."""
    return IsotonicRegression(y_min=0, y_max=1).fit_transform(scores, labels)


def numbers(module, term):
    return module.numbers(papers.generator(term, module.__name__.rpartition(".")[2]))


@pytest.mark.parametrize("name", papers.EXAMS)
def test_points_and_marking(name):
    text = papers.exam(name, "2026a")
    questions = text.split("\n## ")[1:]
    assert sum(int(p) for p in re.findall(r"^:::\{solution\} (\d+)$", text, re.M)) == 100
    for question in questions:
        assert question.count(":::{rubric}") == 1
        assert len(re.findall(r"^\*\*\(\w\)\*\*", question, re.M)) == question.count("{solution}")


@pytest.mark.parametrize("name", papers.EXAMS)
def test_the_paper_holds_no_solution(name):
    text = papers.exam(name, "2026a")
    paper = papers.page(text, papers.WITHOUT)
    whole = papers.page(text, papers.WITH_SOLUTIONS)
    assert 'class="solution"' in whole and 'class="rubric"' in whole
    assert 'class="solution"' not in paper and 'class="rubric"' not in paper
    asked, *solutions = re.split(r"^:::\{(?:solution\} \d+|rubric\})\n", text, flags=re.M)
    for solution in solutions:
        first_line = solution.partition("\n")[0]
        assert papers.render(first_line, papers.new_document({})) not in paper


@pytest.mark.parametrize("name", papers.EXAMS)
def test_a_term_changes_the_data(name):
    assert papers.exam(name, "2026a") == papers.exam(name, "2026a")
    assert len({papers.exam(name, term) for term in TERMS}) > 9


def test_no_question_is_empty_in_two_thousand_terms():
    for term in range(2000):
        n = numbers(midterm, str(term))
        assert n["fit_four"] != n["fit_five"], term  # an interpolation to compute
        assert n["fit"] != n["means"], term  # violators to pool
        n = numbers(final, str(term))
        assert n["won"] and n["tied"] and n["lost"], term
        assert n["auc_score"] != n["auc_best"], term
        assert n["first"] != n["second"], term  # weights that matter
        labels = cells(n["va_labels"])
        assert np.any(np.diff(labels) < 0), term  # labels to pool
        assert 0 <= n["p0"] < n["p1"] <= 1, term


def test_unknown_number():
    with pytest.raises(ValueError, match="'typo'"):
        papers.filled("The answer is {{ typo }}.", {"other": 1})


@pytest.mark.parametrize("term", TERMS)
def test_midterm_scores_and_groups(term):
    n = numbers(midterm, term)
    positives = cells(n["positives"]).astype(int)
    labels = np.repeat([1, 0] * 3, np.ravel([positives, [10, 20, 20] - positives], order="F"))
    brier = brier_score_loss(labels, np.repeat([0.2, 0.5, 0.8], [10, 20, 20]))
    assert float(n["brier"]) == pytest.approx(brier, abs=6e-5)
    parts = [float(n[key]) for key in ["reliability", "resolution", "uncertainty"]]
    assert parts[0] - parts[1] + parts[2] == pytest.approx(brier, abs=2e-4)
    assert float(n["base"]) == pytest.approx(labels.mean())

    p, z = cells(n["tied_predictions"]), cells(n["tied_labels"])
    order = np.lexsort([z, p])
    halves = [order[:4], order[4:]]
    by_label = sum(abs(z[half].sum() - p[half].sum()) for half in halves) / 8
    together = sum(abs(z[part].sum() - p[part].sum()) for part in [order[:1], order[1:]]) / 8
    assert float(n["ece_sorted"]) == pytest.approx(by_label, abs=6e-5)
    assert float(n["ece_together"]) == pytest.approx(together, abs=6e-5)
    assert float(n["low_mean"]) == pytest.approx(p[halves[0]].mean(), abs=6e-4)
    assert float(n["high_mean"]) == pytest.approx(p[halves[1]].mean(), abs=6e-4)
    assert float(n["upper_mean"]) == pytest.approx(p[order[1:]].mean(), abs=6e-4)
    assert float(Fraction(n["upper_observed"])) == pytest.approx(z[order[1:]].mean())
    assert float(n["low_gap"]) == pytest.approx(abs(z[order[0]] - p[order[0]]))
    assert z[halves[0]].sum() == 0 and z[halves[1]].sum() == 4


@pytest.mark.parametrize("term", TERMS)
def test_midterm_bounds_and_densities(term):
    n = numbers(midterm, term)
    bound, per_bin = float(n["bound"]), n["per_bin"]
    fails = 2 * n["n_bins"] * math.exp(-2 * per_bin * bound**2)
    assert fails == pytest.approx(0.05, rel=0.1)
    needed = int(n["needed"].replace(",", ""))
    fails = [
        2 * n["n_bins"] * math.exp(-2 * m / n["n_bins"] * n["promised"] ** 2)
        for m in [needed, needed - 1]
    ]
    assert fails[0] <= 0.05 < fails[1]

    y, prior = 0.7, Fraction(n["m"], n["m"] + n["n"])
    densities = norm.pdf(y, [n["upper"], 0], math.sqrt(n["variance"]))
    odds = float(prior / (1 - prior)) * densities[0] / densities[1]
    assert float(n["slope"]) * y + float(n["intercept"]) == pytest.approx(math.log(odds), abs=6e-4)
    assert n["corrected"] / (1 - n["corrected"]) * n["ratio"] == 1


@pytest.mark.parametrize("term", TERMS)
def test_midterm_isotonic(term):
    n = numbers(midterm, term)
    fit = isotonic(cells(n["scores"]), cells(n["labels"]))
    by_score = dict(zip(cells(n["scores"]), fit, strict=True))
    assert cells(n["fit"]) == pytest.approx(list(by_score.values()))
    assert float(n["fit_between"]) == pytest.approx((by_score[4] + by_score[5]) / 2)
    assert (by_score[1], by_score[6], by_score[7]) == (0, 1, 1)


@pytest.mark.parametrize("term", TERMS)
def test_final_order_and_decisions(term):
    n = numbers(final, term)
    scores = np.append(cells(n["scores_positive"]), cells(n["scores_negative"]))
    assert float(n["auc"]) == pytest.approx(roc_auc_score([1] * 4 + [0] * 4, scores))
    positives = cells(n["cells"]).astype(int)
    labels = np.concatenate([[1] * m + [0] * (100 - m) for m in positives])
    level, best = np.repeat([1, 1, 2, 2], 100), np.repeat(positives, 100)
    assert float(n["auc_score"]) == pytest.approx(roc_auc_score(labels, level), abs=6e-5)
    assert float(n["auc_best"]) == pytest.approx(roc_auc_score(labels, best), abs=6e-5)
    assert len(set(positives)) == 4

    p, said, missed = float(n["true"]), float(n["said"]), n["missed"]
    assert p < n["threshold"] < said
    assert float(n["regret"]) == pytest.approx((1 - p) - missed * p, abs=0.02)
    assert float(n["regret"]) <= float(n["price"])


@pytest.mark.parametrize("term", TERMS)
def test_final_averages_and_path(term):
    n = numbers(final, term)
    labels = cells(n["six_labels"])

    def probability(part):
        return quad(lambda t: np.prod(np.where(part == 1, t, 1 - t)), 0, 1)[0]

    one, two = probability(labels), probability(labels[:3]) * probability(labels[3:])
    assert [float(n["evidence_one"]), float(n["evidence_two"])] == pytest.approx([one, two])
    ahead = [probability(np.append(part, 1)) / probability(part) for part in [labels, labels[3:]]]
    average = (one * ahead[0] + two * ahead[1]) / (one + two)
    assert float(n["average"]) == pytest.approx(average, abs=6e-4)

    def loss(p, price):
        squares = n["first"] * (p[0] - 1) ** 2 + n["second"] * p[1] ** 2
        return squares / 2 + price * max(p[0] - p[1], 0)

    for share, gap in [(0.9, 0.1), (1.1, 0)]:
        price = share * float(n["meeting"])
        p = minimize(loss, [0.5, 0.5], (price,), method="Nelder-Mead", tol=1e-10).x
        assert p[0] - p[1] == pytest.approx(gap, abs=1e-4)
    assert p == pytest.approx(float(n["pooled"]), abs=1e-4)


@pytest.mark.parametrize("term", TERMS)
def test_final_venn_abers(term):
    n = numbers(final, term)
    scores = np.sort([*range(1, 7), n["new"]])
    place = np.flatnonzero(scores == n["new"])[0]
    pair = [isotonic(scores, cells(n[key]))[place] for key in ["with_zero", "with_one"]]
    assert [float(n["p0"]), float(n["p1"])] == pytest.approx(pair)
    assert float(n["merged"]) == pytest.approx(pair[1] / (1 - pair[0] + pair[1]))
    assert pair[0] < pair[1]


@pytest.mark.parametrize("term", TERMS)
def test_final_groups_and_folds(term):
    n = numbers(final, term)
    for rate, share in [("rate_a", 0.5), ("rate_b", 0.2)]:
        called = share * n["hit"] / n["precision"]  # share of people that the rule calls positive
        false = called * (1 - n["precision"])
        assert float(n[rate]) * (1 - share) == pytest.approx(false, abs=6e-4)
    assert n["points"] >= 2 / (n["spread"] * n["offset"] ** 2) - 1e-6 > n["points"] - 1

    d = cells(n["differences"])
    assert float(n["naive"]) == pytest.approx(d.mean() / (d.std(ddof=1) / math.sqrt(10)), abs=6e-3)
    ratio = float(n["naive"]) / float(n["corrected_t"])
    assert ratio == pytest.approx(math.sqrt(1 + 10 / 9), abs=0.01)
    assert float(n["corrected_t"]) < 2.26 < float(n["naive"])  # the conclusion changes
