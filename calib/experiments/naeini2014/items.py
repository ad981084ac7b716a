"""What can be reproduced of Naeini, Cooper and Hauskrecht (2014)."""

from calib.experiments.contents import Figure, Paper, Study
from calib.experiments.drawing import reliability_curve_of_a_score, scatter_of_the_rings
from calib.experiments.naeini2014.calibration_data import CALIBRATION_DATA
from calib.experiments.naeini2014.kdd98 import EVERYBODY, HALVES, ORIGINAL
from calib.experiments.naeini2014.protocol import CALIBRATION_SIZE, RINGS
from calib.experiments.naeini2014.tables import CAUSES, TABLES
from calib.experiments.naeini2014.variants import RINGS_VARIANTS, SIZE_VARIANTS

PAPER = Paper(
    name="naeini2014",
    citation="Naeini, Cooper and Hauskrecht (2014)",
    short="N14",
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
            name="section5.1",
            title="which rows to calibrate on, which the paper describes and does not measure",
            chapter="10_decisions_and_money",
            experiments=(CALIBRATION_DATA.name,),
        ),
        Study(
            name="rings_variants",
            title="supposed causes of differences in Table 1, tried",
            chapter="08_rings",
            experiments=(RINGS_VARIANTS.name,),
        ),
        Study(
            name="size_variants",
            title="a supposed cause of differences in Table 2, tried",
            chapter="09_calibration_size",
            experiments=(SIZE_VARIANTS.name,),
        ),
        Study(
            name="kdd98_everybody",
            title="profit of mailing everybody, a check of the KDD-98 files",
            chapter="10_decisions_and_money",
            experiments=(EVERYBODY.name,),
        ),
        Study(
            name="table3_original",
            title="Table 3 on the original KDD-98 files, for those who have them",
            chapter="10_decisions_and_money",
            experiments=(ORIGINAL.name,),
        ),
    ),
    causes=CAUSES,
    experiments=(
        RINGS,
        CALIBRATION_SIZE,
        EVERYBODY,
        HALVES,
        ORIGINAL,
        CALIBRATION_DATA,
        RINGS_VARIANTS,
        SIZE_VARIANTS,
    ),
)
