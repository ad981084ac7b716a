"""The experiments of the papers, one package a paper, and what is made of their results."""

from experiments.recording import Experiment, read_table, record, recorded
from experiments.registry import experiments

__all__ = ["Experiment", "experiments", "read_table", "record", "recorded"]
