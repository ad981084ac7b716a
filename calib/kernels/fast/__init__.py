"""Faster forms of NumPy functions, with the same bits."""
