"""Compiled loops: arrays in, arrays out; no classes, no input checks.

The calibrators and metrics check their input once (`calib.contract`) and then call these functions.
"""
