"""Heterogeneous calibration: parts of the feature space, and a calibrator for each."""
