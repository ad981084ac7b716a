"""What can be reproduced of Vovk and Petej (2014), who have no figures."""

from experiments.contents import Paper, Study
from experiments.vovk2014.echocardiogram import ECHO
from experiments.vovk2014.protocol import FULL, SPLITS
from experiments.vovk2014.tables import CAUSES, TABLES
from experiments.vovk2014.trained import TRAINED, TRAINED_FULL

PAPER = Paper(
    name="vovk2014",
    citation="Vovk and Petej (2014)",
    short="V14",
    tables=TABLES,
    studies=(
        Study(
            name="echocardiogram",
            title="Echocardiogram, which the paper does not describe, in three other readings",
            chapter="24_venn_abers_experiments",
            experiments=(ECHO.name,),
        ),
        *(
            Study(
                name=name,
                title=title,
                chapter="24_venn_abers_experiments",
                experiments=(one.name,),
                command=command,
            )
            for name, title, one, command in [
                (
                    "trained",
                    "a slower network, other bagged trees and kernel densities",
                    TRAINED,
                    "python -m experiments.vovk2014.trained",
                ),
                (
                    "trained_full",
                    "the same for the full predictor",
                    TRAINED_FULL,
                    "python -m experiments.vovk2014.trained full",
                ),
            ]
        ),
    ),
    causes=CAUSES,
    experiments=(SPLITS, FULL, ECHO, TRAINED, TRAINED_FULL),
)
