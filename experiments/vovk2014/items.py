"""What can be reproduced of Vovk and Petej (2014), who have no figures."""

from experiments.contents import Paper, Study
from experiments.vovk2014.echocardiogram import ECHO
from experiments.vovk2014.protocol import FULL, SPLITS
from experiments.vovk2014.tables import CAUSES, TABLES

PAPER = Paper(
    name="vovk2014",
    citation="Vovk and Petej (2014)",
    short="V14",
    tables=TABLES,
    studies=(
        Study(
            name="echocardiogram",
            title="Echocardiogram, which the paper does not describe, in three other readings",
            chapter="21_venn_abers_experiments",
            experiments=(ECHO.name,),
        ),
    ),
    causes=CAUSES,
    experiments=(SPLITS, FULL, ECHO),
)
