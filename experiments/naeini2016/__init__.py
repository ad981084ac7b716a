"""Naeini and Cooper (2016): the rings again, many data sets, and what the paper leaves open."""
