"""Simulated laws, and real data from a folder or from OpenML."""

from calib.datasets.real import DatasetNotFound, available, load
from calib.datasets.simulated import LAWS, ExactErrors, ScoreLaw, rings

__all__ = [
    "LAWS",
    "DatasetNotFound",
    "ExactErrors",
    "ScoreLaw",
    "available",
    "load",
    "rings",
]
