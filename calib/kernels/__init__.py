"""Compiled loops: arrays in, arrays out; no classes, no input checks.

The calibrators and metrics check their input once (`calib.base`) and then call these functions.
"""
