"""The recommended calibrator: the default, in the words of every interface, and the exceptions.

`compare`, the report, the command line and the page of the book print the line of
`advice_to_calibrate`. The book draws and lists the questions of `RULES`. A test asks the recorded
benchmark whether it supports the answers.
"""

import math
from typing import NamedTuple

from calib.methods.stacking import StackedCalibrator, default_members
from calibkit.inference.bootstrap import Interval

FEW_ROWS = 500  # rows from which on features were worth their own calibrator in the benchmark
DEFAULT_NAME = "Stacked"  # name of the default in every comparison
LOSS_NAMES = {"log": "log loss", "brier": "Brier score"}
REFERENCE_NAMES = {"Raw": "the raw scores", "Base rate": "the base rate"}
BOUNDS = {  # by reference: how far `StackedCalibrator.loss_` can exceed another loss, in all
    "Raw": f"{-math.log(StackedCalibrator().trust):.2f} nats in all worse than the scores",
    "Base rate": (
        f"{math.log(len(default_members(is_probability=False))):.2f} nats in all worse than Platt "
        "scaling"
    ),
}


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
    """

    question: str
    take: str
    why: str


RULES = (
    Rule(
        question=(
            "May a higher score mean a lower probability, are there 1000 points, and is no class "
            "rare?"
        ),
        take='KernelCalibrator(kernel="gaussian", bandwidth="cv")',
        why=(
            "With a bump in the known true probability and balanced classes, it came closest of "
            "all calibrators and had the smallest log loss. With a rare class the raw scores were "
            "closer at 1000 points, and its log loss was infinite in some samples."
        ),
    ),
    Rule(
        question=(
            f"Do you have features, training rows and {FEW_ROWS} points, and will you keep your "
            "classifier, which is not a forest?"
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
        "An average had the smallest mean log loss in the second benchmark at every number of "
        "points, and its log loss was never infinite."
    ),
)


def advice_to_calibrate(gain: Interval | None, gain_in: str, reference: str) -> str:
    """The line of advice: the default, its gain on held-out rows, and its largest loss there.

    Parameters
    ----------
    gain : Interval or None
        Gain of the default over the reference in cross-validation, or None if it was not measured.
    gain_in : {"log", "brier"}
        The loss in which the gain is.
    reference : {"Raw", "Base rate"}

    Examples
    --------
    >>> gain = Interval(estimate=0.0123, lower=0.01, upper=0.02, error=0.0031)
    >>> print(advice_to_calibrate(gain, "log", "Raw").partition(" over ")[0])
    Calibrate with the default, StackedCalibrator(): on held-out rows it gains 0.0123 in log loss
    """
    begin = f"Calibrate with the default, {OTHERWISE.take}"
    bound = (
        "On the held-out rows by which it weighs its members it cannot be more than "
        f"{BOUNDS[reference]}, before its sum is set right."
    )
    if gain is None:
        return f"{begin}. {bound}"
    verb, than = ("loses", "to") if gain.estimate < 0 else ("gains", "over")
    return (
        f"{begin}: on held-out rows it {verb} {abs(gain.estimate):.3g} in {LOSS_NAMES[gain_in]} "
        f"{than} {REFERENCE_NAMES[reference]} (standard error {gain.error:.2g}). {bound}"
    )
