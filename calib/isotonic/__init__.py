"""Isotonic regression and its near relatives."""
