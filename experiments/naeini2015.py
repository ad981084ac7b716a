"""Naeini, Cooper and Hauskrecht (2015), of which we have a summary without a number."""

from experiments.contents import Figure, Paper

_SUMMARY = "only a summary of the paper is at hand, without its tables and figures; chapter 11 "
PAPER = Paper(
    name="naeini2015",
    citation="Naeini, Cooper and Hauskrecht (2015)",
    short="N15",
    figures=(
        Figure(
            name="figure1",
            title="a reliability curve; that of N14, Figure 1, serves as well",
            chapter="11_bayesian_binning",
            missing=_SUMMARY + "studies the method, not the numbers",
        ),
        Figure(
            name="tables",
            title="all tables",
            chapter="11_bayesian_binning",
            missing=_SUMMARY + "studies the method, not the numbers",
        ),
    ),
)
