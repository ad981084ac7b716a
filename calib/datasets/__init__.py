"""Simulated laws, and real data from a folder or from OpenML."""

from calib.datasets.real import DatasetNotFound, available, load
from calib.datasets.simulated import LAWS, TIED_LAWS, ExactErrors, ScoreLaw, rings

__all__ = [
    "LAWS",
    "TIED_LAWS",
    "DatasetNotFound",
    "ExactErrors",
    "ScoreLaw",
    "available",
    "load",
    "rings",
]
