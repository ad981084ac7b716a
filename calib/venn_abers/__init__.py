"""Venn-Abers predictors: two probabilities, one of which is valid."""
