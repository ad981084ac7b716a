"""Calibrators that take groups or features beside the score."""
