"""What can be reproduced of Naeini and Cooper (2016)."""

from calib.experiments.contents import Figure, Paper, Study
from calib.experiments.drawing import reliability_curve_of_a_score, scatter_of_the_rings
from calib.experiments.naeini2016.protocol import DATA_SETS_STUDY, RINGS
from calib.experiments.naeini2016.settings import SETTINGS_STUDY
from calib.experiments.naeini2016.tables import CAUSES, TABLES

PAPER = Paper(
    name="naeini2016",
    citation="Naeini and Cooper (2016)",
    short="N16",
    tables=TABLES,
    figures=(
        Figure(
            name="figure1",
            title="a reliability curve; the paper's is hypothetical, ours that of a raw score",
            chapter="02_measuring_it",
            draw=reliability_curve_of_a_score,
        ),
        Figure(
            name="figure2",
            title="the simulated points: a disc and the ring around it",
            chapter="08_rings",
            draw=scatter_of_the_rings,
        ),
    ),
    studies=(
        Study(
            name="table7",
            title="orders of growth; the paper states them without numbers, here they are measured",
            chapter="15_cost",
            experiments=("cost",),
            command="python benchmarks/cost.py",
        ),
        Study(
            name="settings",
            title="penalty, scaling and kernel varied, which the paper leaves open",
            chapter="14_many_data_sets",
            experiments=(SETTINGS_STUDY.name,),
        ),
    ),
    causes=CAUSES,
    experiments=(RINGS, DATA_SETS_STUDY, SETTINGS_STUDY),
)
