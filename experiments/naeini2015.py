"""Naeini, Cooper and Hauskrecht (2015): a summary without a number, and their program's output."""

from experiments.authors_points import OUTPUT
from experiments.contents import Figure, Paper, Study

_SUMMARY = "only a summary of the paper is at hand, without its tables and figures; chapter 8 "
PAPER = Paper(
    name="naeini2015",
    citation="Naeini, Cooper and Hauskrecht (2015)",
    short="N15",
    figures=(
        Figure(
            name="figure1",
            title="a reliability curve; that of N14, Figure 1, serves as well",
            chapter="08_bayesian_binning",
            missing=_SUMMARY + "studies the method, not the numbers",
        ),
        Figure(
            name="tables",
            title="all tables",
            chapter="08_bayesian_binning",
            missing=_SUMMARY + "studies the method, not the numbers",
        ),
    ),
    studies=(
        Study(
            name="output",
            title="the twenty numbers that the authors' program prints on their own points",
            chapter="08_bayesian_binning",
            experiments=(OUTPUT.name,),
        ),
    ),
    experiments=(OUTPUT,),
)
