"""Errors of the path of cumulative residuals: Kuiper's, Kolmogorov and Smirnov's, and ATB."""

from fractions import Fraction

from vectors.cases import case
from vectors.rows import tied
from vectors.samples import EVERYWHERE, chosen

KUIPER = "Arrieta-Ibarra et al. (2022), ECCE-R: the path is read where ties end"
KOLMOGOROV = "Arrieta-Ibarra et al. (2022), ECCE-MAD: the path is read where ties end"
FEWER = "plain ties ties-reordered weights weight-zero all-equal calibrated reversed".split()
AVERAGED = "Hartline, Hu and Wu (2026), as calib reads its abstract"


def path(rows):
    """Scores, and the cumulative residuals where their ties end, over the total weight."""
    read, reached = [], Fraction(0)
    for score, weight, hits in tied(rows):
        reached += Fraction(hits - weight * score) / rows.total
        read.append((score, reached))
    return read


def path_of_rows(rows):
    """Return the path read at every row, in the order of rows within ties: wrong."""
    order = sorted(range(len(rows.labels)), key=lambda i: (rows.scores[i], i))
    read, reached = [], Fraction(0)
    for i in order:
        weight = rows.weights[i]
        reached += Fraction(weight * (rows.labels[i] - rows.scores[i])) / rows.total
        read.append((rows.scores[i], reached))
    return read


def spread(read):
    """Range of the path, which begins at 0."""
    places = [Fraction(0), *(place for _, place in read)]
    return max(places) - min(places)


def farthest(read):
    """Largest distance of the path from 0."""
    return max((abs(place) for _, place in read), default=Fraction(0))


def averaged(read):
    """Squares of the sums below and above a cut, averaged over all cuts."""
    cuts = [Fraction(0), *(score for score, _ in read), Fraction(1)]
    below = [Fraction(0), *(place for _, place in read)]
    end = below[-1]
    return sum(
        (high - low) * (place**2 + (end - place) ** 2)
        for low, high, place in zip(cuts, cuts[1:], below, strict=False)
    )


def cases():
    """Yield the cases."""
    names = f"{EVERYWHERE} calibrated"
    for function, measure, source in (
        ("kuiper", spread, KUIPER),
        ("ks_error", farthest, KOLMOGOROV),
        ("averaged_two_bin_error", averaged, AVERAGED),
    ):
        for name, rows, why in chosen(names):
            if function != "kuiper" and name not in FEWER:
                continue
            other = farthest if measure is spread else spread
            wrong = [
                ("the path is read inside ties", measure(path_of_rows(rows))),
                ("weights are ignored", measure(path(rows.unweighted()))),
            ]
            if measure is spread:
                read = [place for _, place in path(rows)]
                wrong.append(("the path does not begin at 0", max(read) - min(read)))
            if measure is not averaged:
                wrong.append(("range and largest distance are exchanged", other(path(rows))))
            yield case(
                name,
                function,
                rows.given(),
                why=why,
                source=source,
                answers=[({"ties": "read at their end"}, measure(path(rows)))],
                mistakes=wrong,
            )
