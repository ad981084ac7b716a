"""Everything that can be reproduced: the commands, the ledger and the pages are made from it."""

import importlib

from experiments import chapters

PAPERS = [
    *["naeini2014", "naeini2015", "naeini2016", "vovk2014", "durfee2022"],
    *["benchmark", "atlas"],
]
IN_ONE_MODULE = {"naeini2015", "atlas"}


def papers():
    """The five papers by their names; the benchmark and the atlas of tests in the form of one.

    Raises
    ------
    ImportError
        If a package is not installed that some of them need.
    """
    modules = [name if name in IN_ONE_MODULE else f"{name}.items" for name in PAPERS]
    try:
        found = [importlib.import_module(f"experiments.{module}") for module in modules]
    except ModuleNotFoundError as error:
        raise ImportError(
            f"the experiments need {error.name}, which is not installed: run "
            'pip install --editable ".[data]" in your clone'
        ) from error
    return {module.PAPER.name: module.PAPER for module in found}


def experiments():
    """Every experiment of the book by its name.

    Raises
    ------
    ImportError
        If a package is not installed that some of them need.
    """
    return {one.name: one for paper in papers().values() for one in paper.experiments}


def recorded_in_place():
    """Names of experiments whose own programs write into the folder of results alone."""
    studies = [study for paper in papers().values() for study in paper.studies if study.command]
    return {name for study in studies for name in study.experiments}


def items():
    """What can be reproduced: from a name such as ``"naeini2014/table1a"`` to paper and content."""
    everything = [*papers().values(), *chapters.papers()]
    return {
        f"{paper.name}/{name}": (paper, content)
        for paper in everything
        for name, content in paper.contents.items()
    }
