"""What can be reproduced of Naeini and Cooper (2016)."""

from experiments.contents import Paper, Study
from experiments.drawing import POINTS_OF_THE_RINGS, RELIABILITY_CURVE
from experiments.naeini2014.program import PROGRAM
from experiments.naeini2014.variants import PENALTY_VARIANTS
from experiments.naeini2016.adaptive import ADAPTIVE_STUDY
from experiments.naeini2016.original_files import ORIGINAL_FILES
from experiments.naeini2016.protocol import DATA_SETS_STUDY, RINGS
from experiments.naeini2016.recoded import RECODED
from experiments.naeini2016.search import ONE_COLUMN, SEARCH
from experiments.naeini2016.settings import NEAREST, SETTINGS_STUDY
from experiments.naeini2016.tables import CAUSES, TABLES

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
            chapter="C14_cost",
            experiments=("cost",),
            command="python benchmarks/cost.py",
        ),
        Study(
            name="settings",
            title="penalty, scaling, weights and kernel varied, which the paper leaves open",
            chapter="23_many_data_sets",
            experiments=(SETTINGS_STUDY.name,),
        ),
        Study(
            name="nearest",
            title="isotonic regression read as steps at the nearest score, not interpolated",
            chapter="23_many_data_sets",
            experiments=(NEAREST.name,),
        ),
        Study(
            name="recoded",
            title="satimage and pendigits cut in two as the counts of Table III suggest",
            chapter="23_many_data_sets",
            experiments=(RECODED.name,),
        ),
        Study(
            name="adaptive",
            title="ACP after logistic regression, which the paper leaves out",
            chapter="23_many_data_sets",
            experiments=(ADAPTIVE_STUDY.name,),
        ),
        Study(
            name="original_files",
            title="the three sets that are not at hand, for those who have their files",
            chapter="23_many_data_sets",
            experiments=(ORIGINAL_FILES.name,),
        ),
        Study(
            name="search",
            title="a search for data on which ENIR beats isotonic regression",
            chapter="23_many_data_sets",
            experiments=(SEARCH.name,),
        ),
        Study(
            name="one_column",
            title="the data sets that the search has found",
            chapter="23_many_data_sets",
            experiments=(ONE_COLUMN.name,),
        ),
    ),
    causes=CAUSES,
    experiments=(
        RINGS,
        DATA_SETS_STUDY,
        SETTINGS_STUDY,
        NEAREST,
        RECODED,
        ADAPTIVE_STUDY,
        SEARCH,
        ONE_COLUMN,
        ORIGINAL_FILES,
        PENALTY_VARIANTS,
        PROGRAM,
    ),
)
