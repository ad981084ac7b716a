"""Naeini, Cooper and Hauskrecht (2014): the rings, the size of the calibration sample, KDD-98."""
