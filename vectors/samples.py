"""Small samples, each with the reason why it is there.

Scores are sums of few powers of 1/2, unless said otherwise: a fraction, a decimal number, a double
and a float of 32 bits are then the same number, and rounding decides no edge and no tie.
"""

from vectors.rows import rows

SAMPLES = {
    "plain": (
        rows("00101101", "1/16 3/16 5/16 7/16 9/16 11/16 13/16 15/16"),
        "distinct scores inside the bins",
    ),
    "ties": (
        rows("0101101110", "1/8 1/8 1/8 3/8 3/8 3/8 5/8 5/8 7/8 7/8"),
        "several rows have the same score",
    ),
    "ties-reordered": (
        rows("1110011010", "3/8 7/8 1/8 1/8 7/8 5/8 3/8 1/8 5/8 3/8"),
        "the rows of the case with ties in another order: every answer is the same",
    ),
    "tie-cut": (
        rows("10101010", "1/4 1/2 1/2 1/2 1/2 1/2 1/2 3/4"),
        "a tie is larger than a bin: cut, it is cut in the order of its rows or of its labels",
    ),
    "weights": (
        rows("01011", "1/8 1/4 3/8 5/8 3/4", "2 1 3 1 2"),
        "weights are copies of rows",
    ),
    "weights-half": (
        rows("0110", "1/4 1/4 3/4 3/4", "1/2 3/2 5/2 1/2"),
        "weights are not whole numbers",
    ),
    "weight-zero": (
        rows("0101", "1/4 1/2 3/4 1", "1 2 1 0"),
        "a row of weight 0 is no row, not even with a label of the other class",
    ),
    "one-row": (rows("1", "3/4"), "a single row"),
    "only-negatives": (rows("0000", "1/8 1/4 3/8 5/8"), "all labels are 0"),
    "only-positives": (rows("1111", "1/8 1/4 3/8 5/8"), "all labels are 1"),
    "all-equal": (rows("1110", "1/2 1/2 1/2 1/2"), "all scores are 1/2"),
    "all-equal-low": (rows("1111", "1/8 1/8 1/8 1/8"), "all scores are equal, and far too low"),
    "certain": (rows("0011", "0 0 1 1"), "scores of 0 and 1, and all are right"),
    "certain-and-wrong": (rows("010011", "0 0 1 1 1 1"), "scores of 0 and 1, and some are wrong"),
    "ends": (rows("1011", "0 1/8 5/8 7/8"), "a score of 0 belongs to the first bin"),
    "last": (rows("1010", "1/8 1/2 7/8 1"), "a score of 1 belongs to the last bin"),
    "edges": (rows("0110101", "1/4 1/4 1/2 1/2 3/4 3/4 3/4"), "scores on the edges of four bins"),
    "calibrated": (
        rows("0001011101110001", "1/4 1/4 1/4 1/4 3/4 3/4 3/4 3/4 3/4 3/4 3/4 3/4 1/4 1/4 1/4 1/4"),
        "at every score the observed fraction is the score",
    ),
    "subnormal": (
        rows("0101", "5e-324 5e-324 1/2 1"),
        "the smallest double, which a program may take for 0",
    ),
    "one-ulp": (
        rows("0110", [0.5, 0.5 + 2**-53, 0.5 - 2**-54, 0.25]),
        "scores that differ in the last bit of a double are different scores",
    ),
    "tiny": (rows("0011", [1e-300, 2e-300, 3e-300, 4e-300]), "all scores are below 1e-299"),
    "reversed": (rows("1110100", "1/8 1/4 3/8 1/2 5/8 3/4 7/8"), "higher scores, fewer positives"),
}


def chosen(names):
    """Yield name, rows and reason of samples; a text of names, or all but those after a minus."""
    for name in names.split():
        sample, why = SAMPLES[name]
        yield name, sample, why


EVERYWHERE = (
    "plain ties ties-reordered weights weights-half weight-zero one-row only-negatives "
    "only-positives all-equal all-equal-low certain certain-and-wrong subnormal one-ulp reversed"
)
INSIDE = "plain ties ties-reordered weights weights-half all-equal one-ulp reversed"
