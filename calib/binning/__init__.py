"""Histograms, averages over binnings, and bins chosen by the prediction."""
