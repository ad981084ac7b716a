"""Every constant of the protocols that a paper does not settle alone, and where it comes from.

A constant is of one of four kinds. Only one that was not chosen by printed numbers may stand in
the first reading of a table or in a cause that explains; a tuned one belongs to a cause that is
marked as tuned, and what such a cause mends *fits*, and is not counted as agreement.
"""

from typing import NamedTuple

STATED = "stated"
FROM_CODE = "from their code"
INFERRED = "inferred before the numbers were seen"
TUNED = "tuned"
KINDS = (STATED, FROM_CODE, INFERRED, TUNED)


class Constant(NamedTuple):
    """A constant of the protocol of a paper.

    Attributes
    ----------
    paper : str
    tables : tuple of str
        Those that it concerns.
    name, value : str
    kind : str
        One of `KINDS`.
    source : str
        Where it stands, or what it was taken from.
    causes : tuple of str
        Names of the causes that have it; () if it belongs to the first reading.
    """

    paper: str
    tables: tuple
    name: str
    value: str
    kind: str
    source: str
    causes: tuple = ()


_RINGS_14 = ("table1a", "table1b", "table2a", "table2b")
_MAILING = ("table3a", "table3b", "table3c")
_RINGS_16, _RANKS = ("table1a", "table1b"), ("table4", "table5", "table6")
_REAL_16 = ("table2", *_RANKS)
_V14, _D22 = ("table1", "table2", "table3"), ("table1", "table2", "table3")
_CODE = "in github.com/pakdaman/calibration"
_DEFAULT = "the usual default"
CONSTANTS = (
    Constant(
        "naeini2014", _RINGS_14, "points to train, to test", "1000, 1000", STATED, "section 5"
    ),
    Constant("naeini2014", _RINGS_14, "groups of ECE and MCE", "10", STATED, "section 2.1"),
    Constant(
        "naeini2014",
        _RINGS_14,
        "radii of the rings",
        "0 to 2, 2 to 4",
        FROM_CODE,
        f"the range of BBQ/data.mat {_CODE}",
    ),
    Constant(
        "naeini2014",
        ("table1b", "table2b"),
        "C and kernel of the quadratic SVM",
        "1, d (1 + d) of standardised columns",
        FROM_CODE,
        f"BBQ/test.m {_CODE}",
    ),
    Constant(
        "naeini2014", ("table1a", "table2a"), "C of the linear SVM", "1", FROM_CODE, "BBQ/test.m"
    ),
    Constant("naeini2014", ("table1a", "table1b"), "runs", "10", INFERRED, "as in its Table 2"),
    Constant(
        "naeini2014", _RINGS_14, "bins", "the cube root of the points", STATED, "section 3, optimum"
    ),
    Constant(
        "naeini2014",
        ("table1a", "table1b", *_MAILING),
        "prior and truncation of the Dirichlet process",
        "our defaults",
        INFERRED,
        "the paper names neither",
    ),
    Constant(
        "naeini2014",
        _MAILING,
        "C of the classifiers of the mailing",
        "0.001",
        INFERRED,
        "seen to be good on one trial split, by its own labels",
    ),
    Constant(
        "naeini2014",
        _MAILING,
        "C of the amount model",
        "0.01",
        INFERRED,
        "not compared with others",
    ),
    Constant("naeini2014", _MAILING, "cost of a letter", "0.68 dollars", STATED, "section 5"),
    Constant(
        "naeini2014",
        ("table1b", "table2b"),
        "C of the quadratic SVM",
        "0.0075",
        TUNED,
        "the nearest of seven to the raw row of Table 1(b)",
        ("quadratic-penalty-0.0075",),
    ),
    Constant(
        "naeini2014",
        ("table1a", "table2a", "table2b"),
        "least number of bins",
        "10",
        TUNED,
        "the rows of 100 points of Table 2",
        ("liblinear-svm-ten-bins-at-least",),
    ),
    Constant(
        "naeini2014",
        ("table1a", "table1b"),
        "penalty of Platt's slope",
        "7",
        TUNED,
        "the best of six for the row of Platt scaling",
        ("penalised-slope",),
    ),
    Constant(
        "naeini2014",
        ("table1a", "table2a"),
        "factor of the flat score",
        "20",
        TUNED,
        "the raw row of Table 1(a)",
        ("flat-score",),
    ),
    Constant("naeini2016", _RINGS_16, "runs", "10", STATED, "section III.B"),
    Constant("naeini2016", (*_RINGS_16, *_REAL_16), "groups", "10", STATED, "section III.A"),
    Constant(
        "naeini2016",
        ("table1b",),
        "C and kernel of the quadratic SVM",
        "1, d (1 + d) of standardised columns",
        FROM_CODE,
        f"BBQ/test.m {_CODE}",
    ),
    Constant(
        "naeini2016", ("table1a",), "C of the linear SVM", "1", FROM_CODE, f"BBQ/test.m {_CODE}"
    ),
    Constant(
        "naeini2016",
        _RINGS_16,
        "fold of the AUC",
        "max(AUC, 1 - AUC)",
        FROM_CODE,
        f"BBQ/getAUC.m and enir.R {_CODE}",
        ("folded-auc",),
    ),
    Constant("naeini2016", _REAL_16, "folds and runs", "10 of 10", STATED, "section III.C"),
    Constant("naeini2016", _REAL_16, "penalties of the classifiers", "1", INFERRED, _DEFAULT),
    Constant(
        "naeini2016", _REAL_16, "variance that naive Bayes adds", "0.01", INFERRED, "our choice"
    ),
    Constant(
        "naeini2016",
        ("table3",),
        "rows and classes of the sets",
        "those at hand, three by their public descriptions",
        INFERRED,
        "chapter 23",
    ),
    Constant(
        "naeini2016",
        ("table1b",),
        "C of the quadratic SVM",
        "0.0075",
        TUNED,
        "the raw row of Table 1(b) of 2014",
        ("quadratic-penalty-0.0075",),
    ),
    Constant(
        "naeini2016",
        ("table3",),
        "versions of five sets",
        "chapter 23",
        TUNED,
        "the counts of Table III",
        ("other-versions", "other-versions-recoded"),
    ),
    Constant(
        "naeini2016",
        ("table3", *_REAL_16),
        "classes of satimage and pendigits",
        "4, 5 and 7 against the rest, 5 to 9 against the rest",
        TUNED,
        "the counts of Table III",
        ("other-versions-recoded", "recoded"),
    ),
    Constant("vovk2014", _V14, "splits", "100, of VA 16", STATED, "section 5"),
    Constant(
        "vovk2014",
        _V14,
        "settings of the classifiers",
        "Weka's defaults",
        INFERRED,
        "section 5 names Weka and no setting",
    ),
    Constant(
        "vovk2014",
        _V14,
        "draws of the rows of a bag",
        "independent, as in Weka since 2012",
        INFERRED,
        "the paper names no version of Weka; a cause has the older draws",
    ),
    Constant(
        "vovk2014",
        _V14,
        "codes of categories for logistic regression",
        "0, 1, 2, ... by name, in place of indicators",
        TUNED,
        "W, SVA and DIR of logistic regression on Breast, Australian and Labor",
        ("lr-codes",),
    ),
    Constant(
        "vovk2014",
        _V14,
        "learning rate of the network",
        "0.1",
        TUNED,
        "W, SVA and DIR of eight sets",
        ("nn-rate-01",),
    ),
    Constant(
        "vovk2014",
        _V14,
        "copies of a row in a bag",
        "at most 1",
        TUNED,
        "the best of nine ways by W, SVA and DIR",
        ("j48-bagging-distinct",),
    ),
    Constant("durfee2022", _D22, "rows of the four parts", "Table 4", STATED, "Table 4"),
    Constant(
        "durfee2022",
        _D22,
        "epochs",
        "30 of 100",
        INFERRED,
        "to keep the experiment short; a cause has 100",
    ),
    Constant("durfee2022", _D22, "runs", "3 of 5", INFERRED, "to keep the experiment short"),
    Constant(
        "durfee2022",
        _D22,
        "learning rates",
        "0.0001, 0.001, 0.01",
        INFERRED,
        "lost from the text we have; powers of ten around the default of Keras",
    ),
    Constant(
        "durfee2022",
        _D22,
        "widths of the layers",
        "64-32-16, 128-64-32, 256-128-64",
        INFERRED,
        "lost from the text we have",
    ),
    Constant(
        "durfee2022",
        _D22,
        "depths and leaves of the trees",
        "3 and 5, 100 and 500 rows",
        INFERRED,
        "lost from the text we have",
    ),
    Constant(
        "durfee2022",
        _D22,
        "batch and dropped share",
        "128, 0.25",
        INFERRED,
        "lost from the text we have",
    ),
    Constant("durfee2022", ("table4",), "rows of the four parts", "Table 4", STATED, "Table 4"),
)
