"""The calibrator to begin with: a few questions, in the words of every place that asks them.

The book draws and lists the questions, and `compare` takes its advice for few rows from here. A
test asks the recorded benchmark whether it supports the answers.
"""

from typing import NamedTuple

FEW_ROWS = 500  # rows below which few gains are certain; the benchmark had 200 and up to 2000


class Rule(NamedTuple):
    """A question, and the calibrator to begin with if its answer is the first yes.

    Attributes
    ----------
    question : str
        Empty for the calibrator that is left when every answer was no.
    take : str
        A calibrator, in code.
    why : str
        The finding of the benchmark, in one sentence: the reason that the book gives.
    trait : str
        A property of the calibrator, in one sentence: the reason that `compare` gives.
    """

    question: str
    take: str
    why: str
    trait: str = ""


RULES = (
    Rule(
        question=(
            "May a higher score mean a lower probability, are there 1000 points, and is no class "
            "rare?"
        ),
        take='KernelCalibrator(kernel="gaussian", bandwidth="cv")',
        why=(
            "With a bump in the known truth and balanced classes, it came closest of all "
            "calibrators and had the smallest log loss; with a rare class the raw scores were "
            "closer at 1000 points, and its log loss was infinite in some samples."
        ),
    ),
    Rule(
        question=(
            f"Are features, training rows and {FEW_ROWS} points at hand, and is the classifier no "
            "forest and not to be replaced?"
        ),
        take="HeterogeneousCalibrator(tree)",
        why=(
            "On logits, with a tree fitted on the training rows, it had the largest mean gain and "
            "raised the AUC in most cases; boosting in place of logistic regression or naive Bayes "
            "gained more."
        ),
    ),
)
OTHERWISE = Rule(
    question="",
    take="StackedCalibrator()",
    why=(
        "In the second benchmark no calibrator had a smaller mean log loss at any number of "
        "points, and its log loss was never infinite."
    ),
    trait="It averages calibrators of several kinds, and never predicts exactly 0 or 1.",
)
MARGINS = Rule(
    question="",
    take="PlattScaling()",
    why=(
        "It takes margins; after the SVM beta calibration, which needs probabilities, hardly "
        "differed."
    ),
    trait="It takes margins, and learns two numbers only.",
)


def with_few_rows(n_rows: int, is_probability: bool) -> str:
    """The calibrator to begin with if rows are too few for a certain gain; empty otherwise."""
    if n_rows >= FEW_ROWS:
        return ""
    rule = OTHERWISE if is_probability else MARGINS
    return (
        f" With {n_rows} rows few gains are certain: if you must calibrate all the same, begin "
        f"with {rule.take}. {rule.trait}"
    )
