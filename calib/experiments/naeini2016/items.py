"""What can be reproduced of Naeini and Cooper (2016)."""

from calib.experiments.contents import Paper, Study
from calib.experiments.drawing import POINTS_OF_THE_RINGS, RELIABILITY_CURVE
from calib.experiments.naeini2016.protocol import DATA_SETS_STUDY, RINGS
from calib.experiments.naeini2016.settings import SETTINGS_STUDY
from calib.experiments.naeini2016.tables import CAUSES, TABLES

PAPER = Paper(
    name="naeini2016",
    citation="Naeini and Cooper (2016)",
    short="N16",
    tables=TABLES,
    figures=(RELIABILITY_CURVE, POINTS_OF_THE_RINGS),
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
