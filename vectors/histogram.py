"""Histogram binning with bins of equal width: fitted on some rows, applied to new scores."""

from fractions import Fraction

from vectors.binned import sums
from vectors.binning import WIDTH, closed_left, closed_right
from vectors.cases import case
from vectors.rows import exactly, numbers, rows
from vectors.samples import chosen

SOURCE = "Zadrozny and Elkan (2001)"


def values(fitted, applied, sample, n_bins, new):
    """Observed fractions of the bins of new scores; ways of fitting and of applying may differ."""
    bins = fitted(sample, n_bins)
    rates = {k: Fraction(hits) / count for k, (count, _, hits) in by_bin(sample, bins).items()}
    places = applied(rows([0] * len(new), new), n_bins)
    return [rates.get(k) for k in places]


def by_bin(sample, bins):
    """Sums of each bin that is not empty, by its number."""
    return dict(zip(sorted(set(bins)), sums(sample, bins), strict=True))


def cases():
    """Yield the cases; every new score falls into a bin with rows."""
    on_edge = ("on-edge", rows("0110", "1/4 1/2 1/2 3/4"), "half of the rows are on the edge")
    for name, sample, why in [on_edge, *chosen("plain ties edges weights-half only-positives")]:
        new = [exactly(number) for number in numbers("1/4 1/4 3/8 1/2 3/4")]
        n_bins = 2
        given = sample.given("scores") | {"n_bins": n_bins, "new_scores": list(map(float, new))}
        sides = {side: values(way, way, sample, n_bins, new) for side, way in WIDTH.items()}
        mixed = values(closed_left, closed_right, sample, n_bins, new)
        sides = {side: found for side, found in sides.items() if None not in found}
        if None in mixed or not sides:
            continue
        yield case(
            name,
            "histogram",
            given,
            why=f"{why}; 1/2 is an edge",
            source=SOURCE,
            answers=[({"closed": side}, found) for side, found in sides.items()],
            mistakes=[
                ("fitted with bins closed on the left, applied with the right", mixed),
                (
                    "weights are ignored",
                    values(closed_left, closed_left, sample.unweighted(), 2, new),
                ),
            ],
        )
