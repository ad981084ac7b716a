"""What can be reproduced of Naeini, Cooper and Hauskrecht (2014)."""

from experiments.contents import Paper, Study
from experiments.drawing import POINTS_OF_THE_RINGS, RELIABILITY_CURVE
from experiments.naeini2014.calibration_data import CALIBRATION_DATA
from experiments.naeini2014.kdd98 import EVERYBODY, HALVES, ORIGINAL
from experiments.naeini2014.kdd98_variants import KDD98_VARIANTS
from experiments.naeini2014.liblinear import LIBLINEAR
from experiments.naeini2014.program import PROGRAM
from experiments.naeini2014.protocol import CALIBRATION_SIZE, RINGS
from experiments.naeini2014.tables import CAUSES, TABLES
from experiments.naeini2014.variants import (
    PENALTY_VARIANTS,
    RAW_VARIANTS,
    RINGS_VARIANTS,
    SIZE_VARIANTS,
)

PAPER = Paper(
    name="naeini2014",
    citation="Naeini, Cooper and Hauskrecht (2014)",
    short="N14",
    tables=TABLES,
    figures=(RELIABILITY_CURVE, POINTS_OF_THE_RINGS),
    studies=(
        Study(
            name="section5.1",
            title="which rows to calibrate on, which the paper describes and does not measure",
            chapter="22_decisions_and_money",
            experiments=(CALIBRATION_DATA.name,),
        ),
        Study(
            name="rings_variants",
            title="supposed causes of differences in Table 1, tried",
            chapter="rings_cell_by_cell",
            experiments=(RINGS_VARIANTS.name,),
        ),
        Study(
            name="size_variants",
            title="a supposed cause of differences in Table 2, tried",
            chapter="21_calibration_size",
            experiments=(SIZE_VARIANTS.name,),
        ),
        Study(
            name="penalties",
            title="other penalties of the linear SVM, which the paper does not state",
            chapter="rings_cell_by_cell",
            experiments=(PENALTY_VARIANTS.name,),
        ),
        Study(
            name="liblinear",
            title="Tables 1(a) and 2(a) with the linear SVM that liblinear trains by default",
            chapter="rings_cell_by_cell",
            experiments=(LIBLINEAR.name,),
        ),
        Study(
            name="program",
            title="Tables 1(b) and 2(b) with the quadratic SVM of the program that the authors "
            "published",
            chapter="rings_cell_by_cell",
            experiments=(PROGRAM.name,),
        ),
        Study(
            name="raw_variants",
            title="a supposed cause of a difference in the raw row of Table 2, tried",
            chapter="21_calibration_size",
            experiments=(RAW_VARIANTS.name,),
        ),
        Study(
            name="kdd98_variants",
            title="supposed causes of differences in Table 3, tried",
            chapter="mailing_cell_by_cell",
            experiments=(KDD98_VARIANTS.name,),
        ),
        Study(
            name="kdd98_everybody",
            title="profit of mailing everybody, a check of the KDD-98 files",
            chapter="22_decisions_and_money",
            experiments=(EVERYBODY.name,),
        ),
        Study(
            name="table3_original",
            title="Table 3 on the original KDD-98 files, for those who have them",
            chapter="22_decisions_and_money",
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
        PENALTY_VARIANTS,
        LIBLINEAR,
        PROGRAM,
        RAW_VARIANTS,
        KDD98_VARIANTS,
    ),
)
