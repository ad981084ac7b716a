"""Errors over bins: ECE, MCE, root mean square, reliability curve and debiased square."""

from dataclasses import replace
from fractions import Fraction
from functools import partial

from vectors.binning import MASS, MASS_MISTAKES, WIDTH, WIDTH_MISTAKES
from vectors.cases import case
from vectors.exact import UNDEFINED, root
from vectors.rows import Rows
from vectors.rows import rows as rows_of
from vectors.samples import chosen

ECE = "Naeini, Cooper and Hauskrecht (2015), over the bins that are named"
DEBIASED = "Kumar, Liang and Ma (2019): each bin less the variance of its mean"
HALF = Fraction(1, 2)
TOP = {  # which class a probability of 1/2 predicts
    "top label, 1/2 is class 1": lambda p: p >= HALF,
    "top label, 1/2 is class 0": lambda p: p > HALF,
}
WIDTH_SAMPLES = (
    "plain ties weights weight-zero one-row only-negatives all-equal all-equal-low certain "
    "certain-and-wrong ends last edges calibrated subnormal one-ulp"
)
FEWER = "plain ties tie-cut weights all-equal certain-and-wrong ends last edges".split()
MASS_SAMPLES = (
    "plain ties ties-reordered tie-cut weights one-row all-equal all-equal-low certain edges"
)


def top_label(rows, predicts):
    """Return the probability of the predicted class, and whether it was right."""
    predicted = [predicts(p) for p in rows.scores]
    return Rows(
        labels=tuple(int(z == y) for z, y in zip(rows.labels, predicted, strict=True)),
        scores=tuple(p if y else 1 - p for p, y in zip(rows.scores, predicted, strict=True)),
        weights=rows.weights,
        weighted=rows.weighted,
    )


def targets_of(rows):
    """Return the rows of each target: class 1, or the top label."""
    top = {} if rows.weighted else {name: top_label(rows, by) for name, by in TOP.items()}
    return {"class 1": rows} | top


def sums(rows, bins):
    """Weight, sum of scores and of labels in each bin that is not empty, in order."""
    found = {}
    for (label, p, weight), k in zip(rows, bins, strict=True):
        if weight > 0 and k is not None:
            count, total, hits = found.get(k, (0, 0, 0))
            found[k] = (count + weight, total + weight * p, hits + weight * label)
    return [found[k] for k in sorted(found)]


def ece(rows, bins):
    """Mean over rows of the distance of observed fraction and mean score of their bin."""
    return Fraction(sum(abs(hits - total) for _, total, hits in sums(rows, bins))) / rows.total


def mce(rows, bins):
    """Largest such distance of a bin."""
    distances = [abs(hits - total) / Fraction(count) for count, total, hits in sums(rows, bins)]
    return max(distances, default=UNDEFINED)


def mean_square(rows, bins):
    """Mean over rows of the square of such a distance."""
    squares = sum((hits - total) ** 2 / Fraction(count) for count, total, hits in sums(rows, bins))
    return squares / rows.total


def rms(rows, bins):
    """Root of the mean square."""
    return root(mean_square(rows, bins))


def unweighted_bins(rows, bins):
    """Mean over bins in place of rows: a mistake."""
    parts = [abs(hits - total) / Fraction(count) for count, total, hits in sums(rows, bins)]
    return sum(parts) / len(parts) if parts else UNDEFINED


def over_all_bins(rows, bins, n_bins):
    """Sum of the distances over the number of bins, empty or not: a mistake."""
    parts = [abs(hits - total) / Fraction(count) for count, total, hits in sums(rows, bins)]
    return sum(parts) / Fraction(n_bins)


def middles(rows, bins, n_bins):
    """ECE with the middle of the bin in place of the mean score: another error."""
    by_bin = {}
    for (label, _, weight), k in zip(rows, bins, strict=True):
        by_bin[k] = by_bin.get(k, 0) + weight * (label - Fraction(2 * k + 1, 2 * n_bins))
    return sum(map(abs, by_bin.values())) / rows.total


def curve(rows, bins):
    """Weights, mean scores and observed fractions of the bins that are not empty."""
    parts = sums(rows, bins)
    return [
        [count for count, _, _ in parts],
        [total / Fraction(count) for count, total, _ in parts],
        [hits / Fraction(count) for count, _, hits in parts],
    ]


def debiased(rows, bins, less=1):
    """Mean square less the variances of the observed fractions, over n_k - `less`."""
    error = mean_square(rows, bins)
    for count, _, hits in sums(rows, bins):
        if count <= less:
            return UNDEFINED
        rate = hits / Fraction(count)
        error -= count * rate * (1 - rate) / (count - less) / rows.total
    return error


MEASURES = {"ece": ece, "mce": mce, "rms_error": rms}


def width_case(name, function, rows, n_bins, why):
    """Make a case of bins of equal width."""
    measure = MEASURES[function]
    answers = [
        ({"target": target, "closed": closed}, measure(part, way(part, n_bins)))
        for target, part in targets_of(rows).items()
        for closed, way in WIDTH.items()
    ]
    wrong = [(mistake, measure(rows, way(rows, n_bins))) for mistake, way in WIDTH_MISTAKES.items()]
    bins = WIDTH["left"](rows, n_bins)
    if function == "ece":
        wrong += [
            ("the mean over bins, not over rows", unweighted_bins(rows, bins)),
            ("the sum over the number of bins asked for", over_all_bins(rows, bins, n_bins)),
            ("the middle of the bin for the mean score", middles(rows, bins, n_bins)),
        ]
    if function == "rms_error":
        wrong += [("the root is not taken", mean_square(rows, bins))]
    plain = rows.unweighted()
    wrong += [("weights are ignored", measure(plain, WIDTH["left"](plain, n_bins)))]
    given = rows.given() | {"n_bins": n_bins, "bins": "width"}
    return case(
        f"width-{name}", function, given, why=why, source=ECE, answers=answers, mistakes=wrong
    )


def mass_case(name, function, rows, n_bins, why):
    """Make a case of bins of equally many rows."""
    measure = MEASURES[function]
    ways = {"middle rank": MASS["middle rank"]} if rows.weighted else MASS
    answers = [
        ({"target": target, "ties": ties}, measure(part, way(part, n_bins)))
        for target, part in targets_of(rows).items()
        for ties, way in ways.items()
    ]
    wrong = [
        (mistake, measure(rows, way(rows, n_bins)))
        for mistake, way in MASS_MISTAKES.items()
        if not rows.weighted
    ]
    bins = MASS["middle rank"](rows, n_bins)
    if function == "ece":
        wrong += [
            ("the mean over bins, not over rows", unweighted_bins(rows, bins)),
            ("the sum over the number of bins asked for", over_all_bins(rows, bins, n_bins)),
        ]
    if len(set(rows.scores)) == 1:
        wrong += [("equal scores leave no bin", Fraction(0))]
    given = rows.given() | {"n_bins": n_bins, "bins": "mass"}
    return case(
        f"mass-{name}", function, given, why=why, source=ECE, answers=answers, mistakes=wrong
    )


def decimals_case(labels, scores):
    """Make the one case whose bins depend on how numbers are rounded."""
    rows = rows_of(labels, scores)
    decimals = replace(rows, scores=tuple(map(Fraction, scores)))
    given = rows.given() | {"n_bins": 10, "bins": "width"}
    answers = [
        ({"target": "class 1", "closed": closed, "edges": edges}, ece(rows, way(seen, 10)))
        for edges, seen in {"decimal": decimals, "double": rows}.items()
        for closed, way in WIDTH.items()
    ]
    return case(
        "width-decimals",
        "ece",
        given,
        why="0.3 as a double is below 3/10: a program may see the decimal number or the double",
        source=ECE,
        answers=answers,
    )


def cases():
    """Yield the cases."""
    for function in MEASURES:
        for name, rows, why in chosen(WIDTH_SAMPLES):
            if function == "ece" or name in FEWER:
                yield width_case(name, function, rows, 4, why)
        for name, rows, why in chosen(MASS_SAMPLES):
            if function == "ece" or name in FEWER:
                yield mass_case(name, function, rows, 3, why)
    for name, rows, why in chosen("last certain"):
        yield width_case(f"{name}-one-bin", "ece", rows, 1, f"{why}; there is one bin only")
    yield decimals_case("00111", ["0.3", "0.35", "0.6", "0.65", "0.7"])
    yield from curves()
    yield from debiased_cases()


def curves():
    """Yield the cases of the reliability curve."""
    for name, rows, why in chosen("plain ties weights edges ends last all-equal certain"):
        yield case(
            f"width-{name}",
            "reliability_curve",
            rows.given() | {"n_bins": 4, "bins": "width"},
            why=f"{why}; empty bins are left out",
            source="DeGroot and Fienberg (1983)",
            answers=[({"closed": side}, curve(rows, way(rows, 4))) for side, way in WIDTH.items()],
            mistakes=[
                (mistake, curve(rows, way(rows, 4))) for mistake, way in WIDTH_MISTAKES.items()
            ],
        )
    for name, rows, why in chosen("plain ties all-equal"):
        yield case(
            f"mass-{name}",
            "reliability_curve",
            rows.given() | {"n_bins": 3, "bins": "mass"},
            why=why,
            source="DeGroot and Fienberg (1983)",
            answers=[({"ties": ties}, curve(rows, way(rows, 3))) for ties, way in MASS.items()],
        )


def debiased_cases():
    """Yield the cases of the debiased square."""
    for name, rows, why in chosen("plain ties edges all-equal calibrated one-row"):
        error = partial(debiased, rows)
        yield case(
            f"width-{name}",
            "debiased_squared_error",
            rows.given() | {"n_bins": 2, "bins": "width"},
            why=why,
            source=DEBIASED,
            answers=[({"closed": side}, error(way(rows, 2))) for side, way in WIDTH.items()],
            mistakes=[
                ("the variance is divided by n, not n - 1", error(WIDTH["left"](rows, 2), less=0)),
                ("nothing is subtracted", mean_square(rows, WIDTH["left"](rows, 2))),
            ],
        )
