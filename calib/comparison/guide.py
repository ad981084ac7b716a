"""Which calibrator to begin with: a few questions, in the words of every place that asks them.

The book draws and lists them, and `compare` takes its words from here where rows are few. A test
asks the recorded benchmark whether it supports them.
"""

from typing import NamedTuple

FEW_ROWS = 500  # a choice of ours: the first benchmark had 200 rows, and up to 2000


class Rule(NamedTuple):
    """A question, and what to begin with if the answer is yes and was no to those before.

    Attributes
    ----------
    question : str
        Empty for what is left when every answer was no.
    take : str
        A calibrator, in code.
    why : str
        What the benchmark has found, in one sentence.
    """

    question: str
    take: str
    why: str


RULES = (
    Rule(
        "May a higher score mean a lower probability, are there 1000 points, and is no class rare?",
        'KernelCalibrator(kernel="gaussian", bandwidth="cv")',
        "With a bump in the known truth and balanced classes, it came closest of all calibrators "
        "and had the smallest log loss; with a rare class the raw scores were closer at 1000 "
        "points, and its log loss was infinite in some samples.",
    ),
    Rule(
        f"Are features, training rows and {FEW_ROWS} points at hand, and is the classifier no "
        "forest and not to be replaced?",
        "HeterogeneousCalibrator(tree)",
        "On logits, with a tree fitted on the training rows, it had the largest mean gain and "
        "raised the AUC in most cases; boosting in place of logistic regression or naive Bayes "
        "gained more.",
    ),
)
OTHERWISE = Rule(
    "",
    "StackedCalibrator()",
    "In the second benchmark no calibrator had a smaller mean log loss at any number of points, "
    "and its log loss was never infinite.",
)
MARGINS = Rule(
    "",
    "PlattScaling()",
    "It takes margins; after the SVM beta calibration, which needs probabilities, hardly differed.",
)


def with_few_rows(n_rows: int, is_probability: bool) -> str:
    """What to begin with where rows are too few for a gain to be certain; empty if they are not."""
    if n_rows >= FEW_ROWS:
        return ""
    rule = OTHERWISE if is_probability else MARGINS
    return (
        f" With {n_rows} rows few gains are certain: if you must calibrate all the same, begin "
        f"with {rule.take}. {rule.why}"
    )
