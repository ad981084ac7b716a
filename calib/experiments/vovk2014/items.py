"""What can be reproduced of Vovk and Petej (2014), who have no figures."""

from calib.experiments.contents import Paper
from calib.experiments.vovk2014.echocardiogram import ECHO
from calib.experiments.vovk2014.protocol import FULL, SPLITS
from calib.experiments.vovk2014.tables import CAUSES, TABLES

PAPER = Paper(
    name="vovk2014",
    citation="Vovk and Petej (2014)",
    short="V14",
    tables=TABLES,
    causes=CAUSES,
    experiments=(SPLITS, FULL, ECHO),
)
