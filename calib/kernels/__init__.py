"""Compiled loops that several methods share: arrays in, arrays out, no input checks.

The calibrators and metrics check their input once (`calib.base`) and then call these functions.
`newton` is the one loop that runs as Python. Each of its steps calls compiled sums over all rows.
`fast` has quicker forms of what NumPy has already.
"""
