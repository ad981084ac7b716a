"""Calibrators that learn as outcomes come in, and a guard over what they learn."""
