"""Histograms, averages over binnings, and intervals of their own size."""
