"""The experiments of the papers: protocol, runner and tables, one module per paper."""

import importlib

from calib.experiments.recording import Experiment, read_table, record, recorded

__all__ = ["Experiment", "experiments", "read_table", "record", "recorded"]

_MODULES = {
    "naeini2014": ["RINGS", "CALIBRATION_SIZE"],
    "naeini2016": ["RINGS", "DATA_SETS_STUDY"],
    "kdd98": ["EVERYBODY", "HALVES", "ORIGINAL"],
    "auc_split": ["AUC_SPLIT"],
    "calibration_data": ["CALIBRATION_DATA"],
    "vovk2014": ["SPLITS", "FULL"],
    "durfee2022": ["LIFT"],
    "durfee2022_epochs": ["EXPERIMENT"],
}


def experiments():
    """Every experiment of the book by its name."""
    found = [
        getattr(importlib.import_module(f"calib.experiments.{module}"), constant)
        for module, constants in _MODULES.items()
        for constant in constants
    ]
    return {experiment.name: experiment for experiment in found}
