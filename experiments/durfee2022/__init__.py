"""Durfee, Gupta and Basu (2022): networks on five data sets, calibrated leaf by leaf."""
