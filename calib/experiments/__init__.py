"""The experiments of the papers: protocol, runner and tables, one module per paper."""

import importlib

from calib.experiments.recording import Experiment, read_table, record, recorded

__all__ = ["Experiment", "experiments", "read_table", "record", "recorded"]

_MODULES = {
    "naeini2014": ["RINGS", "CALIBRATION_SIZE"],
    "naeini2016": ["RINGS", "DATA_SETS_STUDY"],
    "naeini2016_settings": ["SETTINGS_STUDY"],
    "kdd98": ["EVERYBODY", "HALVES", "ORIGINAL"],
    "auc_split": ["AUC_SPLIT"],
    "calibration_data": ["CALIBRATION_DATA"],
    "vovk2014": ["SPLITS", "FULL"],
    "durfee2022": ["LIFT"],
}


def experiments():
    """Every experiment of the book by its name.

    Raises
    ------
    ImportError
        If a package is not installed that some of them need.
    """
    try:
        found = [
            getattr(importlib.import_module(f"calib.experiments.{module}"), constant)
            for module, constants in _MODULES.items()
            for constant in constants
        ]
    except ModuleNotFoundError as error:
        raise ImportError(
            f"the experiments need {error.name}, which is not installed: run "
            'pip install --editable ".[data]" in your clone'
        ) from error
    return {experiment.name: experiment for experiment in found}
