"""Calibration by the densities of the scores in the two classes."""
